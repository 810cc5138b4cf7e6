//! `psychic replay SUBJECT`: runs the tests of a results directory natively on every revision.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::bail;
use clap::Args;

use super::{args::open, exit::SUCCESS, progress::Progress, say};
use crate::{
    diff::{Expected, Replay},
    results::{Clustering, FoundBy, TestId, TestRow, ktest_files},
    session::{inputs, native::Native, rows::outcome_rows, stages::Stage},
};

#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// .ktest files [default: those in tests/ of the results]
    tests: Vec<PathBuf>,
    /// Where results are and go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let stage = open(&args.subject, args.out.as_deref(), &mut progress)?;
    let files = if args.tests.is_empty() { tests_of(&stage)? } else { args.tests.clone() };
    let given = files.iter().map(|file| inputs::test(file)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut merged = stage.merged(&mut progress)?;
    let (built, _) = stage.build(&mut merged, &mut progress)?;
    let native = Native::new(&stage, &built, None)?;
    // Every revision is marked as one without a prediction, so every sanitizer watches it.
    let expected =
        Expected { unknown: merged.revisions.iter().copied().collect(), ..Expected::default() };
    let (mut tests, mut outcomes, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for ((file, input), test) in files.iter().zip(&given).zip(numbers(&files)) {
        progress.update(|| format!("{} of {} tests", tests.len(), files.len()));
        let shown = native.outcomes(input, &merged.revisions, &expected)?;
        let config = &stage.subject.config.outputs;
        let visible = shown.iter().map(|outcome| outcome.visible(config));
        let clustering = Clustering::new(test, merged.revisions.iter().copied().zip(visible));
        let groups = clustering.groups().len() as u32;
        tests.push(TestRow {
            test,
            found_by: FoundBy::Seed,
            clusters: groups,
            size: input.size() as u64,
            mismatch: false,
        });
        outcomes.extend(outcome_rows(
            test,
            &clustering,
            merged.revisions.iter().copied().zip(&shown),
        ));
        lines.push(format!("test {test}: {}: {}", say::count(groups, "cluster"), file.display()));
        clusters.extend(clustering.rows());
    }
    stage.results.write(&tests)?;
    stage.results.write(&outcomes)?;
    stage.results.write(&clusters)?;
    drop(progress);
    say::line(&lines.join("\n"))?;
    Ok(SUCCESS)
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
