//! Decides whether a function is a literal copy of another one: block by block, instruction by
//! instruction.
//!
//! Most functions of a program are unchanged. Nothing has to be evaluated for these. They may even
//! contain what the walk of [`super::walk`] cannot follow to its end (a loop that counts in a
//! register, as in optimised code).

use rustc_hash::FxHashMap;

use super::{
    compare::{Comparison, Locals},
    node::Side,
    walk::constant,
};
use crate::llvm::{Block, Opcode, Value};

/// The positions of the blocks and instructions of a function.
#[derive(Default)]
struct Places {
    blocks: FxHashMap<usize, usize>,
    instructions: FxHashMap<usize, usize>,
}

impl Places {
    fn new(function: Value<'_>) -> Self {
        let mut places = Self::default();
        for (number, block) in function.blocks().enumerate() {
            places.blocks.insert(block.key(), number);
            for instruction in block.instructions() {
                places.instructions.insert(instruction.key(), places.instructions.len());
            }
        }
        places
    }
}

/// The number of instructions in each block of a function.
fn lengths<'m>(function: Value<'m>) -> impl Iterator<Item = usize> + 'm {
    function.blocks().map(|block| block.instructions().count())
}

impl<'m> Comparison<'_, 'm> {
    /// Whether two functions with the same type are copies of each other, provided that the symbols
    /// that they refer to are the same.
    pub(super) fn is_copy(&mut self, meta: Value<'m>, own: Value<'m>) -> bool {
        // Most functions that were patched already differ in this.
        if !lengths(meta).eq(lengths(own)) {
            return false;
        }
        let places = [Places::new(meta), Places::new(own)];
        let blocks = meta.blocks().zip(own.blocks());
        let mut pairs = blocks.flat_map(|(a, b)| a.instructions().zip(b.instructions()));
        pairs.all(|(a, b)| self.is_copied_instruction(&places, a, b))
    }

    fn is_copied_instruction(&mut self, places: &[Places; 2], x: Value<'m>, y: Value<'m>) -> bool {
        let (Some(shape), Some(other)) = (x.shape(), y.shape()) else { return false };
        if shape != other {
            return false;
        }
        let same_block =
            |a: Block<'m>, b: Block<'m>| places[0].blocks[&a.key()] == places[1].blocks[&b.key()];
        let pairs: Vec<(Value<'m>, Value<'m>)> = match x.opcode() {
            Opcode::LLVMPHI => {
                let (a, b) = (x.incoming(), y.incoming());
                let pairs = || a.iter().zip(&b);
                if a.len() != b.len() || !pairs().all(|((_, a), (_, b))| same_block(*a, *b)) {
                    return false;
                }
                pairs().map(|((a, _), (b, _))| (*a, *b)).collect()
            }
            Opcode::LLVMBr | Opcode::LLVMSwitch => {
                let (a, b) = (x.successors(), y.successors());
                if a.len() != b.len() || !a.into_iter().zip(b).all(|(a, b)| same_block(a, b)) {
                    return false;
                }
                if x.opcode() == Opcode::LLVMBr {
                    x.condition().into_iter().zip(y.condition()).collect()
                } else {
                    let cases = x.cases().into_iter().zip(y.cases());
                    let cases = cases.map(|((a, _), (b, _))| (a, b));
                    [(x.operand(0), y.operand(0))].into_iter().chain(cases).collect()
                }
            }
            _ if x.operand_count() != y.operand_count() => return false,
            _ => x.operands().zip(y.operands()).collect(),
        };
        pairs.into_iter().all(|(a, b)| self.is_copied_value(places, a, b))
    }

    fn is_copied_value(&mut self, places: &[Places; 2], x: Value<'m>, y: Value<'m>) -> bool {
        if x.is_instruction() && y.is_instruction() {
            return places[0].instructions[&x.key()] == places[1].instructions[&y.key()];
        }
        if let (Some(a), Some(b)) = (x.parameter_index(), y.parameter_index()) {
            return a == b;
        }
        if x.is_instruction() || y.is_instruction() {
            return false;
        }
        let x = constant(Side::Meta, self.nodes(), x);
        let y = constant(Side::Own, self.nodes(), y);
        let (Ok(x), Ok(y)) = (x, y) else { return false };
        self.alike(x, y, &mut Locals::default())
    }
}
