//! Native replay for the pairing: which builds and limits serve a test.

use std::{
    collections::BTreeMap,
    sync::{Mutex, OnceLock, PoisonError},
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
    /// How many runs of a revision had to be stopped of which nobody expected an end.
    stopped: Mutex<BTreeMap<Revision, u32>>,
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
            stopped: Mutex::default(),
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
            let part =
                if self.stopped(revision, 0) < SEEN { ENDLESS_PART } else { SEEN_ENDLESS_PART };
            let outcome = self.plain(test, revision, self.limits.time / part)?;
            self.stopped(revision, is_stopped(&outcome).into());
            return Ok(outcome);
        }
        let (plain, part) = match expected.unknown.contains(revision) {
            true => self.of_unknown(test, revision)?,
            false => (None, 1),
        };
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

    /// The plain run of a revision of which nothing is known on the test, and for what part of the
    /// usual limit the others are watched.
    ///
    /// A run that was stopped is held against nobody, so that after it only an error counts, and
    /// one is looked for where most are: at the beginning.
    fn of_unknown(
        &self,
        test: &TestInput,
        revision: Revision,
    ) -> anyhow::Result<(Option<Outcome>, u32)> {
        let part = match self.stopped(revision, 0) {
            0 => 1,
            seen if seen < SEEN => ENDLESS_PART,
            _ => SEEN_ENDLESS_PART,
        };
        let outcome = self.plain(test, revision, self.limits.time / part)?;
        let stopped = is_stopped(&outcome);
        self.stopped(revision, stopped.into());
        Ok((Some(outcome), if stopped { SEEN_ENDLESS_PART } else { 1 }))
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

    /// How many runs of a revision had to be stopped, these more included.
    fn stopped(&self, revision: Revision, more: u32) -> u32 {
        // Nothing panics while it is held.
        let mut known = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
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
