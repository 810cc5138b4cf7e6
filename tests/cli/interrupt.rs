//! Runs that are stopped leave what they found, and claim no more than that.

use std::{
    collections::BTreeSet,
    fs,
    io::BufReader,
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use psychic::results::{
    FoundBy, PairRow, ResultsDir, StateRow, SummaryRow, TestRow, Verdict, ktest_files,
    read_clusterings,
};

use crate::{
    packages::package,
    support::{Scratch, names, refused, run, table, wait_for},
};

/// A loop with 2^32 paths, which do not rejoin because a `double` differs. One patch differs
/// visibly on the first path, and the other one never does.
fn endless() -> Scratch {
    let source = include_str!("programs/endless.c");
    let visible = "--- a.c\n+++ a.c\n@@ -7 +7 @@\n-\treturn n;\n+\treturn n + 1;\n";
    let hidden = "--- a.c\n+++ a.c\n@@ -6 +6 @@\n-\t\t\tn += i;\n+\t\t\tn = i + n;\n";
    Scratch::new().file("a.c", source).file("1.diff", visible).file("2.diff", hidden)
}

struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    fn diff(scratch: &Scratch) -> Self {
        Self::with(scratch, &[])
    }

    fn with(scratch: &Scratch, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_psychic"))
            .arg("diff")
            .arg(scratch.dir.path())
            .arg("--out")
            .arg(scratch.out())
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("psychic runs");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, stderr }
    }

    /// Waits for a line of progress that contains this text.
    fn until(&mut self, text: &str) {
        wait_for(&mut self.stderr, text);
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).expect("it runs");
    }

    fn end(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }
}

/// Asserts that the tables are complete and nothing is called equivalent; returns the pairs.
fn readable(results: &Path) -> Vec<PairRow> {
    let pairs: Vec<PairRow> = table(results);
    assert_eq!(pairs.len(), 3);
    for pair in &pairs {
        assert_ne!(pair.verdict, Verdict::Equivalent);
        assert_eq!(pair.verdict == Verdict::Unknown, !pair.reason.is_empty());
    }
    assert_eq!((pairs[1].a.0, pairs[1].b.0, pairs[1].verdict), (0, 2, Verdict::Unknown));
    let tests: Vec<TestRow> = table(results);
    assert_eq!(ktest_files(&results.join("tests")).expect("readable").len(), tests.len());
    let clusterings = read_clusterings(&results.join("clusters.csv")).expect("readable");
    assert_eq!(clusterings.len(), tests.len());
    table::<StateRow>(results);
    assert_eq!(table::<SummaryRow>(results)[0].unknown, 1 + u64::from(tests.is_empty()) * 2);
    pairs
}

#[test]
fn an_interrupted_run_leaves_what_it_found_and_goes_on() {
    let scratch = endless();
    let mut running = Running::diff(&scratch);
    running.until("exploring");
    // Tests are written while the run goes on.
    while names(&scratch.path("out/unfinished/tests")).is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(Signal::SIGINT);
    running.until("interrupted");
    assert_eq!(running.end().code(), Some(130));
    let pairs = readable(&scratch.out());
    assert_eq!(pairs[0].verdict, Verdict::Distinguished);

    let again = run(scratch.stage("diff").args(["--resume", "--time-budget", "2s"]));
    assert_eq!(again.code, Some(1), "{}{}", again.stdout, again.stderr);
    assert_eq!(readable(&scratch.out())[0].test, Some(psychic::results::TestId(1)));
    let tests: Vec<TestRow> = table(&scratch.out());
    assert_eq!(tests[0].found_by, FoundBy::Seed);
}

#[test]
fn an_interrupted_run_does_not_replace_results_that_know_more() {
    let one = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return 0 < x;");
    assert_eq!(run(&mut one.stage("diff")).code, Some(0));
    let pairs: Vec<PairRow> = table(&one.out());
    let two = endless();
    for file in ["a.c", "1.diff", "2.diff"] {
        fs::copy(two.path(file), one.path(file)).expect("copied");
    }
    let mut running = Running::diff(&one);
    running.until("exploring");
    running.signal(Signal::SIGINT);
    assert_eq!(running.end().code(), Some(130));
    assert_eq!(table::<PairRow>(&one.out()), pairs);
    readable(&one.path("out/unfinished"));
    // A run that ends by itself does.
    let ended = run(one.stage("diff").args(["--resume", "--time-budget", "1s"]));
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    readable(&one.out());
    assert!(!one.path("out/unfinished").exists());
}

#[test]
fn an_interrupt_before_the_first_test() {
    let scratch = endless();
    let mut running = Running::diff(&scratch);
    running.until("exploring");
    running.signal(Signal::SIGTERM);
    assert_eq!(running.end().code(), Some(130));
    readable(&scratch.out());
}

/// Interrupts a run once there is a file `slow`; then no `sleep` of so many seconds is left.
#[track_caller]
fn ends_what_sleeps(scratch: &Scratch, seconds: &str) {
    let mut running = Running::diff(scratch);
    while !scratch.path("slow").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(Signal::SIGTERM);
    running.until("interrupted, nothing was found yet");
    assert_eq!(running.end().code(), Some(130));
    let all = Command::new("ps").args(["-eo", "args"]).output().expect("ps runs");
    let sleeps = format!("\nsleep {seconds}");
    assert!(!String::from_utf8_lossy(&all.stdout).contains(&sleeps));
}

#[test]
fn an_interrupt_ends_a_build() {
    let makefile = include_str!("programs/an_interrupt_ends_a_build.mk");
    let scratch = package().file("package/Makefile", makefile);
    ends_what_sleeps(&scratch, "4321");
    let left = names(&scratch.out());
    assert!(left.iter().all(|name| name == "build"), "{left:?}");
}

#[test]
fn an_interrupt_ends_what_obtains_the_sources() {
    let config = "name = \"slow\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n\
                  [build]\nsetup = \"touch slow; sleep 4322\"\n";
    let scratch = Scratch::new().file("subject.toml", config).patch("1.diff", "return 1;");
    ends_what_sleeps(&scratch, "4322");
}

#[test]
fn an_interrupt_does_not_wait_for_the_solver() {
    // To decide whether `n` can be 1, a number of 128 bits has to be factored.
    let source = include_str!("programs/an_interrupt_does_not_wait_for_the_solver.c");
    // The patch differs only on an input that is not found by trying.
    let patch = "--- a.c\n+++ a.c\n@@ -7 +7 @@\n-\t\tn = 1;\n+\t\tn = 2;\n";
    let budget = "name = \"hard\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n\
                  entry = \"entry\"\n[budget]\nsolver = \"1h\"\ntime = \"1h\"\n";
    let scratch =
        Scratch::new().file("a.c", source).file("1.diff", patch).file("subject.toml", budget);
    let mut running = Running::diff(&scratch);
    running.until("exploring");
    std::thread::sleep(Duration::from_secs(2));
    let begin = std::time::Instant::now();
    running.signal(Signal::SIGINT);
    running.until("interrupted");
    assert_eq!(running.end().code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    let pairs: Vec<PairRow> = table(&scratch.out());
    assert_ne!(pairs[0].verdict, Verdict::Equivalent);
}

#[test]
fn a_time_budget_that_is_not_enough() {
    let scratch = endless();
    let ran = run(scratch.stage("diff").args(["--time-budget", "1s"]));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let pairs = readable(&scratch.out());
    assert!(pairs[1].reason.contains("time budget"), "{}", pairs[1].reason);
    assert!(ran.stdout.contains(" unknown: time budget"), "{}", ran.stdout);
}

/// The inputs that a run left on disk, as bytes.
fn left(scratch: &Scratch) -> BTreeSet<Vec<u8>> {
    let results = ResultsDir::open(scratch.out()).expect("there");
    let files = results.left_tests().expect("readable");
    files.into_iter().map(|file| fs::read(file).expect("readable")).collect()
}

/// How often a resumed run is killed; `PSYCHIC_KILLS=100` tries more by hand.
fn kills() -> u64 {
    std::env::var("PSYCHIC_KILLS").map_or(4, |number| number.parse().expect("a number"))
}

#[test]
fn a_run_killed_at_any_moment_loses_no_test() {
    let patch = "--- a.c\n+++ a.c\n@@ -7 +7 @@\n-\treturn n;\n+\treturn n + (x & 1);\n";
    let scratch = endless().file("3.diff", patch);
    let mut running = Running::diff(&scratch);
    running.until("exploring");
    while names(&scratch.path("out/unfinished/tests")).len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(Signal::SIGKILL);
    running.end();
    let mut found = left(&scratch);
    assert!(found.len() >= 2);
    for round in 0..kills() {
        let running = Running::with(&scratch, &["--resume", "--time-budget", "2s"]);
        // The kill falls now into the merge, now into the replay of earlier tests, now into the
        // final writing of the results.
        std::thread::sleep(Duration::from_millis(round * 7919 % 4000));
        running.signal(Signal::SIGKILL);
        running.end();
        let now = left(&scratch);
        assert!(found.is_subset(&now), "round {round}: {} of {} left", now.len(), found.len());
        found = now;
    }
    let again = run(scratch.stage("diff").args(["--resume", "--time-budget", "2s"]));
    assert_eq!(again.code, Some(1), "{}{}", again.stdout, again.stderr);
    // This run may find more than the killed ones had time for.
    assert!(found.is_subset(&left(&scratch)));
    let pairs: Vec<PairRow> = table(&scratch.out());
    let told_apart = pairs.iter().filter(|row| row.verdict == Verdict::Distinguished).count();
    assert_eq!(told_apart, 5, "all but 0 and 2");
}

/// In lockstep, nothing is known about the names any more, and they may differ in any letter: one
/// call of `strcmp` is a tree of queries that would never end.
#[test]
fn a_call_in_lockstep_ends_in_the_time_of_the_run() {
    let source = include_str!("programs/a_call_in_lockstep_ends_in_the_time_of_the_run.c");
    let line = source.lines().position(|line| line.contains("printf")).expect("it prints") + 1;
    let patch = format!(
        "--- a.c\n+++ a.c\n@@ -{line} +{line} @@\n-\t\tprintf(\"%d. %s\\n\", i + 1, list[i].name);\n\
         +\t\tprintf(\"%d. %s\\n\", 1 + i, (list + i)->name);\n"
    );
    let config = "name = \"names\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n";
    let scratch =
        Scratch::new().file("a.c", source).file("subject.toml", config).file("1.diff", &patch);
    let ran = run(scratch.stage("diff").args(["--time-budget", "3s"]));
    let pair = &table::<PairRow>(&scratch.out())[0];
    assert_ne!(pair.verdict, Verdict::Distinguished, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn two_runs_into_one_directory() {
    let scratch = endless();
    let mut running = Running::diff(&scratch);
    running.until("exploring");
    for stage in ["diff", "merge", "replay"] {
        let message = refused(&mut scratch.stage(stage));
        assert!(message.contains("another run is writing its results there"), "{message}");
        assert!(message.contains("--out"), "{message}");
    }
    running.signal(Signal::SIGINT);
    assert_eq!(running.end().code(), Some(130));
    readable(&scratch.out());
}
