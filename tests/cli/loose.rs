//! Files without a `subject.toml`: an original and its candidates.

use std::{ffi::OsString, fs, os::unix::ffi::OsStringExt};

use assert_cmd::Command;
use psychic::results::{PairRow, RevisionRow, Status, Verdict};

use crate::support::{SOURCE, Scratch, names, psychic, refused, run, table};

/// `psychic diff FILES`, in the directory that they are in, to [`Scratch::out`].
fn diff(scratch: &Scratch, files: &[&str]) -> Command {
    let mut command = psychic();
    command.arg("diff").args(files).arg("--out").arg(scratch.out()).current_dir(scratch.dir.path());
    command
}

/// Runs a command that decides every pair. Returns what it printed, and the pairs that differ.
#[track_caller]
fn apart(scratch: &Scratch, command: &mut Command) -> (String, Vec<(u32, u32)>) {
    let ran = run(command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    let differ = pairs.iter().filter(|pair| pair.verdict == Verdict::Distinguished);
    let differ = differ.map(|pair| (pair.a.0, pair.b.0)).collect();
    (ran.stdout, differ)
}

/// A program with a header beside it.
fn leap(condition: &str) -> String {
    format!(
        "#include <stdio.h>\n#include \"say.h\"\nint main(void)\n{{\n\tint y;\n\
         \tif (scanf(\"%d\", &y) != 1)\n\t\treturn 1;\n\tputs({condition} ? YES : \"no\");\n\
         \treturn 0;\n}}\n"
    )
}

/// The header of another directory is another header, and the other programs there and beside the
/// original are none of its parts.
#[test]
fn candidates_are_compiled_in_the_directory_of_the_original() {
    let scratch = Scratch::new()
        .file("src/old.c", &leap("y % 4 == 0"))
        .file("src/say.h", "#define YES \"yes\"\n")
        .file("src/other.c", "int main(void)\n{\n\treturn 3;\n}\n")
        .file("a/fix.c", &leap("y % 4 == 0 && y % 100 != 0"))
        .file("a/say.h", "#define YES \"no\"\n")
        .file("b/fix.c", &leap("!(y % 4)"));
    let big = fs::File::create(scratch.path("src/big.bin")).expect("made");
    big.set_len(1 << 40).expect("a file with nothing in it");
    let mut command = diff(&scratch, &["src/old.c", "a/fix.c", "b/fix.c"]);
    let (said, differ) = apart(&scratch, &mut command);
    assert_eq!(differ, [(0, 1), (1, 2)]);
    assert!(said.contains("▸ 1 a/fix.c") && said.contains("≡ 2 b/fix.c"), "{said}");
    let rows: Vec<RevisionRow> = table(&scratch.out());
    let patches: Vec<&str> = rows.iter().map(|row| &*row.patch).collect();
    assert_eq!(patches, ["", "a/fix.c", "b/fix.c"]);
    assert_eq!(names(&scratch.path("src")), ["big.bin", "old.c", "other.c", "say.h"]);
}

#[test]
fn an_entry_and_results_below_the_current_directory() {
    let scratch = Scratch::new().file("b.c", &SOURCE.replace("> 0", ">= 0"));
    let scratch = scratch.file("patches/deep/a.c", SOURCE);
    let mut command = psychic();
    command.args(["diff", "patches/deep/a.c", "a.c", "b.c", "--entry", "entry"]);
    let ran = run(command.current_dir(scratch.dir.path()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("files: results/a\n"), "{}", ran.stdout);
    let pairs: Vec<PairRow> = table(&scratch.path("results/a"));
    let verdicts: Vec<Verdict> = pairs.iter().map(|pair| pair.verdict).collect();
    assert_eq!(verdicts, [Verdict::Equivalent, Verdict::Distinguished, Verdict::Distinguished]);
}

/// `diff -u old.c b/new.c` names both files, and both are there.
#[test]
fn a_diff_changes_the_original_even_if_the_other_file_is_there() {
    let changed = "@@ -3 +3 @@\n-\treturn x > 0;\n+\treturn x > 1;\n";
    let scratch = Scratch::new()
        .file("b/new.c", &SOURCE.replace("> 0", "> 1"))
        .file("1.diff", &format!("--- a.c\n+++ b/new.c\n{changed}"))
        .file("2.patch", &format!("--- a/a.c\n+++ b/a.c\n{changed}"));
    let files = ["a.c", "1.diff", "b/new.c", "2.patch", "--entry", "entry"];
    let (_, differ) = apart(&scratch, &mut diff(&scratch, &files));
    assert_eq!(differ, [(0, 1), (0, 2), (0, 3)]);
    let rows: Vec<RevisionRow> = table(&scratch.out());
    assert!(rows.iter().all(|row| row.status == Status::Merged), "{rows:?}");
}

#[test]
fn modules_go_with_modules() {
    let module = |result: u32| format!("define i32 @main() {{\n  ret i32 {result}\n}}\n");
    let scratch = Scratch::new().file("a.ll", &module(0)).file("b.ll", &module(1));
    let (_, differ) = apart(&scratch, &mut diff(&scratch, &["a.ll", "b.ll"]));
    assert_eq!(differ, [(0, 1)]);
}

/// Files that cannot be compared, and what the message about them contains.
#[test]
fn what_is_no_original_with_candidates_is_refused() {
    let scratch = Scratch::new()
        .file("b.c", SOURCE)
        .file("dir/c.c", SOURCE)
        .file("m.ll", "")
        .patch("1.diff", "return 1;");
    let odd = OsString::from_vec(b"\xff.c".to_vec());
    fs::write(scratch.dir.path().join(&odd), SOURCE).expect("written");
    let refuse = |files: &[&str], parts: &[&str]| {
        let message = refused(&mut diff(&scratch, files));
        for part in parts {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
        assert!(!scratch.out().exists(), "{files:?}: left results");
    };
    refuse(&["a.c"], &["a.c: a file alone", "at least one candidate", "subject.toml"]);
    refuse(&["a.c", "none.c"], &["none.c: No such file"]);
    refuse(&["none.c", "a.c"], &["none.c: No such file"]);
    refuse(&["a.c", "dir"], &["dir: not a regular file", "subject.toml"]);
    refuse(&["dir", "a.c"], &["dir: not a regular file"]);
    refuse(&["1.diff", "a.c"], &["1.diff: a diff cannot be the original", "first"]);
    refuse(&["a.c", "b.c", "dir/../b.c"], &["dir/../b.c: given twice"]);
    refuse(&["a.c", "m.ll"], &["m.ll: wrong form, the sources are C files; leave it out"]);
    refuse(&["m.ll", "a.c"], &["a.c: wrong form, the sources are bitcode modules"]);
    refuse(&[".", "--entry", "entry"], &["--entry is only for files", "subject.toml"]);
    let message = refused(diff(&scratch, &["a.c"]).arg(&odd));
    assert!(message.contains("the name is not UTF-8; rename it"), "{message}");
}

/// Callers in C see the number that an entry returns, whatever its type.
#[test]
fn a_returned_number_counts_and_not_its_type() {
    let half = |ty: &str| format!("{ty} half(short x)\n{{\n\treturn x / 2;\n}}\n");
    let scratch = Scratch::new()
        .file("short.c", &half("short"))
        .file("int.c", &half("int"))
        .file("unsigned.c", &half("unsigned short"))
        .file("float.c", "float half(short x)\n{\n\treturn x / 2.0f;\n}\n")
        .file("double.c", &half("double"))
        .file("unsigned-int.c", &half("unsigned short int"));
    let files = [
        "short.c",
        "int.c",
        "unsigned.c",
        "float.c",
        "double.c",
        "unsigned-int.c",
        "--entry",
        "half",
    ];
    let (said, differ) = apart(&scratch, &mut diff(&scratch, &files));
    let expected =
        [(0, 2), (0, 3), (0, 5), (1, 2), (1, 3), (1, 5), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)];
    assert_eq!(differ, expected, "{said}");
    assert!(
        said.contains("return in full = 6") && said.contains("return as a real number = "),
        "{said}"
    );
}
