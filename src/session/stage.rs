//! A subject on its way to exploration ([`Stage`]): its package, its compilations, its results.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
};

use anyhow::Context;
use walkdir::WalkDir;

use super::observer::{Event, Observer};
use crate::{
    child::Stopper,
    compile::{
        self, BuildError, Callers, Common, HarnessError, Probed, Recipe, RevisionError, Revisions,
        Show, Toolchain, Whole,
    },
    interrupt::Interrupt,
    merge::{self, Candidates, Changes, MergeError},
    results::ResultsDir,
    subject::{Revision, Subject, cache_directory, config::SubjectConfig},
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
    pub(super) whole: Option<Whole>,
    /// The functions that are to show what they return and leave.
    pub(super) probed: Option<Probed>,
    /// Every revision's own compilation, once it is made.
    pub(super) own: OnceLock<Own>,
    /// The meta program that compiled last: its files, and one bitcode module for each source.
    pub(super) meta: Mutex<Option<(Changes, Vec<PathBuf>)>>,
}

/// Every revision's own compilation.
pub(super) struct Own {
    pub(super) revisions: Revisions,
    pub(super) bitcode: BTreeMap<Revision, Vec<PathBuf>>,
}

impl Stage {
    /// A stage for `subject`. Its results go to `place`, a claimed directory. A package must still
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

    /// A stage for the subject of `other`, a prepared stage. Some functions of its programs show
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

    /// The subject before it was prepared, compiled so that functions and lines stay as they are in
    /// the source.
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

    /// Notes that the run has something to write. From now on, an interrupt ends no compilers.
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

    /// What the compilations of all revisions have in common, for a program without a build of its
    /// own. They work in the directory `build/name` of the results, which is emptied.
    pub(super) fn common(&self, name: &str) -> anyhow::Result<Common> {
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
            callers: self
                .of_entry(compile::callers)
                .and_then(|found| found.flatten().next())
                .unwrap_or_default(),
            inputs: config.inputs.clone(),
            nan: config.outputs.nan,
            probed: self.probed.clone(),
            directory: fs::canonicalize(directory)?,
        })
    }

    /// Compiles every revision on its own. Returns the revisions that cannot be compiled, with the
    /// reasons.
    pub(super) fn compile_own(
        &self,
        candidates: &Candidates,
    ) -> anyhow::Result<BTreeMap<Revision, String>> {
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

    /// Compiles a meta program to one bitcode module for each source. The inner error is the
    /// compiler's.
    pub(super) fn compile_meta(
        &self,
        files: Changes,
    ) -> anyhow::Result<Result<Vec<PathBuf>, BuildError>> {
        let meta = BTreeMap::from([(Revision::ORIGINAL, files)]);
        let (meta, _) = Revisions::new(self.toolchain.clone(), &self.common("meta")?, &meta)?;
        let made = &meta.bitcode()[&Revision::ORIGINAL];
        Ok(made.as_ref().cloned().map_err(BuildError::again))
    }

    /// Whether the program has a build of its own; it then contains its libc.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }
}

/// The C text that calls the original's entry function and shows what it does, with the source that
/// has the function; `None` for a program. The text includes that source as `source.c`.
///
/// # Errors
/// No source has the function, or it cannot be called.
pub(super) fn harness(subject: &Subject, show: Show) -> anyhow::Result<Option<(&Path, String)>> {
    let SubjectConfig { entry, inputs, .. } = &subject.config;
    if entry == "main" {
        return Ok(None);
    }
    let mut made = None;
    for source in &subject.sources {
        let path = subject.root.join(source);
        let text = fs::read(&path).with_context(|| path.display().to_string())?;
        let text = String::from_utf8_lossy(&text);
        let harness = compile::harness(&text, source, entry, inputs, &Callers::default(), show);
        let is_elsewhere = matches!(harness, Err(HarnessError::NoEntry { .. }));
        made = Some(harness.map(|made| (source.as_path(), made.including("\"source.c\""))));
        if !is_elsewhere {
            break;
        }
    }
    Ok(made.transpose()?)
}

/// The error that says that the original itself cannot be built.
pub(super) fn original(error: &RevisionError) -> anyhow::Error {
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

pub(super) fn meta_files(meta: &Path) -> anyhow::Result<Changes> {
    let mut files = Changes::new();
    for entry in WalkDir::new(meta).follow_links(true) {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            let path = entry.path();
            let bytes = fs::read(path).with_context(|| path.display().to_string())?;
            let relative = path.strip_prefix(meta).expect("found below it").to_owned();
            files.insert(relative, Some(merge::decode(bytes).into()));
        }
    }
    Ok(files)
}
