//! The exceptions that operations on `float` and `double` raise (IEEE 754-2008, clause 7; Intel
//! SDM volume 1, section 4.9), as conditions on their operands.

use super::ops::{FloatBinary, FloatRelation, FloatUnary, Format, Rounding};
use crate::expr::{Bv, ExprId, Exprs};

/// The number of exceptions. They are ordered like their bits in `<fenv.h>` and in the control and
/// status register: invalid operation, denormal operand (not one of IEEE's), division by zero,
/// overflow, underflow, inexact result.
pub const EXCEPTIONS: usize = 6;

const INVALID: usize = 0;
const DENORMAL: usize = 1;
const BY_ZERO: usize = 2;
const OVERFLOW: usize = 3;
const UNDERFLOW: usize = 4;
const INEXACT: usize = 5;

/// An operation that may raise exceptions.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    Binary(FloatBinary),
    Sqrt,
    /// A conversion to the format with this width.
    Convert(u32),
    /// A conversion of a two's complement number to the format with this width.
    FromSigned(u32),
    FromUnsigned(u32),
    /// A conversion to a two's complement number of this width, towards zero.
    ToSigned(u32),
    /// Rounding to an integer in the same format. `inexact` says whether the inexact exception is
    /// raised if the result is not the operand.
    ToIntegral {
        inexact: bool,
    },
    /// A comparison. Any NaN is invalid; in a `quiet` comparison, only a signalling one is.
    Compare {
        quiet: bool,
    },
}

/// The condition under which an operation raises each exception; `None` unless all formats are
/// `float` or `double` and integer operands have at most 64 bits.
pub fn raised(
    exprs: &Exprs,
    operation: Operation,
    rounding: Rounding,
    operands: &[ExprId],
) -> Option<[ExprId; EXCEPTIONS]> {
    let known = |width| Format::of(width).filter(|_| matches!(width, 32 | 64));
    let width = exprs.width(operands[0]);
    let raising = |format| Raising { exprs, rounding, operands, format };
    Some(match operation {
        Operation::FromSigned(to) | Operation::FromUnsigned(to) => {
            known(to).filter(|_| width <= 64).map(raising)?.by_integer(operation)
        }
        Operation::Compare { quiet } => known(width).map(raising)?.by_comparison(quiet),
        Operation::ToIntegral { inexact } => known(width).map(raising)?.by_integral(inexact),
        Operation::ToSigned(to) => known(width).map(raising)?.by_cut(to),
        Operation::Convert(to) => known(width).map(raising)?.by_result(operation, known(to)?),
        Operation::Binary(_) | Operation::Sqrt => {
            let format = known(width)?;
            raising(format).by_result(operation, format)
        }
    })
}

struct Raising<'a> {
    exprs: &'a Exprs,
    rounding: Rounding,
    operands: &'a [ExprId],
    /// The format of the operands, or of the result if the operands are integers.
    format: Format,
}

impl Raising<'_> {
    fn none(&self) -> [ExprId; EXCEPTIONS] {
        [self.exprs.bool(false); EXCEPTIONS]
    }

    fn any(&self, holds: impl Fn(ExprId) -> ExprId) -> ExprId {
        self.exprs.any(self.operands.iter().map(|operand| holds(*operand)))
    }

    fn any_nan(&self) -> ExprId {
        self.any(|a| self.exprs.float_unordered(a, a))
    }

    fn any_signalling(&self) -> ExprId {
        self.any(|a| self.is_signalling(a))
    }

    /// Whether an operand is denormal and none is a NaN, which takes precedence.
    fn denormal(&self) -> ExprId {
        let any = self.any(|a| self.is_denormal(a));
        self.exprs.and(any, self.exprs.not(self.any_nan()))
    }

    fn by_integer(&self, operation: Operation) -> [ExprId; EXCEPTIONS] {
        let width = self.format.width();
        let result = |rounding| self.result(operation, rounding, width, self.operands);
        let mut raised = self.none();
        raised[INEXACT] = self.is_inexact(result);
        raised
    }

    fn by_comparison(&self, quiet: bool) -> [ExprId; EXCEPTIONS] {
        let mut raised = self.none();
        raised[INVALID] = if quiet { self.any_signalling() } else { self.any_nan() };
        raised[DENORMAL] = self.denormal();
        raised
    }

    fn by_integral(&self, inexact: bool) -> [ExprId; EXCEPTIONS] {
        let mut raised = self.none();
        raised[INVALID] = self.any_signalling();
        if inexact {
            raised[INEXACT] = self.is_no_integer(self.rounding);
        }
        raised
    }

    fn by_cut(&self, width: u32) -> [ExprId; EXCEPTIONS] {
        let fits = self.exprs.float_fits(self.operands[0], width, true);
        let mut raised = self.none();
        raised[INVALID] = self.exprs.not(fits);
        raised[INEXACT] = self.exprs.and(fits, self.is_no_integer(Rounding::Zero));
        raised
    }

    /// The exceptions of an operation whose result is a number of the format `to`.
    fn by_result(&self, operation: Operation, to: Format) -> [ExprId; EXCEPTIONS] {
        let Self { exprs, rounding, operands, format } = *self;
        let result = |rounding| self.result(operation, rounding, to.width(), operands);
        let value = result(rounding);
        let is_nan = exprs.float_unordered(value, value);
        let made_nan = exprs.and(is_nan, exprs.not(self.any_nan()));
        let mut raised = self.none();
        raised[INVALID] = exprs.or(self.any_signalling(), made_nan);
        if operation == Operation::Binary(FloatBinary::Div) {
            let [a, b] = [operands[0], operands[1]];
            let is_finite = is_below(exprs, format, a, format.infinity());
            let has_value = exprs.not(self.is_zero(a));
            raised[BY_ZERO] = exprs.and(self.is_zero(b), exprs.and(is_finite, has_value));
        }
        let before = exprs.or(raised[INVALID], raised[BY_ZERO]);
        raised[DENORMAL] = exprs.and(self.denormal(), exprs.not(before));
        let inexact = self.is_inexact(result);
        raised[INEXACT] = inexact;
        if operation != Operation::Sqrt && to.width() <= format.width() {
            let exact = self.in_wider(operation, to);
            raised[OVERFLOW] = exprs.and(inexact, self.is_over(to, value, exact));
            raised[UNDERFLOW] = exprs.and(inexact, self.is_tiny(to, exact));
        }
        raised
    }

    fn result(
        &self,
        operation: Operation,
        rounding: Rounding,
        width: u32,
        operands: &[ExprId],
    ) -> ExprId {
        let unary = |op| self.exprs.float_unary(op, rounding, operands[0], width);
        match operation {
            Operation::Binary(op) => {
                self.exprs.float_binary(op, rounding, operands[0], operands[1])
            }
            Operation::Sqrt => unary(FloatUnary::Sqrt),
            Operation::FromSigned(_) => unary(FloatUnary::FromSigned),
            Operation::FromUnsigned(_) => unary(FloatUnary::FromUnsigned),
            _ => unary(FloatUnary::Convert),
        }
    }

    /// The result in a wider format, with more exponent and more significand bits. If the rounding
    /// mode is to nearest, the result is truncated; otherwise it is rounded in that mode. So it
    /// lies on the same side as the exact result of every number of the format `to`, and of every
    /// point halfway between two of them. For a conversion it is the operand itself.
    fn in_wider(&self, operation: Operation, to: Format) -> (Format, ExprId) {
        if to != self.format {
            return (self.format, self.operands[0]);
        }
        let wider = if to == Format::Single { Format::Double } else { Format::Quad };
        let rounding = match self.rounding {
            Rounding::NearestEven | Rounding::NearestAway => Rounding::Zero,
            directed => directed,
        };
        let width = wider.width();
        let widened = |a| self.exprs.float_unary(FloatUnary::Convert, rounding, a, width);
        let operands: Vec<ExprId> = self.operands.iter().copied().map(widened).collect();
        (wider, self.result(operation, rounding, width, &operands))
    }

    /// Whether the exact result is not a number of the format: rounding it down and rounding it up
    /// then give different numbers.
    fn is_inexact(&self, result: impl Fn(Rounding) -> ExprId) -> ExprId {
        let [down, up] = [Rounding::Down, Rounding::Up].map(result);
        self.exprs.float_compare(FloatRelation::Less, down, up)
    }

    /// Whether an inexact result has an exponent that is too large for the format.
    fn is_over(&self, to: Format, value: ExprId, (wide, exact): (Format, ExprId)) -> ExprId {
        let exprs = self.exprs;
        let is_infinite = exprs.not(is_below(exprs, to, value, to.infinity()));
        if self.rounding == Rounding::NearestEven {
            return is_infinite;
        }
        let limit = encoding(wide, greatest_exponent(to) + 1, 0);
        exprs.or(is_infinite, exprs.not(is_below(exprs, wide, exact, limit)))
    }

    /// Whether an inexact result, rounded as if the exponent were unbounded, has a magnitude below
    /// the normal numbers.
    fn is_tiny(&self, to: Format, (wide, exact): (Format, ExprId)) -> ExprId {
        let exprs = self.exprs;
        let least = 1 - greatest_exponent(to);
        // Halfway between `last` and `normal`, which takes one bit more than the precision.
        let half_way = encoding(wide, least - 1, to.precision());
        // The greatest number below `normal`. Rounding away from zero takes anything above it to
        // `normal`.
        let last = encoding(wide, least - 1, to.precision() - 1);
        let normal = encoding(wide, least, 0);
        let away = |negative: bool| {
            let is_negative = exprs.extract(exact, wide.width() - 1, 1);
            let away = if negative { is_negative } else { exprs.not(is_negative) };
            let up_to_last = is_below(exprs, wide, exact, last + 1);
            exprs.ite(away, up_to_last, is_below(exprs, wide, exact, normal))
        };
        match self.rounding {
            Rounding::NearestEven | Rounding::NearestAway => is_below(exprs, wide, exact, half_way),
            Rounding::Zero => is_below(exprs, wide, exact, normal),
            Rounding::Up => away(false),
            Rounding::Down => away(true),
        }
    }

    fn is_no_integer(&self, rounding: Rounding) -> ExprId {
        let a = self.operands[0];
        let round = FloatUnary::RoundToIntegral;
        let whole = self.exprs.float_unary(round, rounding, a, self.format.width());
        let less = |a, b| self.exprs.float_compare(FloatRelation::Less, a, b);
        self.exprs.or(less(a, whole), less(whole, a))
    }

    fn is_zero(&self, a: ExprId) -> ExprId {
        is_below(self.exprs, self.format, a, 1)
    }

    fn is_denormal(&self, a: ExprId) -> ExprId {
        let below = is_below(self.exprs, self.format, a, 1 << self.format.exponent_low());
        self.exprs.and(below, self.exprs.not(self.is_zero(a)))
    }

    fn is_signalling(&self, a: ExprId) -> ExprId {
        let quiet = self.exprs.extract(a, self.format.fraction_bits() - 1, 1);
        self.exprs.and(self.exprs.float_unordered(a, a), self.exprs.not(quiet))
    }
}

/// Whether the magnitude of `a` is below the encoding `limit`. Magnitudes of numbers compare like
/// integers.
fn is_below(exprs: &Exprs, format: Format, a: ExprId, limit: u128) -> ExprId {
    let width = format.width() - 1;
    let magnitude = exprs.extract(a, 0, width);
    exprs.ult(magnitude, exprs.bv(&Bv::from_u128(width, limit)))
}

fn greatest_exponent(format: Format) -> i32 {
    (1 << (format.exponent_bits() - 1)) - 1
}

/// The encoding of `2^exponent * (2 - 2^-ones)`, whose significand has `ones` one bits right of
/// the point.
fn encoding(format: Format, exponent: i32, ones: u32) -> u128 {
    let biased =
        u128::try_from(exponent + greatest_exponent(format)).expect("it has that exponent");
    biased << format.exponent_low() | ((1 << ones) - 1) << (format.fraction_bits() - ones)
}
