//! `psychic replay SUBJECT`: runs the tests of a results directory natively on every revision, or
//! some tests on one.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::bail;
use clap::Args;

use super::{
    args::{of_subsets, open},
    debug::debug,
    exit::SUCCESS,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    diff::{Expected, Replay},
    replay::{Outcome, TestInput},
    results::{Clustering, FoundBy, TestId, TestRow, ktest_files},
    session::{
        describe::{Values, describe_input, describe_outcome},
        inputs,
        native::Native,
        rows::{outcome_rows, takes_part},
        stages::Stage,
    },
    subject::Revision,
};

#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Numbers of tests in the results, or .ktest files [default: all tests of the results]
    tests: Vec<PathBuf>,
    /// Run only this revision, show what it does, and write no tables
    #[arg(long, value_name = "N")]
    revision: Option<Revision>,
    /// Run the revision on one test in gdb, where nothing confines it
    #[arg(long, requires = "revision")]
    debug: bool,
    /// Where results are and go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let mut stage = open(&args.subject, args.out.as_deref(), &mut progress)?;
    of_subsets(&mut stage.subject, &stage.results)?;
    let files = match args.tests.is_empty() {
        true => tests_of(&stage)?,
        false => args.tests.iter().map(|test| file_of(&stage, test)).collect(),
    };
    let inputs = files.iter().map(|file| inputs::test(file)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.debug && inputs.len() != 1 {
        bail!("--debug takes one test, and there are {}", inputs.len());
    }
    let mut merged = stage.merged(&mut progress)?;
    let (built, _) = stage.build(&mut merged, &mut progress)?;
    if let Some(revision) = args.revision {
        takes_part(&merged.rows, revision)?;
        merged.revisions = vec![revision];
        if args.debug {
            drop(progress);
            return debug(&stage, &built, revision, &inputs[0]);
        }
    }
    let native = Native::new(&stage, &built, None)?;
    // Every revision is marked as one without a prediction, so every sanitizer watches it.
    let expected =
        Expected { unknown: merged.revisions.iter().copied().collect(), ..Expected::default() };
    let mut shown = Vec::new();
    for (input, test) in inputs.iter().zip(numbers(&files)) {
        progress.update(|| format!("{} of {} tests", shown.len(), files.len()));
        let outcomes = native.outcomes(input, &merged.revisions, &expected)?;
        shown.push(Shown { test, input, outcomes });
    }
    drop(progress);
    match args.revision {
        Some(_) => show(&stage, &shown),
        None => cluster(&stage, &merged.revisions, &shown, &files),
    }
}

/// A test that has run.
struct Shown<'a> {
    test: TestId,
    input: &'a TestInput,
    /// The outcome of each revision, in the order of the revisions.
    outcomes: Vec<Outcome>,
}

/// Says what a single revision did on each test.
fn show(stage: &Stage, shown: &[Shown<'_>]) -> anyhow::Result<u8> {
    let (config, reals) = (&stage.subject.config, stage.real_numbers());
    let values = Values { params: &config.inputs.params, reals: &reals };
    for Shown { test, input, outcomes } in shown {
        let input = describe_input(input, &values).input;
        for outcome in outcomes {
            let outcome = describe_outcome(outcome, &config.outputs, &values).short();
            say::line(&format!("test {test}: {input}: {outcome}"))?;
        }
    }
    Ok(SUCCESS)
}

/// Writes the tables of what the revisions did on the tests, and says how many clusters there are.
fn cluster(
    stage: &Stage,
    revisions: &[Revision],
    shown: &[Shown<'_>],
    files: &[PathBuf],
) -> anyhow::Result<u8> {
    let (mut tests, mut outcomes, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = Vec::new();
    let config = &stage.subject.config.outputs;
    for (Shown { test, input, outcomes: all }, file) in shown.iter().zip(files) {
        let of = revisions.iter().copied();
        let visible = all.iter().map(|outcome| outcome.visible(config));
        let clustering = Clustering::new(*test, of.clone().zip(visible));
        let groups = clustering.groups().len() as u32;
        tests.push(TestRow {
            test: *test,
            found_by: FoundBy::Seed,
            clusters: groups,
            size: input.size() as u64,
            mismatch: false,
        });
        outcomes.extend(outcome_rows(*test, &clustering, of.zip(all)));
        lines.push(format!("test {test}: {}: {}", say::count(groups, "cluster"), file.display()));
        clusters.extend(clustering.rows());
    }
    stage.results.write(&tests)?;
    stage.results.write(&outcomes)?;
    stage.results.write(&clusters)?;
    say::line(&lines.join("\n"))?;
    Ok(SUCCESS)
}

/// The file of a test that is named by its number, or as a file.
fn file_of(stage: &Stage, test: &Path) -> PathBuf {
    match test.to_str().and_then(|test| test.parse().ok()) {
        Some(number) if !test.exists() => stage.results.ktest(TestId(number)),
        _ => test.to_owned(),
    }
}

/// The number of each file's test: the one that is the file's name or, if some file has no number
/// for a name or two have the same, its place in the order of the files, from 1.
fn numbers(files: &[PathBuf]) -> Vec<TestId> {
    let named: BTreeSet<TestId> = files.iter().filter_map(|file| number_of(file)).collect();
    let order = (1u32..).map(TestId);
    let number = |(file, place): (&PathBuf, TestId)| match number_of(file) {
        Some(number) if named.len() == files.len() => number,
        _ => place,
    };
    files.iter().zip(order).map(number).collect()
}

fn tests_of(stage: &Stage) -> anyhow::Result<Vec<PathBuf>> {
    let files = ktest_files(&stage.results.tests())?;
    if files.is_empty() {
        bail!("{}: no .ktest files; name some", stage.results.tests().display());
    }
    Ok(files)
}

fn number_of(file: &Path) -> Option<TestId> {
    file.file_stem()?.to_str()?.parse().ok().map(TestId)
}
