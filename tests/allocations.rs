//! Checks what the engine allocates: nothing for concrete code in the steady state, and nothing for
//! a fork that grows with memory or stack.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    time::Duration,
};

use psychic::{
    compile::{Compilation, Toolchain},
    env::{libc::stdin::Stdin, models::Models},
    exec::{
        Arguments, Clock, Coverage, Executor, Harvest, PathLimits, Program, Quantum, Start, State,
    },
    interrupt::Interrupt,
    ir::lower,
    solver::{SolverConfig, chain},
    subject::{OpenClasses, Revision, Times},
};

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, with counters of what each thread asks for.
struct Counting;

impl Counting {
    fn count(bytes: usize) {
        CALLS.set(CALLS.get() + 1);
        BYTES.set(BYTES.get() + bytes as u64);
    }
}

// SAFETY: every call is passed on to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count(size);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`, the calls of the allocator, and the bytes asked for while it runs.
fn counted<T>(work: impl FnOnce() -> T) -> (T, u64, u64) {
    let before = (CALLS.get(), BYTES.get());
    let result = work();
    (result, CALLS.get() - before.0, BYTES.get() - before.1)
}

fn program(source: &str, count: u32) -> (Program, State) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("program.c"), source).expect("written");
    let compilation = Compilation {
        directory: directory.path().to_owned(),
        sources: vec!["program.c".into()],
        flags: vec![format!("-DCOUNT={count}")],
        ..Compilation::default()
    };
    let bitcode = directory.path().join("program.bc");
    let toolchain = Toolchain::find().expect("clang 19");
    toolchain.bitcode(&compilation, &bitcode).expect("it compiles");
    let program = Program::new(lower::load(&bitcode).expect("valid bitcode"), &Models::default());
    let start = program.start(Start {
        entry: "main".into(),
        revisions: [Revision::ORIGINAL].into_iter().collect(),
        args: vec![Arguments::Text(b"program".to_vec())],
        env: Vec::new(),
        stdin: Stdin::symbolic(&program.exprs, 0),
        files: Vec::new(),
        times: Times::default(),
    });
    let start = start.expect("it has a main").pop().expect("one command line");
    (program, start)
}

fn run(program: &Program, state: State, instructions: u64) -> Harvest {
    let config = SolverConfig::default();
    let limits =
        PathLimits { instructions: u64::MAX, concretisations: 64, solver: Duration::from_secs(10) };
    let never = Interrupt::default();
    let clock = Clock::new(None, &never);
    let open = OpenClasses::default();
    let quantum = Quantum { instructions, ..Quantum::unlimited(&open, clock) };
    let mut coverage = Coverage::default();
    Executor::run(program, limits, &mut *chain(&config), &mut coverage, state, quantum)
}

/// A loop with calls, local arrays of several sizes, one of variable length, structs by value, and
/// variable arguments; each round has one backward jump. The two numbers of rounds are chosen so
/// that no power of two lies between them, at which a copy of the state is kept to find endless
/// loops, and so that the tree of objects, which grows with every 32-fold of objects, does not
/// grow.
#[test]
fn concrete_code_allocates_nothing_in_its_stride() {
    let source = r"
        #include <stdarg.h>
        struct pair { long first, second; char text[40]; };
        static long sum(int count, ...) {
            va_list list;
            va_start(list, count);
            long all = va_arg(list, int);
            all += va_arg(list, long);
            struct pair pair = va_arg(list, struct pair);
            va_end(list);
            return all + pair.first + pair.second + pair.text[3];
        }
        static long fill(int round) {
            char small[3] = {1, 2, 3};
            int large[100] = {0};
            large[round % 100] = round;
            short copy[50];
            __builtin_memcpy(copy, large, sizeof copy);
            return small[round % 3] + large[round % 100] + copy[2];
        }
        static struct pair make(int round) {
            struct pair pair = {round, -round, {0}};
            char varying[round % 7 + 1];
            varying[round % 7] = 5;
            pair.text[3] = varying[round % 7];
            return pair;
        }
        int main(void) {
            long all = 0;
            for (int round = 0; round < COUNT; round++)
                all += fill(round) + sum(3, round, (long)round, make(round));
            return all & 1;
        }";
    let calls = |count| {
        let (program, start) = program(source, count);
        let (harvest, calls, _) = counted(|| run(&program, start, u64::MAX));
        assert_eq!(harvest.halted.len(), 1, "{harvest:?}");
        assert_eq!(harvest.halted[0].halt.to_string(), "exit");
        calls
    };
    let (some, more) = (calls(3700), calls(4090));
    assert!(some > 0);
    // The attempt to prove that the loop never ends builds different terms for a different count.
    assert!(some.abs_diff(more) < 8, "{some} in 3700, {more} in 4090 rounds");
}

/// Measures the bytes that a copy of a state allocates, and those that a write by the copy
/// allocates, deep in a recursion in which every frame has an array.
#[test]
fn a_fork_copies_neither_memory_nor_stack() {
    let source = r"
        volatile long sink;
        static void down(int depth) {
            int array[4];
            array[depth % 4] = depth;
            if (depth == 0)
                while (sink++ != -1) {}
            down(depth - 1);
            sink = array[depth % 4];
        }
        int main(void) { down(COUNT); return 0; }";
    let cost = |count: u32| {
        let (program, start) = program(source, count);
        let mut harvest = run(&program, start, 100 * u64::from(count) + 500);
        let state = harvest.running.pop().expect("it has no end");
        assert_eq!(state.callers.len(), count as usize + 1);
        let (mut fork, _, copied) = counted(|| state.clone());
        let object = fork.memory.unused_from() - 1;
        let at = psychic::ir::address::object_address(object);
        let (_, _, written) = counted(|| {
            fork.memory.object_mut(at).expect("an array").write(&program.exprs, 0, &[7])
        });
        (copied, written)
    };
    let (small, large) = (cost(10), cost(10_000));
    assert_eq!(small.0, large.0, "a copy with 10 and with 10,000 frames");
    // A write copies only the pages on the way from the root to the written object.
    assert!(large.1 <= small.1 + 2 * 1024, "{small:?} {large:?}");
}
