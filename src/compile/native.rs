//! The native programs of revisions, each made from the revision's own compilation.
//!
//! Where possible, they are one program, in which each revision has its own names
//! ([`super::together`]).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::RangeInclusive,
    path::PathBuf,
    sync::PoisonError,
};

use rayon::prelude::*;

use super::{
    error::BuildError,
    flags::{Product, have_passes},
    libc::Closure,
    modules::name_apart,
    revisions::{FILES, Revisions},
    together, unwritten,
};
use crate::{
    errors::Sanitizer,
    subject::{Revision, RevisionSet},
};

/// The least and the greatest number of revisions in each part of the program of all of them. Each
/// part is made by one compiler. Parts are limited in size because LLVM goes through everything in
/// a part once more for each revision that is added.
const PART: RangeInclusive<usize> = 32..=128;

impl Revisions {
    /// Makes native programs of the wanted revisions. They link [some](Closure::native) of
    /// `library`, which must be the same in all calls, before the system's libraries.
    pub fn programs(
        &self,
        sanitizer: Sanitizer,
        library: &Closure,
        wanted: &RevisionSet,
    ) -> BTreeMap<Revision, Result<PathBuf, BuildError>> {
        // Nothing panics while it is locked.
        let linked = || self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        let firsts: BTreeSet<Revision> =
            wanted.iter().filter_map(|revision| self.alias.get(&revision)).copied().collect();
        // A program that was made may already be running, so it is not made again.
        let is_new = |first: &&Revision| !linked().contains_key(&(sanitizer, **first));
        let new: BTreeSet<Revision> = firsts.iter().filter(is_new).copied().collect();
        let made = self.link(sanitizer, library, &new);
        linked().extend(made.into_iter().map(|(first, made)| ((sanitizer, first), made)));
        let linked = linked();
        let again = |first: &Revision| match linked.get(&(sanitizer, *first))? {
            Ok(program) => Some(Ok(program.clone())),
            Err(error) => Some(Err(error.again())),
        };
        let known = self.alias.iter().filter(|(revision, _)| wanted.contains(**revision));
        known.filter_map(|(revision, first)| Some((*revision, again(first)?))).collect()
    }

    /// Makes programs for these revisions, each of which is the first one with its sources.
    fn link(
        &self,
        sanitizer: Sanitizer,
        library: &Closure,
        firsts: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<PathBuf, BuildError>> {
        if firsts.is_empty() {
            return BTreeMap::new();
        }
        let runtime = || self.runtime_objects(sanitizer, library);
        let (mut modules, runtime) =
            rayon::join(|| self.prepared(sanitizer, library, firsts), runtime);
        let mut linked: BTreeMap<Revision, Result<PathBuf, BuildError>> = BTreeMap::new();
        let is_for_linker = |flag: &&String| {
            *flag != "-lm"
                && ["-l", "-L", "-Wl,", "-Xlinker"].iter().any(|kind| flag.starts_with(kind))
                || [".a", ".so", ".o"].iter().any(|end| flag.ends_with(end))
        };
        let is_optimised = sanitizer == Sanitizer::None && have_passes(&self.flags);
        let can_be_one = !is_optimised && !self.flags.iter().any(|flag| is_for_linker(&flag));
        if let (true, Ok(runtime)) = (can_be_one, &runtime)
            && let Some((revisions, program)) = self.together(sanitizer, &modules, runtime)
        {
            modules.retain(|revision, _| !revisions.contains(revision));
            linked.extend(revisions.into_iter().map(|revision| (revision, Ok(program.clone()))));
        }
        let code = self.code(sanitizer, modules.values().flatten().flatten());
        let (mut to_link, mut programs) = (Vec::new(), Vec::new());
        for (revision, modules) in modules {
            let runtime = runtime.as_ref().map_err(BuildError::again);
            let objects = modules.and_then(|modules| objects_of(&code, &modules));
            match objects.and_then(|objects| Ok([objects, runtime?.clone()].concat())) {
                Err(error) => _ = linked.insert(revision, Err(error)),
                Ok(objects) => {
                    to_link.push(revision);
                    let mut program = self.program(revision, sanitizer);
                    // The program of several revisions may have the name of one that turned out not
                    // to be in it.
                    if linked.values().flatten().any(|other| *other == program) {
                        let name = format!("{revision}.alone.{}", sanitizer.suffix());
                        program = self.directory.join(name);
                    }
                    programs.push((objects, program));
                }
            }
        }
        let results = self.toolchain.link_all(&self.flags, sanitizer, &programs);
        for ((revision, (_, out)), result) in to_link.into_iter().zip(programs).zip(results) {
            linked.insert(revision, result.map(|()| out));
        }
        linked
    }

    fn runtime_objects(
        &self,
        sanitizer: Sanitizer,
        library: &Closure,
    ) -> Result<Vec<PathBuf>, BuildError> {
        // Nothing panics while it is locked.
        let mut made = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(objects) = made.get(&sanitizer) {
            return Ok(objects.clone());
        }
        let directory = self.directory.join(format!("runtime.{}", sanitizer.suffix()));
        let objects = self.toolchain.runtime_objects(sanitizer, library, &directory)?;
        made.insert(sanitizer, objects.clone());
        Ok(objects)
    }

    /// Makes one program of all revisions that [can be](together::apart) in one, if there is more
    /// than one.
    fn together(
        &self,
        sanitizer: Sanitizer,
        modules: &BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>>,
        runtime: &[PathBuf],
    ) -> Option<(BTreeSet<Revision>, PathBuf)> {
        let compiled = |(revision, modules): (&Revision, &Result<Vec<PathBuf>, BuildError>)| {
            Some((*revision, modules.as_ref().ok()?.clone()))
        };
        let all: Vec<(Revision, Vec<PathBuf>)> = modules.iter().filter_map(compiled).collect();
        let (first, _) = *all.first().filter(|_| all.len() > 1)?;
        let program = self.program(first, sanitizer);
        let runs: Vec<(Revision, Revision)> = self.alias.iter().map(|(r, of)| (*r, *of)).collect();
        let size =
            all.len().div_ceil(rayon::current_num_threads()).clamp(*PART.start(), *PART.end());
        let room = together::MOST_ROOM / all.len().div_ceil(size) as u64;
        let parts = all.par_chunks(size).enumerate().map(|(number, part)| {
            let module = program.with_extension(format!("{}.{number}.ir", sanitizer.suffix()));
            let main =
                if number == 0 { together::main_of(&runs, sanitizer) } else { String::new() };
            let revisions = together::as_one(part, &main, room, &module).ok()?;
            let object = self.code(sanitizer, [&module]).remove(&module)?.ok()?;
            Some((revisions, object))
        });
        let parts: Vec<Option<(Vec<Revision>, PathBuf)>> = parts.collect();
        // The first part has the `main` of the whole program.
        parts.first()?.as_ref()?;
        let (known, objects): (Vec<_>, Vec<_>) = parts.into_iter().flatten().unzip();
        let known: BTreeSet<Revision> = known.into_iter().flatten().collect();
        if known.len() <= 1 {
            return None;
        }
        let one = [([objects, runtime.to_vec()].concat(), program.clone())];
        self.toolchain.link_all(&self.flags, sanitizer, &one).pop()?.ok()?;
        Some((known, program))
    }

    fn program(&self, revision: Revision, sanitizer: Sanitizer) -> PathBuf {
        self.directory.join(format!("{revision}.{}", sanitizer.suffix()))
    }

    /// The modules of these revisions, ready to become native code. Each revision is the first one
    /// with its sources.
    fn prepared(
        &self,
        sanitizer: Sanitizer,
        library: &Closure,
        firsts: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        let kind = Product::Native(sanitizer);
        let modules = match sanitizer {
            Sanitizer::None | Sanitizer::Memory if !have_passes(&self.flags) => {
                self.copied(kind, firsts)
            }
            _ => self.compile(kind, firsts),
        };
        // Several revisions may share a module.
        let all: BTreeSet<&PathBuf> = modules.values().flatten().flatten().collect();
        let defined = match sanitizer {
            Sanitizer::Memory => unwritten::defined(all.iter().copied()),
            _ => Ok(BTreeSet::new()),
        };
        // A module that cannot be read is reported by the compiler.
        if let Ok(defined) = &defined {
            all.par_iter().for_each(|module| _ = unwritten::prepare(module, sanitizer, defined));
        }
        let names = library.unused_natively();
        let apart = |(revision, modules): (Revision, Result<Vec<PathBuf>, BuildError>)| {
            let suffix = format!("{revision}.{}", kind.suffix());
            (revision, modules.and_then(|modules| name_apart(&modules, &names, &suffix)))
        };
        modules.into_iter().map(apart).collect()
    }

    /// Copies of these revisions' bitcode. Compiling for `kind` would make the same, with three
    /// exceptions: attributes that keep optimisers away (none comes near), a check of divisions by
    /// a constant zero, and the marks that [`unwritten::prepare`] gives (also to functions that ask
    /// not to be watched).
    fn copied(
        &self,
        kind: Product,
        firsts: &BTreeSet<Revision>,
    ) -> BTreeMap<Revision, Result<Vec<PathBuf>, BuildError>> {
        let place = |module: &PathBuf| module.with_extension(kind.suffix());
        let of = |revision: &Revision| self.bitcode().get(revision)?.as_ref().ok();
        let all: BTreeSet<&PathBuf> = firsts.iter().filter_map(of).flatten().collect();
        let copies: BTreeMap<&PathBuf, Result<PathBuf, BuildError>> = all
            .into_par_iter()
            .map(|module| {
                let copied = fs::copy(module, place(module)).map(|_| place(module));
                (module, copied.map_err(BuildError::io(module)))
            })
            .collect();
        let copy = |module: &PathBuf| copies[module].as_ref().cloned().map_err(BuildError::again);
        let of = |revision: &Revision| {
            let modules = self.bitcode()[revision].as_ref().map_err(BuildError::again)?;
            modules.iter().map(copy).collect()
        };
        let known = firsts.iter().filter(|revision| self.bitcode().contains_key(revision));
        known.map(|revision| (*revision, of(revision))).collect()
    }

    /// Compiles modules to object files.
    fn code<'m>(
        &self,
        sanitizer: Sanitizer,
        modules: impl IntoIterator<Item = &'m PathBuf>,
    ) -> BTreeMap<PathBuf, Result<PathBuf, BuildError>> {
        let all: BTreeSet<&PathBuf> = modules.into_iter().collect();
        let all: Vec<PathBuf> = all.into_iter().cloned().collect();
        let size = all.len().div_ceil(rayon::current_num_threads()).max(FILES);
        let chunks = all.par_chunks(size);
        let code = |chunk: &[PathBuf]| self.toolchain.code(&self.flags, sanitizer, chunk);
        let made: Vec<_> = chunks.flat_map_iter(code).collect();
        all.into_iter().zip(made).collect()
    }
}

/// The object files of a program's modules.
fn objects_of(
    code: &BTreeMap<PathBuf, Result<PathBuf, BuildError>>,
    modules: &[PathBuf],
) -> Result<Vec<PathBuf>, BuildError> {
    let object = |module: &PathBuf| code[module].as_ref().cloned().map_err(BuildError::again);
    modules.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use std::{path::Path, process::Command};

    use super::*;
    use crate::{
        compile::{Callers, Common, Toolchain},
        merge::Changes,
        subject::config::{InputsConfig, NanConfig},
    };

    const PROGRAM: &str = "#include <stdio.h>\nint twice(int x) { return 2 * x; }\nint shown;\n\
                           int main(void) { shown = twice(4); printf(\"%d\", shown); return 0; }\n";

    /// Revisions that print different numbers. The original prints 8.
    fn revisions(scratch: &Path, factors: &[&str]) -> Revisions {
        let root = scratch.join("root");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("p.c"), PROGRAM).unwrap();
        let common = Common {
            root,
            without: BTreeSet::new(),
            sources: vec!["p.c".into()],
            flags: Vec::new(),
            entry: None,
            callers: Callers::default(),
            inputs: InputsConfig::default(),
            nan: NanConfig::default(),
            probed: None,
            directory: scratch.join("made"),
        };
        let changed = |factor: &&str| {
            let text = PROGRAM.replace("return 2 * x", factor);
            Changes::from([(PathBuf::from("p.c"), Some(text.into()))])
        };
        let all = std::iter::once(Changes::new()).chain(factors.iter().map(changed));
        let all = (0..).map(Revision).zip(all).collect();
        let (revisions, failed) =
            Revisions::new(Toolchain::find().unwrap(), &common, &all).unwrap();
        assert!(failed.is_empty(), "{failed:?}");
        revisions
    }

    fn prints(program: &Path, revision: u32) -> String {
        let mut command = Command::new(program);
        let output = command.env("PSYCHIC_REVISION", revision.to_string()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn each_revision_of_one_program_does_what_it_does_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let factors =
            ["return 3 * x", "return 3 * x", "return 4 * x", "static int n; return n += x"];
        let all = revisions(scratch.path(), &factors);
        let make = |sanitizer, wanted: &[u32]| {
            let wanted = wanted.iter().copied().map(Revision).collect();
            let made = all.programs(sanitizer, &Closure::default(), &wanted);
            made.into_iter().map(|(r, made)| (r.0, made.unwrap())).collect::<BTreeMap<_, _>>()
        };
        let shown = |made: &BTreeMap<u32, PathBuf>| {
            made.iter().map(|(r, program)| prints(program, *r)).collect::<Vec<_>>()
        };
        for sanitizer in [Sanitizer::None, Sanitizer::AddressUndefined] {
            let first = make(sanitizer, &[0, 1, 3]);
            assert_eq!(shown(&first), ["8", "12", "16"]);
            // Revision 2 has the sources of revision 1, and revision 4 is new.
            let then = make(sanitizer, &[2, 4]);
            assert_eq!(shown(&then), ["12", "4"]);
            assert_eq!(shown(&first), ["8", "12", "16"], "nothing was made in its place");
            assert_eq!(first[&0], first[&3]);
        }
    }

    /// Builds the original and `count` other revisions, where revision `n` prints `4 + n`, and
    /// checks what each prints. Returns the number of distinct programs.
    fn programs_of(scratch: &Path, count: u32, own: &[(u32, &str)]) -> usize {
        let texts = (1..=count).map(|n| match own.iter().find(|(of, _)| *of == n) {
            Some((_, text)) => format!("{text} return x + {n}"),
            None => format!("return x + {n}"),
        });
        let texts: Vec<String> = texts.collect();
        let all = revisions(scratch, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let wanted = (0..=count).map(Revision).collect();
        let made = all.programs(Sanitizer::None, &Closure::default(), &wanted);
        let programs: BTreeMap<u32, PathBuf> =
            made.into_iter().map(|(revision, made)| (revision.0, made.unwrap())).collect();
        assert_eq!(prints(&programs[&0], 0), "8");
        for n in 1..=count {
            assert_eq!(prints(&programs[&n], n), (4 + n).to_string());
        }
        programs.values().collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn as_many_as_there_are_become_one_program() {
        let scratch = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        // Here they are put together in parts.
        assert_eq!(pool.install(|| programs_of(scratch.path(), 70, &[])), 1);
    }

    #[test]
    fn who_takes_much_room_has_a_program_of_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let large = "static char room[300 << 20]; room[x] = 1;";
        assert_eq!(programs_of(scratch.path(), 3, &[(2, large)]), 2);
    }

    #[test]
    fn who_needs_what_is_not_there_is_refused_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let missing = "extern int nowhere; return x + nowhere";
        let all = revisions(scratch.path(), &["return 3 * x", missing]);
        let wanted = [0, 1, 2].map(Revision).into_iter().collect();
        let made = all.programs(Sanitizer::None, &Closure::default(), &wanted);
        let of = |revision: u32| made[&Revision(revision)].as_ref();
        assert_eq!(of(0).unwrap(), of(1).unwrap());
        assert!(of(2).unwrap_err().to_string().contains("nowhere"));
    }

    #[test]
    fn a_name_of_the_c_library_keeps_a_revision_apart() {
        let scratch = tempfile::tempdir().unwrap();
        let own = "int rand(void); return x + rand(); } int rand(void) { return 3";
        let all = revisions(scratch.path(), &["return 3 * x", own]);
        let wanted = [0, 1, 2].map(Revision).into_iter().collect();
        let made = all.programs(Sanitizer::AddressUndefined, &Closure::default(), &wanted);
        let programs: Vec<&PathBuf> = made.values().map(|made| made.as_ref().unwrap()).collect();
        assert_eq!(programs[0], programs[1]);
        assert_ne!(programs[0], programs[2]);
        assert_eq!(prints(programs[2], 2), "7");
    }
}
