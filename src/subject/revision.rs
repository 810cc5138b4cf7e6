//! Revisions of a program and sets of them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use thiserror::Error;

/// One version of the program: 0 is the original, 1..=N the patches in the order given.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Revision(pub u32);

impl Revision {
    /// The original: the program without any patch.
    pub const ORIGINAL: Revision = Revision(0);
    /// The greatest number that is read from files: a set has a bit for each smaller one.
    pub const MOST: u32 = (1 << 20) - 1;
}

/// A number that no revision has.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the number of a revision is at most {}", Revision::MOST)]
pub struct NoRevision;

impl TryFrom<u32> for Revision {
    type Error = NoRevision;

    fn try_from(number: u32) -> Result<Self, NoRevision> {
        if number <= Self::MOST { Ok(Self(number)) } else { Err(NoRevision) }
    }
}

impl From<Revision> for u32 {
    fn from(revision: Revision) -> Self {
        revision.0
    }
}

impl FromStr for Revision {
    type Err = NoRevision;

    fn from_str(text: &str) -> Result<Self, NoRevision> {
        text.parse::<u32>().map_err(|_| NoRevision)?.try_into()
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of revisions, with one bit for each; revisions below 128 need no allocation.
///
/// Trailing zero words are never kept, so that equal sets compare and hash equal. In JSON it is the
/// list of its revisions.
#[derive(Clone, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(from = "Vec<Revision>", into = "Vec<Revision>")]
pub struct RevisionSet(SmallVec<[u64; 2]>);

impl RevisionSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `revision`. Returns whether it was not in the set before.
    pub fn insert(&mut self, revision: Revision) -> bool {
        let (word, bit) = Self::place(revision);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let added = self.0[word] & bit == 0;
        self.0[word] |= bit;
        added
    }

    /// Removes `revision`. Returns whether it was in the set.
    pub fn remove(&mut self, revision: Revision) -> bool {
        let (word, bit) = Self::place(revision);
        let found = self.contains(revision);
        if found {
            self.0[word] &= !bit;
            self.trim();
        }
        found
    }

    /// Whether `revision` is in the set.
    pub fn contains(&self, revision: Revision) -> bool {
        let (word, bit) = Self::place(revision);
        self.0.get(word).is_some_and(|w| w & bit != 0)
    }

    /// The number of revisions in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The smallest revision, if there is any.
    pub fn first(&self) -> Option<Revision> {
        self.iter().next()
    }

    /// The revisions in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Revision> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let base = word as u32 * 64;
            std::iter::successors(Some(bits), |b| Some(b & b.wrapping_sub(1)))
                .take_while(|b| *b != 0)
                .map(move |b| Revision(base + b.trailing_zeros()))
        })
    }

    /// The revisions that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect());
        common.trim();
        common
    }

    /// The revisions of this set that are not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        let mut rest = Self(self.0.iter().zip(others).map(|(a, b)| a & !b).collect());
        rest.trim();
        rest
    }

    /// The revisions that are in at least one of the two sets.
    pub fn union(&self, other: &Self) -> Self {
        let (long, short) =
            if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut all = long.clone();
        for (a, b) in all.0.iter_mut().zip(&short.0) {
            *a |= b;
        }
        all
    }

    /// Whether all revisions of this set are also in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// Whether the sets have nothing in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == 0)
    }

    fn place(revision: Revision) -> (usize, u64) {
        (revision.0 as usize / 64, 1 << (revision.0 % 64))
    }

    /// The classes of revisions that are linked, directly or by others; each has two or more.
    pub fn linked(
        revisions: &[Revision],
        are_linked: impl Fn(Revision, Revision) -> bool,
    ) -> Vec<Self> {
        let mut left: Vec<Revision> = revisions.to_vec();
        let mut classes = Vec::new();
        while let Some(first) = left.pop() {
            let (mut class, mut unseen) = (Self::from_iter([first]), vec![first]);
            while let Some(a) = unseen.pop() {
                let linked = left.extract_if(.., |b| are_linked(a, *b));
                unseen.extend(linked.inspect(|b| _ = class.insert(*b)));
            }
            if class.len() > 1 {
                classes.push(class);
            }
        }
        classes
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl FromIterator<Revision> for RevisionSet {
    fn from_iter<I: IntoIterator<Item = Revision>>(revisions: I) -> Self {
        let mut set = Self::new();
        for revision in revisions {
            set.insert(revision);
        }
        set
    }
}

impl From<Vec<Revision>> for RevisionSet {
    fn from(revisions: Vec<Revision>) -> Self {
        revisions.into_iter().collect()
    }
}

impl From<RevisionSet> for Vec<Revision> {
    fn from(set: RevisionSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Display for RevisionSet {
    /// Writes the numbers with spaces between them, as in `states.csv`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, revision) in self.iter().enumerate() {
            write!(f, "{}{revision}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for RevisionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_as_a_set(a in prop::collection::btree_set(0u32..300, 0..20),
                            b in prop::collection::btree_set(0u32..300, 0..20)) {
            let set = |s: &BTreeSet<u32>| s.iter().map(|r| Revision(*r)).collect::<RevisionSet>();
            let list = |s: &RevisionSet| s.iter().map(|r| r.0).collect::<BTreeSet<_>>();
            prop_assert_eq!(list(&set(&a).union(&set(&b))), &a | &b);
            prop_assert_eq!(list(&set(&a).intersection(&set(&b))), &a & &b);
            prop_assert_eq!(set(&a).is_disjoint(&set(&b)), a.is_disjoint(&b));
            prop_assert_eq!(set(&a).is_subset(&set(&b)), a.is_subset(&b));
            prop_assert_eq!(set(&a) == set(&b), a == b);
            let mut smaller = set(&a);
            for r in &b {
                prop_assert_eq!(smaller.remove(Revision(*r)), a.contains(r));
            }
            prop_assert_eq!(list(&smaller), &a - &b);
            prop_assert_eq!(smaller.len(), (&a - &b).len());
            prop_assert_eq!(smaller.is_empty(), (&a - &b).is_empty());
        }
    }
}
