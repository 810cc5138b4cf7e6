//! Assembles the files of a meta program, and returns none of them unchecked.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use serde::Serialize;

use crate::subject::{Revision, RevisionSet, Subject, is_results};

use super::{
    MergeError, Role, SyntaxCheck,
    candidate::{Candidate, Candidates, Changes},
    check,
    edit::Granularity,
    emit::{self, Site, Version},
    encoding::{decode, encode, shown},
    error::with_name,
    project,
    resolve::{self, Resolved},
    source::Source,
    token, wording,
};

/// All revisions in one program.
#[derive(Clone, Debug)]
pub struct MetaProgram {
    /// The files that differ from the original's, sorted by path.
    pub files: Vec<MetaFile>,
    /// One entry per revision, `revisions[r]` being revision r; the original is the first.
    pub revisions: Vec<MergedRevision>,
    /// The subject's sources, relative to `root`. Those in `files` are replaced; the others are
    /// used as they are.
    pub sources: Vec<PathBuf>,
    /// The subject's source root.
    pub root: PathBuf,
    originals: BTreeMap<PathBuf, Arc<str>>,
    patched: BTreeMap<Revision, Changes>,
}

/// A file of the meta program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MetaFile {
    /// Path relative to the source root.
    pub path: PathBuf,
    /// Its text, as [`decode`] makes it.
    pub text: String,
}

/// What became of a revision; a row of `revisions.csv`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct MergedRevision {
    /// Its number.
    pub revision: Revision,
    /// Name of the patch; empty for the original.
    pub patch: String,
    /// Whether and how it takes part.
    pub status: Status,
    /// The notes on it ([`is_note`]) and, if it is not in the meta program, the reason; separated
    /// by `; `, and mostly empty.
    pub reason: String,
    /// Hunks of the patch; 0 where it could not be read or applied.
    pub hunks: usize,
    /// Number of sites where it takes an arm other than the original's, shared or not.
    pub arms: usize,
}

/// The note that a patch does not apply as it is.
const BLANKS_IGNORED: &str = "applied with white space ignored";

/// How the note begins that a patch also changes a binary file that the program does not depend on.
const LEFT_OUT: &str = "without the binary file";

/// How the note begins that a revision has the same sources as one before it.
const SAME_AS: &str = "the same as";

/// Whether a part of [`MergedRevision::reason`] is a note on what the revision is. People should
/// see a note even if the revision is in the meta program.
pub fn is_note(reason: &str) -> bool {
    reason == BLANKS_IGNORED || [LEFT_OUT, SAME_AS].iter().any(|note| reason.starts_with(note))
}

/// Whether and how a revision takes part.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is in the meta program.
    Merged,
    /// It cannot be in the meta program: it takes part only as its own compilation.
    Own,
    /// It was set aside: it does not apply, or does not compile.
    Rejected,
}

impl MetaProgram {
    /// Writes the changed files below `dir`, at their paths relative to the source root.
    ///
    /// # Errors
    /// A directory or file cannot be written.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        // The directory has to exist even if the patches change nothing, so that there is no file.
        fs::create_dir_all(dir)?;
        for file in &self.files {
            let path = dir.join(&file.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, encode(&file.text))?;
        }
        Ok(())
    }

    /// The revisions in the meta program, the original included.
    pub fn merged(&self) -> RevisionSet {
        let merged = self.revisions.iter().filter(|r| r.status == Status::Merged);
        merged.map(|r| r.revision).collect()
    }

    /// The text of a file, as [`decode`] makes it, with the patch of `revision` alone; the
    /// original's text if the patch does not change the file. `None` for files that no patch
    /// changes, for files that this patch removes, and for rejected revisions.
    pub fn patched(&self, revision: Revision, file: &Path) -> Option<&str> {
        match self.patched.get(&revision)?.get(file) {
            Some(own) => own.as_deref(),
            None => self.originals.get(file).map(|text| &**text),
        }
    }
}

/// A revision that keeps a draft from being correct, and why.
struct Fault {
    revision: Revision,
    reason: String,
    /// Coarser edits would not help.
    hopeless: bool,
}

fn projection_fault(path: &Path, revision: Revision, reason: &str) -> Fault {
    let reason = format!("{}: projection fails: {reason}", path.display());
    Fault { revision, reason, hopeless: false }
}

/// The files of a meta program that passed projection.
struct Draft {
    files: Vec<MetaFile>,
    sites: Vec<Site>,
}

pub(super) struct Merger<'a> {
    subject: &'a Subject,
    check: &'a dyn SyntaxCheck,
    originals: BTreeMap<PathBuf, Source>,
    given: Candidates,
    /// The patched files of the revisions that may still be in the meta program.
    candidates: BTreeMap<Revision, BTreeMap<PathBuf, Source>>,
    /// Why the other revisions that apply are not in it.
    obstacles: BTreeMap<Revision, String>,
    granularity: BTreeMap<Revision, Granularity>,
    /// For each name that was looked up, the files that have it among their tokens.
    elsewhere: RefCell<BTreeMap<String, BTreeSet<PathBuf>>>,
    /// Whether a revision compiles with a text of a file, where that was tried.
    compiled: RefCell<BTreeMap<(Revision, PathBuf, String), bool>>,
}

impl<'a> Merger<'a> {
    /// Reads the original and every patched file.
    pub(super) fn new(
        subject: &'a Subject,
        check: &'a dyn SyntaxCheck,
        given: Candidates,
    ) -> Result<Self, MergeError> {
        let mut merger = Self {
            subject,
            check,
            originals: BTreeMap::new(),
            given,
            candidates: BTreeMap::new(),
            obstacles: BTreeMap::new(),
            granularity: BTreeMap::new(),
            elsewhere: RefCell::default(),
            compiled: RefCell::default(),
        };
        let good: Vec<(Revision, Candidate)> = merger
            .given
            .iter()
            .filter_map(|(revision, candidate)| Some((*revision, candidate.as_ref().ok()?.clone())))
            .collect();
        for (revision, candidate) in &good {
            let changes = candidate.files.iter().filter(|(path, _)| is_part(check, path));
            let other = changes.clone().find_map(|(path, text)| {
                let new = !subject.root.join(path).is_file();
                let what = match text {
                    None => "removes",
                    Some(_) if new => "adds",
                    Some(_) if check.role(path) == Role::Build => "changes",
                    Some(_) => return None,
                };
                Some(format!("it {what} {}", path.display()))
            });
            if let Some(reason) = other {
                merger.obstacles.insert(*revision, reason);
                continue;
            }
            for (path, _) in changes {
                merger.original(path)?;
            }
        }
        let (obstacles, originals) = (&merger.obstacles, &merger.originals);
        merger.candidates = good
            .into_par_iter()
            .filter(|(revision, _)| !obstacles.contains_key(revision))
            .map(|(revision, candidate)| {
                let files = candidate.files.into_iter().filter(|(path, _)| is_part(check, path));
                let source = |(path, text): (PathBuf, Option<Arc<str>>)| {
                    let source = originals[&path].patched(text?);
                    Some((path, source))
                };
                (revision, files.filter_map(source).collect())
            })
            .collect();
        Ok(merger)
    }

    fn original(&mut self, path: &Path) -> Result<(), MergeError> {
        if self.originals.contains_key(path) {
            return Ok(());
        }
        let full = self.subject.root.join(path);
        let bytes = fs::read(&full).map_err(MergeError::io(&full))?;
        let source = Source::new(decode(bytes));
        let all = token::lex(&source.text);
        let reserved = all.iter().find(|t| project::is_reserved(t, t.text(&source.text)));
        if let Some(token) = reserved {
            return Err(MergeError::Reserved {
                path: path.to_owned(),
                line: token::line_of(&source.text, token.start),
                name: token.text(&source.text).to_owned(),
            });
        }
        self.originals.insert(path.to_owned(), source);
        Ok(())
    }

    /// Makes drafts until one is correct. Revisions that are at fault get coarser edits first, and
    /// are left out in the end.
    pub(super) fn run(mut self) -> Result<MetaProgram, MergeError> {
        if self.given.values().all(Result::is_err) {
            let reasons = self.given.iter().filter_map(|(revision, given)| {
                let (name, why) = (self.name(*revision), given.as_ref().err()?);
                Some(with_name(name, why))
            });
            return Err(MergeError::NothingToMerge(reasons.collect()));
        }
        loop {
            let all: Vec<Revision> = self.candidates.keys().copied().collect();
            let faults = match self.draft(&all) {
                Err(faults) => faults,
                Ok(draft) => match self.check.check_program(self.subject, &texts_of(&draft)) {
                    Ok(()) => return Ok(self.finish(draft)),
                    Err(message) if all.is_empty() => return Err(MergeError::Original(message)),
                    Err(message) => self.blame(&all, message),
                },
            };
            // If even the original's projection is wrong, the edits of some revision are the cause.
            let original = faults.iter().find(|f| f.revision == Revision::ORIGINAL);
            let faults = match original {
                Some(fault) => self.blame(&all, fault.reason.clone()),
                None => faults,
            };
            for Fault { revision, reason, hopeless } in faults {
                let known = self.granularity.insert(revision, Granularity::Function);
                if hopeless || known == Some(Granularity::Function) {
                    self.candidates.remove(&revision);
                    self.obstacles.insert(revision, reason);
                }
            }
        }
    }

    fn name(&self, revision: Revision) -> &str {
        match revision.0.checked_sub(1) {
            None => "",
            Some(index) => &self.subject.patches[index as usize].name,
        }
    }

    /// The meta program of some revisions, if it projects to each of them.
    fn draft(&self, revisions: &[Revision]) -> Result<Draft, Vec<Fault>> {
        let mut draft = Draft { files: Vec::new(), sites: Vec::new() };
        let mut faults = Vec::new();
        for (path, original) in &self.originals {
            let versions = match self.versions(path, original, revisions) {
                Ok(versions) => versions,
                Err(found) => {
                    faults.extend(found);
                    continue;
                }
            };
            if versions.is_empty() {
                continue;
            }
            match emit::emit(original, &versions, draft.sites.len() + 1) {
                Ok((text, sites)) => {
                    draft.sites.extend(sites);
                    faults.extend(self.project(path, &text, revisions));
                    draft.files.push(MetaFile { path: path.clone(), text });
                }
                Err(conflict) => faults.extend(conflict.revisions.iter().map(|revision| {
                    let reason = "its labels clash with another patch's".to_owned();
                    Fault { revision, reason, hopeless: false }
                })),
            }
        }
        if faults.is_empty() { Ok(draft) } else { Err(faults) }
    }

    /// The distinct patched texts of a file, without those equal to the original.
    fn versions(
        &self,
        path: &Path,
        original: &Source,
        revisions: &[Revision],
    ) -> Result<Vec<Version>, Vec<Fault>> {
        let mut groups: Vec<(RevisionSet, &Source)> = Vec::new();
        for revision in revisions {
            let Some(source) = self.candidates[revision].get(path) else { continue };
            if original.same_as(source) {
                continue;
            }
            match groups.iter_mut().find(|(_, known)| known.same_as(source)) {
                Some((set, _)) => _ = set.insert(*revision),
                None => groups.push((RevisionSet::from_iter([*revision]), source)),
            }
        }
        let granularity = |set: &RevisionSet| {
            let coarse = |r| self.granularity.get(&r) == Some(&Granularity::Function);
            if set.iter().any(coarse) { Granularity::Function } else { Granularity::Node }
        };
        let first = |set: &RevisionSet| set.first().unwrap_or_default();
        let patched = groups.iter().map(|(set, s)| (first(set), (*s, granularity(set)))).collect();
        let elsewhere = |name: &str| self.elsewhere(path, name);
        let compiles = |revision: Revision, text: &str| self.compiles(revision, path, text);
        let fixed = ["main", &self.subject.config.entry];
        let file = resolve::File {
            original,
            patched,
            elsewhere: &elsewhere,
            compiles: &compiles,
            fixed: &fixed,
        };
        let mut resolved = file.resolve();
        let mut faults = Vec::new();
        let mut versions = Vec::new();
        for (set, _) in groups {
            match resolved.remove(&first(&set)) {
                Some(Ok(Resolved { source, edits })) => {
                    versions.push(Version { revisions: set, source, edits });
                }
                Some(Err(obstacle)) => faults.extend(set.iter().map(|revision| {
                    let (file, line) = (path.display(), obstacle.line);
                    let reason = format!("{file}:{line}: {}", obstacle.reason);
                    Fault { revision, reason, hopeless: true }
                })),
                None => {}
            }
        }
        if faults.is_empty() { Ok(versions) } else { Err(faults) }
    }

    /// The revisions, the original among them, whose projection of an emitted text is wrong.
    fn project(&self, path: &Path, text: &str, revisions: &[Revision]) -> Vec<Fault> {
        let projection = match project::Projection::new(text) {
            Ok(projection) => projection,
            Err(reason) => return vec![projection_fault(path, Revision::ORIGINAL, &reason)],
        };
        let original = &self.originals[path];
        let own = |revision: &Revision| self.candidates.get(revision)?.get(path);
        let all: Vec<(Revision, &Source)> = std::iter::once((Revision::ORIGINAL, original))
            .chain(revisions.iter().map(|revision| (*revision, own(revision).unwrap_or(original))))
            .collect();
        let fault = |(revision, expected): &(Revision, &Source)| {
            let reason = projection.check(*revision, expected).err()?;
            Some(projection_fault(path, *revision, &reason))
        };
        all.par_iter().filter_map(fault).collect()
    }

    /// Finds the revisions that keep a meta program from compiling. These are the ones that cannot
    /// be merged even alone or, if there are none, those that cannot be merged with the ones before
    /// them.
    fn blame(&self, all: &[Revision], message: String) -> Vec<Fault> {
        let fails = |revisions: &[Revision]| match self.draft(revisions) {
            Ok(draft) => {
                let message = check::compile(self.subject, self.check, &texts_of(&draft)).err()?;
                Some(self.in_own_words(*revisions.last()?, &draft, &message))
            }
            Err(faults) => faults.into_iter().next().map(|f| f.reason),
        };
        let fault = |revision, message: String| {
            let reason = format!("the meta program would be wrong with it: {message}");
            Fault { revision, reason, hopeless: false }
        };
        let alone: Vec<_> = all.iter().filter_map(|r| Some(fault(*r, fails(&[*r])?))).collect();
        if !alone.is_empty() {
            return alone;
        }
        let mut good = Vec::new();
        let mut faults = Vec::new();
        for revision in all {
            good.push(*revision);
            if let Some(message) = fails(&good) {
                good.pop();
                faults.push(fault(*revision, message));
            }
        }
        if faults.is_empty() {
            // The compiler contradicts itself: blame all, so as not to loop for ever.
            let draft = self.draft(all).ok();
            faults.extend(all.iter().map(|revision| {
                let message = match &draft {
                    Some(draft) => self.in_own_words(*revision, draft, &message),
                    None => message.clone(),
                };
                fault(*revision, message)
            }));
        }
        faults
    }

    /// A compiler's message about a draft, with the lines of a revision.
    fn in_own_words(&self, revision: Revision, draft: &Draft, message: &str) -> String {
        let own = |path: &Path| {
            let patched = self.candidates.get(&revision).and_then(|files| files.get(path));
            patched.or_else(|| self.originals.get(path)).map(|source| &*source.text)
        };
        let texts = draft.files.iter().map(|file| (file.path.as_path(), &*file.text));
        wording::in_own_words(message, texts, revision, own)
    }

    /// Whether a revision compiles with another text for one of its files.
    fn compiles(&self, revision: Revision, path: &Path, text: &str) -> bool {
        let key = (revision, path.to_owned(), text.to_owned());
        *self.compiled.borrow_mut().entry(key).or_insert_with(|| {
            let others = self.candidates[&revision].iter().filter(|(p, _)| *p != path);
            let texts = others.map(|(other, source)| (other.as_path(), Some(&*source.text)));
            let texts: Vec<_> = texts.chain([(path, Some(text))]).collect();
            check::compile(self.subject, self.check, &texts).is_ok()
        })
    }

    /// A file other than `path` with `name` among its tokens.
    fn elsewhere(&self, path: &Path, name: &str) -> Option<String> {
        let mut known = self.elsewhere.borrow_mut();
        if !known.contains_key(name) {
            let mut files = BTreeSet::new();
            find_word(&self.subject.root, Path::new(""), name, &mut files);
            // A C file beside the sources of a subject need not belong to it. All files count where
            // the program has a build of its own: its `sources` are only those that are patched.
            let (sources, build) = (&self.subject.sources, &self.subject.config.build);
            let is_part = |file: &PathBuf| {
                build.is_own()
                    || sources.contains(file)
                    || file.extension().is_some_and(|extension| extension == "h")
            };
            files.retain(is_part);
            known.insert(name.to_owned(), files);
        }
        let other = known[name].iter().find(|f| *f != path)?;
        Some(other.display().to_string())
    }

    /// The notes on a revision that applies; see [`is_note`].
    fn notes(&self, revision: Revision) -> Vec<String> {
        let Some(Ok(given)) = self.given.get(&revision) else { return Vec::new() };
        let blanks = given.blanks_ignored.then(|| BLANKS_IGNORED.to_owned());
        let same = |other: Revision| match other {
            Revision::ORIGINAL => format!("{SAME_AS} 0 original"),
            _ => format!("{SAME_AS} {other} {}", self.name(other)),
        };
        let left_out = given.left_out.iter().map(|file| format!("{LEFT_OUT} {}", file.display()));
        let alike = self.first_alike(revision, given).map(same);
        blanks.into_iter().chain(left_out).chain(alike).collect()
    }

    /// The first revision before this one that has the same sources.
    fn first_alike(&self, revision: Revision, given: &Candidate) -> Option<Revision> {
        if given.files.is_empty() {
            return Some(Revision::ORIGINAL);
        }
        let is_alike = |other: &Result<Candidate, String>| {
            other.as_ref().is_ok_and(|other| other.files == given.files)
        };
        let mut before = self.given.range(..revision);
        before.find(|(_, other)| is_alike(other)).map(|(other, _)| *other)
    }

    fn finish(self, draft: Draft) -> MetaProgram {
        let arms = |revision| {
            let takes = |s: &&Site| s.arms.iter().any(|arm| arm.contains(revision));
            draft.sites.iter().filter(takes).count()
        };
        let entry = |revision: Revision| {
            let (status, obstacle, hunks) =
                match (self.given.get(&revision), self.obstacles.get(&revision)) {
                    (Some(Err(reason)), _) => (Status::Rejected, Some(reason.clone()), 0),
                    (Some(Ok(given)), Some(reason)) => {
                        (Status::Own, Some(reason.clone()), given.hunks)
                    }
                    (Some(Ok(given)), None) => (Status::Merged, None, given.hunks),
                    (None, _) => (Status::Merged, None, 0),
                };
            let reasons: Vec<String> = self.notes(revision).into_iter().chain(obstacle).collect();
            let reason = wording::plain(&shown(&reasons.join("; ")));
            let patch = self.name(revision).to_owned();
            MergedRevision { revision, patch, status, reason, hunks, arms: arms(revision) }
        };
        let revisions = (0..self.subject.revisions() as u32).map(|r| entry(Revision(r))).collect();
        let mut patched: BTreeMap<Revision, Changes> = self
            .given
            .iter()
            .filter_map(|(revision, given)| Some((*revision, given.as_ref().ok()?.files.clone())))
            .collect();
        patched.insert(Revision::ORIGINAL, BTreeMap::new());
        let originals = self.originals.into_iter();
        MetaProgram {
            files: draft.files,
            revisions,
            sources: self.subject.sources.clone(),
            root: self.subject.root.clone(),
            originals: originals.map(|(path, source)| (path, source.text)).collect(),
            patched,
        }
    }
}

fn texts_of(draft: &Draft) -> Vec<(&Path, Option<&str>)> {
    draft.files.iter().map(|file| (file.path.as_path(), Some(&*file.text))).collect()
}

/// Whether the program depends on a file.
fn is_part(check: &dyn SyntaxCheck, path: &Path) -> bool {
    check.role(path) != Role::None
}

/// Collects the C files below `root/dir` that have `name` as a token.
fn find_word(root: &Path, dir: &Path, name: &str, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(root.join(dir)) else { return };
    for entry in entries.flatten() {
        let path = dir.join(entry.file_name());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            // Neither version control and caches nor results are sources.
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !is_hidden && !is_results(&entry.path()) {
                find_word(root, &path, name, found);
            }
        } else if path.extension().is_some_and(|e| e == "c" || e == "h") {
            let text = fs::read(root.join(&path)).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            if text.contains(name) && token::tokens(&text).iter().any(|t| t.text(&text) == name) {
                found.insert(path);
            }
        }
    }
}
