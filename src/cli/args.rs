//! Arguments that several subcommands have.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use clap::{Args, ValueEnum, builder::PossibleValue};

use super::{
    interrupt,
    progress::{Progress, ProgressArgs},
};
use crate::{
    explore::Search,
    interrupt::Interrupt,
    results::{ResultsDir, RevisionRow, SubsetRow},
    session::{SearchOptions, stage::Stage},
    subject::{CONFIG_FILE, Form, Patch, Revision, Subject, config::parse_duration, name_of},
};

/// Arguments of the stages that take a subject.
#[derive(Args, Clone, Debug)]
pub(super) struct StageArgs {
    /// Directory with a subject.toml
    pub(super) subject: PathBuf,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) progress: ProgressArgs,
}

/// How to explore.
#[derive(Args, Clone, Debug)]
pub(super) struct SearchArgs {
    /// Workers, compilers, native runs at once; no proof depends on it [default: all processors]
    #[arg(long, short = 'j', value_name = "N", value_parser = jobs, allow_hyphen_values = true)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Seed of the search's random choices
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed)]
    pub(super) seed: u64,
    /// Stop this long after the build, and report what was found (60s, 10m, 2h) [default: budget.time
    /// of subject.toml]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(super) time_budget: Option<Duration>,
    /// Which states run first [default: directed to compare revisions, else dfs]
    #[arg(long, value_name = "NAME")]
    pub(super) search: Option<Search>,
    /// Run the code of the C library in place of the model of this function; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) no_model: Vec<String>,
    /// Keep every query that reaches the solver here, as SMT-LIB 2 files
    #[arg(long, value_name = "DIR")]
    pub(super) log_queries: Option<PathBuf>,
}

impl ValueEnum for Search {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}

impl SearchArgs {
    pub(super) fn options(&self, interrupt: Interrupt) -> SearchOptions {
        SearchOptions {
            jobs: self.jobs,
            random: self.seed,
            time: self.time_budget,
            search: self.search,
            without_models: self.no_model.clone(),
            log_queries: self.log_queries.clone(),
            interrupt,
        }
    }

    /// Limits the global thread pool, which runs merging, compilers and native runs, to `--jobs`
    /// threads, and makes the directory for `--log-queries`.
    pub(super) fn prepare(&self) -> anyhow::Result<()> {
        if let Some(directory) = &self.log_queries {
            let place = || format!("--log-queries {}", directory.display());
            fs::create_dir_all(directory).with_context(place)?;
        }
        let jobs = self.options(Interrupt::default()).jobs();
        // If this fails, a pool of the default size is made at its first use.
        _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
        Ok(())
    }
}

/// Opens a subject for the commands that write the results of single stages. They leave those of a
/// comparison as they are. Of a package, the original is built.
pub(super) fn open_stage(
    subject: &Path,
    out: Option<&Path>,
    progress: &mut Progress,
) -> anyhow::Result<Stage> {
    open_in(subject, |subject| ResultsDir::of_stage(&results_of(subject, out)), progress)
}

/// Opens a subject and its results. Of a package, the original is built.
pub(super) fn open(
    subject: &Path,
    out: Option<&Path>,
    progress: &mut Progress,
) -> anyhow::Result<Stage> {
    open_in(subject, |subject| results_of(subject, out), progress)
}

fn open_in(
    subject: &Path,
    place: impl FnOnce(&Subject) -> PathBuf,
    progress: &mut Progress,
) -> anyhow::Result<Stage> {
    let interrupt = interrupt::token();
    let subject = Subject::load_unless(subject, &interrupt)?;
    let place = ResultsDir::claim(place(&subject))?;
    let mut stage = Stage::new(subject, place, &interrupt)?;
    stage.prepare(progress)?;
    Ok(stage)
}

/// The results of a `psychic diff`, and the subject if it was given in their place: `place` is a
/// results directory or one with a subject.toml, whose results are in `out` or where they go without
/// it.
pub(super) fn subject_or_results(
    place: &Path,
    out: Option<&Path>,
) -> anyhow::Result<(Option<Subject>, ResultsDir)> {
    if !place.join(CONFIG_FILE).is_file() {
        anyhow::ensure!(out.is_none(), "--out is for a subject; {} is none", place.display());
        return Ok((None, ResultsDir::open(place)?));
    }
    let mut subject = Subject::load(place)?;
    let results = ResultsDir::open(results_of(&subject, out))?;
    of_subsets(&mut subject, &results)?;
    Ok((Some(subject), results))
}

/// A subject and the results of its `psychic diff`. `place` is a directory with a subject.toml, or the
/// original of files that were compared without one, whose candidates are those that the results name.
pub(super) fn compared(
    place: &Path,
    entry: Option<&str>,
    out: Option<&Path>,
) -> anyhow::Result<(Subject, ResultsDir)> {
    if !place.is_file() {
        anyhow::ensure!(
            entry.is_none(),
            "{}: --entry is only for files; set `entry` in the subject.toml",
            place.display()
        );
        let mut subject = Subject::load(place)?;
        let results = ResultsDir::open(results_of(&subject, out))?;
        of_subsets(&mut subject, &results)?;
        return Ok((subject, results));
    }
    let results = ResultsDir::open(results_of_file(place, out))?;
    let rows: Vec<RevisionRow> = results.read()?;
    let candidates = rows.into_iter().filter(|row| row.revision != Revision::ORIGINAL);
    let candidates: Vec<PathBuf> = candidates.map(|row| row.patch.into()).collect();
    Ok((Subject::of_files(place, &candidates, entry)?, results))
}

/// If the results are those of `psychic interact`, gives the subject the patches that were compared: the
/// subsets of the changes of one, and perhaps another one, which is right.
pub(super) fn of_subsets(subject: &mut Subject, results: &ResultsDir) -> anyhow::Result<()> {
    if !results.table::<SubsetRow>().is_file() {
        return Ok(());
    }
    let rows: Vec<RevisionRow> = results.read()?;
    if !rows.iter().any(|row| results.path().join(&row.patch).is_file()) {
        return Ok(());
    }
    let mut patches = Vec::new();
    for row in rows.into_iter().filter(|row| row.revision != Revision::ORIGINAL) {
        let path = std::path::absolute(results.path().join(&row.patch))?;
        let known = subject.patches.iter().find(|patch| patch.name == row.patch);
        let (form, path) = match known {
            Some(patch) => (patch.form, patch.path.clone()),
            None => (Form::Diff, path),
        };
        patches.push(Patch { revision: row.revision, form, name: row.patch, path });
    }
    (subject.patches, subject.reference) = (patches, None);
    Ok(())
}

/// Where results go: to `out` if it is given, else to `results/NAME`, which is beside the directory
/// that holds the subject if that is called `patches`, and otherwise in the current directory.
pub(super) fn results_of(subject: &Subject, out: Option<&Path>) -> PathBuf {
    if let Some(out) = out {
        return out.to_owned();
    }
    let beside = subject
        .dir
        .parent()
        .filter(|parent| parent.file_name().is_some_and(|name| name == "patches"))
        .and_then(Path::parent);
    results_below(beside.unwrap_or(Path::new("")), &subject.config.name)
}

/// The directory `results/NAME` below `place`.
fn results_below(place: &Path, name: &str) -> PathBuf {
    place.join("results").join(name)
}

/// Where results go if the original is a file: to `out` if it is given, else to `results/NAME` below
/// the current directory.
pub(super) fn results_of_file(original: &Path, out: Option<&Path>) -> PathBuf {
    let below = || results_below(Path::new(""), &name_of(original));
    out.map_or_else(below, Path::to_owned)
}

/// The most that is done at once on one machine.
pub(super) const MOST_JOBS: usize = 256;

/// Reads how much is done at once.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_JOBS);
    number.ok_or_else(|| format!("not a number from 1 to {MOST_JOBS}"))
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a whole number from 0 to {}", u64::MAX))
}
