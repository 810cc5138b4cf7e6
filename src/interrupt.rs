//! The token that asks a run to end early.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A token that asks a run to end; all clones are one token.
///
/// A run that is asked to end keeps what it has found so far.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to end; this cannot be taken back. Returns whether this is the first request.
    pub fn set(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }

    /// Whether the run has been asked to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
