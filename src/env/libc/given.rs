//! A given text as typed input: the values of its tokens.
//!
//! The tokens of a text depend on the reads that the program makes, and these reads are not known
//! in advance. So there are two readings, at most one of which is right: the text as numbers and
//! words, and the text byte by byte.

use crate::expr::{Assignment, Bv, Exprs};

/// The most bytes of a word that [`Bounds::longest_word`](super::stdin::Bounds::longest_word) can
/// allow.
const LONGEST_WORD: u32 = u8::MAX as u32;

/// The name of a token of typed input, counted from 0.
pub(super) fn token_name(index: u32) -> String {
    format!("stdin.{index}")
}

/// The name of the place after this many tokens. `literals` counts the characters that formats of
/// reads have asked for since the last token: each leads to a new place, whose next byte is
/// another.
pub(super) fn place_name(tokens: u32, literals: u32) -> String {
    let token = token_name(tokens);
    if literals == 0 { token } else { format!("{token}+{literals}") }
}

/// The variable of a token that is an integer of `width` bits.
pub(super) fn integer_name(token: &str, width: u32) -> String {
    // As for other scalars, an `int` has the plain name.
    if width == 32 { token.to_owned() } else { format!("{token}:{width}") }
}

/// The variable of a token that is a single byte, given the name of its place.
pub(super) fn byte_name(place: &str) -> String {
    integer_name(place, 8)
}

/// The variable of a token that is a floating-point number of `width` bits.
pub(super) fn real_name(token: &str, width: u32) -> String {
    format!("{token}:f{width}")
}

/// The variable that says how long a word is.
pub(super) fn length_name(token: &str) -> String {
    format!("{token}.length")
}

/// The variable of a byte of a word.
pub(super) fn letter_name(token: &str, index: u32) -> String {
    format!("{token}[{index}]")
}

/// The variable that says whether the file ends at a place.
pub(super) fn end_name(place: &str) -> String {
    format!("{place}.end")
}

/// The values of the variables of typed input if the input is this text, by both readings. Tokens
/// beyond `most` are dropped.
pub fn readings(exprs: &Exprs, text: &[u8], most: u32) -> [Assignment; 2] {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    [
        reading(exprs, words, most, |given, token, word| given.word(token, word)),
        reading(exprs, text, most, |given, token, byte| {
            given.give(&byte_name(token), Bv::new(8, u64::from(*byte)));
        }),
    ]
}

fn reading<T>(
    exprs: &Exprs,
    tokens: impl IntoIterator<Item = T>,
    most: u32,
    mut give: impl FnMut(&mut Given<'_>, &str, T),
) -> Assignment {
    let mut given = Given { exprs, values: Assignment::default() };
    let mut count = 0;
    for (index, token) in (0..most).zip(tokens) {
        give(&mut given, &token_name(index), token);
        count = index + 1;
    }
    given.give(&end_name(&token_name(count)), Bv::new(1, 1));
    given.values
}

struct Given<'a> {
    exprs: &'a Exprs,
    values: Assignment,
}

impl Given<'_> {
    fn give(&mut self, name: &str, value: Bv) {
        if let Some(variable) = self.exprs.as_variable(self.exprs.input(name, value.width())) {
            self.values.0.insert(variable, value);
        }
    }

    /// Gives a token the value of a word, for every type by which the program may read it.
    fn word(&mut self, token: &str, word: &[u8]) {
        let text = std::str::from_utf8(word).ok();
        match text.and_then(|text| text.parse::<i128>().ok()) {
            Some(integer) => {
                for width in [8, 16, 32, 64] {
                    let value = Bv::from_u128(width, integer as u128);
                    self.give(&integer_name(token, width), value);
                }
            }
            None => self.give(&byte_name(token), Bv::new(8, u64::from(word[0]))),
        }
        if let Some(real) = text.and_then(|text| text.parse::<f32>().ok()) {
            self.give(&real_name(token, 32), Bv::new(32, u64::from(real.to_bits())));
        }
        if let Some(real) = text.and_then(|text| text.parse::<f64>().ok()) {
            self.give(&real_name(token, 64), Bv::new(64, real.to_bits()));
        }
        self.give(&length_name(token), Bv::new(8, word.len() as u64));
        for (index, byte) in (0..LONGEST_WORD).zip(word) {
            self.give(&letter_name(token, index), Bv::new(8, u64::from(*byte)));
        }
    }
}
