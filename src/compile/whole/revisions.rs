//! The revisions of a package: each as the package's build makes it, and one program of all.
//!
//! A revision is what its own build makes ([`Whole::own`]). The meta program is compared with that
//! twice. The first time, it is compared source by source, before anything is optimised. Conditions
//! are then still as people wrote them, so most is shared ([`unite_source`]). What a single source
//! does not tell (a function that another source defines for this revision only, a `main` of
//! another type, a change of how the program is built) is left to the second time. Then whole
//! programs are compared, as they were linked ([`unite`]). There a function that the compiler
//! optimised differently becomes a revision's own, which costs sharing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use serde::{Deserialize, Serialize};

use super::{
    package::Whole,
    program::{Own, PUBLIC, parts},
};
use crate::{
    compile::{
        error::BuildError,
        libc::ALLOCATORS,
        modules,
        stamp::Stamp,
        unite::{Program, names, unite, unite_source},
    },
    merge::Changes,
    subject::Revision,
};

/// What was made of a package's revisions.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Made {
    /// The bitcode of the program of all revisions.
    pub bitcode: PathBuf,
    /// The executable made from it.
    pub executable: PathBuf,
    /// The native program of each revision.
    pub native: BTreeMap<Revision, PathBuf>,
    /// How many functions and variables the meta program lacks for each revision.
    pub own: BTreeMap<Revision, usize>,
    /// Revisions that cannot be built, and why.
    pub refused: BTreeMap<Revision, String>,
    /// Revisions in which more functions than in the original may end without the result that they
    /// promise.
    pub without_result: BTreeSet<Revision>,
    /// Functions and variables, by [stem](crate::compile::stem), that the meta program and a
    /// revision call by different names.
    pub renamed: BTreeSet<String>,
}

/// What the compiler makes of one source for all revisions.
struct Source<'a> {
    path: &'a Path,
    meta: PathBuf,
    programs: Vec<Program>,
    united: PathBuf,
}

/// What was made of all sources.
#[derive(Default)]
struct United {
    /// The bitcode to be linked in place of each source.
    sources: BTreeMap<PathBuf, PathBuf>,
    own: BTreeMap<Revision, usize>,
    /// Revisions that a single source does not describe completely.
    untold: BTreeSet<Revision>,
    renamed: BTreeSet<String>,
}

impl Whole {
    /// Builds revisions, among them the original, which changes nothing. Makes one program from the
    /// files of a meta program that is the same for every revision as its own program. Everything
    /// is put into `directory`. Products of the same revisions that are there are reused.
    ///
    /// # Errors
    /// [`BuildError`] if the original cannot be built, or files cannot be accessed.
    pub fn unite(
        &self,
        changes: &BTreeMap<Revision, Changes>,
        meta: &Changes,
        directory: &Path,
    ) -> Result<Made, BuildError> {
        let record = directory.join("made.json");
        let failed = |error: serde_json::Error| BuildError::io(&record)(error.into());
        let [bitcode, executable] = ["meta.bc", "meta.native"].map(|name| directory.join(name));
        let mut of = vec![env!("PSYCHIC_SOURCES").to_owned(), directory.display().to_string()];
        for (revision, changes) in changes {
            of.push(revision.to_string());
            of.extend(parts(changes));
        }
        of.push("meta".into());
        of.extend(parts(meta));
        self.make_products(of, &[&record, &bitcode, &executable], |_| {
            let mut made = self.unite_anew(changes, meta, directory, &bitcode)?;
            self.executable(&bitcode, &executable)?;
            (made.bitcode, made.executable) = (bitcode.clone(), executable.clone());
            let text = serde_json::to_vec(&made).map_err(failed)?;
            fs::write(&record, text).map_err(BuildError::io(&record))
        })?;
        let text = fs::read(&record).map_err(BuildError::io(&record))?;
        let made: Made = serde_json::from_slice(&text).map_err(failed)?;
        if !made.refused.is_empty() {
            // A refused revision may build next time.
            Stamp::remove(&record).map_err(BuildError::io(&record))?;
        }
        // The native programs are large: somebody may have deleted them.
        if made.native.values().all(|program| program.is_file()) {
            return Ok(made);
        }
        fs::remove_file(&record).map_err(BuildError::io(&record))?;
        self.unite(changes, meta, directory)
    }

    fn unite_anew(
        &self,
        changes: &BTreeMap<Revision, Changes>,
        meta: &Changes,
        directory: &Path,
        out: &Path,
    ) -> Result<Made, BuildError> {
        let mut first: HashMap<&Changes, Revision> = HashMap::new();
        let mut like: BTreeMap<Revision, Vec<Revision>> = BTreeMap::new();
        for (revision, changes) in changes {
            like.entry(*first.entry(changes).or_insert(*revision)).or_default().push(*revision);
        }
        let place = |revision: Revision, kind: &str| directory.join(format!("{revision}.{kind}"));
        let build = |revision: &Revision| {
            let (bitcode, native) = (place(*revision, "bc"), place(*revision, "native"));
            (*revision, self.own(&changes[revision], &bitcode, &native))
        };
        let leaders: Vec<Revision> = like.keys().copied().collect();
        let built: Vec<(Revision, Result<Own, BuildError>)> =
            leaders.par_iter().map(build).collect();
        let mut made = Made::default();
        // Revisions that the sources they change do not describe completely.
        let mut whole: BTreeSet<Revision> = BTreeSet::new();
        for (leader, result) in built {
            match result {
                Err(error) if leader == Revision::ORIGINAL => return Err(error),
                Err(error) => {
                    let all = like.remove(&leader).into_iter().flatten();
                    made.refused.extend(all.map(|revision| (revision, error.to_string())));
                }
                Ok(own) => {
                    let native = place(leader, "native");
                    made.native.extend(like[&leader].iter().map(|r| (*r, native.clone())));
                    if own.loses_result {
                        made.without_result.extend(&like[&leader]);
                    }
                    if !own.is_told {
                        whole.insert(leader);
                    }
                }
            }
        }
        let plain: BTreeMap<Revision, &[Revision]> = like
            .iter()
            .filter(|(leader, _)| !whole.contains(leader))
            .map(|(leader, all)| (*leader, &**all))
            .collect();
        let linked = out.with_extension("program.bc");
        let from_sources = || {
            let united = self.unite_sources(changes, &plain, meta, directory)?;
            self.link(meta, &united.sources, &linked)?;
            Ok::<_, BuildError>(united)
        };
        // A function that dispatches to a revision's own would show its results twice.
        let united = if self.recipe.probed.is_none() { from_sources().ok() } else { None };
        let base = match united {
            Some(united) => {
                made.own = united.own;
                made.renamed = united.renamed;
                let is_untold =
                    |all: &[Revision]| all.iter().any(|revision| united.untold.contains(revision));
                let untold = like.iter().filter(|(_, all)| is_untold(all));
                whole.extend(untold.map(|(leader, _)| *leader));
                linked
            }
            // The original's program is the base, and every other revision is added as a whole.
            None => {
                whole = like.keys().copied().filter(|r| *r != Revision::ORIGINAL).collect();
                place(Revision::ORIGINAL, "bc")
            }
        };
        if whole.is_empty() {
            return fs::copy(&base, out).map_err(BuildError::io(out)).map(|_| made);
        }
        let program = |leader: &Revision| Program {
            revisions: like[leader].iter().map(|revision| revision.0).collect(),
            modules: vec![place(*leader, "bc")],
        };
        let programs: Vec<Program> = whole.iter().map(program).collect();
        let united = unite(&[base], &programs, &PUBLIC, out)?;
        made.own.extend(united.own.into_iter().map(|(r, count)| (Revision(r), count)));
        made.renamed.extend(united.renamed);
        for (revision, why) in united.failed {
            made.native.remove(&Revision(revision));
            made.refused.insert(Revision(revision), why);
        }
        Ok(made)
    }

    /// Unites, for all revisions, each source that some revision changes.
    fn unite_sources(
        &self,
        changes: &BTreeMap<Revision, Changes>,
        like: &BTreeMap<Revision, &[Revision]>,
        meta: &Changes,
        directory: &Path,
    ) -> Result<United, BuildError> {
        let mut affected: BTreeMap<PathBuf, BTreeSet<Revision>> = BTreeMap::new();
        for leader in like.keys() {
            for source in self.affected(&changes[leader])? {
                affected.entry(source).or_default().insert(*leader);
            }
        }
        let libc = self.names_of_libc()?;
        let lendable = libc.iter().map(String::as_str).chain(ALLOCATORS.iter().copied()).collect();
        let mut sources = Vec::new();
        for (number, (path, revisions)) in affected.iter().enumerate() {
            let place = |name: &str| directory.join(format!("source{number}.{name}.bc"));
            // Revisions that do not change this source have the original's.
            let mut groups: BTreeMap<Revision, Vec<u32>> = BTreeMap::new();
            for (leader, all) in like {
                let has = if revisions.contains(leader) { *leader } else { Revision::ORIGINAL };
                groups.entry(has).or_default().extend(all.iter().map(|revision| revision.0));
            }
            let compile = |(revision, revisions): (Revision, Vec<u32>)| {
                let module = place(&revision.to_string());
                self.source_bitcode(&changes[&revision], path, &module)?;
                Ok::<_, BuildError>(Program { revisions, modules: vec![module] })
            };
            self.source_bitcode(meta, path, &place("meta"))?;
            let programs: Result<Vec<Program>, BuildError> =
                groups.into_par_iter().map(compile).collect();
            let programs = programs?;
            for module in programs.iter().flat_map(|program| &program.modules) {
                if modules::shifts_too_far(module)? {
                    let why = "a shift by the width or more means nothing to the optimiser";
                    return Err(BuildError::Unite(why.to_owned()));
                }
            }
            let defined = |program: &Program| modules::defined(&program.modules, &lendable);
            let names: Vec<BTreeSet<&str>> =
                programs.iter().map(defined).collect::<Result<_, _>>()?;
            if names.windows(2).any(|two| two[0] != two[1]) {
                // The C library is linked once, so it would use the function for all revisions.
                let why = "a function of the C library is defined by some revisions only";
                return Err(BuildError::Unite(why.to_owned()));
            }
            sources.push(Source { path, meta: place("meta"), programs, united: place("united") });
        }
        let original = directory.join(format!("{}.bc", Revision::ORIGINAL));
        let mut all = United::default();
        for source in &sources {
            let others = || sources.iter().filter(|other| other.path != source.path);
            let known = names(others().map(|other| &other.meta).chain([&original]))?;
            let modules = others().flat_map(|other| &other.programs).flat_map(|p| &p.modules);
            let mut wanted = names(modules)?;
            wanted.extend(known.iter().chain(&libc).cloned());
            let found = |name: &str| known.contains(name) || libc.contains(name);
            let united =
                unite_source(&source.meta, &source.programs, &wanted, &found, &source.united)?;
            for (revision, count) in united.own {
                *all.own.entry(Revision(revision)).or_default() += count;
            }
            all.untold.extend(united.failed.into_keys().map(Revision));
            all.renamed.extend(united.renamed);
            if united.is_written {
                all.sources.insert(source.path.to_owned(), source.united.clone());
            }
        }
        Ok(all)
    }
}
