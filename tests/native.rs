//! Runs `psychic diff` on the subjects of the repository. `tests/native/compare.py`, which shares
//! no code with it, then looks for contradictions: it builds every patched source on its own and
//! runs all of them on many inputs.

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

/// Runs the comparison on a subject; `psychic diff` has to end with the exit code `code`.
fn agrees_with_native_runs(subject: &str, code: i32) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = tempfile::tempdir().expect("a temporary directory");
    let diff = Command::new(env!("CARGO_BIN_EXE_psychic"))
        .current_dir(top)
        .args(["diff", subject, "--out"])
        .arg(results.path())
        .output()
        .expect("psychic runs");
    assert_eq!(diff.status.code(), Some(code), "{}", told(&diff));
    let compare = Command::new("python3")
        .current_dir(top)
        .arg("tests/native/compare.py")
        .arg(subject)
        .arg(results.path())
        .output()
        .expect("python3 runs");
    assert!(compare.status.success(), "{}", told(&compare));
}

#[test]
fn foo() {
    agrees_with_native_runs("patches/foo", 0);
}

#[test]
fn smallest() {
    agrees_with_native_runs("patches/smallest", 0);
}

#[test]
fn musl_strverscmp() {
    agrees_with_native_runs("patches/musl-strverscmp", 0);
}

#[test]
fn libm() {
    agrees_with_native_runs("tests/subjects/libm", 1);
}
