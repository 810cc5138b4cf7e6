//! Why a subject cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::child::ChildError;

/// Why a subject cannot be used.
#[derive(Debug, Error)]
pub enum SubjectError {
    /// The directory has no `subject.toml`.
    #[error("{}: no such file; a subject is a directory with a subject.toml", .0.display())]
    Missing(PathBuf),
    /// A file or directory cannot be read or made.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A command that obtains the sources did not come to its end.
    #[error(transparent)]
    Obtaining(ChildError),
    /// `subject.toml` is not TOML, or has a key or value that is meaningless or refers to something
    /// that does not exist.
    #[error("{}:{line}: {message}", path.display())]
    Config {
        /// The `subject.toml`.
        path: PathBuf,
        /// The line of the fault, from 1.
        line: usize,
        /// What is wrong on that line.
        message: String,
    },
    /// A glob cannot be parsed.
    #[error("{}:{line}: bad glob `{glob}`: {message}", path.display())]
    Glob {
        /// The `subject.toml`.
        path: PathBuf,
        /// The line of the glob, from 1.
        line: usize,
        /// The glob.
        glob: String,
        /// What is wrong with the glob.
        message: String,
    },
    /// A name is not UTF-8, so that no table and no report could show it.
    #[error("{}: the name is not UTF-8; rename it", .0.display())]
    NotUtf8(PathBuf),
    /// Only one file is given: the original, without candidates.
    #[error(
        "{}: a file alone; give at least one candidate after it, or a directory with a subject.toml",
        .0.display()
    )]
    Alone(PathBuf),
    /// Something among several paths is no regular file: a directory, or a pipe.
    #[error(
        "{}: not a regular file; give an original C file and its candidates, or one directory with \
         a subject.toml",
        .0.display()
    )]
    NoFile(PathBuf),
    /// The first of several files, which is the original, is a diff.
    #[error("{}: a diff cannot be the original; give the C file that it changes first", .0.display())]
    DiffAsOriginal(PathBuf),
    /// A file is given twice.
    #[error("{}: given twice; leave it out once", .0.display())]
    Twice(PathBuf),
    /// The forms of files that are given without a `subject.toml` do not go together.
    #[error("{0}")]
    Mixed(String),
}

impl SubjectError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}
