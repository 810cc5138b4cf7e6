//! The NaN that an operation makes, as an expression (see the parent module for the rules). Solvers
//! need it because their theory has only one NaN.

use super::{
    super::{Bv, ExprId, Exprs, Node},
    FloatBinary, FloatRelation, FloatUnary, Format,
};

impl Exprs {
    /// The bits of `e` in case its value is a NaN. `e` is an operation with a floating-point
    /// result; `known` gives the bits of its operands.
    ///
    /// # Panics
    /// If `e` is anything else.
    pub(crate) fn nan_bits(&self, e: ExprId, known: impl Fn(ExprId) -> ExprId) -> ExprId {
        let format = Format::of(self.width(e)).expect("the width of a format");
        let default = self.pattern(format, format.default_nan());
        let operand = |a: ExprId| Operand { value: a, bits: known(a) };
        match self.node(e) {
            Node::FloatUnary(FloatUnary::Sqrt | FloatUnary::RoundToIntegral, _, a) => {
                let passed = self.quieted(format, known(a));
                self.ite(self.is_nan(a), passed, default)
            }
            Node::FloatUnary(FloatUnary::Convert, _, a) => self.converted_nan(format, known(a)),
            Node::FloatUnary(..) => default,
            Node::FloatBinary(op, _, a, b) => {
                self.nan_of_two(op, format, operand(a), operand(b), default)
            }
            Node::FloatMulAdd(_, operands) => {
                let first = operands.into_iter().rev().fold(default, |rest, a| {
                    self.ite(self.is_nan(a), self.quieted(format, known(a)), rest)
                });
                let rejected = self.any(operands.map(|a| self.is_rejected(format, known(a))));
                self.ite(rejected, default, first)
            }
            node => unreachable!("{node:?} is no operation with a floating-point result"),
        }
    }

    fn nan_of_two(
        &self,
        op: FloatBinary,
        format: Format,
        a: Operand,
        b: Operand,
        default: ExprId,
    ) -> ExprId {
        let fraction = |e| self.extract(e, 0, format.fraction_bits());
        let [x, y] = [a, b].map(|operand| fraction(operand.bits));
        let first = match format {
            Format::Half | Format::Single | Format::Double => self.bool(true),
            Format::Extended => {
                let sign = self.extract(a.bits, format.width() - 1, 1);
                self.or(self.ult(y, x), self.and(self.eq(x, y), self.not(sign)))
            }
            Format::Quad => match op {
                FloatBinary::Add | FloatBinary::Mul => self.ule(y, x),
                FloatBinary::Sub | FloatBinary::Div => self.ult(y, x),
            },
        };
        let [qa, qb] = [a, b].map(|operand| self.quieted(format, operand.bits));
        let [na, nb] = [a, b].map(|operand| self.is_nan(operand.value));
        let both = self.ite(self.and(nb, self.not(first)), qb, qa);
        let one = self.ite(na, both, self.ite(nb, qb, default));
        let rejected = [a, b].map(|operand| self.is_rejected(format, operand.bits));
        self.ite(self.any(rejected), default, one)
    }

    fn quieted(&self, format: Format, bits: ExprId) -> ExprId {
        let quiet = self.or(bits, self.pattern(format, format.quiet()));
        let default = self.pattern(format, format.default_nan());
        self.ite(self.is_rejected(format, bits), default, quiet)
    }

    fn converted_nan(&self, to: Format, bits: ExprId) -> ExprId {
        let from = Format::of(self.width(bits)).expect("the width of a format");
        let (old, new) = (from.fraction_bits(), to.fraction_bits());
        let fraction = if old > new {
            self.extract(bits, old - new, new)
        } else {
            let low = self.constant(new - old, 0);
            self.concat(self.extract(bits, 0, old), low)
        };
        let sign = self.extract(bits, from.width() - 1, 1);
        let rest = to.width() - 1 - new;
        let exponent = self.bv(&Bv::from_u128(rest, to.infinity() >> new));
        let whole = self.concat(sign, self.concat(exponent, fraction));
        let quiet = self.or(whole, self.pattern(to, to.quiet()));
        let default = self.pattern(to, to.default_nan());
        self.ite(self.is_rejected(from, bits), default, quiet)
    }

    /// Whether the x87 rejects the encoding; see [`Format::is_rejected`].
    pub(crate) fn is_rejected(&self, format: Format, bits: ExprId) -> ExprId {
        if !format.has_integer_bit() {
            return self.bool(false);
        }
        let exponent = self.extract(bits, format.exponent_low(), format.exponent_bits());
        let integer = self.extract(bits, format.fraction_bits(), 1);
        let zero = self.constant(format.exponent_bits(), 0);
        self.and(self.ne(exponent, zero), self.not(integer))
    }

    /// Whether the encoding is one that the x87 itself writes; always true in other formats.
    pub fn is_canonical(&self, bits: ExprId) -> ExprId {
        let format = Format::of(self.width(bits)).expect("the width of a format");
        if !format.has_integer_bit() {
            return self.bool(true);
        }
        let made_by_operation = match self.node(bits) {
            Node::FloatUnary(op, ..) => op.to_float(),
            Node::FloatBinary(..) | Node::FloatMulAdd(..) => true,
            _ => false,
        };
        if made_by_operation {
            return self.bool(true);
        }
        let exponent = self.extract(bits, format.exponent_low(), format.exponent_bits());
        let integer = self.extract(bits, format.fraction_bits(), 1);
        self.eq(self.ne(exponent, self.constant(format.exponent_bits(), 0)), integer)
    }

    fn is_nan(&self, a: ExprId) -> ExprId {
        self.not(self.float_compare(FloatRelation::Equal, a, a))
    }

    fn pattern(&self, format: Format, bits: u128) -> ExprId {
        self.bv(&Bv::from_u128(format.width(), bits))
    }
}

/// An operand: its value, and its bits in case the value is a NaN.
#[derive(Clone, Copy)]
struct Operand {
    value: ExprId,
    bits: ExprId,
}
