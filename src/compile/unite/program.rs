//! The bitcode of a program, and how it is read.

use std::{io, path::PathBuf};

use inkwell::{context::Context, memory_buffer::MemoryBuffer, module::Module};

use crate::{compile::error::BuildError, llvm::Editor};

/// A thread compares at least this many programs, as each thread has to read the meta program.
pub(super) const FEW: usize = 8;

/// The bitcode of one program, which is the program of one or more revisions.
#[derive(Clone, Debug)]
pub struct Program {
    /// The revisions whose sources these are.
    pub revisions: Vec<u32>,
    /// The bitcode of each source.
    pub modules: Vec<PathBuf>,
}

/// Reads modules and links them into one.
pub(super) fn load<'c>(
    context: &'c Context,
    modules: &[PathBuf],
) -> Result<Module<'c>, BuildError> {
    let mut linked: Option<Module<'c>> = None;
    for path in modules {
        let buffer = MemoryBuffer::create_from_file(path);
        let buffer = buffer.map_err(|e| BuildError::io(path)(io::Error::other(e.to_string())))?;
        let module = context.create_module_from_ir(buffer);
        let module = module.map_err(|error| BuildError::Unite(error.to_string()))?;
        Editor::new(&module).keep_inlined();
        linked = Some(match linked {
            None => module,
            Some(linked) => {
                let done = linked.link_in_module(module);
                done.map_err(|error| BuildError::Unite(error.to_string()))?;
                linked
            }
        });
    }
    linked.ok_or_else(|| BuildError::Unite("there is no source".to_owned()))
}
