//! Differences: pairs halt states, makes differential tests, and gives every pair of revisions its
//! verdict.
//!
//! Two halt states can overlap only if they parted at a meta fork
//! ([`ForkKind::Meta`](crate::exec::ForkKind::Meta)). For each such pair whose revisions are not
//! told apart yet, the solver is asked for an input that both paths allow and on which some common
//! output differs (algorithm 4 of the Psychic paper, whose printed guard `n != n' or {n,n'} in D`
//! is a misprint for `n = n' or ...`). The answer is replayed natively on every revision: only what
//! the replay shows counts. Equivalence of two revisions is proved at the end, from evidence on
//! record (`proof`).

mod cases;
mod claims;
mod compare;
mod differ;
mod domains;
mod evidence;
mod input;
mod lower;
mod native;
mod numbers;
mod outcome;
mod overlap;
mod pairs;
mod paths;
mod predict;
mod prediction;
mod proof;
mod proportion;
mod reason;
mod regions;
mod shares;
mod shorten;
mod simple;
mod stopped;
mod test;
#[cfg(test)]
mod tests;
pub mod text;
mod trials;
mod variants;
mod when;

pub use differ::{Differ, Effort};
pub use input::seeds;
pub use native::{Expected, Replay, ReplayFailed};
pub use numbers::Signs;
pub use outcome::{mismatch, predicted};
pub use pairs::{Decided, PairVerdict, Pairs};
pub use paths::{path_input, path_test};
pub use reason::Reason;
pub use regions::{RegionWalk, Regions};
pub use test::{DifferentialTest, Task};
pub use when::{Question, When};
