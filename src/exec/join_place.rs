//! Where states that parted meet again.

use std::sync::Arc;

use super::lineage::Lineage;
use crate::{expr::ExprId, ir::FunctionId, subject::RevisionSet};

/// Where the ways of states that parted meet again.
#[derive(Debug)]
pub struct Join {
    /// The condition by which inputs parted; `None` if revisions parted.
    pub(super) decided: Option<ExprId>,
    pub(super) function: FunctionId,
    /// How many callers the function had.
    pub(super) depth: usize,
    pub(super) pc: u32,
    /// The way to the state that parted, and its revisions.
    pub(super) lineage: Arc<Lineage>,
    pub(super) revisions: RevisionSet,
    /// How many conditions the path of the state that parted had, and how many variables it had
    /// made for undefined values.
    pub(super) conditions: usize,
    pub(super) undefined: u32,
    /// The question for the revision at which revisions parted, and [`State::branches`] there, if
    /// divergences are recorded ([`super::diverge`]).
    ///
    /// [`State::branches`]: super::State
    pub(super) question: Option<Question>,
}

/// A question for the revision, a meta branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    /// The instruction that branches, in [`Join::function`] or a function that it has called.
    pub(super) at: (FunctionId, u32),
    pub(super) branches: u32,
}
