//! What a run showed, and which part of it counts as a visible difference.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use serde::{Deserialize, Serialize};

use super::finding::{Finding, FindingKind};
use crate::{
    errors::{ENDLESS_PREFIX, Error},
    subject::{FileState, config::OutputsConfig},
};

/// The exit code of a native run in which an assumption (`psychic_assume`, `klee_assume`) does not
/// hold: the test is not meant for that revision. In `psychic.h` it is
/// `PSYCHIC_ASSUMPTION_VIOLATED`.
pub const ASSUMPTION_VIOLATED: u8 = 119;

/// How a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Termination {
    /// It exited with this code.
    Exit(u8),
    /// This signal ended it.
    Signal(i32),
    /// It was stopped as it reached its time limit.
    Timeout,
    /// It was stopped as it reached its output limit.
    OutputLimit,
}

impl Termination {
    /// Whether the run was stopped because it did not end.
    pub fn is_endless(self) -> bool {
        matches!(self, Self::Timeout | Self::OutputLimit)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => f.write_str(signal.as_str()),
                Err(_) => write!(f, "signal {number}"),
            },
            Self::Timeout => f.write_str("timeout"),
            Self::OutputLimit => f.write_str("too much output"),
        }
    }
}

/// Everything that a person could see of one run.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Outcome {
    /// What it printed to standard output; up to the error if there is a [`Finding`].
    pub stdout: Vec<u8>,
    /// What it printed to standard error, without a sanitizer's report.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub termination: Termination,
    /// What it passed to `psychic_output`, by name. Repeated names are numbered `name`, `name_1`,
    /// ...
    pub outputs: BTreeMap<String, Vec<u8>>,
    /// The files in its directory, and the directory itself as `.`, after the run. Those that are
    /// as they were at the beginning are left out.
    pub files: BTreeMap<String, FileState>,
    /// The finding of a sanitizer that ended it.
    pub finding: Option<Finding>,
    /// The errors that sanitizers found and after which the run went on. All other fields describe
    /// the run to its end.
    pub noted: BTreeSet<Error>,
    /// Whether builds disagree: a sanitized build without a finding did something else, or one
    /// crashed where the plain build goes on. Then part of this depends on what happened to be in
    /// registers or memory.
    #[serde(default)]
    pub unsteady: bool,
}

/// The part of an [`Outcome`] that is compared. It is equal for two revisions if and only if a
/// person sees no difference.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Visible {
    /// How the run ended. `None` for a run that was stopped, or that has a finding: how it would
    /// have gone on natively means nothing.
    pub termination: Option<Termination>,
    /// The class of the finding.
    pub finding: Option<FindingKind>,
    /// The errors after which the run went on. Empty for a run that an error ended, or that was
    /// stopped: it would be hard to say which came first.
    pub noted: BTreeSet<Error>,
    /// What it printed to standard output, if that counts.
    pub stdout: Option<Vec<u8>>,
    /// What it printed to standard error, if that counts.
    pub stderr: Option<Vec<u8>>,
    /// The named outputs.
    pub outputs: BTreeMap<String, Vec<u8>>,
    /// The files that it changed.
    pub files: BTreeMap<String, FileState>,
}

impl Visible {
    /// The number of visible bytes of standard output and of standard error.
    pub fn printed(&self) -> [usize; 2] {
        [&self.stdout, &self.stderr].map(|text| text.as_ref().map_or(0, Vec::len))
    }
}

impl Outcome {
    /// The part of this outcome that is compared under `config`.
    ///
    /// Runs that were stopped ([`Termination::is_endless`]) are all of one kind. Only a prefix of
    /// what they printed counts, and none of their files and outputs, since these depend on the
    /// machine.
    pub fn visible(&self, config: &OutputsConfig) -> Visible {
        let endless = self.termination.is_endless() && self.finding.is_none();
        let ends_by_itself = !endless && self.finding.is_none();
        let text = |counts: bool, bytes: &[u8]| {
            let end = if endless { bytes.len().min(ENDLESS_PREFIX) } else { bytes.len() };
            counts.then(|| bytes[..end].to_vec())
        };
        Visible {
            termination: ends_by_itself.then_some(self.termination),
            finding: self.finding.as_ref().map(|finding| finding.kind),
            noted: if ends_by_itself { self.noted.clone() } else { BTreeSet::new() },
            stdout: text(config.stdout, &self.stdout),
            stderr: text(config.stderr, &self.stderr),
            outputs: if endless { BTreeMap::new() } else { self.outputs.clone() },
            files: if endless { BTreeMap::new() } else { self.files.clone() },
        }
    }

    /// Whether a person sees no difference between two runs.
    pub fn same(&self, other: &Self, config: &OutputsConfig) -> bool {
        self.visible(config) == other.visible(config)
    }

    /// Whether an assumption of the program did not hold: then the test says nothing about the
    /// program.
    pub fn is_outside_assumptions(&self) -> bool {
        self.finding.is_none() && self.termination == Termination::Exit(ASSUMPTION_VIOLATED)
    }
}

/// Reads the records that `psychic_output` appended: name, NUL, eight bytes of little-endian
/// length, bytes. A record that was cut off by the end of the run is dropped.
pub(super) fn parse_outputs(mut bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut outputs = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let rest = &bytes[end + 1..];
        let Some((length, rest)) = rest.split_first_chunk::<8>() else { break };
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let Some((data, rest)) = rest.split_at_checked(length) else { break };
        outputs.push((name, data.to_vec()));
        bytes = rest;
    }
    numbered(outputs)
}

/// Values by name. The first value of a name has just that name. Further ones of a name that ends
/// with `()`, which belong to calls of a function, are `f(), 2nd call` and so on. Further ones of
/// another name are `name_1`, `name_2`, .... Each gets the first of these names that is free.
pub(crate) fn numbered<T>(
    values: impl IntoIterator<Item = (impl AsRef<str>, T)>,
) -> BTreeMap<String, T> {
    let mut named = BTreeMap::new();
    let mut next: HashMap<String, usize> = HashMap::new();
    for (name, value) in values {
        let name = name.as_ref();
        let number = next.entry(name.to_owned()).or_default();
        let free = loop {
            let candidate = match *number {
                0 => name.to_owned(),
                calls if is_of_call(name) => format!("{name}, {} call", ordinal(calls + 1)),
                others => format!("{name}_{others}"),
            };
            *number += 1;
            if !named.contains_key(&candidate) {
                break candidate;
            }
        };
        named.insert(free, value);
    }
    named
}

/// Whether an output, numbered or not, belongs to a call of a function.
pub(crate) fn is_of_call(name: &str) -> bool {
    name.ends_with("()") || name.contains("(), ")
}

/// `2nd`, `3rd`, `11th` and so on.
fn ordinal(number: usize) -> String {
    let end = match (number % 10, number % 100) {
        (1, hundred) if hundred != 11 => "st",
        (2, hundred) if hundred != 12 => "nd",
        (3, hundred) if hundred != 13 => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

#[cfg(test)]
impl Outcome {
    /// A run that printed this and did nothing else.
    pub(crate) fn of(termination: Termination, stdout: &[u8]) -> Self {
        Self {
            stdout: stdout.to_vec(),
            stderr: Vec::new(),
            termination,
            outputs: BTreeMap::new(),
            files: BTreeMap::new(),
            finding: None,
            noted: BTreeSet::new(),
            unsteady: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_what_the_config_says() {
        let a = Outcome::of(Termination::Exit(0), b"1");
        let b = Outcome::of(Termination::Exit(0), b"2");
        assert!(!a.same(&b, &OutputsConfig::default()));
        assert!(a.same(&b, &OutputsConfig { stdout: false, ..OutputsConfig::default() }));
        let failed = Outcome::of(Termination::Exit(1), b"1");
        assert!(!a.same(
            &failed,
            &OutputsConfig { stdout: false, stderr: false, ..OutputsConfig::default() }
        ));
    }

    #[test]
    fn of_a_finding_only_the_kind_counts() {
        let finding = |kind, detail: &str| Outcome {
            finding: Some(Finding { kind, detail: detail.into() }),
            ..Outcome::of(Termination::Exit(1), b"")
        };
        let config = OutputsConfig::default();
        let a = finding(Error::OutOfBounds.into(), "heap");
        assert!(a.same(&finding(Error::OutOfBounds.into(), "stack"), &config));
        assert!(!a.same(&finding(Error::UseAfterFree.into(), "heap"), &config));
        assert!(!a.same(&Outcome::of(Termination::Exit(1), b""), &config));
    }

    #[test]
    fn what_a_run_went_on_after_counts_where_it_came_to_its_end() {
        let noting = |termination| Outcome {
            noted: [Error::UninitialisedRead].into(),
            ..Outcome::of(termination, b"")
        };
        let config = OutputsConfig::default();
        for (termination, same) in [(Termination::Exit(0), false), (Termination::Timeout, true)] {
            assert_eq!(noting(termination).same(&Outcome::of(termination, b""), &config), same);
        }
    }

    #[test]
    fn endless_runs_are_compared_by_how_they_begin() {
        let config = OutputsConfig::default();
        let short = Outcome::of(Termination::Timeout, &[b'a'; 5000]);
        let long = Outcome::of(Termination::OutputLimit, &[b'a'; 9000]);
        assert!(short.same(&long, &config));
        assert!(!short.same(&Outcome::of(Termination::Timeout, b"b"), &config));
        assert!(!short.same(&Outcome::of(Termination::Exit(0), &[b'a'; 5000]), &config));
    }

    #[test]
    fn repeated_outputs_are_numbered_and_cut_ones_dropped() {
        let record = |name: &str, data: &[u8]| {
            [name.as_bytes(), &[0], &(data.len() as u64).to_le_bytes(), data].concat()
        };
        let call = |data| record("return of f()", data);
        let bytes =
            [record("a", b"1"), record("b", b""), record("a", b"2"), call(b"u"), call(b"v")];
        let bytes = [&bytes[..], &[record("c", b"xyz")]].concat();
        let bytes = bytes.concat();
        let outputs = parse_outputs(&bytes[..bytes.len() - 1]);
        let expected = [
            ("a", &b"1"[..]),
            ("a_1", b"2"),
            ("b", b""),
            ("return of f()", b"u"),
            ("return of f(), 2nd call", b"v"),
        ];
        let expected = expected.map(|(name, data)| (name.to_owned(), data.to_vec()));
        assert_eq!(outputs, BTreeMap::from(expected));
    }
}
