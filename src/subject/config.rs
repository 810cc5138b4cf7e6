//! `subject.toml`: how a person describes a subject.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
    time::Duration,
};

use serde::{
    Deserialize, Deserializer,
    de::{
        self, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

pub use super::stdin::StdinConfig;

/// The contents of a `subject.toml`. The smallest one has a name, sources and patches.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectConfig {
    /// Name of the subject; results go to `results/NAME` by default.
    pub name: String,
    /// C files, relative to the subject's directory, or to the source tree that `[build]` names.
    /// For a subject with `build.program` they are the files that patches may touch, and need not
    /// be listed: by default, they are the files that the patches do touch.
    #[serde(default)]
    pub sources: Vec<PathBuf>,
    /// Globs of unified diffs, relative to the subject's directory. The diffs are numbered from 1,
    /// in the order of the globs; the matches of each glob are sorted by name.
    #[serde(default)]
    pub patches: Vec<String>,
    /// Globs of candidates in other forms, numbered after the patches: whole C files, whole
    /// directory trees, bitcode modules ([`Form`](super::Form)). Without `sources`, the first
    /// candidate is the original.
    #[serde(default)]
    pub candidates: Vec<String>,
    /// If the sources are a meta program written by hand, its number of revisions besides the
    /// original; else 0. In such sources, `__klee_meta(...)` or `psychic_rev()` gives the revision
    /// that runs.
    #[serde(default)]
    pub revisions: u32,
    /// The function to run. `main` is run as a program. Any other function is called by a
    /// generated `main` with symbolic arguments, and its return value is an output.
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
    /// What memory that was never written holds.
    #[serde(default)]
    pub uninitialised: Uninitialised,
    /// Inputs that are known to be worth a run.
    #[serde(default)]
    pub tests: TestsConfig,
    /// Which outcomes are right.
    #[serde(default)]
    pub oracle: OracleConfig,
    /// How `psychic rank` orders the patches.
    #[serde(default)]
    pub rank: RankConfig,
    /// What is known about patches: for each label, such as `correct`, globs of their names.
    #[serde(default)]
    pub labels: BTreeMap<String, Vec<String>>,
    /// When to stop.
    #[serde(default)]
    pub budget: BudgetConfig,
}

impl SubjectConfig {
    /// The configuration of a subject with this name and defaults for everything else.
    pub fn named(name: String) -> Self {
        Self {
            name,
            sources: Vec::new(),
            patches: Vec::new(),
            candidates: Vec::new(),
            revisions: 0,
            entry: main(),
            build: BuildConfig::default(),
            inputs: InputsConfig::default(),
            outputs: OutputsConfig::default(),
            uninitialised: Uninitialised::default(),
            tests: TestsConfig::default(),
            oracle: OracleConfig::default(),
            rank: RankConfig::default(),
            labels: BTreeMap::new(),
            budget: BudgetConfig::default(),
        }
    }
}

/// What memory that was never written holds, and what happens when a run uses it to decide
/// something, or shows it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Uninitialised {
    /// The memory is zero, also in native runs. The run goes on; that it used such memory is part
    /// of its outcome.
    #[default]
    Zero,
    /// The memory may hold anything. The run goes on with zero, but nothing is proved about what
    /// follows.
    Any,
    /// The run ends with an error, which is its outcome.
    Error,
}

/// `[build]`: where the sources come from, and how to compile them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[build]`")]
pub struct BuildConfig {
    /// A shell command that obtains the sources, run once in the subject's directory with
    /// `PSYCHIC_SOURCE` set to the (ignored, cached) directory it must fill; `sources` are then
    /// relative to that directory.
    pub setup: Option<String>,
    /// The Debian source package and upstream version, `NAME=VERSION`, whose source tree to use.
    pub package: Option<String>,
    /// The directory, relative to the subject's, to use as the source tree.
    pub directory: Option<PathBuf>,
    /// The git repository and the revision in it, `URL#REVISION`, to use as the source tree.
    /// Without a revision, it is the newest commit that the patches fit.
    pub git: Option<String>,
    /// The program that the source tree's own build makes, relative to the tree. It is run whole,
    /// with its libc, from its first instruction to its exit.
    pub program: Option<PathBuf>,
    /// Whether a program without a build of its own is run whole, too. Then one command compiles
    /// and links `sources`.
    pub whole: bool,
    /// A shell command that configures the source tree, run once.
    pub configure: Option<String>,
    /// A shell command that builds the program in the configured tree.
    pub make: Option<String>,
    /// Additional compiler flags, for both bitcode and native builds.
    pub flags: Vec<String>,
}

impl BuildConfig {
    /// Whether a build of its own makes the program.
    pub fn is_own(&self) -> bool {
        self.program.is_some() && !self.whole
    }

    /// Whether the program is run with its libc, from its first instruction to its exit.
    pub fn is_whole(&self) -> bool {
        self.whole || self.program.is_some()
    }
}

/// `[inputs]`: what the program reads, and which parts of it are symbolic.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[inputs]`")]
pub struct InputsConfig {
    /// Standard input. If absent, it consists of typed tokens of the kinds that the program's own
    /// reads call for.
    pub stdin: StdinConfig,
    /// Arguments of `main`, after the program's name.
    pub args: Vec<ArgConfig>,
    /// Environment variables of the program, by name: fixed texts, or symbolic texts. A variable
    /// with `count = [0, 1]` may be missing.
    pub env: BTreeMap<String, ArgConfig>,
    /// A directory, relative to the subject's. A whole program finds its contents in the directory
    /// it starts in.
    pub files: Option<PathBuf>,
    /// Symbolic files in the directory that a whole program starts in: the name of each, and its
    /// size in bytes.
    pub sym_files: BTreeMap<String, u32>,
    /// The time at which a whole program starts, in seconds since 1970.
    pub clock: Option<SecondsConfig>,
    /// How many seconds before its start the files that a whole program finds were last changed, by
    /// path.
    pub ages: BTreeMap<String, SecondsConfig>,
    /// Parameters of the entry function, by name. A scalar that is not listed is fully symbolic.
    pub params: BTreeMap<String, ParamConfig>,
}

/// One argument of `main`, or the value of an environment variable.
#[derive(Clone, Debug)]
pub enum ArgConfig {
    /// A fixed text.
    Text(String),
    /// `{ string = N }`: any bytes, up to N of them before the first NUL, which ends the text. With
    /// `prefix = TEXT`, the bytes follow that text.
    Symbolic {
        /// The fixed text at the beginning.
        prefix: String,
        /// The greatest number of bytes after the prefix.
        string: u32,
        /// The fewest and the most arguments of this kind; one if absent.
        count: Option<[u32; 2]>,
    },
    /// `{ one_of = [TEXT, ...] }`: one of several texts.
    OneOf {
        /// The texts.
        one_of: Vec<String>,
        /// The fewest and the most arguments of this kind; one if absent.
        count: Option<[u32; 2]>,
    },
}

impl ArgConfig {
    /// Whether the text is fixed, and so known before the run.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl<'de> Deserialize<'de> for ArgConfig {
    // serde's untagged enums would neither refuse unknown keys nor say what is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            prefix: Option<String>,
            string: Option<u32>,
            one_of: Option<Vec<String>>,
            #[serde(default, deserialize_with = "least_and_most")]
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

/// A number of seconds: a fixed one, or any in a range.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { min = 0, max = 9 } or { value = 4 }"
)]
pub struct SecondsConfig {
    /// The fixed number.
    pub value: Option<i64>,
    /// The smallest number.
    pub min: Option<i64>,
    /// The greatest number.
    pub max: Option<i64>,
}

/// The greatest number of revisions besides the original. Every two of them are a row of
/// `pairs.csv`.
pub const MOST_REVISIONS: u32 = 4096;

/// The greatest number of arguments of one kind, and of ways in which one kind can be given as
/// texts.
pub const MOST_ARGUMENTS: u32 = 64;

/// One parameter of an entry function.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { min = 0, max = 9 } or { string = 4 }"
)]
pub struct ParamConfig {
    /// Makes a `char *` point to a buffer of this many symbolic bytes, followed by a NUL.
    pub string: Option<u32>,
    /// Makes a pointer point to a buffer of this many symbolic elements.
    pub elements: Option<u32>,
    /// The fixed value of a scalar.
    pub value: Option<i64>,
    /// The smallest value of a scalar, or of each element.
    pub min: Option<i64>,
    /// The largest value of a scalar, or of each element.
    pub max: Option<i64>,
}

/// `[tests]`: inputs that run natively on every revision before anything is explored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[tests]`")]
pub struct TestsConfig {
    /// Globs of `.ktest` files, relative to the subject's directory.
    pub ktest: Vec<String>,
    /// Globs of files, relative to the subject's directory, each the standard input of one test.
    pub stdin: Vec<String>,
    /// The extension of the files beside those of `stdin` that hold the right standard outputs:
    /// with `out`, that of `1.in` is in `1.out`.
    pub stdout: Option<String>,
    /// Tests that are written out in `subject.toml`.
    pub run: Vec<RunConfig>,
}

/// One test of a program. What is left out is as `[inputs]` fixes it, or else empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { args = [\"-x\"], stdin = \"text\" }"
)]
pub struct RunConfig {
    /// All arguments after the program's name. If absent, those of `[inputs]`, which must be fixed.
    pub args: Option<Vec<String>>,
    /// Standard input. If absent, the text in `[inputs]`, if there is one.
    pub stdin: Option<String>,
    /// Contents of files in `inputs.sym_files`, by name.
    pub files: BTreeMap<String, String>,
    /// Values of symbolic variables in `inputs.env`, by name.
    pub env: BTreeMap<String, String>,
    /// When the program starts, if `inputs.clock` is symbolic.
    pub clock: Option<u64>,
    /// The ages of files for which `inputs.ages` has symbolic ones, by name.
    pub ages: BTreeMap<String, u64>,
    /// The right standard output, if it is known.
    pub stdout: Option<String>,
    /// The right exit code, if it is known.
    pub exit: Option<u8>,
}

/// `[oracle]`: how to know which outcome of a test is right.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[oracle]`")]
pub struct OracleConfig {
    /// A revision whose outcomes are right, relative to the subject's directory: a patch, another
    /// implementation, or a source that is the original itself. It need not match a glob of
    /// `patches` or `candidates`; then it is the last revision.
    pub reference: Option<PathBuf>,
    /// Whether an error is wrong on every input, whatever was to be computed: a failed assertion, a
    /// crash, a sanitizer's finding, a run that does not end. This is the *implicit oracle* of Barr
    /// et al., "The Oracle Problem in Software Testing", 2015.
    pub implicit: bool,
}

/// `[rank]`: how `psychic rank` orders the patches.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[rank]`")]
pub struct RankConfig {
    /// A CSV or JSON file, relative to the subject's directory, with scores of the patches.
    pub scores: Option<PathBuf>,
    /// The weights of criteria, by name.
    pub weights: BTreeMap<String, f64>,
}

/// `[outputs]`: what counts as a visible difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[outputs]`")]
pub struct OutputsConfig {
    /// Whether standard output counts.
    pub stdout: bool,
    /// Whether standard error counts.
    pub stderr: bool,
    /// Which NaNs among the outputs of an entry function count as the same.
    pub nan: NanConfig,
    /// The functions whose results are compared, for revisions that do the same outside.
    pub functions: Option<FunctionsConfig>,
}

/// Functions whose results are looked at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FunctionsConfig {
    /// All in the files that a patch changes.
    Patched,
    /// Those with these names.
    Named(BTreeSet<String>),
}

impl<'de> Deserialize<'de> for FunctionsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str = "\"patched\" or a list of names of functions";

        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = FunctionsConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<FunctionsConfig, E> {
                match text {
                    "patched" => Ok(FunctionsConfig::Patched),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }

            fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<FunctionsConfig, S::Error> {
                BTreeSet::deserialize(SeqAccessDeserializer::new(list)).map(FunctionsConfig::Named)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl Default for OutputsConfig {
    fn default() -> Self {
        Self { stdout: true, stderr: true, nan: NanConfig::One, functions: None }
    }
}

/// What counts about a NaN.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum NanConfig {
    /// Only that it is a NaN.
    #[default]
    One,
    /// Also its sign and payload.
    Bits,
}

/// `[budget]`: when to stop.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table `[budget]`")]
pub struct BudgetConfig {
    /// Time for the whole run after the build, such as `60s` or `10m`.
    #[serde(deserialize_with = "duration")]
    pub time: Duration,
    /// Number of instructions of one path.
    pub instructions: u64,
    /// Time for one solver query.
    #[serde(deserialize_with = "some_time")]
    pub solver: Duration,
    /// Time for one native run.
    #[serde(deserialize_with = "some_time")]
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

fn least_and_most<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[u32; 2]>, D::Error> {
    // Read as an array, more than two numbers would be no error.
    let numbers = Vec::<u32>::deserialize(d)?;
    let two = <[u32; 2]>::try_from(numbers.as_slice());
    two.map(Some).map_err(|_| {
        de::Error::custom(format!("count = {numbers:?} has to be two numbers, [LEAST, MOST]"))
    })
}

fn duration<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(d)?;
    parse_duration(&text).map_err(serde::de::Error::custom)
}

fn some_time<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
    let error = || serde::de::Error::custom("it must be more than nothing");
    Some(duration(d)?).filter(|time| !time.is_zero()).ok_or_else(error)
}

/// Reads a duration such as `500ms`, `60s`, `10m` or `2h`.
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
