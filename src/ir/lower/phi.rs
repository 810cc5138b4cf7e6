//! Phi nodes are replaced by parallel moves on the edges of the control flow.

use std::collections::BTreeMap;

use super::lowering::Lowering;
use super::types::scalars;
use crate::ir::opt::Code;
use crate::ir::{Inst, Operand, OperandKind, Pc, Reg, SourceLine};
use crate::llvm::{Block, Opcode};

/// A move on an edge, in parallel with the other moves on that edge.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Move {
    pub dst: Reg,
    pub src: Operand,
    pub width: u32,
}

/// Turns the phi nodes of the reachable blocks `order` into moves. They go to the end of a block if
/// it has only one target; otherwise they go into a new block on the edge.
pub fn put_moves_on_edges<'m>(lowering: &mut Lowering<'_, 'm>, order: &[Block<'m>]) {
    for from in 0..lowering.blocks.len() {
        let Some(last) = lowering.blocks[from].insts.last() else { continue };
        let place = lowering.blocks[from].places[lowering.blocks[from].insts.len() - 1];
        let mut targets = Vec::new();
        last.targets(|target| {
            if !targets.contains(target) {
                targets.push(*target);
            }
        });
        let mut splits = BTreeMap::new();
        for target in targets {
            let Some(to) = order.get(target.0 as usize) else { continue };
            let origin = lowering.origins[from];
            lowering.place = place;
            let moves = edge(lowering, origin, *to);
            if moves.is_empty() {
                continue;
            }
            let code = &mut lowering.blocks[from];
            if let Some(Inst::Jump { .. }) = code.insts.last() {
                let count = code.pop().map_or(0, |(_, _, count)| count);
                fill(code, moves, target, place, count);
            } else {
                lowering.current = from;
                let split = lowering.new_block();
                splits.insert(target.0, split as u32);
                fill(&mut lowering.blocks[split], moves, target, place, 0);
            }
        }
        if let Some(last) = lowering.blocks[from].insts.last_mut() {
            last.targets_mut(|target| {
                if let Some(split) = splits.get(&target.0) {
                    target.0 = *split;
                }
            });
        }
    }
}

fn fill(code: &mut Code, moves: Vec<Inst>, target: Pc, place: SourceLine, count: u32) {
    for inst in moves {
        code.push(inst, place, 0);
    }
    if !code.closed() {
        code.push(Inst::Jump { target }, place, 0);
    }
    if let Some(last) = code.counts.last_mut() {
        *last += count;
    }
}

fn edge<'m>(lowering: &mut Lowering<'_, 'm>, from: Block<'m>, to: Block<'m>) -> Vec<Inst> {
    let mut moves = Vec::new();
    for phi in to.instructions().take_while(|inst| inst.opcode() == Opcode::LLVMPHI) {
        let Some((value, _)) = phi.incoming().into_iter().find(|(_, block)| *block == from) else {
            continue;
        };
        let lowered = lowering.parts(phi).and_then(|dst| Ok((dst, lowering.named_parts(value)?)));
        let (dst, src) = match lowered {
            Ok(parts) => parts,
            Err(reason) => {
                return vec![Inst::Unsupported { what: format!("phi: {}", reason.0).into() }];
            }
        };
        let widths = scalars(lowering.source, phi.ty()).unwrap_or_default();
        for ((dst, src), scalar) in dst.into_iter().zip(src).zip(widths) {
            if let OperandKind::Reg(dst) = dst.kind() {
                moves.push(Move { dst, src, width: scalar.width });
            }
        }
    }
    sequence(moves, || lowering.fresh())
}

/// Orders parallel moves so that each source is read before it is overwritten. A temporary register
/// breaks a cycle.
pub fn sequence(mut moves: Vec<Move>, mut fresh: impl FnMut() -> Reg) -> Vec<Inst> {
    moves.retain(|m| m.src != Operand::reg(m.dst));
    let mut done = Vec::with_capacity(moves.len());
    let mut emit = |m: Move| done.push(Inst::Move { dst: m.dst, src: m.src, width: m.width });
    while !moves.is_empty() {
        let free = |m: &Move| !moves.iter().any(|other| other.src == Operand::reg(m.dst));
        if let Some(at) = moves.iter().position(free) {
            emit(moves.remove(at));
            continue;
        }
        let saved = moves[0];
        let copy = fresh();
        emit(Move { dst: copy, src: Operand::reg(saved.dst), width: saved.width });
        for m in &mut moves {
            if m.src == Operand::reg(saved.dst) {
                m.src = Operand::reg(copy);
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The sequence has the effect of the parallel assignment, for any permutation or
        /// duplication.
        #[test]
        fn a_sequence_is_the_parallel_assignment(sources in proptest::collection::vec(0_u32..8, 8)) {
            let moves = sources.iter().zip(0..)
                .map(|(src, dst)| Move { dst: Reg(dst), src: Operand::reg(Reg(*src)), width: 32 })
                .collect();
            let mut next = 8;
            let sequence = sequence(moves, || { next += 1; Reg(next - 1) });
            let mut registers: Vec<u32> = (0..next).collect();
            for inst in sequence {
                let Inst::Move { dst, src, .. } = inst else { panic!("only moves") };
                let OperandKind::Reg(src) = src.kind() else { panic!("only registers") };
                registers[dst.0 as usize] = registers[src.0 as usize];
            }
            prop_assert_eq!(&registers[..8], &sources[..]);
        }
    }
}
