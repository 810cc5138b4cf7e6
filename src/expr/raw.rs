//! Terms built without simplification, as a reference for tests.

use super::{BinaryOp, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Node, Rounding};

/// Makes nodes exactly as requested.
#[derive(Clone, Copy)]
pub struct Raw<'a>(pub &'a Exprs);

impl Raw<'_> {
    pub fn not(self, a: ExprId) -> ExprId {
        self.0.arena.intern(Node::Not(a), self.0.width(a))
    }

    pub fn neg(self, a: ExprId) -> ExprId {
        self.0.arena.intern(Node::Neg(a), self.0.width(a))
    }

    pub fn binary(self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.0.arena.intern(Node::Binary(op, a, b), op.result_width(self.0.width(a)))
    }

    pub fn ite(self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.0.arena.intern(Node::Ite(c, a, b), self.0.width(a))
    }

    pub fn extract(self, of: ExprId, low: u32, width: u32) -> ExprId {
        self.0.arena.intern(Node::Extract { of, low }, width)
    }

    pub fn concat(self, a: ExprId, b: ExprId) -> ExprId {
        self.0.arena.intern(Node::Concat(a, b), self.0.width(a) + self.0.width(b))
    }

    pub fn zext(self, a: ExprId, width: u32) -> ExprId {
        self.0.arena.intern(Node::Zext(a), width)
    }

    pub fn sext(self, a: ExprId, width: u32) -> ExprId {
        self.0.arena.intern(Node::Sext(a), width)
    }

    pub fn float_unary(self, op: FloatUnary, rounding: Rounding, a: ExprId, width: u32) -> ExprId {
        self.0.arena.intern(Node::FloatUnary(op, rounding, a), width)
    }

    pub fn float_binary(self, op: FloatBinary, rounding: Rounding, a: ExprId, b: ExprId) -> ExprId {
        self.0.arena.intern(Node::FloatBinary(op, rounding, a, b), self.0.width(a))
    }

    pub fn float_mul_add(self, rounding: Rounding, operands: [ExprId; 3]) -> ExprId {
        self.0.arena.intern(Node::FloatMulAdd(rounding, operands), self.0.width(operands[0]))
    }

    pub fn float_compare(self, relation: FloatRelation, a: ExprId, b: ExprId) -> ExprId {
        self.0.arena.intern(Node::FloatCompare(relation, a, b), 1)
    }

    pub fn select(self, elements: &[ExprId], index: ExprId) -> ExprId {
        let table = self.0.table(elements);
        self.0.arena.intern(Node::Select(table, index), self.0.width(elements[0]))
    }
}
