//! The bytes of an object. Each is concrete, an expression, or was never written.
//!
//! Many bytes are kept in pieces. Objects share the pieces that they have in common, so a state
//! that writes a few bytes of a large buffer has its own copy of these pieces only.

use std::{num::NonZeroU32, ops::Range};

use triomphe::Arc;

use crate::expr::{ExprId, Exprs};

/// One byte of memory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Byte {
    /// A known value.
    Concrete(u8),
    /// An 8-bit expression.
    Symbolic(ExprId),
    /// Never written.
    Uninitialised,
}

impl Byte {
    /// The byte that an 8-bit expression stands for.
    pub fn of(exprs: &Exprs, expr: ExprId) -> Self {
        exprs.as_u64(expr).map_or(Self::Symbolic(expr), |value| Self::Concrete(value as u8))
    }

    /// The byte as an expression; `None` if it was never written.
    pub fn expr(self, exprs: &Exprs) -> Option<ExprId> {
        match self {
            Self::Concrete(value) => Some(exprs.constant(8, u64::from(value))),
            Self::Symbolic(expr) => Some(expr),
            Self::Uninitialised => None,
        }
    }
}

/// More bytes than this are kept in pieces.
pub(super) const MOST_WHOLE: usize = 4096;
/// The number of bytes of each piece but the last.
const PIECE: usize = 1024;

const CONCRETE: u32 = 0;
const UNINITIALISED: u32 = u32::MAX;

/// The bytes of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Contents {
    Whole(Piece),
    Pieces(Pieces),
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Pieces {
    length: usize,
    pieces: Vec<Arc<Piece>>,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    /// One mark per byte (concrete, uninitialised, or the number of an expression); `None` while
    /// all bytes are concrete, which is the fast path.
    marks: Option<Vec<u32>>,
}

impl Contents {
    /// `size` bytes that are 0.
    pub(super) fn zeroed(size: usize) -> Self {
        Self::alike(size, Piece::zeroed)
    }

    /// `size` bytes that were never written.
    pub(super) fn uninitialised(size: usize) -> Self {
        Self::alike(size, Piece::uninitialised)
    }

    fn alike(size: usize, make: impl Fn(usize) -> Piece) -> Self {
        if size <= MOST_WHOLE {
            return Self::Whole(make(size));
        }
        let mut pieces = vec![Arc::new(make(PIECE)); size / PIECE];
        if !size.is_multiple_of(PIECE) {
            pieces.push(Arc::new(make(size % PIECE)));
        }
        Self::Pieces(Pieces { length: size, pieces })
    }

    /// These bytes.
    pub(super) fn filled(bytes: Vec<u8>) -> Self {
        if bytes.len() <= MOST_WHOLE {
            return Self::Whole(Piece { bytes, marks: None });
        }
        let piece = |bytes: &[u8]| Arc::new(Piece { bytes: bytes.to_vec(), marks: None });
        let pieces = bytes.chunks(PIECE).map(piece).collect();
        Self::Pieces(Pieces { length: bytes.len(), pieces })
    }

    /// No bytes, with room for `size` of them, at most [`MOST_WHOLE`], with their marks.
    pub(super) fn with_room(size: usize) -> Self {
        let marks = Some(Vec::with_capacity(size));
        Self::Whole(Piece { bytes: Vec::with_capacity(size), marks })
    }

    /// How many bytes, with their marks, there is room for without allocating.
    pub(super) fn room(&self) -> usize {
        let Self::Whole(piece) = self else { return 0 };
        let marks = piece.marks.as_ref().map_or(0, Vec::capacity);
        piece.bytes.capacity().min(marks)
    }

    /// Becomes `size` bytes that were never written.
    pub(super) fn forget(&mut self, size: usize) {
        match self {
            Self::Whole(piece) if size <= MOST_WHOLE => piece.forget(size),
            _ => *self = Self::uninitialised(size),
        }
    }

    /// The number of bytes.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Whole(piece) => piece.bytes.len(),
            Self::Pieces(pieces) => pieces.length,
        }
    }

    /// The byte at `at`.
    pub(super) fn byte(&self, at: usize) -> Byte {
        match self {
            Self::Whole(piece) => piece.byte(at),
            Self::Pieces(pieces) => pieces.pieces[at / PIECE].byte(at % PIECE),
        }
    }

    /// Sets the byte at `at`.
    pub(super) fn set(&mut self, at: usize, byte: Byte) {
        match self {
            Self::Whole(piece) => piece.set(at, byte),
            Self::Pieces(pieces) => {
                Arc::make_mut(&mut pieces.pieces[at / PIECE]).set(at % PIECE, byte);
            }
        }
    }

    /// The little-endian number in at most 8 bytes at `offset`, if all of them are concrete.
    #[inline(always)]
    pub(super) fn word(&self, offset: usize, length: usize) -> Option<u64> {
        match self {
            Self::Whole(piece) => piece.word(offset, length),
            Self::Pieces(pieces) => pieces.word(offset, length),
        }
    }

    /// Writes concrete bytes at `offset`.
    #[inline(always)]
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        match self {
            Self::Whole(piece) => piece.write(offset, bytes),
            Self::Pieces(pieces) => pieces.write(offset, bytes),
        }
    }

    /// Appends the bytes in `range` to `to`, if all of them are concrete. Otherwise what was
    /// appended to `to` is not determined.
    pub(super) fn copy(&self, range: Range<usize>, to: &mut Vec<u8>) -> bool {
        self.each(range, |piece, part| {
            let is_concrete = piece.is_concrete(part.clone());
            if is_concrete {
                to.extend_from_slice(&piece.bytes[part]);
            }
            is_concrete
        })
    }

    /// The bytes in `range` count as never written.
    pub(super) fn unwrite(&mut self, range: Range<usize>) {
        match self {
            Self::Whole(piece) => piece.unwrite(range),
            Self::Pieces(pieces) => {
                for (index, part) in parts(range) {
                    Arc::make_mut(&mut pieces.pieces[index]).unwrite(part);
                }
            }
        }
    }

    /// Whether the bytes in `range` are the same in both, which are that long.
    pub(super) fn is_same_at(&self, other: &Self, range: Range<usize>) -> bool {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a.is_same_at(b, range),
            (Self::Pieces(a), Self::Pieces(b)) => parts(range).all(|(index, part)| {
                let (a, b) = (&a.pieces[index], &b.pieces[index]);
                Arc::ptr_eq(a, b) || a.is_same_at(b, part)
            }),
            _ => range.into_iter().all(|at| self.byte(at) == other.byte(at)),
        }
    }

    /// Whether an expression among the bytes satisfies a condition.
    pub(super) fn any(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        !self.each(0..self.len(), |piece, _| {
            let symbolic = |mark: &u32| *mark != CONCRETE && *mark != UNINITIALISED;
            let mut marks = piece.marks.iter().flatten().filter(|mark| symbolic(mark));
            !marks.any(|mark| is(expression(*mark)))
        })
    }

    /// Calls `is` with the pieces that have bytes in `range`, and with where these bytes are in
    /// them, as long as it returns `true`. Returns whether it always did.
    fn each(&self, range: Range<usize>, mut is: impl FnMut(&Piece, Range<usize>) -> bool) -> bool {
        match self {
            Self::Whole(piece) => is(piece, range),
            Self::Pieces(pieces) => {
                parts(range).all(|(index, part)| is(&pieces.pieces[index], part))
            }
        }
    }
}

/// The pieces that have bytes in `range`, by their index, with where these bytes are in them.
fn parts(range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let pieces = range.start / PIECE..range.end.div_ceil(PIECE);
    pieces.map(move |index| {
        let begin = index * PIECE;
        (index, range.start.max(begin) - begin..range.end.min(begin + PIECE) - begin)
    })
}

impl Pieces {
    fn word(&self, offset: usize, length: usize) -> Option<u64> {
        let (index, at) = (offset / PIECE, offset % PIECE);
        if at + length <= PIECE {
            return self.pieces[index].word(at, length);
        }
        let mut bytes = [0; 8];
        for (byte, at) in bytes.iter_mut().zip(offset..offset + length) {
            let Byte::Concrete(value) = self.pieces[at / PIECE].byte(at % PIECE) else {
                return None;
            };
            *byte = value;
        }
        Some(u64::from_le_bytes(bytes))
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        let mut rest = bytes;
        for (index, part) in parts(offset..offset + bytes.len()) {
            let (now, later) = rest.split_at(part.len());
            Arc::make_mut(&mut self.pieces[index]).write(part.start, now);
            rest = later;
        }
    }
}

impl Piece {
    fn zeroed(size: usize) -> Self {
        Self { bytes: vec![0; size], marks: None }
    }

    fn uninitialised(size: usize) -> Self {
        Self { bytes: vec![0; size], marks: Some(vec![UNINITIALISED; size]) }
    }

    fn forget(&mut self, size: usize) {
        self.bytes.clear();
        self.bytes.resize(size, 0);
        let marks = self.marks.get_or_insert_default();
        marks.clear();
        marks.resize(size, UNINITIALISED);
    }

    #[inline(always)]
    fn is_concrete(&self, range: Range<usize>) -> bool {
        match &self.marks {
            Some(marks) => marks[range].iter().all(|mark| *mark == CONCRETE),
            None => true,
        }
    }

    #[inline(always)]
    fn word(&self, offset: usize, length: usize) -> Option<u64> {
        let range = offset..offset + length;
        if !self.is_concrete(range.clone()) {
            return None;
        }
        let bytes = &self.bytes[range];
        Some(match length {
            4 => u32::from_le_bytes(bytes.try_into().expect("4 bytes")).into(),
            8 => u64::from_le_bytes(bytes.try_into().expect("8 bytes")),
            1 => bytes[0].into(),
            2 => u16::from_le_bytes(bytes.try_into().expect("2 bytes")).into(),
            _ => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        })
    }

    #[inline(always)]
    fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        if let Some(marks) = &mut self.marks {
            marks[offset..offset + bytes.len()].fill(CONCRETE);
        }
    }

    fn byte(&self, at: usize) -> Byte {
        match self.marks.as_ref().map_or(CONCRETE, |marks| marks[at]) {
            CONCRETE => Byte::Concrete(self.bytes[at]),
            UNINITIALISED => Byte::Uninitialised,
            mark => Byte::Symbolic(expression(mark)),
        }
    }

    fn set(&mut self, at: usize, byte: Byte) {
        let (value, mark) = match byte {
            Byte::Concrete(value) => (value, CONCRETE),
            Byte::Symbolic(expr) => (0, expr.0.get()),
            Byte::Uninitialised => (0, UNINITIALISED),
        };
        self.bytes[at] = value;
        if mark != CONCRETE || self.marks.is_some() {
            self.marks()[at] = mark;
        }
    }

    fn unwrite(&mut self, range: Range<usize>) {
        self.bytes[range.clone()].fill(0);
        self.marks()[range].fill(UNINITIALISED);
    }

    fn marks(&mut self) -> &mut [u32] {
        self.marks.get_or_insert_with(|| vec![CONCRETE; self.bytes.len()])
    }

    fn is_same_at(&self, other: &Self, range: Range<usize>) -> bool {
        self.bytes[range.clone()] == other.bytes[range.clone()]
            && match (&self.marks, &other.marks) {
                (Some(a), Some(b)) => a[range.clone()] == b[range],
                _ => self.is_concrete(range.clone()) && other.is_concrete(range),
            }
    }
}

/// The expression that a mark stands for.
fn expression(mark: u32) -> ExprId {
    ExprId(NonZeroU32::new(mark).expect("CONCRETE is 0"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is done to bytes, each at a place and with a value.
    #[derive(Clone, Debug)]
    enum Step {
        Write(usize, Vec<u8>),
        Set(usize, Byte),
        Unwrite(usize, usize),
        /// Keeps a copy, which must stay as it is.
        Copy,
    }

    fn steps(size: usize) -> impl Strategy<Value = Vec<Step>> {
        let byte = prop_oneof![
            any::<u8>().prop_map(Byte::Concrete),
            (1..9_u32).prop_map(|mark| Byte::Symbolic(expression(mark))),
            Just(Byte::Uninitialised),
        ];
        let step = prop_oneof![
            (0..size, prop::collection::vec(any::<u8>(), 1..3000))
                .prop_map(|(at, bytes)| Step::Write(at, bytes)),
            (0..size, byte).prop_map(|(at, byte)| Step::Set(at, byte)),
            (0..size, 0..3000_usize).prop_map(|(at, length)| Step::Unwrite(at, length)),
            Just(Step::Copy),
        ];
        prop::collection::vec(step, 1..12)
    }

    fn word(bytes: &[Byte]) -> Option<u64> {
        bytes.iter().rev().try_fold(0, |word, byte| match byte {
            Byte::Concrete(value) => Some(word << 8 | u64::from(*value)),
            Byte::Symbolic(_) | Byte::Uninitialised => None,
        })
    }

    fn check(contents: &Contents, known: &[Byte]) {
        assert_eq!(contents.len(), known.len());
        for (at, byte) in known.iter().enumerate() {
            assert_eq!(contents.byte(at), *byte, "{at}");
        }
        for begin in (0..known.len() - 8).step_by(509).chain([PIECE - 3]) {
            for length in [1, 2, 4, 8] {
                let expected = word(&known[begin..begin + length]);
                assert_eq!(contents.word(begin, length), expected, "{begin} {length}");
            }
            let range = begin..known.len().min(begin + 1500);
            let mut bytes = Vec::new();
            let plain: Option<Vec<u8>> = known[range.clone()]
                .chunks(1)
                .map(word)
                .map(|value| value.map(|value| value as u8))
                .collect();
            let copied = contents.copy(range, &mut bytes).then_some(bytes);
            assert_eq!(copied, plain, "{begin}");
        }
        let marks: Vec<u32> = known
            .iter()
            .filter_map(|byte| match byte {
                Byte::Symbolic(expr) => Some(expr.0.get()),
                _ => None,
            })
            .collect();
        for mark in 1..9 {
            let found = contents.any(&|expr| expr.0.get() == mark);
            assert_eq!(found, marks.contains(&mark));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn bytes_are_those_that_were_written(
            (size, steps) in prop_oneof![Just(3000), Just(MOST_WHOLE), Just(4097), Just(5120), Just(9999)]
                .prop_flat_map(|size| (Just(size), steps(size))),
            is_zeroed in any::<bool>(),
        ) {
            let (mut contents, begin) = match is_zeroed {
                true => (Contents::zeroed(size), Byte::Concrete(0)),
                false => (Contents::uninitialised(size), Byte::Uninitialised),
            };
            let mut known = vec![begin; size];
            let mut kept = Vec::new();
            for step in steps {
                match step {
                    Step::Write(at, mut bytes) => {
                        bytes.truncate(size - at);
                        contents.write(at, &bytes);
                        for (at, byte) in (at..).zip(bytes) {
                            known[at] = Byte::Concrete(byte);
                        }
                    }
                    Step::Set(at, byte) => {
                        contents.set(at, byte);
                        known[at] = byte;
                    }
                    Step::Unwrite(at, length) => {
                        let range = at..size.min(at + length);
                        contents.unwrite(range.clone());
                        known[range].fill(Byte::Uninitialised);
                    }
                    Step::Copy => kept.push((contents.clone(), known.clone())),
                }
            }
            for (old, bytes) in &kept {
                check(old, bytes);
                let differ = (0..size).find(|&at| bytes[at] != known[at]);
                prop_assert_eq!(old.is_same_at(&contents, 0..size), differ.is_none());
                let first = differ.unwrap_or(size);
                prop_assert!(old.is_same_at(&contents, 0..first));
            }
            check(&contents, &known);
        }
    }
}
