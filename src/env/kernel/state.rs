//! What the operating system knows of a process.

use std::collections::BTreeMap;

use super::files::Files;
use crate::{expr::ExprId, memory::Value};

/// The time, in seconds since 1970.
pub(super) const SECONDS: u64 = 1_700_000_000;

/// What the operating system knows of the one process that there is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kernel {
    /// Files and directories, and what is open.
    pub files: Files,
    /// Actions for signals, four words each, by number.
    pub(super) actions: BTreeMap<u64, [Value; 4]>,
    /// Signals that are blocked, and those of them that were sent: signal n is bit n - 1.
    pub(super) blocked: u64,
    pub(super) pending: u64,
    /// Calls that asked for the time.
    pub(super) clock: u64,
    /// Random bytes given out.
    pub(super) random: u64,
    pub(super) umask: u64,
    /// Address that the segment register `fs` points to; 0 before anyone asked.
    pub(super) thread: u64,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            files: Files::default(),
            actions: BTreeMap::new(),
            blocked: 0,
            pending: 0,
            clock: 0,
            // The first sixteen are the auxiliary vector's.
            random: 16,
            umask: 0o022,
            thread: 0,
        }
    }
}

impl Kernel {
    /// Whether a byte of a file, or what is done at a signal, is an expression that satisfies a
    /// condition.
    pub fn depends(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        let of_signal = |value: &Value| matches!(value, Value::Expr(e) if is(*e));
        self.actions.values().flatten().any(of_signal) || self.files.any_symbolic(is)
    }

    /// Whether another one is the same but for files, and what calls have counted.
    pub fn differs_in_files_only(&self, other: &Self) -> bool {
        self.actions == other.actions
            && self.blocked == other.blocked
            && self.pending == other.pending
            && self.thread == other.thread
    }

    /// Whether the program has something of its own done when a signal comes.
    pub fn handles(&self, signal: u64) -> bool {
        // What it asks to be ignored ends it all the same where the processor raises it.
        let action = self.actions.get(&signal).map(|action| action[0]);
        !matches!(action, None | Some(Value::Int(0 | 1)))
    }
}
