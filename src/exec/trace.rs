//! The lines of source that one revision runs on one known input.

use std::sync::Arc;

use super::{Clock, Coverage, Executor, PathLimits, Program, Quantum, Start};
use crate::{
    env::{Approximation, Halt},
    expr::Assignment,
    ir::SourceLine,
    solver::Solver,
    subject::OpenClasses,
};

/// The lines that ran, and how the run ended.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The lines in the order in which they ran, without those of the C library. A line that ran
    /// several times without another in between is there once.
    pub lines: Vec<SourceLine>,
    /// How the run ended; `None` if it was left before its end.
    pub halt: Option<Halt>,
    /// Whether memory that was never written decided something: then the lines are those of one of
    /// several possible ways.
    pub forked: bool,
    /// What was not followed exactly, if the run came to its end.
    pub approximations: Vec<Approximation>,
}

/// Follows the revision of `start` on the input `given`, for at most `most` lines.
///
/// A state pauses at every call, return and jump back. What runs between two pauses is in one
/// function and runs in the order of its code, so that what is covered by then says what ran.
pub fn trace(
    program: &Program,
    start: Start,
    given: Assignment,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
    most: usize,
) -> Trace {
    let all = OpenClasses::one(start.revisions.clone());
    let quantum = Quantum { instructions: 1, ..Quantum::unlimited(&all, clock) };
    let first = program.begin(start, Some(Arc::new(given))).unwrap_or_default();
    let is_false = |e| program.exprs.as_u64(e) == Some(0);
    let is_possible = |condition: &[_]| !condition.iter().any(|condition| is_false(*condition));
    let mut next = first.into_iter().find(|state| is_possible(&state.path_condition));
    let mut trace = Trace::default();
    while let Some(state) = next.take() {
        if clock.is_over() || trace.lines.len() >= most {
            break;
        }
        let id = state.top.function;
        let mut coverage = Coverage::default();
        let harvest = Executor::run(program, limits, solver, &mut coverage, state, quantum);
        // A program that exits goes on with what it has registered, without a pause.
        let others = coverage.functions().filter(|other| *other != id);
        for id in [id].into_iter().chain(others) {
            let function = &program.module.functions[id.0 as usize];
            let ran = coverage.instructions(id).into_iter().zip(&function.places);
            let ran = ran.filter(|(ran, place)| *ran && !function.library && place.line > 0);
            for (_, place) in ran {
                if trace.lines.last() != Some(place) {
                    trace.lines.push(*place);
                }
            }
        }
        // Memory that was never written can make a state fork: the first one goes on.
        trace.forked |= harvest.halted.len() + harvest.running.len() > 1;
        match harvest.halted.into_iter().next() {
            Some(state) => {
                trace.approximations.clone_from(&state.world.approximations);
                trace.halt = Some(state.halt);
            }
            None => next = harvest.running.into_iter().next(),
        }
    }
    trace
}
