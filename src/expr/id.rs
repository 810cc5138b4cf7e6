//! Ids of expressions, variables and tables, and [`Mentions`].

use std::{num::NonZeroU32, ops::Range};

/// An expression of an [`Exprs`](super::Exprs) arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExprId(pub(crate) NonZeroU32);

/// A variable of an [`Exprs`](super::Exprs) arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct VariableId(pub(crate) u32);

/// A table: a sequence of equally wide expressions, of constant length, from which a symbolic index
/// selects one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TableId(pub(crate) u32);

/// What a variable stands for.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum VariableKind {
    /// A part of the symbolic input.
    Input,
    /// The contents of memory that was never written.
    Uninitialised,
    /// The running revision; exactly one such variable exists, 32 bits wide.
    Revision,
    /// An address that is used as a number; 64 bits.
    Address,
    /// The value of a function whose arguments alone are known
    /// ([`Exprs::application`](super::Exprs::application)).
    Function,
}

/// What an expression mentions: kinds of variables, and large constants.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Mentions(u8);

impl Mentions {
    const INPUT: u8 = 1;
    const UNINITIALISED: u8 = 2;
    const REVISION: u8 = 4;
    const ADDRESS: u8 = 8;
    const LARGE: u8 = 16;

    /// What a variable of a kind mentions.
    pub(super) fn of(kind: VariableKind) -> Self {
        Self(match kind {
            VariableKind::Input | VariableKind::Function => Self::INPUT,
            VariableKind::Uninitialised => Self::UNINITIALISED,
            VariableKind::Revision => Self::REVISION,
            VariableKind::Address => Self::ADDRESS,
        })
    }

    /// What a constant of at most 64 bits mentions.
    pub(super) fn of_constant(width: u32, value: u64) -> Self {
        let is_large = width == 64 && LARGE.contains(&value);
        Self(if is_large { Self::LARGE } else { 0 })
    }

    /// Whether an [`VariableKind::Input`] or a [`VariableKind::Function`] is mentioned.
    pub fn input(self) -> bool {
        self.0 & Self::INPUT != 0
    }

    /// Whether a [`VariableKind::Uninitialised`] is mentioned.
    pub fn uninitialised(self) -> bool {
        self.0 & Self::UNINITIALISED != 0
    }

    /// Whether the [`VariableKind::Revision`] is mentioned.
    pub fn revision(self) -> bool {
        self.0 & Self::REVISION != 0
    }

    /// Whether a [`VariableKind::Address`] is mentioned.
    pub fn address(self) -> bool {
        self.0 & Self::ADDRESS != 0
    }

    /// Whether a 64-bit constant in [`LARGE`] is mentioned.
    pub fn large(self) -> bool {
        self.0 & Self::LARGE != 0
    }

    /// What at least one of the two mentions.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have a mention in common.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Constants that few programs compute with. Memory uses some of them as addresses: an expression
/// without such constants contains no address.
pub const LARGE: Range<u64> = 1 << 60..1 << 63;
