//! `subject.toml`: what a person writes about a subject.

use std::{collections::BTreeMap, fmt, num::NonZeroU8, path::PathBuf, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A whole `subject.toml`. The smallest one has a name, sources and patches.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the subject; results go to `results/NAME` by default.
    pub name: String,
    /// C files, relative to the subject's directory, or to the sources that `[build]` obtains.
    /// A subject with `build.program` need not list them: there, they are the files that patches
    /// may touch, by default those that they do.
    #[serde(default)]
    pub sources: Vec<PathBuf>,
    /// Globs of unified diffs relative to the subject's directory, numbered from 1 in the order
    /// of the list, each glob's matches sorted by name.
    #[serde(default)]
    pub patches: Vec<String>,
    /// Globs of candidates in other forms, numbered after the patches: whole C files, whole
    /// directory trees, modules of bitcode ([`Form`](super::Form)). Without `sources` the first
    /// of them is the original.
    #[serde(default)]
    pub candidates: Vec<String>,
    /// The sources are a meta program written by hand, with so many revisions besides the
    /// original: `__klee_meta(...)` or `psychic_rev()` in them gives the one that runs.
    #[serde(default)]
    pub revisions: u32,
    /// The function to run. `main` is run as a program; another function is called by a
    /// generated `main` with symbolic arguments and its return value is an output.
    #[serde(default = "main")]
    pub entry: String,
    /// How to compile.
    #[serde(default)]
    pub build: BuildConfig,
    /// What is symbolic.
    #[serde(default)]
    pub inputs: InputsConfig,
    /// What counts as a visible difference.
    #[serde(default)]
    pub outputs: OutputsConfig,
    /// What memory holds that was never written.
    #[serde(default)]
    pub uninitialised: Uninitialised,
    /// Inputs that are known to be worth a run.
    #[serde(default)]
    pub tests: TestsConfig,
    /// When to stop.
    #[serde(default)]
    pub budget: BudgetConfig,
}

/// What memory holds that was never written, and what becomes of a run that decides something by
/// it, or shows it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Uninitialised {
    /// Zero, in native runs, too. The run goes on, and that it did so is a part of its outcome.
    #[default]
    Zero,
    /// Anything: the run goes on with zero, but nothing is proved of what follows.
    Any,
    /// The run ends there; that is its outcome.
    Error,
}

/// `[build]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildConfig {
    /// A shell command that obtains the sources, run once in the subject's directory with
    /// `PSYCHIC_SOURCE` set to the (ignored, cached) directory it must fill; `sources` are then
    /// relative to that directory.
    pub setup: Option<String>,
    /// A Debian source package and its upstream version, `NAME=VERSION`, as the source tree.
    pub package: Option<String>,
    /// A directory, relative to the subject's, as the source tree.
    pub directory: Option<PathBuf>,
    /// A git repository and a revision in it, `URL#REVISION`, as the source tree.
    pub git: Option<String>,
    /// The program that the source tree's own build makes, relative to the tree. It is run whole,
    /// with its libc, from its first instruction to its exit.
    pub program: Option<PathBuf>,
    /// A shell command that configures the source tree, run once.
    pub configure: Option<String>,
    /// A shell command that builds the program in the configured tree.
    pub make: Option<String>,
    /// Further compiler flags, for bitcode and native builds alike.
    pub flags: Vec<String>,
}

/// `[inputs]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputsConfig {
    /// Standard input: absent = typed tokens that the program's own reads call for.
    pub stdin: StdinConfig,
    /// Arguments of `main` after its name.
    pub args: Vec<ArgConfig>,
    /// Environment variables of a program, by name: texts, or symbolic as arguments are; with
    /// `count = [0, 1]` one may be missing.
    pub env: BTreeMap<String, ArgConfig>,
    /// A directory, relative to the subject's, as what a whole program (`build.program`) finds in
    /// the directory it starts in.
    pub files: Option<PathBuf>,
    /// Symbolic files in that directory: names, and the number of bytes of each.
    pub sym_files: BTreeMap<String, u32>,
    /// Parameters of an entry function, by name; a scalar not listed is wholly symbolic.
    pub params: BTreeMap<String, ParamConfig>,
}

/// How standard input is symbolic.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StdinConfig {
    /// At most so many typed tokens (numbers, words, characters); then end of file.
    pub tokens: u32,
    /// End of file may come at any token, not only after `tokens` of them.
    pub eof: bool,
    /// Most bytes of a word (`%s`, `%[`).
    pub word: NonZeroU8,
    /// In place of a token there may be a byte that the read does not take.
    pub malformed: bool,
    /// Floating-point numbers may be infinities and NaNs.
    pub nonfinite: bool,
    /// Instead of tokens: exactly this many raw symbolic bytes.
    pub bytes: Option<u32>,
    /// Instead: this text.
    pub text: Option<String>,
}

/// Most bytes of a word where nobody says otherwise.
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
    /// What is assumed of typed tokens, some of them `words`, for a person.
    pub fn bounds(&self, words: bool) -> String {
        let (up_to, Self { tokens, word, .. }) = (if self.eof { "up to " } else { "" }, self);
        let words = if words {
            format!("; words of up to {word} bytes, no longer than a conversion takes")
        } else {
            String::new()
        };
        let reals = if self.nonfinite { ", infinities and NaNs included" } else { "" };
        let malformed = if self.malformed { ", or of a byte that it does not take" } else { "" };
        format!(
            "standard input well formed for what the program reads{reals}{malformed}: {up_to}{tokens} \
             tokens, then end of file{words}"
        )
    }
}

/// One argument of `main`, or the value of an environment variable.
#[derive(Clone, Debug)]
pub enum ArgConfig {
    /// This text.
    Text(String),
    /// `{ string = N }`: any bytes, up to N of them before the first NUL; with `prefix = TEXT` these
    /// follow that text.
    Symbolic {
        /// What it begins with.
        prefix: String,
        /// The most bytes it has behind that.
        string: u32,
        /// The fewest and the most arguments of this kind; one if absent.
        count: Option<[u32; 2]>,
    },
    /// `{ one_of = [TEXT, ...] }`: one of these.
    OneOf {
        /// What it may be.
        one_of: Vec<String>,
        /// The fewest and the most arguments of this kind; one if absent.
        count: Option<[u32; 2]>,
    },
}

impl ArgConfig {
    /// Whether it is known what the program finds.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl<'de> Deserialize<'de> for ArgConfig {
    // Not by serde's untagged enums: these neither refuse unknown keys nor say what is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            prefix: Option<String>,
            string: Option<u32>,
            one_of: Option<Vec<String>>,
            count: Option<[u32; 2]>,
        }

        const EXPECTED: &str = "a text, { string = BYTES } or { one_of = [TEXT, ...] }";

        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = ArgConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ArgConfig, E> {
                Ok(ArgConfig::Text(text.to_owned()))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ArgConfig, M::Error> {
                let table = MapAccessDeserializer::new(map);
                let Table { prefix, string, one_of, count } = Table::deserialize(table)?;
                match (prefix, string, one_of) {
                    (prefix, Some(string), None) => {
                        let prefix = prefix.unwrap_or_default();
                        Ok(ArgConfig::Symbolic { prefix, string, count })
                    }
                    (None, None, Some(one_of)) => Ok(ArgConfig::OneOf { one_of, count }),
                    _ => Err(<M::Error as de::Error>::custom(format!("an argument is {EXPECTED}"))),
                }
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// Most arguments of one kind.
pub const MOST_ARGUMENTS: u32 = 64;

/// One parameter of an entry function.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParamConfig {
    /// For `char *`: a buffer of this many symbolic bytes and a NUL after them.
    pub string: Option<u32>,
    /// For a pointer: a buffer of this many symbolic elements.
    pub elements: Option<u32>,
    /// For a scalar: this value.
    pub value: Option<i64>,
    /// Smallest value of a scalar (or of each element).
    pub min: Option<i64>,
    /// Largest value of a scalar (or of each element).
    pub max: Option<i64>,
}

/// `[tests]`: inputs that run natively on every revision before anything is explored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestsConfig {
    /// Globs of `.ktest` files relative to the subject's directory.
    pub ktest: Vec<String>,
    /// Globs of files that are standard input.
    pub stdin: Vec<String>,
    /// Runs written out.
    pub run: Vec<RunConfig>,
}

/// One run of a program: what is left out is empty, or as `[inputs]` fixes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// All arguments after the program's name; absent = those of `[inputs]`, if they are fixed.
    pub args: Option<Vec<String>>,
    /// Standard input; absent = that of `[inputs]`, if it is fixed.
    pub stdin: Option<String>,
    /// Contents of files in `inputs.sym_files`.
    pub files: BTreeMap<String, String>,
    /// Values of symbolic variables in `inputs.env`.
    pub env: BTreeMap<String, String>,
}

/// `[outputs]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputsConfig {
    /// Standard output counts.
    pub stdout: bool,
    /// Standard error counts.
    pub stderr: bool,
    /// Which numbers that an entry function gives are the same.
    pub nan: NanConfig,
}

impl Default for OutputsConfig {
    fn default() -> Self {
        Self { stdout: true, stderr: true, nan: NanConfig::One }
    }
}

/// What counts of a floating-point number that is none.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum NanConfig {
    /// That it is none.
    #[default]
    One,
    /// Its sign and its payload, too.
    Bits,
}

/// `[budget]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// For the whole run, as `60s`, `10m`.
    #[serde(deserialize_with = "duration")]
    pub time: Duration,
    /// Instructions of one path.
    pub instructions: u64,
    /// For one solver query.
    #[serde(deserialize_with = "duration")]
    pub solver: Duration,
    /// For one native run.
    #[serde(deserialize_with = "duration")]
    pub replay: Duration,
}

impl Default for BudgetConfig {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(600),
            instructions: 10_000_000,
            solver: Duration::from_secs(10),
            replay: Duration::from_secs(1),
        }
    }
}

fn main() -> String {
    "main".into()
}

fn duration<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(d)?;
    parse_duration(&text).map_err(serde::de::Error::custom)
}

/// Reads `500ms`, `60s`, `10m`, `2h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 =
        digits.parse().map_err(|_| format!("`{text}` is not a duration such as 60s, 10m or 2h"))?;
    let seconds = match &text[digits.len()..] {
        "ms" => number / 1000.0,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        unit => return Err(format!("`{unit}` is not a unit of time: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is out of range"))
}
