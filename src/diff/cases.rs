//! Where two revisions may differ: every two halt states that an input may reach.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{
    differ::{Differ, is_left},
    input,
    outcome::{self, Precision},
    proof::Refutations,
    reason::Reason,
};
use crate::{
    env::Incomplete,
    exec::{ForkKind, HaltState, Lineage},
    expr::{ExprId, Exprs},
    solver::{Query, Solver},
    subject::Revision,
};

/// The inputs that take the paths of two halt states.
pub(super) struct Case {
    /// Indices of the states.
    pub(super) states: (usize, usize),
    pub(super) path: Vec<ExprId>,
    /// A condition under which the outcomes certainly differ.
    pub(super) surely: ExprId,
    /// A condition without which the outcomes are certainly equal.
    pub(super) maybe: ExprId,
}

/// The cases of two revisions.
#[derive(Default)]
pub(super) struct Cases {
    pub(super) all: Vec<Case>,
    /// The index of the case of each pair of states.
    of_states: BTreeMap<(usize, usize), usize>,
    /// The pairs of states about which nothing is left to show: at first, those that no input
    /// reaches and those about which nothing is claimed.
    pub(super) refutations: Refutations,
    /// Why the cases do not say everything.
    pub(super) doubts: BTreeSet<String>,
    /// Whether, on some input, the two may do the same only because both fail.
    pub(super) fails_alike: bool,
}

/// Whether a deadline has passed.
pub(super) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

impl Cases {
    /// The cases of two revisions that are found by the deadline. What is missing is a doubt.
    pub(super) fn new(
        differ: &Differ<'_>,
        pair: [Revision; 2],
        (solver, deadline): (&mut dyn Solver, Option<Instant>),
    ) -> Self {
        let mut meeting = Meeting { differ, pair, solver, deadline, found: Self::default() };
        meeting.meet();
        meeting.found
    }

    /// The case of an input that takes the paths of these states.
    pub(super) fn at(&self, states: &[usize]) -> Option<&Case> {
        let mut pairs = states.iter().flat_map(|x| states.iter().map(move |y| (*x, *y)));
        let place = pairs.find_map(|pair| self.of_states.get(&pair))?;
        self.all.get(*place)
    }

    /// Records why the cases do not say all.
    pub(super) fn doubt(&mut self, reason: &Reason) {
        self.doubts.insert(reason.to_string());
    }
}

/// The search for the cases.
struct Meeting<'m, 'd> {
    differ: &'m Differ<'d>,
    pair: [Revision; 2],
    solver: &'m mut dyn Solver,
    deadline: Option<Instant>,
    found: Cases,
}

impl<'m, 'd> Meeting<'m, 'd> {
    fn exprs(&self) -> &'m Exprs {
        &self.differ.task.program.exprs
    }

    /// Whether no input satisfies these conditions.
    fn is_refuted(&mut self, path: &[ExprId], goals: &[ExprId]) -> bool {
        let query = Query { path_condition: path, goals, model: None };
        self.solver.check(self.exprs(), query).is_unsat()
    }

    /// The states of one of the two revisions, with their indices.
    fn states(&self, of: Revision) -> impl Iterator<Item = (usize, &'m HaltState)> + use<'m, 'd> {
        let states = self.differ.states.iter().enumerate();
        states.filter(move |(_, state)| state.revisions.contains(of))
    }

    /// Finds the cases.
    fn meet(&mut self) {
        let [a, b] = self.pair;
        for (y, state) in self.states(b) {
            for x in self.differ.paths.overlapping(&state.path_condition) {
                let other = &self.differ.states[x];
                let apart =
                    || Lineage::parted(&other.lineage, &state.lineage) == Some(ForkKind::Input);
                let pair = (x.min(y), x.max(y));
                if !other.revisions.contains(a) || self.found.of_states.contains_key(&pair) {
                    continue;
                }
                if x != y && (self.found.refutations.has(x, y) || apart()) {
                    continue;
                }
                if is_over(self.deadline) {
                    return self.found.doubt(&Reason::Incomplete(Incomplete::Time));
                }
                self.case(pair);
            }
        }
    }

    /// Adds the case of two states, or of one state that both revisions reach, if there is a case.
    fn case(&mut self, (a, b): (usize, usize)) {
        let [x, y] = [a, b].map(|index| &self.differ.states[index]);
        if is_left(x) || is_left(y) {
            return self.found.doubt(&Reason::Incomplete(Incomplete::Time));
        }
        let mut path = x.path_condition.clone();
        let known: BTreeSet<ExprId> = path.iter().copied().collect();
        path.extend(y.path_condition.iter().copied().filter(|part| !known.contains(part)));
        let excluded = x.halt.is_excluded() && y.halt.is_excluded();
        if excluded || a != b && self.is_refuted(&[], &path) {
            return self.found.refutations.record(a, b);
        }
        let is_exact = x.is_exact() && y.is_exact();
        if !is_exact || !input::comparable(&x.world, &y.world) {
            let weak = if x.is_exact() { y } else { x };
            let reasons = if is_exact { vec![Reason::Reads] } else { Reason::of_state(weak) };
            return reasons.iter().for_each(|reason| self.found.doubt(reason));
        }
        let never = self.exprs().bool(false);
        let (surely, maybe, reasons) = match a == b {
            true => (never, never, Vec::new()),
            false => self.difference(x, y),
        };
        if surely != maybe {
            let open = self.exprs().not(surely);
            if !self.is_refuted(&path, &[maybe, open]) {
                reasons.iter().for_each(|reason| self.found.doubt(reason));
            }
        }
        self.found.fails_alike |= match a == b {
            true => x.halt.may_go_on(),
            false => x.halt.is_failure() && y.halt.is_failure() && !self.exprs().is_true(surely),
        };
        self.found.of_states.insert((a, b), self.found.all.len());
        self.found.all.push(Case { states: (a, b), path, surely, maybe });
    }

    /// The condition under which the outcomes of two states certainly differ, the condition under
    /// which they may differ, and why these two conditions are not the same.
    fn difference(&self, x: &HaltState, y: &HaltState) -> (ExprId, ExprId, Vec<Reason>) {
        let (exprs, outputs) = (self.exprs(), &self.differ.task.outputs);
        let quick = outcome::difference(exprs, outputs, x, y, Precision::Quick);
        let found = match quick.exact {
            true => quick,
            false => outcome::difference(exprs, outputs, x, y, Precision::Full),
        };
        let vague = [x, y].into_iter().find(|state| !state.is_predictable());
        match vague {
            // The outcomes differ for some value of a function, but its real value may be another.
            Some(state) => (exprs.bool(false), found.formula, Reason::of_state(state)),
            None if found.exact => (found.formula, found.formula, Vec::new()),
            None => {
                let certain = outcome::certain_difference(exprs, outputs, x, y);
                (exprs.all([found.formula, certain]), found.formula, vec![Reason::Texts])
            }
        }
    }
}
