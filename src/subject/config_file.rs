//! What `subject.toml` says: its keys, the files that it names, and the lines of what is wrong.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use super::{
    config::{ArgConfig, InputsConfig, MOST_ARGUMENTS, MOST_REVISIONS, SubjectConfig, TestsConfig},
    error::SubjectError,
    files::{self, GivenFile},
    patch::{Form, Patch},
    path::{is_inner, plain},
    revision::Revision,
    times::Times,
};

/// What to do about a source outside of the source tree.
const OUTSIDE: &str = "build.directory names another directory as the source tree";
/// What to do about a source among the patches.
const ONLY: &str = "name the diffs alone, as in \"*.diff\"";

/// The files of the tests that a subject gives, in the order of their globs, and then by name.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TestFiles {
    /// `.ktest` files.
    pub ktest: Vec<PathBuf>,
    /// Files that are each the standard input of a test.
    pub stdin: Vec<GivenStdin>,
}

/// The files of a test that is a standard input.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GivenStdin {
    /// The standard input.
    pub stdin: PathBuf,
    /// The right standard output, if it is known.
    pub stdout: Option<PathBuf>,
}

/// A `subject.toml`.
pub(super) struct ConfigFile<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl ConfigFile<'_> {
    pub(super) fn parse(&self) -> Result<SubjectConfig, SubjectError> {
        toml::from_str(self.text).map_err(|error| SubjectError::Config {
            path: self.path.to_owned(),
            line: error.span().map_or(1, |span| line_at(self.text, span.start)),
            message: in_words_of_toml(error.message().trim()),
        })
    }

    /// The number of the first line that has `word` outside comments; 1 if none does. Lines are
    /// searched because the parsed form keeps no positions.
    pub(super) fn line_of(&self, word: &str) -> usize {
        let found = |line: &str| line.split('#').next().is_some_and(|code| code.contains(word));
        self.text.lines().position(found).map_or(1, |index| index + 1)
    }

    /// The error that something is wrong on the first line that has `word`.
    pub(super) fn fault(&self, word: &str, message: String) -> SubjectError {
        SubjectError::Config { path: self.path.to_owned(), line: self.line_of(word), message }
    }

    /// The error that something is wrong with a number, on the first line that has it. If it is
    /// written otherwise, the line is that of `key`.
    pub(super) fn fault_of_number(&self, number: i64, key: &str, message: String) -> SubjectError {
        let number = number.to_string();
        let is_there = self.text.contains(&number);
        self.fault(if is_there { &number } else { key }, message)
    }

    /// Refuses sources that are no files of the source tree, or a patch, too, and a source that is
    /// listed twice: it would be linked twice.
    pub(super) fn check_sources(
        &self,
        root: &Path,
        config: &SubjectConfig,
        patches: &[Patch],
    ) -> Result<(), SubjectError> {
        let mut known = BTreeMap::new();
        for source in &config.sources {
            let text = source.to_string_lossy();
            let place = root.join(source);
            if !is_inner(&plain(source)) {
                let tree = root.display();
                let message = format!("source {text:?} is not a path within {tree}; {OUTSIDE}");
                return Err(self.fault(&text, message));
            }
            if !place.is_file() {
                let what = if place.exists() { "is no file" } else { "does not exist" };
                let hint = match text.contains(['*', '?', '[']) {
                    true => "; list files, not globs",
                    false => "",
                };
                let message = format!("source {text} {what} in {}{hint}", root.display());
                return Err(self.fault(&text, message));
            }
            let place = place.canonicalize().map_err(SubjectError::io(&place))?;
            let is_diff = |patch: &&Patch| patch.form == Form::Diff && patch.path == place;
            if let Some(patch) = patches.iter().find(is_diff) {
                let name = &patch.name;
                let message = format!("patches also matches {name}, which is a source: {ONLY}");
                return Err(self.fault("patches", message));
            }
            // If the program has a build of its own, sources are only the files that patches may
            // touch.
            if let Some(first) = known.insert(place, source)
                && !config.build.is_own()
            {
                let other = match first == source {
                    true => String::new(),
                    false => format!(" (as {} before)", first.display()),
                };
                let message = format!("source {text} is listed twice{other}");
                let line = self.last_line_of(&text);
                return Err(SubjectError::Config { path: self.path.to_owned(), line, message });
            }
        }
        Ok(())
    }

    /// The number of the last line that has `word` in quotes and outside comments; 1 if none does.
    fn last_line_of(&self, word: &str) -> usize {
        let quoted = [format!("\"{word}\""), format!("'{word}'")];
        let found = |line: &str| {
            let code = line.split('#').next().unwrap_or_default();
            quoted.iter().any(|word| code.contains(word.as_str()))
        };
        let lines: Vec<&str> = self.text.lines().collect();
        lines.iter().rposition(|line| found(line)).map_or(1, |index| index + 1)
    }

    /// Refuses arguments and environment variables that no program can have.
    pub(super) fn check_texts(&self, config: &SubjectConfig) -> Result<(), SubjectError> {
        let SubjectConfig { inputs: InputsConfig { args, env, params, .. }, .. } = config;
        if config.entry == "main" && !params.is_empty() {
            let message =
                "[inputs.params] is about the parameters of a function that `entry` names";
            return Err(self.fault("params", message.to_owned()));
        }
        if let Some(name) = env.keys().find(|name| !is_variable(name)) {
            let message = format!("{name:?} cannot be the name of an environment variable");
            return Err(self.fault("env", message));
        }
        let args = args.iter().map(|arg| ("args", arg, MOST_ARGUMENTS));
        for (key, text, limit) in args.chain(env.values().map(|value| ("env", value, 1))) {
            let (texts, count) = match text {
                ArgConfig::Text(text) => (std::slice::from_ref(text), None),
                ArgConfig::Symbolic { prefix, count, .. } => (std::slice::from_ref(prefix), *count),
                ArgConfig::OneOf { one_of, count } => (&one_of[..], *count),
            };
            if let Some(text) = texts.iter().find(|text| text.contains('\0')) {
                let message = format!("{text:?} cannot be in {key}: it has a NUL");
                return Err(self.fault(key, message));
            }
            let [least, most] = count.unwrap_or([1, 1]);
            if least > most || most > limit {
                let message = format!(
                    "count = [{least}, {most}] has to be [LEAST, MOST], and MOST at most {limit}"
                );
                return Err(self.fault("count", message));
            }
            if let ArgConfig::OneOf { one_of, .. } = text {
                let of_length = |length| (one_of.len() as u64).saturating_pow(length);
                let ways = (least..=most).map(of_length).fold(0, u64::saturating_add);
                if ways == 0 || ways > MOST_ARGUMENTS.into() {
                    let message =
                        format!("one_of gives {ways} combinations, not 1 to {MOST_ARGUMENTS}");
                    return Err(self.fault("one_of", message));
                }
            }
            let is_for_arguments = match text {
                ArgConfig::Text(_) => false,
                ArgConfig::Symbolic { prefix, .. } => !prefix.is_empty(),
                ArgConfig::OneOf { .. } => true,
            };
            if key == "env" && is_for_arguments {
                let message = "prefix and one_of are for arguments, not for variables";
                return Err(self.fault("env", message.to_owned()));
            }
        }
        Ok(())
    }

    /// Checks `inputs.files` and `inputs.sym_files`, and reads the files that the program starts
    /// with.
    pub(super) fn given(
        &self,
        dir: &Path,
        config: &SubjectConfig,
    ) -> Result<Vec<GivenFile>, SubjectError> {
        let inputs = &config.inputs;
        let asked =
            [("sym_files", !inputs.sym_files.is_empty()), ("files", inputs.files.is_some())];
        if let Some((key, _)) = asked.iter().find(|(_, asked)| *asked)
            && !config.build.is_whole()
        {
            let message = format!("only a program that is run whole (build.whole) has {key}");
            return Err(self.fault(key, message));
        }
        if let Some(name) = inputs.sym_files.keys().find(|name| !is_plain(name)) {
            return Err(self.fault("sym_files", format!("{name:?} cannot be the name of a file")));
        }
        match &inputs.files {
            Some(directory) => files::given_files(&dir.join(directory))
                .map_err(|error| self.fault("files", format!("files: {error}"))),
            None => Ok(Vec::new()),
        }
    }

    /// The paths that a glob matches in the subject's directory, sorted.
    fn matches(&self, dir: &Path, pattern: &str) -> Result<Vec<PathBuf>, SubjectError> {
        let absolute = Path::new(&glob::Pattern::escape(&dir.to_string_lossy())).join(pattern);
        let matches =
            glob::glob(&absolute.to_string_lossy()).map_err(|error| SubjectError::Glob {
                path: self.path.to_owned(),
                line: self.line_of(pattern),
                glob: pattern.to_owned(),
                message: error.msg.to_owned(),
            })?;
        if let Some(path) = unreadable_name(&absolute) {
            return Err(SubjectError::NotUtf8(path));
        }
        let path = |entry: Result<PathBuf, glob::GlobError>| {
            entry.map_err(|error| SubjectError::Io {
                path: error.path().to_owned(),
                source: error.into(),
            })
        };
        let mut paths = matches.map(path).collect::<Result<Vec<_>, _>>()?;
        paths.sort();
        Ok(paths)
    }

    /// Finds the files of the given tests, and refuses tests that the program cannot have as input.
    pub(super) fn tests(
        &self,
        dir: &Path,
        config: &SubjectConfig,
        times: &Times,
    ) -> Result<TestFiles, SubjectError> {
        let TestsConfig { ktest, stdin, stdout, run } = &config.tests;
        if !config.outputs.stdout
            && (stdout.is_some() || run.iter().any(|run| run.stdout.is_some()))
        {
            let message = "a right standard output means nothing where [outputs] does not count it";
            return Err(self.fault("stdout", message.to_owned()));
        }
        let is_program = config.entry == "main" || config.build.is_whole();
        let is_ktest = stdin.is_empty() && run.is_empty();
        if !is_program && !is_ktest {
            let message = format!("for the parameters of `{}`, give ktest = [...]", config.entry);
            return Err(self.fault("tests", message));
        }
        let is_symbolic = |arg: &ArgConfig| !arg.is_fixed();
        let lacks_args = !stdin.is_empty() || run.iter().any(|run| run.args.is_none());
        if lacks_args && config.inputs.args.iter().any(is_symbolic) {
            let message = "arguments are symbolic: each test has to give its own, as args = [...]";
            return Err(self.fault("tests", message.to_owned()));
        }
        for run in run {
            let (files, env) = (&config.inputs.sym_files, &config.inputs.env);
            let is_known = |name: &&String| !env.get(*name).is_some_and(is_symbolic);
            let other = run.files.keys().find(|name| !files.contains_key(*name));
            let is_fixed = |object: &str| times.objects().all(|(name, _)| name != object);
            let age = run.ages.keys().find(|path| is_fixed(&Times::age_of(path)));
            let clock = run.clock.map(|_| Times::CLOCK.to_owned()).filter(|name| is_fixed(name));
            let env = run.env.keys().find(is_known);
            if let Some(name) = other.or(env).or(age).or(clock.as_ref()) {
                let message =
                    format!("a test sets {name:?}, which is not symbolic: [inputs] must say so");
                return Err(self.fault(name, message));
            }
            let texts = run.args.iter().flatten().chain(run.env.values());
            if let Some(text) = texts.clone().find(|text| text.contains('\0')) {
                return Err(self.fault("tests", format!("{text:?} must not have a NUL")));
            }
        }
        let files = |globs: &[String]| -> Result<Vec<PathBuf>, SubjectError> {
            let mut all: Vec<PathBuf> = Vec::new();
            for glob in globs {
                let mut found = self.matches(dir, glob)?;
                found.retain(|path| path.is_file() && !all.contains(path));
                if found.is_empty() {
                    return Err(self.fault(glob, format!("no file matches {glob:?}")));
                }
                all.extend(found);
            }
            Ok(all)
        };
        let mut pairs = Vec::new();
        for file in files(stdin)? {
            let right = stdout.as_ref().map(|extension| file.with_extension(extension));
            if let Some(missing) = right.as_ref().filter(|right| !right.is_file()) {
                return Err(self.fault("stdout", format!("{} is missing", missing.display())));
            }
            pairs.push(GivenStdin { stdin: file, stdout: right });
        }
        Ok(TestFiles { ktest: files(ktest)?, stdin: pairs })
    }

    /// Finds the candidates, and numbers them.
    pub(super) fn patches(
        &self,
        dir: &Path,
        config: &SubjectConfig,
    ) -> Result<Vec<Patch>, SubjectError> {
        let mut patches: Vec<Patch> = Vec::new();
        self.check_count(config.revisions as usize, "revisions")?;
        for number in 1..=config.revisions {
            let name = format!("revision {number}");
            patches.push(Patch {
                revision: Revision(number),
                form: Form::Number,
                name,
                path: dir.to_owned(),
            });
        }
        for pattern in config.patches.iter().chain(&config.candidates) {
            let is_patch = config.patches.contains(pattern);
            let mut paths = self.matches(dir, pattern)?;
            // A candidate that is no file is set aside, but directories among diffs are passed over.
            paths.retain(|path| !path.is_dir() || !is_patch);
            if paths.is_empty() {
                return Err(self.fault(pattern, format!("no file matches {pattern:?}")));
            }
            // A patch that two globs match is one revision, numbered by the first of them.
            paths.retain(|path| patches.iter().all(|patch| patch.path != *path));
            self.check_count(patches.len() + paths.len(), pattern)?;
            for path in paths {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
                let form = if is_patch { Form::Diff } else { Form::of(&path) };
                let revision = Revision(patches.len() as u32 + 1);
                patches.push(Patch { revision, form, name, path });
            }
        }
        if patches.is_empty() {
            let message = "no candidates: name some, as in patches = [\"*.diff\"]";
            return Err(self.fault("patches", message.to_owned()));
        }
        Ok(patches)
    }

    fn check_count(&self, revisions: usize, word: &str) -> Result<(), SubjectError> {
        if revisions <= MOST_REVISIONS as usize {
            return Ok(());
        }
        let message = format!("{revisions} revisions are too many: at most {MOST_REVISIONS}");
        Err(self.fault(word, message))
    }
}

/// A file that the glob would match if its name were UTF-8: the glob crate passes over other names.
fn unreadable_name(pattern: &Path) -> Option<PathBuf> {
    let own = glob::Pattern::new(pattern.file_name()?.to_str()?).ok()?;
    let directories = glob::glob(pattern.parent()?.to_str()?).ok()?;
    let entries = directories.flatten().filter_map(|directory| fs::read_dir(directory).ok());
    let odd = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.to_str().is_none() && own.matches(&name.to_string_lossy())
    };
    entries.flatten().flatten().find(odd).map(|entry| entry.path())
}

/// Whether a name is a single component of a path, and so can be the name of a file or directory,
/// and is visible.
pub(super) fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
        && !name.contains(|c: char| c == '/' || c.is_control())
}

/// Whether `name` can be the name of an environment variable.
pub fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

/// A message of the TOML reader, with TOML's names of types in place of Rust's.
fn in_words_of_toml(message: &str) -> String {
    let from = |type_: &str, least: &str, most: &str| {
        (format!("expected {type_}"), format!("expected a whole number from {least} to {most}"))
    };
    let words = [
        ("sequence".into(), "list".into()),
        ("map".into(), "table".into()),
        (" as i128".into(), String::new()),
        (" as u128".into(), String::new()),
        from("a nonzero u8", "1", &u8::MAX.to_string()),
        from("u8", "0", &u8::MAX.to_string()),
        from("u32", "0", &u32::MAX.to_string()),
        from("u64", "0", &u64::MAX.to_string()),
        from("i64", &i64::MIN.to_string(), &i64::MAX.to_string()),
        ("expected f64".into(), "expected a number".into()),
    ];
    // Text of the file is in quotes, and stays as it is.
    let mut parts: Vec<String> = message.split('`').map(str::to_owned).collect();
    for part in parts.iter_mut().step_by(2) {
        for (rust, toml) in &words {
            *part = part.replace(rust.as_str(), toml);
        }
    }
    parts.join("`")
}
