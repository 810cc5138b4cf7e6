//! Programs that decide by the addresses of functions, as find does.

use std::{fs, process::Command};

use psychic::results::{PairRow, SummaryRow, Verdict};

use crate::{
    packages::{CONFIG, package},
    support::{Ran, Scratch, run, table},
};

/// Sorts a table of functions by their addresses, as bytes or as numbers. The name of the function
/// that comes first is compared with a letter, which no name is.
const IN_ORDER: &str = include_str!("programs/functions_in_order.c");

/// A package with this main program and patches of it, each of one line.
fn patched(main: &str, patches: &[(usize, &str, &str)]) -> Scratch {
    let config = format!("{CONFIG}\n[inputs]\nargs = [{{ string = 1 }}]\n");
    let scratch = package().file("package/main.c", main).file("subject.toml", &config);
    for number in [1, 2] {
        fs::remove_file(scratch.path(&format!("{number}.diff"))).expect("removed");
    }
    let write = |scratch: Scratch, (number, (line, old, new)): (usize, &(usize, &str, &str))| {
        let patch =
            format!("--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-\t{old}\n+\t{new}\n");
        scratch.file(&format!("{number}.diff"), &patch)
    };
    (1..).zip(patches).fold(scratch, write)
}

/// The verdicts on the pairs of the original and each patch. All tests end as predicted.
#[track_caller]
fn verdicts(scratch: &Scratch) -> (Ran, Vec<PairRow>) {
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    let summary: Vec<SummaryRow> = table(&scratch.out());
    assert_eq!(summary[0].mismatches, 0, "{said}");
    let pairs: Vec<PairRow> = table(&scratch.out());
    (ran, pairs.into_iter().filter(|pair| pair.a.0 == 0).collect())
}

/// What a revision says natively about the order, sorted as this argument says.
fn natively(scratch: &Scratch, revision: usize, how: &str) -> String {
    let program = scratch.path(&format!("out/build/revisions/{revision}.native"));
    let output = Command::new(program).arg(how).output().expect("runs");
    String::from_utf8(output.stdout).expect("a text")
}

#[test]
fn functions_are_in_the_order_of_the_native_programs() {
    let names = ['k', 'n', 'w', 's'];
    let lines = names.map(|name| format!("int first = '{name}';"));
    let mut patches: Vec<_> = lines.iter().map(|new| (48, "int first = 'x';", &**new)).collect();
    patches.push((48, "int first = 'x';", "int first = 'x' + !argc;"));
    let scratch = patched(IN_ORDER, &patches);
    let (ran, pairs) = verdicts(&scratch);
    let orders = ["b", "n"].map(|how| natively(&scratch, 0, how));
    for (pair, name) in pairs.iter().zip(names.into_iter().chain(['x'])) {
        let differs = orders.iter().any(|order| order.starts_with(name));
        let expected = if differs { Verdict::Distinguished } else { Verdict::Equivalent };
        assert_eq!(pair.verdict, expected, "{name} {orders:?} {}{}", pair.reason, ran.stdout);
    }
    assert_eq!(pairs.len(), 5);
}

#[test]
fn nothing_is_proved_of_functions_that_are_elsewhere_in_some_revision() {
    let longer = "return x > 100 ? x * x * 77 - x / 13 : -x;";
    let patches = [(48, "int first = 'x';", "int first = 'y';"), (20, "return -x;", longer)];
    let scratch = patched(IN_ORDER, &patches);
    let (ran, pairs) = verdicts(&scratch);
    let reasons: Vec<_> = pairs.iter().map(|pair| (pair.verdict, &*pair.reason)).collect();
    assert_eq!(pairs[0].verdict, Verdict::Unknown, "{reasons:?}{}", ran.stdout);
    assert!(pairs[0].reason.contains("an address used as a number at main.c:"), "{reasons:?}");
}

/// In the patched program, the functions have each other's names, and the same places.
#[test]
fn functions_that_swap_their_names_are_not_taken_for_each_other() {
    let main = include_str!("programs/functions_that_swap_names.c");
    let swapped = main
        .replace("table[] = { up, down }", "table[] = { down, up }")
        .replace("x + 3", "x ? 3")
        .replace("x - 1", "x + 3")
        .replace("x ? 3", "x - 1");
    let lines = main.lines().zip(swapped.lines()).zip(1..).filter(|((old, new), _)| old != new);
    let hunks: String = lines
        .map(|((old, new), line)| format!("@@ -{line} +{line} @@\n-{old}\n+{new}\n"))
        .collect();
    let scratch =
        patched(main, &[]).file("1.diff", &format!("--- a/main.c\n+++ b/main.c\n{hunks}"));
    let (ran, pairs) = verdicts(&scratch);
    assert_eq!([0, 1].map(|revision| natively(&scratch, revision, "x")), ["up x\n", "down x\n"]);
    assert_eq!(pairs[0].verdict, Verdict::Distinguished, "{} {}", pairs[0].reason, ran.stdout);
}
