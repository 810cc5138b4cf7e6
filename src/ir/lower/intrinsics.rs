//! LLVM's intrinsic functions (LLVM Language Reference, "Intrinsic Functions").

use super::instructions::is_machine_cast;
use super::lowering::{Lowering, Parts};
use super::types::{Lowered, float_width, lane_width, scalars, unsupported};
use crate::llvm::{Opcode, Value};
use crate::{
    expr::float::Format,
    ir::{
        BinaryOp, Cast, CompareExceptions, FloatCast, FloatOp, FloatPredicate, Inst, Operand,
        OverflowOp, Predicate, UnaryOp,
    },
};

/// The name of an intrinsic without `llvm.` and without the types of an overload.
fn base_name(name: &str) -> &str {
    let mut base = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((rest, last)) = base.rsplit_once('.') {
        let after = last.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let overload = last != after && after.starts_with(|c: char| c.is_ascii_digit());
        // Such types are anonymous or named structs: `sl_i32s`, `s_struct.xs`.
        if !overload && !last.starts_with("sl_") && !last.starts_with("s_") {
            break;
        }
        base = rest;
    }
    base
}

/// The predicate that metadata names.
fn named_predicate(name: &str) -> Option<FloatPredicate> {
    Some(match name {
        "oeq" => FloatPredicate::Oeq,
        "ogt" => FloatPredicate::Ogt,
        "oge" => FloatPredicate::Oge,
        "olt" => FloatPredicate::Olt,
        "ole" => FloatPredicate::Ole,
        "one" => FloatPredicate::One,
        "ord" => FloatPredicate::Ord,
        "ueq" => FloatPredicate::Ueq,
        "ugt" => FloatPredicate::Ugt,
        "uge" => FloatPredicate::Uge,
        "ult" => FloatPredicate::Ult,
        "ule" => FloatPredicate::Ule,
        "une" => FloatPredicate::Une,
        "uno" => FloatPredicate::Uno,
        _ => return None,
    })
}

/// The greatest number with `width` bits, at most 128.
fn ones(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers a call of the intrinsic function `name`.
    pub fn intrinsic(&mut self, inst: Value<'m>, name: &str) -> Lowered<()> {
        let base = base_name(name);
        // Constrained operations respect the rounding mode, as all operations do here.
        if let Some(base) = base.strip_prefix("experimental.constrained.") {
            if self.constrained(inst, base)? {
                return Ok(());
            }
            return unsupported(format!("the intrinsic function {name}"));
        }
        if self.memory_intrinsic(inst, base)?
            || self.bit_intrinsic(inst, base)?
            || self.float_intrinsic(inst, base)?
            || self.library_intrinsic(inst, base)?
            || self.rounding_intrinsic(inst, base)?
            || self.hint(inst, base)?
            || self.sse_intrinsic(inst, name)?
        {
            Ok(())
        } else {
            unsupported(format!("the intrinsic function {name}"))
        }
    }

    fn memory_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        match base {
            "memcpy" | "memmove" | "memcpy.inline" => {
                let (to, from) = (self.scalar(inst.operand(0))?, self.scalar(inst.operand(1))?);
                let length = self.length(inst.operand(2))?;
                self.emit(Inst::Copy { to, from, length });
            }
            "memset" | "memset.inline" => {
                let (to, value) = (self.scalar(inst.operand(0))?, self.scalar(inst.operand(1))?);
                let length = self.length(inst.operand(2))?;
                self.emit(Inst::Fill { to, value, length });
            }
            "va_start" => {
                let list = self.scalar(inst.operand(0))?;
                self.emit(Inst::VaStart { list });
            }
            "va_end" => {
                let list = self.scalar(inst.operand(0))?;
                self.emit(Inst::VaEnd { list });
            }
            "va_copy" => {
                let (to, from) = (self.scalar(inst.operand(0))?, self.scalar(inst.operand(1))?);
                self.emit(Inst::VaCopy { to, from });
            }
            "load.relative" => self.load_relative(inst)?,
            "masked.load" => self.masked_load(inst)?,
            "masked.store" => self.masked_store(inst)?,
            "masked.gather" => self.masked_gather(inst)?,
            "masked.scatter" => self.masked_scatter(inst)?,
            "ptrmask" => {
                let width = lane_width(inst.operand(1).ty())?;
                if width != 64 {
                    return unsupported(format!("a pointer mask of {width} bits"));
                }
                self.binary_lanes(inst, BinaryOp::And, inst.operand(0), inst.operand(1))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn length(&mut self, value: Value<'m>) -> Lowered<Operand> {
        let width = lane_width(value.ty())?;
        let length = self.scalar(value)?;
        Ok(self.resize(Cast::Zext, length, width, 64))
    }

    fn bit_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        let binary = match base {
            "umin" => Some(BinaryOp::Umin),
            "umax" => Some(BinaryOp::Umax),
            "smin" => Some(BinaryOp::Smin),
            "smax" => Some(BinaryOp::Smax),
            "uadd.sat" => Some(BinaryOp::UaddSat),
            "usub.sat" => Some(BinaryOp::UsubSat),
            "sadd.sat" => Some(BinaryOp::SaddSat),
            "ssub.sat" => Some(BinaryOp::SsubSat),
            _ => None,
        };
        if let Some(op) = binary {
            self.binary_lanes(inst, op, inst.operand(0), inst.operand(1))?;
            return Ok(true);
        }
        let unary = match base {
            "bswap" => Some(UnaryOp::Bswap),
            "bitreverse" => Some(UnaryOp::Bitreverse),
            "ctpop" => Some(UnaryOp::Popcount),
            "ctlz" => Some(UnaryOp::Clz),
            "cttz" => Some(UnaryOp::Ctz),
            "abs" => Some(UnaryOp::Abs),
            _ => None,
        };
        if let Some(op) = unary {
            let width = lane_width(inst.ty())?;
            self.each_lane(inst, [inst.operand(0)], |dst, [a]| Inst::Unary { op, width, dst, a })?;
            return Ok(true);
        }
        let overflow = match base {
            "uadd.with.overflow" => Some(OverflowOp::Uadd),
            "sadd.with.overflow" => Some(OverflowOp::Sadd),
            "usub.with.overflow" => Some(OverflowOp::Usub),
            "ssub.with.overflow" => Some(OverflowOp::Ssub),
            "umul.with.overflow" => Some(OverflowOp::Umul),
            "smul.with.overflow" => Some(OverflowOp::Smul),
            _ => None,
        };
        if let Some(op) = overflow {
            self.with_overflow(inst, op)?;
            return Ok(true);
        }
        match base {
            "fshl" | "fshr" => {
                let (left, width) = (base == "fshl", lane_width(inst.ty())?);
                let operands = [inst.operand(0), inst.operand(1), inst.operand(2)];
                self.each_lane(inst, operands, |dst, [a, b, by]| Inst::FunnelShift {
                    left,
                    width,
                    dst,
                    a,
                    b,
                    by,
                })?;
            }
            "ucmp" | "scmp" => self.three_way(inst, base == "scmp")?,
            _ => match base.strip_prefix("vector.reduce.") {
                Some(operation) => return self.reduce(inst, operation),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn with_overflow(&mut self, inst: Value<'m>, op: OverflowOp) -> Lowered<()> {
        let width = lane_width(inst.operand(0).ty())?;
        let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
        let (mut values, mut flags) = (Parts::new(), Parts::new());
        for (a, b) in a.into_iter().zip(b) {
            let (dst, overflow) = (self.fresh(), self.fresh());
            self.emit(Inst::Overflow { op, width, dst, overflow, a, b });
            values.push(Operand::reg(dst));
            flags.push(Operand::reg(overflow));
        }
        values.extend(flags);
        self.define(inst, values);
        Ok(())
    }

    /// Defines `inst` as -1, 0 or 1, depending on whether the first operand is less than, equal to
    /// or greater than the second.
    fn three_way(&mut self, inst: Value<'m>, signed: bool) -> Lowered<()> {
        let width = lane_width(inst.operand(0).ty())?;
        let to = lane_width(inst.ty())?;
        let (less, greater) = if signed {
            (Predicate::Slt, Predicate::Sgt)
        } else {
            (Predicate::Ult, Predicate::Ugt)
        };
        let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
        let mut parts = Parts::new();
        for (a, b) in a.into_iter().zip(b) {
            let mut flag = |predicate| {
                let bit = self.compute(|dst| Inst::Compare { predicate, width, dst, a, b });
                self.resize(Cast::Zext, bit, 1, to)
            };
            let (greater, less) = (flag(greater), flag(less));
            parts.push(self.binary(BinaryOp::Sub, to, greater, less));
        }
        self.define(inst, parts);
        Ok(())
    }

    fn reduce(&mut self, inst: Value<'m>, operation: &str) -> Lowered<bool> {
        let op = match operation {
            "add" => BinaryOp::Add,
            "mul" => BinaryOp::Mul,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "smax" => BinaryOp::Smax,
            "smin" => BinaryOp::Smin,
            "umax" => BinaryOp::Umax,
            "umin" => BinaryOp::Umin,
            _ => return Ok(false),
        };
        let width = lane_width(inst.ty())?;
        let lanes = self.parts(inst.operand(0))?;
        let reduced = lanes.into_iter().reduce(|a, b| self.binary(op, width, a, b));
        match reduced {
            Some(value) => self.define_scalar(inst, value),
            None => return unsupported("a reduction of no lanes"),
        }
        Ok(true)
    }

    fn float_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        match base {
            "fabs" => {
                let width = float_width(inst.ty())?;
                let mask = self.number(width, ones(width - 1));
                self.each_lane(inst, [inst.operand(0)], |dst, [a]| Inst::Binary {
                    op: BinaryOp::And,
                    width,
                    dst,
                    a,
                    b: mask,
                })?;
            }
            "copysign" => {
                let width = float_width(inst.ty())?;
                let magnitude = self.number(width, ones(width - 1));
                let sign = self.number(width, 1 << (width - 1));
                let (a, b) = (self.parts(inst.operand(0))?, self.parts(inst.operand(1))?);
                let mut parts = Parts::new();
                for (a, b) in a.into_iter().zip(b) {
                    let a = self.binary(BinaryOp::And, width, a, magnitude);
                    let b = self.binary(BinaryOp::And, width, b, sign);
                    parts.push(self.binary(BinaryOp::Or, width, a, b));
                }
                self.define(inst, parts);
            }
            // LLVM rounds twice, because plain x86-64 has no fused instruction.
            "fmuladd" => {
                let width = float_width(inst.ty())?;
                let mut parts = self.parts(inst.operand(0))?;
                let (b, c) = (self.parts(inst.operand(1))?, self.parts(inst.operand(2))?);
                let float = |op, dst, a, b| Inst::FloatBinary { op, width, dst, a, b };
                for (part, (b, c)) in parts.iter_mut().zip(b.into_iter().zip(c)) {
                    let product = self.compute(|dst| float(FloatOp::Mul, dst, *part, b));
                    *part = self.compute(|dst| float(FloatOp::Add, dst, product, c));
                }
                self.define(inst, parts);
            }
            "minnum" => self.float_extreme(inst, FloatPredicate::Olt)?,
            "maxnum" => self.float_extreme(inst, FloatPredicate::Ogt)?,
            "is.fpclass" => self.float_class(inst)?,
            "fptosi.sat" | "fptoui.sat" => {
                let (from, to) = (float_width(inst.operand(0).ty())?, lane_width(inst.ty())?);
                let cast = match base {
                    "fptosi.sat" => FloatCast::SaturateSigned,
                    _ => FloatCast::SaturateUnsigned,
                };
                self.each_lane(inst, [inst.operand(0)], |dst, [a]| Inst::FloatCast {
                    cast,
                    from,
                    to,
                    dst,
                    a,
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lowers operations for an unknown rounding mode (LLVM Language Reference, "Constrained
    /// Floating-Point Intrinsics").
    fn constrained(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        let operation = match base {
            "fadd" => Some(FloatOp::Add),
            "fsub" => Some(FloatOp::Sub),
            "fmul" => Some(FloatOp::Mul),
            "fdiv" => Some(FloatOp::Div),
            _ => None,
        };
        if let Some(op) = operation {
            let (a, b) = (inst.operand(0), inst.operand(1));
            let width = float_width(inst.ty())?;
            self.each_lane(inst, [a, b], |dst, [a, b]| Inst::FloatBinary { op, width, dst, a, b })?;
            return Ok(true);
        }
        let cast = match base {
            "fptrunc" => Some(FloatCast::Truncate),
            "fpext" => Some(FloatCast::Extend),
            "fptosi" if is_machine_cast(inst) => Some(FloatCast::MachineSigned),
            "fptosi" => Some(FloatCast::ToSigned),
            "fptoui" if is_machine_cast(inst) && inst.ty().int_width() == 32 => {
                Some(FloatCast::MachineUnsigned)
            }
            "fptoui" => Some(FloatCast::ToUnsigned),
            "sitofp" => Some(FloatCast::FromSigned),
            "uitofp" => Some(FloatCast::FromUnsigned),
            _ => None,
        };
        if let Some(cast) = cast {
            self.cast_float(inst, cast)?;
            return Ok(true);
        }
        if matches!(base, "fcmp" | "fcmps") {
            let predicate = inst.operand(2).metadata_text();
            let Some(predicate) = predicate.as_deref().and_then(named_predicate) else {
                return Ok(false);
            };
            let exceptions = match base {
                "fcmp" => CompareExceptions::Quiet,
                _ => CompareExceptions::Signalling,
            };
            let (a, b) = (inst.operand(0), inst.operand(1));
            let width = float_width(a.ty())?;
            self.each_lane(inst, [a, b], |dst, [a, b]| Inst::FloatCompare {
                predicate,
                exceptions,
                width,
                dst,
                a,
                b,
            })?;
            return Ok(true);
        }
        Ok(self.float_intrinsic(inst, base)? || self.library_intrinsic(inst, base)?)
    }

    /// Defines `inst` as the lesser or greater operand. For a number and a NaN, this is the number.
    /// For two zeros it is the first operand, or the second if that is a constant. This is how the
    /// code generator's code for x86-64 behaves. For two constants it writes no code: there, -0 is
    /// less than
    /// 0. If it may see that the second operand is no NaN, nothing is proved where two zeros meet.
    fn float_extreme(&mut self, inst: Value<'m>, before: FloatPredicate) -> Lowered<()> {
        let width = float_width(inst.ty())?;
        if width > 64 {
            let name = if before == FloatPredicate::Olt { "fmin" } else { "fmax" };
            return self.library_call(inst, name, &inst.values());
        }
        let second = inst.operand(1);
        if !second.is_constant() && may_be_seen_to_be_a_number(second, DEEPEST) {
            let is_min = before == FloatPredicate::Olt;
            let name = if is_min { "psychic_fmin" } else { "psychic_fmax" };
            return self.library_call(inst, name, &inst.values());
        }
        let Some(format) = Format::of(width) else {
            return unsupported(format!("the lesser or greater of two numbers of {width} bits"));
        };
        let mut parts = self.parts(inst.operand(0))?;
        for (part, b) in parts.iter_mut().zip(self.parts(inst.operand(1))?) {
            let a = *part;
            if let (Some(x), Some(y)) = (self.known(a), self.known(b))
                && [x, y].iter().all(|bits| bits << (65 - width) == 0)
            {
                // Both are zeros, which have no bits but the sign.
                let zero = if before == FloatPredicate::Olt { x | y } else { x & y };
                *part = self.constant(width, zero);
                continue;
            }
            let exceptions = CompareExceptions::Open;
            let compare = |predicate, dst, a, b| Inst::FloatCompare {
                predicate,
                exceptions,
                width,
                dst,
                a,
                b,
            };
            if self.known(b).is_some_and(|bits| !format.is_nan(bits.into())) {
                let condition = self.compute(|dst| compare(before, dst, a, b));
                *part = self.compute(|dst| Inst::Select { width, dst, condition, a, b });
                continue;
            }
            let b_wins = self.compute(|dst| compare(before, dst, b, a));
            let a_is_nan = self.compute(|dst| compare(FloatPredicate::Uno, dst, a, a));
            let condition = self.binary(BinaryOp::Or, 1, b_wins, a_is_nan);
            *part = self.compute(|dst| Inst::Select { width, dst, condition, a: b, b: a });
        }
        self.define(inst, parts);
        Ok(())
    }

    /// Defines `inst` as whether a number belongs to one of the classes of a mask.
    fn float_class(&mut self, inst: Value<'m>) -> Lowered<()> {
        let width = float_width(inst.operand(0).ty())?;
        let Some(format) = Format::of(width) else {
            return unsupported(format!("classes of numbers of {width} bits"));
        };
        let mask_operand = self.scalar(inst.operand(1))?;
        let Some(classes) = self.known(mask_operand) else {
            return unsupported("a mask of classes that is not a constant");
        };
        let mut parts = self.parts(inst.operand(0))?;
        for part in &mut parts {
            *part = match self.class_by_comparison(format, classes, *part) {
                Some(found) => found,
                None => self.class_by_bits(format, classes, *part)?,
            };
        }
        self.define(inst, parts);
        Ok(())
    }

    /// The class tests that are most frequent in C programs: whether a number is, or is not, a NaN,
    /// infinite or finite. They become comparisons, which need not look at the bits of a symbolic
    /// number. `None` for other classes.
    fn class_by_comparison(&mut self, format: Format, classes: u64, a: Operand) -> Option<Operand> {
        const NAN: u64 = 0x3;
        const INFINITE: u64 = 0x204;
        const FINITE: u64 = 0x1f8;
        let all = NAN | INFINITE | FINITE;
        let predicate = match classes & all {
            NAN => FloatPredicate::Uno,
            INFINITE => FloatPredicate::Oeq,
            FINITE => FloatPredicate::Olt,
            other if other == all & !NAN => FloatPredicate::Ord,
            other if other == all & !INFINITE => FloatPredicate::Une,
            other if other == all & !FINITE => FloatPredicate::Uge,
            _ => return None,
        };
        let width = format.width();
        let mask = self.number(width, ones(width - 1));
        let a = self.binary(BinaryOp::And, width, a, mask);
        let b = self.number(width, format.infinity());
        let exceptions = CompareExceptions::Open;
        Some(self.compute(|dst| Inst::FloatCompare { predicate, exceptions, width, dst, a, b }))
    }

    fn class_by_bits(&mut self, format: Format, classes: u64, a: Operand) -> Lowered<Operand> {
        if format.has_integer_bit() {
            // The number is converted to a wider format. This requires an encoding that the x87
            // writes itself, and makes a NaN quiet.
            if matches!(classes & 0x3, 0x1 | 0x2) {
                return unsupported("the kind of a NaN of the x87");
            }
            let (from, to) = (format.width(), Format::Quad.width());
            let a = self.converted(FloatCast::Extend, from, to, a);
            return self.class_by_bits(Format::Quad, classes, a);
        }
        let width = format.width();
        let (sign, infinity) = (format.sign(), format.infinity());
        let normal = 1 << format.fraction_bits();
        // For each bit of the mask, the unsigned interval of the encodings in this class. A class
        // with both signs has two intervals.
        let quiet = infinity | format.quiet();
        let largest = ones(width);
        let intervals = [
            (0, infinity + 1, quiet - 1),
            (0, sign | (infinity + 1), sign | (quiet - 1)),
            (1, quiet, sign - 1),
            (1, sign | quiet, largest),
            (2, sign | infinity, sign | infinity),
            (3, sign | normal, sign | (infinity - 1)),
            (4, sign | 1, sign | (normal - 1)),
            (5, sign, sign),
            (6, 0, 0),
            (7, 1, normal - 1),
            (8, normal, infinity - 1),
            (9, infinity, infinity),
        ];
        let mut found = self.constant(1, 0);
        for (class, low, high) in intervals {
            if classes >> class & 1 == 0 {
                continue;
            }
            let (start, size) = (self.number(width, low), self.number(width, high - low));
            let from = self.binary(BinaryOp::Sub, width, a, start);
            let inside = self.compute(|dst| Inst::Compare {
                predicate: Predicate::Ule,
                width,
                dst,
                a: from,
                b: size,
            });
            found = if self.known(found) == Some(0) {
                inside
            } else {
                self.binary(BinaryOp::Or, 1, found, inside)
            };
        }
        Ok(found)
    }

    /// Lowers intrinsics that only inform the optimiser or ask what it knows, and traps.
    fn hint(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        match base {
            "lifetime.start"
            | "lifetime.end"
            | "invariant.end"
            | "sideeffect"
            | "donothing"
            | "prefetch"
            | "var.annotation"
            | "codeview.annotation"
            | "pseudoprobe"
            | "experimental.noalias.scope.decl"
            | "stackrestore"
            | "x86.sse.sfence"
            | "x86.sse2.lfence"
            | "x86.sse2.mfence"
            | "x86.sse2.pause"
            | "clear_cache"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign" => {}
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "threadlocal.address"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "arithmetic.fence" => {
                let parts = self.parts(inst.operand(0))?;
                self.define(inst, parts);
            }
            "assume" => {
                let condition = self.scalar(inst.operand(0))?;
                if self.known(condition) != Some(1) {
                    self.emit(Inst::Assume { condition });
                }
            }
            "trap" => self.emit(Inst::Trap { check: None }),
            "ubsantrap" => {
                let check = self.scalar(inst.operand(0))?;
                let check = self.known(check).map(|check| check as u8);
                self.emit(Inst::Trap { check });
            }
            "stacksave" | "invariant.start" => self.answer(inst, 0)?,
            "is.constant" => {
                let constant = inst.operand(0).is_constant();
                self.answer(inst, u64::from(constant))?;
            }
            "allow.ubsan.check" | "allow.runtime.check" => self.answer(inst, 1)?,
            "objectsize" => {
                let least = self.scalar(inst.operand(1))?;
                let width = lane_width(inst.ty())?;
                let unknown = ones(width) as u64;
                self.answer(inst, if self.known(least) == Some(0) { unknown } else { 0 })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn answer(&mut self, inst: Value<'m>, value: u64) -> Lowered<()> {
        let widths = scalars(self.source, inst.ty())?;
        let parts = widths.iter().map(|s| self.constant(s.width, value)).collect();
        self.define(inst, parts);
        Ok(())
    }
}

/// How many operations deep [`may_be_seen_to_be_a_number`] looks.
const DEEPEST: u32 = 8;

/// Whether the code generator may see that a value is no NaN. It looks only at the instructions
/// that compute the value (LLVM 19, `SelectionDAG::isKnownNeverNaN`), and sees all of them only if
/// it optimises.
fn may_be_seen_to_be_a_number(value: Value<'_>, depth: u32) -> bool {
    if !value.is_instruction() || depth == 0 {
        return value.is_constant() || depth == 0;
    }
    let is_number = |operand: Value<'_>| may_be_seen_to_be_a_number(operand, depth - 1);
    match value.opcode() {
        Opcode::LLVMSIToFP | Opcode::LLVMUIToFP => true,
        Opcode::LLVMFNeg | Opcode::LLVMFPExt | Opcode::LLVMFPTrunc => is_number(value.operand(0)),
        Opcode::LLVMSelect => is_number(value.operand(1)) && is_number(value.operand(2)),
        Opcode::LLVMExtractElement | Opcode::LLVMInsertElement | Opcode::LLVMShuffleVector => {
            value.operands().any(is_number)
        }
        Opcode::LLVMCall if value.callee().name().starts_with("llvm.") => {
            value.arguments().into_iter().any(is_number)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn base_names_lose_their_types_only() {
        for (name, base) in [
            ("llvm.memcpy.p0.p0.i64", "memcpy"),
            ("llvm.memcpy.inline.p0.p0.i64", "memcpy.inline"),
            ("llvm.umul.with.overflow.i65", "umul.with.overflow"),
            ("llvm.abs.v4i32", "abs"),
            ("llvm.vector.reduce.add.v4i32", "vector.reduce.add"),
            ("llvm.trap", "trap"),
            ("llvm.is.fpclass.f64", "is.fpclass"),
            ("llvm.experimental.noalias.scope.decl", "experimental.noalias.scope.decl"),
        ] {
            assert_eq!(base_name(name), base);
        }
    }
}
