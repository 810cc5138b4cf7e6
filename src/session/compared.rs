//! What a comparison compared: the texts of sources and patches that its results name, and whether
//! they are still the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::{
    merge::{self, Candidate},
    report::Document,
    subject::{Form, Patch, Revision, Subject},
};

/// What to do if what runs now is not what was compared.
pub(super) const CHANGED: &str = "changed since the comparison; run `psychic diff` again";

/// The SHA-256 of each source of the original, in hexadecimal, by the name of its file.
pub(super) fn sources(subject: &Subject) -> anyhow::Result<BTreeMap<String, String>> {
    let digest = |source: &std::path::PathBuf| {
        let place = subject.root.join(source);
        let bytes = fs::read(&place).with_context(|| place.display().to_string())?;
        Ok((source.display().to_string(), format!("{:x}", Sha256::digest(&bytes))))
    };
    subject.sources.iter().map(digest).collect()
}

/// The text of every patch.
pub(super) fn patches(subject: &Subject) -> anyhow::Result<BTreeMap<Revision, String>> {
    let candidates = merge::candidates(subject);
    let text = |patch: &Patch| {
        Ok((patch.revision, patch_text(subject, patch, &candidates[&patch.revision])?))
    };
    subject.patches.iter().map(text).collect()
}

/// What a patch changes, as the results have it: its own text if it is a diff.
fn patch_text(
    subject: &Subject,
    patch: &Patch,
    candidate: &Result<Candidate, String>,
) -> anyhow::Result<String> {
    Ok(match (candidate, patch.form) {
        (_, Form::Diff) if patch.path.is_file() => {
            let bytes = fs::read(&patch.path);
            let bytes = bytes.with_context(|| patch.path.display().to_string())?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        (Ok(candidate), _) => {
            let diffs = merge::difference(subject, candidate);
            let diffs = diffs.into_iter().map(|(path, diff)| {
                let (name, diff) = (path.display().to_string(), merge::shown(&diff));
                diff.replacen("original", &name, 1).replacen("modified", &name, 1)
            });
            diffs.collect()
        }
        (Err(reason), _) => reason.clone(),
    })
}

/// Checks that the sources, and the patches that are `concerned`, are those that were compared.
///
/// # Errors
/// One of them has changed, or cannot be read.
pub(crate) fn unchanged(
    subject: &Subject,
    document: &Document,
    concerned: impl Fn(Revision) -> bool,
) -> anyhow::Result<()> {
    // Results from before sources were recorded name none.
    for (source, digest) in sources(subject)? {
        if document.sources.get(&source).is_some_and(|compared| *compared != digest) {
            bail!("{source}: {CHANGED}");
        }
    }
    let texts = patches(subject)?;
    let names = subject.patches.iter().map(|patch| (patch.revision, patch.name.as_str()));
    let now: BTreeMap<Revision, (&str, &String)> =
        names.map(|(revision, name)| (revision, (name, &texts[&revision]))).collect();
    let compared = document.revisions.iter().filter_map(|entry| {
        Some((entry.row.revision, (entry.row.patch.as_str(), entry.diff.as_ref()?)))
    });
    let compared: BTreeMap<Revision, (&str, &String)> = compared.collect();
    let revisions: BTreeSet<&Revision> = now.keys().chain(compared.keys()).collect();
    for revision in revisions.into_iter().filter(|revision| concerned(**revision)) {
        let (now, compared) = (now.get(revision), compared.get(revision));
        match (now, compared) {
            (now, compared) if now == compared => {}
            (Some((name, _)), Some((other, _))) if name == other => bail!("{name}: {CHANGED}"),
            _ => bail!(
                "{}: the patches are others than those of the comparison; run `psychic diff` again",
                subject.dir.display()
            ),
        }
    }
    Ok(())
}
