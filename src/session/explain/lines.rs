//! The lines of source that a recorded run went through.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use diffy::{DiffOptions, Line};
use fixedbitset::FixedBitSet;

use crate::{
    compile::HARNESS,
    exec::{Program, Record},
    ir::FileId,
    report::Step,
    session::sources::SourceFiles,
};

/// The source files of a revision, beside those of another one.
pub(super) struct Sources<'a> {
    program: &'a Program,
    own: &'a Path,
    other: &'a Path,
    named: SourceFiles,
    files: BTreeMap<FileId, Option<SourceFile>>,
}

impl<'a> Sources<'a> {
    /// The files of the sources of `program` below `own`. Those of the other revision are below
    /// `other`.
    pub(super) fn new(program: &'a Program, own: &'a Path, other: &'a Path) -> Self {
        Self {
            program,
            own,
            other,
            named: SourceFiles::new(&program.module, [own.to_owned()]),
            files: BTreeMap::new(),
        }
    }

    /// The names that several files have. No line of these files is shown.
    pub(super) fn ambiguous(&self) -> BTreeSet<&Path> {
        self.named.ambiguous()
    }

    /// The line of a step of a run; none if it belongs to no source file of the revision. The line
    /// is one that decides if the step is in `slice`.
    pub(super) fn line(
        &mut self,
        record: &Record,
        step: usize,
        slice: Option<&FixedBitSet>,
    ) -> Option<Step> {
        let place = record.line(self.program, step)?;
        if !self.files.contains_key(&place.file) {
            let path = self.named.find(place.file);
            let file = path.and_then(|path| SourceFile::read(path, self.own, self.other));
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

    /// The first `most` lines of a run. A line that ran several times in a row is there once. Lines
    /// that the other revision does not have are marked as changed.
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
    /// For each line that the other revision's file also has, its number there. Both numbers count
    /// from 0.
    twins: BTreeMap<usize, u32>,
}

impl SourceFile {
    /// Reads the file `name` of a revision and of another one. `None` if it is not a file of the
    /// revision's sources, or is the generated `main`.
    fn read(name: &Path, sources: &Path, other: &Path) -> Option<Self> {
        if name.file_name().is_some_and(|name| name == HARNESS) {
            return None;
        }
        let text = |directory: &Path| fs::read(directory.join(name)).ok();
        // Lines that differ only in how they end are the same.
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
