//! Floating-point numbers as bit-vectors: the formats, the operations, and their values.
//!
//! A number is represented by its encoding, whose width determines the format: 16 bits are
//! `_Float16`, 32 `float`, 64 `double`, 80 the x87's `long double`, 128 `__float128` (IEEE
//! 754-2008, clause 3.4; Intel SDM volume 1, section 4.2.2). Results are those of x86-64 to the
//! last bit, including NaNs:
//!
//! - SSE (and so `_Float16`, which is computed in `float`): the first operand that is a NaN, made
//!   quiet (Intel SDM volume 1, table 4-7);
//! - x87: of two NaNs the quiet one, else the one with the larger significand, else the positive
//!   one. An encoding that the processor rejects (unnormal, pseudo-infinity, pseudo-NaN) makes the
//!   default NaN; a pseudo-denormal counts as the number it looks like;
//! - `__float128` (libgcc's `sfp-machine.h` for x86): the NaN with the larger fraction, else the
//!   first for a sum or product and the second for a difference or quotient;
//! - every other invalid operation makes the default NaN, whose sign is set.
//!
//! A compiler may swap the operands of a sum or product, and so change which of two different NaNs
//! the result is. Here operands keep the order of the bitcode.

mod compute;
mod exceptions;
pub mod nan;
pub(super) mod ops;
mod payload;
#[cfg(test)]
mod tests;

pub use compute::{binary, compare, mul_add, order, unary};
pub use exceptions::{EXCEPTIONS, Operation, raised};
pub use ops::{FloatBinary, FloatRelation, FloatUnary, Format, Rounding};
