//! Compiles many files with one compiler process, as starting it takes longer than compiling a
//! small program.

use std::{
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    BuildError, Toolchain,
    compiler::Compilation,
    divisions::checking_divisions,
    flags::{Product, SEMANTICS, WARNINGS, careful, is_sanitized},
    plan::as_planned,
    precompiled::{Precompiled, precompiled},
};

impl Toolchain {
    /// Compiles one source in several trees, with one compiler process for several trees. Headers
    /// are looked up from `directory`. The results are in the order of `trees`.
    pub(super) fn objects(
        &self,
        flags: &[String],
        kind: Product,
        directory: &Path,
        source: &Path,
        trees: &[PathBuf],
    ) -> Vec<Result<PathBuf, BuildError>> {
        let place = |tree: &Path| {
            let mut name = tree.join(source).into_os_string();
            name.push(format!(".{}", kind.suffix()));
            PathBuf::from(name)
        };
        let all = |flags: &[String]| {
            let (mut made, mut said) = (Vec::new(), String::new());
            if trees.len() > 1 {
                (made, said) = self.many(flags, kind, directory, source, trees, &place);
            }
            let one = |tree: &PathBuf| {
                let out = place(tree);
                if made.contains(&out) {
                    return Ok(out);
                }
                let compilation = Compilation { directory: tree.clone(), ..Compilation::default() };
                let mut command = self.compiler(&compilation);
                command.args(SEMANTICS).args(kind.flags(flags)).args(flags);
                command.args(careful(flags)).args(WARNINGS);
                let output = self.run(command.arg("-c").arg(source).arg("-o").arg(&out))?;
                said += &String::from_utf8_lossy(&output.stderr);
                Ok(out)
            };
            (trees.iter().map(one).collect(), said)
        };
        let ours = kind.flags(flags);
        let is_sanitized = is_sanitized(ours.into_iter().chain(flags.iter().map(String::as_str)));
        let texts = trees.iter().map(|tree| tree.join(source));
        let compile = |divisions: &[&str]| -> Result<_, Infallible> {
            let divisions: Vec<String> = divisions.iter().map(|&flag| flag.to_owned()).collect();
            Ok(all(&[&divisions, flags].concat()))
        };
        match checking_divisions(is_sanitized, texts, compile) {
            Ok(objects) => objects,
        }
    }

    /// Compiles a source in several trees with one compiler process. Returns the files that it
    /// made, and its warnings. What does not compile is left out without a message.
    fn many(
        &self,
        flags: &[String],
        kind: Product,
        directory: &Path,
        source: &Path,
        trees: &[PathBuf],
        place: &dyn Fn(&Path) -> PathBuf,
    ) -> (Vec<PathBuf>, String) {
        let compilation = Compilation { directory: directory.to_owned(), ..Compilation::default() };
        let mut driver = self.compiler(&compilation);
        driver.args(SEMANTICS).args(kind.flags(flags));
        // `__FILE__` is what it would be in the tree itself: `a.c` finds its headers as `./b.h`.
        let is_on_top = source.parent().is_none_or(|parent| parent.as_os_str().is_empty());
        let input = |tree: &PathBuf| match is_on_top {
            true => tree.join(".").join(source),
            false => tree.join(source),
        };
        let inputs: Vec<PathBuf> = trees.iter().map(input).collect();
        for (tree, input) in trees.iter().zip(&inputs) {
            driver.arg(format!("-ffile-prefix-map={}/=", tree.display()));
            driver.arg(format!("-ffile-prefix-map={}={}", input.display(), source.display()));
        }
        driver.args(flags).args(careful(flags)).args(WARNINGS).arg("-c").arg(&inputs[0]);
        let place = |input: &Path| {
            let tree = trees.iter().zip(&inputs).find(|(_, known)| *known == input);
            place(tree.expect("one of the inputs").0)
        };
        let directories: Vec<&Path> = trees.iter().map(PathBuf::as_path).collect();
        let with = |compiler: &[String]| precompiled(self, compiler, flags, directory, &inputs);
        driver.current_dir(directory);
        self.all_at_once(&mut driver, &directories, &inputs, &with, "bc", &place)
    }

    /// Makes the compiler that `driver` would run for the first of `inputs` compile all of them,
    /// with the precompiled header that `with` makes for the compiler's words. `place` says where
    /// the result for an input goes. Returns the files that were made, and what the compiler
    /// printed. For `directories` see [`Toolchain::plan`].
    pub(super) fn all_at_once(
        &self,
        driver: &mut Command,
        directories: &[&Path],
        inputs: &[PathBuf],
        with: &dyn Fn(&[String]) -> Precompiled,
        extension: &str,
        place: &dyn Fn(&Path) -> PathBuf,
    ) -> (Vec<PathBuf>, String) {
        let directory = driver.get_current_dir().map(Path::to_owned);
        let nothing = (Vec::new(), String::new());
        let Some(words) = self.compiler_words(driver, directories) else { return nothing };
        // The compiler must not write through a link to somebody else's file.
        for input in inputs {
            _ = fs::remove_file(input.with_extension(extension));
        }
        let mut command = as_planned(&words);
        let header = with(&words);
        command.args(&header.words).args(inputs);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        // What is missing afterwards is compiled alone, to get its error message.
        let output = self.run(&mut command);
        let said = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        let mut made = Vec::new();
        for input in inputs {
            let out = place(input);
            if fs::rename(input.with_extension(extension), &out).is_ok() {
                made.push(out);
            }
        }
        (made, said.unwrap_or_default())
    }

    /// The compiler that a command runs, with its arguments except its input and output.
    fn compiler_words(&self, driver: &mut Command, directories: &[&Path]) -> Option<Vec<String>> {
        let is_compiler = |words: &Vec<String>| words.get(1).is_some_and(|word| word == "-cc1");
        let mut words = self.plan(driver, directories)?.into_iter().find(is_compiler)?;
        if let Some(place) = words.iter().position(|word| word == "-o") {
            words.drain(place..place + 2);
        }
        words.pop();
        Some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Sanitizer;

    #[test]
    fn many_trees_are_compiled_as_each_one_is() {
        let directory = tempfile::tempdir().unwrap();
        let trees: Vec<PathBuf> =
            (0..40).map(|tree| directory.path().join(tree.to_string())).collect();
        let source = Path::new("a.c");
        for tree in &trees {
            let text = "/* A. */\n#include <stdio.h>\n#include <math.h>\n#define getc(x) 3\n\
                 #include <stdlib.h>\nint main(void) { return (int)floor(getc(1)) + !EOF; }\n";
            fs::create_dir(tree).unwrap();
            fs::write(tree.join(source), text).unwrap();
        }
        let clang = Toolchain::find().unwrap();
        let files: Vec<PathBuf> = trees.iter().map(|tree| tree.join(source)).collect();
        let mut driver = clang.compiler(&Compilation::default());
        driver.args(["-emit-llvm", "-c"]).arg(&files[0]);
        let words = clang.compiler_words(&mut driver, &[]).unwrap();
        let header = |flags: &[String], files| {
            precompiled(&clang, &words, flags, directory.path(), files).words
        };
        assert_eq!(header(&[], &files)[0], "-include-pch");
        assert_eq!(header(&[], &files[..32]), [""; 0]);
        assert_eq!(header(&["-Iinclude".to_owned()], &files), [""; 0]);
        for kind in [
            Product::Bitcode,
            Product::Native(Sanitizer::None),
            Product::Native(Sanitizer::AddressUndefined),
            Product::Native(Sanitizer::Memory),
        ] {
            let compiled = |trees: &[PathBuf]| {
                let made = clang.objects(&[], kind, directory.path(), source, trees);
                let read = |object: Result<PathBuf, _>| fs::read(object.unwrap()).unwrap();
                made.into_iter().map(read).collect::<Vec<_>>()
            };
            let many = compiled(&trees);
            assert_eq!(many[..2], compiled(&trees[..2]), "{kind:?}");
        }
    }
}
