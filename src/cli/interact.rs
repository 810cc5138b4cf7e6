//! `psychic interact SUBJECT --patch N`: which changes of one patch interact.

use clap::{Args, ValueEnum};

use super::question::QuestionArgs;
use crate::{merge::Grain, report::Report, session::Interact, subject::Revision};

#[derive(Args, Debug)]
pub(super) struct InteractArgs {
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
    #[command(flatten)]
    question: QuestionArgs,
}

/// What one change is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// A run of adjacent changed lines
    Hunk,
    /// A statement or declaration of such lines, if they are made of whole ones
    Statement,
}

pub(super) fn run(args: &InteractArgs) -> anyhow::Result<u8> {
    let grain = match args.by {
        By::Hunk => Grain::Hunk,
        By::Statement => Grain::Statement,
    };
    let interact = Interact { patch: args.patch, grain, later: args.later };
    let answer = |report: &Report| {
        let interaction = report.interaction.as_ref();
        interaction.map(|found| found.text(&report.labels())).unwrap_or_default()
    };
    args.question.ask(|session, progress| session.interact(&interact, progress), answer)
}
