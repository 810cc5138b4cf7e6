//! Where an access goes: bounds, symbolic addresses.

use smallvec::SmallVec;

use super::{Executor, lockstep};
use crate::{
    env::{Stop, world::StandardFiles},
    expr::{BinaryOp, ExprId, Node, Progression},
    ir::address::{self, NUMBER_BITS, OFFSET_BITS, object_address, object_number},
    memory::{Byte, Fault, NULL_PAGE, Value},
};

/// Where in an object an access goes.
#[derive(Clone, Copy)]
pub(super) enum Pointee {
    Concrete {
        address: u64,
        offset: usize,
    },
    /// The object at that address, at this offset of [`OFFSET_BITS`], known to be within bounds
    /// and one of `offsets`.
    Symbolic {
        object: u64,
        offset: ExprId,
        offsets: Progression,
    },
}

/// An access at an offset with at most this many possible values goes to each of them.
const FEW_PLACES: usize = 4;
/// An access to one field of the elements of an array goes to each element if there are at most
/// this many. An update at a symbolic offset may be anywhere, so it would count as overwriting a
/// pointer beside the field.
const FEW_ELEMENTS: usize = 8;
/// An address that visibly points to one of at most this many objects is compared with each of
/// them.
const FEW_OBJECTS: usize = 64;
/// The few places of an access, each with the condition that the access goes there.
type FewPlaces = SmallVec<[(ExprId, Pointee); FEW_PLACES]>;
/// How deep choices within choices are searched for the object that an address points to.
const DEEPEST_CHOICE: u32 = 16;
/// The size in bytes of the largest object that is read or written at a symbolic offset.
const SYMBOLIC_OFFSET_LIMIT: u64 = 1 << 20;

impl Executor<'_> {
    /// Finds the object that an access of `length` bytes goes to; an access that no object
    /// allows is an error. Forks where a symbolic address allows several answers.
    pub(super) fn resolve(
        &mut self,
        address: Value,
        length: u64,
        write: bool,
    ) -> Result<Pointee, Stop> {
        let expr = match self.written(address, 64)? {
            Value::Int(address) => return self.resolve_known(address, length, write),
            Value::Undefined => unreachable!("`written` gives none"),
            Value::Expr(expr) => {
                let expr = self.unhidden(self.on_this_path(expr));
                self.without_revision(expr)?
            }
        };
        let exprs = &self.program.exprs;
        if let Some(address) = exprs.as_u64(expr) {
            return self.resolve_known(address, length, write);
        }
        if let Some(base) = self.base(expr) {
            return self.resolve_within(base, expr, length, write);
        }
        let number = self.object_of(expr)?;
        let address = self.arms_within(number, expr, DEEPEST_CHOICE).unwrap_or(expr);
        match self.program.exprs.as_u64(address) {
            Some(address) => self.resolve_known(address, length, write),
            None => self.resolve_within(object_address(number), address, length, write),
        }
    }

    /// `address`, which points to object number `number`, without the arms of choices that point
    /// elsewhere; `None` if all arms do.
    fn arms_within(&self, number: u32, address: ExprId, depth: u32) -> Option<ExprId> {
        let exprs = &self.program.exprs;
        match exprs.node(address) {
            Node::Ite(c, a, b) if depth > 0 => {
                let a = self.arms_within(number, a, depth - 1);
                let b = self.arms_within(number, b, depth - 1);
                match (a, b) {
                    (Some(a), Some(b)) => Some(exprs.ite(c, a, b)),
                    (a, b) => a.or(b),
                }
            }
            Node::Constant(at) => (object_number(at) == number).then_some(address),
            Node::Select(table, _) => {
                let is_here = |at| object_number(at) == number;
                let elements = exprs.table_elements(table).iter();
                let mut here = elements.filter(|e| exprs.as_u64(**e).is_none_or(is_here));
                let first = *here.next()?;
                let is_only = exprs.as_u64(first).is_some() && here.all(|e| *e == first);
                Some(if is_only { first } else { address })
            }
            _ => Some(address),
        }
    }

    /// The address of the object that a symbolic address was computed from, if that is plain to
    /// see: the address of an object plus a symbolic offset. Whatever the offset is, C allows it to
    /// reach this object only (C11 6.5.6 paragraph 8).
    fn base(&self, address: ExprId) -> Option<u64> {
        let exprs = &self.program.exprs;
        let Node::Binary(BinaryOp::Add, _, constant) = exprs.node(address) else { return None };
        let number = address::nearest_object(exprs.as_u64(constant)?);
        (address::FIRST_OBJECT..address::END_OF_OBJECTS)
            .contains(&number)
            .then(|| object_address(number))
    }

    /// The number of the object that a symbolic address points to. All addresses at which no object
    /// has ever been are one single error.
    fn object_of(&mut self, address: ExprId) -> Result<u32, Stop> {
        let exprs = &self.program.exprs;
        let number = exprs.extract(address, OFFSET_BITS, NUMBER_BITS);
        if let Some(number) = exprs.as_u64(number) {
            return Ok(number as u32);
        }
        if let Some(few) = exprs.few_values(number, FEW_OBJECTS) {
            let is_known =
                |number: &u64| *number == 0 || self.state.memory.has_been(*number as u32);
            if few.iter().all(is_known) {
                return Ok(self.concretise_among(number, &few)? as u32);
            }
        }
        if self.state.lockstep.is_some() {
            // The address may point to any object.
            return Err(lockstep::too_much());
        }
        let candidate = self.candidate(number);
        if candidate != 0 && !self.state.memory.has_been(candidate as u32) {
            let first = exprs.constant(NUMBER_BITS, u64::from(address::FIRST_OBJECT));
            let unused = exprs.constant(NUMBER_BITS, u64::from(self.state.memory.unused_from()));
            let used = exprs.and(exprs.ule(first, number), exprs.ult(number, unused));
            let null = exprs.eq(number, exprs.constant(NUMBER_BITS, 0));
            if self.branch(exprs.and(exprs.not(used), exprs.not(null)))? {
                return Err(Fault::Wild.into());
            }
        }
        Ok(self.concretise_from(number, candidate, "pointer")? as u32)
    }

    /// Finds the place of an access at a known address. It is a [`Pointee::Symbolic`] if the bytes
    /// are in a part that was written at a symbolic offset.
    fn resolve_known(&mut self, address: u64, length: u64, write: bool) -> Result<Pointee, Stop> {
        match self.resolve_concrete(address, length, write)? {
            Pointee::Concrete { address, offset } => {
                self.place_in(address, offset, length as usize)
            }
            place => Ok(place),
        }
    }

    pub(super) fn place_in(
        &self,
        object: u64,
        offset: usize,
        length: usize,
    ) -> Result<Pointee, Stop> {
        if !self.state.memory.object(object)?.is_updated(offset, length) {
            return Ok(Pointee::Concrete { address: object, offset });
        }
        let offset = self.program.exprs.constant(OFFSET_BITS, offset as u64);
        Ok(Pointee::Symbolic { object, offset, offsets: Progression::ALL })
    }

    pub(super) fn resolve_concrete(
        &mut self,
        address: u64,
        length: u64,
        write: bool,
    ) -> Result<Pointee, Stop> {
        let object = self.state.memory.object(address)?;
        let (offset, constant) = (address::offset(address), object.constant);
        if !object.contains(offset, length) {
            self.reach(address, length)?;
        }
        if write && constant {
            return Err(self.read_only(address));
        }
        Ok(Pointee::Concrete { address, offset: offset as usize })
    }

    /// What a write to constant memory leads to. The variables `stdin`, `stdout` and `stderr` count
    /// as constant: functions such as `puts` use them without saying so.
    fn read_only(&self, address: u64) -> Stop {
        let StandardFiles { stdin, stdout, stderr } = self.state.world.files;
        let held = self.state.memory.object(address).ok().and_then(|object| object.word(0, 8));
        match held {
            Some(file) if [stdin, stdout, stderr].contains(&file) => {
                Stop::unsupported("an assignment to stdin, stdout or stderr")
            }
            _ => Fault::ReadOnly.into(),
        }
    }

    /// Makes sure that `length` bytes at an address lie inside their object, whose size may depend
    /// on input.
    pub(super) fn reach(&mut self, address: u64, length: u64) -> Result<(), Stop> {
        let object = self.state.memory.object(address)?;
        let offset = address::offset(address);
        if object.contains(offset, length) {
            return Ok(());
        }
        let (Some(extent), Some(end)) = (object.extent(), offset.checked_add(length)) else {
            return Err(Fault::OutOfBounds.into());
        };
        let capacity = object.capacity();
        let exprs = &self.program.exprs;
        let inside = exprs.ule(exprs.constant(64, end), extent);
        if !self.follows(inside, exprs.constant(1, 1)) && !self.branch(inside)? {
            return Err(Fault::OutOfBounds.into());
        }
        if end > capacity {
            return Err(beyond_capacity(capacity));
        }
        self.state.memory.object_mut(address)?.ascertain(end);
        Ok(())
    }

    /// The byte at an address, if the address visibly lies inside an object on this path wherever
    /// the condition `given` holds.
    pub(super) fn peek(&self, address: u64, given: ExprId) -> Option<Byte> {
        let object = self.state.memory.object(address).ok()?;
        let exprs = &self.program.exprs;
        let offset = address::offset(address);
        let is_inside = object.contains(offset, 1)
            || offset < object.capacity()
                && self.follows(exprs.ult(exprs.constant(64, offset), object.extent()?), given);
        let at = offset as usize;
        is_inside.then(|| {
            let takes_part = self.takes_part(object, &(at..at + 1));
            let part = takes_part.then(|| self.byte_of_address(address, at));
            part.flatten().map_or_else(|| object.byte(exprs, at), |byte| Byte::of(exprs, byte))
        })
    }

    fn resolve_within(
        &mut self,
        base: u64,
        address: ExprId,
        length: u64,
        write: bool,
    ) -> Result<Pointee, Stop> {
        if base == 0 {
            let exprs = &self.program.exprs;
            let null = exprs.ult(address, exprs.constant(64, NULL_PAGE));
            let fault = if self.branch(null)? { Fault::Null } else { Fault::Wild };
            return Err(fault.into());
        }
        let object = self.state.memory.object(base)?;
        let (capacity, extent) = (object.capacity(), object.extent());
        if write && object.constant {
            return Err(self.read_only(base));
        }
        if let Some(extent) = extent {
            let exprs = &self.program.exprs;
            if !self.branch(exprs.ule(exprs.constant(64, length), extent))? {
                return Err(Fault::OutOfBounds.into());
            }
        } else if length > capacity {
            return Err(Fault::OutOfBounds.into());
        }
        let exprs = &self.program.exprs;
        let distance = exprs.sub(address, exprs.constant(64, base));
        let size = extent.unwrap_or_else(|| exprs.constant(64, capacity));
        let last = exprs.sub(size, exprs.constant(64, length));
        let is_inside = exprs.bounds(distance).1 <= exprs.bounds(last).0;
        if !is_inside && !self.branch(exprs.ule(distance, last))? {
            return Err(Fault::OutOfBounds.into());
        }
        if extent.is_some() {
            let exprs = &self.program.exprs;
            let last = exprs.constant(64, capacity.saturating_sub(length));
            if length > capacity || !self.branch(exprs.ule(distance, last))? {
                return Err(beyond_capacity(capacity));
            }
        }
        let exprs = &self.program.exprs;
        let offset = exprs.extract(distance, 0, OFFSET_BITS);
        let offsets = exprs.progression(distance);
        if capacity > SYMBOLIC_OFFSET_LIMIT {
            let offset =
                self.concretise(Value::Expr(offset), OFFSET_BITS, "offset in a large object")?;
            return Ok(Pointee::Concrete { address: base + offset, offset: offset as usize });
        }
        Ok(Pointee::Symbolic { object: base, offset, offsets })
    }

    /// The places where a symbolic offset inside an object may be, each with the condition that it
    /// is there; `None` if they are more than a few.
    pub(super) fn few_places(
        &self,
        object: u64,
        offset: ExprId,
        offsets: Progression,
        length: usize,
    ) -> Result<Option<FewPlaces>, Stop> {
        let exprs = &self.program.exprs;
        if exprs.as_u64(offset).is_some() {
            return Ok(None);
        }
        let last = self.state.memory.object(object)?.capacity() - length as u64;
        let elements = || {
            let is_field = offsets.step() > length as u64;
            let few = || offsets.up_to(last).take(FEW_ELEMENTS + 1).collect::<Vec<_>>();
            is_field.then(few).filter(|few| (1..=FEW_ELEMENTS).contains(&few.len()))
        };
        let Some(values) = exprs.few_values(offset, FEW_PLACES).or_else(elements) else {
            return Ok(None);
        };
        let places = values.into_iter().filter(|at| *at <= last).map(|at| {
            let here = exprs.eq(offset, exprs.constant(OFFSET_BITS, at));
            Ok((here, self.place_in(object, at as usize, length)?))
        });
        places.collect::<Result<_, Stop>>().map(Some)
    }
}

pub(super) fn beyond_capacity(capacity: u64) -> Stop {
    Stop::unsupported(format!(
        "memory of symbolic or very large size beyond its first {capacity} bytes"
    ))
}
