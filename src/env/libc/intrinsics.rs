//! The models of the functions of `psychic.h`, and of KLEE's intrinsics.

use std::sync::Arc;

use super::access::concrete_string;
use crate::{
    env::{
        Approximation, Halt, Incomplete, InputObject, Machine, NamedOutput, Stop,
        call::{Arguments, Model},
        offset,
    },
    errors::Error,
    expr::{Assignment, Bv, ExprId, Exprs, Substitution, VariableId, VariableKind},
    ir::address,
    memory::{Byte, Fault, Value},
};

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("psychic_rev", revision),
    ("__klee_meta", revision),
    ("psychic_symbolic", make_symbolic),
    ("klee_make_symbolic", make_symbolic),
    ("psychic_assume", assume),
    ("klee_assume", assume),
    ("psychic_output", output),
    ("psychic_output_float", |m, a| output_numbers(m, a, FLOAT)),
    ("psychic_output_double", |m, a| output_numbers(m, a, DOUBLE)),
    ("psychic_output_long_double", |m, a| output_numbers(m, a, LONG_DOUBLE)),
    ("psychic_probe", |m, a| probe(m, a, None)),
    ("psychic_probe_float", |m, a| probe(m, a, Some(FLOAT))),
    ("psychic_probe_double", |m, a| probe(m, a, Some(DOUBLE))),
    ("psychic_probe_long_double", |m, a| probe(m, a, Some(LONG_DOUBLE))),
    ("psychic_offset", place),
    ("psychic_unknown", |m, a| {
        let why = concrete_string(m, a.get(0), "a reason")?;
        native_differs(m, &String::from_utf8_lossy(&why));
        Ok(None)
    }),
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
        let address = m.concretise(a.get(0), 64, "address of an object")?;
        let object = m.memory().object(address)?;
        Ok(Some(object.extent().map_or(Value::Int(object.capacity()), Value::Expr)))
    }),
    ("klee_check_memory_access", |m, a| {
        let address = m.concretise(a.get(0), 64, "address to check")?;
        let size = m.concretise(a.get(1), 64, "size to check")?;
        m.reach(address, size)?;
        Ok(None)
    }),
    // KLEE gives an example value here. A symbolic value needs none and stays as it is, as in a
    // native run.
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

/// Notes that the function `name` returns another value in a native run.
fn native_differs(machine: &mut dyn Machine, name: &str) {
    machine.world_mut().approximate(Approximation::EngineCall(name.to_owned()));
}

/// `klee_choose(n)`: a number below `n`.
fn choose(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let end = machine.free_of_revision(arguments.get(0), 64)?;
    let bytes = symbolic_object(machine, "klee_choose", 8);
    let value = word(machine, &bytes);
    let expr = machine.free_of_revision(value, 64)?;
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
    let size = machine.concretise(arguments.get(1), 64, "size of a symbolic object")?;
    let name = concrete_string(machine, arguments.get(2), "a name")?;
    let address = machine.concretise(arguments.get(0), 64, "address of a symbolic object")?;
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

/// Makes a new symbolic object, and returns its bytes. An object of the size of a scalar (1, 2, 4
/// or 8 bytes) is one variable; any other has one variable for each byte. As in KLEE, a name that
/// is already taken on this path gets a number.
pub fn symbolic_object(machine: &mut dyn Machine, name: &str, size: u32) -> Vec<ExprId> {
    let objects = &machine.world().objects;
    let taken = |name: &str| objects.iter().any(|object| object.name == name);
    let unique = (0..)
        .map(|number| if number == 0 { name.to_owned() } else { format!("{name}_{number}") })
        .find(|candidate| !taken(candidate))
        .expect("there are more numbers than objects");
    let exprs = machine.exprs();
    let bytes: Vec<ExprId> = if matches!(size, 1 | 2 | 4 | 8) {
        let whole = machine.input(&scalar_name(&unique, size * 8), size * 8);
        (0..size).map(|index| exprs.extract(whole, index * 8, 8)).collect()
    } else {
        (0..size).map(|index| machine.input(&format!("{unique}[{index}]"), 8)).collect()
    };
    let object = InputObject { name: unique, bytes: bytes.clone() };
    Arc::make_mut(&mut machine.world_mut().objects).push(object);
    bytes
}

/// Gives these bytes as values to the variables of the symbolic object `name`.
pub fn give_object(exprs: &Exprs, name: &str, bytes: &[u8], values: &mut Assignment) {
    let mut give = |name: &str, bytes: &[u8]| {
        let width = bytes.len() as u32 * 8;
        if let Some(variable) = exprs.as_variable(exprs.input(name, width)) {
            values.0.insert(variable, Bv::from_le_bytes(width, bytes));
        }
    };
    // Arguments, files and variables of the environment have a variable for each byte, too.
    for (index, byte) in bytes.chunks(1).enumerate() {
        give(&format!("{name}[{index}]"), byte);
    }
    if matches!(bytes.len(), 1 | 2 | 4 | 8) {
        give(&scalar_name(name, bytes.len() as u32 * 8), bytes);
    }
}

/// The name of the variable of a scalar. An `int` has the name that the program gives it. Other
/// widths are added to the name, because revisions may use one name for objects of different sizes.
pub fn scalar_name(name: &str, width: u32) -> String {
    if width == 32 { name.to_owned() } else { format!("{name}:{width}") }
}

fn word(machine: &dyn Machine, bytes: &[ExprId]) -> Value {
    let exprs = machine.exprs();
    let word = bytes.iter().copied().reduce(|low, high| exprs.concat(high, low));
    Value::from_expr(exprs, word.expect("at least one byte"))
}

fn assume(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let width = arguments.width(0).unwrap_or(32);
    let value = machine.free_of_revision(arguments.get(0), width)?;
    let exprs = machine.exprs();
    let holds = exprs.ne(value, exprs.constant(width, 0));
    machine.require(holds)?;
    Ok(None)
}

/// `klee_range(begin, end, name)`: an int in `[begin, end)`.
fn range(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let begin = machine.free_of_revision(arguments.get(0), 32)?;
    let end = machine.free_of_revision(arguments.get(1), 32)?;
    let name = concrete_string(machine, arguments.get(2), "a name")?;
    let bytes = symbolic_object(machine, &String::from_utf8_lossy(&name), 4);
    let value = word(machine, &bytes);
    let expr = machine.free_of_revision(value, 32)?;
    let exprs = machine.exprs();
    let within = exprs.and(exprs.sle(begin, expr), exprs.slt(expr, end));
    machine.require(within)?;
    Ok(Some(value))
}

/// `psychic_output(name, address, size)`: makes a named value an output.
fn output(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let name = name_of_output(machine, arguments)?;
    let size = machine.concretise(arguments.get(2), 64, "size of an output")?;
    let mut bytes = Vec::new();
    for index in 0..size {
        let word = word_of_output(machine, arguments.get(1), index, 8)?;
        push_bytes(machine, &mut bytes, word, 1);
    }
    show(machine, name, bytes);
    Ok(None)
}

/// A format of floating-point numbers in memory.
#[derive(Clone, Copy)]
struct Numbers {
    /// The distance in bytes from one number to the next.
    each: u64,
    /// How many of these bytes belong to the number.
    shown: u32,
    /// The number of bits of the fraction; the exponent is between it and the sign.
    fraction: u32,
    /// The NaN that represents all NaNs.
    nan: u128,
}

const FLOAT: Numbers = Numbers { each: 4, shown: 4, fraction: 23, nan: 0x7fc0_0000 };
const DOUBLE: Numbers = Numbers { each: 8, shown: 8, fraction: 52, nan: 0x7ff8_0000_0000_0000 };
const LONG_DOUBLE: Numbers =
    Numbers { each: 16, shown: 10, fraction: 64, nan: 0x7fff_c000_0000_0000_0000 };

/// `psychic_output_double(name, address, size)` and its kind: makes named numbers an output. All
/// NaNs count as the same.
fn output_numbers(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    format: Numbers,
) -> Result<Option<Value>, Stop> {
    let name = name_of_output(machine, arguments)?;
    let size = machine.concretise(arguments.get(2), 64, "size of an output")?;
    let (mut bytes, width) = (Vec::new(), format.shown * 8);
    for at in (0..size).step_by(format.each as usize) {
        let word = word_of_output(machine, arguments.get(1), at, width)?;
        let word = word.map(|word| same_nan(machine.exprs(), word, format));
        push_bytes(machine, &mut bytes, word, format.shown);
    }
    show(machine, name, bytes);
    Ok(None)
}

/// `number`, or the NaN that represents all NaNs if it is one.
fn same_nan(exprs: &Exprs, number: ExprId, format: Numbers) -> ExprId {
    let Numbers { shown, fraction, nan, .. } = format;
    let exponent_bits = shown * 8 - 1 - fraction;
    let exponent = exprs.extract(number, fraction, exponent_bits);
    let ones = exprs.eq(exponent, exprs.constant(exponent_bits, (1 << exponent_bits) - 1));
    // The fraction of the x87 format includes the leading one, which infinities have, too.
    let infinite = if fraction == 64 { 1 << 63 } else { 0 };
    let others = exprs.extract(number, 0, fraction);
    let is_infinite = exprs.eq(others, exprs.constant(fraction, infinite));
    let is_nan = exprs.and(ones, exprs.not(is_infinite));
    let (low, high) = (exprs.constant(64, nan as u64), (nan >> 64) as u64);
    let nan = match shown * 8 {
        width if width > 64 => exprs.concat(exprs.constant(width - 64, high), low),
        width => exprs.extract(low, 0, width),
    };
    exprs.ite(is_nan, nan, number)
}

/// `psychic_probe(name, object, offset, size)` and its kind: makes `size` bytes at an offset in an
/// object an output. The output has no bytes if `object` is null. Memory never written reads as
/// zero.
fn probe(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    format: Option<Numbers>,
) -> Result<Option<Value>, Stop> {
    let name = name_of_output(machine, arguments)?;
    let object = machine.free_of_revision(arguments.get(1), 64)?;
    let exprs = machine.exprs();
    let is_null = exprs.eq(object, exprs.constant(64, 0));
    let [start, size] =
        [2, 3].map(|index| machine.concretise(arguments.get(index), 64, "size of an output"));
    let object = offset(machine.exprs(), Value::from_expr(machine.exprs(), object), start?);
    let size = if machine.branch(is_null)? { 0 } else { size? };
    let each = format.map_or(1, |format| format.each);
    let (shown, mut bytes) = (format.map_or(1, |format| format.shown), Vec::new());
    for at in (0..size).step_by(each as usize) {
        let place = offset(machine.exprs(), object, at);
        let word = match machine.load(place, shown * 8) {
            Ok(value) => machine.free_of_revision(written(machine.exprs(), value), shown * 8)?,
            Err(Stop::Halt(Halt::Error(_))) => {
                // It is not known what is there natively, if anything.
                bytes.clear();
                machine.world_mut().approximate(Approximation::UnreadableOutput(name.clone()));
                break;
            }
            Err(stop) => return Err(stop),
        };
        let word = format.map_or(word, |format| same_nan(machine.exprs(), word, format));
        push_bytes(machine, &mut bytes, Some(word), shown);
    }
    show(machine, name, bytes);
    Ok(None)
}

/// A value in which zero replaces what was never written.
fn written(exprs: &Exprs, value: Value) -> Value {
    let Value::Expr(expr) = value else { return value };
    let is_unwritten =
        |variable: &VariableId| exprs.variable_kind(*variable) == VariableKind::Uninitialised;
    let unwritten = exprs.variables(expr).iter().copied().filter(is_unwritten);
    let zeros =
        unwritten.map(|variable| (variable, exprs.constant(exprs.variable_width(variable), 0)));
    Value::from_expr(exprs, Substitution::of(exprs, zeros).apply(exprs, expr))
}

fn name_of_output(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<String, Stop> {
    let name = concrete_string(machine, arguments.get(0), "a name")?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}

/// The `width` bits at `data + at`; `None` if they were never written.
fn word_of_output(
    machine: &mut dyn Machine,
    data: Value,
    at: u64,
    width: u32,
) -> Result<Option<ExprId>, Stop> {
    let at = offset(machine.exprs(), data, at);
    let value = machine.load(at, width)?;
    match machine.free_of_revision(value, width) {
        Ok(expr) => Ok(Some(expr)),
        Err(Stop::Halt(Halt::Error(Error::UninitialisedRead))) => Ok(None),
        Err(stop) => Err(stop),
    }
}

fn push_bytes(machine: &dyn Machine, bytes: &mut Vec<Byte>, word: Option<ExprId>, count: u32) {
    let exprs = machine.exprs();
    let byte = |index| match word {
        Some(word) => Byte::of(exprs, exprs.extract(word, index * 8, 8)),
        None => Byte::Uninitialised,
    };
    bytes.extend((0..count).map(byte));
}

fn show(machine: &mut dyn Machine, name: String, bytes: Vec<Byte>) {
    if bytes.contains(&Byte::Uninitialised) {
        machine.world_mut().approximate(Approximation::UninitialisedOutput(name.clone()));
    }
    Arc::make_mut(&mut machine.world_mut().outputs).push(NamedOutput { name, bytes });
}

/// `psychic_offset(pointer, base, size)`: the offset of a pointer in an object, or -1 if it does
/// not point into it. This is exact, because no two objects are close to each other: not here, and
/// not natively as the harness places them.
fn place(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let [pointer, base, size] =
        [0, 1, 2].map(|index| machine.free_of_revision(arguments.get(index), 64));
    let exprs = machine.exprs();
    let distance = exprs.sub(pointer?, base?);
    let inside = exprs.ule(distance, size?);
    let place = exprs.ite(inside, distance, exprs.constant(64, u64::MAX));
    Ok(Some(Value::from_expr(exprs, place)))
}
