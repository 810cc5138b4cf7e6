//! LLVM's C API, safely: a [`view`] of modules that are not changed, and the few [`edit`]s that
//! make one module out of several.
//!
//! Nobody but [`crate::ir::lower`] and [`crate::compile`] uses it, and no type of it leaves them.

mod edit;
mod view;

pub(crate) use edit::{Editor, Own, is_known_to_this_process};
pub(crate) use view::*;
