//! The places of files in a directory of results.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    error::ResultsError,
    id::TestId,
    table::{Table, read_table, write_table},
    write::{write_whole, write_with},
};

/// The extension of the shell script beside a test.
pub(super) const SCRIPT: &str = "sh";
/// The directory to which a run writes until it has everything.
pub const UNFINISHED: &str = "unfinished";

/// A directory of results.
#[derive(Clone, Debug)]
pub struct ResultsDir {
    pub(super) path: PathBuf,
    /// The lock of the run that has claimed the directory.
    pub(super) lock: Option<Arc<File>>,
}

impl ResultsDir {
    /// Makes the directory if there is none, and checks that files can be written in it.
    ///
    /// # Errors
    /// [`ResultsError::Unwritable`].
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, ResultsError> {
        let path = path.into();
        let probe = std::fs::create_dir_all(&path).and_then(|()| tempfile::tempfile_in(&path));
        match probe {
            Ok(_) => Ok(Self { path, lock: None }),
            Err(source) => Err(ResultsError::Unwritable { path, source }),
        }
    }

    /// Opens the directory as an earlier run left it.
    ///
    /// # Errors
    /// [`ResultsError::NoDirectory`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ResultsError> {
        let path = path.into();
        if path.is_dir() {
            Ok(Self { path, lock: None })
        } else {
            Err(ResultsError::NoDirectory { path })
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory with the readable C of the meta program.
    pub fn meta(&self) -> PathBuf {
        self.path.join("meta")
    }

    /// The file with the explored program, made from the meta program, as LLVM bitcode.
    pub fn bitcode(&self) -> PathBuf {
        self.path.join("meta.bc")
    }

    /// The file with the explored program as a native executable, of a program with a build of its
    /// own.
    pub fn native(&self) -> PathBuf {
        self.path.join("meta.native")
    }

    /// The directory with the inputs of the tests.
    pub fn tests(&self) -> PathBuf {
        self.path.join("tests")
    }

    /// The directory for tests that were put aside.
    pub(super) fn earlier(&self) -> PathBuf {
        self.path.join("earlier")
    }

    /// The results of a run that is not finished: it is still going on, or was killed.
    pub(super) fn unfinished(&self) -> Self {
        Self { path: self.path.join(UNFINISHED), lock: self.lock.clone() }
    }

    /// The file with the input of one test.
    pub fn ktest(&self, test: TestId) -> PathBuf {
        self.tests().join(format!("{:04}.ktest", test.0))
    }

    /// Writes the shell script that runs one test, `NAME.sh` beside its `NAME.ktest`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_script(&self, test: TestId, script: &str) -> Result<(), ResultsError> {
        write_with(&self.ktest(test).with_extension(SCRIPT), script.as_bytes(), 0o777)
    }

    /// The file with the table `T`.
    pub fn table<T: Table>(&self) -> PathBuf {
        self.path.join(T::FILE)
    }

    /// Reads all rows of the table `T`.
    ///
    /// # Errors
    /// The file does not exist, or is not the table; see [`ResultsError`].
    pub fn read<T: Table>(&self) -> Result<Vec<T>, ResultsError> {
        read_table(&self.table::<T>())
    }

    /// Replaces the table `T` by one with `rows`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write<T: Table>(&self, rows: &[T]) -> Result<(), ResultsError> {
        write_table(&self.table::<T>(), rows)
    }

    /// Writes `content` to the file `name` of the directory, completely or not at all, and returns
    /// the path of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_file(&self, name: &str, content: &[u8]) -> Result<PathBuf, ResultsError> {
        let path = self.path.join(name);
        write_whole(&path, content)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unwritable_place_is_named_with_the_option_to_turn() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        std::fs::write(&file, "").unwrap();
        let message = ResultsDir::create(file.join("results")).unwrap_err().to_string();
        assert!(message.contains("file/results") && message.contains("--out"), "{message}");
        assert!(ResultsDir::open(scratch.path().join("none")).is_err());
    }

    #[test]
    fn writing_leaves_nothing_but_the_file() {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path().join("a/b")).unwrap();
        results.write_file("tests/one.txt", b"1").unwrap();
        results.write_file("tests/one.txt", b"2").unwrap();
        let names: Vec<_> = std::fs::read_dir(results.tests()).unwrap().collect();
        assert_eq!(names.len(), 1);
        assert_eq!(std::fs::read(results.tests().join("one.txt")).unwrap(), b"2");
        assert!(results.ktest(TestId(7)).ends_with("tests/0007.ktest"));
    }
}
