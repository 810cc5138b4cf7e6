//! Changes to modules: names, linkage, dispatch by revision.
//!
//! Symbols are given by name, so that no handle of a [`view`](super::view) survives a change.
#![allow(unsafe_code)]

use std::ffi::CString;

use super::{
    library::ATTRIBUTE,
    view::{Linkage, section},
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::support::{LLVMLoadLibraryPermanently, LLVMSearchForAddressOfSymbol};
use inkwell::llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex, LLVMDLLStorageClass, LLVMOpcode,
    LLVMTypeKind, LLVMVisibility,
};
use inkwell::module::Module;

/// A function that runs in place of another for some revisions.
pub struct Own<'n> {
    /// The name of the function.
    pub function: &'n str,
    /// The revisions for which it runs.
    pub revisions: &'n [u32],
}

/// Whether a library that this process is linked with has a symbol with this name. The C library
/// has the same names in every program.
pub fn is_known_to_this_process(symbol: &str) -> bool {
    // SAFETY: the text is terminated. No library is named, so none is loaded.
    unsafe {
        LLVMLoadLibraryPermanently(std::ptr::null());
        !LLVMSearchForAddressOfSymbol(terminated(symbol).as_ptr()).is_null()
    }
}

/// The prefixes of sections whose content runs before or after `main`.
const RUNNING: [&str; 7] =
    [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors", ".init", ".fini"];

/// Changes one module.
pub struct Editor<'a, 'c>(&'a Module<'c>);

fn terminated(name: &str) -> CString {
    CString::new(name).expect("names of C have no NUL")
}

// SAFETY of every call below: values are looked up by name in a live module right before they are
// used. Accessors are called only on the kinds of values that they are for.
impl<'a, 'c> Editor<'a, 'c> {
    /// An editor of this module.
    pub fn new(module: &'a Module<'c>) -> Self {
        Self(module)
    }

    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.0.as_mut_ptr()
    }

    fn symbol(&self, name: &str) -> Option<LLVMValueRef> {
        let name = terminated(name);
        unsafe {
            let function = LLVMGetNamedFunction(self.raw(), name.as_ptr());
            let value = match function.is_null() {
                true => LLVMGetNamedGlobal(self.raw(), name.as_ptr()),
                false => function,
            };
            (!value.is_null()).then_some(value)
        }
    }

    fn symbols(&self) -> Vec<LLVMValueRef> {
        let mut found = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstFunction(self.raw());
            while !at.is_null() {
                found.push(at);
                at = LLVMGetNextFunction(at);
            }
            at = LLVMGetFirstGlobal(self.raw());
            while !at.is_null() {
                found.push(at);
                at = LLVMGetNextGlobal(at);
            }
        }
        found
    }

    /// Replaces every use of an alias by its target, and frees the alias's name. (The C interface
    /// of LLVM cannot delete an alias, so it stays under another name.)
    pub fn resolve_aliases(&self) {
        unsafe {
            let mut alias = LLVMGetFirstGlobalAlias(self.raw());
            while !alias.is_null() {
                LLVMReplaceAllUsesWith(alias, LLVMAliasGetAliasee(alias));
                LLVMSetLinkage(alias, Linkage::LLVMInternalLinkage);
                let name = c"psychic.alias";
                LLVMSetValueName2(alias, name.as_ptr(), name.count_bytes());
                alias = LLVMGetNextGlobalAlias(alias);
            }
        }
    }

    /// Gives a name to every symbol that has none.
    pub fn name_all(&self) {
        unsafe {
            for symbol in self.symbols() {
                let mut length = 0;
                LLVMGetValueName2(symbol, &mut length);
                if length == 0 {
                    LLVMSetValueName2(symbol, c"unnamed".as_ptr(), 7);
                }
            }
        }
    }

    /// Makes functions that are always inlined local, if their callable definition is in another
    /// module. A linker would drop their code before it is inlined. A function whose address is
    /// taken is left alone, because that address is the one of the other definition.
    pub fn keep_inlined(&self) {
        let name = "alwaysinline";
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            for symbol in self.symbols() {
                if LLVMGetLinkage(symbol) != Linkage::LLVMAvailableExternallyLinkage
                    || LLVMIsAFunction(symbol).is_null()
                    || LLVMGetEnumAttributeAtIndex(symbol, LLVMAttributeFunctionIndex, kind)
                        .is_null()
                {
                    continue;
                }
                let there = |at: LLVMUseRef| (!at.is_null()).then_some(at);
                let first = there(LLVMGetFirstUse(symbol));
                let mut uses = std::iter::successors(first, |at| there(LLVMGetNextUse(*at)));
                let is_called = |at| {
                    let user = LLVMGetUser(at);
                    !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == symbol
                };
                if uses.all(is_called) {
                    LLVMSetLinkage(symbol, Linkage::LLVMInternalLinkage);
                }
            }
        }
    }

    /// Requests to the assembler or linker that the module's code does not show: file-scope
    /// assembly, or a symbol in an unusual section. The entries of such a section run before or
    /// after `main`, or it cannot hold variables. `None` if there are no such requests.
    pub fn beyond_bitcode(&self) -> Option<String> {
        if self.has_assembly() {
            return Some("it has file-scope assembly".to_owned());
        }
        self.symbols().into_iter().find_map(|symbol| {
            let section = section(symbol)?;
            let is_variable = unsafe { !LLVMIsAGlobalVariable(symbol).is_null() };
            let runs = RUNNING.iter().any(|name| section.starts_with(name));
            let is_bad = runs || is_variable && section.starts_with(".text");
            is_bad.then(|| format!("it has something in the section {section}"))
        })
    }

    /// Whether the module has file-scope assembly.
    fn has_assembly(&self) -> bool {
        let mut length = 0;
        unsafe { LLVMGetModuleInlineAsm(self.raw(), &mut length) };
        length > 0
    }

    /// The names that a module shows to the linker. `None` if more than names ties it to other
    /// modules: an alias, module-level assembly, a symbol with a section or group of its own, or
    /// something that runs before `main`.
    pub fn shown_names(&self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        unsafe {
            let is_plain = !self.has_assembly()
                && LLVMGetFirstGlobalAlias(self.raw()).is_null()
                && LLVMGetFirstGlobalIFunc(self.raw()).is_null();
            if !is_plain {
                return None;
            }
            for symbol in self.symbols() {
                if section(symbol).is_some()
                    || !inkwell::llvm_sys::comdat::LLVMGetComdat(symbol).is_null()
                {
                    return None;
                }
                let mut length = 0;
                let name = LLVMGetValueName2(symbol, &mut length);
                let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
                let name = String::from_utf8_lossy(name).into_owned();
                match LLVMGetLinkage(symbol) {
                    _ if LLVMIsDeclaration(symbol) != 0 => {}
                    Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage => {}
                    Linkage::LLVMExternalLinkage
                    | Linkage::LLVMCommonLinkage
                    | Linkage::LLVMWeakAnyLinkage => names.push(name),
                    _ => return None,
                }
            }
        }
        Some(names)
    }

    /// The names of symbols that a module only declares, except LLVM's own.
    pub fn needed_names(&self) -> Vec<String> {
        let mut names = self.names(|symbol| unsafe { LLVMIsDeclaration(symbol) != 0 });
        names.retain(|name| !name.starts_with("llvm."));
        names
    }

    /// The names of the definitions that a module shows to other modules.
    pub fn defined_names(&self) -> Vec<String> {
        self.names(|symbol| unsafe {
            let is_local = matches!(
                LLVMGetLinkage(symbol),
                Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
            );
            LLVMIsDeclaration(symbol) == 0 && !is_local
        })
    }

    /// The names of the symbols for which `is_wanted` returns true.
    fn names(&self, is_wanted: impl Fn(LLVMValueRef) -> bool) -> Vec<String> {
        let name = |symbol: LLVMValueRef| unsafe {
            let mut length = 0;
            let name = LLVMGetValueName2(symbol, &mut length);
            let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
            String::from_utf8_lossy(name).into_owned()
        };
        self.symbols().into_iter().filter(|symbol| is_wanted(*symbol)).map(name).collect()
    }

    /// Gives all visible definitions external linkage. The linker of a whole program has already
    /// chosen among several definitions, so none needs to give way to another.
    pub fn settle(&self) {
        unsafe {
            for symbol in self.symbols() {
                let local = matches!(
                    LLVMGetLinkage(symbol),
                    Linkage::LLVMInternalLinkage
                        | Linkage::LLVMPrivateLinkage
                        | Linkage::LLVMAppendingLinkage
                        | Linkage::LLVMExternalWeakLinkage
                );
                if LLVMIsDeclaration(symbol) == 0 && !local {
                    LLVMSetLinkage(symbol, Linkage::LLVMExternalLinkage);
                }
                inkwell::llvm_sys::comdat::LLVMSetComdat(symbol, std::ptr::null_mut());
            }
        }
    }

    /// Renames a symbol. If another symbol already has the new name, LLVM adds a number to it.
    pub fn rename(&self, from: &str, to: &str) {
        if let Some(symbol) = self.symbol(from) {
            unsafe { LLVMSetValueName2(symbol, to.as_ptr().cast(), to.len()) };
        }
    }

    /// Sets the linkage of a symbol, that is, how other modules see it.
    pub fn set_linkage(&self, name: &str, linkage: Linkage) {
        if let Some(symbol) = self.symbol(name) {
            unsafe {
                LLVMSetVisibility(symbol, LLVMVisibility::LLVMDefaultVisibility);
                LLVMSetDLLStorageClass(symbol, LLVMDLLStorageClass::LLVMDefaultStorageClass);
                LLVMSetLinkage(symbol, linkage);
            }
        }
    }

    /// Sets the linkage of a symbol, if this module defines it.
    pub fn set_linkage_of_definition(&self, name: &str, linkage: Linkage) {
        if self.symbol(name).is_some_and(|symbol| unsafe { LLVMIsDeclaration(symbol) == 0 }) {
            self.set_linkage(name, linkage);
        }
    }

    /// Makes a `main` that returns nothing return 0.
    pub fn define_exit_code(&self) {
        let Some(main) = self.symbol("main") else { return };
        // SAFETY: the value is a symbol of this module.
        let returns_nothing = unsafe {
            !LLVMIsAFunction(main).is_null()
                && LLVMIsDeclaration(main) == 0
                && LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(main)))
                    == LLVMTypeKind::LLVMVoidTypeKind
        };
        if returns_nothing {
            self.widen_main("main");
        }
    }

    /// Renames `main` and adds a new `main` that calls it. The new one has the widest type that
    /// `main` may have, so that programs start alike even if the types of their `main` differ.
    pub fn widen_main(&self, main: &str) {
        let Some(old) = self.symbol(main) else { return };
        self.rename(main, &format!("psychic.{main}"));
        let main = terminated(main);
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let (int, pointer) =
                (LLVMInt32TypeInContext(context), LLVMPointerTypeInContext(context, 0));
            let mut params = [int, pointer, pointer];
            let ty = LLVMFunctionType(int, params.as_mut_ptr(), 3, 0);
            let function = LLVMAddFunction(self.raw(), main.as_ptr(), ty);
            let builder = LLVMCreateBuilderInContext(context);
            let entry = LLVMAppendBasicBlockInContext(context, function, c"entry".as_ptr());
            LLVMPositionBuilderAtEnd(builder, entry);
            let count = LLVMCountParams(old).min(3);
            let mut passed: Vec<_> = (0..count).map(|i| LLVMGetParam(function, i)).collect();
            let ty = LLVMGlobalGetValueType(old);
            let result = LLVMBuildCall2(builder, ty, old, passed.as_mut_ptr(), count, c"".as_ptr());
            let integer = LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMTypeKind::LLVMIntegerTypeKind;
            let kind =
                LLVMGetEnumAttributeKindForName(c"signext".as_ptr(), c"signext".count_bytes());
            let signed =
                !LLVMGetEnumAttributeAtIndex(old, LLVMAttributeReturnIndex, kind).is_null();
            let result = match integer {
                true => LLVMBuildIntCast2(builder, result, int, i32::from(signed), c"".as_ptr()),
                false => LLVMConstNull(int),
            };
            LLVMBuildRet(builder, result);
            LLVMDisposeBuilder(builder);
        }
    }

    /// Replaces the address of `function` by that of `other` wherever it is taken, but not in calls
    /// of `function`. The module may declare `other`, but not define it. Aliases of `function` keep
    /// their target, and labels whose addresses are taken stay those of `function`.
    pub fn take_instead(&self, function: &str, other: &str) {
        let Some(function) = self.symbol(function) else { return };
        let users = users(function);
        // SAFETY: the function and its users are values of this module, and none of them is deleted.
        unsafe {
            let is_label = |user: &&LLVMValueRef| !LLVMIsABlockAddress(**user).is_null();
            let labels: Vec<_> = users.iter().filter(is_label).copied().collect();
            let labels: Vec<_> = labels.into_iter().map(|label| self.put_off(label)).collect();
            let is_call = |user: &&LLVMValueRef| {
                !LLVMIsACallInst(**user).is_null() && LLVMGetCalledValue(**user) == function
            };
            let is_alias = |user: &&LLVMValueRef| !LLVMIsAGlobalAlias(**user).is_null();
            let calls: Vec<_> = users.iter().filter(is_call).collect();
            let aliases: Vec<_> = users.iter().filter(is_alias).collect();
            let declared = self.symbol(other).unwrap_or_else(|| {
                let name = terminated(other);
                LLVMAddFunction(self.raw(), name.as_ptr(), LLVMGlobalGetValueType(function))
            });
            LLVMReplaceAllUsesWith(function, declared);
            for call in calls {
                // The callee is the last operand of a call.
                LLVMSetOperand(*call, LLVMGetNumOperands(*call) as u32 - 1, function);
            }
            for alias in aliases {
                LLVMAliasSetAliasee(*alias, function);
            }
            for (block, instead) in labels {
                LLVMReplaceAllUsesWith(instead, LLVMBlockAddress(function, block));
                LLVMDeleteGlobal(instead);
            }
        }
    }

    /// Puts a variable in place of the address of a label. Returns the label and the variable.
    ///
    /// # Safety
    /// The address must be a constant of this module.
    unsafe fn put_off(&self, label: LLVMValueRef) -> (LLVMBasicBlockRef, LLVMValueRef) {
        // SAFETY: see above.
        unsafe {
            let byte = LLVMInt8TypeInContext(LLVMGetModuleContext(self.raw()));
            let instead = LLVMAddGlobal(self.raw(), byte, c"".as_ptr());
            let block = LLVMGetBlockAddressBasicBlock(label);
            LLVMReplaceAllUsesWith(label, instead);
            (block, instead)
        }
    }

    /// Deletes a global variable that nothing uses.
    pub fn delete_global(&self, name: &str) {
        let name = terminated(name);
        unsafe {
            let global = LLVMGetNamedGlobal(self.raw(), name.as_ptr());
            if !global.is_null() {
                LLVMDeleteGlobal(global);
            }
        }
    }

    /// Makes `function` start with a choice by revision. For the revisions of one of `own`, it
    /// calls that function; for all others it continues as before. All these functions must have
    /// the same type.
    pub fn dispatch(&self, function: &str, own: &[Own<'_>]) {
        let (Some(function), Some(revision)) = (self.symbol(function), self.revision()) else {
            return;
        };
        unsafe {
            // For some revisions it now does something other than the library's function.
            let (attribute, length) = (ATTRIBUTE.as_ptr().cast(), ATTRIBUTE.len() as u32);
            let place = LLVMAttributeFunctionIndex;
            LLVMRemoveStringAttributeAtIndex(function, place, attribute, length);
            let context = LLVMGetModuleContext(self.raw());
            let builder = LLVMCreateBuilderInContext(context);
            let old = LLVMGetEntryBasicBlock(function);
            let entry = LLVMInsertBasicBlockInContext(context, old, c"dispatch".as_ptr());
            LLVMPositionBuilderAtEnd(builder, entry);
            // Keep local variables of a fixed size in the entry block.
            let mut at = LLVMGetFirstInstruction(old);
            while !at.is_null() {
                let next = LLVMGetNextInstruction(at);
                if LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMAlloca
                    && LLVMIsConstant(LLVMGetOperand(at, 0)) != 0
                {
                    LLVMInstructionRemoveFromParent(at);
                    LLVMInsertIntoBuilder(builder, at);
                }
                at = next;
            }
            let scope = LLVMGetSubprogram(function);
            if !scope.is_null() {
                let line = LLVMDISubprogramGetLine(scope);
                let null = std::ptr::null_mut();
                let place = LLVMDIBuilderCreateDebugLocation(context, line, 0, scope, null);
                LLVMSetCurrentDebugLocation2(builder, place);
            }
            let mut none = [];
            let ty = LLVMGlobalGetValueType(revision);
            let number = LLVMBuildCall2(builder, ty, revision, none.as_mut_ptr(), 0, c"".as_ptr());
            let count = own.iter().map(|own| own.revisions.len()).sum::<usize>() as u32;
            let switch = LLVMBuildSwitch(builder, number, old, count);
            for own in own {
                let Some(callee) = self.symbol(own.function) else { continue };
                let arm = LLVMInsertBasicBlockInContext(context, old, c"own".as_ptr());
                for revision in own.revisions {
                    let int = LLVMInt32TypeInContext(context);
                    LLVMAddCase(switch, LLVMConstInt(int, u64::from(*revision), 0), arm);
                }
                LLVMPositionBuilderAtEnd(builder, arm);
                let result = call(builder, callee, function);
                let returned = LLVMGetReturnType(LLVMGlobalGetValueType(function));
                match LLVMGetTypeKind(returned) {
                    LLVMTypeKind::LLVMVoidTypeKind => LLVMBuildRetVoid(builder),
                    _ => LLVMBuildRet(builder, result),
                };
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Adds a function `name` that calls the functions of one list in turn. This is the one of
    /// `lists` for the running revision, or else the first. The function takes the first `passed` of
    /// what the C library passes to constructors (`argc`, `argv` and the environment), and passes it
    /// on to each that has parameters of these types.
    pub fn add_sequences(&self, name: &str, lists: &[(Vec<u32>, Vec<String>)], passed: usize) {
        let Some(revision) = self.revision() else { return };
        let name = terminated(name);
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let builder = LLVMCreateBuilderInContext(context);
            let pointer = LLVMPointerTypeInContext(context, 0);
            let mut given = [LLVMInt32TypeInContext(context), pointer, pointer];
            let given = &mut given[..passed];
            let count = given.len() as u32;
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), given.as_mut_ptr(), count, 0);
            let function = LLVMAddFunction(self.raw(), name.as_ptr(), ty);
            let entry = LLVMAppendBasicBlockInContext(context, function, c"entry".as_ptr());
            LLVMPositionBuilderAtEnd(builder, entry);
            let mut none = [];
            let number_type = LLVMGlobalGetValueType(revision);
            let number = none.as_mut_ptr();
            let number = LLVMBuildCall2(builder, number_type, revision, number, 0, c"".as_ptr());
            let mut switch = None;
            for (revisions, functions) in lists {
                let arm = LLVMAppendBasicBlockInContext(context, function, c"list".as_ptr());
                let switch =
                    *switch.get_or_insert_with(|| LLVMBuildSwitch(builder, number, arm, 0));
                for revision in revisions {
                    let int = LLVMInt32TypeInContext(context);
                    LLVMAddCase(switch, LLVMConstInt(int, u64::from(*revision), 0), arm);
                }
                LLVMPositionBuilderAtEnd(builder, arm);
                for callee in functions.iter().filter_map(|name| self.symbol(name)) {
                    let ty = LLVMGlobalGetValueType(callee);
                    let mut params = vec![std::ptr::null_mut(); LLVMCountParams(callee) as usize];
                    for (index, place) in params.iter_mut().enumerate() {
                        let ty = LLVMTypeOf(LLVMGetParam(callee, index as u32));
                        *place = match given.get(index) {
                            Some(known) if *known == ty => LLVMGetParam(function, index as u32),
                            _ => LLVMConstNull(ty),
                        };
                    }
                    let count = params.len() as u32;
                    LLVMBuildCall2(builder, ty, callee, params.as_mut_ptr(), count, c"".as_ptr());
                }
                LLVMBuildRetVoid(builder);
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Replaces `list` (`llvm.global_ctors` or `llvm.global_dtors`) by a list of one function, with
    /// priority 65535.
    pub fn set_list(&self, list: &str, function: &str) {
        let Some(function) = self.symbol(function) else { return };
        self.delete_global(list);
        let list = terminated(list);
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let pointer = LLVMPointerTypeInContext(context, 0);
            let priority = LLVMConstInt(LLVMInt32TypeInContext(context), 65535, 0);
            let mut fields = [priority, function, LLVMConstNull(pointer)];
            let mut entry = [LLVMConstStructInContext(context, fields.as_mut_ptr(), 3, 0)];
            let array = LLVMConstArray2(LLVMTypeOf(entry[0]), entry.as_mut_ptr(), 1);
            let global = LLVMAddGlobal(self.raw(), LLVMTypeOf(array), list.as_ptr());
            LLVMSetLinkage(global, Linkage::LLVMAppendingLinkage);
            LLVMSetInitializer(global, array);
        }
    }

    /// The function that returns the revision; declares it if necessary.
    fn revision(&self) -> Option<LLVMValueRef> {
        if let Some(known) = self.symbol("psychic_rev") {
            return Some(known);
        }
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let mut none: [LLVMTypeRef; 0] = [];
            let int = LLVMInt32TypeInContext(context);
            let ty = LLVMFunctionType(int, none.as_mut_ptr(), 0, 0);
            Some(LLVMAddFunction(self.raw(), c"psychic_rev".as_ptr(), ty))
        }
    }
}

/// The constants and instructions that use a value.
fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut found = Vec::new();
    // SAFETY: the uses of a value are a chain that ends with null.
    unsafe {
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            found.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
    }
    found
}

/// Calls `callee` with the parameters of `caller`, with the calling convention and the attributes
/// of `callee`.
///
/// # Safety
/// Both must be functions of the same type, and the builder must be positioned in `caller`.
unsafe fn call(
    builder: LLVMBuilderRef,
    callee: LLVMValueRef,
    caller: LLVMValueRef,
) -> LLVMValueRef {
    // SAFETY: the caller's promise; each list has room for as many attributes as LLVM counts.
    unsafe {
        let count = LLVMCountParams(caller);
        let mut params: Vec<_> = (0..count).map(|index| LLVMGetParam(caller, index)).collect();
        let ty = LLVMGlobalGetValueType(callee);
        let result = LLVMBuildCall2(builder, ty, callee, params.as_mut_ptr(), count, c"".as_ptr());
        LLVMSetInstructionCallConv(result, LLVMGetFunctionCallConv(callee));
        for index in LLVMAttributeReturnIndex..=count {
            let known = LLVMGetAttributeCountAtIndex(callee, index) as usize;
            let mut attributes = vec![std::ptr::null_mut(); known];
            LLVMGetAttributesAtIndex(callee, index, attributes.as_mut_ptr());
            for attribute in attributes {
                LLVMAddCallSiteAttribute(result, index, attribute);
            }
        }
        result
    }
}
