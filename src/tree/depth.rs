//! Exact search for the least expected depth at a given height, by branch and bound.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{
    bounds::{UNBOUNDED, depth_key},
    problem::{Rows, Split},
    search::{Known, OutOfTime, PARALLEL, TreeSearch, outcomes},
};

/// A question with lower bounds for its parts, and for the tree that it begins.
struct Candidate {
    split: Split,
    parts: Vec<u64>,
    total: u64,
}

impl TreeSearch<'_> {
    /// The least sum of weight times depth over the leaves of a tree for `set` of at most `height`;
    /// `None` if it is more than `limit` or there is no such tree.
    pub fn least_depth(
        &self,
        set: &Rows,
        height: u32,
        limit: u64,
    ) -> Result<Option<u64>, OutOfTime> {
        if self.problem.is_settled(set) {
            return Ok(Some(0));
        }
        let key = depth_key(set, height);
        if let Some(known) = self.depths.get(&key) {
            if known.lower > limit {
                return Ok(None);
            }
            if let Some((upper, _)) = known.upper.filter(|(upper, _)| *upper == known.lower) {
                return Ok(Some(upper));
            }
        }
        if height == 0 || self.heights.get(set).is_some_and(|known| height < known.lower) {
            return Ok(None);
        }
        self.in_time()?;
        let best = self.branch_and_bound(set, key.1, limit)?;
        self.depths.update(key, Known::default(), |known| known.proved(best));
        Ok((best <= limit).then_some(best))
    }

    /// The least weighted depth if it is at most `limit`, otherwise `limit + 1`.
    fn branch_and_bound(&self, set: &Rows, height: u32, limit: u64) -> Result<u64, OutOfTime> {
        let best = AtomicU64::new(limit + 1);
        let explore = |candidate: &Candidate| -> Result<(), OutOfTime> {
            let mut value = candidate.total;
            for (part, bound) in candidate.split.parts.iter().zip(&candidate.parts) {
                let Some(slack) = best.load(Ordering::Relaxed).checked_sub(value + 1) else {
                    return Ok(());
                };
                match self.least_depth(part, height - 1, bound + slack)? {
                    Some(depth) => value += depth - bound,
                    None => return Ok(()),
                }
            }
            best.fetch_min(value, Ordering::Relaxed);
            let question = candidate.split.question;
            self.depths.update((set.clone(), height), Known::default(), |known| {
                known.found(value, question);
            });
            Ok(())
        };
        let candidates = self.candidates(set, height, limit);
        if set.len() >= PARALLEL && height > 1 {
            candidates.par_iter().try_for_each(explore)?;
        } else {
            candidates.iter().try_for_each(explore)?;
        }
        Ok(best.into_inner())
    }

    /// The questions that could begin a tree within `limit`, the most promising first.
    fn candidates(&self, set: &Rows, height: u32, limit: u64) -> Vec<Candidate> {
        let splits = self.problem.finest_splits(set);
        let outcomes = outcomes(&splits);
        let mut candidates: Vec<Candidate> = splits
            .into_iter()
            .filter_map(|split| {
                let parts = split
                    .parts
                    .iter()
                    .map(|part| self.depth_bound(part, height - 1, outcomes))
                    .collect::<Option<Vec<u64>>>()?;
                let total = self.weight_below(&split) + parts.iter().sum::<u64>();
                (total <= limit).then_some(Candidate { split, parts, total })
            })
            .collect();
        candidates.sort_by_key(|candidate| (candidate.total, candidate.split.question));
        candidates
    }

    /// A lower bound on the weighted depth of trees for `set` of at most `height`; `None` if there
    /// is no such tree.
    pub(super) fn depth_bound(&self, set: &Rows, height: u32, outcomes: usize) -> Option<u64> {
        if self.problem.is_settled(set) {
            return Some(0);
        }
        let possible = self.logarithm(set, outcomes) <= height
            && self.heights.get(set).is_none_or(|known| known.lower <= height);
        let known = self.depths.get(&depth_key(set, height)).map_or(0, |known| known.lower);
        (possible && known < UNBOUNDED).then(|| known.max(self.huffman(set, outcomes)))
    }

    /// The weight that one question adds to the weighted depth: that of all rows at its branches.
    /// It is more than the weight of the rows asked if the test is silent on some, as these are at
    /// every branch.
    pub(super) fn weight_below(&self, split: &Split) -> u64 {
        split.parts.iter().map(|part| self.problem.weight(part)).sum()
    }
}
