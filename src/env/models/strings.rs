//! The copying functions of `<string.h>` (C11 7.24.2, 7.24.6.1); the others are run as code.

use super::Model;
use crate::{
    env::{Error, Machine, Stop, offset},
    memory::{Byte, Value},
};

pub(super) const MODELS: &[(&str, Model)] = &[
    ("memcpy", |m, a| m.copy(a.get(0), a.get(1), a.get(2)).map(|()| Some(a.get(0)))),
    ("memmove", |m, a| m.copy(a.get(0), a.get(1), a.get(2)).map(|()| Some(a.get(0)))),
    ("mempcpy", |m, a| {
        m.copy(a.get(0), a.get(1), a.get(2))?;
        let (to, length) = (m.settled(a.get(0), 64)?, m.settled(a.get(2), 64)?);
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
    ("strlen", |m, a| {
        let length = super::string_at(m, a.get(0), None)?.len();
        Ok(Some(Value::Int(length as u64)))
    }),
];

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
