//! The program to explore and the native programs ([`Built`]).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use anyhow::{Context, bail};
use rayon::prelude::*;
use tracing::debug;

use super::{
    error::Error,
    inputs,
    linking::{find_libc, link_libc, load_cached},
    merged::Merged,
    observer::{Event, Observer},
    stage::{Stage, meta_files, original},
};
use crate::{
    compile::{self, BuildError, Closure, Libc, Overriding, Whole},
    env::models,
    errors::Sanitizer,
    ir::{Module, lower},
    merge::{self, Changes},
    replay::{Binaries, Builds},
    results::RevisionRow,
    subject::{Revision, RevisionSet},
};

/// The result of the build.
pub(crate) struct Built {
    pub(crate) bitcode: PathBuf,
    pub(crate) binaries: Binaries,
    /// The parts of the libc that native programs are linked with.
    library: Closure,
    /// Revisions of an optimised program in which more functions than in the original may end
    /// without the result that they promise. What these return may differ from build to build.
    pub(crate) without_result: BTreeSet<Revision>,
    /// The addresses of functions that have the same address in the native programs of all
    /// revisions, by [stem](compile::stem).
    pub(crate) native_addresses: BTreeMap<String, u64>,
    /// Sets of revisions whose compilations are the same code.
    pub(crate) same_code: Vec<RevisionSet>,
}

impl Stage {
    /// Makes the native programs, and one program to explore that is the same for each revision as
    /// its own compilation. Sets aside revisions that cannot be linked.
    pub(crate) fn build(
        &self,
        merged: &mut Merged,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<(Built, Module)> {
        observer.observe(Event::Building { revisions: merged.revisions.len() });
        let variables = inputs::native(&inputs::environment(&self.subject.config.inputs));
        let uninitialised = self.subject.config.uninitialised;
        let bitcode = self.results.bitcode();
        if let Some(whole) = &self.whole {
            return self.build_whole(whole, merged, variables, observer);
        }
        let mut refused = match self.own.get() {
            Some(_) => BTreeMap::new(),
            None => self.compile_own(&merge::candidates(&self.subject))?,
        };
        let Some(own) = self.own.get() else { bail!("no revision was compiled") };
        // Without a meta program, start from the original. All others are compared with it.
        let modules = match self.meta_bitcode()? {
            Some(modules) => modules,
            None => own.bitcode[&Revision::ORIGINAL].clone(),
        };
        let wanted = |revision: &Revision| {
            merged.revisions.contains(revision) && !refused.contains_key(revision)
        };
        let groups = own.revisions.groups().into_iter().filter_map(|group| {
            let modules = own.bitcode.get(group.first()?)?.clone();
            let revisions = group.into_iter().filter(wanted).map(|r| r.0).collect();
            Some(compile::Program { revisions, modules })
        });
        // Only a meta program written by hand itself says what its revisions are.
        let mut groups: Vec<compile::Program> =
            groups.filter(|_| !self.subject.is_meta()).collect();
        let same_code = compile::same_code(&groups).into_iter();
        let same_code = same_code.map(|set| set.into_iter().map(Revision).collect()).collect();
        let program = bitcode.with_extension("program.bc");
        let mut united = compile::unite(&modules, &groups, &["main"], &program)?;
        let libc = find_libc(&self.subject.dir)?;
        if libc.is_none() {
            observer.observe(Event::NoLibc);
        }
        let known = groups.len();
        for group in std::mem::take(&mut groups) {
            match clash(&group, &united.overriding, libc.as_ref())? {
                None => groups.push(group),
                Some(why) if group.revisions.contains(&0) => {
                    bail!("the original program is not supported: {why}");
                }
                Some(why) => {
                    refused.extend(group.revisions.iter().map(|r| (Revision(*r), why.clone())));
                }
            }
        }
        if groups.len() < known {
            // Nothing of these may be left in the program: what they define would be found by name.
            let original = &own.bitcode[&Revision::ORIGINAL];
            united = compile::unite(original, &groups, &["main"], &program)?;
        }
        let lowered = lower::load(&program)?;
        let overriding: Vec<&str> =
            united.overriding.values().flat_map(|own| &own.names).map(String::as_str).collect();
        let program = (lowered, &*program);
        let (module, library) =
            link_libc(&self.toolchain, libc.as_ref(), program, &overriding, &bitcode)?;
        refused.extend(united.failed.into_iter().map(|(r, why)| (Revision(r), why)));
        let mut plain = BTreeMap::new();
        let all = own.bitcode.keys().copied().collect();
        for (revision, made) in own.revisions.programs(Sanitizer::None, &library, &all) {
            match made {
                Ok(program) => _ = plain.insert(revision, program),
                Err(error) if revision == Revision::ORIGINAL => {
                    return Err(original(&error.into()));
                }
                Err(error) => _ = refused.insert(revision, error.to_string()),
            }
        }
        self.settle(merged, &united.own, &refused, observer)?;
        let plain = self.builds(plain);
        let serves = true;
        let binaries = Binaries { plain, serves, variables, uninitialised, ..Binaries::default() };
        let (without_result, native_addresses) = (BTreeSet::new(), BTreeMap::new());
        let built =
            Built { bitcode, binaries, library, without_result, native_addresses, same_code };
        Ok((built, module))
    }

    /// The meta program's bitcode, one module for each source; `None` if it does not compile, the
    /// revisions are bitcode, or their functions show what they return.
    fn meta_bitcode(&self) -> anyhow::Result<Option<Vec<PathBuf>>> {
        if self.subject.is_bitcode() || self.probed.is_some() {
            return Ok(None);
        }
        let files = meta_files(&self.results.meta())?;
        // Nothing panics while it is held, so poisoning is ignored.
        let known = self.meta.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((_, modules)) = known.filter(|(of, _)| *of == files) {
            return Ok(Some(modules));
        }
        Ok(self.compile_meta(files)?.ok())
    }

    /// The native programs as [`Builds`]: one for each revision, or one for all if the meta program
    /// was written by hand.
    fn builds(&self, made: BTreeMap<Revision, PathBuf>) -> Builds {
        match made.get(&Revision::ORIGINAL) {
            Some(program) if self.subject.is_meta() => Builds::One(program.clone()),
            _ => Builds::Each(made.into()),
        }
    }

    /// Does the work of [`Self::build`] for a program with a build of its own, which makes every
    /// revision's program.
    fn build_whole(
        &self,
        whole: &Whole,
        merged: &mut Merged,
        variables: Arc<[(String, Option<Vec<u8>>)]>,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<(Built, Module)> {
        let directory = self.results.path().join("build/revisions");
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        let directory = fs::canonicalize(directory)?;
        let mut changes: BTreeMap<Revision, Changes> =
            BTreeMap::from([(Revision::ORIGINAL, Changes::new())]);
        for (revision, candidate) in merge::candidates(&self.subject) {
            if let (Ok(candidate), true) = (candidate, merged.revisions.contains(&revision)) {
                changes.insert(revision, candidate.files);
            }
        }
        let meta = match self.probed {
            Some(_) => Changes::new(),
            None => meta_files(&self.results.meta())?,
        };
        let made = whole.unite(&changes, &meta, &directory)?;
        let bitcode = self.results.bitcode();
        for (from, to) in [(&made.bitcode, &bitcode), (&made.executable, &self.results.native())] {
            fs::copy(from, to).with_context(|| to.display().to_string())?;
        }
        let own = made.own.into_iter().map(|(revision, count)| (revision.0, count)).collect();
        self.settle(merged, &own, &made.refused, observer)?;
        let without_result = made.without_result;
        let mut native_addresses =
            compile::functions_at_fixed_addresses(made.native.values().map(PathBuf::as_path))?;
        native_addresses.retain(|name, _| !made.renamed.contains(name));
        let plain = Builds::Each(Arc::new(made.native));
        let files = self.subject.files.as_slice().into();
        let uninitialised = self.subject.config.uninitialised;
        let binaries = Binaries {
            plain,
            files,
            variables,
            times: self.subject.times.clone(),
            uninitialised,
            ..Binaries::default()
        };
        let module = load_cached(&bitcode)?;
        let library = Closure::default();
        // In packages, the linker decides which parts of the sources are in a program.
        let same_code = Vec::new();
        let built =
            Built { bitcode, binaries, library, without_result, native_addresses, same_code };
        Ok((built, module))
    }

    /// Notes in `merged` what building has shown, reports what is newly set aside, and writes
    /// `revisions.csv`. Fails if nothing is left to compare.
    fn settle(
        &self,
        merged: &mut Merged,
        own: &BTreeMap<u32, usize>,
        refused: &BTreeMap<Revision, String>,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<()> {
        debug!(?own, ?refused, "built");
        // A compiler that was stopped says nothing about a patch.
        if self.toolchain.stopper().is_set() {
            bail!(Error::Interrupted);
        }
        let known: Vec<Revision> = merged.revisions.clone();
        merged.note(own, refused);
        self.results.write(&merged.rows)?;
        if !refused.is_empty() && self.probed.is_none() {
            merged.some_are_left()?;
        }
        let is_new = |row: &&RevisionRow| {
            known.contains(&row.revision) && refused.contains_key(&row.revision)
        };
        for row in merged.rows.iter().filter(is_new) {
            observer.observe(Event::SetAside(row));
        }
        Ok(())
    }

    /// Builds the `wanted` revisions under a sanitizer. Leaves out those with which that does not
    /// work, for example because of the program's own flags.
    pub(crate) fn build_sanitized(
        &self,
        built: &Built,
        sanitizer: Sanitizer,
        wanted: &RevisionSet,
    ) -> anyhow::Result<Builds> {
        if let Some(whole) = &self.whole {
            return Ok(build_watched(whole, &built.binaries.plain, wanted));
        }
        let Some(own) = self.own.get() else { bail!("no revision was compiled") };
        let original;
        // A meta program written by hand is a single program that is all revisions.
        let wanted = match self.subject.is_meta() {
            true => {
                original = RevisionSet::from_iter([Revision::ORIGINAL]);
                &original
            }
            false => wanted,
        };
        let programs = own.revisions.programs(sanitizer, &built.library, wanted);
        let mut made = BTreeMap::new();
        for (revision, program) in programs {
            match program {
                Ok(program) => _ = made.insert(revision, program),
                Err(error @ BuildError::SanitizerMissing(_)) => return Err(error.into()),
                Err(error) => debug!(%revision, ?sanitizer, %error, "not built"),
            }
        }
        Ok(self.builds(made))
    }
}

/// Why a program cannot be modelled that has functions under names of the C library, or cannot be
/// together with an original that has others; `None` if it can.
fn clash(
    program: &compile::Program,
    overriding: &BTreeMap<u32, Overriding>,
    libc: Option<&Libc>,
) -> anyhow::Result<Option<String>> {
    let none = Overriding::default();
    let of = |revision: &u32| overriding.get(revision).unwrap_or(&none);
    let (original, own) = (of(&0), program.revisions.first().map_or(&none, of));
    let lent = match libc {
        Some(libc) if !own.names.is_empty() => {
            compile::lent(&program.modules, &own.names, libc, models::stand_alone)?
        }
        _ => Vec::new(),
    };
    // An intrinsic stands for one function, whatever the revision.
    let mut apart = own.implied.symmetric_difference(&original.implied).map(String::as_str);
    let mut implied = lent.iter().copied().filter(|name| own.implied.contains(*name));
    let mut allocators = lent.iter().copied().filter(|name| compile::is_allocator(name));
    Ok(if let Some(name) = apart.next().or_else(|| implied.next()) {
        Some(format!(
            "the compiler itself calls `{name}`, which this program or the original defines: this is \
             not modelled"
        ))
    } else {
        allocators.next().map(|name| {
            format!(
                "it has a function `{name}` of its own, which functions of the C library that it \
                 calls use natively: this is not modelled"
            )
        })
    })
}

/// Builds the programs of the `wanted` revisions that watch their accesses to memory, beside the
/// plain programs.
fn build_watched(whole: &Whole, plain: &Builds, wanted: &RevisionSet) -> Builds {
    let watched = |program: &Path| program.with_extension("watched");
    let plain = plain.of(wanted);
    let is_made = |program: &&Path| {
        let made = whole.watched(&program.with_extension("bc"), &watched(program));
        made.inspect_err(|error| debug!(program = %program.display(), %error, "not watched"))
            .is_ok()
    };
    let made: BTreeSet<&Path> = plain.programs().into_par_iter().filter(is_made).collect();
    let is_built = |revision: &Revision| {
        plain.program(*revision).is_some_and(|program| made.contains(program))
    };
    plain.of(&wanted.iter().filter(is_built).collect()).map(watched)
}
