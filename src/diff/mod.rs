//! Differences: pairs halt states, makes differential tests, and gives every pair of revisions its
//! verdict.
//!
//! Two halt states can overlap only if they parted at a meta fork ([`ForkKind::Meta`]). For each
//! such pair whose revisions are not told apart yet, the solver is asked for an input that both
//! paths allow and on which some common output differs (algorithm 4 of the Psychic paper, whose
//! printed guard `n != n' or {n,n'} in D` is a misprint for `n = n' or ...`). The answer is
//! replayed natively on every revision: only what the replay shows counts. Equivalence of two
//! revisions is proved at the end, from evidence on record (`proof`).

mod evidence;
mod input;
mod lower;
mod outcome;
mod overlap;
mod pairs;
mod proof;
mod reason;
mod regions;
mod simple;
mod stopped;
#[cfg(test)]
mod tests;
pub mod text;
mod trials;
mod variants;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
    time::{Duration, Instant},
};

use rayon::prelude::*;

use evidence::Prediction;
pub use input::seeds;
use outcome::Precision;
pub use outcome::{mismatch, predicted};
pub use pairs::{Decided, PairVerdict, Pairs};
use proof::Refutations;
pub use reason::Reason;
pub use regions::{Range, Regions, Walk};

use crate::{
    env::{Approximation, Halt, Incomplete},
    errors::Error,
    exec::{Branch, Clock, ForkKind, HaltState, Limits, Program, Start, lockstep},
    explore::unless_it_panics,
    expr::{Assignment, ExprId},
    replay::{Outcome, TestInput},
    results::{Clustering, FoundBy, TestId},
    solver::{self, Query, Solver, SolverConfig, Verdict},
    subject::{OpenClasses, Revision, RevisionSet, config::OutputsConfig},
};

/// Runs tests natively. How that is done is up to the implementation.
pub trait Replay: Sync {
    /// The outcome of each revision on the test. `expected` names the errors that may be found, so
    /// that a sanitizer can watch for them, and the revisions that are known never to end.
    fn outcomes(
        &self,
        test: &TestInput,
        revisions: &[Revision],
        expected: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed>;

    /// The outcome of a short, unwatched run of each revision: no evidence, but a hint as to which
    /// tests are worth a replay.
    fn glance(
        &self,
        test: &TestInput,
        revisions: &[Revision],
    ) -> Result<Vec<Outcome>, ReplayFailed>;
}

/// What the engine expects of a native run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expected {
    /// Each expected error, with the revisions that run into it.
    pub errors: BTreeMap<Error, RevisionSet>,
    /// Revisions that run forever, each with how many bytes of standard output and of standard
    /// error are seen on the way.
    pub endless: BTreeMap<Revision, [usize; 2]>,
    /// Revisions whose outcome on this input is not predicted and never will be.
    pub unknown: RevisionSet,
    /// Revisions whose outcome is not predicted yet. A plain run is enough, as they are judged
    /// again.
    pub early: RevisionSet,
}

impl Expected {
    fn add(&mut self, error: Error, revision: Revision) {
        self.errors.entry(error).or_default().insert(revision);
    }
}

/// A native run did not take place, so nothing is known about its outcome.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFailed {
    /// The replay itself failed: no program or no sandbox.
    #[error("native replay: {0}")]
    Impossible(String),
    /// The time budget of the whole run is used up.
    #[error("native replay: no time left")]
    OutOfTime,
}

/// A test with the outcome of every revision on it.
#[derive(Clone, Debug)]
pub struct DifferentialTest {
    /// The number of the test, in the order in which tests were found.
    pub test: TestId,
    /// Where the input comes from.
    pub found_by: FoundBy,
    /// The input.
    pub input: TestInput,
    /// What each revision did, in the order of [`Differ::revisions`].
    pub outcomes: Vec<Outcome>,
    /// The partition of the revisions by outcome.
    pub clustering: Clustering,
    /// Where the replay differed from the engine's prediction; empty if nowhere.
    pub mismatches: Vec<String>,
    /// Revisions whose outcome here is no evidence, and why. The clustering leaves them out.
    pub objections: BTreeMap<Revision, Vec<Reason>>,
    /// What was expected when the test ran.
    expected: Expected,
    /// The model from which the engine made the input, if it did.
    model: Option<Assignment>,
    /// Indices of the halt states that the engine followed on this input to predict its outcomes.
    followed: Vec<usize>,
}

/// Which revisions are compared, and how.
#[derive(Clone)]
pub struct Task<'a> {
    /// The meta program that was explored.
    pub program: &'a Program,
    /// How the program starts, and the limits of a path. With these, a single input is followed for
    /// revisions whose outcome no known path predicts. Without, no such outcome is predicted.
    pub start: Option<(Start, Limits)>,
    /// Runs tests natively.
    pub replay: &'a dyn Replay,
    /// Configuration of the solver for queries about pairs.
    pub solver: SolverConfig,
    /// Which outputs count as visible.
    pub outputs: OutputsConfig,
    /// Names of the objects that are floating-point numbers: trials give them such values, and they
    /// have no ranges.
    pub reals: BTreeSet<String>,
    /// The revisions that run.
    pub revisions: Vec<Revision>,
    /// Revisions with a function that does not return the result it promises: what they do may
    /// differ from build to build.
    pub without_result: BTreeSet<Revision>,
    /// When to stop.
    pub clock: Clock<'a>,
}

/// Finds the differences among halt states as they come.
pub struct Differ<'a> {
    task: Task<'a>,
    states: Vec<HaltState>,
    /// Halt states of single inputs that were followed: predictions rest on them, proofs never do.
    followed: Vec<HaltState>,
    /// How many times each revision reached no end when it was followed.
    unended: BTreeMap<Revision, u32>,
    /// The paths of `states`.
    paths: overlap::Paths,
    solvers: Vec<Mutex<Box<dyn Solver>>>,
    pairs: Pairs,
    /// The pairs of states that were shown to have no input with a visible difference.
    refutations: Refutations,
    tests: Vec<DifferentialTest>,
    inputs: BTreeSet<TestInput>,
    /// Inputs of paths tried since one last told revisions apart.
    fruitless: u32,
    /// How many batches of states to wait before samples are tried again, and how many were waited
    /// for last time.
    rest: (u32, u32),
    /// Revisions that timed out natively without being proved non-terminating: each further timeout
    /// takes as long and shows as little.
    stopped: RevisionSet,
    /// Whether no more states will come.
    settled: bool,
    /// Whether tests are being judged again while states still come ([`Differ::confirm`]).
    confirms: bool,
    began: Instant,
    effort: Effort,
}

/// The time and work that finding the differences took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Each moment, since pairing began, at which more pairs were told apart than ever before, with
    /// their number.
    pub progress: Vec<(Duration, usize)>,
    /// Number of pairs of halt states compared.
    pub comparisons: u64,
    /// Wall-clock time of comparing pairs, all workers together.
    pub comparing: Duration,
    /// Time spent running revisions in lockstep.
    pub lockstep: Duration,
    /// Number of native replays of an input, be it on every revision or again on some.
    pub replays: u64,
    /// Wall-clock time of native replays.
    pub replaying: Duration,
}

/// After this many inputs of paths in a row that tell nothing apart, no more are tried: the pairs
/// still open then are mostly equivalent, and left to the solver.
const FRUITLESS_PATHS: u32 = 64;
/// Number of pairs of states to compare before dropping those whose revisions have been told apart
/// meanwhile.
const COMPARISONS: usize = 64;

/// Time limits for running in lockstep: for all classes together, and for a single query.
const LOCKSTEP: Duration = Duration::from_secs(2);
const LOCKSTEP_QUERY: Duration = Duration::from_millis(30);

/// The result of comparing two halt states.
enum Comparison {
    /// No input takes both paths, or no such input shows a difference.
    Same,
    /// Some input takes both paths, and on all such inputs both fail alike.
    FailAlike,
    /// Some input may show a difference. `exact` if every solution of the conditions does.
    Differs { conditions: Vec<ExprId>, exact: bool },
    /// The comparison has no answer, for these reasons.
    Unknown { conditions: Vec<ExprId>, reasons: Vec<Reason> },
    /// The comparison panicked.
    Failed,
}

impl<'a> Differ<'a> {
    /// A differ that has seen no states yet.
    pub fn new(task: Task<'a>) -> Self {
        let pairs = Pairs::new(&task.revisions);
        let without_result = task.without_result.clone();
        let mut new = Self {
            task,
            states: Vec::new(),
            followed: Vec::new(),
            unended: BTreeMap::new(),
            paths: overlap::Paths::default(),
            solvers: Vec::new(),
            pairs,
            refutations: Refutations::default(),
            tests: Vec::new(),
            inputs: BTreeSet::new(),
            fruitless: 0,
            rest: (0, 0),
            stopped: RevisionSet::new(),
            settled: false,
            confirms: false,
            began: Instant::now(),
            effort: Effort::default(),
        };
        for revision in without_result {
            new.distrust(revision, &[Reason::NoResult]);
        }
        new
    }

    /// The revisions that run.
    pub fn revisions(&self) -> &[Revision] {
        &self.task.revisions
    }

    /// The objects and outputs that are floating-point numbers, by name.
    pub fn reals(&self) -> &BTreeSet<String> {
        &self.task.reals
    }

    /// The halt states so far, in the order they came.
    pub fn states(&self) -> &[HaltState] {
        &self.states
    }

    /// The tests so far.
    pub fn tests(&self) -> &[DifferentialTest] {
        &self.tests
    }

    /// What is known of the pairs so far.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The classes of revisions that are still to be told apart, for an exploration that drops all
    /// other revisions from now on. A decided pair that is opened again later cannot be proved
    /// equivalent any more.
    pub fn leave_decided(&mut self) -> OpenClasses {
        self.pairs.leave_decided()
    }

    /// Runs the revisions that are still to be told apart in lockstep, for proofs that need no
    /// exploration.
    pub fn run_in_lockstep(&mut self) {
        let Some((start, limits)) = self.task.start.clone() else { return };
        if self.task.clock.is_over() {
            return;
        }
        let begin = Instant::now();
        let clock = self.task.clock.within(LOCKSTEP);
        let solver = SolverConfig {
            timeout: LOCKSTEP_QUERY,
            deadline: clock.deadline(),
            check_models: false,
            ..self.task.solver.clone()
        };
        for class in self.pairs.open_classes().iter() {
            let start = Start { revisions: class.clone(), ..start.clone() };
            let program = self.task.program;
            let run = || lockstep(program, start, limits, &mut *solver::chain(&solver), clock);
            if let Some(alike) = unless_it_panics(run) {
                self.pairs.run_alike(&alike);
            }
        }
        self.effort.lockstep += begin.elapsed();
    }

    /// Number of pairs that are proved to run in lockstep and were not told apart.
    pub fn in_lockstep(&self) -> usize {
        self.pairs.in_lockstep()
    }

    /// The time and work spent so far.
    pub fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Takes in states that have halted, pairs them with all earlier ones, and replays inputs that
    /// may tell revisions apart. `pool` runs the queries.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn add(
        &mut self,
        mut halted: Vec<HaltState>,
        pool: &rayon::ThreadPool,
    ) -> Result<(), ReplayFailed> {
        let first = self.states.len();
        halted.iter_mut().for_each(Self::note_caught);
        for state in &halted {
            self.note_weaknesses(state);
            if state.halt.may_go_on() {
                self.pairs.fail_alike(&state.revisions, &state.revisions);
            }
        }
        let left = halted.iter().filter(|state| is_left(state));
        let left = left.fold(RevisionSet::new(), |all, state| all.union(&state.revisions));
        if !left.is_empty() {
            let all: RevisionSet = self.task.revisions.iter().copied().collect();
            self.pairs.doubt_open(&left, &all, &Reason::Incomplete(Incomplete::Time));
        }
        for state in &halted {
            self.paths.push(&self.task.program.exprs, &state.path);
        }
        self.states.extend(halted);
        self.try_samples()?;
        for index in first..self.states.len() {
            self.try_path(index)?;
        }
        self.pair(first, pool)
    }

    /// Marks a state as approximate if the program handles the error that ends it: what it does
    /// next is not known.
    fn note_caught(state: &mut HaltState) {
        if let Halt::Error(error) = state.halt
            && outcome::is_caught(state)
        {
            state.world.approximate(Approximation::Caught(error));
        }
    }

    /// Compares each state from index `first` on with all states before it.
    fn pair(&mut self, first: usize, pool: &rayon::ThreadPool) -> Result<(), ReplayFailed> {
        let workers = pool.current_num_threads();
        self.solvers.resize_with(workers.max(self.solvers.len()), || {
            Mutex::new(solver::chain(&self.task.solver))
        });
        let mut candidates = pool.install(|| self.candidates(first));
        while !candidates.is_empty() {
            if self.task.clock.is_over() {
                self.leave(&candidates);
                break;
            }
            let tests = self.tests.len();
            let rest = candidates.split_off(candidates.len().min(COMPARISONS));
            let begin = Instant::now();
            let comparisons = pool.install(|| self.compare_all(&candidates));
            self.effort.comparisons += comparisons.len() as u64;
            self.effort.comparing += begin.elapsed();
            for ((a, b), comparison) in candidates.into_iter().zip(comparisons) {
                self.settle(a, b, comparison)?;
            }
            candidates = rest;
            if self.tests.len() > tests {
                candidates.retain(|(a, b)| {
                    self.pairs.any_open(&self.states[*a].revisions, &self.states[*b].revisions)
                });
            }
        }
        Ok(())
    }

    /// Doubts the pairs of revisions within a state whose outcome is not known.
    fn note_weaknesses(&mut self, state: &HaltState) {
        // Nothing is claimed about inputs that all revisions of the state exclude.
        if state.is_exact() || state.halt == Halt::Outside {
            return;
        }
        for reason in Reason::of_state(state) {
            self.pairs.doubt(&state.revisions, &state.revisions, &reason);
        }
    }

    /// Pairs of states to compare, one of them from index `first` on: they may overlap, no
    /// refutation of theirs is on record, and not all of their revisions are told apart.
    fn candidates(&self, first: usize) -> Vec<(usize, usize)> {
        (first..self.states.len())
            .into_par_iter()
            .flat_map_iter(|b| {
                let y = &self.states[b];
                let open = self.pairs.open_with(&y.revisions);
                let mut before = match is_left(y) || open.is_empty() {
                    true => Vec::new(),
                    false => self.paths.overlapping(&y.path),
                };
                before.retain(|&a| a < b);
                before.into_iter().filter_map(move |a| {
                    let x = &self.states[a];
                    let overlap = !is_left(x)
                        && !x.revisions.is_disjoint(&open)
                        && !self.refutations.has(a, b)
                        && Branch::parted(&x.branch, &y.branch) != Some(ForkKind::Input);
                    overlap.then_some((a, b))
                })
            })
            .collect()
    }

    /// Records that pairs of states were not compared for lack of time.
    fn leave(&mut self, candidates: &[(usize, usize)]) {
        for (a, b) in candidates {
            let (x, y) = (&self.states[*a].revisions, &self.states[*b].revisions);
            self.pairs.doubt_open(x, y, &Reason::Incomplete(Incomplete::Time));
        }
    }

    fn compare_all(&self, candidates: &[(usize, usize)]) -> Vec<Comparison> {
        candidates
            .par_iter()
            .map(|(a, b)| {
                let worker = rayon::current_thread_index().expect("runs in the pool");
                let mut solver = self.solvers[worker].lock().expect("a worker panicked");
                let (x, y) = (&self.states[*a], &self.states[*b]);
                let (program, outputs) = (self.task.program, &self.task.outputs);
                unless_it_panics(|| compare(program, outputs, &mut **solver, x, y)).unwrap_or_else(
                    || {
                        // The solver may have stopped halfway through a query.
                        *solver = solver::chain(&self.task.solver);
                        Comparison::Failed
                    },
                )
            })
            .collect()
    }

    /// Tries an input of the state's own path, which may already tell revisions apart at little
    /// cost.
    fn try_path(&mut self, index: usize) -> Result<(), ReplayFailed> {
        if self.fruitless >= FRUITLESS_PATHS || self.task.clock.is_over() {
            return Ok(());
        }
        let state = &self.states[index];
        if state.halt == Halt::Unaffected {
            return Ok(());
        }
        let all: RevisionSet = self.task.revisions.iter().copied().collect();
        if !self.pairs.any_open(&state.revisions, &all) {
            return Ok(());
        }
        let found = unless_it_panics(|| self.solution(&state.path)).flatten();
        if let Some((model, predicted)) = found {
            self.fruitless += 1;
            // Nothing is known of most revisions yet, and a plain run costs less than any query.
            let apart = self.apart_on(&predicted, &BTreeSet::new())?;
            if !apart.is_empty() && self.try_input((model, predicted), &apart, FoundBy::Path)? {
                self.fruitless = 0;
            }
        }
        Ok(())
    }

    fn settle(&mut self, a: usize, b: usize, comparison: Comparison) -> Result<(), ReplayFailed> {
        if let Comparison::Same | Comparison::FailAlike = comparison {
            self.refutations.record(a, b);
            if let Comparison::FailAlike = comparison {
                let (x, y) = (&self.states[a].revisions, &self.states[b].revisions);
                self.pairs.fail_alike(x, y);
            }
            return Ok(());
        }
        let (x, y) = (self.states[a].revisions.clone(), self.states[b].revisions.clone());
        if !self.pairs.any_open(&x, &y) {
            return Ok(());
        }
        let failed = Reason::Incomplete(Incomplete::Panic);
        let (conditions, mut doubts) = match comparison {
            Comparison::Same | Comparison::FailAlike => unreachable!("recorded above"),
            Comparison::Differs { conditions, exact: true } => (conditions, Vec::new()),
            Comparison::Differs { conditions, exact: false } => (conditions, vec![Reason::Texts]),
            Comparison::Unknown { conditions, reasons } => (conditions, reasons),
            Comparison::Failed => {
                self.pairs.doubt_open(&x, &y, &failed);
                return Ok(());
            }
        };
        if self.task.clock.is_over() {
            self.pairs.doubt_open(&x, &y, &Reason::Incomplete(Incomplete::Time));
            return Ok(());
        }
        let hopeless = !doubts.is_empty() && {
            let rest = |set: &RevisionSet| -> RevisionSet {
                set.iter().filter(|revision| !self.stopped.contains(*revision)).collect()
            };
            !self.pairs.any_open(&rest(&x), &rest(&y))
        };
        if !hopeless {
            match unless_it_panics(|| self.solution(&conditions)) {
                Some(Some((model, predicted))) => {
                    self.show(predicted, Some(model), FoundBy::Pair, None)?;
                }
                Some(None) if doubts.is_empty() => doubts.push(Reason::ModelLost),
                Some(None) => {}
                None => doubts.push(failed),
            }
        }
        if doubts.is_empty() {
            doubts.push(Reason::NotReplayed);
        }
        // A pair that the replay did not tell apart stays open, with the reasons why it cannot be
        // proved.
        for doubt in &doubts {
            self.pairs.doubt_open(&x, &y, doubt);
        }
        Ok(())
    }

    /// A model of the conditions that depends on nothing else and is as simple as can be had for
    /// little (see `simple`).
    fn model(&self, conditions: &[ExprId]) -> Option<Assignment> {
        let query = Query { path: &[], goals: conditions, model: None };
        let exprs = &self.task.program.exprs;
        match solver::reproducible(&self.task.solver).check(exprs, query) {
            Verdict::Sat(model) => Some(simple::simple(exprs, &self.task.reals, conditions, model)),
            Verdict::Unsat | Verdict::Unknown(_) => None,
        }
    }

    /// A model of the conditions, with the prediction for every revision on it.
    fn solution(&self, conditions: &[ExprId]) -> Option<(Assignment, Prediction)> {
        let model = self.model(conditions)?;
        let predicted = self.predict(&model);
        Some((model, predicted))
    }

    /// The states whose paths are taken under an assignment.
    fn taken(&self, model: &Assignment) -> Vec<usize> {
        self.paths.taken(&self.task.program.exprs, model)
    }
}

/// An input that takes the path of one state. It is the same each time if the solver is
/// [`solver::reproducible`].
pub fn path_input(
    program: &Program,
    solver: &mut dyn Solver,
    state: &HaltState,
) -> Option<TestInput> {
    let model = path_model(program, solver, state)?;
    Some(input::concrete(&program.exprs, &state.world.arguments, &[state], &model))
}

/// An input that takes the path of one state, as [`path_input`] gives it, and the outcome that the
/// state predicts for a native run on it. The outcome is `None` if the state does not predict it
/// exactly ([`HaltState::is_predictable`]).
pub fn path_test(
    program: &Program,
    solver: &mut dyn Solver,
    state: &HaltState,
) -> Option<(TestInput, Option<Outcome>)> {
    let model = path_model(program, solver, state)?;
    let input = input::concrete(&program.exprs, &state.world.arguments, &[state], &model);
    Some((input, outcome::predicted(&program.exprs, state, &model)))
}

fn path_model(program: &Program, solver: &mut dyn Solver, state: &HaltState) -> Option<Assignment> {
    match solver.check(&program.exprs, Query { path: &state.path, goals: &[], model: None }) {
        Verdict::Sat(model) => Some(model),
        Verdict::Unsat | Verdict::Unknown(_) => None,
    }
}

/// Whether exploring was stopped before the state came to an end. There may be thousands of such
/// states, and nothing is proved of their revisions whatever they are compared with.
fn is_left(state: &HaltState) -> bool {
    state.halt == Halt::Incomplete(Incomplete::Time)
}

/// Asks whether some input takes both paths and shows a difference; if none does, whether that is
/// so only because both fail.
fn compare(
    program: &Program,
    outputs: &OutputsConfig,
    solver: &mut dyn Solver,
    a: &HaltState,
    b: &HaltState,
) -> Comparison {
    let comparison = compare_shown(program, outputs, solver, a, b);
    let unknown = [a, b].into_iter().find(|state| !state.is_predictable());
    if let (Comparison::Differs { conditions, .. }, Some(state)) = (&comparison, unknown) {
        // They differ for some value of a function, which may not be the value it really has.
        let (conditions, reasons) = (conditions.clone(), Reason::of_state(state));
        return Comparison::Unknown { conditions, reasons };
    }
    if !matches!(comparison, Comparison::Same) || !a.halt.is_failure() || !b.halt.is_failure() {
        return comparison;
    }
    let query = Query { path: &a.path, goals: &b.path, model: None };
    match solver.check(&program.exprs, query) {
        Verdict::Unsat => Comparison::Same,
        Verdict::Sat(_) | Verdict::Unknown(_) => Comparison::FailAlike,
    }
}

/// Asks whether some input takes both paths and shows a difference.
fn compare_shown(
    program: &Program,
    outputs: &OutputsConfig,
    solver: &mut dyn Solver,
    a: &HaltState,
    b: &HaltState,
) -> Comparison {
    let exprs = &program.exprs;
    let known: BTreeSet<ExprId> = a.path.iter().copied().collect();
    let mut goals: Vec<ExprId> =
        b.path.iter().copied().filter(|condition| !known.contains(condition)).collect();
    let conditions = |goals: &[ExprId]| [a.path.as_slice(), goals].concat();
    let mut ask =
        |goals: &[ExprId]| solver.check(exprs, Query { path: &a.path, goals, model: None });
    if a.halt == Halt::Outside && b.halt == Halt::Outside {
        return Comparison::Same;
    }
    if !a.is_exact() || !b.is_exact() {
        let weak = if a.is_exact() { b } else { a };
        return match ask(&goals) {
            Verdict::Unsat => Comparison::Same,
            Verdict::Sat(_) | Verdict::Unknown(_) => {
                let reasons = Reason::of_state(weak);
                Comparison::Unknown { conditions: conditions(&goals), reasons }
            }
        };
    }
    if !input::comparable(&a.world, &b.world) {
        return match ask(&goals) {
            Verdict::Unsat => Comparison::Same,
            Verdict::Sat(_) | Verdict::Unknown(_) => {
                Comparison::Unknown { conditions: conditions(&goals), reasons: vec![Reason::Reads] }
            }
        };
    }
    // Comparing texts exactly is expensive, and seldom needed after the quick comparison.
    for precision in [Precision::Quick, Precision::Full] {
        let difference = outcome::difference(exprs, outputs, a, b, precision);
        if exprs.as_u64(difference.formula) == Some(0) {
            return Comparison::Same;
        }
        goals.push(difference.formula);
        match ask(&goals) {
            Verdict::Unsat => return Comparison::Same,
            Verdict::Sat(_) if difference.exact => {
                return Comparison::Differs { conditions: conditions(&goals), exact: true };
            }
            Verdict::Sat(_) if precision == Precision::Full => {
                let vague = conditions(&goals);
                goals.push(outcome::certain_difference(exprs, outputs, a, b));
                return match ask(&goals) {
                    Verdict::Sat(_) => {
                        Comparison::Differs { conditions: conditions(&goals), exact: true }
                    }
                    _ => Comparison::Differs { conditions: vague, exact: false },
                };
            }
            Verdict::Sat(_) => {}
            Verdict::Unknown(why) => {
                let reasons = vec![Reason::Solver(why)];
                return Comparison::Unknown { conditions: conditions(&goals), reasons };
            }
        }
        goals.pop();
    }
    unreachable!("the full comparison always ends in an answer")
}
