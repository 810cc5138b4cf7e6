//! Addresses: 28 bits of object number, then 36 bits of offset.
//!
//! The number alone determines the object. An index that is off by up to 32 GiB never reaches
//! another object. A path that repeats the same allocations repeats the same addresses. Object
//! numbers start far from zero, so that null, small integers and most other numbers point nowhere.

use super::{FunctionId, GlobalId};

/// The number of bits of the offset.
pub const OFFSET_BITS: u32 = 36;
/// How many bytes an address may be away from an object and still count as an address of it.
pub const SLACK: u64 = 1 << 16;
/// The number of bits of the object number.
pub const NUMBER_BITS: u32 = 64 - OFFSET_BITS;
/// The object number of the first function: an arbitrary number with which few programs compute.
pub const FIRST_FUNCTION: u32 = 0x2a1_b000;
/// The offset of a function in its part of the address space. It is not 0, because the result of a
/// left shift may well point there.
const FUNCTION_OFFSET: u64 = 0x5_a3c0;
/// The number of the first object, right after the last possible function.
pub const FIRST_OBJECT: u32 = FIRST_FUNCTION + (1 << 22);
/// One more than the largest object number.
pub const END_OF_OBJECTS: u32 = 1 << (NUMBER_BITS - 1);
/// An address that belongs to no object and no function, and is not near any.
pub const OF_NOTHING: u64 = object_address(FIRST_FUNCTION - 1);

/// The number of the object at `address`.
#[inline(always)]
pub fn object_number(address: u64) -> u32 {
    (address >> OFFSET_BITS) as u32
}

/// The offset of `address` in its object.
#[inline(always)]
pub fn offset(address: u64) -> u64 {
    address & ((1 << OFFSET_BITS) - 1)
}

/// The address of the first byte of an object.
#[inline(always)]
pub const fn object_address(number: u32) -> u64 {
    (number as u64) << OFFSET_BITS
}

/// The number of the object whose first byte is nearest to `address`. If `address` is the address
/// of an object plus or minus a small number, this is that object.
#[inline(always)]
pub fn nearest_object(address: u64) -> u32 {
    object_number(address.wrapping_add(1 << (OFFSET_BITS - 1)))
}

/// The address of a global variable. Globals are the first objects.
pub fn global_address(global: GlobalId) -> u64 {
    object_address(FIRST_OBJECT + global.0)
}

/// The address of a function.
pub fn function_address(function: FunctionId) -> u64 {
    object_address(FIRST_FUNCTION + function.0) + FUNCTION_OFFSET
}

/// The function at `address`, if a function can be there.
pub fn function_at(address: u64) -> Option<FunctionId> {
    let number = object_number(address);
    (offset(address) == FUNCTION_OFFSET && (FIRST_FUNCTION..FIRST_OBJECT).contains(&number))
        .then(|| FunctionId(number - FIRST_FUNCTION))
}

/// Whether `address` is closer to a function than to any object.
pub fn is_code(address: u64) -> bool {
    (FIRST_FUNCTION..FIRST_OBJECT).contains(&nearest_object(address))
}

/// Whether `value` lies in the address range of functions and of objects with a number below `end`.
#[inline(always)]
pub fn is_in_range(value: u64, end: u32) -> bool {
    let first = object_address(FIRST_FUNCTION);
    value.wrapping_sub(first) < object_address(end - FIRST_FUNCTION)
}

/// Whether `address` is near the start of the object that contains `base`. If so, it counts as an
/// address of that object, whatever the object's size.
#[inline(always)]
pub fn are_near(base: u64, address: u64) -> bool {
    nearest_object(base) == nearest_object(address)
        && offset(address.wrapping_add(SLACK)) <= 2 * SLACK
}

/// Whether `byte` is the highest byte of some address of a function, or of an object with a number
/// below `end`.
pub fn is_highest_byte(byte: u8, end: u32) -> bool {
    let highest = |number: u32| number >> (NUMBER_BITS - u8::BITS);
    (highest(FIRST_FUNCTION)..=highest(end)).contains(&u32::from(byte))
}
