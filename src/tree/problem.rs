//! The combinatorial problem under a set of clusterings: classes to tell apart, and what each
//! test answers for each of them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    hash::BuildHasherDefault,
};

use hashbrown::HashMap;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::{Options, TreeError};
use crate::subject::{
    Revision, RevisionSet,
    results::{Clustering, TestId},
};

/// Classes that are still possible, as ascending indices.
pub(super) type Classes = SmallVec<[u16; 24]>;

/// A map whose order never reaches a result.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// A test as the search sees it.
pub(super) struct Question {
    pub test: TestId,
    /// Size of its input.
    pub size: u64,
    /// What it answers for each class: an index into `clusters`.
    answers: Vec<u16>,
    /// The cluster that each answer is, in ascending order.
    pub clusters: Vec<Revision>,
}

pub(super) struct Problem {
    /// The revisions of each class, ordered by the smallest of them.
    pub classes: Vec<RevisionSet>,
    /// Prior of each class.
    pub weights: Vec<u64>,
    /// The tests that can be part of an optimal tree, in the order of their numbers.
    pub questions: Vec<Question>,
}

/// What asking one question does to a set of classes.
pub(super) struct Split {
    /// Index of the question.
    pub question: usize,
    /// The classes of each answer, in the order of the answers that occur.
    pub parts: Vec<Classes>,
}

impl Problem {
    pub fn new(
        revisions: &RevisionSet,
        clusterings: &[Clustering],
        options: &Options,
    ) -> Result<Self, TreeError> {
        let clusterings = by_test(revisions, clusterings)?;
        let mut classes: BTreeMap<Vec<Revision>, RevisionSet> = BTreeMap::new();
        for revision in revisions.iter() {
            let answers = clusterings.values().filter_map(|c| c.cluster(revision)).collect();
            classes.entry(answers).or_default().insert(revision);
        }
        let mut classes: Vec<RevisionSet> = classes.into_values().collect();
        classes.sort_by_key(RevisionSet::first);
        if classes.len() > usize::from(u16::MAX) {
            return Err(TreeError::TooManyClasses { classes: classes.len() });
        }
        let prior = |r| u64::from(options.prior.get(&r).copied().unwrap_or(1));
        let weights = classes.iter().map(|class| class.iter().map(prior).sum()).collect();
        let questions = clusterings
            .values()
            .map(|c| Question::new(c, &classes, options.sizes.get(&c.test).copied().unwrap_or(0)))
            .collect();
        let mut problem = Self { classes, weights, questions };
        problem.drop_dominated();
        Ok(problem)
    }

    /// All classes.
    pub fn all(&self) -> Classes {
        (0..self.classes.len() as u16).collect()
    }

    /// The revisions of a set of classes.
    pub fn revisions(&self, set: &[u16]) -> RevisionSet {
        set.iter().flat_map(|class| self.classes[usize::from(*class)].iter()).collect()
    }

    /// The prior of a set of classes.
    pub fn weight(&self, set: &[u16]) -> u64 {
        set.iter().map(|class| self.weights[usize::from(*class)]).sum()
    }

    /// What question `question` does to `set`; nothing if it has one answer for all of it.
    pub fn split(&self, set: &[u16], question: usize) -> Option<Split> {
        let Question { answers, .. } = &self.questions[question];
        let mut parts: BTreeMap<u16, Classes> = BTreeMap::new();
        for class in set {
            parts.entry(answers[usize::from(*class)]).or_default().push(*class);
        }
        (parts.len() > 1).then(|| Split { question, parts: parts.into_values().collect() })
    }

    /// The splits of `set` that suffice for a tree of least height and expected depth: of equal
    /// ones the first, and none that another one refines.
    pub fn finest_splits(&self, set: &[u16]) -> Vec<Split> {
        let mut seen: Map<Vec<u16>, ()> = Map::default();
        let mut partitions: Vec<(usize, u16, Vec<u16>)> = Vec::new();
        let mut order = Vec::new();
        for (index, question) in self.questions.iter().enumerate() {
            let (parts, partition) = question.partition(set, &mut order);
            if parts > 1 && seen.insert(partition.clone(), ()).is_none() {
                partitions.push((index, parts, partition));
            }
        }
        partitions.sort_by_key(|(index, parts, _)| (std::cmp::Reverse(*parts), *index));
        let mut finest: Vec<&(usize, u16, Vec<u16>)> = Vec::new();
        for candidate in &partitions {
            let coarser = finest
                .iter()
                .any(|kept| kept.1 > candidate.1 && refines(&kept.2, kept.1, &candidate.2));
            if !coarser {
                finest.push(candidate);
            }
        }
        finest.iter().filter_map(|(index, _, _)| self.split(set, *index)).collect()
    }

    /// Takes out every test that another one refines at no larger input. In any tree the finer
    /// test can stand in its place: each subtree below then is part of one that stood there, so
    /// that neither height, nor expected depth, nor the number of tests, nor their input grows.
    /// A finer test with a larger input does not push a coarser one out: it could be the one
    /// whose smaller input decides.
    fn drop_dominated(&mut self) {
        let all = self.all();
        let mut order = Vec::new();
        let partitions: Vec<(u16, Vec<u16>)> =
            self.questions.iter().map(|q| q.partition(&all, &mut order)).collect();
        let dominates = |a: usize, b: usize| {
            let ((parts_a, a_partition), (parts_b, b_partition)) = (&partitions[a], &partitions[b]);
            let (size_a, size_b) = (self.questions[a].size, self.questions[b].size);
            let twins = parts_a == parts_b;
            size_a <= size_b
                && parts_a >= parts_b
                && refines(a_partition, *parts_a, b_partition)
                && (!twins || size_a < size_b || a < b)
        };
        let useful: Vec<bool> = (0..self.questions.len())
            .map(|b| {
                partitions[b].0 > 1 && !(0..self.questions.len()).any(|a| a != b && dominates(a, b))
            })
            .collect();
        let mut useful = useful.into_iter();
        self.questions.retain(|_| useful.next().unwrap_or(true));
    }
}

impl Question {
    fn new(clustering: &Clustering, classes: &[RevisionSet], size: u64) -> Self {
        let of_class: Vec<Option<Revision>> = classes
            .iter()
            .map(|class| class.first().and_then(|revision| clustering.cluster(revision)))
            .collect();
        let mut clusters: Vec<Revision> = of_class.iter().copied().flatten().collect();
        clusters.sort_unstable();
        clusters.dedup();
        let answers = of_class
            .iter()
            .map(|cluster| clusters.partition_point(|c| Some(*c) < *cluster) as u16)
            .collect();
        Self { test: clustering.test, size, answers, clusters }
    }

    /// The cluster that the test puts the class into.
    pub fn cluster(&self, class: u16) -> Revision {
        self.clusters[usize::from(self.answers[usize::from(class)])]
    }

    /// The number of parts of `set`, and the part of each class in it, numbered as they appear.
    fn partition(&self, set: &[u16], order: &mut Vec<u16>) -> (u16, Vec<u16>) {
        const UNSEEN: u16 = u16::MAX;
        order.clear();
        order.resize(self.clusters.len(), UNSEEN);
        let mut parts = 0;
        let partition = set
            .iter()
            .map(|class| {
                let part = &mut order[usize::from(self.answers[usize::from(*class)])];
                if *part == UNSEEN {
                    *part = parts;
                    parts += 1;
                }
                *part
            })
            .collect();
        (parts, partition)
    }
}

/// Whether what `fine` puts into one part, `coarse` does too.
fn refines(fine: &[u16], fine_parts: u16, coarse: &[u16]) -> bool {
    let mut image = vec![None; usize::from(fine_parts)];
    fine.iter().zip(coarse).all(|(f, c)| *image[usize::from(*f)].get_or_insert(c) == c)
}

/// The clusterings restricted to `revisions`, one for each test, in the order of the tests.
fn by_test(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
) -> Result<BTreeMap<TestId, Clustering>, TreeError> {
    let mut tests = BTreeMap::new();
    for clustering in clusterings {
        let test = clustering.test;
        if let Some(revision) = revisions.iter().find(|r| clustering.cluster(*r).is_none()) {
            return Err(TreeError::Incomplete { test, revision });
        }
        match tests.entry(test) {
            Entry::Occupied(_) => return Err(TreeError::Twice { test }),
            Entry::Vacant(place) => place.insert(clustering.clone()),
        };
    }
    Ok(tests)
}
