//! The order of functions in native programs.

use std::{fs, io, path::Path};

use inkwell::{context::Context, module::Module};

use crate::{
    compile::BuildError,
    llvm::{Source, Value},
};

/// Writes the functions of a module that may be known by their addresses, in the module's order,
/// one on each line. If these come first, a patch to any other function does not move them.
pub(super) fn write_order(module: &Path, out: &Path) -> Result<(), BuildError> {
    let context = Context::create();
    let read = Module::parse_bitcode_from_path(module, &context);
    let read = read.map_err(|error| BuildError::io(module)(io::Error::other(error.to_string())))?;
    let functions = Source::new(&read).functions();
    let known =
        functions.filter(|function| !function.is_declaration() && has_known_address(*function));
    let names: String = known.map(|function| function.name() + "\n").collect();
    fs::write(out, names).map_err(BuildError::io(out))
}

/// Whether anything but a call of a function refers to it. `main`, which is often patched, does not
/// count, as only the libc is given it.
fn has_known_address(function: Value<'_>) -> bool {
    if function.name() == "main" {
        return false;
    }
    let is_passed =
        |call: Value<'_>| call.arguments().iter().any(|argument| argument.key() == function.key());
    let calls = |user: Value<'_>| {
        user.is_call() && user.callee().key() == function.key() && !is_passed(user)
    };
    function.users().any(|user| !calls(user))
}
