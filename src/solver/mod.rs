//! Satisfiability: one trait, small decorators, Bitwuzla underneath.

use std::time::Duration;

use crate::expr::{Assignment, ExprId, Exprs};

/// A conjunction to decide: a path condition, whose order is that of the path so that
/// consecutive queries share a prefix, and further conditions on top.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition, oldest condition first.
    pub path: &'a [ExprId],
    /// What is asked beyond the path condition.
    pub goals: &'a [ExprId],
}

/// What a solver says of a [`Query`].
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Satisfiable, by these values of the variables that the query mentions.
    Sat(Assignment),
    /// Unsatisfiable: a proof.
    Unsat,
    /// Neither; never to be read as one of the two.
    Unknown(Unknown),
}

/// Why a solver gave no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unknown {
    /// The time for one query ran out.
    #[error("solver timeout after {0:?}")]
    Timeout(Duration),
    /// The back end gave up for a reason of its own.
    #[error("the solver gave up")]
    GaveUp,
}

/// A decision procedure for conjunctions of 1-bit expressions.
pub trait Solver: Send {
    /// Decides `query`. Whether it is satisfiable depends on the query alone; which model
    /// is found may depend on what was asked before.
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict;

    /// Counters of this solver and those below it, outermost first.
    fn statistics(&self) -> Vec<LayerStatistics>;
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
    /// Time spent in it and below.
    pub time: Duration,
}

/// How to build the chain.
#[derive(Clone, Debug)]
pub struct SolverConfig {
    /// Limit of one query.
    pub timeout: Duration,
    /// Re-evaluate every model on the constraints and panic where it fails.
    pub check_models: bool,
    /// Log every query that reaches the back end here, one SMT-LIB 2 file each.
    pub log: Option<std::path::PathBuf>,
}

/// The full chain: one a worker, for exploration.
pub fn chain(_config: &SolverConfig) -> Box<dyn Solver> {
    todo!()
}

/// A model of `query` that depends on the query alone (fresh back end, constraints in the
/// order given), for everything that ends up in a file.
pub fn reproducible(_exprs: &Exprs, _config: &SolverConfig, _query: Query<'_>) -> Verdict {
    todo!()
}
