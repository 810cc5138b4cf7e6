//! From a patch file to patched sources that compile.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use crate::subject::{Patch, Subject};

use super::{
    SyntaxCheck, apply, overlay,
    patch::{self, FileDiff},
    source::Source,
};

/// A patch that was applied.
pub(super) struct Candidate {
    pub(super) hunks: usize,
    /// The patched texts by path relative to the source root.
    pub(super) files: BTreeMap<PathBuf, Source>,
}

/// Applies a patch to the sources.
///
/// # Errors
/// The reason to reject it, with file and line.
pub(super) fn read(subject: &Subject, patch: &Patch) -> Result<Candidate, String> {
    let bytes = fs::read(&patch.path).map_err(|error| format!("{}: {error}", patch.name))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: not UTF-8 text", patch.name))?;
    let diffs =
        patch::parse(&text).map_err(|e| format!("{}:{}: {}", patch.name, e.line, e.reason))?;
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut hunks = 0;
    for diff in &diffs {
        let place = |line: usize, reason: String| format!("{}:{line}: {reason}", patch.name);
        let path = target(subject, diff).map_err(|reason| place(diff.line, reason))?;
        if !texts.contains_key(&path) {
            let text = text_of(&subject.root, &path).map_err(|e| place(diff.line, e))?;
            texts.insert(path.clone(), text);
        }
        let patched = apply::apply(&texts[&path], &diff.hunks).map_err(|misfit| {
            let hunk = &diff.hunks[misfit.hunk];
            let number = misfit.hunk + 1;
            let (line, why) = match misfit.difference {
                Some((line, text)) => (line, format!("expected `{}`", text.trim())),
                None => (misfit.expected, "it overlaps the hunk before it".to_owned()),
            };
            let file = path.display();
            place(hunk.line, format!("hunk {number} does not apply at {file}:{line}: {why}"))
        })?;
        hunks += diff.hunks.len();
        texts.insert(path, patched);
    }
    let files = texts.into_iter().map(|(path, text)| (path, Source::new(text))).collect();
    Ok(Candidate { hunks, files })
}

/// A source file's text.
pub(super) fn text_of(root: &Path, path: &Path) -> Result<String, String> {
    let bytes =
        fs::read(root.join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        format!("{}:{line}: not UTF-8 (iconv converts it)", path.display())
    })
}

/// The file that a diff changes, relative to the source root: its path as it stands, or with
/// leading directories taken off as patch -p does.
fn target(subject: &Subject, diff: &FileDiff) -> Result<PathBuf, String> {
    let (old, new) = match (&diff.old, &diff.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(new)) => return Err(format!("it creates {new}; new files are not merged")),
        (Some(old), None) => return Err(format!("it deletes {old}; that cannot be merged")),
        (None, None) => return Err("it names no file".into()),
    };
    let is_git = old.starts_with("a/") && new.starts_with("b/");
    let longest = Path::new(old).components().count().max(Path::new(new).components().count());
    let order = if is_git { vec![1, 0] } else { vec![0, 1] };
    for strip in order.into_iter().chain(2..longest) {
        for name in [new, old] {
            let parts: Vec<_> = Path::new(name)
                .components()
                .filter(|c| !matches!(c, Component::CurDir | Component::RootDir))
                .skip(strip)
                .collect();
            let path: PathBuf = parts.iter().collect();
            let inner = parts.iter().all(|c| matches!(c, Component::Normal(_)));
            if inner && !parts.is_empty() && subject.root.join(&path).is_file() {
                return Ok(path);
            }
        }
    }
    Err(format!("{new} is not a file of the subject"))
}

/// The files to compile when `changed` ones differ from the original: a header can be
/// anywhere.
pub(super) fn to_compile<'a>(
    subject: &'a Subject,
    changed: impl Iterator<Item = &'a Path> + Clone,
) -> Vec<&'a Path> {
    let is_source = |file: &Path| subject.sources.iter().any(|s| s == file);
    if changed.clone().all(is_source) {
        changed.collect()
    } else {
        subject.sources.iter().map(PathBuf::as_path).collect()
    }
}

/// Compiles a tree in which some files are replaced.
///
/// # Errors
/// The first error of the first file that does not compile.
pub(super) fn compile(
    subject: &Subject,
    check: &dyn SyntaxCheck,
    texts: &[(&Path, &str)],
) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| format!("no scratch directory: {error}"))?;
    overlay(&subject.root, texts.iter().copied(), dir.path())
        .map_err(|error| format!("no scratch copy of the sources: {error}"))?;
    to_compile(subject, texts.iter().map(|(path, _)| *path))
        .into_iter()
        .try_for_each(|file| check.check(dir.path(), file))
}

/// Whether a candidate compiles.
///
/// # Errors
/// Where it does not: the syntax errors that the original has not, else the compiler's word.
pub(super) fn validate(
    subject: &Subject,
    check: &dyn SyntaxCheck,
    originals: &BTreeMap<PathBuf, Source>,
    candidate: &Candidate,
) -> Result<(), String> {
    let texts: Vec<_> =
        candidate.files.iter().map(|(path, source)| (path.as_path(), &*source.text)).collect();
    let Err(message) = compile(subject, check, &texts) else { return Ok(()) };
    for (path, source) in &candidate.files {
        let known = originals.get(path).map(Source::errors).unwrap_or_default();
        for (line, error) in source.errors() {
            if known.iter().all(|(_, old)| *old != error) {
                return Err(format!("{}:{line}: {error} ({message})", path.display()));
            }
        }
    }
    Err(message)
}
