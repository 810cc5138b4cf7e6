//! Differential tests, and the task of finding them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    native::{Expected, Replay},
    reason::Reason,
};
use crate::{
    exec::{Clock, PathLimits, Program, Start},
    expr::Assignment,
    replay::{Outcome, TestInput},
    results::{Clustering, FoundBy, TestId},
    solver::SolverConfig,
    subject::{Revision, config::OutputsConfig},
};

/// A test with the outcome of every revision on it.
#[derive(Clone, Debug)]
pub struct DifferentialTest {
    /// The number of the test, in the order in which tests were found.
    pub test: TestId,
    /// Where the input comes from.
    pub found_by: FoundBy,
    /// The input.
    pub input: TestInput,
    /// What each revision did, in the order of [`Task::revisions`].
    pub outcomes: Vec<Outcome>,
    /// The partition of the revisions by outcome.
    pub clustering: Clustering,
    /// Where the replay differed from the engine's prediction; empty if nowhere.
    pub mismatches: Vec<String>,
    /// Revisions whose outcome here is no evidence, and why. The clustering leaves them out.
    pub objections: BTreeMap<Revision, Vec<Reason>>,
    /// What was expected when the test ran.
    pub(super) expected: Expected,
    /// The model from which the engine made the input, if it did.
    pub(super) model: Option<Assignment>,
    /// Indices of the halt states that the engine followed on this input to predict its outcomes.
    pub(super) followed: Vec<usize>,
}

/// Which revisions are compared, and how.
#[derive(Clone)]
pub struct Task<'a> {
    /// The meta program that was explored.
    pub program: &'a Program,
    /// How the program starts, and the limits of a path. They are used to follow single inputs for
    /// revisions whose outcome no known path predicts. Without them, no such outcome is predicted.
    pub start: Option<(Start, PathLimits)>,
    /// Runs tests natively.
    pub replay: &'a dyn Replay,
    /// Configuration of the solver for queries about pairs.
    pub solver: SolverConfig,
    /// Which outputs count as visible.
    pub outputs: OutputsConfig,
    /// Names of the objects that are floating-point numbers. Trials give them such values, and they
    /// have no ranges.
    pub reals: BTreeSet<String>,
    /// The revisions that run.
    pub revisions: Vec<Revision>,
    /// Revisions with a function that does not return the result it promises. What they do may
    /// differ from build to build.
    pub without_result: BTreeSet<Revision>,
    /// When to stop.
    pub clock: Clock<'a>,
}
