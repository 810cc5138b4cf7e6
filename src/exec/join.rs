//! Rejoining: states that parted become one again where their ways meet.
//!
//! Where the revisions of a state part, the engine notes the place at which their ways meet again.
//! This is the immediate postdominator of the instruction in its function (Ferrante, Ottenstein and
//! Warren, TOPLAS 1987) or, if that is the end of the function, the instruction behind the call.
//! The same happens where inputs go two ways that do nothing but assign a little (a *diamond*, such
//! as `if (s[i] == 'a') n++;`). A state that comes to such a place waits for its siblings.
//!
//! States that know the same about the input are then made one. What is equal stays as it is. What
//! differs, in registers that are still read and in bytes of memory, becomes an expression over
//! what the states parted in: the revision (a *choice*) or the condition of the branch. A choice
//! parts revisions again only where it decides or shows something. What revisions have printed and
//! written is kept side by side ([`super::effects`]).
//!
//! A difference that cannot be such an expression (another shape of the heap) keeps states apart.
//! So does a difference between inputs in an address or a floating-point number: looking it up, or
//! asking the solver about it, costs more than following both ways.
//!
//! Revisions may by then have divided the inputs in different ways. They become one state for each
//! part of the inputs that results from all of these divisions, if that makes fewer states than
//! before.
//!
//! Waiting ends with the run of the executor at the latest. So what is joined depends only on the
//! states that the executor was given.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::Arc,
};

use rustc_hash::FxHashMap;

use super::{
    Executor, ForkKind, Frame, Program, Share, State, flow::Flow, join_place::Join,
    state::Concretisations, waiting::Waiting,
};
use crate::{
    expr::{Assignment, ExprId, Exprs},
    ir::FunctionId,
    memory::{Grain, Memory, Value},
    solver::{Query, Verdict},
    subject::{Revision, RevisionSet},
};

/// What parted two states that may become one.
#[derive(Clone, Copy, Debug)]
enum Parted {
    Revisions,
    /// Inputs: the second state has those for which this condition holds.
    Inputs(ExprId),
}

impl Executor<'_> {
    /// Where the revisions of the state, which are about to part, will meet again.
    pub(super) fn join_ahead(&self) -> Option<Arc<Join>> {
        let flows = self.program.rejoins.then_some(&self.program.flows)?;
        let State { top, callers, .. } = &self.state;
        let (function, depth, pc) = match flows.of(&self.program.module, top.function).meets(top.pc)
        {
            Some(pc) => (top.function, callers.len(), pc),
            None => {
                let caller = callers.iter().next()?;
                if caller.pc == Frame::NOT_STARTED || self.state.exit.is_some() {
                    return None;
                }
                (caller.function, callers.len() - 1, caller.pc + 1)
            }
        };
        let asks = self.question().is_some();
        let fits = |join: &&Arc<Join>| join.decided.is_none() && join.question.is_some() == asks;
        let known = self.state.joins.last().filter(fits);
        let place = (function, depth, pc);
        match known.filter(|known| (known.function, known.depth, known.pc) == place) {
            Some(known) => Some(known.clone()),
            None => Some(self.join_at(None, place)),
        }
    }

    /// Lets the state wait at a join, unless that is where it waits next already.
    pub(super) fn meet_at(state: &mut State, join: &Arc<Join>) {
        if state.joins.last().is_none_or(|known| !Arc::ptr_eq(known, join)) {
            state.joins.push(join.clone());
        }
    }

    /// Where inputs that are about to part at the running branch will meet again, if the branch is
    /// a diamond.
    pub(super) fn diamond_ahead(&self, condition: ExprId) -> Option<Arc<Join>> {
        // Where divergences are recorded, every way through the code is a path of its own.
        let joins_inputs = self.program.rejoins && self.old.is_none();
        let flows = joins_inputs.then_some(&self.program.flows)?;
        let State { top, callers, .. } = &self.state;
        let pc = flows.of(&self.program.module, top.function).diamond(top.pc)?;
        Some(self.join_at(Some(condition), (top.function, callers.len(), pc)))
    }

    fn join_at(&self, decided: Option<ExprId>, place: (FunctionId, usize, u32)) -> Arc<Join> {
        let (function, depth, pc) = place;
        Arc::new(Join {
            decided,
            function,
            depth,
            pc,
            lineage: self.state.lineage.clone(),
            revisions: self.state.revisions.clone(),
            conditions: self.state.path_condition.len(),
            undefined: self.state.undefined,
            question: self.question(),
        })
    }

    /// Whether the state is where it has to wait for others.
    #[inline]
    pub(super) fn is_at_join(&mut self) -> bool {
        let depth = self.state.callers.len();
        while let Some(join) = self.state.joins.last() {
            if join.pc == self.state.top.pc && join.depth == depth {
                if join.function == self.state.top.function {
                    return true;
                }
            } else if join.depth <= depth {
                return false;
            }
            // The state has left by another way, which does not come to this join.
            self.state.joins.pop();
        }
        false
    }

    /// Adds the state, which has come to its join, to those that wait there.
    pub(super) fn wait(&mut self) {
        let mut state = self.state.clone();
        self.state.joins.clear();
        let join = state.joins.last().expect("it is at one").clone();
        state.run_from = state.top.pc;
        match self.waiting.iter_mut().find(|waiting| Arc::ptr_eq(&waiting.join, &join)) {
            Some(waiting) => waiting.states.push(state),
            None => self.waiting.push(Waiting { join, states: vec![state] }),
        }
    }

    /// Lets the states at a join go on, joined where possible, if no other state will come there
    /// any more. If there is no such join and `all` is set, the states at the innermost join go on.
    pub(super) fn let_go(&mut self, all: bool) {
        // The list holds one reference, and so does each state that waits.
        let is_complete =
            |waiting: &Waiting| Arc::strong_count(&waiting.join) == 1 + waiting.states.len();
        let complete = self.waiting.iter().rposition(is_complete);
        let innermost = || self.waiting.len().checked_sub(1);
        let Some(index) = complete.or_else(|| innermost().filter(|_| all)) else { return };
        let Waiting { join, states } = self.waiting.remove(index);
        let states = states.into_iter().map(|mut state| {
            state.joins.pop();
            state.lockstep.iter_mut().for_each(|lockstep| lockstep.arrives = true);
            state
        });
        let states: Vec<State> = states.collect();
        self.note_rejoin(&join, &states);
        let states = match join.decided {
            Some(_) => states,
            None => self.refined(&join, states.into_iter()),
        };
        // Only states that know the same can become one. Where inputs parted there is no need to
        // look for them: there are only two or three ways.
        let mut places: FxHashMap<(Vec<ExprId>, Share), usize> = FxHashMap::default();
        let mut alike: Vec<Vec<State>> = Vec::new();
        for state in states {
            let key = match join.decided {
                Some(_) => Default::default(),
                None => (state.path_condition[join.conditions..].to_vec(), state.lineage.share()),
            };
            let place = *places.entry(key).or_insert(alike.len());
            match alike.get_mut(place) {
                Some(known) => known.push(state),
                None => alike.push(vec![state]),
            }
        }
        let joined = alike.into_iter().flat_map(|states| self.joined(&join, states));
        let joined: Vec<State> = joined.collect();
        // The first one goes on first.
        self.siblings.extend(joined.into_iter().rev());
    }

    /// Joins as many of the states as can become one.
    fn joined(&self, join: &Join, mut states: Vec<State>) -> Vec<State> {
        let takes = |partner: &mut State, state: &State| {
            let differ = self.parted(join, partner, state);
            differ.is_some_and(|parted| self.make_one(join, partner, state, parted))
        };
        // Neighbours come first: many revisions are then put together in few steps.
        loop {
            let mut fewer: Vec<State> = Vec::with_capacity(states.len());
            let count = states.len();
            let mut rest = states.into_iter();
            while let Some(mut state) = rest.next() {
                let next = rest.next().filter(|next| !takes(&mut state, next));
                fewer.push(state);
                fewer.extend(next);
            }
            states = fewer;
            if states.len() == count {
                break;
            }
        }
        let mut joined: Vec<State> = Vec::new();
        for state in states {
            if !joined.iter_mut().any(|partner| takes(partner, &state)) {
                joined.push(state);
            }
        }
        joined
    }

    /// Combines the states of revisions that have divided the same inputs in different ways. The
    /// inputs are divided in all of these ways, and the revisions become one state in each part, if
    /// that makes fewer states.
    fn refined(&mut self, join: &Join, states: impl Iterator<Item = State>) -> Vec<State> {
        let mut groups: BTreeMap<Revision, Vec<State>> = BTreeMap::new();
        for state in states {
            let first = state.revisions.first().expect("a state has at least one revision");
            groups.entry(first).or_default().push(state);
        }
        let is_clear = |group: &Vec<State>| {
            let is_same = |state: &State| state.revisions == group[0].revisions;
            let sum = group
                .iter()
                .map(|state| state.lineage.share())
                .fold(Share::default(), |a, b| Share::sum([a, b]));
            group.iter().all(is_same) && sum == join.lineage.share()
        };
        let (clear, others): (Vec<_>, Vec<_>) = groups.into_values().partition(is_clear);
        let mut refined: Vec<Vec<State>> = Vec::new();
        for group in clear {
            let divided = |known: &Vec<State>| known.len() > 1 || group.len() > 1;
            let mut found = (0..refined.len()).filter(|index| divided(&refined[*index]));
            let together =
                found.find_map(|index| Some((index, self.common(join, &refined[index], &group)?)));
            match together {
                Some((index, states)) => refined[index] = states,
                None => refined.push(group),
            }
        }
        refined.into_iter().chain(others).flatten().collect()
    }

    /// Combines two sets of states into one set. Each of the two covers all inputs of the join. A
    /// combined state knows about its inputs what both sets know. `None` if these states are not
    /// fewer, if some states cannot become one, or if the solver does not know.
    fn common(&mut self, join: &Join, a: &[State], b: &[State]) -> Option<Vec<State>> {
        let exprs = &self.program.exprs;
        if a.len() * b.len() > MOST_COMMON {
            return None;
        }
        let known =
            |state: &State| exprs.all(state.path_condition[join.conditions..].iter().copied());
        let [of_a, of_b] = [a, b].map(|states| states.iter().map(known).collect::<Vec<_>>());
        let path = &a[0].path_condition[..join.conditions];
        let outside = |all: &[ExprId]| exprs.not(exprs.any(all.iter().copied()));
        let (outside_a, outside_b) = (outside(&of_a), outside(&of_b));
        if !of_b.iter().all(|known| self.is_never(path, &[*known, outside_a])) {
            return None;
        }
        let mut found: Vec<Vec<(usize, Arc<Assignment>)>> = Vec::new();
        let holds = |known: ExprId, model| !exprs.evaluate(known, model).is_zero();
        for (x, of_x) in a.iter().zip(&of_a) {
            // No input is in two parts: if one part has all inputs of `x`, no other has any.
            let first = of_b.iter().position(|of_y| holds(*of_y, &x.model));
            if let Some(index) = first
                && self.is_never(&x.path_condition, &[exprs.not(of_b[index])])
            {
                found.push(vec![(index, x.model.clone())]);
                continue;
            }
            if !self.is_never(path, &[*of_x, outside_b]) {
                return None;
            }
            let mut both = Vec::new();
            for (index, (y, of_y)) in b.iter().zip(&of_b).enumerate() {
                let model = match () {
                    () if holds(*of_y, &x.model) => Some(x.model.clone()),
                    () if holds(*of_x, &y.model) => Some(y.model.clone()),
                    () => {
                        self.asked = true;
                        let query = Query {
                            path_condition: &x.path_condition,
                            goals: &[*of_y],
                            model: None,
                        };
                        match self.solver.check(exprs, query) {
                            Verdict::Sat(model) => Some(Arc::new(model)),
                            Verdict::Unsat => None,
                            Verdict::Unknown(_) => return None,
                        }
                    }
                };
                both.extend(model.map(|model| (index, model)));
            }
            found.push(both);
        }
        if found.iter().map(Vec::len).sum::<usize>() >= a.len() + b.len() {
            return None;
        }
        let mut states = Vec::new();
        for (x, both) in a.iter().zip(found) {
            let mut rest = x.lineage.clone();
            let last = both.len().checked_sub(1)?;
            for (place, (index, model)) in both.into_iter().enumerate() {
                let other = &b[index];
                let mut state = x.clone();
                let more = other.path_condition[join.conditions..].iter();
                state
                    .path_condition
                    .extend(more.filter(|condition| !x.path_condition.contains(condition)));
                state.model = model;
                if last > 0 {
                    state.lineage = match place < last {
                        true => rest.child(ForkKind::Input, 0),
                        false => rest.clone(),
                    };
                    rest = rest.child(ForkKind::Input, 1);
                }
                if !self.make_one(join, &mut state, other, Parted::Revisions) {
                    return None;
                }
                states.push(state);
            }
        }
        Some(states)
    }

    /// Whether conditions certainly never hold together on a path.
    fn is_never(&mut self, path: &[ExprId], conditions: &[ExprId]) -> bool {
        let exprs = &self.program.exprs;
        if exprs.as_u64(exprs.all(conditions.iter().copied())) == Some(0) {
            return true;
        }
        if conditions.iter().any(|condition| self.is_beyond_lockstep(*condition)) {
            return false;
        }
        self.asked = true;
        let query = Query { path_condition: path, goals: conditions, model: None };
        matches!(self.solver.check(exprs, query), Verdict::Unsat)
    }

    /// Makes `other` a part of the state `into`, if they are at the same place and can become one;
    /// returns whether it did.
    fn make_one(&self, join: &Join, into: &mut State, other: &State, parted: Parted) -> bool {
        let (a, b) = (&*into, other);
        let here = a.top.function == b.top.function
            && a.top.pc == b.top.pc
            && a.undefined == join.undefined
            && b.undefined == join.undefined
            && a.top.locals == b.top.locals
            && a.top.variadic == b.top.variadic
            && a.exit == b.exit
            && a.jumps == b.jumps
            && a.callers.same(&b.callers)
            && a.unsure() == b.unsure()
            && a.joins.len() == b.joins.len()
            && a.joins.iter().zip(&b.joins).all(|(x, y)| Arc::ptr_eq(x, y))
            && a.world.differs_in_effects_only(&b.world)
            && (join.decided.is_none() || a.effects() == b.effects());
        if !here {
            return false;
        }
        let exprs = &self.program.exprs;
        let flow = self.program.flows.of(&self.program.module, a.top.function);
        let is_input = join.decided.is_some();
        let left = Cell::new(if is_input { ASSIGNED } else { usize::MAX });
        let choices = self.program.choices();
        let choose = |x, y| {
            left.set(left.get().checked_sub(1)?);
            if is_input && exprs.width(x) > WIDEST && !exprs.are_close(x, y) {
                return None;
            }
            Some(match parted {
                Parted::Inputs(is_other) => exprs.ite(is_other, y, x),
                Parted::Revisions => {
                    let mut all = choices.of(x, &a.revisions);
                    all.extend(choices.of(y, &b.revisions));
                    self.chosen(all)
                }
            })
        };
        let addressing = flow.addressing(a.top.pc);
        // Inputs may differ only in values that are no addresses and do not become part of one.
        let may_differ = |register: usize, value: Value| {
            !is_input
                || !addressing.contains(register)
                    && a.memory.addresses_in(exprs, value).first().is_none()
        };
        let Some(values) = values(exprs, &flow, [&a.top, &b.top], &may_differ, &choose) else {
            return false;
        };
        let by = if is_input { Grain::Number } else { Grain::Byte };
        let Some(memory) = Memory::join(exprs, [&a.memory, &b.memory], by, &choose) else {
            return false;
        };
        into.top.values = values;
        into.memory = memory;
        match is_input {
            true => {
                into.path_condition.truncate(join.conditions);
                into.words.forget_after(join.conditions);
            }
            false => into.add_effects(other),
        }
        if !other.seen.is_subset(&into.seen) {
            Arc::make_mut(&mut into.seen).extend(other.seen.iter());
        }
        into.revisions = into.revisions.union(&other.revisions);
        if into.path_condition.len() == join.conditions {
            into.lineage = match into.revisions == join.revisions {
                true => join.lineage.clone(),
                false => join.lineage.together(&into.revisions),
            };
        }
        into.instructions = into.instructions.max(other.instructions);
        into.concretisations = Concretisations::default();
        into.loops.meet(&other.loops);
        into.asked |= other.asked || !is_input;
        into.claim = into.claim.together(other.claim);
        true
    }

    /// What parted two states, if nothing else did. If it was the revision, both know the same
    /// about the input. If it was the input, nothing about it was decided but the condition of the
    /// branch.
    fn parted(&self, join: &Join, a: &State, b: &State) -> Option<Parted> {
        let exprs = &self.program.exprs;
        let (known, others) =
            (&a.path_condition[join.conditions..], &b.path_condition[join.conditions..]);
        let Some(decided) = join.decided else {
            let is_same = known == others && a.lineage.share() == b.lineage.share();
            return is_same.then_some(Parted::Revisions);
        };
        let ([known], [other]) = (known, others) else { return None };
        let denied = exprs.not(decided);
        let differ = [*known, *other] == [decided, denied] || [*known, *other] == [denied, decided];
        let is_whole = Share::sum([a.lineage.share(), b.lineage.share()]) == join.lineage.share();
        (differ && is_whole && a.revisions == b.revisions).then_some(Parted::Inputs(*other))
    }
}

/// The most pairs of states that are checked for inputs in common.
const MOST_COMMON: usize = 1024;
/// The most numbers that may differ between states of different inputs that become one.
const ASSIGNED: usize = 8;
/// The most bits of a number that may differ between states of different inputs. A wider one may be
/// a `double`, about which the solver is better asked on each way alone. A counter may be wider
/// ([`Exprs::are_close`]).
const WIDEST: u32 = 32;

/// Joins the registers of two activations of a function at the same place. `choose` makes one value
/// of two that differ. A register that is not read any more becomes undefined. `None` if some
/// values cannot be joined, or may not differ.
fn values(
    exprs: &Exprs,
    flow: &Flow,
    [a, b]: [&Frame; 2],
    may_differ: &dyn Fn(usize, Value) -> bool,
    choose: &dyn Fn(ExprId, ExprId) -> Option<ExprId>,
) -> Option<Vec<Value>> {
    let live = flow.live(a.pc);
    let choose = |(register, (x, y)): (usize, (&Value, &Value))| {
        if x == y {
            return Some(*x);
        }
        if !live.contains(register) {
            return Some(Value::Undefined);
        }
        let width = flow.width(a.pc, register)?;
        if ![x, y].iter().all(|value| may_differ(register, **value)) {
            return None;
        }
        let (x, y) = (expr(exprs, *x, width)?, expr(exprs, *y, width)?);
        Some(Value::from_expr(exprs, choose(x, y)?))
    };
    a.values.iter().zip(&b.values).enumerate().map(choose).collect()
}

/// The condition under which two states at the same place have equal values, each for one of its
/// revisions, in registers that are still read and in memory. `None` if there is no such condition.
pub(super) fn are_same(program: &Program, [a, b]: [(&State, Revision); 2]) -> Option<ExprId> {
    let exprs = &program.exprs;
    let choices = program.choices();
    let ((a, of_a), (b, of_b)) = (a, b);
    let [of_a, of_b] = [of_a, of_b].map(|revision| RevisionSet::from_iter([revision]));
    let flow = program.flows.of(&program.module, a.top.function);
    let same = RefCell::new(Vec::new());
    let either = |x, y| {
        same.borrow_mut().push(exprs.eq(choices.of(x, &of_a)[0].0, choices.of(y, &of_b)[0].0));
        Some(x)
    };
    if !a.callers.same(&b.callers) {
        return None;
    }
    values(exprs, &flow, [&a.top, &b.top], &|_, _| true, &either)?;
    Memory::join(exprs, [&a.memory, &b.memory], Grain::Byte, &either)?;
    Some(exprs.all(same.into_inner()))
}

fn expr(exprs: &Exprs, value: Value, width: u32) -> Option<ExprId> {
    value.expr(exprs, width).filter(|e| exprs.width(*e) == width)
}
