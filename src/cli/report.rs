//! From what was found to the files of a results directory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::{Duration, Instant},
};

use anyhow::Context;
use sha2::{Digest, Sha256};

use super::{
    explore::{state_rows, stats_rows},
    say::count,
    stages::{Merged, Stage, set_aside},
};
use crate::{
    diff::{Differ, DifferentialTest, PairVerdict, Reason, Walk},
    env::stdin::Stdin,
    exec::Program,
    explore::Statistics,
    merge,
    replay::{Outcome, Termination, TestInput},
    report::{OutcomeDescription, Report, TestDescription, readable, visible},
    subject::{
        Form, Patch, Revision, RevisionSet,
        config::{ArgConfig, OutputsConfig, ParamConfig},
        results::{
            Clustering, Code, OutcomeRow, PairRow, RangeRow, StatsRow, Status, SummaryRow, TestId,
            TestRow, Verdict, write_whole,
        },
    },
    tree,
};

/// How long to look for the smallest tree.
const TREE_TIME: Duration = Duration::from_secs(30);
/// And so long in any case.
const LEAST_TREE_TIME: Duration = Duration::from_secs(2);
/// Where contradictions between engine and replay are listed.
const MISMATCHES: &str = "mismatches.txt";

/// The phase of merge and build in `stats.csv`.
const BUILD: &str = "build";
/// So many pairs that the tree does not separate are said one by one.
const UNSEPARATED: usize = 8;

/// How values are to be shown.
struct Values<'a> {
    /// How the parameters of an entry function are described in `subject.toml`.
    params: &'a BTreeMap<String, ParamConfig>,
    /// Those that are floating-point numbers, and `return` if the result is one.
    reals: &'a BTreeSet<String>,
}

/// All that a run found.
pub(super) struct Findings<'a> {
    pub(super) stage: &'a Stage,
    pub(super) merged: &'a Merged,
    pub(super) program: &'a Program,
    pub(super) differ: &'a Differ<'a>,
    pub(super) walk: &'a Walk,
    pub(super) statistics: Statistics,
    /// Every path was followed to its end.
    pub(super) exhausted: bool,
    /// How long merge and build took, which the time budget leaves out.
    pub(super) building: Duration,
    pub(super) elapsed: Duration,
    /// When the time budget is used up.
    pub(super) deadline: Option<Instant>,
}

impl Findings<'_> {
    /// Writes every file of the results.
    pub(super) fn write(&self) -> anyhow::Result<Report> {
        let results = &self.stage.results;
        results.write(&state_rows(&self.program.module, 1, self.differ.states()))?;
        write_tests(self.stage, self.differ)?;
        let pairs = self.pairs();
        results.write(&pairs)?;
        results.write(&self.ranges())?;
        self.write_mismatches()?;
        let report = self.report(pairs)?;
        report.write_all(results)?;
        Ok(report)
    }

    /// How states ended, and how many did so.
    fn ends(&self) -> Vec<StatsRow> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for state in self.differ.states() {
            *counts.entry(format!("ended.{}", state.halt)).or_default() += 1;
        }
        counts.iter().map(|(how, count)| StatsRow::timed(how, *count, Duration::ZERO)).collect()
    }

    /// Lists what replay showed otherwise than predicted; no file where there is nothing.
    fn write_mismatches(&self) -> anyhow::Result<()> {
        let mut text = String::new();
        for test in self.differ.tests() {
            for mismatch in &test.mismatches {
                text.push_str(&format!("test {}, {mismatch}\n", test.test));
            }
        }
        if !text.is_empty() {
            self.stage.results.write_file(MISMATCHES, text.as_bytes())?;
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<PairRow> {
        let bounds = self.bounds().join("; ");
        self.differ
            .pairs()
            .verdicts()
            .map(|(a, b, verdict)| match verdict {
                PairVerdict::Distinguished(decided) => PairRow {
                    a,
                    b,
                    verdict: Verdict::Distinguished,
                    test: Some(decided.test),
                    output: decided.output.clone(),
                    reason: String::new(),
                    code: Vec::new(),
                },
                PairVerdict::Equivalent | PairVerdict::EquivalentUnlessFailing => PairRow {
                    a,
                    b,
                    verdict: match verdict {
                        PairVerdict::Equivalent => Verdict::Equivalent,
                        _ => Verdict::EquivalentUnlessFailing,
                    },
                    test: None,
                    output: String::new(),
                    reason: bounds.clone(),
                    code: Vec::new(),
                },
                PairVerdict::Unknown(reasons) => PairRow {
                    a,
                    b,
                    verdict: Verdict::Unknown,
                    test: None,
                    output: String::new(),
                    reason: texts(&reasons),
                    code: codes(&reasons),
                },
            })
            .collect()
    }

    fn ranges(&self) -> Vec<RangeRow> {
        let row = |range: &crate::diff::Range| RangeRow {
            cell: range.cell,
            test: range.test,
            input: range.input.clone(),
            low: range.low,
            high: range.high,
        };
        self.walk.ranges.iter().map(row).collect()
    }

    fn report(&self, pairs: Vec<PairRow>) -> anyhow::Result<Report> {
        let tests = self.differ.tests();
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
        let config = &self.stage.subject.config;
        let values = Values { params: &config.inputs.params, reals: self.differ.reals() };
        let summary = SummaryRow {
            subject: self.stage.subject.config.name.clone(),
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
        };
        let mut stats = stats_rows(&self.statistics);
        let effort = self.differ.effort();
        stats.push(StatsRow::timed(BUILD, 1, self.building));
        stats.push(StatsRow::timed("lockstep", self.differ.in_lockstep() as u64, effort.lockstep));
        stats.push(StatsRow::timed("pair", effort.comparisons, effort.comparing));
        stats.push(StatsRow::timed("replay", effort.replays, effort.replaying));
        stats.extend(self.ends());
        let told_apart =
            |(time, pairs): &(Duration, usize)| StatsRow::timed("told-apart", *pairs as u64, *time);
        stats.extend(effort.progress.iter().map(told_apart));
        Ok(Report {
            summary,
            stats,
            revisions: self.merged.rows.clone(),
            diffs: self.diffs()?,
            tests: test_rows(tests),
            inputs: tests
                .iter()
                .map(|test| (test.test, describe_input(&test.input, &values)))
                .collect(),
            outcomes: describe_outcomes(tests, self.differ.revisions(), &config.outputs, &values),
            clusterings,
            pairs,
            solution,
            bounds: self.bounds(),
        })
    }

    /// How long to look for the smallest tree: what there is is not given up for lack of time.
    fn tree_time(&self) -> Duration {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map_or(TREE_TIME, |end| left(end).clamp(LEAST_TREE_TIME, TREE_TIME))
    }

    fn diffs(&self) -> anyhow::Result<BTreeMap<Revision, String>> {
        let subject = &self.stage.subject;
        let candidates = merge::candidates(subject);
        let read = |patch: &Patch| {
            let text = match (&candidates[&patch.revision], patch.form) {
                (_, Form::Diff) => {
                    let bytes = fs::read(&patch.path);
                    let bytes = bytes.with_context(|| patch.path.display().to_string())?;
                    String::from_utf8_lossy(&bytes).into_owned()
                }
                (Ok(candidate), _) => {
                    let diffs = merge::difference(subject, candidate);
                    let diffs = diffs.into_iter().map(|(path, diff)| {
                        let name = path.display().to_string();
                        diff.replacen("original", &name, 1).replacen("modified", &name, 1)
                    });
                    diffs.collect()
                }
                (Err(reason), _) => reason.clone(),
            };
            Ok((patch.revision, text))
        };
        subject.patches.iter().map(read).collect()
    }

    /// Under which bounds and assumptions the verdicts hold.
    fn bounds(&self) -> Vec<String> {
        let inputs = &self.stage.subject.config.inputs;
        let mut bounds = Vec::new();
        let reads = |state: &crate::exec::HaltState| match &state.world.stdin {
            Stdin::Typed(typed) => !typed.text.is_empty(),
            Stdin::Bytes(fixed) => !fixed.bytes.is_empty(),
        };
        if self.differ.states().iter().any(reads) {
            bounds.push(match (&inputs.stdin.text, inputs.stdin.bytes) {
                (Some(_), _) => "standard input as given".to_owned(),
                (None, Some(bytes)) => format!("standard input of exactly {bytes} bytes"),
                (None, None) => {
                    let words = self.differ.states().iter().any(|state| match &state.world.stdin {
                        Stdin::Typed(typed) => typed.has_words(),
                        Stdin::Bytes(_) => false,
                    });
                    inputs.stdin.bounds(words)
                }
            });
        }
        for (name, param) in &inputs.params {
            let value = (param.value, param.min, param.max);
            let size = param.string.map(|n| format!("{name} of up to {n} bytes"));
            let elements = param.elements.map(|n| format!("{name} of {n} elements"));
            bounds.extend(size.or(elements));
            match value {
                (Some(value), _, _) => bounds.push(format!("{name} = {value}")),
                (None, None, None) => {}
                (None, min, max) => {
                    let least = min.map(|min| format!("{min} <= ")).unwrap_or_default();
                    let most = max.map(|max| format!(" <= {max}")).unwrap_or_default();
                    bounds.push(format!("{least}{name}{most}"));
                }
            }
        }
        for (place, argument) in (1..).zip(&inputs.args) {
            let (what, count) = match argument {
                ArgConfig::Text(_) => continue,
                ArgConfig::Symbolic { prefix, string, count } => {
                    let behind = match prefix.is_empty() {
                        true => String::new(),
                        false => format!(" behind {prefix:?}"),
                    };
                    (format!("of up to {string} bytes{behind}"), count)
                }
                ArgConfig::OneOf { one_of, count } => {
                    let texts: Vec<String> =
                        one_of.iter().map(|text| format!("{text:?}")).collect();
                    (format!("of {}", texts.join(", ")), count)
                }
            };
            bounds.push(match count {
                None => format!("argument {place} {what}"),
                Some([least, most]) => {
                    format!("from argument {place} on {least} to {most} {what}")
                }
            });
        }
        for (name, value) in &inputs.env {
            bounds.push(match value {
                ArgConfig::Text(text) => format!("{name}={text:?}"),
                ArgConfig::OneOf { .. } => unreachable!("refused when the subject was read"),
                ArgConfig::Symbolic { string, count, .. } => {
                    let or_none = if *count == Some([0, 1]) { ", or not set" } else { "" };
                    format!("{name} of up to {string} bytes{or_none}")
                }
            });
        }
        for (name, bytes) in &inputs.sym_files {
            bounds.push(format!("file {name} of exactly {bytes} bytes"));
        }
        if !self.exhausted {
            bounds.push("exploration was stopped before its end".into());
        }
        bounds
    }
}

fn texts(reasons: &[&Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Each code once: reasons of one kind stand together.
fn codes(reasons: &[&Reason]) -> Vec<Code> {
    let codes: BTreeSet<Code> = reasons.iter().map(|reason| reason.code()).collect();
    codes.into_iter().collect()
}

/// Writes those of `tests/` that are not there yet: each at once, so that a run that is killed
/// leaves them.
pub(super) fn write_inputs(stage: &Stage, differ: &Differ<'_>) -> anyhow::Result<()> {
    let results = &stage.results;
    fs::create_dir_all(results.tests()).with_context(|| results.tests().display().to_string())?;
    for test in differ.tests() {
        let path = results.ktest(test.test);
        if !path.exists() {
            write_whole(&path, &test.input.to_bytes()?)?;
        }
    }
    Ok(())
}

/// Writes `tests/`, `tests.csv`, `outcomes.csv` and `clusters.csv`.
pub(super) fn write_tests(stage: &Stage, differ: &Differ<'_>) -> anyhow::Result<()> {
    write_inputs(stage, differ)?;
    let results = &stage.results;
    let tests = differ.tests();
    results.write(&test_rows(tests))?;
    let mut outcomes = Vec::new();
    for test in tests {
        outcomes.extend(outcome_rows(
            test.test,
            &test.clustering,
            differ.revisions().iter().copied().zip(&test.outcomes),
        ));
    }
    results.write(&outcomes)?;
    let clusters: Vec<_> = tests.iter().flat_map(|test| test.clustering.rows()).collect();
    results.write(&clusters)?;
    Ok(())
}

fn test_rows(tests: &[DifferentialTest]) -> Vec<TestRow> {
    tests
        .iter()
        .map(|test| TestRow {
            test: test.test,
            found_by: test.found_by,
            clusters: test.clustering.groups().len() as u32,
            size: test.input.size() as u64,
            mismatch: !test.mismatches.is_empty(),
        })
        .collect()
}

/// Rows of `outcomes.csv` for one test.
pub(super) fn outcome_rows<'a>(
    test: TestId,
    clustering: &Clustering,
    outcomes: impl Iterator<Item = (Revision, &'a Outcome)>,
) -> Vec<OutcomeRow> {
    let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes));
    outcomes
        .map(|(revision, outcome)| {
            let mut files = Sha256::new();
            let mut update = |part: &[u8]| {
                files.update((part.len() as u64).to_le_bytes());
                files.update(part);
            };
            for (path, state) in &outcome.files {
                update(path.as_bytes());
                update(&postcard::to_stdvec(state).expect("plain data"));
            }
            for (name, bytes) in &outcome.outputs {
                update(name.as_bytes());
                update(bytes);
            }
            OutcomeRow {
                test,
                revision,
                cluster: clustering.cluster(revision).unwrap_or(revision),
                exit: match outcome.termination {
                    Termination::Exit(code) => Some(i32::from(code)),
                    _ => None,
                },
                signal: match outcome.termination {
                    Termination::Signal(signal) => Some(signal),
                    _ => None,
                },
                stdout_sha256: hash(&outcome.stdout),
                stderr_sha256: hash(&outcome.stderr),
                files_sha256: format!("{:x}", files.finalize()),
                finding: ending(outcome),
            }
        })
        .collect()
}

/// What made a run end that did not end by itself.
fn ending(outcome: &Outcome) -> String {
    let noted = outcome.noted.iter().map(ToString::to_string);
    match (&outcome.finding, outcome.termination) {
        (Some(finding), _) => finding.kind.to_string(),
        (None, Termination::Timeout | Termination::OutputLimit) => outcome.termination.to_string(),
        (None, _) => noted.collect::<Vec<_>>().join(" "),
    }
}

impl Values<'_> {
    fn describe(&self, name: &str, bytes: &[u8]) -> String {
        describe_bytes(bytes, self.params.get(name), self.reals.contains(name))
    }
}

/// A test's input in one line.
fn describe_input(input: &TestInput, values: &Values<'_>) -> TestDescription {
    let mut parts = Vec::new();
    for (name, bytes) in &input.objects {
        if TestInput::is_of_command_line(name) {
            continue;
        }
        parts.push(format!("{name} = {}", values.describe(name, bytes)));
    }
    if input.args.len() > 1 {
        let args: Vec<String> =
            input.args[1..].iter().map(|arg| format!("\"{}\"", text(arg))).collect();
        parts.push(format!("arguments {}", args.join(" ")));
    }
    if let Some(stdin) = &input.stdin {
        parts.push(format!("\"{}\"", text(stdin)));
    }
    TestDescription { input: parts.join(", ") }
}

fn text(bytes: &[u8]) -> String {
    visible(&readable(bytes))
}

/// A text as C would write it up to where it ends, a buffer of numbers as such, an object of the
/// size of an integer as a number, others as bytes.
fn describe_bytes(bytes: &[u8], param: Option<&ParamConfig>, real: bool) -> String {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if let Some(ParamConfig { string: Some(_), .. }) = param {
        return quoted(&bytes[..end]);
    }
    if let Some(elements) = param.and_then(|param| param.elements)
        && let Some(width) = bytes.len().checked_div(elements as usize)
        && width * elements as usize == bytes.len()
        && matches!(width, 1 | 2 | 4 | 8)
    {
        let number = |chunk: &[u8]| if real { decimal(chunk) } else { signed(chunk).to_string() };
        let numbers: Vec<String> = bytes.chunks(width).map(number).collect();
        return format!("{{{}}}", numbers.join(", "));
    }
    if real && matches!(bytes.len(), 4 | 8) {
        return decimal(bytes);
    }
    let printable = |text: &[u8]| text.iter().all(|byte| matches!(byte, b' '..=b'~'));
    match bytes.len() {
        // A number of these bytes is rarer than a short text.
        4 | 8 if end + 1 == bytes.len() && printable(&bytes[..end]) => quoted(&bytes[..end]),
        1 | 2 | 4 | 8 => signed(bytes).to_string(),
        // The NUL that ends a text is no part of it.
        length => quoted(&bytes[..if end + 1 == length { end } else { length }]),
    }
}

/// The shortest text that reads back as the `float` or `double` that bytes are.
fn decimal(bytes: &[u8]) -> String {
    match (<[u8; 4]>::try_from(bytes), <[u8; 8]>::try_from(bytes)) {
        (Ok(bytes), _) => format!("{:?}", f32::from_le_bytes(bytes)),
        (_, Ok(bytes)) => format!("{:?}", f64::from_le_bytes(bytes)),
        _ => quoted(bytes),
    }
}

/// The number that at most eight bytes hold, the lowest first.
fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
    let mut wide = [sign; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

fn describe_outcomes(
    tests: &[DifferentialTest],
    revisions: &[Revision],
    outputs: &OutputsConfig,
    values: &Values<'_>,
) -> BTreeMap<(TestId, Revision), OutcomeDescription> {
    let mut described = BTreeMap::new();
    for test in tests {
        for (revision, outcome) in revisions.iter().zip(&test.outcomes) {
            if test.clustering.cluster(*revision) == Some(*revision) {
                described
                    .insert((test.test, *revision), describe_outcome(outcome, outputs, values));
            }
        }
    }
    described
}

/// What of an outcome counts, for people.
fn describe_outcome(
    outcome: &Outcome,
    counted: &OutputsConfig,
    values: &Values<'_>,
) -> OutcomeDescription {
    let shown = |counts: bool, bytes: &[u8]| match counts {
        true => readable(bytes),
        false => String::new(),
    };
    let settled = outcome.finding.is_none();
    OutcomeDescription {
        exit: match outcome.termination {
            Termination::Exit(code) if settled => Some(i32::from(code)),
            _ => None,
        },
        signal: match outcome.termination {
            Termination::Signal(signal) if settled => Some(signal),
            _ => None,
        },
        finding: ending(outcome),
        outputs: outcome
            .outputs
            .iter()
            .map(|(name, bytes)| (name.clone(), values.describe(name, bytes)))
            .collect(),
        stdout: shown(counted.stdout, &outcome.stdout),
        stderr: shown(counted.stderr, &outcome.stderr),
        files: outcome.files.clone(),
    }
}

/// What it means that two revisions are equivalent unless failing.
const UNLESS_FAILING: &str = "they do the same on every input on which neither fails; on some \
                              inputs both fail, by the same class of error or without end";

/// What to say at the end.
pub(super) fn conclusion(report: &Report, stage: &Stage) -> String {
    let s = &report.summary;
    let mut lines = vec![format!(
        "{}, {}: {} distinguished, {} equivalent, {}{} unknown; \
         {}, tree of height {}{}; {}, {:.1} s to build, {:.1} s",
        count(s.revisions, "revision"),
        count(s.classes, "class"),
        count(s.distinguished, "pair"),
        s.equivalent,
        match s.equivalent_unless_failing {
            0 => String::new(),
            some => format!("{some} equivalent unless failing, "),
        },
        s.unknown,
        count(s.tests, "test"),
        s.height,
        if report.solution.optimal() {
            " (minimal)".into()
        } else {
            format!(" (at least {})", s.lower_bound)
        },
        count(s.paths, "path"),
        report.stats.iter().find(|row| row.phase == BUILD).map_or(0.0, |row| row.seconds),
        s.seconds,
    )];
    let rejected = report.revisions.iter().filter(|row| row.status == Status::Rejected);
    lines.extend(rejected.map(set_aside));
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for row in report.pairs.iter().filter(|row| row.verdict == Verdict::Unknown) {
        *reasons.entry(&row.reason).or_default() += 1;
    }
    lines.extend(reasons.iter().map(|(why, n)| format!("{} unknown: {why}", count(*n, "pair"))));
    if s.equivalent_unless_failing > 0 {
        let alike = count(s.equivalent_unless_failing, "pair");
        lines.push(format!("{alike} equivalent unless failing: {UNLESS_FAILING}"));
    }
    let unseparated = report.unseparated();
    lines.extend(unseparated.iter().take(UNSEPARATED).map(ToString::to_string));
    if let Some(more @ 1..) = unseparated.len().checked_sub(UNSEPARATED) {
        lines.push(format!("nor {}: see report.html", count(more as u64, "more pair")));
    }
    if s.mismatches > 0 {
        lines.push(format!(
            "{} on which replay contradicts the engine: see {MISMATCHES}",
            count(s.mismatches, "test")
        ));
    }
    if !report.bounds.is_empty() {
        lines.push(format!("bounds: {}", report.bounds.join("; ")));
    }
    lines.push(format!("files: {}", stage.place.path().display()));
    lines.join("\n")
}

/// Largest resident memory of this process, in MiB (`VmHWM` of proc(5)); 0 if unknown.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .map_or(0, |kib| kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_what_they_are() {
        let string = ParamConfig { string: Some(4), ..ParamConfig::default() };
        let elements = ParamConfig { elements: Some(2), ..ParamConfig::default() };
        let double = 0.1f64.to_le_bytes();
        assert_eq!(describe_bytes(&double, None, true), "0.1");
        assert_eq!(describe_bytes(&f32::NEG_INFINITY.to_le_bytes(), None, true), "-inf");
        let floats = [1.5f32.to_le_bytes(), (-0.0f32).to_le_bytes()].concat();
        assert_eq!(describe_bytes(&floats, Some(&elements), true), "{1.5, -0.0}");
        assert_eq!(describe_bytes(b"ab\0\0", Some(&string), false), r#""ab""#);
        assert_eq!(describe_bytes(b"a\0b\xb8", Some(&string), false), r#""a\x00b\xb8""#);
        assert_eq!(describe_bytes(b"\0\0\0\0", Some(&string), false), r#""""#);
        assert_eq!(describe_bytes(&[1, 0, 0xfe, 0xff], Some(&elements), false), "{1, -2}");
        assert_eq!(describe_bytes(&[0xfe, 0xff, 0xff, 0xff], None, false), "-2");
        assert_eq!(describe_bytes(&[0x80], None, false), "-128");
        assert_eq!(describe_bytes(b"abc\0", None, false), r#""abc""#);
        assert_eq!(describe_bytes(b"a\0\0\0", None, false), "97");
        assert_eq!(describe_bytes(b"word\0", None, false), r#""word""#);
        assert_eq!(describe_bytes(b"wor\0\0", None, false), r#""wor\x00\x00""#);
    }
}
