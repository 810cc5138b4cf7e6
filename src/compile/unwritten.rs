//! Makes memory that was never written zero in native builds, as it is in the engine. (Also gives a
//! meaning to four things about which C says as little: copies of memory onto itself, shifts by the
//! width or more, differences of pointers that are no whole number of elements, and the exit code of
//! a `main` that returns nothing.)
//!
//! The compiler's own option (`-ftrivial-auto-var-init=zero`) writes zero wherever control comes to
//! a declaration, also in the second round of a loop, and misses declarations that a `switch` jumps
//! over. The engine has one object for each `alloca`, and so has MemorySanitizer. So the zeros are
//! put there, into the bitcode of a source file before any pass has run on it. They also replace
//! what the compiler left undefined. (Memory from `malloc` is handled in `runtime/hosted.c`.)

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use inkwell::{
    AtomicOrdering,
    attributes::{Attribute, AttributeLoc},
    builder::BuilderError,
    context::Context,
    llvm_sys::prelude::LLVMValueRef,
    module::Module,
    targets::TargetData,
    types::BasicType,
    values::{
        AsValueRef, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, PointerValue,
    },
};

use super::{
    BuildError,
    modules::{change, watch},
};
use crate::{errors::Sanitizer, llvm::Editor};

/// Stands for this way of preparing bitcode in the stamps of builds.
pub(super) const PREPARATION: &str = "locals and undefined operands zeroed, noundef of own \
     functions dropped, watched functions marked, copies may overlap, both ends of watched accesses \
     looked at, empty locals watched, wide shifts, inexact divisions and exit codes defined";

/// Prepares bitcode for native code. What was never written becomes zero or, under MemorySanitizer,
/// reads of it are seen. `defined` are the functions of the program ([`defined`]).
pub(super) fn prepare(
    file: &Path,
    sanitizer: Sanitizer,
    defined: &BTreeSet<String>,
) -> Result<(), BuildError> {
    change(file, |context, module| {
        let_copies_overlap(module);
        Editor::new(module).define_arithmetic();
        Editor::new(module).define_exit_code();
        if sanitizer == Sanitizer::AddressUndefined {
            widen_empty_locals(context, module)?;
            look_at_both_ends(module);
        }
        match sanitizer {
            Sanitizer::Memory => {
                watch(context, module, "sanitize_memory");
                let_pass(module, defined);
            }
            Sanitizer::None | Sanitizer::AddressUndefined => {
                zero_locals(context, module)?;
                Editor::new(module).define_undefined();
            }
        }
        Ok(())
    })
}

/// Prepares whole programs for AddressSanitizer.
pub(super) fn prepare_watched(file: &Path) -> Result<(), BuildError> {
    change(file, |_, module| {
        look_at_both_ends(module);
        Ok(())
    })
}

/// Makes AddressSanitizer check both ends of each access, by an alignment of 1. Otherwise it would
/// check only the beginning of an access that claims to be aligned. But the claim may be wrong, and
/// the end out of bounds.
fn look_at_both_ends(module: &Module<'_>) {
    for instruction in module.get_functions().flat_map(instructions) {
        let is_access =
            matches!(instruction.get_opcode(), InstructionOpcode::Load | InstructionOpcode::Store);
        if is_access && instruction.get_atomic_ordering() == Ok(AtomicOrdering::NotAtomic) {
            // An access has an alignment.
            instruction.set_alignment(1).expect("1 is a power of 2");
        }
    }
}

fn instructions<'c>(function: FunctionValue<'c>) -> impl Iterator<Item = InstructionValue<'c>> {
    function.get_basic_block_iter().flat_map(|block| block.get_instructions())
}

/// Gives variables without size one byte. AddressSanitizer does not watch variables without size,
/// but with a byte it watches what lies behind.
fn widen_empty_locals<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), BuilderError> {
    let layout = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let is_empty = |alloca: &InstructionValue<'c>| {
        let kind = alloca.get_allocated_type();
        kind.is_ok_and(|kind| layout.get_abi_size(&kind) == 0)
    };
    let is_alloca = |i: &InstructionValue<'c>| i.get_opcode() == InstructionOpcode::Alloca;
    let all = module.get_functions().flat_map(instructions).filter(is_alloca);
    let empty: Vec<InstructionValue<'c>> = all.filter(is_empty).collect();
    let builder = context.create_builder();
    for alloca in empty {
        builder.position_before(&alloca);
        let wider = builder.build_alloca(context.i8_type(), "")?;
        if let Some(wider) = wider.as_instruction() {
            // An alloca has an alignment.
            wider.set_alignment(alloca.get_alignment().unwrap_or(1)).expect("one of an alloca");
            alloca.replace_all_uses_with(&wider);
            alloca.erase_from_basic_block();
        }
    }
    Ok(())
}

/// Turns every `memcpy` into a `memmove`, as it is in the engine. C does not say what a copy of
/// memory onto itself does.
fn let_copies_overlap(module: &Module<'_>) {
    for function in module.get_functions().filter(|f| f.count_basic_blocks() == 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        let other = match &*name {
            "memcpy" => "memmove".to_owned(),
            _ if name.starts_with("llvm.memcpy.p") => name.replace("memcpy", "memmove"),
            _ => continue,
        };
        let known = module.get_function(&other);
        let other = known.unwrap_or_else(|| module.add_function(&other, function.get_type(), None));
        function.replace_all_uses_with(other);
    }
}

/// Fills every local variable with zeros after its `alloca`.
fn zero_locals<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), BuilderError> {
    let layout = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let builder = context.create_builder();
    let allocas: Vec<_> = module
        .get_functions()
        .flat_map(|function| {
            let parameters = homes_of_parameters(function);
            let is_local = move |instruction: &InstructionValue<'c>| {
                instruction.get_opcode() == InstructionOpcode::Alloca
                    && !parameters.contains(&instruction.as_value_ref())
            };
            instructions(function).filter(is_local)
        })
        .collect();
    for alloca in allocas {
        let (Ok(kind), Some(next)) = (alloca.get_allocated_type(), alloca.get_next_instruction())
        else {
            continue;
        };
        let Ok(local) = PointerValue::try_from(alloca) else { continue };
        builder.position_before(&next);
        let size = layout.get_abi_size(&kind);
        let count = alloca.get_operand(0).and_then(|count| count.value());
        let count = count.map(|count| count.into_int_value());
        let one = count.is_none_or(|count| count.get_zero_extended_constant() == Some(1));
        let is_scalar = kind.is_int_type() || kind.is_pointer_type() || kind.is_float_type();
        if one && is_scalar {
            builder.build_store(local, kind.as_basic_type_enum().const_zero())?;
            continue;
        }
        let word = context.i64_type();
        let each = word.const_int(size, false);
        let length = match count {
            Some(count) if !one => {
                let count = builder.build_int_z_extend_or_bit_cast(count, word, "")?;
                builder.build_int_mul(each, count, "")?
            }
            _ => each,
        };
        let alignment = alloca.get_alignment().unwrap_or(1);
        builder.build_memset(local, alignment, context.i8_type().const_zero(), length)?;
    }
    Ok(())
}

/// The variables that parameters are stored into when a function is entered. They need no zeros, as
/// they are always written. AddressSanitizer moves these writes up to where variables begin, before
/// any zeros of ours.
fn homes_of_parameters(function: FunctionValue<'_>) -> BTreeSet<LLVMValueRef> {
    // A declared intrinsic may have parameters that are no values.
    if function.count_basic_blocks() == 0 {
        return BTreeSet::new();
    }
    let parameters: BTreeSet<LLVMValueRef> =
        function.get_param_iter().map(|parameter| parameter.as_value_ref()).collect();
    let entry = function.get_first_basic_block();
    let stores = entry
        .into_iter()
        .flat_map(|block| block.get_instructions())
        .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Store);
    let home = |store: InstructionValue<'_>| {
        let operand = |index| store.get_operand(index)?.value().map(|value| value.as_value_ref());
        operand(0).filter(|value| parameters.contains(value)).and_then(|_| operand(1))
    };
    stores.filter_map(home).collect()
}

/// The names of the functions that modules define.
pub(super) fn defined<'p>(
    files: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<BTreeSet<String>, BuildError> {
    let mut defined = BTreeSet::new();
    for file in files {
        let context = Context::create();
        let module = Module::parse_bitcode_from_path(file, &context)
            .map_err(|error| BuildError::io(file)(io::Error::other(error.to_string())))?;
        let functions = module.get_functions().filter(|f| f.count_basic_blocks() > 0);
        defined.extend(functions.map(|f| f.get_name().to_string_lossy().into_owned()));
    }
    Ok(defined)
}

/// Lets values that were never written be passed between the program's own functions.
/// MemorySanitizer follows them there, and still checks what the libc is given. Passing a value on
/// decides nothing, and the callers of a function that forgets its `return` often ignore the
/// result.
fn let_pass(module: &Module<'_>, defined: &BTreeSet<String>) {
    let noundef = Attribute::get_named_enum_kind_id("noundef");
    let places = |count: u32| {
        let parameters = (0..count).map(AttributeLoc::Param);
        std::iter::once(AttributeLoc::Return).chain(parameters)
    };
    // What `main` returns is the exit code, which is shown.
    let is_ours = |function: FunctionValue<'_>| {
        let name = function.get_name().to_string_lossy();
        name != "main" && defined.contains(&*name)
    };
    for function in module.get_functions() {
        if is_ours(function) {
            places(function.count_params())
                .for_each(|place| function.remove_enum_attribute(place, noundef));
        }
        for call in instructions(function) {
            let Ok(call) = CallSiteValue::try_from(call) else { continue };
            if call.get_called_fn_value().is_none_or(is_ours) {
                places(call.count_arguments())
                    .for_each(|place| call.remove_enum_attribute(place, noundef));
            }
        }
    }
}
