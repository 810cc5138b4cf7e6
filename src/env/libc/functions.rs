//! Values of mathematical functions (C11 7.12) as terms: two revisions that call a function with
//! equal arguments get the same value, whatever it is.
//!
//! For unknown arguments, the code of such a function has thousands of paths, each with polynomials
//! that no solver decides. So the value is a variable that stands for the function and its
//! arguments. What holds for every value of the variable holds for the real value. If revisions
//! differ for some value, a native run says whether they differ for the real one.
//!
//! This serves only functions that have no effect besides their value. `fmod`, which sets `errno`,
//! is not among them.

use crate::env::call::{Arguments, Model};
use crate::{
    env::{Approximation, Machine, Stop},
    expr::{ExprId, Rounding},
    memory::Value,
};

/// If no argument has more possible values than this, the function's code runs.
const FEW: usize = 16;

/// Makes the models of the functions with these names and numbers of arguments, each for `double`
/// and for `float`.
macro_rules! of_arguments {
    ($($name:literal $count:literal)*) => {
        &[$(
            ($name, |m, a| value_of(m, a, $name, $count, 64)),
            (concat!($name, "f"), |m, a| value_of(m, a, concat!($name, "f"), $count, 32)),
        )*]
    };
}

pub(in crate::env) const PREPARATIONS: &[(&str, Model)] = of_arguments! {
    "sin" 1 "cos" 1 "tan" 1 "asin" 1 "acos" 1 "atan" 1 "sinh" 1 "cosh" 1 "tanh" 1 "asinh" 1
    "acosh" 1 "atanh" 1 "exp" 1 "exp2" 1 "exp10" 1 "expm1" 1 "log" 1 "log2" 1 "log10" 1 "log1p" 1
    "cbrt" 1 "erf" 1 "erfc" 1 "tgamma" 1 "pow" 2 "atan2" 2 "hypot" 2 "remainder" 2
};

/// The value of the function `name` with `count` arguments of `width` bits, as a term. `None` if
/// the function's code must run instead.
fn value_of(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    name: &'static str,
    count: usize,
    width: u32,
) -> Result<Option<Value>, Stop> {
    let is_given = |index| arguments.width(index) == Some(width);
    if !(0..count).all(is_given) {
        return Ok(None);
    }
    // The code may depend on the rounding mode.
    if machine.world().rounding != Rounding::NearestEven {
        return Ok(None);
    }
    let unknown = (0..count).any(|index| matches!(arguments.get(index), Value::Expr(_)));
    if !unknown {
        return Ok(None);
    }
    let mut values: Vec<ExprId> = Vec::new();
    for index in 0..count {
        values.push(machine.free_of_revision(arguments.get(index), width)?);
    }
    let exprs = machine.exprs();
    // The engine checks what would change with other unwritten content or other addresses. A term
    // like this one would hide it.
    let moves = |value: &ExprId| {
        let mentions = exprs.mentions(*value);
        mentions.uninitialised() || mentions.address()
    };
    if values.iter().any(moves) {
        return Ok(None);
    }
    if values.iter().all(|value| exprs.few_values(*value, FEW).is_some()) {
        return Ok(None);
    }
    let Some(value) = exprs.application(name, width, &values) else { return Ok(None) };
    machine.world_mut().approximate(Approximation::Function(name));
    machine.world_mut().raise_unknown("a function of the C library");
    Ok(Some(Value::Expr(value)))
}
