//! Floating-point numbers that are made of one integer.
//!
//! An integer that fits into the significand is converted exactly. Sums of such numbers, and their
//! products with positive constants, are exact, too: each is the conversion of an integer sum or
//! product. Operations that round are monotonic in the integer, step by step. So a comparison with
//! a constant is a comparison of the integer.

use super::super::{
    Bv, ExprId, Exprs, Node,
    float::{self, FloatBinary, FloatRelation, FloatUnary, Format, Rounding},
};

/// The most operations between the integer and the number.
const MOST_STEPS: usize = 16;
/// The width of the widest integers: 64 bits, and a bit for the sign of an unsigned one.
const WIDEST: u32 = 65;

/// A monotonic function of one integer that is never a NaN.
struct Stairs {
    /// The integer, and whether it is read as a signed one.
    x: (ExprId, bool),
    /// The terms from the number down to the integer, the outermost first.
    steps: Vec<ExprId>,
}

impl Exprs {
    /// The signed integer that equals the number `e` for every value of its variables, if there is
    /// one. `e` is then never -0.
    pub(super) fn exact(&self, e: ExprId) -> Option<ExprId> {
        let Node::FloatUnary(op, _, x) = self.node(e) else { return None };
        let width = self.width(x);
        let signed = match op {
            FloatUnary::FromSigned => x,
            FloatUnary::FromUnsigned => self.zext(x, width + 1),
            _ => return None,
        };
        let precision = Format::of(self.width(e))?.precision();
        (width <= precision && width < WIDEST).then_some(signed)
    }

    /// The signed integer that equals the number `e` (see [`Exprs::exact`]), or the integer that
    /// `e` is as a constant.
    fn exact_or_constant(&self, e: ExprId) -> Option<ExprId> {
        match self.as_bv(e) {
            Some(value) => self.integer_of(&value).map(|value| self.bv(&value)),
            None => self.exact(e),
        }
    }

    /// The integer that equals the constant number `value`, if 32 bits hold it; -0 is 0.
    fn integer_of(&self, value: &Bv) -> Option<Bv> {
        const WIDTH: u32 = 32;
        let width = value.width();
        let format = Format::of(width)?;
        let bits = value.to_u128()?;
        let integer = float::unary(FloatUnary::ToSigned, Rounding::Zero, width, WIDTH, bits);
        let back = FloatUnary::FromSigned;
        let back = float::unary(back, Rounding::NearestEven, WIDTH, width, integer);
        let is_equal = float::compare(FloatRelation::Equal, format, back, bits);
        is_equal.then(|| Bv::from_u128(WIDTH, integer))
    }

    /// The signed integer `x` as a number, if all integers of its width are exact in `format`.
    fn number_of(&self, x: ExprId, format: Format) -> Option<ExprId> {
        let fits = self.width(x) <= format.precision().min(WIDEST);
        let op = FloatUnary::FromSigned;
        fits.then(|| self.float_unary(op, Rounding::NearestEven, x, format.width()))
    }

    /// Two signed integers in a width that holds their sum.
    fn widened(&self, x: ExprId, y: ExprId) -> (ExprId, ExprId) {
        let width = self.width(x).max(self.width(y)) + 1;
        (self.sext(x, width), self.sext(y, width))
    }

    /// `a op b` for exact numbers, if the result is exact, too.
    pub(super) fn exact_binary(
        &self,
        op: FloatBinary,
        rounding: Rounding,
        (a, b): (ExprId, ExprId),
    ) -> Option<ExprId> {
        let format = Format::of(self.width(a))?;
        // Rounding down makes -0 of summands that cancel.
        let sums = rounding != Rounding::Down;
        match op {
            FloatBinary::Add | FloatBinary::Sub if sums => {
                self.exact(a).or_else(|| self.exact(b))?;
                let (x, y) = (self.exact_or_constant(a)?, self.exact_or_constant(b)?);
                let is_minus_zero = |e| self.as_bv(e)?.to_u128().map(|bits| bits == format.sign());
                // Apart from these sums, only -0 - 0 gives -0.
                if op == FloatBinary::Sub && is_minus_zero(a) == Some(true) {
                    return None;
                }
                let (x, y) = self.widened(x, y);
                if self.width(x) > format.precision() {
                    return None;
                }
                let sum = if op == FloatBinary::Add { self.add(x, y) } else { self.sub(x, y) };
                self.number_of(sum, format)
            }
            FloatBinary::Mul => {
                let (x, factor) = match (self.as_bv(a), self.as_bv(b)) {
                    (None, Some(factor)) => (self.exact(a)?, factor),
                    (Some(factor), None) => (self.exact(b)?, factor),
                    _ => return None,
                };
                let factor = self.integer_of(&factor)?;
                // 0 times a negative number is -0.
                if factor.is_negative() || factor.is_zero() {
                    return None;
                }
                let width = self.width(x) + factor.significant_bits();
                if width > format.precision() {
                    return None;
                }
                let product = self.mul(self.sext(x, width), self.bv(&resized(&factor, width)));
                self.number_of(product, format)
            }
            _ => None,
        }
    }

    /// `a relation b` for exact numbers.
    pub(super) fn exact_compare(
        &self,
        relation: FloatRelation,
        a: ExprId,
        b: ExprId,
    ) -> Option<ExprId> {
        let (x, y) = self.widened(self.exact(a)?, self.exact(b)?);
        Some(match relation {
            FloatRelation::Equal => self.eq(x, y),
            FloatRelation::Less => self.slt(x, y),
            FloatRelation::LessOrEqual => self.sle(x, y),
        })
    }

    /// Whether an exact number has the same encoding as another one or as a constant.
    pub(super) fn exact_eq(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let x = self.exact(a)?;
        let y = match self.as_bv(b) {
            None => self.exact(b)?,
            Some(value) => {
                let format = Format::of(value.width())?;
                let bits = value.to_u128()?;
                if format.is_nan(bits) || bits == format.sign() {
                    return Some(self.bool(false));
                }
                // Every other number has a single encoding.
                self.bv(&self.integer_of(&value)?)
            }
        };
        let (x, y) = self.widened(x, y);
        Some(self.eq(x, y))
    }

    /// An exact quotient or number converted to an integer of `width` bits, or to the nearest one
    /// if it does not fit: `(int) floor((double) n / 10)` and the like.
    pub(super) fn cut(&self, a: ExprId, width: u32) -> Option<ExprId> {
        let integer = match self.node(a) {
            Node::FloatUnary(FloatUnary::RoundToIntegral, rounding, quotient) => {
                self.quotient(quotient, rounding)?
            }
            Node::FloatBinary(FloatBinary::Div, ..) => self.quotient(a, Rounding::Zero)?,
            _ => self.exact(a)?,
        };
        let wide = self.width(integer);
        if wide <= width {
            return Some(self.sext(integer, width));
        }
        if width > 64 {
            return None;
        }
        let least = Bv::new(width, 1 << (width - 1));
        let greatest = least.not();
        let (low, high) = (self.bv(&least.sext(wide)), self.bv(&greatest.zext(wide)));
        let within = self.ite(self.slt(high, integer), high, integer);
        let within = self.ite(self.slt(integer, low), low, within);
        Some(self.extract(within, 0, width))
    }

    /// The floor of an exact quotient, as in `floor((double) n / 10)`. It is never -0, because only
    /// -0 rounds down to -0.
    pub(super) fn floor(&self, a: ExprId) -> Option<ExprId> {
        let floor = self.quotient(a, Rounding::Down)?;
        self.number_of(floor, Format::of(self.width(a))?)
    }

    /// An exact number divided by a positive integer, rounded to an integer. The quotient is
    /// rounded before that, which changes nothing: no quotient is so close to an integer that it
    /// becomes one.
    fn quotient(&self, e: ExprId, rounding: Rounding) -> Option<ExprId> {
        let Node::FloatBinary(FloatBinary::Div, _, a, b) = self.node(e) else { return None };
        let divisor = self.integer_of(&self.as_bv(b)?)?;
        if divisor.is_negative() || divisor.is_zero() {
            return None;
        }
        let x = self.exact(a)?;
        let precision = Format::of(self.width(e))?.precision();
        if self.width(x) + divisor.significant_bits() > precision {
            return None;
        }
        let width = self.width(x).max(divisor.significant_bits() + 1);
        let x = self.sext(x, width);
        let divisor = self.bv(&resized(&divisor, width));
        let quotient = self.sdiv(x, divisor);
        let one = |condition| self.zext(condition, width);
        let zero = self.zero(width);
        match rounding {
            Rounding::Zero => Some(quotient),
            Rounding::Down => Some(self.sub(quotient, one(self.slt(self.srem(x, divisor), zero)))),
            Rounding::Up => Some(self.add(quotient, one(self.slt(zero, self.srem(x, divisor))))),
            Rounding::NearestEven | Rounding::NearestAway => None,
        }
    }

    /// `a relation b`, if one is a constant and the other is made of one integer.
    pub(super) fn stairs_compare(
        &self,
        relation: FloatRelation,
        a: ExprId,
        b: ExprId,
    ) -> Option<ExprId> {
        let (stairs, constant, is_left) = match (self.as_bv(a), self.as_bv(b)) {
            (None, Some(constant)) => (self.stairs(a)?, constant, true),
            (Some(constant), None) => (self.stairs(b)?, constant, false),
            _ => return None,
        };
        let format = Format::of(self.width(a))?;
        let bits = constant.to_u128()?;
        if format.is_nan(bits) {
            return Some(self.bool(false));
        }
        let at = |x| self.height(&stairs, x);
        let holds = |relation, is_left, x| match is_left {
            true => float::compare(relation, format, at(x), bits),
            false => float::compare(relation, format, bits, at(x)),
        };
        if relation == FloatRelation::Equal {
            let at_most = FloatRelation::LessOrEqual;
            let [below, above] = [true, false]
                .map(|is_left| self.threshold(stairs.x, |x| holds(at_most, is_left, x)));
            return Some(self.and(below, above));
        }
        Some(self.threshold(stairs.x, |x| holds(relation, is_left, x)))
    }

    /// The term `e` as a function of one integer, if it is one.
    fn stairs(&self, e: ExprId) -> Option<Stairs> {
        let finite = |e: ExprId, zero: bool| {
            let format = Format::of(self.width(e))?;
            let magnitude = self.as_bv(e)?.to_u128()? & !format.sign();
            let is_finite = magnitude < format.infinity() && !format.is_nan(magnitude);
            (is_finite && (zero || magnitude != 0)).then_some(())
        };
        let mut steps = Vec::new();
        let mut next = e;
        while steps.len() < MOST_STEPS {
            steps.push(next);
            next = match self.node(next) {
                Node::FloatUnary(FloatUnary::RoundToIntegral | FloatUnary::Convert, _, a) => a,
                Node::FloatUnary(
                    op @ (FloatUnary::FromSigned | FloatUnary::FromUnsigned),
                    _,
                    x,
                ) => {
                    let fits = self.width(x) < WIDEST;
                    let x = (x, op == FloatUnary::FromSigned);
                    return fits.then_some(Stairs { x, steps });
                }
                Node::FloatBinary(op, _, a, b) => {
                    let may_be_zero = matches!(op, FloatBinary::Add | FloatBinary::Sub);
                    match (self.is_constant(a), self.is_constant(b)) {
                        (false, true) => finite(b, may_be_zero).map(|()| a)?,
                        (true, false) if op != FloatBinary::Div => {
                            finite(a, may_be_zero).map(|()| b)?
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            };
        }
        None
    }

    /// The encoding of the function's value at the integer `x`.
    fn height(&self, stairs: &Stairs, x: i128) -> u128 {
        let width = self.width(stairs.x.0);
        let mut value = x as u128 & (u128::MAX >> (128 - width));
        for step in stairs.steps.iter().rev() {
            let to = self.width(*step);
            let constant = |e| self.as_bv(e).and_then(|value| value.to_u128());
            value = match self.node(*step) {
                Node::FloatUnary(op, rounding, a) => {
                    float::unary(op, rounding, self.width(a), to, value)
                }
                Node::FloatBinary(op, rounding, a, b) => {
                    let format = Format::of(to).expect("a step is a number");
                    match (constant(a), constant(b)) {
                        (Some(a), _) => float::binary(op, rounding, format, a, value),
                        (_, Some(b)) => float::binary(op, rounding, format, value, b),
                        _ => unreachable!("a step has one operand that is no constant"),
                    }
                }
                _ => unreachable!("a step is an operation on numbers"),
            };
        }
        value
    }

    /// The condition `holds` as a comparison of the integer. It must change at most once as the
    /// integer grows.
    fn threshold(&self, (x, signed): (ExprId, bool), holds: impl Fn(i128) -> bool) -> ExprId {
        let width = self.width(x);
        let (mut low, mut high) = match signed {
            true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
            false => (0, (1_i128 << width) - 1),
        };
        let first = holds(low);
        if holds(high) == first {
            return self.bool(first);
        }
        // The condition is `first` at `low`, and the opposite at `high`.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *if holds(middle) == first { &mut low } else { &mut high } = middle;
        }
        let limit = self.bv(&Bv::from_u128(width, high as u128 & (u128::MAX >> (128 - width))));
        let below = if signed { self.slt(x, limit) } else { self.ult(x, limit) };
        if first { below } else { self.not(below) }
    }
}

/// A positive integer in another width.
fn resized(value: &Bv, width: u32) -> Bv {
    if width < value.width() { value.extract(0, width) } else { value.zext(width) }
}
