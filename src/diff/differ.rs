//! Pairs halt states as they come, and finds tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
    time::{Duration, Instant},
};

use rayon::prelude::*;
use tracing::debug;

use super::{
    compare::{Comparison, Hurried, compare},
    input,
    native::ReplayFailed,
    outcome, overlap,
    pairs::Pairs,
    prediction::Prediction,
    proof::Refutations,
    reason::Reason,
    simple,
    test::{DifferentialTest, Task},
};
use crate::{
    env::{Approximation, Halt, Incomplete},
    exec::{Alike, ForkKind, HaltState, Lineage, Program, Start, lockstep},
    explore::unless_it_panics,
    expr::{Assignment, ExprId},
    replay::TestInput,
    results::FoundBy,
    solver::{self, Query, Solver, SolverConfig, Verdict},
    subject::{OpenClasses, Revision, RevisionSet},
};

/// Finds the differences among halt states as they come.
pub struct Differ<'a> {
    pub(super) task: Task<'a>,
    pub(super) states: Vec<HaltState>,
    /// Halt states of single inputs that were followed. Predictions rest on them, proofs never do.
    pub(super) followed: Vec<HaltState>,
    /// How many times each revision reached no end when it was followed.
    pub(super) unended: BTreeMap<Revision, u32>,
    /// The paths of `states`.
    pub(super) paths: overlap::Paths,
    pub(super) solvers: Vec<Mutex<Box<dyn Solver>>>,
    pub(super) pairs: Pairs,
    /// The pairs of states that were shown to have no input with a visible difference.
    pub(super) refutations: Refutations,
    /// The pairs of states whose comparison has had no answer within each of [`LIMITS`].
    put_off: [Vec<(usize, usize)>; LIMITS.len()],
    /// When pairs that were put off were last compared again, and how long that took.
    asked_again: (Instant, Duration),
    pub(super) tests: Vec<DifferentialTest>,
    pub(super) inputs: BTreeSet<TestInput>,
    /// Number of path inputs tried since one last told revisions apart.
    pub(super) fruitless: u32,
    /// Number of batches of states still to skip before samples are tried again, and the length of
    /// the last such wait.
    pub(super) rest: (u32, u32),
    /// Revisions that timed out natively and are not proved non-terminating. Each further timeout
    /// would take as long and show as little.
    pub(super) stopped: RevisionSet,
    /// Revisions with a prediction that a native run has contradicted.
    pub(super) contradicted: RevisionSet,
    /// Whether no more states will come.
    pub(super) settled: bool,
    /// Whether tests are being judged again while states still come ([`Differ::confirm`]).
    pub(super) confirms: bool,
    pub(super) began: Instant,
    pub(super) effort: Effort,
}

/// The time and work that finding the differences took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Each time, since pairing began, at which the number of pairs told apart reached a new
    /// maximum, with that number.
    pub progress: Vec<(Duration, usize)>,
    /// Number of pairs of halt states compared.
    pub comparisons: u64,
    /// Wall-clock time of comparing pairs, all workers together.
    pub comparing: Duration,
    /// Time spent running revisions in lockstep.
    pub lockstep: Duration,
    /// Number of native replays of an input, whether on every revision or again on some.
    pub replays: u64,
    /// Wall-clock time of native replays.
    pub replaying: Duration,
}

/// After this many path inputs in a row that tell nothing apart, no more are tried. The pairs still
/// open then are mostly equivalent and are left to the solver.
const FRUITLESS_PATHS: u32 = 64;

/// Number of pairs of states to compare before dropping those whose revisions have been told apart
/// meanwhile.
const COMPARISONS: usize = 16;

/// The time that a query of a comparison may take before the comparison is put off. One pair of
/// revisions may take long, and the others should not have to wait for it. A comparison without an
/// answer within the last limit gets all the time that is configured.
const LIMITS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(4)];
/// The least time between two comparisons of what was put off, as long as states come.
const WAIT: Duration = Duration::from_secs(2);

/// Time limits for running in lockstep: for all classes together, and for a single query.
const LOCKSTEP: Duration = Duration::from_secs(2);
const LOCKSTEP_QUERY: Duration = Duration::from_millis(30);

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
            put_off: Default::default(),
            asked_again: (Instant::now(), Duration::ZERO),
            tests: Vec::new(),
            inputs: BTreeSet::new(),
            fruitless: 0,
            rest: (0, 0),
            stopped: RevisionSet::new(),
            contradicted: RevisionSet::new(),
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

    /// The program that they are revisions of.
    pub fn program(&self) -> &Program {
        self.task.program
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

    /// What is known about the pairs so far.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The classes of revisions that are still to be told apart, for an exploration that drops all
    /// other revisions from now on. A decided pair that is opened again later cannot be proved
    /// equivalent any more.
    pub fn leave_decided(&mut self) -> OpenClasses {
        self.pairs.leave_decided()
    }

    /// Takes in sets of revisions that are the same code, and so do the same on every input.
    pub fn have_same_code(&mut self, classes: Vec<RevisionSet>) {
        self.pairs.run_alike(&Alike { classes, failing: Vec::new() });
    }

    /// Runs the revisions that are still to be told apart in lockstep, for proofs without
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
                debug!(pairs = alike.pairs().len(), of = class.len(), "ran in lockstep");
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
            self.paths.push(&self.task.program.exprs, &state.path_condition);
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
    pub(super) fn note_caught(state: &mut HaltState) {
        if let Halt::Error(error) = state.halt
            && outcome::is_caught(state)
        {
            state.world.approximate(Approximation::Caught(error));
        }
    }

    /// Compares each state from index `first` on with all states before it, and puts off what takes
    /// long.
    pub(super) fn pair(
        &mut self,
        first: usize,
        pool: &rayon::ThreadPool,
    ) -> Result<(), ReplayFailed> {
        let workers = pool.current_num_threads();
        self.solvers.resize_with(workers.max(self.solvers.len()), || {
            Mutex::new(solver::chain(&self.task.solver))
        });
        let candidates = pool.install(|| self.candidates(first));
        self.compare_within(0, candidates, pool)
    }

    /// Whether comparisons were put off because they take long.
    pub fn has_put_off(&self) -> bool {
        self.put_off.iter().any(|candidates| !candidates.is_empty())
    }

    /// Compares again what was put off: all of it if `is_all`. Otherwise compares only a few, if at
    /// least `WAIT` has passed since the last ones, and at least as much time as those took.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn ask_again(
        &mut self,
        is_all: bool,
        pool: &rayon::ThreadPool,
    ) -> Result<(), ReplayFailed> {
        let (last, took) = self.asked_again;
        if !self.has_put_off() || !is_all && last.elapsed() < took.max(WAIT) {
            return Ok(());
        }
        let begin = Instant::now();
        for level in 0..LIMITS.len() {
            let mut candidates = std::mem::take(&mut self.put_off[level]);
            candidates.retain(|(a, b)| {
                let (x, y) = (&self.states[*a].revisions, &self.states[*b].revisions);
                self.pairs.open_between(x, y).any(|(x, y)| self.pairs.is_unsettled(x, y))
            });
            if !is_all {
                self.put_off[level] = candidates.split_off(candidates.len().min(COMPARISONS));
            }
            let is_some = !candidates.is_empty();
            self.compare_within(level + 1, candidates, pool)?;
            if is_some && !is_all {
                break;
            }
        }
        self.asked_again = (Instant::now(), begin.elapsed());
        Ok(())
    }

    /// Compares states within the time limit with index `level` in [`LIMITS`], or without a limit
    /// if there is none. What has no answer in time is put off.
    fn compare_within(
        &mut self,
        level: usize,
        mut candidates: Vec<(usize, usize)>,
        pool: &rayon::ThreadPool,
    ) -> Result<(), ReplayFailed> {
        let limit = LIMITS.get(level).copied().filter(|limit| *limit < self.task.solver.timeout);
        // Pairs of revisions with an unanswered comparison: the other pairs come first.
        let mut unanswered: BTreeSet<(Revision, Revision)> = BTreeSet::new();
        while !candidates.is_empty() {
            if self.task.clock.is_over() {
                self.leave(&candidates);
                break;
            }
            let tests = self.tests.len();
            let rest = candidates.split_off(candidates.len().min(COMPARISONS));
            let (later, now): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|(a, b)| {
                let (x, y) = (&self.states[*a].revisions, &self.states[*b].revisions);
                let mut open = self.pairs.open_between(x, y);
                !unanswered.is_empty() && open.all(|pair| unanswered.contains(&pair))
            });
            if !later.is_empty() {
                self.put_off[level].extend(later);
            }
            candidates = rest;
            if now.is_empty() {
                continue;
            }
            let begin = Instant::now();
            let comparisons = pool.install(|| self.compare_all(&now, limit));
            self.effort.comparisons += comparisons.len() as u64;
            self.effort.comparing += begin.elapsed();
            debug!(count = comparisons.len(), seconds = begin.elapsed().as_secs_f32(), "compared");
            for ((a, b), comparison) in now.into_iter().zip(comparisons) {
                match comparison {
                    Some(comparison) => self.settle(a, b, comparison)?,
                    None => {
                        let (x, y) = (&self.states[a].revisions, &self.states[b].revisions);
                        unanswered.extend(self.pairs.open_between(x, y));
                        self.put_off[level].push((a, b));
                    }
                }
            }
            if self.tests.len() > tests {
                candidates.retain(|(a, b)| {
                    self.pairs.any_open(&self.states[*a].revisions, &self.states[*b].revisions)
                });
            }
        }
        Ok(())
    }

    /// Records doubts about the pairs of revisions within a state whose outcome is not known.
    pub(super) fn note_weaknesses(&mut self, state: &HaltState) {
        // Nothing is claimed about inputs that all revisions of the state exclude.
        if state.is_exact() || state.halt.is_excluded() {
            return;
        }
        for reason in Reason::of_state(state) {
            self.pairs.doubt(&state.revisions, &state.revisions, &reason);
        }
    }

    /// Pairs of states to compare, one of them from index `first` on. They may overlap, no
    /// refutation of them is on record, and not all of their revisions are told apart.
    pub(super) fn candidates(&self, first: usize) -> Vec<(usize, usize)> {
        (first..self.states.len())
            .into_par_iter()
            .flat_map_iter(|b| {
                let y = &self.states[b];
                let open = self.pairs.open_with(&y.revisions);
                let mut before = match is_left(y) || open.is_empty() {
                    true => Vec::new(),
                    false => self.paths.overlapping(&y.path_condition),
                };
                before.retain(|&a| a < b);
                before.into_iter().filter_map(move |a| {
                    let x = &self.states[a];
                    let overlap = !is_left(x)
                        && !x.revisions.is_disjoint(&open)
                        && !self.refutations.has(a, b)
                        && Lineage::parted(&x.lineage, &y.lineage) != Some(ForkKind::Input);
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

    /// Compares states. A comparison without an answer within the limit is `None`.
    fn compare_all(
        &self,
        candidates: &[(usize, usize)],
        limit: Option<Duration>,
    ) -> Vec<Option<Comparison>> {
        candidates
            .par_iter()
            .map(|(a, b)| {
                let worker = rayon::current_thread_index().expect("runs in the pool");
                let mut solver = self.solvers[worker].lock().expect("a worker panicked");
                let (x, y) = (&self.states[*a], &self.states[*b]);
                let (program, outputs) = (self.task.program, &self.task.outputs);
                let mut hurried = Hurried::new(&mut **solver, limit);
                match unless_it_panics(|| compare(program, outputs, &mut hurried, x, y)) {
                    Some(_) if limit.is_some() && hurried.is_unanswered() => None,
                    Some(comparison) => Some(comparison),
                    None => {
                        // The solver may have stopped halfway through a query.
                        *solver = solver::chain(&self.task.solver);
                        Some(Comparison::Failed)
                    }
                }
            })
            .collect()
    }

    /// Tries an input of the state's own path. It may already tell revisions apart at little cost.
    pub(super) fn try_path(&mut self, index: usize) -> Result<(), ReplayFailed> {
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
        let found = unless_it_panics(|| self.solution(&state.path_condition)).flatten();
        if let Some((model, predicted)) = found {
            self.fruitless += 1;
            // Nothing is known about most revisions yet, and a plain run costs less than any query.
            let apart = self.apart_on(&predicted, &BTreeSet::new())?;
            if !apart.is_empty() && self.try_input((model, predicted), &apart, FoundBy::Path)? {
                self.fruitless = 0;
            }
        }
        Ok(())
    }

    pub(super) fn settle(
        &mut self,
        a: usize,
        b: usize,
        comparison: Comparison,
    ) -> Result<(), ReplayFailed> {
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

    /// An input that takes the path of a state.
    pub fn input_of(&self, state: &HaltState) -> Option<TestInput> {
        let model = unless_it_panics(|| self.model(&state.path_condition)).flatten()?;
        let (exprs, arguments) = (&self.task.program.exprs, &state.world.arguments);
        Some(input::concrete(exprs, arguments, &[state], &model))
    }

    /// A model of the conditions that depends on nothing else and is as simple as little effort can
    /// make it (see `simple`).
    pub(super) fn model(&self, conditions: &[ExprId]) -> Option<Assignment> {
        let query = Query { path_condition: &[], goals: conditions, model: None };
        let exprs = &self.task.program.exprs;
        match solver::reproducible(&self.task.solver).check(exprs, query) {
            Verdict::Sat(model) => Some(simple::simple(exprs, &self.task.reals, conditions, model)),
            Verdict::Unsat | Verdict::Unknown(_) => None,
        }
    }

    /// A model of the conditions, with the prediction for every revision on it.
    pub(super) fn solution(&self, conditions: &[ExprId]) -> Option<(Assignment, Prediction)> {
        let model = self.model(conditions)?;
        let predicted = self.predict(&model);
        Some((model, predicted))
    }

    /// The states whose paths are taken under an assignment.
    pub(super) fn taken(&self, model: &Assignment) -> Vec<usize> {
        self.paths.taken(&self.task.program.exprs, model)
    }
}

/// Whether exploration stopped before the state came to an end. There may be thousands of such
/// states. Comparing them proves nothing about their revisions.
pub(super) fn is_left(state: &HaltState) -> bool {
    state.halt == Halt::Incomplete(Incomplete::Time)
}
