//! Compiles C: to bitcode, to native objects and programs, or only to check it for errors.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf, absolute},
    process::Command,
};

use rayon::prelude::*;

use super::{
    divisions::{DIVISIONS, checking_divisions},
    error::BuildError,
    flags::{
        BITCODE, CAREFUL, DIALECT, Product, SEMANTICS, UNCHANGED, WARNINGS, careful, is_sanitized,
    },
    libc::Closure,
    modules::name_apart,
    precompiled::Precompiled,
    runtime::Runtime,
    stamp::{Stamp, dependencies, hash, normal},
    toolchain::Toolchain,
    unwritten,
};
use crate::errors::Sanitizer;

const DIAGNOSTICS: &[&str] =
    &["-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-show-column"];

/// What to compile: one program.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The directory in which the compiler runs. Relative paths start here, and debug information
    /// names files relative to it.
    pub directory: PathBuf,
    /// The C files.
    pub sources: Vec<PathBuf>,
    /// Further flags, after ours so that they win.
    pub flags: Vec<String>,
    /// Directories to find included files in.
    pub includes: Vec<PathBuf>,
    /// Bitcode modules of a library. Native binaries link [some](Closure::native) of them, before
    /// the system's libraries.
    pub library: Closure,
}

impl Toolchain {
    /// Checks that one C file compiles with the flags of `compilation`, whose sources are ignored.
    ///
    /// # Errors
    /// [`BuildError::Compile`], whose `first` has the first errors as `file:line: message`.
    pub fn syntax_check(&self, compilation: &Compilation, file: &Path) -> Result<(), BuildError> {
        let mut command = self.compiler(compilation);
        command.args(SEMANTICS).args(["-w", "-fsyntax-only"]).args(&compilation.flags).arg(file);
        self.run(&mut command).map(drop)
    }

    /// Compiles and links the program to one LLVM bitcode file, `out`.
    ///
    /// # Errors
    /// [`BuildError::Compile`] if clang or llvm-link refuse; [`BuildError::Io`].
    pub fn bitcode(&self, compilation: &Compilation, out: &Path) -> Result<(), BuildError> {
        self.make(compilation, "bitcode", out, |scratch| {
            let mut objects = Vec::new();
            let mut read = BTreeSet::new();
            let flags = Product::Bitcode.flags(&compilation.flags);
            for source in &compilation.sources {
                objects.push(self.object(compilation, &flags, source, scratch, &mut read)?);
            }
            if let [object] = &objects[..] {
                return Ok((object.clone(), read));
            }
            let linked = scratch.join("linked");
            self.link(&objects, &linked)?;
            Ok((linked, read))
        })
    }

    /// Links a bitcode program with what it needs of a library. If both define a symbol, the
    /// program's definition stays. Every wanted symbol is present afterwards, even if only an
    /// intrinsic of the program stands for it.
    ///
    /// # Errors
    /// [`BuildError::Compile`] if llvm-link refuses.
    pub fn link_bitcode(
        &self,
        program: &Path,
        library: &Closure,
        out: &Path,
    ) -> Result<(), BuildError> {
        if library.modules.is_empty() {
            // Not `fs::copy`, as the two may be the same file.
            let bitcode = fs::read(program).map_err(BuildError::io(program))?;
            return fs::write(out, bitcode).map_err(BuildError::io(out));
        }
        // The library is linked on its own first: llvm-link looks at each file once, and would
        // leave out what only a later file needs.
        let joined = out.with_extension("library.bc");
        let whole = match &library.modules[..] {
            [one] => one,
            several => {
                self.link(several, &joined)?;
                &joined
            }
        };
        // The library's own calls must not reach a function of the program with the same name.
        let names = library.overridden.iter().map(String::as_str).collect();
        let program = &name_apart(&[program.to_owned()], &names, "own.bc")?[0];
        let wanted = out.with_extension("wanted.ll");
        fs::write(&wanted, uses_of(&library.wanted)).map_err(BuildError::io(&wanted))?;
        let linked = self.link(&[Path::new("--only-needed"), program, &wanted, whole], out);
        fs::remove_file(&wanted).map_err(BuildError::io(&wanted))?;
        if *whole == joined {
            fs::remove_file(&joined).map_err(BuildError::io(&joined))?;
        }
        linked
    }

    /// Compiles the program and links it with the native runtime to the executable `out`.
    ///
    /// # Errors
    /// [`BuildError::Compile`] if clang or the linker refuse, [`BuildError::SanitizerMissing`] if
    /// a sanitizer's libraries are not installed; [`BuildError::Io`].
    pub fn native(
        &self,
        compilation: &Compilation,
        sanitizer: Sanitizer,
        out: &Path,
    ) -> Result<(), BuildError> {
        self.make(compilation, sanitizer.name(), out, |scratch| {
            let mut read = BTreeSet::new();
            let mut objects = self.native_objects(compilation, sanitizer, scratch, &mut read)?;
            objects.extend(self.runtime_objects(sanitizer, &compilation.library, scratch)?);
            read.extend(compilation.library.native().cloned());
            let linked = scratch.join("linked");
            self.link_native(&compilation.flags, sanitizer, &objects, &linked)?;
            Ok((linked, read))
        })
    }

    /// Compiles the sources to object files. Memory that was never written is zero in these or,
    /// under MemorySanitizer, watched.
    fn native_objects(
        &self,
        compilation: &Compilation,
        sanitizer: Sanitizer,
        scratch: &Path,
        read: &mut BTreeSet<PathBuf>,
    ) -> Result<Vec<PathBuf>, BuildError> {
        let flags = Product::Native(sanitizer).flags(&compilation.flags);
        let mut modules = Vec::new();
        for source in &compilation.sources {
            let object = self.object(compilation, &flags, source, scratch, read)?;
            let module = object.with_extension("ir");
            fs::rename(&object, &module).map_err(BuildError::io(&object))?;
            modules.push(module);
        }
        let defined = match sanitizer {
            Sanitizer::Memory => unwritten::defined(&modules)?,
            _ => BTreeSet::new(),
        };
        modules.iter().try_for_each(|module| unwritten::prepare(module, sanitizer, &defined))?;
        let modules = name_apart(&modules, &compilation.library.unused_natively(), "own.ir")?;
        self.code(&compilation.flags, sanitizer, &modules).into_iter().collect()
    }

    /// Compiles prepared modules ([`unwritten::prepare`]) to object files beside them.
    pub(super) fn code(
        &self,
        flags: &[String],
        sanitizer: Sanitizer,
        modules: &[PathBuf],
    ) -> Vec<Result<PathBuf, BuildError>> {
        let command = |module: &Path| {
            let mut command = self.compiler(&Compilation::default());
            command.args(SEMANTICS).args(sanitizer.flags()).args(flags);
            command.args(["-w", "-c", "-x", "ir"]).arg(module);
            command
        };
        let place = |module: &Path| module.with_extension("code.o");
        let Some(first) = modules.first() else { return Vec::new() };
        let directory = first.parent().unwrap_or(Path::new("/"));
        let nothing = |_: &[String]| Precompiled::default();
        let mut driver = command(first);
        let (made, _) = self.all_at_once(&mut driver, &[directory], modules, &nothing, "o", &place);
        let one = |module: &PathBuf| {
            let out = place(module);
            if made.contains(&out) {
                return Ok(out);
            }
            self.run(command(module).arg("-o").arg(&out)).map(|_| out)
        };
        modules.iter().map(one).collect()
    }

    /// Compiles what is linked into every native program, in `directory`: the runtime, and the
    /// native modules of `library` as one object file.
    pub(super) fn runtime_objects(
        &self,
        sanitizer: Sanitizer,
        library: &Closure,
        directory: &Path,
    ) -> Result<Vec<PathBuf>, BuildError> {
        let mut objects = self.own_objects(sanitizer, directory)?;
        if library.native().next().is_some() {
            fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
            let (whole, object) = (directory.join("libraries.bc"), directory.join("libraries.o"));
            self.link(&library.native().collect::<Vec<_>>(), &whole)?;
            let mut command = self.clang();
            command.arg("-O0").args(sanitizer.flags()).arg("-c").arg(&whole).arg("-o").arg(&object);
            self.run(&mut command)?;
            objects.push(object);
        }
        Ok(objects)
    }

    /// Returns the object files of the runtime, from the cache if it has them, otherwise newly
    /// compiled in `directory`.
    fn own_objects(
        &self,
        sanitizer: Sanitizer,
        directory: &Path,
    ) -> Result<Vec<PathBuf>, BuildError> {
        // The runtime is ours: a subject's flags (such as -Dmalloc=...) do not apply to it.
        let compile = |directory: &Path| {
            let runtime = Compilation { directory: directory.to_owned(), ..Compilation::default() };
            self.runtime().sources().collect::<Vec<_>>().par_iter().try_for_each(|source| {
                let scratch = directory.join(source.file_stem().unwrap_or_default());
                fs::create_dir_all(&scratch).map_err(BuildError::io(&scratch))?;
                let read = &mut BTreeSet::new();
                let object = self.object(&runtime, sanitizer.flags(), source, &scratch, read)?;
                fs::rename(&object, scratch.with_extension("o"))
                    .map_err(BuildError::io(&object))?;
                fs::remove_dir_all(&scratch).map_err(BuildError::io(&scratch))
            })
        };
        let key = hash([env!("PSYCHIC_SOURCES"), self.identity(), sanitizer.name()]);
        let made = match self.kept(&key, compile)? {
            Some(kept) => kept,
            None => {
                fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
                compile(directory)?;
                directory.to_owned()
            }
        };
        let object =
            |source: PathBuf| made.join(source.with_extension("o").file_name().unwrap_or_default());
        Ok(self.runtime().sources().map(object).collect())
    }

    /// The files that a source reads, itself included, when it is compiled in a directory that is a
    /// copy of the tree `root`. Each is listed by the name that the compiler uses. A file in either
    /// tree is also listed by the path that links lead to. `None` if the source does not compile.
    pub(super) fn reads(
        &self,
        flags: &[String],
        directory: &Path,
        source: &Path,
        root: &Path,
    ) -> Option<BTreeSet<PathBuf>> {
        let places = [directory, root].map(|place| place.canonicalize().unwrap_or_default());
        let mut read = BTreeSet::new();
        for (file, real) in self.read_files(flags, directory, source)? {
            let inner = places.iter().find_map(|place| real.strip_prefix(place).ok());
            read.extend(inner.map(Path::to_owned));
            read.insert(normal(file.strip_prefix(directory).unwrap_or(&file)));
        }
        Some(read)
    }

    /// The files of the tree `root` itself, relative to it, that a source reads when it is compiled
    /// in a copy of that tree. `None` if it does not compile.
    pub(super) fn reads_elsewhere(
        &self,
        flags: &[String],
        directory: &Path,
        source: &Path,
        root: &Path,
    ) -> Option<BTreeSet<PathBuf>> {
        let (copy, root) = (directory.canonicalize().ok()?, root.canonicalize().ok()?);
        let read = self.read_files(flags, directory, source)?.into_iter();
        let elsewhere = read.filter(|(_, real)| !real.starts_with(&copy));
        let inner = |(_, real): (PathBuf, PathBuf)| Some(real.strip_prefix(&root).ok()?.to_owned());
        Some(elsewhere.filter_map(inner).collect())
    }

    /// The files that a source reads, each as the compiler names it and as its real path.
    fn read_files(
        &self,
        flags: &[String],
        directory: &Path,
        source: &Path,
    ) -> Option<Vec<(PathBuf, PathBuf)>> {
        let compilation = Compilation { directory: directory.to_owned(), ..Compilation::default() };
        let mut command = self.compiler(&compilation);
        let output =
            self.run(command.args(SEMANTICS).arg("-w").args(flags).arg("-M").arg(source)).ok()?;
        let files = dependencies(&String::from_utf8_lossy(&output.stdout));
        let place = |file: PathBuf| {
            let real = directory.join(&file).canonicalize();
            (file.clone(), real.unwrap_or(file))
        };
        Some(files.into_iter().map(place).collect())
    }

    /// Makes `out`, unless it is up to date. `build` returns the product and the files that were
    /// read.
    fn make(
        &self,
        compilation: &Compilation,
        kind: &str,
        out: &Path,
        build: impl FnOnce(&Path) -> Result<(PathBuf, BTreeSet<PathBuf>), BuildError>,
    ) -> Result<(), BuildError> {
        let out = absolute(out).map_err(BuildError::io(out))?;
        let key = self.key(compilation, kind);
        if Stamp::is_fresh(&out, &key) {
            return Ok(());
        }
        let parent = out.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(BuildError::io(parent))?;
        Stamp::remove(&out).map_err(BuildError::io(&out))?;
        let scratch = tempfile::Builder::new().prefix(".build-").tempdir_in(parent);
        let scratch = scratch.map_err(BuildError::io(parent))?;
        let (product, read) = build(scratch.path())?;
        // Renamed into place: a running copy of the old binary keeps its file.
        fs::rename(product, &out).map_err(BuildError::io(&out))?;
        let read = read.into_iter().map(|file| compilation.directory.join(file));
        let stamp = Stamp::new(key, read).map_err(BuildError::io(&out))?;
        stamp.write(&out).map_err(BuildError::io(&out))
    }

    fn object(
        &self,
        compilation: &Compilation,
        flags: &[&str],
        source: &Path,
        scratch: &Path,
        read: &mut BTreeSet<PathBuf>,
    ) -> Result<PathBuf, BuildError> {
        let number = fs::read_dir(scratch).map_err(BuildError::io(scratch))?.count();
        let object = scratch.join(format!("{number}.o"));
        let rule = scratch.join(format!("{number}.d"));
        let compile = |divisions: &[&str]| {
            let mut command = self.compiler(compilation);
            command.args(SEMANTICS).args(flags).args(divisions).args(&compilation.flags);
            command.args(careful(&compilation.flags)).args(WARNINGS);
            command.arg("-MMD").arg("-MF").arg(&rule).arg("-c").arg(source).arg("-o").arg(&object);
            self.run(&mut command)
                .map(|output| ((), String::from_utf8_lossy(&output.stderr).into_owned()))
        };
        let all = flags.iter().copied().chain(compilation.flags.iter().map(String::as_str));
        let text = compilation.directory.join(source);
        checking_divisions(is_sanitized(all), [text].into_iter(), compile)?;
        let text = fs::read_to_string(&rule).map_err(BuildError::io(&rule))?;
        read.extend(dependencies(&text));
        Ok(object)
    }

    pub(super) fn compiler(&self, compilation: &Compilation) -> Command {
        let mut command = self.clang();
        if !compilation.directory.as_os_str().is_empty() {
            command.current_dir(&compilation.directory);
            let directory = absolute(&compilation.directory);
            let directory = directory.unwrap_or_else(|_| compilation.directory.clone());
            command.arg(format!("-ffile-prefix-map={}/=", directory.display()));
        }
        let runtime = self.include();
        command.arg(format!("-ffile-prefix-map={}=psychic", runtime.display()));
        // With the maps, clang would take `./` out of `__FILE__`.
        command
            .arg("-fno-file-reproducible")
            .arg("-fdebug-compilation-dir=.")
            .args(DIAGNOSTICS)
            .args(DIALECT);
        for include in &compilation.includes {
            command.arg("-I").arg(include);
        }
        // As a system directory, it is not among the files read: it is temporary, and the texts of
        // its files are in the key already.
        command.arg("-isystem").arg(runtime);
        command
    }

    fn key(&self, compilation: &Compilation, kind: &str) -> String {
        let Compilation { directory, sources, flags, includes, library } = compilation;
        let mut parts = vec![kind.to_owned(), self.identity().to_owned()];
        let prepared = [unwritten::PREPARATION];
        let sanitized = Sanitizer::AddressUndefined.flags();
        let fixed = [
            WARNINGS, DIVISIONS, DIALECT, SEMANTICS, BITCODE, UNCHANGED, CAREFUL, &prepared,
            sanitized,
        ];
        parts.extend(fixed.concat().into_iter().map(str::to_owned));
        parts.extend(Runtime::texts().map(str::to_owned));
        parts.push(directory.display().to_string());
        let native = library.native().cloned().collect();
        for list in [sources, includes, &native] {
            parts.push(list.len().to_string());
            parts.extend(list.iter().map(|path| path.display().to_string()));
        }
        parts.extend(flags.iter().cloned());
        parts.extend(library.overridden.iter().cloned());
        hash(parts)
    }
}

/// The text of an LLVM module that uses these symbols.
fn uses_of(symbols: &[String]) -> String {
    let declarations = symbols.iter().map(|name| format!("@\"{name}\" = external global i8\n"));
    let uses = symbols.iter().map(|name| format!("ptr @\"{name}\"")).collect::<Vec<_>>();
    let (count, uses) = (uses.len(), uses.join(", "));
    let used = format!("@llvm.compiler.used = appending global [{count} x ptr] [{uses}]\n");
    declarations.chain([used]).collect()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn project(files: &[(&str, &str)]) -> (TempDir, Compilation) {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let sources = files.iter().map(|(name, _)| PathBuf::from(name));
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: sources.filter(|name| name.extension().is_some_and(|e| e == "c")).collect(),
            ..Compilation::default()
        };
        (directory, compilation)
    }

    #[test]
    fn the_first_error_says_file_line_and_message() {
        let (_directory, compilation) = project(&[("bad.c", "int f(void) {\n  return x;\n}\n")]);
        let clang = Toolchain::find().unwrap();
        let error = clang.syntax_check(&compilation, Path::new("bad.c")).unwrap_err();
        assert_eq!(error.to_string(), "bad.c:2: use of undeclared identifier 'x'");
        let BuildError::Compile { command, .. } = error else { panic!("{error}") };
        assert!(command.contains("-fsyntax-only"), "{command}");
    }

    #[test]
    fn old_dialects_pass() {
        let (_directory, compilation) = project(&[("old.c", "f() { return puts(\"x\"); }\n")]);
        let clang = Toolchain::find().unwrap();
        clang.syntax_check(&compilation, Path::new("old.c")).unwrap();
    }

    #[test]
    fn several_files_become_one_reproducible_module_without_build_paths() {
        let files = [
            ("a.c", "#include \"b.h\"\n#include <psychic.h>\nint main(void) { return b(); }\n"),
            ("b.c", "#include \"b.h\"\n#include <klee/klee.h>\nint b(void) { return 3; }\n"),
            ("b.h", "int b(void);\n"),
        ];
        let clang = Toolchain::find().unwrap();
        let modules = [project(&files), project(&files)].map(|(directory, compilation)| {
            let out = directory.path().join("out/meta.bc");
            clang.bitcode(&compilation, &out).unwrap();
            let module = fs::read(out).unwrap();
            let path = directory.path().to_string_lossy().into_owned();
            assert!(!String::from_utf8_lossy(&module).contains(&path));
            module
        });
        assert!(modules[0].starts_with(b"BC\xc0\xde"));
        assert_eq!(modules[0], modules[1]);
    }

    #[test]
    fn a_build_is_skipped_until_a_header_changes() {
        let (directory, compilation) =
            project(&[("a.c", "#include \"a.h\"\nint main(void) { return A; }\n"), ("a.h", "")]);
        let write = |text| fs::write(directory.path().join("a.h"), text).unwrap();
        write("#define A 1\n");
        let out = directory.path().join("a.native");
        let clang = Toolchain::find().unwrap();
        let code = || {
            clang.native(&compilation, Sanitizer::None, &out).unwrap();
            Command::new(&out).status().unwrap().code()
        };
        assert_eq!(code(), Some(1));
        let made = fs::metadata(&out).unwrap().modified().unwrap();
        assert_eq!(code(), Some(1));
        assert_eq!(fs::metadata(&out).unwrap().modified().unwrap(), made);
        write("#define A 2\n");
        assert_eq!(code(), Some(2));
    }

    #[test]
    fn a_linker_error_is_passed_on() {
        let (directory, compilation) =
            project(&[("a.c", "int lost(void);\nint main(void) { return lost(); }\n")]);
        let out = directory.path().join("a");
        let error = Toolchain::find().unwrap().native(&compilation, Sanitizer::None, &out);
        assert!(error.unwrap_err().to_string().contains("undefined reference to `lost'"));
    }
}
