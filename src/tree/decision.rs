//! A decision tree over tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
};

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

    /// Every pair that some test tells apart and that still shares a leaf, because the tree was cut
    /// off. The pairs are found from the clusterings and the leaves alone.
    pub fn together(&self, clusterings: &[Clustering]) -> BTreeSet<(Revision, Revision)> {
        let mut apart: BTreeMap<Revision, RevisionSet> = BTreeMap::new();
        for clustering in clusterings {
            let groups = clustering.groups();
            let known = groups.values().fold(RevisionSet::new(), |all, group| all.union(group));
            for group in groups.values() {
                let others = known.difference(group);
                for revision in group.iter() {
                    let apart = apart.entry(revision).or_default();
                    *apart = apart.union(&others);
                }
            }
        }
        let mut together: BTreeMap<Revision, RevisionSet> = BTreeMap::new();
        for leaf in self.leaves() {
            for revision in leaf.iter() {
                let Some(apart) = apart.get(&revision) else { continue };
                let others = apart.intersection(leaf);
                if !others.is_empty() {
                    let together = together.entry(revision).or_default();
                    *together = together.union(&others);
                }
            }
        }
        let pairs = together.iter().flat_map(|(a, others)| others.iter().map(|b| (*a, b)));
        pairs.filter(|(a, b)| a < b).collect()
    }

    /// The mean number of questions on the way to a leaf, with every revision at the leaf weighted
    /// by `prior` (1 if `prior` lacks it).
    pub fn expected_depth(&self, prior: &BTreeMap<Revision, u32>) -> f64 {
        fn sums(tree: &Tree, depth: u64, prior: &BTreeMap<Revision, u32>) -> (u64, u64) {
            match tree {
                Tree::Leaf(revisions) => {
                    let weight = weight(revisions, prior);
                    (depth * weight, weight)
                }
                Tree::Node { outcomes, .. } => outcomes
                    .iter()
                    .map(|branch| sums(&branch.child, depth + 1, prior))
                    .fold((0, 0), |(a, b), (c, d)| (a + c, b + d)),
            }
        }
        let (questions, total) = sums(self, 0, prior);
        if total == 0 { 0.0 } else { questions as f64 / total as f64 }
    }

    /// Whether this is a tree over these clusterings: at every outcome of a test, all revisions have
    /// this outcome, or the test is silent on them.
    pub fn is_over(&self, clusterings: &[Clustering]) -> bool {
        let Self::Node { test, outcomes } = self else { return true };
        let Some(clustering) = clusterings.iter().find(|clustering| clustering.test == *test)
        else {
            return false;
        };
        outcomes.iter().all(|Branch { cluster, revisions, child }| {
            let may_have =
                |revision| clustering.cluster(revision).is_none_or(|own| own == *cluster);
            revisions.iter().all(may_have) && child.is_over(clusterings)
        })
    }

    /// The weight of the revisions at each branch, summed over the branches.
    pub(super) fn weighted_depth(&self, weigh: &impl Fn(&RevisionSet) -> u64) -> u64 {
        match self {
            Self::Leaf(_) => 0,
            Self::Node { outcomes, .. } => outcomes
                .iter()
                .map(|branch| weigh(&branch.revisions) + branch.child.weighted_depth(weigh))
                .sum(),
        }
    }
}

pub(super) fn weight(set: &RevisionSet, prior: &BTreeMap<Revision, u32>) -> u64 {
    set.iter().map(|revision| u64::from(prior.get(&revision).copied().unwrap_or(1))).sum()
}
