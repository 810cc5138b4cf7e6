//! What revisions have in common is run only once. The verdicts are the same with and without this
//! sharing.

use psychic::results::{PairRow, RevisionRow, StateRow, Status, SummaryRow, Verdict};

use crate::support::{SOURCE, Scratch, run, table};

/// The configuration of a subject of one file and its diffs.
pub(super) const SUBJECT: &str = "name = \"x\"\nsources = [\"m.c\"]\npatches = [\"*.diff\"]\n";

/// Runs `psychic diff` with options; returns the verdicts by pair, and the halt states.
#[track_caller]
pub(super) fn diff(
    scratch: &Scratch,
    options: &[&str],
) -> (Vec<(u32, u32, Verdict)>, Vec<StateRow>) {
    let ran = run(scratch.stage("diff").args(options));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    assert!(!said.contains("contradicts"), "{said}");
    let pairs: Vec<PairRow> = table(&scratch.path("out"));
    let verdicts = pairs.into_iter().map(|pair| (pair.a.0, pair.b.0, pair.verdict)).collect();
    (verdicts, table(&scratch.path("out")))
}

#[test]
fn patches_that_change_nothing_cost_nothing_behind_them() {
    let main = include_str!("programs/patches_that_change_nothing_cost_nothing_behind_them.c");
    let at_6 =
        |line: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\tlimit = 11;\n+\t{line}\n");
    let at_7 = "--- a/m.c\n+++ b/m.c\n@@ -7 +7 @@\n-\tif (a > limit)\n+\tif (a >= limit)\n";
    let mut scratch =
        Scratch::new().file("subject.toml", SUBJECT).file("m.c", main).file("9.diff", at_7);
    for factor in 1..9 {
        let name = format!("{factor}.diff");
        scratch = scratch.file(&name, &at_6(&format!("limit = 11 + {factor} * a - a * {factor};")));
    }
    let (joined, states) = diff(&scratch, &[]);
    let (apart, more) = diff(&scratch, &["--no-join"]);
    assert_eq!(joined, apart);
    assert!(joined.iter().all(|(_, b, verdict)| match b {
        9 => *verdict == Verdict::Distinguished,
        _ => *verdict == Verdict::Equivalent,
    }));
    // Joined, there are four paths for all revisions, and those on which the last patch may differ;
    // apart, there are four for each revision.
    assert!(states.len() <= 8 && more.len() >= 36, "{} and {}", states.len(), more.len());
}

/// A function over a text of `length` characters, and two patches of the value that it returns.
fn counting(length: usize, [body, end]: [&str; 2], others: [&str; 2]) -> Scratch {
    let main = format!(
        "int count(const char *s)\n{{\n\tint n = 0;\n\tfor (int i = 0; i < {length}; i++)\n\
         \t\t{body}\n\treturn {end};\n}}\n"
    );
    let other = |other: &str| {
        format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\treturn {end};\n+\treturn {other};\n")
    };
    let subject = format!(
        "name = \"x\"\nentry = \"count\"\nsources = [\"m.c\"]\npatches = [\"*.diff\"]\n\
         [inputs.params]\ns = {{ elements = {} }}\n",
        length + 1
    );
    let scratch = Scratch::new().file("subject.toml", &subject).file("m.c", &main);
    scratch.file("1.diff", &other(others[0])).file("2.diff", &other(others[1]))
}

#[test]
fn inputs_that_part_for_an_assignment_meet_again() {
    let verdicts = [
        (0, 1, Verdict::Distinguished),
        (0, 2, Verdict::Equivalent),
        (1, 2, Verdict::Distinguished),
    ];
    // Without joins there would be more paths than could ever be followed.
    let body = ["if (s[i] == 'a') n++;", "n > 10"];
    let (joined, states) = diff(&counting(64, body, ["n >= 10", "n * 2 > 20"]), &[]);
    assert_eq!(joined, verdicts);
    assert!(states.len() <= 4, "{}", states.len());
    // Nested diamonds, and one with two alternatives.
    for body in [
        "if (s[i] == 'a' && s[i + 1] == 'b') n++;",
        "if (s[i] == 'a') n++; else if (s[i] == 'b') n += 2;",
        "if (s[i] > 'z') { n = n + s[i] - 'z'; if (n > 9) n = 9; }",
    ] {
        let scratch = counting(4, [body, "n > 2"], ["n >= 2", "n * 2 > 4"]);
        let (joined, states) = diff(&scratch, &[]);
        let (apart, more) = diff(&scratch, &["--no-join"]);
        assert_eq!((&joined[..], joined.clone()), (&verdicts[..], apart), "{body}");
        assert!(states.len() < more.len(), "{body}: {} and {}", states.len(), more.len());
    }
}

/// A program that reads input, and two patches that replace one of its lines.
fn reading(main: &str, line: (usize, &str), others: [&str; 2]) -> Scratch {
    let (number, old) = line;
    let other =
        |new: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -{number} +{number} @@\n-{old}\n+{new}\n");
    let scratch = Scratch::new().file("subject.toml", SUBJECT).file("m.c", main);
    scratch.file("1.diff", &other(others[0])).file("2.diff", &other(others[1]))
}

#[test]
fn calls_of_short_functions_and_wide_counters_are_assignments() {
    let main =
        include_str!("programs/calls_of_short_functions_and_wide_counters_are_assignments.c");
    let others = ["\treturn c - c;", "\treturn 1;"];
    let (verdicts, states) =
        diff(&reading(main, (16, "\treturn 0;"), others), &["--until", "trees"]);
    assert_eq!(verdicts[0], (0, 1, Verdict::Equivalent));
    assert_eq!(verdicts[1], (0, 2, Verdict::Distinguished));
    // There is one state for each length of the line, and for each revision that prints something
    // else.
    assert!(states.len() <= 3 * 66, "{}", states.len());
}

#[test]
fn differences_are_found_on_short_inputs_first() {
    // Each byte of the line has three ways, so not all paths of 64 bytes can be followed.
    let main = include_str!("programs/differences_are_found_on_short_inputs_first.c");
    let old = "\t\tif (c >= '0' && c <= '9')";
    let others = ["\t\tif (c > '0' && c <= '9')", "\t\tif (c >= '0' && c < '9')"];
    let (verdicts, _) = diff(&reading(main, (7, old), others), &[]);
    assert!(verdicts.iter().all(|(_, _, verdict)| *verdict == Verdict::Distinguished));
}

#[test]
fn inputs_that_differ_in_an_address_go_two_ways() {
    let body = "if (s[i] == 92) i++; else n += s[i] == 'a';";
    let scratch = counting(4, [body, "n > 2"], ["n >= 2", "n * 2 > 4"]);
    let ((joined, states), (apart, more)) = (diff(&scratch, &[]), diff(&scratch, &["--no-join"]));
    assert_eq!(joined, apart);
    // Inputs may meet again only at the last character, where the index is no part of an address
    // any more.
    assert!(states.len() > 8 && more.len() > 8, "{} and {}", states.len(), more.len());
}

#[test]
fn a_choice_of_many_revisions_parts_by_what_it_decides() {
    let main = include_str!("programs/a_choice_of_many_revisions_parts_by_what_it_decides.c");
    let mut scratch = Scratch::new().file("subject.toml", SUBJECT).file("m.c", main);
    for number in 1..40 {
        let limit = format!("limit = {} + {number} * a - a * {number};", 10 + number % 4);
        let diff = format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\tlimit = 10;\n+\t{limit}\n");
        scratch = scratch.file(&format!("{number:02}.diff"), &diff);
    }
    let (joined, states) = diff(&scratch, &[]);
    for (a, b, verdict) in &joined {
        let same = a % 4 == b % 4;
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    // There is at most one state for each interval of the input and behaviour on it.
    assert!(states.len() <= 12, "{}", states.len());
}

#[test]
fn a_pointer_that_only_some_have_is_still_an_address() {
    let main = include_str!("programs/a_pointer_that_only_some_have_is_still_an_address.c");
    let at_7 = |line: &str| {
        format!("--- a/m.c\n+++ b/m.c\n@@ -7 +7 @@\n-\tlast = buffer + 1;\n+\t{line}\n")
    };
    let scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &at_7("last = 0;"))
        .file("2.diff", &at_7("last = buffer + 3;"))
        .file("3.diff", &at_7("last = buffer; last++;"))
        .file("4.diff", &at_7("last = &buffer[0];"));
    let (joined, _) = diff(&scratch, &[]);
    for (a, b, verdict) in &joined {
        let same = [(0, 3), (1, 4)].contains(&(*a, *b));
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    assert_eq!(diff(&scratch, &["--no-join"]).0, joined);
}

#[test]
fn pointers_in_structures_stay_addresses() {
    let main = include_str!("programs/pointers_in_structures_stay_addresses.c");
    let at_6 =
        |line: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\treturn a - b;\n+\t{line}\n");
    let scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &at_6("return (a > b) - (a < b);"))
        .file("2.diff", &at_6("return b - a;"));
    let (joined, _) = diff(&scratch, &[]);
    let expected = [
        (0, 1, Verdict::Equivalent),
        (0, 2, Verdict::Distinguished),
        (1, 2, Verdict::Distinguished),
    ];
    assert_eq!(joined, expected);
}

#[test]
fn a_text_that_only_some_lack_is_printed_as_null() {
    let main = include_str!("programs/a_text_that_only_some_lack_is_printed_as_null.c");
    let at_7 =
        |line: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -7 +7 @@\n-\tp = \"yes\";\n+\t{line}\n");
    let scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &at_7("p = 0;"))
        .file("2.diff", &at_7("p = \"no\";"))
        .file("3.diff", &at_7("p = \"(null)\";"));
    let (joined, _) = diff(&scratch, &[]);
    for (a, b, verdict) in &joined {
        let expected =
            if (*a, *b) == (1, 3) { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    assert_eq!(diff(&scratch, &["--no-join"]).0, joined);
}

#[test]
fn what_one_revision_reads_unwritten_is_not_said_of_the_others() {
    let main =
        include_str!("programs/what_one_revision_reads_unwritten_is_not_said_of_the_others.c");
    let patch = "--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\tn = unset[a & 1];\n+\tn = a & 1;\n";
    let scratch =
        Scratch::new().file("subject.toml", SUBJECT).file("m.c", main).file("1.diff", patch);
    let (joined, _) = diff(&scratch, &[]);
    assert_eq!(joined, [(0, 1, Verdict::Distinguished)]);
    assert_eq!(diff(&scratch, &["--no-join"]).0, joined);
}

/// A package of one source, whose argument has up to `bytes` bytes, with two patches of the fifth
/// line. The first patch is equivalent.
fn twice(main: &str, bytes: u32) -> Scratch {
    let at_5 = |line: &str| {
        format!("--- a/main.c\n+++ b/main.c\n@@ -5 +5 @@\n-\treturn 2 * c;\n+\t{line}\n")
    };
    Scratch::new()
        .file(
            "subject.toml",
            &format!(
                "name = \"x\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                 program = \"p\"\n[inputs]\nargs = [{{ string = {bytes} }}]\n"
            ),
        )
        .file("package/Makefile", "p: main.o\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\n")
        .file("package/main.c", main)
        .file("1.diff", &at_5("return c + c;"))
        .file("2.diff", &at_5("return 2 * c + (c == 7);"))
}

#[test]
fn what_no_patch_reaches_is_not_followed() {
    let main = include_str!("programs/what_no_patch_reaches_is_not_followed.c");
    let scratch = twice(main, 3);
    let (ended, states) = diff(&scratch, &[]);
    let (followed, more) = diff(&scratch, &["--all-paths"]);
    assert_eq!(ended, followed);
    let unaffected =
        |states: &[StateRow]| states.iter().filter(|state| state.halt == "unaffected").count();
    assert!(unaffected(&states) > 0 && unaffected(&more) == 0, "{}", unaffected(&states));
    assert!(states.len() < more.len(), "{} and {}", states.len(), more.len());
}

#[test]
fn what_tells_only_decided_pairs_apart_is_not_followed() {
    let main = include_str!("programs/what_tells_only_decided_pairs_apart_is_not_followed.c");
    let mut scratch = twice(main, 7);
    // Both are equivalent to patch 2; of patch 4 only the solver can see this.
    for (number, line) in [(3, "return (c == 7) + 2 * c;"), (4, "return c + (c == 7) + c;")] {
        let patch =
            format!("--- a/main.c\n+++ b/main.c\n@@ -5 +5 @@\n-\treturn 2 * c;\n+\t{line}\n");
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let (ended, states) = diff(&scratch, &[]);
    for (a, b, verdict) in &ended {
        let same = (*a < 2) == (*b < 2);
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    let (followed, more) = diff(&scratch, &["--all-paths"]);
    assert_eq!(ended, followed);
    assert_eq!(ended, diff(&scratch, &["--until", "trees"]).0);
    // Such states stand for all five revisions, which form two classes, of two and of three.
    assert!(states.iter().any(|state| state.halt == "unaffected" && state.depth > 0));
    assert!(states.len() * 2 < more.len(), "{} and {}", states.len(), more.len());
}

#[test]
fn nothing_comes_back_from_what_never_returns() {
    let main = include_str!("programs/nothing_comes_back_from_what_never_returns.c");
    let scratch = twice(main, 3);
    let (ended, states) = diff(&scratch, &[]);
    let (followed, more) = diff(&scratch, &["--all-paths"]);
    assert_eq!(ended, followed);
    // States are unaffected on the way to `exit`: it calls functions through memory, and the
    // address of `twice` is not in memory.
    let unaffected = states.iter().filter(|state| state.halt == "unaffected").count();
    assert!(unaffected > 0, "{}", states.len());
    assert!(states.len() < more.len(), "{} and {}", states.len(), more.len());
}

#[test]
fn revisions_that_have_printed_different_things_are_one_state() {
    let main =
        include_str!("programs/revisions_that_have_printed_different_things_are_one_state.c");
    let at_6 =
        |line: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\tputs(\"begin\");\n+\t{line}\n");
    let mut scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &at_6("if (b > 2) puts(\"begin\"); else puts(\"begun\");"))
        .file("2.diff", &at_6("printf(\"begin%c\", 10);"));
    for number in 3..9 {
        let line = format!("printf(\"begin {{}} %d\\n\", {number});").replace("{}", "it");
        scratch = scratch.file(&format!("{number}.diff"), &at_6(&line));
    }
    let (joined, states) = diff(&scratch, &[]);
    for (a, b, verdict) in &joined {
        let same = (*a, *b) == (0, 2);
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    assert_eq!(diff(&scratch, &["--sharing", "none"]).0, joined);
    assert_eq!(diff(&scratch, &["--no-join"]).0, joined);
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    let apart = summary[0].paths;
    diff(&scratch, &[]);
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    // Paths divide only by the value of `b`, at 2 and at 5, and each has all texts that were
    // printed.
    assert!(summary[0].paths <= 6 && apart >= 32, "{} and {apart}", summary[0].paths);
    assert!(states.len() as u64 > summary[0].paths, "{}", states.len());
}

#[test]
fn inputs_that_revisions_divide_differently_are_divided_for_all() {
    let main =
        include_str!("programs/inputs_that_revisions_divide_differently_are_divided_for_all.c");
    let at_6 =
        |line: &str| format!("--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\tif (a > 10)\n+\t{line}\n");
    let mut scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("9.diff", &at_6("if (!(a < 11))"));
    for limit in 11..19 {
        scratch = scratch.file(&format!("{limit}.diff"), &at_6(&format!("if (a > {limit})")));
    }
    let (joined, _) = diff(&scratch, &["--sharing", "none"]);
    assert_eq!(diff(&scratch, &["--no-join"]).0, joined);
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    let apart = summary[0].paths;
    assert_eq!(diff(&scratch, &[]).0, joined);
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    assert!(summary[0].paths * 2 < apart, "{} and {apart}", summary[0].paths);
    for (a, b, verdict) in &joined {
        // Patches are in the order of their names, 11 to 18 and then 9.
        let expected =
            if (*a, *b) == (0, 9) { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
}

#[test]
fn revisions_whose_memory_has_other_sizes_are_one_state() {
    let main = include_str!("programs/revisions_whose_memory_has_other_sizes_are_one_state.c");
    let at_8 = |line: &str| {
        format!("--- a/m.c\n+++ b/m.c\n@@ -8 +8 @@\n-\tchar *p = calloc(4, 1);\n+\t{line}\n")
    };
    let mut scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &at_8("char *p = calloc(2, 2);"))
        .file("2.diff", &at_8("char *p = calloc(3, 1);"));
    for size in 5..9 {
        let line = format!("char *p = calloc({size}, 1);");
        scratch = scratch.file(&format!("{size}.diff"), &at_8(&line));
    }
    let (joined, _) = diff(&scratch, &[]);
    let class = |revision: u32| match revision {
        // Revisions with 4 bytes, with 3, and with enough.
        0 | 1 => 0,
        2 => 1,
        _ => 2,
    };
    for (a, b, verdict) in &joined {
        let expected = match (class(*a) == class(*b), class(*a)) {
            (false, _) => Verdict::Distinguished,
            (true, 2) => Verdict::Equivalent,
            (true, _) => Verdict::EquivalentUnlessFailing,
        };
        assert_eq!(*verdict, expected, "{a} and {b}");
    }
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    let paths = summary[0].paths;
    assert_eq!(diff(&scratch, &["--sharing", "none"]).0, joined);
    let summary: Vec<SummaryRow> = table(&scratch.path("out"));
    assert!(paths * 2 < summary[0].paths, "{paths} and {}", summary[0].paths);
}

/// Further differences of pairs that are already told apart are not looked for.
#[test]
fn paths_are_followed_for_open_pairs_only() {
    let main = include_str!("programs/paths_are_followed_for_open_pairs_only.c");
    let patch = |line: usize, old: &str, new: &str| {
        format!("--- a/m.c\n+++ b/m.c\n@@ -{line} +{line} @@\n-{old}\n+{new}\n")
    };
    let declared = "\tint a, n = 0, k = 1;";
    let scratch = Scratch::new()
        .file("subject.toml", SUBJECT)
        .file("m.c", main)
        .file("1.diff", &patch(4, declared, "\tint a, k = 1, n = 1;"));
    // For two revisions this is the default.
    let (one, states) = diff(&scratch, &[]);
    assert_eq!(one, [(0, 1, Verdict::Distinguished)]);
    assert!(states.len() < 512, "{}", states.len());
    let scratch = scratch.file("2.diff", &patch(4, declared, "\tint a, k = 1, n = 2;"));
    let (all, _) = diff(&scratch, &["--until", "trees"]);
    let paths = || table::<SummaryRow>(&scratch.path("out"))[0].paths;
    let many = paths();
    let (pairs, _) = diff(&scratch, &["--until", "pairs"]);
    assert_eq!(all, pairs);
    assert!(pairs.iter().all(|(_, _, verdict)| *verdict == Verdict::Distinguished));
    // With `trees`, there is a path for each way of the input and each revision.
    assert!(many == 3 * 512 && paths() < 512, "{many} and {}", paths());
    let proved = scratch
        .file("3.diff", &patch(4, declared, "\tint a, k = 1, n = k - 1;"))
        .file("4.diff", &patch(8, "\t\t\tputs(\"+\"), n += k;", "\t\t\tputs(\"+\"), n -= -k;"));
    let (pairs, _) = diff(&proved, &["--until", "pairs"]);
    for (a, b, verdict) in pairs {
        let same = [1, 2].iter().all(|other| a != *other && b != *other);
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(verdict, expected, "{a} and {b}");
    }
}

#[test]
fn programs_that_call_what_they_did_not_declare_share_what_they_have_in_common() {
    let source = SOURCE.replace("return x > 0;", "if (x == 9) exit(1);\n\treturn x > 0;");
    let patch = |text: &str| {
        format!("--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\treturn x > 0;\n+\treturn x > {text};\n")
    };
    let scratch =
        Scratch::new().file("a.c", &source).file("1.diff", &patch("1")).file("2.diff", &patch("2"));
    assert_eq!(run(&mut scratch.stage("merge")).code, Some(0));
    let rows: Vec<RevisionRow> = table(&scratch.out());
    assert!(rows.iter().all(|row| row.status == Status::Merged), "{rows:?}");
}
