//! `psychic explain SUBJECT A B [TEST]`: why two revisions differ.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};

use clap::Args;

use super::{args::results_of, exit::SUCCESS, say};
use crate::{
    report::TextStyle,
    results::{ResultsDir, TestId},
    session::explain,
    subject::{Revision, Subject},
};

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Number of a revision, as in revisions.csv
    a: Revision,
    /// Number of the other revision
    b: Revision,
    /// Number of the test to explain [default: the one that pairs.csv names]
    test: Option<u32>,
    /// Where the results of `psychic diff` are [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show every divergence, not just the first
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<u8> {
    let subject = Subject::load(&args.subject)?;
    let results = ResultsDir::open(results_of(&subject, args.out.as_deref()))?;
    let explanation = explain(subject, &results, [args.a, args.b], args.test.map(TestId))?;
    let style = TextStyle { colour: io::stdout().is_terminal(), ..TextStyle::default() };
    let most = if args.all { usize::MAX } else { 1 };
    say::line(explanation.text(most, style).trim_end_matches('\n'))?;
    Ok(SUCCESS)
}
