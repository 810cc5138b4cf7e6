//! What is known to be right: the reference revision and the labels of patches.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{Form, Patch, Revision, SubjectConfig, fault::Fault};

/// Finds the revision that `[oracle] reference` names. A file that is no candidate becomes the last
/// one.
pub(super) fn reference(
    dir: &Path,
    config: &SubjectConfig,
    patches: &mut Vec<Patch>,
) -> Result<Option<Revision>, Fault> {
    let Some(file) = &config.oracle.reference else { return Ok(None) };
    let fault = |message| Fault { key: "reference", message };
    let path = dir.join(file);
    if config.sources == std::slice::from_ref(file) {
        return Ok(Some(Revision::ORIGINAL));
    }
    if let Some(patch) = patches.iter().find(|patch| patch.path == path) {
        return Ok(Some(patch.revision));
    }
    if !path.exists() {
        return Err(fault(format!("reference = {file:?}: there is no such file")));
    }
    if !path.canonicalize().is_ok_and(|path| path.to_str().is_some()) {
        return Err(fault(format!("reference = {file:?}: its path is not UTF-8")));
    }
    let revision = Revision(patches.len() as u32 + 1);
    let (form, name) = (Form::of(&path), file.to_string_lossy().into_owned());
    patches.push(Patch { revision, form, name, path });
    Ok(Some(revision))
}

/// The patches of each label. A name in `[labels]` is a glob, and one that matches no patch is
/// a mistake.
pub(super) fn labels(
    config: &SubjectConfig,
    patches: &[Patch],
) -> Result<BTreeMap<String, BTreeSet<Revision>>, Fault> {
    let fault = |message| Fault { key: "labels", message };
    let mut labels = BTreeMap::new();
    for (label, globs) in &config.labels {
        let mut labelled = BTreeSet::new();
        for text in globs {
            let glob = glob::Pattern::new(text)
                .map_err(|error| fault(format!("{label}: bad glob {text:?}: {}", error.msg)))?;
            let is_named = |patch: &&Patch| patch.name == *text || glob.matches(&patch.name);
            let found: BTreeSet<Revision> =
                patches.iter().filter(is_named).map(|patch| patch.revision).collect();
            if found.is_empty() {
                return Err(fault(format!("{label}: no patch is called {text:?}")));
            }
            labelled.extend(found);
        }
        labels.insert(label.clone(), labelled);
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::subject::Subject;

    /// A subject of `a.c`, two diffs and `golden.c`, with more lines in its `subject.toml`.
    fn load(lines: &str) -> Result<Subject, String> {
        let dir = TempDir::new().unwrap();
        let toml = format!("name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n{lines}\n");
        fs::write(dir.path().join("subject.toml"), toml).unwrap();
        for file in ["a.c", "1.diff", "2.diff", "golden.c"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        Subject::load(dir.path())
            .map_err(|error| error.to_string().replace(&format!("{}/", dir.path().display()), ""))
    }

    #[test]
    fn a_reference_is_a_revision_and_becomes_the_last_if_it_is_none() {
        let reference = |file: &str| {
            let subject = load(&format!("[oracle]\nreference = {file:?}")).unwrap();
            (subject.reference, subject.patches.len())
        };
        assert_eq!(reference("golden.c"), (Some(Revision(3)), 3));
        assert_eq!(reference("2.diff"), (Some(Revision(2)), 2));
        assert_eq!(reference("a.c"), (Some(Revision::ORIGINAL), 2));
        assert_eq!(load("").unwrap().reference, None);
        let missing = load("[oracle]\nreference = 'no.c'").unwrap_err();
        assert_eq!(missing, "subject.toml:5: reference = \"no.c\": there is no such file");
    }

    #[test]
    fn labels_are_globs_of_names() {
        let subject = load("[labels]\ncorrect = ['2.*']\nodd = ['[13].diff', '2.diff']").unwrap();
        let set = |revisions: &[u32]| revisions.iter().copied().map(Revision).collect();
        let expected = [("correct".to_owned(), set(&[2])), ("odd".to_owned(), set(&[1, 2]))];
        assert_eq!(subject.labels, BTreeMap::from(expected));
        let missing = load("[labels]\ncorrect = ['3.diff']").unwrap_err();
        assert_eq!(missing, "subject.toml:4: correct: no patch is called \"3.diff\"");
        assert!(load("[labels]\nx = ['***']").unwrap_err().contains("bad glob"));
    }
}
