//! What a program can do wrong, and which sanitizer watches a native run for it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How many leading bytes of an endless run's output count: nobody sees all of it.
pub const ENDLESS_PREFIX: usize = 4096;

/// Errors that the engine finds and a sanitizer can confirm.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Error {
    /// An access outside every object, or past the end of one.
    OutOfBounds,
    /// An access to an object that no longer exists: it was freed, or its function has returned.
    UseAfterFree,
    /// A call of `free` on memory that is not (or no longer) allocated.
    DoubleFree,
    /// An access through a null pointer.
    NullDereference,
    /// An integer division by zero, or one whose quotient does not fit.
    DivisionByZero,
    /// A place that must not be reached: `__builtin_unreachable`, or the end of a function that
    /// returns no value although its caller uses one.
    Unreachable,
    /// Something visible (a branch, an address, printed text) that depends on memory that was
    /// never written. Ends a path only if the subject asks for that.
    UninitialisedRead,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::UseAfterFree => "use-after-free",
            Self::DoubleFree => "double-free",
            Self::NullDereference => "null-dereference",
            Self::DivisionByZero => "division-by-zero",
            Self::Unreachable => "unreachable",
            Self::UninitialisedRead => "uninitialised-read",
        })
    }
}

/// What to watch for in a native run.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Sanitizer {
    /// Nothing: the program as it is.
    None,
    /// AddressSanitizer, and those checks of UndefinedBehaviorSanitizer that also make the engine
    /// halt.
    AddressUndefined,
    /// MemorySanitizer: reads of uninitialised memory.
    Memory,
}
