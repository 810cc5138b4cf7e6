//! Shares: a checksum of the execution tree, which shows whether a state was lost.
//!
//! The root has a share. A fork on the input divides it between the two sides. At a fork on the
//! revision, each side keeps it for the revisions that go there. So for every revision, shares add
//! up to what the beginnings had: those of all states that ended, and those of the inputs that
//! assumptions leave out. It makes no difference through which lists the states went in between. A
//! share is a number modulo 2^64 that depends on the place in the tree. If a state is missing, or
//! counted twice, the sum is the same only by chance, in one of 2^64 cases.

use std::collections::BTreeMap;

use crate::subject::{Revision, RevisionSet};

/// What a node of the execution tree stands for, as a number modulo 2^64.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Share(u64);

impl Share {
    /// The share of a root.
    pub(super) const ROOT: Self = Self(0x9E37_79B9_7F4A_7C15);

    /// Part `index` of a share that is divided. Part 1 is what part 0 leaves. Further parts, for
    /// further beginnings, are numbers of their own.
    pub(super) fn part(self, index: u32) -> Self {
        match index {
            0 => Self(mixed(self.0)),
            1 => Self(self.0.wrapping_sub(mixed(self.0))),
            _ => Self(mixed(self.0.wrapping_add(index.into()))),
        }
    }

    /// Whether it is in a sample of one in 64, which depends on the place in the tree alone.
    pub(super) fn is_sample(self) -> bool {
        mixed(self.0).is_multiple_of(64)
    }

    /// The share that was divided into these two parts.
    pub(super) fn sum(parts: [Self; 2]) -> Self {
        Self(parts[0].0.wrapping_add(parts[1].0))
    }
}

/// A 64-bit hash of a number (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014, figure 16).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(Share::ROOT.0);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Sums of shares, one for each revision.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Shares(BTreeMap<Revision, u64>);

impl Shares {
    /// Adds a share for each of the revisions.
    pub fn add(&mut self, revisions: &RevisionSet, share: Share) {
        for revision in revisions.iter() {
            let sum = self.0.entry(revision).or_default();
            *sum = sum.wrapping_add(share.0);
        }
    }

    /// Subtracts other sums from these.
    pub fn take(&mut self, others: &Self) {
        for (revision, share) in &others.0 {
            let sum = self.0.entry(*revision).or_default();
            *sum = sum.wrapping_sub(*share);
        }
    }

    /// The sum for one revision.
    pub fn of(&self, revision: Revision) -> Share {
        Share(self.0.get(&revision).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exec::{ForkKind, Lineage};

    proptest! {
        /// Forks of any kind in any order: the leaves add up to the root for every revision, and
        /// without any one of them they do not.
        #[test]
        fn leaves_add_up_to_the_root(forks in prop::collection::vec((0_usize..40, any::<bool>()), 1..40)) {
            let all: RevisionSet = (0..4).map(Revision).collect();
            let mut leaves = vec![(Lineage::root(), all.clone())];
            for (at, meta) in forks {
                let (lineage, revisions) = leaves.swap_remove(at % leaves.len());
                let child = |kind, index| lineage.child(kind, index);
                if meta {
                    let part = |odd| {
                        revisions.iter().filter(|revision| revision.0 % 2 == odd).collect()
                    };
                    let parts: [RevisionSet; 2] = [part(0), part(1)];
                    for (index, part) in (0..).zip(parts).filter(|(_, part)| !part.is_empty()) {
                        leaves.push((child(ForkKind::Meta, index), part));
                    }
                } else {
                    leaves.push((child(ForkKind::Input, 0), revisions.clone()));
                    leaves.push((child(ForkKind::Input, 1), revisions));
                }
            }
            let mut sums = Shares::default();
            for (lineage, revisions) in &leaves {
                sums.add(revisions, lineage.share());
            }
            prop_assert!(all.iter().all(|revision| sums.of(revision) == Share::ROOT));
            for (lineage, revisions) in &leaves {
                let (mut less, mut one) = (sums.clone(), Shares::default());
                one.add(revisions, lineage.share());
                less.take(&one);
                prop_assert!(revisions.iter().all(|revision| less.of(revision) != Share::ROOT));
            }
        }
    }
}
