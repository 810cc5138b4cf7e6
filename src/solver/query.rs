//! What a solver is asked, and what it answers.

use std::time::Duration;

use crate::expr::{Assignment, ExprId};

/// A conjunction to decide: a path condition, in the order of the path so that consecutive queries
/// share a prefix, and further conditions on top.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition, oldest condition first.
    pub path_condition: &'a [ExprId],
    /// What is asked beyond the path condition.
    pub goals: &'a [ExprId],
    /// Values that satisfy the path condition, if some are known.
    pub model: Option<&'a Assignment>,
}

impl<'a> Query<'a> {
    /// All constraints, those of the path first.
    pub fn constraints(self) -> impl Iterator<Item = ExprId> + 'a {
        self.path_condition.iter().chain(self.goals).copied()
    }
}

/// A solver's answer to a [`Query`].
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Satisfiable, by these values of the variables that the query mentions, and perhaps of
    /// others. Variables without a value are zero.
    Sat(Assignment),
    /// Unsatisfiable: a proof.
    Unsat,
    /// Undecided; must never be read as either of the others.
    Unknown(Unknown),
}

impl Verdict {
    /// The values, if the query is satisfiable.
    pub fn model(&self) -> Option<&Assignment> {
        match self {
            Self::Sat(model) => Some(model),
            Self::Unsat | Self::Unknown(_) => None,
        }
    }

    /// Whether the query is proved to be unsatisfiable.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Self::Unsat)
    }
}

/// Why a solver gave no answer.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, thiserror::Error)]
pub enum Unknown {
    /// The time for one query ran out.
    #[error("solver timeout after {0:?}")]
    Timeout(Duration),
    /// The run was interrupted, or its deadline has passed.
    #[error("time budget")]
    Interrupted,
    /// The back end gave up for a reason of its own.
    #[error("the solver gave up")]
    GaveUp,
}
