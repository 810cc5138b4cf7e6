//! The options of a run.

use std::{num::NonZeroUsize, path::PathBuf, thread, time::Duration};

use crate::{
    env::models::{Models, UnknownModel},
    exec::PathLimits,
    explore::{ExploreConfig, Search},
    interrupt::Interrupt,
    solver::SolverConfig,
    subject::config::BudgetConfig,
};

/// The greatest number of values to follow for a symbolic size, pointer or the like.
const CONCRETISATIONS: u32 = 256;

/// How to compare the revisions of a subject.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How to explore.
    pub search: SearchOptions,
    /// The directory to which results are written, also while the run goes on. Without it, the run
    /// has a temporary directory, which is removed at its end;
    /// [`Findings::write`](super::Findings::write) still writes its results.
    pub out: Option<PathBuf>,
    /// Begin with the tests that an earlier, interrupted run left in [`Self::out`]. Without that,
    /// this has no effect.
    pub resume: bool,
    /// The directory for every query that a verdict rests on, as SMT-LIB 2 files with their
    /// answers. It must be empty or new.
    pub queries: Option<PathBuf>,
    /// Follow paths even where no patch can make a difference any more. For a program without a
    /// build of its own, this is always done.
    pub all_paths: bool,
    /// Keep states apart once they have parted, even where their ways meet again.
    pub apart: bool,
    /// What to run once for several revisions.
    pub sharing: Sharing,
    /// What to follow paths for. The default is [`Until::Pairs`] for two revisions or a program
    /// with a build of its own, else [`Until::Either`].
    pub until: Option<Until>,
}

/// What paths are followed for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Until {
    /// First what [`Until::Trees`] follows; once that has taken long, only what [`Until::Pairs`]
    /// follows.
    Either,
    /// Pairs that no test has told apart yet.
    Pairs,
    /// Every way in which inputs cluster the revisions, for the lowest tree.
    Trees,
}

/// What to run once for several revisions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Sharing {
    /// Whatever the revisions have in common.
    #[default]
    Full,
    /// Nothing: each revision is explored on its own, and only paired with the others.
    None,
}

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The number of workers that explore; by default one for each processor. No proof depends on
    /// it. Merging, compilers and native runs use rayon's global thread pool instead.
    pub jobs: Option<NonZeroUsize>,
    /// The seed of the search's random choices.
    pub random: u64,
    /// The time budget, which begins after the build; by default that of the subject.
    pub time: Option<Duration>,
    /// Which states run first; by default [`Search::Directed`] to compare revisions, else
    /// [`Search::Dfs`].
    pub search: Option<Search>,
    /// Functions of the C library whose code runs in place of their models.
    pub without_models: Vec<String>,
    /// The directory for every query that reaches the solver, as SMT-LIB 2 files.
    pub log_queries: Option<PathBuf>,
    /// The token by which the run can be asked to end.
    pub interrupt: Interrupt,
}

impl SearchOptions {
    /// The number of workers.
    pub fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// The models of all functions except those named in [`Self::without_models`].
    ///
    /// # Errors
    /// A function that is named has no model.
    pub fn models(&self) -> Result<Models, UnknownModel> {
        Models::without(&self.without_models)
    }

    /// The configuration of an exploration under `budget`. `order` applies if [`Self::search`] is
    /// `None`.
    pub(crate) fn config(&self, order: Search, budget: &BudgetConfig) -> ExploreConfig {
        ExploreConfig {
            jobs: self.jobs(),
            search: self.search.unwrap_or(order),
            random: self.random,
            seeds: Vec::new(),
            divergences_from: None,
            limits: PathLimits {
                instructions: budget.instructions,
                concretisations: CONCRETISATIONS,
                solver: budget.solver,
            },
            solver: SolverConfig {
                timeout: budget.solver,
                interrupt: self.interrupt.clone(),
                log: self.log_queries.clone(),
                ..SolverConfig::default()
            },
        }
    }

    /// The time that a run may take after the build; `None` if it is not limited.
    pub(crate) fn time(&self, budget: &BudgetConfig) -> Option<Duration> {
        self.time.or(Some(budget.time)).filter(|time| *time < Duration::MAX)
    }
}
