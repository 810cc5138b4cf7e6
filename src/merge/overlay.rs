//! Copies of a source tree in which some files are replaced. They consist of symbolic links, except
//! for what has to be real.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::fs::symlink,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::encoding::encode;

type Entries = Arc<[(OsString, PathBuf)]>;

/// A source tree that copies are made of. Nothing in it may change while this is in use.
#[derive(Debug)]
pub struct Tree<'a> {
    root: &'a Path,
    without: &'a BTreeSet<PathBuf>,
    /// The entries of each directory that was read: their names, and where links in copies lead.
    /// They are kept because a directory may hold as many patches as there are copies to make.
    entries: Mutex<BTreeMap<PathBuf, Entries>>,
}

impl<'a> Tree<'a> {
    /// Everything below `root` except the paths in `without`.
    pub fn new(root: &'a Path, without: &'a BTreeSet<PathBuf>) -> Self {
        Self { root, without, entries: Mutex::default() }
    }

    /// Everything below `root`.
    pub fn all(root: &'a Path) -> Self {
        static NOTHING: BTreeSet<PathBuf> = BTreeSet::new();
        Self::new(root, &NOTHING)
    }

    /// The entries of a directory of the tree.
    fn entries(&self, directory: &Path) -> io::Result<Entries> {
        // Nothing panics while the lock is held.
        let known = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entries) = known().get(directory) {
            return Ok(entries.clone());
        }
        let mut entries = Vec::new();
        if directory.is_dir() {
            let (root, real) = (self.root.canonicalize()?, directory.canonicalize()?);
            let inner = directory.strip_prefix(self.root).unwrap_or(directory);
            // A link within the tree leads to the counterpart of its target in the copy.
            let within = |link: &Path| {
                let to = link.canonicalize().ok()?;
                let is_here = link.is_symlink() && real == root.join(inner);
                let up = "../".repeat(inner.iter().count());
                to.strip_prefix(&root).ok().filter(|_| is_here).map(|to| Path::new(&up).join(to))
            };
            for entry in fs::read_dir(&real)? {
                let name = entry?.file_name();
                if self.without.contains(&directory.join(&name)) {
                    continue;
                }
                let path = real.join(&name);
                let target = within(&path).unwrap_or(path);
                entries.push((name, target));
            }
        }
        let entries: Entries = entries.into();
        known().insert(directory.to_owned(), entries.clone());
        Ok(entries)
    }
}

impl Tree<'_> {
    /// The root (as the empty path) and the directories below it, relative to it, without links and
    /// hidden ones. `None` if there are more than `most`, or if they have more than `16 * most`
    /// entries.
    pub fn directories(&self, most: usize) -> io::Result<Option<Vec<PathBuf>>> {
        let mut found = vec![PathBuf::new()];
        let (mut next, mut links) = (0, 0);
        while let Some(directory) = found.get(next).cloned() {
            next += 1;
            let entries = self.entries(&self.root.join(&directory))?;
            links += entries.len();
            for (name, target) in entries.iter() {
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                if !is_hidden && target.is_absolute() && !target.is_symlink() && target.is_dir() {
                    found.push(directory.join(name));
                }
            }
            if found.len() > most || links > 16 * most {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}

/// Makes `dir` look like a tree with some files replaced by texts ([encoded](encode)) or (`None`)
/// removed. Directories on the way to these files are real; everything else is a symbolic link.
///
/// # Errors
/// A directory cannot be read, something in `dir` cannot be made, or a path has a component that is
/// not a plain name, such as `..`.
pub fn overlay<'a>(
    tree: &Tree,
    files: impl IntoIterator<Item = (&'a Path, Option<&'a str>)>,
    dir: &Path,
) -> io::Result<()> {
    let files: BTreeMap<&Path, Option<&str>> = files.into_iter().collect();
    fs::create_dir_all(dir)?;
    // What is replaced here needs no link first: there may be hundreds of copies.
    link_entries(tree, tree.root, dir, |name| files.contains_key(Path::new(name)))?;
    for (file, text) in files {
        make_way(tree, file, dir)?;
        let to = dir.join(file);
        if to.is_symlink() {
            fs::remove_file(&to)?;
        }
        if let Some(text) = text {
            fs::write(&to, encode(text))?;
        }
    }
    Ok(())
}

/// Makes the directories on the way to a file of an [overlay] real, so that whatever is written
/// beside the file is written nowhere else. Directories that are real already are left alone: what
/// was removed from them stays removed.
///
/// # Errors
/// A directory cannot be read, something in `dir` cannot be made, or `file` has a component that is
/// not a plain name, such as `..`.
pub fn make_way(tree: &Tree, file: &Path, dir: &Path) -> io::Result<()> {
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
        } else if to.is_dir() {
            continue;
        }
        fs::create_dir(&to)?;
        link_entries(tree, &from, &to, |_| false)?;
    }
    Ok(())
}

/// Links the entries of a directory that `to` does not have yet, without those that are left out.
fn link_entries(
    tree: &Tree,
    from: &Path,
    to: &Path,
    is_left_out: impl Fn(&OsStr) -> bool,
) -> io::Result<()> {
    for (name, target) in tree.entries(from)?.iter().filter(|(name, _)| !is_left_out(name)) {
        match symlink(target, to.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
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
        let tree = Tree::new(&root, &without);
        overlay(&tree, files, &dir).unwrap();
        let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
        assert_eq!((read("a/y.c"), read("a/z.h")), ("new".into(), "old".into()));
        assert!(!dir.join("x.c").exists() && root.join("x.c").exists());
        assert_eq!((read("a/b/w.h"), read("a/b/v.h")), ("old".into(), "added".into()));
        assert_eq!(fs::read_to_string(root.join("a/y.c")).unwrap(), "old");
        assert!(!root.join("a/b/v.h").exists());
        assert!(!dir.join("1.diff").is_symlink() && !dir.join("a/2.diff").is_symlink());
        assert!(overlay(&tree, [(Path::new("../x.c"), None)], &dir).is_err());
    }

    #[test]
    fn a_link_within_the_tree_leads_to_what_was_replaced() {
        let base = tempfile::tempdir().unwrap();
        let (root, dir) = (base.path().join("tree"), base.path().join("dir"));
        fs::create_dir_all(root.join("a")).unwrap();
        for file in ["tree/b.h", "out.h"] {
            fs::write(base.path().join(file), "old").unwrap();
        }
        symlink("../b.h", root.join("a/in.h")).unwrap();
        symlink("b.h", root.join("in.h")).unwrap();
        symlink("../out.h", root.join("out.h")).unwrap();
        symlink("../tree/b.h", root.join("around.h")).unwrap();
        symlink(root.join("b.h"), root.join("absolute.h")).unwrap();
        let files = [(Path::new("a/y.c"), Some("")), (Path::new("b.h"), Some("new"))];
        overlay(&Tree::all(&root), files, &dir).unwrap();
        let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
        assert_eq!([read("in.h"), read("a/in.h")], ["new", "new"]);
        assert_eq!([read("around.h"), read("absolute.h")], ["new", "new"]);
        assert_eq!(read("out.h"), "old");
        let tree = Tree::all(&root);
        assert_eq!(tree.directories(2).unwrap().unwrap(), [PathBuf::new(), "a".into()]);
        assert_eq!(tree.directories(1).unwrap(), None);
    }

    #[test]
    fn what_is_gone_stays_gone() {
        let base = tempfile::tempdir().unwrap();
        let (root, dir) = (base.path().join("root"), base.path().join("dir"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        for file in ["a/b/x.h", "a/b/y.c", "a/z.c"] {
            fs::write(root.join(file), "old").unwrap();
        }
        let tree = Tree::all(&root);
        let files = [(Path::new("a/b/x.h"), None), (Path::new("a/b/y.c"), Some("new"))];
        overlay(&tree, files, &dir).unwrap();
        make_way(&tree, Path::new("a/b/y.c"), &dir).unwrap();
        make_way(&tree, Path::new("a/z.c"), &dir).unwrap();
        assert!(!dir.join("a/b/x.h").exists());
        let real = |file: &str| !dir.join(file).is_symlink() && dir.join(file).exists();
        assert!(real("a/b/y.c") && real("a/b") && !real("a/z.c") && dir.join("a/z.c").exists());
    }
}
