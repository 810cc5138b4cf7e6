//! One program that is every revision's own compilation.
//!
//! A revision is what its compiler makes of the patched sources on their own. The meta program made
//! from sources ([`crate::merge`]) shares what revisions have in common down to single conditions.
//! But it is another source: a macro, a line number, white space between `#` or a declaration that
//! another file sees can make it another program. So here it is compared with each revision's own
//! bitcode, function by function and variable by variable (`compare`), with the revision fixed.
//! What differs enters the program as the revision's own:
//!
//! - a function of the same type is *replaced*: the program's function calls the revision's at its
//!   beginning, so that its address stays the same, also where the revision's own code takes it;
//! - everything else is *added*: a variable with another size or content, a function of another
//!   type; whatever refers to them is replaced or added in turn;
//! - where other functions run before or after `main`, one function runs those of the revision.
//!
//! The comparison assumes nothing about how the meta program was made. What it considers the same
//! does the same; what it does not recognise costs sharing, not truth.

mod compare;
mod copies;
mod node;
mod program;
mod same;
mod stem;
#[cfg(test)]
mod tests;
mod walk;

pub use program::Program;
pub use same::same_code;
pub use stem::stem;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    ptr,
};

use inkwell::{context::Context, module::Module};
use rayon::prelude::*;

use super::BuildError;
use crate::llvm::{self, Editor, Linkage, Own, Source, is_known_to_this_process, library};
use compare::{Comparison, LISTS, Plan, Symbols};
use program::{FEW, load};
use walk::Facts;

/// How much of a united program belongs to single revisions.
#[derive(Clone, Debug, Default)]
pub struct United {
    /// For each revision, how many functions and variables the meta program lacks.
    pub own: BTreeMap<u32, usize>,
    /// Revisions that cannot be part of the program, and why.
    pub failed: BTreeMap<u32, String>,
    /// What revisions define under names of the C library.
    pub overriding: BTreeMap<u32, Overriding>,
    /// Whether an output was written: the meta program's bitcode alone is not right.
    pub is_written: bool,
    /// The [stems](stem) of symbols that the meta program and a revision call by different names.
    pub renamed: BTreeSet<String>,
}

/// What a revision defines under names of the C library.
#[derive(Clone, Debug, Default)]
pub struct Overriding {
    /// The names of the C library that the revision defines.
    pub names: BTreeSet<String>,
    /// Those of `names` that machine code may call where bitcode has no call of them, such as
    /// `round`, for which there is an intrinsic.
    pub implied: BTreeSet<String>,
}

/// Prefix for the names of local symbols while modules are linked, so that nothing else finds them.
const LOCAL: &str = "psychic.local.";

/// Writes the meta program's bitcode to `out`, changed so that for every revision of `programs` it
/// is the same as that revision's own bitcode. Others refer to the symbols `roots`; the program
/// starts at the first of them.
///
/// # Errors
/// [`BuildError::Io`] if bitcode cannot be read or written; [`BuildError::Unite`] if LLVM refuses
/// the bitcode that is read or the resulting program.
pub fn unite<'p>(
    meta: &[PathBuf],
    programs: &'p [Program],
    roots: &[&str],
    out: &Path,
) -> Result<United, BuildError> {
    let original = programs.iter().find(|program| program.revisions.contains(&0));
    // A context of LLVM belongs to one thread. A plan consists of names, which outlive the context.
    let compare = |part: &'p [Program]| {
        let context = Context::create();
        let (program, loaded) = prepared(&context, meta, part, original, roots[0])?;
        let named = |_: &Symbols| roots.iter().map(|&root| root.to_owned()).collect();
        let (mut united, grafts) = compare_all(&program, &loaded, &named, true);
        united.failed.extend(loaded.failed);
        united.overriding.extend(loaded.overriding);
        let plan = |(index, revisions, plan): Graft| (loaded.programs[index], revisions, plan);
        Ok((united, grafts.into_iter().map(plan).collect::<Vec<_>>()))
    };
    let size = programs.len().div_ceil(rayon::current_num_threads()).max(FEW);
    let parts: Vec<Result<_, BuildError>> = programs.par_chunks(size).map(compare).collect();
    let (mut united, mut plans) = (United::default(), Vec::new());
    for part in parts {
        let (United { own, failed, overriding, is_written: _, renamed }, more) = part?;
        united.own.extend(own);
        united.failed.extend(failed);
        united.renamed.extend(renamed);
        united.overriding.extend(overriding);
        plans.extend(more);
    }
    let mut wanted: Vec<&Program> = plans.iter().map(|(program, ..)| *program).collect();
    wanted.dedup_by(|a, b| ptr::eq(*a, *b));
    let context = Context::create();
    let (program, loaded) = prepared(&context, meta, wanted, original, roots[0])?;
    united.failed.extend(loaded.failed);
    let place = |program| loaded.programs.iter().position(|known| ptr::eq(*known, program));
    let grafts = plans
        .into_iter()
        .filter_map(|(program, revisions, plan)| Some((place(program)?, revisions, plan)));
    put_together(&program, &loaded.own, grafts.collect(), &mut united, out)?;
    Ok(united)
}

/// Does the work of [`unite`] for one source of a program; the linker adds the other sources.
/// Symbols that other sources may refer to keep their names. `others` are the names that other
/// sources know. A symbol that a revision defines under another, new name is visible to nobody
/// else. `found` tells whether a name that a revision needs from elsewhere is defined there; if
/// not, the revision fails. Nothing is written if the meta program's bitcode is right as it is.
///
/// # Errors
/// As [`unite`].
pub(super) fn unite_source(
    meta: &Path,
    programs: &[Program],
    others: &BTreeSet<String>,
    found: &dyn Fn(&str) -> bool,
    out: &Path,
) -> Result<United, BuildError> {
    let context = Context::create();
    llvm::silence(&context);
    let program = load(&context, &[meta.to_owned()])?;
    let loaded = load_all(&context, programs)?;
    loaded.own.iter().for_each(|module| Editor::new(module).resolve_aliases());
    for module in loaded.own.iter().chain([&program]) {
        Editor::new(module).name_all();
    }
    let known = Symbols::new(Source::new(&program)).visible();
    let roots = |symbols: &Symbols| {
        let mut roots = symbols.visible();
        roots.retain(|name| known.contains(name) || others.contains(name));
        roots
    };
    let (mut united, mut grafts) = compare_all(&program, &loaded, &roots, false);
    united.failed.extend(loaded.failed);
    grafts.retain(|(index, revisions, plan)| {
        let own = Source::new(&loaded.own[*index]);
        let mut wanted = own.functions().chain(own.globals()).filter(|symbol| {
            let name = symbol.name();
            let is_known = name.starts_with("llvm.") || found(&name);
            symbol.is_declaration() && plan.added.contains(&name) && !is_known
        });
        let Some(missing) = wanted.next() else { return true };
        let reason = format!("no module defines `{}` for it", missing.name());
        united.failed.extend(revisions.iter().map(|revision| (*revision, reason.clone())));
        false
    });
    if !grafts.is_empty() {
        put_together(&program, &loaded.own, grafts, &mut united, out)?;
    }
    Ok(united)
}

/// The names of all symbols that some modules define or need from others.
///
/// # Errors
/// [`BuildError::Io`]; [`BuildError::Unite`] if a file is not a module.
pub(super) fn names<'p>(
    modules: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<BTreeSet<String>, BuildError> {
    let mut names = BTreeSet::new();
    for module in modules {
        let context = Context::create();
        llvm::silence(&context);
        let module = load(&context, std::slice::from_ref(module))?;
        let source = Source::new(&module);
        names.extend(source.functions().chain(source.globals()).map(|symbol| symbol.name()));
    }
    Ok(names)
}

/// Programs of revisions, in one context.
#[derive(Default)]
struct Loaded<'p, 'c> {
    programs: Vec<&'p Program>,
    /// The linked module of each program.
    own: Vec<Module<'c>>,
    /// Why the programs of some revisions cannot be read.
    failed: BTreeMap<u32, String>,
    /// See [`United::overriding`].
    overriding: BTreeMap<u32, Overriding>,
}

/// Reads the meta program and programs of revisions, and prepares them for being compared and put
/// together.
fn prepared<'p, 'c>(
    context: &'c Context,
    meta: &[PathBuf],
    programs: impl IntoIterator<Item = &'p Program>,
    original: Option<&Program>,
    entry: &str,
) -> Result<(Module<'c>, Loaded<'p, 'c>), BuildError> {
    llvm::silence(context);
    let program = match (load(context, meta), original) {
        // Two sources of the meta program define the same symbol, each for another revision. Take
        // the original. Then nothing that revisions change is shared.
        (Err(BuildError::Unite(_)), Some(original)) => load(context, &original.modules)?,
        (program, _) => program?,
    };
    let loaded = load_all(context, programs)?;
    for module in loaded.own.iter().chain([&program]) {
        let editor = Editor::new(module);
        editor.resolve_aliases();
        editor.name_all();
        editor.settle();
    }
    let shape = |module: &Module| Source::new(module).function_shape(entry);
    if loaded.own.iter().any(|own| shape(own) != shape(&program)) {
        for module in loaded.own.iter().chain([&program]) {
            Editor::new(module).widen_main(entry);
        }
    }
    Ok((program, loaded))
}

/// Reads every program. If LLVM cannot link a program, only the revisions of that program fail,
/// unless it is the original's.
fn load_all<'p, 'c>(
    context: &'c Context,
    programs: impl IntoIterator<Item = &'p Program>,
) -> Result<Loaded<'p, 'c>, BuildError> {
    let mut loaded = Loaded::default();
    for program in programs {
        let module = load(context, &program.modules);
        let allowed = module.and_then(|module| match Editor::new(&module).beyond_bitcode() {
            Some(what) => Err(BuildError::Unite(format!("{what}, which is not modelled"))),
            None => Ok(module),
        });
        match allowed {
            Ok(module) => {
                let mut own = Editor::new(&module).defined_names();
                own.retain(|name| is_known_to_this_process(name));
                if !own.is_empty() {
                    let names: BTreeSet<String> = own.into_iter().collect();
                    let mut implied = library::functions(&module);
                    implied.retain(|name| names.contains(name));
                    let own = Overriding { names, implied };
                    let all = program.revisions.iter().map(|revision| (*revision, own.clone()));
                    loaded.overriding.extend(all);
                }
                loaded.programs.push(program);
                loaded.own.push(module);
            }
            Err(error) if program.revisions.contains(&0) => return Err(error),
            Err(error) => {
                loaded.failed.extend(program.revisions.iter().map(|r| (*r, error.to_string())));
            }
        }
    }
    Ok(loaded)
}

/// Writes the program with everything that revisions have of their own. If LLVM refuses it, each
/// revision that LLVM refuses even alone is left out.
fn put_together<'c>(
    program: &Module<'c>,
    loaded: &[Module<'c>],
    mut grafts: Vec<Graft>,
    united: &mut United,
    out: &Path,
) -> Result<(), BuildError> {
    let made = |grafts: &[&Graft]| {
        let whole = program.clone();
        graft(&whole, loaded, grafts)?;
        whole.verify().map_err(|message| BuildError::Unite(message.to_string()))?;
        Ok::<_, BuildError>(whole)
    };
    let whole = made(&grafts.iter().collect::<Vec<_>>()).or_else(|_| {
        grafts.retain(|graft| {
            let Err(error) = made(&[graft]) else { return true };
            united.failed.extend(graft.1.iter().map(|revision| (*revision, error.to_string())));
            // Without the original, there is no program.
            graft.1.contains(&0)
        });
        made(&grafts.iter().collect::<Vec<_>>())
    })?;
    united.is_written = whole.write_bitcode_to_path(out);
    match united.is_written {
        true => Ok(()),
        false => Err(BuildError::io(out)(io::Error::other("cannot be written"))),
    }
}

/// The index of a program, revisions that it belongs to, and what has to be added for them.
type Graft = (usize, Vec<u32>, Plan);

fn compare_all(
    program: &Module<'_>,
    loaded: &Loaded<'_, '_>,
    roots: &dyn Fn(&Symbols) -> Vec<String>,
    plain: bool,
) -> (United, Vec<Graft>) {
    let mut united = United::default();
    let mut grafts: Vec<Graft> = Vec::new();
    let symbols = Symbols::new(Source::new(program));
    let mut facts = Facts::default();
    for (index, (own, module)) in loaded.programs.iter().zip(&loaded.own).enumerate() {
        let mut own_facts = Facts::default();
        let roots = roots(&Symbols::new(Source::new(module)));
        for &revision in &own.revisions {
            let facts = [&mut facts, &mut own_facts];
            let comparison = Comparison::new(&symbols, Source::new(module), revision, facts, plain);
            let plan = match comparison.plan(&roots) {
                Ok(plan) => plan,
                Err(what) => {
                    let reason = format!("`{what}` cannot take the place of the original's");
                    united.failed.insert(revision, reason);
                    continue;
                }
            };
            united.own.insert(revision, plan.replaced.len() + plan.added.len());
            united.renamed.extend(plan.renamed());
            if plan.is_empty() {
                continue;
            }
            match grafts.iter_mut().find(|(i, _, known)| *i == index && *known == plan) {
                Some((_, revisions, _)) => revisions.push(revision),
                None => grafts.push((index, vec![revision], plan)),
            }
        }
    }
    (united, grafts)
}

/// Adds to the program what revisions have of their own.
fn graft<'c>(
    program: &Module<'c>,
    loaded: &[Module<'c>],
    grafts: &[&Graft],
) -> Result<(), BuildError> {
    if grafts.is_empty() {
        return Ok(());
    }
    let editor = Editor::new(program);
    let locals: Vec<String> = {
        let source = Source::new(program);
        let symbols = source.functions().chain(source.globals());
        let local = |symbol: &llvm::Value<'_>| symbol.is_local() && !compare::is_text(*symbol);
        symbols.filter(local).map(llvm::Value::name).collect()
    };
    // What these names refer to is settled. Nothing else may be linked to them.
    let mut hidden: BTreeMap<String, String> = BTreeMap::new();
    for name in locals {
        hidden.insert(name.clone(), format!("{LOCAL}{name}"));
    }
    for (index, _, plan) in grafts {
        let own = Source::new(&loaded[*index]);
        let declared = own.functions().chain(own.globals()).filter(|s| s.is_declaration());
        for name in declared.map(llvm::Value::name).filter(|name| plan.added.contains(name)) {
            hidden.insert(name.clone(), format!("{LOCAL}{name}"));
        }
    }
    for (name, place) in &hidden {
        editor.rename(name, place);
        editor.set_linkage(place, Linkage::LLVMExternalLinkage);
    }
    let place = |name: &str| hidden.get(name).cloned().unwrap_or_else(|| name.to_owned());
    let mut added = Vec::new();
    let mut replaced: BTreeMap<String, Vec<(String, &[u32])>> = BTreeMap::new();
    let mut lists: [Vec<(Vec<u32>, Vec<String>)>; 2] = Default::default();
    for (index, revisions, plan) in grafts {
        let own = loaded[*index].clone();
        let names = rename(&own, plan, revisions[0], &place);
        own.set_name("own");
        for (name, like) in &plan.replaced {
            Editor::new(&own).take_instead(&names[name], &place(like));
            replaced.entry(place(like)).or_default().push((names[name].clone(), revisions));
        }
        added.extend(plan.replaced.keys().chain(&plan.added).map(|name| names[name].clone()));
        for (list, own) in lists.iter_mut().zip(&plan.lists) {
            let Some(own) = own else { continue };
            let name = |name: &String| match plan.replaced.get(name) {
                Some(like) => place(like),
                None => names[name].clone(),
            };
            list.push((revisions.clone(), own.iter().map(name).collect()));
        }
        let linked = program.link_in_module(own);
        linked.map_err(|error| BuildError::Unite(error.to_string()))?;
    }
    for (function, own) in &replaced {
        let own: Vec<Own<'_>> =
            own.iter().map(|(function, revisions)| Own { function, revisions }).collect();
        editor.dispatch(function, &own);
    }
    for ((list, own), name) in
        LISTS.into_iter().zip(lists).zip(["psychic.constructors", "psychic.destructors"])
    {
        if own.is_empty() {
            continue;
        }
        let usual = compare::names_in_list(Source::new(program), list);
        let all: Vec<_> = std::iter::once((Vec::new(), usual)).chain(own).collect();
        // Nothing is passed to destructors.
        let passed = if list == compare::DESTRUCTORS { 0 } else { 3 };
        editor.add_sequences(name, &all, passed);
        editor.set_list(list, name);
    }
    for (name, place) in &hidden {
        editor.set_linkage(place, Linkage::LLVMInternalLinkage);
        editor.rename(place, name);
    }
    for name in added {
        editor.set_linkage_of_definition(&name, Linkage::LLVMInternalLinkage);
    }
    Ok(())
}

/// Renames the symbols of a revision's module. Those that are its own get unique names, all others
/// the names that the program has for them. Returns the new names by old ones.
fn rename(
    own: &Module<'_>,
    plan: &Plan,
    revision: u32,
    place: &dyn Fn(&str) -> String,
) -> BTreeMap<String, String> {
    let editor = Editor::new(own);
    let all: Vec<(String, bool)> = {
        let source = Source::new(own);
        let symbols = source.functions().chain(source.globals());
        let named = symbols.filter(|s| !compare::is_text(*s) && !s.name().starts_with("llvm."));
        named.map(|symbol| (symbol.name(), symbol.is_declaration())).collect()
    };
    for list in LISTS.into_iter().chain(["llvm.used", "llvm.compiler.used"]) {
        editor.delete_global(list);
    }
    // Use temporary names in between, as a symbol's new name may be another's old one.
    let passing = |index: usize| format!("psychic.passing.{index}");
    for (index, (name, _)) in all.iter().enumerate() {
        editor.rename(name, &passing(index));
    }
    let mut names = BTreeMap::new();
    for (index, (name, declared)) in all.into_iter().enumerate() {
        let (new, linkage) = if let Some(like) = plan.shared.get(&name) {
            (place(like), Linkage::LLVMLinkOnceAnyLinkage)
        } else if plan.replaced.contains_key(&name) || plan.added.contains(&name) && !declared {
            (format!("{name}.revision{revision}"), Linkage::LLVMExternalLinkage)
        } else if plan.added.contains(&name) {
            (name.clone(), Linkage::LLVMExternalLinkage)
        } else {
            // Nothing refers to it.
            (format!("psychic.unused.{index}"), Linkage::LLVMLinkOnceAnyLinkage)
        };
        editor.rename(&passing(index), &new);
        if !declared {
            editor.set_linkage(&new, linkage);
        }
        names.insert(name, new);
    }
    names
}
