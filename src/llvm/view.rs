//! A safe, read-only view of LLVM's C API, as far as lowering and comparing need it.
//!
//! Handles are plain pointers into a module that is never changed while they live: the lifetime
//! `'m` is that of the borrow of the module. Functions of the C API that cast without checking are
//! guarded here by a test of the kind of value.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
pub use inkwell::llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMLinkage as Linkage,
    LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind,
};
use inkwell::llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex, LLVMUnnamedAddr,
};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub struct $name<'m>($raw, PhantomData<&'m ()>);

        impl $name<'_> {
            fn new(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some(Self(raw, PhantomData))
            }
        }
    };
}

handle!(/// Anything that can be an operand.
    Value, LLVMValueRef);
handle!(/// A type.
    Type, LLVMTypeRef);
handle!(/// A basic block.
    Block, LLVMBasicBlockRef);
handle!(/// A node of the debug information.
    Metadata, LLVMMetadataRef);

/// Bytes that LLVM holds, as text.
///
/// # Safety
/// `data` must be null or point to `length` bytes.
unsafe fn text(data: *const c_char, length: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises the bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A parsed module and its data layout.
#[derive(Clone, Copy)]
pub struct Source<'m> {
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    byval: u32,
    element: u32,
    borrow: PhantomData<&'m ()>,
}

fn chain<T: Copy>(first: Option<T>, next: impl Fn(T) -> Option<T>) -> impl Iterator<Item = T> {
    std::iter::successors(first, move |item| next(*item))
}

// SAFETY of every call below: the module outlives `'m`, and so do the lists, types and
// strings that LLVM keeps in it or in its context.
impl<'m> Source<'m> {
    /// The view of `module`.
    pub fn new(module: &'m inkwell::module::Module<'_>) -> Self {
        let raw = module.as_mut_ptr();
        // SAFETY: the name is read at once.
        let kind = |name: &str| unsafe {
            LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len())
        };
        let (byval, element) = (kind("byval"), kind("elementtype"));
        // SAFETY: the layout lives in the module.
        let layout = unsafe { LLVMGetModuleDataLayout(raw) };
        Self { module: raw, layout, byval, element, borrow: PhantomData }
    }

    /// The type of a function of that name.
    pub fn function_shape(self, name: &str) -> Option<String> {
        let function = self.functions().find(|function| function.name() == name)?;
        Some(function.symbol_type().shape())
    }

    /// The size of a pointer in bytes.
    pub fn pointer_size(self) -> u32 {
        unsafe { LLVMPointerSize(self.layout) }
    }

    /// Whether the first byte in memory is the lowest.
    pub fn little_endian(self) -> bool {
        unsafe { LLVMByteOrder(self.layout) == LLVMByteOrdering::LLVMLittleEndian }
    }

    /// The functions, declarations too.
    pub fn functions(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstFunction(self.module) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextFunction(v.0) })
        })
    }

    /// The global variables, declarations too.
    pub fn globals(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstGlobal(self.module) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextGlobal(v.0) })
        })
    }

    /// The indirect functions.
    pub fn ifuncs(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstGlobalIFunc(self.module) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextGlobalIFunc(v.0) })
        })
    }

    /// The distance in bytes of neighbouring elements of an array of `ty`; `None` if the size of
    /// the type is not known here.
    pub fn size(self, ty: Type<'m>) -> Option<u64> {
        ty.has_size().then(|| unsafe { LLVMABISizeOfType(self.layout, ty.0) })
    }

    /// Byte offset of a field.
    pub fn offset(self, structure: Type<'m>, field: u32) -> u64 {
        assert!(structure.kind() == TypeKind::LLVMStructTypeKind && field < structure.fields());
        unsafe { LLVMOffsetOfElement(self.layout, structure.0, field) }
    }

    /// The type of the object of which argument `index` passes a copy.
    pub fn byval(self, call: Value<'m>, index: u32) -> Option<Type<'m>> {
        Self::type_attribute(call, index, self.byval)
    }

    /// The type that argument `index` of an intrinsic or of assembly points to.
    pub fn element_type(self, call: Value<'m>, index: u32) -> Option<Type<'m>> {
        Self::type_attribute(call, index, self.element)
    }

    fn type_attribute(call: Value<'m>, index: u32, kind: u32) -> Option<Type<'m>> {
        assert!(call.is_call());
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(call.0, index + 1, kind);
            if attribute.is_null() { None } else { Type::new(LLVMGetTypeAttributeValue(attribute)) }
        }
    }
}

impl<'m> Type<'m> {
    /// Its kind.
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Bits of an integer type.
    pub fn int_width(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMIntegerTypeKind);
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Address space of a pointer type; those from 256 on are relative to a segment register.
    pub fn address_space(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMPointerTypeKind);
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    /// Number of fields of a struct type.
    pub fn fields(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMStructTypeKind);
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// Type of a field of a struct type.
    pub fn field(self, index: u32) -> Type<'m> {
        assert!(index < self.fields());
        Self(unsafe { LLVMStructGetTypeAtIndex(self.0, index) }, PhantomData)
    }

    /// Element type of an array or vector type.
    pub fn element(self) -> Type<'m> {
        assert!(matches!(
            self.kind(),
            TypeKind::LLVMArrayTypeKind
                | TypeKind::LLVMVectorTypeKind
                | TypeKind::LLVMScalableVectorTypeKind
        ));
        Self(unsafe { LLVMGetElementType(self.0) }, PhantomData)
    }

    /// Number of elements of an array or (fixed) vector type.
    pub fn length(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => unsafe { LLVMGetArrayLength2(self.0) },
            TypeKind::LLVMVectorTypeKind => u64::from(unsafe { LLVMGetVectorSize(self.0) }),
            kind => panic!("length of {kind:?}"),
        }
    }

    /// Return type of a function type.
    pub fn returned(self) -> Type<'m> {
        assert!(self.kind() == TypeKind::LLVMFunctionTypeKind);
        Self(unsafe { LLVMGetReturnType(self.0) }, PhantomData)
    }

    /// Parameter types of a function type.
    pub fn params(self) -> Vec<Type<'m>> {
        assert!(self.kind() == TypeKind::LLVMFunctionTypeKind);
        let count = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        unsafe { LLVMGetParamTypes(self.0, raw.as_mut_ptr()) };
        raw.into_iter().map(|raw| Self(raw, PhantomData)).collect()
    }

    /// Whether a function type takes further arguments.
    pub fn variadic(self) -> bool {
        assert!(self.kind() == TypeKind::LLVMFunctionTypeKind);
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    fn has_size(self) -> bool {
        match self.kind() {
            TypeKind::LLVMScalableVectorTypeKind => false,
            TypeKind::LLVMArrayTypeKind => self.element().has_size(),
            TypeKind::LLVMStructTypeKind => {
                (unsafe { LLVMTypeIsSized(self.0) } != 0)
                    && (0..self.fields()).all(|i| self.field(i).has_size())
            }
            _ => unsafe { LLVMTypeIsSized(self.0) != 0 },
        }
    }
}

impl Type<'_> {
    /// LLVM's text, but with the fields of structures in place of their names: these depend on what
    /// else was read into the context.
    pub fn shape(self) -> String {
        match self.kind() {
            TypeKind::LLVMStructTypeKind if unsafe { LLVMIsOpaqueStruct(self.0) } != 0 => {
                "opaque".to_owned()
            }
            TypeKind::LLVMStructTypeKind => {
                let fields: Vec<String> =
                    (0..self.fields()).map(|field| self.field(field).shape()).collect();
                let fields = fields.join(", ");
                let packed = unsafe { LLVMIsPackedStruct(self.0) } != 0;
                if packed { format!("<{{{fields}}}>") } else { format!("{{{fields}}}") }
            }
            TypeKind::LLVMArrayTypeKind => {
                format!("[{} x {}]", self.length(), self.element().shape())
            }
            TypeKind::LLVMFunctionTypeKind => {
                let params: Vec<String> = self.params().into_iter().map(Type::shape).collect();
                let more = if self.variadic() { ", ..." } else { "" };
                format!("{} ({}{more})", self.returned().shape(), params.join(", "))
            }
            _ => self.to_string(),
        }
    }
}

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: LLVM makes a string that is freed here.
        let printed = unsafe { owned(LLVMPrintTypeToString(self.0)) };
        f.write_str(&printed)
    }
}

/// Takes a message that LLVM allocated.
///
/// # Safety
/// `raw` must be a string that LLVM hands over.
unsafe fn owned(raw: *mut c_char) -> String {
    // SAFETY: the caller promises a terminated string that nobody else frees.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

macro_rules! is_a {
    ($($(#[$doc:meta])* $name:ident = $test:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(self) -> bool {
            // SAFETY: looks at the kind of a live value.
            unsafe { !$test(self.0).is_null() }
        })*
    };
}

impl<'m> Value<'m> {
    is_a! {
        /// Any constant, global symbols too.
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

    /// An opaque number, equal for equal values only.
    pub fn key(self) -> usize {
        self.0 as usize
    }

    /// Its type.
    pub fn ty(self) -> Type<'m> {
        Type(unsafe { LLVMTypeOf(self.0) }, PhantomData)
    }

    /// Its name, empty when it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the name lives in the value.
        unsafe { text(LLVMGetValueName2(self.0, &mut length), length) }
    }

    /// Undefined, which includes poison.
    pub fn is_undefined(self) -> bool {
        unsafe { LLVMIsUndef(self.0) != 0 }
    }

    /// Poison.
    pub fn is_poison(self) -> bool {
        unsafe { LLVMIsPoison(self.0) != 0 }
    }

    /// The index of a parameter in its function; `None` for any other value.
    pub fn parameter_index(self) -> Option<u32> {
        // SAFETY: looks at the kind first; the parameters of a function are a chain.
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

    /// All bits zero.
    pub fn is_zero(self) -> bool {
        self.is_constant() && unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// The operands of an instruction or constant.
    pub fn operands(self) -> impl ExactSizeIterator<Item = Value<'m>> {
        let count = unsafe { LLVMGetNumOperands(self.0) };
        (0..u32::try_from(count).unwrap_or(0)).map(move |i| self.operand(i))
    }

    /// Number of operands.
    pub fn operand_count(self) -> u32 {
        u32::try_from(unsafe { LLVMGetNumOperands(self.0) }).unwrap_or(0)
    }

    /// One operand.
    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        Self(unsafe { LLVMGetOperand(self.0, index) }, PhantomData)
    }

    /// The instructions and constants that use it (debug information does not count).
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
    /// Value of an integer literal of at most 64 bits.
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

    /// Operation of a constant expression.
    pub fn expression_opcode(self) -> Opcode {
        assert!(self.is_expression());
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// Function and label of the address of a label.
    pub fn block_address(self) -> (Value<'m>, Block<'m>) {
        assert!(self.is_block_address());
        unsafe {
            (
                Value(LLVMGetBlockAddressFunction(self.0), PhantomData),
                Block(LLVMGetBlockAddressBasicBlock(self.0), PhantomData),
            )
        }
    }

    /// What an alias stands for.
    pub fn aliasee(self) -> Value<'m> {
        assert!(self.is_alias());
        Self(unsafe { LLVMAliasGetAliasee(self.0) }, PhantomData)
    }

    fn is_symbol(self) -> bool {
        self.is_function() || self.is_global() || self.is_alias() || self.is_ifunc()
    }

    /// Type of what a global symbol names.
    pub fn symbol_type(self) -> Type<'m> {
        assert!(self.is_symbol());
        Type(unsafe { LLVMGlobalGetValueType(self.0) }, PhantomData)
    }

    /// Linkage of a global symbol.
    pub fn linkage(self) -> Linkage {
        assert!(self.is_symbol());
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// A global symbol without definition.
    pub fn is_declaration(self) -> bool {
        assert!(self.is_symbol());
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Whether a function has the text attribute of that name.
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

    /// A global variable that may not be written.
    pub fn is_read_only(self) -> bool {
        assert!(self.is_global());
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Initial value of a global variable.
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

/// Properties that are compared between symbols and instructions, besides their operands.
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

    /// A symbol that need not be defined anywhere.
    pub fn is_optional(self) -> bool {
        self.linkage() == Linkage::LLVMExternalWeakLinkage
    }

    /// All properties of a function or global variable except name, linkage and content, as text.
    pub fn symbol_shape(self) -> String {
        let mut shape = self.symbol_type().shape();
        // SAFETY: the kind of symbol is looked at first; a section's name lives in the symbol.
        unsafe {
            if self.is_function() {
                shape += &format!(" cc {}", LLVMGetFunctionCallConv(self.0));
                let params = LLVMCountParams(self.0);
                let indices = (LLVMAttributeReturnIndex..=params)
                    .chain(std::iter::once(LLVMAttributeFunctionIndex));
                shape += &attributes(indices, |index, to| match to {
                    Some(to) => {
                        LLVMGetAttributesAtIndex(self.0, index, to);
                        0
                    }
                    None => LLVMGetAttributeCountAtIndex(self.0, index),
                });
                if LLVMHasPersonalityFn(self.0) != 0 || !LLVMGetGC(self.0).is_null() {
                    shape += " unusual";
                }
            } else {
                let constant = self.is_global() && self.is_read_only();
                let local = self.is_global().then(|| LLVMGetThreadLocalMode(self.0) as u32);
                shape += &format!(" constant {constant} thread {local:?}");
                if self.is_global() {
                    shape += &format!(" align {}", LLVMGetAlignment(self.0));
                }
            }
            let section = LLVMGetSection(self.0);
            if !section.is_null() {
                shape += &format!(" in {}", CStr::from_ptr(section).to_string_lossy());
            }
        }
        shape
    }

    /// All properties of an instruction except its operands and successors, as text; `None` for
    /// instructions of which this does not know all properties.
    pub fn shape(self) -> Option<String> {
        use Opcode::*;
        let opcode = self.opcode();
        let mut shape = format!("{opcode:?} {}", self.ty().shape());
        let mut add = |text: String| {
            shape.push(' ');
            shape.push_str(&text);
        };
        // SAFETY: each accessor is called on the kinds of instruction that it is for.
        unsafe {
            match opcode {
                LLVMRet | LLVMBr | LLVMSwitch | LLVMUnreachable | LLVMPHI | LLVMSelect
                | LLVMExtractElement | LLVMInsertElement | LLVMFNeg | LLVMFAdd | LLVMFSub
                | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMAnd | LLVMXor | LLVMURem | LLVMSRem
                | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMSExt | LLVMFPTrunc
                | LLVMFPExt | LLVMFPToUI | LLVMFPToSI | LLVMSIToFP | LLVMAddrSpaceCast
                | LLVMFreeze | LLVMVAArg => {}
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                    if opcode != LLVMTrunc {
                        add(format!("{} {}", LLVMGetNUW(self.0), LLVMGetNSW(self.0)));
                    }
                }
                LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => {
                    add(LLVMGetExact(self.0).to_string());
                }
                LLVMOr => add(LLVMGetIsDisjoint(self.0).to_string()),
                LLVMZExt | LLVMUIToFP => add(LLVMGetNNeg(self.0).to_string()),
                LLVMICmp => add(format!("{:?}", self.int_predicate())),
                LLVMFCmp => add(format!("{:?}", self.real_predicate())),
                LLVMGetElementPtr => {
                    let flags = LLVMGEPGetNoWrapFlags(self.0);
                    add(format!("{} {flags}", self.element_source().shape()));
                }
                LLVMExtractValue | LLVMInsertValue => add(format!("{:?}", self.indices())),
                LLVMShuffleVector => add(format!("{:?}", self.mask())),
                LLVMAlloca => {
                    add(format!("{} {}", self.allocated_type().shape(), self.alignment()));
                }
                LLVMLoad | LLVMStore => {
                    let (volatile, align) = (LLVMGetVolatile(self.0), LLVMGetAlignment(self.0));
                    let ordering = LLVMGetOrdering(self.0) as u32;
                    add(format!("{volatile} {align} {ordering}"));
                    if ordering != 0 {
                        add(LLVMIsAtomicSingleThread(self.0).to_string());
                    }
                }
                LLVMFence => add(format!(
                    "{} {}",
                    LLVMGetOrdering(self.0) as u32,
                    LLVMIsAtomicSingleThread(self.0)
                )),
                LLVMAtomicRMW => add(format!(
                    "{:?} {} {} {} {}",
                    self.rmw_op(),
                    LLVMGetVolatile(self.0),
                    LLVMGetAlignment(self.0),
                    LLVMGetOrdering(self.0) as u32,
                    LLVMIsAtomicSingleThread(self.0)
                )),
                LLVMAtomicCmpXchg => add(format!(
                    "{} {} {} {} {} {}",
                    LLVMGetVolatile(self.0),
                    LLVMGetWeak(self.0),
                    LLVMGetAlignment(self.0),
                    LLVMGetCmpXchgSuccessOrdering(self.0) as u32,
                    LLVMGetCmpXchgFailureOrdering(self.0) as u32,
                    LLVMIsAtomicSingleThread(self.0)
                )),
                LLVMCall => {
                    if LLVMGetNumOperandBundles(self.0) != 0 {
                        return None;
                    }
                    let (ty, cc) = (self.call_type().shape(), LLVMGetInstructionCallConv(self.0));
                    add(format!("{ty} {cc} {}", LLVMGetTailCallKind(self.0) as u32));
                    let count = LLVMGetNumArgOperands(self.0);
                    let indices = (LLVMAttributeReturnIndex..=count)
                        .chain(std::iter::once(LLVMAttributeFunctionIndex));
                    add(attributes(indices, |index, to| match to {
                        Some(to) => {
                            LLVMGetCallSiteAttributes(self.0, index, to);
                            0
                        }
                        None => LLVMGetCallSiteAttributeCount(self.0, index),
                    }));
                }
                _ => return None,
            }
            if LLVMCanValueUseFastMathFlags(self.0) != 0 {
                add(LLVMGetFastMathFlags(self.0).to_string());
            }
        }
        Some(shape)
    }

    /// All properties of a constant expression except its operands, as text.
    pub fn expression_shape(self) -> String {
        let opcode = self.expression_opcode();
        let mut shape = format!("{opcode:?} {}", self.ty().shape());
        if opcode == Opcode::LLVMGetElementPtr {
            // SAFETY: it is a `getelementptr`.
            let flags = unsafe { LLVMGEPGetNoWrapFlags(self.0) };
            shape += &format!(" {} {flags}", self.element_source().shape());
        }
        shape
    }

    /// All properties of inline assembly, as text.
    pub fn asm_shape(self) -> String {
        let (code, constraints) = self.asm();
        // SAFETY: `asm` has checked the kind.
        unsafe {
            format!(
                "{code:?} {constraints:?} {} {} {:?}",
                LLVMGetInlineAsmHasSideEffects(self.0),
                LLVMGetInlineAsmNeedsAlignedStack(self.0),
                LLVMGetInlineAsmDialect(self.0),
            )
        }
    }

    /// The condition of a conditional branch.
    pub fn condition(self) -> Option<Value<'m>> {
        self.expect(Opcode::LLVMBr);
        unsafe {
            (LLVMIsConditional(self.0) != 0).then(|| Self(LLVMGetCondition(self.0), PhantomData))
        }
    }

    /// The case values of a `switch` and where they lead. The default is the first of
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

/// The text of the attributes at some places of a function or call. `get` writes the attributes of
/// a place, or counts them if there is nowhere to write.
///
/// # Safety
/// `get` must write as many attributes as it counts.
unsafe fn attributes(
    indices: impl Iterator<Item = LLVMAttributeIndex>,
    get: impl Fn(LLVMAttributeIndex, Option<*mut LLVMAttributeRef>) -> u32,
) -> String {
    let mut found = String::new();
    for index in indices {
        let count = get(index, None) as usize;
        let mut list: Vec<LLVMAttributeRef> = Vec::with_capacity(count);
        get(index, Some(list.as_mut_ptr()));
        // SAFETY: the caller promises that so many were written.
        let list = unsafe {
            list.set_len(count);
            list
        };
        let mut texts: Vec<String> =
            list.into_iter().map(|raw| unsafe { attribute(raw) }).collect();
        texts.sort_unstable();
        if !texts.is_empty() {
            found += &format!("{index}: {}; ", texts.join(" "));
        }
    }
    found
}

/// # Safety
/// `raw` must be an attribute.
unsafe fn attribute(raw: LLVMAttributeRef) -> String {
    // SAFETY: the kind is asked for before what only that kind has; strings live in the context.
    unsafe {
        if LLVMIsStringAttribute(raw) != 0 {
            let (mut kind, mut value) = (0, 0);
            let name = LLVMGetStringAttributeKind(raw, &mut kind);
            let data = LLVMGetStringAttributeValue(raw, &mut value);
            format!("{}={}", text(name, kind as usize), text(data, value as usize))
        } else if LLVMIsTypeAttribute(raw) != 0 {
            let ty: Type<'_> = Type(LLVMGetTypeAttributeValue(raw), PhantomData);
            format!("{} {}", LLVMGetEnumAttributeKind(raw), ty.shape())
        } else if LLVMIsEnumAttribute(raw) != 0 {
            format!("{} {}", LLVMGetEnumAttributeKind(raw), LLVMGetEnumAttributeValue(raw))
        } else {
            "other".to_owned()
        }
    }
}

/// Instructions.
impl<'m> Value<'m> {
    /// Its operation.
    pub fn opcode(self) -> Opcode {
        assert!(self.is_instruction());
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    fn expect(self, opcode: Opcode) {
        assert!(self.opcode() == opcode, "{:?} is no {opcode:?}", self.opcode());
    }

    /// The block that an instruction is in.
    pub fn parent(self) -> Block<'m> {
        assert!(self.is_instruction());
        Block(unsafe { LLVMGetInstructionParent(self.0) }, PhantomData)
    }

    /// Predicate of an integer comparison.
    pub fn int_predicate(self) -> IntPredicate {
        self.expect(Opcode::LLVMICmp);
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Predicate of a floating-point comparison.
    pub fn real_predicate(self) -> RealPredicate {
        self.expect(Opcode::LLVMFCmp);
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// Type of an `alloca`.
    pub fn allocated_type(self) -> Type<'m> {
        self.expect(Opcode::LLVMAlloca);
        Type(unsafe { LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// Type that a `getelementptr` (instruction or constant) walks.
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

    /// Operation of an `atomicrmw`.
    pub fn rmw_op(self) -> RmwOp {
        self.expect(Opcode::LLVMAtomicRMW);
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), Opcode::LLVMExtractValue | Opcode::LLVMInsertValue));
        // SAFETY: LLVM keeps as many indices as it counts.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Mask of a `shufflevector`, with `None` for undefined elements.
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

    /// Function type of a call.
    pub fn call_type(self) -> Type<'m> {
        assert!(self.is_call());
        Type(unsafe { LLVMGetCalledFunctionType(self.0) }, PhantomData)
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value<'m>> {
        assert!(self.is_call());
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| self.operand(i)).collect()
    }

    /// Its arguments that are values, not metadata.
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
        // SAFETY: it is metadata; what is no string gives null.
        let data = unsafe { LLVMGetMDString(self.0, &mut length) };
        (!data.is_null()).then(|| unsafe { text(data, length as usize) })
    }

    /// Text and constraints of inline assembly.
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

    /// Incoming values of a `phi` and the blocks that they come from.
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

    /// Debug location of an instruction: scope and line.
    pub fn location(self) -> Option<(Metadata<'m>, u32)> {
        assert!(self.is_instruction());
        let location = Metadata::new(unsafe { LLVMInstructionGetDebugLoc(self.0) })?;
        let scope = Metadata::new(unsafe { LLVMDILocationGetScope(location.0) })?;
        Some((scope, unsafe { LLVMDILocationGetLine(location.0) }))
    }
}

impl<'m> Block<'m> {
    /// An opaque number, equal for equal blocks only.
    pub fn key(self) -> usize {
        self.0 as usize
    }

    /// The instructions in order.
    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstInstruction(self.0) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextInstruction(v.0) })
        })
    }

    /// The function that it is a part of.
    pub fn function(self) -> Value<'m> {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) }, PhantomData)
    }

    /// The instruction that ends it; a verified block has one.
    pub fn terminator(self) -> Option<Value<'m>> {
        Value::new(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

impl<'m> Metadata<'m> {
    /// File of a scope (a subprogram, a lexical block).
    pub fn scope_file(self) -> Option<Metadata<'m>> {
        Metadata::new(unsafe { LLVMDIScopeGetFile(self.0) })
    }

    /// Line of a subprogram.
    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// Directory and name of a file.
    pub fn file(self) -> (String, String) {
        let (mut directory, mut name) = (0, 0);
        // SAFETY: the strings live in the context.
        unsafe {
            let from = LLVMDIFileGetDirectory(self.0, &mut directory);
            let data = LLVMDIFileGetFilename(self.0, &mut name);
            (text(from, directory as usize), text(data, name as usize))
        }
    }
}

extern "C" fn ignore(_: LLVMDiagnosticInfoRef, _: *mut std::ffi::c_void) {}

/// Keeps LLVM from writing warnings to stderr, which a library should not do.
pub fn silence(context: &inkwell::context::Context) {
    // SAFETY: the handler is a function that never goes away and uses nothing.
    unsafe {
        LLVMContextSetDiagnosticHandler(context.raw(), Some(ignore), std::ptr::null_mut());
    }
}
