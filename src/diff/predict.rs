//! Predicts what every revision shows on an input: from the halt states whose paths the input takes
//! and, where these do not say, by following the input.

use std::ops::Range;

use super::{
    differ::Differ,
    input, outcome,
    prediction::{Predicted, Prediction, Source},
    test::Task,
};
use crate::{
    env::{Halt, libc::stdin::Stdin},
    exec::{self, Arguments, HaltState, Start},
    explore::unless_it_panics,
    expr::Assignment,
    memory::Byte,
    replay::{TestInput, Visible},
    results::{Clustering, TestId},
    solver,
    subject::{Revision, RevisionSet},
};

/// A revision is not followed any more after this many followed inputs on which it reached no end.
const UNENDED: u32 = 2;

impl Differ<'_> {
    /// The input that a model stands for, and the outcome predicted for each revision on it.
    pub(super) fn predict(&self, model: &Assignment) -> Prediction {
        self.predict_with(model, Vec::new())
    }

    /// The prediction for the input of a model. It also draws on the states at the indices
    /// `followed`, which were followed on that input.
    pub(super) fn predict_with(&self, model: &Assignment, followed: Vec<usize>) -> Prediction {
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

    /// What the halt states in `sources` predict for `input`, the input that `model` stands for.
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
    pub(super) fn predict_text(&self, input: TestInput, followed: Vec<usize>) -> Prediction {
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

    /// The prediction after revisions without an exact prediction were also followed on this input.
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
}
