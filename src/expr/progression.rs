//! Arithmetic progressions, such as the offsets of one field in an array of structures.

use super::{BinaryOp, ExprId, Exprs, Node, fold};

/// The number of terms that are examined for one answer.
const TERMS: u32 = 64;

/// The numbers that are `first` plus or minus a multiple of `step`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Progression {
    first: i128,
    step: u64,
}

impl Progression {
    /// All numbers.
    pub const ALL: Self = Self { first: 0, step: 1 };

    /// The distance between neighbours; 0 if there is only one number.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Whether the progression contains a number.
    pub fn contains(&self, value: i64) -> bool {
        let distance = i128::from(value) - self.first;
        match self.step {
            0 => distance == 0,
            step => distance % i128::from(step) == 0,
        }
    }

    /// The numbers of the progression from 0 to `last`, in ascending order.
    pub fn up_to(&self, last: u64) -> impl Iterator<Item = u64> {
        let step = self.step.max(1);
        let least = match self.step {
            0 => u64::try_from(self.first).ok(),
            step => Some(self.first.rem_euclid(i128::from(step)) as u64),
        };
        let most = if self.step == 0 { 1 } else { usize::MAX };
        let next = move |at: &u64| at.checked_add(step);
        let all = std::iter::successors(least, next).take(most);
        all.take_while(move |at| *at <= last)
    }
}

/// The signed values that belong to a progression and are at most `reach` from 0.
#[derive(Clone, Copy)]
struct Values {
    numbers: Progression,
    reach: i128,
}

impl Values {
    fn only(value: i128) -> Self {
        Self { numbers: Progression { first: value, step: 0 }, reach: value.abs() }
    }

    fn plus(self, other: Self) -> Self {
        let first = self.numbers.first + other.numbers.first;
        let step = gcd(self.numbers.step, other.numbers.step);
        Self { numbers: Progression { first, step }, reach: self.reach + other.reach }
    }

    /// The multiples by `factor`; `None` if numbers become too large.
    fn times(self, factor: i128) -> Option<Self> {
        let step = i128::from(self.numbers.step).checked_mul(factor)?.unsigned_abs();
        let first = self.numbers.first.checked_mul(factor)?;
        let numbers = Progression { first, step: u64::try_from(step).ok()? };
        Some(Self { numbers, reach: self.reach.checked_mul(factor.abs())? })
    }

    fn or(self, other: Self) -> Self {
        let apart = (self.numbers.first - other.numbers.first).unsigned_abs();
        // Both have at most 64 bits.
        let step = gcd(gcd(self.numbers.step, other.numbers.step), apart as u64);
        let numbers = Progression { first: self.numbers.first, step };
        Self { numbers, reach: self.reach.max(other.reach) }
    }
}

impl Exprs {
    /// A progression that contains the signed value of `e`, which must have at most 64 bits. Sums
    /// and products that may overflow count as any number.
    pub fn progression(&self, e: ExprId) -> Progression {
        self.progression_within(e, &mut { TERMS }).numbers
    }

    fn progression_within(&self, e: ExprId, left: &mut u32) -> Values {
        if let Some(value) = self.as_signed(e) {
            return Values::only(value);
        }
        let found = left.checked_sub(1).and_then(|rest| {
            *left = rest;
            self.progression_of(e, left)
        });
        let most = 1_i128 << (self.width(e) - 1);
        let fits = |values: &Values| values.reach < most && values.numbers.first.abs() < most;
        found.filter(fits).unwrap_or_else(|| {
            let (least, greatest) = self.signed_bounds(e);
            let reach = i128::from(least).abs().max(i128::from(greatest).abs());
            Values { numbers: Progression::ALL, reach }
        })
    }

    /// The values of one term, on the assumption that nothing overflows.
    fn progression_of(&self, e: ExprId, left: &mut u32) -> Option<Values> {
        match self.node(e) {
            Node::Sext(a) => Some(self.progression_within(a, left)),
            Node::Zext(a) if self.signed_bounds(a).0 >= 0 => Some(self.progression_within(a, left)),
            Node::Neg(a) => self.progression_within(a, left).times(-1),
            Node::Ite(_, a, b) => {
                Some(self.progression_within(a, left).or(self.progression_within(b, left)))
            }
            Node::Concat(high, low) => {
                let low = (self.as_u64(low)?, self.width(low));
                let high = self.progression_within(high, left).times(1 << low.1)?;
                Some(high.plus(Values::only(i128::from(low.0))))
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                Some(self.progression_within(a, left).plus(self.progression_within(b, left)))
            }
            Node::Binary(BinaryOp::Mul, a, b) => match (self.as_signed(a), self.as_signed(b)) {
                (Some(factor), _) => self.progression_within(b, left).times(factor),
                (_, Some(factor)) => self.progression_within(a, left).times(factor),
                _ => None,
            },
            Node::Binary(BinaryOp::Shl, a, b) => {
                let count = self.as_u64(b).filter(|count| *count < u64::from(self.width(a)))?;
                self.progression_within(a, left).times(1 << count)
            }
            _ => None,
        }
    }

    /// The signed value of a constant of at most 64 bits.
    fn as_signed(&self, e: ExprId) -> Option<i128> {
        Some(i128::from(fold::signed(self.width(e), self.as_u64(e)?)))
    }
}

/// The greatest common divisor. That of 0 and a number is the number.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use crate::expr::{ExprId, Exprs};

    /// The offsets up to 100.
    fn offsets(exprs: &Exprs, e: ExprId) -> Vec<u64> {
        exprs.progression(e).up_to(100).collect()
    }

    #[test]
    fn a_field_in_an_array_of_structures_is_at_multiples_of_their_size() {
        let exprs = Exprs::new();
        let index = exprs.sext(exprs.input("index", 32), 64);
        let constant = |value: i64| exprs.constant(64, value as u64);
        let element = exprs.mul(index, constant(24));
        let field = exprs.add(element, constant(16));
        assert_eq!(offsets(&exprs, field), [16, 40, 64, 88]);
        assert_eq!(offsets(&exprs, exprs.add(element, constant(-8))), [16, 40, 64, 88]);
        let shifted = exprs.shl(index, constant(5));
        assert_eq!(offsets(&exprs, exprs.add(shifted, constant(16))), [16, 48, 80]);
        let is_first = exprs.eq(index, constant(0));
        let chosen = exprs.ite(is_first, constant(4), field);
        assert_eq!(offsets(&exprs, chosen), [4, 16, 28, 40, 52, 64, 76, 88, 100]);
    }

    #[test]
    fn what_may_overflow_is_any_number() {
        let exprs = Exprs::new();
        let index = exprs.input("index", 32);
        let element = exprs.mul(index, exprs.constant(32, 24));
        assert_eq!(offsets(&exprs, exprs.sext(element, 64)).len(), 101);
        assert_eq!(offsets(&exprs, exprs.zext(element, 64)).len(), 101);
        let long = exprs.mul(exprs.input("long", 64), exprs.constant(64, 24));
        assert_eq!(offsets(&exprs, long).len(), 101);
    }
}
