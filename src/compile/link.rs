//! Links object files to native programs: a single one, or one for each revision.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use super::{BuildError, Toolchain, flags::DIALECT, toolchain::command};
use crate::errors::Sanitizer;

impl Toolchain {
    /// Links object files, among them those of [`Toolchain::runtime_objects`], to an executable.
    pub(super) fn link_native(
        &self,
        flags: &[String],
        sanitizer: Sanitizer,
        objects: &[PathBuf],
        out: &Path,
    ) -> Result<(), BuildError> {
        match self.run(&mut self.native_linker(flags, sanitizer, objects, out)) {
            Err(BuildError::Compile { first, .. })
                if first.contains("libclang_rt") && sanitizer != Sanitizer::None =>
            {
                Err(BuildError::SanitizerMissing(sanitizer.name()))
            }
            other => other.map(drop),
        }
    }

    /// Links many programs, each given as object files and a path for the executable. The driver is
    /// asked only once which linker command to run.
    pub(super) fn link_all(
        &self,
        flags: &[String],
        sanitizer: Sanitizer,
        programs: &[(Vec<PathBuf>, PathBuf)],
    ) -> Vec<Result<(), BuildError>> {
        let Some((objects, out)) = programs.first() else { return Vec::new() };
        let is_chosen = flags.iter().any(|flag| flag.starts_with("-fuse-ld"));
        let mut linkers: Vec<Option<&str>> = Vec::new();
        if !is_chosen {
            linkers.extend(self.linkers(sanitizer).into_iter().map(Some));
        }
        if linkers.is_empty() {
            linkers.push(None);
        }
        let plans: Vec<OnceLock<_>> = linkers.iter().map(|_| OnceLock::new()).collect();
        let plan = |index: usize| {
            let plan: &Option<Vec<Word>> = plans[index]
                .get_or_init(|| self.link_plan(flags, (sanitizer, linkers[index]), objects, out));
            plan.as_ref()
        };
        // The index of the first linker to try. Linkers before it have refused a program that it
        // linked.
        let first = AtomicUsize::new(0);
        let link = |(objects, out): &(Vec<PathBuf>, PathBuf)| {
            for index in first.load(Ordering::Relaxed)..linkers.len() {
                let linker = plan(index).and_then(|plan| linker(plan, objects, out));
                if linker.is_some_and(|mut linker| self.run(&mut linker).is_ok()) {
                    first.fetch_max(index, Ordering::Relaxed);
                    return Ok(());
                }
            }
            // The driver's message is the one that people know.
            self.link_native(flags, sanitizer, objects, out)
        };
        programs.par_iter().map(link).collect()
    }

    /// The words of the linker command that the driver would run to make a program.
    fn link_plan(
        &self,
        flags: &[String],
        (sanitizer, linker): (Sanitizer, Option<&str>),
        objects: &[PathBuf],
        out: &Path,
    ) -> Option<Vec<Word>> {
        let mut driver = self.native_linker(flags, sanitizer, objects, out);
        if let Some(linker) = linker {
            driver.arg(format!("-fuse-ld={linker}"));
            driver.args(begins_low(linker).then(image_base));
            if linker == "lld" {
                // Small programs are linked before lld's threads have started.
                driver.arg("-Wl,--threads=1");
            }
        }
        let places: Vec<&Path> = objects.iter().map(PathBuf::as_path).chain([out]).collect();
        let plan = self.plan(&mut driver, &places)?;
        let is_object = |word: &str| objects.iter().any(|object| object == Path::new(word));
        let mut commands = plan.into_iter().filter(|words| words.iter().any(|w| is_object(w)));
        let (command, None) = (commands.next()?, commands.next()) else { return None };
        let mut words = Vec::new();
        for word in command {
            if is_object(&word) {
                if words.last() != Some(&Word::Objects) {
                    words.push(Word::Objects);
                }
            } else if Path::new(&word) == out {
                words.push(Word::Out);
            } else {
                words.push(Word::Same(word));
            }
        }
        let once = |wanted: Word| words.iter().filter(|word| **word == wanted).count() == 1;
        (once(Word::Objects) && once(Word::Out)).then_some(words)
    }

    /// The driver's command to link object files.
    fn native_linker(
        &self,
        flags: &[String],
        sanitizer: Sanitizer,
        objects: &[PathBuf],
        out: &Path,
    ) -> Command {
        let mut command = self.clang();
        // Sanitizers come with shared libraries.
        let fits = |flag: &&String| sanitizer == Sanitizer::None || !flag.starts_with("-static");
        command.arg("-w").args(DIALECT).args(sanitizer.flags()).args(objects);
        command.args(flags.iter().filter(fits));
        if sanitizer != Sanitizer::None {
            command.arg("-Wl,--wrap=main");
        }
        if sanitizer == Sanitizer::AddressUndefined {
            command.args(["-Wl,--wrap=__ctype_b_loc", "-Wl,--wrap=__asan_register_elf_globals"]);
        }
        let mut chosen = flags.iter().filter_map(|flag| flag.strip_prefix("-fuse-ld="));
        command.args(chosen.next_back().is_some_and(begins_low).then(image_base));
        // As in bitcode, the program's definitions take precedence over a library's.
        command.args(["-Wl,-z,muldefs", "-Wl,--as-needed", "-lm", "-o"]).arg(out);
        command
    }
}

/// Tells a linker to begin executables that are not position-independent at 4 MiB. The ABI says so,
/// and the engine assumes that nothing is below.
pub(super) const IMAGE_BASE: &str = "--image-base=0x400000";

/// Whether a linker, unless told otherwise, begins executables below [`IMAGE_BASE`].
fn begins_low(linker: &str) -> bool {
    ["lld", "mold"].iter().any(|name| linker.contains(name))
}

/// [`IMAGE_BASE`] for the driver.
fn image_base() -> String {
    format!("-Wl,{IMAGE_BASE}")
}

/// A word of the linker's command line, not tied to a program.
#[derive(Debug, Eq, PartialEq)]
enum Word {
    Same(String),
    /// Stands for the object files of the program.
    Objects,
    /// Stands for the executable.
    Out,
}

/// The linker's command for one program.
fn linker(plan: &[Word], objects: &[PathBuf], out: &Path) -> Option<Command> {
    let [Word::Same(program), words @ ..] = plan else { return None };
    let mut linker = command(Path::new(program));
    for word in words {
        match word {
            Word::Same(word) => _ = linker.arg(word),
            Word::Objects => _ = linker.args(objects),
            Word::Out => _ = linker.arg(out),
        }
    }
    Some(linker)
}
