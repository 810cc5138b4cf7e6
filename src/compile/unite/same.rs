//! Revisions whose compilations are the same code, although their sources differ.

use std::collections::BTreeMap;

use inkwell::context::Context;
use rayon::prelude::*;

use super::program::{FEW, Program, load};
use crate::llvm;

/// The revisions of programs whose bitcode is the same except for debug information, as sets of at
/// least two revisions.
pub fn same_code(programs: &[Program]) -> Vec<Vec<u32>> {
    let size = programs.len().div_ceil(rayon::current_num_threads()).max(FEW);
    let codes = programs.par_chunks(size).flat_map_iter(|part| {
        let context = Context::create();
        llvm::silence(&context);
        part.iter().map(|program| code(&context, program)).collect::<Vec<_>>()
    });
    let mut known: BTreeMap<Vec<Vec<u8>>, Vec<u32>> = BTreeMap::new();
    for (program, code) in programs.iter().zip(codes.collect::<Vec<_>>()) {
        let Some(code) = code else { continue };
        known.entry(code).or_default().extend(&program.revisions);
    }
    known.into_values().filter(|revisions| revisions.len() > 1).collect()
}

/// The bitcode of each module, without debug information and without the name of its source. `None`
/// if a module cannot be read.
fn code(context: &Context, program: &Program) -> Option<Vec<Vec<u8>>> {
    let code = |path| {
        let module = load(context, std::slice::from_ref(path)).ok()?;
        module.strip_debug_info();
        module.set_name("");
        module.set_source_file_name("");
        Some(module.write_bitcode_to_memory().as_slice().to_vec())
    };
    program.modules.iter().map(code).collect()
}
