//! A solver that gives up.

use std::time::Duration;

use psychic::{
    expr::Exprs,
    solver::{LayerStatistics, Query, Solver, Unknown, Verdict},
};

/// The result of a query that took too long while the solver was to hurry; it is asked again later.
pub const SLOW: Unknown = Unknown::Timeout(Duration::MAX);

/// A solver that has no answer to some queries.
pub struct Silent {
    solver: Box<dyn Solver>,
    /// One query in `rate`, a power of two, has no answer.
    rate: u64,
    asked: u64,
    /// The result of such a query.
    says: Unknown,
    hurried: bool,
}

impl Silent {
    pub fn new(solver: Box<dyn Solver>, rate: u64, says: Unknown) -> Self {
        Self { solver, rate, asked: 0, says, hurried: false }
    }
}

impl Solver for Silent {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        self.asked += 1;
        if self.says == SLOW && !self.hurried {
            return self.solver.check(exprs, query);
        }
        match self.asked.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (self.rate - 1) {
            0 => Verdict::Unknown(self.says),
            _ => self.solver.check(exprs, query),
        }
    }

    fn hurry(&mut self, most: Duration) {
        self.hurried = most < Duration::MAX;
        self.solver.hurry(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        self.solver.statistics()
    }
}
