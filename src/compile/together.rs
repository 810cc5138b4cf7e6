//! One native program for many revisions, used where linking and starting one for each would take
//! longer than all their runs.
//!
//! Each revision is compiled on its own, as always. Then the names that its modules show to the
//! linker get its number, and a new `main` calls the `main` of the revision that runs
//! (`psychic_rev`). No revision can name anything of another. Plain code that is to be optimised
//! takes no part, as the new names would influence the optimiser.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use inkwell::{context::Context, memory_buffer::MemoryBuffer, module::Module, targets::TargetData};

use super::BuildError;
use crate::{
    errors::Sanitizer,
    llvm::{self, Editor, is_known_to_this_process},
    subject::Revision,
};

/// The function that every program starts with.
const MAIN: &str = "main";

/// Prefixes of names that are reserved for the implementation or belong to the runtime.
const RESERVED: [&str; 3] = ["_", "psychic_", "klee_"];

/// Functions that look names up while the program runs.
const LOOKUPS: [&str; 2] = ["dlsym", "dlvsym"];

/// The greatest number of bytes that the variables of all revisions of one program may take. Each
/// run has all of them.
pub(super) const MOST_ROOM: u64 = 256 << 20;

/// Writes one module with the contents of these revisions' modules, under names of their own, and
/// with the `main` of the given text. Returns the revisions in it. A revision is left out if more
/// than names ties it to its surroundings, or if its variables exceed what is left of `most_room`
/// bytes.
///
/// # Errors
/// [`BuildError::Io`].
pub(super) fn as_one(
    revisions: &[(Revision, Vec<PathBuf>)],
    main: &str,
    most_room: u64,
    out: &Path,
) -> Result<Vec<Revision>, BuildError> {
    let context = Context::create();
    llvm::silence(&context);
    let main = MemoryBuffer::create_from_memory_range_copy(main.as_bytes(), "main");
    let main = context.create_module_from_ir(main);
    let whole = main.map_err(|error| failed(out, error.to_string()))?;
    let (mut left, mut known) = (most_room, Vec::new());
    for (revision, files) in revisions {
        let Some(modules) = apart(&context, *revision, files) else { continue };
        match left.checked_sub(modules.iter().map(room).fold(0, u64::saturating_add)) {
            Some(rest) => left = rest,
            None => continue,
        }
        for module in modules {
            whole.link_in_module(module).map_err(|error| failed(out, error.to_string()))?;
        }
        known.push(*revision);
    }
    match whole.write_bitcode_to_path(out) {
        true => Ok(known),
        false => Err(failed(out, "cannot be written".to_owned())),
    }
}

/// The modules of a revision, renamed; `None` if more than names ties them to their surroundings.
fn apart<'c>(
    context: &'c Context,
    revision: Revision,
    files: &[PathBuf],
) -> Option<Vec<Module<'c>>> {
    let read = |file: &PathBuf| Module::parse_bitcode_from_path(file, context).ok();
    let modules = files.iter().map(read).collect::<Option<Vec<Module<'_>>>>()?;
    if modules.iter().any(|module| LOOKUPS.iter().any(|name| module.get_function(name).is_some())) {
        return None;
    }
    let shown = modules.iter().map(|module| Editor::new(module).shown_names());
    let shown = shown.collect::<Option<Vec<_>>>()?.concat();
    let names: BTreeSet<&str> = shown.iter().map(String::as_str).collect();
    let is_reserved = |name: &str| RESERVED.iter().any(|reserved| name.starts_with(reserved));
    let is_own = |name: &&str| {
        *name == MAIN
            // `\1` marks a name that is left as it is for the assembler.
            || !name.starts_with('\u{1}') && !is_reserved(name) && !is_known_to_this_process(name)
    };
    let is_there = |name: &String| {
        names.contains(&**name) || is_reserved(name) || is_known_to_this_process(name)
    };
    let needed = modules.iter().flat_map(|module| Editor::new(module).needed_names());
    // What the linker would refuse, it must refuse for this revision alone.
    if names.len() < shown.len()
        || !names.contains(MAIN)
        || !names.iter().all(is_own)
        || !needed.into_iter().all(|name| is_there(&name))
    {
        return None;
    }
    for module in &modules {
        for name in &names {
            Editor::new(module).rename(name, &own_name(name, revision));
        }
    }
    Some(modules)
}

/// The size in bytes of a module's variables.
fn room(module: &Module<'_>) -> u64 {
    let layout = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let own = module.get_globals().filter(|variable| !variable.is_declaration());
    own.map(|variable| layout.get_abi_size(&variable.get_value_type())).sum()
}

/// The text of a module whose `main` calls the `main` of the revision that runs. `runs` pairs each
/// revision with the one whose code it runs. Revisions that are not in the program must not be run
/// with it.
pub(super) fn main_of(runs: &[(Revision, Revision)], sanitizer: Sanitizer) -> String {
    let watched = match sanitizer {
        Sanitizer::None => "",
        Sanitizer::AddressUndefined => "sanitize_address",
        Sanitizer::Memory => "sanitize_memory",
    };
    let (mut declarations, mut cases, mut arms) = (String::new(), String::new(), String::new());
    for (running, of) in runs {
        cases += &format!("    i32 {}, label %of.{of}\n", running.0);
        if running == of {
            let main = own_name(MAIN, *of);
            declarations += &format!("declare extern_weak i32 @\"{main}\"(i32, ptr, ptr)\n");
            arms += &format!(
                "of.{of}:\n  \
                   %result.{of} = call i32 @\"{main}\"(i32 %count, ptr %words, ptr %variables)\n  \
                   ret i32 %result.{of}\n"
            );
        }
    }
    format!(
        "declare i32 @psychic_rev()\n{declarations}\
         define i32 @{MAIN}(i32 %count, ptr %words, ptr %variables) {watched} {{\n  \
           %revision = call i32 @psychic_rev()\n  \
           switch i32 %revision, label %none [\n{cases}  ]\n{arms}\
         none:\n  call void @llvm.trap()\n  unreachable\n}}\n\
         declare void @llvm.trap()\n"
    )
}

fn own_name(name: &str, revision: Revision) -> String {
    format!("{name}.of.{revision}")
}

fn failed(file: &Path, message: String) -> BuildError {
    BuildError::io(file)(io::Error::other(message))
}
