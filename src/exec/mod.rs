//! The interpreter: runs states of a lowered module, forks them, and ends them.
//!
//! Concrete values are computed directly; symbolic ones become expressions. The revision is
//! an ordinary value with a finite domain: a decision that depends on it splits the set of
//! revisions of the state and asks no solver.

mod access;
mod arithmetic;
mod asking;
mod call;
mod choice;
mod clock;
mod coverage;
mod decide;
mod effects;
mod endless;
mod float;
mod flow;
mod follow;
mod input;
mod interpret;
mod join;
mod jump;
mod lift;
mod lockstep;
mod resolve;
mod share;
mod stack;
mod start;
pub mod state;
mod taint;
mod targets;
mod unaffected;
mod unwritten;

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

pub use asking::{Asking, Distance};
pub use clock::Clock;
pub use coverage::Coverage;
pub use flow::Flows;
pub use follow::follow;
pub use input::{Arguments, InputFile, Variable};
pub use lockstep::{Alike, lockstep};
pub use share::{Share, Shares};
pub use stack::{Callers, Frame, VariadicArgument};
pub use start::{Start, StartError, WHOLE_PROGRAM};
pub use state::{Branch, ForkKind, HaltState, State};

use rustc_hash::FxHashMap;

use interpret::End;
use join::Waiting;
use stack::Caller;

use crate::{
    env::{Halt, Incomplete, Stop, call::Model},
    errors::ENDLESS_PREFIX,
    expr::{ExprId, Exprs, VariableId},
    ir::{FunctionId, Module, Place},
    memory::{Byte, Spare, Value},
    solver::Solver,
    subject::{OpenClasses, RevisionSet, config::Uninitialised},
};

/// A program to run, which all workers share.
pub struct Program {
    /// The code.
    pub module: Module,
    /// The expressions.
    pub exprs: Exprs,
    /// The revision as a variable.
    pub revision: VariableId,
    /// The revision as an expression.
    pub revision_expr: ExprId,
    /// By function, [`Frame::values`] when it starts.
    pub frames: Vec<Box<[Value]>>,
    /// By function, whether a meta program asks for the arm of a site by it: what it returns
    /// depends on the revision alone.
    choosers: Box<[bool]>,
    /// Models of the functions that have no code, or that run in place of their code.
    pub models: HashMap<FunctionId, Model>,
    /// Models that run before the code of a libc function, or in its place if they give a result.
    pub preparations: HashMap<FunctionId, Model>,
    /// What becomes of a decision on memory that was never written.
    pub uninitialised: Uninitialised,
    /// Where the revision can still matter; computed when it is first needed.
    asking: OnceLock<Asking>,
    /// Whether states to which the revision cannot matter any more end.
    pub ends_unaffected: bool,
    /// The control flow of functions.
    pub flows: Flows,
    /// Whether revisions that parted become one state again.
    pub rejoins: bool,
}

/// Limits of a path.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most instructions of one path.
    pub instructions: u64,
    /// The most values of a symbolic value that has to be concrete (a size, a pointer).
    pub concretisations: u32,
    /// The time for one query.
    pub solver: Duration,
}

/// What [`Executor::run`] runs for, and how long it may go on.
#[derive(Clone, Copy, Debug)]
pub struct Quantum<'a> {
    /// The revisions that are still to be told apart.
    pub open: &'a OpenClasses,
    /// The most instructions, of all states together.
    pub instructions: u64,
    /// The most forks.
    pub forks: u64,
    /// The most tokens of typed input that a path may read: a state that wants more goes on later.
    pub tokens: u32,
    /// From this time on, a state that keeps the solver busy goes on in another quantum: others are
    /// waiting.
    pub patience: Option<Instant>,
    /// When everything has to end.
    pub clock: Clock<'a>,
}

impl<'a> Quantum<'a> {
    /// A quantum with no limit but the clock's.
    pub fn unlimited(open: &'a OpenClasses, clock: Clock<'a>) -> Self {
        let (instructions, forks, tokens) = (u64::MAX, u64::MAX, u32::MAX);
        Self { open, instructions, forks, tokens, patience: None, clock }
    }
}

/// What a run of an [`Executor`] has come to.
#[derive(Debug, Default)]
pub struct Harvest {
    /// States that go on, in depth-first order.
    pub running: Vec<State>,
    /// States that have ended, in depth-first order.
    pub halted: Vec<HaltState>,
    /// How many paths have ended.
    pub paths: u64,
    /// The shares of states that assumptions have ended: inputs that the program is not asked
    /// about.
    pub excluded: Shares,
    /// How many instructions have run.
    pub instructions: u64,
}

/// The state as it was before the call of a model, so that a sibling can run the call anew.
enum Checkpoint {
    /// No model is running.
    NoCall,
    /// A model is running and has changed nothing yet.
    Unchanged,
    /// A model is running; this is how the state was.
    Kept(Box<State>),
    /// A model is running and decides nothing any more.
    Committed,
}

/// Runs states; each worker has one of its own.
pub struct Executor<'a> {
    program: &'a Program,
    /// [`Quantum::open`].
    open: &'a OpenClasses,
    limits: Limits,
    solver: &'a mut dyn Solver,
    /// Whether a query was asked since the clock was last looked at.
    asked: bool,
    /// How long queries took.
    asking: Duration,
    /// Whether what is being decided is which way a branch goes.
    at_branch: bool,
    /// Whether this is a run that is to decide nothing, and ends where it would ([`endless`]).
    decides_nothing: bool,
    /// Whether revisions have parted since such a run began.
    depends_on_revision: bool,
    deadline: Option<Instant>,
    /// [`Quantum::tokens`].
    tokens: u32,
    state: State,
    checkpoint: Checkpoint,
    siblings: Vec<State>,
    /// States that wait for siblings.
    waiting: Vec<Waiting>,
    /// Whether the state is new since it was last checked whether the revision matters to it.
    is_new: bool,
    /// How many revisions set out together.
    together: u64,
    /// The last known alternatives of expressions for the revisions of a state: loops ask again.
    chosen: RefCell<FxHashMap<ExprId, Chosen>>,
    /// What a function that gives an arm returned, and for which revisions.
    arms: FxHashMap<FunctionId, (RevisionSet, Value)>,
    /// Frames that nothing uses, kept so that a call need not allocate.
    spare: Vec<Arc<Caller>>,
    /// Room for objects, and for bytes under way from one to another, kept likewise.
    spare_memory: Spare,
    bytes: Vec<u8>,
    halted: Vec<HaltState>,
    paths: u64,
    forks: u64,
    instructions: u64,
}

/// The revisions of a state, and the alternatives of an expression for them.
type Chosen = (RevisionSet, Vec<(ExprId, RevisionSet)>);

impl<'a> Executor<'a> {
    /// Runs `state` and what it forks into, depth first, until all have ended or the quantum
    /// is used up. What runs is added to `coverage`.
    pub fn run(
        program: &'a Program,
        limits: Limits,
        solver: &'a mut dyn Solver,
        coverage: &mut Coverage,
        state: State,
        quantum: Quantum<'a>,
    ) -> Harvest {
        let mut executor = Self {
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
            together: state.revisions.len() as u64,
            state,
            checkpoint: Checkpoint::NoCall,
            siblings: Vec::new(),
            waiting: Vec::new(),
            is_new: true,
            chosen: RefCell::default(),
            arms: FxHashMap::default(),
            spare: Vec::new(),
            spare_memory: Spare::default(),
            bytes: Vec::new(),
            halted: Vec::new(),
            paths: 0,
            forks: 0,
            instructions: 0,
        };
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
                    let State { revisions, branch, .. } = &executor.state;
                    excluded.add(revisions, branch.share());
                }
            }
            executor.state.joins.clear();
            let asked = executor.asked || is_paused;
            let used_up = executor.is_used_up(quantum, asked) || quantum.clock.is_over();
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
        running.sort_by(|a, b| Branch::order(&a.branch, &b.branch));
        halted.sort_by(|a, b| Branch::order(&a.branch, &b.branch));
        let (paths, instructions) = (executor.paths, executor.instructions);
        Harvest { running, halted, paths, excluded, instructions }
    }

    fn halt(&mut self, halt: Halt) {
        let place = self.place();
        self.paths += 1;
        for mut ended in self.state.ended(&halt) {
            // A choice that got into what is compared is a bug of ours, and proves nothing.
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
    fn shows_a_choice(&self, ended: &HaltState) -> bool {
        let exprs = &self.program.exprs;
        let is = |e: ExprId| exprs.mentions(e).revision;
        let HaltState { halt, path, world, .. } = ended;
        let named = || world.outputs.iter().flat_map(|output| &output.bytes);
        path.iter().any(|condition| is(*condition))
            || matches!(halt, Halt::Exit(code) if is(*code))
            || world.stdout.mentions(exprs).revision
            || world.stderr.mentions(exprs).revision
            || named().any(|byte| matches!(byte, Byte::Symbolic(e) if is(*e)))
            || world.kernel.files.any_symbolic(&is)
    }

    /// The source line of the current instruction; that of the nearest caller if the
    /// function has no debug information.
    fn place(&self) -> Option<Place> {
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
    // After a panic, that the state is unaffected may be the very mistake.
    let halt = match why != Incomplete::Panic && program.is_unaffected(state, open) {
        true => Halt::Unaffected,
        false => Halt::Incomplete(why),
    };
    state.ended(&halt)
}
