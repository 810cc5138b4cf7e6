//! Regions of the input: which clusterings there are at all, and for which ranges.
//!
//! Once every path was followed to its end, choosing one halt state for each revision cuts
//! the inputs into cells in which every revision takes one path. Walking the non-empty cells
//! finds every clustering that any input induces, so that the decision tree is minimal over
//! all inputs and not only over those that pairing happened to find; and the least and largest
//! value of a scalar input in a cell is a range of difference.

use std::collections::BTreeSet;

use super::{Differ, ReplayFailed};
use crate::{
    exec::Program,
    expr::{ExprId, VariableId, VariableKind},
    solver::{Query, Solver, Verdict},
    subject::{
        Revision, RevisionSet,
        results::{Clustering, FoundBy, TestId},
    },
};

/// How far the walk goes.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Cells to visit; past this the walk ends and says so.
    pub cells: usize,
    /// Ranges are looked for if there are at most so many scalar inputs.
    pub scalars: usize,
}

impl Default for Regions {
    fn default() -> Self {
        Self { cells: 512, scalars: 3 }
    }
}

/// The values that one input takes in one cell.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Range {
    /// A test with the clustering of the cell; `None` where all revisions agree in it.
    pub test: Option<TestId>,
    /// Number of the cell.
    pub cell: u32,
    /// Name of the input.
    pub input: String,
    /// Least value, read as a signed number.
    pub low: i64,
    /// Largest value.
    pub high: i64,
}

/// What the walk over the cells found.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Every cell was visited.
    pub complete: bool,
    /// Ranges of the scalar inputs, by cell.
    pub ranges: Vec<Range>,
}

struct Cell {
    conditions: Vec<ExprId>,
}

impl Differ<'_> {
    /// Visits the cells, replays an input of each clustering that no test has shown yet, and
    /// gives the ranges. To be called when exploration is exhausted; a state that is not exact
    /// makes the walk pass over the cells it is in.
    ///
    /// # Errors
    /// where a native run is impossible.
    pub fn walk(&mut self, limits: Regions, solver: &mut dyn Solver) -> Result<Walk, ReplayFailed> {
        let mut cells = Vec::new();
        let all: RevisionSet = self.revisions().iter().copied().collect();
        let complete = self.cells(&mut Vec::new(), all, solver, limits.cells, &mut cells);
        let mut walk = Walk { complete, ranges: Vec::new() };
        let mut seen: BTreeSet<Vec<Revision>> = BTreeSet::new();
        for test in self.tests() {
            seen.insert(shape(&test.clustering));
        }
        let scalars = scalars(self.task.program, &cells);
        for (number, cell) in (0u32..).zip(&cells) {
            if self.task.clock.is_over() {
                walk.complete = false;
                break;
            }
            let Some(model) = self.model(&cell.conditions) else { continue };
            let predicted = self.predict(&model);
            let known = self
                .revisions()
                .iter()
                .zip(&predicted)
                .filter_map(|(revision, slot)| Some((*revision, &slot.as_ref()?.1)));
            let clustering = Clustering::new(TestId(0), known);
            let shape_here = shape(&clustering);
            if clustering.groups().len() > 1 && seen.insert(shape_here.clone()) {
                self.replay(model, FoundBy::Path)?;
            }
            if scalars.len() <= limits.scalars {
                let test = self
                    .tests()
                    .iter()
                    .find(|test| shape(&test.clustering) == shape_here)
                    .map(|test| test.test);
                for variable in &scalars {
                    if let Some((low, high)) = self.range(&cell.conditions, *variable, solver) {
                        let input = self.task.program.exprs.variable_name(*variable).to_owned();
                        walk.ranges.push(Range { test, cell: number, input, low, high });
                    }
                }
            }
        }
        Ok(walk)
    }

    /// Collects the non-empty cells below the conditions; false if there are too many.
    fn cells(
        &self,
        conditions: &mut Vec<ExprId>,
        left: RevisionSet,
        solver: &mut dyn Solver,
        limit: usize,
        cells: &mut Vec<Cell>,
    ) -> bool {
        let Some(revision) = left.first() else {
            cells.push(Cell { conditions: conditions.clone() });
            return cells.len() < limit;
        };
        if self.task.clock.is_over() {
            return false;
        }
        let exprs = &self.task.program.exprs;
        for state in self.states().iter().filter(|state| state.revisions.contains(revision)) {
            let mark = conditions.len();
            let new: Vec<ExprId> =
                state.path.iter().copied().filter(|c| !conditions.contains(c)).collect();
            let possible = new.is_empty()
                || matches!(
                    solver.check(exprs, Query { path: conditions, goals: &new }),
                    Verdict::Sat(_)
                );
            if !possible {
                continue;
            }
            conditions.extend(new);
            let mut rest = left.clone();
            for covered in state.revisions.iter() {
                rest.remove(covered);
            }
            let goes_on = self.cells(conditions, rest, solver, limit, cells);
            conditions.truncate(mark);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// The least and the largest value of a variable under satisfiable conditions, by bisection.
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
        let mut possible =
            |goal| match solver.check(exprs, Query { path: conditions, goals: &[goal] }) {
                Verdict::Sat(_) => Some(true),
                Verdict::Unsat => Some(false),
                Verdict::Unknown(_) => None,
            };
        let (mut low, mut high) = (least, largest);
        while low < high {
            let middle = low + ((i128::from(high) - i128::from(low)) / 2) as i64;
            if possible(exprs.sle(expr, constant(middle)))? {
                high = middle
            } else {
                low = middle + 1
            }
        }
        let first = low;
        (low, high) = (first, largest);
        while low < high {
            let middle = low + ((i128::from(high) - i128::from(low) + 1) / 2) as i64;
            if possible(exprs.sle(constant(middle), expr))? {
                low = middle
            } else {
                high = middle - 1
            }
        }
        Some((first, low))
    }
}

/// The partition that a clustering is, whatever its test.
fn shape(clustering: &Clustering) -> Vec<Revision> {
    clustering.clusters.values().copied().collect()
}

/// The scalar inputs that the cells mention.
fn scalars(program: &Program, cells: &[Cell]) -> Vec<VariableId> {
    let exprs = &program.exprs;
    let mut all: BTreeSet<(String, VariableId)> = BTreeSet::new();
    for condition in cells.iter().flat_map(|cell| &cell.conditions) {
        for variable in exprs.variables(*condition).iter() {
            if exprs.variable_kind(*variable) == VariableKind::Input {
                all.insert((exprs.variable_name(*variable).to_owned(), *variable));
            }
        }
    }
    all.into_iter().map(|(_, variable)| variable).collect()
}
