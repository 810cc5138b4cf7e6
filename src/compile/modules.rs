//! LLVM modules in files: changes them, and takes revisions that are given as modules, whatever
//! language these were written in.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    builder::BuilderError,
    context::Context,
    memory_buffer::MemoryBuffer,
    module::Module,
};

use super::{
    BuildError,
    flags::Product,
    libc::{ALLOCATORS, Libc},
};
use crate::{
    errors::Sanitizer,
    llvm::{Editor, library},
};

/// Reads a module, changes it, and writes it back.
pub(super) fn change(
    file: &Path,
    by: impl for<'c> FnOnce(&'c Context, &Module<'c>) -> Result<(), BuilderError>,
) -> Result<(), BuildError> {
    let failed = |message: String| BuildError::io(file)(io::Error::other(message));
    let context = Context::create();
    let module = Module::parse_bitcode_from_path(file, &context);
    let module = module.map_err(|error| failed(error.to_string()))?;
    by(&context, &module).map_err(|error| failed(error.to_string()))?;
    match module.write_bitcode_to_path(file) {
        true => Ok(()),
        false => Err(failed("cannot be written".to_owned())),
    }
}

/// Reads a module, and looks at it.
fn look<T>(file: &Path, by: impl FnOnce(&Module<'_>) -> T) -> Result<T, BuildError> {
    let context = Context::create();
    let module = Module::parse_bitcode_from_path(file, &context);
    let failed = |error: String| BuildError::io(file)(io::Error::other(error));
    Ok(by(&module.map_err(|error| failed(error.to_string()))?))
}

/// Whether a module [shifts too far](Editor::shifts_too_far).
pub(super) fn shifts_too_far(file: &Path) -> Result<bool, BuildError> {
    look(file, |module| Editor::new(module).shifts_too_far())
}

/// The [functions](library::functions) that a module's machine code may call although the module
/// does not say so.
pub(super) fn library_functions(file: &Path) -> Result<BTreeSet<String>, BuildError> {
    look(file, library::functions)
}

/// The `names` that some modules define for other modules to see.
pub(super) fn defined<'n>(
    modules: &[PathBuf],
    names: &BTreeSet<&'n str>,
) -> Result<BTreeSet<&'n str>, BuildError> {
    let mut all = BTreeSet::new();
    for module in modules.iter().filter(|_| !names.is_empty()) {
        let found = look(module, |module| Editor::new(module).defined_names())?;
        all.extend(found.iter().filter_map(|name| names.get(&**name)).copied());
    }
    Ok(all)
}

/// The functions among `own` that the C library's functions would use by name. A program of some
/// modules defines `own` and calls these functions of the C library. Functions that are `provided`
/// otherwise are not looked at.
pub fn lent<'o>(
    modules: &[PathBuf],
    own: &'o BTreeSet<String>,
    libc: &Libc,
    provided: impl Fn(&str) -> bool,
) -> Result<Vec<&'o str>, BuildError> {
    let mut needed = BTreeSet::new();
    for module in modules {
        needed.extend(look(module, |module| Editor::new(module).needed_names())?);
    }
    let called = needed.iter().map(String::as_str).filter(|name| !own.contains(*name));
    let closure = libc.closure(called, own.iter().map(String::as_str), provided);
    let is_lent = |name: &&String| closure.overridden.contains(name);
    Ok(own.iter().filter(is_lent).map(String::as_str).collect())
}

/// Whether a C library, in native runs, uses a program's function of this name.
pub fn is_allocator(name: &str) -> bool {
    ALLOCATORS.contains(&name)
}

/// Renames functions that a program of some modules defines, in all of its modules. Those among
/// `names` get names that nothing else has. Copies of the modules that change are written beside
/// them, with `suffix` for their extension. Returns the modules to use.
pub(super) fn name_apart(
    modules: &[PathBuf],
    names: &BTreeSet<&str>,
    suffix: &str,
) -> Result<Vec<PathBuf>, BuildError> {
    let own = defined(modules, names)?;
    if own.is_empty() {
        return Ok(modules.to_vec());
    }
    let renamed = |module: &PathBuf| {
        let copy = module.with_extension(suffix);
        fs::copy(module, &copy).map_err(BuildError::io(&copy))?;
        change(&copy, |_, module| {
            own.iter().for_each(|name| Editor::new(module).rename(name, &format!("{name}.own")));
            Ok(())
        })?;
        Ok(copy)
    };
    modules.iter().map(renamed).collect()
}

/// Marks the functions of a module with an attribute, so that a pass watches what they do.
pub(super) fn watch<'c>(context: &'c Context, module: &Module<'c>, attribute: &str) {
    let watch = context.create_enum_attribute(Attribute::get_named_enum_kind_id(attribute), 0);
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        function.add_attribute(AttributeLoc::Function, watch);
    }
}

/// Writes a module (`.bc` or `.ll`) as bitcode to `out`, as the compiler would make it from a
/// source. For native programs under AddressSanitizer, its functions are marked.
pub(super) fn take(module: &Path, kind: Product, out: &Path) -> Result<PathBuf, BuildError> {
    let failed = |message: String| BuildError::io(module)(io::Error::other(message));
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_file(module);
    let buffer = buffer.map_err(|error| failed(error.to_string()))?;
    let read = context.create_module_from_ir(buffer);
    let read =
        read.map_err(|error| failed(format!("not a module of LLVM 19 or older: {error}")))?;
    if kind == Product::Native(Sanitizer::AddressUndefined) {
        watch(&context, &read, "sanitize_address");
    }
    match read.write_bitcode_to_path(out) {
        true => Ok(out.to_owned()),
        false => Err(failed(format!("{} cannot be written", out.display()))),
    }
}
