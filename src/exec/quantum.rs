//! How long states run at a time, and what a run gives.

use std::time::{Duration, Instant};

use super::{
    clock::Clock,
    divergence::Divergence,
    share::Shares,
    state::{HaltState, State},
};
use crate::subject::{OpenClasses, Revision};

/// Limits of a path.
#[derive(Clone, Copy, Debug)]
pub struct PathLimits {
    /// The most instructions of one path.
    pub instructions: u64,
    /// The most values that are tried for a symbolic value that has to be concrete (a size, a
    /// pointer).
    pub concretisations: u32,
    /// The time for one query.
    pub solver: Duration,
}

/// The purpose of one [`Executor::run`](super::Executor::run), and how long it may go on.
#[derive(Clone, Copy, Debug)]
pub struct Quantum<'a> {
    /// The revisions that are still to be told apart.
    pub open: &'a OpenClasses,
    /// The most instructions, of all states together.
    pub instructions: u64,
    /// The most forks.
    pub forks: u64,
    /// The most tokens of typed input that a path may read: a state that wants more goes on later.
    pub tokens: u32,
    /// From this time on, a state that keeps the solver busy goes on in another quantum: others are
    /// waiting.
    pub patience: Option<Instant>,
    /// If set, the divergences of all other revisions from this one are recorded.
    pub divergences_from: Option<Revision>,
    /// When everything has to end.
    pub clock: Clock<'a>,
}

impl<'a> Quantum<'a> {
    /// A quantum with no limit but the clock's.
    pub fn unlimited(open: &'a OpenClasses, clock: Clock<'a>) -> Self {
        let (instructions, forks, tokens) = (u64::MAX, u64::MAX, u32::MAX);
        let (patience, divergences_from) = (None, None);
        Self { open, instructions, forks, tokens, patience, divergences_from, clock }
    }
}

/// The result of a run of an [`Executor`](super::Executor).
#[derive(Debug, Default)]
pub struct Harvest {
    /// States that go on, in depth-first order.
    pub running: Vec<State>,
    /// States that have ended, in depth-first order.
    pub halted: Vec<HaltState>,
    /// How many paths have ended.
    pub paths: u64,
    /// The shares of states that assumptions have ended: inputs that the program is not asked
    /// about.
    pub excluded: Shares,
    /// How many instructions have run.
    pub instructions: u64,
    /// The divergences from [`Quantum::divergences_from`], in the order in which they were met. One
    /// may be there more than once.
    pub divergences: Vec<Divergence>,
}
