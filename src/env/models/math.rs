//! `<math.h>` (C11 7.12), where IEEE 754 fixes the result: one operation each, which solvers
//! know, instead of the integer arithmetic of a libc. `errno` is left alone, as musl does.

use super::{Arguments, Model};
use crate::{
    env::{Machine, Stop},
    expr::{FloatUnary, Rounding},
    memory::Value,
};

/// The functions of one name for a type, which has so many bits.
macro_rules! of_type {
    ($($suffix:literal $width:literal)*) => {
        &[$(
            (concat!("sqrt", $suffix), |m, a| {
                unary(m, a, FloatUnary::Sqrt, Rounding::NearestEven, $width)
            }),
            (concat!("floor", $suffix), |m, a| integral(m, a, Rounding::Down, $width)),
            (concat!("ceil", $suffix), |m, a| integral(m, a, Rounding::Up, $width)),
            (concat!("trunc", $suffix), |m, a| integral(m, a, Rounding::Zero, $width)),
            (concat!("round", $suffix), |m, a| integral(m, a, Rounding::NearestAway, $width)),
            (concat!("roundeven", $suffix), |m, a| {
                integral(m, a, Rounding::NearestEven, $width)
            }),
            // Nothing here changes the rounding mode.
            (concat!("rint", $suffix), |m, a| integral(m, a, Rounding::NearestEven, $width)),
            (concat!("nearbyint", $suffix), |m, a| {
                integral(m, a, Rounding::NearestEven, $width)
            }),
            (concat!("fma", $suffix), |m, a| mul_add(m, a, $width)),
        )*]
    };
}

pub(super) const MODELS: &[(&str, Model)] =
    of_type! { "f16" 16 "f" 32 "" 64 "l" 80 "f128" 128 };

fn unary(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    op: FloatUnary,
    rounding: Rounding,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let value = machine.settled(arguments.get(0), width)?;
    let exprs = machine.exprs();
    Ok(Some(Value::from_expr(exprs, exprs.float_unary(op, rounding, value, width))))
}

fn integral(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    rounding: Rounding,
    width: u32,
) -> Result<Option<Value>, Stop> {
    unary(machine, arguments, FloatUnary::RoundToIntegral, rounding, width)
}

fn mul_add(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let a = machine.settled(arguments.get(0), width)?;
    let b = machine.settled(arguments.get(1), width)?;
    let c = machine.settled(arguments.get(2), width)?;
    let exprs = machine.exprs();
    let value = exprs.float_mul_add(Rounding::NearestEven, [a, b, c]);
    Ok(Some(Value::from_expr(exprs, value)))
}
