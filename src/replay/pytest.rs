//! Tests as one Python file for pytest.

use std::{fmt::Write as _, path::Path};

use super::{
    TestInput, Visible,
    script::comment,
    suite::{Case, Suite, Tested, call, ending},
};
use crate::subject::{FileState, GivenFile};

/// The code that tests of functions and tests of programs have in common.
const COMMON: &str = include_str!("suite/common.py");
/// How functions are called.
const ENTRY: &str = include_str!("suite/entry.py");
/// How programs are run.
const PROGRAM: &str = include_str!("suite/program.py");

/// The Python file.
pub fn pytest(suite: &Suite) -> String {
    let mut text = head(suite) + "\n";
    let (runner, imports) = match &suite.tested {
        Tested::Entry { .. } => {
            (ENTRY, "import ctypes\nimport faulthandler\nimport signal\nimport sys\n")
        }
        Tested::Program { .. } => (PROGRAM, ""),
    };
    _ = writeln!(text, "{imports}{COMMON}\n");
    _ = writeln!(text, "ROOT = os.path.abspath(os.environ.get(\"ROOT\", {}))", path(&suite.root));
    _ = writeln!(text, "SOURCES = {}", list(suite.sources.iter().map(|source| path(source))));
    _ = writeln!(text, "FLAGS = {}", list(suite.flags.iter().map(|flag| string(flag))));
    let [stdout, stderr] = suite.counts.map(|counts| if counts { "True" } else { "False" });
    _ = writeln!(text, "STDOUT, STDERR = {stdout}, {stderr}  # Whether they count.");
    _ = writeln!(text, "SECONDS = {}", suite.seconds);
    match &suite.tested {
        Tested::Entry { harness } => {
            let (header, call) = call(harness, "\"source.c\"");
            // The functions that it defines do not depend on what the source defines.
            let call = format!("#include \"psychic.h\"\n{call}");
            _ = writeln!(text, "HEADER = {}", lines(header));
            _ = writeln!(text, "CALL = {}", lines(&call));
        }
        Tested::Program { files, .. } => _ = writeln!(text, "FILES = {}", given(files)),
    }
    _ = write!(text, "\n\n{runner}");
    for case in &suite.cases {
        text.push_str(&test(case, suite));
    }
    text
}

/// The comment at the head of the file.
fn head(suite: &Suite) -> String {
    let mut about = suite.about.clone();
    let other = match &suite.tested {
        Tested::Entry { .. } => "$ROOT is the directory of other sources to test, if it is set.",
        Tested::Program { .. } => {
            "$ROOT is the directory of other sources to test, and $PROGRAM another program, if set."
        }
    };
    about.extend([String::new(), other.to_owned()]);
    comment(&about)
}

/// The function of one test.
fn test(case: &Case, suite: &Suite) -> String {
    let head = |argument: &str| {
        format!("def test_{:04}({argument}):\n    {}\n", case.test.0, string(&case.about))
    };
    match suite.expected(case) {
        Ok(expected) => {
            let input = match &suite.tested {
                Tested::Entry { .. } => entry(&case.input, suite),
                Tested::Program { .. } => program(&case.input, suite),
            };
            let expected = outcome(expected);
            format!("\n\n{}    assert run({input}) == Outcome({expected})\n", head("run"))
        }
        Err(why) => format!("\n\n@pytest.mark.skip(reason={})\n{}", string(why), head("")),
    }
}

/// The arguments of a call.
fn entry(input: &TestInput, suite: &Suite) -> String {
    let variables = input.variables(&suite.variables);
    let setting = |(name, value): (&String, &Vec<u8>)| {
        bytes(&[name.as_bytes(), b"=", value.as_slice()].concat())
    };
    let variables = match variables.is_empty() {
        true => String::new(),
        false => format!(", variables={}", list(variables.iter().map(setting))),
    };
    let objects = input.objects.iter().map(|(name, data)| (name, bytes(data)));
    format!("{}{}{variables}", dictionary(objects), stdin(input))
}

/// The arguments of a run.
fn program(input: &TestInput, suite: &Suite) -> String {
    let variables = input.variables(&suite.variables);
    let variables = match variables.is_empty() {
        true => String::new(),
        false => {
            let variables = variables.iter().map(|(name, value)| (name, bytes(value)));
            format!(", variables={}", dictionary(variables))
        }
    };
    let files = match &input.given_files()[..] {
        [] => String::new(),
        files => format!(", files={}", given(files)),
    };
    let arguments = list(input.command_line().iter().map(|word| bytes(word)));
    format!("{arguments}{}{variables}{files}", stdin(input))
}

fn stdin(input: &TestInput) -> String {
    match input.stdin.as_deref() {
        None | Some([]) => String::new(),
        Some(stdin) => format!(", stdin={}", bytes(stdin)),
    }
}

/// The fields of an outcome that differ from the usual ones.
fn outcome(expected: &Visible) -> String {
    let (exit, signal) = ending(expected);
    let mut fields = Vec::new();
    fields.extend(exit.map(|code| format!("exit={code}")));
    fields.extend(signal.map(|signal| format!("signal={signal}")));
    fields.extend(expected.stdout.as_ref().map(|text| format!("stdout={}", bytes(text))));
    fields.extend(expected.stderr.as_ref().map(|text| format!("stderr={}", bytes(text))));
    if !expected.outputs.is_empty() {
        let outputs = expected.outputs.iter().map(|(name, data)| (name, bytes(data)));
        fields.push(format!("outputs={}", dictionary(outputs)));
    }
    if !expected.files.is_empty() {
        let files = expected.files.iter().map(|(path, left)| (path, state(left)));
        fields.push(format!("files={}", dictionary(files)));
    }
    fields.join(", ")
}

/// The state of a file that a program finds or leaves.
fn state(state: &FileState) -> String {
    match state {
        FileState::Directory { permissions } => format!("(\"directory\", 0o{permissions:03o})"),
        FileState::Regular { permissions, bytes: content } => {
            format!("(\"file\", 0o{permissions:03o}, {})", bytes(content))
        }
        FileState::Link(target) => format!("(\"link\", {})", bytes(target)),
        FileState::HardLink(first) => format!("(\"hard link\", {})", string(first)),
        FileState::Removed => "None".into(),
    }
}

/// Files by their paths, as a program finds them.
fn given(files: &[GivenFile]) -> String {
    dictionary(files.iter().map(|file| (&file.path, state(&file.content.state()))))
}

/// Expressions as a list.
fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(", "))
}

/// Expressions by their names as a dictionary.
fn dictionary<'a>(entries: impl Iterator<Item = (&'a String, String)>) -> String {
    let entry = |(name, value): (&String, String)| format!("{}: {value}", string(name));
    format!("{{{}}}", entries.map(entry).collect::<Vec<_>>().join(", "))
}

/// Bytes as a literal.
fn bytes(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}

/// A text as a literal.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            ' '..='~' => literal.push(c),
            // One that is printed as it is.
            c if !c.is_ascii() && c.escape_debug().len() == 1 => literal.push(c),
            c => _ = write!(literal, "\\U{:08x}", u32::from(c)),
        }
    }
    literal + "\""
}

/// A long text as a literal, with a line for each of its lines.
fn lines(text: &str) -> String {
    let lines: String =
        text.split_inclusive('\n').map(|line| format!("    {}\n", string(line))).collect();
    format!("(\n{lines})")
}

/// A path as an expression.
fn path(path: &Path) -> String {
    match path.to_str() {
        Some(path) => string(path),
        None => format!("os.fsdecode({})", bytes(path.as_os_str().as_encoded_bytes())),
    }
}
