//! Compiles a subject: to bitcode for the engine and to native binaries for replay.
//!
//! [`Toolchain`] is the clang that was found, and a [`Compilation`] says what to compile. The three
//! products come from the same sources and flags: [`Toolchain::bitcode`] for symbolic execution,
//! [`Toolchain::native`] for replay (plain and under [`Sanitizer`](crate::errors::Sanitizer)s), and
//! [`Toolchain::syntax_check`] for a quick verdict on one patched file. [`harness()`] writes the
//! `main` of a subject whose entry is another function.
//!
//! Everything is compiled at `-O0`. For the engine, the bitcode is the semantics of the program, so
//! no optimiser may have exploited undefined behaviour before. The native binary must do what the
//! bitcode does.
//!
//! A [`Whole`] program is different: it is made by a package's own build, with optimisation, and
//! includes its libc.
//!
//! Builds are reproducible (fixed locale, no absolute paths in debug information) and are skipped
//! when nothing they read has changed.

mod compiler;
mod divisions;
mod error;
mod flags;
mod harness;
mod layout;
mod libc;
mod link;
mod many;
mod modules;
mod native;
mod numbers;
mod plan;
mod precompiled;
mod probes;
mod revisions;
mod runtime;
mod signature;
mod stamp;
mod together;
mod toolchain;
mod unite;
mod unwritten;
mod whole;

pub use compiler::Compilation;
pub use error::{BuildError, RevisionError};
pub use harness::{Callers, Harness, HarnessError, Show, callers, harness};
pub use layout::{Common, HARNESS};
pub use libc::{Closure, Libc};
pub use modules::{is_allocator, lent};
pub use numbers::{integers, real_numbers};
pub use probes::{Probed, probed_flags};
pub use revisions::Revisions;
pub use runtime::PSYCHIC_H;
pub use signature::{Function, Pointer, calls, functions, pointers};
pub use toolchain::Toolchain;
pub use unite::{Overriding, Program, United, same_code, stem, unite};
pub use whole::{Made, Recipe, Whole, functions_at_fixed_addresses};
