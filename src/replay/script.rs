//! Tests as shell scripts, which need nothing of Psychic: for a bug report, a debugger, or a
//! regression test.
//!
//! A script runs a program that its user names on the input of one test, in a new directory, with
//! no environment variables but those of the test. For an entry function it compiles the source
//! that its user names, together with the harness and `script/psychic.h`. It says what it runs; it
//! does not judge. Unlike a native run of ours it neither confines the program nor zeroes memory.

use std::fmt::Write as _;

use super::TestInput;

/// What a script compiles to call an entry function: what the harness calls, less the input and
/// the ways out.
const HEADER: &str = include_str!("script/psychic.h");

/// How the programs of a subject are run.
#[derive(Clone, Copy, Debug)]
pub enum Runs<'a> {
    /// As programs.
    Program {
        /// The environment variables, as in [`Binaries::variables`](super::Binaries::variables).
        variables: &'a [(String, Option<Vec<u8>>)],
        /// Whether there are given files in the directory that a program starts in.
        has_files: bool,
    },
    /// By a call of a function.
    Entry {
        /// The C text that includes `source.c` and calls the function (`compile::harness`).
        harness: &'a str,
        /// Compiler flags.
        flags: &'a [String],
    },
}

/// The shell script that runs a test; `None` if the program makes input itself
/// (`psychic_symbolic`), which only our runtime can give it. `about` are lines for its head, in
/// which nothing is invisible, and `name` is its own name.
pub fn script(test: &TestInput, runs: Runs<'_>, name: &str, about: &[String]) -> Option<String> {
    let (arguments, does, body) = match runs {
        Runs::Program { variables, has_files: true } => (
            "PROGRAM DIRECTORY",
            "Runs a program in a copy of a directory",
            program(test, variables, true)?,
        ),
        Runs::Program { variables, has_files: false } => {
            ("PROGRAM", "Runs a program in an empty directory", program(test, variables, false)?)
        }
        Runs::Entry { harness, flags } => (
            "SOURCE.c [COMPILER ARGUMENTS]",
            "Compiles a source with $CC or cc, and calls the function",
            entry(test, harness, flags),
        ),
    };
    let comment = |line: &String| format!("{}\n", format!("# {line}").trim_end());
    let about: String = about.iter().map(comment).collect();
    let least = arguments.split(" [").next().map_or(0, |needed| needed.split(' ').count());
    Some(format!(
        "#!/bin/sh\n{about}#\n# Usage: {name} {arguments}\n# {does}.\n\n\
         if [ $# -lt {least} ]; then\n  sed -n '/^$/q; 2,$s/^# \\{{0,1\\}}//p' \"$0\" >&2\n  \
         exit 125\nfi\n{BEGIN}{body}"
    ))
}

/// Finds the file that the user names, and makes a directory to work in.
const BEGIN: &str = "\
    file=$(cd \"$(dirname \"$1\")\" && pwd)/$(basename \"$1\")\n\
    [ -f \"$file\" ] || { echo \"$0: $1: no such file\" >&2; exit 125; }\n\
    work=$(mktemp -d) || exit 125\n\
    trap 'rm -rf \"$work\"' EXIT\n\
    mkdir \"$work/start\"\n";

/// Names under which a shell finds programs, or that it sets itself.
const OF_SHELL: [&str; 5] = ["PATH", "PWD", "OLDPWD", "SHLVL", "_"];

fn program(
    test: &TestInput,
    variables: &[(String, Option<Vec<u8>>)],
    has_files: bool,
) -> Option<String> {
    if !test.objects.iter().all(|(name, _)| TestInput::is_of_surroundings(name)) {
        return None;
    }
    let mut body = String::new();
    if has_files {
        body.push_str("cp -R \"$2\"/. \"$work/start\" || exit 125\n");
    }
    let mut command_line = test.command_line().into_iter();
    let told = command_line.next().filter(|name| is_bare(name));
    let name = told.map_or_else(|| "program".to_owned(), |name| word(&name));
    _ = writeln!(body, "mkdir \"$work/bin\"\nln -s \"$file\" \"$work/bin/\"{name}");
    body.push_str("cd \"$work/start\" || exit 125\n");
    for (file, bytes) in test.files() {
        _ = writeln!(body, "printf {} >./{}", format(bytes), word(file.as_bytes()));
    }
    body.push_str(&stdin(test));
    let mut words = String::new();
    for (number, argument) in command_line.enumerate() {
        words.push_str(&format!(" {}", value(&mut body, &format!("arg{number}"), &argument)));
    }
    _ = writeln!(body, "set --{words}");
    let mut settings = String::new();
    let variables = test.variables(variables);
    for (number, (name, bytes)) in variables.iter().enumerate() {
        let value = value(&mut body, &format!("env{number}"), bytes);
        settings.push_str(&format!(" {name}={value}"));
    }
    // A shell finds the program by its bare name, which is then what the program is told.
    let run = match OF_SHELL.iter().any(|name| variables.contains_key(*name)) {
        true => format!("\"$work/bin/\"{name}"),
        false => format!(
            "sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec \"$@\"' sh \"$work/bin\" {name}"
        ),
    };
    _ = writeln!(body, "env -i{settings} {run} \"$@\" <\"$work/stdin\"");
    Some(body)
}

/// Whether a text can be the name of a file that a shell finds as a program.
fn is_bare(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+".contains(byte);
    !name.is_empty() && name.iter().all(is_plain) && !name.iter().all(|byte| *byte == b'.')
}

fn entry(test: &TestInput, harness: &str, flags: &[String]) -> String {
    let mut inputs = String::new();
    for (name, bytes) in &test.objects {
        let text: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
        _ = writeln!(inputs, "  {{\"{name}\", {}, \"{text}\"}},", bytes.len());
    }
    let header = HEADER.replace("  /* THE INPUT */\n", &inputs);
    let mut body = "shift\nln -s \"$file\" \"$work/source.c\"\n".to_owned();
    for (name, text) in [("psychic.h", &*header), ("test.c", harness)] {
        _ = writeln!(body, "cat >\"$work/{name}\" <<'PSYCHIC'\n{text}PSYCHIC");
    }
    let flags: String = flags.iter().map(|flag| format!("{} ", word(flag.as_bytes()))).collect();
    _ = writeln!(
        body,
        "\"${{CC:-cc}}\" -w {flags}-I\"$work\" -iquote \"${{file%/*}}\" -o \"$work/test\" \
         \"$work/test.c\" \"$@\" -lm || exit 125"
    );
    body + &stdin(test) + "cd \"$work/start\" && \"$work/test\" <\"$work/stdin\"\n"
}

/// The line that puts standard input into a file.
fn stdin(test: &TestInput) -> String {
    format!("printf {} >\"$work/stdin\"\n", format(test.stdin.as_deref().unwrap_or_default()))
}

/// Visible bytes as one word of the shell.
fn word(bytes: &[u8]) -> String {
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@%".contains(byte);
    let text = String::from_utf8_lossy(bytes);
    match !bytes.is_empty() && bytes.iter().all(is_safe) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Any bytes as a format for which `printf` prints them.
fn format(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'%' => text.push_str("%%"),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\'' => text.push_str("'\\''"),
            // A format that begins with it would be an option.
            b'-' if index == 0 => text.push_str("\\055"),
            b' '..=b'~' => text.push(char::from(*byte)),
            byte => _ = write!(text, "\\{byte:03o}"),
        }
    }
    format!("'{text}'")
}

/// Any bytes but NUL as one word. If some are invisible, a line is added to `body` that sets the
/// variable `name` to them. The shell drops newlines at the end of what a command prints, so a
/// letter comes after them.
fn value(body: &mut String, name: &str, bytes: &[u8]) -> String {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return word(bytes);
    }
    let format = format(&[bytes, b"x"].concat());
    _ = writeln!(body, "{name}=$(printf {format}); {name}=${{{name}%x}}");
    format!("\"${name}\"")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use super::*;

    fn printed(script: &str, arguments: &[&Path]) -> Vec<u8> {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().join("t.sh");
        fs::write(&place, script).unwrap();
        let output = Command::new("sh").arg(&place).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    #[test]
    fn all_bytes_come_through() {
        let all: Vec<u8> = (0..=255).rev().collect();
        let objects = vec![("it's-data".to_owned(), all.clone())];
        let args = [b"program".to_vec(), b"--".to_vec(), b"it's".to_vec(), b"-".to_vec()].to_vec();
        let test = TestInput { args, stdin: Some(all.clone()), objects };
        let runs = Runs::Program { variables: &[], has_files: false };
        let script = script(&test, runs, "0001.sh", &["Test 1".to_owned()]).unwrap();
        assert_eq!(printed(&script, &[Path::new("/bin/cat")]), [&all[..], &all].concat());
    }

    #[test]
    fn a_copy_of_the_given_files_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("given"), "known").unwrap();
        let args = [&b"a/b"[..], b"given"].map(<[u8]>::to_vec).to_vec();
        let test = TestInput { args, ..TestInput::default() };
        let variables = [("PATH".to_owned(), Some(b"/nowhere".to_vec()))];
        let runs = Runs::Program { variables: &variables, has_files: true };
        let script = script(&test, runs, "0001.sh", &[]).unwrap();
        assert_eq!(printed(&script, &[Path::new("/bin/cat"), scratch.path()]), b"known");
    }

    #[test]
    fn what_only_our_runtime_can_give_has_no_script() {
        let objects = vec![("x".to_owned(), vec![1, 0, 0, 0])];
        let test = TestInput { objects, ..TestInput::default() };
        let runs = Runs::Program { variables: &[], has_files: false };
        assert_eq!(script(&test, runs, "0001.sh", &[]), None);
    }
}
