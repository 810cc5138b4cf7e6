//! Operands of instructions, constants, and the indices of functions, globals, instructions,
//! registers and files.

use serde::{Deserialize, Serialize};

use crate::expr::Bv;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        pub struct $name(pub u32);
    };
}

id!(/// An index into [`Module::functions`](super::Module::functions).
    FunctionId);
id!(/// An index into [`Module::globals`](super::Module::globals).
    GlobalId);
id!(/// The index of an instruction in [`Function::code`](super::Function::code).
    Pc);
id!(/// A register of a function; parameters come first.
    Reg);
id!(/// An index into [`Module::files`](super::Module::files).
    FileId);

/// A register or a constant, encoded in 32 bits.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Operand(u32);

/// The kinds of [`Operand`].
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum OperandKind {
    /// A register.
    Reg(Reg),
    /// A constant, given by its index in a frame. A frame holds the registers of the function,
    /// followed by its [`constants`](super::Function::constants). During lowering, the number of
    /// registers is not known yet, so the index counts only the constants.
    Constant(u32),
}

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// The operand for a register.
    pub fn reg(reg: Reg) -> Self {
        debug_assert!(reg.0 < Self::CONSTANT);
        Self(reg.0)
    }

    /// The operand for the constant at `index` (see [`OperandKind::Constant`]).
    pub fn constant(index: u32) -> Self {
        debug_assert!(index < Self::CONSTANT);
        Self(index | Self::CONSTANT)
    }

    /// The index of the operand in a frame, for either kind.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 & !Self::CONSTANT) as usize
    }

    /// The register or constant that the operand is.
    #[inline(always)]
    pub fn kind(self) -> OperandKind {
        if self.0 & Self::CONSTANT == 0 {
            OperandKind::Reg(Reg(self.0))
        } else {
            OperandKind::Constant(self.0 & !Self::CONSTANT)
        }
    }
}

/// A constant operand.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub enum Constant {
    /// A number of at most 64 bits, zero-extended.
    Int(u64),
    /// A number of more than 64 bits.
    Wide(Bv),
    /// LLVM's undefined or poison value.
    Undefined,
}
