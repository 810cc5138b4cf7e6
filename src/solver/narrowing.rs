//! Decides queries about words with few values as queries about bytes.

use rustc_hash::FxHashMap;

use super::{
    Decided, Decorator, Query, Solver, Verdict,
    interval_set::{Set, ones},
    intervals::KnownSets,
};
use crate::expr::{Assignment, Bv, ExprId, Exprs, Substitution, VariableId};

/// The width in bits of the variable that replaces a word. [`super::enumeration`] tries its values.
const NARROW: u32 = 8;
/// The most words of one query.
const MOST_WORDS: usize = 8;
/// The most conditions that one substitution replaces, as it remembers the images of their terms.
const MOST_CONDITIONS: usize = 1 << 15;

/// Replaces words by bytes, in queries that bound every word to the values of a byte: from 0 to
/// 255, or from -128 to 127. The layers below then try all values.
///
/// Programs that check what they read make such queries (`1 <= n && n <= 50`). Remainders and
/// products of words are hard for a SAT solver, even if the words have few values.
#[derive(Default)]
pub struct Narrowing {
    sets: KnownSets,
    /// The words that have been narrowed.
    narrowed: FxHashMap<VariableId, Narrowed>,
    /// The replacement of the narrowed words.
    substitution: Option<Substitution>,
    /// The number of conditions that the substitution has replaced.
    replaced: usize,
}

/// The replacement of a word.
#[derive(Clone, Copy)]
struct Narrowed {
    byte: VariableId,
    signed: bool,
}

impl Decorator for Narrowing {
    const NAME: &'static str = "narrowing";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let Some(words) = self.words(exprs, query) else {
            return (below.check(exprs, query), false);
        };
        self.narrow(exprs, &words);
        let Some(substitution) = &mut self.substitution else {
            return (below.check(exprs, query), false);
        };
        self.replaced += query.constraints().count();
        let mut narrow = |conditions: &[ExprId]| -> Vec<ExprId> {
            let all = conditions.iter().map(|condition| substitution.apply(exprs, *condition));
            all.filter(|condition| !exprs.is_true(*condition)).collect()
        };
        let (path, goals) = (narrow(query.path_condition), narrow(query.goals));
        if path.iter().chain(&goals).any(|condition| exprs.as_u64(*condition) == Some(0)) {
            return (Verdict::Unsat, true);
        }
        let query = Query { path_condition: &path, goals: &goals, model: None };
        match below.check(exprs, query) {
            Verdict::Sat(model) => (Verdict::Sat(self.widened(exprs, &words, model)), false),
            verdict => (verdict, false),
        }
    }
}

impl Narrowing {
    /// The words of a query, each with whether its values include negative ones. `None` if there
    /// are no words, or if some may have other values than a byte.
    fn words(&mut self, exprs: &Exprs, query: Query<'_>) -> Option<Vec<(VariableId, bool)>> {
        let mut left: Vec<(VariableId, Option<Set>)> = Vec::new();
        for condition in query.constraints() {
            let variables = exprs.variables(condition);
            for variable in variables.iter().filter(|v| exprs.variable_width(**v) > NARROW) {
                if left.iter().all(|(known, _)| known != variable) {
                    left.push((*variable, None));
                }
            }
            if left.len() > MOST_WORDS {
                return None;
            }
            if let [word] = variables
                && let Some((_, values)) = left.iter_mut().find(|(known, _)| known == word)
                && let Some(set) = self.sets.of(exprs, condition)
            {
                *values = Some(values.as_ref().map_or_else(|| (*set).clone(), |all| all.and(&set)));
            }
        }
        let sign = |(word, values): (VariableId, Option<Set>)| {
            let (values, most) = (values?, ones(exprs.variable_width(word)));
            let is_unsigned = values.and(&Set::of(0, 0xff)) == values;
            let signed = || {
                let kept = Set::of(0, 0x7f).or(&Set::of(most - 0x7f, most))?;
                (values.and(&kept) == values).then_some(true)
            };
            // A word that is already narrowed in a way that fits keeps that way.
            let before = self.narrowed.get(&word).map(|narrowed| narrowed.signed);
            let is_signed = if before == Some(true) || !is_unsigned { signed() } else { None };
            Some((word, is_signed.or(is_unsigned.then_some(false))?))
        };
        let words: Vec<_> = left.into_iter().map(sign).collect::<Option<_>>()?;
        (!words.is_empty()).then_some(words)
    }

    /// Makes the substitution replace these words.
    fn narrow(&mut self, exprs: &Exprs, words: &[(VariableId, bool)]) {
        let is_known = |(word, signed): &(VariableId, bool)| {
            self.narrowed.get(word).is_some_and(|narrowed| narrowed.signed == *signed)
        };
        if words.iter().all(is_known) && self.replaced < MOST_CONDITIONS {
            return;
        }
        self.replaced = 0;
        for (word, signed) in words {
            let name = format!("?narrow.{}", exprs.variable_name(*word));
            let byte = exprs.variable(&name, NARROW, exprs.variable_kind(*word));
            let byte = exprs.as_variable(byte).expect("a variable");
            self.narrowed.insert(*word, Narrowed { byte, signed: *signed });
        }
        let all = self.narrowed.iter().map(|(word, Narrowed { byte, signed })| {
            let (byte, width) = (exprs.variable_expr(*byte), exprs.variable_width(*word));
            (*word, if *signed { exprs.sext(byte, width) } else { exprs.zext(byte, width) })
        });
        self.substitution = Some(Substitution::of(exprs, all));
    }

    /// The model of a query from one of the narrowed query.
    fn widened(
        &self,
        exprs: &Exprs,
        words: &[(VariableId, bool)],
        Assignment(mut values): Assignment,
    ) -> Assignment {
        for (word, signed) in words {
            let byte = values.remove(&self.narrowed[word].byte);
            let byte = byte.and_then(|byte| byte.to_u64()).unwrap_or(0);
            let value = if *signed { i64::from(byte as i8) as u64 } else { byte };
            values.insert(*word, Bv::new(exprs.variable_width(*word), value));
        }
        Assignment(values)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{
        super::{Layer, tests::assert_agree},
        *,
    };
    use crate::{
        expr::BinaryOp,
        solver::{bitwuzla::Incremental, enumeration::Enumeration},
    };

    fn solver() -> impl Solver {
        let back_end = Incremental::new(Duration::from_secs(10));
        Layer::new(Narrowing::default(), Layer::new(Enumeration::until(None), back_end))
    }

    fn between(exprs: &Exprs, x: ExprId, least: i64, most: i64) -> [ExprId; 2] {
        let number = |value: i64| exprs.constant(exprs.width(x), value as u64);
        [
            exprs.not(exprs.binary(BinaryOp::Slt, x, number(least))),
            exprs.not(exprs.binary(BinaryOp::Slt, number(most), x)),
        ]
    }

    #[test]
    fn remainders_of_small_words_are_tried() {
        let exprs = Exprs::new();
        let [a, b] = ["a", "b"].map(|name| exprs.input(name, 32));
        let bounds = [between(&exprs, a, 1, 50), between(&exprs, b, 1, 50)].concat();
        let zero = exprs.constant(32, 0);
        let first = exprs.binary(BinaryOp::Srem, a, b);
        let more = exprs.not(exprs.eq(first, zero));
        let second = exprs.binary(BinaryOp::Srem, b, first);
        let odd = exprs.binary(BinaryOp::Slt, first, second);
        let mut solver = solver();
        let path = [bounds, vec![more]].concat();
        let unsat = Query { path_condition: &path, goals: &[odd], model: None };
        assert!(solver.check(&exprs, unsat).is_unsat());
        let goal = exprs.eq(second, exprs.constant(32, 23));
        let sat = Query { path_condition: &path, goals: &[goal], model: None };
        let verdict = solver.check(&exprs, sat);
        let model = verdict.model().expect("24 and 47 will do");
        assert!(sat.constraints().all(|condition| exprs.evaluate(condition, model).is_one()));
        let statistics = solver.statistics();
        assert_eq!(statistics.last().map(|back_end| back_end.queries), Some(0), "{statistics:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn it_agrees_with_bitwuzla(
            ranges in prop::collection::vec((-140i64..260, 0i64..200), 2),
            steps in prop::collection::vec((0usize..15, 0usize..6, 0usize..6), 1..5),
            wide in any::<bool>(),
        ) {
            let exprs = Exprs::new();
            let width = if wide { 64 } else { 16 };
            let words = ["a", "b"].map(|name| exprs.input(name, width));
            let mut terms = words.to_vec();
            terms.extend([0, 1, 3, u64::MAX].map(|k| exprs.constant(width, k)));
            let mut conditions: Vec<ExprId> = Vec::new();
            for (word, (least, span)) in words.iter().zip(&ranges) {
                conditions.extend(between(&exprs, *word, *least, least + span));
            }
            for (op, a, b) in steps {
                let made = exprs.binary(BinaryOp::ALL[op], terms[a], terms[b]);
                match exprs.width(made) {
                    1 => conditions.push(made),
                    _ => {
                        conditions.push(exprs.binary(BinaryOp::Slt, made, words[0]));
                        terms.insert(0, made);
                    }
                }
            }
            let mut solver = solver();
            let mut bitwuzla = Incremental::new(Duration::from_secs(1));
            for end in 1..=conditions.len() {
                let (goals, path) = (&conditions[end - 1..end], &conditions[..end - 1]);
                let query = Query { path_condition: path, goals, model: None };
                let expected = bitwuzla.check(&exprs, query);
                assert_agree(&exprs, query, &solver.check(&exprs, query), &expected);
            }
        }
    }
}
