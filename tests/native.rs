//! Runs `psychic diff` on the subjects of the repository and lets `tests/native/compare.py`,
//! which shares nothing with it, look for contradictions: it builds every patched source on
//! its own and runs all of them on many inputs.

use std::{
    path::Path,
    process::{Command, Output},
};

fn told(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn agrees_with_native_runs(subject: &str) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = tempfile::tempdir().expect("a temporary directory");
    let diff = Command::new(env!("CARGO_BIN_EXE_psychic"))
        .current_dir(top)
        .args(["diff", &format!("patches/{subject}"), "--out"])
        .arg(results.path())
        .output()
        .expect("psychic runs");
    assert!(diff.status.success(), "not every pair was decided: {}", told(&diff));
    let compare = Command::new("python3")
        .current_dir(top)
        .arg("tests/native/compare.py")
        .arg(format!("patches/{subject}"))
        .arg(results.path())
        .output()
        .expect("python3 runs");
    assert!(compare.status.success(), "{}", told(&compare));
}

#[test]
fn foo() {
    agrees_with_native_runs("foo");
}

#[test]
fn smallest() {
    agrees_with_native_runs("smallest");
}

#[test]
fn musl_strverscmp() {
    agrees_with_native_runs("musl-strverscmp");
}
