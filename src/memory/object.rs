//! A single object: its bounds, its segment and its bytes.

use std::ops::Range;

use super::{
    contents::{Byte, Contents},
    updates::Updates,
    value::WORD,
};
use crate::{
    expr::{ExprId, Exprs},
    ir::address::OFFSET_BITS,
};

/// Where an object lives, which determines how it may end.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Segment {
    /// A local variable; ends when its function returns.
    Stack,
    /// Variadic arguments, where `va_arg` finds them. Beside them is whatever the registers and the
    /// caller's stack held.
    Arguments,
    /// From `malloc` and the like; ends by `free`.
    Heap,
    /// A global variable or something that the environment owns; never ends.
    Static,
}

/// The unit that is chosen as a whole when the memories of two states are joined.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Grain {
    /// A single byte, as text is read byte by byte.
    Byte,
    /// The smallest number around the bytes that differ.
    Number,
}

/// An object. Its size may be an expression ([`Object::extent`]). Then it stores bytes up to its
/// capacity. The number of bytes that belong to it for certain grows with what has been decided.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Object {
    /// Where the object lives.
    pub segment: Segment,
    /// Whether writing it is an error.
    pub constant: bool,
    /// The alignment in bytes that its address certainly has in a native run.
    pub alignment: u32,
    /// Number of bytes at its start that belong to it for certain.
    size: u64,
    extent: Option<ExprId>,
    contents: Contents,
    /// The parts that were written at symbolic offsets. They do not overlap. Until such a part is
    /// overwritten as a whole, none of its bytes counts as concrete.
    updates: Vec<Updates>,
    /// See [`Object::is_irregular`].
    irregular: bool,
}

/// The smallest range that holds all of `bytes`, among ranges whose size is a power of two and
/// whose start is a multiple of that size.
fn number(bytes: impl Iterator<Item = usize>) -> Range<usize> {
    let (first, last) = bytes.fold((usize::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
    let mut size = 1;
    while first / size != last / size {
        size *= 2;
    }
    first / size * size..(first / size + 1) * size
}

impl Object {
    /// An object of `size` zero bytes.
    pub fn zeroed(segment: Segment, size: usize) -> Self {
        Self::of(segment, Contents::zeroed(size))
    }

    /// An object with these bytes.
    pub fn filled(segment: Segment, bytes: Vec<u8>) -> Self {
        Self::of(segment, Contents::filled(bytes))
    }

    fn of(segment: Segment, contents: Contents) -> Self {
        Self {
            segment,
            constant: false,
            alignment: 1,
            size: contents.len() as u64,
            extent: None,
            contents,
            updates: Vec::new(),
            irregular: false,
        }
    }

    /// An object of `size` bytes that were never written.
    pub fn uninitialised(segment: Segment, size: usize) -> Self {
        Self::of(segment, Contents::uninitialised(size))
    }

    /// An empty object that can become a local variable of up to `size` bytes without allocating.
    pub(super) fn with_room(size: usize) -> Self {
        Self::of(Segment::Stack, Contents::with_room(size))
    }

    /// How many bytes, with their marks, the object can hold without allocating.
    pub(super) fn room(&self) -> usize {
        self.contents.room()
    }

    /// Turns the object into a local variable that was never written.
    pub(super) fn make_local(&mut self, size: usize, alignment: u32) {
        let Self { segment, constant, alignment: aligned, size: certain, extent, .. } = self;
        (*segment, *constant, *aligned) = (Segment::Stack, false, alignment);
        (*certain, *extent) = (size as u64, None);
        self.updates.clear();
        self.irregular = false;
        self.contents.forget(size);
    }

    /// The object, with an address that is a multiple of `alignment` bytes.
    pub fn aligned(self, alignment: u32) -> Self {
        Self { alignment, ..self }
    }

    /// The object with a size of `extent` bytes, an expression of 64 bits. It keeps the bytes that
    /// it was made with. Accesses beyond these cannot be handled.
    pub fn with_extent(self, extent: ExprId) -> Self {
        Self { size: 0, extent: Some(extent), ..self }
    }

    /// The size of the object in bytes. If the size is an expression, the number of bytes that
    /// belong to the object for certain.
    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether an address may be at an offset that is not a multiple of its size.
    #[inline(always)]
    pub fn is_irregular(&self) -> bool {
        self.irregular
    }

    /// Notes that an address may be at an offset that is not a multiple of its size.
    pub fn set_irregular(&mut self) {
        self.irregular = true;
    }

    /// The size of the object as an expression of 64 bits, if it depends on the input.
    pub fn extent(&self) -> Option<ExprId> {
        self.extent
    }

    /// The number of bytes that are stored: all of them if the size is known.
    pub fn capacity(&self) -> u64 {
        self.contents.len() as u64
    }

    /// Joins two objects that were one. `choose` makes one expression of two that differ. `None` if
    /// they cannot be joined: they are of different kinds, were written at symbolic offsets, or
    /// have bytes that only one of them has written. Objects of different sizes become one whose
    /// size is a choice. Then all bytes that the shorter one may ever have must be stored. Behind
    /// its end, the bytes are those of the longer one.
    ///
    /// Words that may be addresses stay whole, so that they are recognised as addresses again.
    /// Everywhere else each byte is chosen by itself, as text is read byte by byte. With
    /// [`Grain::Number`], the smallest number around the bytes that differ is chosen, and neither
    /// addresses nor sizes may differ.
    pub(super) fn join(
        exprs: &Exprs,
        [a, b]: [&Self; 2],
        by: Grain,
        is_address: &dyn Fn(ExprId) -> bool,
        choose: &dyn Fn(ExprId, ExprId) -> Option<ExprId>,
    ) -> Option<Self> {
        let kind = |object: &Self| (object.segment, object.constant, object.alignment);
        if kind(a) != kind(b) || !a.updates.is_empty() || !b.updates.is_empty() {
            return None;
        }
        let extent = |of: &Self| of.extent.unwrap_or_else(|| exprs.constant(64, of.capacity()));
        let (small, large) = if a.capacity() <= b.capacity() { (a, b) } else { (b, a) };
        let is_stored = exprs.bounds(extent(small)).1 <= small.capacity();
        if small.capacity() < large.capacity() && !is_stored {
            return None;
        }
        let mut joined = large.clone();
        joined.size = a.size.min(b.size);
        joined.irregular = a.irregular || b.irregular;
        if extent(a) != extent(b) {
            if by == Grain::Number {
                return None;
            }
            joined.extent = Some(choose(extent(a), extent(b))?);
        }
        let stored = small.contents.len();
        for start in (0..stored).step_by(WORD) {
            let bytes = start..stored.min(start + WORD);
            if a.contents.is_same_at(&b.contents, bytes.clone()) {
                continue;
            }
            let differ = |at: &usize| !a.contents.is_same_at(&b.contents, *at..*at + 1);
            let words = a.written(exprs, bytes.clone()).zip(b.written(exprs, bytes.clone()));
            let whole =
                words.filter(|(x, y)| bytes.len() == WORD && (is_address(*x) || is_address(*y)));
            let parts: Vec<Range<usize>> = match (whole, by) {
                (Some(_), Grain::Number) => return None,
                (Some(_), Grain::Byte) => vec![bytes],
                (None, Grain::Number) if bytes.len() == WORD => vec![number(bytes.filter(differ))],
                (None, _) => bytes.filter(differ).map(|at| at..at + 1).collect(),
            };
            for part in parts {
                let (x, y) = (a.written(exprs, part.clone())?, b.written(exprs, part.clone())?);
                let chosen = choose(x, y)?;
                for (index, at) in part.enumerate() {
                    let byte = exprs.extract(chosen, index as u32 * 8, 8);
                    joined.set_byte(exprs, at, Byte::of(exprs, byte));
                }
            }
        }
        Some(joined)
    }

    /// The little-endian number in these bytes, if all of them were written.
    pub fn written(&self, exprs: &Exprs, bytes: Range<usize>) -> Option<ExprId> {
        let bytes: Option<Vec<_>> = bytes.map(|at| self.byte(exprs, at).expr(exprs)).collect();
        bytes?.into_iter().reduce(|low, high| exprs.concat(high, low))
    }

    /// Whether a byte or the size may be an expression that satisfies a condition. True if the
    /// object was written at symbolic offsets, as nothing is known about these parts.
    pub(super) fn may_have(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        !self.updates.is_empty() || self.extent.is_some_and(is) || self.contents.any(is)
    }

    /// Records that the first `size` bytes belong to the object for certain. `size` is at most its
    /// capacity.
    pub fn ascertain(&mut self, size: u64) {
        debug_assert!(size <= self.capacity());
        self.size = self.size.max(size);
    }

    /// Whether `length` bytes at `offset` lie inside the object for certain.
    #[inline(always)]
    pub fn contains(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.size())
    }

    /// Appends the bytes in `range` (inside the bounds) to `to`, if all of them are concrete.
    /// Otherwise what was appended to `to` is not determined.
    pub fn copy_concrete(&self, range: Range<usize>, to: &mut Vec<u8>) -> bool {
        self.contents.copy(range, to)
    }

    /// The concrete bytes from `offset` on (inside the bounds), up to the first byte that is not
    /// concrete.
    pub fn concrete_from(&self, offset: usize) -> impl Iterator<Item = u8> {
        (offset..self.size as usize).map_while(|at| match self.contents.byte(at) {
            Byte::Concrete(value) => Some(value),
            Byte::Symbolic(_) | Byte::Uninitialised => None,
        })
    }

    /// The little-endian number in `length` bytes at `offset`; `None` if there are more than 8
    /// bytes, or if they are not inside the bounds or not concrete.
    #[inline(always)]
    pub fn word(&self, offset: u64, length: usize) -> Option<u64> {
        let is_there = length <= WORD && self.contains(offset, length as u64);
        is_there.then(|| self.contents.word(offset as usize, length)).flatten()
    }

    /// Writes the low `length` bytes of `word` at `offset`. Returns `false` and writes nothing if
    /// these are more than 8 bytes, beyond the bounds, in constant memory, or in a part that was
    /// written at a symbolic offset.
    #[inline(always)]
    pub fn set_word(&mut self, offset: u64, length: usize, word: u64) -> bool {
        if length > 8 || self.constant || !self.contains(offset, length as u64) {
            return false;
        }
        if self.is_updated(offset as usize, length) {
            return false;
        }
        let (offset, bytes) = (offset as usize, word.to_le_bytes());
        match length {
            4 => self.contents.write(offset, &bytes[..4]),
            8 => self.contents.write(offset, &bytes),
            1 => self.contents.write(offset, &bytes[..1]),
            length => self.contents.write(offset, &bytes[..length]),
        }
        true
    }

    /// Writes concrete bytes at `offset` (inside the bounds).
    pub fn write(&mut self, exprs: &Exprs, offset: usize, bytes: &[u8]) {
        let written = offset..offset + bytes.len();
        self.updates.retain(|part| !is_inside(&part.range(), &written));
        if self.is_updated(offset, bytes.len()) {
            for (at, byte) in (offset..).zip(bytes) {
                self.set_byte(exprs, at, Byte::Concrete(*byte));
            }
        } else {
            self.contents.write(offset, bytes);
        }
    }

    /// Whether some of these bytes may have been written at a symbolic offset. If so,
    /// [`Object::select`] and [`Object::update`] see whole words, which [`Object::byte`] and
    /// [`Object::set_byte`] take apart.
    #[inline(always)]
    pub fn is_updated(&self, offset: usize, length: usize) -> bool {
        self.updates.iter().any(|part| !part.is_apart(&(offset..offset + length)))
    }

    /// The byte at `offset` (inside the bounds).
    pub fn byte(&self, exprs: &Exprs, offset: usize) -> Byte {
        if let Some(part) = self.updates.iter().find(|part| part.range().contains(&offset)) {
            return Byte::of(exprs, part.byte(exprs, offset));
        }
        self.contents.byte(offset)
    }

    /// Sets the byte at `offset` (inside the bounds). In a part that was written at a symbolic
    /// offset it must not become uninitialised.
    pub fn set_byte(&mut self, exprs: &Exprs, offset: usize, byte: Byte) {
        if let Some(part) = self.updates.iter_mut().find(|part| part.range().contains(&offset)) {
            let value = byte.expr(exprs).expect("updates are over what was written");
            let offset = exprs.constant(OFFSET_BITS, offset as u64);
            return part.write(exprs, offset, value, 1, 1);
        }
        self.contents.set(offset, byte);
    }

    /// The range of bytes that an access of `length` bytes at a symbolic offset may reach, as
    /// narrow as the bounds of the offset show. The offset has [`OFFSET_BITS`]; the access is
    /// inside the bounds and the offset a multiple of `step`, for certain.
    pub fn window(
        &self,
        exprs: &Exprs,
        offset: ExprId,
        length: usize,
        step: usize,
    ) -> Range<usize> {
        let (least, greatest) = exprs.bounds(offset);
        let last = self.capacity().saturating_sub(length as u64);
        let (start, end) = (least.min(last) as usize, greatest.min(last) as usize + length);
        let step = self.cell_size(step);
        start - start % step..end.next_multiple_of(step)
    }

    /// The word of `length` bytes at a symbolic offset, under the conditions of [`Object::window`].
    /// All bytes of the window must have been written.
    pub fn select(&self, exprs: &Exprs, offset: ExprId, length: usize, step: usize) -> ExprId {
        let window = self.window(exprs, offset, length, step);
        let step = self.cell_size(step);
        match self.updates.iter().find(|part| is_inside(&window, &part.range())) {
            Some(part) => part.read(exprs, offset, length, step),
            None => self.part(exprs, &window, step).read(exprs, offset, length, step),
        }
    }

    /// Writes `length` bytes at a symbolic offset, under the conditions of [`Object::window`]. All
    /// bytes of the window must have been written.
    pub fn update(
        &mut self,
        exprs: &Exprs,
        offset: ExprId,
        word: ExprId,
        length: usize,
        step: usize,
    ) {
        let window = self.window(exprs, offset, length, step);
        let step = self.cell_size(step);
        if let Some(part) = self.updates.iter_mut().find(|part| is_inside(&window, &part.range())) {
            return part.write(exprs, offset, word, length, step);
        }
        let mut part = self.part(exprs, &window, step);
        self.updates.retain(|other| other.is_apart(&window));
        self.contents.unwrite(part.range());
        part.write(exprs, offset, word, length, step);
        self.updates.push(part);
    }

    /// The object with new words of 8 bytes in the parts of `window` that were written at symbolic
    /// offsets. `by` gives the new word for an old one; `None` if no word changes. A word stored as
    /// single bytes stays as it is unless `may_be` holds for its highest byte.
    pub fn with_updated_words(
        &self,
        exprs: &Exprs,
        window: &Range<usize>,
        may_be: &dyn Fn(ExprId) -> bool,
        by: &dyn Fn(ExprId) -> Option<ExprId>,
    ) -> Option<Self> {
        let mut changed: Option<Self> = None;
        for (index, part) in self.updates.iter().enumerate() {
            if let Some(part) = part.with_words(exprs, window, may_be, by) {
                changed.get_or_insert_with(|| self.clone()).updates[index] = part;
            }
        }
        changed
    }

    fn cell_size(&self, step: usize) -> usize {
        if self.contents.len().is_multiple_of(step) { step } else { 1 }
    }

    /// A window as one part, merged with all the parts into which it reaches.
    fn part(&self, exprs: &Exprs, window: &Range<usize>, step: usize) -> Updates {
        let plain = |range: Range<usize>| {
            let fits = range.start.is_multiple_of(step) && range.len().is_multiple_of(step);
            let byte = |at| self.byte(exprs, at).expr(exprs).expect("all bytes were written");
            let bytes: Vec<ExprId> = range.clone().map(byte).collect();
            Updates::new(exprs, range.start, &bytes, if fits { step } else { 1 })
        };
        let mut met: Vec<&Updates> =
            self.updates.iter().filter(|part| !part.is_apart(window)).collect();
        met.sort_by_key(|part| part.range().start);
        let mut whole: Option<Updates> = None;
        let mut add = |part: &Updates| match &mut whole {
            Some(whole) => whole.absorb(exprs, part),
            None => whole = Some(part.clone()),
        };
        let mut at = window.start;
        for part in met {
            let range = part.range();
            if at < range.start {
                add(&plain(at..range.start));
            }
            add(part);
            at = range.end;
        }
        if at < window.end {
            add(&plain(at..window.end));
        }
        whole.expect("a window is not empty")
    }
}

fn is_inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_sizes_the_joined_object_has_the_one_or_the_other() {
        let exprs = Exprs::new();
        let is_first = exprs.eq(exprs.input("x", 8), exprs.constant(8, 0));
        let choose = |x: ExprId, y: ExprId| Some(exprs.ite(is_first, x, y));
        let [mut small, mut large] = [2, 4].map(|size| Object::zeroed(Segment::Heap, size));
        small.write(&exprs, 0, &[1]);
        large.write(&exprs, 0, &[2, 0, 3]);
        let join = |pair, by| Object::join(&exprs, pair, by, &|_| false, &choose);
        for (pair, first, second) in [([&small, &large], 2, 4), ([&large, &small], 4, 2)] {
            let joined = join(pair, Grain::Byte).unwrap();
            let size = exprs.ite(is_first, exprs.constant(64, first), exprs.constant(64, second));
            assert_eq!((joined.size(), joined.extent(), joined.capacity()), (2, Some(size), 4));
            assert!(matches!(joined.byte(&exprs, 0), Byte::Symbolic(_)));
            assert_eq!(joined.byte(&exprs, 2), Byte::Concrete(3));
        }
        assert_eq!(join([&small, &large], Grain::Number), None);
        // Only a part of this object is stored.
        let extent = exprs.input("n", 64);
        let part = Object::zeroed(Segment::Heap, 2).with_extent(extent);
        assert_eq!(join([&part, &large], Grain::Byte), None);
        // Objects of the same size. More bytes of one of them are certain.
        let text = Object::zeroed(Segment::Static, 4).with_extent(extent);
        let mut known = text.clone();
        known.ascertain(3);
        assert_eq!(join([&text, &known], Grain::Number), Some(text.clone()));
    }

    #[test]
    fn bytes_keep_what_was_last_written() {
        let exprs = Exprs::new();
        let mut object = Object::uninitialised(Segment::Stack, 3);
        assert_eq!(object.byte(&exprs, 1), Byte::Uninitialised);
        assert_eq!(object.word(0, 3), None);
        object.write(&exprs, 1, &[7]);
        assert_eq!(object.word(1, 1), Some(7));
        object.set_byte(&exprs, 1, Byte::Uninitialised);
        assert_eq!(object.byte(&exprs, 1), Byte::Uninitialised);
        object.set_byte(&exprs, 1, Byte::Concrete(9));
        assert_eq!(object.byte(&exprs, 1), Byte::Concrete(9));
    }

    #[test]
    fn bounds_do_not_wrap() {
        let object = Object::zeroed(Segment::Heap, 4);
        assert!(object.contains(0, 4) && object.contains(4, 0));
        assert!(!object.contains(1, 4) && !object.contains(u64::MAX, 2));
    }
}
