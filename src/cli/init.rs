//! `psychic init DIR`: a `subject.toml` for a directory with C files and patches.

use std::path::PathBuf;

use clap::Args;

use super::{exit::SUCCESS, say};
use crate::{
    session::{self, Hints},
    subject::CONFIG_FILE,
};

#[derive(Args, Debug)]
pub(super) struct InitArgs {
    /// Directory with C files and patches, or with several programs for one exercise
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Where the patches are: a directory or a glob, relative to DIR [default: wherever they are
    /// below it]
    #[arg(long, value_name = "WHERE")]
    patches: Option<String>,
    /// Function to compare [default: main, or the function that a patch changes]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

pub(super) fn run(args: &InitArgs) -> anyhow::Result<u8> {
    let hints = Hints { patches: args.patches.clone(), entry: args.entry.clone() };
    let (subject, reasons) = session::init(&args.dir, &hints)?;
    for reason in reasons {
        say::line(&reason)?;
    }
    say::line(&format!(
        "{}: {}, {}; check it, and run: psychic diff {}",
        args.dir.join(CONFIG_FILE).display(),
        say::count(subject.sources.len() as u64, "source"),
        say::count(subject.patches.len() as u64, "candidate"),
        args.dir.display()
    ))?;
    Ok(SUCCESS)
}
