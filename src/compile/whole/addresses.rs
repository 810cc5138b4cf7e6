//! Where functions are in the native programs of the revisions.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs, io,
    path::Path,
};

use object::{Object, ObjectKind, ObjectSymbol, SymbolKind};

use crate::compile::{BuildError, unite::stem};

/// The addresses of those functions that have one and the same in all of these programs, by
/// [name](stem). These are no symbols that share their name or their address with another one. An
/// executable that is loaded anywhere has none.
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
