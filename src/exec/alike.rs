//! What a run in lockstep shows.

use std::collections::BTreeSet;

use crate::subject::{Revision, RevisionSet};

/// What running in lockstep has shown.
#[derive(Clone, Debug, Default)]
pub struct Alike {
    /// Sets of revisions that no input tells apart.
    pub classes: Vec<RevisionSet>,
    /// Sets of revisions that may all fail in the same way on some input.
    pub failing: Vec<RevisionSet>,
}

impl Alike {
    /// Notes that these revisions have done something that the others have not.
    pub(super) fn part(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let parts = classes.flat_map(|class| [class.intersection(these), class.difference(these)]);
        self.classes = parts.filter(|class| class.len() > 1).collect();
    }

    /// Notes that nothing is known about any of these revisions.
    pub(super) fn part_all(&mut self, these: &RevisionSet) {
        let classes = std::mem::take(&mut self.classes).into_iter();
        let rest = classes.map(|class| class.difference(these));
        self.classes = rest.filter(|class| class.len() > 1).collect();
    }

    /// The revisions of `these` that may still be alike with any other revision.
    pub(super) fn still_open(&self, these: &RevisionSet) -> RevisionSet {
        let all = self.classes.iter().fold(RevisionSet::new(), |all, class| all.union(class));
        all.intersection(these)
    }

    /// The revisions of `these` that may still be alike with another revision of `these`.
    pub(super) fn matter(&self, these: &RevisionSet) -> RevisionSet {
        let here = self.classes.iter().map(|class| class.intersection(these));
        let here = here.filter(|class| class.len() > 1);
        here.fold(RevisionSet::new(), |all, class| all.union(&class))
    }

    /// The pairs of revisions that no input tells apart, the smaller revision first.
    pub fn pairs(&self) -> BTreeSet<(Revision, Revision)> {
        let pairs = |class: &RevisionSet| {
            let all: Vec<Revision> = class.iter().collect();
            let with_later = |(index, a): (usize, &Revision)| {
                all[index + 1..].iter().map(|b| (*a, *b)).collect::<Vec<_>>()
            };
            all.iter().enumerate().flat_map(with_later).collect::<Vec<_>>()
        };
        self.classes.iter().flat_map(pairs).collect()
    }
}
