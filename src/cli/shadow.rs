//! `psychic shadow SUBJECT`: inputs on which patches take another way through the code.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::{
    args::{SearchArgs, results_of},
    conclusion::conclusion,
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    session::{Error, Findings, Options, Session, Shadow},
    subject::{Revision, Subject, config::parse_duration},
};

#[derive(Args, Debug)]
pub(super) struct ShadowArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Number of the old revision [default: 0, the original]
    #[arg(long, value_name = "N", default_value_t = Revision::ORIGINAL, hide_default_value = true)]
    old: Revision,
    /// Number of the new revision [default: every other one, each against the old one]
    #[arg(long, value_name = "N")]
    new: Option<Revision>,
    /// Number of a later revision: where the new one does the same, a difference is called expected,
    /// else unwanted
    #[arg(long, value_name = "N")]
    later: Option<Revision>,
    /// Begin without the subject's [tests]: explore all paths from the start
    #[arg(long)]
    no_tests: bool,
    /// How long to look for divergences: 60s, 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s")]
    concolic_budget: Duration,
    /// How long to explore behind divergences, divided equally among them
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s")]
    bounded_budget: Duration,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(super) fn run(args: &ShadowArgs) -> anyhow::Result<u8> {
    let interrupt = interrupt::listen_while_building();
    args.search.bound();
    let subject = Subject::load_unless(&args.subject, &interrupt)?;
    let out = results_of(&subject, args.out.as_deref());
    let shadow = Shadow {
        old: args.old,
        new: args.new,
        later: args.later,
        without_tests: args.no_tests,
        concolic: args.concolic_budget,
        bounded: args.bounded_budget,
    };
    let options = Options {
        search: args.search.options(interrupt),
        out: Some(out.clone()),
        ..Options::default()
    };
    let mut progress = Progress::new(args.progress);
    let session = Session::new(subject, options);
    let found = session.and_then(|session| session.shadow(&shadow, &mut progress));
    drop(progress);
    let findings = match found {
        Ok(findings) => findings,
        Err(Error::Interrupted) => return Ok(INTERRUPTED),
        Err(Error::Failed(error)) => return Err(error),
    };
    let report = findings.report();
    say::line(report.divergences_text().trim_end_matches('\n'))?;
    say::line(&conclusion(report, &out))?;
    Ok(match findings {
        Findings { interrupted: true, .. } => INTERRUPTED,
        _ if report.summary.mismatches > 0 => UNDECIDED,
        _ => SUCCESS,
    })
}
