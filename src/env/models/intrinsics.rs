//! The functions of `psychic.h` and KLEE's intrinsics of the same meaning.

use std::sync::Arc;

use super::{Arguments, Model, concrete_string};
use crate::{
    env::{
        Approximation, Error, Halt, Incomplete, InputObject, Machine, NamedOutput, Stop, offset,
    },
    expr::ExprId,
    ir::address,
    memory::{Byte, Fault, Value},
};

pub(super) const MODELS: &[(&str, Model)] = &[
    ("psychic_rev", revision),
    ("__klee_meta", revision),
    ("psychic_symbolic", make_symbolic),
    ("klee_make_symbolic", make_symbolic),
    ("psychic_assume", assume),
    ("klee_assume", assume),
    ("psychic_output", output),
    ("klee_int", |m, a| {
        let name = concrete_string(m, a.get(0), "a name")?;
        let bytes = symbolic_object(m, &String::from_utf8_lossy(&name), 4);
        Ok(Some(word(m, &bytes)))
    }),
    ("klee_range", range),
    ("klee_silent_exit", |_, _| Err(Stop::Halt(Halt::Silent))),
    ("klee_abort", |_, _| Err(Stop::Halt(Halt::Abort))),
    ("klee_report_error", |_, _| Err(Stop::Halt(Halt::Abort))),
    ("klee_choose", choose),
    ("klee_is_symbolic", |m, a| {
        native_differs(m, "klee_is_symbolic");
        Ok(Some(Value::Int(u64::from(matches!(a.get(0), Value::Expr(_))))))
    }),
    ("klee_is_replay", |m, _| {
        native_differs(m, "klee_is_replay");
        Ok(Some(Value::Int(0)))
    }),
    ("klee_get_obj_size", |m, a| {
        native_differs(m, "klee_get_obj_size");
        let address = m.concrete(a.get(0), 64, "address of an object")?;
        let object = m.memory().object(address)?;
        Ok(Some(object.extent().map_or(Value::Int(object.capacity()), Value::Expr)))
    }),
    ("klee_check_memory_access", |m, a| {
        let address = m.concrete(a.get(0), 64, "address to check")?;
        let size = m.concrete(a.get(1), 64, "size to check")?;
        m.reach(address, size)?;
        Ok(None)
    }),
    // A symbolic value needs no example here: it stays what it is, as in a native run.
    ("klee_get_valuef", same),
    ("klee_get_valued", same),
    ("klee_get_valuel", same),
    ("klee_get_valuell", same),
    ("klee_get_value_i32", same),
    ("klee_get_value_i64", same),
    ("klee_prefer_cex", nothing),
    ("klee_posix_prefer_cex", nothing),
    ("klee_print_expr", nothing),
    ("klee_print_range", nothing),
    ("klee_warning", nothing),
    ("klee_warning_once", nothing),
    ("klee_stack_trace", nothing),
    ("klee_mark_global", nothing),
    ("klee_open_merge", nothing),
    ("klee_close_merge", nothing),
    ("klee_set_forking", |_, _| {
        Err(Stop::Halt(Halt::Incomplete(Incomplete::Unsupported("klee_set_forking".into()))))
    }),
];

#[allow(clippy::unnecessary_wraps)]
fn nothing(_: &mut dyn Machine, _: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(None)
}

#[allow(clippy::unnecessary_wraps)]
fn same(_: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(Some(arguments.get(0)))
}

/// What the program is told here is not what a native run is told.
fn native_differs(machine: &mut dyn Machine, name: &'static str) {
    machine.world_mut().approximate(Approximation::EngineCall(name));
}

/// `klee_choose(n)`: a number below `n`.
fn choose(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let end = machine.settled(arguments.get(0), 64)?;
    let bytes = symbolic_object(machine, "klee_choose", 8);
    let value = word(machine, &bytes);
    let expr = machine.settled(value, 64)?;
    let within = machine.exprs().ult(expr, end);
    machine.require(within)?;
    Ok(Some(value))
}

#[allow(clippy::unnecessary_wraps)]
fn revision(machine: &mut dyn Machine, _: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(Some(Value::Expr(machine.revision())))
}

/// Replaces the content of an object by symbolic bytes.
fn make_symbolic(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let size = machine.concrete(arguments.get(1), 64, "size of a symbolic object")?;
    let name = concrete_string(machine, arguments.get(2), "a name")?;
    let address = machine.concrete(arguments.get(0), 64, "address of a symbolic object")?;
    if !machine.memory().object(address)?.contains(address::offset(address), size) {
        return Err(Fault::OutOfBounds.into());
    }
    let bytes = symbolic_object(machine, &String::from_utf8_lossy(&name), size as u32);
    for (index, byte) in bytes.into_iter().enumerate() {
        let at = offset(machine.exprs(), arguments.get(0), index as u64);
        machine.store(at, 8, Value::Expr(byte))?;
    }
    Ok(None)
}

/// A new symbolic object: one variable for the size of a scalar, else one a byte. A name that
/// is taken on this path gets a number, as in KLEE.
pub fn symbolic_object(machine: &mut dyn Machine, name: &str, size: u32) -> Vec<ExprId> {
    let objects = &machine.world().objects;
    let taken = |name: &str| objects.iter().any(|object| object.name == name);
    let unique = (0..)
        .map(|number| if number == 0 { name.to_owned() } else { format!("{name}_{number}") })
        .find(|candidate| !taken(candidate))
        .expect("there are more numbers than objects");
    let exprs = machine.exprs();
    let bytes: Vec<ExprId> = if matches!(size, 1 | 2 | 4 | 8) {
        let whole = exprs.input(&scalar_name(&unique, size * 8), size * 8);
        (0..size).map(|index| exprs.extract(whole, index * 8, 8)).collect()
    } else {
        (0..size).map(|index| exprs.input(&format!("{unique}[{index}]"), 8)).collect()
    };
    let object = InputObject { name: unique, bytes: bytes.clone() };
    Arc::make_mut(&mut machine.world_mut().objects).push(object);
    bytes
}

/// An `int` is called what the program calls it; other widths say so, because revisions may
/// use one name for objects of different sizes.
fn scalar_name(name: &str, width: u32) -> String {
    if width == 32 { name.to_owned() } else { format!("{name}:{width}") }
}

fn word(machine: &dyn Machine, bytes: &[ExprId]) -> Value {
    let exprs = machine.exprs();
    let word = bytes.iter().copied().reduce(|low, high| exprs.concat(high, low));
    Value::from_expr(exprs, word.expect("at least one byte"))
}

fn assume(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let width = arguments.width(0).unwrap_or(32);
    let value = machine.settled(arguments.get(0), width)?;
    let exprs = machine.exprs();
    let holds = exprs.ne(value, exprs.constant(width, 0));
    machine.require(holds)?;
    Ok(None)
}

/// `klee_range(begin, end, name)`: an int in `[begin, end)`.
fn range(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let begin = machine.settled(arguments.get(0), 32)?;
    let end = machine.settled(arguments.get(1), 32)?;
    let name = concrete_string(machine, arguments.get(2), "a name")?;
    let bytes = symbolic_object(machine, &String::from_utf8_lossy(&name), 4);
    let value = word(machine, &bytes);
    let expr = machine.settled(value, 32)?;
    let exprs = machine.exprs();
    let within = exprs.and(exprs.sle(begin, expr), exprs.slt(expr, end));
    machine.require(within)?;
    Ok(Some(value))
}

/// `psychic_output(name, address, size)`: a named value that counts as an output.
fn output(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let name = concrete_string(machine, arguments.get(0), "a name")?;
    let name = String::from_utf8_lossy(&name).into_owned();
    let size = machine.concrete(arguments.get(2), 64, "size of an output")?;
    let mut bytes = Vec::new();
    for index in 0..size {
        let at = offset(machine.exprs(), arguments.get(1), index);
        bytes.push(match machine.load(at, 8)? {
            Value::Int(value) => Byte::Concrete(value as u8),
            value => match machine.settled(value, 8) {
                Ok(expr) => machine
                    .exprs()
                    .as_u64(expr)
                    .map_or(Byte::Symbolic(expr), |value| Byte::Concrete(value as u8)),
                Err(Stop::Halt(Halt::Error(Error::UninitialisedRead))) => Byte::Uninitialised,
                Err(stop) => return Err(stop),
            },
        });
    }
    if bytes.contains(&Byte::Uninitialised) {
        machine
            .world_mut()
            .approximate(crate::env::Approximation::UninitialisedOutput(name.clone()));
    }
    Arc::make_mut(&mut machine.world_mut().outputs).push(NamedOutput { name, bytes });
    Ok(None)
}
