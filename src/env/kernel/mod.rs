//! The operating system of a whole program, modelled at its system calls as `docs/world.md`
//! specifies. The native runtime puts the same rules between a program and Linux, so a replay sees
//! what the engine has assumed.
//!
//! A call without a model gives ENOSYS, here and natively. The path records it as an approximation.
//!
//! - `calls`: the registry of system calls; `outcome`: their arguments and results;
//! - [`state`]: what the system knows of the process; [`files`]: its file system and descriptors;
//! - `paths`: from a path to a file; `names`, `stat`, `streams`: the calls on files;
//! - `memory`, `process`: the calls on mappings, and on the process itself.

mod calls;
pub mod errno;
pub mod files;
mod memory;
mod names;
mod outcome;
mod paths;
mod process;
mod stat;
pub mod state;
mod streams;

use super::{Approximation, Halt, Machine, Stop, World, call::Arguments, call::Model};
use crate::{
    errors::Error,
    memory::{NULL_PAGE, Value},
};
use errno::Errno;
use outcome::{Failure, Outcome};
use state::Kernel;

/// The functions by which a program enters the operating system.
pub const MODELS: &[(&str, Model)] =
    &[("psychic_syscall", enter), ("psychic_thread_pointer", process::thread_pointer)];

/// Whether a call of `function` with this first argument does the same whatever effects came before
/// it: it ends the program, or asks for the thread pointer that exists already.
pub fn is_alike(kernel: &Kernel, function: &str, first: Value) -> bool {
    match function {
        "psychic_syscall" => matches!(first, Value::Int(number) if calls::is_exit(number)),
        "psychic_thread_pointer" => kernel.thread != 0,
        _ => false,
    }
}

/// `psychic_syscall(number, a, b, c, d, e, f)`: returns the result of the system call, or its
/// negated error number.
fn enter(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let number = machine.concretise(arguments.get(0), 64, "number of a system call")?;
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

/// The calls that change something before they write their result to memory. Each has its number
/// and the index of the argument that holds the address of the result.
const OUTPUTS: &[(u64, usize)] =
    &[(0, 1), (22, 0), (96, 0), (201, 0), (228, 1), (293, 0), (318, 0)];

/// A copy of the world before a call, if the call is one of [`OUTPUTS`] and the address of its
/// result is null.
fn world_before(machine: &dyn Machine, number: u64, values: &[Value; 6]) -> Option<World> {
    let (_, argument) = OUTPUTS.iter().find(|(call, _)| *call == number)?;
    let is_null = matches!(values[*argument], Value::Int(at) if at < NULL_PAGE);
    is_null.then(|| machine.world().clone())
}

/// The result of a call as the program sees it. As in Linux, a call that meets a null pointer gives
/// EFAULT and has no effect. Any other error of the call takes precedence.
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
