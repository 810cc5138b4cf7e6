//! Replaces the results of an earlier run by those of a new one all at once.
//!
//! A run writes to a directory inside the results, `unfinished/`, so that the results are those of
//! a single run at any moment. When everything is written, that directory is renamed to
//! `finished/`, and its files are moved to their places. If a run is killed meanwhile, the next one
//! to find `finished/` does the rest.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    PairRow, ResultsDir, ResultsError, SummaryRow, Table,
    claim::{NAMES, STAGES, TABLES},
    directory::UNFINISHED,
    earlier::{io_at, is_of_test},
    ktest_files,
};

const FINISHED: &str = "finished";
/// The file in `finished/` that marks that old files which the new results lack have been removed.
const MOVING: &str = "moving";
/// The directory of builds. They are not results, but worth keeping, whatever becomes of the run.
const BUILD: &str = "build";
/// What stays in the results although the comparison did not write it.
const KEPT: [&str; 5] = [BUILD, "coverage.info", STAGES, UNFINISHED, FINISHED];

impl ResultsDir {
    /// Makes the directory to which a run writes until it has everything. What an earlier run left
    /// in it is removed or, with `resume`, its tests are kept.
    ///
    /// # Errors
    /// Files cannot be moved or removed, or something among the tests is not a test.
    pub fn begin(&self, resume: bool) -> Result<Self, ResultsError> {
        self.finish_what_was_begun()?;
        for tests in [self.tests(), self.earlier()] {
            self.has_only_tests(&tests)?;
        }
        let unfinished = self.unfinished();
        let work = unfinished.path();
        if resume && work.is_dir() {
            unfinished.put_tests_aside()?;
        } else if work.is_dir() {
            self.abandon()?;
        }
        fs::create_dir_all(work).map_err(io_at(work))?;
        replace(&self.path().join(BUILD), &work.join(BUILD))?;
        Ok(unfinished)
    }

    /// Replaces the earlier results by those of the run, which have all been written.
    ///
    /// # Errors
    /// Files cannot be moved or removed.
    pub fn finish(&self) -> Result<(), ResultsError> {
        let (from, to) = (self.unfinished().path, self.path().join(FINISHED));
        fs::rename(&from, &to).map_err(io_at(&from))?;
        self.finish_what_was_begun()
    }

    /// The directory to which a stage writes that is run on its own. It is `directory`, or one
    /// inside it if `directory` has the results of a comparison, which are to stay.
    pub fn of_stage(directory: &Path) -> PathBuf {
        let is_comparison = |place: &Path| place.join(PairRow::FILE).is_file();
        match is_comparison(directory) || is_comparison(&directory.join(FINISHED)) {
            true => directory.join(STAGES),
            false => directory.to_owned(),
        }
    }

    /// Tidies up after a run that cannot go on: if it has no tests, everything that it wrote is
    /// removed, except its builds.
    ///
    /// # Errors
    /// Files cannot be moved or removed.
    pub fn give_up(&self) -> Result<(), ResultsError> {
        let work = self.unfinished();
        let found = [ktest_files(&work.tests())?, ktest_files(&work.earlier())?];
        if found.iter().all(Vec::is_empty) { self.abandon() } else { Ok(()) }
    }

    /// Leaves the earlier results as they are, and those of the run where it wrote them. Its builds
    /// are for both.
    ///
    /// # Errors
    /// The builds cannot be moved.
    pub fn stand_back(&self) -> Result<(), ResultsError> {
        replace(&self.unfinished().path.join(BUILD), &self.path().join(BUILD))
    }

    /// Removes what a run wrote, except its builds.
    fn abandon(&self) -> Result<(), ResultsError> {
        self.stand_back()?;
        remove(&self.unfinished().path)
    }

    /// The number of pairs of which the results say that nothing is known, if they are those of a
    /// comparison.
    pub fn unknown_pairs(&self) -> Option<u64> {
        Some(self.read::<SummaryRow>().ok()?.pop()?.unknown)
    }

    /// Whether a run in this directory was killed, or interrupted before it could write its
    /// results or could know as much as they do.
    pub fn is_unfinished(directory: &Path) -> bool {
        directory.join(UNFINISHED).is_dir()
    }

    /// If there are results that were completely written, moves them to their places.
    pub(super) fn finish_what_was_begun(&self) -> Result<(), ResultsError> {
        let from = self.path().join(FINISHED);
        if !from.is_dir() {
            return Ok(());
        }
        // Once this file exists, what is missing from `finished/` is already in its place.
        let moving = from.join(MOVING);
        if !moving.is_file() {
            let is_old = |name: &&str| !KEPT.contains(name) && !exists(&from.join(name));
            NAMES
                .into_iter()
                .chain(TABLES)
                .filter(is_old)
                .try_for_each(|name| remove(&self.path().join(name)))?;
            fs::write(&moving, b"").map_err(io_at(&moving))?;
        }
        for entry in fs::read_dir(&from).map_err(io_at(&from))? {
            let name = entry.map_err(io_at(&from))?.file_name();
            if name != MOVING {
                replace(&from.join(&name), &self.path().join(&name))?;
            }
        }
        remove(&from)
    }

    /// Refuses a directory that has anything other than tests.
    fn has_only_tests(&self, directory: &Path) -> Result<(), ResultsError> {
        let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
        for entry in entries {
            let file = entry.map_err(io_at(directory))?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !is_of_test(&file) && !name.starts_with(super::write::PARTIAL) {
                let name = file.strip_prefix(self.path()).unwrap_or(&file).display().to_string();
                return Err(ResultsError::Foreign { path: self.path().into(), name });
            }
        }
        Ok(())
    }
}

/// Whether there is anything at `path`, even a broken link.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Moves `new` to the place of `old`; does nothing if there is no `new`.
fn replace(new: &Path, old: &Path) -> Result<(), ResultsError> {
    if !exists(new) {
        return Ok(());
    }
    if new.is_dir() {
        remove(old)?;
    }
    fs::rename(new, old).map_err(io_at(new))
}

fn remove(path: &Path) -> Result<(), ResultsError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_at(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(results: &ResultsDir, name: &str) -> Option<String> {
        fs::read_to_string(results.path().join(name)).ok()
    }

    #[test]
    fn results_are_those_of_one_run() {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path()).unwrap();
        let run = |number: u32, names: &[&str]| {
            let work = results.begin(false).unwrap();
            for name in names {
                work.write_file(name, number.to_string().as_bytes()).unwrap();
            }
            work
        };
        run(1, &["pairs.csv", "mismatches.txt", "tests/0001.ktest", "build/a.o"]);
        assert_eq!(text(&results, "pairs.csv"), None);
        results.finish().unwrap();
        results.write_file("coverage.info", b"x").unwrap();
        results.write_file("notes.txt", b"x").unwrap();
        // A run that is killed changes nothing, and leaves its tests.
        run(2, &["pairs.csv", "tests/0001.ktest", "tests/0002.ktest"]);
        assert_eq!(text(&results, "pairs.csv").unwrap(), "1");
        assert_eq!(results.left_tests().unwrap().len(), 2);
        assert_eq!(text(&results.begin(true).unwrap(), "build/a.o").unwrap(), "1");
        assert_eq!(results.left_tests().unwrap().len(), 2);
        run(3, &["pairs.csv", "tests/0001.ktest"]);
        // The run is killed when everything is written, and again when some of it is in its place.
        fs::rename(scratch.path().join(UNFINISHED), scratch.path().join(FINISHED)).unwrap();
        remove(&scratch.path().join("mismatches.txt")).unwrap();
        fs::write(scratch.path().join(FINISHED).join(MOVING), b"").unwrap();
        fs::rename(
            scratch.path().join(FINISHED).join("pairs.csv"),
            results.path().join("pairs.csv"),
        )
        .unwrap();
        results.finish_what_was_begun().unwrap();
        let names = ["pairs.csv", "tests/0001.ktest", "build/a.o", "coverage.info", "notes.txt"];
        assert_eq!(
            names.map(|name| text(&results, name).unwrap_or_default()),
            ["3", "3", "1", "x", "x"]
        );
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 5);
        // A run that finds nothing leaves nothing but its builds.
        run(4, &["revisions.csv", "build/b.o"]);
        results.give_up().unwrap();
        assert_eq!(text(&results, "build/b.o").unwrap(), "4");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 5);
    }

    #[test]
    fn what_is_no_test_is_not_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path()).unwrap();
        for name in ["tests/main.rs", "tests/run.sh"] {
            let file = results.write_file(name, b"").unwrap();
            let message = results.begin(false).unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
            fs::remove_file(file).unwrap();
        }
    }
}
