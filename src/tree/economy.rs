//! Among the trees of least height and expected depth, finds one that uses the fewest different
//! tests, and of these the smallest inputs.
//!
//! The trees of least height and expected depth are exactly those that ask, at every set of rows, a
//! question that is optimal there. The search adds tests to a set until one of these trees needs no
//! other test. As long as none does, the sets of rows at which it is stuck name tests of which at
//! least one must be added.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    bounds::{UNBOUNDED, depth_key},
    memo::Memo,
    problem::{Map, Rows, Split},
    search::{OutOfTime, TreeSearch, outcomes},
};

/// Indices of questions.
type Questions = BTreeSet<usize>;

/// The number of tests, then the size of their inputs; the less the better.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Price {
    tests: usize,
    size: u64,
}

pub(super) struct Economy<'a> {
    search: &'a TreeSearch<'a>,
    root: (Rows, u32),
    optimal: Memo<(Rows, u32), Arc<Vec<Split>>>,
    best: Option<(Price, Questions)>,
}

impl<'a> Economy<'a> {
    /// A search among the trees for `set` of at most `height`.
    pub fn new(search: &'a TreeSearch<'a>, set: &Rows, height: u32) -> Self {
        Self { search, root: (set.clone(), height), optimal: Memo::new(), best: None }
    }

    /// Runs the search to its end.
    pub fn run(&mut self) -> Result<(), OutOfTime> {
        self.extend(&Questions::new(), &Questions::new())
    }

    /// A tree that asks only the best set of tests found so far: the question at each of its sets
    /// of rows and the height left there. `None` if no set was found, or time is up.
    pub fn choices(&self) -> Option<Map<(Rows, u32), usize>> {
        let (_, questions) = self.best.as_ref()?;
        let mut choices = Map::default();
        self.choose(&self.root.0, self.root.1, questions, &mut choices).ok()?.then_some(choices)
    }

    /// Tries all ways to add tests to `chosen` without the tests in `refused`.
    fn extend(&mut self, chosen: &Questions, refused: &Questions) -> Result<(), OutOfTime> {
        self.search.in_time()?;
        let price = self.price(chosen);
        if self.best.as_ref().is_some_and(|(best, _)| *best <= price) {
            return Ok(());
        }
        let (set, height) = self.root.clone();
        let mut stuck = Map::default();
        let Some(missing) = self.missing(&set, height, chosen, &mut stuck)? else {
            self.best = Some((price, chosen.clone()));
            return Ok(());
        };
        let mut refused = refused.clone();
        for question in missing {
            if refused.contains(&question) {
                continue;
            }
            let mut more = chosen.clone();
            more.insert(question);
            self.extend(&more, &refused)?;
            // All sets with this question have been tried.
            refused.insert(question);
        }
        Ok(())
    }

    fn price(&self, chosen: &Questions) -> Price {
        let sizes = chosen.iter().map(|question| self.search.problem.questions[*question].size);
        Price { tests: chosen.len(), size: sizes.fold(0, u64::saturating_add) }
    }

    /// `None` if an optimal tree for `set` asks only the questions `chosen`. Otherwise, questions
    /// of which at least one must be added to `chosen`.
    fn missing(
        &self,
        set: &Rows,
        height: u32,
        chosen: &Questions,
        stuck: &mut Map<(Rows, u32), Option<Questions>>,
    ) -> Result<Option<Questions>, OutOfTime> {
        if self.search.problem.is_settled(set) {
            return Ok(None);
        }
        let key = depth_key(set, height);
        if let Some(known) = stuck.get(&key) {
            return Ok(known.clone());
        }
        let mut missing = Questions::new();
        for split in self.optimal(set, height)?.iter() {
            if !chosen.contains(&split.question) {
                missing.insert(split.question);
                continue;
            }
            let mut fewest: Option<Questions> = None;
            for part in &split.parts {
                if let Some(below) = self.missing(part, height - 1, chosen, stuck)?
                    && fewest.as_ref().is_none_or(|fewest| below.len() < fewest.len())
                {
                    fewest = Some(below);
                }
            }
            match fewest {
                Some(below) => missing.extend(below),
                None => {
                    stuck.insert(key, None);
                    return Ok(None);
                }
            }
        }
        stuck.insert(key, Some(missing.clone()));
        Ok(Some(missing))
    }

    /// All questions that begin an optimal tree for `set`, with their splits.
    fn optimal(&self, set: &Rows, height: u32) -> Result<Arc<Vec<Split>>, OutOfTime> {
        let key = depth_key(set, height);
        if let Some(known) = self.optimal.get(&key) {
            return Ok(known);
        }
        let (search, problem) = (self.search, self.search.problem);
        let least = search.least_depth(set, height, UNBOUNDED)?.unwrap_or(UNBOUNDED);
        let splits: Vec<Split> = (0..problem.questions.len())
            .filter_map(|question| problem.split(set, question))
            .collect();
        let outcomes = outcomes(&splits);
        let mut optimal = Vec::new();
        for split in splits {
            let parts = split.parts.iter();
            let bounds: Option<Vec<u64>> =
                parts.map(|part| search.depth_bound(part, height - 1, outcomes)).collect();
            let Some(bounds) = bounds else { continue };
            let mut value = Some(search.weight_below(&split) + bounds.iter().sum::<u64>());
            for (part, bound) in split.parts.iter().zip(&bounds) {
                let Some(slack) = value.and_then(|value| least.checked_sub(value)) else {
                    value = None;
                    break;
                };
                let depth = search.least_depth(part, height - 1, bound + slack)?;
                value = value.zip(depth).map(|(value, depth)| value + (depth - bound));
            }
            if value == Some(least) {
                optimal.push(split);
            }
        }
        let optimal = Arc::new(optimal);
        self.optimal.update(key, optimal.clone(), |_| {});
        Ok(optimal)
    }

    /// Fills `choices` with an optimal tree for `set` that asks only the questions `chosen`.
    /// Returns false if there is none.
    fn choose(
        &self,
        set: &Rows,
        height: u32,
        chosen: &Questions,
        choices: &mut Map<(Rows, u32), usize>,
    ) -> Result<bool, OutOfTime> {
        if self.search.problem.is_settled(set) {
            return Ok(true);
        }
        for split in self.optimal(set, height)?.iter() {
            let mut works = chosen.contains(&split.question);
            for part in &split.parts {
                works = works && self.choose(part, height - 1, chosen, choices)?;
            }
            if works {
                choices.insert(depth_key(set, height), split.question);
                return Ok(true);
            }
        }
        Ok(false)
    }
}
