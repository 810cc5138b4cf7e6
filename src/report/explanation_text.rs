//! An explanation as text.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    explanation::{Explanation, Reason, Row, Step, When, same},
    labels::{columns, shorten, visible},
    terminal::{BOLD, CYAN, FAINT, TextStyle, YELLOW},
};

/// The greatest number of lines that are shown of one divergence.
pub(super) const ROWS: usize = 30;
/// The marks of a line that only one revision has, and of one that only one runs.
const CHANGED: char = '±';
const ALONE: char = '›';
/// The legend of the marks.
pub(super) const LEGEND: &str =
    "± a line that only one of them has, › a line that only one of them runs";
/// The heading of the reasons.
pub(super) const WHY: &str = "what decides for one, and not for the other";

impl When {
    /// A line for people.
    pub(super) fn text(&self) -> String {
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
    /// The place, the text of the line and where it leads; or the value that is shown.
    pub(super) fn place(&self) -> String {
        let mut text = match &self.place {
            Some(Step { file, line, text, .. }) => format!("{file}:{line}  {}", text.trim()),
            None => self.shown.clone(),
        };
        if let Some(next) = self.next {
            let _ = write!(text, " → {next}");
        }
        text
    }
}

impl Explanation {
    /// The explanation as text, with at most `most` divergences. The text ends with a newline.
    pub fn text(&self, most: usize, style: TextStyle) -> String {
        let mut out = self.head(style) + &self.why(style);
        let first = if most == 1 { self.deciding() } else { 0 };
        let shown = self.divergences.iter().enumerate().skip(first).take(most);
        for (number, rows) in shown {
            let title = self.title(number, most == 1);
            let _ = write!(out, "\n{title}:\n{}", self.table(rows, style));
        }
        if self.divergences.len() > most {
            out += "\nthey part again: --all shows where\n";
        }
        if self.divergences.is_empty() {
            let _ = writeln!(out, "\n{}", self.no_divergence());
        } else {
            let _ = writeln!(out, "\n{}", style.paint(FAINT, LEGEND));
        }
        for doubt in &self.doubts {
            let _ = writeln!(out, "but {}", visible(doubt));
        }
        out
    }

    /// The text if there is no divergence.
    pub(super) fn no_divergence(&self) -> String {
        format!(
            "both run the same {} lines: what differs is none of them (an initialiser, a macro, a type)",
            self.common
        )
    }

    /// The title of the divergence `number`, from 0. A divergence that is shown `alone` is the
    /// first that decides.
    pub(super) fn title(&self, number: usize, alone: bool) -> String {
        match (number, self.common) {
            (1.., common) if alone => format!(
                "after {common} lines that both run, their ways part; here that decides for the first time"
            ),
            (0, 0) => "their ways part at once".into(),
            (0, 1) => "after one line that both run, their ways part".into(),
            (0, common) => format!("after {common} lines that both run, their ways part"),
            _ => "and again".into(),
        }
    }

    /// Whether the lines of divergences are in several files.
    pub(super) fn has_several_files(&self) -> bool {
        let steps = self.divergences.iter().flatten().flat_map(|row| row.steps.iter().flatten());
        steps.map(|step| &step.file).collect::<BTreeSet<_>>().len() > 1
    }

    /// The test, the outcomes, and when the two differ.
    fn head(&self, style: TextStyle) -> String {
        let mut out = style.paint(BOLD, &format!("test {}", self.test)) + "\n";
        for line in &self.input {
            let _ = writeln!(out, "  {}", style.paint(CYAN, &shorten(line, style.width - 2)));
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
        let mut out = format!("\n{WHY}:\n");
        for reason in &self.reasons {
            let name = [&left, &right][reason.revision];
            let gap = " ".repeat(wide - columns(name));
            let room = style.width.saturating_sub(wide + 4);
            let _ = writeln!(out, "  {name}{gap}  {}", shorten(&visible(&reason.place()), room));
            if !reason.condition.is_empty() {
                let condition = shorten(&visible(&reason.condition), room.saturating_sub(8));
                let gap = " ".repeat(wide);
                let _ = writeln!(
                    out,
                    "  {gap}  {}",
                    style.paint(FAINT, &format!("because {condition}"))
                );
            }
        }
        out
    }

    /// The lines of a divergence in two columns.
    fn table(&self, rows: &[Row], style: TextStyle) -> String {
        let width = (style.width - 3) / 2;
        let several = self.has_several_files();
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

/// The mark of a line, which both run at that time or only one.
pub(super) fn mark(step: &Step, together: bool) -> char {
    match (step.twin, together) {
        (None, _) => CHANGED,
        (Some(_), false) => ALONE,
        (Some(_), true) => ' ',
    }
}

/// A row as a line of two columns; `file` says whether to name the files.
fn line(row: &Row, width: usize, file: bool, style: TextStyle) -> String {
    let [left, right] = &row.steps;
    let together = matches!((left, right), (Some(a), Some(b)) if same(a, b));
    let cell = |step: &Option<Step>| {
        let Some(step) = step else { return (String::new(), "") };
        let mark = mark(step, together);
        let colour = match mark {
            CHANGED => YELLOW,
            ALONE => BOLD,
            _ => FAINT,
        };
        let text = visible(&step.text.replace('\t', "    "));
        // There is no room for directories.
        let name = || step.file.rsplit('/').next().unwrap_or_default();
        let place = if file { format!("{}:{}", name(), step.line) } else { step.line.to_string() };
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
