//! Gives what LLVM leaves undefined the meaning that it has in the engine. So native code does not
//! depend on the choices of its code generator.
#![allow(unsafe_code)]

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::Editor;

// SAFETY of every call below: instructions belong to a live module, and none is deleted. Accessors
// are called only on the kinds of values that they are for.
impl Editor<'_, '_> {
    /// Replaces undefined numbers and addresses in the operands of instructions by zero. The
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
    /// meaning that they have in the engine. LLVM leaves both undefined, and the code generator's
    /// choice depends on the surrounding code.
    ///
    /// A count is taken modulo the width, if that is a power of two and at least 32. For any other
    /// width, a constant count is taken modulo the next such number; if the result is still too
    /// large, everything is shifted out. Only a division by a power of two keeps its claim to leave
    /// no remainder. (The code generator turns it into a shift.)
    pub fn define_arithmetic(&self) {
        self.define(true);
    }

    /// Defines shifts and divisions as [`Self::define_arithmetic`] does, but not shifts by a
    /// variable count. It is for programs that the engine runs after they were optimised.
    pub fn define_constant_arithmetic(&self) {
        self.define(false);
    }

    fn define(&self, also_variable_counts: bool) {
        // SAFETY: operands are those of shifts and divisions, which have two of one type. Vectors
        // are left alone.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw()));
            for instruction in self.instructions() {
                let ty = LLVMTypeOf(instruction);
                if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMIntegerTypeKind {
                    continue;
                }
                match LLVMGetInstructionOpcode(instruction) {
                    LLVMOpcode::LLVMShl | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr => {
                        let by = LLVMGetOperand(instruction, 1);
                        if also_variable_counts || !LLVMIsAConstantInt(by).is_null() {
                            define_shift(builder, instruction);
                        }
                    }
                    LLVMOpcode::LLVMSDiv if LLVMGetExact(instruction) != 0 => {
                        let by = LLVMGetOperand(instruction, 1);
                        let is_small = LLVMGetIntTypeWidth(ty) <= 64;
                        let is_shift = is_small
                            && !LLVMIsAConstantInt(by).is_null()
                            && is_power_of_two(
                                LLVMConstIntGetZExtValue(by),
                                LLVMGetIntTypeWidth(ty),
                            );
                        LLVMSetExact(instruction, i32::from(is_shift));
                    }
                    _ => {}
                }
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Whether some shift has a constant count that is the width or more. An optimiser may do
    /// anything with such a shift, and so treat it differently in two programs.
    pub fn shifts_too_far(&self) -> bool {
        self.instructions().into_iter().any(is_too_far)
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

/// Whether a number of `width` bits is a positive power of two. The highest bit alone is negative.
fn is_power_of_two(number: u64, width: u32) -> bool {
    number.is_power_of_two() && number.trailing_zeros() + 1 < width
}

/// Gives one shift of an integer the meaning that [`Editor::define_arithmetic`] describes.
///
/// # Safety
/// `instruction` must be such a shift, and `builder` must belong to its context.
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

/// Whether this instruction shifts an integer by a constant that is its width or more.
fn is_too_far(instruction: LLVMValueRef) -> bool {
    // SAFETY: operands and widths are only requested of shifts of integers.
    unsafe {
        let is_shift = matches!(
            LLVMGetInstructionOpcode(instruction),
            LLVMOpcode::LLVMShl | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr
        );
        let ty = LLVMTypeOf(instruction);
        if !is_shift || LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMIntegerTypeKind {
            return false;
        }
        let by = LLVMGetOperand(instruction, 1);
        let width = LLVMGetIntTypeWidth(ty);
        if LLVMIsAConstantInt(by).is_null() {
            return false;
        }
        // The low bits alone do not determine a count with more bits.
        let low = LLVMConstTrunc(by, LLVMIntTypeInContext(LLVMGetTypeContext(ty), width.min(64)));
        let is_wide = LLVMConstIntGetZExtValue(low) >= u64::from(width);
        is_wide
            || LLVMIsNull(LLVMConstSub(by, LLVMConstInt(ty, LLVMConstIntGetZExtValue(low), 0))) == 0
    }
}

#[cfg(test)]
mod tests {
    use inkwell::{context::Context, memory_buffer::MemoryBuffer};

    use super::*;

    /// The result for these instructions on `%x` and `%n`, and whether one of them shifted too far.
    fn defined(body: &str) -> (String, bool) {
        let context = Context::create();
        let text = format!("define i32 @f(i32 %x, i32 %n) {{\n{body}\nret i32 %r\n}}\n");
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "f");
        let module = context.create_module_from_ir(buffer).expect("well formed");
        let editor = Editor::new(&module);
        let was_too_far = editor.shifts_too_far();
        editor.define_arithmetic();
        (module.print_to_string().to_string(), was_too_far)
    }

    #[test]
    fn counts_are_taken_modulo_the_width() {
        for (before, after, is_too_far) in [
            ("%r = shl i32 %x, 31", "%r = shl i32 %x, 31", false),
            ("%r = ashr i32 %x, 33", "%r = ashr i32 %x, 1", true),
            ("%r = lshr i32 %x, %n", "and i32 %n, 31", false),
            (
                "%a = zext i32 %x to i40\n%b = shl i40 %a, 50\n%r = trunc i40 %b to i32",
                "shl i40 0, 0",
                true,
            ),
            (
                "%a = zext i32 %x to i128\n%b = lshr i128 %a, 130\n%r = trunc i128 %b to i32",
                "lshr i128 %a, 2",
                true,
            ),
            (
                "%a = zext i32 %x to i128\n%b = lshr i128 %a, 18446744073709551618\n\
                 %r = trunc i128 %b to i32",
                "lshr i128 %a, 2",
                true,
            ),
            (
                "%a = trunc i32 %x to i7\n%b = ashr i7 %a, 9\n%r = sext i7 %b to i32",
                "ashr i7 %a, 6",
                true,
            ),
        ] {
            let (text, was_too_far) = defined(before);
            assert!(text.contains(after), "{before}: {text}");
            assert_eq!(was_too_far, is_too_far, "{before}");
        }
    }

    #[test]
    fn only_divisions_by_powers_of_two_may_claim_to_be_exact() {
        let (text, _) = defined("%a = sdiv exact i32 %x, 4\n%r = sdiv exact i32 %a, 12");
        assert!(text.contains("%a = sdiv exact i32 %x, 4"), "{text}");
        assert!(text.contains("%r = sdiv i32 %a, 12"), "{text}");
    }
}
