//! The interpreter: runs states of a lowered module, forks them, and ends them.
//!
//! Concrete values are computed directly; symbolic ones become expressions. The revision is
//! an ordinary value with a finite domain: a decision that depends on it splits the set of
//! revisions of the state and asks no solver.

mod access;
mod alike;
mod arithmetic;
mod asking;
mod call;
mod choice;
mod clock;
mod concolic;
mod coverage;
mod cutpoints;
mod decide;
mod distance;
mod diverge;
mod divergence;
mod effects;
mod endless;
mod executor;
mod float;
mod flow;
mod follow;
mod input;
mod interpret;
mod join;
mod join_place;
mod jump;
mod jump_target;
mod lift;
mod lineage;
mod lockstep;
mod names;
mod operation;
mod parts;
mod program;
mod provenance;
mod quantum;
mod record;
mod resolve;
mod share;
mod stack;
mod start;
pub mod state;
mod step;
mod targets;
mod times;
mod trace;
mod unaffected;
mod unwritten;
mod waiting;
mod widening;
mod words;

pub use alike::Alike;
pub use asking::{Asking, Distance};
pub use clock::Clock;
pub use concolic::{concolic, touched};
pub use coverage::Coverage;
pub use divergence::{Divergence, Divergences};
pub use executor::{Executor, abandon};
pub use flow::Flows;
pub(crate) use flow::postdominators;
pub use follow::{follow, on};
pub use input::{Arguments, InputFile, Variable};
pub use lineage::{ForkKind, Lineage};
pub use lockstep::lockstep;
pub use names::WHOLE_PROGRAM;
pub use program::Program;
pub use quantum::{Harvest, PathLimits, Quantum};
pub use record::{Channel, Executed, Record, RunStep, Shown, record};
pub use share::{Share, Shares};
pub use stack::{Callers, Frame, VariadicArgument};
pub use start::{Start, StartError};
pub use state::{HaltState, State};
pub use trace::trace;
