//! What the engine predicts for an input.

use crate::replay::{TestInput, Visible};

/// Where a halt state comes from, with its index there.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// From exploration: an index into the explored states.
    Explored(usize),
    /// From following a single input: an index into the followed states.
    Followed(usize),
}

/// What the engine predicts for one revision on one input.
pub(super) enum Predicted {
    /// A halt state that predicts exactly this outcome.
    Exact(Source, Visible),
    /// A halt state that does not predict the outcome exactly.
    Vague(Source),
    /// No halt state is known.
    Missing,
}

/// What the engine predicts for an input.
pub(super) struct Prediction {
    pub(super) input: TestInput,
    /// One prediction for each revision, in the order of
    /// [`Differ::revisions`](super::Differ::revisions).
    pub(super) predictions: Vec<Predicted>,
    /// Indices of the halt states that were followed for this input.
    pub(super) followed: Vec<usize>,
}

impl Prediction {
    /// Whether the path of at least one revision is known, even if its outcome is not.
    pub(super) fn takes_a_path(&self) -> bool {
        self.predictions.iter().any(|prediction| !matches!(prediction, Predicted::Missing))
    }
}

impl Predicted {
    pub(super) fn visible(&self) -> Option<&Visible> {
        match self {
            Self::Exact(_, visible) => Some(visible),
            Self::Vague(_) | Self::Missing => None,
        }
    }
}
