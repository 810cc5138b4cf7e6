//! The merge of the patches to a meta program ([`Merged`]).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::PoisonError,
};

use anyhow::Context;

use super::{
    compared,
    observer::{Event, Observer},
    stage::Stage,
};
use crate::{
    compile::Compilation,
    merge::{self, Changes, MergeError, SyntaxCheck},
    report::{DOCUMENT_FILE, Document},
    results::{RevisionRow, Status},
    subject::{Revision, RevisionSet, Subject},
};

/// The reason for setting aside a revision that could take part.
const NOT_ASKED_FOR: &str = "not asked for";

/// The result of the merge.
pub(crate) struct Merged {
    /// Rows of `revisions.csv`, the original first.
    pub(crate) rows: Vec<RevisionRow>,
    /// The revisions that take part: all that are not rejected.
    pub(crate) revisions: Vec<Revision>,
}

impl Stage {
    /// Merges the patches, writes `meta/` and `revisions.csv`, and reports what was set aside.
    pub(crate) fn merge(&self, observer: &mut dyn Observer) -> anyhow::Result<Merged> {
        self.try_merge(observer).inspect_err(|_| {
            if self.toolchain.stopper().is_set() {
                // An interruption is not the subject's fault: what is built remains useful.
                return;
            }
            // A run that fails leaves nothing behind.
            _ = fs::remove_dir_all(self.results.path().join("build/revisions"));
            _ = fs::remove_dir(self.results.path().join("build"));
        })
    }

    fn try_merge(&self, observer: &mut dyn Observer) -> anyhow::Result<Merged> {
        let (patches, subject) = (self.subject.patches.len(), &self.subject.config.name);
        observer.observe(Event::Merging { patches, subject });
        if self.subject.is_meta() || self.subject.is_bitcode() {
            return self.take_as_given();
        }
        let program = match &self.whole {
            Some(whole) => merge::merge(&self.subject, whole)?,
            None => {
                let mut candidates = merge::candidates(&self.subject);
                let refused = self.compile_own(&candidates)?;
                for (revision, message) in refused {
                    let Some(candidate) = candidates.get_mut(&revision) else { continue };
                    if let Ok(known) = candidate {
                        *candidate = Err(merge::explain(&self.subject, known, &message));
                    }
                }
                merge::merge_candidates(&self.subject, candidates, &MetaCompiler { stage: self })?
            }
        };
        let meta = self.results.meta();
        if meta.exists() {
            fs::remove_dir_all(&meta).with_context(|| meta.display().to_string())?;
        }
        program.write(&meta).with_context(|| meta.display().to_string())?;
        let rows: Vec<RevisionRow> = program
            .revisions
            .iter()
            .map(|revision| RevisionRow {
                revision: revision.revision,
                patch: revision.patch.clone(),
                status: match revision.status {
                    merge::Status::Merged => Status::Merged,
                    merge::Status::Own => Status::Own,
                    merge::Status::Rejected => Status::Rejected,
                },
                reason: revision.reason.clone(),
                hunks: revision.hunks as u32,
                arms: revision.arms as u32,
                own: 0,
            })
            .collect();
        for row in rows.iter().filter(|row| row.status == Status::Rejected) {
            observer.observe(Event::SetAside(row));
        }
        self.results.write(&rows)?;
        Ok(Merged::of(rows))
    }

    /// Does the work of [`Self::merge`] where there is nothing to merge: for a meta program written
    /// by hand, or for revisions that are bitcode.
    fn take_as_given(&self) -> anyhow::Result<Merged> {
        let subject = &self.subject;
        let meta = self.results.meta();
        fs::create_dir_all(&meta).with_context(|| meta.display().to_string())?;
        let status = if subject.is_meta() { Status::Merged } else { Status::Own };
        if subject.is_meta() {
            for source in &subject.sources {
                let place = meta.join(source);
                let parent = place.parent().unwrap_or(&meta);
                fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
                let copied = fs::copy(subject.root.join(source), &place);
                copied.with_context(|| place.display().to_string())?;
            }
        }
        let row = |revision: Revision, patch: &str, status: Status| RevisionRow {
            revision,
            patch: patch.to_owned(),
            status,
            reason: String::new(),
            hunks: 0,
            arms: 0,
            own: 0,
        };
        let original = row(Revision::ORIGINAL, "", Status::Merged);
        let others = subject.patches.iter().map(|patch| row(patch.revision, &patch.name, status));
        let rows: Vec<RevisionRow> = std::iter::once(original).chain(others).collect();
        self.results.write(&rows)?;
        Ok(Merged::of(rows))
    }

    /// Reads what an earlier merge left in the results; without that, merges now.
    ///
    /// # Errors
    /// The results are those of a comparison of other sources or patches.
    pub(crate) fn merged(&self, observer: &mut dyn Observer) -> anyhow::Result<Merged> {
        let meta = self.results.meta();
        if meta.is_dir() && self.results.table::<RevisionRow>().is_file() {
            if self.results.path().join(DOCUMENT_FILE).is_file() {
                let document = Document::read(self.results.path())?;
                compared::unchanged(&self.subject, &document, |_| true)?;
            }
            observer.observe(Event::Taken { meta: &meta });
            return Ok(Merged::of(self.results.read()?));
        }
        self.merge(observer)
    }
}

impl Merged {
    /// The merge with only some of the revisions.
    pub(super) fn only(&self, revisions: &BTreeSet<Revision>) -> Self {
        let rows = self.rows.iter().filter(|row| revisions.contains(&row.revision));
        Self::of(rows.cloned().collect())
    }

    fn of(rows: Vec<RevisionRow>) -> Self {
        let part = rows.iter().filter(|row| row.status != Status::Rejected);
        let revisions = part.map(|row| row.revision).collect();
        Self { rows, revisions }
    }

    /// # Errors
    /// Every patch was set aside, each for the reason that the error names.
    pub(super) fn some_are_left(&self) -> Result<(), MergeError> {
        let patches = || self.rows.iter().filter(|row| row.revision != Revision::ORIGINAL);
        if patches().any(|row| row.status != Status::Rejected) {
            return Ok(());
        }
        let reasons = patches().filter(|row| row.reason != NOT_ASKED_FOR);
        let reasons = reasons.map(|row| merge::with_name(&row.patch, &row.reason));
        Err(MergeError::NothingToMerge(reasons.collect()))
    }

    /// Sets aside all revisions but these.
    pub(super) fn keep(&mut self, wanted: &RevisionSet) {
        for row in &mut self.rows {
            if !wanted.contains(row.revision) && row.status != Status::Rejected {
                (row.status, row.reason) = (Status::Rejected, NOT_ASKED_FOR.into());
            }
        }
        self.revisions.retain(|revision| wanted.contains(*revision));
    }

    /// Notes how many functions and variables each revision has of its own, and sets aside the
    /// `refused` revisions.
    pub(super) fn note(
        &mut self,
        own: &BTreeMap<u32, usize>,
        refused: &BTreeMap<Revision, String>,
    ) {
        for row in &mut self.rows {
            row.own = own.get(&row.revision.0).copied().unwrap_or_default() as u32;
            if let Some(reason) = refused.get(&row.revision)
                && row.status != Status::Rejected
            {
                (row.status, row.reason) = (Status::Rejected, reason.clone());
            }
        }
        self.revisions.retain(|revision| !refused.contains_key(revision));
    }
}

/// Checks a file by compiling it as every revision's files are compiled. Checks a meta program by
/// compiling it to bitcode, which the build then uses.
struct MetaCompiler<'a> {
    stage: &'a Stage,
}

impl SyntaxCheck for MetaCompiler<'_> {
    fn check(&self, root: &Path, file: &Path) -> Result<(), String> {
        let (directory, flags) = (root.to_owned(), self.stage.subject.config.build.flags.clone());
        let compilation = Compilation { directory, flags, ..Compilation::default() };
        let checked = self.stage.toolchain.syntax_check(&compilation, file);
        checked.map_err(|error| error.to_string())
    }

    fn check_program(&self, _: &Subject, texts: &[(&Path, Option<&str>)]) -> Result<(), String> {
        let files = texts.iter().map(|(path, text)| (path.to_path_buf(), text.map(Into::into)));
        let files: Changes = files.collect();
        // Nothing panics while it is held, so poisoning is ignored.
        let mut known = self.stage.meta.lock().unwrap_or_else(PoisonError::into_inner);
        // Compiling replaces the modules that it refers to.
        *known = None;
        let made = self.stage.compile_meta(files.clone()).map_err(|error| format!("{error:#}"))?;
        let modules = made.map_err(|error| error.to_string())?;
        *known = Some((files, modules));
        Ok(())
    }
}
