//! The kinds of expressions.

use super::{
    float::ops::{FloatBinary, FloatRelation, FloatUnary, Rounding},
    id::{ExprId, TableId, VariableId},
    op::BinaryOp,
};

/// The operator and operands of an expression; [`super::Exprs::width`] is its width.
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
    /// A choice: the condition, the value if it holds, and the value otherwise.
    Ite(ExprId, ExprId, ExprId),
    /// A slice: the node's width in bits, from bit `low` upwards.
    Extract {
        /// The expression from which bits are taken.
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
