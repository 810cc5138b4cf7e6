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
