//! Which revisions were explored to the end: the first thing on which a proof rests.

use std::collections::BTreeMap;

use crate::{
    env::Halt,
    exec::{Share, Shares},
    subject::{Revision, RevisionSet},
};

/// The token that every path of these revisions was followed to its end. Only an exploration makes
/// it ([`super::Explorer::exhausted`]), and no pair can be `equivalent` without it.
#[derive(Clone, Debug)]
pub struct Exhausted {
    /// The sum of the shares that the halt states of each of these revisions must have.
    shares: BTreeMap<Revision, Share>,
}

impl Exhausted {
    /// Whether every path of the revision was followed to its end.
    pub fn has(&self, revision: Revision) -> bool {
        self.shares.contains_key(&revision)
    }

    /// Whether halt states whose shares add up to `sum` are all that the revision has.
    pub fn is_covered(&self, revision: Revision, sum: Share) -> bool {
        self.shares.get(&revision) == Some(&sum)
    }

    /// A token for these revisions with these sums, for tests of what is built on it.
    #[cfg(test)]
    pub(crate) fn on_purpose(shares: impl IntoIterator<Item = (Revision, Share)>) -> Self {
        Self { shares: shares.into_iter().collect() }
    }
}

/// An account of the shares of all states, independent of the lists that states are in.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The shares with which exploration began, less those that assumptions excluded.
    due: Shares,
    ended: Shares,
    revisions: RevisionSet,
    /// Revisions with a path that was cut off before its end.
    cut: RevisionSet,
}

impl Ledger {
    pub(super) fn begin(&mut self, revisions: &RevisionSet, share: Share) {
        self.due.add(revisions, share);
        self.revisions = self.revisions.union(revisions);
    }

    pub(super) fn exclude(&mut self, excluded: &Shares) {
        self.due.take(excluded);
    }

    pub(super) fn end(&mut self, revisions: &RevisionSet, share: Share, halt: &Halt) {
        self.ended.add(revisions, share);
        if let Halt::Incomplete(_) = halt {
            self.cut = self.cut.union(revisions);
        }
    }

    /// The revisions that are exhausted while states of the revisions `waiting` still wait.
    pub(super) fn exhausted(&self, waiting: &RevisionSet) -> Exhausted {
        let followed = self.revisions.iter().filter(|revision| {
            !self.cut.contains(*revision)
                && !waiting.contains(*revision)
                && self.ended.of(*revision) == self.due.of(*revision)
        });
        Exhausted { shares: followed.map(|revision| (revision, self.due.of(revision))).collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        env::Incomplete,
        errors::Error,
        exec::{ForkKind, Lineage},
    };

    const END: Halt = Halt::Error(Error::OutOfBounds);

    fn set(revisions: &[u32]) -> RevisionSet {
        revisions.iter().copied().map(Revision).collect()
    }

    /// An exploration of revisions 0 and 1, which part after a fork on the input.
    struct Run {
        ledger: Ledger,
        alike: (RevisionSet, Arc<Lineage>),
        apart: [(RevisionSet, Arc<Lineage>); 2],
    }

    impl Run {
        fn new() -> Self {
            let root = Lineage::root();
            let [left, right] = [0, 1].map(|side| root.child(ForkKind::Input, side));
            let mut ledger = Ledger::default();
            ledger.begin(&set(&[0, 1]), root.share());
            let apart = [0, 1].map(|n| (set(&[n]), right.child(ForkKind::Meta, n)));
            Self { ledger, alike: (set(&[0, 1]), left), apart }
        }

        fn end(&mut self, (revisions, branch): &(RevisionSet, Arc<Lineage>), halt: &Halt) {
            self.ledger.end(revisions, branch.share(), halt);
        }

        fn exhausted(&self, waiting: &[u32]) -> Vec<u32> {
            let exhausted = self.ledger.exhausted(&set(waiting));
            (0..2).filter(|number| exhausted.has(Revision(*number))).collect()
        }
    }

    #[test]
    fn only_what_ended_everywhere_is_exhausted() {
        let mut run = Run::new();
        assert!(run.exhausted(&[]).is_empty(), "nothing has ended yet");
        let (alike, [first, second]) = (run.alike.clone(), run.apart.clone());
        run.end(&alike, &END);
        run.end(&second, &END);
        assert_eq!(run.exhausted(&[]), [1]);
        assert!(run.exhausted(&[0, 1]).is_empty(), "states that wait");
        run.end(&first, &END);
        assert_eq!(run.exhausted(&[]), [0, 1]);
        run.end(&first, &END);
        assert_eq!(run.exhausted(&[]), [1], "a state that ended twice");
    }

    #[test]
    fn a_path_that_was_cut_exhausts_nothing() {
        let mut run = Run::new();
        let (alike, [first, second]) = (run.alike.clone(), run.apart.clone());
        run.end(&alike, &END);
        run.end(&first, &Halt::Incomplete(Incomplete::Instructions));
        run.end(&second, &END);
        assert_eq!(run.exhausted(&[]), [1]);
    }

    #[test]
    fn what_an_assumption_leaves_out_need_not_end() {
        let mut run = Run::new();
        let [first, second] = run.apart.clone();
        let mut excluded = Shares::default();
        excluded.add(&run.alike.0, run.alike.1.share());
        run.ledger.exclude(&excluded);
        run.end(&first, &END);
        assert_eq!(run.exhausted(&[]), [0]);
        run.end(&second, &END);
        assert_eq!(run.exhausted(&[]), [0, 1]);
    }
}
