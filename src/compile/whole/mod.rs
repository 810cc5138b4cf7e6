//! Whole programs: a package's own build makes them, from the first instruction to the libc.
//!
//! The build runs with clang and lld in LTO mode. Object files are bitcode. The linker, which alone
//! knows which members of which archives belong to the program, leaves the merged module beside the
//! executable. No wrapper around the compiler has to guess, weak symbols and archives mean what
//! they always mean, and configure's own test programs run. The engine runs that module after it
//! was internalised and stripped of what is never called. Replay runs the native code made of it,
//! linked with the world of `docs/world.md`.
//!
//! A tree is configured and built once ([`Whole::prepare`]) and kept in the cache under a name that
//! carries a digest of everything it was made from. A revision is a copy of that tree in which
//! `make` rebuilds what the patched files change. If a revision changes how the program is built,
//! its tree is configured and built from the beginning. The program of all revisions
//! ([`Whole::unite`]) is made in the same way.

mod addresses;
mod commands;
mod libc;
mod order;
mod package;
mod program;
mod resolution;
mod revisions;
mod sources;
mod tree;

pub use addresses::functions_at_fixed_addresses;
pub use package::{Recipe, Whole};
pub use revisions::Made;
