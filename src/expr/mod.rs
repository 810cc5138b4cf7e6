//! Expressions: immutable, hash-consed bit-vector terms in one append-only arena.
//!
//! A truth value is a bit-vector of width 1; a floating-point number is its encoding (see
//! [`float`]). Every constructor simplifies locally and eagerly, so a constant comes back as a
//! constant node, and equal terms have equal ids. The result of a constructor depends only on the
//! structure of its operands: not on their ids, on the thread, or on what else the arena holds.
//!
//! ```
//! use psychic::expr::{Exprs, VariableKind};
//! let exprs = Exprs::new();
//! let x = exprs.variable("x", 32, VariableKind::Input);
//! let less = exprs.slt(x, exprs.constant(32, 10));
//! // What a C compiler makes of `if (x < 10)` without optimisation:
//! let as_int = exprs.zext(less, 32);
//! assert_eq!(exprs.ne(as_int, exprs.constant(32, 0)), less);
//! ```

mod adopt;
mod arena;
mod assignment;
pub mod bv;
mod characters;
mod display;
mod evaluate;
mod exprs;
pub mod float;
mod fold;
mod id;
mod lanes;
mod node;
mod op;
mod progression;
#[cfg(test)]
pub(crate) mod raw;
mod simplify;
mod smtlib;
mod substitute;
mod traverse;
mod values;

pub use adopt::Adoption;
pub use assignment::Assignment;
pub use bv::Bv;
pub use evaluate::{Evaluator, Memo};
pub use exprs::{Exprs, REVISION};
pub use float::{FloatBinary, FloatRelation, FloatUnary, Rounding};
pub use id::{ExprId, LARGE, Mentions, TableId, VariableId, VariableKind};
pub use lanes::{LANES, Lanes};
pub use node::{Node, WideId};
pub use op::BinaryOp;
pub use progression::Progression;
pub use substitute::Substitution;
