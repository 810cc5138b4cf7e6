//! The translation made for one instance, and the state of a walk that extends it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ffi::{Instance, Term};
use crate::expr::{ExprId, Exprs, VariableId};

/// The translation made for one instance.
#[derive(Default)]
pub(super) struct Translation {
    pub(super) native: FxHashMap<ExprId, Native>,
    /// The form that is not native, for expressions for which it was requested.
    pub(super) other: FxHashMap<ExprId, Term>,
    pub(super) variables: FxHashMap<VariableId, Term>,
    /// The numbers that bits encode.
    pub(super) decoded: FxHashMap<ExprId, Term>,
    /// The bits of numbers, and the definitions they need.
    pub(super) encoded: FxHashMap<ExprId, (Term, Needs)>,
    pub(super) definitions: Vec<Term>,
    /// The definitions that expressions need; those that need none are left out.
    pub(super) needs: FxHashMap<ExprId, Needs>,
    pub(super) conditions: FxHashMap<ExprId, Term>,
}

/// Indices of definitions, ascending.
pub(super) type Needs = Arc<[usize]>;

#[derive(Clone, Copy)]
pub(super) enum Native {
    Bits(Term),
    Truth(Term),
    Float(Float),
}

pub(super) struct Translator<'a> {
    pub(super) exprs: &'a Exprs,
    pub(super) to: &'a mut Instance,
    pub(super) translation: &'a mut Translation,
    /// The definitions that the terms in use need. They are collected from the beginning of the
    /// walk, or from the point where it came to the current expression.
    pub(super) used: Vec<Needs>,
}

/// A number. Its bits are those of `nan` if `value` is a NaN; otherwise they encode `value`.
#[derive(Clone, Copy)]
pub(super) struct Float {
    pub value: Term,
    pub nan: ExprId,
}
