//! `strtod` and its kind (C11 7.22.1.3): what runs before the libc's own code.
//!
//! That code branches on every digit, and no solver handles the numbers that it computes in useful
//! time. So it does not run if the number can be a term over its digits ([`scan::Finite`]).
//! Otherwise the digits are made concrete first, and each number is a path of its own. A whole
//! program always takes the second way, because its libc's code would have to print the term, too.

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

/// Characters of numbers other than decimal digits. After a [`PREFIX`], those in [`HEXADECIMAL`]
/// count as digits, too.
const SIGNS: &[u8] = b" \t\n\x0b\x0c\r+-.eE";
const PREFIX: &[u8] = b"xX";
const HEXADECIMAL: &[u8] = b"abcdefABCDEFpP";
/// The number of bytes at the beginning of a text among which digits are made concrete.
const LONGEST: u64 = 64;

/// Returns the number if it can be a term of this format. Otherwise makes its digits concrete and
/// leaves the rest to the libc's code.
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
        // A byte that cannot be read is left to the libc's code, which meets it itself.
        let is_read = !reader.is_lost;
        if let Scanned::Finite(number) = scanned
            && is_read
            && !machine.world().is_whole
            && !number.is_hexadecimal
            && let Some(value) = number.as_term(machine, format)?
        {
            let end = machine.concretise(arguments.get(1), 64, "place of an end")?;
            machine.world_mut().raise_unknown("a number in text");
            if end != 0 {
                machine.store(Value::Int(end), 64, Value::Int(text + number.length))?;
            }
            return Ok(Some(Value::Expr(value)));
        }
    }
    concretise_digits(machine, text)
}

fn concretise_digits(machine: &mut dyn Machine, text: u64) -> Result<Option<Value>, Stop> {
    let (mut settled, mut is_hexadecimal) = (Vec::new(), false);
    for at in text..text.saturating_add(LONGEST) {
        // A byte that cannot be read is left to the libc's code, which may not get that far.
        let Some(byte) = written_byte(machine, at) else { break };
        if is_among(machine, byte, |byte| byte.is_ascii_digit())?
            || is_hexadecimal && is_among(machine, byte, |byte| HEXADECIMAL.contains(&byte))?
        {
            if let Byte::Symbolic(expr) = byte {
                let value = machine.concretise(Value::Expr(expr), 8, "digit")?;
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
