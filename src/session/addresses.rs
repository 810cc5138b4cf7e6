//! Where functions of the explored program are in the native programs.

use std::collections::{BTreeMap, HashMap};

use crate::{
    compile::stem,
    ir::{FunctionId, Module},
};

/// The functions of a module whose native addresses are known by their stems. A stem that several
/// functions share says nothing: a revision's own function has another address than the one that it
/// replaces, and static functions are renamed in every program.
pub(super) fn native_addresses(
    module: &Module,
    by_stem: &BTreeMap<String, u64>,
) -> HashMap<FunctionId, u64> {
    let mut found: HashMap<&str, Option<FunctionId>> = HashMap::new();
    for (id, function) in (0u32..).zip(&module.functions) {
        let id = Some(FunctionId(id));
        found.entry(stem(&function.name)).and_modify(|known| *known = None).or_insert(id);
    }
    let place = |(stem, id): (&str, Option<FunctionId>)| Some((id?, *by_stem.get(stem)?));
    found.into_iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Function;

    #[test]
    fn a_stem_of_several_functions_says_nothing() {
        let names = ["alone", "usage", "usage.12", "patched", "patched.revision3", "late.4", "new"];
        let function = |name: &str| Function { name: name.to_owned(), ..Function::default() };
        let module = Module { functions: names.map(function).into(), ..Module::default() };
        let known = ["alone", "usage", "patched", "late", "elsewhere"];
        let known = (1..).zip(known).map(|(address, name)| (name.to_owned(), address)).collect();
        let found = native_addresses(&module, &known);
        assert_eq!(found, HashMap::from([(FunctionId(0), 1), (FunctionId(5), 4)]));
    }
}
