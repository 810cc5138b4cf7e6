//! Operands of instructions, and the indices that they and a program are made of.

use serde::{Deserialize, Serialize};

use crate::expr::Bv;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        pub struct $name(pub u32);
    };
}

id!(/// Index into [`Module::functions`].
    FunctionId);
id!(/// Index into [`Module::globals`].
    GlobalId);
id!(/// Index of an instruction in [`Function::code`].
    Pc);
id!(/// A register of a function; parameters come first.
    Reg);
id!(/// Index into [`Module::files`].
    FileId);

/// A register or a constant, in 32 bits.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Operand(u32);

/// What an [`Operand`] refers to.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum OperandKind {
    /// A register.
    Reg(Reg),
    /// An index into a frame, which holds the registers of the function and behind them its
    /// [`constants`](super::Function::constants). While a function is lowered the number of its
    /// registers is open, and the index is one into the constants alone.
    Constant(u32),
}

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// A register.
    pub fn reg(reg: Reg) -> Self {
        debug_assert!(reg.0 < Self::CONSTANT);
        Self(reg.0)
    }

    /// The constant at `index` (see [`OperandKind::Constant`]).
    pub fn constant(index: u32) -> Self {
        debug_assert!(index < Self::CONSTANT);
        Self(index | Self::CONSTANT)
    }

    /// The index of either kind.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 & !Self::CONSTANT) as usize
    }

    /// What it refers to.
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
    /// At most 64 bits, zero-extended.
    Int(u64),
    /// More than 64 bits.
    Wide(Bv),
    /// Undefined or poison.
    Undefined,
}
