//! How a run goes about it.

use std::{num::NonZeroUsize, path::PathBuf, thread, time::Duration};

use crate::{
    env::models::{Models, UnknownModel},
    exec::Limits,
    explore::{Config, Search},
    interrupt::Interrupt,
    solver::SolverConfig,
    subject::config::BudgetConfig,
};

/// Symbolic sizes, pointers and the like may have so many values.
const CONCRETISATIONS: u32 = 256;

/// How to compare the revisions of a subject.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How to explore.
    pub search: SearchOptions,
    /// Where results are written, also while the run goes on; without, the run has a directory of its
    /// own, which ends with it ([`Findings::write`](super::Findings::write)).
    pub out: Option<PathBuf>,
    /// Begin with the tests that an earlier, interrupted run left there: nothing without [`Self::out`].
    pub resume: bool,
    /// Write every query that a verdict rests on here, as SMT-LIB 2 files with their answers.
    pub queries: Option<PathBuf>,
    /// Follow paths also where no patch can make a difference any more, as is done anyway where the
    /// program has no build of its own.
    pub all_paths: bool,
    /// Let revisions and inputs that parted stay apart, also where their ways meet again.
    pub apart: bool,
    /// What is run once for several revisions.
    pub sharing: Sharing,
    /// What to follow paths for; by default pairs for two revisions or a program with a build of its
    /// own, else [`Until::Either`].
    pub until: Option<Until>,
}

/// What paths are followed for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Until {
    /// Every way in which inputs cluster the revisions, but once that takes long only open pairs.
    Either,
    /// Pairs that no test has told apart yet.
    Pairs,
    /// Every way in which inputs cluster the revisions, for the lowest tree.
    Trees,
}

/// What is run once for several revisions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Sharing {
    /// Whatever they have in common.
    #[default]
    Full,
    /// Nothing: each revision is explored on its own, and only paired with the others.
    None,
}

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// Workers that explore; by default one for each processor. No proof depends on it. Merging, compilers and
    /// native runs are as many at once as rayon's global pool has threads.
    pub jobs: Option<NonZeroUsize>,
    /// What the random choices of a search begin with.
    pub random: u64,
    /// Stop so long after the build, instead of what the subject says.
    pub time: Option<Duration>,
    /// Which states run first.
    pub search: Option<Search>,
    /// Functions of the C library whose code runs in place of their models.
    pub without_models: Vec<String>,
    /// Keep every query that reaches the solver here, as SMT-LIB 2 files.
    pub log_queries: Option<PathBuf>,
    /// Asks the run to end.
    pub interrupt: Interrupt,
}

impl SearchOptions {
    /// The workers.
    pub fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// The models of functions that take part.
    ///
    /// # Errors
    /// There is no model of a function that is named.
    pub fn models(&self) -> Result<Models, UnknownModel> {
        Models::without(&self.without_models)
    }

    /// How to explore under a budget; `order` is what runs first if nothing is said.
    pub(crate) fn config(&self, order: Search, budget: &BudgetConfig) -> Config {
        Config {
            jobs: self.jobs(),
            search: self.search.unwrap_or(order),
            random: self.random,
            seeds: Vec::new(),
            limits: Limits {
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

    /// The time that a run may take, if it is limited.
    pub(crate) fn time(&self, budget: &BudgetConfig) -> Option<Duration> {
        self.time.or(Some(budget.time)).filter(|time| *time < Duration::MAX)
    }
}
