use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::ir::{Inst, verify};

mod files;
mod machine;
mod shapes;

/// A directory with a file `name` that contains `text`, and the file's path.
fn file(name: &str, text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(name);
    std::fs::write(&path, text).expect("a file in it");
    (directory, path)
}

fn run(command: &mut Command) {
    let status = command.status().expect("the compiler starts");
    assert!(status.success(), "{command:?} failed");
}

/// A directory with the bitcode of a C program, and the bitcode's path.
fn bitcode(c: &str, options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let (directory, _) = file("test.c", c.as_bytes());
    run(Command::new("clang-19")
        .current_dir(&directory)
        .args(["-g", "-w", "-emit-llvm", "-c", "-o", "test.bc", "test.c"])
        .args(options));
    let path = directory.path().join("test.bc");
    (directory, path)
}

fn checked(path: &Path) -> Module {
    let module = load(path).unwrap_or_else(|error| panic!("{error}"));
    if let Err(error) = verify(&module) {
        panic!("{error}\n{module}");
    }
    module
}

/// The module of a C program, compiled, lowered and verified.
fn c(text: &str, options: &[&str]) -> Module {
    let (_directory, path) = bitcode(text, options);
    checked(&path)
}

/// The module of a program in LLVM's text form, lowered and verified.
fn ll(text: &str) -> Module {
    let (_directory, path) = file("test.ll", text.as_bytes());
    checked(&path)
}

fn function<'a>(module: &'a Module, name: &str) -> &'a Function {
    let id = module.function(name).unwrap_or_else(|| panic!("a function {name}"));
    &module.functions[id.0 as usize]
}

/// The texts of the unsupported instructions of a module.
fn gaps(module: &Module) -> Vec<String> {
    let insts = module.functions.iter().flat_map(|function| &function.code);
    insts
        .filter_map(|inst| match inst {
            Inst::Unsupported { what } => Some(what.to_string()),
            _ => None,
        })
        .collect()
}
