//! What a run has found, and the result files that contain it.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;

use super::{
    Error, Until,
    bounds::{Asks, bounds},
    compared,
    describe::{Values, describe_input, describe_outcomes},
    inputs::{environment, given_tests, native},
    merged::Merged,
    oracle,
    rows::{outcome_rows, pair_rows, state_rows, stats_rows, test_rows},
    stage::{Stage, harness},
};
use crate::{
    compile::Show,
    diff::{Differ, DifferentialTest, RegionWalk},
    exec::Program,
    explore::Statistics,
    replay::{self, Runs},
    report::{Report, ranges},
    results::{
        Clustering, DivergenceRow, PairRow, ResultsDir, ShareRow, Shown, StateRow, StatsRow,
        SummaryRow, TestId, Verdict, write_whole,
    },
    subject::{Revision, RevisionSet, Subject},
    tree::{self, Tree},
};

/// The longest time to search for the smallest tree.
const TREE_TIME: Duration = Duration::from_secs(30);
/// The least time to allow for that search, even when the time budget is used up.
const LEAST_TREE_TIME: Duration = Duration::from_secs(2);
/// The file that lists contradictions between engine and replay.
pub(crate) const MISMATCHES: &str = "mismatches.txt";
/// The directory of what was found among revisions that do the same outside.
pub(crate) const INNER: &str = "inner";
/// The name of the phase of merge and build in `stats.csv`.
pub(crate) const BUILD: &str = "build";

/// Everything that a run has found.
#[derive(Clone, Debug)]
pub struct Findings {
    pub(super) report: Report,
    tests: Vec<DifferentialTest>,
    revisions: Vec<Revision>,
    states: Vec<StateRow>,
    /// The tests as shell scripts.
    scripts: Vec<(TestId, String)>,
    /// What was found among revisions that do the same outside.
    pub(super) inner: Option<Box<Findings>>,
    /// Whether every path was followed to its end.
    pub exhausted: bool,
    /// Whether the tests show every clustering that there is, so that no tree is lower: every
    /// region of the input was visited, or one test tells apart all that differ.
    pub complete: bool,
    /// What paths were followed for at the end of the run.
    pub until: Until,
    /// Whether the run was asked to end.
    pub interrupted: bool,
    /// Whether this run was interrupted and knows less than an earlier one, whose results stay. Its
    /// own are in [`UNFINISHED`](crate::results::UNFINISHED) inside them.
    pub stands_back: bool,
    /// Whether every query that a verdict rests on was written, or none was to be
    /// ([`Options::queries`](super::Options::queries)).
    pub recorded: bool,
}

impl Findings {
    /// The verdict on each pair of revisions, in ascending order of the pairs.
    pub fn pairs(&self) -> &[PairRow] {
        &self.report.pairs
    }

    /// The smallest decision tree over the tests that was found.
    pub fn tree(&self) -> &Tree {
        &self.report.solution.tree
    }

    /// The tests, with what every revision did on them.
    pub fn tests(&self) -> &[DifferentialTest] {
        &self.tests
    }

    /// The revisions that took part, the original first; the order of
    /// [`DifferentialTest::outcomes`].
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// The comparison of what functions return and leave, among revisions that are proved to do the
    /// same outside, if the subject asks for it
    /// ([`OutputsConfig::functions`](crate::subject::config::OutputsConfig::functions)). Its
    /// results are in `inner/`.
    pub fn inner(&self) -> Option<&Findings> {
        self.inner.as_deref()
    }

    /// The divergences, if [`Session::shadow`](super::Session::shadow) has looked for any.
    pub fn divergences(&self) -> Option<&[DivergenceRow]> {
        self.report.divergences.as_deref()
    }

    /// The report for people, from which text, pictures and HTML are made.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Whether every pair is decided, and nothing contradicts that.
    pub fn is_decided(&self) -> bool {
        self.report.summary.unknown == 0
            && self.report.summary.mismatches == 0
            && self.report.unseparated().is_empty()
    }

    /// Writes tables, tests, pictures and the report to `directory`. They replace everything that
    /// an earlier run left there except its builds. The meta program is not written; it is only in
    /// [`Options::out`](super::Options::out).
    ///
    /// # Errors
    /// The directory holds something that no run has written, another run is writing to it, or
    /// files cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        let place = ResultsDir::claim(directory.to_owned()).map_err(anyhow::Error::from)?;
        let results = place.begin(false).map_err(anyhow::Error::from)?;
        self.write_to(&results).inspect_err(|_| {
            // The first error is the one to report.
            _ = place.give_up();
        })?;
        place.finish().map_err(anyhow::Error::from)?;
        Ok(())
    }

    /// Writes every file of the results to `results`, which this run has begun.
    pub(super) fn write_to(&self, results: &ResultsDir) -> anyhow::Result<()> {
        results.write(&self.report.revisions)?;
        results.write(&self.states)?;
        if let Some(divergences) = &self.report.divergences {
            results.write(divergences)?;
        }
        write_tests(results, &self.tests, &self.revisions)?;
        for (test, script) in &self.scripts {
            results.write_script(*test, script)?;
        }
        results.write(&self.report.pairs)?;
        results.write(&self.report.ranges)?;
        results.write(&self.report.shares)?;
        self.write_mismatches(results)?;
        self.report.write_all(results)?;
        if let Some(inner) = &self.inner {
            inner.write(&results.path().join(INNER))?;
        }
        Ok(())
    }

    /// Writes [`MISMATCHES`], one line for each contradiction; no file if there are none.
    fn write_mismatches(&self, results: &ResultsDir) -> anyhow::Result<()> {
        let mut text = String::new();
        for test in &self.tests {
            for mismatch in &test.mismatches {
                text.push_str(&format!("test {}, {mismatch}\n", test.test));
            }
        }
        if !text.is_empty() {
            results.write_file(MISMATCHES, text.as_bytes())?;
        }
        Ok(())
    }
}

/// A run that has ended.
pub(super) struct Run<'a> {
    pub(super) stage: &'a Stage,
    pub(super) merged: &'a Merged,
    pub(super) program: &'a Program,
    pub(super) differ: &'a Differ<'a>,
    pub(super) walk: RegionWalk,
    pub(super) shares: Vec<ShareRow>,
    pub(super) divergences: Option<Vec<DivergenceRow>>,
    /// What was not looked at behind divergences, and what is not known about their lines, in
    /// words.
    pub(super) bounds: Vec<String>,
    pub(super) statistics: Statistics,
    /// As [`Findings::exhausted`].
    pub(super) exhausted: bool,
    pub(super) until: Until,
    /// How long merge and build took, which the time budget does not count.
    pub(super) building: Duration,
    pub(super) elapsed: Duration,
    /// When the time for native runs is over: at the end of the time budget, or a little later if
    /// the budget is small.
    pub(super) deadline: Option<Instant>,
}

impl Run<'_> {
    /// Searches for the smallest tree, and returns all that the run has found.
    pub(super) fn findings(mut self) -> anyhow::Result<Findings> {
        let report = self.report()?;
        Ok(Findings {
            scripts: self.scripts(&report)?,
            report,
            tests: self.differ.tests().to_vec(),
            revisions: self.differ.revisions().to_vec(),
            states: state_rows(&self.program.module, 1, self.differ.states()),
            exhausted: self.exhausted,
            complete: self.walk.complete,
            until: self.until,
            interrupted: false,
            stands_back: false,
            recorded: true,
            inner: None,
        })
    }

    /// The tests as shell scripts, each with its input and its outcomes in its head.
    fn scripts(&self, report: &Report) -> anyhow::Result<Vec<(TestId, String)>> {
        let Stage { subject, .. } = self.stage;
        let harness = harness(subject, Show::Legibly)?;
        let variables = native(&environment(&subject.config.inputs));
        let symbolic_files: Vec<String> = subject.config.inputs.sym_files.keys().cloned().collect();
        let runs = match &harness {
            Some((_, harness)) => Runs::Entry { harness, flags: &subject.config.build.flags },
            None => Runs::Program {
                variables: &variables,
                has_files: !subject.files.is_empty(),
                symbolic_files: &symbolic_files,
                times: &subject.times,
            },
        };
        let labels = report.labels();
        let script = |test: &DifferentialTest| {
            let mut about = vec![
                format!(
                    "Test {} of {}: {}",
                    test.test,
                    subject.config.name,
                    labels.input(test.test)
                ),
                String::new(),
            ];
            for (cluster, revisions) in test.clustering.groups() {
                let outcome = labels.outcome(test.test, cluster);
                about.push(format!("{}: {outcome}", ranges(&revisions)));
            }
            let name = format!("{:04}.sh", test.test.0);
            Some((test.test, replay::script(&test.input, runs, &name, &about)?))
        };
        Ok(self.differ.tests().iter().filter_map(script).collect())
    }

    /// Rows of `stats.csv` that say how many states ended in which way.
    fn ends(&self) -> Vec<StatsRow> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for state in self.differ.states() {
            *counts.entry(format!("ended.{}", state.halt)).or_default() += 1;
        }
        counts.iter().map(|(how, count)| StatsRow::timed(how, *count, Duration::ZERO)).collect()
    }

    fn report(&mut self) -> anyhow::Result<Report> {
        let tests = self.differ.tests();
        let Subject { config, times, .. } = &self.stage.subject;
        let asks = match self.stage.subject.config.build.is_whole() {
            true => Asks::default(),
            false => Asks::of(&self.differ.program().module, "main"),
        };
        let mut bounds = bounds(&config.inputs, times, self.differ.states(), self.exhausted, asks);
        let commit = self.stage.subject.commit.as_ref();
        bounds.extend(
            commit.map(|commit| format!("sources of commit {commit}, the newest that patches fit")),
        );
        let pairs = pair_rows(self.differ.pairs(), &bounds.join("; "));
        bounds.append(&mut self.bounds);
        let clusterings: Vec<Clustering> =
            tests.iter().map(|test| test.clustering.clone()).collect();
        let revisions: RevisionSet = self.merged.revisions.iter().copied().collect();
        let options = tree::Options {
            time: Some(self.tree_time()),
            sizes: tests.iter().map(|test| (test.test, test.input.size() as u64)).collect(),
            ..tree::Options::default()
        };
        let solution = tree::minimal(&revisions, &clusterings, &options)?;
        let verdicts = |wanted| pairs.iter().filter(|row| row.verdict == wanted).count() as u64;
        let solver = self.statistics.solver.first();
        let values = Values { params: &config.inputs.params, reals: self.differ.reals() };
        let divergences = self.divergences.as_deref().unwrap_or_default();
        let summary = SummaryRow {
            subject: config.name.clone(),
            revisions: self.merged.revisions.len() as u32,
            rejected: (self.merged.rows.len() - self.merged.revisions.len()) as u32,
            tests: tests.len() as u32,
            classes: solution.classes.len() as u32,
            height: solution.height,
            lower_bound: solution.lower_bound,
            distinguished: verdicts(Verdict::Distinguished),
            internal: verdicts(Verdict::Internal),
            equivalent: verdicts(Verdict::Equivalent),
            unknown: verdicts(Verdict::Unknown),
            mismatches: tests.iter().filter(|test| !test.mismatches.is_empty()).count() as u32,
            paths: self.statistics.paths,
            instructions: self.statistics.instructions,
            queries: solver.map_or(0, |layer| layer.queries) + self.differ.effort().comparisons,
            seconds: self.elapsed.as_secs_f64(),
            peak_mb: peak_memory(),
            equivalent_unless_failing: verdicts(Verdict::EquivalentUnlessFailing),
            divergences: divergences.iter().map(|row| row.divergence).max().unwrap_or(0),
            regressions: divergences.iter().filter(|row| row.shown == Shown::Regression).count()
                as u32,
            // Interactions are known only from the tests of this report.
            interactions: 0,
            critical: 0,
        };
        let mut stats = stats_rows(&self.statistics);
        let effort = self.differ.effort();
        stats.push(StatsRow::timed(BUILD, 1, self.building));
        stats.push(StatsRow::timed("lockstep", self.differ.in_lockstep() as u64, effort.lockstep));
        stats.push(StatsRow::timed("pair", effort.comparisons, effort.comparing));
        stats.push(StatsRow::timed("replay", effort.replays, effort.replaying));
        stats.extend(self.ends());
        let told_apart = |(time, pairs): &(Duration, usize)| {
            StatsRow::timed(StatsRow::TOLD_APART, *pairs as u64, *time)
        };
        stats.extend(effort.progress.iter().map(told_apart));
        Ok(Report {
            summary,
            stats,
            revisions: self.merged.rows.clone(),
            sources: compared::sources(&self.stage.subject)?,
            diffs: compared::patches(&self.stage.subject)?,
            tests: test_rows(tests),
            inputs: tests
                .iter()
                .map(|test| (test.test, describe_input(&test.input, &values)))
                .collect(),
            outcomes: describe_outcomes(tests, self.differ.revisions(), &config.outputs, &values),
            right: oracle::right(
                &self.stage.subject,
                &given_tests(&self.stage.subject)?,
                tests,
                self.differ.revisions(),
            ),
            reference: self.stage.subject.reference,
            clusterings,
            pairs,
            ranges: self.walk.ranges.clone(),
            shares: std::mem::take(&mut self.shares),
            divergences: self.divergences.take(),
            solution,
            bounds,
            interaction: None,
        })
    }

    /// How long to search for the smallest tree: what is left of the time budget, but at least
    /// [`LEAST_TREE_TIME`] and at most [`TREE_TIME`]. The tests that were found are worth a tree
    /// even when no time is left.
    fn tree_time(&self) -> Duration {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map_or(TREE_TIME, |end| left(end).clamp(LEAST_TREE_TIME, TREE_TIME))
    }
}

/// Writes the inputs of `tests` that are not in `tests/` yet. Each is written whole, so that a run
/// that is killed leaves them.
pub(super) fn write_inputs(results: &ResultsDir, tests: &[DifferentialTest]) -> anyhow::Result<()> {
    fs::create_dir_all(results.tests()).with_context(|| results.tests().display().to_string())?;
    for test in tests {
        let path = results.ktest(test.test);
        if !path.exists() {
            write_whole(&path, &test.input.to_bytes()?)?;
        }
    }
    Ok(())
}

/// Writes `tests/`, `tests.csv`, `outcomes.csv` and `clusters.csv`.
pub(super) fn write_tests(
    results: &ResultsDir,
    tests: &[DifferentialTest],
    revisions: &[Revision],
) -> anyhow::Result<()> {
    write_inputs(results, tests)?;
    results.write(&test_rows(tests))?;
    let mut outcomes = Vec::new();
    for test in tests {
        outcomes.extend(outcome_rows(
            test.test,
            &test.clustering,
            revisions.iter().copied().zip(&test.outcomes),
        ));
    }
    results.write(&outcomes)?;
    let clusters: Vec<_> = tests.iter().flat_map(|test| test.clustering.rows()).collect();
    results.write(&clusters)?;
    Ok(())
}

/// The largest resident memory of this process so far, in MiB (`VmHWM` of proc(5)); 0 if unknown.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .map_or(0, |kib| kib / 1024)
}
