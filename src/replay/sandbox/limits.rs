//! How programs are confined, and what they may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one run may use.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct RunLimits {
    /// Processor time. A run that uses less is stopped after five times as much real time.
    pub time: Duration,
    /// The most bytes of each of stdout and stderr.
    pub output: u64,
    /// The most bytes of all files together (with [`Isolation::Landlock`]: of each file).
    pub files: u64,
    /// The most bytes of address space; not enforced under a sanitizer.
    pub memory: u64,
    /// The most processes and threads besides the first one.
    pub processes: u32,
}

impl Default for RunLimits {
    /// A second, 1 MiB of output, 16 MiB of files, 2 GiB of memory, 32 processes.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(1),
            output: 1 << 20,
            files: 16 << 20,
            memory: 2 << 30,
            processes: 32,
        }
    }
}

/// The means by which programs are confined.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Isolation {
    /// Namespaces: programs see nothing but themselves and the system's own files.
    Namespaces,
    /// Landlock and seccomp, where namespaces are denied: programs see the host's files but can
    /// neither write to them nor use the network. Weaker: files are limited in size one by one,
    /// and before Linux 6.12 processes of the same user can be signalled.
    Landlock,
}

impl std::fmt::Display for Isolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "Landlock and seccomp (namespaces are denied here)",
        })
    }
}
