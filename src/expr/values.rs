//! The possible values of an expression, derived from its first few levels.

use super::{BinaryOp, ExprId, Exprs, Node, TableId, fold};

/// How many terms, apart from constants, are examined for one answer. Choices may nest, and share
/// terms, without bound.
const TERMS: u32 = 256;
/// How many elements of a table are examined.
const ELEMENTS: usize = 4096;

impl Exprs {
    /// A lower and an upper bound of the unsigned value of `e`, which must have at most 64 bits.
    pub fn bounds(&self, e: ExprId) -> (u64, u64) {
        self.bounds_within(e, &mut { TERMS })
    }

    /// A lower and an upper bound of the signed value of `e`, which must have at most 64 bits. They
    /// help with sums of sign-extended numbers, into which C turns every `char`.
    pub fn signed_bounds(&self, e: ExprId) -> (i64, i64) {
        self.signed_within(e, &mut { TERMS })
    }

    /// The values that `e` may have, in ascending order; some may be impossible. `e` must have at
    /// most 64 bits. `None` if there may be more than `most`.
    pub fn few_values(&self, e: ExprId, most: usize) -> Option<Vec<u64>> {
        self.values_within(e, most, &mut { TERMS })
    }

    /// Whether two numbers of one width are certainly integers that are close together, like two
    /// values of a counter. Whatever conditions choose in either, one number is at most `i32::MAX`
    /// more than the other, or both are constants that fit in an `i32`. Two values of a `double`
    /// are not expected to look like this.
    pub fn are_close(&self, a: ExprId, b: ExprId) -> bool {
        self.are_close_within(a, b, &mut { TERMS })
    }

    fn are_close_within(&self, a: ExprId, b: ExprId, left: &mut u32) -> bool {
        let width = self.width(a);
        let Some(rest) = left.checked_sub(1).filter(|_| width <= 64) else { return false };
        *left = rest;
        let spare = 64 - width;
        let is_small = |value: u64| i32::try_from(((value << spare) as i64) >> spare).is_ok();
        if let (Some(x), Some(y)) = (self.as_u64(a), self.as_u64(b)) {
            return is_small(x) && is_small(y);
        }
        let ahead = |e| self.bounds_within(e, &mut { TERMS }).1 <= i32::MAX as u64;
        if [self.sub(a, b), self.sub(b, a)].into_iter().any(ahead) {
            return true;
        }
        let (x, y, other) = match (self.node(a), self.node(b)) {
            (Node::Ite(_, x, y), _) => (x, y, b),
            (_, Node::Ite(_, x, y)) => (x, y, a),
            _ => return false,
        };
        self.are_close_within(x, other, left) && self.are_close_within(y, other, left)
    }

    /// How many of the lowest bits of `e` are certainly zero.
    pub fn low_zeros(&self, e: ExprId) -> u32 {
        self.zeros_within(e, &mut { TERMS })
    }

    fn zeros_within(&self, e: ExprId, left: &mut u32) -> u32 {
        let width = self.width(e);
        if let Some(value) = self.as_bv(e) {
            return value.trailing_zeros().min(width);
        }
        let Some(rest) = left.checked_sub(1) else { return 0 };
        *left = rest;
        match self.node(e) {
            Node::Zext(a) | Node::Sext(a) | Node::Neg(a) => self.zeros_within(a, left),
            Node::Extract { of, low } => self.zeros_within(of, left).saturating_sub(low).min(width),
            Node::Concat(high, low) => match self.zeros_within(low, left) {
                zeros if zeros == self.width(low) => zeros + self.zeros_within(high, left),
                zeros => zeros,
            },
            Node::Ite(_, a, b) | Node::Binary(BinaryOp::Add | BinaryOp::Or, a, b) => {
                self.zeros_within(a, left).min(self.zeros_within(b, left))
            }
            Node::Binary(BinaryOp::And, a, b) => {
                self.zeros_within(a, left).max(self.zeros_within(b, left))
            }
            Node::Binary(BinaryOp::Mul, a, b) => {
                (self.zeros_within(a, left) + self.zeros_within(b, left)).min(width)
            }
            Node::Select(table, index) => {
                let (reached, _) = self.reached(table, index, left);
                if reached.len() > ELEMENTS {
                    return 0;
                }
                reached.iter().map(|e| self.zeros_within(*e, left)).min().unwrap_or(width)
            }
            _ => 0,
        }
    }

    fn bounds_within(&self, e: ExprId, left: &mut u32) -> (u64, u64) {
        let width = self.width(e);
        if width > 64 {
            return (0, u64::MAX);
        }
        let any = (0, fold::mask(width));
        if let Some(value) = self.as_u64(e) {
            return (value, value);
        }
        let Some(rest) = left.checked_sub(1) else { return any };
        *left = rest;
        match self.node(e) {
            Node::Zext(a) => self.bounds_within(a, left),
            Node::Concat(high, low) => {
                let shift = self.width(low);
                let (high, low) = (self.bounds_within(high, left), self.bounds_within(low, left));
                (high.0 << shift | low.0, high.1 << shift | low.1)
            }
            Node::Extract { of, low } if self.width(of) <= 64 => {
                let (least, greatest) = self.bounds_within(of, left);
                if greatest >> low > any.1 { any } else { (least >> low, greatest >> low) }
            }
            Node::Ite(_, a, b) => {
                let (a, b) = (self.bounds_within(a, left), self.bounds_within(b, left));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Select(table, index) => {
                let (reached, beyond) = self.reached(table, index, left);
                if reached.len() > ELEMENTS {
                    return any;
                }
                let start = if beyond { (0, 0) } else { (u64::MAX, 0) };
                reached.iter().fold(start, |bounds, element| {
                    let element = self.bounds_within(*element, left);
                    (bounds.0.min(element.0), bounds.1.max(element.1))
                })
            }
            Node::Binary(op, a, b) if self.width(a) == width => {
                let (a, b) = (self.bounds_within(a, left), self.bounds_within(b, left));
                binary_bounds(op, any.1, a, b).unwrap_or(any)
            }
            _ => any,
        }
    }

    fn signed_within(&self, e: ExprId, left: &mut u32) -> (i64, i64) {
        let width = self.width(e);
        let any = match width {
            1..=64 => (i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
            _ => (i64::MIN, i64::MAX),
        };
        if let Some(value) = self.as_u64(e).filter(|_| width <= 64) {
            let value = fold::signed(width, value);
            return (value, value);
        }
        let Some(rest) = left.checked_sub(1).filter(|_| width <= 64) else { return any };
        *left = rest;
        let fits = |(least, greatest): (i64, i64)| any.0 <= least && greatest <= any.1;
        let positive = |divisor: ExprId| {
            let divisor = self.as_u64(divisor).map(|value| fold::signed(width, value));
            divisor.filter(|divisor| *divisor > 0)
        };
        match self.node(e) {
            Node::Sext(a) => self.signed_within(a, left),
            Node::Neg(a) => {
                let (least, greatest) = self.signed_within(a, left);
                let negated = greatest.checked_neg().zip(least.checked_neg());
                negated.filter(|bounds| fits(*bounds)).unwrap_or(any)
            }
            Node::Ite(_, a, b) => {
                let (a, b) = (self.signed_within(a, left), self.signed_within(b, left));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (self.signed_within(a, left), self.signed_within(b, left));
                let sum = a.0.checked_add(b.0).zip(a.1.checked_add(b.1));
                sum.filter(|bounds| fits(*bounds)).unwrap_or(any)
            }
            // The dividend counts as any number. A quotient of a quotient is already one quotient,
            // and chains of terms are long.
            Node::Binary(BinaryOp::Sdiv, _, b) if let Some(divisor) = positive(b) => {
                (any.0 / divisor, any.1 / divisor)
            }
            Node::Binary(BinaryOp::Srem, _, b) if let Some(divisor) = positive(b) => {
                (1 - divisor, divisor - 1)
            }
            _ => {
                let (least, greatest) = self.bounds_within(e, left);
                match greatest <= any.1 as u64 {
                    true => (least as i64, greatest as i64),
                    false => any,
                }
            }
        }
    }

    fn values_within(&self, e: ExprId, most: usize, left: &mut u32) -> Option<Vec<u64>> {
        let width = self.width(e);
        if width > 64 {
            return None;
        }
        if let Some(value) = self.as_u64(e) {
            return Some(vec![value]);
        }
        *left = left.checked_sub(1)?;
        let few = |mut values: Vec<u64>| {
            values.sort_unstable();
            values.dedup();
            (values.len() <= most).then_some(values)
        };
        match self.node(e) {
            _ if width == 1 => few(vec![0, 1]),
            Node::Zext(a) => self.values_within(a, most, left),
            Node::Sext(a) => {
                let narrow = self.width(a);
                let extended = |value| fold::signed(narrow, value) as u64 & fold::mask(width);
                few(self.values_within(a, most, left)?.into_iter().map(extended).collect())
            }
            Node::Extract { of, low } => {
                let cut = |value: u64| value >> low & fold::mask(width);
                few(self.values_within(of, most, left)?.into_iter().map(cut).collect())
            }
            Node::Ite(_, a, b) => {
                let mut values = self.values_within(a, most, left)?;
                values.extend(self.values_within(b, most, left)?);
                few(values)
            }
            Node::Concat(high, low) => {
                let shift = self.width(low);
                let highs = self.values_within(high, most, left)?;
                let lows = self.values_within(low, most, left)?;
                few(pairs(&highs, &lows, |high, low| high << shift | low))
            }
            Node::Binary(op, a, b) if !op.is_comparison() => {
                let a = self.values_within(a, most, left)?;
                let b = self.values_within(b, most, left)?;
                few(pairs(&a, &b, |a, b| fold::narrow(op, width, a, b)))
            }
            Node::Select(table, index) => {
                let (reached, beyond) = self.reached(table, index, left);
                if reached.len() > ELEMENTS {
                    return None;
                }
                let mut values = if beyond { vec![0] } else { Vec::new() };
                for element in reached {
                    values.extend(self.values_within(*element, most, left)?);
                    values = few(values)?;
                }
                Some(values)
            }
            _ => None,
        }
    }

    /// The elements of a table that `index` may select, and whether it may lie beyond its end.
    fn reached(&self, table: TableId, index: ExprId, left: &mut u32) -> (&[ExprId], bool) {
        let elements = self.table_elements(table);
        let (first, last) = self.bounds_within(index, left);
        let end = elements.len().min(last.saturating_add(1) as usize);
        (&elements[end.min(first as usize)..end], last >= elements.len() as u64)
    }
}

fn pairs(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().flat_map(|a| b.iter().map(|b| f(*a, *b)).collect::<Vec<_>>()).collect()
}

/// Bounds of `op` on operands within `a` and `b`. No operand exceeds `greatest`, the largest number
/// of their width.
fn binary_bounds(op: BinaryOp, greatest: u64, a: (u64, u64), b: (u64, u64)) -> Option<(u64, u64)> {
    let cut = |wide: u128| wide as u64 & greatest;
    let in_one_lap = |least: u128, most: u128| {
        // Both ends have wrapped around equally often, and so has every value between them.
        let lap = |value: u128| value / (u128::from(greatest) + 1);
        (lap(least) == lap(most)).then(|| (cut(least), cut(most)))
    };
    let wide = |x: u64| u128::from(x);
    match op {
        BinaryOp::Add => in_one_lap(wide(a.0) + wide(b.0), wide(a.1) + wide(b.1)),
        BinaryOp::Mul => in_one_lap(wide(a.0) * wide(b.0), wide(a.1) * wide(b.1))
            .filter(|_| wide(a.1) * wide(b.1) <= wide(greatest)),
        BinaryOp::And => Some((0, a.1.min(b.1))),
        BinaryOp::Or => {
            let bits = (a.1 | b.1).checked_ilog2().map_or(0, |bit| fold::mask(bit + 1));
            Some((a.0.max(b.0), bits))
        }
        BinaryOp::Udiv if b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        BinaryOp::Urem if b.0 > 0 => Some(if a.1 < b.0 { a } else { (0, a.1.min(b.1 - 1)) }),
        BinaryOp::Lshr => Some((0, a.1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Assignment, Bv};
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Binary(usize, u64),
        Extend(bool),
        Cut(u32),
        Append(u64),
        Choose(u64),
        Look(u64),
        Square,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..BinaryOp::ALL.len(), prop_oneof![0..9_u64, any::<u64>()])
                .prop_map(|(op, value)| Step::Binary(op, value)),
            any::<bool>().prop_map(Step::Extend),
            (0..4_u32).prop_map(Step::Cut),
            any::<u64>().prop_map(Step::Append),
            any::<u64>().prop_map(Step::Choose),
            any::<u64>().prop_map(Step::Look),
            Just(Step::Square),
        ]
    }

    fn applied(exprs: &Exprs, bit: ExprId, e: ExprId, step: Step) -> ExprId {
        let width = exprs.width(e);
        let constant = |value: u64| exprs.constant(width, value);
        match step {
            Step::Binary(op, value) => exprs.binary(BinaryOp::ALL[op], e, constant(value)),
            Step::Extend(true) if width < 60 => exprs.sext(e, width + 5),
            Step::Extend(_) if width < 60 => exprs.zext(e, width + 5),
            Step::Cut(low) if width > low + 1 => exprs.extract(e, low, width - low - 1),
            Step::Append(value) if width < 60 => exprs.concat(e, exprs.constant(3, value)),
            Step::Choose(value) => exprs.ite(bit, e, constant(value)),
            Step::Look(seed) => {
                let element = |i: u64| exprs.constant(16, seed.wrapping_mul(2 * i + 1) >> 40);
                exprs.select(exprs.table(&(0..5).map(element).collect::<Vec<_>>()), e)
            }
            Step::Square => exprs.binary(BinaryOp::Mul, e, e),
            Step::Extend(_) | Step::Cut(_) | Step::Append(_) => e,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_value_is_among_them(
            steps in proptest::collection::vec(step(), 0..8),
            narrow in any::<bool>(),
            byte in any::<u8>(),
            bit in any::<bool>(),
        ) {
            let exprs = Exprs::new();
            let [x, b] = [exprs.input("x", if narrow { 2 } else { 8 }), exprs.input("b", 1)];
            let byte = if narrow { byte & 3 } else { byte };
            let values = [(x, u64::from(byte)), (b, u64::from(bit))].map(|(e, value)| {
                (exprs.as_variable(e).unwrap(), Bv::new(exprs.width(e), value))
            });
            let assignment = Assignment(values.into_iter().collect());
            let start = if narrow { exprs.ite(b, exprs.constant(9, 3), exprs.constant(9, 500)) } else { x };
            let e = steps.into_iter().fold(start, |e, step| applied(&exprs, b, e, step));
            let value = exprs.evaluate(e, &assignment).to_u64().unwrap();
            let (least, greatest) = exprs.bounds(e);
            prop_assert!((least..=greatest).contains(&value), "{}", exprs.display(e));
            let signed = fold::signed(exprs.width(e), value);
            let (least, greatest) = exprs.signed_bounds(e);
            prop_assert!((least..=greatest).contains(&signed), "{}", exprs.display(e));
            prop_assert!(exprs.progression(e).contains(signed), "{}", exprs.display(e));
            let zeros = exprs.low_zeros(e);
            prop_assert!(value == 0 || value.trailing_zeros() >= zeros, "{}", exprs.display(e));
            if let Some(values) = exprs.few_values(e, 16) {
                prop_assert!(values.contains(&value), "{}", exprs.display(e));
                prop_assert!(values.is_sorted_by(|a, b| a < b));
            }
        }
    }

    #[test]
    fn an_index_of_a_byte_reaches_256_elements() {
        let exprs = Exprs::new();
        let index = exprs.zext(exprs.input("x", 8), 36);
        let offset = exprs.add(exprs.shl(index, exprs.constant(36, 2)), exprs.constant(36, 1308));
        assert_eq!(exprs.bounds(offset), (1308, 1308 + 255 * 4));
        let back = exprs.sub(offset, exprs.constant(36, 1308));
        assert_eq!(exprs.bounds(back), (0, 255 * 4));
        assert_eq!(exprs.few_values(offset, 16), None);
        let is_zero = exprs.eq(index, exprs.constant(36, 0));
        let choice = exprs.ite(is_zero, exprs.constant(36, 24), exprs.constant(36, 8));
        assert_eq!(exprs.few_values(choice, 2), Some(vec![8, 24]));
    }
}
