//! Applies hunks as patch(1) does: at another line if necessary, and ignoring up to two lines of
//! context at each edge that do not match.

use super::patch::{Hunk, Line};

const MOST_FUZZ: usize = 2;

/// A hunk that fits nowhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Misfit {
    /// Index of the hunk.
    pub(super) hunk: usize,
    /// Where it was expected in the file, from 1.
    pub(super) expected: usize,
    /// The first line there that differs: its number, from 1, and what the patch expects.
    pub(super) difference: Option<(usize, String)>,
}

/// Applies all `hunks` to `text`; fails with the first hunk that does not fit.
pub(super) fn apply(text: &str, hunks: &[Hunk]) -> Result<String, Misfit> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ending = if lines.iter().filter(|l| l.ends_with("\r\n")).count() * 2 > lines.len() {
        "\r\n"
    } else {
        "\n"
    };
    let mut patched = String::with_capacity(text.len());
    let mut done = 0;
    let mut offset = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let old: Vec<&str> = hunk.lines.iter().filter_map(Line::old).collect();
        // A hunk without old lines gives the number of the line before it.
        let named = if old.is_empty() { hunk.old_start } else { hunk.old_start.saturating_sub(1) };
        let expected = named.saturating_add_signed(offset);
        let Some((start, skipped)) = place(&lines, done, expected, hunk, &old) else {
            let at = |i: usize| lines.get(expected + i).map(|l| content(l));
            let differs = (0..old.len()).find(|i| at(*i) != Some(old[*i]));
            let difference = differs.map(|i| (expected + i + 1, old[i].to_owned()));
            return Err(Misfit { hunk: index, expected: expected + 1, difference });
        };
        offset = start as isize - named as isize;
        patched.extend(lines[done..start].iter().copied());
        done = start;
        for line in &hunk.lines[skipped.prefix..hunk.lines.len() - skipped.suffix] {
            match line {
                // Keep the file's own line: its line ending may differ from the patch's.
                Line::Context(_) => {
                    terminate(&mut patched, ending);
                    patched.push_str(lines[done]);
                    done += 1;
                }
                Line::Removed(_) => done += 1,
                Line::Added(added) => {
                    terminate(&mut patched, ending);
                    patched.push_str(added);
                    patched.push_str(ending);
                }
            }
        }
        if hunk.new_is_unterminated && done == lines.len() {
            let end = patched.trim_end_matches(['\r', '\n']).len();
            patched.truncate(end.max(patched.len().saturating_sub(ending.len())));
        }
    }
    patched.extend(lines[done..].iter().copied());
    Ok(patched)
}

/// How many context lines at each edge of a hunk are not compared.
#[derive(Clone, Copy)]
struct Skipped {
    prefix: usize,
    suffix: usize,
}

/// Where `hunk` fits with the least fuzz, nearest to `expected`: the first line that is compared,
/// from 0, and the context lines that are not.
fn place(
    lines: &[&str],
    done: usize,
    expected: usize,
    hunk: &Hunk,
    old: &[&str],
) -> Option<(usize, Skipped)> {
    let is_context = |line: &&Line| matches!(line, Line::Context(_));
    let prefix = hunk.lines.iter().take_while(is_context).count();
    let suffix = hunk.lines.iter().rev().take_while(is_context).count();
    let context = prefix.max(suffix);
    for fuzz in 0..=MOST_FUZZ.min(context) {
        // GNU patch's rule: the shorter edge loses a line only once the longer one has.
        let skip = |edge: usize| (fuzz + edge).saturating_sub(context);
        let skipped = Skipped { prefix: skip(prefix), suffix: skip(suffix) };
        if prefix + suffix > 0 && skipped.prefix + skipped.suffix > old.len() {
            return None;
        }
        let wanted = &old[skipped.prefix..old.len() - skipped.suffix];
        // Whatever the patch says, a place beyond the end counts as the end.
        let guess = (expected + skipped.prefix).min(lines.len());
        let fits = |start: &usize| {
            *start >= done
                && lines.len() >= start + wanted.len()
                && wanted.iter().zip(&lines[*start..]).all(|(w, l)| *w == content(l))
        };
        if wanted.is_empty() {
            // There is nothing to recognise the place by.
            return (fuzz == 0).then(|| (guess.clamp(done, lines.len()), skipped));
        }
        let away = |distance| [guess.checked_add(distance), guess.checked_sub(distance)];
        let found = (0..=lines.len() + guess).flat_map(away).flatten().find(fits);
        if let Some(start) = found {
            return Some((start, skipped));
        }
    }
    None
}

/// A line without its ending.
fn content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Terminates the last line, if the old file's last line is unterminated.
fn terminate(text: &mut String, ending: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(ending);
    }
}

impl Line {
    fn old(&self) -> Option<&str> {
        match self {
            Line::Context(text) | Line::Removed(text) => Some(text),
            Line::Added(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::patch::parse, *};

    fn patched(text: &str, diff: &str) -> Result<String, Misfit> {
        apply(text, &parse(&format!("--- a\n+++ b\n{diff}")).unwrap()[0].hunks)
    }

    const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    #[test]
    fn at_its_line_and_at_another() {
        let exact = "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n";
        let moved = "@@ -40,3 +40,3 @@\n 4\n-5\n+five\n 6\n";
        assert_eq!(patched(LINES, exact).unwrap(), LINES.replace('5', "five"));
        assert_eq!(patched(LINES, moved).unwrap(), LINES.replace('5', "five"));
        let far = moved.replace("40", "4294967295");
        assert_eq!(patched(LINES, &far).unwrap(), LINES.replace('5', "five"));
        assert_eq!(patched(LINES, &far.replace("-5", "-x")).unwrap_err().expected, 4_294_967_295);
    }

    #[test]
    fn fuzz_forgives_two_lines_of_context_and_keeps_the_files_own() {
        let fuzzy = "@@ -2,7 +2,7 @@\n x\n y\n 4\n-5\n+five\n 6\n x\n y\n";
        assert_eq!(patched(LINES, fuzzy).unwrap(), LINES.replace('5', "five"));
        let wrong = "@@ -2,7 +2,7 @@\n x\n y\n z\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(
            patched(LINES, wrong).unwrap_err(),
            Misfit { hunk: 0, expected: 2, difference: Some((2, "x".into())) }
        );
    }

    #[test]
    fn nearest_of_several_and_in_order() {
        let text = "a\nx\nb\nx\nc\nx\n";
        assert_eq!(patched(text, "@@ -4 +4 @@\n-x\n+y\n").unwrap(), "a\nx\nb\ny\nc\nx\n");
        let both = "@@ -4 +4 @@\n-x\n+y\n@@ -2 +2 @@\n-x\n+z\n";
        assert_eq!(patched(text, both).unwrap(), "a\nx\nb\ny\nc\nz\n");
    }

    #[test]
    fn insertion_without_context() {
        assert_eq!(patched("a\nb\n", "@@ -1,0 +2 @@\n+x\n").unwrap(), "a\nx\nb\n");
        assert_eq!(patched("a\nb\n", "@@ -0,0 +1 @@\n+x\n").unwrap(), "x\na\nb\n");
    }

    #[test]
    fn line_endings_are_the_files() {
        let diff = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
        assert_eq!(patched("a\r\nb\r\n", diff).unwrap(), "a\r\nc\r\n");
        assert_eq!(patched("a\nb\n", &diff.replace('\n', "\r\n")).unwrap(), "a\nc\n");
    }

    #[test]
    fn the_last_line_feed_comes_and_goes() {
        let no = "\\ No newline at end of file\n";
        let takes = format!("@@ -1,2 +1,2 @@\n a\n-b\n+c\n{no}");
        assert_eq!(patched("a\nb\n", &takes).unwrap(), "a\nc");
        let gives = format!("@@ -1 +1,2 @@\n-a\n{no}+a\n+b\n");
        assert_eq!(patched("a", &gives).unwrap(), "a\nb\n");
        assert_eq!(patched("a", "@@ -1 +1,2 @@\n a\n+b\n").unwrap(), "a\nb\n");
    }

    proptest! {
        #[test]
        fn agrees_with_the_differ(old in prop::collection::vec(0u8..6, 0..30),
                                  new in prop::collection::vec(0u8..6, 0..30)) {
            let text = |v: &[u8]| v.iter().map(|n| format!("{n}\n")).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            let diff = diffy::create_patch(&old, &new).to_string();
            if old != new {
                let hunks = &parse(&diff).unwrap()[0].hunks;
                prop_assert_eq!(apply(&old, hunks).unwrap(), new);
            }
        }
    }
}
