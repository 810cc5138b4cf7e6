//! How a state ends.

use std::fmt;

use crate::{errors::Error, expr::ExprId, solver};

/// How a state ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Halt {
    /// The program ended by itself with this exit code (8 bits).
    Exit(ExprId),
    /// `abort`, a failed assertion.
    Abort,
    /// Another signal, which it sent itself and which ends a program that does nothing about it.
    Signal(u8),
    /// `__builtin_trap`, or a check of UndefinedBehaviorSanitizer (`-fsanitize-trap`) that
    /// found something: an illegal instruction.
    Trap(Option<Check>),
    /// An error that ends the path.
    Error(Error),
    /// It runs forever: it came back to exactly the state it had been in.
    Hang,
    /// `klee_silent_exit`: the program asks not to be looked at any further.
    Silent,
    /// An assumption that not all revisions make does not hold: they say nothing about these
    /// inputs.
    Outside,
    /// It was left where it has one future for all revisions: none of the places that differ can
    /// be reached any more, and none was before.
    Unaffected,
    /// The path was left before its end, so its outcome is not known.
    Incomplete(Incomplete),
}

/// A check of UndefinedBehaviorSanitizer, by its number in clang (`SanitizerHandler.h`).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Check(pub u8);

/// Names of the checks in the order of their numbers, as in the symbols of UBSan's runtime.
const CHECKS: [&str; 25] = [
    "add-overflow",
    "builtin-unreachable",
    "cfi-check-fail",
    "divrem-overflow",
    "dynamic-type-cache-miss",
    "float-cast-overflow",
    "function-type-mismatch",
    "implicit-conversion",
    "invalid-builtin",
    "invalid-objc-cast",
    "load-invalid-value",
    "missing-return",
    "mul-overflow",
    "negate-overflow",
    "nullability-arg",
    "nullability-return",
    "nonnull-arg",
    "nonnull-return",
    "out-of-bounds",
    "pointer-overflow",
    "shift-out-of-bounds",
    "sub-overflow",
    "type-mismatch",
    "alignment-assumption",
    "vla-bound-not-positive",
];

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match CHECKS.get(usize::from(self.0)) {
            Some(name) => f.write_str(name),
            None => write!(f, "check {}", self.0),
        }
    }
}

/// Why a path was left before its end.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, thiserror::Error)]
pub enum Incomplete {
    /// The engine cannot run this.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The solver could not decide whether the path is possible.
    #[error("solver gave no answer")]
    Solver,
    /// The path reached its limit of instructions (`budget.instructions`).
    #[error("instruction limit of a path")]
    Instructions,
    /// The time of the whole run was over (`--time-budget`), or it was interrupted.
    #[error("time budget")]
    Time,
    /// The engine has a mistake, and panicked.
    #[error("internal error")]
    Panic,
}

impl Halt {
    /// Whether the program ends by a failure that it did not choose, or never: two that do so
    /// alike need not be alike in what they were written to do.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Error(_) | Self::Trap(_) | Self::Hang)
    }

    /// Whether a program compiled without checks may go on from here, so that even the same code
    /// shows more than the path says.
    pub fn may_go_on(&self) -> bool {
        match self {
            Self::Error(error) => !matches!(error, Error::NullDereference | Error::DivisionByZero),
            _ => false,
        }
    }
}

impl From<solver::Unknown> for Incomplete {
    fn from(why: solver::Unknown) -> Self {
        match why {
            solver::Unknown::Interrupted => Self::Time,
            solver::Unknown::Timeout(_) | solver::Unknown::GaveUp => Self::Solver,
        }
    }
}

impl fmt::Display for Halt {
    /// The kind, as in `states.csv`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(_) => f.write_str("exit"),
            Self::Abort => f.write_str("abort"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::Trap(None) => f.write_str("trap"),
            Self::Trap(Some(check)) => write!(f, "trap ({check})"),
            Self::Error(error) => error.fmt(f),
            Self::Hang => f.write_str("hang"),
            Self::Silent => f.write_str("silent"),
            Self::Outside => f.write_str("outside"),
            Self::Unaffected => f.write_str("unaffected"),
            Self::Incomplete(why) => write!(f, "incomplete ({why})"),
        }
    }
}
