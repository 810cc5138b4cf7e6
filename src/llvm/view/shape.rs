//! Types, symbols, instructions and constant expressions as texts. Texts are equal if these are
//! alike.
#![allow(unsafe_code)]

use std::{ffi::CStr, marker::PhantomData};

use inkwell::llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex, core::*, prelude::*,
};

use super::{Opcode, Type, TypeKind, Value, text};

impl Type<'_> {
    /// LLVM's text, but with the fields of structures instead of their names. The names depend on
    /// what else was read into the context.
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

impl Value<'_> {
    /// All properties of a function or global variable except name, linkage and content, as text.
    pub fn symbol_shape(self) -> String {
        let mut shape = self.symbol_type().shape();
        // SAFETY: the kind of symbol is checked first; a section's name lives in the symbol.
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
    /// instructions whose properties are not all known here.
    pub fn shape(self) -> Option<String> {
        use Opcode::*;
        let opcode = self.opcode();
        let mut shape = format!("{opcode:?} {}", self.ty().shape());
        let mut add = |text: String| {
            shape.push(' ');
            shape.push_str(&text);
        };
        // SAFETY: each accessor is called only on the kinds of instruction that it is for.
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
}

/// The text of the attributes at some places of a function or call. `get` writes the attributes of
/// a place, or counts them if its destination is null.
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
        // SAFETY: the caller promises that this number of attributes was written.
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
    // SAFETY: the kind is checked before properties that only this kind has; strings live in the
    // context.
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
