//! Instructions: arithmetic, comparisons and conversions are lowered here, every other family in a
//! separate file.

use super::lowering::{Lowering, Parts};
use super::types::{Lowered, float_width, lane_width, scalars, unsupported};
use crate::ir::{
    BinaryOp, Cast, CompareExceptions, FloatCast, FloatOp, FloatPredicate, Inst, Operand,
    Predicate, Reg,
};
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};

impl<'m> Lowering<'_, 'm> {
    /// Lowers one instruction into the current block.
    pub fn instruction(&mut self, inst: Value<'m>) -> Lowered<()> {
        use Opcode::*;
        match inst.opcode() {
            LLVMPHI | LLVMFence => Ok(()),
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
            | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => self.arithmetic(inst),
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => self.float_arithmetic(inst),
            LLVMFNeg => {
                let width = float_width(inst.ty())?;
                self.each_lane(inst, [inst.operand(0)], |dst, [a]| Inst::FloatNegate {
                    width,
                    dst,
                    a,
                })
            }
            LLVMICmp => {
                let (a, b) = (inst.operand(0), inst.operand(1));
                let (width, predicate) = (lane_width(a.ty())?, predicate(inst.int_predicate()));
                self.each_lane(inst, [a, b], |dst, [a, b]| Inst::Compare {
                    predicate,
                    width,
                    dst,
                    a,
                    b,
                })
            }
            LLVMFCmp => {
                let (a, b) = (inst.operand(0), inst.operand(1));
                let predicate = float_predicate(inst.real_predicate());
                let width = float_width(a.ty())?;
                // Together with the `select`, the comparison may become a minimum or maximum
                // (`minsd`), for which any NaN raises the invalid exception.
                let exceptions = if inst.users().any(|user| user.opcode() == LLVMSelect) {
                    CompareExceptions::Open
                } else {
                    CompareExceptions::Quiet
                };
                self.each_lane(inst, [a, b], |dst, [a, b]| Inst::FloatCompare {
                    predicate,
                    exceptions,
                    width,
                    dst,
                    a,
                    b,
                })
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt | LLVMIntToPtr => self.cast(inst),
            LLVMFPTrunc | LLVMFPExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP => {
                self.float_cast(inst)
            }
            LLVMBitCast | LLVMAddrSpaceCast => self.bit_cast(inst),
            LLVMFreeze => self.freeze(inst),
            LLVMSelect => self.select(inst),
            LLVMAlloca => self.alloca(inst),
            LLVMLoad => self.load(inst),
            LLVMStore => self.store(inst),
            LLVMGetElementPtr => self.element_pointer(inst),
            LLVMAtomicRMW => self.atomic_update(inst),
            LLVMAtomicCmpXchg => self.compare_exchange(inst),
            LLVMExtractValue => self.extract_value(inst),
            LLVMInsertValue => self.insert_value(inst),
            LLVMExtractElement => self.extract_element(inst),
            LLVMInsertElement => self.insert_element(inst),
            LLVMShuffleVector => self.shuffle(inst),
            LLVMCall => self.call(inst),
            LLVMRet => self.ret(inst),
            LLVMBr => self.branch(inst),
            LLVMSwitch => self.switch(inst),
            LLVMIndirectBr => self.indirect_branch(inst),
            LLVMUnreachable => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            LLVMCallBr => unsupported("inline assembly that jumps to a label"),
            _ => unsupported("not a part of C that can be run here"),
        }
    }

    /// Defines `value` by computing each of its lanes from the same lane of the operands.
    pub fn each_lane<const N: usize>(
        &mut self,
        value: Value<'m>,
        operands: [Value<'m>; N],
        make: impl Fn(Reg, [Operand; N]) -> Inst,
    ) -> Lowered<()> {
        let mut lanes = Vec::with_capacity(N);
        for operand in operands {
            lanes.push(self.parts(operand)?);
        }
        let count = scalars(self.source, value.ty())?.len();
        if lanes.iter().any(|parts| parts.len() != count) {
            return unsupported("operands with different numbers of lanes");
        }
        let parts = (0..count)
            .map(|lane| {
                let operands = std::array::from_fn(|operand| lanes[operand][lane]);
                self.compute(|dst| make(dst, operands))
            })
            .collect();
        self.define(value, parts);
        Ok(())
    }

    fn arithmetic(&mut self, inst: Value<'m>) -> Lowered<()> {
        let op = match inst.opcode() {
            Opcode::LLVMAdd => BinaryOp::Add,
            Opcode::LLVMSub => BinaryOp::Sub,
            Opcode::LLVMMul => BinaryOp::Mul,
            Opcode::LLVMUDiv => BinaryOp::Udiv,
            Opcode::LLVMSDiv => BinaryOp::Sdiv,
            Opcode::LLVMURem => BinaryOp::Urem,
            Opcode::LLVMSRem => BinaryOp::Srem,
            Opcode::LLVMShl => BinaryOp::Shl,
            Opcode::LLVMLShr => BinaryOp::Lshr,
            Opcode::LLVMAShr => BinaryOp::Ashr,
            Opcode::LLVMAnd => BinaryOp::And,
            Opcode::LLVMOr => BinaryOp::Or,
            _ => BinaryOp::Xor,
        };
        if op == BinaryOp::Sdiv
            && let Some(places) = inst.exact_shift()
        {
            let width = lane_width(inst.ty())?;
            let b = self.constant(width, places.into());
            return self.each_lane(inst, [inst.operand(0)], |dst, [a]| Inst::Binary {
                op: BinaryOp::Ashr,
                width,
                dst,
                a,
                b,
            });
        }
        self.binary_lanes(inst, op, inst.operand(0), inst.operand(1))
    }

    /// Defines `value` as `a op b` in each lane.
    pub fn binary_lanes(
        &mut self,
        value: Value<'m>,
        op: BinaryOp,
        a: Value<'m>,
        b: Value<'m>,
    ) -> Lowered<()> {
        let width = lane_width(value.ty())?;
        self.each_lane(value, [a, b], |dst, [a, b]| Inst::Binary { op, width, dst, a, b })
    }

    fn float_arithmetic(&mut self, inst: Value<'m>) -> Lowered<()> {
        let op = match inst.opcode() {
            Opcode::LLVMFAdd => FloatOp::Add,
            Opcode::LLVMFSub => FloatOp::Sub,
            Opcode::LLVMFMul => FloatOp::Mul,
            Opcode::LLVMFDiv => FloatOp::Div,
            _ => return self.library_call(inst, "fmod", &[inst.operand(0), inst.operand(1)]),
        };
        let width = float_width(inst.ty())?;
        self.each_lane(inst, [inst.operand(0), inst.operand(1)], |dst, [a, b]| Inst::FloatBinary {
            op,
            width,
            dst,
            a,
            b,
        })
    }

    fn cast(&mut self, inst: Value<'m>) -> Lowered<()> {
        let a = inst.operand(0);
        let (from, to) = (lane_width(a.ty())?, lane_width(inst.ty())?);
        if from == to {
            let parts = self.parts(a)?;
            self.define(inst, parts);
            return Ok(());
        }
        let cast = match inst.opcode() {
            Opcode::LLVMSExt => Cast::Sext,
            _ if from > to => Cast::Trunc,
            _ => Cast::Zext,
        };
        self.each_lane(inst, [a], |dst, [a]| Inst::Cast { cast, from, to, dst, a })
    }

    fn float_cast(&mut self, inst: Value<'m>) -> Lowered<()> {
        let cast = match inst.opcode() {
            Opcode::LLVMFPToUI if is_machine_cast(inst) => FloatCast::MachineUnsigned,
            Opcode::LLVMFPToSI if is_machine_cast(inst) => FloatCast::MachineSigned,
            Opcode::LLVMFPTrunc => FloatCast::Truncate,
            Opcode::LLVMFPExt => FloatCast::Extend,
            Opcode::LLVMFPToUI => FloatCast::ToUnsigned,
            Opcode::LLVMFPToSI => FloatCast::ToSigned,
            Opcode::LLVMUIToFP => FloatCast::FromUnsigned,
            _ => FloatCast::FromSigned,
        };
        self.cast_float(inst, cast)
    }

    /// Defines `inst` as its first operand, converted.
    pub fn cast_float(&mut self, inst: Value<'m>, cast: FloatCast) -> Lowered<()> {
        let a = inst.operand(0);
        let from_float = !matches!(cast, FloatCast::FromUnsigned | FloatCast::FromSigned);
        let to_float = !from_float || matches!(cast, FloatCast::Extend | FloatCast::Truncate);
        let width = |ty: Type<'m>, float| if float { float_width(ty) } else { lane_width(ty) };
        let (from, to) = (width(a.ty(), from_float)?, width(inst.ty(), to_float)?);
        self.each_lane(inst, [a], |dst, [a]| Inst::FloatCast { cast, from, to, dst, a })
    }

    fn freeze(&mut self, inst: Value<'m>) -> Lowered<()> {
        let widths = scalars(self.source, inst.ty())?;
        let mut parts = self.parts(inst.operand(0))?;
        for (part, scalar) in parts.iter_mut().zip(widths) {
            let src = *part;
            *part = self.compute(|dst| Inst::Move { dst, src, width: scalar.width });
        }
        self.define(inst, parts);
        Ok(())
    }

    fn select(&mut self, inst: Value<'m>) -> Lowered<()> {
        let conditions = self.parts(inst.operand(0))?;
        let (a, b) = (self.parts(inst.operand(1))?, self.parts(inst.operand(2))?);
        let mut parts = Parts::new();
        for (i, scalar) in scalars(self.source, inst.ty())?.into_iter().enumerate() {
            let condition = if conditions.len() == 1 { conditions[0] } else { conditions[i] };
            let (a, b, width) = (a[i], b[i], scalar.width);
            parts.push(self.compute(|dst| Inst::Select { width, dst, condition, a, b }));
        }
        self.define(inst, parts);
        Ok(())
    }
}

fn predicate(predicate: IntPredicate) -> Predicate {
    match predicate {
        IntPredicate::LLVMIntEQ => Predicate::Eq,
        IntPredicate::LLVMIntNE => Predicate::Ne,
        IntPredicate::LLVMIntUGT => Predicate::Ugt,
        IntPredicate::LLVMIntUGE => Predicate::Uge,
        IntPredicate::LLVMIntULT => Predicate::Ult,
        IntPredicate::LLVMIntULE => Predicate::Ule,
        IntPredicate::LLVMIntSGT => Predicate::Sgt,
        IntPredicate::LLVMIntSGE => Predicate::Sge,
        IntPredicate::LLVMIntSLT => Predicate::Slt,
        IntPredicate::LLVMIntSLE => Predicate::Sle,
    }
}

/// Whether code generators always use the same instructions to convert this floating-point number
/// to an integer. Then the result is known even if the number does not fit. For vectors, other
/// widths and other formats, the instructions vary.
pub fn is_machine_cast(inst: Value<'_>) -> bool {
    let (from, to) = (inst.operand(0).ty(), inst.ty());
    to.kind() == TypeKind::LLVMIntegerTypeKind
        && matches!(to.int_width(), 32 | 64)
        && float_width(from).is_ok_and(|width| width <= 64)
}

fn float_predicate(predicate: RealPredicate) -> FloatPredicate {
    match predicate {
        RealPredicate::LLVMRealPredicateFalse => FloatPredicate::False,
        RealPredicate::LLVMRealOEQ => FloatPredicate::Oeq,
        RealPredicate::LLVMRealOGT => FloatPredicate::Ogt,
        RealPredicate::LLVMRealOGE => FloatPredicate::Oge,
        RealPredicate::LLVMRealOLT => FloatPredicate::Olt,
        RealPredicate::LLVMRealOLE => FloatPredicate::Ole,
        RealPredicate::LLVMRealONE => FloatPredicate::One,
        RealPredicate::LLVMRealORD => FloatPredicate::Ord,
        RealPredicate::LLVMRealUNO => FloatPredicate::Uno,
        RealPredicate::LLVMRealUEQ => FloatPredicate::Ueq,
        RealPredicate::LLVMRealUGT => FloatPredicate::Ugt,
        RealPredicate::LLVMRealUGE => FloatPredicate::Uge,
        RealPredicate::LLVMRealULT => FloatPredicate::Ult,
        RealPredicate::LLVMRealULE => FloatPredicate::Ule,
        RealPredicate::LLVMRealUNE => FloatPredicate::Une,
        RealPredicate::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}
