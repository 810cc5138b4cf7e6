//! Subjects whose folders fix the verdict of every patch against the original.

use libtest_mimic::Trial;

use crate::{entries, judged, stem, trial};

/// One test for each subject.
pub fn trials() -> impl Iterator<Item = Trial> {
    entries("subjects").into_iter().map(|directory| {
        let name = stem(&directory);
        trial(format!("subjects::{name}"), move || _ = judged::diff(&name))
    })
}
