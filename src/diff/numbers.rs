//! The whole numbers of an input: parameters of an entry function, objects of the size of a number,
//! and the integers of typed standard input. Conditions over them become expressions.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use crate::{
    env::libc::{
        stdin::Stdin,
        stream::{Atom, NumberFormat},
    },
    exec::HaltState,
    expr::{Assignment, BinaryOp, Bv, ExprId, Exprs, Node, VariableId},
    replay::TestInput,
    tree::{Condition, Term},
};

/// The integers whose names say what they are, and whether each is signed: the parameters of an
/// entry function. A program has none. There, every object of the size of a number is taken for a
/// signed number, as tests show it.
pub type Signs = BTreeMap<String, bool>;

/// A whole number of the input.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Number {
    origin: Origin,
    pub(super) variable: VariableId,
    width: u32,
    signed: bool,
}

/// Where a number comes from.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Origin {
    /// The object of this name.
    Object(String),
    /// The integer of standard input with this place among its integers, from 0.
    Token(usize),
}

/// The numbers that the states take in. Numbers that states take in differently are left out.
pub(super) fn numbers<'s>(
    exprs: &Exprs,
    states: impl Iterator<Item = &'s HaltState>,
    signs: Option<&Signs>,
) -> Vec<Number> {
    let mut found: BTreeSet<Number> = BTreeSet::new();
    for state in states {
        for object in state.world.objects.iter() {
            let width = object.bytes.len() as u32 * 8;
            let signed = signs.map_or(Some(true), |signs| signs.get(&object.name).copied());
            let variables = object.bytes.first().map(|byte| exprs.variables(*byte));
            if let (Some(&[variable]), Some(signed)) = (variables, signed)
                && exprs.variable_width(variable) == width
            {
                let origin = Origin::Object(object.name.clone());
                found.insert(Number { origin, variable, width, signed });
            }
        }
        let tokens = integers(state).enumerate().filter_map(|(place, (value, format))| {
            let variable = exprs.as_variable(value)?;
            let (origin, width) = (Origin::Token(place), exprs.width(value));
            Some(Number { origin, variable, width, signed: format.signed })
        });
        found.extend(tokens);
    }
    let is_only = |number: &&Number| {
        found.iter().filter(|other| other.origin == number.origin).count() == 1
            && number.width <= 64
    };
    found.iter().filter(is_only).cloned().collect()
}

/// The integers of typed standard input.
fn integers(state: &HaltState) -> impl Iterator<Item = (ExprId, NumberFormat)> {
    let Stdin::Typed(typed) = &state.world.stdin else { return Vec::new().into_iter() };
    let integer = |atom| match atom {
        Atom::Number { value, format } => Some((value, format)),
        Atom::Literal(_) | Atom::Byte(_) | Atom::Real { .. } => None,
    };
    typed.file().atoms().filter_map(integer).collect::<Vec<_>>().into_iter()
}

impl Number {
    /// The name of the number for people. `all` are the numbers of the input.
    pub(super) fn name(&self, all: &[Number]) -> String {
        match &self.origin {
            Origin::Object(name) => name.clone(),
            Origin::Token(0) if !all.iter().any(|n| matches!(n.origin, Origin::Token(1..))) => {
                "n".into()
            }
            Origin::Token(place) => format!("n{}", place + 1),
        }
    }

    /// Whether the number is read from standard input.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.origin, Origin::Token(_))
    }

    /// The values of the number's type.
    pub(super) fn bounds(&self) -> RangeInclusive<i128> {
        let values = 1_i128 << self.width;
        let least = if self.signed { -(values / 2) } else { 0 };
        least..=least + values - 1
    }

    /// The number's value under an assignment.
    pub(super) fn value(&self, model: &Assignment) -> i128 {
        let bits = model.0.get(&self.variable).and_then(Bv::to_u64).unwrap_or_default();
        self.meant(bits.into())
    }

    /// The number that these bits mean.
    fn meant(&self, bits: i128) -> i128 {
        if self.bounds().contains(&bits) { bits } else { bits - (1 << self.width) }
    }

    /// Gives the number a value of its type.
    pub(super) fn give(&self, value: i128, model: &mut Assignment) {
        model.0.insert(self.variable, Bv::new(self.width, value as u64));
    }

    /// The number's value in a test. If it is read, standard input must consist of numbers alone.
    pub(super) fn given(&self, test: &TestInput) -> Option<i128> {
        match &self.origin {
            Origin::Object(name) => {
                let bytes =
                    test.object(name).filter(|bytes| bytes.len() * 8 == self.width as usize)?;
                let bits = Bv::from_le_bytes(self.width, bytes).to_u64()?;
                Some(self.meant(bits.into()))
            }
            Origin::Token(place) => {
                let text = str::from_utf8(test.stdin.as_deref()?).ok()?;
                let words: Result<Vec<i128>, _> = text.split_whitespace().map(str::parse).collect();
                words.ok()?.get(*place).copied().filter(|value| self.bounds().contains(value))
            }
        }
    }

    /// The number's value as an expression of `width` bits, which are enough.
    fn expr(&self, exprs: &Exprs, width: u32) -> ExprId {
        let own = exprs.variable_expr(self.variable);
        if self.signed { exprs.sext(own, width) } else { exprs.zext(own, width) }
    }
}

/// A term as an expression, wide enough for all its values, and whether it is signed.
fn term(exprs: &Exprs, numbers: &[Number], term: Term) -> (ExprId, bool) {
    let of = |x: usize, y: usize, operation: fn(&Exprs, ExprId, ExprId) -> ExprId| {
        let width = numbers[x].width.max(numbers[y].width) + 2;
        operation(exprs, numbers[x].expr(exprs, width), numbers[y].expr(exprs, width))
    };
    let remainder = |x: usize, by: u32| {
        // The divisor may be wider than the number.
        let width = numbers[x].width.max(u32::BITS) + 1;
        exprs.srem(numbers[x].expr(exprs, width), exprs.constant(width, by.into()))
    };
    match term {
        Term::Input(x) => (exprs.variable_expr(numbers[x].variable), numbers[x].signed),
        Term::Difference(x, y) => (of(x, y, Exprs::sub), true),
        Term::Sum(x, y) => (of(x, y, Exprs::add), true),
        Term::Divides(x, by) => {
            let rest = remainder(x, by);
            (exprs.eq(rest, exprs.constant(exprs.width(rest), 0)), false)
        }
        Term::Remainder(x, by) => (remainder(x, by), true),
    }
}

/// Whether a term is in a range.
pub(super) fn within(
    exprs: &Exprs,
    numbers: &[Number],
    of: Term,
    range: &RangeInclusive<i128>,
) -> ExprId {
    let (value, signed) = term(exprs, numbers, of);
    let width = exprs.width(value);
    let least = if signed { -(1_i128 << (width - 1)) } else { 0 };
    let largest = least + (1_i128 << width) - 1;
    let (low, high) = (*range.start(), *range.end());
    if low > largest || high < least {
        return exprs.bool(false);
    }
    let constant = |end: i128| exprs.bv(&Bv::from_u128(width, end as u128));
    let at_most = |a, b| if signed { exprs.sle(a, b) } else { exprs.ule(a, b) };
    let above = (low > least).then(|| at_most(constant(low), value));
    let below = (high < largest).then(|| at_most(value, constant(high)));
    exprs.all(above.into_iter().chain(below))
}

/// A condition over the numbers as an expression.
pub(super) fn holds(exprs: &Exprs, numbers: &[Number], condition: &Condition) -> ExprId {
    let any = condition.any_of().iter().map(|all| {
        exprs.all(all.iter().map(|(of, ranges)| {
            exprs.any(ranges.iter().map(|range| within(exprs, numbers, *of, range)))
        }))
    });
    exprs.any(any)
}

/// The constants in expressions, as signed and as unsigned numbers.
pub(super) fn constants(exprs: &Exprs, roots: &[ExprId]) -> BTreeSet<i128> {
    let mut found = BTreeSet::new();
    each_node(exprs, roots, |e| {
        let width = exprs.width(e);
        if let (Some(bits), 2..) = (exprs.as_u64(e), width) {
            found.insert(i128::from(bits));
            found.insert(i128::from((bits << (64 - width)) as i64 >> (64 - width)));
        }
    });
    found
}

/// The constants by which one of `numbers` is divided, each with the number: the divisor of `%`, or
/// that of a mask or a slice that takes the lowest bits.
pub(super) fn moduli(
    exprs: &Exprs,
    roots: &[ExprId],
    numbers: &[Number],
) -> BTreeSet<(usize, u32)> {
    let place = |e: ExprId| {
        let &[variable] = exprs.variables(e) else { return None };
        numbers.iter().position(|number| number.variable == variable)
    };
    let mut found = BTreeSet::new();
    each_node(exprs, roots, |e| {
        let (of, by) = match exprs.node(e) {
            Node::Binary(BinaryOp::Urem | BinaryOp::Srem, a, b) => (a, exprs.as_u64(b)),
            Node::Binary(BinaryOp::And, a, b) => {
                let (mask, of) = if exprs.as_u64(a).is_some() { (a, b) } else { (b, a) };
                (of, exprs.as_u64(mask).and_then(|mask| mask.checked_add(1)))
            }
            // Bytes are slices, too.
            Node::Extract { of, low: 0 } if exprs.width(e) < 8 => (of, Some(1 << exprs.width(e))),
            _ => return,
        };
        let is_power = || by.is_some_and(u64::is_power_of_two);
        let is_rest = !matches!(exprs.node(e), Node::Binary(BinaryOp::And, ..)) || is_power();
        if let (Some(place), Some(by)) = (place(of), by.and_then(|by| u32::try_from(by).ok()))
            && by >= 2
            && is_rest
        {
            found.insert((place, by));
        }
    });
    found
}

/// Calls `visit` for every node of the expressions once.
fn each_node(exprs: &Exprs, roots: &[ExprId], mut visit: impl FnMut(ExprId)) {
    let mut seen: BTreeSet<ExprId> = BTreeSet::new();
    let mut open: Vec<ExprId> = roots.to_vec();
    while let Some(e) = open.pop() {
        if seen.insert(e) {
            visit(e);
            exprs.for_each_operand(e, |operand| open.push(operand));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::Conjunction;

    fn number(exprs: &Exprs, name: &str, width: u32, signed: bool) -> Number {
        let variable = exprs.as_variable(exprs.input(name, width)).unwrap();
        Number { origin: Origin::Object(name.into()), variable, width, signed }
    }

    /// Some numbers of different types.
    fn some(exprs: &Exprs) -> [Number; 3] {
        [("a", 8, true), ("b", 32, false), ("c", 64, false)]
            .map(|(name, width, signed)| number(exprs, name, width, signed))
    }

    fn value() -> impl Strategy<Value = i128> {
        let of_type =
            prop_oneof![Just(0), Just(1 << 31), Just(1 << 32), Just(1 << 63), Just(1 << 64)];
        prop_oneof![-5i128..5, (of_type, -3i128..3).prop_map(|(base, more)| base + more)]
    }

    fn a_term() -> impl Strategy<Value = Term> {
        let place = || 0..3_usize;
        prop_oneof![
            place().prop_map(Term::Input),
            (place(), place()).prop_map(|(x, y)| Term::Difference(x, y)),
            (place(), place()).prop_map(|(x, y)| Term::Sum(x, y)),
            (place(), 2_u32..9).prop_map(|(x, m)| Term::Divides(x, m)),
            (place(), prop_oneof![2_u32..9, Just(u32::MAX)])
                .prop_map(|(x, m)| Term::Remainder(x, m)),
        ]
    }

    proptest! {
        #[test]
        fn conditions_mean_the_same_as_expressions(
            parts in prop::collection::vec((a_term(), value(), value(), 0..3), 1..4),
            inputs in prop::array::uniform3(value()),
        ) {
            let exprs = Exprs::new();
            let numbers = some(&exprs);
            let part = |(term, x, y, open): (Term, i128, i128, i32)| {
                let range = match open {
                    0 => x.min(y)..=x.max(y),
                    1 => i128::MIN..=x,
                    _ => x..=i128::MAX,
                };
                (term, vec![range])
            };
            let all: Conjunction = parts.into_iter().map(part).collect();
            let condition = Condition::new([all]);
            let mut model = Assignment::default();
            for (number, value) in numbers.iter().zip(inputs) {
                number.give(value, &mut model);
            }
            let given: Vec<i128> = numbers.iter().map(|number| number.value(&model)).collect();
            for (number, value) in numbers.iter().zip(&given) {
                prop_assert!(number.bounds().contains(value));
            }
            let found = !exprs.evaluate(holds(&exprs, &numbers, &condition), &model).is_zero();
            prop_assert_eq!(found, condition.holds(&given), "{:?} {:?}", condition, given);
        }
    }

    #[test]
    fn values_of_tests() {
        let exprs = Exprs::new();
        let mut test = TestInput { stdin: Some(b"5 -3\n300\n".to_vec()), ..TestInput::default() };
        test.objects.push(("a".into(), vec![0xff]));
        test.objects.push(("b".into(), vec![0xff]));
        let [a, b, _] = some(&exprs);
        assert_eq!((a.given(&test), b.given(&test)), (Some(-1), None));
        let token = |place| Number { origin: Origin::Token(place), ..a.clone() }.given(&test);
        assert_eq!([0, 1, 2, 3].map(token), [Some(5), Some(-3), None, None]);
    }

    #[test]
    fn what_numbers_are_divided_by() {
        let exprs = Exprs::new();
        let numbers = some(&exprs);
        let b = exprs.input("b", 32);
        let roots = [
            exprs.eq(exprs.urem(b, exprs.constant(32, 100)), exprs.constant(32, 7)),
            exprs.eq(exprs.and(b, exprs.constant(32, 3)), exprs.constant(32, 1)),
        ];
        let found: Vec<(usize, u32)> = moduli(&exprs, &roots, &numbers).into_iter().collect();
        assert_eq!(found, [(1, 4), (1, 100)]);
        assert!(constants(&exprs, &roots).contains(&7));
    }
}
