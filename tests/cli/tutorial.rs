//! The tutorial shows what its commands print.

use std::process::Command;

#[test]
fn every_command_runs_and_prints_what_is_shown() {
    let top = env!("CARGO_MANIFEST_DIR");
    let mut check = Command::new("python3");
    check.args(["scripts/readme.py", "--check", env!("CARGO_BIN_EXE_psychic"), "docs/tutorial.md"]);
    check.current_dir(top);
    let output = check.output().expect("python3 runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "scripts/readme.py PSYCHIC docs/tutorial.md writes what is printed now\n{shown}{said}"
    );
}
