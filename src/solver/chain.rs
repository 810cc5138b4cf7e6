//! The stack of layers that every worker asks.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use super::{
    bitwuzla, cache, checking, constants, enumeration, independence, intervals,
    layer::{Layer, Solver},
    logging, narrowing, orders, ranks, record, slicing, sums,
};
use crate::interrupt::Interrupt;

/// How to build the chain.
#[derive(Clone, Debug)]
pub struct SolverConfig {
    /// The limit for one query of the back end.
    pub timeout: Duration,
    /// Once set, ends queries without an answer.
    pub interrupt: Interrupt,
    /// Ends queries without an answer from this moment on.
    pub deadline: Option<Instant>,
    /// Re-evaluate every model on the constraints, and panic if it does not satisfy them.
    pub check_models: bool,
    /// Log here every query that reaches the back end, each in an SMT-LIB 2 file.
    pub log: Option<PathBuf>,
    /// Write here the queries that verdicts rest on.
    pub record: Option<record::Recording>,
}

impl Default for SolverConfig {
    /// Ten seconds for a query, no interrupts, models checked in debug builds, no log.
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
    /// This configuration without interrupt and deadline, for work that remains after them.
    pub fn uninterrupted(&self) -> Self {
        Self { interrupt: Interrupt::default(), deadline: None, ..self.clone() }
    }
}

/// The full chain. Each worker has a separate one for exploration.
pub fn chain(config: &SolverConfig) -> Box<dyn Solver> {
    let back_end = bitwuzla::Incremental::new(config.timeout);
    let back_end: Box<dyn Solver> =
        Box::new(back_end.interrupted_by(config.interrupt.clone()).until(config.deadline));
    let logged = match &config.log {
        Some(directory) => Box::new(Layer::new(logging::Logging::new(directory.clone()), back_end)),
        None => back_end,
    };
    let ordered = Layer::new(orders::Orders::new(config.timeout), logged);
    let ranked = Layer::new(ranks::Ranks, ordered);
    let summed = Layer::new(sums::Sums::default(), ranked);
    let enumerated = Layer::new(enumeration::Enumeration::until(config.deadline), summed);
    let narrowed = Layer::new(narrowing::Narrowing::default(), enumerated);
    let ranged = Layer::new(intervals::Intervals::default(), narrowed);
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

/// A separate chain for results that are written to a file. Its models depend only on the queries
/// it was asked and on their order, not on the ids of expressions. Only timeouts depend on the
/// machine. It neither logs nor records.
pub fn reproducible(config: &SolverConfig) -> Box<dyn Solver> {
    chain(&SolverConfig { log: None, record: None, ..config.clone() })
}
