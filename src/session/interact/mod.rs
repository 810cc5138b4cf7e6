//! Change interaction: which changes of one patch alter each other's effect, on which inputs, and
//! in which order they run (Böhme, Oliveira and Roychoudhury, "Regression tests to expose change
//! interaction errors", ESEC/FSE 2013).
//!
//! The revisions are the subsets of the changes, explored and replayed like any others. What every
//! subset does on an input says which changes interact on it ([`exact`]). The paper calls that out
//! of reach, and approximates it from the program's dependences. That approximation is made, too
//! ([`graph`]), and the errors and critical sequences are those of the paper's section 3
//! ([`errors`]).

mod dependence;
mod dominance;
mod errors;
mod exact;
mod flow;
mod graph;
mod lines;
mod question;
mod subsets;
mod task;

pub use question::Interact;
pub(super) use task::Task;
