//! Lowers one function: its blocks in reverse post-order, then the moves on its edges.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::constants::{Bits, Symbols};
use super::debug::Files;
use super::library::Library;
use super::llvm::{Block, Opcode, Source, Value};
use super::types::{Lowered, Unsupported, lane_width, scalars, unsupported};
use super::{layout, phi, promote, propagate};
use crate::expr::Bv;
use crate::ir::{Cast, Constant, Function, Inst, Operand, OperandKind, Pc, Place, Reg};

/// The scalars of a value.
pub type Parts = SmallVec<[Operand; 2]>;

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

/// An address computation that later ones in the same block can start from.
pub struct Recipe {
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
    pub place: Place,
    /// LLVM instructions that the next one to be emitted stands for.
    uncounted: u32,
    /// Numbers of the reachable LLVM blocks, which are their indices in `blocks`.
    pub numbers: FxHashMap<usize, usize>,
    /// The LLVM block that each of `blocks` is a part of.
    pub origins: Vec<Block<'m>>,
    /// Promoted variables: register and width.
    pub slots: FxHashMap<usize, (Reg, u32)>,
    pub recipes: FxHashMap<Reg, Recipe>,
    values: FxHashMap<usize, Parts>,
    pool: FxHashMap<Constant, u32>,
}

/// A function that LLVM is no longer needed for: what is left can be done on any thread.
#[derive(Default)]
pub struct Draft {
    /// The function without its code.
    pub function: Function,
    /// The code; no blocks for a declaration.
    pub blocks: Vec<Code>,
    /// Registers of promoted variables.
    pub slots: Vec<Reg>,
}

impl Draft {
    /// Simplifies the code and lays it out.
    pub fn finish(self) -> Function {
        let Self { mut function, mut blocks, slots } = self;
        if !blocks.is_empty() {
            propagate::propagate(&mut blocks, &slots, function.params.len() as u32);
            layout::lay_out(&mut function, blocks);
        }
        function
    }
}

/// Drafts the code of `function`, whose head is known already.
pub fn lower<'m>(
    source: Source<'m>,
    symbols: &Symbols<'m>,
    library: &mut Library,
    files: &mut Files<'m>,
    value: Value<'m>,
    function: Function,
) -> Draft {
    let place = files.function(value).unwrap_or_else(|| files.unknown());
    let mut lowering = Lowering {
        source,
        symbols,
        library,
        function,
        blocks: Vec::new(),
        current: 0,
        place: Place { line: 0, ..place },
        uncounted: 0,
        numbers: FxHashMap::default(),
        origins: Vec::new(),
        slots: FxHashMap::default(),
        recipes: FxHashMap::default(),
        values: FxHashMap::default(),
        pool: FxHashMap::default(),
    };
    if let Err(Unsupported(reason)) = lowering.body(files, value) {
        lowering.blocks.truncate(1);
        lowering.blocks[0] = Code::default();
        lowering.current = 0;
        lowering.emit(Inst::Unsupported { what: reason.into() });
    }
    let Lowering { function, blocks, slots, .. } = lowering;
    let slots = slots.into_values().map(|(slot, _)| slot).collect();
    Draft { function, blocks, slots }
}

impl<'m> Lowering<'_, 'm> {
    fn body(&mut self, files: &mut Files<'m>, value: Value<'m>) -> Lowered<()> {
        let order = reverse_post_order(value);
        self.blocks.resize_with(order.len().max(1), Code::default);
        for (number, block) in order.iter().enumerate() {
            self.numbers.insert(block.key(), number);
        }
        self.origins.clone_from(&order);
        for param in value.params() {
            let count = scalars(self.source, param.ty())?.len();
            let parts = (0..count).map(|_| Operand::reg(self.fresh())).collect();
            self.define(param, parts);
        }
        promote::promote(self, order[0]);
        for block in &order {
            for inst in block.instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI) {
                if let Ok(scalars) = scalars(self.source, inst.ty()) {
                    let parts = scalars.iter().map(|_| Operand::reg(self.fresh())).collect();
                    self.define(inst, parts);
                }
            }
        }
        let function_place = self.place;
        for (number, block) in order.iter().enumerate() {
            self.current = number;
            for inst in block.instructions() {
                self.uncounted += 1;
                self.place = files.place(inst).unwrap_or(function_place);
                if let Err(Unsupported(reason)) = self.instruction(inst) {
                    self.emit(Inst::Unsupported {
                        what: format!("{}: {reason}", name(inst.opcode())).into(),
                    });
                    break;
                }
            }
        }
        phi::put_moves_on_edges(self, &order);
        Ok(())
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

    /// Where a jump to an LLVM block goes, before layout.
    pub fn target(&self, block: Block<'m>) -> Pc {
        Pc(self.numbers[&block.key()] as u32)
    }

    /// Says what the scalars of a value are.
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
                // What is cut of an address is as little known as the address.
                let a = self.scalar(whole)?;
                let cut = |dst| Inst::Cast { cast: Cast::Trunc, from, to, dst, a };
                return Ok(smallvec![self.compute(cut)]);
            }
        }
        self.named_parts(value)
    }

    /// The scalars of a value for which nothing need be computed.
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

    /// Says what the only scalar of a value is.
    pub fn define_scalar(&mut self, value: Value<'m>, operand: Operand) {
        self.define(value, smallvec![operand]);
    }

    /// A constant scalar.
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

    /// A known constant of at most 128 bits; `value` must fit `width` bits.
    pub fn number(&mut self, width: u32, value: u128) -> Operand {
        self.bits(width, Some(Bv::from_u128(width, value)))
    }

    /// A known constant; `value` must fit `width` bits.
    pub fn constant(&mut self, width: u32, value: u64) -> Operand {
        self.bits(width, Some(Bv::new(width, value)))
    }

    /// The value of an operand that is a constant of at most 64 bits.
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

fn reverse_post_order<'m>(function: Value<'m>) -> Vec<Block<'m>> {
    let successors = |block: Block<'m>| block.terminator().map_or(Vec::new(), Value::successors);
    let Some(entry) = function.blocks().next() else { return Vec::new() };
    let mut order = Vec::new();
    let mut seen = FxHashSet::from_iter([entry.key()]);
    let mut stack = vec![(entry, successors(entry))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next.key()) => stack.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
