//! One run of a program on one known input, with what each step rests on: dynamic dependence by
//! data and control (Agrawal and Horgan, "Dynamic program slicing", PLDI 1990), and the conditions
//! on the input that branches decided.
//!
//! A stack of the branches whose ways have not met yet gives the control dependences (Xin and
//! Zhang, "Efficient online detection of dynamic control dependence", ISSTA 2007).

mod accesses;
mod only_input;
mod outside;
mod recorder;
mod regions;
mod steps;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use self::steps::{Channel, Executed, Record, RunStep, Shown};
use self::{only_input::OnlyInput, recorder::Recorder, regions::Regions};
use super::{Clock, Executor, PathLimits, Program, Quantum, State};
use crate::{expr::Assignment, subject::OpenClasses};

/// Records the run that begins with `first` and stays on the input `seed`, for at most `most`
/// steps. Inputs that are variables in `first` stay variables, and `seed` says which way branches
/// on them go.
pub fn record(
    program: &Program,
    mut first: State,
    seed: &Arc<Assignment>,
    limits: PathLimits,
    clock: Clock<'_>,
    most: usize,
) -> Record {
    let all = OpenClasses::one(first.revisions.clone());
    let decided = Arc::default();
    let mut solver = OnlyInput { seed: seed.clone(), decided: Arc::clone(&decided) };
    first.model = seed.clone();
    let quantum = Quantum::unlimited(&all, clock);
    let executor = Executor::new(program, limits, &mut solver, first, quantum);
    let recorder = Recorder {
        executor,
        seed,
        decided,
        record: Record::default(),
        frames: Vec::new(),
        memory: FxHashMap::default(),
        regions: Regions::default(),
    };
    recorder.run(clock, most)
}
