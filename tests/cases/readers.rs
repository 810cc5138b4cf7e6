//! What reads bytes from outside, fed with the seeds of the fuzz targets. Among them is what fuzzing
//! has found.

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::fs;

use libtest_mimic::Trial;

use crate::{entries, trial};

/// One test for each seed.
pub fn trials() -> impl Iterator<Item = Trial> {
    fuzz::TARGETS.into_iter().flat_map(|(target, read)| {
        entries(&format!("fuzz/seeds/{target}")).into_iter().map(move |seed| {
            let name = seed.file_name().expect("it has a name").to_string_lossy().into_owned();
            trial(format!("readers::{target}::{name}"), move || {
                read(&fs::read(seed).expect("readable"));
            })
        })
    })
}
