//! Random programs with symbolic input. Exploration is sound: an input of each path does natively
//! what the path predicts. It is complete: every input takes exactly one path, and does what that
//! predicts. `PSYCHIC_GENERATED=1000..1100` tries seeds other than the default ones.

use std::panic;

use super::{
    generator::{INPUTS, Random, program},
    machine::{Input, Paths, Subject, compare, each_in_parallel, seeds},
};
use psychic::{
    diff,
    env::Halt,
    expr::{Assignment, Bv},
    replay::TestInput,
};

/// Random inputs tried on each program.
const SAMPLES: usize = 60;

/// Checks the program of a seed; returns the numbers of paths and of random inputs replayed.
fn check(seed: u64) -> (usize, usize) {
    // Programs with errors need two more native builds.
    let errors = seed.is_multiple_of(4);
    // The optimiser may drop an erroneous access from one build and not from another, and without
    // `-fwrapv` it may assume that sums do not overflow.
    let flags: &[&str] = match seed % 3 {
        0 if !errors => &["-O1", "-fwrapv"],
        1 if !errors => &["-O2", "-fwrapv", "-fvectorize", "-fslp-vectorize"],
        _ => &[],
    };
    let subject = Subject::with_flags(&program(seed, errors), flags);
    let paths = subject.explore(&Input::Tokens(0, false));
    let replayed = paths.replay(false);
    (replayed, sample(&paths, seed))
}

fn sample(paths: &Paths<'_>, seed: u64) -> usize {
    let exprs = &paths.subject.program.exprs;
    let errors = paths.states.iter().any(|state| matches!(state.halt, Halt::Error(_)));
    let replayer = paths.subject.replayer(errors);
    let mut random = Random(seed);
    for _ in 0..SAMPLES {
        let mut input = TestInput { args: vec![b"program".to_vec()], ..TestInput::default() };
        let mut assignment = Assignment::default();
        for variable in INPUTS {
            let value = Bv::new(variable.bits, random.value());
            let bytes = value.to_le_bytes();
            input.objects.push((variable.name.to_owned(), bytes));
            let symbol = match variable.bits {
                32 => variable.name.to_owned(),
                bits => format!("{}:{bits}", variable.name),
            };
            if let Some(id) = exprs.variable_id(&symbol) {
                assignment.0.insert(id, value);
            }
        }
        let holds = |condition| !exprs.evaluate(condition, &assignment).is_zero();
        let taken: Vec<_> =
            paths.states.iter().filter(|s| s.path_condition.iter().all(|c| holds(*c))).collect();
        let [state] = taken[..] else {
            panic!("{} paths are taken on {:?}", taken.len(), input.objects);
        };
        let predicted = diff::predicted(exprs, state, &assignment).expect("an exact state");
        compare(&replayer, &input, &predicted, matches!(state.halt, Halt::Error(_)));
    }
    SAMPLES
}

#[test]
fn random_programs() {
    let seeds = seeds("PSYCHIC_GENERATED", 0..24);
    let results = each_in_parallel(&seeds, |seed| (*seed, panic::catch_unwind(|| check(*seed))));
    let (mut paths, mut inputs, mut failed) = (0, 0, Vec::new());
    for (seed, result) in results {
        match result {
            Ok((replayed, sampled)) => {
                paths += replayed;
                inputs += sampled;
            }
            Err(_) => failed.push(seed),
        }
    }
    println!("{paths} paths and {inputs} inputs replayed");
    assert!(failed.is_empty(), "seeds {failed:?}");
}
