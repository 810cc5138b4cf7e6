//! What the conversions of `printf` have in common: flags, notations, padding.

use std::fmt;

/// The flags of a conversion (C11 7.21.6.1 §6).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Flags {
    /// `-`: pad on the right.
    pub left: bool,
    /// `+`: signed numbers always have a sign.
    pub plus: bool,
    /// Space: signed numbers without a sign start with a space.
    pub space: bool,
    /// `#`: the alternative form.
    pub alternative: bool,
    /// `0`: pad with zeros after the sign.
    pub zero: bool,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { left, plus, space, alternative, zero } = *self;
        let flags = [(left, '-'), (plus, '+'), (space, ' '), (alternative, '#'), (zero, '0')];
        flags.into_iter().filter(|(set, _)| *set).try_for_each(|(_, flag)| write!(f, "{flag}"))
    }
}

/// The notation of a floating-point conversion.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FloatStyle {
    /// `f`: fixed point.
    Fixed,
    /// `e`: one digit, a point, digits, and an exponent.
    Exponent,
    /// `g`: fixed point or exponent, depending on the exponent, without trailing zeros.
    General,
    /// `a`: hexadecimal mantissa, binary exponent.
    Hex,
}

/// `text` padded with spaces to `width` bytes: on the right if `left`, otherwise on the left.
pub fn pad(mut text: Vec<u8>, width: usize, left: bool) -> Vec<u8> {
    let missing = width.saturating_sub(text.len());
    let at = if left { text.len() } else { 0 };
    text.splice(at..at, std::iter::repeat_n(b' ', missing));
    text
}
