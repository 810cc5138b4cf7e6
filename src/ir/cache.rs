//! The cache of lowered programs. Reading one takes a tenth of the time of lowering.
//!
//! The name of a file is the digest of the bitcode. The file begins with a digest of its content
//! and of the sources of this build of psychic. So a file that is damaged, or that another build
//! wrote, is made again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    Module,
    lower::{self, LowerError},
    opt::Level,
};
use crate::results::write_whole;

/// How many files are kept; the oldest ones are removed.
const KEPT: usize = 64;
/// The size of a digest in bytes.
const DIGEST: usize = 32;

/// Loads the program in a file that [`lower::load`] can read. If the directory `cache` has the
/// lowered program, it is taken from there. Otherwise it is lowered, unless the file is no module
/// or `vet` fails, and stored there if the directory can be written.
///
/// # Errors
/// Those of [`lower::load`], and those of `vet`.
pub fn load<E: From<LowerError>>(
    path: &Path,
    cache: &Path,
    vet: impl FnOnce() -> Result<(), E>,
) -> Result<Module, E> {
    let bytes = lower::read(path)?;
    let digits = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = cache.join::<String>(digits);
    if let Some(module) = read(&file) {
        return Ok(module);
    }
    lower::recognise(path, &bytes)?;
    vet()?;
    let (module, context) = lower::lower_file(path, &bytes, Level::Quick)?;
    // A process loads one program. Freeing LLVM's context would take a tenth of the startup.
    std::mem::forget(context);
    let content = postcard::to_stdvec(&module).expect("a module is plain data");
    // If the cache cannot be written, the next run lowers the program again.
    if write_whole(&file, &[&digest(&content)[..], &content].concat()).is_ok() {
        let _ = forget_oldest(cache);
    }
    Ok(module)
}

fn read(file: &Path) -> Option<Module> {
    let bytes = fs::read(file).ok()?;
    let (expected, content) = bytes.split_at_checked(DIGEST)?;
    (digest(content) == expected).then(|| postcard::from_bytes(content).ok()).flatten()
}

fn digest(content: &[u8]) -> [u8; DIGEST] {
    Sha256::new().chain_update(env!("PSYCHIC_SOURCES")).chain_update(content).finalize().into()
}

fn forget_oldest(cache: &Path) -> io::Result<()> {
    let written = |entry: fs::DirEntry| Ok((entry.metadata()?.modified()?, entry.path()));
    let files = fs::read_dir(cache)?.map(|entry| entry.and_then(written));
    let mut files: Vec<(_, PathBuf)> = files.collect::<io::Result<_>>()?;
    files.sort_unstable();
    files.iter().rev().skip(KEPT).try_for_each(|(_, file)| fs::remove_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(program: &Path, cache: &Path) -> Result<Module, LowerError> {
        load(program, cache, || Ok(()))
    }

    const TEXT: &str = "define i32 @main() {\n  ret i32 7\n}\n";

    fn files(cache: &Path) -> Vec<PathBuf> {
        fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_second_load_reads_what_the_first_one_wrote() {
        let scratch = tempfile::tempdir().unwrap();
        let (program, cache) = (scratch.path().join("a.ll"), scratch.path().join("cache"));
        fs::write(&program, TEXT).unwrap();
        let lowered = loaded(&program, &cache).unwrap();
        let file = files(&cache).pop().unwrap();
        assert_eq!(read(&file).unwrap().to_string(), lowered.to_string());

        // A second load returns the content of the file unchanged.
        let other = Module { files: vec!["other.c".into()], ..lowered };
        let content = postcard::to_stdvec(&other).unwrap();
        fs::write(&file, [&digest(&content)[..], &content].concat()).unwrap();
        assert_eq!(loaded(&program, &cache).unwrap().files, ["other.c"]);
        assert_eq!(files(&cache), [file]);
    }

    #[test]
    fn a_damaged_file_is_made_again() {
        let scratch = tempfile::tempdir().unwrap();
        let (program, cache) = (scratch.path().join("a.ll"), scratch.path().join("cache"));
        fs::write(&program, TEXT).unwrap();
        loaded(&program, &cache).unwrap();
        let file = files(&cache).pop().unwrap();
        let whole = fs::read(&file).unwrap();
        let mut changed = whole.clone();
        changed[DIGEST + 3] ^= 1;
        for damaged in [&changed[..], &whole[..whole.len() - 1], &whole[..DIGEST - 1], b""] {
            fs::write(&file, damaged).unwrap();
            assert!(read(&file).is_none());
            loaded(&program, &cache).unwrap();
            assert_eq!(fs::read(&file).unwrap(), whole);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_no_error() {
        let scratch = tempfile::tempdir().unwrap();
        let program = scratch.path().join("a.ll");
        fs::write(&program, TEXT).unwrap();
        assert!(loaded(&program, &program.join("cache")).is_ok());
    }

    #[test]
    fn only_so_many_files_are_kept() {
        let scratch = tempfile::tempdir().unwrap();
        for number in 0..KEPT + 3 {
            fs::write(scratch.path().join(number.to_string()), "").unwrap();
        }
        forget_oldest(scratch.path()).unwrap();
        assert_eq!(files(scratch.path()).len(), KEPT);
    }
}
