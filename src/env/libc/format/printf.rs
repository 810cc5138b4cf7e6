//! Format strings of the `printf` family (C11 7.21.6.1).
//!
//! Beyond the standard, the parser knows `%m`, `%C`, `%S`, `%b`, `%B`, the flags `'` and `I` (both
//! without effect in the "C" locale), and the length modifiers `q` and `Z`. Arguments by position
//! (`%2$d`) are an error.

use super::flags::{Flags, FloatStyle, pad};
use super::float::Notation;
use super::number::NumberFormat;
use super::radix::Radix;
use super::{Case, Cursor, FormatError, Length};

/// One step of a `printf` call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Directive {
    /// Bytes that are written as they are, including the `%` of `%%`; at least one.
    Literal(Vec<u8>),
    /// An argument that is converted.
    Conversion(Conversion),
}

/// A conversion specification: how one argument becomes text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Conversion {
    /// The flags.
    pub flags: Flags,
    /// The minimum field width in bytes.
    pub width: Count,
    /// The precision; a lone `.` is `Fixed(0)`.
    pub precision: Count,
    /// The length modifier.
    pub length: Length,
    /// The kind of conversion, given by the letter.
    pub kind: ConversionKind,
}

/// A width or a precision as the format string gives it.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Count {
    /// Not given.
    #[default]
    None,
    /// Given as digits.
    Fixed(u32),
    /// `*`: given by an `int` argument before the converted one.
    Star,
}

impl Count {
    /// The count as a signed number; `star` gives the argument of a `*`.
    pub fn resolve(self, star: impl FnOnce() -> i32) -> Option<i32> {
        match self {
            Self::None => None,
            // The parser keeps counts below `INT_MAX`.
            Self::Fixed(count) => Some(count as i32),
            Self::Star => Some(star()),
        }
    }
}

/// What a conversion makes of its argument.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ConversionKind {
    /// `d`, `i`
    SignedInt,
    /// `u`, `o`, `x`, `X`, `b`, `B`
    UnsignedInt(Radix),
    /// `c`; with [`Length::Long`] (and as `C`) a `wint_t`.
    Char,
    /// `s`; with [`Length::Long`] (and as `S`) a `wchar_t *`.
    String,
    /// `p`
    Pointer,
    /// `a`, `e`, `f`, `g` and their capitals.
    Float(FloatStyle, Case),
    /// `n`: stores how many bytes were written so far.
    WriteCount,
    /// `m`: the text of `errno`; takes no argument.
    ErrnoText,
}

impl Conversion {
    /// The width in bits of the value that is converted: the argument, cut as the length modifier
    /// says (8 for `%hhd`, whose argument is passed as an `int`). The width is 64 for pointers and
    /// for the addresses that `%s` and `%n` take. It is 80 for `long double`, and 0 without an
    /// argument.
    pub fn value_bits(&self) -> u32 {
        match self.kind {
            ConversionKind::SignedInt | ConversionKind::UnsignedInt(_) => {
                self.length.integer_bits()
            }
            ConversionKind::Char if self.length == Length::Long => 32,
            ConversionKind::Char => 8,
            ConversionKind::String | ConversionKind::Pointer | ConversionKind::WriteCount => 64,
            ConversionKind::Float(..) if self.length == Length::LongDouble => 80,
            ConversionKind::Float(..) => 64,
            ConversionKind::ErrnoText => 0,
        }
    }

    /// The width in bits of the argument after the default argument promotions:
    /// [`Self::value_bits`], but at least that of an `int`; 0 if there is no argument.
    pub fn argument_bits(&self) -> u32 {
        match self.value_bits() {
            0 => 0,
            bits => bits.max(32),
        }
    }

    /// The flags and the width that apply, given the width from [`Count::resolve`]. A negative
    /// width means left-aligned (C11 7.21.6.1 §5).
    pub fn field(&self, width: Option<i32>) -> (Flags, usize) {
        let width = width.unwrap_or(0);
        let left = self.flags.left || width < 0;
        (Flags { left, ..self.flags }, width.unsigned_abs() as usize)
    }

    /// The format of the integer that this conversion writes, given the width and precision from
    /// [`Count::resolve`]; `None` if the conversion does not write an integer.
    pub fn number_format(
        &self,
        width: Option<i32>,
        precision: Option<i32>,
    ) -> Option<NumberFormat> {
        let (signed, radix) = match self.kind {
            ConversionKind::SignedInt => (true, Radix::Decimal),
            ConversionKind::UnsignedInt(radix) => (false, radix),
            _ => return None,
        };
        let (flags, width) = self.field(width);
        // A negative precision argument counts as none.
        let precision = precision.and_then(|count| usize::try_from(count).ok());
        Some(NumberFormat { signed, radix, width, precision, flags })
    }

    /// The format of the floating-point number that this conversion writes, given the width and
    /// precision from [`Count::resolve`]; `None` if the conversion does not write such a number.
    pub fn notation(&self, width: Option<i32>, precision: Option<i32>) -> Option<Notation> {
        let ConversionKind::Float(style, case) = self.kind else { return None };
        let (flags, width) = self.field(width);
        // A negative precision argument counts as none.
        let precision = precision.and_then(|count| usize::try_from(count).ok());
        Some(Notation { style, case, flags, width, precision })
    }

    /// The text of a pointer as glibc writes it: `(nil)`, or like `%#lx`.
    pub fn format_pointer(
        &self,
        value: u64,
        width: Option<i32>,
        precision: Option<i32>,
    ) -> Vec<u8> {
        let (flags, width) = self.field(width);
        if value == 0 {
            return pad(b"(nil)".to_vec(), width, flags.left);
        }
        let format = NumberFormat {
            // glibc keeps `+` and space for pointers, unlike for `%x`.
            signed: true,
            radix: Radix::Hex(Case::Lower),
            width,
            precision: precision.and_then(|count| usize::try_from(count).ok()),
            flags: Flags { alternative: true, ..flags },
        };
        format.format_magnitude(false, value.into())
    }
}

/// The directives of a format string, given without its terminating NUL.
///
/// # Errors
/// If glibc does not define the format, or if it is unsupported: see [`FormatError`].
pub fn parse(format: &[u8]) -> Result<Vec<Directive>, FormatError> {
    let mut cursor = Cursor::new(format);
    let mut directives = Vec::new();
    let mut literal = Vec::new();
    while let Some(byte) = cursor.next() {
        if byte != b'%' {
            literal.push(byte);
            continue;
        }
        cursor.start = cursor.position - 1;
        match conversion(&mut cursor)? {
            None => literal.push(b'%'),
            Some(conversion) => {
                if !literal.is_empty() {
                    directives.push(Directive::Literal(std::mem::take(&mut literal)));
                }
                directives.push(Directive::Conversion(conversion));
            }
        }
    }
    if !literal.is_empty() {
        directives.push(Directive::Literal(literal));
    }
    Ok(directives)
}

/// The conversion after a `%`; `None` for `%%`, whose flags and width glibc ignores.
fn conversion(cursor: &mut Cursor) -> Result<Option<Conversion>, FormatError> {
    let mut flags = Flags::default();
    loop {
        match cursor.peek() {
            Some(b'-') => flags.left = true,
            Some(b'+') => flags.plus = true,
            Some(b' ') => flags.space = true,
            Some(b'#') => flags.alternative = true,
            Some(b'0') => flags.zero = true,
            Some(b'\'' | b'I') => {}
            _ => break,
        }
        cursor.position += 1;
    }
    let width = count(cursor)?;
    let precision = match cursor.take(b'.') {
        false => Count::None,
        true => match count(cursor)? {
            Count::None => Count::Fixed(0),
            given => given,
        },
    };
    let mut length = cursor.length();
    let letter = cursor.expect()?;
    let kind = match letter {
        b'd' | b'i' => ConversionKind::SignedInt,
        b'u' => ConversionKind::UnsignedInt(Radix::Decimal),
        b'o' => ConversionKind::UnsignedInt(Radix::Octal),
        b'x' | b'X' => ConversionKind::UnsignedInt(Radix::Hex(Case::of(letter))),
        b'b' | b'B' => ConversionKind::UnsignedInt(Radix::Binary(Case::of(letter))),
        b'c' => ConversionKind::Char,
        b's' => ConversionKind::String,
        b'C' => ConversionKind::Char,
        b'S' => ConversionKind::String,
        b'p' => ConversionKind::Pointer,
        b'n' => ConversionKind::WriteCount,
        b'm' => ConversionKind::ErrnoText,
        b'f' | b'F' => ConversionKind::Float(FloatStyle::Fixed, Case::of(letter)),
        b'e' | b'E' => ConversionKind::Float(FloatStyle::Exponent, Case::of(letter)),
        b'g' | b'G' => ConversionKind::Float(FloatStyle::General, Case::of(letter)),
        b'a' | b'A' => ConversionKind::Float(FloatStyle::Hex, Case::of(letter)),
        b'%' => return Ok(None),
        _ => return Err(FormatError::UnknownConversion { at: cursor.start, letter }),
    };
    if matches!(letter, b'C' | b'S') {
        length = Length::Long;
    }
    Ok(Some(Conversion { flags, width, precision, length, kind }))
}

fn count(cursor: &mut Cursor) -> Result<Count, FormatError> {
    if !cursor.take(b'*') {
        return Ok(cursor.number()?.map_or(Count::None, Count::Fixed));
    }
    if cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        return Err(FormatError::Positional { at: cursor.start });
    }
    Ok(Count::Star)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(format: &str) -> Conversion {
        match parse(format.as_bytes()).unwrap().as_slice() {
            [Directive::Conversion(conversion)] => *conversion,
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn literals_and_percent_signs_merge() {
        let directives = parse(b"100%% of %5%%d\n").unwrap();
        assert_eq!(directives[0], Directive::Literal(b"100% of %".to_vec()));
        assert!(matches!(directives[1], Directive::Conversion(_)));
        assert_eq!(directives[2], Directive::Literal(b"\n".to_vec()));
        assert_eq!(parse(b"").unwrap(), []);
    }

    #[test]
    fn every_part_is_read() {
        let c = only("%-+ #0'12.34lld");
        let all = Flags { left: true, plus: true, space: true, alternative: true, zero: true };
        assert_eq!(c.flags, all);
        assert_eq!((c.width, c.precision), (Count::Fixed(12), Count::Fixed(34)));
        assert_eq!((c.length, c.kind), (Length::LongLong, ConversionKind::SignedInt));
        let c = only("%*.*s");
        assert_eq!((c.width, c.precision), (Count::Star, Count::Star));
        assert_eq!(only("%.x").precision, Count::Fixed(0));
        assert_eq!(only("%S").length, Length::Long);
    }

    #[test]
    fn widths_follow_the_length_modifier() {
        let bits = |format| (only(format).argument_bits(), only(format).value_bits());
        assert_eq!(bits("%hhd"), (32, 8));
        assert_eq!(bits("%hu"), (32, 16));
        assert_eq!(bits("%X"), (32, 32));
        for format in ["%ld", "%llu", "%jx", "%zd", "%ti", "%Zu", "%qd", "%Ld", "%p", "%s"] {
            assert_eq!(bits(format), (64, 64), "{format}");
        }
        assert_eq!(bits("%c"), (32, 8));
        assert_eq!(bits("%lc"), (32, 32));
        assert_eq!(bits("%g"), (64, 64));
        assert_eq!(bits("%La"), (80, 80));
        assert_eq!(bits("%m"), (0, 0));
    }

    #[test]
    fn star_arguments_may_be_negative() {
        let format = only("%*.*d").number_format(Some(-7), Some(-1)).unwrap();
        assert!(format.flags.left);
        assert_eq!((format.width, format.precision), (7, None));
        assert!(only("%s").number_format(None, None).is_none());
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(parse(b"ab%5"), Err(FormatError::Incomplete { at: 2 }));
        assert_eq!(parse(b"%"), Err(FormatError::Incomplete { at: 0 }));
        assert_eq!(parse(b"%2$d"), Err(FormatError::Positional { at: 0 }));
        assert_eq!(parse(b"%*1$d"), Err(FormatError::Positional { at: 0 }));
        assert_eq!(parse(b"%99999999999d"), Err(FormatError::CountTooLarge { at: 0 }));
        let unknown = parse(b"x%!").unwrap_err();
        assert_eq!(unknown, FormatError::UnknownConversion { at: 1, letter: b'!' });
        assert!(unknown.to_string().contains("byte 1"), "{unknown}");
    }
}
