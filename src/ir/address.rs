//! Addresses: 24 bits of object number, 40 bits of offset.
//!
//! The number alone finds an object, an index that is off by up to a TiB never reaches another
//! one, and a path that repeats the same allocations repeats the same addresses. Number 0 is
//! never used, so that null and small integers point nowhere.

use super::{FunctionId, GlobalId};

/// Bits of the offset.
pub const OFFSET_BITS: u32 = 40;
/// Bits of the object number.
pub const NUMBER_BITS: u32 = 64 - OFFSET_BITS;
/// Objects have smaller numbers than this; functions come from here on.
pub const OBJECTS: u32 = 1 << (NUMBER_BITS - 1);

/// Number of the object at `address`.
#[inline(always)]
pub fn object_number(address: u64) -> u32 {
    (address >> OFFSET_BITS) as u32
}

/// Offset of `address` in its object.
#[inline(always)]
pub fn offset(address: u64) -> u64 {
    address & ((1 << OFFSET_BITS) - 1)
}

/// Address of the first byte of an object.
#[inline(always)]
pub fn object_address(number: u32) -> u64 {
    u64::from(number) << OFFSET_BITS
}

/// Number of the object whose first byte is nearest to `address`: that of which it is the
/// address plus or minus something small.
pub fn nearest_object(address: u64) -> u32 {
    object_number(address.wrapping_add(1 << (OFFSET_BITS - 1)))
}

/// Address of a global variable; globals are the objects 1, 2, and so on.
pub fn global_address(global: GlobalId) -> u64 {
    object_address(global.0 + 1)
}

/// Address of a function.
pub fn function_address(function: FunctionId) -> u64 {
    object_address(OBJECTS + function.0)
}

/// The function at `address`, if a function can be there.
pub fn function_at(address: u64) -> Option<FunctionId> {
    let number = object_number(address);
    (offset(address) == 0 && number >= OBJECTS).then(|| FunctionId(number - OBJECTS))
}
