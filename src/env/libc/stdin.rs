//! Standard input: typed tokens that the program's own reads call for, or plain bytes.
//!
//! Typed input comes into being as it is read: a `%d` makes one symbolic number, a `getchar`
//! one symbolic byte. A test renders the tokens as text, with a newline behind each number
//! and word. What is assumed, and stated as a bound of every proof: input is well formed for
//! the reads that the program makes, unless it may be malformed.

use super::{format::scanf::ByteSet, stream::Stream};
use crate::{
    expr::{Assignment, Exprs},
    memory::Byte,
};

/// Standard input of one state.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Stdin {
    /// Tokens made by reading.
    Typed(TypedInput),
    /// A fixed row of bytes, concrete or symbolic.
    Bytes(ByteInput),
}

/// What is assumed of typed input.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Bounds {
    /// End of file comes after so many tokens.
    pub tokens: u32,
    /// End of file may come before that.
    pub early_end: bool,
    /// Most bytes of a word.
    pub longest_word: u8,
    /// In place of a token there may be a byte that the read does not take.
    pub malformed: bool,
    /// Floating-point numbers may be infinities and NaNs.
    pub nonfinite: bool,
}

/// Tokens made by reading.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TypedInput {
    /// The text that was read so far.
    pub text: Stream,
    /// Number of tokens so far.
    pub(super) tokens: u32,
    pub(super) bounds: Bounds,
    pub(super) has_words: bool,
    /// A newline follows that has not been read yet.
    pub(super) newline: bool,
    /// What cannot come right behind the number or word read last: it would belong to that, or a
    /// newline was seen there.
    pub(super) excluded: ByteSet,
    /// White space was skipped, so that none comes next.
    pub(super) skipped: bool,
    /// There is more of which nothing has been read yet.
    pub(super) more: bool,
    pub(super) ended: bool,
    pub(super) unread: Vec<Byte>,
}

/// A fixed row of bytes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ByteInput {
    /// All of them.
    pub bytes: Vec<Byte>,
    pub(super) position: usize,
    /// A read has met the end.
    pub(super) ended: bool,
    pub(super) unread: Vec<Byte>,
}

impl Stdin {
    /// Typed tokens.
    pub fn typed(bounds: Bounds) -> Self {
        Self::Typed(TypedInput { bounds, ..TypedInput::default() })
    }

    /// These bytes.
    pub fn bytes(bytes: Vec<Byte>) -> Self {
        Self::Bytes(ByteInput { bytes, ..ByteInput::default() })
    }

    /// So many symbolic bytes, the object `stdin`.
    pub fn symbolic(exprs: &Exprs, count: u32) -> Self {
        let byte = |index| Byte::Symbolic(exprs.input(&format!("stdin[{index}]"), 8));
        Self::bytes((0..count).map(byte).collect())
    }

    /// Lets typed input end after any number of tokens; `false` for what is no typed input.
    pub fn let_end_anywhere(&mut self) -> bool {
        let Self::Typed(input) = self else { return false };
        (input.bounds.tokens, input.bounds.early_end) = (u32::MAX, true);
        true
    }

    /// Whether all is the same but how much of typed input was read.
    pub fn goes_on_from(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Typed(now), Self::Typed(then)) => {
                let TypedInput { text: _, tokens: _, has_words: _, .. } = now;
                (now.bounds, now.newline, now.skipped, now.more, now.ended)
                    == (then.bounds, then.newline, then.skipped, then.more, then.ended)
                    && now.excluded == then.excluded
                    && now.unread == then.unread
            }
            _ => self == earlier,
        }
    }

    /// How many tokens were read, of typed input.
    pub fn tokens(&self) -> u32 {
        match self {
            Self::Typed(input) => input.tokens,
            Self::Bytes(_) => 0,
        }
    }

    /// A read has met the end of the file (`feof`).
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Typed(input) => input.ended,
            Self::Bytes(input) => input.ended,
        }
    }
}

impl ByteInput {
    /// All of the bytes under an assignment.
    pub fn known(&self, exprs: &Exprs, given: &Assignment) -> Vec<Byte> {
        let value = |byte: &Byte| match byte {
            Byte::Symbolic(e) => Byte::of(exprs, exprs.bv(&exprs.evaluate(*e, given))),
            known => *known,
        };
        self.bytes.iter().map(value).collect()
    }

    /// Reads the next bytes, at most `count`; fewer are the end of the file.
    pub fn take(&mut self, count: usize) -> Vec<Byte> {
        let end = self.bytes.len().min(self.position + count);
        let taken = self.bytes[self.position..end].to_vec();
        self.position = end;
        taken
    }
}

impl TypedInput {
    /// The text as a file holds it, closed by the newline that nobody has read.
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

    /// Whether something comes behind the text, of which it is only known that it is there.
    pub fn expects_more(&self) -> bool {
        self.more
    }

    /// How many more tokens there are at least before the file ends.
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

    /// Reads the newline behind the last number or word, if it was not read yet.
    pub fn skip_newline(&mut self) {
        if std::mem::take(&mut self.newline) {
            self.text.push_bytes(b"\n");
        }
        self.excluded = ByteSet::default();
    }

    /// Whether a byte cannot come right behind what was read last. If so a newline is there, which
    /// the program has seen.
    pub fn is_excluded(&mut self, byte: u8) -> bool {
        let is_excluded = self.excluded.contains(byte);
        if is_excluded {
            self.see_newline();
        }
        is_excluded
    }

    /// Whether a newline comes next; nothing else can, then, once the program knows.
    pub fn sees_newline(&mut self) -> bool {
        if self.newline {
            self.see_newline();
        }
        self.newline
    }

    pub(super) fn see_newline(&mut self) {
        self.excluded = ByteSet::default().complement();
    }

    pub(super) fn token(&mut self) -> String {
        self.tokens += 1;
        (self.skipped, self.more) = (false, false);
        self.excluded = ByteSet::default();
        format!("stdin.{}", self.tokens - 1)
    }
}
