//! What a system call takes and returns, and how models read arguments and write results.

use super::errno::Errno;
use crate::{
    env::machine::{Machine, Stop, offset},
    expr::ExprId,
    memory::Value,
};

/// Why a call has no result: an error that the program sees, or a stop of the path.
#[derive(Debug)]
pub(super) enum Failure {
    Error(Errno),
    Stop(Stop),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Error(errno)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<crate::memory::Fault> for Failure {
    fn from(fault: crate::memory::Fault) -> Self {
        Self::Stop(fault.into())
    }
}

pub(super) type Outcome<T = u64> = Result<T, Failure>;

/// The model of a call: takes six 64-bit arguments, and returns a nonnegative result.
pub(super) type Call = fn(&mut dyn Machine, &[Value; 6]) -> Outcome;

/// The concrete value of a 64-bit argument.
pub(super) fn known(machine: &mut dyn Machine, value: Value, what: &str) -> Result<u64, Stop> {
    machine.concretise(value, 64, what)
}

/// The concrete value of a file descriptor or another `int`. Only the low 32 bits count: the upper
/// half of a variadic `int` is not written (System V ABI, x86-64 supplement, 3.5.7).
pub(super) fn int(machine: &mut dyn Machine, value: Value, what: &str) -> Result<i32, Stop> {
    let low = match value {
        Value::Expr(e) => Value::from_expr(machine.exprs(), machine.exprs().extract(e, 0, 32)),
        value => value,
    };
    Ok(machine.concretise(low, 32, what)? as i32)
}

/// Writes 64-bit words in the machine's byte order, one after the other.
pub(super) fn store_words(
    machine: &mut dyn Machine,
    address: Value,
    words: impl IntoIterator<Item = u64>,
) -> Result<(), Stop> {
    store_values(machine, address, words.into_iter().map(Value::Int))
}

/// Writes 64-bit values as [`store_words`] does.
pub(super) fn store_values(
    machine: &mut dyn Machine,
    address: Value,
    values: impl IntoIterator<Item = Value>,
) -> Result<(), Stop> {
    for (index, value) in (0..).zip(values) {
        let at = offset(machine.exprs(), address, 8 * index);
        machine.store(at, 64, value)?;
    }
    Ok(())
}

/// Whether a pointer is null; forks if it may or may not be.
pub(super) fn is_null(machine: &mut dyn Machine, pointer: Value) -> Result<bool, Stop> {
    let pointer: ExprId = machine.free_of_revision(pointer, 64)?;
    let exprs = machine.exprs();
    let null = exprs.eq(pointer, exprs.constant(64, 0));
    machine.branch(null)
}
