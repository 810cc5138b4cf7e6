//! A tree from a choice of questions.

use super::{
    decision::{Branch, Tree},
    problem::{Problem, Rows},
};
use crate::subject::RevisionSet;

/// Most leaves of a tree beyond the number of rows (sets of revisions with the same answers).
pub(super) const MOST_LEAVES: usize = 4096;

/// The tree that asks, at each set of rows, the question that `choose` gives for the set and the
/// height left. It is built level by level, so that a tree with too many leaves is cut off evenly.
pub(super) fn grow(
    problem: &Problem,
    height: u32,
    mut choose: impl FnMut(&Rows, u32) -> Option<usize>,
) -> Tree {
    let mut sets = vec![(problem.all(), height)];
    // For each set, the question asked and the index of its first part.
    let mut asked: Vec<Option<(usize, usize)>> = Vec::new();
    let (mut leaves, most) = (1, problem.rows.len() + MOST_LEAVES);
    while let Some((set, left)) = sets.get(asked.len()).cloned() {
        let question = if leaves > most { None } else { choose(&set, left) };
        let split = question.and_then(|question| problem.split(&set, question));
        asked.push(split.as_ref().map(|split| (split.question, sets.len())));
        if let Some(split) = split {
            leaves += split.parts.len() - 1;
            sets.extend(split.parts.into_iter().map(|part| (part, left.saturating_sub(1))));
        }
    }
    // The parts of a set come after it, so going backwards they are built first.
    let mut trees: Vec<Option<Tree>> = vec![None; sets.len()];
    for (index, (set, _)) in sets.iter().enumerate().rev() {
        let tree = match asked[index] {
            None => Tree::Leaf(problem.revisions(set)),
            Some((question, first)) => Tree::Node {
                test: problem.questions[question].test,
                outcomes: problem
                    .branches(set, question)
                    .into_iter()
                    .zip(&mut trees[first..])
                    .filter_map(|((cluster, part), child)| {
                        let revisions = problem.revisions(&part);
                        Some(Branch { cluster, revisions, child: child.take()? })
                    })
                    .collect(),
            },
        };
        trees[index] = Some(tree);
    }
    trees.swap_remove(0).unwrap_or_else(|| Tree::Leaf(RevisionSet::new()))
}
