//! The query that tells two halt states apart.

use std::{collections::BTreeSet, time::Duration};

use super::{
    input,
    outcome::{self, Precision},
    reason::Reason,
};
use crate::{
    exec::{HaltState, Program},
    expr::{ExprId, Exprs},
    solver::{LayerStatistics, Query, Solver, Verdict},
    subject::config::OutputsConfig,
};

/// The result of comparing two halt states.
pub(super) enum Comparison {
    /// No input takes both paths, or no such input shows a difference.
    Same,
    /// Some input takes both paths, and on all such inputs both fail alike.
    FailAlike,
    /// Some input may show a difference. If `exact`, every solution of the conditions does.
    Differs { conditions: Vec<ExprId>, exact: bool },
    /// The comparison has no answer, for these reasons.
    Unknown { conditions: Vec<ExprId>, reasons: Vec<Reason> },
    /// The comparison panicked.
    Failed,
}

/// A solver with a limit for each query, which notes whether a query has had no answer.
pub(super) struct Hurried<'a> {
    solver: &'a mut dyn Solver,
    is_unanswered: bool,
}

impl<'a> Hurried<'a> {
    pub(super) fn new(solver: &'a mut dyn Solver, limit: Option<Duration>) -> Self {
        solver.hurry(limit.unwrap_or(Duration::MAX));
        Self { solver, is_unanswered: false }
    }

    /// Whether a query has had no answer.
    pub(super) fn is_unanswered(&self) -> bool {
        self.is_unanswered
    }
}

impl Solver for Hurried<'_> {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let verdict = self.solver.check(exprs, query);
        self.is_unanswered |= matches!(verdict, Verdict::Unknown(_));
        verdict
    }

    fn hurry(&mut self, most: Duration) {
        self.solver.hurry(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        self.solver.statistics()
    }
}

/// Asks whether some input takes both paths and shows a difference. If none does, also asks whether
/// that is so only because both fail.
pub(super) fn compare(
    program: &Program,
    outputs: &OutputsConfig,
    solver: &mut dyn Solver,
    a: &HaltState,
    b: &HaltState,
) -> Comparison {
    let comparison = compare_shown(program, outputs, solver, a, b);
    let unknown = [a, b].into_iter().find(|state| !state.is_predictable());
    if let (Comparison::Differs { conditions, .. }, Some(state)) = (&comparison, unknown) {
        // The outcomes differ for some value of a function, but its real value may be another.
        let (conditions, reasons) = (conditions.clone(), Reason::of_state(state));
        return Comparison::Unknown { conditions, reasons };
    }
    if !matches!(comparison, Comparison::Same) || !a.halt.is_failure() || !b.halt.is_failure() {
        return comparison;
    }
    let query = Query { path_condition: &a.path_condition, goals: &b.path_condition, model: None };
    match solver.check(&program.exprs, query) {
        Verdict::Unsat => Comparison::Same,
        Verdict::Sat(_) | Verdict::Unknown(_) => Comparison::FailAlike,
    }
}

/// Asks whether some input takes both paths and shows a difference.
pub(super) fn compare_shown(
    program: &Program,
    outputs: &OutputsConfig,
    solver: &mut dyn Solver,
    a: &HaltState,
    b: &HaltState,
) -> Comparison {
    let exprs = &program.exprs;
    let known: BTreeSet<ExprId> = a.path_condition.iter().copied().collect();
    let mut goals: Vec<ExprId> =
        b.path_condition.iter().copied().filter(|condition| !known.contains(condition)).collect();
    let conditions = |goals: &[ExprId]| [a.path_condition.as_slice(), goals].concat();
    let mut ask = |goals: &[ExprId]| {
        solver.check(exprs, Query { path_condition: &a.path_condition, goals, model: None })
    };
    if a.halt.is_excluded() && b.halt.is_excluded() {
        return Comparison::Same;
    }
    if !a.is_exact() || !b.is_exact() {
        let weak = if a.is_exact() { b } else { a };
        return match ask(&goals) {
            Verdict::Unsat => Comparison::Same,
            Verdict::Sat(_) | Verdict::Unknown(_) => {
                let reasons = Reason::of_state(weak);
                Comparison::Unknown { conditions: conditions(&goals), reasons }
            }
        };
    }
    if !input::comparable(&a.world, &b.world) {
        return match ask(&goals) {
            Verdict::Unsat => Comparison::Same,
            Verdict::Sat(_) | Verdict::Unknown(_) => {
                Comparison::Unknown { conditions: conditions(&goals), reasons: vec![Reason::Reads] }
            }
        };
    }
    // Comparing texts exactly is expensive, and seldom needed after the quick comparison.
    for precision in [Precision::Quick, Precision::Full] {
        let difference = outcome::difference(exprs, outputs, a, b, precision);
        if exprs.as_u64(difference.formula) == Some(0) {
            return Comparison::Same;
        }
        goals.push(difference.formula);
        match ask(&goals) {
            Verdict::Unsat => return Comparison::Same,
            Verdict::Sat(_) if difference.exact => {
                return Comparison::Differs { conditions: conditions(&goals), exact: true };
            }
            Verdict::Sat(_) if precision == Precision::Full => {
                let vague = conditions(&goals);
                goals.push(outcome::certain_difference(exprs, outputs, a, b));
                return match ask(&goals) {
                    Verdict::Sat(_) => {
                        Comparison::Differs { conditions: conditions(&goals), exact: true }
                    }
                    _ => Comparison::Differs { conditions: vague, exact: false },
                };
            }
            Verdict::Sat(_) => {}
            Verdict::Unknown(why) => {
                let reasons = vec![Reason::Solver(why)];
                return Comparison::Unknown { conditions: conditions(&goals), reasons };
            }
        }
        goals.pop();
    }
    unreachable!("the full comparison always ends in an answer")
}
