//! Types as lists of scalars, each with a width and an offset in memory.

use crate::llvm::{Source, Type, TypeKind};

/// Why something cannot be lowered; the text goes into `Inst::Unsupported`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unsupported(pub String);

/// The result of lowering something.
pub type Lowered<T> = Result<T, Unsupported>;

/// The error for something that cannot be lowered.
pub fn unsupported<T>(reason: impl Into<String>) -> Lowered<T> {
    Err(Unsupported(reason.into()))
}

// The most scalars of an aggregate in registers. In a larger one, a register for each is not worth
// it.
const MOST_SCALARS: usize = 4096;

/// A scalar of a type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Scalar {
    /// The width in bits.
    pub width: u32,
    /// The offset in bits from the start of the type in memory.
    pub bit_offset: u64,
    /// Whether it is a floating-point number, which determines how a variadic argument is passed.
    pub float: bool,
}

impl Scalar {
    /// The offset in bytes from the start of the type in memory; an error unless it is a whole
    /// number.
    pub fn offset(self) -> Lowered<u64> {
        if self.bit_offset.is_multiple_of(8) {
            Ok(self.bit_offset / 8)
        } else {
            unsupported("a vector of bits inside an aggregate in memory")
        }
    }
}

/// The width in bits of a type that is one scalar.
pub fn scalar_width(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(ty.int_width()),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => Some(64),
        TypeKind::LLVMFloatTypeKind => Some(32),
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(16),
        TypeKind::LLVMX86_FP80TypeKind => Some(80),
        TypeKind::LLVMFP128TypeKind | TypeKind::LLVMPPC_FP128TypeKind => Some(128),
        _ => None,
    }
}

/// Whether a type is a floating-point number of any format.
pub fn is_float(ty: Type) -> bool {
    matches!(
        ty.kind(),
        TypeKind::LLVMHalfTypeKind
            | TypeKind::LLVMBFloatTypeKind
            | TypeKind::LLVMFloatTypeKind
            | TypeKind::LLVMDoubleTypeKind
            | TypeKind::LLVMX86_FP80TypeKind
            | TypeKind::LLVMFP128TypeKind
            | TypeKind::LLVMPPC_FP128TypeKind
    )
}

/// The element type of a vector; for any other type, the type itself.
pub fn lane(ty: Type) -> Type {
    if ty.kind() == TypeKind::LLVMVectorTypeKind { ty.element() } else { ty }
}

/// The width in bits of a floating-point lane; an error if the float instructions do not support
/// its format.
pub fn float_width(ty: Type) -> Lowered<u32> {
    let lane = lane(ty);
    match lane.kind() {
        TypeKind::LLVMHalfTypeKind => Ok(16),
        TypeKind::LLVMFloatTypeKind => Ok(32),
        TypeKind::LLVMDoubleTypeKind => Ok(64),
        TypeKind::LLVMX86_FP80TypeKind => Ok(80),
        TypeKind::LLVMFP128TypeKind => Ok(128),
        _ => unsupported(format!("arithmetic in {lane}")),
    }
}

/// The width in bits of a lane, which is an integer, a pointer or a floating-point number.
pub fn lane_width(ty: Type) -> Lowered<u32> {
    match scalar_width(lane(ty)) {
        Some(width) => Ok(width),
        None => unsupported(format!("an operand of type {ty}")),
    }
}

/// Whether a type is a vector whose lanes are not whole bytes. Memory holds them without gaps.
pub fn is_bit_vector(ty: Type) -> bool {
    ty.kind() == TypeKind::LLVMVectorTypeKind
        && scalar_width(ty.element()).is_some_and(|width| !width.is_multiple_of(8))
}

/// The scalars of a type in order; none for `void`.
pub fn scalars<'m>(source: Source<'m>, ty: Type<'m>) -> Lowered<Vec<Scalar>> {
    let mut found = Vec::new();
    collect(source, ty, 0, &mut found)?;
    Ok(found)
}

fn collect<'m>(
    source: Source<'m>,
    ty: Type<'m>,
    bit_offset: u64,
    found: &mut Vec<Scalar>,
) -> Lowered<()> {
    if let Some(width) = scalar_width(ty) {
        if found.len() == MOST_SCALARS {
            return unsupported("an aggregate of several thousand scalars in a register");
        }
        found.push(Scalar { width, bit_offset, float: is_float(ty) });
        return Ok(());
    }
    match ty.kind() {
        TypeKind::LLVMVoidTypeKind => {}
        TypeKind::LLVMStructTypeKind => {
            if source.size(ty).is_none() {
                return unsupported(format!("a value of type {ty}"));
            }
            for i in 0..ty.fields() {
                collect(source, ty.field(i), bit_offset + 8 * source.offset(ty, i), found)?;
            }
        }
        TypeKind::LLVMArrayTypeKind => {
            let element = ty.element();
            let Some(size) = source.size(element) else {
                return unsupported(format!("a value of type {ty}"));
            };
            if ty.length() > MOST_SCALARS as u64 {
                return unsupported("an aggregate of several thousand scalars in a register");
            }
            for i in 0..ty.length() {
                collect(source, element, bit_offset + 8 * size * i, found)?;
            }
        }
        TypeKind::LLVMVectorTypeKind => {
            let width = u64::from(lane_width(ty)?);
            for i in 0..ty.length() {
                collect(source, ty.element(), bit_offset + width * i, found)?;
            }
        }
        _ => return unsupported(format!("a value of type {ty}")),
    }
    Ok(())
}

/// The element that `indices` (of `extractvalue`) name, as the range of its scalars among the
/// scalars of the whole type.
pub fn element_range<'m>(
    source: Source<'m>,
    mut ty: Type<'m>,
    indices: &[u32],
) -> Lowered<std::ops::Range<usize>> {
    let mut first = 0;
    for &index in indices {
        if ty.kind() == TypeKind::LLVMStructTypeKind {
            for i in 0..index {
                first += scalars(source, ty.field(i))?.len();
            }
            ty = ty.field(index);
        } else {
            ty = ty.element();
            first += index as usize * scalars(source, ty)?.len();
        }
    }
    Ok(first..first + scalars(source, ty)?.len())
}
