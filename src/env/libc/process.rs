//! The models of `exit`, `abort`, `assert` and their kind (C11 7.22.4, 7.2), and of the address of
//! `errno`.

use super::access::concrete_string;
use crate::{
    env::{
        Halt, Machine, Stop,
        call::{Arguments, Model},
    },
    errors::Error,
    memory::Value,
};

/// UndefinedBehaviorSanitizer's minimal runtime calls this function when a division fails.
pub(in crate::env) const DIVISION: &str = "__ubsan_handle_divrem_overflow_minimal_abort";

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("exit", |m, a| Err(exit(m, a.get(0)))),
    ("_exit", |m, a| Err(exit_at_once(m, a.get(0)))),
    ("_Exit", |m, a| Err(exit_at_once(m, a.get(0)))),
    ("atexit", |m, a| {
        let function = m.concretise(a.get(0), 64, "function to run at exit")?;
        m.world_mut().at_exit.push(function);
        Ok(Some(Value::Int(0)))
    }),
    ("abort", |_, _| Err(Stop::Halt(Halt::Abort))),
    // With the flags of `compile`, a division by a constant zero becomes this call.
    (DIVISION, |_, _| Err(Error::DivisionByZero.into())),
    ("__assert_fail", assert_fail),
    ("__errno_location", |m, _| Ok(Some(Value::Int(m.world().errno)))),
    ("___errno_location", |m, _| Ok(Some(Value::Int(m.world().errno)))),
];

/// The stop of a program that exits with a status. The exit code is the low eight bits of the
/// status.
pub fn exit(machine: &mut dyn Machine, status: Value) -> Stop {
    match machine.free_of_revision(status, 32) {
        Ok(status) => Stop::Exit(machine.exprs().extract(status, 0, 8)),
        Err(stop) => stop,
    }
}

fn exit_at_once(machine: &mut dyn Machine, status: Value) -> Stop {
    match exit(machine, status) {
        Stop::Exit(code) => Stop::Halt(Halt::Exit(code)),
        other => other,
    }
}

/// `__assert_fail`, which a failed `assert` calls. The message is that of our native runtime. It
/// omits file, line and function, as they differ between the meta program and the patched source.
fn assert_fail(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let condition = concrete_string(machine, arguments.get(0), "an assertion")?;
    let text = [b"Assertion `", condition.as_slice(), b"' failed.\n"].concat();
    machine.world_mut().stderr.push_bytes(&text);
    Err(Stop::Halt(Halt::Abort))
}
