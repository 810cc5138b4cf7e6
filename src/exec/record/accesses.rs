//! What instructions and models read and write in memory.

use smallvec::SmallVec;

use super::recorder::Recorder;
use crate::{
    ir::{Indexed, Inst, Operand},
    memory::Value,
};

impl Recorder<'_> {
    /// The value that an operand has on the input.
    pub(super) fn value(&self, operand: Operand) -> Option<u64> {
        self.known(self.executor.get(operand))
    }

    pub(super) fn known(&self, value: Value) -> Option<u64> {
        match value {
            Value::Int(value) => Some(value),
            Value::Expr(e) => self.executor.program.exprs.evaluate(e, self.seed).to_u64(),
            Value::Undefined => None,
        }
    }

    pub(super) fn indexed(&self, at: &Indexed) -> Option<u64> {
        let index = if at.scale == 0 { 0 } else { signed(self.value(at.index)?, at.width) };
        let base = self.value(at.base)?.wrapping_add(i64::from(at.offset) as u64);
        Some(base.wrapping_add(index.wrapping_mul(at.scale.into())))
    }

    /// The parts of memory, addresses and lengths, that an instruction of the program reads itself.
    pub(super) fn read(&self, inst: &Inst) -> SmallVec<[(u64, u64); 1]> {
        let part = |address: Option<u64>, width: u32| {
            address.map(|address| (address, u64::from(width.div_ceil(8))))
        };
        match inst {
            Inst::Load { width, address, .. } => part(self.value(*address), *width),
            Inst::LoadIndexed { width, at, .. } => part(self.indexed(at), *width),
            _ => None,
        }
        .into_iter()
        .collect()
    }

    /// The parts of memory that it writes as a whole.
    pub(super) fn written(&self, inst: &Inst) -> SmallVec<[(u64, u64); 1]> {
        let bytes = |width: &u32| u64::from(width.div_ceil(8));
        let part = match inst {
            Inst::Store { width, address, .. } => {
                self.value(*address).map(|address| (address, bytes(width)))
            }
            Inst::StoreIndexed { width, at, .. } => {
                self.indexed(at).map(|address| (address, bytes(width)))
            }
            Inst::Fill { to, length, .. } => self.value(*to).zip(self.value(*length)),
            // The save area lies behind the words of the list.
            Inst::VaStart { list } => self.value(*list).map(|list| (list, 24)),
            _ => None,
        };
        part.into_iter().collect()
    }

    /// Where an instruction copies bytes to and from, and how many.
    pub(super) fn copied(&self, inst: &Inst) -> Option<(u64, u64, u64)> {
        match inst {
            Inst::Copy { to, from, length } => {
                Some((self.value(*to)?, self.value(*from)?, self.value(*length)?))
            }
            Inst::VaCopy { to, from } => Some((self.value(*to)?, self.value(*from)?, 24)),
            _ => None,
        }
    }
}

/// A number of `width` bits, sign-extended.
fn signed(value: u64, width: u32) -> u64 {
    let unused = 64 - width.clamp(1, 64);
    ((value << unused) as i64 >> unused) as u64
}
