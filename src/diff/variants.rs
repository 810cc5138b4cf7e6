//! Variants of an input: the same input with other numbers and words in it, each made in one of a
//! few manners.
//!
//! Patches differ where a program makes decisions: at its own constants, on small numbers, on
//! values that are equal or nearly so, and on usual ones.

use std::{collections::BTreeSet, ops::RangeInclusive};

use crate::{
    ir::{Constant, Function, Module},
    replay::TestInput,
    subject::Times,
};

/// Number of tokens at the start of standard input that are replaced. The others are kept.
const TOKENS: usize = 16;
/// The greatest number of constants of a program to use.
const CONSTANTS: usize = 256;
/// Largest magnitude of a constant to use: larger ones are masks and addresses.
const LARGEST: i64 = 10_000_000;
/// The greatest length of a new word, and of a word whose length is a number of the text.
const LETTERS: usize = 7;
const LONGEST: usize = 12;

/// Replacements for a whole number.
const INTEGERS: [i64; 16] =
    [0, 1, -1, 2, 7, 10, 12, 42, 99, 100, 345, -356, 1024, 9081, 1_000_000, 2_147_483_647];
/// Replacements for a number with decimals.
const DECIMALS: [&str; 8] = ["0", "0.5", "1.5", "-2.25", "59.9", "60", "89.95", "1000"];
/// Extreme replacements: where sums and products overflow, and where rounding is close.
const EXTREMES: [i64; 8] = [
    2_147_483_647,
    -2_147_483_648,
    1_000_000_000,
    -1_000_000_000,
    2_147_483_646,
    65_536,
    46_341,
    -1,
];
const EXTREME_DECIMALS: [&str; 8] =
    ["-0.0", "0.005", "0.125", "-0.005", "1e15", "0.1", "1e-7", "-999.995"];
/// Replacements for all numbers at once.
const LEVELS: [i64; 6] = [-1, -7, -1000, 1, 100, -2_147_483_648];
/// Replacements for any other token.
const WORDS: [&str; 12] =
    ["a", "b", "aeiou", "rhythm", "banana", "Eye", "queue!", "x9", "345", "1089", "0", "ZYX"];
/// Replacements with white space in them, for words where all input is read one character at a
/// time.
const PHRASES: [&str; 4] = ["a b", " a", "it is", "b\ta "];
/// Replacements for an object of eight bytes that may be a floating-point number.
const DOUBLES: [f64; 6] = [0.0, 0.5, 1.0, -1.5, 3.0, 100.0];

/// How the tokens of a variant are chosen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Manner {
    /// Usual numbers and words.
    Usual,
    /// Small numbers, and words of the letters `a` and `b`.
    Small,
    /// Numbers near the program's constants, and words of its characters.
    Near,
    /// Like the token before, or nearly so.
    Alike,
    /// Numbers as they are, off by one, negated or doubled; words with a small change.
    Nudged,
    /// Each token in a manner drawn anew.
    Mixed,
    /// The largest and smallest numbers, and words as for [`Manner::Near`].
    Extreme,
    /// All numbers are equal, except for the first few. A maximum or a sum that begins with a wrong
    /// number shows only if none of many numbers exceeds it.
    Level,
}

const MANNERS: [Manner; 9] = [
    Manner::Mixed,
    Manner::Usual,
    Manner::Small,
    Manner::Mixed,
    Manner::Near,
    Manner::Alike,
    Manner::Nudged,
    Manner::Extreme,
    Manner::Level,
];

/// A reproducible sequence of choices: the linear congruential generator of Knuth's MMIX, with an
/// increment of 1.
pub(super) struct Choice(pub(super) u64);

impl Choice {
    pub(super) fn of<'a, T>(&mut self, pool: &'a [T]) -> &'a T {
        &pool[self.below(pool.len())]
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % count
    }
}

/// The constants in those functions of a program that are in the same file as its `main`.
pub(super) fn constants(module: &Module) -> Vec<i64> {
    let file = |function: &Function| {
        let place = function.places.first()?;
        module.files.get(place.file.0 as usize)
    };
    let main = module.functions.iter().find(|function| function.name == "main").and_then(file);
    let own = module.functions.iter().filter(|function| file(function) == main);
    let values = own.flat_map(|function| &function.constants).filter_map(|constant| {
        let Constant::Int(bits) = *constant else { return None };
        // The width is not known; most are 32 bits.
        let value = u32::try_from(bits).map_or(bits as i64, |bits| i64::from(bits as i32));
        (value.abs() <= LARGEST).then_some(value)
    });
    let all: BTreeSet<i64> = values.collect();
    all.into_iter().take(CONSTANTS).collect()
}

/// The input from which variants are made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Model {
    pub(super) input: TestInput,
    /// Whether standard input was read one character at a time. Then a number in it is a word like
    /// any other.
    pub(super) is_text: bool,
    /// The limits that variants of standard input keep to.
    pub(super) limits: Limits,
}

/// What keeps the text of standard input within the bounds of the comparison. Variants are bound
/// like any other input.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Limits {
    /// If the text has a fixed length: each of its bytes, `None` for those that are free.
    pub(super) bytes: Option<Vec<Option<u8>>>,
    /// What each token may be, in order.
    pub(super) tokens: Vec<Token>,
    /// What further tokens may be.
    pub(super) further: Token,
}

/// What a token of standard input may be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Token {
    /// Any text of at most this many bytes.
    Word(usize),
    /// An integer in decimal, in this range.
    Integer(RangeInclusive<i128>),
    /// A floating-point number.
    Real,
    /// Only the token itself.
    Fixed,
}

impl Limits {
    /// A token within the limits: `other`, shortened if it is too long, or else `token`.
    fn token(&self, place: usize, mut other: String, token: &str) -> String {
        let is_allowed = match self.tokens.get(place).unwrap_or(&self.further) {
            Token::Word(most) => {
                while other.len() > *most {
                    other.pop();
                }
                !other.is_empty()
            }
            Token::Integer(range) => {
                other.parse().is_ok_and(|number: i128| range.contains(&number))
            }
            Token::Real => other.parse::<f64>().is_ok(),
            Token::Fixed => false,
        };
        if is_allowed { other } else { token.to_owned() }
    }

    /// A text within the limits. If the length is fixed, it is `new`, shortened if it is too long,
    /// followed by the end of `text`.
    fn text(&self, mut new: Vec<u8>, text: &[u8]) -> Vec<u8> {
        let Some(bytes) = &self.bytes else { return new };
        new.truncate(text.len());
        new.extend_from_slice(&text[new.len()..]);
        for (byte, fixed) in new.iter_mut().zip(bytes) {
            *byte = fixed.unwrap_or(*byte);
        }
        new
    }
}

/// Makes variants.
pub(super) struct Variants {
    choice: Choice,
    /// [`constants`], and 0 so that there is at least one.
    constants: Vec<i64>,
    /// Printable characters among the constants, and a few usual ones.
    characters: Vec<u8>,
    /// Small numbers in the text so far: a word may be as long as one of them says.
    counts: Vec<usize>,
    /// See [`Model::is_text`].
    is_text: bool,
}

impl Variants {
    pub(super) fn new(mut constants: Vec<i64>) -> Self {
        let printable = |value: &i64| u8::try_from(*value).ok().filter(u8::is_ascii_graphic);
        let mut characters: Vec<u8> = constants.iter().filter_map(printable).collect();
        characters.extend(b"aeZ5.,-");
        constants.push(0);
        Self { choice: Choice(1), constants, characters, counts: Vec::new(), is_text: false }
    }

    /// Up to `count` variants of these inputs, taking the inputs in turn. None comes twice, and
    /// none is one of the inputs.
    pub(super) fn of<'m>(
        &'m mut self,
        models: &'m [Model],
        count: usize,
    ) -> impl Iterator<Item = TestInput> + 'm {
        let mut seen: BTreeSet<TestInput> =
            models.iter().map(|model| model.input.clone()).collect();
        let rounds = MANNERS.iter().cycle().flat_map(|manner| models.iter().map(|m| (*manner, m)));
        rounds.take(if models.is_empty() { 0 } else { count }).filter_map(move |(manner, model)| {
            let variant = self.variant(model, manner);
            seen.insert(variant.clone()).then_some(variant)
        })
    }

    fn variant(&mut self, model: &Model, manner: Manner) -> TestInput {
        self.is_text = model.is_text;
        let (model, limits) = (&model.input, &model.limits);
        let stdin = model.stdin.as_deref().map(|text| {
            let new = self.other_text(text, manner, limits);
            limits.text(new, text)
        });
        let objects = model.objects.iter().map(|(name, bytes)| {
            // In native runs, nothing keeps the times of a program within their bounds.
            let other = if TestInput::is_of_command_line(name) || Times::is_object(name) {
                None
            } else {
                self.other_value(bytes.len(), manner)
            };
            (name.clone(), other.unwrap_or_else(|| bytes.clone()))
        });
        TestInput { args: model.args.clone(), objects: objects.collect(), stdin }
    }

    /// The text with other tokens in place of its first ones. White space before the first token is
    /// dropped: a program that reads byte by byte might see nothing else.
    fn other_text(&mut self, text: &[u8], manner: Manner, limits: &Limits) -> Vec<u8> {
        let mut rest = text.trim_ascii_start();
        let mut new = Vec::new();
        let mut before: Option<String> = None;
        self.counts.clear();
        let (kept, level) = (self.choice.below(3), self.choice.of(&LEVELS).to_string());
        for place in 0..if manner == Manner::Level { usize::MAX } else { TOKENS } {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (token, after) = rest.split_at(end);
            if token.is_empty() {
                break;
            }
            let token = String::from_utf8_lossy(token).into_owned();
            let is_real = matches!(limits.tokens.get(place), Some(Token::Real));
            let other = match manner {
                Manner::Extreme if is_real => (*self.choice.of(&EXTREME_DECIMALS)).to_owned(),
                Manner::Level if place < kept => token.clone(),
                Manner::Level if token.parse::<f64>().is_ok() => level.clone(),
                _ => self.other_token(&token, before.as_deref(), manner),
            };
            let other = limits.token(place, other, &token);
            new.extend_from_slice(other.as_bytes());
            before = Some(other);
            let space = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            new.extend_from_slice(&after[..space]);
            rest = &after[space..];
        }
        new.extend_from_slice(rest);
        new
    }

    /// Another token of the same kind: a whole number, a number with decimals, or a word.
    fn other_token(&mut self, token: &str, before: Option<&str>, manner: Manner) -> String {
        let manner = match manner {
            Manner::Mixed => *self.choice.of(&MANNERS),
            manner => manner,
        };
        let number = |token: &str| token.parse::<f64>().ok().filter(|number| number.is_finite());
        let before_it = before.and_then(number).map(|number| number as i64);
        if self.is_text && self.choice.below(2) == 0 {
            return self.other_word(token, before, manner);
        }
        match (token.parse::<i64>(), number(token)) {
            (Ok(now), _) => {
                let number = self.other_number(now, before_it, manner);
                self.counts
                    .extend(usize::try_from(number).ok().filter(|n| (1..=LONGEST).contains(n)));
                number.to_string()
            }
            (_, Some(_)) if manner == Manner::Usual => (*self.choice.of(&DECIMALS)).to_owned(),
            (_, Some(_))
                if manner == Manner::Alike && before.is_some() && self.choice.below(2) == 0 =>
            {
                before.unwrap_or_default().to_owned()
            }
            (_, Some(now)) => {
                let whole = self.other_number(now as i64, before_it, manner);
                format!("{whole}{}", self.choice.of(&[".0", ".5", ".25", ".99"]))
            }
            _ => self.other_word(token, before, manner),
        }
    }

    fn other_number(&mut self, now: i64, before: Option<i64>, manner: Manner) -> i64 {
        let step = *self.choice.of(&[0, 0, 1, -1]);
        let number = match (manner, before) {
            (Manner::Usual, _) => *self.choice.of(&INTEGERS),
            (Manner::Extreme | Manner::Level, _) => *self.choice.of(&EXTREMES),
            (Manner::Near, _) => self.choice.of(&self.constants).saturating_add(step),
            (Manner::Alike, Some(before)) => before.saturating_add(step),
            (Manner::Nudged, _) => match self.choice.below(4) {
                0 => now.saturating_neg(),
                1 => now.saturating_mul(2).saturating_add(step),
                _ => now.saturating_add(step),
            },
            (Manner::Mixed, _) => self.choice.below(100) as i64,
            (Manner::Small | Manner::Alike, _) => self.choice.below(12) as i64 - 1,
        };
        number.clamp(i32::MIN.into(), i32::MAX.into())
    }

    fn other_word(&mut self, word: &str, before: Option<&str>, manner: Manner) -> String {
        let of = |this: &mut Self, pool: &[u8]| {
            let length = match this.counts.len() {
                count if count > 0 && this.choice.below(2) == 0 => {
                    this.counts[this.choice.below(count)]
                }
                _ => 1 + this.choice.below(LETTERS),
            };
            (0..length).map(|_| char::from(*this.choice.of(pool))).collect()
        };
        match (manner, before) {
            (Manner::Usual, _) if self.is_text && self.choice.below(4) == 0 => {
                (*self.choice.of(&PHRASES)).to_owned()
            }
            (Manner::Usual, _) => (*self.choice.of(&WORDS)).to_owned(),
            (Manner::Near | Manner::Mixed | Manner::Extreme | Manner::Level, _) => {
                let pool = self.characters.clone();
                of(self, &pool)
            }
            (Manner::Alike, Some(before)) if self.choice.below(4) > 0 => before.to_owned(),
            (Manner::Alike | Manner::Small, _) => of(self, b"ab"),
            (Manner::Nudged, _) => {
                let mut letters: Vec<char> = word.chars().collect();
                let place = self.choice.below(letters.len().max(1));
                let letter = char::from(*self.choice.of(&self.characters));
                match self.choice.below(4) {
                    0 => letters.insert(place, letter),
                    1 if letters.len() > 1 => _ = letters.remove(place),
                    2 => letters.reverse(),
                    _ => letters.splice(place..=place, [letter]).for_each(drop),
                }
                letters.into_iter().collect()
            }
        }
    }

    /// Another value for an object of `size` bytes, if that is the size of a number.
    fn other_value(&mut self, size: usize, manner: Manner) -> Option<Vec<u8>> {
        if !matches!(size, 1 | 2 | 4 | 8) {
            return None;
        }
        if size == 8 && *self.choice.of(&[true, false]) {
            return Some(self.choice.of(&DOUBLES).to_le_bytes().to_vec());
        }
        let value = self.other_number(0, None, manner);
        Some(value.to_le_bytes()[..size].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Limits =
        Limits { bytes: None, tokens: Vec::new(), further: Token::Word(usize::MAX) };

    #[test]
    fn a_variant_keeps_to_the_bounds() {
        let stdin = Some(b"7 1f 0.5 word 9\n".to_vec());
        let input = TestInput { stdin, ..TestInput::default() };
        let tokens = vec![Token::Integer(0..=20), Token::Fixed, Token::Real, Token::Word(3)];
        let limits = Limits { bytes: None, tokens, further: Token::Fixed };
        let model = Model { input, is_text: false, limits };
        let mut variants = Variants::new(vec![-7, 97, 1234]);
        for input in variants.of(std::slice::from_ref(&model), 200) {
            let text = String::from_utf8(input.stdin.unwrap()).unwrap();
            let tokens: Vec<&str> = text.split_whitespace().collect();
            assert!((0..=20).contains(&tokens[0].parse().unwrap()), "{text}");
            assert_eq!(tokens[1], "1f");
            assert!(tokens[2].parse::<f64>().is_ok(), "{text}");
            assert!((1..=3).contains(&tokens[3].len()), "{text}");
            assert_eq!(tokens[4], "9");
        }
    }

    #[test]
    fn bytes_of_one_length_keep_it_and_those_that_are_fixed_stay() {
        let input = TestInput { stdin: Some(b"\nab 1".to_vec()), ..TestInput::default() };
        let bytes = Some(vec![None, Some(b'a'), None, None, None]);
        let model = Model { input, is_text: true, limits: Limits { bytes, ..ANY } };
        let mut variants = Variants::new(Vec::new());
        let made: Vec<Vec<u8>> =
            variants.of(std::slice::from_ref(&model), 60).map(|v| v.stdin.unwrap()).collect();
        assert!(made.len() > 20, "{}", made.len());
        assert!(made.iter().all(|text| text.len() == 5 && text[1] == b'a'), "{made:?}");
    }

    #[test]
    fn a_variant_is_as_well_formed_as_its_model() {
        let input = TestInput {
            stdin: Some(b"\n12 0.25\nword\n".to_vec()),
            objects: vec![("arg00".into(), vec![1; 4]), ("n".into(), vec![1; 4])],
            ..TestInput::default()
        };
        let model = Model { input, is_text: false, limits: ANY };
        let mut variants = Variants::new(vec![-7, 97, 1234]);
        let made: Vec<TestInput> = variants.of(std::slice::from_ref(&model), 60).collect();
        assert!(made.len() > 50, "{}", made.len());
        let mut numbers = BTreeSet::new();
        for input in &made {
            let text = String::from_utf8(input.stdin.clone().unwrap()).unwrap();
            let [number, decimal, word]: [&str; 3] =
                text.split_whitespace().collect::<Vec<_>>().try_into().unwrap();
            numbers.insert(number.parse::<i64>().unwrap());
            assert!(decimal.parse::<f64>().is_ok(), "{text}");
            assert!(word.bytes().all(|byte| byte.is_ascii_graphic()) && text.ends_with('\n'));
            assert_eq!(input.objects[0], model.input.objects[0]);
        }
        assert!(numbers.iter().any(|number| (1233..=1235).contains(number)), "{numbers:?}");
        let values: BTreeSet<&[u8]> = made.iter().map(|input| &input.objects[1].1[..]).collect();
        assert!(values.len() > 4);
    }

    #[test]
    fn a_number_in_text_may_become_a_word() {
        let input = TestInput { stdin: Some(b"a\n0\n".to_vec()), ..TestInput::default() };
        let mut variants = Variants::new(Vec::new());
        let model = Model { input, is_text: true, limits: ANY };
        let made = variants.of(std::slice::from_ref(&model), 60);
        let second = |input: TestInput| {
            let text = String::from_utf8(input.stdin.unwrap()).unwrap();
            text.lines().nth(1).unwrap().parse::<f64>().is_ok()
        };
        let (numbers, words): (Vec<_>, Vec<_>) = made.map(second).partition(|is| *is);
        assert!(numbers.len() > 9 && words.len() > 9, "{} and {}", numbers.len(), words.len());
    }

    #[test]
    fn what_is_no_number_stays() {
        let mut variants = Variants::new(Vec::new());
        assert_eq!(variants.other_value(3, Manner::Usual), None);
        assert_eq!(variants.other_text(b"", Manner::Small, &ANY), b"");
    }

    #[test]
    fn a_word_is_never_emptied() {
        let mut variants = Variants::new(Vec::new());
        for _ in 0..100 {
            assert!(!variants.other_word("x", Some("y"), Manner::Nudged).is_empty());
        }
    }
}
