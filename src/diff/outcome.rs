//! Outcomes of halt states: when two of them differ, and what a single one is under an assignment.

use std::{collections::BTreeMap, sync::Arc};

use super::text::{self, Difference};
use crate::{
    env::{Halt, NamedOutput, kernel::files::FileStates},
    errors::Error,
    exec::HaltState,
    expr::{Assignment, ExprId, Exprs},
    memory::Byte,
    replay::{self, Finding, Outcome, Termination, Visible},
    subject::{FileState, changed_files, config::OutputsConfig},
};

const SIGABRT: i32 = 6;
const SIGILL: i32 = 4;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// How closely texts are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Precision {
    /// Without looking into the digits of numbers.
    Quick,
    /// Down to single digits where it matters.
    Full,
}

/// The condition under which the outcomes of two exact halt states visibly differ.
pub(super) fn difference(
    exprs: &Exprs,
    config: &OutputsConfig,
    a: &HaltState,
    b: &HaltState,
    precision: Precision,
) -> Difference {
    let texts = match precision {
        Precision::Quick => text::quick_difference,
        Precision::Full => text::difference,
    };
    let always = Difference { formula: exprs.bool(true), exact: true };
    let mut differences = Vec::new();
    match (&a.halt, &b.halt) {
        (Halt::Exit(x), Halt::Exit(y)) => {
            differences.push(Difference { formula: exprs.ne(*x, *y), exact: true });
        }
        (x, y) => {
            let shown = |state| ending(state).map(|(how, found)| (how, found.map(|f| f.kind)));
            if x != y && (shown(a).is_none() || shown(a) != shown(b)) {
                return always;
            }
        }
    }
    if ends_by_itself(&a.halt) && a.world.findings != b.world.findings {
        return always;
    }
    let (x, y) = (numbered(&a.world.outputs), numbered(&b.world.outputs));
    if !x.keys().eq(y.keys()) && a.halt != Halt::Hang {
        return always;
    }
    if config.stdout {
        differences.push(texts(exprs, &a.world.stdout, &b.world.stdout));
    }
    if config.stderr {
        differences.push(texts(exprs, &a.world.stderr, &b.world.stderr));
    }
    if a.halt != Halt::Hang {
        let [left, right] = [a, b].map(|state| state.world.kernel.files.states());
        let Some(contents) = contents_of_alike(&left, &right) else { return always };
        let outputs = x.iter().map(|(name, bytes)| (*bytes, y[name]));
        for (left, right) in outputs.chain(contents) {
            if left.len() != right.len() {
                return always;
            }
            if left == right {
                continue;
            }
            for (left, right) in words(exprs, left).into_iter().zip(words(exprs, right)) {
                differences.push(Difference { formula: exprs.ne(left, right), exact: true });
            }
        }
    }
    Difference {
        formula: exprs.any(differences.iter().map(|d| d.formula)),
        exact: differences.iter().all(|d| d.exact),
    }
}

/// A condition under which two states that end alike certainly show different texts. It is meant
/// for states for which [`difference`] is not exact.
pub(super) fn certain_difference(
    exprs: &Exprs,
    config: &OutputsConfig,
    a: &HaltState,
    b: &HaltState,
) -> ExprId {
    let texts = [(config.stdout, &a.world.stdout, &b.world.stdout)];
    let texts = texts.into_iter().chain([(config.stderr, &a.world.stderr, &b.world.stderr)]);
    let shown = texts.filter(|(is_shown, ..)| *is_shown);
    exprs.any(shown.map(|(_, a, b)| text::certain_difference(exprs, a, b)))
}

/// The pairs of contents of the regular files of two states; `None` if the files differ in anything
/// else.
fn contents_of_alike<'a>(
    left: &'a FileStates,
    right: &'a FileStates,
) -> Option<Vec<(&'a [Byte], &'a [Byte])>> {
    if !left.keys().eq(right.keys()) {
        return None;
    }
    let mut contents = Vec::new();
    for (x, y) in left.values().zip(right.values()) {
        match (x, y) {
            (
                FileState::Regular { permissions: p, bytes: x },
                FileState::Regular { permissions: q, bytes: y },
            ) if p == q => contents.push((&x[..], &y[..])),
            _ if x == y => {}
            _ => return None,
        }
    }
    Some(contents)
}

/// The outputs by name. A repeated name is numbered as the replay does.
fn numbered(outputs: &[NamedOutput]) -> BTreeMap<String, &[Byte]> {
    replay::numbered(outputs.iter().map(|output| (&*output.name, &output.bytes[..])))
}

/// The bytes joined to words of eight, which keeps whole variables whole.
fn words(exprs: &Exprs, bytes: &[Byte]) -> Vec<ExprId> {
    bytes
        .chunks(8)
        .map(|chunk| {
            let bytes = chunk.iter().map(|byte| byte_expr(exprs, *byte));
            bytes.reduce(|low, high| exprs.concat(high, low)).expect("a chunk is not empty")
        })
        .collect()
}

fn byte_expr(exprs: &Exprs, byte: Byte) -> ExprId {
    match byte {
        Byte::Concrete(value) => exprs.constant(8, u64::from(value)),
        Byte::Symbolic(expr) => expr,
        Byte::Uninitialised => unreachable!("only exact states are compared"),
    }
}

/// Whether the error that ends a path of a whole program is one that the processor reports by a
/// signal.
pub(super) fn crashes(state: &HaltState) -> bool {
    matches!(state.halt, Halt::Error(_)) && matches!(ending(state), Some((_, None)))
}

/// Whether the error that ends a path of a whole program is one that the processor reports by a
/// signal ([`crashes`]), and the program has a handler for it.
pub(super) fn is_caught(state: &HaltState) -> bool {
    crashes(state)
        && matches!(ending(state), Some((Termination::Signal(signal), _))
            if state.world.kernel.handles(signal as u64))
}

/// Whether findings after which a run went on are part of what it shows ([`Visible::noted`]).
fn ends_by_itself(halt: &Halt) -> bool {
    !matches!(halt, Halt::Error(_) | Halt::Hang)
}

/// How a native run ends if the path did not end by `exit`; `None` if that is not known.
fn ending(state: &HaltState) -> Option<(Termination, Option<Finding>)> {
    let signal = |number| Some((Termination::Signal(number), None));
    match &state.halt {
        Halt::Abort => signal(SIGABRT),
        Halt::Signal(number) => signal(i32::from(*number)),
        Halt::Trap(_) => signal(SIGILL),
        // In a whole program, nothing notices these errors before the processor does.
        Halt::Error(Error::NullDereference) if state.world.is_whole => signal(SIGSEGV),
        Halt::Error(Error::DivisionByZero) if state.world.is_whole => signal(SIGFPE),
        Halt::Error(error) => {
            let finding = Finding { kind: (*error).into(), detail: error.to_string() };
            Some((Termination::Signal(SIGABRT), Some(finding)))
        }
        Halt::Hang => Some((Termination::Timeout, None)),
        Halt::Exit(_)
        | Halt::Silent
        | Halt::Outside
        | Halt::Malformed
        | Halt::Unaffected
        | Halt::Incomplete(_) => None,
    }
}

/// The outcome of a native run of the state under an assignment that satisfies its path; `None` if
/// the state does not predict it exactly.
pub fn predicted(exprs: &Exprs, state: &HaltState, model: &Assignment) -> Option<Outcome> {
    if !state.is_predictable() {
        return None;
    }
    let (termination, finding) = match &state.halt {
        Halt::Exit(code) => {
            let code = exprs.evaluate(*code, model).to_u64().expect("8 bits");
            (Termination::Exit(code as u8), None)
        }
        _ => ending(state)?,
    };
    let value = |byte: &Byte| match byte {
        Byte::Concrete(value) => *value,
        byte => exprs.evaluate(byte_expr(exprs, *byte), model).to_u64().expect("8 bits") as u8,
    };
    let values = |bytes: &[Byte]| bytes.iter().map(value).collect::<Vec<u8>>();
    let files = &state.world.kernel.files;
    let [start, left] = [files.start().clone(), files.states()].map(|files| {
        let concrete = |(path, state): (String, FileState<Arc<Vec<Byte>>>)| {
            (path, state.map(|bytes| values(&bytes)))
        };
        files.into_iter().map(concrete).collect::<BTreeMap<_, _>>()
    });
    Some(Outcome {
        stdout: state.world.stdout.render(exprs, model),
        stderr: state.world.stderr.render(exprs, model),
        termination,
        noted: state.world.findings.clone(),
        unsteady: false,
        outputs: numbered(&state.world.outputs)
            .into_iter()
            .map(|(name, bytes)| (name, values(bytes)))
            .collect(),
        files: changed_files(start, left),
        finding,
    })
}

/// One line on how a native run differed from its prediction; `None` if it did not.
pub fn mismatch(predicted: &Outcome, shown: &Outcome) -> Option<String> {
    let all = OutputsConfig::default();
    let (expected, visible) = (predicted.visible(&all), shown.visible(&all));
    (expected != visible).then(|| explain(&expected, &visible, shown))
}

/// The name of the first output in which two outcomes differ.
pub(super) fn first_difference(a: &Visible, b: &Visible) -> Option<String> {
    if a == b {
        return None;
    }
    if (a.finding, &a.noted) != (b.finding, &b.noted) {
        return Some("finding".into());
    }
    if a.stdout != b.stdout {
        return Some("stdout".into());
    }
    let keys = |v: &Visible| v.outputs.keys().cloned().collect::<Vec<_>>();
    let names = keys(a).into_iter().chain(keys(b));
    if let Some(name) = names.into_iter().find(|n| a.outputs.get(n) != b.outputs.get(n))
        && a.termination == b.termination
    {
        return Some(name);
    }
    if a.termination != b.termination {
        return Some("exit".into());
    }
    Some(if a.stderr == b.stderr { "files" } else { "stderr" }.into())
}

/// One line on how a native run differed from its prediction.
pub(super) fn explain(predicted: &Visible, shown: &Visible, outcome: &Outcome) -> String {
    let ending = |v: &Visible| match (&v.finding, &v.termination) {
        (Some(kind), _) => kind.to_string(),
        (None, Some(termination)) if !v.noted.is_empty() => {
            let noted: Vec<String> = v.noted.iter().map(ToString::to_string).collect();
            format!("{} and {termination}", noted.join(", "))
        }
        (None, Some(termination)) => termination.to_string(),
        (None, None) => "no end".into(),
    };
    let output = first_difference(predicted, shown).unwrap_or_default();
    let detail = outcome.finding.as_ref().map(|f| format!(" ({})", f.detail)).unwrap_or_default();
    let text = |bytes: Option<&Vec<u8>>| {
        format!(
            ", {output} \"{}\"",
            bytes.map(|b| b.escape_ascii().to_string()).unwrap_or_default()
        )
    };
    let file = || {
        let mut paths = predicted.files.keys().chain(shown.files.keys());
        paths.find(|path| predicted.files.get(*path) != shown.files.get(*path))
    };
    let more = |of: &Visible| match output.as_str() {
        "finding" | "exit" => String::new(),
        "stdout" => text(of.stdout.as_ref()),
        "stderr" => text(of.stderr.as_ref()),
        "files" => {
            file().map(|path| format!(", {path} {:?}", of.files.get(path))).unwrap_or_default()
        }
        name => text(of.outputs.get(name)),
    };
    format!(
        "{output}: predicted {}{}; the native run gave {}{detail}{}",
        ending(predicted),
        more(predicted),
        ending(shown),
        more(shown),
    )
}
