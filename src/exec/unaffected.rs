//! Where the revision can still matter.
//!
//! A state that stands for all revisions that are still to be told apart from each other
//! ([`OpenClasses`]), has nothing that is not the same for them, and cannot come to a place that
//! asks, has one future for all of them: whatever it does from there on, they do alike. Those that
//! were told apart already may differ.
//! What leads there is found once, over the lowered code: by the jumps of a function, its calls, and
//! calls through pointers, which may go to every function whose address may come there
//! ([`super::targets`]) and whose type fits. Behind the call of a function that does not return
//! nothing is reached, and no caller of one that does not is come back to.

use std::{cell::RefCell, collections::BTreeSet};

use rustc_hash::FxHashSet;

use super::{Executor, Program, State, WHOLE_PROGRAM, state::Claim, targets::Targets};
use crate::{
    expr::ExprId,
    ir::{Call, Callee, Function, FunctionId, Inst, Module, address::function_at},
    memory::Value,
    solver::{Query, Verdict},
    subject::OpenClasses,
};

/// The functions that ask for the revision.
pub(super) const ASKING: [&str; 2] = ["psychic_rev", "__klee_meta"];

/// Functions that never return, whatever else they do; what the code of others shows.
const ENDING: [&str; 5] = ["exit", "_exit", "_Exit", "abort", "__assert_fail"];

/// The instructions from which a question for the revision may be reached.
#[derive(Debug)]
pub struct Asking {
    /// By function, whether running it may ask.
    functions: Vec<bool>,
    /// By function and instruction, whether running on from there, up to the function's end, may.
    places: Vec<Vec<bool>>,
    /// By function and instruction, whether the function may return from there on.
    returning: Vec<Vec<bool>>,
}

impl Asking {
    /// Of this program.
    pub fn of(module: &Module) -> Self {
        // Nobody starts a program anew, and what asks is called by its name.
        let is_ours = |name: &str| name == WHOLE_PROGRAM || ASKING.contains(&name);
        let targets = Targets::of(module, |function| !is_ours(&function.name));
        let returning = returning(module);
        let returns = |id: FunctionId| may_return(module, &returning, id);
        let is_asking = |function: &Function| ASKING.contains(&function.name.as_str());
        let mut functions: Vec<bool> = module.functions.iter().map(is_asking).collect();
        let asks = |functions: &[bool], caller: usize, inst: &Inst| match inst {
            Inst::Call(call) => may_ask(module, functions, &targets, caller as u32, call),
            _ => false,
        };
        loop {
            let mut changed = false;
            for (index, function) in module.functions.iter().enumerate() {
                let mut code = function.code.iter();
                if !functions[index] && code.any(|inst| asks(&functions, index, inst)) {
                    functions[index] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let ends = |inst: &Inst| match inst {
            Inst::Call(call) => matches!(call.callee, Callee::Direct(id) if !returns(id)),
            _ => false,
        };
        let places =
            module.functions.iter().enumerate().map(|(index, function)| {
                places(function, |inst| asks(&functions, index, inst), ends)
            });
        let places = places.collect();
        Self { functions, places, returning }
    }

    /// Whether a function of a state, which is at an instruction, may come to ask.
    fn from(&self, function: FunctionId, pc: u32) -> bool {
        at(&self.places, function, pc)
    }

    /// Whether it may come to return.
    fn returns(&self, function: FunctionId, pc: u32) -> bool {
        at(&self.returning, function, pc)
    }
}

fn at(places: &[Vec<bool>], function: FunctionId, pc: u32) -> bool {
    places[function.0 as usize].get(pc as usize).copied().unwrap_or(false)
}

/// By function and instruction, whether the function may return from there on.
fn returning(module: &Module) -> Vec<Vec<bool>> {
    let none = |function: &Function| vec![false; function.code.len()];
    let mut returning: Vec<Vec<bool>> = module.functions.iter().map(none).collect();
    loop {
        let mut changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            let ends = |inst: &Inst| match inst {
                Inst::Call(call) => {
                    let direct = match call.callee {
                        Callee::Direct(id) => Some(id),
                        Callee::Indirect(_) => None,
                    };
                    direct.is_some_and(|id| !may_return(module, &returning, id))
                }
                _ => false,
            };
            let is_return = |inst: &Inst| matches!(inst, Inst::Return { .. });
            let found = places(function, is_return, ends);
            changed |= found != returning[index];
            returning[index] = found;
        }
        if !changed {
            return returning;
        }
    }
}

/// Whether a function may return to its caller.
fn may_return(module: &Module, returning: &[Vec<bool>], id: FunctionId) -> bool {
    match returning[id.0 as usize].first() {
        Some(returns) => *returns,
        None => !ENDING.contains(&module.functions[id.0 as usize].name.as_str()),
    }
}

/// By instruction, whether one that `is` it is reached from there, where nothing goes on behind one
/// that `ends`.
fn places(
    function: &Function,
    is: impl Fn(&Inst) -> bool,
    ends: impl Fn(&Inst) -> bool,
) -> Vec<bool> {
    let mut places: Vec<bool> = function.code.iter().map(is).collect();
    if !places.contains(&true) {
        return places;
    }
    let goes_on: Vec<bool> =
        function.code.iter().map(|inst| !inst.ends_block() && !ends(inst)).collect();
    loop {
        let mut changed = false;
        for (pc, inst) in function.code.iter().enumerate().rev() {
            if places[pc] {
                continue;
            }
            let mut reached = goes_on[pc] && places.get(pc + 1).copied().unwrap_or(false);
            inst.targets(|target| reached |= places[target.0 as usize]);
            places[pc] = reached;
            changed |= reached;
        }
        if !changed {
            return places;
        }
    }
}

fn may_ask(module: &Module, asking: &[bool], targets: &Targets, caller: u32, call: &Call) -> bool {
    match call.callee {
        Callee::Direct(id) => asking[id.0 as usize],
        Callee::Indirect(callee) => targets.called(module, caller, callee).any(|id| {
            let index = id.0 as usize;
            asking.get(index).is_some_and(|asks| *asks && fits(&module.functions[index], call))
        }),
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

/// So many values that are not written alike are held against each other at once.
const MOST_DIFFERENCES: usize = 16;

/// Pairs of values that have to be equal.
type Differences = BTreeSet<(ExprId, ExprId)>;

impl Executor<'_> {
    /// As [`Program::is_unaffected`], also where the solver has to show that what revisions of a class
    /// have in different words is the same. What it was not for a state is not asked again.
    pub(super) fn is_unaffected(&mut self) -> bool {
        let program = self.program;
        let exprs = &program.exprs;
        let Some(differences) = program.differences(&self.state, self.open) else { return false };
        if differences.is_empty() {
            return true;
        }
        let differ = exprs.any(differences.iter().map(|(x, y)| exprs.not(exprs.eq(*x, *y))));
        let state = &mut self.state;
        if state.differs == Some(differ) {
            return false;
        }
        state.differs = Some(differ);
        if !exprs.evaluate(differ, &state.model).is_zero() {
            return false;
        }
        self.asked = true;
        let query = Query { path: &state.path, goals: &[differ], model: Some(&state.model) };
        if !matches!(self.solver.check(exprs, query), Verdict::Unsat) {
            return false;
        }
        // In other words they may part on the way, and do the same.
        self.state.claim = Claim::Believed;
        true
    }
}

impl Program {
    /// Whether a state does, from here on, the same for all revisions that are in one class: they
    /// have one future. Without [`Program::asking`] nothing is known of that.
    pub(super) fn is_unaffected(&self, state: &State, open: &OpenClasses) -> bool {
        self.differences(state, open).is_some_and(|differences| differences.is_empty())
    }

    /// What has to be equal for that; `None` where it would not be enough, or is too much.
    fn differences(&self, state: &State, open: &OpenClasses) -> Option<Differences> {
        let asking = self.asking.as_ref()?;
        // The functions that the state may still come back to.
        let mut comes_back = true;
        let mut frame_asks = |function: FunctionId, pc: u32| {
            let asks = comes_back && asking.from(function, pc);
            comes_back &= asking.returns(function, pc);
            asks
        };
        let at_exit = |address: &u64| {
            function_at(*address)
                .is_none_or(|id| asking.functions.get(id.0 as usize).copied().unwrap_or(true))
        };
        let may_ask = frame_asks(state.top.function, state.top.pc)
            || state
                .callers
                .iter()
                .any(|frame| frame_asks(frame.function, frame.pc.wrapping_add(1)))
            || state.world.at_exit.iter().any(at_exit)
            || !state.jumps.is_empty();
        // What is elsewhere may do something else, and what was done before stays different.
        let are_apart = || match state.apart.is_empty() {
            true => open.are_divided_by(&state.revisions),
            false => state.effects().iter().any(|(set, _)| open.are_divided_by(set)),
        };
        if may_ask || are_apart() {
            return None;
        }
        if !state.asked {
            return Some(Differences::new());
        }
        self.differences_in(state, open)
    }

    /// What a state has in its memory or registers that may differ between revisions of one class.
    fn differences_in(&self, state: &State, open: &OpenClasses) -> Option<Differences> {
        let choices = self.choices();
        let (known, found) = (RefCell::new(FxHashSet::default()), RefCell::new(Differences::new()));
        // Whether there are too many, an expression being one more that the state has.
        let are_too_many = |e: ExprId| {
            if !self.exprs.mentions(e).revision || !known.borrow_mut().insert(e) {
                return false;
            }
            let alternatives = choices.of(e, &state.revisions);
            let mut found = found.borrow_mut();
            for class in open.iter() {
                let of_class = alternatives.iter().filter(|(_, set)| !set.is_disjoint(class));
                let of_class: Vec<ExprId> = of_class.map(|(e, _)| *e).collect();
                found.extend(of_class.windows(2).map(|pair| (pair[0], pair[1])));
            }
            found.len() > MOST_DIFFERENCES
        };
        let frames = std::iter::once(&state.top).chain(state.callers.iter());
        let mut registers = frames.flat_map(|frame| {
            let variadic = frame.variadic.iter().map(|argument| argument.value);
            frame.values.iter().copied().chain(variadic)
        });
        let is_too_much = registers.any(|value| matches!(value, Value::Expr(e) if are_too_many(e)))
            || state.exit.is_some_and(are_too_many)
            || state.world.exceptions.iter().flat_map(|flags| flags.raised).any(are_too_many)
            || state.world.kernel.depends(&are_too_many)
            || state.apart.iter().any(|(_, effects)| effects.depend(&are_too_many))
            || state.memory.may_have(&are_too_many);
        (!is_too_much).then(|| found.take())
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
        exec::{Clock, Coverage, Limits, Quantum, Start},
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
        let open = OpenClasses::one((0..2).map(Revision).collect());
        let quantum = Quantum::unlimited(&open, Clock::new(None, &never));
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
