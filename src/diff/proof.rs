//! The audit that a verdict of `equivalent` has to pass.
//!
//! While states come, pairs of halt states are handed from list to list, dropped where nobody needs
//! them any more, and taken up again. A proof does not rest on those lists. At the end, every claim
//! is audited from the halt states themselves:
//!
//! - the exploration says that every path of both revisions was followed ([`Exhausted`]);
//! - the shares of the halt states add up to all that each revision does ([`Shares`]);
//! - any two halt states of the two revisions parted at a fork on the input, or have two conditions
//!   of which one negates the other, or their refutation is on record. The states that conditions
//!   exclude are counted; together with the states found they must be all states;
//! - a halt state shared by both revisions says exactly what is seen.
//!
//! If anything is missing, for whatever reason, the claim is not proved.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{overlap::Paths, reason::Reason};
use crate::{
    exec::{ForkKind, HaltState, Lineage, Shares},
    explore::Exhausted,
    expr::ExprId,
    subject::{Revision, RevisionSet},
};

/// Pairs of halt states, by index, for which no input takes both paths and shows a difference.
#[derive(Clone, Debug, Default)]
pub(super) struct Refutations(FxHashSet<(u32, u32)>);

impl Refutations {
    /// Records that no input takes both paths and shows a difference.
    pub(super) fn record(&mut self, a: usize, b: usize) {
        self.0.insert((a.min(b) as u32, a.max(b) as u32));
    }

    /// Whether a refutation of the two is on record.
    pub(super) fn has(&self, a: usize, b: usize) -> bool {
        self.0.contains(&(a.min(b) as u32, a.max(b) as u32))
    }
}

/// The proof that a pair of revisions is equivalent. Only an audit makes it.
#[derive(Debug)]
pub(super) struct Proof(());

/// What a proof needs to know of a halt state.
pub(super) struct End<'a> {
    revisions: &'a RevisionSet,
    path: &'a [ExprId],
    lineage: &'a Arc<Lineage>,
    /// Whether the state says exactly what is seen, or nothing is claimed about its inputs.
    is_settled: bool,
}

impl<'a> From<&'a HaltState> for End<'a> {
    fn from(state: &'a HaltState) -> Self {
        Self {
            revisions: &state.revisions,
            path: &state.path_condition,
            lineage: &state.lineage,
            is_settled: state.is_exact() || state.halt.is_excluded(),
        }
    }
}

/// The evidence that claims are checked against.
pub(super) struct Audit<'a> {
    /// The halt states, in their order.
    pub(super) ends: Vec<End<'a>>,
    /// The paths of the halt states.
    pub(super) paths: &'a Paths,
    pub(super) refutations: &'a Refutations,
    pub(super) exhausted: &'a Exhausted,
}

/// For each revision, the revisions with which it is claimed to be equivalent.
struct Claims(BTreeMap<Revision, RevisionSet>);

impl Claims {
    fn of(pairs: impl Iterator<Item = (Revision, Revision)>) -> Self {
        let mut partners: BTreeMap<Revision, RevisionSet> = BTreeMap::new();
        for (a, b) in pairs {
            partners.entry(a).or_default().insert(b);
            partners.entry(b).or_default().insert(a);
        }
        Self(partners)
    }

    fn with(&self, revisions: &RevisionSet) -> RevisionSet {
        let partners = revisions.iter().filter_map(|revision| self.0.get(&revision));
        partners.fold(RevisionSet::new(), |all, some| all.union(some))
    }

    fn between(&self, a: &RevisionSet, b: &RevisionSet) -> Vec<(Revision, Revision)> {
        let of = |x: Revision| self.0.get(&x).map(|partners| partners.intersection(b));
        a.iter()
            .flat_map(|x| {
                let partners = of(x).unwrap_or_default();
                partners.iter().map(|y| (x.min(y), x.max(y))).collect::<Vec<_>>()
            })
            .collect()
    }
}

impl Audit<'_> {
    /// Each of the claims (two revisions in ascending order) with its proof, or with the reason why
    /// there is none.
    pub(super) fn judge(
        &self,
        claims: &[(Revision, Revision)],
    ) -> Vec<((Revision, Revision), Result<Proof, Reason>)> {
        let mut sums = Shares::default();
        for end in &self.ends {
            sums.add(end.revisions, end.lineage.share());
        }
        let lacks = |revision| {
            if !self.exhausted.has(revision) {
                Some(Reason::NotExhausted)
            } else if !self.exhausted.is_covered(revision, sums.of(revision)) {
                Some(Reason::StateLost)
            } else {
                None
            }
        };
        let lacking: BTreeMap<Revision, Reason> = claims
            .iter()
            .flat_map(|(a, b)| [*a, *b])
            .filter_map(|revision| Some((revision, lacks(revision)?)))
            .collect();
        let of = |(a, b): &(Revision, Revision)| lacking.get(a).or(lacking.get(b));
        let covered = claims.iter().copied().filter(|claim| of(claim).is_none());
        let unrefuted = self.unrefuted(&Claims::of(covered));
        let judge = |claim: &(Revision, Revision)| match of(claim) {
            Some(reason) => Err(reason.clone()),
            None if unrefuted.contains(claim) => Err(Reason::RefutationLost),
            None => Ok(Proof(())),
        };
        claims.iter().map(|claim| (*claim, judge(claim))).collect()
    }

    /// The claims that lack evidence about some halt state, or about some pair of halt states.
    fn unrefuted(&self, claims: &Claims) -> BTreeSet<(Revision, Revision)> {
        let sets: FxHashSet<&RevisionSet> = self.ends.iter().map(|end| end.revisions).collect();
        let partners: FxHashMap<&RevisionSet, RevisionSet> =
            sets.into_iter().map(|set| (set, claims.with(set))).collect();
        let lost = (0..self.ends.len()).into_par_iter().flat_map_iter(|b| {
            let y = &self.ends[b];
            let partners = &partners[y.revisions];
            let mut lost = Vec::new();
            if partners.is_empty() {
                return lost;
            }
            if !y.is_settled {
                lost.extend(claims.between(y.revisions, y.revisions));
            }
            let overlap = self.paths.overlap(y.path);
            if overlap.states.len() + overlap.excluded != self.ends.len() {
                lost.extend(claims.between(y.revisions, partners));
                return lost;
            }
            for a in overlap.states.into_iter().filter(|a| *a < b) {
                let x = &self.ends[a];
                let known = x.revisions.is_disjoint(partners)
                    || self.refutations.has(a, b)
                    || Lineage::parted(x.lineage, y.lineage) == Some(ForkKind::Input);
                if !known {
                    lost.extend(claims.between(x.revisions, y.revisions));
                }
            }
            lost
        });
        lost.collect()
    }
}

#[cfg(test)]
mod tests;
