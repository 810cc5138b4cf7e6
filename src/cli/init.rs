//! `psychic init DIR`: a `subject.toml` for a directory with C files and patches.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;

use super::{
    exit::{SUCCESS, UNDECIDED},
    say,
};
use crate::{
    session::{self, Hints},
    subject::{CONFIG_FILE, Subject},
};

#[derive(Args, Debug)]
pub(super) struct InitArgs {
    /// Directory with C files and patches, or with several programs for one exercise
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Write one for every directory in DIR, such as one folder for each bug; those that have a
    /// subject.toml keep it
    #[arg(long)]
    each: bool,
    /// Where the patches are: a directory or a glob, relative to the directory [default: wherever
    /// they are below it]
    #[arg(long, value_name = "WHERE")]
    patches: Option<String>,
    /// Function to compare [default: main, or the function that a patch changes]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

pub(super) fn run(args: &InitArgs) -> anyhow::Result<u8> {
    let hints = Hints { patches: args.patches.clone(), entry: args.entry.clone() };
    if args.each {
        return each(&args.dir, &hints);
    }
    let (subject, reasons) = session::init(&args.dir, &hints)?;
    for reason in reasons {
        say::line(&reason)?;
    }
    let written = written(&args.dir, &subject);
    say::line(&format!("{written}; check it, and run: psychic diff {}", args.dir.display()))?;
    Ok(SUCCESS)
}

/// Writes a `subject.toml` to every directory in `dir`. One for which nothing can be guessed keeps
/// no other from having its own.
fn each(dir: &Path, hints: &Hints) -> anyhow::Result<u8> {
    let place = || dir.display().to_string();
    let mut bugs = Vec::new();
    for entry in fs::read_dir(dir).with_context(place)? {
        let path = entry.with_context(place)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        if path.is_dir() && !is_hidden {
            bugs.push(path);
        }
    }
    if bugs.is_empty() {
        bail!("{}: no directories there; without --each, it is one subject", place());
    }
    bugs.sort();
    let (mut subjects, mut others) = (0_u32, 0);
    for bug in bugs {
        let line = if bug.join(CONFIG_FILE).is_file() {
            subjects += 1;
            format!("{}: is there already", bug.join(CONFIG_FILE).display())
        } else {
            match session::init(&bug, hints) {
                Ok((subject, _)) => {
                    subjects += 1;
                    written(&bug, &subject)
                }
                Err(error) => {
                    others += 1;
                    format!("no subject: {}", say::error(&error))
                }
            }
        };
        say::line(&line)?;
    }
    let found = say::count(subjects, "subject");
    let of = if others > 0 { format!(" of {}", subjects + others) } else { String::new() };
    say::line(&format!("{found}{of}; check each, and run: psychic campaign {}", place()))?;
    Ok(if others == 0 { SUCCESS } else { UNDECIDED })
}

/// What was written for a subject.
fn written(dir: &Path, subject: &Subject) -> String {
    format!(
        "{}: {}, {}",
        dir.join(CONFIG_FILE).display(),
        say::count(subject.sources.len() as u64, "source"),
        say::count(subject.patches.len() as u64, "candidate"),
    )
}
