//! Native replay for the pairing: which builds and limits serve a test.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use super::stages::{Built, Stage};
use crate::{
    build::Sanitizer,
    diff::{Expected, Replay, ReplayFailed},
    env::Error,
    replay::{Binaries, Limits, Outcome, Replayer, Termination, TestInput, Watched},
    subject::{Revision, RevisionSet},
};
use rayon::prelude::*;

/// A run that is known never to end is watched for these parts of the usual limit: by how many of
/// the revision's were stopped before, at most as many as there are here.
const ENDLESS: [u32; 3] = [4, 4, 20];
/// And one of which nothing is known for these.
const UNKNOWN: [u32; 3] = [1, 4, 20];
/// After such a run was stopped, the sanitizers watch for this part.
const STOPPED: u32 = 20;
/// A run that is no more than looked at is given this part.
const GLANCE: u32 = 20;
/// A run that ought to end but did not is given this many times the usual limit.
const PATIENCE: u32 = 5;

/// Replays tests on the builds of a subject; sanitized builds are made when first needed.
pub(super) struct Native<'a> {
    stage: &'a Stage,
    built: &'a Built,
    limits: Limits,
    /// No run begins after this.
    deadline: Option<Instant>,
    plain: Replayer,
    endless: Patience,
    unknown: Patience,
    address: OnceLock<Replayer>,
    memory: OnceLock<Replayer>,
}

impl<'a> Native<'a> {
    pub(super) fn new(
        stage: &'a Stage,
        built: &'a Built,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Self> {
        let limits = Limits { time: stage.subject.config.budget.replay, ..Limits::default() };
        Ok(Self {
            stage,
            built,
            limits,
            deadline,
            plain: Replayer::new(built.binaries.clone(), limits)?,
            endless: Patience::new(ENDLESS),
            unknown: Patience::new(UNKNOWN),
            address: OnceLock::new(),
            memory: OnceLock::new(),
        })
    }

    fn sanitized(&self, sanitizer: Sanitizer) -> anyhow::Result<&Replayer> {
        let place = match sanitizer {
            Sanitizer::Memory => &self.memory,
            _ => &self.address,
        };
        if let Some(replayer) = place.get() {
            return Ok(replayer);
        }
        let builds = self.stage.build_sanitized(self.built, sanitizer)?;
        let mut binaries: Binaries = self.built.binaries.clone();
        match sanitizer {
            Sanitizer::Memory => binaries.memory = builds,
            _ => binaries.address_undefined = builds,
        }
        let made = Replayer::new(binaries, self.limits)?;
        Ok(place.get_or_init(|| made))
    }

    /// Whether runs can still begin.
    pub(super) fn is_in_time(&self) -> bool {
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    fn in_time(&self) -> anyhow::Result<()> {
        if self.is_in_time() { Ok(()) } else { Err(ReplayFailed::OutOfTime.into()) }
    }

    /// What one revision does on a test.
    pub(super) fn outcome(
        &self,
        test: &TestInput,
        revision: Revision,
        expected: &Expected,
    ) -> anyhow::Result<Outcome> {
        if expected.endless.contains(revision) {
            return self.impatient(&self.endless, test, revision);
        }
        let plain = match expected.unknown.contains(revision) {
            true => Some(self.impatient(&self.unknown, test, revision)?),
            false => None,
        };
        // A run that was stopped is held against nobody: only an error counts then.
        let part = if plain.as_ref().is_some_and(is_stopped) { STOPPED } else { 1 };
        let mut watched = Watched::new(self.built.binaries.uninitialised);
        for sanitizer in self.sanitizers(expected, |concerned| concerned.contains(revision)) {
            self.in_time()?;
            let time = self.limits.time / part;
            let replayer = self.sanitized(sanitizer)?;
            watched.add(sanitizer, replayer.run_within(time, test, revision, sanitizer)?);
        }
        watched.outcome(|| {
            if let Some(outcome) = plain {
                return Ok(outcome);
            }
            let outcome = self.plain(test, revision, self.limits.time)?;
            if !is_stopped(&outcome) {
                return Ok(outcome);
            }
            // A busy machine must not make a difference.
            self.plain(test, revision, self.limits.time * PATIENCE)
        })
    }

    /// The plain run of a revision that may never end.
    fn impatient(
        &self,
        patience: &Patience,
        test: &TestInput,
        revision: Revision,
    ) -> anyhow::Result<Outcome> {
        let time = self.limits.time / patience.part(revision);
        let outcome = self.plain(test, revision, time)?;
        if is_stopped(&outcome) {
            *patience.stopped().entry(revision).or_default() += 1;
        }
        Ok(outcome)
    }

    fn plain(
        &self,
        test: &TestInput,
        revision: Revision,
        time: Duration,
    ) -> anyhow::Result<Outcome> {
        self.in_time()?;
        Ok(self.plain.run_within(time, test, revision, Sanitizer::None)?)
    }

    /// The sanitizers that can confirm what is expected of these revisions.
    fn sanitizers(
        &self,
        expected: &Expected,
        these: impl Fn(&RevisionSet) -> bool,
    ) -> Vec<Sanitizer> {
        let unknown = these(&expected.unknown);
        let memory = |error: &Error| *error == Error::UninitialisedRead;
        let confirms = |sanitizer: Sanitizer| {
            let errors = &mut expected.errors.iter();
            errors.any(|(error, revisions)| {
                memory(error) == (sanitizer == Sanitizer::Memory) && these(revisions)
            })
        };
        // Uses of memory that was never written are no part of what whole programs show.
        let all = match self.stage.is_whole() {
            true => &[Sanitizer::AddressUndefined][..],
            false => &[Sanitizer::AddressUndefined, Sanitizer::Memory],
        };
        all.iter().copied().filter(|sanitizer| unknown || confirms(*sanitizer)).collect()
    }
}

/// For how long runs are watched that may never end.
struct Patience {
    /// Parts of the usual limit.
    parts: [u32; 3],
    /// How many runs of a revision had to be stopped.
    stopped: Mutex<BTreeMap<Revision, usize>>,
}

impl Patience {
    fn new(parts: [u32; 3]) -> Self {
        Self { parts, stopped: Mutex::default() }
    }

    fn stopped(&self) -> MutexGuard<'_, BTreeMap<Revision, usize>> {
        // Nothing panics while it is held.
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
        // Built once, and not by everybody at the same time in one place.
        for sanitizer in self.sanitizers(expected, |concerned| !concerned.is_empty()) {
            let built = self.sanitized(sanitizer).map(drop);
            built.map_err(|error| ReplayFailed::Impossible(format!("{error:#}")))?;
        }
        let one = |revision: &Revision| self.outcome(test, *revision, expected).map_err(failed);
        revisions.par_iter().map(one).collect()
    }

    fn glance(
        &self,
        test: &TestInput,
        revisions: &[Revision],
    ) -> Result<Vec<Outcome>, ReplayFailed> {
        let time = self.limits.time / GLANCE;
        let one = |revision: &Revision| self.plain(test, *revision, time).map_err(failed);
        revisions.par_iter().map(one).collect()
    }
}
