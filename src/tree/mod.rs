//! The smallest decision tree that tells revisions apart: pure combinatorics over clusterings.
//!
//! A test *tells two revisions apart* if it has an outcome for both, and different ones. A tree
//! asks one test at each inner node and branches by the cluster that the outcome is in; at each of
//! its leaves no test tells any two revisions apart. [`minimal`] finds the best of all such trees,
//! in this order:
//!
//! 1. least height: the most questions that a person may have to answer;
//! 2. least depth, summed over the leaves, where every revision is weighed by its prior: if every
//!    test has an outcome for every revision, that is the expected number of questions;
//! 3. fewest different tests;
//! 4. smallest inputs, summed over these tests.
//!
//! A test may be *silent* on a revision: the clustering lacks it. Nothing is known of what it
//! would answer, so it follows every branch of that test, and can stand at several leaves. It
//! counts at each of them in the depth, which prefers tests that say something of all. What it
//! loses is its own: any two others that some test tells apart stand at different leaves. Not to
//! be told apart is no equivalence relation then (a silent revision is not told apart from either
//! of two that are), so *classes* are revisions that are told apart from the same others; without
//! silent tests these are the sets at the leaves.
//!
//! Deciding the height alone is NP-complete already for tests with two outcomes (Hyafil and
//! Rivest, "Constructing optimal binary decision trees is NP-complete", 1976), so the search is
//! exponential in the worst case and has a time budget; past it, [`Solution`] says how far the
//! proof came. The search is iterative deepening for the height, branch and bound for the depth,
//! both remembered by sets of revisions, and then a search through sets of tests.
//!
//! Where tests are silent on most revisions, the tree itself can be exponential in their number.
//! It is cut off then, and [`Solution::together`] names the pairs for which that matters.
//!
//! ```
//! use psychic::{
//!     results::{Clustering, TestId},
//!     subject::Revision,
//!     tree::{Options, minimal},
//! };
//!
//! let outcomes = |test, outcomes: [i32; 4]| {
//!     Clustering::new(TestId(test), (0..).map(Revision).zip(outcomes))
//! };
//! let clusterings = [
//!     outcomes(1, [7, 7, 7, 9]),
//!     outcomes(2, [0, 0, 1, 1]),
//!     outcomes(3, [4, 5, 4, 5]),
//! ];
//! let revisions = (0..4).map(Revision).collect();
//! let solution = minimal(&revisions, &clusterings, &Options::default())?;
//! assert_eq!(solution.height, 2);
//! assert_eq!(solution.tree.tests().into_iter().collect::<Vec<_>>(), [TestId(2), TestId(3)]);
//! # Ok::<(), psychic::tree::TreeError>(())
//! ```
//!
//! Within the time budget the answer does not depend on the number of workers. A run that meets
//! its budget gives a valid tree and valid bounds, but which ones can differ from run to run.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
};

mod apart;
mod bounds;
mod conditions;
mod depth;
mod economy;
mod greedy;
mod json;
mod memo;
mod problem;
mod search;

pub use conditions::{Interval, Rule, Sample, conditions};
pub use greedy::{Impurity, greedy};
pub use json::JsonError;

use depth::{UNBOUNDED, depth_key};
use economy::Economy;
use problem::{Problem, Rows};
use search::{OutOfTime, Search};

/// A decision tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Tree {
    /// Revisions that no test tells apart.
    Leaf(RevisionSet),
    /// A question, and what follows each of its answers.
    Node {
        /// The test.
        test: TestId,
        /// The outcomes that revisions here have, ordered by the number of their cluster.
        outcomes: Vec<Branch>,
    },
}

/// One outcome of a test at an inner node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Branch {
    /// Its cluster in the clustering of the test: the key to its outcome in `outcomes.csv`.
    pub cluster: Revision,
    /// The revisions here that have this outcome or, if the test is silent on them, may have it.
    pub revisions: RevisionSet,
    /// What tells these apart.
    pub child: Tree,
}

impl Tree {
    /// The most questions on a way to a leaf.
    pub fn height(&self) -> u32 {
        match self {
            Self::Leaf(_) => 0,
            Self::Node { outcomes, .. } => {
                1 + outcomes.iter().map(|branch| branch.child.height()).max().unwrap_or(0)
            }
        }
    }

    /// All revisions at its leaves.
    pub fn revisions(&self) -> RevisionSet {
        self.leaves().into_iter().fold(RevisionSet::new(), |all, leaf| all.union(leaf))
    }

    /// The leaves from left to right.
    pub fn leaves(&self) -> Vec<&RevisionSet> {
        match self {
            Self::Leaf(revisions) => vec![revisions],
            Self::Node { outcomes, .. } => {
                outcomes.iter().flat_map(|branch| branch.child.leaves()).collect()
            }
        }
    }

    /// The tests it asks.
    pub fn tests(&self) -> BTreeSet<TestId> {
        match self {
            Self::Leaf(_) => BTreeSet::new(),
            Self::Node { test, outcomes } => outcomes
                .iter()
                .flat_map(|branch| branch.child.tests())
                .chain(std::iter::once(*test))
                .collect(),
        }
    }

    /// The revisions that stand at several leaves.
    pub fn repeated(&self) -> RevisionSet {
        let (mut seen, mut repeated) = (RevisionSet::new(), RevisionSet::new());
        for leaf in self.leaves() {
            repeated = repeated.union(&seen.intersection(leaf));
            seen = seen.union(leaf);
        }
        repeated
    }

    /// The mean number of questions on the way to a leaf, every revision at it weighed by `prior`
    /// (1 if it is not there).
    pub fn expected_depth(&self, prior: &BTreeMap<Revision, u32>) -> f64 {
        let weigh = |set: &RevisionSet| weight(set, prior);
        let total = self.leaves().into_iter().map(weigh).sum::<u64>();
        if total == 0 { 0.0 } else { self.weighted_depth(&weigh) as f64 / total as f64 }
    }

    fn weighted_depth(&self, weigh: &impl Fn(&RevisionSet) -> u64) -> u64 {
        match self {
            Self::Leaf(_) => 0,
            Self::Node { outcomes, .. } => outcomes
                .iter()
                .map(|branch| weigh(&branch.revisions) + branch.child.weighted_depth(weigh))
                .sum(),
        }
    }
}

fn weight(set: &RevisionSet, prior: &BTreeMap<Revision, u32>) -> u64 {
    set.iter().map(|revision| u64::from(prior.get(&revision).copied().unwrap_or(1))).sum()
}

/// What the search goes by.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How long to search; without, to the end.
    pub time: Option<Duration>,
    /// How likely each revision is the right one, relative to the others, in whole numbers so
    /// that ties are exact; 1 if it is not there.
    pub prior: BTreeMap<Revision, u32>,
    /// Sizes of the tests' inputs; 0 if it is not there.
    pub sizes: BTreeMap<TestId, u64>,
}

/// How much of the order of criteria a tree is proved to be best in.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Proven {
    /// Not even the height: it is somewhere between the lower bound and that of the tree.
    Nothing,
    /// No tree is lower.
    Height,
    /// And none of this height has a smaller depth, summed over its leaves.
    Depth,
    /// And none of these has fewer tests, or as many with smaller inputs.
    Everything,
}

/// A tree and what is proved about it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The best tree that was found.
    pub tree: Tree,
    /// Its height.
    pub height: u32,
    /// No tree is lower than this.
    pub lower_bound: u32,
    /// Its mean number of questions under the prior, see [`Tree::expected_depth`].
    pub expected_depth: f64,
    /// How far the proof came within the time budget.
    pub proven: Proven,
    /// Revisions that the tests tell apart from the same others, ordered by the smallest of them.
    pub classes: Vec<RevisionSet>,
    /// Every pair that some test tells apart and that yet shares a leaf, since the tree was cut
    /// off. This is found from the clusterings and the leaves alone, whatever the search did.
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
    /// There are two clusterings of one test.
    #[error("test {test} has two clusterings")]
    Twice {
        /// The test.
        test: TestId,
    },
    /// There are more different revisions than the search has numbers for.
    #[error("{rows} different revisions are more than the 65535 a tree can be searched for")]
    TooManyRows {
        /// How many there are.
        rows: usize,
    },
}

/// A tree has at most so many leaves more than there are revisions.
const MOST_LEAVES: usize = 4096;

/// The best decision tree for `revisions`, in the order of criteria that the module names.
/// Outcomes of others are ignored.
///
/// # Errors
/// Two clusterings are of the same test, or there are more than 65535 different revisions.
pub fn minimal(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
    options: &Options,
) -> Result<Solution, TreeError> {
    let problem = Problem::new(revisions, clusterings, options)?;
    let start = Instant::now();
    let after = |time: Duration| start.checked_add(time);
    let deadline = options.time.and_then(after);
    let search = Search::new(&problem);
    let all = problem.all();

    let mut lower_bound = search.logarithm(&all, search::outcomes(&problem.finest_splits(&all)));
    let (mut proven, mut choices) = (Proven::Nothing, None);
    // Without silent tests no set of rows comes twice, and this is never too few.
    let mut sets = 2 * all.len() + MOST_LEAVES;
    let first = search.first_tree(&all, &mut sets);
    let mut height = first.unwrap_or(all.len() as u32);
    let mut least = Err(OutOfTime);
    if first.is_some() {
        // A height that stays unproved leaves half of the time for the depth of the tree at hand.
        let half = options.time.map(|time| time / 2).and_then(after);
        least = search.least_height(&all, &mut lower_bound, &mut height, half);
        search.set_deadline(deadline);
        proven = Proven::Height;
        if search.least_depth(&all, height, UNBOUNDED).is_ok() {
            proven = Proven::Depth;
            let mut economy = Economy::new(&search, &all, height);
            if economy.run().is_ok() {
                proven = Proven::Everything;
            }
            choices = economy.choices();
        }
    }
    let tree = match &choices {
        Some(choices) => {
            grow(&problem, height, |set, left| choices.get(&depth_key(set, left)).copied())
        }
        None => grow(&problem, height, |set, left| search.best_known(set, left)),
    };

    // A tree of least depth can be lower than the height it was allowed.
    let height = tree.height();
    let together = together(&tree, clusterings);
    if (least.is_err() && lower_bound < height) || !together.is_empty() {
        proven = Proven::Nothing;
    }
    Ok(Solution {
        height,
        lower_bound,
        expected_depth: tree.expected_depth(&options.prior),
        proven,
        tree,
        classes: problem.classes(),
        together,
    })
}

/// The tree that asks at each set of rows the question that `choose` gives for it and the height
/// that is left: level by level, so that one with too many leaves is cut off everywhere alike.
fn grow(
    problem: &Problem,
    height: u32,
    mut choose: impl FnMut(&Rows, u32) -> Option<usize>,
) -> Tree {
    let mut sets = vec![(problem.all(), height)];
    // Per set the question that is asked, and where its parts begin.
    let mut asked: Vec<Option<(usize, usize)>> = Vec::new();
    let (mut leaves, most) = (1, problem.rows.len() + MOST_LEAVES);
    while let Some((set, left)) = sets.get(asked.len()).cloned() {
        let question = if leaves > most { None } else { choose(&set, left) };
        let split = question.and_then(|question| problem.split(&set, question));
        asked.push(split.as_ref().map(|split| (split.question, sets.len())));
        if let Some(split) = split {
            leaves += split.parts.len() - 1;
            sets.extend(split.parts.into_iter().map(|part| (part, left.saturating_sub(1))));
        }
    }
    // A set's parts come after it, so that from the end they are there before it.
    let mut trees: Vec<Option<Tree>> = vec![None; sets.len()];
    for (index, (set, _)) in sets.iter().enumerate().rev() {
        let tree = match asked[index] {
            None => Tree::Leaf(problem.revisions(set)),
            Some((question, first)) => Tree::Node {
                test: problem.questions[question].test,
                outcomes: problem
                    .branches(set, question)
                    .into_iter()
                    .zip(&mut trees[first..])
                    .filter_map(|((cluster, part), child)| {
                        let revisions = problem.revisions(&part);
                        Some(Branch { cluster, revisions, child: child.take()? })
                    })
                    .collect(),
            },
        };
        trees[index] = Some(tree);
    }
    trees.swap_remove(0).unwrap_or_else(|| Tree::Leaf(RevisionSet::new()))
}

/// The pairs at the same leaf that some test tells apart.
fn together(tree: &Tree, clusterings: &[Clustering]) -> BTreeSet<(Revision, Revision)> {
    let mut pairs = BTreeSet::new();
    for leaf in tree.leaves() {
        for clustering in clusterings.iter().filter(|clustering| !clustering.joins(leaf)) {
            for a in leaf.iter() {
                let apart = leaf.iter().filter(|b| a < *b && clustering.tells_apart(a, *b));
                pairs.extend(apart.map(|b| (a, b)));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
