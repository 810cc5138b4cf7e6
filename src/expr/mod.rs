//! Expressions: immutable, hash-consed bit-vector terms in one append-only arena.
//!
//! A truth value is a bit-vector of width 1. Every constructor simplifies locally and
//! eagerly, so a constant comes back as a constant node and equal terms have equal ids.

use std::num::NonZeroU32;

pub mod bv;

pub use bv::Bv;

/// An expression of an [`Exprs`] arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExprId(pub(crate) NonZeroU32);

/// A variable of an [`Exprs`] arena.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct VariableId(pub(crate) u32);

/// A constant-length row of equally wide expressions that a symbolic index selects from.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TableId(pub(crate) u32);

/// What a variable stands for.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum VariableKind {
    /// A part of the symbolic input.
    Input,
    /// The content of memory that was never written.
    Uninitialised,
    /// The revision that runs; exactly one such variable exists, 32 bits wide.
    Revision,
}

/// What kinds of variables an expression mentions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Mentions {
    /// Some [`VariableKind::Input`].
    pub input: bool,
    /// Some [`VariableKind::Uninitialised`].
    pub uninitialised: bool,
    /// The [`VariableKind::Revision`].
    pub revision: bool,
}

/// Values for variables; what is not mentioned counts as zero.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Assignment(pub std::collections::BTreeMap<VariableId, Bv>);

/// The arena: shared by all workers, never shrinks.
pub struct Exprs {}

#[allow(missing_docs, unused_variables)]
impl Exprs {
    pub fn new() -> Self {
        todo!()
    }
    /// `value` cut to `width` bits (zero-extended above 64).
    pub fn constant(&self, width: u32, value: u64) -> ExprId {
        todo!()
    }
    pub fn bv(&self, value: &Bv) -> ExprId {
        todo!()
    }
    pub fn bool(&self, value: bool) -> ExprId {
        self.constant(1, value as u64)
    }
    /// The variable of that name; asking again gives the same one.
    /// # Panics
    /// when it exists with another width or kind.
    pub fn variable(&self, name: &str, width: u32, kind: VariableKind) -> ExprId {
        todo!()
    }
    pub fn variable_id(&self, name: &str) -> Option<VariableId> {
        todo!()
    }
    pub fn variable_name(&self, v: VariableId) -> &str {
        todo!()
    }
    pub fn variable_width(&self, v: VariableId) -> u32 {
        todo!()
    }
    pub fn variable_kind(&self, v: VariableId) -> VariableKind {
        todo!()
    }
    /// The variable that `e` is, if it is just a variable.
    pub fn as_variable(&self, e: ExprId) -> Option<VariableId> {
        todo!()
    }
    pub fn not(&self, a: ExprId) -> ExprId {
        todo!()
    }
    pub fn neg(&self, a: ExprId) -> ExprId {
        todo!()
    }
    pub fn add(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn sub(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn mul(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    /// As SMT-LIB: division by zero gives all ones, the remainder the dividend.
    pub fn udiv(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn sdiv(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn urem(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn srem(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn and(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn or(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn xor(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    /// As SMT-LIB: a shift by the width or more gives zeros (sign bits for `ashr`).
    pub fn shl(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn lshr(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn ashr(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn eq(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn ne(&self, a: ExprId, b: ExprId) -> ExprId {
        self.not(self.eq(a, b))
    }
    pub fn ult(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn ule(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn slt(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn sle(&self, a: ExprId, b: ExprId) -> ExprId {
        todo!()
    }
    pub fn ite(&self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        todo!()
    }
    pub fn extract(&self, e: ExprId, low: u32, width: u32) -> ExprId {
        todo!()
    }
    pub fn concat(&self, high: ExprId, low: ExprId) -> ExprId {
        todo!()
    }
    pub fn zext(&self, e: ExprId, width: u32) -> ExprId {
        todo!()
    }
    pub fn sext(&self, e: ExprId, width: u32) -> ExprId {
        todo!()
    }
    pub fn table(&self, elements: &[ExprId]) -> TableId {
        todo!()
    }
    /// The element of that index (unsigned); 0 beyond the end.
    pub fn select(&self, table: TableId, index: ExprId) -> ExprId {
        todo!()
    }
    /// Conjunction of any number of truth values.
    pub fn all(&self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        todo!()
    }
    /// Disjunction of any number of truth values.
    pub fn any(&self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        todo!()
    }

    pub fn width(&self, e: ExprId) -> u32 {
        todo!()
    }
    pub fn as_bv(&self, e: ExprId) -> Option<Bv> {
        todo!()
    }
    /// The constant that `e` is, if it is one of at most 64 bits.
    pub fn as_u64(&self, e: ExprId) -> Option<u64> {
        todo!()
    }
    pub fn mentions(&self, e: ExprId) -> Mentions {
        todo!()
    }
    /// The variables of `e`, ascending by id; cached per node.
    pub fn variables(&self, e: ExprId) -> std::sync::Arc<[VariableId]> {
        todo!()
    }
    /// `e` with the variable replaced and everything above it simplified anew.
    pub fn substitute(&self, e: ExprId, variable: VariableId, by: ExprId) -> ExprId {
        todo!()
    }
    pub fn evaluate(&self, e: ExprId, assignment: &Assignment) -> Bv {
        todo!()
    }
    /// A hash of the structure of `e` that does not depend on ids, threads or runs.
    pub fn structural_hash(&self, e: ExprId) -> u64 {
        todo!()
    }
    /// A readable infix form for reports and error messages.
    pub fn display(&self, e: ExprId) -> String {
        todo!()
    }
    /// An SMT-LIB 2 script that asserts `constraints` and asks for a model.
    pub fn smtlib(&self, constraints: &[ExprId]) -> String {
        todo!()
    }
}
