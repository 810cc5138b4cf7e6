//! Integer arithmetic: directly on concrete values, by expressions on all others.

use super::Executor;
use crate::{
    env::Stop,
    errors::Error,
    expr::{ExprId, Exprs},
    ir::{AddressTerm, BinaryOp, Cast, Operand, OverflowOp, Predicate, UnaryOp, address},
    memory::{
        Value,
        value::{signed, truncate},
    },
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
        let truth = match p {
            Predicate::Eq => exprs.eq(a, b),
            Predicate::Ne => exprs.ne(a, b),
            Predicate::Ult => exprs.ult(a, b),
            Predicate::Ule => exprs.ule(a, b),
            Predicate::Ugt => exprs.ult(b, a),
            Predicate::Uge => exprs.ule(b, a),
            Predicate::Slt => exprs.slt(a, b),
            Predicate::Sle => exprs.sle(a, b),
            Predicate::Sgt => exprs.slt(b, a),
            Predicate::Sge => exprs.sle(b, a),
        };
        Value::from_expr(exprs, truth)
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
        let value = match cast {
            Cast::Trunc => exprs.extract(a, 0, to),
            Cast::Zext => exprs.zext(a, to),
            Cast::Sext => exprs.sext(a, to),
        };
        Value::from_expr(exprs, value)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, width: u32, a: Value) -> Value {
        if let Value::Int(x) = a
            && width <= 64
        {
            let unused = 64 - width;
            return Value::Int(match op {
                UnaryOp::Bswap => x.swap_bytes() >> unused,
                UnaryOp::Bitreverse => x.reverse_bits() >> unused,
                UnaryOp::Popcount => u64::from(x.count_ones()),
                UnaryOp::Clz => u64::from(x.leading_zeros()) - u64::from(unused),
                UnaryOp::Ctz => u64::from(x.trailing_zeros()).min(u64::from(width)),
                UnaryOp::Abs => truncate(signed(x, width).unsigned_abs(), width),
            });
        }
        let a = self.expr(a, width);
        let exprs = &self.program.exprs;
        let bit = |i| exprs.extract(a, i, 1);
        // The walk begins at the far end, so the last bit that it finds decides.
        let count = |order: &mut dyn Iterator<Item = u32>| {
            let mut value = exprs.constant(width, u64::from(width));
            for (distance, index) in order.enumerate().collect::<Vec<_>>().into_iter().rev() {
                let here = exprs.constant(width, distance as u64);
                value = exprs.ite(bit(index), here, value);
            }
            value
        };
        let value = match op {
            UnaryOp::Bswap => (1..width / 8).fold(exprs.extract(a, 0, 8), |high, byte| {
                exprs.concat(high, exprs.extract(a, byte * 8, 8))
            }),
            UnaryOp::Bitreverse => (1..width).fold(bit(0), |high, i| exprs.concat(high, bit(i))),
            UnaryOp::Popcount => (0..width)
                .fold(exprs.constant(width, 0), |sum, i| exprs.add(sum, exprs.zext(bit(i), width))),
            UnaryOp::Clz => count(&mut (0..width).rev()),
            UnaryOp::Ctz => count(&mut (0..width)),
            UnaryOp::Abs => {
                let negative = exprs.slt(a, exprs.constant(width, 0));
                exprs.ite(negative, exprs.neg(a), a)
            }
        };
        Value::from_expr(exprs, value)
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
        let is_signed = matches!(op, OverflowOp::Sadd | OverflowOp::Ssub | OverflowOp::Smul);
        let wide = 2 * width + 1;
        let extend = |e| if is_signed { exprs.sext(e, wide) } else { exprs.zext(e, wide) };
        let (x, y) = (extend(a), extend(b));
        let exact = match op {
            OverflowOp::Uadd | OverflowOp::Sadd => exprs.add(x, y),
            OverflowOp::Usub | OverflowOp::Ssub => exprs.sub(x, y),
            OverflowOp::Umul | OverflowOp::Smul => exprs.mul(x, y),
        };
        let wrapped = exprs.extract(exact, 0, width);
        let overflow = exprs.ne(extend(wrapped), exact);
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
        let double = 2 * width;
        let joined = exprs.concat(a, b);
        let by = exprs.zext(exprs.urem(by, exprs.constant(width, u64::from(width))), double);
        let value = if left {
            exprs.extract(exprs.shl(joined, by), width, width)
        } else {
            exprs.extract(exprs.lshr(joined, by), 0, width)
        };
        Value::from_expr(exprs, value)
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

    /// Whether an address that was computed from `base` by known numbers is one, if `base` is.
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

/// Whether a comparison of two values of at most 64 bits holds.
#[inline(always)]
pub(super) fn concrete_compare(predicate: Predicate, width: u32, x: u64, y: u64) -> bool {
    let (sx, sy) = (signed(x, width), signed(y, width));
    match predicate {
        Predicate::Eq => x == y,
        Predicate::Ne => x != y,
        Predicate::Ult => x < y,
        Predicate::Ule => x <= y,
        Predicate::Ugt => x > y,
        Predicate::Uge => x >= y,
        Predicate::Slt => sx < sy,
        Predicate::Sle => sx <= sy,
        Predicate::Sgt => sx > sy,
        Predicate::Sge => sx >= sy,
    }
}

/// The conversion of a value of at most 64 bits; `None` if the result is wider.
#[inline(always)]
pub(super) fn concrete_cast(cast: Cast, from: u32, to: u32, x: u64) -> Option<u64> {
    (to <= 64).then(|| match cast {
        Cast::Trunc => truncate(x, to),
        Cast::Zext => x,
        Cast::Sext => truncate(signed(x, from) as u64, to),
    })
}

/// The result of an operation on values of `width` bits; `None` if it is an error (division by
/// zero, the quotient that does not fit) or they have more than 64 bits.
#[inline(always)]
pub(super) fn concrete_binary(op: BinaryOp, width: u32, x: u64, y: u64) -> Option<u64> {
    if width > 64 {
        return None;
    }
    let (sx, sy) = (signed(x, width), signed(y, width));
    let (low, high) = (i128::from(i64::MIN >> (64 - width)), i128::from(i64::MAX >> (64 - width)));
    let clamp = |exact: i128| exact.clamp(low, high) as u64;
    let divides = || y != 0 && !(sy == -1 && i128::from(sx) == low);
    let value = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Udiv => x.checked_div(y)?,
        BinaryOp::Urem => x.checked_rem(y)?,
        BinaryOp::Sdiv if divides() => sx.wrapping_div(sy) as u64,
        BinaryOp::Srem if divides() => sx.wrapping_rem(sy) as u64,
        BinaryOp::Sdiv | BinaryOp::Srem => return None,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x.checked_shl(shift_count(width, y)).unwrap_or(0),
        BinaryOp::Lshr => x.checked_shr(shift_count(width, y)).unwrap_or(0),
        BinaryOp::Ashr => (sx >> shift_count(width, y).min(63)) as u64,
        BinaryOp::Umin => x.min(y),
        BinaryOp::Umax => x.max(y),
        BinaryOp::Smin => sx.min(sy) as u64,
        BinaryOp::Smax => sx.max(sy) as u64,
        BinaryOp::UaddSat => {
            (u128::from(x) + u128::from(y)).min(u128::from(truncate(u64::MAX, width))) as u64
        }
        BinaryOp::UsubSat => x.saturating_sub(y),
        BinaryOp::SaddSat => clamp(i128::from(sx) + i128::from(sy)),
        BinaryOp::SsubSat => clamp(i128::from(sx) - i128::from(sy)),
    };
    Some(truncate(value, width))
}

/// The effective count of a shift. C leaves counts of the width or more undefined; here the low
/// bits of the count decide, as on the machine (Intel SDM, volume 2, SAL/SAR/SHL/SHR: narrow
/// operands count as 32 bits).
#[inline(always)]
fn shift_count(width: u32, count: u64) -> u32 {
    let significant = if width > 32 { 63 } else { 31 };
    (count & significant) as u32
}

/// The effective count of a shift ([`shift_count`]) as an expression. Shifts of more than 64 bits
/// are made of 64-bit ones, so their counts wrap at the next power of two.
fn shift_count_expr(exprs: &Exprs, width: u32, count: ExprId) -> ExprId {
    let modulus = u64::from(width.max(32).next_power_of_two());
    if width < 64 && modulus > (1 << width) - 1 {
        return count;
    }
    exprs.and(count, exprs.constant(width, modulus - 1))
}

fn binary_expr(exprs: &Exprs, op: BinaryOp, width: u32, a: ExprId, b: ExprId) -> ExprId {
    let saturated = |is_signed: bool, sum: &dyn Fn(ExprId, ExprId) -> ExprId| {
        let wide = width + 2;
        let extend = |e| if is_signed { exprs.sext(e, wide) } else { exprs.zext(e, wide) };
        let exact = sum(extend(a), extend(b));
        let (low, high) = if is_signed {
            let low = exprs.sext(smallest(exprs, width), wide);
            (low, exprs.not(low))
        } else {
            (exprs.constant(wide, 0), exprs.zext(exprs.not(exprs.constant(width, 0)), wide))
        };
        let cut = exprs.ite(exprs.slt(exact, low), low, exact);
        exprs.extract(exprs.ite(exprs.slt(high, cut), high, cut), 0, width)
    };
    match op {
        BinaryOp::Add => exprs.add(a, b),
        BinaryOp::Sub => exprs.sub(a, b),
        BinaryOp::Mul => exprs.mul(a, b),
        BinaryOp::Udiv => exprs.udiv(a, b),
        BinaryOp::Sdiv => exprs.sdiv(a, b),
        BinaryOp::Urem => exprs.urem(a, b),
        BinaryOp::Srem => exprs.srem(a, b),
        BinaryOp::And => exprs.and(a, b),
        BinaryOp::Or => exprs.or(a, b),
        BinaryOp::Xor => exprs.xor(a, b),
        BinaryOp::Shl => exprs.shl(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Lshr => exprs.lshr(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Ashr => exprs.ashr(a, shift_count_expr(exprs, width, b)),
        BinaryOp::Umin => exprs.ite(exprs.ult(a, b), a, b),
        BinaryOp::Umax => exprs.ite(exprs.ult(a, b), b, a),
        BinaryOp::Smin => exprs.ite(exprs.slt(a, b), a, b),
        BinaryOp::Smax => exprs.ite(exprs.slt(a, b), b, a),
        BinaryOp::UaddSat => saturated(false, &|x, y| exprs.add(x, y)),
        BinaryOp::UsubSat => saturated(false, &|x, y| exprs.sub(x, y)),
        BinaryOp::SaddSat => saturated(true, &|x, y| exprs.add(x, y)),
        BinaryOp::SsubSat => saturated(true, &|x, y| exprs.sub(x, y)),
    }
}

fn smallest(exprs: &Exprs, width: u32) -> ExprId {
    if width == 1 {
        return exprs.constant(1, 1);
    }
    exprs.concat(exprs.constant(1, 1), exprs.constant(width - 1, 0))
}
