//! Translates expressions to Bitwuzla's terms.
//!
//! An expression of width 1 is a Bool or a bit-vector in Bitwuzla. Each is translated to its native
//! form (a comparison to a Bool, an extraction to bits). It is translated to the other form only on
//! request.
//!
//! The bits of a floating-point result have a definition (see [`super::float`]). The term of a
//! condition is its conjunction with the definitions that it needs. So these hold wherever the
//! condition is asserted or assumed, and vanish with it.

use std::sync::Arc;

use bitwuzla_sys as sys;

use super::{
    ffi::{Instance, Term, TermKind},
    translation::{Native, Needs, Translation, Translator},
};
use crate::expr::{BinaryOp, Bv, ExprId, Exprs, Node, TableId, VariableId};

impl Translation {
    pub fn len(&self) -> usize {
        self.native.len()
    }

    /// The Bool of an expression of width 1, with the definitions that it needs.
    pub fn truth(&mut self, exprs: &Exprs, to: &mut Instance, e: ExprId) -> Term {
        if let Some(known) = self.conditions.get(&e) {
            return *known;
        }
        let mut translator = Translator { exprs, to, translation: self, used: Vec::new() };
        let mut term = translator.truth_of_new(e);
        let Some(needs) = translator.needs_of_used() else { return term };
        for index in needs.iter() {
            term = to.term2(sys::BITWUZLA_KIND_AND, term, self.definitions[*index]);
        }
        self.conditions.insert(e, term);
        term
    }

    pub fn variable(&mut self, exprs: &Exprs, to: &mut Instance, v: VariableId) -> Term {
        *self
            .variables
            .entry(v)
            .or_insert_with(|| to.variable(exprs.variable_name(v), exprs.variable_width(v)))
    }
}

impl Translator<'_> {
    /// Translates `e` and the terms below it that are not translated yet.
    fn visit(&mut self, e: ExprId) {
        let exprs = self.exprs;
        exprs.post_order(
            &[e],
            self,
            |translator, e| translator.translation.native.contains_key(&e),
            |translator, e| {
                let outer = std::mem::take(&mut translator.used);
                let native = translator.translate(e);
                if let Some(needs) = translator.needs_of_used() {
                    translator.translation.needs.insert(e, needs);
                }
                translator.used = outer;
                translator.translation.native.insert(e, native);
            },
        );
    }

    /// The Bool of an expression, which is translated if necessary; see [`Self::truth`].
    pub(super) fn truth_of_new(&mut self, e: ExprId) -> Term {
        self.visit(e);
        self.truth(e)
    }

    /// The bits of an expression, which is translated if necessary; see [`Self::bits`].
    pub(super) fn bits_of_new(&mut self, e: ExprId) -> Term {
        self.visit(e);
        self.bits(e)
    }

    /// Notes that the term of `e` is used, so that its user also needs the definitions of `e`.
    pub(super) fn note(&mut self, e: ExprId) {
        if let Some(needs) = self.translation.needs.get(&e) {
            self.used.push(needs.clone());
        }
    }

    /// All definitions in `used`, which usually come from a single operand; `None` if there are
    /// none.
    pub(super) fn needs_of_used(&self) -> Option<Needs> {
        let largest = self.used.iter().max_by_key(|needs| needs.len())?;
        if self.used.iter().all(|needs| Arc::ptr_eq(needs, largest)) {
            return Some(largest.clone());
        }
        let mut all: Vec<usize> =
            self.used.iter().flat_map(|needs| needs.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        Some(if all.len() == largest.len() { largest.clone() } else { all.into() })
    }

    pub(super) fn truth(&mut self, e: ExprId) -> Term {
        self.note(e);
        match self.translation.native[&e] {
            Native::Float(_) => unreachable!("a number is wider than a truth value"),
            Native::Truth(term) => term,
            Native::Bits(bits) => match self.translation.other.get(&e) {
                Some(known) => *known,
                None => {
                    let one = self.to.constant(&Bv::new(1, 1));
                    let term = self.to.term2(sys::BITWUZLA_KIND_EQUAL, bits, one);
                    self.translation.other.insert(e, term);
                    term
                }
            },
        }
    }

    pub(super) fn bits(&mut self, e: ExprId) -> Term {
        self.note(e);
        match self.translation.native[&e] {
            Native::Bits(term) => term,
            Native::Float(number) => self.encoded(e, number),
            Native::Truth(truth) => match self.translation.other.get(&e) {
                Some(known) => *known,
                None => {
                    let (one, zero) =
                        (self.to.constant(&Bv::new(1, 1)), self.to.constant(&Bv::new(1, 0)));
                    let term = self.to.ite(truth, one, zero);
                    self.translation.other.insert(e, term);
                    term
                }
            },
        }
    }

    /// Translates `e`, whose operands must be translated already.
    fn translate(&mut self, e: ExprId) -> Native {
        if let Some(native) = self.float_node(e) {
            return native;
        }
        let exprs = self.exprs;
        let width = exprs.width(e);
        let logical = width == 1;
        let bits = match exprs.node(e) {
            Node::Constant(value) if logical => {
                return Native::Truth(self.to.truth_value(value == 1));
            }
            Node::Constant(_) | Node::WideConstant(_) => {
                self.to.constant(&exprs.as_bv(e).expect("a constant"))
            }
            Node::Variable(v) => self.translation.variable(exprs, self.to, v),
            Node::Not(a) if logical => {
                let a = self.truth(a);
                return Native::Truth(self.to.term1(sys::BITWUZLA_KIND_NOT, a));
            }
            Node::Not(a) => self.unary(sys::BITWUZLA_KIND_BV_NOT, a),
            Node::Neg(a) => self.unary(sys::BITWUZLA_KIND_BV_NEG, a),
            Node::Binary(op, a, b) => return self.binary(op, a, b),
            Node::Ite(c, a, b) if logical => {
                let (c, a, b) = (self.truth(c), self.truth(a), self.truth(b));
                return Native::Truth(self.to.ite(c, a, b));
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.bits(a), self.bits(b));
                self.to.ite(c, a, b)
            }
            Node::Extract { of, low } => {
                let of = self.bits(of);
                self.to.extract(of, low, width)
            }
            Node::Concat(a, b) => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.to.term2(sys::BITWUZLA_KIND_BV_CONCAT, a, b)
            }
            Node::Zext(a) => {
                let by = width - exprs.width(a);
                let a = self.bits(a);
                self.to.extend(sys::BITWUZLA_KIND_BV_ZERO_EXTEND, a, by)
            }
            Node::Sext(a) => {
                let by = width - exprs.width(a);
                let a = self.bits(a);
                self.to.extend(sys::BITWUZLA_KIND_BV_SIGN_EXTEND, a, by)
            }
            Node::Select(table, index) => self.select(table, index),
            Node::FloatUnary(..)
            | Node::FloatBinary(..)
            | Node::FloatMulAdd(..)
            | Node::FloatCompare(..) => unreachable!("`float_node` knows them"),
        };
        Native::Bits(bits)
    }

    fn unary(&mut self, kind: TermKind, a: ExprId) -> Term {
        let a = self.bits(a);
        self.to.term1(kind, a)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Native {
        let logical = match op {
            BinaryOp::Eq => Some(sys::BITWUZLA_KIND_IFF),
            BinaryOp::And => Some(sys::BITWUZLA_KIND_AND),
            BinaryOp::Or => Some(sys::BITWUZLA_KIND_OR),
            BinaryOp::Xor => Some(sys::BITWUZLA_KIND_XOR),
            _ => None,
        };
        if let (1, Some(kind)) = (self.exprs.width(a), logical) {
            let (a, b) = (self.truth(a), self.truth(b));
            return Native::Truth(self.to.term2(kind, a, b));
        }
        let (a, b) = (self.bits(a), self.bits(b));
        let kind = match op {
            BinaryOp::Add => sys::BITWUZLA_KIND_BV_ADD,
            BinaryOp::Mul => sys::BITWUZLA_KIND_BV_MUL,
            BinaryOp::Udiv => sys::BITWUZLA_KIND_BV_UDIV,
            BinaryOp::Sdiv => sys::BITWUZLA_KIND_BV_SDIV,
            BinaryOp::Urem => sys::BITWUZLA_KIND_BV_UREM,
            BinaryOp::Srem => sys::BITWUZLA_KIND_BV_SREM,
            BinaryOp::And => sys::BITWUZLA_KIND_BV_AND,
            BinaryOp::Or => sys::BITWUZLA_KIND_BV_OR,
            BinaryOp::Xor => sys::BITWUZLA_KIND_BV_XOR,
            BinaryOp::Shl => sys::BITWUZLA_KIND_BV_SHL,
            BinaryOp::Lshr => sys::BITWUZLA_KIND_BV_SHR,
            BinaryOp::Ashr => sys::BITWUZLA_KIND_BV_ASHR,
            BinaryOp::Eq => sys::BITWUZLA_KIND_EQUAL,
            BinaryOp::Ult => sys::BITWUZLA_KIND_BV_ULT,
            BinaryOp::Slt => sys::BITWUZLA_KIND_BV_SLT,
        };
        let term = self.to.term2(kind, a, b);
        if op.is_comparison() { Native::Truth(term) } else { Native::Bits(term) }
    }

    /// The element of a table at an index, or zero past its end, as a tree of choices. The tree has
    /// one level for each bit of the index that matters. So its depth is logarithmic, and equal
    /// neighbours are shared.
    fn select(&mut self, table: TableId, index: ExprId) -> Term {
        let elements = self.exprs.table_elements(table);
        let width = self.exprs.width(elements[0]);
        let bits = self.exprs.width(index);
        let index = self.bits(index);
        let zero = self.to.constant(&Bv::zero(width));
        let mut row: Vec<Term> = elements.iter().map(|element| self.bits(*element)).collect();
        let mut bit = 0;
        while row.len() > 1 && bit < bits {
            let selector = self.to.extract(index, bit, 1);
            let one = self.to.constant(&Bv::new(1, 1));
            let is_set = self.to.term2(sys::BITWUZLA_KIND_EQUAL, selector, one);
            row = row
                .chunks(2)
                .map(|pair| {
                    let (even, odd) = (pair[0], pair.get(1).copied().unwrap_or(zero));
                    if even == odd { even } else { self.to.ite(is_set, odd, even) }
                })
                .collect();
            bit += 1;
        }
        // A narrow index reaches only the first elements, which are in the first tree of `row`.
        let inside = row[0];
        if bit == bits {
            return inside;
        }
        let rest = self.to.extract(index, bit, bits - bit);
        let none = self.to.constant(&Bv::zero(bits - bit));
        let is_inside = self.to.term2(sys::BITWUZLA_KIND_EQUAL, rest, none);
        self.to.ite(is_inside, inside, zero)
    }
}
