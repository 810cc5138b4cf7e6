//! How an integer becomes text: C11 7.21.6.1 §6 and §8 for `d`, `u`, `o`, `x` and `b`.
//!
//! A [`NumberFormat`] is a conversion whose width and precision are known. For values of a given
//! width it allows only a few [`NumberLayout`]s, one for each sign and number of digits. The texts
//! of one layout differ only in their digits. Three things are built on layouts: concrete
//! formatting, the length of the text of a symbolic value, and the comparison of texts
//! (`diff::text`).

use std::fmt;

use super::Case;
use super::flags::Flags;
use super::layout::{Cell, NumberLayout, bounds};
use super::radix::Radix;
use crate::expr::{Bv, ExprId, Exprs};

/// The format of an integer in text, with width and precision known.
///
/// The text determines the mathematical value: no two values have the same text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct NumberFormat {
    /// Whether the value is signed (two's complement). The flags `+` and space have an effect only
    /// if it is.
    pub signed: bool,
    /// The base.
    pub radix: Radix,
    /// The least number of bytes.
    pub width: usize,
    /// The least number of digits. If it is given, the flag `0` has no effect, and zero may have no
    /// digits at all.
    pub precision: Option<usize>,
    /// The flags.
    pub flags: Flags,
}

impl NumberFormat {
    /// `%d` or `%u`: decimal without padding.
    pub fn decimal(signed: bool) -> Self {
        Self { signed, radix: Radix::Decimal, width: 0, precision: None, flags: Flags::default() }
    }

    /// Whether this is the format that [`Self::decimal`] returns.
    pub fn is_decimal(&self) -> bool {
        *self == Self::decimal(self.signed)
    }

    /// The text of a value.
    ///
    /// # Panics
    /// If the value is wider than 128 bits.
    pub fn format(&self, value: &Bv) -> Vec<u8> {
        let bits = value.to_u128().expect("numbers in text have at most 128 bits");
        let negative = self.signed && bits >> (value.width() - 1) & 1 == 1;
        let magnitude = match negative {
            true => bits.wrapping_neg() & (u128::MAX >> (128 - value.width())),
            false => bits,
        };
        self.format_magnitude(negative, magnitude)
    }

    /// The text of the number with this sign and magnitude.
    pub fn format_magnitude(&self, negative: bool, magnitude: u128) -> Vec<u8> {
        let base = u128::from(self.radix.base());
        let mut digits = Vec::new();
        let mut rest = magnitude;
        while rest > 0 {
            digits.push(self.radix.digit((rest % base) as u8));
            rest /= base;
        }
        let layout = self.layout(negative, digits.len(), magnitude, magnitude);
        if digits.is_empty() {
            digits.push(b'0');
        }
        let byte = |offset| match layout.cell(offset) {
            Cell::Literal(byte) => byte,
            Cell::Digit(position) => digits[position],
        };
        (0..layout.len()).map(byte).collect()
    }

    /// The layout of the magnitudes from `low` to `high`, all of which have `significant`
    /// significant digits; zero has none.
    fn layout(&self, negative: bool, significant: usize, low: u128, high: u128) -> NumberLayout {
        let digits = match (significant, self.precision) {
            (0, Some(0)) => 0,
            (0, _) => 1,
            _ => significant,
        };
        let mut zeros = self.precision.unwrap_or(0).saturating_sub(digits);
        let mut prefix: &[u8] = b"";
        if self.flags.alternative && significant > 0 {
            prefix = self.radix.prefix();
        }
        if self.flags.alternative && self.radix == Radix::Octal && zeros == 0 {
            zeros = usize::from(significant > 0 || digits == 0);
        }
        let sign = match (self.signed, negative) {
            (false, _) => None,
            (true, true) => Some(b'-'),
            (true, false) if self.flags.plus => Some(b'+'),
            (true, false) => self.flags.space.then_some(b' '),
        };
        let length = usize::from(sign.is_some()) + prefix.len() + zeros + digits;
        let missing = self.width.saturating_sub(length);
        let (mut left_spaces, mut right_spaces) = (0, 0);
        if self.flags.left {
            right_spaces = missing;
        } else if self.flags.zero && self.precision.is_none() {
            zeros += missing;
        } else {
            left_spaces = missing;
        }
        NumberLayout { left_spaces, sign, prefix, zeros, digits, right_spaces, negative, low, high }
    }

    /// All layouts that values of `bits` bits can have. Each value has exactly one.
    ///
    /// # Panics
    /// If `bits` is 0 or above 128.
    pub fn layouts(&self, bits: u32) -> Vec<NumberLayout> {
        assert!((1..=128).contains(&bits), "numbers in text have 1 to 128 bits");
        let (least, greatest) = bounds(bits, self.signed);
        let mut layouts = vec![self.layout(false, 0, 0, 0)];
        for (negative, limit) in [(false, greatest), (true, least)] {
            let mut low = 1u128;
            for significant in 1.. {
                if low > limit {
                    break;
                }
                let next = low.checked_mul(self.radix.base().into());
                let high = next.map_or(limit, |next| limit.min(next - 1));
                layouts.push(self.layout(negative, significant, low, high));
                match next {
                    Some(next) => low = next,
                    None => break,
                }
            }
        }
        // Zero usually looks like any other number of one digit, and then shares their layout.
        if let [zero, one, ..] = layouts[..]
            && !one.negative
            && (NumberLayout { low: 0, ..one }) == (NumberLayout { high: one.high, ..zero })
        {
            layouts.remove(0);
            layouts[0].low = 0;
        }
        layouts
    }

    /// The least and the greatest number of bytes that the text of a value of `bits` bits can have.
    pub fn length_bounds(&self, bits: u32) -> (usize, usize) {
        let lengths = self.layouts(bits).into_iter().map(|layout| layout.len());
        lengths.fold((usize::MAX, 0), |(least, most), l| (least.min(l), most.max(l)))
    }

    /// The number of bytes of the text of `value`, as an expression of `bits` bits.
    pub fn length(&self, exprs: &Exprs, value: ExprId, bits: u32) -> ExprId {
        let mut layouts = self.layouts(exprs.width(value));
        layouts.sort_by_key(NumberLayout::len);
        let mut groups = layouts.chunk_by(|a, b| a.len() == b.len()).rev();
        let longest = groups.next().map_or(0, |group| group[0].len());
        groups.fold(exprs.constant(bits, longest as u64), |others, group| {
            let here = exprs.any(group.iter().map(|l| l.guard(exprs, value, self.signed)));
            exprs.ite(here, exprs.constant(bits, group[0].len() as u64), others)
        })
    }
}

/// Shows the `printf` conversion that has this format, without a length modifier.
impl fmt::Display for NumberFormat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "%{}", self.flags)?;
        if self.width > 0 {
            write!(f, "{}", self.width)?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        f.write_str(match self.radix {
            Radix::Decimal if self.signed => "d",
            Radix::Decimal => "u",
            Radix::Octal => "o",
            Radix::Hex(Case::Lower) => "x",
            Radix::Hex(Case::Upper) => "X",
            Radix::Binary(Case::Lower) => "b",
            Radix::Binary(Case::Upper) => "B",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{self, Case as Question, PrintedValue};
    use super::super::printf::{Conversion, Count, Directive, parse};
    use super::*;
    use crate::expr::{Assignment, VariableKind};

    fn only(format: &str) -> Conversion {
        match parse(format.as_bytes()).unwrap()[..] {
            [Directive::Conversion(conversion)] => conversion,
            _ => panic!("{format}"),
        }
    }

    /// The formats that the tests try: every set of flags with every letter.
    fn formats() -> Vec<String> {
        let mut formats = Vec::new();
        for subset in 0..32u32 {
            let flags: String = "-+ #0"
                .chars()
                .enumerate()
                .filter(|(i, _)| subset >> i & 1 == 1)
                .map(|p| p.1)
                .collect();
            for field in ["", "1", "7", ".0", ".", ".3", "8.4", "4.8", "9.0"] {
                for letter in ["d", "i", "u", "o", "x", "X", "b"] {
                    for length in ["hh", "h", "", "l", "ll"] {
                        formats.push(format!("%{flags}{field}{length}{letter}"));
                    }
                }
            }
        }
        formats
    }

    #[test]
    fn integers_are_printed_as_by_glibc() {
        let values: [u64; 12] = [
            0,
            1,
            7,
            9,
            10,
            0x7f,
            0x80,
            0xffff,
            i32::MIN as u64,
            u64::MAX,
            1 << 63,
            12345678901234567890,
        ];
        let mut questions = Vec::new();
        for (i, format) in formats().into_iter().enumerate() {
            for j in 0..3 {
                let value = values[(i * 5 + j * 7 + i / 11) % values.len()];
                questions.push(Question::new(&format, &[], PrintedValue::Integer(value)));
            }
        }
        for format in ["%*d", "%-*x", "%0*o", "%.*d", "%*.*d", "%+*.*i"] {
            let stars = format.matches('*').count();
            for (a, b) in [(0, 0), (-9, 3), (9, -3), (-4, -4), (5, 12), (12, 5)] {
                for value in values {
                    let argument = PrintedValue::Integer(value);
                    questions.push(Question::new(format, &[a, b][..stars], argument));
                }
            }
        }
        for (question, expected) in questions.iter().zip(oracle::printf(&questions)) {
            let conversion = only(&question.format);
            let mut stars = question.stars.iter().copied();
            let width = conversion.width.resolve(|| stars.next().unwrap());
            let precision = conversion.precision.resolve(|| stars.next().unwrap());
            let PrintedValue::Integer(value) = question.argument else { unreachable!() };
            let value = Bv::new(conversion.value_bits(), value);
            let format = conversion.number_format(width, precision).unwrap();
            assert_eq!(
                format.format(&value).escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{question:?}"
            );
        }
    }

    #[test]
    fn pointers_are_printed_as_by_glibc() {
        let mut questions = Vec::new();
        for format in ["%p", "%20p", "%-20p", "%020p", "%+p", "% p", "%.3p", "%.0p", "%-3p"] {
            for value in [0, 1, 0xdead_beef, u64::MAX] {
                questions.push(Question::new(format, &[], PrintedValue::Integer(value)));
            }
        }
        for (question, expected) in questions.iter().zip(oracle::printf(&questions)) {
            let conversion = only(&question.format);
            let resolve = |count: Count| count.resolve(|| unreachable!());
            let PrintedValue::Integer(value) = question.argument else { unreachable!() };
            let text = conversion.format_pointer(
                value,
                resolve(conversion.width),
                resolve(conversion.precision),
            );
            assert_eq!(
                text.escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{question:?}"
            );
        }
    }

    #[test]
    fn each_value_has_exactly_one_layout_and_reads_back() {
        for name in formats().iter().step_by(5) {
            let format = only(name).number_format(None, None).unwrap();
            let field = only(name);
            let format = field
                .number_format(
                    field.width.resolve(|| unreachable!()),
                    field.precision.resolve(|| unreachable!()),
                )
                .unwrap_or(format);
            for bits in [1, 2, 7] {
                let layouts = format.layouts(bits);
                for value in 0..1u64 << bits {
                    let value = Bv::new(bits, value);
                    let text = format.format(&value);
                    let readings: Vec<_> = layouts
                        .iter()
                        .filter(|layout| layout.len() == text.len())
                        .filter_map(|l| Some((l.negative, l.read(format.radix, text.clone())?)))
                        .collect();
                    let [(negative, magnitude)] = readings[..] else {
                        panic!("{name} {value:?} {}: {readings:?}", text.escape_ascii())
                    };
                    assert_eq!(format.format_magnitude(negative, magnitude), text);
                    let (least, most) = format.length_bounds(bits);
                    assert!((least..=most).contains(&text.len()));
                }
            }
        }
    }

    #[test]
    fn lengths_are_those_of_the_text() {
        let exprs = Exprs::new();
        let formats = formats();
        for bits in [1, 5, 8] {
            let name = format!("v{bits}");
            let x = exprs.variable(&name, bits, VariableKind::Input);
            let variable = exprs.as_variable(x).unwrap();
            for format in formats.iter().step_by(17) {
                let conversion = only(format);
                let format = conversion
                    .number_format(
                        conversion.width.resolve(|| unreachable!()),
                        conversion.precision.resolve(|| unreachable!()),
                    )
                    .unwrap();
                let length = format.length(&exprs, x, 32);
                for value in 0..1u64 << bits {
                    let value = Bv::new(bits, value);
                    let text = format.format(&value);
                    let assignment = Assignment([(variable, value)].into());
                    let expected = Some(text.len() as u64);
                    assert_eq!(exprs.evaluate(length, &assignment).to_u64(), expected);
                }
            }
        }
    }
}
