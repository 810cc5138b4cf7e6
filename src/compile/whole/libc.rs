//! The libc of whole programs, in the cache.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use crate::{
    child::{ChildError, last_lines},
    compile::{error::BuildError, toolchain::Toolchain},
    scripts,
};

/// The name of the libc's directory in a cache.
const LIBC: &str = "musl-whole";

/// The file that exists if `cache` has the libc.
pub(super) fn stamp(cache: &Path) -> PathBuf {
    cache.join(LIBC).join("stamp")
}

/// The directory of the libc in `cache`, and its stamp. The libc is made if it is not there.
pub(super) fn obtain(
    toolchain: &Toolchain,
    cache: &Path,
    tell: &mut impl FnMut(&str),
) -> Result<(PathBuf, String), BuildError> {
    let (libc, stamp) = (cache.join(LIBC), self::stamp(cache));
    if !stamp.is_file() {
        fs::create_dir_all(cache).map_err(BuildError::io(cache))?;
        let lock = cache.join("musl-whole.lock");
        let guard = File::create(&lock).map_err(BuildError::io(&lock))?;
        guard.lock().map_err(BuildError::io(&lock))?;
        if !stamp.is_file() {
            tell("musl");
            match scripts::run("musl-whole.sh", &[], cache, toolchain.stopper()) {
                Ok(output) if output.status.success() => {}
                Ok(output) => return Err(BuildError::NoWholeLibc(last_lines(&output.stderr))),
                Err(ChildError::Start(error)) => return Err(BuildError::io("bash")(error)),
                Err(stopped) => return Err(BuildError::NoWholeLibc(stopped.to_string())),
            }
        }
    }
    let stamp = fs::read_to_string(&stamp).map_err(BuildError::io(&stamp))?;
    Ok((libc.canonicalize().map_err(BuildError::io(&libc))?, stamp))
}
