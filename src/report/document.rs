//! `results.json`: everything that a run has found, in one file, for programs.
//!
//! Its shape is described by `docs/results.schema.json`. Rows of tables have the names and words of
//! the CSV files. A later version of Psychic may add members; a change of what is there gets
//! another version.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    data::Report,
    labels::{Labels, OutcomeDescription, TestDescription},
    verdicts::Verdicts,
};
use crate::{
    results::{
        ChangeRow, Clustering, CriticalRow, DivergenceRow, InteractionRow, PairRow, RangeRow,
        RevisionRow, SequenceRow, ShareRow, SubsetRow, SummaryRow, TestRow,
    },
    subject::{Revision, RevisionSet},
    tree::{JsonError, Tree},
};

/// The version of the shape.
const VERSION: u32 = 1;

/// The name of the file.
pub const DOCUMENT_FILE: &str = "results.json";

/// The contents of `results.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Document {
    /// The version of this shape, which is 1.
    pub version: u32,
    /// One row about the whole run.
    pub summary: SummaryRow,
    /// The bounds and assumptions under which the verdicts hold, a phrase each.
    pub bounds: Vec<String>,
    /// The revisions, the original first, and the patches that were set aside.
    pub revisions: Vec<RevisionEntry>,
    /// The SHA-256 of each source of the original, in hexadecimal, by the name of its file.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
    /// The revision whose outcomes are right, if one is known.
    #[serde(default)]
    pub reference: Option<Revision>,
    /// Sets of revisions that the tests tell apart from the same others.
    pub classes: Vec<RevisionSet>,
    /// The verdict on each pair of revisions.
    pub pairs: Vec<PairRow>,
    /// The tests, and what the revisions did on them.
    pub tests: Vec<TestEntry>,
    /// The decision tree.
    pub tree: Tree,
    /// Where revisions differ, as ranges of an input that is a number.
    pub ranges: Vec<RangeRow>,
    /// The shares of inputs on which revisions behave differently from the original.
    #[serde(default)]
    pub shares: Vec<ShareRow>,
    /// The divergences, if they were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergences: Option<Vec<DivergenceRow>>,
    /// The changes of a patch, if their interaction was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ChangeRow>>,
    /// The changes that each revision has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsets: Option<Vec<SubsetRow>>,
    /// The changes that interact, for each test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactions: Option<Vec<InteractionRow>>,
    /// The changes that each test runs, and what it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequences: Option<Vec<SequenceRow>>,
    /// The critical sequences of changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<Vec<CriticalRow>>,
}

/// A revision.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RevisionEntry {
    /// Its row in `revisions.csv`.
    #[serde(flatten)]
    pub row: RevisionRow,
    /// The patch as a diff; none for the original.
    pub diff: Option<String>,
}

/// A test.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TestEntry {
    /// Its row in `tests.csv`.
    #[serde(flatten)]
    pub row: TestRow,
    /// Its input.
    #[serde(flatten)]
    pub input: TestDescription,
    /// Its outcomes, by the smallest revisions that had them.
    pub outcomes: Vec<OutcomeEntry>,
}

/// One outcome of a test.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct OutcomeEntry {
    /// The smallest revision that had it.
    pub cluster: Revision,
    /// All revisions that had it.
    pub revisions: RevisionSet,
    /// Whether it is right, if that is known.
    #[serde(default)]
    pub right: Option<bool>,
    /// What could be seen.
    #[serde(flatten)]
    pub outcome: OutcomeDescription,
}

/// Why `results.json`, or the tree beside it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("{}: {source}; `psychic diff` writes it", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is not of the described shape.
    #[error("{}: not results of `psychic diff`: {source}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The file is of another version.
    #[error("{}: version {version}, and this program reads version {VERSION}; run `psychic diff` again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// `tree.json` is no decision tree.
    #[error("{}: {source}", path.display())]
    Tree {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: JsonError,
    },
    /// `tree.json` is of other revisions or tests.
    #[error("{}: not a tree of these results; `psychic tree` makes one", path.display())]
    OtherTree {
        /// The file.
        path: PathBuf,
    },
}

impl Report {
    /// The contents of `results.json`.
    pub fn document(&self) -> Document {
        let revision = |row: &RevisionRow| RevisionEntry {
            row: row.clone(),
            diff: self.diffs.get(&row.revision).cloned(),
        };
        let clusterings: BTreeMap<_, _> =
            self.clusterings.iter().map(|clustering| (clustering.test, clustering)).collect();
        let test = |row: &TestRow| {
            let groups = clusterings.get(&row.test).map(|clustering| clustering.groups());
            let outcome = |(cluster, revisions): (Revision, RevisionSet)| OutcomeEntry {
                outcome: self.outcomes.get(&(row.test, cluster)).cloned().unwrap_or_default(),
                right: self.right.get(&(row.test, cluster)).copied(),
                cluster,
                revisions,
            };
            TestEntry {
                row: row.clone(),
                input: self.inputs.get(&row.test).cloned().unwrap_or_default(),
                outcomes: groups.unwrap_or_default().into_iter().map(outcome).collect(),
            }
        };
        let interaction = self.interaction.as_ref();
        Document {
            version: VERSION,
            summary: self.summary.clone(),
            bounds: self.bounds.clone(),
            revisions: self.revisions.iter().map(revision).collect(),
            sources: self.sources.clone(),
            reference: self.reference,
            classes: self.solution.classes.clone(),
            pairs: self.pairs.clone(),
            tests: self.tests.iter().map(test).collect(),
            tree: self.solution.tree.clone(),
            ranges: self.ranges.clone(),
            shares: self.shares.clone(),
            divergences: self.divergences.clone(),
            changes: interaction.map(|found| found.changes.clone()),
            subsets: interaction.map(|found| found.subsets.clone()),
            interactions: interaction.map(|found| found.interactions.clone()),
            sequences: interaction.map(|found| found.sequences.clone()),
            critical: interaction.map(|found| found.critical.clone()),
        }
    }
}

impl TestEntry {
    /// The outcome of a revision, if it is known.
    pub fn outcome_of(&self, revision: Revision) -> Option<&OutcomeEntry> {
        self.outcomes.iter().find(|entry| entry.revisions.contains(revision))
    }
}

impl OutcomeEntry {
    /// Whether a run failed, was stopped or went on after an error.
    pub fn is_error(&self) -> bool {
        !self.outcome.finding.is_empty() || self.outcome.signal.is_some()
    }
}

impl Document {
    /// Takes the outcomes of a revision for right, except for those that are errors, and forgets
    /// what else was known to be right.
    pub fn take_for_right(&mut self, reference: Revision) {
        self.reference = Some(reference);
        for test in &mut self.tests {
            let right = test
                .outcome_of(reference)
                .filter(|entry| !entry.is_error())
                .map(|entry| entry.cluster);
            for entry in &mut test.outcomes {
                entry.right = right.map(|right| entry.cluster == right);
            }
        }
    }

    /// The text of `results.json`, which is one line.
    pub fn to_json(&self) -> String {
        // Maps have texts for keys, and numbers are finite: JSON can hold it all.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads `results.json` of a results directory.
    ///
    /// # Errors
    /// See [`DocumentError`].
    pub fn read(directory: &Path) -> Result<Self, DocumentError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }

        let path = directory.join(DOCUMENT_FILE);
        let text = fs::read_to_string(&path)
            .map_err(|source| DocumentError::Io { path: path.clone(), source })?;
        let shape = |source| DocumentError::Shape { path: path.clone(), source };
        let Versioned { version } = serde_json::from_str(&text).map_err(shape)?;
        if version != VERSION {
            return Err(DocumentError::Version { path, version });
        }
        serde_json::from_str(&text).map_err(shape)
    }

    /// The tree in use: that of `tree.json` beside, for `psychic tree` may have found another.
    /// Without that file, it is that of the document.
    ///
    /// # Errors
    /// The file cannot be read, or is no tree over the tests of the document.
    pub fn tree_in_use(&self, directory: &Path) -> Result<Tree, DocumentError> {
        let path = directory.join("tree.json");
        if !path.exists() {
            return Ok(self.tree.clone());
        }
        let text = fs::read_to_string(&path)
            .map_err(|source| DocumentError::Io { path: path.clone(), source })?;
        let tree = Tree::from_json(&text)
            .map_err(|source| DocumentError::Tree { path: path.clone(), source })?;
        let is_over = tree.is_over(&self.clusterings());
        if !is_over || tree.revisions() != self.tree.revisions() {
            return Err(DocumentError::OtherTree { path });
        }
        Ok(tree)
    }

    /// Names and descriptions of the revisions, tests and outcomes.
    pub fn labels(&self) -> Labels {
        let rows: Vec<RevisionRow> = self.revisions.iter().map(|entry| entry.row.clone()).collect();
        let outcomes = self.tests.iter().flat_map(|test| {
            let of = |entry: &OutcomeEntry| ((test.row.test, entry.cluster), entry.outcome.clone());
            test.outcomes.iter().map(of)
        });
        Labels {
            inputs: self
                .tests
                .iter()
                .map(|test| (test.row.test, test.input.input.clone()))
                .collect(),
            outcomes: outcomes.collect(),
            ..Labels::of_patches(&rows)
        }
    }

    /// The verdict on each pair of revisions.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.pairs)
    }

    /// The clusterings of the tests.
    pub fn clusterings(&self) -> Vec<Clustering> {
        let clustering = |test: &TestEntry| {
            let outcomes = test.outcomes.iter();
            let of = |entry: &OutcomeEntry| {
                entry.revisions.iter().map(|revision| (revision, entry.cluster)).collect::<Vec<_>>()
            };
            Clustering::new(test.row.test, outcomes.flat_map(of))
        };
        self.tests.iter().map(clustering).collect()
    }
}

/// How files are written: by path, with the kind of each.
pub(super) mod files {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::{report::readable, subject::FileState};

    /// A [`FileState`] with its bytes as text, and its permissions in octal.
    #[derive(Deserialize, Serialize)]
    #[serde(tag = "kind", rename_all = "kebab-case")]
    enum Entry {
        Directory { permissions: String },
        Regular { permissions: String, text: String },
        Link { target: String },
        HardLink { target: String },
        Removed,
    }

    impl From<&FileState> for Entry {
        fn from(state: &FileState) -> Self {
            let octal = |permissions: &u32| format!("{permissions:03o}");
            match state {
                FileState::Directory { permissions } => {
                    Self::Directory { permissions: octal(permissions) }
                }
                FileState::Regular { permissions, bytes } => {
                    Self::Regular { permissions: octal(permissions), text: readable(bytes) }
                }
                FileState::Link(target) => Self::Link { target: readable(target) },
                FileState::HardLink(first) => Self::HardLink { target: first.clone() },
                FileState::Removed => Self::Removed,
            }
        }
    }

    impl Entry {
        fn state(self) -> Result<FileState, std::num::ParseIntError> {
            let octal = |text: String| u32::from_str_radix(&text, 8);
            Ok(match self {
                Self::Directory { permissions } => {
                    FileState::Directory { permissions: octal(permissions)? }
                }
                Self::Regular { permissions, text } => FileState::Regular {
                    permissions: octal(permissions)?,
                    bytes: text.into_bytes(),
                },
                Self::Link { target } => FileState::Link(target.into_bytes()),
                Self::HardLink { target } => FileState::HardLink(target),
                Self::Removed => FileState::Removed,
            })
        }
    }

    pub(in crate::report) fn serialize<S: Serializer>(
        files: &BTreeMap<String, FileState>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(files.iter().map(|(path, state)| (path, Entry::from(state))))
    }

    pub(in crate::report) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, FileState>, D::Error> {
        let entries = BTreeMap::<String, Entry>::deserialize(deserializer)?;
        let state = |(path, entry): (String, Entry)| Ok((path, entry.state()?));
        let files: Result<_, std::num::ParseIntError> = entries.into_iter().map(state).collect();
        files.map_err(serde::de::Error::custom)
    }
}
