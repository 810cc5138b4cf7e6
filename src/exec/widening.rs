//! What a run in lockstep forgets at cutpoints.

use std::collections::BTreeMap;

use crate::expr::ExprId;

/// What is forgotten at a cutpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Widening {
    /// The cells, and whether it is unknown whether each was written.
    pub(super) cells: BTreeMap<Cell, bool>,
    pub(super) bounds: Vec<Bound>,
    pub(super) guesses: u32,
    /// Whether the state at the cutpoint itself is one of those that the guess stands for.
    pub(super) has_base: bool,
}

/// A part of a state that is forgotten as a whole.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Cell {
    /// An address and a number of bytes.
    Word(u64, u32),
    Register(usize),
}

/// The guess that a cell never falls below a value (`rises`), or never rises above it, as signed
/// numbers.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) cell: Cell,
    pub(super) value: ExprId,
    pub(super) rises: bool,
}
