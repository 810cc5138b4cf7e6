//! Operations that only move bits: extract, concat, extensions, shifts.

use super::{
    super::{BinaryOp, Bv, ExprId, Exprs, Node},
    Level,
};

/// The largest number of levels of arithmetic between an extract and the extensions that allow it
/// to be narrowed.
const NARROWING_DEPTH: u32 = 4;

impl Exprs {
    /// The `width` bits of `e` from bit `low` upwards.
    ///
    /// # Panics
    /// If `e` has fewer bits or `width` is 0.
    pub fn extract(&self, e: ExprId, low: u32, width: u32) -> ExprId {
        let whole = self.width(e);
        assert!(
            width > 0 && low + width <= whole,
            "{width} bits from bit {low} of an expression of {whole}"
        );
        if width == whole {
            return e;
        }
        if let Some(value) = self.as_bv(e) {
            return self.bv(&value.extract(low, width));
        }
        if let Some(folded) = self.map_choice(e, |value| value.extract(low, width)) {
            return folded;
        }
        let Some(_level) = Level::enter() else {
            return self.arena.intern(Node::Extract { of: e, low }, width);
        };
        match self.node(e) {
            Node::Extract { of, low: inner } => self.extract(of, inner + low, width),
            Node::Concat(high, rest) => {
                let split = self.width(rest);
                if low >= split {
                    self.extract(high, low - split, width)
                } else if low + width <= split {
                    self.extract(rest, low, width)
                } else {
                    let upper = self.extract(high, 0, low + width - split);
                    self.concat(upper, self.extract(rest, low, split - low))
                }
            }
            Node::Zext(x) => {
                let inner = self.width(x);
                if low >= inner {
                    self.zero(width)
                } else if low + width <= inner {
                    self.extract(x, low, width)
                } else {
                    self.zext(self.extract(x, low, inner - low), width)
                }
            }
            Node::Sext(x) => {
                let inner = self.width(x);
                if low + width <= inner {
                    self.extract(x, low, width)
                } else {
                    let low = low.min(inner - 1);
                    self.sext(self.extract(x, low, inner - low), width)
                }
            }
            Node::Not(x) => self.not(self.extract(x, low, width)),
            _ => self
                .extract_of_masked(e, low, width)
                .or_else(|| (low == 0).then(|| self.narrow_arithmetic(e, width)).flatten())
                .unwrap_or_else(|| self.arena.intern(Node::Extract { of: e, low }, width)),
        }
    }

    /// A slice of `e` that a constant mask leaves unchanged or makes a constant.
    fn extract_of_masked(&self, e: ExprId, low: u32, width: u32) -> Option<ExprId> {
        let Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, mask) = self.node(e) else {
            return None;
        };
        let mask = self.as_bv(mask)?.extract(low, width);
        match op {
            BinaryOp::And if mask.is_zero() => Some(self.bv(&mask)),
            BinaryOp::Or if mask.is_ones() => Some(self.bv(&mask)),
            BinaryOp::And if mask.is_ones() => Some(self.extract(x, low, width)),
            BinaryOp::Or if mask.is_zero() => Some(self.extract(x, low, width)),
            _ => None,
        }
    }

    /// The low `width` bits of arithmetic, computed only from the low bits of the operands. This
    /// applies where the operands were extended for the arithmetic, as C does with every `char`.
    fn narrow_arithmetic(&self, e: ExprId, width: u32) -> Option<ExprId> {
        if !self.is_narrowable(e, NARROWING_DEPTH) {
            return None;
        }
        let cut = |e| self.extract(e, 0, width);
        match self.node(e) {
            Node::Binary(op, a, b) => Some(self.binary(op, cut(a), cut(b))),
            Node::Neg(a) => Some(self.neg(cut(a))),
            _ => None,
        }
    }

    fn is_narrowable(&self, e: ExprId, depth: u32) -> bool {
        match self.node(e) {
            Node::Zext(_) | Node::Sext(_) | Node::Constant(_) | Node::WideConstant(_) => true,
            Node::Neg(a) | Node::Not(a) => depth > 0 && self.is_narrowable(a, depth - 1),
            Node::Binary(
                BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                a,
                b,
            ) => depth > 0 && self.is_narrowable(a, depth - 1) && self.is_narrowable(b, depth - 1),
            _ => false,
        }
    }

    /// The concatenation: `high` in the high bits, `low` in the low bits.
    pub fn concat(&self, high: ExprId, low: ExprId) -> ExprId {
        let width = self.width(high) + self.width(low);
        let Some(_level) = Level::enter() else {
            return self.arena.intern(Node::Concat(high, low), width);
        };
        if let Some(joined) = self.join(high, low) {
            return joined;
        }
        if let Some(constant) = self.as_bv(high) {
            let significant = constant.significant_bits();
            if significant == 0 {
                return self.zext(low, width);
            }
            if significant < constant.width() {
                let trimmed = self.bv(&constant.extract(0, significant));
                return self.zext(self.concat(trimmed, low), width);
            }
            // Otherwise the bytes of a constant would not join again if one begins with zeros.
            if let Node::Zext(x) = self.node(low) {
                let zeros = Bv::zero(self.width(low) - self.width(x));
                return self.concat(self.bv(&constant.concat(&zeros)), x);
            }
        }
        if let Node::Zext(x) = self.node(high) {
            return self.zext(self.concat(x, low), width);
        }
        if let Node::Sext(x) = self.node(high) {
            return self.sext(self.concat(x, low), width);
        }
        if let Node::Concat(a, b) = self.node(high) {
            return self.concat(a, self.concat(b, low));
        }
        if let Node::Concat(b, c) = self.node(low)
            && let Some(joined) = self.join(high, b)
        {
            return self.concat(joined, c);
        }
        self.arena.intern(Node::Concat(high, low), width)
    }

    /// The concatenation if it is simpler than its parts, as for slices of one term.
    fn join(&self, high: ExprId, low: ExprId) -> Option<ExprId> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        if let (Some(high), Some(low)) = (self.as_bv(high), self.as_bv(low)) {
            return Some(self.bv(&high.concat(&low)));
        }
        let is_extension = self.as_bv(high).is_some_and(|high| high.is_zero());
        if !is_extension
            && let Some(joined) = self.zip_choices(high, low, |high, low| high.concat(low))
        {
            return Some(joined);
        }
        if let (Node::Not(a), Node::Not(b)) = (self.node(high), self.node(low)) {
            return Some(self.not(self.concat(a, b)));
        }
        // The bytes of two values between which a branch chose.
        if let (Node::Ite(c, a, b), Node::Ite(d, x, y)) = (self.node(high), self.node(low))
            && c == d
        {
            return Some(self.ite(c, self.join(a, x)?, self.join(b, y)?));
        }
        let sign = match self.node(high) {
            Node::Sext(bit) if self.width(bit) == 1 => Some(bit),
            _ if high_width == 1 => Some(high),
            _ => None,
        };
        if let Some(bit) = sign
            && self.is_top_bit(bit, low)
        {
            return Some(self.sext(low, width));
        }
        if let Node::Extract { of, low: at } = self.node(high)
            && at >= low_width
            && self.is_slice(low, of, at - low_width)
        {
            return Some(self.extract(of, at - low_width, width));
        }
        if let Node::Extract { of, low: at } = self.node(low)
            && at + width <= self.width(of)
            && self.is_slice(high, of, at + low_width)
        {
            return Some(self.extract(of, at, width));
        }
        None
    }

    /// Whether `bit` is the most significant one of `e`.
    fn is_top_bit(&self, bit: ExprId, e: ExprId) -> bool {
        let top = self.width(e) - 1;
        match (self.node(bit), self.node(e)) {
            _ if bit == e => true,
            (_, Node::Concat(high, _)) => self.is_top_bit(bit, high),
            (_, Node::Sext(x)) => self.is_top_bit(bit, x),
            (Node::Not(bit), Node::Not(x)) => self.is_top_bit(bit, x),
            (_, Node::Extract { of, low }) => self.is_slice(bit, of, low + top),
            _ => self.is_slice(bit, e, top),
        }
    }

    /// Whether `part` is the slice of `whole` that begins at bit `low`.
    fn is_slice(&self, part: ExprId, whole: ExprId, low: u32) -> bool {
        if let Node::Extract { of, low: at } = self.node(part)
            && of == whole
        {
            return at == low;
        }
        // Slices of variables, quotients and so on never simplify, so making their terms is
        // pointless.
        matches!(
            self.node(whole),
            Node::Neg(_)
                | Node::Binary(
                    BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                    ..
                )
        ) && self.extract(whole, low, self.width(part)) == part
    }

    /// Zero extension to `width` bits.
    ///
    /// # Panics
    /// If `e` is wider.
    pub fn zext(&self, e: ExprId, width: u32) -> ExprId {
        let narrow = self.width(e);
        assert!(width >= narrow, "an extension of {narrow} bits to {width}");
        if width == narrow {
            return e;
        }
        match self.node(e) {
            Node::Constant(_) | Node::WideConstant(_) => {
                self.bv(&self.as_bv(e).expect("a constant").zext(width))
            }
            Node::Zext(x) => self.zext(x, width),
            // Other shapes of a choice stay: a sign must remain a sign, to meet its term again.
            Node::Ite(..) => self
                .map_choice(e, |value| value.zext(width))
                .unwrap_or_else(|| self.arena.intern(Node::Zext(e), width)),
            _ => self.arena.intern(Node::Zext(e), width),
        }
    }

    /// Sign extension to `width` bits.
    ///
    /// # Panics
    /// If `e` is wider.
    pub fn sext(&self, e: ExprId, width: u32) -> ExprId {
        let narrow = self.width(e);
        assert!(width >= narrow, "an extension of {narrow} bits to {width}");
        if width == narrow {
            return e;
        }
        match self.node(e) {
            Node::Constant(_) | Node::WideConstant(_) => {
                self.bv(&self.as_bv(e).expect("a constant").sext(width))
            }
            Node::Zext(x) => self.zext(x, width),
            Node::Sext(x) => self.sext(x, width),
            _ => self
                .map_choice(e, |value| value.sext(width))
                .or_else(|| self.extend_known_sign(e, width))
                .unwrap_or_else(|| self.arena.intern(Node::Sext(e), width)),
        }
    }

    /// The sign extension of a term in which a constant determines the sign bit.
    fn extend_known_sign(&self, e: ExprId, width: u32) -> Option<ExprId> {
        let narrow = self.width(e);
        let worth_a_look = matches!(
            self.node(e),
            Node::Concat(..) | Node::Not(_) | Node::Binary(BinaryOp::And | BinaryOp::Or, ..)
        );
        if narrow == 1 || !worth_a_look {
            return None;
        }
        let sign = self.as_bv(self.extract(e, narrow - 1, 1))?;
        Some(self.concat(self.bv(&sign.sext(width - narrow)), e))
    }

    /// Shift to the left, as in SMT-LIB: a shift by the width or more gives zeros.
    pub fn shl(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Shl, a, b)
    }

    /// Logical shift to the right, as in SMT-LIB: a shift by the width or more gives zeros.
    pub fn lshr(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Lshr, a, b)
    }

    /// Arithmetic shift to the right, as in SMT-LIB: a shift by the width or more gives copies of
    /// the sign bit.
    pub fn ashr(&self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Ashr, a, b)
    }

    /// The amount of a shift by a constant, at most the width.
    fn shift_amount(&self, e: ExprId) -> Option<u32> {
        let width = self.width(e);
        let amount = self.as_bv(e)?;
        Some(amount.to_u64().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(width).min(width))
    }

    pub(super) fn simplify_shl(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if self.as_bv(a).is_some_and(|a| a.is_zero()) {
            return Some(a);
        }
        let amount = self.shift_amount(b)?;
        if amount == width {
            return Some(self.zero(width));
        }
        let power = Bv::binary(BinaryOp::Shl, &Bv::new(width, 1), &self.as_bv(b)?);
        Some(self.mul(a, self.bv(&power)))
    }

    /// `a` times 2 to the power of `amount`, which must be below the width.
    pub(super) fn shift_slices_left(&self, a: ExprId, amount: u32) -> ExprId {
        self.concat(self.extract(a, 0, self.width(a) - amount), self.zero(amount))
    }

    pub(super) fn simplify_lshr(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.as_bv(a).is_some_and(|a| a.is_zero()) {
            return Some(a);
        }
        Some(self.shift_right(a, self.shift_amount(b)?))
    }

    /// `a` divided by 2 to the power of `amount`.
    pub(super) fn shift_right(&self, a: ExprId, amount: u32) -> ExprId {
        let width = self.width(a);
        if amount == width {
            return self.zero(width);
        }
        self.zext(self.extract(a, amount, width - amount), width)
    }

    pub(super) fn simplify_ashr(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if self.as_bv(a).is_some_and(|a| a.is_zero() || a.is_ones()) {
            return Some(a);
        }
        let low = self.shift_amount(b)?.min(width - 1);
        Some(self.sext(self.extract(a, low, width - low), width))
    }
}
