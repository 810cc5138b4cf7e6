//! What every way to the end of a function runs.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Flow, Place};
use crate::ir::FunctionId;

/// The postdominators of a function's instructions, by the algorithm of Cooper, Harvey and Kennedy, "A
/// simple, fast dominance algorithm" (2001).
pub(super) struct Postdominators {
    first: Place,
    /// The nearest postdominator of each instruction; the number of instructions for the end of the
    /// function.
    nearest: Vec<Option<usize>>,
}

impl Postdominators {
    pub(super) fn new(flow: &Flow<'_>, id: FunctionId) -> Self {
        let places = flow.places(id);
        let (first, length) = (places.start, places.len());
        let mut next: Vec<Vec<usize>> = places
            .clone()
            .map(|place| flow.next_within[place].iter().map(|next| next - first).collect())
            .collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); length + 1];
        for (place, others) in next.iter().enumerate() {
            for other in others {
                before[*other].push(place);
            }
        }
        let ends: Vec<usize> = (0..length).filter(|place| next[*place].is_empty()).collect();
        let mut reaches = vec![false; length];
        let mut mark =
            |from: Vec<usize>, next: &mut Vec<Vec<usize>>, before: &mut Vec<Vec<usize>>| {
                for place in &from {
                    next[*place].push(length);
                    before[length].push(*place);
                }
                let mut left = from;
                while let Some(place) = left.pop() {
                    if !std::mem::replace(&mut reaches[place], true) {
                        left.extend(&before[place]);
                    }
                }
                reaches.iter().rposition(|reaches| !reaches)
            };
        let mut endless = mark(ends, &mut next, &mut before);
        // What never ends is taken to end at its last instruction.
        while let Some(place) = endless {
            endless = mark(vec![place], &mut next, &mut before);
        }
        let order = postorder(&before, length);
        let number: BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(number, place)| (*place, number)).collect();
        let mut nearest: Vec<Option<usize>> = vec![None; length + 1];
        nearest[length] = Some(length);
        let mut changed = true;
        while changed {
            changed = false;
            for place in order.iter().rev().copied().filter(|place| *place != length) {
                let known = next[place].iter().copied().filter(|other| nearest[*other].is_some());
                let meet = |mut a: usize, mut b: usize| {
                    while a != b {
                        while number[&a] < number[&b] {
                            a = nearest[a].unwrap_or(length);
                        }
                        while number[&b] < number[&a] {
                            b = nearest[b].unwrap_or(length);
                        }
                    }
                    a
                };
                let found = known.reduce(meet);
                if found != nearest[place] {
                    nearest[place] = found;
                    changed = true;
                }
            }
        }
        Self { first, nearest }
    }

    /// The nearest postdominator; `None` if it is the end of the function.
    pub(super) fn next(&self, place: Place) -> Option<Place> {
        let nearest = self.nearest[place - self.first]?;
        (nearest + 1 < self.nearest.len()).then_some(self.first + nearest)
    }
}

/// The nodes of a graph that can be reached from one, each after those that are reached from it.
fn postorder(edges: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::from([from]);
    let mut stack = vec![(from, 0)];
    while let Some((node, at)) = stack.pop() {
        match edges[node].get(at) {
            Some(other) => {
                stack.push((node, at + 1));
                if seen.insert(*other) {
                    stack.push((*other, 0));
                }
            }
            None => order.push(node),
        }
    }
    order
}
