//! How a model is called.

use super::machine::{Machine, Stop};
use crate::{ir::Argument, memory::Value};

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// Their values, variadic ones included.
    pub values: &'a [Value],
    /// How they were passed.
    pub passed: &'a [Argument],
}

impl Arguments<'_> {
    /// The argument of that index; an absent one was never written.
    pub fn get(&self, index: usize) -> Value {
        self.values.get(index).copied().unwrap_or(Value::Undefined)
    }

    /// The width in bits of the argument of that index.
    pub fn width(&self, index: usize) -> Option<u32> {
        self.passed.get(index).map(|argument| argument.width)
    }
}

/// Runs a call: gives the returned value, if any.
pub type Model = fn(&mut dyn Machine, Arguments<'_>) -> Result<Option<Value>, Stop>;
