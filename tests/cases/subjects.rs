//! Subjects whose folders fix the verdict of every patch against the original.

use libtest_mimic::Trial;

use crate::{entries, judged, stem, trial};

/// Subjects that `tests/cli/verdicts.rs` runs to look at more of them.
const OTHERS: [&str; 2] = ["halts", "set-aside"];

/// One test for each subject.
pub fn trials() -> impl Iterator<Item = Trial> {
    let names = entries("subjects").into_iter().map(|directory| stem(&directory));
    names
        .filter(|name| !OTHERS.contains(&name.as_str()))
        .map(|name| trial(format!("subjects::{name}"), move || _ = judged::diff(&name)))
}
