//! Native replay for the pairing: which builds and limits serve a test.

use std::{
    collections::BTreeMap,
    sync::{Mutex, OnceLock, PoisonError},
    time::Instant,
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

/// A run that is known never to end is watched for this part of the usual limit.
const ENDLESS_PART: u32 = 4;
/// And for this part once native runs of the revision were seen not to end so many times.
const SEEN_ENDLESS_PART: u32 = 20;
const SEEN: u32 = 2;
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
    hasty: OnceLock<Replayer>,
    hastier: OnceLock<Replayer>,
    /// How many runs of a revision did not end that were known not to.
    endless: Mutex<BTreeMap<Revision, u32>>,
    patient: OnceLock<Replayer>,
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
            hasty: OnceLock::new(),
            hastier: OnceLock::new(),
            endless: Mutex::default(),
            patient: OnceLock::new(),
            address: OnceLock::new(),
            memory: OnceLock::new(),
        })
    }

    /// The replayer in that place, made by the first who needs it.
    fn get<'s>(
        &'s self,
        place: &'s OnceLock<Replayer>,
        make: impl FnOnce() -> anyhow::Result<Replayer>,
    ) -> anyhow::Result<&'s Replayer> {
        if let Some(replayer) = place.get() {
            return Ok(replayer);
        }
        let made = make()?;
        Ok(place.get_or_init(|| made))
    }

    fn with_time(&self, time: std::time::Duration) -> anyhow::Result<Replayer> {
        let limits = Limits { time, ..self.limits };
        Ok(Replayer::new(self.built.binaries.clone(), limits)?)
    }

    fn sanitized(&self, sanitizer: Sanitizer) -> anyhow::Result<&Replayer> {
        let place = match sanitizer {
            Sanitizer::Memory => &self.memory,
            _ => &self.address,
        };
        self.get(place, || {
            let builds = self.stage.build_sanitized(self.built, sanitizer)?;
            let mut binaries: Binaries = self.built.binaries.clone();
            match sanitizer {
                Sanitizer::Memory => binaries.memory = builds,
                _ => binaries.address_undefined = builds,
            }
            Ok(Replayer::new(binaries, self.limits)?)
        })
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
        self.in_time()?;
        if expected.endless.contains(revision) {
            let seen = self.seen_endless(revision, 0);
            let (place, part) = match seen < SEEN {
                true => (&self.hasty, ENDLESS_PART),
                false => (&self.hastier, SEEN_ENDLESS_PART),
            };
            let replayer = self.get(place, || self.with_time(self.limits.time / part))?;
            let outcome = replayer.outcome(test, revision, false)?;
            self.seen_endless(revision, u32::from(outcome.termination == Termination::Timeout));
            return Ok(outcome);
        }
        let mut watched = Watched::new(self.built.binaries.uninitialised);
        for sanitizer in self.sanitizers(expected, |concerned| concerned.contains(revision)) {
            self.in_time()?;
            let outcome = self.sanitized(sanitizer)?.run(test, revision, sanitizer)?;
            watched.add(sanitizer, outcome);
        }
        self.in_time()?;
        watched.outcome(|| {
            let outcome = self.plain.outcome(test, revision, false)?;
            if outcome.termination != Termination::Timeout {
                return Ok(outcome);
            }
            // A busy machine must not make a difference.
            self.in_time()?;
            let patient = || self.with_time(self.limits.time * PATIENCE);
            Ok(self.get(&self.patient, patient)?.outcome(test, revision, false)?)
        })
    }

    /// How many runs of a revision that are known not to end did not, these more included.
    fn seen_endless(&self, revision: Revision, more: u32) -> u32 {
        // Nothing panics while it is held.
        let mut known = self.endless.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.entry(revision).or_default();
        *count += more;
        *count
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
        let one = |revision: &Revision| {
            let failed = |error: anyhow::Error| match error.downcast() {
                Ok(failed) => failed,
                Err(other) => ReplayFailed::Impossible(format!("{other:#}")),
            };
            self.outcome(test, *revision, expected).map_err(failed)
        };
        revisions.par_iter().map(one).collect()
    }
}
