//! Every model is evaluated on every constraint.

use std::time::Instant;

use super::{LayerStatistics, Query, Solver, Verdict};
use crate::expr::{Evaluator, Exprs, Memo};

/// Panics when the solver below says that a query is satisfiable and its model is none: a
/// bug of the chain, of the translation, or of the back end.
pub struct Checking<S> {
    below: S,
    statistics: LayerStatistics,
}

impl<S: Solver> Checking<S> {
    /// Checks the models of `below`.
    pub fn new(below: S) -> Self {
        Self { below, statistics: LayerStatistics::new("checking") }
    }
}

impl<S: Solver> Solver for Checking<S> {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let start = Instant::now();
        let verdict = self.below.check(exprs, query);
        if let Some(model) = verdict.model() {
            let mut memo = Memo::default();
            let mut evaluator = Evaluator::new(exprs, model, &mut memo);
            for constraint in query.constraints() {
                assert!(
                    evaluator.holds(constraint),
                    "the solver's model does not satisfy {}\nmodel: {}\nquery:\n{}",
                    exprs.display(constraint),
                    exprs.display_assignment(model),
                    exprs.smtlib(&query.constraints().collect::<Vec<_>>())
                );
            }
        }
        self.statistics.count(start, false);
        verdict
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        self.statistics.above(&self.below)
    }
}
