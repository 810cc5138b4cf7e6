//! Queries about a few bytes are decided by trying all of their values.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::{Assignment, Bv, ExprId, Exprs, LANES, Lanes, VariableId};

/// The widest variable, in bits: its values are the lanes of one [`Lanes`].
const WIDEST: u32 = LANES.ilog2();
/// Variables of one query.
const MOST_VARIABLES: usize = 4;
/// Terms that mention several variables, times the combinations they are evaluated for: some ten
/// milliseconds.
const MOST_WORK: usize = 1 << 23;
/// Columns remembered before all are forgotten, of 2 KiB each.
const MOST_COLUMNS: usize = 1 << 12;

/// Decides queries about at most four variables of at most a byte.
///
/// A term that mentions one variable has a column: its value for each value of the variable. The
/// constraints with one variable leave some values of it; those of them that all columns below the
/// other constraints agree on are alike, and one stands for all. The other constraints are evaluated
/// for each combination of what is left, many at once. This is complete, so none is a proof.
///
/// Text that a program reads, and tables that it looks its bytes up in, make most queries of this
/// kind; a SAT solver takes a hundred times as long to see that no byte is both a digit and a letter.
#[derive(Default)]
pub struct Enumeration {
    /// Of terms with one variable or none; `None` where a term is no matter of lanes.
    columns: FxHashMap<ExprId, Option<Arc<Lanes>>>,
}

impl Decorator for Enumeration {
    const NAME: &'static str = "enumeration";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        match self.enumerate(exprs, query) {
            Some(verdict) => (verdict, true),
            None => (below.check(exprs, query), false),
        }
    }
}

/// A variable of a query.
struct Variable {
    id: VariableId,
    width: u32,
    /// Values that the constraints with this variable alone leave, ascending.
    values: Vec<u8>,
}

/// The terms of a query that mention several variables, and what they are made of.
struct Circuit {
    /// Operands come first.
    slots: Vec<Slot>,
    slot_of: FxHashMap<ExprId, usize>,
    constraints: Vec<ExprId>,
}

enum Slot {
    /// A term that mentions one variable: the position of that variable, its column.
    Column(usize, Arc<Lanes>),
    /// A term that mentions several.
    Term(ExprId),
}

impl Enumeration {
    /// The verdict, if the query is of this kind and small enough.
    fn enumerate(&mut self, exprs: &Exprs, query: Query<'_>) -> Option<Verdict> {
        let mut variables = variables(exprs, query)?;
        if self.columns.len() > MOST_COLUMNS {
            self.columns.clear();
        }
        let mut several = Vec::new();
        for constraint in query.constraints() {
            match exprs.variables(constraint) {
                [one] => {
                    let column = self.column(exprs, constraint)?;
                    let variable = variables.iter_mut().find(|variable| variable.id == *one)?;
                    variable.values.retain(|value| column[usize::from(*value)] == 1);
                    if variable.values.is_empty() {
                        return Some(Verdict::Unsat);
                    }
                }
                [] if exprs.is_true(constraint) => {}
                [] => return exprs.is_false(constraint).then_some(Verdict::Unsat),
                _ => several.push(constraint),
            }
        }
        if !several.is_empty() {
            let circuit = self.circuit(exprs, several, &variables)?;
            for (position, variable) in variables.iter_mut().enumerate() {
                circuit.keep_one_of_each(position, &mut variable.values);
            }
            let combinations: usize =
                variables.iter().map(|variable| variable.values.len()).product();
            if combinations.checked_mul(circuit.slots.len())? > MOST_WORK {
                return None;
            }
            let Some(found) = circuit.first_that_holds(exprs, &variables, combinations) else {
                return Some(Verdict::Unsat);
            };
            for (position, variable) in variables.iter_mut().enumerate() {
                variable.values = vec![found[position]];
            }
        }
        let values = variables
            .iter()
            .map(|variable| (variable.id, Bv::new(variable.width, u64::from(variable.values[0]))));
        Some(Verdict::Sat(Assignment(values.collect())))
    }

    /// What a term with one variable is for each of its values.
    fn column(&mut self, exprs: &Exprs, e: ExprId) -> Option<Arc<Lanes>> {
        exprs.post_order(
            &[e],
            &mut self.columns,
            |columns, e| exprs.as_u64(e).is_some() || columns.contains_key(&e),
            |columns, e| {
                let column = match exprs.as_variable(e) {
                    Some(_) => Some(std::array::from_fn(|value| value as u64)),
                    None => exprs.lanes(e, |operand| columns.get(&operand)?.as_deref()),
                };
                columns.insert(e, column.map(Arc::new));
            },
        );
        self.columns.get(&e)?.clone()
    }

    /// `None` if a term has no lanes, or there are too many.
    fn circuit(
        &mut self,
        exprs: &Exprs,
        constraints: Vec<ExprId>,
        variables: &[Variable],
    ) -> Option<Circuit> {
        let mut slots = Vec::new();
        let mut slot_of: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut stack: Vec<(ExprId, bool)> = constraints.iter().map(|e| (*e, false)).collect();
        while let Some((e, operands_done)) = stack.pop() {
            if exprs.as_u64(e).is_some() || slot_of.contains_key(&e) {
                continue;
            }
            let slot = match exprs.variables(e) {
                [one] => {
                    let position = variables.iter().position(|variable| variable.id == *one)?;
                    Slot::Column(position, self.column(exprs, e)?)
                }
                _ if operands_done => Slot::Term(e),
                _ => {
                    if !exprs.has_lanes(e) || slots.len() > MOST_WORK / LANES {
                        return None;
                    }
                    stack.push((e, true));
                    exprs.for_each_operand(e, |operand| stack.push((operand, false)));
                    continue;
                }
            };
            slot_of.insert(e, slots.len());
            slots.push(slot);
        }
        Some(Circuit { slots, slot_of, constraints })
    }
}

/// The variables of a query with all of their values; `None` if they are too many or too wide.
fn variables(exprs: &Exprs, query: Query<'_>) -> Option<Vec<Variable>> {
    let mut found: Vec<Variable> = Vec::new();
    for constraint in query.constraints() {
        for id in exprs.variables(constraint) {
            if found.iter().any(|variable| variable.id == *id) {
                continue;
            }
            let width = exprs.variable_width(*id);
            if width > WIDEST || found.len() == MOST_VARIABLES {
                return None;
            }
            let greatest = u8::MAX >> (u8::BITS - width);
            found.push(Variable { id: *id, width, values: (0..=greatest).collect() });
        }
    }
    Some(found)
}

impl Circuit {
    /// Keeps the first of those values of a variable that all its columns agree on.
    fn keep_one_of_each(&self, position: usize, values: &mut Vec<u8>) {
        let columns: Vec<&Lanes> = self
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Column(of, column) if *of == position => Some(&**column),
                _ => None,
            })
            .collect();
        let mut seen = FxHashSet::default();
        values.retain(|value| {
            seen.insert(
                columns.iter().map(|column| column[usize::from(*value)]).collect::<Vec<_>>(),
            )
        });
    }

    /// The first combination of values that satisfies all constraints; the last variable changes
    /// fastest.
    fn first_that_holds(
        &self,
        exprs: &Exprs,
        variables: &[Variable],
        combinations: usize,
    ) -> Option<Vec<u8>> {
        let mut lanes: Vec<Lanes> = vec![[0; LANES]; self.slots.len()];
        let mut chosen: Vec<[u8; LANES]> = vec![[0; LANES]; variables.len()];
        for first in (0..combinations).step_by(LANES) {
            let count = LANES.min(combinations - first);
            for lane in 0..count {
                let mut rest = first + lane;
                for (variable, chosen) in variables.iter().zip(&mut chosen).rev() {
                    let values = &variable.values;
                    chosen[lane] = values[rest % values.len()];
                    rest /= values.len();
                }
            }
            for (index, slot) in self.slots.iter().enumerate() {
                let (done, rest) = lanes.split_at_mut(index);
                match slot {
                    Slot::Column(position, column) => {
                        let chosen = &chosen[*position];
                        rest[0] = std::array::from_fn(|lane| column[usize::from(chosen[lane])]);
                    }
                    Slot::Term(e) => {
                        let lanes = exprs.lanes(*e, |operand| done.get(self.slot_of[&operand]));
                        rest[0] = lanes.expect("a circuit has such terms only");
                    }
                }
            }
            let constraints = || self.constraints.iter().map(|e| &lanes[self.slot_of[e]]);
            let holds = |lane: &usize| constraints().all(|truths| truths[*lane] == 1);
            if let Some(lane) = (0..count).find(holds) {
                return Some(chosen.iter().map(|chosen| chosen[lane]).collect());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        expr::{BinaryOp, raw::Raw},
        solver::bitwuzla::Incremental,
    };

    /// A term over three bytes, as a stack machine makes it of a tape: nothing is simplified.
    fn term(exprs: &Exprs, tape: &[(u8, u64)]) -> ExprId {
        let raw = Raw(exprs);
        let mut stack: Vec<ExprId> =
            ["x", "y", "z"].into_iter().map(|name| exprs.input(name, 8)).collect();
        let table: Vec<_> = (0..40).map(|i| exprs.constant(16, i * i % 7)).collect();
        let mixed = [stack[0], exprs.constant(8, 5), stack[1]];
        for (what, value) in tape {
            let a = stack[*value as usize % stack.len()];
            let b = stack[*value as usize / 3 % stack.len()];
            let width = exprs.width(a);
            let b = match exprs.width(b).cmp(&width) {
                std::cmp::Ordering::Less => raw.zext(b, width),
                std::cmp::Ordering::Equal => b,
                std::cmp::Ordering::Greater => raw.extract(b, 0, width),
            };
            stack.push(match what % 24 {
                op @ 0..15 => raw.binary(BinaryOp::ALL[usize::from(op)], a, b),
                15 => raw.not(a),
                16 => raw.neg(a),
                17 => raw.ite(raw.binary(BinaryOp::Ult, a, b), b, a),
                18 if width < 64 => raw.sext(a, 64),
                19 if width <= 32 => raw.concat(a, b),
                20 => raw.extract(a, width / 2, width - width / 2),
                21 => raw.select(&table, a),
                22 => raw.select(&mixed, b),
                _ => exprs.constant(width, *value),
            });
        }
        let last = *stack.last().expect("three at least");
        raw.binary(BinaryOp::Ult, last, exprs.constant(exprs.width(last), 77))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn it_agrees_with_bitwuzla(
            tapes in prop::collection::vec(prop::collection::vec(any::<(u8, u64)>(), 1..12), 1..5),
        ) {
            let exprs = Exprs::new();
            let mut bitwuzla = Incremental::new(Duration::ZERO);
            let mut enumeration = Enumeration::default();
            let mut goals = Vec::new();
            for tape in tapes {
                let goal = term(&exprs, &tape);
                for goal in [goal, Raw(&exprs).not(goal)] {
                    goals.push(goal);
                    let query = Query { path: &[], goals: &goals, model: None };
                    let expected = bitwuzla.check(&exprs, query);
                    if let Some(verdict) = enumeration.enumerate(&exprs, query) {
                        prop_assert_eq!(verdict.is_unsat(), expected.is_unsat());
                        for goal in verdict.model().into_iter().flat_map(|_| &goals) {
                            let model = verdict.model().expect("looked just now");
                            prop_assert_eq!(exprs.evaluate(*goal, model).to_u64(), Some(1));
                        }
                    }
                    goals.pop();
                }
                goals.push(goal);
            }
        }
    }

    #[test]
    fn bytes_that_are_used_alike_are_one() {
        let exprs = Exprs::new();
        let bytes = ["a", "b", "c", "d"].map(|name| exprs.input(name, 8));
        let is_digit = |e| {
            let at_least = exprs.ule(exprs.constant(8, u64::from(b'0')), e);
            exprs.and(at_least, exprs.ule(e, exprs.constant(8, u64::from(b'9'))))
        };
        let digits = bytes.map(|e| exprs.zext(is_digit(e), 8));
        let sum = digits.into_iter().reduce(|a, b| exprs.add(a, b)).expect("four");
        let mut ask = |count| {
            let goals = [exprs.eq(sum, exprs.constant(8, count))];
            Enumeration::default()
                .enumerate(&exprs, Query { path: &[], goals: &goals, model: None })
        };
        let verdict = ask(4).expect("sixteen combinations");
        let values = bytes.map(|e| exprs.evaluate(e, verdict.model().expect("four digits")));
        assert_eq!(values, [(); 4].map(|()| Bv::new(8, u64::from(b'0'))));
        assert!(ask(5).expect("sixteen combinations").is_unsat());
    }

    #[test]
    fn what_is_too_much_is_left_to_others() {
        let exprs = Exprs::new();
        let mut ask = |goal| {
            Enumeration::default()
                .enumerate(&exprs, Query { path: &[], goals: &[goal], model: None })
                .is_none()
        };
        let bytes = ["a", "b", "c", "d"].map(|name| exprs.input(name, 8));
        let product = bytes.into_iter().reduce(|a, b| exprs.mul(a, b)).expect("four");
        assert!(ask(exprs.eq(product, exprs.constant(8, 77))));
        let word = exprs.input("word", 16);
        assert!(ask(exprs.ult(word, exprs.constant(16, 77))));
        let wide =
            exprs.concat(exprs.mul(exprs.zext(bytes[0], 65), exprs.zext(bytes[1], 65)), word);
        assert!(ask(exprs.eq(exprs.extract(wide, 40, 1), exprs.bool(true))));
    }
}
