//! Bounds that no decision tree can beat, whatever its tests: computed from the number of outcomes.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::problem::Rows;

/// The least height at which tests with at most `outcomes` outcomes can tell any two of `rows` rows
/// apart: the logarithm, rounded up.
pub(super) fn height(rows: usize, outcomes: usize) -> u32 {
    let mut height = 0;
    let mut reach = 1usize;
    while reach < rows {
        // A single outcome never tells anything apart, but the bound must still be finite.
        reach = reach.saturating_mul(outcomes.max(2));
        height += 1;
    }
    height
}

/// The least sum of weight times depth over all trees with at most `outcomes` outcomes at a node.
/// It is that of Huffman's code ("A Method for the Construction of Minimum-Redundancy Codes",
/// 1952), whose n-ary form first adds weightless leaves until every node can be full.
pub(super) fn weighted_depth(weights: &[u64], outcomes: usize) -> u64 {
    let outcomes = outcomes.max(2);
    match weights {
        [] | [_] => 0,
        _ if weights.len() <= outcomes => weights.iter().sum(),
        [first, rest @ ..] if rest.iter().all(|weight| weight == first) => {
            first * path_length(weights.len(), outcomes)
        }
        _ => huffman(weights, outcomes),
    }
}

/// Sum of the depths of `leaves` leaves in the most balanced tree.
fn path_length(leaves: usize, outcomes: usize) -> u64 {
    let (mut depth, mut full) = (0, 1);
    while full * outcomes <= leaves {
        full *= outcomes;
        depth += 1;
    }
    let beyond = leaves - full;
    let split = beyond.div_ceil(outcomes - 1);
    (depth * leaves + beyond + split) as u64
}

fn huffman(weights: &[u64], outcomes: usize) -> u64 {
    let padding = (outcomes - 1 - (weights.len() - 1) % (outcomes - 1)) % (outcomes - 1);
    let mut heap: BinaryHeap<Reverse<u64>> =
        weights.iter().copied().chain(std::iter::repeat_n(0, padding)).map(Reverse).collect();
    let mut cost = 0;
    while heap.len() > 1 {
        let merged =
            (0..outcomes).filter_map(|_| heap.pop()).map(|Reverse(weight)| weight).sum::<u64>();
        cost += merged;
        heap.push(Reverse(merged));
    }
    cost
}

/// Larger than any weighted depth, and small enough to be added up.
pub(super) const UNBOUNDED: u64 = u64::MAX / 4;

/// The key under which a set and a height are remembered. Every question removes at least one row,
/// so no tree is higher than the number of rows less one, and a larger height is the same problem.
pub(super) fn depth_key(set: &Rows, height: u32) -> (Rows, u32) {
    (set.clone(), height.min((set.len() as u32).saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heights_are_rounded_up_logarithms() {
        assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(|n| height(n, 2)), [0, 0, 1, 2, 2, 3, 3, 4]);
        assert_eq!([1, 3, 4, 9, 10].map(|n| height(n, 3)), [0, 1, 2, 2, 3]);
        assert_eq!(height(5, 1), height(5, 2));
    }

    #[test]
    fn a_heavy_class_is_asked_first() {
        assert_eq!(weighted_depth(&[8, 1, 1, 1], 2), 8 + 2 + 3 + 3);
        assert_eq!(weighted_depth(&[5], 2), 0);
    }

    proptest! {
        #[test]
        fn the_closed_form_is_huffman(leaves in 2usize..200, outcomes in 2usize..9) {
            let weights = vec![1; leaves];
            prop_assert_eq!(path_length(leaves, outcomes), huffman(&weights, outcomes));
        }
    }
}
