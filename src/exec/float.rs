//! Floating-point arithmetic on concrete `float` and `double` values.

use super::Executor;
use crate::{
    env::Stop,
    ir::{FloatCast, FloatOp, FloatPredicate},
    memory::{Value, value::truncate},
};

impl Executor<'_> {
    pub(super) fn float_binary(
        &mut self,
        op: FloatOp,
        width: u32,
        a: Value,
        b: Value,
    ) -> Result<Value, Stop> {
        macro_rules! apply {
            ($float:ident, $bits:ident) => {{
                let x = $float::from_bits(concrete(a)? as $bits);
                let y = $float::from_bits(concrete(b)? as $bits);
                let value = match op {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    FloatOp::Div => x / y,
                    FloatOp::Rem => x % y,
                };
                Ok(Value::Int(u64::from(value.to_bits())))
            }};
        }
        match width {
            32 => apply!(f32, u32),
            64 => apply!(f64, u64),
            _ => Err(Stop::unsupported(format!("{width}-bit floating point"))),
        }
    }

    pub(super) fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        width: u32,
        a: Value,
        b: Value,
    ) -> Result<Value, Stop> {
        let (x, y) = (read(width, a)?, read(width, b)?);
        let unordered = x.is_nan() || y.is_nan();
        let holds = match predicate {
            FloatPredicate::False => false,
            FloatPredicate::Oeq => x == y,
            FloatPredicate::Ogt => x > y,
            FloatPredicate::Oge => x >= y,
            FloatPredicate::Olt => x < y,
            FloatPredicate::Ole => x <= y,
            FloatPredicate::One => !unordered && x != y,
            FloatPredicate::Ord => !unordered,
            FloatPredicate::Ueq => unordered || x == y,
            FloatPredicate::Ugt => unordered || x > y,
            FloatPredicate::Uge => unordered || x >= y,
            FloatPredicate::Ult => unordered || x < y,
            FloatPredicate::Ule => unordered || x <= y,
            FloatPredicate::Une => x != y,
            FloatPredicate::Uno => unordered,
            FloatPredicate::True => true,
        };
        Ok(Value::Int(u64::from(holds)))
    }

    pub(super) fn float_cast(
        &mut self,
        cast: FloatCast,
        from: u32,
        to: u32,
        a: Value,
    ) -> Result<Value, Stop> {
        let value = match cast {
            FloatCast::Extend | FloatCast::Truncate => write(to, read(from, a)?)?,
            FloatCast::FromUnsigned if from <= 64 => match to {
                32 => u64::from((concrete(a)? as f32).to_bits()),
                _ => write(to, concrete(a)? as f64)?,
            },
            FloatCast::FromSigned if from <= 64 => {
                let int = crate::memory::value::signed(concrete(a)?, from);
                match to {
                    32 => u64::from((int as f32).to_bits()),
                    _ => write(to, int as f64)?,
                }
            }
            FloatCast::ToSigned | FloatCast::ToUnsigned if to <= 64 => {
                let value = read(from, a)?.trunc();
                let limit = 2f64.powi(to as i32);
                let (low, high) = match cast {
                    FloatCast::ToSigned => (-limit / 2.0, limit / 2.0),
                    _ => (0.0, limit),
                };
                if !(value >= low && value < high) {
                    return Err(Stop::unsupported("a conversion out of the integer's range"));
                }
                truncate(value as i128 as u64, to)
            }
            _ => return Err(Stop::unsupported("a conversion of more than 64 bits")),
        };
        Ok(Value::Int(value))
    }
}

fn concrete(value: Value) -> Result<u64, Stop> {
    value.as_int().ok_or_else(|| Stop::unsupported("symbolic floating point"))
}

/// Every `float` is exactly a `double`.
fn read(width: u32, value: Value) -> Result<f64, Stop> {
    match width {
        32 => Ok(f64::from(f32::from_bits(concrete(value)? as u32))),
        64 => Ok(f64::from_bits(concrete(value)?)),
        _ => Err(Stop::unsupported(format!("{width}-bit floating point"))),
    }
}

fn write(width: u32, value: f64) -> Result<u64, Stop> {
    match width {
        32 => Ok(u64::from((value as f32).to_bits())),
        64 => Ok(value.to_bits()),
        _ => Err(Stop::unsupported(format!("{width}-bit floating point"))),
    }
}
