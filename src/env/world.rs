//! What a state knows of the world outside its memory: inputs taken, outputs made.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    env::{kernel::state::Kernel, libc::stdin::Stdin, libc::stream::Stream},
    errors::Error,
    expr::{Assignment, ExprId, Exprs, Rounding, float::EXCEPTIONS},
    memory::Byte,
};

/// A symbolic object of the input, as `klee_make_symbolic` names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InputObject {
    /// Its unique name on this path.
    pub name: String,
    /// Its bytes, each an 8-bit expression over input variables.
    pub bytes: Vec<ExprId>,
}

/// One argument of a command line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Argument {
    /// This text.
    Text(Vec<u8>),
    /// Known bytes, and behind them any others, at most so many before the NUL.
    Symbolic {
        /// What it begins with.
        prefix: Vec<u8>,
        /// The most bytes behind that.
        size: u32,
    },
}

/// A value named by `psychic_output`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NamedOutput {
    /// Its name; the same name may come several times.
    pub name: String,
    /// Its bytes at the time of the call.
    pub bytes: Vec<Byte>,
}

/// Something that weakens what may be claimed of a path.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, thiserror::Error)]
pub enum Approximation {
    /// Something was decided by an address, first at this place (`FILE:LINE`, where it is known).
    #[error("modelled loosely: an address used as a number{}", at(.0.as_deref()))]
    AddressAsNumber(Option<String>),
    /// An address was shown.
    #[error("modelled loosely: an address that is shown")]
    AddressShown,
    /// A function of the engine that tells a native run something else, or a value that cannot
    /// be compared.
    #[error("modelled loosely: {0}")]
    EngineCall(String),
    /// A system call that there is no model of.
    #[error("modelled loosely: system call {0}, which gives ENOSYS")]
    SystemCall(String),
    /// An error of which the processor tells the program, which has a handler for the signal.
    #[error("modelled loosely: {0}, with a handler for its signal")]
    Caught(Error),
    /// Something was decided by memory that was never written, whose content is to be any.
    #[error("modelled loosely: a decision on memory that was never written")]
    UninitialisedDecision,
    /// Something in a whole program was decided by a value that nothing has given, as that of a
    /// function that returns none.
    #[error("modelled loosely: a decision on a result that nobody gave")]
    NoResult,
    /// The value of a function of the C library was taken for any: what follows from that is proved, but
    /// what is seen is not known.
    #[error("a function that was not looked into: {0}")]
    Function(&'static str),
    /// An output contains bytes that were never written.
    #[error("uninitialised output: {0}")]
    UninitialisedOutput(String),
}

fn at(place: Option<&str>) -> String {
    place.map(|place| format!(" at {place}")).unwrap_or_default()
}

/// The world of one state; a clone shares what neither side changes.
#[derive(Clone, Debug)]
pub struct World {
    /// What the input is, where only one is followed.
    pub given: Option<Arc<Assignment>>,
    /// Standard input.
    pub stdin: Stdin,
    /// What was written to standard output.
    pub stdout: Stream,
    /// What was written to standard error.
    pub stderr: Stream,
    /// Values named by the program.
    pub outputs: Arc<Vec<NamedOutput>>,
    /// Symbolic objects in the order they were made.
    pub objects: Arc<Vec<InputObject>>,
    /// The command line; its symbolic arguments are the objects `arg00`, `arg01` and so on.
    pub arguments: Arc<Vec<Argument>>,
    /// Addresses of the `FILE` objects behind `stdin`, `stdout` and `stderr`.
    pub files: StandardFiles,
    /// The operating system.
    pub kernel: Arc<Kernel>,
    /// Address of `errno`.
    pub errno: u64,
    /// The program has its libc with it, and of the system only the kernel.
    pub is_whole: bool,
    /// How results of floating-point operations are rounded.
    pub rounding: Rounding,
    /// The flags of floating-point exceptions, if the program asks for any.
    pub exceptions: Option<Exceptions>,
    /// Addresses of the functions to run at the end, the last one first.
    pub at_exit: Vec<u64>,
    /// Errors that it went on after: a sanitizer finds them in a native run, too.
    pub findings: BTreeSet<Error>,
    /// What weakens this path.
    pub approximations: Vec<Approximation>,
}

/// What a program has done to the world: in this alone revisions may differ that are one state.
#[derive(Clone, Debug)]
pub struct Effects {
    stdout: Stream,
    stderr: Stream,
    outputs: Arc<Vec<NamedOutput>>,
    kernel: Arc<Kernel>,
}

impl Effects {
    /// Whether a byte of a file, or what is done at a signal, is an expression that satisfies a
    /// condition.
    pub fn depend(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        self.kernel.depends(is)
    }

    /// Whether nothing was done between two moments; quick.
    pub fn is_unchanged_since(&self, earlier: &Self) -> bool {
        self.stdout.is_unchanged_since(&earlier.stdout)
            && self.stderr.is_unchanged_since(&earlier.stderr)
            && Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
    }
}

impl PartialEq for Effects {
    fn eq(&self, other: &Self) -> bool {
        // Most are the very same.
        (Arc::ptr_eq(&self.kernel, &other.kernel) || self.kernel == other.kernel)
            && (Arc::ptr_eq(&self.outputs, &other.outputs) || self.outputs == other.outputs)
            && self.stdout == other.stdout
            && self.stderr == other.stderr
    }
}

/// The flags of floating-point exceptions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Exceptions {
    /// Whether each is raised, conditions by the bits of `<fenv.h>`.
    pub raised: [ExprId; EXCEPTIONS],
    /// Something before of which it is not known what it raises.
    pub unknown: Option<&'static str>,
}

/// Addresses of the standard `FILE` objects.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[allow(missing_docs)]
pub struct StandardFiles {
    pub stdin: u64,
    pub stdout: u64,
    pub stderr: u64,
}

impl World {
    /// A part of the input: a variable, or its value where only one input is followed.
    pub fn input(&self, exprs: &Exprs, name: &str, width: u32) -> ExprId {
        let variable = exprs.input(name, width);
        match &self.given {
            Some(given) => exprs.bv(&exprs.evaluate(variable, given)),
            None => variable,
        }
    }

    /// Notes an approximation once.
    pub fn approximate(&mut self, what: Approximation) {
        if !self.approximations.contains(&what) {
            self.approximations.push(what);
        }
    }

    /// Whether what is proved of all that it may be is proved.
    pub fn is_followed(&self) -> bool {
        self.approximations.iter().all(|what| matches!(what, Approximation::Function(_)))
    }

    /// Takes note that something may raise exceptions, it is not known which.
    pub fn raise_unknown(&mut self, what: &'static str) {
        if let Some(exceptions) = &mut self.exceptions {
            exceptions.unknown.get_or_insert(what);
        }
    }

    /// Whether nothing went in or out between two moments (for the detection of loops).
    pub fn same(&self, earlier: &Self) -> bool {
        self.effects().is_unchanged_since(&earlier.effects())
            && self.objects.len() == earlier.objects.len()
            && self.has_same_state(earlier)
    }

    /// Whether all but what was printed is the same; quick.
    pub fn differs_in_text_only(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
            && self.objects.len() == earlier.objects.len()
            && self.has_same_state(earlier)
    }

    /// Whether all but what was printed, and how much was read, is the same.
    pub fn goes_on_from(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
            && self.objects.len() == earlier.objects.len()
            && self.stdin.goes_on_from(&earlier.stdin)
            && self.has_same_rest(earlier)
    }

    /// Whether all but the effects, and what these have made of the kernel, is the same.
    pub fn differs_in_effects_only(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.objects, &other.objects) || self.objects == other.objects)
            && self.kernel.differs_in_files_only(&other.kernel)
            && self.has_same_state(other)
    }

    fn has_same_state(&self, other: &Self) -> bool {
        self.stdin == other.stdin && self.has_same_rest(other)
    }

    fn has_same_rest(&self, other: &Self) -> bool {
        self.rounding == other.rounding
            && self.exceptions == other.exceptions
            && self.at_exit == other.at_exit
            && self.findings == other.findings
            && self.approximations == other.approximations
    }

    /// What was done to the world so far.
    pub fn effects(&self) -> Effects {
        Effects {
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
            outputs: self.outputs.clone(),
            kernel: self.kernel.clone(),
        }
    }

    /// The world in which that was done instead.
    pub fn with(self, effects: Effects) -> Self {
        let Effects { stdout, stderr, outputs, kernel } = effects;
        Self { stdout, stderr, outputs, kernel, ..self }
    }
}
