//! Why two revisions differ on a test: both run on it once more, and the lines that they run are
//! held side by side.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use anyhow::{Context, bail};
use diffy::{DiffOptions, Line};

use super::{
    Options, SearchOptions, Session, Until, alone::Alone, beginning::beginning,
    findings::patch_text, inputs, observer::Observer, rows::takes_part, stages::Stage,
};
use crate::{
    compile::HARNESS,
    env::Halt,
    exec::{Clock, Program, Trace, trace},
    explore::Search,
    interrupt::Interrupt,
    ir::FileId,
    merge,
    replay::TestInput,
    report::{Document, Explanation, OutcomeEntry, Ran, Step, TestEntry, When},
    results::{ResultsDir, TestId},
    solver,
    subject::{Revision, Subject},
};

/// The greatest number of lines of each run that are compared.
const LINES: usize = 20_000;
/// The longest time for each run.
const TIME: Duration = Duration::from_secs(20);

/// Explains why revisions `a` and `b` of `subject` differ on a test of the `results` of a comparison:
/// on `test`, or else on the one that `pairs.csv` names. For `time`, it looks for the inputs on which
/// they differ. What takes minutes is told to `observer`.
///
/// # Errors
/// The results are not there, the test does not tell the two apart, or the program cannot be compiled
/// as it was.
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
    unchanged(&stage.subject, &document, [a, b])?;
    let [of_a, of_b] = stage.alone([a, b], &directory, observer)?;
    let sources = [of_a.sources.clone(), of_b.sources.clone()];
    let run = |revision: Revision, alone: Alone, other: &Path| -> anyhow::Result<Ran> {
        let options = SearchOptions::default();
        let mut program = Program::new(alone.module, &options.models()?.with_terms());
        program.uninitialised = stage.subject.config.uninitialised;
        let config = options.config(Search::Dfs, &stage.subject.config.budget);
        let (start, given) = beginning(&program, &stage.subject, &input)?;
        let clock = Clock::new(Some(TIME), &interrupt);
        let mut solver = solver::reproducible(&config.solver);
        let traced = trace(&program, start, given, config.limits, &mut *solver, clock, LINES);
        as_recorded(entry, revision, traced.halt.as_ref())?;
        let steps = steps(&program, &traced, &alone.sources, other);
        Ok(Ran { steps, doubts: doubts(&traced) })
    };
    let ran = [run(a, of_a, &sources[1])?, run(b, of_b, &sources[0])?];
    let known = known(results, &document, [a, b])?;
    let when = when(&stage.subject, [a, b], &known, time)?;
    Ok(Explanation::new(&document, entry, [a, b], ran, when))
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

/// When two revisions differ, as far as it can be found out in `time`; `None` if no numbers of the
/// input decide that.
fn when(
    subject: &Subject,
    pair: [Revision; 2],
    known: &[(TestInput, bool)],
    time: Duration,
) -> anyhow::Result<Option<When>> {
    // What a program of its own reads is text.
    if time.is_zero() || subject.config.build.program.is_some() {
        return Ok(None);
    }
    let (subject, pair) = subject.of_pair(pair);
    let search = SearchOptions { time: Some(time), ..SearchOptions::default() };
    let options = Options { search, until: Some(Until::Trees), ..Options::default() };
    let Some(found) = Session::new(subject, options)?.when(pair, known)? else { return Ok(None) };
    let condition = found.condition.map(|condition| condition.text(&found.names));
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

/// Checks that two revisions are the patches that were compared.
fn unchanged(
    subject: &Subject,
    document: &Document,
    revisions: [Revision; 2],
) -> anyhow::Result<()> {
    let candidates = merge::candidates(subject);
    for patch in subject.patches.iter().filter(|patch| revisions.contains(&patch.revision)) {
        let compared = document.revisions.iter().find(|e| e.row.revision == patch.revision);
        let text = patch_text(subject, patch, &candidates[&patch.revision])?;
        let is_same = compared.is_some_and(|compared| {
            compared.row.patch == patch.name && compared.diff.as_deref() == Some(&text)
        });
        if !is_same {
            bail!("{}: {CHANGED}", patch.name);
        }
    }
    Ok(())
}

/// What to do if what runs now is not what ran.
const CHANGED: &str = "changed since the comparison; run `psychic diff` again";

/// Why the lines of a trace may not be all that the program runs, or not what it runs.
fn doubts(traced: &Trace) -> Vec<String> {
    let mut doubts: Vec<String> = traced.approximations.iter().map(ToString::to_string).collect();
    match &traced.halt {
        None => doubts.push(format!("left after {} lines", traced.lines.len())),
        Some(Halt::Incomplete(why)) => doubts.push(why.to_string()),
        Some(_) => {}
    }
    if traced.forked {
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

/// The lines of a trace that are in files below `sources`, with their texts. Those that the file of
/// the same name below `other` does not have are marked as changed.
fn steps(program: &Program, traced: &Trace, sources: &Path, other: &Path) -> Vec<Step> {
    let mut files: BTreeMap<FileId, Option<SourceFile>> = BTreeMap::new();
    let mut steps = Vec::new();
    for place in &traced.lines {
        let read = || {
            let name = Path::new(&program.module.files[place.file.0 as usize]);
            SourceFile::read(name.strip_prefix(sources).unwrap_or(name), sources, other)
        };
        let Some(file) = files.entry(place.file).or_insert_with(read) else { continue };
        let line = place.line as usize - 1;
        let Some(text) = file.lines.get(line) else { continue };
        steps.push(Step {
            file: file.name.clone(),
            line: place.line,
            text: text.clone(),
            twin: file.twins.get(&line).copied(),
        });
    }
    steps
}

/// A source file of one revision.
struct SourceFile {
    name: String,
    lines: Vec<String>,
    /// The number of each line in the file of the other revision, where that has it. Both are from
    /// 0.
    twins: BTreeMap<usize, u32>,
}

impl SourceFile {
    /// Reads the file `name` of a revision and of another one. `None` if it is not a file of the
    /// revision's sources, or is the generated `main`.
    fn read(name: &Path, sources: &Path, other: &Path) -> Option<Self> {
        if name == Path::new(HARNESS) {
            return None;
        }
        let text = |directory: &Path| fs::read(directory.join(name)).ok();
        // A line that ends in another way is the same line.
        let lines = |bytes: Vec<u8>| -> Vec<String> {
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
        };
        let own = lines(text(sources)?);
        let others = lines(text(other).unwrap_or_default());
        let whole =
            |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (old, new) = (whole(&own), whole(&others));
        if old == new {
            let twins = (0..own.len()).zip(0..).collect();
            return Some(Self { name: name.display().to_string(), lines: own, twins });
        }
        // With all lines as context there is one hunk, which has all of them.
        let patch = DiffOptions::new().set_context_len(own.len()).create_patch(&old, &new);
        let mut twins = BTreeMap::new();
        let (mut here, mut there) = (0, 0);
        for line in patch.hunks().iter().flat_map(|hunk| hunk.lines()) {
            match line {
                Line::Context(_) => {
                    twins.insert(here, there);
                    (here, there) = (here + 1, there + 1);
                }
                Line::Delete(_) => here += 1,
                Line::Insert(_) => there += 1,
            }
        }
        Some(Self { name: name.display().to_string(), lines: own, twins })
    }
}
