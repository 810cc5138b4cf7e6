//! Lays a revision's sources out as its patched tree has them.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    error::{BuildError, RevisionError},
    harness::{Callers, HarnessError, Show, harness},
    probes::Probed,
};
use crate::{
    merge::{Changes, Tree, make_way, overlay},
    subject::{
        Revision,
        config::{InputsConfig, NanConfig},
    },
};

/// What all revisions of a subject have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// The original's source tree.
    pub root: PathBuf,
    /// Paths in it that are not part of the program.
    pub without: BTreeSet<PathBuf>,
    /// The C files, relative to `root`.
    pub sources: Vec<PathBuf>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// The function to run, if it is not `main`.
    pub entry: Option<String>,
    /// What callers of the entry know.
    pub callers: Callers,
    /// The settings of the entry's parameters.
    pub inputs: InputsConfig,
    /// Which NaNs are told apart.
    pub nan: NanConfig,
    /// The functions that show what they return and leave.
    pub probed: Option<Probed>,
    /// The directory for files that are made.
    pub directory: PathBuf,
}

/// The file name of a generated `main`.
pub const HARNESS: &str = "psychic_harness.c";

/// A revision's sources on disk.
#[derive(Clone, Debug)]
pub(super) struct SourceLayout {
    pub(super) directory: PathBuf,
    pub(super) sources: Vec<PathBuf>,
    /// Files that differ from the original's.
    pub(super) changed: BTreeSet<PathBuf>,
    /// Whether there are files that the original lacks.
    pub(super) adds: bool,
    /// Whether only sources differ, so that the original's headers can be used.
    pub(super) plain: bool,
}

impl SourceLayout {
    pub(super) fn new(
        common: &Common,
        tree: &Tree,
        revision: Revision,
        changes: &Changes,
    ) -> Result<Self, RevisionError> {
        let directory = common.directory.join(revision.to_string());
        let io = BuildError::io(&directory);
        let files = changes.iter().map(|(path, text)| (path.as_path(), text.as_deref()));
        overlay(tree, files, &directory).map_err(io)?;
        let is_c = |path: &Path| path.extension().is_some_and(|extension| extension == "c");
        let gone = |path: &Path| matches!(changes.get(path), Some(None));
        let mut sources: Vec<PathBuf> =
            common.sources.iter().filter(|path| !gone(path)).cloned().collect();
        for source in &sources {
            // The compiler's output goes beside the source, and must not end up in the subject.
            make_way(tree, source, &directory).map_err(BuildError::io(&directory))?;
        }
        // A new source belongs to the program, unless another one includes it.
        let texts = || changes.values().flatten();
        let includes = |line: &str, name: &str| {
            let directive = line.trim_start();
            let directive = directive.strip_prefix('#').or_else(|| directive.strip_prefix("%:"));
            directive.is_some_and(|rest| rest.trim_start().starts_with("include"))
                && line.contains(name)
        };
        let included = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            texts().any(|text| text.lines().any(|line| includes(line, &name)))
        };
        let new = changes.iter().filter(|(path, text)| {
            text.is_some() && is_c(path) && !common.root.join(path).exists() && !included(path)
        });
        sources.extend(new.map(|(path, _)| path.clone()));
        let known: BTreeSet<PathBuf> = sources.iter().cloned().collect();
        let plain = changes.keys().all(|path| known.contains(path));
        let mut changed: BTreeSet<PathBuf> = changes.keys().cloned().collect();
        let adds =
            changes.iter().any(|(path, text)| text.is_some() && !common.root.join(path).exists());
        if let Some(entry) = &common.entry {
            let place = add_harness(common, entry, &directory, &sources)?;
            // The harness contains the source that it calls.
            let harness = sources[place].with_file_name(HARNESS);
            changed.insert(harness.clone());
            sources[place] = harness;
        }
        Ok(Self { directory, sources, changed, adds, plain })
    }
}

/// The files beside the original's sources that have the names of what a build makes there, such as
/// `a.c.bc`: an earlier build has left them, if the tree was a revision's. A link to one would be
/// written through.
pub(super) fn leftovers(common: &Common) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let sources = common.sources.iter();
    for source in sources.flat_map(|source| [source.clone(), source.with_file_name(HARNESS)]) {
        let (Some(directory), Some(name)) = (source.parent(), source.file_name()) else { continue };
        let begin = format!("{}.", name.to_string_lossy());
        let directory = common.root.join(directory);
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?.file_name();
            let file = entry.to_string_lossy();
            if file.starts_with(&begin)
                && [".bc", ".ir", ".o"].iter().any(|end| file.ends_with(end))
            {
                found.insert(directory.join(entry));
            }
        }
    }
    Ok(found)
}

/// Writes the source that has the entry once more, with a `main` that calls it. Returns the index
/// of the source that this replaces.
fn add_harness(
    common: &Common,
    entry: &str,
    directory: &Path,
    sources: &[PathBuf],
) -> Result<usize, RevisionError> {
    let mut missing = None;
    for (index, source) in sources.iter().enumerate() {
        let path = directory.join(source);
        let text = fs::read(&path).map_err(BuildError::io(&path))?;
        let (inputs, show) = (&common.inputs, Show::Outputs(common.nan));
        let readable = String::from_utf8_lossy(&text);
        match harness(&readable, source, entry, inputs, &common.callers, show) {
            Ok(harness) => {
                let path = path.with_file_name(HARNESS);
                // Remove it first: it may be a link to a file of that name.
                _ = fs::remove_file(&path);
                fs::write(&path, harness.around(source, &text, HARNESS))
                    .map_err(BuildError::io(&path))?;
                return Ok(index);
            }
            Err(error @ HarnessError::NoEntry { .. }) => {
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(missing.map_or(RevisionError::NoSources, RevisionError::from))
}
