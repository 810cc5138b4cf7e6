//! Times a native run of a small program in the sandbox, as a fork of a process started only once.

use std::{env, hint::black_box};

use criterion::{Criterion, criterion_group, criterion_main};
use psychic::{
    compile::{Compilation, Toolchain},
    errors::Sanitizer,
    replay::{Binaries, Builds, Replayer, RunLimits, TestInput},
    subject::Revision,
};

const PROGRAM: &str = r#"
    #include <stdio.h>
    int main(void) {
        int n, sum = 0;
        while (scanf("%d", &n) == 1)
            sum += n;
        printf("%d\n", sum);
    }
"#;

#[allow(unsafe_code, reason = "changes the environment")]
fn runs(criterion: &mut Criterion) {
    // SAFETY: before any sandbox is started, and nothing else here changes the environment.
    unsafe { env::set_var("PSYCHIC_SANDBOX", env!("CARGO_BIN_EXE_psychic")) };
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("sum.c"), PROGRAM).expect("writable");
    let compilation = Compilation {
        directory: directory.path().to_owned(),
        sources: vec!["sum.c".into()],
        ..Compilation::default()
    };
    let binary = directory.path().join("sum");
    let toolchain = Toolchain::find().expect("make setup installs clang");
    toolchain.native(&compilation, Sanitizer::None, &binary).expect("it compiles");
    let binaries = Binaries { plain: Builds::One(binary), serves: true, ..Binaries::default() };
    let replayer = Replayer::new(binaries, RunLimits::default()).expect("a sandbox");
    let mut number = 0u32;
    criterion.bench_function("native run", |bencher| {
        bencher.iter(|| {
            number += 1;
            let stdin = Some(format!("{number}\n1\n").into_bytes());
            let test = TestInput { stdin, ..TestInput::default() };
            black_box(replayer.outcome(&test, Revision::ORIGINAL, false).expect("it runs"))
        });
    });
}

criterion_group! {
    name = benches;
    // Plots need a font, which a build machine may lack.
    config = Criterion::default().without_plots();
    targets = runs
}
criterion_main!(benches);
