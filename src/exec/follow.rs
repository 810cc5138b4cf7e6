//! What revisions do on one known input: the engine runs them with the values of that input in
//! place of variables.

use std::sync::Arc;

use super::{Clock, Coverage, Executor, HaltState, PathLimits, Program, Quantum, Start, State};
use crate::{expr::Assignment, solver::Solver, subject::OpenClasses};

/// The number of instructions that each state runs while revisions share states where they can.
const TOGETHER: u64 = 1 << 9;
/// The number of instructions for each revision that runs longer. It then runs alone, as it is
/// easier to prove that a single revision never ends.
const ALONE: u64 = 1 << 20;
/// The most forks. Revisions make states fork, and so does memory that was never written.
const FORKS: u64 = 256;

/// The states with which the input `given` begins.
pub fn on(program: &Program, start: Start, given: &Assignment) -> Vec<State> {
    // Errors of the start were reported when exploring began.
    let mut open = program.begin(start, Some(Arc::new(given.clone()))).unwrap_or_default();
    let is_false = |e| program.exprs.as_u64(e) == Some(0);
    open.retain(|state| !state.path_condition.iter().any(|condition| is_false(*condition)));
    open
}

/// Runs the revisions of `start` on the input `given`, and returns the halt states of those that do
/// not take too long. Every path condition is about this input alone; nothing is said of any other.
pub fn follow(
    program: &Program,
    start: Start,
    given: &Assignment,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
) -> Vec<HaltState> {
    let revisions = start.revisions.clone();
    let mut open = on(program, start, given);
    open.iter_mut().for_each(|state| state.path_condition.clear());
    let mut halted = Vec::new();
    let all = OpenClasses::one(revisions);
    for instructions in [TOGETHER, ALONE] {
        let quantum = Quantum { instructions, forks: FORKS, ..Quantum::unlimited(&all, clock) };
        let mut left = Vec::new();
        for state in open {
            if clock.is_over() {
                return halted;
            }
            let coverage = &mut Coverage::default();
            let harvest = Executor::run(program, limits, solver, coverage, state, quantum);
            halted.extend(harvest.halted);
            left.extend(harvest.running);
        }
        open = left.iter().flat_map(State::parted).collect();
    }
    halted
}
