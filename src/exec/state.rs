//! States: one symbolic process each, for a set of revisions.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, atomic::AtomicU32},
};

use super::{
    alike::Alike,
    join_place::Join,
    jump_target::JumpTarget,
    lineage::Lineage,
    stack::{Callers, Frame},
    widening::Widening,
    words::Words,
};
use crate::{
    env::{Effects, Halt, World},
    expr::{Assignment, ExprId},
    ir::{FunctionId, SourceLine},
    memory::Memory,
    subject::RevisionSet,
};

/// A state: what [`crate::exec::Executor`] runs and forks.
#[derive(Clone, Debug)]
pub struct State {
    /// The running function.
    pub top: Frame,
    /// Its callers.
    pub callers: Callers,
    /// The memory.
    pub memory: Memory,
    /// The world outside.
    pub world: World,
    /// Revisions that have done something else to the world than `world` says, and what.
    pub apart: Vec<(RevisionSet, Effects)>,
    /// Conditions on the input, oldest first; satisfiable, except in a run in lockstep.
    pub path_condition: Vec<ExprId>,
    /// What the path condition says about single words.
    pub(super) words: Words,
    /// An input that satisfies `path_condition`, except in a run in lockstep.
    pub model: Arc<Assignment>,
    /// The revisions that the state stands for.
    pub revisions: RevisionSet,
    /// The way that the state came.
    pub lineage: Arc<Lineage>,
    /// LLVM instructions run since the start, without those since [`State::run_from`].
    pub instructions: u64,
    /// How many tokens of typed input it had read when a call was last put off
    /// ([`crate::env::Stop::Later`]).
    pub put_off_at: u32,
    /// How often it was put off because the solver takes long for its current question.
    pub waits: u32,
    /// [`State::instructions`] when it was last put off: until it has come further, it may ask what
    /// it asked before.
    pub waited_at: u64,
    /// The instruction of the running function to which control came last by a jump, a call or
    /// a return; it has run straight on since.
    pub run_from: u32,
    /// The number of branches of the program that the state has come to and that depend on the
    /// input. Checks inside an instruction do not count.
    pub(super) branches: u32,
    /// Number of variables made for undefined values.
    pub undefined: u32,
    /// The cells of memory that were read and had never been written: by object and offset.
    pub(super) seen: Arc<BTreeSet<(u32, usize)>>,
    /// Values already tried for symbolic values that have to become concrete now.
    pub concretisations: Concretisations,
    /// The exit code, while the functions run that are registered to run at exit.
    pub exit: Option<ExprId>,
    /// Calls of `setjmp` that may be returned to.
    pub jumps: Vec<JumpTarget>,
    /// Whether it has asked which revision runs.
    pub asked: bool,
    /// Whether it was said to be unaffected, and whether that is tested.
    pub claim: Claim,
    /// The condition under which its revisions differ, as it was when the state was last found not
    /// to be unaffected.
    pub differs: Option<ExprId>,
    /// The joins at which it waits for states that parted from it, the next one last.
    pub joins: Vec<Arc<Join>>,
    /// Watches for a loop that changes nothing.
    pub loops: LoopWatch,
    /// What a run in lockstep keeps of the state's way ([`super::lockstep()`]); `None` in other
    /// runs.
    pub(super) lockstep: Option<Box<Lockstep>>,
}

/// The claim that a state is unaffected. It is tested: some such states go on, and must never ask
/// for the revision.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Claim {
    /// The claim was not made.
    #[default]
    None,
    /// The claim is not tested. The state parted from one that goes on, which is enough, or only
    /// the solver says that the state is unaffected.
    Believed,
    /// The claim is tested: the state goes on.
    Tried,
}

impl Claim {
    /// The claim of two states that become one. What one of them claims does not bind the other.
    pub fn together(self, other: Self) -> Self {
        if self == other { self } else { Self::Believed }
    }
}

/// The number of values already tried for the symbolic values that one run of an instruction has to
/// make concrete.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concretisations {
    /// How many.
    pub count: u32,
    /// [`State::instructions`] and the number of the instruction while it runs.
    pub at: (u64, u32),
}

/// An earlier moment of the same path, to compare with (Brent's cycle finding: the moment is
/// taken anew whenever the number of backward jumps has doubled).
#[derive(Clone, Debug, Default)]
pub struct LoopWatch {
    /// The number of backward jumps so far.
    pub jumps: u64,
    moment: Option<Arc<Moment>>,
    /// Attempts since that moment to prove that the path never ends ([`super::endless`]).
    attempts: u32,
    /// Set once it is proved that the loop never ends: whether standard output and standard error
    /// grow. The state runs on until there is enough of those that do.
    pub(super) prints: Option<[bool; 2]>,
}

#[derive(Debug)]
pub(super) struct Moment {
    pub top: Frame,
    pub callers: Callers,
    pub memory: Memory,
    pub world: World,
    apart: Vec<(RevisionSet, Effects)>,
    conditions: usize,
}

impl LoopWatch {
    /// To be called when two states have become one. A moment that only one of them had is
    /// forgotten.
    pub(super) fn meet(&mut self, other: &Self) {
        self.jumps = self.jumps.max(other.jumps);
        let same = match (&self.moment, &other.moment) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if !same {
            self.moment = None;
        }
        self.prints = None;
    }
}

impl State {
    /// How many tokens of typed input it has read, or had read when it was put off.
    pub fn tokens(&self) -> u32 {
        self.world.stdin.tokens().max(self.put_off_at)
    }

    /// Loops are watched from this number of backward jumps on.
    const WATCH_FROM: u64 = 1024;
    /// The most attempts to prove that a state never ends, for each moment that it is compared
    /// with.
    const ATTEMPTS: u32 = 4;

    /// To be called at a backward jump, with `top.pc` at its target. Returns whether the state is
    /// exactly what it was at an earlier moment, and so runs forever.
    pub fn repeats(&mut self) -> bool {
        self.loops.jumps += 1;
        if self.loops.jumps < Self::WATCH_FROM {
            return false;
        }
        if let Some(moment) = &self.loops.moment
            && moment.top.pc == self.top.pc
            && moment.conditions == self.path_condition.len()
            && moment.top.values == self.top.values
            && self.is_at(moment)
        {
            return true;
        }
        // A moment in a function that has returned does not come again.
        let has_returned = |moment: &Moment| moment.callers.len() > self.callers.len();
        let is_gone = self.loops.moment.as_deref().is_some_and(has_returned);
        if self.loops.jumps.is_power_of_two() || is_gone {
            self.loops.attempts = 0;
            self.loops.moment = Some(Arc::new(self.moment()));
        }
        false
    }

    /// The present moment, to compare with later.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            top: self.top.clone(),
            callers: self.callers.clone(),
            memory: self.memory.clone(),
            world: self.world.clone(),
            apart: self.apart.clone(),
            conditions: self.path_condition.len(),
        }
    }

    /// The earlier moment, if it was at the same place, nothing was decided since, and attempts to
    /// prove something by it are left.
    pub(super) fn moment_to_compare(&self) -> Option<Arc<Moment>> {
        let moment = self.loops.moment.as_ref()?;
        let is_here = self.loops.attempts < Self::ATTEMPTS
            && moment.top.pc == self.top.pc
            && moment.top.function == self.top.function
            && moment.conditions == self.path_condition.len()
            && moment.apart.is_empty();
        is_here.then(|| moment.clone())
    }

    /// Counts an attempt to prove that the state never ends.
    pub(super) fn count_attempt(&mut self) {
        self.loops.attempts += 1;
    }

    fn is_at(&self, moment: &Moment) -> bool {
        let mut effects = self.apart.iter().zip(&moment.apart);
        self.apart.len() == moment.apart.len()
            && effects.all(|((a, now), (b, then))| a == b && now.is_unchanged_since(then))
            && self.top.function == moment.top.function
            && self.callers.same(&moment.callers)
            && self.world.same(&moment.world)
            && self.memory.same(&moment.memory)
    }
}

/// A state that has ended.
#[derive(Clone, Debug)]
pub struct HaltState {
    /// How it ended.
    pub halt: Halt,
    /// The source line where it ended.
    pub place: Option<SourceLine>,
    /// The revisions that behave like this.
    pub revisions: RevisionSet,
    /// The conditions on the input under which they behave like this.
    pub path_condition: Vec<ExprId>,
    /// An input that satisfies `path_condition` ([`State::model`]), if nothing was left undecided.
    /// Which one it is may differ from run to run.
    pub model: Arc<Assignment>,
    /// The way that the state came.
    pub lineage: Arc<Lineage>,
    /// The world at the end: what it took in and gave out.
    pub world: World,
    /// Instructions run.
    pub instructions: u64,
    /// Whether it has asked which revision runs.
    pub asked: bool,
}

impl HaltState {
    /// Whether the outcome is known exactly, so that a proof may rest on it.
    pub fn is_exact(&self) -> bool {
        !matches!(self.halt, Halt::Incomplete(_) | Halt::Silent)
            && !self.halt.is_excluded()
            && self.world.is_followed()
    }

    /// Whether the outcome is known exactly, and nothing was approximated, so that it says what a
    /// run shows on each input.
    pub fn is_predictable(&self) -> bool {
        self.is_exact() && self.world.approximations.is_empty()
    }
}

/// What a run in lockstep keeps of the way of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Lockstep {
    pub(super) cutpoints: Vec<Passed>,
    pub(super) visits: Vec<Visit>,
    /// Whether it has just waited for others, at a place that may be the head of a loop.
    pub(super) arrives: bool,
    /// The terms by which the state has decided something and that may rest on unwritten memory. Of
    /// a condition and its opposite, only one is kept.
    pub(super) unsure: BTreeSet<ExprId>,
    /// How many values the whole run has forgotten so far.
    pub(super) forgotten: Arc<AtomicU32>,
    /// Which revisions may still be alike.
    pub(super) alike: Arc<Mutex<Alike>>,
}

/// A cutpoint on the way of a state.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub(super) cutpoint: Arc<Cutpoint>,
    /// The guess that the state goes on from: for which revisions it was made, and its number.
    /// `None` if it goes on from the state at the cutpoint itself.
    pub(super) guess: Option<(RevisionSet, u32)>,
}

/// The last visit of the head of a loop.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) place: (FunctionId, u32, usize),
    /// How many conditions the path had.
    pub(super) conditions: usize,
    pub(super) count: u32,
}

/// A state at the head of a loop. Later states there are compared with it.
#[derive(Debug)]
pub(super) struct Cutpoint {
    pub(super) base: State,
    /// By revisions, the last guess at what later rounds change.
    pub(super) widening: Mutex<BTreeMap<RevisionSet, Widening>>,
}
