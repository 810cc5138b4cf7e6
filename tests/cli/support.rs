//! Makes subjects, runs the command, and reads its results.

use std::{
    fs,
    io::BufRead,
    path::{Path, PathBuf},
};

use assert_cmd::Command;
use psychic::results::{Table, read_table};
use tempfile::TempDir;

/// The command. For a subject in a temporary directory, it finds musl from the place of its own
/// executable, which is inside the repository; its cache goes below `target`.
pub fn psychic() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_psychic"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// What one run of the command said and how it ended.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command to its end.
pub fn run(command: &mut Command) -> Ran {
    let output = command.output().expect("psychic runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    Ran { code: output.status.code(), stdout, stderr }
}

/// Runs a command that has to be refused: exit 2, nothing on standard output, and one message,
/// which is returned.
pub fn refused(command: &mut Command) -> String {
    let ran = run(command);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "");
    let begin = if ran.stderr.starts_with("error: ") {
        0
    } else {
        // Progress comes before the message.
        let text = format!("\n{}", ran.stderr);
        let messages: Vec<_> = text.match_indices("\npsychic: ").collect();
        assert_eq!(messages.len(), 1, "not one message: {text}");
        messages[0].0
    };
    let message = ran.stderr[begin..].trim_end().to_owned();
    assert!(!said_twice(&message), "said twice: {message}");
    message
}

/// Whether a message repeats a whole part of itself, for instance a cause that is given twice.
fn said_twice(message: &str) -> bool {
    let parts: Vec<&str> = message.split(": ").map(str::trim).collect();
    parts.windows(2).any(|pair| pair[0] == pair[1]) || message.matches("(os error").count() > 1
}

/// Reads lines until one contains this text.
#[track_caller]
pub fn wait_for(lines: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("UTF-8"), 0, "it never said {text}");
    }
}

/// A small subject in a directory of its own.
pub struct Scratch {
    pub dir: TempDir,
}

/// A function with a comparison, on line 3.
pub const SOURCE: &str = "int entry(int x)\n{\n\treturn x > 0;\n}\n";
/// The configuration of the smallest subject.
pub const CONFIG: &str =
    "name = \"scratch\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\nentry = \"entry\"\n";

impl Scratch {
    /// A subject with [`SOURCE`] and [`CONFIG`], and without patches.
    pub fn new() -> Self {
        let scratch = Self { dir: TempDir::new().expect("a temporary directory") };
        scratch.file("a.c", SOURCE).file("subject.toml", CONFIG)
    }

    /// Adds a file, and the directory that it is in.
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("in the scratch directory")).expect("made");
        fs::write(path, text).expect("written");
        self
    }

    /// Adds a patch that replaces the statement of [`SOURCE`].
    pub fn patch(self, name: &str, statement: &str) -> Self {
        let text = format!("--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\treturn x > 0;\n+\t{statement}\n");
        self.file(name, &text)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Where the results go.
    pub fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// `psychic STAGE SUBJECT --out OUT`.
    pub fn stage(&self, stage: &str) -> Command {
        let mut command = psychic();
        command.arg(stage).arg(self.dir.path()).arg("--out").arg(self.out());
        command
    }
}

/// The source of every revision by its number, as patch(1) makes it.
pub fn patched(scratch: &Scratch, patches: usize) -> Vec<PathBuf> {
    let original = scratch.path("a.c");
    let mut sources = vec![original.clone()];
    for number in 1..=patches {
        let source = scratch.path(&format!("own/{number}/a.c"));
        fs::create_dir_all(source.parent().expect("a parent")).expect("made");
        let patch = scratch.path(&format!("{number}.diff"));
        let output = |name| fs::File::create(scratch.path(name)).expect("made");
        let done = std::process::Command::new("patch")
            .arg("-s")
            .arg("-o")
            .args([&source, &original, &patch])
            .stdout(output("patch.log"))
            .status();
        assert!(done.expect("patch runs").success());
        sources.push(source);
    }
    sources
}

/// A subject that the repository keeps for tests.
pub fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(name)
}

/// The rows of a table of results.
pub fn table<T: Table>(results: &Path) -> Vec<T> {
    read_table(&results.join(T::FILE)).expect("a readable table")
}

/// The names in a directory that are not hidden, sorted; none if there is no directory.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}
