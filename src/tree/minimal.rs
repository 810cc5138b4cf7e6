//! The search for the best tree, one criterion after the other.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use super::{
    bounds::{UNBOUNDED, depth_key},
    decision::Tree,
    economy::Economy,
    grow::{MOST_LEAVES, grow},
    problem::Problem,
    search::{self, OutOfTime, TreeSearch},
    solution::{Objective, Options, Proven, Solution, TreeError},
};
use crate::{
    results::Clustering,
    subject::{Revision, RevisionSet},
};

/// The best decision tree for `revisions`, by the criteria that the module documentation lists.
/// Outcomes of other revisions are ignored.
///
/// # Errors
/// If two clusterings are of the same test, or there are more than 65535 different revisions.
pub fn minimal(
    revisions: &RevisionSet,
    clusterings: &[Clustering],
    options: &Options,
) -> Result<Solution, TreeError> {
    let problem = Problem::new(revisions, clusterings, options)?;
    let start = Instant::now();
    let after = |time: Duration| start.checked_add(time);
    let deadline = options.time.and_then(after);
    let search = TreeSearch::new(&problem);
    let all = problem.all();

    let mut lower_bound = search.logarithm(&all, search::outcomes(&problem.finest_splits(&all)));
    let (mut proven, mut choices) = (Proven::Nothing, None);
    // Without silent tests no set of rows comes twice, and this limit is never too low.
    let mut sets = 2 * all.len() + MOST_LEAVES;
    let first = search.first_tree(&all, &mut sets);
    let mut height = first.unwrap_or(all.len() as u32);
    let mut least = Err(OutOfTime);
    if first.is_some() {
        // If the height cannot be proved, half of the time is left for the depth of the tree at
        // hand.
        let half = options.time.map(|time| time / 2).and_then(after);
        match options.objective {
            Objective::Height => {
                least = search.least_height(&all, &mut lower_bound, &mut height, half);
                proven = Proven::Height;
            }
            // No tree is higher.
            Objective::Depth => (least, height) = (Ok(()), all.len() as u32),
        }
        search.set_deadline(deadline);
        if search.least_depth(&all, height, UNBOUNDED).is_ok() {
            proven = Proven::Depth;
            let mut economy = Economy::new(&search, &all, height);
            if economy.run().is_ok() {
                proven = Proven::Everything;
            }
            choices = economy.choices();
        }
    }
    let tree = match &choices {
        Some(choices) => {
            grow(&problem, height, |set, left| choices.get(&depth_key(set, left)).copied())
        }
        None => grow(&problem, height, |set, left| search.best_known(set, left)),
    };

    // A tree of least depth can be lower than the allowed height.
    let height = tree.height();
    let together = together(&tree, clusterings);
    if (least.is_err() && lower_bound < height) || !together.is_empty() {
        proven = Proven::Nothing;
    }
    Ok(Solution {
        height,
        lower_bound,
        expected_depth: tree.expected_depth(&options.prior),
        proven,
        tree,
        classes: problem.classes(),
        together,
    })
}

/// The pairs at the same leaf that some test tells apart.
fn together(tree: &Tree, clusterings: &[Clustering]) -> BTreeSet<(Revision, Revision)> {
    let mut pairs = BTreeSet::new();
    for leaf in tree.leaves() {
        for clustering in clusterings.iter().filter(|clustering| !clustering.joins(leaf)) {
            for a in leaf.iter() {
                let apart = leaf.iter().filter(|b| a < *b && clustering.tells_apart(a, *b));
                pairs.extend(apart.map(|b| (a, b)));
            }
        }
    }
    pairs
}
