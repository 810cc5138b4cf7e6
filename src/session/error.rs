//! Why a run has no findings.

/// Why a run has no findings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run was asked to end before it could find anything.
    #[error("interrupted before anything was found")]
    Interrupted,
    /// Something is wrong with the subject, or with what a run needs. The message says what is
    /// wrong, where, and what to do about it.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}
