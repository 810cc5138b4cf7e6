//! Where and how often registers are read and written.

use crate::ir::{Inst, Operand, OperandKind, Reg};

use super::code::Code;

pub fn read_reg(operand: &Operand) -> Option<Reg> {
    match operand.kind() {
        OperandKind::Reg(reg) => Some(reg),
        OperandKind::Constant(_) => None,
    }
}

pub fn reads_of(inst: &Inst) -> impl Iterator<Item = Reg> {
    let mut found = smallvec::SmallVec::<[Reg; 4]>::new();
    inst.reads(|operand, _| found.extend(read_reg(operand)));
    found.into_iter()
}

pub fn writes_of(inst: &Inst) -> impl Iterator<Item = Reg> {
    let mut found = smallvec::SmallVec::<[Reg; 2]>::new();
    inst.writes(|reg, _| found.push(*reg));
    found.into_iter()
}

/// The reads and writes of each register.
pub struct Uses {
    reads: Vec<Places>,
    writes: Vec<Places>,
}

/// How often a register is read (or written), and in which blocks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Places {
    count: u32,
    block: Option<usize>,
    elsewhere: bool,
}

impl Places {
    pub const NONE: Self = Self { count: 0, block: None, elsewhere: false };

    pub fn once(block: usize) -> Self {
        Self { count: 1, block: Some(block), elsewhere: false }
    }

    fn note(&mut self, block: usize) {
        self.count += 1;
        self.elsewhere |= *self.block.get_or_insert(block) != block;
    }
}

impl Uses {
    pub fn count(blocks: &[Code]) -> Self {
        let mut this = Self { reads: Vec::new(), writes: Vec::new() };
        let note = |places: &mut Vec<Places>, reg: Reg, block| {
            let at = reg.0 as usize;
            if places.len() <= at {
                places.resize(at + 1, Places::NONE);
            }
            places[at].note(block);
        };
        for (index, code) in blocks.iter().enumerate() {
            for inst in &code.insts {
                reads_of(inst).for_each(|reg| note(&mut this.reads, reg, index));
                writes_of(inst).for_each(|reg| note(&mut this.writes, reg, index));
            }
        }
        this
    }

    pub fn reads(&self, reg: Reg) -> Places {
        self.reads.get(reg.0 as usize).copied().unwrap_or(Places::NONE)
    }

    pub fn writes(&self, reg: Reg) -> Places {
        self.writes.get(reg.0 as usize).copied().unwrap_or(Places::NONE)
    }

    /// Whether a register is written once, in `block`, and read only there.
    pub fn is_local(&self, reg: Reg, block: usize) -> bool {
        let reads = self.reads(reg);
        self.writes(reg) == Places::once(block)
            && !reads.elsewhere
            && reads.block.is_none_or(|only| only == block)
    }

    /// Notes that a read of `reg` has been removed.
    pub fn remove_read(&mut self, reg: Reg) {
        self.reads[reg.0 as usize].count -= 1;
    }

    pub fn is_read(&self, reg: Reg) -> bool {
        self.reads(reg).count > 0
    }

    pub fn is_read_once(&self, reg: Reg) -> bool {
        self.reads(reg).count == 1
    }
}
