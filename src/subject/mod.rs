//! A subject: a program and its candidate patches, as `subject.toml` describes them.

pub mod config;
mod files;
mod load;
pub mod revision;
mod setup;
mod source;

pub use config::Config;
pub use files::{FileState, Given, GivenError, GivenFile, changed_files, given_files, path_text};
pub use load::{Form, Patch, Subject, SubjectError, TestFiles, is_variable};
pub use revision::{OpenClasses, Revision, RevisionSet};
pub use setup::cache_directory;
pub use source::files_below;
