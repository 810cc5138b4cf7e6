//! The baseline: greedy induction by CART (Breiman et al., "Classification and Regression Trees",
//! 1984) as linfa-trees implements it.

use linfa::{Dataset, traits::Fit};
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray::{Array1, Array2};

use super::{
    decision::Tree,
    grow::grow,
    problem::{Problem, Rows},
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
/// # Errors
/// As [`minimal`](super::minimal).
pub fn greedy(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
    impurity: Impurity,
) -> Result<Tree, TreeError> {
    let problem = Problem::new(revisions, clusterings, &Options::default())?;
    // No question can be asked more often than there are rows.
    let height = problem.rows.len() as u32;
    Ok(grow(&problem, height, |set, _| first_question(&problem, set, impurity)))
}

fn first_question(problem: &Problem, set: &Rows, impurity: Impurity) -> Option<usize> {
    if problem.is_settled(set) {
        return None;
    }
    let useful: Vec<usize> =
        (0..problem.questions.len()).filter(|q| problem.split(set, *q).is_some()).collect();
    let features = Array2::from_shape_fn((set.len(), useful.len()), |(row, column)| {
        let cluster = problem.questions[useful[column]].cluster(set[row]);
        cluster.map_or(-1.0, |cluster| f64::from(cluster.0))
    });
    let labels = Array1::from_iter(0..set.len());
    let question = first_split(features, labels, impurity).map(|(column, _)| useful[column]);
    question.or(useful.first().copied())
}

/// The feature and the threshold on which CART splits first; `None` if no split helps.
pub(super) fn first_split(
    features: Array2<f64>,
    labels: Array1<usize>,
    impurity: Impurity,
) -> Option<(usize, f64)> {
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
    (decrease > 0.0).then_some((feature, threshold))
}
