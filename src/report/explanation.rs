//! Why two revisions differ on a test: the lines of source that they run, side by side.

use std::{collections::BTreeSet, fmt::Write as _};

use diffy::{DiffOptions, Line};

use super::{
    document::{Document, TestEntry},
    labels::{columns, shorten, visible},
    question::input,
    terminal::{BOLD, CYAN, FAINT, TextStyle, YELLOW},
};
use crate::subject::Revision;

/// How many lines that both run are shown before and after each divergence.
const CONTEXT: usize = 2;
/// How many lines of each run are compared from the first divergence on.
const COMPARED: usize = 2000;
/// The greatest number of lines that are shown of one divergence.
const ROWS: usize = 30;

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
    /// Whether it decides what the two show differently, or whether it is not known what does.
    pub decides: bool,
}

/// A condition that holds in the run of one revision, decides what that shows, and does not follow from
/// what decides what the other one shows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reason {
    /// Which of the two revisions: 0 or 1.
    pub revision: usize,
    /// The line that decides; `None` for the value that is shown.
    pub place: Option<Step>,
    /// What is shown, if it is that.
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
    /// Why they differ, the reasons of the first revision first.
    pub reasons: Vec<Reason>,
    /// Where their ways diverge in lines that decide, the first divergence first, each with the lines around it. There is
    /// none if both run the same lines.
    pub divergences: Vec<Vec<Row>>,
    /// What the comparison of the lines does not rest on or does not show, a phrase each.
    pub doubts: Vec<String>,
    /// When the two differ; `None` if no numbers of the input decide that, or nobody asked.
    pub when: Option<When>,
    /// The bounds and assumptions under which an exact condition holds, a phrase each.
    pub bounds: Vec<String>,
}

/// When two revisions differ.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct When {
    /// The condition on the numbers of the input under which they do, as text; `None` if no short one
    /// was found.
    pub condition: Option<String>,
    /// The names that the condition gives to what is read from standard input, in the order in which
    /// it is read; empty if the input is named otherwise.
    pub read: Vec<String>,
    /// Why it is not proved that they differ under this condition and under no other, a phrase each;
    /// empty if it is proved.
    pub doubts: Vec<String>,
    /// Whether, on some input, they may do the same only in that both fail.
    pub fails_alike: bool,
}

impl When {
    /// Whether the condition is proved.
    pub fn is_exact(&self) -> bool {
        self.condition.is_some() && self.doubts.is_empty()
    }

    /// A line for people.
    fn text(&self) -> String {
        let Some(condition) = &self.condition else {
            return "no short condition on the numbers of the input says when they differ".into();
        };
        let when = match &**condition {
            "always" => "on every input".into(),
            condition => format!("when {condition}"),
        };
        let names = match &self.read[..] {
            [] => String::new(),
            [name] => format!(", where {name} is the whole number read"),
            _ => ", where n1, n2, ... are the whole numbers in the order in which they are read"
                .into(),
        };
        if !self.doubts.is_empty() {
            let doubts = self.doubts.join("; ");
            return format!("approximately: they differ {when}{names} (not proved: {doubts})");
        }
        let elsewhere = if self.fails_alike { "; on some other input both fail alike" } else { "" };
        format!("they differ exactly {when}{names}{elsewhere}")
    }
}

impl Reason {
    /// A line for people: the place, the text of the line, where it leads, and the condition.
    fn text(&self) -> String {
        let mut text = match &self.place {
            Some(Step { file, line, text, .. }) => format!("{file}:{line}  {}", text.trim()),
            None => self.shown.clone(),
        };
        if let Some(next) = self.next {
            let _ = write!(text, "  then line {next}");
        }
        if !self.condition.is_empty() {
            let _ = write!(text, "  as {}", self.condition);
        }
        text
    }
}

impl Explanation {
    /// Compares what revisions `a` and `b` ran on a test. `when` says when they differ.
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
        let mut divergences = divergences([left, right], common);
        // Where nothing of what differs decides, all of it is shown.
        let decides = |rows: &Vec<Row>| {
            let of_one = |row: &&Row| !matches!(&row.steps, [Some(a), Some(b)] if same(a, b));
            let mut steps = rows.iter().filter(of_one).flat_map(|row| row.steps.iter().flatten());
            steps.any(|step| step.decides)
        };
        if divergences.iter().any(decides) {
            divergences.retain(decides);
        }
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
            reasons,
            divergences,
            doubts,
            when,
            bounds: document.bounds.clone(),
        }
    }

    /// The explanation as text, with at most `most` divergences. The text ends with a newline.
    pub fn text(&self, most: usize, style: TextStyle) -> String {
        let mut out = self.head(style) + &self.why(style);
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
        if let Some(when) = &self.when {
            let _ = writeln!(out, "{}", visible(&when.text()));
            if when.is_exact() && !self.bounds.is_empty() {
                let _ = writeln!(out, "bounds: {}", visible(&self.bounds.join("; ")));
            }
        }
        out
    }

    /// The reasons, a line each.
    fn why(&self, style: TextStyle) -> String {
        if self.reasons.is_empty() {
            return String::new();
        }
        let [left, right] = self.names.each_ref().map(|name| shorten(name, style.width / 3));
        let wide = columns(&left).max(columns(&right));
        let mut out = String::from(
            "\nwhat decides for one, and does not follow from what does for the other:\n",
        );
        for reason in &self.reasons {
            let name = [&left, &right][reason.revision];
            let gap = " ".repeat(wide - columns(name));
            let text = shorten(&visible(&reason.text()), style.width.saturating_sub(wide + 4));
            let _ = writeln!(out, "  {name}{gap}  {text}");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(condition: &str, read: &[&str], doubts: &[&str], fails_alike: bool) -> String {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        let condition = (!condition.is_empty()).then(|| condition.to_owned());
        When { condition, read: texts(read), doubts: texts(doubts), fails_alike }.text()
    }

    #[test]
    fn only_what_is_proved_is_exact() {
        assert_eq!(text("a < b", &[], &[], false), "they differ exactly when a < b");
        assert_eq!(text("always", &[], &[], false), "they differ exactly on every input");
        assert_eq!(
            text("n = 1", &["n"], &[], true),
            "they differ exactly when n = 1, where n is the whole number read; on some other input \
             both fail alike"
        );
        assert_eq!(
            text("a < b", &[], &["time budget", "solver"], true),
            "approximately: they differ when a < b (not proved: time budget; solver)"
        );
        assert!(text("", &[], &[], false).starts_with("no short condition"));
    }
}
