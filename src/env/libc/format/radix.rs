//! The base of a number in text, and its digits.

use super::Case;

/// The base of a number in text, with the case of its letters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Radix {
    /// Base 2; the case is that of the prefix `0b`.
    Binary(Case),
    /// Base 8.
    Octal,
    /// Base 10.
    Decimal,
    /// Base 16; the case is that of the digits and of the prefix `0x`.
    Hex(Case),
}

impl Radix {
    /// The base as a number.
    pub fn base(self) -> u8 {
        match self {
            Self::Binary(_) => 2,
            Self::Octal => 8,
            Self::Decimal => 10,
            Self::Hex(_) => 16,
        }
    }

    /// The digit of a value below the base.
    pub fn digit(self, value: u8) -> u8 {
        match (value, self) {
            (0..=9, _) => b'0' + value,
            (_, Self::Hex(Case::Upper)) => b'A' + value - 10,
            _ => b'a' + value - 10,
        }
    }

    /// The value of a digit; `None` if [`Self::digit`] never returns it, such as a letter of the
    /// wrong case.
    pub fn digit_value(self, digit: u8) -> Option<u8> {
        (0..self.base()).find(|&value| self.digit(value) == digit)
    }

    /// The prefix of the alternative form. Octal has none, but an additional zero.
    pub(super) fn prefix(self) -> &'static [u8] {
        match self {
            Self::Binary(Case::Lower) => b"0b",
            Self::Binary(Case::Upper) => b"0B",
            Self::Hex(Case::Lower) => b"0x",
            Self::Hex(Case::Upper) => b"0X",
            Self::Octal | Self::Decimal => b"",
        }
    }
}
