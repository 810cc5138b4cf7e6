//! The C runtime that is compiled into every native binary, and its headers.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// The text of `psychic.h`: how a program talks to the engine.
pub const PSYCHIC_H: &str = include_str!("runtime/psychic.h");
const KLEE_H: &str = include_str!("runtime/klee/klee.h");
/// The native implementation of both headers, and what it needs in a process with a libc.
const SOURCES: [(&str, &str); 6] = [
    ("environment.c", include_str!("runtime/environment.c")),
    ("intrinsics.c", include_str!("runtime/intrinsics.c")),
    ("surroundings.c", include_str!("runtime/surroundings.c")),
    ("hosted.c", include_str!("runtime/hosted.c")),
    ("server.c", include_str!("runtime/server.c")),
    ("sanitized.c", include_str!("runtime/sanitized.c")),
];
/// The headers that only the sources include.
const HEADERS: [(&str, &str); 3] = [
    ("surroundings.h", include_str!("runtime/surroundings.h")),
    ("plain.h", include_str!("runtime/plain.h")),
    ("kernel.h", include_str!("runtime/kernel.h")),
];

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
        for (name, text) in SOURCES.into_iter().chain(HEADERS) {
            fs::write(directory.path().join(name), text)?;
        }
        fs::write(directory.path().join("klee/klee.h"), KLEE_H)?;
        Ok(Self { directory })
    }

    /// Where `#include "psychic.h"` and `#include <klee/klee.h>` are found.
    pub(super) fn include(&self) -> &Path {
        self.directory.path()
    }

    /// The C files to link into every native binary.
    pub(super) fn sources(&self) -> impl Iterator<Item = PathBuf> {
        SOURCES.iter().map(|(name, _)| self.directory.path().join(name))
    }

    /// Everything a build that uses the runtime depends on.
    pub(super) fn texts() -> impl Iterator<Item = &'static str> {
        let files = HEADERS.iter().chain(&SOURCES).map(|(_, text)| *text);
        [PSYCHIC_H, KLEE_H].into_iter().chain(files)
    }
}
