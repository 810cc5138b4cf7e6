//! Revisions that are one state although they have done different things to the world.
//!
//! Where states become one again ([`super::join`]), each revision keeps what it has printed and
//! written: its effects. Revisions with different effects part where the state ends. They also part
//! for a call that does something more to the world, for that call alone.

use super::{Executor, ForkKind, HaltState, State};
use crate::{
    env::{Effects, Halt, kernel, models},
    ir::{Call, Function},
    memory::Value,
    subject::RevisionSet,
};

impl State {
    /// The sets of revisions that have done the same to the world, each with what it has done. The
    /// set of the smallest revision comes first.
    pub(super) fn effects(&self) -> Vec<(RevisionSet, Effects)> {
        let is_apart = |revision| self.apart.iter().any(|(set, _)| set.contains(revision));
        let rest = self.revisions.iter().filter(|revision| !is_apart(*revision)).collect();
        let mut all = vec![(rest, self.world.effects())];
        all.extend(self.apart.iter().cloned());
        all.sort_by_key(|(set, _)| set.first());
        all
    }

    /// Whether no revision that is left has done anything to the world since `before` was taken.
    pub(super) fn has_done_nothing_since(&self, before: &[(RevisionSet, Effects)]) -> bool {
        self.effects().iter().all(|(set, now)| {
            let mut known = before.iter().filter(|(all, _)| !all.is_disjoint(set));
            known.all(|(_, before)| now.is_unchanged_since(before))
        })
    }

    fn set_effects(&mut self, all: Vec<(RevisionSet, Effects)>) {
        let mut all = all.into_iter();
        let (_, first) = all.next().expect("a state has at least one revision");
        self.world = self.world.clone().with(first);
        self.apart = all.collect();
    }

    /// A state for each of the revisions alone.
    pub fn parted(&self) -> Vec<Self> {
        let alone = |(index, revision)| {
            let mut state = self.clone();
            state.keep(RevisionSet::from_iter([revision]));
            state.lineage = self.lineage.child(ForkKind::Meta, index);
            state
        };
        (0..).zip(self.revisions.iter()).map(alone).collect()
    }

    /// Keeps only these revisions of the state.
    pub fn keep(&mut self, revisions: RevisionSet) {
        self.revisions = revisions;
        if self.apart.is_empty() {
            return;
        }
        let of_these = |(set, effects): (RevisionSet, Effects)| {
            let set = set.intersection(&self.revisions);
            (!set.is_empty()).then_some((set, effects))
        };
        self.set_effects(self.effects().into_iter().filter_map(of_these).collect());
    }

    /// Adds the effects of another state's revisions.
    pub(super) fn add_effects(&mut self, other: &Self) {
        let mut all = self.effects();
        for (set, effects) in other.effects() {
            match all.iter_mut().find(|(_, known)| *known == effects) {
                Some((known, _)) => *known = known.union(&set),
                None => all.push((set, effects)),
            }
        }
        all.sort_by_key(|(set, _)| set.first());
        self.set_effects(all);
    }

    /// The halt states that the state ends in, one for each set of revisions with the same effects.
    pub(super) fn ended(&self, halt: &Halt) -> Vec<HaltState> {
        let all = self.effects();
        let is_one = all.len() == 1;
        let ended = |(index, (revisions, effects)): (usize, (RevisionSet, Effects))| HaltState {
            halt: halt.clone(),
            place: None,
            revisions,
            path_condition: self.path_condition.clone(),
            model: self.model.clone(),
            lineage: match is_one {
                true => self.lineage.clone(),
                false => self.lineage.child(ForkKind::Meta, index as u32),
            },
            world: self.world.clone().with(effects),
            instructions: self.instructions,
            asked: self.asked,
        };
        all.into_iter().enumerate().map(ended).collect()
    }
}

impl Executor<'_> {
    /// To be called before a call of `function`. If the call does something to the world, or asks
    /// for what was done to it, revisions with different effects part.
    pub(super) fn part_by_effects(&mut self, function: &Function, call: &Call) {
        let first = call.args.first().map_or(Value::Undefined, |argument| self.get(argument.value));
        let name = &function.name;
        let is_alike =
            models::has_no_effects(name) || kernel::is_alike(&self.state.world.kernel, name, first);
        if !is_alike {
            let groups = self.state.effects().into_iter();
            self.split(groups.map(|(set, _)| ((), set)).collect());
        }
    }
}
