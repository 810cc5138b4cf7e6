//! Where a state stands in the execution tree.

use std::{cmp::Ordering, sync::Arc};

use super::share::Share;
use crate::subject::RevisionSet;

/// What made a state fork.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ForkKind {
    /// The revisions went different ways.
    Meta,
    /// Inputs went different ways: the path conditions exclude each other.
    Input,
}

/// A node of the execution tree: the way a state came, shared with its relatives.
#[derive(Debug)]
pub struct Lineage {
    parent: Option<Arc<Lineage>>,
    kind: ForkKind,
    index: u32,
    depth: u32,
    share: Share,
}

impl Lineage {
    /// The root of an execution tree.
    pub fn root() -> Arc<Self> {
        let (kind, share) = (ForkKind::Input, Share::ROOT);
        Arc::new(Self { parent: None, kind, index: 0, depth: 0, share })
    }

    /// The `index`-th child of a fork of kind `kind`.
    pub fn child(self: &Arc<Self>, kind: ForkKind, index: u32) -> Arc<Self> {
        let share = match kind {
            ForkKind::Meta => self.share,
            ForkKind::Input => self.share.part(index),
        };
        Arc::new(Self { parent: Some(self.clone()), kind, index, depth: self.depth + 1, share })
    }

    /// Whether revisions parted on the way here.
    pub fn has_meta_fork(&self) -> bool {
        std::iter::successors(Some(self), |lineage| lineage.parent.as_deref())
            .any(|lineage| lineage.kind == ForkKind::Meta)
    }

    /// The share of the execution tree that it stands for.
    pub fn share(&self) -> Share {
        self.share
    }

    /// The number of forks on the way here.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The two children of the lowest common ancestor on the ways to `a` and `b`; `None`
    /// if one is an ancestor of the other.
    fn divergence<'a>(mut a: &'a Arc<Self>, mut b: &'a Arc<Self>) -> Option<(&'a Self, &'a Self)> {
        while a.depth > b.depth {
            a = a.parent.as_ref()?;
        }
        while b.depth > a.depth {
            b = b.parent.as_ref()?;
        }
        if Arc::ptr_eq(a, b) {
            return None;
        }
        loop {
            match (&a.parent, &b.parent) {
                (Some(up_a), Some(up_b)) if Arc::ptr_eq(up_a, up_b) => return Some((a, b)),
                (Some(up_a), Some(up_b)) => (a, b) = (up_a, up_b),
                _ => return None,
            }
        }
    }

    /// The child of a fork on the revision for states of these revisions that have become one,
    /// while other revisions of the fork have not. It is ordered behind those others.
    pub(super) fn together(self: &Arc<Self>, revisions: &RevisionSet) -> Arc<Self> {
        let first = revisions.first().unwrap_or_default().0;
        self.child(ForkKind::Meta, Self::TOGETHER + first)
    }

    /// The lowest index of a child that stands for joined states. A fork has fewer groups of
    /// revisions than this.
    const TOGETHER: u32 = 1 << 31;

    /// The kind of fork at which the ways to `a` and `b` parted; `None` if one is an ancestor of
    /// the other. If one of them has become one with others there, it is no longer only a part of
    /// the input, and the kind is that of revisions.
    pub fn parted(a: &Arc<Self>, b: &Arc<Self>) -> Option<ForkKind> {
        Self::divergence(a, b).map(|(a, b)| match (a.kind, b.kind) {
            (ForkKind::Input, ForkKind::Input) => ForkKind::Input,
            _ => ForkKind::Meta,
        })
    }

    /// The order of a depth-first walk that takes children by index.
    pub fn order(a: &Arc<Self>, b: &Arc<Self>) -> Ordering {
        match Self::divergence(a, b) {
            Some((a, b)) => a.index.cmp(&b.index),
            None => a.depth.cmp(&b.depth),
        }
    }
}

impl Drop for Lineage {
    /// Frees a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut lineage) = next.and_then(Arc::into_inner) {
            next = lineage.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Revision;

    #[test]
    fn relatives_part_at_their_lowest_common_fork() {
        let root = Lineage::root();
        let (a, b) = (root.child(ForkKind::Meta, 0), root.child(ForkKind::Meta, 1));
        let (c, d) = (a.child(ForkKind::Input, 0), a.child(ForkKind::Input, 1));
        assert_eq!(Lineage::parted(&c, &b), Some(ForkKind::Meta));
        assert_eq!(Lineage::parted(&c, &d), Some(ForkKind::Input));
        assert_eq!(Lineage::parted(&c, &a), None);
        assert_eq!(Lineage::order(&d, &b), Ordering::Less);
        assert_eq!(Lineage::order(&d, &c), Ordering::Greater);
        assert_eq!(Lineage::order(&c, &c), Ordering::Equal);
        // `y` stands for revisions that have become one again, so `x` and `y` differ not only in
        // the input.
        let (x, y) =
            (a.child(ForkKind::Input, 0), a.together(&RevisionSet::from_iter([Revision(0)])));
        assert_eq!(Lineage::parted(&x, &y), Some(ForkKind::Meta));
        assert_eq!(Lineage::parted(&y, &x), Some(ForkKind::Meta));
        assert_eq!(Lineage::order(&x, &y), Ordering::Less);
    }

    #[test]
    fn a_long_way_is_dropped_without_recursion() {
        let mut lineage = Lineage::root();
        for _ in 0..1_000_000 {
            lineage = lineage.child(ForkKind::Input, 0);
        }
        drop(lineage);
    }
}
