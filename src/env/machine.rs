//! What a model may do to the state that calls it, and how it may end.

use super::{
    halt::{Halt, Incomplete},
    world::World,
};
use crate::{
    errors::Error,
    expr::{ExprId, Exprs, float::Operation},
    memory::{Byte, Fault, Memory, Value},
};

/// Why a model (or any step of the interpreter) did not finish.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Stop {
    /// The state ends here.
    Halt(Halt),
    /// The program ends by itself with this exit code (8 bits), once it has run what it left
    /// for its end.
    Exit(ExprId),
    /// The path is impossible: an assumption contradicts it.
    Impossible,
    /// The instruction is to run again later: others are to read first, or to ask the solver.
    Later,
}

impl Stop {
    /// The path cannot be followed because of something the engine lacks.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self::Halt(Halt::Incomplete(Incomplete::Unsupported(what.into())))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Halt(Halt::Error(error))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Null => Error::NullDereference.into(),
            Fault::Dead(_) => Error::UseAfterFree.into(),
            Fault::Wild | Fault::OutOfBounds | Fault::ReadOnly => Error::OutOfBounds.into(),
            Fault::External => Self::unsupported(
                "a variable that is only declared, or whose content depends on where it is loaded",
            ),
        }
    }
}

/// What a model may do to the state that calls it.
///
/// A call of [`Machine::decide`] may fork: the sibling state runs the whole call again from
/// its start, under the opposite condition, so that a model may decide anywhere.
pub trait Machine {
    /// The expressions.
    fn exprs(&self) -> &Exprs;
    /// The revision that runs, 32 bits; the state depends on it from now on.
    fn revision(&mut self) -> ExprId;
    /// The memory of the state.
    fn memory(&self) -> &Memory;
    /// The memory of the state, to change it.
    fn memory_mut(&mut self) -> &mut Memory;
    /// The world of the state.
    fn world(&self) -> &World;
    /// The world of the state, to change it.
    fn world_mut(&mut self) -> &mut World;
    /// A part of the input ([`World::input`]).
    fn input(&self, name: &str, width: u32) -> ExprId {
        self.world().input(self.exprs(), name, width)
    }
    /// Promises that nothing is decided any more in this call: what changes from here on need
    /// not be undone for a sibling.
    fn commit(&mut self);
    /// To be called before typed input comes into being: the whole call may be put off.
    fn read_on(&mut self) -> Result<(), Stop>;
    /// Whether anything in the function that calls reads what the call gives.
    fn result_is_read(&self) -> bool;
    /// Settles a 1-bit condition on this path, forking where both answers are possible.
    fn decide(&mut self, condition: ExprId) -> Result<bool, Stop>;
    /// Keeps only the inputs for which the 1-bit condition holds.
    fn assume(&mut self, condition: ExprId) -> Result<(), Stop>;
    /// The same for an assumption of the program: where not all revisions make it, what it
    /// leaves out is recorded, since the others may take it.
    fn require(&mut self, condition: ExprId) -> Result<(), Stop>;
    /// `value` without mention of the revision (splits the revisions where they differ)
    /// and, as an expression of `width` bits; of an uninitialised one is taken note.
    fn settled(&mut self, value: Value, width: u32) -> Result<ExprId, Stop>;
    /// A concrete value for `value`: where several are possible it forks over them, up to
    /// a limit, past which the path is left as incomplete and `what` is named.
    fn concrete(&mut self, value: Value, width: u32, what: &str) -> Result<u64, Stop>;
    /// The bytes to provide for an object whose size is `extent`, an expression of 64 bits.
    fn capacity(&mut self, extent: ExprId) -> u64;
    /// Settles that `length` bytes at an address lie inside an object; that they do not is an
    /// error.
    fn reach(&mut self, address: u64, length: u64) -> Result<(), Stop>;
    /// The byte at an address, if that certainly lies inside an object where a condition of 1 bit
    /// holds.
    fn peek(&self, address: u64, given: ExprId) -> Option<Byte>;
    /// Reads `width` bits at an address, which may be symbolic.
    fn load(&mut self, address: Value, width: u32) -> Result<Value, Stop>;
    /// Writes `width` bits at an address, which may be symbolic.
    fn store(&mut self, address: Value, width: u32, value: Value) -> Result<(), Stop>;
    /// Copies bytes, from before any is written: the places may overlap.
    fn copy(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop>;
    /// Takes note of the exceptions that a floating-point operation on numbers of so many bits
    /// raises.
    fn raise(&mut self, operation: Operation, operands: &[Value], width: u32);
    /// Writes the same 8-bit value to all bytes.
    fn fill(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop>;
}

/// `value + offset` for addresses.
pub fn offset(exprs: &Exprs, address: Value, by: u64) -> Value {
    match address {
        Value::Int(at) => Value::Int(at.wrapping_add(by)),
        Value::Expr(at) => Value::from_expr(exprs, exprs.add(at, exprs.constant(64, by))),
        Value::Undefined => Value::Undefined,
    }
}

/// `value` as an expression of `width` bits; `None` if it was never written.
pub fn expr_of(exprs: &Exprs, value: Value, width: u32) -> Option<ExprId> {
    match value {
        Value::Int(int) => Some(exprs.constant(width, int)),
        Value::Expr(expr) => Some(expr),
        Value::Undefined => None,
    }
}
