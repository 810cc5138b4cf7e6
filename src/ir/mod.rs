//! The compact instruction set that the interpreter runs, lowered once from LLVM bitcode.
//!
//! Functions are flat: registers are numbered and mutable (no phi nodes: lowering puts
//! moves on the edges), constants live in a pool beside them, types are widths in bits,
//! address arithmetic is folded, aggregates and vectors are split into scalars. Addresses
//! of globals and functions are known at load time (see [`address`]).

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
    AddressTerm, Argument, BinaryOp, Call, Callee, Cast, CompareExceptions, FloatCast, FloatOp,
    FloatPredicate, Indexed, Inst, OverflowOp, Predicate, Switch, UnaryOp,
};
pub use module::{Function, Global, Module, Place};
pub use operand::{Constant, FileId, FunctionId, GlobalId, Operand, OperandKind, Pc, Reg};
pub use verify::{VerifyError, verify};
