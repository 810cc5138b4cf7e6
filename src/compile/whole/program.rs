//! Makes programs from what the linker left of a package's build.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use inkwell::values::{GlobalValue, InstructionOpcode};
use serde::{Deserialize, Serialize};

use super::{order::write_order, package::Whole};
use crate::{
    compile::{
        error::BuildError,
        link::IMAGE_BASE,
        modules, probes,
        stamp::{Stamp, hash},
        toolchain::command,
        unwritten,
    },
    llvm::Editor,
    merge::Changes,
};

/// The alignment in bytes of every variable, as of all allocated memory (`docs/world.md`,
/// "Memory").
const ALIGNMENT: u32 = 16;

/// The distance in bytes of global variables in a watched program (also in `runtime/watch.c`).
const APART: u32 = 2048;

/// Where the code of a program begins, whatever the size of its constants, which come first. So a
/// function that no patched one precedes has the same address in all revisions
/// ([`functions_at_fixed_addresses`](super::functions_at_fixed_addresses)).
const CODE: &str = "--section-start=.text=0x10000000";
/// The linker puts the symbols in a file first, one on each line ([`write_order`]).
const ORDER: &str = "--symbol-ordering-file=";

/// The symbols of a linked module that stay visible: its entry point, and errno, which the native
/// allocator sets.
pub(super) const PUBLIC: [&str; 2] = ["_start_c", "__errno_location"];

/// Has the optimiser insert a check before each access, and use a fresh frame for each call.
const WATCH: &[&str] = &[
    "-passes=forceattrs,asan",
    "-force-attribute=sanitize_address",
    "-asan-use-after-return=always",
];

/// What a watched program is linked with (`runtime/watch.c`).
const WATCHED: &[&str] = &[
    "--wrap=_start_c",
    "--wrap=psychic_syscall",
    "--wrap=longjmp",
    "--wrap=_longjmp",
    "--wrap=siglongjmp",
    "-lwatch",
    "-lworld",
    "-lwatch",
];

/// What is known about a revision that its package's build made.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Own {
    /// Whether more functions than in the original may end without the result that they promise.
    pub(super) loses_result: bool,
    /// Whether the sources that its changes affect tell everything about it.
    pub(super) is_told: bool,
}

impl Whole {
    /// Makes the bitcode of a revision's program in a directory, and returns it and the tree of its
    /// sources.
    ///
    /// # Errors
    /// As for [`Self::unite`] if the original cannot be built.
    pub fn alone(
        &self,
        changes: &Changes,
        directory: &Path,
    ) -> Result<(PathBuf, PathBuf), BuildError> {
        let bitcode = directory.join("alone.bc");
        let (tree, _) = self.build(changes, directory)?;
        self.finish(&tree, directory, &bitcode, None)?;
        Ok((bitcode, tree))
    }

    /// Makes a revision's program as the package's build makes it: the bitcode of the whole
    /// program, and the executable made from that. Does nothing if they are there already.
    pub(super) fn own(
        &self,
        changes: &Changes,
        bitcode: &Path,
        native: &Path,
    ) -> Result<Own, BuildError> {
        let record = bitcode.with_extension("own.json");
        let failed = |error: serde_json::Error| BuildError::io(&record)(error.into());
        self.make_products(parts(changes), &[bitcode, native, &record], |scratch| {
            let (tree, commands) = self.build(changes, scratch)?;
            let found = self.finish(&tree, scratch, bitcode, Some(native))?;
            if let (Some(probed), true) = (&self.recipe.probed, changes.is_empty()) {
                probed.check(&found)?;
            }
            let own = Own {
                loses_result: self.loses_result(&tree, bitcode, &commands)?,
                is_told: !self.changes_build(changes)
                    && self.is_all(&tree, bitcode, &commands)?
                    && self.resolution(&tree)?.agrees(&self.resolution(&self.tree)?),
            };
            let text = serde_json::to_vec(&own).map_err(failed)?;
            fs::write(&record, text).map_err(BuildError::io(&record))
        })?;
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        serde_json::from_slice(&text).map_err(failed)
    }

    /// Makes the bitcode of the program with some files of the tree replaced. The given bitcode
    /// takes the place of what the build makes of some sources. Does nothing if the product is
    /// there already.
    pub(super) fn link(
        &self,
        files: &Changes,
        sources: &BTreeMap<PathBuf, PathBuf>,
        bitcode: &Path,
    ) -> Result<(), BuildError> {
        let mut of = parts(files);
        for (source, own) in sources {
            let bytes = fs::read(own).map_err(BuildError::io(own))?;
            of.extend([source.display().to_string(), hash([bytes])]);
        }
        self.make_products(of, &[bitcode], |scratch| {
            let (tree, _) = self.build(files, scratch)?;
            if !sources.is_empty() {
                self.replace(sources, &tree)?;
                self.remake(&tree, scratch)?;
            }
            if !self.resolution(&tree)?.agrees(&self.resolution(&self.tree)?) {
                let why = "the linker takes another definition of a symbol than in the original";
                return Err(BuildError::Unite(why.to_owned()));
            }
            self.finish(&tree, scratch, bitcode, None).map(drop)
        })
    }

    /// Makes products, unless they are there already and were made from the same texts `of`. `make`
    /// gets a scratch directory beside them.
    pub(super) fn make_products(
        &self,
        of: Vec<String>,
        products: &[&Path],
        make: impl FnOnce(&Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let runtime = self.libc.join("runtime-stamp");
        let runtime = fs::read_to_string(&runtime).map_err(BuildError::io(&runtime))?;
        let mut parts = vec![self.key.clone(), runtime, ALIGNMENT.to_string(), layout()];
        parts.extend(self.recipe.probed.as_ref().map(|probed| format!("{probed:?}")));
        parts.extend(of);
        let key = hash(parts);
        if products.iter().all(|product| Stamp::is_fresh(product, &key)) {
            return Ok(());
        }
        for product in products {
            Stamp::remove(product).map_err(BuildError::io(*product))?;
        }
        let parent = products[0].parent().unwrap_or(Path::new("."));
        let scratch = tempfile::Builder::new().prefix(".build-").tempdir_in(parent);
        let scratch = scratch.map_err(BuildError::io(parent))?;
        make(&scratch.path().canonicalize().map_err(BuildError::io(parent))?)?;
        for product in products {
            let stamp = Stamp::new(key.clone(), []).map_err(BuildError::io(*product))?;
            stamp.write(product).map_err(BuildError::io(*product))?;
        }
        Ok(())
    }

    /// Makes what the engine and replay run from what the linker left. Returns the names of the
    /// functions that show what they return and leave.
    pub(super) fn finish(
        &self,
        tree: &Path,
        scratch: &Path,
        bitcode: &Path,
        native: Option<&Path>,
    ) -> Result<BTreeSet<String>, BuildError> {
        let module = self.merged_module(tree)?;
        let [small, executable] = ["whole.bc", "whole"].map(|name| scratch.join(name));
        self.reduce(&module, &small)?;
        align_objects(&small)?;
        let mut found = BTreeSet::new();
        if let Some(probed) = &self.recipe.probed {
            found = probes::insert(&small, probed)?;
        }
        if let Some(native) = native {
            self.code(&small, &["-lworld"], &executable)?;
            fs::rename(&executable, native).map_err(BuildError::io(native))?;
        }
        fs::rename(&small, bitcode).map_err(BuildError::io(bitcode))?;
        Ok(found)
    }

    /// Reduces a linked module to what the program needs. The machine code may call functions of
    /// the libc where the module has only intrinsics, and these functions may need others in the
    /// same way.
    fn reduce(&self, module: &Path, out: &Path) -> Result<(), BuildError> {
        let mut public: BTreeSet<String> = PUBLIC.map(str::to_owned).into();
        loop {
            let mut optimiser = command(&self.tool("opt"));
            let all = public.iter().map(String::as_str).collect::<Vec<_>>().join(",");
            optimiser.arg("-passes=internalize,globaldce");
            optimiser.arg(format!("-internalize-public-api-list={all}"));
            self.toolchain.run(optimiser.arg(module).arg("-o").arg(out))?;
            let count = public.len();
            public.extend(modules::library_functions(out)?);
            if public.len() == count {
                return Ok(());
            }
        }
    }

    /// Makes machine code from the bitcode of a whole program, and links it with a world.
    pub(super) fn code(&self, module: &Path, world: &[&str], out: &Path) -> Result<(), BuildError> {
        let object = out.with_extension("o");
        // Run no more passes: the machine code has to do what the bitcode says.
        let mut generator = self.toolchain.clang();
        generator.args(["--target=x86_64-linux-musl", "-c", "-O1", "-fno-pic"]);
        generator.arg("-ffunction-sections");
        generator.args(["-Xclang", "-disable-llvm-passes"]);
        self.toolchain.run(generator.arg(module).arg("-o").arg(&object))?;
        let order = out.with_extension("order");
        write_order(module, &order)?;
        let mut linker = command(&self.tool("ld.lld"));
        linker.args(["-static", "-nostdlib", IMAGE_BASE, CODE]);
        linker.arg(format!("{ORDER}{}", order.display()));
        linker.arg("-L").arg(self.libc.join("lib")).arg(&object);
        self.toolchain.run(linker.args(world).args(["-lnative", "-o"]).arg(out)).map(drop)
    }

    /// Makes an executable from a program's bitcode. Does nothing if it is there already.
    ///
    /// # Errors
    /// [`BuildError::Compile`]; [`BuildError::Io`].
    pub fn executable(&self, bitcode: &Path, out: &Path) -> Result<(), BuildError> {
        self.make_executable(bitcode, "", out, |module, executable| {
            self.code(module, &["-lworld"], executable)
        })
    }

    /// Makes an executable that checks each access to memory, in the libc too, and reports accesses
    /// out of bounds or to freed memory as AddressSanitizer does. Does nothing if it is there
    /// already.
    ///
    /// # Errors
    /// As [`Whole::executable`].
    pub fn watched(&self, bitcode: &Path, out: &Path) -> Result<(), BuildError> {
        let apart = APART.to_string();
        let how = [&WATCH.join(" "), &WATCHED.join(" "), unwritten::PREPARATION, &apart].join(" ");
        self.make_executable(bitcode, &how, out, |module, executable| {
            let mut optimiser = command(&self.tool("opt"));
            unwritten::prepare_watched(module)?;
            self.toolchain.run(optimiser.args(WATCH).arg(module).arg("-o").arg(module))?;
            spread_globals(module)?;
            self.code(module, WATCHED, executable)
        })
    }

    /// Makes an executable from a copy of bitcode, unless it is there and was made in the same way.
    pub(super) fn make_executable(
        &self,
        bitcode: &Path,
        how: &str,
        out: &Path,
        make: impl FnOnce(&Path, &Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let read = |path: &Path| fs::read(path).map_err(BuildError::io(path));
        let runtime = read(&self.libc.join("runtime-stamp"))?;
        let key = hash([read(bitcode)?, runtime, how.into(), layout().into()]);
        if Stamp::is_fresh(out, &key) {
            return Ok(());
        }
        Stamp::remove(out).map_err(BuildError::io(out))?;
        let parent = out.parent().unwrap_or(Path::new("."));
        let scratch = tempfile::Builder::new().prefix(".build-").tempdir_in(parent);
        let scratch = scratch.map_err(BuildError::io(parent))?;
        let [module, executable] = ["whole.bc", "whole"].map(|name| scratch.path().join(name));
        fs::copy(bitcode, &module).map_err(BuildError::io(bitcode))?;
        make(&module, &executable)?;
        fs::rename(&executable, out).map_err(BuildError::io(out))?;
        let stamp = Stamp::new(key, []).map_err(BuildError::io(out))?;
        stamp.write(out).map_err(BuildError::io(out))
    }
}

/// Stands for the arithmetic that [`align_objects`] defines, in a key.
const ARITHMETIC: &str = "constant counts and inexact divisions defined";

/// Stands for the comparison of what the linker resolves, in a key.
const RESOLVED_ALIKE: &str = "definitions compared";

/// What the linker is told about addresses, and how modules are changed, as part of a key.
fn layout() -> String {
    [IMAGE_BASE, CODE, ORDER, ARITHMETIC, RESOLVED_ALIKE].join(" ")
}

/// The paths and contents of changed files as texts, for a key.
pub(super) fn parts(files: &Changes) -> Vec<String> {
    let of = |(path, text): (&PathBuf, &Option<Arc<str>>)| {
        let there = text.is_some().to_string();
        [path.display().to_string(), there, text.as_deref().unwrap_or_default().to_owned()]
    };
    files.iter().flat_map(of).collect()
}

/// Gives every variable of a module the alignment of all memory. So programs that look at the low
/// bits of addresses do the same wherever their variables are. Also gives a meaning to what [LLVM
/// leaves undefined](Editor::define_constant_arithmetic).
fn align_objects(module: &Path) -> Result<(), BuildError> {
    modules::change(module, |_, module| {
        Editor::new(module).define_constant_arithmetic();
        align(module.get_globals(), ALIGNMENT);
        let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
        for instruction in blocks.flat_map(|block| block.get_instructions()) {
            if instruction.get_opcode() == InstructionOpcode::Alloca {
                // An alloca has an alignment, which is a power of 2.
                let known = instruction.get_alignment().unwrap_or(ALIGNMENT);
                instruction.set_alignment(known.max(ALIGNMENT)).expect("a power of 2");
            }
        }
        Ok(())
    })
}

/// Puts global variables far apart, so that an access that misses one by far does not hit another
/// (`runtime/watch.c` marks the space between them).
fn spread_globals(module: &Path) -> Result<(), BuildError> {
    modules::change(module, |_, module| {
        // A variable in a section is part of a table there, and a thread-local one exists in every
        // thread.
        let is_free =
            |global: &GlobalValue<'_>| global.get_section().is_none() && !global.is_thread_local();
        align(module.get_globals().filter(is_free), APART);
        Ok(())
    })
}

/// Raises the alignment of global variables to at least `alignment`.
fn align<'c>(globals: impl Iterator<Item = GlobalValue<'c>>, alignment: u32) {
    for global in globals.filter(|global| !global.is_declaration()) {
        global.set_alignment(global.get_alignment().max(alignment));
    }
}
