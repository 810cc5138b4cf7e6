//! Configures and builds a package, and makes its programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use inkwell::values::{GlobalValue, InstructionOpcode};
use serde::{Deserialize, Serialize};
use walkdir::{DirEntry, WalkDir};

use super::{
    commands::{Commands, Reads, read_commands},
    order::write_order,
};
use crate::compile::{
    error::BuildError,
    flags::DIALECT,
    link::IMAGE_BASE,
    modules,
    probes::{self, Probed},
    stamp::{Stamp, hash},
    toolchain::{Toolchain, command},
    unwritten,
};
use crate::{
    child::{self, ChildError, ChildLimits, last_lines},
    merge::{Changes, Role, SyntaxCheck},
    scripts,
};

/// The flags with which the bitcode of the libc is compiled, too (`scripts/musl-whole.sh`):
/// optimised, as every path would be several times as long otherwise, but not vectorised. Only line
/// tables are used of the debug information.
///
/// The optimiser may not exploit undefined behaviour: what a null pointer, an overflow or an
/// endless loop does natively is what it does in these programs (docs/soundness.md, "Optimised
/// programs"). Memory that was never written is zero: on the stack by these flags, and on the heap
/// by the allocator, about which the optimiser may assume nothing.
pub(super) const FLAGS: &[&str] = &[
    "-O1",
    "-gline-tables-only",
    "-flto",
    "-fno-stack-protector",
    "-fno-pie",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-fno-strict-aliasing",
    "-fno-strict-return",
    "-fno-finite-loops",
    "-ftrivial-auto-var-init=zero",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
    "-fdebug-compilation-dir=.",
];

/// The alignment in bytes of every variable, as of all allocated memory (`docs/world.md`,
/// "Memory").
const ALIGNMENT: u32 = 16;
/// The distance in bytes of global variables in a watched program (also in `runtime/watch.c`).
const APART: u32 = 2048;

/// The end of every command line. The libc comes last, as the system's own does: what a package's
/// libraries define themselves is not taken from it.
const LAST: &[&str] = &["-Wno-unused-command-line-argument", "-lc", "-lnative", "-lkernel"];

/// The time that builds are given as the current one, in seconds since 1970: if they write the time
/// into a program, it must not tell revisions apart
/// (<https://reproducible-builds.org/docs/source-date-epoch/>).
pub(super) const EPOCH: &str = "1577836800";

/// Where the code of a program begins, whatever the size of its constants, which come first: a
/// function that no patched one precedes has one address in all revisions
/// ([`functions_at_fixed_addresses`](super::functions_at_fixed_addresses)).
const CODE: &str = "--section-start=.text=0x10000000";
/// The linker puts first what a file says, one symbol a line ([`write_order`]).
const ORDER: &str = "--symbol-ordering-file=";

/// Tools that autotools would run if a file looked newer than another one.
const MAINTAINER_TOOLS: &[&str] =
    &["AUTOCONF", "AUTOMAKE", "ACLOCAL", "AUTOHEADER", "AUTOM4TE", "MAKEINFO", "HELP2MAN"];

/// The linker leaves the merged module under the program's name with this suffix.
const MERGED: &str = ".0.0.preopt.bc";
/// The symbols of it that stay visible: its entry point, and errno, which the native allocator
/// sets.
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
/// The name of the libc's directory in a cache.
const LIBC: &str = "musl-whole";
/// The name of a built tree, in a directory of its own.
const TREE: &str = "tree";
/// The name of a directory beside a tree while it is configured. It contains a native libc that the
/// linker looks at first: the hundreds of programs that configure links need no LTO over the libc.
const EARLY: &str = "early";
/// The name of a compiler beside a tree. It is called there if bitcode has to replace sources.
pub(super) const REPLACING: &str = "cc";

/// How a package is built.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The subject's directory, given to commands as `PSYCHIC_SUBJECT`.
    pub subject: PathBuf,
    /// The untouched source tree.
    pub source: PathBuf,
    /// The shell command that configures it. The default is `./configure` with common options, if
    /// that exists.
    pub configure: Option<String>,
    /// The shell command that builds it. The default is `make`.
    pub make: Option<String>,
    /// The program, relative to the tree.
    pub program: PathBuf,
    /// Further compiler flags.
    pub flags: Vec<String>,
    /// The functions that show what they return and leave.
    pub probed: Option<Probed>,
}

/// What is known of a revision that its package's build made.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Own {
    /// Whether more of its functions than of the original's may end without the result that they
    /// promise.
    pub(super) loses_result: bool,
    /// Whether the sources that its changes affect tell everything about it.
    pub(super) is_told: bool,
}

/// A package, configured and built without changes, ready for meta programs.
#[derive(Clone, Debug)]
pub struct Whole {
    pub(super) recipe: Recipe,
    pub(super) tree: PathBuf,
    pub(super) libc: PathBuf,
    pub(super) toolchain: Toolchain,
    pub(super) key: String,
    pub(super) commands: Commands,
    /// The files that each source of the original reads, determined when first needed.
    pub(super) reads: OnceLock<Reads>,
}

impl Recipe {
    /// The texts of files in the subject's directory that its commands mention.
    pub(super) fn mentioned(&self) -> Vec<String> {
        let commands = self.configure.iter().chain(&self.make);
        let words = commands.flat_map(|command| {
            command.split(|c: char| c.is_whitespace() || "\"';&|()/".contains(c))
        });
        let files = words.filter(|word| !word.is_empty()).map(|word| self.subject.join(word));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect()
    }
}

impl Whole {
    /// Whether `cache` has the libc.
    pub fn has_libc(cache: &Path) -> bool {
        libc_stamp(cache).is_file()
    }

    /// Configures and builds a package, and the libc, unless the cache has them already. `tell` is
    /// called with the name of a source tree before anything that takes minutes.
    ///
    /// # Errors
    /// [`BuildError::NoWholeLibc`] if the libc cannot be made; [`BuildError::Command`] if a
    /// command fails; [`BuildError::NoProgram`] if the build did not make the program;
    /// [`BuildError::Io`].
    pub fn prepare(
        toolchain: &Toolchain,
        recipe: Recipe,
        cache: &Path,
        mut tell: impl FnMut(&str),
    ) -> Result<Self, BuildError> {
        let (libc, libc_stamp) = obtain_libc(toolchain, cache, &mut tell)?;
        let mut parts = vec![
            digest_of_tree(&recipe.source)?,
            format!("{:?}", (&recipe.configure, &recipe.make, &recipe.flags)),
            toolchain.identity().to_owned(),
            DIALECT.join(" "),
            FLAGS.join(" "),
            LAST.join(" "),
            EPOCH.to_owned(),
            libc_stamp,
        ];
        parts.extend(recipe.mentioned());
        let key = hash(parts);
        let name = recipe.source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let store = cache.join("programs/build");
        fs::create_dir_all(&store).map_err(BuildError::io(&store))?;
        let store = store.canonicalize().map_err(BuildError::io(&store))?;
        let id = format!("{name}-{}", &key[..12]);
        let directory = store.join(&id);
        let mut whole = Self {
            tree: directory.join(TREE),
            libc,
            toolchain: toolchain.clone(),
            key,
            commands: Commands::new(),
            reads: OnceLock::new(),
            recipe,
        };
        let lock = store.join(format!("{id}.lock"));
        let guard = File::create(&lock).map_err(BuildError::io(&lock))?;
        guard.lock().map_err(BuildError::io(&lock))?;
        let record = directory.join("commands.json");
        if !record.is_file() {
            tell(&name);
            whole.build_base(&directory, &record)?;
        }
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        whole.commands = serde_json::from_slice(&text)
            .map_err(|error| BuildError::Io { path: record, error: error.into() })?;
        Ok(whole)
    }

    /// The untouched source tree.
    pub fn source(&self) -> &Path {
        &self.recipe.source
    }

    /// The configured tree with the original program.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    pub(super) fn build_base(&self, directory: &Path, record: &Path) -> Result<(), BuildError> {
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(BuildError::io(directory))?;
        }
        fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
        let commands = self.build_from_source(directory, &Changes::new())?;
        remove_modules(&self.tree)?;
        let text = serde_json::to_vec(&commands)
            .map_err(|error| BuildError::Io { path: record.to_owned(), error: error.into() })?;
        fs::write(record, text).map_err(BuildError::io(record))
    }

    /// Configures and builds the source tree with some changes in a directory. Returns how the
    /// compiler was called.
    pub(super) fn build_from_source(
        &self,
        directory: &Path,
        changes: &Changes,
    ) -> Result<Commands, BuildError> {
        let tree = directory.join(TREE);
        copy(&self.toolchain, &self.recipe.source, &tree)?;
        write(changes, &tree)?;
        let configure = match &self.recipe.configure {
            Some(command) => Some(command.as_str()),
            None if tree.join("configure").is_file() => {
                Some("./configure --disable-nls --disable-threads")
            }
            None => None,
        };
        if let Some(configure) = configure {
            let early = directory.join(EARLY);
            let native = self.libc.join("lib/configure");
            symlink(native, &early).map_err(BuildError::io(&early))?;
            self.shell("configure", configure, &tree, directory, None)?;
            fs::remove_file(&early).map_err(BuildError::io(&early))?;
        }
        let fragments = directory.join("fragments");
        self.shell("make", self.make(), &tree, directory, Some(&fragments))?;
        self.merged_module(&tree)?;
        let commands = read_commands(&fragments, &tree)?;
        fs::remove_dir_all(&fragments).map_err(BuildError::io(&fragments))?;
        Ok(commands)
    }

    pub(super) fn make(&self) -> &str {
        self.recipe.make.as_deref().unwrap_or("make")
    }

    /// Runs a command of the recipe in a tree. With `fragments`, clang records its calls in that
    /// directory: `CCC_OVERRIDE_OPTIONS` reaches it whatever the command does with `CC`.
    pub(super) fn shell(
        &self,
        key: &'static str,
        line: &str,
        tree: &Path,
        logs: &Path,
        fragments: Option<&Path>,
    ) -> Result<(), BuildError> {
        let log = logs.join(format!("{key}.log"));
        let output = File::create(&log).map_err(BuildError::io(&log))?;
        let errors = output.try_clone().map_err(BuildError::io(&log))?;
        let libc = self.libc.display();
        let clang = self.toolchain.program().to_owned();
        let replacing = tree.with_file_name(REPLACING);
        let compiler = if replacing.is_file() { replacing } else { clang };
        let compiler = format!(
            "{} --target=x86_64-linux-musl -nostdlibinc -isystem {libc}/include",
            compiler.display()
        );
        let mut flags: Vec<String> =
            ["-w"].iter().chain(DIALECT).chain(FLAGS).map(|&flag| flag.to_owned()).collect();
        flags.push(format!("-ffile-prefix-map={}/=", tree.display()));
        flags.extend(self.recipe.flags.iter().cloned());
        let link = format!(
            "-static -nostdlib -fuse-ld={} -Wl,--lto-O0 -Wl,--save-temps=preopt \
             {libc}/lib/crt1.o -L{} -L{libc}/lib",
            self.tool("ld.lld").display(),
            self.tree.with_file_name(EARLY).display(),
        );
        let jobs = rayon::current_num_threads();
        let mut shell = command(Path::new("sh"));
        shell.args(["-c", line]).current_dir(tree);
        shell.env("CC", compiler).env("CFLAGS", flags.join(" ")).env("LDFLAGS", link);
        shell.env("AR", self.tool("llvm-ar")).env("RANLIB", self.tool("llvm-ranlib"));
        shell.env("PSYCHIC_SUBJECT", &self.recipe.subject).env("SOURCE_DATE_EPOCH", EPOCH);
        shell.env("FORCE_UNSAFE_CONFIGURE", "1").env("MAKEFLAGS", format!("-j{jobs}"));
        for tool in MAINTAINER_TOOLS {
            shell.env(tool, ":");
        }
        // For psychic.h, which meta programs include.
        shell.env("CPATH", self.toolchain.include());
        let mut last: Vec<String> = LAST.iter().map(|option| format!("+{option}")).collect();
        if let Some(fragments) = fragments {
            last.extend(["+-gen-cdb-fragment-path".into(), format!("+{}", fragments.display())]);
        }
        shell.env("CCC_OVERRIDE_OPTIONS", format!("#{}", last.join(" ")));
        // A build with patches gets no more time than a patch is worth.
        let limits = if tree == self.tree { ChildLimits::BUILD } else { ChildLimits::REBUILD };
        let status =
            child::status(shell.stdout(output).stderr(errors), limits, self.toolchain.stopper());
        let status = status.map_err(io::Error::other).map_err(BuildError::io("sh"))?;
        if status.success() {
            return Ok(());
        }
        let text = fs::read(&log).map_err(BuildError::io(&log))?;
        let output = last_lines(&text);
        Err(BuildError::Command { key, command: line.to_owned(), output, log })
    }

    /// The path of an LLVM tool, given by its plain name, beside clang.
    pub(super) fn tool(&self, name: &str) -> PathBuf {
        let clang = self.toolchain.program();
        let file = clang.file_name().unwrap_or_default().to_string_lossy();
        let found = clang.with_file_name(file.replacen("clang", name, 1));
        match found.is_relative() {
            // The compiler looks for lld beside itself first, so it needs the full path.
            true => which::which(&found).unwrap_or(found),
            false => found,
        }
    }

    pub(super) fn merged_module(&self, tree: &Path) -> Result<PathBuf, BuildError> {
        let mut module = tree.join(&self.recipe.program).into_os_string();
        module.push(MERGED);
        let module = PathBuf::from(module);
        if module.is_file() {
            return Ok(module);
        }
        let program = self.recipe.program.clone();
        Err(BuildError::NoProgram { program, expected: module })
    }

    /// Makes the bitcode of a revision's program in a directory, and returns it and the tree of its
    /// sources.
    ///
    /// # Errors
    /// As for [`Self::unite`], where nothing can be made of the original.
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
                is_told: !self.changes_build(changes) && self.is_all(&tree, bitcode, &commands)?,
            };
            let text = serde_json::to_vec(&own).map_err(failed)?;
            fs::write(&record, text).map_err(BuildError::io(&record))
        })?;
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        serde_json::from_slice(&text).map_err(failed)
    }

    /// Makes the bitcode of the program with some files of the tree replaced, and with the given
    /// bitcode in place of what the build makes of some sources. Does nothing if it is there
    /// already.
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
            self.finish(&tree, scratch, bitcode, None).map(drop)
        })
    }

    /// Makes products, unless they are there already and were made from the same texts, `of`.
    /// `make` gets a scratch directory beside them.
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

    /// Builds the tree with some changes in a directory: only what they affect, or all of it if
    /// they change how it is built. Returns the tree, and how each source that was compiled was
    /// compiled.
    pub(super) fn build(
        &self,
        changes: &Changes,
        directory: &Path,
    ) -> Result<(PathBuf, Commands), BuildError> {
        let tree = directory.join(TREE);
        if self.changes_build(changes) {
            let commands = self.build_from_source(directory, changes)?;
            return Ok((tree, commands));
        }
        copy(&self.toolchain, &self.tree, &tree)?;
        write(changes, &tree)?;
        let affected = self.affected(changes)?;
        // Touch the affected sources: a makefile need not know every header.
        for source in affected.iter().map(|source| tree.join(source)).filter(|s| s.is_file()) {
            let file = File::open(&source).map_err(BuildError::io(&source))?;
            file.set_modified(SystemTime::now()).map_err(BuildError::io(&source))?;
        }
        self.remake(&tree, directory)?;
        let command = |source: PathBuf| Some((source.clone(), self.commands.get(&source)?.clone()));
        Ok((tree, affected.into_iter().filter_map(command).collect()))
    }

    /// Whether some changes affect how the program is built.
    pub(super) fn changes_build(&self, changes: &Changes) -> bool {
        changes.keys().any(|file| self.role(file) == Role::Build)
    }

    /// Has `make` rebuild a tree, and link in any case.
    pub(super) fn remake(&self, tree: &Path, logs: &Path) -> Result<(), BuildError> {
        if let Ok(program) = fs::canonicalize(tree.join(&self.recipe.program)) {
            // The linker has to leave its module even if no file was changed.
            fs::remove_file(&program).map_err(BuildError::io(&program))?;
        }
        self.shell("make", self.make(), tree, logs, None)
    }

    /// The names that the libc defines, used or not.
    pub(super) fn names_of_libc(&self) -> Result<BTreeSet<String>, BuildError> {
        let mut list = command(&self.tool("llvm-nm"));
        list.args(["--defined-only", "--format=just-symbols"]).arg(self.libc.join("lib/libc.a"));
        let output = self.toolchain.run(&mut list)?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
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
        let mut optimiser = command(&self.tool("opt"));
        let public = format!("-internalize-public-api-list={}", PUBLIC.join(","));
        optimiser.args(["-passes=internalize,globaldce", &public]);
        self.toolchain.run(optimiser.arg(module).arg("-o").arg(&small))?;
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

    /// Makes an executable of a program's bitcode. Does nothing if it is there already.
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

/// What the linker is told about addresses, for a key.
fn layout() -> String {
    [IMAGE_BASE, CODE, ORDER].join(" ")
}

/// The paths and contents of changed files as texts, for a key.
pub(super) fn parts(files: &Changes) -> Vec<String> {
    let of = |(path, text): (&PathBuf, &Option<Arc<str>>)| {
        let there = text.is_some().to_string();
        [path.display().to_string(), there, text.as_deref().unwrap_or_default().to_owned()]
    };
    files.iter().flat_map(of).collect()
}

/// Gives every variable of a module the alignment of all memory, so that programs that look at the
/// low bits of addresses do the same wherever their variables are.
fn align_objects(module: &Path) -> Result<(), BuildError> {
    modules::change(module, |_, module| {
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
/// (`runtime/watch.c` marks what is between).
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

/// Writes and deletes the changed files of a tree.
fn write(changes: &Changes, tree: &Path) -> Result<(), BuildError> {
    for (path, text) in changes {
        let path = tree.join(path);
        match text {
            Some(text) => {
                let directory = path.parent().unwrap_or(tree);
                fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
                fs::write(&path, &**text).map_err(BuildError::io(&path))?;
            }
            None => fs::remove_file(&path).map_err(BuildError::io(&path))?,
        }
    }
    Ok(())
}

/// Copies a tree with its modification times, by which `make` decides.
fn copy(toolchain: &Toolchain, from: &Path, to: &Path) -> Result<(), BuildError> {
    toolchain
        .run(command(Path::new("cp")).args(["-a", "--reflink=auto", "--"]).args([from, to]))
        .map(drop)
}

/// Removes the modules that the linker left beside all programs: they are large, and made again
/// when needed.
fn remove_modules(tree: &Path) -> Result<(), BuildError> {
    for entry in WalkDir::new(tree) {
        let entry = entry.map_err(|error| BuildError::io(tree)(error.into()))?;
        let is_merged = entry.file_name().to_string_lossy().ends_with(MERGED);
        if is_merged && !entry.file_type().is_dir() {
            fs::remove_file(entry.path()).map_err(BuildError::io(entry.path()))?;
        }
    }
    Ok(())
}

/// Digest of the names and contents of all files below a directory, except version control's.
fn digest_of_tree(root: &Path) -> Result<String, BuildError> {
    let mut files = BTreeMap::new();
    let is_content = |entry: &DirEntry| !entry.file_type().is_dir() || entry.file_name() != ".git";
    for entry in WalkDir::new(root).into_iter().filter_entry(is_content) {
        let entry = entry.map_err(|error| BuildError::io(root)(error.into()))?;
        let path = entry.path();
        if entry.file_type().is_file() {
            let bytes = fs::read(path).map_err(BuildError::io(path))?;
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            files.insert(name, hash([bytes]));
        }
    }
    Ok(hash(files.into_iter().flat_map(|(name, digest)| [name, digest])))
}

/// The file that is there if `cache` has the libc.
fn libc_stamp(cache: &Path) -> PathBuf {
    cache.join(LIBC).join("stamp")
}

/// The directory of the libc in `cache`, which is made if it is not there, and its stamp.
fn obtain_libc(
    toolchain: &Toolchain,
    cache: &Path,
    tell: &mut impl FnMut(&str),
) -> Result<(PathBuf, String), BuildError> {
    let (libc, stamp) = (cache.join(LIBC), libc_stamp(cache));
    if !stamp.is_file() {
        fs::create_dir_all(cache).map_err(BuildError::io(cache))?;
        let lock = cache.join("musl-whole.lock");
        let guard = File::create(&lock).map_err(BuildError::io(&lock))?;
        guard.lock().map_err(BuildError::io(&lock))?;
        if !stamp.is_file() {
            tell("musl");
            match scripts::run("musl-whole.sh", &[], cache, toolchain.stopper()) {
                Ok(output) if output.status.success() => {}
                Ok(output) => return Err(BuildError::NoWholeLibc(last_lines(&output.stderr))),
                Err(ChildError::Start(error)) => return Err(BuildError::io("bash")(error)),
                Err(stopped) => return Err(BuildError::NoWholeLibc(stopped.to_string())),
            }
        }
    }
    let stamp = fs::read_to_string(&stamp).map_err(BuildError::io(&stamp))?;
    Ok((libc.canonicalize().map_err(BuildError::io(&libc))?, stamp))
}
