//! The shapes ([`NumberLayout`]) that the text of an integer can have.

use super::radix::Radix;
use crate::expr::{Bv, ExprId, Exprs};

/// One byte of a [`NumberLayout`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cell {
    /// The same byte for every value.
    Literal(u8),
    /// The digit that has this many digits to its right.
    Digit(usize),
}

/// The shape that the texts of a range of integers share.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NumberLayout {
    /// The number of spaces before the number.
    pub left_spaces: usize,
    /// The sign, or the space in its place.
    pub sign: Option<u8>,
    /// The prefix that names the base, such as `0x`.
    pub prefix: &'static [u8],
    /// The number of zeros before the digits of the value.
    pub zeros: usize,
    /// The number of digits of the value.
    pub digits: usize,
    /// The number of spaces after the number.
    pub right_spaces: usize,
    /// Whether the values are negative.
    pub negative: bool,
    /// The smallest magnitude of the values.
    pub low: u128,
    /// The largest magnitude of the values.
    pub high: u128,
}

impl NumberLayout {
    /// The length of the text in bytes.
    pub fn len(&self) -> usize {
        self.digits_start() + self.digits + self.right_spaces
    }

    /// Whether the text has no bytes, like the text of 0 in `%.0d`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn digits_start(&self) -> usize {
        self.left_spaces + usize::from(self.sign.is_some()) + self.prefix.len() + self.zeros
    }

    /// The cell at an offset below [`Self::len`].
    pub fn cell(&self, offset: usize) -> Cell {
        debug_assert!(offset < self.len());
        let Some(offset) = offset.checked_sub(self.left_spaces) else {
            return Cell::Literal(b' ');
        };
        let offset = match (self.sign, offset) {
            (Some(sign), 0) => return Cell::Literal(sign),
            (Some(_), _) => offset - 1,
            (None, _) => offset,
        };
        if let Some(&byte) = self.prefix.get(offset) {
            return Cell::Literal(byte);
        }
        let offset = offset - self.prefix.len();
        if offset < self.zeros {
            return Cell::Literal(b'0');
        }
        match (offset - self.zeros).cmp(&self.digits) {
            std::cmp::Ordering::Less => Cell::Digit(self.digits - 1 - (offset - self.zeros)),
            _ => Cell::Literal(b' '),
        }
    }

    /// The magnitude that this layout writes as `text`; `None` if there is none. The text must have
    /// the length of the layout.
    pub fn read(&self, radix: Radix, text: impl IntoIterator<Item = u8>) -> Option<u128> {
        let mut magnitude = 0u128;
        for (offset, byte) in text.into_iter().enumerate() {
            match self.cell(offset) {
                Cell::Literal(expected) if expected == byte => {}
                Cell::Literal(_) => return None,
                Cell::Digit(_) => {
                    let digit = radix.digit_value(byte)?;
                    magnitude =
                        magnitude.checked_mul(radix.base().into())?.checked_add(digit.into())?;
                }
            }
        }
        (self.low..=self.high).contains(&magnitude).then_some(magnitude)
    }

    /// The condition that a value has this layout.
    pub fn guard(&self, exprs: &Exprs, value: ExprId, signed: bool) -> ExprId {
        let bits = exprs.width(value);
        let constant = |magnitude| exprs.bv(&Bv::from_u128(bits, magnitude));
        let at_most = |a, b| if signed { exprs.sle(a, b) } else { exprs.ule(a, b) };
        let (least, most) = match self.negative {
            true => (self.high.wrapping_neg(), self.low.wrapping_neg()),
            false => (self.low, self.high),
        };
        let (first, last) = bounds(bits, signed);
        let unbounded_below = match self.negative {
            true => self.high == first,
            false => !signed && self.low == 0,
        };
        let mut bounds = Vec::new();
        if !unbounded_below {
            bounds.push(at_most(constant(least), value));
        }
        if self.negative || self.high != last {
            bounds.push(at_most(value, constant(most)));
        }
        exprs.all(bounds)
    }

    /// The text of a value that has this layout, as 8-bit expressions.
    pub fn bytes(&self, exprs: &Exprs, value: ExprId, radix: Radix) -> Vec<ExprId> {
        (0..self.len()).map(|offset| self.byte(exprs, value, radix, offset)).collect()
    }

    /// The byte of the text at an offset below [`Self::len`], for a value that has this layout, as
    /// an 8-bit expression.
    pub fn byte(&self, exprs: &Exprs, value: ExprId, radix: Radix, offset: usize) -> ExprId {
        let position = match self.cell(offset) {
            Cell::Literal(byte) => return exprs.constant(8, byte.into()),
            Cell::Digit(position) => position,
        };
        let digit = self.digits(exprs, value, radix, position, 1);
        let digit = match exprs.width(digit) {
            8 => digit,
            ..8 => exprs.zext(digit, 8),
            _ => exprs.extract(digit, 0, 8),
        };
        let from = |zero: u8| exprs.add(digit, exprs.constant(8, zero.into()));
        if radix.base() <= 10 {
            return from(b'0');
        }
        let is_decimal = exprs.ult(digit, exprs.constant(8, 10));
        exprs.ite(is_decimal, from(b'0'), from(radix.digit(10) - 10))
    }

    /// The number that `count` digits of a value make: the one with `position` digits to its right,
    /// and those before it. The value must have this layout, and the result is as wide as the value.
    pub fn digits(
        &self,
        exprs: &Exprs,
        value: ExprId,
        radix: Radix,
        position: usize,
        count: usize,
    ) -> ExprId {
        let bits = exprs.width(value);
        let power = |exponent: usize| {
            // The power is below the largest magnitude, so it fits.
            let power = u128::from(radix.base()).pow(exponent as u32);
            exprs.bv(&Bv::from_u128(bits, power))
        };
        let magnitude = if self.negative { exprs.neg(value) } else { value };
        let quotient = match position {
            0 => magnitude,
            _ => exprs.udiv(magnitude, power(position)),
        };
        // A value with this layout has no digits further left.
        match position + count < self.digits {
            true => exprs.urem(quotient, power(count)),
            false => quotient,
        }
    }
}

/// The magnitudes of the least and the greatest value of `bits` bits.
pub(super) fn bounds(bits: u32, signed: bool) -> (u128, u128) {
    let last = u128::MAX >> (128 - bits);
    if signed { ((last >> 1) + 1, last >> 1) } else { (0, last) }
}
