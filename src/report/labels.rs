//! Names and descriptions of tests, outcomes and revisions for people.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write};

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

use crate::{
    results::{RevisionRow, TestId},
    subject::{FileState, Revision, RevisionSet},
};

/// Describes the input of a test for people. Bytes that are not UTF-8 are escaped.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct TestDescription {
    /// The whole input in short form, such as `x = -2, y = 7` or `"6 10\n"`.
    pub input: String,
    /// The arguments of the command line, without the program's name.
    pub arguments: Vec<String>,
    /// Standard input, if the test has any.
    pub stdin: Option<String>,
    /// The values of everything else that the test gives: parameters, files and variables, by name.
    pub values: BTreeMap<String, String>,
}

/// Describes for people what could be seen of a run.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct OutcomeDescription {
    /// The exit code; `None` unless the run exited and no error ended it.
    pub exit: Option<i32>,
    /// The number of the signal that ended the run, if no error was found that did.
    pub signal: Option<i32>,
    /// The error that ended the run, or that the run was stopped, or else the errors after which it
    /// went on; empty if there were none.
    pub finding: String,
    /// Named outputs with their values, such as `return` and `3`.
    pub outputs: BTreeMap<String, String>,
    /// Standard output; bytes that are not UTF-8 are escaped. Empty if it does not count.
    pub stdout: String,
    /// Standard error; bytes that are not UTF-8 are escaped. Empty if it does not count.
    pub stderr: String,
    /// What became of the files, by path.
    #[serde(with = "super::document::files")]
    pub files: BTreeMap<String, FileState>,
}

impl OutcomeDescription {
    /// The whole outcome in one line; what went wrong comes first.
    pub fn short(&self) -> String {
        join(&self.parts(LastNewline::Hidden))
    }

    /// The outcome in one line, as [`short`](Self::short) unless another outcome then looks the
    /// same. The newline at the end of a text is shown in that case.
    pub fn short_among<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> String {
        join(&self.parts_among(others))
    }

    fn parts_among<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> Vec<Part> {
        let parts = self.parts(LastNewline::Hidden);
        let is_alike = |other: &Self| {
            // Long texts that differ are not looked at in full.
            other.stdout.trim_end() == self.stdout.trim_end()
                && other != self
                && other.parts(LastNewline::Hidden) == parts
        };
        match others.into_iter().any(is_alike) {
            true => self.parts(LastNewline::Shown),
            false => parts,
        }
    }

    /// The parts of the line, in order. A text is kept apart from the words before it, so that it
    /// can be cut.
    fn parts(&self, last: LastNewline) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.finding.is_empty() {
            parts.push(Part::word(visible(&self.finding)));
        }
        if let Some(signal) = self.signal {
            let name = Signal::try_from(signal).map(Signal::as_str);
            parts.push(Part::word(name.map_or_else(|_| format!("signal {signal}"), str::to_owned)));
        }
        for (name, value) in &self.outputs {
            let before = format!("{name} = ");
            parts.push(match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                Some(text) => Part { words: before, text: Some(visible(text)) },
                None => Part::word(before + &visible(value)),
            });
        }
        if !self.stdout.is_empty() {
            parts.push(Part::text(String::new(), &self.stdout, last));
        }
        parts.extend(self.files.iter().map(|(path, state)| file_part(path, state, last)));
        if let Some(exit) = self.exit.filter(|exit| *exit != 0 || parts.is_empty()) {
            parts.push(Part::word(format!("exit {exit}")));
        }
        let went_on = self.exit.is_some();
        if !self.stderr.is_empty() && (self.finding.is_empty() || went_on) {
            parts.push(Part::text("stderr ".into(), &self.stderr, last));
        }
        parts
    }
}

/// The greatest number of characters to show of a file's content.
const LONGEST_FILE: usize = 1000;

/// Describes a file, such as `a "text"`, `d/ 700`, `link -> to`, `b = a` (a hard link) or `no c`
/// (removed). Permissions are shown only if they are unusual.
fn file_part(path: &str, state: &FileState, last: LastNewline) -> Part {
    let path = visible(path);
    match state {
        FileState::Directory { permissions: 0o755 } => Part::word(format!("{path}/")),
        FileState::Directory { permissions } => Part::word(format!("{path}/ {permissions:03o}")),
        FileState::Regular { permissions, bytes } => {
            let words = match permissions {
                0o644 => format!("{path} "),
                permissions => format!("{path} {permissions:03o} "),
            };
            Part::text(words, &shorten(&readable(bytes), LONGEST_FILE), last)
        }
        FileState::Link(target) => Part::word(format!("{path} -> {}", visible(&readable(target)))),
        FileState::HardLink(first) => Part::word(format!("{path} = {}", visible(first))),
        FileState::Removed => Part::word(format!("no {path}")),
    }
}

/// A part of the line that describes an outcome: words, and perhaps a text in quotes.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Part {
    words: String,
    text: Option<String>,
}

impl Part {
    fn word(words: String) -> Self {
        Self { words, text: None }
    }

    /// A part with a text in quotes.
    fn text(words: String, text: &str, last: LastNewline) -> Self {
        let line = text.strip_suffix('\n').filter(|line| !line.is_empty() && !line.ends_with('\n'));
        let line = line.filter(|_| last == LastNewline::Hidden);
        Self { words, text: Some(escaped(line.unwrap_or(text))) }
    }
}

/// Whether the newline of a text is shown that is the only one at its end and has something before
/// it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum LastNewline {
    Hidden,
    Shown,
}

fn join(parts: &[Part]) -> String {
    let one = |part: &Part| match &part.text {
        Some(text) => format!("{}\"{text}\"", part.words),
        None => part.words.clone(),
    };
    parts.iter().map(one).collect::<Vec<_>>().join(" · ")
}

/// Names for people; what has no name is shown by its number.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Short names of the patches.
    pub patches: BTreeMap<Revision, String>,
    /// Inputs of the tests.
    pub inputs: BTreeMap<TestId, String>,
    /// Outcomes of a test by their cluster.
    pub outcomes: BTreeMap<(TestId, Revision), OutcomeDescription>,
}

impl Labels {
    /// Labels with names for patches only, from the rows of `revisions.csv`. Patches whose names
    /// differ only in directories or endings keep these.
    pub fn of_patches(rows: &[RevisionRow]) -> Self {
        let patches = rows.iter().filter(|row| !row.patch.is_empty());
        let mut alike: BTreeMap<String, u32> = BTreeMap::new();
        for row in patches.clone() {
            *alike.entry(patch_name(&row.patch)).or_default() += 1;
        }
        let name = |row: &RevisionRow| match patch_name(&row.patch) {
            name if alike[&name] > 1 => row.patch.clone(),
            name => name,
        };
        Self { patches: patches.map(|row| (row.revision, name(row))).collect(), ..Self::default() }
    }

    /// The number and name of a revision, such as `3 null-check` or `0 original`. If the name of
    /// the patch begins with the number of the revision, it is not repeated.
    pub fn revision(&self, revision: Revision) -> String {
        match self.patches.get(&revision) {
            Some(name) => {
                let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
                let same = name[..digits].parse() == Ok(revision.0);
                let rest = name[digits..].strip_prefix(['-', '_', '.', ' ']).unwrap_or_default();
                let name = if same && !rest.is_empty() { rest } else { name };
                format!("{revision} {}", visible(name))
            }
            None if revision == Revision::ORIGINAL => format!("{revision} original"),
            None => revision.to_string(),
        }
    }

    /// The input of a test; empty if it is not known.
    pub fn input(&self, test: TestId) -> String {
        self.inputs.get(&test).map(|input| visible(input)).unwrap_or_default()
    }

    /// The outcome of a cluster on a test; if it is not known, the number of the cluster.
    pub fn outcome(&self, test: TestId, cluster: Revision) -> String {
        join(&self.parts(test, cluster))
    }

    /// The parts of an outcome. They are others than those of any other outcome on the test.
    fn parts(&self, test: TestId, cluster: Revision) -> Vec<Part> {
        let Some(outcome) = self.outcomes.get(&(test, cluster)) else {
            return vec![Part::word(format!("as {cluster}"))];
        };
        let of_test = self.outcomes.range((test, Revision(0))..=(test, Revision(u32::MAX)));
        outcome.parts_among(of_test.map(|(_, other)| other))
    }

    /// The outcomes of several clusters on one test, each in at most `width` characters. If one is
    /// too long, what they have in common is left out first, so that different outcomes look
    /// different.
    pub fn outcomes(&self, test: TestId, clusters: &[Revision], width: usize) -> Vec<String> {
        let mut outcomes: Vec<Vec<Part>> =
            clusters.iter().map(|cluster| self.parts(test, *cluster)).collect();
        let wide =
            |outcomes: &[Vec<Part>]| outcomes.iter().any(|parts| columns(&join(parts)) > width);
        for cut in [cut_parts, cut_heads, cut_tails] {
            if wide(&outcomes) {
                cut(&mut outcomes);
            }
        }
        let mut lines: Vec<String> =
            outcomes.iter().map(|parts| shorten(&join(parts), width)).collect();
        for index in 0..lines.len() {
            if lines.iter().filter(|line| **line == lines[index]).count() > 1 {
                let mark = format!(" ({})", clusters[index]);
                let room = width.saturating_sub(columns(&mark));
                lines[index] = shorten(&join(&outcomes[index]), room) + &mark;
            }
        }
        lines
    }
}

/// Groups the texts of different outcomes that come after the same words, and drops the groups
/// whose texts are all equal. A text that was cut to nothing takes no part.
fn alike(outcomes: &mut [Vec<Part>]) -> Vec<Vec<&mut String>> {
    let mut groups: BTreeMap<String, Vec<&mut String>> = BTreeMap::new();
    for Part { words, text } in outcomes.iter_mut().flatten() {
        if let Some(text) = text.as_mut().filter(|text| *text != OMITTED) {
            groups.entry(words.clone()).or_default().push(text);
        }
    }
    groups.into_values().filter(|texts| texts.iter().any(|text| *text != texts[0])).collect()
}

/// The sign of omission.
const OMITTED: &str = "…";

/// The least number of characters at the start or end of a text that is worth a sign of omission.
const LEAST_CUT: usize = 4;

/// Leaves out the parts that all outcomes have, if each outcome has others besides.
fn cut_parts(outcomes: &mut [Vec<Part>]) {
    let [first, others @ ..] = &*outcomes else { return };
    let common: Vec<Part> = first
        .iter()
        .filter(|part| others.iter().all(|parts| parts.contains(part)))
        .cloned()
        .collect();
    if outcomes.iter().all(|parts| parts.iter().any(|part| !common.contains(part))) {
        for parts in outcomes {
            parts.retain(|part| !common.contains(part));
        }
    }
}

/// Leaves out the words with which all comparable texts ([`alike`]) begin.
fn cut_heads(outcomes: &mut [Vec<Part>]) {
    for texts in alike(outcomes) {
        let split: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
        let common = common_words(&split);
        if common >= LEAST_CUT {
            for (text, chars) in texts.into_iter().zip(split) {
                *text = format!("{OMITTED}{}", chars[common..].iter().collect::<String>());
            }
        }
    }
}

/// Leaves out the words with which all comparable texts ([`alike`]) end.
fn cut_tails(outcomes: &mut [Vec<Part>]) {
    for texts in alike(outcomes) {
        let split: Vec<Vec<char>> = texts.iter().map(|text| text.chars().rev().collect()).collect();
        let common = common_words(&split);
        if common >= LEAST_CUT {
            for (text, chars) in texts.into_iter().zip(split) {
                *text = format!("{}{OMITTED}", chars[common..].iter().rev().collect::<String>());
            }
        }
    }
}

/// The length of the longest common start of all texts that splits no word or number of any of
/// them.
fn common_words(texts: &[Vec<char>]) -> usize {
    let word = |c: char| c.is_alphanumeric() || "+-._\\".contains(c);
    let first = &texts[0];
    let mut common = texts
        .iter()
        .map(|text| text.iter().zip(first).take_while(|(a, b)| a == b).count())
        .min()
        .unwrap_or(0);
    let within = |at: usize| {
        texts.iter().any(|text| at < text.len() && word(text[at - 1]) && word(text[at]))
    };
    while common > 0 && within(common) {
        common -= 1;
    }
    common
}

/// The name of a patch without its directories and ending: that of `fixes/null-check.diff` is
/// `null-check`.
pub fn patch_name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = [".diff", ".patch"].iter().find_map(|ending| file.strip_suffix(ending));
    stem.unwrap_or(file).to_owned()
}

/// The text with control characters escaped: they would be invisible, or break a line or a file.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' | '\0' => out.extend(c.escape_default()),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// A text with control characters escaped as [`visible`] does. A `\` is doubled where it would look
/// like such an escape otherwise, so that different texts look different.
pub fn escaped(text: &str) -> String {
    let is_taken = |rest: &str| {
        rest.starts_with(['n', 't', 'r'])
            || rest.starts_with("u{")
            || rest.starts_with(char::is_control)
    };
    visible(&doubled(text, is_taken))
}

/// The text with each run of `\` doubled after which comes something that `is_taken`.
fn doubled(text: &str, is_taken: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let after = rest[at..].trim_start_matches('\\');
        let end = rest.len() - after.len();
        out.push_str(&rest[..end]);
        if is_taken(after) {
            out.push_str(&rest[at..end]);
        }
        rest = after;
    }
    (out + rest).into()
}

/// A line of a text with control characters escaped, except for tabs.
pub fn visible_line(line: &str) -> String {
    let parts: Vec<String> = line.split('\t').map(visible).collect();
    parts.join("\t")
}

/// Bytes as text. Bytes that are not UTF-8 are written as `\xNN`. A `\` is doubled where it would
/// look like one of these otherwise, so that different bytes make different texts.
pub fn readable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let is_taken = |rest: &str| match rest.as_bytes() {
            [] => !chunk.invalid().is_empty(),
            [b'x', b'8'..=b'9' | b'a'..=b'f', b'0'..=b'9' | b'a'..=b'f', ..] => true,
            _ => false,
        };
        out.push_str(&doubled(chunk.valid(), is_taken));
        for byte in chunk.invalid() {
            _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// How many columns of a terminal a text takes: two for each wide character, as of Chinese.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// The longest beginning of a text that takes at most `width` columns.
fn beginning(text: &str, width: usize) -> &str {
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let fits = |at: &usize| columns(&text[..*at]) <= width;
    &text[..ends.take_while(fits).last().unwrap_or(0)]
}

/// The longest end of a text that takes at most `width` columns.
fn end(text: &str, width: usize) -> &str {
    let begins = text.char_indices().map(|(at, _)| at).rev();
    let fits = |at: &usize| columns(&text[*at..]) <= width;
    &text[begins.take_while(fits).last().unwrap_or(text.len())..]
}

/// Shortens a text to at most `width` columns by leaving out its middle.
pub fn shorten(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let (head, tail) = (beginning(text, kept - kept / 3), end(text, kept / 3));
    format!("{head}{OMITTED}{tail}")
}

/// Lines of cells as a table. All lines have the same number of cells. The first `left` columns are
/// aligned to the left, the others to the right.
pub(super) fn aligned<L: AsRef<[String]>>(lines: &[L], left: usize) -> String {
    let count = lines.first().map_or(0, |line| line.as_ref().len());
    let width =
        |column: usize| lines.iter().map(|line| columns(&line.as_ref()[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |line: &L| {
        let cells = line.as_ref().iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let room = " ".repeat(width - columns(cell));
            if column < left { format!("{cell}{room}") } else { format!("{room}{cell}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
}

/// Breaks a text into at most `rows` lines of about `width` columns: after `,` and `\n` where
/// possible, or else after blanks. The middle of a longer text is left out. A last line that would
/// be nearly empty is joined to the one before it.
pub fn wrap(text: &str, width: usize, rows: usize) -> Vec<String> {
    const OVER: usize = 3;
    let width = width.max(OVER);
    let text = shorten(text, width.saturating_mul(rows));
    let mut lines = Vec::new();
    let mut rest = text.as_str();
    while columns(rest) > width + OVER && lines.len() + 1 < rows {
        let line = beginning(rest, width);
        // A number in two parts is better than a line that is nearly empty.
        let after = |ends: &[&str]| {
            let at = ends.iter().filter_map(|end| Some(line.rfind(end)? + end.len())).max();
            at.filter(|at| columns(&line[..*at]) >= width / 3)
        };
        let whole = line.strip_suffix('\\').unwrap_or(line).len();
        let at = after(&[",", "\\n"]).or_else(|| after(&[" "])).unwrap_or(whole);
        lines.push(rest[..at].trim().to_owned());
        rest = &rest[at..];
    }
    lines.push(shorten(rest.trim(), width + OVER));
    lines
}

/// The numbers of a set, with consecutive ones joined: `0 2–5 9`.
pub fn ranges(set: &RevisionSet) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for Revision(number) in set.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let texts = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first} {last}"),
        _ => format!("{first}–{last}"),
    });
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_described_by_what_is_not_usual() {
        let regular =
            |permissions, text: &str| FileState::Regular { permissions, bytes: text.into() };
        let files = [
            ("a", regular(0o644, "text\n")),
            ("b", regular(0o600, "")),
            ("c", FileState::HardLink("a".into())),
            ("d", FileState::Directory { permissions: 0o755 }),
            ("e", FileState::Directory { permissions: 0 }),
            ("f", FileState::Link(b"to\n".to_vec())),
            ("g", FileState::Removed),
        ];
        let mut outcome = OutcomeDescription {
            exit: Some(0),
            files: files.map(|(path, state)| (path.to_owned(), state)).into(),
            ..OutcomeDescription::default()
        };
        assert_eq!(
            outcome.short(),
            r#"a "text" · b 600 "" · c = a · d/ · e/ 000 · f -> to\n · no g"#
        );
        // Side by side, only what differs remains.
        let other = outcome.clone();
        outcome.files.insert("g".into(), regular(0o644, ""));
        let outcomes = [other, outcome].into_iter().zip([Revision(0), Revision(1)]);
        let outcomes = outcomes.map(|(outcome, cluster)| ((TestId(1), cluster), outcome));
        let labels = Labels { outcomes: outcomes.collect(), ..Labels::default() };
        let lines = labels.outcomes(TestId(1), &[Revision(0), Revision(1)], 30);
        assert_eq!(lines, ["no g", "g \"\""]);
    }

    #[test]
    fn an_outcome_says_what_went_wrong_first() {
        let fine = OutcomeDescription {
            exit: Some(0),
            stdout: "6\t7\n".into(),
            ..OutcomeDescription::default()
        };
        assert_eq!(fine.short(), r#""6\t7""#);
        let crash = OutcomeDescription {
            signal: Some(11),
            finding: "stack-buffer-overflow".into(),
            stderr: "a long report".into(),
            ..OutcomeDescription::default()
        };
        assert_eq!(crash.short(), "stack-buffer-overflow · SIGSEGV");
        let silent = OutcomeDescription { exit: Some(0), ..OutcomeDescription::default() };
        assert_eq!(silent.short(), "exit 0");
        let blank = |stdout: &str| OutcomeDescription { stdout: stdout.into(), ..silent.clone() };
        assert_eq!(blank("\n").short(), r#""\n""#);
        assert_eq!(blank("a\n\n").short(), r#""a\n\n""#);
    }

    fn printing(texts: &[&str]) -> (Labels, Vec<Revision>) {
        let described = |text: &&str| OutcomeDescription {
            exit: Some(0),
            stdout: (*text).to_owned(),
            ..OutcomeDescription::default()
        };
        let clusters = (0..texts.len() as u32).map(Revision);
        let outcomes =
            clusters.clone().zip(texts).map(|(r, text)| ((TestId(1), r), described(text)));
        let labels = Labels { outcomes: outcomes.collect(), ..Labels::default() };
        (labels, clusters.collect())
    }

    #[test]
    fn outcomes_side_by_side_show_where_they_differ() {
        let (labels, clusters) = printing(&[
            "Enter numbers: -12 is the smallest\n",
            "Enter numbers: -1 is the smallest\n",
        ]);
        let shown = |width| labels.outcomes(TestId(1), &clusters, width);
        assert_eq!(shown(80)[0], "\"Enter numbers: -12 is the smallest\"");
        assert_eq!(shown(30), ["\"…-12 is the smallest\"", "\"…-1 is the smallest\""]);
        assert_eq!(shown(12), ["\"…-12…\"", "\"…-1…\""]);
    }

    #[test]
    fn a_text_that_ends_where_the_others_go_on_is_seen_to_end() {
        let (mut labels, clusters) = printing(&["Enter numbers: ", "Enter numbers: 1 is less"]);
        labels.outcomes.get_mut(&(TestId(1), Revision(0))).unwrap().finding = "timeout".into();
        let shown = labels.outcomes(TestId(1), &clusters, 16);
        assert_eq!(shown, ["timeout · \"…\"", "\"…1 is less\""]);
        let (labels, clusters) =
            printing(&["Enter: ", "Enter: 10 is the smallest", "Enter: 2 is the smallest"]);
        let shown = labels.outcomes(TestId(1), &clusters, 16);
        assert_eq!(shown, ["\"…\"", "\"…10…\"", "\"…2…\""]);
    }

    #[test]
    fn outcomes_without_room_to_show_a_difference_still_look_different() {
        let (labels, clusters) = printing(&["a1b2c3d4e5f6g7", "z1b2X3d4e5f6g7", "z1b2Y3d4e5f6g7"]);
        let shown = labels.outcomes(TestId(1), &clusters, 9);
        assert!(shown.iter().all(|text| columns(text) <= 9), "{shown:?}");
        let different: std::collections::BTreeSet<_> = shown.iter().collect();
        assert_eq!(different.len(), 3, "{shown:?}");
    }

    #[test]
    fn a_newline_at_the_end_is_shown_if_nothing_else_differs() {
        let (labels, clusters) = printing(&["6", "6\n", "7\n"]);
        let shown = ["\"6\"", "\"6\\n\"", "\"7\""];
        assert_eq!(labels.outcomes(TestId(1), &clusters, 30), shown);
        assert_eq!([0, 1, 2].map(|r| labels.outcome(TestId(1), Revision(r))), shown);
    }

    #[test]
    fn a_backslash_is_not_taken_for_an_escape() {
        let parts: [&[u8]; 9] =
            [b"\\", b"\\\\", b"x", b"ff", b"\xff", b"n", b"\n", b"u{1b}", b"\x1b"];
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..4 {
            let longer =
                texts.iter().flat_map(|text| parts.iter().map(|part| [text, *part].concat()));
            let longer: Vec<_> = longer.collect();
            texts.extend(longer);
        }
        texts.sort_unstable();
        texts.dedup();
        let one: std::collections::BTreeSet<_> = texts.iter().map(|text| readable(text)).collect();
        assert_eq!(one.len(), texts.len());
        let line: std::collections::BTreeSet<_> = one.iter().map(|text| escaped(text)).collect();
        assert_eq!(line.len(), texts.len());
    }

    #[test]
    fn a_number_in_the_name_of_a_patch_is_not_said_twice() {
        let names = ["03-fix", "3", "2001-fix"].map(String::from);
        let shown = names.map(|name| {
            let patches = BTreeMap::from([(Revision(3), name)]);
            Labels { patches, ..Labels::default() }.revision(Revision(3))
        });
        assert_eq!(shown, ["3 fix", "3 3", "3 2001-fix"]);
    }

    #[test]
    fn patches_with_the_same_name_keep_their_directories() {
        let row = |(number, patch): (u32, &str)| RevisionRow {
            revision: Revision(number),
            patch: patch.into(),
            status: crate::results::Status::Merged,
            reason: String::new(),
            hunks: 1,
            arms: 1,
            own: 0,
        };
        let patches = [(0, ""), (1, "a/fix.diff"), (2, "b/fix.patch"), (3, "b/other.diff")];
        let labels = Labels::of_patches(&patches.map(row));
        let shown: Vec<_> = (0..4).map(|r| labels.revision(Revision(r))).collect();
        assert_eq!(shown, ["0 original", "1 a/fix.diff", "2 b/fix.patch", "3 other"]);
    }

    #[test]
    fn texts_are_made_short_and_visible() {
        assert_eq!(visible("a\n\u{1b}é"), "a\\n\\u{1b}é");
        assert_eq!(readable(b"a\xff\xc3\xa9\xc3"), r"a\xffé\xc3");
        assert_eq!(readable(br"\d C:\x \x1b \xfg"), r"\d C:\x \x1b \xfg");
        assert_eq!(escaped(r"\d C:\x \xff"), r"\d C:\x \xff");
        assert_eq!(shorten("0123456789", 7), "0123…89");
        assert_eq!(shorten("0123456789", 10), "0123456789");
        assert_eq!(shorten("01", 1), "…");
        assert_eq!(shorten("漢字漢字漢字", 7), "漢字…字");
        assert!(columns(&shorten("❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", 5)) <= 5);
        assert_eq!(wrap("漢字漢字漢字", 4, 9), ["漢字", "漢字", "漢字"]);
        let set: RevisionSet = [0, 2, 3, 4, 7, 8].map(Revision).into_iter().collect();
        assert_eq!(ranges(&set), "0 2–4 7 8");
        assert_eq!(patch_name("a/b/fix-1.diff"), "fix-1");
        assert_eq!(wrap("x = 12, y = 34", 9, 4), ["x = 12,", "y = 34"]);
        assert_eq!(wrap("x = 12, y = 34", 9, 1), ["x = 12…34"]);
        assert_eq!(wrap("x = 12, y = 34", 11, 4), ["x = 12, y = 34"]);
        assert_eq!(wrap("x = 12, y = 345678", 12, 4), ["x = 12,", "y = 345678"]);
        assert_eq!(wrap(r"-1\n-2147483648\n1\n", 12, 4), [r"-1\n", "-2147483648", r"\n1\n"]);
        assert_eq!(wrap("0123456789", 4, 4), ["0123", "456789"]);
        assert_eq!(wrap("", 9, 4), [""]);
    }
}
