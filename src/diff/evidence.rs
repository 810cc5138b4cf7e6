//! What a test shows: the prediction, the native runs, and which of them count.
//!
//! While states are still coming, a test may run before the engine knows what every revision does
//! on its input. Revisions of which nothing is known then run without sanitizers, and their
//! outcomes are taken at face value. Once no more states will come, every test is judged again
//! ([`Differ::finish`]). By then the input holds all that any revision reads. A revision with a
//! prediction has to show what is predicted; an outcome without a prediction is evidence only if a
//! second run repeats it. A difference that an earlier test showed and that this second judgement
//! does not confirm is searched for again.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::Instant,
};

use tracing::{debug, warn};

use super::{
    differ::Differ,
    input,
    native::{Expected, ReplayFailed},
    outcome,
    pairs::PairVerdict,
    prediction::{Predicted, Prediction, Source},
    proof::{Audit, End},
    reason::Reason,
    stopped::{self, is_stopped},
    test::{DifferentialTest, Task},
};
use crate::{
    env::{Halt, Incomplete, libc::stdin::Stdin},
    errors::Error,
    exec::{self, Arguments, HaltState, Start},
    explore::{Exhausted, unless_it_panics},
    expr::{Assignment, ExprId},
    memory::Byte,
    replay::{Outcome, Termination, TestInput, Visible},
    results::{Clustering, FoundBy, TestId},
    solver::{self, Query, Solver},
    subject::{Revision, RevisionSet, config::Uninitialised},
};

/// After this many followed inputs on which it reached no end, a revision is followed no more.
const UNENDED: u32 = 2;

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

    /// Judges all tests again if some test ran before anything was known of some revision
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

    /// The index of the test that told apart the most pairs that are open now, among tests that are
    /// to run again. A test that told apart none of these is not worth a run, unless its input was
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

    /// Whether a test has to run again. It does if a run was stopped (perhaps early, as nothing was
    /// known of it) that is now predicted to end. It also does if a revision ran unwatched, as
    /// nothing was known of it, that is now predicted to err or is still unpredicted.
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

    /// Audits every claim of equivalence ([`Pairs::claims`](super::Pairs::claims)) and records its
    /// proof, or what it lacks.
    fn prove(&mut self, exhausted: &Exhausted) {
        self.doubt_malformed();
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

    /// Doubts the pairs of revisions for which input may be malformed that the original reads: nothing
    /// is known of what they do with it.
    fn doubt_malformed(&mut self) {
        let (exprs, states) = (&self.task.program.exprs, &self.states);
        let is_of_original = |state: &HaltState| state.revisions.contains(Revision::ORIGINAL);
        let is_malformed = |index: &usize| states[*index].halt == Halt::Malformed;
        let all = (0..states.len()).filter(is_malformed);
        let (of_original, others): (Vec<usize>, Vec<usize>) =
            all.partition(|index| is_of_original(&states[*index]));
        if others.is_empty() {
            return;
        }
        let not_taken = |index: usize| exprs.not(exprs.all(states[index].path_condition.clone()));
        let is_well_formed: Vec<ExprId> = of_original.into_iter().map(not_taken).collect();
        let mut solver = solver::chain(&self.task.solver);
        let mut claims = self.pairs.claims();
        let mut doubted = Vec::new();
        for b in others {
            let (path, y) = (&states[b].path_condition, &states[b].revisions);
            let overlapping = self.paths.overlapping(path).into_iter();
            for a in overlapping.filter(|a| *a <= b && is_malformed(a)) {
                let x = &states[a].revisions;
                let is_between = |(one, other): &mut (Revision, Revision)| {
                    let ends = |p, q| x.contains(p) && y.contains(q);
                    ends(*one, *other) || ends(*other, *one)
                };
                let goals = [&states[a].path_condition, &is_well_formed[..]].concat();
                let query = Query { path_condition: path, goals: &goals, model: None };
                if claims.iter_mut().any(&is_between) && !solver.check(exprs, query).is_unsat() {
                    doubted.extend(claims.extract_if(.., is_between));
                }
            }
        }
        for pair in doubted {
            self.pairs.doubt_pair(pair, Reason::Outside);
        }
    }

    /// The input that a model stands for, and the outcome predicted for each revision on it.
    pub(super) fn predict(&self, model: &Assignment) -> Prediction {
        self.predict_with(model, Vec::new())
    }

    /// The prediction for the input of a model, drawn also from the states at the indices
    /// `followed`, which were followed on that input.
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
        let predictions = self.predictions(&sources, model, &input);
        if predictions.iter().any(|prediction| prediction.visible().is_none()) {
            let spare = input::spare_tokens(&states);
            if !spare.is_empty() {
                input.stdin.get_or_insert_default().extend(spare);
            }
        }
        Prediction { input, predictions, followed }
    }

    /// What the halt states in `sources` predict for `input`, which `model` stands for.
    fn predictions(
        &self,
        sources: &[Source],
        model: &Assignment,
        input: &TestInput,
    ) -> Vec<Predicted> {
        let exprs = &self.task.program.exprs;
        let mut predictions: Vec<Predicted> =
            self.task.revisions.iter().map(|_| Predicted::Missing).collect();
        for source in sources {
            let state = self.state(*source);
            let visible = input::fits(exprs, state, model, input)
                .then(|| outcome::predicted(exprs, state, model))
                .flatten()
                .map(|outcome| outcome.visible(&self.task.outputs));
            for (revision, prediction) in self.task.revisions.iter().zip(&mut predictions) {
                let is_known = prediction.visible().is_some();
                if is_known || !state.revisions.contains(*revision) {
                    continue;
                }
                match (&visible, &prediction) {
                    (Some(visible), _) => *prediction = Predicted::Exact(*source, visible.clone()),
                    (None, Predicted::Missing) => *prediction = Predicted::Vague(*source),
                    (None, _) => {}
                }
            }
        }
        predictions
    }

    /// The prediction for an input without a model, drawn from the states at the indices
    /// `followed`, which were followed on its text.
    fn predict_text(&self, input: TestInput, followed: Vec<usize>) -> Prediction {
        let sources: Vec<Source> = followed.iter().copied().map(Source::Followed).collect();
        let predictions = self.predictions(&sources, &Assignment::default(), &input);
        Prediction { input, predictions, followed }
    }

    pub(super) fn state(&self, source: Source) -> &HaltState {
        match source {
            Source::Explored(index) => &self.states[index],
            Source::Followed(index) => &self.followed[index],
        }
    }

    /// The prediction after also following, on this input, the revisions without an exact
    /// prediction.
    pub(super) fn follow(&mut self, prediction: Prediction, model: &Assignment) -> Prediction {
        let predictions = self.task.revisions.iter().zip(&prediction.predictions);
        let missing = predictions.filter(|(_, prediction)| prediction.visible().is_none());
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

    /// Follows `revisions` on the text of an input (its arguments and standard input) and returns
    /// the indices of their halt states. There are none if the input also has objects, or if the
    /// program has input files or its own C library (and so another entry than `main`). Halt states
    /// that asked for more than text are left out.
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

    /// Follows an input from `start` and returns the indices of the halt states it reaches.
    /// Revisions that reached no end on several earlier inputs are skipped.
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

    /// The open pairs whose predicted outcomes differ.
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

    /// The revisions with an exact prediction, each with its predicted outcome.
    pub(super) fn known<'p>(
        &'p self,
        prediction: &'p Prediction,
    ) -> impl Iterator<Item = (Revision, &'p Visible)> {
        let predictions = self.task.revisions.iter().zip(&prediction.predictions);
        predictions.filter_map(|(revision, prediction)| Some((*revision, prediction.visible()?)))
    }

    /// The revisions that are predicted to run into an error.
    pub(super) fn erring<'p>(
        &'p self,
        prediction: &'p Prediction,
    ) -> impl Iterator<Item = Revision> + 'p {
        let predictions = self.task.revisions.iter().zip(&prediction.predictions);
        predictions.filter_map(|(revision, prediction)| match prediction {
            Predicted::Exact(source, _) => {
                let state = self.state(*source);
                let errs = matches!(state.halt, Halt::Error(_)) || !state.world.findings.is_empty();
                errs.then_some(*revision)
            }
            Predicted::Vague(_) | Predicted::Missing => None,
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

    /// Runs the input of a prediction natively and keeps it as a test if it shows a difference or a
    /// mismatch, or is there for the code that it runs. `known` holds its outcomes and what was expected if
    /// it ran before; then it does not run again.
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
                // By now it may also hold what other revisions read.
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
        // No difference may rest on what a sanitizer has missed.
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

    /// Why the outcome of a revision may not be compared with those of others; empty if it may. If the
    /// input `is_well_formed` for the original, other revisions may read it as they like.
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

    /// Runs revisions once more whose outcomes are not predicted or that are predicted to crash. A
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

/// Whether a run shows what is predicted, but for a use of memory that was never written: the
/// sanitizer misses some (`a + b == 2` where neither `a` nor `b` was written).
fn is_unseen(predicted: &Visible, shown: &Visible) -> bool {
    let mut rest = predicted.clone();
    rest.noted.remove(&Error::UninitialisedRead) && rest == *shown
}
