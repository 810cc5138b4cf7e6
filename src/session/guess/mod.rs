//! Guesses the `subject.toml` of a directory with C files and patches.

mod arguments;
mod headers;
mod needs;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use glob::Pattern;
use walkdir::WalkDir;

use self::{
    arguments::Count,
    needs::{Needs, reads_characters},
};
use super::stage;
use crate::{
    compile::{Function, Pointer, Show, calls, functions, pointers},
    merge,
    report::visible,
    subject::{CONFIG_FILE, Subject, is_results},
};

/// How deep to look for files.
const DEPTH: usize = 5;
/// The size in bytes of the largest C file that is looked at.
const LONGEST: u64 = 4 << 20;
/// File names of the original among solutions.
const ORIGINALS: [&str; 6] = ["original", "orig", "buggy", "bug", "old", "before"];
/// The sizes of buffers: of a text, in bytes, and of others, in elements.
const TEXT: u32 = 4;
const ELEMENTS: u32 = 3;
/// The sizes of standard input and of a file for a program that is run whole, in bytes.
const INPUT: u32 = 4;
/// The size of standard input of other programs that read it one character at a time.
const CHARACTERS: u32 = 6;
/// The size of an argument, in bytes.
const ARGUMENT: u32 = 3;

/// What a person says about a directory.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// A directory with the patches, or a glob of them, relative to the subject's directory.
    pub patches: Option<String>,
    /// The function to compare.
    pub entry: Option<String>,
}

/// Writes `subject.toml` to a directory, which must have none. Returns the subject, and one line
/// about each thing that was guessed.
///
/// # Errors
/// There is a `subject.toml`, nothing can be guessed, or what was guessed is no subject; then
/// nothing is written.
pub fn init(dir: &Path, hints: &Hints) -> anyhow::Result<(Subject, Vec<String>)> {
    if !dir.is_dir() {
        bail!("{}: no such directory", dir.display());
    }
    if is_results(dir) {
        bail!("{}: a directory of results; name the directory of a program", dir.display());
    }
    let file = dir.join(CONFIG_FILE);
    if fs::symlink_metadata(&file).is_ok() {
        bail!("{}: is there already", file.display());
    }
    let mut guess = Guess::new(dir, hints)?;
    let io = |error: io::Error| anyhow::Error::from(error).context(file.display().to_string());
    let mut new = File::create_new(&file).map_err(io)?;
    let checked = new.write_all(guess.toml().as_bytes()).map_err(io).and_then(|()| {
        let subject = Subject::load(dir)?;
        guess.reasons.extend(check(&subject)?);
        Ok(subject)
    });
    match checked {
        Ok(subject) => Ok((subject, guess.reasons)),
        Err(error) => {
            fs::remove_file(&file).map_err(io)?;
            Err(error.context("no subject.toml was written, as what was guessed is no subject"))
        }
    }
}

/// Checks what `psychic diff` would refuse first. Returns what it would set aside.
fn check(subject: &Subject) -> anyhow::Result<Vec<String>> {
    stage::harness(subject, Show::Legibly)?;
    let candidates = merge::candidates(subject);
    let refused = candidates.into_iter().filter_map(|(revision, made)| {
        let patch = subject.patches.iter().find(|patch| patch.revision == revision)?;
        Some((patch.name.clone(), made.err()?))
    });
    let refused: Vec<(String, String)> = refused.collect();
    match refused.first() {
        Some((_, reason)) if refused.len() == subject.patches.len() => {
            bail!("no patch applies: {reason}")
        }
        _ => Ok(refused
            .into_iter()
            .map(|(name, reason)| format!("{name} will be set aside: {reason}"))
            .collect()),
    }
}

/// A C file, read once.
struct Source {
    /// Its path, relative to the subject's directory.
    file: String,
    text: String,
    functions: Vec<Function>,
}

impl Source {
    fn has_main(&self) -> bool {
        self.functions.iter().any(|function| function.name == "main")
    }

    /// Whether it has all functions of another file by name, and at least half of its lines.
    fn has_most_of(&self, other: &Self) -> bool {
        let has = |function: &Function| self.functions.iter().any(|own| own.name == function.name);
        let lines = |source: &Self| -> BTreeSet<String> {
            let lines = source.text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(str::to_owned).collect()
        };
        let (own, others) = (lines(self), lines(other));
        let common = others.intersection(&own).count();
        !other.functions.is_empty() && other.functions.iter().all(has) && 2 * common >= others.len()
    }
}

/// What was guessed.
#[derive(Debug, Default)]
struct Guess {
    name: String,
    sources: Vec<String>,
    /// The key of the candidates (`patches` or `candidates`), and the globs.
    candidates: (&'static str, Vec<String>),
    entry: Option<String>,
    /// Whether the program is run whole.
    is_whole: bool,
    /// Directories with headers, for the compiler.
    includes: Vec<String>,
    /// Lines of `[inputs]` and `[inputs.params]`.
    inputs: Vec<String>,
    params: Vec<String>,
    /// The reasons for the guesses, for people.
    reasons: Vec<String>,
}

impl Guess {
    fn new(dir: &Path, hints: &Hints) -> anyhow::Result<Self> {
        let real = dir.canonicalize().with_context(|| dir.display().to_string())?;
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut guess = Self { name, ..Self::default() };
        let all = files(dir)?;
        let is_diff = |file: &&String| file.ends_with(".diff") || file.ends_with(".patch");
        let diffs: Vec<String> = all.iter().filter(is_diff).cloned().collect();
        let mut sources = Vec::new();
        for file in all.iter().filter(|file| file.ends_with(".c")) {
            sources.extend(source(dir, file)?);
        }
        if sources.is_empty() {
            bail!("{}: no C files; for a package, see [build] in docs/subject.md", dir.display());
        }
        let globs = match &hints.patches {
            Some(given) => given_globs(dir, &real, given, &diffs)?,
            None => globs(diffs.iter()),
        };
        let mut touched = Vec::new();
        for diff in &diffs {
            touched.extend(merge::touched(&read(&dir.join(diff))?));
        }
        let sources = match globs.is_empty() {
            true => guess.solutions(dir, sources)?,
            false => {
                let (copies, sources) = beside(sources, &diffs, &touched);
                guess.candidates = match copies.is_empty() || hints.patches.is_some() {
                    true => ("patches", globs),
                    false => {
                        guess.reasons.push(format!(
                            "C files beside the patches are candidates, too: {}",
                            copies.join(", ")
                        ));
                        // A glob would match other C files there, too.
                        let is_there = |source: &Source| {
                            copies.iter().any(|copy| parent(copy) == parent(&source.file))
                        };
                        let of_copies = match sources.iter().any(is_there) {
                            true => copies.iter().map(|copy| Pattern::escape(copy)).collect(),
                            false => self::globs(copies.iter()),
                        };
                        ("candidates", [globs, of_copies].concat())
                    }
                };
                guess.patched(dir, sources, &touched)?
            }
        };
        guess.includes = headers::directories(
            &all,
            sources.iter().flat_map(|source| {
                included(&source.text).into_iter().map(|name| (source.file.as_str(), name))
            }),
        );
        if !guess.includes.is_empty() {
            let places = guess.includes.join(", ");
            guess.reasons.push(format!("headers are in {places}, too"));
        }
        guess.entry(dir, hints, &sources, &touched)?;
        Ok(guess)
    }

    /// Takes whole programs that have functions in common as candidates. Returns the original.
    fn solutions(&mut self, dir: &Path, sources: Vec<Source>) -> anyhow::Result<Vec<Source>> {
        let names = |source: &Source| -> BTreeSet<String> {
            source.functions.iter().map(|function| function.name.clone()).collect()
        };
        let common = sources.iter().map(names).reduce(|a, b| &a & &b);
        if sources.len() < 2 || common.unwrap_or_default().is_empty() {
            bail!(
                "{}: no patches (.diff, .patch) there; --patches says where they are",
                dir.display()
            );
        }
        let is_original = |source: &Source| {
            let stem = Path::new(&source.file).file_stem().unwrap_or_default().to_string_lossy();
            ORIGINALS.contains(&stem.to_lowercase().as_str())
        };
        let is_above = |source: &Source| !source.file.contains('/');
        let (original, why) = match sources.iter().position(is_original) {
            Some(named) => (Some(named), "by its name"),
            None if sources.iter().filter(|source| is_above(source)).count() == 1 => {
                (sources.iter().position(is_above), "beside the directories of the others")
            }
            None => (None, "as the first by name"),
        };
        let file = &sources[original.unwrap_or(0)].file;
        self.reasons.push(format!("{file} is the original, {why}"));
        self.reasons
            .push("the other C files are candidates, as all have a function in common".into());
        // A glob would match an original that is not the first, too.
        self.candidates.0 = "candidates";
        self.candidates.1 = match original {
            Some(index) => {
                self.sources.push(file.clone());
                let others = sources.iter().enumerate().filter(|(other, _)| *other != index);
                let files = others.map(|(_, source)| &source.file);
                match is_above(&sources[index]) && files.clone().all(|file| file.contains('/')) {
                    true => globs(files),
                    false => files.map(|file| Pattern::escape(file)).collect(),
                }
            }
            None => globs(sources.iter().map(|source| &source.file)),
        };
        Ok(sources.into_iter().skip(original.unwrap_or(0)).take(1).collect())
    }

    /// Takes the sources of a program that has patches. Returns them.
    fn patched(
        &mut self,
        dir: &Path,
        mut sources: Vec<Source>,
        touched: &[(PathBuf, usize)],
    ) -> anyhow::Result<Vec<Source>> {
        let included: BTreeSet<String> =
            sources.iter().flat_map(|source| included(&source.text)).collect();
        let is_included =
            |source: &Source| included.iter().any(|name| Path::new(&source.file).ends_with(name));
        sources.retain(|source| !is_included(source));
        let programs = sources.iter().filter(|source| source.has_main()).count();
        if programs > 1 {
            let files: Vec<&String> = sources.iter().map(|source| &source.file).collect();
            let changed: BTreeSet<String> =
                touched.iter().filter_map(|(path, _)| file_of(&files, path).cloned()).collect();
            sources.retain(|source| !source.has_main() || changed.contains(&source.file));
            let left: Vec<&str> = sources
                .iter()
                .filter(|source| source.has_main())
                .map(|source| source.file.as_str())
                .collect();
            if left.len() > 1 {
                bail!(
                    "{}: patches change several programs: {}; a subject has one",
                    dir.display(),
                    left.join(", ")
                );
            }
            self.reasons.push(format!(
                "{programs} C files have a main: those that no patch changes are left out"
            ));
        }
        self.sources = sources.iter().map(|source| source.file.clone()).collect();
        let builds = ["configure", "CMakeLists.txt", "Makefile", "makefile"];
        if sources.len() > 1
            && let Some(build) = builds.iter().find(|name| dir.join(name).exists())
        {
            self.reasons.push(format!(
                "{build} is not used: if the program needs it, see [build] in docs/subject.md"
            ));
        }
        Ok(sources)
    }

    /// Chooses the function to run, and its input.
    fn entry(
        &mut self,
        dir: &Path,
        hints: &Hints,
        sources: &[Source],
        touched: &[(PathBuf, usize)],
    ) -> anyhow::Result<()> {
        let program = sources.iter().find(|source| source.has_main());
        let entry = match (&hints.entry, program) {
            (Some(entry), _) if entry != "main" => entry.clone(),
            (Some(_), None) => bail!("{}: there is no main", dir.display()),
            (_, Some(program)) => {
                if let Some(count) = main_of(program).and_then(|body| Count::of(&body)) {
                    self.inputs.push(format!("args = [{{ string = {ARGUMENT}, {count} }}]"));
                    self.reasons.push(format!(
                        "{} uses its arguments: there are {}, of up to three bytes",
                        program.file,
                        count.in_words()
                    ));
                }
                self.whole(sources);
                return Ok(());
            }
            (None, None) => {
                let (entry, reason) = entry_of(sources, touched).with_context(|| {
                    format!("{}: no function to compare; name one with --entry", dir.display())
                })?;
                self.reasons.push(format!("{entry} is compared: there is no main, and {reason}"));
                entry
            }
        };
        let all = sources.iter().find_map(|source| pointers(&source.text, &entry));
        for Pointer { name, is_text } in all.unwrap_or_default() {
            let (kind, size, meaning) = match is_text {
                true => ("string", TEXT, format!("is a text of up to {TEXT} bytes")),
                false => ("elements", ELEMENTS, format!("points to {ELEMENTS} elements")),
            };
            self.params.push(format!("{} = {{ {kind} = {size} }}", key(&name)));
            self.reasons.push(format!("{name} {meaning}"));
        }
        self.entry = Some(entry);
        Ok(())
    }

    /// Has a program run whole if it calls functions that only whole programs have.
    fn whole(&mut self, sources: &[Source]) {
        let called = sources.iter().flat_map(|source| calls(&source.text)).collect();
        let functions = sources.iter().flat_map(|source| &source.functions);
        let defined = functions.map(|function| function.name.clone()).collect();
        let Some(Needs { because, has_files, has_input }) = Needs::of(&called, &defined) else {
            // Numbers and words are one token each, but so is every single character of a text.
            if reads_characters(&called) {
                self.inputs.push(format!("stdin = {{ tokens = {CHARACTERS}, eof = true }}"));
                self.reasons.push(format!(
                    "it reads standard input by the character: there are up to {CHARACTERS}"
                ));
            }
            return;
        };
        self.is_whole = true;
        self.reasons
            .push(format!("it calls {because}: it is run whole, with musl as its C library"));
        if has_files {
            self.inputs.push(format!("sym_files = {{ A = {INPUT} }}"));
            self.reasons.push(format!("it looks for files: there is one, A, of {INPUT} bytes"));
        }
        if has_input {
            self.inputs.push(format!("stdin = {{ bytes = {INPUT} }}"));
            self.reasons.push(format!("standard input has {INPUT} bytes"));
        }
    }

    /// The `subject.toml`.
    fn toml(&self) -> String {
        let list = |items: &[String]| {
            let quoted: Vec<String> = items.iter().map(|item| quoted(item)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let mut text =
            "# Written by psychic init; docs/subject.md describes every key.\n".to_owned();
        for reason in &self.reasons {
            text.push_str(&format!("# - {}\n", visible(reason)));
        }
        text.push_str(&format!("name = {}\n", quoted(&self.name)));
        if !self.sources.is_empty() {
            text.push_str(&format!("sources = {}\n", list(&self.sources)));
        }
        text.push_str(&format!("{} = {}\n", self.candidates.0, list(&self.candidates.1)));
        if let Some(entry) = &self.entry {
            text.push_str(&format!("entry = {}\n", quoted(entry)));
        }
        let mut build = Vec::new();
        if self.is_whole {
            build.push("whole = true".to_owned());
        }
        if !self.includes.is_empty() {
            let flags: Vec<String> =
                self.includes.iter().map(|place| format!("-I{place}")).collect();
            build.push(format!("flags = {}", list(&flags)));
        }
        for (section, lines) in
            [("build", &build), ("inputs", &self.inputs), ("inputs.params", &self.params)]
        {
            if !lines.is_empty() {
                text.push_str(&format!("\n[{section}]\n{}\n", lines.join("\n")));
            }
        }
        text
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// The files below a directory, sorted, relative to it. Hidden ones and results do not count.
fn files(dir: &Path) -> anyhow::Result<Vec<String>> {
    let is_seen = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !name.starts_with('.') && !is_results(entry.path())
    };
    let mut found = Vec::new();
    let entries = WalkDir::new(dir).max_depth(DEPTH).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(is_seen) {
        let entry = entry?;
        if entry.path().is_file()
            && let Some(file) = entry.path().strip_prefix(dir).ok().and_then(Path::to_str)
        {
            found.push(file.to_owned());
        }
    }
    Ok(found)
}

/// Globs that match these files: one for each directory and ending.
fn globs<'f>(files: impl Iterator<Item = &'f String>) -> Vec<String> {
    let mut globs = Vec::new();
    for file in files {
        let path = Path::new(file);
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let parent = path.parent().unwrap_or(Path::new("")).to_string_lossy();
        let separator = if parent.is_empty() { "" } else { "/" };
        let glob = format!("{}{separator}*.{ending}", Pattern::escape(&parent));
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    globs
}

/// Parts C files into patched copies of the program, whose names it returns, and sources. Copies
/// are in a directory of patches, no patch changes them, and they have most of a source elsewhere.
fn beside(
    sources: Vec<Source>,
    diffs: &[String],
    touched: &[(PathBuf, usize)],
) -> (Vec<String>, Vec<Source>) {
    let of_patches: BTreeSet<&Path> = diffs.iter().filter_map(|diff| parent(diff)).collect();
    let is_of_patches = |file: &str| parent(file).is_some_and(|dir| of_patches.contains(dir));
    let mut files: Vec<&String> = sources.iter().map(|source| &source.file).collect();
    // A diff means the source, not a copy with the same name.
    files.sort_by_key(|file| is_of_patches(file));
    let changed: BTreeSet<String> =
        touched.iter().filter_map(|(path, _)| file_of(&files, path).cloned()).collect();
    let is_inside =
        |source: &Source| is_of_patches(&source.file) && !changed.contains(&source.file);
    let (inside, mut elsewhere): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(is_inside);
    let is_copy = |copy: &Source| elsewhere.iter().any(|source| copy.has_most_of(source));
    let (copies, others): (Vec<Source>, Vec<Source>) = inside.into_iter().partition(is_copy);
    elsewhere.extend(others);
    elsewhere.sort_by(|a, b| a.file.cmp(&b.file));
    (copies.into_iter().map(|copy| copy.file).collect(), elsewhere)
}

/// The directory of a file; none if that is the subject's own.
fn parent(file: &str) -> Option<&Path> {
    Path::new(file).parent().filter(|parent| !parent.as_os_str().is_empty())
}

/// The globs for patches that are in a directory, or match a glob, that a person has named.
fn given_globs(
    dir: &Path,
    real: &Path,
    given: &str,
    diffs: &[String],
) -> anyhow::Result<Vec<String>> {
    let place = dir.join(given);
    if !place.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    let inside = place.canonicalize().with_context(|| place.display().to_string())?;
    let Ok(inside) = inside.strip_prefix(real) else {
        bail!("--patches {given}: not below {}, where patches have to be", dir.display());
    };
    let globs = globs(diffs.iter().filter(|diff| Path::new(diff).starts_with(inside)));
    if globs.is_empty() {
        bail!("--patches {given}: no patches (.diff, .patch) there");
    }
    Ok(globs)
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a C file; `None` if it is too large to have been written by a person.
fn source(dir: &Path, file: &str) -> anyhow::Result<Option<Source>> {
    let path = dir.join(file);
    let length = fs::metadata(&path).with_context(|| path.display().to_string())?.len();
    if length > LONGEST {
        return Ok(None);
    }
    let text = read(&path)?;
    Ok(Some(Source { functions: functions(&text), file: file.to_owned(), text }))
}

/// The files that a source includes with `"`.
fn included(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let line = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = line.strip_prefix("include")?.trim_start().strip_prefix('"')?;
        Some(rest.split('"').next()?.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// The body of `main`.
fn main_of(program: &Source) -> Option<String> {
    let main = program.functions.iter().find(|function| function.name == "main")?;
    let lines = program.text.lines().skip(main.lines.start() - 1).take(main.lines.clone().count());
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split_once('{').map(|(_, body)| body.to_owned())
}

/// The file that a path in a diff means: the one that shares the most last parts with it.
fn file_of<'f>(files: &[&'f String], path: &Path) -> Option<&'f String> {
    let parts: Vec<PathBuf> =
        (0..path.components().count()).map(|skip| path.components().skip(skip).collect()).collect();
    parts.iter().find_map(|part| files.iter().find(|file| Path::new(file).ends_with(part)).copied())
}

/// The function that the first diff of a source changes or, failing that, the only function; and
/// why.
fn entry_of(sources: &[Source], touched: &[(PathBuf, usize)]) -> Option<(String, &'static str)> {
    let files: Vec<&String> = sources.iter().map(|source| &source.file).collect();
    for (path, line) in touched {
        let file = file_of(&files, path);
        let Some(source) = sources.iter().find(|source| Some(&source.file) == file) else {
            continue;
        };
        let is_around = |function: &&Function| function.lines.contains(line);
        if let Some(function) = source.functions.iter().find(is_around) {
            return Some((function.name.clone(), "a patch changes it"));
        }
    }
    let mut all = sources.iter().flat_map(|source| &source.functions);
    let only = all.next()?;
    all.next().is_none().then(|| (only.name.clone(), "no other function"))
}
