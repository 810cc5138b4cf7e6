//! Joins pairs of instructions into one. The interpreter spends half of its time on fetching and
//! dispatching instructions, so fewer instructions run faster.

use rustc_hash::FxHashMap;

use super::code::Code;
use super::uses::{Uses, reads_of, writes_of};
use crate::ir::{AddressTerm, Cast, Indexed, Inst, OperandKind, Reg};

/// Replaces indices that were sign-extended to 64 bits by the narrow ones, because an address
/// computation extends its indices.
pub fn extend_in_addresses(blocks: &mut [Code]) {
    let uses = Uses::count(blocks);
    for (index, code) in blocks.iter_mut().enumerate() {
        extend_in_block(code, index, &uses);
    }
}

/// Joins an address computation with the only access to the address, and a comparison with the only
/// branch on it.
pub fn join_pairs(blocks: &mut [Code]) {
    let uses = Uses::count(blocks);
    for (index, code) in blocks.iter_mut().enumerate() {
        join_in_block(code, index, &uses);
    }
}

fn extend_in_block(code: &mut Code, block: usize, uses: &Uses) {
    let mut extended: FxHashMap<Reg, AddressTerm> = FxHashMap::default();
    for inst in &mut code.insts {
        if let Inst::Address { terms, .. } = inst {
            for term in terms.iter_mut().filter(|term| term.width == 64) {
                if let OperandKind::Reg(index) = term.index.kind()
                    && let Some(narrow) = extended.get(&index)
                {
                    *term = AddressTerm { scale: term.scale, ..*narrow };
                }
            }
        }
        for reg in writes_of(inst) {
            extended
                .retain(|wide, term| *wide != reg && term.index.kind() != OperandKind::Reg(reg));
        }
        if let Inst::Cast { cast: Cast::Sext, from, to: 64, dst, a } = inst
            && uses.is_local(*dst, block)
        {
            extended.insert(*dst, AddressTerm { index: *a, width: *from, scale: 1 });
        }
    }
}

fn join_in_block(code: &mut Code, block: usize, uses: &Uses) {
    let mut dead = vec![false; code.insts.len()];
    // For each register that only one later instruction of the block reads: where it is computed.
    let mut computed: FxHashMap<Reg, usize> = FxHashMap::default();
    for at in 0..code.insts.len() {
        let needed = match &code.insts[at] {
            Inst::Load { address, .. } | Inst::Store { address, .. } => address.kind(),
            Inst::Branch { condition, .. } => condition.kind(),
            _ => OperandKind::Constant(0),
        };
        if let OperandKind::Reg(reg) = needed
            && let Some(&first) = computed.get(&reg)
            && let Some(joined) = join(&code.insts[first], &code.insts[at])
        {
            code.insts[at] = joined;
            dead[first] = true;
        }
        let inst = &code.insts[at];
        for reg in writes_of(inst) {
            computed.retain(|_, first| reads_of(&code.insts[*first]).all(|read| read != reg));
        }
        if let Inst::Address { dst, .. } | Inst::Compare { dst, .. } = inst
            && uses.is_local(*dst, block)
            && uses.is_read_once(*dst)
            && reads_of(inst).all(|read| read != *dst)
        {
            computed.insert(*dst, at);
        }
    }
    code.retain(|at| !dead[at]);
}

fn join(first: &Inst, second: &Inst) -> Option<Inst> {
    Some(match (first, second) {
        (Inst::Compare { predicate, width, a, b, .. }, Inst::Branch { then, otherwise, .. }) => {
            Inst::CompareBranch {
                predicate: *predicate,
                width: *width,
                a: *a,
                b: *b,
                then: *then,
                otherwise: *otherwise,
            }
        }
        (Inst::Address { .. }, Inst::Load { width, dst, .. }) => {
            Inst::LoadIndexed { width: *width, dst: *dst, at: indexed(first)? }
        }
        // The value must not be the address itself, whose register is no longer written.
        (Inst::Address { dst, .. }, Inst::Store { width, value, .. })
            if value.kind() != OperandKind::Reg(*dst) =>
        {
            Inst::StoreIndexed { width: *width, value: *value, at: indexed(first)? }
        }
        _ => return None,
    })
}

fn indexed(address: &Inst) -> Option<Indexed> {
    let Inst::Address { base, offset, terms, .. } = address else { return None };
    // Without an index, any operand will do, because it is multiplied by zero.
    let none = AddressTerm { index: *base, width: 64, scale: 0 };
    let term = match &terms[..] {
        [] => none,
        [term] => *term,
        _ => return None,
    };
    Some(Indexed {
        base: *base,
        index: term.index,
        width: term.width,
        scale: u32::try_from(term.scale).ok()?,
        offset: i32::try_from(*offset).ok()?,
    })
}
