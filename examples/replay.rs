//! Runs a program natively, in the sandbox and watched by sanitizers, once for each TEXT as its
//! standard input: `cargo run --example replay PROGRAM.c TEXT...`.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
};

use psychic::{
    compile::{Compilation, Toolchain},
    errors::Sanitizer,
    replay::{Binaries, Builds, Replayer, RunLimits, TestInput},
    subject::Revision,
};

fn main() -> Result<(), Box<dyn Error>> {
    psychic::replay::sandbox_helper();
    let mut arguments = env::args().skip(1);
    let file = PathBuf::from(arguments.next().ok_or("usage: replay PROGRAM.c TEXT...")?);
    let scratch = tempfile::tempdir()?;
    let compilation = Compilation {
        directory: file.parent().unwrap_or(Path::new("")).to_owned(),
        sources: file.file_name().map(PathBuf::from).into_iter().collect(),
        ..Compilation::default()
    };
    let toolchain = Toolchain::find()?;
    let [plain, watched] = ["plain", "watched"].map(|name| scratch.path().join(name));
    toolchain.native(&compilation, Sanitizer::None, &plain)?;
    toolchain.native(&compilation, Sanitizer::AddressUndefined, &watched)?;
    let binaries = Binaries {
        plain: Builds::One(plain),
        address_undefined: Builds::One(watched),
        serves: true,
        ..Binaries::default()
    };
    let replayer = Replayer::new(binaries, RunLimits::default())?;
    for text in arguments {
        let test = TestInput { stdin: Some(text.clone().into_bytes()), ..TestInput::default() };
        let outcome = replayer.outcome(&test, Revision::ORIGINAL, true)?;
        let ending = match outcome.finding {
            Some(finding) => finding.kind.to_string(),
            None => outcome.termination.to_string(),
        };
        println!("{text:?}: {ending}, {:?}", String::from_utf8_lossy(&outcome.stdout));
    }
    Ok(())
}
