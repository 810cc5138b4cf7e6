//! Facts about a function's control flow: where ways meet again, which registers are still read,
//! and how wide these are.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::ASKING;
use crate::ir::{Callee, Function, FunctionId, Inst, Module, Operand, OperandKind};

/// A function's control flow.
#[derive(Debug)]
pub(super) struct Flow {
    /// The first instruction of each block, and where the ways from the block meet: the first
    /// instruction of its immediate postdominator, `None` for the end of the function.
    blocks: BTreeMap<u32, Option<u32>>,
    /// The first instructions of loops.
    heads: FxHashSet<u32>,
    /// By block, where its successors begin.
    successors: BTreeMap<u32, Vec<u32>>,
    /// The registers that are read before they are written.
    live: Backward,
    /// The registers from which an address, a size, or a floating-point number will be made,
    /// directly or in several steps.
    addressing: Backward,
    /// By diamond, where its ways meet. A diamond is a branch whose ways are short, do nothing but
    /// assign, and meet soon.
    diamonds: FxHashMap<u32, u32>,
    /// By register, the width of what is written to it; 0 if that is not always the same.
    widths: Vec<u32>,
    /// The code, for what is live inside a block.
    code: Arc<[Step]>,
}

/// A set of registers at every place of a function, computed from the sets behind it.
#[derive(Debug)]
struct Backward {
    /// By block, the set at its beginning and the set behind its end.
    blocks: BTreeMap<u32, [FixedBitSet; 2]>,
    /// Turns the set behind an instruction into the set before it.
    over: fn(&Step, &mut FixedBitSet),
}

impl Backward {
    /// The least sets of a function that has these blocks.
    fn new(
        code: &[Step],
        blocks: &[u32],
        successors: &[Vec<usize>],
        registers: usize,
        over: fn(&Step, &mut FixedBitSet),
    ) -> Self {
        let end = |index: usize| blocks.get(index + 1).map_or(code.len(), |next| *next as usize);
        let mut before = vec![FixedBitSet::with_capacity(registers); blocks.len()];
        let behind = |before: &[FixedBitSet], index: usize| {
            let mut after = FixedBitSet::with_capacity(registers);
            successors[index].iter().for_each(|next| after.union_with(&before[*next]));
            after
        };
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..blocks.len()).rev() {
                let mut set = behind(&before, index);
                let block = &code[blocks[index] as usize..end(index)];
                block.iter().rev().for_each(|step| over(step, &mut set));
                if set != before[index] {
                    before[index] = set;
                    changed = true;
                }
            }
        }
        let sets = |(index, begin): (usize, &u32)| {
            (*begin, [before[index].clone(), behind(&before, index)])
        };
        Self { blocks: blocks.iter().enumerate().map(sets).collect(), over }
    }

    /// The set before an instruction.
    fn at(&self, code: &[Step], pc: u32) -> FixedBitSet {
        let (begin, [first, behind]) =
            self.blocks.range(..=pc).next_back().expect("one begins at 0");
        if *begin == pc {
            return first.clone();
        }
        let end = self.blocks.range(pc..).next().map_or(code.len(), |block| *block.0 as usize);
        let mut set = behind.clone();
        code[pc as usize..end].iter().rev().for_each(|step| (self.over)(step, &mut set));
        set
    }
}

/// What an instruction reads and writes.
#[derive(Debug, Default)]
struct Step {
    /// The registers that it reads, and how many bits of each.
    reads: Vec<(usize, u32)>,
    writes: Vec<usize>,
    /// The registers that it reads as parts of an address, a size, or a floating-point number.
    addresses: Vec<usize>,
    /// Whether what it writes is made of what it reads.
    computes: bool,
    /// Whether it is the last one of its block.
    ends: bool,
}

/// The control flow of functions, found when first asked for.
#[derive(Debug, Default)]
pub struct Flows(Mutex<FxHashMap<FunctionId, Arc<Flow>>>);

impl Flows {
    pub(super) fn of(&self, module: &Module, id: FunctionId) -> Arc<Flow> {
        let mut known = self.0.lock().expect("nobody panics with it");
        let flow = || Arc::new(Flow::new(module, id));
        known.entry(id).or_insert_with(flow).clone()
    }
}

impl Flow {
    fn new(module: &Module, id: FunctionId) -> Self {
        let function = &module.functions[id.0 as usize];
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
        let code: Arc<[Step]> = code.iter().map(|inst| step(inst, function)).collect();
        let backward = |over| Backward::new(&code, &begins, &successors, registers, over);
        let blocks = begins.iter().zip(meets);
        let blocks = blocks.map(|(begin, meets)| (*begin, meets.map(|index| begins[index])));
        let blocks: BTreeMap<u32, Option<u32>> = blocks.collect();
        let diamonds = diamonds(module, &function.code, &blocks);
        let begins_of = |next: &Vec<usize>| next.iter().map(|index| begins[*index]).collect();
        Self {
            successors: begins.iter().copied().zip(successors.iter().map(begins_of)).collect(),
            heads: heads(&successors).into_iter().map(|index| begins[index]).collect(),
            live: backward(live),
            addressing: backward(addressing),
            diamonds,
            widths: widths(function),
            blocks,
            code,
        }
    }

    /// Whether a loop begins at an instruction.
    pub(super) fn is_head(&self, pc: u32) -> bool {
        self.heads.contains(&pc)
    }

    /// Where the ways of a branch meet, if it is a diamond: its ways only assign a little.
    pub(super) fn diamond(&self, pc: u32) -> Option<u32> {
        self.diamonds.get(&pc).copied()
    }

    /// The registers at an instruction from which an address, a size, or a floating-point number
    /// will be made.
    pub(super) fn addressing(&self, pc: u32) -> FixedBitSet {
        self.addressing.at(&self.code, pc)
    }

    /// Where ways that part at an instruction meet again in the function.
    pub(super) fn meets(&self, pc: u32) -> Option<u32> {
        if !self.code[pc as usize].ends {
            return Some(pc + 1);
        }
        *self.blocks.range(..=pc).next_back()?.1
    }

    /// Whether some way from an instruction runs code, before all ways meet, that is also reached
    /// without the instruction. A jump or a return does that.
    pub(super) fn leaves(&self, pc: u32) -> bool {
        let Some((block, meet)) = self.blocks.range(..=pc).next_back() else { return false };
        let reached = |from: u32, end: Option<u32>| {
            let (mut seen, mut open) = (FxHashSet::default(), vec![from]);
            while let Some(at) = open.pop() {
                if Some(at) != end && seen.insert(at) {
                    open.extend(self.successors.get(&at).into_iter().flatten());
                }
            }
            seen
        };
        let otherwise = reached(0, Some(*block));
        let mut ways = self.successors.get(block).into_iter().flatten();
        ways.any(|way| !reached(*way, *meet).is_disjoint(&otherwise))
    }

    /// The registers at an instruction that will be read before they are written.
    pub(super) fn live(&self, pc: u32) -> FixedBitSet {
        self.live.at(&self.code, pc)
    }

    /// The width in bits of a register that is live at an instruction. It is the same for every
    /// instruction that will read the register.
    pub(super) fn width(&self, pc: u32, register: usize) -> Option<u32> {
        let known = self.widths.get(register).copied()?;
        if known > 0 {
            return Some(known);
        }
        let mut seen = FxHashSet::default();
        let mut open = vec![pc];
        while let Some(begin) = open.pop() {
            if !seen.insert(begin) {
                continue;
            }
            let block = self.successors.range(..=begin).next_back()?;
            let end = self.successors.range(begin + 1..).next();
            let end = end.map_or(self.code.len(), |(begin, _)| *begin as usize);
            let touches = |step: &&Step| {
                step.reads.iter().any(|(read, _)| *read == register)
                    || step.writes.contains(&register)
            };
            match self.code[begin as usize..end].iter().find(touches) {
                None => open.extend(block.1),
                Some(step) => {
                    if let Some((_, width)) = step.reads.iter().find(|read| read.0 == register) {
                        return Some(*width).filter(|width| *width > 0);
                    }
                }
            }
        }
        None
    }
}

/// The most blocks, and the most instructions, of the ways of a diamond.
const DIAMOND: [usize; 2] = [64, 512];
/// The deepest nesting of calls on the ways of a diamond.
const CALLS: u32 = 3;

/// Functions whose models do not fork if the text that they search is known.
const SEARCHING: [&str; 2] = ["strchr", "memchr"];

/// The diamonds of a function: branches whose ways assign a little, and where they meet.
fn diamonds(
    module: &Module,
    code: &[Inst],
    blocks: &BTreeMap<u32, Option<u32>>,
) -> FxHashMap<u32, u32> {
    let meets = |(begin, meets): (&u32, &Option<u32>)| {
        let seen = FxHashMap::default();
        let mut ways = Ways { module, code, blocks, left: DIAMOND, seen };
        let (branch, meets) = (ways.end_of(*begin) - 1, (*meets)?);
        let is_branch = matches!(
            code[branch as usize],
            Inst::Branch { .. } | Inst::CompareBranch { .. } | Inst::Switch(_)
        );
        (is_branch && ways.assign_until(branch, meets)).then_some((branch, meets))
    };
    blocks.iter().filter_map(meets).collect()
}

/// The ways from a branch of a function.
struct Ways<'a> {
    module: &'a Module,
    code: &'a [Inst],
    blocks: &'a BTreeMap<u32, Option<u32>>,
    /// The number of blocks and of instructions that the ways may still have.
    left: [usize; 2],
    /// By block, whether all ways from it were followed to their end and do nothing but assign.
    seen: FxHashMap<u32, bool>,
}

impl Ways<'_> {
    fn end_of(&self, begin: u32) -> u32 {
        let next = self.blocks.range(begin + 1..).next();
        next.map_or(self.code.len() as u32, |(begin, _)| *begin)
    }

    /// Whether all ways from a branch, which ends a block, to `meets` do nothing but assign, and
    /// none of them loops.
    fn assign_until(&mut self, branch: u32, meets: u32) -> bool {
        ways(self.code, branch).into_iter().filter(|way| *way != meets).all(|way| {
            if let Some(is_done) = self.seen.get(&way) {
                return *is_done;
            }
            self.seen.insert(way, false);
            let end = self.end_of(way);
            let block = &self.code[way as usize..end as usize];
            let [blocks, insts] = &mut self.left;
            if *blocks == 0 || *insts < block.len() {
                return false;
            }
            (*blocks, *insts) = (*blocks - 1, *insts - block.len());
            let is_done = block.iter().all(|inst| assigns(inst) || self.calls_little(inst, CALLS))
                && self.assign_until(end - 1, meets);
            self.seen.insert(way, is_done);
            is_done
        })
    }

    /// Whether an instruction calls one of three things: a short function without loops that does
    /// nothing but assign, one that asks for the revision, or one that searches a constant text.
    fn calls_little(&mut self, inst: &Inst, depth: u32) -> bool {
        let Inst::Call(call) = inst else { return false };
        let Callee::Direct(id) = call.callee else { return false };
        let function = &self.module.functions[id.0 as usize];
        let code = &function.code;
        let [_, insts] = &mut self.left;
        if code.is_empty() {
            let searches = SEARCHING.contains(&function.name.as_str())
                && matches!(call.args[0].value.kind(), OperandKind::Constant(_));
            return searches || ASKING.contains(&function.name.as_str());
        }
        if depth == 0 || *insts < code.len() {
            return false;
        }
        *insts -= code.len();
        let is_little = |inst: &Inst| {
            assigns(inst)
                || matches!(inst, Inst::Return { .. } | Inst::Switch(_))
                || self.calls_little(inst, depth - 1)
        };
        code.iter().all(is_little) && ends(code, 0, &mut vec![None; code.len()])
    }
}

/// Where control may go from an instruction.
fn ways(code: &[Inst], pc: u32) -> Vec<u32> {
    let inst = &code[pc as usize];
    let mut ways: Vec<u32> = Vec::new();
    inst.targets(|target| ways.push(target.0));
    if !inst.ends_block() {
        ways.push(pc + 1);
    }
    ways
}

/// Whether no way from an instruction loops. `known` has what was found so far.
fn ends(code: &[Inst], pc: u32, known: &mut Vec<Option<bool>>) -> bool {
    if let Some(ends) = known[pc as usize] {
        return ends;
    }
    known[pc as usize] = Some(false);
    let all = ways(code, pc).into_iter().all(|way| ends(code, way, known));
    known[pc as usize] = Some(all);
    all
}

/// Whether an instruction does nothing but assign or go on.
fn assigns(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Move { .. }
            | Inst::Undefine { .. }
            | Inst::Binary { .. }
            | Inst::Unary { .. }
            | Inst::Compare { .. }
            | Inst::Cast { .. }
            | Inst::Overflow { .. }
            | Inst::FunnelShift { .. }
            | Inst::Select { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::LoadIndexed { .. }
            | Inst::StoreIndexed { .. }
            | Inst::Address { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CompareBranch { .. }
    )
}

fn step(inst: &Inst, function: &Function) -> Step {
    let is_new =
        |inst: &Inst| matches!(inst, Inst::Load { .. } | Inst::LoadIndexed { .. } | Inst::Call(_));
    let mut step = Step { ends: inst.ends_block(), computes: !is_new(inst), ..Step::default() };
    let mut returned = function.returns.iter();
    inst.reads(|operand, width| {
        let width = match inst {
            Inst::Return { .. } => returned.next().copied().unwrap_or_default(),
            _ => width,
        };
        if let OperandKind::Reg(register) = operand.kind() {
            step.reads.push((register.0 as usize, width));
        }
    });
    inst.writes(|register, _| step.writes.push(register.0 as usize));
    let mut note = |operand: &Operand| {
        if let OperandKind::Reg(register) = operand.kind() {
            step.addresses.push(register.0 as usize);
        }
    };
    match inst {
        Inst::Load { address, .. } | Inst::Store { address, .. } => note(address),
        Inst::LoadIndexed { at, .. } | Inst::StoreIndexed { at, .. } => {
            [&at.base, &at.index].into_iter().for_each(note);
        }
        Inst::Address { base, terms, .. } => {
            note(base);
            terms.iter().for_each(|term| note(&term.index));
        }
        Inst::Copy { to, from, length } => [to, from, length].into_iter().for_each(note),
        Inst::Fill { to, length, .. } => [to, length].into_iter().for_each(note),
        Inst::Alloca { count, .. } => note(count),
        // Joining floating-point numbers gains as little as joining addresses.
        Inst::FloatBinary { a, b, .. } | Inst::FloatCompare { a, b, .. } => {
            [a, b].into_iter().for_each(note);
        }
        Inst::FloatNegate { a, .. } | Inst::FloatCast { a, .. } => note(a),
        _ => {}
    }
    let registers = function.registers as usize;
    debug_assert!(step.reads.iter().all(|(register, _)| *register < registers));
    debug_assert!(step.writes.iter().all(|register| *register < registers));
    step
}

fn live(step: &Step, set: &mut FixedBitSet) {
    step.writes.iter().for_each(|register| set.remove(*register));
    step.reads.iter().for_each(|(register, _)| set.insert(*register));
}

fn addressing(step: &Step, set: &mut FixedBitSet) {
    let is_wanted = step.writes.iter().any(|register| set.contains(*register));
    step.writes.iter().for_each(|register| set.remove(*register));
    if is_wanted && step.computes {
        step.reads.iter().for_each(|(register, _)| set.insert(*register));
    }
    step.addresses.iter().for_each(|register| set.insert(*register));
}

/// The heads of loops: the blocks to which a depth-first walk comes back from behind them.
fn heads(successors: &[Vec<usize>]) -> FxHashSet<usize> {
    let mut heads = FxHashSet::default();
    let mut seen = vec![false; successors.len()];
    let mut on_the_way = vec![false; successors.len()];
    // A block, and how many of its successors were walked.
    let mut way = vec![(0, 0)];
    seen[0] = true;
    on_the_way[0] = true;
    while let Some((block, walked)) = way.last_mut() {
        let Some(&next) = successors[*block].get(*walked) else {
            on_the_way[*block] = false;
            way.pop();
            continue;
        };
        *walked += 1;
        if on_the_way[next] {
            heads.insert(next);
        } else if !std::mem::replace(&mut seen[next], true) {
            on_the_way[next] = true;
            way.push((next, 0));
        }
    }
    heads
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

/// The immediate postdominator of each block; `None` if that is the end of the function, or the end
/// is never reached. Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001, on
/// the reversed graph.
pub(crate) fn postdominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
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

    /// The postdominators by definition: the blocks on every way from one to the end.
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
        /// The immediate postdominator is on every way, and all others are on every way from there.
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
