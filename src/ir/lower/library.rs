//! The functions of a module, and additional ones that lowering declares ([`Library`]).

use rustc_hash::FxHashMap;

use crate::ir::{Function, FunctionId};

/// The functions of a module by name, and additional ones that lowering declares: functions of the
/// C library and of the environment.
#[derive(Default)]
pub struct Library {
    ids: FxHashMap<String, FunctionId>,
    declared: Vec<Function>,
}

impl Library {
    /// The functions of the module. Their ids count up from 0 in the given order.
    pub fn new(names: impl Iterator<Item = String>) -> Self {
        let ids = names.zip((0..).map(FunctionId)).collect();
        Self { ids, declared: Vec::new() }
    }

    /// The function with this name. If it is new, it is declared with parameters and a result of
    /// these widths in bits.
    pub fn function(&mut self, name: &str, params: &[u32], returned: u32) -> FunctionId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = FunctionId(self.ids.len() as u32);
        self.ids.insert(name.to_owned(), id);
        self.declared.push(Function {
            name: name.to_owned(),
            params: params.to_vec(),
            returns: vec![returned],
            ..Function::default()
        });
        id
    }

    /// The additionally declared functions. Their ids follow those of the module's functions.
    pub fn into_declared(self) -> Vec<Function> {
        self.declared
    }
}
