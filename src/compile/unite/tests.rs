//! As every revision, a united program does what that revision's own program does. What differs is
//! not considered the same.

use std::{fs, process::Command};

use tempfile::TempDir;

use super::*;
use crate::{
    compile::{Closure, Compilation, Toolchain},
    errors::Sanitizer,
};

/// Unites programs and checks that every revision runs as its own program does. Returns, for each
/// revision, how many functions and variables are its own.
#[track_caller]
fn united(meta: &str, own: &[&str]) -> Vec<usize> {
    let directory = TempDir::new().unwrap();
    let toolchain = Toolchain::find().unwrap();
    let place = |name: String| directory.path().join(name);
    let compile = |name: &str, text: &str| {
        let source = format!("{name}.c");
        fs::write(place(source.clone()), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec![source.into()],
            ..Compilation::default()
        };
        toolchain.bitcode(&compilation, &place(format!("{name}.bc"))).unwrap();
        compilation
    };
    compile("meta", &format!("int psychic_rev(void);\n{meta}"));
    let mut programs = Vec::new();
    for (revision, text) in (0..).zip(own) {
        let compilation = compile(&format!("own{revision}"), text);
        let program = place(format!("own{revision}"));
        toolchain.native(&compilation, Sanitizer::None, &program).unwrap();
        let modules = vec![place(format!("own{revision}.bc"))];
        programs.push(Program { revisions: vec![revision], modules });
    }
    let out = place("united.bc".to_owned());
    let united = unite(&[place("meta.bc".to_owned())], &programs, &["main"], &out).unwrap();
    assert!(united.failed.is_empty(), "{:?}", united.failed);
    let mut objects: Vec<PathBuf> =
        toolchain.code(&[], Sanitizer::None, &[out]).into_iter().collect::<Result<_, _>>().unwrap();
    let runtime = toolchain.runtime_objects(Sanitizer::None, &Closure::default(), directory.path());
    objects.extend(runtime.unwrap());
    let whole = place("united".to_owned());
    toolchain.link_native(&[], Sanitizer::None, &objects, &whole).unwrap();
    for revision in 0..own.len() {
        for arguments in 0..4 {
            let run = |program: PathBuf| {
                let mut command = Command::new(program);
                command.args(vec!["x"; arguments]);
                command.env("PSYCHIC_REVISION", revision.to_string());
                let output = command.output().unwrap();
                (String::from_utf8(output.stdout).unwrap(), output.status.to_string())
            };
            let (is, should) = (run(whole.clone()), run(place(format!("own{revision}"))));
            assert_eq!(is, should, "revision {revision}, {arguments} arguments");
        }
    }
    united.own.into_values().collect()
}

#[test]
fn the_same_code_is_recognised() {
    let directory = TempDir::new().unwrap();
    let toolchain = Toolchain::find().unwrap();
    let program = |(revision, text): (u32, &str)| {
        let place = |end: &str| directory.path().join(format!("{revision}.{end}"));
        fs::write(place("c"), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec![format!("{revision}.c").into()],
            ..Compilation::default()
        };
        toolchain.bitcode(&compilation, &place("bc")).unwrap();
        Program { revisions: vec![revision], modules: vec![place("bc")] }
    };
    let texts = [
        "int main(int c, char **v) { c++; return c; }",
        "int main(int c, char **v) { c += 2; return c; }",
        "int main(int count, char **v)\n{\n\t/* more */\n\tcount += 1;\n\treturn count;\n}\n",
        "int main(int c, char **v) { c++; return c; }\nint other;\n",
    ];
    let programs: Vec<Program> = (0..).zip(texts).map(program).collect();
    assert_eq!(same_code(&programs), [[0, 2]]);
}

const PUTS: &str = "int printf(const char *, ...);\n";

#[test]
fn a_right_meta_program_is_all_there_is() {
    let program = |what: &str| {
        format!(
            "{PUTS}static int calls;\nstatic int step(int n)\n{{\n\tcalls++;\n\t\
             if ({what})\n\t\treturn 1;\n\treturn n * step(n - 1);\n}}\n\
             int main(int c, char **v)\n{{\n\tint n = step(c + 2);\n\
             \tprintf(\"%d %d %s\\n\", n, calls, \"text\");\n\treturn n & 127;\n}}\n"
        )
    };
    let meta = program("psychic_rev() == 1 ? n <= 1 : psychic_rev() == 2 ? n < 3 : n < 1");
    assert_eq!(united(&meta, &[&program("n < 1"), &program("n <= 1"), &program("n < 3")]), [0; 3]);
}

#[test]
fn a_function_that_is_replaced_keeps_its_address() {
    let program = |number: &str| {
        format!(
            "{PUTS}static int f(void)\n{{\n\treturn {number};\n}}\nint (*table[])(void) = {{f}};\n\
             extern int again(void) __attribute__((alias(\"f\")));\n\
             int main(int c, char **v)\n{{\n\tint (*local)(void) = f;\n\
             \tprintf(\"%d %d %d %d\\n\", table[0] == f, local == table[0], f(), again());\n\
             \treturn {number};\n}}\n"
        )
    };
    assert_eq!(united(&program("4"), &[&program("4"), &program("6")]), [0, 2]);
}

#[test]
fn conditions_that_are_values_are_conditions() {
    let program = |condition: &str, other: &str| {
        format!(
            "{PUTS}#include <ctype.h>\nint main(int c, char **v)\n{{\n\tint z = 1, i = c, dp = 2;\n\
             \tif ({condition})\n\t\treturn 3;\n\telse if ({other})\n\t\treturn 4;\n\
             \twhile (!({other}) && z < 3)\n\t\tz++;\n\
             \tprintf(\"%d %d\\n\", c, z);\n\treturn 0;\n}}\n"
        )
    };
    let chosen =
        |first: &str, second: &str| format!("+(psychic_rev() == 1 ? !!({first}) : !!({second}))");
    let conditions = ["c < 1 || c > 2", "!isdigit(c + 46)"];
    let others = ["z && dp < i && isdigit(c)", "dp < i"];
    let own = [program(conditions[1], others[1]), program(conditions[0], others[0])];
    let meta = program(&chosen(conditions[0], conditions[1]), &chosen(others[0], others[1]));
    assert_eq!(united(&meta, &[&own[0], &own[1]]), [0; 2]);
}

#[test]
fn what_a_function_says_is_a_condition() {
    let program = |condition: &str| {
        format!(
            "_Bool odd(int n) {{ return n % 2; }}\n\
             int main(int argc, char **argv) {{ if ({condition}) return 1; return 0; }}\n"
        )
    };
    let meta = "+(psychic_rev() == 1 ? !!(odd(argc) && argc > 2) : !!(odd(argc)))";
    let own = [program("odd(argc)"), program("odd(argc) && argc > 2")];
    assert_eq!(united(&program(meta), &own.each_ref().map(String::as_str)), [0, 0]);
}

#[test]
fn what_the_meta_program_has_wrong_is_the_revisions_own() {
    let program = |sum: &str| {
        format!(
            "{PUTS}static int sum;\nstatic void add(int n)\n{{\n\tsum {sum};\n}}\n\
             static void (*const how)(int) = add;\n\
             int main(int c, char **v)\n{{\n\tfor (int i = 0; i < c; i++)\n\t\thow(i);\n\
             \tadd(3);\n\tprintf(\"%d %d\\n\", sum, how == add);\n\treturn 0;\n}}\n"
        )
    };
    // The meta program claims that revision 1 does what the original does.
    let own = [&*program("+= n"), &program("-= n"), &program("+= 2 * n")];
    let meta = program("+= psychic_rev() == 2 ? 2 * n : n");
    assert_eq!(united(&meta, &own), [0, 1, 0]);
    // The meta program is wrong about all revisions.
    let own = [&*program("+= n"), &program("+= n"), &program("+= n")];
    assert_eq!(united(&program("^= n"), &own)[0], 1);
}

#[test]
fn one_static_variable_is_all_revisions() {
    let program = |count: &str| {
        format!(
            "{PUTS}static int seen[3];\nstatic int last(void)\n{{\n\treturn seen[2];\n}}\n\
             static int count(int n)\n{{\n\tstatic int before = 5;\n\tbefore += n;\n{count}\
             \tseen[2] += n;\n\treturn before;\n}}\n\
             int main(int c, char **v)\n{{\n\tcount(c);\n\tint n = count(2);\n\
             \tprintf(\"%d %d %d\\n\", n, last(), seen[1]);\n\treturn 0;\n}}\n"
        )
    };
    let own = [&*program(""), &program("\tseen[1]++;\n"), &program("\tbefore--;\n")];
    assert_eq!(united(&program(""), &own), [0, 1, 1]);
}

#[test]
fn types_sizes_and_names_may_change() {
    let program = |size: usize, parameter: &str, extra: &str| {
        format!(
            "{PUTS}{extra}char name[{size}] = \"abc\";\nlong rest(void)\n{{\n\
             \treturn sizeof name;\n}}\n\
             static int part({parameter} n)\n{{\n\treturn n / 2 + name[1];\n}}\n\
             int main(int c, char **v)\n{{\n\
             \tprintf(\"%d %ld %s\\n\", part(c * -3), rest(), name);\n\treturn 0;\n}}\n"
        )
    };
    let plain = program(8, "int", "");
    let added = include_str!("programs/types_sizes_and_names_may_change.c");
    let own =
        [&*plain, &program(16, "int", ""), &program(8, "unsigned", ""), &program(8, "int", added)];
    let counts = united(&plain, &own);
    assert!(counts[0] == 0 && counts[1..].iter().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn what_runs_for_ever_without_an_effect_is_the_same() {
    let program = |forever: &str| {
        format!(
            "{PUTS}int main(int c, char **v)\n{{\n\tif (c == 77)\n\t\t{forever}\n\
             \tprintf(\"%d\\n\", c);\n\treturn 0;\n}}\n"
        )
    };
    let own = [&*program("for (;;);"), &program("while (1);"), &program("return 1;")];
    let meta = program(
        "if (psychic_rev() == 1) while (1); else if (psychic_rev() == 2) return 1; else for (;;);",
    );
    assert_eq!(united(&meta, &own)[..2], [0, 0]);
}

#[test]
fn what_is_not_the_same_is_not_taken_for_it() {
    let program = |body: &str| {
        format!(
            "{PUTS}volatile int seen, other;\nstatic int f(int n, unsigned u)\n{{\n{body}\n}}\n\
             int main(int c, char **v)\n{{\n\tint n = f(c - 2, c * 3u);\n\
             \tprintf(\"%d %d %d\\n\", n, seen, other);\n\treturn 0;\n}}\n"
        )
    };
    for (a, b) in [
        ("return n >> 1;", "return (unsigned)n >> 1;"),
        ("return n / 3;", "return (int)((unsigned)n / 3);"),
        ("return n < (int)u;", "return n < u;"),
        ("seen = n; other = u; return 0;", "seen = u; other = n; return 0;"),
        ("seen = 1; other = 2; return 0;", "other = 2; seen = 1; return 0;"),
        ("int a = n, b = u; return a - b;", "int a = n, b = u; return b - a;"),
        ("return (signed char)(n * 100);", "return (unsigned char)(n * 100);"),
        ("return 1.5 * n;", "return 1.5f * n * 1.1;"),
        ("return \"ab\"[1] + n;", "return \"ac\"[1] + n;"),
        (
            "switch (n) { case 0: return 5; } return 6;",
            "switch (n) { case 1: return 5; } return 6;",
        ),
        (
            "for (int i = 0; i < 3; i++) n += i; return n;",
            "for (int i = 0; i < 4; i++) n += i; return n;",
        ),
        ("while (u > 1) u /= 2; return u;", "do u /= 2; while (u > 1); return u;"),
        ("char t[4] = \"abc\"; return t[n & 3];", "char t[4] = \"abd\"; return t[n & 3];"),
        ("return printf(\"%d\", n);", "return printf(\"%d\", u);"),
        ("int x[2] = {1, 2}; return x[u & 1];", "int x[2] = {2, 1}; return x[u & 1];"),
        ("return n ? 1 : u;", "return u ? 1 : n;"),
    ] {
        let counts = united(&program(a), &[&program(a), &program(b)]);
        assert_eq!(counts, [0, 1], "{a} and {b}");
    }
}

#[test]
fn symbols_that_revisions_call_otherwise_are_known() {
    let directory = TempDir::new().unwrap();
    let toolchain = Toolchain::find().unwrap();
    let [meta, own, out] = ["meta.bc", "own.bc", "out.bc"].map(|name| directory.path().join(name));
    let two = |f: &str, g: &str| {
        format!(
            "static int same(int x) {{ return x / 7; }}\n\
             static int {f}(int x) {{ return x + 3; }}\nstatic int {g}(int x) {{ return x - 1; }}\n\
             int main(int n, char **a) {{ return {f}(n) + 2 * {g}(n) + same(n); }}\n"
        )
    };
    for (place, text) in [(&meta, two("f", "g")), (&own, two("g", "f"))] {
        fs::write(place.with_extension("c"), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec![place.with_extension("c").file_name().unwrap().into()],
            ..Compilation::default()
        };
        toolchain.bitcode(&compilation, place).unwrap();
    }
    let program = Program { revisions: vec![1], modules: vec![own] };
    let united = unite(&[meta], &[program], &["main"], &out).unwrap();
    assert_eq!(united.own[&1], 0);
    assert_eq!(united.renamed, BTreeSet::from(["f".to_owned(), "g".to_owned()]));
}

/// Functions whose results are kept in a variable of their own.
#[test]
fn results_are_what_was_stored_last() {
    let jump = |number: u32| {
        format!(
            "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf b;\n\
             static int f(void) {{ int r = 0; if (setjmp(b) == 0) {{ r = {number}; longjmp(b, 1); }} \
             return r; }}\n\
             int main(void) {{ printf(\"%d\", f()); return 0; }}\n"
        )
    };
    let round = |number: u32| {
        format!(
            "#include <stdio.h>\nstatic int left;\n\
             static int f(void) {{ int r = 0; for (;;) r = {number} + (left-- ?: ({{ break; 0; }})); \
             return r; }}\n\
             int main(int count, char **words) {{ left = count; printf(\"%d\", f()); return 0; }}\n"
        )
    };
    for text in [jump, round] as [fn(u32) -> String; 2] {
        assert_eq!(united(&text(1), &[&text(1), &text(2)]), [0, 1]);
    }
}

/// What instructions leave in the floating-point environment.
#[test]
fn floating_point_operations_stay_between_calls() {
    let text = |first: bool| {
        let (x, y) = ("x / 10.0", "feclearexcept(FE_ALL_EXCEPT)");
        let (a, b) = if first { (x, y) } else { (y, x) };
        format!(
            "#include <fenv.h>\n#include <stdio.h>\n\
             static int f(double x) {{ double a = {a}, b = {b}; \
             return fetestexcept(FE_INEXACT) != 0; }}\n\
             int main(int count, char **words) {{ printf(\"%d\", f(count)); return 0; }}\n"
        )
    };
    assert_eq!(united(&text(true), &[&text(true), &text(false)]), [0, 1]);
}

#[test]
fn a_large_variable_is_not_a_small_one() {
    let text = |size: u32| {
        format!(
            "static int g(int n) {{ return n; }}\n\
             static int f(int n) {{ char all[{size}]; return g(n) + (sizeof all > 3); }}\n\
             int main(int count, char **words) {{ return f(count); }}\n"
        )
    };
    assert_eq!(united(&text(16), &[&text(16), &text(1 << 20)]), [0, 1]);
}
