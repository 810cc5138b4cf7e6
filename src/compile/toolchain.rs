//! Finds clang and runs it.

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
    time::UNIX_EPOCH,
};

use super::{BuildError, runtime::Runtime};
use crate::{
    child::{self, ChildError, ChildLimits, Stopper},
    errors::Sanitizer,
};

const CLANG: &str = "clang-19";
/// The beginning of the report that LLVM's programs print when they crash.
const CRASH: &str = "PLEASE submit a bug report";
/// How many diagnostics of a failing file are shown.
const ERRORS_SHOWN: usize = 3;

/// A clang and the llvm-link beside it. Cheap to clone, usable from many threads.
#[derive(Clone, Debug)]
pub struct Toolchain {
    clang: PathBuf,
    link: PathBuf,
    optimiser: PathBuf,
    identity: String,
    linkers: Linkers,
    runtime: Arc<Runtime>,
    cache: Option<PathBuf>,
    /// Ends the programs that the toolchain runs.
    stopper: Stopper,
}

impl Toolchain {
    /// Finds the compiler: `PSYCHIC_CLANG` if set, else `clang-19` in the `PATH`.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`]; [`BuildError::Io`] if the runtime's headers cannot be written
    /// to the temporary directory.
    pub fn find() -> Result<Self, BuildError> {
        Self::with_clang(&env::var_os("PSYCHIC_CLANG").unwrap_or_else(|| CLANG.into()))
    }

    /// Uses this clang, a path or a name to look up in the `PATH`.
    ///
    /// # Errors
    /// As [`Toolchain::find`].
    pub fn with_clang(clang: &OsStr) -> Result<Self, BuildError> {
        let clang = PathBuf::from(clang);
        let (identity, linkers) = identity(&clang).ok_or_else(|| BuildError::ToolMissing {
            tool: clang.display().to_string(),
            package: "clang-19",
            hint: ", or name another clang in PSYCHIC_CLANG",
        })?;
        let (link, optimiser) = (Self::beside(&clang, "llvm-link"), Self::beside(&clang, "opt"));
        let runtime = Runtime::unpack().map_err(BuildError::io(env::temp_dir()))?;
        Ok(Self {
            clang,
            link,
            optimiser,
            identity,
            linkers,
            runtime: Arc::new(runtime),
            cache: None,
            stopper: Stopper::default(),
        })
    }

    /// Lets this stopper end the programs that the toolchain runs.
    #[must_use]
    pub fn stopped_by(mut self, stopper: Stopper) -> Self {
        self.stopper = stopper;
        self
    }

    /// The stopper that ends the programs that the toolchain runs.
    pub fn stopper(&self) -> &Stopper {
        &self.stopper
    }

    /// Keeps results that depend only on the compiler in this directory, for later runs.
    #[must_use]
    pub fn keeping(mut self, cache: PathBuf) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The cached directory for this key, if there is one.
    pub(super) fn kept_in(&self, key: &str) -> Option<PathBuf> {
        self.cache.as_ref().map(|cache| cache.join(key)).filter(|kept| kept.is_dir())
    }

    /// The cached directory for this key, filled by `make` if there is none. It appears in the
    /// cache as a whole. `None` if there is no cache, or it cannot be written. If another process
    /// was faster, that process's directory stays.
    pub(super) fn kept(
        &self,
        key: &str,
        make: impl FnOnce(&Path) -> Result<(), BuildError>,
    ) -> Result<Option<PathBuf>, BuildError> {
        if let Some(kept) = self.kept_in(key) {
            return Ok(Some(kept));
        }
        let Some(cache) = &self.cache else { return Ok(None) };
        let scratch = fs::create_dir_all(cache)
            .and_then(|()| tempfile::Builder::new().prefix(".new-").tempdir_in(cache));
        let Ok(scratch) = scratch else { return Ok(None) };
        make(scratch.path())?;
        _ = fs::rename(scratch.path(), cache.join(key));
        Ok(self.kept_in(key))
    }

    /// The compiler, a path or a name to look up in the `PATH`.
    pub fn program(&self) -> &Path {
        &self.clang
    }

    /// The names of linkers that are quick with many programs, the quickest first. For small
    /// programs, gold takes half as long as LLVM's linker. With the sanitizers' runtimes, LLVM's
    /// takes half as long as gold, so gold is left out. If one refuses a program, the next one
    /// links it, and in the end the usual one. For example, gold fails on debug information where
    /// it has to warn of `gets`.
    pub(super) fn linkers(&self, sanitizer: Sanitizer) -> Vec<&'static str> {
        let Linkers { gold, lld } = self.linkers;
        let gold = gold && sanitizer == Sanitizer::None;
        [("gold", gold), ("lld", lld)].into_iter().filter(|(_, has)| *has).map(|(n, _)| n).collect()
    }

    /// A text that changes when another compiler is installed.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// The directory that contains `psychic.h` and `klee/klee.h`, for builds by other means. It
    /// exists as long as the toolchain.
    pub fn include(&self) -> &Path {
        self.runtime.include()
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(super) fn clang(&self) -> Command {
        command(&self.clang)
    }

    /// Runs llvm-link. Most programs do not need it, so it is reported as missing only here.
    pub(super) fn link(&self, inputs: &[impl AsRef<OsStr>], out: &Path) -> Result<(), BuildError> {
        self.run_llvm(&self.link, command(&self.link).args(inputs).arg("-o").arg(out))
    }

    /// Runs a command to its end. The error has the first diagnostics and the command line.
    pub(super) fn run(&self, command: &mut Command) -> Result<Output, BuildError> {
        let program = command.get_program().to_owned();
        let output = child::output(command, ChildLimits::BUILD, &self.stopper).map_err(
            |error| match error {
                ChildError::Start(error) => BuildError::Io { path: program.into(), error },
                stopped => {
                    BuildError::Compile { first: stopped.to_string(), command: display(command) }
                }
            },
        )?;
        if output.status.success() {
            return Ok(output);
        }
        Err(BuildError::Compile {
            first: first_errors(&String::from_utf8_lossy(&output.stderr)),
            command: display(command),
        })
    }

    /// Runs a tool that is installed beside clang.
    fn run_llvm(&self, tool: &Path, command: &mut Command) -> Result<(), BuildError> {
        match self.run(command) {
            Err(BuildError::Io { .. }) => Err(tool_missing(tool)),
            other => other.map(drop),
        }
    }

    /// Reads a module that others wrote, in a process of its own, as LLVM's reader crashes on some
    /// damaged modules. Whatever else is wrong with the module is left to its reader.
    ///
    /// # Errors
    /// [`BuildError::Damaged`]; [`BuildError::ToolMissing`].
    pub fn vet(&self, module: &Path) -> Result<(), BuildError> {
        let mut opt = command(&self.optimiser);
        opt.args(["-passes=verify", "-disable-output"]).arg(module);
        match child::output(&mut opt, ChildLimits::BUILD, &self.stopper) {
            Ok(output) if output.status.signal().is_none() => Ok(()),
            Ok(output) => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                let first = stderr.lines().next().filter(|line| !line.starts_with(CRASH));
                let reason = first.unwrap_or("its reader crashes").to_owned();
                Err(BuildError::Damaged { module: module.to_owned(), reason })
            }
            Err(ChildError::Start(_)) => Err(tool_missing(&self.optimiser)),
            Err(stopped @ ChildError::Interrupted { .. }) => {
                Err(BuildError::Compile { first: stopped.to_string(), command: display(&opt) })
            }
            Err(stopped) => {
                Err(BuildError::Damaged { module: module.to_owned(), reason: stopped.to_string() })
            }
        }
    }

    /// `clang-19` -> `llvm-link-19`, `/usr/lib/llvm-19/bin/clang` -> `.../llvm-link`.
    fn beside(clang: &Path, tool: &str) -> PathBuf {
        let name = clang.file_name().unwrap_or_default().to_string_lossy();
        clang.with_file_name(name.replacen("clang++", "clang", 1).replacen("clang", tool, 1))
    }
}

fn tool_missing(tool: &Path) -> BuildError {
    BuildError::ToolMissing { tool: tool.display().to_string(), package: "llvm-19", hint: "" }
}

/// The linkers that a clang finds beside the usual one.
#[derive(Clone, Copy, Debug)]
struct Linkers {
    lld: bool,
    gold: bool,
}

/// The path, size and modification time of a clang, and its linkers; `None` if there is no program
/// with that name. Asking clang for its version would take as long as compiling a small program.
fn identity(program: &Path) -> Option<(String, Linkers)> {
    let file = fs::canonicalize(which::which(program).ok()?).ok()?;
    let metadata = fs::metadata(&file).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let lld = file.with_file_name("ld.lld").exists();
    let linkers = Linkers { lld, gold: which::which("ld.gold").is_ok() };
    let identity = format!("{} {} {}", file.display(), metadata.len(), changed.as_nanos());
    Some((identity, linkers))
}

/// A command whose output does not depend on the user's environment.
pub(super) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").env_remove("CPATH").env_remove("C_INCLUDE_PATH");
    command.env_remove("SOURCE_DATE_EPOCH").env("ZERO_AR_DATE", "1");
    command
}

/// The words of a line in which clang's driver prints a command.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut characters = line.trim().chars();
    while let Some(first) = characters.next() {
        if first == ' ' {
            continue;
        }
        let quoted = first == '"';
        let mut word = if quoted { String::new() } else { first.to_string() };
        while let Some(character) = characters.next() {
            match character {
                '\\' => word.extend(characters.next()),
                '"' if quoted => break,
                ' ' if !quoted => break,
                other => word.push(other),
            }
        }
        words.push(word);
    }
    words
}

/// The command line as one would type it.
pub(super) fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ");
    match command.get_current_dir() {
        Some(directory) => format!("cd {} && {line}", quoted(&directory.to_string_lossy())),
        None => line,
    }
}

/// A word, quoted for a shell if necessary.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The first errors as `file:line: message`. Linkers do not use clang's format: if no line contains
/// `error:`, the first lines are taken.
fn first_errors(stderr: &str) -> String {
    // Clang prints this line below what the linker says.
    let lines = || stderr.lines().filter(|line| !line.contains("linker command failed"));
    let errors = lines()
        .filter(|line| line.contains("error: ") || line.contains("undefined reference"))
        .map(|line| line.strip_prefix("./").unwrap_or(line))
        .map(|line| line.replacen("fatal error: ", "", 1).replacen("error: ", "", 1))
        .take(ERRORS_SHOWN)
        .collect::<Vec<_>>();
    if errors.is_empty() {
        lines().take(ERRORS_SHOWN).collect::<Vec<_>>().join("\n")
    } else {
        errors.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_clang_is_named_with_its_package() {
        let error = Toolchain::with_clang(OsStr::new("no-such-clang")).unwrap_err().to_string();
        assert!(error.contains("no-such-clang") && error.contains("apt-get install clang-19"));
    }

    #[test]
    fn the_other_tools_stand_beside_clang() {
        assert_eq!(
            Toolchain::beside(Path::new("clang-19"), "llvm-link"),
            Path::new("llvm-link-19")
        );
        assert_eq!(
            Toolchain::beside(Path::new("/opt/bin/clang"), "opt"),
            Path::new("/opt/bin/opt")
        );
    }

    #[test]
    fn what_a_linker_says_is_no_format_of_clangs() {
        let missing = "/usr/bin/ld: cannot find -lx: No such file or directory";
        let last = "clang-19: error: linker command failed with exit code 1 (use -v to see it)";
        assert_eq!(first_errors(&format!("{missing}\n{last}\n")), missing);
        let undefined = "a.c:(.text+0x17): undefined reference to `g'";
        assert_eq!(
            first_errors(&format!("/usr/bin/ld: a.o: in function `f':\n{undefined}\n{last}")),
            undefined
        );
    }

    #[test]
    fn commands_are_shown_as_they_would_be_typed() {
        let mut command = Command::new("cc");
        command.arg("-DX=\"a b\"").arg("it's").arg("-O0").current_dir("/");
        assert_eq!(display(&command), r#"cd / && cc '-DX="a b"' 'it'\''s' -O0"#);
    }
}
