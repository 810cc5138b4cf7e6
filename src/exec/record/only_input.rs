//! A solver for a world with a single input ([`OnlyInput`]).

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    expr::{Assignment, ExprId, Exprs},
    solver::{LayerStatistics, Query, Solver, Verdict},
};

/// A solver for which there is a single input. It notes the negation of each goal that this input
/// denies: each such answer decided something.
pub(super) struct OnlyInput {
    pub(super) seed: Arc<Assignment>,
    pub(super) decided: Arc<Mutex<Vec<ExprId>>>,
}

impl Solver for OnlyInput {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let denied = |goal: &&ExprId| exprs.evaluate(**goal, &self.seed).is_zero();
        match query.goals.iter().find(denied) {
            None => Verdict::Sat((*self.seed).clone()),
            Some(goal) => {
                let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
                decided.push(exprs.not(*goal));
                Verdict::Unsat
            }
        }
    }

    fn hurry(&mut self, _: Duration) {}

    fn statistics(&self) -> Vec<LayerStatistics> {
        Vec::new()
    }
}
