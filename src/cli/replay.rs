//! `psychic replay SUBJECT`: runs the tests of a results directory natively on every revision, or
//! some tests on one. What `psychic diff` has left is compared, and stays as it is.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;

use super::{
    args::{of_subsets, open},
    debug::debug,
    exit::{SUCCESS, UNDECIDED},
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    diff::{Expected, Replay},
    replay::{Outcome, TestInput},
    report::DOCUMENT_FILE,
    results::{ClusterRow, Clustering, FoundBy, TestId, TestRow, ktest_files, read_clusterings},
    session::{
        describe::{Values, describe_input, describe_outcome},
        inputs,
        native::Native,
        rows::{outcome_rows, takes_part},
        stage::Stage,
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
    /// Where results are and, if there are none of diff, go [default: results/NAME beside the subject's patches/]
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
        false => {
            args.tests.iter().map(|test| file_of(&stage, test)).collect::<anyhow::Result<_>>()?
        }
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

/// Says how many clusters there are on each test. Results of `diff` are compared with them; otherwise
/// the tables of what the revisions did are written.
fn cluster(
    stage: &Stage,
    revisions: &[Revision],
    shown: &[Shown<'_>],
    files: &[PathBuf],
) -> anyhow::Result<u8> {
    let config = &stage.subject.config.outputs;
    let clustering = |Shown { test, outcomes, .. }: &Shown<'_>| {
        let visible = outcomes.iter().map(|outcome| outcome.visible(config));
        Clustering::new(*test, revisions.iter().copied().zip(visible))
    };
    let found: Vec<Clustering> = shown.iter().map(clustering).collect();
    let others = match stage.results.path().join(DOCUMENT_FILE).exists() {
        true => not_as_recorded(stage, &found, files)?,
        false => {
            write_tables(stage, revisions, shown, &found)?;
            BTreeSet::new()
        }
    };
    let line = |(clustering, file): (&Clustering, &PathBuf)| {
        let test = clustering.test;
        let other = if others.contains(&test) { ", not those of the results" } else { "" };
        let groups = say::count(clustering.groups().len() as u32, "cluster");
        format!("test {test}: {groups}{other}: {}", file.display())
    };
    let lines: Vec<String> = found.iter().zip(files).map(line).collect();
    say::line(&lines.join("\n"))?;
    Ok(if others.is_empty() { SUCCESS } else { UNDECIDED })
}

/// The tests of the results on which the revisions have other clusters than the results say.
fn not_as_recorded(
    stage: &Stage,
    found: &[Clustering],
    files: &[PathBuf],
) -> anyhow::Result<BTreeSet<TestId>> {
    let among = |one: &Clustering, other: &Clustering| {
        let common =
            one.clusters.iter().filter(|(revision, _)| other.cluster(**revision).is_some());
        Clustering::new(one.test, common.map(|(revision, cluster)| (*revision, *cluster)))
    };
    let recorded = read_clusterings(&stage.results.table::<ClusterRow>())?;
    let is_other = |(clustering, file): &(&Clustering, &PathBuf)| {
        let is_of_results = fs::canonicalize(file).ok()
            == fs::canonicalize(stage.results.ktest(clustering.test)).ok();
        let known = recorded.iter().find(|known| known.test == clustering.test);
        is_of_results
            && known.is_some_and(|known| among(known, clustering) != among(clustering, known))
    };
    Ok(found.iter().zip(files).filter(is_other).map(|(clustering, _)| clustering.test).collect())
}

/// Writes what the revisions did on the tests.
fn write_tables(
    stage: &Stage,
    revisions: &[Revision],
    shown: &[Shown<'_>],
    found: &[Clustering],
) -> anyhow::Result<()> {
    let (mut tests, mut outcomes, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
    for (Shown { test, input, outcomes: all }, clustering) in shown.iter().zip(found) {
        tests.push(TestRow {
            test: *test,
            found_by: FoundBy::Seed,
            clusters: clustering.groups().len() as u32,
            size: input.size() as u64,
            mismatch: false,
        });
        outcomes.extend(outcome_rows(*test, clustering, revisions.iter().copied().zip(all)));
        clusters.extend(clustering.rows());
    }
    stage.results.write(&tests)?;
    stage.results.write(&outcomes)?;
    stage.results.write(&clusters)?;
    Ok(())
}

/// The file of a test that is named by its number, or as a file.
fn file_of(stage: &Stage, test: &Path) -> anyhow::Result<PathBuf> {
    let text = test.to_string_lossy();
    if test.exists() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(test.to_owned());
    }
    let file = text.parse().map(|number| stage.results.ktest(TestId(number))).ok();
    let missing = || format!("there is no test {text} in {}", stage.results.tests().display());
    file.filter(|file| file.is_file()).with_context(missing)
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
