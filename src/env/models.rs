//! The registry of models. A model stands for a function that a program declares but does not
//! define, or runs before or instead of a function of the libc.

use super::call::Model;
use super::kernel;
use super::libc::{
    allocation, digits, fenv, functions, input, integers, intrinsics, math, output, process,
    strings,
};

/// The models that turn values into terms.
const TERMS: &[&[(&str, Model)]] = &[integers::PREPARATIONS, functions::PREPARATIONS];

/// The models in use: all except those that are switched off by name.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Models {
    off: Vec<String>,
    terms: bool,
}

impl Models {
    /// All models except those with these names.
    ///
    /// # Errors
    /// If there is no model of one of these names.
    pub fn without(names: &[String]) -> Result<Self, UnknownModel> {
        match names.iter().find(|name| find(name).or(find_preparation(name)).is_none()) {
            Some(name) => Err(UnknownModel(name.clone())),
            None => Ok(Self { off: names.to_vec(), ..Self::default() }),
        }
    }

    /// These models and, in addition, those that return a term: the value of a mathematical
    /// function of unknown arguments (`env::libc::functions`) or of `atoi` (`env::libc::integers`).
    /// They are for comparing revisions, not for following what one of them does.
    #[must_use]
    pub fn with_terms(self) -> Self {
        Self { terms: true, ..self }
    }

    fn is_on(&self, name: &str) -> bool {
        self.off.iter().all(|off| off != name)
    }

    /// The model of a function that the program only declares.
    pub fn lookup(&self, name: &str) -> Option<Model> {
        find(name).filter(|_| self.is_on(name))
    }

    /// The model to run before the code of a libc function. If it returns a value, this is the
    /// result of the call, and the code does not run.
    pub fn preparation(&self, name: &str) -> Option<Model> {
        let is_term = find_in(TERMS, name).is_some();
        find_preparation(name).filter(|_| self.is_on(name) && (self.terms || !is_term))
    }

    /// The model that replaces a function whose code the program has. Such a function belongs to
    /// the libc (`library`), or is `rawmemchr` unless a patch has changed it (`original`):
    /// `rawmemchr` reads beyond the end of an object on purpose.
    pub fn instead_of(&self, name: &str, library: bool, original: bool) -> Option<Model> {
        const READS_BEYOND: &str = "rawmemchr";
        let replaced = has_code(name) && (library || original && name == READS_BEYOND);
        self.lookup(name).filter(|_| replaced)
    }
}

/// Whether a function has a model that makes its code unnecessary.
pub fn stand_alone(name: &str) -> bool {
    find(name).is_some() && !has_code(name)
}

/// Models that end the program.
const ENDING: [&str; 9] = [
    "_Exit",
    "__assert_fail",
    "_exit",
    "abort",
    "exit",
    "klee_abort",
    "klee_report_error",
    "klee_silent_exit",
    process::DIVISION,
];

/// Whether a function without code never returns.
pub fn ends(name: &str) -> bool {
    ENDING.contains(&name)
}

/// Whether a function has a model that shows something, or ends the program.
pub fn shows(name: &str) -> bool {
    let is_output = || find_in(&[output::MODELS], name).is_some();
    let is_shown = name.starts_with("psychic_output") || is_output();
    ends(name) || is_shown && !output::SILENT.contains(&name)
}

/// Whether a function has a model without effects on the world that asks the kernel nothing.
pub fn has_no_effects(name: &str) -> bool {
    let tables = [allocation::MODELS, strings::MODELS, input::MODELS, math::MODELS, fenv::MODELS];
    let asks = ["psychic_rev", "__klee_meta", "__errno_location", "___errno_location"];
    // A failed assertion prints a message.
    let is_silent = ends(name) && name != "__assert_fail";
    find_in(&tables, name).is_some() || is_silent || asks.contains(&name)
}

/// Whether the libc has code that does the same as the model of this name.
fn has_code(name: &str) -> bool {
    strings::MODELS.iter().any(|(known, _)| *known == name)
        || matches!(name, "__errno_location" | "___errno_location")
}

/// There is no model of this name.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a function that has a model")]
pub struct UnknownModel(String);

fn find(name: &str) -> Option<Model> {
    find_in(
        &[
            intrinsics::MODELS,
            process::MODELS,
            allocation::MODELS,
            strings::MODELS,
            output::MODELS,
            input::MODELS,
            math::MODELS,
            kernel::MODELS,
            fenv::MODELS,
        ],
        name,
    )
}

fn find_preparation(name: &str) -> Option<Model> {
    find_in(&[digits::PREPARATIONS], name).or_else(|| find_in(TERMS, name))
}

fn find_in(tables: &[&[(&str, Model)]], name: &str) -> Option<Model> {
    tables.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, model)| *model)
}
