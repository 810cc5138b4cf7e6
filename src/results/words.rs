//! Columns that hold one of a few words.

use super::cell::Cell;

/// Declares an enumeration whose values are written to cells, and to JSON, as words.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$value_doc:meta])* $value:ident = $word:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[derive(serde::Deserialize, serde::Serialize)]
        pub enum $name {
            $($(#[$value_doc])* #[serde(rename = $word)] $value,)*
        }

        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$value),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self {
                    $(Self::$value => $word,)*
                })
            }
        }

        impl Cell for $name {
            fn write(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Result<Self, String> {
                match text.trim() {
                    $($word => Ok(Self::$value),)*
                    _ => Err(format!("one of {}", [$($word),*].join(", "))),
                }
            }
        }
    };
}

words! {
    /// Whether a patch takes part.
    Status {
        /// The patch is a revision of the meta program.
        Merged = "merged",
        /// The patch takes part only as its own compilation: the meta program cannot have it, for
        /// the reason in [`RevisionRow::reason`](super::RevisionRow::reason).
        Own = "own",
        /// The patch does not take part, for the reason in
        /// [`RevisionRow::reason`](super::RevisionRow::reason).
        Rejected = "rejected",
    }
}

impl Status {
    /// Whether the patch is a revision that is compared with the others.
    pub fn takes_part(self) -> bool {
        self != Self::Rejected
    }
}

words! {
    /// How the comparison of a subject of a campaign ended.
    Ended {
        /// Every pair is decided.
        Decided = "decided",
        /// Some pair is unknown, or a replay contradicts the engine.
        Undecided = "undecided",
        /// Nothing could be done.
        Failed = "failed",
        /// The campaign was interrupted.
        Interrupted = "interrupted",
    }
}

impl Ended {
    /// Whether another run with the same inputs would tell nothing new.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Decided | Self::Undecided)
    }
}

words! {
    /// Where the input of a test comes from.
    FoundBy {
        /// It is a solution of the path condition of one halt state.
        Path = "path",
        /// It is a solution of the query that asks for two halt states to differ.
        Pair = "pair",
        /// The subject gives it (`[tests]`).
        Given = "given",
        /// An earlier run left it.
        Seed = "seed",
        /// It has usual values in place of those of a known path; native runs or predictions showed
        /// a difference.
        Trial = "trial",
        /// Revisions go different ways through the code on it.
        Divergence = "divergence",
        /// It takes a path of its own through the changes of a patch.
        Sequence = "sequence",
    }
}

impl FoundBy {
    /// Whether the input runs on every revision even if that would tell nothing new.
    pub fn is_asked_for(self) -> bool {
        matches!(self, Self::Given | Self::Seed) || self.is_of_code()
    }

    /// Whether the input is a test because of the code that it runs, whatever that shows.
    pub fn is_of_code(self) -> bool {
        matches!(self, Self::Divergence | Self::Sequence)
    }
}

words! {
    /// How a divergence was found.
    Phase {
        /// On the path of a given test.
        Concolic = "concolic",
        /// On a path behind a divergence.
        Bounded = "bounded",
        /// By exploring without tests.
        Symbolic = "symbolic",
    }
}

words! {
    /// What a divergence shows natively.
    Shown {
        /// Only the new revision fails.
        Regression = "regression",
        /// Only the old revision fails.
        Fix = "fix",
        /// The outcomes differ, and nothing says which is right.
        Output = "output",
        /// The outcomes differ, and a later revision behaves like the new one.
        Expected = "expected",
        /// The outcomes differ, and a later revision does not behave like the new one.
        Unwanted = "unwanted",
        /// The outcomes are the same.
        Inside = "inside",
        /// There is no outcome that counts.
        Unknown = "unknown",
    }
}

words! {
    /// What a node of a change sequence graph is.
    NodeKind {
        /// The beginning of the program.
        Root = "root",
        /// A change.
        Change = "change",
        /// A place that depends on several changes and is not a change itself.
        Interaction = "interaction",
        /// A place where the program shows something or ends.
        Output = "output",
    }
}

words! {
    /// An error that a patch introduces (Böhme, Oliveira and Roychoudhury, 2013, section 3).
    Introduced {
        /// The original is right, and the patched program is not.
        Regression = "regression",
        /// The patched program is wrong, in another way than the original.
        Differential = "differential",
    }
}

words! {
    /// What is known about two revisions.
    Verdict {
        /// The two have different outcomes on a test that was replayed natively.
        Distinguished = "distinguished",
        /// The two are proved equivalent as seen from outside, but a test shows that a function
        /// returns or leaves something else (`[outputs] functions`).
        Internal = "internal",
        /// The two are proved to behave the same within the stated bounds.
        Equivalent = "equivalent",
        /// The two are proved to behave the same wherever neither fails; where they fail, they fail
        /// alike.
        EquivalentUnlessFailing = "equivalent-unless-failing",
        /// Nothing is shown or proved, for the reason in
        /// [`PairRow::reason`](super::PairRow::reason).
        Unknown = "unknown",
    }
}

words! {
    /// Why a pair is `unknown`. These words are stable; the texts in
    /// [`PairRow::reason`](super::PairRow::reason) may change.
    Code {
        /// The engine cannot run something.
        Unsupported = "unsupported",
        /// The program calls a function of which neither code nor a model is known.
        UnknownFunction = "unknown-function",
        /// The solver gave no answer.
        Solver = "solver",
        /// A path reached the limit of instructions.
        Instructions = "instructions",
        /// The time of the run was over, or the run was interrupted.
        Time = "time",
        /// The engine made a mistake.
        InternalError = "internal-error",
        /// An address was used as a number, or shown.
        Address = "address",
        /// The program called a function of the engine that answers differently in native runs.
        EngineCall = "engine-call",
        /// The program made a system call without a model.
        SystemCall = "system-call",
        /// The value of a C library function matters, but was taken to be any value.
        Function = "function",
        /// An error raised a signal for which the program has a handler.
        Caught = "caught",
        /// An output has bytes that were never written.
        UninitialisedOutput = "uninitialised-output",
        /// A function leaves a pointer to memory that is not the program's.
        UnreadableOutput = "unreadable-output",
        /// A decision depends on memory that was never written: with `uninitialised = "any"`, or on
        /// inputs that cannot be told from others.
        UninitialisedDecision = "uninitialised-decision",
        /// A function does not return the result that it promises.
        NoResult = "no-result",
        /// The program asked not to be explored any further.
        Silent = "silent",
        /// An assumption of one revision excludes inputs that another revision accepts.
        Outside = "outside",
        /// The two revisions read their input in different ways.
        Reads = "reads",
        /// Printed texts cannot be compared exactly.
        Texts = "texts",
        /// No native run showed a predicted difference.
        NotReplayed = "not-replayed",
        /// The solver did not find again a difference that it had found.
        ModelLost = "model-lost",
        /// A native run did not show what was predicted.
        Contradicted = "contradicted",
        /// A native run used memory that was never written.
        UninitialisedRun = "uninitialised-run",
        /// A native run was stopped without being proved endless.
        Stopped = "stopped",
        /// An assumption ended a native run.
        Assumption = "assumption",
        /// Native runs of one test differ.
        Unstable = "unstable",
        /// Not every path was followed to its end.
        NotExhausted = "not-exhausted",
        /// The halt states do not cover everything that a revision does.
        StateLost = "state-lost",
        /// No refutation is on record for two halt states that may overlap.
        RefutationLost = "refutation-lost",
    }
}

impl Cell for Vec<Code> {
    /// The codes with `; ` between them.
    fn write(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    fn read(text: &str) -> Result<Self, String> {
        text.split(';').map(str::trim).filter(|t| !t.is_empty()).map(Cell::read).collect()
    }
}
