//! Floating point (SMT-LIB, theory FloatingPoint). The theory has no function from a number to its
//! bits. So the bits of a result are a constant, and the script asserts that this encodes the
//! result.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::{
    super::{Bv, ExprId, FloatBinary, FloatRelation, FloatUnary, Node, Rounding, float::Format},
    Script, literal,
};

impl Script<'_> {
    pub(super) fn float_comparison(
        &mut self,
        relation: FloatRelation,
        a: ExprId,
        b: ExprId,
    ) -> String {
        let symbol = match relation {
            FloatRelation::Equal => "fp.eq",
            FloatRelation::Less => "fp.lt",
            FloatRelation::LessOrEqual => "fp.leq",
        };
        format!("({symbol} {} {})", self.number(a), self.number(b))
    }

    pub(super) fn float_to_integer(&mut self, op: FloatUnary, a: ExprId, width: u32) -> String {
        let from = format(self.exprs.width(a));
        let value = self.number(a);
        let signed = op == FloatUnary::ToSigned;
        let least = if signed { Bv::ones(width - 1).zext(width).not() } else { Bv::zero(width) };
        let largest = if signed { least.not() } else { Bv::ones(width) };
        let power = if signed { width - 1 } else { width };
        let high = from.power_of_two(power, false).unwrap_or(from.infinity());
        let low = if signed { high | from.sign() } else { from.sign() };
        let [low, high] =
            [low, high].map(|bits| decoded(from, &literal(&Bv::from_u128(from.width(), bits))));
        let function = if signed { "fp.to_sbv" } else { "fp.to_ubv" };
        format!(
            "(ite (fp.isNaN {value}) {} (ite (fp.leq {value} {low}) {} (ite (fp.leq {high} \
             {value}) {} ((_ {function} {width}) RTZ {value}))))",
            literal(&Bv::zero(width)),
            literal(&least),
            literal(&largest),
        )
    }

    /// The bits of the floating-point result `e`, whose number gets a name.
    pub(super) fn float_result(&mut self, e: ExprId) -> String {
        let exprs = self.exprs;
        let format = format(exprs.width(e));
        let (exponent, precision) = (format.exponent_bits(), format.precision());
        let text = match exprs.node(e) {
            Node::FloatUnary(op, rounding, a) => {
                let rounding = mode(rounding);
                let operand = if op.from_float() { self.number(a) } else { self.bits(a) };
                let function = match op {
                    FloatUnary::Sqrt => "fp.sqrt".to_owned(),
                    FloatUnary::RoundToIntegral => "fp.roundToIntegral".to_owned(),
                    FloatUnary::FromUnsigned => {
                        format!("(_ to_fp_unsigned {exponent} {precision})")
                    }
                    _ => format!("(_ to_fp {exponent} {precision})"),
                };
                format!("({function} {rounding} {operand})")
            }
            Node::FloatBinary(op, rounding, a, b) => {
                let function = match op {
                    FloatBinary::Add => "fp.add",
                    FloatBinary::Sub => "fp.sub",
                    FloatBinary::Mul => "fp.mul",
                    FloatBinary::Div => "fp.div",
                };
                format!("({function} {} {} {})", mode(rounding), self.number(a), self.number(b))
            }
            Node::FloatMulAdd(rounding, operands) => {
                let [a, b, c] = operands.map(|e| self.number(e));
                format!("(fp.fma {} {a} {b} {c})", mode(rounding))
            }
            node => unreachable!("{node:?} has no floating-point result"),
        };
        self.names += 1;
        let number = format!("f{}", self.names);
        let bits = format!("{number}.bits");
        let width = exponent + precision;
        let _ = writeln!(
            self.text,
            "(define-fun {number} () (_ FloatingPoint {exponent} {precision}) {text})\n\
             (declare-const {bits} (_ BitVec {width}))\n\
             (assert (= ((_ to_fp {exponent} {precision}) {bits}) {number}))"
        );
        self.numbers.insert(e, number.clone());
        let nan = exprs.nan_bits(e, |operand| operand);
        self.write_new(nan);
        let whole = if format.has_integer_bit() {
            let fraction = format.fraction_bits();
            format!(
                "(concat ((_ extract {} {fraction}) {bits}) (ite (= ((_ extract {} {fraction}) \
                 {bits}) {}) #b0 #b1) ((_ extract {} 0) {bits}))",
                width - 1,
                width - 2,
                literal(&Bv::zero(exponent)),
                fraction - 1
            )
        } else {
            bits
        };
        format!("(ite (fp.isNaN {number}) {} {whole})", self.bits(nan))
    }

    /// Writes those terms of `e` that have not been written yet.
    fn write_new(&mut self, e: ExprId) {
        let mut order = Vec::new();
        self.exprs.post_order(
            &[e],
            &mut FxHashSet::default(),
            |seen, e| seen.contains(&e) || self.written.contains_key(&e),
            |seen, e| {
                seen.insert(e);
                order.push(e);
            },
        );
        for e in order {
            let term = self.term(e);
            let term = if term.text().starts_with('(') {
                self.named(term, self.exprs.width(e))
            } else {
                term
            };
            self.written.insert(e, term);
        }
    }

    fn number(&self, e: ExprId) -> String {
        match self.numbers.get(&e) {
            Some(name) => name.clone(),
            None => decoded(format(self.exprs.width(e)), &self.bits(e)),
        }
    }
}

/// The number that `bits` encode. A pseudo-denormal of the x87 is the normal number of the least
/// exponent; an encoding that the x87 rejects is a NaN.
fn decoded(format: Format, bits: &str) -> String {
    let (exponent_bits, precision) = (format.exponent_bits(), format.precision());
    if !format.has_integer_bit() {
        return format!("((_ to_fp {exponent_bits} {precision}) {bits})");
    }
    let part = |high: u32, low: u32| format!("((_ extract {high} {low}) {bits})");
    let (sign, exponent) = (part(79, 79), part(78, 64));
    let (integer, fraction) = (part(63, 63), part(62, 0));
    let is_small = format!("(= {exponent} {})", literal(&Bv::zero(exponent_bits)));
    let small = format!("((_ zero_extend {}) {integer})", exponent_bits - 1);
    format!(
        "(ite (or {is_small} (= {integer} #b1)) ((_ to_fp {exponent_bits} {precision}) (concat \
         {sign} (ite {is_small} {small} {exponent}) {fraction})) (_ NaN {exponent_bits} \
         {precision}))"
    )
}

fn format(width: u32) -> Format {
    Format::of(width).expect("the width of a format")
}

fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Zero => "RTZ",
        Rounding::Up => "RTP",
        Rounding::Down => "RTN",
    }
}
