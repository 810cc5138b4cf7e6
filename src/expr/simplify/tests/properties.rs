//! Tests that simplified terms mean the same as the unsimplified ones.

use proptest::prelude::*;

use super::machine::{Builder, Pair, WIDTHS, assignments, tape, through_memory};
use crate::expr::{BinaryOp, Evaluator, ExprId, Exprs, evaluate::Memo, raw::Raw};

fn size(exprs: &Exprs, e: ExprId) -> usize {
    let mut seen = rustc_hash::FxHashSet::default();
    exprs.post_order(
        &[e],
        &mut seen,
        |seen, e| seen.contains(&e),
        |seen, e| {
            seen.insert(e);
        },
    );
    seen.len()
}

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(default), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn simplification_keeps_the_value(
        tape in tape(40),
        first in any::<prop::sample::Index>(),
        mixed in any::<bool>(),
        seeds in prop::collection::vec(any::<u64>(), 12),
    ) {
        let exprs = Exprs::new();
        let one = [WIDTHS[first.index(WIDTHS.len())]];
        let widths: &[u32] = if mixed { &WIDTHS } else { &one };
        let pair = Builder::run(&exprs, &tape, widths);
        prop_assert_eq!(exprs.width(pair.simple), exprs.width(pair.raw));
        for assignment in assignments(&exprs, pair.raw, &seeds) {
            let simple = Evaluator::new(&exprs, &assignment, &mut Memo::default()).value(pair.simple);
            let raw = Evaluator::new(&exprs, &assignment, &mut Memo::default()).value(pair.raw);
            prop_assert_eq!(
                simple, raw, "\n{}\n{}\n{:?}",
                exprs.display(pair.raw), exprs.display(pair.simple), assignment
            );
        }
    }

    #[test]
    fn what_is_split_in_bytes_joins_again(
        tape in tape(30), upwards in any::<bool>(), width in 1u32..5, odd in any::<bool>()
    ) {
        let exprs = Exprs::new();
        let bits = width * 16;
        let widths = [bits, 8, 1, bits / 2];
        let mut builder = Builder { exprs: &exprs, stack: Vec::new() };
        for (op, which, value) in &tape {
            builder.step(*op, *which, *value, &widths);
        }
        let whole = builder.pop(bits);
        let e = builder.fit(whole, bits, odd).simple;
        let once = through_memory(&exprs, e, upwards);
        // If masks and sign bits mix, another form may come back, but only once.
        let thrice = through_memory(&exprs, through_memory(&exprs, once, upwards), upwards);
        let (before, first, last) = (size(&exprs, e), size(&exprs, once), size(&exprs, thrice));
        prop_assert!(
            once == e || first <= 2 * before + 4 && last <= first + 1,
            "{before} {first} {last}\n{}\n{}\n{}",
            exprs.display(e), exprs.display(once), exprs.display(thrice)
        );
        for assignment in assignments(&exprs, e, &[1, 2, 3, 4]) {
            prop_assert_eq!(exprs.evaluate(once, &assignment), exprs.evaluate(e, &assignment));
        }
    }

    #[test]
    fn building_again_changes_nothing(tape in tape(40)) {
        let exprs = Exprs::new();
        let e = Builder::run(&exprs, &tape, &WIDTHS).simple;
        let other = Exprs::new();
        // Ids differ in the other arena, which got unrelated terms first.
        for (op, which, value) in tape.iter().rev() {
            let _ = Builder::run(&other, &[(*op, *which, *value)], &WIDTHS);
        }
        let f = Builder::run(&other, &tape, &WIDTHS).simple;
        prop_assert_eq!(exprs.structural_hash(e), other.structural_hash(f));
        prop_assert_eq!(exprs.smtlib(&[exprs.extract(e, 0, 1)]), other.smtlib(&[other.extract(f, 0, 1)]));
    }
}

/// Lets Bitwuzla prove that no assignment distinguishes the simplified from the unsimplified term.
fn prove_equal(exprs: &Exprs, pair: Pair) {
    use crate::solver::{Query, Solver, Unknown, Verdict, bitwuzla::Incremental};
    let raw = Raw(exprs);
    let differ = raw.not(raw.binary(BinaryOp::Eq, pair.raw, pair.simple));
    let mut solver = Incremental::new(std::time::Duration::from_secs(2));
    match solver.check(exprs, Query { path_condition: &[], goals: &[differ], model: None }) {
        Verdict::Unsat | Verdict::Unknown(Unknown::Timeout(_)) => {}
        other => panic!(
            "{other:?} tells apart\n{}\n{}",
            exprs.display(pair.raw),
            exprs.display(pair.simple)
        ),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bitwuzla_proves_every_rewrite(
        tape in tape(16), first in any::<prop::sample::Index>(), mixed in any::<bool>(),
    ) {
        const NARROW: [u32; 6] = [1, 2, 4, 8, 12, 16];
        let exprs = Exprs::new();
        let one = [NARROW[first.index(NARROW.len())]];
        prove_equal(&exprs, Builder::run(&exprs, &tape, if mixed { &NARROW } else { &one }));
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// Unsimplified terms are checked, on variables whose values the path fixes. The solver takes
    /// some terms as numbers and others as bits, which varies from term to term.
    #[test]
    fn bitwuzla_gives_every_term_its_value(tape in tape(24), seed in any::<u64>()) {
        use crate::solver::{Query, Solver, Unknown, Verdict, bitwuzla::Incremental};
        let exprs = Exprs::new();
        let raw = Raw(&exprs);
        let e = Builder::run(&exprs, &tape, &[16, 32, 16, 8, 1]).raw;
        let assignment = &assignments(&exprs, e, &[seed])[0];
        let path: Vec<_> = assignment
            .0
            .iter()
            .map(|(v, value)| exprs.eq(exprs.variable_expr(*v), exprs.bv(value)))
            .collect();
        let value = exprs.bv(&exprs.evaluate(e, assignment));
        let same = raw.binary(BinaryOp::Eq, e, value);
        let mut solver = Incremental::new(std::time::Duration::from_secs(5));
        for (goal, expected) in [(same, true), (raw.not(same), false)] {
            match solver.check(&exprs, Query { path_condition: &path, goals: &[goal], model: None }) {
                Verdict::Unknown(Unknown::Timeout(_)) => {}
                verdict => prop_assert_eq!(
                    verdict.model().is_some(), expected, "{} {:?}", exprs.display(e), assignment
                ),
            }
        }
    }
}
