//! Whether a C file or a meta program compiles, whichever compiler answers that.

use std::path::{Path, PathBuf};

use super::overlay::{Tree, overlay};
use crate::subject::Subject;

/// Checks whether a C file is a translation unit without errors.
///
/// A meta program includes `psychic.h`, which the check has to find.
pub trait SyntaxCheck: Sync {
    /// Checks `root/file`; `root` looks like the subject's source root.
    ///
    /// # Errors
    /// The compiler's first error, with file and line.
    fn check(&self, root: &Path, file: &Path) -> Result<(), String>;

    /// Checks a draft of the meta program: the subject with some files replaced by these texts
    /// (`None`: removed).
    ///
    /// # Errors
    /// The compiler's first error, with file and line.
    fn check_program(
        &self,
        subject: &Subject,
        texts: &[(&Path, Option<&str>)],
    ) -> Result<(), String> {
        compile(subject, self, texts)
    }

    /// What a file in the original's source tree is for; the file need not exist.
    fn role(&self, file: &Path) -> Role {
        let _ = file;
        Role::Source
    }

    /// Whether the program may depend on a file of the original's source tree that no C file
    /// mentions.
    fn needs(&self, file: &Path) -> bool {
        let _ = file;
        false
    }
}

/// What a file of a source tree is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// The compiler reads it.
    Source,
    /// It says how the program is built, or may do so.
    Build,
    /// The program does not depend on it.
    None,
}

/// The sources to compile when the `changed` files differ from the original: all of them if a
/// changed file is not a source, as any source may include a header.
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

/// A directory in memory, which not every machine has.
const IN_MEMORY: &str = "/dev/shm";

/// Compiles a source tree in which some files are replaced by `texts` (`None`: removed).
///
/// # Errors
/// The first error of the first file that does not compile.
pub(super) fn compile(
    subject: &Subject,
    check: &(impl SyntaxCheck + ?Sized),
    texts: &[(&Path, Option<&str>)],
) -> Result<(), String> {
    // On a disk, creating hundreds of links at once takes longer than compiling.
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
