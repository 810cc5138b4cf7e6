//! TBD

pub mod text;
