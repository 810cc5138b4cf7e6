//! What a run in lockstep forgets at cutpoints.

use std::collections::BTreeMap;

use crate::{
    expr::{ExprId, Exprs, Node},
    memory::value::signed,
};

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

/// A guess at what a cell holds in all rounds.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) cell: Cell,
    /// What the cell held at the cutpoint.
    pub(super) value: ExprId,
    pub(super) kind: BoundKind,
}

/// What is guessed about a cell, as a signed number.
#[derive(Clone, Debug)]
pub(super) enum BoundKind {
    /// The cell never falls below what it held at the cutpoint.
    Rises,
    /// The cell never rises above what it held at the cutpoint.
    Falls,
    /// The cell is always one of these constants, as a flag is.
    Among(Vec<ExprId>),
}

impl Bound {
    /// The most constants of [`BoundKind::Among`].
    const MOST: usize = 4;

    /// The guesses about a cell that held `before` at the cutpoint and holds `now` later.
    pub(super) fn all(exprs: &Exprs, cell: Cell, before: ExprId, now: ExprId) -> Vec<Self> {
        let bound = |kind| Self { cell, value: before, kind };
        let width = exprs.width(before);
        let known = |e| exprs.as_u64(e).map(|value| signed(value, width));
        let mut bounds = Vec::new();
        if width >= 16
            && let (Some(then), Some(now)) = (known(before), known(now))
        {
            bounds.push(bound(if now > then { BoundKind::Rises } else { BoundKind::Falls }));
        }
        let mut constants = vec![];
        if [before, now].iter().all(|e| constants_of(exprs, *e, Self::MOST, &mut constants)) {
            bounds.push(bound(BoundKind::Among(constants)));
        }
        bounds
    }

    /// The condition that the guess holds if `e` is a later content of the cell.
    pub(super) fn holds(&self, exprs: &Exprs, e: ExprId) -> ExprId {
        match &self.kind {
            BoundKind::Rises => exprs.sle(self.value, e),
            BoundKind::Falls => exprs.sle(e, self.value),
            BoundKind::Among(all) => exprs.any(all.iter().map(|constant| exprs.eq(e, *constant))),
        }
    }
}

/// Adds the constants that an expression may be to `known`. Returns whether the expression is
/// always one of a few, with no more than `depth` choices within each other.
fn constants_of(exprs: &Exprs, e: ExprId, depth: usize, known: &mut Vec<ExprId>) -> bool {
    let width = exprs.width(e);
    let all_of = |ways: [ExprId; 2], known: &mut Vec<ExprId>| {
        ways.iter().all(|e| constants_of(exprs, *e, depth - 1, known))
    };
    match exprs.node(e) {
        Node::Ite(_, yes, no) if depth > 0 => all_of([yes, no], known),
        // An extended condition is a choice between two constants.
        Node::Zext(x) if depth > 0 && exprs.width(x) == 1 => {
            all_of([0, 1].map(|value| exprs.constant(width, value)), known)
        }
        Node::Sext(x) if depth > 0 && exprs.width(x) == 1 => {
            let zero = exprs.constant(width, 0);
            all_of([zero, exprs.not(zero)], known)
        }
        _ if exprs.as_bv(e).is_none() => false,
        _ if known.contains(&e) => true,
        _ => {
            known.push(e);
            known.len() <= Bound::MOST
        }
    }
}
