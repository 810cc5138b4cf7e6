//! Floating-point numbers in text: their format ([`RealFormat`]), and the numbers that have a given
//! text ([`Spelled`]).
//!
//! The text of a larger number never reads as a smaller one, though rounding may make two texts
//! equal. So the numbers that have a given text form an interval. Bisection finds it, with the
//! exact conversion of [`super::float`].

use std::{fmt, ops::RangeInclusive};

use super::{
    Case,
    flags::{Flags, FloatStyle},
    float::{Notation, Real},
    scanf::ByteSet,
};
use crate::expr::{Bv, float::Format};

/// The format of a floating-point number in text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum RealFormat {
    /// The format of input: a short decimal that reads back as the same number.
    Shortest,
    /// The format of a conversion of `printf`.
    Printed(Notation),
}

/// The numbers that have a given text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Spelled {
    /// The length of the text in bytes.
    pub length: usize,
    /// Whether the numbers have their sign bit set.
    pub negative: bool,
    /// The encodings of the numbers, without the sign bit.
    pub magnitudes: RangeInclusive<u128>,
}

impl RealFormat {
    /// The text of the number that 32, 64 or 80 bits encode.
    ///
    /// # Panics
    /// If `bits` has another width.
    pub fn text(&self, bits: &Bv) -> Vec<u8> {
        let real = Real::of_bits(bits).expect("a width that C has text for");
        match self {
            Self::Printed(notation) => real.text(notation),
            Self::Shortest => shortest(&real, bits),
        }
    }

    /// The least number of bytes that the text of a number of `width` bits can have, and an upper
    /// bound of the greatest number.
    pub fn length_bounds(&self, width: u32) -> (usize, usize) {
        const SHORTEST: usize = 40;
        let Self::Printed(notation) = self else { return (1, SHORTEST) };
        // The most digits before a point, and the length of the longest exponent.
        let (digits, exponent) = if width == 80 { (4933, 6) } else { (309, 5) };
        let precision = notation.precision.unwrap_or(match notation.style {
            FloatStyle::Hex => 16,
            _ => 6,
        });
        let most = match notation.style {
            FloatStyle::Fixed => 2 + digits + precision,
            FloatStyle::Exponent => 3 + precision + exponent,
            // `-0.0001` and further digits.
            FloatStyle::General => 8 + precision + exponent,
            FloatStyle::Hex => 5 + precision + 1 + exponent,
        };
        (notation.width.max(1), notation.width.max(most))
    }

    /// All bytes that the text of a floating-point number can have.
    pub fn bytes() -> ByteSet {
        b"0123456789abcdefABCDEFxXpPinINT+-. ".iter().copied().collect()
    }

    /// The prefixes of `text` that are the whole text of some numbers of `width` bits, with these
    /// numbers. The `bool` says whether the list is complete. It is incomplete if the text
    /// `goes_on` and its end may still belong to a number, or if infinities and NaNs are possible.
    /// For `long double` and `%a` nothing is found.
    pub fn spelled(&self, text: &[u8], goes_on: bool, width: u32) -> (Vec<Spelled>, bool) {
        let known = text.iter().take_while(|byte| Self::bytes().contains(**byte)).count();
        let (least, most) = self.length_bounds(width);
        let hexadecimal = matches!(self, Self::Printed(n) if n.style == FloatStyle::Hex);
        let (Some(format), false) = (Format::of(width).filter(|_| width != 80), hexadecimal) else {
            return (Vec::new(), false);
        };
        let complete = known < text.len() || !goes_on;
        let lengths = least..=known.min(most);
        let spelled: Vec<_> =
            lengths.filter_map(|length| self.spelled_by(&text[..length], format)).collect();
        // Infinities and NaNs are not searched for.
        let letters = text[..known].iter().any(|byte| matches!(byte, b'i' | b'n' | b'I' | b'N'));
        (spelled, complete && !letters)
    }

    fn spelled_by(&self, text: &[u8], format: Format) -> Option<Spelled> {
        let number = std::str::from_utf8(text).ok()?.trim_matches(' ');
        let is_decimal = |byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        if !number.bytes().all(is_decimal) {
            return None;
        }
        let nearest = match format {
            Format::Single => u128::from(number.parse::<f32>().ok()?.to_bits()),
            _ => u128::from(number.parse::<f64>().ok()?.to_bits()),
        };
        let sign = nearest & format.sign();
        let is_same =
            |magnitude: u128| self.text(&Bv::from_u128(format.width(), sign | magnitude)) == text;
        // The text of the largest numbers may be rounded up beyond the range of the format.
        let largest = format.infinity() - 1;
        let magnitude = (nearest & !format.sign()).min(largest);
        if !is_same(magnitude) {
            return None;
        }
        let low = magnitude - furthest(magnitude, |by| is_same(magnitude - by));
        let high = magnitude + furthest(largest - magnitude, |by| is_same(magnitude + by));
        Some(Spelled { length: text.len(), negative: sign != 0, magnitudes: low..=high })
    }

    /// A bound on the distance of two numbers with the same text, as an absolute and a relative
    /// part: `a` and `b` look different if `|a - b| > absolute + relative * |a|`. `None` if this
    /// format has no such bound.
    pub fn resolution(&self) -> Option<(f64, f64)> {
        let Self::Printed(notation) = self else { return None };
        let unit = |digits: usize| 0.1_f64.powi(i32::try_from(digits).unwrap_or(i32::MAX));
        let precision = notation.precision.unwrap_or(6);
        // Twice the distance between neighbouring texts, to allow for rounding.
        match notation.style {
            FloatStyle::Fixed => Some((2.0 * unit(precision), 0.0)),
            FloatStyle::Exponent => Some((0.0, 2.0 * unit(precision))),
            FloatStyle::General => Some((0.0, 2.0 * unit(precision.max(1) - 1))),
            FloatStyle::Hex => None,
        }
    }
}

/// Shows the `printf` conversion that has this format, without a length modifier; `%r` for the
/// format of input.
impl fmt::Display for RealFormat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Printed(notation) = self else { return f.write_str("%r") };
        let Notation { style, case, flags, width, precision } = notation;
        write!(f, "%{flags}")?;
        if *width > 0 {
            write!(f, "{width}")?;
        }
        if let Some(precision) = precision {
            write!(f, ".{precision}")?;
        }
        let letter = match style {
            FloatStyle::Fixed => 'f',
            FloatStyle::Exponent => 'e',
            FloatStyle::General => 'g',
            FloatStyle::Hex => 'a',
        };
        let upper = *case == Case::Upper;
        write!(f, "{}", if upper { letter.to_ascii_uppercase() } else { letter })
    }
}

/// The greatest number up to `most` for which `holds` is true. It must be true for 0. If it is true
/// for a number, it must be true for all smaller ones.
fn furthest(most: u128, holds: impl Fn(u128) -> bool) -> u128 {
    let (mut known, mut step) = (0, 1);
    while step <= most && holds(step) {
        known = step;
        step *= 2;
    }
    let mut beyond = step.min(most + 1);
    while beyond - known > 1 {
        let middle = known + (beyond - known) / 2;
        if holds(middle) {
            known = middle;
        } else {
            beyond = middle;
        }
    }
    known
}

/// A text that reads back as the same number, with almost as few digits as possible. 21 digits are
/// enough for any `long double`.
fn shortest(real: &Real, bits: &Bv) -> Vec<u8> {
    const DECIMALS: usize = 9;
    const DIGITS: usize = 21;
    let written = |style, precision| {
        let (case, flags) = (Case::Lower, Flags::default());
        real.text(&Notation { style, case, flags, width: 0, precision: Some(precision) })
    };
    let value = bits.to_u128();
    let reads_back = |text: &Vec<u8>| {
        let text = std::str::from_utf8(text).unwrap_or_default();
        match bits.width() {
            32 => text.parse::<f32>().is_ok_and(|read| value == Some(read.to_bits().into())),
            64 => text.parse::<f64>().is_ok_and(|read| value == Some(read.to_bits().into())),
            _ => false,
        }
    };
    // Without an exponent, as people write numbers, if that is not too long.
    let plain = (0..=DECIMALS).map(|decimals| written(FloatStyle::Fixed, decimals));
    let plain = plain.take_while(|text| text.len() <= DIGITS).find(&reads_back);
    let mut scientific = (1..DIGITS).map(|digits| written(FloatStyle::General, digits));
    let found = plain.or_else(|| scientific.find(&reads_back));
    found.unwrap_or_else(|| written(FloatStyle::General, DIGITS))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::printf, *};

    fn printed(format: &str) -> RealFormat {
        let [printf::Directive::Conversion(conversion)] =
            printf::parse(format.as_bytes()).unwrap()[..]
        else {
            panic!("{format}")
        };
        let width = conversion.width.resolve(|| unreachable!());
        let precision = conversion.precision.resolve(|| unreachable!());
        RealFormat::Printed(conversion.notation(width, precision).unwrap())
    }

    const FORMATS: [&str; 10] =
        ["%f", "%.2f", "%.0f", "%e", "%.1e", "%g", "%.12g", "%8.1f", "%-9.3g", "%+.1f"];

    fn double(value: f64) -> Bv {
        Bv::new(64, value.to_bits())
    }

    #[test]
    fn input_is_short() {
        let text = |value| String::from_utf8(RealFormat::Shortest.text(&double(value))).unwrap();
        let texts = [0.0, -0.0, 0.1, 90.0, -2.5, 1e300, 5e-324, 123456789.0].map(text);
        assert_eq!(texts, ["0", "-0", "0.1", "90", "-2.5", "1e+300", "5e-324", "123456789"]);
        let single = Bv::new(32, 0.1_f32.to_bits().into());
        assert_eq!(RealFormat::Shortest.text(&single), b"0.1");
    }

    #[test]
    fn a_text_that_may_go_on_is_no_number_yet() {
        let (spelled, complete) = printed("%.2f").spelled(b"1.50\n", true, 64);
        assert!(complete && spelled.len() == 1 && spelled[0].length == 4);
        let (spelled, complete) = printed("%g").spelled(b"12", true, 64);
        assert!(!complete);
        assert_eq!(spelled.iter().map(|s| s.length).collect::<Vec<_>>(), [1, 2]);
        assert!(!printed("%f").spelled(b"inf\n", true, 64).1);
        let largest = u128::from(f64::MAX.to_bits());
        let (spelled, _) = printed("%.0e").spelled(b"2e+308\n", true, 64);
        assert!(spelled.iter().any(|s| s.length == 6 && *s.magnitudes.end() == largest));
    }

    proptest! {
        #[test]
        fn what_spells_a_text_is_an_interval_around_the_number(
            bits in any::<u64>(), scaled in any::<i32>(), which in 0..FORMATS.len(),
        ) {
            for value in [f64::from_bits(bits), f64::from(scaled) / 1000.0] {
                if !value.is_finite() {
                    continue;
                }
                let format = printed(FORMATS[which]);
                let text = format.text(&double(value));
                let (least, most) = format.length_bounds(64);
                prop_assert!((least..=most).contains(&text.len()));
                let (spelled, complete) = format.spelled(&[&text[..], b"\n"].concat(), true, 64);
                prop_assert!(complete);
                let whole = spelled.iter().find(|spelled| spelled.length == text.len()).unwrap();
                let magnitude = u128::from(value.abs().to_bits());
                prop_assert!(whole.magnitudes.contains(&magnitude));
                prop_assert_eq!(whole.negative, value.is_sign_negative());
                let outside = [whole.magnitudes.start().checked_sub(1), Some(whole.magnitudes.end() + 1)];
                for magnitude in outside.into_iter().flatten() {
                    let sign = if whole.negative { 1 << 63 } else { 0 };
                    prop_assert_ne!(&format.text(&Bv::from_u128(64, magnitude | sign)), &text);
                }
            }
        }

        #[test]
        fn input_reads_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = String::from_utf8(RealFormat::Shortest.text(&double(value))).unwrap();
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            }
        }

        #[test]
        fn numbers_further_apart_than_the_resolution_look_different(
            scaled in any::<i32>(), factor in -3.0..3.0_f64, which in 0..FORMATS.len(),
        ) {
            let a = f64::from(scaled) / 1000.0;
            let format = printed(FORMATS[which]);
            let (absolute, relative) = format.resolution().unwrap();
            let b = a + factor * (absolute + relative * a.abs());
            if (a - b).abs() > absolute + relative * a.abs() {
                prop_assert_ne!(format.text(&double(a)), format.text(&double(b)));
            }
        }
    }
}
