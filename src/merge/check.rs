//! Whether a C file or a meta program compiles, asked without knowing the compiler.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::symlink,
    path::{Component, Path, PathBuf},
};

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
    let tree = Tree { root: &subject.root, without: &subject.diffs() };
    overlay(tree, texts.iter().copied(), dir.path())
        .map_err(|error| format!("no scratch copy of the sources: {error}"))?;
    to_compile(subject, texts.iter().map(|(path, _)| *path))
        .into_iter()
        .filter(|file| dir.path().join(file).exists())
        .try_for_each(|file| check.check(dir.path(), file))
}

/// A source tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// Where it begins.
    pub root: &'a Path,
    /// Paths below `root` that are no part of it: there may be as many patches beside a source as
    /// there are copies of the tree to make.
    pub without: &'a BTreeSet<PathBuf>,
}

impl<'a> Tree<'a> {
    /// All that is below a directory.
    pub fn all(root: &'a Path) -> Self {
        static NOTHING: BTreeSet<PathBuf> = BTreeSet::new();
        Self { root, without: &NOTHING }
    }
}

/// Makes `dir` look like a tree with some files replaced, or gone: directories on the way to them
/// are real, everything else is a symbolic link.
///
/// # Errors
/// A directory cannot be read or something in `dir` not made; paths must not have `..`.
pub fn overlay<'a>(
    tree: Tree,
    files: impl IntoIterator<Item = (&'a Path, Option<&'a str>)>,
    dir: &Path,
) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    link_entries(tree, tree.root, dir)?;
    for (file, text) in files {
        make_way(tree, file, dir)?;
        let to = dir.join(file);
        if to.is_symlink() {
            fs::remove_file(&to)?;
        }
        if let Some(text) = text {
            fs::write(&to, text)?;
        }
    }
    Ok(())
}

/// Makes the directories on the way to a file of an [overlay] real, so that what is put beside the
/// file is put nowhere else.
///
/// # Errors
/// As [`overlay`].
pub fn make_way(tree: Tree, file: &Path, dir: &Path) -> io::Result<()> {
    let is_inner = |part| matches!(part, Component::Normal(_));
    if !file.components().all(is_inner) {
        return Err(io::Error::other(format!("{} is no inner path", file.display())));
    }
    let (mut from, mut to) = (tree.root.to_owned(), dir.to_owned());
    for name in file.parent().into_iter().flatten() {
        from.push(name);
        to.push(name);
        if to.is_symlink() {
            fs::remove_file(&to)?;
        }
        fs::create_dir_all(&to)?;
        link_entries(tree, &from, &to)?;
    }
    Ok(())
}

fn link_entries(tree: Tree, from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    let real = from.canonicalize()?;
    for entry in fs::read_dir(&real)? {
        let name = entry?.file_name();
        let link = to.join(&name);
        if !tree.without.contains(&from.join(&name)) && !link.is_symlink() && !link.exists() {
            symlink(real.join(&name), link)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_replaces_files_and_links_the_rest() {
        let base = tempfile::tempdir().unwrap();
        let (root, dir) = (base.path().join("root"), base.path().join("dir"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        for file in ["x.c", "a/y.c", "a/z.h", "a/b/w.h", "1.diff", "a/2.diff"] {
            fs::write(root.join(file), "old").unwrap();
        }
        let files = [
            (Path::new("a/y.c"), Some("new")),
            (Path::new("a/b/v.h"), Some("added")),
            (Path::new("x.c"), None),
        ];
        let without = BTreeSet::from([root.join("1.diff"), root.join("a/2.diff")]);
        let tree = Tree { root: &root, without: &without };
        overlay(tree, files, &dir).unwrap();
        let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
        assert_eq!((read("a/y.c"), read("a/z.h")), ("new".into(), "old".into()));
        assert!(!dir.join("x.c").exists() && root.join("x.c").exists());
        assert_eq!((read("a/b/w.h"), read("a/b/v.h")), ("old".into(), "added".into()));
        assert_eq!(fs::read_to_string(root.join("a/y.c")).unwrap(), "old");
        assert!(!root.join("a/b/v.h").exists());
        assert!(!dir.join("1.diff").is_symlink() && !dir.join("a/2.diff").is_symlink());
        assert!(overlay(tree, [(Path::new("../x.c"), None)], &dir).is_err());
    }
}
