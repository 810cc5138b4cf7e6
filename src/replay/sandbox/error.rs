//! Errors of sandboxes.

use std::{io, path::PathBuf};

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The helper could not be started.
    #[error("cannot start the sandbox helper {}: {error}", helper.display())]
    Start {
        /// The executable.
        helper: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// A program to run cannot be read.
    #[error("cannot read the program {}: {error}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// The executable does not act as a helper.
    #[error(
        "{} does not serve as sandbox helper: name the psychic executable in PSYCHIC_SANDBOX, or \
         call psychic::replay::sandbox_helper() first thing in main", helper.display()
    )]
    NotAHelper {
        /// The executable.
        helper: PathBuf,
    },
    /// The system denies what a sandbox needs.
    #[error(
        "patches cannot be confined on this system, so they are not run ({0}): allow user \
         namespaces (sysctl kernel.unprivileged_userns_clone=1, or a container with \
         --security-opt seccomp=unconfined), or use a kernel with Landlock (5.13 or later)"
    )]
    Denied(String),
    /// A sandbox failed to run a program.
    #[error("the sandbox failed: {0}")]
    Failed(String),
    /// A sandbox ended unexpectedly.
    #[error("the sandbox ended unexpectedly: {0}")]
    Lost(io::Error),
}
