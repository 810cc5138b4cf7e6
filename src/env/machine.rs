//! What a model may do to the state that calls it ([`Machine`]), and why it may not finish
//! ([`Stop`]).

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
    /// The state ends at once.
    Halt(Halt),
    /// The program exits with this code (8 bits), after running the functions that it has
    /// registered to run at exit.
    Exit(ExprId),
    /// The path is infeasible: an assumption contradicts its path condition.
    Impossible,
    /// The instruction must run again later: other states should read input, or ask the solver,
    /// first.
    Later,
}

impl Stop {
    /// The path cannot be followed any further, because the engine does not support `what`.
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
/// [`Machine::branch`] may fork. The sibling state then runs the whole call again from its start,
/// under the opposite condition, so a model may decide anything at any point.
pub trait Machine {
    /// The expressions of the program.
    fn exprs(&self) -> &Exprs;
    /// The number of the running revision, 32 bits. From now on the state depends on the revision.
    fn revision(&mut self) -> ExprId;
    /// The memory of the state.
    fn memory(&self) -> &Memory;
    /// The memory of the state, for changes.
    fn memory_mut(&mut self) -> &mut Memory;
    /// The world of the state.
    fn world(&self) -> &World;
    /// The world of the state, for changes.
    fn world_mut(&mut self) -> &mut World;
    /// The part `name` of the input, `width` bits ([`World::input`]).
    fn input(&self, name: &str, width: u32) -> ExprId {
        self.world().input(self.exprs(), name, width)
    }
    /// Promises that this call makes no more decisions, so that what it changes from here on need
    /// not be undone for a sibling.
    fn commit(&mut self);
    /// Must be called before a token of typed input is made.
    ///
    /// # Errors
    /// [`Stop::Later`] if the whole call is put off.
    fn read_on(&mut self) -> Result<(), Stop>;
    /// Whether anything in the calling function reads the result of this call.
    fn result_is_read(&self) -> bool;
    /// Branches on a 1-bit condition: forks if both answers are feasible.
    fn branch(&mut self, condition: ExprId) -> Result<bool, Stop>;
    /// Keeps only the inputs for which the 1-bit condition holds.
    fn assume(&mut self, condition: ExprId) -> Result<(), Stop>;
    /// Keeps only the inputs for which the 1-bit condition, an assumption of the program, holds.
    /// After a meta fork, other revisions may not assume it: the inputs that it excludes then end
    /// in a state of their own ([`Halt::Outside`]).
    fn require(&mut self, condition: ExprId) -> Result<(), Stop>;
    /// Keeps only the inputs that are well formed for what is read: the 1-bit condition holds.
    /// Where another revision, or the original, may read something else, the excluded inputs end in
    /// a state of their own ([`Halt::Malformed`]).
    fn expect(&mut self, condition: ExprId) -> Result<(), Stop>;
    /// `value` as an expression of `width` bits that does not mention the revision: revisions with
    /// different values are split. A value that was never written is noted, and counts as zero.
    fn free_of_revision(&mut self, value: Value, width: u32) -> Result<ExprId, Stop>;
    /// A concrete value of `width` bits for `value`. Forks over the feasible values up to a limit.
    /// If there are more, the rest ends as incomplete, and the reason names `what`.
    fn concretise(&mut self, value: Value, width: u32, what: &str) -> Result<u64, Stop>;
    /// The low `width` bits of a 64-bit value, as an instruction truncates it. If the value is an
    /// address, no number for them is known.
    fn truncated(&mut self, value: Value, width: u32) -> Value;
    /// How many bytes to provide for an object whose size is `extent`, a 64-bit expression.
    fn capacity(&mut self, extent: ExprId) -> u64;
    /// Makes sure that `length` bytes at `address` lie inside one object.
    ///
    /// # Errors
    /// If they do not, the state ends with an error.
    fn reach(&mut self, address: u64, length: u64) -> Result<(), Stop>;
    /// The byte at `address`, if the address certainly lies inside an object whenever the 1-bit
    /// condition `given` holds.
    fn peek(&self, address: u64, given: ExprId) -> Option<Byte>;
    /// Reads `width` bits at an address, which may be symbolic.
    fn load(&mut self, address: Value, width: u32) -> Result<Value, Stop>;
    /// Writes `width` bits at an address, which may be symbolic.
    fn store(&mut self, address: Value, width: u32, value: Value) -> Result<(), Stop>;
    /// Copies `length` bytes. All are read before any is written, so the two places may overlap.
    fn copy(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop>;
    /// Notes the exceptions that a floating-point operation on numbers of `width` bits raises.
    fn raise(&mut self, operation: Operation, operands: &[Value], width: u32);
    /// Writes the 8-bit value `byte` to each of `length` bytes.
    fn fill(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop>;
}

/// The address `by` bytes after `address`.
pub fn offset(exprs: &Exprs, address: Value, by: u64) -> Value {
    match address {
        Value::Int(at) => Value::Int(at.wrapping_add(by)),
        Value::Expr(at) => Value::from_expr(exprs, exprs.add(at, exprs.constant(64, by))),
        Value::Undefined => Value::Undefined,
    }
}
