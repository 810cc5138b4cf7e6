//! A function that is being lowered ([`Lowering`]): what is known of its values, and the place of
//! its next instruction.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::constants::{Bits, Symbols};
use super::library::Library;
use super::types::{Lowered, lane_width, scalars, unsupported};
use crate::expr::Bv;
use crate::ir::opt::Code;
use crate::ir::{
    BinaryOp, Cast, Constant, Function, Inst, Operand, OperandKind, Pc, Reg, SourceLine,
};
use crate::llvm::{Block, Opcode, Source, Value};

/// The scalars of a value.
pub type Parts = SmallVec<[Operand; 2]>;

/// An address computation on which later ones in the same block can build.
pub struct AddressBase {
    pub block: usize,
    pub base: Operand,
    pub offset: i64,
    pub terms: Box<[crate::ir::AddressTerm]>,
}

/// A function that is being lowered.
pub struct Lowering<'a, 'm> {
    pub source: Source<'m>,
    pub symbols: &'a Symbols<'m>,
    pub library: &'a mut Library,
    pub function: Function,
    pub blocks: Vec<Code>,
    pub current: usize,
    pub place: SourceLine,
    /// The number of LLVM instructions that the next emitted instruction stands for.
    uncounted: u32,
    /// The reachable LLVM blocks by key, with their indices in `blocks`.
    pub numbers: FxHashMap<usize, usize>,
    /// For each of `blocks`, the LLVM block that it is part of.
    pub origins: Vec<Block<'m>>,
    /// The register and the width of each promoted variable.
    pub slots: FxHashMap<usize, (Reg, u32)>,
    pub address_bases: FxHashMap<Reg, AddressBase>,
    values: FxHashMap<usize, Parts>,
    pool: FxHashMap<Constant, u32>,
}

impl<'a, 'm> Lowering<'a, 'm> {
    /// A function without code. Its first instructions get the source place `place`.
    pub fn new(
        source: Source<'m>,
        symbols: &'a Symbols<'m>,
        library: &'a mut Library,
        function: Function,
        place: SourceLine,
    ) -> Self {
        Self {
            source,
            symbols,
            library,
            function,
            blocks: Vec::new(),
            current: 0,
            place,
            uncounted: 0,
            numbers: FxHashMap::default(),
            origins: Vec::new(),
            slots: FxHashMap::default(),
            address_bases: FxHashMap::default(),
            values: FxHashMap::default(),
            pool: FxHashMap::default(),
        }
    }

    /// Notes that the next emitted instruction stands for one more LLVM instruction.
    pub fn count_next(&mut self) {
        self.uncounted += 1;
    }

    /// A register that nothing uses yet.
    pub fn fresh(&mut self) -> Reg {
        self.function.registers += 1;
        Reg(self.function.registers - 1)
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, inst: Inst) {
        let (place, count) = (self.place, std::mem::take(&mut self.uncounted));
        self.blocks[self.current].push(inst, place, count);
    }

    /// Adds an instruction that writes a new register.
    pub fn compute(&mut self, make: impl FnOnce(Reg) -> Inst) -> Operand {
        let dst = self.fresh();
        self.emit(make(dst));
        Operand::reg(dst)
    }

    /// A new empty block beside the current one.
    pub fn new_block(&mut self) -> usize {
        self.blocks.push(Code::default());
        self.origins.push(self.origins[self.current]);
        self.blocks.len() - 1
    }

    /// The target of a jump to an LLVM block, before layout.
    pub fn target(&self, block: Block<'m>) -> Pc {
        Pc(self.numbers[&block.key()] as u32)
    }

    /// Records the scalars of a value.
    pub fn define(&mut self, value: Value<'m>, parts: Parts) {
        self.values.insert(value.key(), parts);
    }

    /// The scalars of a value.
    pub fn parts(&mut self, value: Value<'m>) -> Lowered<Parts> {
        let cuts = |opcode| matches!(opcode, Opcode::LLVMPtrToInt | Opcode::LLVMTrunc);
        if value.is_expression() && cuts(value.expression_opcode()) {
            let whole = value.operand(0);
            let (from, to) = (lane_width(whole.ty())?, lane_width(value.ty())?);
            if from > to {
                // A part of an address is known only if the address is.
                let a = self.scalar(whole)?;
                let cut = |dst| Inst::Cast { cast: Cast::Trunc, from, to, dst, a };
                return Ok(smallvec![self.compute(cut)]);
            }
        }
        match self.named_parts(value) {
            Err(error) if value.is_expression() => {
                // A number computed from addresses is no constant before these are known.
                let op = match value.expression_opcode() {
                    Opcode::LLVMAdd => BinaryOp::Add,
                    Opcode::LLVMSub => BinaryOp::Sub,
                    Opcode::LLVMMul => BinaryOp::Mul,
                    Opcode::LLVMXor => BinaryOp::Xor,
                    _ => return Err(error),
                };
                let width = lane_width(value.ty())?;
                let (a, b) = (self.scalar(value.operand(0))?, self.scalar(value.operand(1))?);
                Ok(smallvec![self.compute(|dst| Inst::Binary { op, width, dst, a, b })])
            }
            parts => parts,
        }
    }

    /// The scalars of a value, if no instruction is needed to compute them.
    pub fn named_parts(&mut self, value: Value<'m>) -> Lowered<Parts> {
        if let Some(parts) = self.values.get(&value.key()) {
            return Ok(parts.clone());
        }
        if let Some((slot, _)) = self.slots.get(&value.key()) {
            return unsupported(format!("the address of the promoted register {}", slot.0));
        }
        if !value.is_constant() {
            return unsupported(format!("an operand that is not supported: {}", value.print()));
        }
        let scalars = scalars(self.source, value.ty())?;
        let bits = self.symbols.parts(value)?;
        Ok(scalars.iter().zip(bits).map(|(s, bits)| self.bits(s.width, bits)).collect())
    }

    /// The only scalar of a value.
    pub fn scalar(&mut self, value: Value<'m>) -> Lowered<Operand> {
        match self.parts(value)?.as_slice() {
            [operand] => Ok(*operand),
            parts => unsupported(format!("an operand of {} scalars", parts.len())),
        }
    }

    /// Records the only scalar of a value.
    pub fn define_scalar(&mut self, value: Value<'m>, operand: Operand) {
        self.define(value, smallvec![operand]);
    }

    /// The operand for a constant scalar.
    pub fn bits(&mut self, width: u32, bits: Bits) -> Operand {
        let constant = match bits {
            None => Constant::Undefined,
            Some(bits) => match bits.to_u64() {
                Some(bits) if width <= 64 => Constant::Int(bits),
                _ => Constant::Wide(bits),
            },
        };
        let function = &mut self.function;
        let index = *self.pool.entry(constant).or_insert_with_key(|constant| {
            function.constants.push(constant.clone());
            function.constants.len() as u32 - 1
        });
        Operand::constant(index)
    }

    /// The operand for a number of at most 128 bits; `value` must fit in `width` bits.
    pub fn number(&mut self, width: u32, value: u128) -> Operand {
        self.bits(width, Some(Bv::from_u128(width, value)))
    }

    /// The operand for a number of `width` bits; `value` must fit.
    pub fn constant(&mut self, width: u32, value: u64) -> Operand {
        self.bits(width, Some(Bv::new(width, value)))
    }

    /// The value of an operand, if it is a number of at most 64 bits.
    pub fn known(&self, operand: Operand) -> Option<u64> {
        match operand.kind() {
            OperandKind::Constant(index) => match self.function.constants[index as usize] {
                Constant::Int(value) => Some(value),
                _ => None,
            },
            OperandKind::Reg(_) => None,
        }
    }
}

/// LLVM's name of an operation, such as `fadd`.
pub fn name(opcode: Opcode) -> String {
    format!("{opcode:?}").trim_start_matches("LLVM").to_lowercase()
}
