//! The baseline: greedy induction by CART (Breiman et al., "Classification and Regression Trees",
//! 1984) as linfa-trees implements it.

use std::time::{Duration, Instant};

use linfa::{Dataset, traits::Fit};
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray::{Array1, Array2};

use super::{
    decision::Tree,
    grow::grow,
    problem::{Problem, Rows},
    search::OutOfTime,
    solution::{Options, TreeError},
};
use crate::{results::Clustering, subject::RevisionSet};

/// The measure of how mixed a set of revisions is, by which CART chooses its questions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Impurity {
    /// The chance that two draws give different classes.
    Gini,
    /// The information carried by the class.
    Entropy,
}

impl Impurity {
    pub(super) fn quality(self) -> SplitQuality {
        match self {
            Self::Gini => SplitQuality::Gini,
            Self::Entropy => SplitQuality::Entropy,
        }
    }
}

/// The decision tree that CART grows for `revisions`. Features are the clusters of each test,
/// labels are the rows: sets of revisions with the same answers to all tests. If a test is silent
/// on a row, the value of the feature is below all clusters.
///
/// CART asks only whether the number of a cluster is below a threshold, while a person who is asked
/// sees the whole outcome. Each question that CART chooses is therefore asked in full, and CART
/// starts anew below each outcome.
///
/// If tests are silent on many revisions, the tree can be cut off as a minimal one can. It is `None`
/// if CART needs longer than `time`.
///
/// # Errors
/// As [`minimal`](super::minimal).
pub fn greedy(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
    impurity: Impurity,
    time: Option<Duration>,
) -> Result<Option<Tree>, TreeError> {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let problem = Problem::new(revisions, clusterings, &Options::default())?;
    // No question can be asked more often than there are rows.
    let height = problem.rows.len() as u32;
    let mut late = false;
    let tree = grow(&problem, height, |set, _| {
        first(&problem, set, impurity, deadline).unwrap_or_else(|OutOfTime| {
            late = true;
            None
        })
    });
    Ok((!late).then_some(tree))
}

/// The question on which CART splits `set` first; `None` if nothing is left to be told apart. The
/// questions are looked at one by one, so that time is never up for long.
fn first(
    problem: &Problem,
    set: &Rows,
    impurity: Impurity,
    deadline: Option<Instant>,
) -> Result<Option<usize>, OutOfTime> {
    if problem.is_settled(set) {
        return Ok(None);
    }
    let labels = Array1::from_iter(0..set.len());
    let mut best: Option<(usize, f64)> = None;
    for question in (0..problem.questions.len()).filter(|q| problem.split(set, *q).is_some()) {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(OutOfTime);
        }
        let feature = Array2::from_shape_fn((set.len(), 1), |(row, _)| {
            let cluster = problem.questions[question].cluster(set[row]);
            cluster.map_or(-1.0, |cluster| f64::from(cluster.0))
        });
        let split = first_split(feature, labels.clone(), impurity);
        let decrease = split.map_or(0.0, |split| split.decrease);
        if best.is_none_or(|(_, most)| decrease > most) {
            best = Some((question, decrease));
        }
    }
    Ok(best.map(|(question, _)| question))
}

/// A split of the samples by a feature.
pub(super) struct FirstSplit {
    pub feature: usize,
    /// The samples with less are apart from the others.
    pub threshold: f64,
    /// How much less impure the two sides are, on the average, than the whole.
    pub decrease: f64,
}

/// The split that CART makes first; `None` if no split helps.
pub(super) fn first_split(
    features: Array2<f64>,
    labels: Array1<usize>,
    impurity: Impurity,
) -> Option<FirstSplit> {
    if features.ncols() == 0 || features.nrows() < 2 {
        return None;
    }
    // Grow one level at a time: below the first, linfa-trees 0.8 skips thresholds next to values of
    // samples that are in another branch.
    let stump = DecisionTree::params()
        .split_quality(impurity.quality())
        .max_depth(Some(1))
        .fit(&Dataset::new(features, labels))
        .ok()?;
    // If most samples on both sides have the same label, the split is pruned away again but can
    // still be read.
    let (feature, threshold, decrease) = stump.root_node().split();
    (decrease > 0.0).then_some(FirstSplit { feature, threshold, decrease })
}
