//! Control flow of a program, across its functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Callee, Constant, Function, FunctionId, Inst, Module, Operand, OperandKind, SourceLine,
    address::function_at,
};

/// The place of an instruction among those of all functions.
pub(super) type Place = usize;

/// The instructions of a program's own functions, and which may run after which. Calls lead to the
/// functions that they call, and these return to all of their callers.
pub(super) struct Flow<'m> {
    pub(super) module: &'m Module,
    /// The functions that have code and are not the C library's, with the place of their first
    /// instruction.
    pub(super) functions: BTreeMap<FunctionId, Place>,
    /// The instructions that may run after each instruction, across functions.
    pub(super) next: Vec<Vec<Place>>,
    /// The instructions that may run after each instruction within its function.
    pub(super) next_within: Vec<Vec<Place>>,
    owners: Vec<FunctionId>,
    /// The functions whose address the program has anywhere.
    addressed: BTreeSet<FunctionId>,
}

impl<'m> Flow<'m> {
    /// The flow of a program that begins with `entry` and ends when that returns.
    pub(super) fn new(module: &'m Module, entry: FunctionId) -> Self {
        let mut functions = BTreeMap::new();
        let mut owners = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            if !function.library && !function.code.is_empty() {
                let id = FunctionId(index as u32);
                functions.insert(id, owners.len());
                owners.resize(owners.len() + function.code.len(), id);
            }
        }
        let addressed = addressed(module);
        let mut flow = Self {
            module,
            functions,
            next: Vec::new(),
            next_within: Vec::new(),
            owners,
            addressed,
        };
        flow.next_within = (0..flow.owners.len()).map(|place| flow.within(place)).collect();
        flow.next = flow.next_within.clone();
        for place in 0..flow.owners.len() {
            let callees = flow.callees(place);
            if callees.is_empty() {
                continue;
            }
            let after = flow.next_within[place].clone();
            flow.next[place].clear();
            for callee in callees {
                let first = flow.functions[&callee];
                flow.next[place].push(first);
                if callee != entry {
                    for end in flow.returns(callee) {
                        flow.next[end].extend(&after);
                    }
                }
            }
        }
        flow
    }

    /// The places that control may reach from some places, including these.
    pub(super) fn reachable(&self, from: Vec<Place>) -> BTreeSet<Place> {
        let (mut seen, mut left) = (BTreeSet::new(), from);
        while let Some(place) = left.pop() {
            if seen.insert(place) {
                left.extend(&self.next[place]);
            }
        }
        seen
    }

    /// The number of instructions.
    pub(super) fn len(&self) -> usize {
        self.owners.len()
    }

    pub(super) fn owner(&self, place: Place) -> FunctionId {
        self.owners[place]
    }

    pub(super) fn function(&self, id: FunctionId) -> &'m Function {
        &self.module.functions[id.0 as usize]
    }

    pub(super) fn inst(&self, place: Place) -> &'m Inst {
        let owner = self.owners[place];
        &self.function(owner).code[place - self.functions[&owner]]
    }

    pub(super) fn line(&self, place: Place) -> SourceLine {
        let owner = self.owners[place];
        self.function(owner).places[place - self.functions[&owner]]
    }

    /// The places of a function.
    pub(super) fn places(&self, id: FunctionId) -> std::ops::Range<Place> {
        let first = self.functions[&id];
        first..first + self.function(id).code.len()
    }

    /// Where a function returns.
    pub(super) fn returns(&self, id: FunctionId) -> Vec<Place> {
        let is_return = |place: &Place| matches!(self.inst(*place), Inst::Return { .. });
        self.places(id).filter(is_return).collect()
    }

    /// The functions of the program that an instruction may call. If it calls through a pointer,
    /// these are all that have as many parameters and whose address is used.
    pub(super) fn callees(&self, place: Place) -> Vec<FunctionId> {
        let Inst::Call(call) = self.inst(place) else { return Vec::new() };
        match call.callee {
            Callee::Direct(id) => {
                self.functions.contains_key(&id).then_some(id).into_iter().collect()
            }
            Callee::Indirect(_) => {
                let fits = |id: &&FunctionId| {
                    self.addressed.contains(id)
                        && self.function(**id).params.len() == call.args.len()
                };
                self.functions.keys().filter(fits).copied().collect()
            }
        }
    }

    /// The name of the function outside the program that an instruction calls.
    pub(super) fn calls_outside(&self, place: Place) -> Option<&'m str> {
        let Inst::Call(call) = self.inst(place) else { return None };
        match call.callee {
            Callee::Direct(id) if !self.functions.contains_key(&id) => {
                Some(&self.function(id).name)
            }
            _ => None,
        }
    }

    fn within(&self, place: Place) -> Vec<Place> {
        let (owner, inst) = (self.owners[place], self.inst(place));
        let first = self.functions[&owner];
        if !inst.ends_block() {
            return vec![place + 1];
        }
        let mut targets = Vec::new();
        inst.targets(|target| targets.push(first + target.0 as usize));
        targets
    }
}

/// The functions whose address is in the code or in a variable of a program.
fn addressed(module: &Module) -> BTreeSet<FunctionId> {
    let mut addressed = BTreeSet::new();
    for function in &module.functions {
        // A constant that is only called is not an address that code has.
        let mut add = |operand: &Operand| {
            if let OperandKind::Constant(index) = operand.kind()
                && let Some(Constant::Int(number)) = function.constant(index)
            {
                addressed.extend(function_at(*number));
            }
        };
        function.code.iter().for_each(|inst| inst.reads(|operand, _| add(operand)));
    }
    for global in &module.globals {
        let words = global.bytes.windows(size_of::<u64>()).filter_map(|word| word.try_into().ok());
        addressed.extend(words.map(u64::from_le_bytes).filter_map(function_at));
    }
    addressed
}
