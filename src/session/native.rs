//! Native replay for pairing: chooses the builds and limits with which a test runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{
    built::Built,
    glances::{ENDLESS_OUTPUT, Glances},
    stage::Stage,
};
use crate::{
    diff::{Expected, Replay, ReplayFailed},
    errors::{ENDLESS_PREFIX, Error, Sanitizer},
    replay::{
        Binaries, Builds, Outcome, ReplayError, Replayer, RunLimits, Termination, TestInput,
        Watched, Within,
    },
    subject::{Revision, RevisionSet},
};
use rayon::prelude::*;

/// Divisors of the usual time limit for a run that is proved never to end. The second applies if
/// the run has not yet shown what it should. They must not be larger: this run is the only check of
/// such a proof that shares nothing with it.
const ENDLESS: [u32; 2] = [100, 10];
/// Divisors of the usual time limit for a run about which nothing is known. The number of runs of
/// the revision that were stopped before selects the divisor; the last divisor serves for all
/// larger numbers.
const UNKNOWN: [u32; 3] = [1, 4, 20];
/// Divisors, selected as those of [`UNKNOWN`], for a run about which nothing is known yet, or which
/// is only a glance. Such a run is repeated before it counts.
const EARLY: [u32; 3] = [50, 200, 500];
/// The divisor of the usual time limit for the sanitized runs of a revision whose plain run, with
/// [`UNKNOWN`], was stopped.
const STOPPED: u32 = 20;
/// The limit on output, in bytes, for runs that may never end but count if they do.
const UNKNOWN_OUTPUT: u64 = 16 * ENDLESS_PREFIX as u64;
/// Up to this number of revisions, all are built for MemorySanitizer at once.
const FEW: usize = 32;
/// The greatest number of revisions that are named in a line.
const SHOWN: usize = 5;
/// A run that should have ended but did not gets this many times the usual time limit.
const PATIENCE: u32 = 5;

/// Replays tests on the builds of a subject. Sanitized builds are made when they are first needed,
/// for the revisions that need them.
pub(crate) struct Native<'a> {
    stage: &'a Stage,
    built: &'a Built,
    limits: RunLimits,
    /// The moment after which no run begins.
    deadline: Option<Instant>,
    plain: Replayer,
    unknown: Patience,
    early: Patience,
    watched: Mutex<Watching>,
    glances: Mutex<Glances>,
    /// Sanitizers that a test called for, with the revisions that cannot be built under them.
    unwatched: Mutex<BTreeMap<Sanitizer, BTreeSet<Revision>>>,
}

/// The replayer of each sanitizer and revision; `None` if the revision cannot be built under it.
type Watching = BTreeMap<(Sanitizer, Revision), Option<Arc<Replayer>>>;

impl<'a> Native<'a> {
    pub(crate) fn new(
        stage: &'a Stage,
        built: &'a Built,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Self> {
        let limits = RunLimits { time: stage.subject.config.budget.replay, ..RunLimits::default() };
        Ok(Self {
            stage,
            built,
            limits,
            deadline,
            plain: Replayer::new(built.binaries.clone(), limits)?,
            early: Patience::new(EARLY),
            unknown: Patience::new(UNKNOWN),
            watched: Mutex::default(),
            glances: Mutex::default(),
            unwatched: Mutex::default(),
        })
    }

    /// Locks `watched`. Nothing panics while it is held, so poisoning is ignored.
    fn watched(&self) -> MutexGuard<'_, Watching> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks `glances`. Nothing panics while it is held, so poisoning is ignored.
    fn glances(&self) -> MutexGuard<'_, Glances> {
        self.glances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks `unwatched`. Nothing panics while it is held, so poisoning is ignored.
    fn unwatched(&self) -> MutexGuard<'_, BTreeMap<Sanitizer, BTreeSet<Revision>>> {
        self.unwatched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which sanitizers were called for but cannot be built, in words.
    pub(super) fn without_sanitizer(&self) -> Vec<String> {
        let say = |(sanitizer, revisions): (&Sanitizer, &BTreeSet<Revision>)| {
            let sanitizer = match sanitizer {
                Sanitizer::Memory => "MemorySanitizer",
                _ if self.stage.is_whole() => "AddressSanitizer",
                _ => "AddressSanitizer and UBSan",
            };
            let which = match revisions.len() {
                1 => "revision",
                _ => "revisions",
            };
            let shown: Vec<String> =
                revisions.iter().take(SHOWN).map(Revision::to_string).collect();
            let more = revisions.len().saturating_sub(SHOWN);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let numbers = shown.join(", ");
            format!(
                "{sanitizer} cannot be built for {which} {numbers}{more}: tests that call for it ran \
                 without it"
            )
        };
        self.unwatched().iter().map(say).collect()
    }

    /// Builds those revisions of `wanted` that are not yet built under a sanitizer. If there are at
    /// most [`FEW`] revisions, all in one program, the first build for MemorySanitizer includes all
    /// of them. It is made from what is already compiled, so this takes no longer.
    fn build(&self, sanitizer: Sanitizer, wanted: &RevisionSet) -> anyhow::Result<()> {
        let known = self.watched().clone();
        let is_new = |other: &Revision| !known.contains_key(&(sanitizer, *other));
        if !wanted.iter().any(|other| is_new(&other)) {
            return Ok(());
        }
        let all = match &self.built.binaries.plain {
            Builds::Each(programs) if self.built.binaries.plain.programs().len() == 1 => {
                programs.keys().copied().collect()
            }
            _ => RevisionSet::default(),
        };
        let wanted = match sanitizer {
            Sanitizer::Memory if (1..=FEW).contains(&all.iter().count()) => &all,
            _ => wanted,
        };
        let missing: RevisionSet = wanted.iter().filter(is_new).collect();
        let builds = self.stage.build_sanitized(self.built, sanitizer, &missing)?;
        let is_built: Vec<bool> =
            missing.iter().map(|revision| builds.program(revision).is_some()).collect();
        let mut binaries: Binaries = self.built.binaries.clone();
        match sanitizer {
            Sanitizer::Memory => binaries.memory = builds,
            _ => binaries.address_undefined = builds,
        }
        let replayer = Arc::new(self.plain.beside(binaries));
        let watching = missing.iter().zip(is_built).map(|(revision, is_built)| {
            ((sanitizer, revision), is_built.then(|| replayer.clone()))
        });
        self.watched().extend(watching);
        Ok(())
    }

    /// Whether there is still time for runs to begin.
    pub(crate) fn is_in_time(&self) -> bool {
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    fn in_time(&self) -> anyhow::Result<()> {
        if self.is_in_time() { Ok(()) } else { Err(ReplayFailed::OutOfTime.into()) }
    }

    /// Runs one revision on a test. It must already be built for each sanitizer whose set in
    /// `concerned` contains it.
    fn outcome(
        &self,
        test: &TestInput,
        revision: Revision,
        (expected, concerned): (&Expected, &[(Sanitizer, RevisionSet)]),
    ) -> anyhow::Result<Outcome> {
        if let Some(printed) = expected.endless.get(&revision) {
            return self.endless(test, revision, *printed);
        }
        if expected.early.contains(revision) {
            let outcome = self.impatient((&self.early, ENDLESS_OUTPUT), test, revision)?;
            if is_stopped(&outcome) {
                // The revision will probably be stopped again when it runs with UNKNOWN.
                *self.unknown.stopped().entry(revision).or_default() += 1;
            }
            return Ok(outcome);
        }
        let plain = match expected.unknown.contains(revision) {
            true => Some(self.impatient((&self.unknown, UNKNOWN_OUTPUT), test, revision)?),
            false => None,
        };
        // A stopped plain run says nothing against the revision: only an error counts then.
        let is_endless = plain.as_ref().is_some_and(|outcome| outcome.termination.is_endless());
        let part = if is_endless { STOPPED } else { 1 };
        let mut watched = Watched::new(self.built.binaries.uninitialised);
        for (sanitizer, concerned) in concerned {
            if !concerned.contains(revision) {
                continue;
            }
            self.in_time()?;
            let output = if is_endless { UNKNOWN_OUTPUT } else { self.limits.output };
            let within = Within { time: self.limits.time / part, output };
            let replayer = self.watched().get(&(*sanitizer, revision)).cloned().flatten();
            let replayer = replayer.ok_or(ReplayError::NotBuilt(*sanitizer))?;
            watched.add(*sanitizer, replayer.run_within(within, test, revision, *sanitizer)?);
        }
        watched.outcome(|| {
            if let Some(outcome) = plain {
                return Ok(outcome);
            }
            let outcome = self.plain(test, revision, self.limits.into())?;
            if !is_stopped(&outcome) {
                return Ok(outcome);
            }
            // The machine may just have been busy. That must not make a difference.
            let time = self.limits.time * PATIENCE;
            self.plain(test, revision, Within { time, ..self.limits.into() })
        })
    }

    /// Runs a revision that never ends, without sanitizers. `printed` says how many bytes of
    /// standard output and of standard error it should show.
    fn endless(
        &self,
        test: &TestInput,
        revision: Revision,
        printed: [usize; 2],
    ) -> anyhow::Result<Outcome> {
        let [short, long] = ENDLESS.map(|part| self.limits.time / part);
        let watch = |time, output| self.plain(test, revision, Within { time, output });
        let outcome = watch(short, ENDLESS_OUTPUT)?;
        let texts = [&outcome.stdout, &outcome.stderr];
        let is_behind = texts.into_iter().zip(printed).any(|(text, seen)| text.len() < seen);
        let stopped = outcome.termination.is_endless();
        if stopped && is_behind { watch(long, UNKNOWN_OUTPUT) } else { Ok(outcome) }
    }

    /// Runs a revision that may never end, without sanitizers, for as long as `patience` allows.
    fn impatient(
        &self,
        (patience, output): (&Patience, u64),
        test: &TestInput,
        revision: Revision,
    ) -> anyhow::Result<Outcome> {
        let time = self.limits.time / patience.part(revision);
        let outcome = self.plain(test, revision, Within { time, output })?;
        if is_stopped(&outcome) {
            *patience.stopped().entry(revision).or_default() += 1;
        }
        Ok(outcome)
    }

    fn plain(
        &self,
        test: &TestInput,
        revision: Revision,
        within: Within,
    ) -> anyhow::Result<Outcome> {
        self.in_time()?;
        Ok(self.plain.run_within(within, test, revision, Sanitizer::None)?)
    }

    /// The sanitizers that can confirm the errors in `expected`, each with the revisions that are
    /// expected to have such an error or about which nothing is known.
    fn concerned(&self, expected: &Expected) -> Vec<(Sanitizer, RevisionSet)> {
        let of = |sanitizer: Sanitizer| {
            let confirms = |error: Error| {
                (error == Error::UninitialisedRead) == (sanitizer == Sanitizer::Memory)
            };
            let errors = expected.errors.iter().filter(|(error, _)| confirms(**error));
            let known = errors.flat_map(|(_, revisions)| revisions.iter());
            (sanitizer, known.chain(expected.unknown.iter()).collect())
        };
        // In whole programs, uses of uninitialised memory are not part of the outcome.
        let all = match self.stage.is_whole() {
            true => &[Sanitizer::AddressUndefined][..],
            false => &[Sanitizer::AddressUndefined, Sanitizer::Memory],
        };
        all.iter().copied().map(of).collect()
    }
}

/// Decides for how long to watch runs that may never end.
struct Patience {
    /// The divisors of the usual time limit, by the number of runs that were stopped before.
    parts: [u32; 3],
    /// The number of runs of each revision that had to be stopped.
    stopped: Mutex<BTreeMap<Revision, usize>>,
}

impl Patience {
    fn new(parts: [u32; 3]) -> Self {
        Self { parts, stopped: Mutex::default() }
    }

    fn stopped(&self) -> MutexGuard<'_, BTreeMap<Revision, usize>> {
        // Nothing panics while it is held, so poisoning is ignored.
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn part(&self, revision: Revision) -> u32 {
        let seen = self.stopped().get(&revision).copied().unwrap_or_default();
        self.parts[seen.min(self.parts.len() - 1)]
    }
}

fn failed(error: anyhow::Error) -> ReplayFailed {
    match error.downcast() {
        Ok(failed) => failed,
        Err(other) => ReplayFailed::Impossible(format!("{other:#}")),
    }
}

fn is_stopped(outcome: &Outcome) -> bool {
    outcome.termination == Termination::Timeout
}

impl Replay for Native<'_> {
    fn outcomes(
        &self,
        test: &TestInput,
        revisions: &[Revision],
        expected: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed> {
        let mut concerned = self.concerned(expected);
        // Build before the runs start. Otherwise, runs at the same time would each build what they
        // need.
        for (sanitizer, revisions) in &concerned {
            let built = self.build(*sanitizer, revisions);
            built.map_err(|error| ReplayFailed::Impossible(format!("{error:#}")))?;
        }
        // Outcomes with and without a sanitizer are no evidence against each other.
        concerned.retain(|(sanitizer, concerned)| {
            let watched = self.watched();
            let is_built = |revision: &Revision| {
                watched.get(&(*sanitizer, *revision)).is_some_and(Option::is_some)
            };
            let asked = revisions.iter().filter(|revision| concerned.contains(**revision));
            let missing: Vec<Revision> = asked.copied().filter(|one| !is_built(one)).collect();
            if !missing.is_empty() {
                self.unwatched().entry(*sanitizer).or_default().extend(missing.iter().copied());
            }
            missing.is_empty()
        });
        let all = (expected, &concerned[..]);
        let one = |revision: &Revision| self.outcome(test, *revision, all).map_err(failed);
        revisions.par_iter().map(one).collect()
    }

    fn glance(
        &self,
        test: &TestInput,
        revisions: &[Revision],
    ) -> Result<Vec<Outcome>, ReplayFailed> {
        let known = self.glances().of(test);
        let one = |revision: &Revision| {
            if let Some(outcome) = known.get(revision) {
                return Ok(outcome.clone());
            }
            let output = self.glances().output(*revision);
            let outcome = self.impatient((&self.early, output), test, *revision).map_err(failed)?;
            self.glances().add(test, *revision, &outcome, output);
            Ok(outcome)
        };
        revisions.par_iter().map(one).collect()
    }
}
