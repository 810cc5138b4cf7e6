//! What instructions of the program read and write in memory ([`Values`]).

use crate::{
    exec::Frame,
    expr::{Assignment, Exprs},
    ir::{Indexed, Inst, Operand},
    memory::Value,
};

/// The values that operands of the running function have on the input.
pub(super) struct Values<'a> {
    pub(super) exprs: &'a Exprs,
    pub(super) top: &'a Frame,
    pub(super) seed: &'a Assignment,
}

impl Values<'_> {
    /// The value that an operand has on the input.
    pub(super) fn value(&self, operand: Operand) -> Option<u64> {
        self.known(self.top.values[operand.index()])
    }

    pub(super) fn known(&self, value: Value) -> Option<u64> {
        match value {
            Value::Int(value) => Some(value),
            Value::Expr(e) => self.exprs.evaluate(e, self.seed).to_u64(),
            Value::Undefined => None,
        }
    }

    pub(super) fn indexed(&self, at: &Indexed) -> Option<u64> {
        let index = if at.scale == 0 { 0 } else { signed(self.value(at.index)?, at.width) };
        let base = self.value(at.base)?.wrapping_add(i64::from(at.offset) as u64);
        Some(base.wrapping_add(index.wrapping_mul(at.scale.into())))
    }

    /// The part of memory, its address and length, that an instruction reads.
    pub(super) fn read(&self, inst: &Inst) -> Option<(u64, u64)> {
        let part = |address: Option<u64>, width: u32| {
            address.map(|address| (address, u64::from(width.div_ceil(8))))
        };
        match inst {
            Inst::Load { width, address, .. } => part(self.value(*address), *width),
            Inst::LoadIndexed { width, at, .. } => part(self.indexed(at), *width),
            _ => None,
        }
    }

    /// The address of an instruction's access, if it depends on the input: then any byte of the
    /// object may be meant.
    pub(super) fn open_address(&self, inst: &Inst) -> Option<u64> {
        let is_open = |operand: Operand| matches!(self.top.values[operand.index()], Value::Expr(_));
        match inst {
            Inst::Load { address, .. } | Inst::Store { address, .. } if is_open(*address) => {
                self.value(*address)
            }
            Inst::LoadIndexed { at, .. } | Inst::StoreIndexed { at, .. }
                if is_open(at.base) || at.scale > 0 && is_open(at.index) =>
            {
                self.indexed(at)
            }
            _ => None,
        }
    }

    /// The part of memory, its address and length, that an instruction writes as a whole.
    pub(super) fn written(&self, inst: &Inst) -> Option<(u64, u64)> {
        let bytes = |width: &u32| u64::from(width.div_ceil(8));
        match inst {
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
        }
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
