//! Whether a C file or a meta program compiles, asked without knowing the compiler.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::symlink,
    path::{Component, Path, PathBuf},
    process::Command,
};

use super::candidate;
use crate::{
    child::{self, ChildError, Limits},
    subject::Subject,
};

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
        candidate::compile(subject, self, texts)
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

/// A [`SyntaxCheck`] that runs a compiler with `-fsyntax-only`.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Name or path of the compiler: `clang-19`, `gcc`.
    pub program: PathBuf,
    /// Its flags; relative paths in them are relative to the source root.
    pub flags: Vec<String>,
}

impl SyntaxCheck for Compiler {
    fn check(&self, root: &Path, file: &Path) -> Result<(), String> {
        let mut compiler = Command::new(&self.program);
        compiler.arg("-fsyntax-only").args(&self.flags).arg(file).current_dir(root);
        let output = child::output(&mut compiler, Limits::CHECK).map_err(|error| match error {
            ChildError::Start(error) => format!("{}: {error}", self.program.display()),
            stopped => stopped.to_string(),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let error = message.lines().find(|l| l.contains("error:"));
        let error = error.or_else(|| message.lines().next()).unwrap_or("it does not compile");
        Err(error.replace(&format!("{}/", root.display()), ""))
    }
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
