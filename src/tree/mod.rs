//! The smallest decision tree that tells revisions apart: pure combinatorics over clusterings.
//!
//! A test *tells two revisions apart* if it has an outcome for both, and the outcomes differ. A
//! tree asks one test at each inner node and branches by the cluster of the outcome; at a leaf, no
//! test tells any two revisions apart. [`minimal`] finds the best of all such trees, by these
//! criteria in this order:
//!
//! 1. least height: the most questions that a person may have to answer;
//! 2. least depth, summed over the leaves, with every revision weighted by its prior: if every test
//!    has an outcome for every revision, that is the expected number of questions;
//! 3. fewest different tests;
//! 4. smallest inputs, summed over these tests.
//!
//! A test may be *silent* on a revision: the clustering lacks it. Nothing is known of its outcome,
//! so the revision follows every branch of that test and can stand at several leaves. In the depth
//! it counts at each of them, which favours tests that have an outcome for all. Only the silent
//! revision itself is affected: any two others that some test tells apart stand at different
//! leaves. Not being told apart is then no equivalence relation: a silent revision may be told
//! apart from neither of two revisions that are told apart themselves. So *classes* are sets of
//! revisions that are told apart from the same others; without silent tests these are the sets at
//! the leaves.
//!
//! Deciding the height alone is NP-complete already for tests with two outcomes (Hyafil and Rivest,
//! "Constructing optimal binary decision trees is NP-complete", 1976). So the search is exponential
//! in the worst case and has a time budget. When that is used up, [`Solution`] says how far the
//! proof came. The search is iterative deepening for the height and branch and bound for the depth,
//! both memoised on sets of revisions, and then a search through sets of tests.
//!
//! If tests are silent on most revisions, the size of the tree itself can be exponential in the
//! number of these tests. The tree is then cut off, and [`Solution::together`] names the pairs for
//! which that matters.
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
//! Within the time budget the answer does not depend on the number of workers. A run that exhausts
//! its budget gives a valid tree and valid bounds, but they can differ from run to run.

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
    /// A question, and a subtree for each of its answers.
    Node {
        /// The test.
        test: TestId,
        /// The outcomes of the revisions at this node, ordered by the number of their cluster.
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
    /// The subtree that tells these revisions apart.
    pub child: Tree,
}

impl Tree {
    /// The largest number of questions on a path to a leaf.
    pub fn height(&self) -> u32 {
        match self {
            Self::Leaf(_) => 0,
            Self::Node { outcomes, .. } => {
                1 + outcomes.iter().map(|branch| branch.child.height()).max().unwrap_or(0)
            }
        }
    }

    /// All revisions at the leaves.
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

    /// The tests that the tree asks.
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

    /// The mean number of questions on the way to a leaf, with every revision at the leaf weighted
    /// by `prior` (1 if `prior` lacks it).
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

/// The settings of the search.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How long to search; `None` to search to the end.
    pub time: Option<Duration>,
    /// How likely each revision is to be the right one, relative to the others; 1 if it is not
    /// there. Whole numbers keep ties exact.
    pub prior: BTreeMap<Revision, u32>,
    /// The size of each test's input; 0 if it is not there.
    pub sizes: BTreeMap<TestId, u64>,
}

/// The criteria, in their order, in which a tree is proved to be best.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Proven {
    /// Not even the height, which is somewhere between the lower bound and that of the tree.
    Nothing,
    /// The height: no tree is lower.
    Height,
    /// The height and the depth: no tree of this height has a smaller depth, summed over its
    /// leaves.
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
    /// Every pair that some test tells apart and that still shares a leaf because the tree was cut
    /// off. The pairs are found from the clusterings and the leaves alone, whatever the search did.
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
    /// There are more different revisions than the search has numbers for.
    #[error("{rows} different revisions are more than the 65535 a tree can be searched for")]
    TooManyRows {
        /// Number of different revisions.
        rows: usize,
    },
}

/// Most leaves of a tree beyond the number of rows (sets of revisions with the same answers).
const MOST_LEAVES: usize = 4096;

/// The best decision tree for `revisions`, by the criteria that the module documentation lists.
/// Outcomes of other revisions are ignored.
///
/// # Errors
/// If two clusterings are of the same test, or there are more than 65535 different revisions.
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
    // Without silent tests no set of rows comes twice, and this limit is never too low.
    let mut sets = 2 * all.len() + MOST_LEAVES;
    let first = search.first_tree(&all, &mut sets);
    let mut height = first.unwrap_or(all.len() as u32);
    let mut least = Err(OutOfTime);
    if first.is_some() {
        // If the height cannot be proved, half of the time is left for the depth of the tree at
        // hand.
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

    // A tree of least depth can be lower than the allowed height.
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

/// The tree that asks, at each set of rows, the question that `choose` gives for the set and the
/// height left. It is built level by level, so that a tree with too many leaves is cut off evenly.
fn grow(
    problem: &Problem,
    height: u32,
    mut choose: impl FnMut(&Rows, u32) -> Option<usize>,
) -> Tree {
    let mut sets = vec![(problem.all(), height)];
    // For each set, the question asked and the index of its first part.
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
    // The parts of a set come after it, so going backwards they are built first.
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
