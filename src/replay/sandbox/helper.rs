//! Which executable serves as helper, and whether this process is one.

use std::{env, ffi::OsString, path::PathBuf};

use super::error::SandboxError;

/// The hidden first argument that makes an executable a helper.
const ARGUMENT: &str = "__sandbox";

/// The environment variable that names the `psychic` executable, for programs that use the library.
const HELPER: &str = "PSYCHIC_SANDBOX";

/// Whether this process was started as a helper. If it went on as something else, it would start
/// others like itself without end.
pub(super) fn is_asked_to_help() -> bool {
    env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// Returns an error in a process that was started as a helper but does something else.
///
/// # Errors
/// [`SandboxError::NotAHelper`] says what to do.
pub(crate) fn refuse_idle_helper() -> Result<(), SandboxError> {
    match is_asked_to_help() {
        true => Err(SandboxError::NotAHelper { helper: helper().0 }),
        false => Ok(()),
    }
}

/// The executable to start as helper, and its arguments.
pub(super) fn helper() -> (PathBuf, Vec<OsString>) {
    let this = || env::current_exe().unwrap_or_else(|_| "psychic".into());
    match env::var_os(HELPER) {
        Some(helper) => (helper.into(), vec![ARGUMENT.into()]),
        // The unit tests' executable has no `main` of ours, but can be told to run one test.
        None if cfg!(test) => {
            let test = "replay::sandbox::serve_as_helper";
            let arguments = ["--exact", test, "--ignored", "--nocapture", "--test-threads=1"];
            (this(), arguments.map(OsString::from).to_vec())
        }
        None => (this(), vec![ARGUMENT.into()]),
    }
}
