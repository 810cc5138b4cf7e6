//! Takes away each piece of evidence in turn: claims that rest on it must not be proved any more.

use super::*;
use crate::{exec::Share, expr::Exprs};

/// Halt states of three revisions: 0 goes one way, 1 and 2 another, and each way forks on an input.
struct Scene {
    exprs: Exprs,
    states: Vec<(RevisionSet, Vec<ExprId>, Arc<Lineage>)>,
    root: Share,
}

const ALL: [(u32, u32); 3] = [(0, 1), (0, 2), (1, 2)];

fn set(revisions: &[u32]) -> RevisionSet {
    revisions.iter().copied().map(Revision).collect()
}

impl Scene {
    fn new() -> Self {
        let exprs = Exprs::new();
        let low = exprs.ult(exprs.input("x", 8), exprs.constant(8, 5));
        let conditions = [low, exprs.not(low)];
        let root = Lineage::root();
        let mut states = Vec::new();
        for (way, revisions) in (0..).zip([set(&[0]), set(&[1, 2])]) {
            let lineage = root.child(ForkKind::Meta, way);
            for (side, condition) in (0..).zip(conditions) {
                let lineage = lineage.child(ForkKind::Input, side);
                states.push((revisions.clone(), vec![condition], lineage));
            }
        }
        Self { exprs, states, root: root.share() }
    }

    fn ends(&self) -> Vec<End<'_>> {
        let end = |(revisions, path, lineage)| End { revisions, path, lineage, is_settled: true };
        self.states
            .iter()
            .map(|(revisions, path, lineage)| end((revisions, path, lineage)))
            .collect()
    }

    fn paths(&self) -> Paths {
        let mut paths = Paths::default();
        for (_, path, _) in &self.states {
            paths.push(&self.exprs, path);
        }
        paths
    }

    fn exhausted(&self, revisions: &[u32]) -> Exhausted {
        Exhausted::on_purpose(revisions.iter().map(|number| (Revision(*number), self.root)))
    }
}

fn refutations(pairs: &[(usize, usize)]) -> Refutations {
    let mut refutations = Refutations::default();
    for (a, b) in pairs {
        refutations.record(*a, *b);
    }
    refutations
}

/// The claims that are proved, and the reasons why the others are not.
fn proved(audit: &Audit<'_>) -> (Vec<(u32, u32)>, Vec<Reason>) {
    let claims = ALL.map(|(a, b)| (Revision(a), Revision(b)));
    let (mut proved, mut lacking) = (Vec::new(), Vec::new());
    for ((a, b), judgement) in audit.judge(&claims) {
        match judgement {
            Ok(_) => proved.push((a.0, b.0)),
            Err(reason) => lacking.push(reason),
        }
    }
    (proved, lacking)
}

/// Everything an audit borrows, owned.
struct Evidence {
    scene: Scene,
    paths: Paths,
    refutations: Refutations,
    exhausted: Exhausted,
}

impl Evidence {
    fn whole() -> Self {
        let scene = Scene::new();
        let (paths, exhausted) = (scene.paths(), scene.exhausted(&[0, 1, 2]));
        Self { scene, paths, refutations: refutations(&[(0, 2), (1, 3)]), exhausted }
    }

    /// The result of the audit after `change` to the halt states.
    fn judged(&self, change: impl FnOnce(&mut Vec<End<'_>>)) -> (Vec<(u32, u32)>, Vec<Reason>) {
        let Self { scene, paths, refutations, exhausted } = self;
        let mut ends = scene.ends();
        change(&mut ends);
        proved(&Audit { ends, paths, refutations, exhausted })
    }
}

#[test]
fn whole_evidence_proves() {
    assert_eq!(Evidence::whole().judged(|_| {}), (ALL.to_vec(), vec![]));
}

#[test]
fn a_lost_halt_state_is_no_proof() {
    for lost in 0..4 {
        let mut scene = Scene::new();
        let (revisions, ..) = scene.states.remove(lost);
        let moved = |state: usize| if state > lost { state - 1 } else { state };
        let known = [(0, 2), (1, 3)].iter().filter(|(a, b)| *a != lost && *b != lost);
        let known: Vec<_> = known.map(|(a, b)| (moved(*a), moved(*b))).collect();
        let (paths, refutations) = (scene.paths(), refutations(&known));
        let evidence = Evidence { scene, paths, refutations, ..Evidence::whole() };
        let (proved, lacking) = evidence.judged(|_| {});
        let others = if revisions == set(&[0]) { vec![(1, 2)] } else { vec![] };
        assert_eq!(proved, others, "without state {lost}");
        assert!(lacking.iter().all(|reason| *reason == Reason::StateLost));
    }
}

#[test]
fn a_halt_state_that_comes_twice_is_no_proof() {
    let (proved, lacking) = Evidence::whole().judged(|ends| {
        let End { revisions, path, lineage, is_settled } = ends[0];
        ends.push(End { revisions, path, lineage, is_settled });
    });
    assert!(proved.is_empty(), "{proved:?}");
    assert_eq!(lacking, [Reason::StateLost, Reason::StateLost, Reason::RefutationLost]);
}

#[test]
fn a_path_lost_in_the_tree_is_no_proof() {
    let mut scene = Scene::new();
    let whole = std::mem::take(&mut scene.states);
    scene.states = whole[..3].to_vec();
    let paths = scene.paths();
    scene.states = whole;
    let (proved, lacking) = Evidence { scene, paths, ..Evidence::whole() }.judged(|_| {});
    assert!(proved.is_empty(), "{proved:?}");
    assert_eq!(lacking, vec![Reason::RefutationLost; 3]);
}

#[test]
fn a_lost_refutation_is_no_proof() {
    for known in [&[(0, 2)][..], &[(1, 3)], &[], &[(0, 3), (1, 2)]] {
        let evidence = Evidence { refutations: refutations(known), ..Evidence::whole() };
        let (proved, lacking) = evidence.judged(|_| {});
        assert_eq!(proved, [(1, 2)], "with {known:?}");
        assert_eq!(lacking, vec![Reason::RefutationLost; 2]);
    }
}

#[test]
fn what_was_not_exhausted_is_no_proof() {
    for (followed, left) in [(&[1, 2][..], &[(1, 2)][..]), (&[0, 1], &[(0, 1)]), (&[2], &[])] {
        let exhausted = Scene::new().exhausted(followed);
        let (proved, lacking) = Evidence { exhausted, ..Evidence::whole() }.judged(|_| {});
        assert_eq!(proved, left, "with {followed:?} exhausted");
        assert!(lacking.iter().all(|reason| *reason == Reason::NotExhausted));
    }
}

#[test]
fn a_state_that_says_nothing_proves_nothing_of_those_in_it() {
    assert_eq!(Evidence::whole().judged(|ends| ends[2].is_settled = false).0, [(0, 1), (0, 2)]);
}
