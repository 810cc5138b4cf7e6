//! The state of the operating system ([`Kernel`]).

use std::collections::BTreeMap;

use super::files::Files;
use crate::{expr::ExprId, memory::Value, subject::Times};

/// What the operating system knows of the only process.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kernel {
    /// Files and directories, and what is open.
    pub files: Files,
    /// The actions for signals, by number: four words each, the first of which is the handler.
    pub(super) actions: BTreeMap<u64, [Value; 4]>,
    /// The set of the signals that are blocked: signal n is bit n - 1.
    pub(super) blocked: u64,
    /// The set of the blocked signals that were sent, with the same bits as `blocked`.
    pub(super) pending: u64,
    /// The time at the start, in seconds since 1970.
    pub start: Value,
    /// The number of calls that have asked for the time.
    pub(super) clock: u64,
    /// The number of random bytes given out.
    pub(super) random: u64,
    pub(super) umask: u64,
    /// The address that the segment register `fs` holds; 0 until someone sets it or asks for it.
    pub(super) thread: u64,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            files: Files::default(),
            actions: BTreeMap::new(),
            blocked: 0,
            pending: 0,
            start: Value::Int(*Times::default().clock.start()),
            clock: 0,
            // The auxiliary vector has the first sixteen (AT_RANDOM).
            random: 16,
            umask: 0o022,
            thread: 0,
        }
    }
}

impl Kernel {
    /// Whether a byte of a file, or a word of a signal action, is an expression that satisfies
    /// `is`.
    pub fn depends(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        let of_signal = |value: &Value| matches!(value, Value::Expr(e) if is(*e));
        self.actions.values().flatten().any(of_signal) || self.files.any_symbolic(is)
    }

    /// Whether two kernels differ only in files, in the umask, and in the counters of the clock and
    /// of random bytes.
    pub fn differs_in_files_only(&self, other: &Self) -> bool {
        self.actions == other.actions
            && self.blocked == other.blocked
            && self.pending == other.pending
            && self.thread == other.thread
    }

    /// Whether the program handles a signal with a function.
    pub fn handles(&self, signal: u64) -> bool {
        // A signal that the processor raises ends the program even if the program ignores it.
        let action = self.actions.get(&signal).map(|action| action[0]);
        !matches!(action, None | Some(Value::Int(0 | 1)))
    }
}
