//! Floating point in Bitwuzla's theory, where a number is not a bit-vector and there is only one
//! NaN.
//!
//! The result of an operation is kept as a number, which the next operation uses directly. If the
//! bits of a result are requested, they are a new constant, *defined* by the number that it
//! encodes. For a NaN, they are the bits that the operation gives a NaN. A definition can always be
//! satisfied, whatever else holds. It accompanies each condition that mentions the bits (see
//! [`super::translate`]).

use std::sync::Arc;

use bitwuzla_sys as sys;

use super::{
    ffi::Term,
    translation::{Float, Native, Translator},
};
use crate::expr::{
    BinaryOp, Bv, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Node, Rounding,
    float::Format,
};

impl Translator<'_> {
    /// Translates `e` if it is an operation on numbers, or only passes numbers on or changes their
    /// sign; otherwise returns `None`.
    pub fn float_node(&mut self, e: ExprId) -> Option<Native> {
        let exprs = self.exprs;
        let width = exprs.width(e);
        Some(match exprs.node(e) {
            Node::FloatUnary(op, rounding, a) if op.to_float() => {
                let value = self.float_unary(op, rounding, a, width);
                Native::Float(Float { value, nan: self.nan_bits(e) })
            }
            Node::FloatUnary(op, _, a) => {
                Native::Bits(self.float_to_integer(op == FloatUnary::ToSigned, a, width))
            }
            Node::FloatBinary(op, rounding, a, b) => {
                // The theory has only one NaN. So sums and products commute, and a difference is a
                // sum: the same number becomes the same term.
                let (mut a, mut b) = (self.float(a), self.float(b));
                let kind = match op {
                    FloatBinary::Add | FloatBinary::Sub => sys::BITWUZLA_KIND_FP_ADD,
                    FloatBinary::Mul => sys::BITWUZLA_KIND_FP_MUL,
                    FloatBinary::Div => sys::BITWUZLA_KIND_FP_DIV,
                };
                if op == FloatBinary::Sub {
                    b = self.to.term1(sys::BITWUZLA_KIND_FP_NEG, b);
                }
                if op != FloatBinary::Div && b.number() < a.number() {
                    (a, b) = (b, a);
                }
                let operands = [self.to.rounding(rounding), a, b];
                let value = self.to.term(kind, &operands);
                Native::Float(Float { value, nan: self.nan_bits(e) })
            }
            Node::FloatMulAdd(rounding, [a, b, c]) => {
                let mode = self.to.rounding(rounding);
                let operands = [mode, self.float(a), self.float(b), self.float(c)];
                let value = self.to.term(sys::BITWUZLA_KIND_FP_FMA, &operands);
                Native::Float(Float { value, nan: self.nan_bits(e) })
            }
            Node::FloatCompare(relation, a, b) if self.are_plain_bits(a, b) => {
                Native::Truth(self.truth_of_new(compared(exprs, relation, a, b)))
            }
            Node::FloatCompare(FloatRelation::Equal, a, b) if a == b => {
                let is_nan = self.is_nan(a);
                Native::Truth(self.to.term1(sys::BITWUZLA_KIND_NOT, is_nan))
            }
            Node::FloatCompare(relation, a, b) => {
                let kind = match relation {
                    FloatRelation::Equal => sys::BITWUZLA_KIND_FP_EQUAL,
                    FloatRelation::Less => sys::BITWUZLA_KIND_FP_LT,
                    FloatRelation::LessOrEqual => sys::BITWUZLA_KIND_FP_LEQ,
                };
                let (a, b) = (self.float(a), self.float(b));
                Native::Truth(self.to.term2(kind, a, b))
            }
            Node::Ite(c, a, b) if self.both_numbers(a, b) => {
                let (condition, x, y) = (self.truth(c), self.float(a), self.float(b));
                let value = self.to.ite(condition, x, y);
                let nan = exprs.ite(c, self.bits_of_nan(a), self.bits_of_nan(b));
                Native::Float(Float { value, nan })
            }
            Node::Binary(BinaryOp::Eq, a, b) if self.both_numbers(a, b) => {
                let (x, y) = (self.float(a), self.float(b));
                let same_value = self.to.term2(sys::BITWUZLA_KIND_EQUAL, x, y);
                let same_nan = exprs.eq(self.bits_of_nan(a), self.bits_of_nan(b));
                let (is_nan, same_nan) = (self.is_nan(a), self.truth_of_new(same_nan));
                let number = self.to.term1(sys::BITWUZLA_KIND_NOT, is_nan);
                let same_nan = self.to.term2(sys::BITWUZLA_KIND_OR, number, same_nan);
                Native::Truth(self.to.term2(sys::BITWUZLA_KIND_AND, same_value, same_nan))
            }
            Node::Binary(BinaryOp::Xor, a, sign) => {
                let sign_bit = exprs.as_bv(sign)?.log2()?;
                let number = self.number(a).filter(|_| sign_bit + 1 == width)?;
                self.note(a);
                let value = self.to.term1(sys::BITWUZLA_KIND_FP_NEG, number.value);
                Native::Float(Float { value, nan: exprs.xor(number.nan, sign) })
            }
            // A number without its sign.
            Node::Zext(magnitude) if exprs.width(magnitude) + 1 == width => {
                let Node::Extract { of, low: 0 } = exprs.node(magnitude) else { return None };
                let number = self.number(of).filter(|_| exprs.width(of) == width)?;
                self.note(of);
                let value = self.to.term1(sys::BITWUZLA_KIND_FP_ABS, number.value);
                let nan = exprs.zext(exprs.extract(number.nan, 0, width - 1), width);
                Native::Float(Float { value, nan })
            }
            _ => return None,
        })
    }

    fn float_unary(&mut self, op: FloatUnary, rounding: Rounding, a: ExprId, width: u32) -> Term {
        let mode = self.to.rounding(rounding);
        let operand = if op.from_float() { self.float(a) } else { self.bits(a) };
        let conversion = match op {
            FloatUnary::Sqrt => return self.to.term2(sys::BITWUZLA_KIND_FP_SQRT, mode, operand),
            FloatUnary::RoundToIntegral => {
                return self.to.term2(sys::BITWUZLA_KIND_FP_RTI, mode, operand);
            }
            FloatUnary::FromSigned => sys::BITWUZLA_KIND_FP_TO_FP_FROM_SBV,
            FloatUnary::FromUnsigned => sys::BITWUZLA_KIND_FP_TO_FP_FROM_UBV,
            FloatUnary::Convert | FloatUnary::ToSigned | FloatUnary::ToUnsigned => {
                sys::BITWUZLA_KIND_FP_TO_FP_FROM_FP
            }
        };
        self.to.indexed(conversion, &[mode, operand], &sort(format(width)))
    }

    /// A number rounded towards zero to an integer of `width` bits. The result is the nearest such
    /// integer if the number is out of range, and zero if it is a NaN.
    fn float_to_integer(&mut self, signed: bool, a: ExprId, width: u32) -> Term {
        let from = format(self.exprs.width(a));
        let value = self.float(a);
        let toward_zero = self.to.rounding(Rounding::Zero);
        let (kind, least, largest, power) = if signed {
            let least = Bv::ones(width - 1).zext(width).not();
            (sys::BITWUZLA_KIND_FP_TO_SBV, least.clone(), least.not(), width - 1)
        } else {
            (sys::BITWUZLA_KIND_FP_TO_UBV, Bv::zero(width), Bv::ones(width), width)
        };
        let high = from.power_of_two(power, false).unwrap_or(from.infinity());
        let low = if signed { high | from.sign() } else { from.sign() };
        let [low, high] = [low, high].map(|bits| {
            let bits = self.to.constant(&Bv::from_u128(from.width(), bits));
            self.decoded(from, bits)
        });
        let inside = self.to.indexed(kind, &[toward_zero, value], &[u64::from(width)]);
        let is_low = self.to.term2(sys::BITWUZLA_KIND_FP_LEQ, value, low);
        let is_high = self.to.term2(sys::BITWUZLA_KIND_FP_LEQ, high, value);
        let is_nan = self.to.term1(sys::BITWUZLA_KIND_FP_IS_NAN, value);
        let [least, largest, zero] =
            [least, largest, Bv::zero(width)].map(|value| self.to.constant(&value));
        let rest = self.to.ite(is_high, largest, inside);
        let rest = self.to.ite(is_low, least, rest);
        self.to.ite(is_nan, zero, rest)
    }

    /// The number that `e` encodes.
    fn float(&mut self, e: ExprId) -> Term {
        if let Some(number) = self.number(e) {
            self.note(e);
            return number.value;
        }
        let bits = self.bits(e);
        if let Some(known) = self.translation.decoded.get(&e) {
            return *known;
        }
        let value = self.decoded(format(self.exprs.width(e)), bits);
        self.translation.decoded.insert(e, value);
        value
    }

    fn is_nan(&mut self, e: ExprId) -> Term {
        let value = self.float(e);
        self.to.term1(sys::BITWUZLA_KIND_FP_IS_NAN, value)
    }

    fn number(&self, e: ExprId) -> Option<Float> {
        match self.translation.native[&e] {
            Native::Float(number) => Some(number),
            Native::Bits(_) | Native::Truth(_) => None,
        }
    }

    /// Whether `a` and `b` can be compared, or chosen between, as numbers: at least one must be a
    /// result of arithmetic. In the x87 format both must be, because other bits of that format may
    /// not encode any number.
    fn both_numbers(&self, a: ExprId, b: ExprId) -> bool {
        let numbers = [a, b].map(|e| self.number(e).is_some());
        match Format::of(self.exprs.width(a)) {
            None => false,
            Some(format) if format.has_integer_bit() => numbers == [true, true],
            Some(_) => numbers != [false, false],
        }
    }

    /// Whether two numbers can be compared by their bits (see [`compared`]). Neither may be a
    /// result of arithmetic, as their bits must be at hand. Their format may not have an integer
    /// bit.
    fn are_plain_bits(&self, a: ExprId, b: ExprId) -> bool {
        [a, b].iter().all(|e| self.number(*e).is_none())
            && !format(self.exprs.width(a)).has_integer_bit()
    }

    fn nan_bits(&self, e: ExprId) -> ExprId {
        self.exprs.nan_bits(e, |operand| self.bits_of_nan(operand))
    }

    fn bits_of_nan(&self, e: ExprId) -> ExprId {
        self.number(e).map_or(e, |number| number.nan)
    }

    /// The number that `bits` encode.
    fn decoded(&mut self, format: Format, bits: Term) -> Term {
        let kind = sys::BITWUZLA_KIND_FP_TO_FP_FROM_BV;
        if !format.has_integer_bit() {
            return self.to.indexed(kind, &[bits], &sort(format));
        }
        let fraction_bits = format.fraction_bits();
        let sign = self.to.extract(bits, format.width() - 1, 1);
        let exponent = self.to.extract(bits, format.exponent_low(), format.exponent_bits());
        let integer = self.to.extract(bits, fraction_bits, 1);
        let fraction = self.to.extract(bits, 0, fraction_bits);
        let constant = |width: u32, value| Bv::new(width, value);
        let zero = self.to.constant(&constant(format.exponent_bits(), 0));
        let one = self.to.constant(&constant(1, 1));
        let is_small = self.to.term2(sys::BITWUZLA_KIND_EQUAL, exponent, zero);
        let has_integer = self.to.term2(sys::BITWUZLA_KIND_EQUAL, integer, one);
        // A pseudo-denormal is the normal number with the least exponent.
        let by = format.exponent_bits() - 1;
        let as_exponent = self.to.extend(sys::BITWUZLA_KIND_BV_ZERO_EXTEND, integer, by);
        let exponent = self.to.ite(is_small, as_exponent, exponent);
        let mut parts = [sign, exponent, fraction].into_iter();
        let first = parts.next().expect("three parts");
        let joined =
            parts.fold(first, |high, low| self.to.term2(sys::BITWUZLA_KIND_BV_CONCAT, high, low));
        let number = self.to.indexed(kind, &[joined], &sort(format));
        let nan = self.to.constant(&Bv::ones(format.width() - 1));
        let nan = self.to.indexed(kind, &[nan], &sort(format));
        let accepted = self.to.term2(sys::BITWUZLA_KIND_OR, is_small, has_integer);
        self.to.ite(accepted, number, nan)
    }

    /// The bits of a number, which is the result `e`. Notes the definitions that they need.
    pub fn encoded(&mut self, e: ExprId, number: Float) -> Term {
        if let Some((known, needs)) = self.translation.encoded.get(&e) {
            self.used.push(needs.clone());
            return *known;
        }
        let outer = std::mem::take(&mut self.used);
        self.note(e);
        let format = format(self.exprs.width(e));
        let index = self.translation.definitions.len();
        let hidden = format.width() - format.exponent_low() + format.fraction_bits();
        let bits = self.to.variable(&format!("float.{index}"), hidden);
        let kind = sys::BITWUZLA_KIND_FP_TO_FP_FROM_BV;
        let value = self.to.indexed(kind, &[bits], &sort(format));
        let definition = self.to.term2(sys::BITWUZLA_KIND_EQUAL, value, number.value);
        self.translation.definitions.push(definition);
        self.used.push(Arc::new([index]));
        let whole =
            if format.has_integer_bit() { self.with_integer_bit(format, bits) } else { bits };
        let nan = self.bits_of_new(number.nan);
        let is_nan = self.to.term1(sys::BITWUZLA_KIND_FP_IS_NAN, number.value);
        let term = self.to.ite(is_nan, nan, whole);
        let needs = self.needs_of_used().expect("its own definition at least");
        self.used = outer;
        self.used.push(needs.clone());
        self.translation.encoded.insert(e, (term, needs));
        term
    }

    fn with_integer_bit(&mut self, format: Format, bits: Term) -> Term {
        let fraction_bits = format.fraction_bits();
        let top = self.to.extract(bits, fraction_bits, 1 + format.exponent_bits());
        let exponent = self.to.extract(bits, fraction_bits, format.exponent_bits());
        let fraction = self.to.extract(bits, 0, fraction_bits);
        let zero = self.to.constant(&Bv::zero(format.exponent_bits()));
        let is_small = self.to.term2(sys::BITWUZLA_KIND_EQUAL, exponent, zero);
        let [unset, set] = [0, 1].map(|bit| self.to.constant(&Bv::new(1, bit)));
        let integer = self.to.ite(is_small, unset, set);
        let low = self.to.term2(sys::BITWUZLA_KIND_BV_CONCAT, integer, fraction);
        self.to.term2(sys::BITWUZLA_KIND_BV_CONCAT, top, low)
    }
}

/// A comparison of two numbers by their bits, which are ordered as a sign and a magnitude. In the
/// theory, numbers given by their bits would first have to be unpacked, and subnormal ones shifted.
fn compared(exprs: &Exprs, relation: FloatRelation, a: ExprId, b: ExprId) -> ExprId {
    let width = exprs.width(a);
    let format = format(width);
    let magnitude = |e: ExprId| exprs.extract(e, 0, width - 1);
    let infinity = exprs.bv(&Bv::from_u128(width, format.infinity()));
    let is_number = |e: ExprId| exprs.ule(magnitude(e), magnitude(infinity));
    let are_zero = exprs.or(magnitude(a), magnitude(b));
    let are_zero = exprs.eq(are_zero, exprs.bv(&Bv::zero(width - 1)));
    // The lesser of two negative numbers has the larger magnitude.
    let key = |e: ExprId| {
        let sign = exprs.extract(e, width - 1, 1);
        let turned = exprs.concat(sign, exprs.not(magnitude(e)));
        exprs.ite(sign, turned, e)
    };
    let holds = match relation {
        FloatRelation::Equal => exprs.or(exprs.eq(a, b), are_zero),
        FloatRelation::Less => exprs.and(exprs.slt(key(a), key(b)), exprs.not(are_zero)),
        FloatRelation::LessOrEqual => exprs.or(exprs.sle(key(a), key(b)), are_zero),
    };
    exprs.all([is_number(a), is_number(b), holds])
}

fn format(width: u32) -> Format {
    Format::of(width).expect("the width of a format")
}

/// The indices of a format's sort: the number of exponent bits, and the number of significand bits
/// including the integer bit.
fn sort(format: Format) -> [u64; 2] {
    [u64::from(format.exponent_bits()), u64::from(format.precision())]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::expr::Assignment;

    /// The bits of numbers of all kinds and of their neighbours, each with both signs.
    fn interesting(format: Format) -> Vec<u128> {
        let one = format.power_of_two(0, false).expect("it has a one");
        let least_normal = 1 << format.exponent_low();
        let kinds = [0, least_normal, one, format.infinity()];
        let neighbours = |bits: u128| [bits.saturating_sub(1), bits, bits + 1];
        let positive = kinds.into_iter().flat_map(neighbours);
        positive.flat_map(|bits| [bits, bits | format.sign()]).collect()
    }

    #[test]
    fn bits_compare_as_their_numbers_do() {
        let exprs = Exprs::new();
        for format in Format::ALL.into_iter().filter(|format| !format.has_integer_bit()) {
            let width = format.width();
            let [x, y] = ["x", "y"].map(|name| exprs.input(&format!("{name}{width}"), width));
            let [of_x, of_y] = [x, y].map(|e| exprs.as_variable(e).expect("it is one"));
            let all = interesting(format);
            for relation in [FloatRelation::Equal, FloatRelation::Less, FloatRelation::LessOrEqual]
            {
                let numbers = exprs.float_compare(relation, x, y);
                let bits = compared(&exprs, relation, x, y);
                for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))) {
                    let [a, b] = [a, b].map(|bits| Bv::from_u128(width, bits));
                    let model = Assignment(BTreeMap::from([(of_x, a.clone()), (of_y, b.clone())]));
                    let [expected, found] = [numbers, bits].map(|e| exprs.evaluate(e, &model));
                    assert_eq!(found, expected, "{relation:?} of {a:?} and {b:?}");
                }
            }
        }
    }
}
