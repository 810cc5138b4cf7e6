//! Decides queries about words by the intervals of values that conditions allow.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHasher};

use super::{
    Decided, Decorator, Query, Solver, Verdict,
    interval_set::{Set, ones},
};
use crate::expr::{Assignment, BinaryOp, Bv, Evaluator, ExprId, Exprs, Memo, Node, VariableId};

/// The widths of variables, in bits. [`super::enumeration`] decides narrower ones.
const WIDTHS: std::ops::RangeInclusive<u32> = 9..=64;
/// The most terms that are examined for one condition.
const MOST_TERMS: usize = 512;
/// The largest depth at which terms are examined.
const DEEPEST: usize = 64;
/// How many conditions are remembered before all of them are forgotten.
const MOST_CONDITIONS: usize = 1 << 15;
/// How often values are tried on conditions that intervals cannot express.
const ROUNDS: usize = 24;
/// The most variables of a query for which values are tried.
const MOST_VARIABLES: usize = 16;
/// The most terms that one try may evaluate. If it evaluates more, no further values are tried.
const MOST_EVALUATED: usize = 512;
/// Decides most queries whose conditions mention one variable each.
///
/// Some conditions are a set of values of their variable: those that compare constants with a term
/// made from the variable in certain steps. The inverse of each step must map intervals to few
/// intervals: sums with constants, quotients by constants, extensions, choices. A query is the
/// intersection of these sets. If it is empty, the query is unsatisfiable, whatever the other
/// conditions say. Otherwise, values in it are tried on the other conditions.
///
/// Loops up to a number that a program reads make chains of such conditions (`n > 0`, `n > 1` and
/// so on), and so does taking a number apart into digits. A SAT solver takes milliseconds for each.
#[derive(Default)]
pub struct Intervals {
    known: KnownSets,
}

/// The values that each condition leaves for its only variable, remembered.
#[derive(Default)]
pub(super) struct KnownSets(FxHashMap<ExprId, Option<Arc<Set>>>);

impl KnownSets {
    /// The values of a condition's only variable for which the condition holds; `None` if intervals
    /// cannot express them.
    pub(super) fn of(&mut self, exprs: &Exprs, condition: ExprId) -> Option<Arc<Set>> {
        if let Some(known) = self.0.get(&condition) {
            return known.clone();
        }
        if self.0.len() > MOST_CONDITIONS {
            self.0.clear();
        }
        let set = values(exprs, condition).map(Arc::new);
        self.0.insert(condition, set.clone());
        set
    }
}

impl Decorator for Intervals {
    const NAME: &'static str = "intervals";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        match self.search(exprs, query) {
            Some(verdict) => (verdict, true),
            None => (below.check(exprs, query), false),
        }
    }
}

impl Intervals {
    /// The verdict, if intervals or trials of values suffice for one.
    fn search(&mut self, exprs: &Exprs, query: Query<'_>) -> Option<Verdict> {
        let mut left: FxHashMap<VariableId, Set> = FxHashMap::default();
        let mut others = Vec::new();
        for condition in query.constraints() {
            let variables = exprs.variables(condition);
            let one = match variables {
                [one] if WIDTHS.contains(&exprs.variable_width(*one)) => {
                    self.known.of(exprs, condition)
                }
                _ => None,
            };
            let (Some(set), [variable]) = (one, variables) else {
                others.push(condition);
                continue;
            };
            let before = left.get(variable);
            let set = before.map_or_else(|| (*set).clone(), |before| before.and(&set));
            if set.is_empty() {
                return Some(Verdict::Unsat);
            }
            left.insert(*variable, set);
        }
        if others.is_empty() {
            let values = left.into_iter().map(|(variable, set)| {
                let width = exprs.variable_width(variable);
                (variable, Bv::new(width, set.nearest_to_zero(width)))
            });
            return Some(Verdict::Sat(Assignment(values.collect())));
        }
        self.trial(exprs, left, &others)
    }

    /// The verdict, if trials of the values in `left` on the `others` suffice for one.
    fn trial(
        &self,
        exprs: &Exprs,
        mut left: FxHashMap<VariableId, Set>,
        others: &[ExprId],
    ) -> Option<Verdict> {
        for variable in others.iter().flat_map(|condition| exprs.variables(*condition)) {
            let width = exprs.variable_width(*variable);
            if width > *WIDTHS.end() {
                return None;
            }
            left.entry(*variable).or_insert_with(|| Set::of(0, ones(width)));
        }
        let is_wide = |variable: &VariableId| WIDTHS.contains(&exprs.variable_width(*variable));
        if left.len() > MOST_VARIABLES || !left.keys().any(is_wide) {
            return None;
        }
        let few = match left.iter().next() {
            Some((variable, set)) if left.len() == 1 && set.count() <= ROUNDS as u128 => {
                let values = set.values();
                Some(values.map(|value| vec![(*variable, value)]).collect::<Vec<_>>())
            }
            _ => None,
        };
        let picks = |round| {
            let pick = |(variable, set): (&VariableId, &Set)| {
                let mut hasher = FxHasher::default();
                (exprs.variable_name(*variable), round).hash(&mut hasher);
                let width = exprs.variable_width(*variable);
                (*variable, set.pick(round, hasher.finish(), width))
            };
            left.iter().map(pick).collect()
        };
        let rounds = few.as_ref().map_or(ROUNDS, Vec::len);
        for round in 0..rounds {
            let values: Vec<_> =
                few.as_ref().map_or_else(|| picks(round), |few| few[round].clone());
            let bits =
                |(variable, value)| (variable, Bv::new(exprs.variable_width(variable), value));
            let model = Assignment(values.into_iter().map(bits).collect());
            let mut memo = Memo::default();
            let mut evaluator = Evaluator::new(exprs, &model, &mut memo);
            // The goals, which come last, are less likely to hold than the path.
            if others.iter().rev().all(|condition| evaluator.holds(*condition)) {
                return Some(Verdict::Sat(model));
            }
            if few.is_none() && memo.len() > MOST_EVALUATED {
                return None;
            }
        }
        few.map(|_| Verdict::Unsat)
    }
}

/// Converts the values that a term may have into those that its only variable may have.
struct Inverse<'e> {
    exprs: &'e Exprs,
    /// The width of the variable in bits.
    width: u32,
    /// The number of terms examined so far.
    terms: usize,
}

impl Inverse<'_> {
    fn all(&self) -> Set {
        Set::of(0, ones(self.width))
    }

    fn not(&self, set: &Set) -> Set {
        set.complement(ones(self.width))
    }

    fn goes_on(&mut self, depth: usize) -> Option<usize> {
        self.terms += 1;
        (depth < DEEPEST && self.terms <= MOST_TERMS).then_some(depth + 1)
    }

    /// The values of the variable for which a 1-bit term is true.
    fn truth(&mut self, e: ExprId, depth: usize) -> Option<Set> {
        let depth = self.goes_on(depth)?;
        let exprs = self.exprs;
        if let Some(constant) = exprs.as_u64(e) {
            return Some(if constant == 1 { self.all() } else { Set::default() });
        }
        match exprs.node(e) {
            Node::Not(a) => {
                let truth = self.truth(a, depth)?;
                Some(self.not(&truth))
            }
            Node::Binary(op, a, b) if exprs.width(a) == 1 => {
                let (a, b) = (self.truth(a, depth)?, self.truth(b, depth)?);
                let (both, either) = (a.and(&b), a.or(&b)?);
                match op {
                    BinaryOp::And => Some(both),
                    BinaryOp::Or => Some(either),
                    BinaryOp::Xor => Some(either.and(&self.not(&both))),
                    BinaryOp::Eq => both.or(&self.not(&either)),
                    _ => None,
                }
            }
            Node::Binary(op, a, b) if op.is_comparison() && exprs.width(a) <= 64 => {
                let width = exprs.width(a);
                // Adding the sign bit converts the order of signed numbers into that of unsigned
                // ones.
                let sign = if op == BinaryOp::Slt { 1 << (width - 1) } else { 0 };
                let (of, set) = match (op, exprs.as_u64(a), exprs.as_u64(b)) {
                    (BinaryOp::Eq, Some(value), _) => (b, Set::of(value, value)),
                    (BinaryOp::Eq, _, Some(value)) => (a, Set::of(value, value)),
                    (_, Some(value), _) => (b, Set::above(value ^ sign, ones(width))),
                    (_, _, Some(value)) => (a, Set::below(value ^ sign)),
                    _ => return None,
                };
                self.of(of, &set.plus(sign, width)?, depth)
            }
            Node::Ite(condition, a, b) => {
                let arms = [self.truth(a, depth)?, self.truth(b, depth)?];
                self.choice(condition, &arms, depth)
            }
            Node::Extract { of, low } if exprs.width(of) <= 64 => {
                self.of(of, &Set::of(1, 1).extracted(low, 1, exprs.width(of))?, depth)
            }
            _ => None,
        }
    }

    fn choice(&mut self, condition: ExprId, [a, b]: &[Set; 2], depth: usize) -> Option<Set> {
        let condition = self.truth(condition, depth)?;
        condition.and(a).or(&self.not(&condition).and(b))
    }

    /// The values of the variable for which a term is in a set.
    fn of(&mut self, e: ExprId, set: &Set, depth: usize) -> Option<Set> {
        let depth = self.goes_on(depth)?;
        let exprs = self.exprs;
        let width = exprs.width(e);
        if width > 64 {
            return None;
        }
        let most = ones(width);
        if set.is_empty() {
            return Some(Set::default());
        }
        if *set == Set::of(0, most) {
            return Some(self.all());
        }
        if let Some(constant) = exprs.as_u64(e) {
            let is_in = !set.and(&Set::of(constant, constant)).is_empty();
            return Some(if is_in { self.all() } else { Set::default() });
        }
        match exprs.node(e) {
            Node::Variable(_) => Some(set.clone()),
            _ if width == 1 => {
                let truth = self.truth(e, depth)?;
                Some(if *set == Set::of(1, 1) { truth } else { self.not(&truth) })
            }
            Node::Not(a) => self.of(a, &set.mirrored(most), depth),
            Node::Neg(a) => self.of(a, &set.negated(width)?, depth),
            Node::Binary(op, a, b) => {
                let (a, by) = match (exprs.as_u64(a), exprs.as_u64(b)) {
                    (_, Some(by)) => (a, by),
                    (Some(by), _) if op.is_commutative() => (b, by),
                    _ => return None,
                };
                self.of(a, &set.before(op, by, width)?, depth)
            }
            Node::Ite(condition, a, b) => {
                let arms = [self.of(a, set, depth)?, self.of(b, set, depth)?];
                self.choice(condition, &arms, depth)
            }
            Node::Extract { of, low } if exprs.width(of) <= 64 => {
                self.of(of, &set.extracted(low, width, exprs.width(of))?, depth)
            }
            Node::Zext(a) => self.of(a, &set.and(&Set::of(0, ones(exprs.width(a)))), depth),
            Node::Sext(a) => {
                let narrow = exprs.width(a);
                let pieces = set.signed(width);
                self.of(a, &Set::of_signed(pieces, narrow)?, depth)
            }
            _ => None,
        }
    }
}

/// The values of a condition's only variable, of at most 64 bits, for which the condition holds;
/// `None` if intervals cannot express them.
pub fn values(exprs: &Exprs, condition: ExprId) -> Option<Set> {
    let [variable] = exprs.variables(condition) else { return None };
    let width = exprs.variable_width(*variable);
    (width <= 64).then(|| Inverse { exprs, width, terms: 0 }.truth(condition, 0)).flatten()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::{expr::raw::Raw, solver::bitwuzla::Incremental};

    /// A condition on a variable, made without simplification by a machine from a tape.
    fn condition(exprs: &Exprs, x: ExprId, tape: &[(u8, u64)]) -> ExprId {
        let raw = Raw(exprs);
        let (mut e, mut truth) = (x, None);
        for (what, value) in tape {
            let width = exprs.width(e);
            // Small numbers, small negative ones, and any.
            let value = match what >> 6 {
                0 | 1 => value % 11,
                2 => (value % 11).wrapping_neg(),
                _ => *value,
            };
            let k = exprs.constant(width, value);
            let other = truth
                .unwrap_or_else(|| raw.binary(BinaryOp::Slt, x, exprs.constant(exprs.width(x), 7)));
            match what % 64 {
                op @ 0..12 => e = raw.binary(BinaryOp::ALL[usize::from(op)], e, k),
                12..15 => e = raw.binary(BinaryOp::Add, k, e),
                op @ 15..18 => truth = Some(raw.binary(BinaryOp::ALL[usize::from(op) - 3], e, k)),
                op @ 18..21 => truth = Some(raw.binary(BinaryOp::ALL[usize::from(op) - 6], k, e)),
                21 => e = raw.not(e),
                22 => e = raw.neg(e),
                23 => e = raw.ite(other, e, k),
                24 => e = raw.ite(other, k, raw.neg(e)),
                25 if width < 60 => e = raw.sext(e, width + 3),
                26 if width < 60 => e = raw.zext(e, width + 2),
                27 if width > 4 => e = raw.extract(e, 0, width - 2),
                28 if width > 4 => e = raw.extract(e, 2, width - 2),
                29 if width > 4 => e = raw.extract(e, 1, width - 2),
                36 => truth = Some(raw.extract(e, width - 1, 1)),
                30 => truth = Some(raw.not(other)),
                op @ 31..34 => {
                    let new = raw.binary(BinaryOp::Slt, e, k);
                    let op = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor][usize::from(op) - 31];
                    truth = Some(raw.binary(op, other, new));
                }
                34 => truth = Some(raw.ite(other, raw.binary(BinaryOp::Ult, e, k), other)),
                35 => truth = Some(raw.binary(BinaryOp::Eq, other, raw.binary(BinaryOp::Eq, e, k))),
                _ => e = raw.binary(BinaryOp::Sdiv, e, k),
            }
        }
        truth.unwrap_or_else(|| raw.binary(BinaryOp::Ult, e, exprs.constant(exprs.width(e), 9)))
    }

    fn tapes() -> impl Strategy<Value = Vec<Vec<(u8, u64)>>> {
        prop::collection::vec(prop::collection::vec(any::<(u8, u64)>(), 1..7), 1..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn a_set_is_what_trying_all_values_finds(tapes in tapes(), width in 9u32..13) {
            let exprs = Exprs::new();
            let x = exprs.input("x", width);
            let id = exprs.as_variable(x).unwrap();
            for tape in tapes {
                let condition = condition(&exprs, x, &tape);
                let set = KnownSets::default().of(&exprs, condition);
                // Intervals cannot express remainders, bits and large products.
                let is_for_sets = tape.iter().all(|(what, _)| matches!(what % 64, 0 | 21..23 | 25 | 26));
                prop_assert!(set.is_some() || !is_for_sets, "{}", exprs.display(condition));
                let Some(set) = set else { continue };
                for value in 0..=ones(width) {
                    let model = Assignment([(id, Bv::new(width, value))].into_iter().collect());
                    let expected = exprs.evaluate(condition, &model).is_one();
                    let found = !set.and(&Set::of(value, value)).is_empty();
                    prop_assert_eq!(found, expected, "{} of {}", exprs.display(condition), value);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn it_agrees_with_bitwuzla(tapes in tapes(), wide in any::<bool>()) {
            let exprs = Exprs::new();
            let x = exprs.input("x", if wide { 64 } else { 32 });
            let mut goals = Vec::new();
            let mut intervals = Intervals::default();
            let mut bitwuzla = Incremental::new(Duration::from_millis(500));
            for tape in tapes {
                goals.push(condition(&exprs, x, &tape));
                let query = Query { path_condition: &[], goals: &goals, model: None };
                match (intervals.search(&exprs, query), bitwuzla.check(&exprs, query)) {
                    (Some(Verdict::Unsat), expected) => {
                        prop_assert!(!matches!(expected, Verdict::Sat(_)));
                    }
                    (Some(Verdict::Sat(model)), _) => {
                        for goal in &goals {
                            prop_assert!(exprs.evaluate(*goal, &model).is_one());
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn what_is_tried_depends_on_the_query_alone() {
        let ask = |exprs: &Exprs| {
            let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
            let third = |e| exprs.sdiv(e, exprs.constant(32, 3));
            let least = exprs.slt(exprs.constant(32, 70), x);
            let other = exprs.not(exprs.eq(third(exprs.add(x, y)), third(y)));
            let query = Query { path_condition: &[least], goals: &[other], model: None };
            let verdict = Intervals::default().search(exprs, query);
            let Some(Verdict::Sat(model)) = verdict else { panic!("{verdict:?}") };
            assert!([least, other].iter().all(|goal| exprs.evaluate(*goal, &model).is_one()));
            [x, y].map(|e| exprs.evaluate(e, &model))
        };
        let other = Exprs::new();
        let _ = ["y", "z", "x"].map(|name| other.input(name, 32));
        assert_eq!(ask(&Exprs::new()), ask(&other));
    }

    #[test]
    fn usual_conditions_are_decided() {
        let exprs = Exprs::new();
        let x = exprs.input("x", 32);
        let k = |value| exprs.constant(32, value);
        let mut intervals = Intervals::default();
        let rounds =
            |count: u64| (0..count).map(|round| exprs.slt(k(round), x)).collect::<Vec<_>>();
        let mut goals = rounds(100);
        goals.push(exprs.not(exprs.slt(k(100), x)));
        let query = Query { path_condition: &[], goals: &goals, model: None };
        let Some(Verdict::Sat(model)) = intervals.search(&exprs, query) else { panic!() };
        assert_eq!(exprs.evaluate(x, &model).to_u64(), Some(100));
        goals.push(exprs.eq(exprs.sdiv(x, k(10)), k(9)));
        let query = Query { path_condition: &[], goals: &goals, model: None };
        assert!(intervals.search(&exprs, query).is_some_and(|verdict| verdict.is_unsat()));
        // Remainders are decided only by trying values; one is left.
        goals.pop();
        goals.push(exprs.eq(exprs.srem(x, k(7)), k(2)));
        let query = Query { path_condition: &[], goals: &goals, model: None };
        assert!(intervals.search(&exprs, query).is_some_and(|verdict| verdict.model().is_some()));
    }
}
