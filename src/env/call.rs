//! The interface of a model: its type, and the arguments of a call.

use super::machine::{Machine, Stop};
use crate::{ir::CallArgument, memory::Value};

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// The values of the arguments, variadic ones included.
    pub values: &'a [Value],
    /// How each argument was passed.
    pub passed: &'a [CallArgument],
}

impl Arguments<'_> {
    /// The `index`-th argument; [`Value::Undefined`] if there is none.
    pub fn get(&self, index: usize) -> Value {
        self.values.get(index).copied().unwrap_or(Value::Undefined)
    }

    /// The width in bits of the `index`-th argument; `None` if there is none.
    pub fn width(&self, index: usize) -> Option<u32> {
        self.passed.get(index).map(|argument| argument.width)
    }
}

/// A model of one function: runs a call on the calling state, and returns the function's result, if
/// it has one.
pub type Model = fn(&mut dyn Machine, Arguments<'_>) -> Result<Option<Value>, Stop>;
