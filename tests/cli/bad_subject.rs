//! A `subject.toml` that cannot be meant is refused, with its line, before anything is done.

use std::fs;

use crate::support::{CONFIG, Scratch, psychic, refused, run};

/// Asserts that a subject with these lines in place of [`CONFIG`] is refused, on this line, with a
/// message that has these words.
#[track_caller]
fn refuses(config: &str, line: usize, said: &str) {
    let scratch = Scratch::new().file("subject.toml", config).patch("1.diff", "return 1;");
    let message = refused(&mut scratch.stage("diff"));
    assert!(message.contains(&format!("subject.toml:{line}: ")), "{message}");
    assert!(message.contains(said), "no `{said}` in: {message}");
    assert!(!scratch.out().exists(), "left results");
}

#[test]
fn more_revisions_than_can_be_compared() {
    for number in ["100000", "4294967295"] {
        let config = format!("name = \"x\"\nsources = [\"a.c\"]\nrevisions = {number}\n");
        refuses(&config, 3, &format!("{number} revisions are too many: at most 4096"));
    }
}

#[test]
fn sources_that_are_no_files_of_the_tree() {
    let cases = [
        ("/etc/passwd", "\"/etc/passwd\" is not a path within"),
        ("../a.c", "\"../a.c\" is not a path within"),
        ("below/../a.c", "is not a path within"),
        (".", "is not a path within"),
        ("below", "source below is no file in"),
        ("*.c", "list files, not globs"),
    ];
    for (source, said) in cases {
        let config = CONFIG.replace("\"a.c\"", &format!("\"{source}\""));
        let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
        let message = refused(&mut scratch.file("below/b.c", "").stage("diff"));
        assert!(message.contains("subject.toml:2: ") && message.contains(said), "{message}");
    }
    let config = CONFIG.replace("\"a.c\"", "\"./a.c\"");
    let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
}

#[test]
fn globs_that_match_a_source_or_nothing() {
    refuses(&CONFIG.replace("*.diff", "a.c"), 3, "patches also matches a.c, which is a source");
    refuses(&CONFIG.replace("*.diff", "*"), 3, "patches also matches a.c, which is a source");
    let second = CONFIG.replace("\"*.diff\"", "\"*.diff\", \"more/*.diff\"");
    refuses(&second, 3, "no file matches \"more/*.diff\"");
}

#[test]
fn flags_that_say_what_the_compiler_makes() {
    for flag in ["-c", "-o", "-oprogram", "-E", "-S", "-M", "-fsyntax-only"] {
        let said = format!("{flag} says what the compiler makes");
        refuses(&format!("{CONFIG}[build]\nflags = [\"-O1\", \"{flag}\"]\n"), 6, &said);
    }
}

#[test]
fn ranges_of_other_than_two_numbers() {
    for count in ["[1, 2, 3]", "[1]", "[]"] {
        let config = format!("{CONFIG}[inputs]\nargs = [{{ string = 3, count = {count} }}]\n");
        refuses(&config, 6, "has to be two numbers, [LEAST, MOST]");
    }
    refuses(
        &format!("{CONFIG}[inputs.params]\nx = {{ min = 9, max = 3 }}\n"),
        6,
        "min = 9 is greater",
    );
}

#[test]
fn numbers_that_are_too_large() {
    let bytes = "are too many symbolic bytes: at most 65536";
    let cases = [
        ("[inputs.stdin]\nbytes = 4294967295", bytes),
        ("[inputs.stdin]\nbytes = 99999999999", "a whole number from 0 to 4294967295"),
        ("[inputs.stdin]\nword = 300", "a whole number from 1 to 255"),
        ("[inputs]\nargs = [{ string = 65537 }]", bytes),
        ("[inputs]\nenv = { A = { string = 65537 } }", bytes),
        ("[inputs.params]\nx = { string = 65537 }", bytes),
        ("[inputs.params]\nx = { elements = 65537 }", "are too many symbolic elements"),
        ("[inputs.params]\nx = { max = 99999999999999999999 }", "to 9223372036854775807"),
        ("[budget]\ninstructions = 99999999999999999999999", "to 18446744073709551615"),
        ("[[tests.run]]\nexit = 300", "a whole number from 0 to 255"),
    ];
    for (lines, said) in cases {
        let main = !lines.contains("params");
        let config = if main { CONFIG.replace("entry = \"entry\"", "") } else { CONFIG.to_owned() };
        refuses(&format!("{config}{lines}\n"), 6, said);
    }
    let scratch = Scratch::new().patch("1.diff", "return 1;");
    let seed = refused(scratch.stage("diff").args(["--seed", "99999999999999999999999"]));
    assert!(seed.contains("not a whole number from 0 to 18446744073709551615"), "{seed}");
    for option in ["--sym-arg", "--sym-stdin"] {
        let mut explore = psychic();
        explore.arg("explore").arg(scratch.path("a.c")).arg("--out").arg(scratch.out());
        let message = refused(explore.args([option, "4294967295"]));
        assert!(message.contains("at most 65536"), "{message}");
    }
}

#[test]
fn a_setup_that_fails_without_a_word() {
    refuses(
        &format!("{CONFIG}[build]\nsetup = \"exit 3\"\n"),
        6,
        "(exit status: 3), and printed nothing",
    );
}

/// patch(1) keeps such a file, and fails.
#[test]
fn a_file_is_deleted_only_as_a_whole() {
    let diff = "--- a/b.h\n+++ /dev/null\n@@ -1 +0,0 @@\n-#define A 1\n";
    let scratch = Scratch::new().file("b.h", "#define A 1\n#define B 1\n").file("1.diff", diff);
    let message = refused(&mut scratch.patch("2.diff", "return y;").stage("diff"));
    assert!(message.contains("1.diff:1: it deletes b.h, which has more lines"), "{message}");
}

#[test]
fn names_and_numbers_that_stand_for_nothing() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;");
    let mut campaign = psychic();
    let message = refused(campaign.args(["campaign", "nowhere"]).current_dir(scratch.dir.path()));
    assert!(message.contains("nowhere: there is no such file or directory"), "{message}");
    let mut campaign = psychic();
    campaign.arg("campaign").arg(scratch.dir.path()).args(["--jobs", "999"]);
    let message = refused(campaign.current_dir(scratch.dir.path()));
    assert!(message.contains("--jobs 999: without --slurm, at most 256"), "{message}");
    let file = scratch.path("1.diff");
    let mut campaign = psychic();
    let message = refused(campaign.arg("campaign").arg(scratch.dir.path()).arg("--out").arg(&file));
    assert!(message.contains("results cannot be written there"), "{message}");
    let message = refused(scratch.stage("diff").arg("--log-queries").arg(&file));
    assert!(message.contains("--log-queries"), "{message}");
    assert!(!scratch.out().exists());

    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    for test in ["7", "99999999999"] {
        let message = refused(scratch.stage("replay").arg(test));
        assert!(message.contains(&format!("there is no test {test} in")), "{message}");
    }
    let mut compare = psychic();
    compare.args(["campaign", "compare"]).arg(scratch.out()).arg(scratch.out());
    assert!(refused(&mut compare).contains("no campaign.csv there"));
    assert!(fs::read_to_string(file).unwrap().starts_with("--- a/a.c"));
}
