//! Ctrl-C: the first one asks the run to end, the second one ends it.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

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
        eprintln!("psychic: interrupted, writing what was found (again to stop at once)");
    });
    &INTERRUPTED
}
