//! Random programs that read standard input with `scanf`, `getchar`, `ungetc` and `fgets`, and
//! lines of it with `sscanf` and `strtod`. What they get, and whether they met the end of the file,
//! is the same as with glibc. Inputs are given texts, typed tokens (also malformed ones), and raw
//! bytes. `PSYCHIC_SCANNING=1000..1100` tries seeds other than the default ones.

use std::{fmt::Write, panic};

use super::{
    generator::Random,
    machine::{Input, Subject, compare, each_in_parallel, seeds},
};
use psychic::env::{Halt, Incomplete};

/// Number of texts given to each program.
const TEXTS: usize = 12;
/// Greatest number of steps of a program.
const STEPS: u64 = 4;

/// Parts of formats, and how many numbers and texts they store.
const DIRECTIVES: [(&str, usize, usize); 26] = [
    ("%d", 1, 0),
    ("%d ", 1, 0),
    ("%d\\n", 1, 0),
    (" %d", 1, 0),
    ("%*d", 0, 0),
    ("%2d", 1, 0),
    ("%u", 1, 0),
    ("%x", 1, 0),
    ("%i", 1, 0),
    ("%o", 1, 0),
    ("%hhd", 1, 0),
    (" ", 0, 0),
    ("\\n", 0, 0),
    (",", 0, 0),
    (" ,", 0, 0),
    ("%%", 0, 0),
    ("%c", 0, 1),
    (" %c", 0, 1),
    ("%2c", 0, 1),
    ("%*c", 0, 0),
    ("%2s", 0, 1),
    ("%*3s", 0, 0),
    ("%3s ", 0, 1),
    ("%2[a-c]", 0, 1),
    ("%3[^\\n]", 0, 1),
    ("%*[ab]", 0, 0),
];

fn program(seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         char *gets(char *);\nint main(void) {\n  int x[4], r = 0, c; char t[4][8], line[200], *q;\n\
         \x20 size_t n; float f = 0; double d = 0;\n",
    );
    for _ in 0..=random.below(STEPS) {
        match random.below(14) {
            0 => text.push_str("  c = getchar(); printf(\"%d \", c);\n"),
            1 => text.push_str(
                "  if ((c = getchar()) != EOF) printf(\"%d \", ungetc(c, stdin));\n\
                 \x20 printf(\"%d \", getchar());\n",
            ),
            2 => text.push_str(
                "  memset(t, 0, sizeof t); printf(\"%d \", fgets(t[0], 4, stdin) != NULL);\n\
                 \x20 printf(\"%d%d%d \", t[0][0], t[0][1], t[0][2]);\n",
            ),
            3 => text.push_str(match random.below(3) {
                0 => "  r = scanf(\"%lf\", &d); printf(\"%d %.3f \", r, d);\n",
                1 => "  r = scanf(\"%2lf\", &d); printf(\"%d %.3f \", r, d);\n",
                _ => "  x[0] = x[1] = 0; r = scanf(\"%d%n\", x, x + 1); printf(\"%d %d %d \", r, x[0], x[1]);\n",
            }),
            4 => text.push_str("  r = scanf(\"%f,%lf\", &f, &d); printf(\"%d %g %e \", r, f, d);\n"),
            5 => text.push_str(
                "  memset(t, 0, sizeof t); q = NULL; n = 0;\n\
                 \x20 r = getline(&q, &n, stdin); printf(\"%d %d %d \", r, (int)n, r > 0 ? q[0] : 0);\n\
                 \x20 free(q);\n",
            ),
            6 => text.push_str(
                "  memset(line, 0, sizeof line); printf(\"%d \", gets(line) != NULL);\n\
                 \x20 printf(\"%d%d%d \", line[0], line[1], line[2]);\n",
            ),
            7 => text.push_str(
                "  memset(line, 0, sizeof line); x[0] = -9; d = -9; n = 0;\n\
                 \x20 errno = 0; if (fgets(line, 8, stdin)) r = sscanf(line, \"%d %lf%n\", x, &d, (int *)&n);\n\
                 \x20 printf(\"%d %d %g %d %d \", r, x[0], d, (int)n, errno);\n",
            ),
            8 => text.push_str(
                "  memset(line, 0, sizeof line); fgets(line, 8, stdin);\n\
                 \x20 errno = 0; d = strtod(line, &q); printf(\"%g %d %d \", d, (int)(q - line), errno);\n\
                 \x20 printf(\"%g \", atof(line));\n",
            ),
            9 => text.push_str(
                "  if ((c = getchar()) != EOF) ungetc(c, stdin);\n\
                 \x20 x[0] = -9; r = scanf(\"%d\", x); printf(\"%d %d \", r, x[0]);\n",
            ),
            _ => scan(&mut text, &mut random),
        }
        text.push_str("  printf(\"%d\\n\", feof(stdin) != 0);\n");
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// A call of `scanf` with up to three directives.
fn scan(text: &mut String, random: &mut Random) {
    let (mut format, mut arguments) = (String::new(), String::new());
    let (mut numbers, mut texts) = (0, 0);
    for _ in 0..=random.below(3) {
        let (directive, stored, written) =
            DIRECTIVES[random.below(DIRECTIVES.len() as u64) as usize];
        format.push_str(directive);
        for _ in 0..stored {
            // `%hhd` writes one of the four bytes; all four are zero before.
            let _ = write!(arguments, ", (void *)&x[{numbers}]");
            numbers += 1;
        }
        for _ in 0..written {
            let _ = write!(arguments, ", t[{texts}]");
            texts += 1;
        }
    }
    let _ = write!(
        text,
        "  memset(x, 0, sizeof x); memset(t, 0, sizeof t);\n\
         \x20 r = scanf(\"{format}\"{arguments}); printf(\"%d\", r);\n"
    );
    for index in 0..numbers {
        let _ = writeln!(text, "  printf(\" %d\", x[{index}]);");
    }
    for index in 0..texts {
        let _ = writeln!(
            text,
            "  printf(\" %d,%d,%d,%d\", t[{index}][0], t[{index}][1], t[{index}][2], t[{index}][3]);"
        );
    }
    text.push_str("  putchar(' ');\n");
}

/// A random text of pieces that the programs can read.
fn text(random: &mut Random) -> Vec<u8> {
    const PIECES: [&str; 32] = [
        "2.5",
        "1e2",
        ".",
        "3e",
        "5",
        "-3",
        "12",
        "0x1f",
        "0x",
        "07",
        "+",
        "-",
        "a",
        "abc",
        "zq",
        ",",
        "%",
        " ",
        "\n",
        "\t ",
        "\n\n",
        "99999999999",
        "0",
        "b,4",
        "inf",
        "-INFINITY",
        "nan",
        "infi",
        "0x1.8p3",
        "0x.",
        "1e400",
        "123456789012345678901e-5",
    ];
    let pieces = (0..random.below(7)).map(|_| PIECES[random.below(32) as usize]);
    pieces.collect::<String>().into_bytes()
}

/// Checks the program of a seed; returns how many runs were compared, and how many paths the engine
/// gave up.
fn check(seed: u64) -> (usize, usize) {
    let subject = Subject::with_flags(&program(seed), &[]);
    let replayer = subject.replayer(false);
    let mut random = Random(!seed);
    let given = (0..TEXTS).map(|_| Input::Text(text(&mut random)));
    let typed = [(1, false), (2, false), (3, true)].map(|(limit, eof)| Input::Tokens(limit, eof));
    let (mut compared, mut given_up) = (0, 0);
    let untyped = [Input::Malformed(2), Input::Bytes(2)];
    for input in given.chain(typed).chain(untyped) {
        let paths = subject.explore(&input);
        for (index, state) in paths.states.iter().enumerate() {
            if matches!(state.halt, Halt::Incomplete(Incomplete::Unsupported(_))) {
                given_up += 1;
                continue;
            }
            let (input, predicted) = paths.test(index);
            compare(&replayer, &input, &predicted.expect("an exact path"), false);
            compared += 1;
        }
    }
    (compared, given_up)
}

#[test]
fn random_programs() {
    let seeds = seeds("PSYCHIC_SCANNING", 0..20);
    let results = each_in_parallel(&seeds, |seed| (*seed, panic::catch_unwind(|| check(*seed))));
    let (mut compared, mut given_up, mut failed) = (0, 0, Vec::new());
    for (seed, result) in results {
        match result {
            Ok((runs, paths)) => {
                compared += runs;
                given_up += paths;
            }
            Err(_) => {
                println!("seed {seed}:\n{}", program(seed));
                failed.push(seed);
            }
        }
    }
    println!("{compared} runs compared, {given_up} paths unsupported");
    assert!(failed.is_empty(), "seeds {failed:?}");
}

/// A program that reads each line with the format that stands on the line before it.
const TABLE: &str = r#"
    #include <errno.h>
    #include <stdio.h>
    #include <string.h>
    int main(void) {
        char format[64], line[256], full[80];
        while (fgets(format, sizeof format, stdin) && fgets(line, sizeof line, stdin)) {
            unsigned long x = 0;
            int n = -1, r;
            format[strcspn(format, "\n")] = line[strcspn(line, "\n")] = 0;
            sprintf(full, "%s%%n", format);
            errno = 0;
            r = sscanf(line, full, &x, &n);
            printf("%d %d %lx %d\n", r, n, x, errno);
        }
    }
"#;

#[test]
fn integers_are_read_as_by_glibc() {
    let texts = [
        "",
        " ",
        "0",
        "-0",
        "+7",
        "42",
        "-42",
        " 12 ",
        "007",
        "08",
        "0x",
        "0x1f",
        "0X1F",
        "-0x10",
        "0xg",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "-18446744073709551616",
        "99999999999999999999999999999999999999999999",
        "-99999999999999999999",
        "1e5",
        "-x",
        "+0x",
        "0b11",
        "ffff",
        "12.5",
        "- 1",
        "+",
        "-",
        "x",
    ];
    let mut input = String::new();
    for letter in ["d", "i", "u", "o", "x"] {
        for length in ["hh", "h", "", "l", "ll"] {
            for width in ["", "1", "2", "3", "5", "0"] {
                for text in texts {
                    let _ = writeln!(input, "%{width}{length}{letter}\n{text}");
                }
            }
        }
    }
    let subject = Subject::with_flags(TABLE, &["-O1"]);
    let paths = subject.explore(&Input::Text(input.into_bytes()));
    assert_eq!(paths.replay(false), 1);
}

/// Texts in which each `?` may be any byte.
#[test]
fn unknown_digits_of_known_texts_are_read_as_by_glibc() {
    let texts = [
        ("%lf %n", "?.?e-1"),
        ("%f%n", "-?.5?"),
        ("%lf%n", "0x1.?p?"),
        ("%f%n", "0x?8"),
        ("%lf%n", "?nf"),
        ("%lf%n", "1?e?"),
        ("%ld%n", "922337203685477580?"),
        ("%ld%n", "-922337203685477580?"),
        ("%lu%n", "1844674407370955161?"),
        ("%d%n", "-?1?"),
        ("%i%n", "0?1"),
        ("%lx%n", "?f"),
        ("%3hd%n", "99?9"),
        ("%4lf%n", "0?1?"),
    ];
    each_in_parallel(&texts, |(format, text)| {
        let source = format!(
            "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{\n\
             char s[] = \"{text}\", *q; int n = -1, r; union {{ unsigned long l; float f; double d; }} x = {{0}};\n\
             for (char *p = s; *p; p++) if (*p == '?') *p = getchar();\n\
             errno = 0; r = sscanf(s, \"{format}\", &x, &n); printf(\"%d %d %lx %d \", r, n, x.l, errno);\n\
             errno = 0; x.d = strtod(s, &q); printf(\"%lx %d %d \", x.l, (int)(q - s), errno);\n\
             x.l = 0; x.f = strtof(s, NULL); printf(\"%lx\\n\", x.l);\n}}\n"
        );
        let unknown = text.bytes().filter(|byte| *byte == b'?').count() as u32;
        let subject = Subject::with_flags(&source, &[]);
        let paths = subject.explore(&Input::Bytes(unknown));
        assert!(paths.replay(false) > 1);
    });
}

/// AddressSanitizer does not notice this error, so nothing is replayed.
#[test]
fn a_number_in_text_ends_with_its_object() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n\
        \x20 char s[2]; s[0] = getchar(); s[1] = getchar(); return strtod(s, NULL) > 2.5;\n}\n";
    let subject = Subject::with_flags(source, &[]);
    let ends = subject.explore(&Input::Bytes(2)).ends();
    assert!(ends.iter().any(|end| end.contains("out-of-bounds")), "{ends:?}");
    assert!(ends.iter().any(|end| end.contains("exit")), "{ends:?}");
}
