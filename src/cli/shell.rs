//! `psychic completions SHELL` and `psychic man [DIR]`: what shells and `man` know of the command line,
//! made from its definition.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{exit::SUCCESS, say};

#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// Write a page for each command here [default: the page of psychic itself, to standard output]
    directory: Option<PathBuf>,
}

/// Prints the completions of the command line for a shell.
pub(super) fn completions(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<u8> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    say::line(String::from_utf8(script).context("completions are text")?.trim_end())?;
    Ok(SUCCESS)
}

/// Writes the manual pages.
pub(super) fn man(args: &ManArgs, command: Command) -> anyhow::Result<u8> {
    let Some(directory) = &args.directory else {
        say::line(page(command)?.trim_end())?;
        return Ok(SUCCESS);
    };
    let name = || directory.display().to_string();
    fs::create_dir_all(directory).with_context(name)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), directory)
        .with_context(name)?;
    Ok(SUCCESS)
}

/// The manual page of a command, as roff.
fn page(command: Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    String::from_utf8(page).context("a manual page is text")
}
