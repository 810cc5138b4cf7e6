//! The bounds and assumptions of verdicts, in words.

use std::ops::RangeInclusive;

use crate::{
    env::libc::stdin::Stdin,
    exec::HaltState,
    explore::Exhausted,
    ir::Module,
    subject::{
        Revision, Times,
        config::{ArgConfig, InputsConfig},
    },
};

/// Describes the numbers in a range.
fn numbers(range: &RangeInclusive<u64>) -> String {
    match (range.start(), range.end()) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

/// Describes the bounds and assumptions under which verdicts hold, one text for each.
pub(super) fn bounds(
    inputs: &InputsConfig,
    times: &Times,
    states: &[HaltState],
    exhausted: bool,
    asks: Asks,
) -> Vec<String> {
    let mut bounds = Vec::new();
    let reads = |state: &HaltState| match &state.world.stdin {
        Stdin::Typed(typed) => !typed.text.is_empty(),
        Stdin::Bytes(fixed) => !fixed.bytes.is_empty(),
    };
    let is_given = inputs.stdin.text.is_some() || inputs.stdin.bytes.is_some();
    if is_given || states.iter().any(reads) {
        bounds.push(match (&inputs.stdin.text, inputs.stdin.bytes) {
            (None, Some(0)) => "empty standard input".to_owned(),
            (Some(_), _) => "standard input as given".to_owned(),
            (None, Some(bytes)) => format!("standard input of exactly {bytes} bytes"),
            (None, None) => {
                let words = states.iter().any(|state| match &state.world.stdin {
                    Stdin::Typed(typed) => typed.has_words(),
                    Stdin::Bytes(_) => false,
                });
                inputs.stdin.bounds(words)
            }
        });
    }
    for (name, param) in &inputs.params {
        let value = (param.value, param.min, param.max);
        let size = param.string.map(|n| format!("{name} of up to {n} bytes"));
        let elements = param.elements.map(|n| format!("{name} of {n} elements"));
        bounds.extend(size.or(elements));
        match value {
            (Some(value), _, _) => bounds.push(format!("{name} = {value}")),
            (None, None, None) => {}
            (None, min, max) => {
                let least = min.map(|min| format!("{min} <= ")).unwrap_or_default();
                let most = max.map(|max| format!(" <= {max}")).unwrap_or_default();
                bounds.push(format!("{least}{name}{most}"));
            }
        }
    }
    for (place, argument) in (1..).zip(&inputs.args) {
        let (what, count) = match argument {
            ArgConfig::Text(_) => continue,
            ArgConfig::Symbolic { prefix, string, count } => {
                let behind = match prefix.is_empty() {
                    true => String::new(),
                    false => format!(" after {prefix:?}"),
                };
                (format!("of up to {string} bytes{behind}"), count)
            }
            ArgConfig::OneOf { one_of, count } => {
                let texts: Vec<String> = one_of.iter().map(|text| format!("{text:?}")).collect();
                (format!("of {}", texts.join(", ")), count)
            }
        };
        bounds.push(match count {
            None => format!("argument {place} {what}"),
            Some([least, most]) => {
                format!("{least} to {most} arguments {what}, from argument {place} on")
            }
        });
    }
    if asks.arguments && inputs.args.is_empty() {
        bounds.push("no arguments".into());
    }
    if asks.environment && inputs.env.is_empty() {
        bounds.push("no environment variables".into());
    }
    if asks.perror {
        bounds.push("standard error that can also be read, so that perror keeps errno".into());
    }
    if asks.no_code {
        bounds.push("an exit code of 0 where `main` returns nothing".into());
    }
    for (name, value) in &inputs.env {
        bounds.push(match value {
            ArgConfig::Text(text) => format!("{name}={text:?}"),
            ArgConfig::OneOf { .. } => unreachable!("refused when the subject was read"),
            ArgConfig::Symbolic { string, count, .. } => {
                let or_none = if *count == Some([0, 1]) { ", or not set" } else { "" };
                format!("{name} of up to {string} bytes{or_none}")
            }
        });
    }
    for (name, bytes) in &inputs.sym_files {
        bounds.push(format!("file {name} of exactly {bytes} bytes"));
    }
    if inputs.clock.is_some() {
        bounds.push(format!("a start at {} s since 1970", numbers(&times.clock)));
    }
    for (file, age) in &times.ages {
        bounds.push(format!("{file} last changed {} s before the start", numbers(age)));
    }
    if !exhausted {
        bounds.push("exploration was stopped before its end".into());
    }
    bounds
}

/// What a program asks its surroundings for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asks {
    /// Whether its `main` takes the arguments.
    arguments: bool,
    /// Whether it looks at environment variables.
    environment: bool,
    /// Whether it calls `perror`, which may change `errno` if standard error can only be written.
    perror: bool,
    /// Whether there is a `main` that returns no exit code, of some revision.
    no_code: bool,
}

/// What the name of a `main` begins with where those of other revisions have other types.
const WIDENED: &str = "psychic.main";

impl Asks {
    /// What a program that starts at `entry` asks for. The C library of a whole program asks for
    /// itself, so nothing is known about these.
    pub(super) fn of(module: &Module, entry: &str) -> Self {
        let of_name = |name: &str| module.functions.iter().find(|one| one.name == name);
        Self {
            arguments: of_name(entry).is_some_and(|main| !main.params.is_empty()),
            environment: of_name("getenv").is_some(),
            perror: of_name("perror").is_some(),
            no_code: module.functions.iter().any(|one| {
                let is_main = one.name == entry || one.name.starts_with(WIDENED);
                is_main && one.returns.is_empty() && !one.code.is_empty()
            }),
        }
    }
}

/// The bound under which every proof is vacuous.
pub(crate) const UNREACHED: &str = "no such input reaches what the patches change";

/// Says so if no path reaches what the patches change, and no path was left out: then pairs are
/// equivalent for that reason alone. `asks` says whether anything in the program asks for the
/// revision.
pub(super) fn unreached(
    asks: bool,
    states: &[HaltState],
    revisions: &[Revision],
    exhausted: &Exhausted,
) -> Option<String> {
    let is_unreached = asks
        && revisions.iter().all(|revision| exhausted.has(*revision))
        && states.iter().all(|state| !state.asked);
    is_unreached.then(|| UNREACHED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::config::StdinConfig;

    #[test]
    fn standard_input_that_is_given_is_a_bound_even_if_it_is_empty() {
        let of = |stdin: StdinConfig| {
            let inputs = InputsConfig { stdin, ..InputsConfig::default() };
            bounds(&inputs, &Times::default(), &[], true, Asks::default())
        };
        let bytes = |bytes| StdinConfig { bytes: Some(bytes), ..StdinConfig::default() };
        assert_eq!(of(bytes(0)), ["empty standard input"]);
        assert_eq!(of(bytes(2)), ["standard input of exactly 2 bytes"]);
        let text = StdinConfig { text: Some(String::new()), ..StdinConfig::default() };
        assert_eq!(of(text), ["standard input as given"]);
        assert_eq!(of(StdinConfig::default()), [""; 0]);
    }
}
