//! The questions to a solver and its answers.

use std::time::Duration;

use crate::expr::{Assignment, ExprId};

/// A conjunction to decide: a path condition and further conditions. The path condition is in the
/// order of the path, so that consecutive queries share a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition, oldest condition first.
    pub path_condition: &'a [ExprId],
    /// The conditions that are asked about, beyond the path condition.
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
    /// Satisfiable, by these values of the variables that the query mentions, and perhaps of other
    /// variables. Variables without a value are zero.
    Sat(Assignment),
    /// Proved to be unsatisfiable.
    Unsat,
    /// Undecided; this must never be read as either of the others.
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
    /// The back end gave up for some other reason.
    #[error("the solver gave up")]
    GaveUp,
}
