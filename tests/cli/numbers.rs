//! Numbers in text, which `atoi` and `strtol` read, are terms where they can be.

use psychic::results::Verdict;

use crate::{
    sharing::{SUBJECT, diff},
    support::Scratch,
};

#[test]
fn numbers_in_arguments_are_terms() {
    let main = include_str!("programs/numbers_in_arguments_are_terms.c");
    let change = |line: usize, old: &str, new: &str| {
        format!("--- a/m.c\n+++ b/m.c\n@@ -{line} +{line} @@\n-\t{old}\n+\t{new}\n")
    };
    let subject = format!("{SUBJECT}[inputs]\nargs = [{{ string = 3, count = [2, 2] }}]\n");
    let scratch = Scratch::new().file("subject.toml", &subject).file("m.c", main);
    let ends = "puts(a > b ? \"more\" : a == b ? \"equal\" : \"less\");";
    let scratch = scratch
        .file("1.diff", &change(23, ends, &ends.replace("a > b", "b < a")))
        .file("2.diff", &change(23, ends, &ends.replace("a > b", "a >= b")));
    let (joined, states) = diff(&scratch, &[]);
    let expected = [
        (0, 1, Verdict::Equivalent),
        (0, 2, Verdict::Distinguished),
        (1, 2, Verdict::Distinguished),
    ];
    assert_eq!(joined, expected);
    assert!(states.len() <= 4, "{}", states.len());
    // The model against C that does the same.
    let scratch = scratch
        .file("1.diff", &change(21, "a = atoi(argv[1]);", "a = by_hand(argv[1]);"))
        .file("2.diff", &change(22, "b = strtol(argv[2], NULL, 10);", "b = by_hand(argv[2]);"));
    assert!(diff(&scratch, &[]).0.iter().all(|(.., verdict)| *verdict == Verdict::Equivalent));
}

#[test]
fn a_result_has_the_type_that_the_call_declares() {
    let build = "[build]\nflags = [\"-std=gnu89\", \"-Wno-incompatible-library-redeclaration\"]\n";
    let inputs = "[inputs]\nargs = [{ string = 3, count = [1, 1] }]\n";
    for (declared, value, is_seen) in [
        ("unsigned strtol", "strtol(argv[1], (char *)0, 10)", "value > 4000000000L"),
        // A model without code of a libc.
        ("char strlen", "strlen(text)", "value < 0"),
    ] {
        let main = format!(
            "extern {declared}();\nint puts(const char *), sprintf(char *, const char *, ...);\n\
             int main(int argc, char **argv)\n{{\n\tchar text[300];\n\
             \tsprintf(text, \"%200s\", argv[0]);\n\tlong value = {value};\n\
             \tputs({is_seen} ? \"seen\" : \"not seen\");\n\treturn 0;\n}}\n"
        );
        let at_8 = format!(
            "--- a/m.c\n+++ b/m.c\n@@ -8 +8 @@\n\
             -\tputs({is_seen} ? \"seen\" : \"not seen\");\n+\tputs(\"not seen\");\n"
        );
        let scratch = Scratch::new()
            .file("subject.toml", &format!("{SUBJECT}{build}{inputs}"))
            .file("m.c", &main)
            .file("1.diff", &at_8);
        assert_eq!(diff(&scratch, &[]).0, [(0, 1, Verdict::Distinguished)], "{declared}");
    }
}

#[test]
fn what_is_behind_the_end_of_a_number_is_not_read() {
    let main = include_str!("programs/what_is_behind_the_end_of_a_number_is_not_read.c");
    let at_14 = "--- a/m.c\n+++ b/m.c\n@@ -14 +14 @@\n-\tvalue = atoi(text);\n\
                 +\tvalue = !text[0] ? 0 : !text[1] ? 7 : 77;\n";
    let subject = format!("{SUBJECT}[inputs]\nargs = [{{ string = 1, count = [1, 1] }}]\n");
    let scratch =
        Scratch::new().file("subject.toml", &subject).file("m.c", main).file("1.diff", at_14);
    assert_eq!(diff(&scratch, &[]).0, [(0, 1, Verdict::Equivalent)]);
}
