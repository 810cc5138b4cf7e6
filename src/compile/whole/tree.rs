//! Trees of sources on disk.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    os::unix::fs::symlink,
    path::Path,
};

use walkdir::{DirEntry, WalkDir};

use crate::{
    compile::{
        error::BuildError,
        stamp::hash,
        toolchain::{Toolchain, command},
    },
    merge::{Changes, encode},
    subject::{cache_directory, is_results},
};

/// The linker leaves the merged module under the program's name with this suffix.
pub(super) const MERGED: &str = ".0.0.preopt.bc";

/// The linker leaves its record of how it resolved the symbols of modules under this suffix.
pub(super) const RESOLVED: &str = ".resolution.txt";

/// Writes and deletes the changed files of a tree.
pub(super) fn write(changes: &Changes, tree: &Path) -> Result<(), BuildError> {
    for (path, text) in changes {
        let path = tree.join(path);
        match text {
            Some(text) => {
                let directory = path.parent().unwrap_or(tree);
                fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
                fs::write(&path, encode(text)).map_err(BuildError::io(&path))?;
            }
            None => fs::remove_file(&path).map_err(BuildError::io(&path))?,
        }
    }
    Ok(())
}

/// Copies a tree with its modification times, which `make` relies on.
pub(super) fn copy(toolchain: &Toolchain, from: &Path, to: &Path) -> Result<(), BuildError> {
    toolchain
        .run(command(Path::new("cp")).args(["-a", "--reflink=auto", "--"]).args([from, to]))
        .map(drop)
}

/// Removes the modules that the linker left beside all programs. They are large, and are made again
/// when needed.
pub(super) fn remove_modules(tree: &Path) -> Result<(), BuildError> {
    for entry in WalkDir::new(tree) {
        let entry = entry.map_err(|error| BuildError::io(tree)(error.into()))?;
        let is_merged = entry.file_name().to_string_lossy().ends_with(MERGED);
        if is_merged && !entry.file_type().is_dir() {
            fs::remove_file(entry.path()).map_err(BuildError::io(entry.path()))?;
        }
    }
    Ok(())
}

/// A source tree as a person keeps it. What version control, Psychic's cache and earlier runs have
/// left there does not belong to it.
#[derive(Clone, Copy)]
pub(super) struct SourceTree<'a> {
    pub(super) root: &'a Path,
    pub(super) cache: &'a Path,
}

impl SourceTree<'_> {
    /// What belongs to the tree, directories before what is in them.
    fn entries(self) -> impl Iterator<Item = Result<DirEntry, BuildError>> {
        // The tree may have a cache of its own beside the one that is used.
        let own = cache_directory(self.root);
        let belongs = move |entry: &DirEntry| {
            let path = entry.path();
            let is_other = || is_results(path) || path == self.cache || path == own;
            entry.depth() == 0
                || !entry.file_type().is_dir()
                || entry.file_name() != ".git" && !is_other()
        };
        let root = self.root.to_owned();
        WalkDir::new(self.root)
            .into_iter()
            .filter_entry(belongs)
            .map(move |entry| entry.map_err(|error| BuildError::io(&root)(error.into())))
    }

    /// Digest of the names and contents of all files.
    pub(super) fn digest(self) -> Result<String, BuildError> {
        let mut files = BTreeMap::new();
        for entry in self.entries() {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type().is_file() {
                let bytes = fs::read(path).map_err(BuildError::io(path))?;
                let name = path.strip_prefix(self.root).unwrap_or(path).display().to_string();
                files.insert(name, hash([bytes]));
            }
        }
        Ok(hash(files.into_iter().flat_map(|(name, digest)| [name, digest])))
    }

    /// Copies the tree with its modification times, which `make` relies on.
    pub(super) fn copy(self, to: &Path) -> Result<(), BuildError> {
        for entry in self.entries() {
            let entry = entry?;
            let from = entry.path();
            let place = to.join(from.strip_prefix(self.root).unwrap_or(from));
            let kind = entry.file_type();
            let copied = if kind.is_dir() {
                fs::create_dir(&place)
            } else if kind.is_symlink() {
                fs::read_link(from).and_then(|target| symlink(target, &place))
            } else if kind.is_file() {
                copy_file(from, &place)
            } else {
                // Sockets and the like: no source.
                Ok(())
            };
            copied.map_err(BuildError::io(from))?;
        }
        Ok(())
    }
}

/// Copies a file with its permissions and its modification time.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    // A read-only file can get another time, too, but cannot be opened for writing.
    File::open(to)?.set_modified(modified)
}
