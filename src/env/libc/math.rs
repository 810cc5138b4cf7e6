//! The models of those functions of `<math.h>` (C11 7.12) whose result IEEE 754 fixes. Each is one
//! operation that solvers know, instead of a libc's integer arithmetic. `errno` is set where glibc
//! sets it. All other functions run as code of musl (see [`crate::compile::Libc`]).

use super::access::set_errno;
use crate::{
    env::{
        Machine, Stop,
        call::{Arguments, Model},
    },
    expr::{Bv, ExprId, FloatRelation, FloatUnary, Rounding, float::Operation},
    memory::Value,
};

/// The models for each type, given the suffix of its functions' names and its width in bits.
macro_rules! of_type {
    ($($suffix:literal $width:literal)*) => {
        &[$(
            (concat!("sqrt", $suffix), |m, a| root(m, a, $width)),
            (concat!("floor", $suffix), |m, a| integral(m, a, Rounding::Down, false, $width)),
            (concat!("ceil", $suffix), |m, a| integral(m, a, Rounding::Up, false, $width)),
            (concat!("trunc", $suffix), |m, a| integral(m, a, Rounding::Zero, false, $width)),
            (concat!("round", $suffix), |m, a| {
                integral(m, a, Rounding::NearestAway, false, $width)
            }),
            (concat!("roundeven", $suffix), |m, a| {
                integral(m, a, Rounding::NearestEven, false, $width)
            }),
            (concat!("rint", $suffix), |m, a| current_integral(m, a, true, $width)),
            (concat!("nearbyint", $suffix), |m, a| current_integral(m, a, false, $width)),
            (concat!("fma", $suffix), |m, a| mul_add(m, a, $width)),
        )*]
    };
}

pub(in crate::env) const MODELS: &[(&str, Model)] = of_type! { "f" 32 "" 64 "l" 80 "f128" 128 };

/// Sets `errno` to `EDOM` where the condition holds.
fn domain_error(machine: &mut dyn Machine, condition: ExprId) -> Result<(), Stop> {
    const EDOM: u64 = 33;
    set_errno(machine, EDOM, condition)
}

/// Notes the exceptions that an operation raises. In a whole program the libc's own code raises
/// them, so they are not known.
fn raise(machine: &mut dyn Machine, operation: Operation, operand: ExprId, width: u32) {
    if machine.world().is_whole {
        machine.world_mut().raise_unknown("a function of the C library");
    } else {
        let operand = Value::from_expr(machine.exprs(), operand);
        machine.raise(operation, &[operand], width);
    }
}

fn root(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let value = machine.free_of_revision(arguments.get(0), width)?;
    raise(machine, Operation::Sqrt, value, width);
    let rounding = machine.world().rounding;
    let exprs = machine.exprs();
    let zero = exprs.bv(&Bv::zero(width));
    let root = exprs.float_unary(FloatUnary::Sqrt, rounding, value, width);
    let root = Value::from_expr(exprs, root);
    let is_negative = exprs.float_compare(FloatRelation::Less, value, zero);
    domain_error(machine, is_negative)?;
    Ok(Some(root))
}

fn integral(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    rounding: Rounding,
    inexact: bool,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let value = machine.free_of_revision(arguments.get(0), width)?;
    raise(machine, Operation::ToIntegral { inexact }, value, width);
    let exprs = machine.exprs();
    let whole = exprs.float_unary(FloatUnary::RoundToIntegral, rounding, value, width);
    Ok(Some(Value::from_expr(exprs, whole)))
}

/// Rounds to an integer in the rounding mode of the state.
fn current_integral(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    inexact: bool,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let rounding = machine.world().rounding;
    integral(machine, arguments, rounding, inexact, width)
}

fn mul_add(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let a = machine.free_of_revision(arguments.get(0), width)?;
    let b = machine.free_of_revision(arguments.get(1), width)?;
    let c = machine.free_of_revision(arguments.get(2), width)?;
    machine.world_mut().raise_unknown("fma");
    let rounding = machine.world().rounding;
    let exprs = machine.exprs();
    let value = exprs.float_mul_add(rounding, [a, b, c]);
    Ok(Some(Value::from_expr(exprs, value)))
}
