//! `[tests]`: inputs that a person gives.

use std::fs;

use psychic::results::{FoundBy, PairRow, TestRow, Verdict};

use crate::support::{CONFIG, SOURCE, Scratch, refused, run, table};

const PROGRAM: &str = include_str!("programs/given_program.c");

fn program(tests: &str) -> Scratch {
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let inputs = "[inputs]\nargs = [\"one\"]\nstdin = { bytes = 1 }\n";
    Scratch::new()
        .file("a.c", PROGRAM)
        .file("subject.toml", &format!("{config}{inputs}{tests}"))
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\tint c = getchar();\n\
             +\tint c = argc > 2 ? getchar(), getchar() : getchar();\n",
        )
}

/// No input within the bounds tells the two apart, but the test does.
#[test]
fn a_test_may_be_outside_of_the_bounds() {
    let alike = program("");
    assert_eq!(run(&mut alike.stage("diff")).code, Some(0));
    assert_eq!(table::<PairRow>(&alike.out())[0].verdict, Verdict::Equivalent);
    let tests =
        "[[tests.run]]\nstdin = \"ab\"\n[[tests.run]]\nargs = [\"x\", \"y\"]\nstdin = \"ab\"\n";
    let apart = program(tests);
    let ran = run(&mut apart.stage("diff"));
    assert_eq!(table::<PairRow>(&apart.out())[0].verdict, Verdict::Distinguished);
    let found: Vec<FoundBy> =
        table::<TestRow>(&apart.out()).into_iter().map(|test| test.found_by).collect();
    assert_eq!(found, [FoundBy::Given]);
    assert!(ran.stdout.contains("y 98"), "{}", ran.stdout);
}

/// A run from a file takes the fixed arguments.
#[test]
fn a_file_may_be_standard_input() {
    let scratch = program("[tests]\nstdin = [\"suite/*.in\"]\n").file("suite/1.in", "q").file(
        "1.diff",
        "--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\tprintf(\"%s %d\", argv[argc - 1], c);\n\
         +\tprintf(\"%s %d\", argv[argc - 1], c - (c == 'q'));\n",
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("one 113") && ran.stdout.contains("one 112"), "{}", ran.stdout);
    let tests: Vec<TestRow> = table(&scratch.out());
    assert_eq!(tests.iter().map(|test| test.found_by).collect::<Vec<_>>(), [FoundBy::Given]);
}

/// A native run that was stopped does not show that it would never end, and no explored path leads
/// there.
#[test]
fn what_never_ends_on_a_test_is_proved_there() {
    let source = include_str!("programs/what_never_ends_on_a_test_is_proved_there.c");
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let scratch = Scratch::new()
        .file("a.c", source)
        .file(
            "subject.toml",
            &format!("{config}[[tests.run]]\nstdin = \"1000003 1000033\"\n"),
        )
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -6 +6 @@\n\
             -\tif (a < 4000000000 && b < 4000000000 && a * b == 1000036000099) puts(\"both\");\n\
             +\twhile (a < 4000000000 && b < 4000000000 && a * b == 1000036000099) b = a * b / a;\n",
        );
    let ran = run(scratch.stage("diff").args(["--time-budget", "3s"]));
    let pair = &table::<PairRow>(&scratch.out())[0];
    assert_eq!(pair.verdict, Verdict::Distinguished, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(table::<TestRow>(&scratch.out())[0].found_by, FoundBy::Given);
    assert!(ran.stdout.contains("timeout"), "{}", ran.stdout);
}

/// A test that one run found can be given to another subject.
#[test]
fn a_test_may_be_a_ktest_file() {
    let first = Scratch::new().patch("1.diff", "return x > 0 || x == -77;");
    assert_eq!(run(&mut first.stage("diff")).code, Some(0));
    let config = format!("{CONFIG}[tests]\nktest = [\"given/*.ktest\"]\n");
    let second = Scratch::new().patch("1.diff", "return x > 0 || x < -70;");
    fs::create_dir(second.path("given")).expect("made");
    fs::copy(first.path("out/tests/0001.ktest"), second.path("given/a.ktest")).expect("copied");
    let second = second.file("subject.toml", &config);
    assert_eq!(run(&mut second.stage("diff")).code, Some(0));
    assert_eq!(table::<TestRow>(&second.out())[0].found_by, FoundBy::Given);
}

#[test]
fn tests_that_there_cannot_be() {
    let say = |config: &str, part: &str| {
        let scratch = Scratch::new()
            .file("a.c", SOURCE)
            .patch("1.diff", "return 1;")
            .file("subject.toml", config)
            .file("no.ktest", "text");
        let message = refused(&mut scratch.stage("diff"));
        assert!(message.contains(part), "no `{part}` in: {message}");
        assert!(!scratch.out().join("tests").exists());
    };
    say(&format!("{CONFIG}[tests]\nktest = [\"*.test\"]\n"), "subject.toml:6: no file matches");
    say(&format!("{CONFIG}[tests]\nktest = [\"*.ktest\"]\n"), "no.ktest: not a .ktest file");
    say(&format!("{CONFIG}[tests]\nrun = [{{ stdin = \"3\" }}]\n"), "give ktest = [...]");
    let main = CONFIG.replace("\"entry\"", "\"main\"");
    say(&format!("{main}[tests]\nrun = [{{ files = {{ A = \"3\" }} }}]\n"), "\"A\", which is not");
    say(&format!("{main}[tests]\nrun = [{{ input = \"3\" }}]\n"), "unknown field `input`");
    say(&format!("{main}[inputs]\nstdin = 3\n"), "expected a table such as { bytes = 4 }");
    let inputs = "[inputs]\nargs = [{ string = 3 }]\n";
    say(&format!("{main}{inputs}[tests]\nrun = [{{ stdin = \"3\" }}]\n"), "arguments are symbolic");
}
