//! Files are written whole, or not at all.

use std::{
    fs::Permissions,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use super::error::ResultsError;

/// The prefix of the names of files that are not completely written yet.
pub(super) const PARTIAL: &str = ".psychic-";

/// Writes `content` to the file `path`, and makes its directory if there is none. A reader of the
/// file meanwhile sees either the old content or the new.
///
/// # Errors
/// The file cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), ResultsError> {
    write_with(path, content, 0o666)
}

/// Writes a file that the user named, as [`write_whole`] does. But of a symbolic link, the target is
/// written, and devices and pipes are written as they are.
///
/// # Errors
/// The file cannot be written.
pub fn write_named(path: &Path, content: &[u8]) -> Result<(), ResultsError> {
    let target = path.canonicalize();
    let target = target.as_deref().unwrap_or(path);
    match target.metadata() {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            std::fs::write(target, content)
                .map_err(|source| ResultsError::Io { path: path.into(), source })
        }
        _ => write_whole(target, content),
    }
}

/// Writes a file as [`write_whole`] does, with these permissions before the umask.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_with(path: &Path, content: &[u8], mode: u32) -> Result<(), ResultsError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let write = || {
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::Builder::new()
            .prefix(PARTIAL)
            // A temporary file would by default be accessible to its owner only.
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(directory)?;
        file.write_all(content)?;
        file.persist(path)?;
        io::Result::Ok(())
    };
    write().map_err(|source| ResultsError::Io { path: path.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| directory.path().join(name));
        std::fs::write(&file, b"").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        for content in [b"one", b"two"] {
            write_named(&link, content).unwrap();
            assert!(link.is_symlink());
            assert_eq!(std::fs::read(&file).unwrap(), content);
        }
    }
}
