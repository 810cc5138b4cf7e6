//! `shares.csv` against the truth: every input of a small subject is run natively, by programs that
//! are made of the patched sources and nothing else.

use std::{fs, path::Path, process::Command};

use psychic::results::{RankingRow, ShareRow};

use crate::support::{CONFIG, Scratch, patched, run, table};

/// Calls `entry` with each value of its parameter and prints what it returns.
const EACH_VALUE: &str = "\
#include SOURCE
#include <stdio.h>
int main(void)
{
	for (long x = FIRST; x <= LAST; x++)
		printf(\"%d\\n\", entry(x));
}
";

/// The statements that patches have in place of `return x > 0;`.
const STATEMENTS: [&str; 5] = [
    "return x >= 0;",
    "return x >= 1;",
    "return x < 0;",
    "return x % 3 == 0;",
    "return x > 0 && x != 77;",
];

/// A subject with these patches whose entry function takes a number of this type, after a
/// comparison.
fn compared(of: &str, statements: &[&str], lines: &str) -> Scratch {
    let source = format!("int entry({of} x)\n{{\n\treturn x > 0;\n}}\n");
    let config = format!("{CONFIG}{lines}\n");
    let mut scratch = Scratch::new().file("a.c", &source).file("subject.toml", &config);
    for (number, statement) in (1..).zip(statements) {
        scratch = scratch.patch(&format!("{number}.diff"), statement);
    }
    let ran = run(&mut scratch.stage("diff"));
    assert!(matches!(ran.code, Some(0 | 1)), "{}{}", ran.stdout, ran.stderr);
    scratch
}

/// What a source returns for each of the values, one a line.
fn natively(scratch: &Scratch, source: &Path, (first, last): (i64, i64)) -> Vec<String> {
    let (main, program) = (scratch.path("main.c"), scratch.path("program"));
    fs::write(&main, EACH_VALUE).expect("written");
    let compiled = Command::new("cc")
        .arg(format!("-DSOURCE=\"{}\"", source.display()))
        .args([format!("-DFIRST={first}"), format!("-DLAST={last}"), "-o".into()])
        .args([&program, &main])
        .status();
    assert!(compiled.expect("cc runs").success());
    let output = Command::new(&program).output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// The share of the values for which each patch returns something else than the original.
fn truth(scratch: &Scratch, patches: usize, values: (i64, i64)) -> Vec<f64> {
    let sources = patched(scratch, patches);
    let all: Vec<_> = sources.iter().map(|source| natively(scratch, source, values)).collect();
    assert!(all.iter().all(|lines| lines.len() as i64 == values.1 - values.0 + 1));
    let changed = |lines: &Vec<String>| lines.iter().zip(&all[0]).filter(|(a, b)| a != b).count();
    all[1..].iter().map(|lines| changed(lines) as f64 / lines.len() as f64).collect()
}

/// The rows, and the least and greatest share of each.
fn shares(scratch: &Scratch, patches: usize) -> Vec<(ShareRow, [f64; 2])> {
    let rows: Vec<ShareRow> = table(&scratch.out());
    assert!(rows.iter().map(|row| row.revision.0).eq(1..=patches as u32), "{rows:?}");
    let ends = |row: &ShareRow| [row.changed_low, row.changed_high].map(|end| end.expect("one").0);
    rows.into_iter().map(|row| (row.clone(), ends(&row))).collect()
}

/// The precision of the file.
const ROUNDED: f64 = 1e-6;

#[test]
fn few_inputs_are_counted() {
    for (of, values, lines) in [
        ("signed char", (-128, 127), ""),
        ("unsigned char", (0, 255), ""),
        ("int", (-9, 990), "[inputs.params]\nx = { min = -9, max = 990 }"),
    ] {
        let scratch = compared(of, &STATEMENTS, lines);
        let truth = truth(&scratch, STATEMENTS.len(), values);
        for ((row, [low, high]), share) in shares(&scratch, STATEMENTS.len()).iter().zip(&truth) {
            let changed = row.changed.expect("a share").0;
            for value in [changed, *low, *high] {
                assert!((value - share).abs() <= ROUNDED, "{of}: {share}, not {row:?}");
            }
            assert_eq!(i64::from(row.samples), values.1 - values.0 + 1);
        }
        assert!(truth.iter().filter(|share| **share > 0.0).count() > 2, "{truth:?}");
    }
}

#[test]
fn many_inputs_are_sampled() {
    let scratch = compared("short", &STATEMENTS, "");
    let truth = truth(&scratch, STATEMENTS.len(), (-32768, 32767));
    for ((row, [low, high]), share) in shares(&scratch, STATEMENTS.len()).iter().zip(&truth) {
        assert!((low - ROUNDED..=high + ROUNDED).contains(share), "{share} is not in {row:?}");
        assert!(high - low < 0.04 && row.samples > 1000, "{row:?}");
    }
    // Another run says the same, also with another number of workers.
    let before = fs::read(scratch.path("out/shares.csv")).expect("written");
    assert_eq!(run(scratch.stage("diff").args(["--jobs", "1"])).code, Some(0));
    assert_eq!(fs::read(scratch.path("out/shares.csv")).expect("written"), before);
}

/// What was not followed to its end is no change, and might be one.
#[test]
fn what_is_not_known_widens_the_interval() {
    let slow = "if (x < 0) for (volatile int i = 0; i < 9999; i++) {} return x > 1;";
    let limits = "[budget]\ninstructions = 20000";
    let scratch = compared("signed char", &[slow], limits);
    let truth = truth(&scratch, 1, (-128, 127));
    let [(row, [low, high])] = &shares(&scratch, 1)[..] else { panic!("one row") };
    assert!((low - 1.0 / 256.0).abs() <= ROUNDED, "{row:?}");
    assert!((high - 129.0 / 256.0).abs() <= ROUNDED, "{row:?}");
    assert!((row.unknown.expect("a share").0 - 0.5).abs() <= ROUNDED, "{row:?}");
    assert!((low - ROUNDED..=*high).contains(&truth[0]), "{truth:?}");
}

/// Inputs that the program does not accept are no inputs, and one that is drawn is as likely as any
/// other.
#[test]
fn assumptions_bound_the_inputs() {
    let source = "#include <stdio.h>\n#include <psychic.h>\nint main(void)\n{\n\
                  \tint c = getchar();\n\tpsychic_assume(c % 4 != 1 && c < 200);\n\
                  \tputchar(c > 99 ? 'a' : 'b');\n\treturn 0;\n}\n";
    let diff = "--- a.c\n+++ a.c\n@@ -7 +7 @@\n-\tputchar(c > 99 ? 'a' : 'b');\n\
                +\tputchar(c > 89 ? 'a' : 'b');\n";
    let config = "name = \"byte\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n\
                  [inputs]\nstdin = { bytes = 1 }\n";
    let scratch = Scratch::new().file("a.c", source).file("1.diff", diff);
    let scratch = scratch.file("subject.toml", config);
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let accepted = |c: &u32| c % 4 != 1;
    let (all, changed) = ((0..200).filter(accepted).count(), (90..=99).filter(accepted).count());
    let share = changed as f64 / all as f64;
    let [(row, ends)] = &shares(&scratch, 1)[..] else { panic!("one row") };
    assert_eq!(row.samples as usize, all, "{row:?}");
    assert!(ends.iter().all(|end| (end - share).abs() <= ROUNDED), "{share}, not {row:?}");
}

#[test]
fn patches_are_ranked_by_their_shares() {
    let scratch = compared("signed char", &STATEMENTS, "[rank]\nweights = { share = 1000 }");
    let ran = run(&mut scratch.stage("rank"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let rows: Vec<RankingRow> = table(&scratch.out());
    let order: Vec<u32> = rows.iter().map(|row| row.revision.0).collect();
    assert_eq!(order, [2, 1, 5, 4, 3], "{}", ran.stdout);
    let shares: Vec<f64> = rows.iter().map(|row| row.share.expect("a share").0).collect();
    assert!(shares.is_sorted() && shares[0] == 0.0, "{shares:?}");
    assert!(ran.stdout.contains("changes no input"), "{}", ran.stdout);
    assert!(ran.stdout.contains("changes 0.3 to 0.4 % of inputs"), "{}", ran.stdout);
}
