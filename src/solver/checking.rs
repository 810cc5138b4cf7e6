//! Evaluates every model on every constraint.

use super::{Decided, Decorator, Query, Solver};
use crate::expr::{Evaluator, Exprs, Memo};

/// Panics if the model that the solver below gives for a query does not satisfy it. Such a model is
/// a bug of the chain, of the translation, or of the back end.
pub struct Checking;

impl Decorator for Checking {
    const NAME: &'static str = "checking";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let verdict = below.check(exprs, query);
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
        (verdict, false)
    }
}
