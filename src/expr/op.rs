//! Operations on two bit-vectors.

/// An operation on two operands of one width, named and defined as in SMT-LIB.
///
/// There is no subtraction, no `<=`, and no disjunction of truth values. They are written with
/// negation, so that equal things look equal and opposites differ by one
/// [`Node::Not`](super::Node::Not).
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

    /// Whether the result is a truth value for operands of any width.
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
