//! Reads of standard input: tokens if input is typed, and bytes.

use super::access::within;
use super::format::{is_space, number::NumberFormat, scanf::ByteSet};
use super::given;
use super::stdin::{Stdin, TypedInput};
use super::stream::RealFormat;
use crate::{
    env::machine::{Machine, Stop},
    expr::{Bv, ExprId, Exprs, float::Format},
    memory::Byte,
};

/// The typed input of the machine.
///
/// # Panics
/// If its input is not typed.
pub fn typed(machine: &mut dyn Machine) -> &mut TypedInput {
    match &mut machine.world_mut().stdin {
        Stdin::Typed(input) => input,
        Stdin::Bytes(_) => unreachable!("only asked where input is typed"),
    }
}

/// Whether the next formatted read makes tokens: input is typed, and the next byte is not one that
/// was put back.
pub fn reads_tokens(machine: &dyn Machine) -> bool {
    matches!(&machine.world().stdin, Stdin::Typed(input) if input.unread.is_empty())
}

/// Drops white space that was put back before typed input.
pub fn skip_unread_space(machine: &mut dyn Machine) {
    let Stdin::Typed(TypedInput { unread, .. }) = &mut machine.world_mut().stdin else { return };
    while matches!(unread.last(), Some(Byte::Concrete(byte)) if is_space(*byte)) {
        unread.pop();
    }
}

/// Whether the file ends before the next token; forks if it may or may not.
pub fn ends(machine: &mut dyn Machine) -> Result<bool, Stop> {
    if !typed(machine).ended {
        machine.read_on()?;
        let input = typed(machine);
        let name = given::end_name(&input.place());
        let (full, early) = (input.tokens >= input.bounds.tokens, input.bounds.early_end);
        let ended = full
            || early && {
                let end = machine.input(&name, 1);
                machine.branch(end)?
            };
        typed(machine).ended = ended;
    }
    Ok(typed(machine).ended)
}

/// Reads all white space at the current position.
pub fn skip_space(machine: &mut dyn Machine) -> Result<(), Stop> {
    typed(machine).skip_newline();
    if !ends(machine)? {
        let input = typed(machine);
        (input.skipped, input.more) = (true, true);
    }
    Ok(())
}

/// Reads the byte `literal`, which follows what was read last without a gap. Returns `false` if the
/// file has ended.
pub fn expect(machine: &mut dyn Machine, literal: u8) -> Result<bool, Stop> {
    let input = typed(machine);
    if input.ended {
        return Ok(false);
    }
    (input.newline, input.skipped, input.more) = (false, false, false);
    input.excluded = ByteSet::default();
    input.literals += 1;
    input.text.push_bytes(&[literal]);
    Ok(true)
}

/// Whether `accepts` does not allow the next byte, so that the byte stays unread; forks if it may
/// or may not be allowed. Always `false` if all input is assumed to be well formed.
///
/// The byte is the variable that a read of a single byte would make at this place, so that all
/// revisions see the same byte.
pub fn is_malformed(machine: &mut dyn Machine, accepts: impl Fn(u8) -> bool) -> Result<bool, Stop> {
    let input = typed(machine);
    let is_full = input.tokens >= input.bounds.tokens;
    if !input.bounds.malformed || input.ended || is_full {
        return Ok(false);
    }
    let (place, excluded) = (input.place(), input.excluded);
    if input.newline {
        if accepts(b'\n') {
            return Ok(false);
        }
        let newline = machine.input(&format!("{place}.newline"), 1);
        let newline = machine.branch(newline)?;
        return Ok(newline && typed(machine).sees_newline());
    }
    let next = machine.input(&given::byte_name(&place), 8);
    let remains = |byte: u8| !accepts(byte) && !excluded.contains(byte);
    let remains = within(machine.exprs(), next, remains);
    if !machine.branch(remains)? {
        return Ok(false);
    }
    let Some(next) = byte(machine)? else { return Ok(false) };
    unread(machine, next);
    Ok(true)
}

/// Makes a new number of `width` bits, whose text is in `format`.
pub fn number(machine: &mut dyn Machine, format: NumberFormat, width: u32) -> ExprId {
    let input = typed(machine);
    input.skip_newline();
    let token = input.token();
    let value = machine.input(&given::integer_name(&token, width), width);
    let mut text = typed(machine).text.clone();
    text.push_number(machine.exprs(), value, format);
    let input = typed(machine);
    input.text = text;
    input.newline = true;
    input.excluded = digits(format);
    value
}

/// The bytes that a number in `format` may contain, apart from its sign.
fn digits(format: NumberFormat) -> ByteSet {
    let is_digit = |byte: &u8| char::from(*byte).is_digit(format.radix.base().into());
    let mut digits: ByteSet = (0..=u8::MAX).filter(is_digit).collect();
    // The `x` of the prefix `0x`. The flag `alternative` marks numbers whose text names its base
    // (`%i`).
    if format.radix.base() == 16 || format.flags.alternative {
        digits.extend(&b"xX".iter().copied().collect());
    }
    digits
}

/// Makes a new floating-point number, written in decimal. It is finite, unless infinities and NaNs
/// are allowed.
pub fn real(machine: &mut dyn Machine, format: Format) -> Result<ExprId, Stop> {
    let input = typed(machine);
    input.skip_newline();
    let token = input.token();
    let exprs = machine.exprs();
    let value = machine.input(&given::real_name(&token, format.width()), format.width());
    let mut has_text = is_decimal(exprs, value, format);
    if typed(machine).bounds.nonfinite {
        let exprs = machine.exprs();
        has_text = exprs.or(has_text, is_special(exprs, value, format));
    }
    machine.assume(has_text)?;
    let mut text = typed(machine).text.clone();
    text.push_real(machine.exprs(), value, RealFormat::Shortest);
    let input = typed(machine);
    input.text = text;
    input.newline = true;
    input.excluded = b"0123456789.eExX".iter().copied().collect();
    if input.bounds.nonfinite {
        // The rest of `infinity` may follow `inf`.
        input.excluded.extend(&b"iI".iter().copied().collect());
    }
    Ok(value)
}

/// The condition that an encoding is that of `inf` or `nan`, with or without a sign.
fn is_special(exprs: &Exprs, value: ExprId, format: Format) -> ExprId {
    let width = format.width();
    let magnitudes = [format.infinity(), format.default_nan() & !format.sign()];
    exprs.any(magnitudes.into_iter().flat_map(|magnitude| {
        [magnitude, magnitude | format.sign()]
            .map(|bits| exprs.eq(value, exprs.bv(&Bv::from_u128(width, bits))))
    }))
}

/// The condition that an encoding is that of some decimal text. It must be finite. If the format
/// has an integer bit, it must be set exactly for normal numbers.
fn is_decimal(exprs: &Exprs, value: ExprId, format: Format) -> ExprId {
    let (low, width) = (format.exponent_low(), format.exponent_bits());
    let exponent = exprs.extract(value, low, width);
    let all_ones = exprs.not(exprs.constant(width, 0));
    let is_finite = exprs.ne(exponent, all_ones);
    if !format.has_integer_bit() {
        return is_finite;
    }
    let is_normal = exprs.ne(exponent, exprs.constant(width, 0));
    exprs.and(is_finite, exprs.eq(exprs.extract(value, low - 1, 1), is_normal))
}

/// Makes a new word of bytes that `accepts` allows; forks over its length.
///
/// The word has at most `width` bytes, if that is given. Other revisions may read longer words, or
/// words of other bytes, so the limits are expectations of this revision ([`Machine::expect`]).
pub fn word(
    machine: &mut dyn Machine,
    width: Option<u32>,
    accepts: impl Fn(u8) -> bool,
) -> Result<Vec<ExprId>, Stop> {
    let skipped = typed(machine).skipped;
    let longest_word = u32::from(typed(machine).bounds.longest_word);
    typed(machine).has_words = true;
    let token = typed(machine).token();
    let exprs = machine.exprs();
    let length = machine.input(&given::length_name(&token), 8);
    let number = |n: u32| exprs.constant(8, u64::from(n));
    let range = exprs.and(exprs.ule(number(1), length), exprs.ule(length, number(longest_word)));
    machine.assume(range)?;
    let longest = width.map_or(longest_word, |width| width.min(longest_word));
    if longest < longest_word {
        let exprs = machine.exprs();
        let fits = exprs.ule(length, exprs.constant(8, u64::from(longest)));
        machine.expect(fits)?;
    }
    let mut chosen = longest;
    for candidate in 1..longest {
        let exprs = machine.exprs();
        let here = exprs.eq(length, exprs.constant(8, u64::from(candidate)));
        if machine.branch(here)? {
            chosen = candidate;
            break;
        }
    }
    let exprs = machine.exprs();
    let bytes: Vec<ExprId> =
        (0..chosen).map(|index| machine.input(&given::letter_name(&token, index), 8)).collect();
    let allowed = bytes.iter().enumerate().map(|(index, byte)| {
        let blank = |value| skipped && index == 0 && is_space(value);
        within(exprs, *byte, |value| accepts(value) && !blank(value))
    });
    let allowed = exprs.all(allowed);
    machine.expect(allowed)?;
    let mut text = typed(machine).text.clone();
    for byte in &bytes {
        text.push_byte(machine.exprs(), *byte);
    }
    let input = typed(machine);
    input.text = text;
    input.newline = true;
    if width.is_none_or(|width| chosen < width) {
        input.excluded = (0..=u8::MAX).filter(|byte| accepts(*byte)).collect();
    }
    Ok(bytes)
}

/// Reads the next byte; `None` at the end of the file. Forks if the file may end here.
pub fn byte(machine: &mut dyn Machine) -> Result<Option<Byte>, Stop> {
    match &mut machine.world_mut().stdin {
        Stdin::Bytes(input) => {
            if let Some(byte) = input.unread.pop() {
                return Ok(Some(byte));
            }
            let byte = input.bytes.get(input.position).copied();
            input.position += usize::from(byte.is_some());
            input.ended |= byte.is_none();
            return Ok(byte);
        }
        Stdin::Typed(input) => {
            if let Some(byte) = input.unread.pop() {
                return Ok(Some(byte));
            }
            if input.newline {
                input.skip_newline();
                return Ok(Some(Byte::Concrete(b'\n')));
            }
        }
    }
    if ends(machine)? {
        return Ok(None);
    }
    let input = typed(machine);
    let (skipped, place) = (input.skipped, input.place());
    input.token();
    let value = machine.input(&given::byte_name(&place), 8);
    if skipped {
        let visible = within(machine.exprs(), value, |value| !is_space(value));
        machine.expect(visible)?;
    }
    let mut text = typed(machine).text.clone();
    text.push_byte(machine.exprs(), value);
    typed(machine).text = text;
    Ok(Some(Byte::of(machine.exprs(), value)))
}

/// Puts a byte back at the beginning of the input (C11 7.21.7.10).
pub fn unread(machine: &mut dyn Machine, byte: Byte) {
    match &mut machine.world_mut().stdin {
        Stdin::Typed(input) => {
            input.ended = false;
            input.unread.push(byte);
        }
        Stdin::Bytes(input) => {
            input.ended = false;
            input.unread.push(byte);
        }
    }
}
