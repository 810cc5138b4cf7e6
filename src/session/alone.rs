//! Revisions as programs of their own.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use super::{
    linking::{find_libc, link_libc},
    observer::Observer,
    stage::Stage,
};
use crate::{
    compile::{self, BuildError, Revisions},
    ir::{Module, lower},
    merge::{self, Changes},
    subject::{Revision, Subject},
};

/// A revision as a program of its own.
pub(crate) struct Alone {
    pub(crate) module: Module,
    /// The directory in which its sources are laid out.
    pub(crate) sources: PathBuf,
}

impl Stage {
    /// Compiles two revisions in `directory`, each to a program of its own. Its sources are laid
    /// out below the subdirectory of its number. A package is built without optimisation; if that
    /// takes minutes, `observer` is told.
    ///
    /// # Errors
    /// A revision cannot be compiled, or is not made from C files.
    pub(crate) fn alone(
        &self,
        wanted: [Revision; 2],
        directory: &Path,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<[Alone; 2]> {
        if self.subject.is_meta() || self.subject.is_bitcode() {
            bail!(
                "{}: only revisions that patches make of C files can be looked at one by one",
                self.subject.dir.display()
            );
        }
        if let Some((whole, subject)) = self.prepare_as_written(observer)? {
            let changes = changes(&subject, wanted)?;
            let alone = |revision: Revision| -> anyhow::Result<Alone> {
                let directory = directory.join(revision.to_string());
                fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
                let made = whole.alone(&changes[&revision], &directory);
                let (bitcode, sources) = made.with_context(|| format!("revision {revision}"))?;
                Ok(Alone { module: lower::load_as_written(&bitcode)?, sources })
            };
            return Ok([alone(wanted[0])?, alone(wanted[1])?]);
        }
        let common = self.common_in(directory)?;
        let changes = changes(&self.subject, wanted)?;
        let (revisions, failed) = Revisions::new(self.toolchain.clone(), &common, &changes)?;
        if let Some((revision, error)) = failed.into_iter().next() {
            return Err(anyhow::Error::from(error).context(format!("revision {revision}")));
        }
        let libc = find_libc(&self.subject.dir)?;
        let groups = revisions.groups();
        let alone = |revision: Revision| -> anyhow::Result<Alone> {
            // Revisions with the same sources are compiled once.
            let group = groups.iter().find(|group| group.contains(&revision));
            let first = group.and_then(|group| group.first());
            let first = first.with_context(|| format!("there is no revision {revision}"))?;
            let modules = revisions.bitcode()[first].as_ref().map_err(BuildError::again)?;
            let out = directory.join(format!("{revision}.bc"));
            let program = out.with_extension("program.bc");
            compile::unite(modules, &[], &["main"], &program)?;
            let lowered = (lower::load(&program)?, &*program);
            link_libc(&self.toolchain, libc.as_ref(), lowered, &[], &out)?;
            let module = lower::load_as_written(&out)?;
            Ok(Alone { module, sources: directory.join(first.to_string()) })
        };
        let [a, b] = wanted;
        Ok([alone(a)?, alone(b)?])
    }
}

/// What the original and two revisions change.
fn changes(
    subject: &Subject,
    wanted: [Revision; 2],
) -> anyhow::Result<BTreeMap<Revision, Changes>> {
    let mut changes = BTreeMap::from([(Revision::ORIGINAL, Changes::new())]);
    for (revision, candidate) in merge::candidates(subject) {
        if wanted.contains(&revision) {
            let candidate = candidate.map_err(anyhow::Error::msg);
            changes
                .insert(revision, candidate.with_context(|| format!("revision {revision}"))?.files);
        }
    }
    Ok(changes)
}
