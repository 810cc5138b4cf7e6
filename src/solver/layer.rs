//! Solvers, and the decorators that are stacked on them.

use std::time::{Duration, Instant};

use super::query::{Query, Verdict};
use crate::expr::Exprs;

/// A decision procedure for conjunctions of 1-bit expressions.
pub trait Solver: Send {
    /// Decides `query`. Whether it is satisfiable depends only on the query. Which model is found
    /// may depend on earlier queries.
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict;

    /// Limits each query from now on to `most`, unless the configured limit is lower. Each call
    /// replaces the limit of the previous one.
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
    /// The name of the layer in `stats.csv`.
    const NAME: &'static str;

    /// Decides `query`.
    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided;

    /// Notes the limit of [`Solver::hurry`]. Only a decorator that turns one query into several
    /// needs it.
    fn hurry(&mut self, most: Duration) {
        _ = most;
    }
}

/// A decorator on top of a solver.
pub struct Layer<D, S> {
    decorator: D,
    pub(super) below: S,
    statistics: LayerStatistics,
    timed: bool,
}

impl<D: Decorator, S: Solver> Layer<D, S> {
    /// Puts `decorator` on top of `below`.
    pub fn new(decorator: D, below: S) -> Self {
        Self { decorator, below, statistics: LayerStatistics::new(D::NAME), timed: false }
    }

    /// Measures the time of each query. By default layers do not, because reading the clock takes
    /// as long as answering most queries.
    pub(super) fn timed(self) -> Self {
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

/// The work of one layer of the chain.
#[derive(Clone, Debug, Default)]
pub struct LayerStatistics {
    /// The name of the layer in `stats.csv`.
    pub layer: &'static str,
    /// The number of queries that reached the layer.
    pub queries: u64,
    /// The number of queries that it answered without the layer below.
    pub hits: u64,
    /// The time spent in the layer and below. It is measured only for [`super::slicing`], which
    /// represents the whole chain, and for the back end. For the other layers it is zero.
    pub time: Duration,
}

impl LayerStatistics {
    pub(super) fn new(layer: &'static str) -> Self {
        Self { layer, ..Self::default() }
    }

    /// Counts a query, and the time since `start`.
    pub(super) fn count(&mut self, start: Option<Instant>, hit: bool) {
        self.queries += 1;
        self.hits += u64::from(hit);
        self.time += start.map_or(Duration::ZERO, |start| start.elapsed());
    }
}
