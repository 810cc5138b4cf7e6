//! A subject without a `subject.toml`: a C file and its candidates, each wherever it is.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    Form, Patch, Revision, Subject, SubjectConfig, SubjectError, config_file::is_plain, source,
};

impl Subject {
    /// The subject whose original is one C file. Candidates are files that replace it and diffs of
    /// it, numbered from 1 in the order given. LLVM modules are possible, too, if all files are
    /// modules.
    ///
    /// All revisions are compiled in the directory of the original, so `#include "x.h"` means the
    /// header there, wherever the candidate is. No other C file is a part of the program. The name
    /// of the subject is that of the original without its ending. Everything else that a
    /// `subject.toml` can say has its default, except for `entry`.
    ///
    /// # Errors
    /// There are no candidates, a file cannot be read or is given twice, or the forms of the files
    /// do not go together. The error names the file.
    pub fn of_files(
        original: &Path,
        candidates: &[PathBuf],
        entry: Option<&str>,
    ) -> Result<Self, SubjectError> {
        if candidates.is_empty() {
            return Err(SubjectError::Alone(original.to_owned()));
        }
        let place = located(original)?;
        if Form::of(&place) == Form::Diff {
            return Err(SubjectError::DiffAsOriginal(original.to_owned()));
        }
        let mut known = BTreeSet::from([place.clone()]);
        let mut patches = Vec::new();
        for (number, candidate) in (1..).zip(candidates) {
            let path = located(candidate)?;
            if !known.insert(path.clone()) {
                return Err(SubjectError::Twice(candidate.to_owned()));
            }
            let (revision, form) = (Revision(number), Form::of(&path));
            patches.push(Patch { revision, form, name: candidate.display().to_string(), path });
        }
        let (Some(dir), Some(file)) = (place.parent(), place.file_name()) else {
            return Err(SubjectError::NoFile(original.to_owned()));
        };
        let mut config = SubjectConfig::named(name_of(&place));
        config.sources = vec![file.into()];
        if let Some(entry) = entry {
            entry.clone_into(&mut config.entry);
        }
        source::check_forms(&config, &patches)
            .map_err(|fault| SubjectError::Mixed(fault.message))?;
        Ok(Self {
            sources: config.sources.clone(),
            config,
            dir: dir.to_owned(),
            root: dir.to_owned(),
            commit: None,
            patches,
            files: Vec::new(),
            times: Default::default(),
            tests: Default::default(),
            reference: None,
            labels: Default::default(),
        })
    }
}

/// The name of a subject whose original is this file.
pub(crate) fn name_of(original: &Path) -> String {
    let file = original.file_name().unwrap_or_default();
    let names = [original.file_stem().unwrap_or(file), file].map(|name| name.to_string_lossy());
    let name = names.iter().find(|name| is_plain(name)).unwrap_or(&names[1]);
    name.clone().into_owned()
}

/// The absolute path of a file. If it is a link, it remains one: a compiler, too, looks for headers
/// beside the link.
fn located(file: &Path) -> Result<PathBuf, SubjectError> {
    let is_file = fs::metadata(file).map_err(SubjectError::io(file))?.is_file();
    let absolute = std::path::absolute(file).map_err(SubjectError::io(file))?;
    let (true, Some(dir), Some(name)) = (is_file, absolute.parent(), absolute.file_name()) else {
        return Err(SubjectError::NoFile(file.to_owned()));
    };
    let place = dir.canonicalize().map_err(SubjectError::io(dir))?.join(name);
    if place.to_str().is_none() || file.to_str().is_none() {
        return Err(SubjectError::NotUtf8(file.to_owned()));
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn directory(files: &[&str]) -> TempDir {
        let dir = TempDir::new().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    fn loaded(dir: &TempDir, files: &[&str]) -> Result<Subject, String> {
        let files: Vec<PathBuf> = files.iter().map(|file| dir.path().join(file)).collect();
        let subject = Subject::of_files(&files[0], &files[1..], None);
        subject.map_err(|e| e.to_string().replace(&format!("{}/", dir.path().display()), ""))
    }

    #[test]
    fn candidates_are_numbered_as_given() {
        let dir = directory(&["src/old.c", "z.c", "b/z.c", "b/y.patch"]);
        let subject = loaded(&dir, &["src/old.c", "z.c", "src/../b/z.c", "b/y.patch"]).unwrap();
        assert_eq!((&*subject.config.name, &*subject.config.entry), ("old", "main"));
        assert_eq!(subject.sources, [PathBuf::from("old.c")]);
        assert_eq!(subject.root, dir.path().canonicalize().unwrap().join("src"));
        let patches = subject.patches.iter().map(|p| (p.revision.0, p.form, p.path.is_file()));
        let expected = [(1, Form::File, true), (2, Form::File, true), (3, Form::Diff, true)];
        assert_eq!(patches.collect::<Vec<_>>(), expected);
        assert!(subject.patches[1].name.ends_with("src/../b/z.c"), "{:?}", subject.patches);
    }

    #[test]
    fn the_same_file_twice_and_a_link_to_it() {
        let dir = directory(&["a/old.c", "a/new.c"]);
        symlink("new.c", dir.path().join("a/link.c")).unwrap();
        let twice = loaded(&dir, &["a/old.c", "a/new.c", "a/../a/new.c"]).unwrap_err();
        assert!(twice.starts_with("a/../a/new.c: given twice"), "{twice}");
        assert!(loaded(&dir, &["a/old.c", "a/old.c"]).is_err());
        assert_eq!(loaded(&dir, &["a/old.c", "a/new.c", "a/link.c"]).unwrap().revisions(), 3);
    }

    #[test]
    fn names_that_are_all_ending() {
        let dir = directory(&["..c", "b.c"]);
        assert_eq!(loaded(&dir, &["..c", "b.c"]).unwrap().config.name, "..c");
    }
}
