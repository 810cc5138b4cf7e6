//! The code of a function under construction: blocks whose jumps name other blocks.

use crate::ir::{Inst, SourceLine};

/// A basic block under construction. Until `layout` runs, jump targets are indices of blocks, not
/// of instructions.
#[derive(Default)]
pub struct Code {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// The source place of each instruction.
    pub places: Vec<SourceLine>,
    /// The number of LLVM instructions that each instruction stands for.
    pub counts: Vec<u32>,
}

impl Code {
    /// Adds an instruction that stands for `count` LLVM instructions.
    pub fn push(&mut self, inst: Inst, place: SourceLine, count: u32) {
        self.insts.push(inst);
        self.places.push(place);
        self.counts.push(count);
    }

    /// Removes and returns the last instruction, with its place and count.
    pub fn pop(&mut self) -> Option<(Inst, SourceLine, u32)> {
        Some((self.insts.pop()?, self.places.pop()?, self.counts.pop()?))
    }

    /// Keeps only the instructions for whose indices `keep` returns true. The count of a removed
    /// instruction is added to the next one that stays, or to the last one if there is none.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let whole = std::mem::take(self);
        let mut removed = 0;
        let parts = whole.insts.into_iter().zip(whole.places).zip(whole.counts);
        for (index, ((inst, place), count)) in parts.enumerate() {
            removed += count;
            if keep(index) {
                self.push(inst, place, std::mem::take(&mut removed));
            }
        }
        if let Some(last) = self.counts.last_mut() {
            *last += removed;
        }
    }

    /// Whether the block is complete, that is, its last instruction ends it.
    pub fn closed(&self) -> bool {
        self.insts.last().is_some_and(Inst::ends_block)
    }
}
