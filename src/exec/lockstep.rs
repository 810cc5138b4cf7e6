//! Proofs that no input tells revisions apart, however long it is and whatever the rest of the
//! program does: the revisions run in lockstep.
//!
//! The program runs once more, with any number of tokens as input. Where a loop comes back to its
//! head, two of its rounds give a guess at what all rounds change. The guess is tested: those cells
//! (words of memory, registers) get unknown values, and more rounds run, on all ways that there are
//! then. Whatever else changes joins the guess, until no way back changes more than that. Then the
//! state at the head stands for all possible rounds, and covers each way that comes back. (Such a
//! place is a *cutpoint*: Floyd, "Assigning meanings to programs", 1967; forgetting what changes is
//! what abstract interpretation calls widening: Cousot and Cousot, POPL 1977.)
//!
//! Further guesses: a cell never falls below what it was, never rises above it, or is always one of
//! the few constants that it was so far. Such a guess is dropped when a round violates it (Flanagan
//! and Leino, "Houdini", FME 2001).
//!
//! These states include all that the program can be in, and more. Revisions do the same on every
//! input if they are in one state at the start and no end, cutpoint or way ever has one of them
//! without the other. Wherever they part, they have met again ([`super::join`]), with equal values
//! in everything that is forgotten. Nothing is said about revisions that part for good, as there
//! may be no input on which they do.
//!
//! The first rounds of a loop may write what was never written before; they are run one by one. If
//! only some later rounds write a piece of memory, it is unknown whether it was written. As long as
//! all revisions do the same with it, they read the same, written or not. Two kinds of revisions do
//! not meet again: those that decide something by such memory in a way that depends on the
//! revision, and those that decide different things by it while they are parted.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    state::{HaltState, Lockstep, Passed, State},
};
use crate::{
    env::{Halt, Incomplete, Stop},
    expr::{BinaryOp, ExprId, Exprs, Node, VariableId},
    memory::Value,
    solver::{Solver, Verdict},
    subject::{OpenClasses, Revision, RevisionSet},
};

/// The most instructions of all states together, and the most forks.
const INSTRUCTIONS: u64 = 1 << 20;
const FORKS: u64 = 1 << 13;
/// Revisions that have parted do not meet again once they have decided more conditions than this.
const DECISIONS: usize = 24;
/// The most conditions of a path: a way that no input takes may have no other end.
const CONDITIONS: usize = 1024;
/// The deepest nesting of calls.
const DEPTH: usize = 48;
/// The size in bytes of the largest object that is looked into at offsets that depend on input.
pub(super) const LOOKED_UP: u64 = 32;
/// The prefix of the names of forgotten values that may never have been written.
pub(super) const UNSURE: &str = "?unsure.";
/// The prefixes of the names of other forgotten values, and of values that stand for an expression.
pub(super) const FORGOTTEN: &str = "?forgotten.";
const UNKNOWN: &str = "?unknown.";

/// Runs all revisions of `start` in lockstep, within limits. Their input may have any number of
/// tokens.
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
        alike.end_all(&harvest.halted);
        if alike.classes.is_empty() {
            break;
        }
    }
    held(&alike).clone()
}

impl Alike {
    /// Notes how revisions have ended.
    fn end_all(&mut self, halted: &[HaltState]) {
        together(halted).iter().for_each(|(state, revisions)| self.end(state, revisions));
    }

    fn end(&mut self, state: &HaltState, revisions: &RevisionSet) {
        let halt = &state.halt;
        let for_original = *halt == Halt::Malformed && revisions.contains(Revision::ORIGINAL);
        if *halt == Halt::Outside || for_original || state.is_exact() {
            self.part(revisions);
        } else {
            self.part_all(revisions);
        }
        if halt.is_failure() && revisions.len() > 1 && !self.failing.contains(revisions) {
            self.failing.push(revisions.clone());
        }
    }
}

/// The halt states, each with its revisions and those that have failed in the same way on the same
/// path. Revisions that fail while they are parted do not meet again.
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
pub(super) fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The terms by which the state has decided something and that may rest on unwritten memory.
    pub(super) fn unsure(&self) -> Option<&BTreeSet<ExprId>> {
        self.lockstep.as_ref().map(|own| &own.unsure)
    }
}

impl Executor<'_> {
    /// Whether a condition of a run in lockstep depends on a forgotten value about which the path
    /// says nothing, or has an operation that the solver finds hard. Most often such a condition
    /// may hold or not, and a way that no input takes costs less than a query.
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

    /// The path of a run in lockstep without the conditions that the solver would find hard; `None`
    /// in other runs. The less a path says, the more ways there are, but what it excludes stays
    /// excluded. Comparisons of floating-point numbers are left out unless the goal has one, too.
    pub(super) fn what_is_easy(&self, goal: ExprId) -> Option<Vec<ExprId>> {
        let exprs = &self.program.exprs;
        let with_reals = self.compares_reals(goal);
        let is_easy = |condition: &ExprId| {
            (with_reals || !self.compares_reals(*condition)) && !has_hard(exprs, *condition)
        };
        let path = &self.state.path_condition;
        self.state.lockstep.is_some().then(|| path.iter().copied().filter(is_easy).collect())
    }

    /// Whether this is a run in lockstep, in which the solver is not asked about such a condition.
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
    /// its revisions may still be alike. Otherwise removes the revisions that can be alike with no
    /// other revision of the state.
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

    /// Asks whether a condition may be the opposite of what the model says. If that is unknown,
    /// both ways are taken, even if there is no input for one of them. Ends a state that need not
    /// go on, or that goes too far.
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

    /// Whether the state goes on from a guess that a later guess has replaced. The later one stands
    /// for everything that the state stands for.
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

    /// Whether an expression depends on a forgotten value that may never have been written.
    pub(super) fn is_unsure(&self, e: ExprId) -> bool {
        let exprs = &self.program.exprs;
        self.state.lockstep.is_some()
            && exprs.mentions(e).input()
            && exprs.variables(e).iter().any(|v| exprs.variable_name(*v).starts_with(UNSURE))
    }

    /// A variable in place of an expression that the solver would find hard, such as one that was
    /// looked up in a large object. The same expression gets the same variable. Constants and
    /// variables stay as they are, and so do expressions that depend on the revision, on unwritten
    /// memory or on an address.
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

    /// The value of `e`. If `e` is an operation that the solver would find hard, a variable that
    /// stands for it ([`Executor::unknown_for`]).
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

    /// To be called where the state decides something by a term. Notes a term that may rest on
    /// unwritten memory: states meet again only if all of them decide by the same such terms. Then
    /// the use of unwritten memory is a finding on the same inputs.
    pub(super) fn note_unsure(&mut self, term: ExprId) {
        if self.is_unsure(term)
            && let Some(lockstep) = &mut self.state.lockstep
        {
            let exprs = &self.program.exprs;
            // A condition decides as much as its opposite.
            let is_condition = exprs.width(term) == 1;
            lockstep.unsure.insert(if is_condition { term.min(exprs.not(term)) } else { term });
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
