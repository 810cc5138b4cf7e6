//! Asking a run to come to its end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A token by which a run is asked to end; clones are the same token.
///
/// What was found until then is kept.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks for the end, for good. Whether this is the first time.
    pub fn set(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }

    /// Whether somebody has asked for the end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
