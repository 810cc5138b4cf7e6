//! The C runtime that is compiled into every native binary, and its headers.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// The text of `psychic.h`: what a program may say to the engine.
pub const PSYCHIC_H: &str = include_str!("runtime/psychic.h");
/// The text of `psychic.c`: the native side of `psychic.h` and of `klee/klee.h`.
pub const PSYCHIC_C: &str = include_str!("runtime/psychic.c");
const KLEE_H: &str = include_str!("runtime/klee/klee.h");

/// The runtime's files on disk for as long as this value lives.
#[derive(Debug)]
pub(super) struct Runtime {
    directory: TempDir,
}

impl Runtime {
    pub(super) fn unpack() -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("psychic-runtime-").tempdir()?;
        fs::create_dir(directory.path().join("klee"))?;
        fs::write(directory.path().join("psychic.h"), PSYCHIC_H)?;
        fs::write(directory.path().join("psychic.c"), PSYCHIC_C)?;
        fs::write(directory.path().join("klee/klee.h"), KLEE_H)?;
        Ok(Self { directory })
    }

    /// Where `#include "psychic.h"` and `#include <klee/klee.h>` are found.
    pub(super) fn include(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn source(&self) -> PathBuf {
        self.directory.path().join("psychic.c")
    }

    /// Everything a build that uses the runtime depends on.
    pub(super) fn texts() -> [&'static str; 3] {
        [PSYCHIC_H, PSYCHIC_C, KLEE_H]
    }
}
