//! Unified diffs as `git diff` and `diff -u` print them.
//!
//! This reader is our own because errors have to name the line of the patch, one patch may hold the
//! diffs of several files, and line endings must not matter. Each crate that reads diffs lacks one
//! of these.

use std::path::PathBuf;

use thiserror::Error;

use crate::subject::unquoted;

/// The changes to one file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct FileDiff {
    /// Path after `---`; `None` for `/dev/null`.
    pub(super) old: Option<String>,
    /// Path after `+++`; `None` for `/dev/null`.
    pub(super) new: Option<String>,
    /// Line of `---` in the patch, from 1.
    pub(super) line: usize,
    /// `old` and `new` name two files: it is a rename or a copy.
    pub(super) renames: bool,
    /// It is a copy: the old file stays.
    pub(super) is_copy: bool,
    /// The file is binary, and its hunks are not known.
    pub(super) is_binary: bool,
    /// Empty if only names change, or if an empty file is created or deleted.
    pub(super) hunks: Vec<Hunk>,
}

impl FileDiff {
    /// Whether it can be applied to a file that does not exist.
    pub(super) fn fits_nothing(&self) -> bool {
        let adds = |hunk: &Hunk| {
            hunk.old_start == 0 && hunk.lines.iter().all(|line| matches!(line, Line::Added(_)))
        };
        matches!(&self.hunks[..], [only] if adds(only))
    }
}

/// One `@@` block.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Hunk {
    /// Line of the `@@` in the patch, from 1.
    pub(super) line: usize,
    /// Its first line in the old file, from 1; without old lines, the line before it.
    pub(super) old_start: usize,
    pub(super) lines: Vec<Line>,
    /// The new text does not end in a line feed.
    pub(super) new_is_unterminated: bool,
}

/// One line of a hunk, without its line ending.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Line {
    Context(String),
    Removed(String),
    Added(String),
}

/// The number of lines that a patch adds and removes.
///
/// # Errors
/// The text is not a patch.
pub fn changed_lines(text: &str) -> Result<u32, PatchError> {
    let diffs = parse(text)?;
    let lines = diffs.iter().flat_map(|diff| &diff.hunks).flat_map(|hunk| &hunk.lines);
    Ok(lines.filter(|line| !matches!(line, Line::Context(_))).count() as u32)
}

/// The places that a patch changes: paths as the patch has them, and lines of the old files, from
/// 1, one for each hunk. None if the text is not a patch.
pub fn touched(text: &str) -> Vec<(PathBuf, usize)> {
    let mut places = Vec::new();
    for diff in parse(text).unwrap_or_default() {
        let Some(path) = diff.old.or(diff.new) else { continue };
        for hunk in diff.hunks {
            let is_context = |line: &&Line| matches!(line, Line::Context(_));
            let before = hunk.lines.iter().take_while(is_context).count();
            places.push((PathBuf::from(&path), hunk.old_start + before));
        }
    }
    places
}

/// Why a text is not a patch.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("line {line}: {reason}")]
pub struct PatchError {
    /// Line of the patch, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads a patch.
pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, PatchError> {
    let mut reader = Reader { lines: text.lines().collect(), at: 0, changes_mode: false };
    let mut diffs: Vec<FileDiff> = Vec::new();
    while let Some(line) = reader.peek() {
        let next = reader.lines.get(reader.at + 1).copied().unwrap_or_default();
        if line.starts_with("--- ") && next.starts_with("+++ ") {
            diffs.push(reader.file()?);
        } else if let Some((old, new)) = binary_files(line) {
            reader.at += 1;
            let (line, hunks) = (reader.at, Vec::new());
            let (renames, is_copy, is_binary) = (false, false, true);
            diffs.push(FileDiff { old, new, line, renames, is_copy, is_binary, hunks });
        } else if line.starts_with("GIT binary patch") {
            return Err(reader.error("a binary patch without a `diff --git` line above it"));
        } else if line.starts_with("diff --git ") {
            diffs.extend(reader.git()?);
        } else if line.starts_with("@@ -") {
            return Err(reader.error("a hunk without `---` and `+++` lines above it"));
        } else {
            reader.at += 1;
        }
    }
    match diffs.is_empty() && !reader.changes_mode {
        true if text.trim().is_empty() => Err(PatchError { line: 1, reason: "empty".into() }),
        true => {
            let is_context = text.lines().any(|line| line.starts_with("***************"));
            let what = match is_context {
                true => "a context diff: make a unified one, as `diff -u` or `git diff` does",
                false => "not a unified diff",
            };
            Err(PatchError { line: 1, reason: what.into() })
        }
        false => Ok(diffs),
    }
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// The mode of a file changes.
    changes_mode: bool,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn error(&self, reason: impl Into<String>) -> PatchError {
        PatchError { line: self.at + 1, reason: reason.into() }
    }

    /// Reads git's header of a file, and the hunks below it. `None` if neither a name nor the text
    /// changes, but only the mode.
    fn git(&mut self) -> Result<Option<FileDiff>, PatchError> {
        let line = self.at + 1;
        let names = self.lines[self.at].trim_start_matches("diff --git ").to_owned();
        let (mut from, mut to, mut is_copy) = (None, None, false);
        let (mut is_new, mut is_gone, mut is_binary) = (false, false, false);
        self.at += 1;
        while let Some(header) = self.peek() {
            let next = self.lines.get(self.at + 1).copied().unwrap_or_default();
            let hunks = header.starts_with("--- ") && next.starts_with("+++ ");
            if hunks || header.starts_with("diff --git ") || header.starts_with("@@ -") {
                break;
            }
            if header.starts_with("GIT binary patch") || header.starts_with("Binary files ") {
                is_binary = true;
                self.at += 1;
                break;
            }
            for (kind, copies) in [("rename", false), ("copy", true)] {
                if let Some(name) = header.strip_prefix(&format!("{kind} from ")) {
                    (from, is_copy) = (Some(format!("a/{}", unquoted(name))), copies);
                } else if let Some(name) = header.strip_prefix(&format!("{kind} to ")) {
                    to = Some(format!("b/{}", unquoted(name)));
                }
            }
            self.changes_mode |= header.starts_with("old mode");
            is_new |= header.starts_with("new file mode");
            is_gone |= header.starts_with("deleted file mode");
            self.at += 1;
        }
        let hunks = !is_binary && self.peek().is_some_and(|line| line.starts_with("--- "));
        let mut diff = match hunks {
            true => self.file()?,
            false => FileDiff {
                old: None,
                new: None,
                line,
                renames: false,
                is_copy: false,
                is_binary,
                hunks: Vec::new(),
            },
        };
        if from.is_some() && to.is_some() {
            (diff.old, diff.new, diff.renames, diff.is_copy) = (from, to, true, is_copy);
        } else if !hunks {
            // A diff that creates or deletes an empty file has no hunks.
            let both = both(&names).filter(|_| is_new || is_gone || is_binary);
            let Some((old, new)) = both else { return Ok(None) };
            diff.old = (!is_new).then_some(old);
            diff.new = (!is_gone).then_some(new);
        }
        Ok(Some(diff))
    }

    fn file(&mut self) -> Result<FileDiff, PatchError> {
        let line = self.at + 1;
        let old = path(&self.lines[self.at][4..]);
        let new = path(&self.lines[self.at + 1][4..]);
        self.at += 2;
        let mut hunks = Vec::new();
        while let Some(header) = self.peek().filter(|l| l.starts_with("@@ ")) {
            hunks.push(self.hunk(header)?);
        }
        if hunks.is_empty() {
            return Err(self.error("expected a hunk, `@@ -LINE,COUNT +LINE,COUNT @@`"));
        }
        let (renames, is_copy, is_binary) = (false, false, false);
        Ok(FileDiff { old, new, line, renames, is_copy, is_binary, hunks })
    }

    fn hunk(&mut self, header: &str) -> Result<Hunk, PatchError> {
        let Some(((old_start, mut old), mut new)) = counts(header) else {
            return Err(self.error(format!("malformed hunk header `{header}`")));
        };
        let line = self.at + 1;
        self.at += 1;
        let mut hunk = Hunk { line, old_start, lines: Vec::new(), new_is_unterminated: false };
        while old > 0 || new > 0 {
            let Some(text) = self.peek() else {
                return Err(self.error(format!("the hunk at line {line} is cut off")));
            };
            let (sign, rest) = match text.char_indices().nth(1) {
                Some((index, _)) => text.split_at(index),
                None => (text, ""),
            };
            let (takes_old, takes_new, entry) = match sign {
                // Mailers and editors strip the blank of an empty context line.
                " " | "" => (1, 1, Line::Context(rest.into())),
                // As patch(1) sees it, the blank before a tab was lost.
                "\t" => (1, 1, Line::Context(text.into())),
                "-" => (1, 0, Line::Removed(rest.into())),
                "+" => (0, 1, Line::Added(rest.into())),
                "\\" => {
                    self.unterminated(&mut hunk);
                    continue;
                }
                _ => {
                    let reason = format!("the hunk at line {line} has fewer lines than announced");
                    return Err(self.error(reason));
                }
            };
            if takes_old > old || takes_new > new {
                let reason = format!("the hunk at line {line} has more lines than it announces");
                return Err(self.error(reason));
            }
            old -= takes_old;
            new -= takes_new;
            hunk.lines.push(entry);
            self.at += 1;
        }
        if self.peek().is_some_and(|l| l.starts_with('\\')) {
            self.unterminated(&mut hunk);
        }
        if self.changes_more() {
            let reason = format!("the hunk at line {line} has more lines than it announces");
            return Err(self.error(reason));
        }
        Ok(hunk)
    }

    /// Whether a hunk goes on with changes after the lines that it announces. The next file, and
    /// the `-- ` before a mail's signature, are no changes.
    fn changes_more(&self) -> bool {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let next = rest.iter().position(|line| !line.starts_with([' ', '\t']));
        let Some([line, behind @ ..]) = next.map(|next| &rest[next..]) else { return false };
        let is_header = line.starts_with("--- ")
            && behind.first().is_some_and(|behind| behind.starts_with("+++ "));
        line.starts_with(['+', '-']) && !is_header && line.trim_end() != "--"
    }

    /// Reads `\ No newline at end of file`, which refers to the line before it.
    fn unterminated(&mut self, hunk: &mut Hunk) {
        hunk.new_is_unterminated |= !matches!(hunk.lines.last(), Some(Line::Removed(_)) | None);
        self.at += 1;
    }
}

/// The two paths of `Binary files OLD and NEW differ`, as `diff -r` says it.
fn binary_files(line: &str) -> Option<(Option<String>, Option<String>)> {
    let names = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
    let (old, new) = names.split_once(" and ")?;
    Some((path(old), path(new)))
}

/// The two paths behind `diff --git`, if the file is not renamed.
fn both(names: &str) -> Option<(String, String)> {
    let name =
        |path: &str| path.split_once('/').map_or(path.to_owned(), |(_, name)| name.to_owned());
    names.match_indices(' ').find_map(|(middle, _)| {
        let (old, new) = (unquoted(&names[..middle]), unquoted(&names[middle + 1..]));
        (old == new || name(&old) == name(&new)).then_some((old, new))
    })
}

/// `((old start, old count), new count)` of `@@ -a,b +c,d @@`.
fn counts(header: &str) -> Option<((usize, usize), usize)> {
    let (old, rest) = header.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    // No file has more lines than 32 bits can count.
    let number = |text: &str| Some(text.parse::<u32>().ok()? as usize);
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    };
    Some((range(old)?, range(new)?.1))
}

/// The path of a `---` or `+++` line, without time stamp and quotes; `None` for a file that does
/// not exist. `diff -N` gives such a file the Unix epoch as its time, in the local time zone.
fn path(text: &str) -> Option<String> {
    let is_absent = |time: &str| {
        let time = time.trim_start();
        time.starts_with("1970-01-01 ") || time.starts_with("1969-12-31 ")
    };
    let absent = text.split_once('\t').is_some_and(|(_, time)| is_absent(time));
    let text = unquoted(text);
    let text = strip_time(&text);
    (text != "/dev/null" && !absent).then(|| text.to_owned())
}

/// The path without a time stamp that is separated by blanks: `x.c 2024-01-31 10:00:00 +0100`.
fn strip_time(text: &str) -> &str {
    let is_date = |word: &str| {
        word.len() == 10
            && word.bytes().enumerate().all(|(i, b)| match i {
                4 | 7 => b == b'-',
                _ => b.is_ascii_digit(),
            })
    };
    text.match_indices(' ')
        .find(|(index, _)| text[index + 1..].split(' ').next().is_some_and(is_date))
        .map_or(text, |(index, _)| text[..index].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_and_plain_headers() {
        let text = "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@ f\n\
                    -a\n+b\n--- y.c.orig\t2024-01-31 10:00:00.0 +0100\n+++ y.c 2024-01-31 10:00\n\
                    @@ -3,2 +3,3 @@\n k\n+n\n\n";
        let diffs = parse(text).unwrap();
        let names: Vec<_> =
            diffs.iter().map(|d| (d.old.as_deref().unwrap(), d.new.as_deref().unwrap())).collect();
        assert_eq!(names, [("a/x.c", "b/x.c"), ("y.c.orig", "y.c")]);
        assert_eq!((diffs[0].line, diffs[0].hunks[0].line, diffs[1].line), (3, 5, 8));
        assert_eq!(diffs[1].hunks[0].lines.len(), 3);
        assert_eq!(diffs[1].hunks[0].lines[2], Line::Context(String::new()));
    }

    #[test]
    fn removed_lines_that_look_like_headers() {
        let diffs = parse("--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- x;\n+++ y;\n k\n").unwrap();
        assert_eq!(diffs[0].hunks[0].lines[0], Line::Removed("-- x;".into()));
        assert_eq!(diffs[0].hunks[0].lines[1], Line::Added("++ y;".into()));
    }

    #[test]
    fn missing_line_feed_at_the_end() {
        let no = "\\ No newline at end of file\n";
        let old = parse(&format!("--- a\n+++ b\n@@ -1 +1 @@\n-x\n{no}+x\n")).unwrap();
        let new = parse(&format!("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+x\n{no}")).unwrap();
        assert!(!old[0].hunks[0].new_is_unterminated);
        assert!(new[0].hunks[0].new_is_unterminated);
    }

    #[test]
    fn creation_quotes_and_crlf() {
        let diffs =
            parse("--- /dev/null\r\n+++ \"b/\\303\\251 x.c\"\r\n@@ -0,0 +1 @@\r\n+a\r\n").unwrap();
        assert_eq!((&diffs[0].old, diffs[0].new.as_deref()), (&None, Some("b/\u{e9} x.c")));
        assert_eq!(diffs[0].hunks[0].lines, [Line::Added("a".into())]);
    }

    #[test]
    fn files_that_are_not_there_have_the_beginning_of_time() {
        let header =
            "--- a/x.c\t1970-01-01 01:00:00.000000000 +0100\n+++ b/x.c\t2024-01-31 10:00\n";
        let diffs = parse(&format!("{header}@@ -0,0 +1 @@\n+a\n")).unwrap();
        assert_eq!((&diffs[0].old, diffs[0].new.as_deref()), (&None, Some("b/x.c")));
        assert!(diffs[0].fits_nothing());
        let header = "--- a/x.c\t2024-01-31 10:00\n+++ b/x.c\t1969-12-31 16:00:00 -0800\n";
        let diffs = parse(&format!("{header}@@ -1 +0,0 @@\n-a\n")).unwrap();
        assert_eq!((diffs[0].old.as_deref(), &diffs[0].new), (Some("a/x.c"), &None));
        assert!(!diffs[0].fits_nothing());
    }

    #[test]
    fn parts_without_hunks() {
        let of = |text: &str| -> Vec<_> {
            let diffs = parse(text).unwrap().into_iter();
            diffs.map(|d| (d.old, d.new, d.is_binary, d.hunks.len())).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        let mode = "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n";
        assert_eq!(of(mode), []);
        let empty = "diff --git a/y z.c b/y z.c\nnew file mode 100644\nindex 0000000..e69de29\n";
        let gone = "diff --git x.c x.c\ndeleted file mode 100644\nindex e69de29..0000000\n";
        let quoted = "diff --git \"a/\\303\\251 x.png\" \"b/\\303\\251 x.png\"\nindex 1..2 100644\n\
                      Binary files \"a/\\303\\251 x.png\" and \"b/\\303\\251 x.png\" differ\n";
        let data = "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\n\
                    literal 4\nLc${NkU|;|M00aO5\n\nliteral 4\nLc${NkU|;|M00aO5\n\n";
        let text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
        let all =
            [mode, empty, gone, quoted, data, "Binary files old/a.o and new/a.o differ\n", text];
        let expected = [
            (None, some("b/y z.c"), false, 0),
            (some("x.c"), None, false, 0),
            (some("a/\u{e9} x.png"), some("b/\u{e9} x.png"), true, 0),
            (some("a/x.png"), some("b/x.png"), true, 0),
            (some("old/a.o"), some("new/a.o"), true, 0),
            (some("a"), some("b"), false, 1),
        ];
        assert_eq!(of(&all.concat()), expected);
    }

    #[test]
    fn changes_behind_the_announced_lines_are_an_error() {
        let begin = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n k\n-x\n+y\n";
        for more in ["-z\n", "+z\n", " l\n l\n+z\n", "\tl\n-z\n"] {
            let error = parse(&format!("{begin}{more}")).unwrap_err();
            assert_eq!(error.reason, "the hunk at line 3 has more lines than it announces");
        }
        for more in ["-- \n2.43.0\n", " l\n", "\nFrom x\n", "--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n"] {
            assert!(parse(&format!("{begin}{more}")).is_ok(), "{more}");
        }
    }

    #[test]
    fn errors_name_their_line() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(error(" \n"), "line 1: empty");
        assert_eq!(error("hello\n"), "line 1: not a unified diff");
        assert!(error("--- a\n+++ b\nx\n").starts_with("line 3: expected a hunk"));
        assert!(error("--- a\n+++ b\n@@ -x +1 @@\n").starts_with("line 3: malformed hunk header"));
        for number in ["18446744073709551615", "18446744073709551616", "-999999999999"] {
            let text = format!("--- a\n+++ b\n@@ -{number},6 +1,6 @@\n x\n");
            assert!(error(&text).starts_with("line 3: malformed hunk header"), "{number}");
        }
        assert!(error("--- a\n+++ b\n@@ -1,2 +1 @@\n-x\n").starts_with("line 5: "));
        assert!(error("--- a\n+++ b\n@@ -1,2 +1 @@\n-x\n-y\n-z\n").starts_with("line 6: "));
        assert!(error("--- a\n+++ b\n@@ -1,2 +1 @@\n-x\nfoo\n").starts_with("line 5: "));
        assert!(error("@@ -1 +1 @@\n-x\n+y\n").starts_with("line 1: a hunk without"));
        assert!(error("GIT binary patch\nliteral 0\n").starts_with("line 1: a binary patch"));
    }
}
