//! Format strings of the `scanf` family (C11 7.21.6.2).
//!
//! Beyond the standard, the parser knows `%C`, `%S`, the allocating modifier `m`, and the length
//! modifiers `q` and `Z`. Arguments by position (`%2$d`) are an error.

use std::fmt;

use super::radix::Radix;
use super::{Case, Cursor, FormatError, Length, is_space};

/// One step of a `scanf` call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Directive {
    /// Skips white space, if there is any.
    Whitespace,
    /// Matches one byte, without skipping anything before it.
    Literal(u8),
    /// A conversion.
    Conversion(Conversion),
}

impl Directive {
    /// Whether white space before the directive is skipped.
    pub fn skips_space(&self) -> bool {
        match self {
            Self::Whitespace => true,
            Self::Literal(_) => false,
            Self::Conversion(conversion) => conversion.skips_space(),
        }
    }
}

/// A conversion specification: how text becomes a value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conversion {
    /// `*`: the value is read but not stored.
    pub suppress: bool,
    /// `m`: the argument is a `char **`, which receives allocated memory.
    pub allocate: bool,
    /// The largest number of bytes that are taken, not counting skipped white space; never 0.
    pub width: Option<u32>,
    /// The length modifier.
    pub length: Length,
    /// The kind of conversion, given by the letter.
    pub kind: InputKind,
}

impl fmt::Display for InputKind {
    /// Shows the conversion as in a format, without its width and length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer(_) => "%d",
            Self::Float => "%f",
            Self::Char => "%c",
            Self::String => "%s",
            Self::Set(_) => "%[",
            Self::Pointer => "%p",
            Self::ReadCount => "%n",
            Self::Percent => "%%",
        })
    }
}

/// What a conversion accepts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InputKind {
    /// `d`, `i`, `u`, `o`, `x`, `X`
    Integer(IntegerSyntax),
    /// `a`, `e`, `f`, `g` and their capitals: what `strtod` reads.
    Float,
    /// `c`: as many bytes as the width says (1 by default), stored without a NUL.
    Char,
    /// `s`: bytes up to white space.
    String,
    /// `[`: bytes of a set, at least one.
    Set(ByteSet),
    /// `p`
    Pointer,
    /// `n`: stores how many bytes were read so far; reads nothing.
    ReadCount,
    /// `%%`: skips white space, then matches a `%`.
    Percent,
}

/// How the text of an integer is understood.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum IntegerSyntax {
    /// `d`: decimal, converted as by `strtol`.
    Signed,
    /// `i`: in the base that the prefix names, converted as by `strtol` with base 0.
    Prefixed,
    /// `u`, `o`, `x`: in this base, converted as by `strtoul`; a minus sign is accepted.
    Unsigned(Radix),
}

/// A set of byte values.
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// Whether the byte is in the set.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// The set of all bytes that are not in this set.
    pub fn complement(&self) -> Self {
        Self(self.0.map(|word| !word))
    }

    /// The bytes of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|&byte| self.contains(byte))
    }

    /// Whether the two sets have a byte in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Adds every byte of the other set.
    pub fn extend(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<T: IntoIterator<Item = u8>>(bytes: T) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ByteSet({})", self.iter().collect::<Vec<_>>().escape_ascii())
    }
}

impl Conversion {
    /// Whether white space before the value is skipped: true for all except `%c`, `%[` and `%n`.
    pub fn skips_space(&self) -> bool {
        !matches!(self.kind, InputKind::Char | InputKind::Set(_) | InputKind::ReadCount)
    }

    /// Whether the text that the conversion reads may begin with this byte. White space that it
    /// skips counts as a beginning.
    pub fn begins(&self, byte: u8) -> bool {
        if self.skips_space() && is_space(byte) {
            return true;
        }
        let is_sign = matches!(byte, b'+' | b'-');
        let is_digit = |radix: u8| char::from(byte).is_digit(radix.into());
        match &self.kind {
            InputKind::Integer(IntegerSyntax::Unsigned(radix)) => is_sign || is_digit(radix.base()),
            InputKind::Integer(_) => is_sign || is_digit(10),
            // Infinities and NaNs, too.
            InputKind::Float => is_sign || is_digit(10) || b".iInN".contains(&byte),
            InputKind::Set(set) => set.contains(byte),
            InputKind::Percent => byte == b'%',
            InputKind::Char | InputKind::String | InputKind::Pointer | InputKind::ReadCount => true,
        }
    }

    /// Whether the conversion takes an argument: the address at which it stores the value.
    pub fn takes_argument(&self) -> bool {
        !self.suppress && self.kind != InputKind::Percent
    }

    /// The width in bits of the object that is stored. For `%c`, `%s` and `%[` it is the width of
    /// one element, which is 32 in the wide forms. For `long double` it is 80, although the object
    /// is padded to 16 bytes. For `%%` it is 0.
    pub fn value_bits(&self) -> u32 {
        match self.kind {
            InputKind::Integer(_) | InputKind::ReadCount => self.length.integer_bits(),
            InputKind::Float => match self.length {
                Length::LongDouble | Length::LongLong => 80,
                Length::Long => 64,
                _ => 32,
            },
            InputKind::Char | InputKind::String | InputKind::Set(_) if self.length.is_wide() => 32,
            InputKind::Char | InputKind::String | InputKind::Set(_) => 8,
            InputKind::Pointer => 64,
            InputKind::Percent => 0,
        }
    }
}

/// The directives of a format string, given without its terminating NUL.
///
/// # Errors
/// If glibc does not define the format, or if it is unsupported: see [`FormatError`].
pub fn parse(format: &[u8]) -> Result<Vec<Directive>, FormatError> {
    let mut cursor = Cursor::new(format);
    let mut directives = Vec::new();
    while let Some(byte) = cursor.next() {
        if byte == b'%' {
            cursor.start = cursor.position - 1;
            directives.push(Directive::Conversion(conversion(&mut cursor)?));
        } else if !is_space(byte) {
            directives.push(Directive::Literal(byte));
        } else if directives.last() != Some(&Directive::Whitespace) {
            directives.push(Directive::Whitespace);
        }
    }
    Ok(directives)
}

fn conversion(cursor: &mut Cursor) -> Result<Conversion, FormatError> {
    let mut suppress = false;
    loop {
        match cursor.peek() {
            Some(b'*') => suppress = true,
            Some(b'\'' | b'I') => {}
            _ => break,
        }
        cursor.position += 1;
    }
    // glibc takes a width of 0 as no width.
    let width = cursor.number()?.filter(|&width| width != 0);
    let allocate = cursor.take(b'm');
    let mut length = cursor.length();
    let letter = cursor.expect()?;
    let kind = match letter {
        b'd' => InputKind::Integer(IntegerSyntax::Signed),
        b'i' => InputKind::Integer(IntegerSyntax::Prefixed),
        b'u' => InputKind::Integer(IntegerSyntax::Unsigned(Radix::Decimal)),
        b'o' => InputKind::Integer(IntegerSyntax::Unsigned(Radix::Octal)),
        b'x' | b'X' => InputKind::Integer(IntegerSyntax::Unsigned(Radix::Hex(Case::Lower))),
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => InputKind::Float,
        b'c' | b'C' => InputKind::Char,
        b's' | b'S' => InputKind::String,
        b'[' => InputKind::Set(set(cursor)?),
        b'p' => InputKind::Pointer,
        b'n' => InputKind::ReadCount,
        b'%' => InputKind::Percent,
        _ => return Err(FormatError::UnknownConversion { at: cursor.start, letter }),
    };
    if matches!(letter, b'C' | b'S') {
        length = Length::Long;
    }
    Ok(Conversion { suppress, allocate, width, length, kind })
}

/// Parses the set after `%[` as glibc's `vfscanf` does. A `]` or `-` right after the opening stands
/// for itself. So does a `-` at the end or in a descending range.
fn set(cursor: &mut Cursor) -> Result<ByteSet, FormatError> {
    let mut set = ByteSet::default();
    let negated = cursor.take(b'^');
    if let Some(first @ (b']' | b'-')) = cursor.peek() {
        set.insert(first);
        cursor.position += 1;
    }
    loop {
        let byte = cursor.expect()?;
        match cursor.peek() {
            _ if byte == b']' => break,
            Some(last) if byte == b'-' && last != b']' => {
                // glibc begins the range with the byte before the `-`, even if that ended a range.
                let first = cursor.format[cursor.position - 2];
                if first <= last {
                    (first..last).for_each(|b| set.insert(b))
                } else {
                    set.insert(b'-')
                }
            }
            _ => set.insert(byte),
        }
    }
    Ok(if negated { set.complement() } else { set })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(format: &str) -> Conversion {
        match parse(format.as_bytes()).unwrap().as_slice() {
            [Directive::Conversion(conversion)] => conversion.clone(),
            other => panic!("{format}: {other:?}"),
        }
    }

    fn members(format: &str) -> Vec<u8> {
        match only(format).kind {
            InputKind::Set(set) => set.iter().collect(),
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn white_space_merges_and_literals_stay_single() {
        let directives = parse(b" \t\n%d , %%").unwrap();
        assert_eq!(directives.len(), 6);
        assert_eq!(directives[0], Directive::Whitespace);
        assert_eq!(directives[2], Directive::Whitespace);
        assert_eq!(directives[3], Directive::Literal(b','));
        assert!(matches!(&directives[5], Directive::Conversion(c) if c.kind == InputKind::Percent));
    }

    #[test]
    fn every_part_is_read() {
        let c = only("%*12lld");
        assert!(c.suppress && !c.takes_argument());
        assert_eq!((c.width, c.length), (Some(12), Length::LongLong));
        assert_eq!(c.kind, InputKind::Integer(IntegerSyntax::Signed));
        assert!(only("%5ms").allocate);
        assert_eq!(only("%0d").width, None);
        assert_eq!(only("%hhd").value_bits(), 8);
        assert_eq!(only("%f").value_bits(), 32);
        assert_eq!(only("%lf").value_bits(), 64);
        assert_eq!(only("%Lf").value_bits(), 80);
        assert_eq!(only("%ls").value_bits(), 32);
        assert!(!only("%c").skips_space() && only("%s").skips_space());
    }

    #[test]
    fn sets_are_read_as_glibc_reads_them() {
        assert_eq!(members("%[a-d]"), b"abcd");
        assert_eq!(members("%[]a]"), b"]a");
        assert_eq!(members("%[-a]"), b"-a");
        assert_eq!(members("%[a-]"), b"-a");
        assert_eq!(members("%[d-a]"), b"-ad");
        assert_eq!(members("%[+--]"), b"+,-");
        let no_line_end = members("%[^\n]");
        assert_eq!(no_line_end.len(), 255);
        assert!(!no_line_end.contains(&b'\n') && no_line_end.contains(&0));
        assert_eq!(members("%[^]]").len(), 255);
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(parse(b" %"), Err(FormatError::Incomplete { at: 1 }));
        assert_eq!(parse(b"%[abc"), Err(FormatError::Incomplete { at: 0 }));
        assert_eq!(parse(b"%[]"), Err(FormatError::Incomplete { at: 0 }));
        assert_eq!(parse(b"%1$d"), Err(FormatError::Positional { at: 0 }));
        assert_eq!(parse(b"%k"), Err(FormatError::UnknownConversion { at: 0, letter: b'k' }));
    }
}
