//! A question to a person: the input of a test as it would be typed, and the outcomes among which
//! to choose.

use std::fmt::Write as _;

use super::{
    document::TestEntry,
    labels::{
        Labels, OutcomeDescription, TestDescription, columns, escaped, ranges, shorten, visible,
    },
    terminal::{BOLD, CYAN, FAINT, TextStyle},
};
use crate::{subject::Revision, tree::Branch};

/// The greatest number of lines shown of an input.
const LINES: usize = 24;
/// If outcomes are long, how many lines that all have are shown before and after those that differ.
const AROUND: usize = 3;
/// The greatest number of lines shown of an outcome where it differs from others.
const DIFFERING: usize = 20;
/// The greatest number of revisions behind an outcome that are named.
const NAMED: usize = 3;

/// The text of a question: the input of the test, and its `outcomes`, numbered from 1. The text
/// ends with a newline.
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
/// An outcome of several lines stands below its number. The lines between the common beginning and
/// the common end of all outcomes are marked with `›`.
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
        let (head, tail) = common(&shown);
        for ((lines, names), index) in shown.iter().zip(&behind).zip(1..) {
            let _ = writeln!(out, "{index:>3}  {}", style.paint(FAINT, names));
            let end = lines.len() - tail;
            let (from, to) = (head.saturating_sub(AROUND), (end + AROUND).min(lines.len()));
            let shown_to = end.min(head + DIFFERING);
            let elide = |number: usize| match number {
                0 => String::new(),
                number => format!("       … {number} lines\n"),
            };
            out += &elide(from);
            for (number, line) in lines.iter().enumerate().take(to).skip(from) {
                let text = shorten(line, style.width - 7);
                if (head..shown_to).contains(&number) {
                    let _ = writeln!(out, "     › {}", style.paint(BOLD, &text));
                } else if !(head..end).contains(&number) {
                    let _ = writeln!(out, "       {text}");
                } else if number == shown_to {
                    out += &elide(end - shown_to);
                }
            }
            out += &elide(lines.len() - to);
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
    all.extend(input.values.iter().filter_map(|(name, value)| value_line(name, value)));
    if let Some(stdin) = &input.stdin {
        let lines = text_lines(stdin);
        all.extend(lines.iter().take(LINES).map(|line| format!("│ {line}")));
        if lines.len() > LINES {
            all.push(format!("… {} more lines", lines.len() - LINES));
        }
    }
    if all.is_empty() {
        all.push("no input".into());
    }
    all
}

/// A value with its name: that of a parameter, or what a file or a variable of the environment
/// holds.
fn value_line(name: &str, value: &str) -> Option<String> {
    let value = visible(value);
    if let Some(variable) = name.strip_suffix("-env-count") {
        return (value == "0").then(|| format!("{variable} is not set"));
    }
    if let Some(file) = name.strip_suffix("-age") {
        return Some(format!("file {file}: last changed {value} s before the start"));
    }
    Some(match (name.strip_suffix("-env"), name.strip_suffix("-data")) {
        (Some(variable), _) => format!("{variable}={value}"),
        (None, Some(file)) => format!("file {file}: {value}"),
        (None, None) => format!("{name} = {value}"),
    })
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
    let mut lines: Vec<String> = text.lines().map(escaped).collect();
    if !text.is_empty() && !text.ends_with('\n') {
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

/// The numbers of lines with which all outcomes begin, and with which all end.
fn common(outcomes: &[Vec<String>]) -> (usize, usize) {
    let [first, others @ ..] = outcomes else { return (0, 0) };
    let alike = |a: &mut dyn Iterator<Item = &String>, b: &mut dyn Iterator<Item = &String>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let shortest = outcomes.iter().map(Vec::len).min().unwrap_or(0);
    let heads = others.iter().map(|other| alike(&mut first.iter(), &mut other.iter()));
    let head = heads.min().unwrap_or(0).min(shortest);
    let tails = others.iter().map(|other| alike(&mut first.iter().rev(), &mut other.iter().rev()));
    let tail = tails.min().unwrap_or(0).min(shortest - head);
    (head, tail)
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
            right: None,
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
        insta::assert_snapshot!(asked(input, &["sum\n6\nend\n", "sum\n7\nend\n", "sum\nend\n"]));
    }

    /// However long outcomes are, what differs is seen, and so is another order of the same lines.
    #[test]
    fn what_differs_is_shown_of_long_outcomes() {
        let long = |odd: &str| {
            let line = |n: u32| if n == 36 { format!("{odd}\n") } else { format!("{n}\n") };
            (0..60).map(line).collect::<String>()
        };
        let text = asked(TestDescription::default(), &[&long("a"), &long("b")]);
        assert!(text.contains("     › a\n") && text.contains("     › b\n"), "{text}");
        assert!(text.lines().count() < 30, "{text}");
        let text = asked(TestDescription::default(), &["a\nb\nend\n", "b\na\nend\n"]);
        assert_eq!(text.matches('›').count(), 4, "{text}");
        let all: String = (0..90).map(|n| format!("x{n}\n")).collect();
        let text = asked(TestDescription::default(), &[&all, "y\nz\n"]);
        assert!(text.contains("… 70 lines") && text.contains("› y\n"), "{text}");
    }

    #[test]
    fn outcomes_of_one_line_stand_beside_their_numbers() {
        let values = [("x", "-2"), ("MODE-env", "\"a\""), ("MODE-env-count", "1")];
        let values = values.map(|(name, value)| (name.into(), value.into())).into();
        let input = TestDescription { values, ..TestDescription::default() };
        insta::assert_snapshot!(asked(input, &["6\n", "seven\n"]));
    }
}
