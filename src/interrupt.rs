//! The token that asks a run to end early.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

const ASKED: u8 = 1;
const FORCED: u8 = 2;

/// A token that asks a run to end; all clones are one token.
///
/// A run that is asked to end keeps what it has found so far.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Asks the run to end; this cannot be taken back. Returns whether this is the first request.
    pub fn set(&self) -> bool {
        self.0.fetch_max(ASKED, Ordering::SeqCst) == 0
    }

    /// Asks the run to end at once, with the programs that it started; this cannot be taken back.
    pub fn force(&self) {
        self.0.store(FORCED, Ordering::SeqCst);
    }

    /// Whether the run has been asked to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= ASKED
    }

    /// Whether the run has been asked to end at once.
    pub fn is_forced(&self) -> bool {
        self.0.load(Ordering::Relaxed) == FORCED
    }
}
