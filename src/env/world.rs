//! What a state knows of the world outside its memory ([`World`]): the inputs it has taken, the
//! outputs it has made ([`Effects`]), and the weaknesses of its path ([`Approximation`]).

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    env::{kernel::state::Kernel, libc::stdin::Stdin, libc::stream::Stream},
    errors::Error,
    expr::{Assignment, ExprId, Exprs, Rounding, float::EXCEPTIONS},
    memory::Byte,
};

/// A symbolic object of the input, such as `klee_make_symbolic` makes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InputObject {
    /// The name of the object, unique on this path.
    pub name: String,
    /// The bytes of the object, each an 8-bit expression over input variables.
    pub bytes: Vec<ExprId>,
}

/// One argument of a command line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Argument {
    /// This text.
    Text(Vec<u8>),
    /// Known bytes, followed by symbolic ones.
    Symbolic {
        /// The known bytes at the beginning.
        prefix: Vec<u8>,
        /// The largest number of symbolic bytes between the prefix and the NUL.
        size: u32,
    },
}

/// A value named by `psychic_output`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NamedOutput {
    /// The name of the output. A path may use one name several times.
    pub name: String,
    /// The bytes of the value at the time of the call.
    pub bytes: Vec<Byte>,
}

/// Something that weakens what may be claimed about a path.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, thiserror::Error)]
pub enum Approximation {
    /// A decision depended on the number of an address, first at this place (`FILE:LINE`, if it is
    /// known).
    #[error("modelled loosely: an address used as a number{}", at(.0.as_deref()))]
    AddressAsNumber(Option<String>),
    /// An address became part of an output.
    #[error("modelled loosely: an address that is shown")]
    AddressShown,
    /// The program called this engine function, which returns another value in a native run; or it
    /// gave this reason why a value cannot be compared (`psychic_unknown`).
    #[error("modelled loosely: {0}")]
    EngineCall(String),
    /// A system call that has no model.
    #[error("modelled loosely: system call {0}, which gives ENOSYS")]
    SystemCall(String),
    /// An error that the processor reports by a signal for which the program has a handler.
    #[error("modelled loosely: {0}, with a handler for its signal")]
    Caught(Error),
    /// A decision depended on memory that was never written, whose content counts as arbitrary.
    #[error("modelled loosely: a decision on memory that was never written")]
    UninitialisedDecision,
    /// A decision of a whole program depended on an undefined value, such as the result of a
    /// function that ended without returning one.
    #[error("modelled loosely: a decision on an undefined value")]
    NoResult,
    /// The value of this function of the C library was left arbitrary. A proof for every value
    /// holds, but what a native run shows is not known.
    #[error("a function whose value was left open: {0}")]
    Function(&'static str),
    /// The program is run whole and has destructors, which do not run here.
    #[error("modelled loosely: destructors in a program that is run whole")]
    Destructors,
    /// An output contains bytes that were never written.
    #[error("uninitialised output: {0}")]
    UninitialisedOutput(String),
    /// An output of a function lies where the program has no memory.
    #[error("no memory of the program: {0}")]
    UnreadableOutput(String),
}

fn at(place: Option<&str>) -> String {
    place.map(|place| format!(" at {place}")).unwrap_or_default()
}

/// The world of one state. Clones share whatever neither of them changes.
#[derive(Clone, Debug)]
pub struct World {
    /// The input, if only a single input is followed.
    pub given: Option<Arc<Assignment>>,
    /// Standard input.
    pub stdin: Stdin,
    /// The text written to standard output.
    pub stdout: Stream,
    /// The text written to standard error.
    pub stderr: Stream,
    /// The values that the program has named as outputs.
    pub outputs: Arc<Vec<NamedOutput>>,
    /// The symbolic objects in the order in which they were made.
    pub objects: Arc<Vec<InputObject>>,
    /// The command line. Its symbolic arguments are the objects `arg00`, `arg01` and so on.
    pub arguments: Arc<Vec<Argument>>,
    /// The addresses of the `FILE` objects of `stdin`, `stdout` and `stderr`.
    pub files: StandardFiles,
    /// The state of the operating system.
    pub kernel: Arc<Kernel>,
    /// The address of `errno`.
    pub errno: u64,
    /// Whether the program is run whole: its libc is a part of it, and only the kernel is modelled.
    pub is_whole: bool,
    /// How results of floating-point operations are rounded.
    pub rounding: Rounding,
    /// The flags of floating-point exceptions, if the program can ask for any.
    pub exceptions: Option<Exceptions>,
    /// The addresses of the functions to run at exit; the last one runs first.
    pub at_exit: Vec<u64>,
    /// Errors after which the path went on. A sanitizer finds them in a native run, too.
    pub findings: BTreeSet<Error>,
    /// What weakens this path.
    pub approximations: Vec<Approximation>,
}

/// What a program has done to the world. Revisions that share a state may differ only in this.
#[derive(Clone, Debug)]
pub struct Effects {
    stdout: Stream,
    stderr: Stream,
    outputs: Arc<Vec<NamedOutput>>,
    kernel: Arc<Kernel>,
}

impl Effects {
    /// Whether a byte of a file, or a word of a signal action, is an expression that satisfies
    /// `is`.
    pub fn depend(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        self.kernel.depends(is)
    }

    /// Whether nothing was done since `earlier`. The check is quick.
    pub fn is_unchanged_since(&self, earlier: &Self) -> bool {
        self.stdout.is_unchanged_since(&earlier.stdout)
            && self.stderr.is_unchanged_since(&earlier.stderr)
            && Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
    }
}

impl PartialEq for Effects {
    fn eq(&self, other: &Self) -> bool {
        // Most pairs share both.
        (Arc::ptr_eq(&self.kernel, &other.kernel) || self.kernel == other.kernel)
            && (Arc::ptr_eq(&self.outputs, &other.outputs) || self.outputs == other.outputs)
            && self.stdout == other.stdout
            && self.stderr == other.stderr
    }
}

/// The flags of floating-point exceptions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Exceptions {
    /// For each exception a 1-bit condition that says whether it is raised, in the order of the
    /// bits of `<fenv.h>`.
    pub raised: [ExprId; EXCEPTIONS],
    /// An earlier operation, if any, whose exceptions are unknown.
    pub unknown: Option<&'static str>,
}

/// The addresses of the `FILE` objects of the standard streams.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[allow(missing_docs)]
pub struct StandardFiles {
    pub stdin: u64,
    pub stdout: u64,
    pub stderr: u64,
}

impl World {
    /// The part `name` of the input, `width` bits: a variable, or its value if only a single input
    /// is followed.
    pub fn input(&self, exprs: &Exprs, name: &str, width: u32) -> ExprId {
        let variable = exprs.input(name, width);
        match &self.given {
            Some(given) => exprs.bv(&exprs.evaluate(variable, given)),
            None => variable,
        }
    }

    /// Notes an approximation, if it is not noted yet.
    pub fn approximate(&mut self, what: Approximation) {
        if !self.approximations.contains(&what) {
            self.approximations.push(what);
        }
    }

    /// Whether a proof may rest on this path. It may if the only approximations are functions whose
    /// value was left arbitrary, because what holds for any value holds for the real one.
    pub fn is_followed(&self) -> bool {
        self.approximations.iter().all(|what| matches!(what, Approximation::Function(_)))
    }

    /// Notes that `what` may raise floating-point exceptions, without saying which.
    pub fn raise_unknown(&mut self, what: &'static str) {
        if let Some(exceptions) = &mut self.exceptions {
            exceptions.unknown.get_or_insert(what);
        }
    }

    /// Whether nothing went in or out since `earlier` (for the detection of endless loops).
    pub fn same(&self, earlier: &Self) -> bool {
        self.effects().is_unchanged_since(&earlier.effects())
            && self.objects.len() == earlier.objects.len()
            && self.has_same_state(earlier)
    }

    /// Whether nothing but the printed text has changed since `earlier`. The check is quick.
    pub fn differs_in_text_only(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
            && self.objects.len() == earlier.objects.len()
            && self.has_same_state(earlier)
    }

    /// Whether nothing but the printed text, and the amount of typed input that was read, has
    /// changed since `earlier`.
    pub fn goes_on_from(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.kernel, &earlier.kernel)
            && self.outputs.len() == earlier.outputs.len()
            && self.objects.len() == earlier.objects.len()
            && self.stdin.goes_on_from(&earlier.stdin)
            && self.has_same_rest(earlier)
    }

    /// Whether two worlds differ only in their effects, which include the files and counters of
    /// the kernel.
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

    /// What the program has done to the world so far.
    pub fn effects(&self) -> Effects {
        Effects {
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
            outputs: self.outputs.clone(),
            kernel: self.kernel.clone(),
        }
    }

    /// This world with its effects replaced by `effects`.
    pub fn with(self, effects: Effects) -> Self {
        let Effects { stdout, stderr, outputs, kernel } = effects;
        Self { stdout, stderr, outputs, kernel, ..self }
    }
}
