//! Applies hunks as patch(1) does: at another line if necessary, and ignoring up to two lines of
//! context at each edge that do not match. If that fails, they are applied as `patch -l` does it:
//! mailers and web forms damage blanks.

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

/// A text that was patched.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Patched {
    pub(super) text: String,
    /// The hunks fit only because blanks were ignored.
    pub(super) blanks_ignored: bool,
}

/// Where hunks may be applied.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Rules {
    /// Where patch(1) applies them.
    Patch,
    /// Also where people or programs have shortened the context at the edges. There, fewer lines at
    /// one edge than at the other need not mean the edge of the file.
    Shortened,
    /// Where `patch -l` applies them.
    Blanks,
}

impl Rules {
    fn are_same(self, wanted: &str, line: &str) -> bool {
        wanted == line || self == Self::Blanks && same_but_for_blanks(wanted, line)
    }
}

/// Applies all `hunks` to `text`, by the first of the [`Rules`] under which all of them fit; fails
/// with the first hunk that does not fit by patch's rules.
pub(super) fn apply(text: &str, hunks: &[Hunk]) -> Result<Patched, Misfit> {
    let by = |rules| {
        let blanks_ignored = rules == Rules::Blanks;
        apply_by(text, hunks, rules).map(|text| Patched { text, blanks_ignored })
    };
    by(Rules::Patch)
        .or_else(|misfit| by(Rules::Shortened).or_else(|_| by(Rules::Blanks)).map_err(|_| misfit))
}

/// Whether two lines are the same if all runs of blanks are equal and those at the end do not
/// count. This is the rule of `patch -l`, function `similar` in pch.c of GNU patch.
fn same_but_for_blanks(a: &str, b: &str) -> bool {
    const BLANKS: [char; 2] = [' ', '\t'];
    let words = |line| {
        let line: &str = line;
        let is_inner = |(index, word): &(usize, &str)| *index == 0 || !word.is_empty();
        line.trim_end_matches(BLANKS)
            .split(BLANKS)
            .enumerate()
            .filter(is_inner)
            .map(|(_, word)| word)
    };
    words(a).eq(words(b))
}

fn apply_by(text: &str, hunks: &[Hunk], rules: Rules) -> Result<String, Misfit> {
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
        let Some((start, skipped)) = place(&lines, done, expected, (hunk, &old), rules) else {
            let at = |i: usize| lines.get(expected + i).map(|l| content(l));
            let differs = (0..old.len()).find(|i| at(*i) != Some(old[*i]));
            let difference = differs.map(|i| (expected + i + 1, old[i].to_owned()));
            return Err(Misfit { hunk: index, expected: expected + 1, difference });
        };
        // Lines that are not compared are in the file too: they do not move the hunk.
        offset = start as isize - (named + skipped.prefix) as isize;
        patched.extend(lines[done..start].iter().copied());
        done = start;
        // What follows the last change stays free: it may also be context of the next hunk.
        let is_change = |line: &Line| !matches!(line, Line::Context(_));
        let end = hunk.lines.iter().rposition(is_change).map_or(skipped.prefix, |last| last + 1);
        for line in &hunk.lines[skipped.prefix..end] {
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

/// Where a hunk with these `old` lines fits with the least fuzz, nearest to `expected`: the first
/// line that is compared, from 0, and the context lines that are not.
fn place(
    lines: &[&str],
    done: usize,
    expected: usize,
    (hunk, old): (&Hunk, &[&str]),
    rules: Rules,
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
        // GNU patch's rules (`locate_hunk`): an edge with fewer lines than the other is the edge of
        // the file, and lines that are not compared have to be there.
        let strict = rules != Rules::Shortened;
        let lacks = |edge: usize| strict && fuzz + edge < context;
        let (first, last) = (lacks(prefix) && hunk.old_start <= 1, lacks(suffix));
        let least = if strict { done + skipped.prefix } else { done };
        let fits = |start: &usize| {
            *start >= least
                && (!first || *start == 0)
                && (!last || start + wanted.len() == lines.len())
                && lines.len() >= start + wanted.len()
                && wanted.iter().zip(&lines[*start..]).all(|(w, l)| rules.are_same(w, content(l)))
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
    use std::{fs, process::Command};

    use proptest::prelude::*;

    use super::{super::patch::parse, *};

    fn patched(text: &str, diff: &str) -> Result<String, Misfit> {
        exactly(text, &format!("--- a\n+++ b\n{diff}"))
    }

    /// Applies a diff that does not need blanks to be ignored.
    fn exactly(text: &str, diff: &str) -> Result<String, Misfit> {
        let patched = apply(text, &parse(diff).unwrap()[0].hunks)?;
        assert!(!patched.blanks_ignored);
        Ok(patched.text)
    }

    /// The text as `patch` with some options makes it, if the diff applies.
    fn by_patch(text: &str, diff: &str, options: &[&str]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("old"), text).unwrap();
        fs::write(path("diff"), diff).unwrap();
        let mut command = Command::new("patch");
        let files = ["--output=new", "--reject-file=-", "old", "diff"];
        let output = command.args(["--force"]).args(options).args(files).current_dir(dir.path());
        let output = output.output().expect("patch is installed");
        output.status.success().then(|| fs::read_to_string(path("new")).unwrap())
    }

    #[test]
    fn what_mailers_do_to_blanks_is_forgiven() {
        let text = "int f(int a)\n{\n\tif (a)\n\t\treturn  1;\n\n\treturn 0;\t\n}\n";
        let diff = "@@ -2,6 +2,6 @@\n {\n     if (a)\n-        return 1;\n+        return 2;\n\n     return 0;\n }\n";
        let expected = text.replace("\t\treturn  1;", "        return 2;");
        let with =
            |diff: &str| apply(text, &parse(&format!("--- a\n+++ b\n{diff}")).unwrap()[0].hunks);
        for damaged in
            [diff.to_owned(), diff.replace('\n', "\r\n"), diff.replace("\n     ", "\n\t")]
        {
            let patched = with(&damaged).unwrap();
            assert_eq!((patched.text, patched.blanks_ignored), (expected.clone(), true));
        }
        // No blank is not a run of blanks.
        for other in [diff.replace("-        return", "-return"), diff.replace("if (a", "if(a")] {
            assert_eq!(with(&other).unwrap_err().hunk, 0, "{other}");
        }
    }

    /// Of several places, it is the nearest, and the later of two that are equally near. An exact
    /// fit does not count for more once blanks are ignored.
    #[test]
    fn of_several_places_it_is_the_one_that_patch_takes() {
        let text = "a\n x\nb\nc\n  x\nd\n";
        let diff = "--- a\n+++ b\n@@ -3 +3 @@\n-\tx\n+y\n";
        let patched = apply(text, &parse(diff).unwrap()[0].hunks).unwrap();
        assert_eq!(patched.text, "a\ny\nb\nc\n  x\nd\n");
        assert_eq!(by_patch(text, diff, &["-l"]), Some(patched.text));
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
    fn fuzz_at_the_beginning_of_a_hunk_does_not_move_the_next() {
        let text = "1\n2\n3\n4\n5\nz\nz\nz\n";
        let both = "@@ -1,5 +1,6 @@\n 1\n 2\n+x\n 3\n b\n c\n@@ -7 +8 @@\n-z\n+y\n";
        let expected = "1\n2\nx\n3\n4\n5\nz\ny\nz\n";
        assert_eq!(patched(text, both).unwrap(), expected);
        let diff = format!("--- a\n+++ b\n{both}");
        assert_eq!(by_patch(text, &diff, &[]).as_deref(), Some(expected));
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
                prop_assert_eq!(apply(&old, hunks).unwrap().text, new);
            }
        }
    }

    /// A line with its blanks damaged: tabs as blanks, runs as one, none at the end.
    fn damaged(line: &str, how: u8) -> String {
        let end = if how & 8 == 0 { "\n" } else { "\r\n" };
        let mut line = line.to_owned();
        if how & 1 != 0 {
            line = line.replace('\t', "    ");
        }
        if how & 2 != 0 && line.len() > 1 {
            let (sign, rest) = line.split_at(1);
            line = format!("{sign}{}", rest.replace("  ", " "));
        }
        if how & 4 != 0 {
            line = line.trim_end().to_owned();
        }
        line + end
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// `drift` is the number of lines that the file has gained at its beginning or lost there.
        #[test]
        fn damaged_diffs_apply_as_with_patch(old in prop::collection::vec(0usize..8, 5..20),
                                             edits in prop::collection::vec((0usize..20, 0usize..10), 1..4),
                                             how in 0u8..16, drift in -3i32..4) {
            const LINES: [&str; 8] = ["", "\tx;", "\t\tx;", "  x;", "z  w", "z w", "\ty;  ", "}"];
            let mut new = old.clone();
            for (place, line) in edits {
                let place = place % (new.len() + 1);
                match line {
                    8.. if place < new.len() => _ = new.remove(place),
                    _ => new.insert(place, line % 8),
                }
            }
            let text = |v: &[usize]| v.iter().map(|n| format!("{}\n", LINES[*n])).collect::<String>();
            let diff = diffy::create_patch(&text(&old), &text(&new)).to_string();
            prop_assume!(old != new);
            let diff: String = diff.lines().map(|line| damaged(line, how)).collect();
            let gained = [7, 0, 7];
            let file = match usize::try_from(drift) {
                Ok(gain) => [&gained[..gain.min(3)], &old].concat(),
                Err(_) => old[old.len().min(drift.unsigned_abs() as usize)..].to_vec(),
            };
            let file = text(&file);
            let hunks = &parse(&diff).unwrap()[0].hunks;
            // With fuzz, patch also applies hunks of which no line is left to compare.
            let is_compared = |hunk: &Hunk| {
                hunk.lines.iter().filter_map(Line::old).count() > 2 * MOST_FUZZ
                    || hunk.lines.iter().any(|line| matches!(line, Line::Removed(_)))
            };
            prop_assume!(hunks.iter().all(is_compared));
            let ours = apply(&file, hunks);
            let (exact, loose) = (by_patch(&file, &diff, &[]), by_patch(&file, &diff, &["-l"]));
            match ours {
                Ok(Patched { text, blanks_ignored: false }) => {
                    // What was shortened applies here, and not with patch.
                    prop_assert_eq!(exact.as_ref().unwrap_or(&text), &text);
                }
                Ok(Patched { text, .. }) => prop_assert_eq!((None, Some(text)), (exact, loose)),
                Err(_) => prop_assert_eq!((None, None), (exact, loose)),
            }
        }
    }
}
