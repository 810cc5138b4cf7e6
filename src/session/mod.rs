//! A run from a subject to its findings: merge, build, explore, pair, replay, cluster, tree.
//!
//! Nothing is printed: an [`Observer`] is told how far the run is. It ends early when its
//! [`Interrupt`] is set, with what was found; a compiler or a package's build that runs just then comes to
//! its own end first. A program that uses this begins with
//! [`sandbox_helper`](crate::replay::sandbox_helper), as native runs are confined by a process of their own, which
//! is that program once more.

mod bounds;
mod describe;
mod findings;
mod glances;
pub(crate) mod inputs;
pub(crate) mod native;
mod observer;
mod options;
mod rounds;
pub(crate) mod rows;
pub(crate) mod stages;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tempfile::TempDir;

pub use findings::Findings;
pub(crate) use findings::{BUILD, MISMATCHES};
pub use observer::{Event, Observer};
pub use options::{Options, SearchOptions, Sharing, Until};

use crate::{
    diff::{self, Differ, Regions, Task, Walk},
    exec::{Clock, Program, Start, State},
    explore::{Explorer, Search},
    interrupt::Interrupt,
    ir::Module,
    replay::{self, TestInput},
    results::{FoundBy, ResultsDir},
    solver::{SolverConfig, record::Recording},
    subject::Subject,
};
use findings::{Run, write_inputs};
use native::Native;
use rounds::{MANY_IN_VAIN, explore_and_pair};
use stages::{Built, Merged, Stage};

/// Why a run has come to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It was asked to end before it could find anything.
    #[error("interrupted before anything was found")]
    Interrupted,
    /// Something is wrong with the subject, or with what a run needs; the message says what, where
    /// and what to do.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

/// Exploring may take this part of the time budget, trying variants of what it found ends with the
/// next, and pairing begins nothing new after the last; the rest is for judging the tests, and
/// native runs end with it.
const EXPLORING_PART: f64 = 0.7;
const TRYING_PART: f64 = 0.85;
const SEARCHING_PART: f64 = 0.9;
/// The rest is no less than this: what was found must not be lost to a small budget.
const LEAST_JUDGING: Duration = Duration::from_secs(5);
/// The regions of the input are walked for an eighth of what was explored, and at least so long, unless
/// they are asked for.
const LEAST_WALK: Duration = Duration::from_millis(500);

/// A subject whose revisions are to be compared.
pub struct Session {
    stage: Stage,
    options: Options,
    /// Where it works, if nobody has said where.
    _scratch: Option<TempDir>,
}

impl Session {
    /// Takes the place of the results; nothing is built yet.
    ///
    /// # Errors
    /// The place cannot be written to, has something else, or is taken by another run; there is no
    /// compiler; `main` does not begin with [`sandbox_helper`](crate::replay::sandbox_helper).
    pub fn new(subject: Subject, options: Options) -> Result<Self, Error> {
        replay::refuse_idle_helper().map_err(anyhow::Error::from)?;
        let (place, scratch) = match &options.out {
            Some(out) => (out.clone(), None),
            None => {
                let scratch = tempfile::tempdir().context("a temporary directory")?;
                (scratch.path().join("results"), Some(scratch))
            }
        };
        let place = ResultsDir::claim(place).map_err(anyhow::Error::from)?;
        let stage = Stage::new(subject, place)?;
        Ok(Self { stage, options, _scratch: scratch })
    }

    /// Tells the revisions apart. Results go to [`Options::out`] while they are found, and take the
    /// place of what is there at the end.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Failed`] with what is wrong.
    pub fn diff(mut self, observer: &mut dyn Observer) -> Result<Findings, Error> {
        let began = Instant::now();
        let interrupt = self.options.search.interrupt.clone();
        unless_interrupted(&interrupt, || self.stage.prepare(observer))?;
        let seeds = self.seeds()?;
        let begun = self.stage.place.begin(self.options.resume);
        self.stage.results = begun.map_err(anyhow::Error::from)?;
        self.compare(seeds, began, observer).inspect_err(|_| {
            // Nothing is left to be said about that.
            _ = self.stage.place.give_up();
        })
    }

    /// The inputs that the subject gives, and those that an earlier run left.
    fn seeds(&self) -> anyhow::Result<Vec<(TestInput, FoundBy)>> {
        let given = inputs::given_tests(&self.stage.subject)?.into_iter();
        let mut seeds: Vec<_> = given.map(|test| (test, FoundBy::Given)).collect();
        if self.options.resume {
            for file in self.stage.results.left_tests()? {
                seeds.push((inputs::test(&file)?, FoundBy::Seed));
            }
        }
        Ok(seeds)
    }

    fn compare(
        &self,
        seeds: Vec<(TestInput, FoundBy)>,
        began: Instant,
        observer: &mut dyn Observer,
    ) -> Result<Findings, Error> {
        let interrupt = &self.options.search.interrupt;
        let mut merged = unless_interrupted(interrupt, || self.stage.merge(observer))?;
        let (built, module) = unless_interrupted(interrupt, || {
            let built = self.stage.build(&mut merged, observer)?;
            observer.observe(Event::Built);
            Ok(built)
        })?;
        Ok(self.explore((merged, built, module), seeds, began, observer)?)
    }

    fn explore(
        &self,
        (merged, built, module): (Merged, Built, Module),
        seeds: Vec<(TestInput, FoundBy)>,
        begin: Instant,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Findings> {
        let Self { stage, options, .. } = self;
        let config = &stage.subject.config;
        let mut program = Program::new(module, &options.search.models()?.with_terms());
        program.uninitialised = config.uninitialised;
        if !options.apart {
            program.rejoin();
        }
        if stage.is_whole() && !options.all_paths {
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
        let first = match options.sharing {
            Sharing::Full => first,
            Sharing::None => first.iter().flat_map(State::parted).collect(),
        };
        let mut exploration = options.search.config(Search::Directed, &config.budget);
        let inputs = seeds.iter().map(|(input, _)| input);
        exploration.seeds = diff::seeds(&program.exprs, &first, inputs);
        exploration.solver.record = options.queries.as_deref().map(recording).transpose()?;
        // What a program's own build takes is not what the search was given.
        let building = begin.elapsed();
        let budget = options.search.time(&config.budget);
        let clock = |time: Option<Duration>| Clock::new(time, &options.search.interrupt);
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
        observer.observe(Event::Exploring);
        for (tests, (input, found_by)) in seeds.into_iter().enumerate() {
            if found_by == FoundBy::Given && clock.is_over() {
                // The next run has it, too.
                continue;
            }
            observer.observe(Event::Trying { tests });
            differ.seed(input, found_by)?;
        }
        // Of two revisions there is but one tree.
        let for_pairs = stage.is_whole() || merged.revisions.len() <= 2;
        let until = options.until.unwrap_or(if for_pairs { Until::Pairs } else { Until::Either });
        let (exhausted, until) =
            explore_and_pair(&mut explorer, &mut differ, (until, trying), stage, observer)?;
        differ.finish(&explorer.exhausted(), explorer.pool())?;
        if exhausted {
            // Of what no path says anything, native runs may.
            differ.try_variants(&[], MANY_IN_VAIN, trying)?;
        }
        // Tests are judged anew, and so numbered anew.
        stage.results.put_tests_aside()?;
        let walk = if exhausted && until != Until::Pairs && !clock.is_over() {
            observer.observe(Event::Walking);
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
        // Else some seeds may not have been run.
        let all_judged = native.is_in_time();
        // The search for the tree may take its time: what was found is not lost with it.
        write_inputs(&stage.results, differ.tests())?;
        let run = Run {
            stage,
            merged: &merged,
            program: &program,
            differ: &differ,
            walk,
            statistics: explorer.statistics(),
            exhausted,
            until,
            building,
            elapsed: begin.elapsed(),
            deadline: judging.deadline(),
        };
        let mut findings = run.findings()?;
        findings.write_to(&stage.results)?;
        findings.recorded = record.is_none_or(|record| record.is_complete());
        if all_judged {
            stage.results.forget_tests()?;
        }
        stage.place.finish()?;
        findings.interrupted = clock.is_interrupted();
        Ok(findings)
    }
}

/// Makes what comes before anything can be found; nothing, where the run is asked to end.
fn unless_interrupted<T>(
    interrupt: &Interrupt,
    make: impl FnOnce() -> anyhow::Result<T>,
) -> Result<T, Error> {
    if interrupt.is_set() {
        return Err(Error::Interrupted);
    }
    let made = make();
    if interrupt.is_set() { Err(Error::Interrupted) } else { Ok(made?) }
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
