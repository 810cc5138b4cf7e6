//! `psychic shadow SUBJECT`: inputs on which patches take another way through the code.

use std::time::Duration;

use clap::Args;

use super::question::QuestionArgs;
use crate::{
    report::Report,
    session::Shadow,
    subject::{Revision, config::parse_duration},
};

#[derive(Args, Debug)]
pub(super) struct ShadowArgs {
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
    #[command(flatten)]
    question: QuestionArgs,
}

pub(super) fn run(args: &ShadowArgs) -> anyhow::Result<u8> {
    let shadow = Shadow {
        old: args.old,
        new: args.new,
        later: args.later,
        without_tests: args.no_tests,
        concolic: args.concolic_budget,
        bounded: args.bounded_budget,
    };
    args.question
        .ask(|session, progress| session.shadow(&shadow, progress), Report::divergences_text)
}
