//! What models read and write of memory: characters, strings, `errno`.

use crate::{
    env::{
        machine::{Machine, Stop, offset},
        world::Approximation,
    },
    errors::Error,
    expr::{ExprId, Exprs},
    memory::{Byte, Value},
};

/// What reads of characters give at the end of their input.
pub const EOF: Value = Value::Int(u32::MAX as u64);

/// A C string longer than this is not read.
const STRING_LIMIT: u64 = 1 << 20;

/// The byte at `address + index`, which has to have been written.
pub fn byte_at(machine: &mut dyn Machine, address: Value, index: u64) -> Result<Byte, Stop> {
    let at = offset(machine.exprs(), address, index);
    let value = machine.load(at, 8)?;
    let expr = machine.settled(value, 8)?;
    Ok(match machine.exprs().as_u64(expr) {
        Some(value) => Byte::Concrete(value as u8),
        None => Byte::Symbolic(expr),
    })
}

/// Sets `errno` where a 1-bit condition holds.
pub fn set_errno(machine: &mut dyn Machine, number: u64, condition: ExprId) -> Result<(), Stop> {
    if machine.exprs().is_false(condition) {
        return Ok(());
    }
    let errno = Value::Int(machine.world().errno);
    let before = machine.load(errno, 32)?;
    let before = machine.settled(before, 32)?;
    let exprs = machine.exprs();
    let after = exprs.ite(condition, exprs.constant(32, number), before);
    let after = Value::from_expr(exprs, after);
    machine.store(errno, 32, after)
}

/// A byte at an address that was written, of an object that can be.
pub fn written_byte(machine: &dyn Machine, at: u64) -> Option<Byte> {
    machine.memory().object(at).ok().filter(|object| !object.constant)?;
    let byte = machine.peek(at, machine.exprs().bool(true))?;
    (byte != Byte::Uninitialised).then_some(byte)
}

/// Whether a byte has one of the values that are accepted; forks where it may or may not.
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
            machine.decide(among)
        }
    }
}

/// An address is about to be shown: natively it is another one.
pub fn note_address(machine: &mut dyn Machine) {
    machine.world_mut().approximate(Approximation::AddressShown);
}

/// The bytes of a C string up to its NUL or to `limit` bytes; forks over where the NUL is.
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

/// A C string that has to be concrete (a format, a name).
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

/// Whether a byte has one of the values that are accepted.
pub fn within(exprs: &Exprs, byte: ExprId, accepts: impl Fn(u8) -> bool) -> ExprId {
    exprs.any(ranges(&accepts).into_iter().map(|(low, high)| {
        let constant = |v: u8| exprs.constant(8, u64::from(v));
        exprs.and(exprs.ule(constant(low), byte), exprs.ule(byte, constant(high)))
    }))
}

/// The byte values that are accepted, as ranges.
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
