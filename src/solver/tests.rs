//! Tests the whole chain against brute force and against the unsliced back end.

use std::time::{Duration, Instant};

use super::*;
use crate::expr::{Assignment, ExprId, Exprs, VariableKind};

fn config() -> SolverConfig {
    SolverConfig { check_models: true, ..SolverConfig::default() }
}

fn is_sat(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Sat(_) => true,
        Verdict::Unsat => false,
        Verdict::Unknown(why) => panic!("no verdict: {why}"),
    }
}

/// Compares a verdict with that of another solver, and checks its model on the query.
pub(super) fn assert_agree(exprs: &Exprs, query: Query<'_>, verdict: &Verdict, other: &Verdict) {
    match verdict {
        Verdict::Sat(model) => {
            assert!(!other.is_unsat());
            let mut all = query.constraints();
            assert!(all.all(|condition| exprs.evaluate(condition, model).is_one()));
        }
        Verdict::Unsat => assert!(other.model().is_none()),
        Verdict::Unknown(_) => {}
    }
}

#[test]
fn every_kind_of_query_gets_its_verdict() {
    let exprs = Exprs::new();
    let x = exprs.variable("x", 32, VariableKind::Input);
    let y = exprs.variable("y", 32, VariableKind::Input);
    let k = |value| exprs.constant(32, value);
    let mut solver = chain(&config());
    let product = exprs.eq(exprs.mul(x, y), k(391));
    let factors = [exprs.ult(k(1), x), exprs.ult(x, y), exprs.ult(y, k(1000))];
    let verdict =
        solver.check(&exprs, Query { path_condition: &factors, goals: &[product], model: None });
    let model = verdict.model().expect("17 * 23");
    assert_eq!(exprs.evaluate(x, model).to_u64(), Some(17));
    let odd = exprs.eq(exprs.extract(exprs.mul(x, exprs.add(x, k(1))), 0, 1), exprs.bool(true));
    assert!(
        solver.check(&exprs, Query { path_condition: &[], goals: &[odd], model: None }).is_unsat()
    );
    assert!(is_sat(&solver.check(&exprs, Query { path_condition: &[], goals: &[], model: None })));
    let no = exprs.bool(false);
    assert!(
        solver
            .check(&exprs, Query { path_condition: &factors, goals: &[no], model: None })
            .is_unsat()
    );
}

#[test]
fn a_contradiction_far_from_the_goal_is_found() {
    let exprs = Exprs::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| exprs.input(name, 8));
    let path = [exprs.ult(x, y), exprs.ult(y, z), exprs.ult(z, x)];
    let other = exprs.eq(exprs.input("other", 8), exprs.constant(8, 3));
    assert!(
        chain(&config())
            .check(&exprs, Query { path_condition: &path, goals: &[other], model: None })
            .is_unsat()
    );
    assert!(
        reproducible(&config())
            .check(&exprs, Query { path_condition: &path, goals: &[other], model: None })
            .is_unsat()
    );
}

/// Constraints for the factors of a product of two 64-bit primes.
fn hard(exprs: &Exprs) -> [ExprId; 3] {
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 64));
    let product = exprs.mul(exprs.zext(x, 128), exprs.zext(y, 128));
    let semiprime =
        crate::expr::Bv::from_u128(128, 15_837_184_877_706_723_481 * 17_429_142_207_974_170_187);
    let one = exprs.constant(64, 1);
    [exprs.eq(product, exprs.bv(&semiprime)), exprs.ult(one, x), exprs.ult(one, y)]
}

#[test]
fn an_interrupt_ends_the_running_query() {
    let exprs = Exprs::new();
    let config = SolverConfig { timeout: Duration::ZERO, ..config() };
    let query = Query { path_condition: &[], goals: &hard(&exprs), model: None };
    let verdict = std::thread::scope(|scope| {
        let running = scope.spawn(|| chain(&config).check(&exprs, query));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!running.is_finished());
        assert!(config.interrupt.set());
        running.join().expect("it ends")
    });
    assert!(matches!(verdict, Verdict::Unknown(Unknown::Interrupted)), "{verdict:?}");
    let goals = [exprs.ult(exprs.input("z", 8), exprs.constant(8, 9))];
    let easy = Query { path_condition: &[], goals: &goals, model: None };
    assert!(is_sat(&chain(&config.uninterrupted()).check(&exprs, easy)));
}

#[test]
fn a_hard_query_ends_in_time() {
    let exprs = Exprs::new();
    let goals = hard(&exprs);
    let limit = Duration::from_millis(200);
    let start = Instant::now();
    let verdict = chain(&SolverConfig { timeout: limit, ..config() })
        .check(&exprs, Query { path_condition: &[], goals: &goals, model: None });
    assert!(matches!(verdict, Verdict::Unknown(Unknown::Timeout(t)) if t == limit), "{verdict:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_model_depends_on_structure_alone() {
    let ask = |exprs: &Exprs| {
        let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
        let goals = [exprs.ult(exprs.mul(x, y), x), exprs.ult(x, exprs.add(y, x))];
        let verdict = reproducible(&config())
            .check(exprs, Query { path_condition: &[], goals: &goals, model: None });
        let model = verdict.model().expect("satisfiable").clone();
        [x, y].map(|e| exprs.evaluate(e, &model))
    };
    let exprs = Exprs::new();
    let other = Exprs::new();
    for (i, name) in ["b", "y", "a", "x"].into_iter().enumerate() {
        let e = other.input(name, 32);
        other.mul(e, other.add(e, other.constant(32, i as u64)));
    }
    assert_eq!(ask(&exprs), ask(&other));
    assert_eq!(ask(&exprs), ask(&exprs));
}

#[test]
fn queries_are_logged_with_their_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let exprs = Exprs::new();
    let x = exprs.input("x", 32);
    // 3 is not a square, which no layer above the log can see.
    let goal = exprs.eq(exprs.mul(x, x), exprs.constant(32, 3));
    let log = Some(directory.path().join("queries"));
    chain(&SolverConfig { log, ..config() })
        .check(&exprs, Query { path_condition: &[], goals: &[goal], model: None });
    let files: Vec<_> = std::fs::read_dir(directory.path().join("queries")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    assert!(text.starts_with("(set-info :status unsat)\n") && text.contains("(declare-const |x|"));
}

#[test]
fn deep_terms_are_translated() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 8));
    let mut e = x;
    for _ in 0..100_001 {
        e = exprs.xor(exprs.or(e, y), x);
    }
    let zero = exprs.constant(8, 0);
    let goals = [exprs.eq(e, exprs.constant(8, 5)), exprs.eq(y, zero)];
    assert!(!is_sat(
        &chain(&config()).check(&exprs, Query { path_condition: &[], goals: &goals, model: None })
    ));
}

/// Explores every path of an insertion sort of `count` symbolic values; returns the numbers of
/// paths and of queries.
fn explore_sort(exprs: &Exprs, solver: &mut dyn Solver, count: usize) -> (usize, u64) {
    struct Walk<'a> {
        exprs: &'a Exprs,
        solver: &'a mut dyn Solver,
        path: Vec<ExprId>,
        leaves: usize,
        queries: u64,
    }
    impl Walk<'_> {
        fn feasible(&mut self, condition: ExprId) -> bool {
            self.queries += 1;
            is_sat(&self.solver.check(
                self.exprs,
                Query { path_condition: &self.path, goals: &[condition], model: None },
            ))
        }

        /// Inserts a value: `sorted` holds the values inserted so far; the last of them sinks down
        /// from `at`.
        fn sink(&mut self, values: &[ExprId], mut sorted: Vec<ExprId>, at: usize) {
            if at == 0 {
                if sorted.len() == values.len() {
                    self.leaves += 1;
                } else {
                    let next = sorted.len();
                    sorted.push(values[next]);
                    self.sink(values, sorted, next);
                }
                return;
            }
            let less = self.exprs.slt(sorted[at], sorted[at - 1]);
            for condition in [less, self.exprs.not(less)] {
                if !self.feasible(condition) {
                    continue;
                }
                self.path.push(condition);
                if condition == less {
                    let mut swapped = sorted.clone();
                    swapped.swap(at, at - 1);
                    self.sink(values, swapped, at - 1);
                } else {
                    self.sink(values, sorted.clone(), 0);
                }
                self.path.pop();
            }
        }
    }
    let values: Vec<_> = (0..count).map(|i| exprs.input(&format!("v{i}"), 32)).collect();
    let mut walk = Walk { exprs, solver, path: Vec::new(), leaves: 0, queries: 0 };
    walk.sink(&values, vec![values[0]], 0);
    (walk.leaves, walk.queries)
}

#[test]
fn a_sort_of_four_values_has_all_permutations() {
    let exprs = Exprs::new();
    assert_eq!(explore_sort(&exprs, &mut chain(&config()), 4).0, 24);
    let mut plain = bitwuzla::Incremental::new(Duration::ZERO);
    assert_eq!(explore_sort(&exprs, &mut plain, 4).0, 24);
}

/// Whether some values of the 2-bit variables satisfy all constraints; tries all values.
fn brute_force(exprs: &Exprs, variables: &[ExprId], query: Query<'_>) -> bool {
    (0..1u64 << (2 * variables.len())).any(|bits| {
        let values = variables.iter().enumerate().map(|(i, e)| {
            let v = exprs.as_variable(*e).expect("a variable");
            (v, crate::expr::Bv::new(2, bits >> (2 * i)))
        });
        let assignment = Assignment(values.collect());
        query.constraints().all(|constraint| !exprs.evaluate(constraint, &assignment).is_zero())
    })
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(60))]

    /// One chain answers many related queries, with satisfiable and unsatisfiable paths, so that
    /// slices, caches and the assertion stack are all used.
    #[test]
    fn the_chain_agrees_with_brute_force(
        tape in proptest::collection::vec((0usize..4, 0usize..4, 0u64..48, 0usize..5), 1..40),
    ) {
        let exprs = Exprs::new();
        let variables: Vec<_> = (0..4).map(|i| exprs.input(&format!("x{i}"), 2)).collect();
        let mut solver = chain(&config());
        // The queries are so small that the layers above would answer them all.
        let mut plain = Layer::new(
            cache::Cache::default(), bitwuzla::Incremental::new(Duration::ZERO));
        let mut path: Vec<ExprId> = Vec::new();
        for (a, b, what, keep) in tape {
            let (a, b, k) = (variables[a], variables[b], exprs.constant(2, what / 12));
            let goal = match what % 12 {
                0 => exprs.eq(a, k),
                1 => exprs.ult(a, b),
                2 => exprs.slt(a, k),
                3 => exprs.eq(exprs.add(a, b), k),
                4 => exprs.eq(exprs.mul(a, b), k),
                5 => exprs.ne(a, b),
                6 => exprs.or(exprs.eq(a, b), exprs.ult(k, a)),
                7 => exprs.and(exprs.ne(a, k), exprs.ne(b, k)),
                8 => exprs.eq(exprs.urem(a, b), k),
                9 => exprs.ule(exprs.xor(a, b), k),
                10 => exprs.ne(exprs.shl(a, b), k),
                _ => exprs.sle(exprs.sub(a, b), k),
            };
            for goal in [goal, exprs.not(goal)] {
                let query = Query { path_condition: &path, goals: &[goal], model: None };
                let expected = brute_force(&exprs, &variables, query);
                proptest::prop_assert_eq!(is_sat(&solver.check(&exprs, query)), expected);
                proptest::prop_assert_eq!(is_sat(&plain.check(&exprs, query)), expected);
            }
            // Goes mostly deeper and sometimes back, as a search does.
            match keep {
                0 => path.truncate(path.len() / 2),
                1 => path.push(exprs.not(goal)),
                _ => path.push(goal),
            }
        }
    }
}
