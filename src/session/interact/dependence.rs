//! Which instructions depend on which, by data or control: the program dependence graph of
//! Ferrante, Ottenstein and Warren, "The program dependence graph and its use in optimization"
//! (TOPLAS 1987).
//!
//! What is not known counts as dependence. An access through a pointer that is neither a variable's
//! address nor computed from one may be to anything, except a variable whose address is used only
//! to access it. That a called function may never return is not considered.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    dominance::Postdominators,
    flow::{Flow, Place},
};
use crate::ir::{
    Constant, FunctionId, Inst, Operand, OperandKind, Reg,
    address::{FIRST_OBJECT, nearest_object},
};

/// For each instruction, those that depend on it directly.
pub(super) struct Dependence {
    pub(super) dependents: Vec<BTreeSet<Place>>,
}

/// The memory that an access is to.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Memory {
    /// The variable with this object number.
    Global(u32),
    /// The local variable that is made here.
    Local(Place),
    Anything,
}

impl Dependence {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let mut builder = Builder {
            flow,
            dependents: vec![BTreeSet::new(); flow.len()],
            writers: BTreeMap::new(),
        };
        builder.data();
        builder.memory();
        for id in flow.functions.keys() {
            builder.control(*id);
        }
        Self { dependents: builder.dependents }
    }

    /// The given instructions and all that depend on them, directly or not. What does not run after
    /// any of them does not depend on them.
    pub(super) fn slice(&self, flow: &Flow<'_>, from: Vec<Place>) -> BTreeSet<Place> {
        let after = flow.reachable(from.clone());
        let (mut slice, mut left) = (BTreeSet::new(), from);
        while let Some(place) = left.pop() {
            if slice.insert(place) {
                let dependents = self.dependents[place].iter().copied();
                left.extend(dependents.filter(|dependent| after.contains(dependent)));
            }
        }
        slice
    }
}

struct Builder<'f, 'm> {
    flow: &'f Flow<'m>,
    dependents: Vec<BTreeSet<Place>>,
    /// The instructions that write each register of each function.
    writers: BTreeMap<(FunctionId, Reg), Vec<Place>>,
}

impl Builder<'_, '_> {
    /// Adds dependence through registers, parameters and results.
    fn data(&mut self) {
        let flow = self.flow;
        for place in 0..flow.len() {
            let mut written = Vec::new();
            flow.inst(place).writes(|reg, _| written.push(*reg));
            for reg in written {
                self.writers.entry((flow.owner(place), reg)).or_default().push(place);
            }
        }
        let entry = |id: FunctionId| flow.functions[&id];
        let mut of_parameters: BTreeMap<(FunctionId, usize), Vec<Place>> = BTreeMap::new();
        for id in flow.functions.keys() {
            for parameter in 0..flow.function(*id).params.len() {
                let uses = self.uses(&[entry(*id)], Reg(parameter as u32));
                of_parameters.insert((*id, parameter), uses);
            }
        }
        for place in 0..flow.len() {
            let callees = flow.callees(place);
            let mut written = Vec::new();
            flow.inst(place).writes(|reg, _| written.push(*reg));
            for reg in written {
                let uses = self.uses(&flow.next_within[place], reg);
                // A result comes from where the function returns.
                let ends = callees.iter().flat_map(|id| flow.returns(*id));
                let sources: Vec<Place> =
                    if callees.is_empty() { vec![place] } else { ends.collect() };
                for source in sources {
                    self.dependents[source].extend(uses.iter().copied());
                }
            }
            let Inst::Call(call) = flow.inst(place) else { continue };
            for (parameter, argument) in call.args.iter().enumerate() {
                let OperandKind::Reg(reg) = argument.value.kind() else { continue };
                let into: Vec<Place> = callees
                    .iter()
                    .filter_map(|id| of_parameters.get(&(*id, parameter)))
                    .flatten()
                    .copied()
                    .collect();
                for source in self.reaching(place, reg) {
                    self.dependents[source].extend(into.iter().copied());
                }
            }
        }
    }

    /// The instructions that may use what a register has before some places.
    fn uses(&self, from: &[Place], reg: Reg) -> Vec<Place> {
        let (mut seen, mut left, mut uses) = (BTreeSet::new(), from.to_vec(), Vec::new());
        while let Some(place) = left.pop() {
            if !seen.insert(place) {
                continue;
            }
            let inst = self.flow.inst(place);
            let mut reads = false;
            inst.reads(|operand, _| reads |= operand.kind() == OperandKind::Reg(reg));
            // The function that is called uses it, not the call.
            if reads && self.flow.callees(place).is_empty() {
                uses.push(place);
            }
            let mut writes = false;
            inst.writes(|written, _| writes |= *written == reg);
            if !writes {
                left.extend(&self.flow.next_within[place]);
            }
        }
        uses
    }

    /// The instructions whose value a register may have at a place.
    fn reaching(&self, place: Place, reg: Reg) -> Vec<Place> {
        let all = self.writers.get(&(self.flow.owner(place), reg)).cloned().unwrap_or_default();
        let reaches = |from: &Place| {
            let (mut seen, mut left) = (BTreeSet::new(), self.flow.next_within[*from].clone());
            while let Some(at) = left.pop() {
                if at == place {
                    return true;
                }
                let mut writes = false;
                self.flow.inst(at).writes(|written, _| writes |= *written == reg);
                if !writes && seen.insert(at) {
                    left.extend(&self.flow.next_within[at]);
                }
            }
            false
        };
        all.into_iter().filter(reaches).collect()
    }

    /// Adds dependence through memory: of a read on each write that may come before it.
    fn memory(&mut self) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for place in 0..self.flow.len() {
            let (of_reads, of_writes) = self.accesses(place);
            reads.extend(of_reads.into_iter().map(|memory| (place, memory)));
            writes.extend(of_writes.into_iter().map(|memory| (place, memory)));
        }
        let escaped = self.escaped();
        let is_reached = |memory: &Memory| *memory == Memory::Anything || escaped.contains(memory);
        let may_be = |a: &Memory, b: &Memory| {
            a == b
                || *a == Memory::Anything && is_reached(b)
                || *b == Memory::Anything && is_reached(a)
        };
        let mut by_place: BTreeMap<Place, Vec<Memory>> = BTreeMap::new();
        for (place, memory) in writes {
            by_place.entry(place).or_default().push(memory);
        }
        for (from, memories) in by_place {
            let after = self.after(from);
            let is_read = |(place, memory): &&(Place, Memory)| {
                after[*place] && memories.iter().any(|written| may_be(written, memory))
            };
            let found = reads.iter().filter(is_read).map(|(place, _)| *place);
            self.dependents[from].extend(found);
        }
    }

    /// The variables whose addresses are used for more than to read and write them.
    fn escaped(&self) -> BTreeSet<Memory> {
        let mut escaped = BTreeSet::new();
        let module = self.flow.module;
        for word in module.globals.iter().flat_map(|global| global.bytes.windows(8)) {
            let number = nearest_object(u64::from_le_bytes(word.try_into().expect("eight bytes")));
            let last = FIRST_OBJECT + module.globals.len() as u32;
            if (FIRST_OBJECT..last).contains(&number) {
                escaped.insert(Memory::Global(number));
            }
        }
        for place in 0..self.flow.len() {
            let inst = self.flow.inst(place);
            let address = match inst {
                Inst::Load { address, .. } | Inst::Store { address, .. } => Some(*address),
                Inst::LoadIndexed { at, .. } | Inst::StoreIndexed { at, .. } => Some(at.base),
                _ => None,
            };
            let stored = match inst {
                Inst::Store { value, .. } | Inst::StoreIndexed { value, .. } => Some(*value),
                _ => None,
            };
            inst.reads(|operand, _| {
                if Some(*operand) != address || Some(*operand) == stored {
                    escaped.insert(self.memory_of(place, *operand, &mut BTreeSet::new()));
                }
            });
        }
        escaped
    }

    /// For each instruction, whether it may run after `from`.
    fn after(&self, from: Place) -> Vec<bool> {
        let mut after = vec![false; self.flow.len()];
        let mut left = self.flow.next[from].clone();
        while let Some(place) = left.pop() {
            if !std::mem::replace(&mut after[place], true) {
                left.extend(&self.flow.next[place]);
            }
        }
        after
    }

    /// The memory that an instruction reads, and that it writes.
    fn accesses(&self, place: Place) -> (Vec<Memory>, Vec<Memory>) {
        let memory = |operand: &Operand| self.memory_of(place, *operand, &mut BTreeSet::new());
        match self.flow.inst(place) {
            Inst::Load { address, .. } => (vec![memory(address)], Vec::new()),
            Inst::LoadIndexed { at, .. } => (vec![memory(&at.base)], Vec::new()),
            Inst::Store { address, .. } => (Vec::new(), vec![memory(address)]),
            Inst::StoreIndexed { at, .. } => (Vec::new(), vec![memory(&at.base)]),
            Inst::Copy { to, from, .. } | Inst::VaCopy { to, from } => {
                (vec![memory(from)], vec![memory(to)])
            }
            Inst::Fill { to, .. } => (Vec::new(), vec![memory(to)]),
            Inst::VaStart { list } => (Vec::new(), vec![memory(list)]),
            // A function outside the program may use what it is given the address of.
            Inst::Call(call) if self.flow.calls_outside(place).is_some() => {
                let pointers = call.args.iter().filter(|argument| argument.width == 64);
                let all: Vec<Memory> = pointers.map(|argument| memory(&argument.value)).collect();
                (all.clone(), all)
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    /// The memory that an address refers to.
    fn memory_of(&self, place: Place, address: Operand, seen: &mut BTreeSet<Place>) -> Memory {
        let owner = self.flow.owner(place);
        let function = self.flow.function(owner);
        let reg = match address.kind() {
            OperandKind::Reg(reg) => reg,
            OperandKind::Constant(index) => {
                return match function.constant(index) {
                    Some(Constant::Int(value)) if nearest_object(*value) >= FIRST_OBJECT => {
                        Memory::Global(nearest_object(*value))
                    }
                    _ => Memory::Anything,
                };
            }
        };
        let Some(writers) = self.writers.get(&(owner, reg)) else { return Memory::Anything };
        if (reg.0 as usize) < function.params.len() {
            return Memory::Anything;
        }
        let mut found: Option<Memory> = None;
        for writer in writers {
            if !seen.insert(*writer) {
                continue;
            }
            let of_writer = match self.flow.inst(*writer) {
                Inst::Undefine { .. } => continue,
                Inst::Alloca { .. } => Memory::Local(*writer),
                Inst::Move { src, .. } => self.memory_of(*writer, *src, seen),
                Inst::Address { base, .. } => self.memory_of(*writer, *base, seen),
                _ => Memory::Anything,
            };
            if found.is_some_and(|known| known != of_writer) {
                return Memory::Anything;
            }
            found = Some(of_writer);
        }
        found.unwrap_or(Memory::Anything)
    }

    /// Adds control dependence within a function, and of the function on its callers.
    fn control(&mut self, id: FunctionId) {
        let flow = self.flow;
        let places = flow.places(id);
        let after = Postdominators::new(flow, id);
        let mut is_controlled = BTreeSet::new();
        for branch in places.clone().filter(|place| flow.next_within[*place].len() > 1) {
            let end = after.next(branch);
            for next in flow.next_within[branch].clone() {
                let mut at = Some(next);
                while let Some(place) = at.filter(|place| Some(*place) != end) {
                    self.dependents[branch].insert(place);
                    // A loop decides itself whether it goes on.
                    if place != branch {
                        is_controlled.insert(place);
                    }
                    at = after.next(place);
                }
            }
        }
        let free: Vec<Place> = places.filter(|place| !is_controlled.contains(place)).collect();
        for call in (0..flow.len()).filter(|place| flow.callees(*place).contains(&id)) {
            self.dependents[call].extend(free.iter().copied());
        }
    }
}
