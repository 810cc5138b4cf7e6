//! Text that the libc's own code reads a floating-point number from (C11 7.22.1.3).
//!
//! How that code goes on depends on every digit, and what it makes of them are numbers of which
//! solvers say nothing in useful time. So it is decided what the digits are before it runs: each
//! number is a path of its own.

use super::{Arguments, Model};
use crate::{
    env::{Machine, Stop},
    memory::{Byte, Value},
};

pub(super) const PREPARATIONS: &[(&str, Model)] =
    &[("strtof", settle_digits), ("strtod", settle_digits), ("strtold", settle_digits)];

/// What else numbers are written with; hexadecimal ones have digits of [`HEXADECIMAL`], too.
const SIGNS: &[u8] = b" \t\n\x0b\x0c\r+-.eE";
const PREFIX: &[u8] = b"xX";
const HEXADECIMAL: &[u8] = b"abcdefABCDEFpP";
/// Digits after so many bytes are left as they are.
const LONGEST: u64 = 64;

fn settle_digits(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let Value::Int(text) = arguments.get(0) else { return Ok(None) };
    let (mut settled, mut is_hexadecimal) = (Vec::new(), false);
    for at in text..text.saturating_add(LONGEST) {
        // What is wrong with a byte is found by the code, if it ever gets there.
        let Some(byte) = written_byte(machine, at) else { break };
        if is_among(machine, byte, b"0123456789")?
            || is_hexadecimal && is_among(machine, byte, HEXADECIMAL)?
        {
            if let Byte::Symbolic(expr) = byte {
                let value = machine.concrete(Value::Expr(expr), 8, "digit")?;
                settled.push((at, value as u8));
            }
        } else if is_among(machine, byte, PREFIX)? {
            is_hexadecimal = true;
        } else if !is_among(machine, byte, SIGNS)? {
            break;
        }
    }
    machine.commit();
    for (at, value) in settled {
        machine.store(Value::Int(at), 8, Value::Int(value.into()))?;
    }
    Ok(None)
}

fn written_byte(machine: &dyn Machine, at: u64) -> Option<Byte> {
    machine.memory().object(at).ok().filter(|object| !object.constant)?;
    let byte = machine.peek(at, machine.exprs().bool(true))?;
    (byte != Byte::Uninitialised).then_some(byte)
}

fn is_among(machine: &mut dyn Machine, byte: Byte, set: &[u8]) -> Result<bool, Stop> {
    match byte {
        Byte::Concrete(value) => Ok(set.contains(&value)),
        Byte::Uninitialised => Ok(false),
        Byte::Symbolic(expr) => {
            let exprs = machine.exprs();
            let any = set.iter().fold(exprs.bool(false), |any, value| {
                exprs.or(any, exprs.eq(expr, exprs.constant(8, u64::from(*value))))
            });
            machine.decide(any)
        }
    }
}
