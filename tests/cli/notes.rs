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
