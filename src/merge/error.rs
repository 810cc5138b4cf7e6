//! Why there is no meta program.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Why there is no meta program.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file of the subject cannot be read, or a scratch file cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why the access failed.
        source: io::Error,
    },
    /// The original program does not compile.
    #[error(
        "the original program does not compile: {0}; see build.flags and entry in subject.toml, or \
         --entry for files"
    )]
    Original(String),
    /// The original uses a name that the meta program needs.
    #[error("{}:{line}: the name `{name}` is reserved for meta programs", path.display())]
    Reserved {
        /// File of the subject.
        path: PathBuf,
        /// Line in it, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// Every patch was rejected.
    #[error("not one patch applies, compiles and links:\n{}", .0.join("\n"))]
    NothingToMerge(
        /// One line for each patch, with the reason.
        Vec<String>,
    ),
}

impl MergeError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

/// Why a patch is set aside, with its name. A reason about the diff itself begins with the name
/// already.
pub fn with_name(patch: &str, reason: &str) -> String {
    match reason.starts_with(patch) {
        true => reason.to_owned(),
        false => format!("{patch}: {reason}"),
    }
}
