//! States to which the revision cannot matter any more.
//!
//! Such a state has one future for all of its revisions: whatever it does from there on, they all
//! do. Three conditions hold. The state stands for all revisions that are still to be told apart
//! from each other ([`OpenClasses`]). Nothing in it differs between them. It cannot come to a
//! place that asks for the revision ([`super::asking`]). Revisions that were told apart already may
//! differ.

use std::{cell::RefCell, collections::BTreeSet};

use rustc_hash::FxHashSet;

use super::{Executor, Program, State, asking::FAR, state::Claim};
use crate::{
    expr::ExprId,
    ir::address::function_at,
    memory::Value,
    solver::{Query, Verdict},
    subject::OpenClasses,
};

/// The most pairs of values, different as expressions, that are compared at once.
const MOST_DIFFERENCES: usize = 16;

/// Pairs of values that have to be equal.
type Differences = BTreeSet<(ExprId, ExprId)>;

impl Executor<'_> {
    /// Whether the state does the same, from here on, for all revisions of one class (see
    /// [`Program::is_unaffected`]). If values of theirs have different expressions, the solver has
    /// to show that they are equal. A query that was answered with no is not asked again for the
    /// state.
    pub(super) fn is_unaffected(&mut self) -> bool {
        let program = self.program;
        let exprs = &program.exprs;
        let Some(differences) = program.differences(&self.state, self.open) else { return false };
        if differences.is_empty() {
            return true;
        }
        let differ = exprs.any(differences.iter().map(|(x, y)| exprs.not(exprs.eq(*x, *y))));
        let state = &mut self.state;
        if state.differs == Some(differ) {
            return false;
        }
        state.differs = Some(differ);
        if !exprs.evaluate(differ, &state.model).is_zero() {
            return false;
        }
        self.asked = true;
        let query = Query {
            path_condition: &state.path_condition,
            goals: &[differ],
            model: Some(&state.model),
        };
        if !matches!(self.solver.check(exprs, query), Verdict::Unsat) {
            return false;
        }
        // Revisions with different expressions may part on the way, and still do the same.
        self.state.claim = Claim::Believed;
        true
    }
}

impl Program {
    /// Whether a state visibly does the same, from here on, for all revisions of one class: they
    /// have one future. Always false if [`Program::ends_unaffected`] is not set, as all paths are
    /// wanted then.
    pub(super) fn is_unaffected(&self, state: &State, open: &OpenClasses) -> bool {
        self.differences(state, open).is_some_and(|differences| differences.is_empty())
    }

    /// The pairs of values that have to be equal for a state to be unaffected. `None` if that would
    /// not be enough, or if there are too many.
    fn differences(&self, state: &State, open: &OpenClasses) -> Option<Differences> {
        if !self.ends_unaffected {
            return None;
        }
        let at_exit = |address: &u64| function_at(*address).is_none_or(|id| self.asking().may(id));
        let may_ask = self.distance(state) != FAR
            || state.world.at_exit.iter().any(at_exit)
            || !state.jumps.is_empty();
        // Revisions in other states may do something else, and effects that differ stay different.
        let are_apart = || match state.apart.is_empty() {
            true => open.are_divided_by(&state.revisions),
            false => state.effects().iter().any(|(set, _)| open.are_divided_by(set)),
        };
        if may_ask || are_apart() {
            return None;
        }
        if !state.asked {
            return Some(Differences::new());
        }
        self.differences_in(state, open)
    }

    /// The pairs of values of a state that may differ between revisions of one class: in registers,
    /// memory and effects. `None` if there are too many.
    fn differences_in(&self, state: &State, open: &OpenClasses) -> Option<Differences> {
        let choices = self.choices();
        let (known, found) = (RefCell::new(FxHashSet::default()), RefCell::new(Differences::new()));
        // Adds the differences in an expression of the state. Returns whether there are too many
        // now.
        let are_too_many = |e: ExprId| {
            if !self.exprs.mentions(e).revision() || !known.borrow_mut().insert(e) {
                return false;
            }
            let alternatives = choices.of(e, &state.revisions);
            let mut found = found.borrow_mut();
            for class in open.iter() {
                let of_class = alternatives.iter().filter(|(_, set)| !set.is_disjoint(class));
                let of_class: Vec<ExprId> = of_class.map(|(e, _)| *e).collect();
                found.extend(of_class.windows(2).map(|pair| (pair[0], pair[1])));
            }
            found.len() > MOST_DIFFERENCES
        };
        let frames = std::iter::once(&state.top).chain(state.callers.iter());
        let mut registers = frames.flat_map(|frame| {
            let variadic = frame.variadic.iter().map(|argument| argument.value);
            frame.values.iter().copied().chain(variadic)
        });
        let is_too_much = registers.any(|value| matches!(value, Value::Expr(e) if are_too_many(e)))
            || state.exit.is_some_and(are_too_many)
            || state.world.exceptions.iter().flat_map(|flags| flags.raised).any(are_too_many)
            || state.world.kernel.depends(&are_too_many)
            || state.apart.iter().any(|(_, effects)| effects.depend(&are_too_many))
            || state.memory.may_have(&are_too_many);
        (!is_too_much).then(|| found.take())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        time::Duration,
    };

    use super::*;
    use crate::{
        exec::{Clock, Coverage, PathLimits, Quantum, asking::tests::begun},
        interrupt::Interrupt,
        solver::{SolverConfig, chain},
        subject::Revision,
    };

    /// Whether a program that asks for the revision runs without a panic from a state with this
    /// claim.
    fn runs(claim: Claim) -> bool {
        let text = "int psychic_rev(void);\nint main(void) { return psychic_rev(); }\n";
        let (program, mut state) = begun(text);
        state.claim = claim;
        let limits =
            PathLimits { instructions: 1000, concretisations: 1, solver: Duration::from_secs(1) };
        let never = Interrupt::default();
        let open = OpenClasses::one((0..2).map(Revision).collect());
        let quantum = Quantum::unlimited(&open, Clock::new(None, &never));
        let (mut solver, mut coverage) = (chain(&SolverConfig::default()), Coverage::default());
        let run = || Executor::run(&program, limits, &mut *solver, &mut coverage, state, quantum);
        catch_unwind(AssertUnwindSafe(run)).is_ok()
    }

    #[test]
    fn a_state_that_is_wrongly_said_to_be_unaffected_is_noticed() {
        assert!(runs(Claim::None));
        assert!(!runs(Claim::Tried));
    }
}
