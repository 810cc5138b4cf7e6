//! Exploration: which states run next, on how many workers, and when it stops.
//!
//! Work is done in rounds. A round takes up to 64 states off the frontier in the order of the
//! search. It runs each for a quantum on whichever worker is free, and puts what is left back in a
//! fixed order. The result of a round depends on the frontier alone. So an exploration finds the
//! same states in the same order with any number of workers. This holds as long as the solver is
//! quick: states do not wait long for one that keeps it busy.

mod config;
mod coverage;
mod exhausted;
mod lcov;
mod search;

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use rayon::prelude::*;
use tracing::debug;

pub use config::{ExploreConfig, Search};
pub use coverage::{CoveredBranch, CoveredFile, Share};
pub use exhausted::Exhausted;
use exhausted::Ledger;
pub use lcov::lcov;

use crate::{
    env::Incomplete,
    exec::{
        Clock, Coverage, Divergences, Executor, HaltState, Harvest, Program, Quantum, State,
        abandon,
    },
    expr::ExprId,
    solver::{self, LayerStatistics, Solver, SolverConfig},
    subject::{OpenClasses, RevisionSet},
};

/// Most states that run in one round.
const ROUND: usize = 64;
/// Most forks of one state in a round while fewer than [`ROUND`] states wait.
const FORKS_TO_SPREAD: u64 = 4;
/// Most forks of one state in a round otherwise.
const FORKS: u64 = 64;
/// Time after which a round ends for states that keep the solver busy.
const ROUND_TIME: Duration = Duration::from_secs(1);
/// Most instructions of one state in a round.
const INSTRUCTIONS: u64 = 2_000_000;

/// Counters of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States that ended.
    pub paths: u64,
    /// Instructions run, all states together.
    pub instructions: u64,
    /// The solver chain, outermost layer first.
    pub solver: Vec<LayerStatistics>,
    /// Time spent in rounds.
    pub time: Duration,
}

/// The effort that an exploration took. All but the time is the same on any machine.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// States that ended.
    pub paths: u64,
    /// Instructions run, all states together.
    pub instructions: u64,
    /// Queries to the solver chain.
    pub queries: u64,
    /// Time in the solver chain of the worker that spent the most there.
    pub solving: Duration,
}

/// An exploration in progress.
pub struct Explorer<'a> {
    program: &'a Program,
    config: ExploreConfig,
    pool: Arc<rayon::ThreadPool>,
    workers: Vec<Mutex<Worker>>,
    frontier: search::Frontier<'a>,
    ledger: Ledger,
    open: OpenClasses,
    dropped: Vec<Vec<ExprId>>,
    clock: Clock<'a>,
    divergences: Divergences,
    paths: u64,
    instructions: u64,
    time: Duration,
}

/// The part of a worker that is kept from round to round.
struct Worker {
    solver: Box<dyn Solver>,
    coverage: Coverage,
}

/// The result of one round.
#[derive(Debug)]
pub enum Round {
    /// These states ended; exploration is not over.
    Halted(Vec<HaltState>),
    /// No state is left to run. Paths may have been cut off by limits: [`Explorer::exhausted`] says
    /// which revisions were followed to the end.
    Exhausted,
    /// Time is over or the run was interrupted. States that were still running are given as
    /// incomplete.
    Stopped(Vec<HaltState>),
}

impl<'a> Explorer<'a> {
    /// An exploration that starts with the states `start`. No round begins once the clock is over.
    ///
    /// # Errors
    /// If the worker threads cannot be started.
    pub fn new(
        program: &'a Program,
        config: ExploreConfig,
        start: Vec<State>,
        clock: Clock<'a>,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let jobs = config.jobs.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let solver = solver_config(&config, clock);
        let worker = || Worker { solver: solver::chain(&solver), coverage: Coverage::default() };
        let workers = (0..jobs).map(|_| Mutex::new(worker())).collect();
        let mut frontier = search::Frontier::new(&config, program);
        let mut ledger = Ledger::default();
        let mut all = RevisionSet::new();
        for state in &start {
            all = all.union(&state.revisions);
            ledger.begin(&state.revisions, state.lineage.share());
        }
        frontier.extend(start);
        Ok(Self {
            program,
            config,
            pool: Arc::new(pool),
            workers,
            frontier,
            ledger,
            open: OpenClasses::one(all),
            dropped: Vec::new(),
            clock,
            divergences: Divergences::default(),
            paths: 0,
            instructions: 0,
            time: Duration::ZERO,
        })
    }

    /// The halt states that some of the waiting states would become if exploring ended now.
    pub fn glimpse(&self) -> Vec<HaltState> {
        let end = |state: &State| abandon(self.program, state, &self.open, Incomplete::Time);
        self.frontier.iter().take(ROUND).flat_map(end).collect()
    }

    /// Runs one round.
    pub fn round(&mut self) -> Round {
        if self.frontier.is_empty() {
            return Round::Exhausted;
        }
        if self.clock.is_over() {
            let left = self.frontier.take_all();
            let end = |state| abandon(self.program, state, &self.open, Incomplete::Time);
            let left: Vec<_> = left.iter().flat_map(end).collect();
            self.close(&left);
            return Round::Stopped(left);
        }
        let begin = Instant::now();
        let spread = self.frontier.len() < ROUND;
        let quantum = Quantum {
            open: &self.open,
            instructions: self.frontier.instructions().min(INSTRUCTIONS),
            // Revisions that the end of a quantum cuts apart are not seen to diverge.
            forks: match self.config.divergences_from {
                None if spread => FORKS_TO_SPREAD,
                _ => FORKS,
            },
            tokens: self.frontier.tokens(),
            patience: begin.checked_add(ROUND_TIME),
            divergences_from: self.config.divergences_from,
            clock: self.clock,
        };
        let states = self.frontier.take(self.frontier.round(ROUND));
        let config = solver_config(&self.config, self.clock);
        let (program, limits, workers) = (self.program, self.config.limits, &self.workers);
        let harvests: Vec<_> = self.pool.install(|| {
            states
                .into_par_iter()
                .with_max_len(1)
                .map(|state| {
                    let worker = rayon::current_thread_index().expect("runs in the pool");
                    let mut worker = workers[worker].lock().expect("a worker panicked");
                    let Worker { solver, coverage } = &mut *worker;
                    let before = state.clone();
                    let tokens = state.tokens().saturating_add(quantum.tokens);
                    let quantum = Quantum { tokens, ..quantum };
                    let run =
                        || Executor::run(program, limits, &mut **solver, coverage, state, quantum);
                    unless_it_panics(run).unwrap_or_else(|| {
                        // The solver may have stopped halfway through a query.
                        *solver = solver::chain(&config);
                        Harvest {
                            halted: abandon(program, &before, quantum.open, Incomplete::Panic),
                            paths: 1,
                            ..Harvest::default()
                        }
                    })
                })
                .collect()
        });
        let mut halted = Vec::new();
        for harvest in harvests {
            self.frontier.extend(harvest.running);
            self.ledger.exclude(&harvest.excluded);
            self.close(&harvest.halted);
            halted.extend(harvest.halted);
            for found in harvest.divergences {
                self.divergences.add(program, found);
            }
            self.paths += harvest.paths;
            self.instructions += harvest.instructions;
        }
        self.time += begin.elapsed();
        debug!(
            seconds = begin.elapsed().as_secs_f32(),
            halted = halted.len(),
            waiting = self.frontier.len(),
            paths = self.paths,
            instructions = self.instructions,
            "round"
        );
        Round::Halted(halted)
    }

    /// From now on, follows only paths that may tell apart revisions of one class.
    pub fn keep(&mut self, open: OpenClasses) {
        self.dropped.extend(self.frontier.keep(&open.revisions()));
        self.open = open;
    }

    /// The paths of states that were dropped because none of their revisions was left.
    pub fn dropped(&self) -> &[Vec<ExprId>] {
        &self.dropped
    }

    /// The revisions without a state that is waiting, was cut off before its end, or is missing.
    pub fn exhausted(&self) -> Exhausted {
        let waiting =
            self.frontier.iter().fold(RevisionSet::new(), |all, state| all.union(&state.revisions));
        self.ledger.exhausted(&waiting)
    }

    fn close(&mut self, halted: &[HaltState]) {
        for state in halted {
            self.ledger.end(&state.revisions, state.lineage.share(), &state.halt);
        }
    }

    /// The workers, also for other work than rounds.
    pub fn pool(&self) -> &Arc<rayon::ThreadPool> {
        &self.pool
    }

    /// The effort that exploring has taken so far.
    pub fn spent(&self) -> Spent {
        let asked = |worker: &Mutex<Worker>| {
            let layers = worker.lock().expect("a worker panicked").solver.statistics();
            // Not every outermost layer is timed.
            let time = layers.iter().map(|layer| layer.time).max().unwrap_or_default();
            (layers.first().map_or(0, |layer| layer.queries), time)
        };
        let add = |(a, b): (u64, Duration), (c, d): (u64, Duration)| (a + c, b.max(d));
        let (queries, solving) = self.workers.iter().map(asked).fold(Default::default(), add);
        Spent { paths: self.paths, instructions: self.instructions, queries, solving }
    }

    /// Number of states that wait to run on.
    pub fn waiting(&self) -> usize {
        self.frontier.len()
    }

    /// The code that has run so far.
    pub fn coverage(&self) -> Coverage {
        let mut all = Coverage::default();
        for worker in &self.workers {
            all.add(&worker.lock().expect("a worker panicked").coverage);
        }
        all
    }

    /// The divergences so far ([`ExploreConfig::divergences_from`]).
    pub fn divergences(&self) -> &Divergences {
        &self.divergences
    }

    /// Counters so far.
    pub fn statistics(&self) -> Statistics {
        let mut solver: Vec<LayerStatistics> = Vec::new();
        for worker in &self.workers {
            let layers = worker.lock().expect("a worker panicked").solver.statistics();
            for (index, layer) in layers.into_iter().enumerate() {
                match solver.get_mut(index) {
                    Some(sum) => {
                        sum.queries += layer.queries;
                        sum.hits += layer.hits;
                        sum.time += layer.time;
                    }
                    None => solver.push(layer),
                }
            }
        }
        Statistics { paths: self.paths, instructions: self.instructions, solver, time: self.time }
    }
}

/// The configuration of the workers' solvers: no query outlives the exploration.
fn solver_config(config: &ExploreConfig, clock: Clock<'_>) -> SolverConfig {
    SolverConfig { deadline: clock.deadline(), ..config.solver.clone() }
}

/// The result of `run`, or `None` if it panics, which prints the reason on standard error. A bug in
/// one step must not cost what hours have found.
pub(crate) fn unless_it_panics<T>(run: impl FnOnce() -> T) -> Option<T> {
    // The caller keeps nothing that a panicking `run` has changed.
    panic::catch_unwind(AssertUnwindSafe(run)).ok()
}

#[cfg(test)]
mod tests {
    use super::unless_it_panics;

    #[test]
    fn a_panic_costs_what_panicked() {
        assert_eq!(unless_it_panics(|| 1), Some(1));
        assert_eq!(unless_it_panics(|| -> u32 { panic!("on purpose") }), None);
    }
}
