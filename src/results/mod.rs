//! The layout of a results directory: its files, and what their columns mean.
//!
//! Every file is whole at any moment: it is written under another name and then renamed, so that an
//! interrupted run leaves what it had found before. The tables are CSV as in RFC 4180, in UTF-8,
//! with a header row and `\n` line ends. Columns are read by their names in the header, so that
//! files of other tools can be read, too; their additional columns are ignored.
//!
//! ```
//! use psychic::results::{ClusterRow, ResultsDir, TestId};
//! use psychic::subject::Revision;
//!
//! let scratch = tempfile::tempdir()?;
//! let results = ResultsDir::create(scratch.path().join("smallest"))?;
//! let row = ClusterRow { test: TestId(1), revision: Revision(2), cluster: Revision(0) };
//! results.write(&[row.clone()])?;
//! assert_eq!(results.read::<ClusterRow>()?, [row]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    fmt,
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

mod cell;
mod claim;
mod clustering;
mod earlier;
mod rows;
mod table;
mod unfinished;

pub use cell::Cell;
pub use claim::MARK;
pub use clustering::{Clustering, clusterings, read_clusterings};
pub use earlier::ktest_files;
pub use rows::{
    ClusterRow, Code, FoundBy, OutcomeRow, PairRow, RangeRow, RevisionRow, StateRow, StatsRow,
    Status, SummaryRow, TestRow, Verdict,
};
pub use table::{Table, read_table, write_table};

/// The prefix of the names of files that are not completely written yet.
const UNFINISHED: &str = ".psychic-";

/// Number of a differential test: `tests/NNNN.ktest`.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(transparent)]
pub struct TestId(pub u32);

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Number of a halt state in `states.csv`.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(transparent)]
pub struct StateId(pub u32);

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What can go wrong with a results directory or a file in it.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The directory cannot be made or written to.
    #[error("{}: results cannot be written there ({source}); choose another place with --out",
            path.display())]
    Unwritable {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The directory holds something that no run has written.
    #[error("{}: not a directory of results, it has `{name}`; choose another place with --out, \
             or put an empty file `{mark}` there if all of it may be replaced",
            path.display(), mark = MARK)]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// The name of what no run has written.
        name: String,
    },
    /// Another run is writing its results to the directory.
    #[error("{}: another run is writing its results there; wait for it, or choose another place \
             with --out", path.display())]
    Taken {
        /// The directory.
        path: PathBuf,
    },
    /// The results directory does not exist.
    #[error("{}: no results there; run `psychic diff` first or name another place with --out",
            path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is not CSV.
    #[error("{}: not CSV: {source}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: csv::Error,
    },
    /// A column that the table needs is not in the header row.
    #[error("{}: no column `{column}`; its header row must have {expected}", path.display())]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The missing column.
        column: &'static str,
        /// All columns that the table must have.
        expected: String,
    },
    /// A cell does not hold a value of its column's type.
    #[error("{}:{line}: column `{column}`: `{value}` is not {expected}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// The line of the file, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// The text of the cell.
        value: String,
        /// What the cell should hold.
        expected: String,
    },
    /// `clusters.csv` puts one revision into two clusters of one test.
    #[error("{}: test {test} has revision {revision} in two clusters", path.display())]
    TwoClusters {
        /// The file.
        path: PathBuf,
        /// The test.
        test: TestId,
        /// The revision.
        revision: crate::subject::Revision,
    },
}

/// A directory of results.
#[derive(Clone, Debug)]
pub struct ResultsDir {
    path: PathBuf,
    /// The lock of the run that has claimed the directory.
    lock: Option<Arc<File>>,
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

    /// The file with the input of one test.
    pub fn ktest(&self, test: TestId) -> PathBuf {
        self.tests().join(format!("{:04}.ktest", test.0))
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

/// Writes `content` to the file `path`, and makes its directory if there is none. Whoever reads the
/// file meanwhile sees either the old content or the new.
///
/// # Errors
/// The file cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), ResultsError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let write = || {
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .permissions(permissions())
            .tempfile_in(directory)?;
        file.write_all(content)?;
        file.persist(path)?;
        io::Result::Ok(())
    };
    write().map_err(|source| ResultsError::Io { path: path.into(), source })
}

/// The usual permissions of a new file, before the umask. A temporary file would by default be
/// accessible to its owner only.
fn permissions() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
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
