//! The command line: arguments, progress, exit codes. Each subcommand has a file of its own.

mod args;
mod ask;
mod build;
mod campaign;
mod conclusion;
mod debug;
mod diff;
mod events;
mod exit;
mod explain;
mod explore;
mod export;
mod init;
mod inputs;
mod interact;
mod interrupt;
mod merge;
mod plot;
mod progress;
mod question;
mod ranges;
mod rank;
mod replay;
mod say;
mod scores;
mod shadow;
mod shell;
mod tree;

use std::{
    env,
    io::{self, IsTerminal},
    process::ExitCode,
};

use clap::{CommandFactory, Parser, Subcommand};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    fmt::{self, time::uptime},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use args::StageArgs;
use events::Message;
use exit::FAILURE;

const AFTER_HELP: &str = "\
Examples:
  psychic diff patches/smallest               everything, into results/smallest
  psychic diff patches/smallest --jobs 1 --time-budget 60s --out /tmp/smallest
  psychic diff old.c new1.c fix.patch         without a subject.toml: an original, its candidates
  psychic explore program.c --tests errors    no patches: inputs that make a program fail
  psychic tree clusters.csv                   the smallest tree for clusterings made elsewhere

Exit codes: 0 every pair decided, 1 some pair unknown or a replay that contradicts the engine,
2 nothing could be done (the message says why), 130 interrupted (what was found is on disk).";

/// Tells candidate patches of a C program apart.
///
/// Runs all patched versions at once by symbolic execution and finds inputs on which they
/// visibly differ, the smallest decision tree over those inputs, and proofs of equivalence
/// for patches that no input tells apart.
///
/// A SUBJECT is a directory with a subject.toml (name, sources, patches) and unified diffs. To
/// compare files, diff needs none.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a subject.toml for a directory with C files and patches
    Init(init::InitArgs),
    /// Run the whole way: patches in, decision tree out
    Diff(diff::DiffArgs),
    /// Merge the patches into one meta program
    Merge(StageArgs),
    /// Compile the revisions: to one bitcode program, and to native programs
    Build(StageArgs),
    /// Explore the paths of a subject, a C file or a bitcode file
    Explore(Box<explore::ExploreArgs>),
    /// Run tests natively on every revision, and compare with what diff has found
    Replay(replay::ReplayArgs),
    /// Find the smallest decision tree for given clusterings
    Tree(tree::TreeArgs),
    /// Walk through the decision tree: say which outcomes are right, and see which patches remain
    Ask(ask::AskArgs),
    /// Show why two revisions differ: the lines that they run on a test, side by side
    Explain(explain::ExplainArgs),
    /// Find inputs on which patches take another way through the code (shadow symbolic execution)
    ///
    /// Follows the paths of the subject's [tests] that run what a patch changes. At each branch whose
    /// condition differs between the original and the patch, it asks for inputs on which they take
    /// different sides; behind these it explores the patch alone. Without [tests], it explores all
    /// paths from the start. Every input that it finds runs natively on all revisions.
    Shadow(shadow::ShadowArgs),
    /// Find which changes of one patch interact, and on which inputs
    ///
    /// Splits a patch into its changes and compares all subsets of them: on each test, it finds the
    /// smallest sets of changes of which leaving one out alters what another one does, and the order in
    /// which the changes run. With a later revision, a reference or assertions, it says which errors
    /// the patch introduces, and which sequences of changes are critical for them.
    Interact(interact::InteractArgs),
    /// Order the patches of a results directory from the best to the worst
    Rank(rank::RankArgs),
    /// Run diff on many subjects, and make one table and one page of all of them
    Campaign(campaign::CampaignArgs),
    /// Draw the tree, the clusters and the distances of a results directory
    Plot(plot::PlotArgs),
    /// Write tests and results in the forms that other tools read: C, pytest, JUnit, SARIF
    Export(export::ExportArgs),
    /// Print completions for a shell
    Completions(shell::CompletionsArgs),
    /// Write manual pages
    Man(shell::ManArgs),
}

/// Runs the command that the arguments ask for.
pub fn run() -> ExitCode {
    // Does not return if this process was started as the helper that confines native runs.
    crate::replay::sandbox_helper();
    let cli = Cli::parse();
    show_events();
    interrupt::install();
    let result = match cli.command {
        Command::Init(args) => init::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Shadow(args) => shadow::run(&args),
        Command::Interact(args) => interact::run(&args),
        Command::Rank(args) => rank::run(&args),
        Command::Campaign(args) => campaign::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::Man(args) => shell::man(&args, Cli::command()),
    };
    match result {
        Ok(exit) => {
            events::write(&Message::Finished { exit });
            ExitCode::from(exit)
        }
        Err(error) => {
            let message = say::error(&error);
            if !events::write(&Message::Failed { message: &message }) {
                say::aside(&format!("psychic: {message}"));
            }
            ExitCode::from(FAILURE)
        }
    }
}

/// Writes what happens inside to standard error, if the environment variable `RUST_LOG` asks for
/// it, as `debug` or `psychic::solver=debug` does.
fn show_events() {
    let Some(wanted) = env::var_os("RUST_LOG") else { return };
    match wanted.to_string_lossy().parse::<Targets>() {
        Ok(targets) => {
            let lines = fmt::layer()
                .with_timer(uptime())
                .with_writer(io::stderr)
                .log_internal_errors(false)
                .with_ansi(io::stderr().is_terminal());
            tracing_subscriber::registry().with(lines.with_filter(targets)).init();
        }
        Err(error) => say::aside(&format!("psychic: RUST_LOG is ignored: {error}")),
    }
}
