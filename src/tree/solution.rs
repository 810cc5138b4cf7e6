//! The settings and the result of a search.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::decision::{Tree, weight};
use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
};

/// What matters most about a tree.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Objective {
    /// The height: the most questions that a person may have to answer.
    #[default]
    Height,
    /// The depth under the prior, whatever the height.
    Depth,
}

/// The settings of the search.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What matters most.
    pub objective: Objective,
    /// How long to search; `None` to search to the end.
    pub time: Option<Duration>,
    /// How likely each revision is to be the right one, relative to the others; 1 if it is not
    /// there. Whole numbers keep ties exact.
    pub prior: BTreeMap<Revision, u32>,
    /// The size of each test's input; 0 if it is not there.
    pub sizes: BTreeMap<TestId, u64>,
}

impl Options {
    /// What a tree costs, the most important first. Of two trees for the same clusterings, the one
    /// that costs less is better: it leaves fewer pairs together or, if they are as many, comes
    /// first by the criteria.
    pub fn cost(&self, tree: &Tree, clusterings: &[Clustering]) -> [u64; 5] {
        let together = tree.together(clusterings).len() as u64;
        let height = u64::from(tree.height());
        let depth = tree.weighted_depth(&|set| weight(set, &self.prior));
        let tests = tree.tests();
        let sizes = tests.iter().map(|test| self.sizes.get(test).copied().unwrap_or(0));
        let (count, size) = (tests.len() as u64, sizes.fold(0, u64::saturating_add));
        match self.objective {
            Objective::Height => [together, height, depth, count, size],
            Objective::Depth => [together, depth, count, size, height],
        }
    }
}

/// The criteria, in their order, by which a tree is proved to be best.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Proven {
    /// Not even the height, which is somewhere between the lower bound and that of the tree.
    Nothing,
    /// The height: no tree is lower.
    Height,
    /// The height and the depth: no tree of this height has a smaller depth. With
    /// [`Objective::Depth`], no tree of any height has.
    Depth,
    /// All criteria: no tree of this height and depth has fewer tests, or as many with smaller
    /// inputs.
    Everything,
}

/// A tree, with what is proved about it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The best tree that was found.
    pub tree: Tree,
    /// The height of the tree.
    pub height: u32,
    /// A proven lower bound: no tree is lower than this.
    pub lower_bound: u32,
    /// The mean number of questions under the prior, see [`Tree::expected_depth`].
    pub expected_depth: f64,
    /// How far the proof came within the time budget.
    pub proven: Proven,
    /// Sets of revisions that the tests tell apart from the same others, ordered by their smallest
    /// revisions.
    pub classes: Vec<RevisionSet>,
    /// The pairs that the tree leaves together because it was cut off, see [`Tree::together`].
    pub together: BTreeSet<(Revision, Revision)>,
}

impl Solution {
    /// Whether the tree is whole and its height is proved to be least.
    pub fn optimal(&self) -> bool {
        self.together.is_empty() && self.height == self.lower_bound
    }
}

/// Why there is no tree.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// There are two clusterings of the same test.
    #[error("test {test} has two clusterings")]
    Twice {
        /// The test.
        test: TestId,
    },
    /// There are too many revisions and tests for a [`cover`](super::cover()).
    #[error("{rows} different revisions and {tests} tests are too many for a test cover")]
    TooManyPairs {
        /// Number of different revisions.
        rows: usize,
        /// Number of tests.
        tests: usize,
    },
    /// There are more different revisions than the search has numbers for.
    #[error("{rows} different revisions are more than the 65535 a tree can be searched for")]
    TooManyRows {
        /// Number of different revisions.
        rows: usize,
    },
}
