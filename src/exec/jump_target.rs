//! Places to which `longjmp` comes back.

use crate::ir::FunctionId;

/// A call of `setjmp` in a function that has not returned since.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct JumpTarget {
    pub(super) depth: u32,
    pub(super) function: FunctionId,
    pub(super) pc: u32,
}

impl JumpTarget {
    /// The two words that stand for it in a buffer.
    pub(super) fn words(self) -> [u64; 2] {
        [u64::from(self.depth) << 32 | u64::from(self.pc), u64::from(self.function.0)]
    }
}
