//! The smallest decision tree that tells revisions apart: pure combinatorics over clusterings.
//!
//! Superimposing all clusterings gives *classes*: revisions that no test tells apart. A tree asks
//! one test at each inner node, branches by the cluster that the outcome is in, and has a class at
//! each leaf. [`minimal`] finds the best of all such trees, in this order:
//!
//! 1. least height: the most questions that a person may have to answer;
//! 2. least expected depth, every revision weighed by its prior;
//! 3. fewest different tests;
//! 4. smallest inputs, summed over these tests.
//!
//! Deciding the height alone is NP-complete already for tests with two outcomes (Hyafil and
//! Rivest, "Constructing optimal binary decision trees is NP-complete", 1976), so the search is
//! exponential in the worst case and has a time budget; past it, [`Solution`] says how far the
//! proof came. The search is iterative deepening for the height, branch and bound for the depth,
//! both remembered by sets of classes, and then a search through sets of tests.
//!
//! ```
//! use psychic::{
//!     subject::{Revision, results::{Clustering, TestId}},
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

use crate::subject::{
    Revision, RevisionSet,
    results::{Clustering, TestId},
};

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

use depth::UNBOUNDED;
use economy::Economy;
use problem::{Classes, Map, Problem};
use search::Search;

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
    /// The revisions here that have this outcome.
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

    /// The mean number of questions, every revision weighed by `prior` (1 if it is not there).
    pub fn expected_depth(&self, prior: &BTreeMap<Revision, u32>) -> f64 {
        let weigh = |set: &RevisionSet| weight(set, prior);
        let total = weigh(&self.revisions());
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
    /// And none of this height has a smaller expected depth.
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
    /// Its mean number of questions under the prior.
    pub expected_depth: f64,
    /// How far the proof came within the time budget.
    pub proven: Proven,
    /// Revisions that no test tells apart, ordered by the smallest of them.
    pub classes: Vec<RevisionSet>,
}

impl Solution {
    /// Whether the height is proved to be least.
    pub fn optimal(&self) -> bool {
        self.height == self.lower_bound
    }
}

/// Why there is no tree.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// A test without an outcome for a revision cannot be asked while that is possible.
    #[error(
        "test {test} has no outcome for revision {revision}: replay it on all revisions, or \
         leave the test or the revision out"
    )]
    Incomplete {
        /// The test.
        test: TestId,
        /// The revision that did not run it.
        revision: Revision,
    },
    /// There are two clusterings of one test.
    #[error("test {test} has two clusterings")]
    Twice {
        /// The test.
        test: TestId,
    },
    /// There are more classes than the search has numbers for.
    #[error("{classes} classes of revisions are more than the 65535 a tree can be searched for")]
    TooManyClasses {
        /// How many there are.
        classes: usize,
    },
}

/// The best decision tree for `revisions`, in the order of criteria that the module names.
///
/// # Errors
/// A test lacks an outcome for one of `revisions` (outcomes of others are ignored), or two
/// clusterings are of the same test.
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

    let mut height = search.first_tree(&all);
    let mut lower_bound = bounds::height(all.len(), search::outcomes(&problem.finest_splits(&all)));
    // A height that stays unproved leaves half of the time for the depth of the tree at hand.
    let half = options.time.map(|time| time / 2).and_then(after);
    let least = search.least_height(&all, &mut lower_bound, &mut height, half);
    search.set_deadline(deadline);
    let mut proven = Proven::Height;
    let mut choices = None;
    if search.least_depth(&all, height, UNBOUNDED).is_ok() {
        proven = Proven::Depth;
        let mut economy = Economy::new(&search, &all, height);
        if economy.run().is_ok() {
            proven = Proven::Everything;
        }
        choices = economy.choices();
    }

    let tree = match choices {
        Some(choices) => chosen_tree(&problem, &all, &choices),
        None => best_known_tree(&search, &all, height),
    };
    // A tree of least depth can be lower than the height it was allowed.
    let height = tree.height();
    if least.is_err() && lower_bound < height {
        proven = Proven::Nothing;
    }
    Ok(Solution {
        height,
        lower_bound,
        expected_depth: tree.expected_depth(&options.prior),
        proven,
        tree,
        classes: problem.classes,
    })
}

/// The tree that asks at each set of classes the question chosen for it.
fn chosen_tree(problem: &Problem, set: &Classes, choices: &Map<Classes, usize>) -> Tree {
    match choices.get(set) {
        Some(question) => node(problem, set, *question, |part| chosen_tree(problem, part, choices)),
        None => Tree::Leaf(problem.revisions(set)),
    }
}

/// The best tree of at most `height` that the search came by: of least depth where one was found,
/// else of least height.
fn best_known_tree(search: &Search, set: &Classes, height: u32) -> Tree {
    if set.len() < 2 {
        return Tree::Leaf(search.problem.revisions(set));
    }
    let by_depth = search.depths.get(&depth::depth_key(set, height)).and_then(|known| known.upper);
    let question = by_depth.map(|(_, question)| question).or_else(|| {
        search.heights.get(set).and_then(|known| known.upper).map(|(_, question)| question)
    });
    match question {
        Some(question) => node(search.problem, set, question, |part| {
            best_known_tree(search, part, height.saturating_sub(1))
        }),
        None => Tree::Leaf(search.problem.revisions(set)),
    }
}

fn node(
    problem: &Problem,
    set: &Classes,
    question: usize,
    child: impl Fn(&Classes) -> Tree,
) -> Tree {
    let asked = &problem.questions[question];
    let parts = problem.split(set, question).map_or(vec![set.clone()], |split| split.parts);
    let outcomes = parts
        .iter()
        .map(|part| Branch {
            cluster: asked.cluster(part[0]),
            revisions: problem.revisions(part),
            child: child(part),
        })
        .collect();
    Tree::Node { test: asked.test, outcomes }
}

#[cfg(test)]
mod tests;
