//! The integer intrinsics of SSE2 (Intel SDM, volume 2) that `<emmintrin.h>` uses because LLVM has
//! no portable form for them. Every x86-64 processor has SSE2.

use super::lowering::{Lowering, Parts};
use super::types::{Lowered, lane_width};
use crate::ir::{BinaryOp, Cast, Inst, Operand, Predicate};
use crate::llvm::Value;

impl<'m> Lowering<'_, 'm> {
    /// Lowers an intrinsic whose name starts with `llvm.x86.sse`; returns `false` if it is not
    /// supported.
    pub fn sse_intrinsic(&mut self, inst: Value<'m>, name: &str) -> Lowered<bool> {
        let Some(name) = name.strip_prefix("llvm.x86.sse") else { return Ok(false) };
        match name.trim_start_matches(['2', '.']) {
            "pmovmskb.128" | "movmsk.ps" | "movmsk.pd" => self.sign_mask(inst)?,
            "packsswb.128" | "packssdw.128" => self.pack(inst, true)?,
            "packuswb.128" => self.pack(inst, false)?,
            "pmadd.wd" => self.multiply_and_add(inst)?,
            "psad.bw" => self.absolute_differences(inst)?,
            "pavg.b" | "pavg.w" => {
                self.widened(inst, Cast::Zext, |this, width, a, b| {
                    let one = this.constant(width, 1);
                    let sum = this.binary(BinaryOp::Add, width, a, b);
                    let sum = this.binary(BinaryOp::Add, width, sum, one);
                    this.binary(BinaryOp::Lshr, width, sum, one)
                })?;
            }
            "pmulh.w" | "pmulhu.w" => {
                let extend = if name.contains("mulhu") { Cast::Zext } else { Cast::Sext };
                self.widened(inst, extend, |this, width, a, b| {
                    let product = this.binary(BinaryOp::Mul, width, a, b);
                    let half = this.constant(width, u64::from(width / 2));
                    this.binary(BinaryOp::Lshr, width, product, half)
                })?;
            }
            other => return self.shift_of_all(inst, other),
        }
        Ok(true)
    }

    /// Defines `inst` as the highest bits of all lanes; the first lane gives the lowest bit.
    fn sign_mask(&mut self, inst: Value<'m>) -> Lowered<()> {
        let (width, to) = (lane_width(inst.operand(0).ty())?, lane_width(inst.ty())?);
        let mut mask = self.constant(to, 0);
        for (at, lane) in self.parts(inst.operand(0))?.into_iter().enumerate() {
            let top = self.constant(width, u64::from(width - 1));
            let sign = self.binary(BinaryOp::Lshr, width, lane, top);
            let sign = self.resize(Cast::Zext, sign, width, to);
            let by = self.constant(to, at as u64);
            let bit = self.binary(BinaryOp::Shl, to, sign, by);
            mask = self.binary(BinaryOp::Or, to, mask, bit);
        }
        self.define_scalar(inst, mask);
        Ok(())
    }

    /// Defines `inst` as the signed lanes of both operands, each saturated to half its width (as a
    /// signed or unsigned number).
    fn pack(&mut self, inst: Value<'m>, signed: bool) -> Lowered<()> {
        let (from, to) = (lane_width(inst.operand(0).ty())?, lane_width(inst.ty())?);
        let ones = u64::MAX >> (64 - from);
        let (low, high) = if signed {
            (ones & !((1 << (to - 1)) - 1), (1 << (to - 1)) - 1)
        } else {
            (0, (1 << to) - 1)
        };
        let (low, high) = (self.constant(from, low), self.constant(from, high));
        let mut lanes = self.parts(inst.operand(0))?;
        lanes.extend(self.parts(inst.operand(1))?);
        for lane in &mut lanes {
            let least = self.binary(BinaryOp::Smax, from, *lane, low);
            let cut = self.binary(BinaryOp::Smin, from, least, high);
            *lane = self.resize(Cast::Trunc, cut, from, to);
        }
        self.define(inst, lanes);
        Ok(())
    }

    /// Defines each lane of `inst` by `compute` in twice the width, and keeps the lower half.
    fn widened(
        &mut self,
        inst: Value<'m>,
        extend: Cast,
        compute: impl Fn(&mut Self, u32, Operand, Operand) -> Operand,
    ) -> Lowered<()> {
        let width = lane_width(inst.ty())?;
        let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
        let mut parts = Parts::new();
        for (a, b) in a.into_iter().zip(b) {
            let a = self.resize(extend, a, width, 2 * width);
            let b = self.resize(extend, b, width, 2 * width);
            let value = compute(self, 2 * width, a, b);
            parts.push(self.resize(Cast::Trunc, value, 2 * width, width));
        }
        self.define(inst, parts);
        Ok(())
    }

    fn multiply_and_add(&mut self, inst: Value<'m>) -> Lowered<()> {
        let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
        let products: Vec<Operand> = a
            .into_iter()
            .zip(b)
            .map(|(a, b)| {
                let (a, b) =
                    (self.resize(Cast::Sext, a, 16, 32), self.resize(Cast::Sext, b, 16, 32));
                self.binary(BinaryOp::Mul, 32, a, b)
            })
            .collect();
        let pairs = products.chunks_exact(2);
        let parts = pairs.map(|pair| self.binary(BinaryOp::Add, 32, pair[0], pair[1])).collect();
        self.define(inst, parts);
        Ok(())
    }

    /// Defines `inst` as sums of absolute differences, each over eight pairs of bytes.
    fn absolute_differences(&mut self, inst: Value<'m>) -> Lowered<()> {
        let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
        let mut parts = Parts::new();
        for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
            let mut sum = self.constant(64, 0);
            for (a, b) in a.iter().zip(b) {
                let large = self.binary(BinaryOp::Umax, 8, *a, *b);
                let small = self.binary(BinaryOp::Umin, 8, *a, *b);
                let distance = self.binary(BinaryOp::Sub, 8, large, small);
                let distance = self.resize(Cast::Zext, distance, 8, 64);
                sum = self.binary(BinaryOp::Add, 64, sum, distance);
            }
            parts.push(sum);
        }
        self.define(inst, parts);
        Ok(())
    }

    /// Lowers a shift of all lanes by one count, which is an `int` or the lowest 64 bits of a
    /// vector. A count that is too large gives zero or, for arithmetic shifts, the sign.
    fn shift_of_all(&mut self, inst: Value<'m>, name: &str) -> Lowered<bool> {
        let op = match name.split('.').next() {
            Some("psll" | "pslli") => BinaryOp::Shl,
            Some("psrl" | "psrli") => BinaryOp::Lshr,
            Some("psra" | "psrai") => BinaryOp::Ashr,
            _ => return Ok(false),
        };
        let width = lane_width(inst.ty())?;
        let bits = lane_width(inst.operand(1).ty())?;
        let count = self.parts(inst.operand(1))?;
        let whole: Vec<_> = count.iter().take((64 / bits).max(1) as usize).copied().collect();
        let mut by = self.constant(64, 0);
        for (part, low) in whole.iter().zip((0..).step_by(bits as usize)) {
            let part = self.resize(Cast::Zext, *part, bits.min(64), 64);
            let place = self.constant(64, low);
            let moved = self.binary(BinaryOp::Shl, 64, part, place);
            by = self.binary(BinaryOp::Or, 64, by, moved);
        }
        let most = self.constant(64, u64::from(width - 1));
        let condition = self.compute(|dst| Inst::Compare {
            predicate: Predicate::Ult,
            width: 64,
            dst,
            a: most,
            b: by,
        });
        let near = self.binary(BinaryOp::Umin, 64, by, most);
        let near = self.resize(Cast::Trunc, near, 64, width);
        let nothing = self.constant(width, 0);
        let mut lanes = self.parts(inst.operand(0))?;
        for lane in &mut lanes {
            let b = self.binary(op, width, *lane, near);
            *lane = match op {
                BinaryOp::Ashr => b,
                _ => self.compute(|dst| Inst::Select { width, dst, condition, a: nothing, b }),
            };
        }
        self.define(inst, lanes);
        Ok(true)
    }
}
