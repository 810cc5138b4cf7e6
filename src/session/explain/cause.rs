//! What makes two runs show different things: the conditions that decide it in one run and do not
//! follow from those that decide it in the other.
//!
//! The source is Banerjee, Roychoudhury, Harlie and Liang, "Golden implementation driven software
//! debugging" (FSE 2010). In each run, the dynamic backward slice from the first difference is
//! taken, and over that slice the weakest precondition of what is shown there, which is a
//! conjunction.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::{lines::Sources, run::Run};
use crate::{
    env::Halt,
    exec::{Channel, Clock, Record, RunStep},
    expr::{Adoption, ExprId, Exprs, VariableId, VariableKind},
    report::Reason,
    solver::{Query, Solver, Verdict},
};

/// The greatest number of conditions of a run that are looked at. Of more, the last ones are.
const LOOKED_AT: usize = 400;
/// The greatest number of reasons that are given.
const REASONS: usize = 6;
/// What stands between conditions.
const AND: &str = " and ";
/// The longest text of a condition.
const LONGEST: usize = 90;

/// Where the runs of two revisions begin to show different things.
pub(super) struct Criterion {
    /// What is compared there.
    channel: Option<Channel>,
    /// For each revision, the step that shows something there, and the value that it shows a part
    /// of; none if it shows nothing there.
    shown: [Option<(RunStep, Option<ExprId>)>; 2],
}

impl Criterion {
    /// The first difference of two runs in what counts; none if the difference is elsewhere, as in
    /// a file.
    pub(super) fn new(records: [&Record; 2], counts: &dyn Fn(&Channel) -> bool) -> Option<Self> {
        let fails = |record: &Record| match &record.halt {
            Some(Halt::Exit(_)) | None => None,
            Some(_) => Some((record.steps.len().checked_sub(1)? as RunStep, None)),
        };
        let failures = records.map(fails);
        let channels: BTreeSet<&Channel> =
            records.iter().flat_map(|record| &record.shown).map(|shown| &shown.channel).collect();
        let difference = |channel: &&Channel| {
            let [mut a, mut b] = records
                .map(|record| record.shown.iter().filter(|shown| shown.channel == **channel));
            loop {
                let shown = match (a.next(), b.next()) {
                    (None, None) => return None,
                    (Some(x), Some(y)) if x.byte == y.byte => continue,
                    shown => [shown.0, shown.1],
                };
                let shown = shown.map(|shown| shown.map(|shown| (shown.step, shown.value)));
                return Some(Self { channel: Some((*channel).clone()), shown });
            }
        };
        let found =
            channels.into_iter().filter(|channel| counts(channel)).filter_map(|c| difference(&c));
        // A run that fails shows no exit code, and may have lost what it showed before.
        match failures {
            // If only one run shows something, it is not known why the other does not.
            [None, None] => {
                found.min_by_key(|found| (found.shown.iter().any(Option::is_none), found.first()))
            }
            failures => Some(Self { channel: None, shown: failures }),
        }
    }

    /// The first step at which either of the runs shows the difference.
    fn first(&self) -> Option<RunStep> {
        self.shown.iter().flatten().map(|(step, _)| *step).min()
    }

    /// What decides the difference in the run of revision `side`. If nothing is shown there, all
    /// that ran may.
    pub(super) fn slice(&self, record: &Record, side: usize) -> FixedBitSet {
        match self.shown[side] {
            Some((step, _)) => record.slice(&[step]),
            None => {
                let mut all = FixedBitSet::with_capacity(record.steps.len());
                all.insert_range(..);
                all
            }
        }
    }
}

/// A run of a revision, with the slice that decides the difference.
pub(super) struct Side<'a> {
    pub(super) run: &'a Run,
    pub(super) slice: &'a FixedBitSet,
}

/// How much a reason says, beginning with the most telling.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Weight {
    /// The other revision does not have the line that decides.
    Changed,
    /// A line of the program decides, or what is shown is a different function of the input.
    Program,
    /// A library that the line calls decides.
    Library,
}

/// A condition that decides.
struct Decided {
    condition: ExprId,
    by: By,
}

/// What decides.
#[derive(Clone, Copy)]
enum By {
    /// A step.
    Step(usize),
    /// The value that is shown.
    Shown(ExprId),
}

impl Side<'_> {
    /// The conjuncts of the weakest precondition of what the run shows, in the order in which they
    /// were decided.
    fn precondition(&self, shown: Option<ExprId>) -> Vec<Decided> {
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for step in self.slice.ones() {
            for condition in &self.run.record.steps[step].conditions {
                if seen.insert(*condition) {
                    found.push(Decided { condition: *condition, by: By::Step(step) });
                }
            }
        }
        if let Some(value) = shown {
            let exprs = &self.run.program.exprs;
            let known = exprs.bv(&exprs.evaluate(value, &self.run.seed));
            found.push(Decided { condition: exprs.eq(value, known), by: By::Shown(value) });
        }
        found
    }
}

/// A few reasons why two runs differ at `criterion`. `sources` are those of each revision.
pub(super) fn reasons(
    criterion: &Criterion,
    sides: [Side<'_>; 2],
    sources: [&mut Sources<'_>; 2],
    solver: &mut dyn Solver,
    clock: Clock<'_>,
) -> Vec<Reason> {
    let exprs = Exprs::new();
    let of = |side: usize| {
        // If only one run shows something, its value says nothing about the other run.
        let is_shown_by_both = criterion.shown.iter().all(Option::is_some);
        let shown = criterion.shown[side].filter(|_| is_shown_by_both).and_then(|(_, value)| value);
        let from = &sides[side].run.program.exprs;
        let name = |variable: VariableId| {
            let name = sides[side].run.name(variable);
            // A variable that is no input, or is read with another width, is not that of the other
            // run.
            let width = from.variable_width(variable);
            match from.variable_kind(variable) {
                VariableKind::Input if is_free(&exprs, &name, width) => name,
                _ => format!("{name} of {side}"),
            }
        };
        let mut adoption = Adoption::new(from, &exprs, &name);
        let mut all = sides[side].precondition(shown);
        for Decided { condition, by } in &mut all {
            *condition = adoption.adopt(*condition);
            if let By::Shown(value) = by {
                *value = adoption.adopt(*value);
            }
        }
        all
    };
    let conditions = [of(0), of(1)];
    let mut reasons = Vec::new();
    for (side, source) in sources.into_iter().enumerate() {
        let others: Vec<ExprId> =
            conditions[1 - side].iter().map(|decided| decided.condition).collect();
        let mut own: Vec<(Weight, Reason)> = Vec::new();
        let left = conditions[side].len().saturating_sub(LOOKED_AT);
        let conditions: Vec<&Decided> = conditions[side].iter().skip(left).collect();
        let mut follow: Vec<ExprId> = Vec::new();
        for Decided { condition, .. } in &conditions {
            if clock.is_over() || follows(&exprs, solver, &others, *condition) {
                follow.push(*condition);
            }
        }
        // If all conditions follow, those are named that the other run does not decide itself.
        let all_follow = follow.len() == conditions.len();
        for Decided { condition, by } in conditions {
            if all_follow && others.contains(condition) || !all_follow && follow.contains(condition)
            {
                continue;
            }
            let reason = reason(&exprs, &sides[side], source, side, *condition, *by, criterion);
            let Some((weight, reason)) = reason else { continue };
            let same = |(_, known): &&mut (Weight, Reason)| known.place == reason.place;
            match own.iter_mut().find(same) {
                Some((_, known)) if known.place.is_some() => also(known, &reason.condition),
                _ => own.push((weight, reason)),
            }
        }
        // If nothing is shown, all that ran may decide that. What the patch has not changed tells
        // nothing.
        if criterion.shown[side].is_none() {
            own.retain(|(weight, _)| *weight == Weight::Changed);
        }
        own.sort_by_key(|(weight, _)| *weight);
        // What a library decides on the way is no reason if the program itself decides.
        if own.iter().any(|(weight, _)| *weight < Weight::Library) {
            own.retain(|(weight, _)| *weight < Weight::Library);
        }
        reasons.extend(own.into_iter().map(|(_, reason)| reason).take(REASONS / 2));
    }
    reasons
}

/// Whether a name is not in use yet, or names a variable of that width.
fn is_free(exprs: &Exprs, name: &str, width: u32) -> bool {
    exprs.variable_id(name).is_none_or(|known| exprs.variable_width(known) == width)
}

/// Whether a condition follows from others, or may follow: what the solver does not know is not
/// given as a reason.
fn follows(exprs: &Exprs, solver: &mut dyn Solver, others: &[ExprId], condition: ExprId) -> bool {
    if others.contains(&condition) {
        return true;
    }
    let goals = &[exprs.not(condition)];
    let query = Query { path_condition: others, goals, model: None };
    !matches!(solver.check(exprs, query), Verdict::Sat(_))
}

fn reason(
    exprs: &Exprs,
    side: &Side<'_>,
    sources: &mut Sources<'_>,
    revision: usize,
    condition: ExprId,
    by: By,
    criterion: &Criterion,
) -> Option<(Weight, Reason)> {
    let text = |e: ExprId| Some(exprs.display_as_c(e)).filter(|text| text.len() <= LONGEST);
    let step = match by {
        By::Step(step) => step,
        By::Shown(value) => return shown(criterion, revision, &text(value)?),
    };
    // A library decides for the line that called it.
    let record = &side.run.record;
    let branches =
        record.line(&side.run.program, step).is_some() && !record.is_call(&side.run.program, step);
    let mut at = Some(step);
    let place = loop {
        let step = at?;
        match sources.line(&side.run.record, step, None) {
            Some(line) => break line,
            None => at = side.run.record.steps[step].control.map(|step| step as usize),
        }
    };
    let steps = step + 1..side.run.record.steps.len();
    let next = steps
        .filter_map(|step| side.run.record.line(&side.run.program, step))
        .find(|line| line.line != place.line)
        .map(|line| line.line);
    let weight = match place.twin {
        _ if !branches => Weight::Library,
        None => Weight::Changed,
        Some(_) => Weight::Program,
    };
    let place = Some(place);
    Some((
        weight,
        Reason {
            revision,
            place,
            shown: String::new(),
            next,
            condition: text(condition).unwrap_or_default(),
        },
    ))
}

/// Adds another condition that the same line decided, unless the text gets too long.
fn also(reason: &mut Reason, condition: &str) {
    let is_there = reason.condition.split(AND).any(|known| known == condition);
    let length = reason.condition.len() + AND.len() + condition.len();
    if !is_there && !condition.is_empty() && !reason.condition.is_empty() && length <= LONGEST {
        reason.condition = format!("{}{AND}{condition}", reason.condition);
    }
}

/// The reason that a revision shows a certain value.
fn shown(criterion: &Criterion, revision: usize, value: &str) -> Option<(Weight, Reason)> {
    let channel = match criterion.channel.as_ref()? {
        Channel::Stdout => "stdout",
        Channel::Stderr => "stderr",
        Channel::Output(name) => name,
        Channel::Exit => "exit code",
    };
    let shown = format!("{channel} is {value}");
    let reason = Reason { revision, place: None, shown, next: None, condition: String::new() };
    Some((Weight::Program, reason))
}
