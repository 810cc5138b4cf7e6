//! The clock and the ages of files as inputs of whole programs.

use std::process::Command;

use psychic::results::{FoundBy, PairRow, ShareRow, SummaryRow, TestRow, Verdict};

use crate::support::{Scratch, names, refused, run, table};

const PROGRAM: &str = include_str!("programs/ages.c");
const CONFIG: &str = r#"name = "times"
patches = ["*.diff"]

[build]
directory = "package"
program = "told"

[inputs]
files = "start"
clock = { min = 1700000000, max = 1700086400 }
ages = { "a.txt" = { max = 172800 }, "sub/b" = { max = 5 } }
"#;
/// Lines of the program, and what the patches put in their place.
const PATCHES: [(usize, &str, &str); 6] = [
    (9, "age > DAY", "age >= DAY"),
    (9, "age > DAY", "age / DAY > 0"),
    (9, "age > DAY", "age / DAY > 1"),
    (9, "age > DAY", "age > DAY && age < 7 * DAY"),
    (13, "file->st_mtime > other->st_mtime", "file->st_mtime >= other->st_mtime"),
    (17, "now / 3600 % 24 < 12", "now / 3600 % 24 < 13"),
];

/// What the original (0) and the patches say.
fn says(revision: usize, clock: u64, age: u64, other: u64) -> [bool; 3] {
    const DAY: u64 = 86400;
    let is_old = match revision {
        1 => age >= DAY,
        2 => age / DAY > 0,
        3 => age / DAY > 1,
        4 => age > DAY && age < 7 * DAY,
        _ => age > DAY,
    };
    let is_newer = if revision == 5 { age <= other } else { age < other };
    let end = if revision == 6 { 13 } else { 12 };
    [is_old, is_newer, clock / 3600 % 24 < end]
}

/// On how many of all inputs two revisions do something else. The clock decides nothing but the
/// time of the day, and the ages the rest.
fn difference(a: usize, b: usize) -> f64 {
    let ages: Vec<(u64, u64)> =
        (0..=172_800).flat_map(|age| (0..=5).map(move |other| (age, other))).collect();
    let of_ages =
        ages.iter().filter(|(age, other)| says(a, 0, *age, *other) != says(b, 0, *age, *other));
    let mut clocks = 1_700_000_000..=1_700_086_400;
    let all = clocks.clone().count();
    let of_clock = clocks.by_ref().filter(|clock| says(a, *clock, 0, 9) != says(b, *clock, 0, 9));
    let same = [
        1.0 - of_ages.count() as f64 / ages.len() as f64,
        1.0 - of_clock.count() as f64 / all as f64,
    ];
    1.0 - same[0] * same[1]
}

fn package(config: &str, program: &str) -> Scratch {
    Scratch::new()
        .file("subject.toml", config)
        .file("package/main.c", program)
        .file(
            "package/Makefile",
            "told: main.o\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\nmain.o: main.c\n",
        )
        .file("start/a.txt", "a\n")
        .file("start/sub/b", "b\n")
}

fn patched(config: &str) -> Scratch {
    let add = |scratch: Scratch, (number, (line, from, to)): (usize, &(usize, &str, &str))| {
        let text = PROGRAM.lines().nth(line - 1).expect("a line");
        assert!(text.contains(from), "{text}");
        let hunk = format!("@@ -{line} +{line} @@\n-{text}\n+{}\n", text.replace(from, to));
        scratch.file(&format!("{number}.diff"), &format!("--- a/main.c\n+++ b/main.c\n{hunk}"))
    };
    (1..).zip(&PATCHES).fold(package(config, PROGRAM), add)
}

#[test]
fn patches_that_compare_times_are_told_apart_as_all_inputs_say() {
    let scratch = patched(CONFIG);
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    let pairs = table::<PairRow>(&scratch.out());
    assert_eq!(pairs.len(), 21);
    for PairRow { a, b, verdict, .. } in pairs {
        let is_same = difference(a.0 as usize, b.0 as usize) == 0.0;
        let expected = if is_same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(verdict, expected, "{a} {b}: {said}");
    }
    assert_eq!(table::<SummaryRow>(&scratch.out())[0].mismatches, 0, "{said}");
    for share in table::<ShareRow>(&scratch.out()) {
        let exact = difference(0, share.revision.0 as usize);
        let bound = |bound: Option<psychic::results::Fraction>| bound.expect("samples").0;
        let (low, high) = (bound(share.changed_low), bound(share.changed_high));
        assert!((low..=high).contains(&exact), "{}: {low} {exact} {high}", share.revision);
    }
    assert!(said.contains("clock = 17000"), "{said}");
    assert!(said.contains("a.txt-age = 86400"), "{said}");
    assert!(said.contains("a.txt last changed 0 to 172800 s before the start"), "{said}");
    // A script cannot set the clock.
    assert!(names(&scratch.path("out/tests")).iter().all(|name| name.ends_with(".ktest")));
}

/// Beyond the bounds two more differ. What a test does not give has the smallest number.
#[test]
fn a_test_gives_times() {
    let tests = "[[tests.run]]\nages = { \"a.txt\" = 604800 }\n";
    let config = format!("{}{tests}", CONFIG.replace("*.diff", "4.diff"));
    let scratch = patched(&config);
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    let found = table::<TestRow>(&scratch.out()).into_iter().map(|test| test.found_by);
    assert_eq!(found.collect::<Vec<_>>(), [FoundBy::Given], "{said}");
    for part in ["a.txt-age = 604800", "clock = 1700000000", "sub/b-age = 0"] {
        assert!(said.contains(part), "{said}");
    }
}

/// The engine predicts what a native run shows, which is this.
#[test]
fn nothing_that_a_program_does_changes_times() {
    let config = CONFIG.replace(
        "max = 5 }",
        "min = 101, max = 105 }, sub = { value = 7 }, made = { min = 98, max = 105 }",
    ) + "sym_files = { made = 1 }\n";
    let program = include_str!("programs/ages_that_stay.c");
    let scratch = package(&config, program).file(
        "1.diff",
        "--- a/main.c\n+++ b/main.c\n@@ -12 +12 @@\n-\tconst int limit = 100;\n+\tconst int limit = 99;\n",
    );
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    assert!(said.contains("1 pair distinguished"), "{said}");
    assert_eq!(table::<SummaryRow>(&scratch.out())[0].mismatches, 0, "{said}");
    let native = Command::new(scratch.path("out/meta.native"))
        .current_dir(scratch.path("start"))
        .env("PSYCHIC_CLOCK", "5000")
        .envs([("PSYCHIC_AGE_0", "1000 a.txt"), ("PSYCHIC_AGE_1", "50 sub/b")])
        .output()
        .expect("runs");
    let expected = "a.txt: old 1\na.txt: old 1\nlink: old 1\nopen: old 1\nremoved: none 2\n\
                    a.txt: none 3\nc: some 4\nsub: none 5\n.: none 6\noutput: none 7\n";
    assert_eq!(String::from_utf8_lossy(&native.stdout), expected);
}

#[test]
fn times_that_make_no_sense_are_refused_with_their_line() {
    let said = |from: &str, to: &str| {
        assert!(CONFIG.contains(from));
        refused(&mut package(&CONFIG.replace(from, to), PROGRAM).stage("diff"))
    };
    for (from, to, parts) in [
        ("\"sub/b\"", "other", ["subject.toml:11: ", "\"other\"", "inputs.sym_files"]),
        ("max = 5", "max = -5", ["subject.toml:11: ", "sub/b: -5 is negative", "0 or more"]),
        ("max = 5", "min = 6, max = 5", ["subject.toml:11: ", "min = 6", "max = 5"]),
        ("max = 5", "min = 5", ["subject.toml:11: ", "sub/b: ", "give max = N"]),
        ("max = 5", "max = 5, value = 5", ["subject.toml:11: ", "sub/b: ", "value = N"]),
        ("max = 5", "most = 5", ["subject.toml:11", "most", "value"]),
        ("1700086400", "1600000000", ["subject.toml:10: ", "min = 1700000000", "1600000000"]),
    ] {
        let message = said(from, to);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    let test = "[[tests.run]]\nages = { sub = 1 }\n";
    let message = refused(&mut package(&format!("{CONFIG}{test}"), PROGRAM).stage("diff"));
    assert!(message.contains("\"sub\", which is not symbolic"), "{message}");
    for key in ["clock = { value = 5 }\n", "ages = { \"a.c\" = { max = 5 } }\n"] {
        let config = format!("{}[inputs]\n{key}", crate::support::CONFIG);
        let message = refused(&mut Scratch::new().file("subject.toml", &config).stage("diff"));
        assert!(
            message.contains("subject.toml:6: ") && message.contains("build.whole"),
            "{message}"
        );
    }
}
