//! The files that a whole program finds in the directory it starts in, and those that it leaves
//! there.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    ffi::OsString,
    fs, io,
    os::unix::{
        ffi::OsStringExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

/// The greatest number of files, directories included.
const MOST_FILES: usize = 1000;
/// The greatest number of bytes of all files together.
const MOST_BYTES: usize = 4 << 20;

/// A file below the start directory.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct GivenFile {
    /// Path relative to the start directory, with `/`.
    pub path: String,
    /// The kind and content of the file.
    pub content: Given,
}

/// The kind and content of a file that is given to a program. Of its permissions, only what git
/// keeps is kept: whether the owner may execute it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Given {
    /// A directory.
    Directory,
    /// A regular file.
    Regular {
        /// The content of the file.
        bytes: Vec<u8>,
        /// Whether the owner may execute the file.
        executable: bool,
    },
    /// A symbolic link, with its target.
    Link(Vec<u8>),
}

impl GivenFile {
    /// Creates the file below a directory.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn put(&self, below: &Path) -> io::Result<()> {
        let path = below.join(&self.path);
        match &self.content {
            Given::Directory => fs::create_dir(&path)?,
            Given::Regular { bytes, .. } => fs::write(&path, bytes)?,
            Given::Link(target) => return symlink(OsString::from_vec(target.clone()), &path),
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(self.content.permissions()))
    }
}

impl Given {
    /// The permission bits with which the program finds the file.
    pub fn permissions(&self) -> u32 {
        match self {
            Self::Regular { executable: false, .. } => 0o644,
            Self::Link(_) => 0o777,
            Self::Regular { executable: true, .. } | Self::Directory => 0o755,
        }
    }

    /// The state in which the program finds the file.
    pub fn state(&self) -> FileState {
        let permissions = self.permissions();
        match self {
            Self::Directory => FileState::Directory { permissions },
            Self::Regular { bytes, .. } => FileState::Regular { permissions, bytes: bytes.clone() },
            Self::Link(target) => FileState::Link(target.clone()),
        }
    }
}

/// What is at a path below the start directory when a run begins, or when it has ended. `Bytes` is
/// the type of a regular file's content.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub enum FileState<Bytes = Vec<u8>> {
    /// A directory.
    Directory {
        /// The permission bits.
        permissions: u32,
    },
    /// A regular file.
    Regular {
        /// The permission bits.
        permissions: u32,
        /// The content of the file.
        bytes: Bytes,
    },
    /// A symbolic link, with its target.
    Link(Vec<u8>),
    /// Another name of a regular file or symbolic link. The path given is the first of its names in
    /// order.
    HardLink(String),
    /// Nothing, although there was something when the run began.
    Removed,
}

impl<Bytes> FileState<Bytes> {
    /// Converts the content of a regular file, and leaves everything else as it is.
    pub fn map<Other>(self, content: impl FnOnce(Bytes) -> Other) -> FileState<Other> {
        match self {
            Self::Directory { permissions } => FileState::Directory { permissions },
            Self::Regular { permissions, bytes } => {
                FileState::Regular { permissions, bytes: content(bytes) }
            }
            Self::Link(target) => FileState::Link(target),
            Self::HardLink(first) => FileState::HardLink(first),
            Self::Removed => FileState::Removed,
        }
    }
}

/// The files that a run has changed: their states at the end, without files whose state is as it
/// was at the start.
pub fn changed_files(
    start: BTreeMap<String, FileState>,
    mut end: BTreeMap<String, FileState>,
) -> BTreeMap<String, FileState> {
    for (path, state) in start {
        match end.entry(path) {
            Entry::Vacant(entry) => drop(entry.insert(FileState::Removed)),
            Entry::Occupied(entry) if *entry.get() == state => drop(entry.remove()),
            Entry::Occupied(_) => {}
        }
    }
    end
}

/// A path as text. Different paths are different texts: bytes that are not UTF-8 are escaped, as in
/// `\xff`, and a backslash is doubled.
pub fn path_text(path: &[u8]) -> String {
    path.utf8_chunks()
        .map(|chunk| {
            chunk.valid().replace('\\', "\\\\") + &chunk.invalid().escape_ascii().to_string()
        })
        .collect()
}

/// Why a directory cannot be given to a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GivenError {
    /// A file or directory cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
    /// The name of a file is not UTF-8.
    #[error("{}: a file's name has to be UTF-8", .0.display())]
    Name(PathBuf),
    /// There is something other than files, directories and links: a device, a socket or a pipe.
    #[error("{}: neither a file, a directory nor a link", .0.display())]
    Kind(PathBuf),
    /// There are more files, or more bytes in them, than a program's memory should hold.
    #[error("{}: too much to start with (more than {MOST_FILES} files or 4 MiB)", .0.display())]
    TooMuch(PathBuf),
}

/// Reads everything below a directory. The files are sorted by path, so that a directory comes
/// before what it contains.
///
/// # Errors
/// See [`GivenError`], which names the file.
pub fn given_files(directory: &Path) -> Result<Vec<GivenFile>, GivenError> {
    let mut found = Vec::new();
    let mut room = MOST_BYTES;
    // The walk through a file ends without an error.
    fs::read_dir(directory).map_err(|error| GivenError::Io { path: directory.into(), error })?;
    for entry in WalkDir::new(directory).min_depth(1) {
        let entry = entry.map_err(|error| GivenError::Io {
            path: error.path().unwrap_or(directory).to_owned(),
            error: error.into(),
        })?;
        let place = entry.path().to_owned();
        let io = |error| GivenError::Io { path: place.clone(), error };
        let name = place.strip_prefix(directory).expect("found below it");
        let path = name.to_str().ok_or_else(|| GivenError::Name(place.clone()))?.to_owned();
        let kind = entry.file_type();
        let content = if kind.is_dir() {
            Given::Directory
        } else if kind.is_symlink() {
            Given::Link(fs::read_link(&place).map_err(io)?.into_os_string().into_vec())
        } else if kind.is_file() {
            let bytes = fs::read(&place).map_err(io)?;
            room =
                room.checked_sub(bytes.len()).ok_or_else(|| GivenError::TooMuch(place.clone()))?;
            let mode = fs::metadata(&place).map_err(io)?.permissions().mode();
            Given::Regular { bytes, executable: mode & 0o100 != 0 }
        } else {
            return Err(GivenError::Kind(place));
        };
        if found.len() == MOST_FILES {
            return Err(GivenError::TooMuch(place));
        }
        found.push(GivenFile { path, content });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_directory_is_given_with_all_below_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir_all(path("sub/deep")).unwrap();
        fs::write(path("sub/run"), "x").unwrap();
        fs::set_permissions(path("sub/run"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(path("a"), "").unwrap();
        symlink("sub/run", path("link")).unwrap();
        let found = given_files(directory.path()).unwrap();
        let shown: Vec<_> = found.iter().map(|file| (&*file.path, file.content.state())).collect();
        let directory = FileState::Directory { permissions: 0o755 };
        let regular =
            |permissions, text: &str| FileState::Regular { permissions, bytes: text.into() };
        let expected = [
            ("a", regular(0o644, "")),
            ("link", FileState::Link(b"sub/run".to_vec())),
            ("sub", directory.clone()),
            ("sub/deep", directory),
            ("sub/run", regular(0o755, "x")),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn different_paths_are_different_texts() {
        let paths = [&b"a/b"[..], "ä".as_bytes(), b"\xff", b"\\xff", b"\xfe\\"];
        let texts = paths.map(path_text);
        assert_eq!(texts, ["a/b", "ä", "\\xff", "\\\\xff", "\\xfe\\\\"]);
    }

    #[test]
    fn a_file_is_no_directory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(given_files(file.path()), Err(GivenError::Io { .. })));
        assert!(crate::subject::files_below(file.path()).is_err());
    }

    #[test]
    fn what_cannot_be_given_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        assert!(given_files(&missing).unwrap_err().to_string().contains("missing: No such file"));
        fs::write(directory.path().join("big"), vec![0; MOST_BYTES + 1]).unwrap();
        assert!(given_files(directory.path()).unwrap_err().to_string().contains("big: too much"));
        fs::remove_file(directory.path().join("big")).unwrap();
        let socket = directory.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(given_files(directory.path()).unwrap_err().to_string().contains("socket: neither"));
    }
}
