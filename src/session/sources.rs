//! The source files that debug information names ([`SourceFiles`]).

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use crate::{
    ir::{FileId, Module},
    subject::files_below,
};

/// The source files of a program. Debug information has the names that the compiler was given, and
/// a build may have called the compiler in any directory (`make -C`).
pub(super) struct SourceFiles {
    /// Where the files are. Names may begin with one of these directories.
    roots: Vec<PathBuf>,
    files: Vec<Named>,
    /// The files below the directories, once they were looked for.
    below: OnceLock<BTreeSet<PathBuf>>,
}

/// A file as debug information names it.
struct Named {
    /// The name, without the directory that it begins with.
    given: PathBuf,
    /// What the name means, once that was asked.
    found: OnceLock<Found>,
}

/// What a name means.
#[derive(Debug, PartialEq)]
enum Found {
    /// This file.
    File(PathBuf),
    /// One of several files whose paths end with this one.
    Several(PathBuf),
    /// No file that is there.
    Nowhere,
}

impl Found {
    /// The name, if several files have it.
    fn several(&self) -> Option<&Path> {
        match self {
            Self::Several(name) => Some(name),
            Self::File(_) | Self::Nowhere => None,
        }
    }
}

impl SourceFiles {
    /// The files that `module` names, below `roots`.
    pub(super) fn new(module: &Module, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self::named(&module.files, roots.into_iter().collect())
    }

    fn named(names: &[String], roots: Vec<PathBuf>) -> Self {
        let named = |name: &String| {
            let name = Path::new(name);
            let below = roots.iter().find_map(|root| name.strip_prefix(root).ok());
            let parts = below.unwrap_or(name).components();
            let given = parts.filter(|part| *part != Component::CurDir).collect();
            Named { given, found: OnceLock::new() }
        };
        Self { files: names.iter().map(named).collect(), roots, below: OnceLock::new() }
    }

    /// The path of a file, relative to the root of the sources; `None` if there is no such file, or
    /// if it may be one of several.
    pub(super) fn find(&self, file: FileId) -> Option<&Path> {
        let Named { given, found } = self.files.get(file.0 as usize)?;
        match found.get_or_init(|| self.look_for(given)) {
            Found::File(path) => Some(path),
            Found::Several(_) | Found::Nowhere => None,
        }
    }

    /// The path of a file, or, if it is not found, its name as debug information has it.
    pub(super) fn path(&self, file: FileId) -> Option<&Path> {
        self.find(file).or_else(|| Some(&self.files.get(file.0 as usize)?.given))
    }

    /// The names that were asked for and that several files have.
    pub(super) fn ambiguous(&self) -> BTreeSet<&Path> {
        let found = self.files.iter().filter_map(|file| file.found.get());
        found.filter_map(Found::several).collect()
    }

    /// The text of a file, given by its path.
    pub(super) fn text(&self, path: &Path) -> Option<String> {
        let bytes = self.roots.iter().find_map(|root| fs::read(root.join(path)).ok())?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Looks for the file of a name. If several files fit, it is the one that has an object file
    /// beside it.
    fn look_for(&self, given: &Path) -> Found {
        let is_file = |path: &Path| self.roots.iter().any(|root| root.join(path).is_file());
        if given.is_absolute() || is_file(given) {
            return Found::File(given.to_owned());
        }
        let name: PathBuf =
            given.components().skip_while(|part| *part == Component::ParentDir).collect();
        let found: Vec<&PathBuf> =
            self.below().iter().filter(|file| file.ends_with(&name)).collect();
        let is_compiled = |file: &&&PathBuf| is_file(&file.with_extension("o"));
        let compiled: Vec<&PathBuf> = found.iter().filter(is_compiled).copied().collect();
        match (&found[..], &compiled[..]) {
            ([file], _) | (_, [file]) => Found::File((*file).clone()),
            ([], _) => Found::Nowhere,
            _ => Found::Several(name),
        }
    }

    fn below(&self) -> &BTreeSet<PathBuf> {
        let files = |root: &PathBuf| {
            let mut files = files_below(root).unwrap_or_default();
            files.retain(|file| !root.join(file).is_symlink());
            files
        };
        self.below.get_or_init(|| self.roots.iter().flat_map(files).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_a_file_in_whatever_directory_it_was_compiled() {
        let scratch = tempfile::tempdir().unwrap();
        let [changed, root] = ["changed", "root"].map(|name| scratch.path().join(name));
        for file in [
            "main.c",
            "lib/say.c",
            "lib/both.c",
            "lib/both.o",
            "src/both.c",
            "src/two.h",
            "lib/two.h",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        fs::create_dir(&changed).unwrap();
        fs::write(changed.join("main.c"), "changed").unwrap();
        let own = changed.join("main.c").display().to_string();
        let names =
            [&own, "./main.c", "say.c", "../lib/say.c", "both.c", "two.h", "/usr/x.h", "no.c"];
        let names = names.map(str::to_owned);
        let files = SourceFiles::named(&names, vec![changed, root]);
        let find = |index: usize| files.find(FileId(index as u32)).and_then(Path::to_str);
        let found: Vec<_> = (0..names.len()).map(find).collect();
        let [main, say] = ["main.c", "lib/say.c"].map(Some);
        let expected = [main, main, say, say, Some("lib/both.c"), None, Some("/usr/x.h"), None];
        assert_eq!(found, expected);
        assert_eq!(files.ambiguous(), BTreeSet::from([Path::new("two.h")]));
        assert_eq!(files.path(FileId(7)), Some(Path::new("no.c")));
        let texts = ["main.c", "lib/say.c"].map(|path| files.text(Path::new(path)));
        assert_eq!(texts, ["changed", "lib/say.c"].map(|text| Some(text.to_owned())));
    }
}
