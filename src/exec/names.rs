//! Functions that are known by their names.

/// The entry of a program with its libc: it gets the initial stack.
pub const WHOLE_PROGRAM: &str = "_start_c";

/// The functions that ask for the revision.
pub(super) const ASKING: [&str; 2] = ["psychic_rev", "__klee_meta"];
