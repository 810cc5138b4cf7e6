//! Inputs on which revisions go different ways through the code.

use std::sync::Arc;

use super::Program;
use crate::{
    expr::{Assignment, ExprId},
    ir::SourceLine,
    subject::RevisionSet,
};

/// Inputs on which revisions leave the way of the old one.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The branch; for code that only one of them has, the question for the revision.
    pub place: Option<SourceLine>,
    /// Where the old revision and the others go from there. `None` for code that only one of them
    /// has, or if it is unknown.
    pub to: Option<[SourceLine; 2]>,
    /// Whether it was seen only at the end of a path. The old revision may end in the same way.
    pub is_end: bool,
    /// The revisions that diverge from the old one.
    pub revisions: RevisionSet,
    /// The conditions on the input. The first [`Self::before`] of them hold before the branch.
    pub path: Vec<ExprId>,
    /// How many of the conditions hold before the branch.
    pub before: usize,
    /// An input on which they diverge.
    pub model: Arc<Assignment>,
}

impl Divergence {
    /// A divergence on a path. Where the revisions go and an input are not known yet.
    pub(super) fn at(
        place: Option<SourceLine>,
        revisions: RevisionSet,
        path: Vec<ExprId>,
        before: usize,
    ) -> Self {
        let (to, is_end, model) = (None, false, Arc::default());
        Self { place, to, is_end, revisions, path, before, model }
    }
}

/// The first divergences on all paths.
#[derive(Clone, Debug, Default)]
pub struct Divergences(Vec<Divergence>);

impl Divergences {
    /// Adds a divergence, without those of its revisions that have diverged on these inputs before.
    /// Conditions only ever divide the inputs of a path further, so one input shows which of two
    /// divergences comes after the other.
    pub fn add(&mut self, program: &Program, mut new: Divergence) {
        let holds = |condition: &ExprId| !program.exprs.evaluate(*condition, &new.model).is_zero();
        for known in &mut self.0 {
            if known.revisions.is_disjoint(&new.revisions) || !known.path.iter().all(holds) {
                continue;
            }
            // The code of one revision may have computed what a branch then depends on, such as
            // `a && b`.
            if known.to.is_none() && new.to.is_some() && known.place == new.place {
                known.revisions = known.revisions.difference(&new.revisions);
            } else {
                new.revisions = new.revisions.difference(&known.revisions);
            }
        }
        self.0.retain(|known| !known.revisions.is_empty());
        if !new.revisions.is_empty() {
            self.0.push(new);
        }
    }

    /// The divergences, in the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = &Divergence> {
        self.0.iter()
    }
}
