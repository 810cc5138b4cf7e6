//! Lowering: from LLVM bitcode to a [`Module`]. Nothing else in `ir` knows LLVM.
//!
//! LLVM's modules belong to one thread and are slow to walk, so they are read once, here. Promotion
//! of local variables keeps the meaning of uninitialised reads (see
//! [`Inst::Move`](super::Inst::Move)). Flags of undefined behaviour (`nsw`, `inbounds`) are
//! dropped, because the machine code of unoptimised programs does not use them.
//!
//! - `function` lowers one function, and `lowering` is its state;
//! - `instructions` and one file for each other family (`aggregates`, `memory`, `control`, `calls`,
//!   `intrinsics`, `library_calls`, `sse`, `assembly`) lower its instructions;
//! - `promote` and `phi` give variables registers, and edges their moves;
//! - `constants`, `types`, `relative`, `debug`, `library`: constants and addresses, types, tables
//!   of relative addresses, source places, and declared functions.

mod aggregates;
mod assembly;
mod calls;
mod constants;
mod control;
mod debug;
mod function;
mod instructions;
mod intrinsics;
mod library;
mod library_calls;
mod lowering;
mod memory;
mod phi;
mod promote;
mod relative;
mod sse;
mod types;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

use super::address::function_at;
use super::opt::{Draft, Level};
use super::{Function, FunctionId, Global, GlobalId, Module};
use crate::llvm::{self, Source, Value};
use constants::Symbols;
use debug::Files;
use library::Library;
use types::scalars;

/// Why a file cannot be lowered.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is neither bitcode nor LLVM's text form.
    #[error(
        "{} is not LLVM bitcode; make it with `clang-19 -O0 -g -emit-llvm -c`", path.display()
    )]
    NotBitcode {
        /// The file.
        path: PathBuf,
    },
    /// A different version of LLVM wrote the file, in a form that ours does not know.
    #[error(
        "{} was written by {producer}, but this program reads the bitcode of LLVM 19; \
         compile it with clang-19 ({message})", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The LLVM version that wrote it.
        producer: String,
        /// LLVM's message.
        message: String,
    },
    /// The file is damaged, or is text with a mistake.
    #[error("{} is damaged: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// LLVM's message.
        message: String,
    },
    /// The program was compiled for a different kind of machine.
    #[error(
        "{} was compiled for a machine with {pointer}-bit pointers, {} byte first; \
         compile it for x86-64", path.display(), if *little_endian { "lowest" } else { "highest" }
    )]
    Target {
        /// The file.
        path: PathBuf,
        /// The number of bits of a pointer.
        pointer: u32,
        /// Whether the lowest byte comes first.
        little_endian: bool,
    },
}

const BITCODE: [u8; 4] = [b'B', b'C', 0xc0, 0xde];
const WRAPPED_BITCODE: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Reads a program from LLVM 19 bitcode (`.bc`) or LLVM's text form (`.ll`).
///
/// A file that starts like bitcode is assumed to come from a compiler. Truncation is detected, but
/// LLVM's reader may crash on bits that were changed at random. So a separate process first reads
/// files of unknown origin (`compile::Toolchain::vet`).
///
/// # Errors
/// See [`LowerError`]. Unsupported instructions are not an error: they become
/// [`Inst::Unsupported`](super::Inst::Unsupported).
pub fn load(path: &Path) -> Result<Module, LowerError> {
    lower_file(path, &read(path)?, Level::Quick).map(|(module, _)| module)
}

/// Reads a program as [`load`] does, but keeps code for every line that the compiler gives code to.
///
/// # Errors
/// As for [`load`].
pub fn load_as_written(path: &Path) -> Result<Module, LowerError> {
    lower_file(path, &read(path)?, Level::AsWritten).map(|(module, _)| module)
}

/// Reads the bytes of a program's file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, LowerError> {
    std::fs::read(path).map_err(|source| LowerError::Read { path: path.to_owned(), source })
}

/// Checks that the file `path`, given its bytes, begins like a module.
pub(super) fn recognise(path: &Path, bytes: &[u8]) -> Result<(), LowerError> {
    let bitcode = bytes.starts_with(&BITCODE) || bytes.starts_with(&WRAPPED_BITCODE);
    let text = path.extension().is_some_and(|extension| extension == "ll");
    match bitcode || text && std::str::from_utf8(bytes).is_ok() {
        true => Ok(()),
        false => Err(LowerError::NotBitcode { path: path.to_owned() }),
    }
}

/// Lowers the file `path`, given its bytes. Also returns the LLVM context: dropping it is slow, so
/// the caller decides when to do so.
pub(super) fn lower_file(
    path: &Path,
    bytes: &[u8],
    level: Level,
) -> Result<(Module, Context), LowerError> {
    recognise(path, bytes)?;
    let context = Context::create();
    llvm::silence(&context);
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &path.to_string_lossy());
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|message| refused(path, &message.to_string()))?;
    // LLVM verifies a module with debug information while reading it.
    if module.get_flag("Debug Info Version").is_none() {
        module.verify().map_err(|message| refused(path, &message.to_string()))?;
    }
    let name = module.get_source_file_name().to_string_lossy().into_owned();
    let lowered = lower(path, Source::new(&module), name, level);
    // The module is freed with its context.
    std::mem::forget(module);
    Ok((lowered?, context))
}

fn refused(path: &Path, message: &str) -> LowerError {
    let path = path.to_owned();
    let message = message.trim().to_owned();
    // LLVM ends its complaint with (Producer: 'LLVM20.1.0' Reader: 'LLVM 19.1.7').
    let quoted = |label: &str| {
        let (_, rest) = message.split_once(label)?;
        rest.split('\'').next().map(|name| name.replace(' ', ""))
    };
    let (producer, reader) = (quoted("Producer: '"), quoted("Reader: '"));
    match producer {
        Some(producer) if Some(&producer) != reader.as_ref() => {
            LowerError::Version { path, producer, message }
        }
        _ if message.contains("Incompatible epoch") => {
            LowerError::Version { path, producer: "another LLVM".into(), message }
        }
        _ => LowerError::Malformed { path, message },
    }
}

/// How many functions a worker finishes at a time.
const BATCH: usize = 32;

fn lower(
    path: &Path,
    source: Source<'_>,
    name: String,
    level: Level,
) -> Result<Module, LowerError> {
    if source.pointer_size() != 8 || !source.little_endian() {
        return Err(LowerError::Target {
            path: path.to_owned(),
            pointer: 8 * source.pointer_size(),
            little_endian: source.little_endian(),
        });
    }
    let functions: Vec<Value<'_>> = source
        .functions()
        .filter(|function| !function.name().starts_with("llvm."))
        .chain(source.ifuncs())
        .collect();
    let globals: Vec<Value<'_>> =
        source.globals().filter(|global| !global.name().starts_with("llvm.")).collect();
    let mut symbols = Symbols::new(source);
    for (function, id) in functions.iter().zip(0..) {
        symbols.add_function(*function, FunctionId(id));
    }
    for (global, id) in globals.iter().zip(0..) {
        symbols.add_global(*global, GlobalId(id));
    }
    let mut module = Module::default();
    for global in globals {
        module.globals.push(global_variable(source, &symbols, global, module.globals.len()));
    }
    module.constructors = by_priority(source, &symbols, "llvm.global_ctors");
    module.destructors = by_priority(source, &symbols, "llvm.global_dtors");
    let mut library = Library::new(functions.iter().map(|function| function.name()));
    let mut files = Files::new(name);
    let mut draft = |function| {
        let head = head(source, &mut files, function);
        if function.is_function() && !function.is_declaration() {
            function::lower(source, &symbols, &mut library, &mut files, function, head)
        } else {
            Draft { function: head, ..Draft::default() }
        }
    };
    // One thread reads LLVM's functions, while other threads finish those that it has read.
    let batches = functions.chunks(BATCH);
    let finished: Vec<OnceLock<Vec<Function>>> = batches.clone().map(|_| OnceLock::new()).collect();
    rayon::in_place_scope(|scope| {
        for (batch, place) in batches.zip(&finished) {
            let drafts: Vec<Draft> = batch.iter().map(|function| draft(*function)).collect();
            scope.spawn(|_| {
                let functions = drafts.into_iter().map(|draft| draft.finish(level)).collect();
                place.set(functions).expect("once");
            });
        }
    });
    let done = |place: OnceLock<Vec<Function>>| place.into_inner().expect("the scope has ended");
    module.functions = finished.into_iter().flat_map(done).collect();
    module.functions.extend(library.into_declared());
    module.files = files.names();
    Ok(module)
}

/// The functions in the list of constructors or destructors with this name, lowest priority number
/// first.
fn by_priority<'m>(source: Source<'m>, symbols: &Symbols<'m>, list: &str) -> Vec<FunctionId> {
    let list = source.globals().find(|global| global.name() == list);
    let Some(list) = list.and_then(Value::initializer) else { return Vec::new() };
    let field =
        |entry: Value<'m>, index| symbols.scalar(entry.aggregate_element(index)?).ok().flatten();
    let field = |entry, index| field(entry, index)?.to_u64();
    let mut found: Vec<(u64, FunctionId)> = (0..)
        .map_while(|i| list.aggregate_element(i))
        .filter_map(|entry| Some((field(entry, 0)?, function_at(field(entry, 1)?)?)))
        .collect();
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, function)| function).collect()
}

fn global_variable<'m>(
    source: Source<'m>,
    symbols: &Symbols<'m>,
    global: Value<'m>,
    number: usize,
) -> Global {
    let name = match global.name() {
        name if name.is_empty() => format!("unnamed.{number}"),
        name => name,
    };
    let (constant, alignment) = (global.is_read_only(), global.alignment());
    if let Some(bytes) = relative::table(symbols, global) {
        let alignment = alignment.max(8);
        return Global { name, bytes, alignment, constant, external: false };
    }
    let size = source.size(global.symbol_type()).unwrap_or(0) as usize;
    let mut bytes = vec![0; size];
    let content = global.initializer().map(|value| symbols.write(value, &mut bytes));
    let external = global.is_declaration() || content.is_some_and(|written| written.is_err());
    Global { name, bytes, alignment, constant, external }
}

fn head<'m>(source: Source<'m>, files: &mut Files<'m>, function: Value<'m>) -> Function {
    let ty = function.symbol_type();
    let mut head = Function { name: function.name(), ..Function::default() };
    // Unsupported types give no widths; lowering a body that uses them reports it.
    if ty.kind() == llvm::TypeKind::LLVMFunctionTypeKind {
        head.variadic = ty.variadic();
        let widths = |ty| scalars(source, ty).into_iter().flatten().map(|scalar| scalar.width);
        head.params = ty.params().into_iter().flat_map(widths).collect();
        head.returns = widths(ty.returned()).collect();
    }
    if function.is_function() {
        head.place = files.function(function);
        head.library = function.has_attribute(llvm::library::ATTRIBUTE);
    }
    head
}

#[cfg(test)]
mod tests;
