//! `--progress json`: standard error as events.

use std::process::Command;

use serde_json::Value;

use crate::support::{Scratch, psychic, run};

/// The events of a run. A reader of JSON that is none of ours checks every line first.
fn events(stderr: &str) -> Vec<Value> {
    let script = "import json, sys\n\
                  for line in sys.argv[1].splitlines():\n\
                  \x20   event = json.loads(line)\n\
                  \x20   assert isinstance(event['event'], str) and event['seconds'] >= 0, line\n";
    let done = Command::new("python3").args(["-c", script, stderr]).output().expect("python3 runs");
    assert!(done.status.success(), "{}\n{stderr}", String::from_utf8_lossy(&done.stderr));
    stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().expect("a text")).collect()
}

#[test]
fn a_comparison_as_events() {
    let scratch = Scratch::new()
        .patch("1.diff", "return x > 1;")
        .patch("2 \"\n\u{1b}.diff", "return x >")
        .patch("3.diff", "return x >= 1;");
    let plain = run(scratch.stage("diff").arg("--json"));
    let ran = run(scratch.stage("diff").args(["--progress", "json", "--json"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let events = events(&ran.stderr);
    let kinds = kinds(&events);
    let order = ["merging", "set-aside", "building", "built", "exploring", "explored", "finished"];
    let place = |kind: &&str| {
        let found = kinds.iter().position(|it| it == kind);
        found.unwrap_or_else(|| panic!("no {kind}: {kinds:?}"))
    };
    assert!(order.iter().map(place).is_sorted(), "{kinds:?}");
    assert_eq!(kinds.last(), Some(&"finished"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "finished").count(), 1);
    let of = |kind: &str| events.iter().find(|event| event["event"] == kind).expect("there");
    assert_eq!(
        (&of("merging")["patches"], &of("merging")["subject"]),
        (&3.into(), &"scratch".into())
    );
    assert_eq!(of("set-aside")["patch"], "2 \"\n\u{1b}.diff");
    assert!(of("set-aside")["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert_eq!(of("finished")["exit"], 0);
    let explored = of("explored");
    assert!(["paths", "waiting", "tests", "open"].iter().all(|key| explored[key].is_u64()));
    let times: Vec<f64> = events.iter().filter_map(|event| event["seconds"].as_f64()).collect();
    assert!(times.is_sorted(), "{times:?}");
    // Standard output is as it is without.
    let without_times = |text: &str| {
        let mut value: Value = serde_json::from_str(text).expect("JSON");
        for key in ["seconds", "peak_mb"] {
            value["summary"][key] = Value::Null;
        }
        value
    };
    assert_eq!(without_times(&ran.stdout), without_times(&plain.stdout));
}

#[test]
fn the_other_stages_have_events_too() {
    let scratch = Scratch::new().patch("1.diff", "return x > 1;");
    let json = ["--progress", "json"];
    for stage in ["merge", "build", "explore", "diff", "replay"] {
        let ran = run(scratch.stage(stage).args(json));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(kinds(&events(&ran.stderr)).last(), Some(&"finished"), "{stage}");
    }
    let ran = run(scratch.stage("export").args(json).args(["--as", "c", "--expected", "0"]));
    assert_eq!(kinds(&events(&ran.stderr)), ["taken", "building", "finished"]);
}

#[test]
fn an_error_is_the_last_event() {
    let scratch = Scratch::new();
    let missing = scratch.path("missing \"\\");
    let ran = run(psychic().arg("diff").arg(&missing).args(["--progress", "json"]));
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    let told = events(&ran.stderr);
    assert_eq!(kinds(&told), ["failed"]);
    let message = told[0]["message"].as_str().expect("a text");
    assert!(message.contains("no such file") && message.contains("missing \"\\"), "{message}");
    let scratch =
        scratch.file("a.c", "int entry(int x) { return x }\n").patch("1.diff", "return 1;");
    let ran = run(scratch.stage("diff").args(["--progress", "json"]));
    assert_eq!(ran.code, Some(2));
    let told = events(&ran.stderr);
    assert_eq!((kinds(&told)[0], kinds(&told).pop()), ("merging", Some("failed")));
    assert!(told.last().expect("one")["message"].as_str().is_some_and(|it| it.contains("a.c:1")));
}
