//! Packages: programs that their own build makes.

use std::{fs, process::Command};

use psychic::results::{PairRow, Verdict};

use crate::support::{Ran, Scratch, psychic, refused, run, table};

pub const CONFIG: &str = r#"name = "small"
patches = ["*.diff"]

[build]
directory = "package"
program = "bin/greet"
configure = "sh ./configure"
"#;
/// A package of two files that uses a macro from a configured header and the compiler from the
/// environment.
const FILES: &[(&str, &str)] = &[
    ("configure", "echo '#define GREETING \"hello\"' >config.h; mkdir -p bin\n"),
    (
        "Makefile",
        "all: bin/greet\nbin/greet: main.o say.o\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\n\
         main.o: main.c config.h\nsay.o: say.c\n",
    ),
    ("main.c", include_str!("programs/greet_main.c")),
    ("say.c", include_str!("programs/greet_say.c")),
];
const COLDER: &str = "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
    -\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n\
    +\treturn say(GREETING, argc > 2 ? argv[1] : \"nobody\");\n";
const BROKEN: &str = "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
    -\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n\
    +\treturn say(FAREWELL, argc > 1 ? argv[1] : \"world\");\n";

pub fn package() -> Scratch {
    let scratch = Scratch::new().file("subject.toml", CONFIG);
    fs::create_dir(scratch.path("package")).expect("made");
    let write = |scratch: Scratch, (name, text): &(&str, &str)| {
        scratch.file(&format!("package/{name}"), text)
    };
    FILES.iter().fold(scratch, write).file("1.diff", COLDER).file("2.diff", BROKEN)
}

/// A package that runs the compiler in a subdirectory, and has a file of the same name elsewhere.
pub fn nested() -> Scratch {
    let config = "name = \"nested\"\npatches = [\"*.diff\"]\n\n[build]\n\
        directory = \"package\"\nprogram = \"nested\"\n\n[inputs]\n\
        args = [{ string = 1, count = [0, 1] }]\n";
    Scratch::new()
        .file("subject.toml", config)
        .file(
            "package/Makefile",
            "nested: main.o\n\t$(MAKE) -C lib\n\
             \t$(CC) $(CFLAGS) main.o lib/half.o $(LDFLAGS) -o $@\nmain.o: main.c\n",
        )
        .file("package/lib/Makefile", "half.o: half.c\n")
        .file("package/main.c", include_str!("programs/nested_main.c"))
        .file("package/lib/half.c", include_str!("programs/nested_half.c"))
        .file("package/old/half.c", "int third(int x) { return x / 3; }\n")
}

/// As [`nested`], with two files of one name that are compiled where they lie.
pub fn nested_twice() -> Scratch {
    nested()
        .file(
            "package/Makefile",
            "nested: main.o\n\t$(MAKE) -C lib\n\t$(MAKE) -C old\n\
             \t$(CC) $(CFLAGS) main.o lib/half.o old/half.o $(LDFLAGS) -o $@\nmain.o: main.c\n",
        )
        .file("package/old/Makefile", "half.o: half.c\n")
}

/// Explores the built program: every path comes to an end, and every test ends in the same way
/// natively.
#[track_caller]
pub fn explore_as_natively(scratch: &Scratch, options: &[&str]) -> Ran {
    let mut explore = psychic();
    explore.arg("explore").arg(scratch.path("out/meta.bc")).arg("--out").arg(scratch.path("paths"));
    explore.args(["--tests", "all", "--native"]).arg(scratch.path("out/build/revisions/0.native"));
    let explored = run(explore.args(options));
    let said = format!("{}{}", explored.stdout, explored.stderr);
    assert_eq!(explored.code, Some(0), "{said}");
    assert!(explored.stdout.contains("tests run natively, 0 of them not as predicted"), "{said}");
    explored
}

#[test]
fn a_package_is_built_by_its_own_makefile() {
    let scratch = package();
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    assert!(built.stderr.contains("set aside: 2.diff: main.c:6:"), "{}", built.stderr);
    let module = fs::read(scratch.path("out/meta.bc")).expect("bitcode");
    assert!(module.starts_with(b"BC\xc0\xde"));
    let greet = |revision: &str| {
        let mut program = Command::new(scratch.path("out/meta.native"));
        program.arg("Bob").env("PSYCHIC_REVISION", revision);
        String::from_utf8(program.output().expect("runs").stdout).expect("UTF-8")
    };
    assert_eq!([greet("0"), greet("1")], ["hello Bob\n", "hello nobody\n"]);

    // The program runs from its first instruction to its exit, on any arguments, in both worlds.
    let explored = explore_as_natively(&scratch, &["--sym-args", "0", "2", "2"]);
    assert!(explored.stdout.contains("13 tests"), "{}", explored.stdout);

    // Nothing is built again if nothing changed, and the package itself is not touched.
    let program = scratch.path("out/build/revisions/meta.native");
    let made = fs::metadata(&program).and_then(|m| m.modified());
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let again = fs::metadata(&program).and_then(|m| m.modified());
    assert_eq!(made.expect("times"), again.expect("times"));
    assert!(!scratch.path("package/config.h").exists());
}

#[test]
fn a_build_that_fails_says_which_command_and_why() {
    let scratch = package().file("package/configure", "echo no such luck; exit 3\n");
    let message = refused(&mut scratch.stage("build"));
    assert!(message.contains("build.configure failed: sh ./configure\nno such luck"), "{message}");
    let config = CONFIG.replace("bin/greet", "bin/other");
    let message = refused(&mut package().file("subject.toml", &config).stage("build"));
    assert!(message.contains("the build made no bin/other"), "{message}");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let said = |from: &str, to: &str| {
        let config = CONFIG.replace(from, to);
        refused(&mut package().file("subject.toml", &config).stage("build"))
    };
    for (from, to, message) in [
        ("\"package\"", "\"nowhere\"", "subject.toml:5: "),
        ("\"bin/greet\"", "\"/bin/sh\"", "subject.toml:6: program = \"/bin/sh\" is not a path"),
        (
            "directory = \"package\"",
            "package = \"grep\"",
            "subject.toml:5: package = \"grep\" is not",
        ),
        (
            "directory = \"package\"",
            "git = \"x#\"",
            "subject.toml:5: git = \"x#\" is not URL or URL#REVISION",
        ),
        ("program = \"bin/greet\"\n", "", "subject.toml:6: build.configure needs build.program"),
        (
            "configure =",
            "setup = \"true\"\nconfigure =",
            "subject.toml:5: build.setup and build.directory both name the source tree",
        ),
        ("[build]", "entry = \"f\"\n[build]", "subject.toml:4: entry is not for build.program"),
        ("[build]", "inputs.files = \"none\"\n[build]", "subject.toml:4: files: "),
        ("[build]", "inputs.env.'A=B' = ''\n[build]", "subject.toml:4: \"A=B\" cannot be the name"),
        (
            "[build]",
            "inputs.env.A = \"a\\u0000\"\n[build]",
            "subject.toml:4: \"a\\0\" cannot be in env",
        ),
        (
            "[build]",
            "inputs.env.A = { string = 1, count = [0, 2] }\n[build]",
            "subject.toml:4: count = [0, 2] has to be [LEAST, MOST], and MOST at most 1",
        ),
        ("[build]", "inputs.sym_files.'a/b' = 1\n[build]", "subject.toml:4: \"a/b\" cannot be"),
    ] {
        let found = said(from, to);
        assert!(found.contains(message), "{found}\nnot {message}");
    }
}

/// A diff that replaces the texts of files of the package, or adds files.
fn to(changes: &[(&str, &str)]) -> String {
    let known = |file: &str| FILES.iter().find(|(name, _)| *name == file).map(|(_, text)| *text);
    let diff = |(file, new): &(&str, &str)| {
        let body = diffy::create_patch(known(file).unwrap_or_default(), new).to_string();
        let hunks = body.split_once("@@ ").map_or("", |(_, hunks)| hunks);
        let old = known(file).map_or("/dev/null".to_owned(), |_| format!("a/{file}"));
        format!("--- {old}\n+++ b/{file}\n@@ {hunks}")
    };
    changes.iter().map(diff).collect()
}

/// A new source, new flags, a function that moves to another file, a `main` of another type, a
/// header that the makefile does not know: all are revisions, as their own builds make them.
#[test]
fn whatever_a_packages_build_takes_is_a_revision() {
    let [makefile, main, say] = ["Makefile", "main.c", "say.c"]
        .map(|name| FILES.iter().find(|(file, _)| *file == name).expect("a file").1);
    let rule = makefile.replace("main.o say.o", "main.o say.o whom.o");
    let calls = main
        .replace("int say", "const char *whom(int, char **);\nint say")
        .replace("argc > 1 ? argv[1] : \"world\"", "whom(argc, argv)");
    let whom = |otherwise: &str| {
        format!(
            "const char *whom(int n, char **all)\n{{\n\tif (n > 1)\n\t\treturn all[1];\n{otherwise}}}\n"
        )
    };
    let flags = format!("CFLAGS += -Dworld=nobody\n{makefile}");
    let other_type = main
        .replace("int argc, char **argv", "void")
        .replace("argc > 1 ? argv[1] : \"world\"", "\"world\"");
    let header = say.replace("#include <stdio.h>", "#include <stdio.h>\n#include \"how.h\"");
    let header = header.replace("\"%s %s\\n\"", "HOW");
    // Compiled to see whether it can be, and removed.
    let tries = makefile.replace(
        "bin/greet: main.o say.o\n",
        "bin/greet: main.o say.o\n\techo 'int tried;' >try.c; $(CC) $(CFLAGS) -c try.c; rm try.c try.o\n",
    );
    let (new, forgets) = (whom("\treturn \"world\";\n"), whom(""));
    let inside = format!("{say}\n{new}");
    let scratch = package()
        .file(
            "subject.toml",
            &format!("{CONFIG}\n[inputs]\nargs = [{{ string = 1, count = [0, 1] }}]\n"),
        )
        .file("1.diff", &to(&[("main.c", &calls), ("Makefile", &rule), ("whom.c", &new)]))
        .file("2.diff", &to(&[("main.c", &calls), ("say.c", &inside)]))
        .file("3.diff", &to(&[("Makefile", &flags)]))
        .file("4.diff", &to(&[("main.c", &other_type)]))
        .file("5.diff", &to(&[("say.c", &header), ("how.h", "#define HOW \"%s, %s\\n\"\n")]))
        .file("6.diff", &to(&[("main.c", &calls), ("Makefile", &rule), ("whom.c", &forgets)]))
        .file("7.diff", &to(&[("main.c", &calls.replace("whom(int", "nobody(int"))]))
        .file("8.diff", &to(&[("Makefile", &tries)]));
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(1), "{said}");
    assert!(said.contains("set aside: 7.diff"), "{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    for line in pairs.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        // `world` occurs only in a string, so the macro that the flag defines has no effect.
        let alike = |revision: &str| matches!(revision, "0" | "1" | "2" | "3" | "8");
        let expected = match (fields[0], fields[1]) {
            (a, b) if alike(a) && alike(b) => "equivalent",
            // Nothing can be claimed about the result of a function that returns none.
            (a, "6") | ("6", a) if alike(a) => "unknown",
            _ => "distinguished",
        };
        assert_eq!(fields[2], expected, "{line}\n{pairs}{said}");
    }
    assert_eq!(pairs.lines().count(), 1 + 8 * 7 / 2);
}

/// The build generates C from a file that no compiler reads.
#[test]
fn what_a_build_generates_is_a_part_of_a_revision() {
    let [makefile, main] = [0, 1].map(|index| FILES[index + 1].1);
    let header = format!(
        "{makefile}main.o: text.h\ntext.h: notes.md\n\techo \"#define TEXT \\\"$$(cat notes.md)\\\"\" >$@\n"
    );
    // This source exists only while it is compiled.
    let source = "bin/greet: main.c say.c notes.md\n\techo '#define GREETING text' >config.h\n\
                  \techo \"const char text[] = \\\"$$(cat notes.md)\\\";\" >made.c\n\
                  \t$(CC) $(CFLAGS) main.c say.c made.c $(LDFLAGS) -o $@\n\trm made.c\n";
    let packages = [
        (header.as_str(), main.replace("GREETING, ", "TEXT, ").replace("config.h", "text.h")),
        (source, format!("extern const char text[];\n{main}")),
    ];
    for (makefile, main) in packages {
        let scratch = package()
            .file("package/Makefile", makefile)
            .file("package/main.c", &main)
            .file("package/notes.md", "hello\n")
            .file("1.diff", "--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-hello\n+good bye\n")
            .file("2.diff", "--- a/NEWS\n+++ b/NEWS\n@@ -1 +1 @@\n-old\n+new\n")
            .file("package/NEWS", "old\n");
        let compared = run(&mut scratch.stage("diff"));
        let said = format!("{}{}", compared.stdout, compared.stderr);
        assert_eq!(compared.code, Some(0), "{said}");
        let verdicts: Vec<Verdict> =
            table::<PairRow>(&scratch.out()).iter().map(|pair| pair.verdict).collect();
        use Verdict::{Distinguished, Equivalent};
        assert_eq!(verdicts, [Distinguished, Equivalent, Distinguished], "{said}");
    }
}

#[test]
fn a_patch_may_bring_a_header_and_functions() {
    let line = "\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");";
    let scratch = package();
    fs::remove_file(scratch.path("2.diff")).expect("removed");
    let header = format!(
        "--- /dev/null\n+++ b/other.h\n@@ -0,0 +1 @@\n+#define OTHER \"you\"\n\
         --- a/main.c\n+++ b/main.c\n@@ -1,2 +1,3 @@\n #include \"config.h\"\n\
         +#include \"other.h\"\n int say(const char *, const char *);\n\
         @@ -6 +7 @@\n-{line}\n+\treturn say(GREETING, argc > 1 ? argv[1] : OTHER);\n"
    );
    let functions = format!(
        "--- a/main.c\n+++ b/main.c\n@@ -4 +4,9 @@\n+const char *whom(int, char **);\n\
         +int nobody_calls(int n)\n+{{\n+\treturn n;\n+}}\n int main(int argc, char **argv)\n\
         @@ -6,2 +11,6 @@\n-{line}\n+\treturn say(GREETING, whom(argc, argv));\n }}\n\
         +const char *whom(int count, char **texts)\n+{{\n\
         +\treturn count < 2 ? \"world\" : texts[1];\n+}}\n"
    );
    // The libc already has a function with this name.
    let taken = format!(
        "--- a/main.c\n+++ b/main.c\n@@ -6,2 +6,6 @@\n{line}\n }}\n\
         +int puts(const char *text)\n+{{\n+\treturn text == 0;\n+}}\n",
        line = line.replacen('\t', " \t", 1)
    );
    let scratch = scratch.file("2.diff", &header).file("3.diff", &functions).file("4.diff", &taken);
    let config = format!("{CONFIG}\n[inputs]\nargs = [{{ string = 1, count = [0, 1] }}]\n");
    let scratch = scratch.file("subject.toml", &config);
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    let pairs: Vec<PairRow> = table(&scratch.path("out"));
    for pair in pairs.iter().filter(|pair| pair.b.0 < 4) {
        let same = (pair.a.0, pair.b.0) == (0, 3);
        let expected = if same { Verdict::Equivalent } else { Verdict::Distinguished };
        assert_eq!(pair.verdict, expected, "{} and {}: {said}", pair.a, pair.b);
    }
}

#[test]
fn one_command_compiles_and_links() {
    let line = "\treturn puts(argc > 1 ? same(argv[1]) : \"none\") < 0;";
    let patch = |new: &str| format!("--- a/e.c\n+++ b/e.c\n@@ -5 +5 @@\n-{line}\n+{new}\n");
    let source = format!(
        "#include <stdio.h>\nchar *same(char *);\nint main(int argc, char **argv)\n{{\n{line}\n}}\n"
    );
    let config = "name = \"small\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                  program = \"e\"\n[inputs]\nargs = [{ string = 1 }]\n";
    // A meta program cannot share what runs before `main`.
    let early = "--- a/e.c\n+++ b/e.c\n@@ -2 +2,2 @@\n char *same(char *);\n\
                 +__attribute__((constructor)) static void early(void) { puts(\"early\"); }\n";
    let scratch = Scratch::new().file("subject.toml", config);
    fs::create_dir(scratch.path("package")).expect("made");
    let scratch = scratch
        .file("package/Makefile", "e: e.c f.c\n\t$(CC) $(CFLAGS) -o $@ e.c f.c $(LDFLAGS)\n")
        .file("package/f.c", include_str!("programs/same.c"))
        .file("package/e.c", &source)
        .file("1.diff", &patch(&line.replace("argc > 1", "argc > 2")))
        .file("2.diff", &patch(&line.replace("argc > 1", "1 < argc")))
        .file("3.diff", early);
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("5 pairs distinguished, 1 equivalent"), "{}", ran.stdout);
}

#[test]
fn a_library_of_the_package_comes_before_the_libc() {
    let config = "name = \"small\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                  program = \"e\"\n";
    let makefile = include_str!("programs/own_library.mk");
    let uses = include_str!("programs/own_library_uses.c");
    let patch = "--- a/e.c\n+++ b/e.c\n@@ -4 +4 @@\n-\treturn regcomp(0, \"\", 0);\n\
                 +\treturn regcomp(0, \"\", 1);\n";
    let scratch = Scratch::new().file("subject.toml", config);
    fs::create_dir(scratch.path("package")).expect("made");
    let own = include_str!("programs/own_library.c");
    let scratch = scratch
        .file("package/Makefile", makefile)
        .file("package/own.c", own)
        .file("package/e.c", uses)
        .file("1.diff", patch);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let end = |revision: u32| {
        let program = scratch.path(&format!("out/build/revisions/{revision}.native"));
        Command::new(program).status().expect("it runs").code()
    };
    assert_eq!([end(0), end(1)], [Some(7), Some(8)]);
}

/// A patch changes which definition other files get: its own in place of a weak one, or of a member of
/// an archive.
#[test]
fn what_the_linker_takes_is_a_part_of_a_revision() {
    let hook = "int hook(int c)\n{\n\treturn 0;\n}\n";
    let main = "#include <stdio.h>\nint measure(int c);\nint main(void)\n{\n\
                \treturn measure(getchar());\n}\n";
    let strong = "--- a/main.c\n+++ b/main.c\n@@ -2 +2,5 @@\n int measure(int c);\n+int hook(int c)\n\
                  +{\n+\treturn 0;\n+}\n";
    let other = "--- a/hook.c\n+++ b/hook.c\n@@ -3 +3 @@\n-\treturn 0;\n+\treturn c == 'q';\n";
    let archive = "prog: main.o measure.o hook.o\n\trm -f hook.a\n\t$(AR) rc hook.a hook.o\n\
                   \t$(CC) $(CFLAGS) $(LDFLAGS) -o prog main.o measure.o hook.a\n";
    let plain = "prog: main.o measure.o hook.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o prog $^\n";
    for (makefile, how) in [(archive, ""), (plain, "__attribute__((weak)) ")] {
        let config = "name = \"x\"\npatches = [\"*.diff\"]\n[build]\ndirectory = \"package\"\n\
                      program = \"prog\"\n[inputs]\nstdin = { bytes = 1 }\n";
        let scratch = Scratch::new()
            .file("subject.toml", config)
            .file("package/Makefile", makefile)
            .file("package/main.c", main)
            .file("package/hook.c", &format!("{how}{hook}"))
            .file(
                "package/measure.c",
                "int hook(int c);\nint measure(int c) { return hook(c) + 1; }\n",
            )
            .file("1.diff", strong)
            .file("2.diff", other);
        let ran = run(&mut scratch.stage("diff"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let pairs: Vec<PairRow> = table(&scratch.out());
        let verdicts: Vec<Verdict> = pairs.iter().map(|pair| pair.verdict).collect();
        let expected = [Verdict::Equivalent, Verdict::Distinguished, Verdict::Distinguished];
        assert_eq!(verdicts, expected, "{how}{}", ran.stdout);
    }
}
