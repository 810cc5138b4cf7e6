//! Where revisions diverge: they go different ways through the code of a program.
//!
//! A condition that is a choice divides the inputs of two revisions into up to four parts: both go
//! one way, both go the other, or they diverge, in one of two directions (Palikareva, Kuchta and
//! Cadar, "Shadow of a doubt: testing for divergences between software versions", ICSE 2016, figure
//! 2). Both directions are recorded here, each with an input, if divergences from a revision are
//! asked for ([`Quantum::divergences_from`](super::Quantum)). Otherwise this costs nothing.
//!
//! A question for the revision is no divergence in itself. In the paper, a changed value is
//! `change(old, new)`, and shows only at the branches that it decides. The code that a revision has
//! for itself makes it diverge in three cases:
//!
//! - it prints or writes something else than the old code (the paper's rule 3);
//! - it comes to different values by a branch, jump or return of its own (rules 2c and 2d);
//! - it never gets to where the two meet again.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Divergence, Executor, State,
    join::are_same,
    join_place::{Join, Question},
    program::asks,
};
use crate::{
    env::Effects,
    expr::ExprId,
    ir::{Call, Callee, Function, Inst, Operand, Pc, SourceLine, Switch},
    solver::{Query, Verdict},
    subject::{Revision, RevisionSet},
};

impl Executor<'_> {
    /// Records where other revisions go another way than the old one at the running branch, if this
    /// is a branch of the program. `groups` are the alternatives of its condition.
    pub(super) fn note_branch(&mut self, groups: &[(ExprId, RevisionSet)]) {
        let Some((of_old, others)) = self.sides(groups) else { return };
        let (then, otherwise) = match self.code().code[self.state.top.pc as usize] {
            Inst::Branch { then, otherwise, .. } | Inst::CompareBranch { then, otherwise, .. } => {
                (then, otherwise)
            }
            _ => return,
        };
        for (other, revisions) in others {
            for (holds, [old, new]) in [(true, [then, otherwise]), (false, [otherwise, then])] {
                let exprs = &self.program.exprs;
                let way = |e, holds| if holds { e } else { exprs.not(e) };
                let apart = [way(of_old, holds), way(other, !holds)];
                self.note_way(apart, [old, new], revisions.clone());
            }
        }
    }

    /// Records where other revisions go another way than the old one at the running `switch`.
    /// `groups` are the alternatives of its value.
    pub(super) fn note_switch(&mut self, switch: &Switch, groups: &[(ExprId, RevisionSet)]) {
        let Some((of_old, others)) = self.sides(groups) else { return };
        let exprs = &self.program.exprs;
        let is_case = |e, case: &(u64, Pc)| exprs.eq(e, exprs.constant(switch.width, case.0));
        let goes = |e: ExprId, to: Pc| {
            let here =
                exprs.any(switch.cases.iter().filter(|case| case.1 == to).map(|c| is_case(e, c)));
            match to == switch.default {
                true => {
                    let known = exprs.any(switch.cases.iter().map(|case| is_case(e, case)));
                    exprs.or(here, exprs.not(known))
                }
                false => here,
            }
        };
        let mut targets: Vec<Pc> = switch.cases.iter().map(|case| case.1).collect();
        targets.push(switch.default);
        targets.sort_unstable();
        targets.dedup();
        let mut ways = Vec::new();
        for (other, revisions) in others {
            for old in &targets {
                for new in targets.iter().filter(|new| *new != old) {
                    ways.push((
                        [goes(of_old, *old), goes(other, *new)],
                        [*old, *new],
                        revisions.clone(),
                    ));
                }
            }
        }
        for (apart, to, revisions) in ways {
            self.note_way(apart, to, revisions);
        }
    }

    /// The alternative of the old revision at a branch, and those of the others. `None` if no
    /// divergence is to be recorded here.
    fn sides(
        &self,
        groups: &[(ExprId, RevisionSet)],
    ) -> Option<(ExprId, Vec<(ExprId, RevisionSet)>)> {
        let old = self.old?;
        if groups.len() < 2 || !self.at_branch || self.is_question() {
            return None;
        }
        let exprs = &self.program.exprs;
        let is_known = |(e, _): &&(ExprId, RevisionSet)| {
            let mentions = exprs.mentions(*e);
            !mentions.uninitialised() && !mentions.address()
        };
        let known: Vec<_> = groups.iter().filter(is_known).cloned().collect();
        let at = known.iter().position(|(_, set)| set.contains(old))?;
        let others = known.iter().enumerate().filter(|(index, _)| *index != at);
        Some((known[at].0, others.map(|(_, group)| group.clone()).collect()))
    }

    /// Records that revisions go another way than the old one where both conditions hold, if these
    /// can hold.
    fn note_way(&mut self, conditions: [ExprId; 2], to: [Pc; 2], revisions: RevisionSet) {
        let function = self.code();
        let to = to.map(|pc| line_from(function, pc.0));
        let to = if let [Some(old), Some(new)] = to { Some([old, new]) } else { None };
        let path = self.state.path_condition.clone();
        let before = path.len();
        let found = Divergence::at(self.place(), revisions, path, before);
        self.note(&conditions, Divergence { to, ..found });
    }

    /// Adds conditions to a divergence and records it with an input on which they hold, if there is
    /// one.
    fn note(&mut self, conditions: &[ExprId], mut found: Divergence) {
        let exprs = &self.program.exprs;
        let is = |e: &ExprId, truth| exprs.as_u64(*e) == Some(truth);
        if conditions.iter().any(|e| is(e, 0)) {
            return;
        }
        let is_open = |e: &ExprId| !is(e, 1) && !found.path.contains(e);
        let goals: Vec<ExprId> = conditions.iter().copied().filter(is_open).collect();
        let query = Query { path_condition: &found.path, goals: &goals, model: None };
        self.asked = true;
        if let Verdict::Sat(model) = self.solver.check(exprs, query) {
            found.path.extend(goals);
            found.model = Arc::new(model);
            self.divergences.push(found);
        }
    }

    /// The question for the revision at which revisions are about to part, if divergences are
    /// recorded.
    pub(super) fn question(&self) -> Option<Question> {
        self.old?;
        let at = (self.state.top.function, self.state.top.pc);
        self.is_question().then_some(Question { at, branches: self.state.branches })
    }

    /// To be called where states that parted at a question for the revision meet again. Records
    /// which revisions have diverged from the old one meanwhile.
    pub(super) fn note_rejoin(&mut self, join: &Join, states: &[State]) {
        let (Some(old), Some(question), false) = (self.old, join.question, self.is_cut) else {
            return;
        };
        if !join.revisions.contains(old) {
            return;
        }
        let function = &self.program.module.functions[question.at.0.0 as usize];
        let place = line_from(function, question.at.1);
        let leaves =
            self.program.flows.of(&self.program.module, question.at.0).leaves(question.at.1);
        let (olds, others): (Vec<_>, Vec<_>) =
            states.iter().partition(|state| state.revisions.contains(old));
        for state in others {
            let branches = |state: &State| state.branches > question.branches;
            let decides = leaves || branches(state) || olds.iter().any(|other| branches(other));
            let mut ways: BTreeMap<ExprId, RevisionSet> = BTreeMap::new();
            for revision in state.revisions.iter() {
                let exprs = &self.program.exprs;
                let same = olds.iter().filter_map(|other| {
                    if effects_of(state, revision) != effects_of(other, old) {
                        return None;
                    }
                    let known = other.path_condition[join.conditions..].iter().copied();
                    let both = [(state, revision), (*other, old)];
                    let same = if decides { Some(are_same(self.program, both)?) } else { None };
                    Some(exprs.all(known.chain(same)))
                });
                ways.entry(exprs.not(exprs.any(same))).or_default().insert(revision);
            }
            for (differs, revisions) in ways {
                let path = state.path_condition.clone();
                self.note(&[differs], Divergence::at(place, revisions, path, join.conditions));
            }
        }
    }

    /// To be called where a state ends. If the state has parted from the old revision on its way,
    /// records that its revisions have diverged from it by now.
    pub(super) fn note_end(&mut self) {
        let Some(old) = self.old else { return };
        if self.state.revisions.contains(old) || !self.state.lineage.has_meta_fork() {
            return;
        }
        let State { revisions, path_condition: path, model, .. } = &self.state;
        let found = Divergence::at(self.place(), revisions.clone(), path.clone(), 0);
        self.divergences.push(Divergence { is_end: true, model: model.clone(), ..found });
    }

    /// The running function.
    fn code(&self) -> &'_ Function {
        &self.program.module.functions[self.state.top.function.0 as usize]
    }

    /// Whether the running instruction branches on the answer to a question for the revision.
    fn is_question(&self) -> bool {
        let function = self.code();
        let chooses = |call: &Call| match call.callee {
            Callee::Direct(id) => self.program.choosers[id.0 as usize],
            Callee::Indirect(_) => false,
        };
        let (mut pc, mut wanted) = (self.state.top.pc as usize, None::<Operand>);
        // Compilers put the question, at most a comparison, and the branch next to each other.
        loop {
            let inst = &function.code[pc];
            match inst {
                Inst::Branch { condition, .. } if wanted.is_none() => wanted = Some(*condition),
                Inst::CompareBranch { a, .. } if wanted.is_none() => wanted = Some(*a),
                Inst::Switch(switch) if wanted.is_none() => wanted = Some(switch.value),
                Inst::Compare { dst, a, .. } | Inst::Cast { dst, a, .. }
                    if wanted == Some(Operand::reg(*dst)) =>
                {
                    wanted = Some(*a)
                }
                Inst::Call(call) => {
                    let gives = call.results.iter().any(|reg| wanted == Some(Operand::reg(*reg)));
                    return gives && (chooses(call) || asks(&self.program.module, call));
                }
                _ => return false,
            }
            let Some(before) = pc.checked_sub(1) else { return false };
            pc = before;
        }
    }
}

/// What a revision of a state has done to the world.
fn effects_of(state: &State, revision: Revision) -> Effects {
    let mut all = state.effects().into_iter();
    all.find(|(set, _)| set.contains(revision)).expect("it is one of the state's").1
}

/// The first line of source that runs from an instruction on.
fn line_from(function: &Function, mut pc: u32) -> Option<SourceLine> {
    loop {
        let place = function.places.get(pc as usize)?;
        if place.line > 0 {
            return Some(*place);
        }
        let inst = function.code.get(pc as usize)?;
        if inst.ends_block() {
            return None;
        }
        pc += 1;
    }
}
