//! Satisfiability: one trait, small decorators, Bitwuzla underneath.
//!
//! # What is assumed of a query
//!
//! Only that [`Query::model`], if there is one, satisfies [`Query::path`]: the model then settles
//! the conditions that share no variable with the goals. A [`Verdict`] is about the conjunction of
//! the whole path and [`Query::goals`]. Without a model, it affects only speed which of the two
//! lists a condition is in. A query that does not extend a path, such as one about a pair of paths,
//! puts all conditions into the goals.
//!
//! # The chain
//!
//! [`chain`] stacks, outermost first: [`checking`] (every model is evaluated on every
//! constraint), [`slicing`] (leaves out what a known model settles), [`record`] (writes the queries
//! that verdicts rest on, for another solver), [`constants`] (decides what needs no solver),
//! [`independence`] (decides together only what shares variables), [`cache`] (equal, weaker and
//! stronger queries; models that fit again), [`intervals`] (words that are compared with
//! constants), [`enumeration`] (few bytes, by trying their values), [`orders`] (few numbers, by
//! their orders), [`logging`] (SMT-LIB files), [`bitwuzla`] (incremental along the path, with a
//! time limit).

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    expr::{Assignment, ExprId, Exprs},
    interrupt::Interrupt,
};

pub mod bitwuzla;
pub mod cache;
pub mod checking;
pub mod constants;
pub mod enumeration;
pub mod independence;
pub mod intervals;
pub mod logging;
pub mod orders;
pub mod record;
pub mod slicing;
#[cfg(test)]
mod tests;

/// A conjunction to decide: a path condition, in the order of the path so that consecutive queries
/// share a prefix, and further conditions on top.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition, oldest condition first.
    pub path: &'a [ExprId],
    /// What is asked beyond the path condition.
    pub goals: &'a [ExprId],
    /// Values that satisfy the path condition, if some are known.
    pub model: Option<&'a Assignment>,
}

impl<'a> Query<'a> {
    /// All constraints, those of the path first.
    pub fn constraints(self) -> impl Iterator<Item = ExprId> + 'a {
        self.path.iter().chain(self.goals).copied()
    }
}

/// A solver's answer to a [`Query`].
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Satisfiable, by these values of the variables that the query mentions, and perhaps of
    /// others. Variables without a value are zero.
    Sat(Assignment),
    /// Unsatisfiable: a proof.
    Unsat,
    /// Undecided; must never be read as either of the others.
    Unknown(Unknown),
}

impl Verdict {
    /// The values, if the query is satisfiable.
    pub fn model(&self) -> Option<&Assignment> {
        match self {
            Self::Sat(model) => Some(model),
            Self::Unsat | Self::Unknown(_) => None,
        }
    }

    /// Whether the query is proved to be unsatisfiable.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Self::Unsat)
    }
}

/// Why a solver gave no answer.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, thiserror::Error)]
pub enum Unknown {
    /// The time for one query ran out.
    #[error("solver timeout after {0:?}")]
    Timeout(Duration),
    /// The run was interrupted, or its deadline has passed.
    #[error("time budget")]
    Interrupted,
    /// The back end gave up for a reason of its own.
    #[error("the solver gave up")]
    GaveUp,
}

/// A decision procedure for conjunctions of 1-bit expressions.
pub trait Solver: Send {
    /// Decides `query`. Whether it is satisfiable depends on the query alone; which model
    /// is found may depend on what was asked before.
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict;

    /// Limits each query from now on to `most`, unless the configured limit is lower. Each call
    /// replaces the limit of the one before.
    fn hurry(&mut self, most: Duration);

    /// Counters of this solver and those below it, outermost first.
    fn statistics(&self) -> Vec<LayerStatistics>;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        (**self).check(exprs, query)
    }

    fn hurry(&mut self, most: Duration) {
        (**self).hurry(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        (**self).statistics()
    }
}

/// A verdict, and whether it was found without the solver below.
pub type Decided = (Verdict, bool);

/// A part of the chain: answers what it can, and asks the solver below for the rest.
pub trait Decorator: Send {
    /// Name of the layer, for `stats.csv`.
    const NAME: &'static str;

    /// Decides `query`.
    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided;

    /// Notes the limit of [`Solver::hurry`]; a decorator needs it only if it asks several queries
    /// for one.
    fn hurry(&mut self, most: Duration) {
        _ = most;
    }
}

/// A decorator on top of a solver.
pub struct Layer<D, S> {
    decorator: D,
    below: S,
    statistics: LayerStatistics,
    timed: bool,
}

impl<D: Decorator, S: Solver> Layer<D, S> {
    /// Puts `decorator` on top of `below`.
    pub fn new(decorator: D, below: S) -> Self {
        Self { decorator, below, statistics: LayerStatistics::new(D::NAME), timed: false }
    }

    /// Measures the time of each query. Layers do not by default, as reading the clock takes as
    /// long as answering most queries.
    fn timed(self) -> Self {
        Self { timed: true, ..self }
    }
}

impl<D: Decorator, S: Solver> Solver for Layer<D, S> {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let start = self.timed.then(Instant::now);
        let (verdict, hit) = self.decorator.decide(&mut self.below, exprs, query);
        self.statistics.count(start, hit);
        verdict
    }

    fn hurry(&mut self, most: Duration) {
        self.decorator.hurry(most);
        self.below.hurry(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        let mut all = vec![self.statistics.clone()];
        all.extend(self.below.statistics());
        all
    }
}

/// What one layer of the chain did.
#[derive(Clone, Debug, Default)]
pub struct LayerStatistics {
    /// Name of the layer, for `stats.csv`.
    pub layer: &'static str,
    /// Queries that reached it.
    pub queries: u64,
    /// Queries that it answered without the layer below.
    pub hits: u64,
    /// Time spent in it and below. It is measured only for [`slicing`], which stands for the whole
    /// chain, and for the back end; it is zero for the other layers.
    pub time: Duration,
}

impl LayerStatistics {
    fn new(layer: &'static str) -> Self {
        Self { layer, ..Self::default() }
    }

    /// Counts a query, and the time since `start`.
    fn count(&mut self, start: Option<Instant>, hit: bool) {
        self.queries += 1;
        self.hits += u64::from(hit);
        self.time += start.map_or(Duration::ZERO, |start| start.elapsed());
    }
}

/// How to build the chain.
#[derive(Clone, Debug)]
pub struct SolverConfig {
    /// Limit of one query of the back end.
    pub timeout: Duration,
    /// Once set, ends queries without an answer.
    pub interrupt: Interrupt,
    /// Ends queries without an answer from this moment on.
    pub deadline: Option<Instant>,
    /// Re-evaluate every model on the constraints, and panic if it does not satisfy them.
    pub check_models: bool,
    /// Log every query that reaches the back end here, one SMT-LIB 2 file each.
    pub log: Option<PathBuf>,
    /// Write the queries that verdicts rest on here.
    pub record: Option<record::Recording>,
}

impl Default for SolverConfig {
    /// Ten seconds a query, no interrupts, models checked in debug builds, no log.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            interrupt: Interrupt::default(),
            deadline: None,
            check_models: cfg!(debug_assertions),
            log: None,
            record: None,
        }
    }
}

impl SolverConfig {
    /// This configuration without interrupt and deadline, for what is still to be done after them.
    pub fn uninterrupted(&self) -> Self {
        Self { interrupt: Interrupt::default(), deadline: None, ..self.clone() }
    }
}

/// The full chain, of which each worker has its own for exploration.
pub fn chain(config: &SolverConfig) -> Box<dyn Solver> {
    let back_end = bitwuzla::Incremental::new(config.timeout);
    let back_end: Box<dyn Solver> =
        Box::new(back_end.interrupted_by(config.interrupt.clone()).until(config.deadline));
    let logged = match &config.log {
        Some(directory) => Box::new(Layer::new(logging::Logging::new(directory.clone()), back_end)),
        None => back_end,
    };
    let ordered = Layer::new(orders::Orders::new(config.timeout), logged);
    let enumerated = Layer::new(enumeration::Enumeration::until(config.deadline), ordered);
    let ranged = Layer::new(intervals::Intervals::default(), enumerated);
    let cached = Layer::new(cache::Cache::default(), ranged);
    let apart = Layer::new(independence::Independence, cached);
    let sieved = Layer::new(constants::Constants, apart);
    let sieved: Box<dyn Solver> = match &config.record {
        Some(recording) => Box::new(Layer::new(recording.clone(), sieved)),
        None => Box::new(sieved),
    };
    let whole = Layer::new(slicing::Slicing::default(), sieved).timed();
    if config.check_models {
        Box::new(Layer::new(checking::Checking, whole))
    } else {
        Box::new(whole)
    }
}

/// A separate chain for results that end up in a file. Its models depend only on the queries that
/// it was asked and on their order, not on the ids of expressions; only a timeout depends on the
/// machine. It neither logs nor records.
pub fn reproducible(config: &SolverConfig) -> Box<dyn Solver> {
    chain(&SolverConfig { log: None, record: None, ..config.clone() })
}
