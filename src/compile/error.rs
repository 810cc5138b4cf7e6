//! Why there is no program.

use std::path::PathBuf;

use super::harness::HarnessError;

/// Why nothing could be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A program of the toolchain cannot be run.
    #[error("cannot run {tool}: install it (Debian and Ubuntu: apt-get install {package}){hint}")]
    ToolMissing {
        /// The program that was looked for.
        tool: String,
        /// The Debian package that contains it.
        package: &'static str,
        /// Another way to solve the problem, or empty.
        hint: &'static str,
    },
    /// A sanitizer's runtime is missing.
    #[error("clang has no {0} runtime: install it (apt-get install libclang-rt-19-dev)")]
    SanitizerMissing(&'static str),
    /// The compiler or linker refused the program.
    #[error("{first}")]
    Compile {
        /// The first errors, one per line, as `file:line: message`.
        first: String,
        /// The command line that failed, to be tried by hand.
        command: String,
    },
    /// LLVM's reader does not get to the end of a module.
    #[error("{} is damaged, LLVM cannot read it: {reason}", module.display())]
    Damaged {
        /// The module.
        module: PathBuf,
        /// What LLVM says first, or what it exceeds.
        reason: String,
    },
    /// A command that the subject gives for its own build failed.
    #[error("build.{key} failed: {command}\n{output}\nthe whole log is {}", log.display())]
    Command {
        /// The key in `subject.toml`.
        key: &'static str,
        /// The command.
        command: String,
        /// The last lines of its output.
        output: String,
        /// The file with its whole output.
        log: PathBuf,
    },
    /// The libc of whole programs could not be made.
    #[error("the C library for whole programs could not be made:\n{0}")]
    NoWholeLibc(String),
    /// The subject's own build did not link the program that was wanted.
    #[error(
        "the build made no {}: check build.program, and that it is linked with $LDFLAGS (there is \
         no {}, which the linker leaves)", program.display(), expected.display()
    )]
    NoProgram {
        /// The program that was wanted.
        program: PathBuf,
        /// The file that was looked for.
        expected: PathBuf,
    },
    /// A function that was to be looked at is not in the program.
    #[error(
        "[outputs] functions: the program has no function {0} that it calls, or no debug information of it"
    )]
    NotProbed(String),
    /// The revisions' own code cannot be combined into one program.
    #[error("the revisions cannot be put into one program: {0}")]
    Unite(String),
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: std::io::Error,
    },
}

impl BuildError {
    /// Returns the same error once more, for another revision that it concerns.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Compile { first, command } => {
                Self::Compile { first: first.clone(), command: command.clone() }
            }
            other => Self::Compile { first: other.to_string(), command: String::new() },
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}

/// Why a revision has no program.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// The revision does not compile or link.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its entry function cannot be called.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The compiler reads the original's copy of a file that the revision changes.
    #[error(
        "it changes {}, which the compiler reads from the original's sources: make -I and similar \
         options relative to the subject",
        .0.display()
    )]
    Elsewhere(PathBuf),
    /// The subject has no sources.
    #[error("the subject has no sources")]
    NoSources,
}
