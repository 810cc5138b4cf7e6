//! Standard input: typed tokens that the program's own reads call for, or plain bytes.
//!
//! Reads create typed input: a `%d` makes one symbolic number, a `getchar` one symbolic byte. A
//! test renders the tokens as text, with a newline after each number and word. Unless input may be
//! malformed ([`Bounds::malformed`]), it is assumed to be well formed for the reads that the
//! program makes; every proof states this as a bound.

use super::{format::scanf::ByteSet, given, stream::Stream};
use crate::{
    expr::{Assignment, ExprId, Exprs},
    memory::Byte,
};

/// Standard input of one state.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Stdin {
    /// Tokens that reads make.
    Typed(TypedInput),
    /// A fixed sequence of bytes, concrete or symbolic.
    Bytes(ByteInput),
}

/// What is assumed of typed input.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Bounds {
    /// The number of tokens after which the file ends.
    pub tokens: u32,
    /// Whether the file may end earlier.
    pub early_end: bool,
    /// The largest number of bytes of a word.
    pub longest_word: u8,
    /// Whether a byte that the read does not accept may replace a token.
    pub malformed: bool,
    /// Whether floating-point numbers may be infinities and NaNs.
    pub nonfinite: bool,
}

/// How much of a number or word a conversion takes. The lesser value takes less.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Taken {
    /// Certain characters only (`%[a-z]`).
    Set,
    /// At most this many bytes (`%2d`, `%4s`).
    Bytes(u32),
}

/// Typed input: the tokens that reads have made so far, and what is known of what follows.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TypedInput {
    /// The text that was read so far.
    pub text: Stream,
    /// The number of tokens so far.
    pub(super) tokens: u32,
    /// How many characters the formats of reads have asked for since the last token.
    pub(super) literals: u32,
    pub(super) bounds: Bounds,
    pub(super) has_words: bool,
    /// See [`TypedInput::taken`].
    pub(super) taken: Vec<(ExprId, Taken)>,
    /// Whether a newline follows that has not been read yet.
    pub(super) newline: bool,
    /// The bytes that cannot directly follow the last number or word: they would belong to it, or
    /// the program has seen a newline there.
    pub(super) excluded: ByteSet,
    /// Whether white space was skipped, so that the next byte is none.
    pub(super) skipped: bool,
    /// Whether the file is known to continue after what was read.
    pub(super) more: bool,
    pub(super) ended: bool,
    pub(super) unread: Vec<Byte>,
}

/// Standard input that is a fixed sequence of bytes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ByteInput {
    /// All bytes, including those that were read.
    pub bytes: Vec<Byte>,
    pub(super) position: usize,
    /// Whether a read has reached the end.
    pub(super) ended: bool,
    pub(super) unread: Vec<Byte>,
}

impl Stdin {
    /// Typed input within these bounds.
    pub fn typed(bounds: Bounds) -> Self {
        Self::Typed(TypedInput { bounds, ..TypedInput::default() })
    }

    /// Input of these bytes.
    pub fn bytes(bytes: Vec<Byte>) -> Self {
        Self::Bytes(ByteInput { bytes, ..ByteInput::default() })
    }

    /// Input of `count` symbolic bytes: the object `stdin`.
    pub fn symbolic(exprs: &Exprs, count: u32) -> Self {
        let byte = |index| Byte::Symbolic(exprs.input(&format!("stdin[{index}]"), 8));
        Self::bytes((0..count).map(byte).collect())
    }

    /// Lets typed input end after any number of tokens; returns `false` if input is not typed.
    pub fn let_end_anywhere(&mut self) -> bool {
        let Self::Typed(input) = self else { return false };
        (input.bounds.tokens, input.bounds.early_end) = (u32::MAX, true);
        true
    }

    /// The number of tokens after which typed input ends; `None` if input is not typed.
    pub fn most_tokens(&self) -> Option<u32> {
        match self {
            Self::Typed(input) => Some(input.bounds.tokens),
            Self::Bytes(_) => None,
        }
    }

    /// Whether nothing but the amount of typed input that was read has changed since `earlier`.
    pub fn goes_on_from(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Typed(now), Self::Typed(then)) => {
                let TypedInput { text: _, tokens: _, literals: _, has_words: _, taken: _, .. } =
                    now;
                (now.bounds, now.newline, now.skipped, now.more, now.ended)
                    == (then.bounds, then.newline, then.skipped, then.more, then.ended)
                    && now.excluded == then.excluded
                    && now.unread == then.unread
            }
            _ => self == earlier,
        }
    }

    /// The names of the variables of the next byte of typed input: whether the input ends before
    /// it, unless that is known already, and its value.
    pub fn of_next_read(&self) -> Vec<String> {
        let Self::Typed(input) = self else { return Vec::new() };
        let place = input.place();
        let end = (!input.more && !input.ended).then(|| given::end_name(&place));
        end.into_iter().chain([given::byte_name(&place)]).collect()
    }

    /// The number of tokens read; 0 if input is not typed.
    pub fn tokens(&self) -> u32 {
        match self {
            Self::Typed(input) => input.tokens,
            Self::Bytes(_) => 0,
        }
    }

    /// The number of bytes read from a fixed sequence; `None` if input is typed.
    pub fn bytes_read(&self) -> Option<usize> {
        match self {
            Self::Typed(_) => None,
            Self::Bytes(input) => Some(input.position),
        }
    }

    /// Whether a read has reached the end of the file (`feof`).
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Typed(input) => input.ended,
            Self::Bytes(input) => input.ended,
        }
    }
}

impl ByteInput {
    /// All bytes under an assignment.
    pub fn known(&self, exprs: &Exprs, given: &Assignment) -> Vec<Byte> {
        let value = |byte: &Byte| match byte {
            Byte::Symbolic(e) => Byte::of(exprs, exprs.bv(&exprs.evaluate(*e, given))),
            known => *known,
        };
        self.bytes.iter().map(value).collect()
    }

    /// Reads the next bytes, at most `count`; fewer at the end of the file.
    pub fn take(&mut self, count: usize) -> Vec<Byte> {
        let end = self.bytes.len().min(self.position + count);
        let taken = self.bytes[self.position..end].to_vec();
        self.position = end;
        taken
    }
}

impl TypedInput {
    /// The text of the input file, including a newline at its end that was not read yet.
    pub fn file(&self) -> Stream {
        let mut text = self.text.clone();
        if self.newline {
            text.push_bytes(b"\n");
        }
        text
    }

    /// Whether words were read.
    pub fn has_words(&self) -> bool {
        self.has_words
    }

    /// The largest number of bytes of a word.
    pub fn longest_word(&self) -> usize {
        self.bounds.longest_word.into()
    }

    /// The numbers and words of which a conversion takes less than their types and
    /// [`Self::longest_word`] allow. Each is given by its value or its first letter.
    pub fn taken(&self) -> &[(ExprId, Taken)] {
        &self.taken
    }

    /// Whether the file continues after the text with something unknown.
    pub fn expects_more(&self) -> bool {
        self.more
    }

    /// The smallest number of tokens that remain before the file ends.
    pub fn left(&self) -> u32 {
        if self.ended || self.bounds.early_end {
            return 0;
        }
        self.bounds.tokens.saturating_sub(self.tokens)
    }

    /// Whether a newline comes next.
    pub fn newline_is_next(&self) -> bool {
        self.newline
    }

    /// Reads the newline after the last number or word, unless it was read already.
    pub fn skip_newline(&mut self) {
        if std::mem::take(&mut self.newline) {
            self.text.push_bytes(b"\n");
        }
        self.excluded = ByteSet::default();
    }

    /// Whether a byte cannot directly follow what was read last. If it cannot, a newline is there,
    /// and the program now knows this.
    pub fn is_excluded(&mut self, byte: u8) -> bool {
        let is_excluded = self.excluded.contains(byte);
        if is_excluded {
            self.see_newline();
        }
        is_excluded
    }

    /// Whether a newline comes next. If so, the program now knows this, and nothing else can come.
    pub fn sees_newline(&mut self) -> bool {
        if self.newline {
            self.see_newline();
        }
        self.newline
    }

    pub(super) fn see_newline(&mut self) {
        self.excluded = ByteSet::default().complement();
    }

    /// The name of the place where the next byte is read.
    pub(super) fn place(&self) -> String {
        given::place_name(self.tokens, self.literals)
    }

    pub(super) fn token(&mut self) -> String {
        (self.tokens, self.literals) = (self.tokens + 1, 0);
        (self.skipped, self.more) = (false, false);
        self.excluded = ByteSet::default();
        given::token_name(self.tokens - 1)
    }
}
