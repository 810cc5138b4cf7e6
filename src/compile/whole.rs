//! Whole programs: a package's own build makes them, from the first instruction to the libc.
//!
//! The build runs with clang and lld in LTO mode: object files are bitcode, and the linker, which
//! alone knows which members of which archives belong to the program, leaves the merged module
//! beside the executable. No wrapper around the compiler has to guess; weak symbols and archives
//! mean what they always mean; and configure's own test programs run. That module, internalised
//! and without what is never called, is what the engine runs; its native code, linked with the
//! world of `docs/world.md`, is what replay runs.
//!
//! A tree is configured and built once ([`Whole::prepare`]) and kept in the cache under a name
//! that carries a digest of everything it was made from. A revision is a copy of it in which `make`
//! builds again what the patched files change, or, where it changes how the program is built, a
//! tree that is configured and built from the beginning; so is the program of all revisions
//! ([`Whole::unite`]).

mod revisions;
mod sources;

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

use super::{
    BuildError, Toolchain,
    compiler::DIALECT,
    modules,
    stamp::{Stamp, hash},
    toolchain::{command, run},
    unwritten,
};
use crate::{
    child::{self, Limits},
    merge::{Changes, Role, SyntaxCheck},
};
pub use revisions::Made;
use sources::{Commands, Reads};

/// As the bitcode of the libc is compiled (`scripts/musl-whole.sh`): optimised, as every path
/// would be several times as long otherwise, but not vectorised. Of debug information nothing but
/// lines is looked at.
///
/// The optimiser may not make use of undefined behaviour: what a null pointer, an overflow or a
/// loop without end do natively is what they do in these programs (docs/soundness.md, "Optimised
/// programs"). What was never written is zero, on the stack by these flags and on the heap by the
/// allocator, of which nothing is assumed.
const FLAGS: &[&str] = &[
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

/// Of every variable, in bytes, as of all memory that is allocated (`docs/world.md`, "Memory").
const ALIGNMENT: u32 = 16;
/// The distance of global variables in a watched program (`runtime/watch.c` has it, too).
const APART: u32 = 2048;

/// What stands at the end of every command line. The libc comes last, as with the system's own: what
/// a package's libraries define is not taken from there.
const LAST: &[&str] = &["-Wno-unused-command-line-argument", "-lc", "-lnative", "-lkernel"];

/// The time that builds are told it is, in seconds since 1970: what they write of it into a program
/// would else tell revisions apart (<https://reproducible-builds.org/docs/source-date-epoch/>).
const EPOCH: &str = "1577836800";

/// What autotools would run if a file looked newer than another one.
const MAINTAINER_TOOLS: &[&str] =
    &["AUTOCONF", "AUTOMAKE", "ACLOCAL", "AUTOHEADER", "AUTOM4TE", "MAKEINFO", "HELP2MAN"];

/// The linker leaves the merged module at this suffix of the program's name.
const MERGED: &str = ".0.0.preopt.bc";
/// What stays visible of it: where it starts, and errno, which the native allocator sets.
const PUBLIC: [&str; 2] = ["_start_c", "__errno_location"];
/// How the optimiser puts a look before each access, with a frame of its own for each call.
const WATCH: &[&str] = &[
    "-passes=forceattrs,asan",
    "-force-attribute=sanitize_address",
    "-asan-use-after-return=always",
];
/// What such a program is linked with (`runtime/watch.c`).
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
/// Where a tree is built, in a directory of its own.
const TREE: &str = "tree";
/// Beside the tree while it is configured: a directory with a native libc, which the linker looks
/// at first. The hundreds of programs that configure links need no LTO over the libc.
const EARLY: &str = "early";
/// Beside a tree: the compiler to be called there, where it has to take bitcode for sources.
const REPLACING: &str = "cc";
const OUTPUT_LINES: usize = 12;

/// How a package is built.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The subject's directory, which commands find in `PSYCHIC_SUBJECT`.
    pub subject: PathBuf,
    /// The untouched source tree.
    pub source: PathBuf,
    /// Shell command that configures it; by default `./configure` with common options, if there
    /// is one.
    pub configure: Option<String>,
    /// Shell command that builds it, `make` by default.
    pub make: Option<String>,
    /// The program, relative to the tree.
    pub program: PathBuf,
    /// Further compiler flags.
    pub flags: Vec<String>,
}

/// What is known of a revision that its package's build has made.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Own {
    /// A function of it may end without the result that it promises, where the original's does
    /// not.
    loses_result: bool,
    /// The sources that its changes concern tell what it is.
    is_told: bool,
}

/// A package that is configured and built as it is, ready for meta programs.
#[derive(Clone, Debug)]
pub struct Whole {
    recipe: Recipe,
    tree: PathBuf,
    libc: PathBuf,
    toolchain: Toolchain,
    key: String,
    commands: Commands,
    /// What each source of the original reads, once somebody asked.
    reads: OnceLock<Reads>,
}

impl Recipe {
    /// The texts of files in the subject's directory that its commands mention.
    fn mentioned(&self) -> Vec<String> {
        let commands = self.configure.iter().chain(&self.make);
        let words = commands.flat_map(|command| {
            command.split(|c: char| c.is_whitespace() || "\"';&|()/".contains(c))
        });
        let files = words.filter(|word| !word.is_empty()).map(|word| self.subject.join(word));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect()
    }
}

impl Whole {
    /// Configures and builds a package, unless the cache has that already. `tell` is told the
    /// name of the source tree before anything that takes minutes.
    ///
    /// # Errors
    /// [`BuildError::NoWholeLibc`] without the libc in `cache`; [`BuildError::Command`] if a
    /// command fails, [`BuildError::NoProgram`] if it made no such program; [`BuildError::Io`].
    pub fn prepare(
        toolchain: &Toolchain,
        recipe: Recipe,
        cache: &Path,
        mut tell: impl FnMut(&str),
    ) -> Result<Self, BuildError> {
        let libc = cache.join("musl-whole");
        let stamp = libc.join("stamp");
        let Ok(libc_stamp) = fs::read_to_string(&stamp) else {
            return Err(BuildError::NoWholeLibc(libc));
        };
        let libc = libc.canonicalize().map_err(BuildError::io(&libc))?;
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

    /// The configured tree with the original program.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    fn build_base(&self, directory: &Path, record: &Path) -> Result<(), BuildError> {
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

    /// Configures and builds the source tree with some changes in a directory. Gives how the
    /// compiler was called.
    fn build_from_source(
        &self,
        directory: &Path,
        changes: &Changes,
    ) -> Result<Commands, BuildError> {
        let tree = directory.join(TREE);
        copy(&self.recipe.source, &tree)?;
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
        let commands = sources::read_commands(&fragments, &tree)?;
        fs::remove_dir_all(&fragments).map_err(BuildError::io(&fragments))?;
        Ok(commands)
    }

    fn make(&self) -> &str {
        self.recipe.make.as_deref().unwrap_or("make")
    }

    /// Runs a command of the recipe in a tree. With `fragments`, clang writes there how it was
    /// called: `CCC_OVERRIDE_OPTIONS` reaches it whatever the command does with `CC`.
    fn shell(
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
        // psychic.h, for meta programs.
        shell.env("CPATH", self.toolchain.include());
        let mut last: Vec<String> = LAST.iter().map(|option| format!("+{option}")).collect();
        if let Some(fragments) = fragments {
            last.extend(["+-gen-cdb-fragment-path".into(), format!("+{}", fragments.display())]);
        }
        shell.env("CCC_OVERRIDE_OPTIONS", format!("#{}", last.join(" ")));
        // One that compiles what patches say has no more time than a patch is worth.
        let limits = if tree == self.tree { Limits::BUILD } else { Limits::REBUILD };
        let status = child::status(shell.stdout(output).stderr(errors), limits);
        let status = status.map_err(io::Error::other).map_err(BuildError::io("sh"))?;
        if status.success() {
            return Ok(());
        }
        let text = fs::read(&log).map_err(BuildError::io(&log))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<_> = text.lines().collect();
        let output = lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n");
        Err(BuildError::Command { key, command: line.to_owned(), output, log })
    }

    /// A tool of LLVM's by its plain name, from where clang is.
    fn tool(&self, name: &str) -> PathBuf {
        let clang = self.toolchain.program();
        let file = clang.file_name().unwrap_or_default().to_string_lossy();
        let found = clang.with_file_name(file.replacen("clang", name, 1));
        match found.is_relative() {
            // lld is found by the compiler, which looks beside itself first.
            true => which(&found).unwrap_or(found),
            false => found,
        }
    }

    fn merged_module(&self, tree: &Path) -> Result<PathBuf, BuildError> {
        let mut module = tree.join(&self.recipe.program).into_os_string();
        module.push(MERGED);
        let module = PathBuf::from(module);
        if module.is_file() {
            return Ok(module);
        }
        let program = self.recipe.program.clone();
        Err(BuildError::NoProgram { program, expected: module })
    }

    /// Makes a revision's program as the package's build makes it: the bitcode that has all of it,
    /// and the executable made of that. Does nothing if they are there already.
    fn own(&self, changes: &Changes, bitcode: &Path, native: &Path) -> Result<Own, BuildError> {
        let record = bitcode.with_extension("own.json");
        let failed = |error: serde_json::Error| BuildError::io(&record)(error.into());
        self.make_products(parts(changes), &[bitcode, native, &record], |scratch| {
            let (tree, commands) = self.build(changes, scratch)?;
            self.finish(&tree, scratch, bitcode, Some(native))?;
            let own = Own {
                loses_result: self.loses_result(&tree, &commands)?,
                is_told: !self.changes_build(changes) && self.is_all(&tree, bitcode, &commands)?,
            };
            let text = serde_json::to_vec(&own).map_err(failed)?;
            fs::write(&record, text).map_err(BuildError::io(&record))
        })?;
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        serde_json::from_slice(&text).map_err(failed)
    }

    /// Makes the bitcode of the program with some files of the tree replaced, and with bitcode in
    /// place of what the build makes of some sources. Does nothing if it is there already.
    fn link(
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
            self.finish(&tree, scratch, bitcode, None)
        })
    }

    /// Makes products of what some texts say, in a scratch directory beside them, unless they are
    /// there.
    fn make_products(
        &self,
        of: Vec<String>,
        products: &[&Path],
        make: impl FnOnce(&Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let runtime = self.libc.join("runtime-stamp");
        let runtime = fs::read_to_string(&runtime).map_err(BuildError::io(&runtime))?;
        let mut parts = vec![self.key.clone(), runtime, ALIGNMENT.to_string()];
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

    /// Builds the tree with some changes in a directory: what they change of it, or all of it where
    /// they change how it is built. Gives the tree, and how what was changed is compiled.
    fn build(
        &self,
        changes: &Changes,
        directory: &Path,
    ) -> Result<(PathBuf, Commands), BuildError> {
        let tree = directory.join(TREE);
        if self.changes_build(changes) {
            let commands = self.build_from_source(directory, changes)?;
            return Ok((tree, commands));
        }
        copy(&self.tree, &tree)?;
        write(changes, &tree)?;
        let affected = self.affected(changes)?;
        // A makefile need not know of every header.
        for source in affected.iter().map(|source| tree.join(source)).filter(|s| s.is_file()) {
            let file = File::open(&source).map_err(BuildError::io(&source))?;
            file.set_modified(SystemTime::now()).map_err(BuildError::io(&source))?;
        }
        self.remake(&tree, directory)?;
        let command = |source: PathBuf| Some((source.clone(), self.commands.get(&source)?.clone()));
        Ok((tree, affected.into_iter().filter_map(command).collect()))
    }

    /// Whether some changes are to how the program is built.
    fn changes_build(&self, changes: &Changes) -> bool {
        changes.keys().any(|file| self.role(file) == Role::Build)
    }

    /// Has `make` build a tree again, and link in any case.
    fn remake(&self, tree: &Path, logs: &Path) -> Result<(), BuildError> {
        if let Ok(program) = fs::canonicalize(tree.join(&self.recipe.program)) {
            // With none of the files changed, the linker is to leave its module all the same.
            fs::remove_file(&program).map_err(BuildError::io(&program))?;
        }
        self.shell("make", self.make(), tree, logs, None)
    }

    /// The names that the libc defines, used or not.
    fn names_of_libc(&self) -> Result<BTreeSet<String>, BuildError> {
        let mut list = command(&self.tool("llvm-nm"));
        list.args(["--defined-only", "--format=just-symbols"]).arg(self.libc.join("lib/libc.a"));
        let output = run(&mut list)?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }

    /// From what the linker left to what the engine and replay run.
    fn finish(
        &self,
        tree: &Path,
        scratch: &Path,
        bitcode: &Path,
        native: Option<&Path>,
    ) -> Result<(), BuildError> {
        let module = self.merged_module(tree)?;
        let [small, executable] = ["whole.bc", "whole"].map(|name| scratch.join(name));
        let mut optimiser = command(&self.tool("opt"));
        let public = format!("-internalize-public-api-list={}", PUBLIC.join(","));
        optimiser.args(["-passes=internalize,globaldce", &public]);
        run(optimiser.arg(module).arg("-o").arg(&small))?;
        align_objects(&small)?;
        if let Some(native) = native {
            self.code(&small, &["-lworld"], &executable)?;
            fs::rename(&executable, native).map_err(BuildError::io(native))?;
        }
        fs::rename(&small, bitcode).map_err(BuildError::io(bitcode))
    }

    /// Makes machine code of bitcode that has a whole program, and links a world with it.
    fn code(&self, module: &Path, world: &[&str], out: &Path) -> Result<(), BuildError> {
        let object = out.with_extension("o");
        // No more passes: the machine code is to do what the bitcode says.
        let mut generator = self.toolchain.clang();
        generator.args(["--target=x86_64-linux-musl", "-c", "-O1", "-fno-pic"]);
        generator.args(["-Xclang", "-disable-llvm-passes"]);
        run(generator.arg(module).arg("-o").arg(&object))?;
        let mut linker = command(&self.tool("ld.lld"));
        linker.args(["-static", "-nostdlib"]).arg("-L").arg(self.libc.join("lib")).arg(&object);
        run(linker.args(world).args(["-lnative", "-o"]).arg(out)).map(drop)
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

    /// The same, but it looks at each access to memory, and reports one out of bounds or to what
    /// was freed as AddressSanitizer does: of all of it, the libc too.
    ///
    /// # Errors
    /// As [`Whole::executable`].
    pub fn watched(&self, bitcode: &Path, out: &Path) -> Result<(), BuildError> {
        let apart = APART.to_string();
        let how = [&WATCH.join(" "), &WATCHED.join(" "), unwritten::PREPARATION, &apart].join(" ");
        self.make_executable(bitcode, &how, out, |module, executable| {
            let mut optimiser = command(&self.tool("opt"));
            unwritten::prepare_watched(module)?;
            run(optimiser.args(WATCH).arg(module).arg("-o").arg(module))?;
            spread_globals(module)?;
            self.code(module, WATCHED, executable)
        })
    }

    /// Makes an executable of a copy of bitcode, unless it was made so already.
    fn make_executable(
        &self,
        bitcode: &Path,
        how: &str,
        out: &Path,
        make: impl FnOnce(&Path, &Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let read = |path: &Path| fs::read(path).map_err(BuildError::io(path));
        let key = hash([read(bitcode)?, read(&self.libc.join("runtime-stamp"))?, how.into()]);
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

/// Changed files as texts.
fn parts(files: &Changes) -> Vec<String> {
    let of = |(path, text): (&PathBuf, &Option<Arc<str>>)| {
        let there = text.is_some().to_string();
        [path.display().to_string(), there, text.as_deref().unwrap_or_default().to_owned()]
    };
    files.iter().flat_map(of).collect()
}

/// Gives every variable of a module the alignment that all memory has: programs that look at the
/// low bits of addresses then do the same wherever their variables are.
fn align_objects(module: &Path) -> Result<(), BuildError> {
    modules::change(module, |_, module| {
        align(module.get_globals(), ALIGNMENT);
        let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
        for instruction in blocks.flat_map(|block| block.get_instructions()) {
            if instruction.get_opcode() == InstructionOpcode::Alloca {
                // It is an alloca, of which there is an alignment, and that is a power of 2.
                let known = instruction.get_alignment().unwrap_or(ALIGNMENT);
                instruction.set_alignment(known.max(ALIGNMENT)).expect("a power of 2");
            }
        }
        Ok(())
    })
}

/// Puts global variables far from each other, so that an access that misses one by far is not one to
/// another (`runtime/watch.c` marks what is between).
fn spread_globals(module: &Path) -> Result<(), BuildError> {
    modules::change(module, |_, module| {
        // What has a section is a part of a table there, and each thread has its own of others.
        let is_free =
            |global: &GlobalValue<'_>| global.get_section().is_none() && !global.is_thread_local();
        align(module.get_globals().filter(is_free), APART);
        Ok(())
    })
}

/// Gives global variables at least an alignment.
fn align<'c>(globals: impl Iterator<Item = GlobalValue<'c>>, alignment: u32) {
    for global in globals.filter(|global| !global.is_declaration()) {
        global.set_alignment(global.get_alignment().max(alignment));
    }
}

/// Changes files of a tree.
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

/// Copies a tree with its times, which `make` goes by.
fn copy(from: &Path, to: &Path) -> Result<(), BuildError> {
    run(command(Path::new("cp")).args(["-a", "--reflink=auto", "--"]).args([from, to])).map(drop)
}

/// What the linker left beside programs that nobody asked for: large, and made again.
fn remove_modules(tree: &Path) -> Result<(), BuildError> {
    let mut open = vec![tree.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(BuildError::io(&directory))? {
            let entry = entry.map_err(BuildError::io(&directory))?;
            let path = entry.path();
            if entry.file_type().map_err(BuildError::io(&path))?.is_dir() {
                open.push(path);
            } else if entry.file_name().to_string_lossy().ends_with(MERGED) {
                fs::remove_file(&path).map_err(BuildError::io(&path))?;
            }
        }
    }
    Ok(())
}

/// Digest of the names and contents below a directory, but for those of version control.
fn digest_of_tree(root: &Path) -> Result<String, BuildError> {
    let mut open = vec![root.to_owned()];
    let mut files = BTreeMap::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(BuildError::io(&directory))? {
            let entry = entry.map_err(BuildError::io(&directory))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(BuildError::io(&path))?;
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            } else if kind.is_file() {
                let bytes = fs::read(&path).map_err(BuildError::io(&path))?;
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                files.insert(name, hash([bytes]));
            }
        }
    }
    Ok(hash(files.into_iter().flat_map(|(name, digest)| [name, digest])))
}

/// Where a program is in the `PATH`.
fn which(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|f| f.is_file())
}
