//! A subject: a program and its candidate patches, as `subject.toml` describes them, or as files
//! alone.

mod amounts;
mod classes;
pub mod config;
mod config_file;
mod error;
mod fault;
mod files;
mod flags;
mod git;
mod load;
mod loose;
mod oracle;
mod patch;
mod path;
pub mod revision;
mod setup;
mod source;
mod stdin;
mod times;
mod whole;

pub use amounts::MOST_BYTES;
pub use classes::OpenClasses;
pub use config::SubjectConfig;
pub use config_file::{GivenStdin, TestFiles, is_variable};
pub use error::SubjectError;
pub use files::{FileState, Given, GivenError, GivenFile, changed_files, given_files, path_text};
pub use load::{CONFIG_FILE, Subject};
pub(crate) use loose::name_of;
pub use patch::{Form, Patch};
pub use path::unquoted;
pub use revision::{NoRevision, Revision, RevisionSet};
pub use setup::cache_directory;
pub use source::{RESULTS_MARK, files_below, is_results};
pub use times::Times;
