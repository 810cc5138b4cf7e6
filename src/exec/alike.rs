//! What a run in lockstep shows.

use crate::subject::RevisionSet;

/// What running in lockstep has shown.
#[derive(Clone, Debug, Default)]
pub struct Alike {
    /// Sets of revisions that no input tells apart.
    pub classes: Vec<RevisionSet>,
    /// Sets of revisions that may fail on some input, all alike.
    pub failing: Vec<RevisionSet>,
}
