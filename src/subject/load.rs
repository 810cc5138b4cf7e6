//! Loads a subject: from a directory with a `subject.toml` to sources and numbered patches that
//! exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use super::{
    config::{ArgConfig, InputsConfig, MOST_ARGUMENTS, SubjectConfig, TestsConfig},
    error::SubjectError,
    fault::Fault,
    files::{self, GivenFile},
    oracle,
    patch::{Form, Patch},
    revision::Revision,
    source,
    times::Times,
    whole,
};
use crate::{child::Stopper, interrupt::Interrupt};

/// The file that makes a directory a subject.
pub const CONFIG_FILE: &str = "subject.toml";

/// Options of the linker that give symbols another meaning, or start the program elsewhere.
const RENAMING: [&str; 10] = [
    "wrap",
    "defsym",
    "entry",
    "e",
    "init",
    "fini",
    "script",
    "T",
    "allow-multiple-definition",
    "muldefs",
];

/// A program with its candidate patches, all of which have been found on disk.
///
/// ```no_run
/// # use psychic::subject::Subject;
/// let subject = Subject::load("patches/smallest".as_ref())?;
/// for patch in &subject.patches {
///     println!("{}: {}", patch.revision, patch.name);
/// }
/// # Ok::<(), psychic::subject::SubjectError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Subject {
    /// The contents of `subject.toml`; its defaults for [files without one](Self::of_files).
    pub config: SubjectConfig,
    /// The absolute path of the directory of `subject.toml`, or of the original without one.
    pub dir: PathBuf,
    /// The directory that `sources` are relative to: `dir` itself, the source tree that `[build]`
    /// names, or an original that is a whole tree.
    pub root: PathBuf,
    /// The commit of `root` that was found for the patches, if `build.git` names none.
    pub commit: Option<String>,
    /// The C files (or bitcode modules) to build, relative to `root`, in the order of
    /// `subject.toml`. For a program with a build of its own, the files that patches may touch.
    pub sources: Vec<PathBuf>,
    /// The candidate patches; `patches[i]` is revision `i + 1`.
    pub patches: Vec<Patch>,
    /// The files that a whole program finds in the directory it starts in.
    pub files: Vec<GivenFile>,
    /// When a whole program starts, and how old its files are then.
    pub times: Times,
    /// The files that `[tests]` names.
    pub tests: TestFiles,
    /// The revision whose outcomes are right, if one is known.
    pub reference: Option<Revision>,
    /// The patches that have each label.
    pub labels: BTreeMap<String, BTreeSet<Revision>>,
}

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

impl Subject {
    /// Reads `dir/subject.toml` and finds the patches and sources. If `[build]` says how to obtain
    /// the sources, that is done once (see [`super::cache_directory`]).
    ///
    /// # Errors
    /// The subject is incomplete or contradictory. The error names the file and line to correct.
    pub fn load(dir: &Path) -> Result<Self, SubjectError> {
        Self::load_unless(dir, &Interrupt::default())
    }

    /// Does what [`Self::load`] does, and gives up when `interrupt` is set.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_unless(dir: &Path, interrupt: &Interrupt) -> Result<Self, SubjectError> {
        let stopper = Stopper::new(interrupt.clone());
        let path = dir.join(CONFIG_FILE);
        if !path.is_file() {
            return Err(SubjectError::Missing(path));
        }
        let dir = dir.canonicalize().map_err(SubjectError::io(dir))?;
        if dir.to_str().is_none() {
            return Err(SubjectError::NotUtf8(dir));
        }
        let text = fs::read_to_string(&path).map_err(SubjectError::io(&path))?;
        let file = ConfigFile { path: &path, text: &text };
        let mut config = file.parse()?;
        let fault = |fault: Fault| file.fault(fault.key, fault.message);
        source::check(&config).map_err(fault)?;
        file.check_texts(&config)?;
        file.check_flags(&config)?;
        if !is_plain(&config.name) {
            let message = format!("name = {:?} cannot be the name of a directory", config.name);
            return Err(file.fault("name", message));
        }
        let files = file.given(&dir, &config)?;
        let times = Times::of(&config, &files).map_err(fault)?;
        let tests = file.tests(&dir, &config, &times)?;
        let mut patches = file.patches(&dir, &config)?;
        let tree = source::tree(&dir, &config, &patches, &stopper)?.map_err(fault)?;
        let source::SourceTree { mut root, commit } = tree;
        if config.sources.is_empty() && config.build.program.is_none() {
            let original = match patches.first() {
                Some(first) if matches!(first.form, Form::File | Form::Tree | Form::Module) => {
                    patches.remove(0)
                }
                _ => {
                    let line = file.line_of("sources");
                    return Err(SubjectError::NoSources { path, line });
                }
            };
            if patches.is_empty() {
                let message = format!("without sources, {} is the original, alone", original.name);
                return Err(file.fault("candidates", message));
            }
            for (number, patch) in (1..).zip(&mut patches) {
                patch.revision = Revision(number);
            }
            if original.form == Form::Tree {
                root = original.path;
                config.sources = source::c_files(&root)?;
            } else {
                root.clone_from(&dir);
                config.sources = vec![original.name.into()];
            }
        }
        if config.build.whole {
            whole::complete(&mut config, &root).map_err(fault)?;
        }
        let reference = oracle::reference(&dir, &config, &mut patches).map_err(fault)?;
        let labels = oracle::labels(&config, &patches).map_err(fault)?;
        source::check_forms(&config, &patches).map_err(fault)?;
        if let Some(missing) = config.sources.iter().find(|s| !root.join(s).is_file()) {
            return Err(SubjectError::NoSource {
                line: file.line_of(&missing.to_string_lossy()),
                file: missing.clone(),
                path,
                root,
            });
        }
        file.check_sources(&root, &config)?;
        let mut sources = config.sources.clone();
        if sources.is_empty() {
            sources = source::touched(&root, &patches)?;
        }
        Ok(Self {
            sources,
            config,
            dir,
            root,
            commit,
            patches,
            files,
            times,
            tests,
            reference,
            labels,
        })
    }

    /// Whether all revisions are LLVM modules.
    pub fn is_bitcode(&self) -> bool {
        self.sources.first().is_some_and(|source| Form::of(source) == Form::Module)
    }

    /// Whether the sources are a meta program written by hand.
    pub fn is_meta(&self) -> bool {
        self.config.revisions > 0
    }

    /// Whether this is a program of C files that is not run whole, but could be (`build.whole`).
    pub fn could_be_whole(&self) -> bool {
        let SubjectConfig { entry, build, .. } = &self.config;
        entry == "main" && !build.is_whole() && !self.is_bitcode() && !self.is_meta()
    }

    /// The paths of the diffs, which are not part of the program. Other candidates may be part of
    /// it: one of them can be a source, and one can include another.
    pub fn diffs(&self) -> BTreeSet<PathBuf> {
        let diffs = self.patches.iter().filter(|patch| patch.form == Form::Diff);
        diffs.map(|patch| patch.path.clone()).collect()
    }

    /// The number of revisions, the original included.
    pub fn revisions(&self) -> usize {
        self.patches.len() + 1
    }

    /// The subject with only the patches of two of its revisions, and the numbers that the two have
    /// in it.
    pub fn of_pair(&self, pair: [Revision; 2]) -> (Self, [Revision; 2]) {
        let wanted = self.patches.iter().filter(|patch| pair.contains(&patch.revision));
        let mut patches: Vec<Patch> = wanted.cloned().collect();
        let place = |of: Revision| patches.iter().position(|patch| patch.revision == of);
        let number = |place: usize| Revision(place as u32 + 1);
        let pair = pair.map(|revision| place(revision).map_or(Revision::ORIGINAL, number));
        for (place, patch) in patches.iter_mut().enumerate() {
            patch.revision = number(place);
        }
        (Self { patches, ..self.clone() }, pair)
    }
}

struct ConfigFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl ConfigFile<'_> {
    fn parse(&self) -> Result<SubjectConfig, SubjectError> {
        toml::from_str(self.text).map_err(|error| SubjectError::Config {
            path: self.path.to_owned(),
            line: error.span().map_or(1, |span| line_at(self.text, span.start)),
            message: in_words_of_toml(error.message().trim()),
        })
    }

    /// The number of the first line that has `word` outside comments; 1 if none does. Lines are
    /// searched because the parsed form keeps no positions.
    fn line_of(&self, word: &str) -> usize {
        let found = |line: &str| line.split('#').next().is_some_and(|code| code.contains(word));
        self.text.lines().position(found).map_or(1, |index| index + 1)
    }

    /// The error that something is wrong on the first line that has `word`.
    fn fault(&self, word: &str, message: String) -> SubjectError {
        SubjectError::Config { path: self.path.to_owned(), line: self.line_of(word), message }
    }

    /// Refuses a source that is listed twice: it would be linked twice.
    fn check_sources(&self, root: &Path, config: &SubjectConfig) -> Result<(), SubjectError> {
        let mut known = BTreeMap::new();
        // If the program has a build of its own, they are only the files that patches may touch.
        let linked = if config.build.is_own() { &[][..] } else { &config.sources };
        for source in linked {
            let place = root.join(source);
            let place = place.canonicalize().map_err(SubjectError::io(&place))?;
            if let Some(first) = known.insert(place, source) {
                let other = match first == source {
                    true => String::new(),
                    false => format!(" (as {} before)", first.display()),
                };
                let message = format!("source {} is listed twice{other}", source.display());
                let line = self.last_line_of(&source.to_string_lossy());
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

    /// Refuses options with which the linker gives symbols another meaning: the engine goes by the
    /// names in the sources.
    fn check_flags(&self, config: &SubjectConfig) -> Result<(), SubjectError> {
        let flags = &config.build.flags;
        let of_linker = flags.iter().filter_map(|flag| flag.strip_prefix("-Wl,"));
        let passed = flags.windows(2).filter(|pair| pair[0] == "-Xlinker");
        let mut words =
            of_linker.flat_map(|words| words.split(',')).chain(passed.map(|pair| pair[1].as_str()));
        let Some(word) = words.find(|word| {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            RENAMING.contains(&name)
        }) else {
            return Ok(());
        };
        let message = format!("the linker's option {word} is not modelled: leave it out");
        Err(self.fault("flags", message))
    }

    /// Refuses arguments and environment variables that no program can have.
    fn check_texts(&self, config: &SubjectConfig) -> Result<(), SubjectError> {
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
    fn given(&self, dir: &Path, config: &SubjectConfig) -> Result<Vec<GivenFile>, SubjectError> {
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
    fn tests(
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

    fn patches(&self, dir: &Path, config: &SubjectConfig) -> Result<Vec<Patch>, SubjectError> {
        let mut patches: Vec<Patch> = Vec::new();
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
            // A patch that two globs match is one revision, numbered by the first of them.
            paths.retain(|path| {
                // A candidate that is no file is set aside, but directories among diffs are passed
                // over.
                let is_one = !path.is_dir() || !is_patch;
                is_one && patches.iter().all(|patch| patch.path != *path)
            });
            for path in paths {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
                let form = if is_patch { Form::Diff } else { Form::of(&path) };
                let revision = Revision(patches.len() as u32 + 1);
                patches.push(Patch { revision, form, name, path });
            }
        }
        if patches.is_empty() {
            let (key, globs) = match config.candidates.is_empty() {
                true => ("patches", config.patches.clone()),
                false => ("candidates", config.candidates.clone()),
            };
            let (path, line) = (self.path.to_owned(), self.line_of(key));
            return Err(SubjectError::NoPatches { path, line, key, globs });
        }
        Ok(patches)
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
    let words = [
        ("sequence", "list"),
        ("map", "table"),
        ("expected u32", "expected a whole number that is not negative"),
        ("expected u64", "expected a whole number that is not negative"),
        ("expected usize", "expected a whole number that is not negative"),
        ("expected i64", "expected a whole number"),
        ("expected f64", "expected a number"),
    ];
    // Text of the file is in quotes, and stays as it is.
    let mut parts: Vec<String> = message.split('`').map(str::to_owned).collect();
    for part in parts.iter_mut().step_by(2) {
        for (rust, toml) in words {
            *part = part.replace(rust, toml);
        }
    }
    parts.join("`")
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn subject(toml: &str, files: &[&str]) -> TempDir {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join(CONFIG_FILE), toml).unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "int main(void) { return 0; }\n").unwrap();
        }
        dir
    }

    fn message(toml: &str, files: &[&str]) -> String {
        let dir = subject(toml, files);
        let text = Subject::load(dir.path()).unwrap_err().to_string();
        text.replace(&format!("{}/", dir.path().display()), "")
    }

    #[test]
    fn numbers_patches_by_glob_then_by_name() {
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['z/*.diff', '*.diff', 'z/1.*']\n";
        let dir = subject(toml, &["a.c", "b.diff", "a.diff", "z/2.diff", "z/1.diff", "z/no"]);
        let subject = Subject::load(dir.path()).unwrap();
        let names: Vec<_> = subject.patches.iter().map(|p| (p.revision.0, &*p.name)).collect();
        assert_eq!(names, [(1, "z/1.diff"), (2, "z/2.diff"), (3, "a.diff"), (4, "b.diff")]);
        assert_eq!(subject.root, subject.dir);
        assert_eq!(subject.revisions(), 5);
    }

    #[test]
    fn errors_name_file_and_line() {
        let dir = TempDir::new().unwrap();
        assert!(Subject::load(dir.path()).unwrap_err().to_string().contains("no such file"));
        let unknown = message("name = 'x'\nsources = []\npatches = []\ncolour = 1\n", &[]);
        assert!(unknown.starts_with("subject.toml:4: unknown field `colour`"), "{unknown}");
        let syntax = message("name = 'x'\nsources = [\n", &[]);
        assert!(syntax.starts_with("subject.toml:"), "{syntax}");
        let none = message("name = 'x'\nsources = ['a.c']\n\npatches = ['*.diff']\n", &["a.c"]);
        assert_eq!(none, "subject.toml:4: no file matches patches = [\"*.diff\"]");
        let types = |line: &str| {
            message(
                &format!("name = 'x'\nsources = ['a.c']\npatches = ['*.c']\n{line}\n"),
                &["a.c"],
            )
        };
        assert_eq!(
            types("[inputs]\nargs = 3"),
            "subject.toml:5: invalid type: integer `3`, expected a list"
        );
        assert_eq!(
            types("[inputs]\nstdin = { tokens = true }"),
            "subject.toml:5: invalid type: boolean `true`, expected a whole number that is not negative"
        );
        let glob = message("name = 'x'\nsources = ['a.c']\npatches = ['***']\n", &["a.c"]);
        assert!(glob.starts_with("subject.toml:3: bad glob `***`"), "{glob}");
        let source =
            message("name = 'x'\nsources = [\n'a.c',\n'b.c']\npatches = ['*.c']\n", &["a.c"]);
        assert!(source.starts_with("subject.toml:4: source b.c does not exist in"), "{source}");
    }

    #[test]
    fn a_source_that_is_listed_twice_is_refused() {
        let toml = |second: &str| {
            format!("name = 'x'\nsources = [\n'a.c',\n{second},\n]\npatches = ['*.diff']\n")
        };
        let files = ["a.c", "a.diff"];
        let same = message(&toml("\"a.c\""), &files);
        assert_eq!(same, "subject.toml:4: source a.c is listed twice");
        let other = message(&toml("'./a.c'"), &files);
        assert_eq!(other, "subject.toml:4: source ./a.c is listed twice (as a.c before)");
    }

    #[test]
    fn keys_of_standard_input_that_do_not_go_together_are_refused() {
        let message = |stdin: &str| {
            let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n[inputs.stdin]\n";
            message(&format!("{toml}{stdin}\n"), &["a.c", "a.diff"])
        };
        for other in
            ["tokens = 2", "eof = false", "word = 3", "malformed = true", "nonfinite = true"]
        {
            let key = other.split(' ').next().unwrap();
            let said = message(&format!("bytes = 2\n{other}"));
            assert!(said.starts_with("subject.toml:4: "), "{said}");
            assert!(said.contains(&format!("`{key}` does not go with `bytes`")), "{said}");
            let said = message(&format!("{other}\ntext = 'x'"));
            assert!(said.contains(&format!("`{key}` does not go with `text`")), "{said}");
        }
        let said = message("bytes = 0\ntext = ''");
        assert!(said.contains("`bytes` does not go with `text`"), "{said}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let message = |rest: &str| {
            let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n";
            message(&format!("{toml}{rest}\n"), &["a.c", "a.diff"])
        };
        let of_main = message("[inputs.params]\nx = { min = 3 }");
        assert!(of_main.starts_with("subject.toml:4: [inputs.params] is about"), "{of_main}");
        for key in ["solver", "replay"] {
            let no_time = message(&format!("[budget]\n{key} = '0s'"));
            assert!(
                no_time.starts_with("subject.toml:5: it must be more than nothing"),
                "{no_time}"
            );
        }
    }

    #[test]
    fn a_patch_whose_name_is_not_utf8_is_not_passed_over() {
        use std::os::unix::ffi::OsStrExt;
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['z/*.diff', '*.diff']\n";
        let dir = subject(toml, &["a.c", "a.diff", "z/2.diff"]);
        let odd = std::ffi::OsStr::from_bytes(b"z/fix-\xff.diff");
        fs::write(dir.path().join(odd), "").unwrap();
        let error = Subject::load(dir.path()).unwrap_err();
        assert!(matches!(&error, SubjectError::NotUtf8(path) if path.ends_with(odd)), "{error}");
        fs::rename(dir.path().join(odd), dir.path().join("z").join("no")).unwrap();
        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "").unwrap();
        assert_eq!(Subject::load(dir.path()).unwrap().patches.len(), 2);
    }

    #[test]
    fn an_unknown_key_of_an_argument_is_refused() {
        let toml = |args: &str| {
            format!(
                "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n[inputs]\nargs = {args}\n"
            )
        };
        let files = ["a.c", "a.diff"];
        let unknown = message(&toml("['-n', { string = 2, cuont = [0, 1] }]"), &files);
        assert!(unknown.starts_with("subject.toml:5: unknown field `cuont`"), "{unknown}");
        let number = message(&toml("[3]"), &files);
        assert!(number.contains("a text, { string = BYTES } or"), "{number}");
        let dir = subject(&toml("['-n', { string = 2, count = [0, 1] }]"), &files);
        assert_eq!(Subject::load(dir.path()).unwrap().config.inputs.args.len(), 2);
    }

    #[test]
    fn globs_do_not_read_the_directory_as_a_pattern() {
        let dir = TempDir::with_prefix("[odd]*").unwrap();
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n";
        fs::write(dir.path().join(CONFIG_FILE), toml).unwrap();
        fs::write(dir.path().join("a.c"), "").unwrap();
        fs::write(dir.path().join("a.diff"), "").unwrap();
        assert_eq!(Subject::load(dir.path()).unwrap().patches.len(), 1);
    }
}
