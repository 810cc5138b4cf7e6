//! The `psychic` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    psychic::cli::run()
}
