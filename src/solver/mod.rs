//! Satisfiability: one trait, small decorators, Bitwuzla underneath.
//!
//! # What is assumed of a query
//!
//! If there is a [`Query::model`], it must satisfy [`Query::path_condition`]: the model then
//! settles the conditions that share no variable with the goals. Nothing else is assumed. A
//! [`Verdict`] is about the conjunction of the whole path and [`Query::goals`]. Without a model, it
//! affects only speed in which of the two lists a condition is. A query that does not extend a
//! path, such as one about a pair of paths, puts all conditions into the goals.
//!
//! # The chain
//!
//! [`chain`] stacks these layers, outermost first:
//!
//! - [`checking`]: evaluates every model on every constraint;
//! - [`slicing`]: leaves out what a known model settles;
//! - [`record`]: writes the queries that verdicts rest on, for another solver;
//! - [`constants`]: decides what needs no solver;
//! - [`independence`]: decides together only what shares variables;
//! - [`cache`]: equal, weaker and stronger queries, and models that fit again;
//! - [`intervals`]: words that are compared with constants;
//! - [`narrowing`]: bytes in place of words with few values;
//! - [`enumeration`]: few bytes, by trying their values;
//! - [`sums`]: equal sums that are written differently;
//! - [`ranks`]: numbers that are only compared, by trying their orders;
//! - [`orders`]: few numbers that are also summed, by their orders;
//! - [`logging`]: SMT-LIB files;
//! - [`bitwuzla`]: incremental along the path, with a time limit.

pub mod bitwuzla;
pub mod cache;
mod chain;
pub mod checking;
mod columns;
pub mod constants;
pub mod enumeration;
pub mod independence;
pub mod interval_set;
pub mod intervals;
mod layer;
pub mod logging;
pub mod narrowing;
pub mod orders;
mod query;
pub mod ranks;
pub mod record;
pub mod slicing;
pub mod sums;

pub use chain::{SolverConfig, chain, reproducible};
pub use layer::{Decided, Decorator, Layer, LayerStatistics, Solver};
pub use query::{Query, Unknown, Verdict};

#[cfg(test)]
mod tests;
