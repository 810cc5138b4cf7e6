//! Memory: bounded objects with numbers, shared between states until written.
//!
//! An object is found by the number in the upper bits of an address ([`crate::ir::address`]). Its
//! bytes are concrete, symbolic or never written. A freed object stays known as such.

mod addresses;
mod contents;
mod object;
mod page;
mod slots;
mod spare;
mod updates;
pub mod value;

use triomphe::Arc;

pub use addresses::Addresses;
pub use contents::Byte;
pub use object::{Grain, Object, Segment};
pub use spare::Spare;
pub use value::{Value, WORD};

use crate::{
    expr::{ExprId, Exprs},
    ir::address::{self, function_at},
};

use page::Slot;
use slots::Slots;

/// The address space of one state. A clone shares every object until one side writes it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    slots: Slots,
    next: u32,
    heap: Heap,
}

/// The total size of the live objects on the heap.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Heap {
    /// Bytes of the objects whose size is known.
    known: u64,
    /// The sizes of the other objects, in ascending order of expression ids.
    extents: Vec<ExprId>,
}

impl Heap {
    fn add(&mut self, object: &Object) {
        match object.extent() {
            None => self.known += object.capacity(),
            Some(size) => {
                let place = self.extents.partition_point(|known| *known < size);
                self.extents.insert(place, size);
            }
        }
    }

    fn remove(&mut self, object: &Object) {
        match object.extent() {
            None => self.known -= object.capacity(),
            Some(size) => {
                let place = self.extents.partition_point(|known| *known < size);
                self.extents.remove(place);
            }
        }
    }
}

/// Why an access is an error, whatever it would have read or written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The address points to no object at all and is not close to zero.
    Wild,
    /// The address is null or a small offset from it.
    Null,
    /// The address is beyond the bounds of the object.
    OutOfBounds,
    /// The object was freed, or its function has returned.
    Dead(Segment),
    /// A write to constant memory.
    ReadOnly,
    /// The object is a variable that the program only declares.
    External,
}

/// Addresses below this one count as null.
pub const NULL_PAGE: u64 = 4096;

impl Memory {
    /// Empty memory with the first `count` object numbers set aside ([`Memory::place`]).
    pub fn with_reserved(count: u32) -> Self {
        Self { next: address::FIRST_OBJECT + count, ..Self::default() }
    }

    /// Puts `object` at the next free number and returns its address.
    pub fn allocate(&mut self, object: Object) -> u64 {
        if object.segment == Segment::Heap {
            self.heap.add(&object);
        }
        self.put(Arc::new(object), &mut Spare::default())
    }

    /// The total size in bytes of all live objects on the heap, as an expression of 64 bits.
    pub fn allocated(&self, exprs: &Exprs) -> ExprId {
        let known = exprs.constant(64, self.heap.known);
        self.heap.extents.iter().fold(known, |sum, size| exprs.add(sum, *size))
    }

    /// Allocates a local variable of `size` bytes that was never written, and returns its address.
    pub fn allocate_local(&mut self, size: usize, alignment: u32, spare: &mut Spare) -> u64 {
        self.put(spare.local(size, alignment), spare)
    }

    fn put(&mut self, object: Arc<Object>, spare: &mut Spare) -> u64 {
        let number = self.next;
        self.next += 1;
        *self.slots.get_mut(index(number), spare) = Slot::Live(object);
        address::object_address(number)
    }

    /// Puts `object` at a fixed number, as for globals.
    pub fn place(&mut self, number: u32, object: Object) {
        *self.slot_mut(number) = Slot::Live(Arc::new(object));
    }

    /// Marks a number as that of a variable that is defined elsewhere.
    pub fn place_external(&mut self, number: u32) {
        *self.slot_mut(number) = Slot::External;
    }

    /// Whether all object numbers are used up.
    pub fn is_full(&self) -> bool {
        self.next >= address::END_OF_OBJECTS
    }

    /// The live object in which `address` lies, by its number alone (not its bounds).
    #[inline]
    pub fn object(&self, address: u64) -> Result<&Object, Fault> {
        match self.slot(address::object_number(address)) {
            Slot::Live(object) => Ok(object),
            other => Err(fault(other, address)),
        }
    }

    /// The live object in which `address` lies, by its number alone, to be written. It is copied
    /// first if another state shares it.
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
        let number = address::object_number(address);
        let object = match self.slots.get(index(number)) {
            Slot::Live(object) => object,
            other => return Err(fault(other, address)),
        };
        let segment = object.segment;
        if segment == Segment::Heap {
            self.heap.remove(object);
        }
        self.slots.kill(index(number), segment, &mut Spare::default());
        Ok(())
    }

    /// Ends the life of the objects with these numbers, as a returning function does.
    pub fn release(&mut self, numbers: &[u32], spare: &mut Spare) {
        for &number in numbers {
            self.slots.kill(index(number), Segment::Stack, spare);
        }
    }

    /// Whether this memory, a later state of `earlier`, holds the same objects with the same
    /// content again. Objects that have come and gone in between do not count: new objects have
    /// other numbers than natively anyway.
    pub fn same(&self, earlier: &Self) -> bool {
        self.slots.same(&earlier.slots, index(earlier.next))
    }

    /// The addresses of the bytes that have changed since `earlier`, a former state of this memory.
    /// `None` if there are other objects, an object larger than 64 KiB was written, more than 256
    /// bytes changed, or a changed byte is unwritten now.
    pub fn changes(&self, exprs: &Exprs, earlier: &Self) -> Option<Vec<u64>> {
        const LARGEST: u64 = 1 << 16;
        const MOST: usize = 256;
        let mut changes = Vec::new();
        for (first, now, then) in self.altered(earlier, LARGEST)? {
            let changed = |offset: &u64| {
                now.byte(exprs, *offset as usize) != then.byte(exprs, *offset as usize)
            };
            for offset in (0..now.capacity()).filter(changed) {
                if now.byte(exprs, offset as usize) == Byte::Uninitialised || changes.len() == MOST
                {
                    return None;
                }
                changes.push(first + offset);
            }
        }
        Some(changes)
    }

    /// The words that have changed since `earlier`, a former state of this memory, as addresses and
    /// sizes in bytes; an address is one word. `None` if there are other objects, or an object
    /// larger than 8 KiB was written. If an object was written at a symbolic offset, all of its
    /// words count as changed.
    pub fn changed_words(&self, exprs: &Exprs, earlier: &Self) -> Option<Vec<(u64, u32)>> {
        const LARGEST: u64 = 1 << 13;
        const POINTER: u64 = WORD as u64;
        let mut words = Vec::new();
        for (first, now, then) in self.altered(earlier, LARGEST)? {
            let capacity = now.capacity();
            let size = match capacity {
                8 => 8,
                _ if capacity % 4 == 0 => 4,
                _ => 1,
            };
            let any_updated =
                [now, then].iter().any(|object| object.is_updated(0, capacity as usize));
            let changed = |offset: &u64| {
                let differs = |at: usize| now.byte(exprs, at) != then.byte(exprs, at);
                any_updated || (*offset..*offset + size).any(|at| differs(at as usize))
            };
            let mut end = 0;
            for offset in (0..capacity).step_by(size as usize).filter(changed) {
                let pointer = offset - offset % POINTER;
                let has_pointer = size < POINTER
                    && pointer + POINTER <= capacity
                    && [now, then].iter().any(|object| self.has_address(exprs, object, pointer));
                let (offset, size) = if has_pointer { (pointer, POINTER) } else { (offset, size) };
                if offset >= end {
                    words.push((first + offset, size as u32));
                    end = offset + size;
                }
            }
        }
        Some(words)
    }

    /// The objects that were written since `earlier`, a former state of this memory: the address,
    /// the object now and the object then. `None` if there are other objects, a size has changed,
    /// or a written object is larger than `largest`.
    fn altered<'a>(
        &'a self,
        earlier: &'a Self,
        largest: u64,
    ) -> Option<Vec<(u64, &'a Object, &'a Object)>> {
        let mut differing = Vec::new();
        let is_alike = self.slots.differences(&earlier.slots, index(earlier.next), &mut differing);
        if !is_alike || self.heap != earlier.heap {
            return None;
        }
        let both = |slot: u32| {
            let (Slot::Live(now), Slot::Live(then)) =
                (self.slots.get(slot), earlier.slots.get(slot))
            else {
                return None;
            };
            let capacity = now.capacity();
            let is_same = capacity == then.capacity() && now.extent() == then.extent();
            let first = address::object_address(slot + address::FIRST_OBJECT);
            (is_same && capacity <= largest).then_some((first, &**now, &**then))
        };
        differing.into_iter().map(both).collect()
    }

    /// Joins the memories of two states that were one and have done different things since.
    /// `choose` makes one expression of two that differ, if it can. `None` if the memories have
    /// different objects, or if objects that differ cannot be joined. This is so if parts of them
    /// were written at symbolic offsets, or if an address differs and `by` is [`Grain::Number`].
    pub fn join(
        exprs: &Exprs,
        [a, b]: [&Self; 2],
        by: Grain,
        choose: &dyn Fn(ExprId, ExprId) -> Option<ExprId>,
    ) -> Option<Self> {
        let (mut joined, other) = if a.next >= b.next { (a.clone(), b) } else { (b.clone(), a) };
        // Any objects that only one of them had are gone again.
        let mut differing = Vec::new();
        let count = index(other.next);
        if !joined.slots.differences(&other.slots, count, &mut differing) {
            return None;
        }
        let is_address = |word| {
            let word = Value::from_expr(exprs, word);
            [a, b].iter().any(|memory| memory.addresses_in(exprs, word).first().is_some())
        };
        let mut heaps = [a, b].map(|memory| memory.heap.clone());
        let mut of_other_size = Vec::new();
        for number in differing {
            let (Slot::Live(x), Slot::Live(y)) = (a.slots.get(number), b.slots.get(number)) else {
                return None;
            };
            let object = Object::join(exprs, [x, y], by, &is_address, choose)?;
            let object = Arc::new(object);
            if object.segment == Segment::Heap && object.extent() != x.extent() {
                heaps[0].remove(x);
                heaps[1].remove(y);
                of_other_size.push(object.clone());
            }
            *joined.slots.get_mut(number, &mut Spare::default()) = Slot::Live(object);
        }
        let [heap, other] = heaps;
        if heap != other {
            return None;
        }
        joined.heap = heap;
        of_other_size.iter().for_each(|object| joined.heap.add(object));
        Some(joined)
    }

    /// Whether a byte or the size of a live object may be an expression that satisfies a condition.
    pub fn may_have(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        self.slots.any_live(&|object| object.may_have(is))
    }

    /// Whether an object has ever been at this number.
    pub fn has_been(&self, number: u32) -> bool {
        !matches!(self.slot(number), Slot::Never)
    }

    /// The first number that has not been used yet. Those after it have not been used, either.
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

    /// A quick test whether `value` may be an address. Some other numbers pass as well.
    #[inline(always)]
    pub fn may_be_address(&self, value: u64) -> bool {
        address::is_in_range(value, self.next)
    }

    /// A quick test whether a byte may be the highest one of an address. Some other bytes pass as
    /// well.
    pub fn may_be_highest_byte(&self, byte: u8) -> bool {
        address::is_highest_byte(byte, self.next)
    }

    /// Whether an object may have an address at a place that is not aligned, as a packed structure
    /// does.
    pub fn has_odd_addresses(&self, object: &Object) -> bool {
        let is_address = |word: u64| {
            let is_object = || address::object_number(word) >= address::FIRST_OBJECT;
            self.may_be_address(word) && (function_at(word).is_some() || is_object())
        };
        let word = WORD as u64;
        let mut odd = (0..object.size().saturating_sub(word - 1)).filter(|at| at % word != 0);
        odd.any(|at| object.word(at, WORD).is_some_and(is_address))
    }

    /// Whether the eight bytes at an offset of an object are made of an address.
    fn has_address(&self, exprs: &Exprs, object: &Object, offset: u64) -> bool {
        let bytes = offset as usize..offset as usize + WORD;
        let value = match object.word(offset, WORD) {
            Some(word) => Some(Value::Int(word)),
            None => object.written(exprs, bytes).map(|word| Value::from_expr(exprs, word)),
        };
        value.is_some_and(|value| self.addresses_in(exprs, value).first().is_some())
    }

    /// The addresses that a value may be, or from which it is an offset: those of functions, and
    /// those close to an object. It is very unlikely that a number just happens to look like one.
    pub fn addresses_in(&self, exprs: &Exprs, value: Value) -> Addresses {
        match value {
            Value::Int(number) if !self.may_be_address(number) => Addresses::default(),
            _ => Addresses::of(exprs, value, |number| self.is_close(number)),
        }
    }

    /// Whether a number is the address of a function, or close to an object.
    fn is_close(&self, address: u64) -> bool {
        if !self.may_be_address(address) {
            return false;
        }
        if function_at(address).is_some() {
            return true;
        }
        let number = address::nearest_object(address);
        let distance = address.abs_diff(address::object_address(number));
        match self.slot(number) {
            Slot::Live(object) => distance <= object.capacity() + address::SLACK,
            Slot::Dead(_) | Slot::External => distance <= address::SLACK,
            Slot::Never | Slot::Page(_) => false,
        }
    }
}

/// The index of an object number in [`Memory::slots`]. It is far behind all indices in use if the
/// number is not that of an object.
#[inline(always)]
fn index(number: u32) -> u32 {
    number.wrapping_sub(address::FIRST_OBJECT)
}

fn fault(slot: &Slot, address: u64) -> Fault {
    match slot {
        // The address is in front of the next object rather than far behind this one.
        Slot::Dead(_) if address::nearest_object(address) != address::object_number(address) => {
            Fault::OutOfBounds
        }
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
        assert_eq!(other.object(at).unwrap().word(0, 2), Some(0));
        assert_eq!(memory.object(at).unwrap().word(0, 2), Some(0x201));
        assert!(!memory.same(&other));
    }

    #[test]
    fn freed_null_and_wild_addresses_are_told_apart() {
        let mut memory = Memory::with_reserved(0);
        let heap = memory.allocate(Object::zeroed(Segment::Heap, 4));
        memory.free(heap).unwrap();
        assert_eq!(memory.object(heap).unwrap_err(), Fault::Dead(Segment::Heap));
        assert_eq!(memory.free(heap).unwrap_err(), Fault::Dead(Segment::Heap));
        let next = memory.allocate(Object::zeroed(Segment::Heap, 4));
        assert_eq!(memory.object(next - 12).unwrap_err(), Fault::OutOfBounds);
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
