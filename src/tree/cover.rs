//! The fewest tests that together tell apart every pair that some test tells apart: a smallest
//! *test cover*. Asked one after the other, whatever the answers are, they make an *oblivious*
//! tree.
//!
//! The problem is NP-hard (Garey and Johnson, "Computers and Intractability", 1979, SP6). The
//! search deepens iteratively: for each number of tests, it takes the pair that the fewest tests
//! tell apart and branches over these tests. It cuts off what the largest gains cannot complete.

use std::{cmp::Reverse, collections::BTreeSet, time::Instant};

use super::{
    bounds,
    decision::Tree,
    grow::grow,
    problem::Problem,
    question::SILENT,
    search::OutOfTime,
    solution::{Options, TreeError},
};
use crate::{
    results::{Clustering, TestId},
    subject::RevisionSet,
};

/// The most bits for the pairs that the tests tell apart, over all tests.
const MOST_BITS: usize = 1 << 30;

/// The smallest test cover that was found.
#[derive(Clone, Debug)]
pub struct Cover {
    /// The tests, in the order in which each tells apart the most new pairs.
    pub tests: Vec<TestId>,
    /// A proven lower bound: fewer tests do not suffice.
    pub lower_bound: usize,
    /// The tree that asks these tests in this order, except where one would tell nothing apart.
    pub tree: Tree,
    /// The classes, as in a [`Solution`](super::Solution).
    pub classes: Vec<RevisionSet>,
}

impl Cover {
    /// Whether no fewer tests suffice.
    pub fn optimal(&self) -> bool {
        self.tests.len() == self.lower_bound
    }
}

/// The smallest test cover for `revisions` that is found within the time of `options`, whose other
/// settings are ignored.
///
/// # Errors
/// As [`minimal`](super::minimal), and if there are too many revisions and tests.
pub fn cover(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
    options: &Options,
) -> Result<Cover, TreeError> {
    let problem = Problem::new(revisions, clusterings, options)?;
    let deadline = options.time.and_then(|time| Instant::now().checked_add(time));
    let pairs = Pairs::new(&problem, deadline)?;
    let mut best = pairs.greedy(&pairs.all());
    let outcomes = problem.questions.iter().map(|question| question.clusters.len()).max();
    let spread = problem.spread(&problem.all()).len();
    let mut lower_bound = bounds::height(spread, outcomes.unwrap_or(0)) as usize;
    while lower_bound < best.len() {
        let mut banned = vec![false; problem.questions.len()];
        let mut chosen = Vec::new();
        match pairs.search(&pairs.all(), lower_bound, &mut banned, &mut chosen) {
            Ok(true) => best = chosen,
            Ok(false) => lower_bound += 1,
            Err(OutOfTime) => break,
        }
    }
    let order = pairs.ordered(&best);
    let tree = grow(&problem, order.len() as u32, |set, _| {
        let tells = |question: &usize| problem.split(set, *question).is_some();
        order.iter().copied().find(tells).filter(|_| !problem.is_settled(set))
    });
    let tests = order.iter().map(|question| problem.questions[*question].test).collect();
    Ok(Cover { tests, lower_bound, tree, classes: problem.classes() })
}

/// The pairs of rows that each question tells apart, as bits. Pairs that few questions tell apart
/// come first.
struct Pairs {
    of: Vec<Vec<u64>>,
    deadline: Option<Instant>,
}

impl Pairs {
    fn new(problem: &Problem, deadline: Option<Instant>) -> Result<Self, TreeError> {
        let (rows, questions) = (problem.rows.len(), &problem.questions);
        let count = rows * rows.saturating_sub(1) / 2;
        if count.saturating_mul(questions.len()) > MOST_BITS {
            return Err(TreeError::TooManyPairs { rows, tests: questions.len() });
        }
        let telling = |a: usize, b: usize| {
            let tells = move |answers: &[u16]| {
                answers[a] != answers[b] && answers[a] != SILENT && answers[b] != SILENT
            };
            (0..questions.len()).filter(move |question| tells(&questions[*question].answers))
        };
        let all = (0..rows).flat_map(|b| (0..b).map(move |a| (a, b)));
        let counted = all.map(|(a, b)| (telling(a, b).count(), a, b));
        let mut known: Vec<(usize, usize, usize)> =
            counted.filter(|(count, ..)| *count > 0).collect();
        known.sort_unstable();
        let mut of = vec![vec![0; known.len().div_ceil(64)]; questions.len()];
        for (index, (_, a, b)) in known.into_iter().enumerate() {
            for question in telling(a, b) {
                of[question][index / 64] |= 1 << (index % 64);
            }
        }
        Ok(Self { of, deadline })
    }

    /// All pairs that some question tells apart.
    fn all(&self) -> Vec<u64> {
        let mut all = vec![0; self.of.first().map_or(0, Vec::len)];
        for pairs in &self.of {
            all.iter_mut().zip(pairs).for_each(|(all, pairs)| *all |= pairs);
        }
        all
    }

    /// How many of the `open` pairs a question tells apart.
    fn gain(&self, open: &[u64], question: usize) -> u32 {
        let both = open.iter().zip(&self.of[question]).map(|(open, pairs)| open & pairs);
        both.map(u64::count_ones).sum()
    }

    fn without(&self, open: &[u64], question: usize) -> Vec<u64> {
        open.iter().zip(&self.of[question]).map(|(open, pairs)| open & !pairs).collect()
    }

    /// Questions that tell all `open` pairs apart, chosen greedily: the next is always the one that
    /// tells the most apart.
    fn greedy(&self, open: &[u64]) -> Vec<usize> {
        let all: Vec<usize> = (0..self.of.len()).collect();
        self.greedy_among(open, &all)
    }

    fn greedy_among(&self, open: &[u64], questions: &[usize]) -> Vec<usize> {
        let (mut open, mut chosen) = (open.to_vec(), Vec::new());
        let gain = |open: &[u64], question: usize| (self.gain(open, question), Reverse(question));
        while let Some(best) = questions.iter().copied().max_by_key(|q| gain(&open, *q))
            && self.gain(&open, best) > 0
        {
            open = self.without(&open, best);
            chosen.push(best);
        }
        chosen
    }

    /// The questions in the order in which each tells apart the most new pairs.
    fn ordered(&self, questions: &[usize]) -> Vec<usize> {
        self.greedy_among(&self.all(), questions)
    }

    /// Whether `left` questions that are not banned tell all `open` pairs apart; if so, they are
    /// added to `chosen`.
    fn search(
        &self,
        open: &[u64],
        left: usize,
        banned: &mut Vec<bool>,
        chosen: &mut Vec<usize>,
    ) -> Result<bool, OutOfTime> {
        let Some(word) = open.iter().position(|word| *word != 0) else { return Ok(true) };
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(OutOfTime);
        }
        let count: u64 = open.iter().map(|word| u64::from(word.count_ones())).sum();
        let mut gains: Vec<(u32, Reverse<usize>)> = (0..self.of.len())
            .filter(|question| !banned[*question])
            .map(|question| (self.gain(open, question), Reverse(question)))
            .collect();
        gains.sort_unstable_by_key(|gain| Reverse(*gain));
        if gains.iter().take(left).map(|(gain, _)| u64::from(*gain)).sum::<u64>() < count {
            return Ok(false);
        }
        let rarest = 1 << open[word].trailing_zeros();
        let tells = |question: &usize| self.of[*question][word] & rarest != 0;
        let candidates: Vec<usize> =
            gains.into_iter().map(|(_, Reverse(question))| question).filter(tells).collect();
        let mut found = Ok(false);
        let mut tried = BTreeSet::new();
        for question in candidates {
            chosen.push(question);
            found = self.search(&self.without(open, question), left - 1, banned, chosen);
            if !matches!(found, Ok(false)) {
                break;
            }
            chosen.pop();
            // Every cover with this question has been searched.
            banned[question] = true;
            tried.insert(question);
        }
        tried.into_iter().for_each(|question| banned[question] = false);
        found
    }
}
