//! `psychic diff SUBJECT`: explore, pair and replay interleaved, then cluster, tree, report.

use std::{
    fs,
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::{
    INTERRUPTED, SUCCESS, SearchArgs, UNDECIDED, inputs, interrupt,
    native::Native,
    progress::Progress,
    ranges,
    report::{self, Findings},
    say,
    stages::{self, Stage},
};
use crate::{
    diff::{self, Differ, Regions, Task, Walk},
    exec::{Clock, Program, Start, State},
    explore::{Explorer, Round, Search, Spent},
    replay::TestInput,
    report::TextStyle,
    solver::{SolverConfig, record::Recording},
    subject::results::{FoundBy, StatsRow},
};

#[derive(Args, Debug)]
pub(super) struct DiffArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Begin with the tests that an earlier, interrupted run left in the results
    #[arg(long)]
    resume: bool,
    /// Write every query that a verdict rests on here, as SMT-LIB 2 files with their answers
    #[arg(long, value_name = "DIR")]
    emit_smt2: Option<PathBuf>,
    /// Show where time and paths went, and when pairs were told apart: what is in stats.csv
    #[arg(long)]
    stats: bool,
    /// Follow paths also where no patch can make a difference any more, as is done anyway where
    /// the program has no build of its own
    #[arg(long)]
    all_paths: bool,
    /// Let revisions and inputs that parted stay apart, also where their ways meet again
    #[arg(long)]
    no_join: bool,
    /// Whether what revisions have in common is run once for all of them
    #[arg(long, value_enum, default_value_t = Sharing::Full, value_name = "WHICH")]
    sharing: Sharing,
    /// What to follow paths for [default: pairs for two revisions or a program with a build of its
    /// own; else trees, and pairs once that has taken long]
    #[arg(long, value_enum, value_name = "WHAT")]
    until: Option<Until>,
    #[command(flatten)]
    search: SearchArgs,
}

/// What paths are followed for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Until {
    /// Every way in which inputs cluster the revisions, but once that takes long only open pairs.
    #[value(skip)]
    Either,
    /// Pairs that no test has told apart yet.
    Pairs,
    /// Every way in which inputs cluster the revisions, for the lowest tree.
    Trees,
}

/// What is run once for several revisions.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Sharing {
    /// Whatever they have in common.
    Full,
    /// Nothing: each revision is explored on its own, and only paired with the others.
    None,
}

/// Exploring may take this part of the time budget, trying variants of what it found ends with the
/// next, and pairing begins nothing new after the last; the rest is for judging the tests, and
/// native runs end with it.
const EXPLORING_PART: f64 = 0.7;
const TRYING_PART: f64 = 0.85;
const SEARCHING_PART: f64 = 0.9;
/// The rest is no less than this: what was found must not be lost to a small budget.
const LEAST_JUDGING: Duration = Duration::from_secs(5);
/// Halt states are paired when there are as many new ones as there are already, within these bounds,
/// or after so many rounds.
const FIRST_BATCH: usize = 32;
const BATCH_STATES: usize = 2048;
const BATCH_ROUNDS: u32 = 4;
/// Rounds may take long, where the solver or a loop keeps some states busy: after this, a batch is full.
const BATCH_TIME: Duration = Duration::from_secs(1);
/// The regions of the input are walked for an eighth of what was explored, and at least so long, unless
/// they are asked for.
const LEAST_WALK: Duration = Duration::from_millis(500);
/// What paths are followed for beside open pairs, the clusterings of all inputs, is worth so much.
const TREE: Spent =
    Spent { paths: 4096, instructions: 2_000_000, queries: 4096, solving: Duration::from_secs(2) };
/// Of that, exploring takes this part before another way is tried to prove what is still open.
const EASY: u32 = 16;
/// But so much more of time.
const TIME: u32 = 4;
/// Before it, variants of the inputs of what was explored so far are tried, but no longer than this part of
/// the time that is left for it.
const FIRST_TRYING_PART: u32 = 6;
/// They are tried until so many in a row show nothing new: few at first, where queries take less than
/// `SLOW` on average and so soon find others.
const FEW_IN_VAIN: usize = 24;
const MANY_IN_VAIN: usize = 160;
const SLOW: Duration = Duration::from_millis(3);
/// Results are written anew after this long.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

pub(super) fn run(args: &DiffArgs) -> anyhow::Result<u8> {
    let begin = Instant::now();
    let interrupted = interrupt::listen();
    args.search.bound();
    let stage = || Stage::open(&args.subject, args.out.as_deref());
    let Some(mut stage) = interrupt::unless_interrupted(stage)? else { return Ok(INTERRUPTED) };
    let given = inputs::given_tests(&stage.subject)?.into_iter().map(|test| (test, FoundBy::Given));
    let earlier = if args.resume { earlier_tests(&stage)? } else { Vec::new() };
    let seeds = given.chain(earlier.into_iter().map(|test| (test, FoundBy::Seed))).collect();
    stage.results = stage.place.begin(args.resume)?;
    compare(args, &stage, seeds, (begin, interrupted)).inspect_err(|_| {
        _ = stage.place.give_up();
    })
}

fn compare(
    args: &DiffArgs,
    stage: &Stage,
    seeds: Vec<(TestInput, FoundBy)>,
    (begin, interrupted): (Instant, &AtomicBool),
) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let built = interrupt::unless_interrupted(|| {
        let mut merged = stage.merge(&mut progress)?;
        let (built, module) = stage.build(&mut merged, &mut progress)?;
        Ok((merged, built, module))
    })?;
    let Some((merged, built, module)) = built else {
        stage.place.give_up()?;
        return Ok(INTERRUPTED);
    };
    let config = &stage.subject.config;
    let mut program = Program::new(module, &args.search.models()?.with_terms());
    program.uninitialised = config.uninitialised;
    if !args.no_join {
        program.rejoin();
    }
    if stage.is_whole() && !args.all_paths {
        program.end_what_is_unaffected();
    }
    let inputs = inputs::of_subject(&program.exprs, &stage.subject)?;
    let start = Start {
        entry: program.entry().into(),
        revisions: merged.revisions.iter().copied().collect(),
        args: inputs.args,
        env: inputs.env,
        stdin: inputs.stdin,
        files: inputs.files,
    };
    let first = program.start(start.clone())?;
    let first = match args.sharing {
        Sharing::Full => first,
        Sharing::None => first.iter().flat_map(State::parted).collect(),
    };
    let mut exploration = stages::explore_config(&args.search, Search::Directed, &config.budget);
    let inputs = seeds.iter().map(|(input, _)| input);
    exploration.seeds = diff::seeds(&program.exprs, &first, inputs);
    exploration.solver.record = args.emit_smt2.as_deref().map(recording).transpose()?;
    // What a program's own build takes is not what the search was given.
    let building = begin.elapsed();
    let budget = stages::time_budget(&args.search, &config.budget);
    let clock = |time: Option<Duration>| Clock::new(time, interrupted);
    let exploring = clock(budget.map(|time| time.mul_f64(EXPLORING_PART)));
    let trying = clock(budget.map(|time| time.mul_f64(TRYING_PART)));
    let searching = budget.map(|time| time.mul_f64(SEARCHING_PART));
    let judging = searching.zip(budget).map(|(part, all)| all.max(part + LEAST_JUDGING));
    let (clock, judging) = (clock(searching), clock(judging));
    let record = exploration.solver.record.clone();
    let solver = SolverConfig { deadline: clock.deadline(), ..exploration.solver.clone() };
    let native = Native::new(stage, &built, judging.deadline())?;
    let limits = exploration.limits;
    let mut explorer = Explorer::new(&program, exploration, first, exploring)?;
    let mut differ = Differ::new(Task {
        program: &program,
        start: Some((start, limits)),
        replay: &native,
        solver: SolverConfig { record: record.as_ref().map(Recording::of_pairs), ..solver },
        outputs: config.outputs.clone(),
        reals: stage.real_numbers(),
        revisions: merged.revisions.clone(),
        without_result: built.without_result.clone(),
        clock,
    });
    let began = Instant::now();
    progress.stage("exploring, pairing and replaying");
    for (number, (input, found_by)) in seeds.into_iter().enumerate() {
        if found_by == FoundBy::Given && clock.is_over() {
            // The next run has it, too.
            continue;
        }
        progress.update(|| format!("{number} tests tried"));
        differ.seed(input, found_by)?;
    }
    // Of two revisions there is but one tree.
    let for_pairs = stage.is_whole() || merged.revisions.len() <= 2;
    let until = args.until.unwrap_or(if for_pairs { Until::Pairs } else { Until::Either });
    let (exhausted, until) =
        explore_and_pair(&mut explorer, &mut differ, (until, trying), stage, &mut progress)?;
    differ.finish(&explorer.exhausted(), explorer.pool())?;
    if exhausted {
        // Of what no path says anything, native runs may.
        differ.try_variants(&[], MANY_IN_VAIN, trying)?;
    }
    // Tests are judged anew, and so numbered anew.
    stage.results.put_tests_aside()?;
    let walk = if exhausted && until != Until::Pairs && !clock.is_over() {
        progress.stage("walking the regions of the input");
        let regions = match until {
            // All clusterings are what was asked for.
            Until::Trees => Regions::asked_for(clock.deadline()),
            Until::Pairs | Until::Either => {
                let time = (began.elapsed() / 8).max(LEAST_WALK);
                Regions::by_default(clock.within(time).deadline())
            }
        };
        differ.walk(regions)?
    } else {
        Walk::default()
    };
    let findings = Findings {
        stage,
        merged: &merged,
        program: &program,
        differ: &differ,
        walk: &walk,
        statistics: explorer.statistics(),
        exhausted,
        building,
        elapsed: begin.elapsed(),
        deadline: judging.deadline(),
    };
    // Else some seeds may not have been run.
    let all_judged = native.is_in_time();
    let report = findings.write()?;
    if all_judged {
        stage.results.forget_tests()?;
    }
    stage.place.finish()?;
    drop(progress);
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    say::line(report.terminal(style).trim_end_matches('\n'))?;
    for line in ranges::table(&walk.ranges, &report) {
        say::line(&line)?;
    }
    say::line(&report::conclusion(&report, stage))?;
    if args.stats {
        for StatsRow { phase, count, seconds, .. } in &report.stats {
            say::line(&format!("{phase:<32} {count:>12} {seconds:>10.3} s"))?;
        }
    }
    if exhausted && !walk.complete {
        match until {
            // No tree is lower than one question.
            Until::Pairs if report.summary.height <= 1 => {}
            Until::Pairs => say::line(
                "paths were followed for open pairs only: --until trees may find a lower tree",
            )?,
            Until::Trees | Until::Either => say::line(
                "not every region of the input was visited: other tests may make a lower tree",
            )?,
        }
    }
    if clock.is_interrupted() {
        return Ok(INTERRUPTED);
    }
    let decided = report.summary.unknown == 0
        && report.summary.mismatches == 0
        && report.unseparated().is_empty();
    let written = record.is_none_or(|record| record.is_complete());
    Ok(if decided && written { SUCCESS } else { UNDECIDED })
}

/// Runs rounds until nothing is left to explore or time is over, and hands on what halted;
/// whether every path was followed to its end, and for what in the end.
///
/// Halt states are handed on in batches: of a revision of which no state has halted yet nothing can be
/// predicted. When a batch is full depends on the exploration alone, not on time, so that the results do
/// not either, as long as rounds are short.
fn explore_and_pair(
    explorer: &mut Explorer<'_>,
    differ: &mut Differ<'_>,
    (mut until, trying): (Until, Clock<'_>),
    stage: &Stage,
    progress: &mut Progress,
) -> anyhow::Result<(bool, Until)> {
    let mut written = Instant::now();
    let mut batch = Vec::new();
    let (mut rounds, mut paired) = (0, Instant::now());
    // What a whole program does with the kernel is not summed up.
    let mut in_lockstep = stage.is_whole();
    follow_open(explorer, differ, until)?;
    loop {
        let last = match explorer.round() {
            Round::Halted(halted) => {
                batch.extend(halted);
                None
            }
            Round::Exhausted => Some(true),
            Round::Stopped(left) => {
                batch.extend(left);
                differ.try_variants(&batch, MANY_IN_VAIN, trying)?;
                if !std::mem::replace(&mut in_lockstep, true) {
                    differ.run_in_lockstep();
                }
                Some(false)
            }
        };
        rounds += 1;
        let full = differ.states().len().clamp(FIRST_BATCH, BATCH_STATES);
        let is_late = rounds >= BATCH_ROUNDS || paired.elapsed() >= BATCH_TIME;
        let is_open = differ.pairs().open() > 0;
        // Where nothing is waiting, all is explored: the next round says so.
        let goes_on = last.is_none() && explorer.waiting() > 0;
        let turns_hard = !in_lockstep && goes_on && is_open && is_hard(explorer.spent());
        if last.is_some() || turns_hard || batch.len() >= full || is_late {
            differ.add(std::mem::take(&mut batch), explorer.pool())?;
            report::write_inputs(stage, differ)?;
            follow_open(explorer, differ, until)?;
            (rounds, paired) = (0, Instant::now());
        }
        // That there is nothing left to explore proves nothing where a path came to no good end.
        let is_vague = || differ.states().iter().any(|state| !state.is_exact());
        if last == Some(true) && !in_lockstep && differ.pairs().open() > 0 && is_vague() {
            differ.run_in_lockstep();
        }
        progress.update(|| {
            format!(
                "{} paths, {} waiting, {} tests, {} pairs open",
                differ.states().len() + batch.len(),
                explorer.waiting(),
                differ.tests().len(),
                differ.pairs().open()
            )
        });
        if turns_hard && differ.pairs().open() > 0 {
            in_lockstep = true;
            // Most patches that differ do so on usual inputs, which the next path may be far from.
            let known = differ.states().is_empty().then(|| explorer.glimpse());
            let time = trying.left().map(|left| left / FIRST_TRYING_PART);
            let trying = time.map_or(trying, |time| trying.within(time));
            let Spent { queries, solving, .. } = explorer.spent();
            let is_slow = solving >= SLOW * queries.max(1) as u32;
            let in_vain = if is_slow { MANY_IN_VAIN } else { FEW_IN_VAIN };
            differ.try_variants(&known.unwrap_or_default(), in_vain, trying)?;
            differ.confirm(explorer.pool())?;
            differ.run_in_lockstep();
            follow_open(explorer, differ, until)?;
        }
        if let Some(exhausted) = last {
            return Ok((exhausted, until));
        }
        if until == Until::Either && is_long(explorer.spent(), differ.pairs().open()) {
            until = Until::Pairs;
            follow_open(explorer, differ, until)?;
        }
        if written.elapsed() >= WRITE_INTERVAL {
            report::write_tests(stage, differ)?;
            written = Instant::now();
        }
    }
}

/// Leaves out what does not matter to a pair that is open.
fn follow_open(
    explorer: &mut Explorer<'_>,
    differ: &mut Differ<'_>,
    until: Until,
) -> anyhow::Result<()> {
    if until == Until::Pairs {
        differ.confirm(explorer.pool())?;
        explorer.keep(differ.leave_decided());
    }
    Ok(())
}

/// Whether exploring has taken long enough for a tree. Where no pair is open, nothing else is left to
/// be done.
fn is_long(spent: Spent, open: usize) -> bool {
    is_part_spent(spent, if open == 0 { 8 } else { 1 })
}

/// Whether exploring has taken long enough to try another way. Time counts for less: it is not the same on
/// any machine.
fn is_hard(spent: Spent) -> bool {
    is_part_spent(Spent { solving: spent.solving / TIME, ..spent }, EASY)
}

/// Whether exploring has taken this part of what it may for a tree.
fn is_part_spent(spent: Spent, part: u32) -> bool {
    spent.paths >= TREE.paths / u64::from(part)
        || spent.instructions >= TREE.instructions / u64::from(part)
        || spent.queries >= TREE.queries / u64::from(part)
        || spent.solving >= TREE.solving / part
}

/// Where the queries go that verdicts rest on. Those of two runs must not be mixed.
fn recording(directory: &Path) -> anyhow::Result<Recording> {
    let name = || directory.display().to_string();
    fs::create_dir_all(directory).with_context(name)?;
    if fs::read_dir(directory).with_context(name)?.next().is_some() {
        bail!("{} is not empty: --emit-smt2 takes a new directory", name());
    }
    Ok(Recording::of_exploration(directory.to_owned()))
}

/// The inputs that earlier runs of the same subject left.
fn earlier_tests(stage: &Stage) -> anyhow::Result<Vec<TestInput>> {
    stage.results.left_tests()?.into_iter().map(|file| inputs::test(&file)).collect()
}
