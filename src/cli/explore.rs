//! `psychic explore SUBJECT|FILE.c|FILE.bc`.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::{
    INTERRUPTED, SUCCESS, SearchArgs, UNDECIDED,
    diff::clear,
    interrupt,
    progress::Progress,
    say,
    stages::{self, Stage},
};
use crate::{
    build::{Compilation, Toolchain},
    diff::path_input,
    env::Halt,
    exec::{Argument, Clock, HaltState, Program, Start},
    explore::{Explorer, Round, Statistics},
    ir::{Module, lower},
    solver::{self, SolverConfig},
    subject::{
        Revision, RevisionSet, Subject,
        config::{BudgetConfig, InputsConfig},
        results::{ResultsDir, StateId, StateRow, StatsRow, TestId},
    },
};

#[derive(Args, Debug)]
pub(super) struct ExploreArgs {
    /// Directory with a subject.toml, a C file, or LLVM 19 bitcode
    target: PathBuf,
    /// Function to run, for a file
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
    /// Where results go [default: results/NAME for a subject, psychic-out for a file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print where time went
    #[arg(long)]
    stats: bool,
    /// Which tests to write
    #[arg(long, value_name = "WHICH", default_value = "none")]
    tests: Tests,
    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Tests {
    /// None
    None,
    /// One for each path that ended with an error
    Errors,
    /// One for each path
    All,
}

struct Target {
    module: Module,
    entry: String,
    revisions: RevisionSet,
    inputs: InputsConfig,
    budget: BudgetConfig,
    results: ResultsDir,
}

pub(super) fn run(args: &ExploreArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let begin = Instant::now();
    let target = load(args, &mut progress)?;
    let load = begin.elapsed();
    let program = Program::new(target.module);
    let (arguments, stdin) = stages::inputs(&program.exprs, &target.inputs);
    let start = program.start(Start {
        entry: target.entry,
        revisions: target.revisions,
        args: arguments.clone(),
        stdin,
    })?;
    let interrupted = interrupt::listen();
    let config = stages::explore_config(&args.search, &target.budget);
    let clock = Clock::new(stages::time_budget(&args.search, &target.budget), interrupted);
    let mut explorer = Explorer::new(&program, config.clone(), start, clock)?;
    let mut states: Vec<HaltState> = Vec::new();
    let exhausted = loop {
        match explorer.round() {
            Round::Halted(halted) => states.extend(halted),
            Round::Exhausted => break true,
            Round::Stopped(left) => {
                states.extend(left);
                break false;
            }
        }
        progress.update(|| format!("{} paths, {} waiting", states.len(), explorer.waiting()));
    };
    let statistics = explorer.statistics();
    drop(progress);
    target.results.write(&state_rows(&program.module, &states))?;
    let tests_begin = Instant::now();
    let tests = write_tests(
        args.tests,
        &explorer,
        &program,
        &config.solver,
        &arguments,
        &states,
        &target.results,
    )?;
    let mut rows = vec![StatsRow::timed("load", 1, load)];
    rows.extend(stats_rows(&statistics));
    rows.push(StatsRow::timed("tests", tests as u64, tests_begin.elapsed()));
    rows.push(StatsRow::timed("total", 1, begin.elapsed()));
    target.results.write(&rows)?;
    let seconds = begin.elapsed().as_secs_f64();
    let complete = states.iter().filter(|s| !matches!(s.halt, Halt::Incomplete(_))).count();
    let errors = states.iter().filter(|s| matches!(s.halt, Halt::Error(_))).count();
    say::line(&format!(
        "{complete} paths ended ({errors} with an error), {} left incomplete, {} instructions, \
         {} queries, {seconds:.2} s, {tests} tests: {}",
        states.len() - complete,
        statistics.instructions,
        statistics.solver.first().map_or(0, |layer| layer.queries),
        target.results.path().display(),
    ))?;
    print_reasons(&program.module, &states)?;
    if args.stats {
        print_statistics(&rows)?;
    }
    Ok(match (clock.is_interrupted(), exhausted) {
        (true, _) => INTERRUPTED,
        (false, true) if complete == states.len() => SUCCESS,
        _ => UNDECIDED,
    })
}

fn load(args: &ExploreArgs, progress: &mut Progress) -> anyhow::Result<Target> {
    if args.target.is_dir() {
        return load_subject(args, progress);
    }
    let toolchain = Toolchain::find()?;
    let file = fs::canonicalize(&args.target)
        .with_context(|| format!("{}: cannot be read", args.target.display()))?;
    let is_c = file.extension().is_some_and(|extension| extension == "c");
    if !is_c {
        lower::load(&args.target)?;
    }
    let results =
        ResultsDir::create(args.out.clone().unwrap_or_else(|| PathBuf::from("psychic-out")))?;
    let directory = file.parent().unwrap_or(Path::new("/")).to_owned();
    let libc = stages::find_libc(&directory)?;
    let bitcode = results.bitcode();
    let module = if is_c {
        let name = file.file_name().map(PathBuf::from).unwrap_or_default();
        let compilation = Compilation { directory, sources: vec![name], ..Compilation::default() };
        stages::compile_bitcode(&toolchain, libc.as_ref(), &compilation, &bitcode)?
    } else {
        stages::link_libc(&toolchain, libc.as_ref(), &file, &bitcode)?
    };
    Ok(Target {
        module,
        entry: args.entry.clone(),
        revisions: [Revision::ORIGINAL].into_iter().collect(),
        inputs: InputsConfig::default(),
        budget: BudgetConfig {
            time: std::time::Duration::MAX,
            instructions: u64::MAX,
            ..BudgetConfig::default()
        },
        results,
    })
}

fn load_subject(args: &ExploreArgs, progress: &mut Progress) -> anyhow::Result<Target> {
    let stage = Stage::open(&args.target, args.out.as_deref())?;
    let merged = stage.merged(progress)?;
    let (_, module) = stage.build(&merged, progress)?;
    let Subject { config, .. } = stage.subject;
    Ok(Target {
        module,
        entry: "main".into(),
        revisions: merged.revisions.into_iter().collect(),
        inputs: config.inputs,
        budget: config.budget,
        results: stage.results,
    })
}

/// States that one solver finds inputs for, one after the other: neighbours share conditions.
/// A fixed number, so that the inputs do not depend on how many workers there are.
const CHUNK: usize = 128;

fn write_tests(
    which: Tests,
    explorer: &Explorer<'_>,
    program: &Program,
    solver: &SolverConfig,
    arguments: &[Argument],
    states: &[HaltState],
    results: &ResultsDir,
) -> anyhow::Result<usize> {
    let wanted = |state: &HaltState| match which {
        Tests::None => false,
        Tests::Errors => matches!(state.halt, Halt::Error(_) | Halt::Abort),
        Tests::All => true,
    };
    if which == Tests::None {
        return Ok(0);
    }
    clear(results)?;
    fs::create_dir_all(results.tests()).with_context(|| results.tests().display().to_string())?;
    let states: Vec<_> = (1u32..).zip(states).filter(|(_, state)| wanted(state)).collect();
    let write = |chunk: &[(u32, &HaltState)]| {
        let mut solver = solver::reproducible(solver);
        let mut count = 0;
        for (number, state) in chunk {
            if let Some(input) = path_input(program, &mut *solver, arguments, state) {
                input.write(&results.ktest(TestId(*number)))?;
                count += 1;
            }
        }
        anyhow::Ok(count)
    };
    explorer
        .pool()
        .install(|| states.par_chunks(CHUNK).map(write).try_reduce(|| 0, |a, b| Ok(a + b)))
}

/// Rows of `states.csv`.
pub(super) fn state_rows(module: &Module, states: &[HaltState]) -> Vec<StateRow> {
    (1u32..)
        .zip(states)
        .map(|(number, state)| {
            let mut approximations: Vec<String> =
                state.world.approximations.iter().map(ToString::to_string).collect();
            if let Halt::Incomplete(why) = &state.halt {
                approximations.push(why.to_string());
            }
            StateRow {
                state: StateId(number),
                revisions: state.revisions.clone(),
                halt: state.halt.to_string(),
                location: location(module, state),
                depth: state.branch.depth(),
                approximations,
            }
        })
        .collect()
}

fn location(module: &Module, state: &HaltState) -> String {
    let Some(place) = state.place else { return String::new() };
    let file = module.files.get(place.file.0 as usize).map_or("", String::as_str);
    format!("{file}:{}", place.line)
}

/// Rows of `stats.csv` about an exploration.
pub(super) fn stats_rows(statistics: &Statistics) -> Vec<StatsRow> {
    let mut rows = vec![
        StatsRow::timed("explore", statistics.paths, statistics.time),
        StatsRow::timed("instructions", statistics.instructions, statistics.time),
    ];
    rows.extend(statistics.solver.iter().map(|layer| StatsRow {
        cache_hits: layer.hits,
        cache_misses: layer.queries - layer.hits,
        ..StatsRow::timed(&format!("solver.{}", layer.layer), layer.queries, layer.time)
    }));
    rows
}

/// Why paths were left before their end, or ended with an error, each once.
fn print_reasons(module: &Module, states: &[HaltState]) -> anyhow::Result<()> {
    let mut reasons: std::collections::BTreeMap<String, usize> = Default::default();
    for state in states {
        if matches!(state.halt, Halt::Incomplete(_) | Halt::Error(_) | Halt::Abort | Halt::Hang) {
            *reasons
                .entry(format!("{} at {}", state.halt, location(module, state)))
                .or_default() += 1;
        }
    }
    for (reason, count) in reasons {
        say::line(&format!("  {count} x {reason}"))?;
    }
    Ok(())
}

fn print_statistics(rows: &[StatsRow]) -> anyhow::Result<()> {
    say::line(&format!("{:<20} {:>12} {:>9} {:>12}", "phase", "count", "seconds", "answered"))?;
    for row in rows {
        // What each layer of the solver chain answers without the ones below it.
        let answered = if row.phase.starts_with("solver.") && row.count > 0 {
            format!("{:.1} %", 100.0 * row.cache_hits as f64 / row.count as f64)
        } else {
            String::new()
        };
        let line =
            format!("{:<20} {:>12} {:>9.3} {answered:>12}", row.phase, row.count, row.seconds);
        say::line(line.trim_end())?;
    }
    Ok(())
}
