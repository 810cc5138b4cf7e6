//! The command line: arguments, progress, exit codes. Each subcommand has a file of its own.

mod build;
mod conclusion;
mod diff;
mod explore;
mod inputs;
mod interrupt;
mod merge;
mod plot;
mod progress;
mod ranges;
mod replay;
mod say;
mod tree;

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{Args, Parser, Subcommand};

use crate::{
    explore::Search,
    interrupt::Interrupt,
    results::ResultsDir,
    session::{SearchOptions, stages::Stage},
    subject::{Subject, config::parse_duration},
};
use interrupt::INTERRUPTED;
use progress::Progress;

/// Exit code: every pair was decided, or the stage did its work.
const SUCCESS: u8 = 0;
/// Exit code: something is undecided (a pair, a path, the smallest tree), or a replay did not show
/// what was predicted.
const UNDECIDED: u8 = 1;
/// Exit code: nothing could be done; one message says why.
const FAILURE: u8 = 2;
const AFTER_HELP: &str = "\
Examples:
  psychic diff patches/smallest               everything, into results/smallest
  psychic diff patches/smallest --jobs 1 --time-budget 60s --out /tmp/smallest
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
/// A SUBJECT is a directory with a subject.toml (name, sources, patches) and unified diffs.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the whole way: patches in, decision tree out
    Diff(diff::DiffArgs),
    /// Merge the patches into one meta program
    Merge(StageArgs),
    /// Compile the meta program to bitcode and to native binaries
    Build(StageArgs),
    /// Explore the paths of a subject, a C file or a bitcode file
    Explore(Box<explore::ExploreArgs>),
    /// Run tests natively on every revision and cluster the revisions
    Replay(replay::ReplayArgs),
    /// Find the smallest decision tree for given clusterings
    Tree(tree::TreeArgs),
    /// Draw the tree and the clusters of a results directory
    Plot(plot::PlotArgs),
}

/// Arguments of the stages that take a subject.
#[derive(Args, Clone, Debug)]
struct StageArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How to explore.
#[derive(Args, Clone, Debug)]
struct SearchArgs {
    /// Workers, compilers, native runs at once; no proof depends on it [default: all processors]
    #[arg(long, short = 'j', value_name = "N", allow_hyphen_values = true)]
    jobs: Option<NonZeroUsize>,
    /// What the random choices of a search begin with
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Stop so long after the build and report what was found: 60s, 10m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    time_budget: Option<Duration>,
    /// Which states run first: dfs, bfs, random-path, coverage, shortest, directed [default: directed
    /// to compare revisions, else dfs]
    #[arg(long, value_name = "NAME")]
    search: Option<Search>,
    /// Run the code of the C library in place of the model of this function; may be repeated
    #[arg(long, value_name = "NAME")]
    no_model: Vec<String>,
    /// Keep every query that reaches the solver here, as SMT-LIB 2 files
    #[arg(long, value_name = "DIR")]
    log_queries: Option<PathBuf>,
}

impl SearchArgs {
    fn options(&self, interrupt: Interrupt) -> SearchOptions {
        SearchOptions {
            jobs: self.jobs,
            random: self.seed,
            time: self.time_budget,
            search: self.search,
            without_models: self.no_model.clone(),
            log_queries: self.log_queries.clone(),
            interrupt,
        }
    }

    /// Limits the global thread pool, which runs merging, compilers and native runs, to `--jobs`
    /// threads.
    fn bound(&self) {
        let jobs = self.options(Interrupt::default()).jobs();
        // If this fails, a pool of the default size is made at its first use.
        _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    }
}

/// Opens a subject for the commands that run single stages. Of a package, the original is built.
fn open(subject: &Path, out: Option<&Path>, progress: &mut Progress) -> anyhow::Result<Stage> {
    let subject = Subject::load(subject)?;
    let place = ResultsDir::claim(results_of(&subject, out))?;
    let mut stage = Stage::new(subject, place)?;
    stage.prepare(progress)?;
    Ok(stage)
}

/// Where results go: to `out` if it is given, else to `results/NAME`, which is beside the directory
/// that holds the subject if that is called `patches`, and otherwise in the current directory.
fn results_of(subject: &Subject, out: Option<&Path>) -> PathBuf {
    if let Some(out) = out {
        return out.to_owned();
    }
    let beside = subject
        .dir
        .parent()
        .filter(|parent| parent.file_name().is_some_and(|name| name == "patches"))
        .and_then(Path::parent);
    beside.unwrap_or(Path::new("")).join("results").join(&subject.config.name)
}

/// Runs the command that the arguments ask for.
pub fn run() -> ExitCode {
    // Does not return if this process was started as the helper that confines native runs.
    crate::replay::sandbox_helper();
    let cli = Cli::parse();
    interrupt::install();
    let result = match cli.command {
        Command::Diff(args) => diff::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Plot(args) => plot::run(&args),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("psychic: {}", say::error(&error));
            ExitCode::from(FAILURE)
        }
    }
}
