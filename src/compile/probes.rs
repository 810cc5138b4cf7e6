//! Shows what functions return, and what they leave where their parameters point.
//!
//! Before each return of a function, calls of `psychic_probe` are inserted into its bitcode. What
//! they show are outputs like those of `psychic_output`, one for each call of the function. Types
//! and names are those in the debug information.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    builder::{Builder, BuilderError},
    context::Context,
    llvm_sys::LLVMTailCallKind,
    module::{Linkage, Module},
    values::{
        BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
        PointerValue,
    },
};

use super::{BuildError, modules::change};
use crate::llvm::{Number, Passed, Prototype, Real, Source};

/// The greatest number of bytes of each object that are shown.
const MOST_BYTES: u64 = 4096;

/// The functions that are looked at.
#[derive(Clone, Debug)]
pub enum Probed {
    /// All functions that one of these files defines.
    Files(BTreeSet<PathBuf>),
    /// All functions with one of these names.
    Functions(BTreeSet<String>),
}

impl Probed {
    /// Whether a function with this name, defined in this file, is looked at. What `main` returns
    /// is visible anyway.
    fn has(&self, name: &str, file: &Path) -> bool {
        let wanted = match self {
            Self::Files(files) => files.iter().any(|wanted| file.ends_with(wanted)),
            Self::Functions(names) => names.contains(name),
        };
        wanted && name != "main"
    }

    /// Refuses a program if not all functions that should be looked at are `found` in it.
    pub(super) fn check(&self, found: &BTreeSet<String>) -> Result<(), BuildError> {
        let missing = match self {
            Self::Files(_) if found.is_empty() => "of the patched files".to_owned(),
            Self::Files(_) => return Ok(()),
            Self::Functions(names) => match names.difference(found).next() {
                Some(missing) => format!("`{missing}`"),
                None => return Ok(()),
            },
        };
        Err(BuildError::NotProbed(missing))
    }
}

/// The compiler flags of a program, changed so that its functions and lines stay as they are in the
/// source, and parameters have names. `is_whole` says whether the program has a build of its own.
pub fn probed_flags(flags: &[String], is_whole: bool) -> Vec<String> {
    let is_kept = |flag: &&String| !flag.starts_with("-O") && !flag.starts_with("-g");
    let more: &[&str] = if is_whole { &["-O0", "-g"] } else { &[] };
    let more = more.iter().chain(&["-fno-discard-value-names"]).map(|&flag| flag.to_owned());
    flags.iter().filter(is_kept).cloned().chain(more).collect()
}

/// Makes the functions of a module show what they return and leave. Returns the names of these
/// functions.
pub(super) fn insert(file: &Path, probed: &Probed) -> Result<BTreeSet<String>, BuildError> {
    let mut names = BTreeSet::new();
    change(file, |context, module| {
        let prototypes = prototypes(module, probed);
        for function in module.get_functions() {
            let symbol = function.get_name().to_string_lossy().into_owned();
            if let Some(prototype) = prototypes.get(&symbol) {
                Prober { context, module, builder: context.create_builder() }
                    .show(function, prototype)?;
                names.insert(prototype.name.clone());
            }
        }
        Ok(())
    })?;
    Ok(names)
}

/// The prototypes of the functions that are looked at, by symbol.
fn prototypes(module: &Module<'_>, probed: &Probed) -> BTreeMap<String, Prototype> {
    let defined = Source::new(module).functions().filter(|function| !function.is_declaration());
    let wanted = defined.filter_map(|function| {
        let (directory, name) = function.subprogram()?.scope_file()?.file();
        let prototype = function.prototype()?;
        let is_wanted = probed.has(&prototype.name, &Path::new(&directory).join(name));
        is_wanted.then(|| (function.name(), prototype))
    });
    wanted.collect()
}

/// Changes one function.
struct Prober<'m, 'c> {
    context: &'c Context,
    module: &'m Module<'c>,
    builder: Builder<'c>,
}

impl<'c> Prober<'_, 'c> {
    fn show(&self, function: FunctionValue<'c>, prototype: &Prototype) -> Result<(), BuilderError> {
        let blocks: Vec<_> = function.get_basic_block_iter().collect();
        let returns = blocks.iter().filter_map(|block| block.get_terminator());
        let returns = returns.filter(|last| last.get_opcode() == InstructionOpcode::Return);
        // Nothing may come between such a call and the return.
        let returns: Vec<InstructionValue<'c>> = returns.filter(|r| !ends_in_call(*r)).collect();
        let Some(first) = blocks.first().and_then(|entry| entry.get_first_instruction()) else {
            return Ok(());
        };
        let home = match returns.first().and_then(|last| last.get_operand(0)?.value()) {
            Some(value) => {
                self.builder.position_before(&first);
                Some(self.builder.build_alloca(value.get_type(), "")?)
            }
            None => None,
        };
        for last in returns {
            self.builder.position_before(&last);
            self.show_result(function, prototype, (last, home))?;
            for (param, numbers) in pointers(function, prototype) {
                let name = param.get_name().to_string_lossy();
                self.show_numbers(param, numbers, |path| match path.strip_prefix('.') {
                    Some(member) => format!("{name}->{member} after {}()", prototype.name),
                    None if path.is_empty() => format!("*{name} after {}()", prototype.name),
                    None => format!("(*{name}){path} after {}()", prototype.name),
                })?;
            }
        }
        Ok(())
    }

    /// Shows what is returned. If it is in registers, it is first put into `home`.
    fn show_result(
        &self,
        function: FunctionValue<'c>,
        Prototype { name, returned, .. }: &Prototype,
        (last, home): (InstructionValue<'c>, Option<PointerValue<'c>>),
    ) -> Result<(), BuilderError> {
        let value = last.get_operand(0).and_then(|operand| operand.value());
        match (returned, value.zip(home)) {
            (Passed::Value(numbers), Some((value, home))) => {
                let value = match value {
                    // A `bool` is one bit in a register.
                    BasicValueEnum::IntValue(bit) if bit.get_type().get_bit_width() == 1 => {
                        self.builder.build_int_z_extend(bit, self.context.i8_type(), "")?.into()
                    }
                    value => value,
                };
                self.builder.build_store(home, value)?;
                self.show_numbers(home, numbers, |path| format!("return{path} of {name}()"))
            }
            (Passed::Value(numbers), None) => match result_in_memory(function) {
                Some(place) => {
                    self.show_numbers(place, numbers, |path| format!("return{path} of {name}()"))
                }
                None => Ok(()),
            },
            (Passed::Address { numbers, .. }, Some((BasicValueEnum::PointerValue(to), home))) => {
                let is_there = self.builder.build_is_not_null(to, "")?;
                let byte = self.context.i8_type();
                let is_there = self.builder.build_int_z_extend(is_there, byte, "")?;
                self.builder.build_store(home, is_there)?;
                let one = Number { path: String::new(), offset: 0, size: 1, real: None };
                self.show_numbers(home, &[one], |_| format!("return of {name}()"))?;
                self.show_numbers(to, numbers, |path| match path.strip_prefix('.') {
                    Some(member) => format!("return->{member} of {name}()"),
                    None => format!("*return{path} of {name}()"),
                })
            }
            (Passed::Address { .. } | Passed::Nothing, _) => Ok(()),
        }
    }

    /// Shows the numbers in an object.
    fn show_numbers(
        &self,
        object: PointerValue<'c>,
        numbers: &[Number],
        name: impl Fn(&str) -> String,
    ) -> Result<(), BuilderError> {
        let word = self.context.i64_type();
        for number in numbers {
            let at = word.const_int(number.offset, false);
            let size = word.const_int(number.size.min(MOST_BYTES), false);
            let name = self.builder.build_global_string_ptr(&name(&number.path), "")?;
            let arguments = [name.as_pointer_value().into(), object.into(), at.into(), size.into()];
            self.builder.build_call(self.probe(number.real), &arguments, "")?;
        }
        Ok(())
    }

    /// The function that shows numbers of a kind. Its arguments are name, object, offset and size.
    fn probe(&self, real: Option<Real>) -> FunctionValue<'c> {
        let name = match real {
            None => "psychic_probe",
            Some(Real::Float) => "psychic_probe_float",
            Some(Real::Double) => "psychic_probe_double",
            Some(Real::LongDouble) => "psychic_probe_long_double",
        };
        self.module.get_function(name).unwrap_or_else(|| {
            let pointer = self.context.ptr_type(Default::default());
            let word = self.context.i64_type();
            let params = [pointer.into(), pointer.into(), word.into(), word.into()];
            let ty = self.context.void_type().fn_type(&params, false);
            self.module.add_function(name, ty, Some(Linkage::External))
        })
    }
}

/// Whether this return follows a call that must be the last thing that a function does.
fn ends_in_call(last: InstructionValue<'_>) -> bool {
    let call = last.get_previous_instruction().and_then(|i| CallSiteValue::try_from(i).ok());
    call.is_some_and(|call| call.get_tail_call_kind() == LLVMTailCallKind::LLVMTailCallKindMustTail)
}

fn has_attribute(function: FunctionValue<'_>, param: u32, name: &str) -> bool {
    let kind = Attribute::get_named_enum_kind_id(name);
    function.get_enum_attribute(AttributeLoc::Param(param), kind).is_some()
}

/// Where a function writes a result that is too large for registers.
fn result_in_memory(function: FunctionValue<'_>) -> Option<PointerValue<'_>> {
    let first = function.get_nth_param(0).filter(|_| has_attribute(function, 0, "sret"))?;
    PointerValue::try_from(first).ok()
}

/// The parameters through which a function may write numbers, and these numbers. None if it is not
/// clear which parameter of the source is which here.
fn pointers<'c, 'p>(
    function: FunctionValue<'c>,
    prototype: &'p Prototype,
) -> Vec<(PointerValue<'c>, &'p [Number])> {
    // A structure may be passed in several parts, which are named `s.coerce0` and so on.
    let mut params: Vec<(String, BasicValueEnum<'c>)> = Vec::new();
    for (index, param) in (0..).zip(function.get_param_iter()) {
        let name = param.get_name().to_string_lossy().into_owned();
        let name = name.split_once('.').map_or(&*name, |(of, _)| of).to_owned();
        let is_part = params.last().is_some_and(|(known, _)| *known == name && !name.is_empty());
        if !is_part && !has_attribute(function, index, "sret") {
            params.push((name, param));
        }
    }
    if params.len() != prototype.params.len() {
        return Vec::new();
    }
    let pairs = params.into_iter().zip(&prototype.params);
    pairs
        .filter_map(|((_, param), passed)| match (param, passed) {
            (BasicValueEnum::PointerValue(param), Passed::Address { numbers, is_const: false }) => {
                Some((param, &numbers[..]))
            }
            _ => None,
        })
        .collect()
}
