//! Cases: each C program, subject and seed in a directory is a test of its own, whose name is its
//! path. `cargo test --test cases errors::null` runs one of them.

#[path = "../cli/judged.rs"]
mod judged;
#[path = "../engine/machine.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod machine;
#[path = "../engine/silent.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod silent;
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod support;

mod header;
mod programs;
mod readers;
mod subjects;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let trials = programs::trials().chain(subjects::trials()).chain(readers::trials());
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// What a directory of `tests` contains, sorted.
fn entries(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
    let entries = fs::read_dir(&directory).expect("the directory is there");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    assert!(!entries.is_empty(), "{}", directory.display());
    entries
}

/// The name of a file without its extension.
fn stem(path: &Path) -> String {
    path.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

/// A test that fails by panicking.
fn trial(name: String, check: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        check();
        Ok(())
    })
}
