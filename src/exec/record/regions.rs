//! What the ways of a branch may write, whichever is taken ([`Region`]).
//!
//! A value that one way writes and the other does not rests on the branch on both ways. "Relevant"
//! slices have such branches (Gyimóthy, Beszédes and Forgács, "An efficient relevant slicing method
//! for debugging", ESEC/FSE 1999). Conditions over such a slice suffice for what it shows.
//!
//! Writes through a pointer are not seen if the pointer is made on the way or given to a called
//! function.

use std::{collections::BTreeSet, rc::Rc};

use rustc_hash::FxHashMap;

use crate::{
    exec::Program,
    ir::{Call, Callee, Constant, FunctionId, Inst, Operand, OperandKind},
};

/// The code between a branch and the place where its ways meet.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// The registers that some instruction there writes.
    pub(super) registers: BTreeSet<u32>,
    /// The instructions that write memory.
    pub(super) stores: Vec<u32>,
    /// The registers in which addresses are made there, each with the base of its address.
    pub(super) addresses: Vec<(u32, Operand)>,
    /// The addresses of the variables that functions called there write.
    pub(super) variables: BTreeSet<u64>,
}

/// The regions of branches, found when first asked for.
#[derive(Default)]
pub(super) struct Regions {
    known: FxHashMap<(FunctionId, u32), Rc<Region>>,
    /// By function, the addresses of the variables that it writes itself, and the functions that it
    /// calls.
    effects: FxHashMap<FunctionId, (BTreeSet<u64>, BTreeSet<FunctionId>)>,
}

impl Regions {
    /// The region of the branch at an instruction, whose ways meet at `meets`.
    pub(super) fn of(
        &mut self,
        program: &Program,
        branch: (FunctionId, u32),
        meets: u32,
    ) -> Rc<Region> {
        if let Some(region) = self.known.get(&branch) {
            return region.clone();
        }
        let (mut region, mut left) = Region::new(program, branch, meets);
        let mut called = BTreeSet::new();
        while let Some(id) = left.pop() {
            if called.insert(id) {
                let (variables, calls) =
                    self.effects.entry(id).or_insert_with(|| effects(program, id));
                region.variables.extend(&*variables);
                left.extend(&*calls);
            }
        }
        let region = Rc::new(region);
        self.known.insert(branch, region.clone());
        region
    }
}

/// The addresses of the variables that a function writes itself, and the functions that it calls.
fn effects(program: &Program, id: FunctionId) -> (BTreeSet<u64>, BTreeSet<FunctionId>) {
    let function = &program.module.functions[id.0 as usize];
    let (mut variables, mut calls) = (BTreeSet::new(), BTreeSet::new());
    for inst in &function.code {
        let to = match inst {
            Inst::Store { address, .. } => address,
            Inst::StoreIndexed { at, .. } => &at.base,
            Inst::Copy { to, .. } | Inst::Fill { to, .. } => to,
            Inst::Call(call) => {
                calls.extend(direct(call));
                continue;
            }
            _ => continue,
        };
        if let OperandKind::Constant(index) = to.kind()
            && let Some(Constant::Int(address)) = function.constant(index)
        {
            variables.insert(*address);
        }
    }
    (variables, calls)
}

fn direct(call: &Call) -> Option<FunctionId> {
    match call.callee {
        Callee::Direct(id) => Some(id),
        Callee::Indirect(_) => None,
    }
}

impl Region {
    /// The region of a branch without what functions called there do, and these functions.
    fn new(
        program: &Program,
        (id, branch): (FunctionId, u32),
        meets: u32,
    ) -> (Self, Vec<FunctionId>) {
        let code = &program.module.functions[id.0 as usize].code;
        let (mut region, mut called) = (Self::default(), Vec::new());
        let (mut seen, mut left) = (BTreeSet::from([meets]), Vec::new());
        code[branch as usize].targets(|target| left.push(target.0));
        while let Some(pc) = left.pop() {
            if !seen.insert(pc) {
                continue;
            }
            let inst = &code[pc as usize];
            inst.writes(|register, _| {
                region.registers.insert(register.0);
            });
            if matches!(
                inst,
                Inst::Store { .. }
                    | Inst::StoreIndexed { .. }
                    | Inst::Fill { .. }
                    | Inst::Copy { .. }
            ) {
                region.stores.push(pc);
            }
            match inst {
                Inst::Call(call) => called.extend(direct(call)),
                Inst::Address { dst, base, .. } => region.addresses.push((dst.0, *base)),
                _ => {}
            }
            match inst.ends_block() {
                true => inst.targets(|target| left.push(target.0)),
                false => left.push(pc + 1),
            }
        }
        (region, called)
    }
}
