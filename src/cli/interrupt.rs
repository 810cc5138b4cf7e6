//! Ctrl-C and SIGTERM. A run that can write what it found is asked to end by the first of them;
//! otherwise, and at the second, the process ends at once, with the programs that it started.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::{
    events::{self, Message},
    exit::INTERRUPTED,
};
use crate::{child, interrupt::Interrupt};

static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);
/// Whether the run looks at [`INTERRUPT`].
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Whether the run is too early to have found anything to write.
static BUILDING: AtomicBool = AtomicBool::new(false);

/// Makes interrupts end this process and the programs that it runs.
#[allow(unsafe_code, reason = "ends the process at once")]
pub(super) fn install() {
    // If no handler can be set, interrupts end this process alone.
    _ = ctrlc::set_handler(|| {
        let is_first = INTERRUPT.set();
        if !is_first || !LISTENING.load(Ordering::SeqCst) {
            events::write(&Message::Failed { message: "interrupted" });
            INTERRUPT.force();
            thread::sleep(child::STOPPING);
            // SAFETY: `_exit` ends the process and does nothing else. Exit handlers would destroy
            // solvers that other threads are still using.
            unsafe { nix::libc::_exit(i32::from(INTERRUPTED)) };
        }
        if BUILDING.load(Ordering::SeqCst) {
            events::note("interrupted, nothing was found yet (again to stop at once)");
        } else {
            events::note("interrupted, writing what was found (again to stop at once)");
        }
    });
}

/// The token that interrupts set.
pub(super) fn token() -> Interrupt {
    INTERRUPT.clone()
}

/// Makes the first interrupt from now on only set the token, and returns that token.
pub(super) fn listen() -> Interrupt {
    LISTENING.store(true, Ordering::SeqCst);
    token()
}

/// Does what [`listen`] does, for a run that has nothing to write until [`note_built`] is called.
pub(super) fn listen_while_building() -> Interrupt {
    BUILDING.store(true, Ordering::SeqCst);
    listen()
}

/// Notes that the build is over: from now on there may be something to write.
pub(super) fn note_built() {
    BUILDING.store(false, Ordering::SeqCst);
}
