//! Which halt states can overlap, decided without a solver.
//!
//! States of one execution tree share most of their conditions, as the same expressions. Two
//! of which one has a condition and the other its negation exclude each other; with a bit for
//! each condition that costs a few machine words a pair.

use std::collections::HashMap;

use crate::expr::{Assignment, Evaluator, ExprId, Exprs, Memo};

/// Numbers for conditions; a condition and its negation have the same one.
#[derive(Default)]
pub(super) struct Conditions {
    numbers: HashMap<ExprId, (usize, bool)>,
    conditions: Vec<ExprId>,
}

/// Which conditions hold under an assignment.
pub(super) struct Truths(Vec<u64>);

/// The conditions of a path, a bit each: those that it has, and those whose negation it has.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    holds: Vec<u64>,
    fails: Vec<u64>,
}

impl Conditions {
    /// The footprint of a path.
    pub(super) fn footprint(&mut self, exprs: &Exprs, path: &[ExprId]) -> Footprint {
        let mut footprint = Footprint::default();
        for &condition in path {
            let (number, holds) = self.number(exprs, condition);
            let bits = if holds { &mut footprint.holds } else { &mut footprint.fails };
            if bits.len() <= number / 64 {
                bits.resize(number / 64 + 1, 0);
            }
            bits[number / 64] |= 1 << (number % 64);
        }
        footprint
    }

    /// Which of all conditions hold under an assignment.
    pub(super) fn truths(&self, exprs: &Exprs, model: &Assignment) -> Truths {
        let mut memo = Memo::default();
        let mut evaluator = Evaluator::new(exprs, model, &mut memo);
        let mut truths = vec![0; self.conditions.len().div_ceil(64)];
        for (number, condition) in self.conditions.iter().enumerate() {
            truths[number / 64] |= u64::from(evaluator.holds(*condition)) << (number % 64);
        }
        Truths(truths)
    }

    fn number(&mut self, exprs: &Exprs, condition: ExprId) -> (usize, bool) {
        if let Some(known) = self.numbers.get(&condition) {
            return *known;
        }
        let number = self.conditions.len();
        self.conditions.push(condition);
        self.numbers.insert(condition, (number, true));
        self.numbers.insert(exprs.not(condition), (number, false));
        (number, true)
    }
}

impl Footprint {
    /// Whether one path has a condition that the other has negated. Paths that do not exclude
    /// each other in this way may still do so in another.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let meet = |a: &[u64], b: &[u64]| a.iter().zip(b).any(|(a, b)| a & b != 0);
        meet(&self.holds, &other.fails) || meet(&self.fails, &other.holds)
    }

    /// Whether the path is taken.
    pub(super) fn is_taken(&self, truths: &Truths) -> bool {
        self.holds.iter().zip(&truths.0).all(|(wanted, truth)| wanted & !truth == 0)
            && self.fails.iter().zip(&truths.0).all(|(unwanted, truth)| unwanted & truth == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_and_its_negation_exclude_each_other() {
        let exprs = Exprs::new();
        let mut conditions = Conditions::default();
        let all: Vec<ExprId> = (0..200).map(|i| exprs.input(&format!("c{i}"), 1)).collect();
        let mut paths = Vec::new();
        for &condition in &all {
            paths.push(conditions.footprint(&exprs, &[condition]));
            paths.push(conditions.footprint(&exprs, &[exprs.not(condition)]));
        }
        for (i, a) in paths.iter().enumerate() {
            for (j, b) in paths.iter().enumerate() {
                assert_eq!(a.excludes(b), i != j && i / 2 == j / 2);
            }
        }
    }
}
