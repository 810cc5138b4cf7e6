//! Whether a C file or a meta program compiles, asked without knowing the compiler.

use std::path::{Path, PathBuf};

use super::overlay::{Tree, overlay};
use crate::subject::Subject;

/// Says whether a C file is a translation unit without errors.
///
/// A meta program includes `psychic.h`: the check has to find it.
pub trait SyntaxCheck: Sync {
    /// Checks `root/file`; `root` looks like the subject's source root.
    ///
    /// # Errors
    /// The compiler's first error, with file and line.
    fn check(&self, root: &Path, file: &Path) -> Result<(), String>;

    /// Checks the meta program that is to come of a merge: a subject with other texts in the place of some
    /// files.
    ///
    /// # Errors
    /// As [`SyntaxCheck::check`].
    fn check_program(
        &self,
        subject: &Subject,
        texts: &[(&Path, Option<&str>)],
    ) -> Result<(), String> {
        compile(subject, self, texts)
    }

    /// What a file of the original's tree, or one that could be there, is for.
    fn role(&self, file: &Path) -> Role {
        let _ = file;
        Role::Source
    }
}

/// What a file of a source tree is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// The compiler reads it.
    Source,
    /// It says how the program is built, for all that is known.
    Build,
    /// The program does not depend on it.
    None,
}

/// The files to compile when `changed` ones differ from the original: a header can be
/// anywhere.
fn to_compile<'a>(
    subject: &'a Subject,
    changed: impl Iterator<Item = &'a Path> + Clone,
) -> Vec<&'a Path> {
    let is_source = |file: &Path| subject.sources.iter().any(|s| s == file);
    if changed.clone().all(is_source) {
        changed.collect()
    } else {
        subject.sources.iter().map(PathBuf::as_path).collect()
    }
}

/// A file system in memory, where there is one.
const IN_MEMORY: &str = "/dev/shm";

/// Compiles a tree in which some files are replaced.
///
/// # Errors
/// The first error of the first file that does not compile.
pub(super) fn compile(
    subject: &Subject,
    check: &(impl SyntaxCheck + ?Sized),
    texts: &[(&Path, Option<&str>)],
) -> Result<(), String> {
    // Hundreds of links at a time take a disk's file system longer than the compiler takes.
    let dir = tempfile::tempdir_in(IN_MEMORY).or_else(|_| tempfile::tempdir());
    let dir = dir.map_err(|error| format!("no scratch directory: {error}"))?;
    let without = subject.diffs();
    let tree = Tree::new(&subject.root, &without);
    overlay(&tree, texts.iter().copied(), dir.path())
        .map_err(|error| format!("no scratch copy of the sources: {error}"))?;
    to_compile(subject, texts.iter().map(|(path, _)| *path))
        .into_iter()
        .filter(|file| dir.path().join(file).exists())
        .try_for_each(|file| check.check(dir.path(), file))
}
