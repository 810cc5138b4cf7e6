//! Floating-point arithmetic: directly on concrete values of at most 64 bits, by expressions
//! on all others.

use std::cmp::Ordering;

use super::Executor;
use crate::{
    env::Stop,
    expr::{
        Bv, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Rounding,
        float::{self, Format, Operation},
    },
    ir::{CompareExceptions, FloatCast, FloatOp, FloatPredicate},
    memory::{Value, value::truncate},
};

impl Executor<'_> {
    pub(super) fn float_binary(&mut self, op: FloatOp, width: u32, a: Value, b: Value) -> Value {
        let op = match op {
            FloatOp::Add => FloatBinary::Add,
            FloatOp::Sub => FloatBinary::Sub,
            FloatOp::Mul => FloatBinary::Mul,
            FloatOp::Div => FloatBinary::Div,
        };
        let rounding = self.state.world.rounding;
        self.raise(Operation::Binary(op), &[a, b], width);
        if let (Value::Int(x), Value::Int(y), Some(format)) = (a, b, narrow(width)) {
            let bits = float::binary(op, rounding, format, x.into(), y.into());
            return Value::Int(bits as u64);
        }
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, exprs.float_binary(op, rounding, a, b))
    }

    pub(super) fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        width: u32,
        a: Value,
        b: Value,
    ) -> Value {
        if let (Value::Int(x), Value::Int(y), Some(format)) = (a, b, narrow(width)) {
            let [less, equal, greater, unordered] = outcomes(predicate);
            let holds = match float::order(format, x.into(), y.into()) {
                Some(Ordering::Less) => less,
                Some(Ordering::Equal) => equal,
                Some(Ordering::Greater) => greater,
                None => unordered,
            };
            return Value::Int(u64::from(holds));
        }
        let (a, b) = (self.expr(a, width), self.expr(b, width));
        let exprs = &self.program.exprs;
        Value::from_expr(exprs, comparison(exprs, outcomes(predicate), a, b))
    }

    pub(super) fn float_cast(
        &mut self,
        cast: FloatCast,
        from: u32,
        to: u32,
        a: Value,
    ) -> Result<Value, Stop> {
        if from > 128 || to > 128 {
            return Err(Stop::unsupported("a conversion of more than 128 bits"));
        }
        self.raise_casting(cast, from, to, a);
        let op = match cast {
            FloatCast::Extend | FloatCast::Truncate => FloatUnary::Convert,
            FloatCast::FromUnsigned => FloatUnary::FromUnsigned,
            FloatCast::FromSigned => FloatUnary::FromSigned,
            FloatCast::ToSigned | FloatCast::SaturateSigned => FloatUnary::ToSigned,
            FloatCast::ToUnsigned | FloatCast::SaturateUnsigned => FloatUnary::ToUnsigned,
            FloatCast::MachineSigned | FloatCast::MachineUnsigned => {
                let signed = cast == FloatCast::MachineSigned;
                let bits = machine_integer(&self.program.exprs, self.expr(a, from), to, signed);
                return Ok(Value::from_expr(&self.program.exprs, bits));
            }
        };
        let rounding = self.state.world.rounding;
        if rounding != Rounding::NearestEven && !op.from_float() {
            self.check_directed(cast, from, to, a)?;
        }
        let checked = matches!(cast, FloatCast::ToSigned | FloatCast::ToUnsigned);
        if let Value::Int(x) = a
            && !checked
            && from <= 64
            && to <= 64
        {
            let bits = float::unary(op, rounding, from, to, x.into());
            return Ok(Value::Int(truncate(bits as u64, to)));
        }
        let a = self.expr(a, from);
        let exprs = &self.program.exprs;
        if checked {
            let fits = exprs.float_fits(a, to, op == FloatUnary::ToSigned);
            if !self.branch(fits)? {
                return Err(Stop::unsupported("a conversion out of the integer's range"));
            }
        }
        // The library function that does this misreads other encodings.
        if from == 80 && op == FloatUnary::Convert && matches!(to, 16 | 128) {
            let canonical = exprs.is_canonical(a);
            if !self.branch(canonical)? {
                return Err(Stop::unsupported("an encoding that the x87 does not write"));
            }
        }
        Ok(Value::from_expr(exprs, exprs.float_unary(op, rounding, a, to)))
    }

    /// Refuses conversions of integers that the code generator composes of several operations,
    /// unless the rounding mode is the default one. These operations are right in that mode only.
    fn check_directed(
        &mut self,
        cast: FloatCast,
        from: u32,
        to: u32,
        a: Value,
    ) -> Result<(), Stop> {
        let mut composed = from > 64 || to == 16;
        // One of the operations subtracts a number from itself, which gives -0 in this mode.
        if cast == FloatCast::FromUnsigned && self.state.world.rounding == Rounding::Down {
            let a = self.expr(a, from);
            let exprs = &self.program.exprs;
            let is_zero = exprs.eq(a, exprs.bv(&Bv::zero(from)));
            composed = composed || self.branch(is_zero)?;
        }
        if composed {
            return Err(Stop::unsupported("a conversion of an integer in this rounding mode"));
        }
        Ok(())
    }

    /// Takes note of the exceptions that an operation raises.
    pub(super) fn raise(&mut self, operation: Operation, operands: &[Value], width: u32) {
        if self.state.world.exceptions.is_none() {
            return;
        }
        let operands: Vec<ExprId> =
            operands.iter().map(|operand| self.expr(*operand, width)).collect();
        let (exprs, world) = (&self.program.exprs, &mut self.state.world);
        match (&mut world.exceptions, float::raised(exprs, operation, world.rounding, &operands)) {
            (Some(exceptions), Some(raised)) => {
                for (flag, raised) in exceptions.raised.iter_mut().zip(raised) {
                    *flag = exprs.or(*flag, raised);
                }
            }
            _ => world.raise_unknown("arithmetic in other formats than float and double"),
        }
    }

    pub(super) fn raise_comparing(
        &mut self,
        exceptions: CompareExceptions,
        width: u32,
        a: Value,
        b: Value,
    ) {
        if self.state.world.exceptions.is_none() {
            return;
        }
        if exceptions != CompareExceptions::Open {
            let quiet = exceptions == CompareExceptions::Quiet;
            return self.raise(Operation::Compare { quiet }, &[a, b], width);
        }
        let operands = [self.expr(a, width), self.expr(b, width)];
        let (exprs, rounding) = (&self.program.exprs, self.state.world.rounding);
        let raised = float::raised(exprs, Operation::Compare { quiet: false }, rounding, &operands);
        if !raised.is_some_and(|raised| raised.iter().all(|flag| exprs.is_false(*flag))) {
            self.state
                .world
                .raise_unknown("a comparison that a code generator writes in many ways");
        }
    }

    fn raise_casting(&mut self, cast: FloatCast, from: u32, to: u32, a: Value) {
        let operation = match cast {
            FloatCast::Extend | FloatCast::Truncate => Operation::Convert(to),
            FloatCast::FromSigned => Operation::FromSigned(to),
            FloatCast::FromUnsigned => Operation::FromUnsigned(to),
            FloatCast::ToSigned | FloatCast::MachineSigned if to <= 64 => {
                Operation::ToSigned(to.max(32))
            }
            FloatCast::MachineUnsigned if to == 32 => Operation::ToSigned(64),
            _ => {
                self.state.world.raise_unknown("a conversion of several instructions");
                return;
            }
        };
        self.raise(operation, &[a], from);
    }

    pub(super) fn float_negate(&mut self, width: u32, a: Value) -> Value {
        if let Value::Int(x) = a
            && width <= 64
        {
            return Value::Int(x ^ 1 << (width - 1));
        }
        let a = self.expr(a, width);
        let exprs = &self.program.exprs;
        let sign = exprs.bv(&Bv::from_u128(width, 1 << (width - 1)));
        Value::from_expr(exprs, exprs.xor(a, sign))
    }
}

/// The integer of 32 or 64 bits that x86-64 makes of a floating-point number. A number that does
/// not fit becomes the least number of two's complement (Intel SDM, "CVTTSD2SI"). An unsigned
/// integer of 32 bits is the low half of a signed one of 64 bits; one of 64 bits is the unsigned
/// integer if the number fits that, and otherwise a signed one.
fn machine_integer(exprs: &Exprs, a: ExprId, to: u32, signed: bool) -> ExprId {
    let fitting = |width, signed, otherwise| {
        let op = if signed { FloatUnary::ToSigned } else { FloatUnary::ToUnsigned };
        let bits = exprs.float_unary(op, Rounding::Zero, a, width);
        exprs.ite(exprs.float_fits(a, width, signed), bits, otherwise)
    };
    let least = |width| exprs.bv(&Bv::ones(width - 1).zext(width).not());
    match (to, signed) {
        (width, true) => fitting(width, true, least(width)),
        (32, false) => exprs.extract(fitting(64, true, least(64)), 0, 32),
        (width, false) => fitting(width, false, fitting(width, true, least(width))),
    }
}

/// The format of `width` bits, if a machine word holds it.
fn narrow(width: u32) -> Option<Format> {
    Format::of(width).filter(|_| width <= 64)
}

/// The outcomes of a comparison for which a predicate holds: less, equal, greater, unordered.
fn outcomes(predicate: FloatPredicate) -> [bool; 4] {
    let [less, equal, greater, unordered] = match predicate {
        FloatPredicate::False => [0, 0, 0, 0],
        FloatPredicate::Oeq => [0, 1, 0, 0],
        FloatPredicate::Ogt => [0, 0, 1, 0],
        FloatPredicate::Oge => [0, 1, 1, 0],
        FloatPredicate::Olt => [1, 0, 0, 0],
        FloatPredicate::Ole => [1, 1, 0, 0],
        FloatPredicate::One => [1, 0, 1, 0],
        FloatPredicate::Ord => [1, 1, 1, 0],
        FloatPredicate::Ueq => [0, 1, 0, 1],
        FloatPredicate::Ugt => [0, 0, 1, 1],
        FloatPredicate::Uge => [0, 1, 1, 1],
        FloatPredicate::Ult => [1, 0, 0, 1],
        FloatPredicate::Ule => [1, 1, 0, 1],
        FloatPredicate::Une => [1, 0, 1, 1],
        FloatPredicate::Uno => [0, 0, 0, 1],
        FloatPredicate::True => [1, 1, 1, 1],
    };
    [less, equal, greater, unordered].map(|bit| bit == 1)
}

fn comparison(exprs: &Exprs, outcomes: [bool; 4], a: ExprId, b: ExprId) -> ExprId {
    let [less, equal, greater, unordered] = outcomes;
    if unordered {
        return exprs.not(comparison(exprs, outcomes.map(|outcome| !outcome), a, b));
    }
    let is = |relation, a, b| exprs.float_compare(relation, a, b);
    match (less, equal, greater) {
        (false, false, false) => exprs.bool(false),
        (false, true, false) => is(FloatRelation::Equal, a, b),
        (true, false, false) => is(FloatRelation::Less, a, b),
        (true, true, false) => is(FloatRelation::LessOrEqual, a, b),
        (false, false, true) => is(FloatRelation::Less, b, a),
        (false, true, true) => is(FloatRelation::LessOrEqual, b, a),
        (true, false, true) => {
            exprs.or(is(FloatRelation::Less, a, b), is(FloatRelation::Less, b, a))
        }
        (true, true, true) => exprs.not(exprs.float_unordered(a, b)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expr::{Assignment, VariableKind};

    const PREDICATES: [FloatPredicate; 16] = [
        FloatPredicate::False,
        FloatPredicate::Oeq,
        FloatPredicate::Ogt,
        FloatPredicate::Oge,
        FloatPredicate::Olt,
        FloatPredicate::Ole,
        FloatPredicate::One,
        FloatPredicate::Ord,
        FloatPredicate::Ueq,
        FloatPredicate::Ugt,
        FloatPredicate::Uge,
        FloatPredicate::Ult,
        FloatPredicate::Ule,
        FloatPredicate::Une,
        FloatPredicate::Uno,
        FloatPredicate::True,
    ];

    /// Whether a predicate holds, as LLVM's manual defines it (`fcmp`).
    fn holds(predicate: FloatPredicate, x: f64, y: f64) -> bool {
        let unordered = x.is_nan() || y.is_nan();
        match predicate {
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
            FloatPredicate::Une => unordered || x != y,
            FloatPredicate::Uno => unordered,
            FloatPredicate::True => true,
        }
    }

    /// The value of an expression over numbers, which are variables in it.
    fn value<const N: usize>(
        numbers: [f64; N],
        of: impl FnOnce(&Exprs, [ExprId; N]) -> ExprId,
    ) -> u64 {
        let (exprs, mut assignment) = (Exprs::new(), Assignment::default());
        let mut names = (0..).map(|index| format!("x{index}"));
        let variables = numbers.map(|number| {
            let name = names.next().unwrap_or_default();
            let e = exprs.variable(&name, 64, VariableKind::Input);
            assignment.0.insert(exprs.as_variable(e).unwrap(), Bv::new(64, number.to_bits()));
            e
        });
        exprs.evaluate(of(&exprs, variables), &assignment).to_u64().unwrap()
    }

    /// Numbers near the bounds of integers, special ones, and any bits.
    fn number() -> impl Strategy<Value = f64> {
        let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let bound = (0..65, -2_i64..3, any::<bool>()).prop_map(|(power, steps, negative)| {
            let bits = 2_f64.powi(power).to_bits().wrapping_add(steps as u64);
            if negative { -f64::from_bits(bits) } else { f64::from_bits(bits) }
        });
        prop_oneof![
            prop::sample::select(special.to_vec()),
            bound,
            any::<u64>().prop_map(f64::from_bits)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn comparisons_are_those_of_the_manual(x in number(), y in number(), same: bool) {
            let y = if same { x } else { y };
            for predicate in PREDICATES {
                let all = outcomes(predicate);
                let e = value([x, y], |exprs, [a, b]| comparison(exprs, all, a, b));
                prop_assert_eq!(e == 1, holds(predicate, x, y), "{:?} of {} and {}", predicate, x, y);
            }
        }

        /// What does not fit becomes the least number, by the manual of the processor.
        #[test]
        fn integers_are_those_of_the_machine(x in number()) {
            let fits = |low: f64, high: f64| x.trunc() >= low && x.trunc() < high;
            let to = |width, signed| value([x], |exprs, [a]| machine_integer(exprs, a, width, signed));
            let (short, long) = (2_f64.powi(31), 2_f64.powi(63));
            let signed = if fits(-long, long) { x as i64 } else { i64::MIN };
            prop_assert_eq!(to(64, true) as i64, signed);
            let narrow = if fits(-short, short) { x as i32 } else { i32::MIN };
            prop_assert_eq!(to(32, true) as u32 as i32, narrow);
            prop_assert_eq!(to(32, false) as u32, signed as u32);
            let unsigned = if fits(0.0, 2.0 * long) { x as u64 } else { signed as u64 };
            prop_assert_eq!(to(64, false), unsigned);
        }
    }
}
