//! Memory: bounded objects at numbers, shared between states until written.
//!
//! An object is found by the number in the upper bits of an address ([`crate::ir::address`]).
//! Its bytes are concrete, symbolic or never written; what was freed stays known as such.

mod object;
mod slots;
mod spare;
mod updates;
pub mod value;

use triomphe::Arc;

pub use object::{Byte, Object, Segment};
pub use spare::Spare;
pub use value::Value;

use crate::{
    expr::{BinaryOp, Exprs, Node},
    ir::address::{self, function_at},
};

use slots::{Slot, Slots};

/// The address space of one state. A clone shares every object until one side writes it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    slots: Slots,
    next: u32,
}

/// Why an access is an error, whatever it would have read or written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The address points to no object at all; close to zero it is a null pointer.
    Wild,
    /// Null or a small offset from it.
    Null,
    /// Beyond the bounds of the object.
    OutOfBounds,
    /// The object was freed, or its function has returned.
    Dead(Segment),
    /// A write to constant memory.
    ReadOnly,
    /// A variable that the program only declares.
    External,
}

/// Addresses below this one count as null.
pub const NULL_PAGE: u64 = 4096;

impl Memory {
    /// Empty memory with the first so many object numbers set aside ([`Memory::place`]).
    pub fn with_reserved(count: u32) -> Self {
        Self { slots: Slots::default(), next: address::FIRST_OBJECT + count }
    }

    /// Puts `object` at the next free number and gives its address.
    pub fn allocate(&mut self, object: Object) -> u64 {
        self.put(Arc::new(object), &mut Spare::default())
    }

    /// A variable of a function, never written, of so many bytes.
    pub fn allocate_local(&mut self, size: usize, alignment: u32, spare: &mut Spare) -> u64 {
        self.put(spare.local(size, alignment), spare)
    }

    fn put(&mut self, object: Arc<Object>, spare: &mut Spare) -> u64 {
        let number = self.next;
        self.next += 1;
        *self.slots.get_mut(index(number), spare) = Slot::Live(object);
        address::object_address(number)
    }

    /// Puts `object` at a fixed number (globals).
    pub fn place(&mut self, number: u32, object: Object) {
        *self.slot_mut(number) = Slot::Live(Arc::new(object));
    }

    /// Marks a number as that of a variable which is defined elsewhere.
    pub fn place_external(&mut self, number: u32) {
        *self.slot_mut(number) = Slot::External;
    }

    /// Whether every number is used up.
    pub fn is_full(&self) -> bool {
        self.next >= address::END_OF_OBJECTS
    }

    /// The live object that `address` lies in, by its number alone (not its bounds).
    #[inline]
    pub fn object(&self, address: u64) -> Result<&Object, Fault> {
        match self.slot(address::object_number(address)) {
            Slot::Live(object) => Ok(object),
            other => Err(fault(other, address)),
        }
    }

    /// As [`Memory::object`], for writing: copies it first when another state shares it.
    #[inline]
    pub fn object_mut(&mut self, address: u64) -> Result<&mut Object, Fault> {
        let number = address::object_number(address);
        match self.slot(number) {
            Slot::Live(_) => {}
            other => return Err(fault(other, address)),
        }
        match self.slots.get_known_mut(index(number)) {
            Some(Slot::Live(object)) => Ok(Arc::make_mut(object)),
            _ => unreachable!("looked at just above"),
        }
    }

    /// Ends the life of the object whose first byte is at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let segment = self.object(address)?.segment;
        let number = address::object_number(address);
        self.slots.kill(index(number), segment, &mut Spare::default());
        Ok(())
    }

    /// Ends the life of the objects of those numbers, as a returning function does.
    pub fn release(&mut self, numbers: &[u32], spare: &mut Spare) {
        for &number in numbers {
            self.slots.kill(index(number), Segment::Stack, spare);
        }
    }

    /// Whether this memory, which `earlier` has become, holds the same objects with the same
    /// content again. Objects that have come and gone in between do not count: new ones get
    /// other numbers than natively anyway.
    pub fn same(&self, earlier: &Self) -> bool {
        self.slots.same(&earlier.slots, index(earlier.next))
    }

    /// Whether an object has ever been at that number.
    pub fn has_been(&self, number: u32) -> bool {
        !matches!(self.slot(number), Slot::Never)
    }

    /// The numbers from this one on have not been used yet.
    pub fn unused_from(&self) -> u32 {
        self.next
    }

    #[inline]
    fn slot(&self, number: u32) -> &Slot {
        self.slots.get(index(number))
    }

    #[inline]
    fn slot_mut(&mut self, number: u32) -> &mut Slot {
        self.slots.get_mut(index(number), &mut Spare::default())
    }

    /// Whether `value` may be an address; a quick test that a few other numbers pass as well.
    #[inline(always)]
    pub fn may_be_address(&self, value: u64) -> bool {
        address::is_in_range(value, self.next)
    }

    /// The address that a value certainly has to do with: itself, that of a function, or one
    /// close to an object. A number that just happens to look like that is hardly possible.
    pub fn address_in(&self, exprs: &Exprs, value: Value) -> Option<u64> {
        let close = |address: u64| {
            if function_at(address).is_some() {
                return true;
            }
            let number = address::nearest_object(address);
            let distance = address.abs_diff(address::object_address(number));
            match self.slot(number) {
                Slot::Live(object) => distance <= object.capacity() + SLACK,
                Slot::Dead(_) | Slot::External => distance <= SLACK,
                Slot::Never | Slot::Page(_) => false,
            }
        };
        let constant = |e| exprs.as_u64(e).filter(|_| exprs.width(e) == 64).filter(|a| close(*a));
        match value {
            Value::Int(address) => {
                Some(address).filter(|a| self.may_be_address(*a)).filter(|a| close(*a))
            }
            Value::Undefined => None,
            Value::Expr(e) => match exprs.node(e) {
                Node::Binary(BinaryOp::Add, _, offset) => constant(offset),
                Node::Ite(_, a, b) => constant(a).or_else(|| constant(b)),
                Node::Select(table, _) => {
                    exprs.table_elements(table).iter().find_map(|element| constant(*element))
                }
                _ => None,
            },
        }
    }
}

/// How far from an object an address may be that still has to do with it.
const SLACK: u64 = 1 << 16;

/// Where the object of that number is found in [`Memory::slots`]; far behind all of them for what
/// is no number of an object.
#[inline(always)]
fn index(number: u32) -> u32 {
    number.wrapping_sub(address::FIRST_OBJECT)
}

fn fault(slot: &Slot, address: u64) -> Fault {
    match slot {
        Slot::Dead(segment) => Fault::Dead(*segment),
        Slot::External => Fault::External,
        _ if address < NULL_PAGE => Fault::Null,
        _ => Fault::Wild,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_does_not_see_later_writes() {
        let mut memory = Memory::with_reserved(0);
        let at = memory.allocate(Object::zeroed(Segment::Heap, 4));
        let other = memory.clone();
        memory.object_mut(at).unwrap().write(&Exprs::new(), 0, &[1, 2]);
        assert_eq!(other.object(at).unwrap().concrete(0, 2), Some(&[0, 0][..]));
        assert_eq!(memory.object(at).unwrap().concrete(0, 2), Some(&[1, 2][..]));
        assert!(!memory.same(&other));
    }

    #[test]
    fn freed_null_and_wild_addresses_are_told_apart() {
        let mut memory = Memory::with_reserved(0);
        let heap = memory.allocate(Object::zeroed(Segment::Heap, 4));
        memory.free(heap).unwrap();
        assert_eq!(memory.object(heap).unwrap_err(), Fault::Dead(Segment::Heap));
        assert_eq!(memory.free(heap).unwrap_err(), Fault::Dead(Segment::Heap));
        assert_eq!(memory.object(8).unwrap_err(), Fault::Null);
        assert_eq!(memory.object(1 << 60).unwrap_err(), Fault::Wild);
    }

    #[test]
    fn a_page_of_returned_frames_stays_dead() {
        let mut memory = Memory::with_reserved(0);
        let all: Vec<u64> =
            (0..100).map(|_| memory.allocate(Object::zeroed(Segment::Stack, 1))).collect();
        let numbers: Vec<u32> = all.iter().map(|a| address::object_number(*a)).collect();
        memory.release(&numbers, &mut Spare::default());
        for at in all {
            assert_eq!(memory.object(at).unwrap_err(), Fault::Dead(Segment::Stack));
        }
    }
}
