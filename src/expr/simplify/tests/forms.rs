//! The forms that terms of programs take.

use super::machine::{Pair, through_memory};
use crate::expr::{
    Assignment, BinaryOp, Bv, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Node,
    Rounding,
    float::{self, Format},
    raw::Raw,
};

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
fn comparisons_of_the_same_two_numbers_are_one() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
    let (less, greater, equal) = (exprs.slt(x, y), exprs.slt(y, x), exprs.eq(x, y));
    let not = |e| exprs.not(e);
    for (a, b, expected) in [
        (less, greater, exprs.bool(false)),
        (less, not(greater), less),
        (not(less), not(greater), equal),
        (less, equal, exprs.bool(false)),
        (less, not(equal), less),
        (not(less), equal, equal),
        (not(less), not(equal), greater),
    ] {
        assert_eq!(exprs.and(a, b), expected);
        assert_eq!(exprs.and(b, a), expected);
    }
    // What a function for `qsort` returns: `x < y ? -1 : x > y`.
    let k = |value: i64| exprs.constant(32, value as u64);
    let order = exprs.ite(less, k(-1), exprs.zext(greater, 32));
    assert_eq!(exprs.slt(order, k(1)), not(greater));
    assert_eq!(exprs.slt(order, k(0)), less);
    assert_eq!(exprs.eq(order, k(0)), equal);
}

#[test]
fn two_bounds_on_one_side_are_one() {
    let exprs = Exprs::new();
    let x = exprs.input("x", 32);
    let k = |value: i64| exprs.constant(32, value as u64);
    let below = |value| exprs.slt(x, k(value));
    let from = |value| exprs.not(below(value));
    for (a, b, expected) in [
        (below(3), below(-4), below(-4)),
        (from(3), from(-4), from(3)),
        (below(-4), from(3), exprs.bool(false)),
        (below(4), from(3), exprs.eq(x, k(3))),
    ] {
        assert_eq!(exprs.and(a, b), expected);
        assert_eq!(exprs.and(b, a), expected);
    }
    assert_eq!(exprs.or(below(3), below(-4)), below(3));
}

#[test]
fn the_lesser_and_the_greater_have_one_form() {
    let exprs = Exprs::new();
    let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
    let least = [
        exprs.ite(exprs.slt(x, y), x, y),
        exprs.ite(exprs.sle(x, y), x, y),
        exprs.ite(exprs.slt(y, x), y, x),
        exprs.ite(exprs.sle(y, x), y, x),
    ];
    assert_eq!(least, [least[0]; 4]);
    let ten = exprs.constant(32, 10);
    let most = [
        exprs.ite(exprs.slt(x, ten), ten, x),
        exprs.ite(exprs.sle(x, ten), ten, x),
        exprs.ite(exprs.slt(ten, x), x, ten),
        exprs.ite(exprs.sle(ten, x), x, ten),
    ];
    assert_eq!(most, [most[0]; 4]);
    assert_ne!(most[0], exprs.ite(exprs.slt(x, ten), x, ten));
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

/// Tries all dividends, divisors and limits with five bits.
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

/// Sends all integers with six bits through chains of operations that round.
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

/// Tries all pairs of integers with four bits.
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

/// The canonical form of an operation gives the same bits as the operation, including NaNs.
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
    // If rules exchanged constants, each step would cost twice as much as the one before it.
    let sum = (0..64).fold(x, |sum, step| {
        let next = exprs.add(exprs.xor(sum, c(step + 1)), y);
        exprs.xor(exprs.xor(next, c(step)), exprs.xor(sum, c(7 * step)))
    });
    assert!(!exprs.is_constant(sum));
}
