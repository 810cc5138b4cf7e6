//! Exact search for the least height.
//!
//! For each set of rows that are still possible, the search decides whether a height suffices, and
//! remembers this under the set. Only proven bounds and trees that were found are remembered, so
//! the answer does not depend on which worker comes first.

use std::{
    cmp::Reverse,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{
    bounds,
    bounds::depth_key,
    memo::Memo,
    problem::{Problem, Rows, Split},
};

/// The time budget is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfTime;

/// Sets with fewer rows than this are not worth sharing among workers.
pub(super) const PARALLEL: usize = 10;

/// What is known about the value of trees for a set of rows: their height, or their weighted depth
/// at a given height. No tree is below `lower`. `upper` is the value of a tree that was found, and
/// the question that it asks first.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<T> {
    pub lower: T,
    pub upper: Option<(T, usize)>,
}

impl<T: Copy + Ord> Known<T> {
    /// Records a tree that was found.
    pub fn found(&mut self, value: T, question: usize) {
        if self.upper.is_none_or(|(upper, _)| value < upper) {
            self.upper = Some((value, question));
        }
    }

    /// Records a proof that no tree is below `lower`.
    pub fn proved(&mut self, lower: T) {
        self.lower = self.lower.max(lower);
    }
}

pub(super) struct TreeSearch<'a> {
    pub problem: &'a Problem,
    deadline: RwLock<Option<Instant>>,
    late: AtomicBool,
    /// The [first question](Self::first_question) of each set.
    first: Memo<Rows, usize>,
    pub(super) heights: Memo<Rows, Known<u32>>,
    /// What is known about the weighted depth, by the set and the height left.
    pub(super) depths: Memo<(Rows, u32), Known<u64>>,
}

impl<'a> TreeSearch<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let (deadline, late) = (RwLock::default(), AtomicBool::new(false));
        let (first, heights, depths) = (Memo::new(), Memo::new(), Memo::new());
        Self { problem, deadline, late, first, heights, depths }
    }

    /// Sets the deadline, and lets the search run again if it was late.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.write().unwrap_or_else(PoisonError::into_inner) = deadline;
        self.late.store(false, Ordering::Relaxed);
    }

    /// An error once the time is up.
    pub fn in_time(&self) -> Result<(), OutOfTime> {
        if self.late.load(Ordering::Relaxed) {
            return Err(OutOfTime);
        }
        let deadline = *self.deadline.read().unwrap_or_else(PoisonError::into_inner);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.late.store(true, Ordering::Relaxed);
            return Err(OutOfTime);
        }
        Ok(())
    }

    /// Raises the proved bound `lower` and lowers the height `upper` of the best tree until they
    /// meet or `deadline` has passed.
    ///
    /// Refuting a height and finding a lower tree take turns, each for longer and longer. It is not
    /// known in advance which of the two is easier, and each can use what the other has found.
    pub fn least_height(
        &self,
        set: &Rows,
        lower: &mut u32,
        upper: &mut u32,
        deadline: Option<Instant>,
    ) -> Result<(), OutOfTime> {
        let mut turn = Duration::from_millis(100);
        while lower < upper {
            for from_below in [true, false] {
                let end = Instant::now() + turn;
                self.set_deadline(Some(deadline.map_or(end, |deadline| deadline.min(end))));
                let height = if from_below { *lower } else { *upper - 1 };
                match self.fits(set, height) {
                    Ok(true) => *upper = height,
                    Ok(false) => *lower = height + 1,
                    Err(OutOfTime) => {}
                }
                if lower == upper {
                    break;
                }
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) && lower < upper {
                return Err(OutOfTime);
            }
            turn *= 2;
        }
        Ok(())
    }

    /// Finds some tree for `set` without searching: it always asks the [first
    /// question](Self::first_question). Returns the height of the tree, or `None` if the tree needs
    /// more than `sets` sets of rows that are still to be told apart, or the time is up.
    pub fn first_tree(&self, set: &Rows, sets: &mut usize) -> Option<u32> {
        if self.problem.is_settled(set) {
            return Some(0);
        }
        if let Some((height, _)) = self.heights.get(set).and_then(|known| known.upper) {
            return Some(height);
        }
        *sets = sets.checked_sub(1)?;
        self.in_time().ok()?;
        let split = self.problem.split(set, self.first_question(set)?)?;
        let mut height = 0;
        for part in &split.parts {
            height = height.max(1 + self.first_tree(part, sets)?);
        }
        let known = Known::default();
        self.heights.update(set.clone(), known, |known| known.found(height, split.question));
        Some(height)
    }

    /// The question after which the bounds on the height of trees for `set`, and then on the depth,
    /// are least. Once the time is up, it is the one that tells the most pairs apart, which is
    /// found at once. `None` if no question tells any rows apart.
    pub fn first_question(&self, set: &Rows) -> Option<usize> {
        if let Some(question) = self.first.get(set) {
            return Some(question);
        }
        if self.in_time().is_err() {
            return self.problem.widest(set);
        }
        let splits = self.problem.finest_splits(set);
        let outcomes = outcomes(&splits);
        let best = splits.iter().min_by_key(|split| {
            let depths = split.parts.iter().map(|part| self.huffman(part, outcomes));
            (self.height_below(split, outcomes), depths.sum::<u64>(), split.question)
        });
        let question = best?.question;
        self.first.update(set.clone(), question, |_| {});
        Some(question)
    }

    /// Whether some tree of at most `height` tells the rows of `set` apart.
    pub fn fits(&self, set: &Rows, height: u32) -> Result<bool, OutOfTime> {
        if height == 0 || self.problem.is_settled(set) {
            return Ok(self.problem.is_settled(set));
        }
        if let Some(known) = self.heights.get(set) {
            if known.upper.is_some_and(|(upper, _)| upper <= height) {
                return Ok(true);
            }
            if height < known.lower {
                return Ok(false);
            }
        }
        self.in_time()?;
        let mut splits = self.problem.finest_splits(set);
        let outcomes = outcomes(&splits);
        splits.retain(|split| self.height_below(split, outcomes) < height);
        splits.sort_by_key(|split| (largest(split), split.question));
        for split in &mut splits {
            // The largest part is the most likely to fail.
            split.parts.sort_by_key(|part| Reverse(part.len()));
        }
        let works = |split: &Split| -> Option<Result<usize, OutOfTime>> {
            for part in &split.parts {
                match self.fits(part, height - 1) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(late) => return Some(Err(late)),
                }
            }
            Some(Ok(split.question))
        };
        let found = if set.len() >= PARALLEL && height > 1 {
            splits.par_iter().find_map_any(works)
        } else {
            splits.iter().find_map(works)
        };
        let found = found.transpose()?;
        self.heights.update(set.clone(), Known::default(), |known| match found {
            Some(question) => known.found(height, question),
            None => known.proved(height + 1),
        });
        Ok(found.is_some())
    }

    /// The first question of the best tree for `set` of at most `height` that the search has found.
    /// The best is the tree of least depth if there is one, otherwise the one of least height.
    pub fn best_known(&self, set: &Rows, height: u32) -> Option<usize> {
        if self.problem.is_settled(set) {
            return None;
        }
        let by_depth = self.depths.get(&depth_key(set, height)).and_then(|known| known.upper);
        let by_height = || self.heights.get(set).and_then(|known| known.upper.map(|(_, q)| q));
        by_depth.map(|(_, question)| question).or_else(by_height)
    }

    /// The lower bound on the height of trees for `set`, from the number of outcomes alone.
    pub(super) fn logarithm(&self, set: &[u16], outcomes: usize) -> u32 {
        bounds::height(self.problem.spread(set).len(), outcomes)
    }

    /// The largest lower bound on the height of any part, from the number of outcomes alone.
    fn height_below(&self, split: &Split, outcomes: usize) -> u32 {
        split.parts.iter().map(|part| self.logarithm(part, outcomes)).max().unwrap_or(0)
    }

    /// The lower bound on the weighted depth of `set`, from the number of outcomes alone. Rows that
    /// are all told apart from each other stand at different leaves. The other rows are asked at
    /// least once, if anything is asked at all.
    pub(super) fn huffman(&self, set: &[u16], outcomes: usize) -> u64 {
        let spread = self.problem.spread(set);
        if spread.len() < 2 {
            return 0;
        }
        let weights: Vec<u64> =
            spread.iter().map(|row| self.problem.weights[usize::from(*row)]).collect();
        let others = self.problem.weight(set) - weights.iter().sum::<u64>();
        bounds::weighted_depth(&weights, outcomes) + others
    }
}

/// The largest number of outcomes of any question. No question has more on a subset.
pub(super) fn outcomes(splits: &[Split]) -> usize {
    splits.iter().map(|split| split.parts.len()).max().unwrap_or(0)
}

fn largest(split: &Split) -> usize {
    split.parts.iter().map(|part| part.len()).max().unwrap_or(0)
}
