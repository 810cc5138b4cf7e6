//! What a newcomer reads, and what a pipe gets.

use std::process::{Command, Stdio};

use crate::support::{Scratch, psychic, run};

#[test]
fn help_of_every_command() {
    for command in [
        "",
        "init",
        "diff",
        "merge",
        "build",
        "explore",
        "replay",
        "tree",
        "ask",
        "explain",
        "shadow",
        "interact",
        "rank",
        "campaign",
        "plot",
        "export",
        "completions",
        "man",
    ] {
        let mut help = psychic();
        help.args(command.split_whitespace()).arg("--help").env("COLUMNS", "100");
        let ran = run(&mut help);
        assert_eq!(ran.code, Some(0));
        assert_eq!(ran.stderr, "");
        let name = if command.is_empty() { "psychic" } else { command };
        insta::assert_snapshot!(format!("help-{name}"), ran.stdout);
    }
}

#[test]
fn shells_and_man_know_every_command() {
    let scratch = Scratch::new();
    let pages = scratch.path("man");
    let ran = run(psychic().arg("man").arg(&pages));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let help = run(psychic().arg("--help")).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for name in &commands {
        let page = std::fs::read_to_string(pages.join(format!("psychic-{name}.1")));
        let page = page.expect("written");
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains(&format!("psychic\\-{name}")),
            "{page}"
        );
    }
    let main = run(psychic().arg("man")).stdout;
    assert!(commands.iter().all(|name| main.contains(&format!("psychic\\-{name}(1)"))), "{main}");
    for shell in ["bash", "zsh", "fish"] {
        let script = run(psychic().args(["completions", shell])).stdout;
        assert!(commands.iter().all(|name| script.contains(name)), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let scratch = Scratch::new().file("c.csv", "test,revision,cluster\n1,0,0\n1,1,1\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_psychic"))
        .arg("tree")
        .arg(scratch.path("c.csv"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("psychic runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_an_error() {
    let scratch = Scratch::new().file("c.csv", "test,revision,cluster\n1,0,0\n1,1,1\n");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux");
    let output = Command::new(env!("CARGO_BIN_EXE_psychic"))
        .arg("tree")
        .arg(scratch.path("c.csv"))
        .stdout(full)
        .output()
        .expect("psychic runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("psychic: standard output cannot be written"), "{message}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_full_standard_error_ends_no_run() {
    let scratch = Scratch::new().patch("1.diff", "return x > 1;");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux");
    let output = Command::new(env!("CARGO_BIN_EXE_psychic"))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .arg("diff")
        .arg(scratch.path(""))
        .arg("--out")
        .arg(scratch.out())
        .stderr(full)
        .output()
        .expect("psychic runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(scratch.out().join("pairs.csv").is_file());
}
