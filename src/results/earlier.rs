//! Keeps the tests of an earlier run while a new one replaces them. A run can be killed at any
//! moment, so each test stays in `earlier/` until the new results, which contain it again, are
//! whole.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    directory::{ResultsDir, SCRIPT},
    error::ResultsError,
    write::PARTIAL,
};

impl ResultsDir {
    /// The files of the tests that earlier runs left, without duplicates. If a run was killed
    /// before it had run all tests of the one before it, the tests of both are left.
    ///
    /// # Errors
    /// A directory or a file cannot be read.
    pub fn left_tests(&self) -> Result<Vec<PathBuf>, ResultsError> {
        let mut contents = Vec::new();
        let mut files = Vec::new();
        let unfinished = self.unfinished();
        let places = [self, &unfinished].map(|place| [place.earlier(), place.tests()]);
        for directory in places.into_iter().flatten() {
            for file in ktest_files(&directory)? {
                let content = fs::read(&file).map_err(io_at(&file))?;
                if !contents.contains(&content) {
                    contents.push(content);
                    files.push(file);
                }
            }
        }
        Ok(files)
    }

    /// Puts the tests of the results aside, so that others can take their place and none is lost
    /// before [`Self::forget_tests`]. They keep their order, after those that were put aside
    /// before.
    ///
    /// # Errors
    /// A file cannot be moved, or something in `tests/` is not a test.
    pub fn put_tests_aside(&self) -> Result<(), ResultsError> {
        let earlier = self.earlier();
        fs::create_dir_all(&earlier).map_err(io_at(&earlier))?;
        let last = ktest_files(&earlier)?.last().and_then(|file| number(file)).unwrap_or(0);
        for (file, number) in ktest_files(&self.tests())?.into_iter().zip(last + 1..) {
            let to = earlier.join(format!("{number:08}.ktest"));
            fs::rename(&file, &to).map_err(io_at(&file))?;
        }
        // They are made again for the tests of the new results.
        self.drop_scripts(&self.tests())?;
        self.drop_directory(&self.tests())
    }

    /// Removes the tests that were put aside.
    ///
    /// # Errors
    /// A file cannot be removed, or is not a test.
    pub fn forget_tests(&self) -> Result<(), ResultsError> {
        self.drop_tests(&self.earlier())
    }

    /// Removes the tests of the results and those that were put aside.
    ///
    /// # Errors
    /// A file cannot be removed, or is not a test.
    pub fn remove_tests(&self) -> Result<(), ResultsError> {
        self.drop_tests(&self.tests())?;
        self.forget_tests()
    }

    pub(super) fn drop_tests(&self, directory: &Path) -> Result<(), ResultsError> {
        for file in ktest_files(directory)? {
            fs::remove_file(&file).map_err(io_at(&file))?;
        }
        self.drop_scripts(directory)?;
        self.drop_directory(directory)
    }

    fn drop_scripts(&self, directory: &Path) -> Result<(), ResultsError> {
        let mut scripts = files(directory)?.into_iter().filter(|file| is_script(file));
        scripts.try_for_each(|file| fs::remove_file(&file).map_err(io_at(&file)))
    }

    /// Removes a directory that has no tests any more, with the files that a run was writing when
    /// it was killed. Anything else in it was not written by a run, and is an error.
    fn drop_directory(&self, directory: &Path) -> Result<(), ResultsError> {
        remove_partial(directory)?;
        match fs::remove_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                let entry = fs::read_dir(directory).ok().and_then(|mut all| all.next()?.ok());
                let name = entry.map(|entry| entry.path()).unwrap_or_default();
                let name = name.strip_prefix(self.path()).unwrap_or(&name).display().to_string();
                Err(ResultsError::Foreign { path: self.path().into(), name })
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_at(directory)(error)),
            _ => Ok(()),
        }
    }
}

/// Removes files that were not completely written because their run was killed.
pub(super) fn remove_partial(directory: &Path) -> Result<(), ResultsError> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(io_at(directory))?;
        if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
            fs::remove_file(entry.path()).map_err(io_at(directory))?;
        }
    }
    Ok(())
}

/// The tests in a directory, in the order of their names; none if there is no directory.
///
/// # Errors
/// The directory cannot be read.
pub fn ktest_files(directory: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let mut files = files(directory)?;
    files.retain(|file| is_ktest(file));
    files.sort();
    Ok(files)
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(io_at(directory))?,
    };
    entries.map(|entry| Ok(entry.map_err(io_at(directory))?.path())).collect()
}

/// Whether a file in a directory of tests belongs to a test.
pub(super) fn is_of_test(file: &Path) -> bool {
    is_ktest(file) || is_script(file)
}

/// Whether a file is a test. One that is still being written has another extension.
fn is_ktest(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "ktest")
}

fn is_script(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == SCRIPT) && number(file).is_some()
}

fn number(file: &Path) -> Option<u32> {
    file.file_stem()?.to_str()?.parse().ok()
}

pub(super) fn io_at(path: &Path) -> impl Fn(io::Error) -> ResultsError + '_ {
    move |source| ResultsError::Io { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::TestId;

    fn contents(results: &ResultsDir) -> Vec<Vec<u8>> {
        results.left_tests().unwrap().iter().map(|file| fs::read(file).unwrap()).collect()
    }

    #[test]
    fn tests_put_aside_are_left_until_they_are_forgotten() {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path()).unwrap();
        results.write_file("tests/0001.ktest", b"a").unwrap();
        results.write_file("tests/0002.ktest", b"b").unwrap();
        results.write_script(TestId(2), "#!/bin/sh\n").unwrap();
        results.put_tests_aside().unwrap();
        assert!(!results.tests().exists());
        // A run that was killed had run one of them again, found another, and begun to write a
        // third.
        results.write_file("tests/0001.ktest", b"b").unwrap();
        results.write_file("tests/0002.ktest", b"c").unwrap();
        results.write_file("tests/.psychic-x1", b"d").unwrap();
        assert_eq!(contents(&results), [b"a", b"b", b"c"]);
        results.put_tests_aside().unwrap();
        assert_eq!(contents(&results), [b"a", b"b", b"c"]);
        results.write_file("tests/0001.ktest", b"a").unwrap();
        results.forget_tests().unwrap();
        assert_eq!(contents(&results), [b"a"]);
        results.write_script(TestId(1), "#!/bin/sh\n").unwrap();
        results.remove_tests().unwrap();
        assert_eq!(contents(&results), [[0u8; 1]; 0]);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
