//! What a native program's runtime is told when it starts (`compile/runtime/environment.c`).

use std::{collections::BTreeMap, ffi::OsString, os::unix::ffi::OsStringExt, path::Path};

/// The environment of a process that runs a revision on the test in the file `ktest`. The runtime
/// shows the program nothing of it but `variables`.
pub fn settings(
    revision: u32,
    ktest: &Path,
    variables: &BTreeMap<String, Vec<u8>>,
) -> Vec<(String, OsString)> {
    let variables = variables
        .iter()
        .map(|(name, value)| (format!("PSYCHIC_ENV_{name}"), OsString::from_vec(value.clone())));
    let own = [
        ("PSYCHIC_REVISION".to_owned(), revision.to_string().into()),
        ("KTEST_FILE".to_owned(), ktest.into()),
    ];
    variables.chain(own).collect()
}
