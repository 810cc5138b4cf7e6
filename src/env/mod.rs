//! The program's world.

pub mod format;
pub mod stream;
