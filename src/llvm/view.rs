//! A safe, read-only view of the part of LLVM's C API that lowering and comparing need.
//!
//! Handles are plain pointers into a module that is never changed while they live: the lifetime
//! `'m` is that of the borrow of the module. Some functions of the C API cast without checking;
//! here a test of the kind of value guards them.
#![allow(unsafe_code)]

pub(super) mod debug;
mod shape;
mod value;

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

// SAFETY of every call below: the module outlives `'m`, and so do the lists, types and strings that
// LLVM keeps in it or in its context.
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

    /// The type of the function with this name, as text.
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

    /// The functions, including declarations.
    pub fn functions(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstFunction(self.module) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextFunction(v.0) })
        })
    }

    /// The global variables, including declarations.
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

    /// The distance in bytes between neighbouring elements of an array of `ty`; `None` if the size
    /// of the type is unknown.
    pub fn size(self, ty: Type<'m>) -> Option<u64> {
        ty.has_size().then(|| unsafe { LLVMABISizeOfType(self.layout, ty.0) })
    }

    /// The offset of a field in bytes.
    pub fn offset(self, structure: Type<'m>, field: u32) -> u64 {
        assert!(structure.kind() == TypeKind::LLVMStructTypeKind && field < structure.fields());
        unsafe { LLVMOffsetOfElement(self.layout, structure.0, field) }
    }

    /// If argument `index` passes a copy of an object, the type of that object.
    pub fn byval(self, call: Value<'m>, index: u32) -> Option<Type<'m>> {
        Self::type_attribute(call, index, self.byval)
    }

    /// The type that argument `index` of an intrinsic or of inline assembly points to.
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
    /// The kind of the type.
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// The least number of bytes that a value of the type takes.
    pub fn least_size(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMIntegerTypeKind => u64::from(self.int_width()).div_ceil(8),
            TypeKind::LLVMArrayTypeKind => {
                self.length().saturating_mul(self.element().least_size())
            }
            TypeKind::LLVMStructTypeKind => (0..self.fields())
                .map(|index| self.field(index).least_size())
                .fold(0, u64::saturating_add),
            _ => 1,
        }
    }

    /// The width of an integer type in bits.
    pub fn int_width(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMIntegerTypeKind);
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// The address space of a pointer type. Those from 256 on are relative to a segment register.
    pub fn address_space(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMPointerTypeKind);
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    /// The number of fields of a struct type.
    pub fn fields(self) -> u32 {
        assert!(self.kind() == TypeKind::LLVMStructTypeKind);
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// The type of a field of a struct type.
    pub fn field(self, index: u32) -> Type<'m> {
        assert!(index < self.fields());
        Self(unsafe { LLVMStructGetTypeAtIndex(self.0, index) }, PhantomData)
    }

    /// The element type of an array or vector type.
    pub fn element(self) -> Type<'m> {
        assert!(matches!(
            self.kind(),
            TypeKind::LLVMArrayTypeKind
                | TypeKind::LLVMVectorTypeKind
                | TypeKind::LLVMScalableVectorTypeKind
        ));
        Self(unsafe { LLVMGetElementType(self.0) }, PhantomData)
    }

    /// The number of elements of an array or (fixed) vector type.
    pub fn length(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => unsafe { LLVMGetArrayLength2(self.0) },
            TypeKind::LLVMVectorTypeKind => u64::from(unsafe { LLVMGetVectorSize(self.0) }),
            kind => panic!("length of {kind:?}"),
        }
    }

    /// The return type of a function type.
    pub fn returned(self) -> Type<'m> {
        assert!(self.kind() == TypeKind::LLVMFunctionTypeKind);
        Self(unsafe { LLVMGetReturnType(self.0) }, PhantomData)
    }

    /// The parameter types of a function type.
    pub fn params(self) -> Vec<Type<'m>> {
        assert!(self.kind() == TypeKind::LLVMFunctionTypeKind);
        let count = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        unsafe { LLVMGetParamTypes(self.0, raw.as_mut_ptr()) };
        raw.into_iter().map(|raw| Self(raw, PhantomData)).collect()
    }

    /// Whether a function type accepts further arguments.
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

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: LLVM makes a string that is freed here.
        let printed = unsafe { owned(LLVMPrintTypeToString(self.0)) };
        f.write_str(&printed)
    }
}

/// Takes ownership of a message that LLVM allocated.
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

impl<'m> Block<'m> {
    /// An opaque number that is equal only for equal blocks.
    pub fn key(self) -> usize {
        self.0 as usize
    }

    /// The instructions in order.
    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        chain(Value::new(unsafe { LLVMGetFirstInstruction(self.0) }), |v: Value<'m>| {
            Value::new(unsafe { LLVMGetNextInstruction(v.0) })
        })
    }

    /// The function that contains the block.
    pub fn function(self) -> Value<'m> {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) }, PhantomData)
    }

    /// The instruction that ends the block; a verified block has one.
    pub fn terminator(self) -> Option<Value<'m>> {
        Value::new(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

impl<'m> Metadata<'m> {
    /// The file of a scope (a subprogram, a lexical block).
    pub fn scope_file(self) -> Option<Metadata<'m>> {
        Metadata::new(unsafe { LLVMDIScopeGetFile(self.0) })
    }

    /// The line of a subprogram.
    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// The directory and name of a file.
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
    // SAFETY: the handler is a static function that accesses nothing.
    unsafe {
        LLVMContextSetDiagnosticHandler(context.raw(), Some(ignore), std::ptr::null_mut());
    }
}

/// The section of a symbol, if its source names one.
pub(super) fn section(symbol: LLVMValueRef) -> Option<String> {
    // SAFETY: the symbol belongs to a live module, and the name of a section is terminated.
    let name = unsafe {
        let name = LLVMGetSection(symbol);
        (!name.is_null()).then(|| CStr::from_ptr(name))?
    };
    Some(name.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}
