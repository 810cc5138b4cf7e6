//! Ctrl-C: the first one asks the run to end, the second one ends it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::child;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Nothing can have been found yet that a run would have to write.
static BUILDING: AtomicBool = AtomicBool::new(false);

/// Turns true at the first Ctrl-C that is listened for.
pub(super) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Listens for Ctrl-C (and SIGTERM) from now on; the flag turns true at the first one.
pub(super) fn listen() -> &'static AtomicBool {
    // A second listener in one process cannot be set, and is not needed.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            // SAFETY: ends the process and nothing else. What usually runs at the end would take
            // the solvers away from the threads that are still in them.
            unsafe { nix::libc::_exit(i32::from(super::INTERRUPTED)) };
        }
        if BUILDING.load(Ordering::SeqCst) {
            child::stop_all();
            eprintln!("psychic: interrupted, nothing was found yet (again to stop at once)");
        } else {
            eprintln!("psychic: interrupted, writing what was found (again to stop at once)");
        }
    });
    &INTERRUPTED
}

/// Does what comes before anything can be found. An interrupt ends the programs that it started, and
/// then it has no result.
pub(super) fn unless_interrupted<T>(
    build: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    BUILDING.store(true, Ordering::SeqCst);
    let is_interrupted = || INTERRUPTED.load(Ordering::SeqCst);
    let built = (!is_interrupted()).then(build).transpose();
    BUILDING.store(false, Ordering::SeqCst);
    if is_interrupted() { Ok(None) } else { built }
}
