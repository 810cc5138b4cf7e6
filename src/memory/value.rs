//! The value of a register or a word of memory.

use crate::expr::{ExprId, Exprs};

/// Bytes of an address.
pub const WORD: usize = 8;

/// A scalar whose width is known from the context. Concrete values of up to 64 bits need no
/// allocation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Value {
    /// Concrete, at most 64 bits, zero-extended.
    Int(u64),
    /// Anything else: symbolic, or concrete and wider than 64 bits.
    Expr(ExprId),
    /// A value that was never written.
    Undefined,
}

impl Value {
    /// The value of an expression: concrete if it is a constant of at most 64 bits.
    #[inline]
    pub fn from_expr(exprs: &Exprs, expr: ExprId) -> Self {
        exprs.as_u64(expr).filter(|_| exprs.width(expr) <= 64).map_or(Self::Expr(expr), Self::Int)
    }

    /// The value, which has `width` bits, as an expression; `None` if it was never written.
    #[inline]
    pub fn expr(self, exprs: &Exprs, width: u32) -> Option<ExprId> {
        match self {
            Self::Int(value) => Some(exprs.constant(width, value)),
            Self::Expr(expr) => Some(expr),
            Self::Undefined => None,
        }
    }

    /// The concrete value, if there is one of at most 64 bits.
    #[inline(always)]
    pub fn as_int(self) -> Option<u64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Expr(_) | Self::Undefined => None,
        }
    }
}

/// Keeps the low `width` bits.
#[inline(always)]
pub fn truncate(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

/// The low `width` bits (1 to 64), read as a two's complement number.
#[inline(always)]
pub fn signed(value: u64, width: u32) -> i64 {
    let unused = 64 - width.min(64);
    ((value << unused) as i64) >> unused
}
