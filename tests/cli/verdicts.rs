//! Verdicts of subjects that are looked at more closely than `tests/subjects` says.

use std::time::Duration;

use psychic::{
    results::{PairRow, RevisionRow, StateRow, Status, SummaryRow, Verdict},
    subject::Revision,
};

use crate::{
    judged::diff,
    sharing::SUBJECT,
    support::{CONFIG, Scratch, run, table},
};

/// Each patch is named after its kind of halt, as in `states.csv`, and a detail.
#[test]
fn halts_of_every_kind() {
    let found = diff("halts");
    let states: Vec<StateRow> = table(found.results.path());
    for (revision, (_, patch)) in &found.patches {
        let halts = states.iter().filter(|state| state.revisions.contains(*revision));
        let matching = halts.filter(|state| {
            let found = state.findings.iter().any(|finding| patch.contains(finding));
            found || !state.halt.is_empty() && patch.contains(&state.halt)
        });
        let location = matching.map(|state| state.location.clone()).next();
        let location = location.unwrap_or_else(|| panic!("{patch}: no such halt"));
        assert!(location.contains(':'), "{patch}: {location}");
    }
}

/// The verdict after a use of memory that was never written, for each `uninitialised` in
/// `subject.toml`.
#[test]
fn what_was_never_written_is_what_a_subject_says() {
    let settings = [
        ("", Verdict::Distinguished, ""),
        ("uninitialised = \"zero\"\n", Verdict::Distinguished, ""),
        ("uninitialised = \"any\"\n", Verdict::Unknown, "memory that was never written"),
        ("uninitialised = \"error\"\n", Verdict::EquivalentUnlessFailing, ""),
    ];
    for (setting, verdict, reason) in settings {
        let source = include_str!("programs/what_was_never_written_is_what_a_subject_says.c");
        let patch = "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\treturn 2;\n+\treturn 3;\n";
        let scratch = Scratch::new()
            .file("a.c", source)
            .file("1.diff", patch)
            .file("subject.toml", &CONFIG.replace("entry =", &format!("{setting}entry =")));
        let ran = run(&mut scratch.stage("diff"));
        let pairs: Vec<PairRow> = table(&scratch.out());
        assert_eq!(pairs[0].verdict, verdict, "{setting}{}{}", ran.stdout, ran.stderr);
        assert!(pairs[0].reason.contains(reason), "{}", pairs[0].reason);
        let summary: Vec<SummaryRow> = table(&scratch.out());
        assert_eq!(summary[0].mismatches, 0, "{setting}{}{}", ran.stdout, ran.stderr);
    }
}

/// A use of memory that was never written is found on exactly the inputs on which it shows: on all
/// inputs for patch 1, as the division hides only small contents, and on odd inputs for patch 2.
#[test]
fn what_was_never_written_is_found_where_it_shows() {
    let source = include_str!("programs/what_was_never_written_is_found_where_it_shows.c");
    let at_5 =
        |line: &str| format!("--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\tint sum = x;\n+\t{line}\n");
    let scratch = Scratch::new()
        .file("a.c", source)
        .file("1.diff", &at_5("int sum = x + y;"))
        .file("2.diff", &at_5("int sum = x + (x & 1) * y;"))
        .file("subject.toml", CONFIG);
    let ran = run(&mut scratch.stage("diff"));
    let summary: Vec<SummaryRow> = table(&scratch.out());
    assert_eq!(summary[0].mismatches, 0, "{}{}", ran.stdout, ran.stderr);
    let states: Vec<StateRow> = table(&scratch.out());
    let found = |revision| {
        let of_it = states.iter().filter(|state| state.revisions.contains(Revision(revision)));
        let mut found: Vec<bool> = of_it.map(|state| !state.findings.is_empty()).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    assert_eq!([found(0), found(1), found(2)], [vec![false], vec![true], vec![false, true]]);
}

/// Native runs show and find what the engine predicts, even where compilers and sanitizers differ:
/// on a constant expression without a value, an access that is less aligned than its type and ends
/// beyond its object, and an access to an object of size zero.
#[test]
fn what_a_compiler_leaves_open_is_the_same_in_both_worlds() {
    let source = include_str!("programs/what_a_compiler_leaves_open_is_the_same_in_both_worlds.c");
    let at_5 =
        |line: &str| format!("--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\tint n = x > 3;\n+\t{line}\n");
    let scratch = Scratch::new()
        .file("a.c", source)
        .file("1.diff", &at_5("int n = x > 3; printf(\"%d\\n\", 7 % 0);"))
        .file("2.diff", &at_5("int n = x > 3 && *(int *)(v + 3) > 0;"))
        .file("3.diff", &at_5("int none[0]; int n = x > 3; none[n] = x;"))
        .file("subject.toml", CONFIG);
    let ran = run(&mut scratch.stage("diff"));
    let summary: Vec<SummaryRow> = table(&scratch.out());
    assert_eq!(summary[0].mismatches, 0, "{}{}", ran.stdout, ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    for pair in pairs {
        assert_eq!(pair.verdict, Verdict::Distinguished, "{} and {}", pair.a, pair.b);
    }
}

/// If a library function decides by memory that was never written, this is found in both worlds.
#[test]
fn the_library_is_watched_as_the_program_is() {
    let source = include_str!("programs/the_library_is_watched_as_the_program_is.c");
    let uses = [
        "strncat(text, junk, 1);",
        "strcat(text, junk);",
        "strncpy(text, junk, 2);",
        "strcpy(text, junk);",
        "sorted[2] = other[1]; qsort(sorted, 3, sizeof *sorted, less);",
        "n = atoi(junk);",
    ];
    let patch =
        |line: &str| format!("--- a/a.c\n+++ b/a.c\n@@ -15 +15 @@\n-\tless(&n, &n);\n+\t{line}\n");
    let mut scratch = Scratch::new().file("a.c", source).file("subject.toml", CONFIG);
    for (number, line) in uses.iter().enumerate() {
        scratch = scratch.file(&format!("{}.diff", number + 1), &patch(line));
    }
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    let summary: Vec<SummaryRow> = table(&scratch.out());
    assert_eq!(summary[0].mismatches, 0, "{said}");
    let pairs: Vec<PairRow> = table(&scratch.out());
    for pair in pairs.iter().filter(|pair| pair.a == Revision::ORIGINAL) {
        assert_eq!(pair.verdict, Verdict::Distinguished, "{}: {said}", pair.b);
    }
}

/// A meta program in which two files define the same function does not link, which must not matter.
#[test]
fn two_patches_may_add_one_function_to_two_files() {
    let helper = include_str!("programs/helper.hunk");
    let adds = |file: &str, line: &str, now: &str| {
        let hunks = "@@ -1 +1,5 @@\n";
        format!(
            "--- a/{file}\n+++ b/{file}\n{hunks}{helper} int more(int x);\n@@ -4 +8 @@\n\
             -\treturn {line};\n+\treturn {now};\n"
        )
    };
    let own = |name: &str, line: &str| {
        format!("int more(int x);\nint {name}(int x)\n{{\n\treturn {line};\n}}\n")
    };
    let scratch = Scratch::new()
        .file("a.c", &own("entry", "more(x)"))
        .file("more.c", &own("more", "x + 1"))
        .file("1.diff", &adds("more.c", "x + 1", "helper(x)"))
        .file("2.diff", &adds("a.c", "more(x)", "helper(more(x))"))
        .file("subject.toml", &CONFIG.replace("[\"a.c\"]", "[\"a.c\", \"more.c\"]"));
    let ran = run(&mut scratch.stage("diff"));
    let pairs: Vec<PairRow> = table(&scratch.out());
    let verdicts: Vec<Verdict> = pairs.iter().map(|pair| pair.verdict).collect();
    let expected = [Verdict::Equivalent, Verdict::Distinguished, Verdict::Distinguished];
    assert_eq!(verdicts, expected, "{}{}", ran.stdout, ran.stderr);
}

/// The front end gives `7 % 0` no value; natively the result would be whatever a register holds.
#[test]
fn a_division_by_a_constant_zero_is_an_error_as_one_by_a_variable() {
    let division = |by: &str| {
        format!(
            "--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\treturn x > 3 ? x / 2 : 1;\n\
             +\treturn x > 3 ? {by} : 1;\n"
        )
    };
    let scratch = Scratch::new()
        .file(
            "a.c",
            include_str!(
                "programs/a_division_by_a_constant_zero_is_an_error_as_one_by_a_variable.c"
            ),
        )
        .file("1.diff", &division("x % (x - x)"))
        .file("2.diff", &division("7 % 0"))
        .file("3.diff", &division("0"))
        .file("4.diff", &division("__LINE__ / (3 - 3)"))
        .file("subject.toml", &format!("{CONFIG}[build]\nflags = [\"-Wall\", \"-Werror\"]\n"));
    let ran = run(&mut scratch.stage("diff"));
    let pairs: Vec<PairRow> = table(&scratch.out());
    let alike: Vec<(u32, u32)> = pairs
        .iter()
        .filter(|pair| pair.verdict != Verdict::Distinguished)
        .map(|pair| {
            assert_eq!(pair.verdict, Verdict::EquivalentUnlessFailing, "{}", ran.stdout);
            (pair.a.0, pair.b.0)
        })
        .collect();
    assert_eq!(alike, [(1, 2), (1, 4), (2, 4)], "{}{}", ran.stdout, ran.stderr);
}

/// A bad patch among good ones is set aside with file, line and reason; the others take part.
#[test]
fn bad_patches_are_set_aside() {
    let found = diff("set-aside");
    let rows: Vec<RevisionRow> = table(found.results.path());
    let reasons: Vec<String> = rows
        .iter()
        .filter(|row| row.status == Status::Rejected)
        .map(|row| format!("{}: {}", row.patch, row.reason))
        .collect();
    insta::assert_snapshot!(reasons.join("\n"));
}

/// The source is included before the harness, which keeps its own names.
#[test]
fn a_patch_cannot_take_the_harness_its_voice() {
    let mute = "#define mute(name, data, size) ((void)0)\n+#define PSYCHIC_SHOW(type) mute";
    let scratch = Scratch::new();
    let patch = |number: u32, statement: &str| {
        format!(
            "--- a/a.c\n+++ b/a.c\n@@ -3 +{number},3 @@\n-\treturn x > 0;\n+\treturn {statement};\n+{mute}\n"
        )
    };
    let scratch = scratch.file("1.diff", &patch(3, "x > 0")).file("2.diff", &patch(3, "x > 1"));
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let verdicts: Vec<Verdict> =
        table::<PairRow>(&scratch.out()).into_iter().map(|pair| pair.verdict).collect();
    let [same, apart] = [Verdict::Equivalent, Verdict::Distinguished];
    assert_eq!(verdicts, [same, apart, apart]);
}

/// `__LINE__` makes the function of the first patch one of its own, and it compares its address with the
/// one in a table that all share.
#[test]
fn a_replaced_function_keeps_its_address() {
    let source = include_str!("programs/a_replaced_function_keeps_its_address.c");
    let function = |blank: &str, line: &str, condition: &str| {
        format!(
            "--- a/a.c\n+++ b/a.c\n@@ -4,6 +4,{} @@\n fn table[1] = {{ f }};\n{blank} int f(int x)\n {{\n\
             -    int k = __LINE__;\n-    if (table[0] == f)\n+    int k = {line};\n+    if \
             ({condition})\n         return x + k;\n",
            6 + blank.lines().count()
        )
    };
    let scratch = Scratch::new()
        .file("a.c", source)
        .file("1.diff", &function("+\n", "__LINE__ - 1", "table[0] == f"))
        .file("2.diff", &function("", "7", "0"))
        .file("3.diff", &function("", "7", "1"))
        .file("subject.toml", &CONFIG.replace("\"entry\"", "\"main\""));
    let ran = run(&mut scratch.stage("diff"));
    let revisions: Vec<RevisionRow> = table(&scratch.out());
    assert!(revisions[1].own > 0, "{revisions:?}");
    let summary: Vec<SummaryRow> = table(&scratch.out());
    assert_eq!(summary[0].mismatches, 0, "{}{}", ran.stdout, ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    for row in pairs {
        let differ = [row.a, row.b].contains(&Revision(2));
        let expected = if differ { Verdict::Distinguished } else { Verdict::Equivalent };
        assert_eq!(row.verdict, expected, "{} {} {}", row.a, row.b, row.reason);
    }
}

/// What the meta program includes must not come before the program's own macros for its headers.
#[test]
fn functions_are_shared_by_programs_that_ask_for_gnu_functions() {
    let source = "#define _GNU_SOURCE\n#include <string.h>\n#include <stdio.h>\nint main(void)\n{\n\
                  \tint c = getchar();\n\tputs(memmem(\"abc\", 3, \"c\", 1));\n\treturn c > 0;\n}\n";
    let scratch = Scratch::new()
        .file("a.c", source)
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n[inputs.stdin]\nbytes = 1\n",
        )
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -8 +8 @@\n-\treturn c > 0;\n+\treturn c >= 0;\n",
        );
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let revisions: Vec<RevisionRow> = table(&scratch.out());
    assert_eq!((revisions[1].arms, revisions[1].own), (1, 0), "{revisions:?}");
}

/// Sanitizers come with shared libraries, so their builds are not what the flag asks for.
#[test]
fn errors_in_static_programs_are_confirmed() {
    let source = "#include <stdio.h>\nint main(void)\n{\n\tchar b[4] = \"abc\";\n\tint c = getchar();\n\
                  \tif (c >= 0 && c < 8)\n\t\tb[c & 3] = 'x';\n\tputs(b);\n\treturn 0;\n}\n";
    let scratch = Scratch::new()
        .file("a.c", source)
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n[build]\nflags = [\"-static\"]\n\
             [inputs.stdin]\nbytes = 1\n",
        )
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -7 +7 @@\n-\t\tb[c & 3] = 'x';\n+\t\tb[c] = 'x';\n",
        );
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("out-of-bounds"), "{}", ran.stdout);
}

/// What runs before a program can serve may not end, under a sanitizer at least.
#[test]
fn a_program_that_never_serves_is_left_alone() {
    let scratch = Scratch::new()
        .file("a.c", include_str!("programs/its_own_allocator.c"))
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n[inputs.stdin]\nbytes = 1\n\
             [budget]\nreplay = \"50ms\"\n",
        )
        .file(
            "1.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -18 +18 @@\n-\t\ttext[c & 3] = 'x';\n+\t\ttext[c] = 'x';\n",
        );
    let ran = run(scratch.stage("diff").timeout(Duration::from_secs(120)));
    let pairs: Vec<PairRow> = table(&scratch.out());
    assert_ne!(pairs[0].verdict, Verdict::Equivalent, "{}{}", ran.stdout, ran.stderr);
}

/// One of two equal programs cannot be built under a sanitizer. What the other one does there says
/// nothing about the two.
#[test]
fn outcomes_with_and_without_a_sanitizer_are_not_compared() {
    let source = "#include <stdio.h>\nint main(void)\n{\n\tchar b[4] = \"abc\";\n\tint c = getchar();\n\
                  \tif (c >= 0 && c < 8)\n\t\tb[c] = 'x';\n\tputs(b);\n\treturn 0;\n}\n";
    let refused = "#if __has_feature(address_sanitizer)\n+#error no\n+#endif";
    let scratch = Scratch::new()
        .file("a.c", source)
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n[inputs.stdin]\nbytes = 1\n",
        )
        .file(
            "1.diff",
            &format!(
                "--- a/a.c\n+++ b/a.c\n@@ -1 +1,4 @@\n #include <stdio.h>\n+{refused}\n"
            ),
        )
        // It does not err where the others do, so that they are to be watched there.
        .file(
            "2.diff",
            "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\tchar b[4] = \"abc\";\n+\tchar b[8] = \"abc\";\n",
        );
    let ran = run(&mut scratch.stage("diff"));
    let pairs: Vec<PairRow> = table(&scratch.out());
    assert_ne!(pairs[0].verdict, Verdict::Distinguished, "{}{}", ran.stdout, ran.stderr);
    let said = "AddressSanitizer and UBSan cannot be built for revision 1: tests that call for it";
    assert_eq!(ran.stdout.matches(said).count(), 1, "{}", ran.stdout);
}

/// The first zero at -O0, the second one at -O2, where the code generator sees that a converted integer
/// is no NaN.
#[test]
fn nothing_is_proved_of_zeros_that_the_code_generator_chooses() {
    let source = |line: &str| {
        format!(
            "#include <stdio.h>\nint main(void)\n{{\n\tdouble x;\n\tint i;\n\
             \tif (scanf(\"%lf %d\", &x, &i) != 2)\n\t\treturn 1;\n\tprintf(\"%g\\n\", {line});\n\
             \treturn 0;\n}}\n"
        )
    };
    let (old, new) = ("__builtin_fmax(x, (double)i)", "x >= i ? x : (double)i");
    let scratch = Scratch::new()
        .file("a.c", &source(old))
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n[build]\nflags = [\"-O2\"]\n",
        )
        .file(
            "1.diff",
            &format!(
                "--- a/a.c\n+++ b/a.c\n@@ -8 +8 @@\n-\tprintf(\"%g\\n\", {old});\n+\tprintf(\"%g\\n\", {new});\n"
            ),
        );
    let ran = run(&mut scratch.stage("diff"));
    let pairs: Vec<PairRow> = table(&scratch.out());
    assert_ne!(pairs[0].verdict, Verdict::Equivalent, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn it_is_said_if_no_input_reaches_what_patches_change() {
    let main = "#include <stdio.h>\nint limit = 3;\nint main(int argc, char **argv)\n{\n\
                \tif (argc > 3)\n\t\tputs(argv[3]);\n\tprintf(\"%d\\n\", limit);\n\treturn 0;\n}\n";
    let at_6 = "--- a/m.c\n+++ b/m.c\n@@ -6 +6 @@\n-\t\tputs(argv[3]);\n+\t\tputs(argv[2]);\n";
    let at_2 = "--- a/m.c\n+++ b/m.c\n@@ -2 +2 @@\n-int limit = 3;\n+int limit = 4;\n";
    let is_said = |diffs: &[&str], most: u32| {
        let subject =
            format!("{SUBJECT}[inputs]\nargs = [{{ string = 1, count = [0, {most}] }}]\n");
        let scratch = Scratch::new().file("subject.toml", &subject).file("m.c", main);
        let named = diffs.iter().enumerate();
        let scratch =
            named.fold(scratch, |scratch, (i, diff)| scratch.file(&format!("{i}.diff"), diff));
        run(&mut scratch.stage("diff"))
            .stdout
            .contains("warning: no input within the bounds reaches what the patches change")
    };
    assert!(is_said(&[at_6], 2));
    assert!(!is_said(&[at_6], 3));
    assert!(!is_said(&[at_2], 2));
}
