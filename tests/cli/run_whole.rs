//! Programs without a build of their own that are run whole.

use std::fs;

use psychic::results::{PairRow, SummaryRow, Verdict};

use crate::support::{Scratch, refused, run, table};

const CONFIG: &str = r#"name = "counts"
sources = ["a.c"]
patches = ["*.diff"]

[build]
whole = true

[inputs]
args = [{ string = 2, count = [0, 2] }]
sym_files = { A = 2 }
stdin = { bytes = 1 }
"#;

/// A line of a file, what stands there, and what a patch puts in its place.
const PATCHES: [(&str, usize, &str, &str); 5] = [
    ("a.c", 22, "\t\tbytes++;", "\t\tbytes = bytes + 1;"),
    (
        "a.c",
        23,
        "\t\tif (byte == '\\n' && lines < MOST)",
        "\t\tif (byte == '\\n' && lines <= MOST)",
    ),
    ("limits.h", 1, "#define MOST 1", "#define MOST 2"),
    ("a.c", 13, "\t\t\treturn 2;", "\t\t\treturn 3;"),
    (
        "a.c",
        16,
        "\tFILE *in = optind < argc ? fopen(argv[optind], \"r\") : stdin;",
        "\tFILE *in = optind < argc ? fopen(argv[optind], \"r+\") : stdin;",
    ),
];

/// A program that reads its options, and a file or standard input.
fn counts(config: &str) -> Scratch {
    let program = include_str!("programs/counts_whole.c");
    let scratch = Scratch::new()
        .file("a.c", program)
        .file("limits.h", "#define MOST 1\n")
        .file("subject.toml", config);
    PATCHES.iter().zip(1..).fold(scratch, |scratch, ((file, line, old, new), number)| {
        let diff = format!("--- a/{file}\n+++ b/{file}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n");
        scratch.file(&format!("{number}.diff"), &diff)
    })
}

#[test]
fn options_files_and_locales_are_those_of_the_libc() {
    let scratch = counts(CONFIG);
    let first = run(&mut scratch.stage("diff"));
    assert_eq!(first.code, Some(0), "{}{}", first.stdout, first.stderr);
    assert!(first.stderr.contains("configuring and building"), "{}", first.stderr);
    // 5 takes a directory for a file that cannot be opened.
    let behaviour = [0, 0, 1, 1, 2, 3];
    for pair in table::<PairRow>(&scratch.out()) {
        let [a, b] = [pair.a, pair.b].map(|revision| behaviour[revision.0 as usize]);
        let expected = if a == b { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(pair.verdict, expected, "{pair:?}");
    }
    assert_eq!(table::<SummaryRow>(&scratch.out())[0].mismatches, 0);
    // The results, below the subject's directory, do not belong to the program.
    let again = run(&mut scratch.stage("diff"));
    assert!(!again.stderr.contains("configuring and building"), "{}", again.stderr);
    assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
}

#[test]
fn where_a_function_of_the_libc_is_missing_it_is_said_how_to_have_it() {
    let config =
        CONFIG.replace("[build]\nwhole = true\n", "").replace("sym_files = { A = 2 }\n", "");
    let scratch = counts(&config);
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("unknown: unsupported: a call of setlocale"), "{}", ran.stdout);
    assert!(ran.stdout.contains("see build.whole in docs/subject.md"), "{}", ran.stdout);
}

#[test]
fn keys_that_do_not_go_with_it_are_refused_with_their_line() {
    for (from, to, message) in [
        ("whole = true", "whole = true\nprogram = \"x\"", "subject.toml:7: build.program is for"),
        ("whole = true", "whole = true\nmake = \"x\"", "subject.toml:7: build.make is for"),
        ("[build]", "entry = \"f\"\n[build]", "subject.toml:5: entry is not for build.whole"),
        ("whole = true", "", "only a program that is run whole (build.whole) has sym_files"),
    ] {
        assert!(CONFIG.contains(from));
        let found = refused(&mut counts(&CONFIG.replace(from, to)).stage("diff"));
        assert!(found.contains(message), "{found}\nnot {message}");
    }
}

#[test]
fn a_patch_that_does_not_compile_is_set_aside_and_a_new_file_is_found() {
    let scratch = counts(CONFIG).file(
        "6.diff",
        "--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-#include \"limits.h\"\n+#include \"more.h\"\n\
         --- /dev/null\n+++ b/more.h\n@@ -0,0 +1 @@\n+#define MOST 0x1\n",
    );
    let scratch = scratch.file(
        "7.diff",
        "--- a/a.c\n+++ b/a.c\n@@ -13 +13 @@\n-\t\t\treturn 2;\n+\t\t\treturn two;\n",
    );
    let scratch =
        scratch.file("8.diff", "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+int lines;\n");
    // The program has the name of its source without the ending.
    fs::create_dir(scratch.path("a")).expect("made");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("set aside: 7.diff"), "{}", ran.stdout);
    assert!(ran.stdout.contains("8.diff: new.c would not be compiled"), "{}", ran.stdout);
    let pairs = table::<PairRow>(&scratch.out());
    let same = pairs.iter().filter(|pair| pair.a.0 == 0 && pair.verdict == Verdict::Equivalent);
    assert_eq!(same.map(|pair| pair.b.0).collect::<Vec<_>>(), [1, 6], "{}", ran.stdout);
}
