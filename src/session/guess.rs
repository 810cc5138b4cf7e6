//! Guesses the `subject.toml` of a directory with C files and patches.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use walkdir::WalkDir;

use crate::{
    compile::{Function, functions, pointers},
    merge::touched,
    subject::{CONFIG_FILE, Subject},
};

/// How deep to look for files.
const DEPTH: usize = 5;
/// Names of files that are the original among solutions.
const ORIGINALS: [&str; 6] = ["original", "orig", "buggy", "bug", "old", "before"];
/// The sizes of buffers, in bytes of a text and in other elements.
const TEXT: u32 = 4;
const ELEMENTS: u32 = 3;

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
    let file = dir.join(CONFIG_FILE);
    if file.exists() {
        bail!("{}: is there already", file.display());
    }
    let guess = Guess::new(dir, hints)?;
    fs::write(&file, guess.toml()).with_context(|| file.display().to_string())?;
    match Subject::load(dir) {
        Ok(subject) => Ok((subject, guess.reasons)),
        Err(error) => {
            fs::remove_file(&file).with_context(|| file.display().to_string())?;
            Err(error).context("what was guessed is no subject")
        }
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
    /// Lines of `[inputs]` and `[inputs.params]`.
    inputs: Vec<String>,
    params: Vec<String>,
    /// Why, for people.
    reasons: Vec<String>,
}

impl Guess {
    fn new(dir: &Path, hints: &Hints) -> anyhow::Result<Self> {
        let real = dir.canonicalize().with_context(|| dir.display().to_string())?;
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut guess = Self { name, ..Self::default() };
        let all = files(dir);
        let is = |file: &str, endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
        let diffs: Vec<&String> = all.iter().filter(|f| is(f, &[".diff", ".patch"])).collect();
        let sources: Vec<&String> = all.iter().filter(|file| is(file, &[".c"])).collect();
        if sources.is_empty() {
            bail!("{}: no C files; for a package, see [build] in docs/subject.md", dir.display());
        }
        let globs = match &hints.patches {
            Some(given) if dir.join(given).is_dir() => {
                let below = |file: &&&String| Path::new(file).starts_with(given);
                globs(diffs.iter().filter(below).copied())
            }
            Some(given) => vec![given.clone()],
            None => globs(diffs.iter().copied()),
        };
        if globs.is_empty() {
            guess.solutions(dir, &sources)?;
        } else {
            guess.candidates = ("patches", globs);
            guess.patched(dir, &sources, &diffs);
        }
        guess.entry(dir, hints, &diffs)?;
        Ok(guess)
    }

    /// Takes whole programs as candidates: each has a `main`, or each has the same functions.
    fn solutions(&mut self, dir: &Path, files: &[&String]) -> anyhow::Result<()> {
        let names = |file: &String| -> BTreeSet<String> {
            functions(&text(dir, file)).into_iter().map(|function| function.name).collect()
        };
        let common = files.iter().map(|file| names(file)).reduce(|a, b| &a & &b);
        if files.len() < 2 || common.unwrap_or_default().is_empty() {
            bail!(
                "{}: no patches (.diff, .patch) there; --patches says where they are",
                dir.display()
            );
        }
        let is_original = |file: &&&String| {
            let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
            ORIGINALS.contains(&stem.to_lowercase().as_str())
        };
        let original = files.iter().find(is_original);
        if let Some(original) = original {
            self.sources.push((*original).clone());
            self.reasons.push(format!("{original} is the original, by its name"));
        } else {
            self.reasons.push(format!("{} is the original, as the first by name", files[0]));
        }
        // A glob would match the original, too.
        self.candidates.0 = "candidates";
        self.candidates.1 = match original {
            Some(original) => {
                files.iter().filter(|file| *file != original).map(|file| literal(file)).collect()
            }
            None => globs(files.iter().copied()),
        };
        let count = files.len() - 1;
        self.reasons.push(format!("{count} other C files with the same functions are candidates"));
        Ok(())
    }

    /// Takes the sources of a program that has patches.
    fn patched(&mut self, dir: &Path, files: &[&String], diffs: &[&String]) {
        let is_program = |file: &&&String| has_main(&text(dir, file));
        let programs: Vec<&String> = files.iter().filter(is_program).copied().collect();
        if files.len() > 1 && programs.len() > 1 {
            let changed = changed(dir, files, diffs);
            let is_part = |file: &&&String| changed.contains(**file) || !programs.contains(*file);
            self.sources = files.iter().filter(is_part).map(|file| (*file).clone()).collect();
            self.reasons.push(format!(
                "{} C files have a main, so only those that patches change are sources",
                programs.len()
            ));
        } else {
            self.sources = files.iter().map(|file| (*file).clone()).collect();
        }
        if files.len() > 1
            && let Some(build) = ["configure", "CMakeLists.txt", "Makefile", "makefile"]
                .iter()
                .find(|name| dir.join(name).exists())
        {
            self.reasons.push(format!(
                "{build} is not used: if the program needs it, see [build] in docs/subject.md"
            ));
        }
    }

    /// Chooses the function to run, and what it is given.
    fn entry(&mut self, dir: &Path, hints: &Hints, diffs: &[&String]) -> anyhow::Result<()> {
        let first = self.sources.first().cloned();
        // Without sources, the first candidate is the original.
        let originals = match first {
            Some(_) => self.sources.clone(),
            None => files(dir).into_iter().filter(|file| file.ends_with(".c")).take(1).collect(),
        };
        let texts: Vec<(String, String)> =
            originals.into_iter().map(|file| (text(dir, &file), file)).collect();
        let program = texts.iter().find(|(text, _)| has_main(text));
        let entry = match (&hints.entry, program) {
            (Some(entry), _) => entry.clone(),
            (None, Some((text, file))) => {
                if text.contains("argv[") {
                    self.inputs.push("args = [{ string = 3, count = [0, 2] }]".to_owned());
                    self.reasons.push(format!(
                        "{file} looks at its arguments: there are up to two, of up to three bytes"
                    ));
                }
                return Ok(());
            }
            (None, None) => {
                let entry = entry_of(dir, &texts, diffs).with_context(|| {
                    format!("{}: no function to compare; name one with --entry", dir.display())
                })?;
                self.reasons
                    .push(format!("there is no main: {entry} is compared, which a patch changes"));
                entry
            }
        };
        if entry == "main" {
            return Ok(());
        }
        let all = texts.iter().find_map(|(text, _)| pointers(text, &entry));
        for pointer in all.unwrap_or_default() {
            let (kind, size) = match pointer.is_text {
                true => ("string", TEXT),
                false => ("elements", ELEMENTS),
            };
            self.params.push(format!("{} = {{ {kind} = {size} }}", pointer.name));
            self.reasons.push(match pointer.is_text {
                true => format!("{} is a text of up to {size} bytes", pointer.name),
                false => format!("{} points to {size} elements", pointer.name),
            });
        }
        self.entry = Some(entry);
        Ok(())
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
            text.push_str(&format!("# - {reason}\n"));
        }
        text.push_str(&format!("name = {}\n", quoted(&self.name)));
        if !self.sources.is_empty() {
            text.push_str(&format!("sources = {}\n", list(&self.sources)));
        }
        text.push_str(&format!("{} = {}\n", self.candidates.0, list(&self.candidates.1)));
        if let Some(entry) = &self.entry {
            text.push_str(&format!("entry = {}\n", quoted(entry)));
        }
        for (section, lines) in [("inputs", &self.inputs), ("inputs.params", &self.params)] {
            if !lines.is_empty() {
                text.push_str(&format!("\n[{section}]\n{}\n", lines.join("\n")));
            }
        }
        text
    }
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A glob that matches one file.
fn literal(file: &str) -> String {
    glob::Pattern::escape(file)
}

/// The files below a directory, sorted, relative to it. Hidden ones and results do not count.
fn files(dir: &Path) -> Vec<String> {
    let is_seen = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !name.starts_with('.') && !["results", "build"].contains(&&*name)
    };
    let entries = WalkDir::new(dir).max_depth(DEPTH).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(is_seen).flatten();
    let found = entries.filter(|entry| entry.path().is_file());
    found
        .filter_map(|entry| Some(entry.path().strip_prefix(dir).ok()?.to_str()?.to_owned()))
        .collect()
}

/// Globs that match these files: one for each directory and ending.
fn globs<'f>(files: impl Iterator<Item = &'f String>) -> Vec<String> {
    let mut globs = Vec::new();
    for file in files {
        let path = Path::new(file);
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let parent = path.parent().map(|parent| literal(&parent.to_string_lossy()));
        let glob = match parent.filter(|parent| !parent.is_empty()) {
            Some(parent) => format!("{parent}/*.{ending}"),
            None => format!("*.{ending}"),
        };
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    globs
}

fn text(dir: &Path, file: &str) -> String {
    String::from_utf8_lossy(&fs::read(dir.join(file)).unwrap_or_default()).into_owned()
}

fn has_main(text: &str) -> bool {
    functions(text).iter().any(|function| function.name == "main")
}

/// The files that diffs change.
fn changed(dir: &Path, files: &[&String], diffs: &[&String]) -> BTreeSet<String> {
    let places = diffs.iter().flat_map(|diff| touched(&text(dir, diff)));
    places.filter_map(|(path, _)| file_of(files, &path).cloned()).collect()
}

/// The file that a path in a diff means: the one that has most of its last parts.
fn file_of<'f>(files: &[&'f String], path: &Path) -> Option<&'f String> {
    let parts: Vec<PathBuf> =
        (0..path.components().count()).map(|skip| path.components().skip(skip).collect()).collect();
    parts.iter().find_map(|part| files.iter().find(|file| Path::new(file).ends_with(part)).copied())
}

/// The function that the first diff of a source changes or, failing that, the only function.
fn entry_of(dir: &Path, texts: &[(String, String)], diffs: &[&String]) -> Option<String> {
    let files: Vec<&String> = texts.iter().map(|(_, file)| file).collect();
    for (path, line) in diffs.iter().flat_map(|diff| touched(&text(dir, diff))) {
        let file = file_of(&files, &path);
        let Some((text, _)) = texts.iter().find(|(_, name)| Some(name) == file) else { continue };
        let is_around = |function: &Function| function.lines.contains(&line);
        if let Some(function) = functions(text).into_iter().find(is_around) {
            return Some(function.name);
        }
    }
    let mut all = texts.iter().flat_map(|(text, _)| functions(text));
    let only = all.next()?;
    all.next().is_none().then_some(only.name)
}
