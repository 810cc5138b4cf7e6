//! Runs a program instruction by instruction, and notes what each step rests on ([`Recorder`]).

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    accesses::Values,
    regions::Regions,
    steps::{Channel, Executed, Record, RunStep, Shown},
};
use crate::{
    env::{Halt, Incomplete, Stop},
    exec::{Clock, Executor, step::Next},
    expr::{Assignment, ExprId},
    ir::{CallArgument, Callee, FunctionId, Inst, Operand, OperandKind, address},
};

/// The longest part of an object, in bytes, that is taken to depend on a branch, or that a call
/// outside the program is taken to use.
const LONGEST: u64 = 4096;

pub(super) struct Recorder<'a> {
    pub(super) executor: Executor<'a>,
    pub(super) seed: &'a Arc<Assignment>,
    pub(super) decided: Arc<Mutex<Vec<ExprId>>>,
    pub(super) record: Record,
    /// A frame for each of the program's, the running one last.
    pub(super) frames: Vec<Registers>,
    /// What each byte rests on, by its address.
    pub(super) memory: FxHashMap<u64, Basis>,
    pub(super) regions: Regions,
}

/// What a value rests on: the step that wrote it, and branches whose other way might have written
/// something else.
pub(super) type Basis = SmallVec<[RunStep; 2]>;

/// What the values in a frame rest on.
#[derive(Default)]
pub(super) struct Registers {
    /// By register, what its value rests on.
    written: FxHashMap<u32, Basis>,
    /// What the variadic arguments rest on.
    variadic: Basis,
    /// The call of the function.
    call: Option<RunStep>,
    /// The branches whose ways have not met yet, each with the place where they meet.
    branches: Vec<(RunStep, Option<u32>)>,
}

impl Recorder<'_> {
    pub(super) fn run(mut self, clock: Clock<'_>, most: usize) -> Record {
        while self.record.steps.len() < most
            && (!self.record.steps.len().is_multiple_of(1024) || !clock.is_over())
        {
            if self.executor.state.instructions >= self.executor.limits.instructions {
                break;
            }
            if let Some(halt) = self.step() {
                self.end(halt);
                break;
            }
        }
        self.record
    }

    /// Runs one instruction; returns how the program ends, if it does.
    fn step(&mut self) -> Option<Halt> {
        let program = self.executor.program;
        let (id, pc) = (self.executor.state.top.function, self.executor.state.top.pc);
        self.follow_frames();
        self.meet(id, pc);
        let inst = &program.module.functions[id.0 as usize].code[pc as usize];
        let step = self.begin(inst);
        let outside = self.called_outside(inst);
        let before = outside.then(|| self.before(inst));
        let values = self.values();
        let (copied, written) = (values.copied(inst), values.written(inst));
        let open = written.and_then(|_| self.open(inst));
        let passed = self.passed(inst, step);
        self.executor.state.run_from = pc;
        self.executor.state.instructions += 1;
        self.decided().clear();
        let next = self.executor.step(inst);
        self.decide(step);
        let end = match next {
            Ok(next) => {
                match next {
                    Next::Advance => self.executor.state.top.pc = pc + 1,
                    Next::Jump(target, _) => self.executor.state.top.pc = target.0,
                    Next::Frame => {}
                }
                self.results(inst, step, outside, passed, matches!(next, Next::Frame));
                None
            }
            Err(Stop::Exit(code)) => match self.executor.run_at_exit(code) {
                Ok(()) => {
                    self.frames.clear();
                    None
                }
                Err(Stop::Exit(code)) => Some(Halt::Exit(code)),
                Err(stop) => Some(halt_of(stop)),
            },
            Err(stop) => Some(halt_of(stop)),
        };
        if let Some(before) = before {
            self.after(step, before);
        }
        for at in open.into_iter().flat_map(|(at, length)| at..at + length) {
            add(self.memory.entry(at).or_default(), step);
        }
        // If the place depends on the input, what was there may stay.
        if let Some((address, length)) = written.filter(|_| open.is_none()) {
            self.memory
                .extend((address..address + length).map(|at| (at, Basis::from_elem(step, 1))));
        }
        if let Some((to, from, length)) = copied {
            self.copy(step, to, from, length);
        }
        if self.is_branch(inst) && end.is_none() {
            let meets = program.flows.of(&program.module, id).meets(pc);
            self.running().branches.push((step, meets));
        }
        end
    }

    /// Removes the branches whose ways meet at an instruction that is about to run. What one of the
    /// ways may have written rests on the branch from now on.
    fn meet(&mut self, id: FunctionId, pc: u32) {
        let program = self.executor.program;
        let code = &program.module.functions[id.0 as usize].code;
        let mut met = BTreeSet::new();
        while let Some((branch, meets)) = self.running().branches.last().copied()
            && meets == Some(pc)
        {
            self.running().branches.pop();
            // Earlier rounds of a loop only decide that there is a later one.
            let place = self.record.steps[branch as usize].place;
            if !met.insert(place.1) {
                continue;
            }
            let region = self.regions.of(program, place, pc);
            let written = &mut self.running().written;
            for register in &region.registers {
                add(written.entry(*register).or_default(), branch);
            }
            let is_same = |operand: &Operand| {
                register(*operand).is_none_or(|register| !region.registers.contains(&register))
            };
            let variables = region.variables.iter().copied();
            let stores = region.stores.iter().map(|pc| &code[*pc as usize]);
            let values = self.values();
            // An address that is made on the way is not known, but the object may be.
            let parts = stores.filter_map(|inst| match inst {
                Inst::Store { address, .. } if is_same(address) => {
                    self.open(inst).or_else(|| values.written(inst))
                }
                Inst::Store { address, .. } => {
                    let made = |(made, _): &&(u32, Operand)| register(*address) == Some(*made);
                    let (_, base) = region.addresses.iter().find(made)?;
                    self.object(values.value(*base).filter(|_| is_same(base))?)
                }
                Inst::StoreIndexed { at, .. } if is_same(&at.base) => match is_same(&at.index) {
                    true => self.open(inst).or_else(|| values.written(inst)),
                    false => self.object(values.value(at.base)?),
                },
                Inst::Fill { to, .. } | Inst::Copy { to, .. } if is_same(to) => {
                    self.object(values.value(*to)?)
                }
                _ => None,
            });
            let parts: Vec<_> =
                parts.chain(variables.filter_map(|address| self.object(address))).collect();
            for at in parts.into_iter().flat_map(|(at, length)| at..at + length) {
                add(self.memory.entry(at).or_default(), branch);
            }
        }
    }

    /// The object that an instruction accesses, if its place there depends on the input.
    fn open(&self, inst: &Inst) -> Option<(u64, u64)> {
        let address = self.values().open_address(inst)?;
        self.object(address - address::offset(address))
    }

    /// The part of an object from an address on, as address and length, up to [`LONGEST`] bytes.
    pub(super) fn object(&self, address: u64) -> Option<(u64, u64)> {
        let object = self.executor.state.memory.object(address).ok()?;
        let length = object.capacity().checked_sub(address::offset(address))?;
        (length > 0).then_some((address, length.min(LONGEST)))
    }

    fn running(&mut self) -> &mut Registers {
        self.frames.last_mut().expect("the running frame")
    }

    /// Brings the frames to the depth of the program's.
    fn follow_frames(&mut self) {
        let depth = self.executor.state.callers.len() + 1;
        self.frames.truncate(depth);
        self.frames.resize_with(depth, Registers::default);
    }

    /// A new step, with what the operands and the memory that it reads rest on.
    fn begin(&mut self, inst: &Inst) -> RunStep {
        let state = &self.executor.state;
        let frame = self.frames.last().expect("the running frame");
        let mut data = Basis::new();
        let mut rest = |basis: Option<&Basis>| {
            basis.into_iter().flatten().for_each(|step| add(&mut data, *step));
        };
        let of = |operand: Operand| register(operand).and_then(|r| frame.written.get(&r));
        // An argument that is only handed on to a function is used there.
        if !matches!(inst, Inst::Call(_)) || self.called_outside(inst) {
            inst.reads(|operand, _| rest(of(*operand)));
        } else if let Inst::Call(call) = inst
            && let Callee::Indirect(operand) = call.callee
        {
            rest(of(operand));
        }
        if matches!(inst, Inst::VaStart { .. }) {
            rest(Some(&frame.variadic));
        }
        let read = self.values().read(inst).map(|read| self.open(inst).unwrap_or(read));
        if let Some((address, length)) = read {
            (address..address + length).for_each(|at| rest(self.memory.get(&at)));
        }
        let control = frame.branches.last().map(|(step, _)| *step).or(frame.call);
        let place = (state.top.function, state.top.pc);
        self.push(Executed { place, data, control, conditions: SmallVec::new() })
    }

    pub(super) fn push(&mut self, ran: Executed) -> RunStep {
        self.record.steps.push(ran);
        self.record.steps.len() as RunStep - 1
    }

    /// Each copied byte rests on the byte that it was copied from.
    fn copy(&mut self, step: RunStep, to: u64, from: u64, length: u64) {
        let sources: Vec<Basis> = (from..from + length)
            .map(|at| self.memory.get(&at).cloned().unwrap_or_default())
            .collect();
        for (at, source) in (to..).zip(sources) {
            let mut ran = self.record.steps[step as usize].clone();
            ran.data.extend(source);
            let of_byte = self.push(ran);
            self.memory.insert(at, Basis::from_elem(of_byte, 1));
        }
    }

    /// Whether an instruction calls something that is not code of the program.
    fn called_outside(&self, inst: &Inst) -> bool {
        let Inst::Call(call) = inst else { return false };
        let id = match call.callee {
            Callee::Direct(id) => Some(id),
            Callee::Indirect(operand) => {
                self.values().value(operand).and_then(address::function_at)
            }
        };
        let program = self.executor.program;
        let function = id.and_then(|id| program.module.functions.get(id.0 as usize));
        let is_prepared = id.is_some_and(|id| program.preparations.contains_key(&id));
        function.is_none_or(|function| function.code.is_empty() || function.library && is_prepared)
    }

    fn is_branch(&self, inst: &Inst) -> bool {
        matches!(inst, Inst::Branch { .. } | Inst::CompareBranch { .. } | Inst::Switch(_))
    }

    /// What the arguments of a call rest on.
    fn passed(&self, inst: &Inst, step: RunStep) -> Vec<Basis> {
        let Inst::Call(call) = inst else { return Vec::new() };
        let frame = self.frames.last().expect("the running frame");
        let of = |argument: &CallArgument| match argument.byval {
            Some(_) => Basis::from_elem(step, 1),
            None => register(argument.value)
                .and_then(|register| frame.written.get(&register))
                .cloned()
                .unwrap_or_default(),
        };
        call.args.iter().map(of).collect()
    }

    /// Notes what the registers that an instruction has written rest on.
    fn results(
        &mut self,
        inst: &Inst,
        step: RunStep,
        outside: bool,
        passed: Vec<Basis>,
        is_other_frame: bool,
    ) {
        let program = self.executor.program;
        match inst {
            Inst::Call(_) if is_other_frame && !outside => {
                self.follow_frames();
                let id = self.executor.state.top.function;
                let fixed = program.module.functions[id.0 as usize].params.len();
                let frame = self.running();
                frame.call = Some(step);
                for (index, argument) in passed.into_iter().enumerate() {
                    match index < fixed {
                        true => drop(frame.written.insert(index as u32, argument)),
                        false => frame.variadic.extend(argument),
                    }
                }
            }
            Inst::Return { .. } => {
                self.follow_frames();
                // The call stands before the instruction that runs next.
                let top = &self.executor.state.top;
                let code = &program.module.functions[top.function.0 as usize].code;
                let call = top.pc.checked_sub(1).and_then(|pc| code.get(pc as usize));
                if let Some(Inst::Call(call)) = call {
                    let frame = self.running();
                    let results = call.results.iter();
                    frame.written.extend(results.map(|r| (r.0, Basis::from_elem(step, 1))));
                }
            }
            inst => {
                let frame = self.running();
                inst.writes(|register, _| {
                    frame.written.insert(register.0, Basis::from_elem(step, 1));
                });
            }
        }
    }

    /// The values of operands on the input.
    pub(super) fn values(&self) -> Values<'_> {
        let Executor { program, state, .. } = &self.executor;
        Values { exprs: &program.exprs, top: &state.top, seed: self.seed }
    }

    fn decided(&self) -> MutexGuard<'_, Vec<ExprId>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a step has decided.
    fn decide(&mut self, step: RunStep) {
        let decided = std::mem::take(&mut *self.decided());
        let exprs = &self.executor.program.exprs;
        self.record.unsure |= decided.iter().any(|e| exprs.mentions(*e).uninitialised());
        let of_input = decided.into_iter().filter(|e| {
            let mentions = exprs.mentions(*e);
            mentions.input() && !mentions.uninitialised() && !mentions.address()
        });
        self.record.steps[step as usize].conditions.extend(of_input);
    }

    /// Notes how the program has ended.
    fn end(&mut self, halt: Halt) {
        let step = self.record.steps.len() as RunStep - 1;
        if let Halt::Exit(code) = halt {
            let exprs = &self.executor.program.exprs;
            let byte = exprs.evaluate(code, self.seed).to_u64().unwrap_or_default() as u8;
            let value = exprs.as_bv(code).is_none().then_some(code);
            self.record.shown.push(Shown { channel: Channel::Exit, byte, value, step });
        }
        self.record.approximations.clone_from(&self.executor.state.world.approximations);
        self.record.halt = Some(halt);
    }
}

fn halt_of(stop: Stop) -> Halt {
    match stop {
        Stop::Halt(halt) => halt,
        Stop::Exit(code) => Halt::Exit(code),
        Stop::Impossible | Stop::Later => Halt::Incomplete(Incomplete::Instructions),
    }
}

fn register(operand: Operand) -> Option<u32> {
    match operand.kind() {
        OperandKind::Reg(register) => Some(register.0),
        OperandKind::Constant(_) => None,
    }
}

pub(super) fn add(basis: &mut Basis, step: RunStep) {
    if !basis.contains(&step) {
        basis.push(step);
    }
}
