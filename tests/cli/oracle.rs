//! `[oracle]`, right outputs in `[tests]`, `[labels]` and `[rank]`: what a subject says is right.

use std::fs;

use psychic::results::{LabelRow, PairRow, RankingRow, TestRow, Verdict};
use serde_json::Value;

use crate::support::{CONFIG, Ran, Scratch, psychic, refused, run, table};

/// A subject of four patches with more lines in its `subject.toml`: 1 differs at 0, 2 does the same as
/// the original, 3 differs for all but 0, and 4 fails at 0.
fn subject(lines: &str) -> Scratch {
    Scratch::new()
        .file("subject.toml", &format!("{CONFIG}{lines}\n"))
        .patch("1-at-zero.diff", "return x >= 0;")
        .patch("2-same.diff", "return x >= 1;")
        .patch("3-turned.diff", "return x < 0;")
        .patch("4-divides.diff", "return 10 / x > 0 || x > 10;")
}

fn compared(scratch: Scratch) -> Scratch {
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    scratch
}

/// `psychic rank SUBJECT` and its rows.
fn ranked(scratch: &Scratch) -> (Ran, Vec<RankingRow>) {
    let ran = run(&mut scratch.stage("rank"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    (ran, table(&scratch.out()))
}

fn numbers(rows: &[RankingRow]) -> Vec<u32> {
    rows.iter().map(|row| row.revision.0).collect()
}

/// The revisions whose outcome is right on a test, and those whose outcome is wrong.
fn judged(scratch: &Scratch, test: u64) -> [Vec<u64>; 2] {
    let text = fs::read_to_string(scratch.path("out/results.json")).expect("written");
    let results: Value = serde_json::from_str(&text).expect("JSON");
    let tests = results["tests"].as_array().expect("tests");
    let test = tests.iter().find(|entry| entry["test"] == test).expect("the test");
    [true, false].map(|right| {
        let outcomes = test["outcomes"].as_array().expect("outcomes").iter();
        let revisions = outcomes.filter(|outcome| outcome["right"] == right);
        let revisions =
            revisions.flat_map(|outcome| outcome["revisions"].as_array().expect("a list"));
        revisions.map(|revision| revision.as_u64().expect("a number")).collect()
    })
}

#[test]
fn patches_are_judged_by_another_implementation() {
    let scratch = subject("[oracle]\nreference = \"golden.c\"").file(
        "golden.c",
        "int entry(int x)\n{\n\tif (x == 0)\n\t\treturn 1;\n\treturn x > 0 ? 1 : 0;\n}\n",
    );
    let scratch = compared(scratch);
    let (ran, rows) = ranked(&scratch);
    // The reference is revision 5, and is not ranked itself.
    assert_eq!(numbers(&rows)[0], 1, "{}", ran.stdout);
    assert_eq!(rows.len(), 4);
    assert!(ran.stdout.contains("equivalent to the reference"), "{}", ran.stdout);
    assert_eq!(rows[0].reference, Some(Verdict::Equivalent));
    assert_eq!(rows[0].wrong, 0);
    assert!(rows[1..].iter().all(|row| row.wrong > 0));
    let proved = |row: &&PairRow| (row.a.0, row.b.0) == (1, 5);
    let pairs: Vec<PairRow> = table(&scratch.out());
    assert_eq!(pairs.iter().find(proved).expect("there").verdict, Verdict::Equivalent);
    // Nobody is asked what is known.
    let ran = run(&mut scratch.stage("ask"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("known to be right: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 at-zero ≡ 5 golden"), "{}", ran.stdout);
}

#[test]
fn a_reference_may_be_a_patch_or_the_original_or_be_named_afterwards() {
    let (_, rows) = ranked(&compared(subject("[oracle]\nreference = \"3-turned.diff\"")));
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.wrong > 0 && row.reference == Some(Verdict::Distinguished)));
    let (_, rows) = ranked(&compared(subject("[oracle]\nreference = \"a.c\"")));
    assert_eq!((numbers(&rows)[0], rows[0].wrong, rows.len()), (2, 0, 4));
    let scratch = compared(subject(""));
    let ran = run(psychic().arg("rank").arg(scratch.out()).args(["--reference", "1"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows: Vec<RankingRow> = table(&scratch.out());
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.wrong > 0));
    let message = refused(psychic().arg("rank").arg(scratch.out()).args(["--reference", "7"]));
    assert!(message.contains("the reference: there is no revision 7"), "{message}");
}

/// Where the reference fails, it says nothing.
#[test]
fn a_reference_that_fails_is_not_right() {
    let scratch = compared(subject("[oracle]\nreference = \"4-divides.diff\""));
    let tests: Vec<TestRow> = table(&scratch.out());
    let sides: Vec<_> = tests.iter().map(|test| judged(&scratch, test.test.0.into())).collect();
    assert!(sides.iter().any(|[right, wrong]| right.is_empty() && wrong.is_empty()), "{sides:?}");
    assert!(sides.iter().any(|[right, _]| right.contains(&4)), "{sides:?}");
}

#[test]
fn errors_are_wrong_by_themselves_if_the_subject_says_so() {
    let scratch = compared(subject("[oracle]\nimplicit = true"));
    let (_, rows) = ranked(&scratch);
    assert_eq!(numbers(&rows).last(), Some(&4));
    for row in &rows {
        assert_eq!(row.wrong > 0, row.revision.0 == 4);
        assert_eq!(row.right, 0);
    }
}

/// A program with given tests and their right outputs: 1 is right on both, 2 is right on one.
#[test]
fn given_tests_say_what_is_right() {
    let source = "#include <stdio.h>\nint main(void)\n{\n\tint n;\n\tif (scanf(\"%d\", &n) != 1)\n\
                  \t\treturn 1;\n\tprintf(\"%d\\n\", n + 1);\n\treturn 0;\n}\n";
    let patch = |statement: &str| {
        format!("--- a/a.c\n+++ b/a.c\n@@ -7 +7 @@\n-\tprintf(\"%d\\n\", n + 1);\n+\t{statement}\n")
    };
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let tests = "[inputs]\nstdin = { tokens = 1 }\n[tests]\nstdin = [\"suite/*.in\"]\nstdout = \"out\"\n\
                 [[tests.run]]\nstdin = \"5\\n\"\nstdout = \"10\"\nexit = 0\n\
                 [[tests.run]]\nstdin = \"7\\n\"\n";
    let scratch = Scratch::new()
        .file("a.c", source)
        .file("subject.toml", &format!("{config}{tests}"))
        .file("suite/two.in", "2\n")
        .file("suite/two.out", "4\n")
        .file("1.diff", &patch("printf(\"%d\\n\", n * 2);"))
        .file("2.diff", &patch("printf(\"%d\\n\", n + 2);"))
        .file("3.diff", &patch("printf(\"%d\\n\", n == 2 ? 4 : n == 5 ? 10 / (n - 5) : 0);"));
    let scratch = compared(scratch);
    // Given tests come first, and in their order.
    assert_eq!(judged(&scratch, 1), [vec![1, 2, 3], vec![0]]);
    assert_eq!(judged(&scratch, 2), [vec![1], vec![0, 2, 3]]);
    assert_eq!(judged(&scratch, 3).concat(), Vec::<u64>::new());
    let (ran, rows) = ranked(&scratch);
    assert_eq!((numbers(&rows)[0], rows[0].right, rows[0].wrong), (1, 2, 0), "{}", ran.stdout);
    let missing = scratch.file("suite/three.in", "3\n");
    let message = refused(&mut missing.stage("diff"));
    assert!(message.contains("suite/three.out is missing"), "{message}");
    let uncounted = missing.file("suite/three.out", "3\n");
    let path = uncounted.path("subject.toml");
    let text = fs::read_to_string(&path).expect("written") + "[outputs]\nstdout = false\n";
    fs::write(&path, text).expect("written");
    let message = refused(&mut uncounted.stage("diff"));
    assert!(message.contains("a right standard output means nothing"), "{message}");
}

#[test]
fn weights_scores_and_labels_are_those_of_the_subject() {
    let lines = "[rank]\nscores = \"scores.csv\"\n[rank.weights]\nerrors = 0\neffect = 0\nchange = 0\n\
                 class = 0\nsize = 0\n[labels]\ncorrect = [\"2-*\"]\nodd = [\"1-*\", \"2-same.diff\"]";
    let scratch = subject(lines).file("scores.csv", "revision,score\n3,0.9\n2,0.1\n1,0.5\n");
    let scratch = compared(scratch);
    let (ran, rows) = ranked(&scratch);
    assert_eq!(numbers(&rows), [3, 1, 2, 4]);
    assert!(ran.stdout.contains("first correct patch: place 3 of 4"), "{}", ran.stdout);
    assert!(ran.stdout.contains("class of 2 revisions (0 2): 1 correct, 1 odd"), "{}", ran.stdout);
    let labels: Vec<LabelRow> = table(&scratch.out());
    let labels =
        labels.iter().map(|row| format!("{} {} {}", row.revisions, row.label, row.labelled));
    assert_eq!(labels.collect::<Vec<_>>(), ["0 2 correct 2", "0 2 odd 2", "1 odd 1"]);
    let ran = run(scratch.stage("rank").args(["--weight", "effect=1", "--weight", "prior=0"]));
    assert_eq!(ran.code, Some(0));
    assert_eq!(table::<RankingRow>(&scratch.out()).last().map(|row| row.revision.0), Some(2));

    // Numbers of other patches mean nothing.
    let scratch = scratch.patch("0-first.diff", "return 2;");
    let message = refused(&mut scratch.stage("rank"));
    assert!(message.contains("run `psychic diff` again"), "{message}");
    let wrong = subject("[rank.weights]\nbeauty = 1");
    let wrong = compared(wrong);
    let message = refused(&mut wrong.stage("rank"));
    assert!(message.contains("subject.toml: [rank.weights]: \"beauty\" is none of"), "{message}");
    let message = refused(psychic().arg("rank").arg(wrong.out()).args(["--out", "x"]));
    assert!(message.contains("--out is for a subject"), "{message}");
}

#[test]
fn a_reference_that_was_set_aside_judges_nothing() {
    let scratch = compared_with_rejected();
    let message = refused(&mut scratch.stage("rank"));
    assert!(message.contains("the reference: revision 5 was set aside"), "{message}");
}

/// A comparison whose reference does not compile.
fn compared_with_rejected() -> Scratch {
    let scratch =
        subject("[oracle]\nreference = \"golden.c\"").file("golden.c", "int entry(int x) {\n");
    let ran = run(&mut scratch.stage("diff"));
    assert_ne!(ran.code, Some(2), "{}", ran.stderr);
    scratch
}
