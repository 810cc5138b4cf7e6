//! What a test shows: the prediction, the native runs, and which of them count.
//!
//! While states are still coming, a test may run before the engine knows what every revision does
//! on its input. Revisions about which nothing is known then run without sanitizers, and their
//! outcomes are taken at face value. Once no more states will come, every test is judged again
//! ([`Differ::finish`]). By then the input holds all that any revision reads. A revision with a
//! prediction has to show what is predicted; an outcome without a prediction is evidence only if a
//! second run repeats it. If this second judgement does not confirm a difference that an earlier
//! test showed, the difference is searched for again.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use tracing::{debug, warn};

use super::{
    differ::Differ,
    native::{Expected, ReplayFailed},
    outcome,
    pairs::PairVerdict,
    prediction::{Predicted, Prediction},
    reason::Reason,
    stopped::{self, is_stopped},
    test::DifferentialTest,
};
use crate::{
    env::{Halt, Incomplete},
    errors::Error,
    exec::HaltState,
    explore::{Exhausted, unless_it_panics},
    expr::Assignment,
    replay::{Outcome, Termination, TestInput, Visible},
    results::{Clustering, FoundBy, TestId},
    subject::{Revision, RevisionSet, config::Uninitialised},
};

impl Differ<'_> {
    /// Judges every test by what is known now, compares again the revisions that no test tells
    /// apart any more, and proves what `exhausted` and the recorded refutations allow. To be called
    /// when no more states will come.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn finish(
        &mut self,
        exhausted: &Exhausted,
        pool: &rayon::ThreadPool,
    ) -> Result<(), ReplayFailed> {
        self.settled = true;
        self.judge_again(pool)?;
        pool.install(|| self.prove(exhausted));
        Ok(())
    }

    /// Judges all tests again if some test ran before anything was known about some revision
    /// ([`Expected::early`]). To be called before states are dropped because of what the tests told
    /// apart.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn confirm(&mut self, pool: &rayon::ThreadPool) -> Result<(), ReplayFailed> {
        if self.tests.iter().any(|test| !test.expected.early.is_empty()) {
            self.confirms = true;
            let judged = self.judge_again(pool);
            self.confirms = false;
            judged?;
        }
        Ok(())
    }

    /// Judges every test by what is known now, and compares again the revisions that no test tells
    /// apart any more.
    fn judge_again(&mut self, pool: &rayon::ThreadPool) -> Result<(), ReplayFailed> {
        let before = self.pairs.reopen();
        self.inputs.clear();
        let mut others = Vec::new();
        for test in std::mem::take(&mut self.tests) {
            let prediction = match &test.model {
                Some(model) => unless_it_panics(|| self.predict_with(model, test.followed.clone())),
                None => Some(self.predict_text(test.input.clone(), test.followed.clone())),
            };
            let nothing = || self.predict_text(test.input.clone(), Vec::new());
            let prediction = prediction.unwrap_or_else(nothing);
            match prediction.input == test.input && !self.is_outdated(&prediction, &test) {
                true => {
                    let DifferentialTest { found_by, outcomes, expected, model, .. } = test;
                    self.show(prediction, model, found_by, Some((outcomes, expected)))?;
                }
                false => others.push((prediction, test)),
            }
        }
        // The rest has to run again, which may take long: start with the tests that told the most
        // apart.
        while let Some(index) = self.most_telling(&others) {
            let (prediction, test) = others.remove(index);
            self.show(prediction, test.model, test.found_by, None)?;
        }
        if before.keys().any(|(a, b)| self.pairs.is_open(*a, *b)) {
            self.pair(0, pool)?;
            if !self.confirms {
                self.ask_again(true, pool)?;
            }
        }
        Ok(())
    }

    /// The index of the test that told apart the most pairs that are open now, among the tests to
    /// run again. A test that told none of these apart is not worth a run, unless its input was
    /// given or it showed a mismatch.
    fn most_telling(&self, tests: &[(Prediction, DifferentialTest)]) -> Option<usize> {
        let told = |test: &DifferentialTest| {
            let clusters: Vec<(&Revision, &Revision)> = test.clustering.clusters.iter().collect();
            let pairs = clusters.iter().enumerate().map(|(index, (a, x))| {
                let others = clusters[index + 1..].iter();
                others.filter(|(b, y)| x != y && self.pairs.is_open(**a, **b)).count()
            });
            pairs.sum::<usize>()
        };
        let is_due =
            |test: &DifferentialTest| test.found_by.is_asked_for() || !test.mismatches.is_empty();
        let counts = tests.iter().map(|(_, test)| (told(test), is_due(test))).enumerate();
        let (index, _) = counts
            .filter(|(_, (told, is_due))| *told > 0 || *is_due)
            // Among equals, the first.
            .max_by_key(|(index, worth)| (*worth, std::cmp::Reverse(*index)))?;
        Some(index)
    }

    /// Whether a test has to run again. It does if a stopped run is now predicted to end; that run
    /// may have been stopped early because nothing was known about it. It also does if a revision,
    /// for the same reason, ran unwatched and is now predicted to err or still has no prediction.
    fn is_outdated(&self, prediction: &Prediction, test: &DifferentialTest) -> bool {
        let DifferentialTest { expected, outcomes, .. } = test;
        let now = self.expected(&prediction.predictions);
        let concerned = now.errors.values().flat_map(RevisionSet::iter).chain(now.unknown.iter());
        if concerned.into_iter().any(|revision| expected.early.contains(revision)) {
            return true;
        }
        prediction.predictions.iter().zip(outcomes).any(|(prediction, outcome)| match prediction {
            Predicted::Exact(source, _) => {
                is_stopped(outcome) && self.state(*source).halt != Halt::Hang
            }
            Predicted::Vague(_) | Predicted::Missing => false,
        })
    }

    /// Replays an input that the engine did not derive. Its outcomes are predicted by following its
    /// text.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn seed(&mut self, input: TestInput, found_by: FoundBy) -> Result<(), ReplayFailed> {
        if self.inputs.contains(&input) {
            return Ok(());
        }
        let followed = self.follow_text(&input, self.task.revisions.iter().copied().collect());
        self.show(self.predict_text(input, followed), None, found_by, None)
    }

    /// Runs the input of a model natively on every revision.
    pub(super) fn replay(
        &mut self,
        model: Assignment,
        found_by: FoundBy,
    ) -> Result<(), ReplayFailed> {
        let prediction = self.predict(&model);
        self.show(prediction, Some(model), found_by, None)
    }

    /// Runs the input of a prediction natively. Keeps it as a test if it shows a difference or a
    /// mismatch, or is wanted for the code that it runs. `known` holds the outcomes and what was
    /// expected if the input ran before; then it does not run again.
    pub(super) fn show(
        &mut self,
        prediction: Prediction,
        model: Option<Assignment>,
        found_by: FoundBy,
        known: Option<(Vec<Outcome>, Expected)>,
    ) -> Result<(), ReplayFailed> {
        if !self.inputs.insert(prediction.input.clone()) {
            return Ok(());
        }
        let Prediction { input, predictions, followed } = match (&model, &known) {
            (Some(model), None) => {
                let before = prediction.input.clone();
                let more = self.follow(prediction, model);
                // By now the input may also hold what other revisions read.
                if more.input != before && !self.inputs.insert(more.input.clone()) {
                    return Ok(());
                }
                more
            }
            _ => prediction,
        };
        let expected = self.expected(&predictions);
        let revisions = self.task.revisions.clone();
        let (outcomes, ran) = match known {
            Some(known) => known,
            None => match self.run(&input, &revisions, &expected) {
                Err(ReplayFailed::OutOfTime) => {
                    let all: RevisionSet = revisions.into_iter().collect();
                    self.pairs.doubt_open(&all, &all, &Reason::Incomplete(Incomplete::Time));
                    return Ok(());
                }
                other => (other?, expected.clone()),
            },
        };
        let visible: Vec<Visible> =
            outcomes.iter().map(|o| o.visible(&self.task.outputs)).collect();
        // Only paths of well-formed input have an exact prediction.
        let of_original = revisions.iter().position(|revision| *revision == Revision::ORIGINAL);
        let is_well_formed = of_original.is_some_and(|at| predictions[at].visible().is_some());
        let mut objections = BTreeMap::new();
        let mut mismatches = Vec::new();
        let mut unseen = RevisionSet::new();
        for (index, prediction) in predictions.iter().enumerate() {
            let (revision, shown, outcome) = (revisions[index], &visible[index], &outcomes[index]);
            let reasons = self.objections(prediction, (shown, outcome), is_well_formed);
            if !reasons.is_empty() {
                objections.insert(revision, reasons);
            }
            if let Some(predicted) = prediction.visible()
                && predicted != shown
            {
                if self.task.without_result.contains(&revision) {
                    objections.entry(revision).or_insert(vec![Reason::NoResult]);
                    continue;
                }
                let any = self.task.program.uninitialised == Uninitialised::Any;
                if !any && is_unseen(predicted, shown) {
                    unseen.insert(revision);
                    continue;
                }
                let how = outcome::explain(predicted, shown, outcome);
                mismatches.push(format!("revision {revision}: {how}"));
                self.distrust(revision, &[Reason::Contradicted]);
                self.contradicted.insert(revision);
            }
        }
        if self.settled {
            self.repeat(&input, &predictions, &expected, &visible, &mut objections)?;
        }
        for (revision, prediction) in revisions.iter().zip(&predictions) {
            // A revision without a prediction is judged again later.
            if let Some(reasons) = objections.get(revision)
                && (self.settled || prediction.visible().is_some())
            {
                self.distrust(*revision, reasons);
            }
        }
        // No difference may rest on something that a sanitizer has missed.
        let mut visible = visible;
        if !unseen.is_empty() {
            visible.iter_mut().for_each(|one| _ = one.noted.remove(&Error::UninitialisedRead));
        }
        let test = TestId(self.tests.len() as u32 + 1);
        let all = revisions.iter().copied().zip(&visible);
        let (mut shown, others): (Vec<_>, Vec<_>) =
            all.partition(|(revision, _)| !objections.contains_key(revision));
        let predicted: RevisionSet = revisions
            .iter()
            .zip(&predictions)
            .filter_map(|(revision, prediction)| prediction.visible().map(|_| *revision))
            .collect();
        let stopped = others.into_iter().filter(|(revision, _)| {
            objections[revision] == [Reason::Stopped] && !predicted.contains(*revision)
        });
        let stopped = stopped::apart(stopped.collect(), &shown);
        for (revision, visible) in self.steady(&input, stopped, &shown)? {
            objections.remove(&revision);
            shown.push((revision, visible));
        }
        for (revision, outcome) in revisions.iter().zip(&outcomes) {
            if objections.contains_key(revision) && outcome.termination == Termination::Timeout {
                self.stopped.insert(*revision);
            }
        }
        let clustering = Clustering::new(test, shown.iter().copied());
        let groups: Vec<(Revision, RevisionSet)> = clustering.groups().into_iter().collect();
        let visible: BTreeMap<Revision, &Visible> = shown.iter().copied().collect();
        let mut refuted = BTreeSet::new();
        for (index, (x, ones)) in groups.iter().enumerate() {
            for (y, others) in &groups[index + 1..] {
                let output = outcome::first_difference(visible[x], visible[y]);
                let output = output.expect("clusters differ");
                for (a, b) in ones.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    if self.pairs.is_open(a, b)
                        && self.pairs.own_verdict(a, b) == PairVerdict::Equivalent
                    {
                        refuted.insert((a.min(b), a.max(b)));
                    }
                    self.pairs.distinguish(a, b, test, &output);
                }
            }
        }
        let refuted = refuted.into_iter();
        mismatches.extend(
            refuted
                .map(|(a, b)| format!("revisions {a} and {b} differ, but were proved equivalent")),
        );
        if groups.len() < 2 && mismatches.is_empty() && !found_by.is_of_code() {
            return Ok(());
        }
        for mismatch in &mismatches {
            warn!(%test, %mismatch, "replay contradicts the engine");
        }
        let told_apart = self.pairs.distinguished();
        debug!(%test, ?found_by, clusters = groups.len(), told_apart, "test");
        if self.effort.progress.last().is_none_or(|(_, most)| *most < told_apart) {
            self.effort.progress.push((self.began.elapsed(), told_apart));
        }
        self.tests.push(DifferentialTest {
            test,
            found_by,
            input,
            outcomes,
            clustering,
            mismatches,
            objections,
            expected: ran,
            model,
            followed,
        });
        Ok(())
    }

    pub(super) fn run(
        &mut self,
        input: &TestInput,
        revisions: &[Revision],
        expected: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed> {
        let begin = Instant::now();
        let outcomes = self.task.replay.outcomes(input, revisions, expected)?;
        self.effort.replays += 1;
        self.effort.replaying += begin.elapsed();
        Ok(outcomes)
    }

    fn expected(&self, predictions: &[Predicted]) -> Expected {
        let mut expected = Expected::default();
        for (revision, prediction) in self.task.revisions.iter().zip(predictions) {
            match prediction {
                Predicted::Exact(source, visible) => {
                    let state = self.state(*source);
                    match &state.halt {
                        Halt::Hang => _ = expected.endless.insert(*revision, visible.printed()),
                        Halt::Error(_) if outcome::crashes(state) => {}
                        Halt::Error(error) => expected.add(*error, *revision),
                        _ => {
                            let findings = state.world.findings.iter();
                            findings.for_each(|error| expected.add(*error, *revision));
                        }
                    }
                }
                Predicted::Vague(_) | Predicted::Missing if self.settled || self.confirms => {
                    expected.unknown.insert(*revision);
                }
                Predicted::Vague(_) | Predicted::Missing => _ = expected.early.insert(*revision),
            }
        }
        expected
    }

    /// Why the outcome of a revision may not be compared with those of others; empty if it may. If
    /// the input `is_well_formed` for the original, other revisions may read it as they like.
    fn objections(
        &self,
        prediction: &Predicted,
        (shown, outcome): (&Visible, &Outcome),
        is_well_formed: bool,
    ) -> Vec<Reason> {
        let stopped = is_stopped(outcome);
        // A long run is no proof that it never ends: the machine may be slow.
        let slow = || vec![Reason::Stopped];
        let ended_there = shown.finding == Some(Error::UninitialisedRead.into());
        let any = self.task.program.uninitialised == Uninitialised::Any;
        if (ended_there || any && !shown.noted.is_empty()) && prediction.visible() != Some(shown) {
            // The rest of its outcome may depend on what happened to be in memory.
            return vec![Reason::UninitialisedRun];
        }
        let state = match prediction {
            Predicted::Exact(source, _) => {
                let endless = self.state(*source).halt == Halt::Hang;
                return if stopped && !endless { slow() } else { Vec::new() };
            }
            Predicted::Vague(source) => Some(self.state(*source)),
            Predicted::Missing => None,
        };
        let mut reasons = if stopped { slow() } else { Vec::new() };
        if stopped && any && !outcome.noted.is_empty() {
            reasons.push(Reason::UninitialisedRun);
        }
        if outcome.is_outside_assumptions() {
            reasons.push(Reason::Assumption);
        }
        if outcome.unsteady {
            reasons.push(Reason::Unstable);
        }
        let arbitrary = |state: &HaltState| {
            let is_left_out = match state.halt {
                Halt::Silent | Halt::Outside => true,
                Halt::Malformed => !is_well_formed,
                _ => false,
            };
            is_left_out || !state.world.is_followed()
        };
        if let Some(state) = state.filter(|state| arbitrary(state))
            && (stopped || reasons.is_empty())
        {
            reasons.extend(Reason::of_state(state));
        }
        reasons
    }

    /// Runs revisions again whose outcomes are not predicted or that are predicted to crash. A
    /// program that does not do the same twice shows nothing.
    fn repeat(
        &mut self,
        input: &TestInput,
        predictions: &[Predicted],
        expected: &Expected,
        visible: &[Visible],
        objections: &mut BTreeMap<Revision, Vec<Reason>>,
    ) -> Result<(), ReplayFailed> {
        let again: Vec<usize> = (0..predictions.len())
            .filter(|index| {
                predictions[*index].visible().is_none() || self.crashes(&predictions[*index])
            })
            .filter(|index| !objections.contains_key(&self.task.revisions[*index]))
            .collect();
        if again.is_empty() {
            return Ok(());
        }
        let revisions: Vec<Revision> =
            again.iter().map(|index| self.task.revisions[*index]).collect();
        let outcomes = match self.run(input, &revisions, expected) {
            Err(ReplayFailed::OutOfTime) => {
                let why = vec![Reason::Incomplete(Incomplete::Time)];
                objections.extend(revisions.into_iter().map(|revision| (revision, why.clone())));
                return Ok(());
            }
            other => other?,
        };
        for ((index, revision), outcome) in again.into_iter().zip(revisions).zip(outcomes) {
            if outcome.visible(&self.task.outputs) != visible[index] {
                objections.insert(revision, vec![Reason::Unstable]);
            }
        }
        Ok(())
    }

    /// The stopped runs that print the same text when they run again, and that still differ from
    /// `others` by it. While states still come, nothing runs again and all of `stopped` are
    /// returned.
    fn steady<'v>(
        &mut self,
        input: &TestInput,
        stopped: Vec<(Revision, &'v Visible)>,
        others: &[(Revision, &'v Visible)],
    ) -> Result<Vec<(Revision, &'v Visible)>, ReplayFailed> {
        if !self.settled || stopped.is_empty() {
            return Ok(stopped);
        }
        let revisions: Vec<Revision> = stopped.iter().map(|(revision, _)| *revision).collect();
        let early = Expected { early: revisions.iter().copied().collect(), ..Expected::default() };
        let outcomes = match self.run(input, &revisions, &early) {
            Err(ReplayFailed::OutOfTime) => return Ok(Vec::new()),
            other => other?,
        };
        let again = outcomes.iter().map(|outcome| outcome.visible(&self.task.outputs));
        let is_steady = |before: &Visible, now: &Visible| {
            let is_stopped = now.termination.is_none() && now.finding.is_none();
            let is_apart = |(_, other): &(Revision, &Visible)| {
                before == *other || stopped::departs(now, other)
            };
            is_stopped && !stopped::departs(before, now) && others.iter().all(is_apart)
        };
        let steady = stopped.into_iter().zip(again);
        Ok(steady.filter(|((_, before), now)| is_steady(before, now)).map(|(one, _)| one).collect())
    }

    /// Whether the prediction is a crash that the processor reports and no sanitizer sees.
    fn crashes(&self, prediction: &Predicted) -> bool {
        matches!(prediction, Predicted::Exact(source, _) if outcome::crashes(self.state(*source)))
    }

    /// Records the reasons against every pair of a revision, so that nothing can be proved of it
    /// any more.
    pub(super) fn distrust(&mut self, revision: Revision, reasons: &[Reason]) {
        let all: RevisionSet = self.task.revisions.iter().copied().collect();
        let one: RevisionSet = std::iter::once(revision).collect();
        for reason in reasons {
            self.pairs.doubt(&one, &all, reason);
        }
    }
}

/// Whether a run shows what is predicted except for a use of memory that was never written: the
/// sanitizer misses some uses (`a + b == 2` where neither `a` nor `b` was written).
fn is_unseen(predicted: &Visible, shown: &Visible) -> bool {
    let mut rest = predicted.clone();
    rest.noted.remove(&Error::UninitialisedRead) && rest == *shown
}
