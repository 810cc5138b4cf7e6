//! Why a pair is `unknown`: a type with a stable code, from which the text for people is made.

use std::fmt;

use crate::{
    env::{Approximation, Halt, Incomplete},
    exec::HaltState,
    results::Code,
    solver,
};

/// Something that stands in the way of a verdict.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Reason {
    /// A path was left before its end.
    Incomplete(Incomplete),
    /// Something on a path was not followed exactly.
    Approximated(Approximation),
    /// The solver gave no answer about two halt states.
    Solver(solver::Unknown),
    /// A patch removed a result that a function promises, so an optimiser may assume anything about
    /// it.
    NoResult,
    /// The program asked not to be explored any further (`klee_silent_exit`).
    Silent,
    /// An assumption of one revision excludes inputs that another revision accepts.
    Outside,
    /// The revisions read their input in different ways: one reads a number where the other reads a
    /// word.
    Reads,
    /// Numbers in the printed texts can run into each other in too many ways to compare exactly.
    Texts,
    /// The solver found an input, but no native run showed a difference.
    NotReplayed,
    /// The solver found a difference, but then gave no input for it.
    ModelLost,
    /// A native run differed from its prediction.
    Contradicted,
    /// The outcome of a native run depends on memory that was never written.
    UninitialisedRun,
    /// A native run was stopped and not proved to be endless.
    Stopped,
    /// An assumption ended a native run.
    Assumption,
    /// Two native runs of the same test and revision differ.
    Unstable,
    /// Not every path was followed to its end.
    NotExhausted,
    /// The halt states do not cover all inputs of a revision.
    StateLost,
    /// No refutation is on record for two halt states that may overlap.
    RefutationLost,
}

impl Reason {
    /// The code of the reason in `pairs.csv`.
    pub fn code(&self) -> Code {
        match self {
            Self::Incomplete(Incomplete::Unsupported(_)) => Code::Unsupported,
            Self::Incomplete(Incomplete::UnknownFunction(_)) => Code::UnknownFunction,
            Self::Incomplete(Incomplete::Solver) => Code::Solver,
            Self::Incomplete(Incomplete::Instructions) => Code::Instructions,
            Self::Incomplete(Incomplete::Time) | Self::Solver(solver::Unknown::Interrupted) => {
                Code::Time
            }
            Self::Incomplete(Incomplete::Panic) => Code::InternalError,
            Self::Solver(solver::Unknown::Timeout(_) | solver::Unknown::GaveUp) => Code::Solver,
            Self::Approximated(Approximation::AddressAsNumber(_) | Approximation::AddressShown) => {
                Code::Address
            }
            Self::Approximated(Approximation::EngineCall(_)) => Code::EngineCall,
            Self::Approximated(Approximation::SystemCall(_)) => Code::SystemCall,
            Self::Approximated(Approximation::Destructors) => Code::Unsupported,
            Self::Approximated(Approximation::Caught(_)) => Code::Caught,
            Self::Approximated(Approximation::UninitialisedDecision) => Code::UninitialisedDecision,
            Self::Approximated(Approximation::UninitialisedOutput(_)) => Code::UninitialisedOutput,
            Self::Approximated(Approximation::UnreadableOutput(_)) => Code::UnreadableOutput,
            Self::Approximated(Approximation::NoResult) => Code::NoResult,
            Self::Approximated(Approximation::Function(_)) => Code::Function,
            Self::NoResult => Code::NoResult,
            Self::Silent => Code::Silent,
            Self::Outside => Code::Outside,
            Self::Reads => Code::Reads,
            Self::Texts => Code::Texts,
            Self::NotReplayed => Code::NotReplayed,
            Self::ModelLost => Code::ModelLost,
            Self::Contradicted => Code::Contradicted,
            Self::UninitialisedRun => Code::UninitialisedRun,
            Self::Stopped => Code::Stopped,
            Self::Assumption => Code::Assumption,
            Self::Unstable => Code::Unstable,
            Self::NotExhausted => Code::NotExhausted,
            Self::StateLost => Code::StateLost,
            Self::RefutationLost => Code::RefutationLost,
        }
    }

    /// Whether the reason is only about the exploration. Then a proof that does not rest on
    /// exploration is not affected.
    pub(super) fn is_of_exploration(&self) -> bool {
        matches!(
            self,
            Self::Incomplete(
                Incomplete::Unsupported(_)
                    | Incomplete::UnknownFunction(_)
                    | Incomplete::Solver
                    | Incomplete::Instructions
                    | Incomplete::Time
            ) | Self::Solver(_)
                | Self::Texts
                | Self::NotExhausted
                | Self::StateLost
                | Self::RefutationLost
        )
    }

    /// Why nothing can be proved from a halt state; empty if something can.
    pub(super) fn of_state(state: &HaltState) -> Vec<Self> {
        match &state.halt {
            Halt::Incomplete(why) => vec![Self::Incomplete(why.clone())],
            Halt::Silent => vec![Self::Silent],
            Halt::Outside | Halt::Malformed => vec![Self::Outside],
            Halt::Exit(_)
            | Halt::Abort
            | Halt::Signal(_)
            | Halt::Trap(_)
            | Halt::Error(_)
            | Halt::Hang
            | Halt::Unaffected => {
                state.world.approximations.iter().cloned().map(Self::Approximated).collect()
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Incomplete(why) => return why.fmt(f),
            Self::Approximated(what) => return what.fmt(f),
            Self::Solver(why) => return why.fmt(f),
            Self::NoResult => "a function of one revision does not return the result it promises",
            Self::Silent => "klee_silent_exit",
            Self::Outside => "an assumption of one revision excludes inputs that another accepts",
            Self::Reads => "they read their input in different ways",
            Self::Texts => "the texts printed cannot be compared exactly",
            Self::NotReplayed => "a predicted difference was not replayed",
            Self::ModelLost => "the solver lost the difference it had found",
            Self::Contradicted => "a native run contradicts the engine",
            Self::UninitialisedRun => "a native run used memory that was never written",
            Self::Stopped => "a native run was stopped that was not proved endless",
            Self::Assumption => "an assumption does not hold in a native run",
            Self::Unstable => "two native runs of one test differ",
            Self::NotExhausted => "not every path was followed to its end",
            Self::StateLost => "the halt states do not cover every input",
            Self::RefutationLost => "no refutation of two halt states is on record",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{env::Check, errors::Error};

    /// The words in backquotes in the first column of the table that follows `before`.
    fn table_after(text: &str, before: &str) -> BTreeSet<String> {
        let (_, rest) = text.split_once(before).expect("the documentation has it");
        let rows = rest.lines().skip_while(|line| !line.starts_with('|'));
        let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
        rows.flat_map(|row| {
            let first = row.split('|').nth(1).expect("a column");
            first.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
    }

    #[test]
    fn every_code_is_in_the_documentation_and_no_other() {
        let codes: BTreeSet<String> = Code::ALL.iter().map(ToString::to_string).collect();
        let formats = include_str!("../../docs/formats.md");
        assert_eq!(table_after(formats, "### Codes of pairs.csv"), codes);
        let soundness = include_str!("../../docs/soundness.md");
        assert_eq!(table_after(soundness, "## `unknown`"), codes);
    }

    /// One halt of each kind. A new kind does not compile before it is added here.
    fn halts() -> Vec<Halt> {
        let exit = crate::expr::Exprs::new().constant(8, 0);
        let mut all = vec![Halt::Exit(exit)];
        loop {
            all.push(match all.last().expect("one at least") {
                Halt::Exit(_) => Halt::Abort,
                Halt::Abort => Halt::Signal(15),
                Halt::Signal(_) => Halt::Trap(Some(Check(0))),
                Halt::Trap(_) => Halt::Error(Error::OutOfBounds),
                Halt::Error(Error::OutOfBounds) => Halt::Error(Error::UseAfterFree),
                Halt::Error(Error::UseAfterFree) => Halt::Error(Error::DoubleFree),
                Halt::Error(Error::DoubleFree) => Halt::Error(Error::NullDereference),
                Halt::Error(Error::NullDereference) => Halt::Error(Error::DivisionByZero),
                Halt::Error(Error::DivisionByZero) => Halt::Error(Error::Unreachable),
                Halt::Error(Error::Unreachable) => Halt::Error(Error::UninitialisedRead),
                Halt::Error(Error::UninitialisedRead) => Halt::Hang,
                Halt::Hang => Halt::Silent,
                Halt::Silent => Halt::Outside,
                Halt::Outside => Halt::Malformed,
                Halt::Malformed => Halt::Unaffected,
                Halt::Unaffected => Halt::Incomplete(Incomplete::Time),
                Halt::Incomplete(_) => return all,
            });
        }
    }

    #[test]
    fn every_halt_is_in_the_documentation_and_no_other() {
        // The documentation has `signal N` for `signal 15`: the kind is the first word.
        let kind = |text: &str| text.split(' ').next().expect("a word").to_owned();
        let known: BTreeSet<String> = halts().iter().map(|halt| kind(&halt.to_string())).collect();
        let formats = include_str!("../../docs/formats.md");
        let listed = table_after(formats, "### Halts of states.csv");
        assert_eq!(listed.iter().map(|text| kind(text)).collect::<BTreeSet<_>>(), known);
    }
}
