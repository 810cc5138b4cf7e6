//! The value of every floating-point operation on concrete operands. In the default rounding mode,
//! most operations on `float` and `double` run natively. The others use a port of LLVM's `APFloat`;
//! square roots that do not run natively are computed with integers.

use std::cmp::Ordering;

use num_bigint::BigUint;
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{Double, Half, Quad, Single, X87DoubleExtended},
};

use super::{
    nan,
    ops::{FloatBinary, FloatRelation, FloatUnary, Format, Rounding},
};

/// Evaluates the body with `$Type` as the `rustc_apfloat` type of a format.
macro_rules! in_format {
    ($format:expr, $Type:ident => $body:expr) => {
        match $format {
            Format::Half => {
                type $Type = Half;
                $body
            }
            Format::Single => {
                type $Type = Single;
                $body
            }
            Format::Double => {
                type $Type = Double;
                $body
            }
            Format::Extended => {
                type $Type = X87DoubleExtended;
                $body
            }
            Format::Quad => {
                type $Type = Quad;
                $body
            }
        }
    };
}

fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Zero => Round::TowardZero,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
    }
}

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The low `width` bits read as two's complement.
fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width;
    (bits << unused) as i128 >> unused
}

/// Applies `op` to the low `from` bits of `a`; the result has `to` bits.
///
/// # Panics
/// If no format has the width of a floating-point operand or result, or if an integer is wider than
/// 128 bits.
pub fn unary(op: FloatUnary, rounding: Rounding, from: u32, to: u32, a: u128) -> u128 {
    let format = |width| Format::of(width).expect("the width of a format");
    match op {
        FloatUnary::Sqrt => square_root(format(from), rounding, a),
        FloatUnary::RoundToIntegral => to_integral(format(from), rounding, a),
        FloatUnary::Convert => convert(format(from), format(to), rounding, a),
        FloatUnary::FromSigned => from_signed(format(to), rounding, signed(from, a)),
        FloatUnary::FromUnsigned => from_unsigned(format(to), rounding, a & mask(from)),
        FloatUnary::ToSigned => to_signed(format(from), to, a),
        FloatUnary::ToUnsigned => to_unsigned(format(from), to, a),
    }
}

/// The value of `a op b`.
pub fn binary(op: FloatBinary, rounding: Rounding, format: Format, a: u128, b: u128) -> u128 {
    macro_rules! native {
        ($read:ident) => {{
            let (x, y) = ($read(a), $read(b));
            let value = match op {
                FloatBinary::Add => x + y,
                FloatBinary::Sub => x - y,
                FloatBinary::Mul => x * y,
                FloatBinary::Div => x / y,
            };
            (!value.is_nan()).then(|| u128::from(value.to_bits()))
        }};
    }
    let number = match (format, rounding) {
        (Format::Single, Rounding::NearestEven) => native!(single),
        (Format::Double, Rounding::NearestEven) => native!(double),
        _ => in_format!(format, F => {
            let (x, y, round) = (F::from_bits(a), F::from_bits(b), round(rounding));
            let value = match op {
                FloatBinary::Add => x.add_r(y, round),
                FloatBinary::Sub => x.sub_r(y, round),
                FloatBinary::Mul => x.mul_r(y, round),
                FloatBinary::Div => x.div_r(y, round),
            };
            (!value.value.is_nan()).then(|| value.value.to_bits())
        }),
    };
    number.unwrap_or_else(|| nan::of_two(op, format, a, b).unwrap_or(format.default_nan()))
}

/// The value of `a * b + c`, rounded once.
pub fn mul_add(rounding: Rounding, format: Format, operands: [u128; 3]) -> u128 {
    if let Some(nan) = nan::of_three(format, operands) {
        return nan;
    }
    let [a, b, c] = operands;
    in_format!(format, F => {
        let [a, b, c] = [a, b, c].map(F::from_bits);
        let value = a.mul_add_r(b, c, round(rounding)).value;
        if value.is_nan() { format.default_nan() } else { value.to_bits() }
    })
}

/// How `a` compares with `b`; `None` if either is a NaN.
pub fn order(format: Format, a: u128, b: u128) -> Option<Ordering> {
    match format {
        Format::Single => single(a).partial_cmp(&single(b)),
        Format::Double => double(a).partial_cmp(&double(b)),
        _ => in_format!(format, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    }
}

/// Whether `a relation b`.
pub fn compare(relation: FloatRelation, format: Format, a: u128, b: u128) -> bool {
    let order = order(format, a, b);
    match relation {
        FloatRelation::Equal => order == Some(Ordering::Equal),
        FloatRelation::Less => order == Some(Ordering::Less),
        FloatRelation::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

fn to_integral(format: Format, rounding: Rounding, a: u128) -> u128 {
    if let Some(nan) = nan::of_one(format, a) {
        return nan;
    }
    in_format!(format, F => F::from_bits(a).round_to_integral(round(rounding)).value.to_bits())
}

fn convert(from: Format, to: Format, rounding: Rounding, a: u128) -> u128 {
    if from.is_nan(a) {
        return nan::converted(from, to, a);
    }
    fn between<A: FloatConvert<B>, B: Float>(a: u128, round: Round) -> u128 {
        A::from_bits(a).convert_r(round, &mut false).value.to_bits()
    }
    match (from, to, rounding) {
        (Format::Single, Format::Double, _) => u128::from(f64::from(single(a)).to_bits()),
        (Format::Double, Format::Single, Rounding::NearestEven) => {
            u128::from((double(a) as f32).to_bits())
        }
        _ => in_format!(from, A => in_format!(to, B => between::<A, B>(a, round(rounding)))),
    }
}

fn from_signed(to: Format, rounding: Rounding, a: i128) -> u128 {
    match (to, rounding) {
        (Format::Single, Rounding::NearestEven) => u128::from((a as f32).to_bits()),
        (Format::Double, Rounding::NearestEven) => u128::from((a as f64).to_bits()),
        _ => in_format!(to, F => F::from_i128_r(a, round(rounding)).value.to_bits()),
    }
}

fn from_unsigned(to: Format, rounding: Rounding, a: u128) -> u128 {
    match (to, rounding) {
        (Format::Single, Rounding::NearestEven) => u128::from((a as f32).to_bits()),
        (Format::Double, Rounding::NearestEven) => u128::from((a as f64).to_bits()),
        _ => in_format!(to, F => F::from_u128_r(a, round(rounding)).value.to_bits()),
    }
}

fn to_signed(from: Format, width: u32, a: u128) -> u128 {
    let (low, high) = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
    let value = match from {
        _ if from.is_nan(a) => 0,
        Format::Single => single(a) as i128,
        Format::Double => double(a) as i128,
        _ => in_format!(from, F => F::from_bits(a).to_i128(128).value),
    };
    value.clamp(low, high) as u128 & mask(width)
}

fn to_unsigned(from: Format, width: u32, a: u128) -> u128 {
    let value = match from {
        _ if from.is_nan(a) => 0,
        Format::Single => single(a) as u128,
        Format::Double => double(a) as u128,
        _ => in_format!(from, F => F::from_bits(a).to_u128(128).value),
    };
    value.min(mask(width))
}

fn square_root(format: Format, rounding: Rounding, a: u128) -> u128 {
    match (format, rounding) {
        _ if format.is_nan(a) => nan::quieted(format, a),
        _ if a & !format.sign() == 0 || a == format.infinity() => a,
        _ if a & format.sign() != 0 => format.default_nan(),
        (Format::Single, Rounding::NearestEven) => u128::from(single(a).sqrt().to_bits()),
        (Format::Double, Rounding::NearestEven) => u128::from(double(a).sqrt().to_bits()),
        _ => exact_root(format, rounding, a),
    }
}

/// The square root of a positive finite number: the integer square root of its shifted significand.
/// The significand is shifted left until the root has one bit more than the format's precision.
fn exact_root(format: Format, rounding: Rounding, a: u128) -> u128 {
    let bias = (1_i64 << (format.exponent_bits() - 1)) - 1;
    let biased = (a >> format.exponent_low()) as i64;
    let hidden = u128::from(biased != 0) << format.fraction_bits();
    let significand = (a & format.fraction()) | hidden | (a & format.integer_bit());
    let fraction_bits = i64::from(format.fraction_bits());
    let exponent = biased.max(1) - bias - fraction_bits;
    let length = i64::from(128 - significand.leading_zeros());
    let precision = i64::from(format.precision());
    let mut shift = 2 * precision + 1 - length;
    if (exponent - shift) % 2 != 0 {
        shift += 1;
    }
    let square = BigUint::from(significand) << shift as u64;
    let root = square.sqrt();
    let exact = &root * &root == square;
    let root = u128::try_from(root).expect("one bit more than a significand");
    // A root never lies halfway between two numbers, because the square of such a point has too
    // many bits.
    let up = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => root & 1 == 1,
        Rounding::Zero | Rounding::Down => false,
        Rounding::Up => root & 1 == 1 || !exact,
    };
    let mut result = (root >> 1) + u128::from(up);
    let mut power = (exponent - shift) / 2 + 1;
    if result >> format.precision() != 0 {
        result >>= 1;
        power += 1;
    }
    let biased = (power + fraction_bits + bias) as u128;
    biased << format.exponent_low() | format.integer_bit() | result & format.fraction()
}
