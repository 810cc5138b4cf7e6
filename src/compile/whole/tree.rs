//! Trees of sources on disk.

use std::{collections::BTreeMap, fs, path::Path};

use walkdir::{DirEntry, WalkDir};

use crate::{
    compile::{
        error::BuildError,
        stamp::hash,
        toolchain::{Toolchain, command},
    },
    merge::{Changes, encode},
};

/// The linker leaves the merged module under the program's name with this suffix.
pub(super) const MERGED: &str = ".0.0.preopt.bc";

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

/// Copies a tree with its modification times, by which `make` decides.
pub(super) fn copy(toolchain: &Toolchain, from: &Path, to: &Path) -> Result<(), BuildError> {
    toolchain
        .run(command(Path::new("cp")).args(["-a", "--reflink=auto", "--"]).args([from, to]))
        .map(drop)
}

/// Removes the modules that the linker left beside all programs: they are large, and made again
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

/// Digest of the names and contents of all files below a directory, except version control's.
pub(super) fn digest(root: &Path) -> Result<String, BuildError> {
    let mut files = BTreeMap::new();
    let is_content = |entry: &DirEntry| !entry.file_type().is_dir() || entry.file_name() != ".git";
    for entry in WalkDir::new(root).into_iter().filter_entry(is_content) {
        let entry = entry.map_err(|error| BuildError::io(root)(error.into()))?;
        let path = entry.path();
        if entry.file_type().is_file() {
            let bytes = fs::read(path).map_err(BuildError::io(path))?;
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            files.insert(name, hash([bytes]));
        }
    }
    Ok(hash(files.into_iter().flat_map(|(name, digest)| [name, digest])))
}
