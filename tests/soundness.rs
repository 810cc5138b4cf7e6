//! `psychic diff` claims nothing false: on subjects made to mislead it, each named after the cause
//! that once did so or might have, and on random subjects, compared with brute force.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

const HEAD: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                    #include \"psychic.h\"\n";

fn told(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The results of `psychic diff` on a file in which each patch replaces the line `here;`.
struct Judged {
    directory: TempDir,
    told: String,
}

impl Judged {
    fn new(source: &str, patches: &[&str], settings: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| directory.path().join(name);
        let source = format!("{HEAD}{source}");
        let line = source.lines().position(|line| line.trim() == "here;").expect("a line to patch");
        let original = source.replacen("here;", ";", 1);
        fs::write(path("p.c"), &original).expect("writable");
        for (index, patch) in patches.iter().enumerate() {
            let old = original.lines().nth(line).expect("counted above");
            let number = line + 1;
            let diff =
                format!("--- a/p.c\n+++ b/p.c\n@@ -{number} +{number} @@\n-{old}\n+{patch}\n");
            fs::write(path(&format!("{:03}.diff", index + 1)), diff).expect("writable");
        }
        let entry = if source.contains("int main") { "main" } else { "f" };
        let config = format!(
            "name = \"misleading\"\nsources = [\"p.c\"]\npatches = [\"*.diff\"]\n\
             entry = \"{entry}\"\n{settings}\n"
        );
        fs::write(path("subject.toml"), config).expect("writable");
        let output = Command::new(env!("CARGO_BIN_EXE_psychic"))
            .arg("diff")
            .arg(directory.path())
            .arg("--out")
            .arg(path("results"))
            // The bitcode of the libc is there.
            .env("PSYCHIC_CACHE", Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache"))
            .output()
            .expect("psychic runs");
        let told = told(&output);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{told}");
        Self { directory, told }
    }

    fn table(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let path = self.directory.path().join("results").join(name);
        let mut reader = csv::Reader::from_path(&path).expect(name);
        reader.deserialize().collect::<Result<_, _>>().expect(name)
    }

    #[track_caller]
    fn is(&self, a: u32, b: u32, verdict: &str) {
        let row = self
            .table("pairs.csv")
            .into_iter()
            .find(|row| row["a"] == a.to_string() && row["b"] == b.to_string())
            .expect("every pair has a row");
        assert_eq!(row["verdict"], verdict, "{a} and {b}: {row:?}\n{}", self.told);
        assert!(verdict != "unknown" || !row["reason"].is_empty(), "{row:?}");
    }

    #[track_caller]
    fn has_no_mismatch(&self) {
        assert_eq!(self.table("summary.csv")[0]["mismatches"], "0", "{}", self.told);
    }
}

#[test]
fn one_that_reads_more_does_not_meet_an_end_of_file() {
    let source =
        include_str!("soundness/programs/one_that_reads_more_does_not_meet_an_end_of_file.c");
    let judged = Judged::new(
        source,
        &[
            "\tscanf(\"%d\", &b);",
            "\tif (scanf(\"%d\", &b) != 1) return 3;",
            "\tif (scanf(\"%d%d\", &b, &b) == 2 && b == 7) return 4;",
        ],
        "",
    );
    judged.is(0, 1, "equivalent");
    judged.is(0, 2, "equivalent");
    judged.is(0, 3, "distinguished");
    judged.has_no_mismatch();
}

#[test]
fn one_that_reads_bytes_does_not_make_numbers_ill_formed_for_others() {
    let source = include_str!(
        "soundness/programs/one_that_reads_bytes_does_not_make_numbers_ill_formed_for_others.c"
    );
    let judged = Judged::new(
        source,
        &["\ta = 0;", "\tprintf(\"%d\\n\", getchar()); return 0;", "\ta = 1; a = 0;"],
        "",
    );
    judged.is(0, 1, "equivalent");
    judged.is(0, 3, "equivalent");
    judged.is(0, 2, "distinguished");
    judged.has_no_mismatch();
}

#[test]
fn a_slow_run_is_no_endless_one() {
    let source = include_str!("soundness/programs/a_slow_run_is_no_endless_one.c");
    let judged = Judged::new(
        source,
        &["\tfor (i = 0; x == 7 && i < 8000000000ul; i++) ;", "\tfor (; x == 7;) ;"],
        "[budget]\nreplay = \"100ms\"\ninstructions = 100000",
    );
    judged.is(0, 1, "unknown");
    judged.is(0, 2, "distinguished");
    judged.is(1, 2, "unknown");
}

#[test]
fn an_assumption_of_one_revision_leaves_inputs_open() {
    let source =
        include_str!("soundness/programs/an_assumption_of_one_revision_leaves_inputs_open.c");
    let judged = Judged::new(
        source,
        &[
            "\tpsychic_assume(x > 5);",
            "\tpsychic_assume(x > 5); y = 1 + x;",
            "\ty = x - -1;",
            "\tif (x == 3) exit(119);",
        ],
        "[inputs.params]\nx = { min = 0, max = 100 }",
    );
    judged.is(0, 1, "unknown");
    judged.is(1, 2, "unknown");
    judged.is(0, 3, "equivalent");
    judged.is(0, 4, "distinguished");
}

#[test]
fn shifts_by_the_width_or_more_are_those_of_the_machine() {
    let source =
        include_str!("soundness/programs/shifts_by_the_width_or_more_are_those_of_the_machine.c");
    let judged = Judged::new(
        source,
        &[
            "\tr = y >= 0 && y < 32 ? x << y : 0;",
            "\tr = x << (y & 31);",
            "\tr = (int)((unsigned)x << (y & 31));",
        ],
        "",
    );
    judged.is(0, 1, "distinguished");
    judged.is(0, 2, "equivalent");
    judged.is(0, 3, "equivalent");
    judged.has_no_mismatch();
}

#[test]
fn shifts_by_constants_too_large_are_those_of_the_machine() {
    let source =
        include_str!("soundness/programs/shifts_by_constants_too_large_are_those_of_the_machine.c");
    let judged = Judged::new(
        source,
        &[
            "\tr = (unsigned __int128)(y >> 6) + (y << 1) + (unsigned)(x << 1);",
            "\tr = (unsigned __int128)(y >> 6) + (y << 1);",
        ],
        "",
    );
    judged.is(0, 1, "equivalent");
    judged.is(0, 2, "distinguished");
    judged.has_no_mismatch();
}

#[test]
fn differences_of_pointers_that_are_no_whole_number_round_down() {
    let source = include_str!(
        "soundness/programs/differences_of_pointers_that_are_no_whole_number_round_down.c"
    );
    let judged = Judged::new(
        source,
        &[
            "\tr = (int)((to - from) >> 2);",
            "\tr = (int)(to - from) / 4;",
            "\tmany.numbers[0] = (to - from) / 3;",
        ],
        "",
    );
    judged.is(0, 1, "equivalent");
    judged.is(0, 2, "distinguished");
    judged.is(0, 3, "equivalent");
    judged.has_no_mismatch();
}

#[test]
fn a_trial_keeps_to_the_length_of_its_bytes() {
    let source = include_str!("soundness/programs/a_trial_keeps_to_the_length_of_its_bytes.c");
    let judged = Judged::new(source, &["\tmost = 3;"], "[inputs.stdin]\nbytes = 4\n");
    judged.is(0, 1, "unknown");
}

#[test]
fn a_trial_keeps_to_the_length_of_a_word() {
    let source = include_str!("soundness/programs/a_trial_keeps_to_the_length_of_a_word.c");
    let settings = "[inputs.stdin]\ntokens = 2\nword = 3\n";
    let judged = Judged::new(source, &["\tmost = 4;"], settings);
    judged.is(0, 1, "unknown");
}

#[test]
fn a_trial_keeps_to_what_conversions_take() {
    let source = include_str!("soundness/programs/a_trial_keeps_to_what_conversions_take.c");
    for parts in [["%1d", "&digit"], ["%2s", "word"], ["%[a-e]", "letters"]] {
        let [format, place] = parts;
        let at_once = format!("\tscanf(\"{format}%d\", {place}, &number);");
        let apart = format!("\tscanf(\"{format}\", {place}); scanf(\"%d\", &number);");
        let other = format!("\tscanf(\"{format} %u\", {place}, &number);");
        let judged = Judged::new(source, &[&at_once, &apart, &other], "");
        judged.is(1, 2, "unknown");
        judged.has_no_mismatch();
    }
}

#[test]
fn outcomes_that_agree_on_some_inputs_of_a_path_make_regions() {
    let source = include_str!(
        "soundness/programs/outcomes_that_agree_on_some_inputs_of_a_path_make_regions.c"
    );
    let judged = Judged::new(
        source,
        &["\ty = -x;", "\ty = 5;"],
        "[inputs.params]\nx = { min = -9, max = 9 }",
    );
    let ranges: Vec<(String, String, bool)> = judged
        .table("ranges.csv")
        .into_iter()
        .map(|row| (row["low"].clone(), row["high"].clone(), row["test"].is_empty()))
        .collect();
    // x and -x agree at 0, x and 5 at 5, -x and 5 at -5; all three differ elsewhere.
    for point in ["0", "5", "-5"] {
        assert!(ranges.contains(&(point.into(), point.into(), false)), "{ranges:?}");
    }
    assert_eq!(ranges.len(), 4, "{ranges:?}");
    assert_eq!(judged.table("tests.csv").len(), 4, "{}", judged.told);
}

#[test]
fn what_is_not_the_same_twice_is_no_evidence() {
    let source = include_str!("soundness/programs/what_is_not_the_same_twice_is_no_evidence.c");
    let judged = Judged::new(
        source,
        &["\treturn getpid();", "\tprintf(\"%p\", (void *)&y);", "\ty = 0 * x;"],
        "",
    );
    judged.is(0, 1, "unknown");
    judged.is(0, 2, "unknown");
    judged.is(0, 3, "equivalent");
}

#[test]
fn an_address_used_as_a_number_proves_nothing() {
    let source = include_str!("soundness/programs/an_address_used_as_a_number_proves_nothing.c");
    let numbers = [
        ["\tz = (int)(long)p;", "\tz = (int)(long)&y;"],
        ["\tz = (long)p % 97;", "\tz = (long)&y % 97;"],
        ["\tz = p < &z;", "\tz = &y < &z;"],
        ["\tprintf(\"%ld\", (long)p);", "\tprintf(\"%ld\", (long)&y);"],
        ["\tz = ((long)p & 15) == 0;", "\tz = ((long)&y & 15) == 0;"],
        ["\tfwrite(&p, 8, 1, stdout);", "\tp = &y; fwrite(&p, 8, 1, stdout);"],
        ["\tz = *(int *)&p;", "\tz = (int)(long)p;"],
        ["\tint *a[2] = {p, p}; a[x & 1] = p; z = *(int *)&a[0];", "\tz = (int)(long)p;"],
        ["\tz = (long)p == x * 1234567890123L;", "\tz = x * 1234567890123L == (long)&y;"],
        ["\tz = ((char *)&p)[1];", "\tz = (char)((long)p >> 8);"],
        ["\tprintf(\"%d\", p);", "\tprintf(\"%d\", 0);"],
    ];
    // C defines these uses of addresses, or they are the same on every machine.
    let defined = ["\tz = ((long)p & 3) != 0;", "\tz = p == &z;", "\tz = p + 1 - &y - 1;"];
    let patches: Vec<&str> = numbers.iter().flatten().chain(&defined).copied().collect();
    let judged = Judged::new(source, &patches, "");
    for pair in 0..numbers.len() as u32 {
        judged.is(2 * pair + 1, 2 * pair + 2, "unknown");
    }
    for index in 0..defined.len() as u32 {
        judged.is(0, 2 * numbers.len() as u32 + 1 + index, "equivalent");
    }
}

#[test]
fn more_revisions_than_a_machine_word_has_bits() {
    let source = include_str!("soundness/programs/more_revisions_than_a_machine_word_has_bits.c");
    let patches: Vec<String> =
        (0..140).map(|n| format!("\ty = x == {} ? 1 : 0;", n % 70)).collect();
    let patches: Vec<&str> = patches.iter().map(String::as_str).collect();
    let judged = Judged::new(source, &patches, "");
    for row in judged.table("pairs.csv") {
        let (a, b): (u32, u32) = (row["a"].parse().unwrap(), row["b"].parse().unwrap());
        let same = a > 0 && (a - 1) % 70 == (b - 1) % 70;
        assert_eq!(row["verdict"], if same { "equivalent" } else { "distinguished" }, "{a} {b}");
    }
    judged.has_no_mismatch();
}

#[test]
fn random_programs_against_brute_force() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = Command::new("python3")
        .current_dir(top)
        .env("PSYCHIC_CACHE", top.join(".cache"))
        .args(["tests/soundness/check.py", env!("CARGO_BIN_EXE_psychic"), "1", "100"])
        .args(["--jobs", "2", "--ways", "in-turn"])
        .output()
        .expect("python3 runs");
    assert!(check.status.success(), "{}", told(&check));
}

/// Fifty subjects. A mismatch (a native run that shows something other than predicted) is a bug,
/// too, but one that the results report themselves; only `make attack` counts these.
#[test]
fn random_programs_as_people_write_them_against_separate_builds() {
    attack(&["200", "249", "--budget", "1s"]);
}

#[test]
fn random_packages_against_separate_builds() {
    attack(&["1", "4", "--package", "--budget", "5s"]);
}

#[track_caller]
fn attack(arguments: &[&str]) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let attack = Command::new("python3")
        .current_dir(top)
        .env("PSYCHIC_CACHE", top.join(".cache"))
        .args(["tests/soundness/attack.py", env!("CARGO_BIN_EXE_psychic")])
        .args(arguments)
        .args(["--jobs", "2", "--verdicts"])
        .output()
        .expect("python3 runs");
    assert!(attack.status.success(), "{}", told(&attack));
}
