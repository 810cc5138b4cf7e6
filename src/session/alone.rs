//! Revisions as programs of their own.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use super::{
    linking::{find_libc, link_libc},
    stages::Stage,
};
use crate::{
    compile::{self, BuildError, Revisions},
    ir::{Module, lower},
    merge::{self, Changes},
    subject::Revision,
};

/// A revision as a program of its own.
pub(crate) struct Alone {
    pub(crate) module: Module,
    /// The directory in which its sources are laid out.
    pub(crate) sources: PathBuf,
}

impl Stage {
    /// Compiles two revisions in `directory`, each to a program of its own, whose sources are laid
    /// out in the subdirectory of its number.
    ///
    /// # Errors
    /// A revision cannot be compiled, or the program has a build of its own.
    pub(crate) fn alone(
        &self,
        wanted: [Revision; 2],
        directory: &Path,
    ) -> anyhow::Result<[Alone; 2]> {
        let has_build = self.subject.config.build.program.is_some();
        if has_build || self.subject.is_meta() || self.subject.is_bitcode() {
            bail!(
                "{}: only revisions that are compiled from C files, without a build of their own, \
                 can be explained",
                self.subject.dir.display()
            );
        }
        let mut changes = BTreeMap::from([(Revision::ORIGINAL, Changes::new())]);
        for (revision, candidate) in merge::candidates(&self.subject) {
            if wanted.contains(&revision) {
                let candidate = candidate.map_err(anyhow::Error::msg);
                changes.insert(revision, candidate.context(format!("revision {revision}"))?.files);
            }
        }
        let common = self.common_in(directory)?;
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
            link_libc(&self.toolchain, libc.as_ref(), lowered, &out)?;
            let module = lower::load_as_written(&out)?;
            Ok(Alone { module, sources: directory.join(first.to_string()) })
        };
        let [a, b] = wanted;
        Ok([alone(a)?, alone(b)?])
    }
}
