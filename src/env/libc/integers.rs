//! `atoi` and its kind (C11 7.22.1.2, 7.22.1.4) on short text, as one term.
//!
//! The libc's own code branches on every character. Three characters make nine paths, and twelve
//! such arguments make 10^11.

use super::{access::within, format::is_space};
use crate::{
    env::{
        Machine, Stop,
        call::{Arguments, Model},
    },
    expr::{ExprId, Exprs},
    memory::{Byte, Value},
};

pub(in crate::env) const PREPARATIONS: &[(&str, Model)] = &[
    ("atoi", |m, a| read(m, a, 32)),
    ("atol", |m, a| read(m, a, 64)),
    ("atoll", |m, a| read(m, a, 64)),
    ("strtol", read_decimal),
    ("strtoll", read_decimal),
];

/// The most characters before the NUL. A number with this many digits fits in 31 bits, so there is
/// no overflow and no ERANGE.
const LONGEST: usize = 8;

/// Returns the number in a text if the text is short and not fully known; otherwise the libc's code
/// runs.
fn read(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let Value::Int(text) = arguments.get(0) else { return Ok(None) };
    let Some(characters) = characters(machine, text) else { return Ok(None) };
    let exprs = machine.exprs();
    Ok(Some(Value::from_expr(exprs, exprs.sext(number(exprs, &characters), width))))
}

fn read_decimal(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let is_decimal = [arguments.get(1), arguments.get(2)] == [Value::Int(0), Value::Int(10)];
    if is_decimal { read(machine, arguments, 64) } else { Ok(None) }
}

/// The characters up to the first that is certainly a NUL. `None` if all are known, if there are
/// too many, or if one cannot be read; the libc's code then meets that one itself.
fn characters(machine: &dyn Machine, text: u64) -> Option<Vec<ExprId>> {
    let exprs = machine.exprs();
    let (mut characters, mut is_known) = (Vec::new(), true);
    // The object may end after a NUL.
    let mut goes_on = exprs.bool(true);
    for at in text..=text.checked_add(LONGEST as u64)? {
        match machine.peek(at, goes_on)? {
            Byte::Concrete(0) if is_known => return None,
            Byte::Concrete(0) => return Some(characters),
            Byte::Concrete(byte) => characters.push(exprs.constant(8, byte.into())),
            Byte::Symbolic(byte) => {
                is_known = false;
                goes_on = exprs.and(goes_on, exprs.ne(byte, exprs.constant(8, 0)));
                characters.push(byte);
            }
            Byte::Uninitialised => return None,
        }
    }
    None
}

/// The number at the beginning of some characters (spaces, a sign and digits), 32 bits wide.
fn number(exprs: &Exprs, characters: &[ExprId]) -> ExprId {
    let constant = |value: u64| exprs.constant(32, value);
    // Whether only spaces came so far, and whether the next digit belongs to the number.
    let (mut is_blank, mut goes_on) = (exprs.bool(true), exprs.bool(true));
    let (mut is_negative, mut value) = (exprs.bool(false), constant(0));
    for character in characters {
        let is = |accepts: &dyn Fn(u8) -> bool| within(exprs, *character, accepts);
        let is_digit = is(&|byte| byte.is_ascii_digit());
        let counts = exprs.and(goes_on, is_digit);
        let digit = exprs.and(exprs.zext(*character, 32), constant(0xf));
        let longer = exprs.add(exprs.mul(value, constant(10)), digit);
        value = exprs.ite(counts, longer, value);
        let is_minus = exprs.and(is_blank, is(&|byte| byte == b'-'));
        is_negative = exprs.or(is_negative, is_minus);
        let is_sign = exprs.and(is_blank, is(&|byte| byte == b'+' || byte == b'-'));
        is_blank = exprs.and(is_blank, is(&is_space));
        goes_on = exprs.any([counts, is_sign, is_blank]);
    }
    exprs.ite(is_negative, exprs.neg(value), value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Assignment, Bv};

    #[test]
    fn the_term_is_the_number() {
        let exprs = Exprs::new();
        let names = ["a", "b", "c", "d", "e"];
        let characters = names.map(|name| exprs.input(name, 8));
        let term = number(&exprs, &characters);
        for (text, expected) in [
            ("00042", 42),
            (" -120", -120),
            ("\t\n+7x", 7),
            ("--100", 0),
            ("- 300", 0),
            ("+-100", 0),
            ("12-34", 12),
            ("1 234", 1),
            ("98\x003", 98),
            ("abc12", 0),
            ("99999", 99999),
            ("     ", 0),
            ("\u{b}\u{c}\r04", 4),
            (":1234", 0),
            ("/1234", 0),
        ] {
            let text = format!("{text:\0<5}");
            let values = characters.iter().zip(text.bytes()).map(|(character, byte)| {
                let id = exprs.as_variable(*character).expect("a variable");
                (id, Bv::new(8, byte.into()))
            });
            let value = exprs.evaluate(term, &Assignment(values.collect()));
            assert_eq!(value, Bv::new(32, i64::from(expected) as u64), "{text:?}");
        }
    }
}
