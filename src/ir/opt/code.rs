//! The code of a function while it is made: blocks, of which the jumps name each other.

use crate::ir::{Inst, Place};

/// A basic block that is being built; jump targets are indices of blocks, not of
/// instructions, until [`layout`].
#[derive(Default)]
pub struct Code {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// Their places.
    pub places: Vec<Place>,
    /// How many LLVM instructions each stands for.
    pub counts: Vec<u32>,
}

impl Code {
    /// Adds an instruction that stands for so many of LLVM's.
    pub fn push(&mut self, inst: Inst, place: Place, count: u32) {
        self.insts.push(inst);
        self.places.push(place);
        self.counts.push(count);
    }

    /// Takes the last instruction off; the next one takes on what it stands for.
    pub fn pop(&mut self) -> Option<(Inst, Place, u32)> {
        Some((self.insts.pop()?, self.places.pop()?, self.counts.pop()?))
    }

    /// Keeps the instructions of which `keep` holds (by their index). What a removed one stood
    /// for counts with the one behind it, or else before it.
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

    /// The last instruction leads nowhere else.
    pub fn closed(&self) -> bool {
        self.insts.last().is_some_and(Inst::ends_block)
    }
}
