//! The NaN that an operation makes of concrete values (see the parent module for the rules).

use super::ops::{FloatBinary, Format};

/// The NaN `bits` as an operation passes it on: made quiet. It is the default NaN if the x87
/// rejects the encoding.
pub fn quieted(format: Format, bits: u128) -> u128 {
    if format.is_rejected(bits) { format.default_nan() } else { bits | format.quiet() }
}

/// The NaN that an operation on one operand makes; `None` if the operand is not a NaN.
pub fn of_one(format: Format, a: u128) -> Option<u128> {
    format.is_nan(a).then(|| quieted(format, a))
}

/// The NaN that an operation on two operands makes; `None` if neither is a NaN.
pub fn of_two(op: FloatBinary, format: Format, a: u128, b: u128) -> Option<u128> {
    if format.is_rejected(a) || format.is_rejected(b) {
        return Some(format.default_nan());
    }
    let (a_is_nan, b_is_nan) = (format.is_nan(a), format.is_nan(b));
    let first = match (a_is_nan, b_is_nan) {
        (false, false) => return None,
        (true, false) => true,
        (false, true) => false,
        (true, true) => first_of_two(op, format, a, b),
    };
    Some(quieted(format, if first { a } else { b }))
}

fn first_of_two(op: FloatBinary, format: Format, a: u128, b: u128) -> bool {
    // The quiet bit is the highest bit of the fraction, so a quiet NaN is larger than a signalling
    // one.
    let (x, y) = (a & format.fraction(), b & format.fraction());
    match format {
        Format::Half | Format::Single | Format::Double => true,
        Format::Extended => x > y || x == y && a & format.sign() == 0,
        Format::Quad => x > y || x == y && matches!(op, FloatBinary::Add | FloatBinary::Mul),
    }
}

/// The NaN that an operation on three operands makes. It comes from the first operand that is a
/// NaN, unless the x87 rejects an operand, which makes the default NaN. `None` if no operand is a
/// NaN.
pub fn of_three(format: Format, operands: [u128; 3]) -> Option<u128> {
    if operands.iter().any(|bits| format.is_rejected(*bits)) {
        return Some(format.default_nan());
    }
    operands.into_iter().find_map(|bits| of_one(format, bits))
}

/// The NaN `bits` in another format: the top bits of its fraction are kept.
pub fn converted(from: Format, to: Format, bits: u128) -> u128 {
    if from.is_rejected(bits) {
        return to.default_nan();
    }
    let fraction = bits & from.fraction();
    let (old, new) = (from.fraction_bits(), to.fraction_bits());
    let fraction = if old > new { fraction >> (old - new) } else { fraction << (new - old) };
    let sign = if bits & from.sign() == 0 { 0 } else { to.sign() };
    sign | to.infinity() | to.quiet() | fraction
}
