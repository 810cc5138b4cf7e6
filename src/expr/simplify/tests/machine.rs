//! Builds terms from tapes of choices, both simplified and unsimplified.

use proptest::prelude::*;

use crate::expr::{
    Assignment, BinaryOp, Bv, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Rounding,
    float::Format, raw::Raw,
};

/// A term, both simplified by the constructors and unsimplified.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) simple: ExprId,
    pub(super) raw: ExprId,
}

/// Makes terms from a tape of choices. It is a stack machine on which every instruction is valid,
/// because it fits its operands to the right widths.
pub(super) struct Builder<'a> {
    pub(super) exprs: &'a Exprs,
    pub(super) stack: Vec<Pair>,
}

pub(super) const WIDTHS: [u32; 9] = [1, 3, 8, 8, 16, 24, 32, 64, 72];

impl Builder<'_> {
    pub(super) fn run(exprs: &Exprs, tape: &[(u8, u8, u64)], widths: &[u32]) -> Pair {
        let mut builder = Builder { exprs, stack: Vec::new() };
        for (op, which, value) in tape {
            builder.step(*op, *which, *value, widths);
        }
        builder.pop(widths[0])
    }

    fn leaf(&mut self, which: u8, value: u64, widths: &[u32]) -> Pair {
        let width = widths[which as usize % widths.len()];
        let e = match value % 5 {
            0 => self.exprs.constant(width, value / 5),
            1 => self.exprs.constant(width, value / 5 % 4),
            2 => self
                .exprs
                .bv(&Bv::ones(width).extract(0, width.min(1 + which as u32 % 9)).zext(width)),
            _ => self.exprs.input(&format!("v{width}_{}", value % 3), width),
        };
        Pair { simple: e, raw: e }
    }

    pub(super) fn pop(&mut self, default_width: u32) -> Pair {
        self.stack.pop().unwrap_or_else(|| {
            let e = self.exprs.input(&format!("v{default_width}_0"), default_width);
            Pair { simple: e, raw: e }
        })
    }

    /// Converts `pair` to `width` by an extract or an extension.
    pub(super) fn fit(&self, pair: Pair, width: u32, signed: bool) -> Pair {
        let raw = Raw(self.exprs);
        let from = self.exprs.width(pair.raw);
        if from == width {
            pair
        } else if from > width {
            let low = if signed { from - width } else { 0 };
            Pair {
                simple: self.exprs.extract(pair.simple, low, width),
                raw: raw.extract(pair.raw, low, width),
            }
        } else if signed {
            Pair { simple: self.exprs.sext(pair.simple, width), raw: raw.sext(pair.raw, width) }
        } else {
            Pair { simple: self.exprs.zext(pair.simple, width), raw: raw.zext(pair.raw, width) }
        }
    }

    pub(super) fn step(&mut self, op: u8, which: u8, value: u64, widths: &[u32]) {
        let (exprs, raw) = (self.exprs, Raw(self.exprs));
        let signed = value & 1 == 1;
        let new = match op % 36 {
            0..=7 => self.leaf(which, value, widths),
            8..=20 => {
                let b = self.pop(widths[0]);
                let a = self.pop(exprs.width(b.raw));
                let a = self.fit(a, exprs.width(b.raw), signed);
                let op = BinaryOp::ALL[value as usize / 2 % BinaryOp::ALL.len()];
                let (a, b) = if which & 1 == 1 { (b, a) } else { (a, b) };
                Pair {
                    simple: exprs.binary(op, a.simple, b.simple),
                    raw: raw.binary(op, a.raw, b.raw),
                }
            }
            21 => {
                let a = self.pop(widths[0]);
                Pair { simple: exprs.not(a.simple), raw: raw.not(a.raw) }
            }
            22 => {
                let a = self.pop(widths[0]);
                Pair { simple: exprs.neg(a.simple), raw: raw.neg(a.raw) }
            }
            23 | 24 => {
                let a = self.pop(widths[0]);
                let width = exprs.width(a.raw);
                let low = value as u32 % width;
                let taken = 1 + u32::from(which) % (width - low);
                let part = Pair {
                    simple: exprs.extract(a.simple, low, taken),
                    raw: if taken == width { a.raw } else { raw.extract(a.raw, low, taken) },
                };
                // Keeps the whole term, too, so that its slices meet again.
                self.stack.push(a);
                part
            }
            25 | 26 => {
                let (low, high) = (self.pop(widths[0]), self.pop(widths[0]));
                if exprs.width(low.raw) + exprs.width(high.raw) > 100 {
                    low
                } else {
                    Pair {
                        simple: exprs.concat(high.simple, low.simple),
                        raw: raw.concat(high.raw, low.raw),
                    }
                }
            }
            27 => {
                let a = self.pop(widths[0]);
                self.fit(a, widths[which as usize % widths.len()], signed)
            }
            28 | 29 => {
                let (b, a) = (self.pop(widths[0]), self.pop(widths[0]));
                let c = self.pop(1);
                let c = self.fit(c, 1, which & 2 == 2);
                let a = self.fit(a, exprs.width(b.raw), signed);
                Pair {
                    simple: exprs.ite(c.simple, a.simple, b.simple),
                    raw: raw.ite(c.raw, a.raw, b.raw),
                }
            }
            30 => {
                let a = self.pop(widths[0]);
                self.stack.push(a);
                a
            }
            32..=35 => self.float(which, value, widths),
            _ => {
                let index = self.pop(3);
                let width = widths[which as usize % widths.len()];
                let elements: Vec<_> = (0..3 + value % 3)
                    .map(|i| exprs.constant(width, i.wrapping_mul(value)))
                    .collect();
                Pair {
                    simple: exprs.select(exprs.table(&elements), index.simple),
                    raw: raw.select(&elements, index.raw),
                }
            }
        };
        self.stack.push(new);
    }
}

impl Builder<'_> {
    /// An operation on floating-point numbers, if the top of the stack has the width of a format.
    fn float(&mut self, which: u8, value: u64, widths: &[u32]) -> Pair {
        let (exprs, raw) = (self.exprs, Raw(self.exprs));
        let b = self.pop(widths[0]);
        let width = exprs.width(b.raw);
        if Format::of(width).is_none() {
            return b;
        }
        let a = self.pop(width);
        let a = self.fit(a, width, false);
        let rounding = Rounding::ALL[value as usize % 5];
        let unary = |op, a: Pair, width| Pair {
            simple: exprs.float_unary(op, rounding, a.simple, width),
            raw: raw.float_unary(op, rounding, a.raw, width),
        };
        let signed = value & 1 == 1;
        match which % 13 {
            index @ 0..=3 => {
                let op = FloatBinary::ALL[usize::from(index)];
                Pair {
                    simple: exprs.float_binary(op, rounding, a.simple, b.simple),
                    raw: raw.float_binary(op, rounding, a.raw, b.raw),
                }
            }
            index @ 4..=6 => {
                let relation = FloatRelation::ALL[usize::from(index) - 4];
                let b = if value.is_multiple_of(3) { a } else { b };
                Pair {
                    simple: exprs.float_compare(relation, a.simple, b.simple),
                    raw: raw.float_compare(relation, a.raw, b.raw),
                }
            }
            7 => unary(FloatUnary::Sqrt, a, width),
            8 => unary(FloatUnary::RoundToIntegral, a, width),
            9 => {
                let to = Format::ALL[value as usize % 3].width();
                if to == width { a } else { unary(FloatUnary::Convert, a, to) }
            }
            10 => {
                let op = if signed { FloatUnary::FromSigned } else { FloatUnary::FromUnsigned };
                unary(op, a, Format::ALL[value as usize / 2 % 3].width())
            }
            11 => {
                let op = if signed { FloatUnary::ToSigned } else { FloatUnary::ToUnsigned };
                unary(op, a, [8, 16, 32, 64][value as usize / 2 % 4])
            }
            _ => Pair {
                simple: exprs.float_mul_add(rounding, [a.simple, b.simple, a.simple]),
                raw: raw.float_mul_add(rounding, [a.raw, b.raw, a.raw]),
            },
        }
    }
}

pub(super) fn tape(length: usize) -> impl Strategy<Value = Vec<(u8, u8, u64)>> {
    prop::collection::vec((any::<u8>(), any::<u8>(), any::<u64>()), 1..length)
}

/// Values of the variables of a term: one assignment for each seed.
pub(super) fn assignments(exprs: &Exprs, e: ExprId, seeds: &[u64]) -> Vec<Assignment> {
    let value = |width: u32, seed: u64, index: usize| {
        let random = crate::expr::arena::mix(seed, index as u64);
        match (random >> 60) % 5 {
            0 => Bv::zero(width),
            1 => Bv::ones(width),
            2 => Bv::new(width, random % 5),
            3 => Bv::ones(width).extract(0, 1 + random as u32 % width).zext(width),
            _ => Bv::from_u128(width, u128::from(random) << 40 | u128::from(random >> 13)),
        }
    };
    seeds
        .iter()
        .map(|seed| {
            let variables = exprs.variables(e);
            Assignment(
                variables
                    .iter()
                    .enumerate()
                    .map(|(index, v)| (*v, value(exprs.variable_width(*v), *seed, index)))
                    .collect(),
            )
        })
        .collect()
}

/// The bytes of a value, joined again from either end.
pub(super) fn through_memory(exprs: &Exprs, e: ExprId, upwards: bool) -> ExprId {
    let bytes = (0..exprs.width(e) / 8).map(|i| exprs.extract(e, 8 * i, 8));
    let joined = if upwards {
        bytes.reduce(|low, high| exprs.concat(high, low))
    } else {
        bytes.rev().reduce(|high, low| exprs.concat(high, low))
    };
    joined.expect("at least one byte")
}
