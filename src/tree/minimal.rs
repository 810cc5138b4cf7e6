//! The search for the best tree, one criterion after the other.

use std::time::{Duration, Instant};

use super::{
    bounds::{UNBOUNDED, depth_key},
    cover::{Cover, cover},
    decision::Tree,
    economy::Economy,
    grow::{MOST_LEAVES, grow},
    problem::Problem,
    search::{self, TreeSearch},
    solution::{Objective, Options, Proven, Solution, TreeError},
};
use crate::{results::Clustering, subject::RevisionSet};

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
    // Half of the time is for the height, the rest for the depth of the tree at hand.
    let half = options.time.map(|time| time / 2).and_then(after);
    let search = TreeSearch::new(&problem);
    search.set_deadline(half);
    let all = problem.all();

    let mut lower_bound = search.logarithm(&all, search::outcomes(&problem.finest_splits(&all)));
    let (mut proven, mut choices) = (Proven::Nothing, None);
    // Without silent tests no set of rows comes twice, and this limit is never too low.
    let mut sets = 2 * all.len() + MOST_LEAVES;
    let first = search.first_tree(&all, &mut sets);
    // No tree is higher.
    let most = all.len() as u32;
    let mut height = first.unwrap_or(most);
    let mut least = Ok(());
    // A tree that is too large without a search need not be too large with one.
    if options.objective == Objective::Height || first.is_none() {
        least = search.least_height(&all, &mut lower_bound, &mut height, half);
    }
    search.set_deadline(deadline);
    if first.is_some() || height < most {
        match options.objective {
            Objective::Height => proven = Proven::Height,
            Objective::Depth => (least, height) = (Ok(()), most),
        }
        if search.least_depth(&all, height, UNBOUNDED).is_ok() {
            proven = Proven::Depth;
            let mut economy = Economy::new(&search, &all, height);
            if economy.run().is_ok() {
                proven = Proven::Everything;
            }
            choices = economy.choices();
        }
    }
    let found = match &choices {
        Some(choices) => {
            grow(&problem, height, |set, left| choices.get(&depth_key(set, left)).copied())
        }
        None => grow(&problem, height, |set, left| {
            search.best_known(set, left).or_else(|| search.first_question(set))
        }),
    };
    // The best tree can be so large that it is cut off although the first is not.
    let first = grow(&problem, most, |set, _| search.first_question(set));
    let cost = |tree: &Tree| options.cost(tree, clusterings);
    let mut tree = if cost(&first) < cost(&found) { first } else { found };
    let mut together = tree.together(clusterings);
    if !together.is_empty() {
        // Where there is no room for all questions, the same ones on all branches do more.
        let at_once = Options { time: Some(Duration::ZERO), ..Options::default() };
        if let Ok(Cover { tree: oblivious, .. }) = cover(revisions, clusterings, &at_once)
            && cost(&oblivious) < cost(&tree)
        {
            together = oblivious.together(clusterings);
            tree = oblivious;
        }
    }

    // A tree of least depth can be lower than the allowed height.
    let height = tree.height();
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
