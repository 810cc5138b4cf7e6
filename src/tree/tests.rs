use std::{collections::BTreeSet, time::Duration};

use proptest::prelude::*;

use super::{decision::weight, grow::MOST_LEAVES, *};
use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
};

/// The value of a tree by the criteria in their order: height, weighted depth, tests, input size.
type Rank = (u32, u64, usize, u64);

/// The answer of each test for each revision, unless it is silent.
type Table = Vec<Vec<Option<u8>>>;

fn whole(table: Vec<Vec<u8>>) -> Table {
    table.into_iter().map(|answers| answers.into_iter().map(Some).collect()).collect()
}

/// The (height, weighted depth, set of tests) of all trees for `set`, by enumeration.
fn all_trees(table: &Table, weights: &[u64], set: &[usize]) -> BTreeSet<(u32, u64, u64)> {
    let leaf = BTreeSet::from([(0, 0, 0)]);
    let mut trees = BTreeSet::new();
    for (test, answers) in table.iter().enumerate() {
        let outcomes: BTreeSet<u8> = set.iter().filter_map(|r| answers[*r]).collect();
        if outcomes.len() < 2 {
            continue;
        }
        let part = |outcome: u8| -> Vec<usize> {
            set.iter().copied().filter(|r| answers[*r].is_none_or(|o| o == outcome)).collect()
        };
        let parts: Vec<Vec<usize>> = outcomes.into_iter().map(part).collect();
        let weight: u64 = parts.iter().flatten().map(|revision| weights[*revision]).sum();
        let mut combined = leaf.clone();
        for part in &parts {
            let below = all_trees(table, weights, part);
            combined = combined
                .iter()
                .flat_map(|(h, d, t)| {
                    below.iter().map(move |(h2, d2, t2)| (*h.max(h2), d + d2, t | t2))
                })
                .collect();
        }
        trees.extend(combined.into_iter().map(|(h, d, t)| (h + 1, d + weight, t | 1 << test)));
    }
    if trees.is_empty() { leaf } else { trees }
}

fn best_rank(table: &Table, weights: &[u64], sizes: &[u64]) -> Rank {
    let all: Vec<usize> = (0..weights.len()).collect();
    all_trees(table, weights, &all)
        .into_iter()
        .map(|(height, depth, tests)| {
            let used = (0..sizes.len()).filter(|test| tests & 1 << test != 0);
            (height, depth, used.clone().count(), used.map(|test| sizes[test]).sum())
        })
        .min()
        .unwrap()
}

fn rank(tree: &Tree, options: &Options) -> Rank {
    let depth = tree.weighted_depth(&|set: &RevisionSet| weight(set, &options.prior));
    let tests = tree.tests();
    (tree.height(), depth, tests.len(), tests.iter().map(|test| options.sizes[test]).sum())
}

fn clusterings(table: &Table) -> Vec<Clustering> {
    (0..)
        .zip(table)
        .map(|(test, answers)| {
            let known = (0..).map(Revision).zip(answers).filter_map(|(r, a)| Some((r, (*a)?)));
            Clustering::new(TestId(test), known)
        })
        .collect()
}

fn options(weights: &[u64], sizes: &[u64]) -> Options {
    Options {
        objective: Objective::Height,
        time: None,
        prior: (0..).map(Revision).zip(weights.iter().map(|weight| *weight as u32)).collect(),
        sizes: (0..).map(TestId).zip(sizes.iter().copied()).collect(),
    }
}

/// Checks that the tree is valid: every outcome has the revisions of its cluster and those on which
/// the clustering is silent, and no two revisions at a leaf are told apart.
fn check(tree: &Tree, set: &RevisionSet, clusterings: &[Clustering]) {
    assert_eq!(&tree.revisions(), set);
    let of = |test: TestId| clusterings.iter().find(|c| c.test == test).unwrap();
    match tree {
        Tree::Leaf(revisions) => {
            for clustering in clusterings {
                let clusters: BTreeSet<Revision> =
                    revisions.iter().filter_map(|r| clustering.cluster(r)).collect();
                assert!(clusters.len() < 2);
            }
        }
        Tree::Node { test, outcomes } => {
            assert!(outcomes.len() > 1);
            assert!(outcomes.is_sorted_by_key(|branch| branch.cluster));
            let known = set.iter().filter_map(|r| of(*test).cluster(r)).collect::<BTreeSet<_>>();
            assert!(outcomes.iter().map(|branch| branch.cluster).eq(known));
            for Branch { cluster, revisions, child } in outcomes {
                let follows = |r: &Revision| of(*test).cluster(*r).is_none_or(|c| c == *cluster);
                let expected: RevisionSet = set.iter().filter(follows).collect();
                assert_eq!(revisions, &expected);
                check(child, revisions, clusterings);
            }
        }
    }
}

fn cart(revisions: &RevisionSet, clusterings: &[Clustering], impurity: Impurity) -> Tree {
    greedy(revisions, clusterings, impurity, None).unwrap().expect("it has all the time")
}

fn revisions(count: usize) -> RevisionSet {
    (0..count as u32).map(Revision).collect()
}

/// A table of answers: rows are tests, columns revisions.
fn tables(most: usize, tests: usize) -> impl Strategy<Value = (Table, Vec<u64>, Vec<u64>)> {
    silent_tables(most, tests, Just(0.0).boxed())
}

/// A table of answers, each missing with probability `silent`: rows are tests, columns revisions.
fn silent_tables(
    most: usize,
    tests: usize,
    silent: BoxedStrategy<f64>,
) -> impl Strategy<Value = (Table, Vec<u64>, Vec<u64>)> {
    (1..=most, 0..=tests, 2u8..4, silent).prop_flat_map(|(revisions, tests, answers, silent)| {
        let says = prop::bool::weighted(1.0 - silent);
        let answer = (says, 0..answers).prop_map(|(says, answer)| says.then_some(answer));
        (
            prop::collection::vec(prop::collection::vec(answer, revisions), tests),
            prop::collection::vec(0u64..4, revisions),
            prop::collection::vec(0u64..4, tests),
        )
    })
}

fn partly_silent(most: usize, tests: usize) -> impl Strategy<Value = (Table, Vec<u64>, Vec<u64>)> {
    silent_tables(most, tests, prop_oneof![Just(0.1), Just(0.3), Just(0.6)].boxed())
}

/// Pseudo-random answers, the same in every run.
fn scattered(revisions: usize, tests: usize, answers: u64, mut seed: u64) -> Table {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % answers
    };
    (0..tests).map(|_| (0..revisions).map(|_| Some(next() as u8)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn is_the_best_of_all_trees((table, weights, sizes) in tables(6, 5)) {
        let (clusterings, options) = (clusterings(&table), options(&weights, &sizes));
        let all = revisions(weights.len());
        let solution = minimal(&all, &clusterings, &options).unwrap();
        check(&solution.tree, &all, &clusterings);
        prop_assert_eq!(rank(&solution.tree, &options), best_rank(&table, &weights, &sizes));
        prop_assert_eq!(solution.proven, Proven::Everything);
        prop_assert!(solution.optimal());
        prop_assert_eq!(solution.classes.len(), solution.tree.leaves().len());
    }

    #[test]
    fn with_silent_tests_too_it_is_the_best_of_all_trees(
        (table, weights, sizes) in partly_silent(6, 5)
    ) {
        let (clusterings, options) = (clusterings(&table), options(&weights, &sizes));
        let all = revisions(weights.len());
        let solution = minimal(&all, &clusterings, &options).unwrap();
        check(&solution.tree, &all, &clusterings);
        prop_assert_eq!(rank(&solution.tree, &options), best_rank(&table, &weights, &sizes));
        prop_assert_eq!(solution.proven, Proven::Everything);
        prop_assert!(solution.optimal() && solution.together.is_empty());
        for class in &solution.classes {
            let apart_from = |a: Revision| -> RevisionSet {
                let tells = |b: &Revision| clusterings.iter().any(|c| c.tells_apart(a, *b));
                all.iter().filter(tells).collect()
            };
            let others = apart_from(class.first().unwrap());
            for revision in all.iter() {
                let same = apart_from(revision) == others;
                prop_assert_eq!(class.contains(revision), same);
            }
        }
    }

    #[test]
    fn whatever_the_height_the_depth_is_the_least_of_all_trees(
        (table, weights, sizes) in partly_silent(6, 5)
    ) {
        let clusterings = clusterings(&table);
        let options = Options { objective: Objective::Depth, ..options(&weights, &sizes) };
        let all = revisions(weights.len());
        let solution = minimal(&all, &clusterings, &options).unwrap();
        check(&solution.tree, &all, &clusterings);
        let indices: Vec<usize> = (0..weights.len()).collect();
        let trees = all_trees(&table, &weights, &indices);
        let best = trees.into_iter().map(|(_, depth, tests)| (depth, tests.count_ones() as usize));
        let (_, depth, tests, _) = rank(&solution.tree, &options);
        prop_assert_eq!(Some((depth, tests)), best.min());
        prop_assert_eq!(solution.proven, Proven::Everything);
    }

    #[test]
    fn a_cover_has_the_fewest_tests_that_tell_all_apart(
        (table, weights, _) in partly_silent(7, 6)
    ) {
        let (clusterings, all) = (clusterings(&table), revisions(weights.len()));
        let told = |used: &dyn Fn(TestId) -> bool| -> BTreeSet<(Revision, Revision)> {
            let used = clusterings.iter().filter(|clustering| used(clustering.test));
            let pairs = |c: &Clustering| -> Vec<(Revision, Revision)> {
                let all = all.iter().flat_map(|b| all.iter().map(move |a| (a, b)));
                all.filter(|(a, b)| a < b && c.tells_apart(*a, *b)).collect()
            };
            used.flat_map(pairs).collect()
        };
        let whole = told(&|_| true);
        let suffices = |set: &u32| told(&|test: TestId| set & 1 << test.0 != 0) == whole;
        let fewest = (0..1u32 << table.len()).filter(suffices).map(u32::count_ones).min();
        let found = cover(&all, &clusterings, &Options::default()).unwrap();
        prop_assert_eq!(Some(found.tests.len() as u32), fewest);
        prop_assert!(found.optimal());
        prop_assert_eq!(told(&|test| found.tests.contains(&test)), whole);
        check(&found.tree, &all, &clusterings);
        prop_assert!(found.tree.tests().iter().all(|test| found.tests.contains(test)));
        let hasty = Options { time: Some(Duration::ZERO), ..Options::default() };
        let hasty = cover(&all, &clusterings, &hasty).unwrap();
        check(&hasty.tree, &all, &clusterings);
        prop_assert!(hasty.lower_bound <= found.tests.len());
        prop_assert!(found.tests.len() <= hasty.tests.len());
    }

    #[test]
    fn with_silent_tests_too_there_is_a_tree_without_time(
        (table, weights, sizes) in partly_silent(9, 7)
    ) {
        let clusterings = clusterings(&table);
        let all = revisions(weights.len());
        let options = options(&weights, &sizes);
        let hasty = Options { time: Some(Duration::ZERO), ..options.clone() };
        let hasty = minimal(&all, &clusterings, &hasty).unwrap();
        check(&hasty.tree, &all, &clusterings);
        let best = minimal(&all, &clusterings, &options).unwrap();
        prop_assert!(hasty.lower_bound <= best.height && best.height <= hasty.height);
        let baseline = cart(&all, &clusterings, Impurity::Gini);
        check(&baseline, &all, &clusterings);
        prop_assert!(rank(&best.tree, &options) <= rank(&baseline, &options));
    }

    #[test]
    fn is_no_worse_than_greedy((table, weights, sizes) in tables(12, 8)) {
        let (clusterings, options) = (clusterings(&table), options(&weights, &sizes));
        let all = revisions(weights.len());
        let solution = minimal(&all, &clusterings, &options).unwrap();
        for impurity in [Impurity::Gini, Impurity::Entropy] {
            let baseline = cart(&all, &clusterings, impurity);
            check(&baseline, &all, &clusterings);
            prop_assert!(rank(&solution.tree, &options) <= rank(&baseline, &options));
            prop_assert_eq!(&cart(&all, &clusterings, impurity), &baseline);
        }
    }

    #[test]
    fn without_time_there_is_a_tree_and_a_bound((table, weights, sizes) in tables(12, 8)) {
        let clusterings = clusterings(&table);
        let all = revisions(weights.len());
        let options = options(&weights, &sizes);
        let hasty = Options { time: Some(Duration::ZERO), ..options.clone() };
        let hasty = minimal(&all, &clusterings, &hasty).unwrap();
        check(&hasty.tree, &all, &clusterings);
        let best = minimal(&all, &clusterings, &options).unwrap();
        prop_assert!(hasty.lower_bound <= best.height && best.height <= hasty.height);
        prop_assert!(hasty.proven < Proven::Height || hasty.height == best.height);
    }

    #[test]
    fn the_number_of_workers_does_not_matter(seed in any::<u64>()) {
        let table = scattered(14, 12, 3, seed);
        let (clusterings, all) = (clusterings(&table), revisions(14));
        let with = |workers| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            pool.install(|| minimal(&all, &clusterings, &Options::default()).unwrap().tree)
        };
        prop_assert_eq!(with(1), with(4));
    }
}

#[test]
fn a_smaller_input_decides_between_equal_trees() {
    let table = whole(vec![vec![0, 1, 2], vec![0, 1, 1], vec![2, 1, 0]]);
    let solution = minimal(&revisions(3), &clusterings(&table), &options(&[1; 3], &[9, 1, 4]));
    assert_eq!(solution.unwrap().tree.tests(), BTreeSet::from([TestId(2)]));
}

#[test]
fn a_coarse_test_with_a_small_input_is_not_pushed_out() {
    let clusterings = clusterings(&whole(vec![vec![0, 0, 1, 2], vec![0, 0, 1, 1]]));
    let two = [Revision(0), Revision(2)].into_iter().collect();
    let solution = minimal(&two, &clusterings, &options(&[1; 4], &[9, 1])).unwrap();
    assert_eq!(solution.tree.tests(), BTreeSet::from([TestId(1)]));
}

#[test]
fn a_likely_revision_is_asked_for_first() {
    let table = whole(vec![vec![0, 0, 0, 1], vec![0, 0, 1, 0], vec![0, 1, 0, 0]]);
    let solution = minimal(&revisions(4), &clusterings(&table), &options(&[1, 1, 9, 1], &[0; 3]));
    assert!(matches!(solution.unwrap().tree, Tree::Node { test: TestId(1), .. }));
}

/// A likely revision is asked for first even if others then have more questions.
#[test]
fn the_depth_can_be_worth_a_greater_height() {
    let table = whole(vec![vec![0, 1, 1, 1], vec![0, 0, 1, 1], vec![0, 1, 0, 1], vec![0, 1, 1, 0]]);
    let options = options(&[100, 1, 1, 1], &[0; 4]);
    let low = minimal(&revisions(4), &clusterings(&table), &options).unwrap();
    let options = Options { objective: Objective::Depth, ..options };
    let shallow = minimal(&revisions(4), &clusterings(&table), &options).unwrap();
    assert_eq!((low.height, shallow.height), (2, 3));
    assert!(shallow.expected_depth < low.expected_depth);
}

#[test]
fn no_test_or_no_revision_is_a_leaf() {
    let solution = minimal(&revisions(3), &[], &Options::default()).unwrap();
    assert_eq!(solution.tree, Tree::Leaf(revisions(3)));
    assert!(solution.optimal());
    let nobody = minimal(&RevisionSet::new(), &[], &Options::default()).unwrap();
    assert_eq!(nobody.tree, Tree::Leaf(RevisionSet::new()));
}

/// The shape of students' programs with one that leaves no evidence: each test that tells others
/// apart is silent on some revision, and was therefore not asked of anybody.
#[test]
fn a_revision_without_evidence_takes_a_test_away_from_nobody() {
    let (a, b, silent) = (Some(0), Some(1), None);
    let table = vec![
        vec![a, a, b, b, silent],
        vec![a, b, a, b, silent],
        vec![a, a, silent, a, b],
        vec![silent, a, a, a, b],
    ];
    let clusterings = clusterings(&table);
    let solution = minimal(&revisions(5), &clusterings, &Options::default()).unwrap();
    check(&solution.tree, &revisions(5), &clusterings);
    for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (Revision(a), Revision(b)))) {
        let told_apart = clusterings.iter().any(|c| c.tells_apart(a, b));
        assert!(told_apart, "{a} {b}");
        assert!(!solution.tree.leaves().iter().any(|leaf| leaf.contains(a) && leaf.contains(b)));
    }
    assert_eq!((solution.classes.len(), solution.height), (5, 3));
    assert!(solution.optimal());
    assert_eq!(solution.tree.repeated(), [Revision(4)].into_iter().collect());
}

#[test]
fn who_is_told_apart_from_nobody_stands_everywhere() {
    let table = vec![vec![Some(0), Some(1), None], vec![Some(0), Some(0), Some(0)]];
    let solution = minimal(&revisions(3), &clusterings(&table), &Options::default()).unwrap();
    let leaf = |own: u32| [Revision(own), Revision(2)].into_iter().collect::<RevisionSet>();
    assert_eq!(solution.tree.leaves(), [&leaf(0), &leaf(1)]);
    assert_eq!((solution.classes.len(), solution.height), (3, 1));
    assert!((solution.expected_depth - 1.0).abs() < 1e-9, "the mean over the leaves");
}

/// Tests that are silent on four revisions of five: a whole tree is too large.
#[test]
fn a_tree_that_is_cut_off_asks_what_there_is_room_for() {
    let (answers, silent) = (scattered(40, 40, 3, 1), scattered(40, 40, 5, 2));
    let says = |(answer, silent): (&Option<u8>, &Option<u8>)| answer.filter(|_| *silent == Some(0));
    let rows = answers.iter().zip(&silent);
    let table: Table = rows.map(|(a, s)| a.iter().zip(s).map(says).collect()).collect();
    let (clusterings, all) = (clusterings(&table), revisions(40));
    let cart = cart(&all, &clusterings, Impurity::Gini);
    for (objective, time) in [(Objective::Height, 0), (Objective::Height, 1), (Objective::Depth, 1)]
    {
        let time = Some(Duration::from_secs(time));
        let options = Options { objective, time, ..Options::default() };
        let solution = minimal(&all, &clusterings, &options).unwrap();
        assert!(solution.tree.is_over(&clusterings) && solution.tree.revisions() == all);
        assert!(solution.tree.leaves().len() > MOST_LEAVES);
        assert!(!solution.optimal() && solution.proven == Proven::Nothing);
        assert_eq!(solution.together, solution.tree.together(&clusterings));
        assert!(solution.together.len() <= cart.together(&clusterings).len());
    }
    assert!(greedy(&all, &clusterings, Impurity::Gini, Some(Duration::ZERO)).unwrap().is_none());
}

/// Each of two tests tells a pair apart, one of them within an outcome of the other.
#[test]
fn the_expected_depth_is_the_mean_over_the_leaves() {
    let table = vec![vec![Some(0), Some(0), Some(1), None], vec![Some(0), Some(1), None, None]];
    let options = Options::default();
    let solution = minimal(&revisions(4), &clusterings(&table), &options).unwrap();
    let leaves = solution.tree.leaves();
    assert_eq!(leaves.iter().map(|leaf| leaf.len()).collect::<Vec<_>>(), [2, 2, 2]);
    assert!((solution.expected_depth - 10.0 / 6.0).abs() < 1e-9);
}

/// Each test tells one pair apart and is silent on all other revisions, so that a complete tree has
/// 2^30 leaves.
#[test]
fn a_tree_that_would_be_too_large_is_cut_off_and_says_for_whom() {
    let pairs = 30;
    let answer = |test, r| (r / 2 == test).then_some((r % 2) as u8);
    let table: Table =
        (0..pairs).map(|test| (0..2 * pairs).map(|r| answer(test, r)).collect()).collect();
    let options = Options { time: Some(Duration::from_secs(1)), ..Options::default() };
    let solution = minimal(&revisions(2 * pairs), &clusterings(&table), &options).unwrap();
    assert!(solution.tree.leaves().len() <= 2 * pairs + MOST_LEAVES + 1);
    assert!(!solution.optimal() && solution.proven == Proven::Nothing);
    assert!(!solution.together.is_empty() && solution.tree.leaves().len() > MOST_LEAVES);
    for (a, b) in &solution.together {
        assert_eq!(a.0 / 2, b.0 / 2);
        assert!(solution.tree.leaves().iter().any(|leaf| leaf.contains(*a) && leaf.contains(*b)));
    }
}

#[test]
fn greedy_can_be_higher_than_necessary() {
    let found = (0..200).any(|seed| {
        let clusterings = clusterings(&scattered(9, 7, 2, seed));
        let all = revisions(9);
        let best = minimal(&all, &clusterings, &Options::default()).unwrap();
        best.height < cart(&all, &clusterings, Impurity::Entropy).height()
    });
    assert!(found, "the exact search has nothing over its baseline");
}
