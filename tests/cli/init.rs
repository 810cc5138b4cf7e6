//! `psychic init`: a first `subject.toml`.

use std::fs;

use crate::support::{SOURCE, Scratch, psychic, refused, run};

/// A directory without a `subject.toml`.
fn without() -> Scratch {
    let scratch = Scratch::new();
    for name in ["a.c", "subject.toml"] {
        fs::remove_file(scratch.path(name)).expect("removed");
    }
    scratch
}

/// What `psychic init` writes, below its comments and the name.
fn written(scratch: &Scratch, arguments: &[&str]) -> Vec<String> {
    let ran = run(psychic().arg("init").arg(scratch.dir.path()).args(arguments));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("psychic diff "), "{}", ran.stdout);
    let text = fs::read_to_string(scratch.path("subject.toml")).expect("written");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("name = "));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_function_that_a_patch_changes_is_compared() {
    let source = format!("static int other(void)\n{{\n\treturn 1;\n}}\n\n{SOURCE}");
    let source = source.replace("int x)", "int x, const char *text, int *out, int four[4])");
    let scratch = without()
        .file("src/[1].c", &source)
        .file("fixes/1.diff", "--- a/src/[1].c\n+++ b/src/[1].c\n@@ -7,2 +7,2 @@\n {\n-\treturn x > 0;\n+\treturn x > 1;\n")
        .file("fixes/2.patch", "--- src/[1].c\n+++ src/[1].c\n@@ -8 +8 @@\n-\treturn x > 0;\n+\treturn x > 2;\n");
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"src/[1].c\"]",
            "patches = [\"fixes/*.diff\", \"fixes/*.patch\"]",
            "entry = \"entry\"",
            "[inputs.params]",
            "text = { string = 4 }",
            "out = { elements = 3 }",
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("3 revisions, 3 classes"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_program_has_its_arguments_and_leaves_other_programs_out() {
    let program = "#include <stdio.h>\nint helper(void);\nint main(int argc, char **argv)\n{\n\
                   \tputs(argc > 1 ? argv[1] : \"\");\n\treturn helper();\n}\n";
    let scratch = without()
        .file("helper.c", "int helper(void)\n{\n\treturn 0;\n}\n")
        .file("test.c", "int main(void) { return 0; }\n")
        .file("out/.psychic", "")
        .file("out/old.c", "int main(void) { return 0; }\n")
        .file("main.c", &format!("{program}#include \"part.c\"\n"))
        .file("part.c", "static int part;\n")
        .file(
            "1.diff",
            "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n-\treturn helper();\n+\treturn !helper();\n",
        );
    assert_eq!(
        written(&scratch, &["--patches", "*.diff"]),
        [
            "sources = [\"helper.c\", \"main.c\"]",
            "patches = [\"*.diff\"]",
            "[inputs]",
            "args = [{ string = 3, count = [0, 2] }]",
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("1 pair distinguished"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn headers_elsewhere_and_the_arguments_that_main_wants_are_found() {
    let main = "#include <stdlib.h>\n#include \"limit.h\"\nint main(int argc, char **argv)\n{\n\
                \tif (argc < 4)\n\t\treturn 1;\n\treturn atoi(argv[3]) < LIMIT;\n}\n";
    let scratch = without()
        .file("src/main.c", main)
        .file("include/limit.h", "#define LIMIT 5\n")
        .file(
            "1.diff",
            "--- a/src/main.c\n+++ b/src/main.c\n@@ -7 +7 @@\n-\treturn atoi(argv[3]) < LIMIT;\n\
             +\treturn atoi(argv[3]) <= LIMIT - 1;\n",
        )
        .file(
            "2.diff",
            "--- a/include/limit.h\n+++ b/include/limit.h\n@@ -1 +1 @@\n-#define LIMIT 5\n\
             +#define LIMIT 6\n",
        );
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"src/main.c\"]",
            "patches = [\"*.diff\"]",
            "[build]",
            "flags = [\"-Iinclude\"]",
            "[inputs]",
            "args = [{ string = 3, count = [2, 3] }]",
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(
        ran.stdout.contains("2 pairs distinguished, 1 equivalent"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_text_that_is_read_by_the_character_is_short() {
    let program = "#include <stdio.h>\nint main(void)\n{\n\tint c, n = 0;\n\
                   \twhile ((c = getchar()) != EOF)\n\t\tif (c == 'x')\n\t\t\tn++;\n\
                   \tprintf(\"%d\", n);\n\treturn 0;\n}\n";
    let diff = "--- a/xs.c\n+++ b/xs.c\n@@ -7 +7 @@\n-\t\t\tn++;\n+\t\t\tn += 2;\n";
    let scratch = without().file("xs.c", program).file("1.diff", diff);
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"xs.c\"]",
            "patches = [\"*.diff\"]",
            "[inputs]",
            "stdin = { tokens = 6, eof = true }",
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("1 pair distinguished"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_program_that_opens_files_is_run_whole() {
    let program = include_str!("programs/counts_whole.c");
    let diff =
        "--- a/counts.c\n+++ b/counts.c\n@@ -13 +13 @@\n-\t\t\treturn 2;\n+\t\t\treturn 3;\n";
    let scratch = without()
        .file("counts.c", program)
        .file("limits.h", "#define MOST 1\n")
        .file("1.diff", diff);
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"counts.c\"]",
            "patches = [\"*.diff\"]",
            "[build]",
            "whole = true",
            "[inputs]",
            "args = [{ string = 3, count = [0, 2] }]",
            "sym_files = { A = 4 }",
            "stdin = { bytes = 4 }",
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("1 pair distinguished"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn solutions_are_compared_with_the_one_that_is_called_original() {
    let scratch = without()
        .file("a.c", SOURCE)
        .file("b.c", &SOURCE.replace("> 0", ">= 1"))
        .file("Original.c", &SOURCE.replace("> 0", "> 1"));
    assert_eq!(
        written(&scratch, &[]),
        ["sources = [\"Original.c\"]", "candidates = [\"a.c\", \"b.c\"]", "entry = \"entry\""]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("3 revisions, 2 classes"), "{}{}", ran.stdout, ran.stderr);
}

/// Programs that a tool has repaired, in a directory for each of its runs.
#[test]
fn the_program_above_the_others_is_the_original() {
    let scratch = without()
        .file("runs/1/repair.c", &SOURCE.replace("> 0", ">= 1"))
        .file("runs/2/repair.c", &SOURCE.replace("> 0", "> 1"))
        .file("sign.c", SOURCE);
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"sign.c\"]",
            "candidates = [\"runs/1/*.c\", \"runs/2/*.c\"]",
            "entry = \"entry\""
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("3 revisions, 2 classes"), "{}{}", ran.stdout, ran.stderr);
}

/// Some tools write diffs, and some whole files.
#[test]
fn patched_copies_beside_the_diffs_are_candidates_too() {
    let scratch = without()
        .file("src/sign.c", SOURCE)
        .file(
            "patches/1.diff",
            "--- a/src/sign.c\n+++ b/src/sign.c\n@@ -3 +3 @@\n-\treturn x > 0;\n+\treturn x > 1;\n",
        )
        .file("patches/2.c", &SOURCE.replace("> 0", ">= 1"))
        .file("patches/sign.c", &SOURCE.replace("> 0", "> 2"));
    assert_eq!(
        written(&scratch, &[]),
        [
            "sources = [\"src/sign.c\"]",
            "candidates = [\"patches/*.diff\", \"patches/*.c\"]",
            "entry = \"entry\""
        ]
    );
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("4 revisions, 3 classes"), "{}{}", ran.stdout, ran.stderr);
    // Another program in that directory is none.
    fs::remove_file(scratch.path("subject.toml")).expect("written");
    let driver = "int entry(int);\n\nint main(void)\n{\n\treturn entry(3);\n}\n";
    assert_eq!(
        written(&scratch.file("patches/try.c", driver), &[])[1],
        "candidates = [\"patches/*.diff\", \"patches/2.c\", \"patches/sign.c\"]"
    );
}

/// A folder for each bug, with diffs that name the paths of another machine, and scores.
#[test]
fn each_bug_of_a_folder_becomes_a_subject() {
    let diff = |statement: &str| {
        format!(
            "--- /experiment/bug/src/sign.c\n+++ /experiment/bug/src/sign.c\n@@ -3 +3 @@\n\
             -\treturn x > 0;\n+\t{statement}\n"
        )
    };
    let scratch = without()
        .file("bugs/sign/src/sign.c", SOURCE)
        .file("bugs/sign/patches/0.diff", &diff("return x >= 0;"))
        .file("bugs/sign/patches/1.diff", &diff("return x >= 1;"))
        .file("bugs/sign/scores.json", r#"{"0.diff": 0.1, "1.diff": 0.9}"#)
        .file("bugs/runs/old.c", SOURCE)
        .file("bugs/runs/new.c", &SOURCE.replace("> 0", "> 1"))
        .file("bugs/.git/config", "")
        .file("bugs/readme.txt", "");
    let init = |code: i32| {
        let ran = run(psychic().args(["init", "--each"]).arg(scratch.path("bugs")));
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        ran.stdout
    };
    let said = init(0);
    assert!(said.contains("bugs/sign/subject.toml: 1 source, 2 candidates\n"), "{said}");
    assert!(said.contains("\n2 subjects; check each, and run: psychic campaign "), "{said}");
    let mut campaign = psychic();
    campaign.arg("campaign").arg(scratch.path("bugs")).arg("--out").arg(scratch.out());
    let ran = run(&mut campaign);
    assert!(ran.stdout.contains("2 subjects: 2 decided"), "{}{}", ran.stdout, ran.stderr);
    let mut rank = psychic();
    rank.arg("rank").arg(scratch.path("out/subjects/sign")).arg("--scores");
    let ran = run(rank.arg(scratch.path("bugs/sign/scores.json")));
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 2), "{}", ran.stderr);
    // What is there stays, and what is none costs the others nothing.
    fs::remove_file(scratch.path("bugs/runs/subject.toml")).expect("written");
    fs::create_dir(scratch.path("bugs/logs")).expect("made");
    let kept = fs::read(scratch.path("bugs/sign/subject.toml")).expect("written");
    let said = init(1);
    assert!(said.contains("no subject: ") && said.contains("bugs/logs: no C files"), "{said}");
    assert!(said.contains("sign/subject.toml: is there already\n"), "{said}");
    assert!(said.contains("\n2 subjects of 3; "), "{said}");
    assert_eq!(fs::read(scratch.path("bugs/sign/subject.toml")).expect("kept"), kept);
    assert!(scratch.path("bugs/runs/subject.toml").is_file());
    let none = refused(psychic().args(["init", "--each"]).arg(scratch.path("bugs/logs")));
    assert!(none.contains("no directories there"), "{none}");
}

#[test]
fn what_cannot_be_guessed_is_said_and_leaves_nothing() {
    let results = without().file("out/.psychic", "").file("out/a.c", SOURCE);
    let message = refused(psychic().arg("init").arg(results.out()));
    assert!(message.contains("out: a directory of results; name the directory of a "), "{message}");
    let refusal = |scratch: &Scratch, arguments: &[&str], messages: &[&str]| {
        let refusal = refused(psychic().arg("init").arg(scratch.dir.path()).args(arguments));
        assert!(messages.iter().all(|message| refusal.contains(message)), "{refusal}");
    };
    let scratch = without();
    refusal(&scratch, &[], &["no C files"]);
    let scratch = scratch.file("a.c", SOURCE);
    refusal(&scratch, &[], &["no patches", "--patches"]);
    refusal(&scratch, &["--patches", "*.diff"], &["*.diff"]);
    let scratch = scratch
        .file("b.c", SOURCE)
        .patch("1.diff", "return 1;")
        .file("1.diff", "--- a/c.c\n+++ b/c.c\n@@ -3 +3 @@\n-\treturn x > 0;\n+\treturn 1;\n");
    refusal(&scratch, &[], &["--entry"]);
    let scratch = scratch
        .patch("1.diff", "return 1;")
        .file("notes/x.txt", "")
        .file("two.c", "int main(void) { return 0; }\n")
        .file("three.c", "int main(void) { return 1; }\n");
    refusal(&scratch, &["--patches", "notes"], &["notes", "no patches"]);
    refusal(&scratch, &["--patches", ".."], &["below"]);
    refusal(&scratch, &["--entry", "entri"], &["did you mean `entry`?"]);
    refusal(&scratch.file("1.diff", "hello\n"), &["--entry", "entry"], &["no patch applies"]);
    let both = "--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-int main(void) { return 0; }\n+int main(void) { \
                return 2; }\n";
    let programs = without()
        .file("a.c", "int main(void) { return 0; }\n")
        .file("b.c", "int main(void) { return 0; }\n")
        .file("1.diff", &format!("{both}{}", both.replace("a.c", "b.c")));
    refusal(&programs, &[], &["several programs", "a.c, b.c"]);
    let old = without()
        .file("a.c", "int entry(x) int x;\n{\n\treturn x > 0;\n}\n")
        .patch("1.diff", "return 1;");
    refusal(&old, &[], &["K&R"]);
    for scratch in [&programs, &old] {
        assert!(!scratch.path("subject.toml").exists());
    }
    refusal(&Scratch::new(), &[], &["subject.toml", "is there already"]);
    let link = Scratch::new().patch("1.diff", "return 1;");
    fs::remove_file(link.path("subject.toml")).expect("removed");
    std::os::unix::fs::symlink("nowhere", link.path("subject.toml")).expect("made");
    refusal(&link, &[], &["is there already"]);
    assert!(!link.path("nowhere").exists());
}
