//! The models of those functions of `<string.h>` that copy, search and compare (C11 7.24), with the
//! results of musl. The other functions run as code. A search forks over the place where it finds
//! something; but if the text is known and the byte is not, the place is one expression. A
//! comparison gives one expression.

use super::access::{byte_at, refuse_overlap, string_at, within};
use crate::env::call::{Arguments, Model};
use crate::{
    env::{Machine, Stop, offset},
    errors::Error,
    expr::{ExprId, Exprs},
    memory::{Byte, Value},
};

/// The bytes of text that a C library certainly reads at once, or one by one.
const AT_ONCE: u64 = 16;

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("memcpy", |m, a| m.copy(a.get(0), a.get(1), a.get(2)).map(|()| Some(a.get(0)))),
    ("memmove", |m, a| m.copy(a.get(0), a.get(1), a.get(2)).map(|()| Some(a.get(0)))),
    ("mempcpy", |m, a| {
        m.copy(a.get(0), a.get(1), a.get(2))?;
        let (to, length) = (m.free_of_revision(a.get(0), 64)?, m.free_of_revision(a.get(2), 64)?);
        Ok(Some(Value::from_expr(m.exprs(), m.exprs().add(to, length))))
    }),
    ("memset", |m, a| {
        let byte = match a.get(1) {
            Value::Int(value) => Value::Int(value & 0xff),
            Value::Expr(expr) => Value::from_expr(m.exprs(), m.exprs().extract(expr, 0, 8)),
            Value::Undefined => Value::Undefined,
        };
        m.fill(a.get(0), byte, a.get(2))?;
        Ok(Some(a.get(0)))
    }),
    // `psychic_copies_text(to, from, most)`, which our libc calls before it copies at most so many
    // bytes of a string (scripts/musl_modules.py).
    ("psychic_copies_text", |m, a| {
        let [to, from] = [a.get(0), a.get(1)];
        let places = [to, from].map(|place| m.memory().addresses_in(m.exprs(), place));
        if places[0].may_meet(&places[1]) {
            let most = m.concretise(a.get(2), 64, "most bytes of a string")?;
            let length = string_at(m, from, Some(most))?.len() as u64;
            let read = most.min(length + 1);
            // Downwards, a short text is read before anything is written, or byte by byte.
            let clobbered = if read <= AT_ONCE { 0 } else { read };
            let behind = offset(m.exprs(), from, 1);
            refuse_overlap(m, (to, 1), (behind, read - read.min(1)))?;
            refuse_overlap(m, (to, clobbered), (behind, 1))?;
        }
        Ok(None)
    }),
    ("strlen", |m, a| {
        let length = string_at(m, a.get(0), None)?.len();
        Ok(Some(Value::Int(length as u64)))
    }),
    ("strnlen", |m, a| {
        let most = m.concretise(a.get(1), 64, "most bytes of a string")?;
        let length = string_at(m, a.get(0), Some(most))?.len();
        Ok(Some(Value::Int(length as u64)))
    }),
    ("memchr", |m, a| {
        let count = m.concretise(a.get(2), 64, "number of bytes to search")?;
        if let Some(place) = place_in_text(m, a.get(0), a.get(1), Some(count))? {
            return Ok(Some(place.or_null(m.exprs())));
        }
        let found = search(m, a.get(0), a.get(1), 0..count, false)?;
        Ok(Some(found.unwrap_or(Value::Int(0))))
    }),
    ("memrchr", last_byte),
    ("__memrchr", last_byte),
    ("rawmemchr", |m, a| search(m, a.get(0), a.get(1), 0..u64::MAX, false)),
    ("strchr", |m, a| {
        if let Some(place) = place_in_text(m, a.get(0), a.get(1), None)? {
            return Ok(Some(place.or_null(m.exprs())));
        }
        let found = search(m, a.get(0), a.get(1), 0..u64::MAX, true)?;
        let found = found.expect("a string ends");
        let (byte, wanted) = (m.load(found, 8)?, character(m, a.get(1))?);
        let byte = m.free_of_revision(byte, 8)?;
        let same = m.exprs().eq(byte, wanted);
        Ok(Some(if m.branch(same)? { found } else { Value::Int(0) }))
    }),
    ("strchrnul", to_end),
    ("__strchrnul", to_end),
    ("strrchr", |m, a| {
        let length = string_at(m, a.get(0), None)?.len() as u64;
        last(m, a.get(0), a.get(1), length + 1)
    }),
    ("memcmp", |m, a| {
        let count = m.concretise(a.get(2), 64, "number of bytes to compare")?;
        compare(m, a.get(0), a.get(1), count, false)
    }),
    ("bcmp", |m, a| {
        let count = m.concretise(a.get(2), 64, "number of bytes to compare")?;
        compare(m, a.get(0), a.get(1), count, false)
    }),
    ("strcmp", |m, a| compare(m, a.get(0), a.get(1), u64::MAX, true)),
    ("strncmp", |m, a| {
        let count = m.concretise(a.get(2), 64, "number of bytes to compare")?;
        compare(m, a.get(0), a.get(1), count, true)
    }),
];

/// The character that an `int` argument stands for.
fn character(machine: &mut dyn Machine, value: Value) -> Result<ExprId, Stop> {
    let value = machine.free_of_revision(value, 32)?;
    Ok(machine.exprs().extract(value, 0, 8))
}

/// The place where an unknown byte occurs first in a known text.
struct Place {
    /// The 1-bit condition that the byte occurs at all.
    is_found: ExprId,
    /// The 64-bit address of the byte, if it occurs.
    address: ExprId,
}

impl Place {
    fn or_null(self, exprs: &Exprs) -> Value {
        Value::from_expr(exprs, exprs.ite(self.is_found, self.address, exprs.constant(64, 0)))
    }
}

/// The longest text in which an unknown byte is searched without a fork.
const LONGEST_TEXT: u64 = 256;

/// The place of `wanted` in the `count` bytes at `address`. Without a count, these are the string
/// there and its NUL. `None` if `wanted` is known, if one of these bytes is unknown, or if the text
/// is longer than [`LONGEST_TEXT`].
fn place_in_text(
    machine: &mut dyn Machine,
    address: Value,
    wanted: Value,
    count: Option<u64>,
) -> Result<Option<Place>, Stop> {
    let (Value::Int(start), Value::Expr(_)) = (address, wanted) else { return Ok(None) };
    let wanted = character(machine, wanted)?;
    let exprs = machine.exprs();
    let mut first = [None; 256];
    let mut length = 0;
    while count.is_none_or(|count| length < count) {
        let byte = machine.peek(start.wrapping_add(length), exprs.bool(true));
        let Some(Byte::Concrete(byte)) = byte.filter(|_| length < LONGEST_TEXT) else {
            return Ok(None);
        };
        first[usize::from(byte)].get_or_insert(length);
        length += 1;
        if count.is_none() && byte == 0 {
            break;
        }
    }
    let address = exprs.add(place_among(exprs, wanted, &first), exprs.constant(64, start));
    let is_found = within(exprs, wanted, |byte| first[usize::from(byte)].is_some());
    Ok(Some(Place { is_found, address }))
}

/// The place of `wanted`, 64 bits wide; `wanted` must be a byte that has a place. Consecutive bytes
/// at consecutive places (`0123456789`) share an arm.
fn place_among(exprs: &Exprs, wanted: ExprId, places: &[Option<u64>; 256]) -> ExprId {
    let mut runs: Vec<(u8, u8, u64)> = Vec::new();
    for (byte, place) in (0..=u8::MAX).zip(places) {
        let Some(place) = *place else { continue };
        match runs.last_mut() {
            Some((low, high, first))
                if *high + 1 == byte && place == *first + u64::from(byte - *low) =>
            {
                *high = byte;
            }
            _ => runs.push((byte, byte, place)),
        }
    }
    let place = |(low, high, first): (u8, u8, u64)| {
        if low == high {
            return exprs.constant(64, first);
        }
        let into = exprs.sub(wanted, exprs.constant(8, u64::from(low)));
        exprs.add(exprs.zext(into, 64), exprs.constant(64, first))
    };
    let last = runs.pop().map_or_else(|| exprs.constant(64, 0), place);
    runs.into_iter().rev().fold(last, |rest, run| {
        let is_here = exprs.ule(wanted, exprs.constant(8, u64::from(run.1)));
        exprs.ite(is_here, place(run), rest)
    })
}

/// The address of the first byte that is `wanted` or, if `string`, a NUL. Forks over the place.
fn search(
    machine: &mut dyn Machine,
    address: Value,
    wanted: Value,
    mut indices: std::ops::Range<u64>,
    string: bool,
) -> Result<Option<Value>, Stop> {
    let wanted = character(machine, wanted)?;
    let found = indices.try_for_each(|index| {
        let byte = byte_at(machine, address, index)?;
        let exprs = machine.exprs();
        let byte = byte.expr(exprs).expect("an unwritten byte is an error");
        let nul = exprs.eq(byte, exprs.constant(8, 0));
        let mut hit = exprs.eq(byte, wanted);
        if string {
            hit = exprs.or(hit, nul);
        }
        if machine.branch(hit)? { Err(SearchEnd::Found(index)) } else { Ok(()) }
    });
    match found {
        Ok(()) => Ok(None),
        Err(SearchEnd::Found(index)) => Ok(Some(offset(machine.exprs(), address, index))),
        Err(SearchEnd::Stopped(stop)) => Err(stop),
    }
}

/// Why a search ends.
enum SearchEnd {
    Found(u64),
    Stopped(Stop),
}

impl From<Stop> for SearchEnd {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

fn last_byte(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let count = machine.concretise(arguments.get(2), 64, "number of bytes to search")?;
    last(machine, arguments.get(0), arguments.get(1), count)
}

/// The address of the last of `count` bytes that is `wanted`, or null. Forks over the place.
fn last(
    machine: &mut dyn Machine,
    address: Value,
    wanted: Value,
    count: u64,
) -> Result<Option<Value>, Stop> {
    let wanted = character(machine, wanted)?;
    for index in (0..count).rev() {
        let byte = byte_at(machine, address, index)?;
        let exprs = machine.exprs();
        let hit = exprs.eq(byte.expr(exprs).expect("an unwritten byte is an error"), wanted);
        if machine.branch(hit)? {
            return Ok(Some(offset(machine.exprs(), address, index)));
        }
    }
    Ok(Some(Value::Int(0)))
}

fn to_end(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    search(machine, arguments.get(0), arguments.get(1), 0..u64::MAX, true)
}

/// How many pairs of symbolic bytes are compared in one expression before the path forks.
const COMPARED: u32 = 64;

/// The difference of the first two bytes that differ, as musl returns it. A pair of bytes is read
/// only if all pairs before it may be equal.
fn compare(
    machine: &mut dyn Machine,
    a: Value,
    b: Value,
    count: u64,
    string: bool,
) -> Result<Option<Value>, Stop> {
    // The pairs that may decide the result, in order: the condition that the pair decides it, and
    // the result in that case.
    let mut deciding: Vec<(ExprId, ExprId)> = Vec::new();
    let exprs = machine.exprs();
    let mut equal = exprs.constant(1, 1);
    let mut rest = exprs.constant(32, 0);
    for index in 0..count {
        let is_full = deciding.len() as u32 % COMPARED == COMPARED - 1;
        let [x, y] = match [a, b].map(|side| if_equal(machine, side, index, equal)) {
            [Some(x), Some(y)] if !is_full => {
                [machine.free_of_revision(x, 8)?, machine.free_of_revision(y, 8)?]
            }
            _ if !machine.branch(equal)? => break,
            _ => [byte_expr(machine, a, index)?, byte_expr(machine, b, index)?],
        };
        let exprs = machine.exprs();
        let difference = exprs.sub(exprs.zext(x, 32), exprs.zext(y, 32));
        let mut ends = exprs.not(exprs.eq(x, y));
        if string {
            ends = exprs.or(ends, exprs.eq(x, exprs.constant(8, 0)));
        }
        match exprs.as_u64(ends) {
            Some(0) => {}
            Some(_) => {
                rest = difference;
                break;
            }
            None => {
                deciding.push((ends, difference));
                equal = exprs.and(equal, exprs.not(ends));
            }
        }
    }
    let exprs = machine.exprs();
    let result = deciding
        .into_iter()
        .rev()
        .fold(rest, |rest, (ends, difference)| exprs.ite(ends, difference, rest));
    Ok(Some(Value::from_expr(exprs, result)))
}

/// The byte at `address + index`, if it can certainly be read wherever `equal` holds.
fn if_equal(machine: &dyn Machine, address: Value, index: u64, equal: ExprId) -> Option<Value> {
    let byte = machine.peek(address.as_int()?.wrapping_add(index), equal)?;
    byte.expr(machine.exprs()).map(|expr| Value::from_expr(machine.exprs(), expr))
}

fn byte_expr(machine: &mut dyn Machine, address: Value, index: u64) -> Result<ExprId, Stop> {
    let byte = byte_at(machine, address, index)?;
    Ok(byte.expr(machine.exprs()).expect("an unwritten byte is an error"))
}

/// Writes bytes to memory, one after the other.
pub fn write(machine: &mut dyn Machine, address: Value, bytes: &[Byte]) -> Result<(), Stop> {
    for (index, byte) in bytes.iter().enumerate() {
        let at = offset(machine.exprs(), address, index as u64);
        let value = match byte {
            Byte::Concrete(value) => Value::Int(u64::from(*value)),
            Byte::Symbolic(expr) => Value::Expr(*expr),
            Byte::Uninitialised => return Err(Error::UninitialisedRead.into()),
        };
        machine.store(at, 8, value)?;
    }
    Ok(())
}
