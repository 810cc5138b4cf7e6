//! Addresses: 32 bits of object number, 32 bits of offset.
//!
//! The number alone finds an object. Only every sixteenth number is used, so that an offset
//! out of bounds by less than 60 GiB (an `int` as an index, above all) never reaches another
//! object. Number 0 is never used, so that null and small integers point nowhere.

use super::{FunctionId, GlobalId};

/// Bits of the offset.
pub const OFFSET_BITS: u32 = 32;
const FIRST_FUNCTION: u64 = 0x4000_0000;

/// Distance of the numbers of two objects, a power of two.
pub const SPACING: u32 = 16;
/// There are fewer objects than this, so that none is where functions are.
pub const OBJECTS: u32 = (FIRST_FUNCTION / SPACING as u64) as u32;

/// Number of the object at `address`.
#[inline(always)]
pub fn object_number(address: u64) -> u32 {
    (address >> OFFSET_BITS) as u32
}

/// Address of the first byte of an object.
#[inline(always)]
pub fn object_address(number: u32) -> u64 {
    u64::from(number) << OFFSET_BITS
}

/// Number of the object that is the n-th to be made.
#[inline(always)]
pub fn nth_object(n: u32) -> u32 {
    n * SPACING
}

/// The reverse of [`nth_object`]: `None` where no object can be.
#[inline(always)]
pub fn object_index(number: u32) -> Option<usize> {
    (number % SPACING == 0).then_some((number / SPACING) as usize)
}

/// Address of a global variable; globals are the first objects, after one that is not there.
pub fn global_address(global: GlobalId) -> u64 {
    object_address(nth_object(global.0 + 1))
}

/// Address of a function.
pub fn function_address(function: FunctionId) -> u64 {
    (FIRST_FUNCTION + u64::from(function.0)) << OFFSET_BITS
}

/// The function at `address`, if a function can be there.
pub fn function_at(address: u64) -> Option<FunctionId> {
    let number = address >> OFFSET_BITS;
    (address as u32 == 0 && (FIRST_FUNCTION..2 * FIRST_FUNCTION).contains(&number))
        .then(|| FunctionId((number - FIRST_FUNCTION) as u32))
}
