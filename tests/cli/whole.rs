//! Whole programs in their specified world: files, signals, the environment, the kernel.

use std::{fs, process::Command, time::Duration};

use psychic::{
    env::{libc::stdin::Stdin, models::Models},
    exec::{
        Arguments, Clock, Coverage, Executor, InputFile, PathLimits, Program, Quantum, Start,
        State, WHOLE_PROGRAM,
    },
    expr::Assignment,
    interrupt::Interrupt,
    ir,
    memory::Byte,
    results::{PairRow, Verdict},
    solver::{self, SolverConfig},
    subject::{Given, GivenFile, OpenClasses, Revision, Times},
};

use crate::{
    packages::{CONFIG, explore_as_natively, package},
    support::{Scratch, psychic, run, table},
};

/// Prints what the low bits of the addresses of a local array and of a large allocation say.
const LOW_BITS: &str = include_str!("programs/low_bits.c");
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

/// A package with this main program, and a single patch that changes nothing.
fn unchanged(main: &str) -> Scratch {
    const NO_CHANGE: &str = "--- a/say.c\n+++ b/say.c\n@@ -6 +6 @@\n-\treturn 0;\n+\treturn (0);\n";
    let scratch = package().file("package/main.c", main).file("1.diff", NO_CHANGE);
    fs::remove_file(scratch.path("2.diff")).expect("removed");
    scratch
}

/// The engine decides without a doubt that nothing is below 4 MiB, and natively nothing is.
#[test]
fn nothing_is_where_executables_do_not_begin_yet() {
    let scratch = unchanged(include_str!("programs/low_addresses.c"));
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let out = scratch.path("out");
    let mut explore = psychic();
    explore.arg("explore").arg(out.join("meta.bc")).arg("--out").arg(&out);
    explore.args(["--tests", "all", "--native"]).arg(out.join("meta.native"));
    let explored = run(&mut explore);
    assert_eq!(explored.code, Some(0), "{}{}", explored.stdout, explored.stderr);
    assert!(!explored.stdout.contains("loosely"), "{}", explored.stdout);
}

/// Memory from every allocation function, also after it has grown.
const ALIGNED: &str = include_str!("programs/aligned.c");

#[test]
fn large_memory_begins_with_a_page_wherever_it_comes_from() {
    let scratch = unchanged(ALIGNED);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let out = scratch.path("out");
    let mut explore = psychic();
    explore.arg("explore").arg(out.join("meta.bc")).arg("--out").arg(&out);
    explore.args(["--tests", "all", "--native"]).arg(out.join("meta.native"));
    // The second run writes to the same place, and must not lose the module there.
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
    const READS: &str = include_str!("programs/reads.c");
    let scratch = unchanged(READS);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let explored = explore_as_natively(&scratch, &["--sym-arg", "2"]);
    let states = fs::read_to_string(scratch.path("paths/states.csv")).expect("written");
    let states: Vec<&str> = states.lines().skip(1).collect();
    // There are a hundred numbers of two digits, and more with signs and the like.
    assert!(
        states.len() > 110 && states.iter().all(|line| line.contains(",exit,")),
        "{}",
        explored.stdout
    );
}

#[test]
fn files_that_are_left_are_compared() {
    const LEAVES: &str = include_str!("programs/leaves.c");
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

/// A file's kind, its permissions, a missing or an additional name: each is a visible difference.
#[test]
fn what_becomes_of_files_is_compared_in_all() {
    const CHANGES: &str = include_str!("programs/changes.c");
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
        // Revisions 2 and 8 are 10.diff and 6.diff: patches are numbered in the order of their
        // names.
        let same = matches!(fields[..2], ["0", "1"] | ["2", "8"]);
        let expected = if same { ["equivalent", ""] } else { ["distinguished", "files"] };
        assert_eq!([fields[2], fields[4]], expected, "{pairs}{said}");
    }
    assert_eq!(pairs.lines().count(), 1 + 12 * 11 / 2);
}

/// Builds a program from one file, explores it, and compares its paths with native runs.
#[track_caller]
fn explore_program(main: &str, arguments: &[&[&str]]) {
    let scratch = unchanged(main);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    for arguments in arguments {
        explore_as_natively(&scratch, &[&["--"], *arguments].concat());
    }
}

/// Makes every call on every kind of path, in the engine and by a kernel that checks permissions.
#[test]
fn paths_lead_where_a_kernel_says() {
    let removed = &["--sym-arg", "2", "in a directory that was removed"][..];
    explore_program(include_str!("../native/paths.c"), &[&["--sym-arg", "3"], removed]);
}

/// Makes every call on every kind of descriptor.
#[test]
fn descriptors_are_what_a_kernel_says() {
    explore_program(include_str!("../native/descriptors.c"), &[&["--sym-arg", "2"]]);
}

/// Makes every call with a null pointer.
#[test]
fn null_pointers_are_what_a_kernel_says() {
    explore_program(include_str!("../native/faults.c"), &[&["--sym-arg", "1"]]);
}

/// Tries every signal that a program can send itself, however the program has prepared for it.
#[test]
fn signals_end_what_a_kernel_ends() {
    explore_program(include_str!("../native/signals.c"), &[&["--sym-arg", "2"]]);
}

/// Prints what is in its directory, and appends to a given file.
const READS: &str = include_str!("programs/seeks.c");

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
    // Explores the program alone on the same given files; the file `numbers` is missing here.
    let given = scratch.path("given");
    let given = given.to_str().expect("UTF-8");
    let explored = explore_as_natively(&scratch, &["--files", given, "--sym-files", "1", "1"]);
    assert!(explored.stdout.contains("1 tests"), "{}", explored.stdout);
}

#[test]
fn rounding_modes_and_exceptions_are_native_in_whole_programs() {
    const RAISES: &str = include_str!("programs/raises.c");
    let scratch = unchanged(RAISES);
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let explored = explore_as_natively(&scratch, &["--sym-arg", "1"]);
    assert!(explored.stdout.contains("2 tests"), "{}", explored.stdout);
}

#[test]
fn environment_variables_are_those_that_are_given() {
    const ASKS: &str = include_str!("programs/asks.c");
    let instead = |line: u32, old: &str, new: &str| {
        format!("--- a/main.c\n+++ b/main.c\n@@ -{line} +{line} @@\n-\t{old}\n+\t{new}\n")
    };
    let env = "POSIXLY_CORRECT = { string = 1, count = [0, 1] }, LINES = { string = 1 }, A = 'b'";
    let patched = |scratch: Scratch| {
        scratch
            .file("1.diff", &instead(11, "if (posix)", "if (posix && *posix)"))
            .file("2.diff", &instead(13, "return atoi(lines) == 7;", "return *lines == '7';"))
    };
    // The program with its own libc, and with the system's, which reads the environment natively.
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

/// Checks everything in docs/world.md that a program can see. tests/native checks the same
/// natively.
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
        times: Times::default(),
    });
    let limits = PathLimits {
        instructions: 10_000_000,
        concretisations: 64,
        solver: Duration::from_secs(1),
    };
    let mut solver = solver::chain(&SolverConfig::default());
    let [state] = <[State; 1]>::try_from(start.expect("it starts")).expect("one command line");
    let never = Interrupt::default();
    let open = OpenClasses::default();
    let quantum = Quantum::unlimited(&open, Clock::new(None, &never));
    let mut coverage = Coverage::default();
    let harvest = Executor::run(&program, limits, &mut *solver, &mut coverage, state, quantum);
    let [state] = harvest.halted.as_slice() else { panic!("one path") };
    let printed = state.world.stdout.render(&program.exprs, &Assignment::default());
    let printed = String::from_utf8(printed).expect("text");
    // Signal handlers are not modelled: the path ends there.
    let expected = EXPECTED.strip_suffix("signal 10\n").expect("what is said last");
    assert_eq!(printed, expected);
}

/// Reads through a pointer that may be null. The patches check before reading, divide by what may
/// be zero, and change nothing.
const LIST: &str = include_str!("programs/list.c");

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

/// The patches access memory far beyond a variable, where other variables are.
const FAR: &str = include_str!("programs/far.c");

#[test]
fn an_index_that_is_far_off_is_out_of_bounds_natively_too() {
    let mut scratch = package()
        .file("package/main.c", FAR)
        .file("subject.toml", &format!("{CONFIG}\n[inputs]\nargs = [{{ string = 1 }}]\n"));
    let lines = ["\tint at = c < 200 ? c % 3 : c;", "\tint at = c < 255 ? c % 3 : c;"];
    for (number, new) in (1..).zip(lines) {
        let patch =
            format!("--- a/main.c\n+++ b/main.c\n@@ -7 +7 @@\n-\tint at = c % 3;\n+{new}\n");
        scratch = scratch.file(&format!("{number}.diff"), &patch);
    }
    let compared = run(&mut scratch.stage("diff"));
    assert_eq!(compared.code, Some(0), "{}{}", compared.stdout, compared.stderr);
    let found: Vec<Verdict> =
        table::<PairRow>(&scratch.out()).into_iter().map(|pair| pair.verdict).collect();
    assert_eq!(found, [Verdict::Distinguished; 3], "{}", compared.stdout);
    assert!(compared.stdout.contains("out-of-bounds"), "{}", compared.stdout);
    assert!(!compared.stdout.contains("contradicts"), "{}", compared.stdout);
}

/// Passes an `int` where the library takes a `long` from variable arguments.
const DUPLICATE: &str = include_str!("programs/duplicate.c");

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
