//! Calls and returns, variadic arguments, and the bridge to the models of the environment.

use std::sync::Arc;

use super::{Executor, Frame, interpret::Next, state::VariadicArgument};
use crate::{
    env::{
        Error, Machine, Stop, World,
        models::{self, Arguments},
    },
    expr::{ExprId, Exprs},
    ir::{Call, Callee, Function, FunctionId, Inst, Operand, address},
    memory::{Memory, Object, Segment, Value},
};

/// Deepest nesting of calls, a stand-in for the 8 MiB of a native stack.
const CALL_DEPTH: usize = 20_000;

/// SysV x86-64: general registers for arguments, and bytes of the register save area.
const GENERAL_REGISTERS: usize = 6;
const GENERAL_BYTES: usize = 48;
const SAVE_AREA_BYTES: usize = 176;

impl Executor<'_> {
    pub(super) fn call(&mut self, call: &Call) -> Result<Next, Stop> {
        let program = self.program;
        let id = match call.callee {
            Callee::Direct(id) => id,
            Callee::Indirect(operand) => {
                let target = self.settle_value(self.get(operand), 64, "function pointer")?;
                address::function_at(target)
                    .filter(|id| (id.0 as usize) < program.module.functions.len())
                    .ok_or(if target < crate::memory::NULL_PAGE {
                        Error::NullDereference
                    } else {
                        Error::OutOfBounds
                    })?
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
        if self.state.callers.len() >= CALL_DEPTH {
            return Err(Stop::unsupported(format!("calls nested {CALL_DEPTH} deep")));
        }
        let mut registers = vec![Value::Undefined; function.registers as usize];
        let mut copies = Vec::new();
        for (index, (argument, width)) in call.args.iter().zip(&function.params).enumerate() {
            let mut value = self.get(argument.value);
            if let Some(size) = argument.byval {
                let object = Object::uninitialised(Segment::Stack, size as usize);
                let copy = self.state.memory.allocate(object);
                self.copy_bytes(Value::Int(copy), value, Value::Int(size))?;
                copies.push(address::object_number(copy));
                value = Value::Int(copy);
            } else if argument.width != *width {
                return Err(Stop::unsupported(format!(
                    "a call of {} whose argument {} has {} bits instead of {width}",
                    function.name,
                    index + 1,
                    argument.width
                )));
            }
            registers[index] = self.fixed(value, *width);
        }
        let variadic = call.args[fixed..]
            .iter()
            .map(|argument| VariadicArgument {
                value: self.get(argument.value),
                width: argument.width,
                float: argument.float,
            })
            .collect();
        let frame = Frame { function: id, pc: 0, registers, locals: copies, variadic };
        let caller = std::mem::replace(&mut self.state.top, frame);
        self.state.callers.push(Arc::new(caller));
        Ok(Next::Frame)
    }

    pub(super) fn leave(&mut self, values: &[Operand]) -> Result<Next, Stop> {
        let values: smallvec::SmallVec<[Value; 2]> =
            values.iter().map(|operand| self.get(*operand)).collect();
        let function = &self.program.module.functions[self.state.top.function.0 as usize];
        let Some(caller) = self.state.callers.pop() else {
            if !matches!(function.returns[..], [] | [32]) {
                return Err(Stop::unsupported("a main that does not return int"));
            }
            return self.leave_entry(values.first().copied());
        };
        let locals = std::mem::take(&mut self.state.top.locals);
        self.state.memory.release(&locals);
        self.state.top = Arc::unwrap_or_clone(caller);
        let code = &self.program.module.functions[self.state.top.function.0 as usize].code;
        if let Some(Inst::Call(call)) = code.get(self.state.top.pc as usize) {
            if !call.results.is_empty() && call.widths != function.returns {
                return Err(Stop::unsupported(format!(
                    "a call of {} as a function that returns another type",
                    function.name
                )));
            }
            for ((reg, width), value) in call.results.iter().zip(&call.widths).zip(values) {
                let value = self.fixed(value, *width);
                self.set(*reg, value);
            }
        }
        self.state.top.pc = self.state.top.pc.wrapping_add(1);
        Ok(Next::Frame)
    }

    /// What was never written becomes one arbitrary value when it is passed on.
    fn fixed(&mut self, value: Value, width: u32) -> Value {
        match value {
            Value::Undefined => Value::Expr(self.uninitialised(width)),
            value => value,
        }
    }

    /// `main` has returned: the same as calling `exit` with its value.
    fn leave_entry(&mut self, value: Option<Value>) -> Result<Next, Stop> {
        let value = value.unwrap_or(Value::Int(0));
        self.before_call = Some(Box::new(self.state.clone()));
        let stop = models::process::exit(self, value);
        self.before_call = None;
        Err(stop)
    }

    fn call_model(
        &mut self,
        id: FunctionId,
        function: &Function,
        call: &Call,
    ) -> Result<Next, Stop> {
        let Some(model) = self.program.models.get(&id) else {
            return Err(Stop::unsupported(format!("a call of {}", function.name)));
        };
        let values: Vec<Value> = call.args.iter().map(|a| self.get(a.value)).collect();
        let arguments = Arguments { values: &values, passed: &call.args };
        // A fork inside the model runs the whole call again from here.
        self.before_call = Some(Box::new(self.state.clone()));
        let result = model(self, arguments);
        self.before_call = None;
        let value = result?;
        if let (Some(reg), Some(value)) = (call.results.first(), value) {
            self.set(*reg, value);
        }
        Ok(Next::Advance)
    }

    /// Fills a `va_list` as the System V ABI for x86-64 (section 3.5.7) lays it out.
    pub(super) fn va_start(&mut self, function: &Function, list: Value) -> Result<(), Stop> {
        let named = function.params.len().min(GENERAL_REGISTERS);
        let arguments = self.state.top.variadic.clone();
        let mut allocate = |size: usize| {
            let address = self.state.memory.allocate(Object::uninitialised(Segment::Stack, size));
            self.state.top.locals.push(address::object_number(address));
            address
        };
        let save = allocate(SAVE_AREA_BYTES);
        let overflow = allocate(arguments.len() * 16 + 8);
        let (mut general, mut floating, mut stack) = (named, 0, 0u64);
        for argument in arguments {
            let at = if argument.float && argument.width <= 64 && floating < 8 {
                floating += 1;
                save + (GENERAL_BYTES + 16 * (floating - 1)) as u64
            } else if !argument.float && argument.width <= 64 && general < GENERAL_REGISTERS {
                general += 1;
                save + 8 * (general as u64 - 1)
            } else {
                let size = u64::from(argument.width.div_ceil(64)) * 8;
                if size == 16 {
                    stack = stack.next_multiple_of(16);
                }
                stack += size;
                overflow + stack - size
            };
            self.store_bits(Value::Int(at), argument.width, argument.value)?;
        }
        let fields = [
            (0, 32, 8 * named as u64),
            (4, 32, GENERAL_BYTES as u64),
            (8, 64, overflow),
            (16, 64, save),
        ];
        for (at, width, value) in fields {
            let address = crate::env::offset(&self.program.exprs, list, at);
            self.store_bits(address, width, Value::Int(value))?;
        }
        Ok(())
    }
}

impl Machine for Executor<'_> {
    fn exprs(&self) -> &Exprs {
        &self.program.exprs
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.state.memory
    }

    fn world(&mut self) -> &mut World {
        &mut self.state.world
    }

    fn decide(&mut self, condition: ExprId) -> Result<bool, Stop> {
        self.settle(condition)
    }

    fn assume(&mut self, condition: ExprId) -> Result<(), Stop> {
        self.restrict(condition)
    }

    fn require(&mut self, condition: ExprId) -> Result<(), Stop> {
        let condition = self.settle_revision(condition)?;
        if !self.state.branch.has_meta_fork() {
            return self.restrict(condition);
        }
        if self.settle(condition)? { Ok(()) } else { Err(Stop::Halt(crate::env::Halt::Outside)) }
    }

    fn settled(&mut self, value: Value, width: u32) -> Result<ExprId, Stop> {
        match value {
            Value::Undefined => Err(Error::UninitialisedRead.into()),
            Value::Int(int) => Ok(self.program.exprs.constant(width, int)),
            Value::Expr(expr) if self.program.exprs.width(expr) == width => {
                self.settle_revision(expr)
            }
            Value::Expr(expr) => {
                let actual = self.program.exprs.width(expr);
                Err(Stop::unsupported(format!("an argument of {actual} bits, not {width}")))
            }
        }
    }

    fn concrete(&mut self, value: Value, width: u32, what: &str) -> Result<u64, Stop> {
        self.settle_value(value, width, what)
    }

    fn load(&mut self, address: Value, width: u32) -> Result<Value, Stop> {
        self.load_bits(address, width)
    }

    fn store(&mut self, address: Value, width: u32, value: Value) -> Result<(), Stop> {
        self.store_bits(address, width, value)
    }

    fn copy(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop> {
        self.copy_bytes(to, from, length)
    }

    fn fill(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop> {
        self.fill_bytes(to, byte, length)
    }

    fn revision(&self) -> ExprId {
        self.program.revision_expr
    }
}
