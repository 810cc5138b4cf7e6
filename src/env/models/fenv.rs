//! `<fenv.h>` (C11 7.6) with the constants of x86-64: the rounding mode is exact.
//!
//! Exception flags are not kept: conversions of a C library raise some, too. They may be cleared
//! and raised; asking for them is unsupported.

use super::{Arguments, Model};
use crate::{
    env::{Machine, Stop, offset},
    expr::Rounding,
    memory::Value,
};

pub(super) const MODELS: &[(&str, Model)] = &[
    ("fesetround", set),
    ("fegetround", |m, _| Ok(Some(Value::Int(bits_of(m.world().rounding) << FIELD)))),
    ("llvm.get.rounding", get_in_c),
    ("__flt_rounds", get_in_c),
    ("llvm.set.rounding", set_in_c),
    ("fegetenv", save),
    ("feholdexcept", save),
    ("fesetenv", restore),
    ("feupdateenv", restore),
    ("feclearexcept", |_, _| Ok(Some(Value::Int(0)))),
    ("feraiseexcept", |_, _| Ok(Some(Value::Int(0)))),
    ("fesetexceptflag", |_, _| Ok(Some(Value::Int(0)))),
    ("fetestexcept", |_, _| Err(flags())),
    ("fegetexceptflag", |_, _| Err(flags())),
];

/// Where the mode is in the x87's control word (Intel SDM volume 1, section 8.1.5), and so in the
/// macros of C.
const FIELD: u32 = 10;
/// The control word with all exceptions masked and nothing else said.
const CONTROL_WORD: u64 = 0x37f;
/// Bytes of a `fenv_t`.
const ENVIRONMENT: u64 = 32;
/// `FE_DFL_ENV`.
const DEFAULT_ENVIRONMENT: u64 = u64::MAX;

/// By their number in the control word.
const MODES: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];
/// By their number in `FLT_ROUNDS` (C11 5.2.4.2.2 §8).
const C_MODES: [Rounding; 4] =
    [Rounding::Zero, Rounding::NearestEven, Rounding::Up, Rounding::Down];

fn flags() -> Stop {
    Stop::unsupported("the exception flags of floating point")
}

fn position(modes: [Rounding; 4], rounding: Rounding) -> u64 {
    modes.iter().position(|mode| *mode == rounding).expect("a mode that a program can set") as u64
}

fn bits_of(rounding: Rounding) -> u64 {
    position(MODES, rounding)
}

/// C11 7.6.3.2.
fn set(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mode = machine.settled(arguments.get(0), 32)?;
    let exprs = machine.exprs();
    let rest = exprs.and(mode, exprs.constant(32, !(0b11 << FIELD) & u64::from(u32::MAX)));
    let is_none = exprs.ne(rest, exprs.constant(32, 0));
    if machine.decide(is_none)? {
        return Ok(Some(Value::Int(1)));
    }
    let mode = Value::from_expr(machine.exprs(), mode);
    let mode = machine.concrete(mode, 32, "rounding mode")?;
    machine.world_mut().rounding = MODES[(mode >> FIELD & 0b11) as usize];
    Ok(Some(Value::Int(0)))
}

fn get_in_c(machine: &mut dyn Machine, _: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(Some(Value::Int(position(C_MODES, machine.world().rounding))))
}

fn set_in_c(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mode = machine.concrete(arguments.get(0), 32, "rounding mode")?;
    let Some(rounding) = C_MODES.get(mode as usize) else {
        return Err(Stop::unsupported(format!("the rounding mode {}", mode as i32)));
    };
    machine.world_mut().rounding = *rounding;
    Ok(None)
}

/// C11 7.6.4.1 and 7.6.4.2. Of the environment only the control word is known.
fn save(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let to = arguments.get(0);
    let word = CONTROL_WORD | bits_of(machine.world().rounding) << FIELD;
    machine.store(to, 16, Value::Int(word))?;
    for byte in 2..ENVIRONMENT {
        let at = offset(machine.exprs(), to, byte);
        machine.store(at, 8, Value::Undefined)?;
    }
    Ok(Some(Value::Int(0)))
}

/// C11 7.6.4.3 and 7.6.4.4.
fn restore(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let from = arguments.get(0);
    let word = match from {
        Value::Int(DEFAULT_ENVIRONMENT) => CONTROL_WORD,
        _ => {
            let word = machine.load(from, 16)?;
            machine.concrete(word, 16, "control word")?
        }
    };
    machine.world_mut().rounding = MODES[(word >> FIELD & 0b11) as usize];
    Ok(Some(Value::Int(0)))
}
