//! Floating point. Constants are folded; few other rules survive rounding (see `stairs.rs`).

use super::super::{
    Bv, ExprId, Exprs, Node,
    float::{self, FloatBinary, FloatRelation, FloatUnary, Format, Rounding},
};

impl Exprs {
    /// `op` applied to `a`, with a result of `width` bits.
    ///
    /// # Panics
    /// If no format has the width of a floating-point operand or result, or if an integer is wider
    /// than 128 bits.
    pub fn float_unary(&self, op: FloatUnary, rounding: Rounding, a: ExprId, width: u32) -> ExprId {
        let from = self.width(a);
        for (width, is_float) in [(from, op.from_float()), (width, op.to_float())] {
            let fits = if is_float { Format::of(width).is_some() } else { width <= 128 };
            assert!(fits, "{op:?} of {width} bits");
        }
        if let Some(value) = self.as_bv(a) {
            return self.bv(&folded(op, rounding, &value, width));
        }
        if let Some(choice) = self.map_choice(a, |value| folded(op, rounding, value, width)) {
            return choice;
        }
        match (op, self.node(a)) {
            // Theories of floating point have trouble with integers of one bit.
            (FloatUnary::FromSigned, _) if from == 1 => {
                self.float_unary(op, rounding, self.sext(a, 8), width)
            }
            (FloatUnary::FromUnsigned, _) if from == 1 => {
                self.float_unary(op, rounding, self.zext(a, 8), width)
            }
            (FloatUnary::FromSigned | FloatUnary::FromUnsigned, Node::Zext(narrow))
                if self.width(narrow) > 1 =>
            {
                self.float_unary(FloatUnary::FromUnsigned, rounding, narrow, width)
            }
            (FloatUnary::FromSigned, Node::Sext(narrow)) if self.width(narrow) > 1 => {
                self.float_unary(op, rounding, narrow, width)
            }
            (FloatUnary::Convert, _) if from == width => unreachable!("a conversion to itself"),
            (FloatUnary::Convert, Node::FloatUnary(made, _, x)) if self.exact(a).is_some() => {
                self.float_unary(made, rounding, x, width)
            }
            (FloatUnary::RoundToIntegral, _) if self.exact(a).is_some() => a,
            (FloatUnary::RoundToIntegral, _) if rounding == Rounding::Down => self
                .floor(a)
                .unwrap_or_else(|| self.arena.intern(Node::FloatUnary(op, rounding, a), width)),
            (FloatUnary::ToSigned, _) => self.cut(a, width).unwrap_or_else(|| {
                self.arena.intern(Node::FloatUnary(op, Rounding::Zero, a), width)
            }),
            (FloatUnary::ToUnsigned, _) => {
                self.arena.intern(Node::FloatUnary(op, Rounding::Zero, a), width)
            }
            _ => self.arena.intern(Node::FloatUnary(op, rounding, a), width),
        }
    }

    /// The number `a op b`.
    ///
    /// # Panics
    /// If the widths differ, or if no format has them.
    pub fn float_binary(
        &self,
        op: FloatBinary,
        rounding: Rounding,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let format = self.format_of(&[a, b]);
        let value = |x: &Bv, y: &Bv| {
            let bits = float::binary(op, rounding, format, pattern(x), pattern(y));
            Bv::from_u128(format.width(), bits)
        };
        if let (Some(x), Some(y)) = (self.as_bv(a), self.as_bv(b)) {
            return self.bv(&value(&x, &y));
        }
        self.zip_choices(a, b, value)
            .or_else(|| self.exact_binary(op, rounding, (a, b)))
            .or_else(|| self.same_number(op, rounding, (a, b)))
            .unwrap_or_else(|| {
                self.arena.intern(Node::FloatBinary(op, rounding, a, b), format.width())
            })
    }

    /// The canonical form of an operation that has several spellings with the same bits, including
    /// NaNs and zeros. Constants come last. Twice a number is its sum with itself. A quotient by a
    /// power of two is a product. No zero is added to a square.
    fn same_number(
        &self,
        op: FloatBinary,
        rounding: Rounding,
        (a, b): (ExprId, ExprId),
    ) -> Option<ExprId> {
        let format @ (Format::Single | Format::Double) = self.format_of(&[a, b]) else {
            return None;
        };
        let constant = |e| self.as_bv(e).map(|value| pattern(&value));
        match (op, constant(a), constant(b)) {
            (FloatBinary::Add | FloatBinary::Mul, Some(number), None) if !format.is_nan(number) => {
                Some(self.float_binary(op, rounding, b, a))
            }
            (FloatBinary::Mul, None, Some(two)) if two == two_in(format) => {
                Some(self.float_binary(FloatBinary::Add, rounding, a, a))
            }
            // Quotients of exact integers are kept, and are compared as quotients.
            (FloatBinary::Div, None, Some(divisor)) if self.exact(a).is_none() => {
                let inverse = inverse_of_power(format, divisor)?;
                let inverse = self.bv(&Bv::from_u128(format.width(), inverse));
                Some(self.float_binary(FloatBinary::Mul, rounding, a, inverse))
            }
            (FloatBinary::Add, None, Some(0)) if self.is_square(a) => Some(a),
            _ => None,
        }
    }

    /// Whether `e` is the product of a number with itself, which is never -0.
    fn is_square(&self, e: ExprId) -> bool {
        matches!(self.node(e), Node::FloatBinary(FloatBinary::Mul, _, a, b) if a == b)
    }

    /// The number `a * b + c`, rounded once.
    ///
    /// # Panics
    /// If the widths differ, or if no format has them.
    pub fn float_mul_add(&self, rounding: Rounding, operands: [ExprId; 3]) -> ExprId {
        let format = self.format_of(&operands);
        if let [Some(a), Some(b), Some(c)] = operands.map(|e| self.as_bv(e)) {
            let value = float::mul_add(rounding, format, [a, b, c].each_ref().map(pattern));
            return self.bv(&Bv::from_u128(format.width(), value));
        }
        self.arena.intern(Node::FloatMulAdd(rounding, operands), format.width())
    }

    /// Whether `a relation b`; a comparison with a NaN is false.
    ///
    /// # Panics
    /// If the widths differ, or if no format has them.
    pub fn float_compare(&self, relation: FloatRelation, a: ExprId, b: ExprId) -> ExprId {
        let format = self.format_of(&[a, b]);
        let value = |x: &Bv, y: &Bv| {
            let holds = float::compare(relation, format, pattern(x), pattern(y));
            Bv::new(1, u64::from(holds))
        };
        if let (Some(x), Some(y)) = (self.as_bv(a), self.as_bv(b)) {
            return self.bv(&value(&x, &y));
        }
        if let Some(choice) = self.zip_choices(a, b, value) {
            return choice;
        }
        let of_integers = || self.exact_compare(relation, a, b);
        if let Some(simple) = of_integers().or_else(|| self.stairs_compare(relation, a, b)) {
            return simple;
        }
        let relation = match relation {
            FloatRelation::Less if a == b => return self.bool(false),
            FloatRelation::LessOrEqual if a == b => FloatRelation::Equal,
            _ => relation,
        };
        let never_nan = |e| {
            matches!(
                self.node(e),
                Node::FloatUnary(FloatUnary::FromSigned | FloatUnary::FromUnsigned, ..)
            )
        };
        if a == b && never_nan(a) {
            return self.bool(true);
        }
        let (a, b) = if relation == FloatRelation::Equal { self.ordered(a, b) } else { (a, b) };
        self.arena.intern(Node::FloatCompare(relation, a, b), 1)
    }

    /// Whether `a` or `b` is a NaN.
    pub fn float_unordered(&self, a: ExprId, b: ExprId) -> ExprId {
        let is_number = |e| self.float_compare(FloatRelation::Equal, e, e);
        self.not(self.and(is_number(a), is_number(b)))
    }

    /// Whether `a`, truncated towards zero, fits in an integer of `width` bits.
    pub fn float_fits(&self, a: ExprId, width: u32, signed: bool) -> ExprId {
        let format = self.format_of(&[a]);
        let constant = |bits| self.bv(&Bv::from_u128(format.width(), bits));
        let infinity = format.infinity();
        let bits = if signed { width - 1 } else { width };
        let high = format.power_of_two(bits, false).unwrap_or(infinity);
        let below = self.float_compare(FloatRelation::Less, a, constant(high));
        // Every number that is truncated to the least integer lies above the next lower integer,
        // which is a number of the format if it is short enough.
        let before = if signed { -(1_i128 << (width.min(127) - 1)) - 1 } else { -1 };
        let above = if !signed || width <= format.precision() {
            let exact = FloatUnary::FromSigned;
            let bits = float::unary(exact, Rounding::Zero, 128, format.width(), before as u128);
            self.float_compare(FloatRelation::Less, constant(bits), a)
        } else if let Some(least) = format.power_of_two(width - 1, true) {
            self.float_compare(FloatRelation::LessOrEqual, constant(least), a)
        } else {
            let low = format.sign() | infinity;
            self.float_compare(FloatRelation::Less, constant(low), a)
        };
        self.and(above, below)
    }

    fn format_of(&self, operands: &[ExprId]) -> Format {
        let width = self.width(operands[0]);
        assert!(
            operands.iter().all(|e| self.width(*e) == width),
            "operands of a floating-point operation differ in width"
        );
        Format::of(width).unwrap_or_else(|| panic!("no floating-point format has {width} bits"))
    }
}

/// The exponent bias, which is the encoded exponent of 1.
fn bias(format: Format) -> u128 {
    (1 << (format.exponent_bits() - 1)) - 1
}

/// The bits of 2.
fn two_in(format: Format) -> u128 {
    (bias(format) + 1) << format.fraction_bits()
}

/// The bits of the inverse of `power`, if that is a power of two and both are normal numbers.
fn inverse_of_power(format: Format, power: u128) -> Option<u128> {
    let sign = power & format.sign();
    let exponent = (power ^ sign) >> format.fraction_bits();
    let is_power = power & format.fraction() == 0 && exponent > 0;
    let inverse = (2 * bias(format)).checked_sub(exponent).filter(|inverse| *inverse > 0)?;
    is_power.then_some(sign | inverse << format.fraction_bits())
}

fn pattern(value: &Bv) -> u128 {
    value.to_u128().expect("at most 128 bits")
}

fn folded(op: FloatUnary, rounding: Rounding, value: &Bv, width: u32) -> Bv {
    Bv::from_u128(width, float::unary(op, rounding, value.width(), width, pattern(value)))
}
