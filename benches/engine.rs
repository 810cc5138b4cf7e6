//! Times the engine on whole programs: concrete loops (checksums and a bubble sort, 33 million LLVM
//! instructions), sorting six symbolic numbers (720 paths), and the matcher of Kernighan and Pike
//! ("The Practice of Programming", 1999, chapter 9) on seven symbolic bytes (18,600 paths). Each
//! path is solved for a test.

use std::{hint::black_box, path::Path, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use psychic::{
    compile::{Compilation, Toolchain},
    diff::path_input,
    env::{libc::stdin::Stdin, models::Models},
    exec::{Arguments, Clock, HaltState, PathLimits, Program, Start},
    explore::{ExploreConfig, Explorer, Round, Search},
    interrupt::Interrupt,
    ir::lower,
    solver::{SolverConfig, reproducible},
    subject::{Revision, Times},
};

fn load(name: &str) -> Program {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    let sources = vec![format!("{name}.c").into()];
    let compilation = Compilation { directory, sources, ..Compilation::default() };
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let bitcode = scratch.path().join("program.bc");
    let toolchain = Toolchain::find().expect("clang 19");
    toolchain.bitcode(&compilation, &bitcode).expect("it compiles");
    Program::new(lower::load(&bitcode).expect("valid bitcode"), &Models::default())
}

/// Follows every path of a program, asserts that there are `expected`, and finds a test for each.
fn explore(name: &str, jobs: usize, expected: usize) {
    // A `Program` keeps its expressions as long as it lives, so each run gets a new one.
    let program = load(name);
    let arguments = vec![Arguments::Text(name.into())];
    let start = Start {
        entry: "main".into(),
        revisions: [Revision::ORIGINAL].into_iter().collect(),
        args: arguments,
        env: Vec::new(),
        stdin: Stdin::symbolic(&program.exprs, 0),
        files: Vec::new(),
        times: Times::default(),
    };
    let start = program.start(start).expect("it has a main");
    let solver = SolverConfig { check_models: false, ..SolverConfig::default() };
    let config = ExploreConfig {
        jobs,
        search: Search::Dfs,
        random: 0,
        seeds: Vec::new(),
        divergences_from: None,
        limits: PathLimits { instructions: u64::MAX, concretisations: 64, solver: solver.timeout },
        solver: solver.clone(),
    };
    let never = Interrupt::default();
    let mut explorer =
        Explorer::new(&program, config, start, Clock::new(None, &never)).expect("threads");
    let mut states: Vec<HaltState> = Vec::new();
    while let Round::Halted(halted) = explorer.round() {
        states.extend(halted);
    }
    assert_eq!(states.len(), expected, "paths of {name}");
    if expected > 1 {
        let mut solver = reproducible(&solver);
        for state in &states {
            black_box(path_input(&program, &mut *solver, state)).expect("a test");
        }
    }
}

fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("programs");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (name, paths) in [("crc", 1), ("sort", 720), ("match", 18_600)] {
        for jobs in [1, 2] {
            group.bench_function(format!("{name}, {jobs} workers"), |bencher| {
                bencher.iter(|| explore(name, jobs, paths));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    // Plots need a font, which a build machine may lack.
    config = Criterion::default().without_plots();
    targets = programs
}
criterion_main!(benches);
