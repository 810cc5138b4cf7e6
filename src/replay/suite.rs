//! A suite of tests with the outcomes that are expected, for files that need nothing of Psychic.

use std::path::PathBuf;

use super::{Termination, TestInput, Visible, script::is_given};
use crate::{
    results::TestId,
    subject::{GivenFile, Times},
};

/// What the harness of an entry function calls, in place of the native runtime.
const HEADER: &str = include_str!("suite/psychic.h");

/// Tests, and what they run.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Lines that say what it tests.
    pub about: Vec<String>,
    /// What the tests run.
    pub tested: Tested,
    /// The directory that sources and flags are relative to.
    pub root: PathBuf,
    /// The sources to compile, relative to `root`; none if it takes more to build the program. The
    /// first one has the entry function.
    pub sources: Vec<PathBuf>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// The environment variables, as in [`Binaries::variables`](super::Binaries::variables).
    pub variables: Vec<(String, Option<Vec<u8>>)>,
    /// After how many seconds a run is stopped.
    pub seconds: u64,
    /// Whether standard output counts, and whether standard error does.
    pub counts: [bool; 2],
    /// The tests.
    pub cases: Vec<Case>,
}

/// What the tests of a [`Suite`] run.
#[derive(Clone, Debug)]
pub enum Tested {
    /// A function.
    Entry {
        /// The C text that includes `source.c` and `psychic.h` and calls the function
        /// (`compile::harness`).
        harness: String,
    },
    /// A program.
    Program {
        /// The files in the directory that it starts in.
        files: Vec<GivenFile>,
        /// The names of the files that a test gives.
        symbolic_files: Vec<String>,
    },
}

/// A test of a [`Suite`].
#[derive(Clone, Debug)]
pub struct Case {
    /// The number of the test.
    pub test: TestId,
    /// Its input and the expected outcome, in one line.
    pub about: String,
    /// Its input.
    pub input: TestInput,
    /// The expected outcome, or why it is not known.
    pub expected: Result<Visible, String>,
}

impl Suite {
    /// The expected outcome of a test, or why a file cannot tell it.
    pub(super) fn expected<'a>(&self, case: &'a Case) -> Result<&'a Visible, &'a str> {
        let expected = case.expected.as_ref().map_err(String::as_str)?;
        match &self.tested {
            Tested::Entry { .. } if !expected.files.is_empty() => Err("the function leaves files"),
            Tested::Program { .. } if !expected.outputs.is_empty() => {
                Err("the program calls psychic_output, which only Psychic's runtime has")
            }
            Tested::Program { symbolic_files, .. }
                if !is_given(&case.input, &self.variables, symbolic_files, &Times::default()) =>
            {
                Err("the program calls psychic_symbolic, which only Psychic's runtime has")
            }
            _ => Ok(expected),
        }
    }
}

/// The exit code and the signal of a run that ended by itself.
pub(super) fn ending(expected: &Visible) -> (Option<u8>, Option<i32>) {
    match expected.termination {
        Some(Termination::Exit(code)) => (Some(code), None),
        Some(Termination::Signal(signal)) => (None, Some(signal)),
        Some(Termination::Timeout | Termination::OutputLimit) | None => (None, None),
    }
}

/// What the harness calls, and the harness as the function `psychic_call`. This function is for a
/// file that includes the source as `source`, a string in quotes or a macro.
pub(super) fn call(harness: &str, source: &str) -> (&'static str, String) {
    let call =
        harness.replacen("#include \"source.c\"\n", &format!("#include {source}\n"), 1).replacen(
            "#include \"psychic.h\"\n",
            "#include <stddef.h>\n#define main psychic_call\n",
            1,
        );
    (HEADER, call)
}
