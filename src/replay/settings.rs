//! What a native program's runtime is told when it starts (`compile/runtime/environment.c`).

use std::{
    collections::BTreeMap, ffi::OsString, ops::RangeInclusive, os::unix::ffi::OsStringExt,
    path::Path,
};

use crate::subject::Times;

/// The environment of a process that runs a revision on the test in the file `ktest`. Of this
/// environment, the runtime shows the program only `variables`. Of `times`, the smallest numbers
/// count.
pub fn settings(
    revision: u32,
    ktest: &Path,
    variables: &BTreeMap<String, Vec<u8>>,
    times: &Times,
) -> Vec<(String, OsString)> {
    let variables = variables
        .iter()
        .map(|(name, value)| (format!("PSYCHIC_ENV_{name}"), OsString::from_vec(value.clone())));
    let age = |(number, (path, age)): (usize, (&String, &RangeInclusive<u64>))| {
        (format!("PSYCHIC_AGE_{number}"), format!("{} {path}", age.start()).into())
    };
    let ages = times.ages.iter().enumerate().map(age);
    let own = [
        ("PSYCHIC_CLOCK".to_owned(), times.clock.start().to_string().into()),
        ("PSYCHIC_REVISION".to_owned(), revision.to_string().into()),
        ("KTEST_FILE".to_owned(), ktest.into()),
    ];
    variables.chain(ages).chain(own).collect()
}
