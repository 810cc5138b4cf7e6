//! Operations on choices: an operation on an expression that depends on the revision is done once
//! to each of its distinct alternatives.
//!
//! So a choice stays a flat list of alternatives, however much is computed with it. Two addresses
//! have a distance even if each revision has an object of its own. The solver is never asked
//! about the revision.

use std::cmp::Reverse;

use super::Executor;
use crate::{
    expr::{ExprId, Exprs},
    memory::Value,
    subject::RevisionSet,
};

/// The most distinct results of an operation; if there are more, its operands become parts of one
/// expression.
const MOST_RESULTS: usize = 64;
/// The most pairs of alternatives to operate on. Many pairs may have few results: a comparison has
/// two.
const MOST_OPERATIONS: usize = 4096;

impl Executor<'_> {
    /// Applies `operation` to each pair of alternatives that two values have for the same
    /// revisions, and returns the choice between the results. Each value comes with its width, and
    /// the results have `width` bits. `None` if neither value is a choice, one is undefined, or
    /// there are too many pairs or results.
    #[inline]
    pub(super) fn lifted(
        &mut self,
        [a, b]: [(Value, u32); 2],
        width: u32,
        operation: &mut dyn FnMut(&mut Self, Value, Value) -> Value,
    ) -> Option<Value> {
        let is_one = !self.is_choice(a.0) && !self.is_choice(b.0);
        if is_one || [a.0, b.0].contains(&Value::Undefined) {
            return None;
        }
        self.lifted_choice([a, b], width, operation)
    }

    #[inline(never)]
    fn lifted_choice(
        &mut self,
        [(a, width_of_a), (b, width_of_b)]: [(Value, u32); 2],
        width: u32,
        operation: &mut dyn FnMut(&mut Self, Value, Value) -> Value,
    ) -> Option<Value> {
        let of_a = self.alternatives_of(a, width_of_a, &self.state.revisions);
        let mut pairs = Vec::new();
        for (x, set) in of_a {
            let of_b = self.alternatives_of(b, width_of_b, &set);
            pairs.extend(of_b.into_iter().map(|(y, set)| (x, y, set)));
            if pairs.len() > MOST_OPERATIONS {
                return None;
            }
        }
        let mut results: Vec<(ExprId, RevisionSet)> = Vec::new();
        for (x, y, set) in pairs {
            let [x, y] = [x, y].map(|e| Value::from_expr(&self.program.exprs, e));
            let result = operation(self, x, y);
            let result = self.expr(result, width);
            match results.iter().position(|(known, _)| *known == result) {
                Some(index) => results[index].1 = results[index].1.union(&set),
                None if results.len() < MOST_RESULTS => results.push((result, set)),
                None => return None,
            }
        }
        Some(Value::from_expr(&self.program.exprs, self.chosen(results)))
    }

    /// Whether a value depends on the revision, and may be split up.
    #[inline]
    fn is_choice(&self, value: Value) -> bool {
        let revision = |e| self.program.exprs.mentions(e).revision();
        self.program.rejoins && matches!(value, Value::Expr(e) if revision(e))
    }

    /// The choice between expressions of one width, each for some revisions.
    pub(super) fn chosen(&self, mut all: Vec<(ExprId, RevisionSet)>) -> ExprId {
        let exprs = &self.program.exprs;
        let mut groups: Vec<(ExprId, RevisionSet)> = Vec::new();
        all.sort_by_key(|(_, set)| set.first());
        for (e, set) in all {
            match groups.iter_mut().find(|(known, _)| *known == e) {
                Some((_, known)) => *known = known.union(&set),
                None => groups.push((e, set)),
            }
        }
        // The alternative of most revisions comes last, where no condition names them.
        groups.sort_by_key(|(_, set)| Reverse(set.len()));
        let mut groups = groups.into_iter();
        let (most, _) = groups.next().expect("something is chosen among");
        groups.fold(most, |others, (e, set)| {
            exprs.ite(among(exprs, self.program.revision_expr, &set), e, others)
        })
    }

    /// `value` as a flat choice between its alternatives for the revisions of the state, if these
    /// are few.
    pub(super) fn flat_choice(&self, value: Value) -> Value {
        match value {
            Value::Expr(e) if self.is_choice(value) => {
                let all = self.alternatives(e);
                match all.len() <= MOST_RESULTS {
                    true => Value::from_expr(&self.program.exprs, self.chosen(all)),
                    false => value,
                }
            }
            value => value,
        }
    }

    fn alternatives_of(
        &self,
        value: Value,
        width: u32,
        set: &RevisionSet,
    ) -> Vec<(ExprId, RevisionSet)> {
        match value {
            Value::Expr(e) if self.is_choice(value) => self.program.choices().of(e, set),
            Value::Expr(e) => vec![(e, set.clone())],
            Value::Int(int) => vec![(self.program.exprs.constant(width, int), set.clone())],
            Value::Undefined => unreachable!("who asks has looked"),
        }
    }
}

/// The condition that `revision` is in `set`.
pub(super) fn among(exprs: &Exprs, revision: ExprId, set: &RevisionSet) -> ExprId {
    let is = |number: u32| exprs.eq(revision, exprs.constant(32, u64::from(number)));
    exprs.any(set.iter().map(|revision| is(revision.0)))
}
