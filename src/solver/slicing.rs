//! Omits from a query what a known model of the path settles.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::{Assignment, ExprId, Exprs, VariableId};

/// Slices queries that have a model of their path. It asks only about the path's conditions that
/// share a variable with the goals, directly or through other conditions. All other variables keep
/// their values, so the other conditions hold.
///
/// This is KLEE's independent solver (Cadar, Dunbar, Engler, OSDI 2008, section 3.3). KLEE assumes
/// that a path is satisfiable; here a model shows it.
#[derive(Default)]
pub struct Slicing {
    /// The set of the variables of the goals and of the conditions taken so far.
    variables: FixedBitSet,
    /// The positions of the conditions that are not taken.
    left: Vec<usize>,
    /// The positions of the conditions taken so far.
    taken: Vec<usize>,
}

impl Decorator for Slicing {
    const NAME: &'static str = "slicing";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let Some(model) = query.model else { return (below.check(exprs, query), false) };
        let path = self.connected(exprs, query.path_condition, query.goals);
        let slice = Query { path_condition: &path, goals: query.goals, model: None };
        let verdict = match below.check(exprs, slice) {
            Verdict::Sat(part) => {
                // A variable of the slice that the answer omits is zero, whatever its value in the
                // path's own model.
                let known =
                    model.0.iter().filter(|(variable, _)| !has(&self.variables, **variable));
                let mut whole: BTreeMap<_, _> =
                    known.map(|(v, value)| (*v, value.clone())).collect();
                whole.extend(part.0);
                Verdict::Sat(Assignment(whole))
            }
            other => other,
        };
        (verdict, false)
    }
}

impl Slicing {
    /// The conditions of a path that share a variable with the expressions `with`, directly or
    /// through other conditions. They keep the order of the path, so that consecutive queries share
    /// a prefix.
    pub fn connected(&mut self, exprs: &Exprs, path: &[ExprId], with: &[ExprId]) -> Vec<ExprId> {
        self.variables.clear();
        self.taken.clear();
        self.left.clear();
        self.left.extend(0..path.len());
        for e in with {
            add(&mut self.variables, exprs.variables(*e));
        }
        loop {
            let before = self.left.len();
            let Self { variables, left, taken } = self;
            left.retain(|&position| {
                let mentioned = exprs.variables(path[position]);
                let apart = !mentioned.iter().any(|variable| has(variables, *variable));
                if !apart {
                    add(variables, mentioned);
                    taken.push(position);
                }
                apart
            });
            if self.left.len() == before {
                break;
            }
        }
        self.taken.sort_unstable();
        self.taken.iter().map(|position| path[*position]).collect()
    }
}

fn has(set: &FixedBitSet, variable: VariableId) -> bool {
    set.contains(variable.0 as usize)
}

fn add(set: &mut FixedBitSet, variables: &[VariableId]) {
    variables.iter().for_each(|variable| set.grow_and_insert(variable.0 as usize));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        expr::Bv,
        solver::{Layer, LayerStatistics, Unknown},
    };

    /// A solver that records its queries and decides nothing.
    #[derive(Default)]
    struct Asked(Vec<ExprId>);

    impl Solver for Asked {
        fn check(&mut self, _: &Exprs, query: Query<'_>) -> Verdict {
            self.0 = query.constraints().collect();
            Verdict::Unknown(Unknown::GaveUp)
        }

        fn hurry(&mut self, _: Duration) {}

        fn statistics(&self) -> Vec<LayerStatistics> {
            Vec::new()
        }
    }

    #[test]
    fn only_what_is_connected_with_the_goals_is_asked() {
        let exprs = Exprs::new();
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| exprs.input(name, 8));
        // x is connected with z through y, which comes later.
        let path = [exprs.ult(w, exprs.constant(8, 9)), exprs.ult(x, y), exprs.ult(y, z)];
        let goals = [exprs.ult(z, exprs.constant(8, 5))];
        let values = [(x, 1), (y, 2), (z, 3)]
            .map(|(e, value)| (exprs.as_variable(e).expect("a variable"), Bv::new(8, value)));
        let model = Assignment(values.into_iter().collect());
        let mut slicing = Layer::new(Slicing::default(), Asked::default());
        slicing.check(&exprs, Query { path_condition: &path, goals: &goals, model: Some(&model) });
        assert_eq!(slicing.below.0, [path[1], path[2], goals[0]]);
        slicing.check(&exprs, Query { path_condition: &path, goals: &goals, model: None });
        assert_eq!(slicing.below.0.len(), 4);
    }

    /// A solver whose model is always empty: all variables are zero.
    struct Zero;

    impl Solver for Zero {
        fn check(&mut self, _: &Exprs, _: Query<'_>) -> Verdict {
            Verdict::Sat(Assignment::default())
        }

        fn hurry(&mut self, _: Duration) {}

        fn statistics(&self) -> Vec<LayerStatistics> {
            Vec::new()
        }
    }

    #[test]
    fn a_variable_that_an_answer_leaves_out_is_zero() {
        let exprs = Exprs::new();
        let x = exprs.input("x", 8);
        let known = exprs.as_variable(x).expect("a variable");
        let model = Assignment([(known, Bv::new(8, 255))].into());
        let goals = [exprs.ult(x, exprs.constant(8, 49))];
        let query = Query { path_condition: &[], goals: &goals, model: Some(&model) };
        let verdict = Layer::new(Slicing::default(), Zero).check(&exprs, query);
        assert_eq!(exprs.evaluate(x, verdict.model().expect("an answer")).to_u64(), Some(0));
    }

    #[test]
    fn other_variables_keep_their_values() {
        let exprs = Exprs::new();
        let [x, y] = ["x", "y"].map(|name| exprs.input(name, 8));
        let k = |value| exprs.constant(8, value);
        let path = [exprs.ult(k(100), x), exprs.ult(k(200), y)];
        let [known_x, known_y] = [x, y].map(|e| exprs.as_variable(e).expect("a variable"));
        let model = Assignment([(known_x, Bv::new(8, 101)), (known_y, Bv::new(8, 201))].into());
        let query =
            Query { path_condition: &path, goals: &[exprs.eq(y, k(222))], model: Some(&model) };
        let config = crate::solver::SolverConfig { check_models: true, ..Default::default() };
        let verdict = crate::solver::chain(&config).check(&exprs, query);
        let found = verdict.model().expect("satisfiable");
        assert_eq!(exprs.evaluate(x, found).to_u64(), Some(101));
        assert_eq!(exprs.evaluate(y, found).to_u64(), Some(222));
    }
}
