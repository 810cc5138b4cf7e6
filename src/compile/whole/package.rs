//! Configures and builds a package ([`Whole`]).

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::SystemTime,
};

use super::{
    commands::{Commands, Reads, read_commands},
    libc,
    resolution::Resolution,
    tree::{MERGED, RESOLVED, SourceTree, copy, remove_modules, write},
};
use crate::{
    child::{self, ChildLimits, last_lines},
    compile::{
        error::BuildError,
        flags::{CAREFUL, DIALECT},
        probes::Probed,
        stamp::hash,
        toolchain::{Toolchain, command},
    },
    merge::{Changes, Role, SyntaxCheck},
};

/// The flags with which the bitcode of the libc is compiled, too (`scripts/musl-whole.sh`). Code is
/// optimised, as every path would be several times as long otherwise, but not vectorised. Only the
/// line tables of the debug information are used.
///
/// The optimiser may not exploit undefined behaviour: what a null pointer, an overflow or an
/// endless loop does natively is what it does in these programs (docs/soundness.md, "Optimised
/// programs"). Memory that was never written is zero: on the stack by these flags, and on the heap
/// by the allocator, about which the optimiser may assume nothing.
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
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
    "-fdebug-compilation-dir=.",
];

/// The flags of every compilation: `FLAGS`, and those for every optimised subject.
pub(super) fn flags() -> Vec<&'static str> {
    [FLAGS, CAREFUL].concat()
}

/// The flags for linking programs. The modules that a program is made of stay, as does the record
/// of how their symbols were resolved.
const LINKED: &str =
    "-static -nostdlib -Wl,--lto-O0 -Wl,--save-temps=preopt -Wl,--save-temps=resolution";

/// The end of every command line. The libc comes last, as the system's own does, so that it does
/// not replace what a package's libraries define themselves.
const LAST: &[&str] = &["-Wno-unused-command-line-argument", "-lc", "-lnative", "-lkernel"];

/// The time that builds are given as the current one, in seconds since 1970. If they write the time
/// into a program, it must not tell revisions apart
/// (<https://reproducible-builds.org/docs/source-date-epoch/>).
pub(super) const EPOCH: &str = "1577836800";

/// Tools that autotools would run if a file looked newer than another one.
const MAINTAINER_TOOLS: &[&str] =
    &["AUTOCONF", "AUTOMAKE", "ACLOCAL", "AUTOHEADER", "AUTOM4TE", "MAKEINFO", "HELP2MAN"];

/// The name of a built tree, which is in a directory of its own.
const TREE: &str = "tree";

/// The name of a directory beside a tree while the tree is configured. It contains a native libc
/// that the linker looks at first: the hundreds of programs that configure links need no LTO over
/// the libc.
const EARLY: &str = "early";

/// The name of a compiler beside a tree. It is called if bitcode has to replace sources.
pub(super) const REPLACING: &str = "cc";

/// How a package is built.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The subject's directory, given to commands as `PSYCHIC_SUBJECT`.
    pub subject: PathBuf,
    /// The untouched source tree.
    pub source: PathBuf,
    /// The shell command that configures the tree. The default is `./configure` with common
    /// options, if that exists.
    pub configure: Option<String>,
    /// The shell command that builds the tree. The default is `make`.
    pub make: Option<String>,
    /// The program, relative to the tree.
    pub program: PathBuf,
    /// Further compiler flags.
    pub flags: Vec<String>,
    /// The functions that show what they return and leave.
    pub probed: Option<Probed>,
}

/// A package, configured and built without changes, ready for meta programs.
#[derive(Clone, Debug)]
pub struct Whole {
    pub(super) recipe: Recipe,
    pub(super) tree: PathBuf,
    /// The cache that the tree is in. It may be below the source tree.
    pub(super) cache: PathBuf,
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
        libc::stamp(cache).is_file()
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
        fs::create_dir_all(cache).map_err(BuildError::io(cache))?;
        let cache = cache.canonicalize().map_err(BuildError::io(cache))?;
        let (libc, libc_stamp) = libc::obtain(toolchain, &cache, &mut tell)?;
        let mut parts = vec![
            SourceTree { root: &recipe.source, cache: &cache }.digest()?,
            format!("{:?}", (&recipe.configure, &recipe.make, &recipe.flags)),
            toolchain.identity().to_owned(),
            DIALECT.join(" "),
            flags().join(" "),
            LAST.join(" "),
            LINKED.to_owned(),
            EPOCH.to_owned(),
            libc_stamp,
        ];
        parts.extend(recipe.mentioned());
        let key = hash(parts);
        let name = recipe.source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let store = cache.join("programs/build");
        fs::create_dir_all(&store).map_err(BuildError::io(&store))?;
        let id = format!("{name}-{}", &key[..12]);
        let directory = store.join(&id);
        let mut whole = Self {
            tree: directory.join(TREE),
            cache,
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
        SourceTree { root: &self.recipe.source, cache: &self.cache }.copy(&tree)?;
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
    /// directory. `CCC_OVERRIDE_OPTIONS` reaches clang whatever the command does with `CC`.
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
        let mut flags: Vec<String> = ["-w"]
            .iter()
            .chain(DIALECT)
            .chain(&self::flags())
            .map(|&flag| flag.to_owned())
            .collect();
        flags.push(format!("-ffile-prefix-map={}/=", tree.display()));
        flags.extend(self.recipe.flags.iter().cloned());
        let link = format!(
            "{LINKED} -fuse-ld={} {libc}/lib/crt1.o -L{} -L{libc}/lib",
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
        // So that meta programs find psychic.h, which they include.
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
        let program = self.recipe.program.clone();
        if module.is_file() {
            return match self.resolution(tree)?.redefined() {
                Some(name) => Err(BuildError::Unite(format!(
                    "an option or script of the linker says what `{name}` is (--wrap or --defsym, \
                     say), which is not modelled"
                ))),
                None => Ok(module),
            };
        }
        Err(BuildError::NoProgram { program, expected: module })
    }

    /// How the linker resolved the symbols of the program in a tree.
    pub(super) fn resolution(&self, tree: &Path) -> Result<Resolution, BuildError> {
        let mut record = tree.join(&self.recipe.program).into_os_string();
        record.push(RESOLVED);
        let record = PathBuf::from(record);
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        Ok(Resolution::new(&String::from_utf8_lossy(&text), tree, &self.libc))
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

    /// Has `make` rebuild a tree, and link the program in any case.
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
}
