//! What is known about the pairs of revisions, and so about the revisions at one leaf.

use std::collections::BTreeMap;

use crate::{
    results::{PairRow, Verdict},
    subject::{Revision, RevisionSet},
};

/// The verdict on each pair of revisions.
#[derive(Clone, Debug, Default)]
pub struct Verdicts(BTreeMap<(Revision, Revision), Verdict>);

/// How the revisions at a leaf are related.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LeafKind {
    /// There is only one revision.
    Single,
    /// All revisions are proved to behave the same.
    Equivalent,
    /// All revisions are proved to behave the same wherever they do not fail, and to fail alike.
    UnlessFailing,
    /// The revisions differ, but only in what a person cannot see.
    Internal,
    /// No test tells the revisions apart, and there is no proof that none could.
    Open,
    /// Some revisions are told apart by tests that the tree does not ask here, because it was cut
    /// off.
    CutOff,
}

impl LeafKind {
    /// The kind in words for people; `None` for a single revision.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Self::Single => None,
            Self::Equivalent => Some("proved equivalent"),
            Self::UnlessFailing => Some("equivalent unless failing"),
            Self::Internal => Some("differ only inside"),
            Self::Open => Some("not told apart"),
            Self::CutOff => Some("told apart by tests not answered here"),
        }
    }
}

/// The revisions at a leaf.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Leaf {
    /// The revisions, with those that are proved to behave the same in one group.
    pub groups: Vec<RevisionSet>,
    /// How the groups are related.
    pub kind: LeafKind,
}

impl Verdicts {
    /// Takes the verdicts from the rows of `pairs.csv`.
    pub fn new(pairs: &[PairRow]) -> Self {
        Self(pairs.iter().map(|row| ((row.a.min(row.b), row.a.max(row.b)), row.verdict)).collect())
    }

    /// The verdict on two revisions; a pair that is not in the table is unknown.
    pub fn get(&self, a: Revision, b: Revision) -> Verdict {
        if a == b {
            return Verdict::Equivalent;
        }
        self.0.get(&(a.min(b), a.max(b))).copied().unwrap_or(Verdict::Unknown)
    }

    /// Groups the revisions of a leaf, and says how the groups are related.
    pub fn leaf(&self, revisions: &RevisionSet) -> Leaf {
        let mut groups: Vec<RevisionSet> = Vec::new();
        for revision in revisions.iter() {
            // Equivalence is transitive: a revision proved equivalent to one of a group belongs to
            // the group, and one proved equivalent to members of two groups joins them.
            let joins = |group: &RevisionSet| {
                group.iter().any(|other| self.get(other, revision) == Verdict::Equivalent)
            };
            let (same, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(joins);
            let own = RevisionSet::from_iter([revision]);
            groups = others;
            groups.push(same.iter().fold(own, |all, group| all.union(group)));
            groups.sort_by_key(RevisionSet::first);
        }
        let kind = match (groups.len(), revisions.len()) {
            (_, 0 | 1) => LeafKind::Single,
            (1, _) => LeafKind::Equivalent,
            _ if self.any_distinguished(revisions) => LeafKind::CutOff,
            _ if self.all(&groups, Verdict::EquivalentUnlessFailing) => LeafKind::UnlessFailing,
            _ if self.all(&groups, Verdict::Internal) => LeafKind::Internal,
            _ => LeafKind::Open,
        };
        Leaf { groups, kind }
    }

    fn any_distinguished(&self, revisions: &RevisionSet) -> bool {
        let with = |a| revisions.iter().any(|b| self.get(a, b) == Verdict::Distinguished);
        revisions.iter().any(with)
    }

    fn all(&self, groups: &[RevisionSet], wanted: Verdict) -> bool {
        let known = |a: &RevisionSet, b: &RevisionSet| {
            a.iter().any(|a| b.iter().any(|b| self.get(a, b) == wanted))
        };
        groups.iter().enumerate().all(|(i, a)| groups[..i].iter().all(|b| known(a, b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(pairs: &[(u32, u32, Verdict)]) -> Verdicts {
        Verdicts(pairs.iter().map(|(a, b, v)| ((Revision(*a), Revision(*b)), *v)).collect())
    }

    fn set(revisions: &[u32]) -> RevisionSet {
        revisions.iter().copied().map(Revision).collect()
    }

    #[test]
    fn proofs_join_groups() {
        let known = verdicts(&[(1, 3, Verdict::Equivalent), (2, 3, Verdict::Equivalent)]);
        assert_eq!(known.leaf(&set(&[1, 2, 3])).kind, LeafKind::Equivalent);
        let leaf = known.leaf(&set(&[0, 1, 3]));
        assert_eq!(leaf, Leaf { groups: vec![set(&[0]), set(&[1, 3])], kind: LeafKind::Open });
        assert_eq!(known.leaf(&set(&[2])).kind, LeafKind::Single);
    }

    #[test]
    fn failing_alike_is_said_of_a_leaf() {
        let failing = Verdict::EquivalentUnlessFailing;
        let known = verdicts(&[(0, 2, Verdict::Equivalent), (0, 1, failing), (1, 2, failing)]);
        let leaf = known.leaf(&set(&[0, 1, 2]));
        assert_eq!(leaf.groups, [set(&[0, 2]), set(&[1])]);
        assert_eq!(leaf.kind, LeafKind::UnlessFailing);
    }

    #[test]
    fn a_leaf_with_revisions_told_apart_is_not_called_open() {
        let known = verdicts(&[(1, 2, Verdict::Distinguished)]);
        assert_eq!(known.leaf(&set(&[0, 1, 2])).kind, LeafKind::CutOff);
        assert_eq!(known.leaf(&set(&[0, 1])).kind, LeafKind::Open);
    }

    #[test]
    fn one_difference_inside_holds_for_whole_groups() {
        let known = verdicts(&[(1, 2, Verdict::Equivalent), (2, 4, Verdict::Internal)]);
        assert_eq!(known.leaf(&set(&[1, 2, 4])).kind, LeafKind::Internal);
        assert_eq!(known.leaf(&set(&[1, 2, 5])).kind, LeafKind::Open);
    }
}
