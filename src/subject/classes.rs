//! Classes of revisions that are still to be told apart ([`OpenClasses`]).

use super::revision::{Revision, RevisionSet};

/// Classes of revisions that are still to be told apart. Two revisions are in one class if they are
/// an open pair, or are linked by open pairs. A revision in no class has no open pair.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OpenClasses(Vec<RevisionSet>);

impl OpenClasses {
    /// A single class of all `revisions`.
    pub fn one(revisions: RevisionSet) -> Self {
        Self(vec![revisions])
    }

    /// Makes the classes of `revisions`, where `is_open` says which pairs are open.
    pub fn of(revisions: &[Revision], is_open: impl Fn(Revision, Revision) -> bool) -> Self {
        Self(RevisionSet::linked(revisions, is_open))
    }

    /// The classes, each of two revisions or more.
    pub fn iter(&self) -> impl Iterator<Item = &RevisionSet> {
        self.0.iter()
    }

    /// The revisions that are in some class.
    pub fn revisions(&self) -> RevisionSet {
        self.0.iter().fold(RevisionSet::new(), |all, class| all.union(class))
    }

    /// Whether some class has revisions in `set` and others that are not.
    pub fn are_divided_by(&self, set: &RevisionSet) -> bool {
        self.0.iter().any(|class| !class.is_disjoint(set) && !class.is_subset(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_linked_by_open_pairs() {
        let set = |all: &[u32]| all.iter().copied().map(Revision).collect::<RevisionSet>();
        let open = [(0, 4), (4, 2), (1, 3)];
        let is_open =
            |a: Revision, b: Revision| open.contains(&(a.0, b.0)) || open.contains(&(b.0, a.0));
        let revisions: Vec<Revision> = (0..6).map(Revision).collect();
        let classes = OpenClasses::of(&revisions, is_open);
        assert_eq!(classes.revisions(), set(&[0, 1, 2, 3, 4]));
        for (part, divided) in [
            (set(&[0, 2, 4]), false),
            (set(&[1, 3, 5]), false),
            (set(&[0, 4]), true),
            (set(&[5]), false),
        ] {
            assert_eq!(classes.are_divided_by(&part), divided, "{part}");
        }
    }
}
