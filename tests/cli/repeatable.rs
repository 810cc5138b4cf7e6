//! The same input gives the same answer, whatever the number of workers, the place, or earlier runs
//! (as long as the solver is quick).

use std::{
    fs,
    path::{Path, PathBuf},
};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::support::{kept, names, psychic, run};

/// The files that may not depend on anything but the subject.
const FILES: [&str; 8] = [
    "revisions.csv",
    "states.csv",
    "tests.csv",
    "outcomes.csv",
    "clusters.csv",
    "pairs.csv",
    "ranges.csv",
    "tree.json",
];

fn contents(results: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let tests = names(&results.join("tests")).into_iter().map(|name| Path::new("tests").join(name));
    let files = FILES.iter().map(PathBuf::from).chain(tests);
    files.map(|file| (file.clone(), fs::read(results.join(&file)).expect("written"))).collect()
}

/// Adds SUBJECT and `--out OUT` to a `psychic diff`, runs it, and returns the files that it wrote.
fn diff(command: &mut Command, subject: &Path, out: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let ran = run(command.arg(subject).arg("--out").arg(out));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    contents(out)
}

fn same(ours: &[(PathBuf, Vec<u8>)], theirs: &[(PathBuf, Vec<u8>)], what: &str) {
    let names = |files: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(ours), names(theirs), "{what}");
    for ((name, ours), (_, theirs)) in ours.iter().zip(theirs) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(ours), text(theirs), "{what}: {}", name.display());
    }
}

#[test]
fn the_number_of_workers_does_not_matter() {
    for subject in ["characters", "indices"] {
        let place = TempDir::new().expect("a temporary directory");
        let with = |jobs: &str| {
            let mut command = psychic();
            command.env("RAYON_NUM_THREADS", jobs);
            // These subjects have so many regions that by default the walk would not be complete.
            command.args(["diff", "--jobs", jobs, "--until", "trees"]);
            diff(&mut command, &kept(subject), &place.path().join(jobs))
        };
        let one = with("1");
        for jobs in ["2", "4"] {
            same(&one, &with(jobs), jobs);
        }
    }
}

#[test]
fn a_second_run_in_the_same_place_does_not_matter() {
    let place = TempDir::new().expect("a temporary directory");
    let first = diff(psychic().arg("diff"), &kept("switch"), place.path());
    fs::write(place.path().join("tests/0099.ktest"), "stale").expect("written");
    same(&first, &diff(psychic().arg("diff"), &kept("switch"), place.path()), "again");
}

/// The places of the subject, of the working directory and of the cache do not matter. The
/// functions of the libc are found from anywhere.
#[test]
fn the_place_does_not_matter() {
    let place = TempDir::new().expect("a temporary directory");
    let subject = kept("arguments");
    let here = diff(psychic().arg("diff"), &subject, &place.path().join("here"));
    let moved = place.path().join("moved");
    for folder in ["", "equivalent", "distinguished"] {
        fs::create_dir_all(moved.join(folder)).expect("made");
        for name in names(&subject.join(folder)) {
            if subject.join(folder).join(&name).is_file() {
                fs::copy(subject.join(folder).join(&name), moved.join(folder).join(&name))
                    .expect("copied");
            }
        }
    }
    let mut elsewhere = psychic();
    elsewhere.current_dir(place.path());
    let there = diff(elsewhere.arg("diff"), Path::new("moved"), &place.path().join("there"));
    same(&here, &there, "another place");
}
