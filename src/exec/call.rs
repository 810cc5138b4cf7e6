//! Calls and returns, variadic arguments, and the bridge to the models of the environment.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{
    Callers, Executor, Frame, VariadicArgument, executor::Checkpoint, jump::Jump, step::Next,
};
use crate::{
    env::{
        Halt, Incomplete, Machine, Stop, World,
        call::{Arguments, Model},
        libc,
    },
    errors::Error,
    expr::{ExprId, Exprs, float::Operation},
    ir::{Call, CallArgument, Callee, Cast, Function, FunctionId, Inst, Operand, address},
    memory::{Byte, Memory, Segment, Value},
    subject::Revision,
};

/// The deepest nesting of calls: a stand-in for the 8 MiB of a native stack.
const CALL_DEPTH: usize = 20_000;

/// The number of bytes behind the last variadic argument on the stack that a program may read,
/// although no argument is there.
const BEYOND: usize = 64;
/// System V ABI for x86-64: the registers for arguments, and the bytes of the register save area.
const GENERAL_REGISTERS: usize = 6;
const FLOATING_REGISTERS: usize = 8;
const GENERAL_BYTES: usize = 48;
const SAVE_AREA_BYTES: usize = 176;

impl Executor<'_> {
    pub(super) fn call(&mut self, call: &Call) -> Result<Next, Stop> {
        let program = self.program;
        let id = match call.callee {
            Callee::Direct(id) => id,
            Callee::Indirect(operand) => {
                let target = self.concretise(self.get(operand), 64, "function pointer")?;
                self.function_at(target)?
            }
        };
        let function = &program.module.functions[id.0 as usize];
        if function.code.is_empty() {
            return self.call_model(id, function, call);
        }
        let fixed = function.params.len();
        if call.args.len() < fixed {
            return Err(Stop::unsupported(format!(
                "a call of {} with too few arguments",
                function.name
            )));
        }
        if function.library
            && let Some(preparation) = program.preparations.get(&id)
            && let Some(value) = self.run_model(*preparation, call)?
        {
            self.set_results(call, &function.name, &function.returns, &[value])?;
            return Ok(Next::Advance);
        }
        if program.choosers[id.0 as usize] && self.arm(id, call) {
            return Ok(Next::Advance);
        }
        if self.state.callers.len() >= CALL_DEPTH {
            return Err(Stop::unsupported(format!("calls nested {CALL_DEPTH} deep")));
        }
        let mut spare = self.spare.pop().unwrap_or_default();
        let frame = &mut Arc::get_mut(&mut spare).expect("nothing else uses a spare frame").frame;
        frame.function = id;
        frame.pc = 0;
        frame.locals.clear();
        frame.variadic.clear();
        frame.room = self.state.top.room;
        frame.values.clear();
        frame.values.extend_from_slice(&program.frames[id.0 as usize]);
        for (index, argument) in call.args.iter().enumerate() {
            let mut value = self.get(argument.value);
            if let Some(size) = argument.byval {
                let room = &mut self.spare_memory;
                let copy = self.state.memory.allocate_local(size as usize, 1, room);
                self.copy_bytes(Value::Int(copy), value, Value::Int(size))?;
                frame.locals.push(address::object_number(copy));
                value = Value::Int(copy);
            }
            let Some(width) = function.params.get(index) else {
                let CallArgument { width, byval, float, .. } = *argument;
                frame.variadic.push(VariadicArgument { value, width, byval, float });
                continue;
            };
            if argument.byval.is_none() && !argument.float && argument.width > *width {
                // The callee reads only the low bits of the register.
                value = self.cast(Cast::Trunc, argument.width, *width, value);
            } else if argument.byval.is_none() && argument.width != *width {
                return Err(Stop::unsupported(format!(
                    "a call of {} whose argument {} has {} bits instead of {width}",
                    function.name,
                    index + 1,
                    argument.width
                )));
            }
            frame.values[index] = self.fixed(value, *width);
        }
        std::mem::swap(frame, &mut self.state.top);
        self.state.callers.push(spare);
        Ok(Next::Frame)
    }

    fn function_at(&self, target: u64) -> Result<FunctionId, Stop> {
        let functions = self.program.module.functions.len();
        let is_function = |id: &FunctionId| (id.0 as usize) < functions;
        match address::function_at(target).filter(is_function) {
            Some(id) => Ok(id),
            None if target < crate::memory::NULL_PAGE => Err(Error::NullDereference.into()),
            // Natively, there are instructions at this address, too.
            None if address::is_code(target) => {
                Err(Stop::unsupported("a call of an address inside a function"))
            }
            None => Err(Error::OutOfBounds.into()),
        }
    }

    pub(super) fn leave(&mut self, values: &[Operand]) -> Result<Next, Stop> {
        let values: SmallVec<[Value; 2]> =
            values.iter().map(|operand| self.get(*operand)).collect();
        let function = &self.program.module.functions[self.state.top.function.0 as usize];
        if self.state.callers.is_empty() {
            if !matches!(function.returns[..], [] | [32]) {
                return Err(Stop::unsupported("a main that does not return int"));
            }
            return self.leave_entry(values.first().copied());
        }
        if self.program.choosers[self.state.top.function.0 as usize]
            && self.state.revisions.len() > 1
            && let [value] = values[..]
        {
            self.arms.insert(self.state.top.function, (self.state.revisions.clone(), value));
        }
        self.return_to_caller();
        let code = &self.program.module.functions[self.state.top.function.0 as usize].code;
        if let Some(Inst::Call(call)) = code.get(self.state.top.pc as usize) {
            self.set_results(call, &function.name, &function.returns, &values)?;
            if !self.state.jumps.is_empty() {
                self.forget_jumps();
            }
        }
        self.state.top.pc = self.state.top.pc.wrapping_add(1);
        Ok(Next::Frame)
    }

    /// Sets the results of a call to values of these widths. Where the call declares fewer bits, it
    /// takes the low ones.
    fn set_results(
        &mut self,
        call: &Call,
        name: &str,
        widths: &[u32],
        values: &[Value],
    ) -> Result<(), Stop> {
        if widths.is_empty() && (call.results.is_empty() || !self.result_is_read()) {
            // The caller declares a result that the function does not have (`int` by default).
            for (reg, width) in call.results.iter().zip(&call.widths) {
                let value = self.undefined_value(*width);
                self.set(*reg, value);
            }
            return Ok(());
        }
        let narrows = |(wanted, given): (&u32, &u32)| wanted <= given;
        if call.widths.len() > widths.len() || !call.widths.iter().zip(widths).all(narrows) {
            return Err(Stop::unsupported(format!(
                "a call of {name} as a function that returns another type"
            )));
        }
        let given = widths.iter().zip(values);
        for ((reg, wanted), (width, value)) in call.results.iter().zip(&call.widths).zip(given) {
            let mut value = self.fixed(*value, *width);
            if wanted < width {
                value = self.cast(Cast::Trunc, *width, *wanted, value);
            }
            self.set(*reg, value);
        }
        Ok(())
    }

    /// Sets the result of a call of a chooser, the function that gives the arm of a meta branch, if
    /// the result is known for the state's revisions. Returns whether it is.
    fn arm(&mut self, id: FunctionId, call: &Call) -> bool {
        let (Some((set, value)), [reg]) = (self.arms.get(&id), &call.results[..]) else {
            return false;
        };
        if !self.state.revisions.is_subset(set) {
            return false;
        }
        let value = *value;
        self.is_as_claimed();
        self.state.asked = true;
        self.depends_on_revision |= self.state.revisions.len() > 1;
        self.set(*reg, value);
        true
    }

    /// Ends the running function, if it has a caller.
    pub(super) fn return_to_caller(&mut self) {
        let Some(mut caller) = self.state.callers.pop() else { return };
        self.state.memory.release(&self.state.top.locals, &mut self.spare_memory);
        match Arc::get_mut(&mut caller) {
            Some(unique) => {
                std::mem::swap(&mut unique.frame, &mut self.state.top);
                self.spare.push(caller);
            }
            None => self.state.top = caller.frame.clone(),
        }
    }

    /// `value`. An undefined value becomes one arbitrary value, as it is passed on.
    fn fixed(&mut self, value: Value, width: u32) -> Value {
        match value {
            Value::Undefined => self.undefined_value(width),
            value => value,
        }
    }

    /// Ends the program with this exit code: starts the next function that is registered to run at
    /// exit, or stops if there is none.
    pub(super) fn run_at_exit(&mut self, code: ExprId) -> Result<(), Stop> {
        let Some(function) = self.state.world.at_exit.pop() else {
            return Err(Stop::Exit(code));
        };
        self.state.exit = Some(code);
        let id = self.function_at(function)?;
        let function = &self.program.module.functions[id.0 as usize];
        if function.code.is_empty() || !function.params.is_empty() {
            return Err(Stop::unsupported(format!("{} at exit", function.name)));
        }
        let values = self.program.frames[id.0 as usize].to_vec();
        // Nothing returns to the frames below, but their variables are still there.
        self.state.callers = Callers::default();
        self.state.jumps.clear();
        self.state.top = Frame { function: id, values, ..Frame::default() };
        Ok(())
    }

    /// `main` has returned: the same as calling `exit` with its value.
    fn leave_entry(&mut self, value: Option<Value>) -> Result<Next, Stop> {
        if let Some(code) = self.state.exit {
            // One of the functions that run at exit has returned.
            return Err(Stop::Exit(code));
        }
        let value = value.unwrap_or(Value::Int(0));
        Err(libc::process::exit(self, value))
    }

    fn call_model(
        &mut self,
        id: FunctionId,
        function: &Function,
        call: &Call,
    ) -> Result<Next, Stop> {
        let Some(model) = self.program.models.get(&id) else {
            if let Some(jump) = Jump::of(&function.name) {
                return self.jump(jump, call);
            }
            let unknown = Incomplete::UnknownFunction(function.name.clone());
            return Err(Stop::Halt(Halt::Incomplete(unknown)));
        };
        if !self.state.apart.is_empty() {
            self.part_by_effects(function, call);
        }
        let before = (!self.state.apart.is_empty()).then(|| self.state.effects());
        let value = self.run_model(*model, call)?;
        // Otherwise what the model did would be recorded for some of the revisions only.
        let did_nothing = before.is_none_or(|before| self.state.has_done_nothing_since(&before));
        assert!(did_nothing, "{} has effects", function.name);
        if let (Some(wanted), Some(value)) = (call.widths.first(), value) {
            // A known number is as wide as a register.
            let width = match value {
                Value::Expr(e) => self.program.exprs.width(e),
                Value::Int(_) | Value::Undefined => (*wanted).max(u64::BITS),
            };
            self.set_results(call, &function.name, &[width], &[value])?;
        }
        Ok(Next::Advance)
    }

    fn run_model(&mut self, model: Model, call: &Call) -> Result<Option<Value>, Stop> {
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        for argument in &call.args {
            let value = self.get(argument.value);
            // A model of a floating-point function takes its argument for a number, never for an
            // address.
            let is_number = argument.float && argument.width == 64;
            values.push(if is_number { self.number(64, value) } else { value });
        }
        let arguments = Arguments { values: &values, passed: &call.args };
        // A fork inside the model runs the whole call again from here.
        self.checkpoint = Checkpoint::Unchanged;
        let result = model(self, arguments);
        if result == Err(Stop::Later) {
            let (claim, tokens, waits) = (self.state.claim, self.state.tokens(), self.state.waits);
            self.state = self.sibling();
            self.state.put_off_at = tokens;
            (self.state.claim, self.state.waits) = (claim, waits);
        }
        self.checkpoint = Checkpoint::NoCall;
        result
    }

    /// To be called when a model is about to change the state: keeps the state as it was, unless
    /// the model can no longer fork. Most calls decide nothing, or decide before they change
    /// anything, and copying the state is expensive.
    fn keep_checkpoint(&mut self) {
        if matches!(self.checkpoint, Checkpoint::Unchanged) {
            self.checkpoint = Checkpoint::Kept(Box::new(self.state.clone()));
        }
    }

    /// To be called when a model is about to move bytes. If both ends are known, the model does not
    /// fork any more. Otherwise keeps the state as it was.
    fn before_bytes(&mut self, to: Value, from: Value) {
        match (to, from) {
            (Value::Int(_), Value::Int(_)) => Machine::commit(self),
            _ => self.keep_checkpoint(),
        }
    }

    /// Fills a `va_list` as the System V ABI for x86-64 (section 3.5.7) lays it out.
    pub(super) fn va_start(&mut self, list: Value) -> Result<(), Stop> {
        let mut used = self.registers_of_fixed_arguments();
        let fields = [(0, 8 * used.general), (4, GENERAL_BYTES + 16 * used.floating)];
        let mut all = used;
        for argument in &self.state.top.variadic {
            all.place(argument.width, argument.byval, argument.float);
        }
        let mut allocate = |size: usize| {
            // Section 3.2.2: the stack is aligned to 16 bytes at a call.
            let room = &mut self.spare_memory;
            let address = self.state.memory.allocate_local(size, 16, room);
            self.state.top.locals.push(address::object_number(address));
            address
        };
        let (save, overflow) = (allocate(SAVE_AREA_BYTES), allocate(all.stack + BEYOND));
        for area in [save, overflow] {
            self.state.memory.object_mut(area)?.segment = Segment::Arguments;
        }
        for index in 0..self.state.top.variadic.len() {
            let argument = self.state.top.variadic[index];
            let at = match used.place(argument.width, argument.byval, argument.float) {
                ArgumentPlace::Register(offset) => save + offset as u64,
                ArgumentPlace::Stack(offset) => overflow + offset as u64,
            };
            match argument.byval {
                Some(size) => {
                    self.copy_bytes(Value::Int(at), argument.value, Value::Int(size))?;
                }
                None => self.store_bits(Value::Int(at), argument.width, argument.value)?,
            }
        }
        for (at, value) in fields {
            let address = crate::env::offset(&self.program.exprs, list, at);
            self.store_bits(address, 32, Value::Int(value as u64))?;
        }
        for (at, value) in [(8, overflow), (16, save)] {
            let address = crate::env::offset(&self.program.exprs, list, at);
            self.store_bits(address, 64, Value::Int(value))?;
        }
        Ok(())
    }

    /// The registers that the fixed arguments of the running function took. The stack counts from
    /// where the variadic arguments begin.
    fn registers_of_fixed_arguments(&self) -> ArgumentRegisters {
        let mut used = ArgumentRegisters::default();
        let function = |frame: &Frame| &self.program.module.functions[frame.function.0 as usize];
        let caller = self.state.callers.iter().next();
        let call = caller.and_then(|frame| function(frame).code.get(frame.pc as usize));
        if let Some(Inst::Call(call)) = call {
            for argument in call.args.iter().take(function(&self.state.top).params.len()) {
                used.place(argument.width, argument.byval, argument.float);
            }
        }
        used.stack = 0;
        used
    }
}

/// Registers and stack that arguments have taken.
#[derive(Clone, Copy, Debug, Default)]
struct ArgumentRegisters {
    general: usize,
    floating: usize,
    stack: usize,
}

/// The place of an argument: an offset in bytes in the register save area, or in the area of the
/// arguments on the stack.
enum ArgumentPlace {
    Register(usize),
    Stack(usize),
}

impl ArgumentRegisters {
    /// The place of the next argument (section 3.2.3).
    fn place(&mut self, width: u32, byval: Option<u64>, float: bool) -> ArgumentPlace {
        let words = width.div_ceil(64) as usize;
        // An x87 number is passed in memory.
        let vector = float && width != 80;
        if byval.is_none() && vector && self.floating < FLOATING_REGISTERS {
            self.floating += 1;
            return ArgumentPlace::Register(GENERAL_BYTES + 16 * (self.floating - 1));
        }
        if byval.is_none() && !float && words <= 2 && self.general + words <= GENERAL_REGISTERS {
            self.general += words;
            return ArgumentPlace::Register(8 * (self.general - words));
        }
        let size = byval.map_or(8 * words, |size| size.next_multiple_of(8) as usize);
        if byval.is_none() && words == 2 {
            self.stack = self.stack.next_multiple_of(16);
            if !float {
                // As in LLVM, no later argument gets the register that is left.
                self.general = GENERAL_REGISTERS;
            }
        }
        self.stack += size;
        ArgumentPlace::Stack(self.stack - size)
    }
}

impl Machine for Executor<'_> {
    fn exprs(&self) -> &Exprs {
        &self.program.exprs
    }

    fn raise(&mut self, operation: Operation, operands: &[Value], width: u32) {
        self.keep_checkpoint();
        Executor::raise(self, operation, operands, width);
    }

    fn memory(&self) -> &Memory {
        &self.state.memory
    }

    fn memory_mut(&mut self) -> &mut Memory {
        self.keep_checkpoint();
        &mut self.state.memory
    }

    fn world(&self) -> &World {
        &self.state.world
    }

    fn world_mut(&mut self) -> &mut World {
        self.keep_checkpoint();
        &mut self.state.world
    }

    fn commit(&mut self) {
        if matches!(self.checkpoint, Checkpoint::Unchanged) {
            self.checkpoint = Checkpoint::Committed;
        }
    }

    fn read_on(&mut self) -> Result<(), Stop> {
        let is_enough = self.state.world.stdin.tokens() >= self.tokens;
        if is_enough && !self.decides_nothing { Err(Stop::Later) } else { Ok(()) }
    }

    fn result_is_read(&self) -> bool {
        let frame = &self.state.top;
        let function = &self.program.module.functions[frame.function.0 as usize];
        let Some(Inst::Call(call)) = function.code.get(frame.pc as usize) else { return true };
        let live = self.program.flows.of(&self.program.module, frame.function).live(frame.pc + 1);
        call.results.iter().any(|result| live.contains(result.0 as usize))
    }

    fn branch(&mut self, condition: ExprId) -> Result<bool, Stop> {
        self.branch(condition)
    }

    fn assume(&mut self, condition: ExprId) -> Result<(), Stop> {
        self.assume(condition)
    }

    fn require(&mut self, condition: ExprId) -> Result<(), Stop> {
        let condition = self.without_revision(condition)?;
        if !self.state.lineage.has_meta_fork() {
            return self.assume(condition);
        }
        if self.branch(condition)? { Ok(()) } else { Err(Stop::Halt(Halt::Outside)) }
    }

    fn expect(&mut self, condition: ExprId) -> Result<(), Stop> {
        let condition = self.without_revision(condition)?;
        let with_original = self.state.revisions.contains(Revision::ORIGINAL);
        if with_original && !self.state.lineage.has_meta_fork() {
            return self.assume(condition);
        }
        if self.branch(condition)? { Ok(()) } else { Err(Stop::Halt(Halt::Malformed)) }
    }

    fn free_of_revision(&mut self, value: Value, width: u32) -> Result<ExprId, Stop> {
        match self.written(value, width)? {
            Value::Undefined => unreachable!("`written` gives none"),
            Value::Int(int) => Ok(self.program.exprs.constant(width, int)),
            Value::Expr(expr) if self.program.exprs.width(expr) == width => {
                self.without_revision(expr)
            }
            Value::Expr(expr) => {
                let actual = self.program.exprs.width(expr);
                Err(Stop::unsupported(format!("an argument of {actual} bits, not {width}")))
            }
        }
    }

    fn concretise(&mut self, value: Value, width: u32, what: &str) -> Result<u64, Stop> {
        self.concretise(value, width, what)
    }

    fn truncated(&mut self, value: Value, width: u32) -> Value {
        self.cast(Cast::Trunc, 64, width, value)
    }

    fn capacity(&mut self, extent: ExprId) -> u64 {
        Self::capacity(self, extent)
    }

    fn reach(&mut self, address: u64, length: u64) -> Result<(), Stop> {
        Self::reach(self, address, length)
    }

    fn peek(&self, address: u64, given: ExprId) -> Option<Byte> {
        Self::peek(self, address, given)
    }

    fn load(&mut self, address: Value, width: u32) -> Result<Value, Stop> {
        self.load_bits(address, width)
    }

    fn store(&mut self, address: Value, width: u32, value: Value) -> Result<(), Stop> {
        self.keep_checkpoint();
        self.store_bits(address, width, value)
    }

    fn copy(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop> {
        let length = self.bounded_length(&[to, from], length, "length to copy")?;
        self.before_bytes(to, from);
        self.copy_bytes(to, from, length)
    }

    fn fill(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop> {
        let length = self.bounded_length(&[to], length, "length to fill")?;
        self.before_bytes(to, to);
        self.fill_bytes(to, byte, length)
    }

    fn revision(&mut self) -> ExprId {
        self.is_as_claimed();
        self.state.asked = true;
        self.program.revision_expr
    }
}
