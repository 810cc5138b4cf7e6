//! Finds the commit of a git repository that patches were made from.
//!
//! The line `index OLD..NEW` that git writes for each file of a diff names the file's content
//! before the change. The commit is the newest one that has all of these contents at their places.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::{
    Form, Patch, SubjectError,
    path::{is_inner, unquoted},
    setup::{Failure, Setup, cache_directory, not_ended, obtain, quoted},
};
use crate::child::{self, ChildLimits, Stopper, last_lines};

/// How many commits are searched, the newest first.
const MOST_COMMITS: usize = 100_000;
/// How many commits one process of git is asked about.
const BATCH: usize = 1000;
/// The fewest digits that git shortens the name of a content to.
const FEWEST_DIGITS: usize = 4;

/// A repository in the cache, and a commit of it.
pub(super) struct Found {
    /// The path of the clone.
    pub(super) clone: String,
    /// The whole name of the commit.
    pub(super) commit: String,
}

/// A file before it was changed.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct OldFile {
    /// Its path, as the patch has it.
    path: PathBuf,
    /// The beginning of the name of its content.
    blob: String,
}

/// Clones a repository once for all subjects, and finds the newest commit that patches fit. Once
/// found, it stays the same for these patches, whatever the repository gets later. A commit that
/// the clone lacks is looked for in the repository, too.
///
/// Returns the message for the user if there is none.
pub(super) fn find(
    dir: &Path,
    url: &str,
    patches: &[Patch],
    stopper: &Stopper,
) -> Result<Result<Found, String>, SubjectError> {
    let wanted = wanted(patches)?;
    if wanted.is_empty() {
        let message = format!(
            "git = {url:?} names no revision, and no patch has a line `index OLD..NEW` of git by \
             which to find one; write {url}#REVISION"
        );
        return Ok(Err(message));
    }
    let cache = cache_directory(dir);
    // All subjects share the clone, so its name has to be the same wherever they are.
    let local = dir.join(url).canonicalize().ok();
    let place = local.as_ref().and_then(|path| path.to_str()).unwrap_or(url);
    let name = url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(url);
    let command =
        format!("git clone --quiet --no-checkout -- {} \"$PSYCHIC_SOURCE\"", quoted(place));
    let setup = Setup { dir: &cache, name: name.trim_end_matches(".git"), command: &command };
    let clone = match obtain(&cache, &setup, stopper)? {
        Ok(clone) => clone,
        Err(failure) => return Ok(Err(failure.of("git failed"))),
    };
    let lock = clone.join(".git/psychic.lock");
    let guard = File::create(&lock).map_err(SubjectError::io(&lock))?;
    guard.lock().map_err(SubjectError::io(&lock))?;
    let known = clone.join(format!(".git/psychic-{}", digest(&wanted)));
    let commit = match fs::read_to_string(&known) {
        Ok(commit) => commit,
        Err(_) => match (Search { clone: &clone, wanted: &wanted, stopper }).run(url)? {
            Ok(commit) => {
                let part = clone.join(".git/psychic.part");
                fs::write(&part, &commit).map_err(SubjectError::io(&part))?;
                fs::rename(&part, &known).map_err(SubjectError::io(&known))?;
                commit
            }
            Err(message) => return Ok(Err(message)),
        },
    };
    Ok(Ok(Found { clone: clone.to_string_lossy().into_owned(), commit }))
}

impl OldFile {
    /// Where the file may be in the repository: at its path, or at its path without one or more of
    /// the first directories (`a/`, say).
    fn places(&self) -> impl Iterator<Item = PathBuf> {
        let parts: Vec<_> = self.path.components().collect();
        (0..parts.len()).map(move |skip| parts[skip..].iter().collect())
    }
}

/// The files that patches change, and the first patch that changes each.
fn wanted(patches: &[Patch]) -> Result<BTreeMap<OldFile, &str>, SubjectError> {
    let mut wanted = BTreeMap::new();
    for patch in patches.iter().filter(|patch| patch.form == Form::Diff) {
        let text = fs::read(&patch.path).map_err(SubjectError::io(&patch.path))?;
        for file in old_files(&String::from_utf8_lossy(&text)) {
            wanted.entry(file).or_insert(&*patch.name);
        }
    }
    Ok(wanted)
}

/// The files that a patch changes. In a series of commits, what an earlier commit has left is not a
/// file of the original.
fn old_files(text: &str) -> Vec<OldFile> {
    let mut files = Vec::new();
    let mut left = BTreeSet::new();
    let mut blob = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("index ") {
            let names = rest.split(' ').next().unwrap_or_default().split_once("..");
            blob = names.map(|(old, _)| old).filter(|old| is_content(old) && !left.contains(old));
            left.extend(names.map(|(_, new)| new));
        } else if line.starts_with("diff --git ") {
            blob = None;
        } else if let Some(name) = line.strip_prefix("--- ")
            && let Some(blob) = blob.take()
        {
            let path = PathBuf::from(unquoted(name));
            // A request to git is one line and names one path.
            if is_inner(&path) && !path.to_string_lossy().contains('\n') {
                files.push(OldFile { path, blob: blob.to_ascii_lowercase() });
            }
        }
    }
    files
}

/// Whether this is the name of a content, or its beginning. A file that did not exist has zeros.
fn is_content(name: &str) -> bool {
    name.len() >= FEWEST_DIGITS
        && name.bytes().all(|digit| digit.is_ascii_hexdigit())
        && name.bytes().any(|digit| digit != b'0')
}

fn digest(wanted: &BTreeMap<OldFile, &str>) -> String {
    let mut hash = Sha256::new();
    for OldFile { path, blob } in wanted.keys() {
        hash.update(format!("{} {blob}\n", path.display()));
    }
    format!("{:x}", hash.finalize())
}

/// A clone, and the files that a commit is to have.
struct Search<'a> {
    clone: &'a Path,
    wanted: &'a BTreeMap<OldFile, &'a str>,
    stopper: &'a Stopper,
}

impl Search<'_> {
    /// The newest commit that has all files, or a message for the user.
    fn run(&self, url: &str) -> Result<Result<String, String>, SubjectError> {
        let mut found = BTreeSet::new();
        let (mut commits, mut number) = (String::new(), 0);
        for is_again in [false, true] {
            if is_again
                && let Err(failure) = self.git(&["fetch", "--quiet", "--tags", "--force"])?
            {
                return Ok(Err(failure.of("git fetch failed")));
            }
            let most = format!("--max-count={MOST_COMMITS}");
            let all = match self.git(&["rev-list", "--all", &most])? {
                Ok(all) if all == commits => break,
                Ok(all) => all,
                Err(failure) => return Ok(Err(failure.of("git failed"))),
            };
            commits = all;
            let lines: Vec<&str> = commits.lines().collect();
            number = lines.len();
            for batch in lines.chunks(BATCH) {
                match self.among(batch, &mut found)? {
                    Ok(Some(commit)) => return Ok(Ok(commit.to_owned())),
                    Ok(None) => {}
                    Err(failure) => return Ok(Err(failure.of("git failed"))),
                }
            }
        }
        let looked =
            if number < MOST_COMMITS { String::new() } else { format!("{number} newest ") };
        let missing = self.wanted.iter().find(|(file, _)| !found.contains(file));
        Ok(Err(match missing {
            Some((OldFile { path, blob }, patch)) => format!(
                "none of the {looked}commits of {url} has {} as {patch} changes it (index {blob}); \
                 write {url}#REVISION",
                path.display()
            ),
            None => format!(
                "none of the {looked}commits of {url} has all files as the patches change them, so \
                 they were made from several; write {url}#REVISION, or leave some of them out"
            ),
        }))
    }

    /// The first of these commits that has all files. Files that any of them has are added to
    /// `found`.
    fn among<'c>(
        &self,
        commits: &[&'c str],
        found: &mut BTreeSet<OldFile>,
    ) -> Result<Result<Option<&'c str>, Failure>, SubjectError> {
        let mut questions = NamedTempFile::new().map_err(SubjectError::io(self.clone))?;
        let mut ask = || -> io::Result<()> {
            let mut out = BufWriter::new(&mut questions);
            for (commit, file) in
                commits.iter().flat_map(|c| self.wanted.keys().map(move |f| (c, f)))
            {
                for path in file.places() {
                    writeln!(out, "{commit}:{}", path.display())?;
                }
            }
            out.flush()
        };
        ask().map_err(SubjectError::io(self.clone))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", "git cat-file --batch-check='is %(objectname)' <\"$0\""]);
        let answers = match self.said(shell.arg(questions.path()))? {
            Ok(answers) => answers,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut answers = answers.lines();
        for commit in commits {
            let mut has_all = true;
            for file in self.wanted.keys() {
                // Every place has its answer, so all of them are taken.
                let places = answers.by_ref().take(file.places().count());
                let is_it = |line: &str| {
                    line.strip_prefix("is ").is_some_and(|name| name.starts_with(&file.blob))
                };
                let has = places.filter(|line| is_it(line)).count() > 0;
                if has {
                    found.insert(file.clone());
                }
                has_all &= has;
            }
            if has_all {
                return Ok(Ok(Some(commit)));
            }
        }
        Ok(Ok(None))
    }

    fn git(&self, arguments: &[&str]) -> Result<Result<String, Failure>, SubjectError> {
        self.said(Command::new("git").args(arguments))
    }

    /// The output of a command that runs in the clone.
    fn said(&self, command: &mut Command) -> Result<Result<String, Failure>, SubjectError> {
        let output =
            child::output(command.current_dir(self.clone), ChildLimits::BUILD, self.stopper)
                .map_err(not_ended("git"))?;
        if !output.status.success() {
            let (status, output) = (output.status.to_string(), last_lines(&output.stderr));
            return Ok(Err(Failure { status, output }));
        }
        Ok(Ok(String::from_utf8_lossy(&output.stdout).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> Vec<(String, String)> {
        let pair = |file: OldFile| (file.path.display().to_string(), file.blob);
        old_files(text).into_iter().map(pair).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(path, blob)| ((*path).to_owned(), (*blob).to_owned())).collect()
    }

    #[test]
    fn what_a_patch_was_made_from() {
        let text = "diff --git a/x.c b/x.c\nindex 12aB34..5678 100644\n--- a/x.c\t\n+++ b/x.c\n\
                    @@ -1 +1 @@\n-- y.c\n+index 9999..8888\n\
                    diff --git a/n.c b/n.c\nnew file mode 100644\nindex 0000000..abcd123\n\
                    --- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+a\n\
                    diff --git a/m.c b/m.c\nold mode 100644\nnew mode 100755\n\
                    diff --git \"a/\\303\\251.c\" \"b/\\303\\251.c\"\nindex aaaa..bbbb\n\
                    --- \"a/\\303\\251.c\"\n+++ \"b/\\303\\251.c\"\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(wanted(text), pairs(&[("a/x.c", "12ab34"), ("a/\u{e9}.c", "aaaa")]));
        assert_eq!(wanted("--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n"), []);
        assert_eq!(wanted("index 1234..5678\n--- ../x.c\n+++ ../x.c\n"), []);
    }

    /// The second commit of a series changes what the first one has left.
    #[test]
    fn a_series_begins_with_the_original() {
        let change = |path: &str, index: &str| {
            format!("diff --git a/x b/x\nindex {index}\n--- {path}\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
        };
        let series = [
            change("a/x.c", "1111..2222 100644"),
            change("a/x.c", "2222..3333 100644"),
            change("/dev/null", "0000000..4444"),
            change("a/new.c", "4444..5555"),
            change("a/y.c", "6666..7777"),
        ];
        assert_eq!(wanted(&series.concat()), pairs(&[("a/x.c", "1111"), ("a/y.c", "6666")]));
    }
}
