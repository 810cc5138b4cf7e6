//! What a test shows: the prediction, the native runs, and which of them count.
//!
//! While states are still coming, a test may run before it is known what every revision does on
//! its input. No sanitizer watches these then, and what they show is taken as it is. Once no more
//! will come, every test is judged
//! again ([`Differ::finish`]): by then the input holds all that any revision reads, what is
//! predicted for every revision has to be what it shows, and an outcome of which nothing is
//! predicted is evidence only if a second run repeats it. What a test of before does not show
//! any more is looked for anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::Instant,
};

use super::{
    Differ, DifferentialTest, Expected, PairVerdict, ReplayFailed, Task, input, outcome,
    proof::{Audit, End},
    reason::Reason,
    stopped::{self, is_stopped},
};
use crate::{
    env::{Halt, Incomplete, stdin::Stdin},
    errors::Error,
    exec::{self, Arguments, HaltState, Start},
    explore::{Exhausted, unless_it_panics},
    expr::Assignment,
    memory::Byte,
    replay::{Outcome, Termination, TestInput, Visible},
    results::{Clustering, FoundBy, TestId},
    solver,
    subject::{Revision, RevisionSet, config::Uninitialised},
};

/// A revision that came to no end so many times is followed no more.
const UNENDED: u32 = 2;

/// Where a halt state comes from, and its number there.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Its path was explored.
    Explored(usize),
    /// Only this input was followed.
    Followed(usize),
}

/// What the engine says of one revision on one input.
pub(super) enum Slot {
    /// A halt state which shows exactly this.
    Exact(Source, Visible),
    /// A halt state which does not say exactly what is seen.
    Vague(Source),
    /// Nothing is known.
    Missing,
}

/// What the engine says of an input.
pub(super) struct Prediction {
    pub(super) input: TestInput,
    /// In the order of the revisions.
    pub(super) slots: Vec<Slot>,
    /// The halt states that were followed for it, by their numbers.
    followed: Vec<usize>,
}

impl Prediction {
    /// Whether a revision takes a path that is known, though what it shows may not be.
    pub(super) fn takes_a_path(&self) -> bool {
        self.slots.iter().any(|slot| !matches!(slot, Slot::Missing))
    }
}

impl Slot {
    pub(super) fn visible(&self) -> Option<&Visible> {
        match self {
            Self::Exact(_, visible) => Some(visible),
            Self::Vague(_) | Self::Missing => None,
        }
    }
}

impl Differ<'_> {
    /// To be called when no more states will come: judges every test by what is known now,
    /// compares again what no test tells apart any more, and proves what `exhausted` and the
    /// refutations on record prove.
    ///
    /// # Errors
    /// where a native run is impossible.
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

    /// To be called before states are left out because of what tests told apart: judges the tests
    /// again of which some revision was no more than looked at.
    ///
    /// # Errors
    /// where a native run is impossible.
    pub fn confirm(&mut self, pool: &rayon::ThreadPool) -> Result<(), ReplayFailed> {
        if self.tests.iter().any(|test| !test.expected.early.is_empty()) {
            self.confirms = true;
            let judged = self.judge_again(pool);
            self.confirms = false;
            judged?;
        }
        Ok(())
    }

    /// Judges every test by what is known now, and compares what no test tells apart any more.
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
        // The rest has to run again, which may take long: first what told the most apart.
        while let Some(index) = self.most_telling(&others) {
            let (prediction, test) = others.remove(index);
            self.show(prediction, test.model, test.found_by, None)?;
        }
        if before.keys().any(|(a, b)| self.pairs.is_open(*a, *b)) {
            self.pair(0, pool)?;
        }
        Ok(())
    }

    /// Of tests that are to be judged again, the one that told the most pairs apart which are open
    /// now; none of the others matters, but for tests that were given or showed a mismatch.
    fn most_telling(&self, tests: &[(Prediction, DifferentialTest)]) -> Option<usize> {
        let told = |test: &DifferentialTest| {
            let clusters: Vec<(&Revision, &Revision)> = test.clustering.clusters.iter().collect();
            let pairs = clusters.iter().enumerate().map(|(index, (a, x))| {
                let others = clusters[index + 1..].iter();
                others.filter(|(b, y)| x != y && self.pairs.is_open(**a, **b)).count()
            });
            pairs.sum::<usize>()
        };
        let is_due = |test: &DifferentialTest| {
            matches!(test.found_by, FoundBy::Given | FoundBy::Seed) || !test.mismatches.is_empty()
        };
        let counts = tests.iter().map(|(_, test)| (told(test), is_due(test))).enumerate();
        let (index, _) = counts
            .filter(|(_, (told, is_due))| *told > 0 || *is_due)
            // Of equals the first.
            .max_by_key(|(index, worth)| (*worth, std::cmp::Reverse(*index)))?;
        Some(index)
    }

    /// Whether a test has to run again: a run was stopped, perhaps soon because nothing was known of
    /// it, of which an end is predicted now, or was not watched for what is expected now.
    fn is_outdated(&self, prediction: &Prediction, test: &DifferentialTest) -> bool {
        let DifferentialTest { expected, outcomes, .. } = test;
        let now = self.expected(&prediction.slots);
        let concerned = now.errors.values().flat_map(RevisionSet::iter).chain(now.unknown.iter());
        if concerned.into_iter().any(|revision| expected.early.contains(revision)) {
            return true;
        }
        prediction.slots.iter().zip(outcomes).any(|(slot, outcome)| match slot {
            Slot::Exact(source, _) => is_stopped(outcome) && self.state(*source).halt != Halt::Hang,
            Slot::Vague(_) | Slot::Missing => false,
        })
    }

    /// Proves pairs of which nothing else is known.
    fn prove(&mut self, exhausted: &Exhausted) {
        let audit = Audit {
            ends: self.states.iter().map(End::from).collect(),
            paths: &self.paths,
            refutations: &self.refutations,
            exhausted,
        };
        for (pair, judgement) in audit.judge(&self.pairs.claims()) {
            match judgement {
                Ok(proof) => self.pairs.prove(pair, proof),
                Err(reason) => self.pairs.doubt_pair(pair, reason),
            }
        }
    }

    /// The input that a model stands for, and what each revision shows on it.
    pub(super) fn predict(&self, model: &Assignment) -> Prediction {
        self.predict_with(model, Vec::new())
    }

    /// The same, where these states were followed on it.
    fn predict_with(&self, model: &Assignment, followed: Vec<usize>) -> Prediction {
        let exprs = &self.task.program.exprs;
        let explored = self.taken(model).into_iter().map(Source::Explored);
        let sources: Vec<Source> =
            explored.chain(followed.iter().copied().map(Source::Followed)).collect();
        let states: Vec<&HaltState> = sources.iter().map(|source| self.state(*source)).collect();
        // Where no path is known for an input, some command line is better than none.
        let arguments = states.first().copied().or(self.states.first());
        let arguments = arguments.map_or(&[][..], |state| &state.world.arguments);
        let mut input = input::concrete(exprs, arguments, &states, model);
        let slots = self.slots(&sources, model, &input);
        if slots.iter().any(|slot| slot.visible().is_none()) {
            let spare = input::spare_tokens(&states);
            if !spare.is_empty() {
                input.stdin.get_or_insert_default().extend(spare);
            }
        }
        Prediction { input, slots, followed }
    }

    /// What these states say of an input, which a model stands for.
    fn slots(&self, sources: &[Source], model: &Assignment, input: &TestInput) -> Vec<Slot> {
        let exprs = &self.task.program.exprs;
        let mut slots: Vec<Slot> = self.task.revisions.iter().map(|_| Slot::Missing).collect();
        for source in sources {
            let state = self.state(*source);
            let visible = input::fits(exprs, state, model, input)
                .then(|| outcome::predicted(exprs, state, model))
                .flatten()
                .map(|outcome| outcome.visible(&self.task.outputs));
            for (revision, slot) in self.task.revisions.iter().zip(&mut slots) {
                let is_known = slot.visible().is_some();
                if is_known || !state.revisions.contains(*revision) {
                    continue;
                }
                match (&visible, &slot) {
                    (Some(visible), _) => *slot = Slot::Exact(*source, visible.clone()),
                    (None, Slot::Missing) => *slot = Slot::Vague(*source),
                    (None, _) => {}
                }
            }
        }
        slots
    }

    /// What is predicted of an input that no model stands for, where these states were followed on its
    /// text.
    fn predict_text(&self, input: TestInput, followed: Vec<usize>) -> Prediction {
        let sources: Vec<Source> = followed.iter().copied().map(Source::Followed).collect();
        let slots = self.slots(&sources, &Assignment::default(), &input);
        Prediction { input, slots, followed }
    }

    pub(super) fn state(&self, source: Source) -> &HaltState {
        match source {
            Source::Explored(index) => &self.states[index],
            Source::Followed(index) => &self.followed[index],
        }
    }

    /// What is predicted once those revisions are followed on the input of which nothing exact is
    /// known.
    pub(super) fn follow(&mut self, prediction: Prediction, model: &Assignment) -> Prediction {
        let slots = self.task.revisions.iter().zip(&prediction.slots);
        let missing = slots.filter(|(_, slot)| slot.visible().is_none());
        let missing: RevisionSet = missing.map(|(revision, _)| *revision).collect();
        let known = prediction.followed.iter().flat_map(|i| self.followed[*i].revisions.iter());
        let known: RevisionSet = known.collect();
        let Some((start, _)) = &self.task.start else { return prediction };
        if missing.is_empty() || missing.iter().any(|revision| known.contains(revision)) {
            return prediction;
        }
        let start = Start { revisions: missing, ..start.clone() };
        let mut followed = prediction.followed;
        followed.extend(self.follow_from(start, model));
        self.predict_with(model, followed)
    }

    /// The numbers of the halt states of revisions that are followed on the text of an input; none
    /// where it is more than text, or the program one with its C library, and none of a state that asked
    /// for more than text.
    pub(super) fn follow_text(&mut self, input: &TestInput, revisions: RevisionSet) -> Vec<usize> {
        let Some((start, _)) = &self.task.start else { return Vec::new() };
        if !input.objects.is_empty() || !start.files.is_empty() || start.entry != "main" {
            return Vec::new();
        }
        let text = input.stdin.iter().flatten().copied().map(Byte::Concrete).collect();
        let args = input.command_line().into_iter().map(Arguments::Text).collect();
        let start = Start { revisions, args, stdin: Stdin::bytes(text), ..start.clone() };
        let followed = self.follow_from(start, &Assignment::default());
        followed.filter(|index| self.followed[*index].world.objects.is_empty()).collect()
    }

    /// The numbers of the halt states that this start comes to on an input, but for revisions that came
    /// to no end on several others.
    fn follow_from(&mut self, mut start: Start, given: &Assignment) -> Range<usize> {
        let Some((_, limits)) = &self.task.start else { return 0..0 };
        let is_hopeless = |revision| self.unended.get(&revision).is_some_and(|n| *n >= UNENDED);
        let revisions: RevisionSet = start.revisions.iter().filter(|r| !is_hopeless(*r)).collect();
        start.revisions = revisions.clone();
        if revisions.is_empty() {
            return 0..0;
        }
        let Task { program, clock, solver, .. } = &self.task;
        let run = || {
            let mut solver = solver::reproducible(solver);
            exec::follow(program, start, given, *limits, &mut *solver, *clock)
        };
        let first = self.followed.len();
        let Some(mut halted) = unless_it_panics(run) else { return first..first };
        halted.iter_mut().for_each(Self::note_caught);
        if !clock.is_over() {
            let ended: RevisionSet =
                halted.iter().flat_map(|state| state.revisions.iter()).collect();
            for revision in revisions.iter().filter(|revision| !ended.contains(*revision)) {
                *self.unended.entry(revision).or_default() += 1;
            }
        }
        self.followed.extend(halted);
        first..self.followed.len()
    }

    /// Open pairs that are predicted to differ.
    pub(super) fn predicted_apart(&self, prediction: &Prediction) -> Vec<(Revision, Revision)> {
        let predicted = Clustering::new(TestId(0), self.known(prediction));
        let known: Vec<(Revision, Revision)> = predicted.clusters.into_iter().collect();
        let mut apart = Vec::new();
        for (index, (a, of_a)) in known.iter().enumerate() {
            let others = known[index + 1..].iter();
            let differ = others.filter(|(b, of_b)| of_a != of_b && self.pairs.is_open(*a, *b));
            apart.extend(differ.map(|(b, _)| (*a, *b)));
        }
        apart
    }

    /// The revisions of which it is predicted what they show.
    pub(super) fn known<'p>(
        &'p self,
        prediction: &'p Prediction,
    ) -> impl Iterator<Item = (Revision, &'p Visible)> {
        let slots = self.task.revisions.iter().zip(&prediction.slots);
        slots.filter_map(|(revision, slot)| Some((*revision, slot.visible()?)))
    }

    /// The revisions that are predicted to run into an error.
    pub(super) fn erring<'p>(
        &'p self,
        prediction: &'p Prediction,
    ) -> impl Iterator<Item = Revision> + 'p {
        let slots = self.task.revisions.iter().zip(&prediction.slots);
        slots.filter_map(|(revision, slot)| match slot {
            Slot::Exact(source, _) => {
                let state = self.state(*source);
                let errs = matches!(state.halt, Halt::Error(_)) || !state.world.findings.is_empty();
                errs.then_some(*revision)
            }
            Slot::Vague(_) | Slot::Missing => None,
        })
    }

    /// Replays an input that did not come from here. What it is on text alone is predicted.
    ///
    /// # Errors
    /// where a native run is impossible.
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

    /// Keeps the test if it shows a difference, or shows something else than predicted.
    /// `known` are its outcomes if it ran before, and what had been expected then.
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
        let Prediction { input, slots, followed } = match (&model, &known) {
            (Some(model), None) => {
                let before = prediction.input.clone();
                let more = self.follow(prediction, model);
                // By now it may hold what others read, too.
                if more.input != before && !self.inputs.insert(more.input.clone()) {
                    return Ok(());
                }
                more
            }
            _ => prediction,
        };
        let expected = self.expected(&slots);
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
        let mut objections = BTreeMap::new();
        let mut mismatches = Vec::new();
        for (index, slot) in slots.iter().enumerate() {
            let (revision, shown, outcome) = (revisions[index], &visible[index], &outcomes[index]);
            let reasons = self.objections(slot, shown, outcome);
            if !reasons.is_empty() {
                objections.insert(revision, reasons);
            }
            if let Some(predicted) = slot.visible()
                && predicted != shown
            {
                if self.task.without_result.contains(&revision) {
                    objections.entry(revision).or_insert(vec![Reason::NoResult]);
                    continue;
                }
                let how = outcome::explain(predicted, shown, outcome);
                mismatches.push(format!("revision {revision}: {how}"));
                self.distrust(revision, &[Reason::Contradicted]);
            }
        }
        if self.settled {
            self.repeat(&input, &slots, &expected, &visible, &mut objections)?;
        }
        for (revision, slot) in revisions.iter().zip(&slots) {
            // Of whom nothing is known yet, it is judged again.
            if let Some(reasons) = objections.get(revision)
                && (self.settled || slot.visible().is_some())
            {
                self.distrust(*revision, reasons);
            }
        }
        let test = TestId(self.tests.len() as u32 + 1);
        let all = revisions.iter().copied().zip(&visible);
        let (mut shown, others): (Vec<_>, Vec<_>) =
            all.partition(|(revision, _)| !objections.contains_key(revision));
        let predicted: RevisionSet = revisions
            .iter()
            .zip(&slots)
            .filter_map(|(revision, slot)| slot.visible().map(|_| *revision))
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
                        && self.pairs.verdict(a, b) == PairVerdict::Equivalent
                    {
                        refuted.insert((a.min(b), a.max(b)));
                    }
                    self.pairs.distinguish(a, b, test, &output);
                }
            }
        }
        let refuted = refuted.into_iter();
        mismatches
            .extend(refuted.map(|(a, b)| format!("revisions {a} and {b} were proved equivalent")));
        if groups.len() < 2 && mismatches.is_empty() {
            return Ok(());
        }
        let told_apart = self.pairs.distinguished();
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

    fn run(
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

    fn expected(&self, slots: &[Slot]) -> Expected {
        let mut expected = Expected::default();
        for (revision, slot) in self.task.revisions.iter().zip(slots) {
            match slot {
                Slot::Exact(source, visible) => {
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
                Slot::Vague(_) | Slot::Missing if self.settled || self.confirms => {
                    expected.unknown.insert(*revision);
                }
                Slot::Vague(_) | Slot::Missing => _ = expected.early.insert(*revision),
            }
        }
        expected
    }

    /// Why what a revision showed may not be held against another one: nothing if it may.
    fn objections(&self, slot: &Slot, shown: &Visible, outcome: &Outcome) -> Vec<Reason> {
        let stopped = is_stopped(outcome);
        // That a run takes long is no proof that it never ends; the machine may be slow.
        let slow = || vec![Reason::Stopped];
        let ended_there = shown.finding == Some(Error::UninitialisedRead.into());
        let any = self.task.program.uninitialised == Uninitialised::Any;
        if (ended_there || any && !shown.noted.is_empty()) && slot.visible() != Some(shown) {
            // What else it shows may depend on what happened to be in memory.
            return vec![Reason::UninitialisedRun];
        }
        let state = match slot {
            Slot::Exact(source, _) => {
                let endless = self.state(*source).halt == Halt::Hang;
                return if stopped && !endless { slow() } else { Vec::new() };
            }
            Slot::Vague(source) => Some(self.state(*source)),
            Slot::Missing => None,
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
            !state.world.is_followed() || matches!(state.halt, Halt::Silent | Halt::Outside)
        };
        if let Some(state) = state.filter(|state| arbitrary(state))
            && (stopped || reasons.is_empty())
        {
            reasons.extend(Reason::of_state(state));
        }
        reasons
    }

    /// Runs once more what is not predicted, and crashes: a program that does not do the same
    /// twice shows nothing.
    fn repeat(
        &mut self,
        input: &TestInput,
        slots: &[Slot],
        expected: &Expected,
        visible: &[Visible],
        objections: &mut BTreeMap<Revision, Vec<Reason>>,
    ) -> Result<(), ReplayFailed> {
        let again: Vec<usize> = (0..slots.len())
            .filter(|index| slots[*index].visible().is_none() || self.crashes(&slots[*index]))
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

    /// Of runs that were stopped, those that begin with the same text when they run again, and are
    /// apart from the others by that, too. While states still come, nothing is run for that.
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

    /// Whether what is predicted is a crash that no sanitizer has looked at.
    fn crashes(&self, slot: &Slot) -> bool {
        matches!(slot, Slot::Exact(source, _) if outcome::crashes(self.state(*source)))
    }

    /// Nothing can be proved of a revision any more.
    pub(super) fn distrust(&mut self, revision: Revision, reasons: &[Reason]) {
        let all: RevisionSet = self.task.revisions.iter().copied().collect();
        let one: RevisionSet = std::iter::once(revision).collect();
        for reason in reasons {
            self.pairs.doubt(&one, &all, reason);
        }
    }
}
