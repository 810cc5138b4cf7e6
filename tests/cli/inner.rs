//! `[outputs] functions`: what differs inside revisions that do the same outside.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use psychic::results::{Code, OutcomeRow, PairRow, Verdict};

use crate::support::{Scratch, names, refused, run, table};

const PROGRAM: &str = include_str!("programs/inside.c");
/// For every input, calls the functions as the program does, and prints what they return and leave.
const CALLS: &str = r#"
int main(void) {
  for (int n = 0; n <= 10; n++) {
    struct point p = {0};
    int to;
    fill(&p, n);
    printf("%d %g %d %d,", p.x, p.weight, p.inner.a, p.inner.b);
    struct point *found = find(&p, n);
    printf("%d %d %d,", step(n), step(n + 1), found != NULL);
    struct pair b = both((struct pair){n, 0}, &n, &to);
    struct triple t = three(n);
    printf("%ld %ld %d %ld %ld %ld %d\n", b.low, b.high, to, t.first, t.second, t.third, is_odd(n));
  }
}
"#;
/// Changes of the program, each with the output in which it differs from the original.
const CHANGES: [(&str, &str, &str, &str); 11] = [
    ("same", "return n * 2;", "return n + n;", ""),
    ("step", "return n * 2;", "return n == 7 ? 3 : n * 2;", "return of step()"),
    ("left", "p->weight = n;", "p->weight = n == 4 ? 0.5 : n;", "p->weight after fill()"),
    ("nested", "p->inner.a = 1;", "p->inner.a = n != 2;", "p->inner.a after fill()"),
    ("null", "return n > 3 ? p", "return n > 2 ? p", "return of find()"),
    (
        "register",
        "(struct pair){add.low, add.high}",
        "(struct pair){add.low, add.high - (add.low == 9)}",
        "return.high of both()",
    ),
    ("pointer", "*to = *from;", "*to = *from + (*from == 1);", "*to after both()"),
    (
        "memory",
        "(struct triple){n, n, n}",
        "(struct triple){n, n == 8 ? 0 : n, n}",
        "return.second of three()",
    ),
    ("bool", "static int is_odd", "static _Bool is_odd", "return of is_odd()"),
    ("bits", "p->inner.a = 1;", "p->inner.a = 1, p->bits = 5;", ""),
    ("outside", "n > 5", "n > 6", "stdout"),
];

/// The subject of all changes, and the text of each revision.
fn subject(functions: &str) -> (Scratch, Vec<String>) {
    let mut scratch = Scratch::new().file("a.c", PROGRAM).file(
        "subject.toml",
        &format!(
            "name = \"inside\"\nsources = [\"a.c\"]\ncandidates = [\"changed/*.c\"]\n\
             [inputs.stdin]\ntokens = 1\n[outputs]\nfunctions = {functions}\n"
        ),
    );
    let mut texts = vec![PROGRAM.to_owned()];
    for (number, (name, from, to, _)) in (10..).zip(CHANGES) {
        let changed = PROGRAM.replacen(from, to, 1);
        assert_ne!(changed, PROGRAM);
        scratch = scratch.file(&format!("changed/{number}-{name}.c"), &changed);
        texts.push(changed);
    }
    (scratch, texts)
}

/// What the functions of a revision return and leave on every input, as a compiler of C has them.
fn shown(scratch: &Path, number: usize, text: &str) -> String {
    let (source, program) =
        (scratch.join(format!("{number}.c")), scratch.join(format!("{number}")));
    let text = text.replace("int main(void) {", "int subject_main(void) {");
    fs::write(&source, text + CALLS).unwrap();
    let made = Command::new("cc").arg("-w").arg("-o").arg(&program).arg(&source).status().unwrap();
    assert!(made.success());
    String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap()
}

#[test]
fn functions_are_compared_inside_revisions_that_do_the_same_outside() {
    let (scratch, texts) = subject("\"patched\"");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("internal: "), "{}", ran.stdout);
    let pairs: Vec<PairRow> = table(&scratch.out());
    let verdicts: BTreeMap<(u32, u32), &PairRow> =
        pairs.iter().map(|row| ((row.a.0, row.b.0), row)).collect();
    let outside = CHANGES.len() as u32;
    let natively: Vec<String> =
        texts.iter().enumerate().map(|(n, text)| shown(scratch.dir.path(), n, text)).collect();
    for ((a, b), row) in &verdicts {
        let differs = natively[*a as usize] != natively[*b as usize];
        // The size of what `is_odd` returns differs, and that is all.
        let differs = differs || (*a == 9) != (*b == 9);
        let expected = match differs {
            _ if *b == outside => Verdict::Distinguished,
            true => Verdict::Internal,
            false => Verdict::Equivalent,
        };
        assert_eq!(row.verdict, expected, "{a} and {b}: {}", row.output);
        assert_eq!(row.test.is_some(), expected != Verdict::Equivalent);
    }
    for (number, (name, .., output)) in (1..).zip(CHANGES) {
        let shown = &verdicts[&(0, number)].output;
        assert!(shown == output || *shown == format!("{output}, 2nd call"), "{name}: {shown}");
    }
    // They are results of their own.
    let inner = scratch.out().join("inner");
    let rows: Vec<OutcomeRow> = table(&inner);
    assert!(rows.iter().all(|row| row.revision.0 != outside));
    let inside: Vec<PairRow> = table(&inner);
    // After `release`, nobody knows what is in the memory.
    let same = inside.iter().find(|row| (row.a.0, row.b.0) == (0, 1)).unwrap();
    assert_eq!((same.verdict, &same.code[..]), (Verdict::Unknown, &[Code::UnreadableOutput][..]));
    let report = fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(report.contains("inner/report.html"));
    assert!(inner.join("report.html").is_file() && !inner.join("mismatches.txt").exists());
}

#[test]
fn functions_may_be_named() {
    let (scratch, _) = subject("[\"three\", \"is_odd\"]");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    let internal = |row: &&PairRow| row.verdict == Verdict::Internal && row.a.0 == 0;
    let found: Vec<u32> = pairs.iter().filter(internal).map(|row| row.b.0).collect();
    assert_eq!(found, [8, 9]);
    let same: Vec<PairRow> = table(&scratch.out().join("inner"));
    assert!(same.iter().any(|row| row.verdict == Verdict::Equivalent));
}

#[test]
fn functions_that_are_not_there_are_refused() {
    let (scratch, _) = subject("\"all\"");
    let message = refused(&mut scratch.stage("diff"));
    assert!(message.contains("\"patched\" or a list of names"), "{message}");
    let (scratch, _) = subject("[\"step\", \"nowhere\"]");
    let message = refused(&mut scratch.stage("diff"));
    assert!(message.contains("subject.toml: [outputs] functions"), "{message}");
    assert!(message.contains("no function `nowhere`"), "{message}");
    assert_eq!(names(&scratch.out()), [""; 0]);
    for (functions, said) in [("[]", "names none"), ("[\"main\"]", "is visible anyway")] {
        let (scratch, _) = subject(functions);
        let message = refused(&mut scratch.stage("diff"));
        assert!(message.contains("subject.toml:7: ") && message.contains(said), "{message}");
    }
}

#[test]
fn what_differs_outside_after_all_is_no_internal_difference() {
    // An optimiser may take both for the same. Compiled without it, they differ at the largest int.
    let scratch = Scratch::new()
        .file("a.c", "int entry(int x)\n{\n\treturn x + 1 > x;\n}\n")
        .file("one.c", "int entry(int x)\n{\n\treturn 1;\n}\n")
        .file(
            "subject.toml",
            "name = \"folded\"\nsources = [\"a.c\"]\ncandidates = [\"one.c\"]\nentry = \"entry\"\n\
             [build]\nflags = [\"-O2\"]\n",
        );
    let verdict = |scratch: &Scratch, code| {
        let ran = run(&mut scratch.stage("diff"));
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        let mut pairs: Vec<PairRow> = table(&scratch.out());
        pairs.remove(0)
    };
    assert_eq!(verdict(&scratch, 0).verdict, Verdict::Equivalent);
    let config = fs::read_to_string(scratch.path("subject.toml")).unwrap();
    let scratch = scratch.file("subject.toml", &(config + "[outputs]\nfunctions = [\"entry\"]\n"));
    let row = verdict(&scratch, 1);
    assert_eq!((row.verdict, &row.code[..]), (Verdict::Unknown, &[Code::Contradicted][..]));
    assert_eq!(row.test, None);
}

#[test]
fn memory_that_was_never_written_is_zero_inside() {
    let (scratch, _) = subject("\"patched\"");
    let config = fs::read_to_string(scratch.path("subject.toml")).unwrap();
    let config = config.replacen("candidates", "uninitialised = \"any\"\ncandidates", 1);
    let message = refused(&mut scratch.file("subject.toml", &config).stage("diff"));
    assert!(message.contains("functions are looked into only with"), "{message}");
}
