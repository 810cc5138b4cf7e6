//! Loading of bitcode, and linking of the explored program with what it needs of the libc.

use std::{env, fs, path::Path};

use anyhow::Context;

use crate::{
    child::Stopper,
    compile::{Closure, Compilation, Libc, Toolchain},
    env::models,
    ir::{Module, cache, lower},
    subject::cache_directory,
};

/// Compiles a program to bitcode against the headers that the native build uses, and links the
/// functions of musl that it needs. Returns the lowered result, which is also written to `out`, and
/// what was linked. Without `libc`, calls of libc functions that have no model end their path.
pub(crate) fn compile_bitcode(
    toolchain: &Toolchain,
    libc: Option<&Libc>,
    compilation: &Compilation,
    out: &Path,
) -> anyhow::Result<(Module, Closure)> {
    let program = out.with_extension("program.bc");
    toolchain.bitcode(compilation, &program)?;
    link_libc(toolchain, libc, (lower::load(&program)?, &program), &[], out)
}

/// Loads and lowers a program. The lowered program is cached, which pays for bitcode that seldom
/// changes.
pub(crate) fn load_cached(bitcode: &Path) -> anyhow::Result<Module> {
    load_vetted(bitcode, || Ok(()))
}

/// Loads a program that others compiled, or what is known about it from an earlier run.
pub(crate) fn load_foreign(bitcode: &Path, stopper: Stopper) -> anyhow::Result<Module> {
    load_vetted(bitcode, || Ok(Toolchain::find()?.stopped_by(stopper).vet(bitcode)?))
}

fn load_vetted(bitcode: &Path, vet: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Module> {
    let place = fs::canonicalize(bitcode).unwrap_or_default();
    cache::load(bitcode, &cache_directory(&place).join("modules"), vet)
}

/// Links what a program needs of the libc, and writes the result to `out`. The program is given
/// both lowered and as the path of its bitcode. `overriding` has the names of the libc that some of
/// its revisions define. Returns the lowered result, and what was linked.
pub(crate) fn link_libc(
    toolchain: &Toolchain,
    libc: Option<&Libc>,
    (module, program): (Module, &Path),
    overriding: &[&str],
    out: &Path,
) -> anyhow::Result<(Module, Closure)> {
    let undefined = undefined_symbols(&module);
    let defined = module.functions.iter().filter(|function| !function.code.is_empty());
    let defined = defined.map(|function| function.name.as_str()).chain(overriding.iter().copied());
    let closure = libc.map(|libc| libc.closure(undefined, defined, models::stand_alone));
    let closure = closure.unwrap_or_default();
    toolchain.link_bitcode(program, &closure, out)?;
    let module = if closure.modules.is_empty() { module } else { lower::load(out)? };
    Ok((module, closure))
}

fn undefined_symbols(module: &Module) -> Vec<&str> {
    let functions = module.functions.iter().filter(|function| function.code.is_empty());
    let variables = module.globals.iter().filter(|variable| variable.external);
    functions.map(|f| f.name.as_str()).chain(variables.map(|v| v.name.as_str())).collect()
}

/// Finds the bitcode of the libc: in the cache that belongs to `place`, else in that of this
/// executable.
pub(crate) fn find_libc(place: &Path) -> anyhow::Result<Option<Libc>> {
    if let Some(libc) = Libc::find(&cache_directory(place))? {
        return Ok(Some(libc));
    }
    let executable = env::current_exe().context("finding this executable")?;
    Ok(Libc::find(&cache_directory(&executable))?)
}
