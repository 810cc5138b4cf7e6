//! Search strategies: the order in which waiting states run.

use std::{collections::HashMap, str::FromStr};

use crate::{
    exec::{Distance, Program, State, state::Claim},
    ir::FunctionId,
    subject::RevisionSet,
};

/// Which states run first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Search {
    /// The youngest: paths are finished one after the other.
    #[default]
    Dfs,
    /// Those with the fewest forks behind them.
    Bfs,
    /// A random walk down the execution tree: a state with n forks behind it has the weight
    /// 2^-n (KLEE's random path; Cadar, Dunbar and Engler, OSDI 2008, section 3.4).
    RandomPath,
    /// Those about to run the code that was scheduled least often.
    Coverage,
    /// Those that have read and run the least, of these the youngest, so that differences are found
    /// on short inputs; the rest depth first where more states wait than memory should hold.
    Shortest,
    /// As [`Search::Shortest`], but of those that have read and run as much the ones that are nearest to a
    /// question for the revision ([`Program::distance`]), with a share of [`Search::RandomPath`], so that
    /// what is far from all that is followed has its turn.
    Directed,
}

/// A name that is not a [`Search`].
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a search: use dfs, bfs, random-path, coverage, shortest or directed")]
pub struct UnknownSearch(String);

impl FromStr for Search {
    type Err = UnknownSearch;

    fn from_str(name: &str) -> Result<Self, UnknownSearch> {
        match name {
            "dfs" => Ok(Self::Dfs),
            "bfs" => Ok(Self::Bfs),
            "random-path" => Ok(Self::RandomPath),
            "coverage" => Ok(Self::Coverage),
            "shortest" => Ok(Self::Shortest),
            "directed" => Ok(Self::Directed),
            _ => Err(UnknownSearch(name.into())),
        }
    }
}

/// With [`Search::Shortest`], so many instructions count like a token of input.
const TOKEN: u64 = 1 << 14;
/// And so many states run in a round.
const SHORT_ROUND: usize = 16;
/// One for which the solver took too long comes after others that have read so much more.
const WAIT: u64 = 4;
/// With more states waiting, [`Search::Shortest`] is depth first.
const WIDE: usize = 4096;
/// With [`Search::Directed`], of so many states one is chosen at random.
const RANDOM_SHARE: usize = 4;

/// The states that wait, in the order they came.
pub(super) struct Frontier<'a> {
    search: Search,
    program: &'a Program,
    waiting: Vec<Waiting>,
    random: u64,
    /// How often a state was picked at a place, for [`Search::Coverage`].
    picked: HashMap<(FunctionId, u32), u64>,
}

/// A state that waits.
struct Waiting {
    /// What comes first has the least: what it has read and run, and the way that is before it.
    rank: (u64, Distance),
    state: Box<State>,
}

impl<'a> Frontier<'a> {
    pub(super) fn new(search: Search, seed: u64, program: &'a Program) -> Self {
        Self { search, program, waiting: Vec::new(), random: seed, picked: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &State> {
        self.waiting.iter().map(|waiting| &*waiting.state)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn extend(&mut self, states: impl IntoIterator<Item = State>) {
        for state in states {
            let read = u64::from(state.tokens()) + state.instructions / TOKEN;
            let distance = match self.search {
                Search::Directed => self.program.distance(&state),
                _ => 0,
            };
            let rank = (read + WAIT * u64::from(state.waits), distance);
            self.waiting.push(Waiting { rank, state: Box::new(state) });
        }
    }

    /// Leaves of the revisions only these.
    pub(super) fn keep(&mut self, revisions: &RevisionSet) {
        self.waiting.retain(|waiting| !waiting.state.revisions.is_disjoint(revisions));
        for Waiting { state, .. } in &mut self.waiting {
            if !state.revisions.is_subset(revisions) {
                state.keep(state.revisions.intersection(revisions));
            }
            // What was said of a state was about other pairs.
            state.claim = Claim::None;
        }
    }

    /// Whether short inputs come first, and not too many states wait for that.
    fn is_short(&self) -> bool {
        let is_by_length = matches!(self.search, Search::Shortest | Search::Directed);
        is_by_length && self.waiting.len() <= WIDE
    }

    /// How many more tokens of input a state that is taken next may read before others.
    pub(super) fn tokens(&self) -> u32 {
        if self.is_short() { 1 } else { u32::MAX }
    }

    /// How many states run in a round, of at most so many.
    pub(super) fn round(&self, most: usize) -> usize {
        let is_by_length = matches!(self.search, Search::Shortest | Search::Directed);
        if is_by_length { SHORT_ROUND.min(most) } else { most }
    }

    /// How many instructions a state that is taken next may run before others.
    pub(super) fn instructions(&self) -> u64 {
        let is_by_length = matches!(self.search, Search::Shortest | Search::Directed);
        if is_by_length { TOKEN } else { u64::MAX }
    }

    /// Takes up to `count` states out, the first to run first.
    pub(super) fn take(&mut self, count: usize) -> Vec<State> {
        let count = count.min(self.waiting.len());
        let chosen = match self.search {
            Search::Dfs => self.youngest(count),
            Search::Shortest => self.shortest(count),
            Search::Directed => {
                let mut chosen = self.at_random(count / RANDOM_SHARE);
                chosen.extend(self.shortest(count - chosen.len()));
                chosen
            }
            Search::Bfs => {
                self.waiting.sort_by_key(|waiting| waiting.state.branch.depth());
                self.first(count)
            }
            Search::RandomPath => self.at_random(count),
            Search::Coverage => {
                let picked = &self.picked;
                self.waiting.sort_by_key(|Waiting { state, .. }| {
                    picked.get(&place(state)).copied().unwrap_or(0)
                });
                let chosen = self.first(count);
                for Waiting { state, .. } in &chosen {
                    *self.picked.entry(place(state)).or_default() += 1;
                }
                chosen
            }
        };
        chosen.into_iter().map(|waiting| *waiting.state).collect()
    }

    fn first(&mut self, count: usize) -> Vec<Waiting> {
        let rest = self.waiting.split_off(count);
        std::mem::replace(&mut self.waiting, rest)
    }

    fn youngest(&mut self, count: usize) -> Vec<Waiting> {
        self.waiting.split_off(self.waiting.len() - count)
    }

    /// Those of the least rank, of these the youngest; if too many wait for that, the youngest.
    fn shortest(&mut self, count: usize) -> Vec<Waiting> {
        if self.waiting.len() <= WIDE {
            self.waiting.sort_by_key(|waiting| std::cmp::Reverse(waiting.rank));
        }
        self.youngest(count)
    }

    /// Weighted sampling without replacement (Efraimidis and Spirakis, 2006): the smallest of
    /// -ln(u) / weight come first; in logarithms, weights being tiny. Where many wait, some of them
    /// are looked at.
    fn at_random(&mut self, count: usize) -> Vec<Waiting> {
        let step = (self.waiting.len() / WIDE).max(1);
        let first = (self.uniform() * step as f64) as usize;
        let looked_at = (first..self.waiting.len()).step_by(step);
        let mut keys: Vec<(f64, usize)> = looked_at
            .map(|index| {
                let depth = f64::from(self.waiting[index].state.branch.depth());
                ((-self.uniform().ln()).ln() + depth * std::f64::consts::LN_2, index)
            })
            .collect();
        keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        keys.truncate(count);
        let mut waiting: Vec<Option<Waiting>> =
            std::mem::take(&mut self.waiting).into_iter().map(Some).collect();
        let chosen = keys.iter().map(|(_, index)| waiting[*index].take().expect("each once"));
        let chosen = chosen.collect();
        self.waiting = waiting.into_iter().flatten().collect();
        chosen
    }

    /// A number in (0, 1) (SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

/// What a state is about to run.
fn place(state: &State) -> (FunctionId, u32) {
    (state.top.function, state.top.pc)
}
