//! What is known of a function's control flow: where ways meet again, which registers are still
//! read, and how wide these are.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use rustc_hash::FxHashMap;

use super::Program;
use crate::ir::{Function, FunctionId, Inst, OperandKind};

/// A set of registers.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Registers(Vec<u64>);

impl Registers {
    fn of_size(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(super) fn contains(&self, register: usize) -> bool {
        self.0.get(register / 64).is_some_and(|word| word >> (register % 64) & 1 != 0)
    }

    fn insert(&mut self, register: usize) {
        self.0[register / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: usize) {
        self.0[register / 64] &= !(1 << (register % 64));
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

/// A function's control flow.
#[derive(Debug)]
pub(super) struct Flow {
    /// The first instruction of each block, and where it meets: that of its immediate
    /// postdominator, `None` for the end of the function.
    blocks: BTreeMap<u32, Option<u32>>,
    /// By block, the registers that are read behind its beginning before they are written, and
    /// those for which that is so behind its end.
    live: BTreeMap<u32, [Registers; 2]>,
    /// By register, how wide what is written to it is; 0 where that is not always the same.
    widths: Vec<u32>,
    /// The code, for what is live inside a block.
    code: Arc<[Step]>,
}

/// What an instruction reads and writes.
#[derive(Debug, Default)]
struct Step {
    reads: Vec<usize>,
    writes: Vec<usize>,
    /// It is the last one of its block.
    ends: bool,
}

/// The control flow of functions, found when first asked for.
#[derive(Debug, Default)]
pub struct Flows(Mutex<FxHashMap<FunctionId, Arc<Flow>>>);

impl Flows {
    pub(super) fn of(&self, program: &Program, id: FunctionId) -> Arc<Flow> {
        let mut known = self.0.lock().expect("nobody panics with it");
        let flow = || Arc::new(Flow::new(&program.module.functions[id.0 as usize]));
        known.entry(id).or_insert_with(flow).clone()
    }
}

impl Flow {
    fn new(function: &Function) -> Self {
        let code = &function.code;
        let count = code.len() as u32;
        let mut starts: Vec<bool> = vec![false; code.len() + 1];
        starts[0] = true;
        for (pc, inst) in code.iter().enumerate() {
            inst.targets(|target| starts[target.0 as usize] = true);
            if inst.ends_block() {
                starts[pc + 1] = true;
            }
        }
        let begins: Vec<u32> = (0..count).filter(|pc| starts[*pc as usize]).collect();
        let number: FxHashMap<u32, usize> =
            begins.iter().enumerate().map(|(index, begin)| (*begin, index)).collect();
        let last = |index: usize| begins.get(index + 1).map_or(count, |next| *next) - 1;
        let successors: Vec<Vec<usize>> = (0..begins.len())
            .map(|index| {
                let inst = &code[last(index) as usize];
                let mut found = Vec::new();
                inst.targets(|target| found.push(number[&target.0]));
                if !inst.ends_block() {
                    found.extend((index + 1 < begins.len()).then_some(index + 1));
                }
                found
            })
            .collect();
        let meets = postdominators(&successors);
        let registers = function.registers as usize;
        let code: Arc<[Step]> = code.iter().map(|inst| step(inst, registers)).collect();
        let mut live: Vec<Registers> = vec![Registers::of_size(registers); begins.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..begins.len()).rev() {
                let mut after = Registers::of_size(registers);
                successors[index].iter().for_each(|next| after.add(&live[*next]));
                back(&code, begins[index], last(index) + 1, &mut after);
                if after != live[index] {
                    live[index] = after;
                    changed = true;
                }
            }
        }
        let behind = |index: usize| {
            let mut after = Registers::of_size(registers);
            successors[index].iter().for_each(|next| after.add(&live[*next]));
            after
        };
        let sets = begins.iter().enumerate();
        let sets = sets.map(|(index, begin)| (*begin, [live[index].clone(), behind(index)]));
        let blocks = begins.iter().zip(meets);
        let blocks = blocks.map(|(begin, meets)| (*begin, meets.map(|index| begins[index])));
        Self { blocks: blocks.collect(), live: sets.collect(), widths: widths(function), code }
    }

    /// Where ways that part at an instruction meet again in the function.
    pub(super) fn meets(&self, pc: u32) -> Option<u32> {
        if !self.code[pc as usize].ends {
            return Some(pc + 1);
        }
        *self.blocks.range(..=pc).next_back()?.1
    }

    /// The registers that are read from an instruction on before they are written.
    pub(super) fn live(&self, pc: u32) -> Registers {
        let (begin, [live, behind]) = self.live.range(..=pc).next_back().expect("one begins at 0");
        if *begin == pc {
            return live.clone();
        }
        let end = self.blocks.range(pc..).next().map_or(self.code.len() as u32, |block| *block.0);
        let mut live = behind.clone();
        back(&self.code, pc, end, &mut live);
        live
    }

    /// How wide a register is, if that is always the same.
    pub(super) fn width(&self, register: usize) -> Option<u32> {
        self.widths.get(register).copied().filter(|width| *width > 0)
    }
}

fn step(inst: &Inst, registers: usize) -> Step {
    let mut step = Step { ends: inst.ends_block(), ..Step::default() };
    inst.reads(|operand, _| {
        if let OperandKind::Reg(register) = operand.kind() {
            step.reads.push(register.0 as usize);
        }
    });
    inst.writes(|register, _| step.writes.push(register.0 as usize));
    debug_assert!(step.reads.iter().chain(&step.writes).all(|register| *register < registers));
    step
}

/// From the registers that are live behind a run of instructions to those before it.
fn back(code: &[Step], begin: u32, end: u32, live: &mut Registers) {
    for step in code[begin as usize..end as usize].iter().rev() {
        step.writes.iter().for_each(|register| live.remove(*register));
        step.reads.iter().for_each(|register| live.insert(*register));
    }
}

fn widths(function: &Function) -> Vec<u32> {
    let mut widths: Vec<Option<u32>> = vec![None; function.registers as usize];
    let mut note = |register: usize, width: u32| {
        let known = &mut widths[register];
        *known = match *known {
            None => Some(width),
            Some(other) if other == width => Some(width),
            Some(_) => Some(0),
        };
    };
    for (register, width) in function.params.iter().enumerate() {
        note(register, *width);
    }
    for inst in &function.code {
        if !matches!(inst, Inst::Undefine { .. }) {
            inst.writes(|register, width| note(register.0 as usize, width));
        }
    }
    widths.into_iter().map(Option::unwrap_or_default).collect()
}

/// The immediate postdominator of each block; `None` for the end of the function, and where it
/// is never reached. Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001, on
/// the reversed graph.
fn postdominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = successors.len();
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (block, next) in successors.iter().enumerate() {
        if next.is_empty() {
            predecessors[end].push(block);
        }
        next.iter().for_each(|to| predecessors[*to].push(block));
    }
    // Postorder of the reversed graph from the end.
    let mut order = Vec::new();
    let mut seen = vec![false; end + 1];
    let mut open = vec![(end, 0)];
    seen[end] = true;
    while let Some((block, next)) = open.pop() {
        match predecessors[block].get(next) {
            Some(before) => {
                open.push((block, next + 1));
                if !std::mem::replace(&mut seen[*before], true) {
                    open.push((*before, 0));
                }
            }
            None => order.push(block),
        }
    }
    let mut rank = vec![usize::MAX; end + 1];
    order.iter().enumerate().for_each(|(index, block)| rank[*block] = index);
    let mut meets: Vec<Option<usize>> = vec![None; end + 1];
    meets[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().copied().filter(|block| *block != end) {
            let ways = match successors[block].is_empty() {
                true => vec![end],
                false => successors[block].clone(),
            };
            let mut common: Option<usize> = None;
            for way in ways.into_iter().filter(|way| meets[*way].is_some()) {
                common = Some(match common {
                    None => way,
                    Some(other) => {
                        let (mut a, mut b) = (other, way);
                        while a != b {
                            while rank[a] < rank[b] {
                                a = meets[a].expect("on the way to the end");
                            }
                            while rank[b] < rank[a] {
                                b = meets[b].expect("on the way to the end");
                            }
                        }
                        a
                    }
                });
            }
            if common.is_some() && meets[block] != common {
                meets[block] = common;
                changed = true;
            }
        }
    }
    meets.truncate(end);
    meets.into_iter().map(|block| block.filter(|block| *block != end)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By definition: the blocks on every way from one to the end.
    fn on_every_way(successors: &[Vec<usize>], from: usize) -> Option<Vec<usize>> {
        let end = |without: Option<usize>| {
            let mut seen = vec![false; successors.len()];
            let mut open = vec![from];
            while let Some(block) = open.pop() {
                if Some(block) == without && block != from
                    || std::mem::replace(&mut seen[block], true)
                {
                    continue;
                }
                if successors[block].is_empty() {
                    return true;
                }
                open.extend(&successors[block]);
            }
            false
        };
        end(None).then(|| {
            (0..successors.len()).filter(|block| *block != from && !end(Some(*block))).collect()
        })
    }

    proptest! {
        /// The immediate one is on every way, and so is every other one from there on.
        #[test]
        fn ways_meet_at_the_first_block_on_all_of_them(
            edges in prop::collection::vec(prop::collection::vec(0usize..8, 0..3), 8),
        ) {
            let meets = postdominators(&edges);
            for (block, meets) in meets.into_iter().enumerate() {
                let Some(common) = on_every_way(&edges, block) else { continue };
                match meets {
                    None => prop_assert!(common.is_empty(), "{block}: {common:?}"),
                    Some(first) => {
                        prop_assert!(common.contains(&first), "{block}: {first} of {common:?}");
                        let mut rest = on_every_way(&edges, first).expect("on the way to the end");
                        rest.push(first);
                        prop_assert!(common.iter().all(|other| rest.contains(other)));
                    }
                }
            }
        }
    }
}
