//! Structs, arrays and vectors in registers. Most operations only rename scalars.

use smallvec::smallvec;

use super::lowering::{Lowering, Parts};
use super::types::{Lowered, element_range, lane_width, scalars, unsupported};
use crate::ir::{Inst, Predicate};
use crate::llvm::Value;

impl<'m> Lowering<'_, 'm> {
    pub fn extract_value(&mut self, inst: Value<'m>) -> Lowered<()> {
        let whole = inst.operand(0);
        let range = element_range(self.source, whole.ty(), &inst.indices())?;
        let parts = self.parts(whole)?;
        self.define(inst, Parts::from_slice(&parts[range]));
        Ok(())
    }

    pub fn insert_value(&mut self, inst: Value<'m>) -> Lowered<()> {
        let range = element_range(self.source, inst.ty(), &inst.indices())?;
        let mut parts = self.parts(inst.operand(0))?;
        let element = self.parts(inst.operand(1))?;
        parts[range].copy_from_slice(&element);
        self.define(inst, parts);
        Ok(())
    }

    pub fn extract_element(&mut self, inst: Value<'m>) -> Lowered<()> {
        let parts = self.parts(inst.operand(0))?;
        let index = self.scalar(inst.operand(1))?;
        let Some(last) = parts.len().checked_sub(1) else {
            return unsupported("an element of an empty vector");
        };
        if let Some(known) = self.known(index) {
            // An element beyond the end is poison, so any element will do.
            self.define(inst, smallvec![parts[last.min(known as usize)]]);
            return Ok(());
        }
        let (width, bits) = (lane_width(inst.ty())?, lane_width(inst.operand(1).ty())?);
        let mut found = parts[last];
        for (i, part) in parts.iter().enumerate().take(last) {
            let at = self.constant(bits, i as u64);
            let condition = self.compute(|dst| equal(bits, dst, index, at));
            let (a, b) = (*part, found);
            found = self.compute(|dst| Inst::Select { width, dst, condition, a, b });
        }
        self.define_scalar(inst, found);
        Ok(())
    }

    pub fn insert_element(&mut self, inst: Value<'m>) -> Lowered<()> {
        let mut parts = self.parts(inst.operand(0))?;
        let element = self.scalar(inst.operand(1))?;
        let index = self.scalar(inst.operand(2))?;
        if let Some(known) = self.known(index) {
            if let Some(part) = parts.get_mut(known as usize) {
                *part = element;
            }
        } else {
            let (width, bits) = (lane_width(inst.ty())?, lane_width(inst.operand(2).ty())?);
            for (i, part) in parts.iter_mut().enumerate() {
                let at = self.constant(bits, i as u64);
                let condition = self.compute(|dst| equal(bits, dst, index, at));
                let old = *part;
                *part =
                    self.compute(|dst| Inst::Select { width, dst, condition, a: element, b: old });
            }
        }
        self.define(inst, parts);
        Ok(())
    }

    pub fn shuffle(&mut self, inst: Value<'m>) -> Lowered<()> {
        let mut from = self.parts(inst.operand(0))?;
        from.extend(self.parts(inst.operand(1))?);
        let width = lane_width(inst.ty())?;
        let mut parts = Parts::new();
        for index in inst.mask() {
            parts.push(match index {
                Some(index) => from[index as usize],
                None => self.bits(width, None),
            });
        }
        self.define(inst, parts);
        Ok(())
    }

    pub fn bit_cast(&mut self, inst: Value<'m>) -> Lowered<()> {
        let from = scalars(self.source, inst.operand(0).ty())?;
        let to = scalars(self.source, inst.ty())?;
        let mut parts = self.parts(inst.operand(0))?;
        if !from.iter().map(|s| s.width).eq(to.iter().map(|s| s.width)) {
            let whole = self.join(&parts, &from);
            parts = self.split(whole, from.iter().map(|s| s.width).sum(), &to);
        }
        self.define(inst, parts);
        Ok(())
    }
}

fn equal(width: u32, dst: crate::ir::Reg, a: crate::ir::Operand, b: crate::ir::Operand) -> Inst {
    Inst::Compare { predicate: Predicate::Eq, width, dst, a, b }
}
