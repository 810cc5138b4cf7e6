//! Random programs from csmith (Yang, Chen, Eide and Regehr, PLDI 2011) run in the engine as they
//! do natively. `PSYCHIC_CSMITH=1000..1200` tries seeds other than the default ones.

use std::{env, ops::Range, panic, process::Command};

use super::machine::{Input, Subject, compare, each_in_parallel, seeds};
use psychic::{
    env::{Halt, Incomplete},
    replay::{Termination, TestInput},
    subject::Revision,
};

/// The default seeds; most of their programs end soon.
const SEEDS: Range<u64> = 1..201;
/// Instructions after which a program is given up; most need far fewer.
const INSTRUCTIONS: u64 = 5_000_000;

/// Shapes of programs; the seed chooses one.
const SHAPES: [&[&str]; 5] = [
    &["--max-funcs", "3", "--max-block-depth", "3"],
    &["--max-funcs", "4", "--bitfields", "--packed-struct"],
    &["--max-funcs", "3", "--builtins", "--disable-builtin-kinds", "x86"],
    &["--max-funcs", "2", "--max-expr-complexity", "8", "--no-pointers"],
    &["--max-funcs", "5", "--max-array-dim", "3", "--no-bitfields"],
];

/// Optimisation levels; the seed chooses one in such a way that every shape meets every level.
const LEVELS: [&[&str]; 3] = [&["-O0"], &["-O1"], &["-O2", "-fvectorize", "-fslp-vectorize"]];

fn program(seed: u64) -> String {
    // csmith writes facts about the machine to a file in its directory, and fails on a file that
    // another csmith has half written.
    let directory = tempfile::tempdir().expect("there is room");
    let output = Command::new("csmith")
        .current_dir(directory.path())
        .args(["--seed", &seed.to_string(), "--no-argc", "--no-volatiles", "--concise"])
        .args(SHAPES[(seed % SHAPES.len() as u64) as usize])
        .output()
        .expect("make setup installs csmith");
    let said = [&*output.stderr, &*output.stdout].map(String::from_utf8_lossy).concat();
    assert!(output.status.success(), "csmith, seed {seed}: {}: {said}", output.status);
    String::from_utf8(output.stdout).expect("C is text")
}

enum Verdict {
    Same,
    Endless,
    Wrong(String),
}

fn check(seed: u64) -> Verdict {
    let include = env::var("CSMITH_INCLUDE").unwrap_or_else(|_| "/usr/include/csmith".into());
    let include = format!("-isystem{include}");
    let optimise = LEVELS[(seed / 2 % LEVELS.len() as u64) as usize];
    // Without this flag, the optimiser may assume that an endless loop is never reached.
    let flags = [&[include.as_str(), "-fno-finite-loops"], optimise].concat();
    let subject = Subject::with_flags(&program(seed), &flags);
    let paths = subject.explore_within(&Input::Text(Vec::new()), INSTRUCTIONS);
    let [state] = paths.states.as_slice() else {
        panic!("seed {seed}: {:?}", paths.ends());
    };
    match &state.halt {
        Halt::Incomplete(Incomplete::Instructions) => return Verdict::Endless,
        Halt::Incomplete(why) => return Verdict::Wrong(why.to_string()),
        Halt::Hang => {
            let replayer = subject.replayer(false);
            let input = TestInput::default();
            let shown = replayer.outcome(&input, Revision::ORIGINAL, false).expect("it runs");
            assert_eq!(shown.termination, Termination::Timeout, "seed {seed} ends natively");
            return Verdict::Same;
        }
        _ => {}
    }
    let (input, predicted) = paths.test(0);
    let is_error = matches!(state.halt, Halt::Error(_));
    compare(
        &subject.replayer(is_error),
        &input,
        &predicted.unwrap_or_else(|| panic!("seed {seed}: {:?}", state.world.approximations)),
        is_error,
    );
    Verdict::Same
}

#[test]
fn random_programs() {
    let verdicts = each_in_parallel(&seeds("PSYCHIC_CSMITH", SEEDS), |seed| {
        let verdict = panic::catch_unwind(|| check(*seed));
        (*seed, verdict.unwrap_or_else(|_| Verdict::Wrong("it behaves otherwise".into())))
    });
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|(_, v)| wanted(v)).count();
    let (same, endless) =
        (count(|v| matches!(v, Verdict::Same)), count(|v| matches!(v, Verdict::Endless)));
    println!("{same} of {} programs as natively, {endless} too long", verdicts.len());
    let wrong: Vec<_> = verdicts
        .iter()
        .filter_map(|(seed, verdict)| match verdict {
            Verdict::Wrong(why) => Some(format!("seed {seed}: {why}")),
            Verdict::Same | Verdict::Endless => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(same * 2 > verdicts.len(), "only {same} programs were compared");
}
