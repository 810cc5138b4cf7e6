//! Turns patches into patched sources, and checks that these compile.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use crate::subject::{Form, Patch, Revision, Subject, files_below};

use super::{
    SyntaxCheck, apply,
    check::compile,
    encoding::{decode, shown},
    patch::{self, FileDiff},
    source::Source,
};

/// The files that a patch changes, by path relative to the source root: the new text, as [`decode`]
/// makes it, or `None` if the patch removes the file.
pub type Changes = BTreeMap<PathBuf, Option<Arc<str>>>;

/// A patch that was applied.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// Number of hunks in the patch.
    pub hunks: usize,
    /// The files that it changes.
    pub files: Changes,
    /// It is a diff that applies only if runs of blanks count as equal.
    pub blanks_ignored: bool,
    /// Binary files that the diff also changes, relative to the source root. No C file mentions
    /// them.
    pub left_out: Vec<PathBuf>,
}

/// What became of each patch: the patched files, or the reason why it does not apply, with the file
/// and line.
pub type Candidates = BTreeMap<Revision, Result<Candidate, String>>;

/// Applies every patch of a subject.
pub fn candidates(subject: &Subject) -> Candidates {
    let read = |patch: &Patch| (patch.revision, read(subject, patch));
    subject.patches.par_iter().map(read).collect()
}

/// Reads a patch, whatever its form, and applies it to the sources.
fn read(subject: &Subject, patch: &Patch) -> Result<Candidate, String> {
    let candidate = match patch.form {
        Form::Diff | Form::File if !patch.path.is_file() => {
            Err(format!("{}: neither a file nor a link to one", patch.name))
        }
        Form::Diff => applied(subject, patch),
        Form::File => in_place(subject, patch),
        Form::Tree => tree(subject, patch),
        Form::Module | Form::Number => Ok(Candidate::default()),
    };
    let candidate = candidate.and_then(|candidate| match left_uncompiled(subject, &candidate) {
        Some(file) => Err(format!(
            "{}: {} would not be compiled: build.whole compiles `sources` alone",
            patch.name,
            file.display()
        )),
        None => Ok(candidate),
    });
    candidate.map_err(|reason| shown(&reason))
}

/// A new C file of a candidate that is neither compiled nor included. The one command that builds a
/// program to be run whole names only the sources of the original.
fn left_uncompiled(subject: &Subject, candidate: &Candidate) -> Option<PathBuf> {
    let is_new = |file: &Path| {
        file.extension().is_some_and(|e| e == "c") && !subject.root.join(file).exists()
    };
    let is_mentioned = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        candidate.files.values().flatten().any(|text| text.contains(&*name))
    };
    let mut new = candidate.files.iter().filter(|(file, text)| text.is_some() && is_new(file));
    let missed = new.find(|(file, _)| !is_mentioned(file)).map(|(file, _)| file.clone());
    missed.filter(|_| subject.config.build.whole)
}

/// The candidate that replaces one source by a file.
fn in_place(subject: &Subject, patch: &Patch) -> Result<Candidate, String> {
    let name = Path::new(&patch.name).file_name();
    let of_name = || subject.sources.iter().filter(|source| source.file_name() == name);
    let source = match &subject.sources[..] {
        [only] => only,
        _ if of_name().count() == 1 => of_name().next().expect("counted"),
        _ => {
            let reason = "not exactly one of `sources` has that name: which one does it replace?";
            return Err(format!("{}: {reason}", patch.name));
        }
    };
    let text = text_at(&patch.path, &patch.name)?;
    replaced(subject, [(source.clone(), Some(text))])
}

/// The candidate that replaces the source tree by a directory.
fn tree(subject: &Subject, patch: &Patch) -> Result<Candidate, String> {
    let failed = |error: io::Error| format!("{}: {error}", patch.name);
    let is_c = |file: &PathBuf| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("c" | "h"))
    };
    let theirs = files_below(&patch.path).map_err(failed)?;
    let mut files: Changes = BTreeMap::new();
    for file in theirs {
        let path = patch.path.join(&file);
        let name = Path::new(&patch.name).join(&file);
        let bytes = match bytes_at(&path, &name.display().to_string()) {
            Ok(bytes) => bytes,
            Err(_) if !is_c(&file) => continue,
            Err(error) => return Err(error),
        };
        let same = fs::read(subject.root.join(&file)).is_ok_and(|old| old == bytes);
        // A file that is neither C nor text cannot be a source.
        if !same && (is_c(&file) || !bytes.contains(&0)) {
            files.insert(file, Some(decode(bytes).into()));
        }
    }
    let headers = files_below(&subject.root).map_err(failed)?.into_iter().filter(|file| {
        let is_candidate = subject.patches.iter().any(|other| {
            let place = subject.root.join(file);
            place.starts_with(&other.path)
        });
        // In a package, a header may be a product of its build: its absence means nothing.
        let is_made = subject.config.build.is_own();
        !is_made && file.extension().is_some_and(|e| e == "h") && !is_candidate
    });
    for file in subject.sources.iter().cloned().chain(headers) {
        if !patch.path.join(&file).is_file() {
            files.insert(file, None);
        }
    }
    replaced(subject, files)
}

/// The candidate that gives files these texts (`None`: removes them), where the original differs.
fn replaced(
    subject: &Subject,
    files: impl IntoIterator<Item = (PathBuf, Option<Arc<str>>)>,
) -> Result<Candidate, String> {
    let mut candidate = Candidate { files: changes(subject, files)?, ..Candidate::default() };
    candidate.hunks = difference(subject, &candidate)
        .values()
        .map(|text| text.lines().filter(|line| line.starts_with("@@ ")).count())
        .sum();
    Ok(candidate)
}

/// The files that get another text than the original has.
fn changes(
    subject: &Subject,
    files: impl IntoIterator<Item = (PathBuf, Option<Arc<str>>)>,
) -> Result<Changes, String> {
    let mut changes = Changes::new();
    for (path, text) in files {
        let old = match subject.root.join(&path).is_file() {
            true => Some(text_of(&subject.root, &path)?),
            false => None,
        };
        if old != text {
            changes.insert(path, text);
        }
    }
    Ok(changes)
}

/// What a candidate changes, as unified diffs by file, which are texts as [`decode`] makes them.
pub fn difference(subject: &Subject, candidate: &Candidate) -> BTreeMap<PathBuf, String> {
    let diff = |(path, text): (&PathBuf, &Option<Arc<str>>)| {
        let old = text_of(&subject.root, path).unwrap_or_else(|_| "".into());
        let new = text.as_deref().unwrap_or_default();
        (path.clone(), diffy::create_patch(&old, new).to_string())
    };
    candidate.files.iter().map(diff).collect()
}

/// Applies a unified diff to the sources.
fn applied(subject: &Subject, patch: &Patch) -> Result<Candidate, String> {
    let bytes = fs::read(&patch.path).map_err(|error| format!("{}: {error}", patch.name))?;
    let text = decode(bytes);
    let diffs =
        patch::parse(&text).map_err(|e| format!("{}:{}: {}", patch.name, e.line, e.reason))?;
    let mut files: Changes = BTreeMap::new();
    let (mut hunks, mut blanks_ignored, mut left_out) = (0, false, Vec::new());
    let usual = diffs.iter().find_map(|diff| changed(subject, &files, diff));
    let usual = usual.map(|(_, strip)| strip);
    for diff in &diffs {
        let place = |line: usize, reason: String| format!("{}:{line}: {reason}", patch.name);
        if diff.is_binary {
            let out = binary(subject, &files, diff, usual).map_err(|why| place(diff.line, why))?;
            left_out.push(out);
            continue;
        }
        let Target { from, to } =
            target(subject, &files, diff, usual).map_err(|reason| place(diff.line, reason))?;
        let text = match &from {
            None => "".into(),
            Some(path) => match files.get(path) {
                Some(Some(text)) => text.clone(),
                Some(None) => return Err(place(diff.line, format!("{} is gone", path.display()))),
                None => text_of(&subject.root, path).map_err(|e| place(diff.line, e))?,
            },
        };
        let patched = apply::apply(&text, &diff.hunks).map_err(|misfit| {
            let hunk = &diff.hunks[misfit.hunk];
            let number = misfit.hunk + 1;
            let (line, why) = match misfit.difference {
                Some((line, text)) => (line, format!("expected `{}`", text.trim())),
                None => (misfit.expected, "it overlaps the hunk before it".to_owned()),
            };
            let file = from.as_ref().or(to.as_ref()).map(|path| path.display().to_string());
            let file = file.unwrap_or_default();
            place(hunk.line, format!("hunk {number} does not apply at {file}:{line}: {why}"))
        })?;
        if let (Some(from), None) = (&from, &to)
            && !diff.hunks.is_empty()
            && !patched.text.is_empty()
        {
            let reason = format!("it deletes {}, which has more lines than these", from.display());
            return Err(place(diff.line, reason));
        }
        hunks += diff.hunks.len();
        blanks_ignored |= patched.blanks_ignored;
        if let Some(from) = from.filter(|from| !diff.is_copy && to.as_ref() != Some(from)) {
            files.insert(from, None);
        }
        if let Some(to) = to {
            files.insert(to, Some(patched.text.into()));
        }
    }
    Ok(Candidate { hunks, files: changes(subject, files)?, blanks_ignored, left_out })
}

/// The path of a binary file that a diff changes, if the program seems not to depend on it.
fn binary(
    subject: &Subject,
    files: &Changes,
    diff: &FileDiff,
    usual: Option<usize>,
) -> Result<PathBuf, String> {
    const REFUSED: &str = "a binary file cannot be patched";
    let named = diff.new.as_ref().or(diff.old.as_ref()).ok_or(REFUSED)?;
    let there = changed(subject, files, diff).map(|(path, _)| path);
    let path = there.or_else(|| stripped(named, usual.or_else(|| strips(diff).next())?));
    let path = path.ok_or_else(|| format!("{named} is not a path in the subject"))?;
    let is_c = |file: &Path| file.extension().is_some_and(|e| e == "c" || e == "h");
    if is_c(&path) || subject.sources.contains(&path) {
        return Err(format!("{} is binary: {REFUSED}", path.display()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let build = &subject.config.build;
    let flags = build.flags.iter().chain(&build.configure).chain(&build.make);
    if flags.into_iter().any(|words| words.contains(&name)) {
        return Err(format!("[build] mentions {name}: {REFUSED}"));
    }
    let all = files_below(&subject.root).map_err(|error| error.to_string())?;
    let all = all.iter().filter(|file| is_c(file) || subject.sources.contains(file));
    for file in all {
        if text_of(&subject.root, file).is_ok_and(|text| text.contains(&name)) {
            return Err(format!("{} mentions {name}: {REFUSED}", file.display()));
        }
    }
    let mut changed = files.iter().filter_map(|(file, text)| Some((file, text.as_ref()?)));
    match changed.find(|(_, text)| text.contains(&name)) {
        Some((file, _)) => Err(format!("{} mentions {name}: {REFUSED}", file.display())),
        None => Ok(path),
    }
}

/// A source file's text.
pub(super) fn text_of(root: &Path, path: &Path) -> Result<Arc<str>, String> {
    text_at(&root.join(path), &path.display().to_string())
}

/// The text of the file at `path`, which messages call `name`.
fn text_at(path: &Path, name: &str) -> Result<Arc<str>, String> {
    bytes_at(path, name).map(|bytes| decode(bytes).into())
}

/// The content of the file at `path`, which messages call `name`.
fn bytes_at(path: &Path, name: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{name}: {error}"))
}

/// The file that a diff reads and the file that it writes, relative to the source root.
struct Target {
    from: Option<PathBuf>,
    to: Option<PathBuf>,
}

/// The numbers of leading directories that may have to be stripped off the paths of a diff, as
/// `patch -p` does; the usual ones first.
fn strips(diff: &FileDiff) -> impl Iterator<Item = usize> + use<> {
    let is_git = diff.old.as_ref().is_none_or(|old| old.starts_with("a/"))
        && diff.new.as_ref().is_none_or(|new| new.starts_with("b/"));
    let names = [&diff.new, &diff.old].into_iter().flatten();
    let longest = names.map(|name| Path::new(name).components().count()).max().unwrap_or_default();
    let first = if is_git { [1, 0] } else { [0, 1] };
    first.into_iter().chain(2..longest)
}

/// The existing file that a diff changes, and how many leading directories to strip off the new
/// name to get its path.
fn changed(subject: &Subject, files: &Changes, diff: &FileDiff) -> Option<(PathBuf, usize)> {
    let old = diff.old.as_ref()?;
    strips(diff).find_map(|strip| {
        // Unless the diff renames, one of its two names may be that of a backup.
        let new = diff.new.as_ref().filter(|_| !diff.renames);
        let names = new.into_iter().chain([old]);
        let paths = names.filter_map(|name| stripped(name, strip));
        let paths: Vec<_> = paths.filter(|path| is_there(subject, files, path)).collect();
        // Both may be there: a diff that was made from two files names both.
        let source = paths.iter().find(|path| subject.sources.contains(path));
        let path = source.or(paths.first())?.clone();
        let new = new.map(Path::new).filter(|new| new.ends_with(&path));
        let above = new.map_or(strip, |new| depth(new) - depth(&path));
        Some((path, above))
    })
}

fn is_there(subject: &Subject, files: &Changes, path: &Path) -> bool {
    match files.get(path) {
        Some(text) => text.is_some(),
        None => subject.root.join(path).is_file(),
    }
}

/// The files that the paths of a diff mean. `usual` is the number of leading directories to strip
/// off the new name in the first diff of the patch that changes an existing file.
fn target(
    subject: &Subject,
    files: &Changes,
    diff: &FileDiff,
    usual: Option<usize>,
) -> Result<Target, String> {
    let Some(name) = diff.new.as_ref().or(diff.old.as_ref()) else {
        return Err("it names no file".into());
    };
    if let Some((from, strip)) = changed(subject, files, diff) {
        let to = match &diff.new {
            None => None,
            Some(new) if diff.renames => Some(stripped(new, strip).ok_or("no path")?),
            Some(_) => Some(from.clone()),
        };
        return Ok(Target { from: Some(from), to });
    }
    if diff.old.is_some() && !diff.fits_nothing() {
        return Err(format!("{name} is not a file of the subject"));
    }
    // The path of a new file is stripped like those of other diffs if possible. Otherwise it is
    // stripped so that its directory exists, or else the first of its directories, or else in the
    // first way that leaves a path.
    let is_directory = |path: Option<&Path>| {
        path.is_some_and(|path| path != Path::new("") && subject.root.join(path).is_dir())
    };
    let fits = |strip: &usize| {
        stripped(name, *strip).is_some_and(|path| {
            is_directory(path.parent()) || *strip <= 1 && path.parent() == Some(Path::new(""))
        })
    };
    let begins_well = |strip: &usize| {
        let path = stripped(name, *strip).unwrap_or_default();
        path.components().count() > 1 && is_directory(path.iter().next().map(Path::new))
    };
    let leads_in = |strip: &usize| stripped(name, *strip).is_some();
    let strip = usual.filter(leads_in).or_else(|| strips(diff).find(fits));
    let strip = strip.or_else(|| strips(diff).find(begins_well));
    let strip = strip.or_else(|| strips(diff).find(leads_in));
    let to = strip.and_then(|strip| stripped(name, strip));
    let to = to.ok_or_else(|| format!("{name} is not a path in the subject"))?;
    if is_there(subject, files, &to) {
        return Err(format!("it creates {name}, which already exists"));
    }
    Ok(Target { from: None, to: Some(to) })
}

/// The number of components of a path, as [`stripped`] counts them.
fn depth(path: &Path) -> usize {
    path.components().filter(|c| !matches!(c, Component::CurDir | Component::RootDir)).count()
}

/// The path without its first `strip` components; `None` if the rest is empty or has a `..`.
fn stripped(name: &str, strip: usize) -> Option<PathBuf> {
    let parts: Vec<_> = Path::new(name)
        .components()
        .filter(|c| !matches!(c, Component::CurDir | Component::RootDir))
        .skip(strip)
        .collect();
    let inner = parts.iter().all(|c| matches!(c, Component::Normal(_)));
    (inner && !parts.is_empty()).then(|| parts.iter().collect())
}

/// Checks that a candidate compiles.
///
/// # Errors
/// It does not; [`explain`] makes the message.
pub(super) fn validate(
    subject: &Subject,
    check: &dyn SyntaxCheck,
    candidate: &Candidate,
) -> Result<(), String> {
    let texts: Vec<_> =
        candidate.files.iter().map(|(path, text)| (path.as_path(), text.as_deref())).collect();
    compile(subject, check, &texts).map_err(|message| explain(subject, candidate, &message))
}

/// Why a candidate does not compile: the first syntax error that the original does not have, in
/// plain words, with the compiler's `message` in parentheses; `message` alone if there is none.
pub fn explain(subject: &Subject, candidate: &Candidate, message: &str) -> String {
    for (path, text) in &candidate.files {
        let Some(text) = text else { continue };
        let known = text_of(&subject.root, path).map(|text| Source::new(text).errors());
        let known = known.unwrap_or_default();
        for (line, error) in Source::new(text.clone()).errors() {
            if known.iter().all(|(_, old)| *old != error) {
                return shown(&format!("{}:{line}: {error} ({message})", path.display()));
            }
        }
    }
    message.to_owned()
}
