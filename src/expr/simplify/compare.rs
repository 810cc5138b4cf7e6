//! Equality and order.

use super::{
    super::{BinaryOp, Bv, ExprId, Exprs, Node},
    arithmetic::product,
};

impl Exprs {
    /// Equality.
    pub fn eq(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Eq, a, b)
    }

    /// Inequality.
    pub fn ne(&self, a: ExprId, b: ExprId) -> ExprId {
        self.not(self.eq(a, b))
    }

    /// Unsigned `a < b`.
    pub fn ult(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Ult, a, b)
    }

    /// Unsigned `a <= b`.
    pub fn ule(&self, a: ExprId, b: ExprId) -> ExprId {
        self.not(self.ult(b, a))
    }

    /// Signed `a < b`.
    pub fn slt(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Slt, a, b)
    }

    /// Signed `a <= b`.
    pub fn sle(&self, a: ExprId, b: ExprId) -> ExprId {
        self.not(self.slt(b, a))
    }

    pub(super) fn simplify_eq(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.complements(a, b) {
            return Some(self.bool(false));
        }
        if let Some(constant) = self.as_bv(b) {
            return self.simplify_eq_constant(a, b, &constant);
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) | (Node::Neg(x), Node::Neg(y)) => {
                return Some(self.eq(x, y));
            }
            (Node::Binary(x, p, q), Node::Binary(y, r, s))
                if x == y && matches!(x, BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt) =>
            {
                let same =
                    |e, f| e == f || self.width(e) == self.width(f) && self.is_true(self.eq(e, f));
                if same(q, s) && same(p, r) {
                    return Some(self.bool(true));
                }
            }
            (Node::Not(x), _) if self.width(a) == 1 => return Some(self.not(self.eq(x, b))),
            (_, Node::Not(y)) if self.width(a) == 1 => return Some(self.not(self.eq(a, y))),
            (Node::FloatUnary(..), Node::FloatUnary(..)) => return self.exact_eq(a, b),
            (Node::Concat(p, q), Node::Concat(r, s)) if p == r => return Some(self.eq(q, s)),
            (Node::Concat(p, q), Node::Concat(r, s)) if q == s => return Some(self.eq(p, r)),
            _ => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                Node::Binary(BinaryOp::Add, p, q) => {
                    if p == y || q == y {
                        let rest = if p == y { q } else { p };
                        return Some(self.eq(rest, self.zero(self.width(a))));
                    }
                    if let Some(equal) = self.eq_of_sums((p, q), y) {
                        return Some(equal);
                    }
                }
                Node::Binary(BinaryOp::Xor, p, q) if p == y || q == y => {
                    let rest = if p == y { q } else { p };
                    return Some(self.eq(rest, self.zero(self.width(a))));
                }
                Node::Ite(c, p, q) if p == y || q == y => {
                    let equal = self.eq(if p == y { q } else { p }, y);
                    let taken = if p == y { c } else { self.not(c) };
                    return Some(self.or(taken, equal));
                }
                _ => {}
            }
        }
        self.narrowed(BinaryOp::Eq, a, b)
    }

    fn simplify_eq_constant(&self, a: ExprId, b: ExprId, constant: &Bv) -> Option<ExprId> {
        let width = self.width(a);
        if width == 1 {
            return Some(if constant.is_one() { a } else { self.not(a) });
        }
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, y) => match self.as_bv(y) {
                Some(_) => Some(self.eq(x, self.sub(b, y))),
                None if constant.is_zero() => match (self.node(x), self.node(y)) {
                    (Node::Neg(x), _) => Some(self.eq(x, y)),
                    (_, Node::Neg(y)) => Some(self.eq(x, y)),
                    _ => None,
                },
                None => None,
            },
            Node::Binary(BinaryOp::Xor, x, y) if self.is_constant(y) => {
                Some(self.eq(x, self.xor(b, y)))
            }
            Node::Binary(BinaryOp::Xor, x, y) if constant.is_zero() => Some(self.eq(x, y)),
            Node::Binary(BinaryOp::And, _, y) => {
                let outside = self.as_bv(y).map(|y| Bv::binary(BinaryOp::And, constant, &y.not()));
                outside.is_some_and(|bits| !bits.is_zero()).then(|| self.bool(false))
            }
            Node::Binary(BinaryOp::Or, _, y) => {
                let missing = self.as_bv(y).map(|y| Bv::binary(BinaryOp::And, &y, &constant.not()));
                missing.is_some_and(|bits| !bits.is_zero()).then(|| self.bool(false))
            }
            Node::Binary(BinaryOp::Mul, x, y) => self.eq_of_product(x, &self.as_bv(y)?, constant),
            Node::Binary(BinaryOp::Udiv | BinaryOp::Sdiv, _, y) if self.is_constant(y) => {
                self.eq_of_quotient(a, constant)
            }
            Node::Neg(x) => Some(self.eq(x, self.neg(b))),
            Node::Not(x) => Some(self.eq(x, self.not(b))),
            Node::Zext(x) => {
                let narrow = self.width(x);
                let fits = constant.significant_bits() <= narrow;
                Some(if fits {
                    self.eq(x, self.bv(&constant.extract(0, narrow)))
                } else {
                    self.bool(false)
                })
            }
            Node::Sext(x) => {
                let cut = constant.extract(0, self.width(x));
                let fits = cut.sext(width) == *constant;
                Some(if fits { self.eq(x, self.bv(&cut)) } else { self.bool(false) })
            }
            Node::Concat(high, low) if self.is_constant(high) || self.is_constant(low) => {
                let split = self.width(low);
                let high = self.eq(high, self.bv(&constant.extract(split, width - split)));
                Some(self.and(high, self.eq(low, self.bv(&constant.extract(0, split)))))
            }
            Node::Ite(c, x, y) => self.of_choice(BinaryOp::Eq, (c, x, y), b),
            Node::FloatUnary(..) => self.exact_eq(a, b),
            _ => None,
        }
    }

    /// A comparison of a choice with the constant `b`, if exactly one arm is a constant. The
    /// comparison of that arm is settled, so only the condition and a comparison of the other arm
    /// remain.
    fn of_choice(
        &self,
        op: BinaryOp,
        (c, x, y): (ExprId, ExprId, ExprId),
        b: ExprId,
    ) -> Option<ExprId> {
        let (taken, arm, rest) = match (self.is_constant(x), self.is_constant(y)) {
            (true, false) => (c, x, y),
            (false, true) => (self.not(c), y, x),
            _ => return None,
        };
        let holds = self.as_u64(self.binary(op, arm, b)) == Some(1);
        let rest = self.binary(op, rest, b);
        Some(if holds { self.or(taken, rest) } else { self.and(self.not(taken), rest) })
    }

    /// The conjunction of two comparisons (or negated ones) of the same two terms, as one
    /// comparison.
    pub(super) fn both_compare(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let parts = |e: ExprId| {
            let (holds, inner) = match self.node(e) {
                Node::Not(inner) => (false, inner),
                _ => (true, e),
            };
            match self.node(inner) {
                Node::Binary(op, x, y) if op.is_comparison() => Some((holds, op, (x, y))),
                _ => None,
            }
        };
        let ((a_holds, a_op, (x, y)), (b_holds, b_op, others)) = (parts(a)?, parts(b)?);
        if let (Some(c), Some(d)) = (self.as_bv(y), self.as_bv(others.1))
            && x == others.0
            && a_op == b_op
        {
            return self.both_bound(a_op, x, [(a, a_holds, c), (b, b_holds, d)]);
        }
        let is_turned = (y, x) == others;
        let both_fail = match (a_op, b_op) {
            (BinaryOp::Eq, BinaryOp::Eq) => return None,
            (BinaryOp::Eq, _) => return self.both_compare(b, a),
            (_, BinaryOp::Eq) if is_turned || (x, y) == others => self.binary(a_op, y, x),
            _ if is_turned && a_op == b_op => self.eq(x, y),
            _ => return None,
        };
        Some(match (a_holds, b_holds) {
            (true, true) => self.bool(false),
            (true, false) => a,
            (false, true) => b,
            (false, false) => both_fail,
        })
    }

    /// The conjunction of two comparisons (or negated ones) of `x` with different constants, as one
    /// comparison. Each is given by whether it holds and by its constant.
    fn both_bound(
        &self,
        op: BinaryOp,
        x: ExprId,
        [(a, a_holds, c), (b, b_holds, d)]: [(ExprId, bool, Bv); 2],
    ) -> Option<ExprId> {
        if op == BinaryOp::Eq {
            return None;
        }
        let is_less = Bv::binary(op, &c, &d).is_one();
        match (a_holds, b_holds) {
            (true, true) => Some(if is_less { a } else { b }),
            (false, false) => Some(if is_less { b } else { a }),
            (true, false) if is_less || c == d => Some(self.bool(false)),
            (true, false) => {
                let next = Bv::binary(BinaryOp::Add, &d, &Bv::new(d.width(), 1));
                (next == c).then(|| self.eq(x, self.bv(&d)))
            }
            (false, true) => self.both_bound(op, x, [(b, b_holds, d), (a, a_holds, c)]),
        }
    }

    /// `a = constant` for a quotient `a` by a constant. It becomes two bounds of the quotient, and
    /// these become bounds of the dividend.
    fn eq_of_quotient(&self, a: ExprId, constant: &Bv) -> Option<ExprId> {
        let width = constant.width();
        let one = Bv::new(width, 1);
        let next = Bv::binary(BinaryOp::Add, constant, &one);
        let bound = |value: &Bv| self.bv(value);
        if let Node::Binary(BinaryOp::Udiv, ..) = self.node(a) {
            let above = match constant.is_ones() {
                true => self.bool(true),
                false => self.ult(a, bound(&next)),
            };
            return Some(self.and(self.not(self.ult(a, bound(constant))), above));
        }
        self.as_quotient(a)?;
        let greatest = Bv::ones(width - 1).zext(width);
        let above = match *constant == greatest {
            true => self.bool(true),
            false => self.slt(a, bound(&next)),
        };
        Some(self.and(self.not(self.slt(a, bound(constant))), above))
    }

    /// `x / divisor < constant`, signed and for a positive divisor, as a comparison of `x`.
    fn slt_of_quotient(&self, x: ExprId, divisor: &Bv, constant: &Bv) -> ExprId {
        let width = constant.width();
        let wide = |value: &Bv| value.sext(2 * width);
        let one = Bv::new(2 * width, 1);
        let mul = |value: &Bv| Bv::binary(BinaryOp::Mul, value, &wide(divisor));
        // Quotients are rounded towards zero. So for constants up to 0, `(constant - 1) * divisor`
        // is the greatest dividend with a lesser quotient.
        let limit = if constant.is_negative() || constant.is_zero() {
            let below = Bv::binary(BinaryOp::Add, &wide(constant), &Bv::ones(2 * width));
            Bv::binary(BinaryOp::Add, &mul(&below), &one)
        } else {
            mul(&wide(constant))
        };
        let cut = limit.extract(0, width);
        if cut.sext(2 * width) == limit {
            self.slt(x, self.bv(&cut))
        } else {
            self.bool(!limit.is_negative())
        }
    }

    /// `x * factor = constant`. It has no solution if the constant has fewer factors of two than
    /// `factor`. An odd factor has an inverse, which multiplies the constant.
    fn eq_of_product(&self, x: ExprId, factor: &Bv, constant: &Bv) -> Option<ExprId> {
        if constant.trailing_zeros() < factor.trailing_zeros() {
            return Some(self.bool(false));
        }
        if !factor.bit(0) {
            return None;
        }
        // Newton's iteration doubles the number of correct bits; the start has three.
        let width = factor.width();
        let mul = |a: &Bv, b: &Bv| Bv::binary(BinaryOp::Mul, a, b);
        let mut inverse = factor.clone();
        let mut right_bits = 3;
        while right_bits < width {
            let error = Bv::binary(BinaryOp::Add, &Bv::new(width, 2), &mul(factor, &inverse).neg());
            inverse = mul(&inverse, &error);
            right_bits *= 2;
        }
        Some(self.eq(x, self.bv(&mul(constant, &inverse))))
    }

    pub(super) fn simplify_ult(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(self.bool(false));
        }
        if width == 1 {
            return Some(self.and(self.not(a), b));
        }
        if let Some(constant) = self.as_bv(a) {
            return Some(if constant.is_ones() {
                self.bool(false)
            } else {
                let next = self.add(a, self.constant(width, 1));
                self.not(self.ult(b, next))
            });
        }
        if let Some(constant) = self.as_bv(b) {
            if constant.is_zero() {
                return Some(self.bool(false));
            }
            if constant.is_one() {
                return Some(self.eq(a, self.zero(width)));
            }
            if constant.is_ones() {
                return Some(self.ne(a, b));
            }
            match self.node(a) {
                Node::Binary(BinaryOp::Udiv, x, y) if self.is_constant(y) => {
                    let divisor = self.as_bv(y).filter(|divisor| !divisor.is_zero())?;
                    return Some(match product(&divisor, &constant) {
                        Some(limit) => self.ult(x, self.bv(&limit)),
                        None => self.bool(true),
                    });
                }
                Node::Zext(x) if constant.significant_bits() > self.width(x) => {
                    return Some(self.bool(true));
                }
                Node::Sext(x) if constant.extract(0, self.width(x)).sext(width) != constant => {
                    return Some(self.not(self.slt(x, self.zero(self.width(x)))));
                }
                Node::Ite(c, x, y) => {
                    if let Some(simpler) = self.of_choice(BinaryOp::Ult, (c, x, y), b) {
                        return Some(simpler);
                    }
                }
                _ => {}
            }
        }
        if let (Node::Not(x), Node::Not(y)) = (self.node(a), self.node(b)) {
            return Some(self.ult(y, x));
        }
        self.narrowed(BinaryOp::Ult, a, b)
    }

    pub(super) fn simplify_slt(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(self.bool(false));
        }
        if width == 1 {
            return Some(self.and(a, self.not(b)));
        }
        let greatest = Bv::ones(width - 1).zext(width);
        let least = greatest.not();
        if let Some(constant) = self.as_bv(a) {
            return Some(if constant == greatest {
                self.bool(false)
            } else {
                let next = self.add(a, self.constant(width, 1));
                self.not(self.slt(b, next))
            });
        }
        if let Some(constant) = self.as_bv(b) {
            if constant == least {
                return Some(self.bool(false));
            }
            if constant == greatest {
                return Some(self.ne(a, b));
            }
            if Bv::binary(BinaryOp::Add, &constant, &Bv::ones(width)) == least {
                return Some(self.eq(a, self.bv(&least)));
            }
            if let Some((x, divisor)) = self.as_quotient(a) {
                return Some(self.slt_of_quotient(x, &divisor, &constant));
            }
            match self.node(a) {
                Node::Sext(x) if constant.extract(0, self.width(x)).sext(width) != constant => {
                    return Some(self.bool(!constant.is_negative()));
                }
                _ if self.is_non_negative(a) && constant.is_negative() => {
                    return Some(self.bool(false));
                }
                Node::Ite(c, x, y) => {
                    if let Some(simpler) = self.of_choice(BinaryOp::Slt, (c, x, y), b) {
                        return Some(simpler);
                    }
                }
                _ => {}
            }
        }
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return Some(self.ult(a, b));
        }
        if let (Node::Not(x), Node::Not(y)) = (self.node(a), self.node(b)) {
            return Some(self.slt(y, x));
        }
        self.narrowed(BinaryOp::Slt, a, b)
    }

    /// The comparison without the bits that both operands have only by extension.
    fn narrowed(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let unsigned = |e: ExprId| match self.node(e) {
            Node::Zext(x) => self.width(x),
            _ => self.as_bv(e).map_or(width, |value| value.significant_bits().max(1)),
        };
        let signed = |e: ExprId| match self.node(e) {
            Node::Zext(x) => self.width(x) + 1,
            Node::Sext(x) => self.width(x),
            _ => self.as_bv(e).map_or(width, |value| {
                let magnitude = if value.is_negative() { value.not() } else { value };
                magnitude.significant_bits() + 1
            }),
        };
        let by_zeros = unsigned(a).max(unsigned(b));
        // Sign extension also keeps the unsigned order: it moves the upper half up as a whole.
        let by_signs = signed(a).max(signed(b));
        let enough = if op == BinaryOp::Slt { by_signs } else { by_zeros.min(by_signs) };
        (enough < width)
            .then(|| self.binary(op, self.extract(a, 0, enough), self.extract(b, 0, enough)))
    }
}
