//! When two revisions differ: what `psychic explain` says, held against every input.

use std::{fs, process::Command};

use crate::{
    packages::{CONFIG, package},
    support::{Scratch, psychic, refused, run},
};

/// The bodies of a function of a `signed char a` and an `unsigned char b`, the original first. Each
/// differs from it exactly when the condition holds that stands beside it.
const BODIES: [(&str, &str); 9] = [
    ("return 0;", ""),
    ("return a > 5 && a < 11;", "6 <= a <= 10"),
    ("return a < -100 || a == 50 || a >= 101;", "a <= -101 or a = 50 or a >= 101"),
    ("return a < b;", "a < b"),
    ("return b % 4 == 1 && a % 3 == 0;", "a % 3 = 0 and b % 4 = 1"),
    ("return b > 200;", "b >= 201"),
    ("return (signed char)(a + 1) < a;", "a = 127"),
    ("return a + b == 100;", "a + b = 100"),
    ("return a != 3 && b != 7;", "a != 3 and b != 7"),
];

/// What `psychic explain` says after the outcomes, of two revisions.
fn said(scratch: &Scratch, a: usize, b: usize, more: &[&str]) -> String {
    let mut command = scratch.stage("explain");
    let ran = run(command.args([a.to_string(), b.to_string()]).args(more));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let line = ran.stdout.lines().find(|line| line.contains("differ") && !line.contains('│'));
    line.unwrap_or_default().to_owned()
}

/// A condition in C.
fn in_c(condition: &str) -> String {
    let comparison = |text: &str| {
        let inner = text.trim_matches(['(', ')']);
        let c = match inner.split(" <= ").collect::<Vec<_>>()[..] {
            [low, term, high] => format!("({low} <= {term} && {term} <= {high})"),
            _ => inner.replace(" = ", " == "),
        };
        text.replace(inner, &c)
    };
    let any = condition
        .split(" or ")
        .map(|all| all.split(" and ").map(comparison).collect::<Vec<_>>().join(" && "));
    any.collect::<Vec<_>>().join(" || ")
}

fn patched(scratch: Scratch, head: &str, bodies: &[&str]) -> Scratch {
    let mut scratch = scratch.file("a.c", &format!("{head}\n{{\n\t{}\n}}\n", bodies[0]));
    for (number, body) in bodies.iter().enumerate().skip(1) {
        let diff = format!("--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\t{}\n+\t{body}\n", bodies[0]);
        scratch = scratch.file(&format!("{number}.diff"), &diff);
    }
    scratch
}

/// All inputs are run by a program that Psychic has no part in.
#[test]
fn an_exact_condition_holds_for_the_inputs_on_which_two_differ() {
    let bodies = BODIES.map(|(body, _)| body);
    let scratch = patched(Scratch::new(), "int entry(signed char a, unsigned char b)", &bodies);
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let mut program = String::from("#include <stdio.h>\n");
    for (number, body) in bodies.iter().enumerate() {
        program += &format!("static int r{number}(signed char a, unsigned char b) {{ {body} }}\n");
    }
    program +=
        "int main(void) {\nfor (int a = -128; a < 128; a++) for (int b = 0; b < 256; b++) {\n";
    let with_original = (1..bodies.len()).map(|number| (0, number, BODIES[number].1));
    for (x, y, expected) in with_original.chain([(3, 5, ""), (1, 2, ""), (6, 2, "")]) {
        let said = said(&scratch, x, y, &[]);
        let condition = said.strip_prefix("they differ exactly when ").expect("exact");
        assert!(expected.is_empty() || condition == expected, "{condition}, not {expected}");
        program += &format!(
            "if ((r{x}(a, b) != r{y}(a, b)) != ({})) return printf(\"{x} {y}: %d %d\\n\", a, b), 1;\n",
            in_c(condition)
        );
    }
    program += "}\nreturn 0; }\n";
    fs::write(scratch.path("all.c"), program).expect("written");
    let mut clang = Command::new("clang-19");
    clang.arg("-O1").arg(scratch.path("all.c")).arg("-o").arg(scratch.path("all"));
    assert!(clang.status().expect("a compiler").success());
    let all = Command::new(scratch.path("all")).output().expect("runs");
    assert!(all.status.success(), "{}", String::from_utf8_lossy(&all.stdout));
}

#[test]
fn the_bounds_of_inputs_bound_the_condition() {
    let scratch = Scratch::new().patch("1.diff", "return x > 4;").patch("2.diff", "return x >= 0;");
    let params = "\n[inputs.params]\nx = { min = 0, max = 4 }\n";
    let scratch = scratch.file("subject.toml", &format!("{}{params}", crate::support::CONFIG));
    run(&mut scratch.stage("diff"));
    assert_eq!(said(&scratch, 0, 1, &[]), "they differ exactly when x >= 1");
    assert_eq!(said(&scratch, 1, 2, &[]), "they differ exactly on every input");
    assert_eq!(said(&scratch, 0, 1, &["--time-budget", "0s"]), "");
}

/// Other bytes are no values of the type, and compilers take them for what they like.
#[test]
fn truths_are_zero_or_one() {
    let bodies = ["return b && d[1];", "return b || d[1];", "return *(char *)&b == d[1] && d[1];"];
    let scratch = patched(Scratch::new(), "typedef _Bool yes; int entry(yes b, yes d[2])", &bodies);
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains(" 2 pairs distinguished, 1 equivalent,"), "{}", ran.stdout);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn what_is_cut_is_not_exact() {
    let body = |most: u32| {
        format!("unsigned s = 0; for (unsigned i = 0; i < x; i++) s += i; return s > {most};")
    };
    let (old, new) = (body(3), body(7));
    let scratch = patched(Scratch::new(), "int entry(unsigned x)", &[&old, &new]);
    run(scratch.stage("diff").args(["--time-budget", "3s"]));
    let said = said(&scratch, 0, 1, &["--time-budget", "3s"]);
    let approximate = said.starts_with("approximately: they differ when ");
    assert!(approximate && said.contains("(not proved: "), "{said}");
}

#[test]
fn what_is_not_short_is_not_said() {
    let scratch = patched(
        Scratch::new(),
        "int entry(signed char a, signed char b)",
        &["return 0;", "return a * b > 100;"],
    );
    run(&mut scratch.stage("diff"));
    assert!(said(&scratch, 0, 1, &[]).starts_with("no short condition"));
}

#[test]
fn the_same_failure_is_not_passed_over() {
    let bodies = ["return 10 / x > 0;", "return 10 / x >= 0;"];
    let scratch = patched(Scratch::new(), "int entry(signed char x)", &bodies);
    run(&mut scratch.stage("diff"));
    // A division by zero ends both, which is the same outcome.
    let said = said(&scratch, 0, 1, &[]);
    assert!(said.starts_with("they differ exactly when x <= -11 or x >= 11"), "{said}");
}

/// What decides for each comes from its own run. What both decide alike is no reason, nor is what decides
/// nothing that differs.
#[test]
fn what_decides_is_named_and_kept() {
    let scratch = Scratch::new()
        .file("a.c", include_str!("programs/decides.c"))
        .file("1.diff", "--- a/a.c\n+++ b/a.c\n@@ -8 +8 @@\n-\tif (a > 100)\n+\tif (a > 50)\n")
        .file("2.diff", "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\tint n = 0;\n+\tint n = a;\n");
    run(&mut scratch.stage("diff"));
    let explained = |a: &str, b: &str| run(scratch.stage("explain").args([a, b])).stdout;
    let reasons = |text: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.starts_with("what decides"));
        let lines = lines.skip(1).take_while(|line| !line.is_empty());
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let text = explained("0", "1");
    assert_eq!(
        reasons(&text),
        [
            "0 original  a.c:8  if (a > 100) → 10",
            "because a < 101",
            "1 1         a.c:8  if (a > 50) → 9",
            "because a >= 51",
        ],
        "{text}"
    );
    let text = explained("0", "2");
    let shown = reasons(&text);
    assert!(shown.iter().any(|line| line.contains("return is s32(a)")), "{text}");
    explained("0", "1");
    let kept = |name: &str| fs::read_to_string(scratch.out().join(name)).expect(name);
    let all: serde_json::Value = serde_json::from_str(&kept("explanations.json")).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(2), "one for each pair");
    let page = kept("report.html");
    assert_eq!(page.matches("<article").count(), 2);
    assert!(page.contains("a.c:8  if (a &gt; 50) → 9"), "{page}");
    run(&mut scratch.stage("diff"));
    assert!(!scratch.out().join("explanations.json").exists(), "its tests are others now");
}

/// A package is built once more for it, with lines as they are in its sources.
#[test]
fn revisions_of_packages_are_explained() {
    let inputs = "[inputs]\nargs = [{ string = 1, count = [0, 1] }]\n";
    let scratch = package().file("subject.toml", &format!("{CONFIG}\n{inputs}"));
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let ran = run(scratch.stage("explain").args(["0", "1"]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let sides = |line: &str| line.matches("± main.c:6 ").count();
    assert_eq!(ran.stdout.lines().map(sides).max(), Some(2), "{}", ran.stdout);
}

#[test]
fn files_without_a_subject_are_explained_too() {
    let source = |low: i32| format!("int f(int x)\n{{\n\treturn x > {low};\n}}\n");
    let scratch = Scratch::new()
        .file("old.c", &source(0))
        .file("b/new.c", &source(2))
        .file("b/same.c", &source(0));
    let explain = |args: &[&str]| {
        let mut command = psychic();
        command.current_dir(scratch.dir.path()).arg("explain").args(args);
        command
    };
    let message = refused(&mut explain(&["old.c", "0", "1"]));
    assert!(message.contains("results/old"), "{message}");
    let mut diff = psychic();
    diff.current_dir(scratch.dir.path())
        .args(["diff", "old.c", "b/new.c", "b/same.c", "--entry", "f"]);
    run(&mut diff);
    let ran = run(&mut explain(&["old.c", "0", "1", "--entry", "f"]));
    assert!(
        ran.stdout.contains("they differ exactly when 1 <= x <= 2"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(ran.stdout.contains("return x > 2;"), "{}", ran.stdout);
    fs::write(scratch.path("b/new.c"), source(3)).expect("written");
    let message = refused(&mut explain(&["old.c", "0", "1", "--entry", "f"]));
    assert!(message.contains("b/new.c: changed since the comparison"), "{message}");
    let message = refused(&mut explain(&[".", "0", "1", "--entry", "f"]));
    assert!(message.contains("--entry is only for files"), "{message}");
}
