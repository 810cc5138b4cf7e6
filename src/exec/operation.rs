//! Integer operations as the machine does them: on numbers of at most 64 bits, and as expressions.
//!
//! Each operation is implemented twice, as the two ways have nothing in common. They have to agree
//! on all operands.

use crate::{
    expr::{ExprId, Exprs},
    ir::{BinaryOp, Cast, OverflowOp, Predicate, UnaryOp},
    memory::value::{signed, truncate},
};

/// Whether a comparison of two values of at most 64 bits holds.
#[inline(always)]
pub(super) fn concrete_compare(predicate: Predicate, width: u32, x: u64, y: u64) -> bool {
    let (sx, sy) = (signed(x, width), signed(y, width));
    match predicate {
        Predicate::Eq => x == y,
        Predicate::Ne => x != y,
        Predicate::Ult => x < y,
        Predicate::Ule => x <= y,
        Predicate::Ugt => x > y,
        Predicate::Uge => x >= y,
        Predicate::Slt => sx < sy,
        Predicate::Sle => sx <= sy,
        Predicate::Sgt => sx > sy,
        Predicate::Sge => sx >= sy,
    }
}

/// The conversion of a value of at most 64 bits; `None` if the result is wider.
#[inline(always)]
pub(super) fn concrete_cast(cast: Cast, from: u32, to: u32, x: u64) -> Option<u64> {
    (to <= 64).then(|| match cast {
        Cast::Trunc => truncate(x, to),
        Cast::Zext => x,
        Cast::Sext => truncate(signed(x, from) as u64, to),
    })
}

/// The result of an operation on values of `width` bits; `None` if it is an error (division by
/// zero, the quotient that does not fit) or they have more than 64 bits.
#[inline(always)]
pub(super) fn concrete_binary(op: BinaryOp, width: u32, x: u64, y: u64) -> Option<u64> {
    if width > 64 {
        return None;
    }
    let (sx, sy) = (signed(x, width), signed(y, width));
    let (low, high) = (i128::from(i64::MIN >> (64 - width)), i128::from(i64::MAX >> (64 - width)));
    let clamp = |exact: i128| exact.clamp(low, high) as u64;
    let divides = || y != 0 && !(sy == -1 && i128::from(sx) == low);
    let value = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Udiv => x.checked_div(y)?,
        BinaryOp::Urem => x.checked_rem(y)?,
        BinaryOp::Sdiv if divides() => sx.wrapping_div(sy) as u64,
        BinaryOp::Srem if divides() => sx.wrapping_rem(sy) as u64,
        BinaryOp::Sdiv | BinaryOp::Srem => return None,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x.checked_shl(shift_count(width, y)).unwrap_or(0),
        BinaryOp::Lshr => x.checked_shr(shift_count(width, y)).unwrap_or(0),
        BinaryOp::Ashr => (sx >> shift_count(width, y).min(63)) as u64,
        BinaryOp::Umin => x.min(y),
        BinaryOp::Umax => x.max(y),
        BinaryOp::Smin => sx.min(sy) as u64,
        BinaryOp::Smax => sx.max(sy) as u64,
        BinaryOp::UaddSat => {
            (u128::from(x) + u128::from(y)).min(u128::from(truncate(u64::MAX, width))) as u64
        }
        BinaryOp::UsubSat => x.saturating_sub(y),
        BinaryOp::SaddSat => clamp(i128::from(sx) + i128::from(sy)),
        BinaryOp::SsubSat => clamp(i128::from(sx) - i128::from(sy)),
    };
    Some(truncate(value, width))
}

/// The result of an operation on a value of `width` bits; `None` if `width` is more than 64.
pub(super) fn concrete_unary(op: UnaryOp, width: u32, x: u64) -> Option<u64> {
    let unused = 64_u32.checked_sub(width)?;
    Some(match op {
        UnaryOp::Bswap => x.swap_bytes() >> unused,
        UnaryOp::Bitreverse => x.reverse_bits() >> unused,
        UnaryOp::Popcount => u64::from(x.count_ones()),
        UnaryOp::Clz => u64::from(x.leading_zeros()) - u64::from(unused),
        UnaryOp::Ctz => u64::from(x.trailing_zeros()).min(u64::from(width)),
        UnaryOp::Abs => truncate(signed(x, width).unsigned_abs(), width),
    })
}

/// The effective count of a shift. C leaves counts of the width or more undefined; here the low
/// bits of the count decide, as on the machine (Intel SDM, volume 2, SAL/SAR/SHL/SHR: narrow
/// operands count as 32 bits).
#[inline(always)]
fn shift_count(width: u32, count: u64) -> u32 {
    let significant = if width > 32 { 63 } else { 31 };
    (count & significant) as u32
}

/// The effective count of a shift ([`shift_count`]) as an expression. Shifts of more than 64 bits
/// are made of 64-bit ones, so their counts wrap at the next power of two.
fn shift_count_expr(exprs: &Exprs, width: u32, count: ExprId) -> ExprId {
    let modulus = u64::from(width.max(32).next_power_of_two());
    if width < 64 && modulus > (1 << width) - 1 {
        return count;
    }
    exprs.and(count, exprs.constant(width, modulus - 1))
}

/// The result of an operation that is no error, on values of `width` bits.
pub(super) fn binary_expr(exprs: &Exprs, op: BinaryOp, width: u32, a: ExprId, b: ExprId) -> ExprId {
    let saturated = |is_signed: bool, sum: &dyn Fn(ExprId, ExprId) -> ExprId| {
        let wide = width + 2;
        let extend = |e| if is_signed { exprs.sext(e, wide) } else { exprs.zext(e, wide) };
        let exact = sum(extend(a), extend(b));
        let (low, high) = if is_signed {
            let low = exprs.sext(smallest(exprs, width), wide);
            (low, exprs.not(low))
        } else {
            (exprs.constant(wide, 0), exprs.zext(exprs.not(exprs.constant(width, 0)), wide))
        };
        let cut = exprs.ite(exprs.slt(exact, low), low, exact);
        exprs.extract(exprs.ite(exprs.slt(high, cut), high, cut), 0, width)
    };
    match op {
        BinaryOp::Add => exprs.add(a, b),
        BinaryOp::Sub => exprs.sub(a, b),
        BinaryOp::Mul => exprs.mul(a, b),
        BinaryOp::Udiv => exprs.udiv(a, b),
        BinaryOp::Sdiv => exprs.sdiv(a, b),
        BinaryOp::Urem => exprs.urem(a, b),
        BinaryOp::Srem => exprs.srem(a, b),
        BinaryOp::And => exprs.and(a, b),
        BinaryOp::Or => exprs.or(a, b),
        BinaryOp::Xor => exprs.xor(a, b),
        BinaryOp::Shl => exprs.shl(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Lshr => exprs.lshr(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Ashr => exprs.ashr(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Umin => exprs.ite(exprs.ult(a, b), a, b),
        BinaryOp::Umax => exprs.ite(exprs.ult(a, b), b, a),
        BinaryOp::Smin => exprs.ite(exprs.slt(a, b), a, b),
        BinaryOp::Smax => exprs.ite(exprs.slt(a, b), b, a),
        BinaryOp::UaddSat => saturated(false, &|x, y| exprs.add(x, y)),
        BinaryOp::UsubSat => saturated(false, &|x, y| exprs.sub(x, y)),
        BinaryOp::SaddSat => saturated(true, &|x, y| exprs.add(x, y)),
        BinaryOp::SsubSat => saturated(true, &|x, y| exprs.sub(x, y)),
    }
}

/// The least signed number of `width` bits.
pub(super) fn smallest(exprs: &Exprs, width: u32) -> ExprId {
    if width == 1 {
        return exprs.constant(1, 1);
    }
    exprs.concat(exprs.constant(1, 1), exprs.constant(width - 1, 0))
}

/// Whether a comparison holds.
pub(super) fn compare_expr(exprs: &Exprs, predicate: Predicate, a: ExprId, b: ExprId) -> ExprId {
    match predicate {
        Predicate::Eq => exprs.eq(a, b),
        Predicate::Ne => exprs.ne(a, b),
        Predicate::Ult => exprs.ult(a, b),
        Predicate::Ule => exprs.ule(a, b),
        Predicate::Ugt => exprs.ult(b, a),
        Predicate::Uge => exprs.ule(b, a),
        Predicate::Slt => exprs.slt(a, b),
        Predicate::Sle => exprs.sle(a, b),
        Predicate::Sgt => exprs.slt(b, a),
        Predicate::Sge => exprs.sle(b, a),
    }
}

/// The conversion of a value to `to` bits.
pub(super) fn cast_expr(exprs: &Exprs, cast: Cast, to: u32, a: ExprId) -> ExprId {
    match cast {
        Cast::Trunc => exprs.extract(a, 0, to),
        Cast::Zext => exprs.zext(a, to),
        Cast::Sext => exprs.sext(a, to),
    }
}

/// The result of an operation on a value of `width` bits.
pub(super) fn unary_expr(exprs: &Exprs, op: UnaryOp, width: u32, a: ExprId) -> ExprId {
    let bit = |i| exprs.extract(a, i, 1);
    // The walk begins at the far end, so the last bit that it finds decides.
    let count = |order: &mut dyn Iterator<Item = u32>| {
        let mut value = exprs.constant(width, u64::from(width));
        for (distance, index) in order.enumerate().collect::<Vec<_>>().into_iter().rev() {
            let here = exprs.constant(width, distance as u64);
            value = exprs.ite(bit(index), here, value);
        }
        value
    };
    match op {
        UnaryOp::Bswap => (1..width / 8).fold(exprs.extract(a, 0, 8), |high, byte| {
            exprs.concat(high, exprs.extract(a, byte * 8, 8))
        }),
        UnaryOp::Bitreverse => (1..width).fold(bit(0), |high, i| exprs.concat(high, bit(i))),
        UnaryOp::Popcount => (0..width)
            .fold(exprs.constant(width, 0), |sum, i| exprs.add(sum, exprs.zext(bit(i), width))),
        UnaryOp::Clz => count(&mut (0..width).rev()),
        UnaryOp::Ctz => count(&mut (0..width)),
        UnaryOp::Abs => {
            let negative = exprs.slt(a, exprs.constant(width, 0));
            exprs.ite(negative, exprs.neg(a), a)
        }
    }
}

/// The wrapped result of an operation on values of `width` bits, and whether the exact one differs
/// from it.
pub(super) fn overflow_exprs(
    exprs: &Exprs,
    op: OverflowOp,
    width: u32,
    a: ExprId,
    b: ExprId,
) -> (ExprId, ExprId) {
    let is_signed = matches!(op, OverflowOp::Sadd | OverflowOp::Ssub | OverflowOp::Smul);
    let wide = 2 * width + 1;
    let extend = |e| if is_signed { exprs.sext(e, wide) } else { exprs.zext(e, wide) };
    let (x, y) = (extend(a), extend(b));
    let exact = match op {
        OverflowOp::Uadd | OverflowOp::Sadd => exprs.add(x, y),
        OverflowOp::Usub | OverflowOp::Ssub => exprs.sub(x, y),
        OverflowOp::Umul | OverflowOp::Smul => exprs.mul(x, y),
    };
    let wrapped = exprs.extract(exact, 0, width);
    (wrapped, exprs.ne(extend(wrapped), exact))
}

/// A funnel shift of two joined values of `width` bits. With `left`, it gives the upper half after
/// a shift to the left, otherwise the lower half after a shift to the right. The count is taken
/// modulo `width`.
pub(super) fn funnel_expr(
    exprs: &Exprs,
    left: bool,
    width: u32,
    [high, low]: [ExprId; 2],
    by: ExprId,
) -> ExprId {
    let joined = exprs.concat(high, low);
    let by = exprs.urem(by, exprs.constant(width, u64::from(width)));
    let by = exprs.zext(by, 2 * width);
    match left {
        true => exprs.extract(exprs.shl(joined, by), width, width),
        false => exprs.extract(exprs.lshr(joined, by), 0, width),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expr::{Assignment, Bv, VariableKind};

    const WIDTHS: [u32; 9] = [1, 3, 8, 16, 17, 31, 32, 63, 64];
    const BINARY: [BinaryOp; 21] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Udiv,
        BinaryOp::Sdiv,
        BinaryOp::Urem,
        BinaryOp::Srem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Lshr,
        BinaryOp::Ashr,
        BinaryOp::Umin,
        BinaryOp::Umax,
        BinaryOp::Smin,
        BinaryOp::Smax,
        BinaryOp::UaddSat,
        BinaryOp::UsubSat,
        BinaryOp::SaddSat,
        BinaryOp::SsubSat,
    ];
    const PREDICATES: [Predicate; 10] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Ult,
        Predicate::Ule,
        Predicate::Ugt,
        Predicate::Uge,
        Predicate::Slt,
        Predicate::Sle,
        Predicate::Sgt,
        Predicate::Sge,
    ];
    const UNARY: [UnaryOp; 6] = [
        UnaryOp::Bswap,
        UnaryOp::Bitreverse,
        UnaryOp::Popcount,
        UnaryOp::Clz,
        UnaryOp::Ctz,
        UnaryOp::Abs,
    ];
    const OVERFLOW: [OverflowOp; 6] = [
        OverflowOp::Uadd,
        OverflowOp::Sadd,
        OverflowOp::Usub,
        OverflowOp::Ssub,
        OverflowOp::Umul,
        OverflowOp::Smul,
    ];

    /// Variables with given values. Terms over them are not computed before they are evaluated.
    struct Given {
        exprs: Exprs,
        assignment: Assignment,
    }

    impl Given {
        fn new() -> Self {
            Self { exprs: Exprs::new(), assignment: Assignment::default() }
        }

        fn variable(&mut self, name: &str, width: u32, value: u64) -> ExprId {
            let e = self.exprs.variable(name, width, VariableKind::Input);
            let variable = self.exprs.as_variable(e).unwrap();
            self.assignment.0.insert(variable, Bv::new(width, value));
            e
        }

        fn value(&self, e: ExprId) -> u64 {
            self.exprs.evaluate(e, &self.assignment).to_u64().unwrap()
        }
    }

    /// Numbers, most of them near those at which something changes.
    fn number() -> impl Strategy<Value = u64> {
        let near = |start: u64| (-3_i64..4).prop_map(move |by| start.wrapping_add(by as u64));
        let power = (0_u32..64).prop_flat_map(move |bit| near(1 << bit));
        prop_oneof![near(0), power, any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn expressions_have_the_values_of_operations_on_numbers(x in number(), y in number()) {
            for width in WIDTHS {
                let (x, y) = (truncate(x, width), truncate(y, width));
                let mut given = Given::new();
                let (a, b) = (given.variable("a", width, x), given.variable("b", width, y));
                for op in BINARY {
                    let Some(value) = concrete_binary(op, width, x, y) else { continue };
                    let e = binary_expr(&given.exprs, op, width, a, b);
                    prop_assert_eq!(given.value(e), value, "{:?} of {} bits", op, width);
                }
                for predicate in PREDICATES {
                    let holds = u64::from(concrete_compare(predicate, width, x, y));
                    let e = compare_expr(&given.exprs, predicate, a, b);
                    prop_assert_eq!(given.value(e), holds, "{:?} of {} bits", predicate, width);
                }
                for op in UNARY {
                    if op == UnaryOp::Bswap && width % 16 != 0 {
                        continue;
                    }
                    let value = concrete_unary(op, width, x).unwrap();
                    let e = unary_expr(&given.exprs, op, width, a);
                    prop_assert_eq!(given.value(e), value, "{:?} of {} bits", op, width);
                }
                for to in WIDTHS {
                    let casts = if to < width { &[Cast::Trunc][..] } else { &[Cast::Zext, Cast::Sext] };
                    for cast in casts.iter().copied().filter(|_| to != width) {
                        let value = concrete_cast(cast, width, to, x).unwrap();
                        let e = cast_expr(&given.exprs, cast, to, a);
                        prop_assert_eq!(given.value(e), value, "{:?} from {} to {}", cast, width, to);
                    }
                }
            }
        }

        /// The exact result is computed with integers that are wide enough.
        #[test]
        fn what_is_not_exact_overflows(x in number(), y in number()) {
            for width in WIDTHS {
                let (x, y) = (truncate(x, width), truncate(y, width));
                let mut given = Given::new();
                let (a, b) = (given.variable("a", width, x), given.variable("b", width, y));
                for op in OVERFLOW {
                    let is_signed =
                        matches!(op, OverflowOp::Sadd | OverflowOp::Ssub | OverflowOp::Smul);
                    let wide = |x| match is_signed {
                        true => i128::from(signed(x, width)),
                        false => i128::from(x),
                    };
                    let (wide_x, wide_y) = (wide(x), wide(y));
                    // The product of two unsigned numbers of 64 bits may have 128.
                    let exact = match op {
                        OverflowOp::Uadd | OverflowOp::Sadd => Some(wide_x + wide_y),
                        OverflowOp::Usub | OverflowOp::Ssub => Some(wide_x - wide_y),
                        OverflowOp::Umul | OverflowOp::Smul => wide_x.checked_mul(wide_y),
                    };
                    let low = wide_x.wrapping_mul(wide_y) as u64;
                    let wrapped = truncate(exact.map_or(low, |exact| exact as u64), width);
                    let (value, overflow) = overflow_exprs(&given.exprs, op, width, a, b);
                    prop_assert_eq!(given.value(value), wrapped, "{:?} of {} bits", op, width);
                    let differs = exact != Some(wide(wrapped));
                    let flag = given.value(overflow);
                    prop_assert_eq!(flag, u64::from(differs), "{:?} of {} bits", op, width);
                }
            }
        }

        /// A funnel shift of a value with itself is a rotation.
        #[test]
        fn funnels_shift_bits_from_one_value_into_the_other(x: u32, y: u32, by: u32) {
            let joined = u64::from(x) << 32 | u64::from(y);
            let mut given = Given::new();
            let pair = [given.variable("a", 32, x.into()), given.variable("b", 32, y.into())];
            let count = given.variable("by", 32, by.into());
            let value = |left, pair| {
                let e = funnel_expr(&given.exprs, left, 32, pair, count);
                given.value(e) as u32
            };
            prop_assert_eq!(value(true, pair), ((joined << (by % 32)) >> 32) as u32);
            prop_assert_eq!(value(false, pair), (joined >> (by % 32)) as u32);
            prop_assert_eq!(value(true, [pair[0]; 2]), x.rotate_left(by));
            prop_assert_eq!(value(false, [pair[0]; 2]), x.rotate_right(by));
        }
    }

    /// For counts of the width and more, the machine takes the low bits. Narrower operands count as
    /// 32 bits.
    #[test]
    fn shifts_take_the_low_bits_of_their_count() {
        let shifted = |op, width, x, y| concrete_binary(op, width, x, y).unwrap();
        assert_eq!(shifted(BinaryOp::Shl, 32, 1, 33), 2);
        assert_eq!(shifted(BinaryOp::Lshr, 64, 4, 65), 2);
        assert_eq!(shifted(BinaryOp::Shl, 8, 1, 9), 0);
        assert_eq!(shifted(BinaryOp::Lshr, 8, 0x80, 9), 0);
        assert_eq!(shifted(BinaryOp::Ashr, 8, 0x80, 9), 0xff);
        assert_eq!(shifted(BinaryOp::Shl, 8, 1, 32), 1);
    }

    #[test]
    fn a_quotient_that_is_none_is_an_error() {
        for op in [BinaryOp::Udiv, BinaryOp::Urem, BinaryOp::Sdiv, BinaryOp::Srem] {
            assert_eq!(concrete_binary(op, 32, 7, 0), None, "{op:?}");
        }
        let least = 1 << 31;
        for op in [BinaryOp::Sdiv, BinaryOp::Srem] {
            assert_eq!(concrete_binary(op, 32, least, truncate(u64::MAX, 32)), None, "{op:?}");
        }
        assert_eq!(concrete_binary(BinaryOp::Sdiv, 32, least, 1), Some(least));
    }
}
