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
    /// No file matches `patches` or `candidates`.
    #[error("{}:{line}: no file matches {key} = {globs:?}", path.display())]
    NoPatches {
        /// The `subject.toml`.
        path: PathBuf,
        /// The line of the key, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// The globs.
        globs: Vec<String>,
    },
    /// A file of `sources` does not exist.
    #[error("{}:{line}: source {} does not exist in {}", path.display(), file.display(), root.display())]
    NoSource {
        /// The `subject.toml`.
        path: PathBuf,
        /// The line that names the source, from 1.
        line: usize,
        /// The source as written.
        file: PathBuf,
        /// The directory in which it was looked for.
        root: PathBuf,
    },
    /// `sources` is empty, and no candidate can be the original.
    #[error("{}:{line}: `sources` lists no file", .path.display())]
    NoSources {
        /// The `subject.toml`.
        path: PathBuf,
        /// Line of the key, from 1.
        line: usize,
    },
}

impl SubjectError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}
