//! A candidate patch, and the forms that patches have.

use std::path::{Path, PathBuf};

use super::revision::Revision;

/// A candidate on disk and the revision that it makes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Patch {
    /// The number of the revision, from 1.
    pub revision: Revision,
    /// What the candidate is on disk.
    pub form: Form,
    /// The path relative to the subject's directory, with `/`, or as the command line has it.
    /// People are shown this name.
    pub name: String,
    /// The absolute path.
    pub path: PathBuf,
}

/// What a candidate is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// A unified diff.
    Diff,
    /// A whole file that replaces a source: the only one, or the one of the same name.
    File,
    /// A directory that replaces the source tree: a source or header that it lacks is removed.
    Tree,
    /// The program as an LLVM module, `.bc` or `.ll`.
    Module,
    /// Nothing on disk: a revision of a meta program written by hand, which knows its number.
    Number,
}

impl Form {
    pub(super) fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => Self::Tree,
            Some("diff" | "patch") => Self::Diff,
            Some("bc" | "ll") => Self::Module,
            _ => Self::File,
        }
    }
}
