//! Differences: pairs halt states, makes differential tests, and gives every pair of revisions
//! its verdict.
//!
//! Two halt states can overlap only if they parted at a meta fork ([`ForkKind::Meta`]). For
//! each such pair whose revisions nobody has told apart yet the solver is asked for an input
//! that both paths allow and on which some common output differs (algorithm 4 of the Psychic
//! paper, whose printed guard `n != n' or {n,n'} in D` is a misprint for `n = n' or ...`). The
//! answer is replayed natively on every revision: only what the replay shows counts. That two
//! revisions are equivalent is proved at the end, from evidence on record (`proof`).

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

/// Runs a test natively; how is not this module's business.
pub trait Replay: Sync {
    /// The outcome of each revision on the test. `expected` says which errors may be found,
    /// so that a sanitizer can watch for them, and which revisions are known never to end.
    fn outcomes(
        &self,
        test: &TestInput,
        revisions: &[Revision],
        expected: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed>;

    /// What a short run of each revision shows, with nothing that watches it: no evidence, but a
    /// hint which tests are worth a replay.
    fn glance(
        &self,
        test: &TestInput,
        revisions: &[Revision],
    ) -> Result<Vec<Outcome>, ReplayFailed>;
}

/// What the engine expects of a native run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expected {
    /// Errors, and the revisions that run into them.
    pub errors: BTreeMap<Error, RevisionSet>,
    /// Revisions that run forever, and how many bytes of standard output and of standard error are
    /// seen on the way.
    pub endless: BTreeMap<Revision, [usize; 2]>,
    /// Revisions of which nothing will be known on this input.
    pub unknown: RevisionSet,
    /// Revisions of which nothing is known yet: a plain run is enough, as they are judged again.
    pub early: RevisionSet,
}

impl Expected {
    fn add(&mut self, error: Error, revision: Revision) {
        self.errors.entry(error).or_default().insert(revision);
    }
}

/// There is no native run, which says nothing about it.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFailed {
    /// It went wrong itself: no program, no sandbox.
    #[error("native replay: {0}")]
    Impossible(String),
    /// The time of the whole run is over.
    #[error("native replay: no time left")]
    OutOfTime,
}

/// A test with what every revision did on it.
#[derive(Clone, Debug)]
pub struct DifferentialTest {
    /// Its number, in the order of finding.
    pub test: TestId,
    /// Where its input comes from.
    pub found_by: FoundBy,
    /// Its input.
    pub input: TestInput,
    /// What each revision did, in the order of [`Differ::revisions`].
    pub outcomes: Vec<Outcome>,
    /// The partition of the revisions.
    pub clustering: Clustering,
    /// What the replay showed otherwise than the engine had predicted; empty if nothing.
    pub mismatches: Vec<String>,
    /// Revisions whose outcome here is no evidence, and why: the clustering leaves them out.
    pub objections: BTreeMap<Revision, Vec<Reason>>,
    /// What had been expected when it ran.
    expected: Expected,
    /// What the input was made from, if the engine made it.
    model: Option<Assignment>,
    /// What the engine followed to say what revisions do on it, by their numbers.
    followed: Vec<usize>,
}

/// What is compared, and how.
#[derive(Clone)]
pub struct Task<'a> {
    /// The meta program that was explored.
    pub program: &'a Program,
    /// How it starts, and the limits of a path: to follow what revisions do on a single input of
    /// which no known path says it. Without, nothing is predicted of them.
    pub start: Option<(Start, Limits)>,
    /// Runs tests natively.
    pub replay: &'a dyn Replay,
    /// For queries about pairs.
    pub solver: SolverConfig,
    /// What counts as visible.
    pub outputs: OutputsConfig,
    /// The objects that are floating-point numbers, by name: so they are tried, and have no ranges.
    pub reals: BTreeSet<String>,
    /// The revisions that run.
    pub revisions: Vec<Revision>,
    /// Those with a result that nobody gives: what they do may differ from build to build.
    pub without_result: BTreeSet<Revision>,
    /// When to stop.
    pub clock: Clock<'a>,
}

/// Finds the differences among halt states as they come.
pub struct Differ<'a> {
    task: Task<'a>,
    states: Vec<HaltState>,
    /// Those that were followed on single inputs: predictions rest on them, and no proof.
    followed: Vec<HaltState>,
    /// How many times a revision that was followed came to no end.
    unended: BTreeMap<Revision, u32>,
    /// The paths of the states.
    paths: overlap::Paths,
    solvers: Vec<Mutex<Box<dyn Solver>>>,
    pairs: Pairs,
    /// Of which pairs of states it was shown that they do not matter.
    refutations: Refutations,
    tests: Vec<DifferentialTest>,
    inputs: BTreeSet<TestInput>,
    /// Inputs of paths tried since one last separated something.
    fruitless: u32,
    /// Batches of states to go before samples are tried again, and how many were waited for before.
    rest: (u32, u32),
    /// Revisions that a native run had to be stopped of, which nobody proved endless: each
    /// further one takes as long and shows as little.
    stopped: RevisionSet,
    /// No more states will come.
    settled: bool,
    /// Tests are judged before that, for what is to be done next.
    confirms: bool,
    began: Instant,
    effort: Effort,
}

/// What finding the differences took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// When more pairs than ever before were told apart, since pairing began, and how many they were
    /// then.
    pub progress: Vec<(Duration, usize)>,
    /// Pairs of halt states compared.
    pub comparisons: u64,
    /// Wall-clock time of that, all workers together.
    pub comparing: Duration,
    /// Time of running in lockstep.
    pub lockstep: Duration,
    /// Tests run natively, each on every revision.
    pub replays: u64,
    /// Wall-clock time of that.
    pub replaying: Duration,
}

/// After so many inputs of paths that separate nothing, no more are tried: what is still open
/// then is mostly equivalent, and left to the solver.
const FRUITLESS_PATHS: u32 = 64;
/// Pairs of states that are compared before what they told apart is looked at again.
const COMPARISONS: usize = 64;

/// Running in lockstep may take so long, for all classes together, and a query of it.
const LOCKSTEP: Duration = Duration::from_secs(2);
const LOCKSTEP_QUERY: Duration = Duration::from_millis(30);

/// What a pair of halt states comes to.
enum Comparison {
    /// No input takes both, or none of those shows a difference.
    Same,
    /// Some input takes both, and on all of those both fail alike.
    FailAlike,
    /// Some input may show one; `exact` if every solution of the conditions does.
    Differs { conditions: Vec<ExprId>, exact: bool },
    /// Nothing can be said.
    Unknown { conditions: Vec<ExprId>, reasons: Vec<Reason> },
    /// The comparison itself went wrong.
    Failed,
}

impl<'a> Differ<'a> {
    /// Nothing is known yet.
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

    /// The revisions that are still to be told apart, where exploring leaves the others out from now
    /// on: a pair of these that comes to be open again cannot be proved equivalent any more.
    pub fn leave_decided(&mut self) -> OpenClasses {
        self.pairs.leave_decided()
    }

    /// Runs what is still to be told apart in lockstep, for proofs that need no exploration.
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

    /// Pairs that are proved to run in lockstep.
    pub fn in_lockstep(&self) -> usize {
        self.pairs.in_lockstep()
    }

    /// What it took so far.
    pub fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Takes in states that have halted, pairs them with all before, and replays what may tell
    /// revisions apart. `pool` runs the queries.
    ///
    /// # Errors
    /// where a native run is impossible.
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

    /// Of an error that the program handles itself it is not known what it does next.
    fn note_caught(state: &mut HaltState) {
        if let Halt::Error(error) = state.halt
            && outcome::is_caught(state)
        {
            state.world.approximate(Approximation::Caught(error));
        }
    }

    /// Compares the states from `first` on with all before them.
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

    /// A state whose outcome is not known says nothing about the revisions in it.
    fn note_weaknesses(&mut self, state: &HaltState) {
        // Of inputs that all these revisions leave out nothing is claimed.
        if state.is_exact() || state.halt == Halt::Outside {
            return;
        }
        for reason in Reason::of_state(state) {
            self.pairs.doubt(&state.revisions, &state.revisions, &reason);
        }
    }

    /// Pairs of states, one of them from `first` on, that may overlap, of which nothing is on
    /// record, and whose revisions are not all told apart.
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

    /// What was not compared for lack of time is not known.
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
                        // It may have stopped halfway through a query.
                        *solver = solver::chain(&self.task.solver);
                        Comparison::Failed
                    },
                )
            })
            .collect()
    }

    /// The cheap way: an input of the state's own path may already separate something.
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
            // Of most revisions nothing is known yet, and a plain run costs less than any query.
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
        // What the replay did not show stays open, with the reasons why it cannot be proved.
        for doubt in &doubts {
            self.pairs.doubt_open(&x, &y, doubt);
        }
        Ok(())
    }

    /// A model of conditions that depends on them alone, as simple as can be.
    fn model(&self, conditions: &[ExprId]) -> Option<Assignment> {
        let query = Query { path: &[], goals: conditions, model: None };
        let exprs = &self.task.program.exprs;
        match solver::reproducible(&self.task.solver).check(exprs, query) {
            Verdict::Sat(model) => Some(simple::simple(exprs, &self.task.reals, conditions, model)),
            Verdict::Unsat | Verdict::Unknown(_) => None,
        }
    }

    /// A model of conditions, and what every revision is predicted to show on it.
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

/// An input that takes the path of one state; the same one each time if the solver is
/// [`solver::reproducible`].
pub fn path_input(
    program: &Program,
    solver: &mut dyn Solver,
    state: &HaltState,
) -> Option<TestInput> {
    let model = path_model(program, solver, state)?;
    Some(input::concrete(&program.exprs, &state.world.arguments, &[state], &model))
}

/// The same, and what the state says that a native run on that input shows; nothing where the
/// state does not say exactly ([`HaltState::is_exact`]).
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

/// Whether exploring was stopped before the state came to an end: there may be thousands of these, and
/// nothing is proved of their revisions whatever they are compared with.
fn is_left(state: &HaltState) -> bool {
    state.halt == Halt::Incomplete(Incomplete::Time)
}

/// Asks whether some input takes both states and shows a difference; where none does, whether that
/// is so only because both fail.
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
        // They do for some value of a function, which may not be its value.
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

/// Asks whether some input takes both states and shows a difference.
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
    // Comparing texts exactly is dear, and seldom needed after the quick way.
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
