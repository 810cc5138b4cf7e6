//! Search strategies: the order in which waiting states run.

use std::{cmp::Reverse, collections::HashMap};

use rustc_hash::FxHashMap;

use crate::{
    exec::{Distance, Program, State, state::Claim},
    expr::{Assignment, ExprId},
    ir::FunctionId,
    subject::RevisionSet,
};

use super::config::{ExploreConfig, Search};

/// When short inputs come first, this many instructions count like one token of input.
const TOKEN: u64 = 1 << 14;
/// Most states in a round when short inputs come first.
const SHORT_ROUND: usize = 16;
/// Number of tokens that count as read for each time that the solver took too long for a state.
const WAIT: u64 = 4;
/// Number of waiting states above which the youngest come first, and above which only a sample of
/// the states is considered for a random choice.
const WIDE: usize = 4096;
/// With [`Search::Directed`], one of this many states is chosen at random.
const RANDOM_SHARE: usize = 4;
/// With [`Search::Directed`], one of this many states is chosen for being near the path of a seed,
/// if there are seeds.
const SEED_SHARE: usize = 2;
/// Most seeds: one for each bit of a word.
const SEEDS: usize = 64;
/// Most conditions whose truth values on the seeds are remembered.
const CONDITIONS: usize = 1 << 20;

/// The waiting states, in the order in which they came unless the search sorts them.
pub(super) struct Frontier<'a> {
    search: Search,
    program: &'a Program,
    waiting: Vec<Waiting>,
    random: u64,
    /// How often a state was picked at a place, for [`Search::Coverage`].
    picked: HashMap<(FunctionId, u32), u64>,
    seeds: Seeds,
}

/// A waiting state.
struct Waiting {
    /// The distance from the path of the nearest seed: the number of bits of the number of
    /// conditions since the two parted.
    parted: u32,
    /// The rank of the state: what it has read and run, then the distance ahead. The least rank
    /// comes first.
    rank: (u64, Distance),
    state: Box<State>,
}

/// Inputs whose paths through the program are followed first (concolic testing: Godefroid, Klarlund
/// and Sen, "DART", PLDI 2005).
#[derive(Default)]
struct Seeds {
    inputs: Vec<Assignment>,
    /// For each condition, the inputs on which it holds, one bit for each input.
    hold: FxHashMap<ExprId, u64>,
}

impl Seeds {
    /// The number of conditions on the path of a state since it parted from the last seed.
    fn distance(&mut self, program: &Program, state: &State) -> u32 {
        if self.inputs.is_empty() {
            return 0;
        }
        if self.hold.len() > CONDITIONS {
            self.hold.clear();
        }
        let mut together = u64::MAX;
        let parts = |condition: &ExprId| {
            together &= *self.hold.entry(*condition).or_insert_with(|| {
                let holds = |input| !program.exprs.evaluate(*condition, input).is_zero();
                let bits =
                    (0..).zip(&self.inputs).map(|(bit, input)| u64::from(holds(input)) << bit);
                bits.sum()
            });
            together == 0
        };
        let at = state.path_condition.iter().position(parts);
        at.map_or(0, |at| (state.path_condition.len() - at) as u32)
    }
}

impl<'a> Frontier<'a> {
    pub(super) fn new(config: &ExploreConfig, program: &'a Program) -> Self {
        let inputs = config.seeds.iter().take(SEEDS).cloned().collect();
        Self {
            search: config.search,
            program,
            waiting: Vec::new(),
            random: config.random,
            picked: HashMap::new(),
            seeds: Seeds { inputs, ..Seeds::default() },
        }
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
            let read = read + WAIT * u64::from(state.waits);
            let (parted, ahead) = match self.search {
                Search::Directed => {
                    (self.seeds.distance(self.program, &state), self.program.distance(&state))
                }
                _ => (0, 0),
            };
            let parted = u32::BITS - parted.leading_zeros();
            self.waiting.push(Waiting { parted, rank: (read, ahead), state: Box::new(state) });
        }
    }

    /// Drops all revisions but these, and the states that have none of them. Returns the paths of
    /// these states.
    pub(super) fn keep(&mut self, revisions: &RevisionSet) -> Vec<Vec<ExprId>> {
        let is_kept = |waiting: &mut Waiting| !waiting.state.revisions.is_disjoint(revisions);
        let dropped = self.waiting.extract_if(.., |waiting| !is_kept(waiting));
        let dropped = dropped.map(|waiting| waiting.state.path_condition).collect();
        for Waiting { state, .. } in &mut self.waiting {
            if !state.revisions.is_subset(revisions) {
                state.keep(state.revisions.intersection(revisions));
            }
            // The claim of a state was about other pairs.
            state.claim = Claim::None;
        }
        dropped
    }

    /// Whether short inputs come first.
    fn is_by_length(&self) -> bool {
        matches!(self.search, Search::Shortest | Search::Directed)
    }

    /// How many more tokens of input a state that is taken next may read before others have their
    /// turn.
    pub(super) fn tokens(&self) -> u32 {
        if self.is_by_length() && self.waiting.len() <= WIDE { 1 } else { u32::MAX }
    }

    /// How many states run in a round, at most `most`.
    pub(super) fn round(&self, most: usize) -> usize {
        if self.is_by_length() { SHORT_ROUND.min(most) } else { most }
    }

    /// How many instructions a state that is taken next may run before others have their turn.
    pub(super) fn instructions(&self) -> u64 {
        if self.is_by_length() { TOKEN } else { u64::MAX }
    }

    /// Takes all states out.
    pub(super) fn take_all(&mut self) -> Vec<State> {
        std::mem::take(&mut self.waiting).into_iter().map(|waiting| *waiting.state).collect()
    }

    /// Takes out up to `count` states, in the order in which they are to run.
    pub(super) fn take(&mut self, count: usize) -> Vec<State> {
        let count = count.min(self.waiting.len());
        let chosen = match self.search {
            Search::Dfs => self.youngest(count),
            Search::Shortest => self.shortest(count),
            Search::Directed => {
                let mut chosen = self.at_random(count / RANDOM_SHARE);
                if !self.seeds.inputs.is_empty() {
                    chosen.extend(self.nearest_to_seeds(count / SEED_SHARE));
                }
                chosen.extend(self.shortest(count - chosen.len()));
                chosen
            }
            Search::Bfs => {
                self.waiting.sort_by_key(|waiting| waiting.state.lineage.depth());
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

    /// Takes out the states of least rank and, among equals, the youngest. If too many wait to be
    /// sorted, takes out the youngest.
    fn shortest(&mut self, count: usize) -> Vec<Waiting> {
        if self.waiting.len() <= WIDE {
            self.waiting.sort_by_key(|waiting| Reverse(waiting.rank));
        }
        self.youngest(count)
    }

    /// The indices of all waiting states, or of a sample spread over them if there are many.
    fn looked_at(&mut self) -> impl Iterator<Item = usize> + use<> {
        let step = (self.waiting.len() / WIDE).max(1);
        let first = (self.uniform() * step as f64) as usize;
        (first..self.waiting.len()).step_by(step)
    }

    /// Takes out states at random, by weighted sampling without replacement (Efraimidis and
    /// Spirakis, 2006). The weight is 2^-n for n forks behind a state, and the smallest -ln(u) /
    /// weight, u being random, come first. The keys are logarithms, as the weights are tiny.
    fn at_random(&mut self, count: usize) -> Vec<Waiting> {
        let mut keys: Vec<(f64, usize)> = self
            .looked_at()
            .map(|index| {
                let depth = f64::from(self.waiting[index].state.lineage.depth());
                ((-self.uniform().ln()).ln() + depth * std::f64::consts::LN_2, index)
            })
            .collect();
        keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        keys.truncate(count);
        self.take_out(keys.into_iter().map(|(_, index)| index))
    }

    /// Takes out the states that parted last from the path of a seed and, among equals, those of
    /// least rank, then the youngest.
    fn nearest_to_seeds(&mut self, count: usize) -> Vec<Waiting> {
        let mut nearest: Vec<usize> = (0..self.waiting.len()).collect();
        let key = |index: &usize| {
            let Waiting { parted, rank, .. } = self.waiting[*index];
            (parted, rank, Reverse(*index))
        };
        if count < nearest.len() {
            nearest.select_nth_unstable_by_key(count, key);
            nearest.truncate(count);
        }
        nearest.sort_unstable_by_key(key);
        self.take_out(nearest.into_iter())
    }

    /// Takes out the states at these indices, in this order.
    fn take_out(&mut self, places: impl Iterator<Item = usize>) -> Vec<Waiting> {
        let mut waiting: Vec<Option<Waiting>> =
            std::mem::take(&mut self.waiting).into_iter().map(Some).collect();
        let chosen = places.map(|index| waiting[index].take().expect("each once")).collect();
        self.waiting = waiting.into_iter().flatten().collect();
        chosen
    }

    /// A pseudo-random number in (0, 1) (SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

/// The instruction that a state is about to run.
fn place(state: &State) -> (FunctionId, u32) {
    (state.top.function, state.top.pc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        env::{libc::stdin::Stdin, models::Models},
        exec::{Clock, PathLimits, Start},
        explore::{Explorer, Round},
        expr::Bv,
        interrupt::Interrupt,
        ir::{Module, lower},
        solver::SolverConfig,
        subject::{Revision, Times},
    };

    /// A program that reads three bytes and branches on five bits of each.
    const BITS: &str = "
        declare i32 @getchar()
        declare i32 @putchar(i32)
        define i32 @main() {
        start:
          br label %byte
        byte:
          %bytes = phi i32 [ 0, %start ], [ %more, %done ]
          %n = phi i32 [ 0, %start ], [ %count, %done ]
          %c = call i32 @getchar()
          br label %bit
        bit:
          %bits = phi i32 [ 0, %byte ], [ %next, %again ]
          %count = phi i32 [ %n, %byte ], [ %sum, %again ]
          %shifted = lshr i32 %c, %bits
          %low = trunc i32 %shifted to i1
          br i1 %low, label %one, label %again
        one:
          %put = call i32 @putchar(i32 49)
          br label %again
        again:
          %add = phi i32 [ 0, %bit ], [ 1, %one ]
          %sum = add i32 %count, %add
          %next = add i32 %bits, 1
          %end = icmp eq i32 %next, 5
          br i1 %end, label %done, label %bit
        done:
          %more = add i32 %bytes, 1
          %all = icmp eq i32 %more, 3
          br i1 %all, label %out, label %byte
        out:
          ret i32 %sum
        }";

    /// How many of the 32,768 paths end before the path of `input`.
    fn paths_before(input: [u8; 3], is_seed: bool) -> usize {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("bits.ll");
        std::fs::write(&file, BITS).unwrap();
        let module: Module = lower::load(&file).unwrap();
        let program = Program::new(module, &Models::default());
        let variable = |at: usize| {
            let byte = program.exprs.input(&format!("stdin[{at}]"), 8);
            program.exprs.as_variable(byte).unwrap()
        };
        let known = input.iter().enumerate();
        let seed = Assignment(
            known.map(|(at, byte)| (variable(at), Bv::new(8, (*byte).into()))).collect(),
        );
        let start = Start {
            entry: "main".into(),
            revisions: [Revision::ORIGINAL].into_iter().collect(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: Stdin::symbolic(&program.exprs, 3),
            files: Vec::new(),
            times: Times::default(),
        };
        let solver = SolverConfig::default();
        let config = ExploreConfig {
            jobs: 1,
            search: Search::Directed,
            random: 0,
            seeds: if is_seed { vec![seed.clone()] } else { Vec::new() },
            divergences_from: None,
            limits: PathLimits { instructions: 10_000, concretisations: 1, solver: solver.timeout },
            solver,
        };
        let never = Interrupt::default();
        let clock = Clock::new(None, &never);
        let first = program.start(start).unwrap();
        let mut explorer = Explorer::new(&program, config, first, clock).unwrap();
        let mut before = 0;
        while let Round::Halted(halted) = explorer.round() {
            let is_it = |condition: &ExprId| !program.exprs.evaluate(*condition, &seed).is_zero();
            if halted.iter().any(|state| state.path_condition.iter().all(is_it)) {
                return before;
            }
            before += halted.len();
        }
        panic!("no path is that of the input");
    }

    #[test]
    fn the_way_of_a_seed_comes_first() {
        let inputs = [[3, 21, 9], [5, 10, 28], [22, 9, 6], [9, 22, 10], [26, 3, 5], [12, 12, 19]];
        let before = |is_seed| inputs.map(|input| paths_before(input, is_seed));
        let (with, without) = (before(true), before(false));
        let sum = |paths: [usize; 6]| paths.iter().sum::<usize>();
        assert!(4 * sum(with) < sum(without), "{with:?} {without:?}");
    }
}
