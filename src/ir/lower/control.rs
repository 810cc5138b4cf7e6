//! The instructions that end a block: returns, branches and switches.

use super::lowering::Lowering;
use super::types::{Lowered, lane_width, unsupported};
use crate::ir::{Inst, Pc, Predicate, Switch};
use crate::llvm::Value;

impl<'m> Lowering<'_, 'm> {
    pub fn ret(&mut self, inst: Value<'m>) -> Lowered<()> {
        let values = match inst.operands().next() {
            Some(value) => self.parts(value)?,
            None => Default::default(),
        };
        self.emit(Inst::Return { values: values.into_vec().into_boxed_slice() });
        Ok(())
    }

    pub fn branch(&mut self, inst: Value<'m>) -> Lowered<()> {
        let inst_lowered = match inst.successors().as_slice() {
            [target] => Inst::Jump { target: self.target(*target) },
            [then, otherwise] => Inst::Branch {
                condition: self.scalar(inst.operand(0))?,
                then: self.target(*then),
                otherwise: self.target(*otherwise),
            },
            _ => return unsupported("a branch with more than two targets"),
        };
        self.emit(inst_lowered);
        Ok(())
    }

    pub fn switch(&mut self, inst: Value<'m>) -> Lowered<()> {
        let value = inst.operand(0);
        let width = lane_width(value.ty())?;
        let value = self.scalar(value)?;
        // The operands are the value, the default, then pairs of a case and its block.
        let successors = inst.successors();
        let default = self.target(successors[0]);
        if width <= 64 {
            let mut cases: Vec<(u64, Pc)> = (1..successors.len())
                .map(|i| (inst.operand(2 * i as u32).int(), self.target(successors[i])))
                .collect();
            cases.sort_unstable_by_key(|(case, _)| *case);
            self.emit(Inst::Switch(Box::new(Switch { value, width, cases, default })));
            return Ok(());
        }
        for (i, successor) in successors.iter().enumerate().skip(1) {
            let case = self.scalar(inst.operand(2 * i as u32))?;
            let condition = self.compute(|dst| Inst::Compare {
                predicate: Predicate::Eq,
                width,
                dst,
                a: value,
                b: case,
            });
            let (then, next) = (self.target(*successor), self.new_block());
            self.emit(Inst::Branch { condition, then, otherwise: Pc(next as u32) });
            self.current = next;
        }
        self.emit(Inst::Jump { target: default });
        Ok(())
    }

    pub fn indirect_branch(&mut self, inst: Value<'m>) -> Lowered<()> {
        let value = self.scalar(inst.operand(0))?;
        let function = inst.parent().function();
        let mut cases = Vec::new();
        for block in inst.successors() {
            cases.push((self.symbols.label_address(function, block)?, self.target(block)));
        }
        cases.sort_unstable_by_key(|(case, _)| *case);
        cases.dedup();
        let next = self.new_block();
        let default = Pc(next as u32);
        self.emit(Inst::Switch(Box::new(Switch { value, width: 64, cases, default })));
        self.current = next;
        self.emit(Inst::Unreachable);
        Ok(())
    }
}
