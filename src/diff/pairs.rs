//! What is known about every pair of revisions.

use std::collections::{BTreeMap, BTreeSet, hash_map::Entry};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{proof::Proof, reason::Reason};
use crate::{
    exec::Alike,
    results::TestId,
    subject::{OpenClasses, Revision, RevisionSet},
};

/// How a pair was told apart.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Decided {
    /// The first test that told them apart.
    pub test: TestId,
    /// The output in which the two revisions differ on that test.
    pub output: String,
}

/// What is known about a pair once exploration is over.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PairVerdict<'a> {
    /// A test that was replayed natively told them apart.
    Distinguished(&'a Decided),
    /// It is proved that no input within the bounds tells them apart.
    Equivalent,
    /// It is proved that no input within the bounds tells them apart, but on some inputs they do
    /// the same only by failing alike.
    EquivalentUnlessFailing,
    /// They are neither told apart nor proved equivalent, for these reasons.
    Unknown(Vec<&'a Reason>),
}

/// All pairs of the revisions that run, with what is known about each.
#[derive(Clone, Debug)]
pub struct Pairs {
    revisions: Vec<Revision>,
    decided: FxHashMap<(Revision, Revision), Decided>,
    doubts: BTreeMap<(Revision, Revision), BTreeSet<Reason>>,
    failing: BTreeSet<(Revision, Revision)>,
    proved: BTreeSet<(Revision, Revision)>,
    /// Pairs that run in lockstep, which is a proof of its own.
    alike: BTreeSet<(Revision, Revision)>,
    /// Pairs that may fail alike when run in lockstep. As loops are summed up there, this may hold
    /// for more inputs than there really are.
    may_fail: BTreeSet<(Revision, Revision)>,
    /// Pairs told apart since decided pairs were last left out of the exploration.
    told: Vec<(Revision, Revision)>,
    /// Pairs that were told apart when decided pairs were left out.
    left_out: FxHashSet<(Revision, Revision)>,
}

/// The reason why a pair is unknown if no other is recorded.
static UNPROVED: Reason = Reason::NotExhausted;

impl Pairs {
    pub(super) fn new(revisions: &[Revision]) -> Self {
        Self {
            revisions: revisions.to_vec(),
            decided: FxHashMap::default(),
            doubts: BTreeMap::new(),
            failing: BTreeSet::new(),
            proved: BTreeSet::new(),
            alike: BTreeSet::new(),
            may_fail: BTreeSet::new(),
            told: Vec::new(),
            left_out: FxHashSet::default(),
        }
    }

    /// Whether no test has told the two apart yet.
    pub fn is_open(&self, a: Revision, b: Revision) -> bool {
        a != b && !self.decided.contains_key(&ordered(a, b))
    }

    /// Whether the two were told apart when decided pairs were left out of the exploration.
    pub(super) fn is_left_out(&self, a: Revision, b: Revision) -> bool {
        self.left_out.contains(&ordered(a, b))
    }

    /// Whether some revision of one set is still open with some of the other.
    pub fn any_open(&self, a: &RevisionSet, b: &RevisionSet) -> bool {
        a.iter().any(|x| b.iter().any(|y| self.is_open(x, y)))
    }

    /// The pairs of a revision of one set with one of the other that are still open.
    pub(super) fn open_between<'a>(
        &'a self,
        a: &'a RevisionSet,
        b: &'a RevisionSet,
    ) -> impl Iterator<Item = (Revision, Revision)> + 'a {
        pairs(a, b).filter(|(x, y)| self.is_open(*x, *y))
    }

    /// The revisions that are still open with some revision of the set.
    pub(super) fn open_with(&self, set: &RevisionSet) -> RevisionSet {
        let open = |y: &Revision| set.iter().any(|x| self.is_open(x, *y));
        self.revisions.iter().copied().filter(open).collect()
    }

    /// Whether the two are neither told apart nor proved equivalent.
    pub(super) fn is_unsettled(&self, a: Revision, b: Revision) -> bool {
        self.is_open(a, b) && !self.is_proved(ordered(a, b)) && !self.is_alike(a, b)
    }

    /// Whether exploration proved the pair equivalent, and no doubt is recorded against it.
    fn is_proved(&self, pair: (Revision, Revision)) -> bool {
        self.proved.contains(&pair) && !self.doubts.contains_key(&pair)
    }

    /// Whether the two run in lockstep, and all recorded doubts are about the exploration. The
    /// proof in lockstep does not rest on exploration.
    fn is_alike(&self, a: Revision, b: Revision) -> bool {
        let pair = ordered(a, b);
        self.alike.contains(&pair)
            && self.doubts.get(&pair).is_none_or(|all| all.iter().all(Reason::is_of_exploration))
    }

    /// The revisions that are unsettled with some other revision ([`Self::is_unsettled`]).
    pub(super) fn unsettled_revisions(&self) -> RevisionSet {
        let unsettled = |x: &Revision| self.revisions.iter().any(|y| self.is_unsettled(*x, *y));
        self.revisions.iter().copied().filter(unsettled).collect()
    }

    pub(super) fn distinguish(&mut self, a: Revision, b: Revision, test: TestId, output: &str) {
        if let Entry::Vacant(entry) = self.decided.entry(ordered(a, b)) {
            entry.insert(Decided { test, output: output.to_owned() });
            self.told.push(ordered(a, b));
        }
    }

    /// Leaves the decided pairs out from now on and returns the classes of the open ones. Nothing
    /// is ever proved about a pair left out, even if what told it apart turns out to be no
    /// evidence.
    pub(super) fn leave_decided(&mut self) -> OpenClasses {
        let told = std::mem::take(&mut self.told);
        self.left_out.extend(told.into_iter().filter(|pair| self.decided.contains_key(pair)));
        self.open_classes()
    }

    /// The classes of revisions linked by pairs that are neither told apart nor run in lockstep.
    pub(super) fn open_classes(&self) -> OpenClasses {
        OpenClasses::of(&self.revisions, |a, b| self.is_open(a, b) && !self.is_alike(a, b))
    }

    /// Records why the pairs of a revision in `a` with one in `b` cannot be proved equivalent.
    /// Pairs told apart are included, since what did so may turn out to be no evidence.
    pub(super) fn doubt(&mut self, a: &RevisionSet, b: &RevisionSet, reason: &Reason) {
        for x in a.iter() {
            for y in b.iter().filter(|y| *y != x) {
                self.doubts.entry(ordered(x, y)).or_default().insert(reason.clone());
            }
        }
    }

    /// Records why one pair cannot be proved equivalent.
    pub(super) fn doubt_pair(&mut self, (a, b): (Revision, Revision), reason: Reason) {
        self.doubts.entry(ordered(a, b)).or_default().insert(reason);
    }

    /// Records why pairs of a revision in `a` with one in `b` cannot be proved equivalent, if no
    /// test has told them apart.
    pub(super) fn doubt_open(&mut self, a: &RevisionSet, b: &RevisionSet, reason: &Reason) {
        for x in a.iter() {
            for y in b.iter().filter(|y| self.is_open(x, *y)).collect::<Vec<_>>() {
                self.doubts.entry(ordered(x, y)).or_default().insert(reason.clone());
            }
        }
    }

    /// What is recorded against proofs about the two.
    pub(super) fn doubts(&self, a: Revision, b: Revision) -> impl Iterator<Item = &Reason> {
        self.doubts.get(&ordered(a, b)).into_iter().flatten()
    }

    /// Records that the pairs of a revision in `a` with one in `b` fail alike on some input.
    pub(super) fn fail_alike(&mut self, a: &RevisionSet, b: &RevisionSet) {
        self.failing.extend(pairs(a, b));
    }

    /// The pairs that exploration may prove. They are neither told apart nor doubted, not left out,
    /// and not in lockstep (unless they may fail there).
    pub(super) fn claims(&self) -> Vec<(Revision, Revision)> {
        let pairs = self.revisions.iter().enumerate().flat_map(|(index, &a)| {
            self.revisions[index + 1..].iter().map(move |&b| ordered(a, b))
        });
        pairs
            .filter(|pair| !self.decided.contains_key(pair) && !self.doubts.contains_key(pair))
            .filter(|pair| !self.left_out.contains(pair))
            .filter(|pair| !self.alike.contains(pair) || self.may_fail.contains(pair))
            .collect()
    }

    /// Records that a pair is proved equivalent. A doubt, even a later one, outweighs the proof.
    pub(super) fn prove(&mut self, (a, b): (Revision, Revision), _: Proof) {
        self.proved.insert(ordered(a, b));
    }

    /// Records the pairs that run in lockstep.
    pub(super) fn run_alike(&mut self, alike: &Alike) {
        self.alike.extend(alike.pairs());
        self.may_fail.extend(alike.failing.iter().flat_map(|set| pairs(set, set)));
    }

    /// Opens all pairs again, to be told apart anew, and returns what had been decided.
    pub(super) fn reopen(&mut self) -> FxHashMap<(Revision, Revision), Decided> {
        std::mem::take(&mut self.decided)
    }

    /// Every pair with its verdict, the smaller revision first. To be asked once no state is left
    /// running. A pair is also proved if it follows from other pairs, as equivalence is transitive.
    pub fn verdicts(&self) -> impl Iterator<Item = (Revision, Revision, PairVerdict<'_>)> {
        let proved: Vec<_> = self.proved.iter().chain(&self.alike).collect();
        let linked = |counts: &dyn Fn(PairVerdict<'_>) -> bool| {
            let links = proved.iter().filter(|(a, b)| counts(self.own_verdict(*a, *b)));
            let links: FxHashSet<_> = links.copied().collect();
            RevisionSet::linked(&self.revisions, |a, b| links.contains(&ordered(a, b)))
        };
        let equivalent = linked(&|verdict| verdict == PairVerdict::Equivalent);
        let unless_failing = linked(&|verdict| {
            matches!(verdict, PairVerdict::Equivalent | PairVerdict::EquivalentUnlessFailing)
        });
        let are_linked = |classes: &[RevisionSet], a, b| {
            classes.iter().any(|class| class.contains(a) && class.contains(b))
        };
        let verdict = move |a, b| {
            let own = self.own_verdict(a, b);
            let PairVerdict::Unknown(reasons) = &own else { return own };
            if !reasons.iter().all(|reason| reason.is_of_exploration()) {
                return own;
            }
            match (are_linked(&equivalent, a, b), are_linked(&unless_failing, a, b)) {
                (true, _) => PairVerdict::Equivalent,
                (false, true) => PairVerdict::EquivalentUnlessFailing,
                (false, false) => own,
            }
        };
        let pairs =
            self.revisions.iter().enumerate().flat_map(move |(index, &a)| {
                self.revisions[index + 1..].iter().map(move |&b| (a, b))
            });
        pairs.map(move |(a, b)| (a, b, verdict(a, b)))
    }

    /// The verdict of one pair, by what is known about these two alone.
    pub(super) fn own_verdict(&self, a: Revision, b: Revision) -> PairVerdict<'_> {
        let pair = ordered(a, b);
        let is_alike = self.is_alike(a, b);
        let is_proved = self.is_proved(pair);
        // If exploration proved the pair, it also found out whether the two fail alike.
        let fails = self.failing.contains(&pair) || !is_proved && self.may_fail.contains(&pair);
        match (self.decided.get(&pair), self.doubts.get(&pair)) {
            (Some(decided), _) => PairVerdict::Distinguished(decided),
            (None, Some(reasons)) if !is_alike => PairVerdict::Unknown(reasons.iter().collect()),
            (None, None) if !is_alike && !is_proved => PairVerdict::Unknown(vec![&UNPROVED]),
            (None, _) if fails => PairVerdict::EquivalentUnlessFailing,
            (None, _) => PairVerdict::Equivalent,
        }
    }

    /// Number of pairs that no test has told apart and that do not run in lockstep.
    pub fn open(&self) -> usize {
        let count = self.revisions.len();
        let alike = |(a, b): &&(Revision, Revision)| self.is_open(*a, *b) && self.is_alike(*a, *b);
        let alike = self.alike.iter().filter(alike).count();
        count * count.saturating_sub(1) / 2 - self.decided.len() - alike
    }

    /// Number of pairs that run in lockstep and were not told apart.
    pub(super) fn in_lockstep(&self) -> usize {
        self.alike.iter().filter(|(a, b)| self.is_open(*a, *b)).count()
    }

    /// Number of pairs told apart.
    pub fn distinguished(&self) -> usize {
        self.decided.len()
    }
}

/// The pairs of a revision in `a` with another one in `b`, each in ascending order.
fn pairs<'a>(
    a: &'a RevisionSet,
    b: &'a RevisionSet,
) -> impl Iterator<Item = (Revision, Revision)> + 'a {
    let all = a.iter().flat_map(move |x| b.iter().map(move |y| (x, y)));
    all.filter(|(x, y)| x != y).map(|(x, y)| ordered(x, y))
}

fn ordered(a: Revision, b: Revision) -> (Revision, Revision) {
    if a <= b { (a, b) } else { (b, a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Incomplete;

    #[test]
    fn what_exploring_has_left_out_is_not_proved_when_it_comes_back() {
        let revisions = [0, 1, 2].map(Revision);
        let mut pairs = Pairs::new(&revisions);
        let told = |pairs: &mut Pairs, a, b| {
            pairs.distinguish(Revision(a), Revision(b), TestId(1), "stdout");
        };
        told(&mut pairs, 2, 0);
        told(&mut pairs, 1, 2);
        let open = pairs.leave_decided();
        assert_eq!(open, OpenClasses::one([0, 1].map(Revision).into_iter().collect()));
        told(&mut pairs, 0, 1);
        pairs.reopen();
        // This pair was told apart only after the others had been left out.
        assert_eq!(pairs.claims(), [(Revision(0), Revision(1))]);
        let verdict = pairs.own_verdict(Revision(0), Revision(2));
        assert_eq!(verdict, PairVerdict::Unknown(vec![&Reason::NotExhausted]));
        told(&mut pairs, 0, 2);
        assert!(matches!(
            pairs.own_verdict(Revision(0), Revision(2)),
            PairVerdict::Distinguished(_)
        ));
    }

    #[test]
    fn what_follows_from_other_pairs_is_proved() {
        let revisions = [0, 1, 2, 3].map(Revision);
        let mut pairs = Pairs::new(&revisions);
        let set = |numbers: &[u32]| numbers.iter().copied().map(Revision).collect::<RevisionSet>();
        let alike = |classes: Vec<RevisionSet>| Alike { classes, failing: Vec::new() };
        pairs.run_alike(&alike(vec![set(&[0, 1])]));
        pairs.run_alike(&alike(vec![set(&[1, 2]), set(&[3])]));
        let verdict = |pairs: &Pairs, a, b| {
            let mut all = pairs.verdicts();
            let found = all.find(|(x, y, _)| (*x, *y) == (Revision(a), Revision(b)));
            format!("{:?}", found.expect("a pair").2)
        };
        let late = Reason::Incomplete(Incomplete::Time);
        pairs.doubt_pair((Revision(0), Revision(2)), late.clone());
        assert_eq!(verdict(&pairs, 0, 2), "Equivalent");
        assert!(verdict(&pairs, 0, 3).starts_with("Unknown"));
        // What was seen of these two themselves counts for more.
        pairs.doubt_pair((Revision(0), Revision(2)), Reason::NotReplayed);
        assert!(verdict(&pairs, 0, 2).starts_with("Unknown"));
        pairs.doubt_pair((Revision(0), Revision(1)), Reason::NotReplayed);
        assert!(verdict(&pairs, 0, 1).starts_with("Unknown"));
    }
}
