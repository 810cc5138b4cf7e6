//! Promotion to registers of local variables whose address does not escape.
//!
//! Unlike LLVM's `mem2reg`, this keeps the meaning of uninitialised reads: the register is marked
//! undefined where the variable was allocated, and the first read fixes its value.

use super::lowering::Lowering;
use super::types::scalar_width;
use crate::llvm::{Block, Opcode, Value};

/// Gives a register to each variable of the entry block that is only loaded and stored with its own
/// width.
pub fn promote<'m>(lowering: &mut Lowering<'_, 'm>, entry: Block<'m>) {
    for inst in entry.instructions() {
        if let Some(width) = promotable(inst) {
            let slot = lowering.fresh();
            lowering.slots.insert(inst.key(), (slot, width));
        }
    }
}

fn promotable(inst: Value) -> Option<u32> {
    if inst.opcode() != Opcode::LLVMAlloca {
        return None;
    }
    let width = scalar_width(inst.allocated_type())?;
    let count = inst.operand(0);
    let one = count.is_int() && count.ty().int_width() <= 64 && count.int() == 1;
    (one && inst.users().all(|user| only_accesses(user, inst, width))).then_some(width)
}

fn only_accesses(user: Value, variable: Value, width: u32) -> bool {
    if !user.is_instruction() {
        return false;
    }
    match user.opcode() {
        Opcode::LLVMLoad => scalar_width(user.ty()) == Some(width) && !user.is_volatile(),
        Opcode::LLVMStore => {
            let value = user.operand(0);
            value != variable && scalar_width(value.ty()) == Some(width) && !user.is_volatile()
        }
        Opcode::LLVMCall => {
            let callee = user.callee();
            callee.is_function() && callee.name().starts_with("llvm.lifetime.")
        }
        _ => false,
    }
}
