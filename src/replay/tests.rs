//! What programs do in the sandbox, harmless and malicious ones.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::*;
use crate::{
    compile::{Compilation, Toolchain},
    errors::Sanitizer,
    subject::{FileState, Given, GivenFile, Revision, config::OutputsConfig},
};

const PRELUDE: &str = "
    #define _GNU_SOURCE
    #include <arpa/inet.h>
    #include <assert.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <klee/klee.h>
    #include <psychic.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/ptrace.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/un.h>
    #include <sys/wait.h>
    #include <unistd.h>
    ";

/// A program built in all three ways.
struct Program {
    _directory: TempDir,
    binaries: Binaries,
}

impl Program {
    fn new(body: &str, sanitize: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let source = format!("{PRELUDE}\nint main(int argc, char **argv) {{ {body} }}\n");
        fs::write(directory.path().join("p.c"), source).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec!["p.c".into()],
            ..Compilation::default()
        };
        let clang = Toolchain::find().unwrap();
        let build = |sanitizer, name: &str| {
            let out = directory.path().join(name);
            clang.native(&compilation, sanitizer, &out).unwrap();
            out
        };
        let binaries = Binaries {
            plain: Builds::One(build(Sanitizer::None, "plain")),
            address_undefined: if sanitize {
                Builds::One(build(Sanitizer::AddressUndefined, "asan"))
            } else {
                Builds::None
            },
            memory: if sanitize {
                Builds::One(build(Sanitizer::Memory, "msan"))
            } else {
                Builds::None
            },
            serves: true,
            ..Binaries::default()
        };
        Self { _directory: directory, binaries }
    }

    fn replayer(&self, limits: RunLimits) -> Replayer {
        Replayer::new(self.binaries.clone(), limits).unwrap()
    }
}

fn run(body: &str) -> Outcome {
    run_test(body, &TestInput::default())
}

fn run_test(body: &str, test: &TestInput) -> Outcome {
    let replayer = Program::new(body, false).replayer(RunLimits::default());
    replayer.run(test, Revision(0), Sanitizer::None).unwrap()
}

/// Runs a program that attacks its sandbox with both kinds of isolation, which have to withstand
/// it. The system that runs the tests must have both.
fn attack(body: &str, limits: RunLimits) -> Vec<Outcome> {
    let program = Program::new(body, false);
    let mut outcomes = Vec::new();
    for isolation in [Isolation::Namespaces, Isolation::Landlock] {
        let binaries = program.binaries.clone();
        let replayer = Replayer::with_isolation(binaries, limits, isolation).unwrap();
        let test = TestInput::default();
        let outcome = replayer.run(&test, Revision(0), Sanitizer::None).unwrap();
        // The sandbox must be good for another run.
        let again = replayer.run(&test, Revision(0), Sanitizer::None).unwrap();
        assert_eq!(outcome.termination, again.termination, "{isolation}");
        outcomes.push(outcome);
    }
    outcomes
}

#[test]
fn what_is_nested_too_deep_or_too_much_is_an_outcome_and_goes_away() {
    let deep = "for (int i = 0; i < 3000; i++)
                    if (mkdir(\"a-name-of-some-length\", 0700) || chdir(\"a-name-of-some-length\"))
                        return 1;
                return 0;";
    let many = "for (int i = 0; i < 20000; i++) {
                    char name[9]; sprintf(name, \"f%d\", i);
                    int f = open(name, O_CREAT | O_WRONLY, 0600);
                    if (f < 0) return 1;
                    close(f);
                }
                return 0;";
    let limits = RunLimits { time: Duration::from_secs(10), ..RunLimits::default() };
    for body in [deep, many] {
        let program = Program::new(&format!("if (argc > 1) return 7; {body}"), false);
        let replayer = program.replayer(limits);
        let outcome = replayer.run(&TestInput::default(), Revision(0), Sanitizer::None).unwrap();
        // A sandbox with a file system of its own has no room for so many files.
        let is_refused = body == many && replayer.isolation() == Isolation::Namespaces;
        let expected = if is_refused { Termination::Exit(1) } else { Termination::OutputLimit };
        assert_eq!(outcome.termination, expected);
        let next = TestInput { args: vec![b"p".into(), b"1".into()], ..TestInput::default() };
        let outcome = replayer.run(&next, Revision(0), Sanitizer::None).unwrap();
        assert_eq!(outcome.termination, Termination::Exit(7));
        assert!(outcome.files.is_empty(), "the scratch directory is empty again");
    }
}

#[test]
fn every_kind_of_end() {
    use Termination::*;
    assert_eq!(run("return 300;").termination, Exit(44));
    assert_eq!(run("abort();").termination, Signal(6));
    assert_eq!(run("return *(volatile int *)8;").termination, Signal(11));
    assert_eq!(run("volatile int zero = 0; return 1 / zero;").termination, Signal(8));
    assert_eq!(run("for (;;);").termination, Timeout);
    assert_eq!(run("for (;;) puts(\"spam\");").termination, OutputLimit);
    assert_eq!(run("raise(SIGRTMIN + 3); return 0;").termination, Signal(37));
}

#[test]
fn what_was_printed_before_a_crash_is_seen() {
    let outcome = run("printf(\"before\"); fprintf(stderr, \"error\"); raise(SIGKILL);");
    assert_eq!((&outcome.stdout[..], &outcome.stderr[..]), (&b"before"[..], &b"error"[..]));
    assert_eq!(outcome.termination, Termination::Signal(9));
}

#[test]
fn a_failed_assertion_names_no_place() {
    let outcome = run("assert(argc == 7);");
    assert_eq!(outcome.stderr, b"Assertion `argc == 7' failed.\n");
    assert_eq!(outcome.termination, Termination::Signal(6));
}

#[test]
fn arguments_input_and_objects_reach_the_program() {
    let body = "
        int x = 7, again = 7, absent = 7; char line[9] = \"\";
        psychic_symbolic(&x, sizeof x, \"x\");
        klee_make_symbolic(&again, sizeof again, \"x\");
        klee_make_symbolic(&absent, sizeof absent, \"absent\");
        fgets(line, sizeof line, stdin);
        printf(\"%s %s %s %d %d %d %d %d\", argv[0], argv[1], line, x, again, absent,
               klee_range(3, 5, \"range\"), psychic_rev() * 10 + __klee_meta(4));
        psychic_output(\"x\", &x, 2); psychic_output(\"x\", &again, 1);
        return 0;";
    let test = TestInput {
        args: vec![b"name".to_vec(), b"\xffarg".to_vec()],
        stdin: Some(b"input".to_vec()),
        objects: vec![("x_1".into(), vec![2]), ("x".into(), vec![0, 1, 0, 0])],
    };
    let replayer = Program::new(body, false).replayer(RunLimits::default());
    let outcome = replayer.run(&test, Revision(3), Sanitizer::None).unwrap();
    assert_eq!(outcome.stdout, b"name \xffarg input 256 2 0 3 33", "{outcome:?}");
    let outputs = [("x", vec![0, 1]), ("x_1", vec![2])].map(|(name, bytes)| (name.into(), bytes));
    assert_eq!(outcome.outputs, outputs.into());
}

#[test]
fn a_violated_assumption_is_told_apart() {
    let outcome = run("printf(\"a\"); psychic_assume(argc == 2); printf(\"b\"); return 0;");
    assert!(outcome.is_outside_assumptions());
    assert_eq!(outcome.stdout, b"a");
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("assumption"));
}

#[test]
fn files_are_seen_and_do_not_stay() {
    let body = "
        if (access(\"out\", F_OK) == 0) return 1;
        FILE *a = fopen(\"A\", \"r\"); char text[9] = \"\"; fgets(text, 9, a);
        FILE *f = fopen(\"out\", \"w\"); fprintf(f, \"%s!\", text); fclose(f);
        mkdir(\"d\", 0700); f = fopen(\"d/x\", \"w\"); fclose(f); chmod(\"d\", 0);
        symlink(\"/etc/passwd\", \"link\"); mkfifo(\"pipe\", 0600); link(\"link\", \"also\");
        chmod(\".\", 0711); rename(\"B\", \"C\"); rmdir(\"e\"); chmod(\"f\", 0755);
        char t[99]; sprintf(t, \"%s/XXXXXX\", getenv(\"TMPDIR\")); return mkstemp(t) < 0;";
    let test =
        TestInput { objects: vec![("A-data".into(), b"read".to_vec())], ..TestInput::default() };
    let mut program = Program::new(body, false);
    program.binaries.variables = [("TMPDIR".into(), Some(b"/tmp".into()))].into();
    let given = |bytes: &str| Given::Regular { bytes: bytes.into(), executable: false };
    let given = [("B", given("b")), ("e", Given::Directory), ("f", given("")), ("g", given(""))];
    program.binaries.files =
        given.map(|(path, content)| GivenFile { path: path.into(), content }).into();
    let replayer = program.replayer(RunLimits::default());
    for _ in 0..2 {
        let outcome = replayer.run(&test, Revision(0), Sanitizer::None).unwrap();
        assert_eq!(outcome.termination, Termination::Exit(0));
        let regular =
            |permissions, text: &str| FileState::Regular { permissions, bytes: text.into() };
        let files = [
            (".", FileState::Directory { permissions: 0o711 }),
            ("B", FileState::Removed),
            ("C", regular(0o644, "b")),
            ("also", FileState::Link(b"/etc/passwd".to_vec())),
            ("d", FileState::Directory { permissions: 0 }),
            ("d/x", regular(0o644, "")),
            ("e", FileState::Removed),
            ("f", regular(0o755, "")),
            ("link", FileState::HardLink("also".into())),
            ("out", regular(0o644, "read!")),
        ];
        assert_eq!(outcome.files, files.map(|(path, state)| (path.to_owned(), state)).into());
    }
}

#[test]
fn runs_are_deterministic() {
    let body = "
        extern char **environ; int local; char host[99];
        gethostname(host, 99);
        for (char **e = environ; *e; e++) puts(*e);
        printf(\"%p %p %p %s\\n\", (void *)&local, malloc(8), (void *)main, host);
        return 0;";
    let program = Program::new(body, false);
    let replayers = [(); 2].map(|()| program.replayer(RunLimits::default()));
    if replayers[0].isolation() != Isolation::Namespaces {
        return;
    }
    let [a, b] = replayers
        .map(|replayer| replayer.run(&TestInput::default(), Revision(0), Sanitizer::None).unwrap());
    assert_eq!(String::from_utf8_lossy(&a.stdout), String::from_utf8_lossy(&b.stdout));
}

#[test]
fn every_kind_of_finding() {
    use crate::errors::Error::*;
    let cases = [
        (OutOfBounds, "char *p = malloc(4); p[n + 4] = 1"),
        (OutOfBounds, "int a[3]; a[n + 3] = 1"),
        (OutOfBounds, "*(volatile char *)0x123456789000 = 1"),
        (OutOfBounds, "*(volatile char *)0x1234567890000000 = 1"),
        (UseAfterFree, "char *p = malloc(4); free(p); p[n] = 1"),
        (DoubleFree, "char *p = malloc(4); free(p); free(p + n)"),
        (DoubleFree, "int x; free(&x + n)"),
        (NullDereference, "int *volatile p = 0; *p = 1"),
        (NullDereference, "char *volatile p = 0; memcpy(p + 16, \"x\", 1)"),
        (NullDereference, "void (*volatile f)(void) = 0; f()"),
        (DivisionByZero, "n = 1 / n"),
        (DivisionByZero, "n = 1 % n"),
        (DivisionByZero, "n = n - 1; volatile int m = -2147483647 - 1; n = m / n"),
        (Unreachable, "if (!n) __builtin_unreachable()"),
    ];
    let arms = cases.iter().enumerate();
    let arms = arms.map(|(index, (_, body))| format!("case {index}: {{ {body}; break; }}\n"));
    let body = format!(
        "printf(\"so far\"); fprintf(stderr, \"!\"); volatile int n = 0;
         switch (psychic_rev()) {{ {} }} printf(\"on\"); return 0;",
        arms.collect::<String>()
    );
    let program = Program::new(&body, true);
    let replayer = program.replayer(RunLimits::default());
    let revisions = (0..=cases.len() as u32).map(Revision).collect::<Vec<_>>();
    let outcomes = replayer.outcomes(&TestInput::default(), &revisions, true).unwrap();
    for ((_, outcome), (kind, body)) in outcomes.iter().zip(&cases) {
        let found = outcome.finding.as_ref().map(|finding| finding.kind);
        assert_eq!(found, Some((*kind).into()), "{body}: {outcome:?}");
        assert_eq!(outcome.stdout, b"so far", "{body}");
        assert_eq!(outcome.stderr, b"!", "{body}: reports are kept out of what is compared");
    }
    let (_, clean) = outcomes.last().unwrap();
    assert_eq!((&clean.finding, &clean.stdout[..]), (&None, &b"so faron"[..]));
}

#[test]
fn a_use_of_unwritten_memory_is_noted_beside_the_plain_outcome() {
    let body = "int x[2]; volatile int n = 0; x[n] = 1; if (x[1 - n]) n = 1; return n + 3;";
    let program = Program::new(body, true);
    let replayer = program.replayer(RunLimits::default());
    let outcome = replayer.outcome(&TestInput::default(), Revision(0), true).unwrap();
    assert_eq!((outcome.finding, outcome.termination), (None, Termination::Exit(3)));
    assert_eq!(
        outcome.noted.into_iter().collect::<Vec<_>>(),
        [crate::errors::Error::UninitialisedRead]
    );
}

#[test]
fn a_clean_run_under_sanitizers_is_the_plain_one() {
    let body = "
        int x; psychic_symbolic(&x, sizeof x, \"x\"); char *p = malloc(100000000);
        if (x == 5 && klee_range(0, 9, \"r\") == 0 && p) printf(\"%d\", x);
        psychic_output(\"x\", &x, sizeof x); return 3;";
    let test = TestInput { objects: vec![("x".into(), vec![5, 0, 0, 0])], ..TestInput::default() };
    let program = Program::new(body, true);
    let replayer = program.replayer(RunLimits::default());
    let revisions = [0, 1, 2, 3].map(Revision);
    let plain = replayer.run(&test, Revision(0), Sanitizer::None).unwrap();
    assert_eq!((&plain.stdout[..], plain.termination), (&b"5"[..], Termination::Exit(3)));
    for (revision, outcome) in replayer.outcomes(&test, &revisions, true).unwrap() {
        assert_eq!(outcome, plain, "{revision}");
    }
    for sanitizer in [Sanitizer::AddressUndefined, Sanitizer::Memory] {
        let outcome = replayer.run(&test, Revision(0), sanitizer).unwrap();
        assert!(outcome.same(&plain, &OutputsConfig::default()), "{outcome:?}");
    }
}

#[test]
fn a_missing_build_is_an_error() {
    let replayer = Program::new("return 0;", false).replayer(RunLimits::default());
    let error = replayer.run(&TestInput::default(), Revision(0), Sanitizer::Memory).unwrap_err();
    assert!(matches!(error, ReplayError::NotBuilt(Sanitizer::Memory)));
}

#[test]
fn a_patch_cannot_write_outside_of_its_directory() {
    let outside = tempfile::tempdir().unwrap();
    fs::set_permissions(outside.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    let target = outside.path().join("file");
    let body = format!(
        "int f = open(\"{}\", O_CREAT | O_WRONLY, 0600);
         int g = open(\"/usr/psychic-test\", O_CREAT | O_WRONLY, 0600);
         int h = open(\"/etc/passwd\", O_WRONLY);
         int i = open(\"../x\", O_CREAT | O_WRONLY, 0600);
         int j = rename(\"../io\", \"../other\");
         return (f >= 0) + 2 * (g >= 0) + 4 * (h >= 0) + 8 * (i >= 0) + 16 * (j == 0);",
        target.display()
    );
    for outcome in attack(&body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
    assert!(!target.exists() && !Path::new("/usr/psychic-test").exists());
}

#[test]
fn a_patch_cannot_connect_to_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let body = format!(
        "struct sockaddr_in a = {{ .sin_family = AF_INET, .sin_port = htons({}) }};
         inet_pton(AF_INET, \"127.0.0.1\", &a.sin_addr);
         int s = socket(AF_INET, SOCK_STREAM, 0);
         return s >= 0 && connect(s, (void *)&a, sizeof a) == 0;",
        listener.local_addr().unwrap().port()
    );
    for outcome in attack(&body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
}

#[test]
fn a_patch_cannot_have_more_processes_than_allowed() {
    let body = "
        int made = 0;
        for (int i = 0; i < 200; i++) { int p = fork(); if (p == 0) { pause(); } made += p > 0; }
        printf(\"%d\", made); return 0;";
    let limits = RunLimits { processes: 20, time: Duration::from_secs(5), ..RunLimits::default() };
    for outcome in attack(body, limits) {
        let made = String::from_utf8_lossy(&outcome.stdout).parse::<u32>().unwrap();
        assert!((10..=20).contains(&made), "{made}");
    }
}

#[test]
fn a_fork_bomb_ends() {
    let limits = RunLimits { time: Duration::from_millis(300), ..RunLimits::default() };
    let start = Instant::now();
    attack("for (;;) fork();", limits);
    attack("setsid(); for (;;) if (fork() == 0) setsid(); else exit(0);", limits);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_patch_cannot_outlive_its_time_asleep_or_deaf() {
    let limits = RunLimits { time: Duration::from_millis(200), ..RunLimits::default() };
    let start = Instant::now();
    for outcome in attack("signal(SIGTERM, SIG_IGN); sleep(60); return 0;", limits) {
        assert_eq!(outcome.termination, Termination::Timeout);
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_patch_cannot_leave_processes_behind() {
    let name = format!("psychic-test-{}", std::process::id());
    let body = format!(
        "if (fork() == 0) {{ setsid(); if (fork() == 0) {{ setsid(); close(1); close(2);
            execl(\"/bin/sh\", \"sh\", \"-c\", \"while :; do sleep 1; done # {name}\", NULL); }}
            exit(0); }}
         usleep(100000); return 0;"
    );
    for outcome in attack(&body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
    let ps = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let alive = String::from_utf8_lossy(&ps.stdout).contains(&format!("# {name}"));
    assert!(!alive);
}

#[test]
fn a_patch_cannot_leave_somebody_behind_who_prints() {
    let body = "if (fork() == 0) setsid(); for (;;) puts(\"x\");";
    for outcome in attack(body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::OutputLimit);
    }
}

#[test]
fn a_patch_cannot_fill_the_disk() {
    let body = "
        static char block[1 << 20]; long total = 0; signal(SIGXFSZ, SIG_IGN);
        for (int i = 0; i < 100; i++) {
          char name[9]; sprintf(name, \"f%d\", i);
          int f = open(name, O_CREAT | O_WRONLY, 0600); long n;
          while (f >= 0 && (n = write(f, block, sizeof block)) > 0 && total < 1L << 30) total += n;
          close(f);
        }
        return total > (5 << 20);";
    let limits =
        RunLimits { files: 4 << 20, time: Duration::from_secs(10), ..RunLimits::default() };
    let program = Program::new(body, false);
    let replayer = program.replayer(limits);
    let outcome = replayer.run(&TestInput::default(), Revision(0), Sanitizer::None).unwrap();
    match replayer.isolation() {
        Isolation::Namespaces => assert_eq!(outcome.termination, Termination::Exit(0)),
        Isolation::Landlock => assert_eq!(outcome.termination, Termination::OutputLimit),
    }
    let length = |state: &FileState| match state {
        FileState::Regular { bytes, .. } => bytes.len(),
        _ => 0,
    };
    assert!(outcome.files.values().map(length).sum::<usize>() <= 4 << 20);
}

#[test]
fn a_patch_cannot_use_more_memory_than_allowed() {
    let body = "long n = 0; while (malloc(1 << 20) && n < 4000) n++; return n >= 2048;";
    for outcome in attack(body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
}

#[test]
fn a_patch_cannot_reach_its_keeper() {
    let body = "
        int traced = ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0;
        char path[64]; sprintf(path, \"/proc/%d/mem\", getppid());
        int opened = open(path, O_RDWR) >= 0;
        return traced + 2 * opened;";
    for outcome in attack(body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
    let program = Program::new("kill(getppid(), SIGKILL); usleep(1000); return 5;", false);
    let replayer = program.replayer(RunLimits::default());
    if replayer.isolation() == Isolation::Namespaces {
        let outcome = replayer.run(&TestInput::default(), Revision(0), Sanitizer::None).unwrap();
        assert_eq!(outcome.termination, Termination::Exit(5));
    }
}

#[test]
fn a_patch_has_no_descriptors_but_its_own() {
    let body = "
        int open_files = 0;
        for (int fd = 3; fd < 256; fd++) open_files += fcntl(fd, F_GETFD) >= 0;
        return open_files;";
    for outcome in attack(body, RunLimits::default()) {
        assert_eq!(outcome.termination, Termination::Exit(0));
    }
}

/// Runs the program on each input in turn, with the same replayer.
fn runs(body: &str, inputs: &[&str]) -> Vec<Outcome> {
    let replayer = Program::new(body, false).replayer(RunLimits::default());
    let run = |input: &&str| {
        let test = TestInput { stdin: Some(input.as_bytes().to_vec()), ..TestInput::default() };
        replayer.run(&test, Revision(0), Sanitizer::None).unwrap()
    };
    inputs.iter().map(run).collect()
}

#[test]
fn a_run_begins_as_if_there_had_been_no_other() {
    let body = "
        static int runs; char line[9] = \"\"; FILE *f;
        runs++; fgets(line, 9, stdin); f = fopen(\"left\", \"a\"); fputs(line, f);
        if (*line == 's') raise(SIGSEGV);
        if (*line == 'l') for (;;);
        if (*line == 'p') for (;;) puts(line);
        printf(\"%d %s %ld\", runs, line, ftell(stdin)); return getpgrp() != getpid();";
    let inputs = ["one", "two", "segv", "three", "loop", "four", "print", "five"];
    for (input, outcome) in inputs.iter().zip(runs(body, &inputs)) {
        let expected = match *input {
            "segv" => Termination::Signal(11),
            "loop" => Termination::Timeout,
            "print" => Termination::OutputLimit,
            _ => {
                let text = format!("1 {input} {}", input.len());
                assert_eq!(String::from_utf8_lossy(&outcome.stdout), text);
                Termination::Exit(0)
            }
        };
        assert_eq!(outcome.termination, expected, "{input}");
    }
}

#[test]
fn a_run_that_prints_without_end_leaves_nothing_to_the_next() {
    let body = "
        char line[9] = \"\"; fgets(line, 9, stdin);
        while (*line == 'o' || *line == 'e') fputs(line, *line == 'o' ? stdout : stderr);
        printf(\"%d\", getppid()); return 0;";
    let inputs = ["1", "out", "2", "err", "3", "out\n", "4"];
    let outcomes = runs(body, &inputs);
    let (endless, plain): (Vec<_>, Vec<_>) =
        outcomes.iter().partition(|outcome| outcome.termination == Termination::OutputLimit);
    assert_eq!(endless.len(), 3);
    // Each is forked from the same process as the first one.
    assert!(plain.iter().all(|outcome| outcome == &plain[0]), "{plain:?}");
}

#[test]
fn every_one_of_many_programs_is_started_once() {
    let program =
        Program::new("printf(\"%d %ld\", getppid(), sysconf(_SC_OPEN_MAX)); return 0;", false);
    let Builds::One(path) = program.binaries.plain.clone() else { unreachable!("it has one") };
    let all: Vec<Revision> = (0..150).map(Revision).collect();
    let copy = |revision: &Revision| {
        let copy = path.with_file_name(revision.0.to_string());
        fs::hard_link(&path, &copy).unwrap();
        (*revision, copy)
    };
    let plain = Builds::Each(Arc::new(all.iter().map(copy).collect()));
    let binaries = Binaries { plain, ..program.binaries.clone() };
    let replayer = Replayer::new(binaries, RunLimits::default()).unwrap();
    let run = |revision: &Revision| {
        let outcome = replayer.run(&TestInput::default(), *revision, Sanitizer::None).unwrap();
        String::from_utf8(outcome.stdout).unwrap()
    };
    let first: Vec<String> = all.iter().map(run).collect();
    // Each is forked from the same process as before, and may have the usual number of files open.
    assert_eq!(first, all.iter().map(run).collect::<Vec<_>>());
    assert!(first.iter().all(|line| line.ends_with(" 256")), "{}", first[0]);
}

#[test]
fn a_program_that_wants_another_process_or_thread_has_it() {
    let body = "
        char line[9] = \"\"; fgets(line, 9, stdin); fputs(line, stdout);
        if (*line == 'f') { int status; if (!fork()) _exit(7); wait(&status); return status >> 8; }
        if (*line == 's') return system(\"exit 3\") >> 8;
        return 0;";
    let codes: Vec<Termination> =
        runs(body, &["plain", "fork", "plain", "sh"]).iter().map(|o| o.termination).collect();
    assert_eq!(codes, [0, 7, 0, 3].map(Termination::Exit));
}
