//! Allocation, loads, stores, address arithmetic and atomics.
//!
//! Programs have only one thread here, so an atomic access is a plain one.

use super::constants::signed_word;
use super::lowering::{AddressBase, Lowering, Parts};
use super::types::{Lowered, Scalar, float_width, is_bit_vector, lane_width, scalars, unsupported};
use crate::expr::Bv;
use crate::ir::{AddressTerm, BinaryOp, Cast, FloatOp, Inst, Operand, OperandKind, Pc, Predicate};
use crate::llvm::{RmwOp, Type, TypeKind, Value};

// The most terms of an address that is computed from the base of an earlier one. With more terms,
// adding them up again would cost more than keeping the two computations separate.
const MOST_TERMS: usize = 3;

impl<'m> Lowering<'_, 'm> {
    pub fn alloca(&mut self, inst: Value<'m>) -> Lowered<()> {
        if let Some((slot, _)) = self.slots.get(&inst.key()) {
            let dst = *slot;
            self.emit(Inst::Undefine { dst });
            return Ok(());
        }
        let ty = inst.allocated_type();
        let Some(size) = self.source.size(ty) else {
            return unsupported(format!("a variable of type {ty}"));
        };
        let width = lane_width(inst.operand(0).ty())?;
        let count = self.scalar(inst.operand(0))?;
        let count = self.resize(Cast::Zext, count, width, 64);
        let address =
            self.compute(|dst| Inst::Alloca { dst, alignment: inst.alignment(), size, count });
        self.define_scalar(inst, address);
        Ok(())
    }

    /// `value`, which has `from` bits, cut to `to` bits or extended to them by `extend`.
    pub fn resize(&mut self, extend: Cast, value: Operand, from: u32, to: u32) -> Operand {
        if from == to {
            return value;
        }
        if let (Some(known), Cast::Zext, true) = (self.known(value), extend, from < to && to <= 64)
        {
            return self.constant(to, known);
        }
        let cast = if from > to { Cast::Trunc } else { extend };
        self.compute(|dst| Inst::Cast { cast, from, to, dst, a: value })
    }

    /// The address of an access, which must not be relative to a segment.
    fn accessed(&mut self, pointer: Value<'m>) -> Lowered<Operand> {
        match pointer.ty().address_space() {
            0 => self.scalar(pointer),
            space => unsupported(format!("an access relative to a segment (space {space})")),
        }
    }

    pub fn load(&mut self, inst: Value<'m>) -> Lowered<()> {
        if let Some((slot, width)) = self.slots.get(&inst.operand(0).key()) {
            let (src, width) = (Operand::reg(*slot), *width);
            let value = self.compute(|dst| Inst::Move { dst, src, width });
            self.define_scalar(inst, value);
            return Ok(());
        }
        let ty = inst.ty();
        let address = self.accessed(inst.operand(0))?;
        let scalars = scalars(self.source, ty)?;
        if is_bit_vector(ty) {
            let width = scalars.iter().map(|s| s.width).sum();
            let whole = self.compute(|dst| Inst::Load { width, dst, address });
            let parts = self.split(whole, width, &scalars);
            self.define(inst, parts);
            return Ok(());
        }
        let mut parts = Parts::new();
        for scalar in scalars {
            let address = self.address(address, scalar.offset()? as i64, Box::default());
            parts.push(self.compute(|dst| Inst::Load { width: scalar.width, dst, address }));
        }
        self.define(inst, parts);
        Ok(())
    }

    pub fn store(&mut self, inst: Value<'m>) -> Lowered<()> {
        let value = inst.operand(0);
        let values = self.parts(value)?;
        if let Some((slot, width)) = self.slots.get(&inst.operand(1).key()) {
            let (dst, width, src) = (*slot, *width, values[0]);
            self.emit(Inst::Move { dst, src, width });
            return Ok(());
        }
        let address = self.accessed(inst.operand(1))?;
        let scalars = scalars(self.source, value.ty())?;
        if is_bit_vector(value.ty()) {
            let width = scalars.iter().map(|s| s.width).sum();
            let whole = self.join(&values, &scalars);
            self.emit(Inst::Store { width, value: whole, address });
            return Ok(());
        }
        for (value, scalar) in values.into_iter().zip(scalars) {
            let address = self.address(address, scalar.offset()? as i64, Box::default());
            self.emit(Inst::Store { width: scalar.width, value, address });
        }
        Ok(())
    }

    /// The address `base + offset + terms`. If `base` is a sum from the same block, the address is
    /// usually computed from that sum's base.
    pub fn address(&mut self, base: Operand, offset: i64, terms: Box<[AddressTerm]>) -> Operand {
        if offset == 0 && terms.is_empty() {
            return base;
        }
        let (mut base, mut offset, mut terms) = (base, offset, terms);
        if let OperandKind::Reg(reg) = base.kind()
            && let Some(address_base) = self.address_bases.get(&reg)
            && address_base.block == self.current
            && address_base.terms.len() + terms.len() <= MOST_TERMS
        {
            base = address_base.base;
            offset = offset.wrapping_add(address_base.offset);
            terms = address_base.terms.iter().chain(&terms).copied().collect();
        }
        if terms.is_empty()
            && let Some(known) = self.known(base)
        {
            return self.constant(64, known.wrapping_add_signed(offset));
        }
        let address_base = AddressBase { block: self.current, base, offset, terms: terms.clone() };
        let dst = self.fresh();
        self.emit(Inst::Address { dst, base, offset, terms });
        self.address_bases.insert(dst, address_base);
        Operand::reg(dst)
    }

    pub fn element_pointer(&mut self, inst: Value<'m>) -> Lowered<()> {
        let operands: Vec<Value<'m>> = inst.operands().collect();
        let mut lanes = Vec::with_capacity(operands.len());
        for operand in &operands {
            lanes.push(self.parts(*operand)?);
        }
        let mut parts = Parts::new();
        for lane in 0..scalars(self.source, inst.ty())?.len() {
            let pick: Vec<Operand> = lanes
                .iter()
                .map(|parts| if parts.len() == 1 { parts[0] } else { parts[lane] })
                .collect();
            parts.push(self.element_address(inst, &operands, &pick)?);
        }
        self.define(inst, parts);
        Ok(())
    }

    fn element_address(
        &mut self,
        inst: Value<'m>,
        operands: &[Value<'m>],
        values: &[Operand],
    ) -> Lowered<Operand> {
        let mut ty = inst.element_source();
        let mut offset = 0_i64;
        let mut terms = Vec::new();
        for at in 1..operands.len() {
            if at > 1 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let Some(field) = self.known(values[at]) else {
                    return unsupported("a struct field that is not a constant");
                };
                offset = offset.wrapping_add_unsigned(self.source.offset(ty, field as u32));
                ty = ty.field(field as u32);
                continue;
            }
            if at > 1 {
                ty = ty.element();
            }
            let Some(scale) = self.source.size(ty) else {
                return unsupported(format!("an index into {ty}"));
            };
            let mut width = lane_width(operands[at].ty())?;
            let mut index = values[at];
            if let Some(known) = self.known(index) {
                let signed = signed_word(&Bv::new(width, known));
                offset = offset.wrapping_add_unsigned(signed.wrapping_mul(scale));
                continue;
            }
            if width > 64 {
                index = self.resize(Cast::Sext, index, width, 64);
                width = 64;
            }
            if scale != 0 {
                terms.push(AddressTerm { index, width, scale });
            }
        }
        Ok(self.address(values[0], offset, terms.into_boxed_slice()))
    }

    /// Lowers a load from consecutive memory of the lanes whose mask bit is set. The other lanes
    /// come from the last operand.
    pub fn masked_load(&mut self, inst: Value<'m>) -> Lowered<()> {
        let addresses = self.lane_addresses(inst.operand(0), inst.ty())?;
        self.load_lanes(inst, addresses)
    }

    /// Lowers a load of the lanes whose mask bit is set, each from a separate address. The other
    /// lanes come from the last operand.
    pub fn masked_gather(&mut self, inst: Value<'m>) -> Lowered<()> {
        let addresses = self.parts(inst.operand(0))?;
        self.load_lanes(inst, addresses)
    }

    /// Lowers a store to consecutive memory of the lanes whose mask bit is set.
    pub fn masked_store(&mut self, inst: Value<'m>) -> Lowered<()> {
        let addresses = self.lane_addresses(inst.operand(1), inst.operand(0).ty())?;
        self.store_lanes(inst, addresses)
    }

    /// Lowers a store of the lanes whose mask bit is set, each to a separate address.
    pub fn masked_scatter(&mut self, inst: Value<'m>) -> Lowered<()> {
        let addresses = self.parts(inst.operand(1))?;
        self.store_lanes(inst, addresses)
    }

    fn lane_addresses(&mut self, base: Value<'m>, vector: Type<'m>) -> Lowered<Parts> {
        let base = self.scalar(base)?;
        let mut addresses = Parts::new();
        for scalar in scalars(self.source, vector)? {
            addresses.push(self.address(base, scalar.offset()? as i64, Box::default()));
        }
        Ok(addresses)
    }

    fn load_lanes(&mut self, inst: Value<'m>, addresses: Parts) -> Lowered<()> {
        let width = lane_width(inst.ty())?;
        let (mask, others) = (self.parts(inst.operand(2))?, self.parts(inst.operand(3))?);
        let mut parts = Parts::new();
        for ((address, condition), other) in addresses.into_iter().zip(mask).zip(others) {
            let dst = self.fresh();
            self.emit(Inst::Move { dst, src: other, width });
            self.only_if(condition, |this| this.emit(Inst::Load { width, dst, address }));
            parts.push(Operand::reg(dst));
        }
        self.define(inst, parts);
        Ok(())
    }

    fn store_lanes(&mut self, inst: Value<'m>, addresses: Parts) -> Lowered<()> {
        let width = lane_width(inst.operand(0).ty())?;
        let (values, mask) = (self.parts(inst.operand(0))?, self.parts(inst.operand(3))?);
        for ((address, condition), value) in addresses.into_iter().zip(mask).zip(values) {
            self.only_if(condition, |this| this.emit(Inst::Store { width, value, address }));
        }
        Ok(())
    }

    /// Puts the instructions that `body` emits into a block that runs only if the condition holds.
    fn only_if(&mut self, condition: Operand, body: impl FnOnce(&mut Self)) {
        let (then, next) = (self.new_block(), self.new_block());
        let (then_at, next_at) = (Pc(then as u32), Pc(next as u32));
        self.emit(Inst::Branch { condition, then: then_at, otherwise: next_at });
        self.current = then;
        body(self);
        self.emit(Inst::Jump { target: next_at });
        self.current = next;
    }

    pub fn atomic_update(&mut self, inst: Value<'m>) -> Lowered<()> {
        let address = self.accessed(inst.operand(0))?;
        let b = self.scalar(inst.operand(1))?;
        let ty = inst.ty();
        let width = lane_width(ty)?;
        let a = self.compute(|dst| Inst::Load { width, dst, address });
        let mut binary = |op| self.compute(|dst| Inst::Binary { op, width, dst, a, b });
        let value = match inst.rmw_op() {
            RmwOp::LLVMAtomicRMWBinOpXchg => b,
            RmwOp::LLVMAtomicRMWBinOpAdd => binary(BinaryOp::Add),
            RmwOp::LLVMAtomicRMWBinOpSub => binary(BinaryOp::Sub),
            RmwOp::LLVMAtomicRMWBinOpAnd => binary(BinaryOp::And),
            RmwOp::LLVMAtomicRMWBinOpOr => binary(BinaryOp::Or),
            RmwOp::LLVMAtomicRMWBinOpXor => binary(BinaryOp::Xor),
            RmwOp::LLVMAtomicRMWBinOpMax => binary(BinaryOp::Smax),
            RmwOp::LLVMAtomicRMWBinOpMin => binary(BinaryOp::Smin),
            RmwOp::LLVMAtomicRMWBinOpUMax => binary(BinaryOp::Umax),
            RmwOp::LLVMAtomicRMWBinOpUMin => binary(BinaryOp::Umin),
            RmwOp::LLVMAtomicRMWBinOpNand => {
                let both = binary(BinaryOp::And);
                let ones = self.bits(width, Some(Bv::ones(width)));
                let op = BinaryOp::Xor;
                self.compute(|dst| Inst::Binary { op, width, dst, a: both, b: ones })
            }
            op @ (RmwOp::LLVMAtomicRMWBinOpFAdd | RmwOp::LLVMAtomicRMWBinOpFSub) => {
                float_width(ty)?;
                let add = op == RmwOp::LLVMAtomicRMWBinOpFAdd;
                let op = if add { FloatOp::Add } else { FloatOp::Sub };
                self.compute(|dst| Inst::FloatBinary { op, width, dst, a, b })
            }
            op => return unsupported(format!("the operation {op:?}")),
        };
        self.emit(Inst::Store { width, value, address });
        self.define_scalar(inst, a);
        Ok(())
    }

    pub fn compare_exchange(&mut self, inst: Value<'m>) -> Lowered<()> {
        let address = self.accessed(inst.operand(0))?;
        let expected = self.scalar(inst.operand(1))?;
        let new = self.scalar(inst.operand(2))?;
        let width = lane_width(inst.operand(1).ty())?;
        let old = self.compute(|dst| Inst::Load { width, dst, address });
        let equal = self.compute(|dst| Inst::Compare {
            predicate: Predicate::Eq,
            width,
            dst,
            a: old,
            b: expected,
        });
        let value =
            self.compute(|dst| Inst::Select { width, dst, condition: equal, a: new, b: old });
        self.emit(Inst::Store { width, value, address });
        self.define(inst, Parts::from_slice(&[old, equal]));
        Ok(())
    }

    /// One value, as wide as all parts together, with the first part in the lowest bits.
    pub fn join(&mut self, parts: &[Operand], scalars: &[Scalar]) -> Operand {
        let total = scalars.iter().map(|s| s.width).sum();
        let mut low = 0;
        let mut whole = None;
        for (part, scalar) in parts.iter().zip(scalars) {
            let wide = self.resize(Cast::Zext, *part, scalar.width, total);
            whole = Some(match whole {
                None => wide,
                Some(rest) => {
                    let by = self.constant(total, low);
                    let moved = self.binary(BinaryOp::Shl, total, wide, by);
                    self.binary(BinaryOp::Or, total, rest, moved)
                }
            });
            low += u64::from(scalar.width);
        }
        whole.unwrap_or_else(|| self.constant(total, 0))
    }

    /// The parts of a value of `total` bits: the reverse of [`Self::join`].
    pub fn split(&mut self, whole: Operand, total: u32, scalars: &[Scalar]) -> Parts {
        let mut low = 0;
        let mut parts = Parts::new();
        for scalar in scalars {
            let by = self.constant(total, low);
            let rest = if low == 0 { whole } else { self.binary(BinaryOp::Lshr, total, whole, by) };
            parts.push(self.resize(Cast::Zext, rest, total, scalar.width));
            low += u64::from(scalar.width);
        }
        parts
    }

    /// Emits `a op b`.
    pub fn binary(&mut self, op: BinaryOp, width: u32, a: Operand, b: Operand) -> Operand {
        self.compute(|dst| Inst::Binary { op, width, dst, a, b })
    }
}
