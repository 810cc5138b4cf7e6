//! Loads a subject: from a directory with a `subject.toml` to sources and numbered patches that
//! exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{
    amounts,
    config::SubjectConfig,
    config_file::{ConfigFile, TestFiles, is_plain},
    error::SubjectError,
    fault::Fault,
    files::GivenFile,
    flags, oracle,
    patch::{Form, Patch},
    path::plain,
    revision::Revision,
    source,
    times::Times,
    whole,
};
use crate::{child::Stopper, interrupt::Interrupt};

/// The file that makes a directory a subject.
pub const CONFIG_FILE: &str = "subject.toml";

/// A program with its candidate patches, all of which have been found on disk.
///
/// ```no_run
/// # use psychic::subject::Subject;
/// let subject = Subject::load("patches/smallest".as_ref())?;
/// for patch in &subject.patches {
///     println!("{}: {}", patch.revision, patch.name);
/// }
/// # Ok::<(), psychic::subject::SubjectError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Subject {
    /// The contents of `subject.toml`; its defaults for [files without one](Self::of_files).
    pub config: SubjectConfig,
    /// The absolute path of the directory of `subject.toml`, or of the original without one.
    pub dir: PathBuf,
    /// The directory that `sources` are relative to: `dir` itself, the source tree that `[build]`
    /// names, or an original that is a whole tree.
    pub root: PathBuf,
    /// The commit of `root` that was found for the patches, if `build.git` names none.
    pub commit: Option<String>,
    /// The C files (or bitcode modules) to build, relative to `root`, in the order of
    /// `subject.toml`. For a program with a build of its own, the files that patches may touch.
    pub sources: Vec<PathBuf>,
    /// The candidate patches; `patches[i]` is revision `i + 1`.
    pub patches: Vec<Patch>,
    /// The files that a whole program finds in the directory it starts in.
    pub files: Vec<GivenFile>,
    /// When a whole program starts, and how old its files are then.
    pub times: Times,
    /// The files that `[tests]` names.
    pub tests: TestFiles,
    /// The revision whose outcomes are right, if one is known.
    pub reference: Option<Revision>,
    /// The patches that have each label.
    pub labels: BTreeMap<String, BTreeSet<Revision>>,
}

impl Subject {
    /// Reads `dir/subject.toml` and finds the patches and sources. If `[build]` says how to obtain
    /// the sources, that is done once (see [`super::cache_directory`]).
    ///
    /// # Errors
    /// The subject is incomplete or contradictory. The error names the file and line to correct.
    pub fn load(dir: &Path) -> Result<Self, SubjectError> {
        Self::load_unless(dir, &Interrupt::default())
    }

    /// Does what [`Self::load`] does, and gives up when `interrupt` is set.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_unless(dir: &Path, interrupt: &Interrupt) -> Result<Self, SubjectError> {
        let stopper = Stopper::new(interrupt.clone());
        let path = dir.join(CONFIG_FILE);
        if !path.is_file() {
            return Err(SubjectError::Missing(path));
        }
        let dir = dir.canonicalize().map_err(SubjectError::io(dir))?;
        if dir.to_str().is_none() {
            return Err(SubjectError::NotUtf8(dir));
        }
        let text = fs::read_to_string(&path).map_err(SubjectError::io(&path))?;
        let file = ConfigFile { path: &path, text: &text };
        let mut config = file.parse()?;
        let fault = |fault: Fault| file.fault(fault.key, fault.message);
        source::check(&config).map_err(fault)?;
        file.check_texts(&config)?;
        amounts::check(&file, &config)?;
        flags::check(&config.build.flags).map_err(fault)?;
        if !is_plain(&config.name) {
            let message = format!("name = {:?} cannot be the name of a directory", config.name);
            return Err(file.fault("name", message));
        }
        let files = file.given(&dir, &config)?;
        let times = Times::of(&config, &files).map_err(fault)?;
        let tests = file.tests(&dir, &config, &times)?;
        let mut patches = file.patches(&dir, &config)?;
        let tree = source::tree(&dir, &config, &patches, &stopper)?.map_err(fault)?;
        let source::SourceTree { mut root, commit } = tree;
        if config.sources.is_empty() && config.build.program.is_none() {
            let original = match patches.first() {
                Some(first) if matches!(first.form, Form::File | Form::Tree | Form::Module) => {
                    patches.remove(0)
                }
                _ => return Err(file.fault("sources", "`sources` lists no file".to_owned())),
            };
            if patches.is_empty() {
                let message = format!("without sources, {} is the original, alone", original.name);
                return Err(file.fault("candidates", message));
            }
            for (number, patch) in (1..).zip(&mut patches) {
                patch.revision = Revision(number);
            }
            if original.form == Form::Tree {
                root = original.path;
                config.sources = source::c_files(&root)?;
            } else {
                root.clone_from(&dir);
                config.sources = vec![original.name.into()];
            }
        }
        if config.build.whole {
            whole::complete(&mut config, &root).map_err(fault)?;
        }
        let reference = oracle::reference(&dir, &config, &mut patches).map_err(fault)?;
        let labels = oracle::labels(&config, &patches).map_err(fault)?;
        source::check_forms(&config, &patches).map_err(fault)?;
        file.check_sources(&root, &config, &patches)?;
        let mut sources: Vec<PathBuf> = config.sources.iter().map(|path| plain(path)).collect();
        if sources.is_empty() {
            sources = source::touched(&root, &patches)?;
        }
        Ok(Self {
            sources,
            config,
            dir,
            root,
            commit,
            patches,
            files,
            times,
            tests,
            reference,
            labels,
        })
    }

    /// Whether all revisions are LLVM modules.
    pub fn is_bitcode(&self) -> bool {
        self.sources.first().is_some_and(|source| Form::of(source) == Form::Module)
    }

    /// Whether the sources are a meta program written by hand.
    pub fn is_meta(&self) -> bool {
        self.config.revisions > 0
    }

    /// Whether this is a program of C files that is not run whole, but could be (`build.whole`).
    pub fn could_be_whole(&self) -> bool {
        let SubjectConfig { entry, build, .. } = &self.config;
        entry == "main" && !build.is_whole() && !self.is_bitcode() && !self.is_meta()
    }

    /// The paths of the diffs, which are not part of the program. Other candidates may be part of
    /// it: one of them can be a source, and one can include another.
    pub fn diffs(&self) -> BTreeSet<PathBuf> {
        let diffs = self.patches.iter().filter(|patch| patch.form == Form::Diff);
        diffs.map(|patch| patch.path.clone()).collect()
    }

    /// The number of revisions, the original included.
    pub fn revisions(&self) -> usize {
        self.patches.len() + 1
    }

    /// The subject with only the patches of two of its revisions, and the numbers that the two have
    /// in it.
    pub fn of_pair(&self, pair: [Revision; 2]) -> (Self, [Revision; 2]) {
        let wanted = self.patches.iter().filter(|patch| pair.contains(&patch.revision));
        let mut patches: Vec<Patch> = wanted.cloned().collect();
        let place = |of: Revision| patches.iter().position(|patch| patch.revision == of);
        let number = |place: usize| Revision(place as u32 + 1);
        let pair = pair.map(|revision| place(revision).map_or(Revision::ORIGINAL, number));
        for (place, patch) in patches.iter_mut().enumerate() {
            patch.revision = number(place);
        }
        (Self { patches, ..self.clone() }, pair)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn subject(toml: &str, files: &[&str]) -> TempDir {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join(CONFIG_FILE), toml).unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "int main(void) { return 0; }\n").unwrap();
        }
        dir
    }

    fn message(toml: &str, files: &[&str]) -> String {
        let dir = subject(toml, files);
        let text = Subject::load(dir.path()).unwrap_err().to_string();
        text.replace(&format!("{}/", dir.path().display()), "")
    }

    #[test]
    fn numbers_patches_by_glob_then_by_name() {
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['z/*.diff', '*.diff', 'z/1.*']\n";
        let dir = subject(toml, &["a.c", "b.diff", "a.diff", "z/2.diff", "z/1.diff", "z/no"]);
        let subject = Subject::load(dir.path()).unwrap();
        let names: Vec<_> = subject.patches.iter().map(|p| (p.revision.0, &*p.name)).collect();
        assert_eq!(names, [(1, "z/1.diff"), (2, "z/2.diff"), (3, "a.diff"), (4, "b.diff")]);
        assert_eq!(subject.root, subject.dir);
        assert_eq!(subject.revisions(), 5);
    }

    #[test]
    fn errors_name_file_and_line() {
        let dir = TempDir::new().unwrap();
        assert!(Subject::load(dir.path()).unwrap_err().to_string().contains("no such file"));
        let unknown = message("name = 'x'\nsources = []\npatches = []\ncolour = 1\n", &[]);
        assert!(unknown.starts_with("subject.toml:4: unknown field `colour`"), "{unknown}");
        let syntax = message("name = 'x'\nsources = [\n", &[]);
        assert!(syntax.starts_with("subject.toml:"), "{syntax}");
        let none = message("name = 'x'\nsources = ['a.c']\n\npatches = ['*.diff']\n", &["a.c"]);
        assert_eq!(none, "subject.toml:4: no file matches \"*.diff\"");
        let types = |line: &str| {
            message(
                &format!("name = 'x'\nsources = ['a.c']\npatches = ['*.c']\n{line}\n"),
                &["a.c"],
            )
        };
        assert_eq!(
            types("[inputs]\nargs = 3"),
            "subject.toml:5: invalid type: integer `3`, expected a list"
        );
        assert_eq!(
            types("[inputs]\nstdin = { tokens = true }"),
            "subject.toml:5: invalid type: boolean `true`, expected a whole number from 0 to 4294967295"
        );
        let glob = message("name = 'x'\nsources = ['a.c']\npatches = ['***']\n", &["a.c"]);
        assert!(glob.starts_with("subject.toml:3: bad glob `***`"), "{glob}");
        let source = message("name = 'x'\nsources = [\n'b.c']\npatches = ['*.c']\n", &["a.c"]);
        assert!(source.starts_with("subject.toml:3: source b.c does not exist in"), "{source}");
    }

    #[test]
    fn a_source_that_is_listed_twice_is_refused() {
        let toml = |second: &str| {
            format!("name = 'x'\nsources = [\n'a.c',\n{second},\n]\npatches = ['*.diff']\n")
        };
        let files = ["a.c", "a.diff"];
        let same = message(&toml("\"a.c\""), &files);
        assert_eq!(same, "subject.toml:4: source a.c is listed twice");
        let other = message(&toml("'./a.c'"), &files);
        assert_eq!(other, "subject.toml:4: source ./a.c is listed twice (as a.c before)");
    }

    #[test]
    fn keys_of_standard_input_that_do_not_go_together_are_refused() {
        let message = |stdin: &str| {
            let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n[inputs.stdin]\n";
            message(&format!("{toml}{stdin}\n"), &["a.c", "a.diff"])
        };
        for other in
            ["tokens = 2", "eof = false", "word = 3", "malformed = true", "nonfinite = true"]
        {
            let key = other.split(' ').next().unwrap();
            let said = message(&format!("bytes = 2\n{other}"));
            assert!(said.starts_with("subject.toml:4: "), "{said}");
            assert!(said.contains(&format!("`{key}` does not go with `bytes`")), "{said}");
            let said = message(&format!("{other}\ntext = 'x'"));
            assert!(said.contains(&format!("`{key}` does not go with `text`")), "{said}");
        }
        let said = message("bytes = 0\ntext = ''");
        assert!(said.contains("`bytes` does not go with `text`"), "{said}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let message = |rest: &str| {
            let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n";
            message(&format!("{toml}{rest}\n"), &["a.c", "a.diff"])
        };
        let of_main = message("[inputs.params]\nx = { min = 3 }");
        assert!(of_main.starts_with("subject.toml:4: [inputs.params] is about"), "{of_main}");
        for key in ["solver", "replay"] {
            let no_time = message(&format!("[budget]\n{key} = '0s'"));
            assert!(
                no_time.starts_with("subject.toml:5: it must be more than nothing"),
                "{no_time}"
            );
        }
    }

    #[test]
    fn a_patch_whose_name_is_not_utf8_is_not_passed_over() {
        use std::os::unix::ffi::OsStrExt;
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['z/*.diff', '*.diff']\n";
        let dir = subject(toml, &["a.c", "a.diff", "z/2.diff"]);
        let odd = std::ffi::OsStr::from_bytes(b"z/fix-\xff.diff");
        fs::write(dir.path().join(odd), "").unwrap();
        let error = Subject::load(dir.path()).unwrap_err();
        assert!(matches!(&error, SubjectError::NotUtf8(path) if path.ends_with(odd)), "{error}");
        fs::rename(dir.path().join(odd), dir.path().join("z").join("no")).unwrap();
        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "").unwrap();
        assert_eq!(Subject::load(dir.path()).unwrap().patches.len(), 2);
    }

    #[test]
    fn an_unknown_key_of_an_argument_is_refused() {
        let toml = |args: &str| {
            format!(
                "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n[inputs]\nargs = {args}\n"
            )
        };
        let files = ["a.c", "a.diff"];
        let unknown = message(&toml("['-n', { string = 2, cuont = [0, 1] }]"), &files);
        assert!(unknown.starts_with("subject.toml:5: unknown field `cuont`"), "{unknown}");
        let number = message(&toml("[3]"), &files);
        assert!(number.contains("a text, { string = BYTES } or"), "{number}");
        let dir = subject(&toml("['-n', { string = 2, count = [0, 1] }]"), &files);
        assert_eq!(Subject::load(dir.path()).unwrap().config.inputs.args.len(), 2);
    }

    #[test]
    fn globs_do_not_read_the_directory_as_a_pattern() {
        let dir = TempDir::with_prefix("[odd]*").unwrap();
        let toml = "name = 'x'\nsources = ['a.c']\npatches = ['*.diff']\n";
        fs::write(dir.path().join(CONFIG_FILE), toml).unwrap();
        fs::write(dir.path().join("a.c"), "").unwrap();
        fs::write(dir.path().join("a.diff"), "").unwrap();
        assert_eq!(Subject::load(dir.path()).unwrap().patches.len(), 1);
    }
}
