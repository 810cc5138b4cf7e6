//! The exceptions that operations on `float` and `double` raise (IEEE 754-2008, clause 7; Intel
//! SDM volume 1, section 4.9), as conditions on their operands.

use super::{FloatBinary, FloatRelation, FloatUnary, Format, Rounding};
use crate::expr::{Bv, ExprId, Exprs};

/// How many exceptions there are. By their bits in the control and status register, which are
/// those of `<fenv.h>`: invalid operation, denormal operand (not one of IEEE's), division by
/// zero, overflow, underflow, inexact result.
pub const EXCEPTIONS: usize = 6;

const INVALID: usize = 0;
const DENORMAL: usize = 1;
const BY_ZERO: usize = 2;
const OVERFLOW: usize = 3;
const UNDERFLOW: usize = 4;
const INEXACT: usize = 5;

/// What raises exceptions.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    Binary(FloatBinary),
    Sqrt,
    /// To the format of that width.
    Convert(u32),
    /// From a two's complement number, to the format of that width.
    FromSigned(u32),
    FromUnsigned(u32),
    /// To a two's complement number of that width, towards zero.
    ToSigned(u32),
    ToUnsigned(u32),
    /// To an integer in the same format; that the result is another number is `inexact`.
    ToIntegral {
        inexact: bool,
    },
    /// A comparison, to which any NaN is invalid, or, if it is `quiet`, only a signalling one.
    Compare {
        quiet: bool,
    },
}

/// The exceptions that an operation raises, each as a condition; `None` for other formats.
pub fn raised(
    exprs: &Exprs,
    operation: Operation,
    rounding: Rounding,
    operands: &[ExprId],
) -> Option<[ExprId; EXCEPTIONS]> {
    let known = |width| matches!(width, 32 | 64);
    let raising = Raising { exprs, rounding, operands };
    let width = exprs.width(operands[0]);
    match operation {
        Operation::FromSigned(to) | Operation::FromUnsigned(to) => {
            (known(to) && width <= 64).then(|| raising.of_integer(operation, to))
        }
        _ if !known(width) => None,
        Operation::Convert(to) if !known(to) => None,
        _ => Some(raising.of_numbers(operation, Format::of(width)?)),
    }
}

struct Raising<'a> {
    exprs: &'a Exprs,
    rounding: Rounding,
    operands: &'a [ExprId],
}

impl Raising<'_> {
    fn none(&self) -> [ExprId; EXCEPTIONS] {
        [self.exprs.bool(false); EXCEPTIONS]
    }

    fn of_integer(&self, operation: Operation, to: u32) -> [ExprId; EXCEPTIONS] {
        let mut raised = self.none();
        raised[INEXACT] =
            self.is_inexact(|rounding| self.result(operation, rounding, to, self.operands));
        raised
    }

    fn of_numbers(&self, operation: Operation, format: Format) -> [ExprId; EXCEPTIONS] {
        let Self { exprs, rounding, operands } = *self;
        let any = |holds: &dyn Fn(ExprId) -> ExprId| {
            operands.iter().fold(exprs.bool(false), |any, operand| exprs.or(any, holds(*operand)))
        };
        let any_nan = any(&|a| exprs.float_unordered(a, a));
        let any_signalling = any(&|a| self.is_signalling(format, a));
        let mut raised = self.none();
        raised[INVALID] = any_signalling;
        let any_denormal = any(&|a| self.is_denormal(format, a));
        let denormal = exprs.and(any_denormal, exprs.not(any_nan));
        let to = match operation {
            Operation::Binary(_) | Operation::Sqrt => format,
            Operation::Convert(to) => Format::of(to).expect("it is known"),
            Operation::Compare { quiet } => {
                raised[INVALID] = if quiet { any_signalling } else { any_nan };
                raised[DENORMAL] = denormal;
                return raised;
            }
            Operation::ToIntegral { inexact } => {
                if inexact {
                    let whole = exprs.float_unary(
                        FloatUnary::RoundToIntegral,
                        rounding,
                        operands[0],
                        format.width(),
                    );
                    raised[INEXACT] = self.differ(whole, operands[0]);
                }
                return raised;
            }
            Operation::ToSigned(width) | Operation::ToUnsigned(width) => {
                let signed = matches!(operation, Operation::ToSigned(_));
                let whole = exprs.float_unary(
                    FloatUnary::RoundToIntegral,
                    Rounding::Zero,
                    operands[0],
                    format.width(),
                );
                let fits = exprs.float_fits(operands[0], width, signed);
                raised[INVALID] = exprs.not(fits);
                raised[INEXACT] = exprs.and(fits, self.differ(whole, operands[0]));
                return raised;
            }
            Operation::FromSigned(_) | Operation::FromUnsigned(_) => unreachable!("an integer"),
        };
        let result = |rounding| self.result(operation, rounding, to.width(), operands);
        let value = result(rounding);
        let is_nan = exprs.float_unordered(value, value);
        let made_nan = exprs.and(is_nan, exprs.not(any_nan));
        raised[INVALID] = exprs.or(any_signalling, made_nan);
        if operation == Operation::Binary(FloatBinary::Div) {
            let [a, b] = [operands[0], operands[1]];
            let is_finite = self.is_below(format, a, format.infinity());
            let has_value = exprs.not(self.is_zero(format, a));
            raised[BY_ZERO] = exprs.and(self.is_zero(format, b), exprs.and(is_finite, has_value));
        }
        let pre = exprs.or(raised[INVALID], raised[BY_ZERO]);
        raised[DENORMAL] = exprs.and(denormal, exprs.not(pre));
        let inexact = self.is_inexact(result);
        raised[INEXACT] = inexact;
        let bounded = operation == Operation::Sqrt || to.width() > format.width();
        if !bounded {
            let wide = self.in_wider(operation, format, to);
            raised[OVERFLOW] = exprs.and(inexact, self.is_over(to, value, wide));
            raised[UNDERFLOW] = exprs.and(inexact, self.is_tiny(to, wide));
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

    /// The result in a format that has more of both, cut off where numbers are rounded to the
    /// nearest, else rounded as here: it is on the same side of every number of the lesser
    /// format, and of those between two of them, as the exact one.
    fn in_wider(&self, operation: Operation, format: Format, to: Format) -> (Format, ExprId) {
        if to != format {
            return (format, self.operands[0]);
        }
        let wider = if format == Format::Single { Format::Double } else { Format::Quad };
        let rounding = match self.rounding {
            Rounding::NearestEven | Rounding::NearestAway => Rounding::Zero,
            directed => directed,
        };
        let operands: Vec<ExprId> = self
            .operands
            .iter()
            .map(|a| self.exprs.float_unary(FloatUnary::Convert, rounding, *a, wider.width()))
            .collect();
        (wider, self.result(operation, rounding, wider.width(), &operands))
    }

    /// Whether the exact result is no number of the format: rounded in both directions it is two.
    fn is_inexact(&self, result: impl Fn(Rounding) -> ExprId) -> ExprId {
        let [down, up] = [Rounding::Down, Rounding::Up].map(result);
        self.exprs.float_compare(FloatRelation::Less, down, up)
    }

    /// Whether an inexact result has an exponent that is too large for the format.
    fn is_over(&self, to: Format, value: ExprId, (wide, exact): (Format, ExprId)) -> ExprId {
        let exprs = self.exprs;
        let is_infinite = exprs.not(self.is_below(to, value, to.infinity()));
        if self.rounding == Rounding::NearestEven {
            return is_infinite;
        }
        let limit = encoding(wide, greatest_exponent(to) + 1, 0);
        exprs.or(is_infinite, exprs.not(self.is_below(wide, exact, limit)))
    }

    /// Whether an inexact result, rounded as if every exponent were allowed, is below the normal
    /// numbers.
    fn is_tiny(&self, to: Format, (wide, exact): (Format, ExprId)) -> ExprId {
        let exprs = self.exprs;
        let least = 1 - greatest_exponent(to);
        // A bit more than numbers have below the least normal one: half way up to it.
        let half_way = encoding(wide, least - 1, to.precision());
        // The last one below it, which nothing above is rounded to away from zero.
        let last = encoding(wide, least - 1, to.precision() - 1);
        let normal = encoding(wide, least, 0);
        let away = |negative: bool| {
            let is_negative = self.sign_of(wide, exact);
            let away = if negative { is_negative } else { exprs.not(is_negative) };
            let up_to_last = self.is_below(wide, exact, last + 1);
            exprs.ite(away, up_to_last, self.is_below(wide, exact, normal))
        };
        match self.rounding {
            Rounding::NearestEven | Rounding::NearestAway => self.is_below(wide, exact, half_way),
            Rounding::Zero => self.is_below(wide, exact, normal),
            Rounding::Up => away(false),
            Rounding::Down => away(true),
        }
    }

    fn sign_of(&self, format: Format, a: ExprId) -> ExprId {
        self.exprs.extract(a, format.width() - 1, 1)
    }

    /// Whether the magnitude is below that of an encoding: of numbers they compare as integers.
    fn is_below(&self, format: Format, a: ExprId, limit: u128) -> ExprId {
        let width = format.width() - 1;
        let magnitude = self.exprs.extract(a, 0, width);
        self.exprs.ult(magnitude, self.exprs.bv(&Bv::from_u128(width, limit)))
    }

    fn is_zero(&self, format: Format, a: ExprId) -> ExprId {
        self.is_below(format, a, 1)
    }

    fn is_denormal(&self, format: Format, a: ExprId) -> ExprId {
        let below = self.is_below(format, a, 1 << format.exponent_low());
        self.exprs.and(below, self.exprs.not(self.is_zero(format, a)))
    }

    fn is_signalling(&self, format: Format, a: ExprId) -> ExprId {
        let exprs = self.exprs;
        let quiet = exprs.extract(a, format.fraction_bits() - 1, 1);
        exprs.and(exprs.float_unordered(a, a), exprs.not(quiet))
    }

    /// Whether two numbers differ; not where one is a NaN.
    fn differ(&self, a: ExprId, b: ExprId) -> ExprId {
        let less = |a, b| self.exprs.float_compare(FloatRelation::Less, a, b);
        self.exprs.or(less(a, b), less(b, a))
    }
}

fn greatest_exponent(format: Format) -> i32 {
    (1 << (format.exponent_bits() - 1)) - 1
}

/// `2^exponent * (2 - 2^-ones)`: so many ones right of the point.
fn encoding(format: Format, exponent: i32, ones: u32) -> u128 {
    let biased =
        u128::try_from(exponent + greatest_exponent(format)).expect("it has that exponent");
    biased << format.exponent_low() | ((1 << ones) - 1) << (format.fraction_bits() - ones)
}
