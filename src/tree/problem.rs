//! The combinatorial problem behind a set of clusterings: rows to tell apart, and the answer of
//! each test for each row.
//!
//! A *row* is a set of revisions for which every test has the same answer, or none. If every test
//! has an outcome for every revision, any two rows are told apart by some test; otherwise they need
//! not be.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeMap, hash::BuildHasherDefault};

use hashbrown::HashMap;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::{
    apart::Apart,
    question::{Question, SILENT},
    solution::{Options, TreeError},
};
use crate::{
    results::Clustering,
    subject::{Revision, RevisionSet},
};

/// The rows that are still possible, as ascending indices.
pub(super) type Rows = SmallVec<[u16; 24]>;

/// A map whose order never reaches a result.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

pub(super) struct Problem {
    /// The revisions of each row. Rows are ordered by their smallest revisions.
    pub rows: Vec<RevisionSet>,
    /// The prior of each row, summed over its revisions.
    pub weights: Vec<u64>,
    /// The tests that can be part of an optimal tree, in the order of their numbers.
    pub questions: Vec<Question>,
    /// Which rows are told apart; `None` if all are told apart from each other.
    apart: Option<Apart>,
}

/// The parts into which one question splits a set of rows.
pub(super) struct Split {
    /// Index of the question.
    pub question: usize,
    /// The rows of each answer, in the order of the answers that occur. Rows on which the test is
    /// silent are in every part.
    pub parts: Vec<Rows>,
}

/// The parts into which a question splits a set of rows, as a numbering of the rows.
struct Partition {
    question: usize,
    /// Number of parts.
    parts: u16,
    /// Number of rows that are in all parts.
    silent: usize,
    /// The part of each row, or `SILENT`. Parts are numbered in the order in which they appear.
    of_row: Vec<u16>,
}

impl Problem {
    pub fn new(
        revisions: &RevisionSet,
        clusterings: &[Clustering],
        options: &Options,
    ) -> Result<Self, TreeError> {
        let clusterings = by_test(revisions, clusterings)?;
        let mut rows: BTreeMap<Vec<Option<Revision>>, RevisionSet> = BTreeMap::new();
        for revision in revisions.iter() {
            let answers = clusterings.iter().map(|c| c.cluster(revision)).collect();
            rows.entry(answers).or_default().insert(revision);
        }
        let mut rows: Vec<RevisionSet> = rows.into_values().collect();
        rows.sort_by_key(RevisionSet::first);
        if rows.len() > usize::from(u16::MAX) {
            return Err(TreeError::TooManyRows { rows: rows.len() });
        }
        let prior = |r| u64::from(options.prior.get(&r).copied().unwrap_or(1));
        let weights = rows.iter().map(|row| row.iter().map(prior).sum()).collect();
        let questions: Vec<Question> = clusterings
            .iter()
            .map(|c| Question::new(c, &rows, options.sizes.get(&c.test).copied().unwrap_or(0)))
            .collect();
        let silent = questions.iter().any(|question| question.answers.contains(&SILENT));
        let apart = silent.then(|| Apart::new(rows.len(), &questions));
        let mut problem = Self { rows, weights, questions, apart };
        problem.drop_dominated();
        Ok(problem)
    }

    /// The classes: sets of revisions that are told apart from the same others, ordered by their
    /// smallest revisions.
    pub fn classes(&self) -> Vec<RevisionSet> {
        let Some(apart) = &self.apart else { return self.rows.clone() };
        let mut classes: BTreeMap<&[u64], RevisionSet> = BTreeMap::new();
        for (row, revisions) in self.rows.iter().enumerate() {
            let class = classes.entry(apart.of(row as u16)).or_default();
            *class = class.union(revisions);
        }
        let mut classes: Vec<RevisionSet> = classes.into_values().collect();
        classes.sort_by_key(RevisionSet::first);
        classes
    }

    /// Whether no test tells any two of `set` apart.
    pub fn is_settled(&self, set: &[u16]) -> bool {
        match &self.apart {
            None => set.len() < 2,
            Some(apart) => apart.is_settled(set),
        }
    }

    /// Rows of `set` that are all told apart from each other; at least two if any rows of `set` are
    /// told apart.
    pub fn spread<'a>(&self, set: &'a [u16]) -> Cow<'a, [u16]> {
        match &self.apart {
            None => Cow::Borrowed(set),
            Some(apart) => Cow::Owned(apart.spread(set)),
        }
    }

    /// All rows.
    pub fn all(&self) -> Rows {
        (0..self.rows.len() as u16).collect()
    }

    /// The revisions of a set of rows.
    pub fn revisions(&self, set: &[u16]) -> RevisionSet {
        set.iter().flat_map(|row| self.rows[usize::from(*row)].iter()).collect()
    }

    /// The prior of a set of rows.
    pub fn weight(&self, set: &[u16]) -> u64 {
        set.iter().map(|row| self.weights[usize::from(*row)]).sum()
    }

    /// The split of `set` by `question`; `None` if the question tells none of the rows apart.
    pub fn split(&self, set: &[u16], question: usize) -> Option<Split> {
        let parts = self.parts(set, question);
        (parts.len() > 1).then(|| Split { question, parts: parts.into_values().collect() })
    }

    /// The question that tells the most pairs of `set` apart; of several, the first. `None` if no
    /// question tells any apart.
    pub fn widest(&self, set: &[u16]) -> Option<usize> {
        let pairs = |question: &usize| {
            let Question { answers, clusters, .. } = &self.questions[*question];
            let mut counts = vec![0u64; clusters.len()];
            for row in set {
                // A test that is silent has no such answer.
                if let Some(count) = counts.get_mut(usize::from(answers[usize::from(*row)])) {
                    *count += 1;
                }
            }
            let known: u64 = counts.iter().sum();
            known * known - counts.iter().map(|count| count * count).sum::<u64>()
        };
        let told = (0..self.questions.len()).map(|question| (pairs(&question), Reverse(question)));
        let (pairs, Reverse(question)) = told.max()?;
        (pairs > 0).then_some(question)
    }

    /// The parts of `set`, each with the cluster into which the question puts it.
    pub fn branches(&self, set: &[u16], question: usize) -> Vec<(Revision, Rows)> {
        let clusters = &self.questions[question].clusters;
        let parts = self.parts(set, question).into_iter();
        parts.map(|(answer, part)| (clusters[usize::from(answer)], part)).collect()
    }

    fn parts(&self, set: &[u16], question: usize) -> BTreeMap<u16, Rows> {
        let Question { answers, .. } = &self.questions[question];
        let mut parts: BTreeMap<u16, Rows> = BTreeMap::new();
        for row in set {
            parts.entry(answers[usize::from(*row)]).or_default().push(*row);
        }
        if let Some(silent) = parts.remove(&SILENT) {
            for part in parts.values_mut() {
                part.extend_from_slice(&silent);
                part.sort_unstable();
            }
        }
        parts
    }

    /// The splits of `set` that suffice for a tree of least height and depth. Of equal splits only
    /// the first is there, and none that another split makes dispensable.
    pub fn finest_splits(&self, set: &[u16]) -> Vec<Split> {
        let mut seen: Map<Vec<u16>, ()> = Map::default();
        let mut partitions: Vec<Partition> = Vec::new();
        let mut order = Vec::new();
        for index in 0..self.questions.len() {
            let partition = self.partition(index, set, &mut order);
            if partition.parts > 1 && seen.insert(partition.of_row.clone(), ()).is_none() {
                partitions.push(partition);
            }
        }
        partitions.sort_by_key(|p| (Reverse(p.parts), p.silent, p.question));
        let mut finest: Vec<&Partition> = Vec::new();
        for candidate in &partitions {
            // A silent test can put revisions at more leaves. It does not if it has as many parts
            // as the other test, each within a part of that one.
            let dispensable = finest.iter().any(|kept| {
                let as_many = kept.parts == candidate.parts;
                (if as_many { kept.silent < candidate.silent } else { kept.silent == 0 })
                    && kept.refines(candidate)
            });
            if !dispensable {
                finest.push(candidate);
            }
        }
        finest.iter().filter_map(|partition| self.split(set, partition.question)).collect()
    }

    /// Removes every test that another test can replace in any tree. The other test must refine it
    /// and have no larger input. It must also have an outcome for every revision or make the very
    /// The parts of the finer test within one part of the coarser have nothing in common. So the
    /// height, the depth, the number of tests and their input do not grow. A finer test that is
    /// silent on some revisions could put these at more leaves. A finer test with a larger input
    /// does not replace a coarser one, whose smaller input could decide.
    fn drop_dominated(&mut self) {
        let all = self.all();
        let mut order = Vec::new();
        let partitions: Vec<Partition> =
            (0..self.questions.len()).map(|q| self.partition(q, &all, &mut order)).collect();
        let dominates = |a: usize, b: usize| {
            let (finer, coarser) = (&partitions[a], &partitions[b]);
            let (size_a, size_b) = (self.questions[a].size, self.questions[b].size);
            let twins = (finer.parts, finer.silent) == (coarser.parts, coarser.silent);
            size_a <= size_b
                && (twins || finer.silent == 0)
                && finer.parts >= coarser.parts
                && finer.refines(coarser)
                && (!twins || size_a < size_b || a < b)
        };
        let useful: Vec<bool> = (0..self.questions.len())
            .map(|b| !(0..self.questions.len()).any(|a| a != b && dominates(a, b)))
            .collect();
        let mut useful = useful.into_iter();
        self.questions.retain(|_| useful.next().unwrap_or(true));
    }

    fn partition(&self, question: usize, set: &[u16], order: &mut Vec<u16>) -> Partition {
        const UNSEEN: u16 = u16::MAX;
        let Question { answers, clusters, .. } = &self.questions[question];
        order.clear();
        order.resize(clusters.len(), UNSEEN);
        let (mut parts, mut silent) = (0, 0);
        let mut part_of = |row: &u16| {
            let Some(part) = order.get_mut(usize::from(answers[usize::from(*row)])) else {
                silent += 1;
                return SILENT;
            };
            if *part == UNSEEN {
                *part = parts;
                parts += 1;
            }
            *part
        };
        let of_row = set.iter().map(&mut part_of).collect();
        Partition { question, parts, silent, of_row }
    }
}

impl Partition {
    /// Whether every part of this partition lies within some part of `coarse`, which has at least
    /// two. Then this partition also has at least as many parts as `coarse` on every subset:
    /// revisions in different parts there never share one here.
    fn refines(&self, coarse: &Self) -> bool {
        let mut image = vec![None; usize::from(self.parts)];
        self.of_row.iter().zip(&coarse.of_row).all(|(fine, coarse)| match (*fine, *coarse) {
            (_, SILENT) => true,
            (SILENT, _) => false,
            (fine, coarse) => *image[usize::from(fine)].get_or_insert(coarse) == coarse,
        })
    }
}

/// The clusterings that tell some of `revisions` apart, in the order of their tests.
fn by_test<'a>(
    revisions: &RevisionSet,
    clusterings: &'a [Clustering],
) -> Result<Vec<&'a Clustering>, TreeError> {
    let mut tests = BTreeMap::new();
    for clustering in clusterings {
        if tests.insert(clustering.test, clustering).is_some() {
            return Err(TreeError::Twice { test: clustering.test });
        }
    }
    let tells_apart = |clustering: &&Clustering| !clustering.joins(revisions);
    Ok(tests.into_values().filter(tells_apart).collect())
}
