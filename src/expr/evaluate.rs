//! The value of an expression under an assignment.

use rustc_hash::FxHashMap;

use super::{
    Assignment, BinaryOp, Bv, ExprId, Exprs, Node, VariableId,
    bv::Bits,
    float::{self, Format},
    fold,
};

/// Evaluates expressions under one assignment. It remembers the value of every shared term, so
/// evaluating a second expression costs only what is new in it.
pub struct Evaluator<'a> {
    exprs: &'a Exprs,
    assignment: &'a Assignment,
    memo: &'a mut Memo,
}

/// The values that an [`Evaluator`] has found. It must be used with only one assignment.
#[derive(Default)]
pub struct Memo {
    narrow: FxHashMap<ExprId, u64>,
    wide: FxHashMap<ExprId, Bv>,
    stack: Vec<ExprId>,
}

impl Memo {
    /// The number of remembered values.
    pub fn len(&self) -> usize {
        self.narrow.len() + self.wide.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator that starts with the values in `memo`.
    pub fn new(exprs: &'a Exprs, assignment: &'a Assignment, memo: &'a mut Memo) -> Self {
        Self { exprs, assignment, memo }
    }

    /// The value of `e`.
    pub fn value(&mut self, e: ExprId) -> Bv {
        self.run(e);
        self.known(e).expect("computed just now")
    }

    /// Whether the truth value `e` is true.
    pub fn holds(&mut self, e: ExprId) -> bool {
        self.run(e);
        self.narrow(e) == Some(1)
    }

    fn run(&mut self, root: ExprId) {
        self.memo.stack.push(root);
        while let Some(e) = self.memo.stack.last().copied() {
            if self.is_known(e) {
                self.memo.stack.pop();
                continue;
            }
            let depth = self.memo.stack.len();
            if let Some(value) = self.step(e) {
                match value {
                    Value::Narrow(value) => self.memo.narrow.insert(e, value).is_none(),
                    Value::Wide(value) => self.memo.wide.insert(e, value).is_none(),
                };
                self.memo.stack.pop();
            } else {
                debug_assert!(self.memo.stack.len() > depth, "some operand must be missing");
            }
        }
    }

    fn is_known(&self, e: ExprId) -> bool {
        if self.exprs.width(e) <= 64 {
            self.narrow(e).is_some()
        } else {
            self.memo.wide.contains_key(&e) || matches!(self.exprs.node(e), Node::WideConstant(_))
        }
    }

    fn narrow(&self, e: ExprId) -> Option<u64> {
        match self.exprs.node(e) {
            Node::Constant(value) => Some(value),
            _ => self.memo.narrow.get(&e).copied(),
        }
    }

    fn known(&self, e: ExprId) -> Option<Bv> {
        let width = self.exprs.width(e);
        if width <= 64 {
            self.narrow(e).map(|value| Bv::new(width, value))
        } else {
            self.memo.wide.get(&e).cloned().or_else(|| self.exprs.as_bv(e))
        }
    }

    /// The value of an operand of at most 64 bits. An operand that has no value yet is put on the
    /// stack.
    fn need(&mut self, e: ExprId) -> Option<u64> {
        let value = self.narrow(e);
        if value.is_none() {
            self.memo.stack.push(e);
        }
        value
    }

    fn need_any(&mut self, e: ExprId) -> Option<Bv> {
        let value = self.known(e);
        if value.is_none() {
            self.memo.stack.push(e);
        }
        value
    }

    /// The value of an operand of at most 128 bits.
    fn need_bits(&mut self, e: ExprId) -> Option<u128> {
        if self.exprs.width(e) <= 64 {
            self.need(e).map(u128::from)
        } else {
            self.need_any(e).map(|value| value.to_u128().expect("at most 128 bits"))
        }
    }

    fn format(&self, e: ExprId) -> Format {
        Format::of(self.exprs.width(e)).expect("the width of a format")
    }

    /// The value of `e` if all operands that matter have values; otherwise puts missing operands on
    /// the stack. For a choice, only the condition and the taken arm matter.
    fn step(&mut self, e: ExprId) -> Option<Value> {
        let exprs = self.exprs;
        let width = exprs.width(e);
        let narrow = |e: ExprId| exprs.width(e) <= 64;
        let value = match exprs.node(e) {
            Node::Constant(value) => return Some(Value::Narrow(value)),
            Node::WideConstant(_) => exprs.as_bv(e)?,
            Node::Variable(v) => variable(self.assignment, v, width),
            Node::Binary(op, a, b) if narrow(a) => return self.narrow_binary(op, a, b),
            Node::Binary(op, a, b) => {
                let (a, b) = (self.need_any(a), self.need_any(b));
                Bv::binary(op, &a?, &b?)
            }
            Node::Not(a) if width <= 64 => {
                return Some(Value::Narrow(!self.need(a)? & fold::mask(width)));
            }
            Node::Not(a) => self.need_any(a)?.not(),
            Node::Neg(a) => self.need_any(a)?.neg(),
            Node::Ite(c, a, b) => {
                let taken = if self.need(c)? == 1 { a } else { b };
                self.need_any(taken)?
            }
            Node::Extract { of, low } if narrow(of) => {
                return Some(Value::Narrow(self.need(of)? >> low & fold::mask(width)));
            }
            Node::Extract { of, low } => self.need_any(of)?.extract(low, width),
            Node::Concat(high, low) if width <= 64 => {
                let shift = exprs.width(low);
                let (high, low) = (self.need(high), self.need(low));
                return Some(Value::Narrow(high? << shift | low?));
            }
            Node::Concat(high, low) => {
                let (high, low) = (self.need_any(high), self.need_any(low));
                high?.concat(&low?)
            }
            Node::Zext(a) => self.need_any(a)?.zext(width),
            Node::Sext(a) => self.need_any(a)?.sext(width),
            Node::Select(table, index) => {
                let index = self.need_any(index)?.to_u64().and_then(|i| usize::try_from(i).ok());
                match index.and_then(|i| exprs.table_elements(table).get(i)) {
                    Some(element) => self.need_any(*element)?,
                    None => Bv::zero(width),
                }
            }
            Node::FloatUnary(op, rounding, a) => {
                let bits = float::unary(op, rounding, exprs.width(a), width, self.need_bits(a)?);
                Bv::from_u128(width, bits)
            }
            Node::FloatBinary(op, rounding, a, b) => {
                let (x, y) = (self.need_bits(a), self.need_bits(b));
                Bv::from_u128(width, float::binary(op, rounding, self.format(a), x?, y?))
            }
            Node::FloatMulAdd(rounding, operands) => {
                let [a, b, c] = operands.map(|e| self.need_bits(e));
                let format = self.format(operands[0]);
                Bv::from_u128(width, float::mul_add(rounding, format, [a?, b?, c?]))
            }
            Node::FloatCompare(relation, a, b) => {
                let (x, y) = (self.need_bits(a), self.need_bits(b));
                let holds = float::compare(relation, self.format(a), x?, y?);
                return Some(Value::Narrow(u64::from(holds)));
            }
        };
        Some(match value.bits() {
            Bits::Narrow(value) => Value::Narrow(*value),
            Bits::Wide(_) => Value::Wide(value),
        })
    }

    fn narrow_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Value> {
        let width = self.exprs.width(a);
        let (a, b) = (self.need(a), self.need(b));
        Some(Value::Narrow(fold::narrow(op, width, a?, b?)))
    }
}

enum Value {
    Narrow(u64),
    Wide(Bv),
}

/// # Panics
/// If the assignment gives the variable a value of another width.
fn variable(assignment: &Assignment, v: VariableId, width: u32) -> Bv {
    let Some(value) = assignment.0.get(&v) else { return Bv::zero(width) };
    assert_eq!(value.width(), width, "variable {} has a value of another width", v.0);
    value.clone()
}

impl Exprs {
    /// The value of `e`; see [`Evaluator`] for several expressions under one assignment.
    ///
    /// # Panics
    /// If `assignment` gives a variable a value of another width.
    pub fn evaluate(&self, e: ExprId, assignment: &Assignment) -> Bv {
        if let Some(constant) = self.as_bv(e) {
            return constant;
        }
        Evaluator::new(self, assignment, &mut Memo::default()).value(e)
    }
}

#[cfg(test)]
mod tests {
    use super::super::VariableKind;
    use super::*;

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let exprs = Exprs::new();
        let x = exprs.variable("x", 32, VariableKind::Input);
        let y = exprs.variable("y", 32, VariableKind::Input);
        let mut e = x;
        for _ in 0..100_000 {
            e = exprs.xor(exprs.mul(e, y), x);
        }
        let v = exprs.as_variable(y).unwrap();
        let assignment = Assignment([(v, Bv::new(32, 1))].into());
        assert!(exprs.evaluate(e, &assignment).is_zero());
        assert_eq!(exprs.variables(e).len(), 2);
        let replaced = exprs.substitute(e, v, exprs.constant(32, 1));
        assert_eq!(exprs.as_u64(replaced).or(Some(0)), Some(0));
        assert!(exprs.smtlib(&[exprs.eq(e, y)]).len() > 100_000);
        assert!(exprs.display(e).len() < 100_000);
    }

    #[test]
    fn reading_a_table_gives_zero_beyond_its_end() {
        let exprs = Exprs::new();
        let i = exprs.variable("i", 8, VariableKind::Input);
        let table = exprs.table(&[7, 8, 9].map(|value| exprs.constant(100, value)));
        let e = exprs.select(table, i);
        let v = exprs.as_variable(i).unwrap();
        for (index, expected) in [(0, 7), (2, 9), (3, 0), (255, 0)] {
            let assignment = Assignment([(v, Bv::new(8, index))].into());
            assert_eq!(exprs.evaluate(e, &assignment), Bv::new(100, expected));
        }
    }
}
