//! Decides queries about numbers that are compared with each other, separately for each order of
//! the numbers.
//!
//! Code that chooses by comparisons (a sort, a minimum, a chain of conditions) becomes nested
//! if-then-else terms. If sums of these are compared, bit-blasting has to rediscover for each bit
//! that orders are transitive. Three numbers have 13 orders, including ties. In each order all
//! comparisons are constants, and usually nothing is left to decide.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::{Decided, Decorator, Query, Solver, Unknown, Verdict};
use crate::expr::{BinaryOp, ExprId, Exprs, Node, VariableId};

/// The numbers of variables that a query may have (four variables have 75 orders).
const NUMBERS: std::ops::RangeInclusive<usize> = 2..=4;
/// Narrower sums are left to the solver.
const WIDTH: u32 = 16;

/// Splits queries by the orders of their variables.
pub struct Orders {
    timeout: Duration,
    /// The present limit for one query, see [`Solver::hurry`].
    most: Duration,
}

impl Orders {
    /// Limits each query, with all its orders together, to `timeout`; zero means no limit.
    pub fn new(timeout: Duration) -> Self {
        let timeout = if timeout.is_zero() { Duration::MAX } else { timeout };
        Self { timeout, most: timeout }
    }
}

impl Decorator for Orders {
    const NAME: &'static str = "orders";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let constraints: Vec<ExprId> = query.constraints().collect();
        if !is_for_orders(exprs, &constraints) {
            return (below.check(exprs, query), false);
        }
        let end = Instant::now().checked_add(self.most);
        let mut cases = Cases { exprs, below, timeout: self.most, end, asked: false };
        match cases.decide(&constraints, &Order::default()) {
            // The query as a whole may be easier.
            Verdict::Unknown(Unknown::Timeout(_)) => (below.check(exprs, query), false),
            verdict => {
                let asked = cases.asked;
                (verdict, !asked)
            }
        }
    }

    fn hurry(&mut self, most: Duration) {
        self.most = self.timeout.min(most);
    }
}

/// Whether few numbers are compared with each other, and a sum depends on the results.
fn is_for_orders(exprs: &Exprs, constraints: &[ExprId]) -> bool {
    let mut variables: Vec<VariableId> = Vec::new();
    for variable in constraints.iter().flat_map(|e| exprs.variables(*e)) {
        if !variables.contains(variable) {
            variables.push(*variable);
        }
        if variables.len() > *NUMBERS.end() {
            return false;
        }
    }
    if !NUMBERS.contains(&variables.len()) || compared(exprs, constraints).is_none() {
        return false;
    }
    // Whether each term contains a choice between numbers.
    let mut chooses: FxHashMap<ExprId, bool> = FxHashMap::default();
    let mut found = false;
    let done = |chooses: &FxHashMap<_, _>, e| chooses.contains_key(&e);
    exprs.post_order(constraints, &mut chooses, done, |chooses, e| {
        let mut within = false;
        exprs.for_each_operand(e, |operand| within |= chooses[&operand]);
        let is_wide = exprs.width(e) >= WIDTH;
        found |= within && is_wide && matches!(exprs.node(e), Node::Binary(BinaryOp::Add, ..));
        let chooses_here = is_wide && matches!(exprs.node(e), Node::Ite(..));
        chooses.insert(e, within || chooses_here);
    });
    found
}

/// The first two variables that some term compares.
fn compared(exprs: &Exprs, constraints: &[ExprId]) -> Option<(ExprId, ExprId)> {
    let mut seen: FxHashMap<ExprId, ()> = FxHashMap::default();
    let mut first = None;
    let done = |seen: &FxHashMap<_, _>, e| seen.contains_key(&e);
    exprs.post_order(constraints, &mut seen, done, |seen, e| {
        seen.insert(e, ());
        if let Node::Binary(BinaryOp::Slt | BinaryOp::Eq, a, b) = exprs.node(e) {
            let both = [a, b].iter().all(|side| exprs.as_variable(*side).is_some());
            if both && first.is_none() {
                first = Some((a, b));
            }
        }
    });
    first
}

/// What is known of an order: pairs of variables, the first of which is less than the second. The
/// pairs are closed under transitivity.
#[derive(Clone, Default)]
struct Order(Vec<(ExprId, ExprId)>);

impl Order {
    fn is_less(&self, a: ExprId, b: ExprId) -> bool {
        self.0.contains(&(a, b))
    }

    /// This order with `a` less than `b`, and with all consequences of that.
    fn with(&self, a: ExprId, b: ExprId) -> Self {
        let mut pairs = self.0.clone();
        let below = self.0.iter().filter(|(_, y)| *y == a).map(|(x, _)| *x);
        let below: Vec<ExprId> = below.chain([a]).collect();
        let above = self.0.iter().filter(|(x, _)| *x == b).map(|(_, y)| *y);
        let above: Vec<ExprId> = above.chain([b]).collect();
        for x in &below {
            pairs.extend(above.iter().map(|y| (*x, *y)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }
}

struct Cases<'c, S> {
    exprs: &'c Exprs,
    below: &'c mut S,
    timeout: Duration,
    end: Option<Instant>,
    /// Whether the solver below was asked.
    asked: bool,
}

impl<S: Solver> Cases<'_, S> {
    /// Decides the constraints for all orders that are compatible with `order`.
    fn decide(&mut self, constraints: &[ExprId], order: &Order) -> Verdict {
        let exprs = self.exprs;
        if constraints.iter().any(|constraint| exprs.is_false(*constraint)) {
            return Verdict::Unsat;
        }
        let Some((a, b)) = compared(exprs, constraints) else {
            let known = order.0.iter().map(|(a, b)| exprs.slt(*a, *b));
            let goals: Vec<ExprId> = constraints.iter().copied().chain(known).collect();
            if self.end.is_some_and(|end| Instant::now() >= end) {
                return Verdict::Unknown(Unknown::Timeout(self.timeout));
            }
            self.asked = true;
            return self
                .below
                .check(exprs, Query { path_condition: &[], goals: &goals, model: None });
        };
        for (less, greater) in [(a, b), (b, a)] {
            if order.is_less(greater, less) {
                continue;
            }
            let order = order.with(less, greater);
            match self.decide(&replaced(exprs, constraints, &order, None), &order) {
                Verdict::Unsat => {}
                other => return other,
            }
        }
        if order.is_less(a, b) || order.is_less(b, a) {
            return Verdict::Unsat;
        }
        self.equal(constraints, order, (a, b))
    }

    /// Decides the constraints for the case that `a` equals `b`, which `a` then replaces.
    fn equal(
        &mut self,
        constraints: &[ExprId],
        order: &Order,
        (a, b): (ExprId, ExprId),
    ) -> Verdict {
        let one = |e: ExprId| if e == b { a } else { e };
        let pairs = order.0.iter().map(|(x, y)| (one(*x), one(*y)));
        let order = pairs.fold(Order::default(), |order, (x, y)| order.with(x, y));
        if order.0.iter().any(|(x, y)| x == y) {
            return Verdict::Unsat;
        }
        let verdict = self.decide(&replaced(self.exprs, constraints, &order, Some((a, b))), &order);
        let Verdict::Sat(mut model) = verdict else { return verdict };
        let variables = [a, b].map(|side| self.exprs.as_variable(side).expect("it is compared"));
        let value = self.exprs.evaluate(a, &model);
        model.0.extend(variables.map(|variable| (variable, value.clone())));
        Verdict::Sat(model)
    }
}

/// The constraints that are not simply true after two replacements. Comparisons that `order`
/// decides become truth values, and the first of two `equal` variables replaces the second.
fn replaced(
    exprs: &Exprs,
    constraints: &[ExprId],
    order: &Order,
    equal: Option<(ExprId, ExprId)>,
) -> Vec<ExprId> {
    let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    new.extend(equal.map(|(a, b)| (b, a)));
    let done = |new: &FxHashMap<_, _>, e| new.contains_key(&e);
    exprs.post_order(constraints, &mut new, done, |new, e| {
        let mut now = exprs.rebuild(e, |operand| new[&operand]);
        if let Node::Binary(relation @ (BinaryOp::Slt | BinaryOp::Eq), a, b) = exprs.node(now) {
            let is_less = order.is_less(a, b);
            if is_less || order.is_less(b, a) {
                now = exprs.bool(is_less && relation == BinaryOp::Slt);
            }
        }
        new.insert(e, now);
    });
    let all = constraints.iter().map(|constraint| new[constraint]);
    all.filter(|constraint| !exprs.is_true(*constraint)).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Layer, bitwuzla::Incremental},
        *,
    };

    /// Terms over three numbers, made from a sequence of choices.
    struct Terms<'t> {
        exprs: &'t Exprs,
        numbers: [ExprId; 3],
        state: u64,
    }

    impl Terms<'_> {
        fn pick(&mut self, count: usize) -> usize {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.state >> 33) as usize % count
        }

        fn number(&mut self, depth: u32) -> ExprId {
            let kind = if depth == 0 { 0 } else { self.pick(5) };
            match kind {
                0 | 1 => self.numbers[self.pick(3)],
                2 | 3 => {
                    let condition = self.condition(depth - 1);
                    let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                    self.exprs.ite(condition, a, b)
                }
                _ => {
                    let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                    let b = if self.pick(2) == 0 { b } else { self.exprs.neg(b) };
                    self.exprs.add(a, b)
                }
            }
        }

        fn condition(&mut self, depth: u32) -> ExprId {
            let (a, b) = (self.number(depth), self.number(depth));
            let relation = match self.pick(3) {
                0 => self.exprs.eq(a, b),
                _ => self.exprs.slt(a, b),
            };
            if self.pick(2) == 0 { self.exprs.not(relation) } else { relation }
        }
    }

    #[test]
    fn verdicts_are_those_of_the_solver_alone() {
        let exprs = Exprs::new();
        let numbers = ["x", "y", "z"].map(|name| exprs.input(name, 16));
        let mut terms = Terms { exprs: &exprs, numbers, state: 3 };
        let back_end = || Incremental::new(Duration::from_secs(60));
        let orders = Orders::new(Duration::from_secs(60));
        let (mut alone, mut split) = (back_end(), Layer::new(orders, back_end()));
        let (mut yes, mut no, mut divided) = (0, 0, 0);
        for _ in 0..200 {
            let goals: Vec<ExprId> = (0..3).map(|_| terms.condition(3)).collect();
            divided += u32::from(is_for_orders(&exprs, &goals));
            let query = Query { path_condition: &[], goals: &goals, model: None };
            match (alone.check(&exprs, query), split.check(&exprs, query)) {
                (Verdict::Unsat, Verdict::Unsat) => no += 1,
                (Verdict::Sat(_), Verdict::Sat(model)) => {
                    let holds = |goal: &ExprId| !exprs.evaluate(*goal, &model).is_zero();
                    assert!(goals.iter().all(holds));
                    yes += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
        assert!(divided > 50, "{divided}");
    }

    #[test]
    fn a_median_is_the_sum_less_the_extremes() {
        let exprs = Exprs::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| exprs.input(name, 32));
        let least = |x, y| exprs.ite(exprs.slt(x, y), x, y);
        let most = |x, y| exprs.ite(exprs.slt(x, y), y, x);
        let wide = |e| exprs.sext(e, 64);
        let sum = exprs.add(exprs.add(wide(a), wide(b)), wide(c));
        let extremes = exprs.add(wide(least(least(a, b), c)), wide(most(most(a, b), c)));
        let median = wide(most(least(a, b), least(most(a, b), c)));
        let other = exprs.not(exprs.eq(exprs.add(sum, exprs.neg(extremes)), median));
        let mut solver = Layer::new(
            Orders::new(Duration::from_secs(60)),
            Incremental::new(Duration::from_secs(60)),
        );
        let query = Query { path_condition: &[], goals: &[other], model: None };
        assert!(solver.check(&exprs, query).is_unsat());
        // Each order leaves at most one question about sums.
        assert!(solver.statistics()[1].queries <= 13);
    }
}
