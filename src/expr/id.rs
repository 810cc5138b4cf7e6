//! Ids of expressions, variables and tables, and what expressions mention.

use std::num::NonZeroU32;

/// An expression of an [`Exprs`](super::Exprs) arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExprId(pub(crate) NonZeroU32);

/// A variable of an [`Exprs`](super::Exprs) arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct VariableId(pub(crate) u32);

/// A table: a row of equally wide expressions, of constant length, from which a symbolic index
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
    /// The revision that runs; exactly one such variable exists, 32 bits wide.
    Revision,
    /// An address that is used as a number; 64 bits.
    Address,
    /// The value of a function of which only the arguments are known ([`Exprs::application`](super::Exprs::application)).
    Function,
}

/// Which kinds of variables an expression mentions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Mentions {
    /// Some [`VariableKind::Input`] or [`VariableKind::Function`].
    pub input: bool,
    /// Some [`VariableKind::Uninitialised`].
    pub uninitialised: bool,
    /// The [`VariableKind::Revision`].
    pub revision: bool,
    /// Some [`VariableKind::Address`].
    pub address: bool,
}

impl Mentions {
    pub(super) fn of(kind: VariableKind) -> Self {
        Self {
            input: matches!(kind, VariableKind::Input | VariableKind::Function),
            uninitialised: kind == VariableKind::Uninitialised,
            revision: kind == VariableKind::Revision,
            address: kind == VariableKind::Address,
        }
    }

    /// The kinds that either mentions.
    pub fn or(self, other: Self) -> Self {
        Self {
            input: self.input || other.input,
            uninitialised: self.uninitialised || other.uninitialised,
            revision: self.revision || other.revision,
            address: self.address || other.address,
        }
    }

    /// Whether there is a kind that both mention.
    pub fn meets(self, other: Self) -> bool {
        (self.input && other.input)
            || (self.uninitialised && other.uninitialised)
            || (self.revision && other.revision)
            || (self.address && other.address)
    }
}
