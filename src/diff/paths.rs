//! Inputs that take given paths.

use super::{input, outcome};
use crate::{
    exec::{HaltState, Program},
    expr::Assignment,
    replay::{Outcome, TestInput},
    solver::{Query, Solver, Verdict},
};

/// An input that takes the path of one state. It is the same each time if the solver is
/// [`solver::reproducible`](crate::solver::reproducible).
pub fn path_input(
    program: &Program,
    solver: &mut dyn Solver,
    state: &HaltState,
) -> Option<TestInput> {
    let model = path_model(program, solver, state)?;
    Some(input::concrete(&program.exprs, &state.world.arguments, &[state], &model))
}

/// An input that takes the path of one state, as [`path_input`] gives it, and the outcome that the
/// state predicts for a native run on it. The outcome is `None` if the state does not predict it
/// exactly ([`HaltState::is_predictable`]).
pub fn path_test(
    program: &Program,
    solver: &mut dyn Solver,
    state: &HaltState,
) -> Option<(TestInput, Option<Outcome>)> {
    let model = path_model(program, solver, state)?;
    let input = input::concrete(&program.exprs, &state.world.arguments, &[state], &model);
    Some((input, outcome::predicted(&program.exprs, state, &model)))
}

fn path_model(program: &Program, solver: &mut dyn Solver, state: &HaltState) -> Option<Assignment> {
    match solver.check(
        &program.exprs,
        Query { path_condition: &state.path_condition, goals: &[], model: None },
    ) {
        Verdict::Sat(model) => Some(model),
        Verdict::Unsat | Verdict::Unknown(_) => None,
    }
}
