//! What runs on every way to the end of a function.

use super::flow::{Flow, Place};
use crate::{exec::postdominators, ir::FunctionId};

/// The postdominators of a function's instructions.
pub(super) struct Postdominators {
    first: Place,
    /// The nearest postdominator of each instruction, counted from the first one. The number of
    /// instructions stands for the end of the function.
    nearest: Vec<Option<usize>>,
}

impl Postdominators {
    pub(super) fn new(flow: &Flow<'_>, id: FunctionId) -> Self {
        let places = flow.places(id);
        let (first, end) = (places.start, places.len());
        let mut next: Vec<Vec<usize>> = places
            .map(|place| flow.next_within[place].iter().map(|next| next - first).collect())
            .collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); end];
        for (place, others) in next.iter().enumerate() {
            others.iter().for_each(|other| before[*other].push(place));
        }
        let mut reaches = vec![false; end];
        let mut ends: Vec<usize> = (0..end).filter(|place| next[*place].is_empty()).collect();
        loop {
            ends.iter().for_each(|place| next[*place].push(end));
            while let Some(place) = ends.pop() {
                if !std::mem::replace(&mut reaches[place], true) {
                    ends.extend(&before[place]);
                }
            }
            // A loop that never ends is taken to end at its last instruction.
            match reaches.iter().rposition(|reaches| !reaches) {
                Some(place) => ends.push(place),
                None => break,
            }
        }
        next.push(Vec::new());
        Self { first, nearest: postdominators(&next) }
    }

    /// The nearest postdominator; `None` if it is the end of the function.
    pub(super) fn next(&self, place: Place) -> Option<Place> {
        let nearest = self.nearest[place - self.first]?;
        (nearest + 1 < self.nearest.len()).then_some(self.first + nearest)
    }
}
