//! C's preprocessing tokens (C17 6.4): what "the same program text" means here.
//!
//! Two texts are the same if their tokens are. White space and comments do not count, but the end
//! of a directive does, and so does the blank that distinguishes `#define F(x)` from
//! `#define F (x)`. The lexer shares nothing with the parser that finds the syntax nodes, so the
//! projection check does not repeat the parser's mistakes.

use std::{ops::Range, sync::Arc};

/// The kinds of tokens that merging distinguishes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TokenKind {
    Identifier,
    Number,
    /// String or character literal with its prefix, or the `<...>` of an include.
    Literal,
    Punctuator,
    /// End of a preprocessor directive.
    EndOfDirective,
    Comment,
}

/// A token and its bytes in the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        match self.kind {
            // Where exactly a directive ends (before CR LF, at the end of the file) is layout.
            TokenKind::EndOfDirective => "\n",
            _ => &source[self.start..self.end],
        }
    }

    fn moved(self, by: isize) -> Self {
        let moved = |place: usize| place.wrapping_add_signed(by);
        Self { kind: self.kind, start: moved(self.start), end: moved(self.end) }
    }
}

/// The tokens of `source` without comments.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    lex(source).into_iter().filter(|t| t.kind != TokenKind::Comment).collect()
}

/// The tokens of `source` and its comments.
pub(super) fn lex(source: &str) -> Vec<Token> {
    Lexer { text: source.as_bytes(), at: 0, directive: Directive::Outside, tokens: Vec::new() }
        .run()
}

/// Line of a byte offset, from 1.
pub(super) fn line_of(source: &str, offset: usize) -> usize {
    source.as_bytes()[..offset.min(source.len())].iter().filter(|b| **b == b'\n').count() + 1
}

/// The tokens of a text. Those that it shares with another text, at the beginning and at the end,
/// are stored once.
#[derive(Clone)]
pub(super) struct Sequence {
    /// All tokens of the other text. This text begins with the first `first` of them and ends with
    /// the last `last`.
    other: Arc<[Token]>,
    first: usize,
    last: usize,
    /// How many bytes later the shared last tokens are in this text.
    shift: isize,
    /// The tokens between the shared ones.
    own: Arc<[Token]>,
}

impl From<Vec<Token>> for Sequence {
    fn from(tokens: Vec<Token>) -> Self {
        Self { other: Arc::new([]), first: 0, last: 0, shift: 0, own: tokens.into() }
    }
}

impl Sequence {
    /// The `tokens` of `text`, shared with `other`, the tokens of the text `from`. Nothing is
    /// shared if `other` itself shares tokens.
    pub(super) fn sharing(other: &Self, from: &str, tokens: Vec<Token>, text: &str) -> Self {
        if !other.other.is_empty() {
            return tokens.into();
        }
        let other = &other.own;
        let (Some(a), Some(b)) = (other.last(), tokens.last()) else { return tokens.into() };
        let shift = b.end as isize - a.end as isize;
        let equal = |a: &Token, b: &Token| a.kind == b.kind && a.text(from) == b.text(text);
        let same = |(a, b): &(&Token, &Token)| a == b && equal(a, b);
        let first = other.iter().zip(&tokens).take_while(same).count();
        let rest = other.len().min(tokens.len()) - first;
        let same = |(a, b): &(&Token, &Token)| a.moved(shift) == **b && equal(a, b);
        let last = other.iter().rev().zip(tokens.iter().rev()).take(rest).take_while(same).count();
        let own = tokens[first..tokens.len() - last].into();
        Self { other: other.clone(), first, last, shift, own }
    }

    /// Indices of the tokens that are not shared.
    pub(super) fn own(&self) -> Range<usize> {
        self.first..self.first + self.own.len()
    }

    pub(super) fn len(&self) -> usize {
        self.first + self.own.len() + self.last
    }

    /// The token at `index`, which must be less than [`Self::len`].
    pub(super) fn at(&self, index: usize) -> Token {
        if index < self.first {
            return self.other[index];
        }
        let behind = index - self.first;
        match behind.checked_sub(self.own.len()) {
            None => self.own[behind],
            Some(behind) => self.other[self.other.len() - self.last + behind].moved(self.shift),
        }
    }

    /// How many tokens start before a byte.
    pub(super) fn starting_before(&self, byte: usize) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.at(middle).start < byte { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Whether brackets of every kind are closed and properly nested.
pub(super) fn is_balanced(source: &str, tokens: impl Iterator<Item = Token>) -> bool {
    let mut open = Vec::new();
    for token in tokens.filter(|t| t.kind == TokenKind::Punctuator) {
        let closes = match token.text(source) {
            bracket @ ("(" | "[" | "{") => {
                open.push(bracket);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if open.pop() != Some(closes) {
            return false;
        }
    }
    open.is_empty()
}

/// How far the lexer is into a directive, which decides how it reads the next token.
#[derive(Clone, Copy, PartialEq)]
enum Directive {
    Outside,
    /// After `#`.
    Hash,
    /// After `#include`: `<` starts a header name.
    Include,
    /// After `#define`.
    Define,
    /// After `#define NAME`: an adjacent `(` starts parameters.
    DefineName,
    Rest,
}

const PUNCTUATORS: [&str; 23] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
];

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    directive: Directive,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(mut self) -> Vec<Token> {
        let mut line_start = true;
        while let Some(byte) = self.peek(0) {
            if self.splice() > 0 {
                self.at += self.splice();
            } else if byte == b'\n' {
                self.end_directive();
                self.at += 1;
                line_start = true;
            } else if byte.is_ascii_whitespace() || byte == 0x0b {
                self.at += 1;
            } else if self.starts_with("/*") || self.starts_with("//") {
                let start = self.at;
                self.comment();
                self.push(TokenKind::Comment, start);
            } else {
                if line_start && byte == b'#' && self.directive == Directive::Outside {
                    self.directive = Directive::Hash;
                    self.at += 1;
                    self.push(TokenKind::Punctuator, self.at - 1);
                } else {
                    self.token(byte);
                }
                line_start = false;
            }
        }
        self.end_directive();
        self.tokens
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        let before = self.directive;
        if before != Directive::Outside {
            self.directive = Directive::Rest;
        }
        let kind = if is_letter(byte) {
            self.skip_while(|b| is_letter(b) || b.is_ascii_digit());
            let word = &self.text[start..self.at];
            if matches!(self.peek(0), Some(b'"' | b'\'')) && is_prefix(word) {
                self.literal();
                TokenKind::Literal
            } else {
                self.directive = match (before, word) {
                    (Directive::Hash, b"include" | b"include_next" | b"import") => {
                        Directive::Include
                    }
                    (Directive::Hash, b"define") => Directive::Define,
                    (Directive::Define, _) => Directive::DefineName,
                    _ => self.directive,
                };
                TokenKind::Identifier
            }
        } else if byte.is_ascii_digit()
            || byte == b'.' && self.peek(1).is_some_and(|b| b.is_ascii_digit())
        {
            self.number();
            TokenKind::Number
        } else if byte == b'"' || byte == b'\'' {
            self.literal();
            TokenKind::Literal
        } else if byte == b'<' && before == Directive::Include {
            self.skip_while(|b| b != b'>' && b != b'\n');
            self.at += usize::from(self.peek(0) == Some(b'>'));
            TokenKind::Literal
        } else {
            if byte == b'('
                && before == Directive::DefineName
                && self.tokens.last().is_some_and(|t| t.end == start)
            {
                self.push(TokenKind::Punctuator, start);
            }
            let long = PUNCTUATORS.iter().find(|p| self.starts_with(p));
            self.at += long.map_or(1, |p| p.len());
            TokenKind::Punctuator
        };
        self.push(kind, start);
    }

    fn comment(&mut self) {
        let line = self.starts_with("//");
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            match self.splice() {
                0 if line && byte == b'\n' => return,
                0 if !line && self.starts_with("*/") => {
                    self.at += 2;
                    return;
                }
                length => self.at += length.max(1),
            }
        }
    }

    /// Steps over a literal. It ends with its line at the latest, as the quote in `#error don't` is
    /// never closed.
    fn literal(&mut self) {
        let quote = self.text[self.at];
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match self.splice() {
                0 if byte == b'\n' => return,
                0 if byte == quote => {
                    self.at += 1;
                    return;
                }
                0 if byte == b'\\' => self.at = (self.at + 2).min(self.text.len()),
                length => self.at += length.max(1),
            }
        }
    }

    fn number(&mut self) {
        while let Some(byte) = self.peek(0) {
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P')
                && matches!(self.peek(1), Some(b'+' | b'-'));
            if !(is_letter(byte) || byte.is_ascii_digit() || byte == b'.') {
                return;
            }
            self.at += 1 + usize::from(exponent);
        }
    }

    fn end_directive(&mut self) {
        if self.directive != Directive::Outside {
            self.directive = Directive::Outside;
            let end = (self.at + 1).min(self.text.len());
            self.tokens.push(Token { kind: TokenKind::EndOfDirective, start: self.at, end });
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, start, end: self.at });
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.text[self.at..].starts_with(prefix.as_bytes())
    }

    /// Length in bytes of the line splice (backslash, new line) here, 0 if there is none.
    fn splice(&self) -> usize {
        if self.starts_with("\\\n") {
            2
        } else if self.starts_with("\\\r\n") {
            3
        } else {
            0
        }
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"L" | b"u" | b"U" | b"u8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|t| t.text(source)).collect()
    }

    #[test]
    fn white_space_and_comments_do_not_count() {
        assert_eq!(words("a /* x */+// y\n\tb"), ["a", "+", "b"]);
        assert_eq!(words("a+\\\nb // y \\\n still"), ["a", "+", "b"]);
    }

    #[test]
    fn literals_numbers_and_punctuators() {
        let words = words("L\"a\\\"//\" 'x' u8 1.5e+3f .5 0x1p-2 a+++b <<=x...");
        let expected = [
            "L\"a\\\"//\"",
            "'x'",
            "u8",
            "1.5e+3f",
            ".5",
            "0x1p-2",
            "a",
            "++",
            "+",
            "b",
            "<<=",
            "x",
            "...",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn directives_end_with_their_line() {
        assert_eq!(words("#define A 1\nint x;"), ["#", "define", "A", "1", "\n", "int", "x", ";"]);
        assert_eq!(words("#include <a/b.h>"), ["#", "include", "<a/b.h>", "\n"]);
        assert_eq!(words("#error don't\nx"), ["#", "error", "don", "'t", "\n", "x"]);
        assert_ne!(words("#define F(x) x\n"), words("#define F (x) x\n"));
        assert_eq!(words("#define F \\\n 1\nx"), ["#", "define", "F", "1", "\n", "x"]);
    }

    #[test]
    fn balance() {
        let balanced = |s: &str| is_balanced(s, tokens(s).into_iter());
        assert!(balanced("{ ( [ ] ) } '{' \"(\""));
        assert!(!balanced("( ]"));
        assert!(!balanced("} {"));
        assert!(!balanced("{"));
    }
}
