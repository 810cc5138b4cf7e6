//! The configuration of an exploration, and its search strategies.

use crate::{exec::PathLimits, expr::Assignment, solver::SolverConfig, subject::Revision};

/// How to explore.
#[derive(Clone, Debug)]
pub struct ExploreConfig {
    /// Number of workers; at least 1.
    pub jobs: usize,
    /// Which states come first.
    pub search: Search,
    /// Seed of the random numbers of a search.
    pub random: u64,
    /// Inputs whose paths [`Search::Directed`] follows first, at most 64.
    pub seeds: Vec<Assignment>,
    /// If set, the divergences of all other revisions from this one are recorded
    /// ([`Explorer::divergences`](super::Explorer::divergences)). Inputs that parted then stay
    /// apart.
    pub divergences_from: Option<Revision>,
    /// Limits of a path.
    pub limits: PathLimits,
    /// The solver of each worker.
    pub solver: SolverConfig,
}

/// Which states run first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Search {
    /// The youngest first: paths are finished one after the other.
    #[default]
    Dfs,
    /// Those with the fewest forks behind them first.
    Bfs,
    /// A random walk down the execution tree: a state with n forks behind it has the weight 2^-n
    /// (KLEE's random path; Cadar, Dunbar and Engler, OSDI 2008, section 3.4).
    RandomPath,
    /// Those about to run the code that was scheduled least often first.
    Coverage,
    /// The states that have read and run the least first and, among equals, the youngest. So
    /// differences are found on short inputs. If more states wait than memory should hold, the
    /// youngest come first.
    Shortest,
    /// Like [`Search::Shortest`], but among states that have read and run as much, those nearest to
    /// a question for the revision come first
    /// ([`Program::distance`](crate::exec::Program::distance)). A share of the states is drawn as
    /// by [`Search::RandomPath`], so that paths far from all others have their turn. Another share
    /// goes to the states that parted last from the path of one of the
    /// [`seeds`](super::ExploreConfig::seeds).
    Directed,
}

impl Search {
    /// All searches.
    pub const ALL: [Self; 6] =
        [Self::Directed, Self::Dfs, Self::Bfs, Self::RandomPath, Self::Coverage, Self::Shortest];

    /// The name of the search.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dfs => "dfs",
            Self::Bfs => "bfs",
            Self::RandomPath => "random-path",
            Self::Coverage => "coverage",
            Self::Shortest => "shortest",
            Self::Directed => "directed",
        }
    }

    /// Which states run first, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Dfs => "The youngest state: one path after the other",
            Self::Bfs => "The state with the fewest forks behind it",
            Self::RandomPath => "The end of a random walk down the execution tree",
            Self::Coverage => "The state whose next code was scheduled least often",
            Self::Shortest => "The state that has read and run the least",
            Self::Directed => {
                "As shortest; among equals, the state nearest to code in which revisions differ"
            }
        }
    }
}
