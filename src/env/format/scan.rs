//! Concrete numbers read from text as `scanf` reads them (C11 7.21.6.2 §12).
//!
//! This is the algorithm of glibc's `vfscanf`: the longest prefix of an integer is taken,
//! converted as a 64-bit number by `strtol` or `strtoul`, which *saturate* at the ends of
//! their range, and the result is *cut* to the width of the object. So `%d` makes 3000000000
//! into -1294967296 but 99999999999999999999 into -1 (`LONG_MAX` cut to 32 bits), and `%u`
//! makes -1 into 4294967295. The input may not be read again beyond one byte, so the `0x` of
//! `0xg` is consumed and the value is 0. Prefix `0b` is not known before C23.

use super::is_space;
use super::scanf::IntegerSyntax;
use crate::expr::Bv;

/// The outcome of one conversion of concrete text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Scanned {
    /// A value of the width that was asked for.
    Value {
        /// The value.
        value: Bv,
        /// Bytes of input that are gone, white space in front included.
        consumed: usize,
    },
    /// Matching failure: the call ends here.
    Mismatch {
        /// Bytes of input that are gone.
        consumed: usize,
    },
    /// Input failure: nothing but white space was left.
    EndOfInput,
}

/// Reads an integer of `bits` bits, at most 64, from the start of `text`, behind which the
/// input ends. `width` limits the bytes that are taken after white space.
pub fn integer(text: &[u8], syntax: IntegerSyntax, width: Option<u32>, bits: u32) -> Scanned {
    let start = text.iter().take_while(|&&byte| is_space(byte)).count();
    if start == text.len() {
        return Scanned::EndOfInput;
    }
    let limit = width.map_or(usize::MAX, |width| width as usize);
    let end = text.len().min(start.saturating_add(limit));
    let text = &text[start..end];
    let at = |index: usize| text.get(index).copied();
    let mut used = usize::from(matches!(at(0), Some(b'+' | b'-')));
    let negative = at(0) == Some(b'-');
    let signed = !matches!(syntax, IntegerSyntax::Unsigned(_));
    let base = match syntax {
        IntegerSyntax::Signed => Some(10),
        IntegerSyntax::Prefixed => None,
        IntegerSyntax::Unsigned(radix) => Some(radix.base()),
    };
    let mut digits = 0;
    let mut base = base;
    if at(used) == Some(b'0') {
        used += 1;
        digits = 1;
        if matches!(at(used), Some(b'x' | b'X')) && matches!(base, None | Some(16)) {
            used += 1;
            base = Some(16);
        }
        base = base.or(Some(8));
    }
    let base = u32::from(base.unwrap_or(10));
    let mut magnitude = 0u128;
    while let Some(digit) = at(used).and_then(|byte| char::from(byte).to_digit(base)) {
        magnitude = magnitude.saturating_mul(base.into()).saturating_add(digit.into());
        used += 1;
        digits += 1;
    }
    let consumed = start + used;
    if digits == 0 {
        return Scanned::Mismatch { consumed };
    }
    Scanned::Value { value: Bv::new(bits, saturate(magnitude, negative, signed)), consumed }
}

/// Reads a decimal floating-point number of `bits` bits, 32 or 64, from the start of `text`, behind
/// which the input ends; as [`integer`]. `None` for what this does not know: other texts
/// (hexadecimal, infinities, NaNs) and types.
///
/// As the input may not be read again, an exponent without digits is gone, though it counts for
/// nothing.
pub fn real(text: &[u8], width: Option<u32>, bits: u32) -> Option<Scanned> {
    let start = text.iter().take_while(|&&byte| is_space(byte)).count();
    if start == text.len() {
        return Some(Scanned::EndOfInput);
    }
    let limit = width.map_or(usize::MAX, |width| width as usize);
    let end = text.len().min(start.saturating_add(limit));
    let text = &text[start..end];
    let at = |index: usize| text.get(index).copied();
    let digits = |from: usize| {
        text[from.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut used = usize::from(matches!(at(0), Some(b'+' | b'-')));
    if matches!(at(used), Some(b'i' | b'I' | b'n' | b'N'))
        || at(used) == Some(b'0') && matches!(at(used + 1), Some(b'x' | b'X'))
    {
        return None;
    }
    let mut known = digits(used);
    used += known;
    if at(used) == Some(b'.') {
        used += 1;
        let decimals = digits(used);
        (known, used) = (known + decimals, used + decimals);
    }
    let mismatch = |used: usize| Some(Scanned::Mismatch { consumed: start + used });
    if known == 0 {
        return mismatch(used);
    }
    let mut end = used;
    if matches!(at(used), Some(b'e' | b'E')) {
        used += 1 + usize::from(matches!(at(used + 1), Some(b'+' | b'-')));
        let exponent = digits(used);
        used += exponent;
        if exponent > 0 {
            end = used;
        }
    }
    let number = std::str::from_utf8(&text[..end]).ok()?;
    let value = match bits {
        32 => u64::from(number.parse::<f32>().ok()?.to_bits()),
        64 => number.parse::<f64>().ok()?.to_bits(),
        _ => return None,
    };
    Some(Scanned::Value { value: Bv::new(bits, value), consumed: start + used })
}

/// What `strtol` (`signed`) or `strtoul` makes of a sign and a magnitude.
fn saturate(magnitude: u128, negative: bool, signed: bool) -> u64 {
    const LEAST: u64 = i64::MIN.unsigned_abs();
    let limit = match (signed, negative) {
        (true, true) => LEAST,
        (true, false) => LEAST - 1,
        (false, _) => u64::MAX,
    };
    match u64::try_from(magnitude).ok().filter(|&magnitude| magnitude <= limit) {
        Some(magnitude) if negative => magnitude.wrapping_neg(),
        Some(magnitude) => magnitude,
        // `LONG_MIN` is its own negation, and `strtoul` ignores the sign on overflow.
        None => limit,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{oracle, scanf};
    use super::*;

    const SCANF: &str = r#"
        #include <stdio.h>
        #include <string.h>
        int main(void) {
            char format[64], line[256], full[80];
            while (fgets(format, sizeof format, stdin) && fgets(line, sizeof line, stdin)) {
                format[strcspn(format, "\n")] = line[strcspn(line, "\n")] = 0;
                for (char *c = line; *c; c++) if (*c == '_') *c = ' ';
                unsigned long long value = 0;
                FILE *stream = fmemopen(line, strlen(line) + !*line, "r");
                if (!*line) getc(stream);
                int result = fscanf(stream, format, &value);
                printf("%d %ld %llx\n", result, ftell(stream), value);
                fclose(stream);
            }
        }
    "#;

    #[test]
    fn integers_are_read_as_by_glibc() {
        let texts = [
            "0",
            "7",
            "42",
            "-1",
            "+5",
            "-",
            "+",
            "--1",
            "x",
            "0x",
            "0xg",
            "0x1F",
            "-0X7f",
            "08",
            "017",
            "00012",
            "_12",
            "__-3_4",
            "12abc",
            "1_2",
            "_",
            "2147483648",
            "-2147483649",
            "3000000000",
            "4294967296",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "-18446744073709551615",
            "-18446744073709551616",
            "99999999999999999999999999999999999999999999",
            "-99999999999999999999",
            "1e5",
            "-x",
            "+0x",
            "0b11",
            "ffff",
            "12.5",
            "-_1",
        ];
        let mut input = String::new();
        let mut questions = Vec::new();
        for letter in ["d", "i", "u", "o", "x"] {
            for length in ["hh", "h", "", "l", "ll"] {
                for width in ["", "1", "2", "3", "5", "0"] {
                    for text in texts {
                        let format = format!("%{width}{length}{letter}");
                        input += &format!("{format}\n{text}\n");
                        questions.push((format, text.replace('_', " ")));
                    }
                }
            }
        }
        let output = String::from_utf8(oracle::run(SCANF, input.into_bytes())).unwrap();
        assert_eq!(output.lines().count(), questions.len());
        for ((format, text), expected) in questions.iter().zip(output.lines()) {
            let [scanf::Directive::Conversion(conversion)] =
                &scanf::parse(format.as_bytes()).unwrap()[..]
            else {
                panic!("{format}")
            };
            let scanf::Kind::Integer(syntax) = conversion.kind else { panic!("{format}") };
            let scanned =
                integer(text.as_bytes(), syntax, conversion.width, conversion.value_bits());
            let shown = match scanned {
                Scanned::Value { value, consumed } => {
                    format!("1 {consumed} {:x}", value.to_u64().unwrap())
                }
                Scanned::Mismatch { consumed } => format!("0 {consumed} 0"),
                Scanned::EndOfInput => format!("-1 {} 0", text.len()),
            };
            assert_eq!(shown, expected, "{format:?} on {text:?}");
        }
    }
}
