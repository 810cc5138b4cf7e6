//! Why two revisions differ on a test: what decides, and the lines of source that they run, side by
//! side.

use diffy::{DiffOptions, Line};
use serde::{Deserialize, Serialize};

use super::{
    document::{Document, TestEntry},
    question::input,
};
use crate::{results::TestId, subject::Revision};

/// How many lines that both run are shown before and after each divergence.
const CONTEXT: usize = 2;
/// How many lines of each run are compared from the first divergence on.
const COMPARED: usize = 2000;

/// A line of source that a revision ran.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Step {
    /// The file, relative to the root of the sources.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// The number of the line, from 0, in the file of the other revision; none if that does not
    /// have it.
    pub twin: Option<u32>,
    /// Whether it decides what the two show differently; if its revision shows nothing, every line
    /// may.
    pub decides: bool,
}

/// A condition that holds in the run of one revision and decides what that revision shows. It does
/// not follow from the conditions that decide what the other revision shows. If all conditions of
/// the revision follow from those, it is one that is not among them.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Reason {
    /// Which of the two revisions: 0 or 1.
    pub revision: usize,
    /// The line that decides; `None` for the value that is shown.
    pub place: Option<Step>,
    /// What is shown, if `place` is `None`.
    pub shown: String,
    /// The number of the line that runs next.
    pub next: Option<u32>,
    /// The condition over the input; empty if it is long.
    pub condition: String,
}

/// What a revision ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The lines, in the order in which they ran.
    pub steps: Vec<Step>,
    /// Why lines may be missing, or may not be those that run natively.
    pub doubts: Vec<String>,
}

/// The lines that two revisions run at the same time; at least one of the two is there.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Row {
    /// The lines of the first and of the second revision.
    pub steps: [Option<Step>; 2],
}

/// Why two revisions differ on a test.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Explanation {
    /// The revisions.
    pub revisions: [Revision; 2],
    /// The test.
    pub test: TestId,
    /// Its input, line by line.
    pub input: Vec<String>,
    /// The names of the revisions.
    pub names: [String; 2],
    /// Their outcomes in short form, without what they have in common.
    pub outcomes: [String; 2],
    /// How many lines both run before they diverge.
    pub common: usize,
    /// Why they differ, the reasons of the first revision first.
    pub reasons: Vec<Reason>,
    /// Where their ways diverge, the first divergence first, each with the lines around it. There
    /// is none if both run the same lines.
    pub divergences: Vec<Vec<Row>>,
    /// Why lines may be missing or not compared, or may not be those that run natively, a phrase
    /// each.
    pub doubts: Vec<String>,
    /// When the two differ; `None` if no numbers of the input decide that, or it was not asked for.
    pub when: Option<When>,
    /// The bounds and assumptions under which an exact condition holds, a phrase each.
    pub bounds: Vec<String>,
}

/// When two revisions differ.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct When {
    /// The condition on the numbers of the input under which they do, as text; `None` if no short
    /// one was found.
    pub condition: Option<String>,
    /// The names that the condition gives to what is read from standard input, in the order in
    /// which it is read; empty if the input is named otherwise.
    pub read: Vec<String>,
    /// Why it is not proved that they differ under this condition and under no other, a phrase
    /// each; empty if it is proved.
    pub doubts: Vec<String>,
    /// Whether on some input the two may do the same only because both fail.
    pub fails_alike: bool,
}

impl When {
    /// Whether the condition is proved.
    pub fn is_exact(&self) -> bool {
        self.condition.is_some() && self.doubts.is_empty()
    }
}

impl Explanation {
    /// Compares what revisions `a` and `b` ran on a test. `reasons` say why they differ there, and
    /// `when` says when they do.
    pub fn new(
        document: &Document,
        test: &TestEntry,
        [a, b]: [Revision; 2],
        ran: [Ran; 2],
        reasons: Vec<Reason>,
        when: Option<When>,
    ) -> Self {
        let labels = document.labels();
        let cluster = |revision| {
            let outcome = test.outcomes.iter().find(|o| o.revisions.contains(revision));
            outcome.map_or(revision, |outcome| outcome.cluster)
        };
        let outcomes = labels.outcomes(test.row.test, &[cluster(a), cluster(b)], 60);
        let names = [labels.revision(a), labels.revision(b)];
        let [left, right] = ran.each_ref().map(|ran| &ran.steps);
        let is_same = |(x, y): &(&Step, &Step)| same(x, y);
        let common = left.iter().zip(right).take_while(is_same).count();
        let divergences = divergences([left, right], common);
        let last = common.saturating_sub(CONTEXT) + COMPARED;
        let doubts = names.iter().zip(&ran).flat_map(|(name, Ran { steps, doubts })| {
            let more = steps.len().saturating_sub(last);
            let more = (more > 0).then(|| format!("{more} lines not compared"));
            doubts.iter().cloned().chain(more).map(move |what| format!("{name}: {what}"))
        });
        let doubts = doubts.collect();
        Self {
            revisions: [a, b],
            test: test.row.test,
            input: input(&test.input),
            names,
            outcomes: [outcomes[0].clone(), outcomes[1].clone()],
            common,
            reasons,
            divergences,
            doubts,
            when,
            bounds: document.bounds.clone(),
        }
    }

    /// The number of the first divergence in lines that decide; the first one of all if there is
    /// none.
    pub(super) fn deciding(&self) -> usize {
        let decides = |rows: &Vec<Row>| {
            let of_one = |row: &&Row| !matches!(&row.steps, [Some(a), Some(b)] if same(a, b));
            let mut steps = rows.iter().filter(of_one).flat_map(|row| row.steps.iter().flatten());
            steps.any(|step| step.decides)
        };
        self.divergences.iter().position(decides).unwrap_or_default()
    }
}

/// Whether two lines, one of each revision, are the same line.
pub(super) fn same(left: &Step, right: &Step) -> bool {
    left.file == right.file && left.twin == right.line.checked_sub(1)
}

/// Where two runs diverge that have `common` lines in common at the beginning.
fn divergences([left, right]: [&Vec<Step>; 2], common: usize) -> Vec<Vec<Row>> {
    let from = common.saturating_sub(CONTEXT);
    let part = |steps: &'_ Vec<Step>| -> Vec<Step> {
        steps.iter().skip(from).take(COMPARED).cloned().collect()
    };
    let parts = [part(left), part(right)];
    // A line of both is named by its number in the second revision, any other line also by its
    // side.
    let key = |side: usize, step: &Step| {
        let Step { file, line, twin, .. } = step;
        let number = if side == 0 { *twin } else { twin.and(line.checked_sub(1)) };
        match number {
            Some(number) => format!("{number} {file}\n"),
            None => format!("{line} of {side} {file}\n"),
        }
    };
    let text = |side: usize| parts[side].iter().map(|step| key(side, step)).collect::<String>();
    let texts = [text(0), text(1)];
    let mut options = DiffOptions::new();
    options.set_context_len(CONTEXT);
    let patch = options.create_patch(&texts[0], &texts[1]);
    let hunk = |hunk: &diffy::Hunk<'_, str>| {
        let mut at = [hunk.old_range().start(), hunk.new_range().start()]
            .map(|start| start.saturating_sub(1));
        let mut next = |side: usize| {
            at[side] += 1;
            parts[side].get(at[side] - 1).cloned()
        };
        let mut rows: Vec<Row> = Vec::new();
        for line in hunk.lines() {
            match line {
                Line::Context(_) => rows.push(Row { steps: [next(0), next(1)] }),
                Line::Delete(_) => rows.push(Row { steps: [next(0), None] }),
                Line::Insert(_) => {
                    let step = next(1);
                    // It stands beside the first unpaired line of the other revision.
                    let alone = |row: &Row| row.steps[1].is_some();
                    let place = rows.iter().rposition(alone).map_or(0, |at| at + 1);
                    match rows.get_mut(place) {
                        Some(row) => row.steps[1] = step,
                        None => rows.push(Row { steps: [None, step] }),
                    }
                }
            }
        }
        rows
    };
    patch.hunks().iter().map(hunk).collect()
}
