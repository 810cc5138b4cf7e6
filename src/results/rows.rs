//! The columns of all CSV files. New columns are only ever added at the end.

use super::words::{Code, FoundBy, Introduced, NodeKind, Phase, Shown, Status, Verdict};
use super::{Fraction, StateId, TestId, table::table};
use crate::subject::{Revision, RevisionSet};

table! {
    /// `revisions.csv`: the patches and what became of them. Revision 0, the original, is the
    /// first row.
    RevisionRow in "revisions.csv" {
        /// Number of the revision.
        revision: Revision,
        /// File of the patch, relative to the subject's directory; empty for the original.
        patch: String,
        /// Whether the revision takes part.
        status: Status,
        /// Why the revision is not in the meta program; empty if it is.
        reason: String,
        /// Number of hunks of the diff.
        hunks: u32,
        /// Number of arms of meta branches that the revision has, alone or shared.
        arms: u32,
    } since {
        /// Number of functions and variables that the explored program has for this revision in
        /// place of the meta program's, because those differ from the revision's own compilation.
        own: u32,
    }
}

table! {
    /// `states.csv`: the halt states.
    StateRow in "states.csv" {
        /// Number of the halt state.
        state: StateId,
        /// The revisions that the state stands for, with spaces between them.
        revisions: RevisionSet,
        /// How the state ended.
        halt: String,
        /// Where the state ended, as `file.c:line`; empty if unknown.
        location: String,
        /// Number of forks on the state's path.
        depth: u32,
        /// What was not followed exactly, with `; ` between; empty if everything was.
        approximations: Vec<String>,
    } since {
        /// Errors after which the state went on, with `; ` between.
        findings: Vec<String>,
    }
}

table! {
    /// `tests.csv`: the differential tests.
    TestRow in "tests.csv" {
        /// Number of the test.
        test: TestId,
        /// Where the test's input comes from.
        found_by: FoundBy,
        /// Number of different outcomes.
        clusters: u32,
        /// Size of the input, in bytes.
        size: u64,
        /// Whether the native replay differed from the prediction.
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
        /// Exit code; nothing if the run did not exit.
        exit: Option<i32>,
        /// Number of the signal that ended the run; nothing if none did.
        signal: Option<i32>,
        /// SHA-256 of standard output, in hexadecimal.
        stdout_sha256: String,
        /// SHA-256 of standard error, in hexadecimal.
        stderr_sha256: String,
        /// SHA-256 over the output files and the named outputs, in hexadecimal.
        files_sha256: String,
        /// The error that ended the run, or that the run was stopped, or else the errors after
        /// which it went on; empty if there were none.
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
    /// `pairs.csv`: the verdict on each pair of revisions.
    PairRow in "pairs.csv" {
        /// The smaller revision.
        a: Revision,
        /// The larger revision.
        b: Revision,
        /// What is known about the two.
        verdict: Verdict,
        /// The first test that tells the two apart.
        test: Option<TestId>,
        /// The output in which the two differ.
        output: String,
        /// Why nothing is known, or under which bounds the two are equivalent.
        reason: String,
    } since {
        /// If nothing is known, the codes of the reasons, with `; ` between.
        code: Vec<Code>,
    }
}

table! {
    /// `distances.csv`: how many tests tell each pair of revisions apart.
    DistanceRow in "distances.csv" {
        /// The smaller revision.
        a: Revision,
        /// The larger revision.
        b: Revision,
        /// Number of tests that tell them apart.
        apart: u32,
        /// Number of tests that have an outcome for both.
        tests: u32,
    }
}

table! {
    /// `shares.csv`: the share of inputs on which a revision behaves differently from the original,
    /// from samples of the inputs.
    ShareRow in "shares.csv" {
        /// The revision.
        revision: Revision,
        /// The share of samples that changed; nothing if there is no sample.
        changed: Option<Fraction>,
        /// The least share of inputs that may change, with 95 % confidence.
        changed_low: Option<Fraction>,
        /// The greatest share of inputs that may change, with 95 % confidence.
        changed_high: Option<Fraction>,
        /// The share of samples for which it is unknown whether they changed.
        unknown: Option<Fraction>,
        /// Number of samples.
        samples: u32,
    }
}

table! {
    /// `summary.csv`: one row about the whole run.
    #[derive(Default)]
    SummaryRow in "summary.csv" {
        /// Name of the subject.
        subject: String,
        /// Number of revisions that take part, the original included.
        revisions: u32,
        /// Number of patches that were rejected.
        rejected: u32,
        /// Number of differential tests.
        tests: u32,
        /// Number of classes of revisions that no test tells apart.
        classes: u32,
        /// Height of the decision tree.
        height: u32,
        /// A proven lower bound on the height of decision trees over these tests.
        lower_bound: u32,
        /// Number of pairs told apart.
        distinguished: u64,
        /// Number of pairs that differ only inside ([`Verdict::Internal`]).
        internal: u64,
        /// Number of pairs proved equivalent on every input.
        equivalent: u64,
        /// Number of pairs about which nothing is known.
        unknown: u64,
        /// Number of tests whose replay differed from the prediction.
        mismatches: u32,
        /// Number of halt states.
        paths: u64,
        /// Number of instructions executed symbolically.
        instructions: u64,
        /// Number of queries to the solver.
        queries: u64,
        /// Wall-clock seconds.
        seconds: f64,
        /// Largest resident memory, in MiB.
        peak_mb: u64,
    } since {
        /// Number of pairs proved equivalent wherever neither fails; `equivalent` does not count
        /// them.
        equivalent_unless_failing: u64,
        /// Number of divergences, where they were looked for.
        divergences: u32,
        /// Number of divergent inputs that are regressions.
        regressions: u32,
        /// Number of sets of changes that interact on some test on which no smaller part of them
        /// does, where they were looked for.
        interactions: u32,
        /// Number of critical sequences of changes.
        critical: u32,
    }
}

table! {
    /// `ranges.csv`: the values of scalar inputs in each region in which every revision takes
    /// one path.
    RangeRow in "ranges.csv" {
        /// Number of the region.
        cell: u32,
        /// A test that clusters the revisions as every input of the region does; none where all
        /// revisions agree.
        test: Option<TestId>,
        /// Name of the input.
        input: String,
        /// The least value of the input in the region.
        low: i64,
        /// The largest value of the input in the region.
        high: i64,
    }
}

table! {
    /// `stats.csv`: where the time went.
    StatsRow in "stats.csv" {
        /// Name of the phase.
        phase: String,
        /// How often the phase ran, or another number that belongs to it.
        count: u64,
        /// Seconds spent in the phase: wall-clock time, or in a phase that each worker goes through
        /// alone (such as a layer of the solver), the sum over the workers.
        seconds: f64,
        /// Number of answers found in a cache.
        cache_hits: u64,
        /// Number of answers that had to be computed.
        cache_misses: u64,
    }
}

impl StatsRow {
    /// The phase of rows that say how many pairs were told apart until then.
    pub const TOLD_APART: &str = "told-apart";

    /// The row of a phase that has no cache.
    pub fn timed(phase: &str, count: u64, time: std::time::Duration) -> Self {
        let (phase, seconds) = (phase.to_owned(), time.as_secs_f64());
        Self { phase, count, seconds, cache_hits: 0, cache_misses: 0 }
    }
}

table! {
    /// `labels.csv`: which classes the labelled patches are in.
    LabelRow in "labels.csv" {
        /// The smallest revision of the class.
        class: Revision,
        /// The revisions of the class.
        revisions: RevisionSet,
        /// The label.
        label: String,
        /// The revisions of the class that have the label.
        labelled: RevisionSet,
    }
}

table! {
    /// `ranking.csv`: the patches from the best to the worst.
    RankingRow in "ranking.csv" {
        /// Place in the order, from 1.
        rank: u32,
        /// Number of the revision.
        revision: Revision,
        /// File of the patch.
        patch: String,
        /// The score, from 0 to 1.
        score: f64,
        /// Number of tests with a known right outcome on which the revision has it.
        right: u32,
        /// Number of tests with a known right outcome on which the revision has a wrong one.
        wrong: u32,
        /// Number of tests on which the revision has an error and the original has none.
        new_errors: u32,
        /// Number of tests that tell the revision from the original.
        changed: u32,
        /// Number of revisions in its class.
        class: u32,
        /// Number of lines that the patch adds and removes.
        size: u32,
        /// The score that the user gave.
        prior: Option<f64>,
        /// The verdict on the revision and the one that is taken for right, if any.
        reference: Option<Verdict>,
        /// What speaks for and against the revision, with `; ` between.
        reasons: Vec<String>,
    } since {
        /// The share of inputs on which it behaves differently from the original, from samples.
        share: Option<Fraction>,
        /// The least share of inputs on which it may behave differently, with 95 % confidence.
        share_low: Option<Fraction>,
        /// The greatest share of inputs on which it may behave differently, with 95 % confidence.
        share_high: Option<Fraction>,
    }
}

table! {
    /// `divergences.csv`: inputs on which revisions go different ways through the code.
    DivergenceRow in "divergences.csv" {
        /// Number of the divergence; every path behind it has a row.
        divergence: u32,
        /// The old revision.
        old: Revision,
        /// The new revision.
        new: Revision,
        /// How the input was found.
        phase: Phase,
        /// The source file; empty if unknown.
        file: String,
        /// The line of the branch in the old revision's file, or the first line behind code that
        /// the old revision does not have; 0 if unknown.
        old_line: u32,
        /// The line of the branch in the new revision's file, or the first line behind code that
        /// the new revision does not have; 0 if unknown.
        new_line: u32,
        /// The line of the old revision's file to which the old revision goes; nothing if only one
        /// of the two revisions has the code, or if the line is unknown.
        old_to: Option<u32>,
        /// The line of the new revision's file to which the new revision goes; nothing as in
        /// `old_to`.
        new_to: Option<u32>,
        /// The test, whose input is the path's.
        test: Option<TestId>,
        /// What the input shows natively.
        shown: Shown,
        /// The condition on the input, with ` and ` between its parts.
        condition: String,
    }
}

table! {
    /// `changes.csv`: the changes of a patch whose interaction was looked for.
    ChangeRow in "changes.csv" {
        /// The name of the change: the number of its first line in the patched file. A change that
        /// only removes has `-` and the number of the first line that it removes. If several files
        /// are changed, the file and a colon come first.
        change: String,
        /// The file.
        file: String,
        /// The first line in the original that it removes; if it only adds, the line before it.
        old_line: u32,
        /// The number of lines that it removes.
        old_lines: u32,
        /// The first line in the patched file that it adds; if it only removes, the line before it.
        new_line: u32,
        /// The number of lines that it adds.
        new_lines: u32,
        /// The changes that it needs: every subset of the patch that has it and takes part has
        /// these, too.
        needs: Vec<String>,
    }
}

table! {
    /// `subsets.csv`: the changes that each revision has.
    SubsetRow in "subsets.csv" {
        /// The revision.
        revision: Revision,
        /// Its changes.
        changes: Vec<String>,
    }
}

table! {
    /// `csg.csv`: the edges of the change sequence graph.
    CsgRow in "csg.csv" {
        /// The node where the edge begins: a change, or a place as `file.c:line`, or `root`.
        from: String,
        /// The kind of the node where the edge begins.
        from_kind: NodeKind,
        /// The node where the edge ends.
        to: String,
        /// The kind of the node where the edge ends.
        to_kind: NodeKind,
        /// The changes on which the node where the edge ends depends.
        depends: Vec<String>,
    }
}

table! {
    /// `interactions.csv`: which changes interact on which test.
    InteractionRow in "interactions.csv" {
        /// The test.
        test: TestId,
        /// The changes; no smaller set of them interacts on this test.
        changes: Vec<String>,
        /// The outputs on which their interaction shows.
        outputs: Vec<String>,
        /// Whether some place of the program depends on all of the changes.
        potential: bool,
        /// The changes that the patched program runs on the test, in the order in which it begins
        /// them.
        sequence: Vec<String>,
    }
}

table! {
    /// `sequences.csv`: which changes of the patch every test runs, and what the test shows.
    SequenceRow in "sequences.csv" {
        /// The test.
        test: TestId,
        /// The changes that the patched program runs, in the order in which it begins them.
        sequence: Vec<String>,
        /// Whether the patched program behaves differently from the original.
        differs: bool,
        /// The error of the patched program, if the original does not have it.
        error: Option<Introduced>,
        /// Whether the test runs a critical sequence.
        critical: bool,
        /// Whether the test would be enough to test some change in isolation: it is the first of
        /// the tests that run the change and the fewest others.
        isolated: bool,
    }
}

table! {
    /// `critical.csv`: the critical sequences of change interaction errors.
    CriticalRow in "critical.csv" {
        /// The changes that every test with the error runs, in the order in which they ran.
        sequence: Vec<String>,
        /// The error.
        error: Introduced,
        /// The first test that has the error and ran the changes in this order.
        test: TestId,
        /// The number of tests that ran the changes in this order.
        tests: u32,
        /// The number of these tests that have the error.
        errors: u32,
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
             peak_mb, equivalent_unless_failing, divergences, regressions, interactions, critical"
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
