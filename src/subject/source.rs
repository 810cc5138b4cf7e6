//! Finds the source tree of a subject, and which of its files patches touch.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use crate::child::Stopper;

use super::{
    Form, Patch, SubjectConfig, SubjectError,
    config::{FunctionsConfig, Uninitialised},
    fault::{Fault, fault},
    git,
    path::is_inner,
    setup::{self, quoted},
    whole,
};

/// Checks that the keys of `[build]` go together.
pub(super) fn check(config: &SubjectConfig) -> Result<(), Fault> {
    let build = &config.build;
    let trees = [
        ("setup", build.setup.is_some()),
        ("package", build.package.is_some()),
        ("directory", build.directory.is_some()),
        ("git", build.git.is_some()),
    ];
    let mut given = trees.iter().filter(|(_, is_given)| *is_given).map(|(key, _)| *key);
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        let message = format!("build.{first} and build.{second} both name the source tree");
        return Err(fault(second, message));
    }
    if config.outputs.functions.is_some() && config.uninitialised != Uninitialised::Zero {
        let message = "functions are looked into only with uninitialised = \"zero\"";
        return Err(fault("functions", message));
    }
    if let Some(FunctionsConfig::Named(names)) = &config.outputs.functions {
        if names.is_empty() {
            return Err(fault("functions", "functions = [] names none: leave it out"));
        }
        if names.contains("main") {
            let message = "functions: what main returns is visible anyway: leave it out";
            return Err(fault("functions", message));
        }
    }
    if build.whole {
        return whole::check(config);
    }
    let Some(program) = &build.program else {
        for (key, is_given) in
            [("configure", build.configure.is_some()), ("make", build.make.is_some())]
        {
            if is_given {
                return Err(fault(key, format!("build.{key} needs build.program")));
            }
        }
        return Ok(());
    };
    if !is_inner(program) {
        let message = format!("program = {program:?} is not a path within the source tree");
        return Err(fault("program", message));
    }
    if config.entry != "main" {
        return Err(fault("entry", "entry is not for build.program, which is run whole"));
    }
    Ok(())
}

/// The source tree of a subject.
pub(super) struct SourceTree {
    /// Its absolute path.
    pub(super) root: PathBuf,
    /// The commit that was found for the patches, if `build.git` names a repository alone.
    pub(super) commit: Option<String>,
}

/// Finds or obtains the source tree.
pub(super) fn tree(
    dir: &Path,
    config: &SubjectConfig,
    patches: &[Patch],
    stopper: &Stopper,
) -> Result<Result<SourceTree, Fault>, SubjectError> {
    let build = &config.build;
    let cache = setup::cache_directory(dir);
    let obtain = |command: &str| {
        let setup = setup::Setup { dir, name: &config.name, command };
        setup::obtain(&cache, &setup, stopper)
    };
    let failed = |key: &'static str, what: &str| {
        let what = what.to_owned();
        move |failure: setup::Failure| fault(key, failure.of(&what))
    };
    let mut commit = None;
    let found = if let Some(command) = &build.setup {
        obtain(command)?.map_err(failed("setup", "build.setup failed"))
    } else if let Some(package) = &build.package {
        let Some((name, version)) = package.split_once('=').filter(|(name, version)| {
            let is_word = |word: &str| {
                let mut chars = word.chars();
                chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
                    && chars.all(|c| c.is_ascii_alphanumeric() || ".+-~".contains(c))
            };
            is_word(name) && is_word(version)
        }) else {
            let message = format!("package = {package:?} is not NAME=VERSION, as in grep=3.8");
            return Ok(Err(fault("package", message)));
        };
        setup::package(dir, name, version, stopper)?
            .map_err(failed("package", &format!("no source of {package}")))
    } else if let Some(directory) = &build.directory {
        let path = dir.join(directory);
        match path.canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            _ => Err(fault("directory", format!("{}: no such directory", path.display()))),
        }
    } else if let Some(git) = &build.git {
        match from_git(dir, git, patches, stopper)? {
            Ok((command, found)) => {
                commit = found;
                obtain(&command)?.map_err(failed("git", "git failed"))
            }
            Err(fault) => Err(fault),
        }
    } else {
        Ok(dir.to_owned())
    };
    Ok(found.map(|root| SourceTree { root, commit }))
}

/// The command that makes the source tree of `build.git`, and the commit that was found for the
/// patches if it names no revision.
fn from_git(
    dir: &Path,
    git: &str,
    patches: &[Patch],
    stopper: &Stopper,
) -> Result<Result<(String, Option<String>), Fault>, SubjectError> {
    let checkout = |url: &str, revision: &str| {
        format!(
            "git clone --quiet --no-checkout -- {} \"$PSYCHIC_SOURCE\" && \
             git -C \"$PSYCHIC_SOURCE\" checkout --quiet --detach {}",
            quoted(url),
            quoted(revision),
        )
    };
    match git.rsplit_once('#') {
        None if !git.is_empty() => {
            let found = git::find(dir, git, patches, stopper)?;
            let command =
                |found: git::Found| (checkout(&found.clone, &found.commit), Some(found.commit));
            Ok(found.map(command).map_err(|message| fault("git", message)))
        }
        Some((url, revision))
            if !url.is_empty() && !revision.is_empty() && !revision.starts_with('-') =>
        {
            Ok(Ok((checkout(url, revision), None)))
        }
        _ => Ok(Err(fault("git", format!("git = {git:?} is not URL or URL#REVISION")))),
    }
}

/// Checks that the forms of the sources and the candidates go together.
pub(super) fn check_forms(config: &SubjectConfig, patches: &[Patch]) -> Result<(), Fault> {
    let is_module = |path: &PathBuf| Form::of(path) == Form::Module;
    let modules = config.sources.iter().filter(|source| is_module(source)).count();
    if modules > 0 && modules < config.sources.len() {
        return Err(fault("sources", "C files and bitcode modules cannot make one program"));
    }
    for patch in patches {
        let key = if patch.form == Form::Diff { "patches" } else { "candidates" };
        if (patch.form == Form::Module) != (modules > 0) {
            let what = if modules > 0 { "bitcode modules" } else { "C files" };
            let message =
                format!("{}: wrong form, the sources are {what}; leave it out", patch.name);
            return Err(fault(key, message));
        }
        if config.revisions > 0 && patch.form != Form::Number {
            let message = format!("{}: a meta program written by hand has no patches", patch.name);
            return Err(fault(key, message));
        }
        if patch.form == Form::File && config.sources.is_empty() {
            let message = format!("{}: `sources` has to say what it replaces", patch.name);
            return Err(fault("candidates", message));
        }
    }
    if modules > 0 && config.entry != "main" {
        return Err(fault("entry", "bitcode modules start at their main"));
    }
    if config.revisions > 0 && config.build.program.is_some() {
        return Err(fault("revisions", "a meta program written by hand has no build of its own"));
    }
    Ok(())
}

/// The C files below a directory, relative to it and sorted, without hidden ones.
pub(super) fn c_files(root: &Path) -> Result<Vec<PathBuf>, SubjectError> {
    let files = files_below(root).map_err(SubjectError::io(root))?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "c")).collect())
}

/// The file that marks a directory as one with results of Psychic, which are no part of a program.
pub const RESULTS_MARK: &str = ".psychic";

/// Whether a directory has results of Psychic.
pub fn is_results(directory: &Path) -> bool {
    directory.join(RESULTS_MARK).is_file()
}

/// The files below a directory, relative to it and sorted, without hidden ones and results.
///
/// # Errors
/// A directory cannot be read.
pub fn files_below(root: &Path) -> io::Result<Vec<PathBuf>> {
    let is_shown = |entry: &DirEntry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !is_hidden && !is_results(entry.path())
    };
    // The walk through a file ends without an error.
    fs::read_dir(root)?;
    let mut found = Vec::new();
    for entry in WalkDir::new(root).into_iter().filter_entry(is_shown) {
        let path = entry?.into_path();
        if path.is_file() {
            found.push(path.strip_prefix(root).expect("found below it").to_owned());
        }
    }
    found.sort();
    Ok(found)
}

/// The C files below `root` that patches change, sorted. A diff changes the files that its `+++`
/// lines name, after as many leading directories are removed as it takes to find a file. A
/// directory tree changes the files that both trees have and that differ.
pub(super) fn touched(root: &Path, patches: &[Patch]) -> Result<Vec<PathBuf>, SubjectError> {
    let mut found = BTreeSet::new();
    for patch in patches {
        if patch.form == Form::Tree {
            let differs = |file: &PathBuf| {
                let old = fs::read(root.join(file));
                old.is_ok_and(|old| fs::read(patch.path.join(file)).is_ok_and(|new| new != old))
            };
            found.extend(c_files(&patch.path)?.into_iter().filter(differs));
            continue;
        }
        let text = fs::read(&patch.path).map_err(SubjectError::io(&patch.path))?;
        for line in String::from_utf8_lossy(&text).lines() {
            let Some(name) = line.strip_prefix("+++ ") else { continue };
            let name = Path::new(name.split('\t').next().unwrap_or_default().trim_end());
            let parts: Vec<_> = name.components().collect();
            let shorter = (0..parts.len()).map(|strip| parts[strip..].iter().collect::<PathBuf>());
            let file = shorter.into_iter().find(|file| is_inner(file) && root.join(file).is_file());
            found.extend(file.filter(|file| file.extension().is_some_and(|e| e == "c")));
        }
    }
    Ok(found.into_iter().collect())
}
