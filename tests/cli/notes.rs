//! What is said about patches that take part.

use psychic::results::{RevisionRow, Status};

use crate::support::{SOURCE, Scratch, run, table};

/// Runs `psychic diff`; returns what it printed, and the status and reason of each revision.
#[track_caller]
fn diff(scratch: &Scratch) -> (String, Vec<(Status, String)>) {
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let rows: Vec<RevisionRow> = table(&scratch.out());
    (ran.stdout, rows.into_iter().map(|row| (row.status, row.reason)).collect())
}

#[test]
fn a_patch_with_damaged_blanks() {
    let damaged = "--- a/a.c\r\n+++ b/a.c\r\n@@ -1,4 +1,4 @@\r\n int entry(int x)\r\n {\r\n\
                   -    return x > 0;\r\n+    return x > 1;\r\n }\r\n";
    let scratch = Scratch::new()
        .file("a.c", &SOURCE.replace("{\n", "{ \n"))
        .patch("1-whole.diff", "return x > 1;")
        .file("2-mailed.diff", damaged)
        .file("3-other.diff", &damaged.replace("x > 0", "x> 0"));
    let (said, rows) = diff(&scratch);
    assert!(said.contains("\napplied with white space ignored: 2 mailed\n"), "{said}");
    let note = "applied with white space ignored";
    assert_eq!(rows[1], (Status::Merged, String::new()));
    assert_eq!((rows[2].0, rows[2].1.as_str()), (Status::Merged, note));
    assert_eq!(rows[3].0, Status::Rejected);
}

/// Each remains a revision of its own, with its place in every table.
#[test]
fn patches_that_are_the_same() {
    let scratch = Scratch::new()
        .patch("1-strict.diff", "return x > 1;")
        .patch("2-nothing.diff", "return x > 0;")
        .file("3-whole.c", &SOURCE.replace("> 0", "> 1"))
        .patch("4-other.diff", "return 1 < x;")
        .patch("5-again.diff", "return x > 1;");
    let subject = "name = \"x\"\nentry = \"entry\"\nsources = [\"a.c\"]\n\
                   candidates = [\"[1-5]*\"]\n";
    let (said, rows) = diff(&scratch.file("subject.toml", subject));
    let reasons: Vec<&str> = rows.iter().map(|(_, reason)| reason.as_str()).collect();
    let first = "the same as 1 1-strict.diff";
    assert_eq!(reasons, ["", "", "the same as 0 original", first, "", first]);
    assert!(rows.iter().all(|(status, _)| *status == Status::Merged), "{rows:?}");
    assert!(said.contains("\nthe same as 0 original: 2 nothing\n"), "{said}");
    assert!(said.contains("\nthe same as 1 1-strict.diff: 3 whole.c, 5 again\n"), "{said}");
    assert!(said.contains("6 revisions, 2 classes"), "{said}");
}

#[test]
fn what_is_no_unified_diff_says_what_it_is() {
    let context = "*** a/a.c\n--- b/a.c\n***************\n*** 3 ****\n!     return x > 0;\n\
                   --- 3 ----\n!     return x > 1;\n";
    let scratch = Scratch::new().patch("1.diff", "return x > 1;").file("3.diff", context);
    std::os::unix::fs::symlink("nowhere", scratch.path("2.diff")).expect("a link");
    let (said, rows) = diff(&scratch);
    assert_eq!(rows[1], (Status::Merged, String::new()));
    assert_eq!(rows[2], (Status::Rejected, "2.diff: neither a file nor a link to one".into()));
    assert!(rows[3].0 == Status::Rejected && rows[3].1.contains("a context diff"), "{rows:?}");
    assert!(said.contains("set aside: 2.diff: neither"), "{said}");
}

#[test]
fn what_a_program_asks_for_and_is_not_given_is_a_bound() {
    let scratch = Scratch::new()
        .file(
            "a.c",
            "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n\
             \treturn argc > 1 || getenv(\"MODE\") ? 1 : 0;\n}\n",
        )
        .file("subject.toml", "name = \"a\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n")
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\treturn argc > 1 || getenv(\"MODE\") ? 1 : 0;\n\
             +\treturn argc > 1 || getenv(\"MODE\") ? 2 : 0;\n",
        );
    let (said, _) = diff(&scratch);
    assert!(said.contains("bounds: no arguments; no environment variables\n"), "{said}");
}

/// Where standard error can only be written, the first `perror` of glibc changes `errno`.
#[test]
fn what_perror_needs_is_a_bound() {
    let source = "#include <errno.h>\n#include <stdio.h>\nint entry(int x)\n{\n\terrno = x;\n\
                  \tif (x > 9)\n\t\tperror(\"x\");\n\treturn errno > 0;\n}\n";
    let scratch = Scratch::new().file("a.c", source).file(
        "1.diff",
        "--- a/a.c\n+++ b/a.c\n@@ -8 +8 @@\n-\treturn errno > 0;\n+\treturn x > 0;\n",
    );
    let (said, _) = diff(&scratch);
    assert!(said.contains("1 equivalent"), "{said}");
    let bound = "bounds: standard error that can also be read, so that perror keeps errno\n";
    assert!(said.contains(bound), "{said}");
}

/// Shells and clusters limit what a process may have, and it cannot have more.
#[test]
fn limits_of_the_surroundings_are_kept() {
    let scratch = Scratch::new().patch("1.diff", "return x > 1;");
    let mut limited = assert_cmd::Command::new("sh");
    limited.args([
        "-c",
        "ulimit -v 16000000 && ulimit -t 600 && exec \"$0\" diff \"$1\" --out \"$2\"",
    ]);
    limited.arg(env!("CARGO_BIN_EXE_psychic")).args([scratch.path(""), scratch.out()]);
    limited.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    let ran = run(&mut limited);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 pair distinguished"), "{}", ran.stdout);
}
