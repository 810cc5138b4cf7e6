//! The lines of source that one revision runs on one known input.

use super::{Clock, Coverage, Executor, PathLimits, Program, Quantum, Start, follow::on};
use crate::{expr::Assignment, ir::SourceLine, solver::Solver, subject::OpenClasses};

/// The lines that the revision of `start` runs on the input `given`, up to `most`, in the order in
/// which they run. Lines of the C library are left out. A line that runs several times without
/// another in between is there once.
///
/// A state pauses at every call, return and jump back. What runs between two pauses is in one
/// function and runs in the order of its code. So the coverage of that time says what ran. This is
/// much quicker than [`record`](super::record()), which also finds out what each step rests on.
pub fn trace(
    program: &Program,
    start: Start,
    given: &Assignment,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
    most: usize,
) -> Vec<SourceLine> {
    let all = OpenClasses::one(start.revisions.clone());
    let quantum = Quantum { instructions: 1, ..Quantum::unlimited(&all, clock) };
    let mut next = on(program, start, given).into_iter().next();
    let mut lines: Vec<SourceLine> = Vec::new();
    while let Some(state) = next.take()
        && lines.len() < most
        && !clock.is_over()
    {
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
                if lines.last() != Some(place) {
                    lines.push(*place);
                }
            }
        }
        // Memory that was never written can make a state fork: the first one goes on.
        next = match harvest.halted[..] {
            [] => harvest.running.into_iter().next(),
            _ => None,
        };
    }
    lines
}
