//! Psychic runs a C program and many candidate patches for it *at once* by symbolic
//! execution, and tells the patches apart: by inputs on which they visibly differ, by the
//! smallest decision tree over those inputs, and by proofs of equivalence for the rest.
//!
//! The modules are the concepts of the tool. A module depends only on those below it in
//! this list, and none below knows anything above:
//! `cli`, [`report`], [`tree`], [`diff`], [`replay`], [`explore`], [`exec`], [`mod@env`],
//! [`memory`], [`solver`], [`expr`], [`ir`], [`build`], [`merge`], [`subject`].
#![deny(missing_docs)]

pub mod build;
mod child;
pub mod cli;
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
pub mod session;
pub mod solver;
pub mod subject;
pub mod tree;
