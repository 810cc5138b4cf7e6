//! Findings of sanitizers, in the coarse classes that they share with the engine's halts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::errors::Error;

/// Accesses below this address count as accesses through a null pointer (plus an offset).
const NULL_PAGE: u64 = 4096;

/// Reports with at least this many frames come from a recursion that used up the stack.
/// AddressSanitizer reports an access far beyond a local variable with the same words.
const DEEP: usize = 100;

/// The class of a memory error or of undefined behaviour.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub enum FindingKind {
    /// An error at which the engine halts too.
    Error(Error),
    /// A recursion that used up the stack.
    StackOverflow,
    /// Anything else that a sanitizer reports.
    Other,
}

impl From<Error> for FindingKind {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl fmt::Display for FindingKind {
    /// The text in the column `finding` of `outcomes.csv`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::StackOverflow => f.write_str("stack-overflow"),
            Self::Other => f.write_str("other"),
        }
    }
}

/// One report of a sanitizer.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// Its class, the only part that is compared.
    pub kind: FindingKind,
    /// The line of the report that says what happened, without addresses and process ids.
    pub detail: String,
}

impl Finding {
    /// Whether it reports only a signal of the processor.
    pub(super) fn is_crash(&self) -> bool {
        ["SEGV", "BUS", "FPE", "ILL"].iter().any(|signal| self.detail.starts_with(signal))
    }

    /// Reads the report of AddressSanitizer, UndefinedBehaviorSanitizer or MemorySanitizer
    /// (LLVM 19), as written to their `log_path`. `None` if there is none in the text.
    pub fn parse(report: &str) -> Option<Self> {
        let frames = report.lines().filter(|line| line.trim_start().starts_with('#')).count();
        report.lines().find_map(|line| {
            let (kind, what) = if let Some((_, what)) = line.split_once(": runtime error: ") {
                (undefined(what), what)
            } else if let Some((_, what)) = line.split_once("AddressSanitizer: ") {
                (address(what, frames), what)
            } else if let Some((_, what)) = line.split_once("MemorySanitizer: ") {
                let uninitialised = what.starts_with("use-of-uninitialized-value");
                (
                    if uninitialised {
                        FindingKind::Error(Error::UninitialisedRead)
                    } else {
                        signal(what)
                    },
                    what,
                )
            } else if let Some((_, what)) = line.split_once("UndefinedBehaviorSanitizer: ") {
                (signal(what), what)
            } else {
                return None;
            };
            Some(Self { kind, detail: without_addresses(what) })
        })
    }
}

fn undefined(what: &str) -> FindingKind {
    if what.contains("division by zero") {
        FindingKind::Error(Error::DivisionByZero)
    } else if what.contains("null pointer") {
        FindingKind::Error(Error::NullDereference)
    } else if what.contains("unreachable") || what.contains("without returning a value") {
        FindingKind::Error(Error::Unreachable)
    } else if what.contains("out of bounds") {
        FindingKind::Error(Error::OutOfBounds)
    } else {
        FindingKind::Other
    }
}

fn address(what: &str, frames: usize) -> FindingKind {
    let class = what.split_whitespace().next().unwrap_or_default();
    match class {
        "heap-use-after-free" | "stack-use-after-return" | "stack-use-after-scope" => {
            FindingKind::Error(Error::UseAfterFree)
        }
        // "attempting double-free on", "attempting free on address which was not malloc()-ed".
        "attempting" | "bad-free" | "alloc-dealloc-mismatch" => {
            FindingKind::Error(Error::DoubleFree)
        }
        "negative-size-param:" => FindingKind::Error(Error::OutOfBounds),
        "stack-overflow" if frames >= DEEP => FindingKind::StackOverflow,
        class if class.ends_with("-overflow") => FindingKind::Error(Error::OutOfBounds),
        class if class.ends_with("-underflow") => FindingKind::Error(Error::OutOfBounds),
        "unknown-crash" | "use-after-poison" => FindingKind::Error(Error::OutOfBounds),
        _ => signal(what),
    }
}

/// The class of a report of a deadly signal, which looks alike in all sanitizers.
fn signal(what: &str) -> FindingKind {
    let class = what.split_whitespace().next().unwrap_or_default();
    match class {
        "FPE" => FindingKind::Error(Error::DivisionByZero),
        "SEGV" | "BUS" => match fault_address(what) {
            Some(address) if address < NULL_PAGE => FindingKind::Error(Error::NullDereference),
            // The processor hides the address of a non-canonical access.
            _ => FindingKind::Error(Error::OutOfBounds),
        },
        _ => FindingKind::Other,
    }
}

/// The address in `SEGV on unknown address 0x000000000010 (pc ...)`; `None` where it is hidden.
fn fault_address(what: &str) -> Option<u64> {
    let (_, rest) = what.split_once("address 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

fn without_addresses(what: &str) -> String {
    let cut = ["address 0x", "(pc 0x", " 0x"].iter().filter_map(|mark| what.find(mark)).min();
    what[..cut.unwrap_or(what.len())].trim_end_matches([' ', ':', '(']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parsed(report: &str, kind: impl Into<FindingKind>, detail: &str) {
        let finding = Finding::parse(report).expect("a finding");
        assert_eq!((finding.kind, finding.detail.as_str()), (kind.into(), detail));
    }

    #[test]
    fn address_reports() {
        use Error::*;
        use FindingKind::StackOverflow;
        let report = |what: &str| format!("====\n==7==ERROR: AddressSanitizer: {what}\n#0 main\n");
        let heap = report("heap-buffer-overflow on address 0x502000000018 at pc 0x1 bp 0x2 sp 0x3");
        parsed(&heap, OutOfBounds, "heap-buffer-overflow on");
        let double = report("attempting double-free on 0x502000000010 in thread T0:");
        parsed(&double, DoubleFree, "attempting double-free on");
        let null = report("SEGV on unknown address 0x000000000010 (pc 0x55 bp 0x7 sp 0x7 T0)");
        parsed(&null, NullDereference, "SEGV on unknown");
        parsed(
            &report("SEGV on unknown address (pc 0x55 T0)"),
            OutOfBounds,
            "SEGV on unknown address",
        );
        let far = report("stack-overflow on address 0x7ffc (pc 0x5)");
        parsed(&far, OutOfBounds, "stack-overflow on");
        parsed(&(far + &"    #1 f\n".repeat(DEEP)), StackOverflow, "stack-overflow on");
        parsed(
            &report("FPE on unknown address 0x5555 (pc 0x55)"),
            DivisionByZero,
            "FPE on unknown",
        );
    }

    #[test]
    fn other_reports() {
        use Error::*;
        parsed("a.c:3:5: runtime error: division by zero\n", DivisionByZero, "division by zero");
        parsed(
            "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n",
            UninitialisedRead,
            "use-of-uninitialized-value",
        );
        assert_eq!(Finding::parse("all is well"), None);
    }
}
