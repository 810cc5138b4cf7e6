//! The files that a whole program finds in the directory it starts in.

use std::{
    fs, io,
    os::unix::{ffi::OsStringExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// The most files there may be, directories included.
const MOST_FILES: usize = 1000;
/// The most bytes of all together.
const MOST_BYTES: usize = 4 << 20;

/// A file below the start directory.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct GivenFile {
    /// Path relative to the start directory, with `/`.
    pub path: String,
    /// What it is.
    pub content: Given,
}

/// What a file is. Of its permissions there stays what git keeps: whether the owner may execute it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Given {
    /// A directory.
    Directory,
    /// A regular file.
    Regular {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A symbolic link to there.
    Link(Vec<u8>),
}

impl Given {
    /// Permission bits that it has for the program.
    pub fn permissions(&self) -> u32 {
        match self {
            Self::Regular { executable: false, .. } => 0o644,
            Self::Link(_) => 0o777,
            Self::Regular { executable: true, .. } | Self::Directory => 0o755,
        }
    }
}

/// Why a directory cannot be given to a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GivenError {
    /// Something cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// What was read.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
    /// A name is no text.
    #[error("{}: a file's name has to be UTF-8", .0.display())]
    Name(PathBuf),
    /// A device, a socket or a pipe.
    #[error("{}: neither a file, a directory nor a link", .0.display())]
    Kind(PathBuf),
    /// More than a program's memory should hold.
    #[error("{}: too much to start with (more than {MOST_FILES} files or 4 MiB)", .0.display())]
    TooMuch(PathBuf),
}

/// Everything below a directory, by path, so that a directory comes before what it holds.
///
/// # Errors
/// [`GivenError`] names the file.
pub fn given_files(directory: &Path) -> Result<Vec<GivenFile>, GivenError> {
    let mut found = Vec::new();
    let mut room = MOST_BYTES;
    let mut open = vec![(String::new(), directory.to_owned())];
    while let Some((prefix, directory)) = open.pop() {
        let io = |error| GivenError::Io { path: directory.clone(), error };
        for entry in fs::read_dir(&directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            let place = entry.path();
            let io = |error| GivenError::Io { path: place.clone(), error };
            let name =
                entry.file_name().into_string().map_err(|_| GivenError::Name(place.clone()))?;
            let path = format!("{prefix}{name}");
            let metadata = fs::symlink_metadata(&place).map_err(io)?;
            let content = if metadata.is_dir() {
                open.push((format!("{path}/"), place.clone()));
                Given::Directory
            } else if metadata.is_symlink() {
                Given::Link(fs::read_link(&place).map_err(io)?.into_os_string().into_vec())
            } else if metadata.is_file() {
                let bytes = fs::read(&place).map_err(io)?;
                room = room
                    .checked_sub(bytes.len())
                    .ok_or_else(|| GivenError::TooMuch(place.clone()))?;
                Given::Regular { bytes, executable: metadata.permissions().mode() & 0o100 != 0 }
            } else {
                return Err(GivenError::Kind(place));
            };
            if found.len() == MOST_FILES {
                return Err(GivenError::TooMuch(place));
            }
            found.push(GivenFile { path, content });
        }
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
        let shown: Vec<_> =
            found.iter().map(|file| (&*file.path, file.content.permissions())).collect();
        let expected = [
            ("a", 0o644),
            ("link", 0o777),
            ("sub", 0o755),
            ("sub/deep", 0o755),
            ("sub/run", 0o755),
        ];
        assert_eq!(shown, expected);
        assert_eq!(found[1].content, Given::Link(b"sub/run".to_vec()));
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
