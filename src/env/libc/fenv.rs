//! `<fenv.h>` (C11 7.6) with the constants of x86-64: the rounding mode and the exception flags.
//!
//! Flags are kept only for programs that ask for them; each is a condition on the input. The engine
//! knows which exceptions an operation raises only if it is one on `float` or `double`. Asking for
//! flags after anything else that may raise some is unsupported.

use crate::env::call::{Arguments, Model};
use crate::{
    env::{Machine, Stop, offset, world::Exceptions},
    expr::{ExprId, Exprs, Rounding, float::EXCEPTIONS},
    memory::Value,
};

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("fesetround", set),
    ("fegetround", |m, _| Ok(Some(Value::Int(bits_of(m.world().rounding) << FIELD)))),
    ("llvm.get.rounding", get_in_c),
    ("__flt_rounds", get_in_c),
    ("llvm.set.rounding", set_in_c),
    ("fegetenv", save),
    ("feholdexcept", hold),
    ("fesetenv", restore),
    ("feupdateenv", update),
    ("feclearexcept", clear),
    ("feraiseexcept", raise),
    ("fetestexcept", test),
    ("fegetexceptflag", get_flags),
    ("fesetexceptflag", set_flags_from),
];

/// The lowest bit of the rounding mode in the x87 control word (Intel SDM volume 1, section 8.1.5).
/// The macros of C use the same bits.
const FIELD: u32 = 10;
/// The default control word: all exceptions masked, the greatest precision, rounding to nearest.
const CONTROL_WORD: u64 = 0x37f;
/// The size of a `fenv_t` in bytes.
const ENVIRONMENT: u64 = 32;
/// The offset of SSE's control and status register (MXCSR) in a `fenv_t`.
const REGISTER: u64 = 28;
/// The content of MXCSR besides flags and the rounding mode: all exceptions masked.
const ALL_MASKED: u64 = 0x1f80;
/// The lowest bit of the rounding mode in MXCSR.
const REGISTER_FIELD: u32 = 13;
/// The flags that glibc knows, as bits of `<fenv.h>`.
const FLAGS: u64 = 0x3d;
/// The flags that musl knows. One of them, for denormal operands, is not in C.
const ALL_FLAGS: u64 = 0x3f;
/// `FE_DFL_ENV`.
const DEFAULT_ENVIRONMENT: u64 = u64::MAX;

/// The rounding modes by their number in the control word.
const MODES: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];
/// The rounding modes by their number in `FLT_ROUNDS` (C11 5.2.4.2.2 §8).
const C_MODES: [Rounding; 4] =
    [Rounding::Zero, Rounding::NearestEven, Rounding::Up, Rounding::Down];

fn position(modes: [Rounding; 4], rounding: Rounding) -> u64 {
    modes.iter().position(|mode| *mode == rounding).expect("a mode that a program can set") as u64
}

fn bits_of(rounding: Rounding) -> u64 {
    position(MODES, rounding)
}

/// `fesetround` (C11 7.6.3.2).
fn set(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mode = machine.free_of_revision(arguments.get(0), 32)?;
    let exprs = machine.exprs();
    let rest = exprs.and(mode, exprs.constant(32, !(0b11 << FIELD) & u64::from(u32::MAX)));
    let is_none = exprs.ne(rest, exprs.constant(32, 0));
    if machine.branch(is_none)? {
        // musl refuses with -1, glibc with 1.
        let refused = if machine.world().is_whole { u32::MAX.into() } else { 1 };
        return Ok(Some(Value::Int(refused)));
    }
    let mode = Value::from_expr(machine.exprs(), mode);
    let mode = machine.concretise(mode, 32, "rounding mode")?;
    machine.world_mut().rounding = MODES[(mode >> FIELD & 0b11) as usize];
    Ok(Some(Value::Int(0)))
}

fn get_in_c(machine: &mut dyn Machine, _: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(Some(Value::Int(position(C_MODES, machine.world().rounding))))
}

fn set_in_c(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mode = machine.concretise(arguments.get(0), 32, "rounding mode")?;
    let Some(rounding) = C_MODES.get(mode as usize) else {
        return Err(Stop::unsupported(format!("the rounding mode {}", mode as i32)));
    };
    machine.world_mut().rounding = *rounding;
    Ok(None)
}

/// `fegetenv` (C11 7.6.4.1). Only the control word is written, and MXCSR if all flags are known;
/// the rest of the environment stays undefined.
fn save(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let to = arguments.get(0);
    let mode = bits_of(machine.world().rounding);
    machine.store(to, 16, Value::Int(CONTROL_WORD | mode << FIELD))?;
    for byte in 2..ENVIRONMENT {
        let at = offset(machine.exprs(), to, byte);
        machine.store(at, 8, Value::Undefined)?;
    }
    if let Some(Exceptions { raised, unknown: None }) = machine.world().exceptions {
        let exprs = machine.exprs();
        let rest = exprs.constant(32, ALL_MASKED | mode << REGISTER_FIELD);
        let register = Value::from_expr(exprs, exprs.or(word(exprs, raised), rest));
        let at = offset(exprs, to, REGISTER);
        machine.store(at, 32, register)?;
    }
    Ok(Some(Value::Int(0)))
}

/// `feholdexcept` (C11 7.6.4.2).
fn hold(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let saved = save(machine, arguments)?;
    let none = machine.exprs().constant(32, 0);
    set_flags(machine, none, None);
    Ok(saved)
}

/// `fesetenv` (C11 7.6.4.3).
fn restore(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let from = arguments.get(0);
    let is_default = from == Value::Int(DEFAULT_ENVIRONMENT);
    let word = if is_default {
        CONTROL_WORD
    } else {
        let word = machine.load(from, 16)?;
        machine.concretise(word, 16, "control word")?
    };
    if machine.world().exceptions.is_some() {
        let at = offset(machine.exprs(), from, REGISTER);
        let register = if is_default { Value::Int(0) } else { machine.load(at, 32)? };
        match register {
            Value::Undefined => machine.world_mut().raise_unknown("an environment without flags"),
            known => {
                let flags = machine.free_of_revision(known, 32)?;
                set_flags(machine, flags, None);
            }
        }
    }
    machine.world_mut().rounding = MODES[(word >> FIELD & 0b11) as usize];
    Ok(Some(Value::Int(0)))
}

/// `feupdateenv` (C11 7.6.4.4).
fn update(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let before = machine.world().exceptions;
    restore(machine, arguments)?;
    if let (Some(before), Some(after)) = (before, machine.world().exceptions) {
        let exprs = machine.exprs();
        let both = exprs.or(word(exprs, before.raised), word(exprs, after.raised));
        set_flags(machine, both, before.unknown.or(after.unknown));
    }
    Ok(Some(Value::Int(0)))
}

/// The flags as a 32-bit word with the bits of `<fenv.h>`.
fn word(exprs: &Exprs, raised: [ExprId; EXCEPTIONS]) -> ExprId {
    let bits = raised.into_iter().reduce(|low, high| exprs.concat(high, low));
    exprs.zext(bits.expect("there are some"), 32)
}

/// Sets all flags to the bits of `word`, if flags are kept.
fn set_flags(machine: &mut dyn Machine, word: ExprId, unknown: Option<&'static str>) {
    let exprs = machine.exprs();
    let raised = std::array::from_fn(|bit| exprs.extract(word, bit as u32, 1));
    if let Some(exceptions) = &mut machine.world_mut().exceptions {
        *exceptions = Exceptions { raised, unknown };
    }
}

/// The flags that the program's libc knows: musl in whole programs, else glibc.
fn library_flags(machine: &dyn Machine) -> ExprId {
    let flags = if machine.world().is_whole { ALL_FLAGS } else { FLAGS };
    machine.exprs().constant(32, flags)
}

/// The mask of flags in an argument, without flags that the libc does not know.
fn mask(machine: &mut dyn Machine, argument: Value) -> Result<ExprId, Stop> {
    let mask = machine.free_of_revision(argument, 32)?;
    Ok(machine.exprs().and(mask, library_flags(machine)))
}

/// `feclearexcept` (C11 7.6.2.1). Once all flags have been cleared, all are known.
fn clear(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mask = mask(machine, arguments.get(0))?;
    if let Some(Exceptions { raised, unknown }) = machine.world().exceptions {
        let exprs = machine.exprs();
        let left = exprs.and(word(exprs, raised), exprs.not(mask));
        let is_all = mask == library_flags(machine);
        set_flags(machine, left, unknown.filter(|_| !is_all));
    }
    Ok(Some(Value::Int(0)))
}

/// `feraiseexcept` (C11 7.6.2.3).
fn raise(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mask = mask(machine, arguments.get(0))?;
    put_flags(machine, mask, mask);
    Ok(Some(Value::Int(0)))
}

/// Sets the flags in `mask` to their values in `flags`.
fn put_flags(machine: &mut dyn Machine, mask: ExprId, flags: ExprId) {
    if let Some(Exceptions { raised, unknown }) = machine.world().exceptions {
        let exprs = machine.exprs();
        let kept = exprs.and(word(exprs, raised), exprs.not(mask));
        let all = exprs.or(kept, exprs.and(flags, mask));
        set_flags(machine, all, unknown);
    }
}

/// `fetestexcept` (C11 7.6.2.5).
fn test(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let flags = asked_flags(machine, arguments.get(0))?;
    Ok(Some(Value::from_expr(machine.exprs(), flags)))
}

fn asked_flags(machine: &mut dyn Machine, argument: Value) -> Result<ExprId, Stop> {
    let mask = mask(machine, argument)?;
    let exprs = machine.exprs();
    match machine.world().exceptions {
        Some(Exceptions { raised, unknown: None }) => Ok(exprs.and(word(exprs, raised), mask)),
        Some(Exceptions { unknown: Some(what), .. }) => {
            Err(Stop::unsupported(format!("the exception flags after {what}")))
        }
        None => Err(Stop::unsupported("exception flags that were not kept")),
    }
}

/// `fegetexceptflag` (C11 7.6.2.2).
fn get_flags(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let flags = asked_flags(machine, arguments.get(1))?;
    let exprs = machine.exprs();
    let flags = Value::from_expr(exprs, exprs.extract(flags, 0, 16));
    machine.store(arguments.get(0), 16, flags)?;
    Ok(Some(Value::Int(0)))
}

/// `fesetexceptflag` (C11 7.6.2.4).
fn set_flags_from(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let flags = machine.load(arguments.get(0), 16)?;
    let flags = machine.free_of_revision(flags, 16)?;
    let mask = mask(machine, arguments.get(1))?;
    let flags = machine.exprs().zext(flags, 32);
    put_flags(machine, mask, flags);
    Ok(Some(Value::Int(0)))
}
