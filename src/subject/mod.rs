//! A subject: a program and its candidate patches, as `subject.toml` describes them.

pub mod config;
pub mod results;
pub mod revision;

pub use config::Config;
pub use revision::{Revision, RevisionSet};
