//! Tests as shell scripts, which need nothing of Psychic: for a bug report, a debugger, or a
//! regression test.
//!
//! A script runs a program that its user names on the input of one test, in a new directory, with
//! no environment variables but those of the test. For an entry function it compiles the source
//! that its user names, together with the harness and `script/psychic.h`. It says what it runs; it
//! does not judge. Unlike a native run of ours it neither confines the program nor zeroes memory.

use std::fmt::Write as _;

use super::TestInput;
use crate::subject::Times;

/// The header with what the harness of an entry function calls. A script puts the input of its test
/// into it.
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
        /// The names of the files that a test gives.
        symbolic_files: &'a [String],
        /// When the program starts, and how old its files are then.
        times: &'a Times,
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
/// (`psychic_symbolic`), which only our runtime can give it, starts at a certain time, or has a
/// variable that no shell can set.
/// `about` are lines for its head, and `name` is its own name.
pub fn script(test: &TestInput, runs: Runs<'_>, name: &str, about: &[String]) -> Option<String> {
    let mut usage = Vec::new();
    let (arguments, does, body) = match runs {
        Runs::Program { has_files: true, .. } => {
            ("PROGRAM DIRECTORY", "Runs a program in a copy of a directory.", program(test, runs)?)
        }
        Runs::Program { .. } => {
            ("PROGRAM", "Runs a program in an empty directory.", program(test, runs)?)
        }
        Runs::Entry { harness, flags } => {
            let flags = words(flags);
            if !flags.is_empty() {
                usage
                    .push(format!("The subject's flags are in force, as in its directory:{flags}"));
            }
            let does = "Compiles a source with $CC or cc, and calls the function.";
            ("SOURCE.c [COMPILER ARGUMENTS]", does, entry(test, harness, &flags))
        }
    };
    let [about, usage] = [about, &usage].map(comment);
    let least = arguments.split(" [").next().map_or(0, |needed| needed.split(' ').count());
    Some(format!(
        "#!/bin/sh\n{about}#\n# Usage: {name} {arguments}\n# {does}\n{usage}\n\
         if [ $# -lt {least} ]; then\n  sed -n '/^$/q; 2,$s/^# \\{{0,1\\}}//p' \"$0\" >&2\n  \
         exit 125\nfi\n{BEGIN}{body}"
    ))
}

/// Lines as a comment of the shell, or of Python.
pub(super) fn comment(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\n", format!("# {}", visible(line)).trim_end())).collect()
}

/// A text with control characters escaped: whatever a program calls its outputs, its line stays
/// one.
pub(super) fn visible(line: &str) -> String {
    let seen = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    line.chars().map(seen).collect()
}

/// Finds the file that the user names, and makes a directory to work in.
const BEGIN: &str = "\
    place() { CDPATH= cd -- \"$1\" && pwd; }\n\
    file=$(place \"$(dirname -- \"$1\")\")/$(basename -- \"$1\")\n\
    [ -f \"$file\" ] || { echo \"$0: $1: no such file\" >&2; exit 125; }\n\
    work=$(mktemp -d) && work=$(place \"$work\") || exit 125\n\
    trap 'rm -rf \"$work\"' EXIT\n\
    trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM\n\
    mkdir \"$work/start\" || exit 125\n";

/// Variables that shells set or use themselves, beside those that begin with `BASH`.
const OF_SHELL: [&str; 45] = [
    "CDPATH",
    "COLUMNS",
    "DIRSTACK",
    "ENV",
    "EUID",
    "FCEDIT",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HISTFILE",
    "HISTSIZE",
    "HOME",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "MAIL",
    "MAILCHECK",
    "MAILPATH",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "TERM",
    "TIMEFORMAT",
    "UID",
    "_",
];

fn program(test: &TestInput, runs: Runs<'_>) -> Option<String> {
    let Runs::Program { variables, has_files, symbolic_files, times } = runs else { return None };
    let given =
        is_given(test, variables, symbolic_files, times) && times.clock == Times::default().clock;
    let variables = test.variables(variables);
    let is_option = |name: &String| name.is_empty() || name.starts_with('-');
    if !given || variables.keys().any(is_option) {
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
        _ = writeln!(body, "printf {} >./{} || exit 125", format(bytes), word(file.as_bytes()));
    }
    if !times.ages.is_empty() {
        body.push_str("now=$(date +%s)\n");
    }
    for (file, age) in &times.with(|name| test.object(name)).ages {
        let (age, file) = (age.start(), word(file.as_bytes()));
        _ = writeln!(body, "touch -h -d \"@$((now - {age}))\" ./{file} || exit 125");
    }
    body.push_str(&stdin(test));
    let mut words = String::new();
    for (number, argument) in command_line.enumerate() {
        words.push_str(&format!(" {}", value(&mut body, &format!("arg{number}"), &argument)));
    }
    _ = writeln!(body, "set --{words}");
    let mut settings = String::new();
    for (number, (name, bytes)) in variables.iter().enumerate() {
        let value = value(&mut body, &format!("env{number}"), bytes);
        settings.push_str(&format!(" {}={value}", word(name.as_bytes())));
    }
    // A shell finds the program by its bare name, which is then what the program is told.
    let run = match !variables.keys().all(|name| is_passed_on(name)) {
        true => format!("\"$work/bin/\"{name}"),
        false => format!(
            "sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec \"$@\"' sh \"$work/bin\" {name}"
        ),
    };
    _ = writeln!(body, "env -i{settings} {run} \"$@\" <\"$work/stdin\"");
    Some(body)
}

/// Whether all of a program's input is given from outside, and nothing is made by the program
/// itself (`psychic_symbolic`).
pub(super) fn is_given(
    test: &TestInput,
    variables: &[(String, Option<Vec<u8>>)],
    symbolic_files: &[String],
    times: &Times,
) -> bool {
    let is_given = |name: &str| match (name.strip_suffix("-data"), name.strip_suffix("-env")) {
        (Some(file), _) => symbolic_files.iter().any(|known| known == file),
        (_, Some(variable)) => variables.iter().any(|(known, _)| known == variable),
        (None, None) => {
            TestInput::is_of_command_line(name)
                || name.ends_with("-env-count")
                || times.objects().any(|(known, _)| known == name)
        }
    };
    test.objects.iter().all(|(name, _)| is_given(name))
}

/// Whether a shell passes a variable on as it is.
fn is_passed_on(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.starts_with(|c: char| c.is_ascii_digit());
    name.bytes().all(is_plain) && !begins && !name.starts_with("BASH") && !OF_SHELL.contains(&name)
}

/// Whether a text can be the name of a file that a shell finds as a program.
fn is_bare(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+".contains(byte);
    !name.is_empty() && name.iter().all(is_plain) && !name.iter().all(|byte| *byte == b'.')
}

fn entry(test: &TestInput, harness: &str, flags: &str) -> String {
    let mut inputs = String::new();
    let text = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>();
    for (name, bytes) in &test.objects {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let name = if name.bytes().all(is_plain) { name.clone() } else { text(name.as_bytes()) };
        _ = writeln!(inputs, "  {{\"{name}\", {}, \"{}\"}},", bytes.len(), text(bytes));
    }
    let header = HEADER.replace("  /* THE INPUT */\n", &inputs);
    let mut body = "shift\nln -s \"$file\" \"$work/source.c\"\n".to_owned();
    for (name, text) in [("psychic.h", &*header), ("test.c", harness)] {
        _ = writeln!(body, "cat >\"$work/{name}\" <<'PSYCHIC'\n{text}PSYCHIC");
    }
    _ = writeln!(
        body,
        "${{CC:-cc}} -w{flags} -I\"$work\" -iquote \"${{file%/*}}\" -o \"$work/test\" \
         \"$work/test.c\" \"$@\" -lm || exit 125"
    );
    body + &stdin(test) + "cd \"$work/start\" && \"$work/test\" <\"$work/stdin\"\n"
}

/// Texts as words of the shell, each with a blank before it.
pub(super) fn words(texts: &[String]) -> String {
    texts.iter().map(|text| format!(" {}", word(text.as_bytes()))).collect()
}

/// The line that puts standard input into a file.
fn stdin(test: &TestInput) -> String {
    format!(
        "printf {} >\"$work/stdin\" || exit 125\n",
        format(test.stdin.as_deref().unwrap_or_default())
    )
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
        let files = ["it's".to_owned()];
        let all: Vec<u8> = (0..=255).rev().collect();
        let objects = vec![("it's-data".to_owned(), all.clone())];
        let args = [b"program".to_vec(), b"--".to_vec(), b"it's".to_vec(), b"-".to_vec()].to_vec();
        let test = TestInput { args, stdin: Some(all.clone()), objects };
        let runs = Runs::Program {
            variables: &[],
            has_files: false,
            symbolic_files: &files,
            times: &Times::default(),
        };
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
        let runs = Runs::Program {
            variables: &variables,
            has_files: true,
            symbolic_files: &[],
            times: &Times::default(),
        };
        let script = script(&test, runs, "0001.sh", &[]).unwrap();
        assert_eq!(printed(&script, &[Path::new("/bin/cat"), scratch.path()]), b"known");
    }

    #[test]
    fn files_are_as_old_as_the_test_says() {
        let files = ["a", "b"].map(str::to_owned);
        let ages = [("a".to_owned(), 5..=5), ("b".to_owned(), 0..=9)];
        let times = Times { ages: ages.into(), ..Times::default() };
        let runs = Runs::Program {
            variables: &[],
            has_files: false,
            symbolic_files: &files,
            times: &times,
        };
        for (age, listed) in [(3u64, "b\na\n"), (7, "a\nb\n")] {
            let objects = vec![
                ("a-data".to_owned(), vec![]),
                ("b-data".to_owned(), vec![]),
                ("b-age".to_owned(), age.to_le_bytes().to_vec()),
            ];
            let args = [b"program".to_vec(), b"-t".to_vec()].to_vec();
            let test = TestInput { args, stdin: None, objects };
            let script = script(&test, runs, "0001.sh", &[]).unwrap();
            assert_eq!(printed(&script, &[Path::new("/bin/ls")]), listed.as_bytes());
        }
    }

    /// What programs call things never becomes a command.
    #[test]
    fn names_are_never_run() {
        let scratch = tempfile::tempdir().unwrap();
        let trap = scratch.path().join("trap");
        let evil = format!("q\ntouch {0}\nPSYCHIC\ntouch {0}\n\"; touch {0}; #", trap.display());
        let variables = [(format!("A B; touch {}; C", trap.display()), Some(b"1".to_vec()))];
        let runs = Runs::Program {
            variables: &variables,
            has_files: false,
            symbolic_files: &[],
            times: &Times::default(),
        };
        let about = [evil.clone()];
        let printing = script(&TestInput::default(), runs, "0001.sh", &about).unwrap();
        let shown = String::from_utf8(printed(&printing, &[Path::new("/usr/bin/env")])).unwrap();
        assert_eq!(shown, format!("{}=1\n", variables[0].0));
        let test = TestInput { objects: vec![(evil, vec![1])], ..TestInput::default() };
        let harness = "#include \"psychic.h\"\nint main(void) { return 0; }\n";
        let flags = [format!("-DX=1\ntouch {}", trap.display())];
        let calling = Runs::Entry { harness, flags: &flags };
        let calling = script(&test, calling, "0001.sh", &about).unwrap();
        let source = scratch.path().join("a.c");
        fs::write(&source, "").unwrap();
        assert_eq!(printed(&calling, &[&source]), b"");
        assert!(!trap.exists());
    }

    #[test]
    fn what_only_our_runtime_can_give_has_no_script() {
        let files: [String; 0] = [];
        let objects = vec![("my-data".to_owned(), vec![1, 0, 0, 0])];
        let test = TestInput { objects, ..TestInput::default() };
        let runs = Runs::Program {
            variables: &[],
            has_files: false,
            symbolic_files: &files,
            times: &Times::default(),
        };
        assert_eq!(script(&test, runs, "0001.sh", &[]), None);
    }
}
