//! `tree.json`: `{"test": 3, "outcomes": [{"cluster": 0, "revisions": [0, 2], "child": ...}]}` for
//! an inner node, `{"revisions": [0, 2]}` for a leaf.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::decision::{Branch, Tree};
use crate::{
    results::TestId,
    subject::{Revision, RevisionSet},
};

/// The text is not a decision tree.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON of the shape of `tree.json`.
    #[error("not a decision tree: {0}")]
    Shape(#[from] serde_json::Error),
    /// An outcome's revisions are not those of the leaves below.
    #[error(
        "not a decision tree: test {test}, cluster {cluster}: the leaves below have other \
             revisions"
    )]
    Revisions {
        /// The test.
        test: TestId,
        /// The outcome.
        cluster: Revision,
    },
    /// A test has no outcome, or an outcome without a revision of its own, or a revision that has
    /// some of the outcomes but not all. A revision has one outcome, or all of them if the test is
    /// silent on it.
    #[error(
        "not a decision tree: test {test}: every outcome must have revisions of its own, and any \
             others must belong to all outcomes"
    )]
    Outcomes {
        /// The test.
        test: TestId,
    },
}

/// A tree in the shape of `tree.json`.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum JsonTree {
    Node { test: TestId, outcomes: Vec<JsonBranch> },
    Leaf { revisions: RevisionSet },
}

/// A branch in the shape of `tree.json`.
#[derive(Deserialize, Serialize)]
struct JsonBranch {
    cluster: Revision,
    revisions: RevisionSet,
    child: JsonTree,
}

impl Tree {
    /// The text of `tree.json`, ending in a newline.
    pub fn to_json(&self) -> String {
        // It consists of numbers and lists only: JSON can hold it all.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        text + "\n"
    }

    /// Reads `tree.json`.
    ///
    /// # Errors
    /// If the text is not a decision tree, see [`JsonError`].
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        JsonTree::try_into(serde_json::from_str(text)?)
    }
}

/// The shape of `tree.json`.
impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonTree::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(JsonTree::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl From<&Tree> for JsonTree {
    fn from(tree: &Tree) -> Self {
        match tree {
            Tree::Leaf(revisions) => Self::Leaf { revisions: revisions.clone() },
            Tree::Node { test, outcomes } => Self::Node {
                test: *test,
                outcomes: outcomes
                    .iter()
                    .map(|Branch { cluster, revisions, child }| JsonBranch {
                        cluster: *cluster,
                        revisions: revisions.clone(),
                        child: child.into(),
                    })
                    .collect(),
            },
        }
    }
}

impl TryFrom<JsonTree> for Tree {
    type Error = JsonError;

    fn try_from(tree: JsonTree) -> Result<Self, JsonError> {
        let (test, outcomes) = match tree {
            JsonTree::Leaf { revisions } => return Ok(Self::Leaf(revisions)),
            JsonTree::Node { test, outcomes } => (test, outcomes),
        };
        let mut branches = Vec::new();
        for JsonBranch { cluster, revisions, child } in outcomes {
            let child = Tree::try_from(child)?;
            if child.revisions() != revisions {
                return Err(JsonError::Revisions { test, cluster });
            }
            branches.push(Branch { cluster, revisions, child });
        }
        if !are_outcomes(&branches) {
            return Err(JsonError::Outcomes { test });
        }
        Ok(Self::Node { test, outcomes: branches })
    }
}

/// Whether each branch has revisions of its own, and revisions shared by several branches belong to
/// all.
fn are_outcomes(branches: &[Branch]) -> bool {
    let sets = || branches.iter().map(|branch| &branch.revisions);
    let Some(silent) = sets().cloned().reduce(|all, set| all.intersection(&set)) else {
        return false;
    };
    let silent = if branches.len() > 1 { silent } else { RevisionSet::new() };
    let mut seen = silent.clone();
    sets().all(|set| {
        let own = set.len() > silent.len() && seen.intersection(set) == silent;
        seen = seen.union(set);
        own
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = r#"{"test": 3, "outcomes": [
        {"cluster": 0, "revisions": [0, 2], "child": {"revisions": [0, 2]}},
        {"cluster": 1, "revisions": [1, 3], "child": {"test": 1, "outcomes": [
            {"cluster": 0, "revisions": [1], "child": {"revisions": [1]}},
            {"cluster": 3, "revisions": [3], "child": {"revisions": [3]}}]}}]}"#;

    fn three(first: &str, second: &str, third: &str) -> String {
        let branch = |set: &str| {
            format!(r#"{{"cluster": 0, "revisions": {set}, "child": {{"revisions": {set}}}}}"#)
        };
        let branches = [first, second, third].map(branch).join(", ");
        format!(r#"{{"test": 1, "outcomes": [{branches}]}}"#)
    }

    #[test]
    fn a_silent_revision_belongs_to_all_outcomes() {
        let tree = Tree::from_json(&three("[0, 3]", "[1, 3]", "[2, 3]")).unwrap();
        assert_eq!(tree.repeated(), [Revision(3)].into_iter().collect());
        assert_eq!(Tree::from_json(&tree.to_json()).unwrap(), tree);
    }

    #[test]
    fn a_tree_reads_back_as_it_was_written() {
        let tree = Tree::from_json(TREE).unwrap();
        assert_eq!(tree.height(), 2);
        assert_eq!(Tree::from_json(&tree.to_json()).unwrap(), tree);
        let value: serde_json::Value = serde_json::from_str(&tree.to_json()).unwrap();
        assert_eq!(value, serde_json::from_str::<serde_json::Value>(TREE).unwrap());
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for (text, problem) in [
            ("[]", "not a decision tree"),
            (r#"{"test": 1, "outcomes": []}"#, "of its own"),
            (&TREE.replace("[0, 2], \"child\"", "[0], \"child\""), "other revisions"),
            (&TREE.replace("[0, 2]", "[3]"), "of its own"),
            (&TREE.replace("[0, 2]", "[]"), "of its own"),
            (&three("[2, 3]", "[3]", "[4]"), "belong to all"),
        ] {
            let message = Tree::from_json(text).unwrap_err().to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
