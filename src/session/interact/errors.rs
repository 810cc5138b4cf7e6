//! Differential errors, regressions and change interaction errors, as section 3 of Böhme, Oliveira
//! and Roychoudhury (2013) defines them, over the tests of a run.

use std::collections::BTreeSet;

use super::subsets;
use crate::results::{Introduced, TestId};

/// What a test shows about a patch.
pub(super) struct Shown {
    pub(super) test: TestId,
    /// The changes that the patched program runs, one after the other.
    pub(super) trace: Vec<usize>,
    /// Whether the patched program does something else than the original.
    pub(super) differs: bool,
    /// Its error, where it differs from the original and is wrong.
    pub(super) error: Option<Introduced>,
}

/// A critical sequence: changes that every test with an error runs, in an order in which some of
/// these tests run them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Critical {
    pub(super) sequence: Vec<usize>,
    pub(super) error: Introduced,
    pub(super) test: TestId,
    pub(super) tests: u32,
    pub(super) errors: u32,
}

/// The changes of a trace, in the order in which they begin.
pub(super) fn order(trace: &[usize]) -> Vec<usize> {
    let mut order = Vec::new();
    for change in trace {
        if !order.contains(change) {
            order.push(*change);
        }
    }
    order
}

impl Shown {
    /// Whether the test runs these changes in this order.
    pub(super) fn runs(&self, sequence: &[usize]) -> bool {
        let mut own = self.trace.iter();
        sequence.iter().all(|change| own.any(|other| other == change))
    }
}

/// The critical sequences. Each is as long as possible: without some of its changes, the rest is a
/// critical sequence, too. Tests that run the changes in several orders count for the order in
/// which most tests run them. Inputs on which the patched program is wrong in the same way as the
/// original do not count: that error is not one of the changes.
pub(super) fn critical(shown: &[Shown]) -> Vec<Critical> {
    let mut failing: Vec<&Shown> = shown.iter().filter(|shown| shown.error.is_some()).collect();
    let set = |shown: &&Shown| subsets::set(shown.trace.iter().copied());
    let common = failing.iter().map(set).reduce(|a, b| a & b).unwrap_or(0);
    if common.count_ones() < 2 {
        return Vec::new();
    }
    let order = |shown: &Shown| -> Vec<usize> {
        let order = order(&shown.trace).into_iter();
        order.filter(|change| common >> change & 1 == 1).collect()
    };
    let mut found: Vec<Critical> = Vec::new();
    while let Some(sequence) = failing.iter().map(|shown| order(shown)).max_by_key(|sequence| {
        let count = failing.iter().filter(|shown| shown.runs(sequence)).count();
        (count, std::cmp::Reverse(sequence.clone()))
    }) {
        let run = shown.iter().filter(|shown| shown.runs(&sequence));
        let tests = run.clone().count() as u32;
        let mut errors = run.filter_map(|shown| Some((shown.test, shown.error?)));
        let Some((test, error)) = errors.next() else { break };
        let errors = errors.count() as u32 + 1;
        failing.retain(|shown| !shown.runs(&sequence));
        found.push(Critical { sequence, error, test, tests, errors });
    }
    found
}

/// Tests that together run every change: for each change, the first test that runs it and the
/// fewest others.
pub(super) fn isolated(shown: &[Shown]) -> BTreeSet<TestId> {
    let changes: BTreeSet<usize> = shown.iter().flat_map(|shown| shown.trace.clone()).collect();
    let of_change = |change: usize| {
        let run = shown.iter().filter(|shown| shown.trace.contains(&change));
        run.min_by_key(|shown| (order(&shown.trace).len(), shown.test)).map(|shown| shown.test)
    };
    changes.into_iter().filter_map(of_change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(test: u32, trace: &[usize], error: bool) -> Shown {
        Shown {
            test: TestId(test),
            trace: trace.to_vec(),
            differs: error,
            error: error.then_some(Introduced::Regression),
        }
    }

    #[test]
    fn a_sequence_is_critical_if_nothing_that_skips_a_part_has_the_error() {
        let tests = [
            shown(1, &[0], false),
            shown(2, &[0, 1], false),
            shown(3, &[0, 1, 2], true),
            shown(4, &[0, 2], false),
            shown(5, &[0, 1, 2], false),
        ];
        let found = critical(&tests);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].sequence, [0, 1, 2]);
        assert_eq!((found[0].tests, found[0].errors, found[0].test), (2, 1, TestId(3)));
        assert_eq!(isolated(&tests), BTreeSet::from([TestId(1), TestId(2), TestId(4)]));
    }

    #[test]
    fn one_change_alone_is_no_interaction() {
        assert_eq!(critical(&[shown(1, &[0, 1], true), shown(2, &[1], true)]), []);
        assert_eq!(critical(&[shown(1, &[0, 1], false)]), []);
    }

    #[test]
    fn each_order_is_a_sequence() {
        let found = critical(&[shown(1, &[0, 1, 2], true), shown(2, &[2, 0], true)]);
        let sequences: Vec<_> = found.into_iter().map(|found| found.sequence).collect();
        assert_eq!(sequences, [vec![0, 2], vec![2, 0]]);
        // A loop may run them in both orders.
        let found = critical(&[shown(1, &[0, 1, 2], true), shown(2, &[2, 0, 2], true)]);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].sequence[..], found[0].errors), (&[0, 2][..], 2));
    }
}
