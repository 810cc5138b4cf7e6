//! Psychic runs a C program and many candidate patches for it *at once* by symbolic
//! execution, and tells the patches apart: by inputs on which they visibly differ, by the
//! smallest decision tree over those inputs, and by proofs of equivalence for the rest.
//!
//! A [`Session`](session::Session) goes the whole way:
//!
//! ```no_run
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
//! More are in `examples/`. The parts can be used alone, too: the modules are the concepts of the tool. A
//! module depends only on those below it in this list, and none below knows anything above:
//! `cli`, [`session`], [`report`], [`diff`], [`tree`], [`replay`], [`explore`], [`exec`],
//! [`mod@env`], [`memory`], [`solver`], [`ir`], [`expr`], [`compile`], [`merge`], [`results`], [`subject`],
//! [`interrupt`].
#![deny(missing_docs)]

mod child;
pub mod cli;
pub mod compile;
pub mod diff;
pub mod env;
pub mod exec;
pub mod explore;
pub mod expr;
pub mod interrupt;
pub mod ir;
mod llvm;
pub mod memory;
pub mod merge;
pub mod replay;
pub mod report;
pub mod results;
pub mod session;
pub mod solver;
pub mod subject;
pub mod tree;
