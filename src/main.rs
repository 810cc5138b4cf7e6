//! The `psychic` command.

use std::process::ExitCode;

/// The allocator of the whole process. Workers share what they allocate, and mimalloc does not make
/// them wait for each other. Its feature `override` makes Bitwuzla and LLVM use it, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    psychic::cli::run()
}
