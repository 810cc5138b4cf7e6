//! `psychic explore SUBJECT|FILE.c|FILE.bc`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::{
    args::{SearchArgs, open_stage},
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    inputs::SymbolicInputArgs,
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    child::Stopper,
    compile::{Compilation, Toolchain},
    diff::{mismatch, path_test},
    env::{Halt, models::Models},
    exec::{Clock, Coverage, HaltState, Program, Start, WHOLE_PROGRAM},
    explore::{CoveredFile, Explorer, Round, Search, Share, lcov},
    ir::Module,
    replay::{self, Binaries, Builds, KtestError, Replayer},
    results::{ResultsDir, StateRow, StatsRow, TestId},
    session::{
        inputs::{self, Inputs},
        linking,
        rows::{location, state_rows, stats_rows},
    },
    solver::{self, SolverConfig},
    subject::{Revision, RevisionSet, config::BudgetConfig},
};

#[derive(Args, Debug)]
pub(super) struct ExploreArgs {
    /// Directory with a subject.toml, a C file, or LLVM 19 bitcode
    target: PathBuf,
    /// Function to run, for a file [default: main; _start_c for a program with its libc]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Arguments of the program, for a file; KLEE's --sym-arg and so on may stand among them
    #[arg(last = true, value_name = "ARG")]
    args: Vec<String>,
    /// Run every test on this native build, for a file, and compare with what the path predicts
    #[arg(long, value_name = "EXECUTABLE")]
    native: Option<PathBuf>,
    #[command(flatten)]
    symbolic: SymbolicInputArgs,
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
    #[command(flatten)]
    progress: ProgressArgs,
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
    program: Program,
    entry: String,
    revisions: RevisionSet,
    inputs: Inputs,
    budget: BudgetConfig,
    results: ResultsDir,
}

pub(super) fn run(args: &ExploreArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let begin = Instant::now();
    args.search.prepare()?;
    let target = load(args, &mut progress)?;
    let load = begin.elapsed();
    let program = target.program;
    let binaries = Binaries {
        files: target.inputs.given(),
        variables: inputs::native(&target.inputs.env),
        ..Binaries::default()
    };
    let start = program.start(Start {
        entry: target.entry,
        revisions: target.revisions,
        args: target.inputs.args,
        env: target.inputs.env,
        stdin: target.inputs.stdin,
        files: target.inputs.files,
        times: target.inputs.times,
    })?;
    let search = args.search.options(interrupt::listen());
    let config = search.config(Search::Dfs, &target.budget);
    let clock = Clock::new(search.time(&target.budget), &search.interrupt);
    let mut explorer = Explorer::new(&program, config.clone(), start, clock)?;
    let native =
        args.native.as_ref().map(|executable| replayer(executable, binaries)).transpose()?;
    let writer = Writer {
        native,
        tests: args.tests,
        program: &program,
        // Tests for the paths that were found are written even after an interrupt.
        solver: config.solver.uninterrupted(),
        results: &target.results,
    };
    let (exhausted, written) = writer.follow(&mut explorer, &mut progress)?;
    let statistics = explorer.statistics();
    drop(progress);
    target.results.write(&written.rows)?;
    if let Some(failure) = written.failure {
        return Err(failure.into());
    }
    let mut rows = vec![StatsRow::timed("load", 1, load)];
    rows.extend(stats_rows(&statistics));
    rows.push(StatsRow::timed("tests", written.tests, written.time));
    let covered = write_coverage(&explorer.coverage(), &program, &target.results, &mut rows)?;
    rows.push(StatsRow::timed("total", 1, begin.elapsed()));
    target.results.write(&rows)?;
    let seconds = begin.elapsed().as_secs_f64();
    let states = written.rows.len() as u64;
    say::line(&format!(
        "{} ended ({} with an error), {} left incomplete, {}, {}, {seconds:.2} s, {}: {}",
        say::count(states - written.incomplete, "path"),
        written.errors,
        written.incomplete,
        say::count(statistics.instructions, "instruction"),
        say::count(statistics.solver.first().map_or(0, |layer| layer.queries), "query"),
        say::count(written.tests, "test"),
        target.results.path().display(),
    ))?;
    say::line(&covered)?;
    for (reason, count) in &written.reasons {
        say::line(&format!("  {count} x {reason}"))?;
    }
    if args.native.is_some() {
        say::line(&format!(
            "{} tests run natively, {} of them not as predicted",
            written.replayed,
            written.mismatches.len()
        ))?;
        for mismatch in written.mismatches.iter().take(MISMATCHES_SHOWN) {
            say::line(&format!("  {mismatch}"))?;
        }
    }
    if args.stats {
        print_statistics(&rows)?;
    }
    Ok(match (clock.is_interrupted(), exhausted) {
        (true, _) => INTERRUPTED,
        (false, true) if written.incomplete == 0 && written.mismatches.is_empty() => SUCCESS,
        _ => UNDECIDED,
    })
}

/// The greatest number of mismatches that are printed.
const MISMATCHES_SHOWN: usize = 10;

fn replayer(executable: &Path, mut binaries: Binaries) -> anyhow::Result<Replayer> {
    let executable = fs::canonicalize(executable)
        .with_context(|| format!("{}: cannot be read", executable.display()))?;
    binaries.plain = Builds::One(executable);
    Ok(Replayer::new(binaries, replay::RunLimits::default())?)
}

fn load(args: &ExploreArgs, progress: &mut Progress) -> anyhow::Result<Target> {
    if args.target.is_dir() {
        return load_subject(args, progress);
    }
    let file = fs::canonicalize(&args.target)
        .with_context(|| format!("{}: cannot be read", args.target.display()))?;
    let is_c = file.extension().is_some_and(|extension| extension == "c");
    let module = if is_c {
        None
    } else {
        Some(linking::load_foreign(&args.target, Stopper::new(interrupt::token()))?)
    };
    let results =
        ResultsDir::claim(args.out.clone().unwrap_or_else(|| PathBuf::from("psychic-out")))?;
    let module = linked(module, &file, &results.bitcode())?;
    let program = Program::new(module, &Models::without(&args.search.no_model)?);
    let entry = args.entry.clone().unwrap_or_else(|| program.entry().into());
    Ok(Target {
        inputs: args.symbolic.inputs(&program.exprs, &args.args, entry == WHOLE_PROGRAM)?,
        program,
        entry,
        revisions: [Revision::ORIGINAL].into_iter().collect(),
        budget: BudgetConfig {
            time: Duration::MAX,
            instructions: u64::MAX,
            ..BudgetConfig::default()
        },
        results,
    })
}

/// Links the program in the C file `file`, or in the bitcode file `file` (already lowered to
/// `module`), with what it needs of the libc. Writes the bitcode to `out` and returns it lowered.
fn linked(module: Option<Module>, file: &Path, out: &Path) -> anyhow::Result<Module> {
    let module = match module {
        Some(whole) if whole.function(WHOLE_PROGRAM).is_some() => {
            // Copying a file onto itself would empty it.
            if fs::canonicalize(out).ok().as_deref() != Some(file) {
                fs::copy(file, out).with_context(|| out.display().to_string())?;
            }
            return Ok(whole);
        }
        module => module,
    };
    let toolchain = Toolchain::find()?.stopped_by(Stopper::new(interrupt::token()));
    let directory = file.parent().unwrap_or(Path::new("/")).to_owned();
    let libc = linking::find_libc(&directory)?;
    let (module, _) = match module {
        Some(module) => linking::link_libc(&toolchain, libc.as_ref(), (module, file), &[], out)?,
        None => {
            let sources = vec![file.file_name().map(PathBuf::from).unwrap_or_default()];
            let compilation = Compilation { directory, sources, ..Compilation::default() };
            linking::compile_bitcode(&toolchain, libc.as_ref(), &compilation, out)?
        }
    };
    Ok(module)
}

fn load_subject(args: &ExploreArgs, progress: &mut Progress) -> anyhow::Result<Target> {
    anyhow::ensure!(
        args.symbolic == SymbolicInputArgs::default()
            && args.args.is_empty()
            && args.entry.is_none(),
        "{}: the subject.toml says what a subject runs and reads; --entry, arguments and \
         options for input are only for a file",
        args.target.display()
    );
    let stage = open_stage(&args.target, args.out.as_deref(), progress)?;
    let mut merged = stage.merged(progress)?;
    let (_, module) = stage.build(&mut merged, progress)?;
    let mut program = Program::new(module, &Models::without(&args.search.no_model)?);
    program.uninitialised = stage.subject.config.uninitialised;
    Ok(Target {
        entry: program.entry().into(),
        inputs: inputs::of_subject(&program.exprs, &stage.subject)?,
        program,
        revisions: merged.revisions.into_iter().collect(),
        budget: stage.subject.config.budget,
        results: stage.results,
    })
}

/// The number of halt states for which one solver finds inputs, one after the other: neighbours
/// share conditions. It is fixed so that the inputs do not depend on the number of workers.
const BATCH: usize = 128;

/// Writes tests for halt states while the exploration goes on. Each batch of halt states goes to
/// whichever worker is idle at the end of a round.
struct Writer<'a> {
    native: Option<Replayer>,
    tests: Tests,
    program: &'a Program,
    solver: SolverConfig,
    results: &'a ResultsDir,
}

/// What was written for a number of halt states, and what to report about them.
#[derive(Default)]
struct Written {
    rows: Vec<StateRow>,
    tests: u64,
    /// Time taken, summed over all workers.
    time: Duration,
    incomplete: u64,
    errors: u64,
    /// The number of paths for each reason to leave a path incomplete, and for each error, abort or
    /// hang that ended one.
    reasons: BTreeMap<String, u64>,
    /// Why the first test that failed to be written failed; no later test of its batch is written.
    failure: Option<KtestError>,
    replayed: u64,
    /// One line for each test whose native run did not show what was predicted.
    mismatches: Vec<String>,
}

impl Writer<'_> {
    /// Explores to the end. Returns whether every path was followed to its end, and what was
    /// written.
    fn follow(
        &self,
        explorer: &mut Explorer<'_>,
        progress: &mut Progress,
    ) -> anyhow::Result<(bool, Written)> {
        if self.tests != Tests::None {
            self.results.remove_tests()?;
            let directory = self.results.tests();
            fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        }
        let pool = explorer.pool().clone();
        let batches = Mutex::new(BTreeMap::new());
        let exhausted = pool.in_place_scope(|scope| {
            let mut waiting: Vec<HaltState> = Vec::new();
            let mut next = 1;
            loop {
                let last = match explorer.round() {
                    Round::Halted(halted) => {
                        waiting.extend(halted);
                        None
                    }
                    Round::Exhausted => Some(true),
                    Round::Stopped(left) => {
                        waiting.extend(left);
                        Some(false)
                    }
                };
                while waiting.len() >= BATCH || last.is_some() && !waiting.is_empty() {
                    let batch: Vec<_> = waiting.drain(..waiting.len().min(BATCH)).collect();
                    let first = next;
                    next += batch.len() as u32;
                    let batches = &batches;
                    scope.spawn(move |_| {
                        let written = self.write(first, &batch);
                        batches.lock().expect("a worker panicked").insert(first, written);
                    });
                }
                if let Some(exhausted) = last {
                    break exhausted;
                }
                let paths = next as usize - 1 + waiting.len();
                progress.update(|| format!("{paths} paths, {} waiting", explorer.waiting()));
            }
        });
        let mut all = Written::default();
        for batch in batches.into_inner().expect("a worker panicked").into_values() {
            all.rows.extend(batch.rows);
            all.tests += batch.tests;
            all.time += batch.time;
            all.incomplete += batch.incomplete;
            all.errors += batch.errors;
            for (reason, count) in batch.reasons {
                *all.reasons.entry(reason).or_default() += count;
            }
            all.failure = all.failure.or(batch.failure);
            all.replayed += batch.replayed;
            all.mismatches.extend(batch.mismatches);
        }
        Ok((exhausted, all))
    }

    /// Writes the tests for halt states whose numbers begin with `first`.
    fn write(&self, first: u32, states: &[HaltState]) -> Written {
        let begin = Instant::now();
        let module = &self.program.module;
        let mut written = Written { rows: state_rows(module, first, states), ..Written::default() };
        let mut solver = solver::reproducible(&self.solver);
        for (number, state) in (first..).zip(states) {
            written.incomplete += u64::from(matches!(state.halt, Halt::Incomplete(_)));
            written.errors += u64::from(matches!(state.halt, Halt::Error(_)));
            if matches!(state.halt, Halt::Incomplete(_) | Halt::Error(_) | Halt::Abort | Halt::Hang)
            {
                let reason = format!("{} at {}", state.halt, location(module, state));
                *written.reasons.entry(reason).or_default() += 1;
            }
            let wanted = match self.tests {
                Tests::None => false,
                Tests::Errors => matches!(state.halt, Halt::Error(_) | Halt::Abort),
                Tests::All => true,
            };
            if wanted
                && written.failure.is_none()
                && let Some((input, predicted)) = path_test(self.program, &mut *solver, state)
            {
                // Without a sanitizer, an error need not show in the native run.
                if let (Some(native), Some(predicted)) = (&self.native, predicted)
                    && predicted.finding.is_none()
                    && predicted.noted.is_empty()
                {
                    written.replayed += 1;
                    let found = match native.outcome(&input, Revision::ORIGINAL, false) {
                        Ok(shown) => mismatch(&predicted, &shown),
                        Err(error) => Some(error.to_string()),
                    };
                    let test = TestId(number);
                    written.mismatches.extend(found.map(|what| format!("{test}: {what}")));
                }
                match input.write(&self.results.ktest(TestId(number))) {
                    Ok(()) => written.tests += 1,
                    Err(failure) => written.failure = Some(failure),
                }
            }
        }
        written.time = begin.elapsed();
        written
    }
}

/// Writes `coverage.info` and adds its figures to the `rows` of `stats.csv`. Returns the line to
/// print about it.
fn write_coverage(
    coverage: &Coverage,
    program: &Program,
    results: &ResultsDir,
    rows: &mut Vec<StatsRow>,
) -> anyhow::Result<String> {
    let files = CoveredFile::all(program, coverage);
    results.write_file("coverage.info", lcov(&files).as_bytes())?;
    let lines = files.values().map(CoveredFile::line_share).sum();
    let branches = files.values().map(CoveredFile::branch_share).sum();
    let shares = [("lines", lines), ("branches", branches)].map(|(what, share): (_, Share)| {
        rows.push(StatsRow::timed(what, share.all, Duration::ZERO));
        rows.push(StatsRow::timed(&format!("{what}.covered"), share.covered, Duration::ZERO));
        let percent = 100.0 * share.covered as f64 / share.all.max(1) as f64;
        format!("{} of {} {what} ({percent:.0} %)", share.covered, share.all)
    });
    Ok(format!("covered {}", shares.join(", ")))
}

fn print_statistics(rows: &[StatsRow]) -> anyhow::Result<()> {
    say::line(&format!("{:<20} {:>12} {:>9} {:>12}", "phase", "count", "seconds", "answered"))?;
    for row in rows {
        // The share of queries that each layer of the solver chain answers without those below it.
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
