//! Proofs that no input tells revisions apart, however long it is and whatever the rest of the
//! program does: the revisions run in lockstep.
//!
//! The program is run once more, with any number of tokens as input. Where a loop comes back to its
//! head, what its rounds change is guessed from two of them. The guess is tested: those cells
//! (words of memory, registers) get unknown values, and more rounds run, on all ways that there are
//! then. Whatever else changes joins the guess, until no way back changes more than that. Then the
//! state at the head stands for all rounds that there can be, and covers each way that comes back.
//! (Such a place is a *cutpoint*: Floyd, "Assigning meanings to programs", 1967; forgetting what
//! changes is what abstract interpretation calls widening: Cousot and Cousot, POPL 1977.) It is
//! also guessed that a cell never falls below what it was, or never rises above it, or is always
//! one of the few constants that it was so far; a guess is dropped when a round violates it
//! (Flanagan and Leino, "Houdini", FME 2001).
//!
//! These states include all that the program can be in, and more. Revisions that are in one state
//! at the start, and of which no end, cutpoint or way ever has one without the other, do the same
//! on every input: wherever they part, they have met again ([`super::join`]), with equal values in
//! everything that is forgotten. Nothing is said of revisions that part for good, as there may be
//! no input on which they do.
//!
//! The first rounds of a loop may write what was never written before; they are run one by one. Of
//! memory that only some later rounds have written it is unknown whether it was written. As long as
//! all revisions do the same with it, they read the same, written or not. Revisions that decide
//! something by it in a way that depends on the revision do not meet again, nor do those that decide
//! different things by it while they are parted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::Instant,
};

use rustc_hash::FxHashMap;
use tracing::debug;

use super::{
    alike::Alike,
    clock::Clock,
    coverage::Coverage,
    executor::Executor,
    program::Program,
    quantum::{PathLimits, Quantum},
    start::Start,
    state::{Cutpoint, HaltState, Lockstep, Passed, State, Visit},
    widening::{Bound, Cell, Widening},
};
use crate::{
    env::{Halt, Incomplete, Stop},
    expr::{BinaryOp, ExprId, Exprs, Node, VariableId},
    ir::{FunctionId, address},
    memory::{Byte, Value},
    solver::{Solver, Verdict},
    subject::{OpenClasses, Revision, RevisionSet},
};

/// The most instructions of all states together, and the most forks.
const INSTRUCTIONS: u64 = 1 << 20;
const FORKS: u64 = 1 << 13;
/// The most rounds of a loop that are run one by one, as long as they decide nothing about the
/// input.
const UNROLLED: u32 = 1 << 12;
/// The most guesses at a cutpoint, of which each extends the one before.
const GUESSES: u32 = 24;
/// Revisions that have parted do not meet again once they have decided more conditions than this.
const DECISIONS: usize = 24;
/// The most conditions of a path: a way that no input takes may have no other end.
const CONDITIONS: usize = 1024;
/// The deepest nesting of calls.
const DEPTH: usize = 48;
/// The most cutpoints on the way of a state.
const CUTPOINTS: usize = 24;
/// The size in bytes of the largest object that is looked into at offsets that depend on input.
pub(super) const LOOKED_UP: u64 = 32;
/// The most rounds of a loop that are run before one becomes a cutpoint, because they write what no
/// round before them has written.
const PEELED: usize = 2;
/// How the names of forgotten values begin if it is unknown whether these were written.
const UNSURE: &str = "?unsure.";
/// How the names of other forgotten values begin, and those of values that stand for an expression.
const FORGOTTEN: &str = "?forgotten.";
const UNKNOWN: &str = "?unknown.";

/// Runs all revisions of `start` in lockstep, as far as possible. Their input may have any number
/// of tokens.
pub fn lockstep(
    program: &Program,
    mut start: Start,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
) -> Alike {
    let all = start.revisions.clone();
    if !start.stdin.let_end_anywhere() {
        return Alike::default();
    }
    // Errors of the start were reported when exploring began.
    let Some(states) = program.start(start).ok().filter(|states| !states.is_empty()) else {
        return Alike::default();
    };
    let open = OpenClasses::one(all.clone());
    let alike = Arc::new(Mutex::new(Alike { classes: vec![all], failing: Vec::new() }));
    for mut state in states {
        state.lockstep = Some(Box::new(Lockstep { alike: alike.clone(), ..Lockstep::default() }));
        let all_that_it_takes = Quantum::unlimited(&open, clock);
        let quantum = Quantum { instructions: INSTRUCTIONS, forks: FORKS, ..all_that_it_takes };
        let coverage = &mut Coverage::default();
        let harvest = Executor::run(program, limits, solver, coverage, state, quantum);
        let (running, halted) = (harvest.running.len(), harvest.halted.len());
        debug!(running, halted, instructions = harvest.instructions, "states of a run in lockstep");
        let mut alike = held(&alike);
        harvest.running.iter().for_each(|state| alike.part_all(&state.revisions));
        for (state, revisions) in together(&harvest.halted) {
            alike.end(state, &revisions);
        }
        if alike.classes.is_empty() {
            break;
        }
    }
    held(&alike).clone()
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

/// Locks what the states of one run share. These run one after another.
fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Alike {
    /// Notes how these revisions have ended.
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
    fn part(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let parts = classes.flat_map(|class| [class.intersection(these), class.difference(these)]);
        self.classes = parts.filter(|class| class.len() > 1).collect();
    }

    /// Notes that nothing is known of any of these revisions.
    fn part_all(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let rest = classes.map(|class| class.difference(these));
        self.classes = rest.filter(|class| class.len() > 1).collect();
    }

    /// Those of these revisions that may still be alike with some other revision, whichever it is.
    fn still_open(&self, these: &RevisionSet) -> RevisionSet {
        let all = self.classes.iter().fold(RevisionSet::new(), |all, class| all.union(class));
        all.intersection(these)
    }

    /// Those of these revisions that may still be alike with another one of these.
    fn matter(&self, these: &RevisionSet) -> RevisionSet {
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

impl Cutpoint {
    /// Whether it is at an instruction of a function with this number of callers.
    fn is_at(&self, place: (FunctionId, u32, usize)) -> bool {
        let State { top, callers, .. } = &self.base;
        (top.function, top.pc, callers.len()) == place
    }
}

impl Cell {
    /// What the cell holds; `None` if a part of it was never written, or it is not `width` bits
    /// wide.
    fn value(self, exprs: &Exprs, state: &State, width: u32) -> Option<ExprId> {
        match self {
            Self::Register(register) => {
                let value = *state.top.values.get(register)?;
                value.expr(exprs, width).filter(|e| exprs.width(*e) == width)
            }
            Self::Word(_, size) if 8 * size != width => None,
            Self::Word(address, size) => {
                let object = state.memory.object(address).ok()?;
                let first = address::offset(address) as usize;
                let bytes = first..first + size as usize;
                let mut bytes = bytes.map(|offset| object.byte(exprs, offset).expr(exprs));
                let low = bytes.next()??;
                bytes.try_fold(low, |low, high| Some(exprs.concat(high?, low)))
            }
        }
    }
}

impl State {
    /// What it has decided by what may never have been written.
    pub(super) fn unsure(&self) -> Option<&BTreeSet<ExprId>> {
        self.lockstep.as_ref().map(|own| &own.unsure)
    }
}

impl Executor<'_> {
    /// Whether a condition of a run in lockstep depends on a forgotten value of which the path says
    /// nothing, or on what the solver finds hard. Most often such a condition may hold or not, and
    /// a way that no input takes costs less than a query.
    pub(super) fn is_free(&self, condition: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let is_known = |variable: &VariableId| {
            self.state.path_condition.iter().any(|known| exprs.variables(*known).contains(variable))
        };
        let is_forgotten = |variable: &&VariableId| {
            let name = exprs.variable_name(**variable);
            [FORGOTTEN, UNSURE, UNKNOWN].iter().any(|begin| name.starts_with(begin))
        };
        self.state.lockstep.is_some()
            && (exprs.variables(condition).iter().filter(is_forgotten).any(|v| !is_known(v))
                || has_hard(exprs, condition))
    }

    /// In a run in lockstep, the path without what the solver would find hard; `None` in other
    /// runs. The less a path says, the more ways there are, but what it excludes is excluded.
    /// Comparisons of floating-point numbers are left out unless the goal has one, too.
    pub(super) fn what_is_easy(&self, goal: ExprId) -> Option<Vec<ExprId>> {
        let exprs = &self.program.exprs;
        let with_reals = self.compares_reals(goal);
        let is_easy = |condition: &ExprId| {
            (with_reals || !self.compares_reals(*condition)) && !has_hard(exprs, *condition)
        };
        let path = &self.state.path_condition;
        self.state.lockstep.is_some().then(|| path.iter().copied().filter(is_easy).collect())
    }

    /// Whether a condition is not to be asked about, as this is a run in lockstep.
    pub(super) fn is_beyond_lockstep(&self, condition: ExprId) -> bool {
        let exprs = &self.program.exprs;
        self.state.lockstep.is_some()
            && (self.compares_reals(condition) || has_hard(exprs, condition))
    }

    /// Whether a condition of a run in lockstep compares floating-point numbers.
    pub(super) fn compares_reals(&self, condition: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let compares = |e| matches!(exprs.node(e), Node::FloatCompare(..));
        self.state.lockstep.is_some() && exprs.any_node(condition, compares)
    }

    /// Whether it no longer matters what becomes of the state: it waits for nobody, and no two of
    /// its revisions may still be alike. Otherwise leaves out those revisions that can be alike
    /// with no other one of the state.
    pub(super) fn is_left_alone(&mut self) -> bool {
        let State { joins, revisions, lockstep: Some(lockstep), .. } = &self.state else {
            return false;
        };
        if !joins.is_empty() {
            return false;
        }
        let mut alike = held(&lockstep.alike);
        alike.part(revisions);
        let here = alike.matter(revisions);
        drop(alike);
        // In the middle of an instruction, revisions that are left out here may come back. That
        // does no harm: they are alike with nobody, and nothing is said of them.
        let is_alone = here.is_empty();
        if !is_alone && here != *revisions {
            self.state.keep(here);
        }
        is_alone
    }

    /// Whether the opposite of what the model says of a condition is possible. If that is unknown,
    /// both ways are taken, though no input may take one of them. Ends a state that need not go on,
    /// or that goes too far.
    pub(super) fn ask_in_lockstep(
        &mut self,
        condition: ExprId,
        opposite: ExprId,
    ) -> Result<Verdict, Stop> {
        self.leave_what_goes_too_far()?;
        if !self.is_free(condition) && !self.compares_reals(condition) {
            let verdict = self.ask(opposite);
            if !matches!(verdict, Verdict::Unknown(_)) {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Sat((*self.state.model).clone()))
    }

    fn leave_what_goes_too_far(&mut self) -> Result<(), Stop> {
        if self.is_outdated() {
            return Err(Stop::Impossible);
        }
        let State { joins, path_condition: path, callers, .. } = &mut self.state;
        if joins.first().is_some_and(|join| path.len() > join.conditions + DECISIONS) {
            joins.clear();
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let goes_too_far = is_late || callers.len() > DEPTH || path.len() > CONDITIONS;
        if self.is_left_alone() {
            return Err(Stop::Halt(Halt::Unaffected));
        }
        if goes_too_far { Err(too_much()) } else { Ok(()) }
    }

    /// Whether the state goes on from a guess that a later one has replaced, which stands for
    /// everything that the state stands for.
    pub(super) fn is_outdated(&self) -> bool {
        let Some(lockstep) = &self.state.lockstep else { return false };
        let matter = held(&lockstep.alike).still_open(&self.state.revisions);
        lockstep.cutpoints.iter().any(|Passed { cutpoint, guess }| {
            let all = held(&cutpoint.widening);
            match guess {
                Some((set, number)) => {
                    all.get(set).is_some_and(|last| last.has_base && last.guesses > *number)
                }
                None => all.iter().any(|(set, last)| last.has_base && matter.is_subset(set)),
            }
        })
    }

    /// Whether the state has just waited for others where it is; true once for each time.
    pub(super) fn arrives(&mut self) -> bool {
        let lockstep = self.state.lockstep.as_mut();
        lockstep.is_some_and(|lockstep| std::mem::take(&mut lockstep.arrives))
    }

    /// To be called where control comes to an instruction. Returns whether the state need not go
    /// on: a cutpoint covers it, or nothing depends on it any more. Where rounds are to be summed
    /// up, the state goes on from the cutpoint with less known.
    pub(super) fn is_covered(&mut self) -> Result<bool, Stop> {
        if self.is_outdated() {
            return Err(Stop::Impossible);
        }
        if self.is_left_alone() {
            return Ok(true);
        }
        let covered = self.come_to_cutpoint();
        if covered.is_err()
            && let Some(lockstep) = &self.state.lockstep
        {
            held(&lockstep.alike).part_all(&self.state.revisions);
        }
        covered
    }

    fn come_to_cutpoint(&mut self) -> Result<bool, Stop> {
        let State { top, .. } = &self.state;
        if !self.program.flows.of(&self.program.module, top.function).is_head(top.pc) {
            return Ok(false);
        }
        let State { top, callers, path_condition: path, lockstep: Some(lockstep), .. } =
            &mut self.state
        else {
            return Ok(false);
        };
        let depth = callers.len();
        let place = (top.function, top.pc, depth);
        // Visits and cutpoints in functions that have returned are over.
        lockstep.visits.retain(|visit| visit.place.2 <= depth);
        lockstep.cutpoints.retain(|Passed { cutpoint, .. }| {
            let before = &cutpoint.base.callers;
            before.len() < depth || before.len() == depth && before.same(callers)
        });
        let conditions = path.len();
        let visit = lockstep.visits.iter_mut().find(|visit| visit.place == place);
        match visit {
            None => lockstep.visits.push(Visit { place, conditions, count: 0 }),
            Some(visit) if visit.conditions == conditions && visit.count < UNROLLED => {
                visit.count += 1;
                return Ok(false);
            }
            Some(visit) => visit.conditions = conditions,
        }
        if !self.state.apart.is_empty() {
            let groups = self.state.effects().into_iter().map(|(set, _)| ((), set)).collect();
            return self.part_here(groups);
        }
        let Some(lockstep) = &self.state.lockstep else { return Ok(false) };
        let known =
            lockstep.cutpoints.iter().map(|passed| &passed.cutpoint).rev().find(|cutpoint| {
                let base = &cutpoint.base;
                cutpoint.is_at(place)
                    && self.state.path_condition.starts_with(&base.path_condition)
                    && self.state.revisions.is_subset(&base.revisions)
                    && self.state.exit == base.exit
                    && self.state.jumps == base.jumps
                    && self.state.top.locals == base.top.locals
                    && self.state.top.variadic == base.top.variadic
                    && self.state.world.goes_on_from(&base.world)
            });
        let count = lockstep.cutpoints.iter().filter(|passed| passed.cutpoint.is_at(place)).count();
        let begins = |cutpoint: &Arc<Cutpoint>| count > PEELED || !self.has_begun_since(cutpoint);
        let Some(cutpoint) = known.cloned().filter(begins) else {
            if lockstep.cutpoints.len() >= CUTPOINTS {
                return Err(too_much());
            }
            let mut base = self.state.clone();
            base.joins.clear();
            base.lockstep.iter_mut().for_each(|own| own.unsure.clear());
            let cutpoint = Arc::new(Cutpoint { base, widening: Mutex::default() });
            let passed = Passed { cutpoint, guess: None };
            self.state.lockstep.iter_mut().for_each(|own| own.cutpoints.push(passed.clone()));
            return Ok(false);
        };
        self.widen(&cutpoint)
    }

    /// Whether something has been written for the first time since a cutpoint. The round that did so
    /// is then no part of what is summed up, or nobody would know whether it was written.
    fn has_begun_since(&self, cutpoint: &Cutpoint) -> bool {
        let exprs = &self.program.exprs;
        let is_written = |cell: Cell, state: &State| {
            let value = self.width_of(cell).ok().and_then(|width| cell.value(exprs, state, width));
            value.is_some_and(|e| !exprs.mentions(e).uninitialised())
        };
        let changed = self.changed_since(&cutpoint.base).unwrap_or_default();
        let begins =
            |cell: &Cell| is_written(*cell, &self.state) && !is_written(*cell, &cutpoint.base);
        changed.iter().any(begins)
    }

    fn widen(&mut self, cutpoint: &Arc<Cutpoint>) -> Result<bool, Stop> {
        let Some(changed) = self.changed_since(&cutpoint.base) else { return Err(too_much()) };
        let mut all = held(&cutpoint.widening);
        let revisions = &self.state.revisions;
        let wider = || all.iter().find(|(set, _)| revisions.is_subset(set)).map(|(_, last)| last);
        let mut widening = all.get(revisions).or_else(wider).cloned().unwrap_or_default();
        let exprs = &self.program.exprs;
        let mut grows = widening.guesses == 0;
        widening.has_base |= grows;
        let cells: BTreeSet<Cell> = widening.cells.keys().copied().chain(changed).collect();
        for cell in cells {
            let width = self.width_of(cell)?;
            let now = cell.value(exprs, &self.state, width);
            if let Some(now) = now
                && exprs.mentions(now).revision()
            {
                let groups = self.alternatives(now);
                let first = groups[0].0;
                if !groups[1..].iter().all(|(e, _)| self.certainly(exprs.eq(first, *e), true)) {
                    drop(all);
                    return self.part_here(groups);
                }
            }
            let before = cell.value(exprs, &cutpoint.base, width);
            widening.has_base &= before.is_none_or(|e| !exprs.mentions(e).revision());
            self.object_of_both(cell, &cutpoint.base)?;
            let is_unsure = [now, before].iter().any(|value| {
                value.is_none_or(|e| self.is_unsure(e) || exprs.mentions(e).uninitialised())
            });
            match widening.cells.get_mut(&cell) {
                Some(known) => {
                    grows |= is_unsure && !*known;
                    *known |= is_unsure;
                }
                None => {
                    grows = true;
                    widening.cells.insert(cell, is_unsure);
                    if let (Some(now), Some(before)) = (now, before) {
                        widening.bounds.extend(Bound::all(exprs, cell, before, now));
                    }
                }
            }
        }
        let mut kept = Vec::new();
        for bound in std::mem::take(&mut widening.bounds) {
            let now = bound.cell.value(exprs, &self.state, exprs.width(bound.value));
            let holds = now.is_some_and(|now| self.certainly(bound.holds(exprs, now), true));
            if holds { kept.push(bound) } else { grows = true }
        }
        widening.bounds = kept;
        if !grows {
            return Ok(true);
        }
        widening.guesses += 1;
        if widening.guesses > GUESSES {
            return Err(too_much());
        }
        all.insert(self.state.revisions.clone(), widening.clone());
        drop(all);
        self.go_on_from(cutpoint, &widening)
    }

    /// Goes on at a cutpoint with nothing known of what later rounds change.
    fn go_on_from(&mut self, cutpoint: &Arc<Cutpoint>, widening: &Widening) -> Result<bool, Stop> {
        let exprs = &self.program.exprs;
        let mut state = cutpoint.base.clone();
        state.keep(self.state.revisions.clone());
        state.lineage = self.state.lineage.clone();
        state.instructions = self.state.instructions;
        state.run_from = self.state.top.pc;
        let mut own = state.lockstep.take().unwrap_or_default();
        let mut values = BTreeMap::new();
        for (cell, is_unsure) in &widening.cells {
            let width = self.width_of(*cell)?;
            let number = own.forgotten.fetch_add(1, Ordering::Relaxed);
            let begins = if *is_unsure { UNSURE } else { FORGOTTEN };
            let mut value = exprs.input(&format!("{begins}{number}:{width}"), width);
            if let Some(object) = self.object_of_both(*cell, &cutpoint.base)? {
                value = exprs.add(exprs.constant(64, object), value);
            }
            values.insert(*cell, value);
            match *cell {
                Cell::Register(register) => {
                    state.top.values[register] = Value::from_expr(exprs, value);
                }
                Cell::Word(address, size) => {
                    let Ok(object) = state.memory.object_mut(address) else {
                        return Err(too_much());
                    };
                    let first = address::offset(address) as usize;
                    for index in 0..size as usize {
                        let byte = exprs.extract(value, 8 * index as u32, 8);
                        object.set_byte(exprs, first + index, Byte::of(exprs, byte));
                    }
                }
            }
        }
        let mut model = (*state.model).clone();
        for bound in &widening.bounds {
            let value = values[&bound.cell];
            state.path_condition.push(bound.holds(exprs, value));
            let known = exprs.as_variable(value).zip(exprs.as_bv(bound.value));
            model.0.extend(known);
        }
        state.model = Arc::new(model);
        let guess = Some((self.state.revisions.clone(), widening.guesses));
        own.cutpoints.push(Passed { cutpoint: cutpoint.clone(), guess });
        let place = (state.top.function, state.top.pc, state.callers.len());
        own.visits.retain(|visit| visit.place != place);
        // The next visit counts as one with new conditions in any case.
        own.visits.push(Visit { place, conditions: usize::MAX, count: UNROLLED });
        state.lockstep = Some(own);
        self.state = state;
        Ok(false)
    }

    /// The cells that have changed since `base`, an earlier state of this one; `None` if they are
    /// too many, or there are other objects.
    fn changed_since(&self, base: &State) -> Option<Vec<Cell>> {
        let (now, exprs) = (&self.state, &self.program.exprs);
        let words = now.memory.changed_words(exprs, &base.memory)?;
        let flow = self.program.flows.of(&self.program.module, now.top.function);
        let live = flow.live(now.top.pc);
        let registers = (0..now.top.values.len())
            .filter(|register| live.contains(*register))
            .filter(|register| now.top.values[*register] != base.top.values[*register]);
        let words = words.into_iter().map(|(address, size)| Cell::Word(address, size));
        Some(words.chain(registers.map(Cell::Register)).collect())
    }

    fn width_of(&self, cell: Cell) -> Result<u32, Stop> {
        match cell {
            Cell::Word(_, size) => Ok(8 * size),
            Cell::Register(register) => {
                let flow = self.program.flows.of(&self.program.module, self.state.top.function);
                flow.width(self.state.top.pc, register).ok_or_else(too_much)
            }
        }
    }

    /// The address of the one object that a cell points into, now and at the cutpoint; `None` if it
    /// is no pointer. Gives up on a pointer that goes elsewhere, as the widened one would not.
    fn object_of_both(&self, cell: Cell, base: &State) -> Result<Option<u64>, Stop> {
        let exprs = &self.program.exprs;
        let addresses = |state: &State| {
            let value = cell.value(exprs, state, 64);
            let value = value.map(|e| Value::from_expr(exprs, e));
            value.map(|value| state.memory.addresses_in(exprs, value)).unwrap_or_default()
        };
        let (now, before) = (addresses(&self.state), addresses(base));
        match (now.first(), before.first()) {
            (None, None) => Ok(None),
            (Some(_), Some(address)) if now.share_object(&before) => {
                let number = address::nearest_object(address);
                let is_object = (address::FIRST_OBJECT..address::END_OF_OBJECTS).contains(&number);
                if is_object { Ok(Some(address::object_address(number))) } else { Err(too_much()) }
            }
            _ => Err(too_much()),
        }
    }

    /// Whether an expression depends on a value of which it is unknown whether it was ever written.
    pub(super) fn is_unsure(&self, e: ExprId) -> bool {
        let exprs = &self.program.exprs;
        self.state.lockstep.is_some()
            && exprs.mentions(e).input()
            && exprs.variables(e).iter().any(|v| exprs.variable_name(*v).starts_with(UNSURE))
    }

    /// A variable that stands for an expression about which the solver would take long to say
    /// anything, such as what was looked up in a large object. The same expression gets the same
    /// variable. A constant, a variable, and an expression that depends on the revision, on memory
    /// that was never written or on an address stays as it is.
    pub(super) fn unknown_for(&self, word: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        let is_known = exprs.as_bv(word).is_some() || exprs.as_variable(word).is_some();
        let value = Value::from_expr(exprs, word);
        let mentions = exprs.mentions(word);
        let others = mentions.revision() || mentions.uninitialised() || mentions.address();
        if is_known || others || self.state.memory.addresses_in(exprs, value).first().is_some() {
            return word;
        }
        let (width, begins) = (exprs.width(word), if self.is_unsure(word) { UNSURE } else { "" });
        exprs.input(&format!("{begins}{UNKNOWN}{}:{width}", word.0), width)
    }

    /// The value of `e`, or a variable that stands for it ([`Executor::unknown_for`]) if it is an
    /// operation that the solver would find hard.
    pub(super) fn without_hard(&self, e: ExprId) -> Value {
        let exprs = &self.program.exprs;
        let inner = match exprs.node(e) {
            Node::Extract { of, .. } | Node::Zext(of) | Node::Sext(of) | Node::Neg(of) => of,
            _ => e,
        };
        Value::from_expr(exprs, if is_hard(exprs, inner) { self.unknown_for(e) } else { e })
    }

    /// Splits the revisions of the state ([`Executor::split`]), so that no group waits for another.
    pub(super) fn part<K>(&mut self, groups: Vec<(K, RevisionSet)>) -> K {
        let others = self.siblings.len();
        let first = self.split(groups);
        self.siblings[others..].iter_mut().for_each(|state| state.joins.clear());
        self.state.joins.clear();
        first
    }

    /// Splits the revisions of a state that has come to the head of a loop, where each group then
    /// comes anew.
    fn part_here<K>(&mut self, groups: Vec<(K, RevisionSet)>) -> Result<bool, Stop> {
        if let Some(lockstep) = &mut self.state.lockstep {
            lockstep.arrives = true;
            lockstep.visits.iter_mut().for_each(|visit| visit.conditions = usize::MAX);
        }
        self.part(groups);
        self.arrives();
        self.is_covered()
    }

    /// To be called where the state decides a condition: states that decide by what may never have
    /// been written meet again only if all of them decide the same conditions. Then the use of what
    /// was not written is a finding on the same inputs.
    pub(super) fn note_unsure(&mut self, condition: ExprId) {
        if self.is_unsure(condition)
            && let Some(lockstep) = &mut self.state.lockstep
        {
            let opposite = self.program.exprs.not(condition);
            lockstep.unsure.insert(condition.min(opposite));
        }
    }
}

/// Whether an expression has an operation that the solver finds hard.
fn has_hard(exprs: &Exprs, e: ExprId) -> bool {
    exprs.any_node(e, |e| is_hard(exprs, e))
}

/// Whether an expression is itself an operation that the solver finds hard: a product of unknown
/// numbers, a division by one, or an operation on floating-point numbers that is no comparison.
fn is_hard(exprs: &Exprs, e: ExprId) -> bool {
    let is_known = |e: ExprId| exprs.as_bv(e).is_some();
    match exprs.node(e) {
        Node::Binary(BinaryOp::Mul, a, b) => !is_known(a) && !is_known(b),
        Node::Binary(
            BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem,
            _,
            divisor,
        ) => !is_known(divisor),
        Node::FloatBinary(..) | Node::FloatMulAdd(..) | Node::FloatUnary(..) => true,
        _ => false,
    }
}

/// The end of a state on which the run gives up.
pub(super) fn too_much() -> Stop {
    Stop::Halt(Halt::Incomplete(Incomplete::Instructions))
}
