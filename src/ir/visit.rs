//! Walks over the operands and results of an instruction, and over its jump targets.

use super::{Inst, Operand, Pc, Reg};

// The shared and the exclusive walks differ only in how they iterate.
macro_rules! walks {
    ($reads:ident, $writes:ident, $targets:ident, $iter:ident, $($borrow:tt)+) => {
        /// Calls `f` with each operand that is read, and with the width of the read in bits. The
        /// width is 0 for the values of a return, whose widths are known to the function.
        pub fn $reads(self: $($borrow)+ Self, mut f: impl FnMut($($borrow)+ Operand, u32)) {
            match self {
                Inst::Move { src, width, .. } => f(src, *width),
                Inst::Undefine { .. }
                | Inst::Jump { .. }
                | Inst::Unreachable
                | Inst::Trap { .. }
                | Inst::Unsupported { .. } => {}
                Inst::Binary { width, a, b, .. }
                | Inst::Compare { width, a, b, .. }
                | Inst::CompareBranch { width, a, b, .. }
                | Inst::Overflow { width, a, b, .. }
                | Inst::FloatBinary { width, a, b, .. }
                | Inst::FloatCompare { width, a, b, .. } => {
                    f(a, *width);
                    f(b, *width);
                }
                Inst::Unary { width, a, .. } | Inst::FloatNegate { width, a, .. } => f(a, *width),
                Inst::Cast { from, a, .. } | Inst::FloatCast { from, a, .. } => f(a, *from),
                Inst::FunnelShift { width, a, b, by, .. } => {
                    f(a, *width);
                    f(b, *width);
                    f(by, *width);
                }
                Inst::Select { width, condition, a, b, .. } => {
                    f(condition, 1);
                    f(a, *width);
                    f(b, *width);
                }
                Inst::Alloca { count, .. } => f(count, 64),
                Inst::Load { address, .. } => f(address, 64),
                Inst::Store { width, value, address } => {
                    f(value, *width);
                    f(address, 64);
                }
                Inst::LoadIndexed { at, .. } => {
                    f($($borrow)+ at.base, 64);
                    let width = at.width;
                    f($($borrow)+ at.index, width);
                }
                Inst::StoreIndexed { width, value, at } => {
                    f(value, *width);
                    f($($borrow)+ at.base, 64);
                    let width = at.width;
                    f($($borrow)+ at.index, width);
                }
                Inst::Address { base, terms, .. } => {
                    f(base, 64);
                    for term in terms.$iter() {
                        let width = term.width;
                        f($($borrow)+ term.index, width);
                    }
                }
                Inst::Copy { to, from, length } => {
                    f(to, 64);
                    f(from, 64);
                    f(length, 64);
                }
                Inst::Fill { to, value, length } => {
                    f(to, 64);
                    f(value, 8);
                    f(length, 64);
                }
                Inst::VaStart { list } | Inst::VaEnd { list } => f(list, 64),
                Inst::VaCopy { to, from } => {
                    f(to, 64);
                    f(from, 64);
                }
                Inst::Call(call) => {
                    if let super::Callee::Indirect(callee) = $($borrow)+ call.callee {
                        f(callee, 64);
                    }
                    for argument in call.args.$iter() {
                        let width = argument.width;
                        f($($borrow)+ argument.value, width);
                    }
                }
                Inst::Branch { condition, .. } | Inst::Assume { condition } => f(condition, 1),
                Inst::Switch(switch) => {
                    let width = switch.width;
                    f($($borrow)+ switch.value, width);
                }
                Inst::Return { values } => {
                    for value in values.$iter() {
                        f(value, 0);
                    }
                }
            }
        }

        /// Calls `f` with each register that is written, and with the width of the write in bits.
        /// The width is 0 for `Undefine`, which fits any width.
        pub fn $writes(self: $($borrow)+ Self, mut f: impl FnMut($($borrow)+ Reg, u32)) {
            match self {
                Inst::Move { dst, width, .. }
                | Inst::Binary { dst, width, .. }
                | Inst::Unary { dst, width, .. }
                | Inst::FunnelShift { dst, width, .. }
                | Inst::Select { dst, width, .. }
                | Inst::FloatBinary { dst, width, .. }
                | Inst::FloatNegate { dst, width, .. }
                | Inst::Load { dst, width, .. }
                | Inst::LoadIndexed { dst, width, .. } => f(dst, *width),
                Inst::Undefine { dst } => f(dst, 0),
                Inst::Compare { dst, .. } | Inst::FloatCompare { dst, .. } => f(dst, 1),
                Inst::Cast { dst, to, .. } | Inst::FloatCast { dst, to, .. } => f(dst, *to),
                Inst::Overflow { dst, overflow, width, .. } => {
                    f(dst, *width);
                    f(overflow, 1);
                }
                Inst::Alloca { dst, .. } | Inst::Address { dst, .. } => f(dst, 64),
                Inst::Call(call) => {
                    let super::Call { results, widths, .. } = $($borrow)+ **call;
                    for (result, width) in results.$iter().zip(widths.iter()) {
                        f(result, *width);
                    }
                }
                Inst::Store { .. }
                | Inst::StoreIndexed { .. }
                | Inst::CompareBranch { .. }
                | Inst::Copy { .. }
                | Inst::Fill { .. }
                | Inst::VaStart { .. }
                | Inst::VaCopy { .. }
                | Inst::VaEnd { .. }
                | Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::Switch(_)
                | Inst::Return { .. }
                | Inst::Unreachable
                | Inst::Trap { .. }
                | Inst::Assume { .. }
                | Inst::Unsupported { .. } => {}
            }
        }

        /// Calls `f` with each jump target.
        pub fn $targets(self: $($borrow)+ Self, mut f: impl FnMut($($borrow)+ Pc)) {
            match self {
                Inst::Jump { target } => f(target),
                Inst::Branch { then, otherwise, .. }
                | Inst::CompareBranch { then, otherwise, .. } => {
                    f(then);
                    f(otherwise);
                }
                Inst::Switch(switch) => {
                    for (_, target) in switch.cases.$iter() {
                        f(target);
                    }
                    f($($borrow)+ switch.default);
                }
                _ => {}
            }
        }
    };
}

impl Inst {
    walks!(reads, writes, targets, iter, &);
    walks!(reads_mut, writes_mut, targets_mut, iter_mut, &mut);

    /// Whether the instruction ends a block: control goes to a target or leaves the function.
    pub fn ends_block(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::CompareBranch { .. }
                | Inst::Switch(_)
                | Inst::Return { .. }
                | Inst::Unreachable
                | Inst::Trap { .. }
                | Inst::Unsupported { .. }
        )
    }
}
