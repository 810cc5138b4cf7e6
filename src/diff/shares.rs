//! The share of inputs on which a revision does something else than the original, from samples.
//!
//! A sample gives each variable of the input a value, each value being equally likely (`domains`).
//! It is not run: the halt states whose paths it takes say what every revision does. If there are
//! no more inputs than samples, every input counts once, and nothing is left to chance.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tracing::debug;

use super::{differ::Differ, domains::Domains, input, outcome, pairs::PairVerdict, proportion};
use crate::{
    env::Halt,
    exec::HaltState,
    explore::{Exhausted, unless_it_panics},
    expr::{Assignment, Evaluator, ExprId, Memo, VariableKind},
    replay::Visible,
    results::{Fraction, ShareRow},
    subject::{Revision, RevisionSet},
};

/// The greatest number of samples.
const SAMPLES: u32 = 4096;
/// The work after which sampling ends, in terms evaluated and conditions looked at; less than a
/// second.
const MOST_WORK: usize = 16_000_000;
/// Number of samples that are judged at once, before it is known whether the work ends among them.
const BATCH: u32 = 256;
/// The work that each byte of a predicted outcome counts for, in terms.
const BYTE: usize = 1;
/// The work that a sample, and each outcome predicted for it, counts for at least, in terms.
const SAMPLE: usize = 64;

/// What a sample says about a revision compared with the original.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Shows {
    /// One of the two assumes that there is no such input.
    Excluded,
    Same,
    Changed,
    Unknown,
}

/// Number of samples by what they say about a revision.
#[derive(Clone, Copy, Default)]
struct Count {
    same: u32,
    changed: u32,
    unknown: u32,
}

/// Judges samples.
struct Judge<'d, 'a> {
    differ: &'d Differ<'a>,
    /// Whether the original excludes every input that takes none of its paths.
    is_all_known: bool,
    /// Revisions whose predictions do not count.
    doubted: RevisionSet,
}

impl Differ<'_> {
    /// The share of inputs that change, for each revision but the original; none if there are no
    /// paths, or too many. `dropped` has the paths of states that were dropped and so never ended.
    pub fn shares(
        &self,
        exhausted: &Exhausted,
        dropped: &[Vec<ExprId>],
        pool: &rayon::ThreadPool,
    ) -> Vec<ShareRow> {
        let is_other = |revision: &&Revision| **revision != Revision::ORIGINAL;
        let others = self.revisions().iter().filter(is_other).copied();
        let mut counts: BTreeMap<Revision, Count> =
            others.map(|revision| (revision, Count::default())).collect();
        if self.states.is_empty() || counts.len() == self.revisions().len() {
            return Vec::new();
        }
        let exprs = &self.task.program.exprs;
        let ended = self.states.iter();
        let ended =
            ended.map(|state| (&state.path_condition[..], input::variables(exprs, &state.world)));
        let dropped = dropped.iter().map(|path| (&path[..], Vec::new()));
        let Some(domains) = Domains::new(exprs, ended.chain(dropped)) else { return Vec::new() };
        let all = domains.count(SAMPLES);
        let judge = Judge::new(self, exhausted);
        let judged = |number: u32| {
            let model = if all.is_some() { domains.get(number) } else { domains.draw(number) };
            unless_it_panics(|| judge.judge(&model))
        };
        let (mut seen, mut work) = (0, 0);
        let most = all.unwrap_or(SAMPLES);
        while seen < most && work <= MOST_WORK {
            let batch = seen..most.min(seen + BATCH);
            let batch: Vec<_> = pool.install(|| batch.into_par_iter().map(judged).collect());
            for judged in batch {
                if work > MOST_WORK {
                    break;
                }
                let Some((shown, its_work)) = judged else { return Vec::new() };
                for (revision, count) in &mut counts {
                    match shown.get(revision).unwrap_or(&Shows::Unknown) {
                        Shows::Excluded => {}
                        Shows::Same => count.same += 1,
                        Shows::Changed => count.changed += 1,
                        Shows::Unknown => count.unknown += 1,
                    }
                }
                seen += 1;
                work += its_work;
            }
        }
        debug!(seen, work, "sampled");
        let is_proved = |(a, b, verdict)| {
            let is_proved = a == Revision::ORIGINAL && verdict == PairVerdict::Equivalent;
            is_proved.then_some(b)
        };
        let proved: RevisionSet = self.pairs.verdicts().filter_map(is_proved).collect();
        let row =
            |(revision, count)| row(revision, count, all == Some(seen), proved.contains(revision));
        counts.into_iter().map(row).collect()
    }
}

/// The row of a revision. `is_exact` says that the samples were all inputs, `is_proved` that the
/// revision is equivalent to the original.
fn row(revision: Revision, count: Count, is_exact: bool, is_proved: bool) -> ShareRow {
    let Count { same, changed, unknown } = count;
    let samples = same + changed + unknown;
    let part = |hits: u32| f64::from(hits) / f64::from(samples.max(1));
    let most = changed + unknown;
    let (low, high) = match is_exact {
        true => (part(changed), part(most)),
        false => proportion::interval(changed, most, samples),
    };
    let (low, high, unknown) = if is_proved { (0.0, 0.0, 0) } else { (low, high, unknown) };
    let share = |share| (samples > 0 || is_proved).then_some(Fraction(share));
    ShareRow {
        revision,
        changed: share(part(changed)),
        changed_low: share(low),
        changed_high: share(high),
        unknown: share(part(unknown)),
        samples,
    }
}

impl<'d, 'a> Judge<'d, 'a> {
    fn new(differ: &'d Differ<'a>, exhausted: &Exhausted) -> Self {
        let of_original = |state: &&HaltState| state.revisions.contains(Revision::ORIGINAL);
        let mut new = Self { differ, is_all_known: false, doubted: RevisionSet::new() };
        new.is_all_known = exhausted.has(Revision::ORIGINAL)
            && differ.states.iter().filter(of_original).all(|state| new.is_of_input(state));
        let without_result = differ.task.without_result.iter().copied();
        new.doubted = without_result.chain(differ.contradicted.iter()).collect();
        new
    }

    /// Whether the path depends on the input alone, so that a sample says whether it is taken.
    fn is_of_input(&self, state: &HaltState) -> bool {
        let exprs = &self.differ.task.program.exprs;
        let is_input = |variable| exprs.variable_kind(variable) == VariableKind::Input;
        let variables = |condition: &ExprId| exprs.variables(*condition).iter().copied();
        state.path_condition.iter().flat_map(variables).all(is_input)
    }

    /// What one sample says about the revisions, and the work that this took. Nothing is known
    /// about revisions that are left out.
    fn judge(&self, model: &Assignment) -> (BTreeMap<Revision, Shows>, usize) {
        let differ = self.differ;
        let mut memo = Memo::default();
        let exprs = &differ.task.program.exprs;
        let (taken, looked_at) =
            differ.paths.taken_by(&mut Evaluator::new(exprs, model, &mut memo));
        let mut work = SAMPLE + looked_at + memo.len();
        let mut shown = BTreeMap::new();
        let of_original =
            |index: &&usize| differ.states[**index].revisions.contains(Revision::ORIGINAL);
        let Some(original) = taken.iter().find(of_original) else {
            if self.is_all_known && taken.is_empty() {
                let all = differ.revisions().iter();
                shown.extend(all.map(|revision| (*revision, Shows::Excluded)));
            }
            return (shown, work);
        };
        let mut expected = None;
        for index in &taken {
            let (a, b) = (&differ.states[*original], &differ.states[*index]);
            let visible = |state: &HaltState| {
                let (visible, its_work) = self.visible(state, model)?;
                work += its_work;
                Some(visible)
            };
            let shows = self.compare((a, b, index == original), visible, &mut expected);
            for revision in b.revisions.iter() {
                shown.entry(revision).or_insert(self.shows(shows, b, revision));
            }
        }
        (shown, work)
    }

    /// What it means that the original takes the path to `a` and another revision the one to `b`.
    /// `is_one` says that these are the same state. `visible` tells what a path predicts.
    /// `expected` has what the original shows, once that is known.
    fn compare(
        &self,
        (a, b, is_one): (&HaltState, &HaltState, bool),
        mut visible: impl FnMut(&HaltState) -> Option<Visible>,
        expected: &mut Option<Option<Visible>>,
    ) -> Shows {
        let is_excluded = |state: &HaltState| matches!(state.halt, Halt::Silent | Halt::Outside);
        if is_excluded(a) || is_excluded(b) || a.halt == Halt::Malformed {
            return Shows::Excluded;
        }
        let is_followed = |state: &HaltState| state.is_exact() && self.is_of_input(state);
        if !is_followed(a) || !is_followed(b) {
            return Shows::Unknown;
        }
        if is_one {
            return Shows::Same;
        }
        if !input::comparable(&a.world, &b.world) {
            return Shows::Unknown;
        }
        let known = expected.take().unwrap_or_else(|| visible(a));
        let other = visible(b);
        let shows = match (&known, other) {
            (Some(known), Some(other)) if *known == other => Shows::Same,
            (Some(_), Some(_)) => Shows::Changed,
            _ => Shows::Unknown,
        };
        *expected = Some(known);
        shows
    }

    /// What a path predicts, and the work of finding it out; `None` if the prediction is not exact.
    fn visible(&self, state: &HaltState, model: &Assignment) -> Option<(Visible, usize)> {
        let task = &self.differ.task;
        let visible = outcome::predicted(&task.program.exprs, state, model)?.visible(&task.outputs);
        let texts = [&visible.stdout, &visible.stderr].into_iter().flatten();
        let bytes: usize = texts.chain(visible.outputs.values()).map(Vec::len).sum();
        Some((visible, SAMPLE + BYTE * bytes))
    }

    /// What it means for a revision if comparing its halt state `b` with the original gave `shows`.
    fn shows(&self, shows: Shows, b: &HaltState, revision: Revision) -> Shows {
        let is_certain = match b.halt {
            // Revisions that no test had told apart have one future there.
            Halt::Unaffected => !self.differ.pairs.is_left_out(Revision::ORIGINAL, revision),
            _ => true,
        };
        let is_doubted =
            self.doubted.contains(Revision::ORIGINAL) || self.doubted.contains(revision);
        match shows {
            Shows::Excluded => Shows::Excluded,
            _ if !is_certain || is_doubted => Shows::Unknown,
            other => other,
        }
    }
}
