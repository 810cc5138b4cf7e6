//! Memory accesses: known, symbolic and uninitialised bytes, copies and fills.

use smallvec::SmallVec;

use super::{
    Executor, lockstep,
    parts::is_odd,
    resolve::{Pointee, beyond_capacity},
};
use crate::{
    env::{Stop, offset},
    expr::{ExprId, VariableId},
    ir::address::{self, object_number},
    memory::{Byte, Fault, Object, Segment, Value, value::truncate},
    solver::{Query, Verdict},
};

/// The most bytes stored for an object of symbolic size.
const SYMBOLIC_SIZE_LIMIT: u64 = 1 << 16;
/// Copies and fills of symbolic length stay in one state, and go byte by byte, up to this many
/// bytes.
const SYMBOLIC_LENGTH_LIMIT: u64 = 4096;
/// The most bytes of local variables of the function that runs and its callers: half of the stack
/// of a native run.
const STACK_LIMIT: u64 = 4 << 20;
/// From this many bytes on, an array of variable length counts as part of the stack until its
/// function returns.
const LARGE: u64 = 1 << 16;

impl Executor<'_> {
    /// Allocates a local object of the running function, of `size * count` bytes; returns its
    /// address.
    pub(super) fn alloca(&mut self, size: u64, count: Value, alignment: u32) -> Result<u64, Stop> {
        if self.state.memory.is_full() {
            return Err(Stop::unsupported("more objects than there are addresses for"));
        }
        let most = STACK_LIMIT / size.max(1);
        let address = match self.written(count, 64)? {
            Value::Int(count) if count <= most => {
                if count == 1 || size * count >= LARGE {
                    self.state.top.room += size * count;
                    if self.state.top.room > STACK_LIMIT {
                        return Err(Stop::unsupported("local variables of more than 4 MiB"));
                    }
                }
                let room = &mut self.spare_memory;
                self.state.memory.allocate_local((size * count) as usize, alignment, room)
            }
            Value::Undefined => unreachable!("`written` gives none"),
            Value::Expr(count) => {
                let count = self.without_revision(count)?;
                let exprs = &self.program.exprs;
                if !self.branch(exprs.ule(count, exprs.constant(64, most)))? {
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

    /// The value at a concrete address. `None` unless the value is concrete, has at most 64 bits,
    /// and is no part of an address.
    #[inline(always)]
    pub(super) fn load_int(&self, address: u64, width: u32) -> Option<u64> {
        let length = width.div_ceil(8) as usize;
        let object = self.state.memory.object(address).ok()?;
        let offset = address::offset(address);
        let before = (offset & 7) as usize;
        if before != 0 || length < 8 || object.is_irregular() {
            let aligned = offset & !7;
            match object.word(aligned, 8) {
                _ if object.is_irregular() || before + length > 8 => {
                    let bytes = offset as usize..offset as usize + length;
                    if self.takes_part(object, &bytes) {
                        return None;
                    }
                }
                Some(whole) if self.state.memory.may_be_address(whole) => return None,
                Some(whole) => return Some(truncate(whole >> (8 * before), width)),
                None if !object.contains(aligned, 8) => {}
                None if self.may_be_unknown_address_at(object, aligned as usize) => return None,
                None => {}
            }
        }
        Some(truncate(object.word(offset, length)?, width))
    }

    pub(super) fn load_bits(&mut self, address: Value, width: u32) -> Result<Value, Stop> {
        if let Value::Int(at) = address
            && let Some(word) = self.load_int(at, width)
        {
            return Ok(Value::Int(word));
        }
        let length = width.div_ceil(8) as usize;
        let place = self.resolve(address, length as u64, false)?;
        let value = self.load_place(place, width, length)?;
        Ok(match value {
            Value::Expr(word) if width == 64 => {
                Value::from_expr(&self.program.exprs, self.on_this_path(word))
            }
            value => value,
        })
    }

    fn load_place(&mut self, place: Pointee, width: u32, length: usize) -> Result<Value, Stop> {
        let (object, offset, offsets) = match place {
            Pointee::Concrete { address, offset } => {
                return self.load_known(address, offset, width, length);
            }
            Pointee::Symbolic { object, offset, offsets } => (object, offset, offsets),
        };
        if let Some(places) = self.few_places(object, offset, offsets, length)? {
            let mut value: Option<ExprId> = None;
            for (here, place) in places {
                let found = self.load_place(place, width, length)?;
                let found = self.expr(found, width);
                let exprs = &self.program.exprs;
                value = Some(value.map_or(found, |others| exprs.ite(here, found, others)));
            }
            let value = value.expect("at least one place");
            return Ok(Value::from_expr(&self.program.exprs, value));
        }
        let step = self.stride(offset, length);
        let mut takes_part = length != 8 || self.state.memory.object(object)?.is_irregular();
        if !takes_part && step < 8 {
            let now = self.state.memory.object(object)?;
            if self.with_numbers(object, now, offset, length, step).is_some() {
                let exprs = &self.program.exprs;
                let low = exprs.extract(offset, 0, 3);
                takes_part = !self.branch(exprs.eq(low, exprs.constant(3, 0)))?;
            }
        }
        self.initialise(object, offset, length, step)?;
        let exprs = &self.program.exprs;
        let now = self.state.memory.object(object)?;
        let numbers = takes_part.then(|| self.with_numbers(object, now, offset, length, step));
        let numbers = numbers.flatten();
        let mut word = numbers.as_ref().unwrap_or(now).select(exprs, offset, length, step);
        // An offset that depends on one character can be tried for every value of the character.
        let of_character = |variables: &[VariableId]| matches!(variables, [only] if exprs.variable_width(*only) <= 8);
        let is_table = now.constant && of_character(exprs.variables(offset));
        if self.state.lockstep.is_some() && now.capacity() > lockstep::LOOKED_UP && !is_table {
            word = self.unknown_for(word);
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
            return self.load_unwritten(address, offset, width, length);
        }
        let takes_part = self.takes_part(object, &(offset..offset + length));
        let mut word: Option<ExprId> = None;
        for (index, byte) in bytes.iter().copied().enumerate() {
            let part = takes_part.then(|| self.byte_of_address(address, offset + index));
            let byte = match part.flatten() {
                Some(byte) => byte,
                None => self.byte_expr(address, offset + index, byte),
            };
            word = Some(word.map_or(byte, |low| exprs.concat(byte, low)));
        }
        let word = exprs.extract(word.expect("at least one byte"), 0, width);
        Ok(Value::from_expr(exprs, word))
    }

    /// The word at a place whose offset is known; addresses in it stay addresses.
    fn word_at(&mut self, place: Pointee, length: usize) -> Result<ExprId, Stop> {
        let (address, start) = match place {
            Pointee::Concrete { address, offset } => (address, offset),
            Pointee::Symbolic { object, offset, .. } => {
                let start = self.program.exprs.as_u64(offset).expect("known");
                (object, start as usize)
            }
        };
        let mut word: Option<ExprId> = None;
        for offset in start..start + length {
            let byte = self.state.memory.object(address)?.byte(&self.program.exprs, offset);
            let byte = self.byte_expr(address, offset, byte);
            word = Some(word.map_or(byte, |low| self.program.exprs.concat(byte, low)));
        }
        Ok(word.expect("at least one byte"))
    }

    /// Gives a variable to every unwritten byte that an access at a symbolic offset may reach. Some
    /// of these bytes are about to be read or kept, and it is not known which.
    fn initialise(
        &mut self,
        object: u64,
        offset: ExprId,
        length: usize,
        step: usize,
    ) -> Result<(), Stop> {
        let exprs = &self.program.exprs;
        for at in self.state.memory.object(object)?.window(exprs, offset, length, step) {
            let object_now = self.state.memory.object(object)?;
            if !object_now.is_updated(at, 1) && object_now.byte(exprs, at) == Byte::Uninitialised {
                let byte = Byte::of(exprs, self.unwritten(object, at, 1));
                self.state.memory.object_mut(object)?.set_byte(exprs, at, byte);
            }
        }
        Ok(())
    }

    /// Reads a whole word that was never written.
    fn load_unwritten(
        &mut self,
        address: u64,
        offset: usize,
        width: u32,
        length: usize,
    ) -> Result<Value, Stop> {
        // A libc reads arguments that only some callers pass (`fcntl`), and then does not use them.
        let function = self.state.top.function;
        let library = self.program.module.functions[function.0 as usize].library;
        let segment = self.state.memory.object(address)?.segment;
        if segment == Segment::Arguments && !library {
            return Err(Stop::unsupported("`va_arg` for an argument that was not passed"));
        }
        let exprs = &self.program.exprs;
        let word = self.unwritten(address, offset, length);
        Ok(Value::from_expr(exprs, exprs.extract(word, 0, width)))
    }

    /// The expression of a byte at an offset into the object at `address`.
    fn byte_expr(&mut self, address: u64, offset: usize, byte: Byte) -> ExprId {
        let written = byte.expr(&self.program.exprs);
        written.unwrap_or_else(|| self.unwritten(address, offset, 1))
    }

    /// Writes a concrete value of at most 64 bits. Returns `false`, and writes nothing, if the
    /// access needs more than that ([`Object::set_word`]).
    #[inline(always)]
    pub(super) fn store_int(&mut self, address: u64, width: u32, value: u64) -> bool {
        let length = width.div_ceil(8) as usize;
        let is_whole = length == 8 && !is_odd(address);
        match self.state.memory.object(address) {
            // The write may put an address at an odd place, or replace a part of one.
            Ok(object)
                if (!is_whole || object.is_irregular())
                    && (length == 8 && self.state.memory.may_be_address(value)
                        || self.may_cut_address(object, address, length)) =>
            {
                return false;
            }
            _ => {}
        }
        let object = self.state.memory.object_mut(address);
        object.is_ok_and(|object| object.set_word(address::offset(address), length, value))
    }

    /// Whether a write of `length` bytes at `address`, in this object, may replace a part of an
    /// address.
    #[inline(always)]
    fn may_cut_address(&self, object: &Object, address: u64, length: usize) -> bool {
        let offset = address::offset(address);
        let may_be_at = |at: u64| match object.word(at, 8) {
            Some(word) => self.state.memory.may_be_address(word),
            None => object.contains(at, 8) && self.may_be_unknown_address_at(object, at as usize),
        };
        let (first, last) = (offset & !7, (offset + length as u64 - 1) & !7);
        object.is_irregular() || may_be_at(first) || last != first && may_be_at(last)
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
        let place = self.resolve(address, length as u64, true)?;
        self.store_place(place, width, value)
    }

    fn store_place(&mut self, place: Pointee, width: u32, value: Value) -> Result<(), Stop> {
        let length = width.div_ceil(8) as usize;
        let value = match value {
            // In whole programs memory that was never written is zero, but an undefined value is
            // not.
            Value::Undefined if self.state.world.is_whole => self.undefined_value(width),
            value => value,
        };
        let (object, offset, offsets) = match place {
            Pointee::Concrete { address, offset } => {
                self.cut_addresses(address, &(offset..offset + length));
                if !offset.is_multiple_of(8) && self.is_address(value) {
                    self.note_irregular(address);
                }
                let exprs = &self.program.exprs;
                let word = match value {
                    Value::Undefined if self.was_seen(address, offset..offset + length) => {
                        Some(self.undefined(8 * length as u32))
                    }
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
            Pointee::Symbolic { object, offset, offsets } => (object, offset, offsets),
        };
        let few = self.few_places(object, offset, offsets, length)?;
        let step = self.stride(offset, length);
        let value = match step < 8 && few.is_none() {
            // An address that may be at any offset would not be found again.
            true => self.number(width, value),
            false => value,
        };
        let word = self.expr(value, width);
        let word = self.program.exprs.zext(word, length as u32 * 8);
        if let Some(places) = few {
            for (here, place) in places {
                if let Pointee::Concrete { address, offset } = place {
                    self.cut_addresses(address, &(offset..offset + length));
                }
                let old = self.word_at(place, length)?;
                let exprs = &self.program.exprs;
                let new = Value::from_expr(exprs, exprs.ite(here, word, old));
                self.store_place(place, length as u32 * 8, new)?;
            }
            return Ok(());
        }
        self.cut_addresses_anywhere(object, offset, length, step);
        self.initialise(object, offset, length, step)?;
        let exprs = &self.program.exprs;
        self.state.memory.object_mut(object)?.update(exprs, offset, word, length, step);
        Ok(())
    }

    /// `length`, if it is a power of two and `offset` is certainly a multiple of it; otherwise 1.
    fn stride(&self, offset: ExprId, length: usize) -> usize {
        let zeros = self.program.exprs.low_zeros(offset);
        if length.is_power_of_two() && length.trailing_zeros() <= zeros { length } else { 1 }
    }

    /// Branches on whether a symbolic length stays inside the object at a concrete address. All
    /// lengths that do not are then a single error instead of one each.
    pub(super) fn branch_on_room(&mut self, address: Value, length: Value) -> Result<(), Stop> {
        let (Value::Int(address), Value::Expr(length)) = (address, length) else { return Ok(()) };
        let length = self.without_revision(length)?;
        let room = self.room(address);
        let exprs = &self.program.exprs;
        let extent = self.state.memory.object(address).ok().and_then(Object::extent);
        if let Some(extent) = extent {
            let offset = exprs.constant(64, address::offset(address));
            let left = exprs.sub(extent, offset);
            let left = exprs.ite(exprs.ule(offset, extent), left, exprs.constant(64, 0));
            if !self.branch(exprs.ule(length, left))? {
                return Err(Fault::OutOfBounds.into());
            }
        }
        let exprs = &self.program.exprs;
        if self.branch(exprs.ule(length, exprs.constant(64, room)))? {
            return Ok(());
        }
        let object = self.state.memory.object(address)?;
        Err(match extent {
            Some(_) => beyond_capacity(object.capacity()),
            None => Fault::OutOfBounds.into(),
        })
    }

    /// The number of bytes from an address to the end of its object. 0 if there is no object, as
    /// nothing may be copied then.
    fn room(&self, address: u64) -> u64 {
        let object = self.state.memory.object(address);
        object.map_or(0, |object| object.capacity().saturating_sub(address::offset(address)))
    }

    /// Makes sure that `length` bytes lie inside the objects at all of the addresses `ends`, and
    /// returns the length. The result is concrete unless all ends are concrete and the length has a
    /// small bound.
    pub(super) fn bounded_length(
        &mut self,
        ends: &[Value],
        length: Value,
        what: &str,
    ) -> Result<Value, Stop> {
        let length = match self.written(length, 64)? {
            Value::Expr(expr) => {
                let expr = self.without_revision(expr)?;
                Value::from_expr(&self.program.exprs, expr)
            }
            other => other,
        };
        for end in ends {
            self.branch_on_room(*end, length)?;
        }
        if let Value::Expr(expr) = length
            && ends.iter().all(|end| end.as_int().is_some())
            && self.longest(ends, expr) <= SYMBOLIC_LENGTH_LIMIT
        {
            return Ok(length);
        }
        Ok(Value::Int(self.concretise(length, 64, what)?))
    }

    /// An upper bound of a length that stays inside the objects at all of the addresses `ends`.
    fn longest(&mut self, ends: &[Value], length: ExprId) -> u64 {
        let rooms = ends.iter().filter_map(|end| end.as_int()).map(|end| self.room(end));
        let room = rooms.min().unwrap_or(u64::MAX);
        self.bound(length, room)
    }

    /// How many bytes to provide for an object whose size is `extent`.
    pub(super) fn capacity(&mut self, extent: ExprId) -> u64 {
        self.bound(extent, SYMBOLIC_SIZE_LIMIT)
    }

    /// An upper bound, on this path, of a value of 64 bits: a power of four below `limit`, or else
    /// `limit` itself.
    fn bound(&mut self, value: ExprId, limit: u64) -> u64 {
        let exprs = &self.program.exprs;
        let guess = exprs.evaluate(value, &self.state.model).to_u64().unwrap_or(u64::MAX);
        for bound in (1..32).map(|power| 1 << (2 * power)).take_while(|bound| *bound < limit) {
            let larger = exprs.ult(exprs.constant(64, bound), value);
            let query = Query {
                path_condition: &self.state.path_condition,
                goals: &[larger],
                model: Some(&self.state.model),
            };
            if guess <= bound && matches!(self.solver.check(exprs, query), Verdict::Unsat) {
                return bound;
            }
        }
        limit
    }

    /// Whether a length is certainly the size of the object at an address; false for objects whose
    /// size is not symbolic.
    fn is_size_of(&mut self, length: ExprId, address: u64) -> bool {
        let extent = self.state.memory.object(address).ok().and_then(Object::extent);
        let Some(extent) = extent else { return false };
        let exprs = &self.program.exprs;
        let other = exprs.not(exprs.eq(length, extent));
        let query = Query {
            path_condition: &self.state.path_condition,
            goals: &[other],
            model: Some(&self.state.model),
        };
        matches!(self.solver.check(exprs, query), Verdict::Unsat)
    }

    /// Overwrites the first `length` bytes at `to` with the first of `bytes`. The bytes behind them
    /// stay.
    fn overwrite(
        &mut self,
        to: u64,
        length: ExprId,
        bytes: impl IntoIterator<Item = ExprId>,
    ) -> Result<(), Stop> {
        let exprs = &self.program.exprs;
        if self.state.memory.object(to).is_ok_and(|object| object.constant) {
            let nothing = exprs.eq(length, exprs.constant(64, 0));
            return if self.branch(nothing)? { Ok(()) } else { Err(Fault::ReadOnly.into()) };
        }
        let start = address::offset(to) as usize;
        let whole = start == 0 && self.is_size_of(length, to);
        let bytes: Vec<ExprId> = bytes.into_iter().collect();
        let zeros = self.program.exprs.low_zeros(length).min(3);
        if !whole && zeros < 3 || is_odd(to) {
            self.drop_addresses(to, start..start + bytes.len());
        }
        // All bytes of a word get the same condition, so that the word stays one.
        let rest = (1_usize << zeros) - 1;
        for (index, byte) in bytes.into_iter().enumerate() {
            let exprs = &self.program.exprs;
            if whole {
                // There is nothing to keep behind the end of the object.
                let object = self.state.memory.object_mut(to)?;
                object.set_byte(exprs, index, Byte::of(exprs, byte));
                continue;
            }
            let old = self.state.memory.object(to)?.byte(exprs, start + index);
            let old = self.byte_expr(to, start + index, old);
            let written = exprs.ult(exprs.constant(64, (index & !rest) as u64), length);
            let new = exprs.ite(written, byte, old);
            let new = Byte::of(exprs, new);
            self.state.memory.object_mut(to)?.set_byte(exprs, start + index, new);
        }
        Ok(())
    }

    /// memcpy and memmove.
    pub(super) fn copy_bytes(&mut self, to: Value, from: Value, length: Value) -> Result<(), Stop> {
        let length = match (self.bounded_length(&[to, from], length, "length to copy")?, to, from) {
            (Value::Int(length), ..) => length,
            (Value::Expr(length), Value::Int(to), Value::Int(from)) => {
                let start = address::offset(from) as usize;
                let is_whole = !is_odd(from) && self.program.exprs.low_zeros(length) >= 3;
                let longest = self.longest(&[Value::Int(to), Value::Int(from)], length) as usize;
                let target = address::offset(to) as usize;
                if self.copies_irregularly(self.state.memory.object(from)?, start, target, longest)
                {
                    self.note_irregular(to);
                }
                let mut bytes = Vec::new();
                for at in start..start + longest {
                    let part = (!is_whole).then(|| self.byte_of_address(from, at));
                    bytes.push(match part.flatten() {
                        Some(byte) => byte,
                        None => {
                            let object = self.state.memory.object(from)?;
                            self.byte_expr(from, at, object.byte(&self.program.exprs, at))
                        }
                    });
                }
                return self.overwrite(to, length, bytes);
            }
            _ => unreachable!("a length stays symbolic between known ends only"),
        };
        if length == 0 {
            return Ok(());
        }
        if let (Value::Int(to), Value::Int(from)) = (to, from) {
            let Pointee::Concrete { offset: source, .. } =
                self.resolve_concrete(from, length, false)?
            else {
                unreachable!("concrete addresses resolve to concrete places")
            };
            self.resolve_concrete(to, length, true)?;
            let target = address::offset(to) as usize;
            let parts = self.parts_at_edges(from, source, length as usize);
            let object = self.state.memory.object(from)?;
            if self.copies_irregularly(object, source, target, length as usize) {
                self.note_irregular(to);
            }
            let exprs = &self.program.exprs;
            let object = self.state.memory.object(from)?;
            self.bytes.clear();
            if object.copy_concrete(source..source + length as usize, &mut self.bytes) {
                self.cut_addresses(to, &(target..target + length as usize));
                self.state.memory.object_mut(to)?.write(exprs, target, &self.bytes);
            } else {
                let bytes: SmallVec<[Byte; 64]> =
                    (0..length as usize).map(|i| object.byte(exprs, source + i)).collect();
                self.cut_addresses(to, &(target..target + length as usize));
                for (index, mut byte) in bytes.into_iter().enumerate() {
                    let place = target + index;
                    // In a part that was written at a symbolic offset, every byte counts as
                    // written.
                    let is_known = self.state.memory.object(to)?.is_updated(place, 1)
                        || self.was_seen(to, place..place + 1);
                    if byte == Byte::Uninitialised && is_known {
                        byte = Byte::of(exprs, self.unwritten(from, source + index, 1));
                    }
                    self.state.memory.object_mut(to)?.set_byte(exprs, place, byte);
                }
            }
            for (index, byte) in parts {
                let exprs = &self.program.exprs;
                let object = self.state.memory.object_mut(to)?;
                object.set_byte(exprs, target + index, Byte::of(exprs, byte));
            }
            return Ok(());
        }
        // Both ends are resolved, and all bytes read, before any byte is written. So a fork does
        // not see half of the copy, and overlapping ends do not read what was just written. Words
        // are copied as a whole, as they may be addresses.
        self.resolve(from, length, false)?;
        self.resolve(to, length, true)?;
        let words = if self.is_aligned(from) && self.is_aligned(to) { length / 8 } else { 0 };
        let parts = (0..words).map(|word| (word * 8, 64));
        let parts: Vec<(u64, u32)> = parts.chain((words * 8..length).map(|at| (at, 8))).collect();
        let mut values = Vec::with_capacity(parts.len());
        for (at, width) in &parts {
            values.push(self.load_bits(offset(&self.program.exprs, from, *at), *width)?);
        }
        for ((at, width), value) in parts.into_iter().zip(values) {
            self.store_bits(offset(&self.program.exprs, to, at), width, value)?;
        }
        Ok(())
    }

    /// Whether an address is certainly a multiple of 8.
    fn is_aligned(&self, address: Value) -> bool {
        match address {
            Value::Int(address) => !is_odd(address),
            Value::Expr(address) => self.program.exprs.low_zeros(address) >= 3,
            Value::Undefined => false,
        }
    }

    /// memset.
    pub(super) fn fill_bytes(&mut self, to: Value, byte: Value, length: Value) -> Result<(), Stop> {
        let length = match (self.bounded_length(&[to], length, "length to fill")?, to) {
            (Value::Int(length), _) => length,
            (Value::Expr(length), Value::Int(to)) => {
                let bound = self.longest(&[Value::Int(to)], length) as usize;
                let byte = self.expr(byte, 8);
                return self.overwrite(to, length, std::iter::repeat_n(byte, bound));
            }
            _ => unreachable!("a length stays symbolic between known ends only"),
        };
        if length == 0 {
            return Ok(());
        }
        if let (Value::Int(to), Value::Int(byte)) = (to, byte) {
            self.resolve_concrete(to, length, true)?;
            self.bytes.clear();
            self.bytes.resize(length as usize, byte as u8);
            let target = address::offset(to) as usize;
            self.cut_addresses(to, &(target..target + length as usize));
            let object = self.state.memory.object_mut(to)?;
            object.write(&self.program.exprs, target, &self.bytes);
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
    Stop::unsupported(format!(
        "a local variable of more than {STACK_LIMIT} bytes, in elements of {size}"
    ))
}
