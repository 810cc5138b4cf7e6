//! Obtains sources that are not in the subject's directory, once, and keeps them in a cache.

use std::{
    env,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest, Sha256};

use super::SubjectError;
use crate::{
    child::{self, ChildError, ChildLimits, Stopper, last_lines},
    scripts,
};

/// Why sources could not be obtained: the exit status or what failed, and the end of the output.
pub(super) struct Failure {
    pub(super) status: String,
    pub(super) output: String,
}

impl Failure {
    /// The message that `what` failed.
    pub(super) fn of(self, what: &str) -> String {
        match self.output.trim() {
            "" => format!("{what} ({}), and printed nothing", self.status),
            _ => format!("{what} ({}); its output ended with\n{}", self.status, self.output),
        }
    }
}

/// A command that fills a directory with sources.
pub(super) struct Setup<'a> {
    /// The directory in which it runs.
    pub(super) dir: &'a Path,
    /// The name of the sources.
    pub(super) name: &'a str,
    /// The shell command; `$PSYCHIC_SOURCE` is the directory to fill.
    pub(super) command: &'a str,
}

/// The directory for things that can be made again, the first of these:
///
/// - `$PSYCHIC_CACHE`, if it is set;
/// - `.cache` in the nearest directory at or above `dir` that has a `Cargo.toml` or `.git`;
/// - `psychic` in the user's cache directory (`$XDG_CACHE_HOME` or `~/.cache`);
/// - `psychic` in the directory for temporary files.
pub fn cache_directory(dir: &Path) -> PathBuf {
    if let Some(chosen) = env::var_os("PSYCHIC_CACHE").filter(|value| !value.is_empty()) {
        // It must be absolute, because compilers run in other directories.
        return std::path::absolute(&chosen).unwrap_or_else(|_| chosen.into());
    }
    let project =
        dir.ancestors().find(|d| ["Cargo.toml", ".git"].iter().any(|f| d.join(f).exists()));
    if let Some(project) = project {
        return project.join(".cache");
    }
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("psychic")
}

/// Runs a setup unless it succeeded before. Returns the directory that it has filled, which is
/// below `cache`.
///
/// The name of that directory has a digest of the setup and the files that its command mentions, so
/// that a changed setup starts afresh. A stamp beside the directory tells a finished setup from one
/// that was interrupted.
pub(super) fn obtain(
    cache: &Path,
    setup: &Setup<'_>,
    stopper: &Stopper,
) -> Result<Result<PathBuf, Failure>, SubjectError> {
    let Setup { dir, name, command } = *setup;
    let cache = cache.join("sources");
    fs::create_dir_all(&cache).map_err(SubjectError::io(&cache))?;
    let cache = cache.canonicalize().map_err(SubjectError::io(&cache))?;
    let source = cache.join(format!("{}-{}", file_name(name), digest(dir, command)));
    let beside = |extension: &str| {
        let mut path = source.clone().into_os_string();
        path.push(extension);
        PathBuf::from(path)
    };
    let (stamp, lock, log) = (beside(".done"), beside(".lock"), beside(".log"));
    let guard = File::create(&lock).map_err(SubjectError::io(&lock))?;
    guard.lock().map_err(SubjectError::io(&lock))?;
    if stamp.is_file() && source.is_dir() {
        return Ok(Ok(source));
    }
    if source.exists() {
        fs::remove_dir_all(&source).map_err(SubjectError::io(&source))?;
    }
    fs::create_dir_all(&source).map_err(SubjectError::io(&source))?;
    let output = File::create(&log).map_err(SubjectError::io(&log))?;
    let errors = output.try_clone().map_err(SubjectError::io(&log))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir).env("PSYCHIC_SOURCE", &source);
    let status = child::status(shell.stdout(output).stderr(errors), ChildLimits::BUILD, stopper);
    let status = status.map_err(not_ended("sh"))?;
    if !status.success() {
        let printed = fs::read(&log).map_err(SubjectError::io(&log))?;
        let output = last_lines(&printed);
        return Ok(Err(Failure { status: status.to_string(), output }));
    }
    let mut file = File::create(&stamp).map_err(SubjectError::io(&stamp))?;
    writeln!(file, "{command}").map_err(SubjectError::io(&stamp))?;
    Ok(Ok(source))
}

/// Why a command did not come to its end.
pub(super) fn not_ended(shell: &str) -> impl FnOnce(ChildError) -> SubjectError {
    move |error| match error {
        ChildError::Start(error) => SubjectError::io(Path::new(shell))(error),
        stopped => SubjectError::Obtaining(stopped),
    }
}

/// The source tree of a Debian package, which is obtained unless it exists already. All subjects
/// share it, and a user without apt can put it there by hand.
pub(super) fn package(
    dir: &Path,
    name: &str,
    version: &str,
    stopper: &Stopper,
) -> Result<Result<PathBuf, Failure>, SubjectError> {
    let cache = cache_directory(dir);
    let sources = cache.join("programs/source");
    fs::create_dir_all(&sources).map_err(SubjectError::io(&sources))?;
    let tree = sources.join(format!("{name}-{version}"));
    let lock = sources.join(format!("{name}-{version}.lock"));
    let guard = File::create(&lock).map_err(SubjectError::io(&lock))?;
    guard.lock().map_err(SubjectError::io(&lock))?;
    let arguments = [Path::new(name), Path::new(version), &tree];
    let output = scripts::run("source.sh", &arguments, &cache, stopper);
    let output = output.map_err(not_ended("bash"))?;
    if !output.status.success() {
        let output = last_lines(&output.stderr);
        return Ok(Err(Failure { status: "source package".into(), output }));
    }
    tree.canonicalize().map(Ok).map_err(SubjectError::io(&tree))
}

/// A word, quoted for a shell.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn digest(dir: &Path, command: &str) -> String {
    let mut hash = Sha256::new_with_prefix(dir.to_string_lossy().as_bytes());
    hash.update(command);
    for word in command.split(|c: char| c.is_whitespace() || "\"';&|()".contains(c)) {
        if !word.is_empty()
            && let Ok(content) = fs::read(dir.join(word))
        {
            hash.update(content);
        }
    }
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use crate::subject::Subject;

    use super::*;

    /// A subject in a project of its own, so that its directory contains the cache.
    fn subject(setup: &str) -> TempDir {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("Cargo.toml"), "").unwrap();
        fs::write(dir.path().join("a.diff"), "").unwrap();
        let toml = format!(
            "name = 'xy'\nsources = ['a.c']\npatches = ['*.diff']\n[build]\nsetup = '''{setup}'''\n"
        );
        fs::write(dir.path().join("subject.toml"), toml).unwrap();
        dir
    }

    #[test]
    fn runs_once_and_again_when_its_script_changes() {
        let dir = subject("sh ./get.sh");
        let script = "echo x >> count; touch \"$PSYCHIC_SOURCE/a.c\"\n";
        fs::write(dir.path().join("get.sh"), script).unwrap();
        let count = || fs::read_to_string(dir.path().join("count")).unwrap().lines().count();
        let first = Subject::load(dir.path()).unwrap();
        let second = Subject::load(dir.path()).unwrap();
        assert_eq!((first.root.clone(), 1), (second.root, count()));
        assert_eq!(first.sources, [PathBuf::from("a.c")]);
        assert!(first.root.starts_with(cache_directory(&first.dir)));
        fs::write(dir.path().join("get.sh"), format!("{script}# changed\n")).unwrap();
        assert_ne!(Subject::load(dir.path()).unwrap().root, first.root);
        assert_eq!(count(), 2);
    }

    #[test]
    fn a_silent_failure_says_so() {
        let error = Subject::load(subject("exit 3").path()).unwrap_err().to_string();
        assert!(error.ends_with("(exit status: 3), and printed nothing"), "{error}");
    }

    #[test]
    fn a_failure_shows_the_end_of_the_output_and_is_tried_again() {
        let dir = subject("seq 100; echo gone >&2; exit 3");
        for _ in 0..2 {
            let error = Subject::load(dir.path()).unwrap_err().to_string();
            assert!(
                error.contains("subject.toml:5: build.setup failed (exit status: 3)"),
                "{error}"
            );
            assert!(error.ends_with("99\n100\ngone"), "{error}");
            assert!(!error.contains("\n50\n"), "{error}");
        }
    }
}
