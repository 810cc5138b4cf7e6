//! Compiles a C program for the engine and natively, runs it in both, and compares.

use std::{
    env,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, Once, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use psychic::{
    compile::{Closure, Compilation, Libc, Toolchain},
    diff,
    env::{
        Halt,
        libc::stdin::{Bounds, Stdin},
        models::{self, Models},
    },
    errors::Sanitizer,
    exec::{
        self, Arguments, Clock, Coverage, Executor, HaltState, PathLimits, Program, Quantum,
        Record, Start,
    },
    explore::{ExploreConfig, Explorer, Round, Search},
    expr::Assignment,
    interrupt::Interrupt,
    ir::{SourceLine, lower},
    memory::Byte,
    replay::{self, Binaries, Builds, Outcome, Replayer, TestInput, Visible},
    solver::{self, Query, Solver, SolverConfig, Verdict},
    subject::{OpenClasses, Revision, Times, cache_directory, config::OutputsConfig},
};
use tempfile::TempDir;

/// The standard input of a program.
#[derive(Clone, Debug)]
pub enum Input {
    /// This text.
    Text(Vec<u8>),
    /// At most this many typed tokens, and whether the file may end earlier.
    Tokens(u32, bool),
    /// At most this many typed tokens, including infinities and NaNs, or bytes that no directive
    /// takes.
    Malformed(u32),
    /// This many symbolic bytes.
    Bytes(u32),
}

/// A C program for the engine and for native runs.
pub struct Subject {
    directory: TempDir,
    compilation: Compilation,
    pub program: Program,
}

/// Paths of at most this many instructions also have their inputs followed.
const FOLLOWED: u64 = 50_000;

/// The halt states of an exhausted exploration.
pub struct Paths<'a> {
    pub subject: &'a Subject,
    start: Start,
    pub states: Vec<HaltState>,
}

fn toolchain() -> &'static Toolchain {
    static TOOLCHAIN: OnceLock<Toolchain> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| Toolchain::find().expect("make setup installs clang"))
}

fn libc() -> &'static Libc {
    static LIBC: OnceLock<Libc> = OnceLock::new();
    LIBC.get_or_init(|| {
        let cache = cache_directory(Path::new(env!("CARGO_MANIFEST_DIR")));
        Libc::find(&cache).expect("readable").expect("make setup compiles musl")
    })
}

impl Subject {
    pub fn with_flags(source: &str, flags: &[&str]) -> Self {
        Self::with_models(source, flags, &Models::default())
    }

    pub fn with_models(source: &str, flags: &[&str], models: &Models) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("subject.c"), source).expect("writable");
        let mut compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec!["subject.c".into()],
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            ..Compilation::default()
        };
        let (linked, library) = bitcode(&compilation);
        compilation.library = library;
        let program = Program::new(lower::load(&linked).expect("valid bitcode"), models);
        Self { directory, compilation, program }
    }

    /// Follows every path to its end.
    pub fn explore(&self, input: &Input) -> Paths<'_> {
        self.explore_within(input, 50_000_000)
    }

    pub fn explore_within(&self, input: &Input, instructions: u64) -> Paths<'_> {
        let start = self.program.start(self.start(input)).expect("it has a main");
        let config = ExploreConfig {
            jobs: 1,
            search: Search::Dfs,
            random: 0,
            seeds: Vec::new(),
            divergences_from: None,
            limits: limits(instructions),
            solver: solver(),
        };
        let never = Interrupt::default();
        let clock = Clock::new(None, &never);
        let mut explorer = Explorer::new(&self.program, config, start, clock).expect("threads");
        let mut states = Vec::new();
        loop {
            match explorer.round() {
                Round::Halted(halted) => states.extend(halted),
                Round::Exhausted => break,
                Round::Stopped(_) => unreachable!("nobody stops it"),
            }
        }
        Paths { subject: self, start: self.start(input), states }
    }

    /// The values of the variables that a program without standard input makes of an input.
    pub fn assignment(&self, input: &TestInput) -> Assignment {
        let first = self.program.start(self.start(&Input::Bytes(0))).expect("it has a main");
        diff::seeds(&self.program.exprs, &first, [input]).pop().expect("such an input")
    }

    /// The run on an input.
    pub fn record(&self, input: &Arc<Assignment>) -> Record {
        let first = self.program.start(self.start(&Input::Bytes(0))).expect("it has a main");
        let first = first.into_iter().next().expect("a state");
        let never = Interrupt::default();
        let (limits, clock) = (limits(50_000_000), Clock::new(None, &never));
        exec::record(&self.program, first, input, limits, clock, 1 << 20)
    }

    /// Follows every path to its end, with the given solver.
    pub fn explore_with(&self, input: &Input, solver: &mut dyn Solver) -> Paths<'_> {
        let never = Interrupt::default();
        let open = OpenClasses::default();
        let quantum = Quantum::unlimited(&open, Clock::new(None, &never));
        let mut waiting = self.program.start(self.start(input)).expect("it has a main");
        let mut states = Vec::new();
        let (limits, mut coverage) = (limits(50_000_000), Coverage::default());
        while let Some(state) = waiting.pop() {
            let harvest =
                Executor::run(&self.program, limits, solver, &mut coverage, state, quantum);
            waiting.extend(harvest.running);
            states.extend(harvest.halted);
        }
        Paths { subject: self, start: self.start(input), states }
    }

    fn start(&self, input: &Input) -> Start {
        let arguments = vec![Arguments::Text(b"program".to_vec())];
        let bounds = Bounds { longest_word: 8, ..Bounds::default() };
        let stdin = match input {
            Input::Text(text) => Stdin::bytes(text.iter().copied().map(Byte::Concrete).collect()),
            Input::Tokens(tokens, early_end) => {
                Stdin::typed(Bounds { tokens: *tokens, early_end: *early_end, ..bounds })
            }
            Input::Malformed(tokens) => {
                let others = Bounds { malformed: true, nonfinite: true, ..bounds };
                Stdin::typed(Bounds { tokens: *tokens, ..others })
            }
            Input::Bytes(count) => Stdin::symbolic(&self.program.exprs, *count),
        };
        Start {
            entry: "main".into(),
            revisions: [Revision::ORIGINAL].into_iter().collect(),
            args: arguments,
            env: Vec::new(),
            stdin,
            files: Vec::new(),
            times: Times::default(),
        }
    }

    /// A replayer of the native binaries; `errors` adds those of the sanitizers.
    pub fn replayer(&self, errors: bool) -> Replayer {
        sandbox();
        let build = |sanitizer, name: &str| {
            let out = self.directory.path().join(name);
            toolchain().native(&self.compilation, sanitizer, &out).expect("it compiles");
            out
        };
        let binaries = Binaries {
            plain: Builds::One(build(Sanitizer::None, "native")),
            address_undefined: if errors {
                Builds::One(build(Sanitizer::AddressUndefined, "asan"))
            } else {
                Builds::None
            },
            memory: if errors {
                Builds::One(build(Sanitizer::Memory, "msan"))
            } else {
                Builds::None
            },
            ..Binaries::default()
        };
        Replayer::new(binaries, replay::RunLimits::default()).expect("a sandbox")
    }
}

impl Paths<'_> {
    /// Solves each path, runs its input natively and compares the outcome with the prediction.
    /// Returns how many paths were replayed. Panics on a path without a prediction, unless
    /// `tolerant`.
    #[track_caller]
    pub fn replay(&self, tolerant: bool) -> usize {
        let errors = self.states.iter().any(finds_something);
        let replayer = self.subject.replayer(errors);
        let mut replayed = 0;
        for (index, state) in self.states.iter().enumerate() {
            let (input, predicted) = self.test(index);
            let Some(predicted) = predicted else {
                let (halt, place) = (&state.halt, self.shown(state.place));
                assert!(
                    tolerant,
                    "no prediction: {halt} at {place} {:?}",
                    state.world.approximations
                );
                continue;
            };
            // If one path uses memory that was never written, the others are checked for that, too.
            let watched = self.states.iter().any(|state| !state.world.findings.is_empty());
            compare(&replayer, &input, &predicted, watched || finds_something(state));
            self.follow(index, &predicted);
            replayed += 1;
        }
        replayed
    }

    /// Follows the input of a path; the result has to be as predicted for the path.
    fn follow(&self, index: usize, predicted: &Outcome) {
        let (program, state) = (&self.subject.program, &self.states[index]);
        if state.instructions > FOLLOWED {
            return;
        }
        let mut solver = solver::reproducible(&solver());
        let query = Query { path_condition: &state.path_condition, goals: &[], model: None };
        let Verdict::Sat(model) = solver.check(&program.exprs, query) else {
            panic!("the path of a state is satisfiable");
        };
        let never = Interrupt::default();
        let (limits, clock) = (limits(50_000_000), Clock::new(None, &never));
        let ends = exec::follow(program, self.start.clone(), &model, limits, &mut *solver, clock);
        let ends: Vec<Option<Outcome>> =
            ends.iter().map(|end| diff::predicted(&program.exprs, end, &model)).collect();
        let visible = |outcome: &Outcome| outcome.visible(&OutputsConfig::default());
        let ends: Vec<_> = ends.iter().map(|end| end.as_ref().map(visible)).collect();
        assert_eq!(ends, [Some(visible(predicted))], "{model:?}");
    }

    /// An input of a path, and the outcome predicted for it.
    pub fn test(&self, index: usize) -> (TestInput, Option<Outcome>) {
        let state = &self.states[index];
        diff::path_test(&self.subject.program, &mut *solver::reproducible(&solver()), state)
            .expect("the path of a state is satisfiable")
    }

    fn shown(&self, place: Option<SourceLine>) -> String {
        let files = &self.subject.program.module.files;
        place.map_or("an unknown line".into(), |place| {
            format!("{}:{}", files[place.file.0 as usize], place.line)
        })
    }

    fn is_in_subject(&self, place: SourceLine) -> bool {
        self.subject.program.module.files[place.file.0 as usize].ends_with("subject.c")
    }

    /// How the paths end, sorted; errors with their line in the subject.
    pub fn ends(&self) -> Vec<String> {
        let mut ends: Vec<String> = self
            .states
            .iter()
            .map(|state| match (&state.halt, state.place) {
                (Halt::Error(error), Some(place)) if self.is_in_subject(place) => {
                    format!("{error} at {}", place.line)
                }
                (halt, _) => {
                    let findings = state.world.findings.iter();
                    findings.map(|f| format!("{f} and ")).collect::<String>() + &halt.to_string()
                }
            })
            .collect();
        ends.sort();
        ends
    }
}

/// Whether a sanitizer is expected to report something on a path.
fn finds_something(state: &HaltState) -> bool {
    matches!(state.halt, Halt::Error(_)) || !state.world.findings.is_empty()
}

/// Runs an input natively, and compares the outcome with the prediction.
#[track_caller]
pub fn compare(replayer: &Replayer, input: &TestInput, predicted: &Outcome, is_error: bool) {
    let shown = replayer.outcome(input, Revision::ORIGINAL, is_error).expect("it runs");
    let visible = |outcome: &Outcome| outcome.visible(&OutputsConfig::default());
    let (expected, shown_visible) = (visible(predicted), visible(&shown));
    assert!(
        expected == shown_visible,
        "on {}\nthe engine predicts {}\nthe native run gave {}",
        describe_input(input),
        describe(predicted, &expected, &shown_visible),
        describe(&shown, &shown_visible, &expected)
    );
}

fn describe(outcome: &Outcome, visible: &Visible, other: &Visible) -> String {
    let text = |bytes: &Option<Vec<u8>>, other: &Option<Vec<u8>>| {
        let (bytes, other) = (bytes.as_deref().unwrap_or_default(), other.as_deref());
        let same = bytes.iter().zip(other.unwrap_or_default()).take_while(|(a, b)| a == b).count();
        let shown = &bytes[same.saturating_sub(60)..bytes.len().min(same + 60)];
        format!("\"{}\" (from byte {})", shown.escape_ascii(), same.saturating_sub(60))
    };
    format!(
        "{} {:?} {:?}, stdout {}, stderr {}, outputs {:?}",
        outcome.termination,
        outcome.finding,
        outcome.noted,
        text(&visible.stdout, &other.stdout),
        text(&visible.stderr, &other.stderr),
        visible.outputs
    )
}

fn describe_input(input: &TestInput) -> String {
    let stdin = input.stdin.as_deref().unwrap_or_default().escape_ascii();
    format!("stdin \"{stdin}\", objects {:?}", input.objects)
}

fn limits(instructions: u64) -> PathLimits {
    PathLimits { instructions, concretisations: 64, solver: solver().timeout }
}

/// The solver of the tests, which evaluates every model again.
pub fn solver() -> SolverConfig {
    SolverConfig { check_models: true, ..SolverConfig::default() }
}

/// Makes the psychic executable the sandbox helper. Usually a program is its own helper, but test
/// executables are not.
#[allow(unsafe_code, reason = "changes the environment")]
fn sandbox() {
    static SET: Once = Once::new();
    // SAFETY: this runs before any sandbox is started, and nothing else here changes the
    // environment.
    SET.call_once(|| unsafe {
        env::set_var("PSYCHIC_SANDBOX", env!("CARGO_BIN_EXE_psychic"));
    });
}

/// Compiles and links bitcode as `psychic explore` does, with the libc functions that the program
/// needs.
fn bitcode(compilation: &Compilation) -> (PathBuf, Closure) {
    let program = compilation.directory.join("program.bc");
    toolchain().bitcode(compilation, &program).expect("it compiles");
    let module = lower::load(&program).expect("valid bitcode");
    let undefined = module.functions.iter().filter(|function| function.code.is_empty());
    let variables = module.globals.iter().filter(|variable| variable.external);
    let undefined = undefined.map(|function| function.name.as_str());
    let undefined = undefined.chain(variables.map(|variable| variable.name.as_str()));
    let defined = module.functions.iter().filter(|function| !function.code.is_empty());
    let defined = defined.map(|function| function.name.as_str());
    let library = libc().closure(undefined, defined, models::stand_alone);
    let linked = compilation.directory.join("linked.bc");
    toolchain().link_bitcode(&program, &library, &linked).expect("it links");
    (linked, library)
}

/// Runs a check on each item, as many at a time as there are processors. Plain threads are used
/// because the explorer has a rayon pool: from within another pool, one check could start while
/// another waits.
pub fn each_in_parallel<T: Sync, R: Send>(items: &[T], check: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            results.push((at, check(item)));
        }
        results
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("checks catch panics")).collect()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The seeds that an environment variable asks for, as in `10..20`, or else the default ones.
pub fn seeds(variable: &str, usual: Range<u64>) -> Vec<u64> {
    let Ok(text) = env::var(variable) else { return usual.collect() };
    let bounds = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    bounds
        .map(Range::collect)
        .unwrap_or_else(|| panic!("{variable} is two numbers with .. between them"))
}
