//! Inputs that nobody derived: those of known paths with other numbers and words in them.
//!
//! Most patches that differ do so on most inputs, and a native run costs milliseconds where the
//! next path or query may cost seconds. *Samples* are tried with each batch of states: usual values
//! for the variables of a path, so that what every known path does on them is predicted. *Variants*
//! are tried for what is still open when exploring was stopped: other words in the text itself, which
//! may lead where no path was followed; nothing is predicted of them. Predictions and plain runs
//! choose among them, and what they choose is replayed and judged like any other input.

use std::collections::BTreeSet;

use super::{
    Differ, ReplayFailed,
    evidence::Prediction,
    input, is_left, path_input, simple,
    stopped::{departs, is_stopped},
    variants::{self, Choice, Variants},
};
use crate::{
    env::Halt,
    exec::{Clock, HaltState},
    explore::unless_it_panics,
    expr::{Assignment, VariableId},
    replay::{TestInput, Visible},
    solver::{self, SolverConfig},
    subject::{Revision, RevisionSet, results::FoundBy},
};

/// Inputs of known paths that variants are made from.
const MODELS: usize = 8;
/// Variants that run, and so many in a row that show nothing new.
const VARIANTS: usize = 1024;
const IN_VAIN: usize = 160;
/// Samples that are looked at for each batch of states, and so many in a row that show nothing new.
const SAMPLES: usize = 48;
const FRUITLESS: usize = 12;

impl Differ<'_> {
    /// Tries usual values in place of those of known paths, before the solver is asked what tells
    /// apart those pairs that are open: most patches that differ do so on most inputs.
    ///
    /// Not for programs with their own C library, of which a run takes longer than a query. Where
    /// they showed nothing, twice as many batches are waited for as before.
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
            let apart = self.apart_on(&prediction)?;
            fruitless += 1;
            if apart.iter().any(|pair| known.insert(*pair)) {
                fruitless = 0;
                known.extend(&apart);
                found.push((model, apart));
            }
        }
        let wait = if found.is_empty() && fruitless > 0 { (2 * waited).max(1) } else { 0 };
        self.rest = (wait, wait);
        while let Some(best) = self.most_apart(&mut found) {
            let (model, apart) = found.remove(best);
            let prediction = self.predict(&model);
            self.try_input((model, prediction), &apart, FoundBy::Trial)?;
        }
        Ok(())
    }

    /// Inputs of known paths, spread over them, and the variables that these read.
    pub(super) fn bases(&self) -> Vec<(Assignment, Vec<VariableId>)> {
        let ended = self.states.iter().filter(|state| {
            state.is_exact() && state.halt != Halt::Unaffected && !state.world.is_whole
        });
        let ended: Vec<&HaltState> = ended.collect();
        let step = ended.len().div_ceil(MODELS).max(1);
        let bases = ended.into_iter().step_by(step).filter_map(|state| {
            let model = unless_it_panics(|| self.model(&state.path)).flatten()?;
            Some((model, input::variables(&self.task.program.exprs, &state.world)))
        });
        bases.collect()
    }

    /// Replays an input on which open pairs seem to be apart, unless following it says that they are
    /// not and each of them has an error: what a plain run shows behind that is nothing. Whether it was
    /// replayed.
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

    /// Open pairs that are apart on an input: as predicted, and where not all is, as short plain runs
    /// show.
    pub(super) fn apart_on(
        &self,
        prediction: &Prediction,
    ) -> Result<Vec<(Revision, Revision)>, ReplayFailed> {
        let known: RevisionSet = self.known(prediction).map(|(revision, _)| revision).collect();
        let mut apart = self.predicted_apart(prediction);
        if self.pairs.unsettled_revisions().iter().any(|revision| !known.contains(revision)) {
            apart.extend(self.seen_apart(&prediction.input, &BTreeSet::new())?);
            apart.sort_unstable();
            apart.dedup();
        }
        Ok(apart)
    }

    /// Of trials with the pairs that they tell apart, the one that does so of most pairs that are
    /// open; those that do of none are gone.
    fn most_apart<T>(&self, found: &mut Vec<(T, Vec<(Revision, Revision)>)>) -> Option<usize> {
        found.retain_mut(|(_, apart)| {
            apart.retain(|(a, b)| self.pairs.is_unsettled(*a, *b));
            !apart.is_empty()
        });
        // Of equals the first.
        (0..found.len()).rev().max_by_key(|index| found[*index].1.len())
    }

    /// The model with usual values for these variables, one of the `most` simplest each; of four
    /// variables about `kept` stay as they are.
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

    /// Tries variants of the inputs of known paths, and of `halted`, which are to be added yet,
    /// until `clock` is over, where pairs are neither told apart nor proved equivalent.
    ///
    /// # Errors
    /// where a native run is impossible.
    pub fn try_variants(
        &mut self,
        halted: &[HaltState],
        clock: Clock<'_>,
    ) -> Result<(), ReplayFailed> {
        if self.pairs.unsettled_revisions().is_empty() {
            return Ok(());
        }
        let mut found: Vec<(TestInput, Vec<(Revision, Revision)>)> = Vec::new();
        let (mut known, mut in_vain) = (BTreeSet::new(), 0);
        let mut variants = Variants::new(variants::constants(&self.task.program.module));
        for input in variants.of(&self.known_inputs(halted, clock), VARIANTS) {
            if clock.is_over() || in_vain >= IN_VAIN || known.len() >= self.pairs.open() {
                break;
            }
            let mut apart = self.seen_apart(&input, &known)?;
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

    /// Inputs of some of the paths that came to an end, or else were left before, none twice. They go on after what was read:
    /// with another beginning a program may read more.
    fn known_inputs(&self, halted: &[HaltState], clock: Clock<'_>) -> Vec<TestInput> {
        let all = || self.states.iter().chain(halted);
        let ended = |state: &&HaltState| state.is_exact() && state.halt != Halt::Unaffected;
        let mut known: Vec<&HaltState> = all().filter(ended).collect();
        if known.is_empty() {
            // How they begin is better than nothing.
            known = all().filter(|state| is_left(state)).collect();
        }
        let mut inputs: Vec<TestInput> = Vec::new();
        for state in known.iter().step_by(known.len().div_ceil(MODELS).max(1)) {
            if clock.is_over() {
                break;
            }
            let config = SolverConfig { deadline: clock.deadline(), ..self.task.solver.clone() };
            let mut solver = solver::reproducible(&config);
            let input = unless_it_panics(|| path_input(self.task.program, &mut *solver, state));
            let Some(mut input) = input.flatten() else { continue };
            if let Some(text) = &mut input.stdin {
                text.extend(input::spare_tokens(&[*state]));
            }
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        inputs
    }

    /// Pairs that short plain runs tell apart, and nothing else has settled; those that are `known` to be
    /// told apart need no run.
    fn seen_apart(
        &self,
        input: &TestInput,
        known: &BTreeSet<(Revision, Revision)>,
    ) -> Result<Vec<(Revision, Revision)>, ReplayFailed> {
        let open = self.pairs.unsettled_revisions();
        let is_open = |a: Revision, b: Revision| {
            self.pairs.is_unsettled(a, b) && !known.contains(&(a.min(b), a.max(b)))
        };
        let matters = |a: &Revision| open.iter().any(|b| is_open(*a, b));
        let revisions: Vec<Revision> = open.iter().filter(matters).collect();
        let outcomes = match self.task.replay.glance(input, &revisions) {
            Err(ReplayFailed::OutOfTime) => return Ok(Vec::new()),
            other => other?,
        };
        let all = revisions.iter().copied().zip(&outcomes);
        let shown: Vec<(Revision, bool, Visible)> = all
            .filter(|(_, outcome)| !outcome.is_outside_assumptions())
            .map(|(revision, outcome)| {
                (revision, is_stopped(outcome), outcome.visible(&self.task.outputs))
            })
            .collect();
        let mut apart = Vec::new();
        for (index, (a, a_is_stopped, x)) in shown.iter().enumerate() {
            for (b, b_is_stopped, y) in &shown[index + 1..] {
                let differ = match (a_is_stopped, b_is_stopped) {
                    (false, false) => x != y,
                    (true, _) => departs(x, y),
                    (false, true) => departs(y, x),
                };
                if differ && self.pairs.is_unsettled(*a, *b) {
                    apart.push((*a, *b));
                }
            }
        }
        Ok(apart)
    }
}
