//! The types of C, as the debug information describes them.
//!
//! Operands of nodes are found by their positions in the node, which are those of LLVM 19
//! (`llvm/lib/IR/DebugInfoMetadata.cpp`); the C API has no accessors for most of them.

use std::iter;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;

use super::{Metadata, Value, text};

/// The tags of the kinds of types (DWARF 5, section 7.5.3).
const ARRAY: u16 = 0x01;
const ENUMERATION: u16 = 0x04;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const STRUCTURE: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const SUBRANGE: u16 = 0x21;
const BASE: u16 = 0x24;
const SUBPROGRAM: u16 = 0x2e;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const ATOMIC: u16 = 0x47;

/// Positions of operands in a scope, in a subprogram, in a type, and in a subrange.
const SCOPE: usize = 1;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_TYPE: usize = 4;
const NAME: usize = 2;
const BASE_TYPE: usize = 3;
const ELEMENTS: usize = 4;
const TYPES: usize = 3;
const COUNT: usize = 0;
/// `DINode::FlagBitField`.
const BIT_FIELD: i32 = 1 << 19;

/// The parameters and the result of a C function.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Prototype {
    /// The name of the function in the source.
    pub name: String,
    /// The result.
    pub returned: Passed,
    /// The parameters in order.
    pub params: Vec<Passed>,
}

/// A value that is passed to a function or returned.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Passed {
    /// Nothing: `void`.
    Nothing,
    /// A value, given by the numbers in it.
    Value(Vec<Number>),
    /// An address.
    Address {
        /// The numbers in the object at the address. None if its type is unknown or is a function
        /// type.
        numbers: Vec<Number>,
        /// Whether nothing may be written through the address.
        is_const: bool,
    },
}

/// One or more neighbouring numbers of the same type in an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Number {
    /// The names of the members that lead to the numbers, each after a dot.
    pub path: String,
    /// The offset of the first number in the object, in bytes.
    pub offset: u64,
    /// The total size of the numbers in bytes.
    pub size: u64,
    /// The name of a floating-point type; `None` for integers.
    pub real: Option<Real>,
}

/// A floating-point type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Real {
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`.
    LongDouble,
}

impl<'m> Value<'m> {
    /// The prototype of a function from the debug information; `None` if there is none.
    pub fn prototype(self) -> Option<Prototype> {
        let operands = self.subprogram()?.operands(self);
        let types = operands.get(SUBPROGRAM_TYPE)?.map(|ty| ty.operands(self))?;
        // The first type is that of the result. A missing type is `void`, or the end of `f(int,
        // ...)`.
        let types = types.get(TYPES)?.map(|list| list.operands(self)).unwrap_or_default();
        let mut passed = types.into_iter().map(|ty| match ty {
            Some(ty) => ty.passed(self),
            None => Passed::Nothing,
        });
        Some(Prototype {
            name: operands.get(SUBPROGRAM_NAME)?.and_then(|name| name.string(self))?,
            returned: passed.next().unwrap_or(Passed::Nothing),
            params: passed.filter(|param| *param != Passed::Nothing).collect(),
        })
    }
}

// SAFETY of every call below: nodes live in the module of `near`, which supplies the context.
// Accessors are called only on the kinds of nodes that they are for.
impl<'m> Metadata<'m> {
    /// The name of the function to which a scope in the module of `near` belongs.
    pub fn function_name(self, near: Value<'m>) -> Option<String> {
        let outer = |scope: &Self| scope.operand(near, SCOPE);
        let function =
            iter::successors(Some(self), outer).find(|scope| scope.tag() == SUBPROGRAM)?;
        function.operand(near, SUBPROGRAM_NAME)?.string(near)
    }

    /// The operands of a node in the module of `near`. An operand that is no node, such as a
    /// constant, is wrapped in one.
    fn operands(self, near: Value<'m>) -> Vec<Option<Self>> {
        unsafe {
            let value = LLVMMetadataAsValue(context(near), self.0);
            let mut operands: Vec<LLVMValueRef> =
                vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let node = |operand: LLVMValueRef| match operand.is_null() {
                true => None,
                false => Self::new(LLVMValueAsMetadata(operand)),
            };
            operands.into_iter().map(node).collect()
        }
    }

    fn string(self, near: Value<'m>) -> Option<String> {
        unsafe {
            let value = LLVMMetadataAsValue(context(near), self.0);
            let mut length = 0;
            let data = LLVMGetMDString(value, &mut length);
            (!data.is_null()).then(|| text(data, length as usize))
        }
    }

    /// The value of a constant.
    fn constant(self, near: Value<'m>) -> Option<u64> {
        unsafe {
            let value = LLVMMetadataAsValue(context(near), self.0);
            // The operands of the node that wraps a constant contain the constant.
            let mut constant = std::ptr::null_mut();
            if LLVMGetMDNodeNumOperands(value) == 1 {
                LLVMGetMDNodeOperands(value, &mut constant);
            }
            let is_number = !constant.is_null() && !LLVMIsAConstantInt(constant).is_null();
            is_number.then(|| LLVMConstIntGetZExtValue(constant))
        }
    }

    fn tag(self) -> u16 {
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    fn operand(self, near: Value<'m>, place: usize) -> Option<Self> {
        self.operands(near).get(place).copied().flatten()
    }

    /// The type without typedefs and qualifiers, and whether it was `const`.
    fn plain(self, near: Value<'m>) -> (Option<Self>, bool) {
        let (mut ty, mut is_const) = (self, false);
        while matches!(ty.tag(), TYPEDEF | CONST | VOLATILE | RESTRICT | ATOMIC) {
            is_const |= ty.tag() == CONST;
            match ty.operand(near, BASE_TYPE) {
                Some(base) => ty = base,
                None => return (None, is_const),
            }
        }
        (Some(ty), is_const)
    }

    fn passed(self, near: Value<'m>) -> Passed {
        let Some(ty) = self.plain(near).0 else { return Passed::Nothing };
        let mut numbers = Vec::new();
        if ty.tag() != POINTER {
            ty.numbers(near, "", 0, &mut numbers);
            return Passed::Value(numbers);
        }
        let target = ty.operand(near, BASE_TYPE).map(|target| target.plain(near));
        if let Some((Some(target), _)) = target {
            target.numbers(near, "", 0, &mut numbers);
        }
        Passed::Address { numbers, is_const: target.is_some_and(|(_, is_const)| is_const) }
    }

    /// Adds the numbers in an object of this type. It omits what is not a number on every machine:
    /// addresses, unions, bit-fields, arrays without a length.
    fn numbers(self, near: Value<'m>, path: &str, offset: u64, found: &mut Vec<Number>) {
        let Some(ty) = self.plain(near).0 else { return };
        let size = unsafe { LLVMDITypeGetSizeInBits(ty.0) } / 8;
        match ty.tag() {
            BASE | ENUMERATION => {
                let name = ty.operand(near, NAME).and_then(|name| name.string(near));
                let real = match name.as_deref() {
                    Some("float") => Some(Real::Float),
                    Some("double") => Some(Real::Double),
                    Some("long double") => Some(Real::LongDouble),
                    // The other base types that are not integers are complex.
                    Some(name) if name.contains("omplex") || name.contains("loat") => return,
                    _ => None,
                };
                found.push(Number { path: path.to_owned(), offset, size, real });
            }
            ARRAY => {
                let dimensions = ty.operand(near, ELEMENTS).map(|list| list.operands(near));
                let dimensions = dimensions.unwrap_or_default().into_iter().flatten();
                let counts = dimensions.map(|dimension| match dimension.tag() {
                    SUBRANGE => dimension.operand(near, COUNT)?.constant(near),
                    _ => None,
                });
                let count = counts.product::<Option<u64>>().filter(|count| *count > 0);
                let (Some(count), Some(element)) = (count, ty.operand(near, BASE_TYPE)) else {
                    return;
                };
                let mut of_one = Vec::new();
                element.numbers(near, "", 0, &mut of_one);
                match &of_one[..] {
                    // The numbers fill the array.
                    [one] if one.path.is_empty() && one.size * count == size => {
                        let path = path.to_owned();
                        found.push(Number { path, offset, size, real: one.real });
                    }
                    several => {
                        let each = size / count;
                        found.extend((0..count.min(MOST_ELEMENTS)).flat_map(|index| {
                            several.iter().map(move |number| Number {
                                path: format!("{path}[{index}]{}", number.path),
                                offset: offset + index * each + number.offset,
                                ..number.clone()
                            })
                        }));
                    }
                }
            }
            STRUCTURE => {
                let members = ty.operand(near, ELEMENTS).map(|list| list.operands(near));
                for member in members.unwrap_or_default().into_iter().flatten() {
                    let is_bits = unsafe { LLVMDITypeGetFlags(member.0) } & BIT_FIELD != 0;
                    if member.tag() != MEMBER || is_bits {
                        continue;
                    }
                    let name = member.operand(near, NAME).and_then(|name| name.string(near));
                    let path = match name {
                        Some(name) => format!("{path}.{name}"),
                        None => path.to_owned(),
                    };
                    let at = unsafe { LLVMDITypeGetOffsetInBits(member.0) } / 8;
                    if let Some(base) = member.operand(near, BASE_TYPE) {
                        base.numbers(near, &path, offset + at, found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The most elements of an array of structures that are examined.
const MOST_ELEMENTS: u64 = 16;

fn context(near: Value<'_>) -> LLVMContextRef {
    // SAFETY: a value has a type, and a type has a context.
    unsafe { LLVMGetTypeContext(LLVMTypeOf(near.0)) }
}
