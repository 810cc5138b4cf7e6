//! How far code is simplified.

/// What becomes of code that is not needed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// It is left out: the code is quick.
    Quick,
    /// It stays: every line that the compiler gives code to has code.
    AsWritten,
}
