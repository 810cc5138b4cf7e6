//! `psychic interact SUBJECT --patch N`: which changes of one patch interact.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    args::{SearchArgs, results_of},
    conclusion::conclusion,
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    merge::Grain,
    session::{Error, Findings, Interact, Options, Session},
    subject::{Revision, Subject},
};

#[derive(Args, Debug)]
pub(super) struct InteractArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Number of the patch whose changes these are
    #[arg(long, value_name = "N")]
    patch: Revision,
    /// What one change is
    #[arg(long, value_enum, default_value_t = By::Hunk)]
    by: By,
    /// Number of a later patch, whose outcomes are right [default: what [oracle] says, else an error is
    /// wrong]
    #[arg(long, value_name = "N")]
    later: Option<Revision>,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// What one change is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// Lines that are changed without unchanged ones between
    Hunk,
    /// A statement or declaration of such lines, if they are made of whole ones
    Statement,
}

pub(super) fn run(args: &InteractArgs) -> anyhow::Result<u8> {
    let interrupt = interrupt::listen_while_building();
    args.search.bound();
    let subject = Subject::load_unless(&args.subject, &interrupt)?;
    let out = results_of(&subject, args.out.as_deref());
    let grain = match args.by {
        By::Hunk => Grain::Hunk,
        By::Statement => Grain::Statement,
    };
    let interact = Interact { patch: args.patch, grain, later: args.later };
    let options = Options {
        search: args.search.options(interrupt),
        out: Some(out.clone()),
        ..Options::default()
    };
    let mut progress = Progress::new(args.progress);
    let session = Session::new(subject, options);
    let found = session.and_then(|session| session.interact(&interact, &mut progress));
    drop(progress);
    let findings = match found {
        Ok(findings) => findings,
        Err(Error::Interrupted) => return Ok(INTERRUPTED),
        Err(Error::Failed(error)) => return Err(error),
    };
    let report = findings.report();
    if let Some(interaction) = &report.interaction {
        say::line(interaction.text(&report.labels()).trim_end_matches('\n'))?;
    }
    say::line(&conclusion(report, &out))?;
    Ok(match findings {
        Findings { interrupted: true, .. } => INTERRUPTED,
        _ if findings.report().summary.mismatches > 0 => UNDECIDED,
        _ => SUCCESS,
    })
}
