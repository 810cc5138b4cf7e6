//! Parts of addresses in memory.
//!
//! Reads and writes of 8 aligned bytes take an address as a whole, so it stays an address. Whatever
//! else is read or copied may be a part of one: some of its bytes, as in a hash, or bytes of two
//! neighbours. Such a part is a number, in which a variable stands for the native place of the
//! object ([`super::provenance`]). A word counts as an address by its value. Its highest byte is
//! looked at first, as that tells most words from addresses.
//!
//! In packed structures and after copies to odd places, addresses are not aligned. An object that
//! such an address may have come to is marked ([`Object::is_irregular`]), and all its places are
//! looked at.

use std::ops::Range;

use smallvec::SmallVec;

use super::Executor;
use crate::{
    expr::{ExprId, Node},
    ir::address,
    memory::{Byte, Object, Value, WORD},
};

/// Most terms visited in search of the highest byte of an address.
const TERMS: u32 = 64;

impl Executor<'_> {
    /// Whether 8 bytes at `start` of an object may be an address: all of them are known and are
    /// one, or their highest byte may be that of one. They need not lie inside the object.
    #[inline]
    fn may_be_address_at(&self, object: &Object, start: usize) -> bool {
        match object.word(start as u64, WORD) {
            Some(word) => self.state.memory.may_be_address(word),
            None => self.may_be_unknown_address_at(object, start),
        }
    }

    /// Whether 8 bytes at `start` of an object, not all of which are known, may be an address.
    #[cold]
    #[inline(never)]
    pub(super) fn may_be_unknown_address_at(&self, object: &Object, start: usize) -> bool {
        if !object.contains(start as u64, WORD as u64) {
            return false;
        }
        match object.byte(&self.program.exprs, start + WORD - 1) {
            Byte::Concrete(byte) => self.state.memory.may_be_highest_byte(byte),
            Byte::Symbolic(byte) => self.may_be_highest_byte(byte, &mut { TERMS }),
            Byte::Uninitialised => false,
        }
    }

    /// Whether an expression of 8 bits may be the highest byte of an address that depends on input.
    fn may_be_highest_byte(&self, byte: ExprId, left: &mut u32) -> bool {
        let exprs = &self.program.exprs;
        let Some(rest) = left.checked_sub(1) else { return true };
        *left = rest;
        match exprs.node(byte) {
            Node::Constant(byte) => self.state.memory.may_be_highest_byte(byte as u8),
            Node::Ite(_, a, b) => {
                self.may_be_highest_byte(a, left) || self.may_be_highest_byte(b, left)
            }
            Node::Select(table, _) => {
                exprs.table_elements(table).iter().any(|e| self.may_be_highest_byte(*e, left))
            }
            Node::Extract { of, .. } => self.is_address(Value::Expr(of)),
            _ => false,
        }
    }

    /// The word at `start` of an object, if it may be an address.
    fn address_at(&self, object: &Object, start: usize) -> Option<Value> {
        let exprs = &self.program.exprs;
        if !self.may_be_address_at(object, start) {
            return None;
        }
        match object.word(start as u64, WORD) {
            Some(word) => Some(Value::Int(word)),
            None => Some(Value::from_expr(exprs, object.written(exprs, start..start + WORD)?)),
        }
    }

    /// The starts of the words that overlap `bytes`, wherever an address may be in this object.
    fn words(object: &Object, bytes: Range<usize>) -> impl Iterator<Item = usize> {
        let (start, step) = match object.is_irregular() {
            true => (bytes.start.saturating_sub(WORD - 1), 1),
            false => (bytes.start & !(WORD - 1), WORD),
        };
        (start..bytes.end).step_by(step)
    }

    /// Whether a read of `bytes` takes a part of an address, or more than one.
    pub(super) fn takes_part(&self, object: &Object, bytes: &Range<usize>) -> bool {
        let takes = |start: usize| {
            let is_whole = start == bytes.start && bytes.len() == WORD;
            !is_whole && self.may_be_address_at(object, start)
        };
        let is_whole = || bytes.len() == WORD && self.may_be_address_at(object, bytes.start);
        // What is an address itself is no part of another one.
        Self::words(object, bytes.clone()).any(takes) && !(object.is_irregular() && is_whole())
    }

    /// The byte at `offset` in the object at `object`, as a part of a number, if it belongs to an
    /// address.
    pub(super) fn byte_of_address(&self, object: u64, offset: usize) -> Option<ExprId> {
        let (exprs, object) = (&self.program.exprs, self.state.memory.object(object).ok()?);
        Self::words(object, offset..offset + 1).find_map(|start| {
            let byte = (offset - start) as u32 * 8;
            let number = self.low_bits(byte + 8, self.address_at(object, start)?)?;
            Some(exprs.extract(number.expr(exprs, byte + 8)?, byte, 8))
        })
    }

    /// A copy of the object at `address`, with numbers in place of the addresses that an access at
    /// a symbolic offset may read in part. `None` if there are none.
    pub(super) fn with_numbers(
        &self,
        address: u64,
        object: &Object,
        offset: ExprId,
        length: usize,
        step: usize,
    ) -> Option<Object> {
        let exprs = &self.program.exprs;
        let window = object.window(exprs, offset, length, step);
        let mut changed: Option<Object> = None;
        // An access of 8 bytes at a multiple of 8 takes aligned words as a whole.
        let takes_words = length == WORD && step.is_multiple_of(WORD);
        for start in Self::words(object, window.clone()) {
            if takes_words && start.is_multiple_of(WORD) {
                continue;
            }
            if object.is_updated(start, WORD) || !self.may_be_address_at(object, start) {
                continue;
            }
            for at in start..start + WORD {
                if let Some(byte) = self.byte_of_address(address, at) {
                    let changed = changed.get_or_insert_with(|| object.clone());
                    changed.set_byte(exprs, at, Byte::of(exprs, byte));
                }
            }
        }
        let number = |word: ExprId| match self.low_bits(64, Value::from_expr(exprs, word))? {
            Value::Expr(number) => Some(number),
            Value::Int(_) | Value::Undefined => None,
        };
        let may_be = |byte: ExprId| self.may_be_highest_byte(byte, &mut { TERMS });
        if takes_words {
            return changed;
        }
        let now = changed.as_ref().unwrap_or(object);
        now.with_updated_words(exprs, &window, &may_be, &number).or(changed)
    }

    /// The bytes at both ends of a copy that belong to addresses that it takes only in part, each
    /// with its place in the copy.
    pub(super) fn parts_at_edges(
        &self,
        address: u64,
        start: usize,
        length: usize,
    ) -> SmallVec<[(usize, ExprId); 14]> {
        let end = start + length;
        let Ok(object) = self.state.memory.object(address) else { return SmallVec::new() };
        let mut found = SmallVec::new();
        for word in self.cut_words(object, &(start..end)) {
            for at in word.max(start)..(word + WORD).min(end) {
                if found.iter().all(|(known, _)| *known != at - start) {
                    found.extend(self.byte_of_address(address, at).map(|byte| (at - start, byte)));
                }
            }
        }
        found
    }

    /// The starts of the words that may be addresses and lie in `bytes` only in part.
    fn cut_words(&self, object: &Object, bytes: &Range<usize>) -> SmallVec<[usize; 14]> {
        let Range { start, end } = *bytes;
        let is_cut = |word: &usize| {
            (*word < start || *word + WORD > end) && self.may_be_address_at(object, *word)
        };
        let edges = [start..end.min(start + WORD), start.max(end - WORD.min(end - start))..end];
        edges.into_iter().flat_map(|edge| Self::words(object, edge)).filter(is_cut).collect()
    }

    /// Makes numbers of the addresses that a write to `bytes` of the object at `address` replaces
    /// in part: the rest would not look like an address any more.
    pub(super) fn cut_addresses(&mut self, address: u64, bytes: &Range<usize>) {
        let Ok(object) = self.state.memory.object(address) else { return };
        let words = self.cut_words(object, bytes);
        self.make_numbers(address, words);
    }

    /// Makes numbers of all addresses that overlap `bytes` of the object at `address`.
    pub(super) fn drop_addresses(&mut self, address: u64, bytes: Range<usize>) {
        let Ok(object) = self.state.memory.object(address) else { return };
        let is_address = |word: &usize| self.may_be_address_at(object, *word);
        let words: SmallVec<[usize; 14]> = Self::words(object, bytes).filter(is_address).collect();
        self.make_numbers(address, words);
    }

    fn make_numbers(&mut self, address: u64, words: SmallVec<[usize; 14]>) {
        let bytes = words.iter().flat_map(|word| *word..*word + WORD);
        let numbers: Vec<(usize, ExprId)> =
            bytes.filter_map(|at| Some((at, self.byte_of_address(address, at)?))).collect();
        if let Ok(object) = self.state.memory.object_mut(address) {
            for (at, number) in numbers {
                object.set_byte(&self.program.exprs, at, Byte::of(&self.program.exprs, number));
            }
        }
    }

    /// Makes numbers of the addresses that an access at a symbolic offset may replace in part.
    pub(super) fn cut_addresses_anywhere(
        &mut self,
        address: u64,
        offset: ExprId,
        length: usize,
        step: usize,
    ) {
        let Ok(object) = self.state.memory.object(address) else { return };
        if (length != WORD || !step.is_multiple_of(WORD) || object.is_irregular())
            && let Some(numbers) = self.with_numbers(address, object, offset, length, step)
            && let Ok(object) = self.state.memory.object_mut(address)
        {
            *object = numbers;
        }
    }

    /// Whether a copy of `length` bytes may bring an address to a place that is not aligned, or
    /// from such a place.
    pub(super) fn copies_irregularly(
        &self,
        object: &Object,
        source: usize,
        target: usize,
        length: usize,
    ) -> bool {
        let is_shifted = source % WORD != target % WORD;
        object.is_irregular()
            || is_shifted
                && Self::words(object, source..source + length)
                    .any(|start| self.may_be_address_at(object, start))
    }

    /// Notes that the object at `address` may now have an address at a place that is not aligned.
    pub(super) fn note_irregular(&mut self, address: u64) {
        if let Ok(object) = self.state.memory.object_mut(address) {
            object.set_irregular();
        }
    }

    /// Whether a value is, or may be, an address.
    pub(super) fn is_address(&self, value: Value) -> bool {
        let exprs = &self.program.exprs;
        self.state.memory.addresses_in(exprs, value).first().is_some()
    }
}

/// Whether the 8 bytes of a word at this address would not be aligned.
pub(super) fn is_odd(address: u64) -> bool {
    !address::offset(address).is_multiple_of(WORD as u64)
}
