//! A run from a subject to its findings: merge, build, explore, pair, replay, cluster, tree.
//!
//! A run prints nothing; it reports its progress to an [`Observer`]. When its
//! [`Interrupt`](crate::interrupt::Interrupt) is set, it ends early and keeps what it has found.
//! Before the build is done, an interrupt also ends the compilers that are running; after it, they
//! finish. The `main` of a program that uses this module must begin with
//! [`sandbox_helper`](crate::replay::sandbox_helper): native runs are confined by a helper process,
//! which is the same executable started once more.

mod addresses;
mod alone;
mod beginning;
mod bounds;
pub(crate) mod built;
pub(crate) mod compared;
mod conclude;
pub(crate) mod describe;
mod error;
mod explain;
mod exploration;
mod findings;
mod glances;
mod guess;
mod inner;
pub(crate) mod inputs;
mod interact;
pub(crate) mod linking;
pub(crate) mod merged;
pub(crate) mod native;
mod observer;
mod options;
mod oracle;
mod rounds;
pub(crate) mod rows;
mod run;
mod shadow;
mod sources;
pub(crate) mod stage;
mod suite;

pub(crate) use bounds::UNREACHED;
pub use error::Error;
pub use explain::explain;
pub use findings::Findings;
pub(crate) use findings::{BUILD, INNER, MISMATCHES};
pub use guess::{Hints, init};
pub use interact::Interact;
pub use observer::{Event, Observer};
pub use options::{Options, SearchOptions, Sharing, Until};
pub use run::Session;
pub use shadow::Shadow;
pub(crate) use suite::suite;
