//! Where an address is used as a number.
//!
//! Objects are elsewhere here than in a native run, so a number that was an address is not
//! the one that the program would see. Such a number becomes a variable of its own; where
//! anything is decided by it, or shown of it, the path goes on with the address that the object
//! has here, and is marked: nothing may be proved of it. What C defines (arithmetic within an
//! object, equality) stays exact.

use super::Executor;
use crate::{
    env::Approximation,
    expr::{ExprId, VariableId, VariableKind},
    ir::{
        BinaryOp, Predicate,
        address::{function_at, nearest_object, object_address, offset},
    },
    memory::{Byte, Value},
};

/// What the names of the variables that stand for addresses begin with.
const PREFIX: &str = "address.";

impl Executor<'_> {
    /// Whether one of two concrete 64-bit operands may be an address.
    #[inline(always)]
    pub(super) fn may_be_addresses(&self, a: u64, b: u64) -> bool {
        let memory = &self.state.memory;
        memory.may_be_address(a) || memory.may_be_address(b)
    }

    /// Whether comparing two concrete 64-bit numbers may compare addresses in a way that is not
    /// plainly exact: equality with anything but an address is, and so is all within an object.
    #[inline(always)]
    pub(super) fn may_compare_addresses(&self, predicate: Predicate, a: u64, b: u64) -> bool {
        let memory = &self.state.memory;
        match (memory.may_be_address(a), memory.may_be_address(b)) {
            (false, false) => false,
            (true, true) => nearest_object(a) != nearest_object(b),
            _ => !is_equality(predicate),
        }
    }

    fn address_in(&self, value: Value) -> Option<u64> {
        self.state.memory.address_in(&self.program.exprs, value)
    }

    /// `value`, of which more than the object it points to is wanted: an address becomes a
    /// variable.
    pub(super) fn number(&mut self, width: u32, value: Value) -> Value {
        match self.address_in(value) {
            Some(address) if width >= 64 => self.hidden(value, address),
            _ => value,
        }
    }

    /// `value` with a variable in place of the address that it is, or starts from.
    fn hidden(&mut self, value: Value, address: u64) -> Value {
        let exprs = &self.program.exprs;
        let hidden = self.variable(address);
        match value {
            Value::Expr(expr) => {
                let difference = exprs.sub(expr, exprs.constant(64, address));
                Value::from_expr(exprs, exprs.add(difference, hidden))
            }
            _ => Value::from_expr(exprs, hidden),
        }
    }

    /// The variable that stands for an address.
    fn variable(&self, address: u64) -> ExprId {
        let name = format!("{PREFIX}{address:016x}");
        self.program.exprs.variable(&name, 64, VariableKind::Address)
    }

    /// The same with the low bits known that the alignment fixes.
    fn bits(&self, address: u64) -> ExprId {
        let exprs = &self.program.exprs;
        match self.alignment(address).trailing_zeros() {
            0 => self.variable(address),
            known => {
                let high = exprs.extract(self.variable(address), known, 64 - known);
                exprs.concat(high, exprs.constant(known, address))
            }
        }
    }

    /// The low `width` bits of an address.
    pub(super) fn low_bits(&self, width: u32, value: Value) -> Option<Value> {
        let Value::Int(_) = value else { return None };
        let bits = self.bits(self.address_in(value)?);
        let exprs = &self.program.exprs;
        Some(Value::from_expr(exprs, exprs.extract(bits, 0, width)))
    }

    /// One byte of an address that stands in memory, in the object at `object`, as pointers do:
    /// at a multiple of 8.
    pub(super) fn byte_of_address(&self, object: u64, offset: usize) -> Option<ExprId> {
        let (exprs, object) = (&self.program.exprs, self.state.memory.object(object).ok()?);
        let start = offset & !7;
        let word = if object.has_updates() && object.contains(start as u64, 8) {
            (start..start + 8).rev().try_fold(0, |word, at| match object.byte(exprs, at) {
                Byte::Concrete(byte) => Some(word << 8 | u64::from(byte)),
                Byte::Symbolic(_) | Byte::Uninitialised => None,
            })?
        } else {
            object.word(start as u64, 8)?
        };
        let bits = self.bits(self.address_in(Value::Int(word))?);
        Some(exprs.extract(bits, (offset % 8) as u32 * 8, 8))
    }

    /// `expr` with the addresses in it as they are here; the path is marked. What the C
    /// library decides does not count: its results do not depend on where objects are.
    pub(super) fn as_if_known(&mut self, expr: ExprId) -> ExprId {
        let function = self.state.top.function;
        if !self.program.module.functions[function.0 as usize].library {
            let mut what = String::from("an address used as a number");
            if let Some(place) = self.place() {
                let file = &self.program.module.files[place.file.0 as usize];
                what += &format!(" at {file}:{}", place.line);
            }
            self.state.world.approximate(Approximation::Loose(what));
        }
        self.known_addresses(expr)
    }

    /// The operands of arithmetic that may be on addresses, hidden where the result is not the
    /// same in a native run.
    pub(super) fn operands(&mut self, op: BinaryOp, a: Value, b: Value) -> (Value, Value) {
        let (x, y) = (self.address_in(a), self.address_in(b));
        let exact = match (x, y) {
            (None, None) => true,
            (Some(x), Some(y)) => op == BinaryOp::Sub && nearest_object(x) == nearest_object(y),
            (Some(address), None) => self.is_exact(op, address, b),
            (None, Some(address)) => {
                let swappable =
                    matches!(op, BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
                swappable && self.is_exact(op, address, a)
            }
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether an address and a number make one: by a distance, or by low bits that the alignment
    /// fixes.
    fn is_exact(&self, op: BinaryOp, address: u64, number: Value) -> bool {
        let Value::Int(number) = number else { return op == BinaryOp::Add || op == BinaryOp::Sub };
        match op {
            BinaryOp::Add | BinaryOp::Sub => true,
            BinaryOp::And => number.min(!number) < self.alignment(address),
            BinaryOp::Or | BinaryOp::Xor => number < self.alignment(address),
            BinaryOp::Urem => number.is_power_of_two() && number <= self.alignment(address),
            _ => false,
        }
    }

    /// The alignment that a native run certainly gives the object that an address belongs to.
    fn alignment(&self, address: u64) -> u64 {
        let start = object_address(nearest_object(address));
        self.state.memory.object(start).map_or(1, |object| u64::from(object.alignment))
    }

    /// The same for the operands of a comparison.
    pub(super) fn compared_operands(
        &mut self,
        predicate: Predicate,
        a: Value,
        b: Value,
    ) -> (Value, Value) {
        let exact = match (self.address_in(a), self.address_in(b)) {
            (None, None) => true,
            (Some(x), Some(y)) => {
                nearest_object(x) == nearest_object(y)
                    || (is_equality(predicate) && self.are_apart(x, y))
            }
            // Null comes before all objects; what the input has may be anything.
            (Some(_), None) => b == Value::Int(0) || is_equality(predicate) && b.as_int().is_some(),
            (None, Some(_)) => a == Value::Int(0) || is_equality(predicate) && a.as_int().is_some(),
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether two addresses differ in a native run for certain: those of living objects, or
    /// functions, of which they are no ends. A linker may merge constants that are equal.
    fn are_apart(&self, x: u64, y: u64) -> bool {
        let rest = |address| {
            let object = self.state.memory.object(address).ok()?;
            let (start, size) = (offset(address), object.size());
            (start < size).then(|| (object.constant, object.concrete_from(start as usize)))
        };
        match (rest(x), rest(y)) {
            (Some((true, a)), Some((true, b))) => a.zip(b).any(|(a, b)| a != b),
            (a, b) => {
                let is_apart = |found: bool, address| found || function_at(address).is_some();
                is_apart(a.is_some(), x) && is_apart(b.is_some(), y)
            }
        }
    }

    /// The address that an expression is, though it was hidden in between (as in a list whose
    /// links are the exclusive or of two addresses).
    pub(super) fn unhidden(&self, expr: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        if !exprs.mentions(expr).address {
            return expr;
        }
        let variables = exprs.variables(expr);
        let addresses = variables.iter().filter_map(|variable| self.address_of(*variable));
        let same = |address| {
            let distance = exprs.as_u64(exprs.sub(expr, self.variable(address)))?;
            Some(exprs.constant(64, address.wrapping_add(distance)))
        };
        addresses.filter_map(same).next().unwrap_or(expr)
    }

    /// The address that a variable stands for.
    fn address_of(&self, variable: VariableId) -> Option<u64> {
        let exprs = &self.program.exprs;
        (exprs.variable_kind(variable) == VariableKind::Address).then(|| {
            let digits = exprs.variable_name(variable).trim_start_matches(PREFIX);
            u64::from_str_radix(digits, 16).expect("as `variable` named it")
        })
    }

    /// `expr` with the addresses in it as they are here.
    fn known_addresses(&self, expr: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        let mut known = expr;
        for variable in exprs.variables(expr).iter() {
            if let Some(address) = self.address_of(*variable) {
                known = exprs.substitute(known, *variable, exprs.constant(64, address));
            }
        }
        known
    }
}

fn is_equality(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Eq | Predicate::Ne)
}
