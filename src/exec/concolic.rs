//! Both ways of every branch on the path of a known input (concolic testing: Godefroid, Klarlund
//! and Sen, "DART", PLDI 2005).

use super::{
    Clock, Coverage, Divergence, Executor, PathLimits, Program, Quantum, Start, State, follow::on,
    program::asks,
};
use crate::{
    expr::{Assignment, ExprId},
    ir::Inst,
    solver::Solver,
    subject::{OpenClasses, Revision, RevisionSet},
};

/// The number of forks after which states that have left the path are dropped.
const FORKS: u64 = 1;

/// Follows the path of the input `seed` symbolically from the states `first`. Returns where
/// revisions may diverge from `old` on this path, in the order of the path.
pub fn concolic(
    program: &Program,
    first: Vec<State>,
    seed: &Assignment,
    old: Revision,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
) -> Vec<Divergence> {
    let holds = |condition: &ExprId| !program.exprs.evaluate(*condition, seed).is_zero();
    let is_on_path = |state: &State| state.path_condition.iter().all(holds);
    let mut open: Vec<State> = first.into_iter().filter(is_on_path).collect();
    let all = open.iter().fold(RevisionSet::new(), |all, state| all.union(&state.revisions));
    let all = OpenClasses::one(all);
    let quantum =
        Quantum { forks: FORKS, divergences_from: Some(old), ..Quantum::unlimited(&all, clock) };
    let mut found = Vec::new();
    while let Some(state) = open.pop() {
        if clock.is_over() {
            break;
        }
        let coverage = &mut Coverage::default();
        let harvest = Executor::run(program, limits, solver, coverage, state, quantum);
        let is_met = |met: &Divergence| met.path[..met.before].iter().all(holds);
        found.extend(harvest.divergences.into_iter().filter(is_met));
        open.extend(harvest.running.into_iter().filter(is_on_path));
    }
    found
}

/// The number of functions entered on the known input `given` that ask for the revision. In a meta
/// program, each meta branch asks through a function of its own.
pub fn touched(
    program: &Program,
    start: Start,
    given: &Assignment,
    limits: PathLimits,
    solver: &mut dyn Solver,
    clock: Clock<'_>,
) -> usize {
    let all = OpenClasses::one(start.revisions.clone());
    let mut coverage = Coverage::default();
    for state in on(program, start, given) {
        let quantum = Quantum::unlimited(&all, clock);
        Executor::run(program, limits, solver, &mut coverage, state, quantum);
    }
    let module = &program.module;
    let is_question = |inst: &Inst| matches!(inst, Inst::Call(call) if asks(module, call));
    let functions = coverage.functions().map(|id| &module.functions[id.0 as usize]);
    functions.filter(|function| function.code.iter().any(is_question)).count()
}
