//! Runs one state, and those that fork from it.

use std::{
    cell::RefCell,
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashMap;

use super::{
    coverage::Coverage,
    divergence::Divergence,
    lineage::Lineage,
    program::Program,
    quantum::{Harvest, PathLimits, Quantum},
    share::Shares,
    stack::Caller,
    state::{HaltState, State},
    step::End,
    waiting::Waiting,
    words::Fixed,
};
use crate::{
    env::{Halt, Incomplete, Stop},
    errors::ENDLESS_PREFIX,
    expr::ExprId,
    ir::{FunctionId, SourceLine},
    memory::{Byte, Spare, Value},
    solver::Solver,
    subject::{OpenClasses, Revision, RevisionSet},
};

/// The state as it was before the call of a model, so that a sibling can run the call anew.
pub(super) enum Checkpoint {
    /// No model is running.
    NoCall,
    /// A model is running and has changed nothing yet.
    Unchanged,
    /// A model is running; this is how the state was.
    Kept(Box<State>),
    /// A model is running and decides nothing any more.
    Committed,
}

/// Runs states. Each worker has an executor of its own.
pub struct Executor<'a> {
    pub(super) program: &'a Program,
    /// [`Quantum::open`].
    pub(super) open: &'a OpenClasses,
    pub(super) limits: PathLimits,
    pub(super) solver: &'a mut dyn Solver,
    /// Whether a query was asked since the clock was last looked at.
    pub(super) asked: bool,
    /// How long queries took.
    pub(super) asking: Duration,
    /// Whether the decision being made is which way a branch goes.
    pub(super) at_branch: bool,
    /// Whether this run may decide nothing, and ends where it would have to ([`super::endless`]).
    pub(super) decides_nothing: bool,
    /// Whether anything has depended on the revision since a run began that may decide nothing.
    pub(super) depends_on_revision: bool,
    pub(super) deadline: Option<Instant>,
    /// [`Quantum::tokens`].
    pub(super) tokens: u32,
    /// [`Quantum::divergences_from`].
    pub(super) old: Option<Revision>,
    pub(super) divergences: Vec<Divergence>,
    /// Whether some state goes on in another run, so that others wait for it in vain.
    pub(super) is_cut: bool,
    pub(super) state: State,
    pub(super) checkpoint: Checkpoint,
    pub(super) siblings: Vec<State>,
    /// States that wait for siblings.
    pub(super) waiting: Vec<Waiting>,
    /// Whether the state is new since it was last checked whether the revision matters to it.
    pub(super) is_new: bool,
    /// The number of revisions of the state that this run began with.
    pub(super) together: u64,
    /// The last known alternatives of expressions for the revisions of a state, as loops ask for
    /// the same ones again.
    pub(super) chosen: RefCell<FxHashMap<ExprId, Chosen>>,
    /// The words that are fixed on the path that was last asked about.
    pub(super) fixed: Fixed,
    /// By chooser, what it returned and for which revisions.
    pub(super) arms: FxHashMap<FunctionId, (RevisionSet, Value)>,
    /// Frames that nothing uses, kept so that a call need not allocate.
    pub(super) spare: Vec<Arc<Caller>>,
    /// Storage for objects that nothing uses, and a buffer for bytes on their way between objects.
    pub(super) spare_memory: Spare,
    pub(super) bytes: Vec<u8>,
    pub(super) halted: Vec<HaltState>,
    pub(super) paths: u64,
    pub(super) forks: u64,
    pub(super) instructions: u64,
}

/// The revisions of a state, and the alternatives of an expression for them.
pub(super) type Chosen = (RevisionSet, Vec<(ExprId, RevisionSet)>);

impl<'a> Executor<'a> {
    pub(super) fn new(
        program: &'a Program,
        limits: PathLimits,
        solver: &'a mut dyn Solver,
        state: State,
        quantum: Quantum<'a>,
    ) -> Self {
        Self {
            program,
            open: quantum.open,
            limits,
            solver,
            asked: false,
            asking: Duration::ZERO,
            at_branch: false,
            decides_nothing: false,
            depends_on_revision: false,
            deadline: quantum.clock.deadline(),
            tokens: quantum.tokens,
            old: quantum.divergences_from,
            divergences: Vec::new(),
            is_cut: false,
            together: state.revisions.len() as u64,
            state,
            checkpoint: Checkpoint::NoCall,
            siblings: Vec::new(),
            waiting: Vec::new(),
            is_new: true,
            chosen: RefCell::default(),
            fixed: Fixed::default(),
            arms: FxHashMap::default(),
            spare: Vec::new(),
            spare_memory: Spare::default(),
            bytes: Vec::new(),
            halted: Vec::new(),
            paths: 0,
            forks: 0,
            instructions: 0,
        }
    }

    /// Runs `state` and what it forks into, depth first, until all have ended or the quantum
    /// is used up. What runs is added to `coverage`.
    pub fn run(
        program: &'a Program,
        limits: PathLimits,
        solver: &'a mut dyn Solver,
        coverage: &mut Coverage,
        state: State,
        quantum: Quantum<'a>,
    ) -> Harvest {
        let mut executor = Self::new(program, limits, solver, state, quantum);
        let mut running = Vec::new();
        let mut excluded = Shares::default();
        loop {
            let end = match (program.rejoins, executor.state.lockstep.is_some()) {
                (true, false) => executor.run_until_stop::<true, false>(coverage, quantum),
                (false, false) => executor.run_until_stop::<false, false>(coverage, quantum),
                (_, true) => executor.run_until_stop::<true, true>(coverage, quantum),
            };
            let is_paused = matches!(end, End::Quantum);
            match end {
                End::Quantum | End::Stop(Stop::Later) => {
                    // A state that goes on elsewhere waits for nobody.
                    executor.is_cut = true;
                    executor.state.joins.clear();
                    running.push(executor.state.clone());
                }
                End::Join => executor.wait(),
                // If no patch can change what the state does, its end need not be known.
                End::Stop(Stop::Halt(Halt::Incomplete(_))) if executor.is_unaffected() => {
                    executor.halt(Halt::Unaffected);
                }
                End::Stop(Stop::Halt(halt)) => executor.halt(halt),
                End::Stop(Stop::Exit(code)) => executor.halt(Halt::Exit(code)),
                End::Stop(Stop::Impossible) => {
                    let State { revisions, lineage, .. } = &executor.state;
                    excluded.add(revisions, lineage.share());
                }
            }
            executor.state.joins.clear();
            let asked = executor.asked || is_paused;
            let used_up = executor.is_used_up(quantum, asked) || quantum.clock.is_over();
            executor.is_cut |= used_up;
            executor.let_go(used_up || executor.siblings.is_empty());
            if used_up {
                while !executor.waiting.is_empty() {
                    executor.let_go(true);
                }
                running.append(&mut executor.siblings);
            }
            match executor.siblings.pop() {
                Some(next) => (executor.state, executor.is_new) = (next, true),
                None => break,
            }
        }
        let mut halted = std::mem::take(&mut executor.halted);
        running.iter_mut().for_each(|state: &mut State| state.joins.clear());
        running.sort_by(|a, b| Lineage::order(&a.lineage, &b.lineage));
        halted.sort_by(|a, b| Lineage::order(&a.lineage, &b.lineage));
        let Self { paths, instructions, divergences, .. } = executor;
        Harvest { running, halted, paths, excluded, instructions, divergences }
    }

    pub(super) fn halt(&mut self, halt: Halt) {
        let place = self.place();
        self.note_end();
        self.paths += 1;
        for mut ended in self.state.ended(&halt) {
            // A choice in what is compared is a bug of ours, and proves nothing.
            if self.state.asked && self.shows_a_choice(&ended) {
                ended.halt = Halt::Incomplete(Incomplete::Panic);
            }
            if ended.halt == Halt::Hang {
                let exprs = &self.program.exprs;
                for text in [&mut ended.world.stdout, &mut ended.world.stderr] {
                    *text = text.prefix(exprs, ENDLESS_PREFIX);
                }
            }
            self.halted.push(HaltState { place, ..ended });
        }
    }

    /// Whether the path, the end or an output depends on the revision.
    pub(super) fn shows_a_choice(&self, ended: &HaltState) -> bool {
        let exprs = &self.program.exprs;
        let is = |e: ExprId| exprs.mentions(e).revision();
        let HaltState { halt, path_condition: path, world, .. } = ended;
        let named = || world.outputs.iter().flat_map(|output| &output.bytes);
        path.iter().any(|condition| is(*condition))
            || matches!(halt, Halt::Exit(code) if is(*code))
            || world.stdout.mentions(exprs).revision()
            || world.stderr.mentions(exprs).revision()
            || named().any(|byte| matches!(byte, Byte::Symbolic(e) if is(*e)))
            || world.kernel.files.any_symbolic(&is)
    }

    /// The source line of the current instruction, or that of the nearest caller if the function
    /// has no debug information.
    pub(super) fn place(&self) -> Option<SourceLine> {
        let frames = std::iter::once(&self.state.top).chain(self.state.callers.iter());
        frames
            .filter_map(|frame| {
                let function = &self.program.module.functions[frame.function.0 as usize];
                function.places.get(frame.pc as usize).copied()
            })
            .find(|place| place.line != 0)
    }
}

/// Ends a state that was still running when the exploration stopped; returns its halt states.
pub fn abandon(
    program: &Program,
    state: &State,
    open: &OpenClasses,
    why: Incomplete,
) -> Vec<HaltState> {
    // After a panic, the claim that the state is unaffected may itself be the mistake.
    let halt = match why != Incomplete::Panic && program.is_unaffected(state, open) {
        true => Halt::Unaffected,
        false => Halt::Incomplete(why),
    };
    state.ended(&halt)
}
