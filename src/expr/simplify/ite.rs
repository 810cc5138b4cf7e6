//! Choices by a condition (ite).

use super::{
    super::{BinaryOp, Bv, ExprId, Exprs, Node},
    Level,
};

impl Exprs {
    /// `then` where `condition` (width 1) holds, else `otherwise`.
    ///
    /// # Panics
    /// If the condition is wider than 1 or the arms differ in width.
    pub fn ite(&self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let width = self.width(then);
        assert_eq!(self.width(condition), 1, "a condition has width 1");
        assert_eq!(width, self.width(otherwise), "the arms of an ite differ in width");
        if let Some(value) = self.as_u64(condition) {
            return if value == 1 { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        if let Node::Not(positive) = self.node(condition) {
            return self.ite(positive, otherwise, then);
        }
        let simpler = Level::enter().and_then(|_level| {
            if width == 1 {
                self.simplify_bool_ite(condition, then, otherwise)
            } else {
                self.simplify_ite(condition, then, otherwise)
            }
        });
        simpler.unwrap_or_else(|| self.arena.intern(Node::Ite(condition, then, otherwise), width))
    }

    fn simplify_bool_ite(&self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.as_u64(a), self.as_u64(b)) {
            (Some(1), _) => return Some(self.or(c, b)),
            (Some(_), _) => return Some(self.and(self.not(c), b)),
            (_, Some(0)) => return Some(self.and(c, a)),
            (_, Some(_)) => return Some(self.or(self.not(c), a)),
            _ => {}
        }
        if a == c || self.complements(a, c) {
            return Some(self.ite(c, self.bool(a == c), b));
        }
        if b == c || self.complements(b, c) {
            return Some(self.ite(c, a, self.bool(b != c)));
        }
        if self.complements(a, b) {
            return Some(self.eq(c, a));
        }
        self.merge_nested(c, a, b)
    }

    fn simplify_ite(&self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.as_bv(a), self.as_bv(b)) {
            return if y.is_zero() && x.is_one() {
                Some(self.zext(c, width))
            } else if y.is_zero() && x.is_ones() {
                Some(self.sext(c, width))
            } else if x.is_zero() && y.is_one() {
                Some(self.zext(self.not(c), width))
            } else if x.is_zero() && y.is_ones() {
                Some(self.sext(self.not(c), width))
            } else {
                None
            };
        }
        if let Node::Binary(BinaryOp::Eq, x, y) = self.node(c)
            && ((x, y) == (a, b) || (y, x) == (a, b))
        {
            return Some(b);
        }
        if let Some(simpler) = self.lesser_or_greater(c, a, b) {
            return Some(simpler);
        }
        // An arm that is itself a choice by the same condition, in any of its shapes.
        if let Some((inner, x, _)) = self.as_choice(a)
            && inner == c
        {
            return Some(self.ite(c, self.bv(&x), b));
        }
        if let Some((inner, _, y)) = self.as_choice(b)
            && inner == c
        {
            return Some(self.ite(c, a, self.bv(&y)));
        }
        self.merge_nested(c, a, b).or_else(|| self.ite_of_extensions(c, a, b))
    }

    /// The canonical form of the minimum or maximum of two terms. Swapping equal terms does not
    /// change these.
    fn lesser_or_greater(&self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        let Node::Binary(op @ (BinaryOp::Ult | BinaryOp::Slt), x, y) = self.node(c) else {
            return None;
        };
        let is_between = |other| (a, b) == (x, other) || (b, a) == (x, other);
        if let Some(above) = self.as_bv(y) {
            let last = Bv::binary(BinaryOp::Add, &above, &Bv::ones(above.width()));
            if Bv::binary(op, &last, &above).is_zero() {
                return None;
            }
            let last = self.bv(&last);
            return is_between(last).then(|| self.ite(self.binary(op, x, last), a, b));
        }
        let is_turned = is_between(y) && self.ordered(x, y) != (x, y);
        is_turned.then(|| self.ite(self.binary(op, y, x), b, a))
    }

    /// Merges a choice with a choice in its arm if they have the same condition, or an arm in
    /// common.
    fn merge_nested(&self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        if let Node::Ite(d, x, y) = self.node(a) {
            if d == c {
                return Some(self.ite(c, x, b));
            }
            if y == b {
                return Some(self.ite(self.and(c, d), x, b));
            }
            if x == b {
                return Some(self.ite(self.and(c, self.not(d)), y, b));
            }
        }
        if let Node::Ite(d, x, y) = self.node(b) {
            if d == c {
                return Some(self.ite(c, a, y));
            }
            if x == a {
                return Some(self.ite(self.or(c, d), a, y));
            }
            if y == a {
                return Some(self.ite(self.or(c, self.not(d)), a, x));
            }
        }
        None
    }

    fn ite_of_extensions(&self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let narrow = |e: ExprId, signed: bool| match self.node(e) {
            Node::Zext(x) if !signed => self.width(x),
            Node::Sext(x) if signed => self.width(x),
            _ => match self.as_bv(e) {
                Some(value) if signed && value.is_negative() => value.not().significant_bits() + 1,
                Some(value) => value.significant_bits().max(1) + u32::from(signed),
                None => width,
            },
        };
        for signed in [false, true] {
            let low = narrow(a, signed).max(narrow(b, signed));
            if low < width {
                let inner = self.ite(c, self.extract(a, 0, low), self.extract(b, 0, low));
                return Some(if signed {
                    self.sext(inner, width)
                } else {
                    self.zext(inner, width)
                });
            }
        }
        None
    }

    /// The condition (never a negation) and the two constants, if `e` is a choice between two
    /// constants but not a mere truth value.
    pub(super) fn as_choice(&self, e: ExprId) -> Option<(ExprId, Bv, Bv)> {
        let width = self.width(e);
        let (c, a, b) = match self.node(e) {
            Node::Ite(c, a, b) => (c, self.as_bv(a)?, self.as_bv(b)?),
            Node::Zext(c) if self.width(c) == 1 => (c, Bv::new(width, 1), Bv::zero(width)),
            Node::Sext(c) if self.width(c) == 1 => (c, Bv::ones(width), Bv::zero(width)),
            _ => return None,
        };
        Some(match self.node(c) {
            Node::Not(positive) => (positive, b, a),
            _ => (c, a, b),
        })
    }

    /// The two constants, if `e` is a choice between them by `condition`. The condition and its
    /// negation are also such choices, and a constant is a choice by any condition.
    pub(super) fn as_choice_by(&self, condition: ExprId, e: ExprId) -> Option<(Bv, Bv)> {
        if let Some(value) = self.as_bv(e) {
            return Some((value.clone(), value));
        }
        let bit = |value: bool| Bv::new(1, u64::from(value));
        if e == condition || self.node(e) == Node::Not(condition) {
            return Some((bit(e == condition), bit(e != condition)));
        }
        let (c, a, b) = self.as_choice(e)?;
        (c == condition).then_some((a, b))
    }

    /// Applies `f` to both constants, if `e` is a choice between two.
    pub(super) fn map_choice(&self, e: ExprId, f: impl Fn(&Bv) -> Bv) -> Option<ExprId> {
        let (c, a, b) = self.as_choice(e)?;
        Some(self.ite(c, self.bv(&f(&a)), self.bv(&f(&b))))
    }

    pub(super) fn binary_of_choices(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        self.zip_choices(a, b, |x, y| Bv::binary(op, x, y))
    }

    /// Applies `f` to the constants of two choices by one condition, or of one such choice and a
    /// constant.
    pub(super) fn zip_choices(
        &self,
        a: ExprId,
        b: ExprId,
        f: impl Fn(&Bv, &Bv) -> Bv,
    ) -> Option<ExprId> {
        let (c, ..) = self.as_choice(a).or_else(|| self.as_choice(b))?;
        let (a_then, a_else) = self.as_choice_by(c, a)?;
        let (b_then, b_else) = self.as_choice_by(c, b)?;
        Some(self.ite(c, self.bv(&f(&a_then, &b_then)), self.bv(&f(&a_else, &b_else))))
    }
}
