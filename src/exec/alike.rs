//! What a run in lockstep shows.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::state::HaltState;
use crate::{
    env::Halt,
    expr::ExprId,
    subject::{Revision, RevisionSet},
};

/// What running in lockstep has shown.
#[derive(Clone, Debug, Default)]
pub struct Alike {
    /// Sets of revisions that no input tells apart.
    pub classes: Vec<RevisionSet>,
    /// Sets of revisions that may fail on some input, all alike.
    pub failing: Vec<RevisionSet>,
}

impl Alike {
    /// Notes how revisions have ended.
    pub(super) fn end_all(&mut self, halted: &[HaltState]) {
        together(halted).iter().for_each(|(state, revisions)| self.end(state, revisions));
    }

    fn end(&mut self, state: &HaltState, revisions: &RevisionSet) {
        let halt = &state.halt;
        if *halt == Halt::Outside || state.is_exact() {
            self.part(revisions);
        } else {
            self.part_all(revisions);
        }
        if halt.is_failure() && revisions.len() > 1 && !self.failing.contains(revisions) {
            self.failing.push(revisions.clone());
        }
    }

    /// Notes that these revisions have done something that the others have not.
    pub(super) fn part(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let parts = classes.flat_map(|class| [class.intersection(these), class.difference(these)]);
        self.classes = parts.filter(|class| class.len() > 1).collect();
    }

    /// Notes that nothing is known of any of these revisions.
    pub(super) fn part_all(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let rest = classes.map(|class| class.difference(these));
        self.classes = rest.filter(|class| class.len() > 1).collect();
    }

    /// Those of these revisions that may still be alike with some other revision, whichever it is.
    pub(super) fn still_open(&self, these: &RevisionSet) -> RevisionSet {
        let all = self.classes.iter().fold(RevisionSet::new(), |all, class| all.union(class));
        all.intersection(these)
    }

    /// Those of these revisions that may still be alike with another one of these.
    pub(super) fn matter(&self, these: &RevisionSet) -> RevisionSet {
        let here = self.classes.iter().map(|class| class.intersection(these));
        let here = here.filter(|class| class.len() > 1);
        here.fold(RevisionSet::new(), |all, class| all.union(&class))
    }

    /// The pairs of revisions that no input tells apart, the smaller revision first.
    pub fn pairs(&self) -> BTreeSet<(Revision, Revision)> {
        let pairs = |class: &RevisionSet| {
            let all: Vec<Revision> = class.iter().collect();
            let with_later = |(index, a): (usize, &Revision)| {
                all[index + 1..].iter().map(|b| (*a, *b)).collect::<Vec<_>>()
            };
            all.iter().enumerate().flat_map(with_later).collect::<Vec<_>>()
        };
        self.classes.iter().flat_map(pairs).collect()
    }
}

/// The halt states, each with its revisions and those that have failed in the same way on the same
/// path: revisions that are parted and fail do not meet again.
fn together(halted: &[HaltState]) -> Vec<(&HaltState, RevisionSet)> {
    let mut ends: Vec<(&HaltState, RevisionSet)> = Vec::new();
    let mut failed: FxHashMap<&[ExprId], Vec<usize>> = FxHashMap::default();
    for state in halted {
        let fails = state.halt.is_failure() && state.is_exact();
        let none = &mut Vec::new();
        let known = if fails { failed.entry(&state.path_condition).or_default() } else { none };
        let is_like = |end: &&usize| {
            let other = ends[**end].0;
            other.halt == state.halt && other.world.effects() == state.world.effects()
        };
        match known.iter().find(is_like) {
            Some(&end) => ends[end].1 = ends[end].1.union(&state.revisions),
            None => {
                known.push(ends.len());
                ends.push((state, state.revisions.clone()));
            }
        }
    }
    ends
}
