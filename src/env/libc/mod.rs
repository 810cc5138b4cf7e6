//! The models of the C library, one file for each header or topic. Each model says which clause of
//! C11 (ISO/IEC 9899:2011) it follows.
//!
//! - [`allocation`], [`fenv`], [`input`], [`math`], [`output`], [`process`], [`strings`]: models of
//!   functions, by header; [`intrinsics`]: those of `psychic.h` and KLEE's intrinsics;
//! - `digits`, `integers`, `functions`: models that run before, or in place of, code of the libc;
//! - [`stream`]: text with symbolic pieces; [`mod@format`]: formats of `printf` and `scanf`, and
//!   numbers in text;
//! - [`stdin`]: standard input; `read`: reads of tokens and bytes; `scan`: formatted reads of
//!   bytes; [`given`]: a text as typed input;
//! - `access`, `variadic`: how models read memory and variadic arguments.

pub(in crate::env) mod access;
pub mod allocation;
pub(in crate::env) mod digits;
pub mod fenv;
pub mod format;
pub(in crate::env) mod functions;
pub mod given;
pub mod input;
pub(in crate::env) mod integers;
pub mod intrinsics;
pub mod math;
pub mod output;
pub mod process;
mod read;
mod scan;
pub mod stdin;
pub mod stream;
pub mod strings;
mod variadic;
