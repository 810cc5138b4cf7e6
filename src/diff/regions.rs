//! Regions of the input: which clusterings exist at all, and for which ranges.
//!
//! Once every path has been followed to its end, choosing one halt state for each revision cuts the
//! inputs into cells, in each of which every revision takes one path. A cell in which outcomes are
//! equal on some inputs and differ on others (`x + x` and `x * x` at 2) is cut further. Walking the
//! non-empty cells finds every clustering that any input induces, so that the decision tree is
//! minimal over all inputs and not only over those that pairing happened to find. If a program has
//! a single scalar input, its least and largest values in a cell are a range of difference.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{
    differ::Differ,
    input,
    native::ReplayFailed,
    outcome::{self, Precision},
    pairs::PairVerdict,
    simple::{is_real, simple},
    text::Difference,
};
use crate::{
    env::Halt,
    expr::{Assignment, ExprId, VariableId, VariableKind},
    results::{Clustering, FoundBy, RangeRow, TestId},
    solver::{self, Query, Solver, SolverConfig, Verdict},
    subject::{Revision, RevisionSet},
};

/// Limits of the walk.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Number of cells to visit. When it is reached, the walk ends and says so.
    pub cells: usize,
    /// Number of queries about cells, if there is no scalar input whose ranges are wanted. When it
    /// is reached, the walk ends and says so.
    pub queries: usize,
    /// The time at which the walk ends and says so.
    pub deadline: Option<Instant>,
    /// Whether to visit cells even where one test tells everything apart.
    pub every: bool,
}

impl Regions {
    const CELLS: usize = 512;
    /// The usual number of queries. A walk that has not shown every clustering by then rarely still
    /// makes the tree lower.
    const QUERIES: usize = 24;

    /// Limits of a walk that the user asked for, up to `deadline`.
    pub fn asked_for(deadline: Option<Instant>) -> Self {
        Self { cells: Self::CELLS, queries: usize::MAX, deadline, every: false }
    }

    /// Limits of a walk that the user did not ask for, up to `deadline`.
    pub fn by_default(deadline: Option<Instant>) -> Self {
        Self { queries: Self::QUERIES, ..Self::asked_for(deadline) }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What the walk over the cells found.
#[derive(Clone, Debug, Default)]
pub struct RegionWalk {
    /// Whether the tests show every clustering that exists: every cell was visited and the outcome
    /// of every revision in it is known, or a single test shows all that could be shown.
    pub complete: bool,
    /// Ranges of the scalar input by cell, if there is exactly one.
    pub ranges: Vec<RangeRow>,
}

/// A set of inputs on which each revision, or each of some revisions, takes one path.
#[derive(Default)]
struct Cell {
    conditions: Vec<ExprId>,
    /// Indices of the halt states in which these inputs end.
    states: Vec<usize>,
}

/// The inputs of a cell that cluster the revisions in the same way.
struct Region {
    conditions: Vec<ExprId>,
    model: Assignment,
    /// The partition ([`Clustering::shape`]).
    shape: Vec<Revision>,
}

/// A walk in progress.
struct Walker<'w, 'd> {
    differ: &'w mut Differ<'d>,
    limits: Regions,
    solver: Box<dyn Solver>,
    /// The input whose ranges are wanted, if any.
    scalar: Option<VariableId>,
    /// A test for each partition seen so far.
    tests: BTreeMap<Vec<Revision>, TestId>,
    differences: Differences,
    /// Number of cells visited.
    cells: usize,
    /// Number of queries asked about cells.
    queries: usize,
    regions: u32,
    walk: RegionWalk,
}

/// The condition under which the outcomes of two halt states differ, by their indices, computed
/// once; `None` if they cannot be compared.
type Differences = BTreeMap<(usize, usize), Option<Difference>>;

impl Differ<'_> {
    /// Visits the cells, replays an input of each clustering that no test has shown yet, and
    /// returns the ranges. Nothing is visited if there are no ranges to find and one test tells
    /// everything apart, unless [every](Regions::every) clustering is wanted. To be called when
    /// exploration is exhausted. The walk skips the cells of a state that is not exact, and is then
    /// not complete.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn walk(&mut self, limits: Regions) -> Result<RegionWalk, ReplayFailed> {
        let scalars = self.scalars();
        let (exprs, reals) = (&self.task.program.exprs, &self.task.reals);
        // With several inputs a region is not a range of any of them, and the bits of a
        // floating-point number mean nothing to people.
        let is_ranged = |input: &VariableId| scalars.len() == 1 && !is_real(exprs, reals, *input);
        let scalar = scalars.first().copied().filter(is_ranged);
        if scalar.is_none() && !limits.every && self.has_lowest_tree() {
            return Ok(RegionWalk { complete: true, ranges: Vec::new() });
        }
        let half = limits
            .deadline
            .map(|end| Instant::now() + end.saturating_duration_since(Instant::now()) / 2);
        self.lower_tree(half)?;
        let config = SolverConfig { deadline: limits.deadline, ..self.task.solver.clone() };
        let mut tests = BTreeMap::new();
        for test in self.tests() {
            tests.entry(test.clustering.shape()).or_insert(test.test);
        }
        let all: RevisionSet = self.revisions().iter().copied().collect();
        let mut walker = Walker {
            differ: self,
            limits,
            solver: solver::chain(&config),
            scalar,
            tests,
            differences: Differences::new(),
            cells: 0,
            queries: 0,
            regions: 0,
            walk: RegionWalk { complete: true, ranges: Vec::new() },
        };
        walker.descend(&mut Cell::default(), all)?;
        Ok(walker.walk)
    }

    /// The scalar inputs that the paths mention.
    fn scalars(&self) -> BTreeSet<VariableId> {
        let exprs = &self.task.program.exprs;
        let conditions: BTreeSet<ExprId> =
            self.states().iter().flat_map(|state| state.path_condition.iter().copied()).collect();
        let is_input =
            |variable: &VariableId| exprs.variable_kind(*variable) == VariableKind::Input;
        conditions
            .iter()
            .flat_map(|condition| exprs.variables(*condition).to_vec())
            .filter(is_input)
            .collect()
    }

    /// Whether every pair is decided and a single test tells apart all that differ.
    fn has_lowest_tree(&self) -> bool {
        let mut differing = Vec::new();
        for (a, b, verdict) in self.pairs().verdicts() {
            match verdict {
                PairVerdict::Distinguished(_) => differing.push((a, b)),
                PairVerdict::Equivalent | PairVerdict::EquivalentUnlessFailing => {}
                PairVerdict::Unknown(_) => return false,
            }
        }
        let tells_apart = |clustering: &Clustering, (a, b)| {
            let clusters = clustering.cluster(a).zip(clustering.cluster(b));
            clusters.is_some_and(|(of_a, of_b)| of_a != of_b)
        };
        let mut tests = self.tests().iter().map(|test| &test.clustering);
        differing.is_empty()
            || tests.any(|test| differing.iter().all(|pair| tells_apart(test, *pair)))
    }

    /// The regions of a cell, and whether these are all. Asks for an input outside the regions
    /// found so far until there is none.
    fn regions(
        &self,
        cell: &Cell,
        limits: Regions,
        differences: &mut Differences,
    ) -> (Vec<Region>, bool) {
        let exprs = &self.task.program.exprs;
        if cell.states.iter().any(|state| self.states()[*state].halt == Halt::Unaffected) {
            // All revisions do the same here, whatever that is.
            let shape = vec![Revision::ORIGINAL; self.revisions().len()];
            let (conditions, model) = (cell.conditions.clone(), Assignment::default());
            return (vec![Region { conditions, model, shape }], true);
        }
        let mut regions: Vec<Region> = Vec::new();
        let mut outside = cell.conditions.clone();
        let config = SolverConfig { deadline: limits.deadline, ..self.task.solver.clone() };
        let mut solver = solver::reproducible(&config);
        loop {
            let query = Query { path_condition: &outside, goals: &[], model: None };
            let model = match solver.check(exprs, query) {
                Verdict::Sat(model) => simple(exprs, &self.task.reals, &outside, model),
                Verdict::Unsat => return (regions, true),
                Verdict::Unknown(_) => return (regions, false),
            };
            let prediction = self.predict(&model);
            let clustering = Clustering::new(TestId(0), self.known(&prediction));
            let shape = clustering.shape();
            if shape.len() < self.revisions().len() || regions.len() >= limits.cells {
                return (regions, false);
            }
            let clusters: BTreeMap<usize, Revision> = cell
                .states
                .iter()
                .filter_map(|index| {
                    let revision = self.states()[*index].revisions.first()?;
                    Some((*index, clustering.cluster(revision)?))
                })
                .collect();
            let Some(here) = self.partition(&clusters, differences) else {
                return (regions, false);
            };
            let mut conditions = cell.conditions.clone();
            conditions.push(here);
            if exprs.evaluate(here, &model).is_zero() {
                return (regions, false);
            }
            regions.push(Region { conditions, model, shape });
            outside.push(exprs.not(here));
        }
    }

    /// The condition that the outcomes of states in the same cluster are equal and those of other
    /// states differ; `None` if some cannot be compared exactly.
    fn partition(
        &self,
        clusters: &BTreeMap<usize, Revision>,
        differences: &mut Differences,
    ) -> Option<ExprId> {
        let exprs = &self.task.program.exprs;
        let mut first: BTreeMap<Revision, usize> = BTreeMap::new();
        let mut goals = Vec::new();
        for (index, cluster) in clusters {
            match first.get(cluster) {
                Some(other) => {
                    let differ = self.difference(*other, *index, differences)?;
                    goals.push(exprs.not(differ));
                }
                None => {
                    for other in first.values() {
                        goals.push(self.difference(*other, *index, differences)?);
                    }
                    first.insert(*cluster, *index);
                }
            }
        }
        Some(exprs.all(goals))
    }

    fn difference(&self, a: usize, b: usize, known: &mut Differences) -> Option<ExprId> {
        let exprs = &self.task.program.exprs;
        let compare = || {
            let (x, y) = (&self.states()[a], &self.states()[b]);
            if !x.is_predictable() || !y.is_predictable() || !input::comparable(&x.world, &y.world)
            {
                return None;
            }
            let with = |precision| outcome::difference(exprs, &self.task.outputs, x, y, precision);
            let quick = with(Precision::Quick);
            Some(if quick.exact { quick } else { with(Precision::Full) })
        };
        let difference = known.entry((a, b)).or_insert_with(compare).as_ref()?;
        difference.exact.then_some(difference.formula)
    }

    /// The least and the largest value of a variable under satisfiable conditions, by bisection.
    /// Values are read as signed numbers. `None` if the solver does not answer.
    fn range(
        &self,
        conditions: &[ExprId],
        variable: VariableId,
        solver: &mut dyn Solver,
    ) -> Option<(i64, i64)> {
        let exprs = &self.task.program.exprs;
        let width = exprs.variable_width(variable);
        let expr =
            exprs.variable(exprs.variable_name(variable), width, exprs.variable_kind(variable));
        let constant = |value: i64| exprs.constant(width, value as u64);
        let (least, largest) = (i64::MIN >> (64 - width), i64::MAX >> (64 - width));
        let mut possible = |goal| match solver
            .check(exprs, Query { path_condition: conditions, goals: &[goal], model: None })
        {
            Verdict::Sat(_) => Some(true),
            Verdict::Unsat => Some(false),
            Verdict::Unknown(_) => None,
        };
        let (mut low, mut high) = (least, largest);
        while low < high {
            let middle = ((i128::from(low) + i128::from(high)).div_euclid(2)) as i64;
            if possible(exprs.sle(expr, constant(middle)))? {
                high = middle
            } else {
                low = middle + 1
            }
        }
        let first = low;
        (low, high) = (first, largest);
        while low < high {
            let middle = ((i128::from(low) + i128::from(high) + 1).div_euclid(2)) as i64;
            if possible(exprs.sle(constant(middle), expr))? {
                low = middle
            } else {
                high = middle - 1
            }
        }
        Some((first, low))
    }
}

impl Walker<'_, '_> {
    fn is_late(&self) -> bool {
        self.limits.is_over() || self.differ.task.clock.is_over()
    }

    /// Number of queries about cells that may still be asked.
    fn queries_left(&self) -> usize {
        match self.scalar {
            Some(_) => usize::MAX,
            None => self.limits.queries.saturating_sub(self.queries),
        }
    }

    /// Visits every cell that is a part of `cell`, in which the revisions `left` have no path yet.
    /// Leaves `cell` as it was.
    fn descend(&mut self, cell: &mut Cell, left: RevisionSet) -> Result<(), ReplayFailed> {
        if self.is_late() || self.cells >= self.limits.cells {
            self.walk.complete = false;
            return Ok(());
        }
        let Some(revision) = left.first() else {
            self.cells += 1;
            return self.visit(cell);
        };
        for index in self.differ.paths.overlapping(&cell.conditions) {
            let state = &self.differ.states()[index];
            if !state.revisions.contains(revision) {
                continue;
            }
            let known = &cell.conditions;
            let new: Vec<ExprId> =
                state.path_condition.iter().copied().filter(|c| !known.contains(c)).collect();
            if !new.is_empty() {
                if self.queries_left() == 0 {
                    self.walk.complete = false;
                    return Ok(());
                }
                let query = Query { path_condition: known, goals: &new, model: None };
                self.queries += 1;
                match self.solver.check(&self.differ.task.program.exprs, query) {
                    Verdict::Sat(_) => {}
                    Verdict::Unsat => continue,
                    Verdict::Unknown(_) => {
                        self.walk.complete = false;
                        continue;
                    }
                }
            }
            let mut rest = left.clone();
            for covered in state.revisions.iter() {
                rest.remove(covered);
            }
            let mark = cell.conditions.len();
            cell.conditions.extend(new);
            cell.states.push(index);
            self.descend(cell, rest)?;
            cell.states.pop();
            cell.conditions.truncate(mark);
        }
        Ok(())
    }

    /// Replays an input of each clustering in a cell that no test has shown yet.
    fn visit(&mut self, cell: &Cell) -> Result<(), ReplayFailed> {
        // Every cell that is reached gets at least one look.
        let most = self.queries_left().clamp(1, self.limits.cells);
        let limits = Regions { cells: most, ..self.limits };
        let (regions, all) = self.differ.regions(cell, limits, &mut self.differences);
        self.queries += regions.len() + 1;
        self.walk.complete &= all;
        for region in regions {
            if self.is_late() || self.regions as usize >= self.limits.cells {
                self.walk.complete = false;
                return Ok(());
            }
            let agree = region.shape.iter().all(|cluster| *cluster == region.shape[0]);
            if !agree && !self.tests.contains_key(&region.shape) {
                let before = self.differ.tests().len();
                self.differ.replay(region.model, FoundBy::Path)?;
                for test in &self.differ.tests()[before..] {
                    self.tests.entry(test.clustering.shape()).or_insert(test.test);
                }
            }
            let test = self.tests.get(&region.shape).copied();
            if !agree && test.is_none() {
                self.walk.complete = false;
                continue;
            }
            if let Some(variable) = self.scalar {
                match self.differ.range(&region.conditions, variable, &mut *self.solver) {
                    Some((low, high)) => {
                        let exprs = &self.differ.task.program.exprs;
                        let (cell, input) =
                            (self.regions, exprs.variable_name(variable).to_owned());
                        self.walk.ranges.push(RangeRow { test, cell, input, low, high });
                    }
                    None => self.walk.complete = false,
                }
            }
            self.regions += 1;
        }
        Ok(())
    }
}
