//! Compares the operations with Bitwuzla's theory of floating point, through the translation that
//! the solver uses.

use std::time::Duration;

use super::*;
use crate::{
    expr::{Bv, ExprId, Exprs, raw::Raw},
    solver::{Query, Solver, Verdict, bitwuzla::Incremental},
};

/// One solver instance that is asked about every operation in turn. The path fixes the values of
/// the variables.
struct Theory {
    exprs: Exprs,
    solver: Incremental,
    questions: usize,
}

impl Theory {
    fn new() -> Self {
        let solver = Incremental::new(Duration::from_secs(60));
        Self { exprs: Exprs::new(), solver, questions: 0 }
    }

    fn variable(&self, index: usize, width: u32) -> ExprId {
        self.exprs.input(&format!("v{index}_{width}"), width)
    }

    /// Checks that `e` is `value`, and cannot be anything else, if its variables have the values
    /// in `operands`.
    fn expect(&mut self, e: ExprId, operands: &[(ExprId, u128)], value: u128) {
        let exprs = &self.exprs;
        let constant = |width, bits| exprs.bv(&Bv::from_u128(width, bits));
        let path: Vec<_> = operands
            .iter()
            .map(|(variable, bits)| exprs.eq(*variable, constant(exprs.width(*variable), *bits)))
            .collect();
        let raw = Raw(exprs);
        let width = exprs.width(e);
        // The sum makes the solver compare bits, not numbers.
        let bits = raw.binary(crate::expr::BinaryOp::Add, e, constant(width, 1));
        let expected = constant(width, value.wrapping_add(1));
        let same = raw.binary(crate::expr::BinaryOp::Eq, bits, expected);
        let as_number = raw.binary(crate::expr::BinaryOp::Eq, e, constant(width, value));
        for goal in [same, as_number] {
            let differs = raw.not(goal);
            let [is, is_not] = [goal, differs].map(|goal| {
                self.solver
                    .check(exprs, Query { path_condition: &path, goals: &[goal], model: None })
            });
            assert!(
                matches!(is, Verdict::Sat(_)) && is_not.is_unsat(),
                "{} of {operands:x?} is not {value:x}: {is:?}, {is_not:?}",
                exprs.display(e)
            );
        }
        self.questions += 1;
    }
}

/// An operand of `format`: one of [`corners`] for an even seed, a random one for an odd seed.
fn sample(format: Format, seed: u64) -> u128 {
    let corners = corners(format);
    if seed.is_multiple_of(2) {
        corners[mix(seed, 1) as usize % corners.len()]
    } else {
        random(format, seed)
    }
}

#[test]
fn every_operation_has_the_value_of_the_theory() {
    let mut theory = Theory::new();
    for format in Format::ALL {
        let width = format.width();
        let count = if width <= 64 { 12 } else { 4 };
        let [a, b, c] = [0, 1, 2].map(|index| theory.variable(index, width));
        for seed in 0..count {
            let [x, y, z] = [0, 1, 2].map(|n| sample(format, 3 * seed + n));
            for (n, rounding) in Rounding::ALL.into_iter().enumerate() {
                // Modes other than the default are tried for one seed in four only.
                if n > 0 && seed % 4 != n as u64 - 1 {
                    continue;
                }
                for op in FloatBinary::ALL {
                    let e = Raw(&theory.exprs).float_binary(op, rounding, a, b);
                    theory.expect(e, &[(a, x), (b, y)], binary(op, rounding, format, x, y));
                }
                for op in [FloatUnary::Sqrt, FloatUnary::RoundToIntegral] {
                    let e = Raw(&theory.exprs).float_unary(op, rounding, a, width);
                    theory.expect(e, &[(a, x)], unary(op, rounding, width, width, x));
                }
                if seed % 4 == 0 {
                    let e = Raw(&theory.exprs).float_mul_add(rounding, [a, b, c]);
                    let value = mul_add(rounding, format, [x, y, z]);
                    theory.expect(e, &[(a, x), (b, y), (c, z)], value);
                }
            }
            for relation in FloatRelation::ALL {
                let e = Raw(&theory.exprs).float_compare(relation, a, b);
                let value = compare(relation, format, x, y);
                theory.expect(e, &[(a, x), (b, y)], value.into());
                // The theory takes a sum as a number, and does not compare it by its bits.
                let sums = [a, b].map(|e| {
                    let zero = theory.exprs.bv(&Bv::from_u128(width, format.sign()));
                    Raw(&theory.exprs).float_binary(FloatBinary::Add, Rounding::ALL[0], e, zero)
                });
                let e = Raw(&theory.exprs).float_compare(relation, sums[0], sums[1]);
                theory.expect(e, &[(a, x), (b, y)], value.into());
            }
        }
    }
    println!("{} operations", theory.questions);
}

#[test]
fn every_conversion_has_the_value_of_the_theory() {
    let mut theory = Theory::new();
    for from in Format::ALL {
        let a = theory.variable(0, from.width());
        let count = if from.width() <= 64 { 12 } else { 5 };
        for seed in 0..count {
            let x = sample(from, seed);
            let rounding = Rounding::ALL[if seed < 4 { 0 } else { seed as usize % 5 }];
            for to in Format::ALL.into_iter().filter(|to| *to != from) {
                let e =
                    Raw(&theory.exprs).float_unary(FloatUnary::Convert, rounding, a, to.width());
                let value = unary(FloatUnary::Convert, rounding, from.width(), to.width(), x);
                theory.expect(e, &[(a, x)], value);
            }
            // With 128 bits the solver takes seconds.
            for to in if seed == 1 { [8, 32, 128] } else { [8, 32, 64] } {
                for op in [FloatUnary::ToSigned, FloatUnary::ToUnsigned] {
                    let e = Raw(&theory.exprs).float_unary(op, Rounding::Zero, a, to);
                    theory.expect(e, &[(a, x)], unary(op, Rounding::Zero, from.width(), to, x));
                }
            }
        }
    }
    for from in [8, 32, 64, 128] {
        let a = theory.variable(0, from);
        for seed in 0..8 {
            let word = u128::from(mix(seed, 1)) << 64 | u128::from(mix(seed, 2));
            let x = word >> (mix(seed, 3) % 120) & u128::MAX >> (128 - from);
            let rounding = Rounding::ALL[if seed < 4 { 0 } else { seed as usize % 5 }];
            for to in Format::ALL {
                for op in [FloatUnary::FromSigned, FloatUnary::FromUnsigned] {
                    let e = Raw(&theory.exprs).float_unary(op, rounding, a, to.width());
                    theory.expect(e, &[(a, x)], unary(op, rounding, from, to.width(), x));
                }
            }
        }
    }
    println!("{} conversions", theory.questions);
}

#[test]
fn chains_of_operations_keep_signs_choices_and_nans() {
    let mut theory = Theory::new();
    for format in Format::ALL {
        let width = format.width();
        let [a, b] = [0, 1].map(|index| theory.variable(index, width));
        for seed in 0..12 {
            let [x, y] = [0, 1].map(|n| sample(format, 2 * seed + n));
            let exprs = &theory.exprs;
            let nearest = Rounding::NearestEven;
            let sum = exprs.float_binary(FloatBinary::Add, nearest, a, b);
            let product = exprs.float_binary(FloatBinary::Mul, nearest, sum, b);
            let sign = exprs.bv(&Bv::from_u128(width, format.sign()));
            let negated = exprs.xor(product, sign);
            let magnitude = exprs.and(product, exprs.not(sign));
            let less = exprs.float_compare(FloatRelation::Less, sum, negated);
            let chosen = exprs.ite(less, negated, exprs.ite(exprs.extract(a, 0, 1), sum, b));
            let difference = exprs.float_binary(FloatBinary::Sub, nearest, magnitude, chosen);
            let assignment = [(a, x), (b, y)].map(|(e, bits)| {
                (exprs.as_variable(e).expect("a variable"), Bv::from_u128(width, bits))
            });
            let assignment = crate::expr::Assignment(assignment.into());
            for e in [negated, magnitude, chosen, difference] {
                let value = theory.exprs.evaluate(e, &assignment).to_u128().expect("128 bits");
                theory.expect(e, &[(a, x), (b, y)], value);
            }
        }
    }
}

#[test]
fn nans_as_expressions_are_those_of_values() {
    let exprs = Exprs::new();
    let nearest = Rounding::NearestEven;
    let mut count = 0;
    for format in Format::ALL {
        let width = format.width();
        let [a, b, c] = [0, 1, 2].map(|index| exprs.input(&format!("v{index}_{width}"), width));
        let bits = |e| exprs.nan_bits(e, |operand| operand);
        let sums = FloatBinary::ALL.map(|op| bits(exprs.float_binary(op, nearest, a, b)));
        let root = bits(exprs.float_unary(FloatUnary::Sqrt, nearest, a, width));
        let fused = bits(exprs.float_mul_add(nearest, [a, b, c]));
        let corners = corners(format);
        let mut special: Vec<u128> =
            corners.iter().copied().filter(|bits| format.is_nan(*bits)).collect();
        special.extend([0, format.sign(), format.infinity(), format.infinity() | format.sign()]);
        let mut expect = |e, operands: [u128; 3], value: u128| {
            if !format.is_nan(value) {
                return;
            }
            let values = [a, b, c].into_iter().zip(operands).map(|(e, bits)| {
                (exprs.as_variable(e).expect("a variable"), Bv::from_u128(width, bits))
            });
            let assignment = crate::expr::Assignment(values.collect());
            let found = exprs.evaluate(e, &assignment);
            assert_eq!(found.to_u128(), Some(value), "{format:?} {operands:x?}");
            count += 1;
        };
        for x in special.iter().copied() {
            expect(root, [x, 0, 0], unary(FloatUnary::Sqrt, nearest, width, width, x));
            for y in special.iter().copied() {
                for (op, e) in FloatBinary::ALL.into_iter().zip(sums) {
                    expect(e, [x, y, 0], binary(op, nearest, format, x, y));
                }
                for z in special.iter().copied().step_by(3) {
                    expect(fused, [x, y, z], mul_add(nearest, format, [x, y, z]));
                }
            }
            for to in Format::ALL.into_iter().filter(|to| *to != format) {
                let e = exprs.float_unary(FloatUnary::Convert, nearest, a, to.width());
                let value = unary(FloatUnary::Convert, nearest, width, to.width(), x);
                if format.is_nan(x) {
                    let values = [(exprs.as_variable(a).expect("a variable"), x)];
                    let values = values.map(|(v, bits)| (v, Bv::from_u128(width, bits)));
                    let found = exprs.evaluate(bits(e), &crate::expr::Assignment(values.into()));
                    assert_eq!(found.to_u128(), Some(value), "{format:?} {x:x} to {to:?}");
                }
            }
        }
    }
    println!("{count} NaNs");
}
