//! Where the revision can still matter.
//!
//! A state that stands for all revisions, has nothing that depends on which one runs, and cannot
//! come to a place that asks, has one future for all of them: whatever it does from there on, they
//! do alike.
//! What leads there is found once, over the lowered code: by the jumps of a function, its calls,
//! and calls through pointers, which may go to every function whose address is anywhere in the
//! program and whose type fits.

use rustc_hash::FxHashSet;

use super::{Program, State, WHOLE_PROGRAM};
use crate::{
    expr::ExprId,
    ir::{Call, Callee, Constant, Function, FunctionId, Inst, Module, address::function_at},
    memory::Value,
};

/// The functions that ask for the revision.
const ASKING: [&str; 2] = ["psychic_rev", "__klee_meta"];

/// The instructions from which a question for the revision may be reached.
#[derive(Debug)]
pub struct Asking {
    /// By function, whether running it may ask.
    functions: Vec<bool>,
    /// By function and instruction, whether running on from there, up to the function's end, may.
    places: Vec<Vec<bool>>,
}

impl Asking {
    /// Of this program.
    pub fn of(module: &Module) -> Self {
        let pointed = pointed_to(module);
        let is_asking = |function: &Function| ASKING.contains(&function.name.as_str());
        let mut functions: Vec<bool> = module.functions.iter().map(is_asking).collect();
        loop {
            let mut changed = false;
            for (index, function) in module.functions.iter().enumerate() {
                let asks = |inst: &Inst| match inst {
                    Inst::Call(call) => may_ask(module, &functions, &pointed, call),
                    _ => false,
                };
                if !functions[index] && function.code.iter().any(asks) {
                    functions[index] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let places = |function: &Function| {
            let asks = |inst: &Inst| match inst {
                Inst::Call(call) => may_ask(module, &functions, &pointed, call),
                _ => false,
            };
            places(function, asks)
        };
        let places = module.functions.iter().map(places).collect();
        Self { functions, places }
    }

    /// Whether a function of a state, which is at an instruction, may come to ask.
    fn from(&self, function: FunctionId, pc: u32) -> bool {
        let places = &self.places[function.0 as usize];
        places.get(pc as usize).copied().unwrap_or(false)
    }
}

/// By instruction, whether one that `asks` is reached from there.
fn places(function: &Function, asks: impl Fn(&Inst) -> bool) -> Vec<bool> {
    let mut places: Vec<bool> = function.code.iter().map(asks).collect();
    if !places.contains(&true) {
        return places;
    }
    loop {
        let mut changed = false;
        for (pc, inst) in function.code.iter().enumerate().rev() {
            if places[pc] {
                continue;
            }
            let mut reached = !inst.ends_block() && places.get(pc + 1).copied().unwrap_or(false);
            inst.targets(|target| reached |= places[target.0 as usize]);
            places[pc] = reached;
            changed |= reached;
        }
        if !changed {
            return places;
        }
    }
}

fn may_ask(module: &Module, asking: &[bool], pointed: &[FunctionId], call: &Call) -> bool {
    match call.callee {
        Callee::Direct(id) => asking[id.0 as usize],
        Callee::Indirect(_) => pointed
            .iter()
            .any(|id| asking[id.0 as usize] && fits(&module.functions[id.0 as usize], call)),
    }
}

/// Whether a call through a pointer may be meant for a function: the interpreter runs it with as
/// many arguments as it takes, or more, as wide as it takes them or wider. `main`, whose address
/// every program has, is called with a number of 32 bits first.
fn fits(function: &Function, call: &Call) -> bool {
    let is_main = function.name == "main";
    let widths = call.args.iter().map(|argument| argument.width);
    let mut pairs = function.params.iter().copied().zip(widths);
    function.params.len() <= call.args.len()
        && pairs
            .all(|(wanted, given)| wanted == given || wanted < given && (!is_main || given == 32))
}

/// The functions whose addresses are in variables or code.
fn pointed_to(module: &Module) -> Vec<FunctionId> {
    let mut found: FxHashSet<FunctionId> = FxHashSet::default();
    let mut look = |word: u64| found.extend(function_at(word));
    for global in module.globals.iter().filter(|global| !global.name.starts_with("llvm.")) {
        for window in global.bytes.windows(8) {
            look(u64::from_le_bytes(window.try_into().expect("eight")));
        }
    }
    for constant in module.functions.iter().flat_map(|function| &function.constants) {
        match constant {
            Constant::Int(word) => look(*word),
            Constant::Wide(wide) => {
                for low in (0..wide.width().saturating_sub(63)).step_by(8) {
                    look(wide.extract(low, 64).to_u64().expect("64 bits"));
                }
            }
            Constant::Undefined => {}
        }
    }
    // Nobody starts a program anew, and what asks is called by its name.
    let is_ours = |name: &str| name == WHOLE_PROGRAM || ASKING.contains(&name);
    let is_met = |id: &FunctionId| {
        module.functions.get(id.0 as usize).is_some_and(|function| !is_ours(&function.name))
    };
    found.into_iter().filter(is_met).collect()
}

impl Program {
    /// Whether a state does, from here on, the same for all revisions: it has one future. Without
    /// [`Program::asking`] nothing is known of that.
    pub(super) fn is_unaffected(&self, state: &State) -> bool {
        let Some(asking) = &self.asking else { return false };
        let frames =
            || state.callers.iter().map(|frame| (frame.function, frame.pc.wrapping_add(1)));
        let at_exit = |address: &u64| {
            function_at(*address)
                .is_none_or(|id| asking.functions.get(id.0 as usize).copied().unwrap_or(true))
        };
        let may_ask = asking.from(state.top.function, state.top.pc)
            || frames().any(|(function, pc)| asking.from(function, pc))
            || state.world.at_exit.iter().any(at_exit)
            || !state.jumps.is_empty();
        let may_differ = || {
            !state.apart.is_empty()
                || state.branch.has_meta_fork()
                || state.asked && self.depends_on_revision(state)
        };
        !may_ask && !may_differ()
    }

    /// Whether anything that a state has in its memory or registers may differ between revisions.
    fn depends_on_revision(&self, state: &State) -> bool {
        let is = |e: ExprId| self.exprs.mentions(e).revision;
        let frames = std::iter::once(&state.top).chain(state.callers.iter());
        let mut registers = frames.flat_map(|frame| {
            let variadic = frame.variadic.iter().map(|argument| argument.value);
            frame.values.iter().copied().chain(variadic)
        });
        registers.any(|value| matches!(value, Value::Expr(e) if is(e)))
            || state.memory.may_have(&is)
            || state.world.kernel.depends(&is)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::AtomicBool,
        time::Duration,
    };

    use super::*;
    use crate::{
        build::{Compilation, Toolchain},
        env::{models::Models, stdin::Stdin},
        exec::{Clock, Coverage, Executor, Limits, Quantum, Start, state::Claim},
        ir::lower,
        solver::{SolverConfig, chain},
        subject::Revision,
    };

    /// Runs a program that asks, in a state of which something is said.
    fn runs(claim: Claim) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let text = "int psychic_rev(void);\nint main(void) { return psychic_rev(); }\n";
        std::fs::write(directory.path().join("a.c"), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec!["a.c".into()],
            ..Compilation::default()
        };
        let bitcode = directory.path().join("a.bc");
        Toolchain::find().unwrap().bitcode(&compilation, &bitcode).unwrap();
        let program = Program::new(lower::load(&bitcode).unwrap(), &Models::default());
        let start = program.start(Start {
            entry: "main".into(),
            revisions: (0..2).map(Revision).collect(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: Stdin::bytes(Vec::new()),
            files: Vec::new(),
        });
        let [mut state] = <[State; 1]>::try_from(start.unwrap()).unwrap();
        state.claim = claim;
        let limits =
            Limits { instructions: 1000, concretisations: 1, solver: Duration::from_secs(1) };
        let never = AtomicBool::new(false);
        let quantum =
            Quantum { instructions: u64::MAX, forks: u64::MAX, clock: Clock::new(None, &never) };
        let (mut solver, mut coverage) = (chain(&SolverConfig::default()), Coverage::default());
        let run = || Executor::run(&program, limits, &mut *solver, &mut coverage, state, quantum);
        catch_unwind(AssertUnwindSafe(run)).is_ok()
    }

    #[test]
    fn a_state_that_is_wrongly_said_to_be_unaffected_is_noticed() {
        assert!(runs(Claim::None));
        assert!(!runs(Claim::Tried));
    }
}
