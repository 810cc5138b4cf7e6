//! Tables of relative addresses. In position-independent code, LLVM makes them from tables of
//! pointers (its pass `RelLookupTableConverter`): each element is the 32-bit difference of an
//! address and the address of the table. Addresses here are too far apart for 32 bits. So such a
//! table holds the addresses themselves, in 64 bits.

use super::constants::Symbols;
use super::lowering::Lowering;
use super::types::{Lowered, unsupported};
use crate::ir::{AddressTerm, Inst};
use crate::llvm::{Opcode, Value};

/// The prefix of the intrinsic functions that read such tables.
const READER: &str = "llvm.load.relative.";

/// The content of `global`, if it is a table of relative addresses that only [`READER`] reads.
pub fn table<'m>(symbols: &Symbols<'m>, global: Value<'m>) -> Option<Vec<u8>> {
    let read = |user: Value<'m>| match user {
        user if user.is_call() => user.callee().name().starts_with(READER),
        user => user.is_expression() && user.expression_opcode() == Opcode::LLVMPtrToInt,
    };
    let is_read = global.users().any(Value::is_call);
    if !global.is_global() || !global.is_read_only() || !is_read || !global.users().all(read) {
        return None;
    }
    let content = global.initializer()?;
    let elements = (0..).map_while(|index| content.aggregate_element(index));
    let addresses = elements.map(|element| {
        let operand = |value: Value<'m>, opcode, index| {
            let is_it = value.is_expression() && value.expression_opcode() == opcode;
            is_it.then(|| value.operand(index))
        };
        let difference = operand(element, Opcode::LLVMTrunc, 0)?;
        let table = operand(difference, Opcode::LLVMSub, 1)?;
        let target = operand(difference, Opcode::LLVMSub, 0)?;
        let of_this = operand(table, Opcode::LLVMPtrToInt, 0)?.key() == global.key();
        let target = symbols.scalar(operand(target, Opcode::LLVMPtrToInt, 0)?).ok()??;
        of_this.then(|| target.to_le_bytes())
    });
    addresses.collect::<Option<Vec<_>>>().map(|addresses| addresses.concat())
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers the read of an element of such a table. The offset assumes 32 bits for each element,
    /// so it is doubled.
    pub fn load_relative(&mut self, inst: Value<'m>) -> Lowered<()> {
        let (table, offset) = (inst.operand(0), inst.operand(1));
        if self::table(self.symbols, table).is_none() || offset.ty().int_width() != 64 {
            return unsupported("a relative address outside a table of relative addresses");
        }
        let (base, index) = (self.scalar(table)?, self.scalar(offset)?);
        let address = self.address(base, 0, [AddressTerm { index, width: 64, scale: 2 }].into());
        let target = self.compute(|dst| Inst::Load { width: 64, dst, address });
        self.define_scalar(inst, target);
        Ok(())
    }
}
