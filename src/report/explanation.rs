//! Why two revisions differ on a test: the lines of source that they run, side by side.

use std::{collections::BTreeSet, fmt::Write as _};

use diffy::{DiffOptions, Line};

use super::{
    document::{Document, TestEntry},
    labels::{columns, shorten, visible},
    question::input,
    scalar::{ScalarRange, ScalarRanges, scalar_ranges},
    terminal::{BOLD, CYAN, FAINT, TextStyle, YELLOW},
};
use crate::{
    results::TestId,
    subject::Revision,
    tree::{Sample, conditions},
};

/// How many lines that both run are shown before and after each divergence.
const CONTEXT: usize = 2;
/// How many lines of each run are compared from the first divergence on.
const COMPARED: usize = 2000;
/// The greatest number of lines that are shown of one divergence.
const ROWS: usize = 30;
/// The greatest number of ranges that are worth reading.
const RANGES: usize = 4;
/// The least number of tests on which two revisions differ, and on which they do not, to learn from.
const SAMPLES: usize = 4;
/// The greatest number of comparisons in learned conditions.
const PARTS: usize = 3;

/// A line of source that a revision ran.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Step {
    /// The file, relative to the root of the sources.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// The number of the line, from 0, in the file of the other revision; none if that does not have
    /// it.
    pub twin: Option<u32>,
}

/// What a revision ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The lines, in the order in which they ran.
    pub steps: Vec<Step>,
    /// Why these may not be all lines, or not those that natively run.
    pub doubts: Vec<String>,
}

/// What two revisions run at the same time; one of them is there at least.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Row {
    /// The lines of the first and of the second revision.
    pub steps: [Option<Step>; 2],
}

/// Why two revisions differ on a test.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The test.
    pub test: TestEntry,
    /// The names of the revisions.
    pub names: [String; 2],
    /// Their outcomes in short form, without what they have in common.
    pub outcomes: [String; 2],
    /// How many lines both run before they diverge.
    pub common: usize,
    /// Where their ways diverge, the first divergence first, each with the lines around it. There is
    /// none if both run the same lines.
    pub divergences: Vec<Vec<Row>>,
    /// What the comparison of the lines does not rest on or does not show, a phrase each.
    pub doubts: Vec<String>,
    /// The inputs on which the two differ, as far as results show them.
    pub conditions: Option<Conditions>,
}

/// Conditions under which two revisions differ.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conditions {
    /// One of them holds where the revisions differ.
    pub any_of: Vec<String>,
    /// The number of tests that they were learned from; `None` if they come from the regions of the
    /// input.
    pub tests: Option<usize>,
}

impl Explanation {
    /// Compares what revisions `a` and `b` ran on a test.
    pub fn new(
        document: &Document,
        test: &TestEntry,
        [a, b]: [Revision; 2],
        ran: [Ran; 2],
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
            test: test.clone(),
            names,
            outcomes: [outcomes[0].clone(), outcomes[1].clone()],
            common,
            divergences,
            doubts,
            conditions: by_ranges(document, a, b).or_else(|| learned(document, a, b)),
        }
    }

    /// The explanation as text, with at most `most` divergences. The text ends with a newline.
    pub fn text(&self, most: usize, style: TextStyle) -> String {
        let mut out = self.head(style);
        for (number, rows) in self.divergences.iter().take(most).enumerate() {
            let title = match (number, self.common) {
                (0, 0) => "their ways part at once:".into(),
                (0, 1) => "after one line that both run, their ways part:".into(),
                (0, common) => format!("after {common} lines that both run, their ways part:"),
                _ => "and again:".into(),
            };
            let _ = write!(out, "\n{title}\n{}", self.table(rows, style));
        }
        if self.divergences.len() > most {
            out += "\nthey part again: --all shows where\n";
        }
        if self.divergences.is_empty() {
            let _ = writeln!(
                out,
                "\nboth run the same {} lines: what differs is none of them (an initialiser, a macro, a \
                 type)",
                self.common
            );
        } else {
            let legend = "± a line that only one of them has, › a line that only one of them runs";
            let _ = writeln!(out, "\n{}", style.paint(FAINT, legend));
        }
        for doubt in &self.doubts {
            let _ = writeln!(out, "but {}", visible(doubt));
        }
        out
    }

    /// The test, the outcomes, and when the two differ.
    fn head(&self, style: TextStyle) -> String {
        let mut out = style.paint(BOLD, &format!("test {}", self.test.row.test)) + "\n";
        for line in input(&self.test.input) {
            let _ = writeln!(out, "  {}", style.paint(CYAN, &shorten(&line, style.width - 2)));
        }
        let wide = self.names.iter().map(|name| columns(name)).max().unwrap_or(0);
        for (name, outcome) in self.names.iter().zip(&self.outcomes) {
            let gap = " ".repeat(wide - columns(name));
            let _ = writeln!(out, "{name}{gap}  {}", style.paint(BOLD, outcome));
        }
        if let Some(Conditions { any_of, tests }) = &self.conditions {
            let source = match tests {
                Some(tests) => format!("learned from {tests} tests, approximate"),
                None => "by the regions of the input".into(),
            };
            let _ = writeln!(out, "they differ if {} ({source})", any_of.join(" or "));
        }
        out
    }

    /// The lines of a divergence in two columns.
    fn table(&self, rows: &[Row], style: TextStyle) -> String {
        let width = (style.width - 3) / 2;
        let steps = self.divergences.iter().flatten().flat_map(|row| row.steps.iter().flatten());
        let several = steps.map(|step| &step.file).collect::<BTreeSet<_>>().len() > 1;
        let [left, right] = self.names.each_ref().map(|name| shorten(name, width));
        let gap = " ".repeat(width - columns(&left));
        let mut out =
            format!("{}{gap} │ {}\n", style.paint(BOLD, &left), style.paint(BOLD, &right));
        for row in rows.iter().take(ROWS) {
            let _ = writeln!(out, "{}", line(row, width, several, style).trim_end());
        }
        if rows.len() > ROWS {
            let _ = writeln!(out, "… {} more lines", rows.len() - ROWS);
        }
        out
    }
}

/// Whether two lines, one of each revision, are the same line.
fn same(left: &Step, right: &Step) -> bool {
    left.file == right.file && left.twin == right.line.checked_sub(1)
}

/// Where two runs diverge that have `common` lines in common at the beginning.
fn divergences([left, right]: [&Vec<Step>; 2], common: usize) -> Vec<Vec<Row>> {
    let from = common.saturating_sub(CONTEXT);
    let part = |steps: &'_ Vec<Step>| -> Vec<Step> {
        steps.iter().skip(from).take(COMPARED).cloned().collect()
    };
    let parts = [part(left), part(right)];
    // Both have a common line by its number in the second revision, and any other line by the side.
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
                    // It stands beside the first line of the other revision that is alone.
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

/// A row as a line of two columns; `file` says whether to name the files.
fn line(row: &Row, width: usize, file: bool, style: TextStyle) -> String {
    let [left, right] = &row.steps;
    let together = matches!((left, right), (Some(a), Some(b)) if same(a, b));
    let cell = |step: &Option<Step>| {
        let Some(step) = step else { return (String::new(), "") };
        let (mark, colour) = match (step.twin, together) {
            (None, _) => ('±', YELLOW),
            (Some(_), false) => ('›', BOLD),
            (Some(_), true) => (' ', FAINT),
        };
        let text = visible(&step.text.replace('\t', "    "));
        let place =
            if file { format!("{}:{}", step.file, step.line) } else { step.line.to_string() };
        (shorten(&format!("{mark} {place:>4}  {text}"), width), colour)
    };
    let ((left, left_colour), (right, right_colour)) = (cell(left), cell(right));
    let gap = " ".repeat(width - columns(&left));
    format!("{}{gap} │ {}", style.paint(left_colour, &left), style.paint(right_colour, &right))
}

/// When two revisions differ, by the regions of a scalar input; `None` if they are not ranges that
/// make up all values of its type.
fn by_ranges(document: &Document, a: Revision, b: Revision) -> Option<Conditions> {
    let clusterings = document.clusterings();
    let differ = |test: TestId| {
        clusterings.iter().any(|known| known.test == test && known.tells_apart(a, b))
    };
    let ScalarRanges { input, ranges } =
        scalar_ranges(&document.ranges, |test| test.is_some_and(differ))?;
    // Regions that leave out nothing and do not overlap are what their ends say, and are all that
    // there are.
    let adjoin = |pair: &[ScalarRange<bool>]| pair[0].high.checked_add(1) == Some(pair[1].low);
    let ends = [ranges.first()?.low, ranges.last()?.high];
    let is_type = |bits: u32| ends == [i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)];
    if !ranges.windows(2).all(adjoin) || ![8, 16, 32, 64].into_iter().any(is_type) {
        return None;
    }
    let text = |ScalarRange { low, high, .. }: &ScalarRange<bool>| match low == high {
        true => format!("{input} = {low}"),
        false => format!("{low} <= {input} <= {high}"),
    };
    let any_of: Vec<String> = ranges.iter().filter(|range| range.label).map(text).collect();
    (1..=RANGES).contains(&any_of.len()).then_some(Conditions { any_of, tests: None })
}

/// When two revisions differ, as learned from the tests, if all inputs are the same number of
/// numbers.
fn learned(document: &Document, a: Revision, b: Revision) -> Option<Conditions> {
    let clusterings = document.clusterings();
    let inputs: Vec<Vec<(String, i64)>> =
        document.tests.iter().map(numbers).collect::<Option<_>>()?;
    let names: Vec<String> = inputs.first()?.iter().map(|(name, _)| name.clone()).collect();
    let known = inputs.iter().zip(&clusterings).filter_map(|(input, clustering)| {
        let label = clustering.cluster(a)? != clustering.cluster(b)?;
        let is_same = input.iter().map(|(name, _)| name).eq(&names);
        is_same.then(|| Sample { inputs: input.iter().map(|(_, value)| *value).collect(), label })
    });
    let samples: Vec<Sample<bool>> = known.collect();
    let differing = samples.iter().filter(|sample| sample.label).count();
    let fewest = differing.min(samples.len() - differing);
    if samples.len() < inputs.len() || names.is_empty() || fewest < SAMPLES {
        return None;
    }
    let rules = conditions(&names, &samples);
    let differ = || rules.iter().filter(|rule| rule.label);
    // Rules of many parts say more about the choice of the tests than about the program.
    if differ().map(|rule| rule.conditions.len()).sum::<usize>() > PARTS {
        return None;
    }
    let any_of: Vec<String> = differ().map(ToString::to_string).collect();
    Some(Conditions { any_of, tests: Some(samples.len()) }).filter(|found| !found.any_of.is_empty())
}

/// The numbers that a test consists of, with their names; `None` if there is anything else in it.
fn numbers(test: &TestEntry) -> Option<Vec<(String, i64)>> {
    let input = &test.input;
    if !input.arguments.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    for (name, value) in &input.values {
        all.push((name.clone(), value.parse().ok()?));
    }
    for (index, word) in input.stdin.iter().flat_map(|text| text.split_whitespace()).enumerate() {
        all.push((format!("number {}", index + 1), word.parse().ok()?));
    }
    Some(all)
}
