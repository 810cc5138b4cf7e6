//! The scripts beside the tests, against programs that are patched by patch(1) and compiled by the
//! system's compiler: nothing in them is ours.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use psychic::results::ClusterRow;

use crate::support::{CONFIG, Scratch, names, patched, run, table};

/// What a script shows for `argument`, and its exit code.
fn shown(script: &Path, argument: &Path) -> (String, Option<i32>) {
    let output = Command::new("sh")
        .arg(script)
        .arg(argument.file_name().expect("a name"))
        .current_dir(argument.parent().expect("a directory"))
        .env("UNRELATED", "x")
        .output()
        .expect("sh runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}", script.display());
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

/// Checks that every test clusters the revisions as what `arguments` show under its script does;
/// returns what the original shows on each.
fn agree(scratch: &Scratch, arguments: &[PathBuf]) -> Vec<String> {
    let mut clusters: BTreeMap<u32, BTreeMap<u32, BTreeSet<usize>>> = BTreeMap::new();
    for row in table::<ClusterRow>(&scratch.out()) {
        let groups = clusters.entry(row.test.0).or_default();
        groups.entry(row.cluster.0).or_default().insert(row.revision.0 as usize);
    }
    assert!(!clusters.is_empty());
    let mut originals = Vec::new();
    for (test, groups) in clusters {
        let script = scratch.path(&format!("out/tests/{test:04}.sh"));
        let mut groups_shown: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
        for (revision, argument) in arguments.iter().enumerate() {
            groups_shown.entry(shown(&script, argument)).or_default().insert(revision);
        }
        let expected: BTreeSet<BTreeSet<usize>> = groups.into_values().collect();
        assert_eq!(groups_shown.into_values().collect::<BTreeSet<_>>(), expected, "test {test}");
        originals.push(shown(&script, &arguments[0]).0);
    }
    originals
}

/// Each patch shows something more on one input, in which there are bytes that shells treat in
/// their own ways.
#[test]
fn a_program_gets_the_same_bytes_from_a_script() {
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let inputs = "[inputs]\nargs = [{ string = 3 }, \"-n it's\"]\n\
                  env = { MODE = { string = 2, count = [0, 1] } }\n\
                  stdin = { bytes = 2 }\n";
    let mut scratch = Scratch::new()
        .file("a.c", include_str!("programs/scripts_program.c"))
        .file("subject.toml", &format!("{config}{inputs}"));
    let conditions = [
        "strcmp(argv[1], \"\\377\\n\\n\") == 0",
        "strcmp(argv[1], \"\") == 0",
        "strcmp(value, \"%'\") == 0",
        "line[0] == '\\\\' && line[1] == 0",
        "line[0] == '-' && line[1] == '\\n'",
        "!getenv(\"MODE\") && argv[1][0] == '$'",
    ];
    for (number, condition) in (1..).zip(conditions) {
        let patch = format!(
            "--- a/a.c\n+++ b/a.c\n@@ -15 +15 @@\n-\treturn 0;\n+\treturn {condition} ? 7 : 0;\n"
        );
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let programs: Vec<PathBuf> = patched(&scratch, conditions.len())
        .into_iter()
        .map(|source| {
            let program = source.with_extension("program");
            let made = Command::new("cc").arg("-o").args([&program, &source]).status();
            assert!(made.expect("cc runs").success());
            program
        })
        .collect();
    let originals = agree(&scratch, &programs);
    // The bare name, all arguments, no other variables, and all of the input.
    let as_told = |shown: &String| {
        ["program 3 0 2 ", "program 3 1 2 "].iter().any(|begin| shown.starts_with(begin))
            && shown.contains(" 2d6e2069742773 ")
    };
    assert!(originals.iter().all(as_told), "{originals:?}");
}

#[test]
fn a_function_gets_the_same_parameters_from_a_script() {
    let source = "double entry(const char *text, int *numbers, double by)\n{\n\
                  \tnumbers[1] += text[0];\n\treturn numbers[0] * by;\n}\n";
    let inputs = "[inputs.params]\ntext = { string = 2 }\nnumbers = { elements = 3, min = -5 }\n";
    let mut scratch =
        Scratch::new().file("a.c", source).file("subject.toml", &format!("{CONFIG}{inputs}"));
    let statements = [
        "if (text[0] == '\"' && text[1] == '\\\\') by = 2; numbers[1] += text[0];",
        "numbers[1] += text[0] + (numbers[2] == -5);",
        "numbers[1] += text[0]; if (by == 0.1) by = 1.0 / 0.0;",
    ];
    for (number, statement) in (1..).zip(statements) {
        let patch = format!(
            "--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\tnumbers[1] += text[0];\n+\t{statement}\n"
        );
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.code.is_some_and(|code| code < 2), "{}{}", ran.stdout, ran.stderr);
    let originals = agree(&scratch, &patched(&scratch, statements.len()));
    assert!(originals.iter().all(|shown| shown.contains("return = ")), "{originals:?}");
}

/// Input that the program makes itself comes from our runtime only, so there is no script. A run
/// takes the scripts of an earlier one away with its tests.
#[test]
fn there_are_scripts_for_the_tests_at_hand_only() {
    let source = "#include \"psychic.h\"\nint main(void)\n{\n\tint x;\n\
                  \tpsychic_symbolic(&x, sizeof x, \"x\");\n\treturn x > 0;\n}\n";
    let config = CONFIG.replace("\"entry\"", "\"main\"");
    let patch = |line: u32, was: &str, is: &str| {
        format!("--- a/a.c\n+++ b/a.c\n@@ -{line} +{line} @@\n-\t{was}\n+\t{is}\n")
    };
    let scratch = Scratch::new().patch("1.diff", "return x > 1;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    assert_eq!(names(&scratch.path("out/tests")), ["0001.ktest", "0001.sh"]);
    let usage = Command::new(scratch.path("out/tests/0001.sh")).output().expect("executable");
    assert_eq!(usage.status.code(), Some(125));
    let text = String::from_utf8_lossy(&usage.stderr).into_owned();
    assert!(text.starts_with("Test 1 of scratch: x = 1\n\n0: return = 1\n"), "{text}");
    let scratch = scratch
        .file("a.c", source)
        .file("subject.toml", &config)
        .file("1.diff", &patch(6, "return x > 0;", "return x > 1;"));
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    assert_eq!(names(&scratch.path("out/tests")), ["0001.ktest"]);
}
