//! Addresses: 32 bits of object number, 32 bits of offset.
//!
//! The number alone finds an object, an overflow of up to 4 GiB never reaches another one,
//! and a path that repeats the same allocations repeats the same addresses. Number 0 is
//! never used, so that null and small integers point nowhere.

use super::{FunctionId, GlobalId};

/// Bits of the offset.
pub const OFFSET_BITS: u32 = 32;
const FIRST_FUNCTION: u64 = 0x4000_0000;

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

/// Address of a global variable; globals are the objects 1, 2, and so on.
pub fn global_address(global: GlobalId) -> u64 {
    object_address(global.0 + 1)
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
