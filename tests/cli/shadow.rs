//! Shadow symbolic execution, held against native runs of every input.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use psychic::{
    replay::TestInput,
    results::{DivergenceRow, FoundBy, PairRow, Phase, RevisionRow, Shown, TestRow},
    subject::Revision,
};

use crate::{
    packages::{nested, nested_twice},
    support::{CONFIG, Scratch, psychic, refused, run, table},
};

/// A directory below `tests/shadow`, copied so that it can be changed.
fn kept(name: &str) -> Scratch {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shadow").join(name);
    let mut scratch = Scratch::new();
    fs::remove_file(scratch.path("a.c")).expect("it is there");
    for entry in fs::read_dir(from).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        scratch = scratch.file(&name, &fs::read_to_string(&path).expect("text"));
    }
    scratch
}

/// Runs `psychic shadow`, which has to succeed.
fn shadow(scratch: &Scratch, more: &[&str]) -> Vec<DivergenceRow> {
    let ran = run(scratch.stage("shadow").args(more));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    table(&scratch.out())
}

/// Gives a function of an `int x` tests.
fn with_tests(scratch: Scratch, values: &[i32]) -> Scratch {
    let text = fs::read_to_string(scratch.path("subject.toml")).expect("text");
    let scratch =
        scratch.file("subject.toml", &format!("{text}\n[tests]\nktest = [\"*.ktest\"]\n"));
    for x in values {
        let objects = vec![("x".to_owned(), x.to_le_bytes().to_vec())];
        let input = TestInput { args: vec![b"program".to_vec()], stdin: None, objects };
        fs::write(scratch.path(&format!("{x}.ktest")), input.to_bytes().expect("small")).unwrap();
    }
    scratch
}

/// The value of `x` in a test of the results.
fn x_of(scratch: &Scratch, row: &DivergenceRow) -> i32 {
    let test = row.test.expect("it ran");
    let file = scratch.out().join(format!("tests/{:04}.ktest", test.0));
    let input = TestInput::read(&file).expect("a test");
    let bytes = input.object("x").expect("it has one");
    i32::from_le_bytes(bytes.try_into().expect("an int"))
}

#[test]
fn the_underflow_of_the_toy_is_found_from_each_test() {
    for test in [-5, 2, 10] {
        let scratch = with_tests(kept("toy"), &[test]);
        let rows = shadow(&scratch, &[]);
        let regressions: Vec<_> =
            rows.iter().filter(|row| row.shown == Shown::Regression).collect();
        assert_eq!(regressions.len(), 1, "from {test}: {rows:?}");
        assert_eq!(x_of(&scratch, regressions[0]), 0);
        let sides: BTreeSet<_> = rows.iter().map(|row| (row.old_to, row.new_to)).collect();
        assert_eq!(sides, BTreeSet::from([(Some(8), Some(15)), (Some(15), Some(8))]));
        assert!(rows.iter().all(|row| (row.old_line, row.new_line) == (7, 7)), "{rows:?}");
        let phases: BTreeSet<Phase> = rows.iter().map(|row| row.phase).collect();
        assert_eq!(phases, BTreeSet::from([Phase::Concolic, Phase::Bounded]));
    }
}

#[test]
fn without_tests_all_paths_are_explored() {
    let scratch = kept("toy");
    let rows = shadow(&scratch, &[]);
    assert_eq!(rows.iter().filter(|row| row.phase == Phase::Symbolic).count(), 2);
    // The two directions are the least `int`s, and 0 and 1.
    let inputs: BTreeSet<i32> = rows.iter().map(|row| x_of(&scratch, row)).collect();
    assert!(inputs.contains(&0) && inputs.contains(&1) && inputs.len() == 3, "{inputs:?}");
    let tests: Vec<TestRow> = table(&scratch.out());
    assert!(tests.iter().any(|test| test.found_by == FoundBy::Divergence));
    let ranked = run(psychic().arg("rank").arg(scratch.out()));
    assert_eq!(ranked.code, Some(0), "{}", ranked.stderr);
    assert_eq!(shadow(&with_tests(kept("toy"), &[-5]), &["--no-tests"]), rows);
}

/// C that notes the side of each `if` of a function.
const NOTING: &str = "#define if(...) if (note(__LINE__, !!(__VA_ARGS__)))\n";

/// Every input on which two revisions natively take different sides of a branch that is reported is
/// covered by a divergence, and every divergence at a branch shows natively on all its inputs.
#[test]
fn divergences_are_those_of_native_runs() {
    let scratch = kept("patterns");
    let rows = shadow(&scratch, &[]);
    let revisions: Vec<RevisionRow> = table(&scratch.out());
    let mut program = String::from(
        "#include <stdio.h>\nstatic int sides[100];\n\
         static int note(int line, int side) { sides[line] = side + 1; return side; }\n",
    );
    for row in &revisions {
        let source = scratch.path(&format!("r{}.c", row.revision));
        fs::copy(scratch.path("patterns.c"), &source).expect("copied");
        if row.revision != Revision::ORIGINAL {
            let diff = fs::File::open(scratch.path(&row.patch)).expect("it is there");
            let patch = Command::new("patch").arg("-s").arg(&source).stdin(diff).status();
            assert!(patch.expect("patch(1)").success());
        }
        let text = fs::read_to_string(&source).expect("text");
        let text = text
            .replace("#include <stdio.h>\n", "\n")
            .replace("half(", &format!("half{}(", row.revision));
        let text = text.replace("int patterns(", &format!("static int patterns{}(", row.revision));
        program += &format!(
            "{NOTING}#define printf(...) ((void)0)\n#line 1\n{text}\n#undef if\n#undef printf\n"
        );
    }
    program +=
        "int main(void) {\nfor (int x = -20; x <= 20; x++) for (int a = -20; a <= 20; a++) {\n";
    let in_c = |condition: &str| {
        [(" and ", " && "), ("<s ", "< "), (">=s ", ">= "), ("/s ", "/ "), ("[7:0]", "")]
            .iter()
            .fold(condition.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    for row in &revisions[1..] {
        let of_revision = || rows.iter().filter(|known| known.new == row.revision);
        let all: Vec<String> =
            of_revision().map(|known| format!("({})", in_c(&known.condition))).collect();
        let covered = if all.is_empty() { "0".into() } else { all.join(" || ") };
        program += &format!(
            "{{ int old[100], is_covered = {covered};\nfor (int i = 0; i < 100; i++) sides[i] = 0;\n\
             patterns0(x, a);\nfor (int i = 0; i < 100; i++) old[i] = sides[i], sides[i] = 0;\n\
             patterns{}(x, a);\n",
            row.revision
        );
        for known in of_revision().filter(|known| known.old_to.is_some()) {
            let differ = format!(
                "(old[{0}] && sides[{1}] && old[{0}] != sides[{1}])",
                known.old_line, known.new_line
            );
            program += &format!(
                "if (({0}) && !{differ}) return printf(\"{1}: %d %d is none\\n\", x, a), 1;\n\
                 if ({differ} && !is_covered) return printf(\"{1}: %d %d is missing\\n\", x, a), 1;\n",
                in_c(&known.condition),
                row.patch
            );
        }
        program += "(void)old; (void)is_covered; }\n";
    }
    program += "}\nreturn 0; }\n";
    fs::write(scratch.path("all.c"), program).expect("written");
    let mut clang = Command::new("clang-19");
    clang.args(["-w", "-O1"]).arg(scratch.path("all.c")).arg("-o").arg(scratch.path("all"));
    assert!(clang.status().expect("a compiler").success());
    let all = Command::new(scratch.path("all")).output().expect("runs");
    assert!(all.status.success(), "{}", String::from_utf8_lossy(&all.stdout));
}

/// Which annotation patterns of section 3.1 of "Shadow of a doubt" diverge at a branch that both
/// revisions have, at code of their own, or not at all.
#[test]
fn annotation_patterns_are_merged_from_plain_diffs() {
    let scratch = kept("patterns");
    let rows = shadow(&scratch, &[]);
    let revisions: Vec<RevisionRow> = table(&scratch.out());
    for row in &revisions[1..] {
        let mut of_revision = rows.iter().filter(|known| known.new == row.revision).peekable();
        let is_any = of_revision.peek().is_some();
        let at_branch = is_any && of_revision.all(|known| known.old_to.is_some());
        let name = row.patch.trim_end_matches(".diff");
        let expected = match name {
            // Nothing is decided by it within the bounds.
            "1b-argument" | "1e-stronger" | "4-variable-removed" => (false, false),
            _ if name.starts_with('1') || name.starts_with("2a") || name.starts_with("2b") => {
                (true, true)
            }
            _ => (true, false),
        };
        assert_eq!((is_any, at_branch), expected, "{name}");
    }
}

#[test]
fn a_later_revision_says_what_was_wanted() {
    let scratch = Scratch::new()
        .patch("1.diff", "return x > 2;")
        .patch("2.diff", "return x > 0 ? x > 2 : x == -7;")
        .patch("3.diff", "return x > -5;");
    let rows = shadow(&scratch, &["--new", "3", "--later", "2"]);
    assert!(rows.iter().all(|row| row.new == Revision(3)), "{rows:?}");
    let branches = Scratch::new()
        .file("a.c", "int entry(int x)\n{\n\tif (x > 0)\n\t\treturn 1;\n\treturn 0;\n}\n")
        .file("1.diff", "--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\tif (x > 0)\n+\tif (x > 5)\n")
        .file("2.diff", "--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\tif (x > 0)\n+\tif (x > 2)\n");
    let rows = shadow(&branches, &["--old", "0", "--new", "1", "--later", "2"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    let x = x_of(&branches, &rows[0]);
    let expected = if x > 2 { Shown::Unwanted } else { Shown::Expected };
    assert_eq!(rows[0].shown, expected, "x = {x}");
    let pairs: Vec<PairRow> = table(&branches.out());
    assert_eq!(pairs.len(), 3);
}

/// A build may run the compiler where a file lies (`make -C`): its name alone is known then.
#[test]
fn lines_of_files_in_subdirectories_are_those_of_each_revision() {
    let diff = "--- a/lib/half.c\n+++ b/lib/half.c\n@@ -1,2 +1,4 @@\n\
        \u{20}/* Compiled in the directory where it lies. */\n+/* And patched. */\n+\n #include <stdio.h>\n\
        @@ -6 +8 @@\n-\tif (x > 64) {\n+\tif (x > 97) {\n";
    let rows = shadow(&nested().file("1.diff", diff), &[]);
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!((row.file.as_str(), row.old_line, row.new_line), ("lib/half.c", 6, 8));
        assert_eq!(row.old_to, Some(7));
    }
    let scratch = nested_twice().file("1.diff", diff);
    let rows = shadow(&scratch, &[]);
    assert!(rows.iter().all(|row| row.file == "half.c") && !rows.is_empty(), "{rows:?}");
    let page = fs::read_to_string(scratch.out().join("report.html")).expect("written");
    let said = "lines of half.c are those of the meta program, as there are several files";
    assert!(page.contains(said), "{page}");
}

/// At most 256 paths behind a divergence get an input.
#[test]
fn paths_that_are_not_followed_are_said() {
    let source = |bits: u32| {
        let mut text =
            "int entry(int x)\n{\n\tint n = 0;\n\tif (x < 0)\n\t\treturn 0;\n".to_owned();
        for bit in 0..bits {
            text += &format!("\tif (x & {})\n\t\tn = n * 3 + x / {};\n", 1 << bit, bit + 2);
        }
        text + "\treturn n;\n}\n"
    };
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\tif (x < 0)\n+\tif (x < -9999)\n";
    let bounds = |bits| {
        let scratch = Scratch::new().file("a.c", &source(bits)).file("1.diff", diff);
        let rows = shadow(&scratch, &[]);
        let report = fs::read_to_string(scratch.out().join("report.html")).expect("written");
        assert!(report.contains("<summary><code>a.c:4, old to "), "{report}");
        (rows.len(), report.contains("not every path behind divergence 1 was followed"))
    };
    assert_eq!(bounds(3), (8, false));
    assert_eq!(bounds(9), (256, true));
}

#[test]
fn what_cannot_be_done_is_said() {
    let scratch = || with_tests(kept("toy"), &[2]);
    let said = |scratch: &Scratch, more: &[&str]| {
        let message = refused(scratch.stage("shadow").args(more));
        assert!(!scratch.out().join("divergences.csv").exists());
        message
    };
    assert!(said(&scratch(), &["--new", "7"]).contains("there is no revision 7"));
    assert!(said(&scratch(), &["--old", "1", "--new", "1"]).contains("named twice"));
    assert!(said(&scratch(), &["--old", "0", "--later", "1"]).contains("no new revision"));
    let unmatched = kept("toy");
    let text = fs::read_to_string(unmatched.path("subject.toml")).expect("text");
    let unmatched =
        unmatched.file("subject.toml", &format!("{text}[tests]\nktest = [\"x/*.ktest\"]\n"));
    assert!(said(&unmatched, &[]).contains("x/*.ktest"));
    let untouched = Scratch::new()
        .file("a.c", "int entry(int x)\n{\n\tif (x > 5)\n\t\treturn x > 9;\n\treturn 0;\n}\n")
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\t\treturn x > 9;\n+\t\treturn x > 8;\n",
        );
    assert!(
        said(&with_tests(untouched, &[1]), &[]).contains("no test in [tests] runs what a patch")
    );
}

/// Numbers and words of a test are followed where the program's own reads make them.
#[test]
fn tests_of_typed_input_are_followed() {
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let given = |stdin: &str| format!("{config}[[tests.run]]\nstdin = \"{stdin}\"\n");
    let scratch = Scratch::new()
        .file("a.c", include_str!("programs/typed_tests.c"))
        .file("subject.toml", &given("120 set\\n2.0\\n"))
        .file("1.diff", "--- a/a.c\n+++ b/a.c\n@@ -12 +12 @@\n-\tif (r > 1.5)\n+\tif (r > 1.25)\n");
    let rows = shadow(&scratch, &[]);
    let inputs = rows.iter().filter_map(|row| row.test).map(|test| {
        let file = scratch.out().join(format!("tests/{:04}.ktest", test.0));
        String::from_utf8(TestInput::read(&file).expect("a test").stdin.unwrap()).expect("text")
    });
    let inputs: Vec<String> = inputs.collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        let words: Vec<&str> = input.split_whitespace().collect();
        let [n, "set", r] = words[..] else { panic!("{input}") };
        let r: f64 = r.parse().expect("a number");
        assert!(n.parse::<i32>().expect("a number") >= 100 && r > 1.25 && r <= 1.5, "{input}");
    }
    let single = Scratch::new()
        .file(
            "a.c",
            "#include <stdio.h>\nint main(void)\n{\n\tint x = getchar();\n\tif (x > 'a')\n\t\tputs(\"late\");\n\treturn 0;\n}\n",
        )
        .file("subject.toml", &given("c"))
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\tif (x > 'a')\n+\tif (x > 'b')\n",
        );
    assert!(shadow(&single, &[]).iter().any(|row| row.test.is_some()));
}
