//! What `psychic export` writes, taken up by what it is for: a C compiler, pytest, and readers of XML and
//! JSON that share nothing with the writers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use psychic::{replay::TestInput, results::ClusterRow};

use crate::support::{CONFIG, Scratch, patched, psychic, refused, run, table};

/// All bytes, in an order in which digits come after bytes that are escaped.
fn all_bytes() -> Vec<u8> {
    (0..=255u8).map(|byte| byte.wrapping_mul(55)).collect()
}

/// What `psychic export` prints for a subject that was compared.
fn exported(scratch: &Scratch, form: &str, expected: u32) -> String {
    let mut command = scratch.stage("export");
    let ran = run(command.args(["--as", form, "--expected", &expected.to_string()]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

/// Whether each test passes, by its number.
type Passed = BTreeMap<u32, bool>;

/// Runs a C file of tests on a source.
fn run_c(text: &str, source: &Path, flags: &[&str]) -> Passed {
    let place = tempfile::tempdir().expect("a directory");
    let (file, program) = (place.path().join("t.c"), place.path().join("t"));
    fs::write(&file, text).expect("written");
    let mut compile = Command::new("cc");
    compile.args(flags).arg(format!("-DSOURCE=\"{}\"", source.display()));
    let done = said(compile.arg("-o").arg(&program).arg(&file).arg("-lm"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let done = said(&mut Command::new(&program));
    let printed = String::from_utf8(done.stdout).expect("text");
    let mut lines = printed.lines();
    let plan = lines.next().and_then(|line| line.strip_prefix("1..")).expect("a plan");
    let mut passed = Passed::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (result, rest) = line.split_once(" - test ").expect("a test");
        let number = rest.split(':').next().and_then(|number| number.parse().ok());
        passed.insert(number.expect("a number"), result.starts_with("ok "));
    }
    assert_eq!(plan, passed.len().to_string(), "{printed}");
    assert_eq!(done.status.success(), passed.values().all(|passed| *passed), "{printed}");
    passed
}

fn said(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// A Python that has pytest; none if this machine has none.
fn python() -> Option<&'static str> {
    let has_pytest = |python: &&str| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest", "--version"]).output().is_ok_and(|it| it.status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_pytest);
    if found.is_none() {
        eprintln!("not run: there is no pytest (apt-get install python3-pytest)");
    }
    found
}

/// Runs a Python file of tests, with a variable that says what to test. Skipped tests are left out.
fn run_pytest(python: &str, text: &str, (variable, value): (&str, &Path)) -> Passed {
    let place = tempfile::tempdir().expect("a directory");
    fs::write(place.path().join("test_it.py"), text).expect("written");
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider", "test_it.py"]);
    let done = said(pytest.current_dir(place.path()).env(variable, value).env("UNRELATED", "x"));
    let printed = String::from_utf8(done.stdout).expect("text");
    assert!(done.status.code().is_some_and(|code| code < 2), "{printed}");
    let mut passed = Passed::new();
    for line in printed.lines() {
        let Some((name, result)) =
            line.split_once("::test_").and_then(|(_, it)| it.split_once(' '))
        else {
            continue;
        };
        let number = name.parse().expect("a number");
        match result.split_whitespace().next() {
            Some("PASSED") => _ = passed.insert(number, true),
            Some("FAILED") => _ = passed.insert(number, false),
            _ => {}
        }
    }
    passed
}

/// The tests that a revision must pass which expect what another one does.
fn clusters(scratch: &Scratch, [revision, expected]: [u32; 2]) -> Passed {
    let mut of_tests: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for row in table::<ClusterRow>(&scratch.out()) {
        of_tests.entry(row.test.0).or_default().insert(row.revision.0, row.cluster.0);
    }
    let same = |(test, of): (u32, BTreeMap<u32, u32>)| (test, of[&revision] == of[&expected]);
    of_tests.into_iter().map(same).collect()
}

/// The source has functions and macros with the names of others, a returned pointer, a buffer, a number
/// that is no number, standard output, an exit in the middle, and an end by a signal.
#[test]
fn revisions_pass_the_tests_of_those_that_do_the_same() {
    let source = include_str!("programs/export_entry.c");
    let config = "flags = [\"-std=gnu99\"]\n[inputs.params]\ntext = { string = 2 }\n\
                  numbers = { elements = 3, min = -5 }\n";
    let mut scratch = Scratch::new()
        .file("a.c", source)
        .file("subject.toml", &format!("{CONFIG}[build]\n{config}"));
    let line = source.lines().position(|line| line.contains("PATCHED")).expect("it is") + 1;
    let was = source.lines().nth(line - 1).expect("a line");
    let statements = [
        "numbers[1] += text[0] == '?';",
        "if (text[0] == '\"') puts(\"\\\"?/*/\");",
        "if (numbers[0] == 7) exit(3);",
        "if (numbers[0] == 8) abort();",
        "if (numbers[2] == 9) return text + 1;",
    ];
    for (number, statement) in (1..).zip(statements) {
        let patch =
            format!("--- a/a.c\n+++ b/a.c\n@@ -{line} +{line} @@\n-{was}\n+\t{statement}\n");
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let sources = patched(&scratch, statements.len());
    let python = python();
    // On some inputs, the fourth patch ends by a signal.
    for expected in [0, 4] {
        let c = exported(&scratch, "c", expected);
        let py = exported(&scratch, "pytest", expected);
        for (revision, source) in (0..).zip(&sources) {
            let same = clusters(&scratch, [revision, expected]);
            assert!(same.len() > 2);
            assert_eq!(run_c(&c, source, &["-std=gnu99"]), same, "{revision} as {expected}");
            if let Some(python) = python {
                let root = ("ROOT", source.parent().expect("a parent"));
                assert_eq!(run_pytest(python, &py, root), same, "{revision} as {expected}\n{py}");
            }
        }
    }
}

/// A subject that is given one test with all bytes, and one patch that changes what is shown of the last
/// of them. Names have what ends comments and strings.
fn all_bytes_of(source: &str, statements: [&str; 2], config: &str, test: &TestInput) -> Scratch {
    let name = "it's \\\"\\\"\\\" * %s ''' ??) \\\\x41 # ä";
    let patch = "\"\"\" *??' %d \\x41 # é.diff";
    let [was, is] = statements;
    let line = source.lines().position(|line| line.contains(was)).expect("it is") + 1;
    let diff = format!("--- a/a.c\n+++ b/a.c\n@@ -{line} +{line} @@\n-\t{was}\n+\t{is}\n");
    let scratch = Scratch::new().file("a.c", source).file(patch, &diff).file(
        "subject.toml",
        &format!("name = \"{name}\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n{config}"),
    );
    test.write(&scratch.path("all.ktest")).expect("written");
    let ran = run(scratch.stage("diff").args(["--time-budget", "20s"]));
    assert!(ran.code.is_some_and(|code| code < 2), "{}{}", ran.stdout, ran.stderr);
    scratch
}

/// The number of the test that has an input.
fn number_of(scratch: &Scratch, test: &TestInput) -> u32 {
    let numbers: BTreeSet<u32> =
        table::<ClusterRow>(&scratch.out()).iter().map(|row| row.test.0).collect();
    let is_it = |number: &u32| {
        let file = scratch.path(&format!("out/tests/{number:04}.ktest"));
        TestInput::read(&file).expect("readable") == *test
    };
    numbers.into_iter().find(is_it).expect("the test is among the results")
}

/// The source with the patch, in a directory of its own.
fn with_patch(scratch: &Scratch, source: &str, [was, is]: [&str; 2]) -> PathBuf {
    let place = scratch.path("own/a.c");
    fs::create_dir_all(place.parent().expect("a parent")).expect("made");
    fs::write(&place, source.replace(was, is)).expect("written");
    place
}

#[test]
fn all_bytes_come_through_calls() {
    let source = "#include <stdio.h>\n\
                  void entry(unsigned char *bytes)\n{\n\tint i;\n\
                  \tfwrite(bytes, 1, 256, stdout);\n\tfor (i = 0; i < 256; i++)\n\
                  \t\tbytes[i] ^= 1;\n\tbytes[255] += 0;\n}\n";
    let statements = ["bytes[255] += 0;", "bytes[255] += 1;"];
    let config = "entry = \"entry\"\n[inputs.params]\nbytes = { elements = 256 }\n\
                  [tests]\nktest = [\"all.ktest\"]\n";
    let objects = vec![("bytes".to_owned(), all_bytes())];
    let test = TestInput { args: vec![b"program".to_vec()], stdin: None, objects };
    let scratch = all_bytes_of(source, statements, config, &test);
    let number = number_of(&scratch, &test);
    let other = with_patch(&scratch, source, statements);
    let (c, py) = (exported(&scratch, "c", 0), exported(&scratch, "pytest", 0));
    let python = python();
    for (source, same) in [(scratch.path("a.c"), true), (other, false)] {
        for flags in [&[][..], &["-std=c99"]] {
            assert_eq!(run_c(&c, &source, flags)[&number], same, "{c}");
        }
        if let Some(python) = python {
            let root = ("ROOT", source.parent().expect("a parent"));
            assert_eq!(run_pytest(python, &py, root)[&number], same, "{py}");
        }
    }
}

/// All bytes but NUL are in an argument and in a variable, all of them in standard input, from which the
/// program makes its output.
#[test]
fn all_bytes_come_through_runs() {
    let Some(python) = python() else { return };
    let source = include_str!("programs/export_program.c");
    let statements = ["putchar(last);", "putchar(last ^ 1);"];
    let config = "[inputs]\nargs = [{ string = 255 }]\nenv = { MODE = { string = 255 } }\n\
                  [inputs.stdin]\nbytes = 256\n[tests]\nktest = [\"all.ktest\"]\n";
    let all = all_bytes();
    let text: Vec<u8> = all.iter().copied().filter(|byte| *byte != 0).collect();
    let test = TestInput {
        args: vec![b"program".to_vec(), text.clone()],
        stdin: Some(all),
        objects: vec![("MODE-env".into(), text)],
    };
    let scratch = all_bytes_of(source, statements, config, &test);
    let number = number_of(&scratch, &test);
    let other = with_patch(&scratch, source, statements);
    let py = exported(&scratch, "pytest", 0);
    for (source, same) in [(scratch.path("a.c"), true), (other, false)] {
        let root = ("ROOT", source.parent().expect("a parent"));
        assert_eq!(run_pytest(python, &py, root)[&number], same, "{py}");
        // The same as a program that is there already.
        let program = source.with_extension("program");
        assert!(said(Command::new("cc").arg("-o").args([&program, &source])).status.success());
        assert_eq!(run_pytest(python, &py, ("PROGRAM", &program))[&number], same, "{py}");
    }
    let message = refused(scratch.stage("export").args(["--as", "c", "--expected", "0"]));
    assert!(message.contains("is a program: --as c is for other functions"), "{message}");
}

/// A whole program that is given files, and leaves files, links and a directory under odd names.
#[test]
fn files_come_through_runs() {
    let Some(python) = python() else { return };
    let source = include_str!("programs/export_files.c");
    let config = "name = \"files\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                  program = \"e\"\n[inputs]\nfiles = \"given\"\nsym_files = { data = 2 }\n\
                  stdin = { bytes = 1 }\n";
    let makefile = "e: e.c\n\t$(CC) $(CFLAGS) e.c $(LDFLAGS) -o e\n";
    let mut scratch = Scratch::new()
        .file("subject.toml", config)
        .file("package/Makefile", makefile)
        .file("package/e.c", source)
        .file("given/known", "known\n")
        .file("given/sub/tool", "#!/bin/sh\n");
    symlink("known", scratch.path("given/alias")).expect("made");
    let statements = [
        ("return n > 1;", "return n > 0;"),
        ("link(\"sub/tool\", \"tool\");", "link(\"sub/tool\", first == 'q' ? \"t\" : \"tool\");"),
        ("chmod(\"sub/tool\", 0640);", "chmod(\"sub/tool\", 0604);"),
    ];
    for (number, (was, is)) in (1..).zip(statements) {
        let line = source.lines().position(|line| line.contains(was)).expect("it is") + 1;
        let patch = format!("--- a/e.c\n+++ b/e.c\n@@ -{line} +{line} @@\n-\t{was}\n+\t{is}\n");
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let py = exported(&scratch, "pytest", 0);
    let sources = statements.map(|(was, is)| source.replace(was, is));
    for (revision, text) in (0..).zip([source.to_owned()].into_iter().chain(sources)) {
        let (file, program) = (scratch.path("own.c"), scratch.path("own"));
        fs::write(&file, text).expect("written");
        let done = said(Command::new("cc").args(["-w", "-o"]).args([&program, &file]));
        assert!(done.status.success());
        let same = clusters(&scratch, [revision, 0]);
        assert_eq!(run_pytest(python, &py, ("PROGRAM", &program)), same, "{revision}\n{py}");
    }
    // The file does not know how to build it.
    assert!(run_pytest(python, &py, ("UNRELATED", Path::new("x"))).is_empty());
}

/// A subject with an error that only a sanitizer shows, a wrong result, and a patch that does not compile.
fn judged() -> Scratch {
    let source = "int table[4] = {1, 2, 3, 4};\nint entry(int x)\n{\n\treturn table[x & 3];\n}\n";
    let config = "[oracle]\nreference = \"good [1].diff\"\n";
    let mut scratch =
        Scratch::new().file("a.c", source).file("subject.toml", &format!("{CONFIG}{config}"));
    let patches = [
        ("bad & <worse>.diff", "return table[x & 7];"),
        ("broken.diff", "return table[x & ];"),
        ("good [1].diff", "return x & 4 ? 0 : table[x & 3];"),
        ("late.diff", "return x == 2 ? 9 : table[x & 3];"),
    ];
    for (name, statement) in patches {
        let patch =
            format!("--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\treturn table[x & 3];\n+\t{statement}\n");
        scratch = scratch.file(name, &patch);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    scratch
}

#[test]
fn junit_and_sarif_say_what_the_tables_say() {
    let scratch = judged();
    for (place, names) in [(scratch.dir.path().to_owned(), true), (scratch.out(), false)] {
        let write = |form: &str| {
            let mut command = psychic();
            command.arg("export").arg(&place).args(["--as", form]);
            if names {
                command.arg("--out").arg(scratch.out());
            }
            let ran = run(command.current_dir(scratch.dir.path()));
            assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
            let file = scratch.path(&format!("it.{form}"));
            fs::write(&file, ran.stdout).expect("written");
            file
        };
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/programs/junit_and_sarif.py");
        let mut check = Command::new("python3");
        check.arg(script).args([scratch.out(), write("junit"), write("sarif")]);
        // The reference is the third patch.
        let done = said(check.arg("3").arg(scratch.dir.path()));
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{told}");
        assert_eq!(String::from_utf8_lossy(&done.stdout), "checked\n");
    }
}

/// A sanitizer alone shows the error, and a build without one must not be judged by it.
#[test]
fn what_only_a_sanitizer_shows_is_skipped() {
    let scratch = judged();
    let c = exported(&scratch, "c", 1);
    let is_skipped = c.matches(".skip = \"revision 1 fails: out-of-bounds").count();
    let rows = table::<psychic::results::OutcomeRow>(&scratch.out());
    let failed = rows.iter().filter(|row| row.revision.0 == 1 && row.finding == "out-of-bounds");
    assert_eq!(is_skipped, failed.count());
    assert!(is_skipped > 0, "{c}");
    // A test that is skipped counts as passed, as the protocol has it.
    assert!(run_c(&c, &scratch.path("a.c"), &[]).values().any(|passed| *passed));
}

#[test]
fn nothing_is_expected_of_nobody() {
    let scratch = Scratch::new().patch("1.diff", "return x > 1;").patch("2.diff", "return x >");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    for form in ["c", "pytest", "junit", "sarif"] {
        let message = refused(scratch.stage("export").args(["--as", form]));
        assert!(message.contains("--expected N says it"), "{message}");
        let expected = |revision| {
            refused(scratch.stage("export").args(["--as", form, "--expected", revision]))
        };
        assert!(expected("7").contains("there is no revision 7"));
        assert!(expected("2").contains("revision 2 was set aside"));
    }
    let message = refused(psychic().arg("export").arg(scratch.out()).args(["--as", "c"]));
    assert!(message.contains("no subject, whose sources the tests compile"), "{message}");
    let scratch = scratch.patch("0.diff", "return x > 2;");
    let message = refused(scratch.stage("export").args(["--as", "junit", "--expected", "0"]));
    assert!(message.contains("the patches are others than those of the comparison"), "{message}");
}

#[test]
fn files_without_a_subject_have_tests_too() {
    let scratch = Scratch::new().file("b.c", "int entry(int x)\n{\n\treturn x > 5;\n}\n");
    let here = |command: &str| {
        let mut psychic = psychic();
        psychic.arg(command).current_dir(scratch.dir.path()).arg("a.c");
        psychic
    };
    let ran = run(here("diff").args(["b.c", "--entry", "entry"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(here("export").args(["--entry", "entry", "--as", "c", "--expected", "1"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(run_c(&ran.stdout, &scratch.path("b.c"), &[]).values().all(|passed| *passed));
    assert!(run_c(&ran.stdout, &scratch.path("a.c"), &[]).values().any(|passed| !*passed));
}
