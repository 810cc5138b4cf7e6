//! How a state ends ([`Halt`]), and why a path was left before its end ([`Incomplete`]).

use std::fmt;

use crate::{errors::Error, expr::ExprId, solver};

/// How a state ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Halt {
    /// The program exited with this code (8 bits).
    Exit(ExprId),
    /// `abort`, or a failed assertion.
    Abort,
    /// The program sent itself another signal, of this number, whose default action ends it.
    Signal(u8),
    /// An illegal instruction: `__builtin_trap`, or a check of UndefinedBehaviorSanitizer that
    /// failed (`-fsanitize-trap`).
    Trap(Option<Check>),
    /// An error that ends the path.
    Error(Error),
    /// The program runs forever: it came back to a state that it had been in before, or waits for
    /// something that never comes.
    Hang,
    /// `klee_silent_exit`: the program asks that this path be ignored.
    Silent,
    /// The input violates an assumption of these revisions that other revisions may not make.
    /// Nothing is said about what these revisions do on it.
    Outside,
    /// The input is malformed for what these revisions read, although other revisions may accept
    /// it. Nothing is said about what these revisions do on it.
    Malformed,
    /// The path was left because all its revisions have the same future: they have not differed so
    /// far, and no place at which they could differ can be reached any more.
    Unaffected,
    /// The path was left before its end, so its outcome is not known.
    Incomplete(Incomplete),
}

/// A check of UndefinedBehaviorSanitizer: its number in clang (`SanitizerHandler.h`).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Check(pub u8);

/// The names of the checks, ordered by number, as the symbols of UBSan's runtime spell them.
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
    /// The engine does not support what the program does.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The program calls a function of which neither code nor a model is known.
    #[error("unsupported: a call of {0}")]
    UnknownFunction(String),
    /// The solver could not decide whether the path is feasible.
    #[error("solver gave no answer")]
    Solver,
    /// The path reached its instruction limit (`budget.instructions`).
    #[error("instruction limit of a path (budget.instructions)")]
    Instructions,
    /// The time budget of the whole run was used up (`--time-budget`), or the run was interrupted.
    #[error("time budget")]
    Time,
    /// The engine panicked, which is a bug in the engine.
    #[error("internal error")]
    Panic,
}

impl Halt {
    /// Whether the program fails without choosing to, or never ends. Two revisions that fail in the
    /// same way need not be meant to do the same.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Error(_) | Self::Trap(_) | Self::Hang)
    }

    /// Whether the revisions exclude these inputs, so that nothing is said about them.
    pub fn is_excluded(&self) -> bool {
        matches!(self, Self::Outside | Self::Malformed)
    }

    /// Whether a program compiled without checks may continue after this halt, and so show more
    /// than the path says.
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
    /// Writes the kind of the halt as `states.csv` has it.
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
            Self::Malformed => f.write_str("malformed"),
            Self::Unaffected => f.write_str("unaffected"),
            Self::Incomplete(why) => write!(f, "incomplete ({why})"),
        }
    }
}
