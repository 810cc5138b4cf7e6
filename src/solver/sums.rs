//! Decides queries about sums that are the same in other words.

mod normal;

use rustc_hash::FxHashMap;

use self::normal::Normaliser;
use super::{
    Decided, Decorator, Query, Solver, Verdict,
    columns::{Columns, WIDEST},
};
use crate::expr::{ExprId, Exprs, VariableId};

/// Sees that what a query asks is false in a normal form, in which a term is the sum of a constant, one function
/// of each variable of at most a byte, and what is left. Functions are known by their values for
/// those values of their variable that the conditions on it alone allow.
///
/// Programs sum up what they read, character by character: they count letters, add digits, or
/// convert numbers. Patches spell the test of a character and the summand in other ways
/// (`isdigit(c)` and `c >= '0' && c <= '9'`, `n * 10 + (c - '0')` and `(n << 3) + n + n + (c & 15)`).
/// A SAT solver has to find the equal bits of two adders for each character; in the normal form they
/// are the same term. A condition that mentions as many variables as before is asked as it was: in
/// this form, it takes a SAT solver longer.
#[derive(Default)]
pub struct Sums {
    columns: Columns,
}

impl Decorator for Sums {
    const NAME: &'static str = "sums";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        if self.columns.are_full() {
            *self = Self::default();
        }
        let Some(domains) = self.domains(exprs, query) else { return (Verdict::Unsat, true) };
        let mut normaliser = Normaliser::new(exprs, &mut self.columns, &domains);
        let goals: Vec<ExprId> = query
            .goals
            .iter()
            .map(|goal| match exprs.variables(*goal) {
                // A domain may rest on a condition on one variable.
                [] | [_] => *goal,
                many => normaliser
                    .apply(*goal)
                    .filter(|normal| exprs.variables(*normal).len() < many.len())
                    .unwrap_or(*goal),
            })
            .collect();
        if goals.iter().any(|goal| exprs.is_false(*goal)) {
            return (Verdict::Unsat, true);
        }
        (below.check(exprs, Query { goals: &goals, ..query }), false)
    }
}

impl Sums {
    /// The values of each variable of at most a byte that the conditions on it alone allow; `None`
    /// if there are none for one.
    fn domains(
        &mut self,
        exprs: &Exprs,
        query: Query<'_>,
    ) -> Option<FxHashMap<VariableId, Vec<u8>>> {
        let mut domains: FxHashMap<VariableId, Vec<u8>> = FxHashMap::default();
        for condition in query.constraints() {
            let variables = exprs.variables(condition);
            for variable in variables {
                let width = exprs.variable_width(*variable);
                if width <= WIDEST {
                    let all = || (0..=u8::MAX >> (WIDEST - width)).collect();
                    domains.entry(*variable).or_insert_with(all);
                }
            }
            if let [one] = variables
                && let Some(domain) = domains.get_mut(one)
                && let Some(column) = self.columns.of(exprs, condition)
            {
                domain.retain(|value| column[usize::from(*value)] & 1 == 1);
                if domain.is_empty() {
                    return None;
                }
            }
        }
        Some(domains)
    }
}
