//! Whole merges: the shape of the text, what is set aside, and native behaviour.

mod behaviour;
mod rejection;
mod shape;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    child::{self, ChildError, ChildLimits, Stopper},
    subject::{Revision, Subject},
};

use super::{MergeError, MetaProgram, Status, SyntaxCheck, candidates, is_note, merge};

/// `psychic.h` for a native meta program.
const HEADER: &str = "#ifndef PSYCHIC_H
#define PSYCHIC_H
extern char *getenv(const char *);
extern int atoi(const char *);
static inline int psychic_rev(void) {
    const char *revision = getenv(\"PSYCHIC_REVISION\");
    return revision ? atoi(revision) : 0;
}
#endif
";

/// A check that accepts everything, for tests of the text alone.
struct Believe;

impl SyntaxCheck for Believe {
    fn check(&self, _: &Path, _: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// A subject with one patch for each of `patched`, which turns `original` into that text.
fn subject(original: &str, patched: &[&str]) -> (TempDir, Subject) {
    let diffs: Vec<_> = patched
        .iter()
        .map(|text| {
            let diff = diffy::create_patch(original, text).to_string();
            diff.replacen("--- original", "--- a/x.c", 1).replacen("+++ modified", "+++ b/x.c", 1)
        })
        .collect();
    subject_of(&[("x.c", original)], &diffs.iter().map(String::as_str).collect::<Vec<_>>())
}

fn subject_of(files: &[(&str, &str)], diffs: &[&str]) -> (TempDir, Subject) {
    let dir = TempDir::new().unwrap();
    let sources: Vec<_> = files.iter().map(|f| f.0).filter(|f| f.ends_with(".c")).collect();
    for (file, text) in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for (index, diff) in diffs.iter().enumerate() {
        fs::write(dir.path().join(format!("{:03}.diff", index + 1)), diff).unwrap();
    }
    fs::create_dir_all(dir.path().join("include")).unwrap();
    fs::write(dir.path().join("include/psychic.h"), HEADER).unwrap();
    let toml = format!("name = 'test'\nsources = {sources:?}\npatches = ['*.diff']\n");
    fs::write(dir.path().join("subject.toml"), toml).unwrap();
    let subject = Subject::load(dir.path()).unwrap();
    (dir, subject)
}

/// A [`SyntaxCheck`] that runs a compiler with `-fsyntax-only`.
#[derive(Clone, Debug)]
struct Compiler {
    /// Name or path of the compiler: `clang-19`, `gcc`.
    program: PathBuf,
    /// Its flags; relative paths in them are relative to the source root.
    flags: Vec<String>,
}

impl SyntaxCheck for Compiler {
    fn check(&self, root: &Path, file: &Path) -> Result<(), String> {
        let mut compiler = Command::new(&self.program);
        compiler.arg("-fsyntax-only").args(&self.flags).arg(file).current_dir(root);
        let output = child::output(&mut compiler, ChildLimits::CHECK, &Stopper::default())
            .map_err(|error| match error {
                ChildError::Start(error) => format!("{}: {error}", self.program.display()),
                stopped => stopped.to_string(),
            })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let error = message.lines().find(|l| l.contains("error:"));
        let error = error.or_else(|| message.lines().next()).unwrap_or("it does not compile");
        Err(error.replace(&format!("{}/", root.display()), ""))
    }
}

fn compiler() -> Compiler {
    Compiler { program: "clang-19".into(), flags: vec!["-Iinclude".into()] }
}

/// Merges texts of `x.c` that all compile and can all be merged.
fn merged(original: &str, patched: &[&str]) -> MetaProgram {
    let (_dir, subject) = subject(original, patched);
    let meta = merge(&subject, &compiler()).unwrap_or_else(|error| panic!("{error}"));
    for revision in &meta.revisions {
        assert_eq!(revision.status, Status::Merged, "{revision:?}");
    }
    for (index, text) in patched.iter().enumerate() {
        let own = meta.patched(Revision(index as u32 + 1), Path::new("x.c"));
        assert_eq!(own, Some(*text));
    }
    meta
}

/// The only file's text after the choosers, white space normalised.
fn body(meta: &MetaProgram) -> String {
    assert_eq!(meta.files.len(), 1);
    let text = &meta.files[0].text;
    let start = text.rfind("default: return 0;\n\t}\n}\n").map_or(0, |i| i + 23);
    text[start..].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The reason why the patch from `original` to `patched` is not in the meta program.
fn refused(original: &str, patched: &str) -> String {
    let (_dir, subject) = subject(original, &[patched]);
    own(&subject, &compiler())
}

/// Why the first patch takes part only as its own compilation.
fn own(subject: &Subject, check: &dyn SyntaxCheck) -> String {
    let meta = merge(subject, check).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(meta.revisions[1].status, Status::Own, "{:?}", meta.revisions);
    assert!(meta.files.is_empty());
    meta.revisions[1].reason.clone()
}
