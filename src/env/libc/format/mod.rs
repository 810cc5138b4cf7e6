//! The format strings of `printf` and `scanf`, and numbers in text.
//!
//! The modules follow C11 7.21.6.1 and 7.21.6.2 with the extensions of glibc that programs use.
//! Sizes are those of x86-64 System V. Where the standard leaves the behaviour undefined, the
//! modules do what glibc 2.36 does, because the native replay runs on it. The locale is "C".
//!
//! * [`printf`] and [`scanf`] parse format strings into typed directives;
//! * [`number`] converts integers to text, [`layout`] lists the shapes of this text, and [`radix`]
//!   gives its digits;
//! * [`flags`] has what the conversions of `printf` have in common;
//! * [`float`] prints concrete floating-point values, [`real`] finds the values that have a given
//!   text.

use thiserror::Error;

pub mod flags;
pub mod float;
pub mod layout;
pub mod number;
pub mod printf;
pub mod radix;
pub mod real;
pub mod scanf;

#[cfg(test)]
mod oracle;

/// Why a format string cannot be parsed. Positions are byte offsets in the format.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum FormatError {
    /// The format ends inside a conversion.
    #[error("the conversion at byte {at} of the format string ends before its letter")]
    Incomplete {
        /// The position of the `%`.
        at: usize,
    },
    /// The letter of a conversion has no meaning in C11 or glibc.
    #[error(
        "the conversion at byte {at} of the format string has the unknown letter `{}`",
        letter.escape_ascii()
    )]
    UnknownConversion {
        /// The position of the `%`.
        at: usize,
        /// The letter.
        letter: u8,
    },
    /// A conversion takes its argument by position (`%n$`), which is not supported.
    #[error(
        "the conversion at byte {at} of the format string takes its argument by position \
         (`n$`), which is not supported; number the arguments in order instead"
    )]
    Positional {
        /// The position of the `%`.
        at: usize,
    },
    /// A width or precision is `INT_MAX` or more, so `printf` itself fails.
    #[error("the width or precision at byte {at} of the format string exceeds INT_MAX")]
    CountTooLarge {
        /// The position of the `%`.
        at: usize,
    },
}

/// The length modifier of a conversion (C11 7.21.6.1 §7).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Length {
    /// No modifier.
    #[default]
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `l`
    Long,
    /// `ll`, and the BSD spelling `q`
    LongLong,
    /// `j`
    Max,
    /// `z`, and the old glibc spelling `Z`
    Size,
    /// `t`
    Difference,
    /// `L`
    LongDouble,
}

impl Length {
    /// The width in bits of the integer that a conversion with this modifier converts.
    pub fn integer_bits(self) -> u32 {
        match self {
            Self::Char => 8,
            Self::Short => 16,
            Self::None => 32,
            // glibc reads `L` before an integer conversion as `ll`.
            Self::Long
            | Self::LongLong
            | Self::Max
            | Self::Size
            | Self::Difference
            | Self::LongDouble => 64,
        }
    }

    /// Whether characters of this length are wide ones.
    pub(in crate::env::libc) fn is_wide(self) -> bool {
        self.integer_bits() == 64
    }
}

/// The case of the letters that a conversion writes.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Case {
    /// `%x`, `%e`, ...
    Lower,
    /// `%X`, `%E`, ...
    Upper,
}

impl Case {
    fn of(letter: u8) -> Self {
        if letter.is_ascii_uppercase() { Self::Upper } else { Self::Lower }
    }

    /// A text in lower case, converted to this case.
    fn apply(self, mut text: Vec<u8>) -> Vec<u8> {
        if self == Self::Upper {
            text.make_ascii_uppercase();
        }
        text
    }
}

/// Whether `isspace` accepts a byte in the "C" locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A reading position in a format string, shared by both parsers.
struct Cursor<'a> {
    format: &'a [u8],
    position: usize,
    /// The position of the `%` of the conversion that is being read.
    start: usize,
}

impl<'a> Cursor<'a> {
    fn new(format: &'a [u8]) -> Self {
        Self { format, position: 0, start: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.format.get(self.position).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    /// Takes the next byte of a conversion that is not complete yet.
    fn expect(&mut self) -> Result<u8, FormatError> {
        self.next().ok_or(FormatError::Incomplete { at: self.start })
    }

    /// Takes a sequence of digits as a number; `None` if there is no digit.
    fn number(&mut self) -> Result<Option<u32>, FormatError> {
        let mut value = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            self.position += 1;
            value = Some(
                u32::try_from(u64::from(value.unwrap_or(0)) * 10 + u64::from(digit - b'0'))
                    .ok()
                    .filter(|&count| count < i32::MAX as u32)
                    .ok_or(FormatError::CountTooLarge { at: self.start })?,
            );
        }
        if value.is_some() && self.peek() == Some(b'$') {
            return Err(FormatError::Positional { at: self.start });
        }
        Ok(value)
    }

    fn length(&mut self) -> Length {
        let (length, size) = match (self.peek(), self.format.get(self.position + 1)) {
            (Some(b'h'), Some(b'h')) => (Length::Char, 2),
            (Some(b'h'), _) => (Length::Short, 1),
            (Some(b'l'), Some(b'l')) => (Length::LongLong, 2),
            (Some(b'l'), _) => (Length::Long, 1),
            (Some(b'q'), _) => (Length::LongLong, 1),
            (Some(b'j'), _) => (Length::Max, 1),
            (Some(b'z' | b'Z'), _) => (Length::Size, 1),
            (Some(b't'), _) => (Length::Difference, 1),
            (Some(b'L'), _) => (Length::LongDouble, 1),
            _ => (Length::None, 0),
        };
        self.position += size;
        length
    }
}
