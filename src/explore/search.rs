//! Search strategies: the order in which waiting states run.

use std::{collections::HashMap, str::FromStr};

use crate::{
    exec::{State, state::Claim},
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
}

/// A name that is not a [`Search`].
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a search: use dfs, bfs, random-path, coverage or shortest")]
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

/// The states that wait, in the order they came.
pub(super) struct Frontier {
    search: Search,
    states: Vec<State>,
    random: u64,
    /// How often a state was picked at a place, for [`Search::Coverage`].
    picked: HashMap<(FunctionId, u32), u64>,
}

impl Frontier {
    pub(super) fn new(search: Search, seed: u64) -> Self {
        Self { search, states: Vec::new(), random: seed, picked: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &State> {
        self.states.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn extend(&mut self, states: impl IntoIterator<Item = State>) {
        self.states.extend(states);
    }

    /// Leaves of the revisions only these.
    pub(super) fn keep(&mut self, revisions: &RevisionSet) {
        self.states.retain(|state| !state.revisions.is_disjoint(revisions));
        let narrow = |state: &&mut State| !state.revisions.is_subset(revisions);
        for state in self.states.iter_mut().filter(narrow) {
            state.keep(state.revisions.intersection(revisions));
        }
        // What was said of a state was about other pairs.
        self.states.iter_mut().for_each(|state| state.claim = Claim::None);
    }

    /// How many more tokens of input a state that is taken next may read before others.
    pub(super) fn tokens(&self) -> u32 {
        match self.search {
            Search::Shortest if self.states.len() <= WIDE => 1,
            _ => u32::MAX,
        }
    }

    /// How many states run in a round, of at most so many.
    pub(super) fn round(&self, most: usize) -> usize {
        if self.search == Search::Shortest { SHORT_ROUND.min(most) } else { most }
    }

    /// How many instructions a state that is taken next may run before others.
    pub(super) fn instructions(&self) -> u64 {
        if self.search == Search::Shortest { TOKEN } else { u64::MAX }
    }

    /// Takes up to `count` states out, the first to run first.
    pub(super) fn take(&mut self, count: usize) -> Vec<State> {
        let count = count.min(self.states.len());
        match self.search {
            Search::Shortest if self.states.len() <= WIDE => {
                let length = |state: &State| {
                    let read = u64::from(state.tokens()) + state.instructions / TOKEN;
                    read + WAIT * u64::from(state.waits)
                };
                self.states.sort_by_key(|state| std::cmp::Reverse(length(state)));
                return self.states.split_off(self.states.len() - count);
            }
            Search::Dfs | Search::Shortest => {
                return self.states.split_off(self.states.len() - count);
            }
            Search::Bfs => self.states.sort_by_key(|state| state.branch.depth()),
            Search::RandomPath => {
                // Weighted sampling without replacement (Efraimidis and Spirakis, 2006): the
                // smallest of -ln(u) / weight come first; in logarithms, weights being tiny.
                let keys: Vec<f64> = (0..self.states.len())
                    .map(|index| {
                        let depth = f64::from(self.states[index].branch.depth());
                        (-self.uniform().ln()).ln() + depth * std::f64::consts::LN_2
                    })
                    .collect();
                self.sort_by_keys(&keys);
            }
            Search::Coverage => {
                let keys: Vec<f64> = self
                    .states
                    .iter()
                    .map(|state| {
                        let place = (state.top.function, state.top.pc);
                        self.picked.get(&place).copied().unwrap_or(0) as f64
                    })
                    .collect();
                self.sort_by_keys(&keys);
            }
        }
        let rest = self.states.split_off(count);
        let chosen = std::mem::replace(&mut self.states, rest);
        if self.search == Search::Coverage {
            for state in &chosen {
                *self.picked.entry((state.top.function, state.top.pc)).or_default() += 1;
            }
        }
        chosen
    }

    fn sort_by_keys(&mut self, keys: &[f64]) {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|a, b| keys[*a].total_cmp(&keys[*b]));
        let mut states: Vec<Option<State>> =
            std::mem::take(&mut self.states).into_iter().map(Some).collect();
        self.states = order.into_iter().map(|i| states[i].take().expect("each once")).collect();
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
