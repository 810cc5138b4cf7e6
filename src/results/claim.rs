//! Claims a directory for results. Files are only written and removed in directories that are for
//! results.
//!
//! A directory can be claimed if it is new, empty, marked by an earlier run, or holds nothing but
//! results that runs without a mark have left. The mark is also the file that a run locks, so that
//! only one run at a time has the directory.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    ChangeRow, ClusterRow, CriticalRow, CsgRow, DistanceRow, DivergenceRow, InteractionRow,
    LabelRow, OutcomeRow, PairRow, RangeRow, RankingRow, ResultsDir, ResultsError, RevisionRow,
    SequenceRow, ShareRow, StateRow, StatsRow, SubsetRow, SummaryRow, Table, TestRow, error::MARK,
    read_table, write::PARTIAL,
};

/// The directory of stages that are run on their own beside the results of a comparison.
pub(super) const STAGES: &str = "stages";

const MARK_TEXT: &str = "Psychic writes its results here, and replaces and removes them.\n";

/// The names that runs use in a results directory beside those of tables.
pub(super) const NAMES: [&str; 39] = [
    "answers.json",
    "build",
    "clusters.pdf",
    "clusters.png",
    "clusters.svg",
    "coverage.info",
    "csg.dot",
    "csg.pdf",
    "csg.png",
    "csg.svg",
    "distances.pdf",
    "distances.png",
    "distances.svg",
    "earlier",
    "explanations.json",
    "finished",
    "inner",
    "meta",
    "meta.asan",
    "meta.bc",
    "meta.msan",
    "meta.native",
    "meta.program.bc",
    "mismatches.txt",
    "progress.pdf",
    "progress.png",
    "progress.svg",
    "report.html",
    "results.json",
    STAGES,
    "subsets",
    "tests",
    "tree.dot",
    "tree.json",
    "tree.pdf",
    "tree.png",
    "tree.svg",
    "tree.tex",
    "unfinished",
];

pub(super) const TABLES: [&str; 20] = [
    ChangeRow::FILE,
    ClusterRow::FILE,
    CriticalRow::FILE,
    CsgRow::FILE,
    DistanceRow::FILE,
    DivergenceRow::FILE,
    InteractionRow::FILE,
    LabelRow::FILE,
    OutcomeRow::FILE,
    PairRow::FILE,
    RangeRow::FILE,
    RankingRow::FILE,
    RevisionRow::FILE,
    SequenceRow::FILE,
    ShareRow::FILE,
    StateRow::FILE,
    StatsRow::FILE,
    SubsetRow::FILE,
    SummaryRow::FILE,
    TestRow::FILE,
];

impl ResultsDir {
    /// Claims the directory for one run, until the returned value and all its clones are dropped.
    /// Makes the directory if there is none.
    ///
    /// # Errors
    /// [`ResultsError::Unwritable`]; [`ResultsError::Foreign`] if the directory holds something
    /// that no run has written; [`ResultsError::Taken`] if another run has claimed it;
    /// [`ResultsError::Io`] if what an earlier run left cannot be tidied up.
    pub fn claim(path: impl Into<PathBuf>) -> Result<Self, ResultsError> {
        let mut results = Self::create(path)?;
        let path = results.path.clone();
        let mark = path.join(MARK);
        if !mark.is_file()
            && let Some(name) = foreign(&path)?
        {
            return Err(ResultsError::Foreign { path, name });
        }
        let unwritable = |source| ResultsError::Unwritable { path: path.clone(), source };
        let Some(mut file) = lock(&mark).map_err(unwritable)? else {
            return Err(ResultsError::Taken { path });
        };
        if file.metadata().map_err(unwritable)?.len() == 0 {
            file.write_all(MARK_TEXT.as_bytes()).map_err(unwritable)?;
        }
        super::earlier::remove_partial(&path)?;
        results.finish_what_was_begun()?;
        results.lock = Some(Arc::new(file));
        Ok(results)
    }
}

/// Locks a file until the returned value is dropped, and makes the file if there is none. `None` if
/// another process has locked it.
///
/// # Errors
/// It cannot be opened or locked.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(source),
    }
}

/// The name of something in the directory that no run has written; `None` if runs may have written
/// everything in it.
fn foreign(directory: &Path) -> Result<Option<String>, ResultsError> {
    let io = |source| ResultsError::Io { path: directory.into(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        names.push(entry.map_err(io)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let ours = |name: &String| {
        NAMES.contains(&name.as_str())
            || TABLES.contains(&name.as_str())
            || name.ends_with(".stamp")
            || name.starts_with(PARTIAL)
    };
    if let Some(name) = names.iter().find(|name| !ours(name)) {
        return Ok(Some(name.clone()));
    }
    // Names such as `tests` and `build` are common: they count only beside a table of ours.
    let is_run = read_table::<RevisionRow>(&directory.join(RevisionRow::FILE)).is_ok()
        || read_table::<StateRow>(&directory.join(StateRow::FILE)).is_ok()
        || read_table::<SummaryRow>(&directory.join(SummaryRow::FILE)).is_ok();
    Ok(names.into_iter().next().filter(|_| !is_run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ours_is_not_taken() {
        for name in ["tests", "build", "notes.txt", "subject.toml"] {
            let scratch = tempfile::tempdir().unwrap();
            fs::create_dir(scratch.path().join(name)).unwrap();
            let message = ResultsDir::claim(scratch.path()).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains("--out"), "{message}");
            assert!(!scratch.path().join(MARK).exists());
        }
    }

    #[test]
    fn results_of_runs_that_set_no_mark_are_taken() {
        let scratch = tempfile::tempdir().unwrap();
        let old = ResultsDir::create(scratch.path()).unwrap();
        old.write::<RevisionRow>(&[]).unwrap();
        old.write_file("tests/0001.ktest", b"").unwrap();
        drop(ResultsDir::claim(scratch.path()).unwrap());
        // Now that there is a mark, other files do not matter.
        old.write_file("notes.txt", b"").unwrap();
        drop(ResultsDir::claim(scratch.path()).unwrap());
    }

    #[test]
    fn one_run_at_a_time() {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().join("new");
        let first = ResultsDir::claim(&place).unwrap();
        let clone = first.clone();
        drop(first);
        let error = ResultsDir::claim(&place).unwrap_err();
        assert!(matches!(error, ResultsError::Taken { .. }), "{error}");
        drop(clone);
        drop(ResultsDir::claim(&place).unwrap());
    }
}
