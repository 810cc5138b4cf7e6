//! The interface to native runs.

use std::collections::BTreeMap;

use crate::{
    errors::Error,
    replay::{Outcome, TestInput},
    subject::{Revision, RevisionSet},
};

/// Runs tests natively. How that is done is up to the implementation.
pub trait Replay: Sync {
    /// The outcome of each revision on the test. `expected` names the errors that may be found, so
    /// that a sanitizer can watch for them, and the revisions that are known never to end.
    fn outcomes(
        &self,
        test: &TestInput,
        revisions: &[Revision],
        expected: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed>;

    /// The outcome of a short, unwatched run of each revision. It is no evidence, but a hint as to
    /// which tests are worth a replay.
    fn glance(
        &self,
        test: &TestInput,
        revisions: &[Revision],
    ) -> Result<Vec<Outcome>, ReplayFailed>;
}

/// What the engine expects of a native run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expected {
    /// Each expected error, with the revisions that run into it.
    pub errors: BTreeMap<Error, RevisionSet>,
    /// Revisions that run forever, each with the number of bytes of standard output and of standard
    /// error that are seen on the way.
    pub endless: BTreeMap<Revision, [usize; 2]>,
    /// Revisions whose outcome on this input is not predicted and never will be.
    pub unknown: RevisionSet,
    /// Revisions whose outcome is not predicted yet. A plain run is enough, as they are judged
    /// again.
    pub early: RevisionSet,
}

impl Expected {
    pub(super) fn add(&mut self, error: Error, revision: Revision) {
        self.errors.entry(error).or_default().insert(revision);
    }
}

/// A native run did not take place, so nothing is known about its outcome.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFailed {
    /// The replay itself failed: no program or no sandbox.
    #[error("native replay: {0}")]
    Impossible(String),
    /// The time budget of the whole run is used up.
    #[error("native replay: no time left")]
    OutOfTime,
}
