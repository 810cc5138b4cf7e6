//! Candidate patches to meta program, source to source.

#![allow(dead_code)]
mod apply;
mod edit;
mod legal;
mod patch;
mod source;
mod token;
pub use patch::PatchError;
