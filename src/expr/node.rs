//! The kinds of expressions.

use super::{ExprId, FloatBinary, FloatRelation, FloatUnary, Rounding, TableId, VariableId};

/// An operation on two operands of one width, named and defined as in SMT-LIB.
///
/// There is no subtraction, `<=`, or disjunction of truth values: they are written with
/// negation, so that equal things look equal and opposites differ by one [`Node::Not`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(missing_docs, reason = "SMT-LIB's bvadd, bvmul and so on")]
pub enum BinaryOp {
    Add,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ult,
    Slt,
}

impl BinaryOp {
    /// Every operation.
    pub const ALL: [Self; 15] = [
        Self::Add,
        Self::Mul,
        Self::Udiv,
        Self::Sdiv,
        Self::Urem,
        Self::Srem,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Lshr,
        Self::Ashr,
        Self::Eq,
        Self::Ult,
        Self::Slt,
    ];

    /// Whether the result is a truth value whatever the width of the operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ult | Self::Slt)
    }

    /// Whether the operands may be swapped.
    pub fn is_commutative(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor | Self::Eq)
    }

    /// The width of the result for operands of `width` bits.
    pub fn result_width(self, width: u32) -> u32 {
        if self.is_comparison() { 1 } else { width }
    }
}

/// What an expression is made of; its width is [`super::Exprs::width`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Node {
    /// A constant of at most 64 bits.
    Constant(u64),
    /// A constant of more than 64 bits; read it with [`super::Exprs::as_bv`].
    WideConstant(WideId),
    /// A variable.
    Variable(VariableId),
    /// Bitwise complement.
    Not(ExprId),
    /// Two's complement negation.
    Neg(ExprId),
    /// An operation on two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// A choice: the condition, the value if it holds, the value if not.
    Ite(ExprId, ExprId, ExprId),
    /// A slice: as many bits as the node is wide, from bit `low` upwards.
    Extract {
        /// The whole.
        of: ExprId,
        /// The lowest bit taken.
        low: u32,
    },
    /// A concatenation: the high part, the low part.
    Concat(ExprId, ExprId),
    /// Zero extension to a greater width.
    Zext(ExprId),
    /// Sign extension to a greater width.
    Sext(ExprId),
    /// The element of a table at an (unsigned) index; 0 beyond the end of the table.
    Select(TableId, ExprId),
    /// An operation on one floating-point number, or a conversion to or from one.
    FloatUnary(FloatUnary, Rounding, ExprId),
    /// An operation on two floating-point numbers.
    FloatBinary(FloatBinary, Rounding, ExprId, ExprId),
    /// The product of the first two floating-point numbers plus the third, rounded once.
    FloatMulAdd(Rounding, [ExprId; 3]),
    /// A comparison of two floating-point numbers.
    FloatCompare(FloatRelation, ExprId, ExprId),
}

/// The id of a constant of more than 64 bits in its arena.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct WideId(pub(super) u32);
