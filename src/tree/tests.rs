use proptest::prelude::*;

use super::*;

/// A tree's place in the order of criteria: height, weighted depth, tests, input.
type Rank = (u32, u64, usize, u64);

/// All (height, weighted depth, set of tests) of trees for `set`, by enumeration.
fn all_trees(table: &[Vec<u8>], weights: &[u64], set: &[usize]) -> BTreeSet<(u32, u64, u64)> {
    let leaf = BTreeSet::from([(0, 0, 0)]);
    let weight: u64 = set.iter().map(|revision| weights[*revision]).sum();
    let mut trees = BTreeSet::new();
    for (test, answers) in table.iter().enumerate() {
        let mut parts: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        for revision in set {
            parts.entry(answers[*revision]).or_default().push(*revision);
        }
        if parts.len() < 2 {
            continue;
        }
        let mut combined = leaf.clone();
        for part in parts.values() {
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

fn best_rank(table: &[Vec<u8>], weights: &[u64], sizes: &[u64]) -> Rank {
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

fn clusterings(table: &[Vec<u8>]) -> Vec<Clustering> {
    (0..)
        .zip(table)
        .map(|(test, answers)| {
            Clustering::new(TestId(test), (0..).map(Revision).zip(answers.iter().copied()))
        })
        .collect()
}

fn options(weights: &[u64], sizes: &[u64]) -> Options {
    Options {
        time: None,
        prior: (0..).map(Revision).zip(weights.iter().map(|weight| *weight as u32)).collect(),
        sizes: (0..).map(TestId).zip(sizes.iter().copied()).collect(),
    }
}

/// That the tree is one: every outcome as the clustering has it, every leaf a class.
fn check(tree: &Tree, set: &RevisionSet, clusterings: &[Clustering]) {
    assert_eq!(&tree.revisions(), set);
    let of = |test: TestId| clusterings.iter().find(|c| c.test == test).unwrap();
    match tree {
        Tree::Leaf(revisions) => {
            let first = revisions.first().unwrap();
            for clustering in clusterings {
                assert!(
                    revisions.iter().all(|r| clustering.cluster(r) == clustering.cluster(first))
                );
            }
        }
        Tree::Node { test, outcomes } => {
            assert!(outcomes.len() > 1);
            assert!(outcomes.is_sorted_by_key(|branch| branch.cluster));
            for Branch { cluster, revisions, child } in outcomes {
                let expected: RevisionSet =
                    set.iter().filter(|r| of(*test).cluster(*r) == Some(*cluster)).collect();
                assert_eq!(revisions, &expected);
                check(child, revisions, clusterings);
            }
        }
    }
}

fn revisions(count: usize) -> RevisionSet {
    (0..count as u32).map(Revision).collect()
}

/// A table of answers: rows are tests, columns revisions.
fn tables(most: usize, tests: usize) -> impl Strategy<Value = (Vec<Vec<u8>>, Vec<u64>, Vec<u64>)> {
    (1..=most, 0..=tests, 2u8..4).prop_flat_map(|(revisions, tests, answers)| {
        (
            prop::collection::vec(prop::collection::vec(0..answers, revisions), tests),
            prop::collection::vec(0u64..4, revisions),
            prop::collection::vec(0u64..4, tests),
        )
    })
}

/// Pseudo-random answers, the same at every run.
fn scattered(revisions: usize, tests: usize, answers: u64, mut seed: u64) -> Vec<Vec<u8>> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % answers
    };
    (0..tests).map(|_| (0..revisions).map(|_| next() as u8).collect()).collect()
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
    fn is_no_worse_than_greedy((table, weights, sizes) in tables(12, 8)) {
        let (clusterings, options) = (clusterings(&table), options(&weights, &sizes));
        let all = revisions(weights.len());
        let solution = minimal(&all, &clusterings, &options).unwrap();
        for impurity in [Impurity::Gini, Impurity::Entropy] {
            let baseline = greedy(&all, &clusterings, impurity).unwrap();
            check(&baseline, &all, &clusterings);
            prop_assert!(rank(&solution.tree, &options) <= rank(&baseline, &options));
            prop_assert_eq!(&greedy(&all, &clusterings, impurity).unwrap(), &baseline);
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
    let table = vec![vec![0, 1, 2], vec![0, 1, 1], vec![2, 1, 0]];
    let solution = minimal(&revisions(3), &clusterings(&table), &options(&[1; 3], &[9, 1, 4]));
    assert_eq!(solution.unwrap().tree.tests(), BTreeSet::from([TestId(2)]));
}

#[test]
fn a_coarse_test_with_a_small_input_is_not_pushed_out() {
    let clusterings = clusterings(&[vec![0, 0, 1, 2], vec![0, 0, 1, 1]]);
    let two = [Revision(0), Revision(2)].into_iter().collect();
    let solution = minimal(&two, &clusterings, &options(&[1; 4], &[9, 1])).unwrap();
    assert_eq!(solution.tree.tests(), BTreeSet::from([TestId(1)]));
}

#[test]
fn a_likely_revision_is_asked_for_first() {
    let table = vec![vec![0, 0, 0, 1], vec![0, 0, 1, 0], vec![0, 1, 0, 0]];
    let solution = minimal(&revisions(4), &clusterings(&table), &options(&[1, 1, 9, 1], &[0; 3]));
    assert!(matches!(solution.unwrap().tree, Tree::Node { test: TestId(1), .. }));
}

#[test]
fn no_test_or_no_revision_is_a_leaf() {
    let solution = minimal(&revisions(3), &[], &Options::default()).unwrap();
    assert_eq!(solution.tree, Tree::Leaf(revisions(3)));
    assert!(solution.optimal());
    let nobody = minimal(&RevisionSet::new(), &[], &Options::default()).unwrap();
    assert_eq!(nobody.tree, Tree::Leaf(RevisionSet::new()));
}

#[test]
fn a_gap_in_a_clustering_is_an_error_with_its_place() {
    let clustering = Clustering::new(TestId(7), [(Revision(0), 0), (Revision(2), 1)]);
    let error = minimal(&revisions(3), &[clustering], &Options::default()).unwrap_err();
    assert_eq!(error, TreeError::Incomplete { test: TestId(7), revision: Revision(1) });
}

#[test]
fn greedy_can_be_higher_than_necessary() {
    let found = (0..200).any(|seed| {
        let clusterings = clusterings(&scattered(9, 7, 2, seed));
        let all = revisions(9);
        let best = minimal(&all, &clusterings, &Options::default()).unwrap();
        best.height < greedy(&all, &clusterings, Impurity::Entropy).unwrap().height()
    });
    assert!(found, "the exact search has nothing over its baseline");
}
