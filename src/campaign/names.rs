//! The names of subjects in a campaign. Once given, a name stays, whatever other subjects come.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use crate::subject::CONFIG_FILE;

/// The names that subjects have, by the real paths of their directories.
///
/// A new subject gets the name of its directory or, if another subject has that name, more and more
/// of its path, with `-` for `/`. A number is added if all of these are taken. Two names never
/// differ in case alone, as they are names of files.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Names {
    given: BTreeMap<PathBuf, String>,
    /// In lower case.
    taken: BTreeSet<String>,
}

impl Names {
    /// The names that an earlier run gave. A name whose subject is gone is free again: a directory
    /// that was moved keeps its name.
    pub(super) fn of_earlier(names: impl IntoIterator<Item = (String, PathBuf)>) -> Self {
        let mut known = Self::default();
        for (name, path) in names {
            let path = real(&path);
            if path.join(CONFIG_FILE).is_file()
                && !known.given.contains_key(&path)
                && known.taken.insert(name.to_lowercase())
            {
                known.given.insert(path, name);
            }
        }
        known
    }

    /// The name of a subject, which gets one if it has none.
    pub(super) fn of(&mut self, subject: &Path) -> String {
        let path = real(subject);
        if let Some(name) = self.given.get(&path) {
            return name.clone();
        }
        let part = |part: Component<'_>| match part {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        };
        let parts: Vec<String> = path.components().filter_map(part).collect();
        let longer = (0..parts.len()).rev().map(|from| parts[from..].join("-"));
        let last = parts.last().cloned().unwrap_or_default();
        let numbered = (2..).map(|number: u32| format!("{last}~{number}"));
        let mut free = longer.chain(numbered).filter(|name| self.taken.insert(name.to_lowercase()));
        let name = free.next().unwrap_or_default();
        self.given.insert(path, name.clone());
        name
    }

    /// All names, and the real paths of their subjects.
    pub(super) fn all(&self) -> BTreeMap<&str, &Path> {
        self.given.iter().map(|(path, name)| (name.as_str(), path.as_path())).collect()
    }
}

/// The real path of a file or directory, whatever links lead to it.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A directory with subjects of these names.
    pub(in crate::campaign) fn tree(names: &[&str]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        for name in names {
            fs::create_dir_all(scratch.path().join(name)).unwrap();
            fs::write(scratch.path().join(name).join(CONFIG_FILE), "").unwrap();
        }
        scratch
    }

    #[test]
    fn a_name_stays_when_others_come() {
        let scratch = tree(&["a/x", "b/x", "a-x/x", "a-x", "c/X"]);
        let place = |name: &str| scratch.path().join(name);
        let mut names = Names::default();
        assert_eq!(names.of(&place("b/x")), "x");
        assert_eq!(names.of(&place("a/x")), "a-x");
        // `-` in names does not make two the same, nor does case.
        let rest = ["a-x/x", "a-x", "c/X", "b/../b/x"].map(|name| names.of(&place(name)));
        let root = scratch.path().file_name().unwrap().to_string_lossy().into_owned();
        let expected = ["a-x-x".to_owned(), format!("{root}-a-x"), "c-X".into(), "x".into()];
        assert_eq!(rest, expected);
        // The next run hears of them in another order.
        let all: Vec<(String, PathBuf)> =
            names.all().into_iter().map(|(name, path)| (name.into(), path.into())).collect();
        let mut again = Names::of_earlier(all.clone());
        assert_eq!(again, names);
        assert_eq!(again.of(&place("a/x")), "a-x");
        // A directory that is gone frees its name.
        fs::rename(place("b"), place("moved")).unwrap();
        assert_eq!(Names::of_earlier(all).of(&place("moved/x")), "x");
    }
}
