//! What a program gets to read: from `subject.toml`, or from options in KLEE's manner.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::Args;

use crate::{
    env::stdin::{self, Stdin},
    exec::{Arguments, InputFile, Variable},
    expr::Exprs,
    memory::Byte,
    replay::TestInput,
    subject::{
        GivenFile, Subject,
        config::{ArgConfig, InputsConfig, MOST_ARGUMENTS, StdinConfig},
        given_files, is_variable,
    },
};

/// The name that a program finds itself called by.
const PROGRAM: &[u8] = b"program";

/// What a program gets to read.
pub(super) struct Inputs {
    pub args: Vec<Arguments>,
    pub env: Vec<Variable>,
    pub stdin: Stdin,
    pub files: Vec<InputFile>,
}

impl Inputs {
    /// The files that are known.
    pub fn given(&self) -> Arc<[GivenFile]> {
        let given = self.files.iter().filter_map(|file| match file {
            InputFile::Given(file) => Some(file.clone()),
            InputFile::Symbolic(..) => None,
        });
        given.collect()
    }
}

/// KLEE's options for symbolic input, and one for input that is known.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(super) struct SymbolicInputArgs {
    /// A symbolic argument of up to N bytes, for a file; may be repeated
    #[arg(long, value_name = "N")]
    sym_arg: Vec<u32>,
    /// From MIN to MAX symbolic arguments of up to N bytes each, for a file; may be repeated
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "N"])]
    sym_args: Vec<u32>,
    /// Files A, B and so on, each of SIZE symbolic bytes, for a file
    #[arg(long, num_args = 2, value_names = ["COUNT", "SIZE"])]
    sym_files: Vec<u32>,
    /// An environment variable, for a file; may be repeated
    #[arg(long, value_name = "NAME=TEXT")]
    env: Vec<String>,
    /// A symbolic environment variable of up to N bytes, for a file; may be repeated
    #[arg(long, num_args = 2, value_names = ["NAME", "N"])]
    sym_env: Vec<String>,
    /// What a program with its libc finds in the directory it starts in, for a file: everything
    /// below DIR
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Standard input of N symbolic bytes, for a file [default: typed tokens that reads call for;
    /// none for a program with its libc]
    #[arg(long, value_name = "N")]
    sym_stdin: Option<u32>,
    /// Standard input from this file, for a file; - is that of psychic
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
}

impl SymbolicInputArgs {
    /// The input of a program in a file. `line` is its command line, in which these options may
    /// stand, too; those that do not come behind it. A program with its libc (`whole`) reads
    /// bytes.
    ///
    /// # Errors
    /// where an option on the command line has no number, or none that makes sense.
    pub fn inputs(&self, exprs: &Exprs, line: &[String], whole: bool) -> anyhow::Result<Inputs> {
        let mut args = vec![Arguments::Text(PROGRAM.to_vec())];
        let (mut sizes, mut stdin) = (self.sym_files.clone(), self.sym_stdin);
        let mut words = line.iter();
        while let Some(word) = words.next() {
            let mut numbers = |count: usize| -> anyhow::Result<Vec<u32>> {
                let numbers = words.by_ref().take(count).map(|number| number.parse::<u32>());
                let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().unwrap_or_default();
                anyhow::ensure!(
                    numbers.len() == count,
                    "{word} on the program's command line takes numbers, {count} of them"
                );
                Ok(numbers)
            };
            match word.as_str() {
                "--sym-arg" | "-sym-arg" => args.push(symbolic(1, 1, numbers(1)?[0])?),
                "--sym-args" | "-sym-args" => {
                    let numbers = numbers(3)?;
                    args.push(symbolic(numbers[0], numbers[1], numbers[2])?);
                }
                "--sym-files" | "-sym-files" => sizes.extend(numbers(2)?),
                "--sym-stdin" | "-sym-stdin" => stdin = Some(numbers(1)?[0]),
                _ => args.push(Arguments::Text(word.clone().into_bytes())),
            }
        }
        for size in &self.sym_arg {
            args.push(symbolic(1, 1, *size)?);
        }
        for numbers in self.sym_args.chunks(3) {
            args.push(symbolic(numbers[0], numbers[1], numbers[2])?);
        }
        let sizes = sizes.chunks(2).flat_map(|group| (0..group[0]).map(|_| group[1]));
        let sizes: Vec<u32> = sizes.take(27).collect();
        anyhow::ensure!(sizes.len() <= 26, "--sym-files: there are names for 26 files");
        let symbolic = ('A'..='Z').zip(sizes).map(|(name, size)| (name.into(), size));
        let given = match &self.files {
            Some(_) if !whole => anyhow::bail!("--files: only a program with its libc has files"),
            Some(directory) => given_files(directory).context("--files")?,
            None => Vec::new(),
        };
        let files = together(given, symbolic)?;
        let stdin = match (stdin, &self.stdin) {
            (Some(_), Some(_)) => anyhow::bail!("--stdin and --sym-stdin exclude each other"),
            (Some(count), None) => Stdin::symbolic(exprs, count),
            (None, Some(file)) => concrete(&read(file)?),
            (None, None) if whole => Stdin::bytes(Vec::new()),
            (None, None) => typed(&StdinConfig::default()),
        };
        Ok(Inputs { args, env: self.environment()?, stdin, files })
    }

    fn environment(&self) -> anyhow::Result<Vec<Variable>> {
        let mut variables = BTreeMap::new();
        let mut add = |name: &str, value| -> anyhow::Result<()> {
            anyhow::ensure!(is_variable(name), "{name:?} cannot be the name of a variable");
            anyhow::ensure!(
                variables.insert(name.to_owned(), value).is_none(),
                "the variable {name} is set twice"
            );
            Ok(())
        };
        for word in &self.env {
            let (name, text) =
                word.split_once('=').with_context(|| format!("--env {word}: no NAME=TEXT"))?;
            add(name, Arguments::Text(text.into()))?;
        }
        for words in self.sym_env.chunks(2) {
            let size = words[1]
                .parse()
                .with_context(|| format!("--sym-env {}: no number", words.join(" ")))?;
            add(&words[0], symbolic(1, 1, size)?)?;
        }
        Ok(ordered(variables))
    }
}

/// An argument or variable as `subject.toml` describes it.
fn text(config: &ArgConfig) -> Arguments {
    match config {
        ArgConfig::Text(text) => Arguments::Text(text.clone().into_bytes()),
        ArgConfig::Symbolic { prefix, string, count } => {
            let [least, most] = count.unwrap_or([1, 1]);
            let prefix = prefix.clone().into_bytes();
            Arguments::Symbolic { least, most, prefix, size: *string }
        }
        ArgConfig::OneOf { one_of, count } => {
            let [least, most] = count.unwrap_or([1, 1]);
            let texts = one_of.iter().map(|text| text.clone().into_bytes()).collect();
            Arguments::OneOf { least, most, texts }
        }
    }
}

/// The environment variables of a subject.
pub(super) fn environment(config: &InputsConfig) -> Vec<Variable> {
    ordered(config.env.iter().map(|(name, value)| (name.clone(), text(value))).collect())
}

/// The variables for native runs, with their values if they are known.
pub(super) fn native(env: &[Variable]) -> Arc<[(String, Option<Vec<u8>>)]> {
    let variable = |Variable { name, value }: &Variable| match value {
        Arguments::Text(text) => (name.clone(), Some(text.clone())),
        Arguments::Symbolic { .. } | Arguments::OneOf { .. } => (name.clone(), None),
    };
    env.iter().map(variable).collect()
}

/// As native runs have them: by name.
fn ordered(variables: BTreeMap<String, Arguments>) -> Vec<Variable> {
    variables.into_iter().map(|(name, value)| Variable { name, value }).collect()
}

/// Known and symbolic files in one directory.
fn together(
    given: Vec<GivenFile>,
    symbolic: impl Iterator<Item = (String, u32)>,
) -> anyhow::Result<Vec<InputFile>> {
    let mut files: Vec<InputFile> = given.into_iter().map(InputFile::Given).collect();
    for (name, size) in symbolic {
        anyhow::ensure!(
            !files.iter().any(|file| matches!(file, InputFile::Given(f) if f.path == name)),
            "the symbolic file {name} is in the directory of files already"
        );
        files.push(InputFile::Symbolic(name, size));
    }
    Ok(files)
}

fn symbolic(least: u32, most: u32, size: u32) -> anyhow::Result<Arguments> {
    anyhow::ensure!(
        least <= most && most <= MOST_ARGUMENTS,
        "--sym-args {least} {most} {size}: MAX has to be from MIN to {MOST_ARGUMENTS}"
    );
    Ok(Arguments::Symbolic { least, most, prefix: Vec::new(), size })
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = match file.as_os_str() == "-" {
        true => io::stdin().lock().read_to_end(&mut bytes),
        false => File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    done.with_context(|| format!("{}: cannot be read", file.display()))?;
    Ok(bytes)
}

fn concrete(bytes: &[u8]) -> Stdin {
    Stdin::bytes(bytes.iter().copied().map(Byte::Concrete).collect())
}

fn typed(config: &StdinConfig) -> Stdin {
    let StdinConfig { tokens, eof: early_end, word, malformed, nonfinite, .. } = *config;
    Stdin::typed(stdin::Bounds {
        tokens,
        early_end,
        longest_word: word.get(),
        malformed,
        nonfinite,
    })
}

/// What a subject asks for.
///
/// # Errors
/// where a symbolic file is in the directory of files, too.
pub(super) fn of_subject(exprs: &Exprs, subject: &Subject) -> anyhow::Result<Inputs> {
    let config = &subject.config.inputs;
    let mut args = vec![Arguments::Text(PROGRAM.to_vec())];
    args.extend(config.args.iter().map(text));
    let stdin = match (&config.stdin.text, config.stdin.bytes) {
        (Some(text), _) => concrete(text.as_bytes()),
        (None, Some(bytes)) => Stdin::symbolic(exprs, bytes),
        (None, None) => typed(&config.stdin),
    };
    let symbolic = config.sym_files.iter().map(|(name, size)| (name.clone(), *size));
    let files = together(subject.files.clone(), symbolic)?;
    Ok(Inputs { args, env: environment(config), stdin, files })
}

/// The inputs that a subject gives ([`crate::subject::config::TestsConfig`]).
///
/// # Errors
/// where a file cannot be read.
pub(super) fn given_tests(subject: &Subject) -> anyhow::Result<Vec<TestInput>> {
    let config = &subject.config.inputs;
    let mut tests = Vec::new();
    for file in &subject.tests.ktest {
        tests.push(test(file)?);
    }
    for file in &subject.tests.stdin {
        let stdin = Some(read(file)?);
        tests.push(TestInput { args: command_line(config, None), stdin, objects: Vec::new() });
    }
    for run in &subject.config.tests.run {
        let files = run.files.iter().map(|(name, text)| (format!("{name}-data"), text));
        let env = run.env.iter().map(|(name, text)| (format!("{name}-env"), text));
        let objects = files.chain(env).map(|(name, text)| (name, text.clone().into_bytes()));
        tests.push(TestInput {
            args: command_line(config, run.args.as_deref()),
            stdin: run.stdin.as_ref().or(config.stdin.text.as_ref()).map(|t| t.clone().into()),
            objects: objects.collect(),
        });
    }
    Ok(tests)
}

/// A test, from its file.
pub(super) fn test(file: &Path) -> anyhow::Result<TestInput> {
    TestInput::read(file).with_context(|| file.display().to_string())
}

/// The command line of a test; one that gives no arguments takes those of `[inputs]`, which are
/// texts then.
fn command_line(config: &InputsConfig, given: Option<&[String]>) -> Vec<Vec<u8>> {
    let fixed = || {
        let text = |arg: &ArgConfig| match arg {
            ArgConfig::Text(text) => Some(text.clone()),
            ArgConfig::Symbolic { .. } | ArgConfig::OneOf { .. } => None,
        };
        config.args.iter().filter_map(text).collect()
    };
    let args = given.map_or_else(fixed, <[String]>::to_vec);
    std::iter::once(PROGRAM.to_vec()).chain(args.into_iter().map(String::into_bytes)).collect()
}
