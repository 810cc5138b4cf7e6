//! The optimiser of lowered code: `propagate` removes moves, `fuse` joins neighbouring
//! instructions, and `layout` turns blocks into flat code. Nothing here knows LLVM.

mod code;
mod fuse;
mod layout;
mod level;
mod propagate;
mod uses;

pub use code::Code;
pub use level::Level;

use super::{Function, Reg};

/// A function that has been read from LLVM but is not finished. [`Draft::finish`] needs no LLVM, so
/// it can run on any thread.
#[derive(Default)]
pub struct Draft {
    /// The function without its code.
    pub function: Function,
    /// The blocks of the code; none for a declaration.
    pub blocks: Vec<Code>,
    /// The registers of promoted variables.
    pub slots: Vec<Reg>,
}

impl Draft {
    /// Simplifies the code if `level` says so, and lays it out.
    pub fn finish(self, level: Level) -> Function {
        let Self { mut function, mut blocks, slots } = self;
        if !blocks.is_empty() {
            if level == Level::Quick {
                propagate::propagate(&mut blocks, &slots, function.params.len() as u32);
                layout::skip_empty_blocks(&mut blocks);
            }
            layout::lay_out(&mut function, blocks, level);
        }
        function
    }
}
