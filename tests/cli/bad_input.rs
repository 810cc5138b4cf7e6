//! Unusable input is refused: one clear message, exit code 2, no half-written results.

use std::fs;

use psychic::results::ClusterRow;

use crate::support::{CONFIG, Scratch, names, psychic, refused, run, table};

/// Asserts that a message has every part that a person needs.
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

#[test]
fn no_such_subject() {
    for stage in ["diff", "merge", "build", "replay"] {
        says(&refused(psychic().args([stage, "nowhere"])), &["nowhere/subject.toml", "directory"]);
    }
}

#[test]
fn what_a_subject_says_itself_is_no_option() {
    let scratch = Scratch::new();
    for option in [["--sym-arg", "3"], ["--entry", "f"], ["--files", "."]] {
        let mut explore = scratch.stage("explore");
        says(&refused(explore.args(option)), &["subject.toml", "for a file"]);
    }
    assert!(!scratch.out().exists());
}

#[test]
fn a_directory_without_subject_toml() {
    let scratch = Scratch::new();
    fs::remove_file(scratch.path("subject.toml")).expect("removed");
    says(&refused(&mut scratch.stage("diff")), &["subject.toml: no such file"]);
    assert!(!scratch.out().exists());
}

#[test]
fn bad_toml() {
    let broken = Scratch::new().file("subject.toml", "name = \"x\"\nsources = [\n");
    says(&refused(&mut broken.stage("diff")), &["subject.toml:2", "array"]);
    let misspelt = Scratch::new().file("subject.toml", &CONFIG.replace("entry =", "entyr ="));
    says(&refused(&mut misspelt.stage("diff")), &["subject.toml:4", "`entyr`", "`entry`"]);
    let missing = Scratch::new().file("subject.toml", &CONFIG.replace("a.c", "b.c"));
    says(&refused(&mut missing.patch("1.diff", "").stage("diff")), &["subject.toml:2", "b.c"]);
}

#[test]
fn a_number_of_arguments_that_there_cannot_be() {
    for count in ["[2, 1]", "[0, 1000]"] {
        let config = format!("{CONFIG}[inputs]\nargs = [{{ string = 3, count = {count} }}]\n");
        let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
        let line = format!("subject.toml:{}", config.lines().count());
        says(&refused(&mut scratch.stage("diff")), &[&line, "LEAST"]);
    }
    let many = "args = [{ one_of = [\"a\", \"b\"], count = [7, 7] }]";
    let none = "args = [{ one_of = [] }]";
    let both = "args = [{ one_of = [\"a\"], string = 2 }]";
    let variable = "env = { A = { prefix = \"a\", string = 2 } }";
    let cases = [
        (many, "128 combinations"),
        (none, "0 combinations"),
        (both, "{ one_of ="),
        (variable, "for arguments"),
    ];
    for (inputs, said) in cases {
        let config = format!("{CONFIG}[inputs]\n{inputs}\n");
        let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
        let line = format!("subject.toml:{}", config.lines().count());
        says(&refused(&mut scratch.stage("diff")), &[&line, said]);
    }
    let scratch = Scratch::new();
    for options in [&["--sym-args", "2", "1", "3"][..], &["--", "--sym-arg"]] {
        let mut explore = psychic();
        explore.arg("explore").arg(scratch.path("a.c")).arg("--out").arg(scratch.out());
        says(&refused(explore.args(options)), &["--sym-arg"]);
    }
}

#[test]
fn a_name_that_leaves_the_results() {
    for name in ["../up", "/abs", "..", ""] {
        let config = CONFIG.replace("scratch", name);
        let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
        says(&refused(&mut scratch.stage("merge")), &["subject.toml:1", "name"]);
    }
}

#[test]
fn zero_patches() {
    let scratch = Scratch::new();
    says(&refused(&mut scratch.stage("diff")), &["subject.toml:3", "no file matches", "*.diff"]);
}

#[test]
fn all_patches_rejected() {
    let scratch = Scratch::new()
        .file("1-text.diff", "hello\n")
        .file("2-other.diff", "--- a/b.c\n+++ b/b.c\n@@ -1 +1 @@\n-int a;\n+int b;\n")
        .patch("3-compile.diff", "return undeclared;")
        .patch("4-parse.diff", "return (x;");
    let message = refused(&mut scratch.stage("diff"));
    says(
        &message,
        &["not one patch applies, compiles and links", "1-text.diff:1: not a unified diff"],
    );
    says(&message, &["2-other.diff:1: b/b.c is not a file of the subject"]);
    says(&message, &["3-compile.diff: a.c:3", "undeclared identifier 'undeclared'"]);
    says(&message, &["4-parse.diff: a.c:3", "`)` is missing"]);
    assert_eq!(names(&scratch.out()), [""; 0]);
}

/// They compile, but nothing has the function that they call.
#[test]
fn all_patches_set_aside_when_they_are_linked() {
    let scratch = Scratch::new()
        .patch("1.diff", "extern int nowhere(int); return nowhere(x);")
        .patch("2.diff", "return (x;");
    for stage in ["diff", "build", "explore"] {
        let message = refused(&mut scratch.stage(stage));
        says(&message, &["not one patch", "links", "1.diff: ", "nowhere"]);
        says(&message, &["2.diff: a.c:3: `)` is missing"]);
    }
}

#[test]
fn an_original_that_does_not_compile() {
    let scratch = Scratch::new().patch("1.diff", "return 1;").file("a.c", "int entry(int x { }\n");
    says(&refused(&mut scratch.stage("diff")), &["original", "a.c:1", "build.flags"]);
}

#[test]
fn an_entry_that_does_not_exist() {
    let config = CONFIG.replace("entry = \"entry\"", "entry = \"entri\"");
    let scratch = Scratch::new().file("subject.toml", &config).patch("1.diff", "return 1;");
    let message = refused(&mut scratch.stage("diff"));
    says(&message, &["`entri`", "a.c", "did you mean `entry`?"]);
    assert!(!message.contains("psychic_at"), "ours: {message}");
}

#[test]
fn a_mistake_costs_no_earlier_tests() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let before = names(&scratch.path("out/tests"));
    assert_eq!(before, ["0001.ktest", "0001.sh"]);
    let scratch = scratch.file("1.diff", "no diff\n");
    refused(&mut scratch.stage("diff"));
    assert_eq!(names(&scratch.path("out/tests")), before);
}

#[test]
fn bitcode_that_is_none() {
    let scratch = Scratch::new().file("text.bc", "hello\n").file("magic.bc", "BC\u{c0}\u{de}1234");
    for name in ["text.bc", "magic.bc", "none.bc", "none.c"] {
        let mut command = psychic();
        command.arg("explore").arg(scratch.path(name)).arg("--out").arg(scratch.out());
        says(&refused(&mut command), &[name]);
        assert!(!scratch.out().exists(), "{name}: left results");
    }
    // The header of real bitcode, followed by nothing that LLVM 19 can read.
    fs::write(scratch.path("other.bc"), b"BC\xc0\xde\x35\x14\0\0\x05\0\0\0").expect("written");
    let mut command = psychic();
    command.arg("explore").arg(scratch.path("other.bc")).arg("--out").arg(scratch.out());
    says(&refused(&mut command), &["other.bc"]);
    // One bit of it is wrong, on which LLVM's reader crashes.
    fs::write(scratch.path("bit.bc"), include_bytes!("programs/damaged.bc")).expect("written");
    let mut command = psychic();
    command.arg("explore").arg(scratch.path("bit.bc")).arg("--out").arg(scratch.out());
    says(&refused(&mut command), &["bit.bc is damaged"]);
}

#[test]
fn what_is_not_ours_is_never_removed() {
    let scratch = Scratch::new().patch("1.diff", "return 1;");
    let files = ["tests/main.rs", "build/Makefile", "meta/data"];
    let own = scratch.path("own");
    for (place, names) in [(scratch.dir.path(), &files[..]), (&own, &files[1..])] {
        for name in names {
            let file = place.join(name);
            fs::create_dir_all(file.parent().expect("one")).expect("made");
            fs::write(file, "mine").expect("written");
        }
        for stage in ["diff", "merge", "build", "explore"] {
            let mut command = psychic();
            command.arg(stage).arg(scratch.dir.path()).args(["--out", "."]).current_dir(place);
            says(&refused(&mut command), &["not a directory of results", "--out"]);
            for name in names {
                assert_eq!(fs::read(place.join(name)).expect("still there"), b"mine");
            }
        }
    }
}

/// A hunk header may give any line number.
#[test]
fn hunks_from_nowhere() {
    let at = |line: &str| {
        format!("--- a.c\n+++ a.c\n@@ -{line},1 +1 @@\n-\treturn x > 0;\n+\treturn x > 1;\n")
    };
    let scratch = Scratch::new()
        .file("1.diff", &at("18446744073709551615"))
        .file("2.diff", &at("-999999999999"))
        .file("3.diff", &at("4294967295"));
    let merged = run(&mut scratch.stage("merge"));
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    assert!(merged.stdout.starts_with("1 of 3 patches merged"), "{}", merged.stdout);
    assert_eq!(merged.stderr.matches("malformed hunk header").count(), 2, "{}", merged.stderr);
}

#[test]
fn patches_that_change_nothing() {
    let scratch = Scratch::new().patch("1.diff", "return x > 0;").patch("2.diff", "return x > 0;");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("0 pairs distinguished"), "{}", ran.stdout);
    let scratch = Scratch::new().file("1.diff", "").file("2.diff", "\n");
    says(
        &refused(&mut scratch.stage("diff")),
        &["not one patch", "1.diff:1: empty", "2.diff:1: empty"],
    );
}

#[test]
fn an_unwritable_output_directory() {
    let scratch = Scratch::new().patch("1.diff", "return 1;").file("file", "mine\n");
    let file = scratch.path("file");
    for place in [file.clone(), file.join("below"), "/proc/psychic".into(), "/dev/null".into()] {
        for stage in ["diff", "merge", "explore"] {
            let mut command = psychic();
            command.arg(stage).arg(scratch.dir.path()).arg("--out").arg(&place);
            says(&refused(&mut command), &[&place.to_string_lossy(), "--out"]);
        }
    }
    assert_eq!(fs::read_to_string(file).expect("still there"), "mine\n");
}

#[test]
fn options_without_meaning() {
    let scratch = Scratch::new().patch("1.diff", "return 1;");
    let refuse = |option: &str, value: &str| {
        let message = refused(scratch.stage("diff").args([option, value]));
        says(&message, &[option, value]);
        message
    };
    says(&refuse("--search", "zigzag"), &["directed, dfs, bfs, random-path, coverage, shortest"]);
    says(&refuse("--time-budget", "soon"), &["60s, 10m or 2h"]);
    says(&refuse("--time-budget", "5"), &["ms, s, m or h"]);
    refuse("--time-budget", "-5s");
    refuse("--jobs", "0");
    refuse("--jobs", "-1");
    refuse("--seed", "x");
    assert!(!scratch.out().exists());
}

#[test]
fn clusters_that_are_none() {
    let scratch = Scratch::new();
    let clusters = |text: &str| {
        fs::write(scratch.path("c.csv"), text).expect("written");
        refused(psychic().arg("tree").arg(scratch.path("c.csv")))
    };
    says(&clusters(""), &["c.csv", "no column `test`", "test,revision,cluster"]);
    says(&clusters("test,revision\n1,2\n"), &["c.csv", "no column `cluster`"]);
    says(&clusters("test,revision,cluster\n1,0,0\n1,1,x\n"), &["c.csv:3", "`cluster`", "`x`"]);
    says(&clusters("test,revision,cluster\n1,0,0\n1,0,1\n"), &["test 1", "revision 0", "two"]);
    says(&clusters("test,revision,cluster\n"), &["c.csv", "no rows"]);
    says(&refused(psychic().arg("tree").arg(scratch.path("none.csv"))), &["none.csv"]);
    says(&refused(psychic().arg("tree").arg(scratch.dir.path())), &["clusters.csv"]);
}

#[test]
fn nothing_to_plot() {
    let scratch = Scratch::new();
    says(&refused(psychic().arg("plot").arg(scratch.path("none"))), &["none", "psychic diff"]);
    let table = "test,revision,cluster\n1,0,0\n1,1,1\n";
    let scratch = scratch.file("clusters.csv", table);
    let plot = || refused(psychic().arg("plot").arg(scratch.dir.path()));
    says(&plot(), &["tree.json", "psychic tree"]);
    fs::write(scratch.path("tree.json"), "{").expect("written");
    says(&plot(), &["tree.json", "not a decision tree"]);
}

#[test]
fn tests_that_are_none() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;");
    says(&refused(&mut scratch.stage("replay")), &["tests", "no .ktest files"]);
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let good = fs::read(scratch.path("out/tests/0001.ktest")).expect("a test");
    let before: Vec<ClusterRow> = table(&scratch.out());
    let replay = |bytes: &[u8]| {
        fs::write(scratch.path("bad.ktest"), bytes).expect("written");
        let good = scratch.path("out/tests/0001.ktest");
        refused(scratch.stage("replay").arg(good).arg(scratch.path("bad.ktest")))
    };
    for end in 5..good.len() {
        says(&replay(&good[..end]), &["bad.ktest", "damaged"]);
    }
    says(&replay(b""), &["bad.ktest", "not a .ktest file"]);
    says(&replay(b"hello"), &["bad.ktest", "not a .ktest file"]);
    let huge = [&good[..good.len() - 8], &[0xff; 8]].concat();
    says(&replay(&huge), &["bad.ktest"]);
    assert_eq!(table::<ClusterRow>(&scratch.out()), before);
}
