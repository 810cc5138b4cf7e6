//! How models read and write memory: characters, strings, `errno`.

use crate::{
    env::{
        machine::{Machine, Stop, offset},
        world::Approximation,
    },
    errors::Error,
    expr::{ExprId, Exprs},
    memory::{Byte, Value},
};

/// The result of reading a character at the end of the input.
pub const EOF: Value = Value::Int(u32::MAX as u64);

/// The longest C string that is read, in bytes.
const STRING_LIMIT: u64 = 1 << 20;

/// The byte at `address + index`, as a value that does not mention the revision
/// ([`Machine::free_of_revision`]).
pub fn byte_at(machine: &mut dyn Machine, address: Value, index: u64) -> Result<Byte, Stop> {
    let at = offset(machine.exprs(), address, index);
    let value = machine.load(at, 8)?;
    let expr = machine.free_of_revision(value, 8)?;
    Ok(match machine.exprs().as_u64(expr) {
        Some(value) => Byte::Concrete(value as u8),
        None => Byte::Symbolic(expr),
    })
}

/// Sets `errno` to `number` where a 1-bit condition holds.
pub fn set_errno(machine: &mut dyn Machine, number: u64, condition: ExprId) -> Result<(), Stop> {
    if machine.exprs().is_false(condition) {
        return Ok(());
    }
    let errno = Value::Int(machine.world().errno);
    let before = machine.load(errno, 32)?;
    let before = machine.free_of_revision(before, 32)?;
    let exprs = machine.exprs();
    let after = exprs.ite(condition, exprs.constant(32, number), before);
    let after = Value::from_expr(exprs, after);
    machine.store(errno, 32, after)
}

/// The byte at an address, if it has been written and its object is not constant.
pub fn written_byte(machine: &dyn Machine, at: u64) -> Option<Byte> {
    machine.memory().object(at).ok().filter(|object| !object.constant)?;
    let byte = machine.peek(at, machine.exprs().bool(true))?;
    (byte != Byte::Uninitialised).then_some(byte)
}

/// Whether a byte has one of the values that `accepts` allows; forks if it may or may not.
pub fn is_among(
    machine: &mut dyn Machine,
    byte: Byte,
    accepts: impl Fn(u8) -> bool,
) -> Result<bool, Stop> {
    match byte {
        Byte::Concrete(value) => Ok(accepts(value)),
        Byte::Uninitialised => Err(Error::UninitialisedRead.into()),
        Byte::Symbolic(expr) => {
            let among = within(machine.exprs(), expr, accepts);
            machine.branch(among)
        }
    }
}

/// Notes that an address is about to become part of an output; a native run shows another address.
pub fn note_address(machine: &mut dyn Machine) {
    machine.world_mut().approximate(Approximation::AddressShown);
}

/// The bytes of a C string up to its NUL, at most `limit`; forks over the place of the NUL.
pub fn string_at(
    machine: &mut dyn Machine,
    address: Value,
    limit: Option<u64>,
) -> Result<Vec<Byte>, Stop> {
    let mut bytes = Vec::new();
    while limit.is_none_or(|limit| (bytes.len() as u64) < limit) {
        let byte = byte_at(machine, address, bytes.len() as u64)?;
        if is_among(machine, byte, |byte| byte == 0)? {
            break;
        }
        if bytes.len() as u64 >= STRING_LIMIT {
            return Err(Stop::unsupported(format!("a string of more than {STRING_LIMIT} bytes")));
        }
        bytes.push(byte);
    }
    Ok(bytes)
}

/// Ends the path as unsupported if two places overlap: then it depends on the C library what is read
/// after it was overwritten. Each place is an address and a number of bytes.
pub fn refuse_overlap(
    machine: &mut dyn Machine,
    written: (Value, u64),
    read: (Value, u64),
) -> Result<(), Stop> {
    let (memory, exprs) = (machine.memory(), machine.exprs());
    let [to, from] = [written.0, read.0].map(|place| memory.addresses_in(exprs, place));
    if !to.may_meet(&from) {
        return Ok(());
    }
    let to = machine.free_of_revision(written.0, 64)?;
    let from = machine.free_of_revision(read.0, 64)?;
    let exprs = machine.exprs();
    let behind = |place, length| exprs.add(place, exprs.constant(64, length));
    let overlap =
        exprs.and(exprs.ult(to, behind(from, read.1)), exprs.ult(from, behind(to, written.1)));
    match machine.branch(overlap)? {
        true => Err(Stop::unsupported("copying text to a place that overlaps it")),
        false => Ok(()),
    }
}

/// The bytes of a C string that must be concrete, such as a format or a name. If it is not, the
/// stop names it `what`.
pub fn concrete_string(
    machine: &mut dyn Machine,
    address: Value,
    what: &str,
) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    for (index, byte) in string_at(machine, address, None)?.into_iter().enumerate() {
        text.push(match byte {
            Byte::Concrete(value) => value,
            Byte::Symbolic(_) | Byte::Uninitialised => {
                return Err(Stop::unsupported(format!("{what} with a symbolic byte {index}")));
            }
        });
    }
    Ok(text)
}

/// The 1-bit condition that a byte has one of the values that `accepts` allows.
pub fn within(exprs: &Exprs, byte: ExprId, accepts: impl Fn(u8) -> bool) -> ExprId {
    exprs.any(ranges(&accepts).into_iter().map(|(low, high)| {
        let constant = |v: u8| exprs.constant(8, u64::from(v));
        exprs.and(exprs.ule(constant(low), byte), exprs.ule(byte, constant(high)))
    }))
}

/// The byte values that `accepts` allows, as inclusive ranges.
fn ranges(accepts: &impl Fn(u8) -> bool) -> Vec<(u8, u8)> {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in 0..=u8::MAX {
        match ranges.last_mut() {
            _ if !accepts(byte) => {}
            Some((_, high)) if *high + 1 == byte => *high = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    ranges
}
