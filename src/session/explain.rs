//! Why two revisions differ on a test: both run on it once more, and the lines that they run are
//! held side by side.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::Duration,
};

use anyhow::{Context, bail};
use diffy::{DiffOptions, Line};

use super::{
    SearchOptions, inputs,
    stages::{Alone, Stage},
};
use crate::{
    compile::HARNESS,
    env::libc::{intrinsics::give_object, stdin::Stdin},
    exec::{Arguments, Clock, Program, Start, Trace, TracedLine, trace},
    explore::Search,
    expr::Assignment,
    interrupt::Interrupt,
    ir::FileId,
    memory::Byte,
    replay::TestInput,
    report::{Document, Explanation, Step, TestEntry},
    results::{ResultsDir, TestId},
    solver,
    subject::{Revision, RevisionSet, Subject},
};

/// The greatest number of lines of each run that are compared.
const LINES: usize = 20_000;
/// The longest time for each run.
const TIME: Duration = Duration::from_secs(20);

/// Explains why revisions `a` and `b` of `subject` differ on a test of the `results` of a comparison:
/// on `test`, or else on the one that `pairs.csv` names.
///
/// # Errors
/// The results are not there, the test does not tell the two apart, or the program cannot be compiled
/// as it was.
pub fn explain(
    subject: Subject,
    results: &ResultsDir,
    [a, b]: [Revision; 2],
    test: Option<TestId>,
) -> anyhow::Result<Explanation> {
    let document = Document::read(results.path())?;
    let entry = entry(&document, [a, b], test)?;
    let input = inputs::test(&results.ktest(entry.row.test))?;
    let scratch = tempfile::tempdir().context("a temporary directory")?;
    let interrupt = Interrupt::default();
    let stage = Stage::new(subject, results.clone(), &interrupt)?;
    let directory = fs::canonicalize(scratch.path())?;
    let [of_a, of_b] = stage.alone([a, b], &directory)?;
    let sources = [of_a.sources.clone(), of_b.sources.clone()];
    let run = |alone: Alone, other: &Path| -> anyhow::Result<Vec<Step>> {
        let options = SearchOptions::default();
        let mut program = Program::new(alone.module, &options.models()?.with_terms());
        program.uninitialised = stage.subject.config.uninitialised;
        let config = options.config(Search::Dfs, &stage.subject.config.budget);
        let (start, given) = beginning(&program, &stage.subject, &input)?;
        let clock = Clock::new(Some(TIME), &interrupt);
        let mut solver = solver::reproducible(&config.solver);
        let traced = trace(&program, start, given, config.limits, &mut *solver, clock, LINES);
        Ok(steps(&program, &traced, &alone.sources, other))
    };
    let steps = [run(of_a, &sources[1])?, run(of_b, &sources[0])?];
    Ok(Explanation::new(&document, entry, [a, b], steps))
}

/// The test to explain.
fn entry(
    document: &Document,
    [a, b]: [Revision; 2],
    test: Option<TestId>,
) -> anyhow::Result<&TestEntry> {
    for revision in [a, b] {
        let known = document.revisions.iter().find(|entry| entry.row.revision == revision);
        match known {
            None => bail!("there is no revision {revision}; see revisions.csv"),
            Some(entry) if !entry.row.status.takes_part() => {
                bail!("revision {revision} was set aside: {}", entry.row.reason)
            }
            Some(_) => {}
        }
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

/// How a program starts on a known input, and the values of what it asks for.
fn beginning(
    program: &Program,
    subject: &Subject,
    input: &TestInput,
) -> anyhow::Result<(Start, Assignment)> {
    let of_subject = inputs::of_subject(&program.exprs, subject)?;
    let text = input.stdin.iter().flatten().copied().map(Byte::Concrete).collect();
    let start = Start {
        entry: program.entry().into(),
        revisions: RevisionSet::from_iter([Revision::ORIGINAL]),
        args: input.command_line().into_iter().map(Arguments::Text).collect(),
        stdin: Stdin::bytes(text),
        env: of_subject.env,
        files: of_subject.files,
    };
    let mut given = Assignment::default();
    for (name, bytes) in &input.objects {
        give_object(&program.exprs, name, bytes, &mut given);
    }
    Ok((start, given))
}

/// The lines of a trace that are in files below `sources`, with their texts. Those that the file of
/// the same name below `other` does not have are marked as changed.
fn steps(program: &Program, traced: &Trace, sources: &Path, other: &Path) -> Vec<Step> {
    let mut files: BTreeMap<FileId, Option<SourceFile>> = BTreeMap::new();
    let mut steps = Vec::new();
    for TracedLine { function, place } in &traced.lines {
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
            function: program.module.functions[function.0 as usize].name.clone(),
            text: text.clone(),
            changed: file.changed.contains(&line),
        });
    }
    steps
}

/// A source file of one revision.
struct SourceFile {
    name: String,
    lines: Vec<String>,
    /// The lines, from 0, that another revision does not have.
    changed: BTreeSet<usize>,
}

impl SourceFile {
    /// Reads the file `name` of a revision and of another one. `None` if it is not a file of the
    /// revision's sources, or is the generated `main`.
    fn read(name: &Path, sources: &Path, other: &Path) -> Option<Self> {
        if name == Path::new(HARNESS) {
            return None;
        }
        let text = |directory: &Path| fs::read(directory.join(name)).ok();
        let own = String::from_utf8_lossy(&text(sources)?).into_owned();
        let others = text(other).unwrap_or_default();
        let others = String::from_utf8_lossy(&others);
        let mut changed = BTreeSet::new();
        let patch = DiffOptions::new().set_context_len(0).create_patch(&own, &others);
        for hunk in patch.hunks() {
            let begin = hunk.old_range().start().saturating_sub(1);
            let deleted = hunk.lines().iter().filter(|line| matches!(line, Line::Delete(_)));
            changed.extend(begin..begin + deleted.count());
        }
        let lines = own.lines().map(str::to_owned).collect();
        Some(Self { name: name.display().to_string(), lines, changed })
    }
}
