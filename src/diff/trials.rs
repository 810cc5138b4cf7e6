//! Inputs that are not derived by a query: inputs of known paths with other numbers and words in
//! them.
//!
//! Most patches that differ do so on most inputs, and a native run costs milliseconds where the
//! next path or query may cost seconds. *Samples* are tried with each batch of states: usual values
//! for the variables of a path, for which the outcome of every known path can be predicted.
//! *Variants* are tried for pairs still open when exploration stops. They have other words in the
//! text itself, and so may lead where no path was followed. Predictions and plain runs choose among
//! them, and the inputs chosen are replayed and judged like any other.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{
    differ::Differ,
    input,
    native::ReplayFailed,
    paths::path_input,
    prediction::Prediction,
    simple,
    stopped::{departs, is_stopped},
    test::Task,
    variants::{self, Choice, Model, Variants},
};
use crate::{
    env::Halt,
    exec::{Clock, HaltState},
    explore::unless_it_panics,
    expr::{Assignment, VariableId},
    replay::{TestInput, Visible},
    results::FoundBy,
    solver::{self, SolverConfig},
    subject::{Revision, RevisionSet},
};

/// Number of inputs of known paths from which samples and variants are made.
const MODELS: usize = 8;
/// Time to find one such input.
const FINDING: Duration = Duration::from_millis(100);
/// The greatest number of variants to make and run.
const VARIANTS: usize = 1024;
/// A revision runs no more after this many of its runs in a row had to be stopped.
const STOPPED: usize = 8;
/// The greatest number of samples for each batch of states, and of samples in a row that show
/// nothing new.
const SAMPLES: usize = 48;
const FRUITLESS: usize = 12;

impl Differ<'_> {
    /// Tries usual values in place of those of known paths, before the solver is asked what tells
    /// the open pairs apart: most patches that differ do so on most inputs.
    ///
    /// Programs with their own C library are left out: a run of one takes longer than a query.
    /// After samples that told nothing apart, twice as many batches as before pass until the next
    /// try.
    pub(super) fn try_samples(&mut self) -> Result<(), ReplayFailed> {
        let (left, waited) = self.rest;
        if left > 0 {
            self.rest = (left - 1, waited);
            return Ok(());
        }
        let bases = self.bases();
        let mut choice = Choice(self.states.len() as u64);
        let mut found: Vec<(Assignment, Vec<(Revision, Revision)>)> = Vec::new();
        let mut known = BTreeSet::new();
        let mut fruitless = 0;
        let samples = if bases.is_empty() { 0 } else { SAMPLES };
        for (base, variables) in bases.iter().cycle().take(samples) {
            let is_over = self.task.clock.is_over() || fruitless >= FRUITLESS;
            if is_over || known.len() >= self.pairs.open() {
                break;
            }
            let model = self.sample(base, variables, (usize::MAX, 0), &mut choice);
            let Some(prediction) = unless_it_panics(|| self.predict(&model)) else { continue };
            let is_new = !self.inputs.contains(&prediction.input);
            if !is_new || !prediction.takes_a_path() {
                continue;
            }
            let apart = self.apart_on(&prediction, &known)?;
            fruitless += 1;
            if apart.iter().any(|pair| known.insert(*pair)) {
                fruitless = 0;
                known.extend(&apart);
                found.push((model, apart));
            }
        }
        let tried = fruitless > 0 || !found.is_empty();
        let before = self.pairs.distinguished();
        while let Some(best) = self.most_apart(&mut found) {
            let (model, apart) = found.remove(best);
            let prediction = self.predict(&model);
            self.try_input((model, prediction), &apart, FoundBy::Trial)?;
        }
        let in_vain = tried && self.pairs.distinguished() == before;
        let wait = if in_vain { (2 * waited).max(1) } else { 0 };
        self.rest = (wait, wait);
        Ok(())
    }

    /// Models of known paths, spread over all paths, each with the variables that the path reads.
    pub(super) fn bases(&self) -> Vec<(Assignment, Vec<VariableId>)> {
        let ended = self.states.iter().filter(|state| {
            state.is_exact() && state.halt != Halt::Unaffected && !state.world.is_whole
        });
        let ended: Vec<&HaltState> = ended.collect();
        let step = ended.len().div_ceil(MODELS).max(1);
        let bases = ended.into_iter().step_by(step).filter_map(|state| {
            let model = unless_it_panics(|| self.model(&state.path_condition)).flatten()?;
            Some((model, input::variables(&self.task.program.exprs, &state.world)))
        });
        bases.collect()
    }

    /// Replays an input on which the open pairs `apart` seem to differ, and returns whether it did.
    /// It does not if following the input predicts that no open pair differs and each pair in
    /// `apart` has a revision with an error: what a plain run shows after an error means nothing.
    pub(super) fn try_input(
        &mut self,
        (model, prediction): (Assignment, Prediction),
        apart: &[(Revision, Revision)],
        found_by: FoundBy,
    ) -> Result<bool, ReplayFailed> {
        let prediction = self.follow(prediction, &model);
        let is_known = self.known(&prediction).count() == self.revisions().len();
        if is_known && self.predicted_apart(&prediction).is_empty() {
            let errs: RevisionSet = self.erring(&prediction).collect();
            if apart.iter().all(|(a, b)| errs.contains(*a) || errs.contains(*b)) {
                return Ok(false);
            }
        }
        self.show(prediction, Some(model), found_by, None)?;
        Ok(true)
    }

    /// The open pairs that differ on an input: by prediction, and by short plain runs if some
    /// revision has no prediction. Such runs are left out for pairs `known` to differ.
    pub(super) fn apart_on(
        &self,
        prediction: &Prediction,
        known: &BTreeSet<(Revision, Revision)>,
    ) -> Result<Vec<(Revision, Revision)>, ReplayFailed> {
        let mut apart = self.predicted_apart(prediction);
        let predicted: BTreeMap<Revision, &Visible> = self.known(prediction).collect();
        let open = self.still_open(known);
        if open.iter().all(|revision| predicted.contains_key(revision)) {
            return Ok(apart);
        }
        // For a revision with a predicted error, a plain run may show the rest.
        let is_clean = |visible: &Visible| visible.finding.is_none() && visible.noted.is_empty();
        let (mut seen, mut missing) = (Vec::new(), Vec::new());
        for revision in open {
            match predicted.get(&revision).filter(|visible| is_clean(visible)) {
                Some(visible) => {
                    seen.push(Seen { revision, is_stopped: false, visible: (*visible).clone() });
                }
                None => missing.push(revision),
            }
        }
        seen.extend(self.seen(&prediction.input, &missing)?);
        seen.sort_by_key(|one: &Seen| one.revision);
        apart.extend(self.seen_apart(&seen));
        apart.sort_unstable();
        apart.dedup();
        Ok(apart)
    }

    /// The revisions of pairs that are neither settled nor `known` to differ.
    fn still_open(&self, known: &BTreeSet<(Revision, Revision)>) -> Vec<Revision> {
        let all = self.pairs.unsettled_revisions();
        let is_open = |a: Revision, b: Revision| {
            self.pairs.is_unsettled(a, b) && !known.contains(&(a.min(b), a.max(b)))
        };
        all.iter().filter(|a| all.iter().any(|b| is_open(*a, b))).collect()
    }

    /// The index of the trial in `found` that tells the most unsettled pairs apart. Each trial
    /// comes with the pairs that it tells apart. Trials that tell none apart are removed.
    fn most_apart<T>(&self, found: &mut Vec<(T, Vec<(Revision, Revision)>)>) -> Option<usize> {
        found.retain_mut(|(_, apart)| {
            apart.retain(|(a, b)| self.pairs.is_unsettled(*a, *b));
            !apart.is_empty()
        });
        // Among equals, the first.
        (0..found.len()).rev().max_by_key(|index| found[*index].1.len())
    }

    /// The model `base` with usual values for the variables `of`, each chosen among its `most`
    /// simplest values. About `kept` in four variables keep their value.
    pub(super) fn sample(
        &self,
        base: &Assignment,
        of: &[VariableId],
        (most, kept): (usize, usize),
        choice: &mut Choice,
    ) -> Assignment {
        let mut model = base.clone();
        for variable in of {
            let values = simple::usual(&self.task.program.exprs, &self.task.reals, *variable);
            let values = &values[..values.len().min(most)];
            if !values.is_empty() && (kept == 0 || *choice.of(&[0, 1, 2, 3]) >= kept) {
                model.0.insert(*variable, choice.of(values).clone());
            }
        }
        model
    }

    /// Tries variants of the inputs of known paths and of `halted`, states that are not added yet,
    /// for pairs that are neither told apart nor proved equivalent. Ends when `clock` is over or
    /// `most_in_vain` variants in a row show nothing new.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn try_variants(
        &mut self,
        halted: &[HaltState],
        most_in_vain: usize,
        clock: Clock<'_>,
    ) -> Result<(), ReplayFailed> {
        if self.pairs.unsettled_revisions().is_empty() {
            return Ok(());
        }
        let mut found: Vec<(TestInput, Vec<(Revision, Revision)>)> = Vec::new();
        let (mut known, mut in_vain) = (BTreeSet::new(), 0);
        let mut stopped: BTreeMap<Revision, usize> = BTreeMap::new();
        let mut followed = BTreeSet::new();
        let mut variants = Variants::new(variants::constants(&self.task.program.module));
        for input in variants.of(&self.known_inputs(halted, clock), VARIANTS) {
            if clock.is_over() || in_vain >= most_in_vain || known.len() >= self.pairs.open() {
                break;
            }
            let is_tired = |revision: &Revision| stopped.get(revision) == Some(&STOPPED);
            let mut open = self.still_open(&known);
            open.retain(|revision| !is_tired(revision));
            let seen = self.seen(&input, &open)?;
            let mut apart = self.seen_apart(&seen);
            for one in &seen {
                let a = one.revision;
                if !one.is_stopped {
                    stopped.remove(&a);
                    continue;
                }
                *stopped.entry(a).or_default() += 1;
                // One attempt is enough: most such revisions end on no input at all, or just take
                // long.
                if !clock.is_over() && followed.insert(a) && self.never_ends(&input, a) {
                    let others = seen.iter().filter(|one| !one.is_stopped);
                    let others = others.map(|b| (a.min(b.revision), a.max(b.revision)));
                    apart.extend(others.filter(|(a, b)| self.pairs.is_unsettled(*a, *b)));
                }
            }
            in_vain += 1;
            apart.retain(|pair| known.insert(*pair));
            if !apart.is_empty() {
                in_vain = 0;
                found.push((input, apart));
            }
        }
        while !clock.is_over() {
            let Some(best) = self.most_apart(&mut found) else { break };
            self.seed(found.remove(best).0, FoundBy::Trial)?;
        }
        Ok(())
    }

    /// Inputs of some of the paths that came to an end or, if there are none, of paths that were
    /// cut off. No input comes twice. The inputs go on after what was read, as a program may read
    /// more after another beginning.
    fn known_inputs(&self, halted: &[HaltState], clock: Clock<'_>) -> Vec<Model> {
        let all = || self.states.iter().chain(halted);
        let ended = |state: &&HaltState| state.is_exact() && state.halt != Halt::Unaffected;
        let mut known: Vec<&HaltState> = all().filter(ended).collect();
        if known.is_empty() {
            // The beginning of a path is better than nothing.
            known = all().filter(|state| matches!(state.halt, Halt::Incomplete(_))).collect();
        }
        let taken = input::taken(all());
        let mut models: Vec<Model> = Vec::new();
        for state in known.iter().step_by(known.len().div_ceil(MODELS).max(1)) {
            if clock.is_over() {
                break;
            }
            let Some(mut input) = unless_it_panics(|| self.known_input(state, clock)) else {
                continue;
            };
            if let Some(text) = &mut input.stdin {
                text.extend(input::spare_tokens(&[*state]));
            }
            let limits = input::limits(&self.task.program.exprs, &state.world, &input, &taken);
            let model = Model { input, is_text: input::is_text(&state.world), limits };
            if !models.contains(&model) {
                models.push(model);
            }
        }
        models
    }

    /// An input of the path of a state. If the solver takes too long to find one, it is the input
    /// that the state itself carries.
    fn known_input(&self, state: &HaltState, clock: Clock<'_>) -> TestInput {
        let Task { program, solver, .. } = &self.task;
        let (timeout, deadline) = (solver.timeout.min(FINDING), clock.deadline());
        let mut solver =
            solver::reproducible(&SolverConfig { timeout, deadline, ..solver.clone() });
        let arguments = &state.world.arguments;
        let own = || input::concrete(&program.exprs, arguments, &[state], &state.model);
        path_input(program, &mut *solver, state).unwrap_or_else(own)
    }

    /// Whether following the text of an input proves that a revision never ends on it.
    fn never_ends(&mut self, input: &TestInput, revision: Revision) -> bool {
        let followed = self.follow_text(input, [revision].into_iter().collect());
        followed.into_iter().any(|index| self.followed[index].halt == Halt::Hang)
    }

    /// The outcomes of short plain runs of these revisions, without runs outside the program's
    /// assumptions. Empty if time is over.
    fn seen(&self, input: &TestInput, revisions: &[Revision]) -> Result<Vec<Seen>, ReplayFailed> {
        let outcomes = match self.task.replay.glance(input, revisions) {
            Err(ReplayFailed::OutOfTime) => return Ok(Vec::new()),
            other => other?,
        };
        let all = revisions.iter().copied().zip(&outcomes);
        let counts = all.filter(|(_, outcome)| !outcome.is_outside_assumptions());
        Ok(counts
            .map(|(revision, outcome)| Seen {
                revision,
                is_stopped: is_stopped(outcome),
                visible: outcome.visible(&self.task.outputs),
            })
            .collect())
    }

    /// The unsettled pairs that differ in what the short runs showed.
    fn seen_apart(&self, seen: &[Seen]) -> Vec<(Revision, Revision)> {
        let mut apart = Vec::new();
        for (index, a) in seen.iter().enumerate() {
            for b in &seen[index + 1..] {
                let differ = match (a.is_stopped, b.is_stopped) {
                    (false, false) => a.visible != b.visible,
                    (true, _) => departs(&a.visible, &b.visible),
                    (false, true) => departs(&b.visible, &a.visible),
                };
                if differ && self.pairs.is_unsettled(a.revision, b.revision) {
                    apart.push((a.revision, b.revision));
                }
            }
        }
        apart
    }
}

/// What a short plain run of a revision showed.
struct Seen {
    revision: Revision,
    is_stopped: bool,
    visible: Visible,
}
