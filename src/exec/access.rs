//! Memory accesses: bounds, symbolic addresses, symbolic and uninitialised bytes.

use smallvec::SmallVec;

use super::Executor;
use crate::{
    env::{Error, Stop, offset},
    expr::{BinaryOp, ExprId, Node},
    ir::address::{self, NUMBER_BITS, OFFSET_BITS, object_address, object_number},
    memory::{Byte, Fault, NULL_PAGE, Object, Segment, Value, value::truncate},
    solver::{Query, Verdict},
};

/// Where in an object an access goes.
enum Place {
    Concrete {
        address: u64,
        offset: usize,
    },
    /// The object at that address, at this offset of [`OFFSET_BITS`], known to be within bounds.
    Symbolic {
        object: u64,
        offset: ExprId,
    },
}

/// Largest object that is read or written at a symbolic offset, in bytes.
const SYMBOLIC_OFFSET_LIMIT: u64 = 1 << 20;
/// Most bytes that there are for an object of symbolic size.
const SYMBOLIC_SIZE_LIMIT: u64 = 1 << 16;
/// Longest copy or fill of symbolic length that is one state, byte by byte, in bytes.
const SYMBOLIC_LENGTH_LIMIT: u64 = 4096;
/// Largest single object, in bytes.
const OBJECT_LIMIT: u64 = 1 << 30;

impl Executor<'_> {
    /// A new object of the running function, `size * count` bytes.
    pub(super) fn alloca(&mut self, size: u64, count: Value, alignment: u32) -> Result<u64, Stop> {
        if self.state.memory.is_full() {
            return Err(Stop::unsupported("more objects than there are addresses for"));
        }
        let most = OBJECT_LIMIT / size.max(1);
        let address = match count {
            Value::Int(count) if count <= most => {
                let room = &mut self.spare_memory;
                self.state.memory.allocate_local((size * count) as usize, alignment, room)
            }
            Value::Undefined => return Err(Error::UninitialisedRead.into()),
            Value::Expr(count) => {
                let count = self.settle_revision(count)?;
                let exprs = &self.program.exprs;
                if !self.settle(exprs.ule(count, exprs.constant(64, most)))? {
                    return Err(too_large(size));
                }
                let exprs = &self.program.exprs;
                let extent = exprs.mul(count, exprs.constant(64, size));
                let capacity = self.capacity(extent);
                let object = Object::uninitialised(Segment::Stack, capacity as usize);
                self.state.memory.allocate(object.with_extent(extent).aligned(alignment))
            }
            Value::Int(_) => return Err(too_large(size)),
        };
        self.state.top.locals.push(object_number(address));
        Ok(address)
    }

    /// What stands at a concrete address, if it is concrete, too, has at most 64 bits, and is no
    /// part of an address.
    #[inline(always)]
    pub(super) fn load_int(&self, address: u64, width: u32) -> Option<u64> {
        let length = width.div_ceil(8) as usize;
        let object = self.state.memory.object(address).ok()?;
        let offset = address::offset(address);
        let word = object.word(offset, length)?;
        if length < 8
            && let Some(whole) = object.word(offset & !7, 8)
            && self.state.memory.may_be_address(whole)
        {
            return None;
        }
        Some(truncate(word, width))
    }

    pub(super) fn load_bits(&mut self, address: Value, width: u32) -> Result<Value, Stop> {
        if let Value::Int(at) = address
            && let Some(word) = self.load_int(at, width)
        {
            return Ok(Value::Int(word));
        }
        let length = width.div_ceil(8) as usize;
        let (object, offset) = match self.resolve(address, length as u64, false)? {
            Place::Concrete { address, offset } => {
                return self.load_known(address, offset, width, length);
            }
            Place::Symbolic { object, offset } => (object, offset),
        };
        self.initialise(object)?;
        let exprs = &self.program.exprs;
        let step = self.stride(offset, length);
        let mut word = self.state.memory.object(object)?.select(exprs, offset, length, step);
        if let (Some(at), Some(_), true) = (exprs.as_u64(offset), exprs.as_u64(word), length < 8) {
            let bytes = (0..length).map(|i| self.byte_of_address(object, at as usize + i));
            let bytes: Option<Vec<ExprId>> = bytes.collect();
            let part = bytes.into_iter().flatten().reduce(|low, high| exprs.concat(high, low));
            word = part.unwrap_or(word);
        }
        Ok(Value::from_expr(exprs, exprs.extract(word, 0, width)))
    }

    fn load_known(
        &mut self,
        address: u64,
        offset: usize,
        width: u32,
        length: usize,
    ) -> Result<Value, Stop> {
        let exprs = &self.program.exprs;
        let object = self.state.memory.object(address)?;
        let bytes: SmallVec<[Byte; 16]> =
            (0..length).map(|i| object.byte(exprs, offset + i)).collect();
        if bytes.iter().all(|byte| *byte == Byte::Uninitialised) {
            return self.load_uninitialised(address, offset, width, length);
        }
        let mut word: Option<ExprId> = None;
        for (index, byte) in bytes.into_iter().enumerate() {
            let byte = match self.byte_of_address(address, offset + index) {
                Some(byte) if length < 8 => byte,
                _ => self.byte_expr(address, offset + index, byte)?,
            };
            word = Some(word.map_or(byte, |low| exprs.concat(byte, low)));
        }
        let word = exprs.extract(word.expect("at least one byte"), 0, width);
        Ok(Value::from_expr(exprs, word))
    }

    /// Gives every byte of an object that was never written a variable: some of them are about
    /// to be read or left as they are, and nobody knows which.
    fn initialise(&mut self, object: u64) -> Result<(), Stop> {
        let size = self.state.memory.object(object)?.capacity() as usize;
        for offset in 0..size {
            let object_now = self.state.memory.object(object)?;
            if object_now.has_updates() {
                break;
            }
            let byte = object_now.byte(&self.program.exprs, offset);
            self.byte_expr(object, offset, byte)?;
        }
        Ok(())
    }

    /// A whole word that was never written: one variable, kept so that it reads the same again.
    fn load_uninitialised(
        &mut self,
        address: u64,
        offset: usize,
        width: u32,
        length: usize,
    ) -> Result<Value, Stop> {
        let word = self.uninitialised(length as u32 * 8);
        let exprs = &self.program.exprs;
        let object = self.state.memory.object_mut(address)?;
        for index in 0..length {
            let byte = exprs.extract(word, index as u32 * 8, 8);
            object.set_byte(exprs, offset + index, Byte::Symbolic(byte));
        }
        Ok(Value::Expr(exprs.extract(word, 0, width)))
    }

    /// The expression of a byte; one never written gets a variable, which is kept.
    fn byte_expr(&mut self, address: u64, offset: usize, byte: Byte) -> Result<ExprId, Stop> {
        if let Some(expr) = byte.expr(&self.program.exprs) {
            return Ok(expr);
        }
        let expr = self.uninitialised(8);
        let object = self.state.memory.object_mut(address)?;
        object.set_byte(&self.program.exprs, offset, Byte::Symbolic(expr));
        Ok(expr)
    }

    /// Sets one byte inside the bounds of the object at `address`.
    fn set_byte(&mut self, address: u64, offset: usize, byte: Byte) -> Result<(), Stop> {
        let known = if self.state.memory.object(address)?.has_updates() {
            // Updates are over what was written only.
            Byte::Symbolic(match byte.expr(&self.program.exprs) {
                Some(expr) => expr,
                None => self.uninitialised(8),
            })
        } else {
            byte
        };
        let object = self.state.memory.object_mut(address)?;
        object.set_byte(&self.program.exprs, offset, known);
        Ok(())
    }

    /// Writes a concrete value of at most 64 bits; `false` where that is not all there is to do.
    #[inline(always)]
    pub(super) fn store_int(&mut self, address: u64, width: u32, value: u64) -> bool {
        let length = width.div_ceil(8) as usize;
        match self.state.memory.object_mut(address) {
            Ok(object) => object.set_word(address::offset(address), length, value),
            Err(_) => false,
        }
    }

    pub(super) fn store_bits(
        &mut self,
        address: Value,
        width: u32,
        value: Value,
    ) -> Result<(), Stop> {
        if let (Value::Int(at), Value::Int(word)) = (address, value)
            && self.store_int(at, width, word)
        {
            return Ok(());
        }
        let length = width.div_ceil(8) as usize;
        let (object, offset) = match self.resolve(address, length as u64, true)? {
            Place::Concrete { address, offset } => {
                let exprs = &self.program.exprs;
                let word = match value {
                    Value::Undefined => None,
                    Value::Int(int) => {
                        Some(exprs.constant(length as u32 * 8, truncate(int, width)))
                    }
                    Value::Expr(expr) => Some(exprs.zext(expr, length as u32 * 8)),
                };
                let object = self.state.memory.object_mut(address)?;
                for index in 0..length {
                    let byte = word.map_or(Byte::Uninitialised, |word| {
                        Byte::of(exprs, exprs.extract(word, index as u32 * 8, 8))
                    });
                    object.set_byte(exprs, offset + index, byte);
                }
                return Ok(());
            }
            Place::Symbolic { object, offset } => (object, offset),
        };
        self.initialise(object)?;
        let word = self.expr(value, width);
        let exprs = &self.program.exprs;
        let word = exprs.zext(word, length as u32 * 8);
        let step = self.stride(offset, length);
        self.state.memory.object_mut(object)?.update(exprs, offset, word, length, step);
        Ok(())
    }

    /// The largest power of two up to `length` that `offset` is a multiple of for certain.
    fn stride(&self, offset: ExprId, length: usize) -> usize {
        let exprs = &self.program.exprs;
        let mut step = 1;
        while step < length
            && exprs.as_u64(exprs.extract(offset, 0, (step * 2).trailing_zeros())) == Some(0)
        {
            step *= 2;
        }
        if step == length { step } else { 1 }
    }

    /// Finds the object that an access of `length` bytes goes to; an access that no object
    /// allows is an error. Forks where a symbolic address allows several answers.
    fn resolve(&mut self, address: Value, length: u64, write: bool) -> Result<Place, Stop> {
        let expr = match address {
            Value::Int(address) => return self.resolve_known(address, length, write),
            Value::Undefined => return Err(Error::UninitialisedRead.into()),
            Value::Expr(expr) => {
                let expr = self.unhidden(expr);
                self.settle_revision(expr)?
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
        self.resolve_within(object_address(number), expr, length, write)
    }

    /// The object that a symbolic address was computed from, where that is plain to see: the
    /// address of an object plus a symbolic offset. Whatever the offset is, C allows it to
    /// reach this object only (C11 6.5.6 paragraph 8).
    fn base(&self, address: ExprId) -> Option<u64> {
        let exprs = &self.program.exprs;
        let Node::Binary(BinaryOp::Add, _, constant) = exprs.node(address) else { return None };
        let number = address::nearest_object(exprs.as_u64(constant)?);
        (address::FIRST_OBJECT..address::END_OF_OBJECTS)
            .contains(&number)
            .then(|| object_address(number))
    }

    /// The number of the object that a symbolic address points to. All addresses where nothing
    /// has ever been are one error, however many they are.
    fn object_of(&mut self, address: ExprId) -> Result<u32, Stop> {
        let exprs = &self.program.exprs;
        let number = exprs.extract(address, OFFSET_BITS, NUMBER_BITS);
        if let Some(number) = exprs.as_u64(number) {
            return Ok(number as u32);
        }
        let candidate = self.candidate(number);
        if candidate != 0 && !self.state.memory.has_been(candidate as u32) {
            let first = exprs.constant(NUMBER_BITS, u64::from(address::FIRST_OBJECT));
            let unused = exprs.constant(NUMBER_BITS, u64::from(self.state.memory.unused_from()));
            let used = exprs.and(exprs.ule(first, number), exprs.ult(number, unused));
            let null = exprs.eq(number, exprs.constant(NUMBER_BITS, 0));
            if self.settle(exprs.and(exprs.not(used), exprs.not(null)))? {
                return Err(Fault::Wild.into());
            }
        }
        Ok(self.settle_candidate(number, candidate, "pointer")? as u32)
    }

    /// The same for a known address; where the content is not in its place, but in updates, the
    /// offset is one to look up there.
    fn resolve_known(&mut self, address: u64, length: u64, write: bool) -> Result<Place, Stop> {
        let place = self.resolve_concrete(address, length, write)?;
        match place {
            Place::Concrete { address: object, offset }
                if self.state.memory.object(object)?.has_updates() =>
            {
                let offset = self.program.exprs.constant(OFFSET_BITS, offset as u64);
                Ok(Place::Symbolic { object, offset })
            }
            place => Ok(place),
        }
    }

    fn resolve_concrete(&mut self, address: u64, length: u64, write: bool) -> Result<Place, Stop> {
        let object = self.state.memory.object(address)?;
        let (offset, constant) = (address::offset(address), object.constant);
        if !object.contains(offset, length) {
            self.reach(address, length)?;
        }
        if write && constant {
            return Err(Fault::ReadOnly.into());
        }
        Ok(Place::Concrete { address, offset: offset as usize })
    }

    /// Settles that `length` bytes at an address lie inside their object, whose size may depend
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
        if !self.settle(exprs.ule(exprs.constant(64, end), extent))? {
            return Err(Fault::OutOfBounds.into());
        }
        if end > capacity {
            return Err(beyond_capacity(capacity));
        }
        self.state.memory.object_mut(address)?.ascertain(end);
        Ok(())
    }

    fn resolve_within(
        &mut self,
        base: u64,
        address: ExprId,
        length: u64,
        write: bool,
    ) -> Result<Place, Stop> {
        if base == 0 {
            let exprs = &self.program.exprs;
            let null = exprs.ult(address, exprs.constant(64, NULL_PAGE));
            let fault = if self.settle(null)? { Fault::Null } else { Fault::Wild };
            return Err(fault.into());
        }
        let object = self.state.memory.object(base)?;
        let (capacity, extent) = (object.capacity(), object.extent());
        if write && object.constant {
            return Err(Fault::ReadOnly.into());
        }
        if let Some(extent) = extent {
            let exprs = &self.program.exprs;
            if !self.settle(exprs.ule(exprs.constant(64, length), extent))? {
                return Err(Fault::OutOfBounds.into());
            }
        } else if length > capacity {
            return Err(Fault::OutOfBounds.into());
        }
        let exprs = &self.program.exprs;
        let distance = exprs.sub(address, exprs.constant(64, base));
        let size = extent.unwrap_or_else(|| exprs.constant(64, capacity));
        let last = exprs.sub(size, exprs.constant(64, length));
        if !self.settle(exprs.ule(distance, last))? {
            return Err(Fault::OutOfBounds.into());
        }
        if extent.is_some() {
            let exprs = &self.program.exprs;
            let last = exprs.constant(64, capacity.saturating_sub(length));
            if length > capacity || !self.settle(exprs.ule(distance, last))? {
                return Err(beyond_capacity(capacity));
            }
        }
        let exprs = &self.program.exprs;
        let offset = exprs.extract(distance, 0, OFFSET_BITS);
        if capacity > SYMBOLIC_OFFSET_LIMIT {
            let offset =
                self.settle_value(Value::Expr(offset), OFFSET_BITS, "offset in a large object")?;
            return Ok(Place::Concrete { address: base + offset, offset: offset as usize });
        }
        Ok(Place::Symbolic { object: base, offset })
    }

    /// Settles at once whether a symbolic length stays inside the object at a concrete address,
    /// so that all lengths that do not are one error and not one each.
    pub(super) fn settle_room(&mut self, address: Value, length: Value) -> Result<(), Stop> {
        let (Value::Int(address), Value::Expr(length)) = (address, length) else { return Ok(()) };
        let length = self.settle_revision(length)?;
        let room = self.room(address);
        let exprs = &self.program.exprs;
        let extent = self.state.memory.object(address).ok().and_then(Object::extent);
        if let Some(extent) = extent {
            let offset = exprs.constant(64, address::offset(address));
            let left = exprs.sub(extent, offset);
            let left = exprs.ite(exprs.ule(offset, extent), left, exprs.constant(64, 0));
            if !self.settle(exprs.ule(length, left))? {
                return Err(Fault::OutOfBounds.into());
            }
        }
        let exprs = &self.program.exprs;
        if self.settle(exprs.ule(length, exprs.constant(64, room)))? {
            return Ok(());
        }
        let object = self.state.memory.object(address)?;
        Err(match extent {
            Some(_) => beyond_capacity(object.capacity()),
            None => Fault::OutOfBounds.into(),
        })
    }

    /// Bytes from an address to the end of its object, as many as there is room for; none where
    /// there is no object, of which no bytes at all may be copied.
    fn room(&self, address: u64) -> u64 {
        let object = self.state.memory.object(address);
        object.map_or(0, |object| object.capacity().saturating_sub(address::offset(address)))
    }

    /// Settles that `length` bytes are inside the objects at all ends. What comes back is
    /// concrete unless all ends are and the length has a small bound.
    pub(super) fn settle_length(
        &mut self,
        ends: &[Value],
        length: Value,
        what: &str,
    ) -> Result<Value, Stop> {
        let length = match length {
            Value::Expr(expr) => {
                let expr = self.settle_revision(expr)?;
                Value::from_expr(&self.program.exprs, expr)
            }
            other => other,
        };
        for end in ends {
            self.settle_room(*end, length)?;
        }
        if let Value::Expr(expr) = length
            && ends.iter().all(|end| end.as_int().is_some())
            && self.longest(ends, expr) <= SYMBOLIC_LENGTH_LIMIT
        {
            return Ok(length);
        }
        Ok(Value::Int(self.settle_value(length, 64, what)?))
    }

    /// An upper bound of a length that is inside the objects at all ends.
    fn longest(&mut self, ends: &[Value], length: ExprId) -> u64 {
        let rooms = ends.iter().filter_map(|end| end.as_int()).map(|end| self.room(end));
        let room = rooms.min().unwrap_or(u64::MAX);
        self.bound(length, room)
    }

    /// The bytes to provide for an object whose size is `extent`.
    pub(super) fn capacity(&mut self, extent: ExprId) -> u64 {
        self.bound(extent, SYMBOLIC_SIZE_LIMIT)
    }

    /// An upper bound of a value of 64 bits on this path, a power of four; `limit` where that
    /// would be larger.
    fn bound(&mut self, value: ExprId, limit: u64) -> u64 {
        let exprs = &self.program.exprs;
        let guess = exprs.evaluate(value, &self.state.model).to_u64().unwrap_or(u64::MAX);
        for bound in (1..32).map(|power| 1 << (2 * power)).take_while(|bound| *bound < limit) {
            let larger = exprs.ult(exprs.constant(64, bound), value);
            let query =
                Query { path: &self.state.path, goals: &[larger], model: Some(&self.state.model) };
            if guess <= bound && matches!(self.solver.check(exprs, query), Verdict::Unsat) {
                return bound;
            }
        }
        limit
    }

    /// Whether a length is certainly the size of the object at an address, which is symbolic.
    fn is_size_of(&mut self, length: ExprId, address: u64) -> bool {
        let extent = self.state.memory.object(address).ok().and_then(Object::extent);
        let Some(extent) = extent else { return false };
        let exprs = &self.program.exprs;
        let other = exprs.not(exprs.eq(length, extent));
        let query =
            Query { path: &self.state.path, goals: &[other], model: Some(&self.state.model) };
        matches!(self.solver.check(exprs, query), Verdict::Unsat)
    }

    /// Overwrites the first `length` bytes at `to`; those behind them stay.
    fn overwrite(
        &mut self,
        to: u64,
        length: ExprId,
        bytes: impl IntoIterator<Item = ExprId>,
    ) -> Result<(), Stop> {
        let exprs = &self.program.exprs;
        if self.state.memory.object(to).is_ok_and(|object| object.constant) {
            let nothing = exprs.eq(length, exprs.constant(64, 0));
            return if self.settle(nothing)? { Ok(()) } else { Err(Fault::ReadOnly.into()) };
        }
        let start = address::offset(to) as usize;
        let whole = start == 0 && self.is_size_of(length, to);
        for (index, byte) in bytes.into_iter().enumerate() {
            let exprs = &self.program.exprs;
            if whole {
                // Behind the end of the object is nothing that could be kept.
                let object = self.state.memory.object_mut(to)?;
                object.set_byte(exprs, index, Byte::of(exprs, byte));
                continue;
            }
            let old = self.state.memory.object(to)?.byte(exprs, start + index);
            let old = self.byte_expr(to, start + index, old)?;
            let written = exprs.ult(exprs.constant(64, index as u64), length);
            let new = exprs.ite(written, byte, old);
            let new = Byte::of(exprs, new);
            self.state.memory.object_mut(to)?.set_byte(exprs, start + index, new);
        }
        Ok(())
    }

    /// memcpy and memmove.
    pub(super) fn copy_bytes(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop> {
        let length = match (self.settle_length(&[to, from], length, "length to copy")?, to, from) {
            (Value::Int(length), ..) => length,
            (Value::Expr(length), Value::Int(to), Value::Int(from)) => {
                let start = address::offset(from) as usize;
                let mut bytes = Vec::new();
                for index in 0..self.longest(&[Value::Int(to), Value::Int(from)], length) as usize {
                    let object = self.state.memory.object(from)?;
                    let byte = object.byte(&self.program.exprs, start + index);
                    bytes.push(self.byte_expr(from, start + index, byte)?);
                }
                return self.overwrite(to, length, bytes);
            }
            _ => return Err(Error::UninitialisedRead.into()),
        };
        if length == 0 {
            return Ok(());
        }
        if let (Value::Int(to), Value::Int(from)) = (to, from) {
            let Place::Concrete { offset: source, .. } =
                self.resolve_concrete(from, length, false)?
            else {
                unreachable!("concrete addresses resolve to concrete places")
            };
            self.resolve_concrete(to, length, true)?;
            let (exprs, target) = (&self.program.exprs, address::offset(to) as usize);
            let object = self.state.memory.object(from)?;
            if let Some(bytes) = object.concrete(source, length as usize) {
                self.bytes.clear();
                self.bytes.extend_from_slice(bytes);
                self.state.memory.object_mut(to)?.write(exprs, target, &self.bytes);
                return Ok(());
            }
            let bytes: SmallVec<[Byte; 64]> =
                (0..length as usize).map(|i| object.byte(exprs, source + i)).collect();
            for (offset, byte) in (target..).zip(bytes) {
                self.set_byte(to, offset, byte)?;
            }
            return Ok(());
        }
        // Both ends first: a fork must not see half of the copy, nor an overlap its own bytes.
        self.resolve(from, length, false)?;
        self.resolve(to, length, true)?;
        let mut bytes = Vec::with_capacity(length as usize);
        for index in 0..length {
            bytes.push(self.load_bits(offset(&self.program.exprs, from, index), 8)?);
        }
        for (index, byte) in bytes.into_iter().enumerate() {
            self.store_bits(offset(&self.program.exprs, to, index as u64), 8, byte)?;
        }
        Ok(())
    }

    /// memset.
    pub(super) fn fill_bytes(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop> {
        let length = match (self.settle_length(&[to], length, "length to fill")?, to) {
            (Value::Int(length), _) => length,
            (Value::Expr(length), Value::Int(to)) => {
                let bound = self.longest(&[Value::Int(to)], length) as usize;
                let byte = self.expr(byte, 8);
                return self.overwrite(to, length, std::iter::repeat_n(byte, bound));
            }
            _ => return Err(Error::UninitialisedRead.into()),
        };
        if length == 0 {
            return Ok(());
        }
        if let (Value::Int(to), Value::Int(byte)) = (to, byte) {
            self.resolve_concrete(to, length, true)?;
            self.bytes.clear();
            self.bytes.resize(length as usize, byte as u8);
            let object = self.state.memory.object_mut(to)?;
            object.write(&self.program.exprs, address::offset(to) as usize, &self.bytes);
            return Ok(());
        }
        self.resolve(to, length, true)?;
        for index in 0..length {
            self.store_bits(offset(&self.program.exprs, to, index), 8, byte)?;
        }
        Ok(())
    }
}

fn too_large(size: u64) -> Stop {
    Stop::unsupported(format!("a local array of more than {OBJECT_LIMIT} bytes, {size} each"))
}

fn beyond_capacity(capacity: u64) -> Stop {
    Stop::unsupported(format!("memory of symbolic size beyond its first {capacity} bytes"))
}
