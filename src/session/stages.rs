//! The stages before exploration. Each starts from the files that the stage before it left.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use anyhow::{Context, bail};
use rayon::prelude::*;
use tracing::debug;
use walkdir::WalkDir;

use super::{
    inputs,
    linking::{find_libc, link_libc, load_cached},
    observer::{Event, Observer},
};
use crate::{
    child::Stopper,
    compile::{
        self, BuildError, Closure, Common, Compilation, HarnessError, Probed, Recipe,
        RevisionError, Revisions, Show, Toolchain, Whole,
    },
    errors::Sanitizer,
    interrupt::Interrupt,
    ir::{Module, lower},
    merge::{self, Candidates, Changes, MergeError, SyntaxCheck},
    replay::{Binaries, Builds},
    results::{ResultsDir, RevisionRow, Status},
    subject::{Revision, RevisionSet, Subject, cache_directory, config::SubjectConfig},
};

/// A subject and the directory for its results.
pub(crate) struct Stage {
    pub(crate) subject: Subject,
    /// The directory where results are to be in the end.
    pub(crate) place: ResultsDir,
    /// The directory that results are written to: `place`, or one inside it until the run is
    /// finished.
    pub(crate) results: ResultsDir,
    pub(super) toolchain: Toolchain,
    /// The package, if the program has a build of its own and was prepared.
    whole: Option<Whole>,
    /// The functions that are to show what they return and leave.
    probed: Option<Probed>,
    /// Every revision's own compilation, once it is made.
    own: OnceLock<Own>,
    /// The meta program that compiled last: its files, and one bitcode module for each source.
    meta: Mutex<Option<(Changes, Vec<PathBuf>)>>,
}

/// Every revision's own compilation.
struct Own {
    revisions: Revisions,
    bitcode: BTreeMap<Revision, Vec<PathBuf>>,
}

/// The result of the merge.
pub(crate) struct Merged {
    /// Rows of `revisions.csv`, the original first.
    pub(crate) rows: Vec<RevisionRow>,
    /// The revisions that take part: all that are not rejected.
    pub(crate) revisions: Vec<Revision>,
}

/// The result of the build.
pub(crate) struct Built {
    pub(crate) bitcode: PathBuf,
    pub(crate) binaries: Binaries,
    /// The parts of the libc that native programs are linked with.
    library: Closure,
    /// Revisions of an optimised program in which more functions than in the original may end
    /// without the result that they promise: what these return may differ from build to build.
    pub(crate) without_result: BTreeSet<Revision>,
    /// The addresses of functions that have one and the same in the native programs of all
    /// revisions, by [stem](compile::stem).
    pub(crate) native_addresses: BTreeMap<String, u64>,
}

impl Stage {
    /// A stage for `subject`, whose results go to `place`, which is claimed. A package must still
    /// be [prepared](Self::prepare).
    pub(crate) fn new(
        subject: Subject,
        place: ResultsDir,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Self> {
        let results = place.clone();
        let cache = cache_directory(&subject.dir).join("runtime");
        Ok(Self {
            subject,
            place,
            results,
            toolchain: Toolchain::find()?
                .keeping(cache)
                .stopped_by(Stopper::new(interrupt.clone())),
            whole: None,
            probed: None,
            own: OnceLock::new(),
            meta: Mutex::default(),
        })
    }

    /// A stage for the subject of `other`, which is prepared, in whose programs some functions show
    /// what they return and leave. A package must be [prepared](Self::prepare) anew.
    pub(super) fn probing(
        other: &Self,
        probed: Probed,
        place: ResultsDir,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Self> {
        let mut subject = other.as_written();
        subject.config.outputs.functions = None;
        Ok(Self { probed: Some(probed), ..Self::new(subject, place, interrupt)? })
    }

    /// The subject before it was prepared, compiled so that functions and lines stay as they are in the
    /// source.
    fn as_written(&self) -> Subject {
        let mut subject = self.unprepared();
        subject.config.build.flags =
            compile::probed_flags(&subject.config.build.flags, self.is_whole());
        subject
    }

    /// The subject before it was prepared.
    pub(super) fn unprepared(&self) -> Subject {
        let mut subject = self.subject.clone();
        if let Some(whole) = &self.whole {
            subject.root = whole.source().to_owned();
        }
        subject
    }

    /// Prepares a package anew, as [written](Self::as_written).
    pub(super) fn prepare_as_written(
        &self,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Option<(Whole, Subject)>> {
        let mut subject = self.as_written();
        let whole = prepare_whole(&self.toolchain, &subject, &None, observer)?;
        Ok(whole.map(|whole| {
            subject.root = whole.tree().to_owned();
            (whole, subject)
        }))
    }

    /// Notes that the run has something to write: from now on an interrupt ends no compilers.
    pub(crate) fn note_built(&self) {
        self.toolchain.stopper().spare();
    }

    /// Builds the original of a program that has a build of its own.
    pub(crate) fn prepare(&mut self, observer: &mut dyn Observer) -> anyhow::Result<()> {
        self.whole = prepare_whole(&self.toolchain, &self.subject, &self.probed, observer)?;
        if let Some(whole) = &self.whole {
            // This tree is configured, so patched files compile in it.
            self.subject.root = whole.tree().to_owned();
        }
        Ok(())
    }

    /// The names of the entry function's parameters that are floating-point numbers, and `return`
    /// if its result is one.
    pub(crate) fn real_numbers(&self) -> BTreeSet<String> {
        self.of_entry(compile::real_numbers).into_iter().flatten().flatten().collect()
    }

    /// The entry function's parameters that are integers, and whether each is signed; `None` for a
    /// program.
    pub(super) fn integers(&self) -> Option<BTreeMap<String, bool>> {
        Some(self.of_entry(compile::integers)?.flatten().collect())
    }

    /// What `read` finds of the entry function in each source; `None` for a program.
    fn of_entry<T>(&self, read: fn(&str, &str) -> T) -> Option<impl Iterator<Item = T>> {
        let Subject { config: SubjectConfig { entry, .. }, sources, root, .. } = &self.subject;
        let texts = sources.iter().flat_map(|source| fs::read(root.join(source)));
        let found = texts.map(move |text| read(&String::from_utf8_lossy(&text), entry));
        (entry != "main").then_some(found)
    }

    /// Merges the patches, writes `meta/` and `revisions.csv`, and reports what was set aside.
    pub(crate) fn merge(&self, observer: &mut dyn Observer) -> anyhow::Result<Merged> {
        self.try_merge(observer).inspect_err(|_| {
            if self.toolchain.stopper().is_set() {
                // An interruption is not the subject's fault: what is built remains of use.
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
    pub(crate) fn merged(&self, observer: &mut dyn Observer) -> anyhow::Result<Merged> {
        let meta = self.results.meta();
        if meta.is_dir() && self.results.table::<RevisionRow>().is_file() {
            observer.observe(Event::Taken { meta: &meta });
            return Ok(Merged::of(self.results.read()?));
        }
        self.merge(observer)
    }

    /// What the compilations of all revisions have in common, for a program without a build of its
    /// own. They work in the directory `build/name` of the results, which is emptied.
    fn common(&self, name: &str) -> anyhow::Result<Common> {
        let directory = self.results.path().join("build").join(name);
        if directory.exists() {
            fs::remove_dir_all(&directory).with_context(|| directory.display().to_string())?;
        }
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        self.common_in(&directory)
    }

    /// What the compilations of all revisions have in common, which work in `directory`.
    pub(super) fn common_in(&self, directory: &Path) -> anyhow::Result<Common> {
        let config = &self.subject.config;
        Ok(Common {
            root: self.subject.root.clone(),
            without: self.subject.diffs(),
            sources: self.subject.sources.clone(),
            flags: config.build.flags.clone(),
            entry: (config.entry != "main").then(|| config.entry.clone()),
            inputs: config.inputs.clone(),
            nan: config.outputs.nan,
            probed: self.probed.clone(),
            directory: fs::canonicalize(directory)?,
        })
    }

    /// Compiles every revision on its own. Returns the revisions that cannot be compiled, with the
    /// reasons.
    fn compile_own(&self, candidates: &Candidates) -> anyhow::Result<BTreeMap<Revision, String>> {
        let good = candidates.iter().filter_map(|(revision, candidate)| {
            Some((*revision, candidate.as_ref().ok()?.files.clone()))
        });
        let all = std::iter::once((Revision::ORIGINAL, Changes::new())).chain(good);
        let common = self.common("revisions")?;
        let toolchain = self.toolchain.clone();
        let (revisions, failed) = if self.subject.is_bitcode() {
            let original = self.subject.root.join(&self.subject.sources[0]);
            let modules = self.subject.patches.iter().map(|p| (p.revision, p.path.clone()));
            let modules = modules.chain([(Revision::ORIGINAL, original)]).collect();
            (Revisions::of_modules(toolchain, &common, modules)?, BTreeMap::new())
        } else {
            let laid = Revisions::new(toolchain, &common, &all.collect());
            laid.map_err(|error| original(&error))?
        };
        let mut refused: BTreeMap<Revision, String> =
            failed.into_iter().map(|(revision, error)| (revision, error.to_string())).collect();
        let mut bitcode = BTreeMap::new();
        for (revision, made) in revisions.bitcode() {
            match made {
                Ok(modules) => _ = bitcode.insert(*revision, modules.clone()),
                Err(error) if *revision == Revision::ORIGINAL => {
                    return Err(original(&error.again().into()));
                }
                Err(error) => _ = refused.insert(*revision, error.to_string()),
            }
        }
        // It is not set yet: nothing else sets it.
        _ = self.own.set(Own { revisions, bitcode });
        Ok(refused)
    }

    /// Makes one program to explore, which is for each revision what its own compilation is, and
    /// the native programs. Sets revisions aside that cannot be linked.
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
        // Without a meta program, start from the original: all others are held against it.
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
        let groups: Vec<compile::Program> = groups.filter(|_| !self.subject.is_meta()).collect();
        let program = bitcode.with_extension("program.bc");
        let united = compile::unite(&modules, &groups, &["main"], &program)?;
        let libc = find_libc(&self.subject.dir)?;
        if libc.is_none() {
            observer.observe(Event::NoLibc);
        }
        let lowered = lower::load(&program)?;
        let (module, library) =
            link_libc(&self.toolchain, libc.as_ref(), (lowered, &program), &bitcode)?;
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
        Ok((Built { bitcode, binaries, library, without_result, native_addresses }, module))
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

    /// Compiles a meta program to one bitcode module for each source. The inner error is the
    /// compiler's.
    fn compile_meta(&self, files: Changes) -> anyhow::Result<Result<Vec<PathBuf>, BuildError>> {
        let meta = BTreeMap::from([(Revision::ORIGINAL, files)]);
        let (meta, _) = Revisions::new(self.toolchain.clone(), &self.common("meta")?, &meta)?;
        let made = &meta.bitcode()[&Revision::ORIGINAL];
        Ok(made.as_ref().cloned().map_err(BuildError::again))
    }

    /// The native programs as [`Builds`]: one for each revision, or, of a meta program written by
    /// hand, one for all.
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
        Ok((Built { bitcode, binaries, library, without_result, native_addresses }, module))
    }

    /// Notes in `merged` what building has shown, reports what is newly set aside, and writes
    /// `revisions.csv`.
    fn settle(
        &self,
        merged: &mut Merged,
        own: &BTreeMap<u32, usize>,
        refused: &BTreeMap<Revision, String>,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<()> {
        debug!(?own, ?refused, "built");
        let known: Vec<Revision> = merged.revisions.clone();
        merged.note(own, refused);
        let is_new = |row: &&RevisionRow| {
            known.contains(&row.revision) && refused.contains_key(&row.revision)
        };
        for row in merged.rows.iter().filter(is_new) {
            observer.observe(Event::SetAside(row));
        }
        self.results.write(&merged.rows)?;
        Ok(())
    }

    /// Builds the `wanted` revisions under a sanitizer.
    pub(crate) fn build_sanitized(
        &self,
        built: &Built,
        sanitizer: Sanitizer,
        wanted: &RevisionSet,
    ) -> anyhow::Result<Builds> {
        if let Some(whole) = &self.whole {
            return build_watched(whole, &built.binaries.plain.of(wanted));
        }
        let Some(own) = self.own.get() else { bail!("no revision was compiled") };
        let original;
        // A meta program written by hand is one program, which is all revisions.
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
                // The revision has no plain program either.
                Err(_) => {}
            }
        }
        Ok(self.builds(made))
    }

    /// Whether the program has a build of its own; it then contains its libc.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }
}

impl Merged {
    /// Some of the revisions.
    pub(super) fn only(&self, revisions: &BTreeSet<Revision>) -> Self {
        let rows = self.rows.iter().filter(|row| revisions.contains(&row.revision));
        Self::of(rows.cloned().collect())
    }

    fn of(rows: Vec<RevisionRow>) -> Self {
        let part = rows.iter().filter(|row| row.status != Status::Rejected);
        let revisions = part.map(|row| row.revision).collect();
        Self { rows, revisions }
    }

    /// Sets all revisions but these aside.
    pub(super) fn keep(&mut self, wanted: &RevisionSet) {
        for row in &mut self.rows {
            if !wanted.contains(row.revision) && row.status != Status::Rejected {
                (row.status, row.reason) = (Status::Rejected, "not asked for".into());
            }
        }
        self.revisions.retain(|revision| wanted.contains(*revision));
    }

    /// Notes how many functions and variables are each revision's own, and sets the `refused` ones
    /// aside.
    fn note(&mut self, own: &BTreeMap<u32, usize>, refused: &BTreeMap<Revision, String>) {
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

/// The C text that calls the entry function of the original, whose source it includes as `include`,
/// and shows what that does; `None` for a program. Beside it is the source that has the function.
///
/// # Errors
/// No source has the function, or it cannot be called.
pub(super) fn harness<'s>(
    subject: &'s Subject,
    include: &Path,
    show: Show,
) -> anyhow::Result<Option<(&'s Path, String)>> {
    let SubjectConfig { entry, inputs, .. } = &subject.config;
    if entry == "main" {
        return Ok(None);
    }
    let mut made = None;
    for source in &subject.sources {
        let path = subject.root.join(source);
        let text = fs::read(&path).with_context(|| path.display().to_string())?;
        let text = String::from_utf8_lossy(&text);
        let harness = compile::harness(&text, include, entry, inputs, show);
        let is_elsewhere = matches!(harness, Err(HarnessError::NoEntry { .. }));
        made = Some(harness.map(|text| (source.as_path(), text)));
        if !is_elsewhere {
            break;
        }
    }
    Ok(made.transpose()?)
}

/// The error that says that the original itself cannot be built.
fn original(error: &RevisionError) -> anyhow::Error {
    match error {
        RevisionError::Build(error) => MergeError::Original(error.to_string()).into(),
        other => anyhow::anyhow!("{other}"),
    }
}

/// Builds the original of a program that has a build of its own.
fn prepare_whole(
    toolchain: &Toolchain,
    subject: &Subject,
    probed: &Option<Probed>,
    observer: &mut dyn Observer,
) -> anyhow::Result<Option<Whole>> {
    let build = &subject.config.build;
    let Some(program) = &build.program else { return Ok(None) };
    let recipe = Recipe {
        subject: subject.dir.clone(),
        source: subject.root.clone(),
        configure: build.configure.clone(),
        make: build.make.clone(),
        program: program.clone(),
        flags: build.flags.clone(),
        probed: probed.clone(),
    };
    // A libc that is there already saves a minute.
    let executable = env::current_exe().context("finding this executable")?;
    let caches = [cache_directory(&subject.dir), cache_directory(&executable)];
    let cache = caches.iter().find(|cache| Whole::has_libc(cache)).unwrap_or(&caches[0]);
    let tell = |package: &str| observer.observe(Event::Preparing { package });
    Ok(Some(Whole::prepare(toolchain, recipe, cache, tell)?))
}

/// Builds, beside each of the plain programs, the one that watches its accesses to memory.
fn build_watched(whole: &Whole, plain: &Builds) -> anyhow::Result<Builds> {
    let watched = |program: &Path| program.with_extension("watched");
    let made: Result<Vec<()>, BuildError> = plain
        .programs()
        .into_par_iter()
        .map(|program| whole.watched(&program.with_extension("bc"), &watched(program)))
        .collect();
    made?;
    Ok(plain.map(watched))
}

/// Checks a file the way every revision's files are compiled, and a meta program by compiling it.
/// The build uses what that made.
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

fn meta_files(meta: &Path) -> anyhow::Result<Changes> {
    let mut files = Changes::new();
    for entry in WalkDir::new(meta).follow_links(true) {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            let path = entry.path();
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let relative = path.strip_prefix(meta).expect("found below it").to_owned();
            files.insert(relative, Some(text.into()));
        }
    }
    Ok(files)
}
