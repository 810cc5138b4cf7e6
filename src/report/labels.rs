//! What tests, outcomes and revisions are called in front of people.

use std::collections::BTreeMap;

use nix::sys::signal::Signal;

use crate::subject::{Revision, RevisionSet, results::TestId};

/// The input of a test, for people.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TestDescription {
    /// The input in short form, such as `x = -2, y = 7` or `"6 10\n"`.
    pub input: String,
}

/// What could be seen of a run, for people.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OutcomeDescription {
    /// Exit code; nothing when a signal ended the run.
    pub exit: Option<i32>,
    /// Number of the signal that ended it.
    pub signal: Option<i32>,
    /// What a sanitizer said; empty if nothing.
    pub finding: String,
    /// Named outputs with their values, such as `return` and `3`.
    pub outputs: Vec<(String, String)>,
    /// Standard output, invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, invalid UTF-8 replaced.
    pub stderr: String,
}

impl OutcomeDescription {
    /// All of it in one line: what went wrong first.
    pub fn short(&self) -> String {
        let mut parts = Vec::new();
        if !self.finding.is_empty() {
            parts.push(visible(&self.finding));
        }
        if let Some(signal) = self.signal {
            let name = Signal::try_from(signal).map(Signal::as_str);
            parts.push(name.map_or_else(|_| format!("signal {signal}"), str::to_owned));
        }
        let named = self.outputs.iter().map(|(name, value)| format!("{name} = {}", visible(value)));
        parts.extend(named);
        if !self.stdout.is_empty() {
            parts.push(format!("\"{}\"", visible(self.stdout.trim_end_matches('\n'))));
        }
        if let Some(exit) = self.exit.filter(|exit| *exit != 0 || parts.is_empty()) {
            parts.push(format!("exit {exit}"));
        }
        if !self.stderr.is_empty() && self.finding.is_empty() {
            parts.push(format!("stderr \"{}\"", visible(self.stderr.trim_end_matches('\n'))));
        }
        parts.join(" · ")
    }
}

/// Names for people; what has none gets its number.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Short names of the patches.
    pub patches: BTreeMap<Revision, String>,
    /// Inputs of the tests.
    pub inputs: BTreeMap<TestId, String>,
    /// Outcomes of a test by their cluster.
    pub outcomes: BTreeMap<(TestId, Revision), String>,
}

impl Labels {
    /// `3 null-check`, `0 original`.
    pub fn revision(&self, revision: Revision) -> String {
        match self.patches.get(&revision) {
            Some(name) => format!("{revision} {}", visible(name)),
            None if revision == Revision::ORIGINAL => format!("{revision} original"),
            None => revision.to_string(),
        }
    }

    /// The input; empty if nothing is known of it.
    pub fn input(&self, test: TestId) -> String {
        self.inputs.get(&test).map(|input| visible(input)).unwrap_or_default()
    }

    /// The outcome; the number of its cluster if nothing is known of it.
    pub fn outcome(&self, test: TestId, cluster: Revision) -> String {
        match self.outcomes.get(&(test, cluster)) {
            Some(outcome) => visible(outcome),
            None => format!("as {cluster}"),
        }
    }
}

/// The name of a patch without directories and ending: `fixes/null-check.diff` is `null-check`.
pub fn patch_name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = [".diff", ".patch"].iter().find_map(|ending| file.strip_suffix(ending));
    stem.unwrap_or(file).to_owned()
}

/// With escapes for what would not be seen or would break a line or a file.
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

/// At most `width` characters, the middle left out where there are more.
pub fn shorten(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let tail = kept / 3;
    let head: String = text.chars().take(kept - tail).collect();
    let tail: String = text.chars().skip(length - tail).collect();
    format!("{head}…{tail}")
}

/// The numbers with runs put together: `0 2–5 9`.
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
    }

    #[test]
    fn texts_are_made_short_and_visible() {
        assert_eq!(visible("a\n\u{1b}é"), "a\\n\\u{1b}é");
        assert_eq!(shorten("0123456789", 7), "0123…89");
        assert_eq!(shorten("0123456789", 10), "0123456789");
        assert_eq!(shorten("01", 1), "…");
        let set: RevisionSet = [0, 2, 3, 4, 7, 8].map(Revision).into_iter().collect();
        assert_eq!(ranges(&set), "0 2–4 7 8");
        assert_eq!(patch_name("a/b/fix-1.diff"), "fix-1");
    }
}
