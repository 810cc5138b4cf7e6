//! The smallest decision tree that tells revisions apart: pure combinatorics over clusterings.
//!
//! A test *tells two revisions apart* if it has an outcome for both, and the outcomes differ. A
//! tree asks one test at each inner node and branches by the cluster of the outcome; at a leaf, no
//! test tells any two revisions apart. [`minimal`] finds the best of all such trees, by these
//! criteria in this order:
//!
//! 1. least height: the most questions that a person may have to answer;
//! 2. least depth: the prior of the revisions at each branch, summed over all branches. If every
//!    test has an outcome for every revision, that is the expected number of questions;
//! 3. fewest different tests;
//! 4. smallest inputs, summed over these tests.
//!
//! With [`Objective::Depth`] the height does not count. [`cover()`] finds the fewest tests that
//! suffice if everybody is asked the same.
//!
//! A test may be *silent* on a revision: the clustering lacks it. Its outcome is then unknown, so
//! the revision follows every branch of that test and can stand at several leaves. It counts in the
//! depth at each of these branches, which favours tests that have an outcome for all. Only the silent
//! revision itself is affected: any two others that some test tells apart stand at different
//! leaves. Not being told apart is then no equivalence relation: two revisions may be told apart
//! from each other, but neither from a silent one. So *classes* are sets of revisions that are told
//! apart from the same others; without silent tests these are the sets at the leaves.
//!
//! Deciding the height alone is NP-complete already for tests with two outcomes (Hyafil and Rivest,
//! "Constructing optimal binary decision trees is NP-complete", 1976). So the search is exponential
//! in the worst case and has a time budget. When that is used up, [`Solution`] says how far the
//! proof came. The search is iterative deepening for the height and branch and bound for the depth,
//! both memoised on sets of revisions, and then a search through sets of tests.
//!
//! If tests are silent on most revisions, the size of the tree itself can be exponential in the
//! number of these tests. Unless the search finds one that is small enough, the tree is then cut off
//! level by level, and [`Solution::together`] names the pairs for which that matters.
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

mod apart;
mod bounds;
mod condition;
mod cover;
mod decision;
mod depth;
mod economy;
mod greedy;
mod grow;
mod json;
mod learn;
mod memo;
mod minimal;
mod problem;
mod question;
mod search;
mod solution;

pub use condition::{Condition, Conjunction, Ranges, Term};
pub use cover::{Cover, cover};
pub use decision::{Branch, Tree};
pub use greedy::{Impurity, greedy};
pub use json::JsonError;
pub use learn::{Sample, learn};
pub use minimal::minimal;
pub use solution::{Objective, Options, Proven, Solution, TreeError};

#[cfg(test)]
mod tests;
