//! What reads bytes from outside, fed with any bytes. A target panics where a reader does, and where
//! what was read does not survive being written and read again.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use psychic::{
    ir::lower,
    merge::{self, SyntaxCheck},
    replay::{Finding, TestInput},
    results::{
        ClusterRow, OutcomeRow, PairRow, RangeRow, RevisionRow, StateRow, StatsRow, SummaryRow,
        Table, TestRow, read_clusterings, read_table, write_table,
    },
    subject::{Subject, SubjectConfig},
    tree::{Options, Tree, minimal},
};
use tempfile::TempDir;

/// Reads bytes.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 8] = [
    ("finding", finding),
    ("ktest", ktest),
    ("module", module),
    ("patch", patch),
    ("source", source),
    ("subject", subject),
    ("tables", tables),
    ("tree", tree),
];

/// A program with most of what a patch may change.
const ORIGINAL: &str = include_str!("original.c");

/// Finds no fault with any file.
struct Lenient;

impl SyntaxCheck for Lenient {
    fn check(&self, _: &Path, _: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// A directory with these files.
fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let directory = directory.expect("a scratch directory");
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).expect("writable");
    }
    directory
}

/// Merges the patches of a subject whose source and patch have these texts.
fn merge_all(original: &[u8], patch: (&str, &[u8])) {
    let (name, text) = patch;
    let toml = format!("name = \"x\"\nsources = [\"a.c\"]\npatches = [\"{name}\"]\n");
    let files = [("subject.toml", toml.as_bytes()), ("a.c", original), (name, text)];
    let directory = directory(&files);
    let subject = Subject::load(directory.path()).expect("a subject");
    let candidates = merge::candidates(&subject);
    for candidate in candidates.values().flatten() {
        merge::difference(&subject, candidate);
        merge::explain(&subject, candidate, "a.c:3:1: error: expected ';'");
    }
    // What is emitted has passed the projection check.
    _ = merge::merge_candidates(&subject, candidates, &Lenient);
}

/// A diff.
pub fn patch(bytes: &[u8]) {
    merge_all(ORIGINAL.as_bytes(), ("1.diff", bytes));
}

/// Two C texts, with a NUL between them.
pub fn source(bytes: &[u8]) {
    let split = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (original, patched) = bytes.split_at(split);
    merge_all(original, ("1.c", patched.get(1..).unwrap_or_default()));
}

/// A test in KLEE's format.
pub fn ktest(bytes: &[u8]) {
    let Ok(test) = TestInput::from_bytes(bytes) else { return };
    test.command_line();
    test.files().for_each(drop);
    test.variable("x");
    let again = test.to_bytes().expect("it can be written");
    assert_eq!(TestInput::from_bytes(&again).expect("it can be read again"), test);
}

/// One table of results.
pub fn tables(bytes: &[u8]) {
    let directory = directory(&[("table.csv", bytes)]);
    let file = directory.path().join("table.csv");
    fn again<T: Table>(file: &PathBuf) {
        let Ok(rows) = read_table::<T>(file) else { return };
        write_table(file, &rows).expect("writable");
        let written = fs::read(file).expect("readable");
        let rows = read_table::<T>(file).expect("it can be read again");
        write_table(file, &rows).expect("writable");
        assert_eq!(fs::read(file).expect("readable"), written);
    }
    again::<ClusterRow>(&file);
    again::<OutcomeRow>(&file);
    again::<PairRow>(&file);
    again::<RangeRow>(&file);
    again::<RevisionRow>(&file);
    again::<StateRow>(&file);
    again::<StatsRow>(&file);
    again::<SummaryRow>(&file);
    again::<TestRow>(&file);
    fs::write(&file, bytes).expect("writable");
    if let Ok(clusterings) = read_clusterings(&file) {
        let revisions = clusterings.iter().flat_map(|c| c.rows()).map(|row| row.revision).collect();
        let options = Options { time: Some(Duration::from_millis(10)), ..Options::default() };
        _ = minimal(&revisions, &clusterings, &options);
    }
}

/// A `subject.toml`, if it obtains no sources by a command and looks at nothing outside its directory.
pub fn subject(bytes: &[u8]) {
    let config = std::str::from_utf8(bytes).ok().map(toml::from_str::<SubjectConfig>);
    if let Some(Ok(config)) = &config {
        let SubjectConfig { build, inputs, tests, sources, patches, candidates, .. } = config;
        let commands = build.setup.is_some() || build.package.is_some() || build.git.is_some();
        let paths = sources.iter().chain(&build.directory).chain(&inputs.files);
        let globs =
            patches.iter().chain(candidates).chain(&tests.ktest).chain(&tests.stdin).map(Path::new);
        let is_outside = |path: &Path| path.is_absolute() || path.iter().any(|part| part == "..");
        if commands || paths.map(PathBuf::as_path).chain(globs).any(is_outside) {
            return;
        }
    }
    let files: [(&str, &[u8]); 3] =
        [("subject.toml", bytes), ("a.c", ORIGINAL.as_bytes()), ("1.diff", b"")];
    let directory = directory(&files);
    match Subject::load(directory.path()) {
        Ok(subject) => {
            assert!(matches!(config, Some(Ok(_))));
            assert!(subject.root.join(&subject.sources[0]).is_file());
            assert_eq!(subject.revisions(), subject.patches.len() + 1);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A `tree.json`.
pub fn tree(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(tree) = Tree::from_json(text) else { return };
    assert_eq!(Tree::from_json(&tree.to_json()).expect("it can be read again"), tree);
}

/// The report of a sanitizer.
pub fn finding(bytes: &[u8]) {
    Finding::parse(&String::from_utf8_lossy(bytes));
}

/// A module of LLVM as text. LLVM ends the process on damaged bitcode, and on broken modules with
/// debug information; that is why psychic has another process read others' modules first.
pub fn module(bytes: &[u8]) {
    let with_debug_information = b"Debug Info Version";
    if bytes.windows(with_debug_information.len()).any(|part| part == with_debug_information) {
        return;
    }
    let directory = directory(&[("a.ll", bytes)]);
    if let Ok(module) = lower::load(&directory.path().join("a.ll")) {
        _ = module.to_string();
    }
}
