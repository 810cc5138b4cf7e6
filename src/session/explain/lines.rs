//! The lines of source that a recorded run went through.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use diffy::{DiffOptions, Line};
use fixedbitset::FixedBitSet;
use walkdir::{DirEntry, WalkDir};

use crate::{
    compile::HARNESS,
    exec::{Program, Record},
    ir::FileId,
    report::Step,
};

/// The source files of a revision, beside those of another one.
pub(super) struct Sources<'a> {
    program: &'a Program,
    own: &'a Path,
    other: &'a Path,
    files: BTreeMap<FileId, Option<SourceFile>>,
    /// The files below `own`, once they were looked for.
    all: OnceCell<Vec<PathBuf>>,
    /// The names that several files have.
    pub(super) ambiguous: BTreeSet<PathBuf>,
}

impl<'a> Sources<'a> {
    /// The files of the sources of `program` below `own`; those of the other revision are below `other`.
    pub(super) fn new(program: &'a Program, own: &'a Path, other: &'a Path) -> Self {
        Self {
            program,
            own,
            other,
            files: BTreeMap::new(),
            all: OnceCell::new(),
            ambiguous: BTreeSet::new(),
        }
    }

    /// The line of a step of a run; none if it belongs to no source file of the revision. It decides
    /// if the step is in `slice`.
    pub(super) fn line(
        &mut self,
        record: &Record,
        step: usize,
        slice: Option<&FixedBitSet>,
    ) -> Option<Step> {
        let place = record.line(self.program, step)?;
        if !self.files.contains_key(&place.file) {
            let name = Path::new(&self.program.module.files[place.file.0 as usize]);
            let file = self.find(name.strip_prefix(self.own).unwrap_or(name));
            let file = file.and_then(|name| SourceFile::read(&name, self.own, self.other));
            self.files.insert(place.file, file);
        }
        let file = self.files[&place.file].as_ref()?;
        let line = place.line as usize - 1;
        Some(Step {
            file: file.name.clone(),
            line: place.line,
            text: file.lines.get(line)?.clone(),
            twin: file.twins.get(&line).copied(),
            decides: slice.is_some_and(|slice| slice.contains(step)),
        })
    }

    /// The file that the compiler was given under a name: a build may have called it in any directory. Of
    /// several files, it is the one that was compiled where it lies.
    fn find(&mut self, name: &Path) -> Option<PathBuf> {
        let name: PathBuf = name.components().filter(|part| *part != Component::CurDir).collect();
        if self.own.join(&name).is_file() || name.is_absolute() {
            return Some(name);
        }
        let ups = name.components().take_while(|part| *part == Component::ParentDir).count();
        let name: PathBuf = name.components().skip(ups).collect();
        let all = self.all.get_or_init(|| {
            let is_shown = |entry: &DirEntry| {
                entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
            };
            let entries = WalkDir::new(self.own).sort_by_file_name().into_iter();
            let files = entries.filter_entry(is_shown).flatten();
            let files = files.filter(|entry| entry.file_type().is_file());
            files.filter_map(|file| Some(file.path().strip_prefix(self.own).ok()?.into())).collect()
        });
        let found: Vec<&PathBuf> = all.iter().filter(|file| file.ends_with(&name)).collect();
        let is_compiled = |file: &&&PathBuf| self.own.join(file).with_extension("o").is_file();
        let compiled: Vec<&PathBuf> = found.iter().filter(is_compiled).copied().collect();
        match (&found[..], &compiled[..]) {
            ([file], _) | (_, [file]) => Some((*file).clone()),
            ([], _) => None,
            _ => {
                self.ambiguous.insert(name);
                None
            }
        }
    }

    /// The first `most` lines of a run. A line that ran several times without another in between is
    /// there once. Those that the other revision does not have are marked as changed.
    pub(super) fn lines(
        &mut self,
        record: &Record,
        slice: Option<&FixedBitSet>,
        most: usize,
    ) -> Vec<Step> {
        let (mut lines, mut last): (Vec<Step>, _) = (Vec::new(), None);
        for step in 0..record.steps.len() {
            let Some(place) = record.line(self.program, step) else { continue };
            if last == Some(place) {
                let decides = slice.is_some_and(|slice| slice.contains(step));
                lines.last_mut().into_iter().for_each(|line| line.decides |= decides);
                continue;
            }
            let Some(line) = self.line(record, step, slice) else { continue };
            if lines.len() == most {
                break;
            }
            last = Some(place);
            lines.push(line);
        }
        lines
    }
}

/// A source file of one revision.
struct SourceFile {
    name: String,
    lines: Vec<String>,
    /// The number of each line in the file of the other revision, where that has it. Both are from
    /// 0.
    twins: BTreeMap<usize, u32>,
}

impl SourceFile {
    /// Reads the file `name` of a revision and of another one. `None` if it is not a file of the
    /// revision's sources, or is the generated `main`.
    fn read(name: &Path, sources: &Path, other: &Path) -> Option<Self> {
        if name == Path::new(HARNESS) {
            return None;
        }
        let text = |directory: &Path| fs::read(directory.join(name)).ok();
        // A line that ends in another way is the same line.
        let lines = |bytes: Vec<u8>| -> Vec<String> {
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
        };
        let own = lines(text(sources)?);
        let others = lines(text(other).unwrap_or_default());
        let whole =
            |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (old, new) = (whole(&own), whole(&others));
        if old == new {
            let twins = (0..own.len()).zip(0..).collect();
            return Some(Self { name: name.display().to_string(), lines: own, twins });
        }
        // With all lines as context there is one hunk, which has all of them.
        let patch = DiffOptions::new().set_context_len(own.len()).create_patch(&old, &new);
        let mut twins = BTreeMap::new();
        let (mut here, mut there) = (0, 0);
        for line in patch.hunks().iter().flat_map(|hunk| hunk.lines()) {
            match line {
                Line::Context(_) => {
                    twins.insert(here, there);
                    (here, there) = (here + 1, there + 1);
                }
                Line::Delete(_) => here += 1,
                Line::Insert(_) => there += 1,
            }
        }
        Some(Self { name: name.display().to_string(), lines: own, twins })
    }
}
