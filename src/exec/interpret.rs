//! The main loop: fetches instructions and dispatches them.

use super::{Executor, Quantum};
use crate::{
    env::{Check, Error, Halt, Incomplete, Stop},
    expr::{ExprId, VariableKind},
    ir::{Inst, Operand, OperandKind, Pc, Reg, Switch},
    memory::{Value, value::truncate},
};

/// Where execution goes after an instruction.
pub(super) enum Next {
    /// To the instruction behind it.
    Advance,
    /// To another one of the same function.
    Jump(Pc),
    /// The running function has changed.
    Frame,
}

impl Executor<'_> {
    /// Runs the state until it stops (`Some`) or the quantum is used up (`None`).
    pub(super) fn run_until_stop(&mut self, quantum: Quantum<'_>) -> Option<Stop> {
        let program = self.program;
        loop {
            let function = &program.module.functions[self.state.top.function.0 as usize];
            loop {
                let pc = self.state.top.pc;
                self.instructions += 1;
                self.state.instructions += 1;
                match self.step(&function.code[pc as usize]) {
                    Ok(Next::Advance) => self.state.top.pc = pc + 1,
                    Ok(Next::Jump(target)) => {
                        self.state.top.pc = target.0;
                        if target.0 <= pc {
                            if self.state.repeats() {
                                return Some(Stop::Halt(Halt::Hang));
                            }
                            if let Some(stop) = self.pause(quantum) {
                                return stop;
                            }
                        }
                    }
                    Ok(Next::Frame) => {
                        if let Some(stop) = self.pause(quantum) {
                            return stop;
                        }
                        break;
                    }
                    Err(Stop::Exit(code)) => {
                        if let Err(stop) = self.run_at_exit(code) {
                            return Some(stop);
                        }
                        break;
                    }
                    Err(stop) => return Some(stop),
                }
            }
        }
    }

    /// Between instructions, at jumps backwards and calls: `Some` where the run has to stop,
    /// because of the limits of the path (`Some(Some)`) or of the quantum (`Some(None)`).
    #[inline]
    #[allow(clippy::option_option)]
    fn pause(&self, quantum: Quantum<'_>) -> Option<Option<Stop>> {
        if self.state.instructions >= self.limits.instructions {
            return Some(Some(Stop::Halt(Halt::Incomplete(Incomplete::Instructions))));
        }
        let late = || self.instructions % 4096 < 8 && quantum.clock.is_over();
        let used_up = self.instructions >= quantum.instructions || self.forks >= quantum.forks;
        (used_up || late()).then_some(None)
    }

    /// Runs one instruction.
    #[inline(always)]
    fn step(&mut self, inst: &Inst) -> Result<Next, Stop> {
        match inst {
            Inst::Move { dst, src, width } => self.copy(*dst, *src, *width),
            Inst::Undefine { dst } => self.set(*dst, Value::Undefined),
            Inst::Binary { op, width, dst, a, b } => {
                let value = self.binary(*op, *width, self.get(*a), self.get(*b))?;
                self.set(*dst, value);
            }
            Inst::Compare { predicate, width, dst, a, b } => {
                let value = self.compare(*predicate, *width, self.get(*a), self.get(*b));
                self.set(*dst, value);
            }
            Inst::Load { width, dst, address } => {
                let value = self.load_bits(self.get(*address), *width)?;
                self.set(*dst, value);
            }
            Inst::Store { width, value, address } => {
                self.store_bits(self.get(*address), *width, self.get(*value))?;
            }
            Inst::Address { dst, base, offset, terms } => {
                let value = self.address(self.get(*base), *offset, terms);
                self.set(*dst, value);
            }
            Inst::Jump { target } => return Ok(Next::Jump(*target)),
            Inst::Branch { condition, then, otherwise } => {
                let holds = match self.get(*condition) {
                    Value::Int(bit) => bit & 1 != 0,
                    Value::Expr(condition) => self.settle(condition)?,
                    Value::Undefined => return Err(Error::UninitialisedRead.into()),
                };
                return Ok(Next::Jump(if holds { *then } else { *otherwise }));
            }
            Inst::Cast { cast, from, to, dst, a } => {
                let value = self.cast(*cast, *from, *to, self.get(*a));
                self.set(*dst, value);
            }
            Inst::Call(call) => return self.call(call),
            Inst::Return { values } => return self.leave(values),
            Inst::Switch(switch) => return self.switch(switch).map(Next::Jump),
            Inst::Select { width, dst, condition, a, b } => {
                let value = self.select(*width, self.get(*condition), self.get(*a), self.get(*b));
                self.set(*dst, value);
            }
            _ => return self.step_rare(inst),
        }
        Ok(Next::Advance)
    }

    #[inline(never)]
    fn step_rare(&mut self, inst: &Inst) -> Result<Next, Stop> {
        match inst {
            Inst::Unary { op, width, dst, a } => {
                let value = self.unary(*op, *width, self.get(*a));
                self.set(*dst, value);
            }
            Inst::Overflow { op, width, dst, overflow, a, b } => {
                let (value, flag) = self.overflow(*op, *width, self.get(*a), self.get(*b));
                self.set(*dst, value);
                self.set(*overflow, flag);
            }
            Inst::FunnelShift { left, width, dst, a, b, by } => {
                let value = self.funnel(*left, *width, self.get(*a), self.get(*b), self.get(*by));
                self.set(*dst, value);
            }
            Inst::Alloca { dst, size, count } => {
                let count = self.settle_value(self.get(*count), 64, "size of a local array")?;
                let address = self.alloca(*size, count)?;
                self.set(*dst, Value::Int(address));
            }
            Inst::Copy { to, from, length } => {
                self.copy_bytes(self.get(*to), self.get(*from), self.get(*length))?;
            }
            Inst::Fill { to, value, length } => {
                self.fill_bytes(self.get(*to), self.get(*value), self.get(*length))?;
            }
            Inst::FloatBinary { op, width, dst, a, b } => {
                let value = self.float_binary(*op, *width, self.get(*a), self.get(*b))?;
                self.set(*dst, value);
            }
            Inst::FloatNegate { width, dst, a } => {
                let sign = Value::Int(1 << (width - 1));
                let value = self.binary(crate::ir::BinaryOp::Xor, *width, self.get(*a), sign)?;
                self.set(*dst, value);
            }
            Inst::FloatCompare { predicate, width, dst, a, b } => {
                let value = self.float_compare(*predicate, *width, self.get(*a), self.get(*b))?;
                self.set(*dst, value);
            }
            Inst::FloatCast { cast, from, to, dst, a } => {
                let value = self.float_cast(*cast, *from, *to, self.get(*a))?;
                self.set(*dst, value);
            }
            Inst::VaStart { list } => self.va_start(self.get(*list))?,
            Inst::VaCopy { to, from } => {
                self.copy_bytes(self.get(*to), self.get(*from), Value::Int(24))?;
            }
            Inst::VaEnd { .. } => {}
            Inst::Unreachable => return Err(Error::Unreachable.into()),
            Inst::Trap { check } => return Err(Stop::Halt(Halt::Trap(check.map(Check)))),
            Inst::Assume { condition } => {
                let condition = self.expr(self.get(*condition), 1);
                if !self.settle(condition)? {
                    return Err(Error::Unreachable.into());
                }
            }
            Inst::Unsupported { what } => return Err(Stop::unsupported(&**what)),
            other => unreachable!("{other:?} is handled by `step`"),
        }
        Ok(Next::Advance)
    }

    /// The value of an operand.
    #[inline(always)]
    pub(super) fn get(&self, operand: Operand) -> Value {
        match operand.kind() {
            OperandKind::Reg(reg) => self.state.top.registers[reg.0 as usize],
            OperandKind::Constant(index) => {
                self.program.constants[self.state.top.function.0 as usize][index as usize]
            }
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.state.top.registers[reg.0 as usize] = value;
    }

    fn copy(&mut self, dst: Reg, src: Operand, width: u32) {
        let mut value = self.get(src);
        if value == Value::Undefined {
            value = Value::Expr(self.uninitialised(width));
            if let OperandKind::Reg(src) = src.kind() {
                self.set(src, value);
            }
        }
        self.set(dst, value);
    }

    /// The expression of a value of that width; an arbitrary new one where it is undefined.
    pub(super) fn expr(&mut self, value: Value, width: u32) -> ExprId {
        match value {
            Value::Int(int) => self.program.exprs.constant(width, int),
            Value::Expr(expr) => expr,
            Value::Undefined => self.uninitialised(width),
        }
    }

    /// A variable for something that was never written.
    pub(super) fn uninitialised(&mut self, width: u32) -> ExprId {
        let number = self.state.uninitialised;
        self.state.uninitialised += 1;
        let name = format!("uninitialised.{number}.{width}");
        self.program.exprs.variable(&name, width, VariableKind::Uninitialised)
    }

    fn select(&mut self, width: u32, condition: Value, a: Value, b: Value) -> Value {
        match condition {
            Value::Int(bit) => {
                if bit & 1 != 0 {
                    a
                } else {
                    b
                }
            }
            _ => {
                let condition = self.expr(condition, 1);
                let (a, b) = (self.expr(a, width), self.expr(b, width));
                let exprs = &self.program.exprs;
                Value::from_expr(exprs, exprs.ite(condition, a, b))
            }
        }
    }

    fn switch(&mut self, switch: &Switch) -> Result<Pc, Stop> {
        let target = |value: u64| match switch.cases.binary_search_by_key(&value, |case| case.0) {
            Ok(index) => switch.cases[index].1,
            Err(_) => switch.default,
        };
        let value = match self.get(switch.value) {
            Value::Int(value) => return Ok(target(truncate(value, switch.width))),
            Value::Undefined => return Err(Error::UninitialisedRead.into()),
            Value::Expr(expr) => expr,
        };
        let exprs = &self.program.exprs;
        if exprs.mentions(value).revision && !exprs.mentions(value).input {
            // Revisions with the same way on stay together, whatever their values are.
            let groups = self.groups(|revision| {
                let number = exprs.constant(32, u64::from(revision));
                let value = exprs.substitute(value, self.program.revision, number);
                exprs.as_u64(value).map(target)
            });
            if groups.iter().all(|(target, _)| target.is_some()) {
                let target = self.split(groups);
                return Ok(target.expect("checked above"));
            }
        }
        let value = self.settle_revision(value)?;
        if let Some(value) = exprs.as_u64(value) {
            return Ok(target(value));
        }
        // One decision for each place to go: cases with the same target belong together.
        let mut targets: Vec<Pc> = Vec::new();
        for (_, to) in &switch.cases {
            if *to != switch.default && !targets.contains(to) {
                targets.push(*to);
            }
        }
        for to in targets {
            let cases = switch.cases.iter().filter(|case| case.1 == to);
            let here =
                exprs.any(cases.map(|case| exprs.eq(value, exprs.constant(switch.width, case.0))));
            if self.settle(here)? {
                return Ok(to);
            }
        }
        Ok(switch.default)
    }
}
