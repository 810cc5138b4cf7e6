//! Sums, products, quotients.

use super::{
    super::{BinaryOp, Bv, ExprId, Exprs, Node, fold},
    Level,
};

/// How deep a sum is searched for an addend that cancels another one.
const ADDENDS_DEEP: u32 = 5;

impl Exprs {
    /// Two's complement negation.
    pub fn neg(&self, a: ExprId) -> ExprId {
        let width = self.width(a);
        if let Some(value) = self.as_bv(a) {
            return self.bv(&value.neg());
        }
        if let Some(folded) = self.map_choice(a, Bv::neg) {
            return folded;
        }
        let Some(_level) = Level::enter() else { return self.arena.intern(Node::Neg(a), width) };
        match self.node(a) {
            _ if width == 1 => a,
            Node::Neg(x) => x,
            Node::Not(x) => self.add(x, self.constant(width, 1)),
            Node::Binary(BinaryOp::Add, x, y) if self.is_constant(y) => {
                self.add(self.neg(x), self.neg(y))
            }
            Node::Binary(BinaryOp::Add, x, y) => match (self.node(x), self.node(y)) {
                (Node::Neg(x), _) => self.add(x, self.neg(y)),
                (_, Node::Neg(y)) => self.add(self.neg(x), y),
                _ => self.arena.intern(Node::Neg(a), width),
            },
            Node::Binary(BinaryOp::Mul, x, y) if self.is_constant(y) => self.mul(x, self.neg(y)),
            _ => self.arena.intern(Node::Neg(a), width),
        }
    }

    /// Sum, modulo 2^width.
    pub fn add(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }

    /// Difference, modulo 2^width.
    pub fn sub(&self, a: ExprId, b: ExprId) -> ExprId {
        self.add(a, self.neg(b))
    }

    /// Product, modulo 2^width.
    pub fn mul(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// Unsigned quotient, as in SMT-LIB: division by zero gives all ones.
    pub fn udiv(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Udiv, a, b)
    }

    /// Signed quotient, rounded towards zero, as in SMT-LIB: division by zero gives -1, or 1 for a
    /// negative dividend.
    pub fn sdiv(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Sdiv, a, b)
    }

    /// Unsigned remainder, as in SMT-LIB: division by zero gives the dividend.
    pub fn urem(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Urem, a, b)
    }

    /// Signed remainder, with the sign of the dividend, as in SMT-LIB: division by zero gives the
    /// dividend.
    pub fn srem(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Srem, a, b)
    }

    /// `e` as a product of a constant coefficient and a base; 1 and `e` if no factor is visible.
    fn as_multiple(&self, e: ExprId) -> (Bv, ExprId) {
        let width = self.width(e);
        let unit = || Bv::new(width, 1);
        let shifted = |x: ExprId| match self.node(x) {
            Node::Concat(high, low) if self.as_bv(low).is_some_and(|low| low.is_zero()) => {
                let factor =
                    Bv::binary(BinaryOp::Shl, &unit(), &Bv::new(width, u64::from(self.width(low))));
                Some((factor, self.zext(high, width)))
            }
            _ => None,
        };
        match self.node(e) {
            Node::Neg(x) => (unit().neg(), x),
            Node::Binary(BinaryOp::Mul, x, y) => match self.as_bv(y) {
                Some(factor) => (factor, x),
                None => (unit(), e),
            },
            Node::Zext(x) => shifted(x).unwrap_or_else(|| (unit(), e)),
            _ => shifted(e).unwrap_or_else(|| (unit(), e)),
        }
    }

    fn negations(&self, a: ExprId, b: ExprId) -> bool {
        self.node(a) == Node::Neg(b) || self.node(b) == Node::Neg(a)
    }

    /// The rest of `x + y` without the first addend that satisfies `is`. Sums inside the addends
    /// are searched to the depth `deep`.
    fn sum_without(
        &self,
        (x, y): (ExprId, ExprId),
        is: &dyn Fn(ExprId) -> bool,
        deep: u32,
    ) -> Option<ExprId> {
        let pairs = [(x, y), (y, x)];
        if let Some((_, rest)) = pairs.into_iter().find(|(addend, _)| is(*addend)) {
            return Some(rest);
        }
        let deep = deep.checked_sub(1)?;
        pairs.into_iter().find_map(|(addend, rest)| match self.node(addend) {
            Node::Binary(BinaryOp::Add, x, y) => {
                Some(self.add(self.sum_without((x, y), is, deep)?, rest))
            }
            _ => None,
        })
    }

    /// The equality of `p + q` and a sum with a common addend, without that addend.
    pub(super) fn eq_of_sums(&self, sum: (ExprId, ExprId), other: ExprId) -> Option<ExprId> {
        let Node::Binary(BinaryOp::Add, x, y) = self.node(other) else { return None };
        [(x, y), (y, x)].into_iter().find_map(|(addend, rest)| {
            let is_same = |e| e == addend;
            Some(self.eq(self.sum_without(sum, &is_same, ADDENDS_DEEP)?, rest))
        })
    }

    pub(super) fn simplify_add(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.width(a) == 1 {
            return Some(self.xor(a, b));
        }
        if let Some(constant) = self.as_bv(b) {
            return self.simplify_add_constant(a, &constant);
        }
        let as_sum = |e| match self.node(e) {
            Node::Binary(BinaryOp::Add, x, y) => Some((x, y)),
            _ => None,
        };
        let (sum_a, sum_b) = (as_sum(a), as_sum(b));
        for (sum, other) in [(sum_a, b), (sum_b, a)] {
            let Some((x, y)) = sum else { continue };
            if self.is_constant(y) {
                return Some(self.add(self.add(x, other), y));
            }
            let cancels = |addend| self.negations(addend, other);
            if let Some(rest) = self.sum_without((x, y), &cancels, ADDENDS_DEEP) {
                return Some(rest);
            }
            // The negation of a choice between constants is also such a choice. It cancels out
            // here.
            for (choice, rest) in [(x, y), (y, x)] {
                if let Some(joined) = self.binary_of_choices(BinaryOp::Add, choice, other) {
                    return Some(self.add(joined, rest));
                }
            }
        }
        if let (Some((p, q)), Some((r, s))) = (sum_a, sum_b) {
            for (p, q) in [(p, q), (q, p)] {
                for (r, s) in [(r, s), (s, r)] {
                    if self.negations(p, r) {
                        return Some(self.add(q, s));
                    }
                }
            }
        }
        let ((factor_a, base_a), (factor_b, base_b)) = (self.as_multiple(a), self.as_multiple(b));
        if base_a == base_b {
            let factor = Bv::binary(BinaryOp::Add, &factor_a, &factor_b);
            return Some(self.mul(base_a, self.bv(&factor)));
        }
        if let (Node::Neg(x), Node::Neg(y)) = (self.node(a), self.node(b)) {
            return Some(self.neg(self.add(x, y)));
        }
        self.join_disjoint(a, b)
    }

    fn simplify_add_constant(&self, a: ExprId, constant: &Bv) -> Option<ExprId> {
        let width = self.width(a);
        let add = |x: &Bv, y: &Bv| self.bv(&Bv::binary(BinaryOp::Add, x, y));
        match self.node(a) {
            _ if constant.is_zero() => Some(a),
            Node::Binary(BinaryOp::Add, x, y) => {
                self.as_bv(y).map(|inner| self.add(x, add(&inner, constant)))
            }
            Node::Not(x) => Some(self.add(self.neg(x), add(constant, &Bv::ones(width)))),
            _ => self.join_disjoint(a, self.bv(constant)),
        }
    }

    pub(super) fn simplify_mul(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.width(a) == 1 {
            return Some(self.and(a, b));
        }
        if let Some(constant) = self.as_bv(b) {
            return self.simplify_mul_constant(a, b, &constant);
        }
        match (self.node(a), self.node(b)) {
            (Node::Neg(x), _) => Some(self.neg(self.mul(x, b))),
            (_, Node::Neg(y)) => Some(self.neg(self.mul(a, y))),
            // A constant factor floats outwards, where it may meet others.
            (Node::Binary(BinaryOp::Mul, x, y), _) if self.is_constant(y) => {
                Some(self.mul(self.mul(x, b), y))
            }
            (_, Node::Binary(BinaryOp::Mul, x, y)) if self.is_constant(y) => {
                Some(self.mul(self.mul(a, x), y))
            }
            _ => None,
        }
    }

    fn simplify_mul_constant(&self, a: ExprId, b: ExprId, constant: &Bv) -> Option<ExprId> {
        if constant.is_zero() {
            return Some(b);
        }
        if constant.is_one() {
            return Some(a);
        }
        if constant.is_ones() {
            return Some(self.neg(a));
        }
        match self.node(a) {
            Node::Neg(x) => Some(self.mul(x, self.neg(b))),
            Node::Binary(BinaryOp::Mul, x, y) if self.is_constant(y) => {
                Some(self.mul(x, self.mul(y, b)))
            }
            Node::Binary(BinaryOp::Add, x, y) if self.is_constant(y) => {
                Some(self.add(self.mul(x, b), self.mul(y, b)))
            }
            // If the operand consists of slices, a shift is just another slice.
            Node::Zext(_) | Node::Concat(..) | Node::Extract { .. } => {
                constant.log2().map(|amount| self.shift_slices_left(a, amount))
            }
            _ => None,
        }
    }

    pub(super) fn simplify_udiv(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let divisor = self.as_bv(b)?;
        if divisor.is_zero() {
            return Some(self.bv(&Bv::ones(width)));
        }
        if let Some(amount) = divisor.log2() {
            return Some(self.shift_right(a, amount));
        }
        if let Node::Binary(BinaryOp::Udiv, x, y) = self.node(a)
            && let Some(inner) = self.as_bv(y)
        {
            return Some(match product(&inner, &divisor) {
                Some(both) => self.udiv(x, self.bv(&both)),
                None => self.zero(width),
            });
        }
        if let Node::Zext(x) = self.node(a) {
            let narrow = self.width(x);
            return Some(if divisor.significant_bits() <= narrow {
                self.zext(self.udiv(x, self.bv(&divisor.extract(0, narrow))), width)
            } else {
                self.zero(width)
            });
        }
        None
    }

    pub(super) fn simplify_urem(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(self.zero(width));
        }
        let divisor = self.as_bv(b)?;
        if divisor.is_zero() {
            return Some(a);
        }
        match divisor.log2() {
            Some(0) => return Some(self.zero(width)),
            Some(bits) => return Some(self.zext(self.extract(a, 0, bits), width)),
            None => {}
        }
        if let Node::Zext(x) = self.node(a) {
            let narrow = self.width(x);
            return Some(if divisor.significant_bits() <= narrow {
                self.zext(self.urem(x, self.bv(&divisor.extract(0, narrow))), width)
            } else {
                a
            });
        }
        None
    }

    pub(super) fn simplify_sdiv(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return Some(self.udiv(a, b));
        }
        let divisor = self.as_bv(b)?;
        if divisor.is_one() {
            return Some(a);
        }
        if divisor.is_ones() {
            return Some(self.neg(a));
        }
        if let Some((x, inner)) = self.as_quotient(a)
            && !divisor.is_negative()
            && !divisor.is_zero()
            && let Some(both) = product(&inner, &divisor).filter(|both| !both.is_negative())
        {
            return Some(self.sdiv(x, self.bv(&both)));
        }
        self.narrow_signed_division(BinaryOp::Sdiv, a, &divisor)
    }

    pub(super) fn simplify_srem(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(self.zero(self.width(a)));
        }
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return Some(self.urem(a, b));
        }
        let divisor = self.as_bv(b)?;
        if divisor.is_one() || divisor.is_ones() {
            return Some(self.zero(self.width(a)));
        }
        if divisor.is_zero() || self.is_below(a, &divisor) {
            return Some(a);
        }
        self.narrow_signed_division(BinaryOp::Srem, a, &divisor)
    }

    /// Whether the magnitude of the signed number `e` is visibly below a positive constant.
    fn is_below(&self, e: ExprId, constant: &Bv) -> bool {
        let width = self.width(e);
        let limit = constant.to_u64().filter(|_| width <= 64 && !constant.is_negative());
        limit.is_some_and(|limit| {
            let (least, greatest) = self.signed_bounds(e);
            least.unsigned_abs() < limit && greatest.unsigned_abs() < limit
        })
    }

    /// Signed division (or remainder) in as few bits as the dividend and the divisor need. So a sum
    /// of a few `char`s has the same quotient as an `int` and as a `long`. The divisor must not be
    /// 1, 0 or -1; only the quotient by -1 can overflow the narrow width.
    fn narrow_signed_division(&self, op: BinaryOp, a: ExprId, divisor: &Bv) -> Option<ExprId> {
        let width = self.width(a);
        let narrow = match self.node(a) {
            Node::Sext(x) => self.width(x),
            _ if width > 64 => return None,
            _ => {
                let (least, greatest) = self.signed_bounds(a);
                let bits =
                    |value: i64| 65 - (if value < 0 { !value } else { value }).leading_zeros();
                let of_divisor = divisor.to_u64().map(|value| bits(fold::signed(width, value)))?;
                bits(least).max(bits(greatest)).max(of_divisor)
            }
        };
        let cut = divisor.extract(0, narrow.min(width));
        let fits = narrow < width && cut.sext(width) == *divisor && !divisor.is_zero();
        fits.then(|| self.sext(self.binary(op, self.low_bits(a, narrow), self.bv(&cut)), width))
    }

    /// The low `width` bits of `e`. For a sum, these are the sum of its addends' low bits.
    fn low_bits(&self, e: ExprId, width: u32) -> ExprId {
        match self.node(e) {
            Node::Binary(BinaryOp::Add, a, b) => {
                self.add(self.low_bits(a, width), self.low_bits(b, width))
            }
            Node::Neg(a) => self.neg(self.low_bits(a, width)),
            _ => self.extract(e, 0, width),
        }
    }

    /// The dividend and the divisor, if `e` is a signed quotient by a positive constant.
    pub(super) fn as_quotient(&self, e: ExprId) -> Option<(ExprId, Bv)> {
        let Node::Binary(BinaryOp::Sdiv, x, y) = self.node(e) else { return None };
        let divisor = self.as_bv(y)?;
        (!divisor.is_negative() && !divisor.is_zero()).then_some((x, divisor))
    }

    /// Whether the sign bit is visibly zero.
    pub(super) fn is_non_negative(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Zext(_) => true,
            Node::Concat(high, _) => self.as_bv(high).is_some_and(|high| !high.is_negative()),
            _ => self.as_bv(e).is_some_and(|value| !value.is_negative()),
        }
    }
}

/// The product of two unsigned numbers, if it fits in their width.
pub(super) fn product(a: &Bv, b: &Bv) -> Option<Bv> {
    let width = a.width();
    let whole = Bv::binary(BinaryOp::Mul, &a.zext(2 * width), &b.zext(2 * width));
    (whole.significant_bits() <= width).then(|| whole.extract(0, width))
}
