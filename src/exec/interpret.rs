//! The main loop: fetches instructions and dispatches them.

use std::time::{Duration, Instant};

use super::{
    Coverage, Executor, Quantum, choice,
    coverage::{Running, Way},
    operation::{concrete_binary, concrete_cast, concrete_compare},
    state::Claim,
    step::{End, Next},
};
use crate::{
    env::{Check, Halt, Incomplete, Stop},
    errors::Error,
    expr::ExprId,
    ir::{
        AddressTerm, BinaryOp, Cast, Indexed, Inst, Operand, OperandKind, Pc, Predicate, Reg,
        Switch,
    },
    memory::{
        Value,
        value::{signed, truncate},
    },
};

/// States no longer wait for each other once the queries of a quantum have taken this long.
const LONGEST_WAIT: Duration = Duration::from_millis(250);
/// The solver is busy once the queries of a quantum have taken this long. How long anything else
/// takes depends on the machine alone, and makes no difference.
const BUSY: Duration = Duration::from_millis(100);

impl Executor<'_> {
    /// Runs the state until it stops, has to wait, or the quantum is used up.
    pub(super) fn run_until_stop<const JOINS: bool, const LOCKSTEP: bool>(
        &mut self,
        coverage: &mut Coverage,
        quantum: Quantum<'_>,
    ) -> End {
        let program = self.program;
        let mut arrives = LOCKSTEP && self.arrives();
        if LOCKSTEP && self.is_outdated() {
            return End::Stop(Stop::Impossible);
        }
        if LOCKSTEP && self.is_left_alone() {
            return End::Stop(Stop::Halt(Halt::Unaffected));
        }
        loop {
            let id = self.state.top.function;
            let function = &program.module.functions[id.0 as usize];
            let mut covered = coverage.of(id, function);
            let (code, counts) = (&function.code[..], &function.counts[..]);
            let mut pc = self.state.top.pc;
            loop {
                if JOINS && !self.state.joins.is_empty() && self.is_at_join() {
                    if self.state.run_from < pc {
                        self.count(counts, &mut covered, pc - 1);
                    }
                    return End::Join;
                }
                if LOCKSTEP && std::mem::replace(&mut arrives, true) {
                    match self.is_covered() {
                        Ok(false) => {}
                        Ok(true) => return End::Stop(Stop::Halt(Halt::Unaffected)),
                        Err(stop) => return End::Stop(stop),
                    }
                }
                match self.step(&code[pc as usize]) {
                    Ok(Next::Advance) => {
                        pc += 1;
                        self.state.top.pc = pc;
                    }
                    Ok(Next::Jump(target, way)) => {
                        self.count(counts, &mut covered, pc);
                        covered.jumped(pc, way, target);
                        let from = std::mem::replace(&mut pc, target.0);
                        self.state.top.pc = pc;
                        self.state.run_from = pc;
                        if pc <= from {
                            if !LOCKSTEP && (self.state.repeats() || self.never_ends()) {
                                return End::Stop(Stop::Halt(Halt::Hang));
                            }
                            if let Some(stop) = self.pause(quantum) {
                                return stop;
                            }
                        }
                    }
                    Ok(Next::Frame) => {
                        self.count(counts, &mut covered, pc);
                        self.state.run_from = self.state.top.pc;
                        if let Some(stop) = self.pause(quantum) {
                            return stop;
                        }
                        break;
                    }
                    Err(Stop::Exit(code)) => {
                        self.count(counts, &mut covered, pc);
                        self.state.run_from = pc + 1;
                        if let Err(stop) = self.run_at_exit(code) {
                            return End::Stop(stop);
                        }
                        self.state.run_from = self.state.top.pc;
                        break;
                    }
                    Err(Stop::Later) => {
                        if self.state.run_from < pc {
                            self.count(counts, &mut covered, pc - 1);
                        }
                        self.state.run_from = pc;
                        self.state.waited_at = self.state.instructions;
                        return End::Stop(Stop::Later);
                    }
                    Err(stop) => {
                        self.count(counts, &mut covered, pc);
                        self.state.run_from = pc + 1;
                        return End::Stop(stop);
                    }
                }
            }
        }
    }

    /// Counts the instructions of the straight run that ends with the one at `pc`.
    #[inline(always)]
    fn count(&mut self, counts: &[u32], covered: &mut Running<'_>, pc: u32) {
        covered.ran(self.state.run_from, pc);
        let run = counts[pc as usize + 1] - counts[self.state.run_from as usize];
        self.instructions += u64::from(run);
        self.state.instructions += u64::from(run);
    }

    /// Whether the quantum is used up. States that wait for each other get a quantum for each
    /// revision that set out (16 at least) before they are separated, unless one of them keeps the
    /// solver busy.
    #[inline]
    pub(super) fn is_used_up(&self, quantum: Quantum<'_>, asked: bool) -> bool {
        let has_had = |more: u64| {
            // A quantum may be without limits.
            self.instructions >= quantum.instructions.saturating_mul(more)
                || self.forks >= quantum.forks.saturating_mul(more)
        };
        let is_late =
            || self.asking >= BUSY && quantum.patience.is_some_and(|end| Instant::now() >= end);
        if !has_had(1) || self.state.joins.is_empty() && self.waiting.is_empty() {
            return has_had(1) || asked && is_late();
        }
        has_had(self.together.max(16)) || asked && (self.asking >= LONGEST_WAIT || is_late())
    }

    /// To be called between instructions, at backward jumps and calls. Returns why the run has to
    /// stop, if it has to: a limit of the path or of the quantum is reached, or the state is
    /// unaffected.
    #[inline]
    fn pause(&mut self, quantum: Quantum<'_>) -> Option<End> {
        if self.state.instructions >= self.limits.instructions {
            return Some(End::Stop(Stop::Halt(Halt::Incomplete(Incomplete::Instructions))));
        }
        let is_due = self.instructions % 4096 < 8;
        if (self.is_new || is_due) && self.program.ends_unaffected {
            self.is_new = false;
            if self.is_unaffected() && !self.tries_claim() {
                return Some(End::Stop(Stop::Halt(Halt::Unaffected)));
            }
        }
        let asked = std::mem::take(&mut self.asked);
        let late = || (asked || is_due) && quantum.clock.is_over();
        (self.is_used_up(quantum, asked) || late()).then_some(End::Quantum)
    }

    /// Whether the state goes on although it is said to be unaffected, to test that claim.
    fn tries_claim(&mut self) -> bool {
        let state = &mut self.state;
        let is_chosen = || state.path_condition.is_empty() || state.lineage.share().is_sample();
        if state.claim == Claim::None && is_chosen() {
            state.claim = Claim::Tried;
        }
        state.claim == Claim::Tried
    }

    /// To be called where the revision matters to the state. Panics if it was claimed that it never
    /// would, so that nothing is proved about the state's revisions.
    pub(super) fn is_as_claimed(&self) {
        assert!(self.state.claim != Claim::Tried, "a state asks that was said to be unaffected");
    }

    /// Runs one instruction. Concrete values are read and written in place: moving whole values
    /// through memory costs more than most instructions.
    #[inline(always)]
    pub(super) fn step(&mut self, inst: &Inst) -> Result<Next, Stop> {
        match inst {
            Inst::Move { dst, src, width } => match self.int(*src) {
                Some(value) => self.set_int(*dst, value),
                None => self.copy(*dst, *src, *width),
            },
            Inst::Binary { op, width, dst, a, b } => {
                let value = match (self.int(*a), self.int(*b)) {
                    (Some(x), Some(y)) if *width < 64 || !self.may_be_addresses(x, y) => {
                        concrete_binary(*op, *width, x, y)
                    }
                    _ => None,
                };
                match value {
                    Some(value) => self.set_int(*dst, value),
                    None => self.binary_slowly(*op, *width, *dst, *a, *b)?,
                }
            }
            Inst::Compare { predicate, width, dst, a, b } => {
                match self.compared(*predicate, *width, *a, *b) {
                    Some(holds) => self.set_int(*dst, u64::from(holds)),
                    None => self.compare_slowly(*predicate, *width, *dst, *a, *b),
                }
            }
            Inst::CompareBranch { predicate, width, a, b, then, otherwise } => {
                let holds = match self.compared(*predicate, *width, *a, *b) {
                    Some(holds) => holds,
                    None => {
                        let condition =
                            self.compare(*predicate, *width, self.get(*a), self.get(*b));
                        self.take_branch(condition)?
                    }
                };
                let target = if holds { *then } else { *otherwise };
                return Ok(Next::Jump(target, Way::of(holds)));
            }
            Inst::Load { width, dst, address } => {
                let value = match self.int(*address) {
                    Some(address) => self.load_int(address, *width),
                    None => None,
                };
                match value {
                    Some(value) => self.set_int(*dst, value),
                    None => self.load_into(*dst, self.get(*address), *width)?,
                }
            }
            Inst::LoadIndexed { width, dst, at } => {
                let value = match self.indexed(at) {
                    Some(address) => self.load_int(address, *width),
                    None => None,
                };
                match value {
                    Some(value) => self.set_int(*dst, value),
                    None => {
                        let address = self.indexed_slowly(at);
                        self.load_into(*dst, address, *width)?;
                    }
                }
            }
            Inst::Store { width, value, address } => {
                let done = match (self.int(*address), self.int(*value)) {
                    (Some(address), Some(value)) => self.store_int(address, *width, value),
                    _ => false,
                };
                if !done {
                    self.store_bits(self.get(*address), *width, self.get(*value))?;
                }
            }
            Inst::StoreIndexed { width, value, at } => {
                let done = match (self.indexed(at), self.int(*value)) {
                    (Some(address), Some(value)) => self.store_int(address, *width, value),
                    _ => false,
                };
                if !done {
                    let address = self.indexed_slowly(at);
                    self.store_bits(address, *width, self.get(*value))?;
                }
            }
            Inst::Address { dst, base, offset, terms } => match self.address(*base, *offset, terms)
            {
                Some(address) if self.is_plain_address(*base, address) => {
                    self.set_int(*dst, address);
                }
                _ => self.address_slowly(*dst, *base, *offset, terms),
            },
            Inst::Jump { target } => return Ok(Next::Jump(*target, Way::Otherwise)),
            Inst::Branch { condition, then, otherwise } => {
                let holds = match self.int(*condition) {
                    Some(bit) => bit & 1 != 0,
                    None => self.take_branch(self.get(*condition))?,
                };
                let target = if holds { *then } else { *otherwise };
                return Ok(Next::Jump(target, Way::of(holds)));
            }
            Inst::Cast { cast, from, to, dst, a } => {
                let value = self
                    .int(*a)
                    .filter(|a| *from < 64 || !self.state.memory.may_be_address(*a))
                    .and_then(|a| concrete_cast(*cast, *from, *to, a));
                match value {
                    Some(value) => self.set_int(*dst, value),
                    None => self.cast_slowly(*cast, *from, *to, *dst, *a),
                }
            }
            Inst::Call(call) => return self.call(call),
            Inst::Return { values } => return self.leave(values),
            Inst::Switch(switch) => {
                return self.switch(switch).map(|to| Next::Jump(to, Way::Switch));
            }
            Inst::Select { width, dst, condition, a, b } => {
                let value = self.select(*width, self.get(*condition), self.get(*a), self.get(*b));
                self.set(*dst, value);
            }
            _ => return self.step_rare(inst),
        }
        Ok(Next::Advance)
    }

    /// Whether a comparison holds, if both operands are concrete and it is no comparison of
    /// addresses.
    #[inline(always)]
    fn compared(&self, predicate: Predicate, width: u32, a: Operand, b: Operand) -> Option<bool> {
        match (self.int(a), self.int(b)) {
            (Some(x), Some(y)) if width < 64 || !self.may_compare_addresses(predicate, x, y) => {
                Some(concrete_compare(predicate, width, x, y))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn binary_slowly(
        &mut self,
        op: BinaryOp,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    ) -> Result<(), Stop> {
        let value = self.binary(op, width, self.get(a), self.get(b))?;
        self.set(dst, value);
        Ok(())
    }

    #[inline(never)]
    fn compare_slowly(
        &mut self,
        predicate: Predicate,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    ) {
        let value = self.compare(predicate, width, self.get(a), self.get(b));
        self.set(dst, value);
    }

    #[inline(never)]
    fn cast_slowly(&mut self, cast: Cast, from: u32, to: u32, dst: Reg, a: Operand) {
        let value = self.cast(cast, from, to, self.get(a));
        self.set(dst, value);
    }

    #[inline(never)]
    fn address_slowly(&mut self, dst: Reg, base: Operand, offset: i64, terms: &[AddressTerm]) {
        let value = self.symbolic_address(self.get(base), offset, terms);
        self.set(dst, value);
    }

    #[inline(never)]
    fn indexed_slowly(&mut self, at: &Indexed) -> Value {
        let term = AddressTerm { index: at.index, width: at.width, scale: at.scale.into() };
        let terms = if at.scale == 0 { &[][..] } else { &[term] };
        self.symbolic_address(self.get(at.base), at.offset.into(), terms)
    }

    #[inline(never)]
    fn load_into(&mut self, dst: Reg, address: Value, width: u32) -> Result<(), Stop> {
        let value = self.load_bits(address, width)?;
        self.set(dst, value);
        Ok(())
    }

    #[inline(never)]
    fn take_branch(&mut self, condition: Value) -> Result<bool, Stop> {
        match condition {
            Value::Int(bit) => Ok(bit & 1 != 0),
            Value::Expr(condition) => {
                self.at_branch = true;
                let holds = self.branch(condition);
                self.at_branch = false;
                holds
            }
            Value::Undefined => {
                self.note_unwritten()?;
                Ok(false)
            }
        }
    }

    #[inline(never)]
    fn step_rare(&mut self, inst: &Inst) -> Result<Next, Stop> {
        match inst {
            Inst::Undefine { dst } => self.set(*dst, Value::Undefined),
            Inst::Unary { op, width, dst, a } => {
                let a = self.number(*width, self.get(*a));
                let value = self.unary(*op, *width, a);
                self.set(*dst, value);
            }
            Inst::Overflow { op, width, dst, overflow, a, b } => {
                let a = self.number(*width, self.get(*a));
                let b = self.number(*width, self.get(*b));
                let (value, flag) = self.overflow(*op, *width, a, b);
                self.set(*dst, value);
                self.set(*overflow, flag);
            }
            Inst::FunnelShift { left, width, dst, a, b, by } => {
                let a = self.number(*width, self.get(*a));
                let b = self.number(*width, self.get(*b));
                let value = self.funnel(*left, *width, a, b, self.get(*by));
                self.set(*dst, value);
            }
            Inst::Alloca { dst, alignment, size, count } => {
                let address = self.alloca(*size, self.get(*count), *alignment)?;
                self.set(*dst, Value::Int(address));
            }
            Inst::Copy { to, from, length } => {
                self.copy_bytes(self.get(*to), self.get(*from), self.get(*length))?;
            }
            Inst::Fill { to, value, length } => {
                self.fill_bytes(self.get(*to), self.get(*value), self.get(*length))?;
            }
            Inst::FloatBinary { op, width, dst, a, b } => {
                let a = self.number(*width, self.get(*a));
                let b = self.number(*width, self.get(*b));
                let value = self.float_binary(*op, *width, a, b);
                self.set(*dst, value);
            }
            Inst::FloatNegate { width, dst, a } => {
                let a = self.number(*width, self.get(*a));
                let value = self.float_negate(*width, a);
                self.set(*dst, value);
            }
            Inst::FloatCompare { predicate, exceptions, width, dst, a, b } => {
                let a = self.number(*width, self.get(*a));
                let b = self.number(*width, self.get(*b));
                self.raise_comparing(*exceptions, *width, a, b);
                let value = self.float_compare(*predicate, *width, a, b);
                self.set(*dst, value);
            }
            Inst::FloatCast { cast, from, to, dst, a } => {
                let a = self.number(*from, self.get(*a));
                let value = self.float_cast(*cast, *from, *to, a)?;
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
                if !self.branch(condition)? {
                    return Err(Error::Unreachable.into());
                }
            }
            Inst::Unsupported { what } => return Err(Stop::unsupported(&**what)),
            Inst::Move { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::CompareBranch { .. }
            | Inst::Load { .. }
            | Inst::LoadIndexed { .. }
            | Inst::Store { .. }
            | Inst::StoreIndexed { .. }
            | Inst::Address { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Cast { .. }
            | Inst::Call(..)
            | Inst::Return { .. }
            | Inst::Switch(..)
            | Inst::Select { .. } => {
                unreachable!("{inst:?} is handled by `step`")
            }
        }
        Ok(Next::Advance)
    }

    /// The value of an operand.
    #[inline(always)]
    pub(super) fn get(&self, operand: Operand) -> Value {
        self.state.top.values[operand.index()]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        let value = match value {
            Value::Expr(e) if self.state.lockstep.is_some() => self.without_hard(e),
            value => value,
        };
        self.state.top.values[reg.0 as usize] = value;
    }

    /// The value of an operand, if it is concrete and has at most 64 bits.
    #[inline(always)]
    pub(super) fn int(&self, operand: Operand) -> Option<u64> {
        match &self.state.top.values[operand.index()] {
            Value::Int(value) => Some(*value),
            Value::Expr(_) | Value::Undefined => None,
        }
    }

    #[inline(always)]
    fn set_int(&mut self, reg: Reg, value: u64) {
        self.state.top.values[reg.0 as usize] = Value::Int(value);
    }

    /// The address of an access, if it is concrete.
    #[inline(always)]
    fn indexed(&self, at: &Indexed) -> Option<u64> {
        let (base, index) = (self.int(at.base)?, self.int(at.index)?);
        let index = signed(index, at.width) as u64;
        Some(
            base.wrapping_add_signed(at.offset.into())
                .wrapping_add(index.wrapping_mul(at.scale.into())),
        )
    }

    #[inline(never)]
    fn copy(&mut self, dst: Reg, src: Operand, width: u32) {
        let mut value = self.get(src);
        if value == Value::Undefined {
            value = self.undefined_value(width);
            if let OperandKind::Reg(src) = src.kind() {
                self.set(src, value);
            }
        }
        self.set(dst, value);
    }

    /// The expression of a value of `width` bits; a new arbitrary one if the value is undefined.
    pub(super) fn expr(&mut self, value: Value, width: u32) -> ExprId {
        value.expr(&self.program.exprs, width).unwrap_or_else(|| self.undefined(width))
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
        let value = match self.written(self.get(switch.value), switch.width)? {
            Value::Int(value) => return Ok(target(truncate(value, switch.width))),
            Value::Expr(expr) => expr,
            Value::Undefined => unreachable!("`written` gives none"),
        };
        let exprs = &self.program.exprs;
        if self.old.is_some() && exprs.mentions(value).revision() {
            self.at_branch = true;
            self.note_switch(switch, &self.alternatives(value));
            self.at_branch = false;
        }
        if exprs.mentions(value).revision() && !exprs.mentions(value).input() {
            // Revisions that go to the same target stay together, whatever their values are.
            let target = |value: ExprId| exprs.as_u64(value).map(target);
            let groups = choice::grouped(self.alternatives(value), target);
            if groups.iter().all(|(target, _)| target.is_some()) {
                let target = self.split(groups);
                return Ok(target.expect("checked above"));
            }
        }
        let value = self.without_revision(value)?;
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
            self.at_branch = true;
            let holds = self.branch(here);
            self.at_branch = false;
            if holds? {
                return Ok(to);
            }
        }
        Ok(switch.default)
    }
}
