//! Tests of an entry function as one C file, which is a program that prints its results in the Test
//! Anything Protocol.

use std::{fmt::Write as _, path::Path};

use super::{
    TestInput, Visible,
    script::{visible, words},
    suite::{Case, Suite, Tested, call, ending},
};

/// The code that runs the tests and compares.
const DRIVER: &str = include_str!("suite/driver.c");
/// The most bytes of a string in one line.
const LINE: usize = 64;

/// The C file; `None` if the suite is one of a program.
pub fn c_suite(suite: &Suite) -> Option<String> {
    let Tested::Entry { harness } = &suite.tested else { return None };
    let (header, call) = call(harness, "SOURCE");
    let tests: String = suite.cases.iter().map(|case| test(case, suite)).collect();
    let seconds = suite.seconds;
    Some(format!(
        "{}{}#define PSYCHIC_SECONDS {seconds}\n\n{header}\n{}\n{call}",
        head(suite),
        source(&suite.root.join(suite.sources.first()?)),
        DRIVER.replace("  /* THE TESTS */\n", &tests)
    ))
}

/// The comment at the head of the file.
fn head(suite: &Suite) -> String {
    let root = suite.root.display();
    let others: Vec<String> =
        suite.sources.iter().skip(1).map(|source| source.display().to_string()).collect();
    let mut lines = suite.about.clone();
    lines.extend([
        String::new(),
        format!("In {root}, with this file as FILE.c:"),
        format!("  cc{} -o tests FILE.c{} -lm && ./tests", words(&suite.flags), words(&others)),
        "-DSOURCE='\"OTHER.c\"' tests another source.".into(),
    ]);
    let line = |line: &String| format!("{}\n", format!(" * {}", comment(line)).trim_end());
    format!("/*\n{} */\n", lines.iter().map(line).collect::<String>())
}

/// Says which source is tested, if nothing else does.
fn source(path: &Path) -> String {
    let is_named =
        |path: &&str| !path.contains(['"', '\\', '?']) && !path.contains(char::is_control);
    let default = match path.to_str().filter(is_named) {
        Some(path) => format!("#define SOURCE \"{path}\""),
        // No include can name it.
        None => "#error \"say -DSOURCE='\\\"FILE.c\\\"'\"".into(),
    };
    format!("#ifndef SOURCE\n{default}\n#endif\n")
}

/// One element of the table of tests.
fn test(case: &Case, suite: &Suite) -> String {
    let name = format!("test {}: {}", case.test, case.about);
    let mut lines = vec![format!("name = {}", string(plain(&name).as_bytes(), 4))];
    match suite.expected(case) {
        Ok(expected) => lines.extend(run(&case.input, expected, suite)),
        Err(why) => lines.push(format!("skip = {}", string(plain(why).as_bytes(), 4))),
    }
    let lines: String = lines.iter().map(|line| format!("    .{line},\n")).collect();
    format!("  {{\n{lines}  }},\n")
}

/// The input of a test, and the expected outcome.
fn run(input: &TestInput, expected: &Visible, suite: &Suite) -> Vec<String> {
    let text = |bytes: &[u8]| format!("{{{}, {}}}", bytes.len(), string(bytes, 4));
    let setting = |(name, value): (&String, &Vec<u8>)| {
        string(&[name.as_bytes(), b"=", value.as_slice()].concat(), 4) + ", "
    };
    let variables: String = input.variables(&suite.variables).iter().map(setting).collect();
    let (exit, signal) = ending(expected);
    let mut lines = vec![
        format!("inputs = {}", values(input.objects.iter().map(|(name, data)| (name, data)))),
        format!("variables = (char *const[]){{{variables}0}}"),
        format!("in = {}", text(input.stdin.as_deref().unwrap_or_default())),
        format!("outputs = {}", values(expected.outputs.iter())),
    ];
    lines.extend(expected.stdout.as_ref().map(|bytes| format!("out = {}", text(bytes))));
    lines.extend(expected.stderr.as_ref().map(|bytes| format!("err = {}", text(bytes))));
    lines.extend(exit.map(|code| format!("exit = {code}")));
    lines.extend(signal.map(|signal| format!("signal = {signal}")));
    lines
}

/// A list of values by their names.
fn values<'a>(values: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> String {
    let mut text = "(const struct psychic_value[]){".to_owned();
    for (name, bytes) in values {
        _ = write!(
            text,
            "\n      {{{}, {}, {}}},",
            string(name.as_bytes(), 8),
            bytes.len(),
            string(bytes, 8)
        );
    }
    text + " {0}}"
}

/// Bytes as a string literal, in lines that are indented by `indent` if it is long.
fn string(bytes: &[u8], indent: usize) -> String {
    let mut text = String::from("\"");
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 && index % LINE == 0 {
            _ = write!(text, "\"\n{}\"", " ".repeat(indent + 2));
        }
        match byte {
            b'"' | b'\\' => _ = write!(text, "\\{}", char::from(*byte)),
            b'\n' => text.push_str("\\n"),
            // Two of them may begin a trigraph.
            b' '..=b'~' if *byte != b'?' => text.push(char::from(*byte)),
            byte => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text + "\""
}

/// A text as the Test Anything Protocol has it in a line: `#` begins what is not part of it.
fn plain(text: &str) -> String {
    visible(text).replace('#', "\\#")
}

/// A text as a line of a comment.
fn comment(text: &str) -> String {
    visible(text).replace("*/", "*\\/")
}
