//! The columns of every CSV file. Columns are only ever added, at the end.

use super::{Cell, StateId, TestId, table::table};
use crate::subject::{Revision, RevisionSet};

/// Declares an enumeration whose values stand in cells as words.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$value_doc:meta])* $value:ident = $word:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $name {
            $($(#[$value_doc])* $value,)*
        }

        impl $name {
            /// All of them, in the order of their declaration.
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
        /// It is a revision of the meta program.
        Merged = "merged",
        /// It takes part as its own compilation alone: the meta program cannot have it, for the
        /// reason that stands beside.
        Own = "own",
        /// It does not take part, for the reason that stands beside.
        Rejected = "rejected",
    }
}

words! {
    /// Where the input of a test comes from.
    FoundBy {
        /// A solution of the path condition of one halt state.
        Path = "path",
        /// A solution of the query that asks for two halt states to differ.
        Pair = "pair",
        /// It was given with the subject (`[tests]`).
        Given = "given",
        /// An earlier run left it.
        Seed = "seed",
        /// A variant of a known path's input that native runs chose.
        Trial = "trial",
    }
}

words! {
    /// What is known about two revisions.
    Verdict {
        /// A test, replayed natively, has different outcomes.
        Distinguished = "distinguished",
        /// They differ in a value that was declared an output, but nothing that a person could
        /// see of a native run does.
        Internal = "internal",
        /// Proved to behave the same within the stated bounds.
        Equivalent = "equivalent",
        /// Proved to behave the same wherever neither fails; where they fail, they fail alike.
        EquivalentUnlessFailing = "equivalent-unless-failing",
        /// Neither; the reason stands beside.
        Unknown = "unknown",
    }
}

words! {
    /// Why a pair is `unknown`. These words stay; the text beside them may change.
    Code {
        /// Something that the engine cannot run.
        Unsupported = "unsupported",
        /// The solver gave no answer.
        Solver = "solver",
        /// The limit of instructions of a path.
        Instructions = "instructions",
        /// The time of the run was over, or it was interrupted.
        Time = "time",
        /// A mistake of the engine.
        InternalError = "internal-error",
        /// An address was used as a number, or shown.
        Address = "address",
        /// A function of the engine that tells native runs something else.
        EngineCall = "engine-call",
        /// A system call without a model.
        SystemCall = "system-call",
        /// The value of a function of the C library matters, which was taken for any.
        Function = "function",
        /// An error of which the processor tells the program, which has a handler for the signal.
        Caught = "caught",
        /// An output with bytes that were never written.
        UninitialisedOutput = "uninitialised-output",
        /// With `uninitialised = "any"`, something is decided by memory that was never written.
        UninitialisedDecision = "uninitialised-decision",
        /// A function of an optimised program lost its result.
        NoResult = "no-result",
        /// The program asked not to be looked at.
        Silent = "silent",
        /// Inputs that an assumption of one revision leaves out, and another one takes.
        Outside = "outside",
        /// Input read in different ways.
        Reads = "reads",
        /// Texts that cannot be compared exactly.
        Texts = "texts",
        /// A predicted difference that no native run showed.
        NotReplayed = "not-replayed",
        /// The solver did not find the difference again that it had found.
        ModelLost = "model-lost",
        /// A native run showed something else than predicted.
        Contradicted = "contradicted",
        /// A native run used what was never written.
        UninitialisedRun = "uninitialised-run",
        /// A native run was stopped of which nobody had proved that it never ends.
        Stopped = "stopped",
        /// A native run that an assumption ended.
        Assumption = "assumption",
        /// Native runs of one test that differ.
        Unstable = "unstable",
        /// Not every path was followed to its end.
        NotExhausted = "not-exhausted",
        /// The halt states do not cover all that a revision does.
        StateLost = "state-lost",
        /// Two halt states that may overlap, of which nothing is on record.
        RefutationLost = "refutation-lost",
    }
}

table! {
    /// `revisions.csv`: the patches and what became of them. Revision 0, the original, is the
    /// first row.
    RevisionRow in "revisions.csv" {
        /// Its number.
        revision: Revision,
        /// File of the patch, relative to the subject's directory; empty for the original.
        patch: String,
        /// Whether it takes part.
        status: Status,
        /// Why it is not in the meta program; empty when merged.
        reason: String,
        /// Hunks of the diff.
        hunks: u32,
        /// Arms of meta branches that are its own or that it shares.
        arms: u32,
    } since {
        /// Functions and variables that enter the explored program as its own, because the meta
        /// program is not what its own compilation is there.
        own: u32,
    }
}

table! {
    /// `states.csv`: the halt states.
    StateRow in "states.csv" {
        /// Its number.
        state: StateId,
        /// The revisions it stands for, with spaces between.
        revisions: RevisionSet,
        /// How it ended.
        halt: String,
        /// Where: `file.c:line`.
        location: String,
        /// Symbolic branches taken on its path.
        depth: u32,
        /// What was not followed exactly, with `; ` between; empty if everything was.
        approximations: Vec<String>,
    } since {
        /// Errors that it went on after, with `; ` between.
        findings: Vec<String>,
    }
}

table! {
    /// `tests.csv`: the differential tests.
    TestRow in "tests.csv" {
        /// Its number.
        test: TestId,
        /// Where its input comes from.
        found_by: FoundBy,
        /// Number of different outcomes.
        clusters: u32,
        /// Bytes of the input.
        size: u64,
        /// Whether the native replay did not show the difference that was predicted.
        mismatch: bool,
    }
}

table! {
    /// `outcomes.csv`: what every revision did on every test.
    OutcomeRow in "outcomes.csv" {
        /// The test.
        test: TestId,
        /// The revision.
        revision: Revision,
        /// The smallest revision with the same outcome on the test.
        cluster: Revision,
        /// Exit code; nothing when a signal ended it.
        exit: Option<i32>,
        /// Number of the signal that ended it.
        signal: Option<i32>,
        /// SHA-256 of standard output, in hexadecimal.
        stdout_sha256: String,
        /// SHA-256 of standard error, in hexadecimal.
        stderr_sha256: String,
        /// SHA-256 over the output files, in hexadecimal.
        files_sha256: String,
        /// What a sanitizer said; empty if nothing.
        finding: String,
    }
}

table! {
    /// `clusters.csv`: the clustering of the revisions that every test induces.
    ClusterRow in "clusters.csv" {
        /// The test.
        test: TestId,
        /// The revision.
        revision: Revision,
        /// The smallest revision with the same outcome on the test.
        cluster: Revision,
    }
}

table! {
    /// `pairs.csv`: what is known about every two revisions.
    PairRow in "pairs.csv" {
        /// The smaller revision.
        a: Revision,
        /// The larger revision.
        b: Revision,
        /// What is known.
        verdict: Verdict,
        /// The first test that tells them apart.
        test: Option<TestId>,
        /// The output in which they differ.
        output: String,
        /// Why nothing is known, or under which bounds they are equivalent.
        reason: String,
    } since {
        /// What `reason` says of a pair of which nothing is known, with `; ` between.
        code: Vec<Code>,
    }
}

table! {
    /// `summary.csv`: one row about the whole run.
    SummaryRow in "summary.csv" {
        /// Name of the subject.
        subject: String,
        /// Revisions in the meta program, the original included.
        revisions: u32,
        /// Patches that could not be merged.
        rejected: u32,
        /// Differential tests.
        tests: u32,
        /// Classes of revisions that no test tells apart.
        classes: u32,
        /// Height of the decision tree.
        height: u32,
        /// No decision tree over these tests is lower than this.
        lower_bound: u32,
        /// Pairs told apart.
        distinguished: u64,
        /// Pairs that differ only inside.
        internal: u64,
        /// Pairs proved equivalent on every input.
        equivalent: u64,
        /// Pairs about which nothing is known.
        unknown: u64,
        /// Tests whose replay did not show the predicted difference.
        mismatches: u32,
        /// Halt states.
        paths: u64,
        /// Instructions executed symbolically.
        instructions: u64,
        /// Queries to the solver.
        queries: u64,
        /// Wall-clock seconds.
        seconds: f64,
        /// Largest resident memory, in MiB.
        peak_mb: u64,
    } since {
        /// Pairs proved equivalent wherever neither fails; they are not among `equivalent`.
        equivalent_unless_failing: u64,
    }
}

table! {
    /// `ranges.csv`: the values of scalar inputs in each region in which every revision takes
    /// one path.
    RangeRow in "ranges.csv" {
        /// Number of the region.
        cell: u32,
        /// A test that clusters the revisions as all of the region does; none where all agree.
        test: Option<TestId>,
        /// Name of the input.
        input: String,
        /// Its least value in the region.
        low: i64,
        /// Its largest value in the region.
        high: i64,
    }
}

table! {
    /// `stats.csv`: where the time went.
    StatsRow in "stats.csv" {
        /// Name of the phase.
        phase: String,
        /// How often it ran.
        count: u64,
        /// Seconds spent in it, summed over the workers.
        seconds: f64,
        /// Answers found in a cache.
        cache_hits: u64,
        /// Answers that had to be computed.
        cache_misses: u64,
    }
}

impl StatsRow {
    /// A phase that asks no cache.
    pub fn timed(phase: &str, count: u64, time: std::time::Duration) -> Self {
        let (phase, seconds) = (phase.to_owned(), time.as_secs_f64());
        Self { phase, count, seconds, cache_hits: 0, cache_misses: 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::results::{Table, read_table, write_table};

    fn round_trip<T: Table>(rows: &[T]) -> (String, Vec<T>) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(T::FILE);
        write_table(&path, rows).unwrap();
        (std::fs::read_to_string(&path).unwrap(), read_table(&path).unwrap())
    }

    fn reading<T: Table>(text: &str) -> Result<Vec<T>, String> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(T::FILE);
        std::fs::write(&path, text).unwrap();
        read_table(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_those_of_the_design() {
        assert_eq!(
            RevisionRow::COLUMNS.join(", "),
            "revision, patch, status, reason, hunks, arms, own"
        );
        assert_eq!(
            StateRow::COLUMNS.join(", "),
            "state, revisions, halt, location, depth, approximations, findings"
        );
        assert_eq!(TestRow::COLUMNS.join(", "), "test, found_by, clusters, size, mismatch");
        assert_eq!(
            OutcomeRow::COLUMNS.join(", "),
            "test, revision, cluster, exit, signal, stdout_sha256, stderr_sha256, files_sha256, \
             finding"
        );
        assert_eq!(ClusterRow::COLUMNS.join(", "), "test, revision, cluster");
        assert_eq!(PairRow::COLUMNS.join(", "), "a, b, verdict, test, output, reason, code");
        assert_eq!(
            SummaryRow::COLUMNS.join(", "),
            "subject, revisions, rejected, tests, classes, height, lower_bound, distinguished, \
             internal, equivalent, unknown, mismatches, paths, instructions, queries, seconds, \
             peak_mb, equivalent_unless_failing"
        );
        assert_eq!(StatsRow::COLUMNS.join(", "), "phase, count, seconds, cache_hits, cache_misses");
    }

    #[test]
    fn cells_are_quoted_as_rfc_4180_has_it() {
        let row = PairRow {
            a: Revision(0),
            b: Revision(3),
            verdict: Verdict::Unknown,
            test: None,
            output: "x, y".into(),
            reason: "said \"no\"\nand stopped".into(),
            code: vec![Code::Solver, Code::Time],
        };
        let (text, back) = round_trip(std::slice::from_ref(&row));
        assert_eq!(
            text,
            "a,b,verdict,test,output,reason,code\n0,3,unknown,,\"x, y\",\"said \"\"no\"\"\nand \
             stopped\",solver; time\n"
        );
        assert_eq!(back, [row]);
    }

    #[test]
    fn a_table_without_rows_still_has_its_header() {
        let (text, back) = round_trip::<ClusterRow>(&[]);
        assert_eq!(text, "test,revision,cluster\n");
        assert!(back.is_empty());
    }

    #[test]
    fn files_of_other_tools_are_read() {
        let rows = reading::<ClusterRow>("\u{feff}test,revision,cluster,note\r\n1,2,0,hello\r\n");
        let row = ClusterRow { test: TestId(1), revision: Revision(2), cluster: Revision(0) };
        assert_eq!(rows, Ok(vec![row.clone()]));
        assert_eq!(reading::<ClusterRow>("cluster,test,revision\n0,1,2\n"), Ok(vec![row]));
    }

    #[test]
    fn a_missing_column_is_named() {
        let message = reading::<ClusterRow>("test,revision\n1,2\n").unwrap_err();
        assert!(message.contains("clusters.csv: no column `cluster`"), "{message}");
    }

    #[test]
    fn files_from_before_a_column_was_added_are_read() {
        let rows = reading::<PairRow>("a,b,verdict,test,output,reason\n0,1,unknown,,,late\n");
        assert_eq!(rows.map(|rows| rows[0].code.clone()), Ok(vec![]));
    }

    #[test]
    fn a_bad_value_is_named_with_line_and_column() {
        let message =
            reading::<PairRow>("a,b,verdict,test,output,reason\n0,1,equivalent,,,\n0,2,maybe,,,\n")
                .unwrap_err();
        assert!(
            message.contains("pairs.csv:3: column `verdict`: `maybe` is not one of distinguished"),
            "{message}"
        );
        let short = reading::<ClusterRow>("test,revision,cluster\n1,2\n").unwrap_err();
        assert!(short.contains("clusters.csv:2: column `cluster`: ``"), "{short}");
    }

    proptest! {
        #[test]
        fn outcomes_read_back(test in 0u32..9, revision in 0u32..200, exit in any::<Option<i32>>(),
                              finding in "[ -~\n]*") {
            let row = OutcomeRow {
                test: TestId(test),
                revision: Revision(revision),
                cluster: Revision(0),
                exit,
                signal: exit.is_none().then_some(11),
                stdout_sha256: "ab".into(),
                stderr_sha256: String::new(),
                files_sha256: String::new(),
                finding,
            };
            prop_assert_eq!(round_trip(std::slice::from_ref(&row)).1, [row]);
        }

        #[test]
        fn states_read_back(revisions in prop::collection::btree_set(0u32..200, 0..9),
                            approximations in prop::collection::vec("[a-z]{1,8}", 0..4)) {
            let row = StateRow {
                state: StateId(1),
                revisions: revisions.into_iter().map(Revision).collect(),
                halt: "exit".into(),
                location: "a.c:3".into(),
                depth: 2,
                findings: approximations.clone(),
                approximations,
            };
            prop_assert_eq!(round_trip(std::slice::from_ref(&row)).1, [row]);
        }
    }
}
