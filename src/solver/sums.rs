//! Decides queries about equal sums that are written differently.

mod normal;

use rustc_hash::FxHashMap;

use self::normal::Normaliser;
use super::{
    Decided, Decorator, Query, Solver, Verdict,
    columns::{Columns, WIDEST},
};
use crate::expr::{ExprId, Exprs, VariableId};

/// Recognises goals that are false in a normal form of sums. In it a term is the sum of a constant,
/// of one function for each variable of at most a byte, and of the remaining terms. A function is
/// known by its values. They are taken only for those values of the variable that the conditions on
/// it alone allow.
///
/// Programs sum up what they read, character by character: they count letters, add digits, or
/// convert numbers. Patches write the test of a character and the summand differently (`isdigit(c)`
/// and `c >= '0' && c <= '9'`, `n * 10 + (c - '0')` and `(n << 3) + n + n + (c & 15)`). A SAT
/// solver has to find the equal bits of two adders for each character; in the normal form they are
/// the same term. A goal whose normal form has no fewer variables is asked unchanged: a SAT solver
/// takes longer for the normal form.
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
        if query.goals.iter().all(|goal| exprs.variables(*goal).len() < 2) {
            return (below.check(exprs, query), false);
        }
        let Some(domains) = self.domains(exprs, query) else { return (Verdict::Unsat, true) };
        let mut normaliser = Normaliser::new(exprs, &mut self.columns, &domains);
        let goals: Vec<ExprId> = query
            .goals
            .iter()
            .map(|goal| match exprs.variables(*goal) {
                // A condition on one variable may be what restricts a domain, so it stays as it is.
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
    /// if some variable has none.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{
        super::{Layer, tests::assert_agree},
        *,
    };
    use crate::{
        expr::BinaryOp,
        solver::{bitwuzla::Incremental, enumeration::Enumeration},
    };

    fn solver() -> impl Solver {
        Layer::new(Sums::default(), Incremental::new(Duration::from_secs(10)))
    }

    /// Whether all queries were decided without the back end.
    fn is_alone(solver: &impl Solver) -> bool {
        solver.statistics().last().is_some_and(|back_end| back_end.queries == 0)
    }

    #[test]
    fn conversions_in_other_words_are_the_same() {
        let exprs = Exprs::new();
        let number = |value: i64| exprs.constant(32, value as u64);
        let (mut path, mut ours, mut theirs) = (Vec::new(), number(0), number(0));
        for index in 0..12 {
            let byte = exprs.input(&format!("text[{index}]"), 8);
            path.push(exprs.ule(exprs.constant(8, u64::from(b'0')), byte));
            path.push(exprs.ule(byte, exprs.constant(8, u64::from(b'9'))));
            let digit = exprs.sub(exprs.sext(byte, 32), number(48));
            ours = exprs.add(exprs.mul(ours, number(10)), digit);
            let shifted = [3, 1].map(|by| exprs.shl(theirs, number(by)));
            let masked = exprs.binary(BinaryOp::And, exprs.zext(byte, 32), number(15));
            theirs = exprs.add(exprs.add(shifted[0], shifted[1]), masked);
        }
        let mut solver = solver();
        let goal = exprs.not(exprs.eq(ours, theirs));
        let query = Query { path_condition: &path, goals: &[goal], model: None };
        assert!(solver.check(&exprs, query).is_unsat());
        assert!(is_alone(&solver));
        // They differ without the path's condition on the last digit.
        let query = Query { path_condition: &path[..22], goals: &[goal], model: None };
        assert!(solver.check(&exprs, query).model().is_some());
    }

    #[test]
    fn counts_in_other_words_are_the_same() {
        let exprs = Exprs::new();
        let [zero, one] = [0, 1].map(|value| exprs.constant(32, value));
        let (mut ours, mut theirs) = (zero, zero);
        for index in 0..12 {
            let [a, b] = ["a", "b"].map(|name| exprs.input(&format!("{name}[{index}]"), 8));
            let is_letter = exprs.eq(a, exprs.constant(8, u64::from(b'a')));
            let is_same = exprs.eq(a, b);
            ours = exprs.ite(is_letter, exprs.add(ours, one), ours);
            ours = exprs.ite(is_same, exprs.sub(ours, one), ours);
            theirs = exprs.sub(theirs, exprs.ite(is_same, one, zero));
            theirs = exprs.add(theirs, exprs.ite(exprs.not(is_letter), zero, one));
        }
        let mut solver = solver();
        let goal = exprs.not(exprs.eq(ours, theirs));
        let query = Query { path_condition: &[], goals: &[goal], model: None };
        assert!(solver.check(&exprs, query).is_unsat());
        assert!(is_alone(&solver));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn it_agrees_with_bitwuzla(
            bounds in prop::collection::vec((any::<u8>(), any::<bool>()), 0..3),
            steps in prop::collection::vec((0usize..20, 0usize..8, 0usize..8, 0usize..8), 4..14),
            goals in prop::collection::vec((0usize..5, 0usize..5, any::<bool>()), 1..3),
        ) {
            let exprs = Exprs::new();
            let [a, b] = ["a", "b"].map(|name| exprs.input(name, 8));
            let (c, word) = (exprs.input("c", 1), exprs.input("word", 16));
            let path: Vec<ExprId> = bounds
                .iter()
                .zip([a, b])
                .map(|((bound, below), byte)| {
                    let bound = exprs.constant(8, u64::from(*bound));
                    if *below { exprs.ule(byte, bound) } else { exprs.ule(bound, byte) }
                })
                .collect();
            let mut terms = vec![exprs.zext(a, 16), exprs.sext(b, 16), exprs.zext(c, 16), word];
            terms.extend([1, 10, u64::MAX].map(|k| exprs.constant(16, k)));
            for (op, x, y, z) in steps {
                let [x, y, z] = [x, y, z].map(|index| terms[index % terms.len()]);
                let made = match op {
                    0..15 => {
                        let made = exprs.binary(BinaryOp::ALL[op], x, y);
                        if exprs.width(made) == 1 { exprs.ite(made, z, y) } else { made }
                    }
                    15 => exprs.neg(x),
                    16 => exprs.not(x),
                    17 => exprs.extract(exprs.add(exprs.sext(x, 32), exprs.zext(y, 32)), 0, 16),
                    18 => exprs.ite(exprs.eq(a, exprs.constant(8, 7)), x, exprs.add(x, y)),
                    _ => exprs.sext(exprs.extract(x, 0, 8), 16),
                };
                terms.insert(0, made);
            }
            let goals: Vec<ExprId> = goals
                .into_iter()
                .map(|(x, y, equal)| {
                    let same = exprs.eq(terms[x], terms[y]);
                    if equal { same } else { exprs.not(same) }
                })
                .collect();
            let query = Query { path_condition: &path, goals: &goals, model: None };
            let mut plain = Layer::new(
                Enumeration::until(None),
                Incremental::new(Duration::from_secs(10)),
            );
            let expected = plain.check(&exprs, query);
            assert_agree(&exprs, query, &solver().check(&exprs, query), &expected);
        }
    }
}
