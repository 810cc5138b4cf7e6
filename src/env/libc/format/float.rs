//! Concrete floating-point numbers as `printf` writes them (C11 7.21.6.1 §8: a, e, f, g).
//!
//! A binary floating-point number is an integer times a power of two. So big integers give every
//! decimal exactly, and it is rounded once, to nearest and ties to even. glibc does the same in the
//! default rounding mode. There is one deviation: if rounding carries `%#g` into exponent notation,
//! glibc 2.36 drops the zeros that `#` is there to keep (`1.e+06` for 999999.5). Here the text is
//! the standard's `1.00000e+06`.

use num_bigint::BigUint;

use super::{
    Case,
    flags::{Flags, FloatStyle, pad},
};
use crate::expr::Bv;

/// The format of a floating-point number in text, with width and precision known.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Notation {
    /// The notation: fixed point, exponent, whichever of the two `%g` chooses, or hexadecimal.
    pub style: FloatStyle,
    /// The case of the letters.
    pub case: Case,
    /// The flags.
    pub flags: Flags,
    /// The least number of bytes.
    pub width: usize,
    /// The number of digits after the point, or of significant digits for `%g`. The default is 6;
    /// for `%a` it is all digits.
    pub precision: Option<usize>,
}

/// A floating-point value, independent of the format that encodes it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Real {
    negative: bool,
    magnitude: Magnitude,
    /// The number of mantissa bits that `%a` writes after the point.
    fraction_bits: u32,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Magnitude {
    Infinite,
    Nan,
    Finite(Finite),
}

impl Real {
    /// The value that 32, 64 or 80 bits encode; `None` for any other width.
    pub fn of_bits(bits: &Bv) -> Option<Self> {
        let value = bits.to_u128()?;
        Some(match bits.width() {
            // Every `float` is a `double`.
            32 => f64::from(f32::from_bits(value as u32)).into(),
            64 => f64::from_bits(value as u64).into(),
            80 => Self::from_x87(value as u64, (value >> 64) as u16),
            _ => return None,
        })
    }

    /// The value of an x87 extended number, given its 64 bits of mantissa and the 16 bits above
    /// them, the highest of which is the sign. Encodings that the processor rejects count as NaN.
    pub fn from_x87(mantissa: u64, sign_and_exponent: u16) -> Self {
        let biased = i32::from(sign_and_exponent & 0x7fff);
        let normalised = mantissa >> 63 == 1;
        let magnitude = match biased {
            0x7fff if mantissa == 1 << 63 => Magnitude::Infinite,
            0x7fff => Magnitude::Nan,
            1.. if !normalised => Magnitude::Nan,
            _ => Magnitude::Finite(Finite { mantissa, exponent: biased.max(1) - 16383 - 63 }),
        };
        Self { negative: sign_and_exponent >> 15 == 1, magnitude, fraction_bits: 60 }
    }

    /// The text of the value.
    pub fn text(&self, notation: &Notation) -> Vec<u8> {
        let Notation { style, case, flags, width, precision } = *notation;
        let sign: &[u8] = match flags {
            _ if self.negative => b"-",
            Flags { plus: true, .. } => b"+",
            Flags { space: true, .. } => b" ",
            _ => b"",
        };
        let precise = precision.unwrap_or(6);
        let keep = flags.alternative;
        let (prefix, body): (&[u8], Vec<u8>) = match (self.magnitude, style) {
            (Magnitude::Infinite, _) => (b"", b"inf".to_vec()),
            (Magnitude::Nan, _) => (b"", b"nan".to_vec()),
            (Magnitude::Finite(value), FloatStyle::Fixed) => (b"", value.fixed(precise, keep)),
            (Magnitude::Finite(value), FloatStyle::Exponent) => {
                (b"", value.scientific(precise).text(keep))
            }
            (Magnitude::Finite(value), FloatStyle::General) => (b"", value.general(precise, keep)),
            (Magnitude::Finite(value), FloatStyle::Hex) => {
                (b"0x", value.hex(precision, self.fraction_bits, keep))
            }
        };
        let finite = matches!(self.magnitude, Magnitude::Finite(_));
        let mut text = [sign, prefix].concat();
        if flags.zero && !flags.left && finite {
            let missing = width.saturating_sub(text.len() + body.len());
            text.extend(std::iter::repeat_n(b'0', missing));
        }
        text.extend(body);
        pad(case.apply(text), width, flags.left)
    }
}

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let magnitude = match biased {
            0x7ff if fraction == 0 => Magnitude::Infinite,
            0x7ff => Magnitude::Nan,
            0 => Magnitude::Finite(Finite { mantissa: fraction, exponent: -1074 }),
            _ => {
                Magnitude::Finite(Finite { mantissa: fraction | 1 << 52, exponent: biased - 1075 })
            }
        };
        Self { negative: value.is_sign_negative(), magnitude, fraction_bits: 52 }
    }
}

/// The number `mantissa * 2^exponent`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Finite {
    mantissa: u64,
    exponent: i32,
}

/// Decimal digits, with the point after the first, and a decimal exponent.
struct Scientific {
    digits: Vec<u8>,
    exponent: i32,
}

impl Scientific {
    fn text(&self, keep_point: bool) -> Vec<u8> {
        let mut text = vec![self.digits[0]];
        if self.digits.len() > 1 || keep_point {
            text.push(b'.');
        }
        text.extend(&self.digits[1..]);
        let sign = if self.exponent < 0 { '-' } else { '+' };
        text.extend(format!("e{sign}{:02}", self.exponent.abs()).into_bytes());
        text
    }
}

impl Finite {
    /// The value times `10^scale`, rounded to the nearest integer, ties to even.
    fn scaled(self, scale: i32) -> BigUint {
        let power = BigUint::from(10u8).pow(scale.unsigned_abs());
        let mut numerator = BigUint::from(self.mantissa);
        let mut denominator = BigUint::from(1u8);
        if scale < 0 {
            denominator *= power;
        } else {
            numerator *= power;
        }
        if self.exponent < 0 {
            denominator <<= self.exponent.unsigned_abs();
        } else {
            numerator <<= self.exponent.unsigned_abs();
        }
        let quotient = &numerator / &denominator;
        let twice_rest = (numerator - &quotient * &denominator) * 2u8;
        let up = match twice_rest.cmp(&denominator) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => quotient.bit(0),
            std::cmp::Ordering::Greater => true,
        };
        quotient + u8::from(up)
    }

    fn fixed(self, precision: usize, keep_point: bool) -> Vec<u8> {
        // No double has more than 1074 decimals, no x87 number more than 16445.
        let exact = precision.min(self.exponent.min(0).unsigned_abs() as usize);
        let mut text = self.scaled(exact as i32).to_string().into_bytes();
        if text.len() <= exact {
            text.splice(0..0, std::iter::repeat_n(b'0', exact + 1 - text.len()));
        }
        let point = text.len() - exact;
        text.extend(std::iter::repeat_n(b'0', precision - exact));
        if precision > 0 || keep_point {
            text.insert(point, b'.');
        }
        text
    }

    fn scientific(self, precision: usize) -> Scientific {
        if self.mantissa == 0 {
            return Scientific { digits: vec![b'0'; precision + 1], exponent: 0 };
        }
        // No number has more significant digits; all others are zeros.
        let exact = precision.min(20_000) as i32;
        let bits = 64 - self.mantissa.leading_zeros() as i32 + self.exponent;
        // This estimate is off by at most one, which the number of digits below shows.
        let mut exponent = (f64::from(bits - 1) * std::f64::consts::LOG10_2).floor() as i32;
        loop {
            let mut digits = self.scaled(exact - exponent).to_string().into_bytes();
            match digits.len().cmp(&(exact as usize + 1)) {
                std::cmp::Ordering::Less => exponent -= 1,
                std::cmp::Ordering::Greater => exponent += 1,
                std::cmp::Ordering::Equal => {
                    digits.resize(precision + 1, b'0');
                    return Scientific { digits, exponent };
                }
            }
        }
    }

    fn general(self, precision: usize, keep_zeros: bool) -> Vec<u8> {
        let precision = precision.max(1);
        let mut scientific = self.scientific(precision - 1);
        let exponent = scientific.exponent;
        let is_zero = |digit: &u8| *digit == b'0';
        if exponent < -4 || i64::from(exponent) >= precision as i64 {
            while !keep_zeros
                && scientific.digits.len() > 1
                && scientific.digits.last().is_some_and(is_zero)
            {
                scientific.digits.pop();
            }
            return scientific.text(keep_zeros);
        }
        let decimals = (precision as i64 - 1 - i64::from(exponent)) as usize;
        let mut text = self.fixed(decimals, keep_zeros);
        if !keep_zeros && decimals > 0 {
            while text.last().is_some_and(is_zero) {
                text.pop();
            }
            if text.last() == Some(&b'.') {
                text.pop();
            }
        }
        text
    }

    /// The text of `%a` after `0x`: one hexadecimal digit, the point, the lowest `fraction_bits` of
    /// the mantissa as hexadecimal digits, and the binary exponent.
    fn hex(self, precision: Option<usize>, fraction_bits: u32, keep_point: bool) -> Vec<u8> {
        let mut mantissa = u128::from(self.mantissa);
        let exponent = match self.mantissa {
            0 => 0,
            _ => self.exponent + fraction_bits as i32,
        };
        let mut nibbles = fraction_bits as usize / 4;
        match precision {
            None => {
                while nibbles > 0 && mantissa & 0xf == 0 {
                    mantissa >>= 4;
                    nibbles -= 1;
                }
            }
            Some(wanted) if wanted < nibbles => {
                let cut = 4 * (nibbles - wanted);
                let rest = mantissa & ((1 << cut) - 1);
                let half = 1 << (cut - 1);
                mantissa >>= cut;
                nibbles = wanted;
                if rest > half || rest == half && mantissa & 1 == 1 {
                    mantissa += 1;
                }
            }
            Some(_) => {}
        }
        let mut exponent = exponent;
        if mantissa >> (4 * nibbles) > 0xf {
            mantissa >>= 4;
            exponent += 4;
        }
        let mut text = format!("{:x}", mantissa >> (4 * nibbles)).into_bytes();
        let decimals = precision.unwrap_or(nibbles);
        if decimals > 0 || keep_point {
            text.push(b'.');
        }
        if nibbles > 0 {
            let fraction = mantissa & ((1 << (4 * nibbles)) - 1);
            text.extend(format!("{fraction:0nibbles$x}").into_bytes());
        }
        text.extend(std::iter::repeat_n(b'0', decimals - nibbles));
        text.extend(format!("p{exponent:+}").into_bytes());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{self, Case as Question, PrintedValue};
    use super::super::printf::{Directive, parse};
    use super::*;

    fn formats(length: &str) -> Vec<String> {
        let mut formats = Vec::new();
        for flags in ["", "#", "+", " ", "0", "-", "#0+", "-#", "0 "] {
            for field in ["", "12", ".0", ".1", ".", ".3", "30.17", "5.12", "1.40", "45.14"] {
                for letter in ["e", "f", "g", "a", "E", "F", "G", "A"] {
                    formats.push(format!("%{flags}{field}{length}{letter}"));
                }
            }
        }
        formats
    }

    fn check(questions: &[Question]) {
        for (question, expected) in questions.iter().zip(oracle::printf(questions)) {
            let [Directive::Conversion(conversion)] =
                parse(question.format.as_bytes()).unwrap()[..]
            else {
                panic!("{question:?}")
            };
            let real = match question.argument {
                PrintedValue::Double(value) => Real::from(value),
                PrintedValue::LongDouble(mantissa, top) => Real::from_x87(mantissa, top),
                PrintedValue::Integer(_) => unreachable!(),
            };
            let width = conversion.width.resolve(|| unreachable!());
            let precision = conversion.precision.resolve(|| unreachable!());
            let text = real.text(&conversion.notation(width, precision).unwrap());
            assert_eq!(
                text.escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{question:?}"
            );
        }
    }

    /// Numbers without a visible pattern, by splitmix64.
    fn scatter(seed: u64) -> u64 {
        let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[test]
    fn doubles_are_printed_as_by_glibc() {
        let carrying = [999999.5, 9999995.0, 9.9999e-5, 99.95, 9.995, 9.5];
        let mut values = vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            0.125,
            0.1,
            0.3,
            1e-4,
            0.00001,
            1e15,
            1e16,
            1e17,
            123456.0,
            1234567.0,
            1e22,
            1e23,
            1e100,
            5e-324,
            2.2250738585072014e-308,
            2.225073858507201e-308,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            1.9999999,
            1.96875,
            1.03125,
        ];
        values.extend(carrying);
        values.extend((0..60).map(|seed| f64::from_bits(scatter(seed))));
        values.extend((0..60).map(|seed| scatter(seed) as i32 as f64 / 1000.0));
        let formats = formats("");
        let mut questions = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            for format in formats.iter().skip(i % 7).step_by(7) {
                let general = format.contains('#') && format.ends_with(['g', 'G']);
                if !(general && carrying.contains(&value)) {
                    questions.push(Question::new(format, &[], PrintedValue::Double(value)));
                }
            }
        }
        check(&questions);
    }

    #[test]
    fn long_doubles_are_printed_as_by_glibc() {
        let mut values = vec![
            (0, 0),
            (0, 0x8000),
            (1 << 63, 0x3fff),
            (1 << 63, 0xbffe),
            (u64::MAX, 0x3fff),
            (u64::MAX, 0x7ffe),
            (1 << 63, 0x7fff),
            (3 << 62, 0xffff),
            (1, 0),
            (u64::MAX >> 1, 0),
            (1 << 63, 1),
        ];
        values.extend((0..40).map(|s| (scatter(s) | 1 << 63, 0x3fff - 40 + 2 * s as u16)));
        let formats = formats("L");
        let mut questions = Vec::new();
        for (i, &(mantissa, top)) in values.iter().enumerate() {
            for format in formats.iter().skip(i % 7).step_by(7) {
                let argument = PrintedValue::LongDouble(mantissa, top);
                questions.push(Question::new(format, &[], argument));
            }
        }
        check(&questions);
    }

    #[test]
    fn precision_beyond_every_digit_is_filled_with_zeros() {
        let questions: Vec<_> = ["%.2000f", "%.2000e", "%.1200g", "%#.1200g", "%.100a"]
            .into_iter()
            .flat_map(|format| {
                [5e-324, 0.1, 1e300, 0.0]
                    .map(|v| Question::new(format, &[], PrintedValue::Double(v)))
            })
            .collect();
        check(&questions);
    }
}
