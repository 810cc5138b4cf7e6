//! The constructors. Each simplifies its operation by local rules, which look only a few levels
//! down and never make a term larger.
//!
//! The rules rely on canonical forms, which make equal things look equal:
//! - the operands of a commutative operation are ordered by structural hash, a constant last;
//!   constant summands float outwards, a difference is a sum with a negation;
//! - `a <= b` is `not (b < a)`; a comparison with a constant has it on the right;
//! - a disjunction of truth values is `not (not a and not b)`, their exclusive disjunction `not (a
//!   = b)`;
//! - operations that only move bits (shifts by constants, masks) are written with extract, concat,
//!   zext and sext; concat leans to the right;
//! - a choice between two constants is an ite, or zext or sext of its condition.
//!
//! Splitting a term into slices and joining the slices again gives the term back. Memory does this
//! with every value that is stored and loaded.

mod arithmetic;
mod bitwise;
mod compare;
mod float;
mod ite;
mod slice;
mod stairs;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use super::{BinaryOp, Bv, ExprId, Exprs, Node, TableId};

/// A running constructor. Rules call constructors, and a long chain of operations that each pass a
/// rule on to the next would exhaust the stack. Beyond the depth [`DEEPEST`], terms are made
/// without simplification. The depth counts from the outermost call, so it also depends only on
/// structure.
struct Level;

const DEEPEST: u32 = 128;

thread_local! {
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

impl Level {
    fn enter() -> Option<Self> {
        LEVEL.with(|level| {
            (level.get() < DEEPEST).then(|| {
                level.set(level.get() + 1);
                Self
            })
        })
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        LEVEL.with(|level| level.set(level.get() - 1));
    }
}

impl Exprs {
    /// `op` applied to `a` and `b`.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        if let (Some(x), Some(y)) = (self.as_bv(a), self.as_bv(b)) {
            return self.bv(&Bv::binary(op, &x, &y));
        }
        let (a, b) = if op.is_commutative() { self.ordered(a, b) } else { (a, b) };
        if let Some(folded) = self.binary_of_choices(op, a, b) {
            return folded;
        }
        let simpler = Level::enter().and_then(|_level| match op {
            BinaryOp::Add => self.simplify_add(a, b),
            BinaryOp::Mul => self.simplify_mul(a, b),
            BinaryOp::Udiv => self.simplify_udiv(a, b),
            BinaryOp::Urem => self.simplify_urem(a, b),
            BinaryOp::Sdiv => self.simplify_sdiv(a, b),
            BinaryOp::Srem => self.simplify_srem(a, b),
            BinaryOp::And => self.simplify_and(a, b),
            BinaryOp::Or => self.simplify_or(a, b),
            BinaryOp::Xor => self.simplify_xor(a, b),
            BinaryOp::Shl => self.simplify_shl(a, b),
            BinaryOp::Lshr => self.simplify_lshr(a, b),
            BinaryOp::Ashr => self.simplify_ashr(a, b),
            BinaryOp::Eq => self.simplify_eq(a, b),
            BinaryOp::Ult => self.simplify_ult(a, b),
            BinaryOp::Slt => self.simplify_slt(a, b),
        });
        simpler.unwrap_or_else(|| self.arena.intern(Node::Binary(op, a, b), op.result_width(width)))
    }

    /// Two operands in canonical order: a constant last, otherwise by structural hash.
    fn ordered(&self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let key = |e| (self.is_constant(e), self.structural_hash(e));
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    fn is_constant(&self, e: ExprId) -> bool {
        matches!(self.node(e), Node::Constant(_) | Node::WideConstant(_))
    }

    fn zero(&self, width: u32) -> ExprId {
        self.constant(width, 0)
    }

    /// Whether one is visibly the bitwise complement of the other. Makes no terms.
    fn complements(&self, a: ExprId, b: ExprId) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// The table's element at `index`; see [`Node::Select`].
    pub fn select(&self, table: TableId, index: ExprId) -> ExprId {
        let elements = self.table_elements(table);
        let width = self.width(elements[0]);
        let element = |index: &Bv| {
            let known = index.to_u64().and_then(|i| elements.get(usize::try_from(i).ok()?));
            known.copied().unwrap_or_else(|| self.zero(width))
        };
        if let Some(index) = self.as_bv(index) {
            return element(&index);
        }
        if let Some((c, i, j)) = self.as_choice(index) {
            return self.ite(c, element(&i), element(&j));
        }
        if let Node::Zext(narrow) = self.node(index) {
            return self.select(table, narrow);
        }
        let all_equal = elements.iter().all(|e| *e == elements[0]);
        if all_equal {
            let bits = self.width(index);
            let inside = if bits < 64 && (1 << bits) <= elements.len() {
                self.bool(true)
            } else {
                self.ult(index, self.constant(bits, elements.len() as u64))
            };
            return self.ite(inside, elements[0], self.zero(width));
        }
        self.arena.intern(Node::Select(table, index), width)
    }

    /// Conjunction of any number of truth values.
    pub fn all(&self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        parts.into_iter().fold(self.bool(true), |all, part| self.and(all, part))
    }

    /// Disjunction of any number of truth values.
    pub fn any(&self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        parts.into_iter().fold(self.bool(false), |any, part| self.or(any, part))
    }
}
