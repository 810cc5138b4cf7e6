//! The shell scripts that obtain what a run needs: sources of Debian packages, and the libc of
//! whole programs. The program carries them, so that it needs no checkout.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use crate::child::{self, ChildError, ChildLimits, Stopper};

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path)))),*]
    };
}

/// The scripts and the files that they use, by their paths in the repository.
const FILES: &[(&str, &str)] = files![
    "scripts/deb_src.py",
    "scripts/logged.sh",
    "scripts/musl-whole.sh",
    "scripts/musl-whole/allocate.c",
    "scripts/musl-whole/assert.c",
    "scripts/musl-whole/crt_arch.h",
    "scripts/musl-whole/glue.h",
    "scripts/musl-whole/jump.s",
    "scripts/musl-whole/one_thread.c",
    "scripts/musl-whole/pthread_arch.h",
    "scripts/musl-whole/start.s",
    "scripts/musl-whole/syscall_arch.h",
    "scripts/musl/atomic_arch.h",
    "scripts/musl/lock.h",
    "scripts/source.sh",
    "src/compile/runtime/environment.c",
    "src/compile/runtime/hosted.c",
    "src/compile/runtime/intrinsics.c",
    "src/compile/runtime/klee/klee.h",
    "src/compile/runtime/kernel.h",
    "src/compile/runtime/plain.h",
    "src/compile/runtime/psychic.h",
    "src/compile/runtime/sanitized.c",
    "src/compile/runtime/server.c",
    "src/compile/runtime/surroundings.c",
    "src/compile/runtime/surroundings.h",
    "src/compile/runtime/watch.c",
    "src/compile/runtime/world/bare.c",
    "src/compile/runtime/world/faults.c",
    "src/compile/runtime/world/files.c",
    "src/compile/runtime/world/names.c",
    "src/compile/runtime/world/open.c",
    "src/compile/runtime/world/paths.c",
    "src/compile/runtime/world/times.c",
    "src/compile/runtime/world/world.c",
    "src/compile/runtime/world/world.h",
];

/// Runs `scripts/SCRIPT` with `cache` as the directory for what it makes.
///
/// # Errors
/// The scripts cannot be written to a temporary directory, or the script does not come to its end.
pub fn run(
    script: &str,
    arguments: &[&Path],
    cache: &Path,
    stopper: &Stopper,
) -> Result<Output, ChildError> {
    let scratch = unpack()?;
    let mut bash = Command::new("bash");
    bash.arg(scratch.path().join("scripts").join(script)).args(arguments);
    child::output(bash.env("PSYCHIC_CACHE", cache), ChildLimits::BUILD, stopper)
}

/// Writes all files to a temporary directory.
fn unpack() -> io::Result<tempfile::TempDir> {
    let scratch = tempfile::Builder::new().prefix("psychic-scripts-").tempdir()?;
    for (path, text) in FILES {
        let path = scratch.path().join(path);
        fs::create_dir_all(path.parent().expect("it has folders"))?;
        let is_script = path.extension().is_some_and(|extension| extension == "sh");
        fs::write(&path, text)?;
        if is_script {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(scratch)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use walkdir::WalkDir;

    use super::*;

    #[test]
    fn all_that_the_libc_of_whole_programs_is_made_of_is_there() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let listed: BTreeSet<&str> = FILES.iter().map(|(path, _)| *path).collect();
        for folder in ["scripts/musl-whole", "src/compile/runtime"] {
            let entries = WalkDir::new(top.join(folder)).into_iter().map(Result::unwrap);
            for file in entries.filter(|entry| entry.file_type().is_file()) {
                let path = file.path().strip_prefix(top).unwrap().to_str().unwrap();
                assert!(listed.contains(path), "{path} is not in the list");
            }
        }
    }
}
