//! The stages before exploration, each from the files that the one before left behind.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};

use super::{SearchArgs, inputs, interrupt, progress::Progress, say};
use crate::{
    build::{
        Closure, Compilation, HarnessError, Libc, Recipe, Sanitizer, Toolchain, Whole, harness,
    },
    env::models,
    exec::Limits,
    explore,
    ir::{Module, cache, lower},
    merge::{self, Compiler, overlay},
    replay::Binaries,
    solver::SolverConfig,
    subject::{
        Revision, Subject, cache_directory,
        config::BudgetConfig,
        results::{ResultsDir, RevisionRow, Status},
    },
};

/// The name of a generated `main`.
const HARNESS: &str = "psychic_harness.c";
/// Symbolic sizes, pointers and the like may have so many values.
const CONCRETISATIONS: u32 = 256;

/// A subject and the directory for its results.
pub(super) struct Stage {
    pub(super) subject: Subject,
    pub(super) results: ResultsDir,
    toolchain: Toolchain,
    /// The package, if the program has a build of its own.
    whole: Option<Whole>,
}

/// What the merge left.
pub(super) struct Merged {
    /// Rows of `revisions.csv`, the original first.
    pub(super) rows: Vec<RevisionRow>,
    /// Those that are in the meta program.
    pub(super) revisions: Vec<Revision>,
}

/// What the build left.
pub(super) struct Built {
    pub(super) bitcode: PathBuf,
    pub(super) binaries: Binaries,
    /// How to compile it otherwise; a whole program cannot be.
    compilation: Option<Compilation>,
}

impl Stage {
    pub(super) fn open(subject: &Path, out: Option<&Path>) -> anyhow::Result<Self> {
        let mut subject = Subject::load(subject)?;
        let out = out.map_or_else(|| default_results(&subject), Path::to_owned);
        let results = ResultsDir::create(out)?;
        let toolchain = Toolchain::find()?;
        let whole = prepare_whole(&toolchain, &subject)?;
        if let Some(whole) = &whole {
            // Configured: patched files compile there.
            subject.root = whole.tree().to_owned();
        }
        Ok(Self { subject, results, toolchain, whole })
    }

    /// Merges the patches, writes `meta/` and `revisions.csv`, and reports what was set aside.
    pub(super) fn merge(&self, progress: &mut Progress) -> anyhow::Result<Merged> {
        let patches = say::count(self.subject.patches.len() as u64, "patch");
        progress.stage(&format!("merging {patches} of {}", self.subject.config.name));
        let program = match &self.whole {
            Some(whole) => merge::merge(&self.subject, whole)?,
            None => {
                let mut flags = self.subject.config.build.flags.clone();
                flags.push(format!("-I{}", self.toolchain.include().display()));
                let compiler = Compiler { program: self.toolchain.program().into(), flags };
                merge::merge(&self.subject, &compiler)?
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
                    merge::Status::Rejected => Status::Rejected,
                },
                reason: revision.reason.clone(),
                hunks: revision.hunks as u32,
                arms: revision.arms as u32,
            })
            .collect();
        for row in rows.iter().filter(|row| row.status == Status::Rejected) {
            progress.stage(&set_aside(row));
        }
        self.results.write(&rows)?;
        Ok(Merged::of(rows))
    }

    /// What an earlier merge left in the results, else merges now.
    pub(super) fn merged(&self, progress: &mut Progress) -> anyhow::Result<Merged> {
        let meta = self.results.meta();
        if meta.is_dir() && self.results.table::<RevisionRow>().is_file() {
            progress.stage(&format!("taking the meta program in {} as it is", meta.display()));
            return Ok(Merged::of(self.results.read()?));
        }
        self.merge(progress)
    }

    /// Compiles the meta program in `meta/` to bitcode and a native binary.
    pub(super) fn build(
        &self,
        merged: &Merged,
        progress: &mut Progress,
    ) -> anyhow::Result<(Built, Module)> {
        progress.stage(&format!("building {} revisions as one program", merged.revisions.len()));
        let variables = inputs::native(&inputs::environment(&self.subject.config.inputs));
        if let Some(whole) = &self.whole {
            let (bitcode, plain) = (self.results.bitcode(), self.results.native());
            whole.link(&meta_files(&self.results.meta())?, &bitcode, &plain)?;
            let files = self.subject.files.as_slice().into();
            let binaries = Binaries { plain, files, variables, ..Binaries::default() };
            let module = load_cached(&bitcode)?;
            return Ok((Built { bitcode, binaries, compilation: None }, module));
        }
        let directory = self.results.path().join("build");
        if directory.exists() {
            fs::remove_dir_all(&directory).with_context(|| directory.display().to_string())?;
        }
        let files = meta_files(&self.results.meta())?;
        overlay(
            &self.subject.root,
            files.iter().map(|(path, text)| (path.as_path(), text.as_str())),
            &directory,
        )
        .with_context(|| directory.display().to_string())?;
        let mut compilation = Compilation {
            directory,
            sources: self.subject.sources.clone(),
            flags: self.subject.config.build.flags.clone(),
            ..Compilation::default()
        };
        if self.subject.config.entry != "main" {
            self.add_harness(&mut compilation)?;
        }
        let libc = find_libc(&self.subject.dir)?;
        let bitcode = self.results.bitcode();
        let (module, library) =
            compile_bitcode(&self.toolchain, libc.as_ref(), &compilation, &bitcode)?;
        compilation.library = library;
        let plain = self.results.native();
        self.toolchain.native(&compilation, Sanitizer::None, &plain)?;
        let binaries = Binaries { plain, variables, ..Binaries::default() };
        Ok((Built { bitcode, binaries, compilation: Some(compilation) }, module))
    }

    /// Compiles the meta program under a sanitizer.
    pub(super) fn build_sanitized(
        &self,
        built: &Built,
        sanitizer: Sanitizer,
    ) -> anyhow::Result<PathBuf> {
        let suffix = match sanitizer {
            Sanitizer::None => "native",
            Sanitizer::AddressUndefined => "asan",
            Sanitizer::Memory => "msan",
        };
        let out = self.results.path().join(format!("meta.{suffix}"));
        let Some(compilation) = &built.compilation else {
            bail!("a program with a build of its own cannot be built with a sanitizer");
        };
        self.toolchain.native(compilation, sanitizer, &out)?;
        Ok(out)
    }

    /// Whether the program has a build of its own, which knows no sanitizers.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// Puts a generated `main` in place of the source that defines the entry.
    fn add_harness(&self, compilation: &mut Compilation) -> anyhow::Result<()> {
        let config = &self.subject.config;
        let mut missing = None;
        for source in &mut compilation.sources {
            let path = compilation.directory.join(&*source);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            match harness(&text, source, &config.entry, &config.inputs, config.outputs.nan) {
                Ok(text) => {
                    let path = compilation.directory.join(HARNESS);
                    fs::write(&path, text).with_context(|| path.display().to_string())?;
                    *source = HARNESS.into();
                    return Ok(());
                }
                Err(error @ HarnessError::NoEntry { .. }) => {
                    missing.get_or_insert(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        match missing {
            Some(error) => Err(error.into()),
            None => bail!("the subject has no sources"),
        }
    }
}

impl Merged {
    fn of(rows: Vec<RevisionRow>) -> Self {
        let merged = rows.iter().filter(|row| row.status == Status::Merged);
        let revisions = merged.map(|row| row.revision).collect();
        Self { rows, revisions }
    }
}

/// Which patch was set aside, and why.
pub(super) fn set_aside(row: &RevisionRow) -> String {
    // Of what is wrong with the diff itself, the reason names the file already.
    match row.reason.starts_with(&row.patch) {
        true => format!("set aside: {}", row.reason),
        false => format!("set aside: {}: {}", row.patch, row.reason),
    }
}

/// Builds the original of a program that has a build of its own.
fn prepare_whole(toolchain: &Toolchain, subject: &Subject) -> anyhow::Result<Option<Whole>> {
    let build = &subject.config.build;
    let Some(program) = &build.program else { return Ok(None) };
    let recipe = Recipe {
        subject: subject.dir.clone(),
        source: subject.root.clone(),
        configure: build.configure.clone(),
        make: build.make.clone(),
        program: program.clone(),
        flags: build.flags.clone(),
    };
    let mut cache = cache_directory(&subject.dir);
    if !cache.join("musl-whole/stamp").is_file() {
        let executable = env::current_exe().context("finding this executable")?;
        cache = cache_directory(&executable);
    }
    let tell = |line: &str| eprintln!("{line}");
    Ok(Some(Whole::prepare(toolchain, recipe, &cache, tell)?))
}

/// `results/NAME` beside the directory that holds the subjects, else below this directory.
fn default_results(subject: &Subject) -> PathBuf {
    let beside = subject
        .dir
        .parent()
        .filter(|parent| parent.file_name().is_some_and(|name| name == "patches"))
        .and_then(Path::parent);
    beside.unwrap_or(Path::new("")).join("results").join(&subject.config.name)
}

fn meta_files(meta: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    let mut open = vec![meta.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let relative = path.strip_prefix(meta).expect("found below it").to_owned();
                files.push((relative, text));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Compiles to bitcode against the headers that the native build has, and links the functions of
/// musl that it needs; without them, calls of the libc that have no model end their path. Gives
/// these functions, too.
pub(super) fn compile_bitcode(
    toolchain: &Toolchain,
    libc: Option<&Libc>,
    compilation: &Compilation,
    out: &Path,
) -> anyhow::Result<(Module, Closure)> {
    let program = out.with_extension("program.bc");
    toolchain.bitcode(compilation, &program)?;
    link_libc(toolchain, libc, (lower::load(&program)?, &program), out)
}

/// A program from bitcode that is seldom made anew.
pub(super) fn load_cached(bitcode: &Path) -> anyhow::Result<Module> {
    let place = fs::canonicalize(bitcode).unwrap_or_default();
    Ok(cache::load(bitcode, &cache_directory(&place).join("modules"))?)
}

/// Links what a program, lowered and as bitcode, needs of the libc. Gives what `out` is lowered,
/// and what was linked.
pub(super) fn link_libc(
    toolchain: &Toolchain,
    libc: Option<&Libc>,
    (module, program): (Module, &Path),
    out: &Path,
) -> anyhow::Result<(Module, Closure)> {
    let undefined = undefined_symbols(&module);
    let defined = module.functions.iter().filter(|function| !function.code.is_empty());
    let defined = defined.map(|function| function.name.as_str());
    let closure = libc.map(|libc| libc.closure(undefined, defined, models::stand_alone));
    let closure = closure.unwrap_or_default();
    toolchain.link_bitcode(program, &closure, out)?;
    let module = if closure.modules.is_empty() { module } else { lower::load(out)? };
    Ok((module, closure))
}

fn undefined_symbols(module: &Module) -> Vec<&str> {
    let functions = module.functions.iter().filter(|function| function.code.is_empty());
    let variables = module.globals.iter().filter(|variable| variable.external);
    functions.map(|f| f.name.as_str()).chain(variables.map(|v| v.name.as_str())).collect()
}

/// Where the bitcode of the libc is: in the cache of the place, else of this executable.
pub(super) fn find_libc(place: &Path) -> anyhow::Result<Option<Libc>> {
    if let Some(libc) = Libc::find(&cache_directory(place))? {
        return Ok(Some(libc));
    }
    let executable = env::current_exe().context("finding this executable")?;
    Ok(Libc::find(&cache_directory(&executable))?)
}

/// How to explore under a budget.
pub(super) fn explore_config(search: &SearchArgs, budget: &BudgetConfig) -> explore::Config {
    explore::Config {
        jobs: search.jobs(),
        search: search.search,
        seed: search.seed,
        limits: Limits {
            instructions: budget.instructions,
            concretisations: CONCRETISATIONS,
            solver: budget.solver,
        },
        solver: SolverConfig {
            timeout: budget.solver,
            interrupted: interrupt::flag(),
            deadline: None,
            check_models: cfg!(debug_assertions),
            log: search.log_queries.clone(),
        },
    }
}

/// The time that a run may take, if it is limited.
pub(super) fn time_budget(search: &SearchArgs, budget: &BudgetConfig) -> Option<Duration> {
    search.time_budget.or(Some(budget.time)).filter(|time| *time < Duration::MAX)
}
