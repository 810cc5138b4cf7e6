//! The values of an expression under many assignments at once.

use std::borrow::Cow;

use super::{BinaryOp, ExprId, Exprs, Node, fold};

/// How many assignments: as many as a byte has values.
pub const LANES: usize = 256;

/// The value of an expression of at most 64 bits under each of the assignments.
pub type Lanes = [u64; LANES];

impl Exprs {
    /// Whether [`lanes`](Self::lanes) knows what to make of the operands of `e`: none of them has
    /// more than 64 bits, nor has `e`, and it is no operation on floating-point numbers.
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

    /// The value of `e` in each lane, `operand` giving those of its operands that are no constants;
    /// `None` where that gives `None`, or [`has_lanes`](Self::has_lanes) is false.
    pub fn lanes<'a>(
        &self,
        e: ExprId,
        operand: impl Fn(ExprId) -> Option<&'a Lanes>,
    ) -> Option<Lanes> {
        if !self.has_lanes(e) {
            return None;
        }
        let of = |e: ExprId| match self.as_u64(e) {
            Some(value) => Some(Cow::Owned([value; LANES])),
            None => operand(e).map(Cow::Borrowed),
        };
        let mask = fold::mask(self.width(e));
        Some(match self.node(e) {
            Node::Not(a) => of(a)?.map(|a| !a & mask),
            Node::Neg(a) => of(a)?.map(|a| a.wrapping_neg() & mask),
            Node::Binary(op, a, b) => binary(op, self.width(a), &*of(a)?, &*of(b)?),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                std::array::from_fn(|lane| if c[lane] == 1 { a[lane] } else { b[lane] })
            }
            Node::Extract { of: whole, low } => of(whole)?.map(|whole| whole >> low & mask),
            Node::Concat(high, low) => {
                let shift = self.width(low);
                let (high, low) = (of(high)?, of(low)?);
                std::array::from_fn(|lane| high[lane] << shift | low[lane])
            }
            Node::Zext(a) => of(a)?.into_owned(),
            Node::Sext(a) => {
                let width = self.width(a);
                of(a)?.map(|a| fold::signed(width, a) as u64 & mask)
            }
            Node::Select(table, index) => {
                let elements = self.table_elements(table);
                let index = of(index)?;
                let mut lanes = [0; LANES];
                for (lane, index) in index.iter().enumerate() {
                    let element = usize::try_from(*index).ok().and_then(|i| elements.get(i));
                    let Some(element) = element else { continue };
                    lanes[lane] = match self.as_u64(*element) {
                        Some(value) => value,
                        None => operand(*element)?[lane],
                    };
                }
                lanes
            }
            _ => [self.as_u64(e)?; LANES],
        })
    }
}

/// An operation on operands of `width` bits: a loop for each, so that each is a simple one.
fn binary(op: BinaryOp, width: u32, a: &Lanes, b: &Lanes) -> Lanes {
    macro_rules! each {
        ($($name:ident)*) => {
            match op {
                $(BinaryOp::$name => std::array::from_fn(|lane| {
                    fold::narrow(BinaryOp::$name, width, a[lane], b[lane])
                }),)*
            }
        };
    }
    each!(Add Mul Udiv Sdiv Urem Srem And Or Xor Shl Lshr Ashr Eq Ult Slt)
}
