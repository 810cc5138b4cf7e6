//! The steps of a run, and what each rests on ([`Record`]).

use fixedbitset::FixedBitSet;
use smallvec::SmallVec;

use crate::{
    env::{Approximation, Halt},
    exec::Program,
    expr::ExprId,
    ir::{FunctionId, Inst, SourceLine},
};

/// A step of a [`Record`], by its number.
pub type RunStep = u32;

/// A run, step by step.
#[derive(Debug, Default)]
pub struct Record {
    /// The steps in the order in which they ran. A step that writes several bytes is there once for
    /// each byte, if each rests on something else.
    pub steps: Vec<Executed>,
    /// What the program showed, in order.
    pub shown: Vec<Shown>,
    /// How the run ended; `None` if it was left before its end.
    pub halt: Option<Halt>,
    /// Whether memory that was never written may have decided something.
    pub unsure: bool,
    /// What was not followed exactly, if the run came to its end.
    pub approximations: Vec<Approximation>,
}

/// An instruction that ran.
#[derive(Clone, Debug)]
pub struct Executed {
    /// The function, and the number of the instruction in it.
    pub place: (FunctionId, u32),
    /// The steps whose results it used.
    pub data: SmallVec<[RunStep; 2]>,
    /// The branch that decided that it ran; or the call of its function.
    pub control: Option<RunStep>,
    /// The conditions on the input that it decided. They hold.
    pub conditions: SmallVec<[ExprId; 1]>,
}

/// Something that a program showed.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Where.
    pub channel: Channel,
    /// The byte that natively appears there.
    pub byte: u8,
    /// The value of which it is a part, if that depends on the input.
    pub value: Option<ExprId>,
    /// The step that showed it.
    pub step: RunStep,
}

/// Where a program shows something.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A value that it has named (`psychic_output`).
    Output(String),
    /// Its exit code.
    Exit,
}

impl Record {
    /// The dynamic backward slice of some steps: all steps on which they rest, directly or not, and
    /// themselves.
    pub fn slice(&self, from: &[RunStep]) -> FixedBitSet {
        let mut slice = FixedBitSet::with_capacity(self.steps.len());
        let mut left = from.to_vec();
        while let Some(step) = left.pop() {
            if !slice.put(step as usize) {
                let Executed { data, control, .. } = &self.steps[step as usize];
                left.extend(data.iter().chain(control));
            }
        }
        slice
    }

    /// Whether a step is a call.
    pub fn is_call(&self, program: &Program, step: usize) -> bool {
        let (function, pc) = self.steps[step].place;
        let code = &program.module.functions[function.0 as usize].code;
        matches!(code.get(pc as usize), Some(Inst::Call(_)))
    }

    /// The source line of a step.
    pub fn line(&self, program: &Program, step: usize) -> Option<SourceLine> {
        let (function, pc) = self.steps[step].place;
        let function = &program.module.functions[function.0 as usize];
        let place = function.places.get(pc as usize)?;
        (!function.library && place.line > 0).then_some(*place)
    }
}
