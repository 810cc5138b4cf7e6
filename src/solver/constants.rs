//! Decides what needs no solver: constant constraints, and a condition together with its negation.

use rustc_hash::FxHashSet;

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::{Assignment, ExprId, Exprs, Node};

/// Drops constraints that are true or repeated, and takes conjunctions apart. Decides a query if a
/// constraint is false, if one is the negation of another, or if none is left.
pub struct Constants;

impl Decorator for Constants {
    const NAME: &'static str = "constants";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let mut sieve = Sieve { exprs, seen: FxHashSet::default(), possible: true };
        let path = sieve.keep(query.path_condition);
        let goals = sieve.keep(query.goals);
        if !sieve.possible {
            (Verdict::Unsat, true)
        } else if path.is_empty() && goals.is_empty() {
            (Verdict::Sat(Assignment::default()), true)
        } else {
            (below.check(exprs, Query { path_condition: &path, goals: &goals, model: None }), false)
        }
    }
}

struct Sieve<'a> {
    exprs: &'a Exprs,
    seen: FxHashSet<ExprId>,
    possible: bool,
}

impl Sieve<'_> {
    fn keep(&mut self, constraints: &[ExprId]) -> Vec<ExprId> {
        let mut kept = Vec::with_capacity(constraints.len());
        let mut stack = Vec::new();
        for constraint in constraints {
            stack.push(*constraint);
            while let Some(e) = stack.pop() {
                if let Node::Binary(crate::expr::BinaryOp::And, a, b) = self.exprs.node(e) {
                    stack.push(b);
                    stack.push(a);
                } else if self.exprs.is_false(e) {
                    self.possible = false;
                } else if !self.exprs.is_true(e) && self.seen.insert(e) {
                    self.possible &= !self.seen.contains(&self.exprs.not(e));
                    kept.push(e);
                }
            }
        }
        kept
    }
}
