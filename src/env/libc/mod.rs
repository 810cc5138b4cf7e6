//! The C library: one file a header or topic. Each model says which clause of C11
//! (ISO/IEC 9899:2011) it follows.

pub mod access;
pub mod allocation;
pub mod digits;
pub mod fenv;
pub mod format;
pub mod functions;
pub mod input;
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
