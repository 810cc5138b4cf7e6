//! The sources of a package: how its build compiles each, which files they read, and what changes
//! do to them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf, absolute},
    process::{Command, Stdio},
};

use rayon::prelude::*;

use super::{
    commands::{Commands, CompileCommand, Reads},
    package::{EPOCH, REPLACING, Whole, flags},
};
use crate::{
    child::{self, ChildLimits},
    compile::{
        BuildError,
        stamp::{dependencies, normal},
        toolchain::quoted,
    },
    merge::{Changes, Role, SyntaxCheck, Tree, make_way, overlay},
};

/// Whether a source may be part of a program's bitcode. With `-gline-tables-only` the bitcode
/// contains the names of all its sources.
fn is_of(source: &Path, program: &[u8]) -> bool {
    let name = source.file_name().unwrap_or_default().as_encoded_bytes();
    name.is_empty() || program.windows(name.len()).any(|window| window == name)
}

impl Whole {
    /// Puts bitcode in place of some sources in a built tree. It is compiled to the object file
    /// that the build makes of the source, or, if the build leaves no object file, given to the
    /// compiler instead of the source.
    pub(super) fn replace(
        &self,
        sources: &BTreeMap<PathBuf, PathBuf>,
        tree: &Path,
    ) -> Result<(), BuildError> {
        let mut cases = String::new();
        for (source, own) in sources {
            let Some(record) = self.commands.get(source) else { continue };
            let Some(object) = record.object(tree) else {
                let (source, own) =
                    (tree.join(source), absolute(own).map_err(BuildError::io(own))?);
                let [source, own] = [source, own].map(|path| quoted(&path.to_string_lossy()));
                cases += &format!("  {source}) word={own};;\n");
                continue;
            };
            let mut compiler = self.toolchain.clang();
            compiler.current_dir(tree.join(&record.directory));
            compiler.arg("--target=x86_64-linux-musl").args(flags()).args(&self.recipe.flags);
            self.toolchain.run(compiler.arg("-c").arg(own).arg("-o").arg(object))?;
        }
        if cases.is_empty() {
            return Ok(());
        }
        let clang = quoted(&self.toolchain.program().to_string_lossy());
        let script = format!(
            "#!/bin/sh\nfor word; do\n  shift\n  case $(realpath -qm -- \"$word\") in\n{cases}  \
             esac\n  set -- \"$@\" \"$word\"\ndone\nexec {clang} \"$@\"\n"
        );
        let place = tree.with_file_name(REPLACING);
        fs::write(&place, script).map_err(BuildError::io(&place))?;
        let executable = Permissions::from_mode(0o755);
        fs::set_permissions(&place, executable).map_err(BuildError::io(&place))
    }

    /// The sources that the build compiles differently with some changes. Changes to the build
    /// itself are not considered.
    pub(super) fn affected(&self, changes: &Changes) -> Result<BTreeSet<PathBuf>, BuildError> {
        let mut affected = BTreeSet::new();
        let mut now: Option<Reads> = None;
        for file in changes.keys().filter(|file| self.role(file) == Role::Source) {
            if self.commands.contains_key(file) {
                affected.insert(file.clone());
                continue;
            }
            let is_new = !self.tree.join(file).exists();
            let reads = match &mut now {
                _ if !is_new => self.reads(),
                Some(now) => now,
                now => now.insert(self.reads_with(changes).map_err(BuildError::io(file))?),
            };
            let readers = reads.iter().filter(|(_, files)| files.contains(file));
            affected.extend(readers.map(|(source, _)| source.clone()));
        }
        Ok(affected)
    }

    /// The files of the original's tree that each source reads, by source.
    fn reads(&self) -> &Reads {
        self.reads.get_or_init(|| self.reads_in(&self.tree))
    }

    /// The files of a tree that each source reads, by source.
    fn reads_in(&self, tree: &Path) -> Reads {
        let reads = self.commands.par_iter().filter_map(|(source, record)| {
            let mut compiler = self.compiler(record, tree);
            let output = compiler.arg("-M").output().ok()?;
            let rule = String::from_utf8_lossy(&output.stdout).into_owned();
            let from = tree.join(&record.directory);
            let inner = |file: PathBuf| {
                normal(&from.join(file)).strip_prefix(tree).map(Path::to_owned).ok()
            };
            Some((source.clone(), dependencies(&rule).into_iter().filter_map(inner).collect()))
        });
        reads.collect()
    }

    /// The files of the original's tree with some changes that each source reads, by source.
    fn reads_with(&self, changes: &Changes) -> io::Result<Reads> {
        let directory = tempfile::tempdir()?;
        let root = directory.path().canonicalize()?;
        let files = changes.iter().map(|(path, text)| (path.as_path(), text.as_deref()));
        let tree = Tree::all(&self.tree);
        overlay(&tree, files, &root)?;
        self.commands.values().try_for_each(|record| record.make_way(&tree, &root))?;
        Ok(self.reads_in(&root))
    }

    /// Compiles one source of a tree to bitcode, without optimising anything and without hints for
    /// an optimiser. Such hints, for example on how long variables live, differ in a function with
    /// one more exit.
    pub(super) fn source_bitcode(
        &self,
        changes: &Changes,
        source: &Path,
        out: &Path,
    ) -> Result<(), BuildError> {
        let Some(record) = self.commands.get(source) else { return Ok(()) };
        let directory = out.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(BuildError::io(directory))?;
        let tree = tempfile::tempdir_in(directory).map_err(BuildError::io(directory))?;
        let root = tree.path().canonicalize().map_err(BuildError::io(directory))?;
        let files = changes.iter().map(|(path, text)| (path.as_path(), text.as_deref()));
        let original = Tree::all(&self.tree);
        let lay_out = || {
            overlay(&original, files, &root)?;
            record.make_way(&original, &root)?;
            // From a header in a linked directory, `..` would lead into the original's tree.
            let is_header = |file: &PathBuf| !self.commands.contains_key(file);
            let reads = changes.keys().any(is_header).then(|| self.reads().get(source)).flatten();
            let mut files = reads.into_iter().flatten();
            files.try_for_each(|file| make_way(&original, file, &root))
        };
        lay_out().map_err(BuildError::io(&root))?;
        let mut compiler = self.compiler(record, &root);
        compiler.args(["-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "-o"]).arg(out);
        self.toolchain.run(&mut compiler).map(drop)
    }

    /// Whether some source, compiled by `commands` in a tree to this bitcode, has more functions
    /// than the original's that may end without the result that they promise. A source that is gone
    /// may have.
    pub(super) fn loses_result(
        &self,
        tree: &Path,
        bitcode: &Path,
        commands: &Commands,
    ) -> Result<bool, BuildError> {
        let program = fs::read(bitcode).map_err(BuildError::io(bitcode))?;
        let loses = |(source, record): (&PathBuf, &CompileCommand)| {
            if !tree.join(source).is_file() {
                return Ok(is_of(source, &program));
            }
            let now = self.ends_without_result(record, tree)?;
            let before = match self.commands.get(source) {
                Some(record) if now > 0 => self.ends_without_result(record, &self.tree)?,
                _ => 0,
            };
            Ok(now > before)
        };
        let all: Result<Vec<bool>, BuildError> = commands.par_iter().map(loses).collect();
        Ok(all?.contains(&true))
    }

    /// Whether a build of `tree`, whose result is this bitcode, differs from the original's only in
    /// the affected sources. Other sources may differ, too: a program that the build runs may have
    /// read something that was changed, or may have been made from it.
    pub(super) fn is_all(
        &self,
        tree: &Path,
        bitcode: &Path,
        affected: &Commands,
    ) -> Result<bool, BuildError> {
        let program = fs::read(bitcode).map_err(BuildError::io(bitcode))?;
        let others = self.commands.par_iter().filter(|(source, _)| !affected.contains_key(*source));
        let same = others.map(|(source, record)| {
            let objects = [tree, &self.tree].map(|tree| fs::read(record.object(tree)?).ok());
            if let [Some(now), Some(before)] = objects {
                return Ok(now == before);
            }
            // If there are no object files, compare the preprocessed text.
            let [now, before] = [tree, &self.tree].map(|tree| self.preprocessed(record, tree));
            match [now?, before?] {
                [Some(now), Some(before)] => Ok(now == before),
                // A file that was compiled only as a trial, and deleted, is in no program.
                _ => Ok(!is_of(source, &program)),
            }
        });
        let same: io::Result<Vec<bool>> = same.collect();
        Ok(!same.map_err(BuildError::io(tree))?.contains(&false))
    }

    /// The preprocessed text of a source, without line markers; `None` if it, or a file that it
    /// includes, does not exist any more.
    fn preprocessed(&self, record: &CompileCommand, tree: &Path) -> io::Result<Option<Vec<u8>>> {
        let output = self.compiler(record, tree).args(["-E", "-P"]).output()?;
        Ok(output.status.success().then_some(output.stdout))
    }

    /// The number of functions of a source that may end without the result that they promise.
    fn ends_without_result(
        &self,
        record: &CompileCommand,
        tree: &Path,
    ) -> Result<usize, BuildError> {
        let compiler = self.compiler(record, tree);
        let mut check = self.toolchain.clang();
        check.current_dir(tree.join(&record.directory)).stdin(Stdio::null());
        check.args(compiler.get_args().filter(|argument| *argument != "-w"));
        check.args(["-fsyntax-only", "-Wno-everything", "-Wreturn-type"]);
        let said = self.toolchain.run(&mut check)?.stderr;
        Ok(String::from_utf8_lossy(&said).matches("[-Wreturn-type]").count())
    }

    /// The command that compiled a source, without the options that say what to make and where.
    fn compiler(&self, record: &CompileCommand, root: &Path) -> Command {
        let mut arguments = record.arguments.iter().skip(1);
        let mut compiler = self.toolchain.clang();
        compiler.current_dir(root.join(&record.directory)).stdin(Stdio::null());
        compiler.env("SOURCE_DATE_EPOCH", EPOCH);
        compiler.arg("-isystem").arg(self.toolchain.include());
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-o" | "-MF" | "-MT" | "-MQ" => _ = arguments.next(),
                "-c" | "-MD" | "-MMD" | "-MP" => {}
                other => _ = compiler.arg(other),
            }
        }
        compiler
    }
}

impl SyntaxCheck for Whole {
    /// Compiles a file as the build did. A file that the build did not compile passes: it is
    /// checked when `make` looks at it.
    fn check(&self, root: &Path, file: &Path) -> Result<(), String> {
        let Some(record) = self.commands.get(file) else { return Ok(()) };
        let made = match root == self.tree {
            true => Ok(()),
            false => record.make_way(&Tree::all(&self.tree), root),
        };
        made.map_err(|error| format!("no scratch copy of the sources: {error}"))?;
        let mut compiler = self.compiler(record, root);
        compiler.arg("-fsyntax-only");
        let output = child::output(&mut compiler, ChildLimits::CHECK, self.toolchain.stopper())
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let error = message.lines().find(|line| line.contains("error:"));
        let error = error.or_else(|| message.lines().next()).unwrap_or("it does not compile");
        Err(error.replace(&format!("{}/", root.display()), ""))
    }

    /// A file that no source reads belongs to the build, unless its name says that it is for
    /// people.
    fn role(&self, file: &Path) -> Role {
        let extension = file.extension().and_then(|extension| extension.to_str());
        let is_new_header = extension == Some("h") && !self.tree.join(file).exists();
        let is_read = || self.reads().values().any(|files| files.contains(file));
        if self.commands.contains_key(file) || is_new_header || is_read() {
            return Role::Source;
        }
        let is_for_people = matches!(extension, Some("md" | "texi" | "1"))
            || PEOPLE.iter().any(|name| file.starts_with(name));
        if is_for_people { Role::None } else { Role::Build }
    }

    fn needs(&self, file: &Path) -> bool {
        self.role(file) != Role::None
    }
}

/// Directories and files of packages that are not used to make programs.
const PEOPLE: [&str; 9] =
    ["tests", "testsuite", "doc", "po", "NEWS", "ChangeLog", "README", "THANKS", "TODO"];
