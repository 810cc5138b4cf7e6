//! Layout: from blocks to flat code with densely numbered registers.

use rustc_hash::FxHashMap;

use super::{code::Code, level::Level};
use crate::ir::{Function, Inst, Operand, OperandKind, Pc, Reg};

/// Orders the reachable blocks so that most jumps lead to the next block; [`Level::Quick`] omits
/// such jumps. Renumbers the registers, puts the constants after them, and fills in the code of
/// `function`.
pub fn lay_out(function: &mut Function, mut blocks: Vec<Code>, level: Level) {
    let order = order(&blocks);
    function.registers = renumber(&mut blocks, &order, function.params.len() as u32);
    function.counts.push(0);
    let mut starts = vec![u32::MAX; blocks.len()];
    for (position, &index) in order.iter().enumerate() {
        starts[index] = function.code.len() as u32;
        let next = order.get(position + 1).copied();
        let mut code = std::mem::take(&mut blocks[index]);
        if level == Level::Quick
            && let Some(Inst::Jump { target }) = code.insts.last()
            && Some(target.0 as usize) == next
        {
            let last = code.insts.len() - 1;
            code.retain(|at| at != last);
        }
        function.code.extend(code.insts);
        function.places.extend(code.places);
        for count in code.counts {
            let before = function.counts.last().copied().unwrap_or(0);
            function.counts.push(before + count);
        }
    }
    for inst in &mut function.code {
        inst.targets_mut(|target| *target = Pc(starts[target.0 as usize]));
        inst.reads_mut(|operand, _| {
            if let OperandKind::Constant(index) = operand.kind() {
                *operand = Operand::constant(function.registers + index);
            }
        });
    }
    function.code.shrink_to_fit();
    function.places.shrink_to_fit();
    function.counts.shrink_to_fit();
}

/// Redirects each jump to a block that only jumps: it leads to that block's target instead.
pub fn skip_empty_blocks(blocks: &mut [Code]) {
    let hops: Vec<Option<u32>> = blocks
        .iter()
        .map(|code| match code.insts.as_slice() {
            [Inst::Jump { target }] => Some(target.0),
            _ => None,
        })
        .collect();
    let end = |mut at: u32| {
        // A loop of empty blocks has no end, so the search stops after as many hops as blocks.
        for _ in 0..hops.len() {
            match hops[at as usize] {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    };
    for code in blocks.iter_mut() {
        if let Some(last) = code.insts.last_mut() {
            last.targets_mut(|target| target.0 = end(target.0));
        }
    }
}

fn order(blocks: &[Code]) -> Vec<usize> {
    let mut placed = vec![false; blocks.len()];
    let mut order = Vec::new();
    let mut waiting = vec![0_usize];
    while let Some(first) = waiting.pop() {
        let mut next = Some(first);
        while let Some(index) = next.filter(|index| !placed[*index]) {
            placed[index] = true;
            order.push(index);
            let mut targets = Vec::new();
            if let Some(last) = blocks[index].insts.last() {
                last.targets(|target| targets.push(target.0 as usize));
            }
            next = match (blocks[index].insts.last(), targets.first()) {
                (
                    Some(Inst::Jump { .. } | Inst::Branch { .. } | Inst::CompareBranch { .. }),
                    Some(target),
                ) => Some(*target),
                _ => None,
            };
            waiting.extend(targets.into_iter().rev());
        }
    }
    order
}

/// Numbers registers densely: first the parameters, then registers that live across blocks, then
/// those that live inside one block, whose numbers are reused. Returns the number of registers.
fn renumber(blocks: &mut [Code], order: &[usize], params: u32) -> u32 {
    let mut homes: FxHashMap<Reg, Option<usize>> = FxHashMap::default();
    for &index in order {
        for inst in &blocks[index].insts {
            let known = |homes: &FxHashMap<Reg, Option<usize>>, reg: &Reg| {
                homes.get(reg) == Some(&Some(index))
            };
            // A register that is read before the block has written it lives across blocks.
            inst.reads(|operand, _| {
                if let OperandKind::Reg(reg) = operand.kind()
                    && !known(&homes, &reg)
                {
                    homes.insert(reg, None);
                }
            });
            inst.writes(|reg, _| {
                homes
                    .entry(*reg)
                    .and_modify(|home| {
                        if *home != Some(index) {
                            *home = None;
                        }
                    })
                    .or_insert(Some(index));
            });
        }
    }
    let mut count = params;
    let mut names: FxHashMap<Reg, Reg> = (0..params).map(|i| (Reg(i), Reg(i))).collect();
    for &index in order {
        for inst in &blocks[index].insts {
            let mut name = |reg: &Reg| {
                if homes.get(reg) == Some(&None) && !names.contains_key(reg) {
                    names.insert(*reg, Reg(count));
                    count += 1;
                }
            };
            inst.reads(|operand, _| {
                if let OperandKind::Reg(reg) = operand.kind() {
                    name(&reg);
                }
            });
            inst.writes(|reg, _| name(reg));
        }
    }
    let mut most = count;
    for &index in order {
        most = most.max(number_locals(&mut blocks[index], &names, count));
    }
    most
}

fn number_locals(code: &mut Code, names: &FxHashMap<Reg, Reg>, first: u32) -> u32 {
    let mut last: FxHashMap<Reg, usize> = FxHashMap::default();
    for (at, inst) in code.insts.iter().enumerate() {
        inst.reads(|operand, _| {
            if let OperandKind::Reg(reg) = operand.kind() {
                last.insert(reg, at);
            }
        });
        inst.writes(|reg, _| {
            last.insert(*reg, at);
        });
    }
    let mut local: FxHashMap<Reg, Reg> = FxHashMap::default();
    let mut free: Vec<Reg> = Vec::new();
    let mut most = first;
    for (at, inst) in code.insts.iter_mut().enumerate() {
        let mut ending = Vec::new();
        inst.reads_mut(|operand, _| {
            if let OperandKind::Reg(reg) = operand.kind() {
                if !names.contains_key(&reg) && last[&reg] == at {
                    ending.push(reg);
                }
                *operand = Operand::reg(names.get(&reg).copied().unwrap_or_else(|| local[&reg]));
            }
        });
        // A result never reuses the register of an operand that is read here for the last time: an
        // instruction with several results may write one before it has read all operands.
        inst.writes_mut(|reg, _| {
            let old = *reg;
            *reg = names.get(&old).copied().unwrap_or_else(|| {
                *local.entry(old).or_insert_with(|| {
                    free.pop().unwrap_or_else(|| {
                        most += 1;
                        Reg(most - 1)
                    })
                })
            });
            if !names.contains_key(&old) && last[&old] == at {
                ending.push(old);
            }
        });
        ending.sort_unstable();
        ending.dedup();
        free.extend(ending.into_iter().filter_map(|reg| local.remove(&reg)));
    }
    most
}
