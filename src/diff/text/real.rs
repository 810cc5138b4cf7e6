//! Floating-point numbers in texts: when two have the same text, and when they certainly have not.

use crate::{
    env::libc::stream::{Atom, RealFormat, Stream},
    expr::{Bv, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Rounding, float::Format},
};

/// A floating-point number in a text.
#[derive(Clone, Copy)]
pub(super) struct Real {
    pub value: ExprId,
    pub format: RealFormat,
}

impl Real {
    /// Whether equal values have equal texts.
    pub fn comparable(&self, exprs: &Exprs, other: &Self) -> bool {
        self.format == other.format && exprs.width(self.value) == exprs.width(other.value)
    }

    /// The condition that the values are equal. All NaNs of the same sign count as equal.
    pub fn same_value(&self, exprs: &Exprs, other: &Self) -> ExprId {
        let (a, b) = (self.value, other.value);
        let is_nan = |e| exprs.not(exprs.float_compare(FloatRelation::Equal, e, e));
        let sign = |e| exprs.extract(e, exprs.width(e) - 1, 1);
        let alike = exprs.all([is_nan(a), is_nan(b), exprs.eq(sign(a), sign(b))]);
        exprs.or(exprs.eq(a, b), alike)
    }

    /// A condition under which comparable numbers certainly have different texts: they are further
    /// apart than rounding to the digits of the text can hide.
    fn far_apart(&self, exprs: &Exprs, other: &Self) -> Option<ExprId> {
        let (a, b) = (self.value, other.value);
        let width = exprs.width(a);
        let (absolute, relative) = self.format.resolution()?;
        let rounding = Rounding::NearestEven;
        let number = |value: f64| {
            let bits = exprs.constant(64, value.to_bits());
            exprs.float_unary(FloatUnary::Convert, rounding, bits, width)
        };
        let binary = |op, x, y| exprs.float_binary(op, rounding, x, y);
        let mut room = number(absolute);
        if relative > 0.0 {
            let sign = exprs.bv(&Bv::from_u128(width, !Format::of(width)?.sign()));
            let part = binary(FloatBinary::Mul, exprs.and(a, sign), number(relative));
            room = binary(FloatBinary::Add, part, room);
        }
        let apart =
            |x, y| exprs.float_compare(FloatRelation::Less, room, binary(FloatBinary::Sub, x, y));
        Some(exprs.or(apart(a, b), apart(b, a)))
    }
}

/// A condition under which the texts certainly differ: some floating-point number of one is further
/// from its counterpart in the other than rounding can hide. It is meant for texts for which
/// [`super::difference`] is not exact because of that rounding.
pub fn certain_difference(exprs: &Exprs, a: &Stream, b: &Stream) -> ExprId {
    let (a, b): (Vec<Atom>, Vec<Atom>) = (a.atoms().collect(), b.atoms().collect());
    let mut certain = exprs.bool(false);
    let numerals = RealFormat::bytes();
    let ends = |behind: &[Atom]| match behind.first() {
        None => true,
        Some(Atom::Literal(byte)) => !numerals.contains(*byte),
        Some(_) => false,
    };
    for (index, atoms) in a.iter().zip(&b).enumerate() {
        let (behind_a, behind_b) = (&a[index + 1..], &b[index + 1..]);
        match atoms {
            (x, y) if x == y => {}
            (Atom::Real { value: x, format }, Atom::Real { value: y, format: other })
                if ends(behind_a) && ends(behind_b) =>
            {
                let real = |value, format| Real { value, format };
                let (x, y) = (real(*x, *format), real(*y, *other));
                let far = x.comparable(exprs, &y).then(|| x.far_apart(exprs, &y)).flatten();
                certain = exprs.or(certain, far.unwrap_or_else(|| exprs.bool(false)));
            }
            // What comes next may be at another offset in the two texts.
            _ => break,
        }
    }
    certain
}
