//! Every revision's own compilation: its sources are laid out and compiled as if there were no
//! other revision.
//!
//! Native runs run this code ([`super::native`]), and the explored program is compared with it
//! ([`super::unite()`]). A file that several revisions have in common is compiled once. One
//! compiler process takes many files, as starting it takes longer than compiling a small program.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use rayon::prelude::*;

use super::{
    error::{BuildError, RevisionError},
    flags::Product,
    layout::{Common, SourceLayout, leftovers},
    modules,
    probes::{self, Probed},
    toolchain::Toolchain,
};
use crate::{
    errors::Sanitizer,
    merge::{Changes, Tree, make_way},
    subject::Revision,
};

/// Trees with at most this many directories are laid out without links to directories.
const REAL_DIRECTORIES: usize = 256;
/// A compiler process is started for at least this many files.
pub(super) const FILES: usize = 8;

/// The sources of all revisions, and what was made from them.
#[derive(Debug)]
pub struct Revisions {
    pub(super) toolchain: Toolchain,
    pub(super) flags: Vec<String>,
    probed: Option<Probed>,
    layouts: BTreeMap<Revision, SourceLayout>,
    /// What each source of the original reads.
    reads: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The first revision with the same sources.
    pub(super) alias: BTreeMap<Revision, Revision>,
    /// The modules of revisions that are given as LLVM modules.
    modules: BTreeMap<Revision, PathBuf>,
    pub(super) directory: PathBuf,
    bitcode: OnceLock<BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>>>,
    /// The object files that all programs of a kind have in common, once they are made.
    pub(super) runtime: Mutex<BTreeMap<Sanitizer, Vec<PathBuf>>>,
    /// The programs made so far. Each revision is the first one with its sources.
    pub(super) linked: Mutex<BTreeMap<(Sanitizer, Revision), Result<PathBuf, BuildError>>>,
}

/// Whether one of several changed sources may include another one that the original does not include:
/// it has a directive that is new.
fn may_include_another(common: &Common, changes: &Changes) -> bool {
    let directives = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().map(str::trim_start);
        lines.filter(|line| line.starts_with(['#', '%'])).map(str::to_owned).collect()
    };
    let has_new = |(path, text): (&PathBuf, &Option<Arc<str>>)| {
        let Some(text) = text else { return false };
        let before = fs::read_to_string(common.root.join(path)).unwrap_or_default();
        !directives(text).is_subset(&directives(&before))
    };
    changes.len() > 1 && changes.iter().any(has_new)
}

impl Revisions {
    /// Lays out the sources of revisions. The first is the original, which changes nothing.
    ///
    /// Also returns the revisions that cannot be laid out, with the reasons.
    ///
    /// # Errors
    /// [`RevisionError`] for the original itself.
    pub fn new(
        toolchain: Toolchain,
        common: &Common,
        revisions: &BTreeMap<Revision, Changes>,
    ) -> Result<(Self, BTreeMap<Revision, RevisionError>), RevisionError> {
        let mut known: HashMap<&Changes, Revision> = HashMap::new();
        let mut alias = BTreeMap::new();
        for (revision, changes) in revisions {
            alias.insert(*revision, *known.entry(changes).or_insert(*revision));
        }
        let first = |revision: &Revision| alias[revision] == *revision;
        let mut without = common.without.clone();
        without.extend(leftovers(common).map_err(BuildError::io(&common.root))?);
        let tree = Tree::new(&common.root, &without);
        let laid: Vec<(Revision, Result<SourceLayout, RevisionError>)> = revisions
            .par_iter()
            .filter(|(revision, _)| first(revision))
            .map(|(revision, changes)| {
                (*revision, SourceLayout::new(common, &tree, *revision, changes))
            })
            .collect();
        let mut failed = BTreeMap::new();
        let mut layouts = BTreeMap::new();
        for (revision, layout) in laid {
            match layout {
                Ok(layout) => _ = layouts.insert(revision, layout),
                Err(error) if revision == Revision::ORIGINAL => return Err(error),
                Err(error) => _ = failed.insert(revision, error),
            }
        }
        let original = &layouts[&Revision::ORIGINAL];
        // If there is only one source, revisions cannot share any.
        let shared = original.sources.par_iter().filter(|_| original.sources.len() > 1);
        let reads = shared.filter_map(|source| {
            let files =
                toolchain.reads(&common.flags, &original.directory, source, &common.root)?;
            Some((source.clone(), files))
        });
        let reads: BTreeMap<PathBuf, BTreeSet<PathBuf>> = reads.collect();
        let includes = |file: &PathBuf| {
            reads.iter().any(|(source, files)| source != file && files.contains(file))
        };
        for (revision, layout) in layouts.iter_mut().filter(|(_, layout)| layout.plain) {
            layout.plain = !layout.changed.iter().any(includes)
                && !may_include_another(common, &revisions[revision]);
        }
        // From a header in a linked directory, `..` would lead into the original's tree.
        let directories = tree.directories(REAL_DIRECTORIES).ok().flatten().unwrap_or_default();
        let lay_out = |layout: &SourceLayout| {
            let mut files = directories.iter().map(|directory| directory.join("-"));
            files.try_for_each(|file| make_way(&tree, &file, &layout.directory))
        };
        // Checks what the compiler reads from a layout. It may not read a file of the original's
        // tree that the revision changes.
        let is_own = |layout: &SourceLayout| {
            let io = |error| RevisionError::from(BuildError::io(&layout.directory)(error));
            lay_out(layout).map_err(io)?;
            let (flags, root) = (&common.flags, &common.root);
            let read = |source: &PathBuf| {
                toolchain.reads_elsewhere(flags, &layout.directory, source, root)
            };
            let mut read = layout.sources.iter().filter_map(read).flatten();
            match read.find(|file| layout.changed.contains(file)) {
                Some(file) => Err(RevisionError::Elsewhere(file)),
                None => Ok(()),
            }
        };
        let unplain = layouts.par_iter().filter(|(_, layout)| !layout.plain);
        let refused: Vec<(Revision, RevisionError)> = unplain
            .filter_map(|(revision, layout)| Some((*revision, is_own(layout).err()?)))
            .collect();
        for (revision, error) in refused {
            layouts.remove(&revision);
            failed.insert(revision, error);
        }
        let new = Self {
            reads,
            toolchain,
            flags: common.flags.clone(),
            probed: common.probed.clone(),
            layouts,
            alias,
            modules: BTreeMap::new(),
            directory: common.directory.clone(),
            bitcode: OnceLock::new(),
            runtime: Mutex::default(),
            linked: Mutex::default(),
        };
        Ok((new, failed))
    }

    /// Takes the revisions of a subject that are given as LLVM modules.
    ///
    /// # Errors
    /// [`BuildError`] if a module cannot be read.
    pub fn of_modules(
        toolchain: Toolchain,
        common: &Common,
        modules: BTreeMap<Revision, PathBuf>,
    ) -> Result<Self, BuildError> {
        let mut known: HashMap<Vec<u8>, Revision> = HashMap::new();
        let mut alias = BTreeMap::new();
        for (revision, path) in &modules {
            // A module that cannot be read is like no other. Taking it reports the error.
            let first = match fs::read(path) {
                Ok(bytes) => *known.entry(bytes).or_insert(*revision),
                Err(_) => *revision,
            };
            alias.insert(*revision, first);
        }
        Ok(Self {
            toolchain,
            flags: common.flags.clone(),
            probed: common.probed.clone(),
            layouts: BTreeMap::new(),
            reads: BTreeMap::new(),
            alias,
            modules,
            directory: common.directory.clone(),
            bitcode: OnceLock::new(),
            runtime: Mutex::default(),
            linked: Mutex::default(),
        })
    }

    /// Groups of revisions with the same sources.
    pub fn groups(&self) -> Vec<Vec<Revision>> {
        let mut groups: BTreeMap<Revision, Vec<Revision>> = BTreeMap::new();
        for (revision, first) in &self.alias {
            groups.entry(*first).or_default().push(*revision);
        }
        groups.into_values().collect()
    }

    /// Compiles every revision to bitcode: one module for each source, in the order of the sources.
    pub fn bitcode(&self) -> &BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        let compile = || self.compile(Product::Bitcode, &self.alias.keys().copied().collect());
        self.bitcode.get_or_init(compile)
    }

    /// Compiles these revisions, to one module for each source.
    pub(super) fn compile(
        &self,
        kind: Product,
        wanted: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        let made = match self.modules.is_empty() {
            true => self.compile_sources(kind, wanted),
            false => self.take_modules(kind, wanted),
        };
        let Some(probed) = &self.probed else { return made };
        // Several revisions may share a module.
        let all: BTreeSet<&PathBuf> = made.values().flatten().flatten().collect();
        let insert = |module: &PathBuf| (module.clone(), probes::insert(module, probed));
        let inserted: BTreeMap<PathBuf, _> = all.into_par_iter().map(insert).collect();
        let checked = |(revision, made): (Revision, Result<Vec<PathBuf>, BuildError>)| {
            let checked = made.and_then(|modules| {
                let found: Result<Vec<_>, _> =
                    modules.iter().map(|module| inserted[module].as_ref()).collect();
                let found = found.map_err(BuildError::again)?;
                if revision == Revision::ORIGINAL {
                    probed.check(&found.into_iter().flatten().cloned().collect())?;
                }
                Ok(modules)
            });
            (revision, checked)
        };
        made.into_iter().map(checked).collect()
    }

    fn compile_sources(
        &self,
        kind: Product,
        wanted: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        // The revision whose layout has the text of this source: the original if it is shared.
        let owner = |revision: Revision, source: &Path| {
            let layout = &self.layouts[&revision];
            let reads = self.reads.get(source).filter(|_| !layout.adds);
            let shared = reads.is_some_and(|reads| reads.is_disjoint(&layout.changed));
            if shared { Revision::ORIGINAL } else { revision }
        };
        let mut jobs: BTreeSet<(Revision, &Path)> = BTreeSet::new();
        let firsts: BTreeSet<Revision> =
            wanted.iter().filter_map(|revision| self.alias.get(revision)).copied().collect();
        for (revision, layout) in self.layouts.iter().filter(|(r, _)| firsts.contains(r)) {
            for source in &layout.sources {
                jobs.insert((owner(*revision, source), source));
            }
        }
        let jobs: Vec<(Revision, &Path)> = jobs.into_iter().collect();
        // A single compiler process for many files looks for headers from one directory only.
        let (many, single): (Vec<_>, Vec<_>) =
            jobs.iter().partition(|(revision, _)| self.layouts[revision].plain);
        let mut by_source: BTreeMap<&Path, Vec<Revision>> = BTreeMap::new();
        for (revision, source) in many {
            by_source.entry(source).or_default().push(revision);
        }
        let workers = rayon::current_num_threads();
        let chunks: Vec<(&Path, &[Revision])> = by_source
            .iter()
            .flat_map(|(source, revisions)| {
                let size = revisions.len().div_ceil(workers).max(FILES);
                revisions.chunks(size).map(|chunk| (*source, chunk))
            })
            .collect();
        let directory = |revision: &Revision| self.layouts[revision].directory.clone();
        let mut done: BTreeMap<(Revision, &Path), Result<PathBuf, BuildError>> = chunks
            .into_par_iter()
            .flat_map_iter(|(source, revisions)| {
                let original = directory(&Revision::ORIGINAL);
                let trees: Vec<PathBuf> = revisions.iter().map(directory).collect();
                let made = self.toolchain.objects(&self.flags, kind, &original, source, &trees);
                revisions.iter().zip(made).map(move |(r, made)| ((*r, source), made))
            })
            .collect();
        done.par_extend(single.into_par_iter().map(|(revision, source)| {
            let tree = directory(&revision);
            let made = self.toolchain.objects(
                &self.flags,
                kind,
                &tree,
                source,
                std::slice::from_ref(&tree),
            );
            let made = made.into_iter().next().expect("one for each tree");
            ((revision, source), made)
        }));
        let objects = |revision: Revision| {
            let sources = &self.layouts[&revision].sources;
            let object = |source: &PathBuf| match &done[&(owner(revision, source), &**source)] {
                Ok(object) => Ok(object.clone()),
                Err(error) => Err(error.again()),
            };
            sources.iter().map(object).collect::<Result<Vec<_>, _>>()
        };
        let all = self.alias.iter().filter(|(_, first)| self.layouts.contains_key(first));
        let all = all.filter(|(revision, _)| wanted.contains(revision));
        all.map(|(revision, first)| (*revision, objects(*first))).collect()
    }

    fn take_modules(
        &self,
        kind: Product,
        wanted: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        let one = |first: &Revision| {
            let (module, name) = (&self.modules[first], format!("{first}.{}", kind.suffix()));
            // What was read once needs no caution any more.
            let vetted = if kind == Product::Bitcode { self.toolchain.vet(module) } else { Ok(()) };
            let made =
                vetted.and_then(|()| modules::take(module, kind, &self.directory.join(name)));
            (*first, made)
        };
        let firsts: BTreeSet<Revision> = self
            .alias
            .iter()
            .filter(|(revision, _)| wanted.contains(revision))
            .map(|(_, first)| *first)
            .collect();
        let made: BTreeMap<_, _> = firsts.par_iter().map(one).collect();
        let of = |(revision, first): (&Revision, &Revision)| {
            let module = made[first].as_ref().map_err(BuildError::again);
            (*revision, module.map(|module| vec![module.clone()]))
        };
        self.alias.iter().filter(|(revision, _)| wanted.contains(revision)).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compile::Callers,
        subject::config::{InputsConfig, NanConfig},
    };

    #[test]
    fn who_would_read_what_it_changes_from_the_original_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        fs::create_dir_all(root.join("inc")).unwrap();
        fs::write(root.join("inc/k.h"), "#define K 1\n").unwrap();
        fs::write(root.join("p.c"), "#include <k.h>\nint main(void) { return K; }\n").unwrap();
        let refused = |include: &str, number: u32| {
            let common = Common {
                root: root.clone(),
                without: BTreeSet::new(),
                sources: vec!["p.c".into()],
                flags: vec![format!("-I{include}")],
                entry: None,
                callers: Callers::default(),
                inputs: InputsConfig::default(),
                nan: NanConfig::default(),
                probed: None,
                directory: scratch.path().join(number.to_string()),
            };
            let changes = Changes::from([("inc/k.h".into(), Some("#define K 2\n".into()))]);
            let all = BTreeMap::from([(Revision(0), Changes::new()), (Revision(1), changes)]);
            let made = Revisions::new(Toolchain::find().unwrap(), &common, &all);
            made.unwrap().1.remove(&Revision(1))
        };
        assert!(refused("inc", 1).is_none());
        let absolute = refused(&root.join("inc").display().to_string(), 2);
        assert!(
            matches!(absolute, Some(RevisionError::Elsewhere(file)) if file == Path::new("inc/k.h"))
        );
    }
}
