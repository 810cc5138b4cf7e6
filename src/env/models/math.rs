//! `<math.h>` (C11 7.12), where IEEE 754 fixes the result: one operation each, which solvers
//! know, instead of the integer arithmetic of a libc. `errno` is set where glibc does.

use super::{Arguments, Model};
use crate::{
    env::{Machine, Stop},
    expr::{
        Bv, ExprId, FloatRelation, FloatUnary, Rounding,
        float::{self, Format},
    },
    memory::Value,
};

/// The functions of one name for a type, which has so many bits.
macro_rules! of_type {
    ($($suffix:literal $width:literal)*) => {
        &[$(
            (concat!("sqrt", $suffix), |m, a| root(m, a, $width)),
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
            (concat!("fmod", $suffix), |m, a| remainder(m, a, $width)),
        )*]
    };
}

pub(super) const MODELS: &[(&str, Model)] = of_type! { "f16" 16 "f" 32 "" 64 "l" 80 "f128" 128 };

/// Sets `errno` to `EDOM` where the condition holds.
fn domain_error(machine: &mut dyn Machine, condition: ExprId) -> Result<(), Stop> {
    const EDOM: u64 = 33;
    if machine.exprs().is_false(condition) {
        return Ok(());
    }
    let errno = Value::Int(machine.world().errno);
    let before = machine.load(errno, 32)?;
    let before = machine.settled(before, 32)?;
    let exprs = machine.exprs();
    let after = exprs.ite(condition, exprs.constant(32, EDOM), before);
    let after = Value::from_expr(exprs, after);
    machine.store(errno, 32, after)
}

fn root(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let value = machine.settled(arguments.get(0), width)?;
    let exprs = machine.exprs();
    let zero = exprs.bv(&Bv::zero(width));
    let root = exprs.float_unary(FloatUnary::Sqrt, Rounding::NearestEven, value, width);
    let root = Value::from_expr(exprs, root);
    let is_negative = exprs.float_compare(FloatRelation::Less, value, zero);
    domain_error(machine, is_negative)?;
    Ok(Some(root))
}

fn integral(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    rounding: Rounding,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let value = machine.settled(arguments.get(0), width)?;
    let exprs = machine.exprs();
    let whole = exprs.float_unary(FloatUnary::RoundToIntegral, rounding, value, width);
    Ok(Some(Value::from_expr(exprs, whole)))
}

/// Only of concrete numbers: the remainder that solvers know is rounded to nearest (IEEE
/// 754-2008, clause 5.3.1), that of C is cut.
fn remainder(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let format = Format::of(width).expect("the width of a format");
    let mut operands = [0; 2];
    for (index, operand) in operands.iter_mut().enumerate() {
        let value = machine.settled(arguments.get(index), width)?;
        let Some(value) = machine.exprs().as_bv(value) else {
            return Err(Stop::unsupported("a symbolic remainder of floating-point numbers"));
        };
        *operand = value.to_u128().expect("at most 128 bits");
    }
    let [a, b] = operands;
    let bits = float::remainder(format, a, b);
    let is_invalid = format.is_nan(bits) && !format.is_nan(a) && !format.is_nan(b);
    let is_invalid = machine.exprs().bool(is_invalid);
    domain_error(machine, is_invalid)?;
    let exprs = machine.exprs();
    Ok(Some(Value::from_expr(exprs, exprs.bv(&Bv::from_u128(width, bits)))))
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
