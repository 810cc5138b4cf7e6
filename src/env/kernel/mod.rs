//! The operating system behind the program, at the system call: one registry, as
//! `docs/world.md` specifies it. The native runtime puts the same rules between a program and
//! Linux, so that a replay sees what the engine has assumed.
//!
//! A call that has no model gives ENOSYS, here and natively; the path says which one it was.

mod calls;
pub mod files;
mod memory;
mod names;
mod paths;
mod process;
mod stat;
mod streams;

use std::collections::BTreeMap;

use super::{Approximation, Halt, Machine, Stop, World, models::Arguments, models::Model};
use crate::{
    errors::Error,
    expr::ExprId,
    memory::{NULL_PAGE, Value},
};
use files::Files;

/// The time, in seconds since 1970.
const SECONDS: u64 = 1_700_000_000;

/// Functions by which a program enters the operating system.
pub const MODELS: &[(&str, Model)] =
    &[("psychic_syscall", enter), ("psychic_thread_pointer", process::thread_pointer)];

/// Numbers of errors, as `errno` has them (Linux, asm-generic/errno-base.h and errno.h).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u16)]
pub enum Errno {
    Eperm = 1,
    Enoent = 2,
    Esrch = 3,
    Ebadf = 9,
    Eagain = 11,
    Enomem = 12,
    Eacces = 13,
    Efault = 14,
    Ebusy = 16,
    Eexist = 17,
    Enodev = 19,
    Enotdir = 20,
    Eisdir = 21,
    Einval = 22,
    Emfile = 24,
    Enotty = 25,
    Espipe = 29,
    Epipe = 32,
    Erange = 34,
    Enametoolong = 36,
    Enosys = 38,
    Enotempty = 39,
    Eloop = 40,
    Eopnotsupp = 95,
}

/// Why a call has no result: an error that the program sees, or the end of the path.
#[derive(Debug)]
enum Failure {
    Error(Errno),
    Stop(Stop),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Error(errno)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<crate::memory::Fault> for Failure {
    fn from(fault: crate::memory::Fault) -> Self {
        Self::Stop(fault.into())
    }
}

type Outcome<T = u64> = Result<T, Failure>;

/// A call: six arguments of 64 bits, and a result that is not negative.
type Call = fn(&mut dyn Machine, &[Value; 6]) -> Outcome;

/// What the operating system knows of the one process that there is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kernel {
    /// Files and directories, and what is open.
    pub files: Files,
    /// Actions for signals, four words each, by number.
    actions: BTreeMap<u64, [Value; 4]>,
    /// Signals that are blocked, and those of them that were sent: signal n is bit n - 1.
    blocked: u64,
    pending: u64,
    /// Calls that asked for the time.
    clock: u64,
    /// Random bytes given out.
    random: u64,
    umask: u64,
    /// Address that the segment register `fs` points to; 0 before anyone asked.
    thread: u64,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            files: Files::default(),
            actions: BTreeMap::new(),
            blocked: 0,
            pending: 0,
            clock: 0,
            // The first sixteen are the auxiliary vector's.
            random: 16,
            umask: 0o022,
            thread: 0,
        }
    }
}

impl Kernel {
    /// Whether a byte of a file, or what is done at a signal, is an expression that satisfies a
    /// condition.
    pub fn depends(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        let of_signal = |value: &Value| matches!(value, Value::Expr(e) if is(*e));
        self.actions.values().flatten().any(of_signal) || self.files.any_symbolic(is)
    }

    /// Whether another one is the same but for files, and what calls have counted.
    pub fn differs_in_files_only(&self, other: &Self) -> bool {
        self.actions == other.actions
            && self.blocked == other.blocked
            && self.pending == other.pending
            && self.thread == other.thread
    }

    /// Whether the program has something of its own done when a signal comes.
    pub fn handles(&self, signal: u64) -> bool {
        // What it asks to be ignored ends it all the same where the processor raises it.
        let action = self.actions.get(&signal).map(|action| action[0]);
        !matches!(action, None | Some(Value::Int(0 | 1)))
    }
}

/// `psychic_syscall(number, a, b, c, d, e, f)`: the result, or an error below zero.
/// Whether a call of that function with this first argument finds the same whatever was done to
/// files: it ends the program, or asks for what there is already.
pub fn is_alike(kernel: &Kernel, function: &str, first: Value) -> bool {
    match function {
        "psychic_syscall" => matches!(first, Value::Int(number) if calls::is_exit(number)),
        "psychic_thread_pointer" => kernel.thread != 0,
        _ => false,
    }
}

fn enter(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let number = machine.concrete(arguments.get(0), 64, "number of a system call")?;
    let values: [Value; 6] = std::array::from_fn(|index| arguments.get(index + 1));
    let result = match calls::lookup(number) {
        Some(call) => {
            let before = world_before(machine, number, &values);
            let result = call(machine, &values);
            told(machine, before, result)
        }
        None => {
            let name = calls::name(number);
            machine.world_mut().approximate(Approximation::SystemCall(name));
            Err(Errno::Enosys.into())
        }
    };
    match result {
        Ok(value) => Ok(Some(Value::Int(value))),
        Err(Failure::Error(errno)) => Ok(Some(Value::Int((-(errno as i64)) as u64))),
        Err(Failure::Stop(stop)) => Err(stop),
    }
}

/// Calls that change something before they write what they found, and the argument that says
/// where to.
const OUTPUTS: &[(u64, usize)] =
    &[(0, 1), (22, 0), (96, 0), (201, 0), (228, 1), (293, 0), (318, 0)];

/// How the world was, of such a call that is given a null pointer.
fn world_before(machine: &dyn Machine, number: u64, values: &[Value; 6]) -> Option<World> {
    let (_, argument) = OUTPUTS.iter().find(|(call, _)| *call == number)?;
    let is_null = matches!(values[*argument], Value::Int(at) if at < NULL_PAGE);
    is_null.then(|| machine.world().clone())
}

/// What the program is told where a call comes upon a null pointer: EFAULT, and nothing has
/// happened, as Linux has it. Whatever else is wrong with the call comes first.
fn told(machine: &mut dyn Machine, before: Option<World>, result: Outcome) -> Outcome {
    match result {
        Err(Failure::Stop(Stop::Halt(Halt::Error(Error::NullDereference)))) => {
            if let Some(before) = before {
                *machine.world_mut() = before;
            }
            Err(Errno::Efault.into())
        }
        result => result,
    }
}

/// An argument that has to be known.
fn known(machine: &mut dyn Machine, value: Value, what: &str) -> Result<u64, Stop> {
    machine.concrete(value, 64, what)
}

/// A file descriptor or another `int`: of a variable argument that is one, the upper half is not
/// written (System V ABI, x86-64 supplement, 3.5.7).
fn int(machine: &mut dyn Machine, value: Value, what: &str) -> Result<i32, Stop> {
    let low = match value {
        Value::Expr(e) => Value::from_expr(machine.exprs(), machine.exprs().extract(e, 0, 32)),
        value => value,
    };
    Ok(machine.concrete(low, 32, what)? as i32)
}

/// Writes words of the machine's byte order, one after the other.
fn store_words(
    machine: &mut dyn Machine,
    address: Value,
    words: impl IntoIterator<Item = u64>,
) -> Result<(), Stop> {
    for (index, word) in (0..).zip(words) {
        let at = super::offset(machine.exprs(), address, 8 * index);
        machine.store(at, 64, Value::Int(word))?;
    }
    Ok(())
}

/// Whether a pointer is null.
fn is_null(machine: &mut dyn Machine, pointer: Value) -> Result<bool, Stop> {
    let pointer: ExprId = machine.settled(pointer, 64)?;
    let exprs = machine.exprs();
    let null = exprs.eq(pointer, exprs.constant(64, 0));
    machine.decide(null)
}
