//! What LLVM leaves undefined gets the meaning that it has in the engine, so that native code does
//! not depend on what its generator makes of it.
#![allow(unsafe_code)]

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::Editor;

// SAFETY of every call below: instructions are those of a module that is alive, none is deleted, and
// accessors are called on the kinds of values that they are for.
impl Editor<'_, '_> {
    /// Replaces undefined numbers and addresses by zero in the operands of instructions. The
    /// compiler leaves constants without a result undefined (`7 % 0`); natively, they would be
    /// whatever a register contains.
    pub fn define_undefined(&self) {
        let is_single = |kind| {
            matches!(
                kind,
                LLVMTypeKind::LLVMIntegerTypeKind
                    | LLVMTypeKind::LLVMPointerTypeKind
                    | LLVMTypeKind::LLVMFloatTypeKind
                    | LLVMTypeKind::LLVMDoubleTypeKind
                    | LLVMTypeKind::LLVMX86_FP80TypeKind
            )
        };
        unsafe {
            for instruction in self.instructions() {
                for index in 0..LLVMGetNumOperands(instruction) as u32 {
                    let operand = LLVMGetOperand(instruction, index);
                    let ty = LLVMTypeOf(operand);
                    if is_single(LLVMGetTypeKind(ty)) && LLVMIsUndef(operand) != 0 {
                        LLVMSetOperand(instruction, index, LLVMConstNull(ty));
                    }
                }
            }
        }
    }

    /// Gives shifts by the width or more, and divisions that claim to leave no remainder, the
    /// meaning that they have in the engine. LLVM leaves both undefined, and what the code
    /// generator makes of one depends on what stands beside it.
    ///
    /// A count is taken modulo the width, if that is a power of two and at least 32. A constant
    /// count for any other width is taken modulo the next such number, and what is still too far
    /// shifts everything out. A division by anything but a power of two may leave a remainder. (The
    /// code generator makes a shift of any other.)
    pub fn define_arithmetic(&self) {
        // SAFETY: operands are those of shifts and divisions, which have two of one type; those of
        // vectors are left alone.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw()));
            for instruction in self.instructions() {
                let ty = LLVMTypeOf(instruction);
                if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMIntegerTypeKind {
                    continue;
                }
                match LLVMGetInstructionOpcode(instruction) {
                    LLVMOpcode::LLVMShl | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr => {
                        define_shift(builder, instruction);
                    }
                    LLVMOpcode::LLVMSDiv if LLVMGetExact(instruction) != 0 => {
                        let by = LLVMGetOperand(instruction, 1);
                        let is_small = LLVMGetIntTypeWidth(ty) <= 64;
                        let is_shift = is_small
                            && !LLVMIsAConstantInt(by).is_null()
                            && LLVMConstIntGetZExtValue(by).is_power_of_two();
                        LLVMSetExact(instruction, i32::from(is_shift));
                    }
                    _ => {}
                }
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// All instructions of the module.
    fn instructions(&self) -> Vec<LLVMValueRef> {
        let mut all = Vec::new();
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw());
            while !function.is_null() {
                let mut block = LLVMGetFirstBasicBlock(function);
                while !block.is_null() {
                    let mut instruction = LLVMGetFirstInstruction(block);
                    while !instruction.is_null() {
                        all.push(instruction);
                        instruction = LLVMGetNextInstruction(instruction);
                    }
                    block = LLVMGetNextBasicBlock(block);
                }
                function = LLVMGetNextFunction(function);
            }
        }
        all
    }
}

/// Gives one shift of an integer the meaning that [`Editor::define_arithmetic`] describes.
///
/// # Safety
/// `instruction` is such a shift, and `builder` is of its context.
unsafe fn define_shift(builder: LLVMBuilderRef, instruction: LLVMValueRef) {
    // SAFETY: the caller passes a shift, which has two operands of its own type.
    unsafe {
        let ty = LLVMTypeOf(instruction);
        let width = LLVMGetIntTypeWidth(ty);
        let modulus = u64::from(width.max(32).next_power_of_two());
        let count = LLVMGetOperand(instruction, 1);
        let significant = LLVMConstInt(ty, modulus - 1, 0);
        if LLVMIsAConstantInt(count).is_null() {
            if u64::from(width) == modulus {
                LLVMPositionBuilderBefore(builder, instruction);
                let masked = LLVMBuildAnd(builder, count, significant, c"".as_ptr());
                LLVMSetOperand(instruction, 1, masked);
            }
            return;
        }
        let low = LLVMConstIntGetZExtValue(LLVMConstTrunc(
            count,
            LLVMIntTypeInContext(LLVMGetTypeContext(ty), width.min(64)),
        )) & (modulus - 1);
        let number = |n: u64| LLVMConstInt(ty, n, 0);
        if low < u64::from(width) {
            LLVMSetOperand(instruction, 1, number(low));
        } else if LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMAShr {
            LLVMSetOperand(instruction, 1, number(u64::from(width) - 1));
        } else {
            LLVMSetOperand(instruction, 0, number(0));
            LLVMSetOperand(instruction, 1, number(0));
        }
    }
}
