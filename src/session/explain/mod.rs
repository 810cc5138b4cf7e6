//! Why two revisions differ on a test. Both run on it once more, what decides what they show is
//! compared, and the lines that they run are put side by side.

mod cause;
mod lines;
mod run;

use std::{fs, time::Duration};

use anyhow::{Context, bail};

use self::{
    cause::{Criterion, Side},
    lines::Sources,
    run::Run,
};
use super::{
    Options, SearchOptions, Session, Until,
    alone::Alone,
    compared::{CHANGED, unchanged},
    inputs,
    observer::Observer,
    rows::takes_part,
    stage::Stage,
};
use crate::{
    env::Halt,
    exec::{Channel, Clock, Record},
    explore::Search,
    interrupt::Interrupt,
    replay::TestInput,
    report::{Document, Explanation, OutcomeEntry, Ran, TestEntry, When},
    results::{ResultsDir, TestId},
    solver,
    subject::{Revision, Subject},
};

/// The greatest number of lines of each run that are compared.
const LINES: usize = 500_000;
/// The longest time for each run.
const TIME: Duration = Duration::from_secs(20);

/// Explains why revisions `a` and `b` of `subject` differ on `test` or, without it, on the test
/// that `pairs.csv` names. `results` are those of a comparison. For `time`, it looks for the inputs
/// on which they differ. If something takes minutes, `observer` is told.
///
/// # Errors
/// The results are not there, the test does not tell the two apart, or the program cannot be
/// compiled as it was.
pub fn explain(
    subject: Subject,
    results: &ResultsDir,
    [a, b]: [Revision; 2],
    test: Option<TestId>,
    time: Duration,
    observer: &mut dyn Observer,
) -> anyhow::Result<Explanation> {
    let document = Document::read(results.path())?;
    let entry = entry(&document, [a, b], test)?;
    let input = inputs::test(&results.ktest(entry.row.test))?;
    let scratch = tempfile::tempdir().context("a temporary directory")?;
    let interrupt = Interrupt::default();
    let stage = Stage::new(subject, results.clone(), &interrupt)?;
    let directory = fs::canonicalize(scratch.path())?;
    unchanged(&stage.subject, &document, |revision| [a, b].contains(&revision))?;
    let [of_a, of_b] = stage.alone([a, b], &directory, observer)?;
    let sources = [of_a.sources.clone(), of_b.sources.clone()];
    let clock = Clock::new(Some(TIME), &interrupt);
    let run = |revision, alone: Alone| -> anyhow::Result<Run> {
        let run = Run::new(&stage.subject, alone, &input, clock)?;
        as_recorded(entry, revision, run.record.halt.as_ref())?;
        Ok(run)
    };
    let runs = [run(a, of_a)?, run(b, of_b)?];
    let counts = |channel: &Channel| match channel {
        Channel::Stdout => stage.subject.config.outputs.stdout,
        Channel::Stderr => stage.subject.config.outputs.stderr,
        Channel::Output(_) | Channel::Exit => true,
    };
    let records = runs.each_ref().map(|run| &run.record);
    let criterion = Criterion::new(records, &counts);
    let slice = |side: usize| Some(criterion.as_ref()?.slice(records[side], side));
    let slices = [slice(0), slice(1)];
    let mut files = [0, 1]
        .map(|side: usize| Sources::new(&runs[side].program, &sources[side], &sources[1 - side]));
    let mut ran = |side: usize| {
        let steps = files[side].lines(records[side], slices[side].as_ref(), LINES);
        let mut doubts = doubts(records[side]);
        doubts.extend((steps.len() == LINES).then(|| format!("left after {LINES} lines")));
        doubts.extend(files[side].ambiguous().iter().map(|name| {
            format!("no lines of {}, as there are several files of that name", name.display())
        }));
        Ran { steps, doubts }
    };
    let ran = [ran(0), ran(1)];
    let mut reasons = Vec::new();
    if let (Some(criterion), [Some(left), Some(right)]) = (&criterion, &slices) {
        let sides = [Side { run: &runs[0], slice: left }, Side { run: &runs[1], slice: right }];
        let config = SearchOptions::default().config(Search::Dfs, &stage.subject.config.budget);
        let mut solver = solver::reproducible(&config.solver);
        let clock = Clock::new(Some(TIME), &interrupt);
        reasons = cause::reasons(criterion, sides, files.each_mut(), &mut *solver, clock);
    }
    let known = known(results, &document, [a, b])?;
    let when = when(&stage.subject, [a, b], &known, time)?;
    Ok(Explanation::new(&document, entry, [a, b], ran, reasons, when))
}

/// The inputs of the tests, and whether two revisions differ on them.
fn known(
    results: &ResultsDir,
    document: &Document,
    [a, b]: [Revision; 2],
) -> anyhow::Result<Vec<(TestInput, bool)>> {
    let mut known = Vec::new();
    for clustering in document.clusterings() {
        if let (Some(x), Some(y)) = (clustering.cluster(a), clustering.cluster(b)) {
            known.push((inputs::test(&results.ktest(clustering.test))?, x != y));
        }
    }
    Ok(known)
}

/// When two revisions differ, if that can be found out in `time`; `None` if no numbers of the input
/// decide it.
fn when(
    subject: &Subject,
    pair: [Revision; 2],
    known: &[(TestInput, bool)],
    time: Duration,
) -> anyhow::Result<Option<When>> {
    // A program with a build of its own reads text.
    if time.is_zero() || subject.config.build.program.is_some() {
        return Ok(None);
    }
    let (subject, pair) = subject.of_pair(pair);
    let search = SearchOptions { time: Some(time), ..SearchOptions::default() };
    let options = Options { search, until: Some(Until::Trees), ..Options::default() };
    let Some(found) = Session::new(subject, options)?.when(pair, known)? else { return Ok(None) };
    // The two differ on the test, so a condition that never holds says nothing.
    let condition = found.condition.filter(|condition| !condition.is_never());
    let condition = condition.map(|condition| condition.text(&found.names));
    let doubts = found.doubts.into_iter().collect();
    let read = if found.is_read { found.names } else { Vec::new() };
    Ok(Some(When { condition, read, doubts, fails_alike: found.fails_alike }))
}

/// The test to explain.
fn entry(
    document: &Document,
    [a, b]: [Revision; 2],
    test: Option<TestId>,
) -> anyhow::Result<&TestEntry> {
    for revision in [a, b] {
        takes_part(document.revisions.iter().map(|entry| &entry.row), revision)?;
    }
    let pair = document.pairs.iter().find(|row| [row.a, row.b] == [a.min(b), a.max(b)]);
    let test = match (test, pair) {
        (Some(test), _) => test,
        (None, Some(pair)) => match pair.test {
            Some(test) => test,
            None => bail!("{a} and {b} are {}: no test tells them apart", pair.verdict),
        },
        (None, None) => bail!("name two different revisions"),
    };
    let entry = document.tests.iter().find(|entry| entry.row.test == test);
    let entry = entry.with_context(|| format!("there is no test {test}; see tests.csv"))?;
    let cluster =
        |revision| entry.outcomes.iter().position(|outcome| outcome.revisions.contains(revision));
    match (cluster(a), cluster(b)) {
        (Some(x), Some(y)) if x == y => bail!("test {test} does not tell {a} and {b} apart"),
        (Some(_), Some(_)) => Ok(entry),
        _ => bail!("test {test} says nothing about {a} or {b}"),
    }
}

/// Why the lines of a run may be incomplete or wrong.
fn doubts(record: &Record) -> Vec<String> {
    let mut doubts: Vec<String> = record.approximations.iter().map(ToString::to_string).collect();
    match &record.halt {
        None => doubts.push(format!("left after {} instructions", record.steps.len())),
        Some(Halt::Incomplete(why)) => doubts.push(why.to_string()),
        Some(_) => {}
    }
    if record.unsure {
        doubts.push("memory that was never written decides: this is one of several ways".into());
    }
    doubts
}

/// Checks that a run ends as it ended on the test: with an error or without.
fn as_recorded(entry: &TestEntry, revision: Revision, halt: Option<&Halt>) -> anyhow::Result<()> {
    let recorded = entry.outcomes.iter().find(|outcome| outcome.revisions.contains(revision));
    let Some(OutcomeEntry { outcome, .. }) = recorded else { return Ok(()) };
    let contradicts = match halt {
        // A run that was stopped may only have been slow.
        Some(Halt::Exit(_)) => outcome.signal.is_some(),
        Some(Halt::Error(_)) => outcome.exit.is_some() && outcome.finding.is_empty(),
        _ => false,
    };
    if contradicts {
        bail!("revision {revision}: {CHANGED}");
    }
    Ok(())
}
