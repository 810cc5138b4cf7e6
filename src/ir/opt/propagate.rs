//! Removes most of the moves that promotion and phi nodes have introduced.
//!
//! A read may use the register of a variable instead of a copy if the variable has certainly been
//! written, or fixed by an earlier read. Then no undefined value is copied, so both registers hold
//! the same value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::fuse;
use super::uses::{Places, Uses, read_reg, reads_of, writes_of};
use crate::ir::{BinaryOp, Inst, Operand, Reg};

// The largest distance in instructions at which two steps are still joined: a computation and the
// move of its result, or that move and the last read of the result.
const REACH: usize = 64;

/// Simplifies the blocks of a function with `params` parameters in place. `slots` are the registers
/// of promoted variables.
pub fn propagate(blocks: &mut [Code], slots: &[Reg], params: u32) {
    let assigned = Assigned::analyse(blocks, slots);
    let mut needs_mark = FxHashSet::default();
    let uses = Uses::count(blocks);
    for (index, code) in blocks.iter_mut().enumerate() {
        read_variables_directly(code, index, &assigned, &uses, &mut needs_mark);
    }
    for code in blocks.iter_mut() {
        let marks: Vec<bool> = code
            .insts
            .iter()
            .map(|inst| matches!(inst, Inst::Undefine { dst } if !needs_mark.contains(dst)))
            .collect();
        code.retain(|i| !marks[i]);
    }
    let uses = Uses::count(blocks);
    for (index, code) in blocks.iter_mut().enumerate() {
        write_destinations_directly(code, index, params, &uses);
    }
    merge_params(blocks, params, &needs_mark);
    fuse::extend_in_addresses(blocks);
    remove_dead(blocks);
    fuse::join_pairs(blocks);
}

/// For each block, the variables that are certainly assigned at its start.
struct Assigned {
    numbers: FxHashMap<Reg, usize>,
    starts: Vec<Vec<bool>>,
}

impl Assigned {
    fn analyse(blocks: &[Code], slots: &[Reg]) -> Self {
        let numbers: FxHashMap<Reg, usize> = slots.iter().copied().zip(0..).collect();
        let mut this = Self { numbers, starts: vec![vec![true; slots.len()]; blocks.len()] };
        if let Some(entry) = this.starts.first_mut() {
            entry.fill(false);
        }
        let mut queue: Vec<usize> = (0..blocks.len()).rev().collect();
        while let Some(index) = queue.pop() {
            let mut state = this.starts[index].clone();
            for inst in &blocks[index].insts {
                this.step(inst, &mut state);
            }
            let mut targets = Vec::new();
            if let Some(last) = blocks[index].insts.last() {
                last.targets(|target| targets.push(target.0 as usize));
            }
            for target in targets {
                let start = &mut this.starts[target];
                let mut changed = false;
                for (known, now) in start.iter_mut().zip(&state) {
                    changed |= *known && !now;
                    *known &= now;
                }
                if changed {
                    queue.push(target);
                }
            }
        }
        this
    }

    /// Updates `state` for one instruction. A move also fixes the value of its source.
    fn step(&self, inst: &Inst, state: &mut [bool]) {
        if let Inst::Undefine { dst } = inst {
            if let Some(number) = self.numbers.get(dst) {
                state[*number] = false;
            }
            return;
        }
        let fixed = match inst {
            Inst::Move { src, .. } => read_reg(src),
            _ => None,
        };
        for reg in writes_of(inst).chain(fixed) {
            if let Some(number) = self.numbers.get(&reg) {
                state[*number] = true;
            }
        }
    }
}

/// Replaces copies of variables by the variables, if these keep their value until the last read of
/// the copy.
fn read_variables_directly(
    code: &mut Code,
    index: usize,
    assigned: &Assigned,
    uses: &Uses,
    needs_mark: &mut FxHashSet<Reg>,
) {
    let variable = |inst: &Inst| match inst {
        Inst::Move { src, .. } => {
            read_reg(src).and_then(|reg| Some((reg, *assigned.numbers.get(&reg)?)))
        }
        _ => None,
    };
    if code.insts.iter().all(|inst| variable(inst).is_none()) {
        return;
    }
    let mut last_read: FxHashMap<Reg, usize> = FxHashMap::default();
    let mut writes: FxHashMap<Reg, Vec<usize>> = FxHashMap::default();
    for (at, inst) in code.insts.iter().enumerate() {
        reads_of(inst).for_each(|reg| {
            last_read.insert(reg, at);
        });
        for reg in writes_of(inst).filter(|reg| assigned.numbers.contains_key(reg)) {
            writes.entry(reg).or_default().push(at);
        }
    }
    let mut state = assigned.starts[index].clone();
    let mut renamed: FxHashMap<Reg, Operand> = FxHashMap::default();
    let mut dead = vec![false; code.insts.len()];
    for (at, inst) in code.insts.iter_mut().enumerate() {
        let variable = variable(inst);
        inst.reads_mut(|operand, _| {
            if let Some(by) = read_reg(operand).and_then(|reg| renamed.get(&reg)) {
                *operand = *by;
            }
        });
        if let (Some((slot, number)), Inst::Move { dst, src, .. }) = (variable, &*inst) {
            if !state[number] {
                needs_mark.insert(slot);
            } else if uses.is_local(*dst, index) && !assigned.numbers.contains_key(dst) {
                let last = last_read.get(dst).copied().unwrap_or(at);
                let next = writes.get(&slot).and_then(|places| {
                    places.get(places.partition_point(|place| *place <= at)).copied()
                });
                if next.is_none_or(|next| last <= next) {
                    renamed.insert(*dst, *src);
                    dead[at] = true;
                }
            }
        }
        assigned.step(inst, &mut state);
    }
    code.retain(|i| !dead[i]);
}

/// Lets a computation write directly to the register into which its result is moved, if nothing
/// uses that register in between.
fn write_destinations_directly(code: &mut Code, index: usize, params: u32, uses: &Uses) {
    if !code.insts.iter().any(|inst| matches!(inst, Inst::Move { .. })) {
        return;
    }
    let mut dead = vec![false; code.insts.len()];
    let mut written: FxHashMap<Reg, usize> = FxHashMap::default();
    let mut last_read: FxHashMap<Reg, usize> = FxHashMap::default();
    for (at, inst) in code.insts.iter().enumerate() {
        reads_of(inst).for_each(|reg| {
            last_read.insert(reg, at);
        });
        writes_of(inst).for_each(|reg| {
            written.insert(reg, at);
        });
    }
    for at in 0..code.insts.len() {
        let Inst::Move { dst, src, .. } = &code.insts[at] else { continue };
        let (dst, Some(value)) = (*dst, read_reg(src)) else { continue };
        if value.0 < params || value == dst || !uses.is_local(value, index) {
            continue;
        }
        let Some(start) = written.get(&value).copied().filter(|start| *start < at) else {
            continue;
        };
        let end = last_read[&value];
        // An instruction with two results may write one before it has read all operands.
        let single = !matches!(code.insts[start], Inst::Overflow { .. } | Inst::Undefine { .. });
        if !single || at - start > REACH || end - at > REACH {
            continue;
        }
        let quiet = |inst: &Inst| !reads_of(inst).chain(writes_of(inst)).any(|reg| reg == dst);
        let between = (start + 1..at).filter(|i| !dead[*i]).all(|i| quiet(&code.insts[i]));
        // The last reader may write the destination itself, because it reads first.
        let after = (at + 1..end)
            .filter(|i| !dead[*i])
            .all(|i| writes_of(&code.insts[i]).all(|reg| reg != dst));
        if !between || !after || writes_of(&code.insts[start]).count() != 1 {
            continue;
        }
        code.insts[start].writes_mut(|reg, _| *reg = dst);
        for inst in &mut code.insts[start + 1..=end] {
            inst.reads_mut(|operand, _| {
                if *operand == Operand::reg(value) {
                    *operand = Operand::reg(dst);
                }
            });
        }
        dead[at] = true;
        written.insert(dst, start);
        let last = last_read.get(&dst).copied().unwrap_or(0).max(end);
        last_read.insert(dst, last);
    }
    code.retain(|i| !dead[i]);
}

/// Replaces a variable that starts as a copy of a parameter by the parameter, if nothing else uses
/// the parameter.
fn merge_params(blocks: &mut [Code], params: u32, needs_mark: &FxHashSet<Reg>) {
    let uses = Uses::count(blocks);
    let Some(entry) = blocks.first_mut() else { return };
    let mut renamed: FxHashMap<Reg, Reg> = FxHashMap::default();
    let mut dead = vec![false; entry.insts.len()];
    let mut touched = FxHashSet::default();
    for (at, inst) in entry.insts.iter().enumerate() {
        if let Inst::Move { dst, src, .. } = inst
            && let Some(param) = read_reg(src).filter(|reg| reg.0 < params)
            && dst.0 >= params
            && !touched.contains(dst)
            && !needs_mark.contains(dst)
            && uses.reads(param) == Places::once(0)
            && uses.writes(param) == Places::NONE
        {
            renamed.insert(*dst, param);
            dead[at] = true;
        }
        touched.extend(reads_of(inst).chain(writes_of(inst)));
    }
    entry.retain(|i| !dead[i]);
    for inst in blocks.iter_mut().flat_map(|code| &mut code.insts) {
        inst.reads_mut(|operand, _| {
            if let Some(param) = read_reg(operand).and_then(|reg| renamed.get(&reg)) {
                *operand = Operand::reg(*param);
            }
        });
        inst.writes_mut(|reg, _| {
            if let Some(param) = renamed.get(reg) {
                *reg = *param;
            }
        });
    }
}

/// Whether an instruction cannot fail, and has no effect except to write its register.
fn is_pure(inst: &Inst) -> bool {
    match inst {
        Inst::Binary { op, .. } => {
            !matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem)
        }
        Inst::Unary { .. }
        | Inst::Compare { .. }
        | Inst::Cast { .. }
        | Inst::FunnelShift { .. }
        | Inst::Select { .. }
        | Inst::Address { .. } => true,
        _ => false,
    }
}

fn remove_dead(blocks: &mut [Code]) {
    let mut uses = Uses::count(blocks);
    for code in blocks.iter_mut().rev() {
        let mut dead = vec![false; code.insts.len()];
        for (at, inst) in code.insts.iter().enumerate().rev() {
            if is_pure(inst) && !writes_of(inst).any(|reg| uses.is_read(reg)) {
                dead[at] = true;
                reads_of(inst).for_each(|reg| uses.remove_read(reg));
            }
        }
        code.retain(|i| !dead[i]);
    }
}
