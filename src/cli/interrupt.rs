//! Ctrl-C and SIGTERM: of a run that can leave what it found the first one asks it to end; everything else
//! ends at once, with the programs that it started.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crate::{child, interrupt::Interrupt};

static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);
/// The run looks at [`INTERRUPT`].
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Nothing can have been found yet that a run would have to write.
static BUILDING: AtomicBool = AtomicBool::new(false);

/// Has interrupts end this process and the programs that it runs.
#[allow(unsafe_code, reason = "ends the process at once")]
pub(super) fn install() {
    // Without a handler they end this process alone.
    _ = ctrlc::set_handler(|| {
        let is_first = INTERRUPT.set();
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

/// Has the first interrupt from now on set a token and do no more.
pub(super) fn listen() -> Interrupt {
    LISTENING.store(true, Ordering::SeqCst);
    INTERRUPT.clone()
}

/// As [`listen`], but until something can be found ([`is_built`]) an interrupt ends the programs that
/// were started.
pub(super) fn listen_while_building() -> Interrupt {
    BUILDING.store(true, Ordering::SeqCst);
    listen()
}

/// From now on something can be found.
pub(super) fn is_built() {
    BUILDING.store(false, Ordering::SeqCst);
}
