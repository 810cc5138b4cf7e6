//! Values: constants, symbols and instructions.
#![allow(unsafe_code)]

use std::{iter, marker::PhantomData};

use inkwell::llvm_sys::{LLVMUnnamedAddr, core::*, debuginfo::*};

use super::{
    Block, IntPredicate, Linkage, Metadata, Opcode, RealPredicate, RmwOp, Type, TypeKind, Value,
    chain, owned, section, text,
};

macro_rules! is_a {
    ($($(#[$doc:meta])* $name:ident = $test:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(self) -> bool {
            // SAFETY: this only checks the kind of a live value.
            unsafe { !$test(self.0).is_null() }
        })*
    };
}

impl<'m> Value<'m> {
    is_a! {
        /// Any constant, including global symbols.
        is_constant = LLVMIsAConstant;
        /// An integer literal.
        is_int = LLVMIsAConstantInt;
        /// A floating-point literal.
        is_float = LLVMIsAConstantFP;
        /// A constant expression.
        is_expression = LLVMIsAConstantExpr;
        /// A constant array or vector of plain numbers.
        is_data = LLVMIsAConstantDataSequential;
        /// The address of a label.
        is_block_address = LLVMIsABlockAddress;
        /// A function.
        is_function = LLVMIsAFunction;
        /// A global variable.
        is_global = LLVMIsAGlobalVariable;
        /// Another name of a global symbol.
        is_alias = LLVMIsAGlobalAlias;
        /// A function chosen at load time.
        is_ifunc = LLVMIsAGlobalIFunc;
        /// An instruction.
        is_instruction = LLVMIsAInstruction;
        /// A call instruction.
        is_call = LLVMIsACallInst;
        /// Inline assembly.
        is_asm = LLVMIsAInlineAsm;
    }

    /// An opaque number that is equal only for equal values.
    pub fn key(self) -> usize {
        self.0 as usize
    }

    /// The type of the value.
    pub fn ty(self) -> Type<'m> {
        Type(unsafe { LLVMTypeOf(self.0) }, PhantomData)
    }

    /// The name of the value; empty if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the name lives in the value.
        unsafe { text(LLVMGetValueName2(self.0, &mut length), length) }
    }

    /// Whether the value is undefined, which includes poison.
    pub fn is_undefined(self) -> bool {
        unsafe { LLVMIsUndef(self.0) != 0 }
    }

    /// Whether the value is poison.
    pub fn is_poison(self) -> bool {
        unsafe { LLVMIsPoison(self.0) != 0 }
    }

    /// The index of a parameter in its function; `None` for any other value.
    pub fn parameter_index(self) -> Option<u32> {
        // SAFETY: the kind is checked first; the parameters of a function are a chain.
        unsafe {
            if LLVMIsAArgument(self.0).is_null() {
                return None;
            }
            let before = std::iter::successors(Some(self.0), |at| {
                let before = LLVMGetPreviousParam(*at);
                (!before.is_null()).then_some(before)
            });
            Some(before.count() as u32 - 1)
        }
    }

    /// Whether all bits are zero.
    pub fn is_zero(self) -> bool {
        self.is_constant() && unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// The operands of an instruction or constant.
    pub fn operands(self) -> impl ExactSizeIterator<Item = Value<'m>> {
        let count = unsafe { LLVMGetNumOperands(self.0) };
        (0..u32::try_from(count).unwrap_or(0)).map(move |i| self.operand(i))
    }

    /// The number of operands.
    pub fn operand_count(self) -> u32 {
        u32::try_from(unsafe { LLVMGetNumOperands(self.0) }).unwrap_or(0)
    }

    /// The operand at `index`.
    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        Self(unsafe { LLVMGetOperand(self.0, index) }, PhantomData)
    }

    /// The instructions and constants that use the value (debug information does not count).
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        let first = unsafe { LLVMGetFirstUse(self.0) };
        let uses = std::iter::successors((!first.is_null()).then_some(first), |at| {
            let next = unsafe { LLVMGetNextUse(*at) };
            (!next.is_null()).then_some(next)
        });
        uses.map(|at| Value(unsafe { LLVMGetUser(at) }, PhantomData))
    }

    /// LLVM's text of a constant or instruction.
    pub fn print(self) -> String {
        // SAFETY: LLVM makes a string that is freed there.
        unsafe { owned(LLVMPrintValueToString(self.0)) }
    }
}

/// Constants and global symbols.
impl<'m> Value<'m> {
    /// The value of an integer literal of at most 64 bits.
    pub fn int(self) -> u64 {
        assert!(self.is_int() && self.ty().int_width() <= 64);
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// The bits of a floating-point literal as an integer literal.
    pub fn float_bits(self, width: u32) -> Option<Value<'m>> {
        assert!(self.is_float());
        // SAFETY: both types live in the same context; folding a literal changes nothing.
        let cast = unsafe {
            let context = LLVMGetTypeContext(self.ty().0);
            LLVMConstBitCast(self.0, LLVMIntTypeInContext(context, width))
        };
        Value::new(cast).filter(|v| v.is_int())
    }

    /// An element of a constant aggregate.
    pub fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        assert!(self.is_constant());
        Value::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// The content of a constant array of bytes.
    pub fn data_bytes(self) -> Option<&'m [u8]> {
        let ty = self.ty();
        let bytes = self.is_data()
            && ty.kind() == TypeKind::LLVMArrayTypeKind
            && ty.element().kind() == TypeKind::LLVMIntegerTypeKind
            && ty.element().int_width() == 8;
        bytes.then(|| {
            let mut length = 0;
            // SAFETY: it is an array of bytes, whose storage belongs to the context.
            unsafe {
                let data = LLVMGetAsString(self.0, &mut length);
                std::slice::from_raw_parts(data.cast(), length)
            }
        })
    }

    /// The operation of a constant expression.
    pub fn expression_opcode(self) -> Opcode {
        assert!(self.is_expression());
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// The function and the label that the address of a label refers to.
    pub fn block_address(self) -> (Value<'m>, Block<'m>) {
        assert!(self.is_block_address());
        unsafe {
            (
                Value(LLVMGetBlockAddressFunction(self.0), PhantomData),
                Block(LLVMGetBlockAddressBasicBlock(self.0), PhantomData),
            )
        }
    }

    /// The target of an alias.
    pub fn aliasee(self) -> Value<'m> {
        assert!(self.is_alias());
        Self(unsafe { LLVMAliasGetAliasee(self.0) }, PhantomData)
    }

    pub(super) fn is_symbol(self) -> bool {
        self.is_function() || self.is_global() || self.is_alias() || self.is_ifunc()
    }

    /// The type of the object that a global symbol names.
    pub fn symbol_type(self) -> Type<'m> {
        assert!(self.is_symbol());
        Type(unsafe { LLVMGlobalGetValueType(self.0) }, PhantomData)
    }

    /// The linkage of a global symbol.
    pub fn linkage(self) -> Linkage {
        assert!(self.is_symbol());
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Whether a global symbol has no definition.
    pub fn is_declaration(self) -> bool {
        assert!(self.is_symbol());
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Whether a function has the text attribute with this name.
    pub fn has_attribute(self, name: &str) -> bool {
        assert!(self.is_function());
        let (text, length) = (name.as_ptr().cast(), name.len() as u32);
        let place = inkwell::llvm_sys::LLVMAttributeFunctionIndex;
        !unsafe { LLVMGetStringAttributeAtIndex(self.0, place, text, length) }.is_null()
    }

    /// The alignment in bytes that a global variable or an `alloca` is known to have.
    pub fn alignment(self) -> u32 {
        assert!(self.is_global() || self.opcode() == Opcode::LLVMAlloca);
        unsafe { LLVMGetAlignment(self.0) }.max(1)
    }

    /// Whether a global variable may not be written: it is a constant, and its source does not put
    /// it into a writable section.
    pub fn is_read_only(self) -> bool {
        assert!(self.is_global());
        let section = section(self.0).unwrap_or_default();
        let is_written = [".data", ".bss", ".tdata"].iter().any(|name| section.starts_with(name))
            && !section.starts_with(".data.rel.ro");
        unsafe { LLVMIsGlobalConstant(self.0) != 0 && !is_written }
    }

    /// The initial value of a global variable.
    pub fn initializer(self) -> Option<Value<'m>> {
        assert!(self.is_global());
        Value::new(unsafe { LLVMGetInitializer(self.0) })
    }

    /// The parameters of a function.
    pub fn params(self) -> Vec<Value<'m>> {
        assert!(self.is_function());
        let count = unsafe { LLVMCountParams(self.0) };
        (0..count).map(|i| Self(unsafe { LLVMGetParam(self.0, i) }, PhantomData)).collect()
    }

    /// The basic blocks of a function, the entry first.
    pub fn blocks(self) -> impl Iterator<Item = Block<'m>> {
        assert!(self.is_function());
        chain(Block::new(unsafe { LLVMGetFirstBasicBlock(self.0) }), |b: Block<'m>| {
            Block::new(unsafe { LLVMGetNextBasicBlock(b.0) })
        })
    }

    /// The debug information of a function.
    pub fn subprogram(self) -> Option<Metadata<'m>> {
        assert!(self.is_function());
        Metadata::new(unsafe { LLVMGetSubprogram(self.0) })
    }
}

/// Symbols, as seen from outside.
impl<'m> Value<'m> {
    /// Whether only the content of a symbol matters, not its address.
    pub fn is_unnamed(self) -> bool {
        assert!(self.is_symbol());
        unsafe { LLVMGetUnnamedAddress(self.0) == LLVMUnnamedAddr::LLVMGlobalUnnamedAddr }
    }

    /// Whether a function or global variable is visible only in its module.
    pub fn is_local(self) -> bool {
        matches!(self.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage)
    }

    /// Whether a symbol need not be defined anywhere.
    pub fn is_optional(self) -> bool {
        self.linkage() == Linkage::LLVMExternalWeakLinkage
    }
}

/// Instructions.
impl<'m> Value<'m> {
    /// The operation of an instruction.
    pub fn opcode(self) -> Opcode {
        assert!(self.is_instruction());
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub(super) fn expect(self, opcode: Opcode) {
        assert!(self.opcode() == opcode, "{:?} is no {opcode:?}", self.opcode());
    }

    /// The block that contains an instruction.
    pub fn parent(self) -> Block<'m> {
        assert!(self.is_instruction());
        Block(unsafe { LLVMGetInstructionParent(self.0) }, PhantomData)
    }

    /// The number of bits by which a division shifts. Its divisor must be a power of two, and it
    /// must claim to leave no remainder. The code generator turns it into an arithmetic shift,
    /// which rounds down if the claim is wrong.
    pub fn exact_shift(self) -> Option<u32> {
        self.expect(Opcode::LLVMSDiv);
        let by = self.operand(1);
        if unsafe { LLVMGetExact(self.0) } == 0 || !by.is_int() || by.ty().int_width() > 64 {
            return None;
        }
        // The highest bit alone is a negative number.
        let is_positive = by.int().trailing_zeros() + 1 < by.ty().int_width();
        (by.int().is_power_of_two() && is_positive).then(|| by.int().trailing_zeros())
    }

    /// The predicate of an integer comparison.
    pub fn int_predicate(self) -> IntPredicate {
        self.expect(Opcode::LLVMICmp);
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// The predicate of a floating-point comparison.
    pub fn real_predicate(self) -> RealPredicate {
        self.expect(Opcode::LLVMFCmp);
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// The type that an `alloca` allocates.
    pub fn allocated_type(self) -> Type<'m> {
        self.expect(Opcode::LLVMAlloca);
        Type(unsafe { LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// The type that a `getelementptr` (instruction or constant) walks.
    pub fn element_source(self) -> Type<'m> {
        assert!(if self.is_expression() {
            self.expression_opcode() == Opcode::LLVMGetElementPtr
        } else {
            self.opcode() == Opcode::LLVMGetElementPtr
        });
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) }, PhantomData)
    }

    /// Whether a `load` or `store` is volatile.
    pub fn is_volatile(self) -> bool {
        assert!(matches!(self.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore));
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// The operation of an `atomicrmw`.
    pub fn rmw_op(self) -> RmwOp {
        self.expect(Opcode::LLVMAtomicRMW);
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// The indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), Opcode::LLVMExtractValue | Opcode::LLVMInsertValue));
        // SAFETY: LLVM keeps as many indices as it counts.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// The mask of a `shufflevector`, with `None` for undefined elements.
    pub fn mask(self) -> Vec<Option<u32>> {
        self.expect(Opcode::LLVMShuffleVector);
        let count = unsafe { LLVMGetNumMaskElements(self.0) };
        (0..count).map(|i| u32::try_from(unsafe { LLVMGetMaskValue(self.0, i) }).ok()).collect()
    }

    /// The callee of a call.
    pub fn callee(self) -> Value<'m> {
        assert!(self.is_call());
        Self(unsafe { LLVMGetCalledValue(self.0) }, PhantomData)
    }

    /// Whether a call may return more than once, as that of `setjmp` may.
    pub fn may_return_twice(self) -> bool {
        const NAME: &str = "returns_twice";
        let (callee, place) = (self.callee(), inkwell::llvm_sys::LLVMAttributeFunctionIndex);
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            !LLVMGetCallSiteEnumAttribute(self.0, place, kind).is_null()
                || callee.is_function()
                    && !LLVMGetEnumAttributeAtIndex(callee.0, place, kind).is_null()
        }
    }

    /// The function type of a call.
    pub fn call_type(self) -> Type<'m> {
        assert!(self.is_call());
        Type(unsafe { LLVMGetCalledFunctionType(self.0) }, PhantomData)
    }

    /// The arguments of a call.
    pub fn arguments(self) -> Vec<Value<'m>> {
        assert!(self.is_call());
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| self.operand(i)).collect()
    }

    /// The arguments of a call that are values, not metadata.
    pub fn values(self) -> Vec<Value<'m>> {
        let mut arguments = self.arguments();
        arguments.retain(|argument| argument.ty().kind() != TypeKind::LLVMMetadataTypeKind);
        arguments
    }

    /// The text of a metadata string.
    pub fn metadata_text(self) -> Option<String> {
        if self.ty().kind() != TypeKind::LLVMMetadataTypeKind {
            return None;
        }
        let mut length = 0;
        // SAFETY: it is metadata; anything but a string gives null.
        let data = unsafe { LLVMGetMDString(self.0, &mut length) };
        (!data.is_null()).then(|| unsafe { text(data, length as usize) })
    }

    /// The text and the constraints of inline assembly.
    pub fn asm(self) -> (String, String) {
        assert!(self.is_asm());
        let (mut code, mut constraints) = (0, 0);
        // SAFETY: the strings live in the value.
        unsafe {
            let data = LLVMGetInlineAsmAsmString(self.0, &mut code);
            let more = LLVMGetInlineAsmConstraintString(self.0, &mut constraints);
            (text(data, code), text(more, constraints))
        }
    }

    /// The blocks that a terminator can lead to.
    pub fn successors(self) -> Vec<Block<'m>> {
        assert!(unsafe { !LLVMIsATerminatorInst(self.0).is_null() });
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|i| Block(unsafe { LLVMGetSuccessor(self.0, i) }, PhantomData))
            .collect()
    }

    /// The incoming values of a `phi`, each with the block that it comes from.
    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        self.expect(Opcode::LLVMPHI);
        (0..unsafe { LLVMCountIncoming(self.0) })
            .map(|i| unsafe {
                (
                    Value(LLVMGetIncomingValue(self.0, i), PhantomData),
                    Block(LLVMGetIncomingBlock(self.0, i), PhantomData),
                )
            })
            .collect()
    }

    /// The debug locations of an instruction, each a scope and a line. The first is that of the
    /// instruction. If its function was inlined, the next is that of the replaced call, and so on.
    pub fn locations(self) -> impl Iterator<Item = (Metadata<'m>, u32)> {
        assert!(self.is_instruction());
        let own = Metadata::new(unsafe { LLVMInstructionGetDebugLoc(self.0) });
        let outer = |location: &Metadata<'m>| {
            Metadata::new(unsafe { LLVMDILocationGetInlinedAt(location.0) })
        };
        iter::successors(own, outer).filter_map(|location| {
            let scope = Metadata::new(unsafe { LLVMDILocationGetScope(location.0) })?;
            Some((scope, unsafe { LLVMDILocationGetLine(location.0) }))
        })
    }

    /// The condition of a conditional branch.
    pub fn condition(self) -> Option<Value<'m>> {
        self.expect(Opcode::LLVMBr);
        unsafe {
            (LLVMIsConditional(self.0) != 0).then(|| Self(LLVMGetCondition(self.0), PhantomData))
        }
    }

    /// The case values of a `switch` and their targets. The default target is the first of
    /// [`Value::successors`].
    pub fn cases(self) -> Vec<(Value<'m>, Block<'m>)> {
        self.expect(Opcode::LLVMSwitch);
        let successors = self.successors();
        successors
            .into_iter()
            .skip(1)
            .enumerate()
            .map(|(i, to)| (self.operand(2 + 2 * i as u32), to))
            .collect()
    }
}
