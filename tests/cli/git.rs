//! Sources from a git repository, of the commit that the patches were made from.

use std::{fs, process::Command};

use crate::support::{Scratch, refused, run};

/// A program of two files: what it prints depends on the one that no patch changes.
const MAIN: &str = "#include <stdio.h>\nint word(int);\nint main(void)\n{\n\tint n;\n\
                    \tif (scanf(\"%d\", &n) != 1)\n\t\treturn 1;\n\tprintf(\"%d\\n\", word(n > 3));\n\
                    \treturn 0;\n}\n";
const CONFIG: &str = "name = \"repo\"\nsources = [\"src/main.c\", \"src/word.c\"]\n\
                      patches = [\"*.diff\"]\n\n[build]\ngit = \"repo\"\n";

/// A repository, in the directory of a subject.
struct Repo(Scratch);

impl Repo {
    fn new() -> Self {
        let repo = Self(Scratch::new().file("subject.toml", CONFIG).file("repo/src/main.c", MAIN));
        repo.git(&["init", "--quiet"]);
        repo
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]);
        git.args(arguments).current_dir(self.0.path("repo")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.path(file), text).expect("written");
    }

    /// Commits what is there, with a `word` that prints the numbers from `first` on. Returns the
    /// commit.
    fn commit(&self, first: u32) -> String {
        self.write("repo/src/word.c", &format!("int word(int n) {{ return n + {first}; }}\n"));
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "next"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Writes a diff as git does, and leaves the file as it is.
    fn diff(&self, name: &str, from: &str, to: &str, options: &[&str]) {
        let file = self.0.path("repo/src/main.c");
        let old = fs::read_to_string(&file).expect("there");
        self.write("repo/src/main.c", &old.replace(from, to));
        let diff = self.git(&[&["diff"], options].concat());
        self.write(name, &format!("{diff}\n"));
        self.write("repo/src/main.c", &old);
    }
}

#[test]
fn the_newest_commit_that_patches_fit_is_taken_and_stays() {
    let repo = Repo::new();
    repo.commit(10);
    let fitting = repo.commit(20);
    repo.diff("1.diff", "n > 3", "n >= 3", &[]);
    repo.diff("2.diff", "n > 3", "n > 2", &["--no-prefix", "--full-index"]);
    repo.write("repo/src/main.c", &MAIN.replace("n > 3", "n > 4"));
    repo.commit(30);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    let other = repo.commit(40);
    let compared = |commit: &str, printed: &str| {
        let ran = run(&mut repo.0.stage("diff"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let said = format!("sources of commit {commit}, the newest that patches fit");
        assert!(ran.stdout.contains(&said), "{}", ran.stdout);
        assert!(ran.stdout.contains(printed), "{}", ran.stdout);
        let results = fs::read_to_string(repo.0.path("out/results.json")).expect("there");
        assert!(results.contains(&said));
        ran.stdout
    };
    let said = compared(&fitting, "\"21\"");
    assert!(said.contains("3 revisions, 2 classes: 2 pairs distinguished"), "{said}");
    // What the repository gets later changes nothing for these patches.
    repo.write("repo/src/main.c", MAIN);
    repo.commit(50);
    compared(&fitting, "\"21\"");
    // Other patches fit another commit, and one that the clone lacks is fetched.
    repo.write("repo/src/main.c", &MAIN.replace("n > 3", "n > 4"));
    for name in ["1.diff", "2.diff"] {
        fs::remove_file(repo.0.path(name)).expect("there");
    }
    repo.diff("1.diff", "n > 4", "n > 5", &["HEAD~1"]);
    compared(&other, "\"41\"");
    repo.write("repo/src/main.c", &MAIN.replace("n > 3", "n > 6"));
    let last = repo.commit(60);
    repo.diff("1.diff", "n > 6", "n > 7", &[]);
    compared(&last, "\"61\"");
}

#[test]
fn without_a_commit_it_is_said_what_to_do() {
    let repo = Repo::new();
    repo.commit(1);
    repo.diff("1.diff", "n > 3", "n > 4", &[]);
    let diff = fs::read_to_string(repo.0.path("1.diff")).expect("there");
    let blob = repo.git(&["rev-parse", "--short", "HEAD:src/main.c"]);
    assert!(diff.contains(&format!("index {blob}..")), "{diff}");
    repo.write("2.diff", &diff.replace(&blob, "1234567"));
    let refusal = || refused(&mut repo.0.stage("diff"));
    let unknown = refusal();
    assert!(unknown.contains("subject.toml:6: none of the commits of repo has "), "{unknown}");
    assert!(
        unknown.contains("a/src/main.c as 2.diff changes it (index 1234567); write repo#REVISION"),
        "{unknown}"
    );
    // Each fits a commit, and none fits both.
    repo.write("repo/src/main.c", &MAIN.replace("n > 3", "n > 9"));
    repo.commit(2);
    repo.diff("2.diff", "n > 9", "n > 8", &[]);
    let apart = refusal();
    assert!(apart.contains("made from several; write repo#REVISION"), "{apart}");
    for name in ["1.diff", "2.diff"] {
        let text = fs::read_to_string(repo.0.path(name)).expect("there");
        let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with("index ")).collect();
        repo.write(name, &format!("{}\n", plain.join("\n")));
    }
    let plain = refusal();
    assert!(plain.contains("subject.toml:6: git = \"repo\" names no revision"), "{plain}");
    assert!(plain.contains("index OLD..NEW"), "{plain}");
    repo.diff("1.diff", "n > 9", "n > 8", &[]);
    repo.write("subject.toml", &CONFIG.replace("git = \"repo\"", "git = \"nowhere\""));
    let nowhere = refusal();
    assert!(
        nowhere.contains("subject.toml:6: git failed") && nowhere.contains("nowhere"),
        "{nowhere}"
    );
}
