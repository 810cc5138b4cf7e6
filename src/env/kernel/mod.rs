//! The operating system behind the program, at the system call: one registry, as
//! `docs/world.md` specifies it. The native runtime puts the same rules between a program and
//! Linux, so that a replay sees what the engine has assumed.
//!
//! A call that has no model gives ENOSYS, here and natively; the path says which one it was.

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

/// Functions by which a program enters the operating system.
pub const MODELS: &[(&str, Model)] =
    &[("psychic_syscall", enter), ("psychic_thread_pointer", process::thread_pointer)];

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
