//! What can go wrong with results.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::id::TestId;

/// The file that marks a directory as one for results.
pub use crate::subject::RESULTS_MARK as MARK;

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
             or {}", path.display(), spare(path, name))]
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
    #[error("{}: no results there; run `psychic diff` first, or name the place of its results",
            path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// There is no such table.
    #[error("{}: no such file; name a directory of results, which `psychic diff` or `psychic \
             campaign` has written", .0.display())]
    NoTable(PathBuf),
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

/// Advice for a directory that holds something that no run has written.
fn spare(path: &Path, name: &str) -> String {
    match path.join(MARK).exists() {
        true => format!("move `{name}` elsewhere"),
        false => format!("put an empty file `{MARK}` there if all of it may be replaced"),
    }
}
