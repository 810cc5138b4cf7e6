//! The input of a program, as `subject.toml` describes it.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use anyhow::Context;

use crate::{
    env::libc::stdin::{self, Stdin},
    exec::{Arguments, InputFile, Variable},
    expr::Exprs,
    memory::Byte,
    replay::TestInput,
    subject::{
        GivenFile, Subject, Times,
        config::{ArgConfig, InputsConfig, StdinConfig},
    },
};

/// The name that every program runs under (`argv[0]`).
pub(crate) const PROGRAM: &[u8] = b"program";

/// The input of a program.
pub(crate) struct Inputs {
    pub args: Vec<Arguments>,
    pub env: Vec<Variable>,
    pub stdin: Stdin,
    pub files: Vec<InputFile>,
    pub times: Times,
}

impl Inputs {
    /// The files whose contents are known.
    pub fn given(&self) -> Arc<[GivenFile]> {
        let given = self.files.iter().filter_map(|file| match file {
            InputFile::Given(file) => Some(file.clone()),
            InputFile::Symbolic(..) => None,
        });
        given.collect()
    }
}

/// The argument or environment variable that `subject.toml` describes.
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
pub(crate) fn environment(config: &InputsConfig) -> Vec<Variable> {
    ordered(config.env.iter().map(|(name, value)| (name.clone(), text(value))).collect())
}

/// The environment variables of native runs, with the values of those that are known.
pub(crate) fn native(env: &[Variable]) -> Arc<[(String, Option<Vec<u8>>)]> {
    let variable = |Variable { name, value }: &Variable| match value {
        Arguments::Text(text) => (name.clone(), Some(text.clone())),
        Arguments::Symbolic { .. } | Arguments::OneOf { .. } => (name.clone(), None),
    };
    env.iter().map(variable).collect()
}

/// Environment variables in the order in which native runs have them: by name.
pub(crate) fn ordered(variables: BTreeMap<String, Arguments>) -> Vec<Variable> {
    variables.into_iter().map(|(name, value)| Variable { name, value }).collect()
}

/// Puts known and symbolic files into one directory.
pub(crate) fn together(
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

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = match file.as_os_str() == "-" {
        true => io::stdin().lock().read_to_end(&mut bytes),
        false => File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    done.with_context(|| format!("{}: cannot be read", file.display()))?;
    Ok(bytes)
}

pub(crate) fn concrete(bytes: &[u8]) -> Stdin {
    Stdin::bytes(bytes.iter().copied().map(Byte::Concrete).collect())
}

pub(crate) fn typed(config: &StdinConfig) -> Stdin {
    let StdinConfig { tokens, eof: early_end, word, malformed, nonfinite, .. } = *config;
    Stdin::typed(stdin::Bounds {
        tokens,
        early_end,
        longest_word: word.get(),
        malformed,
        nonfinite,
    })
}

/// The input that a subject asks for.
///
/// # Errors
/// A symbolic file has the name of a given file.
pub(crate) fn of_subject(exprs: &Exprs, subject: &Subject) -> anyhow::Result<Inputs> {
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
    Ok(Inputs { args, env: environment(config), stdin, files, times: subject.times.clone() })
}

/// A test that a subject gives, and what is right on it.
pub(crate) struct GivenTest {
    pub input: TestInput,
    /// The right standard output, if it is known.
    pub stdout: Option<Vec<u8>>,
    /// The right exit code, if it is known.
    pub exit: Option<u8>,
}

impl GivenTest {
    /// A test whose right outcome is not known.
    fn open(input: TestInput) -> Self {
        Self { input, stdout: None, exit: None }
    }
}

/// The tests that a subject gives ([`crate::subject::config::TestsConfig`]).
///
/// # Errors
/// A file cannot be read.
pub(crate) fn given_tests(subject: &Subject) -> anyhow::Result<Vec<GivenTest>> {
    let config = &subject.config.inputs;
    let mut tests = Vec::new();
    for file in &subject.tests.ktest {
        tests.push(GivenTest::open(test(file)?));
    }
    for file in &subject.tests.stdin {
        let stdin = Some(read(&file.stdin)?);
        let args = command_line(config, None);
        let stdout = file.stdout.as_deref().map(read).transpose()?;
        let input = TestInput { args, stdin, objects: Vec::new() };
        tests.push(GivenTest { stdout, ..GivenTest::open(input) });
    }
    for run in &subject.config.tests.run {
        let files = run.files.iter().map(|(name, text)| (format!("{name}-data"), text));
        let env = run.env.iter().map(|(name, text)| (format!("{name}-env"), text));
        let texts = files.chain(env).map(|(name, text)| (name, text.clone().into_bytes()));
        let ages = run.ages.iter().map(|(path, age)| (Times::age_of(path), *age));
        let times = ages.chain(run.clock.map(|clock| (Times::CLOCK.to_owned(), clock)));
        let times = times.map(|(name, number)| (name, number.to_le_bytes().to_vec()));
        let input = TestInput {
            args: command_line(config, run.args.as_deref()),
            stdin: run.stdin.as_ref().or(config.stdin.text.as_ref()).map(|t| t.clone().into()),
            objects: texts.chain(times).collect(),
        };
        let stdout = run.stdout.clone().map(String::into_bytes);
        tests.push(GivenTest { input, stdout, exit: run.exit });
    }
    for test in &mut tests {
        for (name, range) in subject.times.objects() {
            if test.input.object(&name).is_none() {
                test.input.objects.push((name, range.start().to_le_bytes().to_vec()));
            }
        }
    }
    Ok(tests)
}

/// Reads a test from its file.
pub(crate) fn test(file: &Path) -> anyhow::Result<TestInput> {
    TestInput::read(file).with_context(|| file.display().to_string())
}

/// The command line of a test. A test without arguments of its own has those of `[inputs]`, which
/// are then all fixed texts.
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
