//! Compiler flags, by what a source is compiled to.

use super::divisions::DIVISIONS;
use crate::errors::Sanitizer;

/// Flags that accept old C: many subjects are written in a dialect that clang 19 rejects by
/// default.
pub(super) const DIALECT: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
    "-Wno-error=return-type",
    // A meta program nests one arm for each revision.
    "-fbracket-depth=65536",
];

/// Flags that turn off every warning, whatever flags come before, except the warning of a division
/// by a constant zero, which [`checking_divisions`](super::divisions::checking_divisions) reads. No
/// warning is an error.
pub(super) const WARNINGS: &[&str] = &["-Wno-everything", "-Wno-error", "-Wdivision-by-zero"];

/// Flags that bitcode and native builds share, so that they behave alike.
pub(super) const SEMANTICS: &[&str] = &[
    "-O0",
    "-g",
    "-fno-stack-protector",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-ffp-contract=off",
    "-U_FORTIFY_SOURCE",
];

/// Flags with which the optimiser may neither choose a value for what was never written, nor assume
/// anything about allocated memory. They apply to native code and to bitcode.
pub(super) const CAREFUL: &[&str] = &[
    "-ftrivial-auto-var-init=zero",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
];

pub(super) const BITCODE: &[&str] = &[
    "-emit-llvm",
    // Passes such as mem2reg may run on the module later.
    "-Xclang",
    "-disable-O0-optnone",
];

/// Flags that keep a module as the front end makes it, before any pass. Lifetime markers are off,
/// so that a variable lives as long as its function, also under sanitizers: the engine does not see
/// the end of a block.
pub(super) const UNCHANGED: &[&str] =
    &["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers"];

impl Sanitizer {
    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::AddressUndefined => &[
                "-fsanitize=address,integer-divide-by-zero,null,unreachable,return,array-bounds",
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
            ],
            Self::Memory => &[
                "-fsanitize=memory",
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
                "-fPIE",
                "-pie",
            ],
        }
    }

    /// The last part of the names of files built with the sanitizer.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::None => "native",
            Self::AddressUndefined => "asan",
            Self::Memory => "msan",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::AddressUndefined => "AddressSanitizer",
            Self::Memory => "MemorySanitizer",
        }
    }
}

/// What a source is compiled to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Product {
    /// Bitcode for the engine.
    Bitcode,
    /// Bitcode that is to become native code, before any pass.
    Native(Sanitizer),
}

impl Product {
    /// The compiler flags for this kind of output, in a program with the flags `own`.
    pub(super) fn flags(self, own: &[String]) -> Vec<&'static str> {
        match self {
            Self::Bitcode if have_passes(own) => BITCODE.to_vec(),
            Self::Bitcode => [BITCODE, UNCHANGED].concat(),
            Self::Native(sanitizer) => [&["-emit-llvm"], sanitizer.flags(), UNCHANGED].concat(),
        }
    }

    pub(super) fn suffix(self) -> String {
        match self {
            Self::Bitcode => "bc".into(),
            // Object files are made beside these modules.
            Self::Native(sanitizer) => format!("{}.ir", sanitizer.suffix()),
        }
    }
}

/// Whether a program's flags run passes that change its code: those of an optimiser or of a
/// sanitizer. Otherwise, plain native code is made from the same bitcode that the engine reads.
pub(super) fn have_passes(flags: &[String]) -> bool {
    // The front end itself inserts the checks for divisions by zero.
    let is_pass = |flag: &str| flag.starts_with("-fsanitize") && !DIVISIONS.contains(&flag);
    are_optimising(flags) || flags.iter().any(|flag| is_pass(flag))
}

pub(super) fn are_optimising(flags: &[String]) -> bool {
    flags.iter().any(|flag| flag.starts_with("-O") && flag != "-O0")
}

/// The additional flags for programs whose flags make the compiler optimise.
pub(super) fn careful(flags: &[String]) -> &'static [&'static str] {
    if are_optimising(flags) { CAREFUL } else { &[] }
}

pub(super) fn is_sanitized<'a>(mut flags: impl Iterator<Item = &'a str>) -> bool {
    flags.any(|flag| flag.starts_with("-fsanitize"))
}
