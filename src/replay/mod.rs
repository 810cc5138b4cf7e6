//! Runs tests on native binaries and tells what a person would have seen.
//!
//! A [`TestInput`] is one concrete input, stored as KLEE's `.ktest` file. A [`Replayer`] runs it on
//! revisions in a sandbox (candidate patches are untrusted code) and gives an [`Outcome`] for each.
//! Two revisions differ on a test if and only if the [`Visible`] parts of their outcomes differ.

mod c_suite;
mod finding;
mod ktest;
mod outcome;
mod pytest;
mod replayer;
mod sandbox;
mod script;
mod settings;
mod suite;
#[cfg(all(test, feature = "engine"))]
mod tests;

pub use c_suite::c_suite;
pub use finding::{Finding, FindingKind};
pub use ktest::{KtestError, TestInput};
pub use outcome::{ASSUMPTION_VIOLATED, Outcome, Termination, Visible};
pub(crate) use outcome::{is_of_call, numbered};
pub use pytest::pytest;
pub use replayer::{Binaries, Builds, ReplayError, Replayer, Watched, Within};
#[cfg(feature = "engine")]
pub(crate) use sandbox::refuse_idle_helper;
pub use sandbox::{Isolation, RunLimits, SandboxError, sandbox_helper};
pub use script::{Runs, script};
pub use settings::settings;
pub use suite::{Case, Suite, Tested};
