//! A comparison from a subject to its findings, and other questions that exploring answers.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::{
    addresses::native_addresses,
    bounds::unreached,
    built::Built,
    error::Error,
    findings::{Findings, Run, write_inputs},
    inner::probed,
    inputs,
    interact::{self, Interact},
    merged::Merged,
    native::Native,
    observer::{Event, Observer},
    options::{Options, Sharing, Until},
    rounds::{MANY_IN_VAIN, explore_and_pair},
    rows::takes_part,
    shadow::{self, Behind, Hunt, Shadow},
    stage::Stage,
};
use crate::{
    diff::{self, Differ, Question, RegionWalk, Regions, Task, When},
    exec::{Clock, Program, Start, State},
    explore::{ExploreConfig, Explorer, Search},
    interrupt::Interrupt,
    ir::Module,
    replay::{self, TestInput},
    results::{FoundBy, PairRow, Phase, ResultsDir, Verdict},
    solver::{SolverConfig, record::Recording},
    subject::{Revision, Subject},
};

/// The part of the time budget after which exploring ends.
const EXPLORING_PART: f64 = 0.7;
/// The part of the time budget after which no more variants of known inputs are tried.
const TRYING_PART: f64 = 0.85;
/// The part of the time budget after which pairing begins nothing new. The rest is for judging the
/// tests; no native run begins after it.
const SEARCHING_PART: f64 = 0.9;
/// The least time for judging the tests: a small budget must not lose what was found.
const LEAST_JUDGING: Duration = Duration::from_secs(5);
/// The least time limit for walking the regions of the input if that was not asked for. The limit
/// is otherwise an eighth of the time since exploring began.
const LEAST_WALK: Duration = Duration::from_secs(1);

/// What is said about the interaction of changes if some clusterings may not have been seen.
const UNVISITED: &str = "not every way in which inputs tell the subsets apart was visited: other inputs may \
                         show further interactions";

/// The greatest number of subsets of changes for which every clustering is looked for.
const FEW: usize = 64;

/// A subject whose revisions are to be compared.
pub struct Session {
    stage: Stage,
    options: Options,
    /// The changes whose interaction is looked for, if the revisions are subsets of them.
    changes: Option<interact::Task>,
    /// The directory to work in if there is no [`Options::out`].
    _scratch: Option<TempDir>,
}

impl Session {
    /// Claims the results directory for this session. Nothing is built yet.
    ///
    /// # Errors
    /// The directory cannot be written to, holds something that no run has written, or is claimed
    /// by another run; there is no compiler; or `main` does not begin with
    /// [`sandbox_helper`](crate::replay::sandbox_helper).
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
        let stage = Stage::new(subject, place, &options.search.interrupt)?;
        Ok(Self { stage, options, changes: None, _scratch: scratch })
    }

    /// Tells the revisions apart. Results are written below [`Options::out`] as they are found, and
    /// replace those of an earlier run at the end.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the run was asked to end before it could find anything;
    /// [`Error::Failed`] with what is wrong.
    pub fn diff(mut self, observer: &mut dyn Observer) -> Result<Findings, Error> {
        let began = Instant::now();
        let interrupt = self.options.search.interrupt.clone();
        unless_interrupted(&interrupt, || self.stage.prepare(observer))?;
        let seeds = self.seeds()?;
        let begun = self.stage.place.begin(self.options.resume);
        self.stage.results = begun.map_err(anyhow::Error::from)?;
        self.compare(seeds, began, None, observer).inspect_err(|_| {
            // The first error is the one to report.
            _ = self.stage.place.give_up();
        })
    }

    /// Looks for divergences: inputs on which new revisions take another way through the code than
    /// an old one. Compares the revisions on these inputs. Results are those of [`Self::diff`] and
    /// [`Findings::divergences`].
    ///
    /// # Errors
    /// As for [`Self::diff`]; there is no such revision; or no test reaches a patch.
    pub fn shadow(
        mut self,
        shadow: &Shadow,
        observer: &mut dyn Observer,
    ) -> Result<Findings, Error> {
        let began = Instant::now();
        let interrupt = self.options.search.interrupt.clone();
        unless_interrupted(&interrupt, || self.stage.prepare(observer))?;
        let seeds = if shadow.without_tests { Vec::new() } else { self.seeds()? };
        self.stage.results = self.stage.place.begin(false).map_err(anyhow::Error::from)?;
        self.compare(seeds, began, Some(shadow), observer).inspect_err(|_| {
            // The first error is the one to report.
            _ = self.stage.place.give_up();
        })
    }

    /// Tells the subsets of the changes of one patch apart, and says which changes interact.
    /// Results are those of [`Self::diff`], whose revisions are the subsets, and
    /// [`Report::interaction`](crate::report::Report::interaction).
    ///
    /// # Errors
    /// As for [`Self::diff`]; there is no such patch, it was set aside, or has one change only.
    pub fn interact(
        mut self,
        interact: &Interact,
        observer: &mut dyn Observer,
    ) -> Result<Findings, Error> {
        let began = Instant::now();
        let interrupt = self.options.search.interrupt.clone();
        let task = unless_interrupted(&interrupt, || {
            self.stage.prepare(observer)?;
            interact::Task::new(&self.stage, interact, observer)
        })?;
        self.stage = Stage::new(task.subject(), self.stage.place.clone(), &interrupt)?;
        unless_interrupted(&interrupt, || self.stage.prepare(observer))?;
        if self.stage.subject.revisions() <= FEW {
            // Each way in which inputs cluster the subsets may show another interaction.
            self.options.until.get_or_insert(Until::Trees);
        }
        self.changes = Some(task);
        let seeds = self.seeds()?;
        self.stage.results = self.stage.place.begin(false).map_err(anyhow::Error::from)?;
        self.compare(seeds, began, None, observer).inspect_err(|_| {
            // The first error is the one to report.
            _ = self.stage.place.give_up();
        })
    }

    /// The inputs that the subject gives and, to resume, those that an earlier run left.
    fn seeds(&self) -> anyhow::Result<Vec<(TestInput, FoundBy)>> {
        let given = inputs::given_tests(&self.stage.subject)?.into_iter();
        let mut seeds: Vec<_> = given.map(|test| (test.input, FoundBy::Given)).collect();
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
        shadow: Option<&Shadow>,
        observer: &mut dyn Observer,
    ) -> Result<Findings, Error> {
        let interrupt = &self.options.search.interrupt;
        let mut merged = unless_interrupted(interrupt, || self.stage.merge(observer))?;
        if let Some(shadow) = shadow {
            shadow.choose(&mut merged)?;
        }
        if let Some(task) = &self.changes {
            // Without these revisions, there is nothing to look for, or nothing to judge it by.
            let needed = [Some(task.patched()), self.stage.subject.reference];
            for revision in needed.into_iter().flatten() {
                takes_part(&merged.rows, revision)?;
            }
        }
        self.compare_merged(merged, (seeds, began), shadow, observer)
    }

    /// Builds, explores and concludes. `began` is the time from which the build counts.
    fn compare_merged(
        &self,
        mut merged: Merged,
        (seeds, began): (Vec<(TestInput, FoundBy)>, Instant),
        shadow: Option<&Shadow>,
        observer: &mut dyn Observer,
    ) -> Result<Findings, Error> {
        let interrupt = &self.options.search.interrupt;
        let (built, module) = unless_interrupted(interrupt, || {
            let built = self.stage.build(&mut merged, observer)?;
            self.stage.note_built();
            observer.observe(Event::Built);
            Ok(built)
        })?;
        // The time of merge and build does not count towards the budget of the search.
        let building = began.elapsed();
        let found = self.explore(
            (&merged, &built, module),
            seeds,
            shadow,
            observer,
            |explored, observer| self.conclude(explored, &merged, (began, building), observer),
        );
        Ok(found?)
    }

    /// When two revisions differ ([`Differ::when`]). `known` has inputs, and whether the two
    /// differed on them natively.
    pub(super) fn when(
        &self,
        pair: [Revision; 2],
        known: &[(TestInput, bool)],
    ) -> Result<Option<When>, Error> {
        let observer: &mut dyn Observer = &mut ();
        let mut merged = self.stage.merge(observer)?;
        let (built, module) = self.stage.build(&mut merged, observer)?;
        merged.revisions.retain(|revision| pair.contains(revision));
        let signs = self.stage.integers();
        let found =
            self.explore((&merged, &built, module), Vec::new(), None, observer, |explored, _| {
                let Explored { explorer, mut differ, clock, .. } = explored;
                let deadline = clock.deadline();
                let question = Question { pair, signs: signs.as_ref(), known, deadline };
                Ok(differ.when(question, &explorer.exhausted())?)
            });
        Ok(found?)
    }

    /// Explores and pairs what was built, within the time budget. Then `conclude` makes the result.
    fn explore<T>(
        &self,
        (merged, built, module): (&Merged, &Built, Module),
        seeds: Vec<(TestInput, FoundBy)>,
        shadow: Option<&Shadow>,
        observer: &mut dyn Observer,
        conclude: impl FnOnce(Explored<'_, '_>, &mut dyn Observer) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Self { stage, options, .. } = self;
        let config = &stage.subject.config;
        let mut program = Program::new(module, &options.search.models()?.with_terms());
        program.uninitialised = config.uninitialised;
        program.native_addresses = native_addresses(&program.module, &built.native_addresses);
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
            times: inputs.times,
        };
        let first = program.start(start.clone())?;
        let first = match options.sharing {
            Sharing::Full => first,
            Sharing::None => first.iter().flat_map(State::parted).collect(),
        };
        let mut exploration = options.search.config(Search::Directed, &config.budget);
        let tests: Vec<TestInput> = seeds.iter().map(|(input, _)| input.clone()).collect();
        exploration.seeds = diff::seeds(&program.exprs, &first, &tests);
        exploration.solver.record = options.queries.as_deref().map(recording).transpose()?;
        let budget = options.search.time(&config.budget);
        let clock = |time: Option<Duration>| Clock::new(time, &options.search.interrupt);
        // A search for divergences gives no step more time than it has itself.
        let part = |part| {
            let clock = clock(budget.map(|time| time.mul_f64(part)));
            shadow.map_or(clock, |shadow| clock.within(shadow.concolic))
        };
        let (exploring, trying) = (part(EXPLORING_PART), part(TRYING_PART));
        let searching = budget.map(|time| time.mul_f64(SEARCHING_PART));
        let judging = searching.zip(budget).map(|(part, all)| all.max(part + LEAST_JUDGING));
        let (clock, judging) = (clock(searching), clock(judging));
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
            let config = ExploreConfig { divergences_from: Some(shadow.old), ..manner };
            let (program, start, first, config) = (&program, &start, &beginning[..], &config);
            let hunt = Hunt { shadow, stage, program, start, first, config, clock };
            let followed = match tests.is_empty() {
                true => hunt.behind(hunt.everywhere()?, Phase::Symbolic)?,
                false => hunt.behind(hunt.along(&tests)?, Phase::Concolic)?,
            };
            bounds.extend(followed.bound());
            for found in followed.paths {
                let Some(input) = differ.input_of(&found.state) else { continue };
                differ.seed(input.clone(), FoundBy::Divergence)?;
                behind.push((found, input));
            }
        }
        if let Some(task) = &self.changes {
            task.cover(&mut differ, clock)?;
        }
        differ.finish(&explorer.exhausted(), explorer.pool())?;
        if exhausted && shadow.is_none() {
            // Native runs may tell apart revisions about which no path says anything.
            differ.try_variants(&[], MANY_IN_VAIN, trying)?;
        }
        let program = &program;
        let explored = Explored {
            program,
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

    /// Walks the regions, searches for the tree, and writes the results.
    fn conclude(
        &self,
        explored: Explored<'_, '_>,
        merged: &Merged,
        (begin, building): (Instant, Duration),
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Findings> {
        let Self { stage, .. } = self;
        let Explored { program, shadow, mut bounds, explorer, mut differ, native, .. } = explored;
        let Explored { exhausted, until, began, clock, judging, record, .. } = explored;
        // The tests were judged again and have new numbers.
        stage.results.put_tests_aside()?;
        let walk = if exhausted && until != Until::Pairs && !clock.is_over() {
            observer.observe(Event::Walking);
            let regions = match until {
                // Every clustering was asked for.
                Until::Trees => Regions {
                    every: self.changes.is_some(),
                    ..Regions::asked_for(clock.deadline())
                },
                Until::Pairs | Until::Either => {
                    let time = (began.elapsed() / 8).max(LEAST_WALK);
                    Regions::by_default(clock.within(time).deadline())
                }
            };
            differ.walk(regions)?
        } else {
            RegionWalk::default()
        };
        if !clock.is_interrupted() {
            differ.shorten_tests()?;
        }
        let shares = match clock.is_interrupted() {
            true => Vec::new(),
            false => differ.shares(&explorer.exhausted(), explorer.dropped(), explorer.pool()),
        };
        let divergences = shadow.map(|(shadow, behind)| {
            let judged = (differ.tests(), differ.revisions());
            let (rows, of_lines) = shadow::rows(shadow, stage, program, &behind, judged);
            bounds.extend(of_lines);
            rows
        });
        bounds.extend(native.without_sanitizer());
        let followed = explorer.exhausted();
        bounds.extend(unreached(program.asks(), differ.states(), &merged.revisions, &followed));
        // If time was over, some tests of an earlier run may not have been run again.
        let all_judged = native.is_in_time();
        // The search for the tree may take long; what was found must be on disk before it.
        write_inputs(&stage.results, differ.tests())?;
        let run = Run {
            stage,
            merged,
            program,
            differ: &differ,
            walk,
            shares,
            divergences,
            bounds,
            statistics: explorer.statistics(),
            exhausted,
            until,
            building,
            elapsed: begin.elapsed(),
            deadline: judging.deadline(),
        };
        let mut findings = run.findings()?;
        if let Some(task) = &self.changes {
            let mut found =
                task.found(findings.tests(), findings.revisions(), &findings.report().right)?;
            if !findings.complete {
                found.bounds.push(UNVISITED.to_owned());
            }
            findings.report.summary.interactions = found.sets();
            findings.report.summary.critical = found.critical.len() as u32;
            findings.report.interaction = Some(found);
        }
        // These are large, and another comparison may follow.
        drop((explorer, differ));
        if !clock.is_interrupted() {
            let time = self.options.search.time(&stage.subject.config.budget);
            let spent = begin.elapsed().saturating_sub(building);
            let left = time.map(|time| time.saturating_sub(spent).max(LEAST_JUDGING));
            match self.inner(merged, findings.pairs(), left, observer) {
                Ok(Some(inner)) => findings.look_inside(inner, &stage.subject.config.outputs),
                Ok(None) => {}
                Err(error) => observer.observe(Event::NotInside { error: &error }),
            }
        }
        findings.write_to(&stage.results)?;
        findings.recorded = record.is_none_or(|record| record.is_complete());
        if all_judged {
            stage.results.forget_tests()?;
        }
        stage.place.finish()?;
        findings.interrupted = clock.is_interrupted();
        Ok(findings)
    }

    /// Compares the revisions of equivalent pairs by what their functions return and leave, within
    /// `time`; `None` if the subject does not ask for this, or there is no such pair.
    ///
    /// # Errors
    /// As [`Session::diff`].
    fn inner(
        &self,
        merged: &Merged,
        pairs: &[PairRow],
        time: Option<Duration>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Findings>, Error> {
        let subject = &self.stage.subject;
        let equivalent = pairs.iter().filter(|row| row.verdict == Verdict::Equivalent);
        let revisions: BTreeSet<Revision> = equivalent.flat_map(|row| [row.a, row.b]).collect();
        let Some(functions) = subject.config.outputs.functions.as_ref() else { return Ok(None) };
        if revisions.is_empty() {
            return Ok(None);
        }
        observer.observe(Event::LookingInside { revisions: revisions.len() });
        let merged = merged.only(&revisions);
        let scratch = tempfile::tempdir().map_err(anyhow::Error::from)?;
        let place = ResultsDir::claim(scratch.path().join("inner")).map_err(anyhow::Error::from)?;
        let interrupt = &self.options.search.interrupt;
        let mut stage = Stage::probing(&self.stage, probed(subject, functions), place, interrupt)?;
        stage.prepare(observer)?;
        stage.results = stage.place.begin(false).map_err(anyhow::Error::from)?;
        let mut options =
            Options { out: None, resume: false, queries: None, ..self.options.clone() };
        options.search.time = time.or(options.search.time);
        let session = Self { stage, options, changes: None, _scratch: Some(scratch) };
        let seeds = session.seeds()?;
        session.compare_merged(merged, (seeds, Instant::now()), None, observer).map(Some)
    }
}

/// An exploration that has ended, with all that it found.
struct Explored<'e, 'd> {
    program: &'e Program,
    /// The divergences that were looked for, and the inputs that were found.
    shadow: Option<(&'e Shadow, Vec<(Behind, TestInput)>)>,
    /// What was not looked at behind divergences, in words.
    bounds: Vec<String>,
    explorer: Explorer<'e>,
    differ: Differ<'d>,
    native: &'e Native<'e>,
    /// As [`Findings::exhausted`].
    exhausted: bool,
    until: Until,
    began: Instant,
    /// The clock for beginning anything new. `judging` is the clock for judging tests.
    clock: Clock<'e>,
    judging: Clock<'e>,
    record: Option<Recording>,
}

/// Runs a step that comes before anything can be found.
///
/// # Errors
/// [`Error::Interrupted`] if the run is asked to end before or during the step; else what `make`
/// returns.
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
