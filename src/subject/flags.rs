//! Compiler flags of `build.flags` that no subject can have.

use super::fault::{Fault, fault};

/// Options of the linker that give symbols another meaning, or start the program elsewhere.
const RENAMING: [&str; 10] = [
    "wrap",
    "defsym",
    "entry",
    "e",
    "init",
    "fini",
    "script",
    "T",
    "allow-multiple-definition",
    "muldefs",
];

/// Options of the compiler that say what it makes, which Psychic says itself.
const MAKING: [&str; 11] = [
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "-###",
    "--help",
    "--version",
];

/// Refuses flags that say what the compiler makes, and options with which the linker gives symbols
/// another meaning: the engine goes by the names in the sources.
pub(super) fn check(flags: &[String]) -> Result<(), Fault> {
    let is_making = |flag: &&String| MAKING.contains(&flag.as_str()) || flag.starts_with("-o");
    if let Some(flag) = flags.iter().find(is_making) {
        let message = format!("{flag} says what the compiler makes, as Psychic does: leave it out");
        return Err(fault("flags", message));
    }
    let of_linker = flags.iter().filter_map(|flag| flag.strip_prefix("-Wl,"));
    let passed = flags.windows(2).filter(|pair| pair[0] == "-Xlinker");
    let mut words =
        of_linker.flat_map(|words| words.split(',')).chain(passed.map(|pair| pair[1].as_str()));
    let Some(word) = words.find(|word| {
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        RENAMING.contains(&name)
    }) else {
        return Ok(());
    };
    Err(fault("flags", format!("the linker's option {word} is not modelled: leave it out")))
}
