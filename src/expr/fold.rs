//! The operations on concrete values, once for up to 64 bits and once for any width (SMT-LIB 2.6,
//! theory FixedSizeBitVectors and logic QF_BV).

use num_bigint::BigUint;

use super::BinaryOp;

/// A mask of `width` ones, where `width` is between 1 and 64.
#[inline]
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

pub(super) fn wide_mask(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

pub(super) fn low_bits(value: BigUint, width: u32) -> BigUint {
    if value.bits() <= u64::from(width) { value } else { value & wide_mask(width) }
}

/// The low `width` bits read as two's complement.
#[inline]
pub(super) fn signed(width: u32, value: u64) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

/// Applies `op` to values of `width` <= 64 bits. Operands and result are truncated to their width.
#[inline]
pub(super) fn narrow(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    let mask = mask(width);
    let negative = |x: u64| x >> (width - 1) & 1 == 1;
    let negate = |x: u64| x.wrapping_neg() & mask;
    let magnitude = |x: u64| if negative(x) { negate(x) } else { x };
    let udiv = |x: u64, y: u64| x.checked_div(y).unwrap_or(mask);
    let urem = |x: u64, y: u64| x.checked_rem(y).unwrap_or(x);
    match op {
        BinaryOp::Add => a.wrapping_add(b) & mask,
        BinaryOp::Mul => a.wrapping_mul(b) & mask,
        BinaryOp::Udiv => udiv(a, b),
        BinaryOp::Urem => urem(a, b),
        BinaryOp::Sdiv => {
            let quotient = udiv(magnitude(a), magnitude(b));
            if negative(a) == negative(b) { quotient } else { negate(quotient) }
        }
        BinaryOp::Srem => {
            let remainder = urem(magnitude(a), magnitude(b));
            if negative(a) { negate(remainder) } else { remainder }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => {
            if b < u64::from(width) {
                a << b & mask
            } else {
                0
            }
        }
        BinaryOp::Lshr => {
            if b < u64::from(width) {
                a >> b
            } else {
                0
            }
        }
        BinaryOp::Ashr => (signed(width, a) >> b.min(63)) as u64 & mask,
        BinaryOp::Eq => u64::from(a == b),
        BinaryOp::Ult => u64::from(a < b),
        BinaryOp::Slt => u64::from(signed(width, a) < signed(width, b)),
    }
}

/// Applies `op` to values of any width. Operands and result are truncated to their width.
pub(super) fn wide(op: BinaryOp, width: u32, a: &BigUint, b: &BigUint) -> BigUint {
    let zero = BigUint::ZERO;
    let negative = |x: &BigUint| x.bit(u64::from(width - 1));
    let negate = |x: &BigUint| low_bits((BigUint::from(1u8) << width) - x, width);
    let magnitude = |x: &BigUint| if negative(x) { negate(x) } else { x.clone() };
    let udiv = |x: &BigUint, y: &BigUint| if *y == zero { wide_mask(width) } else { x / y };
    let urem = |x: &BigUint, y: &BigUint| if *y == zero { x.clone() } else { x % y };
    let truth = |x: bool| BigUint::from(u8::from(x));
    let amount = || u32::try_from(b).ok().filter(|amount| *amount < width);
    match op {
        BinaryOp::Add => low_bits(a + b, width),
        BinaryOp::Mul => low_bits(a * b, width),
        BinaryOp::Udiv => udiv(a, b),
        BinaryOp::Urem => urem(a, b),
        BinaryOp::Sdiv => {
            let quotient = udiv(&magnitude(a), &magnitude(b));
            if negative(a) == negative(b) { quotient } else { negate(&quotient) }
        }
        BinaryOp::Srem => {
            let remainder = urem(&magnitude(a), &magnitude(b));
            if negative(a) { negate(&remainder) } else { remainder }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => amount().map_or(zero, |amount| low_bits(a << amount, width)),
        BinaryOp::Lshr => amount().map_or(zero, |amount| a >> amount),
        BinaryOp::Ashr => {
            let amount = amount().unwrap_or(width);
            let sign =
                if negative(a) { wide_mask(width) ^ (wide_mask(width) >> amount) } else { zero };
            (a >> amount) | sign
        }
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ult => truth(a < b),
        BinaryOp::Slt => truth((!negative(a), a) < (!negative(b), b)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interesting() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..4, any::<u64>(), Just(u64::MAX), (0u32..64).prop_map(|bit| 1 << bit)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn both_widths_mean_the_same(width in 1u32..=64, a in interesting(), b in interesting()) {
            let (a, b) = (a & mask(width), b & mask(width));
            for op in BinaryOp::ALL {
                let wide = wide(op, width, &BigUint::from(a), &BigUint::from(b));
                prop_assert_eq!(
                    BigUint::from(narrow(op, width, a, b)), wide, "{:?} {} {} {}", op, width, a, b
                );
            }
        }
    }

    #[test]
    fn division_by_zero_is_that_of_smtlib() {
        assert_eq!(narrow(BinaryOp::Udiv, 8, 7, 0), 0xff);
        assert_eq!(narrow(BinaryOp::Urem, 8, 7, 0), 7);
        assert_eq!(narrow(BinaryOp::Sdiv, 8, 7, 0), 0xff);
        assert_eq!(narrow(BinaryOp::Sdiv, 8, 0xf9, 0), 1);
        assert_eq!(narrow(BinaryOp::Srem, 8, 0xf9, 0), 0xf9);
        assert_eq!(narrow(BinaryOp::Sdiv, 8, 0x80, 0xff), 0x80);
    }
}
