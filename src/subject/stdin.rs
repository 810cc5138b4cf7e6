//! `inputs.stdin` of `subject.toml`.

use std::num::NonZeroU8;

use serde::Deserialize;

/// `inputs.stdin`: what standard input consists of.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Table")]
pub struct StdinConfig {
    /// The number of typed tokens (numbers, words, characters) before end of file.
    pub tokens: u32,
    /// Whether end of file may come before any token, and not only after all `tokens` of them.
    pub eof: bool,
    /// The greatest length of a word (`%s`, `%[`), in bytes.
    pub word: NonZeroU8,
    /// Whether there may be, in place of a token, a byte that the read does not accept.
    pub malformed: bool,
    /// Whether floating-point numbers may be infinities and NaNs.
    pub nonfinite: bool,
    /// If given, standard input is exactly this many symbolic bytes and not tokens.
    pub bytes: Option<u32>,
    /// If given, standard input is this text.
    pub text: Option<String>,
}

/// The keys as they are written.
#[derive(Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { bytes = 4 } or { tokens = 2 }"
)]
struct Table {
    tokens: Option<u32>,
    eof: Option<bool>,
    word: Option<NonZeroU8>,
    malformed: Option<bool>,
    nonfinite: Option<bool>,
    bytes: Option<u32>,
    text: Option<String>,
}

impl TryFrom<Table> for StdinConfig {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let Table { tokens, eof, word, malformed, nonfinite, bytes, text } = table;
        let of_tokens = [
            ("tokens", tokens.is_some()),
            ("eof", eof.is_some()),
            ("word", word.is_some()),
            ("malformed", malformed.is_some()),
            ("nonfinite", nonfinite.is_some()),
        ];
        let of_bytes = ("bytes", bytes.is_some());
        let instead = [("text", text.is_some()), of_bytes].into_iter().find(|(_, given)| *given);
        if let Some((instead, _)) = instead {
            let mut others = of_tokens.into_iter().chain([of_bytes]);
            let other = others.find(|(key, given)| *given && *key != instead);
            if let Some((other, _)) = other {
                return Err(format!(
                    "`{other}` does not go with `{instead}`: standard input is tokens, raw `bytes` or \
                     a fixed `text`"
                ));
            }
        }
        let usual = Self::default();
        Ok(Self {
            tokens: tokens.unwrap_or(usual.tokens),
            eof: eof.unwrap_or(usual.eof),
            word: word.unwrap_or(usual.word),
            malformed: malformed.unwrap_or(usual.malformed),
            nonfinite: nonfinite.unwrap_or(usual.nonfinite),
            bytes,
            text,
        })
    }
}

/// The default of [`StdinConfig::word`].
const WORD: NonZeroU8 = NonZeroU8::new(16).expect("it is not");

impl Default for StdinConfig {
    fn default() -> Self {
        Self {
            tokens: 64,
            eof: false,
            word: WORD,
            malformed: false,
            nonfinite: false,
            bytes: None,
            text: None,
        }
    }
}

impl StdinConfig {
    /// Describes the assumptions about typed tokens for people. `words` says whether some tokens
    /// are words.
    pub fn bounds(&self, words: bool) -> String {
        let (up_to, Self { tokens, word, .. }) = (if self.eof { "up to " } else { "" }, self);
        let words = if words {
            format!("; words of up to {word} bytes, no longer than a conversion takes")
        } else {
            String::new()
        };
        let reals = if self.nonfinite { ", infinities and NaNs included" } else { "" };
        let malformed = if self.malformed { ", or with a byte it does not accept" } else { "" };
        format!(
            "standard input well formed for what the program reads{reals}{malformed}: {up_to}{tokens} \
             tokens, then end of file{words}"
        )
    }
}
