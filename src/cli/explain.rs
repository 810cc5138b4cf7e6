//! `psychic explain SUBJECT A B [TEST]`: why two revisions differ.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    time::Duration,
};

use clap::Args;

use super::{
    args::compared,
    exit::SUCCESS,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    report::TextStyle,
    results::TestId,
    session::explain,
    subject::{Revision, config::parse_duration},
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
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<u8> {
    let (subject, results) = compared(&args.subject, args.entry.as_deref(), args.out.as_deref())?;
    let (pair, test) = ([args.a, args.b], args.test.map(TestId));
    let mut progress = Progress::new(args.progress);
    let explained = explain(subject, &results, pair, test, args.time_budget, &mut progress);
    drop(progress);
    let explanation = explained?;
    let style = TextStyle { colour: io::stdout().is_terminal(), ..TextStyle::default() };
    let most = if args.all { usize::MAX } else { 1 };
    say::line(explanation.text(most, style).trim_end_matches('\n'))?;
    explanation.keep(&results)?;
    Ok(SUCCESS)
}
