//! Compares the operations with the results of the processor, libgcc and glibc for the same
//! operands.

use super::*;

const SOURCE: &str = include_str!("hardware.c");

const INTEGERS: [(u32, bool); 8] = [
    (8, true),
    (8, false),
    (32, true),
    (32, false),
    (64, true),
    (64, false),
    (128, true),
    (128, false),
];

/// A question to `hardware.c`: the operation, the indices of source and target as that file numbers
/// them, the operands, and our own result.
struct Question {
    head: [u8; 3],
    operands: [u128; 3],
    ours: u128,
}

/// The answers of `hardware.c`, compiled without optimisation.
fn answers(questions: &[Question]) -> Vec<u128> {
    let directory = tempfile::tempdir().unwrap();
    let (file, program) = (directory.path().join("hardware.c"), directory.path().join("hardware"));
    std::fs::write(&file, SOURCE).unwrap();
    let flags = ["-w", "-O0", "-fno-builtin", "-o"];
    let mut compiler = std::process::Command::new("clang-19");
    let compiled = compiler.args(flags).args([&program, &file]).arg("-lm").status();
    assert!(compiled.expect("clang").success());
    let mut input = Vec::new();
    for Question { head, operands, .. } in questions {
        input.extend(head);
        operands.iter().for_each(|operand| input.extend(operand.to_le_bytes()));
    }
    let mut child = std::process::Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap().stdout;
    writer.join().unwrap().unwrap();
    let (chunks, rest) = output.as_chunks::<16>();
    assert!(rest.is_empty() && chunks.len() == questions.len());
    chunks.iter().map(|bytes| u128::from_le_bytes(*bytes)).collect()
}

/// Asks all questions in one run and fails with the first differences.
fn ask(what: &str, questions: &[Question], width: impl Fn(&Question) -> u32) {
    let mut wrong = Vec::new();
    for (question, answer) in questions.iter().zip(answers(questions)) {
        let answer = answer & u128::MAX >> (128 - width(question));
        if answer != question.ours {
            let Question { head, operands: [a, b, c], ours } = question;
            wrong.push(format!("{head:?} {a:x} {b:x} {c:x}: {ours:x}, natively {answer:x}"));
        }
    }
    println!("{what}: {} questions", questions.len());
    let count = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{what}: {count} differ\n{}", wrong.join("\n"));
}

fn pairs(format: Format, count: u64) -> Vec<[u128; 2]> {
    let corners = corners(format);
    let mut pairs: Vec<_> = corners.iter().flat_map(|a| corners.iter().map(|b| [*a, *b])).collect();
    pairs.extend((0..count).map(|seed| [random(format, 2 * seed), random(format, 2 * seed + 1)]));
    pairs
}

fn operands(format: Format, count: u64) -> Vec<u128> {
    let mut all = corners(format);
    all.extend((0..count).map(|seed| random(format, seed)));
    all
}

#[test]
fn arithmetic_and_comparisons_are_those_of_the_processor() {
    let mut questions = Vec::new();
    for (index, format) in Format::ALL.into_iter().enumerate() {
        for [a, b] in pairs(format, 10_000) {
            let mut ask = |op: usize, ours| {
                let head = [op as u8, index as u8, 0];
                questions.push(Question { head, operands: [a, b, 0], ours });
            };
            for (op, operation) in FloatBinary::ALL.into_iter().enumerate() {
                ask(op, binary(operation, Rounding::NearestEven, format, a, b));
            }
            for (op, relation) in FloatRelation::ALL.into_iter().enumerate() {
                ask(4 + op, compare(relation, format, a, b).into());
            }
        }
    }
    ask("arithmetic", &questions, |question| match question.head[0] {
        0..4 => Format::ALL[question.head[1] as usize].width(),
        _ => 8,
    });
}

#[test]
fn roots_and_roundings_are_those_of_glibc() {
    let mut questions = Vec::new();
    for (index, format) in Format::ALL.into_iter().enumerate() {
        for a in operands(format, 20_000) {
            // Software reads encodings that the x87 rejects as other values.
            if format.is_rejected(a) {
                continue;
            }
            let mut ask = |op: usize, ours| {
                let head = [op as u8, index as u8, 0];
                questions.push(Question { head, operands: [a, 0, 0], ours });
            };
            let width = format.width();
            ask(7, unary(FloatUnary::Sqrt, Rounding::NearestEven, width, width, a));
            for (op, rounding) in Rounding::ALL.into_iter().enumerate() {
                ask(8 + op, unary(FloatUnary::RoundToIntegral, rounding, width, width, a));
            }
        }
    }
    ask("roots", &questions, |question| Format::ALL[question.head[1] as usize].width());
}

#[test]
fn products_with_a_sum_are_those_of_glibc() {
    let mut questions = Vec::new();
    for (index, format) in Format::ALL.into_iter().enumerate().skip(1) {
        let corners = corners(format);
        for (seed, [a, b]) in pairs(format, 10_000).into_iter().enumerate() {
            let c = match seed % 3 {
                0 => corners[seed % corners.len()],
                1 => random(format, seed as u64 + 1_000_000),
                // Cancels most of the product.
                _ => {
                    let product = binary(FloatBinary::Mul, Rounding::NearestEven, format, a, b);
                    product ^ format.sign() ^ (seed as u128 >> 2 & 1)
                }
            };
            // Libraries pass on different NaNs if there are several.
            if [a, b, c].iter().any(|bits| format.is_nan(*bits)) {
                continue;
            }
            let ours = mul_add(Rounding::NearestEven, format, [a, b, c]);
            questions.push(Question { head: [13, index as u8, 0], operands: [a, b, c], ours });
        }
    }
    ask("fma", &questions, |question| Format::ALL[question.head[1] as usize].width());
}

#[test]
fn conversions_are_those_of_the_processor() {
    let mut questions = Vec::new();
    for (index, from) in Format::ALL.into_iter().enumerate() {
        for a in operands(from, 20_000) {
            let mut ask = |op: u8, target: usize, ours| {
                let head = [op, index as u8, target as u8];
                questions.push(Question { head, operands: [a, 0, 0], ours });
            };
            for (target, to) in Format::ALL.into_iter().enumerate() {
                let exprs = crate::expr::Exprs::new();
                let bits = exprs.bv(&crate::expr::Bv::from_u128(from.width(), a));
                let in_software = matches!(to, Format::Half | Format::Quad);
                if to == from || in_software && exprs.is_false(exprs.is_canonical(bits)) {
                    continue;
                }
                let rounding = Rounding::NearestEven;
                let ours = unary(FloatUnary::Convert, rounding, from.width(), to.width(), a);
                ask(15, target, ours);
            }
            let exprs = crate::expr::Exprs::new();
            let bits = exprs.bv(&crate::expr::Bv::from_u128(from.width(), a));
            for (target, (width, signed)) in INTEGERS.into_iter().enumerate() {
                let fits = exprs.is_true(exprs.float_fits(bits, width, signed));
                if !fits || exprs.is_false(exprs.is_canonical(bits)) {
                    continue;
                }
                let op = if signed { FloatUnary::ToSigned } else { FloatUnary::ToUnsigned };
                ask(16, target, unary(op, Rounding::Zero, from.width(), width, a));
            }
        }
    }
    for (index, (width, signed)) in INTEGERS.into_iter().enumerate() {
        let all = u128::MAX >> (128 - width);
        let mut values: Vec<u128> = (0..width)
            .flat_map(|bit| {
                let power = 1_u128 << bit;
                let tie = power | power >> 1;
                let low = |by: u32| power.checked_shr(by).unwrap_or(0);
                [power, power - 1, power + 1, tie, !power, power.wrapping_neg()]
                    .into_iter()
                    .chain([11, 12, 24, 25, 53, 54, 64, 65, 113, 114].map(|by| power | low(by) | 1))
                    .chain([11, 24, 53, 64, 113].map(|by| power | low(by)))
            })
            .collect();
        values.extend((0..5000).map(|seed| {
            let word = |n| u128::from(mix(seed, n));
            (word(1) << 64 | word(2)) >> (word(3) % 128)
        }));
        for a in values.into_iter().map(|value| value & all) {
            for (target, to) in Format::ALL.into_iter().enumerate() {
                let op = if signed { FloatUnary::FromSigned } else { FloatUnary::FromUnsigned };
                let ours = unary(op, Rounding::NearestEven, width, to.width(), a);
                let head = [17, index as u8, target as u8];
                questions.push(Question { head, operands: [a, 0, 0], ours });
            }
        }
    }
    ask("conversions", &questions, |question| match question.head[0] {
        16 => INTEGERS[question.head[2] as usize].0,
        _ => Format::ALL[question.head[2] as usize].width(),
    });
}

/// The modes that a program can set, by their number in the control word.
const MODES: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];

#[test]
fn every_rounding_mode_is_that_of_the_processor() {
    let mut questions = Vec::new();
    for (index, format) in Format::ALL.into_iter().enumerate() {
        let width = format.width();
        for (seed, [a, b]) in pairs(format, 3000).into_iter().enumerate() {
            let (mode, c) = (seed % 4, random(format, seed as u64 + 1_000_000));
            let rounding = MODES[mode];
            let mut ask = |op: usize, target: usize, ours| {
                let head = [op as u8, (index | mode << 4) as u8, target as u8];
                questions.push(Question { head, operands: [a, b, c], ours });
            };
            for (op, operation) in FloatBinary::ALL.into_iter().enumerate() {
                ask(op, index, binary(operation, rounding, format, a, b));
            }
            if format.is_rejected(a) {
                continue;
            }
            ask(7, index, unary(FloatUnary::Sqrt, rounding, width, width, a));
            ask(14, index, unary(FloatUnary::RoundToIntegral, rounding, width, width, a));
            let any_nan = [a, b, c].iter().any(|bits| format.is_nan(*bits));
            if !any_nan && format != Format::Half {
                ask(13, index, mul_add(rounding, format, [a, b, c]));
            }
            for (target, to) in Format::ALL.into_iter().enumerate().filter(|(to, _)| *to != index) {
                let exprs = crate::expr::Exprs::new();
                let bits = exprs.bv(&crate::expr::Bv::from_u128(width, a));
                if !exprs.is_false(exprs.is_canonical(bits)) {
                    ask(15, target, unary(FloatUnary::Convert, rounding, width, to.width(), a));
                }
            }
        }
    }
    for (index, (width, signed)) in INTEGERS.into_iter().enumerate() {
        for seed in 0..4000 {
            let (mode, shift) = ((seed % 4) as usize, mix(seed, 2) % u64::from(width.min(64)));
            let a = u128::from(mix(seed, 1) >> shift) & (u128::MAX >> (128 - width));
            // The executor refuses these.
            if width > 64 || !signed && a == 0 {
                continue;
            }
            for (target, to) in Format::ALL.into_iter().enumerate().skip(1) {
                let op = if signed { FloatUnary::FromSigned } else { FloatUnary::FromUnsigned };
                let ours = unary(op, MODES[mode], width, to.width(), a);
                let head = [17, (index | mode << 4) as u8, target as u8];
                questions.push(Question { head, operands: [a, 0, 0], ours });
            }
        }
    }
    ask("rounding modes", &questions, |question| Format::ALL[question.head[2] as usize].width());
}

#[test]
fn an_integer_fits_exactly_where_the_conversion_is_exact() {
    let exprs = crate::expr::Exprs::new();
    for format in Format::ALL {
        for a in operands(format, 3000) {
            let bits = exprs.bv(&crate::expr::Bv::from_u128(format.width(), a));
            let toward_zero = Rounding::Zero;
            let width = format.width();
            let whole = unary(FloatUnary::RoundToIntegral, toward_zero, width, width, a);
            for (to, signed) in INTEGERS {
                let (there, back) = if signed {
                    (FloatUnary::ToSigned, FloatUnary::FromSigned)
                } else {
                    (FloatUnary::ToUnsigned, FloatUnary::FromUnsigned)
                };
                let integer = unary(there, toward_zero, width, to, a);
                let again = unary(back, toward_zero, to, width, integer);
                // A number beyond the limit is also converted to the largest integer, but does not
                // fit.
                let limit = format.power_of_two(to - u32::from(signed), false);
                let beyond = limit.unwrap_or(format.infinity());
                let exact = compare(FloatRelation::Equal, format, whole, again)
                    && !compare(FloatRelation::LessOrEqual, format, beyond, a);
                let fits = exprs.is_true(exprs.float_fits(bits, to, signed));
                assert_eq!(fits, exact, "{format:?} {a:x} to {to} {signed}");
            }
        }
    }
}

#[test]
fn exceptions_are_those_of_the_processor() {
    use FloatBinary::*;
    const RESULTS: [(u8, Operation); 10] = [
        (0, Operation::Binary(Add)),
        (1, Operation::Binary(Sub)),
        (2, Operation::Binary(Mul)),
        (3, Operation::Binary(Div)),
        (5, Operation::Compare { quiet: true }),
        (18, Operation::Compare { quiet: true }),
        (19, Operation::Compare { quiet: false }),
        (7, Operation::Sqrt),
        (12, Operation::ToIntegral { inexact: false }),
        (14, Operation::ToIntegral { inexact: true }),
    ];
    let mut questions = Vec::new();
    let mut ask =
        |op: u8, from: usize, mode: usize, target: usize, operation, operands: [(u32, u128); 2]| {
            let exprs = crate::expr::Exprs::new();
            let bits =
                operands.map(|(width, bits)| exprs.bv(&crate::expr::Bv::from_u128(width, bits)));
            let one = !matches!(operation, Operation::Binary(_) | Operation::Compare { .. });
            let bits = if one { &bits[..1] } else { &bits };
            let raised =
                raised(&exprs, operation, MODES[mode], bits).expect("a format that is known");
            let flags =
                (0..).zip(raised).map(|(bit, holds)| u128::from(exprs.is_true(holds)) << bit);
            let head = [op | 128, (from | mode << 4) as u8, target as u8];
            let ours = flags.sum();
            questions.push(Question { head, operands: [operands[0].1, operands[1].1, 0], ours });
        };
    for (from, format) in [(1, Format::Single), (2, Format::Double)] {
        let width = format.width();
        let near =
            |limit: u128, seed| (limit.wrapping_add(mix(seed, 1) as u128 % 5)).wrapping_sub(2);
        let mut all = pairs(format, 10_000);
        // Products and quotients near the least normal number and the greatest one.
        all.extend((0..4000).map(|seed| {
            let a = random(format, seed) & !(format.infinity())
                | format.power_of_two(0, false).unwrap();
            let limit = if seed % 2 == 0 { 1 << format.exponent_low() } else { format.infinity() };
            let op = if seed % 4 < 2 { Div } else { Mul };
            [
                binary(
                    op,
                    Rounding::NearestEven,
                    format,
                    near(limit, seed) & (format.infinity() - 1),
                    a,
                ),
                a,
            ]
        }));
        for (seed, [a, b]) in all.into_iter().enumerate() {
            let mode = seed % 4;
            // Before taking the root of such a number, glibc compares it with zero.
            let is_below_zero =
                (format.sign() + 1..=format.sign() + format.fraction()).contains(&a);
            for (op, operation) in RESULTS {
                if operation != Operation::Sqrt || !is_below_zero {
                    ask(op, from, mode, from, operation, [(width, a), (width, b)]);
                }
            }
            let to = 3 - from;
            let operation = Operation::Convert(Format::ALL[to].width());
            ask(15, from, mode, to, operation, [(width, a), (width, 0)]);
            for (target, operation) in [(2, Operation::ToSigned(32)), (4, Operation::ToSigned(64))]
            {
                ask(16, from, mode, target, operation, [(width, a), (width, 0)]);
            }
        }
        for seed in 0..8000 {
            let mode = seed as usize % 4;
            for (index, (bits, signed)) in INTEGERS.into_iter().enumerate().take(6) {
                let a = u128::from(mix(seed, 1) >> (mix(seed, 2) % u64::from(bits)));
                let a = a & (u128::MAX >> (128 - bits));
                let to = format.width();
                let operation =
                    if signed { Operation::FromSigned(to) } else { Operation::FromUnsigned(to) };
                if signed || a != 0 {
                    ask(17, index, mode, from, operation, [(bits, a), (bits, 0)]);
                }
            }
        }
    }
    // Numbers of double precision next to the limits of single precision.
    for seed in 0..4000 {
        let limits = [
            0x380f_ffff_ffff_fff0,
            0x3810_0000_0000_0000,
            0x47ef_ffff_f000_0000,
            0x47f0_0000_0000_0000,
        ];
        let a = limits[seed % 4] + (mix(seed as u64, 3) >> (seed % 60)) as u128 % (1 << 30);
        ask(15, 2, seed / 4 % 4, 1, Operation::Convert(32), [(64, a), (64, 0)]);
    }
    super::hardware::ask("exceptions", &questions, |_| 8);
}
