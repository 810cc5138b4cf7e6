//! Complement, and, or, xor.

use super::{
    super::{BinaryOp, Bv, ExprId, Exprs, Node},
    Level,
};

impl Exprs {
    /// Bitwise complement; negation of a truth value.
    pub fn not(&self, a: ExprId) -> ExprId {
        if let Some(value) = self.as_bv(a) {
            return self.bv(&value.not());
        }
        if self.width(a) > 1
            && let Some(folded) = self.map_choice(a, Bv::not)
        {
            return folded;
        }
        let Some(_level) = Level::enter() else {
            return self.arena.intern(Node::Not(a), self.width(a));
        };
        match self.node(a) {
            Node::Not(x) => x,
            Node::Neg(x) => self.add(x, self.bv(&Bv::ones(self.width(a)))),
            Node::Zext(x) => {
                let ones = Bv::ones(self.width(a) - self.width(x));
                self.concat(self.bv(&ones), self.not(x))
            }
            Node::Sext(x) => self.sext(self.not(x), self.width(a)),
            Node::Concat(high, low) if self.complements_partly(a) => {
                self.concat(self.not(high), self.not(low))
            }
            _ => self.arena.intern(Node::Not(a), self.width(a)),
        }
    }

    /// Whether some part of a concatenation has a complement that is more than a [`Node::Not`] of
    /// it.
    fn complements_partly(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Concat(high, low) => {
                self.complements_partly(high) || self.complements_partly(low)
            }
            Node::Zext(_) | Node::Not(_) | Node::Neg(_) => true,
            _ => self.is_constant(e) || self.as_choice(e).is_some(),
        }
    }

    /// Bitwise conjunction.
    pub fn and(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::And, a, b)
    }

    /// Bitwise disjunction.
    pub fn or(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Or, a, b)
    }

    /// Bitwise exclusive disjunction.
    pub fn xor(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Xor, a, b)
    }

    pub(super) fn simplify_and(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(a);
        }
        if self.complements(a, b) {
            return Some(self.zero(width));
        }
        if let Some(mask) = self.as_bv(b) {
            if mask.is_zero() || mask.is_ones() {
                return Some(if mask.is_zero() { b } else { a });
            }
            return self.and_constant(a, b, &mask);
        }
        if let Some(simpler) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return Some(simpler);
        }
        if width == 1
            && let Some(simpler) = self.both_compare(a, b)
        {
            return Some(simpler);
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) if width > 1 => Some(self.not(self.or(x, y))),
            _ => self.bitwise_of_extensions(BinaryOp::And, a, b),
        }
    }

    fn and_constant(&self, a: ExprId, b: ExprId, mask: &Bv) -> Option<ExprId> {
        match self.node(a) {
            Node::Binary(BinaryOp::And, x, y) if self.is_constant(y) => {
                return Some(self.and(x, self.and(y, b)));
            }
            Node::Binary(BinaryOp::Or, x, y) => {
                let set = self.as_bv(y).map(|y| Bv::binary(BinaryOp::And, &y, mask));
                if set.is_some_and(|set| set.is_zero()) {
                    return Some(self.and(x, b));
                }
            }
            _ => {}
        }
        self.bitwise_of_extensions(BinaryOp::And, a, b).or_else(|| {
            self.by_runs(
                mask,
                |low, width, ones| {
                    if ones { self.extract(a, low, width) } else { self.zero(width) }
                },
            )
        })
    }

    /// `a and b`, where `b` repeats or contradicts parts of `a`.
    fn absorb(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let zero = || self.zero(self.width(a));
        match self.node(a) {
            Node::Binary(BinaryOp::And, x, y) => {
                if x == b || y == b {
                    return Some(a);
                }
                (self.complements(x, b) || self.complements(y, b)).then(zero)
            }
            Node::Binary(BinaryOp::Or, x, y) => {
                if x == b || y == b {
                    Some(b)
                } else if self.complements(x, b) {
                    Some(self.and(y, b))
                } else if self.complements(y, b) {
                    Some(self.and(x, b))
                } else {
                    None
                }
            }
            Node::Not(inner) => match self.node(inner) {
                Node::Binary(BinaryOp::And, x, y) => {
                    if x == b {
                        Some(self.and(self.not(y), b))
                    } else if y == b {
                        Some(self.and(self.not(x), b))
                    } else if self.complements(x, b) || self.complements(y, b) {
                        Some(b)
                    } else {
                        None
                    }
                }
                _ => None,
            },
            // Equal to two different constants at once, or equal to one and not the other.
            Node::Binary(BinaryOp::Eq, x, c) if self.is_constant(c) => match self.node(b) {
                Node::Binary(BinaryOp::Eq, y, d) if x == y && self.is_constant(d) => Some(zero()),
                Node::Not(other) => match self.node(other) {
                    Node::Binary(BinaryOp::Eq, y, d) if x == y && self.is_constant(d) => Some(a),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn simplify_or(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(a);
        }
        if width == 1 {
            return Some(self.not(self.and(self.not(a), self.not(b))));
        }
        if self.complements(a, b) {
            return Some(self.bv(&Bv::ones(width)));
        }
        if let Some(mask) = self.as_bv(b) {
            if mask.is_zero() || mask.is_ones() {
                return Some(if mask.is_zero() { a } else { b });
            }
            return self.or_constant(a, b, &mask);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                Node::Binary(BinaryOp::Or, p, q) if p == y || q == y => return Some(x),
                Node::Binary(BinaryOp::And, p, q) if p == y || q == y => return Some(y),
                _ => {}
            }
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => Some(self.not(self.and(x, y))),
            _ => {
                self.join_disjoint(a, b).or_else(|| self.bitwise_of_extensions(BinaryOp::Or, a, b))
            }
        }
    }

    fn or_constant(&self, a: ExprId, b: ExprId, mask: &Bv) -> Option<ExprId> {
        if let Node::Binary(BinaryOp::Or, x, y) = self.node(a)
            && self.is_constant(y)
        {
            return Some(self.or(x, self.or(y, b)));
        }
        self.join_disjoint(a, b).or_else(|| self.bitwise_of_extensions(BinaryOp::Or, a, b)).or_else(
            || {
                self.by_runs(mask, |low, width, ones| {
                    if ones { self.bv(&Bv::ones(width)) } else { self.extract(a, low, width) }
                })
            },
        )
    }

    pub(super) fn simplify_xor(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if a == b {
            return Some(self.zero(width));
        }
        if width == 1 {
            return Some(self.not(self.eq(a, b)));
        }
        if self.complements(a, b) {
            return Some(self.bv(&Bv::ones(width)));
        }
        if let Some(mask) = self.as_bv(b) {
            if mask.is_zero() {
                return Some(a);
            }
            if mask.is_ones() {
                return Some(self.not(a));
            }
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), _) if self.is_constant(b) => return Some(self.xor(x, self.not(b))),
            (Node::Not(x), _) => return Some(self.not(self.xor(x, b))),
            (_, Node::Not(y)) => return Some(self.not(self.xor(a, y))),
            _ => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Binary(BinaryOp::Xor, p, q) = self.node(x) {
                if p == y || q == y {
                    return Some(if p == y { q } else { p });
                }
                // Two constants become one. The next rule alone would swap them forever.
                if self.is_constant(q) && self.is_constant(y) {
                    return Some(self.xor(p, self.xor(q, y)));
                }
                if self.is_constant(q) {
                    return Some(self.xor(self.xor(p, y), q));
                }
            }
        }
        self.join_disjoint(a, b).or_else(|| self.bitwise_of_extensions(BinaryOp::Xor, a, b))
    }

    /// `op` on fewer bits, extended afterwards: bits that both operands have only by extension need
    /// no operation.
    fn bitwise_of_extensions(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let zero_extended = |e: ExprId| match self.node(e) {
            Node::Zext(x) => self.width(x),
            _ => self.as_bv(e).map_or(width, |value| value.significant_bits().max(1)),
        };
        let low = if op == BinaryOp::And {
            zero_extended(a).min(zero_extended(b))
        } else {
            zero_extended(a).max(zero_extended(b))
        };
        // Conjunction with a mask of low bits is an extraction, which `by_runs` makes.
        let is_mask = self.as_bv(b).is_some_and(|b| b.significant_bits() <= low)
            && !matches!(self.node(a), Node::Zext(_));
        if low < width && !is_mask && (op != BinaryOp::And || self.slices(a) && self.slices(b)) {
            let (x, y) = (self.extract(a, 0, low), self.extract(b, 0, low));
            return Some(self.zext(self.binary(op, x, y), width));
        }
        let (Node::Sext(x), Node::Sext(y)) = (self.node(a), self.node(b)) else { return None };
        let low = self.width(x).max(self.width(y));
        let (x, y) = (self.extract(a, 0, low), self.extract(b, 0, low));
        Some(self.sext(self.binary(op, x, y), width))
    }

    /// Whether taking the low bits of `e` costs nothing.
    fn slices(&self, e: ExprId) -> bool {
        matches!(self.node(e), Node::Zext(_) | Node::Sext(_)) || self.is_constant(e)
    }

    /// Concatenates what `part(low, width, whether ones)` returns for each run of equal bits in
    /// `mask`. `None` unless there is only one run of ones, or all runs end at bytes.
    fn by_runs(&self, mask: &Bv, part: impl Fn(u32, u32, bool) -> ExprId) -> Option<ExprId> {
        let width = mask.width();
        let boundaries: Vec<u32> =
            (1..width).filter(|bit| mask.bit(*bit) != mask.bit(bit - 1)).collect();
        let runs_of_ones = (boundaries.len() as u32 + 1 + u32::from(mask.bit(0))) / 2;
        if runs_of_ones > 1 && boundaries.iter().any(|bit| bit % 8 != 0) {
            return None;
        }
        let mut joined: Option<ExprId> = None;
        for (index, low) in std::iter::once(&0).chain(&boundaries).enumerate() {
            let end = boundaries.get(index).copied().unwrap_or(width);
            let next = part(*low, end - low, mask.bit(*low));
            joined = Some(joined.map_or(next, |rest| self.concat(next, rest)));
        }
        joined
    }

    /// The sum, disjunction or exclusive disjunction of two terms as a concatenation. This requires
    /// that one term has only zeros where the other has bits: a byte above a byte.
    pub(super) fn join_disjoint(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        for (high, low) in [(a, b), (b, a)] {
            let zeros = self.trailing_zeros(high);
            if zeros == 0 || zeros >= width {
                continue;
            }
            let bits = match self.node(low) {
                Node::Zext(x) => self.width(x),
                _ => match self.as_bv(low) {
                    Some(value) => value.significant_bits(),
                    None => continue,
                },
            };
            if bits <= zeros {
                let top = self.extract(high, zeros, width - zeros);
                return Some(self.concat(top, self.extract(low, 0, zeros)));
            }
        }
        None
    }

    /// How many low bits of `e` are visibly zero because of a concatenation.
    fn trailing_zeros(&self, e: ExprId) -> u32 {
        match self.node(e) {
            Node::Zext(x) => match self.node(x) {
                Node::Concat(..) => self.trailing_zeros(x),
                _ => 0,
            },
            Node::Concat(_, low) => self.as_bv(low).map_or(0, |low| low.trailing_zeros()),
            _ => 0,
        }
    }
}
