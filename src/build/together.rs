//! One native program for many revisions, where a link and a start for each would take longer than
//! all that they run.
//!
//! Each revision is compiled on its own, as ever; then the names that its modules show to the linker
//! get its number, and a `main` before theirs calls that of the revision that runs
//! (`psychic_rev`). What the compiler made of it stays as it is: nothing is optimised after that, and
//! no revision can name what is another's.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use inkwell::{context::Context, module::Module, targets::TargetData};

use super::{BuildError, Sanitizer};
use crate::{
    llvm::{Editor, is_known_to_this_process},
    subject::Revision,
};

/// What every program begins with.
const MAIN: &str = "main";

/// Names that are not a program's to give, or the runtime's.
const RESERVED: [&str; 3] = ["_", "psychic_", "klee_"];

/// What looks names up while the program runs.
const LOOKUPS: [&str; 2] = ["dlsym", "dlvsym"];

/// The variables of all revisions of one program take so many bytes at most: each run has them all.
pub(super) const MOST_ROOM: u64 = 256 << 20;

/// A revision whose names are its own.
pub(super) struct Apart {
    pub(super) modules: Vec<PathBuf>,
    /// Bytes that its variables take.
    pub(super) room: u64,
}

/// Copies the modules of a revision to files beside them, in which its names are its own. Nothing
/// where more than names ties them to what is around them.
///
/// # Errors
/// [`BuildError::Io`].
pub(super) fn apart(revision: Revision, modules: &[PathBuf]) -> Result<Option<Apart>, BuildError> {
    let context = Context::create();
    let read = |file: &PathBuf| {
        let module = Module::parse_bitcode_from_path(file, &context);
        module.map_err(|error| failed(file, error.to_string()))
    };
    let parsed = modules.iter().map(read).collect::<Result<Vec<Module<'_>>, _>>()?;
    if parsed.iter().any(|module| LOOKUPS.iter().any(|name| module.get_function(name).is_some())) {
        return Ok(None);
    }
    let shown = parsed.iter().map(|module| Editor::new(module).shown_names());
    let Some(shown) = shown.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let names: Vec<String> = shown.concat();
    let is_own = |name: &String| {
        name == MAIN
            // The assembler's name, whatever it is.
            || !name.starts_with('\u{1}')
                && !RESERVED.iter().any(|reserved| name.starts_with(reserved))
                && !is_known_to_this_process(name)
    };
    if !names.iter().all(is_own) || names.iter().filter(|name| *name == MAIN).count() != 1 {
        return Ok(None);
    }
    let write = |(file, module): (&PathBuf, &Module<'_>)| {
        for name in &names {
            Editor::new(module).rename(name, &own_name(name, revision));
        }
        let mut out = file.as_os_str().to_owned();
        out.push(format!(".{revision}.ir"));
        match module.write_bitcode_to_path(Path::new(&out)) {
            true => Ok(PathBuf::from(out)),
            false => Err(failed(Path::new(&out), "cannot be written".to_owned())),
        }
    };
    let modules = modules.iter().zip(&parsed).map(write).collect::<Result<_, _>>()?;
    Ok(Some(Apart { modules, room: parsed.iter().map(room).sum() }))
}

/// Bytes that a module's variables take.
fn room(module: &Module<'_>) -> u64 {
    let layout = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let own = module.get_globals().filter(|variable| !variable.is_declaration());
    own.map(|variable| layout.get_abi_size(&variable.get_value_type())).sum()
}

/// Writes the module whose `main` calls that of the revision that runs, which for each one in `runs`
/// is that of the second.
///
/// # Errors
/// [`BuildError::Io`].
pub(super) fn write_main(
    runs: &[(Revision, Revision)],
    sanitizer: Sanitizer,
    out: &Path,
) -> Result<(), BuildError> {
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
            declarations += &format!("declare i32 @\"{main}\"(i32, ptr, ptr)\n");
            arms += &format!(
                "of.{of}:\n  \
                   %result.{of} = call i32 @\"{main}\"(i32 %count, ptr %words, ptr %variables)\n  \
                   ret i32 %result.{of}\n"
            );
        }
    }
    let text = format!(
        "declare i32 @psychic_rev()\n{declarations}\
         define i32 @{MAIN}(i32 %count, ptr %words, ptr %variables) {watched} {{\n  \
           %revision = call i32 @psychic_rev()\n  \
           switch i32 %revision, label %none [\n{cases}  ]\n{arms}\
         none:\n  call void @llvm.trap()\n  unreachable\n}}\n\
         declare void @llvm.trap()\n"
    );
    fs::write(out, text).map_err(BuildError::io(out))
}

fn own_name(name: &str, revision: Revision) -> String {
    format!("{name}.of.{revision}")
}

fn failed(file: &Path, message: String) -> BuildError {
    BuildError::io(file)(io::Error::other(message))
}
