//! Programs without symbolic input behave in the engine as they do natively. Compared are standard
//! output, standard error and the exit code.

use std::{fs, panic, path::Path};

use super::machine::{each_in_parallel, runs_as_natively};

/// Runs each program of `tests/engine/concrete`, with the `.stdin` beside it if there is one.
fn all(flags: &[&str]) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/concrete");
    let headers = format!("-I{}", directory.display());
    let flags: Vec<_> = flags.iter().copied().chain([&*headers]).collect();
    let mut sources: Vec<_> = fs::read_dir(&directory)
        .expect("the directory is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty());
    let checked = each_in_parallel(&sources, |source| {
        let text = fs::read_to_string(source).expect("readable");
        let stdin = fs::read_to_string(source.with_extension("stdin")).unwrap_or_default();
        let run = || runs_as_natively(&text, &stdin, &flags);
        panic::catch_unwind(run).is_ok()
    });
    let failed = sources.iter().zip(checked).filter(|(_, same)| !same);
    let failed: Vec<_> = failed.filter_map(|(source, _)| source.file_name()).collect();
    assert!(failed.is_empty(), "{flags:?}: {failed:?}");
}

#[test]
fn hand_written_programs_unoptimised() {
    all(&[]);
}

#[test]
fn hand_written_programs_optimised() {
    all(&["-O1"]);
}

#[test]
fn hand_written_programs_vectorised_and_movable() {
    all(&["-O2", "-fPIE", "-fvectorize", "-fslp-vectorize"]);
}
