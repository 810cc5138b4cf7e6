//! Decides queries that only compare numbers, by trying the orders of the numbers.

mod circuit;
mod order;

use std::cmp::Reverse;

use self::{
    circuit::{Circuit, Circuits},
    order::{MOST_CONSTANTS, MOST_NUMBERS, Order},
};
use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::{Assignment, Bv, ExprId, Exprs, VariableId};

/// The most orders of one query at any time.
const MOST_ORDERS: usize = 1 << 15;
/// The most terms that are evaluated, times the orders for which they are evaluated: some
/// milliseconds of work.
const MOST_WORK: usize = 1 << 25;

/// Decides queries in which words are compared with each other and with constants, and chosen
/// according to the results, but never computed with.
///
/// Whether the conditions of such a query hold depends only on the order of its numbers (the small
/// model property: Pnueli, Rodeh, Strichman and Siegel 2002). Orders are built number by number.
/// Those that contradict a condition on the numbers so far are dropped.
///
/// Programs that sort, or look for a minimum or a median, make such queries, with choices within
/// choices where paths were joined. A SAT solver has to discover for each bit that orders are
/// transitive.
pub struct Ranks;

impl Decorator for Ranks {
    const NAME: &'static str = "ranks";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        match Search::new(exprs, query).and_then(|search| search.run(exprs)) {
            Some(verdict) => (verdict, true),
            None => (below.check(exprs, query), false),
        }
    }
}

struct Search {
    /// The numbers, in the order in which they get their ranks.
    numbers: Vec<VariableId>,
    /// For each number, the conditions that mention it but none of the later ones.
    circuits: Vec<Circuit>,
    scale: Scale,
}

impl Search {
    /// The search for a query; `None` if the query is of another kind, or about too many numbers.
    fn new(exprs: &Exprs, query: Query<'_>) -> Option<Self> {
        let mut conditions: Vec<ExprId> = Vec::new();
        let mut numbers: Vec<VariableId> = Vec::new();
        for condition in query.constraints() {
            conditions.push(condition);
            let new = exprs.variables(condition).iter().filter(|number| !numbers.contains(number));
            let new: Vec<VariableId> = new.copied().collect();
            numbers.extend(new);
            if numbers.len() > MOST_NUMBERS {
                return None;
            }
        }
        let width = exprs.variable_width(*numbers.first()?);
        if !(2..=u64::BITS).contains(&width)
            || numbers.iter().any(|number| exprs.variable_width(*number) != width)
        {
            return None;
        }
        // Models do not depend on ids.
        numbers.sort_by_key(|number| exprs.variable_name(*number));
        let mut maker = Circuits::new(exprs, width);
        let mut circuits = Vec::new();
        for count in 0..numbers.len() {
            let decides = |next: &usize| {
                let is_known = |number: &VariableId| {
                    *number == numbers[*next] || numbers[..count].contains(number)
                };
                let is_decided =
                    |condition: &&ExprId| exprs.variables(**condition).iter().all(is_known);
                conditions.iter().filter(is_decided).count()
            };
            let next = (count..numbers.len()).max_by_key(|next| (decides(next), Reverse(*next)))?;
            numbers[count..=next].rotate_right(1);
            maker.add_number(numbers[count]);
            let is_known = |number| numbers[..=count].contains(number);
            let decided = conditions
                .extract_if(.., |condition| exprs.variables(*condition).iter().all(is_known))
                .collect::<Vec<_>>();
            circuits.push(maker.circuit(&decided)?);
        }
        Some(Self { numbers, circuits, scale: Scale::new(&maker, width)? })
    }

    /// The verdict; `None` if there are too many orders.
    fn run(self, exprs: &Exprs) -> Option<Verdict> {
        let mut orders = vec![self.scale.order()];
        let mut work = 0;
        for (number, circuit) in self.circuits.iter().enumerate() {
            let places = orders.iter().map(|order| 2 * usize::from(order.values) + 1);
            let most = places.sum::<usize>();
            work += most * circuit.len();
            if most > MOST_ORDERS || work > MOST_WORK {
                return None;
            }
            let place = MOST_CONSTANTS + number;
            let mut placed = Vec::with_capacity(most);
            for order in orders {
                placed.extend((0..order.values).map(|rank| order.with_rank(place, rank)));
                let free = (0..=order.values).filter(|rank| self.scale.has_room(&order, *rank));
                placed.extend(free.map(|rank| order.with_value(rank).with_rank(place, rank)));
            }
            circuit.retain(&mut placed);
            orders = placed;
        }
        // If many numbers are equal, revisions that differ often behave the same.
        let most_different = orders.iter().max_by_key(|order| order.values);
        let Some(order) = most_different else { return Some(Verdict::Unsat) };
        let value = |(number, id): (usize, &VariableId)| {
            let value = self.scale.value(order, order.ranks[MOST_CONSTANTS + number]);
            (*id, Bv::new(exprs.variable_width(*id), value))
        };
        Some(Verdict::Sat(Assignment(self.numbers.iter().enumerate().map(value).collect())))
    }
}

/// The constants of a query, and the room for numbers between them.
struct Scale {
    /// The constants in ascending order, as unsigned numbers that keep their order. Each has its
    /// place in the ranks of an [`Order`].
    constants: Vec<(u64, usize)>,
    /// The greatest number.
    most: u64,
    /// The sign bit if numbers are signed, otherwise 0. An exclusive or with it converts between
    /// words and unsigned numbers in the same order.
    sign: u64,
}

impl Scale {
    /// `None` if numbers are compared both as signed and as unsigned ones.
    fn new(circuits: &Circuits<'_>, width: u32) -> Option<Self> {
        let most = u64::MAX >> (u64::BITS - width);
        let sign = if circuits.is_signed()? { 1 << (width - 1) } else { 0 };
        let placed = circuits.constants().iter().enumerate();
        let mut constants: Vec<(u64, usize)> =
            placed.map(|(place, value)| (value ^ sign, place)).collect();
        constants.sort_unstable();
        Some(Self { constants, most, sign })
    }

    /// The order of the constants alone.
    fn order(&self) -> Order {
        self.constants.iter().fold(Order::default(), |order, (_, place)| {
            order.with_value(order.values).with_rank(*place, order.values)
        })
    }

    /// The constants next to a new value with this rank, the lower one first, each with its rank.
    fn around(&self, order: &Order, rank: u8) -> [Option<(u64, u8)>; 2] {
        let ranked = |(value, place): &(u64, usize)| (*value, order.ranks[*place]);
        let above = self.constants.partition_point(|(_, place)| order.ranks[*place] < rank);
        let below = above.checked_sub(1).map(|below| ranked(&self.constants[below]));
        [below, self.constants.get(above).map(ranked)]
    }

    /// Whether there is a number for one more value, with this rank.
    fn has_room(&self, order: &Order, rank: u8) -> bool {
        let [below, above] = self.around(order, rank);
        let first = below.map_or(Some(0), |(value, _)| value.checked_add(1));
        let last = above.map_or(Some(self.most), |(value, _)| value.checked_sub(1));
        let (Some(first), Some(last)) = (first, last) else { return false };
        let taken_from = below.map_or(0, |(_, rank)| rank + 1);
        let taken = above.map_or(order.values, |(_, rank)| rank) - taken_from;
        // `last - first` is one less than the room.
        first <= last && last <= self.most && u64::from(taken) <= last - first
    }

    /// A word for the value with this rank.
    fn value(&self, order: &Order, rank: u8) -> u64 {
        let value = match self.around(order, rank) {
            [_, Some((above, its))] => above - u64::from(its - rank),
            [Some((below, its)), None] => below + u64::from(rank - its),
            // Without constants, the least number is zero if possible.
            [None, None] => {
                let first = self.sign.min(self.most - u64::from(order.values - 1));
                first + u64::from(rank)
            }
        };
        value ^ self.sign
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{super::Layer, *};
    use crate::{
        expr::{BinaryOp, raw::Raw},
        solver::bitwuzla::Incremental,
    };

    /// Conditions over numbers of `width` bits, made by a stack machine from a tape.
    fn conditions(
        exprs: &Exprs,
        width: u32,
        less: BinaryOp,
        tape: &[(u8, usize, u64)],
    ) -> Vec<ExprId> {
        let raw = Raw(exprs);
        let mut words: Vec<ExprId> =
            ["a", "b", "c", "d"].into_iter().map(|name| exprs.input(name, width)).collect();
        let mut truths = vec![raw.binary(less, words[0], words[1])];
        for (what, at, value) in tape {
            let (x, y) = (words[at % words.len()], words[at / 7 % words.len()]);
            let (p, q) = (truths[at % truths.len()], truths[at / 11 % truths.len()]);
            match what % 10 {
                0..3 => truths.push(raw.binary(less, x, y)),
                3 => truths.push(raw.binary(BinaryOp::Eq, x, y)),
                4 => truths.push(raw.binary(BinaryOp::Xor, p, q)),
                5 => truths.push(raw.binary(BinaryOp::And, raw.not(p), q)),
                6 => truths.push(raw.ite(p, q, truths[0])),
                7 => words.push(exprs.constant(width, *value)),
                _ => words.push(raw.ite(p, x, y)),
            }
        }
        truths
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn it_agrees_with_bitwuzla(
            width in prop::sample::select(vec![2u32, 3, 8, 32, 64]),
            less in prop::sample::select(vec![BinaryOp::Slt, BinaryOp::Ult]),
            tape in prop::collection::vec(any::<(u8, usize, u64)>(), 1..30),
            wanted in any::<u64>(),
        ) {
            let exprs = Exprs::new();
            let all = conditions(&exprs, width, less, &tape);
            let mut bitwuzla = Incremental::new(Duration::ZERO);
            let mut goals = Vec::new();
            for (index, condition) in all.into_iter().rev().take(8).enumerate() {
                let is_wanted = wanted >> index & 1 == 1;
                goals.push(if is_wanted { condition } else { Raw(&exprs).not(condition) });
                let query = Query { path_condition: &[], goals: &goals, model: None };
                let Some(search) = Search::new(&exprs, query) else { continue };
                let Some(verdict) = search.run(&exprs) else { continue };
                let expected = bitwuzla.check(&exprs, query);
                prop_assert_eq!(verdict.is_unsat(), expected.is_unsat());
                if let Some(model) = verdict.model() {
                    prop_assert!(goals.iter().all(|goal| exprs.evaluate(*goal, model).is_one()));
                }
            }
        }
    }

    /// The solver, and a function that says how many queries it has left to Bitwuzla.
    fn solver() -> (impl Solver, impl Fn(&dyn Solver) -> u64) {
        let solver = Layer::new(Ranks, Incremental::new(Duration::from_secs(60)));
        (solver, |solver: &dyn Solver| solver.statistics()[1].queries)
    }

    #[test]
    fn two_ways_to_sort_are_one() {
        let exprs = Exprs::new();
        let numbers = ["a", "b", "c", "d", "e"].map(|name| exprs.input(name, 32));
        let swap = |numbers: &mut [ExprId; 5], i: usize, j: usize| {
            let (a, b) = (numbers[i], numbers[j]);
            let less = exprs.slt(b, a);
            (numbers[i], numbers[j]) = (exprs.ite(less, b, a), exprs.ite(less, a, b));
        };
        let (mut bubbled, mut chosen) = (numbers, numbers);
        for end in (1..5).rev() {
            (0..end).for_each(|i| swap(&mut bubbled, i, i + 1));
        }
        for i in 0..5 {
            (i + 1..5).for_each(|j| swap(&mut chosen, i, j));
        }
        let (mut solver, asked) = solver();
        for (a, b) in bubbled.into_iter().zip(chosen) {
            let goals = [exprs.ne(a, b)];
            let query = Query { path_condition: &[], goals: &goals, model: None };
            assert!(solver.check(&exprs, query).is_unsat());
        }
        let goals = [exprs.ne(bubbled[1], chosen[2])];
        let query = Query { path_condition: &[], goals: &goals, model: None };
        assert!(solver.check(&exprs, query).model().is_some());
        assert_eq!(asked(&solver), 0);
    }

    #[test]
    fn numbers_have_no_more_room_than_there_is() {
        let exprs = Exprs::new();
        let [a, b] = ["a", "b"].map(|name| exprs.input(name, 32));
        let k = |value: i32| exprs.constant(32, u64::from(value as u32));
        let (mut solver, asked) = solver();
        let mut between = |low: i32, high: i32| {
            let goals = [exprs.slt(k(low), a), exprs.slt(a, b), exprs.slt(b, k(high))];
            let query = Query { path_condition: &[], goals: &goals, model: None };
            let verdict = solver.check(&exprs, query);
            verdict.model().map(|model| [a, b].map(|e| exprs.evaluate(e, model).to_u64()))
        };
        assert_eq!(between(-2, 0), None);
        assert_eq!(between(-2, 1), Some([Some(0xffff_ffff), Some(0)]));
        assert_eq!(between(i32::MAX - 2, i32::MAX), None);
        assert_eq!(between(i32::MIN, i32::MIN + 2), None);
        assert_eq!(asked(&solver), 0);
    }

    #[test]
    fn what_computes_is_left_to_others() {
        let exprs = Exprs::new();
        let [a, b] = ["a", "b"].map(|name| exprs.input(name, 32));
        let is_taken = |goals: &[ExprId]| {
            Search::new(&exprs, Query { path_condition: &[], goals, model: None }).is_some()
        };
        assert!(is_taken(&[exprs.slt(a, b)]));
        assert!(!is_taken(&[exprs.slt(exprs.add(a, exprs.mul(a, b)), b)]));
        assert!(!is_taken(&[exprs.slt(a, b), exprs.ult(a, b)]));
        assert!(!is_taken(&[exprs.slt(exprs.extract(a, 0, 16), exprs.extract(b, 0, 16))]));
        assert!(!is_taken(&[exprs.bool(true)]));
    }
}
