//! Psychic runs a C program and many candidate patches for it *at once* by symbolic execution. It
//! tells the patches apart by inputs on which they visibly differ and by the smallest decision tree
//! over those inputs. It proves the rest equivalent where it can.
//!
//! A `session::Session` runs the whole pipeline:
//!
#![cfg_attr(feature = "engine", doc = "```no_run")]
#![cfg_attr(not(feature = "engine"), doc = "```ignore")]
//! use psychic::{
//!     session::{Options, Session},
//!     subject::Subject,
//! };
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Native runs are confined by a process of their own, which is this program once more.
//!     psychic::replay::sandbox_helper();
//!     let subject = Subject::load("patches/smallest".as_ref())?;
//!     let findings = Session::new(subject, Options::default())?.diff(&mut ())?;
//!     for pair in findings.pairs() {
//!         println!("{} {} {:?}", pair.a, pair.b, pair.verdict);
//!     }
//!     println!("{} questions tell apart all that differ", findings.tree().height());
//!     Ok(())
//! }
//! ```
//!
//! There are more examples in `examples/`. The parts can also be used alone: each module is one
//! concept of the tool. A module depends only on those after it in this list, and knows nothing of
//! those before it: `cli`, [`campaign`], [`session`], [`report`], [`rank`], [`diff`], [`tree`],
//! [`replay`], [`explore`], [`exec`], [`mod@env`], [`memory`], [`solver`], [`ir`], [`expr`],
//! [`compile`], [`merge`], [`results`], [`subject`], `scripts`, `child`, [`errors`], [`interrupt`],
//! `llvm`. Without default features, the crate has only the modules that need neither LLVM nor
//! Bitwuzla nor plotters; the features `plots`, `engine` and `cli` add the rest.
#![deny(missing_docs)]
// Some crate-visible items are used by the command alone.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub mod campaign;
mod child;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "engine")]
pub mod compile;
#[cfg(feature = "engine")]
pub mod diff;
#[cfg(feature = "engine")]
pub mod env;
pub mod errors;
#[cfg(feature = "engine")]
pub mod exec;
#[cfg(feature = "engine")]
pub mod explore;
#[cfg(feature = "engine")]
pub mod expr;
pub mod interrupt;
#[cfg(feature = "engine")]
pub mod ir;
#[cfg(feature = "engine")]
mod llvm;
#[cfg(feature = "engine")]
pub mod memory;
pub mod merge;
pub mod rank;
pub mod replay;
pub mod report;
pub mod results;
mod scripts;
#[cfg(feature = "engine")]
pub mod session;
#[cfg(feature = "engine")]
pub mod solver;
pub mod subject;
pub mod tree;
