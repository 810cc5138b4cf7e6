//! A question to a person: the input of a test as it would be typed, and the outcomes among which
//! to choose.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    document::TestEntry,
    labels::{Labels, OutcomeDescription, TestDescription, columns, ranges, shorten, visible},
    terminal::{BOLD, CYAN, FAINT, TextStyle},
};
use crate::{subject::Revision, tree::Branch};

/// The greatest number of lines shown of one text.
const LINES: usize = 24;
/// The greatest number of revisions behind an outcome that are named.
const NAMED: usize = 3;

/// The text of a question: the input of the test, and its `outcomes`, numbered from 1. The text ends
/// with a newline.
///
/// ```text
/// test 9
///   │ 1 2
///   │ 3
///
///   1  "6"      0 original
///   2  SIGABRT  1 bounds · 2 null-check
/// ```
///
/// An outcome of several lines stands below its number. Lines that not all outcomes have are marked
/// with `›`.
pub fn question(
    test: &TestEntry,
    outcomes: &[Branch],
    labels: &Labels,
    style: TextStyle,
) -> String {
    let number = test.row.test;
    let mut out = style.paint(BOLD, &format!("test {number}")) + "\n";
    for line in input(&test.input) {
        let _ = writeln!(out, "  {}", style.paint(CYAN, &shorten(&line, style.width - 2)));
    }
    out.push('\n');
    let behind: Vec<String> = outcomes.iter().map(|branch| names(branch, labels)).collect();
    let described: Vec<Option<&OutcomeDescription>> =
        outcomes.iter().map(|branch| labels.outcomes.get(&(number, branch.cluster))).collect();
    if described.iter().flatten().any(|outcome| is_long(outcome)) {
        let shown: Vec<Vec<String>> =
            described.iter().map(|outcome| outcome.map_or_else(Vec::new, lines)).collect();
        let common = common(&shown);
        for ((lines, names), index) in shown.iter().zip(&behind).zip(1..) {
            let _ = writeln!(out, "{index:>3}  {}", style.paint(FAINT, names));
            for line in lines {
                let text = shorten(line, style.width - 7);
                let _ = match common.contains(line.as_str()) {
                    true => writeln!(out, "       {text}"),
                    false => writeln!(out, "     › {}", style.paint(BOLD, &text)),
                };
            }
        }
        return out;
    }
    let clusters: Vec<Revision> = outcomes.iter().map(|branch| branch.cluster).collect();
    let texts = labels.outcomes(number, &clusters, style.width / 2);
    let column = texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    for ((text, names), index) in texts.iter().zip(&behind).zip(1..) {
        let gap = " ".repeat(column - columns(text));
        let names = shorten(names, style.width.saturating_sub(column + 7));
        let _ = writeln!(out, "{index:>3}  {text}{gap}  {}", style.paint(FAINT, &names));
    }
    out
}

/// The input as it would be typed: the command line, named values, and then standard input.
pub(super) fn input(input: &TestDescription) -> Vec<String> {
    let mut all = Vec::new();
    if !input.arguments.is_empty() {
        let words: Vec<String> = input.arguments.iter().map(|word| shell_word(word)).collect();
        all.push(format!("arguments: {}", words.join(" ")));
    }
    all.extend(input.values.iter().map(|(name, value)| format!("{name} = {}", visible(value))));
    if let Some(stdin) = &input.stdin {
        all.extend(text_lines(stdin).into_iter().map(|line| format!("│ {line}")));
    }
    if all.is_empty() {
        all.push("no input".into());
    }
    all
}

/// A word of a command line, in quotes if a shell would not take it as it is.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._/=:,@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", visible(word).replace('\'', "'\\''")),
    }
}

/// The lines of a text, with control characters escaped. A last line that does not end is marked.
fn text_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().take(LINES).map(visible).collect();
    let more = text.lines().count() - lines.len();
    if more > 0 {
        lines.push(format!("… {more} more lines"));
    } else if !text.is_empty() && !text.ends_with('\n') {
        lines.push("(the last line does not end)".into());
    }
    lines
}

/// Whether an outcome has a text of several lines.
fn is_long(outcome: &OutcomeDescription) -> bool {
    [&outcome.stdout, &outcome.stderr].iter().any(|text| text.lines().count() > 1)
}

/// An outcome line by line: what went wrong, named outputs, standard output, how it ended, standard
/// error, files.
fn lines(outcome: &OutcomeDescription) -> Vec<String> {
    let rest =
        OutcomeDescription { stdout: String::new(), stderr: String::new(), ..outcome.clone() };
    let rest = rest.short();
    // An outcome without texts is described by its exit code even if it is the usual one.
    let mut all: Vec<String> = (rest != "exit 0").then_some(rest).into_iter().collect();
    all.extend(text_lines(&outcome.stdout));
    all.extend(text_lines(&outcome.stderr).into_iter().map(|line| format!("stderr: {line}")));
    all
}

/// The lines that all outcomes have.
fn common(outcomes: &[Vec<String>]) -> BTreeSet<&str> {
    let sets = outcomes.iter().map(|lines| lines.iter().map(String::as_str).collect());
    sets.reduce(|a: BTreeSet<&str>, b| a.intersection(&b).copied().collect()).unwrap_or_default()
}

/// The revisions behind an outcome: by name if they are few.
fn names(branch: &Branch, labels: &Labels) -> String {
    if branch.revisions.len() > NAMED {
        return ranges(&branch.revisions);
    }
    let names: Vec<String> = branch.revisions.iter().map(|r| labels.revision(r)).collect();
    names.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        report::OutcomeEntry,
        results::{FoundBy, TestId, TestRow},
        subject::RevisionSet,
        tree::Tree,
    };

    /// The question about a test with this input, on which revision `i` prints `printed[i]`.
    fn asked(input: TestDescription, printed: &[&str]) -> String {
        let test = TestId(3);
        let set = |r: u32| RevisionSet::from_iter([Revision(r)]);
        let branches: Vec<Branch> = (0..printed.len() as u32)
            .map(|r| Branch { cluster: Revision(r), revisions: set(r), child: Tree::Leaf(set(r)) })
            .collect();
        let outcomes = (0..).map(Revision).zip(printed).map(|(cluster, stdout)| OutcomeEntry {
            cluster,
            revisions: set(cluster.0),
            outcome: OutcomeDescription {
                exit: Some(0),
                stdout: (*stdout).into(),
                ..OutcomeDescription::default()
            },
        });
        let row = TestRow { test, found_by: FoundBy::Path, clusters: 2, size: 1, mismatch: false };
        let entry = TestEntry { row, input, outcomes: outcomes.collect() };
        let shown = entry.outcomes.iter().map(|o| ((test, o.cluster), o.outcome.clone()));
        let labels = Labels { outcomes: shown.collect(), ..Labels::default() };
        question(&entry, &branches, &labels, TextStyle { width: 40, colour: false })
    }

    #[test]
    fn lines_that_not_all_outcomes_have_are_marked() {
        let input = TestDescription {
            arguments: vec!["-n".into(), "it's".into(), String::new()],
            stdin: Some("a\n\u{1b}b".into()),
            ..TestDescription::default()
        };
        insta::assert_snapshot!(asked(input, &["sum\n6\nend\n", "sum\n7\nend\n", "sum\n"]));
    }

    #[test]
    fn outcomes_of_one_line_stand_beside_their_numbers() {
        let values = [("x".into(), "-2".into())].into();
        let input = TestDescription { values, ..TestDescription::default() };
        insta::assert_snapshot!(asked(input, &["6\n", "seven\n"]));
    }
}
