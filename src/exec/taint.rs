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
    expr::{ExprId, VariableKind},
    ir::{
        BinaryOp, Predicate,
        address::{function_at, nearest_object, object_address, offset},
    },
    memory::Value,
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
        let variable =
            exprs.variable(&format!("{PREFIX}{address:016x}"), 64, VariableKind::Address);
        match value {
            Value::Expr(expr) => {
                let difference = exprs.sub(expr, exprs.constant(64, address));
                Value::from_expr(exprs, exprs.add(difference, variable))
            }
            _ => Value::Expr(variable),
        }
    }

    /// `expr` with the addresses in it as they are here; the path is marked. What the C
    /// library decides does not count: its results do not depend on where objects are.
    pub(super) fn as_if_known(&mut self, expr: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        let mut known = expr;
        for variable in exprs.variables(expr).iter() {
            if exprs.variable_kind(*variable) == VariableKind::Address {
                let digits = exprs.variable_name(*variable).trim_start_matches(PREFIX);
                let address = u64::from_str_radix(digits, 16).expect("as `hidden` named it");
                known = exprs.substitute(known, *variable, exprs.constant(64, address));
            }
        }
        let function = self.state.top.function;
        if !self.program.module.functions[function.0 as usize].library {
            let mut what = String::from("an address used as a number");
            if let Some(place) = self.place() {
                let file = &self.program.module.files[place.file.0 as usize];
                what += &format!(" at {file}:{}", place.line);
            }
            self.state.world.approximate(Approximation::Loose(what));
        }
        known
    }

    /// The operands of arithmetic that may be on addresses, hidden where the result is not the
    /// same in a native run.
    pub(super) fn operands(&mut self, op: BinaryOp, a: Value, b: Value) -> (Value, Value) {
        let (x, y) = (self.address_in(a), self.address_in(b));
        let exact = match (x, y) {
            (None, None) => true,
            (Some(x), Some(y)) => op == BinaryOp::Sub && nearest_object(x) == nearest_object(y),
            (Some(address), None) => match (op, b) {
                (BinaryOp::Add | BinaryOp::Sub, _) => true,
                (BinaryOp::And, Value::Int(mask)) => self.keeps_alignment(address, mask),
                (BinaryOp::Urem, Value::Int(divisor)) => {
                    divisor.is_power_of_two() && divisor <= self.alignment(address)
                }
                _ => false,
            },
            (None, Some(address)) => match (op, a) {
                (BinaryOp::Add, _) => true,
                (BinaryOp::And, Value::Int(mask)) => self.keeps_alignment(address, mask),
                _ => false,
            },
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether a mask asks only for low bits, or for all but low bits, of what is aligned at
    /// least as much.
    fn keeps_alignment(&self, address: u64, mask: u64) -> bool {
        mask.min(!mask) < self.alignment(address)
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
                    || (is_equality(predicate) && self.is_apart(x) && self.is_apart(y))
            }
            // Null comes before all objects.
            _ => is_equality(predicate) || a == Value::Int(0) || b == Value::Int(0),
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether a native run certainly has nothing else at that address: a living object of
    /// which it is no end, and not one of the constants that a linker may merge.
    fn is_apart(&self, address: u64) -> bool {
        let object = self.state.memory.object(address);
        function_at(address).is_some()
            || object.is_ok_and(|object| !object.constant && offset(address) < object.size())
    }
}

fn is_equality(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Eq | Predicate::Ne)
}
