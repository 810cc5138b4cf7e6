//! The `psychic` command.

use std::process::ExitCode;

/// Workers share what they allocate; this allocator does not make them wait for each other. By its
/// feature `override` it is that of Bitwuzla and LLVM, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    psychic::cli::run()
}
