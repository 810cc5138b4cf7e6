//! What makes lowered code quick to run: moves are removed, neighbours become one instruction, and
//! blocks are laid out as flat code. Nothing here knows LLVM.

mod code;
mod fuse;
mod layout;
mod propagate;
mod uses;

pub use code::Code;

use super::{Function, Reg};

/// A function that LLVM is no longer needed for: what is left can be done on any thread.
#[derive(Default)]
pub struct Draft {
    /// The function without its code.
    pub function: Function,
    /// The code; no blocks for a declaration.
    pub blocks: Vec<Code>,
    /// Registers of promoted variables.
    pub slots: Vec<Reg>,
}

impl Draft {
    /// Simplifies the code and lays it out.
    pub fn finish(self) -> Function {
        let Self { mut function, mut blocks, slots } = self;
        if !blocks.is_empty() {
            propagate::propagate(&mut blocks, &slots, function.params.len() as u32);
            layout::lay_out(&mut function, blocks);
        }
        function
    }
}
