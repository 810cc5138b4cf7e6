//! Where the addresses of functions go, and so which functions a call through a pointer may run.
//!
//! Some addresses are only ever moved between registers, chosen, compared, passed to a parameter
//! and called: these are known to be nowhere else. One that is stored, returned, passed on where it
//! cannot be followed, or used in another way *escapes*: it may be in whatever comes from memory.
//! The order of instructions does not count, and all calls of a function count as one (Andersen,
//! "Program analysis and specialization for the C programming language", 1994, without its memory).

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::ir::{
    Callee, Constant, Function, FunctionId, Inst, Module, Operand, OperandKind,
    address::function_at,
};

/// A register of a function.
type FunctionRegister = (u32, u32);

/// The functions that calls through pointers may run.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// By register, the functions whose addresses are known to come there.
    held: FxHashMap<FunctionRegister, SmallVec<[FunctionId; 2]>>,
    /// Registers whose values come from memory, from outside, or from an unknown place.
    unknown: FxHashSet<FunctionRegister>,
    escaped: FxHashSet<FunctionId>,
    changed: bool,
}

impl Targets {
    /// The targets in a program. `is_called` says which functions a call through a pointer may run.
    pub(super) fn of(module: &Module, is_called: impl Fn(&Function) -> bool) -> Self {
        let mut targets = Self::default();
        let mut taken: FxHashSet<FunctionId> = FxHashSet::default();
        for global in module.globals.iter().filter(|global| !global.name.starts_with("llvm.")) {
            for window in global.bytes.windows(8) {
                let word = u64::from_le_bytes(window.try_into().expect("eight"));
                targets.escaped.extend(function_at(word));
            }
        }
        for constant in module.functions.iter().flat_map(|function| &function.constants) {
            match constant {
                Constant::Int(word) => taken.extend(function_at(*word)),
                Constant::Wide(wide) => {
                    for low in (0..wide.width().saturating_sub(63)).step_by(8) {
                        let word = wide.extract(low, 64).to_u64().expect("64 bits");
                        targets.escaped.extend(function_at(word));
                    }
                }
                Constant::Undefined => {}
            }
        }
        taken.extend(&targets.escaped);
        let mut inside: FxHashSet<FunctionId> = FxHashSet::default();
        for inst in module.functions.iter().flat_map(|function| &function.code) {
            if let Inst::Call(call) = inst
                && let Callee::Direct(id) = call.callee
            {
                inside.insert(id);
            }
        }
        for (id, function) in (0..).zip(&module.functions) {
            if taken.contains(&FunctionId(id)) || !inside.contains(&FunctionId(id)) {
                let params = 0..function.params.len() as u32;
                targets.unknown.extend(params.map(|register| (id, register)));
            }
        }
        loop {
            targets.changed = false;
            for (id, function) in (0..).zip(&module.functions) {
                function.code.iter().for_each(|inst| targets.follow(module, id, inst));
            }
            if !targets.changed {
                break;
            }
        }
        let is_called =
            |id: &FunctionId| module.functions.get(id.0 as usize).is_some_and(&is_called);
        targets.escaped.retain(is_called);
        targets
    }

    /// The functions that a call of the operand `callee` in the function `caller` may run.
    pub(super) fn called(
        &self,
        module: &Module,
        caller: u32,
        callee: Operand,
    ) -> impl Iterator<Item = FunctionId> {
        let (held, is_unknown) = self.get(module, caller, callee);
        // A value without a visible write comes from somewhere, too.
        let is_unknown = is_unknown || held.is_empty();
        let escaped = self.escaped.iter().copied().filter(move |_| is_unknown);
        held.into_iter().chain(escaped)
    }

    /// The functions whose addresses an operand may be, and whether it may also be something else.
    fn get(
        &self,
        module: &Module,
        function: u32,
        operand: Operand,
    ) -> (SmallVec<[FunctionId; 2]>, bool) {
        match operand.kind() {
            OperandKind::Reg(register) => {
                let place = (function, register.0);
                let held = self.held.get(&place).cloned().unwrap_or_default();
                (held, self.unknown.contains(&place))
            }
            OperandKind::Constant(index) => {
                match module.functions[function as usize].constant(index) {
                    Some(Constant::Int(word)) => (function_at(*word).into_iter().collect(), false),
                    Some(_) => (SmallVec::new(), false),
                    None => (SmallVec::new(), true),
                }
            }
        }
    }

    fn follow(&mut self, module: &Module, id: u32, inst: &Inst) {
        match inst {
            Inst::Move { dst, src, .. } => self.flow(module, id, *src, (id, dst.0)),
            Inst::Select { dst, a, b, .. } => {
                self.flow(module, id, *a, (id, dst.0));
                self.flow(module, id, *b, (id, dst.0));
            }
            Inst::Compare { .. } | Inst::CompareBranch { .. } => {}
            Inst::Call(call) => {
                let code = match call.callee {
                    Callee::Direct(callee) => Some((callee, &module.functions[callee.0 as usize])),
                    Callee::Indirect(_) => None,
                };
                let code = code.filter(|(_, function)| !function.code.is_empty());
                for (index, argument) in call.args.iter().enumerate() {
                    match code {
                        Some((callee, function))
                            if index < function.params.len() && argument.byval.is_none() =>
                        {
                            self.flow(module, id, argument.value, (callee.0, index as u32));
                        }
                        _ => self.escape(module, id, argument.value),
                    }
                }
                inst.writes(|register, _| self.is_unknown((id, register.0)));
            }
            _ => {
                inst.reads(|operand, _| self.escape(module, id, *operand));
                inst.writes(|register, _| self.is_unknown((id, register.0)));
            }
        }
    }

    fn flow(&mut self, module: &Module, function: u32, from: Operand, to: FunctionRegister) {
        let (held, is_unknown) = self.get(module, function, from);
        let known = self.held.entry(to).or_default();
        for id in held {
            if !known.contains(&id) {
                known.push(id);
                self.changed = true;
            }
        }
        if is_unknown {
            self.is_unknown(to);
        }
    }

    fn is_unknown(&mut self, place: FunctionRegister) {
        self.changed |= self.unknown.insert(place);
    }

    fn escape(&mut self, module: &Module, function: u32, operand: Operand) {
        for id in self.get(module, function, operand).0 {
            self.changed |= self.escaped.insert(id);
        }
    }
}
