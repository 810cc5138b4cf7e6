//! Where functions are in the native programs of the revisions.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs, io,
    path::Path,
};

use object::{Object, ObjectKind, ObjectSymbol, SymbolKind};

use crate::compile::{BuildError, unite::stem};

/// The addresses of functions that have the same address in all of these programs, by [name](stem).
/// Functions that share their name or their address with another one are left out. An executable
/// that can be loaded anywhere has none.
///
/// # Errors
/// [`BuildError::Io`] if a program cannot be read.
pub fn functions_at_fixed_addresses<'a>(
    programs: impl IntoIterator<Item = &'a Path>,
) -> Result<BTreeMap<String, u64>, BuildError> {
    let mut all: Option<BTreeMap<String, u64>> = None;
    for program in programs.into_iter().collect::<BTreeSet<_>>() {
        let bytes = fs::read(program).map_err(BuildError::io(program))?;
        let found = in_program(&bytes)
            .map_err(|error| BuildError::io(program)(io::Error::other(error.to_string())))?;
        match &mut all {
            Some(all) => all.retain(|name, address| found.get(name) == Some(address)),
            None => all = Some(found),
        }
    }
    Ok(all.unwrap_or_default())
}

/// The functions of one program.
fn in_program(bytes: &[u8]) -> object::Result<BTreeMap<String, u64>> {
    let file = object::File::parse(bytes)?;
    let (mut by_name, mut by_address) = (BTreeMap::new(), BTreeMap::<u64, u32>::new());
    if file.kind() != ObjectKind::Executable {
        return Ok(BTreeMap::new());
    }
    let functions =
        file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    for symbol in functions {
        *by_address.entry(symbol.address()).or_default() += 1;
        match by_name.entry(stem(symbol.name()?).to_owned()) {
            Entry::Vacant(entry) => _ = entry.insert(Some(symbol.address())),
            Entry::Occupied(mut entry) => _ = entry.insert(None),
        }
    }
    let is_alone = |address: &u64| by_address[address] == 1;
    let known = by_name.into_iter().filter_map(|(name, address)| Some((name, address?)));
    Ok(known.filter(|(_, address)| is_alone(address)).collect())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::compile::Toolchain;

    const FIRST: &str = "int first(void) { return 1; }\n";
    const SECOND: &str = "int second(void) { return 2; }\nvoid _start(void) {}\n";

    /// The functions at fixed addresses in programs with these texts, linked with a flag.
    fn fixed(flag: &str, texts: &[String]) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let program = |(number, text): (usize, &String)| -> PathBuf {
            let source = directory.path().join(format!("{number}.c"));
            fs::write(&source, text).unwrap();
            let out = source.with_extension("native");
            let mut clang = Toolchain::find().unwrap().clang();
            clang
                .args(["-O1", "-nostdlib", "-ffreestanding", flag])
                .arg(&source)
                .arg("-o")
                .arg(&out);
            assert!(clang.status().unwrap().success());
            out
        };
        let programs: Vec<PathBuf> = texts.iter().enumerate().map(program).collect();
        let found = functions_at_fixed_addresses(programs.iter().map(PathBuf::as_path)).unwrap();
        assert!(found.values().all(|address| *address >= 1 << 22), "{found:?}");
        found.into_keys().collect()
    }

    #[test]
    fn only_what_is_at_one_place_in_all_programs_has_an_address() {
        let plain = format!("{FIRST}{SECOND}");
        let all = ["_start", "first", "second"];
        assert_eq!(fixed("-no-pie", std::slice::from_ref(&plain)), all);
        assert_eq!(fixed("-no-pie", &[plain.clone(), plain.clone()]), all);
        let longer = "int first(void) { volatile int n = 1; return n + n * n + n / 7; }\n";
        let moved = format!("{longer}{SECOND}");
        assert_eq!(fixed("-no-pie", &[plain.clone(), moved]), ["first"]);
        let without = SECOND.to_owned();
        assert!(fixed("-no-pie", &[plain, without]).is_empty());
    }

    #[test]
    fn nothing_is_fixed_in_an_executable_that_is_loaded_anywhere() {
        assert!(fixed("-pie", &[format!("{FIRST}{SECOND}")]).is_empty());
    }

    #[test]
    fn functions_that_share_an_address_or_a_name_have_none() {
        let other = "int other(void) __attribute__((alias(\"first\")));\n";
        let twin = "__attribute__((used)) static int twin(void) __asm__(\"second.1\");\n\
                    static int twin(void) { return 4; }\n";
        assert_eq!(fixed("-no-pie", &[format!("{FIRST}{other}{twin}{SECOND}")]), ["_start"]);
    }
}
