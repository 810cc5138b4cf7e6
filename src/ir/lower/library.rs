//! The functions of a module, and those of the C library that lowering declares beside them.

use rustc_hash::FxHashMap;

use crate::ir::{Function, FunctionId};

/// The functions of a module by name, and those that lowering declares beside them.
#[derive(Default)]
pub struct Library {
    ids: FxHashMap<String, FunctionId>,
    declared: Vec<Function>,
}

impl Library {
    /// Knows the functions that the module has; their ids count up in order.
    pub fn new(names: impl Iterator<Item = String>) -> Self {
        let ids = names.zip((0..).map(FunctionId)).collect();
        Self { ids, declared: Vec::new() }
    }

    /// The function of that name, declared if it is new.
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

    /// What was declared, to follow the functions of the module.
    pub fn into_declared(self) -> Vec<Function> {
        self.declared
    }
}
