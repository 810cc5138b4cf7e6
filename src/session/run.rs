//! A comparison from a subject to its findings, and other questions that exploring answers.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use anyhow::Context;
use tempfile::TempDir;

use super::{
    built::Built,
    conclude::{Concluded, conclude},
    error::Error,
    exploration::{Exploration, Explored, LEAST_JUDGING},
    findings::Findings,
    inner::probed,
    inputs,
    interact::{self, Interact},
    merged::Merged,
    observer::{Event, Observer},
    options::{Options, Until},
    rows::takes_part,
    shadow::Shadow,
    stage::Stage,
};
use crate::{
    diff::{Question, When},
    interrupt::Interrupt,
    replay::{self, TestInput},
    results::{FoundBy, PairRow, ResultsDir, Verdict},
    subject::{Revision, Subject, config::FunctionsConfig},
};

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
        if let Some(functions @ FunctionsConfig::Named(_)) =
            &self.stage.subject.config.outputs.functions
        {
            unless_interrupted(interrupt, || {
                self.looking_inside(functions, observer)?.0.check_probed()
            })?;
        }
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
        let Self { stage, options, .. } = self;
        let (built, module) = unless_interrupted(&options.search.interrupt, || {
            let built = stage.build(&mut merged, observer)?;
            stage.note_built();
            observer.observe(Event::Built);
            Ok(built)
        })?;
        // The time of merge and build does not count towards the budget of the search.
        let building = began.elapsed();
        let exploration = Exploration { shadow, ..self.exploration(&merged, &built) };
        let concluded = exploration.run(module, seeds, observer, |explored, observer| {
            conclude(&exploration, explored, (began, building), observer)
        })?;
        let Concluded { mut findings, all_judged } = concluded;
        if !options.search.interrupt.is_set() {
            let time = options.search.time(&stage.subject.config.budget);
            let spent = began.elapsed().saturating_sub(building);
            let left = time.map(|time| time.saturating_sub(spent).max(LEAST_JUDGING));
            match self.inner(&merged, findings.pairs(), left, observer) {
                Ok(Some(inner)) => findings.look_inside(inner, &stage.subject.config.outputs),
                Ok(None) => {}
                Err(error) => observer.observe(Event::NotInside { error: &error }),
            }
        }
        findings.write_to(&stage.results)?;
        if all_judged {
            stage.results.forget_tests().map_err(anyhow::Error::from)?;
        }
        findings.interrupted = options.search.interrupt.is_set();
        let unknown = findings.report().summary.unknown;
        let earlier = stage.place.unknown_pairs();
        findings.stands_back =
            findings.interrupted && earlier.is_some_and(|earlier| earlier < unknown);
        let ended = match findings.stands_back {
            true => stage.place.stand_back(),
            false => stage.place.finish(),
        };
        ended.map_err(anyhow::Error::from)?;
        Ok(findings)
    }

    fn exploration<'a>(&'a self, merged: &'a Merged, built: &'a Built) -> Exploration<'a> {
        let Self { stage, options, changes, .. } = self;
        Exploration { stage, options, merged, built, shadow: None, changes: changes.as_ref() }
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
        let exploration = self.exploration(&merged, &built);
        let found = exploration.run(module, Vec::new(), observer, |explored, _| {
            let Explored { explorer, mut differ, clock, .. } = explored;
            let deadline = clock.deadline();
            let question = Question { pair, signs: signs.as_ref(), known, deadline };
            Ok(differ.when(question, &explorer.exhausted())?)
        });
        Ok(found?)
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
        let (stage, scratch) = self.looking_inside(functions, observer)?;
        let mut options =
            Options { out: None, resume: false, queries: None, ..self.options.clone() };
        options.search.time = time.or(options.search.time);
        let session = Self { stage, options, changes: None, _scratch: Some(scratch) };
        let seeds = session.seeds()?;
        session.compare_merged(merged, (seeds, Instant::now()), None, observer).map(Some)
    }

    /// A prepared stage whose programs show what `functions` return, and the directory that it works
    /// in.
    fn looking_inside(
        &self,
        functions: &FunctionsConfig,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<(Stage, TempDir)> {
        let scratch = tempfile::tempdir()?;
        let place = ResultsDir::claim(scratch.path().join("inner"))?;
        let interrupt = &self.options.search.interrupt;
        let probed = probed(&self.stage.subject, functions);
        let mut stage = Stage::probing(&self.stage, probed, place, interrupt)?;
        stage.prepare(observer)?;
        stage.results = stage.place.begin(false)?;
        Ok((stage, scratch))
    }
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
