//! Integer arithmetic: directly on concrete values, by expressions on all others.

use super::{
    Executor,
    operation::{
        binary_expr, cast_expr, compare_expr, concrete_binary, concrete_cast, concrete_compare,
        concrete_unary, funnel_expr, overflow_exprs, smallest, unary_expr,
    },
};
use crate::{
    env::Stop,
    errors::Error,
    ir::{AddressTerm, BinaryOp, Cast, Operand, OverflowOp, Predicate, UnaryOp, address},
    memory::{Value, value::signed},
};

impl Executor<'_> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        width: u32,
        a: Value,
        b: Value,
    ) -> Result<Value, Stop> {
        let divides =
            matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem);
        if !divides {
            let mut one = |this: &mut Self, a, b| this.binary_of_one(op, width, a, b);
            if let Some(value) = self.lifted([(a, width), (b, width)], width, &mut one) {
                return Ok(value);
            }
            return Ok(self.binary_of_one(op, width, a, b));
        }
        let (a, b) = if width >= 64 { self.operands(op, a, b) } else { (a, b) };
        if let (Value::Int(x), Value::Int(y)) = (a, b)
            && let Some(value) = concrete_binary(op, width, x, y)
        {
            return Ok(Value::Int(value));
        }
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        let zero = exprs.eq(b, exprs.constant(width, 0));
        if self.branch(zero)? {
            return Err(Error::DivisionByZero.into());
        }
        if matches!(op, BinaryOp::Sdiv | BinaryOp::Srem) {
            // The one quotient that does not fit traps on x86-64 like a division by zero.
            let exprs = &self.program.exprs;
            let smallest = smallest(exprs, width);
            let overflow =
                exprs.and(exprs.eq(a, smallest), exprs.eq(b, exprs.not(exprs.constant(width, 0))));
            if self.branch(overflow)? {
                return Err(Error::DivisionByZero.into());
            }
        }
        let exprs = &self.program.exprs;
        Ok(Value::from_expr(exprs, binary_expr(exprs, op, width, a, b)))
    }

    /// The result of an operation that is never an error, for one pair of operands.
    fn binary_of_one(&mut self, op: BinaryOp, width: u32, a: Value, b: Value) -> Value {
        // The complement of an address is computed as a difference, so that it may cancel out.
        let (op, a, b) = match (op, b) {
            (BinaryOp::Xor, Value::Int(u64::MAX)) if width == 64 && self.is_on_address(a) => {
                (BinaryOp::Sub, b, a)
            }
            _ => (op, a, b),
        };
        let (a, b) = if width >= 64 { self.operands(op, a, b) } else { (a, b) };
        if let (Value::Int(x), Value::Int(y)) = (a, b)
            && let Some(value) = concrete_binary(op, width, x, y)
        {
            return Value::Int(value);
        }
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, binary_expr(exprs, op, width, a, b))
    }

    pub(super) fn compare(&mut self, p: Predicate, width: u32, a: Value, b: Value) -> Value {
        let mut one = |this: &mut Self, a, b| this.compare_one(p, width, a, b);
        match self.lifted([(a, width), (b, width)], 1, &mut one) {
            Some(value) => value,
            None => self.compare_one(p, width, a, b),
        }
    }

    fn compare_one(&mut self, p: Predicate, width: u32, a: Value, b: Value) -> Value {
        let (a, b) = if width >= 64 { self.compared_operands(p, a, b) } else { (a, b) };
        if let (Value::Int(x), Value::Int(y)) = (a, b) {
            return Value::Int(u64::from(concrete_compare(p, width, x, y)));
        }
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, compare_expr(exprs, p, a, b))
    }

    pub(super) fn cast(&mut self, cast: Cast, from: u32, to: u32, a: Value) -> Value {
        let mut one = |this: &mut Self, a, _| this.cast_one(cast, from, to, a);
        match self.lifted([(a, from), (Value::Int(0), 1)], to, &mut one) {
            Some(value) => value,
            None => self.cast_one(cast, from, to, a),
        }
    }

    fn cast_one(&mut self, cast: Cast, from: u32, to: u32, a: Value) -> Value {
        if cast == Cast::Trunc
            && from == 64
            && let Some(low) = self.low_bits(to, a)
        {
            return low;
        }
        let a = if from == 64 && to > 64 { self.number(64, a) } else { a };
        if let Value::Int(x) = a
            && let Some(value) = concrete_cast(cast, from, to, x)
        {
            return Value::Int(value);
        }
        let a = self.expr(a, from);
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, cast_expr(exprs, cast, to, a))
    }

    pub(super) fn unary(&mut self, op: UnaryOp, width: u32, a: Value) -> Value {
        if let Value::Int(x) = a
            && let Some(value) = concrete_unary(op, width, x)
        {
            return Value::Int(value);
        }
        let a = self.expr(a, width);
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, unary_expr(exprs, op, width, a))
    }

    /// The wrapped result and whether the exact one differs from it.
    pub(super) fn overflow(
        &mut self,
        op: OverflowOp,
        width: u32,
        a: Value,
        b: Value,
    ) -> (Value, Value) {
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        let (wrapped, overflow) = overflow_exprs(exprs, op, width, a, b);
        (Value::from_expr(exprs, wrapped), Value::from_expr(exprs, overflow))
    }

    pub(super) fn funnel(
        &mut self,
        left: bool,
        width: u32,
        a: Value,
        b: Value,
        by: Value,
    ) -> Value {
        let (a, b, by) = (self.expr(a, width), self.expr(b, width), self.expr(by, width));
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, funnel_expr(exprs, left, width, [a, b], by))
    }

    /// The result of an address computation, if all its operands are concrete.
    #[inline(always)]
    pub(super) fn address(&self, base: Operand, offset: i64, terms: &[AddressTerm]) -> Option<u64> {
        let start = self.int(base)?.wrapping_add(offset as u64);
        terms.iter().try_fold(start, |sum, term| {
            let index = signed(self.int(term.index)?, term.width) as u64;
            Some(sum.wrapping_add(index.wrapping_mul(term.scale)))
        })
    }

    pub(super) fn symbolic_address(
        &mut self,
        base: Value,
        offset: i64,
        terms: &[AddressTerm],
    ) -> Value {
        let mut sum = self.sum(base, offset, terms);
        let stays = self.stays_with(base, sum)
            || self.only_addresses(base).is_some_and(|base| {
                let sum = self.sum(base, offset, terms);
                self.stays_with(base, sum)
            });
        if !stays {
            let base = self.number(64, base);
            sum = self.sum(base, offset, terms);
        }
        self.flat_choice(sum)
    }

    /// Whether an address, computed from `base` by adding known numbers, is still visibly an
    /// address of the object of `base`. True if `base` is no address.
    #[inline(always)]
    pub(super) fn is_plain_address(&self, base: Operand, address: u64) -> bool {
        self.int(base).is_none_or(|base| {
            !self.state.memory.may_be_address(base)
                || address::are_near(base, address)
                || self.stays_with(Value::Int(base), Value::Int(address))
        })
    }

    fn sum(&mut self, base: Value, offset: i64, terms: &[AddressTerm]) -> Value {
        let base = self.expr(base, 64);
        let exprs = &self.program.exprs;
        let mut sum = exprs.add(base, exprs.constant(64, offset as u64));
        for term in terms {
            let index = self.get(term.index);
            let index = self.expr(index, term.width);
            let exprs = &self.program.exprs;
            let index = exprs.sext(index, 64);
            sum = exprs.add(sum, exprs.mul(index, exprs.constant(64, term.scale)));
        }
        Value::from_expr(&self.program.exprs, sum)
    }
}
