//! Programs with a build of their own.

use std::{fs, process::Command, sync::atomic::AtomicBool, time::Duration};

use psychic::{
    env::{models::Models, stdin::Stdin},
    exec::{
        Arguments, Clock, Coverage, Executor, InputFile, Limits, Program, Quantum, Start, State,
        WHOLE_PROGRAM,
    },
    expr::Assignment,
    ir,
    memory::Byte,
    solver::{self, SolverConfig},
    subject::{
        Given, GivenFile, Revision,
        results::{PairRow, Verdict},
    },
};

use crate::support::{Ran, Scratch, psychic, refused, run, table};

const CONFIG: &str = r#"name = "small"
patches = ["*.diff"]

[build]
directory = "package"
program = "bin/greet"
configure = "sh ./configure"
"#;
/// Two files, a macro from a configured header, and the compiler from the environment.
const FILES: &[(&str, &str)] = &[
    ("configure", "echo '#define GREETING \"hello\"' >config.h; mkdir -p bin\n"),
    (
        "Makefile",
        "all: bin/greet\nbin/greet: main.o say.o\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\n\
         main.o: main.c config.h\nsay.o: say.c\n",
    ),
    (
        "main.c",
        "#include \"config.h\"\nint say(const char *, const char *);\n\n\
         int main(int argc, char **argv)\n{\n\
         \treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n}\n",
    ),
    (
        "say.c",
        "#include <stdio.h>\n\nint say(const char *what, const char *whom)\n{\n\
         \tprintf(\"%s %s\\n\", what, whom);\n\treturn 0;\n}\n",
    ),
];
const COLDER: &str = "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
    -\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n\
    +\treturn say(GREETING, argc > 2 ? argv[1] : \"nobody\");\n";
const BROKEN: &str = "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
    -\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n\
    +\treturn say(FAREWELL, argc > 1 ? argv[1] : \"world\");\n";

fn package() -> Scratch {
    let scratch = Scratch::new().file("subject.toml", CONFIG);
    fs::create_dir(scratch.path("package")).expect("made");
    let write = |scratch: Scratch, (name, text): &(&str, &str)| {
        scratch.file(&format!("package/{name}"), text)
    };
    FILES.iter().fold(scratch, write).file("1.diff", COLDER).file("2.diff", BROKEN)
}

/// Explores the program that was built: every path has an end, and every test ends natively so.
#[track_caller]
fn explore_as_natively(scratch: &Scratch, options: &[&str]) -> Ran {
    let mut explore = psychic();
    explore.arg("explore").arg(scratch.path("out/meta.bc")).arg("--out").arg(scratch.path("paths"));
    explore.args(["--tests", "all", "--native"]).arg(scratch.path("out/build/revisions/0.native"));
    let explored = run(explore.args(options));
    let said = format!("{}{}", explored.stdout, explored.stderr);
    assert_eq!(explored.code, Some(0), "{said}");
    assert!(explored.stdout.contains("tests run natively, 0 of them otherwise"), "{said}");
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

    // From its first instruction to its exit, on any arguments, in both worlds.
    let explored = explore_as_natively(&scratch, &["--sym-args", "0", "2", "2"]);
    assert!(explored.stdout.contains("13 tests"), "{}", explored.stdout);

    // Nothing changed, nothing done; the package itself is not touched.
    let made = fs::metadata(scratch.path("out/meta.native")).and_then(|m| m.modified());
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let again = fs::metadata(scratch.path("out/meta.native")).and_then(|m| m.modified());
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
            "git = \"x\"",
            "subject.toml:5: git = \"x\" is not URL#REVISION",
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

/// Looks at the low bits of the address of a local array, and of a page.
const LOW_BITS: &str = "#include <stdint.h>\n#include <stdlib.h>\n\
    int say(const char *, const char *);\n\n\
    int main(int argc, char **argv)\n{\n\
    \tchar bytes[3];\n\
    \tuintptr_t page = (uintptr_t)malloc(5000);\n\
    \treturn say((uintptr_t)(bytes + argc) % 16 == 1 ? \"16\" : \"1\", page % 4096 ? \"16\" : \"4096\");\n}\n";
const THE_SAME: &str = "--- a/main.c\n+++ b/main.c\n@@ -9 +9 @@\n\
    -\treturn say((uintptr_t)(bytes + argc) % 16 == 1 ? \"16\" : \"1\", page % 4096 ? \"16\" : \"4096\");\n\
    +\treturn say((uintptr_t)(bytes + argc) % 16 == 1 ? \"16\" : \"1\", page % 2048 ? \"16\" : \"4096\");\n";

#[test]
fn the_alignment_of_memory_is_known() {
    let scratch = package().file("package/main.c", LOW_BITS).file("1.diff", THE_SAME);
    fs::remove_file(scratch.path("2.diff")).expect("removed");
    let compared = run(&mut scratch.stage("diff"));
    assert_eq!(compared.code, Some(0), "{}{}", compared.stdout, compared.stderr);
    assert!(compared.stdout.contains("1 equivalent, 0 unknown"), "{}", compared.stdout);
    let native = Command::new(scratch.path("out/meta.native")).output().expect("runs");
    assert_eq!(String::from_utf8_lossy(&native.stdout), "16 4096\n");
}

/// One patch, which leaves all as it is, and this main program.
fn unchanged(main: &str) -> Scratch {
    const NO_CHANGE: &str = "--- a/say.c\n+++ b/say.c\n@@ -6 +6 @@\n-\treturn 0;\n+\treturn (0);\n";
    let scratch = package().file("package/main.c", main).file("1.diff", NO_CHANGE);
    fs::remove_file(scratch.path("2.diff")).expect("removed");
    scratch
}

/// Memory from every function that aligns it, and what becomes of it when it grows.
const ALIGNED: &str = "#include <stdint.h>\n\
    #include <stdlib.h>\n\
    #include <unistd.h>\n\n\
    static char pages(void *p)\n{\n\treturn '0' + !((uintptr_t)p % 4096);\n}\n\n\
    int main(void)\n{\n\
    \tvoid *p;\n\
    \tif (posix_memalign(&p, 32, 5000))\n\t\treturn 1;\n\
    \tvoid *q = realloc(malloc(10), 4096);\n\
    \tchar line[] = { pages(p), pages(aligned_alloc(16, 4096)), pages(q), pages(calloc(64, 64)), '\\n' };\n\
    \treturn write(1, line, sizeof line) != sizeof line;\n}\n";

#[test]
fn large_memory_begins_with_a_page_wherever_it_comes_from() {
    let scratch = unchanged(ALIGNED);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let out = scratch.path("out");
    let mut explore = psychic();
    explore.arg("explore").arg(out.join("meta.bc")).arg("--out").arg(&out);
    explore.args(["--tests", "all", "--native"]).arg(out.join("meta.native"));
    // Again in the same place: the module there is not lost.
    for _ in 0..2 {
        let explored = run(&mut explore);
        let said = format!("{}{}", explored.stdout, explored.stderr);
        assert!(said.contains("1 tests run natively, 0 of them"), "{said}");
        assert!(!said.contains("loosely"), "{said}");
    }
    let native = Command::new(out.join("meta.native")).output().expect("runs");
    assert_eq!(String::from_utf8_lossy(&native.stdout), "1111\n");
}

#[test]
fn the_digits_of_a_number_are_decided() {
    const READS: &str = "#include <stdio.h>\n#include <stdlib.h>\n\n\
        int main(int argc, char **argv)\n{\n\
        \tchar *end;\n\
        \tdouble number = strtod(argv[1], &end);\n\
        \tprintf(\"%ld %g %s\\n\", (long)(end - argv[1]), number * 3, argv[1]);\n\
        \treturn number > 12.25;\n}\n";
    let scratch = unchanged(READS);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let explored = explore_as_natively(&scratch, &["--sym-arg", "2"]);
    let states = fs::read_to_string(scratch.path("paths/states.csv")).expect("written");
    let states: Vec<&str> = states.lines().skip(1).collect();
    // A hundred numbers of two digits, and more with signs and the like.
    assert!(
        states.len() > 110 && states.iter().all(|line| line.contains(",exit,")),
        "{}",
        explored.stdout
    );
}

#[test]
fn files_that_are_left_are_compared() {
    const LEAVES: &str = "#include <stdio.h>\n\n\
        int main(int argc, char **argv)\n{\n\
        \tFILE *out = fopen(\"left\", \"w\");\n\
        \tfputs(argc > 1 ? argv[1] : \"none\", out);\n\
        \treturn fclose(out);\n}\n";
    let instead = |line: &str| {
        format!(
            "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
             -\tfputs(argc > 1 ? argv[1] : \"none\", out);\n+\t{line}\n"
        )
    };
    let scratch = package()
        .file(
            "subject.toml",
            &format!("{CONFIG}\n[inputs]\nargs = [{{ string = 4, count = [0, 1] }}]\n"),
        )
        .file("package/main.c", LEAVES)
        .file("1.diff", &instead("fputs(argc > 1 ? argv[1] : \"nobody\", out);"))
        .file("2.diff", &instead("fprintf(out, \"%s\", argc > 1 ? argv[1] : \"none\");"));
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    let verdict = |pair: &str| {
        let line = pairs.lines().find(|line| line.starts_with(pair)).expect("a pair");
        line.split(',').skip(2).take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(verdict("0,2")[0], "equivalent", "{pairs}{said}");
    for pair in ["0,1", "1,2"] {
        assert_eq!(verdict(pair)[0], "distinguished", "{pairs}");
        assert_eq!(verdict(pair)[2], "files", "{pairs}");
    }
}

/// A diff that makes files of the package other texts; one that is not there yet has none.
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

/// A source that is new, flags, a function that one file has for another, a `main` of another type,
/// a header of which the makefile knows nothing: all are revisions as their own build makes them.
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
        .file("7.diff", &to(&[("main.c", &calls.replace("whom(int", "nobody(int"))]));
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(1), "{said}");
    assert!(said.contains("set aside: 7.diff"), "{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    for line in pairs.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        // `world` is in a text: the flag is none that anybody sees.
        let alike = |revision: &str| matches!(revision, "0" | "1" | "2" | "3");
        let expected = match (fields[0], fields[1]) {
            (a, b) if alike(a) && alike(b) => "equivalent",
            // What a function without result gives is nobody's to say.
            (a, "6") if alike(a) => "unknown",
            _ => "distinguished",
        };
        assert_eq!(fields[2], expected, "{line}\n{pairs}{said}");
    }
    assert_eq!(pairs.lines().count(), 1 + 7 * 6 / 2);
}

/// What the build itself makes of a file that no compiler reads.
#[test]
fn what_a_build_generates_is_a_part_of_a_revision() {
    let [makefile, main] = [0, 1].map(|index| FILES[index + 1].1);
    let makefile = format!(
        "{makefile}main.o: text.h\ntext.h: notes.md\n\techo \"#define TEXT \\\"$$(cat notes.md)\\\"\" >$@\n"
    );
    let main = main.replace("GREETING, ", "TEXT, ").replace("config.h", "text.h");
    let scratch = package()
        .file("package/Makefile", &makefile)
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

/// A kind of file, its permissions, a name too few or too many: each is something to see.
#[test]
fn what_becomes_of_files_is_compared_in_all() {
    const CHANGES: &str = "#include <fcntl.h>\n#include <stdio.h>\n\
        #include <sys/stat.h>\n#include <unistd.h>\n\n\
        int main(void)\n{\n\
        \tmkdir(\"made\", 0755);\n\
        \tunlink(\"old\");\n\
        \tchmod(\"given\", 0644);\n\
        \tsymlink(\"given\", \"name\");\n\
        \treturn 0;\n}\n";
    let patches = [
        (8, "mkdirat(AT_FDCWD, \"made/\", 0777);"),
        (8, "mkdir(\"made\", 0700);"),
        (9, "rename(\"old\", \"made/old\");"),
        (9, ";"),
        (10, "chmod(\"given\", 0755);"),
        (11, "link(\"given\", \"name\");"),
        (11, "close(creat(\"name\", 0644));"),
        (11, "dprintf(creat(\"name\", 0644), \"given\");"),
        (11, "dprintf(creat(\"name\", 0644), \"text\");"),
        (11, "link(\"given\", \"made/name\"), rename(\"made/name\", \"name\");"),
        (11, "chmod(\".\", 0700), symlink(\"given\", \"name\");"),
    ];
    let inputs = "\n[inputs]\nfiles = \"start\"\n";
    let mut scratch = package()
        .file("subject.toml", &format!("{CONFIG}{inputs}"))
        .file("start/given", "text")
        .file("start/old", "")
        .file("package/main.c", CHANGES);
    for (index, (line, new)) in patches.iter().enumerate() {
        let old = CHANGES.lines().nth(line - 1).expect("a line");
        let patch =
            format!("--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-{old}\n+\t{new}\n");
        scratch = scratch.file(&format!("{}.diff", index + 1), &patch);
    }
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    for line in pairs.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        // Patches 6 and 10: they are numbered in the order of their names.
        let same = matches!(fields[..2], ["0", "1"] | ["2", "8"]);
        let expected = if same { ["equivalent", ""] } else { ["distinguished", "files"] };
        assert_eq!([fields[2], fields[4]], expected, "{pairs}{said}");
    }
    assert_eq!(pairs.lines().count(), 1 + 12 * 11 / 2);
}

/// Builds a program of one file, and explores it in both worlds.
#[track_caller]
fn explore_program(main: &str, arguments: &[&[&str]]) {
    let scratch = unchanged(main);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    for arguments in arguments {
        explore_as_natively(&scratch, &[&["--"], *arguments].concat());
    }
}

/// Every call on every kind of path, in the engine and by a kernel that checks permissions.
#[test]
fn paths_lead_where_a_kernel_says() {
    let removed = &["--sym-arg", "2", "in a directory that was removed"][..];
    explore_program(include_str!("../native/paths.c"), &[&["--sym-arg", "3"], removed]);
}

/// Every call on every kind of descriptor.
#[test]
fn descriptors_are_what_a_kernel_says() {
    explore_program(include_str!("../native/descriptors.c"), &[&["--sym-arg", "2"]]);
}

/// Every call on a null pointer.
#[test]
fn null_pointers_are_what_a_kernel_says() {
    explore_program(include_str!("../native/faults.c"), &[&["--sym-arg", "1"]]);
}

/// Every signal that a program sends itself, whatever it did about it.
#[test]
fn signals_end_what_a_kernel_ends() {
    explore_program(include_str!("../native/signals.c"), &[&["--sym-arg", "2"]]);
}

/// Prints what it finds, and appends to a file that it is given.
const READS: &str = "#include <dirent.h>\n#include <stdio.h>\n#include <sys/stat.h>\n\n\
    int main(void)\n{\n\
    \tstruct dirent **names;\n\
    \tint count = scandir(\"sub\", &names, 0, alphasort);\n\
    \tfor (int i = 0; i < count; i++) {\n\
    \t\tstruct stat status;\n\
    \t\tchar path[300];\n\
    \t\tsnprintf(path, sizeof path, \"sub/%s\", names[i]->d_name);\n\
    \t\tif (lstat(path, &status) == 0)\n\
    \t\t\tprintf(\"%s %o %ld\\n\", path, status.st_mode, (long)status.st_size);\n\t}\n\
    \tFILE *given = fopen(\"link\", \"r+\"), *symbolic = fopen(\"numbers\", \"r\");\n\
    \tif (!given || !symbolic)\n\t\treturn 2;\n\
    \tint c = getc(symbolic), known = getc(given);\n\
    \tif (c == '7')\n\t\tputs(\"seven\");\n\
    \tfseek(given, 0, SEEK_END);\n\
    \tputc(known, given);\n\treturn 0;\n}\n";

#[test]
fn files_of_a_directory_and_symbolic_ones_are_found() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let instead = |line: &str, old: &str, new: &str| {
        format!("--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-\t{old}\n+\t{new}\n")
    };
    let inputs = "\n[inputs]\nfiles = \"given\"\nsym_files = { numbers = 1 }\n";
    let scratch = package()
        .file("subject.toml", &format!("{CONFIG}{inputs}"))
        .file("package/main.c", READS)
        .file("1.diff", &instead("22", "putc(known, given);", "putc(c, given);"))
        .file("2.diff", &instead("19", "if (c == '7')", "if (known == 'k' && c - '0' == 7)"));
    fs::create_dir_all(scratch.path("given/sub/deep")).expect("made");
    let scratch = scratch.file("given/sub/text", "known").file("given/sub/run", "");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scratch.path("given/sub/run"), executable).expect("set");
    symlink("sub/text", scratch.path("given/link")).expect("made");
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    assert!(pairs.contains("\n0,2,equivalent,"), "{pairs}{said}");
    assert!(pairs.contains("\n0,1,distinguished,") && pairs.contains(",files,"), "{pairs}");
    // The same files, for a program alone; numbers is missing here.
    let given = scratch.path("given");
    let given = given.to_str().expect("UTF-8");
    let explored = explore_as_natively(&scratch, &["--files", given, "--sym-files", "1", "1"]);
    assert!(explored.stdout.contains("1 tests"), "{}", explored.stdout);
}

#[test]
fn rounding_modes_and_exceptions_are_native_in_whole_programs() {
    const RAISES: &str = "#include <fenv.h>\n#include <stdio.h>\n\
        #pragma STDC FENV_ACCESS ON\n\n\
        static volatile float one = 1, three = 3, tiny = 0x1p-149f;\n\n\
        int main(int argc, char **argv)\n{\n\
        \tint modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };\n\
        \tfor (int i = 0; i < 4; i++) {\n\
        \t\tfesetround(modes[i]);\n\
        \t\tunion { float f; unsigned u; } third = { one / three };\n\
        \t\tint raised = fetestexcept(FE_ALL_EXCEPT);\n\
        \t\tthird.f *= tiny;\n\
        \t\tprintf(\"%x %x %x\\n\", third.u, raised, fetestexcept(FE_ALL_EXCEPT));\n\
        \t\tfeclearexcept(FE_ALL_EXCEPT);\n\t}\n\
        \tprintf(\"%d\\n\", fesetround(1));\n\
        \treturn argv[1][0] / three > 30 && !fetestexcept(FE_INEXACT);\n}\n";
    let scratch = unchanged(RAISES);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let explored = explore_as_natively(&scratch, &["--sym-arg", "1"]);
    assert!(explored.stdout.contains("2 tests"), "{}", explored.stdout);
}

#[test]
fn environment_variables_are_those_that_are_given() {
    const ASKS: &str = "#include <stdio.h>\n#include <stdlib.h>\nextern char **environ;\n\n\
        int main(void)\n{\n\
        \tchar *posix = getenv(\"POSIXLY_CORRECT\");\n\
        \tchar *lines = getenv(\"LINES\");\n\
        \tfor (char **each = environ; *each; each++)\n\t\tputs(*each);\n\
        \tif (posix)\n\t\tputs(\"correct\");\n\
        \treturn atoi(lines) == 7;\n}\n";
    let instead = |line: u32, old: &str, new: &str| {
        format!("--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-\t{old}\n+\t{new}\n")
    };
    let env = "POSIXLY_CORRECT = { string = 1, count = [0, 1] }, LINES = { string = 1 }, A = 'b'";
    let patched = |scratch: Scratch| {
        scratch
            .file("1.diff", &instead(11, "if (posix)", "if (posix && *posix)"))
            .file("2.diff", &instead(13, "return atoi(lines) == 7;", "return *lines == '7';"))
    };
    // With its libc, and without; there the libc of the system reads the environment natively.
    let whole = package()
        .file("subject.toml", &format!("{CONFIG}\n[inputs]\nenv = {{ {env} }}\n"))
        .file("package/main.c", ASKS);
    let config = format!(
        "name = 'asks'\nsources = ['main.c']\npatches = ['*.diff']\n[inputs]\nenv = {{ {env} }}\n"
    );
    let hosted = Scratch::new().file("subject.toml", &config).file("main.c", ASKS);
    for scratch in [patched(whole), patched(hosted)] {
        let compared = run(&mut scratch.stage("diff"));
        let said = format!("{}{}", compared.stdout, compared.stderr);
        assert_eq!(compared.code, Some(0), "{said}");
        let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
        assert!(pairs.contains("\n0,1,distinguished,") && pairs.contains(",stdout,"), "{pairs}");
        assert!(pairs.contains("\n0,2,equivalent,"), "{pairs}{said}");
        explore_as_natively(&scratch, &["--env", "A=b=c", "--sym-env", "LINES", "2"]);
    }
}

/// All of docs/world.md that a program can see, as tests/native checks it natively.
#[test]
fn the_engine_has_the_world_that_is_specified() {
    const WORLD: &str = include_str!("../native/world.c");
    const EXPECTED: &str = include_str!("../native/world.expected");
    let line = WORLD.lines().position(|line| line == "extern char **environ;").expect("a line") + 1;
    let patch = format!(
        "--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-extern char **environ;\n\
         +extern char **environ;int nobodys;\n"
    );
    let scratch = package().file("package/main.c", WORLD).file("1.diff", &patch);
    fs::remove_file(scratch.path("2.diff")).expect("removed");
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let module = ir::lower::load(&scratch.path("out/meta.bc")).expect("bitcode");
    let program = Program::new(module, &Models::default());
    let text = |text: &[u8]| Stdin::bytes(text.iter().copied().map(Byte::Concrete).collect());
    let given = Given::Regular { bytes: b"given\n".to_vec(), executable: false };
    let start = program.start(Start {
        entry: WHOLE_PROGRAM.into(),
        revisions: [Revision::ORIGINAL].into_iter().collect(),
        args: ["program", "argument"].map(|word| Arguments::Text(word.into())).into(),
        env: Vec::new(),
        stdin: text(b"standard input"),
        files: vec![InputFile::Given(GivenFile { path: "given".into(), content: given })],
    });
    let limits =
        Limits { instructions: 10_000_000, concretisations: 64, solver: Duration::from_secs(1) };
    let mut solver = solver::chain(&SolverConfig::default());
    let [state] = <[State; 1]>::try_from(start.expect("it starts")).expect("one command line");
    let never = AtomicBool::new(false);
    let quantum =
        Quantum { instructions: u64::MAX, forks: u64::MAX, clock: Clock::new(None, &never) };
    let mut coverage = Coverage::default();
    let harvest = Executor::run(&program, limits, &mut *solver, &mut coverage, state, quantum);
    let [state] = harvest.halted.as_slice() else { panic!("one path") };
    let printed = state.world.stdout.render(&program.exprs, &Assignment::default());
    let printed = String::from_utf8(printed).expect("text");
    // Handlers of signals are not modelled: there its path ends.
    let expected = EXPECTED.strip_suffix("signal 10\n").expect("what is said last");
    assert_eq!(printed, expected);
}

/// Reads a list that may be empty; the patches look before, divide, and add a look that nobody
/// uses.
const LIST: &str = "#include <stdio.h>\n\
    struct item { int value; struct item *next; };\n\
    int main(int argc, char **argv)\n{\n\
    \tstruct item first = { argc, 0 }, *last;\n\
    \tif (argc > 1)\n\t\tlast = &first;\n\
    \tint found = last->value;\n\
    \tprintf(\"%d\\n\", found);\n\
    \treturn 0;\n}\n";

#[test]
fn a_crash_is_an_outcome_where_the_processor_says_so() {
    let mut scratch = package().file("package/main.c", LIST).file(
        "subject.toml",
        &format!("{CONFIG}\n[inputs]\nargs = [{{ string = 1, count = [0, 1] }}]\n"),
    );
    let lines = [
        "\tint found = argc > 1 ? last->value : 0;",
        "\tint found = (last ? last : &first)->value / (argc - 1);",
        "\tint found = *&last->value;",
    ];
    for (number, new) in (1..).zip(lines) {
        let old = "\tint found = last->value;";
        let patch = format!("--- a/main.c\n+++ b/main.c\n@@ -8 +8 @@\n-{old}\n+{new}\n");
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let compared = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", compared.stdout, compared.stderr);
    assert_eq!(compared.code, Some(0), "{said}");
    let outcomes = fs::read_to_string(scratch.path("out/outcomes.csv")).expect("written");
    let signal_of = |revision: &str| {
        let fields = outcomes.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let mut signals = fields.filter(|f| f[1] == revision).map(|f| f[4].to_owned());
        signals.find(|signal| !signal.is_empty()).unwrap_or_default()
    };
    assert_eq!(["0", "1", "2", "3"].map(signal_of), ["11", "", "8", "11"], "{outcomes}{said}");
    let pairs = fs::read_to_string(scratch.path("out/pairs.csv")).expect("written");
    for pair in ["0,1", "0,2", "1,2", "1,3", "2,3"] {
        assert!(pairs.contains(&format!("\n{pair},distinguished,")), "{pairs}{said}");
    }
    assert!(pairs.contains("\n0,3,equivalent"), "{pairs}{said}");
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
    // Of this name there is one already.
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

/// Passes an `int` where the library takes a `long` from variable arguments.
const DUPLICATE: &str = "#include <fcntl.h>\n\
    int say(const char *, const char *);\n\n\
    int main(int argc, char **argv)\n{\n\
    \tint copy = fcntl(1, F_DUPFD_CLOEXEC, 2 + argc);\n\
    \treturn say(fcntl(copy, F_SETFD, argc - 1) ? \"no\" : \"yes\", copy == 3 ? \"3\" : \"other\");\n}\n";

#[test]
fn the_upper_half_of_an_int_among_variable_arguments_is_not_looked_at() {
    let scratch = unchanged(DUPLICATE);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let mut explore = psychic();
    explore.arg("explore").arg(scratch.path("out/meta.bc")).arg("--out").arg(scratch.path("paths"));
    explore.args(["--tests", "all", "--native"]).arg(scratch.path("out/meta.native"));
    let explored = run(&mut explore);
    assert!(explored.stdout.contains("1 tests run natively, 0 of them"), "{}", explored.stdout);
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
    // What runs before `main` is nothing that a meta program shares.
    let early = "--- a/e.c\n+++ b/e.c\n@@ -2 +2,2 @@\n char *same(char *);\n\
                 +__attribute__((constructor)) static void early(void) { puts(\"early\"); }\n";
    let scratch = Scratch::new().file("subject.toml", config);
    fs::create_dir(scratch.path("package")).expect("made");
    let scratch = scratch
        .file("package/Makefile", "e: e.c f.c\n\t$(CC) $(CFLAGS) -o $@ e.c f.c $(LDFLAGS)\n")
        .file("package/f.c", "char *same(char *text)\n{\n\treturn text;\n}\n")
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
    let makefile = "e: e.o libown.a\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ e.o libown.a\n\
                    libown.a: own.o\n\t$(AR) rc $@ own.o\n";
    let uses = "int regcomp(void *, const char *, int);\nint main(void)\n{\n\
                \treturn regcomp(0, \"\", 0);\n}\n";
    let patch = "--- a/e.c\n+++ b/e.c\n@@ -4 +4 @@\n-\treturn regcomp(0, \"\", 0);\n\
                 +\treturn regcomp(0, \"\", 1);\n";
    let scratch = Scratch::new().file("subject.toml", config);
    fs::create_dir(scratch.path("package")).expect("made");
    let own = "int regcomp(void *to, const char *text, int flags)\n{\n\treturn 7 + flags;\n}\n";
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
