//! Errors in programs with a build of their own, and what may be claimed about them.

use std::collections::BTreeSet;

use psychic::results::{OutcomeRow, PairRow, Verdict};

use crate::support::{Scratch, run, table};

/// A program without errors; each patch replaces its line `r = n;`.
const ACCESSES: &str = include_str!("programs/accesses.c");

/// A package of one file, with patches that each replace the line `old` by another one.
fn lines(main: &str, old: &str, new: &[&str]) -> Scratch {
    let number = 1 + main.lines().position(|line| line == old).expect("it is there");
    let config = "name = \"x\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                  program = \"p\"\n[inputs]\nargs = [{ string = 1 }]\n";
    let scratch = Scratch::new()
        .file("subject.toml", config)
        .file("package/Makefile", "p: main.o\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\n")
        .file("package/main.c", main);
    let patch = |new: &&str| {
        format!("--- a/main.c\n+++ b/main.c\n@@ -{number} +{number} @@\n-{old}\n+\t{new}\n")
    };
    let patches = (1..).zip(new.iter().map(patch));
    patches
        .fold(scratch, |scratch, (number, text)| scratch.file(&format!("{number:02}.diff"), &text))
}

#[test]
fn errors_of_memory_are_outcomes_that_a_watched_build_confirms() {
    let (outside, freed, bad) = ("out-of-bounds", "use-after-free", "double-free");
    let cases = [
        ("r = p[n + 4];", outside),
        ("r = table[n];", outside),
        ("r = names[0][n > 5 ? -1 : n & 1];", outside),
        ("r = at(s, n > 5 ? -1 : 0);", outside),
        ("r = at(s, n);", outside),
        ("r = at(argv[1], n);", outside),
        ("strcpy(s, n > 4 ? \"abcdefgh\" : \"abc\"); r = s[0];", outside),
        ("memset(p, 0, n); r = p[0];", outside),
        ("r = write(1, p, n + 3);", outside),
        ("char v[n + 1]; memset(v, 0, n + 1); r = at(v, 4);", outside),
        ("r = *(char *)(n > 5 ? 0x123456789000 : (long)p);", outside),
        ("char *volatile q = (char *)names; if (n > 5) *q = 3;", outside),
        ("if (n == 5) free(p); r = p[0];", freed),
        ("r = at(local(n), 3);", freed),
        ("char *q = realloc(p, 4); r = n > 3 ? p[0] : 1; p = q;", freed),
        ("if (n == 5) free(p);", bad),
        ("if (n > 5) free(p + 1);", bad),
    ];
    let scratch = lines(ACCESSES, "\tr = n;", &cases.map(|(line, _)| line));
    // With `trees`, each error is found, even if another one has told the pair apart.
    let compared = run(scratch.stage("diff").args(["--until", "trees"]));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    assert!(!said.contains("contradicts"), "{said}");
    let outcomes: Vec<OutcomeRow> = table(&scratch.path("out"));
    for (number, (line, error)) in (1..).zip(cases) {
        let of_patch = outcomes.iter().filter(|row| row.revision.0 == number);
        let found: BTreeSet<&str> = of_patch.map(|row| &*row.finding).collect();
        assert!(found.contains(error) && found.len() <= 2, "{line}: {found:?}");
    }
    assert!(outcomes.iter().filter(|row| row.revision.0 == 0).all(|row| row.finding.is_empty()));
}

#[test]
fn an_error_of_which_the_program_is_told_is_no_evidence() {
    let main = include_str!("programs/an_error_of_which_the_program_is_told_is_no_evidence.c");
    let scratch = lines(main, "\t\treturn 1;", &["\treturn *p;"]);
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert!(said.contains("null-dereference, with a handler for its signal"), "{said}");
    assert!(!said.contains("contradicts"), "{said}");
}

#[test]
fn nothing_is_proved_of_addresses_that_are_printed() {
    let main = include_str!("programs/nothing_is_proved_of_addresses_that_are_printed.c");
    let new = [
        "int r = 2; printf(\"%p\\n\", &n);",
        "int r = (unsigned)(long)&n;",
        "int r = ((char *)argv)[8 * n];",
    ];
    let scratch = lines(main, "\tint r = 1;", &new);
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert!(!said.contains("contradicts"), "{said}");
    let pairs: Vec<PairRow> = table(&scratch.path("out"));
    for pair in pairs {
        assert_eq!(pair.verdict, Verdict::Unknown, "{} and {}: {said}", pair.a, pair.b);
    }
}

#[test]
fn nothing_is_proved_of_results_that_nobody_gives() {
    let main = include_str!("programs/nothing_is_proved_of_results_that_nobody_gives.c");
    let scratch = lines(main, "\treturn 2 * n;", &["(void)n;", "n += 0;", "return n + n;"]);
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    let pairs: Vec<PairRow> = table(&scratch.path("out"));
    for pair in pairs {
        let given = (pair.a.0, pair.b.0) == (0, 3);
        let proved = pair.verdict == Verdict::Equivalent;
        assert_eq!(proved, given, "{} and {}: {said}", pair.a, pair.b);
    }
}
