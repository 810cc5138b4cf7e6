//! Explores and pairs what was built, within the time budget ([`Exploration`]).

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use super::{
    addresses::native_addresses,
    built::Built,
    inputs, interact,
    merged::Merged,
    native::Native,
    observer::{Event, Observer},
    options::{Options, Sharing, Until},
    rounds::{MANY_IN_VAIN, explore_and_pair},
    shadow::{Behind, Followed, Hunt, Shadow},
    stage::Stage,
};
use crate::{
    diff::{self, Differ, Task},
    exec::{Clock, Program, Start, State},
    explore::{ExploreConfig, Explorer, Search},
    ir::Module,
    replay::TestInput,
    results::{FoundBy, Phase},
    solver::{SolverConfig, record::Recording},
};

/// The part of the time budget after which exploring ends.
const EXPLORING_PART: f64 = 0.7;
/// The part of the time budget after which no more variants of known inputs are tried.
const TRYING_PART: f64 = 0.85;
/// The part of the time budget after which pairing begins nothing new. The rest is for judging the
/// tests; no native run begins after it.
const SEARCHING_PART: f64 = 0.9;
/// The least time for judging the tests: a small budget must not lose what was found.
pub(super) const LEAST_JUDGING: Duration = Duration::from_secs(5);

/// What is explored, and what for.
pub(super) struct Exploration<'a> {
    pub(super) stage: &'a Stage,
    pub(super) options: &'a Options,
    pub(super) merged: &'a Merged,
    pub(super) built: &'a Built,
    /// The divergences that are looked for, if they are.
    pub(super) shadow: Option<&'a Shadow>,
    /// The changes whose interaction is looked for, if the revisions are subsets of them.
    pub(super) changes: Option<&'a interact::Task>,
}

/// An exploration that has ended, with all that it found.
pub(super) struct Explored<'e, 'd> {
    pub(super) program: &'e Program,
    /// The divergences that were looked for, and the inputs that were found.
    pub(super) shadow: Option<(&'e Shadow, Vec<(Behind, TestInput)>)>,
    /// What was not looked at behind divergences, in words.
    pub(super) bounds: Vec<String>,
    pub(super) explorer: Explorer<'e>,
    pub(super) differ: Differ<'d>,
    pub(super) native: &'e Native<'e>,
    /// As [`Findings::exhausted`].
    pub(super) exhausted: bool,
    pub(super) until: Until,
    pub(super) began: Instant,
    /// The clock for beginning anything new. `judging` is the clock for judging tests.
    pub(super) clock: Clock<'e>,
    pub(super) judging: Clock<'e>,
    pub(super) record: Option<Recording>,
}

/// The times until which each part of the work begins anything new.
struct Clocks<'a> {
    exploring: Clock<'a>,
    trying: Clock<'a>,
    searching: Clock<'a>,
    judging: Clock<'a>,
}

impl Exploration<'_> {
    /// Explores and pairs. Then `conclude` makes the result.
    pub(super) fn run<T>(
        &self,
        module: Module,
        seeds: Vec<(TestInput, FoundBy)>,
        observer: &mut dyn Observer,
        conclude: impl FnOnce(Explored<'_, '_>, &mut dyn Observer) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Self { stage, options, merged, built, shadow, changes } = *self;
        let config = &stage.subject.config;
        let program = self.program(module)?;
        let (start, first) = self.first(&program)?;
        let mut exploration = options.search.config(Search::Directed, &config.budget);
        let tests: Vec<TestInput> = seeds.iter().map(|(input, _)| input.clone()).collect();
        exploration.seeds = diff::seeds(&program.exprs, &first, &tests);
        exploration.solver.record = options.queries.as_deref().map(recording).transpose()?;
        let Clocks { exploring, trying, searching: clock, judging } = self.clocks();
        let record = exploration.solver.record.clone();
        let solver = SolverConfig { deadline: clock.deadline(), ..exploration.solver.clone() };
        let native = Native::new(stage, built, judging.deadline())?;
        let limits = exploration.limits;
        let (manner, beginning) = (exploration.clone(), first.clone());
        let mut explorer = Explorer::new(&program, exploration, first, exploring)?;
        let mut differ = Differ::new(Task {
            program: &program,
            start: Some((start.clone(), limits)),
            replay: &native,
            solver: SolverConfig { record: record.as_ref().map(Recording::of_pairs), ..solver },
            outputs: config.outputs.clone(),
            reals: stage.real_numbers(),
            revisions: merged.revisions.clone(),
            without_result: built.without_result.clone(),
            clock,
        });
        differ.have_same_code(built.same_code.clone());
        let began = Instant::now();
        observer.observe(Event::Exploring);
        for (tests, (input, found_by)) in seeds.into_iter().enumerate() {
            if found_by == FoundBy::Given && clock.is_over() {
                // The test is not lost: the next run is given it, too.
                continue;
            }
            observer.observe(Event::Trying { tests });
            differ.seed(input, found_by)?;
        }
        // Two revisions have only one tree.
        let for_pairs = stage.is_whole() || merged.revisions.len() <= 2;
        let mut until =
            options.until.unwrap_or(if for_pairs { Until::Pairs } else { Until::Either });
        let mut exhausted = false;
        // A search that has tests does not look at what is far from them.
        if shadow.is_none() || tests.is_empty() {
            (exhausted, until) =
                explore_and_pair(&mut explorer, &mut differ, (until, trying), stage, observer)?;
        }
        let (mut behind, mut bounds) = (Vec::new(), Vec::new());
        if let Some(shadow) = shadow {
            let config = &ExploreConfig { divergences_from: Some(shadow.old), ..manner };
            let (program, start, first) = (&program, &start, &beginning[..]);
            let hunt = Hunt { shadow, stage, program, start, first, config, clock };
            let followed = look(&hunt, &tests)?;
            bounds.extend(followed.bound());
            for found in followed.paths {
                let Some(input) = differ.input_of(&found.state) else { continue };
                differ.seed(input.clone(), FoundBy::Divergence)?;
                behind.push((found, input));
            }
        }
        if let Some(task) = changes {
            task.cover(&mut differ, clock)?;
        }
        differ.finish(&explorer.exhausted(), explorer.pool())?;
        if exhausted && shadow.is_none() {
            // Native runs may tell apart revisions about which no path says anything.
            differ.try_variants(&[], MANY_IN_VAIN, trying)?;
        }
        let explored = Explored {
            program: &program,
            shadow: shadow.map(|shadow| (shadow, behind)),
            bounds,
            explorer,
            differ,
            native: &native,
            exhausted,
            until,
            began,
            clock,
            judging,
            record,
        };
        conclude(explored, observer)
    }

    /// The program as it is explored.
    fn program(&self, module: Module) -> anyhow::Result<Program> {
        let Self { stage, options, built, .. } = self;
        let mut program = Program::new(module, &options.search.models()?.with_terms());
        program.uninitialised = stage.subject.config.uninitialised;
        program.native_addresses = native_addresses(&program.module, &built.native_addresses);
        if !options.apart {
            program.rejoin();
        }
        if stage.is_whole() && !options.all_paths {
            program.end_what_is_unaffected();
        }
        Ok(program)
    }

    /// Where the program starts, and the states with which its exploration begins.
    fn first(&self, program: &Program) -> anyhow::Result<(Start, Vec<State>)> {
        let inputs = inputs::of_subject(&program.exprs, &self.stage.subject)?;
        let start = Start {
            entry: program.entry().into(),
            revisions: self.merged.revisions.iter().copied().collect(),
            args: inputs.args,
            env: inputs.env,
            stdin: inputs.stdin,
            files: inputs.files,
            times: inputs.times,
        };
        let first = program.start(start.clone())?;
        let first = match self.options.sharing {
            Sharing::Full => first,
            Sharing::None => first.iter().flat_map(State::parted).collect(),
        };
        Ok((start, first))
    }

    fn clocks(&self) -> Clocks<'_> {
        let search = &self.options.search;
        let budget = search.time(&self.stage.subject.config.budget);
        let clock = |time: Option<Duration>| Clock::new(time, &search.interrupt);
        // A search for divergences gives no step more time than it has itself.
        let part = |part| {
            let clock = clock(budget.map(|time| time.mul_f64(part)));
            self.shadow.map_or(clock, |shadow| clock.within(shadow.concolic))
        };
        let searching = budget.map(|time| time.mul_f64(SEARCHING_PART));
        let judging = searching.zip(budget).map(|(part, all)| all.max(part + LEAST_JUDGING));
        Clocks {
            exploring: part(EXPLORING_PART),
            trying: part(TRYING_PART),
            searching: clock(searching),
            judging: clock(judging),
        }
    }
}

/// Looks for divergences along tests or, if there are none, everywhere, and follows the paths behind
/// them.
fn look(hunt: &Hunt<'_>, tests: &[TestInput]) -> anyhow::Result<Followed> {
    match tests.is_empty() {
        true => hunt.behind(hunt.everywhere()?, Phase::Symbolic),
        false => hunt.behind(hunt.along(tests)?, Phase::Concolic),
    }
}

/// Prepares `directory` for the queries that verdicts rest on. It must be empty, as queries of two
/// runs must not be mixed.
fn recording(directory: &Path) -> anyhow::Result<Recording> {
    let name = || directory.display().to_string();
    fs::create_dir_all(directory).with_context(name)?;
    if fs::read_dir(directory).with_context(name)?.next().is_some() {
        bail!("{} is not empty: --emit-smt2 takes a new directory", name());
    }
    Ok(Recording::of_exploration(directory.to_owned()))
}
