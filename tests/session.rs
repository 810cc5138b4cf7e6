//! The library's entry point: several runs in one process, one after another and at the same time;
//! interruption; the same results as the command's.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Once,
    thread,
};

use psychic::{
    interrupt::Interrupt,
    results::Verdict,
    session::{Error, Event, Findings, Options, SearchOptions, Session},
    subject::Subject,
};

/// A subject of this repository.
#[allow(unsafe_code, reason = "changes the environment")]
fn subject(name: &str) -> Subject {
    static HELPER: Once = Once::new();
    // SAFETY: this runs once, before any sandbox is started, and nothing else here changes the
    // environment.
    HELPER.call_once(|| unsafe { env::set_var("PSYCHIC_SANDBOX", env!("CARGO_BIN_EXE_psychic")) });
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Subject::load(&root.join(name)).unwrap()
}

fn one_worker() -> Options {
    let jobs = std::num::NonZeroUsize::new(1);
    Options { search: SearchOptions { jobs, ..SearchOptions::default() }, ..Options::default() }
}

fn name(event: Event<'_>) -> String {
    format!("{event:?}").split([' ', '(']).next().unwrap().to_owned()
}

fn verdicts(findings: &Findings) -> Vec<(u32, u32, Verdict)> {
    findings.pairs().iter().map(|pair| (pair.a.0, pair.b.0, pair.verdict)).collect()
}

#[test]
fn sessions_run_at_once_and_one_after_the_other() {
    let find = |name: &str| {
        let session = Session::new(subject(name), one_worker()).unwrap();
        session.diff(&mut ()).unwrap()
    };
    let names = ["tests/subjects/headers", "tests/subjects/fails-in-lockstep"];
    let apart = names.map(find);
    let together = thread::scope(|scope| {
        names.map(|name| scope.spawn(move || find(name))).map(|run| run.join().unwrap())
    });
    for (alone, beside) in apart.iter().zip(&together) {
        assert!(alone.is_decided() && !alone.pairs().is_empty());
        assert_eq!(verdicts(alone), verdicts(beside));
        assert_eq!(alone.tree().to_json(), beside.tree().to_json());
    }
    assert_ne!(verdicts(&apart[0]), verdicts(&apart[1]));
}

#[test]
fn findings_are_what_the_command_writes() {
    let scratch = tempfile::tempdir().unwrap();
    let [ours, theirs] = ["ours", "theirs"].map(|name| scratch.path().join(name));
    let mut events = Vec::new();
    let mut note = |event: Event<'_>| events.push(name(event));
    let session = Session::new(subject("tests/subjects/headers"), one_worker()).unwrap();
    let findings = session.diff(&mut note).unwrap();
    findings.write(&ours).unwrap();
    events.dedup();
    assert_eq!(events, ["Merging", "Building", "Built", "Exploring", "Explored", "Walking"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_psychic"));
    command.args(["diff", "tests/subjects/headers", "--jobs", "1", "--out"]).arg(&theirs);
    assert!(command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap().status.success());
    let read = |directory: &Path, name: &str| fs::read_to_string(directory.join(name)).unwrap();
    for name in [
        "revisions.csv",
        "pairs.csv",
        "tests.csv",
        "outcomes.csv",
        "clusters.csv",
        "states.csv",
        "tree.json",
    ] {
        assert_eq!(read(&ours, name), read(&theirs, name), "{name}");
    }
    let tests = |directory: &Path| {
        let files = fs::read_dir(directory.join("tests")).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(tests(&ours), tests(&theirs));
    // Each is there as a .ktest file and as a script.
    assert_eq!(tests(&ours).len(), 2 * findings.tests().len());
}

/// Runs a session that is interrupted at an event. Returns the events, the result of the run, and
/// the names in its results directory.
fn interrupted(at: &str) -> (Vec<String>, Result<Findings, Error>, BTreeSet<String>) {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("results");
    let interrupt = Interrupt::default();
    let search = SearchOptions { interrupt: interrupt.clone(), ..SearchOptions::default() };
    let options = Options { search, out: Some(out.clone()), ..Options::default() };
    let session = Session::new(subject("tests/subjects/headers"), options).unwrap();
    let mut events = Vec::new();
    let mut stop = |event: Event<'_>| {
        events.push(name(event));
        if events.last().unwrap() == at {
            assert!(interrupt.set());
        }
    };
    if at.is_empty() {
        interrupt.set();
    }
    let found = session.diff(&mut stop);
    let entries = fs::read_dir(out).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    (events, found, names.collect())
}

#[test]
fn an_interrupt_before_anything_is_found_leaves_nothing() {
    for (at, events) in [("", 0), ("Merging", 1), ("Building", 3), ("Built", 3)] {
        let (seen, found, names) = interrupted(at);
        assert!(matches!(found, Err(Error::Interrupted)), "{at}");
        assert!(seen.len() <= events, "{at}: {seen:?}");
        let left = |name: &String| !name.starts_with('.') && name != "build";
        assert!(!names.iter().any(left), "{at}: {names:?}");
    }
}

#[test]
fn an_interrupt_keeps_what_was_found() {
    let (events, found, names) = interrupted("Exploring");
    let findings = found.unwrap();
    assert!(findings.interrupted && !findings.exhausted && !findings.is_decided());
    assert!(events.contains(&"Exploring".to_owned()));
    assert!(names.contains("pairs.csv") && names.contains("report.html"), "{names:?}");
    assert!(findings.pairs().iter().any(|pair| pair.verdict == Verdict::Unknown));
}
