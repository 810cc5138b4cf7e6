//! The compact instruction set that the interpreter runs, lowered once from LLVM bitcode.
//!
//! Functions are flat. Registers are numbered and mutable; moves on the edges replace phi nodes. In
//! a frame, constants follow the registers. Types are widths in bits, address arithmetic is folded,
//! and aggregates and vectors are split into scalars. The addresses of globals and functions are
//! known at load time (see [`address`]).
//!
//! - `module`, `inst`, `operand`: the parts of a program ([`Module`], [`Inst`], [`Operand`]);
//! - [`lower`]: from LLVM to instructions; `opt`: removes and joins instructions, and lays out
//!   functions;
//! - [`cache`]: lowered programs that are kept between runs;
//! - `verify`, `visit`, `display`: checks, walks over, and shows instructions.

pub mod address;
pub mod cache;
mod display;
mod inst;
pub mod lower;
mod module;
mod operand;
mod opt;
mod verify;
mod visit;

pub use inst::{
    AddressTerm, BinaryOp, Call, CallArgument, Callee, Cast, CompareExceptions, FloatCast, FloatOp,
    FloatPredicate, Indexed, Inst, OverflowOp, Predicate, Switch, UnaryOp,
};
pub use module::{CHOOSER, Function, Global, Module, SourceLine};
pub use operand::{Constant, FileId, FunctionId, GlobalId, Operand, OperandKind, Pc, Reg};
pub use verify::{VerifyError, verify};
