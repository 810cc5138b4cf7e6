//! The values of an expression under many assignments at once.

use super::{BinaryOp, ExprId, Exprs, Node, fold};

/// The number of assignments that are evaluated at once: as many as a byte has values.
pub const LANES: usize = 256;

/// The value of an expression of at most 64 bits under each of the assignments.
pub type Lanes = [u64; LANES];

impl Exprs {
    /// Whether [`lanes`](Self::lanes) can compute `e` from its operands: neither `e` nor any
    /// operand has more than 64 bits, and `e` is neither a variable nor an operation on
    /// floating-point numbers.
    pub fn has_lanes(&self, e: ExprId) -> bool {
        let narrow = |e: ExprId| self.width(e) <= 64;
        narrow(e)
            && match self.node(e) {
                Node::Constant(_)
                | Node::Not(_)
                | Node::Neg(_)
                | Node::Ite(..)
                | Node::Concat(..)
                | Node::Zext(_)
                | Node::Sext(_) => true,
                Node::Binary(_, a, _) | Node::Extract { of: a, .. } | Node::Select(_, a) => {
                    narrow(a)
                }
                Node::WideConstant(_)
                | Node::Variable(_)
                | Node::FloatUnary(..)
                | Node::FloatBinary(..)
                | Node::FloatMulAdd(..)
                | Node::FloatCompare(..) => false,
            }
    }

    /// Writes the value of `e` in each lane to `out`. `operand` gives the values of those operands
    /// that are not constants. Returns `None` if `operand` does, or if
    /// [`has_lanes`](Self::has_lanes) is false; the content of `out` is then meaningless.
    pub fn lanes<'a>(
        &self,
        e: ExprId,
        operand: impl Fn(ExprId) -> Option<&'a Lanes>,
        out: &mut Lanes,
    ) -> Option<()> {
        if !self.has_lanes(e) {
            return None;
        }
        let of = |e: ExprId| match self.as_u64(e) {
            Some(value) => Some(Operand::All(value)),
            None => operand(e).map(Operand::Each),
        };
        let mask = fold::mask(self.width(e));
        match self.node(e) {
            Node::Not(a) => unary(of(a)?, out, |a| !a & mask),
            Node::Neg(a) => unary(of(a)?, out, |a| a.wrapping_neg() & mask),
            Node::Binary(op, a, b) => operation(op, self.width(a), of(a)?, of(b)?, out),
            Node::Ite(c, a, b) => {
                // `a` is written over `b` where the condition holds.
                unary(of(b)?, out, |b| b);
                match (of(c)?, of(a)?) {
                    (Operand::All(0), _) => {}
                    (Operand::All(_), a) => unary(a, out, |a| a),
                    (Operand::Each(c), Operand::All(a)) => {
                        out.iter_mut().zip(c).for_each(|(out, c)| {
                            if *c == 1 {
                                *out = a
                            }
                        });
                    }
                    (Operand::Each(c), Operand::Each(a)) => {
                        let lanes = out.iter_mut().zip(c).zip(a);
                        lanes.for_each(|((out, c), a)| {
                            if *c == 1 {
                                *out = *a
                            }
                        });
                    }
                }
            }
            Node::Extract { of: whole, low } => unary(of(whole)?, out, |whole| whole >> low & mask),
            Node::Concat(high, low) => {
                let shift = self.width(low);
                binary(of(high)?, of(low)?, out, |high, low| high << shift | low);
            }
            Node::Zext(a) => unary(of(a)?, out, |a| a),
            Node::Sext(a) => {
                let width = self.width(a);
                unary(of(a)?, out, |a| fold::signed(width, a) as u64 & mask);
            }
            Node::Select(table, index) => {
                let elements = self.table_elements(table);
                unary(of(index)?, out, |index| index);
                for (lane, out) in out.iter_mut().enumerate() {
                    let element = usize::try_from(*out).ok().and_then(|i| elements.get(i));
                    *out = match element.map(|element| (element, self.as_u64(*element))) {
                        None => 0,
                        Some((_, Some(value))) => value,
                        Some((element, None)) => operand(*element)?[lane],
                    };
                }
            }
            _ => out.fill(self.as_u64(e)?),
        }
        Some(())
    }
}

/// The values of an operand: one for all lanes, or one for each.
#[derive(Clone, Copy)]
enum Operand<'a> {
    All(u64),
    Each(&'a Lanes),
}

#[inline(always)]
fn unary(a: Operand<'_>, out: &mut Lanes, of: impl Fn(u64) -> u64) {
    match a {
        Operand::All(a) => out.fill(of(a)),
        Operand::Each(a) => out.iter_mut().zip(a).for_each(|(out, a)| *out = of(*a)),
    }
}

#[inline(always)]
fn binary(a: Operand<'_>, b: Operand<'_>, out: &mut Lanes, of: impl Fn(u64, u64) -> u64) {
    match (a, b) {
        (a, Operand::All(b)) => unary(a, out, |a| of(a, b)),
        (Operand::All(a), b) => unary(b, out, |b| of(a, b)),
        (Operand::Each(a), Operand::Each(b)) => {
            out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = of(*a, *b));
        }
    }
}

/// An operation on operands of `width` bits. Each operation has a separate loop, so that every loop
/// is simple.
fn operation(op: BinaryOp, width: u32, a: Operand<'_>, b: Operand<'_>, out: &mut Lanes) {
    macro_rules! each {
        ($($name:ident)*) => {
            match op {
                $(BinaryOp::$name => {
                    binary(a, b, out, |a, b| fold::narrow(BinaryOp::$name, width, a, b))
                })*
            }
        };
    }
    each!(Add Mul Udiv Sdiv Urem Srem And Or Xor Shl Lshr Ashr Eq Ult Slt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Assignment, Bv};

    #[test]
    fn lanes_are_what_evaluation_says() {
        let exprs = Exprs::new();
        for width in [1, 5, 8, 32, 64] {
            let [x, y] = ["x", "y"].map(|name| exprs.input(&format!("{name}{width}"), 8));
            let [x, y] = [x, y].map(|e| match width {
                0..8 => exprs.extract(e, 0, width),
                8 => e,
                _ => exprs.sext(e, width),
            });
            let k = |value| exprs.constant(width, value);
            let mut terms = vec![x, y, exprs.not(x), exprs.neg(y)];
            for (a, b) in [(x, y), (x, k(3)), (k(200), y), (y, k(0))] {
                terms.extend([
                    exprs.add(a, b),
                    exprs.mul(a, b),
                    exprs.udiv(a, b),
                    exprs.sdiv(a, b),
                    exprs.urem(a, b),
                    exprs.srem(a, b),
                    exprs.and(a, b),
                    exprs.or(a, b),
                    exprs.xor(a, b),
                    exprs.shl(a, b),
                    exprs.lshr(a, b),
                    exprs.ashr(a, b),
                    exprs.eq(a, b),
                    exprs.ult(a, b),
                    exprs.slt(a, b),
                ]);
            }
            let c = exprs.ult(x, y);
            terms.extend([exprs.ite(c, x, y), exprs.ite(c, k(1), y), exprs.ite(c, x, k(1))]);
            if width <= 32 {
                terms.extend([exprs.concat(x, y), exprs.concat(k(1), y), exprs.zext(x, 64)]);
            }
            check(&exprs, &terms);
        }
    }

    /// Compares the lanes of every term with its evaluation for many values of both variables.
    fn check(exprs: &Exprs, terms: &[ExprId]) {
        use rustc_hash::FxHashMap;
        let mut known: FxHashMap<ExprId, Lanes> = FxHashMap::default();
        let bytes =
            |e: ExprId, lane: usize| match exprs.variable_name(exprs.as_variable(e).unwrap()) {
                name if name.starts_with('x') => (lane * 7 % 256) as u64,
                _ => (lane * lane / 3 % 256) as u64,
            };
        exprs.post_order(
            terms,
            &mut known,
            |known, e| exprs.as_u64(e).is_some() || known.contains_key(&e),
            |known, e| {
                let mut out = [u64::MAX; LANES];
                match exprs.as_variable(e) {
                    Some(_) => out = std::array::from_fn(|lane| bytes(e, lane)),
                    None => {
                        exprs.lanes(e, |operand| known.get(&operand), &mut out).unwrap();
                        for (lane, value) in out.iter().enumerate() {
                            let variables = exprs.variables(e).iter();
                            let values = variables.map(|id| {
                                let name = exprs.variable_name(*id).to_owned();
                                let e = exprs.input(&name, 8);
                                (*id, Bv::new(8, bytes(e, lane)))
                            });
                            let assignment = Assignment(values.collect());
                            let expected = exprs.evaluate(e, &assignment).to_u64();
                            assert_eq!(Some(*value), expected, "{}", exprs.display(e));
                        }
                    }
                }
                known.insert(e, out);
            },
        );
    }
}
