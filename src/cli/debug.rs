//! A revision in a debugger, on one test.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{PermissionsExt, symlink},
        process::CommandExt,
    },
    process::Command,
};

use anyhow::{Context, bail};

use crate::{
    merge::{self, Changes},
    replay::{TestInput, settings},
    session::{built::Built, inputs::PROGRAM, stage::Stage},
    subject::Revision,
};

/// The debugger.
const DEBUGGER: &str = "gdb";
/// Starts the program, by the name that all programs run under, on the test's standard input. gdb
/// puts its path before the arguments.
const WRAPPER: &str = "#!/bin/sh\nshift\nPATH=../bin:$PATH\nexec program \"$@\" <../stdin\n";

/// Becomes a debugger in which the native program of a revision runs on a test up to its entry.
///
/// # Errors
/// The files of the test cannot be written, or there is no debugger.
pub(super) fn debug(
    stage: &Stage,
    built: &Built,
    revision: Revision,
    test: &TestInput,
) -> anyhow::Result<u8> {
    let Some(program) = built.binaries.plain.program(revision) else {
        bail!("revision {revision} has no native program");
    };
    let place = fs::canonicalize(stage.results.path().join("build"))?.join("debug");
    let [start, source, bin, wrapper] =
        ["start", "source", "bin", "wrapper"].map(|name| place.join(name));
    let native = fs::canonicalize(program).with_context(|| program.display().to_string())?;
    let changed = match merge::candidates(&stage.subject).remove(&revision) {
        Some(Ok(candidate)) => candidate.files,
        _ => Changes::new(),
    };
    let write = || {
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::create_dir_all(&start)?;
        let given = test.given_files();
        built.binaries.files.iter().chain(&given).try_for_each(|file| file.put(&start))?;
        for (path, text) in changed.iter().filter_map(|(path, text)| Some((path, text.as_deref()?)))
        {
            let path = source.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&source))?;
            fs::write(path, merge::encode(text))?;
        }
        fs::write(place.join("stdin"), test.stdin.as_deref().unwrap_or_default())?;
        fs::create_dir(&bin)?;
        symlink(&native, bin.join(OsStr::from_bytes(PROGRAM)))?;
        fs::write(&wrapper, WRAPPER)?;
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))
    };
    write().with_context(|| place.display().to_string())?;
    test.write(&place.join("ktest"))?;
    // What the runtime reads, as in confined runs.
    let mut command = Command::new(DEBUGGER);
    let variables = test.variables(&built.binaries.variables);
    let times = built.binaries.times.with(|name| test.object(name));
    command
        .envs(settings(revision.0, &place.join("ktest"), &variables, &times))
        .env_remove("DEBUGINFOD_URLS")
        .current_dir(&start)
        .arg("-q")
        // The directory that comes last is searched first.
        .arg("-d")
        .arg(&stage.subject.root)
        .arg("-d")
        .arg(source)
        .arg("-ex")
        .arg(format!("break {}", entry(stage)))
        .arg("-ex")
        .arg("set exec-wrapper ../wrapper")
        .arg("-ex")
        .arg("run")
        .arg("--args")
        .arg(native);
    command.args(test.command_line().into_iter().skip(1).map(OsString::from_vec));
    // Interrupts are then the debugger's, and what it needs is not removed under it.
    Err(command.exec()).with_context(|| format!("{DEBUGGER} cannot be started; is it installed?"))
}

/// Where to stop first. One native program may have the `main` of each revision, and one of its own
/// in another file.
fn entry(stage: &Stage) -> String {
    let entry = &stage.subject.config.entry;
    match &stage.subject.sources[..] {
        [source] if !stage.is_whole() => format!("{}:{entry}", source.display()),
        _ => entry.clone(),
    }
}
