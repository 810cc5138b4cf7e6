//! `psychic explain SUBJECT A B [TEST]`: why two revisions differ.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    time::Duration,
};

use anyhow::ensure;
use clap::Args;

use super::{
    args::{results_of, results_of_file},
    exit::SUCCESS,
    say,
};
use crate::{
    report::TextStyle,
    results::{ResultsDir, RevisionRow, TestId},
    session::explain,
    subject::{Revision, Subject, config::parse_duration},
};

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// Directory with a subject.toml; or the original of files that were compared without one
    subject: PathBuf,
    /// Number of a revision, as in revisions.csv
    a: Revision,
    /// Number of the other revision
    b: Revision,
    /// Number of the test to explain [default: the one that pairs.csv names]
    test: Option<u32>,
    /// Function that was compared, for files [default: main]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where the results of `psychic diff` are [default: results/NAME beside the subject's patches/;
    /// for files, below the current directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show every divergence, not just the first
    #[arg(long)]
    all: bool,
    /// How long to look for the inputs on which the two differ: 20s, 2m; 0s for not at all
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "20s")]
    time_budget: Duration,
}

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<u8> {
    let (subject, results) = open(args)?;
    let (pair, test) = ([args.a, args.b], args.test.map(TestId));
    let explanation = explain(subject, &results, pair, test, args.time_budget)?;
    let style = TextStyle { colour: io::stdout().is_terminal(), ..TextStyle::default() };
    let most = if args.all { usize::MAX } else { 1 };
    say::line(explanation.text(most, style).trim_end_matches('\n'))?;
    Ok(SUCCESS)
}

/// Opens the subject and its results. The candidates of a file are those that the results name.
fn open(args: &ExplainArgs) -> anyhow::Result<(Subject, ResultsDir)> {
    let ExplainArgs { subject, entry, out, .. } = args;
    if !subject.is_file() {
        ensure!(
            entry.is_none(),
            "{}: --entry is only for files; set `entry` in the subject.toml",
            subject.display()
        );
        let subject = Subject::load(subject)?;
        let results = ResultsDir::open(results_of(&subject, out.as_deref()))?;
        return Ok((subject, results));
    }
    let results = ResultsDir::open(results_of_file(subject, out.as_deref()))?;
    let rows: Vec<RevisionRow> = results.read()?;
    let candidates = rows.into_iter().filter(|row| row.revision != Revision::ORIGINAL);
    let candidates: Vec<PathBuf> = candidates.map(|row| row.patch.into()).collect();
    Ok((Subject::of_files(subject, &candidates, entry.as_deref())?, results))
}
