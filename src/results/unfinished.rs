//! A run's results take the place of those before all at once.
//!
//! A run writes to a directory of its own inside the results, `unfinished/`, and so the results are
//! at any moment those of one run. When all are written that directory becomes `finished/`, and its
//! files are put in their places; whoever finds one there, because a run was killed at that, does
//! the rest.

use std::{fs, io, path::Path};

use super::{
    ResultsDir, ResultsError,
    claim::{NAMES, TABLES},
    earlier::io_at,
    ktest_files,
};

const UNFINISHED: &str = "unfinished";
const FINISHED: &str = "finished";
/// In it, once what is not among the results any more is gone.
const MOVING: &str = "moving";
/// What was built is no result: it is worth keeping, whatever becomes of the run.
const BUILD: &str = "build";
/// What a run that compares does not write.
const KEPT: [&str; 4] = [BUILD, "coverage.info", UNFINISHED, FINISHED];

impl ResultsDir {
    /// Where a run writes until it has everything; what an earlier one left there is taken up, or
    /// else removed.
    ///
    /// # Errors
    /// Files cannot be moved or removed; there is something among the tests that is none.
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

    /// Puts the results of a run in the place of the ones before.
    ///
    /// # Errors
    /// Files cannot be moved or removed.
    pub fn finish(&self) -> Result<(), ResultsError> {
        let (from, to) = (self.unfinished().path, self.path().join(FINISHED));
        fs::rename(&from, &to).map_err(io_at(&from))?;
        self.finish_what_was_begun()
    }

    /// Leaves of a run that cannot go on the tests that it found, and else nothing.
    ///
    /// # Errors
    /// Files cannot be moved or removed.
    pub fn give_up(&self) -> Result<(), ResultsError> {
        let work = self.unfinished();
        let found = [ktest_files(&work.tests())?, ktest_files(&work.earlier())?];
        if found.iter().all(Vec::is_empty) { self.abandon() } else { Ok(()) }
    }

    /// Removes what a run wrote.
    fn abandon(&self) -> Result<(), ResultsError> {
        let work = self.unfinished().path;
        replace(&work.join(BUILD), &self.path().join(BUILD))?;
        remove(&work)
    }

    /// The results of a run that goes on, or was killed.
    pub(super) fn unfinished(&self) -> Self {
        Self { path: self.path().join(UNFINISHED), lock: self.lock.clone() }
    }

    /// Puts results in their places that were all written.
    pub(super) fn finish_what_was_begun(&self) -> Result<(), ResultsError> {
        let from = self.path().join(FINISHED);
        if !from.is_dir() {
            return Ok(());
        }
        let names = || NAMES.into_iter().chain(TABLES);
        // From then on what is not there any more is in its place.
        let moving = from.join(MOVING);
        if !moving.is_file() {
            let is_old = |name: &&str| !KEPT.contains(name) && !exists(&from.join(name));
            names().filter(is_old).try_for_each(|name| remove(&self.path().join(name)))?;
            fs::write(&moving, b"").map_err(io_at(&moving))?;
        }
        names().try_for_each(|name| replace(&from.join(name), &self.path().join(name)))?;
        remove(&from)
    }

    /// Refuses a directory that has something else than tests.
    fn has_only_tests(&self, directory: &Path) -> Result<(), ResultsError> {
        let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
        for entry in entries {
            let file = entry.map_err(io_at(directory))?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let is_test = file.extension().is_some_and(|extension| extension == "ktest");
            if !is_test && !name.starts_with(super::UNFINISHED) {
                let name = file.strip_prefix(self.path()).unwrap_or(&file).display().to_string();
                return Err(ResultsError::Foreign { path: self.path().into(), name });
            }
        }
        Ok(())
    }
}

/// Whether there is something of that name.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Puts what is there in the place of something else.
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
        // Killed when everything was written, and again when some of it was in its place.
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
        // What comes to nothing leaves nothing.
        run(4, &["revisions.csv", "build/b.o"]);
        results.give_up().unwrap();
        assert_eq!(text(&results, "build/b.o").unwrap(), "4");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 5);
    }

    #[test]
    fn what_is_no_test_is_not_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path()).unwrap();
        results.write_file("tests/main.rs", b"").unwrap();
        let message = results.begin(false).unwrap_err().to_string();
        assert!(message.contains("tests/main.rs"), "{message}");
        assert!(results.tests().join("main.rs").is_file());
    }
}
