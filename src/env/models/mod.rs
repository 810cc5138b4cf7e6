//! Models of functions that a program declares but does not define: one registry, one file
//! a header or topic. Each model says which clause of C11 (ISO/IEC 9899:2011) it follows.

pub mod allocation;
mod digits;
pub mod fenv;
mod functions;
pub mod input;
pub mod intrinsics;
pub mod math;
pub mod output;
pub mod process;
mod scan;
pub mod strings;
mod variadic;

use super::{Approximation, Machine, Stop};
use crate::{
    errors::Error,
    expr::ExprId,
    ir::Argument,
    memory::{Byte, Value},
};

/// What reads of characters give at the end of their input.
const EOF: Value = Value::Int(u32::MAX as u64);

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// Their values, variadic ones included.
    pub values: &'a [Value],
    /// How they were passed.
    pub passed: &'a [Argument],
}

impl Arguments<'_> {
    /// The argument of that index; an absent one was never written.
    pub fn get(&self, index: usize) -> Value {
        self.values.get(index).copied().unwrap_or(Value::Undefined)
    }

    /// The width in bits of the argument of that index.
    pub fn width(&self, index: usize) -> Option<u32> {
        self.passed.get(index).map(|argument| argument.width)
    }
}

/// Runs a call: gives the returned value, if any.
pub type Model = fn(&mut dyn Machine, Arguments<'_>) -> Result<Option<Value>, Stop>;

/// The models that are in use: all of them, but for those switched off by name.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Models {
    off: Vec<String>,
    terms: bool,
}

impl Models {
    /// All but those of these names.
    ///
    /// # Errors
    /// where there is no model of such a name.
    pub fn without(names: &[String]) -> Result<Self, UnknownModel> {
        match names.iter().find(|name| find(name).or(find_preparation(name)).is_none()) {
            Some(name) => Err(UnknownModel(name.clone())),
            None => Ok(Self { off: names.to_vec(), ..Self::default() }),
        }
    }

    /// The same, with values of functions of unknown numbers as terms: to compare revisions, not to
    /// follow what one of them does.
    #[must_use]
    pub fn with_terms(self) -> Self {
        Self { terms: true, ..self }
    }

    fn is_on(&self, name: &str) -> bool {
        self.off.iter().all(|off| off != name)
    }

    /// The model of a function that is only declared.
    pub fn lookup(&self, name: &str) -> Option<Model> {
        find(name).filter(|_| self.is_on(name))
    }

    /// What is to be run before the code of one of the libc's functions, or in its place where it gives
    /// a value.
    pub fn preparation(&self, name: &str) -> Option<Model> {
        let is_term = find_in(&[functions::PREPARATIONS], name).is_some();
        find_preparation(name).filter(|_| self.is_on(name) && (self.terms || !is_term))
    }

    /// The model that stands for a function though the program has its code: one of the libc's
    /// (`library`), or one that reads beyond the end of an object on purpose and that no patch
    /// has changed (`original`).
    pub fn instead_of(&self, name: &str, library: bool, original: bool) -> Option<Model> {
        const READS_BEYOND: &str = "rawmemchr";
        let replaced = has_code(name) && (library || original && name == READS_BEYOND);
        self.lookup(name).filter(|_| replaced)
    }
}

/// Whether a function has a model and needs no code beside it.
pub fn stand_alone(name: &str) -> bool {
    find(name).is_some() && !has_code(name)
}

/// Whether a function that has a model does nothing to the world, and asks nothing of the kernel.
pub fn has_no_effects(name: &str) -> bool {
    let tables = [allocation::MODELS, strings::MODELS, input::MODELS, math::MODELS, fenv::MODELS];
    let ends = ["exit", "_exit", "_Exit", "abort"];
    let asks = ["psychic_rev", "__klee_meta", "__errno_location", "___errno_location"];
    find_in(&tables, name).is_some() || ends.contains(&name) || asks.contains(&name)
}

/// Whether the libc's code does the same as the model of that name.
fn has_code(name: &str) -> bool {
    strings::MODELS.iter().any(|(known, _)| *known == name)
        || matches!(name, "__errno_location" | "___errno_location")
}

/// There is no model of that name.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no function that has a model")]
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
            super::kernel::MODELS,
            fenv::MODELS,
        ],
        name,
    )
}

fn find_preparation(name: &str) -> Option<Model> {
    find_in(&[digits::PREPARATIONS, functions::PREPARATIONS], name)
}

fn find_in(tables: &[&[(&str, Model)]], name: &str) -> Option<Model> {
    tables.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, model)| *model)
}

/// A C string longer than this is not read.
const STRING_LIMIT: u64 = 1 << 20;

/// The byte at `address + index`, which has to have been written.
pub(super) fn byte_at(machine: &mut dyn Machine, address: Value, index: u64) -> Result<Byte, Stop> {
    let at = super::offset(machine.exprs(), address, index);
    let value = machine.load(at, 8)?;
    let expr = machine.settled(value, 8)?;
    Ok(match machine.exprs().as_u64(expr) {
        Some(value) => Byte::Concrete(value as u8),
        None => Byte::Symbolic(expr),
    })
}

/// Sets `errno` where a 1-bit condition holds.
fn set_errno(machine: &mut dyn Machine, number: u64, condition: ExprId) -> Result<(), Stop> {
    if machine.exprs().is_false(condition) {
        return Ok(());
    }
    let errno = Value::Int(machine.world().errno);
    let before = machine.load(errno, 32)?;
    let before = machine.settled(before, 32)?;
    let exprs = machine.exprs();
    let after = exprs.ite(condition, exprs.constant(32, number), before);
    let after = Value::from_expr(exprs, after);
    machine.store(errno, 32, after)
}

/// A byte at an address that was written, of an object that can be.
fn written_byte(machine: &dyn Machine, at: u64) -> Option<Byte> {
    machine.memory().object(at).ok().filter(|object| !object.constant)?;
    let byte = machine.peek(at, machine.exprs().bool(true))?;
    (byte != Byte::Uninitialised).then_some(byte)
}

/// Whether a byte has one of the values that are accepted; forks where it may or may not.
fn is_among(
    machine: &mut dyn Machine,
    byte: Byte,
    accepts: impl Fn(u8) -> bool,
) -> Result<bool, Stop> {
    match byte {
        Byte::Concrete(value) => Ok(accepts(value)),
        Byte::Uninitialised => Err(Error::UninitialisedRead.into()),
        Byte::Symbolic(expr) => {
            let among = super::stdin::within(machine.exprs(), expr, accepts);
            machine.decide(among)
        }
    }
}

/// An address is about to be shown: natively it is another one.
fn note_address(machine: &mut dyn Machine) {
    machine.world_mut().approximate(Approximation::AddressShown);
}

/// The bytes of a C string up to its NUL or to `limit` bytes; forks over where the NUL is.
pub(super) fn string_at(
    machine: &mut dyn Machine,
    address: Value,
    limit: Option<u64>,
) -> Result<Vec<Byte>, Stop> {
    let mut bytes = Vec::new();
    while limit.is_none_or(|limit| (bytes.len() as u64) < limit) {
        let byte = byte_at(machine, address, bytes.len() as u64)?;
        if is_among(machine, byte, |byte| byte == 0)? {
            break;
        }
        if bytes.len() as u64 >= STRING_LIMIT {
            return Err(Stop::unsupported(format!("a string of more than {STRING_LIMIT} bytes")));
        }
        bytes.push(byte);
    }
    Ok(bytes)
}

/// A C string that has to be concrete (a format, a name).
fn concrete_string(machine: &mut dyn Machine, address: Value, what: &str) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    for (index, byte) in string_at(machine, address, None)?.into_iter().enumerate() {
        text.push(match byte {
            Byte::Concrete(value) => value,
            Byte::Symbolic(_) | Byte::Uninitialised => {
                return Err(Stop::unsupported(format!("{what} with a symbolic byte {index}")));
            }
        });
    }
    Ok(text)
}
