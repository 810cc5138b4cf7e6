//! Words of the input for which the path leaves a single value.
//!
//! A loop up to a number that the program reads (`i < n`) leaves one value of the number where it
//! ends. From there on, the number is that value wherever the path needs it: in an address, a size
//! or a condition. Otherwise each access to element `n - 1` would go to all elements. Implied value
//! concretisation (Cadar, Dunbar, Engler: KLEE, OSDI 2008, section 3.3) does this for equalities.
//! Here intervals, too, say which values are left.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    expr::{ExprId, Exprs, Substitution, VariableId, VariableKind},
    solver::{interval_set::Set, intervals},
};

/// Widths of words, in bits. Bytes are left to the solver, which tries all their values.
const WIDTHS: std::ops::RangeInclusive<u32> = 9..=64;

/// What the conditions of a path say about single words.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// How many conditions of the path are part of this.
    conditions: usize,
    /// The values that are left for words.
    left: Arc<FxHashMap<VariableId, Set>>,
    /// The words for which a single value is left, with this value.
    fixed: Arc<Vec<(VariableId, ExprId)>>,
}

impl Words {
    /// Takes in the conditions of a path that were added since the last time.
    fn learn(&mut self, exprs: &Exprs, path: &[ExprId]) {
        for condition in path.get(self.conditions..).unwrap_or_default() {
            self.add(exprs, *condition);
        }
        self.conditions = self.conditions.max(path.len());
    }

    /// Forgets everything if more than this many conditions were learned: only so many remain of
    /// the path.
    pub(super) fn forget_after(&mut self, conditions: usize) {
        if self.conditions > conditions {
            *self = Self::default();
        }
    }

    fn add(&mut self, exprs: &Exprs, condition: ExprId) {
        let [word] = *exprs.variables(condition) else { return };
        let width = exprs.variable_width(word);
        if !WIDTHS.contains(&width) || exprs.variable_kind(word) != VariableKind::Input {
            return;
        }
        let Some(values) = intervals::values(exprs, condition) else { return };
        let left = match self.left.get(&word) {
            Some(before) => before.and(&values),
            None => values,
        };
        if left.count() == 1
            && let Some(value) = left.get(0)
            && self.fixed.iter().all(|(known, _)| *known != word)
        {
            Arc::make_mut(&mut self.fixed).push((word, exprs.constant(width, value)));
        }
        Arc::make_mut(&mut self.left).insert(word, left);
    }
}

/// The replacement of words by their values, for the words that were fixed when it was last used.
#[derive(Default)]
pub(super) struct Fixed {
    of: Arc<Vec<(VariableId, ExprId)>>,
    substitution: Option<Substitution>,
}

impl Fixed {
    /// `e` with values in place of the words that a path fixes. `words` has what was learned from
    /// an earlier part of the path.
    pub(super) fn replace(
        &mut self,
        exprs: &Exprs,
        words: &mut Words,
        path: &[ExprId],
        e: ExprId,
    ) -> ExprId {
        words.learn(exprs, path);
        if words.fixed.is_empty() {
            return e;
        }
        if !Arc::ptr_eq(&words.fixed, &self.of) {
            let substitution = Substitution::of(exprs, words.fixed.iter().copied());
            *self = Self { of: words.fixed.clone(), substitution: Some(substitution) };
        }
        match &mut self.substitution {
            Some(substitution) => substitution.apply(exprs, e),
            None => e,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::BinaryOp;

    #[test]
    fn two_bounds_fix_a_word_and_fewer_conditions_free_it() {
        let exprs = Exprs::new();
        let [n, m] = ["n", "m"].map(|name| exprs.input(name, 32));
        let number = |value| exprs.constant(32, value);
        let more = |bound| exprs.binary(BinaryOp::Slt, number(bound), n);
        let path =
            [more(0), more(1), exprs.not(more(2)), exprs.binary(BinaryOp::Slt, m, number(5))];
        let mut words = Words::default();
        words.learn(&exprs, &path[..2]);
        assert!(words.fixed.is_empty());
        words.learn(&exprs, &path);
        let word = exprs.as_variable(n).unwrap();
        assert_eq!(*words.fixed, [(word, number(2))]);
        words.forget_after(3);
        words.learn(&exprs, &path[..2]);
        assert!(words.fixed.is_empty());
    }

    #[test]
    fn bytes_and_contradictions_fix_nothing() {
        let exprs = Exprs::new();
        let (byte, word) = (exprs.input("b", 8), exprs.input("w", 16));
        let is = |e, value| exprs.eq(e, exprs.constant(exprs.width(e), value));
        let mut words = Words::default();
        words.learn(&exprs, &[is(byte, 7), exprs.not(is(word, 7))]);
        assert!(words.fixed.is_empty());
        words.learn(&exprs, &[is(byte, 7), exprs.not(is(word, 7)), is(word, 7)]);
        assert!(words.fixed.is_empty());
    }
}
