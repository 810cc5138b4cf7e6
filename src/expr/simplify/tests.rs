//! Tests every rule against the meaning of the term as it was written.

use proptest::prelude::*;

use super::super::{
    Assignment, BinaryOp, Bv, Evaluator, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary,
    Node, Rounding,
    evaluate::Memo,
    float::{self, Format},
    raw::Raw,
};

/// A term, both as the constructors simplify it and as it was written.
#[derive(Clone, Copy, Debug)]
struct Pair {
    simple: ExprId,
    raw: ExprId,
}

/// Makes terms from a tape of choices: a stack machine on which every instruction is valid,
/// because it brings its operands to fitting widths.
struct Builder<'a> {
    exprs: &'a Exprs,
    stack: Vec<Pair>,
}

const WIDTHS: [u32; 9] = [1, 3, 8, 8, 16, 24, 32, 64, 72];

impl Builder<'_> {
    fn run(exprs: &Exprs, tape: &[(u8, u8, u64)], widths: &[u32]) -> Pair {
        let mut builder = Builder { exprs, stack: Vec::new() };
        for (op, which, value) in tape {
            builder.step(*op, *which, *value, widths);
        }
        builder.pop(widths[0])
    }

    fn leaf(&mut self, which: u8, value: u64, widths: &[u32]) -> Pair {
        let width = widths[which as usize % widths.len()];
        let e = match value % 5 {
            0 => self.exprs.constant(width, value / 5),
            1 => self.exprs.constant(width, value / 5 % 4),
            2 => self
                .exprs
                .bv(&Bv::ones(width).extract(0, width.min(1 + which as u32 % 9)).zext(width)),
            _ => self.exprs.input(&format!("v{width}_{}", value % 3), width),
        };
        Pair { simple: e, raw: e }
    }

    fn pop(&mut self, default_width: u32) -> Pair {
        self.stack.pop().unwrap_or_else(|| {
            let e = self.exprs.input(&format!("v{default_width}_0"), default_width);
            Pair { simple: e, raw: e }
        })
    }

    /// Brings `pair` to `width` by an extract or an extension.
    fn fit(&self, pair: Pair, width: u32, signed: bool) -> Pair {
        let raw = Raw(self.exprs);
        let from = self.exprs.width(pair.raw);
        if from == width {
            pair
        } else if from > width {
            let low = if signed { from - width } else { 0 };
            Pair {
                simple: self.exprs.extract(pair.simple, low, width),
                raw: raw.extract(pair.raw, low, width),
            }
        } else if signed {
            Pair { simple: self.exprs.sext(pair.simple, width), raw: raw.sext(pair.raw, width) }
        } else {
            Pair { simple: self.exprs.zext(pair.simple, width), raw: raw.zext(pair.raw, width) }
        }
    }

    fn step(&mut self, op: u8, which: u8, value: u64, widths: &[u32]) {
        let (exprs, raw) = (self.exprs, Raw(self.exprs));
        let signed = value & 1 == 1;
        let new = match op % 36 {
            0..=7 => self.leaf(which, value, widths),
            8..=20 => {
                let b = self.pop(widths[0]);
                let a = self.pop(exprs.width(b.raw));
                let a = self.fit(a, exprs.width(b.raw), signed);
                let op = BinaryOp::ALL[value as usize / 2 % BinaryOp::ALL.len()];
                let (a, b) = if which & 1 == 1 { (b, a) } else { (a, b) };
                Pair {
                    simple: exprs.binary(op, a.simple, b.simple),
                    raw: raw.binary(op, a.raw, b.raw),
                }
            }
            21 => {
                let a = self.pop(widths[0]);
                Pair { simple: exprs.not(a.simple), raw: raw.not(a.raw) }
            }
            22 => {
                let a = self.pop(widths[0]);
                Pair { simple: exprs.neg(a.simple), raw: raw.neg(a.raw) }
            }
            23 | 24 => {
                let a = self.pop(widths[0]);
                let width = exprs.width(a.raw);
                let low = value as u32 % width;
                let taken = 1 + u32::from(which) % (width - low);
                let part = Pair {
                    simple: exprs.extract(a.simple, low, taken),
                    raw: if taken == width { a.raw } else { raw.extract(a.raw, low, taken) },
                };
                // Keep the whole, too, so that slices of one term meet again.
                self.stack.push(a);
                part
            }
            25 | 26 => {
                let (low, high) = (self.pop(widths[0]), self.pop(widths[0]));
                if exprs.width(low.raw) + exprs.width(high.raw) > 100 {
                    low
                } else {
                    Pair {
                        simple: exprs.concat(high.simple, low.simple),
                        raw: raw.concat(high.raw, low.raw),
                    }
                }
            }
            27 => {
                let a = self.pop(widths[0]);
                self.fit(a, widths[which as usize % widths.len()], signed)
            }
            28 | 29 => {
                let (b, a) = (self.pop(widths[0]), self.pop(widths[0]));
                let c = self.pop(1);
                let c = self.fit(c, 1, which & 2 == 2);
                let a = self.fit(a, exprs.width(b.raw), signed);
                Pair {
                    simple: exprs.ite(c.simple, a.simple, b.simple),
                    raw: raw.ite(c.raw, a.raw, b.raw),
                }
            }
            30 => {
                let a = self.pop(widths[0]);
                self.stack.push(a);
                a
            }
            32..=35 => self.float(which, value, widths),
            _ => {
                let index = self.pop(3);
                let width = widths[which as usize % widths.len()];
                let elements: Vec<_> = (0..3 + value % 3)
                    .map(|i| exprs.constant(width, i.wrapping_mul(value)))
                    .collect();
                Pair {
                    simple: exprs.select(exprs.table(&elements), index.simple),
                    raw: raw.select(&elements, index.raw),
                }
            }
        };
        self.stack.push(new);
    }
}

impl Builder<'_> {
    /// An operation on floating-point numbers, if the top of the stack has the width of a format.
    fn float(&mut self, which: u8, value: u64, widths: &[u32]) -> Pair {
        let (exprs, raw) = (self.exprs, Raw(self.exprs));
        let b = self.pop(widths[0]);
        let width = exprs.width(b.raw);
        if Format::of(width).is_none() {
            return b;
        }
        let a = self.pop(width);
        let a = self.fit(a, width, false);
        let rounding = Rounding::ALL[value as usize % 5];
        let unary = |op, a: Pair, width| Pair {
            simple: exprs.float_unary(op, rounding, a.simple, width),
            raw: raw.float_unary(op, rounding, a.raw, width),
        };
        let signed = value & 1 == 1;
        match which % 13 {
            index @ 0..=3 => {
                let op = FloatBinary::ALL[usize::from(index)];
                Pair {
                    simple: exprs.float_binary(op, rounding, a.simple, b.simple),
                    raw: raw.float_binary(op, rounding, a.raw, b.raw),
                }
            }
            index @ 4..=6 => {
                let relation = FloatRelation::ALL[usize::from(index) - 4];
                let b = if value.is_multiple_of(3) { a } else { b };
                Pair {
                    simple: exprs.float_compare(relation, a.simple, b.simple),
                    raw: raw.float_compare(relation, a.raw, b.raw),
                }
            }
            7 => unary(FloatUnary::Sqrt, a, width),
            8 => unary(FloatUnary::RoundToIntegral, a, width),
            9 => {
                let to = Format::ALL[value as usize % 3].width();
                if to == width { a } else { unary(FloatUnary::Convert, a, to) }
            }
            10 => {
                let op = if signed { FloatUnary::FromSigned } else { FloatUnary::FromUnsigned };
                unary(op, a, Format::ALL[value as usize / 2 % 3].width())
            }
            11 => {
                let op = if signed { FloatUnary::ToSigned } else { FloatUnary::ToUnsigned };
                unary(op, a, [8, 16, 32, 64][value as usize / 2 % 4])
            }
            _ => Pair {
                simple: exprs.float_mul_add(rounding, [a.simple, b.simple, a.simple]),
                raw: raw.float_mul_add(rounding, [a.raw, b.raw, a.raw]),
            },
        }
    }
}

fn tape(length: usize) -> impl Strategy<Value = Vec<(u8, u8, u64)>> {
    prop::collection::vec((any::<u8>(), any::<u8>(), any::<u64>()), 1..length)
}

fn assignments(exprs: &Exprs, e: ExprId, seeds: &[u64]) -> Vec<Assignment> {
    let value = |width: u32, seed: u64, index: usize| {
        let random = super::super::arena::mix(seed, index as u64);
        match (random >> 60) % 5 {
            0 => Bv::zero(width),
            1 => Bv::ones(width),
            2 => Bv::new(width, random % 5),
            3 => Bv::ones(width).extract(0, 1 + random as u32 % width).zext(width),
            _ => Bv::from_u128(width, u128::from(random) << 40 | u128::from(random >> 13)),
        }
    };
    seeds
        .iter()
        .map(|seed| {
            let variables = exprs.variables(e);
            Assignment(
                variables
                    .iter()
                    .enumerate()
                    .map(|(index, v)| (*v, value(exprs.variable_width(*v), *seed, index)))
                    .collect(),
            )
        })
        .collect()
}

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

/// The bytes of a value, put together again from either end.
fn through_memory(exprs: &Exprs, e: ExprId, upwards: bool) -> ExprId {
    let bytes = (0..exprs.width(e) / 8).map(|i| exprs.extract(e, 8 * i, 8));
    let joined = if upwards {
        bytes.reduce(|low, high| exprs.concat(high, low))
    } else {
        bytes.rev().reduce(|high, low| exprs.concat(high, low))
    };
    joined.expect("at least one byte")
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
        // Where masks and sign bits mix, another form may come back, but only once.
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
        // Ids differ in the other arena, where unrelated terms came first.
        for (op, which, value) in tape.iter().rev() {
            let _ = Builder::run(&other, &[(*op, *which, *value)], &WIDTHS);
        }
        let f = Builder::run(&other, &tape, &WIDTHS).simple;
        prop_assert_eq!(exprs.structural_hash(e), other.structural_hash(f));
        prop_assert_eq!(exprs.smtlib(&[exprs.extract(e, 0, 1)]), other.smtlib(&[other.extract(f, 0, 1)]));
    }
}

#[test]
fn a_sum_of_chars_has_one_quotient_whatever_it_is_counted_in() {
    let exprs = Exprs::new();
    let bytes = ["a", "b", "c"].map(|name| exprs.input(name, 8));
    let of_width = |width: u32, op: BinaryOp| {
        let addends = bytes.map(|byte| exprs.sext(byte, width));
        let sum = addends.into_iter().reduce(|a, b| exprs.add(a, b)).expect("three");
        exprs.extract(exprs.binary(op, sum, exprs.constant(width, 10)), 0, 16)
    };
    for op in [BinaryOp::Sdiv, BinaryOp::Srem] {
        assert_eq!(of_width(32, op), of_width(64, op));
    }
}

#[test]
fn a_truth_value_survives_the_way_through_an_int() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
    let c = exprs.slt(x, y);
    let zero = exprs.constant(32, 0);
    let int = exprs.zext(c, 32);
    assert_eq!(exprs.ne(int, zero), c);
    assert_eq!(exprs.eq(int, zero), exprs.sle(y, x));
    // `!!c`, `bool b = c` (stored as a byte and masked), `c ? 1 : 0`, `c == 1`.
    let stored = exprs.zext(exprs.extract(int, 0, 8), 32);
    assert_eq!(exprs.extract(exprs.and(stored, exprs.constant(32, 1)), 0, 1), c);
    assert_eq!(exprs.ite(c, exprs.constant(32, 1), zero), int);
    assert_eq!(exprs.eq(int, exprs.constant(32, 1)), c);
    assert!(exprs.is_false(exprs.and(c, exprs.sle(y, x))));
    assert!(exprs.is_true(exprs.or(c, exprs.sle(y, x))));
}

#[test]
fn a_constant_in_front_joins_again_where_a_byte_begins_with_zeros() {
    let exprs = Exprs::new();
    let byte = exprs.variable("byte", 8, crate::expr::VariableKind::Input);
    let e = exprs.concat(exprs.constant(56, 0xbb_2040_ecd2_63db), byte);
    assert_eq!(through_memory(&exprs, e, true), e);
    assert_eq!(through_memory(&exprs, e, false), e);
}

#[test]
fn constants_of_offsets_meet() {
    let exprs = Exprs::new();
    let x = exprs.input("x", 32);
    let k = |value| exprs.constant(32, value);
    assert_eq!(exprs.add(exprs.add(x, k(3)), k(u64::from(u32::MAX - 2))), x);
    assert_eq!(exprs.eq(exprs.add(x, k(3)), k(10)), exprs.eq(x, k(7)));
    assert!(exprs.is_false(exprs.eq(exprs.add(x, k(3)), x)));
    assert_eq!(exprs.sub(exprs.add(x, k(5)), x), k(5));
    let thrice = exprs.mul(x, k(3));
    assert_eq!(exprs.add(exprs.add(x, x), x), thrice);
    assert_eq!(exprs.sub(exprs.shl(x, k(2)), x), thrice);
    assert_eq!(
        exprs.eq(exprs.sub(x, k(4)), exprs.add(x, k(u64::from(u32::MAX - 3)))),
        exprs.bool(true)
    );
}

#[test]
fn bytes_put_together_by_arithmetic_are_a_concatenation() {
    let exprs = Exprs::new();
    let bytes: Vec<_> = (0..4).map(|i| exprs.input(&format!("b{i}"), 8)).collect();
    let joined = bytes.iter().copied().reduce(|low, high| exprs.concat(high, low)).unwrap();
    for op in [BinaryOp::Or, BinaryOp::Add, BinaryOp::Xor] {
        let parts = bytes
            .iter()
            .enumerate()
            .map(|(i, byte)| exprs.shl(exprs.zext(*byte, 32), exprs.constant(32, 8 * i as u64)));
        let sum = parts.reduce(|sum, part| exprs.binary(op, sum, part)).unwrap();
        assert_eq!(sum, joined, "{}", exprs.display(sum));
    }
}

#[test]
fn comparisons_of_extended_characters_are_narrow() {
    let exprs = Exprs::new();
    let c = exprs.input("c", 8);
    let k = |value| exprs.constant(32, value);
    assert_eq!(exprs.eq(exprs.sext(c, 32), k(65)), exprs.eq(c, exprs.constant(8, 65)));
    assert!(exprs.is_false(exprs.eq(exprs.sext(c, 32), k(200))));
    assert!(exprs.is_true(exprs.slt(exprs.sext(c, 32), k(200))));
    assert_eq!(exprs.slt(exprs.zext(c, 32), k(65)), exprs.ult(c, exprs.constant(8, 65)));
    assert!(exprs.is_true(exprs.ule(exprs.zext(c, 32), k(255))));
    // `(unsigned)(c - '0') < 10`, as isdigit does.
    let digit = exprs.ult(exprs.sub(exprs.zext(c, 32), k(48)), k(10));
    assert!(matches!(exprs.node(digit), Node::Binary(BinaryOp::Ult, ..)));
    // `(char)(c + 1)`.
    let next = exprs.extract(exprs.add(exprs.sext(c, 32), k(1)), 0, 8);
    assert_eq!(next, exprs.add(c, exprs.constant(8, 1)));
}

#[test]
fn long_chains_of_rules_do_not_exhaust_the_stack() {
    let exprs = Exprs::new();
    let x = exprs.input("x", 32);
    let mut e = x;
    for i in 0..100_000 {
        e = exprs.xor(e, exprs.constant(32, 2 * i + 1));
        e = exprs.add(e, exprs.constant(32, i + 7));
    }
    let equal = exprs.eq(e, exprs.constant(32, 5));
    assert_eq!(exprs.width(equal), 1);
    let mut difference = x;
    for i in 0..20_000 {
        let y = exprs.input(&format!("y{}", i % 100), 32);
        difference = exprs.mul(exprs.sub(difference, y), x);
        difference = exprs.neg(exprs.sub(difference, y));
    }
    assert_eq!(exprs.width(exprs.neg(difference)), 32);
}

/// Lets Bitwuzla prove that no assignment at all tells the simplified term from that as written.
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

    /// Terms are checked as written, on variables that the path fixes. What is a number to the
    /// solver, and what is bits, changes from term to term.
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

#[test]
fn the_bytes_of_a_choice_come_together_again() {
    let exprs = Exprs::new();
    let [a, b] = ["a", "b"].map(|name| exprs.input(name, 32));
    let chosen = exprs.slt(a, b);
    let bytes = (0..4).rev().map(|byte| {
        let [x, y] = [a, b].map(|e| exprs.extract(e, 8 * byte, 8));
        exprs.ite(chosen, x, y)
    });
    let joined = bytes.reduce(|high, low| exprs.concat(high, low)).unwrap();
    assert_eq!(joined, exprs.ite(chosen, a, b), "{}", exprs.display(joined));
}

#[test]
fn an_addend_cancels_out_of_any_sum() {
    let exprs = Exprs::new();
    let addends = ["a", "b", "c", "d", "e"].map(|name| exprs.input(name, 32));
    for (index, addend) in addends.into_iter().enumerate() {
        let sum = addends.into_iter().reduce(|sum, e| exprs.add(sum, e)).unwrap();
        let rest = exprs.sub(sum, addend);
        let others = addends.into_iter().enumerate().filter(|(other, _)| *other != index);
        let left = others.fold(rest, |rest, (_, other)| exprs.sub(rest, other));
        assert_eq!(exprs.as_u64(left), Some(0), "{}", exprs.display(left));
    }
}

#[test]
fn what_a_condition_chooses_cancels_out_of_a_sum() {
    let exprs = Exprs::new();
    let condition = exprs.input("c", 1);
    let place = exprs.ite(condition, exprs.constant(64, 4097), exprs.constant(64, 4096));
    let length = exprs.zext(exprs.input("n", 8), 64);
    let end = exprs.add(place, length);
    assert_eq!(exprs.sub(end, place), length);
    assert_eq!(exprs.sub(exprs.add(exprs.sub(end, place), place), place), length);
}

#[test]
fn values_come_back_from_memory_as_they_were() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
    let c = exprs.input("c", 8);
    let k = |value| exprs.constant(32, value);
    let wide = exprs.sext(c, 32);
    let values = [
        x,
        wide,
        exprs.zext(c, 32),
        exprs.add(wide, k(1)),
        exprs.sub(wide, exprs.zext(exprs.input("d", 8), 32)),
        exprs.mul(wide, k(10)),
        exprs.neg(wide),
        exprs.not(wide),
        exprs.mul(exprs.add(x, y), x),
        exprs.zext(exprs.slt(x, y), 32),
        exprs.ite(exprs.slt(x, y), k(1000), k(77)),
        exprs.ite(exprs.slt(x, y), x, wide),
        exprs.and(x, k(0xff00)),
        exprs.and(x, k(0x1234_5678)),
        exprs.or(x, k(0x0100_0001)),
        exprs.xor(x, k(0xff)),
        exprs.shl(x, k(3)),
        exprs.lshr(x, k(11)),
        exprs.ashr(x, k(11)),
        exprs.shl(x, y),
        exprs.udiv(x, k(10)),
        exprs.srem(wide, k(10)),
        exprs.float_binary(FloatBinary::Add, Rounding::NearestEven, x, y),
        exprs.xor(exprs.float_unary(FloatUnary::FromSigned, Rounding::Up, x, 32), k(1 << 31)),
    ];
    for e in values {
        for joined in [true, false].map(|upwards| through_memory(&exprs, e, upwards)) {
            assert_eq!(joined, e, "{} is not {}", exprs.display(joined), exprs.display(e));
        }
    }
}

/// Tries all dividends, divisors and limits of five bits.
#[test]
fn quotients_by_constants_are_intervals() {
    const WIDTH: u32 = 5;
    let exprs = Exprs::new();
    let x = exprs.input("x", WIDTH);
    let variable = exprs.as_variable(x).unwrap();
    let raw = Raw(&exprs);
    let constants: Vec<ExprId> = (0..32).map(|value| exprs.constant(WIDTH, value)).collect();
    for divide in [BinaryOp::Udiv, BinaryOp::Sdiv] {
        for divisor in &constants {
            let (simple, written) =
                (exprs.binary(divide, x, *divisor), raw.binary(divide, x, *divisor));
            for other in &constants {
                for op in [divide, BinaryOp::Eq, BinaryOp::Ult, BinaryOp::Slt] {
                    let pairs = [
                        (exprs.binary(op, simple, *other), raw.binary(op, written, *other)),
                        (exprs.binary(op, *other, simple), raw.binary(op, *other, written)),
                    ];
                    for value in 0..32 {
                        let model = Assignment([(variable, Bv::new(WIDTH, value))].into());
                        for (simple, written) in pairs {
                            let both = [simple, written].map(|e| exprs.evaluate(e, &model));
                            assert_eq!(both[0], both[1], "{} at {value}", exprs.display(written));
                        }
                    }
                }
            }
        }
    }
    let quotient = exprs.sdiv(x, constants[3]);
    assert_eq!(exprs.slt(quotient, constants[2]), exprs.slt(x, constants[6]));
    assert_eq!(exprs.sdiv(quotient, constants[2]), exprs.sdiv(x, constants[6]));
}

/// Sends all integers of six bits through chains of operations that round.
#[test]
fn numbers_made_of_one_integer_are_compared_as_integers() {
    const WIDTH: u32 = 6;
    let exprs = Exprs::new();
    let x = exprs.input("x", WIDTH);
    let variable = exprs.as_variable(x).unwrap();
    let raw = Raw(&exprs);
    let check = |simple: ExprId, written: ExprId| {
        if simple == written {
            return;
        }
        for value in 0..1 << WIDTH {
            let model = Assignment([(variable, Bv::new(WIDTH, value))].into());
            let both = [simple, written].map(|e| exprs.evaluate(e, &model));
            assert_eq!(both[0], both[1], "{} at {value}", exprs.display(written));
        }
    };
    let constants = |format: Format| {
        let number = |value: f64| {
            let (wide, bits) = (64, u128::from(value.to_bits()));
            let op = FloatUnary::Convert;
            let bits = match format.width() {
                64 => bits,
                width => float::unary(op, Rounding::NearestEven, wide, width, bits),
            };
            exprs.bv(&Bv::from_u128(format.width(), bits))
        };
        let large = [f64::INFINITY, f64::NAN, 65504.0, 5e9, 1e300];
        let small = [0.0, -0.0, 0.1, 0.5, -0.5, 1.0, 2.5, 3.0, -3.0, 7.0, 10.0, -100.0, 127.0];
        small.into_iter().chain(large).map(number).collect::<Vec<ExprId>>()
    };
    let mut simpler = 0;
    let formats = [Format::Half, Format::Double, Format::Extended].into_iter().cycle();
    for (format, rounding) in formats.zip(Rounding::ALL) {
        let width = format.width();
        let constants = constants(format);
        for made in [FloatUnary::FromSigned, FloatUnary::FromUnsigned] {
            let number = Pair {
                simple: exprs.float_unary(made, rounding, x, width),
                raw: raw.float_unary(made, rounding, x, width),
            };
            let mut numbers = vec![number];
            for (op, constant) in
                FloatBinary::ALL.into_iter().flat_map(|op| constants.iter().map(move |c| (op, *c)))
            {
                numbers.push(Pair {
                    simple: exprs.float_binary(op, rounding, number.simple, constant),
                    raw: raw.float_binary(op, rounding, number.raw, constant),
                });
                numbers.push(Pair {
                    simple: exprs.float_binary(op, rounding, constant, number.simple),
                    raw: raw.float_binary(op, rounding, constant, number.raw),
                });
            }
            for Pair { simple, raw: written } in numbers {
                check(simple, written);
                let whole = FloatUnary::RoundToIntegral;
                for rounding in Rounding::ALL {
                    let simple = exprs.float_unary(whole, rounding, simple, width);
                    let written = raw.float_unary(whole, rounding, written, width);
                    check(simple, written);
                    for to in [8, 32] {
                        let op = FloatUnary::ToSigned;
                        let simple = exprs.float_unary(op, rounding, simple, to);
                        check(simple, raw.float_unary(op, Rounding::Zero, written, to));
                    }
                }
                let simple_cut = exprs.float_unary(FloatUnary::ToSigned, rounding, simple, 16);
                check(
                    simple_cut,
                    raw.float_unary(FloatUnary::ToSigned, Rounding::Zero, written, 16),
                );
                for constant in &constants {
                    check(
                        exprs.eq(simple, *constant),
                        raw.binary(BinaryOp::Eq, written, *constant),
                    );
                    for relation in FloatRelation::ALL {
                        let compared = exprs.float_compare(relation, simple, *constant);
                        check(compared, raw.float_compare(relation, written, *constant));
                        simpler += usize::from(!exprs.display(compared).to_string().contains('f'));
                        check(
                            exprs.float_compare(relation, *constant, simple),
                            raw.float_compare(relation, *constant, written),
                        );
                    }
                }
            }
        }
    }
    assert!(simpler > 1000, "{simpler}");
}

/// Tries all pairs of integers of four bits.
#[test]
fn sums_of_exact_numbers_are_numbers_of_sums() {
    const WIDTH: u32 = 4;
    let exprs = Exprs::new();
    let (x, y) = (exprs.input("x", WIDTH), exprs.input("y", WIDTH));
    let variables = [x, y].map(|e| exprs.as_variable(e).unwrap());
    let raw = Raw(&exprs);
    let from = [FloatUnary::FromSigned, FloatUnary::FromUnsigned];
    for (rounding, made) in Rounding::ALL.into_iter().flat_map(|r| from.map(|made| (r, made))) {
        let a = exprs.float_unary(FloatUnary::FromSigned, rounding, x, 32);
        let b = exprs.float_unary(made, rounding, y, 32);
        let mut pairs = vec![(exprs.eq(a, b), raw.binary(BinaryOp::Eq, a, b))];
        pairs.extend(FloatBinary::ALL.map(|op| {
            (exprs.float_binary(op, rounding, a, b), raw.float_binary(op, rounding, a, b))
        }));
        pairs.extend(FloatRelation::ALL.map(|relation| {
            (exprs.float_compare(relation, a, b), raw.float_compare(relation, a, b))
        }));
        for (simple, written) in pairs {
            for values in 0..1 << (2 * WIDTH) {
                let values = [values, values >> WIDTH].map(|value| Bv::new(WIDTH, value & 15));
                let model = Assignment(variables.into_iter().zip(values).collect());
                let both = [simple, written].map(|e| exprs.evaluate(e, &model));
                assert_eq!(both[0], both[1], "{}", exprs.display(written));
            }
        }
    }
}

/// The canonical form of an operation has the bits, NaNs included, that the operation gives.
#[test]
fn numbers_with_several_spellings_keep_their_bits() {
    let specials = |format: Format| -> Vec<u128> {
        let one = ((1u128 << (format.exponent_bits() - 1)) - 1) << format.fraction_bits();
        let step = 1u128 << format.fraction_bits();
        let positive = [
            0,
            1,
            format.fraction(),
            step,
            2 * step,
            one - step,
            one,
            one + 1,
            one + step,
            one + 3 * step,
            format.infinity() - step,
            format.infinity() - 1,
            format.infinity(),
            format.infinity() | format.quiet(),
            format.infinity() | 1,
            format.infinity() | format.quiet() | 5,
        ];
        positive.iter().flat_map(|bits| [*bits, bits | format.sign()]).collect()
    };
    let exprs = Exprs::new();
    for format in [Format::Single, Format::Double] {
        let width = format.width();
        let x = exprs.input(&format!("x{width}"), width);
        let variable = exprs.as_variable(x).unwrap();
        let check = |made: ExprId, bits: u128, expected: u128| {
            let assignment = Assignment([(variable, Bv::from_u128(width, bits))].into());
            let found = exprs.evaluate(made, &assignment).to_u128();
            assert_eq!(found, Some(expected), "{} of {bits:x}", exprs.display(made));
        };
        for op in FloatBinary::ALL {
            for rounding in Rounding::ALL {
                let square = exprs.float_binary(FloatBinary::Mul, rounding, x, x);
                for constant in specials(format) {
                    let c = exprs.bv(&Bv::from_u128(width, constant));
                    let of = |a, b| exprs.float_binary(op, rounding, a, b);
                    let (after, before, more) = (of(x, c), of(c, x), of(c, square));
                    for bits in specials(format) {
                        let apply = |a, b| float::binary(op, rounding, format, a, b);
                        check(after, bits, apply(bits, constant));
                        check(before, bits, apply(constant, bits));
                        let squared = float::binary(FloatBinary::Mul, rounding, format, bits, bits);
                        check(more, bits, apply(constant, squared));
                    }
                }
            }
        }
    }
}

#[test]
fn constants_of_exclusive_disjunctions_are_one() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
    let c = |value| exprs.constant(32, value);
    assert_eq!(exprs.xor(exprs.xor(x, c(5)), c(3)), exprs.xor(x, c(6)));
    assert_eq!(exprs.xor(exprs.xor(x, c(5)), exprs.xor(y, c(3))), exprs.xor(exprs.xor(x, y), c(6)));
    // Each step would cost twice as much as the one before it if rules exchanged constants.
    let sum = (0..64).fold(x, |sum, step| {
        let next = exprs.add(exprs.xor(sum, c(step + 1)), y);
        exprs.xor(exprs.xor(next, c(step)), exprs.xor(sum, c(7 * step)))
    });
    assert!(!exprs.is_constant(sum));
}
