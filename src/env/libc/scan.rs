//! Formatted reads of bytes, known or symbolic (C11 7.21.6.2): the text of `sscanf`, standard input
//! that is given as bytes, and bytes that were put back before typed input.
//!
//! Reads branch on the kind of a byte (a digit, white space, the end) where the directives depend
//! on it. They do not branch on which digit it is: a number is a term over its digits.
//!
//! The algorithm is that of glibc's `vfscanf`. It takes the longest prefix that is an integer.
//! `strtol` or `strtoul`, which *saturate* at the ends of their range, convert it to a 64-bit
//! number, and the result is *cut* to the width of the object. So `%d` makes 3000000000 into
//! -1294967296 but 99999999999999999999 into -1 (`LONG_MAX` cut to 32 bits), and `%u` makes -1 into
//! 4294967295. No more than one byte can be put back, so the `0x` of `0xg` is consumed, and the
//!             value is 0. The prefix `0b` is not known before C23.

use super::{
    access::{EOF, byte_at, is_among, refuse_overlap, set_errno, string_at, within, written_byte},
    format::{
        is_space,
        scanf::{Conversion, Directive, InputKind, IntegerSyntax},
    },
    read,
    strings::write as write_bytes,
    variadic::{ArgumentKind, Variadic},
};
use crate::{
    env::{Machine, Stop},
    errors::Error,
    expr::{Bv, ExprId, Exprs, FloatBinary, FloatUnary, Rounding, float::Format},
    memory::{Byte, Value},
};

/// The error number for a number that does not fit.
const ERANGE: u64 = 34;

/// Where a formatted read finds its bytes.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A string at this address.
    Text(Value),
    /// The bytes at this address that have been written. Reading further is no error, but the
    /// reader is then lost ([`Reader::is_lost`]).
    Written(u64),
    /// Standard input.
    Stdin,
}

/// Takes bytes one at a time, with one byte of lookahead.
pub(super) struct Reader<'a> {
    machine: &'a mut dyn Machine,
    source: Source,
    /// The number of bytes taken so far.
    taken: u64,
    /// The next byte, if it has been looked at; `Some(None)` at the end.
    next: Option<Option<Byte>>,
    /// What glibc takes `errno` to have been when the end was met.
    errno: Option<Value>,
    /// Whether the next byte is unknown: it was never written, or may be outside its object.
    pub(super) is_lost: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(machine: &'a mut dyn Machine, source: Source) -> Self {
        Self { machine, source, taken: 0, next: None, errno: None, is_lost: false }
    }

    /// The next byte, without taking it; `None` at the end.
    fn peek(&mut self) -> Result<Option<Byte>, Stop> {
        if let Some(next) = self.next {
            return Ok(next);
        }
        let next = match self.source {
            Source::Stdin => read::byte(self.machine)?,
            Source::Text(address) => Some(byte_at(self.machine, address, self.taken)?),
            Source::Written(address) => {
                let byte = written_byte(self.machine, address + self.taken);
                self.is_lost |= byte.is_none();
                byte
            }
        };
        let next = match (self.source, next) {
            (Source::Stdin, next) => next,
            (_, Some(byte)) if is_among(self.machine, byte, |byte| byte == 0)? => None,
            (_, next) => next,
        };
        if next.is_none() {
            self.errno = Some(self.machine.load(Value::Int(self.machine.world().errno), 32)?);
        }
        self.next = Some(next);
        Ok(next)
    }

    /// Takes white space. In front of a conversion, glibc sets `errno` to 0 meanwhile.
    fn skip_space(&mut self, is_before_conversion: bool) -> Result<(), Stop> {
        let was_before = self.errno.is_none();
        self.run(u32::MAX, &is_space)?;
        if is_before_conversion && was_before && self.errno.is_some() {
            self.errno = Some(Value::Int(0));
        }
        Ok(())
    }

    /// Begins a directive that reads. As in glibc, `errno` becomes again what it was when the end
    /// was met: numbers that were too large before are forgotten.
    fn begin(&mut self) -> Result<(), Stop> {
        let Some(before) = self.errno else { return Ok(()) };
        self.machine.store(Value::Int(self.machine.world().errno), 32, before)
    }

    /// Takes the next byte, if there is one and `accepts` allows it.
    pub(super) fn take(&mut self, accepts: &dyn Fn(u8) -> bool) -> Result<Option<Byte>, Stop> {
        let Some(byte) = self.peek()? else { return Ok(None) };
        if !is_among(self.machine, byte, accepts)? {
            return Ok(None);
        }
        self.next = None;
        self.taken += 1;
        Ok(Some(byte))
    }

    /// Takes bytes as long as `accepts` allows them, at most `width`.
    fn run(&mut self, width: u32, accepts: &dyn Fn(u8) -> bool) -> Result<Vec<Byte>, Stop> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < u64::from(width)
            && let Some(byte) = self.take(accepts)?
        {
            bytes.push(byte);
        }
        Ok(bytes)
    }

    /// Ends the path as unsupported if `length` bytes at `target` are a part of the text that is read.
    fn refuse_overlap(&mut self, target: Value, length: u64) -> Result<(), Stop> {
        let Source::Text(text) = self.source else { return Ok(()) };
        let (memory, exprs) = (self.machine.memory(), self.machine.exprs());
        let [from, to] = [text, target].map(|place| memory.addresses_in(exprs, place));
        if !to.may_meet(&from) {
            return Ok(());
        }
        let read = string_at(self.machine, text, None)?.len() as u64 + 1;
        refuse_overlap(self.machine, (target, length), (text, read))
    }

    /// Puts back a byte of standard input that was looked at but not taken.
    fn finish(self) {
        if let (Source::Stdin, Some(Some(byte))) = (self.source, self.next) {
            read::unread(self.machine, byte);
        }
    }
}

/// Executes the directives on bytes, and returns the result of the call.
pub(super) fn scan(
    machine: &mut dyn Machine,
    directives: &[Directive],
    source: Source,
    arguments: &mut Variadic<'_>,
) -> Result<Value, Stop> {
    let mut reader = Reader::new(machine, source);
    let result = carry_out(&mut reader, directives, arguments)?;
    reader.finish();
    Ok(result)
}

fn carry_out(
    reader: &mut Reader<'_>,
    directives: &[Directive],
    arguments: &mut Variadic<'_>,
) -> Result<Value, Stop> {
    let mut assigned = 0u64;
    for (place, directive) in directives.iter().enumerate() {
        let conversion = match directive {
            Directive::Whitespace => {
                let next = directives.get(place + 1);
                if next.is_none() {
                    reader.begin()?;
                }
                reader.skip_space(matches!(next, Some(Directive::Conversion(_))))?;
                continue;
            }
            Directive::Literal(_) => None,
            Directive::Conversion(conversion) => {
                if conversion.skips_space() {
                    reader.skip_space(true)?;
                }
                Some(conversion).filter(|conversion| conversion.kind != InputKind::Percent)
            }
        };
        if let Some(conversion) = conversion
            && conversion.kind == InputKind::ReadCount
        {
            if !conversion.suppress {
                let target = arguments.next(reader.machine, ArgumentKind::Integer(64))?;
                reader.refuse_overlap(target, u64::from(conversion.value_bits() / 8))?;
                reader.machine.store(target, conversion.value_bits(), Value::Int(reader.taken))?;
            }
            continue;
        }
        reader.begin()?;
        if reader.peek()?.is_none() {
            return Ok(at_end(assigned));
        }
        let Some(conversion) = conversion else {
            let literal = if let Directive::Literal(byte) = directive { *byte } else { b'%' };
            if reader.take(&|byte| byte == literal)?.is_none() {
                break;
            }
            continue;
        };
        match convert(reader, conversion)? {
            Converted::Nothing => break,
            Converted::End => return Ok(at_end(assigned)),
            Converted::Number(value) if !conversion.suppress => {
                let target = arguments.next(reader.machine, ArgumentKind::Integer(64))?;
                let value = Value::from_expr(reader.machine.exprs(), value);
                reader.refuse_overlap(target, u64::from(conversion.value_bits() / 8))?;
                reader.machine.store(target, conversion.value_bits(), value)?;
            }
            Converted::Bytes(bytes) if !conversion.suppress => {
                let target = arguments.next(reader.machine, ArgumentKind::Integer(64))?;
                reader.refuse_overlap(target, bytes.len() as u64)?;
                write_bytes(reader.machine, target, &bytes)?;
            }
            Converted::Number(_) | Converted::Bytes(_) => {}
        }
        assigned += u64::from(!conversion.suppress);
    }
    Ok(Value::Int(assigned))
}

/// The result of a call that has reached the end of its input.
pub(super) fn at_end(assigned: u64) -> Value {
    if assigned == 0 { EOF } else { Value::Int(assigned) }
}

/// What a conversion made of the bytes that it took.
enum Converted {
    /// The bytes do not match.
    Nothing,
    /// There were no bytes.
    End,
    Number(ExprId),
    Bytes(Vec<Byte>),
}

fn convert(reader: &mut Reader<'_>, conversion: &Conversion) -> Result<Converted, Stop> {
    if conversion.allocate {
        return Err(Stop::unsupported("scanf with the modifier m"));
    }
    let (width, bits) = (conversion.width.unwrap_or(u32::MAX), conversion.value_bits());
    let mut bytes = match &conversion.kind {
        InputKind::Integer(syntax) => {
            let value = integer(reader, *syntax, width, bits)?;
            // glibc reads the byte after an integer before it checks the width.
            if matches!(reader.source, Source::Stdin) {
                reader.peek()?;
            }
            return Ok(value.map_or(Converted::Nothing, Converted::Number));
        }
        InputKind::Float => {
            let format = Format::of(bits).expect("of a type that C has");
            if format == Format::Extended {
                return Err(Stop::unsupported("scanf of a long double in bytes"));
            }
            let value = match real(reader, width)? {
                Scanned::Mismatch => return Ok(Converted::Nothing),
                Scanned::Finite(number) => number.value(reader.machine, format)?,
                Scanned::Special { negative, is_nan } => {
                    special(reader.machine.exprs(), format, negative, is_nan)
                }
            };
            return Ok(Converted::Number(value));
        }
        InputKind::Char if bits == 8 => {
            let bytes = reader.run(conversion.width.unwrap_or(1), &|_| true)?;
            return Ok(if bytes.is_empty() { Converted::End } else { Converted::Bytes(bytes) });
        }
        InputKind::String if bits == 8 => reader.run(width, &|byte| !is_space(byte))?,
        InputKind::Set(set) if bits == 8 => reader.run(width, &|byte| set.contains(byte))?,
        kind => return Err(Stop::unsupported(format!("scanf {kind} of this length"))),
    };
    if bytes.is_empty() {
        return Ok(Converted::Nothing);
    }
    bytes.push(Byte::Concrete(0));
    Ok(Converted::Bytes(bytes))
}

/// Reads an integer of at most `width` bytes, as `bits` bits (at most 64); `None` if there is none.
fn integer(
    reader: &mut Reader<'_>,
    syntax: IntegerSyntax,
    width: u32,
    bits: u32,
) -> Result<Option<ExprId>, Stop> {
    let mut left = width;
    let negative = sign(reader, &mut left)?;
    let (mut base, is_signed) = match syntax {
        IntegerSyntax::Signed => (Some(10), true),
        IntegerSyntax::Prefixed => (None, true),
        IntegerSyntax::Unsigned(radix) => (Some(radix.base()), false),
    };
    let mut digits = Vec::new();
    if matches!(base, None | Some(16)) && left > 0 && reader.take(&|byte| byte == b'0')?.is_some() {
        digits.push(Byte::Concrete(b'0'));
        left -= 1;
        if left > 0 && reader.take(&|byte| matches!(byte, b'x' | b'X'))?.is_some() {
            left -= 1;
            base = Some(16);
        }
        base = base.or(Some(8));
    }
    let base = base.unwrap_or(10);
    let is_digit = |byte: u8| char::from(byte).is_digit(base.into());
    digits.extend(reader.run(left, &is_digit)?);
    if digits.is_empty() {
        return Ok(None);
    }
    let exprs = reader.machine.exprs();
    let (value, is_too_large) = integer_of(exprs, &digits, base, negative, is_signed);
    let value = exprs.extract(value, 0, bits);
    set_errno(reader.machine, ERANGE, is_too_large)?;
    Ok(Some(value))
}

/// Takes a sign, if one comes next and `left` allows it; returns whether it is a minus.
fn sign(reader: &mut Reader<'_>, left: &mut u32) -> Result<bool, Stop> {
    let negative = *left > 0 && reader.take(&|byte| byte == b'-')?.is_some();
    let signed = negative || *left > 0 && reader.take(&|byte| byte == b'+')?.is_some();
    *left -= u32::from(signed);
    Ok(negative)
}

/// The 64-bit number that `strtol` (`is_signed`) or `strtoul` makes of digits, and the condition
/// that the number does not fit, so that the result is another one.
fn integer_of(
    exprs: &Exprs,
    digits: &[Byte],
    base: u8,
    negative: bool,
    is_signed: bool,
) -> (ExprId, ExprId) {
    const LEAST: u128 = 1 << 63;
    let value = if holds(digits.len(), base, LEAST) {
        magnitude(exprs, digits, base, 64, None)
    } else {
        let limit = match (is_signed, negative) {
            (true, true) => LEAST,
            (true, false) => LEAST - 1,
            (false, _) => u128::from(u64::MAX),
        };
        // Wide enough for a saturated number times the base, plus a digit.
        const WIDE: u32 = 72;
        let magnitude = magnitude(exprs, digits, base, WIDE, Some(1 << 64));
        let most = exprs.bv(&Bv::from_u128(WIDE, limit));
        let fits = exprs.ule(magnitude, most);
        let cut = exprs.extract(magnitude, 0, 64);
        let signed = if negative { exprs.neg(cut) } else { cut };
        // `LONG_MIN` is its own negation, and `strtoul` ignores the sign on overflow.
        let value = exprs.ite(fits, signed, exprs.constant(64, limit as u64));
        return (value, exprs.not(fits));
    };
    let value = if negative { exprs.neg(value) } else { value };
    (value, exprs.bool(false))
}

/// Whether every number of this many digits in this base is below `limit`.
fn holds(digits: usize, base: u8, limit: u128) -> bool {
    let above = u32::try_from(digits).ok().and_then(|digits| u128::from(base).checked_pow(digits));
    above.is_some_and(|above| above <= limit)
}

/// The number that digits represent, `width` bits wide; saturates at `most`, if that is given.
fn magnitude(exprs: &Exprs, digits: &[Byte], base: u8, width: u32, most: Option<u128>) -> ExprId {
    let constant = |value: u128| exprs.bv(&Bv::from_u128(width, value));
    digits.iter().fold(constant(0), |value, digit| {
        let digit = exprs.zext(digit_value(exprs, *digit), width);
        let value = exprs.add(exprs.mul(value, constant(base.into())), digit);
        match most {
            Some(most) => exprs.ite(exprs.ule(value, constant(most)), value, constant(most)),
            None => value,
        }
    })
}

/// The value of a digit, 8 bits wide.
fn digit_value(exprs: &Exprs, digit: Byte) -> ExprId {
    match digit {
        Byte::Symbolic(digit) => {
            let constant = |value: u8| exprs.constant(8, value.into());
            let decimal = exprs.sub(digit, constant(b'0'));
            let letter = exprs.sub(exprs.or(digit, constant(0x20)), constant(b'a' - 10));
            let is_decimal = within(exprs, digit, |byte: u8| byte <= b'9');
            exprs.ite(is_decimal, decimal, letter)
        }
        Byte::Concrete(byte) => {
            let digit = char::from(byte).to_digit(16).expect("a digit");
            exprs.constant(8, digit.into())
        }
        Byte::Uninitialised => unreachable!("it was looked at"),
    }
}

/// What the text of a floating-point number represents.
pub(super) enum Scanned {
    /// A finite number.
    Finite(Finite),
    /// An infinity, or a NaN.
    Special { negative: bool, is_nan: bool },
    /// The text is not a number.
    Mismatch,
}

/// A finite number in its written form: the integer `digits`, times ten or two to the power of
/// `exponent`.
pub(super) struct Finite {
    negative: bool,
    /// Whether the digits are hexadecimal and the exponent is a power of two instead of ten.
    pub(super) is_hexadecimal: bool,
    /// The digits before and after the point.
    digits: Vec<Byte>,
    exponent: i64,
    /// The length of the number in bytes. It excludes an exponent that has no digits.
    pub(super) length: u64,
}

/// Reads a floating-point number of at most `width` bytes. The digits of an exponent are made
/// concrete.
///
/// As no more than one byte can be put back, an exponent without digits is consumed, and so is an
/// incomplete `infinity`.
pub(super) fn real(reader: &mut Reader<'_>, width: u32) -> Result<Scanned, Stop> {
    let mut left = width;
    let negative = sign(reader, &mut left)?;
    for (name, is_nan) in [("nan", true), ("inf", false)] {
        let taken = name_taken(reader, left, name)?;
        left -= taken as u32;
        if taken == name.len() {
            // Text that begins with `infi` must go on with `nity`.
            let more = if is_nan { 0 } else { name_taken(reader, left, "inity")? };
            let is_whole = matches!(more, 0 | 5);
            return Ok(if is_whole {
                Scanned::Special { negative, is_nan }
            } else {
                Scanned::Mismatch
            });
        }
        if taken > 0 {
            return Ok(Scanned::Mismatch);
        }
    }
    let mut is_hexadecimal = false;
    let mut digits = reader.run(left, &|byte| byte.is_ascii_digit())?;
    left -= digits.len() as u32;
    // glibc takes the `x` only if the width leaves room for a digit after it.
    if let [first] = digits[..]
        && left > 1
        && let Some(next) = reader.peek()?
        && is_among(reader.machine, next, |byte| matches!(byte, b'x' | b'X'))?
        && is_among(reader.machine, first, |byte| byte == b'0')?
    {
        reader.take(&|_| true)?;
        is_hexadecimal = true;
        digits = reader.run(left - 1, &|byte| byte.is_ascii_hexdigit())?;
        left -= 1 + digits.len() as u32;
    }
    let is_digit =
        |byte: u8| if is_hexadecimal { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let (mut exponent, mut has_point) = (0, false);
    if left > 0 && reader.take(&|byte| byte == b'.')?.is_some() {
        let decimals = reader.run(left - 1, &is_digit)?;
        left -= 1 + decimals.len() as u32;
        exponent -= decimals.len() as i64 * if is_hexadecimal { 4 } else { 1 };
        digits.extend(decimals);
        has_point = true;
    }
    if digits.is_empty() && !(is_hexadecimal && has_point) {
        return Ok(Scanned::Mismatch);
    }
    let mut length = reader.taken;
    let letter = if is_hexadecimal { b'p' } else { b'e' };
    let is_letter = |byte: u8| byte.to_ascii_lowercase() == letter;
    if left > 0 && !digits.is_empty() && reader.take(&is_letter)?.is_some() {
        left -= 1;
        let is_below = sign(reader, &mut left)?;
        let mut power = 0i64;
        for digit in reader.run(left, &|byte| byte.is_ascii_digit())? {
            let digit = known_digit(reader.machine, digit)?;
            power = power.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(1 << 40);
            length = reader.taken;
        }
        exponent += if is_below { -power } else { power };
    }
    Ok(Scanned::Finite(Finite { negative, is_hexadecimal, digits, exponent, length }))
}

/// Takes the longest prefix of a name that follows here, in letters of either case and within
/// `width`; returns its length.
fn name_taken(reader: &mut Reader<'_>, width: u32, name: &str) -> Result<usize, Stop> {
    let mut taken = 0;
    for letter in name.bytes().take(width as usize) {
        if reader.take(&|byte| byte.to_ascii_lowercase() == letter)?.is_none() {
            // Once the name has begun, a byte that does not match is consumed, too.
            if taken > 0 {
                reader.take(&|_| true)?;
            }
            break;
        }
        taken += 1;
    }
    Ok(taken)
}

/// The concrete byte of a digit; forks over all possible values.
fn known_digit(machine: &mut dyn Machine, digit: Byte) -> Result<u8, Stop> {
    match digit {
        Byte::Concrete(digit) => Ok(digit),
        Byte::Symbolic(expr) => Ok(machine.concretise(Value::Expr(expr), 8, "digit")? as u8),
        Byte::Uninitialised => Err(Error::UninitialisedRead.into()),
    }
}

impl Finite {
    /// The encoding of the nearest number in a format of 32 or 64 bits.
    fn value(&self, machine: &mut dyn Machine, format: Format) -> Result<ExprId, Stop> {
        machine.world_mut().raise_unknown("a number in text");
        if let Some(value) = self.as_term(machine, format)? {
            return Ok(value);
        }
        if self.is_hexadecimal {
            return Err(Stop::unsupported("scanf of a hexadecimal number of many digits"));
        }
        if machine.world().rounding != Rounding::NearestEven {
            return Err(Stop::unsupported("scanf of a number in another rounding mode"));
        }
        let mut text = String::from(if self.negative { "-" } else { "" });
        for digit in &self.digits {
            text.push(known_digit(machine, *digit)?.into());
        }
        text.push_str(&format!("e{}", self.exponent));
        let is_zero =
            text.bytes().take_while(|byte| *byte != b'e').all(|byte| b"-0".contains(&byte));
        const DECIMAL: &str = "a number in decimal";
        let (bits, is_normal) = match format {
            Format::Single => {
                let value: f32 = text.parse().expect(DECIMAL);
                (u64::from(value.to_bits()), value.is_normal())
            }
            _ => {
                let value: f64 = text.parse().expect(DECIMAL);
                (value.to_bits(), value.is_normal())
            }
        };
        // A decimal number with so few digits is never exactly subnormal, so it has been rounded.
        let is_too_far = machine.exprs().bool(!is_normal && !is_zero);
        set_errno(machine, ERANGE, is_too_far)?;
        Ok(machine.exprs().constant(format.width(), bits))
    }

    /// The number as a term over its digits: the quotient or product of an integer and a power that
    /// are both exact in the format. So it is rounded only once (W. D. Clinger, How to read
    /// floating point numbers accurately, PLDI 1990). `None` for other numbers, and for decimal
    /// numbers whose digits are all known.
    pub(super) fn as_term(
        &self,
        machine: &mut dyn Machine,
        format: Format,
    ) -> Result<Option<ExprId>, Stop> {
        // Integers below `most`, and powers of ten and two up to these exponents, are exact; so are
        // products of such integers and powers of two.
        let (most, ten, two) = match format {
            Format::Single => (1u128 << 24, 10, 60),
            Format::Double => (1 << 53, 22, 900),
            _ => return Ok(None),
        };
        let (base, power) = if self.is_hexadecimal { (16, two) } else { (10, ten) };
        let is_known = self.digits.iter().all(|digit| matches!(digit, Byte::Concrete(_)));
        let rounding = machine.world().rounding;
        if is_known && !self.is_hexadecimal
            || rounding != Rounding::NearestEven
            || !holds(self.digits.len(), base, most)
            || self.exponent.abs() > power
        {
            return Ok(None);
        }
        let exprs = machine.exprs();
        let magnitude = magnitude(exprs, &self.digits, base, 64, None);
        // Integers have only one zero, so -0 is made here.
        let is_zero = exprs.eq(magnitude, exprs.constant(64, 0));
        if self.negative && machine.branch(is_zero)? {
            return Ok(Some(sign_bit(machine.exprs(), format)));
        }
        let exprs = machine.exprs();
        let integer = if self.negative { exprs.neg(magnitude) } else { magnitude };
        let unscaled = exprs.float_unary(FloatUnary::FromSigned, rounding, integer, format.width());
        if self.exponent == 0 {
            return Ok(Some(unscaled));
        }
        let scale = f64::from(if self.is_hexadecimal { 2 } else { 10 });
        let scale = scale.powi(self.exponent.unsigned_abs() as i32);
        let scale = match format {
            Format::Single => u64::from((scale as f32).to_bits()),
            _ => scale.to_bits(),
        };
        let scale = exprs.constant(format.width(), scale);
        let operation = if self.exponent < 0 { FloatBinary::Div } else { FloatBinary::Mul };
        Ok(Some(exprs.float_binary(operation, rounding, unscaled, scale)))
    }
}

fn sign_bit(exprs: &Exprs, format: Format) -> ExprId {
    exprs.bv(&Bv::from_u128(format.width(), 1 << (format.width() - 1)))
}

/// An infinity or a quiet NaN of a format of 32 or 64 bits.
fn special(exprs: &Exprs, format: Format, negative: bool, is_nan: bool) -> ExprId {
    let value = if is_nan { f64::NAN } else { f64::INFINITY };
    let bits = match format {
        Format::Single => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    let value = exprs.constant(format.width(), bits);
    if negative { exprs.or(value, sign_bit(exprs, format)) } else { value }
}
