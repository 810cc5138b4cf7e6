//! The lowering of one function: its blocks in reverse post-order, then the moves on its edges.

use rustc_hash::FxHashSet;

use super::constants::Symbols;
use super::debug::Files;
use super::library::Library;
use super::lowering::{Lowering, name};
use super::types::{Lowered, Unsupported, scalars};
use super::{phi, promote};
use crate::ir::opt::{Code, Draft};
use crate::ir::{Function, Inst, Operand, SourceLine};
use crate::llvm::{Block, Opcode, Source, Value};

/// Lowers the code of the LLVM function `value` into a draft. `function` has everything but the
/// code.
pub fn lower<'m>(
    source: Source<'m>,
    symbols: &Symbols<'m>,
    library: &mut Library,
    files: &mut Files<'m>,
    value: Value<'m>,
    function: Function,
) -> Draft {
    let place = files.function(value).unwrap_or_else(|| files.unknown());
    let place = SourceLine { line: 0, ..place };
    let mut lowering = Lowering::new(source, symbols, library, function, place);
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
                self.count_next();
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
