//! A safe interface to LLVM's C API: a [`view`] of modules that are not changed, and the few
//! [`edit`]s that combine several modules into one.
//!
//! Only [`crate::ir::lower`] and [`crate::compile`] use it, and none of its types leave them.

mod define;
mod edit;
pub(crate) mod library;
mod view;

pub(crate) use edit::{Editor, Own, is_known_to_this_process};
pub(crate) use view::debug::{Number, Passed, Prototype, Real};
pub(crate) use view::*;
