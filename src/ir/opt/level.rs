//! How much code is simplified.

/// What happens to code that is not needed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// It is omitted, so that the code runs fast.
    Quick,
    /// It is kept, so that every line that the compiler gives code to has code.
    AsWritten,
}
