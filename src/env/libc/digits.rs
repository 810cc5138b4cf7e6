//! Text that the libc's own code reads a floating-point number from (C11 7.22.1.3).
//!
//! How that code goes on depends on every digit, and what it makes of them are numbers of which
//! solvers say nothing in useful time. So it does not run where the number is a term over the digits
//! ([`scan::Finite`]). Elsewhere it is decided what the digits are before it runs: each number is a path
//! of its own.

use super::{
    access::{is_among, written_byte},
    format::is_space,
    scan::{self, Reader, Scanned, Source},
};
use crate::{
    env::{
        Machine, Stop,
        call::{Arguments, Model},
    },
    expr::float::Format,
    memory::{Byte, Value},
};

pub(in crate::env) const PREPARATIONS: &[(&str, Model)] = &[
    ("strtof", |m, a| read(m, a, Some(Format::Single))),
    ("strtod", |m, a| read(m, a, Some(Format::Double))),
    ("strtold", |m, a| read(m, a, None)),
];

/// What else numbers are written with; hexadecimal ones have digits of [`HEXADECIMAL`], too.
const SIGNS: &[u8] = b" \t\n\x0b\x0c\r+-.eE";
const PREFIX: &[u8] = b"xX";
const HEXADECIMAL: &[u8] = b"abcdefABCDEFpP";
/// Digits after so many bytes are left as they are.
const LONGEST: u64 = 64;

/// The number, where it is a term of that format; else its digits are decided.
fn read(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    format: Option<Format>,
) -> Result<Option<Value>, Stop> {
    let Value::Int(text) = arguments.get(0) else { return Ok(None) };
    if let Some(format) = format {
        let mut reader = Reader::new(machine, Source::Written(text));
        while reader.take(&is_space)?.is_some() {}
        let scanned = scan::real(&mut reader, u32::MAX)?;
        // What is wrong with a byte is found by the code.
        let is_whole = !reader.is_lost;
        if let Scanned::Finite(number) = scanned
            && is_whole
            && !number.is_hexadecimal
            && let Some(value) = number.as_term(machine, format)?
        {
            let end = machine.concrete(arguments.get(1), 64, "place of an end")?;
            machine.world_mut().raise_unknown("a number in text");
            if end != 0 {
                machine.store(Value::Int(end), 64, Value::Int(text + number.length))?;
            }
            return Ok(Some(Value::Expr(value)));
        }
    }
    settle_digits(machine, text)
}

fn settle_digits(machine: &mut dyn Machine, text: u64) -> Result<Option<Value>, Stop> {
    let (mut settled, mut is_hexadecimal) = (Vec::new(), false);
    for at in text..text.saturating_add(LONGEST) {
        // What is wrong with a byte is found by the code, if it ever gets there.
        let Some(byte) = written_byte(machine, at) else { break };
        if is_among(machine, byte, |byte| byte.is_ascii_digit())?
            || is_hexadecimal && is_among(machine, byte, |byte| HEXADECIMAL.contains(&byte))?
        {
            if let Byte::Symbolic(expr) = byte {
                let value = machine.concrete(Value::Expr(expr), 8, "digit")?;
                settled.push((at, value as u8));
            }
        } else if is_among(machine, byte, |byte| PREFIX.contains(&byte))? {
            is_hexadecimal = true;
        } else if !is_among(machine, byte, |byte| SIGNS.contains(&byte))? {
            break;
        }
    }
    machine.commit();
    for (at, value) in settled {
        machine.store(Value::Int(at), 8, Value::Int(value.into()))?;
    }
    Ok(None)
}
