//! Text with symbolic pieces ([`Stream`]): what a program writes, and what it reads.
//!
//! A printed number stays one *typed token*: its value and its format. So printing creates no paths
//! for digits, and two texts are compared by their values (`diff::text`), not by their bytes.
//!
//! Clones share what was written before the clone; each appends separately.

use std::{hash::BuildHasher, sync::Arc};

pub use super::format::{number::NumberFormat, real::RealFormat};
use crate::expr::{Assignment, ExprId, Exprs, Mentions, VariableId};

/// A part of a [`Stream`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Piece {
    /// A fixed sequence of at least one byte.
    Literal(Vec<u8>),
    /// One byte that depends on variables; 8 bits wide, not constant.
    Byte(ExprId),
    /// An integer that depends on variables.
    Number {
        /// The number; at most 128 bits wide, not constant.
        value: ExprId,
        /// The format of its text.
        format: NumberFormat,
    },
    /// A floating-point number that depends on variables.
    Real {
        /// The encoding of the number; 32, 64 or 80 bits wide, not constant.
        value: ExprId,
        /// The format of its text.
        format: RealFormat,
    },
}

impl Piece {
    /// The expression on which the text depends; `None` for a literal.
    pub fn value(&self) -> Option<ExprId> {
        match self {
            Self::Literal(_) => None,
            Self::Byte(value) | Self::Number { value, .. } | Self::Real { value, .. } => {
                Some(*value)
            }
        }
    }

    /// The smallest number of bytes that the text of the piece can have.
    pub fn least_length(&self, exprs: &Exprs) -> usize {
        match self {
            Self::Literal(bytes) => bytes.len(),
            Self::Byte(_) => 1,
            Self::Number { value, format } => format.length_bounds(exprs.width(*value)).0,
            Self::Real { value, format } => format.length_bounds(exprs.width(*value)).0,
        }
    }

    /// The piece itself, or the bytes of a literal one by one.
    fn atoms(&self) -> impl Iterator<Item = Atom> {
        let (bytes, atom) = match self {
            Self::Literal(bytes) => (&bytes[..], None),
            Self::Byte(byte) => (&[][..], Some(Atom::Byte(*byte))),
            Self::Number { value, format } => {
                (&[][..], Some(Atom::Number { value: *value, format: *format }))
            }
            Self::Real { value, format } => {
                (&[][..], Some(Atom::Real { value: *value, format: *format }))
            }
        };
        bytes.iter().map(|&byte| Atom::Literal(byte)).chain(atom)
    }
}

/// A [`Piece`] or one byte of a [`Piece::Literal`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Atom {
    /// This byte.
    Literal(u8),
    /// See [`Piece::Byte`].
    Byte(ExprId),
    /// See [`Piece::Number`].
    Number {
        /// The number.
        value: ExprId,
        /// The format of its text.
        format: NumberFormat,
    },
    /// See [`Piece::Real`].
    Real {
        /// The encoding of the number.
        value: ExprId,
        /// The format of its text.
        format: RealFormat,
    },
}

impl Atom {
    /// The value that the text of the atom depends on.
    pub fn value(self) -> Option<ExprId> {
        match self {
            Self::Literal(_) => None,
            Self::Byte(value) | Self::Number { value, .. } | Self::Real { value, .. } => {
                Some(value)
            }
        }
    }
}

/// A text that is only ever appended to.
///
/// ```
/// # use psychic::env::libc::stream::{NumberFormat, Stream};
/// # use psychic::expr::{Exprs, VariableKind};
/// let exprs = Exprs::new();
/// let x = exprs.variable("x", 32, VariableKind::Input);
/// let mut text = Stream::default();
/// text.push_number(&exprs, x, NumberFormat::decimal(true));
/// text.push_bytes(b"\n");
/// assert_eq!(text.display(&exprs), r"{x}\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stream {
    last: Option<Arc<Chunk>>,
}

/// The pieces that were appended between two clones.
#[derive(Debug)]
struct Chunk {
    before: Option<Arc<Chunk>>,
    pieces: Vec<Piece>,
    /// The number of chunks before this one.
    depth: u32,
    /// A hash of the text up to the end of this chunk. It does not depend on how the text was
    /// appended.
    digest: u64,
}

impl Chunk {
    /// The digest of the empty text.
    const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
        match self.pieces.last_mut() {
            Some(Piece::Literal(literal)) => literal.extend(bytes),
            _ => self.pieces.push(Piece::Literal(bytes.to_vec())),
        }
    }

    /// Appends a piece whose text depends on `value`.
    fn push(&mut self, value: ExprId, piece: Piece) {
        self.add(rustc_hash::FxBuildHasher.hash_one(value));
        self.pieces.push(piece);
    }

    /// Adds a word to the digest, by FNV-1a on words instead of bytes.
    fn add(&mut self, code: u64) {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        self.digest = (self.digest ^ code).wrapping_mul(PRIME);
    }
}

impl Drop for Chunk {
    /// Drops the chain without recursion, because a state that forked often has a long one.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut chunk) = before.and_then(Arc::into_inner) {
            before = chunk.before.take();
        }
    }
}

impl Stream {
    /// A text of these bytes.
    pub fn literal(bytes: &[u8]) -> Self {
        let mut stream = Self::default();
        stream.push_bytes(bytes);
        stream
    }

    /// Appends bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.own().push_bytes(bytes);
    }

    /// Appends a byte, an 8-bit expression.
    pub fn push_byte(&mut self, exprs: &Exprs, byte: ExprId) {
        debug_assert_eq!(exprs.width(byte), 8);
        match exprs.as_u64(byte) {
            Some(constant) => self.push_bytes(&[constant as u8]),
            None => self.own().push(byte, Piece::Byte(byte)),
        }
    }

    /// Appends an integer.
    ///
    /// # Panics
    /// If the number has more than 128 bits.
    pub fn push_number(&mut self, exprs: &Exprs, value: ExprId, format: NumberFormat) {
        assert!(exprs.width(value) <= 128, "numbers in text have at most 128 bits");
        match exprs.as_bv(value) {
            Some(constant) => self.push_bytes(&format.format(&constant)),
            None => self.own().push(value, Piece::Number { value, format }),
        }
    }

    /// Appends the floating-point number with the encoding `value`.
    ///
    /// # Panics
    /// If the encoding does not have 32, 64 or 80 bits.
    pub fn push_real(&mut self, exprs: &Exprs, value: ExprId, format: RealFormat) {
        match exprs.as_bv(value) {
            Some(constant) => self.push_bytes(&format.text(&constant)),
            None => self.own().push(value, Piece::Real { value, format }),
        }
    }

    /// Appends a piece.
    pub fn push(&mut self, exprs: &Exprs, piece: &Piece) {
        match piece {
            Piece::Literal(bytes) => self.push_bytes(bytes),
            Piece::Byte(byte) => self.push_byte(exprs, *byte),
            Piece::Number { value, format } => self.push_number(exprs, *value, *format),
            Piece::Real { value, format } => self.push_real(exprs, *value, *format),
        }
    }

    /// The last chunk for changes, which no other stream shares; makes one if necessary.
    fn own(&mut self) -> &mut Chunk {
        if self.last.as_mut().is_none_or(|chunk| Arc::get_mut(chunk).is_none()) {
            let before = self.last.take();
            let (depth, digest) =
                before.as_ref().map_or((0, Chunk::EMPTY), |last| (last.depth + 1, last.digest));
            self.last = Some(Arc::new(Chunk { before, pieces: Vec::new(), depth, digest }));
        }
        let last = self.last.as_mut().and_then(Arc::get_mut);
        last.expect("a chunk that was just made is not shared")
    }

    /// The pieces in order. A literal can follow another if the stream was cloned between the two.
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = &Piece> {
        self.chunks().into_iter().flat_map(|chunk| &chunk.pieces)
    }

    /// The chunks in order.
    fn chunks(&self) -> Vec<&Chunk> {
        let mut chunks: Vec<&Chunk> =
            std::iter::successors(self.last.as_deref(), |chunk| chunk.before.as_deref()).collect();
        chunks.reverse();
        chunks
    }

    /// The pieces in order, literals byte by byte.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.pieces().flat_map(Piece::atoms)
    }

    /// Whether nothing was written, not even a piece whose text can be empty.
    pub fn is_empty(&self) -> bool {
        self.pieces().next().is_none()
    }

    /// Whether nothing was appended since `earlier` was cloned from this stream. The check is
    /// quick.
    pub fn is_unchanged_since(&self, earlier: &Self) -> bool {
        Self::is_same_chunk(&self.last, &earlier.last)
    }

    /// The pieces that were appended since `earlier` was cloned from this stream; `None` if it was
    /// not cloned from it.
    pub fn pieces_since(&self, earlier: &Self) -> Option<Vec<&Piece>> {
        let mut new = Vec::new();
        let mut last = &self.last;
        while !Self::is_same_chunk(last, &earlier.last) {
            let chunk = last.as_ref()?;
            new.push(chunk);
            last = &chunk.before;
        }
        Some(new.into_iter().rev().flat_map(|chunk| &chunk.pieces).collect())
    }

    fn is_same_chunk(a: &Option<Arc<Chunk>>, b: &Option<Arc<Chunk>>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether the text depends on no variable.
    pub fn is_concrete(&self) -> bool {
        self.pieces().all(|piece| matches!(piece, Piece::Literal(_)))
    }

    /// The bytes of the text, if it depends on no variable.
    pub fn as_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for piece in self.pieces() {
            let Piece::Literal(literal) = piece else { return None };
            bytes.extend(literal);
        }
        Some(bytes)
    }

    /// The text under an assignment.
    pub fn render(&self, exprs: &Exprs, assignment: &Assignment) -> Vec<u8> {
        let mut text = Vec::new();
        for piece in self.pieces() {
            match piece {
                Piece::Literal(bytes) => text.extend(bytes),
                // A byte has 8 bits, so it is its own first byte.
                Piece::Byte(byte) => text.extend(exprs.evaluate(*byte, assignment).to_le_bytes()),
                Piece::Number { value, format } => {
                    text.extend(format.format(&exprs.evaluate(*value, assignment)));
                }
                Piece::Real { value, format } => {
                    text.extend(format.text(&exprs.evaluate(*value, assignment)));
                }
            }
        }
        text
    }

    /// The number of bytes, if it is the same for every value of the variables.
    pub fn len_if_concrete(&self, exprs: &Exprs) -> Option<usize> {
        let mut length = 0;
        for piece in self.pieces() {
            length += match piece {
                Piece::Literal(bytes) => bytes.len(),
                Piece::Byte(_) => 1,
                Piece::Number { value, format } => {
                    match format.length_bounds(exprs.width(*value)) {
                        (least, most) if least == most => least,
                        _ => return None,
                    }
                }
                Piece::Real { .. } => return None,
            };
        }
        Some(length)
    }

    /// Whether the text has at least `bytes` bytes for every value of the variables.
    pub fn is_longer_than(&self, exprs: &Exprs, bytes: usize) -> bool {
        let mut known = 0;
        self.pieces().any(|piece| {
            known += piece.least_length(exprs);
            known >= bytes
        })
    }

    /// The shortest sequence of first pieces that certainly has at least `bytes` bytes. Literals
    /// are cut; other pieces stay whole.
    pub fn prefix(&self, exprs: &Exprs, bytes: usize) -> Self {
        let mut prefix = Self::default();
        let mut left = bytes;
        for piece in self.pieces() {
            match piece {
                _ if left == 0 => break,
                Piece::Literal(literal) => prefix.push_bytes(&literal[..literal.len().min(left)]),
                piece => prefix.push(exprs, piece),
            }
            left = left.saturating_sub(piece.least_length(exprs));
        }
        prefix
    }

    /// The number of bytes, as an expression of `bits` bits. `None` if the text has a
    /// floating-point number, whose length has no short expression.
    pub fn len(&self, exprs: &Exprs, bits: u32) -> Option<ExprId> {
        let mut known = 0u64;
        let mut length = exprs.constant(bits, 0);
        for piece in self.pieces() {
            match piece {
                Piece::Literal(bytes) => known += bytes.len() as u64,
                Piece::Byte(_) => known += 1,
                Piece::Number { value, format } => {
                    length = exprs.add(length, format.length(exprs, *value, bits));
                }
                Piece::Real { .. } => return None,
            }
        }
        Some(exprs.add(length, exprs.constant(bits, known)))
    }

    /// The text with `variable` replaced by `by`.
    pub fn substitute(&self, exprs: &Exprs, variable: VariableId, by: ExprId) -> Self {
        let mut changed = false;
        let mut stream = Self::default();
        for piece in self.pieces() {
            match piece {
                Piece::Literal(bytes) => stream.push_bytes(bytes),
                Piece::Byte(byte) => {
                    let new = exprs.substitute(*byte, variable, by);
                    changed |= new != *byte;
                    stream.push_byte(exprs, new);
                }
                Piece::Number { value, format } => {
                    let new = exprs.substitute(*value, variable, by);
                    changed |= new != *value;
                    stream.push_number(exprs, new, *format);
                }
                Piece::Real { value, format } => {
                    let new = exprs.substitute(*value, variable, by);
                    changed |= new != *value;
                    stream.push_real(exprs, new, *format);
                }
            }
        }
        if changed { stream } else { self.clone() }
    }

    /// The kinds of variables on which the text depends.
    pub fn mentions(&self, exprs: &Exprs) -> Mentions {
        let mut all = Mentions::default();
        for piece in self.pieces() {
            all = match piece {
                Piece::Literal(_) => all,
                Piece::Byte(value) | Piece::Number { value, .. } | Piece::Real { value, .. } => {
                    all.or(exprs.mentions(*value))
                }
            };
        }
        all
    }

    /// The text for display. Literals have C escapes. A number that `%d` writes is `{x}`; other
    /// numbers show their conversion, as in `{x:%08x}`; a byte is `{b:%c}`. Braces of the text are
    /// doubled.
    pub fn display(&self, exprs: &Exprs) -> String {
        let mut shown = String::new();
        for piece in self.pieces() {
            match piece {
                Piece::Literal(bytes) => {
                    let escaped = bytes.escape_ascii().to_string();
                    shown += &escaped.replace('{', "{{").replace('}', "}}");
                }
                Piece::Byte(byte) => shown += &format!("{{{}:%c}}", exprs.display(*byte)),
                Piece::Number { value, format } if *format == NumberFormat::decimal(true) => {
                    shown += &format!("{{{}}}", exprs.display(*value));
                }
                Piece::Number { value, format } => {
                    shown += &format!("{{{}:{format}}}", exprs.display(*value));
                }
                Piece::Real { value, format } => {
                    shown += &format!("{{{}:{format}}}", exprs.display(*value));
                }
            }
        }
        shown
    }
}

/// Streams are equal if their pieces are equal, however the literals were appended.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        if self.is_unchanged_since(other) {
            return true;
        }
        let digest = |stream: &Self| stream.last.as_ref().map_or(Chunk::EMPTY, |last| last.digest);
        if digest(self) != digest(other) {
            return false;
        }
        // The chunks before the last common one are shared; only those after it are compared.
        let (mut a, mut b) = (self.last.as_deref(), other.last.as_deref());
        let (mut left, mut right) = (Vec::new(), Vec::new());
        loop {
            let depth = |chunk: Option<&Chunk>| chunk.map_or(0, |chunk| chunk.depth + 1);
            let next = match (a, b) {
                (Some(x), Some(y)) if std::ptr::eq(x, y) => break,
                (None, None) => break,
                _ if depth(a) >= depth(b) => (&mut a, &mut left),
                _ => (&mut b, &mut right),
            };
            let (chunk, chunks) = next;
            let here = chunk.expect("the deeper one is not at its begin");
            chunks.push(here);
            *chunk = here.before.as_deref();
        }
        fn atoms<'a>(chunks: &'a [&Chunk]) -> impl Iterator<Item = Atom> + 'a {
            let pieces = chunks.iter().rev().flat_map(|chunk| &chunk.pieces);
            pieces.flat_map(Piece::atoms)
        }
        atoms(&left).eq(atoms(&right))
    }
}

impl Eq for Stream {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::libc::format::flags::Flags;
    use crate::env::libc::format::radix::Radix;
    use crate::expr::{Bv, VariableKind};

    fn setup() -> (Exprs, ExprId, ExprId) {
        let exprs = Exprs::new();
        let x = exprs.variable("x", 32, VariableKind::Input);
        let b = exprs.variable("b", 8, VariableKind::Revision);
        (exprs, x, b)
    }

    fn hexadecimal() -> NumberFormat {
        let flags = Flags { zero: true, ..Flags::default() };
        let radix = Radix::Hex(crate::env::libc::format::Case::Lower);
        NumberFormat { signed: false, radix, width: 8, precision: None, flags }
    }

    #[test]
    fn constants_become_literal_text() {
        let (exprs, ..) = setup();
        let mut stream = Stream::literal(b"n=");
        stream.push_number(&exprs, exprs.constant(32, -5i64 as u64), NumberFormat::decimal(true));
        stream.push_byte(&exprs, exprs.constant(8, 10));
        assert!(stream.is_concrete());
        assert_eq!(stream.as_bytes().unwrap(), b"n=-5\n");
        assert_eq!(stream.pieces().count(), 1);
        assert_eq!(stream.len_if_concrete(&exprs), Some(5));
        assert!(Stream::default().is_empty() && !stream.is_empty());
    }

    #[test]
    fn clones_share_the_past_and_not_the_future() {
        let (exprs, x, _) = setup();
        let mut left = Stream::literal(b"a");
        let mut right = left.clone();
        left.push_bytes(b"b");
        right.push_number(&exprs, x, NumberFormat::decimal(true));
        assert_eq!(left.as_bytes().unwrap(), b"ab");
        assert_eq!(right.display(&exprs), "a{x}");
        assert_eq!(left, Stream::literal(b"ab"));
        let (mut longer, longest) = (left.clone(), left.clone());
        longer.push_bytes(b"c");
        let mut again = longest.clone();
        again.push_bytes(b"c");
        assert_eq!(longer, again);
        assert_ne!(longer, longest);
        assert_ne!(left, right);
        let new = longer.pieces_since(&left).unwrap();
        assert_eq!(new, [&Piece::Literal(b"c".to_vec())]);
        assert_eq!(longest.pieces_since(&left), Some(Vec::new()));
        assert_eq!(left.pieces_since(&longer), None);
        assert_eq!(longer.pieces_since(&Stream::default()).unwrap().len(), 3);
    }

    #[test]
    fn a_long_chain_of_clones_is_dropped_without_recursion() {
        let mut stream = Stream::default();
        for _ in 0..200_000 {
            let shared = stream.clone();
            stream.push_bytes(b"x");
            drop(shared);
            let _held = stream.clone();
            stream.push_bytes(b"y");
        }
        assert_eq!(stream.as_bytes().unwrap().len(), 400_000);
    }

    #[test]
    fn text_is_shown_rendered_and_measured() {
        let (exprs, x, b) = setup();
        let mut stream = Stream::literal(b"{\t");
        stream.push_number(&exprs, x, NumberFormat::decimal(true));
        stream.push_byte(&exprs, b);
        stream.push_number(&exprs, x, hexadecimal());
        assert_eq!(stream.display(&exprs), r"{{\t{x}{b:%c}{x:%08x}");
        let [x, b] = [x, b].map(|e| exprs.as_variable(e).unwrap());
        let values = [(x, Bv::new(32, -12i64 as u64)), (b, Bv::new(8, b'!'.into()))];
        let assignment = Assignment(values.into());
        let text = stream.render(&exprs, &assignment);
        assert_eq!(text, b"{\t-12!fffffff4");
        assert_eq!(stream.len_if_concrete(&exprs), None);
        let length = exprs.evaluate(stream.len(&exprs, 32).unwrap(), &assignment);
        assert_eq!(length.to_u64(), Some(text.len() as u64));
        let mut fixed = Stream::default();
        fixed.push_number(&exprs, exprs.variable("y", 32, VariableKind::Input), hexadecimal());
        assert_eq!(fixed.len_if_concrete(&exprs), Some(8));
    }

    #[test]
    fn substitution_folds_pieces_into_literals() {
        let (exprs, x, b) = setup();
        let mut stream = Stream::default();
        stream.push_byte(&exprs, b);
        stream.push_number(&exprs, x, NumberFormat::decimal(true));
        let all = stream.mentions(&exprs);
        assert!(all.input() && all.revision() && !all.uninitialised());
        let b = exprs.as_variable(b).unwrap();
        let stream = stream.substitute(&exprs, b, exprs.constant(8, b'='.into()));
        assert_eq!(stream.display(&exprs), "={x}");
        assert!(!stream.mentions(&exprs).revision());
        let x = exprs.as_variable(x).unwrap();
        let stream = stream.substitute(&exprs, x, exprs.constant(32, 7));
        assert_eq!(stream, Stream::literal(b"=7"));
    }
}
