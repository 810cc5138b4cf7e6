//! Describes inputs and outcomes of tests for people.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::ending;
use crate::{
    diff::DifferentialTest,
    replay::{Outcome, Termination, TestInput},
    report::{OutcomeDescription, TestDescription, escaped, readable},
    results::TestId,
    subject::{
        Revision,
        config::{OutputsConfig, ParamConfig},
    },
};

/// What is known about named values, to show them as what they are.
pub(crate) struct Values<'a> {
    /// How the parameters of an entry function are described in `subject.toml`.
    pub(crate) params: &'a BTreeMap<String, ParamConfig>,
    /// The parameters that are floating-point numbers, and `return` if the result is one.
    pub(crate) reals: &'a BTreeSet<String>,
}

impl Values<'_> {
    fn describe(&self, name: &str, bytes: &[u8]) -> String {
        // No parameter has a name like these.
        if name.ends_with("-env") {
            return quoted(bytes.split(|byte| *byte == 0).next().unwrap_or_default());
        }
        if name.ends_with("-data") {
            return quoted(bytes);
        }
        describe_bytes(bytes, self.params.get(name), self.reals.contains(name))
    }
}

/// Describes a test's input, as a whole in one line and by its parts.
pub(crate) fn describe_input(input: &TestInput, values: &Values<'_>) -> TestDescription {
    let quoted = |text: &String| format!("\"{}\"", escaped(text));
    let named = input.objects.iter().filter(|(name, _)| !TestInput::is_of_command_line(name));
    let described: Vec<(String, String)> =
        named.map(|(name, bytes)| (name.clone(), values.describe(name, bytes))).collect();
    let arguments: Vec<String> = input.args.iter().skip(1).map(|arg| readable(arg)).collect();
    let stdin = input.stdin.as_ref().map(|bytes| readable(bytes));
    let mut parts: Vec<String> =
        described.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !arguments.is_empty() {
        let arguments: Vec<String> = arguments.iter().map(quoted).collect();
        parts.push(format!("arguments {}", arguments.join(" ")));
    }
    parts.extend(stdin.iter().map(quoted));
    TestDescription {
        input: parts.join(", "),
        arguments,
        stdin,
        values: described.into_iter().collect(),
    }
}

/// Shows the bytes of a value: a string as C would write it, without trailing zeros; a buffer of
/// numbers as these numbers; another object of the size of an integer as a number, or as a text if
/// it is one; anything else as a quoted text without its terminating NUL.
fn describe_bytes(bytes: &[u8], param: Option<&ParamConfig>, real: bool) -> String {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if let Some(ParamConfig { string: Some(_), .. }) = param {
        return quoted(&bytes[..end]);
    }
    if let Some(elements) = param.and_then(|param| param.elements)
        && let Some(width) = bytes.len().checked_div(elements as usize)
        && width * elements as usize == bytes.len()
        && matches!(width, 1 | 2 | 4 | 8)
    {
        let number = |chunk: &[u8]| if real { decimal(chunk) } else { signed(chunk).to_string() };
        let numbers: Vec<String> = bytes.chunks(width).map(number).collect();
        return format!("{{{}}}", numbers.join(", "));
    }
    if real && matches!(bytes.len(), 4 | 8) {
        return decimal(bytes);
    }
    let printable = |text: &[u8]| text.iter().all(|byte| matches!(byte, b' '..=b'~'));
    match bytes.len() {
        // Bytes like these are more often a short text than a number.
        4 | 8 if end + 1 == bytes.len() && printable(&bytes[..end]) => quoted(&bytes[..end]),
        1 | 2 | 4 | 8 => signed(bytes).to_string(),
        // The NUL that ends a text is not part of it.
        length => quoted(&bytes[..if end + 1 == length { end } else { length }]),
    }
}

/// The shortest text that reads back as the `float` or `double` that `bytes` hold, little-endian;
/// bytes of another length, quoted.
fn decimal(bytes: &[u8]) -> String {
    match (<[u8; 4]>::try_from(bytes), <[u8; 8]>::try_from(bytes)) {
        (Ok(bytes), _) => format!("{:?}", f32::from_le_bytes(bytes)),
        (_, Ok(bytes)) => format!("{:?}", f64::from_le_bytes(bytes)),
        _ => quoted(bytes),
    }
}

/// The signed number that `bytes`, at most eight of them, hold in little-endian order.
fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
    let mut wide = [sign; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// Describes the outcomes of each test: one for each cluster, under its smallest revision.
pub(super) fn describe_outcomes(
    tests: &[DifferentialTest],
    revisions: &[Revision],
    outputs: &OutputsConfig,
    values: &Values<'_>,
) -> BTreeMap<(TestId, Revision), OutcomeDescription> {
    let mut described = BTreeMap::new();
    for test in tests {
        for (revision, outcome) in revisions.iter().zip(&test.outcomes) {
            if test.clustering.cluster(*revision) == Some(*revision) {
                described
                    .insert((test.test, *revision), describe_outcome(outcome, outputs, values));
            }
        }
    }
    described
}

/// Describes the parts of an outcome that count.
pub(crate) fn describe_outcome(
    outcome: &Outcome,
    counted: &OutputsConfig,
    values: &Values<'_>,
) -> OutcomeDescription {
    let shown = |counts: bool, bytes: &[u8]| match counts {
        true => readable(bytes),
        false => String::new(),
    };
    let settled = outcome.finding.is_none();
    OutcomeDescription {
        exit: match outcome.termination {
            Termination::Exit(code) if settled => Some(i32::from(code)),
            _ => None,
        },
        signal: match outcome.termination {
            Termination::Signal(signal) if settled => Some(signal),
            _ => None,
        },
        finding: ending(outcome),
        outputs: outcome
            .outputs
            .iter()
            .map(|(name, bytes)| (name.clone(), values.describe(name, bytes)))
            .collect(),
        stdout: shown(counted.stdout, &outcome.stdout),
        stderr: shown(counted.stderr, &outcome.stderr),
        files: outcome.files.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_what_they_are() {
        let string = ParamConfig { string: Some(4), ..ParamConfig::default() };
        let elements = ParamConfig { elements: Some(2), ..ParamConfig::default() };
        let double = 0.1f64.to_le_bytes();
        assert_eq!(describe_bytes(&double, None, true), "0.1");
        assert_eq!(describe_bytes(&f32::NEG_INFINITY.to_le_bytes(), None, true), "-inf");
        let floats = [1.5f32.to_le_bytes(), (-0.0f32).to_le_bytes()].concat();
        assert_eq!(describe_bytes(&floats, Some(&elements), true), "{1.5, -0.0}");
        assert_eq!(describe_bytes(b"ab\0\0", Some(&string), false), r#""ab""#);
        assert_eq!(describe_bytes(b"a\0b\xb8", Some(&string), false), r#""a\x00b\xb8""#);
        assert_eq!(describe_bytes(b"\0\0\0\0", Some(&string), false), r#""""#);
        assert_eq!(describe_bytes(&[1, 0, 0xfe, 0xff], Some(&elements), false), "{1, -2}");
        assert_eq!(describe_bytes(&[0xfe, 0xff, 0xff, 0xff], None, false), "-2");
        assert_eq!(describe_bytes(&[0x80], None, false), "-128");
        assert_eq!(describe_bytes(b"abc\0", None, false), r#""abc""#);
        assert_eq!(describe_bytes(b"a\0\0\0", None, false), "97");
        assert_eq!(describe_bytes(b"word\0", None, false), r#""word""#);
        assert_eq!(describe_bytes(b"wor\0\0", None, false), r#""wor\x00\x00""#);
    }
}
