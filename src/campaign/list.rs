//! The subjects of a campaign, from directories or from files that list them.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::names::{Names, real};
use crate::subject::CONFIG_FILE;

/// A subject of a campaign.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Member {
    /// Its name, which is that of its directory of results, see [`Names`].
    pub name: String,
    /// The directory with its `subject.toml`.
    pub subject: PathBuf,
}

/// A list of subjects, and options of `psychic diff` for all of them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Campaign {
    /// The subjects, in the order of the list.
    pub members: Vec<Member>,
    /// The options.
    pub options: Vec<String>,
}

/// Why there is no list of subjects.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// A list is not as it should be.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The list.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// A directory is no subject.
    #[error("{}: no {CONFIG_FILE} there{}", path.display(), of.as_ref().map_or_else(String::new, |of| format!(", although {} lists it", of.display())))]
    NoSubject {
        /// The directory.
        path: PathBuf,
        /// The list that names it, if there is one.
        of: Option<PathBuf>,
    },
    /// There is no such file or directory.
    #[error(
        "{}: there is no such file or directory; name directories with a {CONFIG_FILE}, or a .toml \
         or .csv file that lists some", .0.display()
    )]
    Nothing(PathBuf),
    /// Nothing is listed.
    #[error(
        "no subjects: name directories with a {CONFIG_FILE}, or a .toml or .csv file that lists some"
    )]
    Empty,
}

/// A list of subjects as TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    subjects: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
}

impl Campaign {
    /// Reads what `psychic campaign` is given: directories of subjects, directories of such
    /// directories, and files that list them. Paths in a file are relative to it.
    ///
    /// - A `.toml` file has `subjects`, a list of globs, and may have `options`, a list of words.
    /// - A `.csv` file has a column `subject`; other columns are ignored.
    ///
    /// # Errors
    /// See [`ListError`].
    pub fn read(places: &[PathBuf]) -> Result<Self, ListError> {
        let (mut subjects, mut options) = (Vec::new(), Vec::new());
        for place in places {
            match place.extension().and_then(|extension| extension.to_str()) {
                _ if !place.exists() => {
                    return Err(ListError::Nothing(place.clone()));
                }
                Some("toml") if place.is_file() => {
                    let listed = listed(place)?;
                    subjects.extend(matches(place, &listed.subjects)?);
                    options.extend(listed.options);
                }
                Some("csv") if place.is_file() => subjects.extend(rows(place)?),
                _ if place.is_file() => {
                    let message = "a list of subjects is a .toml or .csv file".to_owned();
                    return Err(ListError::Malformed { path: place.clone(), message });
                }
                _ => subjects.extend(below(place)?),
            }
        }
        if subjects.is_empty() {
            return Err(ListError::Empty);
        }
        let mut seen = BTreeSet::new();
        subjects.retain(|subject| seen.insert(real(subject)));
        Ok(Self { members: named(subjects, &mut Names::default()), options })
    }
}

impl Campaign {
    /// This campaign with the names that its subjects have in `names`. Subjects without a name get
    /// one.
    pub(super) fn with(&self, names: &mut Names) -> Self {
        let subjects = self.members.iter().map(|member| member.subject.clone());
        Self { members: named(subjects.collect(), names), options: self.options.clone() }
    }
}

fn named(subjects: Vec<PathBuf>, names: &mut Names) -> Vec<Member> {
    let member = |subject: PathBuf| Member { name: names.of(&subject), subject };
    subjects.into_iter().map(member).collect()
}

fn is_subject(directory: &Path) -> bool {
    directory.join(CONFIG_FILE).is_file()
}

/// A directory that is a subject, or the subjects in it.
fn below(directory: &Path) -> Result<Vec<PathBuf>, ListError> {
    let no_subject = || ListError::NoSubject { path: directory.to_owned(), of: None };
    if is_subject(directory) {
        return Ok(vec![directory.to_owned()]);
    }
    let entries = fs::read_dir(directory).map_err(|_| no_subject())?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|place| is_subject(place));
    found.sort();
    if found.is_empty() { Err(no_subject()) } else { Ok(found) }
}

fn listed(file: &Path) -> Result<Listed, ListError> {
    let text = fs::read_to_string(file)
        .map_err(|source| ListError::Io { path: file.to_owned(), source })?;
    toml::from_str(&text).map_err(|error| ListError::Malformed {
        path: file.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })
}

/// The subjects that globs match. Matches that are no subjects are no error, but a glob that
/// matches no subject is one.
fn matches(file: &Path, globs: &[String]) -> Result<Vec<PathBuf>, ListError> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let malformed = |message: String| ListError::Malformed { path: file.to_owned(), message };
    let mut found = Vec::new();
    for pattern in globs {
        let escaped = glob::Pattern::escape(&directory.display().to_string());
        let whole = Path::new(&escaped).join(pattern);
        let paths = glob::glob(&whole.display().to_string())
            .map_err(|error| malformed(format!("\"{pattern}\": {}", error.msg)))?;
        let before = found.len();
        found.extend(paths.flatten().filter(|place| is_subject(place)));
        if found.len() == before {
            return Err(malformed(format!("no subject matches \"{pattern}\"")));
        }
    }
    Ok(found)
}

fn rows(file: &Path) -> Result<Vec<PathBuf>, ListError> {
    let malformed = |message: String| ListError::Malformed { path: file.to_owned(), message };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_path(file);
    let reader = reader.as_mut().map_err(|error| malformed(error.to_string()))?;
    let headers = reader.headers().map_err(|error| malformed(error.to_string()))?;
    let name = |header: &str| header.trim_start_matches('\u{feff}') == "subject";
    let Some(column) = headers.iter().position(name) else {
        return Err(malformed("no column `subject`".to_owned()));
    };
    let directory = file.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| malformed(error.to_string()))?;
        let Some(subject) = row.get(column).filter(|subject| !subject.is_empty()) else { continue };
        let path = directory.join(subject);
        if !is_subject(&path) {
            return Err(ListError::NoSubject { path, of: Some(file.to_owned()) });
        }
        found.push(path);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::names::tests::tree;

    fn names(campaign: &Campaign) -> Vec<&str> {
        campaign.members.iter().map(|member| member.name.as_str()).collect()
    }

    #[test]
    fn lists_are_read() {
        let scratch = tree(&["a/x", "a/y", "b/x"]);
        let place = |name: &str| scratch.path().join(name);
        let read = |places: &[&str]| {
            Campaign::read(&places.iter().map(|name| place(name)).collect::<Vec<_>>())
        };
        assert_eq!(names(&read(&["a"]).unwrap()), ["x", "y"]);
        assert_eq!(names(&read(&["a", "b/x", "a/../a/x"]).unwrap()), ["x", "y", "b-x"]);
        fs::write(place("list.toml"), "subjects = [\"?/x\"]\noptions = [\"--all-paths\"]\n")
            .unwrap();
        let listed = read(&["list.toml"]).unwrap();
        assert_eq!(names(&listed), ["x", "b-x"]);
        assert_eq!(listed.options, ["--all-paths"]);
        fs::write(place("list.csv"), "\u{feff}bug,subject\n17, a/y\n\n18,b/x\n").unwrap();
        assert_eq!(names(&read(&["list.csv"]).unwrap()), ["y", "x"]);
    }

    #[test]
    fn a_list_says_what_is_wrong_with_it() {
        let scratch = tree(&["a/x"]);
        let place = |name: &str| scratch.path().join(name);
        let message = |name: &str, text: &str| {
            fs::write(place(name), text).unwrap();
            Campaign::read(&[place(name)]).unwrap_err().to_string()
        };
        let missing = message("list.csv", "subject\na/x\na/none\n");
        assert!(missing.contains("a/none") && missing.contains("list.csv"), "{missing}");
        assert!(message("list.csv", "bug\n1\n").contains("no column `subject`"));
        assert!(message("list.csv", "subject\n").contains("no subjects"));
        assert!(message("list.toml", "subjects = [\"z*\"]").contains("no subject matches \"z*\""));
        assert!(message("list.toml", "subject = []").contains("unknown field `subject`"));
        let none = Campaign::read(&[place("nowhere")]).unwrap_err().to_string();
        assert!(none.contains("nowhere: there is no such file"), "{none}");
        assert!(message("list.txt", "a/x").contains(".toml or .csv"));
    }
}
