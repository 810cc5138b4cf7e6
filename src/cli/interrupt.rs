//! Ctrl-C and SIGTERM: of a run that can leave what it found the first one asks it to end; everything else
//! ends at once, with the programs that it started.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use crate::child;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The run looks at [`INTERRUPTED`].
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Nothing can have been found yet that a run would have to write.
static BUILDING: AtomicBool = AtomicBool::new(false);

/// Turns true at the first Ctrl-C that is listened for.
pub(super) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Has interrupts end this process and the programs that it runs.
pub(super) fn install() {
    // Without a handler they end this process alone.
    _ = ctrlc::set_handler(|| {
        let is_first = !INTERRUPTED.swap(true, Ordering::SeqCst);
        if !is_first || !LISTENING.load(Ordering::SeqCst) {
            child::stop_all();
            thread::sleep(child::STOPPING);
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
}

/// Has the first interrupt from now on turn the flag true and do no more.
pub(super) fn listen() -> &'static AtomicBool {
    LISTENING.store(true, Ordering::SeqCst);
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
