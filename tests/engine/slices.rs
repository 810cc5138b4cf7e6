//! Random programs, recorded on one input: the conditions in the slice of an output suffice for it. Every
//! input on which they hold natively does the same there.

use std::{collections::BTreeSet, fmt::Write, sync::Arc};

use super::{
    generator::{INPUTS, Random},
    machine::{Subject, each_in_parallel, seeds},
};
use psychic::{
    exec::Channel,
    expr::{Assignment, Bv},
    replay::{Termination, TestInput},
    subject::Revision,
};

/// Random inputs on which each program is recorded, and others that each record is held against.
const RECORDED: usize = 4;
const HELD_AGAINST: usize = 25;

/// A program whose exit code depends on branches, loops, calls, an array and a global variable.
fn program(random: &mut Random) -> String {
    let mut text = String::from(
        "#include <klee/klee.h>\n\
         static int a[4] = {1, 2, 3, 4}, global;\n\
         static int count(int n) { if (n > 3) global += n; return n & 7; }\n\
         int main(void) {\n",
    );
    for input in INPUTS {
        let (name, ty) = (input.name, input.ty);
        let _ =
            writeln!(text, "{ty} {name}; klee_make_symbolic(&{name}, sizeof {name}, \"{name}\");");
    }
    text += "int y = 1, z = 2, v = 3;\n";
    for _ in 0..7 {
        statement(random, &mut text, 2);
    }
    let left = value(random);
    let _ = writeln!(text, "return ({left} + y + {}) & 255;\n}}", value(random));
    text
}

fn value(random: &mut Random) -> String {
    match random.below(12) {
        0..=3 => ["c", "b", "s", "x"][random.below(4) as usize].into(),
        4..=7 => ["y", "z", "v", "global"][random.below(4) as usize].into(),
        8 => place(random),
        9 => format!("({} + {})", value(random), value(random)),
        10 => format!("count({})", value(random)),
        _ => format!("{}", random.below(9)),
    }
}

/// An element that the input chooses. What a way that was not taken would have chosen is not seen.
fn place(random: &mut Random) -> String {
    format!("a[{} & 3]", ["c", "b", "s"][random.below(3) as usize])
}

fn statement(random: &mut Random, text: &mut String, depth: u32) {
    let target = ["y", "z", "v", "global"][random.below(4) as usize];
    let operator = ["=", "+=", "^="][random.below(3) as usize];
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0..=2 => {
            let _ = writeln!(text, "{target} {operator} {};", value(random));
        }
        3 => {
            let _ = writeln!(text, "{} {operator} {};", place(random), value(random));
        }
        4..=6 => {
            let relation = ["<", ">", "==", "!="][random.below(4) as usize];
            let _ = writeln!(text, "if ({} {relation} {}) {{", value(random), value(random));
            statement(random, text, depth - 1);
            if random.below(2) == 0 {
                *text += "} else {\n";
                statement(random, text, depth - 1);
            }
            *text += "}\n";
        }
        _ => {
            let _ = writeln!(text, "for (int i = 0; i < ({} & 3); i++) {{", value(random));
            statement(random, text, depth - 1);
            if random.below(3) == 0 {
                let _ = writeln!(text, "if ({} > {}) break;", value(random), value(random));
            }
            *text += "}\n";
        }
    }
}

/// Small numbers: branches on them go both ways often.
fn input(random: &mut Random) -> Vec<Bv> {
    let number = |random: &mut Random| random.below(12).wrapping_sub(4);
    INPUTS.iter().map(|variable| Bv::new(variable.bits, number(random))).collect()
}

fn test_input(values: &[Bv]) -> TestInput {
    let objects = INPUTS.iter().zip(values);
    let objects = objects.map(|(variable, value)| (variable.name.to_owned(), value.to_le_bytes()));
    TestInput {
        args: vec![b"program".to_vec()],
        objects: objects.collect(),
        ..TestInput::default()
    }
}

/// Checks the program of a seed; returns how many inputs satisfied the conditions of a slice, and how many
/// steps of records were in slices, and were not.
fn check(seed: u64) -> (usize, [usize; 2]) {
    let mut random = Random(seed);
    let text = program(&mut random);
    let subject = Subject::with_flags(&text, &["-fwrapv"]);
    let exprs = &subject.program.exprs;
    let replayer = subject.replayer(false);
    let exit = |values: &[Bv]| {
        let outcome = replayer.outcome(&test_input(values), Revision::ORIGINAL, false);
        match outcome.expect("it runs").termination {
            Termination::Exit(code) => code,
            other => panic!("seed {seed} ends with {other}"),
        }
    };
    let (mut satisfied, mut sizes) = (0, [0, 0]);
    for _ in 0..RECORDED {
        let seed_values = input(&mut random);
        let known = Arc::new(subject.assignment(&test_input(&seed_values)));
        let record = subject.record(&known);
        let shown = record.shown.iter().find(|shown| shown.channel == Channel::Exit);
        let shown = shown.expect("it exits");
        assert_eq!(shown.byte, exit(&seed_values), "seed {seed}");
        let slice = record.slice(&[shown.step]);
        sizes[0] += slice.count_ones(..);
        sizes[1] += record.steps.len() - slice.count_ones(..);
        let steps = slice.ones().map(|step| &record.steps[step]);
        let conditions: BTreeSet<_> =
            steps.flat_map(|step| step.conditions.iter().copied()).collect();
        let holds = |e, values: &Assignment| !exprs.evaluate(e, values).is_zero();
        assert!(conditions.iter().all(|e| holds(*e, &known)), "seed {seed}");
        for _ in 0..HELD_AGAINST {
            // Most of the known input is kept: otherwise the conditions hold for few.
            let fresh = input(&mut random);
            let keep = |(old, new): (&Bv, Bv)| if random.below(3) > 0 { old.clone() } else { new };
            let values: Vec<Bv> = seed_values.iter().zip(fresh).map(keep).collect();
            let other = subject.assignment(&test_input(&values));
            if conditions.iter().all(|e| holds(*e, &other)) {
                let value = shown.value.map(|value| exprs.evaluate(value, &other));
                let expected =
                    value.and_then(|value| value.to_u64()).map_or(shown.byte, |v| v as u8);
                assert_eq!(
                    exit(&values),
                    expected,
                    "seed {seed}\n{text}\n{:?}\n{:?}",
                    seed_values,
                    values
                );
                satisfied += 1;
            }
        }
    }
    (satisfied, sizes)
}

#[test]
fn the_conditions_of_a_slice_suffice() {
    let seeds = seeds("PSYCHIC_SLICES", 0..20);
    let results = each_in_parallel(&seeds, |seed| check(*seed));
    let satisfied: usize = results.iter().map(|(satisfied, _)| satisfied).sum();
    let [inside, outside] =
        [0, 1].map(|of| results.iter().map(|(_, sizes)| sizes[of]).sum::<usize>());
    println!(
        "{satisfied} inputs satisfied the conditions; {inside} steps decide, {outside} do not"
    );
    assert!(satisfied > seeds.len() && outside * 10 > inside);
}
